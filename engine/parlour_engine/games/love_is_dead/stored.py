"""Copies of a state: a clone for search, and the stored form.

The stored form is a promise: ``FORM`` changes with every change of it, and a state of another form, of a deck that
has changed, or with anything missing is refused, never misread.
"""

from __future__ import annotations

from typing import Any

from ...errors import BadOption, StateUnreadable
from ...game import Outcome
from .decks import SHELF
from .known import SQUARE
from .profile import profile_of
from .rules import matchable
from .state import MATCH, Options, State

FORM = 1

_PLAIN = (
    "seats",
    "drawn",
    "phase",
    "turn",
    "turns",
    "numbers",
    "hands",
    "ghosted",
    "was_ghosted",
    "deck",
    "discard",
    "face_up",
    "pool",
    "emptied",
    "to_empty",
    "among",
    "giving",
    "forfeited",
)
_WORKED = ("form", "deck_name", "deck_digest", "first_seat", "seed", "pending", "profiles", "matches", "endgame")
_FIELDS = {*_PLAIN, *_WORKED, "groups", "known", "outcome"}


def clone(state: State) -> State:
    """An independent copy."""
    copy = State.__new__(State)
    copy.seats = state.seats
    copy.options = state.options
    copy.cards = state.cards
    copy.seed = state.seed
    copy.drawn = state.drawn
    copy.phase = state.phase
    copy.turn = state.turn
    copy.turns = state.turns
    copy.pending = state.pending
    copy.numbers = state.numbers[:]
    copy.hands = [hand[:] for hand in state.hands]
    copy.profiles = state.profiles[:]
    copy.matches = state.matches[:]
    copy.ghosted = state.ghosted[:]
    copy.was_ghosted = state.was_ghosted
    copy.endgame = state.endgame
    copy.deck = state.deck[:]
    copy.discard = state.discard[:]
    copy.face_up = state.face_up[:]
    copy.pool = state.pool[:]
    copy.groups = state.groups
    copy.known = state.known[:]
    copy.emptied = state.emptied
    copy.to_empty = state.to_empty
    copy.among = state.among
    copy.giving = state.giving
    copy.matchable = state.matchable
    copy.forfeited = state.forfeited
    copy.outcome = state.outcome
    return copy


def dump(state: State) -> dict[str, Any]:
    """The stored form, plain JSON values."""
    outcome = state.outcome
    return {
        "form": FORM,
        "deck_name": state.cards.name,
        "deck_digest": state.cards.digest,
        "first_seat": state.options.first_seat,
        "seed": state.seed.hex(),
        **{name: _copied(getattr(state, name)) for name in _PLAIN},
        "pending": [list(entry) for entry in state.pending],
        "profiles": [profile.codes.hex() for profile in state.profiles],
        "matches": [list(matches) for matches in state.matches],
        "endgame": list(state.endgame),
        "groups": list(state.groups),
        "known": b"".join(state.known).hex(),
        "outcome": outcome
        and {
            "winners": list(outcome.winners),
            "scores": None if outcome.scores is None else list(outcome.scores),
            "reason": outcome.reason,
            "text": outcome.text,
        },
    }


def load(stored: dict[str, Any]) -> State:
    """The state of a stored form."""
    if stored.get("form") != FORM:
        raise StateUnreadable(f"stored form {stored.get('form')!r}, this version reads {FORM}")
    if set(stored) != _FIELDS:
        raise StateUnreadable(f"fields differ: {', '.join(sorted(set(stored) ^ _FIELDS))}")
    try:
        cards = SHELF[stored["deck_name"]]
    except BadOption as error:
        raise StateUnreadable(str(error)) from error
    if cards.digest != stored["deck_digest"]:
        raise StateUnreadable(f"the deck {cards.name!r} has changed since this match began")
    state = State()
    for name in _PLAIN:
        setattr(state, name, _copied(stored[name]))
    state.options = Options(deck=stored["deck_name"], first_seat=stored["first_seat"])
    state.cards = cards
    state.seed = bytes.fromhex(stored["seed"])
    state.pending = tuple((seat, kind, number) for seat, kind, number in stored["pending"])
    state.profiles = [profile_of(bytes.fromhex(codes), cards.hobbies_spaces) for codes in stored["profiles"]]
    state.matches = [tuple(matches) for matches in stored["matches"]]
    state.endgame = tuple(stored["endgame"])
    state.groups = tuple(stored["groups"])
    table = bytes.fromhex(stored["known"])
    state.known = [table[at : at + SQUARE] for at in range(0, len(table), SQUARE)]
    ended = stored["outcome"]
    state.outcome = ended and Outcome(
        tuple(ended["winners"]),
        None if ended["scores"] is None else tuple(ended["scores"]),
        ended["reason"],
        ended["text"],
    )
    state.matchable = matchable(state, state.turn) if state.pending and state.phase == MATCH else ()
    return state


def _copied(value: Any) -> Any:
    """A number, or a list of numbers or of lists, that shares nothing with the other side."""
    return [_copied(each) for each in value] if isinstance(value, list) else value
