"""The stored form of a state, and of the public record's entries.

A stored match is a promise: the meaning of ``FORM`` 1 never changes; another form gets another number, and ``load``
reads it or refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ...errors import EngineError, StateUnreadable
from ...options import parse_options
from .cards import CARDS, DATE_CARDS, KIND_OF, K
from .names import REASONS, TURN_ACTIONS, TURN_OF
from .season import SEASONS
from .state import State, blank_state
from .views import Coded, DateEntry, Entry, OfferEntry, Options, Throw, TurnEntry

FORM = 1

NUMBERS = (
    "drawn", "wrong", "episode", "viewership", "main", "next_main", "taken", "coupled", "heads", "turn", "action",
    "target", "cost_left", "card", "agreed", "used", "countered", "offer_target", "offer_share", "offer_counter",
    "date_size", "date_reason", "date_mask", "laid", "sat_out", "forfeited", "ending", "winners",
)  # fmt: skip
LISTS = ("masks", "sizes", "deck", "discard", "partner", "numbers")
BYTES = ("hands", "shown")
TUPLES = ("paid", "broken", "drawn_two", "aside", "swapped", "dates", "pending")


def dump(state: State) -> dict[str, Any]:
    """A state as plain JSON values."""
    stored: dict[str, Any] = {"form": FORM, "seats": state.seats, "seed": state.seed.hex()}
    chosen = state.options.contestants
    stored["options"] = {name: getattr(state.options, name) for name in Options.__slots__}
    stored["options"]["contestants"] = None if chosen is None else list(chosen)
    stored["digest"] = state.season.digest
    for name in NUMBERS:
        stored[name] = getattr(state, name)
    for name in (*LISTS, *BYTES):
        stored[name] = list(getattr(state, name))
    for name in TUPLES:
        stored[name] = _plain(getattr(state, name))
    stored["looked"] = f"{state.looked:x}"  # a bit for each pair of seats: too many for a JSON number
    stored["known"] = {str(key): list(counts) for key, counts in sorted(state.known.items())}
    stored["overheard"] = [[*head, list(counts)] for *head, counts in state.overheard]
    stored["record"] = [*map(_plain, map(encode_entry, state.past)), *map(_plain, state.record)]
    return stored


def load(stored: dict[str, Any]) -> State:
    """The state of a stored form; StateUnreadable says why not."""
    try:
        if stored["form"] != FORM:
            raise StateUnreadable(f"lovestruck: stored form {stored['form']!r}, this version reads {FORM}")
        options = parse_options(Options, stored["options"])
        if stored["digest"] != SEASONS[options.deck].digest:
            raise StateUnreadable(f"lovestruck: deck {options.deck!r} is not the one that the match began with")
        seats = stored["seats"]
        state = blank_state(seats, options, bytes.fromhex(stored["seed"]))
        for name in NUMBERS:
            setattr(state, name, _int(stored[name]))
        for name in LISTS:
            if any(type(each) is not int for each in stored[name]):
                raise TypeError(f"{name} must hold whole numbers")
            setattr(state, name, list(stored[name]))
        for name in BYTES:
            if len(stored[name]) != seats * K:
                raise ValueError(f"{name} must hold {seats * K} counts")
            setattr(state, name, bytearray(stored[name]))
        for name in TUPLES:
            setattr(state, name, _frozen(stored[name]))
        state.looked = int(stored["looked"], 16)
        state.known = {int(key): bytes(counts) for key, counts in stored["known"].items()}
        state.overheard = tuple((*head, bytes(counts)) for *head, counts in stored["overheard"])
        state.record = [_frozen(entry) for entry in stored["record"]]
    except (KeyError, TypeError, ValueError, AttributeError, EngineError) as error:
        if isinstance(error, StateUnreadable):
            raise
        raise StateUnreadable(f"lovestruck: {type(error).__name__}: {error}") from error
    return state


def _plain(values: Any) -> list[Any]:
    """Tuples of numbers and tuples, as lists."""
    return [_plain(each) if type(each) is tuple else each for each in values]


def _frozen(values: Any) -> tuple[Any, ...]:
    """Lists of numbers and lists, as tuples; nothing else passes."""
    return tuple([each if type(each) is int else _frozen(_list(each)) for each in values])


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError(f"{value!r} is neither a whole number nor a list")
    return value


def _int(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a whole number")
    return value


def clone(state: State) -> State:
    """A copy that shares nothing that changes."""
    new = State.__new__(State)
    new.seed = state.seed
    new.drawn = state.drawn
    new.seats = state.seats
    new.options = state.options
    new.season = state.season
    new.space = state.space
    new.wrong = state.wrong
    new.episode = state.episode
    new.viewership = state.viewership
    new.main = state.main
    new.next_main = state.next_main
    new.taken = state.taken
    new.hands = state.hands[:]
    new.masks = state.masks[:]
    new.sizes = state.sizes[:]
    new.deck = state.deck[:]
    new.discard = state.discard[:]
    new.partner = state.partner[:]
    new.coupled = state.coupled
    new.heads = state.heads
    new.turn = state.turn
    new.action = state.action
    new.target = state.target
    new.paid = state.paid
    new.cost_left = state.cost_left
    new.card = state.card
    new.agreed = state.agreed
    new.broken = state.broken
    new.used = state.used
    new.countered = state.countered
    new.offer_target = state.offer_target
    new.offer_share = state.offer_share
    new.offer_counter = state.offer_counter
    new.drawn_two = state.drawn_two
    new.date_size = state.date_size
    new.date_reason = state.date_reason
    new.date_mask = state.date_mask
    new.laid = state.laid
    new.sat_out = state.sat_out
    new.aside = state.aside
    new.shown = state.shown[:]
    new.known = state.known.copy()
    new.looked = state.looked
    new.overheard = state.overheard
    new.swapped = state.swapped
    new.dates = state.dates
    new.past = state.past
    new.record = state.record[:]
    new.numbers = state.numbers[:]
    new.pending = state.pending
    new.forfeited = state.forfeited
    new.ending = state.ending
    new.winners = state.winners
    return new


# The public record. Coded: (0, episode, seat, action, target, paid, card, agreed, broken), (1, episode, seat, target,
# share, counter, agreed), (2, episode, seat, reason, mask, sat-out mask, thrown, cards); -1 stands for null.


@lru_cache(maxsize=1 << 16)
def decode_entry(coded: Coded) -> Entry:
    """An entry for observations; equal entries are one object."""
    values: Any = coded
    kind, episode, *rest = values
    entry: Entry = _DECODERS[kind](episode + 1, *rest)
    return entry


def _turn_entry(
    episode: int,
    seat: int,
    action: int,
    target: int,
    paid: tuple[int, ...],
    card: int,
    agreed: int,
    broken: tuple[tuple[int, int], ...],
) -> TurnEntry:
    return TurnEntry(
        episode=episode,
        seat=seat,
        action=TURN_ACTIONS[action],
        target=None if target < 0 else target,
        paid=tuple(CARDS[kind] for kind in paid),
        card=None if card < 0 else CARDS[card],
        agreed=None if agreed < 0 else agreed == 1,
        broken=broken,
    )


def _offer_entry(episode: int, seat: int, target: int, share: int, counter: int, agreed: int) -> OfferEntry:
    return OfferEntry(
        episode=episode,
        seat=seat,
        target=target,
        share=share,
        counter=None if counter < 0 else counter,
        agreed=agreed == 1,
    )


def _date_entry(
    episode: int,
    seat: int,
    reason: int,
    mask: int,
    sat_out: int,
    thrown: tuple[tuple[int, int], ...],
    cards: tuple[int, ...],
) -> DateEntry:
    return DateEntry(
        episode=episode,
        seat=seat,
        reason=REASONS[reason],
        contestants=tuple(each for each in range(16) if mask >> each & 1),
        sat_out=tuple(each for each in range(16) if sat_out >> each & 1),
        thrown=tuple(Throw(seat=each, card=CARDS[kind]) for each, kind in thrown),  # type: ignore[arg-type]
        cards=tuple(DATE_CARDS[kind] for kind in cards),
    )


_DECODERS: tuple[Callable[..., Entry], ...] = (_turn_entry, _offer_entry, _date_entry)


def encode_entry(entry: Entry) -> Coded:
    """The coded form of an entry."""
    if isinstance(entry, TurnEntry):
        return (
            0,
            entry.episode - 1,
            entry.seat,
            TURN_OF[entry.action],
            -1 if entry.target is None else entry.target,
            tuple(KIND_OF[card] for card in entry.paid),
            -1 if entry.card is None else KIND_OF[entry.card],
            -1 if entry.agreed is None else int(entry.agreed),
            entry.broken,
        )
    if isinstance(entry, OfferEntry):
        counter = -1 if entry.counter is None else entry.counter
        return (1, entry.episode - 1, entry.seat, entry.target, entry.share, counter, int(entry.agreed))
    return (
        2,
        entry.episode - 1,
        entry.seat,
        REASONS.index(entry.reason),
        sum(1 << seat for seat in entry.contestants),
        sum(1 << seat for seat in entry.sat_out),
        tuple((throw.seat, KIND_OF[throw.card]) for throw in entry.thrown),
        tuple(KIND_OF[card] for card in entry.cards),
    )
