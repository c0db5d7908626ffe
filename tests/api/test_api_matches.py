"""Matches until they start: who may see, take, fill and leave what."""

from __future__ import annotations

import re
from typing import Any

import pytest
from parlour_api.match import load_record
from parlour_api.store import keys
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES

from tests.api.conftest import Api, fresh_api
from tests.documented import followed, operations, parameters

SUMMARY = {
    "id", "game", "game_version", "options", "status", "visibility", "seats", "clock", "version", "awaiting", "outcome",
    "commitment", "open_seed", "created_at", "started_at", "finished_at",
}  # fmt: skip


def test_create_gives_a_token_for_each_seat_of_the_creator(api: Api) -> None:
    made = api.create("mob")
    assert set(made["tokens"]) == {0}
    assert made["match"]["status"] == "open"
    assert set(made["match"]) == SUMMARY
    seats = made["match"]["seats"]
    assert [(seat["kind"], seat["taken"], seat["played_by"]) for seat in seats] == [
        ("human", True, "human"),
        ("human", False, None),
        ("bot", True, "bot"),
    ]
    assert "join_code" not in made


def test_location_leads_to_the_match(api: Api) -> None:
    answer = api.post("/v1/matches", {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]})
    assert api.get(answer.headers["Location"]).json == answer.json["match"]


def test_a_match_starts_by_itself_once_all_seats_are_taken(api: Api) -> None:
    made = api.create("mo")
    assert api.observe(made)["view"] is None
    joined = api.post(f"/v1/matches/{made['id']}/join", {"name": "Bea"})
    assert joined.status_code == 200
    assert joined.json["seat"] == 1
    assert joined.json["match"]["status"] == "playing"
    assert joined.json["match"]["seats"][1]["name"] == "Bea"
    assert len(api.observe(made)["view"]["hand"]) == 5


def test_a_manual_match_waits_for_its_host(api: Api) -> None:
    made = api.create("mo", start="manual")
    path = f"/v1/matches/{made['id']}"
    assert api.post(f"{path}/start", token=made["host_token"]).json["code"] == "seats_open"
    api.post(f"{path}/join")
    assert api.get(path).json["status"] == "open"
    assert api.post(f"{path}/start", token=made["tokens"][0]).json["code"] == "wrong_token"
    assert api.post(f"{path}/start").json["code"] == "missing_token"
    assert api.post(f"{path}/start", token=made["host_token"]).json["status"] == "playing"
    assert api.post(f"{path}/start", token=made["host_token"]).json["code"] == "match_started"


def test_join_a_named_seat(api: Api) -> None:
    made = api.create("moo")
    path = f"/v1/matches/{made['id']}/join"
    assert api.post(path, {"seat": 2}).json["seat"] == 2
    assert api.post(path, {"seat": 2}).json["code"] == "seat_taken"
    assert api.post(path, {"seat": 7}).json["code"] == "validation_error"
    assert api.post(path, {"seat": 1}).status_code == 200
    assert api.post(path).json["code"] == "match_started"


def test_leaving_frees_the_seat_and_ends_its_token(api: Api) -> None:
    made = api.create("moo")
    path = f"/v1/matches/{made['id']}"
    token = api.post(f"{path}/join").json["token"]
    left = api.post(f"{path}/leave", token=token)
    assert left.json["seats"][1]["taken"] is False
    assert api.post(f"{path}/leave", token=token).json["code"] == "wrong_token"
    assert api.get(f"{path}/observation", token).json["code"] == "wrong_token"
    again = api.post(f"{path}/join").json["token"]
    assert again != token


def test_the_host_fills_a_seat_with_a_bot_and_opens_it_again(api: Api) -> None:
    made = api.create("moo")
    path = f"/v1/matches/{made['id']}"
    filled = api.put(f"{path}/seats/1", {"kind": "bot", "bot": "random"}, made["host_token"])
    assert filled.json["seats"][1]["bot"] == "random"
    opened = api.put(f"{path}/seats/1", {"kind": "open"}, made["host_token"])
    assert opened.json["seats"][1]["taken"] is False
    assert api.put(f"{path}/seats/1", {"kind": "bot", "bot": "no"}, made["host_token"]).status_code == 422
    assert api.put(f"{path}/seats/9", {"kind": "open"}, made["host_token"]).status_code == 422
    assert api.put(f"{path}/seats/1", {"kind": "open"}, made["tokens"][0]).json["code"] == "wrong_token"


def test_versions_count_every_change_of_a_seat(api: Api) -> None:
    made = api.create("moo")
    path = f"/v1/matches/{made['id']}"
    assert made["match"]["version"] == 0
    token = api.post(f"{path}/join").json["token"]
    assert api.get(path).json["version"] == 1
    api.post(f"{path}/leave", token=token)
    assert api.get(path).json["version"] == 2


def test_a_private_match_is_not_there_without_its_token(api: Api) -> None:
    made = api.create("mo", visibility="private")
    other = api.create("mo")
    for path in ("", "/observation", "/events"):
        for token in (None, other["tokens"][0], other["host_token"]):
            answer = api.get(f"/v1/matches/{made['id']}{path}", token)
            assert (answer.status_code, answer.json["code"]) == (404, "match_not_found")
            gone = api.get(f"/v1/matches/mat_7{'a' * 16}{path}", token)
            assert gone.json["detail"].replace("mat_7" + "a" * 16, made["id"]) == answer.json["detail"]
    for path in ("actions", "start", "leave"):
        body = {"decision": "x", "actions": [{"id": 1}]} if path == "actions" else None
        assert api.post(f"/v1/matches/{made['id']}/{path}", body).status_code == 404
    assert api.get(f"/v1/matches/{made['id']}", made["tokens"][0]).status_code == 200
    assert api.get(f"/v1/matches/{made['id']}/observation", made["host_token"]).json["seat"] is None
    assert api.get("/v1/matches").json["items"] == [api.get(f"/v1/matches/{other['id']}").json]


def test_joining_a_private_match_needs_its_code(api: Api) -> None:
    made = api.create("mo", visibility="private")
    path = f"/v1/matches/{made['id']}/join"
    assert api.post(path).status_code == 404
    assert api.post(path, {"join_code": "abc"}).status_code == 404
    assert api.post(path, {"join_code": made["join_code"]}).status_code == 200


def test_a_join_code_may_be_typed_in_capitals(api: Api) -> None:
    made = api.create("mo", visibility="private")
    typed = f" {made['join_code'].upper()} "
    assert api.post(f"/v1/matches/{made['id']}/join", {"join_code": typed}).status_code == 200


def test_a_token_of_another_match_gets_one_and_the_same_answer(api: Api) -> None:
    made, other = api.create(), api.create()
    bodies = set()
    for token in (
        other["tokens"][0],
        other["tokens"][1],
        other["host_token"],
        made["tokens"][0][:-1] + "x",
        "seat_9_" + "a" * 32,
    ):
        answer = api.get(f"/v1/matches/{made['id']}/observation", token)
        assert answer.status_code == 403
        bodies.add(answer.text.replace(answer.json["request_id"], ""))
    assert len(bodies) == 1


@pytest.mark.parametrize(
    "header", ["Bearer x", "Basic abc", "Bearer", "seat_0_" + "a" * 32, "Bearer seat_0_" + "a" * 31]
)
def test_what_is_no_token_is_401(api: Api, header: str) -> None:
    made = api.create()
    answer = api.get(f"/v1/matches/{made['id']}/observation", Authorization=header)
    assert (answer.status_code, answer.json["code"]) == (401, "invalid_token")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_the_lobby_forgets_a_match_that_is_gone(api: Api) -> None:
    """Not in its first minute: it is listed before its first commit."""
    gone, there = api.create("mo"), api.create("mo")
    client = api.service.store.client
    client.delete(keys.match_key(gone["id"]))  # as Redis does when its time is over
    for seconds, left in ((60, {gone["id"], there["id"]}), (1, {there["id"]})):
        api.clock.forward(seconds)
        assert [match["id"] for match in api.get("/v1/matches").json["items"]] == [there["id"]]
        assert {each.decode() for each in client.zrange(keys.LOBBY, 0, -1)} == left


def test_the_lobby_pages_newest_first_and_filters(api: Api) -> None:
    ids = []
    for number in range(5):
        api.clock.forward(1)
        ids.append(api.create("mo" if number % 2 else "mm")["id"])
    first = api.get("/v1/matches?limit=2").json
    assert [match["id"] for match in first["items"]] == ids[:2:-1]
    rest, cursor = [], first["next_cursor"]
    while cursor:
        page = api.get(f"/v1/matches?limit=2&cursor={cursor}").json
        rest += [match["id"] for match in page["items"]]
        cursor = page["next_cursor"]
    assert rest == ids[2::-1]
    assert [match["id"] for match in api.get("/v1/matches?has_open_seat=true").json["items"]] == [ids[3], ids[1]]
    assert len(api.get("/v1/matches?status=playing").json["items"]) == 3
    assert api.get("/v1/matches?game=nothing").json["items"] == []


def test_matches_of_one_instant_page_without_gap_or_repeat(api: Api) -> None:
    ids = {api.create("mo")["id"] for _ in range(7)}
    seen, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/v1/matches?limit=3{cursor and '&cursor=' + cursor}").json
        seen += [match["id"] for match in page["items"]]
        cursor = page["next_cursor"]
    assert sorted(seen) == sorted(ids)


@pytest.mark.parametrize(("query", "count"), [("", 4), ("&has_open_seat=true", 2)])
def test_a_page_that_holds_the_last_match_says_so(api: Api, query: str, count: int) -> None:
    for number in range(4):
        api.create("mo" if number % 2 else "mm")
    for limit, is_last in ((count - 1, False), (count, True), (count + 1, True)):
        page = api.get(f"/v1/matches?limit={limit}{query}").json
        assert (len(page["items"]), page["next_cursor"] is None) == (min(limit, count), is_last)


def test_a_given_seed_is_shown_as_such_and_never_told(api: Api) -> None:
    made = api.create(seed="ab" * 16)
    assert made["match"]["open_seed"] is True
    assert "ab" * 16 not in api.get(f"/v1/matches/{made['id']}").text
    assert api.create()["match"]["open_seed"] is False


def test_the_catalogue_tells_what_a_screen_needs(api: Api) -> None:
    games = api.get("/v1/games").json["items"]
    assert "valente" in [game["id"] for game in games]
    game = api.get("/v1/games/valente").json
    assert game["seats"] == {"min": 2, "max": 4}
    assert game["options_schema"]["additionalProperties"] is False
    assert "**VA-1 " in game["rules"]
    assert game["actions"]["2"][1]["type"] == "buy"
    assert game["kinds"][0]["name"] == "turn"
    assert api.get("/v1/games/chess").json["code"] == "game_not_found"
    bots = api.get("/v1/bots").json["items"]
    assert {"game": "valente", "id": "random"}.items() <= bots[0].items()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_every_rule_that_a_game_cites_is_served_with_it(api: Api, game: AnyGame) -> None:
    """Such as CM-11, which all games share, or CM-6a."""
    page = api.get(f"/v1/games/{game.slug}")
    own, common = (
        re.findall(r"^- \*\*([A-Z]{2}-\d+[a-z]?)", page.json[part], re.M) for part in ("rules", "common_rules")
    )
    assert {"CM-6a", "CM-11"} <= set(common)
    assert not {*own} & {*common}
    assert set(re.findall(r"\b(?:CM|VA|LD|LS)-\d+[a-z]?\b", page.text)) == {*own, *common}


@pytest.mark.parametrize("path", ["/v1/games", "/v1/bots", "/v1/matches"])
def test_lists_come_in_pages(api: Api, path: str) -> None:
    for _ in range(3):
        api.create("mo")
    whole = api.get(path).json
    assert whole["next_cursor"] is None
    assert len(whole["items"]) >= 3
    for limit in (1, 2, len(whole["items"]), 100):
        items: list[Any] = []
        cursor: str | None = ""
        while cursor is not None:
            page = api.get(f"{path}?limit={limit}" + (f"&cursor={cursor}" if cursor else "")).json
            assert len(page["items"]) <= limit
            items += page["items"]
            cursor = page["next_cursor"]
        assert items == whole["items"]
    for query in ("limit=0", "limit=101", "limit=x", "cursor=x", "cursor=", "cursor=%00"):
        refused = api.get(f"{path}?{query}")
        assert (refused.status_code, refused.json["code"]) == (422, "validation_error"), query
        assert refused.json["errors"][0]["pointer"] == f"/{query.partition('=')[0]}"


def test_every_list_of_the_document_takes_limit_and_cursor() -> None:
    for operation in operations():
        schema = operation.answers.get("200", {}).get("application/json", {}).get("schema", {})
        if "next_cursor" in followed(schema).get("properties", {}):
            found = {each["name"]: each["schema"] for each in parameters(operation) if each["in"] == "query"}
            assert "cursor" in found, operation.id
            assert {"default": 20, "minimum": 1, "maximum": 100}.items() <= found["limit"].items(), operation.id


@pytest.mark.parametrize("bot_answer_s", [(1.0, 1.0), (3.0, 4.5)])
def test_house_bots_think_as_long_as_the_catalogue_says(redis_url: str, bot_answer_s: tuple[float, float]) -> None:
    """Over offers and secret decisions, drawn anew for each; over all else not at all."""
    with fresh_api(redis_url, bot_answer_s=bot_answer_s) as api:
        game = api.service.catalogue.find("lovestruck")
        (told,) = {tuple(bot["think_time_s"].values()) for bot in api.get("/v1/bots").json["items"]}
        assert told == bot_answer_s
        made = api.create("bbbbb", game="lovestruck", options={}, seed="07" * 16)
        took: dict[bool, set[int]] = {False: set(), True: set()}
        for _ in range(200):
            record = load_record(api.service.store.load(made["id"]).record)
            for owed in record.owed.values():
                took[game.kinds[owed.kind].answering].add(owed.due - owed.since)
            if record.finished_at is not None:
                break
            api.clock.now = min(owed.due for owed in record.owed.values())
            api.service.acting.play_bots(made["id"])
        low, high = (round(1000 * each) for each in bot_answer_s)
        assert took[False] == {0}
        assert low <= min(took[True]) <= max(took[True]) <= high
        assert (len(took[True]) > 1) == (low < high)
