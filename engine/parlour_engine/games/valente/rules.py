"""Valente, in the order of RULES.md. A verb returns whether a list of actions ends there: the seat has learnt
something, or it is another seat's turn. [CM-4]"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from ...chance import below, shuffle
from ...errors import BadOption
from ...game import Fact, Log, Outcome
from .actions import (
    BUY_DECK,
    BUY_DISCARD,
    CARDS,
    DISCARD,
    DRAW,
    END,
    EXCHANGE,
    PASS,
    PLACE,
    PLAY,
    SALVAGE,
    START,
    STRIPS,
    TEAR,
)
from .deck import DECKS
from .state import (
    ACTIONS,
    ENDINGS,
    EXCHANGE_MAX,
    EXCHANGING,
    HAND,
    HAND_LIMIT,
    LIMITING,
    LIMITS,
    SALVAGING,
    SCOUTED,
    SCOUTING,
    SEATS,
    TEARING,
    TRUST_MAX,
    TURN,
    Bought,
    Declared,
    Discarded,
    Drew,
    Ended,
    Forfeited,
    HeartMoved,
    Kept,
    Laid,
    Options,
    Passed,
    Published,
    Salvaged,
    Scouted,
    Shuffled,
    State,
    StoryStrip,
    Torn,
    TrustChanged,
    TurnBegan,
)

# Setup


def check_options(seats: int, options: Options) -> None:
    """[VA-8] The first seat must be a seat of this match. [VA-5] The deck must be on the shelf."""
    if options.first_seat is not None and not 0 <= options.first_seat < seats:
        raise BadOption("first_seat", f"must be null or a seat from 0 to {seats - 1}")
    DECKS[options.deck]


def deal(seats: int, options: Options, seed: bytes) -> State:
    """[VA-1] The heart in the centre, [VA-3] all trust at 0 %. [VA-6] Shuffle 80 cards, deal five to each seat, turn
    over the next one. [VA-8] The first seat is the option's, or drawn after the shuffle."""
    cards = DECKS[options.deck]
    state = State(
        cards=cards,
        options=options,
        seats=seats,
        seed=seed,
        drawn=0,
        first_seat=0,
        last_turn=seats * (LIMITS[seats] if options.time else cards.untimed_rounds),
        seat=0,
        turns=0,
        actions_left=ACTIONS,
        exchanged=0,
        heart=0,
        trust=[0] * seats,
        hands=[],
        known=[0] * seats,
        strips=[()] * (seats * STRIPS),
        shapes=[0] * seats,
        deck=list(range(1, CARDS + 1)),
        discard=[],
        story=(),
        scouted=[],
        effects=(),
        step=0,
        pushed=False,
        origin=[0] * (CARDS + 1),
        shuffles=0,
        asked=[0] * seats,
        forfeited=0,
        outcome=None,
        pending=(),
    )
    deck = state.deck
    shuffle(state, deck)
    for _ in range(seats):
        state.hands.append(sorted(deck[-HAND:]))
        del deck[-HAND:]
    state.discard.append(deck.pop())
    state.first_seat = below(state, seats) if options.first_seat is None else options.first_seat
    state.seat = state.first_seat
    _ask(state, TURN)
    return state


# A turn


def pending(state: State) -> Sequence[tuple[int, int, int]]:
    """[VA-9] One seat at a time; nobody once the match is over."""
    return state.pending


def _ask(state: State, kind: int) -> None:
    seat = state.seat
    number = state.asked[seat]
    state.asked[seat] = number + 1
    state.pending = ((seat, kind, number),)


def legal_actions(state: State, seat: int) -> Sequence[int]:
    """What the seat may choose now, ascending."""
    if not state.pending or state.seat != seat:
        return ()
    return _LEGAL[state.pending[0][1]](state, seat)


def _heads(buy_deck: bool, buy_discard: bool, exchange: bool) -> list[int]:
    offered = ((BUY_DECK, buy_deck), (BUY_DISCARD, buy_discard), (EXCHANGE, exchange))
    return [action for action, offer in offered if offer]


_HEADS = [_heads(bool(i & 1), bool(i & 2), bool(i & 4)) for i in range(8)]


def _legal_turn(state: State, seat: int) -> list[int]:
    """[VA-9] Buy, exchange, play. [VA-10] The deck is offered if a card can come, the discard pile if it has one.
    [VA-13] An exchange needs its fewest cards in hand, and a card in the deck or the discard pile, so that as many
    cards come as go. [VA-16] Pass only where nothing else can be done."""
    hand = state.hands[seat]
    discards = len(state.discard)
    offer = 1 if state.deck or discards > 1 else 0
    if discards:
        offer += 2
    if offer and len(hand) >= state.options.exchange_min:
        offer += 4
    legal = _HEADS[offer][:]
    plays = state.cards.plays[state.shapes[seat]]
    for card in hand:
        legal += plays[card]
    return legal or [PASS]


def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
    """Do the action; each kind of action has its verb below."""
    return _VERBS[action](state, seat, action, log)


def _action_done(state: State, log: Log | None) -> bool:
    """[VA-9] A turn is exactly two actions; [VA-14] then the hand limit, [VA-9] then the seat to the left."""
    left = state.actions_left - 1
    state.actions_left = left
    if left:
        _ask(state, TURN)
        return False
    if len(state.hands[state.seat]) > HAND_LIMIT:
        _ask(state, LIMITING)
        return False
    return _end_turn(state, log)


def _buy_from_deck(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-10] Take the deck's top card."""
    card = state.deck.pop() if state.deck else _draw(state, log)
    insort(state.hands[seat], card)
    if log is not None:
        log.append(Fact(Bought(seat, "deck", None), ((seat, Bought(seat, "deck", card)),)))
    _action_done(state, log)
    return True


def _buy_from_discard(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-10] Take the discard pile's top card; [CM-7] all know that it is in this hand now."""
    card = state.discard.pop()
    insort(state.hands[seat], card)
    state.known[seat] |= 1 << card
    if log is not None:
        log.append(Fact(Bought(seat, "discard", card)))
    return _action_done(state, log)


def _leave_hand(state: State, seat: int, card: int) -> None:
    state.hands[seat].remove(card)
    if state.known[seat]:
        state.known[seat] &= ~(1 << card)


def _play(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-11] A start opens a strip, a middle goes on a start, an end on a start and a middle, and publishes.
    [VA-12] A fourth strip: one of the three is discarded whole, start first, before the new card is laid."""
    card, strip = divmod(action - PLAY, STRIPS)
    at = seat * STRIPS + strip
    part = state.cards.parts[card]
    _leave_hand(state, seat, card)
    if part == END:
        return _publish(state, seat, strip, card, log)
    if part == START:
        for old in state.strips[at]:
            state.discard.append(old)
            if log is not None:
                log.append(Fact(Discarded(seat, old, "replaced")))
        state.shapes[seat] -= PLACE[strip] * len(state.strips[at])
        state.strips[at] = ()
    state.strips[at] += (card,)
    state.shapes[seat] += PLACE[strip]
    if log is not None:
        log.append(Fact(Laid(seat, strip, card)))
    return _action_done(state, log)


def _exchange(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-13] Begin an exchange: the discards are chosen one after another."""
    state.exchanged = 0
    _ask(state, EXCHANGING)
    return False


def _legal_exchange(state: State, seat: int) -> list[int]:
    """[VA-13] Another card of the hand, or draw once the fewest are discarded."""
    legal = [DISCARD + card for card in state.hands[seat]]
    if state.exchanged >= state.options.exchange_min:
        legal.insert(0, DRAW)
    return legal


def _discard_in_exchange(state: State, seat: int, card: int, log: Log | None) -> bool:
    """[VA-13] The discards land in the order chosen. The third, or the last card of the hand, ends them by itself."""
    _leave_hand(state, seat, card)
    state.discard.append(card)
    state.exchanged += 1
    if log is not None:
        log.append(Fact(Discarded(seat, card, "exchange")))
    if state.exchanged == EXCHANGE_MAX or not state.hands[seat]:
        return _draw_in_exchange(state, seat, DRAW, log)
    _ask(state, EXCHANGING)
    return False


def _draw_in_exchange(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-13] Draw as many from the deck."""
    hand = state.hands[seat]
    cards = []
    for _ in range(state.exchanged):
        card = _draw(state, log)
        insort(hand, card)
        cards.append(card)
    state.exchanged = 0
    if log is not None:
        count = len(cards)
        log.append(Fact(Drew(seat, count, None), ((seat, Drew(seat, count, tuple(sorted(cards)))),)))
    _action_done(state, log)
    return True


def _legal_limit(state: State, seat: int) -> list[int]:
    """[VA-14] Cards of your choice."""
    return [DISCARD + card for card in state.hands[seat]]


def _discard_to_limit(state: State, seat: int, card: int, log: Log | None) -> bool:
    """[VA-14] At the end of the turn, discard down to seven; they land in the order chosen."""
    _leave_hand(state, seat, card)
    state.discard.append(card)
    if log is not None:
        log.append(Fact(Discarded(seat, card, "hand_limit")))
    if len(state.hands[seat]) > HAND_LIMIT:
        _ask(state, LIMITING)
        return False
    return _end_turn(state, log)


def _discard(state: State, seat: int, action: int, log: Log | None) -> bool:
    """Discard in an exchange [VA-13], of a scout [VA-21], or down to the hand limit [VA-14]."""
    return _DISCARDS[state.pending[0][1]](state, seat, action - DISCARD, log)


def _draw(state: State, log: Log | None) -> int:
    """[VA-15] The deck's top card. From an empty deck: the discard pile below its top card is shuffled into a new
    one, and all know which cards those are. [CM-8] 0 if there is none either."""
    if not state.deck:
        if len(state.discard) < 2:
            return 0
        state.deck, state.discard = state.discard[:-1], state.discard[-1:]
        state.deck.sort()
        state.shuffles += 1
        state.origin = state.origin[:]
        for card in state.deck:
            state.origin[card] = state.shuffles
        shuffle(state, state.deck)
        if log is not None:
            log.append(Fact(Shuffled(len(state.deck))))
    return state.deck.pop()


def _pass(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-16] Uses up one action."""
    if log is not None:
        log.append(Fact(Passed(seat)))
    return _action_done(state, log)


# Publishing

_LEARNT, _WAITS = 1, 2  # what an effect says: the publisher saw cards; it must choose, or the match is over


def _publish(state: State, seat: int, strip: int, card: int, log: Log | None) -> bool:
    """[VA-17] The strip moves to the story, and its cards leave the game. Then its effects run, from start to end."""
    at = seat * STRIPS + strip
    cards = (*state.strips[at], card)
    state.strips[at] = ()
    state.shapes[seat] -= 2 * PLACE[strip]
    state.story += (StoryStrip(seat, cards),)
    start, middle, end = cards
    effects = state.cards.effects
    state.effects = effects[start] + effects[middle] + effects[end]
    if log is not None:
        log.append(Fact(Published(seat, strip, cards)))
    return _run(state, log)


def _run(state: State, log: Log | None) -> bool:
    """[VA-26] The effects in order, going on after each choice. [VA-30] Without time the match ends once every
    declaring card lies in the story."""
    effects = state.effects
    learnt = False
    while state.step < len(effects):
        name, steps = effects[state.step]
        state.step += 1
        said = _EFFECTS[name](state, steps, log)
        learnt = learnt or said & _LEARNT != 0
        if said & _WAITS:
            return learnt or state.outcome is not None
    state.effects, state.step, state.pushed = (), 0, False
    if not state.options.time and state.cards.declaring.issubset(c for strip in state.story for c in strip.cards):
        return _end(state, (), "story_told", log)
    return _action_done(state, log) or learnt


def _move_heart(toward: Literal["dama", "princesa"], side: int, state: State, steps: int, log: Log | None) -> int:
    """[VA-18] The heart moves to that side. [VA-19] A step from the very end is a push: one trust, once per strip."""
    spaces = min(steps, state.cards.reach - side * state.heart)
    state.heart += side * spaces
    if log is not None:
        log.append(Fact(HeartMoved(state.seat, toward, spaces, state.heart)))
    if spaces < steps and not state.pushed:
        state.pushed = True
        _gain_trust(state, "push", log)
    return 0


def _gain_trust(state: State, reason: Literal["effect", "push"], log: Log | None) -> None:
    """[VA-20] One more trust for the publisher, never above the maximum."""
    seat = state.seat
    change = 1 if state.trust[seat] < TRUST_MAX else 0
    state.trust[seat] += change
    if log is not None:
        log.append(Fact(TrustChanged(seat, change, state.trust[seat], reason)))


def _trust(state: State, steps: int, log: Log | None) -> int:
    """[VA-20] The publisher's trust rises."""
    _gain_trust(state, "effect", log)
    return 0


def _scout(state: State, steps: int, log: Log | None) -> int:
    """[VA-21] Draw three, keep one. Fewer to draw: keep one of what there is; none: nothing."""
    seat = state.seat
    for _ in range(SCOUTED):
        if card := _draw(state, log):
            insort(state.scouted, card)
    cards = tuple(state.scouted)
    if log is not None:
        log.append(Fact(Scouted(seat, len(cards), None), ((seat, Scouted(seat, len(cards), cards)),)))
    if len(cards) > 1:
        _ask(state, SCOUTING)
        return _LEARNT | _WAITS
    if not cards:
        return 0
    _keep(state, seat, log)
    return _LEARNT


def _legal_scout(state: State, seat: int) -> list[int]:
    """[VA-21] One of the scouted cards."""
    return [DISCARD + card for card in state.scouted]


def _discard_scouted(state: State, seat: int, card: int, log: Log | None) -> bool:
    """[VA-21] The others are discarded in the order chosen; the last one is kept."""
    state.scouted.remove(card)
    state.discard.append(card)
    if log is not None:
        log.append(Fact(Discarded(seat, card, "scout")))
    if len(state.scouted) > 1:
        _ask(state, SCOUTING)
        return False
    _keep(state, seat, log)
    return _run(state, log)


def _keep(state: State, seat: int, log: Log | None) -> None:
    """[VA-21] Which card was kept is private."""
    card = state.scouted.pop()
    insort(state.hands[seat], card)
    if log is not None:
        log.append(Fact(Kept(seat, None), ((seat, Kept(seat, card)),)))


def _tear(state: State, steps: int, log: Log | None) -> int:
    """[VA-22] Must be used if there is an unpublished strip anywhere."""
    if not any(state.shapes):
        return 0
    _ask(state, TEARING)
    return _WAITS


def _legal_tear(state: State, seat: int) -> list[int]:
    """[VA-22] Any unpublished strip of any seat, your own included."""
    return [TEAR + at for at, strip in enumerate(state.strips) if strip]


def _tear_strip(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-22] The last card of the strip goes to the top of the discard pile; a strip without cards is gone."""
    at = action - TEAR
    owner, strip = divmod(at, STRIPS)
    *rest, card = state.strips[at]
    state.strips[at] = tuple(rest)
    state.shapes[owner] -= PLACE[strip]
    state.discard.append(card)
    if log is not None:
        log.append(Fact(Torn(seat, owner, strip, card)))
    return _run(state, log)


def _salvage(state: State, steps: int, log: Log | None) -> int:
    """[VA-23] Must be used if the discard pile is not empty."""
    if not state.discard:
        return 0
    _ask(state, SALVAGING)
    return _WAITS


def _legal_salvage(state: State, seat: int) -> list[int]:
    """[VA-23] Any card of the discard pile."""
    return [SALVAGE + card for card in sorted(state.discard)]


def _salvage_card(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[VA-23] Into your hand, [CM-7] known to all; the rest of the pile keeps its order."""
    card = action - SALVAGE
    state.discard.remove(card)
    insort(state.hands[seat], card)
    state.known[seat] |= 1 << card
    if log is not None:
        log.append(Fact(Salvaged(seat, card)))
    return _run(state, log)


def _declare(
    name: Literal["declare", "declare_dama", "declare_princesa"], state: State, steps: int, log: Log | None
) -> int:
    """[VA-24] Definitive if the heart stands at the named end (either, for ``declare``) and the publisher's trust is
    at the maximum: the publisher wins at once. [VA-25] Otherwise one trust less, not below 0. [CM-12] A seat that has
    forfeited cannot win: its declarations fail."""
    seat = state.seat
    reach = state.cards.reach
    love: Literal["dama", "princesa"] | None = (
        "dama" if state.heart == reach else "princesa" if state.heart == -reach else None
    )
    named = love is not None and name in ("declare", f"declare_{love}")
    definitive = named and state.trust[seat] == TRUST_MAX and not state.forfeited >> seat & 1
    if log is not None:
        log.append(Fact(Declared(seat, name, love, definitive)))
    if definitive:
        _end(state, (seat,), "declaration", log)
        return _WAITS
    change = -1 if state.trust[seat] else 0
    state.trust[seat] += change
    if log is not None:
        log.append(Fact(TrustChanged(seat, change, state.trust[seat], "failed_declaration")))
    return 0


# End


def _end_turn(state: State, log: Log | None) -> bool:
    """[VA-9] Clockwise. [VA-28] The match ends without a winner after the last seat's turn of the last round."""
    state.turns += 1
    if state.turns == state.last_turn:
        return _end(state, (), "time" if state.options.time else "rounds", log)
    seat = state.seat + 1
    state.seat = seat if seat < state.seats else 0
    state.actions_left = ACTIONS
    _ask(state, TURN)
    if log is not None:
        log.append(Fact(TurnBegan(state.seat, state.turns // state.seats + 1)))
    return True


def _end(state: State, winners: tuple[int, ...], reason: str, log: Log | None) -> bool:
    """[VA-27] One winner, or [VA-28, VA-30] none; [VA-29] when time runs out, the secret card is read aloud."""
    text = ENDINGS[reason] if reason != "time" else f"{ENDINGS[reason]} {state.cards.epilogue}"
    state.outcome = Outcome(winners, None, reason, text)
    state.pending = ()
    if log is not None:
        log.append(Fact(Ended(winners, reason, text)))
    return True


def outcome(state: State) -> Outcome | None:
    """How the match ended; None while it goes on."""
    return state.outcome


def default_action(state: State, seat: int) -> int:
    """[CM-11] The lowest legal number: pass, else buy from the deck, else draw, else the lowest card or strip."""
    return legal_actions(state, seat)[0]


def forfeit(state: State, seat: int, log: Log | None) -> None:
    """[CM-12] The seat cannot win any more; the last seat that has not forfeited wins at once."""
    if state.outcome is not None or state.forfeited >> seat & 1:
        return
    state.forfeited |= 1 << seat
    if log is not None:
        log.append(Fact(Forfeited(seat)))
    left = tuple(each for each in range(state.seats) if not state.forfeited >> each & 1)
    if len(left) == 1:
        _end(state, left, "forfeit", log)


# Which function answers which number

Verb = Callable[[State, int, int, Log | None], bool]

_LEGAL: tuple[Callable[[State, int], list[int]], ...] = (
    _legal_turn,
    _legal_exchange,
    _legal_scout,
    _legal_tear,
    _legal_salvage,
    _legal_limit,
)
_DISCARDS: dict[int, Verb] = {
    EXCHANGING: _discard_in_exchange,
    SCOUTING: _discard_scouted,
    LIMITING: _discard_to_limit,
}
_VERBS: tuple[Verb, ...] = (
    *(_pass, _buy_from_deck, _buy_from_discard, _exchange, _draw_in_exchange),
    *([_discard] * CARDS),
    *([_play] * (CARDS * STRIPS)),
    *([_salvage_card] * CARDS),
    *([_tear_strip] * (SEATS[-1] * STRIPS)),
)
_EFFECTS: dict[str, Callable[[State, int, Log | None], int]] = {
    "dama": partial(_move_heart, "dama", 1),
    "princesa": partial(_move_heart, "princesa", -1),
    "trust": _trust,
    "scout": _scout,
    "tear": _tear,
    "salvage": _salvage,
    "declare": partial(_declare, "declare"),
    "declare_dama": partial(_declare, "declare_dama"),
    "declare_princesa": partial(_declare, "declare_princesa"),
}
