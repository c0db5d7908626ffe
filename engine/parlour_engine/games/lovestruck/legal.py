"""What a seat may choose, from what it may know: the one definition of legal. [CM-4, CM-6]"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from .cards import (
    BLIND_DATE,
    BOMBSHELLS,
    CLEAN_BREAK,
    EAVESDROP,
    GROUP_DATE,
    HEART_TO_HEART,
    LAYABLE,
    LOVE,
    LOVE_LETTER,
    MIXED_SIGNALS,
    PUBLIC_APOLOGY,
    RATINGS_STUNT,
    SCREEN_TIME,
    TEMPTATION,
    K,
)
from .names import COUPLE_COST, EXPLORE_COST, TALK_COST
from .space import (
    ACCEPT,
    BONUS,
    BREAK_UP,
    CHOOSE_BLOCK,
    CLEAN_BLOCK,
    CONFESS,
    COUNTER_0,
    DECLINE,
    DEFUSE_IT,
    EAVESDROP_BLOCK,
    EXPLORE_BLOCK,
    HEART_BLOCK,
    LETTER_BLOCK,
    MIXED_BLOCK,
    OPEN_BLOCK,
    PASS,
    PLAY_APOLOGY,
    PLAY_BLIND,
    PLAY_GROUP,
    PLAY_SCREEN,
    PLAY_STUNT,
    STEAL,
    TALK_IT,
    TEMPT_BLOCK,
    card_choices,
)
from .state import State

CACHE_LIMIT = 20_000  # lists of legal actions kept per table size

UNAIMED = (
    (BLIND_DATE, PLAY_BLIND),
    (GROUP_DATE, PLAY_GROUP),
    (RATINGS_STUNT, PLAY_STUNT),
    (PUBLIC_APOLOGY, PLAY_APOLOGY),
    (SCREEN_TIME, PLAY_SCREEN),
)
COUPLE_BREAKERS = 1 << TEMPTATION | 1 << CLEAN_BREAK
AIMED = (
    (TEMPTATION, TEMPT_BLOCK),
    (CLEAN_BREAK, CLEAN_BLOCK),
    (LOVE_LETTER, LETTER_BLOCK),
    (EAVESDROP, EAVESDROP_BLOCK),
    (HEART_TO_HEART, HEART_BLOCK),
    (MIXED_SIGNALS, MIXED_BLOCK),
)


def legal_actions(state: State, seat: int) -> Sequence[int]:
    """[CM-4, CM-6] What the seat may choose now, from what it may know; ascending, never empty for a seat that owes."""
    for owed in state.pending:
        if owed[0] == seat:
            return _LEGAL[owed[1]](state, seat)
    return ()


def default_action(state: State, seat: int) -> int:
    """[CM-11] Pass or decline where legal, else the lowest legal action number: both are the lowest there are."""
    return legal_actions(state, seat)[0]


def _legal_hand(state: State, seat: int) -> Sequence[int]:
    """[LS-9, LS-17, LS-18, LS-44] Any card of the hand."""
    return card_choices(state.masks[seat])


def _legal_keep(state: State, seat: int) -> Sequence[int]:
    """[LS-24] One of the two drawn."""
    one, other = state.drawn_two
    return card_choices(1 << one | 1 << other)


def _legal_date_card(state: State, seat: int) -> Sequence[int]:
    """[LS-26] A Love or Drama card; [LS-27] who holds only Bombshells throws one."""
    held = state.masks[seat]
    return card_choices(held & LAYABLE or held)


def _legal_contestants(state: State, seat: int) -> Sequence[int]:
    """[LS-25] Whoever is not chosen yet."""
    return state.space.block(CHOOSE_BLOCK, (1 << state.seats) - 1 ^ state.date_mask)


def _legal_answer(state: State, seat: int) -> Sequence[int]:
    """[LS-13, LS-14] Decline; accept while holding the share; counter once, a split not used up whose share is held."""
    used = 0b1111 if state.countered >> seat & 1 else state.used >> 4 * seat & 0b1111
    return _answers(min(state.hands[seat * K + LOVE], COUPLE_COST), COUPLE_COST - state.offer_share, used)


@cache
def _answers(love: int, share: int, used: int) -> tuple[int, ...]:
    """[LS-13, LS-14] With so much Love, asked for such a share, where these shares of the proposer are used up."""
    counters = [COUNTER_0 + mine for mine in range(love + 1) if not used >> COUPLE_COST - mine & 1]
    return (DECLINE, ACCEPT, *counters) if love >= share else (DECLINE, *counters)


def _legal_counter_answer(state: State, seat: int) -> Sequence[int]:
    """[LS-13, LS-14] Drop it; accept while holding the share."""
    share = COUPLE_COST - state.offer_counter
    return (DECLINE, ACCEPT) if state.hands[seat * K + LOVE] >= share else (DECLINE,)


def _legal_yes_or_no(state: State, seat: int) -> Sequence[int]:
    """[LS-39, LS-41] A Love Letter and a Heart to Heart cost the one who answers nothing."""
    return (DECLINE, ACCEPT)


def _legal_villa_turn(state: State, seat: int) -> Sequence[int]:
    """[LS-8] A pass, the Villa Actions and the Bombshells, then the offers to couple up."""
    return _legal_tail(state, seat) + _legal_offers(state, seat)


def _legal_offers(state: State, seat: int) -> tuple[int, ...]:
    """[LS-12, LS-13, LS-14] To anyone but yourself and your partner, any split not used up whose share you hold."""
    space = state.space
    love = state.hands[seat * K + LOVE]
    most = love if love < COUPLE_COST else COUPLE_COST
    partner = state.partner[seat]
    key = ((state.used * 4 + most) * 16 + partner + 1) * 16 + seat
    legal = space.offers.get(key)
    if legal is None:
        legal = tuple(
            space.offer_0 + 4 * target + share
            for target in range(state.seats)
            if target not in (seat, partner)
            for share in range(most + 1)
            if not state.used >> 4 * target + share & 1
        )
        if len(space.offers) >= CACHE_LIMIT:
            space.offers.clear()
        space.offers[key] = legal
    return legal


def _legal_tail(state: State, seat: int) -> tuple[int, ...]:
    """[LS-8] Everything of a Villa turn but the offers; kept by what it depends on."""
    space = state.space
    size = state.sizes[seat]
    love = state.hands[seat * K + LOVE]
    bombshells = state.masks[seat] & BOMBSHELLS
    wealth = (size if size < EXPLORE_COST else EXPLORE_COST) * 8 + (love if love < TALK_COST else TALK_COST)
    partner = state.partner[seat]
    finale = bool(bombshells >> SCREEN_TIME) and state.board().type == "finale"
    with_cards = 0
    if bombshells >> EAVESDROP & 1:
        for other, cards in enumerate(state.sizes):
            if cards:
                with_cards |= 1 << other
    couples = 0
    if size >= EXPLORE_COST:
        couples = state.coupled << 10
    if bombshells & COUPLE_BREAKERS:
        couples |= state.heads
    key = (
        ((((couples << 10 | with_cards) << 6 | wealth) << 13 | bombshells) << 4 | partner + 1) << 4 | seat
    ) << 1 | finale
    legal = space.tails.get(key)
    if legal is None:
        legal = _villa_tail(state, seat, size, love, bombshells, partner, finale, with_cards)
        if len(space.tails) >= CACHE_LIMIT:
            space.tails.clear()
        space.tails[key] = legal
    return legal


def _villa_tail(
    state: State, seat: int, size: int, love: int, bombshells: int, partner: int, finale: bool, with_cards: int
) -> tuple[int, ...]:
    """[LS-8, LS-16..LS-24, LS-35..LS-46] Which Villa Actions and Bombshells this turn offers."""
    space = state.space
    others = ((1 << state.seats) - 1) & ~(1 << seat)
    strangers = others & ~(1 << partner) if partner >= 0 else others
    legal = [PASS]
    if partner >= 0:
        legal.append(BREAK_UP)  # LS-16
    legal.append(STEAL)  # LS-17
    if size >= 1 and not space.reference:
        legal.append(CONFESS)  # LS-18
    if love >= 1 and size >= 2:
        legal.append(DEFUSE_IT)  # LS-19
    if love >= TALK_COST and partner >= 0:
        legal.append(TALK_IT)  # LS-21
    if size >= 1 and space.reference:
        legal.append(BONUS)  # LS-24
    for kind, action in UNAIMED:
        if bombshells >> kind & 1 and not (finale and kind == SCREEN_TIME):  # LS-45
            legal.append(action)
    if size >= EXPLORE_COST:
        if not space.reference:
            legal += space.block(EXPLORE_BLOCK, strangers & state.coupled)  # LS-20
        elif partner >= 0:
            legal += space.block(OPEN_BLOCK, strangers)  # LS-24
    for kind, block in AIMED:
        if bombshells >> kind & 1:
            if kind in (TEMPTATION, CLEAN_BREAK):
                targets = state.heads  # LS-37, LS-38, LS-46
            elif kind == LOVE_LETTER:
                targets = strangers if love else 0  # LS-39
            elif kind == EAVESDROP:
                targets = others & with_cards  # LS-40
            elif kind == MIXED_SIGNALS:
                targets = others if size >= 2 else 0  # LS-44
            else:
                targets = others  # LS-41
            legal += space.block(block, targets)
    return tuple(legal)


_LEGAL: tuple[Callable[[State, int], Sequence[int]], ...] = (
    _legal_villa_turn,
    _legal_hand,
    _legal_hand,
    _legal_keep,
    _legal_hand,
    _legal_hand,
    _legal_contestants,
    _legal_date_card,
    _legal_answer,
    _legal_counter_answer,
    _legal_yes_or_no,
    _legal_yes_or_no,
)
"""By decision kind."""
