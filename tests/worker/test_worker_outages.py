"""Workers when Redis goes away: soon back, nothing is used up, and whatever goes wrong, the next tick comes."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from parlour_api.connect import WORK, Manner, connect
from parlour_api.settings import Settings
from parlour_api.wiring import make_service
from parlour_worker import run, ticker
from rq.worker import base

from tests.support import PATIENCE_S, running_redis, until


class Enough(Exception):
    """The test has seen what it wants to see."""


def idle(client: redis.Redis) -> list[str]:
    """The connections on which a worker waits for a job."""
    return [each["id"] for each in client.client_list() if "b" in each["flags"]]


def test_an_outage_is_followed_by_no_long_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Left to itself, RQ's worker would pause twice as long each time."""
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 4:
            raise Enough

    def work() -> None:
        with pytest.raises(Enough):
            worker.dequeue_job_and_maintain_ttl(5)
        ended.set()

    monkeypatch.setattr(base, "time", SimpleNamespace(sleep=pause))
    ended = threading.Event()
    with running_redis(tmp_path) as url, redis.Redis.from_url(url) as client:
        worker = run.Worker(["bots"], "one", connection=connect(url, Manner(None)))
        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: idle(client))
    thread.join()
    assert ended.is_set()
    assert pauses == [1.0] * 4


def test_a_worker_that_redis_failed_gives_its_connections_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes its place uses the same ones, of which there are so many and no more."""
    made: list[Any] = []

    class Worker(run.Worker):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            made.append(self)

        def _install_signal_handlers(self) -> None:
            """Here it is not in the main thread."""

    monkeypatch.setattr(run, "Worker", Worker)
    monkeypatch.setattr(run, "RETRY_S", 0.05)
    with running_redis(tmp_path) as url, redis.Redis.from_url(url) as client:
        thread = threading.Thread(target=run._work, args=("bots", connect(url, WORK)))
        thread.start()
        until(lambda: idle(client))
        first = made[0]
        assert first.pubsub_thread._running.is_set()
        client.acl_setuser(
            "default", enabled=True, nopass=True, commands=["+@all", "-hset"], keys=["*"], channels=["*"]
        )
        client.execute_command("CLIENT", "UNBLOCK", idle(client)[0], "ERROR")
        until(lambda: len(made) > 2)
        assert not first.pubsub_thread._running.is_set()
        client.acl_setuser("default", enabled=True, nopass=True, commands=["+@all"], keys=["*"], channels=["*"])
        until(lambda: idle(client))
        made[-1].asked_to_stop = True
        client.execute_command("CLIENT", "UNBLOCK", idle(client)[0], "ERROR")
        thread.join()
    first.pubsub_thread.join(PATIENCE_S)


def test_a_tick_that_fails_for_any_reason_is_followed_by_the_next(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = make_service(Settings(b"a secret of the tests, long enough", redis_url))
    real = service.store.take_due
    ticks: list[str] = []

    def take_due(*args: Any) -> Any:
        ticks.append("")
        if len(ticks) == 1:
            raise TypeError("argument must be an int, or have a fileno() method.")
        return real(*args)

    monkeypatch.setattr(service.store, "take_due", take_due)
    stop = threading.Event()
    thread = ticker.start(service, stop)
    until(lambda: len(ticks) == 3)
    stop.set()
    thread.join()
    assert "ticker failed" in caplog.messages
    service.store.client.close()
