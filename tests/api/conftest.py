"""The app in this process, on a real Redis that these tests start; time and ids are the test's own where it asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import pytest
import redis
from flask.testing import FlaskClient
from parlour_api import outbound, webhooks
from parlour_api.app import create_app
from parlour_api.connect import Manner
from parlour_api.keyring import Keyring
from parlour_api.service import Service
from parlour_api.settings import Settings
from parlour_api.sources import Ids
from werkzeug.test import TestResponse

from tests.documented import judge


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


class JudgedClient(FlaskClient):
    """A client that believes no answer which the OpenAPI document does not have."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        answer = super().open(*args, **kwargs)
        request = answer.request
        if request.method != "OPTIONS":
            unread = request.method == "HEAD" or answer.mimetype == "text/event-stream"
            body = None if unread else answer.get_data()
            judge(request.method, request.path, answer.status_code, answer.headers, body)
        return answer


@dataclass
class Api:
    """A client of the app, with the service behind it for what only workers do."""

    client: FlaskClient
    service: Service
    clock: FrozenClock
    url: str
    ids: Ids

    def close(self) -> None:
        """Send what was counted, let waiters go, close its connections."""
        self.service.meter.flush()
        self.service.hub.close()
        self.service.store.client.close()

    def use_keys(self, keys: Keyring) -> None:
        """Take these API keys from now on."""
        self.service.matches.settings = replace(self.service.settings, api_keys=keys)

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


PATIENT = Manner(300.0, 100.0)
"""How to ask a Redis that may stand still for a while, with all of this machine."""
SECRET = b"a secret of the tests, long enough"


def make_api(url: str, ids: Ids | None = None, **settings: Any) -> Api:
    """An app with frozen time and counted ids."""
    clock, ids = FrozenClock(), ids or CountedIds()
    with patch("parlour_api.app.CHECK", PATIENT), patch("parlour_api.wiring.ONCE", PATIENT):
        app = create_app(Settings(SECRET, url, **settings), clock, ids)
    app.test_client_class = JudgedClient
    return Api(app.test_client(), app.extensions["parlour"], clock, url, ids)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes real time has more of it: this machine may stand still for a while."""
    monkeypatch.setattr(outbound, "CONNECT_S", 100.0)
    monkeypatch.setattr(outbound, "TIMEOUT_S", 300.0)
    monkeypatch.setattr(webhooks, "BUDGET_S", 300.0)


@contextmanager
def fresh_api(url: str, ids: Ids | None = None, **settings: Any) -> Iterator[Api]:
    """The app on an empty Redis."""
    with redis.Redis.from_url(url) as client:
        client.flushall()
    made = make_api(url, ids, **settings)
    yield made
    made.close()


@pytest.fixture
def api(redis_url: str) -> Iterator[Api]:
    """The app on an empty Redis."""
    with fresh_api(redis_url) as made:
        yield made
