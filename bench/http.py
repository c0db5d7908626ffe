"""Speed of the HTTP API against a bare Flask app on the same server, machine and minute.

    python bench/http.py [--seconds 2] [--rounds 3] [--connections 16] [--peer] [--save bench/results/http.json]

Starts one embedded Redis, one API process, the workers, and one process of ``bench/baseline.py``; the load comes from
this process. Each figure is measured in turn, several rounds over, and the median is shown with its ratio to the
bare route with one Redis GET. ``--peer`` adds a comparison with boardgame.io's server (``bench/peer/``; needs node and
npm).
"""

from __future__ import annotations

import sys

sys.path = [
    path for path in sys.path if not path.endswith("bench")
]  # this file's name must not hide the library's http

import argparse
import json
import os
import platform
import random
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from parlour_api.commands import _answers, _api_command, _free_port
from parlour_api.embedded import command, find_server
from parlour_api.rates import QUOTAS
from parlour_api.wire import decision_id
from parlour_engine.games import find

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))
from bench.peer.run import compare

Request = Callable[[], bytes]


class Connection:
    """One keep-alive connection: raw bytes out, status and body in."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, raw: bytes) -> tuple[int, bytes]:
        self._socket.sendall(raw)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._socket.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        status = int(head[9:12])
        lower = head.lower()
        at = lower.find(b"content-length: ")
        length = int(lower[at + 16 :].split(b"\r\n", 1)[0]) if at >= 0 and status not in (204, 304) else 0
        while len(body) < length:
            body += self._socket.recv(65536)
        return status, body

    def call(
        self, method: str, path: str, body: Any = None, token: str | None = None, extra: str = ""
    ) -> tuple[int, Any]:
        status, raw = self.send(request(method, path, body, token, extra))
        return status, orjson.loads(raw) if raw else None


def request(method: str, path: str, body: Any = None, token: str | None = None, extra: str = "") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\n{extra}"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    raw = b""
    if body is not None:
        raw = orjson.dumps(body)
        head += f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n"
    return head.encode() + b"\r\n" + raw


def new_match(
    connection: Connection, seats: list[dict[str, str]], seed: str | None = None
) -> tuple[str, dict[int, str]]:
    status, made = connection.call(
        "POST", "/v1/matches", {"game": "valente", "seats": seats, "options": {"first_seat": 0}, "seed": seed}
    )
    assert status == 201, made
    return made["match"]["id"], {entry["seat"]: entry["token"] for entry in made["seat_tokens"]}


MINE = {"kind": "mine"}


def same_request(raw: bytes, expect: int) -> Callable[[Connection], Callable[[], None]]:
    def begin(connection: Connection) -> Callable[[], None]:
        def once() -> None:
            status, _ = connection.send(raw)
            assert status == expect, status

        return once

    return begin


def acting(connection: Connection) -> Callable[[], None]:
    """Acts of two seats that this client holds, nothing else: the engine, from the same seed, says whose turn it is."""
    todo: list[bytes] = []
    count = 0

    def fresh() -> None:
        nonlocal count
        count += 1
        rng = random.Random(count)
        seed = rng.getrandbits(128).to_bytes(16, "big")
        match, tokens = new_match(connection, [MINE, MINE], seed.hex())
        game = find("valente")
        state = game.deal(2, game.options_type(first_seat=0), seed)
        while owed := game.pending(state):
            seat, _, number = owed[0]
            action = rng.choice(game.legal_actions(state, seat))
            body = {"decision": decision_id(match, seat, number), "actions": [{"id": action}]}
            todo.append(request("POST", f"/v1/matches/{match}/actions", body, tokens[seat]))
            game.apply(state, seat, action, None)
        todo.reverse()

    def once() -> None:
        if not todo:
            fresh()
        status, body = connection.send(todo.pop())
        assert status == 200, body

    fresh()
    return once


def answering(connection: Connection) -> Callable[[], None]:
    """From the act that ends our turn until the house bot's whole answer is seen (by long poll)."""
    state: dict[str, Any] = {}

    def fresh() -> None:
        state["match"], tokens = new_match(connection, [MINE, {"kind": "bot", "bot": "greedy"}])
        state["token"] = tokens[0]
        _, state["seen"] = connection.call("GET", f"/v1/matches/{state['match']}/observation", None, state["token"])

    def once() -> None:
        while True:
            seen = state["seen"]
            if seen["decision"] is None:
                fresh()
                continue
            legal = seen["decision"]["legal_actions"]
            body = {"decision": seen["decision"]["id"], "actions": [{"id": legal[len(legal) // 2]["id"]}]}
            start = time.perf_counter()
            _, acted = connection.call("POST", f"/v1/matches/{state['match']}/actions", body, state["token"])
            seen = state["seen"] = acted["observation"]
            if seen["decision"] or seen["status"] != "playing":
                continue
            while seen["decision"] is None and seen["status"] == "playing":
                path = f"/v1/matches/{state['match']}/observation?after={seen['version']}&wait=20"
                status, seen = connection.call("GET", path, None, state["token"])
                assert status == 200
            state["seen"] = seen
            state["took"] = time.perf_counter() - start
            return

    fresh()
    once.took = lambda: state["took"]  # type: ignore[attr-defined]
    return once


def measure(
    port: int, begin: Callable[[Connection], Callable[[], None]], connections: int, seconds: float
) -> tuple[float, list[float]]:
    """Requests per second over all connections, and every request's seconds."""
    times: list[float] = []
    faults: list[BaseException] = []
    ready = threading.Barrier(connections + 1)
    stop = threading.Event()

    def client() -> None:
        try:
            once = begin(Connection(port))
            took = getattr(once, "took", None)
            mine: list[float] = []
            ready.wait()
            while not stop.is_set():
                start = time.perf_counter()
                once()
                mine.append(took() if took else time.perf_counter() - start)
            times.extend(mine)
        except BaseException as error:  # reported below: a failing client must fail the bench
            faults.append(error)
            ready.abort()

    threads = [threading.Thread(target=client) for _ in range(connections)]
    for thread in threads:
        thread.start()
    ready.wait()
    start = time.perf_counter()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return len(times) / (time.perf_counter() - start), times


def percentile(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--peer", action="store_true", help="compare with boardgame.io's server")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    children: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as folder:
        socket_file = Path(folder) / "redis.sock"
        env = os.environ | {"PARLOUR_REDIS_URL": f"unix://{socket_file}", "PARLOUR_SECRET": "a secret for the bench"}
        env["PARLOUR_LIMITS"] = " ".join(f"{name}=900000000/day" for name in QUOTAS)  # counted, never used up
        env["PYTHONPATH"] = os.pathsep.join([str(ROOT), env.get("PYTHONPATH", "")])
        try:
            children.append(subprocess.Popen(command(find_server(), Path(folder), socket_file)))
            while not socket_file.exists():
                time.sleep(0.02)
            api, free, bare = (_free_port("127.0.0.1", 0) for _ in range(3))
            commands = [
                _api_command("127.0.0.1", api, 1),
                [*_api_command("127.0.0.1", bare, 1)[:-1], "bench.baseline:create_app"],
                *([sys.executable, "-m", "parlour_worker", kind] for kind in ("clock", "bots")),
            ]
            children += [subprocess.Popen(each, env=env) for each in commands]
            children.append(subprocess.Popen(_api_command("127.0.0.1", free, 1), env=env | {"PARLOUR_LIMITS": "off"}))
            for url in (f"{api}/readyz", f"{free}/readyz", f"{bare}/get"):
                while not _answers(f"http://127.0.0.1:{url}"):
                    time.sleep(0.05)
            run(args, api, free, bare)
        finally:
            for child in reversed(children):
                child.terminate()
                child.wait()


def run(args: argparse.Namespace, api: int, free: int, bare: int) -> None:
    setup = Connection(api)
    match, tokens = new_match(setup, [MINE, MINE])
    path = f"/v1/matches/{match}/observation"
    etag = f'"{setup.call("GET", path, None, tokens[0])[1]["version"]}-0"'
    known = request("GET", path, None, tokens[0], f"If-None-Match: {etag}\r\n")
    rows: dict[str, tuple[int, Callable[[Connection], Callable[[], None]], int]] = {
        "bare Flask, constant": (bare, same_request(request("GET", "/constant"), 200), args.connections),
        "bare Flask, one Redis GET": (bare, same_request(request("GET", "/get"), 200), args.connections),
        "observe": (api, same_request(request("GET", path, None, tokens[0]), 200), args.connections),
        "observe, no quotas": (free, same_request(request("GET", path, None, tokens[0]), 200), args.connections),
        "observe, 304": (api, same_request(known, 304), args.connections),
        "act, no bot to move": (api, acting, args.connections),
        "act, no quotas": (free, acting, args.connections),
        "act until the bot's answer": (api, answering, 1),
        "the same, 8 matches at once": (api, answering, 8),
    }
    speeds: dict[str, list[float]] = {name: [] for name in rows}
    times: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(args.rounds):
        for name, (port, begin, connections) in rows.items():
            speed, took = measure(port, begin, connections, args.seconds)
            speeds[name].append(speed)
            times[name] += took
    base = statistics.median(speeds["bare Flask, one Redis GET"])
    print(f"{'':30}{'req/s':>8}{'x GET':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}")
    result = []
    for name in rows:
        speed = statistics.median(speeds[name])
        p50, p95, p99 = (1000 * percentile(times[name], share) for share in (0.5, 0.95, 0.99))
        print(f"{name:30}{speed:>8,.0f}{speed / base:>8.2f}{p50:>9.2f}{p95:>9.2f}{p99:>9.2f}")
        result.append(
            {"what": name, "per_s": speed, "ratio": speed / base, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99}
        )
    peer = compare(api, _free_port("127.0.0.1", 0), args.seconds, args.rounds) if args.peer else []
    if args.save:
        head = {
            "command": " ".join(["python", *sys.argv]),
            "python": platform.python_version(),
            "cores": os.cpu_count(),
        }
        args.save.write_text(json.dumps({**head, "rows": result, "peer": peer}, indent=1) + "\n")


if __name__ == "__main__":
    main()
