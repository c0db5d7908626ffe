"""What a seat may know, and the worlds that it cannot rule out."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from operator import mul

from .decks import SHELF
from .known import NO_COUNTS, PUBLIC, SOMEWHERE, learnt, nothing, of
from .profile import BYTE, COVERED, DOUBLED, NOTHING, READ, SEEN, SPACES_IN, Profile, profile_of
from .rules import matchable
from .state import (
    CARD_NUMBER,
    CARDS,
    GHOSTED,
    LEFT_ON_READ,
    LOVE_TRIANGLE,
    MATCH,
    OVER,
    PHASES,
    Card,
    MatchView,
    Observation,
    PlayerView,
    Space,
    State,
)

_PHASE_NUMBER = {phase: number for number, phase in enumerate(PHASES)}


def observe(state: State, seat: int | None) -> Observation:
    """[LD-6] Open: Boos face up, profiles, matches, the discard pile, sizes. Own: hand, Endgame card, what it learnt.

    Of the pool everybody knows which Boos were put under it together; their order nobody. [LD-38]
    """
    cards = state.cards
    boo_ids = cards.boo_ids
    *known_in, somewhere = of(state.known, PUBLIC if seat is None else seat)
    # [LD-48] Endgame cards are revealed when the match is scored.
    revealed = state.outcome is not None and state.outcome.scores is not None
    players = []
    for each in range(state.seats):
        profile = state.profiles[each]
        ghosted = state.ghosted[each]
        players.append(
            PlayerView(
                hand_size=len(state.hands[each]),
                known_hand=_cards(known_in[each]),
                profile=tuple([SEEN[code] for code in profile.codes[: _spaces_shown(profile)]]),
                matches=tuple([MatchView(boo_ids[boo], boo == ghosted) for boo in state.matches[each]]),
                was_ghosted=bool(state.was_ghosted >> each & 1),
                endgame=cards.endgames[state.endgame[each]].id if revealed else None,
                forfeited=bool(state.forfeited >> each & 1),
            )
        )
    pool = []
    top = len(state.pool)
    for size in state.groups:
        pool.append(tuple([boo_ids[boo] for boo in sorted(state.pool[top - size : top])]))
        top -= size
    return Observation(
        seat=seat,
        options=state.options,
        phase=PHASES[state.phase if state.outcome is None else OVER],
        turn=state.turn,
        turns=state.turns,
        hand=None if seat is None else tuple([CARDS[kind] for kind in state.hands[seat]]),
        endgame=None if seat is None else cards.endgames[state.endgame[seat]].id,
        players=tuple(players),
        known_among_others=_cards(somewhere),
        face_up=tuple([boo_ids[boo] for boo in state.face_up]),
        pool=tuple(pool),
        deck_size=len(state.deck),
        discard=tuple([CARDS[kind] for kind in state.discard]),
        emptied=state.emptied,
        to_empty=state.to_empty,
        among=SPACES_IN[state.among],
        giving=None if state.giving < 0 else state.giving,
        outcome=state.outcome,
    )


def _cards(counts: bytes) -> tuple[Card, ...]:
    """[CM-7a] Cards known to be in a hand, from a count for each kind."""
    if counts == NO_COUNTS:
        return ()
    return tuple([CARDS[kind] for kind, count in enumerate(counts) for _ in range(count)])


def _spaces_shown(profile: Profile) -> int:
    """[LD-7, LD-30] Five, or more with Lots of Hobbies; while it goes, as far as cards lie."""
    return max(profile.spaces, len(profile.codes.rstrip(b"\0")))


def determinize(observation: Observation, rng: random.Random) -> State:
    """A whole state that fits: cards known to be in a hand lie there, all other unseen cards anywhere, evenly.

    Cards known to be in some hand go first, each into any of the open places.
    """
    players = observation.players
    seats = len(players)
    seat = observation.seat
    cards = SHELF[observation.options.deck]
    boo_number = cards.boo_number
    state = State()
    state.seats = seats
    state.options = observation.options
    state.cards = cards
    state.seed = rng.getrandbits(128).to_bytes(16, "big")
    state.drawn = 0
    state.phase = phase = _PHASE_NUMBER[observation.phase]
    state.turn = turn = observation.turn
    state.turns = observation.turns
    state.outcome = observation.outcome
    state.numbers = [0] * seats
    state.pending = ()
    if observation.outcome is None:
        state.numbers[turn] = 1
        state.pending = ((turn, phase, 0),)
    state.discard = _kinds(observation.discard)
    state.face_up = [boo_number[boo] for boo in observation.face_up]
    state.groups = tuple([len(group) for group in observation.pool])
    draw = rng.random

    def any_order(_: object) -> float:
        """A key to sort by, faster than ``rng.shuffle``."""
        return draw()

    state.pool = pool = []
    for group in reversed(observation.pool):
        pool += sorted(map(boo_number.__getitem__, group), key=any_order)
    state.emptied = observation.emptied
    state.to_empty = observation.to_empty
    state.among = 0
    for space in observation.among:
        state.among |= 1 << space
    state.giving = -1 if observation.giving is None else observation.giving

    seen = state.discard[:]
    state.profiles = profiles = []
    matches: list[tuple[int, ...]] = [()] * seats
    state.matches = matches
    state.ghosted = [-1] * seats
    state.was_ghosted = state.forfeited = 0
    state.hands = hands = []
    state.known = nothing()
    viewer = (PUBLIC if seat is None else seat,)
    for each, player in enumerate(players):
        profiles.append(_profile(player.profile, cards.hobbies_spaces, seen))
        for match in player.matches:
            boo = boo_number[match.boo]
            matches[each] += (boo,)
            if match.ghosted:
                state.ghosted[each] = boo
                seen.append(GHOSTED)
        if player.was_ghosted:
            state.was_ghosted |= 1 << each
        if player.forfeited:
            state.forfeited |= 1 << each
        if each == seat:
            hand = _kinds(observation.hand or ())
        else:
            hand = _kinds(player.known_hand)
            for kind in hand:
                state.known[kind] = learnt(state.known[kind], viewer, each)
        hands.append(hand)
        seen += hand
    if observation.known_among_others:
        places = [hand for hand, player in zip(hands, players, strict=True) for _ in range(len(hand), player.hand_size)]
        among_others = _kinds(observation.known_among_others)
        seen += among_others
        for kind, place in zip(among_others, sorted(places, key=any_order), strict=False):
            place.append(kind)
            state.known[kind] = learnt(state.known[kind], viewer, SOMEWHERE)
    unseen = list(cards.packs[seats])
    for kind in seen:
        unseen[kind] -= 1
    if sum(unseen) > observation.deck_size + sum(player.hand_size for player in players) - sum(map(len, hands)):
        unseen[LOVE_TRIANGLE] -= 1  # it lies on the table until the swap is done, and stays there if a forfeit ends it
    hidden = sorted(b"".join(map(mul, BYTE, unseen)), key=any_order)
    for each, player in enumerate(players):
        if each != seat:
            hand = hands[each]
            if more := player.hand_size - len(hand):
                hand += hidden[-more:]
                del hidden[-more:]
            hand.sort()
    state.deck = hidden
    state.endgame = _endgames(observation, cards.endgame_number, draw)
    state.matchable = matchable(state, turn) if phase == MATCH else ()
    return state


def _kinds(cards: Sequence[str]) -> list[int]:
    return list(map(CARD_NUMBER.__getitem__, cards))


def _profile(spaces: tuple[Space | None, ...], hobbies_spaces: int, seen: list[int]) -> Profile:
    """A profile; its cards are seen."""
    codes = bytearray(NOTHING)
    for at, space in enumerate(spaces):
        if space is not None:
            kind = CARD_NUMBER[space.card]
            seen.append(kind)
            code = kind + 1
            if space.boost is not None:
                seen.append(CARD_NUMBER[space.boost])
                code |= DOUBLED if space.boost == "overachiever" else COVERED
            if space.left_on_read:
                seen.append(LEFT_ON_READ)
                code |= READ
            codes[at] = code
    return profile_of(bytes(codes), hobbies_spaces)


def _endgames(observation: Observation, number: dict[str, int], draw: Callable[[], float]) -> tuple[int, ...]:
    """[LD-6] The viewer's own card and revealed ones as they are, the others any of the rest."""
    shown: list[str | None] = [None] * len(observation.players)
    if observation.outcome is not None and observation.outcome.scores is not None:
        shown = [player.endgame for player in observation.players]
    elif observation.seat is not None:
        shown[observation.seat] = observation.endgame
    rest = list(range(len(number)))
    for card in shown:
        if card is not None:
            rest.remove(number[card])
    return tuple([rest.pop(int(draw() * len(rest))) if card is None else number[card] for card in shown])
