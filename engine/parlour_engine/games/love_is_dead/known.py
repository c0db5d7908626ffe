"""What is known of the cards in others' hands: lower bounds for each viewer, holder and kind. [CM-7a]

A table of counts: for each kind a square of viewers by holders, in bytes that copies of a match share. Beside the seats
there is one more viewer, the public, and one more holder: "somewhere", for cards that lie in any of the other hands,
beyond those known in one.
"""

from __future__ import annotations

from collections.abc import Sequence

from .state import CARD_KINDS, SEATS

PUBLIC = SOMEWHERE = SEATS[-1]
ROW = SEATS[-1] + 1
SQUARE = ROW * ROW
NOTHING = bytes(SQUARE)
NO_COUNTS = bytes(CARD_KINDS)


def nothing() -> list[bytes]:
    """Nobody knows anything."""
    return [NOTHING] * CARD_KINDS


def of(known: list[bytes], viewer: int) -> list[bytes]:
    """What a viewer knows of each holder: a count for each kind."""
    table = b"".join(known)
    return [table[place::SQUARE] for place in range(viewer * ROW, viewer * ROW + ROW)]


def learn(known: list[bytes], viewer: int, holder: int, kind: int) -> None:
    """The viewer knows of one card more in a hand, or somewhere."""
    _change(known, viewer, holder, kind, 1)


def _change(known: list[bytes], viewer: int, holder: int, kind: int, by: int) -> None:
    square = bytearray(known[kind])
    square[viewer * ROW + holder] += by
    known[kind] = bytes(square)


def _others(seat: int) -> tuple[tuple[int, int], ...]:
    viewers = [viewer for viewer in range(ROW) if viewer != seat]
    return tuple((viewer * ROW + seat, viewer * ROW + SOMEWHERE) for viewer in viewers)


_OTHERS = tuple(_others(seat) for seat in range(SEATS[-1]))
"""For each holder: where all others' counts of it stand, and of cards somewhere."""


def seen_to_go(known: list[bytes], seat: int, kind: int) -> None:
    """A card leaves a hand openly: whoever knew one of its kind there, or somewhere, knows one less."""
    square = bytearray(known[kind])
    for there, somewhere in _OTHERS[seat]:
        if square[there]:
            square[there] -= 1
        elif square[somewhere]:
            square[somewhere] -= 1
    known[kind] = bytes(square)


def taken(known: list[bytes], viewer: int, holder: int, kind: int) -> None:
    """The viewer itself takes a card from a hand: it may be the one that it knew."""
    for where in (holder, SOMEWHERE):
        if known[kind][viewer * ROW + where]:
            _change(known, viewer, where, kind, -1)
            return


def taken_unseen(known: list[bytes], viewer: int, giver: int, taker: int, size: int) -> None:
    """A card goes from hand to hand unseen: one of each kind known in the giver's hand may now be in the other.

    It is still in one of the two. Where the viewer knew all ``size`` cards of the giver, and all were alike, it was
    such a one.
    """
    place = viewer * ROW + giver
    for kind, square in enumerate(known):
        if count := square[place]:
            _change(known, viewer, giver, kind, -1)
            _change(known, viewer, taker if count == size else SOMEWHERE, kind, 1)


def reckoned(known: list[bytes], hands: Sequence[Sequence[int]]) -> None:
    """All cards but those in the hands lie open: each viewer can work out what the others hold together. [LD-16]"""
    seats = len(hands)
    together: dict[int, list[int]] = {}
    for holder, hand in enumerate(hands):
        for kind in hand:
            together.setdefault(kind, []).append(holder)
    for kind, holders in together.items():
        square = bytearray(known[kind])
        for viewer in (*range(seats), PUBLIC):
            others = len(holders) - holders.count(viewer)
            row = viewer * ROW
            if seats == 2 and viewer != PUBLIC:  # the others are one
                square[row + 1 - viewer] = others
            else:
                square[row + SOMEWHERE] = others - sum(square[row : row + seats])
        known[kind] = bytes(square)
