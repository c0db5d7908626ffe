"""What is known of the cards in others' hands: lower bounds for each viewer, holder and kind. [CM-7a]

A table of counts: for each kind a square of viewers by holders, in bytes that copies of a match share. Beside the seats
there is one more viewer, the public, and one more holder: "somewhere", for cards that lie in any of the other hands,
beyond those known in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .state import CARD_KINDS, SEATS

PUBLIC = SOMEWHERE = SEATS[-1]
ROW = SEATS[-1] + 1
SQUARE = ROW * ROW
NOTHING = bytes(SQUARE)
NOBODY = bytes(ROW)
NO_COUNTS = bytes(CARD_KINDS)


def nothing() -> list[bytes]:
    """Nobody knows anything."""
    return [NOTHING] * CARD_KINDS


def of(known: list[bytes], viewer: int) -> list[bytes]:
    """What a viewer knows of each holder: a count for each kind."""
    table = b"".join(known)
    return [table[place::SQUARE] for place in range(viewer * ROW, viewer * ROW + ROW)]


def learn(known: list[bytes], viewers: Iterable[int], holder: int, kind: int) -> None:
    """Viewers know of one card more in a hand, or somewhere."""
    square = bytearray(known[kind])
    for viewer in viewers:
        square[viewer * ROW + holder] += 1
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


def picked_up(known: list[bytes], seats: int, taker: int, giver: int, kind: int, size: int) -> None:
    """A card goes from a hand of so many to another; the two see which, nobody else does. [LD-39]

    For the others, one of each kind known in the giver's hand may now be in the taker's: it is in one of the two. Who
    knew all of the giver's cards, and all were alike, knows that it was such a one.
    """
    square = bytearray(known[kind])
    for where in (giver, SOMEWHERE):
        if square[taker * ROW + where]:
            square[taker * ROW + where] -= 1
            break
    known[kind] = bytes(square)
    viewers = [viewer for viewer in (*range(seats), PUBLIC) if viewer not in (taker, giver)]
    for each, counts in enumerate(known):
        if counts[giver::ROW] != NOBODY:
            square = bytearray(counts)
            for viewer in viewers:
                row = viewer * ROW
                if count := square[row + giver]:
                    square[row + giver] -= 1
                    square[row + (taker if count == size else SOMEWHERE)] += 1
            known[each] = bytes(square)
    learn(known, (giver,), taker, kind)


# A square as a number, a byte for each count. Times six ones, the last byte of each row is the sum of the row.
_SIX_ONES = sum(1 << 8 * place for place in range(ROW))
_ALL_SOMEWHERE = sum(1 << 8 * (viewer * ROW + SOMEWHERE) for viewer in range(ROW)) * 255


def _unseen(seats: int, holder: int) -> int:
    """One card of a hand, as the others count it: somewhere, or in that hand if there is no other."""
    alone = seats == 2
    viewers = [viewer for viewer in range(seats) if viewer != holder]
    places = [viewer * ROW + (holder if alone else SOMEWHERE) for viewer in viewers]
    return sum(1 << 8 * place for place in (*places, PUBLIC * ROW + SOMEWHERE))


_UNSEEN = {seats: tuple(_unseen(seats, holder) for holder in range(seats)) for seats in SEATS}


_IN_HANDS = (1 << 8 * SQUARE) - 1 ^ _ALL_SOMEWHERE
_TOLD = {seats: _IN_HANDS >> 8 * PUBLIC * ROW << 8 * PUBLIC * ROW if seats == 2 else _IN_HANDS for seats in SEATS}
"""The counts that stay as they are: cards known in one of several hands."""


def reckoned(known: list[bytes], hands: Sequence[Sequence[int]]) -> None:
    """All cards but those in the hands lie open: each viewer can work out what the others hold together. [LD-16]"""
    seats = len(hands)
    together: dict[int, int] = {}
    for hand, card in zip(hands, _UNSEEN[seats], strict=True):
        for kind in hand:
            together[kind] = together.get(kind, 0) + card
    for kind, cards in together.items():
        square = int.from_bytes(known[kind], "little") & _TOLD[seats]
        known[kind] = (square + cards - (square * _SIX_ONES & _ALL_SOMEWHERE)).to_bytes(SQUARE, "little")
