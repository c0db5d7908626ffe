"""Seats while the match is played: leave, takeover, return; banks; cancel and abandon."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from parlour_api.match import load_record
from parlour_api.store.keys import events_key, log_key, match_key

from tests.api.conftest import Api, fresh_api

BUY = {"type": "buy", "source": "deck"}


def seat_of(api: Api, made: dict[str, Any], seat: int) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/v1/matches/{made['id']}", made["host_token"]).json["seats"][seat]
    return found


def play_bots(api: Api, made: dict[str, Any]) -> None:
    while api.service.acting.play_bots(made["id"]):
        pass


def test_who_leaves_in_play_is_played_by_a_bot_at_once(api: Api) -> None:
    """With or without a clock; and nobody waits."""
    made = api.create("mm")
    left = api.post(f"/v1/matches/{made['id']}/leave", token=made["tokens"][0])
    assert left.status_code == 200
    assert left.json["seats"][0]["played_by"] == "bot"
    assert left.json["seats"][0]["taken"] is True
    play_bots(api, made)
    assert api.observe(made, 1)["decision"]
    told = [item["event"] for item in api.get(f"/v1/matches/{made['id']}/events").json["items"]]
    assert {"seat": 0, "name": "Player 1", "taken": True, "played_by": "bot", "type": "seat_changed"} in told


def test_the_seats_token_takes_it_back(api: Api) -> None:
    made = api.create("mm")
    path = f"/v1/matches/{made['id']}/seats/0"
    assert api.post(f"{path}/takeover", token=made["tokens"][0]).json["seats"][0]["played_by"] == "bot"
    before = api.observe(made)
    assert before["seat"] == 0
    assert seat_of(api, made, 0)["played_by"] == "bot", "reading never takes a seat back"
    assert api.post(f"{path}/return", token=made["tokens"][1]).json["code"] == "wrong_token"
    assert api.post(f"{path}/return", token=made["host_token"]).json["code"] == "wrong_token"
    assert api.post(f"{path}/return", token=made["tokens"][0]).json["seats"][0]["played_by"] == "human"
    after = api.observe(made)
    assert after["decision"]["id"] == before["decision"]["id"]
    assert after["version"] == before["version"] + 1


def test_a_valid_act_takes_the_seat_back_and_an_invalid_one_does_not(api: Api) -> None:
    made = api.create("mm")
    api.post(f"/v1/matches/{made['id']}/seats/0/takeover", token=made["tokens"][0])
    assert api.act(made, 0, [{"type": "discard", "card": 1}]).status_code == 422
    assert seat_of(api, made, 0)["played_by"] == "bot"
    assert api.act(made, 0, [BUY]).status_code == 200
    assert seat_of(api, made, 0)["played_by"] == "human"


def test_a_bot_that_still_thinks_after_a_return_changes_nothing(api: Api) -> None:
    made = api.create("mm")
    path = f"/v1/matches/{made['id']}/seats/0"
    api.post(f"{path}/takeover", token=made["tokens"][0])
    real = api.service.store.commit

    def return_first(change: Any) -> bool:
        api.service.store.commit = real  # type: ignore[method-assign]
        api.post(f"{path}/return", token=made["tokens"][0])
        return real(change)

    api.service.store.commit = return_first  # type: ignore[method-assign]
    play_bots(api, made)
    seen = api.observe(made)
    assert seen["decision"]["id"].endswith("_0_0"), "the bot's move came too late"
    assert seat_of(api, made, 0)["played_by"] == "human"


BANK = {"per_decision_s": 10, "bank_s": 60, "increment_s": 5, "on_expiry": "default_move"}


def detour(api: Api, made: dict[str, Any], away: str) -> None:
    """Give seat 0 to a house bot and take it back at once."""
    api.post(f"/v1/matches/{made['id']}/{away}", token=made["tokens"][0])
    assert api.post(f"/v1/matches/{made['id']}/seats/0/return", token=made["tokens"][0]).status_code == 200


@pytest.mark.parametrize("away", ["seats/0/takeover", "leave"])
def test_a_detour_by_way_of_a_bot_wins_no_time(api: Api, away: str) -> None:
    """The same decision keeps its since and its deadline; the bank ends up as without the detour."""
    made = api.create("mm", clock=BANK)
    before = api.observe(made)
    for _ in range(3):
        api.clock.forward(12)
        detour(api, made, away)
        seen = api.observe(made)
        assert (seen["decision"], seen["awaiting"]) == (before["decision"], before["awaiting"])
    api.clock.forward(4)
    assert api.act(made, 0, [BUY]).status_code == 200
    assert seat_of(api, made, 0)["bank_s"] == 60 - 30 + 5


def test_a_takeover_spends_the_time_used_so_far(api: Api) -> None:
    """Also when the bot answers then, for which the seat gains no increment."""
    made = api.create("mm", clock=BANK)
    api.clock.forward(35)
    api.post(f"/v1/matches/{made['id']}/seats/0/takeover", token=made["tokens"][0])
    assert seat_of(api, made, 0)["bank_s"] == 60 - 25
    api.clock.forward(20)
    play_bots(api, made)
    assert seat_of(api, made, 0)["bank_s"] == 60 - 25, "while the bot has the seat its own player's time is not used"


def test_an_act_that_takes_the_seat_back_has_no_more_time_either(api: Api) -> None:
    made = api.create("mm", clock=BANK)
    api.clock.forward(30)
    api.post(f"/v1/matches/{made['id']}/leave", token=made["tokens"][0])
    api.clock.forward(10)
    assert api.act(made, 0, [BUY]).status_code == 200
    assert (seat_of(api, made, 0)["played_by"], seat_of(api, made, 0)["bank_s"]) == ("human", 60 - 30 + 5)


def test_a_seat_taken_back_after_its_deadline_is_too_late(api: Api) -> None:
    """The clock acts at once, and once; a valid act comes too late, and takes nothing back."""
    made = api.create("mm", clock=BANK)
    decision = api.observe(made)["decision"]["id"]
    api.clock.forward(60)
    api.post(f"/v1/matches/{made['id']}/seats/0/takeover", token=made["tokens"][0])
    assert api.service.acting.expire(made["id"]) == 0
    api.clock.forward(10)
    assert api.service.acting.expire(made["id"]) == 0, "a house bot plays the seat: the clock is not its"
    late = api.act(made, 0, [BUY], decision)
    assert (late.status_code, late.json["code"]) == (409, "stale_decision")
    assert seat_of(api, made, 0)["played_by"] == "bot"

    made = api.create("mm", clock=BANK)
    decision = api.observe(made)["decision"]["id"]
    api.clock.forward(60)
    api.post(f"/v1/matches/{made['id']}/seats/0/takeover", token=made["tokens"][0])
    api.clock.forward(10)
    api.post(f"/v1/matches/{made['id']}/seats/0/return", token=made["tokens"][0])
    assert api.service.acting.expire(made["id"]) == 1
    assert api.service.acting.expire(made["id"]) == 0
    assert api.act(made, 0, [BUY], decision).json["code"] == "stale_decision"
    assert seat_of(api, made, 0)["bank_s"] == 5


def test_a_bot_answers_for_a_player_no_later_than_the_player_could(api: Api) -> None:
    """Of the kinds whose answers take a drawn time, too; and giving the seat away again draws no later one."""
    clock = {"per_decision_s": 0.3, "on_expiry": "default_move"}
    made = api.create("mmmmm", game="lovestruck", options={}, clock=clock, seed="07" * 16)
    game = api.service.catalogue.find("lovestruck")
    for _ in range(200):
        record = load_record(api.service.store.load(made["id"]).record)
        answering = [seat for seat, owed in record.owed.items() if game.kinds[owed.kind].answering]
        if answering:
            break
        number = next(iter(record.owed))
        legal = api.observe(made, number)["decision"]["legal_actions"]
        assert api.act(made, number, [{"id": legal[0]["id"]}]).status_code == 200
    number = answering[0]
    path, token = f"/v1/matches/{made['id']}/seats/{number}", made["tokens"][number]
    version = record.version
    api.clock.forward(0.29)
    api.post(f"{path}/takeover", token=token)
    api.post(f"{path}/return", token=token)
    away = api.post(f"{path}/takeover", token=token).json
    shown = next(each["deadline"] for each in away["awaiting"] if each["seat"] == number)
    assert shown is None, "a house bot has no deadline to show"
    play_bots(api, made)
    assert api.observe(made)["version"] == version + 3
    api.clock.forward(0.01)
    play_bots(api, made)
    assert api.observe(made)["version"] > version + 3


def test_leaving_twice_is_leaving_once(api: Api) -> None:
    made = api.create("mm", clock=BANK)
    path = f"/v1/matches/{made['id']}/leave"
    first = api.post(path, token=made["tokens"][0]).json
    api.clock.forward(40)
    assert api.post(path, token=made["tokens"][0]).json == first


def test_the_host_hands_over_only_a_seat_whose_player_is_gone(api: Api) -> None:
    made = api.create("mm", clock={"per_decision_s": 10, "on_expiry": "default_move", "takeover_after": 2})
    path = f"/v1/matches/{made['id']}/seats/1/takeover"
    assert api.post(path, token=made["host_token"]).json["code"] == "host_is_player"
    assert api.post(path, token=made["tokens"][0]).json["code"] == "wrong_token"
    assert api.post(path).json["code"] == "missing_token"
    api.post(f"/v1/matches/{made['id']}/leave", token=made["tokens"][1])
    assert api.post(path, token=made["host_token"]).status_code == 200
    assert api.post(f"/v1/matches/{made['id']}/seats/9/takeover", token=made["host_token"]).status_code == 422


def test_after_some_expiries_in_a_row_a_bot_plays_the_seat(api: Api) -> None:
    made = api.create("mm", clock={"per_decision_s": 10, "on_expiry": "default_move", "takeover_after": 2})
    api.clock.forward(10)
    api.service.acting.expire(made["id"])
    assert seat_of(api, made, 0)["played_by"] == "human"
    api.act(made, 0, [BUY])  # an answer starts the count anew
    for player in ("human", "bot"):
        while api.observe(made, 0)["decision"] is None:
            decision = api.observe(made, 1)["decision"]
            api.act(made, 1, [{"id": decision["legal_actions"][0]["id"]}])
        api.clock.forward(10)
        assert api.service.acting.expire(made["id"]) == 1
        assert seat_of(api, made, 0)["played_by"] == player
    assert api.observe(made)["awaiting"][0]["deadline"] is None or api.observe(made)["awaiting"][0]["seat"] == 1
    play_bots(api, made)
    assert api.observe(made, 1)["decision"]


def test_a_bank_pays_for_what_a_decision_takes_beyond_its_own_time(api: Api) -> None:
    clock = {"per_decision_s": 10, "bank_s": 60, "increment_s": 5, "on_expiry": "default_move"}
    made = api.create("mm", clock=clock)
    assert api.observe(made)["decision"]["deadline"] == "2027-01-15T08:01:10.000Z"
    api.clock.forward(30)
    seen = api.act(made, 0, [BUY]).json["observation"]
    assert seat_of(api, made, 0)["bank_s"] == 60 - 20 + 5
    assert seen["decision"]["deadline"] == "2027-01-15T08:01:25.000Z"  # 30 + 10 + 45
    assert seat_of(api, made, 1)["bank_s"] == 60


def test_an_expiry_empties_the_bank_but_for_the_increment(api: Api) -> None:
    made = api.create("mm", clock={"bank_s": 20, "increment_s": 3, "on_expiry": "default_move", "takeover_after": 9})
    api.clock.forward(19.999)
    assert api.service.acting.expire(made["id"]) == 0
    api.clock.forward(0.001)
    assert api.service.acting.expire(made["id"]) == 1
    assert seat_of(api, made, 0)["bank_s"] == 3


@pytest.mark.parametrize(
    "clock", [{"increment_s": 5}, {"per_decision_s": 5, "increment_s": 1}, {"on_expiry": "forfeit"}]
)
def test_a_clock_without_time_is_refused(api: Api, clock: dict[str, Any]) -> None:
    answer = api.post("/v1/matches", {"game": "valente", "seats": [{"kind": "mine"}] * 2, "clock": clock})
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")


def test_cancel_before_and_after_the_start(api: Api) -> None:
    made = api.create("mo")
    path = f"/v1/matches/{made['id']}"
    assert api.post(f"{path}/cancel", token=made["tokens"][0]).json["code"] == "wrong_token"
    assert api.post(f"{path}/cancel", token=made["host_token"]).json["status"] == "cancelled"
    assert api.post(f"{path}/cancel", token=made["host_token"]).json["code"] == "match_over"
    assert api.post(f"{path}/join").json["code"] == "match_started"
    assert api.observe(made)["status"] == "cancelled"

    shared = api.create("mo")
    path = f"/v1/matches/{shared['id']}"
    api.post(f"{path}/join")
    assert api.post(f"{path}/cancel", token=shared["host_token"]).json["code"] == "host_is_player"

    alone = api.create("mb")
    path = f"/v1/matches/{alone['id']}"
    assert api.post(f"{path}/cancel", token=alone["host_token"]).json["status"] == "cancelled"
    assert api.act(alone, 0, [BUY], "dec_x_0_0").json["code"] == "match_over"
    kinds = [item["event"]["type"] for item in api.get(f"{path}/events").json["items"]]
    assert kinds[-1] == "match_finished"

    hosted = api.create("oo")
    path = f"/v1/matches/{hosted['id']}"
    api.post(f"{path}/join")
    api.post(f"{path}/join")
    assert api.post(f"{path}/cancel", token=hosted["host_token"]).json["status"] == "cancelled"


@pytest.mark.parametrize(
    ("seats", "gone", "code"),
    [
        ("ooo", [], None),
        ("ooo", [0], None),
        ("ooo", [0, 1, 2], None),
        ("moo", [], "host_is_player"),
        ("moo", [1], "host_is_player"),
        ("moo", [0], "host_is_player"),
        ("moo", [1, 2], None),
        ("moo", [0, 1, 2], None),
        ("mmo", [0], "host_is_player"),
        ("mmo", [2], None),
        ("mbo", [0], "host_is_player"),
    ],
)
def test_a_host_that_plays_cannot_end_what_others_play(api: Api, seats: str, gone: list[int], code: str | None) -> None:
    """Who has left in play may come back: a host does not get out of its own seats that way."""
    made = api.create(seats)
    path = f"/v1/matches/{made['id']}"
    for number in [number for number, seat in enumerate(seats) if seat == "o"]:
        made["tokens"][number] = api.post(f"{path}/join", {"seat": number}).json["token"]
    for number in gone:
        api.post(f"{path}/leave", token=made["tokens"][number])
    answer = api.post(f"{path}/cancel", token=made["host_token"])
    assert answer.json.get("code") == code
    assert api.get(path).json["status"] == ("cancelled" if code is None else "playing")


@pytest.mark.parametrize("back", ["return", "act"])
def test_a_player_that_is_back_has_not_left(api: Api, back: str) -> None:
    """The host may neither hand the seat over again nor end the match under its player."""
    made = api.create("mo")
    path = f"/v1/matches/{made['id']}"
    made["tokens"][1] = api.post(f"{path}/join").json["token"]
    for _ in range(2):
        api.act(made, 0, [BUY])
    assert api.post(f"{path}/leave", token=made["tokens"][1]).status_code == 200
    if back == "return":
        assert api.post(f"{path}/seats/1/return", token=made["tokens"][1]).status_code == 200
    else:
        assert api.act(made, 1, [BUY]).status_code == 200
    for way in ("seats/1/takeover", "cancel"):
        assert api.post(f"{path}/{way}", token=made["host_token"]).json["code"] == "host_is_player"
    assert seat_of(api, made, 1)["played_by"] == "human"


@pytest.mark.parametrize("way", ["host", "own seat"])
def test_a_host_that_joins_plays(api: Api, way: str) -> None:
    """It gives up the seat that it took at first, and sits down again, by a token that shows who it is."""
    made = api.create("moo")
    path = f"/v1/matches/{made['id']}"
    mine = made["tokens"][0]
    if way == "host":
        api.post(f"{path}/leave", token=mine)
        again = api.post(f"{path}/join", {"seat": 0}, made["host_token"])
    else:
        again = api.post(f"{path}/join", {"seat": 1}, mine)
        api.post(f"{path}/leave", token=mine)
    assert again.status_code == 200
    while api.post(f"{path}/join").status_code == 200:
        pass
    assert api.get(path).json["status"] == "playing"
    refused = api.post(f"{path}/cancel", token=made["host_token"])
    assert (refused.status_code, refused.json["code"]) == (403, "host_is_player")
    assert api.get(path).json["status"] == "playing"


def test_who_joins_with_the_token_of_a_seat_of_another_does_not_become_the_host(api: Api) -> None:
    made = api.create("ooo")
    path = f"/v1/matches/{made['id']}"
    first = api.post(f"{path}/join").json["token"]
    for token in (first, None):
        assert api.post(f"{path}/join", token=token).status_code == 200
    assert api.post(f"{path}/cancel", token=made["host_token"]).json["status"] == "cancelled"


def test_a_host_that_joins_without_its_token_is_a_stranger(api: Api) -> None:
    """As the operation and the guides say: the service cannot know better."""
    made = api.create("oo")
    path = f"/v1/matches/{made['id']}"
    for _ in range(2):
        assert api.post(f"{path}/join").status_code == 200
    assert api.post(f"{path}/cancel", token=made["host_token"]).json["status"] == "cancelled"


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_token_that_is_not_the_matchs_joins_nothing(api: Api, visibility: str) -> None:
    made, other = (api.create("moo", visibility=visibility) for _ in range(2))
    path, body = f"/v1/matches/{made['id']}", {"join_code": made.get("join_code")}
    for foreign in (other["host_token"], other["tokens"][0], f"host_{'A' * 32}", f"seat_1_{'A' * 32}"):
        refused = api.post(f"{path}/join", body, foreign)
        wrong = (403, "wrong_token") if visibility == "public" else (404, "match_not_found")
        assert (refused.status_code, refused.json["code"]) == wrong
    assert api.get(path, made["host_token"]).json["version"] == made["match"]["version"]
    assert api.post(f"{path}/join", body, made["host_token"]).status_code == 200
    assert api.post(f"{path}/join", {}, made["host_token"]).status_code == (404 if visibility == "private" else 200)


def test_a_host_that_gave_up_its_seat_before_the_start_does_not_play(api: Api) -> None:
    for way in ("leave", "fill"):
        made = api.create("mo")
        path = f"/v1/matches/{made['id']}"
        if way == "leave":
            api.post(f"{path}/leave", token=made["tokens"][0])
        else:
            api.put(f"{path}/seats/0", {"kind": "open"}, made["host_token"])
        for _ in range(2):
            assert api.post(f"{path}/join").status_code == 200
        assert api.post(f"{path}/cancel", token=made["host_token"]).json["status"] == "cancelled"


@pytest.mark.parametrize("seats", ["mo", "mm"])
def test_a_match_in_which_nothing_happens_is_abandoned(api: Api, seats: str) -> None:
    made = api.create(seats)
    api.clock.forward(7 * 86400 - 1)
    assert api.service.acting.expire(made["id"]) == 0
    assert api.observe(made)["status"] != "abandoned"
    api.clock.forward(1)
    api.service.acting.hand_out()
    api.service.acting.expire(made["id"])
    assert api.observe(made)["status"] == "abandoned"
    assert api.get(f"/v1/matches/{made['id']}").json["awaiting"] == []


DAY = 86400


@pytest.mark.parametrize("seats", ["mo", "mm"])
def test_a_match_is_abandoned_only_when_nothing_has_happened_for_long(api: Api, seats: str) -> None:
    """Counted from the latest change, before and after the start; talk changes nothing, and keeps no match."""
    made = api.create(seats, start="manual")
    changes = [lambda: api.post(f"/v1/matches/{made['id']}/entropy", {"entropy": "ab" * 16}, made["tokens"][0])]
    if seats == "mm":
        changes.append(lambda: api.post(f"/v1/matches/{made['id']}/start", None, made["host_token"]))
        changes += [lambda: api.act(made, 0, [BUY])] * 2
    for change in changes:
        api.clock.forward(6 * DAY)
        assert api.service.acting.expire(made["id"]) == 0
        assert change().status_code == 200
    api.clock.forward(6 * DAY)
    assert api.post(f"/v1/matches/{made['id']}/messages", {"text": "hello?"}, made["tokens"][0]).status_code == 201
    api.clock.forward(DAY - 0.001)
    api.service.acting.expire(made["id"])
    assert api.observe(made)["status"] in ("open", "playing")
    api.clock.forward(0.001)
    api.service.acting.expire(made["id"])
    assert api.observe(made)["status"] == "abandoned"


@pytest.mark.parametrize(
    ("clock", "settings", "ends_in_s"),
    [
        ({"per_decision_s": 30 * DAY, "bank_s": 30 * DAY, "on_expiry": "default_move"}, {}, 60 * DAY),
        ({"per_decision_s": 600, "on_expiry": "default_move"}, {"idle_ttl_s": 1}, 600),
        (None, {"idle_ttl_s": 1, "abandon_s": 10 * DAY}, 10 * DAY),
        (None, {"idle_ttl_s": 1, "abandon_s": 600}, 600),
    ],
)
def test_a_match_is_there_until_its_time_has_come(
    redis_url: str, clock: dict[str, Any] | None, settings: dict[str, Any], ends_in_s: float
) -> None:
    """However long the clock, however short ``PARLOUR_IDLE_TTL_S``: the deadline is there to be executed."""
    with fresh_api(redis_url, **settings) as api:
        client = api.service.store.client
        before = now_of(client)
        made = api.create("mm", clock=clock)
        after = now_of(client)
        for key in (match_key(made["id"]), events_key(made["id"], 0)):
            end = client.pexpiretime(key)
            assert ends_in_s * 1000 < end - before
            assert end - after <= (ends_in_s + api.service.settings.idle_ttl_s) * 1000
        assert not client.exists(log_key(made["id"]))
        api.clock.forward(ends_in_s)
        assert api.service.acting.expire(made["id"]) == (0 if clock is None else 1)
        assert api.observe(made)["status"] == ("abandoned" if clock is None else "playing")
        if clock is None:
            assert 0 < client.pttl(match_key(made["id"])) / 1000 <= api.service.settings.finished_ttl_s


@pytest.mark.parametrize("end", ["cancelled", "abandoned", "finished"])
def test_a_match_that_has_ended_stays_for_its_own_time(redis_url: str, end: str) -> None:
    """``PARLOUR_FINISHED_TTL_S``, whatever ``PARLOUR_IDLE_TTL_S`` is; with all that belongs to it."""
    for finished_s, idle_s in ((5000, 90), (90, 5000)):
        with fresh_api(redis_url, finished_ttl_s=finished_s, idle_ttl_s=idle_s) as api:
            clock = {"per_decision_s": 10, "on_expiry": "forfeit"} if end == "finished" else None
            made = api.create("mo" if end == "cancelled" else "mm", clock=clock)
            api.post(f"/v1/matches/{made['id']}/messages", {"text": "good game"}, made["tokens"][0])
            if end == "cancelled":
                api.post(f"/v1/matches/{made['id']}/cancel", token=made["host_token"])
            else:
                api.act(made, 0, [BUY])
                api.clock.forward(7 * DAY)
                api.service.acting.expire(made["id"])
            assert api.observe(made)["status"] == end
            client = api.service.store.client
            left_s = {key: client.pttl(key) / 1000 for key in client.scan_iter(f"*{made['id']}*")}
            kinds = ("events", "messages") if end == "cancelled" else ("events", "messages", "log")
            assert all(any(f":{kind}".encode() in key for key in left_s) for kind in kinds)
            left_s = {key: left for key, left in left_s.items() if b":said:" not in key}
            assert all(finished_s - 60 < left <= finished_s for left in left_s.values()), left_s


def now_of(client: redis.Redis) -> int:
    """The time by which keys end; ms."""
    seconds, microseconds = client.time()
    return int(seconds) * 1000 + int(microseconds) // 1000


def test_a_match_lives_until_the_latest_of_its_deadlines(redis_url: str) -> None:
    """Of seats that owe at the same time, the one with the fullest bank has longest."""
    with fresh_api(redis_url, idle_ttl_s=1) as api:
        client = api.service.store.client
        before = now_of(client)
        made = api.create("mmmmm", game="lovestruck", options={}, clock={"bank_s": DAY}, seed="07" * 16)
        for _ in range(200):
            record = load_record(api.service.store.load(made["id"]).record)
            deadlines = [owed.deadline for owed in record.owed.values() if owed.deadline is not None]
            if max(deadlines) - min(deadlines) > 60_000:
                break
            api.clock.forward(300)
            first = next(iter(record.owed))
            legal = api.observe(made, first)["decision"]["legal_actions"]
            before = now_of(client)
            assert api.act(made, first, [{"id": legal[0]["id"]}]).status_code == 200
        assert max(deadlines) - min(deadlines) > 60_000
        assert api.clock.now + client.pexpiretime(match_key(made["id"])) - before > max(deadlines)
