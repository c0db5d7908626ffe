"""Love Is Dead tables set up by hand: every card of the deck is somewhere, the rest of it in the deck."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour_engine.check import seed_of
from parlour_engine.game import Log
from parlour_engine.games.love_is_dead import GAME, known
from parlour_engine.games.love_is_dead.decks import Deck, parse
from parlour_engine.games.love_is_dead.profile import COVERED, DOUBLED, READ, cards_of, profile_of
from parlour_engine.games.love_is_dead.rules import matchable
from parlour_engine.games.love_is_dead.state import (
    CARD_KINDS,
    CARD_NUMBER,
    CARDS,
    LOVE_TRIANGLE,
    MATCH,
    MOST_SPACES,
    PHASES,
    Options,
    State,
)

ON_TOP = {"overachiever": DOUBLED, "mysterious_stranger": COVERED, "left_on_read": READ}
FILLER = (*CARDS[:8], *CARDS[18:21])  # what unnamed hands are made of: nothing that needs a target


HOUSE_FILE = Path(inspect.getfile(Deck)).parent / "decks" / "house.json"


def house() -> dict[str, Any]:
    """The house deck's data."""
    data: dict[str, Any] = json.loads(HOUSE_FILE.read_text())
    return data


def deck_with(wants: Sequence[str]) -> Deck:
    """The house deck, but Barry Alive wants these traits."""
    data = house()
    data["boos"][0]["wants"] = list(wants)
    return parse("mine", "", data)


def code_of(space: str) -> int:
    """A space's byte, from words: "" or "soulful" or "soulful+overachiever+left_on_read"."""
    if not space:
        return 0
    card, *on_top = space.split("+")
    return CARD_NUMBER[card] + 1 + sum(ON_TOP[each] for each in on_top)


def table(
    seats: int = 2,
    *,
    phase: str = "play",
    turn: int = 0,
    hands: Mapping[int, Sequence[str]] = {},
    profiles: Mapping[int, Sequence[str]] = {},
    matches: Mapping[int, Sequence[str]] = {},
    ghosted: Mapping[int, str] = {},
    endgame: Mapping[int, str] = {},
    face_up: Sequence[str] | None = None,
    pool_top: Sequence[str] = (),
    deck_top: Sequence[str] = (),
    deck_size: int | None = None,
    discard: Sequence[str] = (),
    cards: Deck | None = None,
    **more: Any,
) -> State:
    """A state in which ``turn`` owes the decision of ``phase``. ``deck_size`` puts the rest on the discard pile.

    ``more``: other fields of the state, by name.
    """
    state = GAME.deal(seats, Options(first_seat=turn), seed_of(seats))
    cards = state.cards = cards or state.cards
    left = Counter(dict(enumerate(cards.packs[seats])))

    def taken(names: Sequence[str]) -> list[int]:
        kinds = [CARD_NUMBER[name] for name in names]
        left.subtract(kinds)
        assert min(left.values()) >= 0, "more copies than there are"
        return kinds

    for seat in range(seats):
        codes = [code_of(space) for space in profiles.get(seat, ())]
        for code in codes:
            left.subtract(cards_of(code))
        state.profiles[seat] = profile_of(bytes(codes + [0] * (MOST_SPACES - len(codes))), cards.hobbies_spaces)
        state.matches[seat] = tuple(cards.boo_number[boo] for boo in matches.get(seat, ()))
        if seat in ghosted:
            state.ghosted[seat] = cards.boo_number[ghosted[seat]]
            state.was_ghosted |= 1 << seat
            left.subtract([CARD_NUMBER["ghosted"]])
    state.discard = taken(discard)
    top = taken(deck_top)
    state.hands = [sorted(taken(hands[seat])) if seat in hands else [] for seat in range(seats)]
    if phase in ("swap_give", "swap_take"):
        left.subtract([LOVE_TRIANGLE])
    for seat in range(seats):
        if seat not in hands:
            spare = [kind for kind in map(CARD_NUMBER.__getitem__, FILLER) for _ in range(left[kind])]
            state.hands[seat] = sorted(spare[:: max(1, len(spare) // 3)][:3])
            left.subtract(state.hands[seat])
    rest = sorted(left.elements(), key=lambda kind: (kind * 7) % CARD_KINDS)
    keep = len(rest) if deck_size is None else deck_size - len(top)
    state.deck = rest[len(rest) - keep :] + top[::-1]
    state.discard = rest[: len(rest) - keep] + state.discard

    boos = list(range(len(cards.boos)))
    for taken_boos in state.matches:
        for boo in taken_boos:
            boos.remove(boo)
    if face_up is not None:
        state.face_up = [cards.boo_number[boo] for boo in face_up]
    else:
        state.face_up = [boo for boo in state.face_up if boo in boos]
    for boo in state.face_up:
        boos.remove(boo)
    first = [cards.boo_number[boo] for boo in pool_top]
    state.pool = [boo for boo in boos if boo not in first] + first[::-1]
    state.groups = (len(state.pool),) if state.pool else ()

    given = {seat: cards.endgame_number[card] for seat, card in endgame.items()}
    others = iter([card for card in range(len(cards.endgames)) if card not in given.values()])
    state.endgame = tuple(given[seat] if seat in given else next(others) for seat in range(seats))

    state.phase = PHASES.index(phase)  # type: ignore[arg-type]
    state.pending = ((turn, state.phase, 0),)
    for name, value in more.items():
        setattr(state, name, value)
    state.matchable = matchable(state, turn) if state.phase == MATCH else ()
    conserved(state)
    return state


def conserved(state: State) -> None:
    """Every card is in exactly one place."""
    seen = Counter(state.deck + state.discard)
    for seat in range(state.seats):
        seen.update(state.hands[seat])
        for code in state.profiles[seat].codes:
            seen.update(cards_of(code))
        seen[CARD_NUMBER["ghosted"]] += state.ghosted[seat] >= 0
    if PHASES[state.phase] in ("swap_give", "swap_take"):
        seen[LOVE_TRIANGLE] += 1
    pack = Counter({kind: count for kind, count in enumerate(state.cards.packs[state.seats]) if count})
    assert +seen == pack, f"too many: {seen - pack}, missing: {pack - seen}"
    boos = Counter(state.pool + state.face_up + [boo for each in state.matches for boo in each])
    assert boos == Counter(range(len(state.cards.boos)))
    assert sum(state.groups) == len(state.pool)


def tell(state: State, viewer: int, holder: int, *cards: str) -> None:
    """The viewer (a seat, or known.PUBLIC) learns that the holder has these cards."""
    for card in cards:
        kind = CARD_NUMBER[card]
        state.known[kind] = known.learnt(state.known[kind], (viewer,), holder)


def legal(state: State) -> list[Any]:
    """The legal actions of the seat whose turn it is, in their typed form."""
    return [GAME.actions(state.seats)[action] for action in GAME.legal_actions(state, state.turn)]


def number(action: Any) -> int:
    """The number of a typed action."""
    return GAME.actions(5).index(action)


def do(state: State, *actions: Any) -> list[Any]:
    """Apply typed actions, each of which must be legal; the events as everybody sees them."""
    log: Log = []
    for action in actions:
        assert action in legal(state), f"{action} is not legal: {legal(state)}"
        GAME.apply(state, state.turn, number(action), log)
        conserved(state)
    return [fact.public for fact in log]


def phase(state: State) -> str:
    """What is asked now."""
    return PHASES[state.phase] if state.pending else "over"


def hand(state: State, seat: int) -> list[str]:
    return [CARDS[kind] for kind in state.hands[seat]]


def profile(state: State, seat: int) -> list[str]:
    """The spaces in words, as ``table`` takes them."""
    return ["+".join(CARDS[kind] for kind in cards_of(code)) for code in state.profiles[seat].codes]


def top(state: State, count: int = 1) -> list[str]:
    """The last cards of the discard pile."""
    return [CARDS[kind] for kind in state.discard[-count:]]


def explain(state: State, action: Any) -> str:
    return GAME.explain(GAME.observe(state, state.turn), number(action))
