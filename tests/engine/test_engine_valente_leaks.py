"""Planted leaks: each lets a viewer of Valente know what it must not, and the check kit finds every one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from parlour_engine.check import fair_match
from parlour_engine.game import AnyGame, Fact, Log, Outcome
from parlour_engine.games.valente import GAME, Options
from parlour_engine.games.valente.actions import BUY_DECK, EXCHANGE
from parlour_engine.games.valente.state import Observation, State

PLANTS: dict[str, AnyGame] = {}


def plant(field: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put this function in the place of the game's own."""

    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        PLANTS[function.__name__] = replace(GAME, **{field: function})
        return function

    return put


def top(state: State) -> int:
    """What nobody may know: the deck's top card."""
    return state.deck[-1] if state.deck else 0


# What a viewer sees


@plant("observe")
def the_decks_size_tells_the_parity_of_its_top_card(state: State, seat: int | None) -> Observation:
    seen = GAME.observe(state, seat)
    return replace(seen, deck_size=seen.deck_size * 2 + top(state) % 2)


@plant("observe")
def hidden_cards_come_in_deck_order(state: State, seat: int | None) -> Observation:
    seen = GAME.observe(state, seat)
    if len(seen.hidden) != 1:
        return seen
    piles = (state.deck, *state.hands, state.scouted)
    order = tuple(card for pile in piles for card in pile if card in seen.hidden[0].cards)
    return replace(seen, hidden=(replace(seen.hidden[0], cards=order),))


@plant("observe")
def the_size_of_a_hand_tells_that_it_can_declare(state: State, seat: int | None) -> Observation:
    seen = GAME.observe(state, seat)
    views = tuple(
        replace(view, hand_size=view.hand_size + (0 if state.cards.declaring.isdisjoint(hand) else 100))
        for view, hand in zip(seen.seats, state.hands, strict=True)
    )
    return replace(seen, seats=views)


@plant("observe")
def strips_glow_while_a_hand_can_go_on_with_them(state: State, seat: int | None) -> Observation:
    seen = GAME.observe(state, seat)
    parts = [state.cards.parts[card] for hand in state.hands for card in hand]
    return replace(seen, exchanged=seen.exchanged + (1000 if 1 in parts else 0))


@plant("observe")
def everybody_sees_the_scouted_cards(state: State, seat: int | None) -> Observation:
    return replace(GAME.observe(state, seat), scouted=tuple(state.scouted))


@plant("apply")
def a_card_bought_from_the_deck_becomes_known(state: State, seat: int, action: int, log: Log | None) -> bool:
    before = set(state.hands[seat])
    learnt = GAME.apply(state, seat, action, log)
    if action == BUY_DECK:
        for card in set(state.hands[seat]) - before:
            state.known[seat] |= 1 << card
    return learnt


# What the events tell


def told(kind: str) -> Callable[[State, int, int, Log | None], bool]:
    """Everybody sees of this event what its owner sees."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        facts: Log | None = None if log is None else []
        learnt = GAME.apply(state, seat, action, facts)
        for fact in facts or ():
            log.append(Fact(fact.private[0][1]) if fact.private and fact.public.type == kind else fact)  # type: ignore[union-attr]
        return learnt

    return apply


for kind in ("bought", "drew", "scouted", "kept"):
    PLANTS[f"the_event_{kind}_names_its_cards"] = replace(GAME, apply=told(kind))


@plant("apply")
def an_extra_event_when_a_good_card_is_drawn(state: State, seat: int, action: int, log: Log | None) -> bool:
    before = len(state.cards.declaring.intersection(state.hands[seat]))
    learnt = GAME.apply(state, seat, action, log)
    if log is not None and len(state.cards.declaring.intersection(state.hands[seat])) > before:
        log.append(log[0])
    return learnt


# What may be done, and who is asked


@plant("legal_actions")
def the_deck_is_not_offered_while_its_top_card_is_odd(state: State, seat: int) -> Sequence[int]:
    legal = GAME.legal_actions(state, seat)
    return [each for each in legal if each != BUY_DECK or top(state) % 2 == 0] or legal


@plant("legal_actions")
def an_exchange_is_offered_only_if_it_would_help(state: State, seat: int) -> Sequence[int]:
    legal = GAME.legal_actions(state, seat)
    good = not state.cards.declaring.isdisjoint(state.deck[-3:])
    return [each for each in legal if each != EXCHANGE or good] or legal


@plant("default_action")
def the_default_knows_the_top_card(state: State, seat: int) -> int:
    legal = GAME.legal_actions(state, seat)
    return legal[top(state) % len(legal)]


@plant("pending")
def a_decisions_number_jumps_with_the_top_card(state: State) -> Sequence[tuple[int, int, int]]:
    return [(seat, kind, 2 * number + top(state) % 2) for seat, kind, number in GAME.pending(state)]


@plant("pending")
def a_decisions_kind_tells_the_top_card(state: State) -> Sequence[tuple[int, int, int]]:
    return [(seat, kind if top(state) % 2 else 1, number) for seat, kind, number in GAME.pending(state)]


@plant("pending")
def who_is_asked_depends_on_the_top_card(state: State) -> Sequence[tuple[int, int, int]]:
    return [((seat + top(state)) % state.seats, kind, number) for seat, kind, number in GAME.pending(state)]


@plant("apply")
def a_list_of_actions_goes_on_past_a_drawn_card(state: State, seat: int, action: int, log: Log | None) -> bool:
    return GAME.apply(state, seat, action, log) and action != BUY_DECK


@plant("apply")
def a_list_of_actions_ends_where_the_deck_is_good(state: State, seat: int, action: int, log: Log | None) -> bool:
    return GAME.apply(state, seat, action, log) or top(state) in state.cards.declaring


@plant("outcome")
def the_outcome_tells_what_would_have_come(state: State) -> Outcome | None:
    end = GAME.outcome(state)
    return end and replace(end, text=f"{end.text} {top(state)}")


def play_fairly(game: AnyGame) -> None:
    for number in range(12):
        fair_match(game, 2 + number % 3, Options(exchange_min=1), number, leaks=1.0, reveals=False)


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_leak_is_found(name: str) -> None:
    """CM-4, CM-6, CM-6a, CM-11: observations, events, legal lists, defaults, and where a list of actions ends."""
    with pytest.raises(AssertionError):
        play_fairly(PLANTS[name])


@pytest.mark.parametrize("seats", GAME.seats)
def test_without_a_planted_leak_nothing_is_found(seats: int) -> None:
    """CM-6, CM-7: no action of a seat ever turns up a hidden card before the others."""
    for number in range(6):
        fair_match(GAME, seats, Options(), number, leaks=1.0, reveals=False)
