"""What a seat may know, and the worlds that it cannot rule out."""

from __future__ import annotations

import random
from typing import TypeVar

from . import known
from .decks import SHELF
from .profile import COVERED, DOUBLED, NOTHING, READ, SEEN, SPACES_IN, Profile, profile_of
from .rules import matchable
from .state import (
    CARD_NUMBER,
    CARDS,
    GHOSTED,
    LOVE_TRIANGLE,
    MATCH,
    PHASES,
    Card,
    MatchView,
    Observation,
    PlayerView,
    Space,
    State,
)

T = TypeVar("T")


def observe(state: State, seat: int | None) -> Observation:
    """[LD-6] Open: Boos face up, profiles, matches, the discard pile, sizes. Own: hand, Endgame card, what it learnt.

    Of the pool everybody knows which Boos were put under it together; their order nobody. [LD-38]
    """
    cards = state.cards
    boo_ids = cards.boo_ids
    *known_in, somewhere = known.of(state.known, known.PUBLIC if seat is None else seat)
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
        phase=PHASES[state.phase],
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
    if counts == known.NO_COUNTS:
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
    number = CARD_NUMBER
    boo_number = cards.boo_number
    state = State()
    state.seats = seats
    state.options = observation.options
    state.cards = cards
    state.seed = rng.getrandbits(128).to_bytes(16, "big")
    state.drawn = 0
    state.phase = phase = PHASES.index(observation.phase)
    state.turn = turn = observation.turn
    state.turns = observation.turns
    state.outcome = observation.outcome
    state.numbers = numbers = [0] * seats
    if observation.outcome is None:
        numbers[turn] = 1
        state.pending = ((turn, phase, 0),)
    else:
        state.pending = ()
    state.discard = [number[card] for card in observation.discard]
    state.face_up = [boo_number[boo] for boo in observation.face_up]
    state.groups = tuple([len(group) for group in observation.pool])
    state.pool = []
    for group in reversed(observation.pool):
        state.pool += _shuffled([boo_number[boo] for boo in group], rng)
    state.emptied = observation.emptied
    state.to_empty = observation.to_empty
    state.among = 0
    for space in observation.among:
        state.among |= 1 << space
    state.giving = -1 if observation.giving is None else observation.giving

    unseen = list(cards.packs[seats])
    for kind in state.discard:
        unseen[kind] -= 1
    if observation.phase in ("swap_give", "swap_take"):
        unseen[LOVE_TRIANGLE] -= 1  # it lies on the table until the swap is done
    state.profiles = [profile_of(_codes(player.profile, unseen), cards.hobbies_spaces) for player in players]
    matches: list[tuple[int, ...]] = [()] * seats
    state.matches = matches
    state.ghosted = [-1] * seats
    state.was_ghosted = state.forfeited = 0
    state.hands = hands = []
    state.known = known.nothing()
    viewer = known.PUBLIC if seat is None else seat
    for each, player in enumerate(players):
        if player.matches:
            matches[each] = tuple([boo_number[match.boo] for match in player.matches])
            for match in player.matches:
                if match.ghosted:
                    state.ghosted[each] = boo_number[match.boo]
                    unseen[GHOSTED] -= 1
        state.was_ghosted |= player.was_ghosted << each
        state.forfeited |= player.forfeited << each
        if each == seat:
            hands.append([number[card] for card in observation.hand or ()])
        else:
            hands.append([number[card] for card in player.known_hand])
            for kind in hands[each]:
                known.learn(state.known, (viewer,), each, kind)
        for kind in hands[each]:
            unseen[kind] -= 1
    if observation.known_among_others:
        places = [hand for hand, player in zip(hands, players, strict=True) for _ in range(len(hand), player.hand_size)]
        for card, place in zip(observation.known_among_others, _shuffled(places, rng), strict=False):
            kind = number[card]
            unseen[kind] -= 1
            place.append(kind)
            known.learn(state.known, (viewer,), known.SOMEWHERE, kind)
    hidden: list[int] = []
    for kind, count in enumerate(unseen):
        if count:
            hidden += [kind] * count
    hidden = _shuffled(hidden, rng)
    for each, player in enumerate(players):
        hand = hands[each]
        if each != seat:
            if more := player.hand_size - len(hand):
                hand += hidden[-more:]
                del hidden[-more:]
            hand.sort()
    state.deck = hidden
    state.endgame = _endgames(observation, rng)
    state.matchable = matchable(state, turn) if phase == MATCH and observation.outcome is None else ()
    return state


def _codes(spaces: tuple[Space | None, ...], unseen: list[int]) -> bytes:
    """A profile's bytes; its cards are no longer unseen."""
    codes = bytearray(NOTHING)
    for at, space in enumerate(spaces):
        if space is not None:
            kind = CARD_NUMBER[space.card]
            unseen[kind] -= 1
            code = kind + 1
            if space.boost is not None:
                unseen[CARD_NUMBER[space.boost]] -= 1
                code |= DOUBLED if space.boost == "overachiever" else COVERED
            if space.left_on_read:
                unseen[CARD_NUMBER["left_on_read"]] -= 1
                code |= READ
            codes[at] = code
    return bytes(codes)


def _endgames(observation: Observation, rng: random.Random) -> tuple[int, ...]:
    """[LD-6] The viewer's own card and revealed ones as they are, the others any of the rest."""
    cards = SHELF[observation.options.deck]
    rest = list(range(len(cards.endgames)))
    endgame = [-1] * len(observation.players)
    revealed = observation.outcome is not None and observation.outcome.scores is not None
    for each, player in enumerate(observation.players):
        shown = player.endgame if revealed else observation.endgame if each == observation.seat else None
        if shown is not None:
            endgame[each] = cards.endgame_number[shown]
            rest.remove(endgame[each])
    for each, card in enumerate(endgame):
        if card < 0:
            endgame[each] = rest.pop(int(rng.random() * len(rest)))
    return tuple(endgame)


def _shuffled(cards: list[T], rng: random.Random) -> list[T]:
    """In random order: sorted by random keys, faster than ``rng.shuffle``."""
    draw = rng.random
    return sorted(cards, key=lambda _: draw())
