"""What the SDK's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from parlour import Client

from tests.sdk.flaky import Proxy, flaky_proxy
from tests.support import Server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """A client of the shared server."""
    with Client(server.url) as made:
        yield made


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """A flaky proxy in front of the shared server."""
    with flaky_proxy(server.url) as made:
        yield made
