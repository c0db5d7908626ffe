"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import API_KEY, Server, running_redis, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One ``parlour serve`` for the whole run: embedded Redis, two HTTP processes, workers, one partner."""
    with running_server("--api-processes", "2", env={"PARLOUR_API_KEYS": f"partner={API_KEY}"}) as running:
        yield running


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis of this run's own on a Unix socket."""
    with running_redis(tmp_path_factory.mktemp("redis")) as url:
        yield url
