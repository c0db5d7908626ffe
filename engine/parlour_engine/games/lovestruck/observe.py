"""What a viewer sees, built field by field, and whole states that it cannot rule out. [CM-6, CM-7]"""

from __future__ import annotations

import random
from functools import lru_cache
from operator import mul

from .cards import CARDS, DATE_CARDS, DRAMA, KIND_OF, LOVE, Card, DateCard, K
from .codec import decode_entry
from .names import ENDINGS, INTENTIONS, PHASES, REASONS, TURN_ACTIONS, TURN_OF, Intention
from .state import State, blank_state, contestants
from .views import DateView, Observation, OfferView, SeenHand, Split, Swap, Throw, TurnView

OVER = len(PHASES) - 1
KIND_OF_PHASE: dict[str, int] = {name: kind for kind, name in enumerate(PHASES)}
REASON_OF: dict[str, int] = {name: code for code, name in enumerate(REASONS)}
ENDING_OF: dict[str, int] = {name: code for code, name in enumerate(ENDINGS, 1)}
ONE_OF = tuple(bytes((kind,)) for kind in range(K))
NO_CARDS: tuple[Card, ...] = ()


@lru_cache(maxsize=1 << 14)
def cards_of(counts: bytes) -> tuple[Card, ...]:
    """A hand's kinds in their fixed order. [CM-6a]"""
    return tuple([CARDS[kind] for kind in range(K) for _ in range(counts[kind])])


@lru_cache(maxsize=1 << 10)
def seats_of(mask: int) -> tuple[int, ...]:
    return tuple([seat for seat in range(mask.bit_length()) if mask >> seat & 1])


@lru_cache(maxsize=1 << 10)
def _splits(used: int) -> tuple[Split, ...]:
    """[LS-13] The splits used up, of a state's ``used``."""
    return tuple([Split(target=at >> 2, share=at & 3) for at in range(used.bit_length()) if used >> at & 1])


def date_card(code: int) -> DateCard | None:
    """A seat's two bits of ``laid``."""
    return DATE_CARDS[code - 1] if code else None


def observe(state: State, seat: int | None) -> Observation:
    """[LS-50] What the viewer may know, field by field.

    Public: board, couples, sizes, the discard pile, offers, costs, who looked at whom. Private: your Intention, your
    hand, what you looked at, what you laid on dates. Nobody: the deck's order, the leftover Intention.
    """
    everyone = range(state.seats)
    own = -1 if seat is None else seat
    over = state.ending > 0
    looks = [seats_of(state.looked >> 16 * each & 0xFFFF) for each in everyone]
    seen = () if seat is None else (seat, *looks[seat])
    hands, all_shown = bytes(state.hands), bytes(state.shown)
    shown = [all_shown[each * K : each * K + K] for each in everyone]
    shown_hands = tuple([cards_of(counts) for counts in shown])
    known_hands = list(shown_hands)
    if seat is not None:
        known_hands[seat] = NO_CARDS
        for key, counts in state.known.items():
            if key >> 4 == seat:
                known_hands[key & 15] = cards_of(bytes(map(max, counts, shown[key & 15])))
    episode = state.board()
    return Observation(
        seat=seat,
        options=state.options,
        contestants=contestants(state),
        episode=state.episode + 1,
        episode_type=episode.type,
        viewership=state.viewership,
        main_character=state.main,
        next_main_character=None if state.next_main < 0 else state.next_main,
        turns_taken=state.taken,
        partners=tuple([None if partner < 0 else partner for partner in state.partner]),
        hand_sizes=tuple(state.sizes),
        deck_size=len(state.deck),
        discard=tuple([CARDS[kind] for kind in state.discard]),
        forfeited=seats_of(state.forfeited),
        phase=PHASES[state.pending[0][1] if state.pending else OVER],
        deciding=tuple([owed[0] for owed in state.pending]),
        turn=_turn(state) if state.turn >= 0 else None,
        offer=_offer(state) if state.offer_target >= 0 else None,
        date=_date(state, own) if state.date_size else None,
        hand=NO_CARDS if seat is None else cards_of(hands[seat * K : seat * K + K]),
        drawn=tuple([CARDS[kind] for kind in state.drawn_two]) if seat == state.turn else NO_CARDS,
        looks=tuple(looks),
        intentions=tuple([_intention(state, each) if over or each in seen else None for each in everyone]),
        shown_hands=shown_hands,
        known_hands=tuple(known_hands),
        seen_hands=tuple(
            [
                SeenHand(episode=when + 1, seat=target, cards=cards_of(counts))
                for knower, when, target, counts in state.overheard
                if knower == own
            ]
        ),
        swaps=tuple(
            [
                Swap(episode=when + 1, seat=giver, target=target, gave=CARDS[gave], took=CARDS[took])
                for when, giver, target, gave, took in state.swapped
                if own in (giver, target)
            ]
        ),
        date_cards=tuple([None if seat is None else date_card(laid >> 2 * seat & 3) for laid in state.dates]),
        record=state.past + tuple([decode_entry(entry) for entry in state.record]),
        ended=ENDINGS[state.ending - 1] if over else None,
        winners=seats_of(state.winners),
    )


def _intention(state: State, seat: int) -> Intention:
    return INTENTIONS[state.wrong >> seat & 1]


def _turn(state: State) -> TurnView:
    """The Villa turn under way: all of it happens before everybody's eyes."""
    return TurnView(
        seat=state.turn,
        action=None if state.action < 0 else TURN_ACTIONS[state.action],
        target=None if state.target < 0 else state.target,
        paid=tuple([CARDS[kind] for kind in state.paid]),
        cost_left=state.cost_left,
        card=None if state.card < 0 else CARDS[state.card],
        agreed=None if state.agreed < 0 else state.agreed == 1,
        broken=state.broken,
        splits=_splits(state.used),
        countered=seats_of(state.countered),
    )


def _offer(state: State) -> OfferView:
    return OfferView(
        seat=state.turn,
        target=state.offer_target,
        share=state.offer_share,
        counter=None if state.offer_counter < 0 else state.offer_counter,
    )


def _date(state: State, own: int) -> DateView:
    """[LS-28] Who has answered is public, what they laid is not."""
    everyone = range(state.seats)
    return DateView(
        seat=state.main if state.date_reason == 0 else state.turn,
        reason=REASONS[state.date_reason],
        size=state.date_size,
        contestants=seats_of(state.date_mask),
        answered=tuple([seat for seat in everyone if state.laid >> 2 * seat & 3]),
        sat_out=seats_of(state.sat_out),
        thrown=tuple([Throw(seat=seat, card=CARDS[kind]) for seat, kind in state.aside]),  # type: ignore[arg-type]
        your_card=date_card(state.laid >> 2 * own & 3) if own >= 0 else None,
    )


def determinize(observation: Observation, rng: random.Random) -> State:
    """Any state that the observation cannot rule out, each assignment of unseen cards and Intentions equally likely.

    Known are: your own hand and card on the date, the discard pile, cards known to be in a hand (a card laid on the
    date under way still counted); on that date, that a card laid is Love or Drama and that whoever threw a Bombshell
    held nothing else at that time.
    """
    o = observation
    seats = len(o.hand_sizes)
    everyone = range(seats)
    viewer = -1 if o.seat is None else o.seat
    state = blank_state(seats, o.options, rng.getrandbits(128).to_bytes(16, "big"))
    state.episode = o.episode - 1
    state.viewership = o.viewership
    state.main = o.main_character
    state.next_main = -1 if o.next_main_character is None else o.next_main_character
    state.taken = o.turns_taken
    partner = state.partner = [-1 if each is None else each for each in o.partners]
    for seat in everyone:
        if partner[seat] >= 0:
            state.coupled |= 1 << seat
            if seat < partner[seat]:
                state.heads |= 1 << seat
    state.sizes = list(o.hand_sizes)
    state.discard = list(map(KIND_OF.__getitem__, o.discard))
    state.forfeited = _mask(o.forfeited)
    state.winners = _mask(o.winners)
    state.ending = 0 if o.ended is None else ENDING_OF[o.ended]
    if o.phase != "over":
        kind = KIND_OF_PHASE[o.phase]
        state.pending = tuple([(seat, kind, 0) for seat in o.deciding])
        for seat in o.deciding:
            state.numbers[seat] = 1
    if o.turn is not None:
        _restore_turn(state, o.turn)
    if o.offer is not None:
        state.offer_target = o.offer.target
        state.offer_share = o.offer.share
        state.offer_counter = -1 if o.offer.counter is None else o.offer.counter
    if o.date is not None:
        _restore_date(state, o.date, viewer)
    for seat, looked in enumerate(o.looks):
        if looked:
            state.looked |= _mask(looked) << 16 * seat
    _deal_intentions(state, o, rng)
    state.past = o.record
    if viewer >= 0:
        _restore_memory(state, o, viewer)
    else:
        state.dates = (0,) * len(o.date_cards)
    _deal_cards(state, o, viewer, rng)
    return state


def _mask(seats: tuple[int, ...]) -> int:
    mask = 0
    for seat in seats:
        mask |= 1 << seat
    return mask


def _restore_turn(state: State, turn: TurnView) -> None:
    state.turn = turn.seat
    state.action = -1 if turn.action is None else TURN_OF[turn.action]
    state.target = -1 if turn.target is None else turn.target
    state.paid = tuple([KIND_OF[card] for card in turn.paid])
    state.cost_left = turn.cost_left
    state.card = -1 if turn.card is None else KIND_OF[turn.card]
    state.agreed = -1 if turn.agreed is None else int(turn.agreed)
    state.broken = turn.broken
    for split in turn.splits:
        state.used |= 1 << 4 * split.target + split.share
    state.countered = _mask(turn.countered)


def _restore_date(state: State, date: DateView, viewer: int) -> None:
    state.date_size = date.size
    state.date_reason = REASON_OF[date.reason]
    state.date_mask = _mask(date.contestants)
    state.sat_out = _mask(date.sat_out)
    state.aside = tuple([(throw.seat, KIND_OF[throw.card]) for throw in date.thrown])
    if date.your_card is not None:
        state.laid = 1 + KIND_OF[date.your_card] << 2 * viewer


def _restore_memory(state: State, o: Observation, viewer: int) -> None:
    """[CM-7] What this seat has learnt; what others learnt in private stays out."""
    state.dates = tuple([0 if card is None else 1 + KIND_OF[card] << 2 * viewer for card in o.date_cards])
    state.overheard = tuple([(viewer, each.episode - 1, each.seat, _counts(each.cards)) for each in o.seen_hands])
    state.swapped = tuple(
        [(each.episode - 1, each.seat, each.target, KIND_OF[each.gave], KIND_OF[each.took]) for each in o.swaps]
    )
    if o.known_hands != o.shown_hands:
        for seat, cards in enumerate(o.known_hands):
            if cards != o.shown_hands[seat] and seat != viewer:
                state.known[viewer * 16 + seat] = _counts(cards)


def _counts(cards: tuple[Card, ...]) -> bytes:
    counts = bytearray(K)
    for card in cards:
        counts[KIND_OF[card]] += 1
    return bytes(counts)


def _deal_intentions(state: State, o: Observation, rng: random.Random) -> None:
    """[LS-5] The Wrong cards that are not known lie anywhere among the unknown seats and the leftover card."""
    wrong = state.season.intentions[state.seats][1]
    unknown = [state.seats]
    for seat, intention in enumerate(o.intentions):
        if intention is None:
            unknown.append(seat)
        elif intention == "wrong":
            state.wrong |= 1 << seat
            wrong -= 1
    for taken, place in enumerate(unknown):
        if wrong and rng.random() * (len(unknown) - taken) < wrong:
            state.wrong |= 1 << place
            wrong -= 1


def _deal_cards(state: State, o: Observation, viewer: int, rng: random.Random) -> None:
    """The cards that are not seen, at random over the places that are not known."""
    hands, shown = state.hands, state.shown
    pool = list(state.season.mix)
    for kind in state.discard:
        pool[kind] -= 1
    for _, kind in state.aside:
        pool[kind] -= 1
    need = list(state.sizes)
    masks = state.masks
    for seat, cards in enumerate(o.known_hands):
        if seat == viewer:
            cards = o.hand
        if cards:
            need[seat] -= len(cards)
            base = seat * K
            held = 0
            for card in cards:
                kind = KIND_OF[card]
                hands[base + kind] += 1
                held |= 1 << kind
                pool[kind] -= 1
            masks[seat] = held
    for seat, cards in enumerate(o.shown_hands):
        for card in cards:
            shown[seat * K + KIND_OF[card]] += 1
    if o.date is not None:
        if state.laid:
            pool[(state.laid >> 2 * viewer & 3) - 1] -= 1
        if o.date.thrown or len(o.date.answered) > (1 if state.laid else 0):
            for seat in _deal_date(state, o.date, viewer, pool, need, rng):
                masks[seat] = sum([1 << kind for kind in range(K) if hands[seat * K + kind]])
    chance = rng.random
    unseen = sorted(b"".join(map(mul, ONE_OF, pool)), key=lambda _: chance())
    at = 0
    for seat, places in enumerate(need):
        if places:
            base = seat * K
            held = masks[seat]
            for kind in unseen[at : at + places]:
                hands[base + kind] += 1
                held |= 1 << kind
            masks[seat] = held
            if o.phase == "keep" and seat == state.turn:
                state.drawn_two = tuple(sorted(unseen[at : at + 2]))
            at += places
    state.deck = unseen[at:]
    if o.drawn:
        state.drawn_two = tuple([KIND_OF[card] for card in o.drawn])


def _deal_date(
    state: State, date: DateView, viewer: int, pool: list[int], need: list[int], rng: random.Random
) -> set[int]:
    """[LS-26, LS-27] The places of a date under way that cannot hold any card: laid ones, and hands of who threw.

    ``need[seat]`` counts the hand's unknown places; a laid card is one of the hand's known cards or one more unknown
    place. Which of them, is drawn with the weight of all the assignments that follow. Returns whose hands have changed.
    """
    threw = {throw.seat for throw in date.thrown if throw.seat != viewer}
    laid = [seat for seat in date.answered if seat != viewer]
    only_bombshells = {}
    for seat in sorted(threw):
        free = 1 if seat not in date.answered and seat not in date.sat_out else 0  # the card drawn last
        only_bombshells[seat] = need[seat] - free
    closed = sum(only_bombshells.values())
    soft, total = pool[LOVE] + pool[DRAMA], sum(pool) - closed
    weight = [1.0]  # of every way to lay so many cards from unknown places: falling factorials
    for n in range(len(laid)):
        weight.append(weight[-1] * max(soft - n, 0) / max(total - n, 1))
    known_soft = {seat: state.hands[seat * K + LOVE] + state.hands[seat * K + DRAMA] for seat in laid}
    tails = [[1.0]]  # polynomials over the number of unknown places used by the seats still to come
    for seat in reversed(laid):
        last, a, u = tails[-1], known_soft[seat], 1 if seat in threw else need[seat] + 1
        tails.append([a * x + u * y for x, y in zip([*last, 0.0], [0.0, *last], strict=True)])
    used = 0
    for place, seat in enumerate(laid):
        tail = tails[len(laid) - place - 1]
        u = 1 if seat in threw else need[seat] + 1
        from_known = known_soft[seat] * sum(x * weight[used + n] for n, x in enumerate(tail))
        from_pool = u * sum(x * weight[used + n + 1] for n, x in enumerate(tail))
        base = seat * K
        if rng.random() * (from_known + from_pool) < from_known:
            kind = LOVE if rng.random() * known_soft[seat] < state.hands[base + LOVE] else DRAMA
            state.hands[base + kind] -= 1
            need[seat] += 1
        else:
            kind = LOVE if rng.random() * (pool[LOVE] + pool[DRAMA]) < pool[LOVE] else DRAMA
            pool[kind] -= 1
            used += 1
        state.laid |= 1 + kind << 2 * seat
    for seat, places in only_bombshells.items():
        for _ in range(places):
            kind = rng.choices(range(DRAMA + 1, K), pool[DRAMA + 1 :])[0]
            pool[kind] -= 1
            state.hands[seat * K + kind] += 1
        need[seat] -= places
    return threw.union(laid)
