"""The log of a match that was played with talk, tickets and mistakes: every line is JSON, and none holds a secret."""

from __future__ import annotations

import json
from typing import Any

import requests

from tests.e2e.stack import call
from tests.support import running_server

TALK = "My heart is at place three, and I say so."
ENTROPY = "5eed" * 8
FIELDS = {"time", "level", "logger", "message", "request_id", "method", "path", "operation", "status", "ms"}


def play(base: str, tokens: dict[int, str], secrets: set[str]) -> None:
    """Both seats talk, open a stream by ticket, do everything wrong once, and play to the end."""
    for seat, token in tokens.items():
        call("POST", f"{base}/messages", token, {"text": TALK, "to": [1 - seat]})
        ticket = call("POST", f"{base}/stream-ticket", token)["ticket"]
        secrets.add(ticket)
        with requests.get(
            f"{base}/events?ticket={ticket}", headers={"Accept": "text/event-stream"}, stream=True, timeout=60
        ) as stream:
            assert stream.status_code == 200
            next(stream.iter_lines())
        assert requests.get(f"{base}/events?ticket={ticket}", timeout=60).status_code == 404
        assert requests.get(f"{base}/{token}", timeout=60).status_code == 404
        wrong = {"Authorization": f"Bearer {token[:-1]}!"}
        assert requests.get(f"{base}/observation", headers=wrong, timeout=60).status_code == 401
        assert requests.post(f"{base}/actions", json={"decision": token}, timeout=60).status_code in (401, 422)
    while True:
        for token in tokens.values():
            seen = call("GET", f"{base}/observation", token)
            if seen["status"] != "playing":
                return
            if seen["decision"] is not None:
                action = {"id": seen["decision"]["legal_actions"][-1]["id"]}
                call("POST", f"{base}/actions", token, {"decision": seen["decision"]["id"], "actions": [action]})


def test_no_line_of_the_log_holds_a_secret() -> None:
    secrets = {TALK, ENTROPY}
    with running_server(env={"PARLOUR_LOG": "json", "PARLOUR_LOG_LEVEL": "debug"}) as server:
        body: dict[str, Any] = {"game": "valente", "seats": [{"kind": "mine"}] * 2, "visibility": "private"}
        made = call("POST", f"{server.url}/v1/matches", None, {**body, "entropy": "awaited"})
        base = f"{server.url}/v1/matches/{made['match']['id']}"
        tokens = {entry["seat"]: entry["token"] for entry in made["seat_tokens"]}
        for token in tokens.values():
            call("POST", f"{base}/entropy", token, {"entropy": ENTROPY})
        play(base, tokens, secrets)
        replay = call("GET", f"{base}/replay", made["host_token"])
        secrets |= {made["host_token"], made["join_code"], *tokens.values(), replay["server_seed"], replay["seed"]}
        secrets.add((server.data_dir / "secret").read_text().strip())
        server.stop()
    lines = [line for line in server.lines if not line.startswith("parlour is ready")]
    text = "".join(lines)
    for secret in secrets:
        assert secret not in text
    told = [json.loads(line) for line in lines]
    for line in told:
        assert set(line) <= FIELDS, line
    operations = {line.get("operation") for line in told}
    assert {"create_match", "act", "get_observation", "create_message", "list_events", "get_replay"} <= operations
    assert any("[secret]" in line["path"] for line in told if line["message"] == "request")
