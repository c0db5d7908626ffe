"""The check kit bites: for every game of the catalogue, flaws planted in its record are found.

What nobody may know is here a bit of the match's seed: every game has one, and no other world shares it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import pytest
from parlour_engine import check
from parlour_engine.check import fair_match, plain
from parlour_engine.game import AnyGame, Fact, Log
from parlour_engine.games import GAMES

Plant = Callable[[AnyGame], AnyGame]
PLANTS: list[Plant] = []


def plant(function: Plant) -> Plant:
    PLANTS.append(function)
    return function


def secret(state: Any) -> int:
    return int(state.seed[-1] & 1)


# Leaks


def _shifted(value: Any, by: int) -> Any:
    """The observation with its last whole number raised, wherever it stands."""
    for field in reversed(fields(value)):
        inner = getattr(value, field.name)
        if type(inner) is int and field.name != "seat":
            return replace(value, **{field.name: inner + by})
        if is_dataclass(inner) and (moved := _shifted(inner, by)) is not None:
            return replace(value, **{field.name: moved})
    return None


@plant
def a_count_tells_a_hidden_bit(game: AnyGame) -> AnyGame:
    def observe(state: Any, seat: int | None) -> Any:
        return _shifted(game.observe(state, seat), secret(state))

    return replace(game, observe=observe)


@plant
def a_spectators_count_tells_a_hidden_bit(game: AnyGame) -> AnyGame:
    def observe(state: Any, seat: int | None) -> Any:
        seen = game.observe(state, seat)
        return seen if seat is not None else _shifted(seen, secret(state))

    return replace(game, observe=observe)


@plant
def a_legal_list_depends_on_a_hidden_bit(game: AnyGame) -> AnyGame:
    def legal_actions(state: Any, seat: int) -> Sequence[int]:
        legal = game.legal_actions(state, seat)
        return legal[secret(state) :] or legal

    return replace(game, legal_actions=legal_actions)


@plant
def a_default_action_depends_on_a_hidden_bit(game: AnyGame) -> AnyGame:
    def default_action(state: Any, seat: int) -> int:
        return game.legal_actions(state, seat)[-secret(state)]

    return replace(game, default_action=default_action)


@plant
def an_event_is_doubled_for_a_hidden_bit(game: AnyGame) -> AnyGame:
    def apply(state: Any, seat: int, action: int, log: Log | None) -> bool:
        learnt = game.apply(state, seat, action, log)
        if log and secret(state):
            log.append(log[-1])
        return learnt

    return replace(game, apply=apply)


@plant
def a_list_of_actions_ends_by_a_hidden_bit(game: AnyGame) -> AnyGame:
    def apply(state: Any, seat: int, action: int, log: Log | None) -> bool:
        return game.apply(state, seat, action, log) or bool(secret(state))

    return replace(game, apply=apply)


@plant
def a_list_of_actions_never_ends(game: AnyGame) -> AnyGame:
    def apply(state: Any, seat: int, action: int, log: Log | None) -> bool:
        game.apply(state, seat, action, log)
        return False

    return replace(game, apply=apply)


@plant
def the_order_of_those_who_owe_tells_a_hidden_bit(game: AnyGame) -> AnyGame:
    """Or their number, where only one seat owes."""

    def pending(state: Any) -> Sequence[tuple[int, int, int]]:
        owed = [tuple(entry) for entry in game.pending(state)]
        return owed[:: -1 if secret(state) else 1] if len(owed) > 1 else [(s, k, n + secret(state)) for s, k, n in owed]

    return replace(game, pending=pending)


@plant
def an_outcome_tells_a_hidden_bit(game: AnyGame) -> AnyGame:
    def outcome(state: Any) -> Any:
        end = game.outcome(state)
        return end and replace(end, text=end.text + "." * secret(state))

    return replace(game, outcome=outcome)


# Other flaws


@plant
def a_legal_list_is_not_ascending(game: AnyGame) -> AnyGame:
    def legal_actions(state: Any, seat: int) -> Sequence[int]:
        return list(game.legal_actions(state, seat))[::-1]

    return replace(game, legal_actions=legal_actions)


@plant
def a_legal_list_is_empty(game: AnyGame) -> AnyGame:
    def legal_actions(state: Any, seat: int) -> Sequence[int]:
        legal = game.legal_actions(state, seat)
        return legal if len(legal) > 2 else ()

    return replace(game, legal_actions=legal_actions)


@plant
def a_clone_is_the_state_itself(game: AnyGame) -> AnyGame:
    return replace(game, clone=lambda state: state)


@plant
def the_log_changes_the_match(game: AnyGame) -> AnyGame:
    def apply(state: Any, seat: int, action: int, log: Log | None) -> bool:
        if log is not None:
            state.drawn += 1
        return game.apply(state, seat, action, log)

    return replace(game, apply=apply)


@plant
def the_stored_form_forgets_how_much_chance_was_drawn(game: AnyGame) -> AnyGame:
    def load(stored: dict[str, Any]) -> Any:
        state = game.load(stored)
        state.drawn += 1
        return state

    return replace(game, load=load)


@plant
def a_deal_is_not_the_same_twice(game: AnyGame) -> AnyGame:
    rng = random.Random(1)

    def deal(seats: int, options: Any, seed: bytes) -> Any:
        return game.deal(seats, options, rng.randbytes(16))

    return replace(game, deal=deal)


@plant
def a_decisions_number_does_not_count(game: AnyGame) -> AnyGame:
    def pending(state: Any) -> Sequence[tuple[int, int, int]]:
        return [(seat, kind, 0) for seat, kind, _ in game.pending(state)]

    return replace(game, pending=pending)


@plant
def a_match_that_is_over_still_asks(game: AnyGame) -> AnyGame:
    def outcome(state: Any) -> Any:
        return "over"

    return replace(game, outcome=outcome)


@plant
def a_match_that_has_no_outcome(game: AnyGame) -> AnyGame:
    return replace(game, outcome=lambda state: None)


@plant
def a_refusal_without_words(game: AnyGame) -> AnyGame:
    return replace(game, explain=lambda observation, action: "")


@plant
def a_button_without_words(game: AnyGame) -> AnyGame:
    return replace(game, label=lambda observation, action: "")


@plant
def an_event_that_is_no_json(game: AnyGame) -> AnyGame:
    def apply(state: Any, seat: int, action: int, log: Log | None) -> bool:
        learnt = game.apply(state, seat, action, log)
        if log is not None:
            log.append(Fact(Listing([1, 2])))
        return learnt

    return replace(game, apply=apply)


@dataclass(frozen=True)
class Listing:
    cards: list[int]


def _play_fairly(game: AnyGame) -> None:
    for number in range(6):
        fair_match(game, game.seats[0], game.options_type(), number, leaks=1.0)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
@pytest.mark.parametrize("planted", PLANTS, ids=lambda planted: planted.__name__)
def test_a_planted_flaw_is_found(planted: Plant, game: AnyGame) -> None:
    """CM-3, CM-4, CM-6, CM-10, CM-11."""
    with pytest.raises(AssertionError):
        _play_fairly(planted(game))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_a_match_without_end_is_found(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """CM-10: the kit stops at its own limit, and says so."""
    monkeypatch.setattr(check, "LIMIT", 3)
    with pytest.raises(AssertionError, match="no end in sight"):
        fair_match(game, game.seats[0], game.options_type(), 0, leaks=0)


@dataclass
class Loose:
    card: int


@pytest.mark.parametrize("value", [1.5, [1], {"card": 1}, {1}, b"1", Loose(1), (1, [2]), Listing([1])])
def test_what_is_no_plain_value_is_found(value: Any) -> None:
    with pytest.raises(AssertionError):
        plain(value)
    plain((1, "a", None, True, (2, 3)))
