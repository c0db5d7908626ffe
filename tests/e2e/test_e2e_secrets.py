"""Secrets over HTTP, on the real server: dates answered at one instant, lists that are no peek, what a seat has seen.

A match is also played here, by the engine, from the same seed (``Mirror``), so that a test can choose a seed under
which somebody holds what it needs; what the server shows is compared with what the rules say.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import combinations
from typing import Any

import pytest
import requests
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.cards import CARDS, DRAMA, HEART_TO_HEART, LAYABLE, LOVE, K
from parlour_engine.games.lovestruck.names import VILLA_TURN
from parlour_engine.games.lovestruck.space import (
    Accept,
    ChooseCard,
    ChooseContestant,
    Confessional,
    Counter,
    CoupleUp,
    Decline,
    Pass,
    PlayBombshell,
    StealTheSpotlight,
)
from parlour_engine.games.lovestruck.state import State

from tests.e2e.stack import Mirror
from tests.support import PATIENCE_S, Server

SEATS = 7
VIEWERS = (*range(SEATS), None)
NUMBER = {action: number for number, action in enumerate(GAME.actions(SEATS))}
QUIET = [NUMBER[Pass()], NUMBER[Confessional()]]  # Villa turns in which nobody looks at anything
LAY = {kind: NUMBER[ChooseCard(card=CARDS[kind])] for kind in range(K)}


class Season(Mirror):
    """A match of Lovestruck with seven seats, all of them ours."""

    def __init__(self, server: Server, number: int) -> None:
        super().__init__(server.url, "lovestruck", "m" * SEATS, number)
        self.id = self.url.rpartition("/")[2]

    def get(self, path: str, viewer: int | None) -> requests.Response:
        answer = requests.get(self.url + path, headers=self.bearer(viewer), timeout=60)
        assert answer.status_code == 200, answer.text
        return answer

    def bearer(self, viewer: int | None) -> dict[str, str]:
        return {} if viewer is None else {"Authorization": f"Bearer {self.tokens[viewer]}"}

    def post(self, seat: int, *actions: Any, decision: str | None = None) -> requests.Response:
        """Send a list of actions as it is; nothing is played here."""
        decision = decision or self.get("/observation", seat).json()["decision"]["id"]
        body = {"decision": decision, "actions": [asdict(action) for action in actions]}
        return requests.post(f"{self.url}/actions", json=body, headers=self.bearer(seat), timeout=60)

    def do(self, seat: int, action: Any) -> dict[str, Any]:
        """One action, there and here."""
        answer = self.post(seat, action)
        assert answer.status_code == 200, answer.text
        assert answer.json()["applied"] == 1
        self._apply(seat, NUMBER[action])
        made: dict[str, Any] = answer.json()
        return made

    def owing(self) -> tuple[int, int]:
        """The first seat that owes a decision, and the decision's kind."""
        seat, kind, _ = self.state.pending[0]
        return seat, kind

    def pass_villa(self) -> bool:
        """Everybody passes until a date is to be arranged; False if the season ends first."""
        while not self.over() and self.owing()[1] == VILLA_TURN:
            self.do(self.owing()[0], Pass())
        return not self.over()

    def arrange(self, chosen: tuple[int, ...]) -> None:
        """Send these contestants on the date."""
        for contestant in chosen:
            self.do(self.owing()[0], ChooseContestant(seat=contestant))

    def shown(self, viewer: int | None) -> dict[str, Any]:
        """All that a viewer can fetch, entity tags included, but for instants and the match's own name."""
        found: dict[str, Any] = {}
        for path in ("", "/observation", "/observation?after=0&wait=0", "/events?limit=500", "/messages"):
            answer = self.get(path, viewer)
            found[path] = (answer.headers.get("ETag"), timeless(answer.json(), self.id))
        return found


def timeless(body: Any, match_id: str) -> Any:
    """A body without instants and its request's name; the match's name, also where decisions have it, made the same."""
    if isinstance(body, dict):
        return {
            name: timeless(value, match_id)
            for name, value in body.items()
            if name not in ("at", "since", "deadline", "request_id") and not name.endswith("_at")
        }
    if isinstance(body, list):
        return [timeless(value, match_id) for value in body]
    if isinstance(body, str):
        return body.replace(match_id, "mat_").replace(match_id[-8:], "_")
    return body


def orderless(shown: dict[str, Any]) -> dict[str, Any]:
    """What a viewer fetched after one date, but for the order, drawn by chance, of the cards that were turned over."""
    for path, (_, body) in shown.items():
        if path.startswith("/observation"):
            dates = [entry for entry in body["view"]["record"] if entry["type"] == "date"]
            pile = body["view"]["discard"]
            laid = len(dates[-1]["cards"])
            assert pile[-laid:] == dates[-1]["cards"]
            dates[-1]["cards"].sort()
            pile[-laid:] = sorted(pile[-laid:])
        elif path.startswith("/events"):
            for item in body["items"]:
                if item["event"]["type"] == "date_revealed":
                    item["event"]["cards"].sort()
    return shown


# Planning, from the truth that only this test's own engine knows.


def dealt(number: int) -> State:
    """The first state of the match that ``Season`` makes of this number."""
    seed = random.Random(number).getrandbits(128).to_bytes(16, "big")
    state: State = GAME.deal(SEATS, GAME.options_type(), seed)
    return state


def passed(state: State) -> State:
    """The same match when everybody has passed, at the choice of who goes on the first date."""
    while state.pending[0][1] == VILLA_TURN:
        GAME.apply(state, state.pending[0][0], NUMBER[Pass()], None)
    return state


def dated(state: State, fit: Callable[[State, tuple[int, ...]], bool]) -> tuple[int, ...] | None:
    """Contestants for the date that is to be arranged, such that it fits once they have drawn."""
    for chosen in combinations(range(SEATS), state.date_size):
        after = GAME.clone(state)
        for contestant in chosen:
            GAME.apply(after, after.pending[0][0], NUMBER[ChooseContestant(seat=contestant)], None)
        if fit(after, chosen):
            return chosen
    return None


def all_hold_both(state: State, chosen: tuple[int, ...]) -> bool:
    return all(state.masks[seat] & LAYABLE == LAYABLE for seat in chosen)


def all_can_lay(state: State, chosen: tuple[int, ...]) -> bool:
    return all(state.masks[seat] & LAYABLE for seat in chosen)


def numbers(fit: Callable[[int], bool]) -> Iterator[int]:
    """Small numbers of matches in which something is as the test needs it."""
    return (number for number in range(1, 5000) if fit(number))


@pytest.fixture(scope="module")
def both_held() -> tuple[int, tuple[int, ...]]:
    """A match whose first date can be one of contestants who all hold Love and Drama, and who they are."""
    for number in range(1, 5000):
        chosen = dated(passed(dealt(number)), all_hold_both)
        if chosen:
            return number, chosen
    raise AssertionError("no such match")


def to_first_date(server: Server, number: int, chosen: tuple[int, ...]) -> Season:
    season = Season(server, number)
    assert season.pass_villa()
    season.arrange(chosen)
    return season


# Dates


def answer_at_once(season: Season, cards: dict[int, int]) -> list[requests.Response]:
    """Every contestant of the date lays its card at the same instant, each through a client of its own."""
    decisions = {seat: season.get("/observation", seat).json()["decision"]["id"] for seat in cards}
    answers: dict[int, requests.Response] = {}
    ready = threading.Barrier(len(cards))

    def client(seat: int) -> None:
        ready.wait(PATIENCE_S)
        answers[seat] = season.post(seat, ChooseCard(card=CARDS[cards[seat]]), decision=decisions[seat])

    threads = [threading.Thread(target=client, args=(seat,)) for seat in cards]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert set(answers) == set(cards), "an answer is missing"
    for seat, kind in sorted(cards.items()):
        season._apply(seat, LAY[kind])
    return [answers[seat] for seat in cards]


def test_a_date_answered_by_all_at_one_instant_loses_nobody(server: Server) -> None:
    """LS-28, CM-5: a season of dates; each answer counts, none is refused, and the rules' own result comes out."""
    rng = random.Random(4)
    sizes = []
    season = Season(server, 4)
    while season.pass_villa():
        chosen = dated(season.state, all_can_lay)
        assert chosen is not None
        season.arrange(chosen)
        before = season.version
        cards = {}
        for seat in chosen:
            held = season.state.masks[seat]
            calm = season.state.viewership > 7 and held >> LOVE & 1  # not to the top: there are more dates to come
            cards[seat] = LOVE if calm else rng.choice([kind for kind in (LOVE, DRAMA) if held >> kind & 1])
        answers = answer_at_once(season, cards)
        assert [answer.status_code for answer in answers] == [200] * len(chosen)
        bodies = [answer.json() for answer in answers]
        assert all(body["applied"] == 1 and not body["replayed"] for body in bodies)
        versions = [
            item["version"]
            for body, seat in zip(bodies, chosen, strict=True)
            for item in body["events"]
            if item["event"]["type"] == "date_card_laid" and item["event"]["seat"] == seat
        ]
        assert sorted(versions) == [before + step for step in range(1, len(chosen) + 1)], "two answers are one change"
        for viewer in (*chosen, None):
            told = [item["event"] for item in season.get("/events?limit=500", viewer).json()["items"]]
            laid = [event for event in told if event["type"] == "date_card_laid"][-len(chosen) :]
            assert sorted(event["seat"] for event in laid) == sorted(chosen)
            for event in laid:
                own = event["seat"] == viewer
                assert event["card"] == (CARDS[cards[event["seat"]]] if own else None)
        for seat in range(SEATS):
            seen = season.observed(seat)
            assert seen["version"] == before + len(chosen)
        sizes.append(len(chosen))
    assert sizes == [3, 4, 4, 4, 5, 5]


def test_before_the_last_answer_nobody_sees_what_was_laid(
    server: Server, both_held: tuple[int, tuple[int, ...]]
) -> None:
    """LS-28, CM-5: one contestant lays Love here, Drama there; the others and the spectator fetch the same."""
    number, chosen = both_held
    calm, stormy = (to_first_date(server, number, chosen) for _ in range(2))
    for viewer in VIEWERS:
        assert calm.shown(viewer) == stormy.shown(viewer)
    for laid, seat in enumerate(chosen[:-1], 1):
        calm.do(seat, ChooseCard(card="love"))
        stormy.do(seat, ChooseCard(card="drama"))
        for viewer in VIEWERS:
            if viewer not in chosen[:laid]:
                here = calm.shown(viewer)
                assert here == stormy.shown(viewer)
                assert here["/observation"][1]["view"]["date"]["answered"] == list(chosen[:laid])
        for own in chosen[:laid]:
            ours, theirs = (table.observed(own)["view"]["date"]["your_card"] for table in (calm, stormy))
            assert (ours, theirs) == ("love", "drama")
        for seat in set(range(SEATS)) - set(chosen[:laid]):
            refused = [table.post(seat, ChooseCard(card="love"), decision="dec_of_nobody") for table in (calm, stormy)]
            assert [answer.status_code for answer in refused] == [409, 409]
            here, there = (
                timeless(answer.json(), table.id) for answer, table in zip(refused, (calm, stormy), strict=True)
            )
            assert here == there


def test_what_is_turned_over_names_nobody(server: Server, both_held: tuple[int, tuple[int, ...]]) -> None:
    """LS-28, CM-6a: two contestants lay each other's card. To everybody else nothing differs: ids, counts, versions,
    entity tags, events, all but the order of the cards turned over, which is chance's; and that order does not depend
    on who was first to answer."""
    number, chosen = both_held
    one, other, third = chosen
    onlookers = [viewer for viewer in VIEWERS if viewer not in (one, other)]
    tables = []
    for cards in (("love", "drama"), ("drama", "love")):
        for order in (chosen, chosen[::-1]):
            table = to_first_date(server, number, chosen)
            lays = {one: cards[0], other: cards[1], third: "drama"}
            for seat in order:
                table.do(seat, ChooseCard(card=lays[seat]))  # type: ignore[arg-type]
            tables.append(table)
    first, first_late, swapped, swapped_late = tables
    for viewer in onlookers:
        assert orderless(first.shown(viewer)) == orderless(swapped.shown(viewer))
        assert orderless(first_late.shown(viewer)) == orderless(swapped_late.shown(viewer))
    for viewer in VIEWERS:  # late or early: the same cards in the same order
        for early, late in ((first, first_late), (swapped, swapped_late)):
            assert early.shown(viewer)["/observation"] == late.shown(viewer)["/observation"]


# Lists of actions


def spotlight(number: int, comes: bool) -> tuple[int, int] | None:
    """In this match's first turn: the seat, and a kind that it does not hold and draws (or does not draw) by Steal the
    Spotlight."""
    state = dealt(number)
    seat = state.pending[0][0]
    before = state.masks[seat]
    GAME.apply(state, seat, NUMBER[StealTheSpotlight()], None)
    kinds = [kind for kind in (LOVE, DRAMA) if not before >> kind & 1 and bool(state.masks[seat] >> kind & 1) == comes]
    return (seat, kinds[0]) if kinds else None


@pytest.mark.parametrize("comes", [True, False])
def test_a_list_ends_at_the_draw_whether_or_not_the_card_comes(server: Server, comes: bool) -> None:
    """CM-4: Steal the Spotlight and the discard of a card not yet drawn."""
    number = next(numbers(lambda number: spotlight(number, comes) is not None))
    seat, kind = spotlight(number, comes) or (0, 0)
    season = Season(server, number)
    answer = season.post(seat, StealTheSpotlight(), ChooseCard(card=CARDS[kind]))
    assert (answer.status_code, answer.json()["applied"]) == (200, 1)
    season._apply(seat, NUMBER[StealTheSpotlight()])
    seen = season.observed(seat)
    assert (seen["decision"]["kind"], seen["view"]["discard"]) == ("discard", [])
    assert (CARDS[kind] in seen["view"]["hand"]) == comes
    assert {"card_discarded"}.isdisjoint(item["event"]["type"] for item in answer.json()["events"])


@pytest.mark.parametrize("comes", [True, False])
def test_a_refused_list_tells_nothing(server: Server, comes: bool) -> None:
    """CM-4: a Confessional paid with a card that is not held is refused whole, and what would have been drawn shows
    nowhere; paid with one that is held it stops after the draw, before the reveal."""

    def plan(number: int) -> tuple[int, int, int] | None:
        found = confessional(number, comes)
        return found if found and dealt(number).masks[found[0]] >> LOVE & 1 == 0 else None

    number = next(numbers(lambda number: plan(number) is not None))
    seat, paid, kind = plan(number) or (0, 0, 0)
    season = Season(server, number)
    before = {viewer: season.shown(viewer) for viewer in VIEWERS}
    observation = season.get("/observation", seat).json()
    for _ in range(2):
        answer = season.post(seat, Confessional(), ChooseCard(card="love"), ChooseCard(card=CARDS[kind]))
        assert (answer.status_code, answer.json()["code"]) == (422, "illegal_action")
        assert answer.json()["observation"] == observation
        assert answer.json()["reason"] == "You hold no Love (LS-9)."
        assert answer.json()["pointer"] == "/actions/1"
        assert {viewer: season.shown(viewer) for viewer in VIEWERS} == before
    answer = season.post(seat, Confessional(), ChooseCard(card=CARDS[paid]), ChooseCard(card=CARDS[kind]))
    assert (answer.status_code, answer.json()["applied"]) == (200, 2)
    season._apply(seat, NUMBER[Confessional()])
    season._apply(seat, LAY[paid])
    assert season.observed(seat)["decision"]["kind"] == "reveal"
    assert (CARDS[kind] in season.observed(seat)["view"]["hand"]) == comes


def confessional(number: int, comes: bool) -> tuple[int, int, int] | None:
    """In this match's first turn: the seat, what it pays, and a kind that it then does not hold and draws (or not)."""
    state = dealt(number)
    seat = state.pending[0][0]
    for paid in (kind for kind in range(K) if state.masks[seat] >> kind & 1):
        after = GAME.clone(state)
        GAME.apply(after, seat, NUMBER[Confessional()], None)
        held = after.masks[seat]
        GAME.apply(after, seat, LAY[paid], None)
        if state.hands[seat * K + paid] > 1:
            continue
        for kind in (DRAMA, *range(DRAMA + 1, K)):
            if not held >> kind & 1 and bool(after.masks[seat] >> kind & 1) == comes:
                return seat, paid, kind
    return None


# Offers


def holders(number: int) -> tuple[int, int] | None:
    """Two seats of this match that hold two Love: the first to act, and another."""
    state = dealt(number)
    seat = state.pending[0][0]
    rich = [other for other in range(SEATS) if other != seat and state.hands[other * K + LOVE] >= 2]
    return (seat, rich[0]) if rich and state.hands[seat * K + LOVE] >= 2 else None


def test_offers_are_made_refused_countered_and_accepted(server: Server) -> None:
    """LS-12, LS-13: and a split that was refused, or countered, is used up for this Villa turn."""
    number = next(numbers(lambda number: holders(number) is not None))
    seat, target = holders(number) or (0, 0)
    season = Season(server, number)
    used_up = "This split was offered or countered already in this Villa turn (LS-13)."

    def is_used_up(share: int) -> None:
        answer = season.post(seat, CoupleUp(target=target, share=share))
        assert (answer.status_code, answer.json()["reason"]) == (422, used_up)
        assert answer.json()["observation"]["version"] == season.version

    season.do(seat, CoupleUp(target=target, share=0))
    waiting = season.observed(seat)
    assert (waiting["decision"], [entry["seat"] for entry in waiting["awaiting"]]) == (None, [target])
    assert season.post(seat, CoupleUp(target=target, share=1), decision="dec_of_the_proposer").status_code == 409
    season.do(target, Decline())
    is_used_up(0)

    season.do(seat, CoupleUp(target=target, share=2))
    season.do(target, Counter(share=2))
    assert season.observed(seat)["decision"]["kind"] == "counter_reply"
    season.do(seat, Decline())
    is_used_up(2)
    is_used_up(1)  # what the counter came to

    for other in range(SEATS):
        if other not in (seat, target):  # each target has splits of its own
            season.do(seat, CoupleUp(target=other, share=2))
            season.do(other, Decline())
            break
    assert season.observed(seat)["view"]["turn"]["action"] is None  # the Villa turn is not used

    again = Season(server, number)
    again.do(seat, CoupleUp(target=target, share=1))
    again.do(target, Accept())
    seen = again.observed(target)["view"]
    assert (seen["partners"][seat], seen["partners"][target]) == (target, seat)
    assert seen["discard"] == ["love"] * 3

    third = Season(server, number)
    third.do(seat, CoupleUp(target=target, share=2))
    third.do(target, Counter(share=2))
    third.do(seat, Accept())
    assert third.observed(seat)["view"]["partners"][seat] == target


# What a seat has seen


def heart(number: int) -> tuple[int, int] | None:
    """A seat that holds a Heart to Heart in this match's first episode, and another that is Wrong."""
    state = dealt(number)
    askers = [seat for seat in range(SEATS) if state.hands[seat * K + HEART_TO_HEART]]
    wrong = [seat for seat in range(SEATS) if state.wrong >> seat & 1]
    pairs = [(seat, other) for seat in askers for other in wrong if seat != other]
    return pairs[0] if pairs else None


def test_an_intention_that_was_seen_stays_seen_by_who_saw_it_alone(server: Server) -> None:
    """LS-22, LS-41, CM-7: from the look to the end, through every change of the match."""
    number = next(numbers(lambda number: heart(number) is not None))
    seat, target = heart(number) or (0, 0)
    season = Season(server, number)
    while season.owing() != (seat, VILLA_TURN):
        season.do(season.owing()[0], Pass())
    season.do(seat, PlayBombshell(card="heart_to_heart", target=target))
    season.do(target, Accept())
    truth = {each: "wrong" if season.state.wrong >> each & 1 else "right" for each in range(SEATS)}
    rng = random.Random(3)
    changes = 0
    while not season.over():
        for viewer in (seat, target, changes % SEATS, None):
            known = {seat, target} if viewer in (seat, target) else {viewer}
            view = season.get("/observation", viewer).json()["view"]
            assert view["intentions"] == [truth[each] if each in known else None for each in range(SEATS)]
            assert (target in view["looks"][seat], seat in view["looks"][target]) == (True, True)
        owner, kind = season.owing()
        legal = GAME.legal_actions(season.state, owner)
        if kind == VILLA_TURN:
            action = rng.choice([number for number in legal if number in QUIET])
        else:
            action = rng.choice(legal)
        season.do(owner, GAME.actions(SEATS)[action])
        changes += 1
    for viewer in VIEWERS:
        assert season.get("/observation", viewer).json()["view"]["intentions"] == list(truth.values())
        told = [item["event"] for item in season.get("/events?limit=500", viewer).json()["items"]]
        for looker, at in ((seat, target), (target, seat)):
            looks = [event for event in told if event["type"] == "intention_seen" and event["seat"] == looker]
            assert looks == [
                {"type": "intention_seen", "seat": looker, "target": at}
                | {"intention": truth[at] if viewer == looker else None}
            ]
