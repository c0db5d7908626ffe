"""Real servers for tests: start them, read where they are, stop them by pid, and see that nothing is left."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis
import requests
from parlour_api import embedded

PARLOUR = (sys.executable, "-m", "parlour")
READY = re.compile(r"parlour is ready at (http://\S+)")
PATIENCE_S = 150.0
"""How long tests wait for what must come. Nothing that goes well takes so long, also where the machine or its disk has
stood still for a while: a limit is there so that what does not come fails."""
API_KEY = "key_of-the-partner-of-the-tests"
"""A key that the shared server knows."""


@dataclass
class Server:
    """A ``parlour serve`` of this test run."""

    process: subprocess.Popen[str]
    url: str
    data_dir: Path
    lines: list[str] = field(default_factory=list)
    reader: threading.Thread | None = None
    """Adds to ``lines`` until nobody can write any more."""

    @property
    def redis_url(self) -> str:
        return f"unix://{self.data_dir.resolve() / 'redis.sock'}"

    def children(self) -> list[int]:
        """Pids of every process below the server."""
        return descendants(self.process.pid)

    def stop(self, sig: int = signal.SIGTERM) -> int:
        """Stop it and check that none of its processes is left; its exit status. ``lines`` are complete then."""
        below = self.children()
        self.process.send_signal(sig)
        status = self.process.wait(PATIENCE_S)
        try:
            until(lambda: not any(map(alive, below)), 20)  # a killed process may take a moment to go
        finally:
            for pid in filter(alive, below):
                os.kill(pid, signal.SIGKILL)
        if self.reader is not None:
            self.reader.join()
        return status


def start_server(data_dir: Path, *options: str, env: Mapping[str, str] | None = None) -> Server:
    """``parlour serve --port 0`` in ``data_dir``, once it says that it is ready; one caller may ask without end."""
    process = subprocess.Popen(
        [*PARLOUR, "serve", "--port", "0", "--data-dir", str(data_dir), *options],
        env=clean_env({"PARLOUR_LIMITS": "off", "PARLOUR_MAX_WAITERS_EACH": "400", **(env or {})}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    timer = threading.Timer(PATIENCE_S, process.kill)
    timer.start()
    lines: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        found = READY.search(line)
        if found:
            timer.cancel()
            reader = threading.Thread(target=_drain, args=(process, lines), daemon=True)
            reader.start()
            return Server(process, found[1], data_dir, lines, reader)
    timer.cancel()
    raise AssertionError(f"the server did not start (status {process.wait()}):\n{''.join(lines)}")


def _drain(process: subprocess.Popen[str], lines: list[str]) -> None:
    assert process.stdout is not None
    with process.stdout:
        lines.extend(process.stdout)


@contextmanager
def running_server(*options: str, env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server for the length of a ``with``, in a data folder of its own."""
    with tempfile.TemporaryDirectory(prefix="parlour-test-", dir=memory()) as folder:
        server = start_server(Path(folder), *options, env=env)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.stop()


def memory() -> str | None:
    """A folder in memory, if there is plenty of it: a Redis whose file is there waits for no disk."""
    folder = Path("/dev/shm")
    plenty = folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 2**30
    return str(folder) if plenty else None


@contextmanager
def running_redis(folder: Path) -> Iterator[str]:
    """A Redis on a Unix socket in a folder, which writes nothing there, for the length of a ``with``; its URL."""
    path = folder / "redis.sock"
    command = [*embedded.command(embedded.find_server(), folder, path), "--appendonly", "no"]
    process = subprocess.Popen(command, env=os.environ)
    url = f"unix://{path}"
    try:
        with redis.Redis.from_url(url) as client:
            until(client.ping)
        yield url
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def until(true: Callable[[], Any], within_s: float = PATIENCE_S) -> None:
    """Wait until something is so; a Redis or a service that does not answer meanwhile is asked again."""
    end = time.monotonic() + within_s
    while True:
        with suppress(redis.RedisError, requests.ConnectionError, requests.Timeout):
            if true():
                return
        assert time.monotonic() < end, f"not within {within_s:g} s: {true}"
        time.sleep(0.02)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all different, and none that the system may give to a client meanwhile."""
    with ExitStack() as held:
        found: list[int] = []
        for port in random.sample(range(10_000, 30_000), 20_000):
            with suppress(OSError):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
                found.append(port)
            if len(found) == count:
                return found
        raise AssertionError("every port is taken")


def run(command: Sequence[str], within_s: float = PATIENCE_S, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run a command to its end: exit status, and what it printed (both streams)."""
    done = subprocess.run(
        command,
        env=clean_env(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=within_s,
        check=False,
    )
    return done.returncode, done.stdout


def clean_env(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This environment without settings of parlour's, and ``more``."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PARLOUR_")} | dict(more or {})


def descendants(pid: int) -> list[int]:
    """Pids of all processes below ``pid``."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return found


def alive(pid: int) -> bool:
    """Whether the process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
