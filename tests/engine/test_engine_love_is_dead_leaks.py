"""Leaks planted into Love Is Dead: each is caught by the check kit, or the kit is not good enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from parlour_engine.check import fair_match
from parlour_engine.game import AnyGame, Fact, Log
from parlour_engine.games.love_is_dead import GAME, known
from parlour_engine.games.love_is_dead.state import (
    CARDS,
    DO_DISCARD,
    DO_PASS,
    DO_SWIPE_RIGHT,
    LIMIT,
    MOVE,
    WILD,
    BoosReturned,
    Discarded,
    Drew,
    Observation,
    PickedUp,
    State,
)

Leak = Callable[[], AnyGame]


def _seen(change: Callable[[State, int | None, Observation], Observation]) -> AnyGame:
    """The game, with an observation that shows more."""

    def observe(state: State, seat: int | None) -> Observation:
        return change(state, seat, GAME.observe(state, seat))

    return replace(GAME, observe=observe)


def _logged(change: Callable[[State, State, Fact], Fact]) -> AnyGame:
    """The game, with events that show more: (state before, state after, fact) -> fact."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        before = GAME.clone(state)
        facts: Log = []
        learnt = GAME.apply(state, seat, action, facts)
        if log is not None:
            log.extend(change(before, state, fact) for fact in facts)
        return learnt

    return replace(GAME, apply=apply)


def _learns(change: Callable[[State, bool], bool]) -> AnyGame:
    """The game, with another answer to whether the seat learnt something."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        before = GAME.clone(state)
        return change(before, GAME.apply(state, seat, action, log))

    return replace(GAME, apply=apply)


def top_card_in_the_deck_size() -> AnyGame:
    return _seen(lambda state, seat, seen: replace(seen, deck_size=seen.deck_size + sum(state.deck[-1:]) % 2))


def a_card_of_another_hand() -> AnyGame:
    def change(state: State, seat: int | None, seen: Observation) -> Observation:
        other = 1 if seat == 0 else 0
        shown = replace(seen.players[other], known_hand=tuple(CARDS[kind] for kind in state.hands[other][:1]))
        return replace(seen, players=(*seen.players[:other], shown, *seen.players[other + 1 :]))

    return _seen(change)


def the_pools_order() -> AnyGame:
    def change(state: State, seat: int | None, seen: Observation) -> Observation:
        return replace(seen, pool=(tuple(state.cards.boo_ids[boo] for boo in state.pool[::-1]),))

    return _seen(change)


def another_seats_endgame_card() -> AnyGame:
    def change(state: State, seat: int | None, seen: Observation) -> Observation:
        last = replace(seen.players[-1], endgame=state.cards.endgames[state.endgame[-1]].id)
        return replace(seen, players=(*seen.players[:-1], last))

    return _seen(change)


def a_hand_for_the_spectator() -> AnyGame:
    return _seen(lambda state, seat, seen: replace(seen, hand=tuple(CARDS[kind] for kind in state.hands[seat or 0])))


def how_much_chance_was_drawn() -> AnyGame:
    return _seen(lambda state, seat, seen: replace(seen, turns=seen.turns + state.drawn))


def hand_sizes_without_wilds() -> AnyGame:
    def change(state: State, seat: int | None, seen: Observation) -> Observation:
        sizes = [sum(kind != WILD for kind in hand) for hand in state.hands]
        players = [replace(player, hand_size=size) for player, size in zip(seen.players, sizes, strict=True)]
        return replace(seen, players=tuple(players))

    return _seen(change)


def actions_that_depend_on_another_hand() -> AnyGame:
    def legal_actions(state: State, seat: int) -> Sequence[int]:
        legal = GAME.legal_actions(state, seat)
        return legal[:1] if legal and WILD in state.hands[seat - 1] else legal

    return replace(GAME, legal_actions=legal_actions)


def actions_that_depend_on_the_deck() -> AnyGame:
    def legal_actions(state: State, seat: int) -> Sequence[int]:
        legal = list(GAME.legal_actions(state, seat))
        without = [action for action in legal if action != DO_SWIPE_RIGHT]
        return without if state.deck[-1:] == [WILD] else legal

    return replace(GAME, legal_actions=legal_actions)


def a_default_that_depends_on_the_deck() -> AnyGame:
    def default_action(state: State, seat: int) -> int:
        legal = GAME.legal_actions(state, seat)
        return legal[-1] if state.deck[-1:] and state.deck[-1] % 2 else legal[0]

    return replace(GAME, default_action=default_action)


def draws_shown_to_all() -> AnyGame:
    def change(before: State, state: State, fact: Fact) -> Fact:
        mine = isinstance(fact.public, Drew) and fact.seen_by(fact.public.seat)
        return Fact(mine) if mine else fact

    return _logged(change)


def how_many_wilds_were_drawn() -> AnyGame:
    def change(before: State, state: State, fact: Fact) -> Fact:
        if isinstance(fact.public, Drew):
            drew = fact.seen_by(fact.public.seat)
            return Fact(replace(fact.public, count=drew.count + drew.cards.count("wild")), fact.private)
        return fact

    return _logged(change)


def a_pick_up_line_shown_to_all() -> AnyGame:
    def change(before: State, state: State, fact: Fact) -> Fact:
        return Fact(fact.private[0][1]) if isinstance(fact.public, PickedUp) else fact

    return _logged(change)


def the_order_under_the_pool() -> AnyGame:
    def change(before: State, state: State, fact: Fact) -> Fact:
        if isinstance(fact.public, BoosReturned):
            boos = state.pool[: len(fact.public.boos)]
            return Fact(BoosReturned(boos=tuple(state.cards.boo_ids[boo] for boo in boos)))
        return fact

    return _logged(change)


def the_hand_beside_the_discard() -> AnyGame:
    def change(before: State, state: State, fact: Fact) -> Fact:
        if isinstance(fact.public, Discarded):
            hand = tuple(CARDS[kind] for kind in state.hands[fact.public.seat])
            return Fact(replace(fact.public, cards=fact.public.cards + hand))
        return fact

    return _logged(change)


def an_event_for_nobody_but_with_wilds() -> AnyGame:
    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        learnt = GAME.apply(state, seat, action, log)
        if log is not None and WILD in state.hands[seat]:
            log.append(Fact(Discarded(seat=seat)))
        return learnt

    return replace(GAME, apply=apply)


def draws_without_saying_that_something_was_learnt() -> AnyGame:
    return _learns(lambda before, learnt: learnt and before.phase != MOVE)


def lists_that_end_where_the_deck_says() -> AnyGame:
    return _learns(lambda before, learnt: learnt or (before.phase != LIMIT and before.deck[-1:] == [WILD]))


def an_unasked_step_three() -> AnyGame:
    """A hand without a Make a Move card goes past step 3 without being asked, and nobody is told."""

    def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
        learnt = GAME.apply(state, seat, action, log)
        if state.phase == MOVE and state.outcome is None and list(GAME.legal_actions(state, state.turn)) == [DO_PASS]:
            state.numbers[state.turn] -= 1
            GAME.apply(state, state.turn, DO_PASS, None)
        return learnt

    return replace(GAME, apply=apply)


def decisions_numbered_over_all_seats() -> AnyGame:
    def pending(state: State) -> tuple[tuple[int, int, int], ...]:
        return tuple((seat, kind, sum(state.numbers)) for seat, kind, _ in state.pending)

    return replace(GAME, pending=pending)


def knowledge_that_is_forgotten_by_the_second_world() -> AnyGame:
    def determinize(observation: Observation, rng: Any) -> State:
        state = GAME.determinize(observation, rng)
        state.known = known.nothing()
        return state

    return replace(GAME, determinize=determinize)


LEAKS: tuple[Leak, ...] = (
    top_card_in_the_deck_size,
    a_card_of_another_hand,
    the_pools_order,
    another_seats_endgame_card,
    a_hand_for_the_spectator,
    how_much_chance_was_drawn,
    hand_sizes_without_wilds,
    actions_that_depend_on_another_hand,
    actions_that_depend_on_the_deck,
    a_default_that_depends_on_the_deck,
    draws_shown_to_all,
    how_many_wilds_were_drawn,
    a_pick_up_line_shown_to_all,
    the_order_under_the_pool,
    the_hand_beside_the_discard,
    an_event_for_nobody_but_with_wilds,
    draws_without_saying_that_something_was_learnt,
    lists_that_end_where_the_deck_says,
    an_unasked_step_three,
    decisions_numbered_over_all_seats,
    knowledge_that_is_forgotten_by_the_second_world,
)


@pytest.mark.parametrize("leak", LEAKS, ids=[leak.__name__ for leak in LEAKS])
def test_CM_6_a_planted_leak_is_caught(leak: Leak) -> None:
    """CM-5, CM-6, CM-7: what a seat may not know shows nowhere."""
    game = leak()
    for number in range(30):
        try:
            fair_match(game, 3, game.options_type(), number, leaks=1.0)
        except (AssertionError, IndexError, ValueError, KeyError):
            return
    pytest.fail(f"{leak.__name__} was not caught")


def test_CM_6_the_game_as_it_is_passes_the_same_matches() -> None:
    for number in range(6):
        fair_match(GAME, 3, GAME.options_type(), number, leaks=1.0)


assert DO_DISCARD == 0  # the numbers of a discard are those of the kinds
