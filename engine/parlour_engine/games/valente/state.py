"""Nouns and numbers of Valente. Nothing is decided here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ...game import Kind, Outcome
from .deck import Deck, Effect

SEATS = range(2, 5)
TRUST_MAX = 5  # VA-3: 0 %, 20 %, 40 %, 60 %, 80 %, and a last space with no number
HAND = 5  # VA-6
ACTIONS = 2  # VA-9
EXCHANGE_MAX = 3  # VA-13
HAND_LIMIT = 7  # VA-14
SCOUTED = 3  # VA-21
LIMITS = {2: 20, 3: 15, 4: 12}  # VA-28: rounds with time, by number of seats

TURN, EXCHANGING, SCOUTING, TEARING, SALVAGING, LIMITING = range(6)
Phase: TypeAlias = Literal["turn", "exchange", "scout", "tear", "salvage", "hand_limit", "over"]
PHASES: tuple[Phase, ...] = ("turn", "exchange", "scout", "tear", "salvage", "hand_limit", "over")
KINDS = (
    Kind("turn", "Buy a card, play a card, or exchange cards."),
    Kind("exchange", "Choose a card to discard, or draw as many as you have discarded."),
    Kind("scout", "You keep one of these cards: choose one to discard."),
    Kind("tear", "Choose an unpublished strip; its last card is discarded."),
    Kind("salvage", "Choose a card to take out of the discard pile."),
    Kind("hand_limit", "Your turn ends with too many cards: choose one to discard."),
)

ENDINGS = {
    "declaration": "Valente has given his heart.",
    "time": "Time ran out, and Valente has given his heart to nobody.",
    "story_told": "Every card that declares lies in the story, and Valente has given his heart to nobody.",
    "rounds": "The limit of rounds is reached, and Valente has given his heart to nobody.",
    "forfeit": "Every other seat has forfeited.",
}


@dataclass(frozen=True, slots=True)
class Options:
    """What a match may choose: the deck, playing with time, how few cards an exchange may have, who begins."""

    deck: str = "house"
    time: bool = True
    exchange_min: Literal[1, 2] = 2
    first_seat: int | None = None


@dataclass(frozen=True, slots=True)
class StoryStrip:
    """A published strip: who published it, and its start, middle and end."""

    seat: int
    cards: tuple[int, ...]


@dataclass(slots=True, eq=False)
class State:
    """The full truth of a match. The top of the deck and of the discard pile is the last of its list."""

    cards: Deck
    options: Options
    seats: int
    seed: bytes
    drawn: int
    first_seat: int
    last_turn: int  # VA-28, VA-30: the match ends after so many turns
    seat: int  # whose turn it is
    turns: int  # turns that have ended
    actions_left: int
    exchanged: int  # cards discarded so far in this exchange
    heart: int  # + is Dama's side
    trust: list[int]
    hands: list[list[int]]  # ascending
    known: list[int]  # by seat, bit c: all know that card c is in that hand (CM-7)
    strips: list[tuple[int, ...]]  # STRIPS places per seat; () is an empty one
    shapes: list[int]  # by seat, see actions.py
    deck: list[int]
    discard: list[int]
    story: tuple[StoryStrip, ...]
    scouted: list[int]  # ascending; the acting seat looks at them
    effects: tuple[Effect, ...]  # of the strip being published
    step: int  # how many of them have begun
    pushed: bool  # VA-19: this strip has already given trust for a push
    origin: list[int]  # by card: 0, or the number of the shuffle that last put it into the deck; replaced, not changed
    shuffles: int
    asked: list[int]  # decisions asked so far, by seat
    forfeited: int  # bit s: seat s
    outcome: Outcome | None
    pending: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody sees of a seat: ``known_hand`` are those cards of its hand that it took openly."""

    trust: int
    hand_size: int
    known_hand: tuple[int, ...]
    strips: tuple[tuple[int, ...], ...]
    forfeited: bool


@dataclass(frozen=True, slots=True)
class Hidden:
    """Cards that lie nowhere openly, as a set: so many of them are in the deck, in each hand, being scouted.

    There is one such set for the first deck and one for each shuffle of the discard pile into a new deck, since
    everybody saw which cards went in. (The cards of your own hand are among them: the other seats do not see them.)
    """

    cards: tuple[int, ...]
    deck: int
    hands: tuple[int, ...]
    scouted: int


@dataclass(frozen=True, slots=True)
class Publishing:
    """The last strip of the story is taking effect: how many effects have begun, and whether a push gave trust."""

    effects_begun: int
    pushed: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one seat (None: a spectator) may know. Places of the discard pile run from the bottom to the top."""

    seat: int | None
    options: Options
    phase: Phase
    turn_of: int
    actions_left: int
    exchanged: int
    turns: int
    round: int
    last_round: int
    first_seat: int
    heart: int
    heart_reach: int
    seats: tuple[SeatView, ...]
    hand: tuple[int, ...]
    scouted: tuple[int, ...]
    scouting: int
    discard: tuple[int, ...]
    deck_size: int
    hidden: tuple[Hidden, ...]
    story: tuple[StoryStrip, ...]
    publishing: Publishing | None
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat's turn began, in that round (from 1)."""

    type: Literal["turn_began"] = field(default="turn_began", kw_only=True)
    seat: int
    round: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat could do nothing with an action."""

    type: Literal["passed"] = field(default="passed", kw_only=True)
    seat: int


@dataclass(frozen=True, slots=True)
class Bought:
    """A seat took the top card of the deck (only that seat sees which) or of the discard pile."""

    type: Literal["bought"] = field(default="bought", kw_only=True)
    seat: int
    source: Literal["deck", "discard"]
    card: int | None


@dataclass(frozen=True, slots=True)
class Laid:
    """A seat laid a card on one of its strips."""

    type: Literal["laid"] = field(default="laid", kw_only=True)
    seat: int
    strip: int
    card: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """A card of a seat went to the top of the discard pile."""

    type: Literal["discarded"] = field(default="discarded", kw_only=True)
    seat: int
    card: int
    reason: Literal["exchange", "hand_limit", "scout", "replaced"]


@dataclass(frozen=True, slots=True)
class Drew:
    """A seat drew cards to end its exchange; only that seat sees which."""

    type: Literal["drew"] = field(default="drew", kw_only=True)
    seat: int
    count: int
    cards: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The discard pile below its top card became the new deck."""

    type: Literal["shuffled"] = field(default="shuffled", kw_only=True)
    cards: int


@dataclass(frozen=True, slots=True)
class Published:
    """A seat finished a strip, and it joined the story."""

    type: Literal["published"] = field(default="published", kw_only=True)
    seat: int
    strip: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HeartMoved:
    """An effect moved the heart so many spaces, perhaps none, and it stands there now."""

    type: Literal["heart_moved"] = field(default="heart_moved", kw_only=True)
    seat: int
    toward: Literal["dama", "princesa"]
    spaces: int
    heart: int


@dataclass(frozen=True, slots=True)
class TrustChanged:
    """A seat's trust changed by an effect, by a push at the end of the heart track, or by a failed declaration."""

    type: Literal["trust_changed"] = field(default="trust_changed", kw_only=True)
    seat: int
    change: int
    trust: int
    reason: Literal["effect", "push", "failed_declaration"]


@dataclass(frozen=True, slots=True)
class Scouted:
    """A seat drew cards to keep one; only that seat sees which."""

    type: Literal["scouted"] = field(default="scouted", kw_only=True)
    seat: int
    count: int
    cards: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Kept:
    """A seat kept the last of the scouted cards; only that seat sees which."""

    type: Literal["kept"] = field(default="kept", kw_only=True)
    seat: int
    card: int | None


@dataclass(frozen=True, slots=True)
class Torn:
    """A seat tore the last card off a strip of ``owner``; it went to the top of the discard pile."""

    type: Literal["torn"] = field(default="torn", kw_only=True)
    seat: int
    owner: int
    strip: int
    card: int


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A seat took a card out of the discard pile."""

    type: Literal["salvaged"] = field(default="salvaged", kw_only=True)
    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Declared:
    """A seat declared Valente's heart. ``love`` is the end at which the heart stands; None: at neither."""

    type: Literal["declared"] = field(default="declared", kw_only=True)
    seat: int
    declaration: Literal["declare", "declare_dama", "declare_princesa"]
    love: Literal["dama", "princesa"] | None
    definitive: bool


@dataclass(frozen=True, slots=True)
class Forfeited:
    """A seat gave up, or was given up: it cannot win any more."""

    type: Literal["forfeited"] = field(default="forfeited", kw_only=True)
    seat: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The match is over; when time ran out, ``text`` is the secret card."""

    type: Literal["ended"] = field(default="ended", kw_only=True)
    winners: tuple[int, ...]
    reason: str
    text: str


Event: TypeAlias = (
    TurnBegan
    | Passed
    | Bought
    | Laid
    | Discarded
    | Drew
    | Shuffled
    | Published
    | HeartMoved
    | TrustChanged
    | Scouted
    | Kept
    | Torn
    | Salvaged
    | Declared
    | Forfeited
    | Ended
)
