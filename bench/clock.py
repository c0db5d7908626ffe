"""How late deadlines are executed, and how soon a match moves again after its worker was killed.

    python bench/clock.py [--matches 200] [--save bench/results/clock.json]

Starts ``parlour serve`` with default settings, but without quotas. Lateness is read from the events: the instant of
the ``clock`` event less the deadline. "Spread": deadlines all over three seconds; "at once": every match's deadline at
about one instant. Recovery: a bot worker is sent SIGKILL while it plays, and the longest gap between two changes of the
match is taken.
"""

from __future__ import annotations

import sys

sys.path[0] = sys.path[0].removesuffix("bench")  # bench/http.py must not hide the library's http

import argparse
import json
import os
import platform
import random
import signal
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import requests

from tests.support import Server, start_server

SEATS = [{"kind": "mine"}, {"kind": "mine"}]


def create(server: Server, seconds: float, start: str = "auto") -> tuple[str, dict[str, str]]:
    clock = {"per_decision_s": seconds, "on_expiry": "default_move"}
    body = {"game": "valente", "seats": SEATS, "clock": clock, "start": start, "options": {"first_seat": 0}}
    made = requests.post(f"{server.url}/v1/matches", json=body, timeout=30).json()
    return made["match"]["id"], {"host": made["host_token"], "seat": made["seat_tokens"][0]["token"]}


def lateness(server: Server, matches: list[tuple[str, dict[str, str]]], seconds: float) -> list[float]:
    """Milliseconds from each first deadline to its execution."""
    late = []
    for match_id, tokens in matches:
        head = {"Authorization": f"Bearer {tokens['seat']}"}
        items = requests.get(f"{server.url}/v1/matches/{match_id}/events", headers=head, timeout=30).json()["items"]
        opened = next(item["at"] for item in items if item["event"]["type"] == "decision_opened")
        done = next(item["at"] for item in items if item["event"]["type"] == "clock")
        gap = datetime.fromisoformat(done) - datetime.fromisoformat(opened)
        late.append(1000 * (gap.total_seconds() - seconds))
    return late


def spread(server: Server, count: int) -> list[float]:
    rng = random.Random(1)
    plans = [3 + 3 * rng.random() for _ in range(count)]
    with ThreadPoolExecutor(8) as pool:
        matches = list(pool.map(lambda seconds: create(server, seconds), plans))
    time.sleep(8)
    return [lateness(server, [match], seconds)[0] for match, seconds in zip(matches, plans, strict=True)]


def at_once(server: Server, count: int) -> list[float]:
    """All deadlines within some milliseconds: each match has the time that is left until one instant."""
    instant = time.time() + 2 + count / 60
    late = []

    def one(_: int) -> tuple[tuple[str, dict[str, str]], float]:
        seconds = round(instant - time.time(), 3)
        return create(server, seconds), seconds

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(one, range(count)))
    time.sleep(max(0.0, instant - time.time()) + 4)
    for match, seconds in made:
        late += lateness(server, [match], seconds)
    return late


def recovery(server: Server, kills: int) -> list[float]:
    """Milliseconds from a bot worker's death to the next change of the match that it was playing."""
    gaps = []
    for _ in range(kills):
        body = {"game": "valente", "seats": [{"kind": "bot"}] * 4}
        match_id = requests.post(f"{server.url}/v1/matches", json=body, timeout=30).json()["match"]["id"]
        path = f"{server.url}/v1/matches/{match_id}"
        while requests.get(path, timeout=30).json()["version"] < 5:
            pass
        for pid in server.children():
            if b"bots" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
        killed = time.time()
        before = requests.get(path, timeout=30).json()
        while before["status"] == "playing":
            now = requests.get(path, timeout=30).json()
            if now["version"] != before["version"]:
                gaps.append(1000 * (time.time() - killed))
                break
            time.sleep(0.005)
        time.sleep(2)
    return gaps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as folder:
        server = start_server(Path(folder))
        try:
            found = {
                f"late, {args.matches} spread": spread(server, args.matches),
                f"late, {args.matches} at once": at_once(server, args.matches),
                "moves again after SIGKILL": recovery(server, args.kills),
            }
        finally:
            server.stop()
    print(f"{'ms':28}{'count':>7}{'min':>9}{'p50':>9}{'p95':>9}{'max':>9}")
    rows = []
    for name, times in found.items():
        times.sort()
        figures = [times[0], statistics.median(times), times[int(len(times) * 0.95)], times[-1]]
        print(f"{name:28}{len(times):>7}" + "".join(f"{figure:>9.1f}" for figure in figures))
        rows.append({"what": name, "count": len(times)} | dict(zip(("min", "p50", "p95", "max"), figures, strict=True)))
    if args.save:
        line = " ".join(["python", "bench/clock.py", *sys.argv[1:]])
        head = {"command": line, "python": platform.python_version(), "cores": os.cpu_count()}
        args.save.write_text(json.dumps({**head, "unit": "ms", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
