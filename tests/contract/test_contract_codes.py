"""Every error code that an operation documents can be met there, and every operation documents what it answers.

The second half is ``JudgedClient``, with which all of tests/api asks: it fails on an answer that is not documented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.api.test_api_keys import ACME
from tests.contract.scenes import GOOD, SCENES, Stage
from tests.documented import Operation, operations


@pytest.fixture(scope="module")
def stage(redis_url: str) -> Iterator[Callable[[str], Stage]]:
    with Stage.on(redis_url) as made:
        yield made


def test_every_operation_has_a_request_that_goes_well() -> None:
    assert {operation.id for operation in operations()} == set(GOOD)


@pytest.mark.parametrize("operation", GOOD)
def test_it_goes_well(stage: Callable[[str], Stage], operation: str) -> None:
    this = stage(operation)
    assert this.good().of(this.api).status_code < 300 or operation == "readyz"


LOOKS_AT_NO_TOKEN = {"list_games", "get_game", "list_bots", "healthz", "readyz", "error_page"}


@pytest.mark.parametrize("header", ["", " ", "Bearer", f"Bearer {ACME}\xe9", f"{ACME}", "\xe9"])
@pytest.mark.parametrize("operation", GOOD)
def test_a_header_that_holds_no_token_is_not_taken_for_none(
    stage: Callable[[str], Stage], operation: str, header: str
) -> None:
    this = stage(operation)
    ask = this.good()
    answer = replace(ask, token=None, headers={**ask.headers, "Authorization": header}).of(this.api)
    if operation in LOOKS_AT_NO_TOKEN:
        assert answer.status_code < 300 or operation == "readyz"
    else:
        assert (answer.status_code, answer.json["code"]) == (401, "invalid_token")


PAIRS = [
    pytest.param(operation, code, id=f"{operation.id}-{code}") for operation in operations() for code in operation.codes
]


@pytest.mark.parametrize(("operation", "code"), PAIRS)
def test_every_documented_code_can_be_met(stage: Callable[[str], Stage], operation: Operation, code: str) -> None:
    assert code in SCENES, f"{operation.id} documents {code}, which no scene of scenes.py provokes"
    answer = SCENES[code](stage(operation.id))
    assert operation.fits(answer.request.method, answer.request.path)
    assert answer.json["code"] == code, answer.text
    assert set(answer.json) >= {"type", "title", "status", "detail", "instance", "request_id"}
    assert answer.json["status"] == answer.status_code
    assert ("Retry-After" in answer.headers) == (answer.status_code in (429, 503))
