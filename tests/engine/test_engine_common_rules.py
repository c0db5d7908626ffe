"""The common rules, over the whole catalogue. (What only one game can show is tested beside that game.)"""

from __future__ import annotations

import ast
import random
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import parlour_engine
import pytest
from parlour_engine.check import seed_of, stored, two_worlds, viewers
from parlour_engine.errors import BadOption
from parlour_engine.game import AnyGame, Log, Pending, random_match
from parlour_engine.games import GAMES

TABLES = [pytest.param(game, seats, id=f"{game.slug}-{seats}") for game in GAMES for seats in game.seats]
EACH = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)


def dealt(game: AnyGame, seats: int, number: int, **options: Any) -> Any:
    return game.deal(seats, game.options_type(**options), seed_of(number))


def seats_owing(game: AnyGame, state: Any) -> list[int]:
    return [entry[0] for entry in game.pending(state)]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_1_the_seat_to_the_left_of_i_is_i_plus_one(game: AnyGame, seats: int) -> None:
    """Played by defaults, the seats get their first decision of their own clockwise from the first seat."""
    for first in range(seats):
        state = dealt(game, seats, 5, first_seat=first)
        order: list[int] = []
        while len(order) < seats and (owed := game.pending(state)):
            seat, kind, _ = owed[0]
            if len(owed) == 1 and not game.kinds[kind].answering and seat not in order:
                order.append(seat)
            game.apply(state, seat, game.default_action(state, seat), None)
        assert order == [(first + step) % seats for step in range(len(order))]
        assert len(order) > 1


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_2_the_first_seat_is_the_option_or_drawn_from_the_matchs_own_chance(game: AnyGame, seats: int) -> None:
    assert {field.name: field.default for field in fields(game.options_type)}["first_seat"] is None
    for first in range(seats):
        assert seats_owing(game, dealt(game, seats, 3, first_seat=first))[0] == first
    drawn = Counter(seats_owing(game, dealt(game, seats, number))[0] for number in range(60 * seats))
    assert set(drawn) == set(range(seats))
    assert max(drawn.values()) < 110
    for wrong in (-1, seats):
        with pytest.raises(BadOption, match="first_seat"):
            game.check_options(seats, game.options_type(first_seat=wrong))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_3_the_same_seed_and_actions_give_the_same_match(game: AnyGame, seats: int) -> None:
    before = random.getstate()
    state = dealt(game, seats, 1)
    played = []
    for seat, action, now in random_match(game, state, random.Random(1)):
        played.append((seat, action, stored(game, now)))
    again = dealt(game, seats, 1)
    for seat, action, was in played:
        assert stored(game, again) == was
        game.apply(again, seat, action, [])
    assert stored(game, again) == stored(game, state)
    assert stored(game, dealt(game, seats, 2)) != stored(game, dealt(game, seats, 1)), "another seed, another deal"
    assert random.getstate() == before, "the global generator is nobody's"


def test_CM_3_the_engine_has_no_chance_and_no_clock_of_its_own() -> None:
    forbidden = {"os", "time", "datetime", "secrets", "uuid", "socket", "threading", "subprocess", "numpy"}
    for path in Path(parlour_engine.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert not forbidden & {alias.name.split(".")[0] for alias in node.names}, path
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert (node.module or "").split(".")[0] not in forbidden, path
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random":
                assert node.attr == "Random", f"{path}: random.{node.attr} is the global generator"


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_4_who_owes_a_decision_has_something_to_choose(game: AnyGame, seats: int) -> None:
    state = dealt(game, seats, 4)
    space = game.actions(seats)
    for _, _, now in random_match(game, state, random.Random(4)):
        for seat, _, _ in game.pending(now):
            legal = game.legal_actions(now, seat)
            assert legal
            assert 0 <= legal[0] <= legal[-1] < len(space)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_5_an_answer_shows_nothing_before_all_have_answered(game: AnyGame, seats: int) -> None:
    """Whatever a seat answers, while the others still owe theirs: they see the same, and owe the same."""
    rng = random.Random(5)
    for number in range(3):
        for _, _, now in random_match(game, dealt(game, seats, number), rng):
            owed = [Pending(*entry) for entry in game.pending(now)]
            if len(owed) < 2:
                continue
            answering = rng.choice(owed)
            worlds = []
            for action in rng.sample(list(game.legal_actions(now, answering.seat)) * 2, 2):
                world, log = game.clone(now), Log()
                game.apply(world, answering.seat, action, log)
                left = [Pending(*entry) for entry in game.pending(world)]
                if [entry for entry in owed if entry.seat != answering.seat] == left:
                    seen = [v for v in viewers(seats) if v != answering.seat]
                    events = [[fact.seen_by(viewer) for fact in log] for viewer in seen]
                    worlds.append(([game.observe(world, viewer) for viewer in seen], events))
            assert len(worlds) < 2 or worlds[0] == worlds[1]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_6_what_a_seat_may_choose_follows_from_what_it_knows(game: AnyGame, seats: int) -> None:
    """CM-6a, CM-7: in every world that fits a seat's observation it sees the same and may do the same."""
    rng = random.Random(6)
    for _, _, now in random_match(game, dealt(game, seats, 6), rng):
        for viewer in viewers(seats):
            if rng.random() < 0.2:
                world = two_worlds(game, now, seats, viewer, rng)
                two_worlds(game, world, seats, viewer, rng)


@EACH
def test_CM_6_an_answer_is_asked_even_if_only_one_is_legal(game: AnyGame) -> None:
    """An instant answer would tell the hand: so somewhere a seat is asked with one choice, or never answers."""
    rng = random.Random(7)
    choices = Counter()
    for number in range(12):
        for seat, _, now in random_match(game, dealt(game, game.seats[0], number), rng):
            kind = next(entry[1] for entry in game.pending(now) if entry[0] == seat)
            if game.kinds[kind].answering:
                choices[min(2, len(game.legal_actions(now, seat)))] += 1
    assert not any(kind.answering for kind in game.kinds) or choices[1]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_9_winners_are_seats_and_ties_share(game: AnyGame, seats: int) -> None:
    for number in range(15):
        state = dealt(game, seats, number)
        for _ in random_match(game, state, random.Random(number)):
            pass
        end = game.outcome(state)
        assert list(end.winners) == sorted(set(end.winners))
        assert set(end.winners) <= set(range(seats))
        assert end.reason
        assert end.text
        if end.scores is not None:
            assert len(end.scores) == seats
            assert not end.winners or end.winners == tuple(
                seat for seat in range(seats) if end.scores[seat] == max(end.scores)
            )


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_10_a_match_always_ends(game: AnyGame, seats: int) -> None:
    for number in range(15):
        state = dealt(game, seats, 100 + number)
        assert sum(1 for _ in random_match(game, state, random.Random(number))) < 3000
        assert game.outcome(state) is not None
        assert game.pending(state) in ((), [])


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_11_default_actions_are_legal_and_lead_to_an_end(game: AnyGame, seats: int) -> None:
    state = dealt(game, seats, 8)
    rng = random.Random(8)
    steps = 0
    while owed := game.pending(state):
        seat = owed[0][0]
        action = game.default_action(state, seat)
        assert action in game.legal_actions(state, seat)
        if rng.random() < 0.1:
            other = game.determinize(game.observe(state, seat), rng)
            assert game.default_action(other, seat) == action
        game.apply(state, seat, action, None)
        steps += 1
        assert steps < 10_000
    assert game.outcome(state) is not None


def _played(game: AnyGame, seats: int, number: int, steps: int) -> Any:
    state = dealt(game, seats, number)
    for step, _ in enumerate(random_match(game, state, random.Random(number))):
        if step == steps:
            break
    return state


@pytest.mark.parametrize(("game", "seats"), TABLES)
@pytest.mark.parametrize("steps", [0, 7, 20])
def test_CM_12_a_forfeited_seat_cannot_win_and_the_match_goes_on(game: AnyGame, seats: int, steps: int) -> None:
    rng = random.Random(9)
    for gone in range(seats):
        state = _played(game, seats, 20 + gone, steps)
        if not game.pending(state):
            continue
        log: Log = []
        game.forfeit(state, gone, log)
        if seats == 2:
            assert game.outcome(state).winners == (1 - gone,)
            continue
        assert game.outcome(state) is None
        assert any(fact.seen_by(None) for fact in log), "everybody sees that a seat has forfeited"
        while owed := game.pending(state):
            seat = rng.choice(owed)[0]
            if rng.random() < 0.02:
                two_worlds(game, state, seats, seat, rng)
            legal = game.legal_actions(state, seat)
            action = game.default_action(state, seat) if seat == gone else rng.choice(legal)
            game.apply(state, seat, action, None)
        assert gone not in game.outcome(state).winners


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_12_the_last_seat_that_has_not_forfeited_wins_at_once(game: AnyGame, seats: int) -> None:
    for last in range(seats):
        state = _played(game, seats, 40 + last, 5)
        for gone in range(seats):
            if gone != last:
                assert game.outcome(state) is None
                game.forfeit(state, gone, [])
        assert game.outcome(state).winners == (last,)
        assert game.pending(state) in ((), [])
        for viewer in viewers(seats):
            two_worlds(game, state, seats, viewer, random.Random(1))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_CM_12_a_forfeit_after_the_end_and_a_second_one_of_a_seat_change_nothing(game: AnyGame, seats: int) -> None:
    def forfeits_in_vain(state: Any, *gone: int) -> None:
        before = stored(game, state)
        for seat in gone:
            game.forfeit(state, seat, log := [])
            assert (log, stored(game, state)) == ([], before)

    state = dealt(game, seats, 60)
    for _ in random_match(game, state, random.Random(60)):
        pass
    forfeits_in_vain(state, *range(seats))

    state = dealt(game, seats, 61)
    for seat in range(seats - 1):
        game.forfeit(state, seat, None)
        forfeits_in_vain(state, *range(seat + 1))
    forfeits_in_vain(state, seats - 1)


@EACH
def test_an_unknown_deck_is_refused_before_a_match_begins(game: AnyGame) -> None:
    options = replace(game.options_type(), deck="no-such-deck")
    with pytest.raises(BadOption, match="deck"):
        game.check_options(game.seats[0], options)
