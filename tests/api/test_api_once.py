"""Idempotency-Key and cross-origin requests."""

from __future__ import annotations

import dataclasses
from unittest.mock import patch
from uuid import uuid4

import pytest
import redis

from tests.api.conftest import SECRET, Api, fresh_api
from tests.api.test_api_keys import ACME, KEYS

BODY = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}


def test_the_same_key_and_body_create_one_match(api: Api) -> None:
    key = str(uuid4())
    first = api.post("/v1/matches", BODY, Idempotency_Key=key)
    again = api.post("/v1/matches", BODY, Idempotency_Key=key)
    assert (first.status_code, first.data) == (again.status_code, again.data)
    assert first.headers["Location"] == again.headers["Location"]
    assert len(api.get("/v1/matches").json["items"]) == 1
    assert api.post("/v1/matches", BODY, Idempotency_Key=str(uuid4())).json["match"]["id"] != first.json["match"]["id"]


def test_the_same_key_with_another_body_is_refused(api: Api) -> None:
    key = str(uuid4())
    api.post("/v1/matches", BODY, Idempotency_Key=key)
    other = api.post("/v1/matches", {**BODY, "start": "manual"}, Idempotency_Key=key)
    assert (other.status_code, other.json["code"]) == (422, "idempotency_mismatch")


@pytest.mark.parametrize("key", ["", "1", "x" * 36, "00000000-0000-1000-8000-000000000000"])
def test_an_anonymous_key_is_a_random_uuid(api: Api, key: str) -> None:
    answer = api.post("/v1/matches", BODY, Idempotency_Key=key)
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert answer.json["errors"][0]["pointer"] == "/Idempotency-Key"


def test_a_join_sent_again_takes_one_seat(api: Api) -> None:
    made = api.create("moo")
    key = str(uuid4())
    path = f"/v1/matches/{made['id']}/join"
    first, again = (api.post(path, {"name": "Bea"}, Idempotency_Key=key) for _ in range(2))
    assert first.data == again.data
    assert [seat["taken"] for seat in api.get(f"/v1/matches/{made['id']}").json["seats"]] == [True, True, False]


def test_a_message_sent_again_is_said_once(api: Api) -> None:
    made = api.create("mm")
    path = f"/v1/matches/{made['id']}/messages"
    for key, times in (("any text, since a token scopes it", 2), ("another", 1)):
        for _ in range(times):
            assert api.post(path, {"text": "hi"}, made["tokens"][0], Idempotency_Key=key).status_code == 201
    assert len(api.get(path).json["items"]) == 2


def test_nobody_gets_at_anothers_by_a_header_that_looks_like_its_own(api: Api) -> None:
    """The name of a partner's key is no secret, and its own Idempotency-Keys may be guessed."""
    with fresh_api(api.url, api_keys=KEYS) as api:
        made = api.create("moo")
        path = f"/v1/matches/{made['id']}/join"
        assert api.post(path, {}, ACME, Idempotency_Key="user-17").status_code == 200
        for header in ("acme", "key acme", "Bearer acme", "x"):
            answer = api.client.post(path, json={}, headers={"Authorization": header, "Idempotency-Key": "user-17"})
            assert (answer.status_code, answer.json["code"]) == (401, "invalid_token")


def test_a_refused_request_may_be_sent_again(api: Api) -> None:
    made = api.create("mo")
    key = str(uuid4())
    path = f"/v1/matches/{made['id']}/join"
    assert api.post(path, {"seat": 0}, Idempotency_Key=key).json["code"] == "seat_taken"
    assert api.post(path, {"seat": 0}, Idempotency_Key=key).json["code"] == "seat_taken"


def test_two_at_the_same_time_make_one(api: Api) -> None:
    key = str(uuid4())
    seating = api.service.seating
    real = seating.create
    inner = []

    def slow(*args):  # type: ignore[no-untyped-def]
        seating.create = real  # type: ignore[method-assign]
        inner.append(api.post("/v1/matches", BODY, Idempotency_Key=key))
        return real(*args)

    seating.create = slow  # type: ignore[method-assign]
    first = api.post("/v1/matches", BODY, Idempotency_Key=key)
    assert (first.status_code, first.json) == (inner[0].status_code, inner[0].json)
    assert len(api.get("/v1/matches").json["items"]) == 1


def ask_in_vain(api: Api, path: str, body: object, token: str | None, key: str) -> None:
    """A request whose process dies before it can note its answer: what it made is made."""

    def dies(*_: object) -> None:
        raise RuntimeError("a fault of the tests")

    with patch.object(api.service.store, "once_end", dies):
        assert api.post(path, body, token, Idempotency_Key=key).status_code == 500


def test_a_match_that_was_created_without_an_answer_is_found_again(api: Api) -> None:
    key = str(uuid4())
    ask_in_vain(api, "/v1/matches", BODY, None, key)
    (there,) = api.get("/v1/matches").json["items"]
    again = api.post("/v1/matches", BODY, Idempotency_Key=key)
    assert (again.status_code, again.json["match"]["id"]) == (201, there["id"])
    seen = api.get(f"/v1/matches/{there['id']}/observation", again.json["seat_tokens"][0]["token"])
    assert (seen.status_code, seen.json["seat"]) == (200, 0)
    assert len(api.get("/v1/matches").json["items"]) == 1


def test_a_seat_that_was_taken_without_an_answer_is_found_again(api: Api) -> None:
    """Also when the match has started with it."""
    made = api.create("mo")
    path, key = f"/v1/matches/{made['id']}/join", str(uuid4())
    ask_in_vain(api, path, {"name": "Bea"}, None, key)
    again = api.post(path, {"name": "Bea"}, Idempotency_Key=key)
    assert (again.status_code, again.json["seat"], again.json["match"]["status"]) == (200, 1, "playing")
    assert api.get(f"/v1/matches/{made['id']}/observation", again.json["token"]).json["seat"] == 1


def test_a_message_that_was_said_without_an_answer_is_said_once(api: Api) -> None:
    made = api.create("mm")
    path, key = f"/v1/matches/{made['id']}/messages", str(uuid4())
    ask_in_vain(api, path, {"text": "hi"}, made["tokens"][0], key)
    api.clock.forward(5)
    again = api.post(path, {"text": "hi"}, made["tokens"][0], Idempotency_Key=key)
    (there,) = api.get(path).json["items"]
    assert (again.status_code, again.json) == (201, there)


def test_joining_again_never_opens_the_seat_of_who_came_after(api: Api) -> None:
    made = api.create("moo", start="manual")
    path, key = f"/v1/matches/{made['id']}/join", str(uuid4())
    mine = api.post(path, {"seat": 1}, Idempotency_Key=key).json["token"]
    assert api.post(f"/v1/matches/{made['id']}/leave", None, mine).status_code == 200
    theirs = api.post(path, {"seat": 1}).json["token"]
    assert api.post(path, {"seat": 1}, Idempotency_Key=key).json["token"] == mine != theirs
    assert api.get(f"/v1/matches/{made['id']}/observation", mine).status_code == 403


def test_no_token_is_kept(api: Api, redis_url: str) -> None:
    """Tokens are made again from the secret, never stored."""
    first = api.post("/v1/matches", BODY, Idempotency_Key=str(uuid4())).json
    client = redis.Redis.from_url(redis_url)
    stored = b" ".join(client.get(key) or b"" for key in client.scan_iter("parlour:once:*"))
    assert first["match"]["id"].encode() in stored
    for token in (first["host_token"], first["seat_tokens"][0]["token"]):
        assert token.encode() not in stored
    assert SECRET not in stored


def test_a_page_of_any_origin_may_ask(api: Api) -> None:
    asked = api.client.options("/v1/matches", headers={"Origin": "https://play.example"})
    assert (asked.status_code, asked.headers.get("Content-Type")) == (204, None)
    assert asked.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert asked.headers["Access-Control-Allow-Origin"] == "*"
    assert "Idempotency-Key" in asked.headers["Access-Control-Allow-Headers"]
    made = api.create("mm")
    seen = api.get(f"/v1/matches/{made['id']}/observation", made["tokens"][0], Origin="https://play.example")
    assert seen.headers["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in seen.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Origin" not in api.get("/v1/games").headers


def test_origins_can_be_named(api: Api) -> None:
    api.service.matches.settings = dataclasses.replace(api.service.settings, cors_origins=("https://play.example",))
    mine = api.get("/v1/games", Origin="https://play.example")
    assert mine.headers["Access-Control-Allow-Origin"] == "https://play.example"
    assert mine.headers.getlist("Vary") == ["Authorization", "Origin"]
    other = api.get("/v1/games", Origin="https://other.example")
    assert "Access-Control-Allow-Origin" not in other.headers
