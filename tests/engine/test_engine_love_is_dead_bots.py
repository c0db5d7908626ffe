"""Love Is Dead's house bots: legal, repeatable, and the greedy one beats the random one."""

from __future__ import annotations

import random

import pytest
from parlour_engine.check import seed_of
from parlour_engine.games.love_is_dead import GAME
from parlour_engine.games.love_is_dead.state import Ghosted, Match, Pass, Play

from tests.engine.love_is_dead_table import legal, number, table

BOTS = {bot.id: bot for bot in GAME.bots}


def played(seats: int, seed: int, bots: list[str]) -> list[tuple[int, int]]:
    """A match of house bots, as (seat, action); every choice must be legal."""
    state = GAME.deal(seats, GAME.options_type(), seed_of(seed))
    actions = []
    while owed := GAME.pending(state):
        seat, _, count = owed[0]
        options = GAME.legal_actions(state, seat)
        rng = random.Random(f"{seed}:{seat}:{count}")
        action = BOTS[bots[seat]].choose(GAME.observe(state, seat), options, rng)
        assert action in options
        actions.append((seat, action))
        GAME.apply(state, seat, action, None)
    end = GAME.outcome(state)
    assert end is not None
    return [(seat, -1) for seat in end.winners] + actions


@pytest.mark.parametrize("seats", GAME.seats)
def test_greedy_beats_random(seats: int) -> None:
    """Each deal once with the greedy bot in each seat: it wins more than twice its share (measured: 82 % of five)."""
    won = matches = 0
    for seed in range(60 // seats):
        for seat in range(seats):
            bots = ["greedy" if each == seat else "random" for each in range(seats)]
            won += (seat, -1) in played(seats, seed, bots)
            matches += 1
    assert won / matches > min(0.75, 2.2 / seats)


def test_a_bot_that_decides_twice_plays_the_same() -> None:
    for bots in (["greedy"] * 3, ["random"] * 3):
        assert played(3, 7, bots) == played(3, 7, bots)


def chosen(state: object) -> object:
    seen = GAME.observe(state, 0)  # type: ignore[arg-type]
    options = GAME.legal_actions(state, 0)  # type: ignore[arg-type]
    return GAME.actions(5)[BOTS["greedy"].choose(seen, options, random.Random(1))]


def test_greedy_does_what_a_player_would() -> None:
    state = table(hands={0: ["dead_funny", "soulful"]}, profiles={0: ["soulful"]}, face_up=["mona_lott"])
    assert chosen(state) == Play(card="soulful")
    state = table(4, hands={0: ["ghosted", "catfish"]}, matches={2: ["chad", "professor_umbra"]}, face_up=["ari"])
    assert chosen(state) == Ghosted(target=2, match=1)
    mine = {0: ["soulful", "soulful"]}
    state = table(
        phase="match",
        profiles=mine,
        matches={0: ["chad", "bea_yond"]},
        face_up=["mona_lott"],
        endgame={0: "kindred_spirit"},
    )
    assert chosen(state) == Match(place=0)
    state = table(
        phase="match",
        profiles=mine,
        matches={0: ["barry_alive", "al_hallows"], 1: ["professor_umbra", "bea_yond"]},
        face_up=["mona_lott"],
        endgame={0: "cold_feet"},
    )
    assert chosen(state) == Pass()  # a third match would end the game and lose it
    assert number(Pass()) in [number(action) for action in legal(state)]
