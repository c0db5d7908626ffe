"""The actions of Valente and their numbers: a fixed space per number of seats.

0 pass, 1 buy from the deck, 2 buy from the discard pile, 3 exchange, 4 draw; then one number per card to discard it,
three per card to play it (one for each strip), one per card to salvage it, and three per seat to tear a strip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, TypeAlias

CARDS = 80  # VA-4
STRIPS = 3  # VA-12: places for unpublished strips before each seat
START, MIDDLE, END = range(3)

PASS, BUY_DECK, BUY_DISCARD, EXCHANGE, DRAW = range(5)
DISCARD = 4  # + card, 1..80
PLAY = 82  # + STRIPS * card + strip
SALVAGE = 324  # + card
TEAR = 405  # + STRIPS * seat + strip


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing with one action; only when nothing else can be done."""

    type: Literal["pass"] = field(default="pass", kw_only=True)


@dataclass(frozen=True, slots=True)
class Buy:
    """Take the top card of the deck or of the discard pile."""

    type: Literal["buy"] = field(default="buy", kw_only=True)
    source: Literal["deck", "discard"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Begin an exchange: discard cards one after another, then draw as many."""

    type: Literal["exchange"] = field(default="exchange", kw_only=True)


@dataclass(frozen=True, slots=True)
class Draw:
    """End an exchange: draw as many cards as were discarded."""

    type: Literal["draw"] = field(default="draw", kw_only=True)


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard this card: in an exchange, of a scout's three, or down to the hand limit."""

    type: Literal["discard"] = field(default="discard", kw_only=True)
    card: int


@dataclass(frozen=True, slots=True)
class Play:
    """Lay this card on that strip of yours (0 to 2). A start goes to the first empty place, or instead of a strip."""

    type: Literal["play"] = field(default="play", kw_only=True)
    card: int
    strip: int


@dataclass(frozen=True, slots=True)
class Salvage:
    """Take this card out of the discard pile."""

    type: Literal["salvage"] = field(default="salvage", kw_only=True)
    card: int


@dataclass(frozen=True, slots=True)
class Tear:
    """Discard the last card of that seat's strip (0 to 2)."""

    type: Literal["tear"] = field(default="tear", kw_only=True)
    seat: int
    strip: int


Action: TypeAlias = Pass | Buy | Exchange | Draw | Discard | Play | Salvage | Tear


@cache
def actions(seats: int) -> tuple[Action, ...]:
    """Every action of a match of so many seats, in the order of their numbers."""
    cards = range(1, CARDS + 1)
    return (
        *(Pass(), Buy("deck"), Buy("discard"), Exchange(), Draw()),
        *(Discard(card) for card in cards),
        *(Play(card, strip) for card in cards for strip in range(STRIPS)),
        *(Salvage(card) for card in cards),
        *(Tear(seat, strip) for seat in range(seats) for strip in range(STRIPS)),
    )


# A seat's *shape* is what its three places hold, as a number in base 3, the first place being the lowest digit:
# 0 nothing, 1 a start, 2 a start and a middle.
PLACE = (1, 3, 9)


def plays_by_shape(parts: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For every shape and card, the numbers of the plays that VA-11 and VA-12 allow."""
    table = []
    for shape in range(27):
        held = [shape // place % 3 for place in PLACE]
        places = (
            [held.index(0)] if 0 in held else list(range(STRIPS)),
            [strip for strip in range(STRIPS) if held[strip] == 1],
            [strip for strip in range(STRIPS) if held[strip] == 2],
        )
        table.append(
            tuple(tuple(PLAY + STRIPS * card + strip for strip in places[part]) for card, part in enumerate(parts))
        )
    return tuple(table)
