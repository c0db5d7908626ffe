"""Deadlines and house bots, with time in the test's hand: never early, exactly once, whoever looks."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
import redis
from parlour_api.match import load_record
from parlour_engine.chance import bot_seed
from parlour_engine.games import find
from rq import Queue
from werkzeug.test import TestResponse

from tests.api.conftest import Api
from tests.api.test_api_security import BODIES, OPERATIONS

BUY = {"type": "buy", "source": "deck"}


def clocked(api: Api, on_expiry: str, seats: str = "mm") -> dict:
    return api.create(seats, clock={"per_decision_s": 10, "on_expiry": on_expiry})


def test_a_deadline_is_public_and_absolute(api: Api) -> None:
    made = clocked(api, "bot_move")
    for who in (0, 1, None):
        assert api.observe(made, who)["awaiting"] == [
            {
                "seat": 0,
                "since": "2027-01-15T08:00:00.000Z",
                "deadline": "2027-01-15T08:00:10.000Z",
                "on_expiry": "bot_move",
            }
        ]
    assert api.observe(made)["decision"]["deadline"] == "2027-01-15T08:00:10.000Z"


@pytest.mark.parametrize("on_expiry", ["bot_move", "default_move", "forfeit"])
def test_never_early_and_once(api: Api, on_expiry: str) -> None:
    made = clocked(api, on_expiry)
    version = api.observe(made)["version"]
    api.clock.forward(9.999)
    assert api.service.acting.expire(made["id"]) == 0
    assert api.observe(made)["version"] == version
    api.clock.forward(0.001)
    assert api.service.acting.expire(made["id"]) == 1
    after = api.observe(made)
    assert after["version"] > version
    assert api.service.acting.expire(made["id"]) == 0
    assert api.observe(made) == after


def test_default_move_is_the_default_action(api: Api) -> None:
    """CM-11: from public facts and the decision's kind only."""
    made = clocked(api, "default_move")
    api.clock.forward(10)
    api.service.acting.expire(made["id"])
    items = api.get(f"/v1/matches/{made['id']}/events").json["items"]
    told = [item["event"] for item in items]
    assert {"seat": 0, "on_expiry": "default_move", "type": "clock"} in told
    assert api.observe(made)["decision"]["id"].endswith("_0_1")


def test_forfeit_ends_a_match_of_two(api: Api) -> None:
    """CM-12: when only one seat has not forfeited, that seat wins at once."""
    made = clocked(api, "forfeit")
    api.clock.forward(10)
    api.service.acting.expire(made["id"])
    seen = api.observe(made)
    assert seen["status"] == "finished"
    assert seen["outcome"]["winners"] == [1]
    assert seen["outcome"]["reason"] == "forfeit"
    assert api.get(f"/v1/matches/{made['id']}").json["seats"][0]["forfeited"] is True


def test_a_forfeited_seat_is_answered_for_to_the_end(api: Api) -> None:
    """CM-12: its decisions are answered by the default action, so nobody waits for it again."""
    made = clocked(api, "forfeit", "mmm")
    api.clock.forward(10)
    api.service.acting.expire(made["id"])
    for _ in range(400):
        match = api.get(f"/v1/matches/{made['id']}").json
        if match["status"] == "finished":
            break
        seat = match["awaiting"][0]["seat"]
        assert seat != 0
        legal = api.observe(made, seat)["decision"]["legal_actions"]
        assert api.act(made, seat, [{"id": legal[0]["id"]}]).status_code == 200
    assert match["status"] == "finished"
    assert 0 not in match["outcome"]["winners"]


def test_an_act_after_its_deadline_is_late(api: Api) -> None:
    made = clocked(api, "default_move")
    decision = api.observe(made)["decision"]["id"]
    api.clock.forward(10)
    late = api.act(made, 0, [BUY], decision)
    assert (late.status_code, late.json["code"]) == (409, "stale_decision")
    again = api.act(made, 0, [BUY], decision)
    assert again.json["code"] == "stale_decision"


CHANGING = [place for method, place in OPERATIONS if method != "GET"]
STILL = ("messages", "stream-ticket")
"""They change nothing of the match, nor its version."""


def change(api: Api, made: dict[str, Any], place: str, seat: int = 0, decision: str = "dec_none") -> TestResponse:
    """One of the requests that change a match, as somebody who may send it."""
    body = {"decision": decision, "actions": [BUY]} if place == "actions" else BODIES.get(place)
    method, ask = ("PUT", api.put) if place == "seats/0" else ("POST", api.post)
    token = made["tokens"].get(seat) if "seat" in OPERATIONS[method, place] else made["host_token"]
    return ask(f"/v1/matches/{made['id']}/{place.replace('0', str(seat))}", body, token)


def told(api: Api, made: dict[str, Any]) -> list[str]:
    """The types of what a spectator saw."""
    return [item["event"]["type"] for item in api.get(f"/v1/matches/{made['id']}/events").json["items"]]


@pytest.mark.parametrize("place", CHANGING)
@pytest.mark.parametrize("late_s", [0, 0.001, 5])
def test_whatever_comes_after_a_deadline_does_not_cancel_it(api: Api, place: str, late_s: float) -> None:
    """However little late, and though no worker runs: the clock acts first, and once."""
    made = clocked(api, "forfeit")
    decision = api.observe(made)["decision"]["id"]
    api.clock.forward(10 + late_s)
    answer = change(api, made, place, decision=decision)
    if place in STILL:
        assert answer.status_code == 201
        assert api.service.acting.expire(made["id"]) == 1
    else:
        assert (answer.status_code, answer.json["code"]) in ((409, "match_over"), (409, "match_started"))
        assert api.service.acting.expire(made["id"]) == 0
    match = api.get(f"/v1/matches/{made['id']}").json
    assert match["outcome"]["reason"] == "forfeit"
    assert [seat["forfeited"] for seat in match["seats"]] == [True, False]
    assert told(api, made).count("clock") == 1


@pytest.mark.parametrize("place", ["leave", "seats/0/takeover", "actions", "seats/0/return"])
def test_what_comes_in_time_is_not_late(api: Api, place: str) -> None:
    made = clocked(api, "forfeit")
    decision = api.observe(made)["decision"]["id"]
    api.clock.forward(9.999)
    assert change(api, made, place, decision=decision).status_code == 200
    assert "clock" not in told(api, made)


@pytest.mark.parametrize("on_expiry", ["bot_move", "default_move"])
@pytest.mark.parametrize("place", ["leave", "seats/0/takeover"])
def test_who_leaves_late_has_let_a_deadline_pass(api: Api, on_expiry: str, place: str) -> None:
    """The clock answers for it first, and counts it; then a house bot has the seat."""
    made = api.create("mm", clock={"per_decision_s": 10, "bank_s": 30, "increment_s": 5, "on_expiry": on_expiry})
    api.clock.forward(40.02)
    left = change(api, made, place).json
    assert left["seats"][0]["played_by"] == "bot"
    assert left["seats"][0]["bank_s"] == 5, "the bank is used up, but for what the answer gains"
    kinds = told(api, made)
    assert kinds.count("clock") == 1
    assert kinds.index("clock") < kinds.index("seat_changed")
    api.service.meter.flush()
    counted = api.get("/metrics").text
    assert f'parlour_expiries_total{{game="valente",on_expiry="{on_expiry}"}} 1' in counted


@pytest.mark.parametrize(("seats", "place"), [
    ("mmm", "leave"), ("mmm", "seats/0/takeover"), ("mmm", "seats/0/return"), ("mbb", "cancel"), ("ooo", "cancel"),
])  # fmt: skip
def test_nobody_escapes_the_clock_by_what_another_does(api: Api, seats: str, place: str) -> None:
    """Another seat's leave, the host's cancel: who was late has forfeited by then."""
    made = clocked(api, "forfeit", seats)
    for number in range(seats.count("o")):
        made["tokens"][number] = api.post(f"/v1/matches/{made['id']}/join").json["token"]
    api.clock.forward(10.001)
    answer = change(api, made, place, seat=0 if place == "cancel" else 1)
    assert answer.status_code == 200, answer.text
    assert answer.json["seats"][0]["forfeited"] is True
    assert told(api, made).count("clock") == 1
    assert answer.json["status"] == ("cancelled" if place == "cancel" else "playing")


@pytest.mark.parametrize("who", ["player", "bot"])
def test_nor_by_what_another_answers(api: Api, who: str) -> None:
    """Several owe at the same time, and the one with the fullest bank is in time."""
    clock = {"bank_s": 300, "on_expiry": "forfeit"}
    made = api.create("mmmmm", game="lovestruck", options={}, clock=clock, seed="07" * 16)
    for _ in range(300):
        record = load_record(api.service.store.load(made["id"]).record)
        ends = {seat: owed.deadline for seat, owed in record.owed.items()}
        if len(set(ends.values())) > 1:
            break
        first = next(iter(ends))
        api.clock.forward(0.5)
        legal = api.observe(made, first)["decision"]["legal_actions"]
        assert api.act(made, first, [{"id": legal[0]["id"]}]).status_code == 200
    late, in_time = min(ends, key=lambda seat: ends[seat]), max(ends, key=lambda seat: ends[seat])
    assert ends[late] < ends[in_time]
    seen = api.observe(made, in_time)["decision"]
    if who == "bot":
        api.post(f"/v1/matches/{made['id']}/seats/{in_time}/takeover", None, made["tokens"][in_time])
    api.clock.now = ends[late]
    if who == "bot":
        api.service.acting.play_bots(made["id"])
    else:
        assert api.act(made, in_time, [{"id": seen["legal_actions"][0]["id"]}], seen["id"]).status_code == 200
    match = api.get(f"/v1/matches/{made['id']}").json
    assert match["seats"][late]["forfeited"] is True
    kinds = told(api, made)
    assert kinds.count("clock") == list(ends.values()).count(ends[late])
    assert api.service.acting.expire(made["id"]) == 0
    assert api.observe(made, in_time)["decision"] is None or api.observe(made, in_time)["decision"]["id"] != seen["id"]


@pytest.mark.parametrize("place", ["join", "seats/0", "start", "entropy", "leave", "cancel", "actions"])
def test_what_counts_as_abandoned_is_not_brought_back(api: Api, place: str) -> None:
    """Whether or not a worker has looked at it meanwhile."""
    made = api.create("mm" if place == "actions" else "mo")
    decision = api.observe(made)["decision"]["id"] if place == "actions" else ""
    api.clock.forward(7 * 86400)
    assert change(api, made, place, decision=decision).json["code"] in ("match_over", "match_started")
    assert api.observe(made)["status"] == "abandoned"


def test_an_expiry_that_loses_the_race_is_looked_at_again(api: Api) -> None:
    """The clock's worker is faster by a hair: once is once."""
    made = clocked(api, "default_move")
    api.clock.forward(10)
    real = api.service.store.commit

    def worker_first(change: Any) -> Any:
        api.service.store.commit = real  # type: ignore[method-assign]
        assert api.service.acting.expire(made["id"]) == 1
        return real(change)

    api.service.store.commit = worker_first  # type: ignore[method-assign]
    assert change(api, made, "leave").status_code == 200
    assert told(api, made).count("clock") == 1


def test_a_clock_whose_rules_are_gone_stands_still_and_its_match_can_be_cancelled(api: Api) -> None:
    made = api.create("mb", clock={"per_decision_s": 10})
    games = api.service.catalogue._games
    games["valente"] = dataclasses.replace(games["valente"], version="of another day")
    api.clock.forward(11)
    assert api.service.acting.expire(made["id"]) == 0
    assert change(api, made, "leave").json["code"] == "rules_version_gone"
    assert change(api, made, "cancel").json["status"] == "cancelled"


def test_each_new_decision_has_a_new_deadline(api: Api) -> None:
    made = clocked(api, "bot_move")
    api.clock.forward(4)
    seen = api.act(made, 0, [BUY]).json["observation"]
    assert seen["decision"]["deadline"] == "2027-01-15T08:00:14.000Z"


def test_the_ticker_hands_out_what_is_due_and_nothing_else(api: Api, redis_url: str) -> None:
    made, later = clocked(api, "bot_move"), api.create("mm", clock={"per_decision_s": 500})
    queue = Queue("clock", connection=redis.Redis.from_url(redis_url))
    api.clock.forward(9.999)
    api.service.acting.hand_out()
    assert queue.count == 0
    api.clock.forward(0.001)
    api.service.acting.hand_out()
    api.service.acting.hand_out()
    assert [job.args for job in queue.get_jobs()] == [([made["id"]],)]
    api.clock.forward(api.service.settings.resend_s)
    api.service.acting.hand_out()
    assert queue.count == 2, "a job that was lost is sent again when its lease ends"
    api.service.acting.expire(made["id"])
    api.clock.forward(api.service.settings.resend_s)
    api.service.acting.hand_out()
    assert queue.count == 2
    assert later["id"] not in str([job.args for job in queue.get_jobs()])


def test_a_bots_turn_is_handed_out_by_the_act_that_leads_to_it(api: Api, redis_url: str) -> None:
    made = api.create("mb")
    queue = Queue("bots", connection=redis.Redis.from_url(redis_url))
    assert queue.count == 0
    api.act(made, 0, [BUY])
    assert queue.count == 0
    api.act(made, 0, [BUY])
    assert [job.args for job in queue.get_jobs()] == [(made["id"],)]
    api.clock.forward(api.service.settings.resend_s)
    api.service.acting.hand_out()
    assert queue.count == 2, "nobody has played: it is handed out again"


def test_bots_play_until_a_human_owes(api: Api) -> None:
    made = api.create("mbb")
    api.act(made, 0, [BUY])
    api.act(made, 0, [BUY])
    while api.service.acting.play_bots(made["id"]):
        pass
    seen = api.observe(made)
    assert seen["status"] == "playing"
    assert seen["decision"]
    before = seen["version"]
    api.service.acting.play_bots(made["id"])
    assert api.observe(made)["version"] == before, "a job that comes too late does nothing"


def test_a_match_of_bots_plays_as_the_engine_says(api: Api) -> None:
    """House bots draw from the match's seed, seat and decision: who knows the seed can replay every one of them."""
    made = api.create("bbb", seed="5c" * 16)
    while api.service.acting.play_bots(made["id"]):
        pass
    game = find("valente")
    state = game.deal(3, game.options_type(first_seat=0), bytes.fromhex("5c" * 16))
    while owed := game.pending(state):
        seat, _, number = owed[0]
        rng = random.Random(bot_seed(state.seed, seat, number))
        legal = game.legal_actions(state, seat)
        game.apply(state, seat, game.bots[-1].choose(game.observe(state, seat), legal, rng), None)
    outcome = game.outcome(state)
    match = api.get(f"/v1/matches/{made['id']}").json
    assert match["status"] == "finished"
    assert outcome is not None
    assert match["outcome"]["winners"] == list(outcome.winners)


def test_a_bot_that_fails_plays_the_default_action(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in one bot must not hang a table."""
    games = api.service.catalogue._games

    def broken(*_: object) -> int:
        raise RuntimeError("a bot's own fault")

    bots = (dataclasses.replace(games["valente"].bots[0], choose=broken),)
    monkeypatch.setitem(games, "valente", dataclasses.replace(games["valente"], bots=bots))
    made = api.create("bb")
    while api.service.acting.play_bots(made["id"]):
        pass
    assert api.get(f"/v1/matches/{made['id']}").json["status"] == "finished"


def test_a_commit_whose_answer_was_lost_is_made_once(api: Api) -> None:
    """redis-py sends a write again when its answer is lost: the script recognises its own repeat."""
    made = api.create()
    commits = []
    real = api.service.store.commit

    def twice(change):  # type: ignore[no-untyped-def]
        first, second = real(change), real(change)
        commits.append((first.length, second.length))
        return second

    api.service.store.commit = twice  # type: ignore[method-assign]
    answer = api.act(made, 0, [BUY])
    assert commits == [(4, 4)], "the length of the actor's list of events, the same both times"
    items = api.get(f"/v1/matches/{made['id']}/events", made["tokens"][0]).json["items"]
    assert [item["event"]["type"] for item in items].count("bought") == 1
    assert answer.json["events"] == items[-2:]
