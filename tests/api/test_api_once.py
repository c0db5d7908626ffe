"""Idempotency-Key and cross-origin requests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from unittest.mock import patch
from uuid import uuid4

import pytest
import redis
from parlour_api.store.keys import SHARDS

from tests.api.conftest import SECRET, Api, fresh_api
from tests.api.test_api_keys import ACME, KEYS

BODY = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}
MINE, OPEN = {"kind": "mine"}, {"kind": "open"}


def a_day_passes(api: Api) -> None:
    """What was kept of requests goes; what they made stays."""
    client = api.service.store.client
    kept = [*client.scan_iter("parlour:once:*")]
    assert kept
    client.delete(*kept)


def the_answer_is_not_kept(api: Api) -> None:
    """As if each request were still under way, or had died before it could note its answer."""
    client = api.service.store.client
    for name in client.scan_iter("parlour:once:*"):
        begun = client.get(name)
        assert begun is not None
        client.set(name, begun[: begun.index(b":") + 1], keepttl=True)


def a_moment_passes(_: Api) -> None:
    """All is kept."""


LATER = pytest.mark.parametrize("later", [a_moment_passes, the_answer_is_not_kept, a_day_passes])


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


@pytest.mark.parametrize("key", ["1", "x" * 36, "00000000-0000-1000-8000-000000000000"])
def test_an_anonymous_key_is_a_random_uuid(api: Api, key: str) -> None:
    answer = api.post("/v1/matches", BODY, Idempotency_Key=key)
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert answer.json["errors"][0]["pointer"] == "/Idempotency-Key"


@pytest.mark.parametrize("key", ["", " ", "Zürich", "K\xf6ln", "a\tb", "a\x7fb", "x" * 256])
def test_a_key_that_is_none_is_refused_whoever_sends_it(api: Api, key: str) -> None:
    """Whatever cannot be read would be one and the same key for different requests; an empty one may be such."""
    with fresh_api(api.url, api_keys=KEYS) as api:
        made = api.create("mo")
        where = f"/v1/matches/{made['id']}"
        asks: list[tuple[str, object, str | None]] = [
            ("/v1/matches", BODY, None),
            ("/v1/matches", BODY, ACME),
            (f"{where}/join", {}, None),
            (f"{where}/join", {}, ACME),
            (f"{where}/join", {}, made["tokens"][0]),
            (f"{where}/messages", {"text": "hi"}, made["tokens"][0]),
            ("/v1/webhooks", {"url": "https://93.184.216.34/"}, ACME),
        ]
        for path, body, token in asks:
            answer = api.post(path, body, token, Idempotency_Key=key)
            assert (answer.status_code, answer.json["code"]) == (422, "validation_error"), path
            (fault,) = answer.json["errors"]
            assert fault["pointer"] == "/Idempotency-Key"
            assert "random UUID" in fault["detail"]
        assert [item["id"] for item in api.get("/v1/matches").json["items"]] == [made["id"]]
        assert [seat["taken"] for seat in api.get(where).json["seats"]] == [True, False]
        assert api.get("/v1/webhooks", ACME).json["items"] == []


@pytest.mark.parametrize("token", [None, ACME])
def test_a_uuid_is_the_same_key_in_either_case(api: Api, token: str | None) -> None:
    with fresh_api(api.url, api_keys=KEYS) as api:
        key = "7F9c24e8-3b12-4fef-91d0-2a6b6f3f8aBC"
        answers = [
            api.post("/v1/matches", BODY, token, Idempotency_Key=each) for each in (key, key.lower(), key.upper())
        ]
        assert len({answer.data for answer in answers}) == 1
        assert len(api.get("/v1/matches").json["items"]) == 1


def test_any_other_key_is_told_to_the_letter(api: Api) -> None:
    with fresh_api(api.url, api_keys=KEYS) as api:
        names = ("Order 1", "order 1", "order 1,", "x" * 255)
        ids = {api.post("/v1/matches", BODY, ACME, Idempotency_Key=key).json["match"]["id"] for key in names}
        assert len(ids) == len(names)


def test_the_same_key_elsewhere_is_another_request(api: Api) -> None:
    """Of the same caller, with the same body: each path has its own."""
    key = str(uuid4())
    made = [api.create("mo") for _ in range(2)]
    joined = [api.post(f"/v1/matches/{each['id']}/join", {}, Idempotency_Key=key) for each in made]
    assert [answer.status_code for answer in joined] == [200, 200]
    assert [answer.json["match"]["id"] for answer in joined] == [each["id"] for each in made]
    for each, answer in zip(made, joined, strict=True):
        assert api.get(f"/v1/matches/{each['id']}/observation", answer.json["token"]).json["seat"] == 1


def test_requests_are_kept_for_a_day(api: Api) -> None:
    """From their beginning, and from their answer on."""
    made = api.create("mo")
    client = api.service.store.client
    asks: list[tuple[str, object, str | None]] = [
        ("/v1/matches", BODY, None),
        (f"/v1/matches/{made['id']}/join", {}, None),
        (f"/v1/matches/{made['id']}/messages", {"text": "hi"}, made["tokens"][0]),
    ]
    for begun in (True, False):
        for path, body, token in asks:
            if begun:
                ask_in_vain(api, path, body, token, str(uuid4()))
            else:
                api.post(path, body, token, Idempotency_Key=str(uuid4()))
    lives = {name: client.ttl(name) for name in [*client.scan_iter("parlour:once:*"), *client.scan_iter("*:said:*")]}
    assert len(lives) == 7, "six requests but the join of a full match, and two messages"
    for name, life in lives.items():
        assert 86_400 - 60 <= life <= 86_400, (name, life)  # type: ignore[operator]


@pytest.mark.parametrize("other", [
    {"seats": [MINE, MINE]},
    {"seats": [OPEN, MINE]},
    {"seats": [OPEN, OPEN, MINE]},
    {"game": "love_is_dead", "seats": [OPEN, MINE]},
    {"start": "manual"},
])  # fmt: skip
def test_a_day_later_another_body_makes_another_match(api: Api, other: dict[str, object]) -> None:
    """And never gets anything of the first one, not least the tokens of who joined it."""
    key = str(uuid4())
    first = api.post("/v1/matches", BODY, Idempotency_Key=key).json
    friend = api.post(f"/v1/matches/{first['match']['id']}/join", {"name": "Grace"}).json
    a_day_passes(api)
    body = {**BODY, **other}
    second = api.post("/v1/matches", body, Idempotency_Key=key)
    assert second.status_code == 201
    assert second.json["match"]["id"] != first["match"]["id"]
    assert second.json["match"]["game"] == body["game"]
    mine = [number for number, seat in enumerate(body["seats"]) if seat == MINE]  # type: ignore[arg-type]
    assert [entry["seat"] for entry in second.json["seat_tokens"]] == mine
    theirs = {friend["token"], first["host_token"], *(entry["token"] for entry in first["seat_tokens"])}
    assert not theirs & {second.json["host_token"], *(entry["token"] for entry in second.json["seat_tokens"])}


def test_a_day_later_another_body_takes_another_seat(api: Api) -> None:
    made = api.create("mooo", start="manual")
    path, key = f"/v1/matches/{made['id']}/join", str(uuid4())
    first = api.post(path, {"seat": 1, "name": "Bea"}, Idempotency_Key=key).json
    a_day_passes(api)
    second = api.post(path, {"seat": 3, "name": "Cid"}, Idempotency_Key=key).json
    assert (first["seat"], second["seat"]) == (1, 3)
    assert first["token"] != second["token"]
    assert [seat["name"] for seat in api.get(f"/v1/matches/{made['id']}").json["seats"]][1::2] == ["Bea", "Cid"]


def test_a_day_later_another_text_is_said(api: Api) -> None:
    made = api.create("mm")
    path, key = f"/v1/matches/{made['id']}/messages", str(uuid4())
    api.post(path, {"text": "hi"}, made["tokens"][0], Idempotency_Key=key)
    a_day_passes(api)
    assert api.post(path, {"text": "bye"}, made["tokens"][0], Idempotency_Key=key).json["text"] == "bye"
    assert [each["text"] for each in api.get(path).json["items"]] == ["hi", "bye"]


@LATER
def test_later_the_same_request_finds_what_it_made(api: Api, later: Callable[[Api], None]) -> None:
    key, other = str(uuid4()), str(uuid4())
    made = api.post("/v1/matches", BODY, Idempotency_Key=key).json
    path = f"/v1/matches/{made['match']['id']}/join"
    joined = api.post(path, {}, Idempotency_Key=other).json
    later(api)
    again = api.post("/v1/matches", BODY, Idempotency_Key=key)
    assert (again.status_code, again.json["match"]["id"]) == (201, made["match"]["id"])
    assert (again.json["host_token"], again.json["seat_tokens"]) == (made["host_token"], made["seat_tokens"])
    seat = api.post(path, {}, Idempotency_Key=other).json
    assert (seat["seat"], seat["token"]) == (joined["seat"], joined["token"])
    assert len(api.get("/v1/matches").json["items"]) == 1


@LATER
@pytest.mark.parametrize("gone", ["leaves", "is replaced"])
def test_creating_again_never_opens_the_seat_of_who_came_after(
    api: Api, later: Callable[[Api], None], gone: str
) -> None:
    key = str(uuid4())
    body = {**BODY, "seats": [MINE, MINE, OPEN]}
    made = api.post("/v1/matches", body, Idempotency_Key=key).json
    where, mine = f"/v1/matches/{made['match']['id']}", made["seat_tokens"][0]["token"]
    if gone == "leaves":
        assert api.post(f"{where}/leave", None, mine).status_code == 200
    else:
        assert api.put(f"{where}/seats/0", {"kind": "open"}, made["host_token"]).status_code == 200
    theirs = api.post(f"{where}/join", {"seat": 0}).json["token"]
    later(api)
    again = api.post("/v1/matches", body, Idempotency_Key=key)
    assert (again.status_code, again.json["match"]["id"]) == (201, made["match"]["id"])
    tokens = {entry["seat"]: entry["token"] for entry in again.json["seat_tokens"]}
    assert theirs not in tokens.values()
    assert tokens[1] == made["seat_tokens"][1]["token"]
    assert tokens.get(0) == (mine if later is a_moment_passes else None), "the very same answer, for a day"
    assert api.get(f"{where}/observation", mine).status_code == 403
    assert api.get(f"{where}/observation", theirs).json["seat"] == 0


def test_a_match_that_is_made_anew_is_told_anew(api: Api) -> None:
    """The same request, a day later, when what it made has gone: deliveries of the first do not stand in its way."""
    with fresh_api(api.url, api_keys=KEYS) as api:
        api.service.webhooks.resolve = lambda host, port: ["93.184.216.34"]
        hook = api.post("/v1/webhooks", {"url": "https://partner.example/"}, ACME).json
        body = {**BODY, "seats": [MINE, MINE]}
        ids = []
        for _ in range(2):
            ids.append(api.post("/v1/matches", body, ACME, Idempotency_Key="order 1").json["match"]["id"])
            for shard in range(SHARDS):
                api.service.webhooks.spread(shard)
            a_day_passes(api)
            api.clock.forward(86_400)
            api.service.store.client.delete(*api.service.store.client.scan_iter(f"*{ids[0]}*"))
        assert ids[0] == ids[1]
        told = api.get(f"/v1/webhooks/{hook['id']}/deliveries", ACME).json["items"]
        assert sorted(each["type"] for each in told) == ["match.started"] * 2 + ["match.turn"] * 2


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


@LATER
def test_joining_again_never_opens_the_seat_of_who_came_after(api: Api, later: Callable[[Api], None]) -> None:
    made = api.create("moo", start="manual")
    path, key = f"/v1/matches/{made['id']}/join", str(uuid4())
    mine = api.post(path, {"seat": 1}, Idempotency_Key=key).json["token"]
    assert api.post(f"/v1/matches/{made['id']}/leave", None, mine).status_code == 200
    theirs = api.post(path, {"seat": 1}).json["token"]
    later(api)
    again = api.post(path, {"seat": 1}, Idempotency_Key=key).json
    if later is a_moment_passes:
        assert again["token"] == mine != theirs
    else:
        assert again["code"] == "seat_taken"
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
