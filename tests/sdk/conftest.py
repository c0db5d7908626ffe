"""What the SDK's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from parlour import Client

from tests.sdk.flaky import Proxy, flaky_proxy
from tests.support import Server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """A client of the shared server, with patience for a machine that stands still."""
    with Client(server.url, timeout=120) as made:
        yield made


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """A flaky proxy in front of the shared server."""
    with flaky_proxy(server.url) as made:
        yield made


class StillTime:
    """Stands in for the module ``time``: it passes when it is slept through or moved on, and not by itself."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def patience_time(monkeypatch: pytest.MonkeyPatch) -> StillTime:
    """The time by which patience is measured: however slow the machine, it is not used up by that."""
    time = StillTime()
    monkeypatch.setattr("parlour.retry.time", time)
    return time


@pytest.fixture
def answer_time(monkeypatch: pytest.MonkeyPatch) -> StillTime:
    """The time that a whole answer may take."""
    time = StillTime()
    monkeypatch.setattr("parlour.timely.time", time)
    return time
