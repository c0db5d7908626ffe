"""What is known of the cards in others' hands: lower bounds for each viewer, holder and kind. [CM-7a]

For each kind a square of counts, viewers by holders, in bytes that copies of a match share. Beside the seats there is
one more viewer, the public, and one more holder: "somewhere", for cards that lie in any of the other hands, beyond
those known in one. Squares repeat all the time: what becomes of one is worked out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .state import CARD_KINDS, SEATS

PUBLIC = SOMEWHERE = SEATS[-1]
ROW = SEATS[-1] + 1
SQUARE = ROW * ROW
NOTHING_KNOWN = bytes(SQUARE)
NO_COUNTS = bytes(CARD_KINDS)
SQUARES_KEPT = 1 << 13


def nothing() -> list[bytes]:
    """Nobody knows anything."""
    return [NOTHING_KNOWN] * CARD_KINDS


def of(known: list[bytes], viewer: int) -> list[bytes]:
    """What a viewer knows of each holder: a count for each kind."""
    counts = b"".join(known)
    return [counts[place::SQUARE] for place in range(viewer * ROW, viewer * ROW + ROW)]


@lru_cache(SQUARES_KEPT)
def learnt(before: bytes, viewers: tuple[int, ...], holder: int) -> bytes:
    """Viewers know of one card more in a hand, or somewhere."""
    square = bytearray(before)
    for viewer in viewers:
        square[viewer * ROW + holder] += 1
    return bytes(square)


@lru_cache(SQUARES_KEPT)
def seen_to_go(before: bytes, seat: int) -> bytes:
    """A card leaves a hand openly: whoever knew one of its kind there, or somewhere, knows one less."""
    square = bytearray(before)
    for viewer in range(ROW):
        if viewer != seat:
            _lower(square, viewer, seat)
    return bytes(square)


def _lower(square: bytearray, viewer: int, holder: int) -> None:
    for place in (viewer * ROW + holder, viewer * ROW + SOMEWHERE):
        if square[place]:
            square[place] -= 1
            return


def picked_up(known: list[bytes], taker: int, giver: int, kind: int, size: int) -> None:
    """A card goes from a hand of so many to another; the two see which, nobody else does. [LD-39]"""
    square = bytearray(known[kind])
    _lower(square, taker, giver)
    known[kind] = bytes(square)
    for each, before in enumerate(known):
        if before != NOTHING_KNOWN:
            known[each] = _moved_unseen(before, taker, giver, size)
    known[kind] = learnt(known[kind], (giver,), taker)


@lru_cache(SQUARES_KEPT)
def _moved_unseen(before: bytes, taker: int, giver: int, size: int) -> bytes:
    """For the others, one of each kind known in the giver's hand may now be in the taker's: it is in one of the two.

    Who knew all of the giver's cards, and all were alike, knows that it was such a one.
    """
    square = bytearray(before)
    for viewer in range(ROW):
        row = viewer * ROW
        count = square[row + giver]
        if count and viewer not in (taker, giver):
            square[row + giver] -= 1
            square[row + (taker if count == size else SOMEWHERE)] += 1
    return bytes(square)


def reckoned(known: list[bytes], hands: Sequence[Sequence[int]]) -> None:
    """All cards but those in the hands lie open: each viewer can work out what the others hold together. [LD-16]"""
    held: dict[int, list[int]] = {}
    for seat, hand in enumerate(hands):
        for kind in hand:
            held.setdefault(kind, []).append(seat)
    for kind, holders in held.items():
        known[kind] = _reckoned(known[kind], len(hands), tuple(holders))


@lru_cache(SQUARES_KEPT)
def _reckoned(before: bytes, seats: int, holders: tuple[int, ...]) -> bytes:
    """The square of a kind that lies in these hands and in no others."""
    square = bytearray(before)
    for viewer in (*range(seats), PUBLIC):
        others = len(holders) - holders.count(viewer)
        row = viewer * ROW
        if seats == 2 and viewer != PUBLIC:  # the others are one
            square[row + 1 - viewer] = others
        else:
            square[row + SOMEWHERE] = others - sum(square[row : row + seats])
    return bytes(square)
