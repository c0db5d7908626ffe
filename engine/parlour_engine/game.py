"""What a game is: a frozen record of functions over a small mutable state.

The vocabulary, once. A *game* is a rule set, a *match* one playing of it, a *seat* a place in it (0-based). The
*state* is the full truth; an *observation* is all that one seat (None: a spectator) may know. ``pending`` lists the
*decisions* that seats owe; an *action* answers one; ``apply`` changes the state and reports *facts*: events, each
with what every viewer sees of it.

Inside, actions are small integers of a fixed space per (game, seats) and decision kinds are indices into ``kinds``;
names and typed forms are for the edge.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from .data import Shelf

P = TypeVar("P")
"""Options: a frozen dataclass whose fields are plain JSON values."""
S = TypeVar("S")
"""State: a slotted class with at least ``seed: bytes`` and ``drawn: int``."""
A = TypeVar("A")
"""Action: a union of frozen dataclasses, told apart by ``type: Literal[...]``."""
O = TypeVar("O")
"""Observation: a frozen dataclass with at least ``seat: int | None`` and ``options``."""
E = TypeVar("E")
"""Event: a union of frozen dataclasses, told apart by ``type: Literal[...]``."""


class Pending(NamedTuple):
    """One decision that a seat owes. ``number`` counts that seat's own decisions of the match, from 0."""

    seat: int
    kind: int
    number: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of decision: its name on the wire, a sentence for a screen, and whether it answers in secret.

    ``answering`` decisions (a reply to an offer, a secret card) are never played or skipped by themselves, and a house
    bot takes them at a time drawn without looking at its hand. [CM-6]
    """

    name: str
    prompt: str
    answering: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended: who won (nobody is possible), scores by seat where the game has them, and why."""

    winners: tuple[int, ...]
    scores: tuple[int, ...] | None
    reason: str
    text: str


class Fact(NamedTuple):
    """One thing that happened. ``private`` names what some seats see instead; None: that viewer sees nothing."""

    public: Any
    private: tuple[tuple[int, Any], ...] = ()

    def seen_by(self, viewer: int | None) -> Any:
        """The event as this viewer sees it, or None."""
        for seat, event in self.private:
            if seat == viewer:
                return event
        return self.public


Log = list[Fact]


@dataclass(frozen=True, slots=True)
class Bot(Generic[O]):
    """A house bot. ``choose(observation, legal_actions, rng)`` gives one of the legal actions."""

    id: str
    title: str
    strength: str
    choose: Callable[[O, Sequence[int], random.Random], int]


@dataclass(frozen=True)
class Game(Generic[P, S, A, O, E]):
    """A rule set: its data first, then its verbs in a fixed order. Arguments: state, seat, action, then rng."""

    slug: str
    title: str
    version: str  # changes with every change of rules, data or stored form: a match is played under the one it began
    summary: str
    seats: range
    kinds: tuple[Kind, ...]
    options_type: type[P]
    action_type: Any
    observation_type: type[O]
    event_type: Any
    decks: Shelf[Any]
    bots: tuple[Bot[O], ...]

    check_options: Callable[[int, P], None]
    """(seats, options): raises BadOption where types cannot say it (a first seat that does not exist)."""
    actions: Callable[[int], tuple[A, ...]]
    """(seats): the whole action space; an action's number is its place here. Cached; never changes within a version."""
    label: Callable[[O, int], str]
    """(observation, action): a short text for a button, from what that seat may know."""
    deal: Callable[[int, P, bytes], S]
    """(seats, options, seed): the first state. [CM-3]"""
    pending: Callable[[S], Sequence[tuple[int, int, int]]]
    """(state): the decisions owed, as (seat, kind, number); empty when the match is over."""
    legal_actions: Callable[[S, int], Sequence[int]]
    """(state, seat): ascending, never empty for a seat that owes a decision; the one definition of legal. [CM-4]"""
    apply: Callable[[S, int, int, Log | None], bool]
    """(state, seat, action, log): changes the state in place; True if the seat learnt something new (a list of actions
    ends there, CM-4). Facts go to ``log`` unless it is None. Does not judge: ask ``legal_actions`` first."""
    observe: Callable[[S, int | None], O]
    """(state, seat): all that the seat (None: a spectator) may know. [CM-7]"""
    determinize: Callable[[O, random.Random], S]
    """(observation, rng): a whole state that the observation cannot rule out."""
    clone: Callable[[S], S]
    default_action: Callable[[S, int], int]
    """(state, seat): from public facts and the decision's kind only. [CM-11]"""
    explain: Callable[[O, int], str]
    """(observation, action): which rule forbids the action now, in words, from what the seat may know."""
    forfeit: Callable[[S, int, Log | None], None]
    """(state, seat, log): the seat can no longer win; may end the match. [CM-12]"""
    outcome: Callable[[S], Outcome | None]
    dump: Callable[[S], dict[str, Any]]
    """(state): its stored form, plain JSON values."""
    load: Callable[[dict[str, Any]], S]
    """(stored): the state; raises StateUnreadable, never misreads."""
    public_data: Callable[[P], dict[str, Any]]
    """(options): cards, boards and decks for screens, plain JSON values; nothing of any match."""


AnyGame = Game[Any, Any, Any, Any, Any]


def owed_by(game: AnyGame, state: Any, seat: int) -> Pending | None:
    """The decision that this seat owes now, or None."""
    for entry in game.pending(state):
        if entry[0] == seat:
            return Pending(*entry)
    return None


def random_match(game: AnyGame, state: Any, rng: random.Random) -> Iterator[tuple[int, int, Any]]:
    """Play random legal actions to the end; yields (seat, action, state) before each is applied."""
    while owed := game.pending(state):
        seat = owed[int(rng.random() * len(owed))][0] if len(owed) > 1 else owed[0][0]
        legal = game.legal_actions(state, seat)
        action = legal[int(rng.random() * len(legal))]
        yield seat, action, state
        game.apply(state, seat, action, None)
