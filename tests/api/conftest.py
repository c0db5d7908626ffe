"""The app in this process, on a real Redis that these tests start; time and ids are the test's own where it asks."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from parlour_api.app import create_app
from parlour_api.embedded import command, find_server
from parlour_api.keyring import Keyring
from parlour_api.service import Service
from parlour_api.settings import Settings
from parlour_api.sources import Ids
from werkzeug.test import TestResponse


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis of our own on a Unix socket."""
    folder = tmp_path_factory.mktemp("redis")
    socket = Path(folder) / "redis.sock"
    process = subprocess.Popen(command(find_server(), folder, socket), env=os.environ)
    url = f"unix://{socket}"
    client = redis.Redis.from_url(url)
    for _ in range(200):
        try:
            client.ping()
            break
        except redis.ConnectionError:
            time.sleep(0.02)
    client.close()
    yield url
    process.terminate()
    process.wait(10)


class FrozenClock:
    """Time that stands still until a test moves it; ms."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


class CountedIds(Ids):
    """Ids that come out the same in every run."""

    def __init__(self) -> None:
        self.count = 0

    def word(self, length: int) -> str:
        self.count += 1
        text = ""
        number = self.count
        while len(text) < length:
            text = "abcdefghijklmnopqrstuvwxyz234567"[number % 32] + text
            number //= 32
        return text

    def seed(self) -> bytes:
        return bytes(32)


@dataclass
class Api:
    """A client of the app, with the service behind it for what only workers do."""

    client: FlaskClient
    service: Service
    clock: FrozenClock
    url: str

    def close(self) -> None:
        """Send what was counted, let waiters go, close its connections."""
        self.service.meter.flush()
        self.service.hub.close()
        self.service.store.client.close()

    def use_keys(self, keys: Keyring) -> None:
        """Take these API keys from now on."""
        self.service.settings = replace(self.service.settings, api_keys=keys)

    def get(self, path: str, token: str | None = None, **headers: str) -> TestResponse:
        return self.client.get(path, headers=_headers(token, headers))

    def post(self, path: str, body: Any = None, token: str | None = None, **headers: str) -> TestResponse:
        return self.client.post(path, json=body, headers=_headers(token, headers))

    def put(self, path: str, body: Any = None, token: str | None = None) -> TestResponse:
        return self.client.put(path, json=body, headers=_headers(token, {}))

    def create(self, seats: str = "mm", token: str | None = None, **body: Any) -> dict[str, Any]:
        """A match of Valente; seats as letters: m mine, o open, b bot. Start seat 0 unless told otherwise."""
        kinds = {"m": "mine", "o": "open", "b": "bot"}
        body = {"game": "valente", "options": {"first_seat": 0}, **body}
        answer = self.post("/v1/matches", {"seats": [{"kind": kinds[seat]} for seat in seats], **body}, token)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json
        made["id"] = made["match"]["id"]
        made["tokens"] = {entry["seat"]: entry["token"] for entry in made["seat_tokens"]}
        return made

    def observe(self, made: dict[str, Any], seat: int | None = 0) -> dict[str, Any]:
        token = None if seat is None else made["tokens"][seat]
        answer = self.get(f"/v1/matches/{made['id']}/observation", token)
        assert answer.status_code == 200, answer.text
        seen: dict[str, Any] = answer.json
        return seen

    def act(self, made: dict[str, Any], seat: int, actions: list[Any], decision: str | None = None) -> TestResponse:
        decision = decision or self.observe(made, seat)["decision"]["id"]
        body = {"decision": decision, "actions": actions}
        return self.post(f"/v1/matches/{made['id']}/actions", body, made["tokens"][seat])


def _headers(token: str | None, headers: dict[str, str]) -> dict[str, str]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"Authorization": f"Bearer {token}", **named} if token else named


SECRET = b"a secret of the tests, long enough"


def make_api(url: str, **settings: Any) -> Api:
    """An app with frozen time and counted ids."""
    clock = FrozenClock()
    app = create_app(Settings(SECRET, url, **settings), clock, CountedIds())
    return Api(app.test_client(), app.extensions["parlour"], clock, url)


@pytest.fixture
def api(redis_url: str) -> Iterator[Api]:
    """The app on an empty Redis."""
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    client.close()
    made = make_api(redis_url)
    yield made
    made.close()
