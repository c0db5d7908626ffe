"""Cards on the move, and who knows of them. [LS-9, LS-11, LS-48, CM-7a]"""

from __future__ import annotations

from collections.abc import Sequence

from ...chance import shuffle
from ...game import Fact, Log
from .cards import CARDS, DRAMA, LAYABLE, LOVE, K
from .events import CardPaid, CardsDrawn, DeckShuffled
from .state import State


def gain(state: State, seat: int, kind: int) -> None:
    state.hands[seat * K + kind] += 1
    state.masks[seat] |= 1 << kind
    state.sizes[seat] += 1


def take_from(state: State, seat: int, kind: int) -> None:
    """A card leaves a hand; what others know of the hand is the caller's to say."""
    place = seat * K + kind
    state.hands[place] -= 1
    if not state.hands[place]:
        state.masks[seat] ^= 1 << kind
    state.sizes[seat] -= 1


def lose(state: State, seat: int, kind: int) -> None:
    """A card leaves a hand face up: whoever knew of one of its kind knows of one less. [CM-7a]"""
    take_from(state, seat, kind)
    place = seat * K + kind
    if state.shown[place]:
        state.shown[place] -= 1
    if state.known:
        for key in [key for key in state.known if key & 15 == seat]:
            lower(state, key, 1 << kind)


def lower(state: State, key: int, kinds: int) -> None:
    """[CM-7a] A loss that could be any kind of a mask lowers each by one, for one knower."""
    counts = state.known[key]
    state.known[key] = bytes(n - 1 if n and kinds >> kind & 1 else n for kind, n in enumerate(counts))


def settle(state: State, knower: int, seat: int) -> int:
    """Before a knower learns more of a hand than the table: what all know joins what the knower knew."""
    key = knower * 16 + seat
    shown = state.shown[seat * K : seat * K + K]
    known = state.known.get(key)
    state.known[key] = bytes(shown) if known is None else bytes(map(max, shown, known))
    return key


def show(state: State, seat: int, kind: int, count: int) -> None:
    """[CM-7a] Everybody knows so many cards of a kind to be in this hand."""
    place = seat * K + kind
    if state.shown[place] < count:
        state.shown[place] = count


def draw(state: State, seat: int, log: Log | None) -> int:
    """[LS-11, CM-8] The top card; an empty deck is first made anew of the shuffled pile. -1: nothing is left."""
    deck = state.deck
    if not deck:
        if not state.discard:
            return -1
        deck.extend(state.discard)
        state.discard.clear()
        shuffle(state, deck)
        if log is not None:
            log.append(Fact(DeckShuffled(cards=len(deck))))
    kind = deck.pop()
    state.hands[seat * K + kind] += 1
    state.masks[seat] |= 1 << kind
    state.sizes[seat] += 1
    return kind


def deal_out(state: State, seats: Sequence[int], log: Log | None) -> None:
    """[LS-8] One card at a time in the order of ``seats``, until all are served or nothing is left."""
    if log is None:
        for seat in seats:
            if draw(state, seat, None) < 0:
                return
        return
    drawn: dict[int, list[int]] = {}
    for seat in seats:
        kind = draw(state, seat, log)
        if kind < 0:
            break
        drawn.setdefault(seat, []).append(kind)
    for seat, kinds in drawn.items():
        own = CardsDrawn(seat=seat, count=len(kinds), cards=tuple(CARDS[kind] for kind in sorted(kinds)))
        log.append(Fact(CardsDrawn(seat=seat, count=len(kinds)), ((seat, own),)))


def pay(state: State, seat: int, kind: int, log: Log | None) -> None:
    """[LS-9] One card of a cost, discarded face up."""
    lose(state, seat, kind)
    state.discard.append(kind)
    if seat == state.turn:
        state.paid += (kind,)
    if log is not None:
        log.append(Fact(CardPaid(seat=seat, card=CARDS[kind])))


def learn_of(state: State, key: int, kind: int) -> None:
    """[CM-7a] The knower saw a card of this kind join the hand."""
    counts = bytearray(state.known[key])
    counts[kind] += 1
    state.known[key] = bytes(counts)


def forget_laid(state: State, cards: list[int]) -> None:
    """[CM-7a] A card laid could be any of those turned over, for a contestant of the date any but their own."""
    laid = [seat for seat in range(state.seats) if state.laid >> 2 * seat & 3]
    kinds = (LOVE in cards) << LOVE | (DRAMA in cards) << DRAMA
    if kinds == LAYABLE:
        for knower in laid:
            own = (state.laid >> 2 * knower & 3) - 1
            if cards.count(own) == 1:
                for seat in laid:
                    if seat != knower and state.shown[seat * K + own]:
                        settle(state, knower, seat)
    if state.known:
        for key in state.known:
            knower, seat = key >> 4, key & 15
            if state.laid >> 2 * seat & 3:
                own = (state.laid >> 2 * knower & 3) - 1
                theirs = kinds & ~(1 << own) if own >= 0 and cards.count(own) == 1 else kinds
                lower(state, key, theirs)
    for seat in laid:
        for kind in (LOVE, DRAMA):
            if kinds >> kind & 1 and state.shown[seat * K + kind]:
                state.shown[seat * K + kind] -= 1
