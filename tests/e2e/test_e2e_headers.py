"""Headers that hold what is not ASCII, over a real connection: granian hands each of them on as empty."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from email.message import Message
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.support import API_KEY, Server, running_server

BODY = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}
PARTNER = {"Authorization": f"Bearer {API_KEY}"}
ZURICH, KOLN = "Zürich".encode(), "Köln".encode("latin-1")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Behind a proxy, with one partner, where an address creates or changes twice a day."""
    env = {
        "PARLOUR_API_KEYS": f"partner={API_KEY}",
        "PARLOUR_PROXIES": "1",
        "PARLOUR_LIMITS": "address.write=2/day",
        "PARLOUR_WEBHOOK_PRIVATE": "allow",
    }
    with running_server(env=env) as running:
        yield running


def ask(
    server: Server, method: str, path: str, headers: dict[str, str | bytes], body: Any = None
) -> tuple[int, Message, Any]:
    """Status, headers and body of an answer; asked without a library that would tidy the request up."""
    where = urlsplit(server.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    data = b"" if body is None else json.dumps(body).encode()
    connection.putrequest(method, path, skip_accept_encoding=True, skip_host="Host" in headers)
    for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
        connection.putheader(name, value)
    connection.endheaders(data)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, answer.headers, json.loads(text) if text else None


def somebody() -> dict[str, str | bytes]:
    """The proxy's header for a caller who has not asked before."""
    return {"X-Forwarded-For": f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1"}


def lobby(server: Server) -> list[str]:
    status, _, page = ask(server, "GET", "/v1/matches?limit=100", {})
    assert status == 200
    return [item["id"] for item in page["items"]]


@pytest.fixture(scope="module")
def made(server: Server) -> dict[str, Any]:
    """A match of the partner's."""
    status, _, created = ask(server, "POST", "/v1/matches", {**PARTNER}, BODY)
    assert status == 201
    return {**created, "path": f"/v1/matches/{created['match']['id']}"}


@pytest.mark.parametrize("key", [ZURICH, KOLN, b"", b" ", b"order \xff"])
def test_an_idempotency_key_is_never_another_requests(server: Server, made: dict[str, Any], key: bytes) -> None:
    before = lobby(server)
    mine = {"Authorization": f"Bearer {made['seat_tokens'][0]['token']}"}
    for path, who, body in (
        ("/v1/matches", PARTNER, BODY),
        ("/v1/matches", {}, BODY),
        (f"{made['path']}/join", PARTNER, {}),
        (f"{made['path']}/join", {}, {}),
        (f"{made['path']}/messages", mine, {"text": "hi"}),
        ("/v1/webhooks", PARTNER, {"url": "http://127.0.0.1:9/"}),
    ):
        status, _, problem = ask(server, "POST", path, {**somebody(), **who, "Idempotency-Key": key}, body)
        assert (status, problem["code"]) == (422, "validation_error"), path
        assert problem["errors"][0]["pointer"] == "/Idempotency-Key"
    assert lobby(server) == before


@pytest.mark.parametrize("rest", [b"\xc3\xa9", b"\xe9"])
def test_a_token_that_cannot_be_read_is_not_nobody(server: Server, made: dict[str, Any], rest: bytes) -> None:
    before = lobby(server)
    for token in (API_KEY, made["host_token"]):
        for method, path, body in (
            ("POST", "/v1/matches", BODY),
            ("GET", "/v1/matches", None),
            ("GET", made["path"], None),
            ("GET", f"{made['path']}/observation", None),
            ("POST", f"{made['path']}/join", {}),
            ("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/"}),
        ):
            headers = {**somebody(), "Authorization": f"Bearer {token}".encode() + rest}
            status, _, problem = ask(server, method, path, headers, body)
            assert (status, problem["code"]) == (401, "invalid_token"), path
            assert "printable ASCII" in problem["detail"]
    assert lobby(server) == before


def test_an_address_that_cannot_be_read_has_no_quota_of_its_own(server: Server, made: dict[str, Any]) -> None:
    """Who has used its quota up has one more with all others who write such, and not the proxy's."""
    address = "203.0.113.7"

    def codes(*before: bytes) -> list[int]:
        return [
            ask(server, "POST", f"{made['path']}/leave", {"X-Forwarded-For": each + address.encode()})[0]
            for each in before
        ]

    assert codes(b"", b"", b"") == [401, 401, 429]
    assert codes(b'", ', b"', ", b"a, ", b"127.0.0.1, ") == [429] * 4
    assert codes(b"\xc3\xa9, ", b"\xe9, ", b"\xc3\xbc, ", b"\xc3\xa9\xc3\xa9, ") == [401, 401, 429, 429]
    proxys = [ask(server, "POST", f"{made['path']}/leave", {})[0] for _ in range(3)]
    assert proxys == [401, 401, 429]


@pytest.mark.parametrize("header", [
    "Accept", "Accept-Language", "Host", "If-None-Match", "Last-Event-ID", "Origin", "Prefer", "User-Agent",
    "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id",
])  # fmt: skip
def test_what_else_cannot_be_read_is_as_if_it_were_not_there(server: Server, made: dict[str, Any], header: str) -> None:
    for path in ("", "/observation", "/observation?after=0&wait=0", "/events", "/messages"):
        plain = ask(server, "GET", made["path"] + path, {})
        odd = ask(server, "GET", made["path"] + path, {header: ZURICH})
        assert plain[0] in (200, 204), path
        assert (odd[0], odd[2]) == (plain[0], plain[2]), path
        assert odd[1].get("ETag") == plain[1].get("ETag")
        assert odd[1]["X-Request-Id"].startswith("req_")


def test_a_wait_that_cannot_be_read_is_none(server: Server, made: dict[str, Any]) -> None:
    path = f"{made['path']}/observation"
    tag = ask(server, "GET", path, {})[1]["ETag"]
    assert ask(server, "GET", path, {"If-None-Match": tag, "Prefer": ZURICH})[0] == 304
    assert ask(server, "GET", path, {"If-None-Match": ZURICH, "Prefer": "wait=50"})[0] == 200


def test_a_content_type_that_cannot_be_read_is_not_json(server: Server) -> None:
    for kind in (ZURICH, b"application/json; charset=\xc3\xa9"):
        status, _, problem = ask(server, "POST", "/v1/matches", {**PARTNER, "Content-Type": kind}, BODY)
        assert (status, problem["code"]) == (415, "unsupported_media_type")
