"""The cards of Valente as data: what a deck file must hold, and the tables made from it once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from ...data import Shelf
from ...errors import BadData
from .actions import CARDS, plays_by_shape

Part: TypeAlias = Literal["start", "middle", "end"]
PARTS: tuple[Part, ...] = get_args(Part)
EFFECTS = ("dama", "princesa", "trust", "scout", "tear", "salvage", "declare", "declare_dama", "declare_princesa")


class Effect(NamedTuple):
    """One effect of a card: its name, and for dama and princesa how many spaces."""

    name: str
    steps: int

    def __str__(self) -> str:
        return f"{self.name} {self.steps}" if self.name in ("dama", "princesa") else self.name


@dataclass(frozen=True, slots=True)
class Card:
    """A card: where in a strip it goes, what it does when the strip is published, and what it tells. [VA-4, VA-5]"""

    id: int
    part: Part
    effects: tuple[Effect, ...]
    caption: str


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck file, read: 80 cards, the heart track's reach, the limit of rounds without time, the secret card."""

    name: str
    digest: str
    title: str
    reach: int
    untimed_rounds: int
    epilogue: str
    cards: tuple[Card, ...]
    parts: tuple[int, ...]  # by card id; 0 is no card
    effects: tuple[tuple[Effect, ...], ...]  # by card id
    declaring: frozenset[int]
    plays: tuple[tuple[tuple[int, ...], ...], ...]  # by shape, by card id

    def __getitem__(self, card: int) -> Card:
        return self.cards[card - 1]


def parse(name: str, digest: str, data: Mapping[str, Any]) -> Deck:
    """Make a deck of a file's content; BadData names the key and the reason. [VA-2, VA-4, VA-5, VA-29, VA-30]"""
    file = f"{name}.json"

    def bad(key: str, reason: str) -> BadData:
        return BadData(file, key, reason)

    def text(key: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise bad(key, "must be a text")
        return value

    def whole(key: str, value: Any, least: int, most: int) -> int:
        if type(value) is not int or not least <= value <= most:
            raise bad(key, f"must be a whole number from {least} to {most}")
        return value

    def effect(key: str, value: Any) -> Effect:
        words = value.split(" ") if isinstance(value, str) else []
        if len(words) == 2 and words[0] in ("dama", "princesa") and words[1] in "123456789":
            return Effect(words[0], int(words[1]))
        if len(words) == 1 and words[0] in EFFECTS[2:]:
            return Effect(words[0], 0)
        raise bad(key, f"must be 'dama n' or 'princesa n' with n from 1 to 9, or one of {', '.join(EFFECTS[2:])}")

    for key in ("title", "heart_track", "untimed_rounds", "epilogue", "cards"):
        if key not in data:
            raise bad(key, "is missing")
    track, rows = data["heart_track"], data["cards"]
    if not isinstance(track, dict):
        raise bad("heart_track", "must be an object with 'reach'")
    if not isinstance(rows, list) or len(rows) != CARDS:
        raise bad("cards", f"must be a list of {CARDS} cards")
    by_id: dict[int, Card] = {}
    for place, row in enumerate(rows):
        key = f"cards[{place}]"
        if not isinstance(row, dict) or set(row) != {"id", "part", "effects", "caption"}:
            raise bad(key, "must be an object with id, part, effects and caption")
        number = whole(f"{key}.id", row["id"], 1, CARDS)
        if number in by_id:
            raise bad(f"{key}.id", f"{number} stands twice")
        if row["part"] not in PARTS:
            raise bad(f"{key}.part", f"must be one of {', '.join(PARTS)}")
        if not isinstance(row["effects"], list) or not row["effects"]:
            raise bad(f"{key}.effects", "must be a list of at least one effect")
        effects = tuple(effect(f"{key}.effects", value) for value in row["effects"])
        by_id[number] = Card(number, row["part"], effects, text(f"{key}.caption", row["caption"]))
    cards = tuple(by_id[number] for number in range(1, CARDS + 1))
    for part in PARTS:
        if not any(card.part == part for card in cards):
            raise bad("cards", f"must hold at least one {part} card")
    declaring = frozenset(card.id for card in cards if any(e.name.startswith("declare") for e in card.effects))
    if not declaring:
        raise bad("cards", "must hold at least one card that declares, or nobody could ever win")
    parts = (0, *(PARTS.index(card.part) for card in cards))
    return Deck(
        name=name,
        digest=digest,
        title=text("title", data["title"]),
        reach=whole("heart_track.reach", track.get("reach"), 1, 50),
        untimed_rounds=whole("untimed_rounds", data["untimed_rounds"], 1, 1000),
        epilogue=text("epilogue", data["epilogue"]),
        cards=cards,
        parts=parts,
        effects=((), *(card.effects for card in cards)),
        declaring=declaring,
        plays=plays_by_shape(parts),
    )


DECKS = Shelf(Path(__file__).parent / "decks", parse)
