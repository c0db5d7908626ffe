"""What is known of the cards in others' hands: lower bounds for each viewer, holder and kind. [CM-7a]

A table of counts: for each kind a square of viewers by holders. Beside the seats there is one more viewer, the public,
and one more holder: "somewhere", for cards that lie in any of the other hands, beyond those known in one.
"""

from __future__ import annotations

from collections.abc import Sequence

from .state import CARD_KINDS, SEATS

PUBLIC = SOMEWHERE = SEATS[-1]
ROW = SEATS[-1] + 1
SQUARE = ROW * ROW
NOTHING_KNOWN = bytes(CARD_KINDS)


def nothing() -> bytearray:
    """Nobody knows anything."""
    return bytearray(CARD_KINDS * SQUARE)


def at(viewer: int, holder: int, kind: int) -> int:
    """The place of a viewer, a holder and a kind."""
    return kind * SQUARE + viewer * ROW + holder


def of(known: bytearray, viewer: int, holder: int) -> bytearray:
    """What a viewer knows of a holder: a count for each kind."""
    return known[viewer * ROW + holder :: SQUARE]


def seen_to_go(known: bytearray, seat: int, kind: int) -> None:
    """A card leaves a hand openly: whoever knew one of its kind there, or somewhere, knows one less."""
    begin = kind * SQUARE
    end = begin + SQUARE
    if known.count(0, begin, end) == SQUARE:
        return
    begin += seat
    somewhere = SOMEWHERE - seat
    own = begin + ROW * seat
    for there in range(begin, end, ROW):
        if known[there]:
            known[there] -= 1
        elif known[there + somewhere] and there != own:
            known[there + somewhere] -= 1


def taken(known: bytearray, viewer: int, holder: int, kind: int) -> None:
    """The viewer itself takes a card from a hand: it may be the one that it knew."""
    for where in (holder, SOMEWHERE):
        place = at(viewer, where, kind)
        if known[place]:
            known[place] -= 1
            return


def taken_unseen(known: bytearray, viewer: int, giver: int, taker: int, size: int) -> None:
    """A card goes from hand to hand unseen: one of each kind known in the giver's hand may now be in the other.

    It is still in one of the two. Where the viewer knew all ``size`` cards of the giver, and all were alike, it was
    such a one.
    """
    counts = of(known, viewer, giver)
    if counts != NOTHING_KNOWN:
        holder = taker if size in counts else SOMEWHERE
        for kind, count in enumerate(counts):
            if count:
                known[at(viewer, giver, kind)] -= 1
                known[at(viewer, holder, kind)] += 1


def reckoned(known: bytearray, hands: Sequence[Sequence[int]]) -> None:
    """All cards but those in the hands lie open: each viewer can work out what the others hold together. [LD-16]"""
    seats = len(hands)
    together = bytearray(CARD_KINDS)
    for hand in hands:
        for kind in hand:
            together[kind] += 1
    for viewer in (*range(seats), PUBLIC):
        others = together[:]
        if viewer < seats:
            for kind in hands[viewer]:
                others[kind] -= 1
            if seats == 2:  # the others are one
                known[at(viewer, 1 - viewer, 0) :: SQUARE] = others
                continue
        for holder in range(seats):
            counts = of(known, viewer, holder)
            if counts != NOTHING_KNOWN:
                for kind in range(CARD_KINDS):
                    others[kind] -= counts[kind]
        known[at(viewer, SOMEWHERE, 0) :: SQUARE] = others
