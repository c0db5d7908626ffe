"""Whatever a client sends, the answer is a documented problem with a code, and nothing is lost."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest
import requests
from parlour_api.errors import error_classes
from parlour_api.store.keys import match_key

from tests.api.conftest import Api, make_api
from tests.api.test_api_keys import ACME, KEYS
from tests.documented import Operation, operations, parameters
from tests.support import Server

BUY = {"type": "buy", "source": "deck"}
SEATS = [{"kind": "mine"}, {"kind": "mine"}]

CREATE = [
    ({"game": "valente"}, "/seats"),
    ({"game": "valente", "seats": {}}, "/seats"),
    ({"game": "valente", "seats": []}, "/seats"),
    ({"game": "valente", "seats": SEATS[:1]}, "/seats"),
    ({"game": "valente", "seats": SEATS * 3}, "/seats"),
    ({"game": "valente", "seats": [{"kind": "mine"}, {"kind": "human"}]}, "/seats/1/kind"),
    ({"game": "valente", "seats": [{"kind": "mine"}, {"kind": "mine", "bot": "random"}]}, "/seats/1/bot"),
    ({"game": "valente", "seats": [{"kind": "mine"}, {"kind": "bot", "bot": "deep"}]}, "/seats/1/bot"),
    ({"game": "valente", "seats": SEATS, "colour": "red"}, "/colour"),
    ({"game": "valente", "seats": SEATS, "options": []}, "/options"),
    ({"game": "valente", "seats": SEATS, "options": {"time": 1}}, "/options/time"),
    ({"game": "valente", "seats": SEATS, "options": {"deck": "other"}}, "/options/deck"),
    ({"game": "valente", "seats": SEATS, "options": {"exchange_min": 3}}, "/options/exchange_min"),
    ({"game": "valente", "seats": SEATS, "options": {"first_seat": 2}}, "/options/first_seat"),
    ({"game": "valente", "seats": SEATS, "options": {"first_seat": -1}}, "/options/first_seat"),
    ({"game": "valente", "seats": SEATS, "options": {"first_seat": 1.0}}, "/options/first_seat"),
    ({"game": "valente", "seats": SEATS, "options": {"unheard": True}}, "/options/unheard"),
    ({"game": "valente", "seats": SEATS, "seed": "xyz"}, "/seed"),
    ({"game": "valente", "seats": SEATS, "seed": "ab"}, "/seed"),
    ({"game": "valente", "seats": SEATS, "seed": 7}, "/seed"),
    ({"game": "valente", "seats": SEATS, "clock": {}}, "/clock/per_decision_s"),
    ({"game": "valente", "seats": SEATS, "clock": {"per_decision_s": 0}}, "/clock/per_decision_s"),
    ({"game": "valente", "seats": SEATS, "clock": {"per_decision_s": -1}}, "/clock/per_decision_s"),
    ({"game": "valente", "seats": SEATS, "clock": {"per_decision_s": "5"}}, "/clock/per_decision_s"),
    ({"game": "valente", "seats": SEATS, "clock": {"per_decision_s": 1, "on_expiry": "nap"}}, "/clock/on_expiry"),
    ({"game": "valente", "seats": [{"kind": "mine", "name": "a\u202eb"}, {"kind": "mine"}]}, "/seats/0/name"),
    ({"game": "valente", "seats": [{"kind": "mine", "name": "a\nb"}, {"kind": "mine"}]}, "/seats/0/name"),
    ({"game": "valente", "seats": [{"kind": "mine", "name": ""}, {"kind": "mine"}]}, "/seats/0/name"),
    ({"game": "valente", "seats": [{"kind": "mine", "name": "x" * 41}, {"kind": "mine"}]}, "/seats/0/name"),
    ({"game": "valente", "seats": SEATS, "visibility": "hidden"}, "/visibility"),
]


@pytest.mark.parametrize(("body", "pointer"), CREATE)
def test_a_match_that_cannot_be_created(api: Api, body: Any, pointer: str) -> None:
    answer = api.post("/v1/matches", body)
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert answer.mimetype == "application/problem+json"
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]
    assert answer.json["errors"][0]["detail"]
    assert api.get("/v1/matches").json["items"] == []


ACT = [
    [BUY],
    {"decision": "x"},
    {"decision": "x", "actions": []},
    {"decision": "x", "actions": [BUY] * 65},
    {"decision": "x", "actions": BUY},
    {"decision": 3, "actions": [BUY]},
    {"decision": "", "actions": [BUY]},
    {"decision": "x" * 65, "actions": [BUY]},
    {"decision": "x", "actions": [BUY], "more": 1},
    {"decision": "x", "actions": [3]},
    {"decision": "x", "actions": [None]},
    {"decision": "x", "actions": [{}]},
    {"decision": "x", "actions": [{"id": -1}]},
    {"decision": "x", "actions": [{"id": 10**9}]},
    {"decision": "x", "actions": [{"id": 10**30}]},
    {"decision": "x", "actions": [{"id": 1.0}]},
    {"decision": "x", "actions": [{"id": True}]},
    {"decision": "x", "actions": [{"id": "1"}]},
    {"decision": "x", "actions": [{"id": 2, **BUY}]},
    {"decision": "x", "actions": [{"id": 1, "type": ["buy"]}]},
    {"decision": "x", "actions": [{"type": "buy"}]},
    {"decision": "x", "actions": [{"type": "buy", "source": {}}]},
    {"decision": "x", "actions": [{"type": "discard", "card": True}]},
    {"decision": "x", "actions": [{"type": "discard", "card": -4}]},
    {"decision": "x", "actions": [{"type": "castle"}]},
]


@pytest.mark.parametrize("body", ACT)
def test_an_act_that_does_not_fit_the_schema(api: Api, body: Any) -> None:
    made = api.create()
    before = api.observe(made)
    answer = api.post(f"/v1/matches/{made['id']}/actions", body, made["tokens"][0])
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error"), answer.text
    assert answer.json["errors"]
    assert api.observe(made) == before


@pytest.mark.parametrize("decision", ["x", "dec_x_0_0", "dec_aaaaaaaa_0_0", "dec_\u0000_0_0", "{}", "\ud83d\ude00"])
def test_a_decision_that_is_not_pending(api: Api, decision: str) -> None:
    made = api.create()
    answer = api.act(made, 0, [BUY], decision)
    assert (answer.status_code, answer.json["code"]) == (409, "stale_decision")
    assert answer.json["observation"]["decision"]


def test_an_action_of_another_seat_or_match(api: Api) -> None:
    made, other = api.create(), api.create()
    decision = api.observe(made)["decision"]["id"]
    assert api.act(made, 1, [BUY], decision).json["code"] == "not_your_turn"
    assert api.act(other, 0, [BUY], decision).json["code"] == "stale_decision"
    foreign = api.post(
        f"/v1/matches/{made['id']}/actions", {"decision": decision, "actions": [BUY]}, other["tokens"][0]
    )
    assert (foreign.status_code, foreign.json["code"]) == (403, "wrong_token")


RAW = [
    (b"{", "application/json", 400, "malformed_json"),
    (b"", "application/json", 400, "malformed_json"),
    (b"\xff\xfe{}", "application/json", 400, "malformed_json"),
    (b'{"a": NaN}', "application/json", 400, "malformed_json"),
    (b"[" * 30 + b"}" * 30, "application/json", 400, "malformed_json"),
    (b"[" * 5000 + b"]" * 5000, "application/json", 422, "validation_error"),
    (b"null", "application/json", 422, "validation_error"),
    (b"[]", "application/json", 422, "validation_error"),
    (b'"x"', "application/json", 422, "validation_error"),
    (b'{"decision": 1' + b"0" * 5000 + b', "actions": []}', "application/json", 400, "malformed_json"),
    (b"{}", "text/plain", 415, "unsupported_media_type"),
    (b"{}", "", 415, "unsupported_media_type"),
    (b"a=b", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
    (b'{"x":"' + b"a" * 66_000 + b'"}', "application/json", 413, "body_too_large"),
]


@pytest.mark.parametrize(("body", "kind", "status", "code"), RAW)
@pytest.mark.parametrize("path", ["/v1/matches", "/v1/matches/{id}/actions", "/v1/matches/{id}/join"])
def test_a_body_that_is_no_json_object(api: Api, path: str, body: bytes, kind: str, status: int, code: str) -> None:
    made = api.create("mo")
    headers = {"Authorization": f"Bearer {made['tokens'][0]}"} if "actions" in path else {}
    answer = api.client.post(path.format(id=made["id"]), data=body, content_type=kind or None, headers=headers)
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.text


DEEP = [
    ("/v1/matches", '{"game": "valente", "seats": [{"kind": "mine"}, {"kind": %s}]}', 3),
    *(
        ("/v1/matches", f'{{"game": "valente", "seats": [{{"kind": "mine"}}, {{"kind": "mine"}}], "{field}": %s}}', 1)
        for field in ("options", "clock", "seed")
    ),
    ("/v1/matches", '{"game": "valente", "seats": [], "options": {"deck": %s}}', 2),
    ("/v1/matches", '{"game": "valente", "seats": [], "metadata": {"a": %s}}', 2),
    ("/v1/matches/{id}/actions", '{"decision": "x", "actions": [{"type": %s}]}', 3),
    ("/v1/matches/{id}/actions", '{"decision": "x", "actions": [{"id": %s}]}', 3),
    ("/v1/matches/{id}/actions", '{"decision": "x", "actions": [{"id": 0, "source": %s}]}', 3),
    ("/v1/matches/{id}/actions", '{"decision": "x", "actions": [%s]}', 2),
    ("/v1/matches/{id}/messages", '{"text": "hi", "to": %s}', 1),
    ("/v1/matches/{id}/join", '{"seat": %s}', 1),
]


@pytest.mark.parametrize(("path", "body", "around"), DEEP)
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_body_that_is_nested_too_deep(
    api: Api, path: str, body: str, around: int, opening: str, closing: str
) -> None:
    """Wherever JSON of a client is hashed, compared or walked: none of it goes deeper than a guard at the door lets."""
    made = api.create()
    headers = {"Authorization": f"Bearer {made['tokens'][0]}"} if path.endswith(("actions", "messages")) else {}
    for levels in (32, 33, 1000, 5000):
        inner = levels - around
        data = body.replace("%s", opening * inner + "1" + closing * inner)
        answer = api.client.post(
            path.format(id=made["id"]), data=data, content_type="application/json", headers=headers
        )
        assert (answer.status_code, answer.json["code"]) == (422, "validation_error"), (levels, answer.text)
        too_deep = {"pointer": "", "detail": "must not be nested more than 32 levels deep"}
        assert (answer.json["errors"] == [too_deep]) == (levels > 32), answer.text


def test_brackets_in_a_text_are_no_nesting(api: Api) -> None:
    made = api.create()
    text = '[{"\\' * 60
    said = api.post(f"/v1/matches/{made['id']}/messages", {"text": text}, made["tokens"][0])
    assert (said.status_code, said.json["text"]) == (201, text)


@pytest.mark.parametrize(
    "match_id", ["x", "mat_", "mat_zzzzzzzzzzzzzzzzz", "mat_0" + "A" * 16, "%00", "..%2f", "mat_0" + "a" * 500]
)
def test_an_id_of_no_match(api: Api, match_id: str) -> None:
    for path in ("", "/observation", "/events"):
        answer = api.get(f"/v1/matches/{match_id}{path}")
        assert answer.status_code == 404, answer.text
        assert answer.json["code"] in ("match_not_found", "not_found")


@pytest.mark.parametrize(
    "query",
    [
        "observation?after=-1", "observation?after=x", "observation?after=1&wait=56", "observation?after=1&wait=nan",
        "observation?after=1.5", "observation?after=1&wait=-1", "observation?after=", "observation?after=9999999999999",
        "observation?after=1&wait=1e3", "observation?wait=1", "observation?wait=0", "replay?seat=1",
        "replay?version=-1", "events?after=-1", "events?limit=0", "events?limit=501", "events?after=x",
        "messages?limit=0", "messages?limit=1e9",
    ],
)  # fmt: skip
def test_a_query_that_does_not_fit(api: Api, query: str) -> None:
    made = api.create()
    answer = api.get(f"/v1/matches/{made['id']}/{query}")
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error"), answer.text
    name = query.rpartition("&")[2].rpartition("?")[2].partition("=")[0]
    (fault,) = answer.json["errors"]
    assert fault["pointer"] == f"/{name}"
    assert not re.search(r"[0-9]e[+-]?[0-9]", fault["detail"]), "a number that nobody writes like that"


NUMBERS = [
    pytest.param(operation, parameter, id=f"{operation.id}-{parameter['name']}")
    for operation in operations()
    for parameter in parameters(operation)
    if parameter["in"] == "query" and parameter["schema"]["type"] in ("integer", "number")
]


@pytest.mark.parametrize(
    "text", ["1_0", "%201", "1%20", "%2B1", "%D9%A3", "%EF%BC%91", "0x1", "1.", ".5", "1e", "%0A1"]
)
@pytest.mark.parametrize(("operation", "number"), NUMBERS)
def test_a_number_of_a_query_is_plain_digits(api: Api, operation: Operation, number: dict[str, Any], text: str) -> None:
    """And nothing else that Python would read as one: blanks, signs, underscores, digits of other scripts."""
    assert fault_of(api, operation, number["name"], text)


@pytest.mark.parametrize(("operation", "number"), NUMBERS)
def test_a_number_that_is_too_high_is_told_the_highest(api: Api, operation: Operation, number: dict[str, Any]) -> None:
    """Written as people write it, and as the document has it."""
    detail = fault_of(api, operation, number["name"], "99999999999")
    assert re.search(rf"\b{number['schema']['maximum']:.0f}\b", detail), detail
    assert not re.search(r"[0-9]e[+-]?[0-9]", detail), detail


def fault_of(api: Api, operation: Operation, name: str, text: str) -> str:
    """What is wrong with this parameter, which alone is wrong."""
    api.use_keys(KEYS)
    path = operation.path.replace("{match_id}", api.create("mb")["id"])
    path = path.replace("{webhook_id}", "whk_0aaaaaaaaaaaaaaaa")
    more = "after=0&" if name == "wait" else ""
    answer = api.get(f"{path}?{more}{name}={text}", ACME if "webhooks" in path else None)
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    (fault,) = answer.json["errors"]
    assert fault["pointer"] == f"/{name}"
    return str(fault["detail"])


def test_there_are_numbers_in_queries() -> None:
    assert {pair.values[1]["name"] for pair in NUMBERS} == {"after", "wait", "limit", "seat", "version"}


@pytest.mark.parametrize("seat", ["%D9%A0", "+0", "0_0", "%200", "-0", "0x0"])
def test_a_seat_of_an_address_is_plain_digits(api: Api, seat: str) -> None:
    made = api.create()
    answer = api.post(f"/v1/matches/{made['id']}/seats/{seat}/takeover", None, made["tokens"][0])
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("query", "name"), [("limit=1&limit=2", "limit"), ("game=a&game=a", "game"), ("limit=1&cursor=&cursor=x", "cursor")]
)
def test_a_query_parameter_is_given_once(api: Api, query: str, name: str) -> None:
    answer = api.get(f"/v1/matches?{query}")
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert answer.json["errors"] == [{"pointer": f"/{name}", "detail": "must be given once"}]


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/matches/{id}/actions", "/v1/matches/{id}/join"])
@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "br", "identity, gzip", "x"])
def test_an_encoded_body_is_told_what_is_taken(api: Api, path: str, encoding: str) -> None:
    made = api.create()
    decision = api.observe(made)["decision"]["id"]
    body = json.dumps({"decision": decision, "actions": [BUY]}).encode()
    headers = {"Authorization": f"Bearer {made['tokens'][0]}", "Content-Encoding": encoding}
    for data in (gzip.compress(body), body):
        answer = api.client.post(
            path.format(id=made["id"]), data=data, headers=headers, content_type="application/json"
        )
        assert (answer.status_code, answer.json["code"]) == (415, "unsupported_media_type")
        assert "identity" in answer.json["detail"]
        assert answer.headers["Accept-Encoding"] == "identity"
    assert api.observe(made)["decision"]["id"] == decision
    plain = api.client.post("/v1/matches", data=b"{}", content_type="text/plain")
    assert "Accept-Encoding" not in plain.headers, "RFC 7694: only where the encoding is at fault"


def test_a_body_that_is_identity_encoded_is_taken(api: Api) -> None:
    body = {"game": "valente", "seats": SEATS}
    assert api.post("/v1/matches", body, Content_Encoding="identity").status_code == 201


@pytest.mark.parametrize(
    ("path", "name", "known"),
    [
        ("/v1/games?colour=red", "colour", "limit, cursor"),
        ("/v1/games/valente?limit=3", "limit", "deck"),
        ("/v1/matches?colour=red&limit=3", "colour", "limit, cursor, game, status, has_open_seat"),
        ("/v1/matches/{id}?Limit=3", "Limit", "takes none"),
        ("/v1/matches/{id}/observation?since=3", "since", "after, wait"),
        ("/v1/matches/{id}/events?afer=3", "afer", "after, limit, ticket"),
    ],
)
def test_a_query_parameter_that_nobody_knows(api: Api, path: str, name: str, known: str) -> None:
    """As unknown fields of a body: a typo is told, never ignored."""
    answer = api.get(path.format(id=api.create()["id"]))
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert [fault["pointer"] for fault in answer.json["errors"]] == [f"/{name}"]
    assert known in answer.json["errors"][0]["detail"]


def test_health_checks_may_carry_any_query(api: Api) -> None:
    assert api.get("/healthz?probe=3").status_code == 200


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "cursor=x", "cursor=%00", "cursor=MTox", "status=over", "has_open_seat=1"],
)
def test_a_lobby_query_that_does_not_fit(api: Api, query: str) -> None:
    answer = api.get(f"/v1/matches?{query}")
    if query == "cursor=MTox":  # well formed, names no match: the page after it
        assert answer.status_code == 200
    else:
        assert (answer.status_code, answer.json["code"]) == (422, "validation_error"), answer.text


def test_a_body_of_unknown_length_is_refused_and_never_cut(server: Server) -> None:
    """Chunked: a valid match, then more blanks than fit, then rubbish."""
    head = json.dumps({"game": "valente", "seats": SEATS}).encode()
    for blanks, status in ((1_000, 400), (66_000, 413), (400_000, 413)):
        parts = iter([head, b" " * blanks, b"}}}"])
        headers = {"Content-Type": "application/json"}
        answer = requests.post(f"{server.url}/v1/matches", data=parts, headers=headers, timeout=120)
        assert answer.status_code == status, (blanks, answer.text)
    whole = requests.post(f"{server.url}/v1/matches", data=iter([head]), headers=headers, timeout=120)
    assert whole.status_code == 201


def test_a_given_seed_and_awaited_entropy_exclude_each_other(api: Api) -> None:
    body = {"game": "valente", "seats": SEATS, "seed": "ab" * 16, "entropy": "awaited"}
    answer = api.post("/v1/matches", body)
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/entropy")


def test_methods_and_addresses_that_are_not_there(api: Api) -> None:
    answer = api.client.patch("/v1/matches")
    assert (answer.status_code, answer.json["code"]) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert api.get("/v1/nothing").json["code"] == "not_found"
    assert api.get("/").json["code"] == "not_found"


def test_every_error_has_a_page(api: Api) -> None:
    for code, error in error_classes().items():
        page = api.get(f"/errors/{code}")
        assert page.status_code == 200
        assert error.title in page.text or "&" in page.text
        assert error.page, code
        assert error.title, code
    assert api.get("/errors/nothing").json["code"] == "error_not_found"


def test_an_error_names_its_request(api: Api) -> None:
    answer = api.get("/v1/nothing")
    assert answer.json["request_id"] == answer.headers["X-Request-Id"]
    assert answer.json["type"] == "/errors/not_found"
    assert answer.json["instance"] == "/v1/nothing"


def test_redis_away_is_a_503_that_says_when_to_come_back(api: Api) -> None:
    away = make_api("unix:///nowhere/redis.sock")
    for answer in (away.get("/v1/matches"), away.get("/v1/matches/mat_0" + "a" * 16 + "/observation")):
        assert (answer.status_code, answer.json["code"]) == (503, "storage_unavailable")
        assert answer.headers["Retry-After"] == "2"
    ready = away.get("/readyz")
    assert (ready.status_code, ready.json["checks"]) == (503, {"redis": False, "queue": False, "worker": False})
    assert away.get("/healthz").status_code == 200


def test_a_redis_that_takes_no_writes_is_read_all_the_same(api: Api) -> None:
    """A full disk, too few replicas: what a reader would keep for the next one is not worth a 503."""
    made, gone = api.create(), api.create("mo")
    api.clock.forward(61)
    client = api.service.store.client
    client.delete(match_key(gone["id"]))
    client.config_set("min-replicas-to-write", 1)
    try:
        for seat in (0, 1, None):
            assert api.observe(made, seat)["seat"] == seat
        assert [match["id"] for match in api.get("/v1/matches").json["items"]] == [made["id"]]
        assert api.get(f"/v1/matches/{made['id']}/events").status_code == 200
        refused = api.act(made, 0, [BUY])
        assert (refused.status_code, refused.json["code"]) == (503, "storage_unavailable")
    finally:
        client.config_set("min-replicas-to-write", 0)
    assert api.act(made, 0, [BUY]).status_code == 200
