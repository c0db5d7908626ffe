"""Every error code and every header that an operation documents can be met there, and it documents what it answers.

The second half is ``JudgedClient``, with which all of tests/api asks: it fails on an answer that is not documented, and
on one without a header that the document calls required.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.api.conftest import Api
from tests.api.test_api_keys import ACME
from tests.contract.scenes import GOOD, SCENES, Stage
from tests.documented import Operation, document, faults, operations


@pytest.fixture(scope="module")
def stage(redis_url: str) -> Iterator[Callable[[str], Stage]]:
    with Stage.on(redis_url) as made:
        yield made


def test_every_operation_has_a_request_that_goes_well() -> None:
    assert {operation.id for operation in operations()} == set(GOOD)


@pytest.mark.parametrize("operation", GOOD)
def test_it_goes_well(stage: Callable[[str], Stage], operation: str) -> None:
    this = stage(operation)
    answer = this.good().of(this.api)
    assert answer.status_code < 300 or operation == "readyz"
    assert quotas(answer) == (set() if operation in ("healthz", "readyz") else QUOTA_HEADERS)


QUOTA_HEADERS = {"RateLimit", "RateLimit-Policy"}


def quotas(answer: TestResponse) -> set[str]:
    """The headers that tell what is left."""
    return {name for name, _ in answer.headers if name.startswith("RateLimit")}


def test_headers_that_only_some_answers_carry_are_met_elsewhere() -> None:
    """All others are required, and so are looked for in every answer."""
    headers = document()["components"]["headers"]
    elsewhere = {
        "Accept-Encoding": "test_an_encoded_body_is_told_what_is_taken",
        "X-Accel-Buffering": "test_who_gets_a_stream",
    }
    assert {name for name, header in headers.items() if not header["required"]} == {*QUOTA_HEADERS, *elsewhere}
    tests = "".join(path.read_text("utf-8") for path in (Path(__file__).parent.parent / "api").glob("test_*.py"))
    for name, test in elsewhere.items():
        assert name in tests.partition(f"def {test}(")[2].partition("\ndef ")[0], name


def test_every_header_is_described_once_and_used() -> None:
    headers = document()["components"]["headers"]
    used = {name for operation in operations() for names in operation.headers.values() for name in names}
    assert used == set(headers) - {"Allow"}, "no operation answers 405"
    for name, header in headers.items():
        assert header["description"], name
        assert not faults(header["schema"], header["example"]), name
    for methods in document()["paths"].values():
        for method, spec in methods.items():
            if method != "parameters":
                for answer in spec["responses"].values():
                    assert all(set(header) == {"$ref"} for header in answer.get("headers", {}).values()), spec


QUERIES = {
    "get_observation": ("", "?after=0&wait=1"),
    "list_events": ("", "?ticket={ticket}"),
    "list_messages": ("", "?limit=1"),
    "list_matches": ("", "?limit=1"),
}
STREAM = {"Accept": "text/event-stream"}


def kept(api: Api) -> dict[bytes, Any]:
    """All that Redis holds, but for counts and what is kept to spare the next reader some work."""
    client: Any = api.service.store.client
    found: dict[bytes, Any] = {}
    for key in client.scan_iter():
        if client.type(key) == b"hash" and key != b"parlour:metrics":
            fields = client.hgetall(key)
            found[key] = {name: value for name, value in fields.items() if not name.startswith(b"obs:")}
        elif not key.startswith((b"parlour:metrics", b"parlour:rate")):
            found[key] = client.dump(key)
    return found


@pytest.mark.parametrize("headers", [{}, STREAM], ids=["json", "stream"])
@pytest.mark.parametrize("operation", [each.id for each in operations() if each.method == "GET"])
def test_head_changes_nothing_and_says_what_get_would(
    stage: Callable[[str], Stage], operation: str, headers: dict[str, str]
) -> None:
    this = stage(operation)
    where, ask = GOOD[operation]
    made = where(this.api)
    for query in QUERIES.get(operation, ("",)):
        get = ask(made)
        if "{ticket}" in query:
            ticket = this.api.post(f"/v1/matches/{made['id']}/stream-ticket", None, made["tokens"][0]).json["ticket"]
            query, get = query.format(ticket=ticket), replace(get, token=None)
        get = replace(get, path=get.path + query, headers=headers)
        before = kept(this.api)
        heads = [replace(get, method="HEAD").of(this.api) for _ in range(2)]
        for head in heads:
            head.close()
        assert kept(this.api) == before
        assert this.api.service.hub._count == 0, "no place for waiting is held"
        got = get.of(this.api)
        got.close()
        for head in heads:
            assert head.get_data() == b""
            assert (head.status_code, head.mimetype) == (got.status_code, got.mimetype)
            assert head.headers.get("ETag") == got.headers.get("ETag")


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
    if code != "storage_unavailable":  # where writes cannot be counted either
        assert quotas(answer) == (set() if operation.id in ("healthz", "readyz") else QUOTA_HEADERS)
