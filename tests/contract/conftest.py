"""What the tests of the contract share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import Server, running_server


@pytest.fixture(scope="session")
def quick_server() -> Iterator[Server]:
    """A server whose house bots answer at once, so that a whole match takes seconds."""
    with running_server(env={"PARLOUR_BOT_ANSWER_S": "0-0.01"}) as running:
        yield running
