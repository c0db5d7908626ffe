"""Clocks over HTTP: what comes after a deadline finds it executed, whether or not a worker has come by, and once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.e2e.stack import call
from tests.support import Server, start_server


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose workers may be stopped."""
    server = start_server(tmp_path_factory.mktemp("clock"), "--api-processes", "2")
    yield server
    server.stop()


@contextmanager
def no_workers(server: Server) -> Iterator[None]:
    """Its workers stand still meanwhile."""
    workers = [pid for pid in server.children() if "parlour_worker" in Path(f"/proc/{pid}/cmdline").read_text()]
    assert len(workers) >= 2
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGCONT)


def clocked(server: Server, on_expiry: str, seats: str = "mm", per_decision_s: float = 0.5) -> dict[str, Any]:
    """A match in which time runs, and until when for the first decision, in seconds since 1970."""
    body = {
        "game": "valente",
        "options": {"first_seat": 0},
        "seats": [{"kind": {"m": "mine", "b": "bot"}[seat]} for seat in seats],
        "clock": {"per_decision_s": per_decision_s, "on_expiry": on_expiry},
    }
    made: dict[str, Any] = call("POST", f"{server.url}/v1/matches", None, body)
    made["url"] = f"{server.url}/v1/matches/{made['match']['id']}"
    made["deadline"] = datetime.fromisoformat(made["match"]["awaiting"][0]["deadline"]).timestamp()
    return made


def send(made: dict[str, Any], place: str, late_s: float) -> requests.Response:
    """One request, so late after the deadline."""
    host = place == "cancel"
    token = made["host_token"] if host else made["seat_tokens"][0]["token"]
    time.sleep(max(0.0, made["deadline"] + late_s - time.time()))
    return requests.post(f"{made['url']}/{place}", headers={"Authorization": f"Bearer {token}"}, timeout=30)


def told(made: dict[str, Any]) -> list[str]:
    return [item["event"]["type"] for item in call("GET", f"{made['url']}/events")["items"]]


@pytest.mark.parametrize("place", ["leave", "seats/0/takeover", "seats/0/return", "cancel"])
def test_no_worker_is_needed_for_a_deadline_to_come_first(own_server: Server, place: str) -> None:
    with no_workers(own_server):
        made = clocked(own_server, "forfeit")
        answer = send(made, place, 0.2)
        assert (answer.status_code, answer.json()["code"]) == (409, "match_over")
        match = call("GET", made["url"])
        assert (match["outcome"]["reason"], match["seats"][0]["forfeited"]) == ("forfeit", True)
        made = clocked(own_server, "default_move", "mb", 2)
        assert send(made, place, 0.2).status_code == 200
        kinds = told(made)
        assert kinds.count("clock") == 1
        assert {"seat_changed", "match_finished"}.isdisjoint(kinds[: kinds.index("clock")])


def test_no_leave_or_takeover_is_fast_enough_to_escape(own_server: Server) -> None:
    """Each a little later than the one before, in a race with the clock's worker: all have forfeited, each once."""
    played: list[tuple[dict[str, Any], requests.Response]] = []

    def one(number: int) -> None:
        made = clocked(own_server, "forfeit")
        played.append((made, send(made, ("leave", "seats/0/takeover")[number % 2], 0.001 + 0.0013 * number)))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(played) == 30
    for made, answer in played:
        assert (answer.status_code, answer.json()["code"]) == (409, "match_over")
        match = call("GET", made["url"])
        assert [seat["forfeited"] for seat in match["seats"]] == [True, False]
        assert told(made).count("clock") == 1
