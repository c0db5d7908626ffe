"""The Bombshells, played in a Villa turn instead of a Villa Action. [LS-35..LS-46]"""

from __future__ import annotations

from ...chance import below
from ...game import Fact, Log
from .cards import (
    BLIND_DATE,
    CARDS,
    CLEAN_BREAK,
    EAVESDROP,
    GROUP_DATE,
    HEART_TO_HEART,
    LOVE,
    LOVE_LETTER,
    MIXED_SIGNALS,
    PUBLIC_APOLOGY,
    RATINGS_STUNT,
    SCREEN_TIME,
    TEMPTATION,
    K,
)
from .episodes import arrange_date, ask, change_viewership, end_turn
from .events import HandSeen, OfferAnswered, SignalsMixed
from .hands import deal_out, gain, learn_of, lose, lower, pay, settle, show, take_from
from .names import (
    APOLOGY_DRAWS,
    BLIND_DATE_SIZE,
    FOR_BLIND_DATE,
    FOR_GROUP_DATE,
    GIVE,
    GROUP_DATE_SIZE,
    HEART,
    LETTER,
    STUNT_DRAWS,
    TURN_OF_BOMBSHELL,
)
from .space import ACCEPT, CARD_0
from .state import State
from .villa import couple, look, only_card, part, use_turn


def _play(state: State, seat: int, kind: int, target: int, log: Log | None) -> None:
    """[LS-35..LS-46] The card is discarded first."""
    use_turn(state, seat, TURN_OF_BOMBSHELL + kind, target, log)
    lose(state, seat, kind)
    state.discard.append(kind)


def blind_date(state: State, seat: int, log: Log | None) -> bool:
    """[LS-35] Two contestants go on a date now."""
    _play(state, seat, BLIND_DATE, -1, log)
    return arrange_date(state, seat, FOR_BLIND_DATE, BLIND_DATE_SIZE, log)


def group_date(state: State, seat: int, log: Log | None) -> bool:
    """[LS-36] Four contestants go on a date now."""
    _play(state, seat, GROUP_DATE, -1, log)
    return arrange_date(state, seat, FOR_GROUP_DATE, GROUP_DATE_SIZE, log)


def temptation(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-37] A couple breaks up, viewership +1."""
    _play(state, seat, TEMPTATION, target, log)
    part(state, target, log)
    return change_viewership(state, 1, log) or end_turn(state, log)


def clean_break(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-38] A couple breaks up, viewership does not change."""
    _play(state, seat, CLEAN_BREAK, target, log)
    part(state, target, log)
    return end_turn(state, log)


def love_letter(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-39] An offer that costs a single Love card; that one is held, all now know."""
    _play(state, seat, LOVE_LETTER, target, log)
    show(state, seat, LOVE, 1)
    ask(state, target, LETTER)
    return True


def answer_letter(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-39] A yes: the writer pays, LS-15 applies. A no spends card and turn."""
    writer = state.turn
    state.agreed = int(action == ACCEPT)
    if log is not None:
        log.append(Fact(OfferAnswered(seat=seat, accepted=action == ACCEPT)))
    if action == ACCEPT:
        pay(state, writer, LOVE, log)
        if couple(state, writer, seat, log):
            return True
    return end_turn(state, log)


def eavesdrop(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-40, CM-7] See a whole hand, as it is now."""
    _play(state, seat, EAVESDROP, target, log)
    counts = bytes(state.hands[target * K : target * K + K])
    state.known[seat * 16 + target] = counts
    state.overheard += ((seat, state.episode, target, counts),)
    if log is not None:
        cards = tuple(CARDS[kind] for kind, count in enumerate(counts) for _ in range(count))
        seen = HandSeen(seat=seat, target=target, cards=cards)
        log.append(Fact(HandSeen(seat=seat, target=target), ((seat, seen),)))
    return end_turn(state, log)


def heart_to_heart(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-41] Ask another contestant, the partner included."""
    _play(state, seat, HEART_TO_HEART, target, log)
    ask(state, target, HEART)
    return True


def answer_heart(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-41] A yes: each sees the other's Intention. A no spends card and turn."""
    state.agreed = int(action == ACCEPT)
    if log is not None:
        log.append(Fact(OfferAnswered(seat=seat, accepted=action == ACCEPT)))
    if action == ACCEPT:
        look(state, state.turn, seat, log)
        look(state, seat, state.turn, log)
    return end_turn(state, log)


def ratings_stunt(state: State, seat: int, log: Log | None) -> bool:
    """[LS-42] Viewership +1, then draw three."""
    _play(state, seat, RATINGS_STUNT, -1, log)
    if change_viewership(state, 1, log):
        return True
    deal_out(state, (seat,) * STUNT_DRAWS, log)
    return end_turn(state, log)


def public_apology(state: State, seat: int, log: Log | None) -> bool:
    """[LS-43] Viewership -1, then draw one."""
    _play(state, seat, PUBLIC_APOLOGY, -1, log)
    change_viewership(state, -1, log)
    deal_out(state, (seat,) * APOLOGY_DRAWS, log)
    return end_turn(state, log)


def mixed_signals(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-44] Give a card of your choice."""
    _play(state, seat, MIXED_SIGNALS, target, log)
    if state.sizes[seat] > 1:
        ask(state, seat, GIVE)
        return False
    return give(state, seat, only_card(state, seat), log)


def give(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-44] The gift joins the hand, then a random card of it comes back; the two see both cards."""
    target, gave = state.target, action - CARD_0
    for key in [key for key in state.known if key & 15 in (seat, target) and key >> 4 not in (seat, target)]:
        lower(state, key, -1)
    giver, taker = settle(state, target, seat), settle(state, seat, target)
    for place in (*range(seat * K, seat * K + K), *range(target * K, target * K + K)):
        if state.shown[place]:
            state.shown[place] -= 1
    take_from(state, seat, gave)
    gain(state, target, gave)
    lower(state, giver, 1 << gave)
    learn_of(state, taker, gave)
    place = below(state, state.sizes[target])
    took = 0
    while place >= state.hands[target * K + took]:
        place -= state.hands[target * K + took]
        took += 1
    take_from(state, target, took)
    gain(state, seat, took)
    lower(state, taker, 1 << took)
    learn_of(state, giver, took)
    state.swapped += ((state.episode, seat, target, gave, took),)
    if log is not None:
        seen = SignalsMixed(seat=seat, target=target, gave=CARDS[gave], took=CARDS[took])
        log.append(Fact(SignalsMixed(seat=seat, target=target), ((seat, seen), (target, seen))))
    return end_turn(state, log)


def screen_time(state: State, seat: int, log: Log | None) -> bool:
    """[LS-45] The Main Character token comes to you when this episode ends; the last one played counts."""
    _play(state, seat, SCREEN_TIME, -1, log)
    state.next_main = seat
    return end_turn(state, log)
