"""The games that this process offers, with the deployment's own decks on their shelves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from parlour_engine.errors import BadData, BadOption
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES
from parlour_engine.options import parse_options

from .errors import BadSetting, GameNotFound, ValidationError


class Catalogue:
    """Games by id."""

    def __init__(self, games: tuple[AnyGame, ...] = GAMES, decks: Path | None = None) -> None:
        self._games = {game.slug: game for game in games}
        if decks is not None:
            self._add_decks(decks)

    def _add_decks(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadSetting("PARLOUR_DECKS", f"must name a folder; {folder} is none")
        for path in sorted(folder.glob("*/*.json")):
            if path.parent.name not in self._games:
                raise BadSetting("PARLOUR_DECKS", f"holds {path.parent.name}/, which is no game's id")
            try:
                self._games[path.parent.name].decks.add(path)
            except BadData as error:
                raise BadSetting("PARLOUR_DECKS", f"holds a deck that cannot be used: {error}") from None

    def __iter__(self) -> Iterator[AnyGame]:
        return iter(self._games.values())

    def find(self, slug: str) -> AnyGame:
        """The game of that id; raises GameNotFound."""
        game = self._games.get(slug)
        if game is None:
            raise GameNotFound(f"No game {slug!r}; there are: {', '.join(self._games)}.")
        return game

    def playing(self, slug: str, version: str) -> AnyGame | None:
        """The game under exactly these rules, or None if this server no longer has them."""
        game = self._games.get(slug)
        return game if game is not None and game.version == version else None


def read_options(game: AnyGame, seats: int, raw: dict[str, Any]) -> Any:
    """A match's options; raises ValidationError with a pointer to the one that is wrong."""
    try:
        options = parse_options(game.options_type, raw)
        game.check_options(seats, options)
    except BadOption as error:
        raise ValidationError(errors=[{"pointer": f"/options/{error.name}", "detail": error.message}]) from None
    return options


@lru_cache(maxsize=64)
def action_numbers(game: AnyGame, seats: int) -> dict[tuple[tuple[str, Any], ...], int]:
    """An action's number by its typed form, as sorted (field, value) pairs. Cached: games are few and never change."""
    return {typed_key(fields_of(action)): number for number, action in enumerate(game.actions(seats))}


def fields_of(action: Any) -> dict[str, Any]:
    """An action's fields as they stand on the wire."""
    return {name: getattr(action, name) for name in action.__dataclass_fields__}


def typed_key(fields: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What identifies a typed action; true is not 1. Raises TypeError for values that no action holds."""
    pairs = tuple(sorted((name, (type(value).__name__, value)) for name, value in fields.items()))
    hash(pairs)
    return pairs
