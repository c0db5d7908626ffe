"""Planted leaks: each is a Lovestruck that tells a little too much, and the check kit must catch every one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from parlour_engine.check import fair_match
from parlour_engine.game import AnyGame, Fact, Log, Outcome
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.cards import LOVE, K
from parlour_engine.games.lovestruck.events import CardsDrawn, DateCardLaid, IntentionSeen
from parlour_engine.games.lovestruck.names import DATE_CARD, OFFER
from parlour_engine.games.lovestruck.space import ACCEPT
from parlour_engine.games.lovestruck.state import State
from parlour_engine.games.lovestruck.views import Observation

Plant = Callable[[], AnyGame]
PLANTS: list[Any] = []


def plant(make: Plant) -> Plant:
    PLANTS.append(pytest.param(make, id=make.__name__))
    return make


def seeing(change: Callable[[State, Observation], dict[str, Any]]) -> AnyGame:
    """The game with an observation that was tampered with."""

    def observe(state: State, seat: int | None) -> Observation:
        seen = GAME.observe(state, seat)
        return replace(seen, **change(state, seen))

    return replace(GAME, observe=observe)


def logging(change: Callable[[State, int, int, Fact], Fact]) -> AnyGame:
    """The game with events that were tampered with."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        if log is None:
            return GAME.apply(state, seat, action, None)
        true: Log = []
        learnt = GAME.apply(state, seat, action, true)
        log.extend(change(state, seat, action, fact) for fact in true)
        return learnt

    return replace(GAME, apply=apply)


@plant
def a_bit_of_the_top_card_in_the_deck_size() -> AnyGame:
    return seeing(lambda state, seen: {"deck_size": 2 * len(state.deck) + (state.deck[-1] % 2 if state.deck else 0)})


@plant
def the_next_seats_intention() -> AnyGame:
    def change(state: State, seen: Observation) -> dict[str, Any]:
        return {"winners": (state.wrong >> (0 if seen.seat is None else seen.seat + 1) % state.seats & 1,)}

    return seeing(change)


@plant
def the_leftover_intention() -> AnyGame:
    return seeing(lambda state, seen: {"turns_taken": state.taken + 100 * (state.wrong >> state.seats & 1)})


@plant
def what_another_laid() -> AnyGame:
    def change(state: State, seen: Observation) -> dict[str, Any]:
        if seen.date is None:
            return {}
        first = [seat for seat in seen.date.answered if state.laid >> 2 * seat & 3 == 1]
        return {"date": replace(seen.date, answered=tuple(first))}

    return seeing(change)


@plant
def who_holds_love() -> AnyGame:
    """As a lower bound that nobody showed."""

    def change(state: State, seen: Observation) -> dict[str, Any]:
        love = [state.hands[seat * K + LOVE] for seat in range(state.seats)]
        return {"shown_hands": tuple(("love",) * count for count in love)}

    return seeing(change)


@plant
def a_bound_that_a_laid_card_does_not_lower() -> AnyGame:
    """What is known of a hand is looked up in the hand."""

    def change(state: State, seen: Observation) -> dict[str, Any]:
        held = tuple(
            tuple(card for card in cards if cards.count(card) <= state.hands[seat * K + LOVE])
            for seat, cards in enumerate(seen.shown_hands)
        )
        return {"shown_hands": held}

    return seeing(change)


@plant
def the_seed() -> AnyGame:
    return seeing(lambda state, seen: {"turns_taken": state.seed[0]})


@plant
def how_many_words_of_chance_were_drawn() -> AnyGame:
    """Throwing a word away depends on the seed."""
    return seeing(lambda state, seen: {"turns_taken": state.drawn})


@plant
def what_others_heard() -> AnyGame:
    return seeing(lambda state, seen: {"swaps": seen.swaps, "turns_taken": len(state.known) + len(state.overheard)})


@plant
def offers_only_to_those_who_can_pay() -> AnyGame:
    def legal_actions(state: State, seat: int) -> Sequence[int]:
        legal = GAME.legal_actions(state, seat)
        first = state.space.offer_0
        fits = [a for a in legal if a < first or state.hands[(a - first) // 4 * K + LOVE] >= 3 - (a - first) % 4]
        return fits or legal

    return replace(GAME, legal_actions=legal_actions)


@plant
def who_cannot_pay_is_not_asked() -> AnyGame:
    """CM-6: a forced no is given at once."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        learnt = GAME.apply(state, seat, action, log)
        while state.pending and state.pending[0][1] == OFFER:
            asked = state.pending[0][0]
            legal = GAME.legal_actions(state, asked)
            if ACCEPT in legal:
                break
            GAME.apply(state, asked, legal[0], log)
        return learnt

    return replace(GAME, apply=apply)


@plant
def a_date_card_without_choice_is_laid_at_once() -> AnyGame:
    """CM-6: an instant answer would tell the hand."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        learnt = GAME.apply(state, seat, action, log)
        while len(state.pending) > 1 and state.pending[0][1] == DATE_CARD:
            forced = [owed[0] for owed in state.pending if len(GAME.legal_actions(state, owed[0])) == 1]
            if not forced:
                break
            GAME.apply(state, forced[0], GAME.legal_actions(state, forced[0])[0], log)
        return learnt

    return replace(GAME, apply=apply)


@plant
def others_decisions_are_numbered_anew_when_one_answers() -> AnyGame:
    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        dated = state.pending[0][1] == DATE_CARD
        learnt = GAME.apply(state, seat, action, log)
        if dated and len(state.pending) > 1 and state.pending[0][1] == DATE_CARD:
            state.pending = tuple((each, kind, number + 1) for each, kind, number in state.pending)
        return learnt

    return replace(GAME, apply=apply)


@plant
def the_laid_card_in_the_public_event() -> AnyGame:
    def change(state: State, seat: int, action: int, fact: Fact) -> Fact:
        return Fact(fact.private[0][1]) if isinstance(fact.public, DateCardLaid) else fact

    return logging(change)


@plant
def drawn_cards_in_the_public_event() -> AnyGame:
    def change(state: State, seat: int, action: int, fact: Fact) -> Fact:
        return Fact(fact.private[0][1]) if isinstance(fact.public, CardsDrawn) else fact

    return logging(change)


@plant
def the_intention_looked_at_in_the_public_event() -> AnyGame:
    def change(state: State, seat: int, action: int, fact: Fact) -> Fact:
        return Fact(fact.private[0][1]) if isinstance(fact.public, IntentionSeen) else fact

    return logging(change)


@plant
def a_default_answer_by_the_proposers_hand() -> AnyGame:
    def default_action(state: State, seat: int) -> int:
        legal = GAME.legal_actions(state, seat)
        asked = state.pending[0][1] == OFFER
        return ACCEPT if asked and ACCEPT in legal and state.hands[state.turn * K + LOVE] > 2 else legal[0]

    return replace(GAME, default_action=default_action)


@plant
def an_outcome_that_is_known_early() -> AnyGame:
    def outcome(state: State) -> Outcome | None:
        if state.pending and state.viewership == 9 and state.wrong & 1:
            return Outcome((0,), None, "viewership", "as good as over")
        return GAME.outcome(state)

    return replace(GAME, outcome=outcome)


@plant
def a_list_that_ends_by_the_top_card() -> AnyGame:
    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        top = state.deck[-1] if state.deck else 0
        return GAME.apply(state, seat, action, log) or top == LOVE

    return replace(GAME, apply=apply)


@plant
def a_list_that_goes_on_past_a_draw() -> AnyGame:
    """CM-4: the refused second half would be a free peek."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        GAME.apply(state, seat, action, log)
        return False

    return replace(GAME, apply=apply)


def play_fairly(game: AnyGame, matches: int) -> None:
    for number in range(matches):
        fair_match(game, 5, game.options_type(), number, leaks=1.0)


def test_the_fair_game_is_fair() -> None:
    play_fairly(GAME, 3)


@pytest.mark.parametrize("make", PLANTS)
def test_a_planted_leak_is_caught(make: Plant) -> None:
    """CM-5, CM-6, CM-7: what a viewer may not know shows nowhere."""
    game = make()
    with pytest.raises(AssertionError):
        play_fairly(game, 30)


def test_there_are_enough_planted_leaks() -> None:
    assert len(PLANTS) >= 10
