"""Villa turns and the Villa Actions, in the order of the rulebook's list. [LS-8, LS-9, LS-12..LS-24]"""

from __future__ import annotations

from ...game import Fact, Log
from .cards import CARDS, LOVE, K
from .episodes import arrange_date, ask, change_viewership, end_turn
from .events import (
    CardDiscarded,
    CardRevealed,
    CoupleBroken,
    CoupleFormed,
    CoupleOffered,
    IntentionSeen,
    OfferAnswered,
    OfferCountered,
    TurnTaken,
)
from .hands import deal_out, lose, pay, show, take_from
from .names import (
    BONUS_DATE,
    BONUS_DATE_SIZE,
    BROKE_UP,
    CONFESSIONAL,
    COUNTER,
    COUPLE_COST,
    COUPLED_UP,
    DEFUSE,
    DISCARD,
    EXPLORE,
    EXPLORE_COST,
    FOR_BONUS_DATE,
    INTENTIONS,
    KEEP,
    KEEP_OPEN,
    OFFER,
    PASSED,
    PAY,
    REVEAL,
    SPOTLIGHT,
    SPOTLIGHT_DRAWS,
    TALK,
    TALK_COST,
    TURN_ACTIONS,
    VILLA_TURN,
)
from .space import ACCEPT, CARD_0, COUNTER_0
from .state import Aimed, State, Verb


def use_turn(state: State, seat: int, action: int, target: int, log: Log | None) -> None:
    """What this Villa turn is used for."""
    state.action = action
    state.target = target
    if log is not None:
        log.append(Fact(TurnTaken(seat=seat, action=TURN_ACTIONS[action], target=None if target < 0 else target)))


def pass_turn(state: State, seat: int, log: Log | None) -> bool:
    """[LS-8] Nobody has to act."""
    use_turn(state, seat, PASSED, -1, log)
    return end_turn(state, log)


def _pay_any(state: State, seat: int, count: int, log: Log | None) -> bool:
    """[LS-9, LS-47] ANY is any card at all, chosen one by one; who must pay the whole hand has nothing to choose."""
    if state.sizes[seat] > count:
        state.cost_left = count
        ask(state, seat, PAY)
        return False
    state.cost_left = 0
    for kind in range(K):
        for _ in range(state.hands[seat * K + kind]):
            pay(state, seat, kind, log)
    return _PAID[state.action](state, seat, log)


def pay_card(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-9] The card chosen; the last one brings what it was paid for."""
    pay(state, seat, action - CARD_0, log)
    if state.cost_left > 1:
        return _pay_any(state, seat, state.cost_left - 1, log)
    state.cost_left = 0
    return _PAID[state.action](state, seat, log)


def _choose_card(state: State, seat: int, kind: int, verb: Aimed, log: Log | None) -> bool:
    """[LS-47] Ask for a card of the hand; a hand of one card has nothing to choose."""
    if state.sizes[seat] > 1:
        ask(state, seat, kind)
        return True
    return verb(state, seat, only_card(state, seat), log)


def only_card(state: State, seat: int) -> int:
    """The choice of the only kind that a hand holds."""
    return CARD_0 + state.masks[seat].bit_length() - 1


def offer(state: State, seat: int, target: int, share: int, log: Log | None) -> bool:
    """[LS-12, LS-13, LS-14] Offer a split; that the share is held, all now know. The target answers."""
    state.used |= 1 << target * 4 + share
    state.offer_target = target
    state.offer_share = share
    show(state, seat, LOVE, share)
    if log is not None:
        log.append(Fact(CoupleOffered(seat=seat, target=target, share=share)))
    ask(state, target, OFFER)
    return True


def answer_offer(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-13] Accepted, declined or countered with another split."""
    if action < COUNTER_0:
        return _settle_offer(state, seat, action == ACCEPT, log)
    share = action - COUNTER_0
    state.offer_counter = share
    state.used |= 1 << seat * 4 + COUPLE_COST - share
    state.countered |= 1 << seat
    show(state, seat, LOVE, share)
    if log is not None:
        log.append(Fact(OfferCountered(seat=seat, share=share)))
    ask(state, state.turn, COUNTER)
    return True


def answer_counter(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-13] A counter is accepted or dropped, not countered."""
    return _settle_offer(state, seat, action == ACCEPT, log)


def _settle_offer(state: State, seat: int, accepted: bool, log: Log | None) -> bool:
    """[LS-13] A no leaves the Villa Action unused; [LS-12] a yes: both pay their shares and are a couple."""
    proposer, target = state.turn, state.offer_target
    counter = state.offer_counter
    share = state.offer_share if counter < 0 else COUPLE_COST - counter
    state.record.append((1, state.episode, proposer, target, state.offer_share, counter, int(accepted)))
    state.offer_target = state.offer_share = state.offer_counter = -1
    if log is not None:
        log.append(Fact(OfferAnswered(seat=seat, accepted=accepted)))
    if not accepted:
        ask(state, proposer, VILLA_TURN)
        return True
    use_turn(state, proposer, COUPLED_UP, target, log)
    for _ in range(share):
        pay(state, proposer, LOVE, log)
    for _ in range(COUPLE_COST - share):
        pay(state, target, LOVE, log)
    return couple(state, proposer, target, log) or end_turn(state, log)


def couple(state: State, one: int, other: int, log: Log | None) -> bool:
    """[LS-15] Both old couples break up, viewership +1 in all, then the new couple. True: that ended the match."""
    partner = state.partner
    if partner[one] >= 0 or partner[other] >= 0:
        for seat in (one, other):
            if partner[seat] >= 0:
                part(state, seat, log)
        if change_viewership(state, 1, log):
            return True
    partner[one], partner[other] = other, one
    state.coupled |= 1 << one | 1 << other
    state.heads |= 1 << min(one, other)
    if log is not None:
        log.append(Fact(CoupleFormed(couple=(min(one, other), max(one, other)))))
    return False


def part(state: State, seat: int, log: Log | None) -> None:
    """Both of a couple are single again; viewership is the caller's to say."""
    other = state.partner[seat]
    pair = (seat, other) if seat < other else (other, seat)
    state.partner[seat] = state.partner[other] = -1
    both = 1 << seat | 1 << other
    state.coupled &= ~both
    state.heads &= ~both
    state.broken += (pair,)
    if log is not None:
        log.append(Fact(CoupleBroken(couple=pair)))


def break_up(state: State, seat: int, log: Log | None) -> bool:
    """[LS-16] Both are single, viewership +1."""
    use_turn(state, seat, BROKE_UP, -1, log)
    part(state, seat, log)
    return change_viewership(state, 1, log) or end_turn(state, log)


def steal_the_spotlight(state: State, seat: int, log: Log | None) -> bool:
    """[LS-17] Draw two, then discard any card; the +1 comes last and always.

    [LS-24] On the reference card one of the two drawn is kept; a single card drawn is kept.
    """
    use_turn(state, seat, SPOTLIGHT, -1, log)
    before = bytes(state.hands[seat * K : seat * K + K])
    size = state.sizes[seat]
    deal_out(state, (seat,) * SPOTLIGHT_DRAWS, log)
    if state.space.reference:
        if state.sizes[seat] - size < SPOTLIGHT_DRAWS:
            return change_viewership(state, 1, log) or end_turn(state, log)
        now = state.hands[seat * K : seat * K + K]
        state.drawn_two = tuple(kind for kind in range(K) for _ in range(now[kind] - before[kind]))
        ask(state, seat, KEEP)
        return True
    if not state.sizes[seat]:
        return change_viewership(state, 1, log) or end_turn(state, log)
    return _choose_card(state, seat, DISCARD, discard, log)


def keep(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-24] The other of the two drawn cards is discarded: nothing that anyone knew of the hand has gone."""
    one, other = state.drawn_two
    state.drawn_two = ()
    kind = other if one == action - CARD_0 else one
    take_from(state, seat, kind)
    return _discarded(state, seat, kind, log)


def discard(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-17] Any card of the hand."""
    lose(state, seat, action - CARD_0)
    return _discarded(state, seat, action - CARD_0, log)


def _discarded(state: State, seat: int, kind: int, log: Log | None) -> bool:
    """[LS-17] Face up; then viewership +1."""
    state.discard.append(kind)
    state.card = kind
    if log is not None:
        log.append(Fact(CardDiscarded(seat=seat, card=CARDS[kind])))
    return change_viewership(state, 1, log) or end_turn(state, log)


def confessional(state: State, seat: int, log: Log | None) -> bool:
    """[LS-18] Costs ANY."""
    use_turn(state, seat, CONFESSIONAL, -1, log)
    return _pay_any(state, seat, 1, log)


def _confess(state: State, seat: int, log: Log | None) -> bool:
    """[LS-18] Paid: draw one (the card just paid at worst, so there is one), then reveal any card from hand."""
    deal_out(state, (seat,), log)
    return _choose_card(state, seat, REVEAL, reveal, log)


def reveal(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-18] Everyone sees the card; it stays in hand."""
    kind = action - CARD_0
    show(state, seat, kind, 1)
    state.card = kind
    if log is not None:
        log.append(Fact(CardRevealed(seat=seat, card=CARDS[kind])))
    return end_turn(state, log)


def defuse(state: State, seat: int, log: Log | None) -> bool:
    """[LS-19] Costs Love + ANY."""
    use_turn(state, seat, DEFUSE, -1, log)
    pay(state, seat, LOVE, log)
    return _pay_any(state, seat, 1, log)


def _defused(state: State, seat: int, log: Log | None) -> bool:
    """[LS-19] Paid: viewership -1."""
    return change_viewership(state, -1, log) or end_turn(state, log)


def explore(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-20] Costs 5 ANY; the one looked at is in a couple."""
    use_turn(state, seat, EXPLORE, target, log)
    return _pay_any(state, seat, EXPLORE_COST, log)


def keep_open(state: State, seat: int, target: int, log: Log | None) -> bool:
    """[LS-24] Keep Your Options Open costs 5 ANY; the one looked at is anyone but the partner."""
    use_turn(state, seat, KEEP_OPEN, target, log)
    return _pay_any(state, seat, EXPLORE_COST, log)


def _explored(state: State, seat: int, log: Log | None) -> bool:
    """[LS-20, LS-22] Paid: look; that they looked, and at whom, is public."""
    look(state, seat, state.target, log)
    return end_turn(state, log)


def talk(state: State, seat: int, log: Log | None) -> bool:
    """[LS-21] "We Need to Talk": 5 Love, look at the partner's Intention."""
    use_turn(state, seat, TALK, state.partner[seat], log)
    for _ in range(TALK_COST):
        pay(state, seat, LOVE, log)
    return _explored(state, seat, log)


def look(state: State, seat: int, target: int, log: Log | None) -> None:
    """[LS-22, CM-7] Who looked at an Intention knows it for the rest of the match."""
    state.looked |= 1 << seat * 16 + target
    if log is not None:
        intention = INTENTIONS[state.wrong >> target & 1]
        seen = IntentionSeen(seat=seat, target=target, intention=intention)
        log.append(Fact(IntentionSeen(seat=seat, target=target), ((seat, seen),)))


def bonus_date(state: State, seat: int, log: Log | None) -> bool:
    """[LS-24] Bonus Date costs ANY."""
    use_turn(state, seat, BONUS_DATE, -1, log)
    return _pay_any(state, seat, 1, log)


def _bonus_date_paid(state: State, seat: int, log: Log | None) -> bool:
    """[LS-24] Paid: choose three contestants."""
    return arrange_date(state, seat, FOR_BONUS_DATE, BONUS_DATE_SIZE, log)


_PAID: dict[int, Verb] = {
    CONFESSIONAL: _confess,
    DEFUSE: _defused,
    EXPLORE: _explored,
    KEEP_OPEN: _explored,
    BONUS_DATE: _bonus_date_paid,
}
"""By Villa Action: what follows when the cost is paid."""
