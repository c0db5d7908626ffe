"""The decks: action cards, Boos, Endgame cards and the house numbers, as data files. [LD-1, LD-3]"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ...data import Shelf
from ...errors import BadData
from .profile import MOST_WANTED, have_of, reach_of, unary
from .state import BOOS, CARDS, GHOSTED, MOST_SPACES, RED_FLAG, SEATS, SPACES, TRAITS, WILD

ACTION_CARDS = 65
ENDGAMES = 12

ENDGAME_RULES = {
    "trait": ("each", "none"),
    "worth": ("least", "most", "hearts"),
    "different": ("matches", "hearts"),
    "few": ("matches", "hearts", "more"),
    "dealbreakers": ("each",),
}
"""The rules that an Endgame card can have, and the numbers of each; rules.py counts them. [LD-48]"""

NUMBERS = {
    "swipe_right_draws": range(1, 10),
    "humblebrag_draws": range(2, 10),
    "hobbies_spaces": range(SPACES + 1, MOST_SPACES + 1),
    "baggage_hearts": range(100),
    "turns_per_seat": range(1, 1001),
}


@dataclass(frozen=True, slots=True)
class Boo:
    """A ghost: its id on the wire, its name, the traits that it wants (with repeats), its Hearts."""

    id: str
    name: str
    wants: tuple[int, ...]
    hearts: int


@dataclass(frozen=True, slots=True)
class Endgame:
    """An Endgame card: its rule, the rule's trait (or -1) and the rule's numbers in the order of ENDGAME_RULES."""

    id: str
    name: str
    rule: str
    trait: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Deck:
    """A deck file: ``copies`` of each kind of action card, Boos, Endgame cards, house numbers."""

    name: str
    digest: str
    copies: tuple[int, ...]
    boos: tuple[Boo, ...]
    endgames: tuple[Endgame, ...]
    swipe_right_draws: int
    humblebrag_draws: int
    hobbies_spaces: int
    baggage_hearts: int
    turns_per_seat: int

    @cached_property
    def packs(self) -> dict[int, tuple[int, ...]]:
        """Copies of each kind that are played with, by number of seats. [LD-5]"""
        return {seats: pack(self.copies, seats) for seats in SEATS}

    @cached_property
    def decks(self) -> dict[int, tuple[int, ...]]:
        """The action cards that are played with, sorted, by number of seats."""
        packs = self.packs.items()
        return {seats: tuple(kind for kind, count in enumerate(pack) for _ in range(count)) for seats, pack in packs}

    @cached_property
    def wants(self) -> tuple[int, ...]:
        """What each Boo wants, in unary."""
        return tuple(unary(boo.wants) for boo in self.boos)

    @cached_property
    def hearts(self) -> tuple[int, ...]:
        """What each Boo is worth."""
        return tuple(boo.hearts for boo in self.boos)

    @cached_property
    def boo_ids(self) -> tuple[str, ...]:
        """The Boos' ids on the wire."""
        return tuple(boo.id for boo in self.boos)

    @cached_property
    def boo_number(self) -> dict[str, int]:
        """The Boos' places in the file."""
        return {boo.id: number for number, boo in enumerate(self.boos)}

    @cached_property
    def endgame_number(self) -> dict[str, int]:
        """The Endgame cards' places in the file."""
        return {card.id: number for number, card in enumerate(self.endgames)}

    @cached_property
    def near(self) -> Callable[[int], frozenset[int]]:
        """(means of a profile): the Boos that lack no more than its Wilds and Boosts can stand for at most."""

        def near(means: int) -> frozenset[int]:
            lacks, reach = ~have_of(means), reach_of(means)
            return frozenset([boo for boo, wants in enumerate(self.wants) if (wants & lacks).bit_count() <= reach])

        return lru_cache(maxsize=1 << 14)(near)


def pack(copies: tuple[int, ...], seats: int) -> tuple[int, ...]:
    """[LD-5] Two players: one copy of each Dealbreaker, Boost and Make a Move card; three: one Ghosted less."""
    if seats == 2:
        return tuple(count if kind <= WILD else min(count, 1) for kind, count in enumerate(copies))
    if seats == 3:
        return tuple(count - (kind == GHOSTED and count > 0) for kind, count in enumerate(copies))
    return copies


def slug(name: str) -> str:
    """A name's id on the wire: small letters, digits and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def parse(name: str, digest: str, data: Mapping[str, Any]) -> Deck:
    """A deck from its file; the counts that the rulebook prints are checked, the rest is free. [LD-1]"""
    file = f"{name}.json"
    _keys(file, "(file)", data, {"action", "boos", "endgame", "numbers"})
    action = _table(file, "action", data["action"])
    _keys(file, "action", action, set(CARDS))
    copies = tuple(_whole(file, f"action.{card}", action[card], range(ACTION_CARDS)) for card in CARDS)
    if sum(copies) != ACTION_CARDS:
        raise BadData(file, "action", f"must hold {ACTION_CARDS} cards, holds {sum(copies)}")
    boos = tuple(_boo(file, f"boos.{i}", raw) for i, raw in enumerate(_list(file, "boos", data["boos"], BOOS)))
    _distinct(file, "boos", [boo.id for boo in boos])
    cards = _list(file, "endgame", data["endgame"], ENDGAMES)
    endgames = tuple(_endgame(file, f"endgame.{i}", raw) for i, raw in enumerate(cards))
    _distinct(file, "endgame", [card.id for card in endgames])
    numbers = _table(file, "numbers", data["numbers"])
    _keys(file, "numbers", numbers, set(NUMBERS))
    house = {key: _whole(file, f"numbers.{key}", numbers[key], fits) for key, fits in NUMBERS.items()}
    return Deck(name, digest, copies, boos, endgames, **house)


def _boo(file: str, key: str, raw: Any) -> Boo:
    table = _table(file, key, raw)
    _keys(file, key, table, {"name", "hearts", "wants"})
    name = _name(file, key, table["name"])
    wanted = table["wants"]
    if not isinstance(wanted, list) or not wanted:
        raise BadData(file, f"{key}.wants", "must be a list of traits, at least one")
    wants = tuple(sorted(_trait(file, f"{key}.wants", trait) for trait in wanted))
    if max(map(wants.count, wants)) > MOST_WANTED:
        raise BadData(file, f"{key}.wants", f"must not want a trait more than {MOST_WANTED} times")
    return Boo(slug(name), name, wants, _whole(file, f"{key}.hearts", table["hearts"], range(100)))


def _endgame(file: str, key: str, raw: Any) -> Endgame:
    table = _table(file, key, raw)
    rule = table.get("rule")
    if not isinstance(rule, str) or rule not in ENDGAME_RULES:
        raise BadData(file, f"{key}.rule", f"must be one of: {', '.join(ENDGAME_RULES)}")
    names = ENDGAME_RULES[rule]
    _keys(file, key, table, {"name", "rule", *names, *(("trait",) if rule == "trait" else ())})
    name = _name(file, key, table["name"])
    trait = _trait(file, f"{key}.trait", table["trait"]) if rule == "trait" else -1
    numbers = tuple(_whole(file, f"{key}.{each}", table[each], range(-99, 100)) for each in names)
    return Endgame(slug(name), name, rule, trait, numbers)


def _keys(file: str, key: str, table: Mapping[str, Any], wanted: set[str]) -> None:
    if not_there := sorted(wanted - set(table)):
        raise BadData(file, key, f"lacks {', '.join(not_there)}")
    if unknown := sorted(set(table) - wanted):
        raise BadData(file, key, f"has an unknown key: {', '.join(unknown)}")


def _table(file: str, key: str, raw: Any) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise BadData(file, key, "must be an object")
    return raw


def _list(file: str, key: str, raw: Any, length: int) -> list[Any]:
    if not isinstance(raw, list) or len(raw) != length:
        raise BadData(file, key, f"must be a list of {length} cards")
    return raw


def _whole(file: str, key: str, raw: Any, fits: range) -> int:
    if type(raw) is not int or raw not in fits:
        raise BadData(file, key, f"must be a whole number from {fits[0]} to {fits[-1]}")
    return raw


def _name(file: str, key: str, raw: Any) -> str:
    if not isinstance(raw, str) or not slug(raw):
        raise BadData(file, f"{key}.name", "must be a name with at least one letter or digit")
    return raw


def _trait(file: str, key: str, raw: Any) -> int:
    if raw not in TRAITS:
        raise BadData(file, key, f"must be one of: {', '.join(TRAITS)}")
    return TRAITS.index(raw)


def _distinct(file: str, key: str, ids: list[str]) -> None:
    for each in ids:
        if ids.count(each) > 1:
            raise BadData(file, key, f"two cards share the id {each!r}")


SHELF: Shelf[Deck] = Shelf(Path(__file__).parent / "decks", parse)


def public_data(deck: Deck) -> dict[str, Any]:
    """The decks for screens, and how many copies of each action card are played with, by number of players."""
    traits = [list(boo.wants) for boo in deck.boos]
    return {
        "deck": deck.name,
        "traits": list(TRAITS),
        "dealbreakers": list(CARDS[RED_FLAG : GHOSTED + 1]),
        "action": {str(seats): dict(zip(CARDS, deck.packs[seats], strict=True)) for seats in SEATS},
        "boos": [
            {"id": boo.id, "name": boo.name, "wants": [TRAITS[trait] for trait in wants], "hearts": boo.hearts}
            for boo, wants in zip(deck.boos, traits, strict=True)
        ],
        "endgame": [
            {
                "id": card.id,
                "name": card.name,
                "rule": card.rule,
                **({"trait": TRAITS[card.trait]} if card.trait >= 0 else {}),
                **dict(zip(ENDGAME_RULES[card.rule], card.numbers, strict=True)),
            }
            for card in deck.endgames
        ],
        "numbers": {key: getattr(deck, key) for key in NUMBERS},
    }
