"""Lovestruck's house bots: legal, quick enough, and greedy better than random; the balance of the house season."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import pytest
from parlour_engine.check import seed_of
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.bots import BOTS, Mind, choose_greedy, choose_random
from parlour_engine.games.lovestruck.state import State
from parlour_engine.games.lovestruck.views import Options

from tests.engine.lovestruck_table import NO, YES, Table, card, lay, play, send, turns


def match(seats: int, number: int, bot_of: Callable[[int], Callable], options: Options = Options()) -> State:  # noqa: B008
    """A match in which each seat is played by its bot."""
    state = GAME.deal(seats, options, seed_of(number))
    rng = random.Random(number)
    while state.pending:
        seat = rng.choice(state.pending)[0]
        legal = GAME.legal_actions(state, seat)
        action = bot_of(seat)(GAME.observe(state, seat), legal, rng)
        assert action in legal
        GAME.apply(state, seat, action, None)
    return state


def test_the_bots_have_the_ids_that_every_game_has() -> None:
    assert [bot.id for bot in BOTS] == ["random", "greedy"]


@pytest.mark.parametrize("actions", ["list", "reference_card"])
def test_greedy_plays_legally_to_the_end(actions) -> None:
    for seats in range(5, 11):
        assert match(seats, 50 + seats, lambda _: choose_greedy, Options(villa_actions=actions)).ending


def test_greedy_plays_the_same_from_the_same_observation_and_generator() -> None:
    first, second = (match(6, 9, lambda _: choose_greedy) for _ in range(2))
    assert GAME.dump(first) == GAME.dump(second)


def test_greedy_beats_random_at_a_table_of_greedy_bots() -> None:
    """Each deal played once by greedy bots alone and once per seat with a random bot in that seat."""
    seats, deals = 6, 10
    greedy = rand = 0
    for number in range(deals):
        greedy += match(seats, number, lambda _: choose_greedy).winners.bit_count()
        for seat in range(seats):
            state = match(seats, number, lambda each, seat=seat: choose_random if each == seat else choose_greedy)
            rand += state.winners >> seat & 1
    assert greedy > rand + 0.2 * seats * deals


def test_greedy_is_quick() -> None:
    """A decision takes no longer than forty observations, a millisecond or so, however slow the machine."""
    state = GAME.deal(10, Options(), seed_of(3))
    rng = random.Random(3)
    met, seen = [], []
    while state.pending:
        seat = rng.choice(state.pending)[0]
        met.append((GAME.clone(state), seat))
        seen.append((GAME.observe(state, seat), GAME.legal_actions(state, seat)))
        GAME.apply(state, seat, choose_greedy(*seen[-1], rng), None)

    def work_s(call: Callable, arguments: Sequence) -> float:
        """Of this process, at its best."""
        rounds = []
        for _ in range(3):
            start = time.process_time()
            for each in arguments:
                call(*each)
            rounds.append(time.process_time() - start)
        return min(rounds)

    assert work_s(lambda *seen: choose_greedy(*seen, rng), seen) < 40 * work_s(GAME.observe, met)


def test_beliefs_follow_dates_looks_and_turns() -> None:
    """A date with Drama makes its contestants suspect, one's own card taken out; what was looked at is certain."""
    table = Table(6, episode=2, hands={0: "drama", 1: "drama", 2: "love"}, wrong=(3, 5))
    before = Mind(table.sees(4)).suspicion
    table.act(0, send(0), send(1), send(2))
    lay(table, {0: "drama", 1: "drama", 2: "love"})
    after = Mind(table.sees(4)).suspicion
    assert after[1] > before[1]
    assert after[5] < after[1]
    of_one_who_laid_drama = Mind(table.sees(0)).suspicion
    assert of_one_who_laid_drama[1] < after[1]
    table.state.looked |= 1 << 4 * 16 + 3 | 1 << 4 * 16 + 1
    certain = Mind(table.sees(4)).suspicion
    assert (certain[3], certain[1]) == (1.0, 0.0)
    assert abs(sum(certain) - 2) < 1.1


def test_greedy_does_what_its_intention_asks_for() -> None:
    rng = random.Random(1)

    def choice(table: Table, seat: int):
        legal = GAME.legal_actions(table.state, seat)
        return GAME.actions(table.state.seats)[choose_greedy(table.sees(seat), legal, rng)]

    for wrong, laid in (((), "love"), ((0,), "drama")):
        table = Table(5, episode=6, hands={0: "love drama", 1: "love", 2: "love", 3: "love"}, wrong=wrong, viewership=8)
        table.act(0, send(0), send(1), send(2), send(3))
        assert choice(table, 0) == card(laid)
    table = Table(5, hands={0: "ratings_stunt love love drama"}, wrong=(0,), viewership=9)
    assert choice(table, 0) == play("ratings_stunt")
    table = Table(5, hands={0: "public_apology"}, viewership=9)
    assert choice(table, 0) == play("public_apology")
    table = Table(5, episode=10, hands={0: "love_letter love"}, wrong=(3,))
    table.state.looked |= 1 << 1 * 16 | 1 << 16 * 3
    table.act(0, play("love_letter", 1))
    assert choice(table, 1) == YES
    table = Table(5, episode=10, hands={3: "love_letter love"}, wrong=(3,))
    turns(table, 3)
    table.state.looked |= 1 << 1 * 16 + 3
    table.act(3, play("love_letter", 1))
    assert choice(table, 1) == NO
