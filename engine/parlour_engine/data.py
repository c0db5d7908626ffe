"""Decks, boards and tables: JSON files beside a game, validated when they are first used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, TypeVar

from .errors import BadData, BadOption

D = TypeVar("D")


class Shelf(Generic[D]):
    """A game's decks by name: the files of its own folder, and those that a deployment adds.

    ``parse(name, digest, data)`` makes the deck, or raises ``BadData`` naming file, key and reason. ``digest`` is
    the first 16 hex digits of SHA-256 over the file: a state remembers it, so an edited deck is never misread.
    """

    def __init__(self, folder: Path, parse: Callable[[str, str, Mapping[str, Any]], D]) -> None:
        self._files = {path.stem: path for path in sorted(folder.glob("*.json"))}
        self._parse = parse
        self._decks: dict[str, D] = {}

    def names(self) -> tuple[str, ...]:
        """Every deck's name, in alphabetical order."""
        return tuple(sorted(self._files))

    def add(self, path: Path) -> D:
        """Put an owner's own deck file on the shelf under its file name; validates it at once."""
        deck = self._load(path)
        self._files[path.stem] = path
        self._decks[path.stem] = deck
        return deck

    def __getitem__(self, name: str) -> D:
        if name not in self._decks:
            if name not in self._files:
                raise BadOption("deck", f"no deck {name!r}; there are: {', '.join(self.names())}")
            self._decks[name] = self._load(self._files[name])
        return self._decks[name]

    def _load(self, path: Path) -> D:
        try:
            raw = path.read_bytes()
            data = json.loads(raw)
        except (OSError, ValueError) as error:
            raise BadData(path.name, "(file)", str(error)) from error
        if not isinstance(data, dict):
            raise BadData(path.name, "(file)", "must hold one JSON object")
        return self._parse(path.stem, sha256(raw).hexdigest()[:16], data)
