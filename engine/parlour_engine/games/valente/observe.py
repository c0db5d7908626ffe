"""What a viewer sees of Valente, and the worlds that it cannot tell apart."""

from __future__ import annotations

import random

from .actions import CARDS, PLACE, STRIPS
from .deck import DECKS
from .state import PHASES, Hidden, Observation, Publishing, SeatView, State


def observe(state: State, seat: int | None) -> Observation:
    """Everybody sees heart, trust, strips, story, the whole discard pile [VA-7], the sizes of hands and deck, and the
    cards that were taken openly (``known_hand``); a seat sees its own hand, and the cards it is scouting. [CM-7]"""
    seats = state.seats
    strips = state.strips
    hands = state.hands
    return Observation(
        seat=seat,
        options=state.options,
        phase=PHASES[state.pending[0][1] if state.pending else -1],
        turn_of=state.seat,
        actions_left=state.actions_left,
        exchanged=state.exchanged,
        turns=state.turns,
        round=min(state.turns, state.last_turn - 1) // seats + 1,
        last_round=state.last_turn // seats,
        first_seat=state.first_seat,
        heart=state.heart,
        heart_reach=state.cards.reach,
        seats=tuple(
            SeatView(
                trust=state.trust[each],
                hand_size=len(hands[each]),
                known_hand=_known(state, each),
                strips=tuple(strips[each * STRIPS : each * STRIPS + STRIPS]),
                forfeited=state.forfeited >> each & 1 == 1,
            )
            for each in range(seats)
        ),
        hand=() if seat is None else tuple(hands[seat]),
        scouted=tuple(state.scouted) if seat == state.seat else (),
        scouting=len(state.scouted),
        discard=tuple(state.discard),
        deck_size=len(state.deck),
        hidden=_hidden(state),
        story=state.story,
        publishing=Publishing(state.step, state.pushed) if state.effects else None,
        outcome=state.outcome,
    )


def _known(state: State, seat: int) -> tuple[int, ...]:
    known = state.known[seat]
    return tuple([card for card in state.hands[seat] if known >> card & 1]) if known else ()


def _hidden(state: State) -> tuple[Hidden, ...]:
    """The cards that no spectator can place, by the shuffle that last put them into the deck. [VA-15]

    Nothing here is hidden knowledge: draws are counted openly, and a card that leaves a hand leaves it openly.
    """
    seats = state.seats
    piles: list[list[int]] = [state.deck, state.scouted]
    for hand, known in zip(state.hands, state.known, strict=True):
        piles.append([card for card in hand if not known >> card & 1] if known else hand)
    if not state.shuffles:
        cards = sorted([card for pile in piles for card in pile])
        sizes = [len(pile) for pile in piles]
        return (Hidden(tuple(cards), sizes[0], tuple(sizes[2:]), sizes[1]),) if cards else ()
    origin = state.origin
    found: dict[int, list[int]] = {}
    counts: dict[int, list[int]] = {}
    for place, pile in enumerate(piles):
        for card in pile:
            shuffle = origin[card]
            if shuffle not in found:
                found[shuffle] = []
                counts[shuffle] = [0] * (seats + 2)
            found[shuffle].append(card)
            counts[shuffle][place] += 1
    return tuple(
        Hidden(tuple(sorted(found[shuffle])), counts[shuffle][0], tuple(counts[shuffle][2:]), counts[shuffle][1])
        for shuffle in sorted(found)
    )


def determinize(observation: Observation, rng: random.Random) -> State:
    """Deal the hidden cards that the viewer does not hold anew: every assignment that fits is equally likely."""
    viewer = observation.seat
    views = observation.seats
    seats = len(views)
    cards = DECKS[observation.options.deck]
    hands = [list(view.known_hand) for view in views]
    scouted = list(observation.scouted)
    seen = set(scouted)
    if viewer is not None:
        hands[viewer] = list(observation.hand)
        seen.update(observation.hand)
    deck: list[int] = []
    origin = [0] * (CARDS + 1)
    chance = rng.random
    for shuffle, hidden in enumerate(observation.hidden):
        if shuffle:
            for card in hidden.cards:
                origin[card] = shuffle
        unseen = [card for card in hidden.cards if card not in seen]
        unseen.sort(key=lambda _: chance())
        for each in range(seats):
            if each != viewer and (count := hidden.hands[each]):
                hands[each] += unseen[-count:]
                del unseen[-count:]
        if hidden.scouted and not observation.scouted:
            scouted += unseen[-hidden.scouted :]
            del unseen[-hidden.scouted :]
        deck += unseen
    for hand in hands:
        hand.sort()
    scouted.sort()
    phase = observation.phase
    publishing = observation.publishing
    strips = [strip for view in views for strip in view.strips]
    effects = cards.effects
    asked = [0] * seats
    if phase != "over":
        asked[observation.turn_of] = 1
    return State(
        cards=cards,
        options=observation.options,
        seats=seats,
        seed=rng.getrandbits(128).to_bytes(16, "big"),
        drawn=0,
        first_seat=observation.first_seat,
        last_turn=observation.last_round * seats,
        seat=observation.turn_of,
        turns=observation.turns,
        actions_left=observation.actions_left,
        exchanged=observation.exchanged,
        heart=observation.heart,
        trust=[view.trust for view in views],
        hands=hands,
        known=[sum([1 << card for card in view.known_hand]) for view in views],
        strips=strips,
        shapes=[sum([place * len(strip) for place, strip in zip(PLACE, view.strips, strict=True)]) for view in views],
        deck=deck,
        discard=list(observation.discard),
        story=observation.story,
        scouted=scouted,
        effects=() if publishing is None else sum((effects[c] for c in observation.story[-1].cards), ()),
        step=0 if publishing is None else publishing.effects_begun,
        pushed=publishing is not None and publishing.pushed,
        origin=origin,
        shuffles=max(0, len(observation.hidden) - 1),
        asked=asked,
        forfeited=sum([1 << each for each, view in enumerate(views) if view.forfeited]),
        outcome=observation.outcome,
        pending=() if phase == "over" else ((observation.turn_of, PHASES.index(phase), 0),),
    )


def clone(state: State) -> State:
    """A copy that shares only what no verb changes in place."""
    new = State.__new__(State)
    new.cards = state.cards
    new.options = state.options
    new.seats = state.seats
    new.seed = state.seed
    new.drawn = state.drawn
    new.first_seat = state.first_seat
    new.last_turn = state.last_turn
    new.seat = state.seat
    new.turns = state.turns
    new.actions_left = state.actions_left
    new.exchanged = state.exchanged
    new.heart = state.heart
    new.trust = state.trust[:]
    new.hands = [hand[:] for hand in state.hands]
    new.known = state.known[:]
    new.strips = state.strips[:]
    new.shapes = state.shapes[:]
    new.deck = state.deck[:]
    new.discard = state.discard[:]
    new.story = state.story
    new.scouted = state.scouted[:]
    new.effects = state.effects
    new.step = state.step
    new.pushed = state.pushed
    new.origin = state.origin
    new.shuffles = state.shuffles
    new.asked = state.asked[:]
    new.forfeited = state.forfeited
    new.outcome = state.outcome
    new.pending = state.pending
    return new
