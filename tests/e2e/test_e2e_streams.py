"""Server-Sent Events from the real server: the same events as JSON, without gap or repeat, also across reconnects."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from pathlib import Path
from typing import Any

import requests

from tests.e2e.stack import Mirror, call
from tests.support import PATIENCE_S, Server, start_server, until


def read_stream(url: str, token: str | None, after: int, most: int) -> list[dict[str, Any]]:
    """At most ``most`` events of a stream from ``after`` on; fewer when it ends by itself."""
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    events: list[dict[str, Any]] = []
    with requests.get(url, headers=headers, stream=True, timeout=60) as answer:
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
        events = collected[token]
        while not events or events[-1]["event"]["type"] != "match_finished":
            after = events[-1]["seq"] if events else 0
            events += read_stream(f"{mirror.url}/events", token, after, rng.randrange(1, 30))

    threads = [threading.Thread(target=follow, args=(token,)) for token in collected]
    for thread in threads:
        thread.start()
    mirror.play_bots()
    while not mirror.over():
        mirror.act()
    for thread in threads:
        thread.join(PATIENCE_S)
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
        assert read_stream(f"{mirror.url}/events", token, len(events), 1) == []


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
        status = 204
        while status == 204:  # the match beside may take longer
            status = requests.get(f"{url}/observation?after=0&wait=50", timeout=90).status_code
        done.append(status)

    threads = [threading.Thread(target=target) for target in (stream, poll) for _ in range(100)]
    for thread in threads:
        thread.start()
    mirror = Mirror(server.url, "valente", "mb", 32)
    mirror.play_bots()
    while not mirror.over():
        mirror.act()
    call("POST", f"{url}/cancel", idle["host_token"])
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sorted(done) == [1] * 100 + [200] * 100


def test_a_server_that_stops_lets_its_waiters_go(tmp_path: Path) -> None:
    """A long poll ends with "nothing new", a stream ends; neither is cut, and neither holds the stop up."""
    took = [stopped_with_waiters(tmp_path)]
    while took[-1] >= 4 and len(took) < 4:  # a machine may stand still for a moment
        took.append(stopped_with_waiters(tmp_path))
    assert took[-1] < 4, "the grace period was waited out"


def stopped_with_waiters(folder: Path) -> float:
    """How long a server took to stop that a long poll and a stream waited at."""
    server = start_server(folder)
    body = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}
    made = requests.post(f"{server.url}/v1/matches", json=body, timeout=30).json()
    url = f"{server.url}/v1/matches/{made['match']['id']}"
    ended: list[object] = []
    targets = (
        lambda: ended.append(requests.get(f"{url}/observation?after=0&wait=50", timeout=90).status_code),
        lambda: ended.append(read_stream(f"{url}/events", None, 0, 9)),
    )
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    until(lambda: connections(server) == 2)
    time.sleep(0.5)  # they are read, too
    start = time.monotonic()
    server.stop()
    took = time.monotonic() - start
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sorted(ended, key=str) == [204, []]
    return took


def connections(server: Server) -> int:
    """How many connections a server has accepted, by what the kernel says."""
    port = int(server.url.rpartition(":")[2])
    held = {os.readlink(each) for pid in server.children() for each in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "01" and f"socket:[{row[9]}]" in held for row in rows)
