"""Server-Sent Events from the real server: the same events as JSON, without gap or repeat, also across reconnects."""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path
from typing import Any

import requests

from tests.e2e.stack import Mirror, call
from tests.support import Server, start_server


def read_stream(url: str, token: str | None, after: int, most: int) -> list[dict[str, Any]]:
    """At most ``most`` events of a stream from ``after`` on; fewer when it ends by itself."""
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    events: list[dict[str, Any]] = []
    with requests.get(url, headers=headers, stream=True, timeout=30) as answer:
        if answer.status_code == 204:
            return []
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        for line in answer.iter_lines(chunk_size=1):
            if line.startswith(b"data: "):
                events.append(json.loads(line[6:]))
                if len(events) == most:
                    break
    return events


def test_a_stream_resumes_without_gap_or_repeat(server: Server) -> None:
    mirror = Mirror(server.url, "valente", "mbb", 31)
    collected: dict[str | None, list[dict[str, Any]]] = {mirror.tokens[0]: [], None: []}

    def follow(token: str | None) -> None:
        rng = random.Random(str(token))
        while True:
            after = collected[token][-1]["seq"] if collected[token] else 0
            more = read_stream(f"{mirror.url}/events", token, after, rng.randrange(1, 30))
            if not more:
                return
            collected[token] += more

    threads = [threading.Thread(target=follow, args=(token,)) for token in collected]
    for thread in threads:
        thread.start()
    mirror.play_bots()
    while not mirror.over():
        mirror.act()
    for thread in threads:
        thread.join(30)
    for token, events in collected.items():
        listed: list[dict[str, Any]] = []
        while True:
            page = call("GET", f"{mirror.url}/events?after={len(listed)}&limit=500", token)
            if not page["items"]:
                break
            listed += page["items"]
        assert events == listed
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert events[-1]["event"]["type"] == "match_finished"


def test_many_idle_streams_and_long_polls_do_not_stop_the_table(server: Server) -> None:
    """A hundred streams and a hundred long polls on two processes, and the match is played beside them."""
    idle = requests.post(
        f"{server.url}/v1/matches", json={"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}, timeout=30
    ).json()
    url = f"{server.url}/v1/matches/{idle['match']['id']}"
    done: list[int] = []

    def stream() -> None:
        done.append(len(read_stream(f"{url}/events", None, 0, 99)))

    def poll() -> None:
        answer = requests.get(f"{url}/observation?after=0&wait=50", timeout=60)
        done.append(answer.status_code)

    threads = [threading.Thread(target=target) for target in (stream, poll) for _ in range(100)]
    for thread in threads:
        thread.start()
    mirror = Mirror(server.url, "valente", "mb", 32)
    mirror.play_bots()
    while not mirror.over():
        mirror.act()
    call("POST", f"{url}/cancel", idle["host_token"])
    for thread in threads:
        thread.join(30)
    assert sorted(done) == [1] * 100 + [200] * 100


def test_a_server_that_stops_lets_its_waiters_go(tmp_path: Path) -> None:
    """A long poll ends with "nothing new", a stream ends; neither is cut, and neither holds the stop up."""
    server = start_server(tmp_path)
    body = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}
    made = requests.post(f"{server.url}/v1/matches", json=body, timeout=30).json()
    url = f"{server.url}/v1/matches/{made['match']['id']}"
    ended: list[object] = []
    targets = (
        lambda: ended.append(requests.get(f"{url}/observation?after=0&wait=50", timeout=60).status_code),
        lambda: ended.append(read_stream(f"{url}/events", None, 0, 9)),
    )
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    start = time.monotonic()
    server.stop()
    assert time.monotonic() - start < 4, "the grace period was waited out"
    for thread in threads:
        thread.join(10)
    assert sorted(ended, key=str) == [204, []]
