"""A season as data: the deck's mix, the episodes board, the intentions by players, the contestants. [LS-1..LS-5]"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ...data import Shelf
from ...errors import BadData
from .cards import CARDS

SEATS = range(5, 11)
DECK_SIZE = 100  # LS-1
MOST = {"right": 7, "wrong": 4}  # LS-1: Intention cards in the box
CONTESTANTS = 12  # LS-1
EpisodeType = Literal["villa", "date", "finale"]
EPISODE_TYPES: tuple[EpisodeType, ...] = get_args(EpisodeType)


@dataclass(frozen=True, slots=True)
class Episode:
    """One field of the board: ``number`` is the cards that all draw, or on a date episode the contestants to choose."""

    type: EpisodeType
    number: int


@dataclass(frozen=True, slots=True)
class Contestant:
    id: str
    name: str
    about: str


@dataclass(frozen=True, slots=True)
class Season:
    """A deck file, read and found good."""

    name: str
    digest: str
    mix: tuple[int, ...]  # by kind, in the order of CARDS
    cards: tuple[int, ...]  # the whole deck, sorted
    board: tuple[Episode, ...]
    intentions: Mapping[int, tuple[int, int]]  # by players: Right, Wrong
    contestants: tuple[Contestant, ...]


def parse_season(name: str, digest: str, data: Mapping[str, Any]) -> Season:
    """[LS-1..LS-5] What the rulebook prints is held to it; the rest is free as long as a match can be played."""
    file = f"{name}.json"
    known = {"about", "mix", "board", "intentions", "contestants"}
    for key in data:
        if key not in known:
            raise BadData(file, key, f"no such key; there are: {', '.join(sorted(known))}")
    for key in sorted(known - {"about"}):
        if key not in data:
            raise BadData(file, key, "is missing")
    mix = _mix(file, data["mix"])
    return Season(
        name=name,
        digest=digest,
        mix=mix,
        cards=tuple(kind for kind, count in enumerate(mix) for _ in range(count)),
        board=_board(file, data["board"]),
        intentions=_intentions(file, data["intentions"]),
        contestants=_contestants(file, data["contestants"]),
    )


def _whole(file: str, key: str, value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise BadData(file, key, f"must be a whole number from {least} to {most}")
    return value


def _mix(file: str, raw: Any) -> tuple[int, ...]:
    """[LS-1, LS-2] 100 cards; every kind is named, a kind that a season does not use with 0."""
    if not isinstance(raw, dict) or set(raw) != set(CARDS):
        raise BadData(file, "mix", f"must name each kind of card once: {', '.join(CARDS)}")
    mix = tuple(_whole(file, f"mix.{kind}", raw[kind], 0, DECK_SIZE) for kind in CARDS)
    if sum(mix) != DECK_SIZE:
        raise BadData(file, "mix", f"must come to {DECK_SIZE} cards, comes to {sum(mix)} (LS-1)")
    return mix


def _board(file: str, raw: Any) -> tuple[Episode, ...]:
    """[LS-3] The finale is the last episode, only the last; a date takes no more than the smallest table seats."""
    if not isinstance(raw, list) or not 1 <= len(raw) <= 30:
        raise BadData(file, "board", "must be a list of 1 to 30 episodes")
    board = []
    for place, each in enumerate(raw):
        key = f"board[{place}]"
        if not isinstance(each, dict) or set(each) != {"type", "number"}:
            raise BadData(file, key, "must hold type and number")
        if each["type"] not in EPISODE_TYPES:
            raise BadData(file, f"{key}.type", f"must be one of {', '.join(EPISODE_TYPES)}")
        if (each["type"] == "finale") != (place == len(raw) - 1):
            raise BadData(file, f"{key}.type", "the finale must be the last episode and only the last (LS-3)")
        least, most = (1, SEATS[0]) if each["type"] == "date" else (0, DECK_SIZE)
        board.append(Episode(each["type"], _whole(file, f"{key}.number", each["number"], least, most)))
    return tuple(board)


def _intentions(file: str, raw: Any) -> dict[int, tuple[int, int]]:
    """[LS-5] One card more than players, of the seven Right and four Wrong in the box."""
    if not isinstance(raw, dict) or set(raw) != {str(seats) for seats in SEATS}:
        raise BadData(file, "intentions", f"must name each number of players once: {SEATS[0]} to {SEATS[-1]}")
    table = {}
    for seats in SEATS:
        key, row = f"intentions.{seats}", raw[str(seats)]
        if not isinstance(row, dict) or set(row) != set(MOST):
            raise BadData(file, key, "must hold right and wrong")
        right, wrong = (_whole(file, f"{key}.{side}", row[side], 0, MOST[side]) for side in ("right", "wrong"))
        if right + wrong != seats + 1:
            raise BadData(file, key, f"must come to {seats + 1} cards, one more than players (LS-5)")
        table[seats] = (right, wrong)
    return table


def _contestants(file: str, raw: Any) -> tuple[Contestant, ...]:
    """[LS-4] Twelve, told apart by id and by name."""
    if not isinstance(raw, list) or len(raw) != CONTESTANTS:
        raise BadData(file, "contestants", f"must be a list of {CONTESTANTS} (LS-1)")
    found = []
    for place, each in enumerate(raw):
        key = f"contestants[{place}]"
        if not isinstance(each, dict) or set(each) != {"id", "name", "about"}:
            raise BadData(file, key, "must hold id, name and about")
        for part, value in each.items():
            if not isinstance(value, str) or not value.strip():
                raise BadData(file, f"{key}.{part}", "must be a text")
        found.append(Contestant(each["id"], each["name"], each["about"]))
    for part in ("id", "name"):
        if len({getattr(each, part) for each in found}) != CONTESTANTS:
            raise BadData(file, "contestants", f"every {part} must be different")
    return tuple(found)


SEASONS: Shelf[Season] = Shelf(Path(__file__).parent / "decks", parse_season)
"""Every season by name; option ``deck`` names one."""
