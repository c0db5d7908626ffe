"""Every game, by an explicit line each: one import and one entry add a game."""

from __future__ import annotations

from ..errors import GameNotFound
from ..game import AnyGame
from . import love_is_dead, lovestruck, valente

GAMES: tuple[AnyGame, ...] = (valente.GAME, love_is_dead.GAME, lovestruck.GAME)


def find(slug: str) -> AnyGame:
    """The game of that slug; raises GameNotFound."""
    for game in GAMES:
        if game.slug == slug:
            return game
    raise GameNotFound(f"no game {slug!r}; there are: {', '.join(game.slug for game in GAMES)}")
