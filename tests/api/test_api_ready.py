"""/readyz: whether matches can be played now, and if not, what is missing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from parlour_api.v1.service_pages import checks_of
from rq import SimpleWorker

from tests.support import running_redis

ALL = {"redis": True, "queue": True, "worker": True}


@pytest.mark.parametrize(
    "silence",
    [lambda client: client.config_set("maxmemory", 1), lambda client: client.replicaof("127.0.0.1", 1)],
    ids=["full", "read_only"],
)
def test_a_redis_that_takes_no_writes_is_not_ready(tmp_path: Path, silence: Callable[[redis.Redis], object]) -> None:
    with running_redis(tmp_path) as url, redis.Redis.from_url(url) as client:
        SimpleWorker(["bots", "clock"], connection=client).register_birth()
        now = round(time.time() * 1000)
        before = client.keys()
        assert checks_of(client, client, now) == ALL
        assert client.keys() == before
        silence(client)
        assert client.ping()
        assert checks_of(client, client, now) == dict.fromkeys(ALL, False)


@pytest.mark.parametrize(
    ("kinds", "is_ready"),
    [
        ([["bots", "clock"]], True),
        ([["clock"], ["bots", "clock"], ["webhooks"]], True),
        ([["clock"], ["webhooks"]], False),
        ([["webhooks"]], False),
        ([], False),
    ],
)
def test_somebody_works_for_bots_and_clocks(redis_url: str, kinds: list[list[str]], is_ready: bool) -> None:
    client = redis.Redis.from_url(redis_url)
    now = round(time.time() * 1000)
    client.flushdb()
    for queues in kinds:
        SimpleWorker(queues, connection=client).register_birth()
    assert checks_of(client, client, now) == {**ALL, "worker": is_ready}
    assert checks_of(client, client, now + 60_000)["worker"] is False
