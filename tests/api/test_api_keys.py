"""API keys: whose they are, what they may do, and that their metadata is there for nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from parlour_api.errors import BadSetting
from parlour_api.keyring import Keyring
from parlour_api.settings import Settings, read_settings
from parlour_api.tokens import read_claim

from tests.api.conftest import SECRET, Api, make_api
from tests.api.test_api_settings import GOOD
from tests.api.test_api_two_worlds import assert_equal, worlds  # noqa: F401 (a fixture)

ACME = "key_" + "aB3_-" * 6
RATES = ("RateLimit", "RateLimit-Policy")
OTHER = "key_" + "0123456789abcdefghijklmn"
KEYS = Keyring((("acme", ACME), ("other", OTHER)))
METADATA = {"order": "4711", "who": "Ada & Co.", "empty": ""}
BODY = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}


@pytest.fixture
def api(redis_url: str) -> Iterator[Api]:
    """The app with two partners, on an empty Redis."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    made = make_api(redis_url, api_keys=KEYS)
    yield made
    made.close()


# The setting


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("key_" + "x" * 24, 1),
        ("acme=key_" + "x" * 23, 1),
        ("Acme=key_" + "x" * 24, 1),
        ("=key_" + "x" * 24, 1),
        ("a" * 41 + "=key_" + "x" * 24, 1),
        (f"acme={ACME} other=key_not+urlsafe" + "x" * 24, 2),
        (f"acme={ACME},other={OTHER}", 1),
        (f"acme={ACME} other={ACME}", 2),
    ],
)
def test_a_wrong_list_is_refused_without_showing_a_key(text: str, place: int) -> None:
    with pytest.raises(BadSetting, match=f"^PARLOUR_API_KEYS must .* number {place} ") as refused:
        read_settings({**GOOD, "PARLOUR_API_KEYS": text})
    assert "x" * 23 not in str(refused.value)
    assert ACME not in str(refused.value)


def test_keys_are_read_and_shown_nowhere() -> None:
    settings = read_settings({**GOOD, "PARLOUR_API_KEYS": f" acme={ACME}\n other={OTHER} acme=key_{'n' * 24} "})
    keys = settings.api_keys
    assert keys.name_of(f"Bearer {ACME}") == keys.name_of(f"bearer key_{'n' * 24}") == "acme"
    assert keys.name_of(f"Bearer {OTHER}") == "other"
    assert keys.holds("other")
    assert not keys.holds("nobody")
    assert not read_settings(GOOD).api_keys
    claim = read_claim(f"Bearer {ACME}", keys)
    assert claim is not None
    assert (claim.key, claim.seat) == ("acme", None)
    for shown in (repr(settings), repr(keys), repr(claim)):
        assert ACME not in shown


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        ACME,
        f"Basic {ACME}",
        f"Bearer  {ACME}",
        f"Bearer {ACME[:-1]}",
        f"Bearer {ACME}x",
        "Bearer key_",
        "Bearer key_é\udcff",
    ],
)
def test_what_is_no_key_of_ours_has_no_name(header: str | None) -> None:
    assert KEYS.name_of(header) is None


# What a key may do


def private(api: Api, **body: Any) -> dict[str, Any]:
    """A private match of acme's, in play."""
    answer = api.post("/v1/matches", {**BODY, "visibility": "private", "metadata": METADATA, **body}, ACME)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json
    path = f"/v1/matches/{made['match']['id']}"
    api.post(f"{path}/join", {"join_code": made.get("join_code")})
    return {**made, "path": path}


@pytest.mark.parametrize("path", ["", "/mat_0aaaaaaaaaaaaaaaa", "/mat_0aaaaaaaaaaaaaaaa/observation"])
def test_an_unknown_key_is_401(api: Api, path: str) -> None:
    answer = api.get(f"/v1/matches{path}", "key_" + "u" * 32)
    assert (answer.status_code, answer.json["code"]) == (401, "invalid_token")
    assert "no such API key" in answer.json["detail"]
    assert api.post("/v1/matches", BODY, "key_" + "u" * 32).json["code"] == "invalid_token"


def test_its_own_private_match_is_open_to_it_as_to_a_spectator(api: Api) -> None:
    made = private(api)
    seen = api.get(f"{made['path']}/observation", ACME)
    assert (seen.status_code, seen.json["seat"], seen.json["decision"]) == (200, None, None)
    assert seen.data == api.get(f"{made['path']}/observation", made["host_token"]).data
    for part in ("", "/events", "/messages"):
        assert api.get(made["path"] + part, ACME).status_code == 200
    assert api.post(f"{made['path']}/stream-ticket", None, ACME).status_code == 201


def test_to_another_key_it_is_404_as_to_anybody(api: Api) -> None:
    made = private(api)
    for part in ("", "/observation", "/events", "/messages", "/replay"):
        foreign, nobody = api.get(made["path"] + part, OTHER), api.get(made["path"] + part)
        assert (foreign.status_code, foreign.json["code"]) == (404, "match_not_found")
        assert {**foreign.json, "request_id": 0} == {**nobody.json, "request_id": 0}
    for part in ("/cancel", "/start", "/leave", "/seats/0/takeover", "/stream-ticket"):
        assert api.post(made["path"] + part, None, OTHER).json["code"] == "match_not_found"


def test_another_key_sees_what_is_public_and_does_nothing(api: Api) -> None:
    made = private(api, visibility="public")
    for part in ("", "/observation", "/events"):
        assert_equal(api.get(made["path"] + part, OTHER), api.get(made["path"] + part), but=("X-Request-Id", *RATES))
    for key in (OTHER, ACME):
        for part in ("/start", "/leave", "/seats/0/takeover", "/seats/0/return"):
            refused = api.post(made["path"] + part, None, key)
            assert (refused.status_code, refused.json["code"]) == (403, "wrong_token"), part
        assert api.put(f"{made['path']}/seats/0", {"kind": "bot"}, key).json["code"] == "wrong_token"
        body = {"decision": "dec_x", "actions": [{"id": 0}]}
        assert api.post(f"{made['path']}/actions", body, key).json["code"] == "wrong_token"
    assert api.post(f"{made['path']}/cancel", None, OTHER).json["code"] == "wrong_token"


def test_it_cancels_its_match_at_any_time(api: Api) -> None:
    made = private(api)
    assert api.post(f"{made['path']}/cancel", None, made["host_token"]).json["code"] == "host_is_player"
    done = api.post(f"{made['path']}/cancel", None, ACME)
    assert (done.status_code, done.json["status"], done.json["metadata"]) == (200, "cancelled", METADATA)
    assert api.post(f"{made['path']}/cancel", None, ACME).json["code"] == "match_over"


def test_only_partners_create_if_the_deployment_says_so(redis_url: str) -> None:
    closed = make_api(redis_url, api_keys=KEYS, create="key")
    assert closed.post("/v1/matches", BODY).json["code"] == "missing_token"
    assert closed.post("/v1/matches", BODY, "host_" + "x" * 32).json["code"] == "wrong_token"
    made = closed.post("/v1/matches", BODY, ACME)
    assert made.status_code == 201
    assert closed.post(f"/v1/matches/{made.json['match']['id']}/join", {}).status_code == 200
    closed.close()


def test_an_idempotency_key_is_the_partners_own(api: Api) -> None:
    first, again, others = (
        api.post("/v1/matches", BODY, key, Idempotency_Key="order 4711") for key in (ACME, ACME, OTHER)
    )
    assert first.data == again.data
    assert first.json["match"]["id"] != others.json["match"]["id"]
    assert api.post("/v1/matches", BODY, Idempotency_Key="order 4711").json["code"] == "validation_error"


# Metadata


@pytest.mark.parametrize(
    ("metadata", "pointer"),
    [
        ({"": "x"}, "/metadata/"),
        ({"n" * 41: "x"}, "/metadata/" + "n" * 41),
        ({"a/b": "x" * 501}, "/metadata/a~1b"),
        ({"n": 1}, "/metadata/n"),
        ({"n": None}, "/metadata/n"),
        ({str(number): "" for number in range(21)}, "/metadata"),
        (["x"], "/metadata"),
    ],
)
def test_metadata_has_its_limits(api: Api, metadata: Any, pointer: str) -> None:
    answer = api.post("/v1/matches", {**BODY, "metadata": metadata}, ACME)
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]


def test_the_largest_metadata_is_taken(api: Api) -> None:
    metadata = {f"{number:040}": "x" * 500 for number in range(20)}
    assert api.post("/v1/matches", {**BODY, "metadata": metadata}, ACME).json["match"]["metadata"] == metadata


@pytest.mark.parametrize("token", [None, "host_" + "x" * 32])
def test_metadata_needs_a_key(api: Api, token: str | None) -> None:
    answer = api.post("/v1/matches", {**BODY, "metadata": METADATA}, token)
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert answer.json["errors"][0]["pointer"] == "/metadata"


def test_its_key_sees_it_and_has_an_entity_tag_of_its_own(api: Api) -> None:
    made = private(api, visibility="public")
    assert made["match"]["metadata"] == METADATA
    mine, nobodys = api.get(made["path"], ACME), api.get(made["path"])
    assert mine.json == {**nobodys.json, "metadata": METADATA}
    assert mine.headers["ETag"] != nobodys.headers["ETag"]
    assert api.get(made["path"], ACME, If_None_Match=mine.headers["ETag"]).status_code == 304
    assert api.get(made["path"], If_None_Match=mine.headers["ETag"]).status_code == 200
    assert api.get("/v1/matches", ACME).json["items"][0]["metadata"] == METADATA
    without = api.post("/v1/matches", BODY, ACME).json["match"]
    assert without["metadata"] == {}


def test_nobody_else_can_tell_whether_there_is_any(worlds: tuple[Api, Api]) -> None:  # noqa: F811
    """A match with metadata and the same without a key at all: the same bytes for every other viewer, to the end."""
    here, there = worlds
    here.use_keys(KEYS)
    there.use_keys(KEYS)
    made = here.post("/v1/matches", {**BODY, "metadata": METADATA}, ACME).json
    plain = there.post("/v1/matches", BODY).json
    assert made["match"].pop("metadata") == METADATA
    assert made == plain
    path = f"/v1/matches/{made['match']['id']}"
    joined, same = (api.post(f"{path}/join", {}) for api in worlds)
    assert_equal(joined, same, but=RATES)
    tokens = [made["seat_tokens"][0]["token"], joined.json["token"], made["host_token"], None, OTHER]

    def compare(*more: str) -> None:
        for token in tokens:
            for part in ("", "/observation", "/events?limit=500", "/messages", "/replay", *more):
                assert_equal(here.get(path + part, token), there.get(path + part, token), but=RATES)
            assert_equal(here.get("/v1/matches", token), there.get("/v1/matches", token), but=RATES)

    compare()
    for part in ("/leave", "/cancel"):
        for token in tokens:
            assert_equal(*(api.post(path + part, None, token) for api in worlds), but=RATES)
    compare("/replay?version=1")
    assert here.get(path, ACME).json["metadata"] == METADATA
    assert "metadata" not in there.get(path, ACME).json
    assert "metadata" not in here.get(f"{path}/replay", ACME).json


def test_no_key_is_stored(api: Api, redis_url: str) -> None:
    private(api)
    api.post("/v1/matches", BODY, ACME, Idempotency_Key="order 4711")
    client = redis.Redis.from_url(redis_url)
    for key in client.keys("*"):
        assert ACME[4:].encode() not in (client.dump(key) or b"")
    assert ACME not in repr(api.service.settings)
    assert SECRET.decode() not in repr(Settings(SECRET, api_keys=KEYS))
