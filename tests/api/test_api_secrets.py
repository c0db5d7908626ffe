"""Secrets of Lovestruck over HTTP, in two worlds that differ in one hidden thing, played on by the same requests.

Beyond ``test_api_two_worlds``: the worlds are chosen, not drawn, and stay apart while the match goes on, so that
offers, dates and lists of actions are answered in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

import orjson
import pytest
from parlour_api.store import keys
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.cards import DRAMA, LOVE, K
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
    StealTheSpotlight,
)
from parlour_engine.games.lovestruck.state import State
from werkzeug.test import TestResponse

from tests.api.conftest import Api
from tests.api.test_api_two_worlds import Table, assert_equal, worlds  # noqa: F401 (a fixture)

SEATS = 5


class Pair(Table):
    """The same match in both worlds, until ``alter`` puts something else where it is not seen."""

    def __init__(self, worlds: tuple[Api, Api], number: int = 1) -> None:  # noqa: F811
        super().__init__(worlds, GAME, SEATS, number)

    def alter(self, world: int, edit: Callable[[State], None]) -> State:
        """Change the stored state of one world; what it then is."""
        state = self.truth(world)
        edit(state)
        client = self.worlds[world].service.store.client
        key = keys.match_key(self.id)
        client.hset(key, "state", orjson.dumps(GAME.dump(state)))
        client.hdel(key, *(f"obs:{keys.viewer_name(each)}" for each in (*range(SEATS), None)))
        return state

    def token_of(self, viewer: int | None) -> str | None:
        return None if viewer is None else self.tokens[viewer]

    def truth(self, world: int = 0) -> State:
        stored = self.worlds[world].service.store.load(self.id)
        assert stored is not None
        state: State = GAME.load(orjson.loads(stored.state))
        return state

    def send(self, seat: int, *actions: Any, there: Sequence[Any] | None = None) -> tuple[TestResponse, TestResponse]:
        """The same list of actions in both worlds, or another one there."""
        answers = []
        for world, chosen in enumerate((actions, actions if there is None else there)):
            owed = [entry for entry in GAME.pending(self.truth(world)) if entry[0] == seat]
            body = {"decision": f"dec_{self.id[-8:]}_{seat}_{owed[0][2]}", "actions": [asdict(each) for each in chosen]}
            answers.append(self.worlds[world].post(f"{self.path}/actions", body, self.tokens[seat]))
        return answers[0], answers[1]

    def do(self, seat: int, *actions: Any, there: Sequence[Any] | None = None, applied: int = 1) -> None:
        """The same, and it takes effect in both."""
        for answer in self.send(seat, *actions, there=there):
            assert (answer.status_code, answer.json["applied"]) == (200, applied), answer.text

    def send_stale(self, seat: int) -> tuple[TestResponse, TestResponse]:
        """An action for a decision that the seat does not owe."""
        body = {"decision": "dec_of_another_day", "actions": [{"id": 0}]}
        here, there = (api.post(f"{self.path}/actions", body, self.tokens[seat]) for api in self.worlds)
        return here, there

    def alike(self, viewers: Iterable[int | None]) -> None:
        """Whatever these viewers ask, both worlds answer with the same bytes."""
        for viewer in viewers:
            for ask in self.questions(self.truth(), viewer):
                assert_equal(ask(self.worlds[0]), ask(self.worlds[1]))

    def pass_villa(self) -> None:
        while self.truth().pending[0][1] == VILLA_TURN:
            self.do(self.truth().pending[0][0], Pass())


def but(*seats: int) -> list[int | None]:
    """Every other seat, and the spectator."""
    return [viewer for viewer in (*range(SEATS), None) if viewer not in seats]


def holding(seat: int, *kinds: int) -> Callable[[State], None]:
    """Change a hand for these cards, by way of the deck."""

    def edit(state: State) -> None:
        hand = state.hands[seat * K : seat * K + K]
        state.deck[:0] = [kind for kind in range(K) for _ in range(hand[kind])]
        state.hands[seat * K : seat * K + K] = bytes(K)
        for kind in kinds:
            state.deck.remove(kind)
            state.hands[seat * K + kind] += 1
        state.masks[seat] = sum(1 << kind for kind in set(kinds))
        state.sizes[seat] = len(kinds)

    return edit


# Offers


@pytest.fixture
def offers(worlds: tuple[Api, Api]) -> tuple[Pair, int, int]:  # noqa: F811
    """The first seat to act holds Love; the target of its offers three Love in the one world, none in the other."""
    pair = Pair(worlds)
    seat = pair.truth().pending[0][0]
    target = (seat + 1) % SEATS
    for world, kinds in enumerate(((LOVE, LOVE, LOVE), (DRAMA, DRAMA, DRAMA))):
        pair.alter(world, holding(seat, LOVE, LOVE, LOVE))
        pair.alter(world, holding(target, *kinds))
    return pair, seat, target


def test_an_offer_tells_nothing_of_the_targets_hand(offers: tuple[Pair, int, int]) -> None:
    """LS-14, CM-6: which offers there are, how many, what refuses them, that the target is asked, and its no."""
    pair, seat, target = offers
    others = but(target)
    pair.alike(others)
    for share in range(4):
        pair.do(seat, CoupleUp(target=target, share=share))
        pair.alike(others)
        assert_equal(*pair.send_stale(seat))
        pair.do(target, Decline())
        pair.alike(others)
        refused = pair.send(seat, CoupleUp(target=target, share=share))
        assert_equal(*refused)
        assert refused[0].status_code == 422
        assert "LS-13" in refused[0].json["reason"]
        offered = [each for each in refused[0].json["observation"]["decision"]["legal_actions"] if aimed(each, target)]
        assert [each["share"] for each in offered] == list(range(share + 1, 4))
    pair.do(seat, Pass())
    pair.alike(others)


def aimed(action: dict[str, Any], target: int) -> bool:
    return action["type"] == "couple_up" and action["target"] == target


def test_a_counter_that_anybody_could_make_tells_nothing(offers: tuple[Pair, int, int]) -> None:
    """LS-13, LS-14: a counter of no Love at all is open to every hand; the proposer's answer follows from its own."""
    pair, seat, target = offers
    pair.do(seat, CoupleUp(target=target, share=1))
    pair.do(target, Counter(share=0))
    pair.alike(but(target))
    assert_equal(*pair.send(seat, Counter(share=1)))
    pair.do(seat, Accept())
    pair.alike(but(target))
    assert pair.truth().partner[seat] == target


def test_who_cannot_pay_is_told_so_and_nobody_else_is(offers: tuple[Pair, int, int]) -> None:
    """LS-14: the target's own refusal speaks of its own hand; to the others nothing has happened."""
    pair, seat, target = offers
    pair.do(seat, CoupleUp(target=target, share=2))
    poor = pair.worlds[1]
    before = {viewer: poor.get(f"{pair.path}/observation", pair.token_of(viewer)).data for viewer in but(target)}
    refused = poor.post(
        f"{pair.path}/actions",
        {"decision": f"dec_{pair.id[-8:]}_{target}_0", "actions": [{"type": "accept"}]},
        pair.token_of(target),
    )
    assert refused.status_code == 422
    assert "LS-14" in refused.json["reason"]
    for viewer, seen in before.items():
        assert poor.get(f"{pair.path}/observation", pair.token_of(viewer)).data == seen


# Dates


def test_two_who_lay_each_others_card_cannot_be_told_apart(worlds: tuple[Api, Api]) -> None:  # noqa: F811
    """LS-28, CM-6a: with the same chance at the shuffle every byte that anybody else can fetch is the same."""
    pair = Pair(worlds)
    pair.pass_villa()
    main = pair.truth().pending[0][0]
    one, other, third = ((main + step) % SEATS for step in (1, 2, 3))
    for world in range(2):
        for seat in (one, other, third):
            pair.alter(world, holding(seat, LOVE, DRAMA, DRAMA))
    for contestant in (one, other, third):
        pair.do(main, ChooseContestant(seat=contestant))
    pair.alike(but())
    pair.do(one, ChooseCard(card="love"), there=[ChooseCard(card="drama")])
    pair.alike(but(one))
    pair.do(other, ChooseCard(card="drama"), there=[ChooseCard(card="love")])
    pair.alike(but(one, other))
    pair.alter(1, lambda state: reseed(state, third, turned_over(pair.truth(), third)))
    pair.do(third, ChooseCard(card="drama"))
    pair.alike(but(one, other))
    assert pair.truth().dates != pair.truth(1).dates
    for contestant in range(3):  # the next date is arranged
        pair.do(pair.truth().pending[0][0], ChooseContestant(seat=contestant))
        pair.alike(but(one, other))


def turned_over(state: State, last: int) -> tuple[int, ...]:
    """In which order the cards are turned over once the last contestant has laid Drama."""
    after = GAME.clone(state)
    GAME.apply(after, last, GAME.actions(SEATS).index(ChooseCard(card="drama")), None)
    cards: tuple[int, ...] = after.record[-1][7]  # type: ignore[assignment]
    return cards


def reseed(state: State, last: int, wanted: tuple[int, ...]) -> None:
    """Another chance from here on, by which the cards come in the wanted order."""
    for number in range(1000):
        state.seed = number.to_bytes(16, "big")
        if turned_over(state, last) == wanted:
            return
    raise AssertionError("no chance gives this order")


# Lists of actions


@pytest.mark.parametrize("comes", [0, 1])
def test_where_a_list_ends_does_not_depend_on_the_card_drawn(worlds: tuple[Api, Api], comes: int) -> None:  # noqa: F811
    """CM-4: the wanted card lies on top of the deck in one world, deep in the other; both lists end at the draw."""
    pair = Pair(worlds)
    seat = pair.truth().pending[0][0]
    for world in range(2):
        pair.alter(world, holding(seat, DRAMA, DRAMA, DRAMA))
        pair.alter(world, lambda state, on_top=world == comes: put_love(state, on_top))  # type: ignore[misc]
    for refused in (
        [Confessional(), ChooseCard(card="love")],
        [Confessional(), ChooseCard(card="love"), ChooseCard(card="love")],
        [ChooseCard(card="love"), StealTheSpotlight()],
        [CoupleUp(target=(seat + 1) % SEATS, share=1), StealTheSpotlight()],
    ):
        here, there = pair.send(seat, *refused)
        assert_equal(here, there)
        assert here.status_code == 422
        pair.alike(but())
    pair.do(seat, StealTheSpotlight(), ChooseCard(card="love"))
    pair.alike(but(seat))
    held = [pair.truth(world).masks[seat] >> LOVE & 1 for world in range(2)]
    assert held == [comes == 0, comes == 1]


def put_love(state: State, on_top: bool) -> None:
    """The two cards that are drawn next are Love, or neither is."""
    love = [kind for kind in state.deck if kind == LOVE]
    rest = [kind for kind in state.deck if kind != LOVE]
    state.deck[:] = [*rest, *love] if on_top else [*love, *rest]
