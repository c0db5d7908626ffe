"""Stop the service in the middle of a match, start it again, and the match goes on."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

import pytest
import redis
from parlour_api.commands import _hold_port

from tests.e2e.stack import Mirror, call, written
from tests.support import Server, alive, descendants, start_server, until


def moved(mirror: Mirror, server: Server) -> None:
    """The same match, at the server's new address."""
    mirror.url = server.url + mirror.url[mirror.url.index("/v1/") :]


@pytest.mark.parametrize("game", ["valente", "love_is_dead", "lovestruck"])
def test_a_match_outlives_a_restart(tmp_path: Path, game: str) -> None:
    quick = {"PARLOUR_BOT_ANSWER_S": "0-0.02"}
    server = start_server(tmp_path, env=quick)
    try:
        mirror = Mirror(server.url, game, "mbbbb"[: 5 if game == "lovestruck" else 3], 5)
        mirror.play_bots()
        for _ in range(4):
            mirror.act()
        before = mirror.observed(0)
        server.stop()
        server = start_server(tmp_path, env=quick)
        moved(mirror, server)
        assert mirror.observed(0) == before
        while not mirror.over():
            mirror.act()
        assert mirror.observed(0)["status"] == "finished"
    finally:
        server.stop()


def test_a_service_killed_whole_leaves_nothing_and_comes_back(tmp_path: Path) -> None:
    """SIGKILL of the supervisor itself: its children end too, and what was answered is still there."""
    server = start_server(tmp_path)
    mirror = Mirror(server.url, "valente", "mm", 6)
    for _ in range(5):
        mirror.act()
    below = server.children()
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    until(lambda: not any(map(alive, below)))  # processes that outlive their supervisor
    server = start_server(tmp_path)
    try:
        moved(mirror, server)
        mirror.act()
    finally:
        server.stop()


def test_redis_killed_while_the_service_runs(tmp_path: Path) -> None:
    """It is started again on its append-only file; clients are told to come back, and then the match goes on."""
    server = start_server(tmp_path)
    try:
        mirror = Mirror(server.url, "valente", "mb", 7)
        mirror.play_bots()
        mirror.act()
        mirror.observed(0)
        with redis.Redis.from_url(server.redis_url) as client:
            written(client)
        redis_pid = next(pid for pid in server.children() if "valkey" in Path(f"/proc/{pid}/cmdline").read_text())
        os.kill(redis_pid, signal.SIGKILL)
        for _ in range(5):
            mirror.act()
        until(lambda: "redis ended" in "".join(server.lines))
    finally:
        server.stop()


def test_a_deadline_that_passes_while_nothing_runs_is_executed_at_the_next_start(tmp_path: Path) -> None:
    server = start_server(tmp_path)
    body = {
        "game": "valente",
        "seats": [{"kind": "mine"}, {"kind": "mine"}],
        "clock": {"per_decision_s": 1, "on_expiry": "forfeit"},
    }
    made = call("POST", f"{server.url}/v1/matches", None, body)
    server.stop()
    time.sleep(1)
    server = start_server(tmp_path)
    try:
        path = f"{server.url}/v1/matches/{made['match']['id']}"
        until(lambda: call("GET", path)["status"] == "finished")
    finally:
        server.stop()


def test_an_http_server_whose_main_process_is_killed_leaves_no_orphan(tmp_path: Path) -> None:
    """Its own processes would go on listening beside the new ones, and outlive the service."""
    server = start_server(tmp_path)
    try:
        mirror = Mirror(server.url, "valente", "mm", 8)
        before = server.children()
        http = [pid for pid in before if "granian" in Path(f"/proc/{pid}/cmdline").read_text()]
        (main,) = [pid for pid in http if descendants(pid)]
        os.kill(main, signal.SIGKILL)
        until(lambda: not any(map(alive, http)))  # an orphan that lives on
        for _ in range(5):
            mirror.act()
    finally:
        server.stop()


def test_a_service_keeps_its_port_also_while_none_of_its_processes_listens(tmp_path: Path) -> None:
    """Between choosing it and listening, and while its HTTP server starts again, the system gives it to nobody else."""
    with _hold_port("127.0.0.1", 0) as held:
        address = held.getsockname()
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(address)
        with socket.socket() as ours:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            ours.bind(address)
            ours.listen()
    server = start_server(tmp_path)
    try:
        files = Path(f"/proc/{server.process.pid}/fd").iterdir()
        assert [each for each in files if os.readlink(each).startswith("socket:")]
    finally:
        server.stop()
