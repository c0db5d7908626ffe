"""What holds for every game of the catalogue; a new game is picked up by itself."""

from __future__ import annotations

import pytest
from parlour_engine.check import fair_match
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES

TABLES = [pytest.param(game, seats, id=f"{game.slug}-{seats}") for game in GAMES for seats in game.seats]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_random_matches_are_fair(game: AnyGame, seats: int) -> None:
    """CM-3, CM-4, CM-6, CM-7, CM-10: random matches end, never an empty list, no leak, replay equal.

    Every viewer is checked at each leak check, so large tables need fewer of them.
    """
    for number in range(40):
        fair_match(game, seats, game.options_type(), number, leaks=0.6 / seats)
