"""Observe, act, observe again: the loop that everybody builds on."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import requests
from parlour.transport import SILENCE_S
from parlour_api import reading
from parlour_api.errors import ValidationError
from parlour_api.wake import RECHECK_S
from parlour_api.wire import read_action
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES
from werkzeug.test import TestResponse

from tests.api.conftest import Api, make_api
from tests.support import Server

BUY_DECK = {"type": "buy", "source": "deck"}
EXCHANGE = {"type": "exchange"}


def test_each_viewer_has_its_own_view(api: Api) -> None:
    made = api.create()
    mine, theirs, spectator = (api.observe(made, seat) for seat in (0, 1, None))
    assert mine["seat"] == 0
    assert mine["decision"]["kind"] == "turn"
    assert theirs["decision"] is None
    assert spectator["seat"] is None
    assert spectator["view"]["hand"] == []
    assert mine["view"]["hand"] != theirs["view"]["hand"]
    assert (
        mine["awaiting"]
        == theirs["awaiting"]
        == [{"seat": 0, "since": "2027-01-15T08:00:00.000Z", "deadline": None, "on_expiry": None}]
    )


def test_etag_names_viewer_and_version(api: Api) -> None:
    """A hot-seat browser must never get seat 0's hand for seat 1."""
    made = api.create()
    path = f"/v1/matches/{made['id']}/observation"
    tags = {}
    for who in (0, 1, None):
        answer = api.get(path, made["tokens"].get(who))
        tags[who] = answer.headers["ETag"]
        assert answer.headers["Vary"] == "Authorization"
        assert answer.headers["Cache-Control"] == "private, no-cache"
    assert len(set(tags.values())) == 3
    assert api.get(path, made["tokens"][0], If_None_Match=tags[0]).status_code == 304
    assert api.get(path, made["tokens"][1], If_None_Match=tags[0]).status_code == 200
    api.act(made, 0, [BUY_DECK])
    assert api.get(path, made["tokens"][0], If_None_Match=tags[0]).status_code == 200
    match = api.get(f"/v1/matches/{made['id']}")
    assert api.get(f"/v1/matches/{made['id']}", If_None_Match=match.headers["ETag"]).status_code == 304


@pytest.mark.parametrize(
    ("known", "status"),
    [
        ("{tag}", 304),
        ("W/{tag}", 304),
        ('"1-9", {tag}', 304),
        ('"1-9" , W/{tag}, "x"', 304),
        ("*", 304),
        ('"1-9", "x"', 200),
        ("", 200),
        ("W/", 200),
        ('"*"', 200),
    ],
)
def test_if_none_match_is_a_list_compared_weakly(api: Api, known: str, status: int) -> None:
    """RFC 9110, 13.1.2: so that a proxy which weakens tags, or keeps several, is understood."""
    made = api.create()
    for path in (f"/v1/matches/{made['id']}", f"/v1/matches/{made['id']}/observation"):
        tag = api.get(path, made["tokens"][0]).headers["ETag"]
        sent = known.format(tag=tag)
        answer = api.get(path, made["tokens"][0], If_None_Match=sent)
        assert (answer.status_code, answer.headers["ETag"]) == (status, tag)
        waited = api.get(path, made["tokens"][0], If_None_Match=sent, Prefer="wait=0")
        assert waited.status_code == status


def test_ready_bytes_are_the_built_ones(api: Api) -> None:
    """The first reader builds, the next ones get the same bytes."""
    made = api.create()
    path = f"/v1/matches/{made['id']}/observation"
    assert api.get(path, made["tokens"][1]).data == api.get(path, made["tokens"][1]).data
    after = api.act(made, 0, [BUY_DECK]).json["observation"]
    assert api.observe(made, 0) == after


def test_an_act_by_number_and_by_typed_form(api: Api) -> None:
    made = api.create()
    decision = api.observe(made)["decision"]
    buy = next(action for action in decision["legal_actions"] if action["type"] == "buy" and action["source"] == "deck")
    answer = api.act(made, 0, [{"id": buy["id"]}]).json
    assert (answer["applied"], answer["replayed"]) == (1, False)
    assert [event["event"]["type"] for event in answer["events"]] == ["bought", "decision_opened"]
    assert answer["observation"]["decision"]["id"] != decision["id"]
    assert api.act(made, 0, [BUY_DECK]).json["observation"]["decision"] is None
    legal = api.observe(made, 1)["decision"]["legal_actions"][0]
    assert api.act(made, 1, [legal]).status_code == 200  # as it was offered, label and all


@pytest.mark.parametrize(("game", "seats"), [(game, seats) for game in GAMES for seats in game.seats])
def test_every_action_can_be_sent_in_its_typed_form(game: AnyGame, seats: int) -> None:
    """As it stands in legal_actions, with and without its number."""
    for number, action in enumerate(game.actions(seats)):
        typed = orjson.loads(orjson.dumps(action))
        assert read_action(game, seats, typed, "") == number
        assert read_action(game, seats, {"id": number, **typed, "label": "x"}, "") == number
        for name, value in typed.items():
            if type(value) is int and value in (0, 1):
                with pytest.raises(ValidationError):
                    read_action(game, seats, {**typed, name: bool(value)}, "")


def test_only_its_owner_sees_the_bought_card(api: Api) -> None:
    made = api.create()
    api.act(made, 0, [BUY_DECK])
    bought = {}
    for who in (0, 1, None):
        items = api.get(f"/v1/matches/{made['id']}/events", made["tokens"].get(who)).json["items"]
        bought[who] = next(item["event"] for item in items if item["event"]["type"] == "bought")
        assert [item["seq"] for item in items] == list(range(1, len(items) + 1))
    assert bought[0]["card"] in api.observe(made, 0)["view"]["hand"]
    assert bought[1]["card"] is bought[None]["card"] is None


def test_events_go_on_after_a_seq(api: Api) -> None:
    made = api.create()
    path = f"/v1/matches/{made['id']}/events"
    api.act(made, 0, [BUY_DECK])
    everything = api.get(path, made["tokens"][0]).json
    tail = api.get(f"{path}?after=2", made["tokens"][0]).json
    assert tail["items"] == everything["items"][2:]
    assert tail["next_after"] == everything["next_after"] == len(everything["items"])
    one = api.get(f"{path}?after=1&limit=1", made["tokens"][0]).json
    assert one == {"items": everything["items"][1:2], "next_after": 2}
    assert api.get(f"{path}?after=99", made["tokens"][0]).json == {"items": [], "next_after": 99}


def test_decision_opened_is_told_to_its_owner_only(api: Api) -> None:
    made = api.create()
    for who, owes in ((0, True), (1, False), (None, False)):
        items = api.get(f"/v1/matches/{made['id']}/events", made["tokens"].get(who)).json["items"]
        assert ("decision_opened" in [item["event"]["type"] for item in items]) is owes


def test_a_list_stops_at_new_information(api: Api) -> None:
    """CM-4: what was done stays done, and the tail is not looked at: a refused one is no free peek."""
    made = api.create()
    answer = api.act(made, 0, [BUY_DECK, {"type": "discard", "card": 1}]).json
    assert answer["applied"] == 1
    assert answer["observation"]["view"]["actions_left"] == 1


def test_a_list_without_new_information_is_all_or_none(api: Api) -> None:
    made = api.create()
    hand = api.observe(made)["view"]["hand"]
    discard = [{"type": "discard", "card": card} for card in hand[:2]]
    refused = api.act(made, 0, [EXCHANGE, discard[0], discard[0]])
    assert refused.status_code == 422
    assert refused.json["code"] == "illegal_action"
    assert refused.json["pointer"] == "/actions/2"
    assert refused.json["observation"] == api.observe(made)
    assert api.observe(made)["view"]["hand"] == hand
    done = api.act(made, 0, [EXCHANGE, *discard])
    assert done.json["applied"] == 3
    assert not set(hand[:2]) & set(done.json["observation"]["view"]["hand"])


def test_each_action_of_a_list_counts_a_version(api: Api) -> None:
    made = api.create()
    before = api.observe(made)
    hand = before["view"]["hand"]
    after = api.act(made, 0, [EXCHANGE, {"type": "discard", "card": hand[0]}]).json["observation"]
    assert after["version"] == before["version"] + 2


def test_a_refusal_names_the_rule_and_heals(api: Api) -> None:
    made = api.create()
    view = api.observe(made)["view"]
    held = next(card for card in view["hand"])
    foreign = next(card for card in range(1, 81) if card not in view["hand"])
    for action in ({"type": "discard", "card": held}, {"type": "discard", "card": foreign}):
        answer = api.act(made, 0, [action])
        assert answer.status_code == 422
        assert "VA-" in answer.json["reason"]
        assert answer.json["observation"]["decision"]["legal_actions"]


def test_the_same_act_again_is_answered_and_changes_nothing(api: Api) -> None:
    made = api.create()
    decision = api.observe(made)["decision"]["id"]
    first = api.act(made, 0, [BUY_DECK], decision)
    version = first.json["observation"]["version"]
    for body in ([BUY_DECK], [{"id": 1}]):
        again = api.act(made, 0, body, decision)
        assert again.status_code == 200
        assert again.json["replayed"] is True
        assert again.json["applied"] == 1
        assert again.json["observation"]["version"] == version
    other = api.act(made, 0, [EXCHANGE], decision)
    assert (other.status_code, other.json["code"]) == (409, "stale_decision")
    assert other.json["observation"]["decision"] is not None


def test_a_repeat_is_known_long_after_also_when_the_match_is_over(api: Api) -> None:
    made = api.create()
    first = None
    while True:
        status, acted = api.observe(made, 0)["status"], False
        if status == "finished":
            break
        for seat in (0, 1):
            seen = api.observe(made, seat)
            if seen["decision"]:
                first = first or seen["decision"]["id"]
                api.act(made, seat, [{"id": seen["decision"]["legal_actions"][0]["id"]}])
                acted = True
        assert acted
    again = api.act(made, 0, [{"id": 1}], first)
    assert again.json["replayed"] is True
    late = api.act(made, 0, [{"id": 1}], first[:-1] + "9999")
    assert (late.status_code, late.json["code"]) == (409, "match_over")
    assert api.get(f"/v1/matches/{made['id']}").json["outcome"] == api.observe(made)["outcome"]
    kinds = [item["event"]["type"] for item in api.get(f"/v1/matches/{made['id']}/events?limit=500").json["items"]]
    assert kinds[-1] == "match_finished"


def test_a_decision_of_another_seat_is_not_said_to_be_answered(api: Api) -> None:
    made = api.create()
    decision = api.observe(made)["decision"]["id"]
    api.act(made, 0, [BUY_DECK], decision)
    for action in (BUY_DECK, EXCHANGE):
        assert api.act(made, 1, [action], decision).json["code"] == "not_your_turn"


def test_a_seat_that_owes_nothing_is_told_so(api: Api) -> None:
    made = api.create()
    answer = api.act(made, 1, [BUY_DECK], "dec_x_1_0")
    assert (answer.status_code, answer.json["code"]) == (409, "not_your_turn")
    assert answer.json["observation"]["seat"] == 1


def test_before_the_start_nothing_can_be_done(api: Api) -> None:
    made = api.create("mo")
    assert api.act(made, 0, [BUY_DECK], "dec_x_0_0").json["code"] == "match_open"


def test_host_and_stranger_cannot_act(api: Api) -> None:
    made = api.create()
    path = f"/v1/matches/{made['id']}/actions"
    body = {"decision": "x", "actions": [BUY_DECK]}
    assert api.post(path, body).json["code"] == "missing_token"
    assert api.post(path, body, made["host_token"]).json["code"] == "wrong_token"


def test_long_poll_answers_when_the_version_differs(api: Api) -> None:
    made = api.create()
    path = f"/v1/matches/{made['id']}/observation"
    seen = api.get(path, made["tokens"][1])
    version = seen.json["version"]
    assert api.get(f"{path}?after={version + 5}&wait=20", made["tokens"][1]).status_code == 200
    start = time.monotonic()
    assert api.get(f"{path}?after={version}&wait=0.2", made["tokens"][1]).status_code == 204
    assert api.get(path, made["tokens"][1], If_None_Match=seen.headers["ETag"], Prefer="wait=0").status_code == 304
    assert time.monotonic() - start >= 0.2
    answers = []

    def poll() -> None:
        client = make_api(api.url)
        answers.append(client.get(f"{path}?after={version}&wait=50", made["tokens"][1]))
        tag = seen.headers["ETag"]
        answers.append(client.get(path, made["tokens"][1], If_None_Match=tag, Prefer="respond-async, wait=50"))
        client.service.hub.close()

    thread = threading.Thread(target=poll)
    thread.start()
    time.sleep(0.3)
    api.act(made, 0, [BUY_DECK])
    thread.join(120)
    assert [(answer.status_code, answer.json["version"]) for answer in answers] == [(200, version + 1)] * 2


@pytest.mark.parametrize(
    ("prefer", "wait_s"),
    [
        ("wait=600", 55), ("wait=56", 55), ("wait=999999999", 55), ("wait=55", 55), ("wait=20", 20), ("wait=0", 0),
        ('wait="20"', 20), ("Wait=20", 20), ("wait = 20", 20), ("respond-async, wait=20", 20),
        ("return=minimal; x=y, wait=20; z", 20), ('note="a, wait=9", wait=20', 20), ("wait=20, wait=5", 20),
        ("wait", 0), ("wait=", 0), ("wait=-5", 0), ("wait=1.5", 0), ("wait=1_0", 0), ("wait=+5", 0), ('wait="20', 0),
        ("wait=\u0663", 0), ("waiting=20", 0), ("", 0),
    ],
)  # fmt: skip
def test_what_a_client_prefers(api: Api, monkeypatch: pytest.MonkeyPatch, prefer: str, wait_s: float) -> None:
    """RFC 7240: lists, quotes, parameters; the first of several counts, what is not understood is ignored."""
    made = api.create()
    path = f"/v1/matches/{made['id']}/observation"
    tag = api.get(path, made["tokens"][0]).headers["ETag"]
    asked = []
    observe_after = api.service.reader.observe_after

    def at_once(match_id: str, claim: Any, waiter: str, known: Any, wait_s: float) -> Any:
        asked.append(wait_s)
        return observe_after(match_id, claim, waiter, known, 0)

    monkeypatch.setattr(api.service.reader, "observe_after", at_once)
    assert api.get(path, made["tokens"][0], If_None_Match=tag, Prefer=prefer).status_code == 304
    assert asked == [wait_s]


@pytest.mark.parametrize(
    ("accept", "stream"),
    [
        ("text/event-stream", True), ("Text/Event-Stream", True), ("text/event-stream;charset=utf-8", True),
        ("text/event-stream, */*", True), ("text/*", True), ("application/json;q=0.5, text/event-stream", True),
        ("text/event-stream;q=0, application/json", False), ("text/event-stream;q=0", False),
        ("text/event-stream;q=0.5, application/json", False), ("*/*", False), ("application/*", False), ("", False),
        ("text/html", False), ("text/event-streams", False), ("x-text/event-stream", False), ("*/*;q=0", False),
        ("text/html, application/xhtml+xml, */*;q=0.8", False),
    ],
)  # fmt: skip
def test_who_gets_a_stream(api: Api, accept: str, stream: bool) -> None:
    """Who likes it better than JSON. Who accepts neither gets JSON: an answer to read is more use than a 406."""
    made = api.create()
    answer = api.get(f"/v1/matches/{made['id']}/events", made["tokens"][0], Accept=accept)
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream" if stream else "application/json")
    assert answer.headers.get("X-Accel-Buffering") == ("no" if stream else None)
    answer.close()


def test_asking_for_a_streams_head_holds_no_place(server: Server) -> None:
    """Of the real server: more often than one caller may wait."""
    made = requests.post(
        f"{server.url}/v1/matches", json={"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}, timeout=30
    ).json()
    events, headers = f"{server.url}/v1/matches/{made['match']['id']}/events", {"Accept": "text/event-stream"}
    for _ in range(20):
        head = requests.head(events, headers=headers, timeout=30)
        assert (head.status_code, head.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")


def test_too_many_waiters_are_turned_away(api: Api) -> None:
    made = api.create()
    api.service.hub._max = 1  # onlookers get half of the places: none
    assert api.get(f"/v1/matches/{made['id']}/observation?after=1&wait=0", made["tokens"][1]).status_code == 204
    answer = api.get(f"/v1/matches/{made['id']}/observation?after=1&wait=1")
    assert (answer.status_code, answer.json["code"]) == (503, "too_many_waiters")
    assert answer.headers["Retry-After"] == "2"
    stream = api.get(f"/v1/matches/{made['id']}/events", Accept="text/event-stream")
    assert (stream.status_code, stream.json["code"]) == (503, "too_many_waiters")


def test_one_caller_holds_its_share_of_the_places_and_no_more(api: Api) -> None:
    """A seat, the host, an onlooker by its address, and an onlooker with a ticket, whose place is its address', too."""
    made = api.create("mm")
    where = f"/v1/matches/{made['id']}"
    few = make_api(api.url, max_waiters_each=2)
    ticket = few.post(f"{where}/stream-ticket").json["ticket"]

    def stream(token: str | None, query: str = "") -> TestResponse:
        return few.get(f"{where}/events{query}", token, Accept="text/event-stream")

    streams = [stream(token) for token in (made["tokens"][0], made["host_token"], None) for _ in range(2)]
    assert [answer.status_code for answer in streams] == [200] * 6
    for token in (made["tokens"][0], made["host_token"], None):
        for refused in (stream(token), few.get(f"{where}/observation?after=9&wait=0", token)):
            assert (refused.status_code, refused.json["code"]) == (503, "too_many_waiters")
            assert refused.json["detail"] == "You hold 2 waiting requests here already, the most for one caller."
    assert stream(None, f"?ticket={ticket}").status_code == 503
    assert few.get(f"{where}/observation?after=0&wait=9", made["tokens"][1]).status_code == 200
    elsewhere = few.client.get(f"{where}/observation?after=0", environ_base={"REMOTE_ADDR": "203.0.113.9"})
    assert elsewhere.status_code == 200
    streams.pop().close()
    assert few.get(f"{where}/observation?after=0&wait=9").status_code == 200
    for answer in streams:
        answer.close()
    assert few.service.hub._held == {}
    few.close()


def test_an_onlooker_with_a_ticket_takes_no_place_of_the_hosts(api: Api) -> None:
    """Nor the host one of theirs: a ticket without a seat counts for the address that it comes from."""
    made = api.create("mm")
    where = f"/v1/matches/{made['id']}"
    few = make_api(api.url, max_waiters_each=1)

    def with_ticket(address: str) -> TestResponse:
        ticket = few.post(f"{where}/stream-ticket").json["ticket"]
        query, headers = f"{where}/events?ticket={ticket}", {"Accept": "text/event-stream"}
        return few.client.get(query, headers=headers, environ_base={"REMOTE_ADDR": address})

    streams = [
        with_ticket("203.0.113.9"),
        with_ticket("203.0.113.10"),
        few.get(f"{where}/events", made["host_token"], Accept="text/event-stream"),
        with_ticket("203.0.113.11"),
    ]
    assert [answer.status_code for answer in streams] == [200] * 4
    assert with_ticket("203.0.113.9").status_code == 503
    assert few.get(f"{where}/observation?after=0&wait=9", made["host_token"]).status_code == 503
    for answer in streams:
        answer.close()
    assert few.service.hub._held == {}
    few.close()


def test_a_silent_stream_says_every_15_s_that_it_is_there(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is long before a client of ours gives it up. Its sleep is a step of the test's own time."""
    now = 0.0

    class Step(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            nonlocal now
            assert timeout is not None
            assert timeout <= RECHECK_S, "a lost wake-up is noticed by then"
            now += timeout
            return False

    real = api.service.hub.waiting

    @contextmanager
    def waiting(*args: Any) -> Iterator[threading.Event]:
        with real(*args):
            yield Step()

    monkeypatch.setattr(api.service.hub, "waiting", waiting)
    monkeypatch.setattr(reading, "time", SimpleNamespace(monotonic=lambda: now))
    made = api.create("mm")
    where = f"/v1/matches/{made['id']}/events"
    seq = len(api.get(where).json["items"])
    stream = api.get(f"{where}?after={seq}", Accept="text/event-stream")
    chunks = iter(stream.response)
    assert next(chunks).startswith(b"retry")
    heard = []
    for _ in range(3):
        assert next(chunks) == b": still here\n\n"
        heard.append(now)
    stream.close()
    assert heard == [15.0, 30.0, 45.0]
    assert SILENCE_S > 2 * 15.0, "one that is late is not missed"


def test_a_whisper_to_others_moves_no_keep_alive_and_ends_no_wait(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """It wakes whoever waits for the match; when that shows, it tells that somebody whispered."""
    monkeypatch.setattr(reading, "KEEP_ALIVE_S", 1.5)
    made = api.create("mmm")
    where = f"/v1/matches/{made['id']}"
    tag = api.get(f"{where}/observation", made["tokens"][2]).headers["ETag"]
    seq = len(api.get(f"{where}/events", made["tokens"][2]).json["items"])

    def whisper() -> None:
        assert api.post(f"{where}/messages", {"text": "psst", "to": [1]}, made["tokens"][0]).status_code == 201

    def keep_alive() -> bytes:
        stream = api.get(f"{where}/events?after={seq}", made["tokens"][2], Accept="text/event-stream")
        heard = next(chunk for chunk in stream.response if not chunk.startswith(b"retry"))
        stream.close()
        return heard

    def poll() -> int:
        asked = {"If-None-Match": tag, "Prefer": "wait=2"}
        return api.get(f"{where}/observation", made["tokens"][2], **asked).status_code

    def whispers() -> None:
        """Closer together than what waits is long: what each of them put off would never come."""
        until = time.monotonic() + 120
        while not over.wait(0.4) and time.monotonic() < until:
            whisper()

    for wait, length_s, answer in ((keep_alive, 1.5, b": still here\n\n"), (poll, 2.0, 304)):
        over = threading.Event()
        began = time.monotonic()
        thread = threading.Thread(target=whispers)
        thread.start()
        assert wait() == answer
        assert length_s <= time.monotonic() - began < 100
        over.set()
        thread.join()


def test_rules_that_are_gone_are_refused_not_misread(api: Api) -> None:
    made = api.create()
    games = api.service.catalogue._games
    games["valente"] = dataclasses.replace(games["valente"], version="of another day")
    path = f"/v1/matches/{made['id']}"
    assert api.get(path).status_code == 200
    assert api.get(f"{path}/observation", made["tokens"][0]).json["code"] == "rules_version_gone"
    body = {"decision": "x", "actions": [BUY_DECK]}
    assert api.post(f"{path}/actions", body, made["tokens"][0]).json["code"] == "rules_version_gone"
