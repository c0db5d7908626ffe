"""Options, what one seat sees, and the public record in it. Cards go out as kinds, hands in their fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .cards import Bombshell, Card, DateCard
from .names import DateReason, Ending, Intention, Phase, TurnAction
from .season import EpisodeType


@dataclass(frozen=True, slots=True)
class Options:
    """``first_seat`` is the first Main Character (null: drawn); ``contestants`` are ids of the deck, by seat."""

    deck: str = "house"
    first_seat: int | None = None
    villa_actions: Literal["list", "reference_card"] = "list"
    next_season: bool = False
    contestants: tuple[str, ...] | None = None


# The public record: what the table has seen, compact, for those who reason about each other.


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """A Villa turn. ``card`` was discarded (Steal the Spotlight) or shown (Confessional); ``agreed`` answers a Love
    Letter or a Heart to Heart; ``broken`` are the couples that it ended."""

    type: Literal["turn"] = "turn"
    episode: int = 1
    seat: int = 0
    action: TurnAction = "pass"
    target: int | None = None
    paid: tuple[Card, ...] = ()
    card: Card | None = None
    agreed: bool | None = None
    broken: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class OfferEntry:
    """An offer to couple up. ``share`` is what ``seat`` would pay, ``counter`` what ``target`` would pay instead;
    ``agreed`` is how it ended."""

    type: Literal["offer"] = "offer"
    episode: int = 1
    seat: int = 0
    target: int = 0
    share: int = 0
    counter: int | None = None
    agreed: bool = False


@dataclass(frozen=True, slots=True)
class Throw:
    """A Bombshell thrown on a date."""

    seat: int = 0
    card: Bombshell = "blind_date"


@dataclass(frozen=True, slots=True)
class DateEntry:
    """A date; its place among the dates is the place of one's own card in ``date_cards``. ``cards`` are in the shuffled
    order in which they were turned over; who sat it out laid nothing."""

    type: Literal["date"] = "date"
    episode: int = 1
    seat: int = 0
    reason: DateReason = "episode"
    contestants: tuple[int, ...] = ()
    sat_out: tuple[int, ...] = ()
    thrown: tuple[Throw, ...] = ()
    cards: tuple[DateCard, ...] = ()


Entry = TurnEntry | OfferEntry | DateEntry

Coded = tuple[int | tuple[int | tuple[int, int], ...], ...]
"""An entry as the state keeps it; ``codec.py`` turns one into the other."""


# What one seat sees.


@dataclass(frozen=True, slots=True)
class Split:
    """A split that was offered or countered in this Villa turn and so is used up: ``share`` is the proposer's."""

    target: int = 0
    share: int = 0


@dataclass(frozen=True, slots=True)
class TurnView:
    """The Villa turn under way. ``cost_left``: how many cards of any kind are still to be paid; ``splits`` are used up;
    ``countered``: who has countered already."""

    seat: int = 0
    action: TurnAction | None = None
    target: int | None = None
    paid: tuple[Card, ...] = ()
    cost_left: int = 0
    card: Card | None = None
    agreed: bool | None = None
    broken: tuple[tuple[int, int], ...] = ()
    splits: tuple[Split, ...] = ()
    countered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferView:
    """An offer on the table. ``share`` is what ``seat`` would pay; ``counter``, when the target has countered, what the
    target would pay instead."""

    seat: int = 0
    target: int = 0
    share: int = 0
    counter: int | None = None


@dataclass(frozen=True, slots=True)
class DateView:
    """The date being arranged or under way: ``size`` contestants are chosen by ``seat``. ``answered``: who has laid a
    card; ``your_card`` is your own."""

    seat: int = 0
    reason: DateReason = "episode"
    size: int = 0
    contestants: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    sat_out: tuple[int, ...] = ()
    thrown: tuple[Throw, ...] = ()
    your_card: DateCard | None = None


@dataclass(frozen=True, slots=True)
class SeenHand:
    """A whole hand, as it was when you looked in that episode (Eavesdrop)."""

    episode: int = 1
    seat: int = 0
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Swap:
    """Mixed Signals: ``seat`` gave ``gave`` to ``target`` and took ``took``."""

    episode: int = 1
    seat: int = 0
    target: int = 0
    gave: Card = "love"
    took: Card = "love"


@dataclass(frozen=True, slots=True)
class Observation:
    """All that a seat may know; lists by seat run from seat 0. A spectator's ``seat`` is null, its hand empty.

    ``phase`` is what ``deciding`` seats owe. ``looks`` is who has looked at whose Intention; ``intentions`` holds your
    own and those you looked at, everybody's after the end. ``shown_hands`` are cards that everybody knows to be in a
    hand, ``known_hands`` those that you know of (your own seat: empty); both are lower bounds that count a card laid on
    the date under way. ``date_cards`` are your own cards on the dates so far, null where you laid none.
    """

    seat: int | None
    options: Options
    contestants: tuple[str, ...]
    episode: int
    episode_type: EpisodeType
    viewership: int
    main_character: int
    next_main_character: int | None
    turns_taken: int
    partners: tuple[int | None, ...]
    hand_sizes: tuple[int, ...]
    deck_size: int
    discard: tuple[Card, ...]
    forfeited: tuple[int, ...]
    phase: Phase
    deciding: tuple[int, ...]
    turn: TurnView | None
    offer: OfferView | None
    date: DateView | None
    hand: tuple[Card, ...]
    drawn: tuple[Card, ...]
    looks: tuple[tuple[int, ...], ...]
    intentions: tuple[Intention | None, ...]
    shown_hands: tuple[tuple[Card, ...], ...]
    known_hands: tuple[tuple[Card, ...], ...]
    seen_hands: tuple[SeenHand, ...]
    swaps: tuple[Swap, ...]
    date_cards: tuple[DateCard | None, ...]
    record: tuple[Entry, ...]
    ended: Ending | None
    winners: tuple[int, ...]
