"""What idle streams and long polls cost those who act: the act path's p99 with many waiters over its idle one.

    python bench/streams.py [--waiters 300] [--servers granian gunicorn] [--rounds 3] [--save FILE]

Starts one embedded Redis, the workers and one HTTP process with the server's default settings; half of the waiters hold
an event stream, half a long poll, in matches in which nothing happens. Rounds without and with them follow each other.
``gunicorn`` (threads, the documented alternative) has to be installed to be compared: pip install gunicorn.
"""

from __future__ import annotations

import sys

sys.path[0] = sys.path[0].removesuffix("bench")  # bench/http.py must not hide the library's http

import argparse
import json
import os
import platform
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from parlour_api.commands import _answers, _api_command, _free_port
from parlour_api.embedded import command, find_server

from bench.http import MINE, QUOTAS, Connection, acting, measure, new_match, percentile, request
from tests.support import descendants

ACTING = 4
"""Connections that act all the time."""


def server_command(server: str, port: int) -> list[str]:
    if server == "granian":
        return _api_command("127.0.0.1", port, 1)
    options = ["--worker-class", "gthread", "--threads", "512", "--no-control-socket", "--keep-alive", "60"]
    return [sys.executable, "-m", "gunicorn", *options, "--bind", f"127.0.0.1:{port}", "parlour_api.entry:create()"]


@contextmanager
def service(server: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Redis, workers, one HTTP process: its port, and its process."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="parlour-bench-")))
        path = folder / "redis.sock"
        env = os.environ | {"PARLOUR_REDIS_URL": f"unix://{path}", "PARLOUR_SECRET": "a secret for the bench"}
        env["PARLOUR_LIMITS"] = " ".join(f"{name}=900000000/day" for name in QUOTAS)
        port = _free_port("127.0.0.1", 0)

        def start(line: list[str]) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(line, env=env)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            return process

        start(command(find_server(), folder, path))
        while not path.exists():
            time.sleep(0.02)
        for kind in ("clock", "bots"):
            start([sys.executable, "-m", "parlour_worker", kind])
        api = start(server_command(server, port))
        while not _answers(f"http://127.0.0.1:{port}/readyz"):
            time.sleep(0.05)
        yield port, api


@contextmanager
def waiting(port: int, count: int) -> Iterator[None]:
    """That many clients who wait: event streams and long polls, five matches' worth of seats each."""
    setup = Connection(port)
    sockets: list[socket.socket] = []
    for number in range(count):
        if number % 10 == 0:
            match, tokens = new_match(setup, [MINE, MINE])
        path = f"/v1/matches/{match}"
        token = tokens[number % 2]
        if number // 2 % 2:
            raw = request("GET", f"{path}/events", None, token, "Accept: text/event-stream\r\n")
        else:
            raw = request("GET", f"{path}/observation?after=1&wait=55", None, token)
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(raw)
        sockets.append(client)
    time.sleep(1)
    try:
        yield
    finally:
        for client in sockets:
            client.close()


def memory_mb(process: subprocess.Popen[bytes]) -> float:
    """Resident memory of a server and what is below it."""
    pids = [process.pid, *descendants(process.pid)]
    return (
        sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids) * os.sysconf("SC_PAGE_SIZE") / 1e6
    )


def compare(server: str, args: argparse.Namespace) -> dict[str, Any]:
    idle: list[float] = []
    busy: list[float] = []
    p99: list[tuple[float, float]] = []
    with service(server) as (port, api):
        measure(port, acting, ACTING, args.seconds)
        before = memory_mb(api)
        for _ in range(args.rounds):
            _, quiet = measure(port, acting, ACTING, args.seconds)
            with waiting(port, args.waiters):
                _, crowded = measure(port, acting, ACTING, args.seconds)
                grown = memory_mb(api) - before
            time.sleep(1)
            p99.append((1000 * percentile(quiet, 0.99), 1000 * percentile(crowded, 0.99)))
            idle += quiet
            busy += crowded
    return {
        "server": server,
        "waiters": args.waiters,
        "idle_p50_ms": 1000 * percentile(idle, 0.5),
        "idle_p99_ms": 1000 * percentile(idle, 0.99),
        "waiting_p50_ms": 1000 * percentile(busy, 0.5),
        "waiting_p99_ms": 1000 * percentile(busy, 0.99),
        "p99_ratio": statistics.median(after / quiet for quiet, after in p99),
        "kb_each": 1000 * grown / args.waiters,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waiters", type=int, default=300)
    parser.add_argument("--servers", nargs="+", choices=["granian", "gunicorn"], default=["granian"])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    rows = [compare(server, args) for server in args.servers]
    print(f"{'':10}" + "".join(f"{name:>16}" for name in list(rows[0])[1:]))
    for row in rows:
        print(f"{row['server']:10}" + "".join(f"{value:>16.2f}" for value in list(row.values())[1:]))
    if args.save:
        head = {"command": " ".join(["python", "bench/streams.py", *sys.argv[1:]]), "cores": os.cpu_count()}
        args.save.write_text(json.dumps({**head, "python": platform.python_version(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
