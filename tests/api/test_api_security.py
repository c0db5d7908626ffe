"""Who may do what, over every operation of a match; and the headers that every answer carries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.test_api_keys import ACME, KEYS, OTHER
from tests.documented import operations, parameters

BODIES: dict[str, Any] = {
    "join": {},
    "seats/0": {"kind": "open"},
    "entropy": {"entropy": "ab" * 16},
    "actions": {"decision": "dec_none", "actions": [{"id": 0}]},
    "messages": {"text": "hello"},
}
EVERYBODY = {"nobody", "seat", "other seat", "host", "its key", "another key"}
OUTSIDERS = (
    "another match's seat", "another match's host", "a seat of its own making", "a host of its own making",
    "a key of its own making",
)  # fmt: skip
SEATS = {"seat", "other seat"}
OPERATIONS: dict[tuple[str, str], set[str]] = {
    ("GET", ""): EVERYBODY,
    ("GET", "observation"): EVERYBODY,
    ("GET", "events"): EVERYBODY,
    ("GET", "messages"): EVERYBODY,
    ("GET", "replay"): EVERYBODY,
    ("POST", "stream-ticket"): EVERYBODY,
    ("POST", "join"): EVERYBODY,
    ("PUT", "seats/0"): {"host"},
    ("POST", "start"): {"host"},
    ("POST", "cancel"): {"host", "its key"},
    ("POST", "entropy"): SEATS,
    ("POST", "actions"): SEATS,
    ("POST", "messages"): SEATS,
    ("POST", "leave"): SEATS,
    ("POST", "seats/0/takeover"): {"seat"},
    ("POST", "seats/0/return"): {"seat"},
}
"""Who is let in on a public match; what it answers then is other tests' matter."""


def test_the_table_is_whole(api: Api) -> None:
    paths = api.get("/openapi.json").json["paths"]
    start = "/v1/matches/{match_id}"
    there = {
        (method.upper(), path.removeprefix(start).removeprefix("/").replace("{seat}", "0"))
        for path, methods in paths.items()
        if path.startswith(start)
        for method in methods
        if method in ("get", "post", "put", "delete", "patch")
    }
    assert there == set(OPERATIONS)


@pytest.mark.parametrize("visibility", ["public", "private"])
@pytest.mark.parametrize(("method", "place"), OPERATIONS)
def test_who_is_let_in(api: Api, method: str, place: str, visibility: str) -> None:
    closed = visibility == "private"
    api.use_keys(KEYS)
    for caller in (*EVERYBODY, *OUTSIDERS):
        made, foreign = (api.create("mm", ACME, visibility=visibility, start="manual") for _ in range(2))
        token = {
            "nobody": None,
            "seat": made["tokens"][0],
            "other seat": made["tokens"][1],
            "host": made["host_token"],
            "another match's seat": foreign["tokens"][0],
            "another match's host": foreign["host_token"],
            "a seat of its own making": f"seat_0_{'A' * 32}",
            "a host of its own making": f"host_{'A' * 32}",
            "its key": ACME,
            "another key": OTHER,
            "a key of its own making": f"key_{'A' * 32}",
        }[caller]
        path = f"/v1/matches/{made['id']}" + (f"/{place}" if place else "")
        if method == "GET":
            answer = api.get(path, token)
        else:
            answer = (api.post if method == "POST" else api.put)(path, BODIES.get(place), token)
        if caller == "a key of its own making":
            refusal = 401
        elif place == "join":
            # nobody's token opens a private match's seats, its join_code does
            refusal = 404 if closed else 403 if caller in OUTSIDERS else None
        elif caller in OUTSIDERS or (closed and caller == "another key"):
            refusal = 404 if closed else 403
        elif caller == "nobody" and (closed or caller not in OPERATIONS[method, place]):
            refusal = 404 if closed else 401
        else:
            refusal = None if caller in OPERATIONS[method, place] else 403
        if refusal is None:
            assert answer.status_code not in (401, 403, 404), (caller, answer.text)
        else:
            assert answer.status_code == refusal, (caller, answer.text)


@pytest.mark.parametrize("path", ["/v1/games", "/v1/nothing", "/healthz", "/docs/", "/errors/not_found"])
def test_every_answer_carries_what_keeps_browsers_honest(api: Api, path: str) -> None:
    headers = api.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "Set-Cookie" not in headers
    if not path.startswith("/docs"):
        assert headers["Cache-Control"] == "private, no-cache"


ORIGIN = "https://play.example"


@pytest.mark.parametrize(
    "path", ["/v1/games", "/v1/nothing", "/healthz", "/docs/", "/errors/not_found", "{observation}"]
)
def test_what_pages_of_other_origins_may_load_and_read(api: Api, path: str) -> None:
    """Also of a refusal, and on the quick path."""
    made = api.create("mm")
    path = path.format(observation=f"/v1/matches/{made['id']}/observation")
    for seen in (api.get(path, Origin=ORIGIN), api.client.head(path, headers={"Origin": ORIGIN})):
        assert seen.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert seen.headers["Access-Control-Allow-Origin"] == "*"
        assert set(seen.headers["Access-Control-Expose-Headers"].split(", ")) == {
            "ETag", "Location", "Date", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id"
        }  # fmt: skip
        assert "Access-Control-Allow-Credentials" not in seen.headers


def test_pages_may_send_what_the_document_says(api: Api) -> None:
    """Each header that an operation takes, and each method that one has."""
    asked = api.client.options("/v1/matches", headers={"Origin": ORIGIN}).headers
    allowed = set(asked["Access-Control-Allow-Headers"].split(", "))
    taken = {each["name"] for operation in operations() for each in parameters(operation) if each["in"] == "header"}
    assert allowed == taken | {"Authorization", "Content-Type"}
    methods = {operation.method for operation in operations()}
    assert set(asked["Access-Control-Allow-Methods"].split(", ")) == methods | {"OPTIONS"}


def test_the_quick_path_carries_them_too(api: Api) -> None:
    made = api.create("mm")
    answer = api.get(f"/v1/matches/{made['id']}/observation", made["tokens"][0])
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Vary"] == "Authorization"


def test_the_docs_page_repeats_nothing_that_a_caller_sent(api: Api) -> None:
    page = api.client.get("/docs/", headers={"Host": "evil.example"}).text
    assert "evil" not in page


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/matches", {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "bot"}], "status": "finished"}),
        ("/v1/matches", {"game": "valente", "seats": [{"kind": "mine", "token": "x"}, {"kind": "bot"}]}),
        ("/v1/matches/{id}/join", {"host": True}),
        ("/v1/matches/{id}/messages", {"text": "hi", "seat": 1}),
        ("/v1/matches/{id}/actions", {"decision": "dec_x", "actions": [{"id": 1}], "seat": 1}),
    ],
)
def test_fields_that_are_not_the_callers_to_set_are_refused(api: Api, path: str, body: Any) -> None:
    made = api.create("mm")
    answer = api.post(path.format(id=made["id"]), body, made["tokens"][0])
    assert answer.status_code == 422, answer.text
    assert answer.json["code"] == "validation_error"


def test_the_tests_that_the_security_page_names_exist() -> None:
    root = Path(__file__).parent.parent.parent
    named = re.findall(r"^- `(\S+)::(\w+)`$", (root / "docs" / "security.md").read_text("utf-8"), re.MULTILINE)
    assert len(named) > 30
    for path, test in named:
        assert f"\ndef {test}(" in (root / path).read_text("utf-8"), f"{path}::{test}"
