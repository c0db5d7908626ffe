"""Threads for webhooks: one for each, as many as there may be, and none is lost to an error."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest
import redis
from parlour_api.errors import TooBusy
from parlour_worker import couriers
from parlour_worker.couriers import Couriers

from tests.support import PATIENCE_S, until


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine, they come to rest."""
    monkeypatch.setattr(couriers, "REST_S", PATIENCE_S)


def test_each_webhook_has_one_thread() -> None:
    go = threading.Event()
    served: Counter[str] = Counter()

    def serve(webhook_id: str) -> None:
        served[webhook_id] += 1
        go.wait(PATIENCE_S)

    own = Couriers(serve)
    own.send(["a", "b", "a"])
    own.send(["b", "c"])
    until(lambda: len(served) == 3)
    go.set()
    own.rest()
    assert served == {"a": 1, "b": 1, "c": 1}
    own.send(["a"])
    own.rest()
    assert served["a"] == 2


def test_who_finds_no_thread_free_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(couriers, "THREADS", 2)
    most = at_once = 0
    lock = threading.Lock()
    two = threading.Barrier(2)

    def serve(_: str) -> None:
        nonlocal most, at_once
        with lock:
            at_once += 1
            most = max(most, at_once)
        two.wait(PATIENCE_S)
        time.sleep(0.02)
        with lock:
            at_once -= 1

    own = Couriers(serve)
    own.send([str(number) for number in range(10)])
    own.rest()
    assert most == 2


@pytest.mark.parametrize("error", [redis.ConnectionError("away"), TooBusy()])
def test_an_error_puts_off_and_blocks_nothing(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    served: list[str] = []

    def serve(webhook_id: str) -> None:
        served.append(webhook_id)
        raise error

    own = Couriers(serve)
    for _ in range(couriers.THREADS + 1):
        own.send(["a"])
        own.rest()
    assert len(served) == couriers.THREADS + 1
    assert {each.message for each in caplog.records} == {"deliveries put off"}


def test_a_process_that_stops_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(couriers, "REST_S", 0.05)
    go, ended = threading.Event(), threading.Event()

    def serve(_: str) -> None:
        go.wait(PATIENCE_S)
        ended.set()

    own = Couriers(serve)
    own.send(["a"])
    own.rest()
    assert not ended.is_set()
    go.set()
