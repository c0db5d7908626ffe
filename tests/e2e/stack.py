"""The service's processes with faults planted, under the real supervisor, and clients that know what must come out."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis
import requests
from parlour_api import supervise
from parlour_api.commands import _api_command
from parlour_api.embedded import command, find_server
from parlour_api.supervise import Child, Supervisor
from parlour_engine.chance import bot_seed
from parlour_engine.game import AnyGame
from parlour_engine.games import find
from pydantic import TypeAdapter
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from tests.support import PATIENCE_S, clean_env, free_ports, until

ROOT = Path(__file__).parent.parent.parent


class Stack:
    """One run of the planted service."""

    def __init__(self, url: str, redis_url: str) -> None:
        self.url = url
        self.faults = redis.Redis.from_url(redis_url, retry=Retry(ConstantBackoff(0.02), 5000))  # it is killed too

    def kill_once(self, who: str, point: str, within_s: float = PATIENCE_S) -> None:
        """Have the next process of a kind that passes a point die there, and wait until one has."""
        key = f"fault:{who}:{point}"
        self.faults.set(key, 1)
        end = time.monotonic() + within_s
        while self.faults.exists(key):
            assert time.monotonic() < end, f"nobody came by {key}"
            time.sleep(0.005)

    def kill_redis(self) -> tuple[float, float]:
        """SIGKILL to Redis, and wait until it is back. What was acknowledged between these two instants may be lost."""
        asked = written(self.faults)
        pid = self.faults.info("server")["process_id"]
        os.kill(pid, signal.SIGKILL)
        until(lambda: self.faults.info("server")["process_id"] != pid)
        return asked, time.time()


def written(client: redis.Redis) -> float:
    """An instant before which all that Redis had acknowledged is in its append-only file, so that no SIGKILL loses it.

    As a rule it is there before the answer goes out; while the disk is slow Redis puts writing off for two seconds.
    """
    asked = 0.0

    def is_written() -> bool:
        nonlocal asked
        asked = time.time()
        return bool(client.info("persistence")["aof_buffer_length"] == 0)

    until(is_written)
    return asked


@contextmanager
def silences(redis_url: str) -> Iterator[list[float]]:
    """How long Redis takes to answer, asked on and on.

    By this a test knows a refusal that has its reason, a disk that stood still, from one that has none.
    """
    took = [0.0]
    end = threading.Event()

    def ask() -> None:
        with redis.Redis.from_url(redis_url, socket_timeout=60) as client:
            while not end.wait(0.2):
                began = time.monotonic()
                with suppress(redis.RedisError):
                    client.ping()
                took.append(time.monotonic() - began)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield took
    finally:
        end.set()
        thread.join()


def bearable(took: list[float]) -> set[int]:
    """The failures that the API may answer, given the silences of its Redis: it waits for an answer for two seconds."""
    return {503} if max(took) > 2 else set()


@contextmanager
def planted_stack(folder: Path) -> Iterator[Stack]:
    """Redis, two HTTP processes, a clock worker and two bot workers, all of them mortal; restarted when they die."""
    socket = folder / "redis.sock"
    redis_url = f"unix://{socket}"
    env = clean_env(
        {
            "PARLOUR_REDIS_URL": redis_url,
            "PARLOUR_SECRET": "a secret of the tests",
            "PARLOUR_RESEND_S": "0.4",
            "PARLOUR_LIMITS": "off",
        }
    )
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), env.get("PYTHONPATH", "")])
    (port,) = free_ports(1)
    api = [*_api_command("127.0.0.1", port, 2)[:-1], "tests.e2e.faulty:create_app"]
    supervisor = Supervisor()
    patch = pytest.MonkeyPatch()
    patch.setattr(supervise, "GIVE_UP_DEATHS", 10_000)
    try:
        supervisor.start(Child("redis", command(find_server(), folder, socket), env))
        supervisor.wait_until(socket.exists, "redis", PATIENCE_S)
        supervisor.start(Child("api", api, env))
        for kind in ("clock", "bots", "bots"):
            supervisor.start(Child(kind, [sys.executable, "-m", "tests.e2e.faulty", kind], env))
        url = f"http://127.0.0.1:{port}"
        supervisor.wait_until(lambda: _ready(url), "the service", PATIENCE_S)
        watcher = threading.Thread(target=supervisor.watch)
        watcher.start()
        yield Stack(url, redis_url)
        supervisor._stopping = True
        watcher.join()
    finally:
        supervisor.stop()
        patch.undo()


def _ready(url: str) -> bool:
    try:
        return requests.get(f"{url}/readyz", timeout=2).status_code == 200
    except requests.RequestException:
        return False


def call(
    method: str,
    url: str,
    token: str | None = None,
    body: Any = None,
    within_s: float = PATIENCE_S,
    unless: tuple[int, ...] = (),
) -> Any:
    """A request that is sent again, as it was, until an answer comes: how a client survives a lost one. Any refusal
    is a fault, ``unless`` it is one of those."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    headers["Idempotency-Key"] = str(uuid.uuid4())
    end = time.monotonic() + within_s
    while True:
        try:
            answer = requests.request(method, url, json=body, headers=headers, timeout=60)
            if answer.status_code not in (502, 503):
                break
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError):
            pass  # the last one: cut in the middle of the answer
        assert time.monotonic() < end, f"no answer from {url}"
        time.sleep(0.02)
    assert answer.status_code in (200, 201, *unless), answer.text
    return answer.json()


class Mirror:
    """A match that is also played here, by the engine, from the same seed: what the server must show at every step."""

    def __init__(self, url: str, slug: str, kinds: str, number: int) -> None:
        self.game: AnyGame = find(slug)
        self.kinds = kinds
        self.rng = random.Random(number)
        seed = self.rng.getrandbits(128).to_bytes(16, "big")
        self.state = self.game.deal(len(kinds), self.game.options_type(), seed)
        seats = [{"kind": {"m": "mine", "b": "bot"}[kind]} for kind in kinds]
        made = call("POST", f"{url}/v1/matches", None, {"game": slug, "seats": seats, "seed": seed.hex()})
        self.url = f"{url}/v1/matches/{made['match']['id']}"
        self.tokens = {entry["seat"]: entry["token"] for entry in made["seat_tokens"]}
        self.version = 1
        self.replayed = 0
        self._views = TypeAdapter(self.game.observation_type)

    def play_bots(self) -> None:
        """What the house bots must do, here."""
        while owed := self.game.pending(self.state):
            bots = [entry for entry in owed if self.kinds[entry[0]] == "b"]
            if not bots:
                return
            seat, _, number = bots[0]
            rng = random.Random(bot_seed(self.state.seed, seat, number))
            legal = self.game.legal_actions(self.state, seat)
            self._apply(seat, self.game.bots[-1].choose(self.game.observe(self.state, seat), legal, rng))

    def _apply(self, seat: int, action: int) -> None:
        self.game.apply(self.state, seat, action, None)
        self.version += 1

    def over(self) -> bool:
        return self.game.outcome(self.state) is not None

    def act(self) -> None:
        """One act of ours, through HTTP and here."""
        seat, _, _ = self.game.pending(self.state)[0]
        action = self.rng.choice(self.game.legal_actions(self.state, seat))
        seen = self.observed(seat)
        body = {"decision": seen["decision"]["id"], "actions": [{"id": action}]}
        answer = call("POST", f"{self.url}/actions", self.tokens[seat], body)
        self.replayed += answer["replayed"]
        self._apply(seat, action)
        self.play_bots()

    def observed(self, seat: int) -> Any:
        """The seat's observation, once the server has come as far as we have; it must be exactly ours."""
        end = time.monotonic() + PATIENCE_S
        while True:
            seen = call("GET", f"{self.url}/observation", self.tokens[seat])
            assert seen["version"] <= self.version, "the server has applied more than we sent"
            if seen["version"] == self.version:
                break
            assert time.monotonic() < end, "the match does not go on"
            time.sleep(0.01)
        ours = self._views.dump_python(self.game.observe(self.state, seat), mode="json")
        assert seen["view"] == ours, "the server's match is not the one that was played"
        return seen
