"""Golden playthroughs: what a match looks like changes only where somebody meant it to."""

from __future__ import annotations

import pytest
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES

from tests.engine.playthrough import FOLDER, path_of, playthrough, seat_counts

GOLDENS = [pytest.param(game, seats, id=f"{game.slug}-{seats}") for game in GAMES for seats in seat_counts(game)]


@pytest.mark.parametrize(("game", "seats"), GOLDENS)
def test_playthrough_is_as_written(game: AnyGame, seats: int) -> None:
    """CM-3: the same version, options, seats, seed and actions give the same match."""
    path = path_of(game, seats)
    assert path.exists(), "no such playthrough: python tests/engine/playthrough.py write"
    written = path.read_text(encoding="utf-8").splitlines()
    assert playthrough(game, seats).splitlines() == written, (
        "if the change is meant: python tests/engine/playthrough.py write, and read the diff"
    )


def test_no_playthrough_is_left_over() -> None:
    wanted = {path_of(game, seats) for game in GAMES for seats in seat_counts(game)}
    assert set(FOLDER.glob("*.txt")) == wanted
