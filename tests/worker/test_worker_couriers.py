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


def test_each_webhook_has_one_thread() -> None:
    go = threading.Event()
    served: Counter[str] = Counter()

    def serve(webhook_id: str) -> None:
        served[webhook_id] += 1
        go.wait(10)

    own = Couriers(serve)
    own.send(["a", "b", "a"])
    own.send(["b", "c"])
    until = time.monotonic() + 10
    while len(served) < 3:
        assert time.monotonic() < until
        time.sleep(0.01)
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

    def serve(_: str) -> None:
        nonlocal most, at_once
        with lock:
            at_once += 1
            most = max(most, at_once)
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
    go = threading.Event()
    own = Couriers(lambda _: bool(go.wait(10)) and None)
    own.send(["a"])
    began = time.monotonic()
    own.rest()
    assert time.monotonic() - began < 5
    go.set()
