"""Love Is Dead's nouns and numbers; nothing is decided here.

Inside, a card is its kind's place in ``CARDS``, a Boo and an Endgame card its place in the deck file, and an action
its place in ``ACTIONS``. A profile is seven bytes with what they offer (``profile.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ...game import Kind, Outcome

if TYPE_CHECKING:
    from .decks import Deck
    from .profile import Profile

SEATS = range(2, 6)
FACE_UP = {2: 1, 3: 2, 4: 3, 5: 3}  # LD-4
DEALT = 3  # LD-6
DRAWS = 2  # LD-9
HAND_LEAST, HAND_MOST = 3, 5  # LD-14
SPACES = 5  # LD-7
MOST_SPACES = 7  # LD-30
TURNED_UP = 2  # LD-44
EMPTIED = 2  # LD-45
MATCHES_TO_END = 3  # LD-47
BOOS = 22  # LD-1

Trait = Literal[
    "dead_funny", "soulful", "fearless", "paranormally_active", "intellectual", "boo_tiful", "imaginative"
]  # LD-2
Card = Literal[
    "dead_funny",
    "soulful",
    "fearless",
    "paranormally_active",
    "intellectual",
    "boo_tiful",
    "imaginative",
    "wild",
    "catfish",
    "you_flirt",
    "humblebrag",
    "lots_of_hobbies",
    "overachiever",
    "mysterious_stranger",
    "red_flag",
    "emotional_baggage",
    "left_on_read",
    "ghosted",
    "swipe_right",
    "speed_dating",
    "plenty_of_fish",
    "pick_up_line",
    "old_flame",
    "love_triangle",
]
Move = Literal["swipe_right", "speed_dating", "plenty_of_fish", "pick_up_line", "old_flame", "love_triangle"]
Dealbreaker = Literal["red_flag", "emotional_baggage", "left_on_read", "ghosted"]
PairBoost = Literal["overachiever", "mysterious_stranger"]
MatchBoost = Literal["catfish", "you_flirt", "overachiever", "mysterious_stranger"]
Step = Literal["discard", "make_a_move", "swap_give", "swap_take", "play", "overflow", "match", "empty", "hand_limit"]
Phase = Literal[Step, "over"]

TRAITS: tuple[Trait, ...] = get_args(Trait)
CARDS: tuple[Card, ...] = get_args(Card)
DEALBREAKERS: tuple[Dealbreaker, ...] = get_args(Dealbreaker)
PAIR_BOOSTS: tuple[PairBoost, ...] = get_args(PairBoost)
MATCH_BOOSTS: tuple[MatchBoost, ...] = get_args(MatchBoost)
STEPS: tuple[Step, ...] = get_args(Step)
PHASES: tuple[Phase, ...] = get_args(Phase)
CARD_KINDS = len(CARDS)
CARD_NUMBER: dict[str, int] = {card: number for number, card in enumerate(CARDS)}

WILD, CATFISH, FLIRT, HUMBLEBRAG, HOBBIES, OVERACHIEVER, STRANGER = range(7, 14)
RED_FLAG, BAGGAGE, LEFT_ON_READ, GHOSTED = range(14, 18)
SWIPE_RIGHT, SPEED_DATING, PLENTY_OF_FISH, PICK_UP_LINE, OLD_FLAME, LOVE_TRIANGLE = range(18, 24)
USED_CATFISH, USED_FLIRT, USED_OVERACHIEVER, USED_STRANGER = 1, 2, 4, 8  # bits of a set of Boosts used for a match

DISCARD, MOVE, SWAP_GIVE, SWAP_TAKE, PLAY, OVERFLOW, MATCH, EMPTY, LIMIT, OVER = range(10)
KINDS = (
    Kind("discard", "Discard one card"),
    Kind("make_a_move", "Play a Make a Move card, or pass"),
    Kind("swap_give", "Love Triangle: choose the Trait that you give"),
    Kind("swap_take", "Love Triangle: choose the Trait that you take"),
    Kind("play", "Play one Trait, Boost, Dealbreaker or Wild"),
    Kind("overflow", "Lots of Hobbies is gone: empty a space"),
    Kind("match", "It's a match? Choose a Boo, or pass"),
    Kind("empty", "After the match: empty a space"),
    Kind("hand_limit", "Discard down to five cards"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """``deck`` names the data file; ``first_seat`` takes the first turn (left out: drawn). [CM-2]"""

    deck: str = "house"
    first_seat: int | None = None


# Actions, in the order of their numbers.


@dataclass(frozen=True, slots=True)
class Discard:
    """Discard one card from hand."""

    type: Literal["discard"] = "discard"
    card: Card = "dead_funny"


@dataclass(frozen=True, slots=True)
class Pass:
    """No Make a Move card, nothing that can be played, or no match."""

    type: Literal["pass"] = "pass"


@dataclass(frozen=True, slots=True)
class SwipeRight:
    """Make a Move: draw cards."""

    type: Literal["swipe_right"] = "swipe_right"


@dataclass(frozen=True, slots=True)
class SpeedDating:
    """Make a Move: discard your whole hand, draw as many."""

    type: Literal["speed_dating"] = "speed_dating"


@dataclass(frozen=True, slots=True)
class PlentyOfFish:
    """Make a Move: exchange the face-up Boos."""

    type: Literal["plenty_of_fish"] = "plenty_of_fish"


@dataclass(frozen=True, slots=True)
class OldFlame:
    """Make a Move: take this Trait card from the discard pile."""

    type: Literal["old_flame"] = "old_flame"
    card: Trait = "dead_funny"


@dataclass(frozen=True, slots=True)
class LoveTriangle:
    """Make a Move: swap two Traits; which, is asked next."""

    type: Literal["love_triangle"] = "love_triangle"


@dataclass(frozen=True, slots=True)
class GiveTrait:
    """Love Triangle: give the Trait in this space of your profile."""

    type: Literal["give_trait"] = "give_trait"
    space: int = 0


@dataclass(frozen=True, slots=True)
class Play:
    """A Trait, a Wild or an unpaired Boost from your hand into your first empty space."""

    type: Literal["play"] = "play"
    card: Card = "dead_funny"


@dataclass(frozen=True, slots=True)
class Pair:
    """Overachiever or Mysterious Stranger from your hand onto this space of your profile."""

    type: Literal["pair"] = "pair"
    card: PairBoost = "overachiever"
    space: int = 0


@dataclass(frozen=True, slots=True)
class RemoveDealbreaker:
    """A Wild from your hand takes this Dealbreaker off your profile or your match."""

    type: Literal["remove_dealbreaker"] = "remove_dealbreaker"
    card: Dealbreaker = "red_flag"


@dataclass(frozen=True, slots=True)
class Empty:
    """Empty this space of your profile."""

    type: Literal["empty"] = "empty"
    space: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """Match with the Boo in this place of the face-up row, using these Boosts."""

    type: Literal["match"] = "match"
    place: int = 0
    boosts: tuple[MatchBoost, ...] = ()


@dataclass(frozen=True, slots=True)
class RedFlag:
    """Dealbreaker: fill one empty space of that seat's profile."""

    type: Literal["red_flag"] = "red_flag"
    target: int = 0


@dataclass(frozen=True, slots=True)
class EmotionalBaggage:
    """Dealbreaker: fill one empty space of that seat's profile and limit its matches."""

    type: Literal["emotional_baggage"] = "emotional_baggage"
    target: int = 0


@dataclass(frozen=True, slots=True)
class LeftOnRead:
    """Dealbreaker: cover one filled space of that seat's profile."""

    type: Literal["left_on_read"] = "left_on_read"
    target: int = 0
    space: int = 0


@dataclass(frozen=True, slots=True)
class Ghosted:
    """Dealbreaker: lay it on that seat's match, counted from its first."""

    type: Literal["ghosted"] = "ghosted"
    target: int = 0
    match: int = 0


@dataclass(frozen=True, slots=True)
class PickUpLine:
    """Make a Move: take a random card from that seat's hand."""

    type: Literal["pick_up_line"] = "pick_up_line"
    target: int = 0


@dataclass(frozen=True, slots=True)
class TakeTrait:
    """Love Triangle: take the Trait in this space of that seat's profile."""

    type: Literal["take_trait"] = "take_trait"
    target: int = 0
    space: int = 0


Action = (
    Discard
    | Pass
    | SwipeRight
    | SpeedDating
    | PlentyOfFish
    | OldFlame
    | LoveTriangle
    | GiveTrait
    | Play
    | Pair
    | RemoveDealbreaker
    | Empty
    | Match
    | RedFlag
    | EmotionalBaggage
    | LeftOnRead
    | Ghosted
    | PickUpLine
    | TakeTrait
)

BOOST_SETS = 16
DO_DISCARD = 0
DO_PASS = DO_DISCARD + len(CARDS)
DO_SWIPE_RIGHT, DO_SPEED_DATING, DO_PLENTY_OF_FISH = DO_PASS + 1, DO_PASS + 2, DO_PASS + 3
DO_OLD_FLAME = DO_PLENTY_OF_FISH + 1
DO_LOVE_TRIANGLE = DO_OLD_FLAME + len(TRAITS)
DO_GIVE = DO_LOVE_TRIANGLE + 1
DO_PLAY = DO_GIVE + MOST_SPACES
DO_PAIR = DO_PLAY + HOBBIES + 1
DO_REMOVE = DO_PAIR + len(PAIR_BOOSTS) * MOST_SPACES
DO_EMPTY = DO_REMOVE + len(DEALBREAKERS)
DO_MATCH = DO_EMPTY + MOST_SPACES
DO_TARGET = DO_MATCH + BOOS * BOOST_SETS
# One block for each seat that can be a target, so that the space of fewer seats is a beginning of the space of more.
ON_RED_FLAG, ON_BAGGAGE, ON_LEFT_ON_READ = 0, 1, 2
ON_GHOSTED = ON_LEFT_ON_READ + MOST_SPACES
ON_PICK_UP_LINE = ON_GHOSTED + MATCHES_TO_END - 1
ON_TAKE = ON_PICK_UP_LINE + 1
TARGET_BLOCK = ON_TAKE + MOST_SPACES


def boosts_of(used: int) -> tuple[MatchBoost, ...]:
    """The names in a set of used Boosts."""
    return tuple(boost for bit, boost in enumerate(MATCH_BOOSTS) if used >> bit & 1)


def _actions_on(target: int) -> tuple[Action, ...]:
    return (
        RedFlag(target=target),
        EmotionalBaggage(target=target),
        *(LeftOnRead(target=target, space=space) for space in range(MOST_SPACES)),
        *(Ghosted(target=target, match=match) for match in range(MATCHES_TO_END - 1)),
        PickUpLine(target=target),
        *(TakeTrait(target=target, space=space) for space in range(MOST_SPACES)),
    )


ACTIONS: tuple[Action, ...] = (
    *(Discard(card=card) for card in CARDS),
    Pass(),
    SwipeRight(),
    SpeedDating(),
    PlentyOfFish(),
    *(OldFlame(card=trait) for trait in TRAITS),
    LoveTriangle(),
    *(GiveTrait(space=space) for space in range(MOST_SPACES)),
    *(Play(card=card) for card in CARDS[: HOBBIES + 1]),
    *(Pair(card=card, space=space) for card in PAIR_BOOSTS for space in range(MOST_SPACES)),
    *(RemoveDealbreaker(card=card) for card in DEALBREAKERS),
    *(Empty(space=space) for space in range(MOST_SPACES)),
    *(Match(place=place, boosts=boosts_of(used)) for place in range(BOOS) for used in range(BOOST_SETS)),
    *(action for target in range(SEATS[-1]) for action in _actions_on(target)),
)


# What a seat sees.


@dataclass(frozen=True, slots=True)
class Space:
    """A filled space: its card, the Boost locked to it, and whether a Left on Read lies on top."""

    card: Card
    boost: PairBoost | None
    left_on_read: bool


@dataclass(frozen=True, slots=True)
class MatchView:
    """A matched Boo, and whether a Ghosted lies on it."""

    boo: str
    ghosted: bool


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What lies before one seat. ``known_hand``: cards that the viewer knows to be in its hand, at least. [CM-7a]

    ``endgame`` is None until it is revealed; ``was_ghosted``: no Ghosted can be laid on this seat any more.
    """

    hand_size: int
    known_hand: tuple[Card, ...]
    profile: tuple[Space | None, ...]
    matches: tuple[MatchView, ...]
    was_ghosted: bool
    endgame: str | None
    forfeited: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one seat may know; seat None is a spectator, who has no hand and no Endgame card.

    ``known_among_others``: cards that lie in the other hands, nobody can say in which, beyond their ``known_hand``.
    ``pool``: the face-down Boos from the top, in groups whose inner order nobody knows; each Plenty of Fish puts one
    group under the pool. ``discard``: the last card is on top. ``emptied``: spaces emptied before this turn's play
    (LD-18: 1; LD-30: 2 when Lots of Hobbies went, 3 with one more). ``to_empty`` and ``among``: how many spaces are
    still to be emptied, and out of which. ``giving``: the space whose Trait a Love Triangle gives away.
    """

    seat: int | None
    options: Options
    phase: Phase
    turn: int
    turns: int
    hand: tuple[Card, ...] | None
    endgame: str | None
    players: tuple[PlayerView, ...]
    known_among_others: tuple[Card, ...]
    face_up: tuple[str, ...]
    pool: tuple[tuple[str, ...], ...]
    deck_size: int
    discard: tuple[Card, ...]
    emptied: int
    to_empty: int
    among: tuple[int, ...]
    giving: int | None
    outcome: Outcome | None


# Events.


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat's turn, counted from 1 over all seats."""

    type: Literal["turn_began"] = "turn_began"
    seat: int = 0
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Drew:
    """Cards drawn; ``cards`` is None for all but the one who drew."""

    type: Literal["drew"] = "drew"
    seat: int = 0
    count: int = 0
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The discard pile became the new deck."""

    type: Literal["reshuffled"] = "reshuffled"
    count: int = 0


@dataclass(frozen=True, slots=True)
class Discarded:
    """Cards from hand to the discard pile, openly."""

    type: Literal["discarded"] = "discarded"
    seat: int = 0
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat did nothing in this step."""

    type: Literal["passed"] = "passed"
    seat: int = 0
    phase: Step = "make_a_move"


@dataclass(frozen=True, slots=True)
class MadeAMove:
    """A Make a Move card was played."""

    type: Literal["made_a_move"] = "made_a_move"
    seat: int = 0
    card: Move = "swipe_right"


@dataclass(frozen=True, slots=True)
class TookOldFlame:
    """A Trait card went from the discard pile to a hand, openly."""

    type: Literal["took_old_flame"] = "took_old_flame"
    seat: int = 0
    card: Trait = "dead_funny"


@dataclass(frozen=True, slots=True)
class PickedUp:
    """A card went from hand to hand; ``card`` is None for all but the two."""

    type: Literal["picked_up"] = "picked_up"
    seat: int = 0
    target: int = 0
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class BoosReturned:
    """The face-up Boos went under the dating pool, in an order that nobody knows."""

    type: Literal["boos_returned"] = "boos_returned"
    boos: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoosTurnedUp:
    """Boos from the top of the dating pool, now face up."""

    type: Literal["boos_turned_up"] = "boos_turned_up"
    boos: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Swapped:
    """Two Traits took each other's places."""

    type: Literal["swapped"] = "swapped"
    seat: int = 0
    space: int = 0
    card: Card = "dead_funny"
    target: int = 0
    their_space: int = 0
    their_card: Card = "dead_funny"


@dataclass(frozen=True, slots=True)
class Played:
    """A card went into a space of its player's profile."""

    type: Literal["played"] = "played"
    seat: int = 0
    card: Card = "dead_funny"
    space: int = 0


@dataclass(frozen=True, slots=True)
class Paired:
    """A Boost was locked to the card in a space."""

    type: Literal["paired"] = "paired"
    seat: int = 0
    card: PairBoost = "overachiever"
    space: int = 0


@dataclass(frozen=True, slots=True)
class DealbreakerPlayed:
    """A Dealbreaker on a space of the target's profile, or (Ghosted) on a match of it."""

    type: Literal["dealbreaker_played"] = "dealbreaker_played"
    seat: int = 0
    card: Dealbreaker = "red_flag"
    target: int = 0
    space: int | None = None
    boo: str | None = None


@dataclass(frozen=True, slots=True)
class DealbreakerRemoved:
    """A Wild took a Dealbreaker off; both went to the discard pile."""

    type: Literal["dealbreaker_removed"] = "dealbreaker_removed"
    seat: int = 0
    card: Dealbreaker = "red_flag"
    space: int | None = None
    boo: str | None = None


@dataclass(frozen=True, slots=True)
class Emptied:
    """A space was emptied; its cards went to the discard pile."""

    type: Literal["emptied"] = "emptied"
    seat: int = 0
    space: int = 0
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class MovedUp:
    """Lots of Hobbies is gone: a card moved from the sixth or seventh space to an empty one."""

    type: Literal["moved_up"] = "moved_up"
    seat: int = 0
    space: int = 0
    to: int = 0


@dataclass(frozen=True, slots=True)
class Matched:
    """It's a match."""

    type: Literal["matched"] = "matched"
    seat: int = 0
    boo: str = ""
    boosts: tuple[MatchBoost, ...] = ()


@dataclass(frozen=True, slots=True)
class Revealed:
    """An Endgame card, and the Hearts that it adds or takes."""

    type: Literal["revealed"] = "revealed"
    seat: int = 0
    endgame: str = ""
    hearts: int = 0


@dataclass(frozen=True, slots=True)
class Forfeited:
    """A seat can no longer win."""

    type: Literal["forfeited"] = "forfeited"
    seat: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """The match is over."""

    type: Literal["ended"] = "ended"
    winners: tuple[int, ...] = ()
    scores: tuple[int, ...] | None = None
    reason: str = ""


Event = (
    TurnBegan
    | Drew
    | Reshuffled
    | Discarded
    | Passed
    | MadeAMove
    | TookOldFlame
    | PickedUp
    | BoosReturned
    | BoosTurnedUp
    | Swapped
    | Played
    | Paired
    | DealbreakerPlayed
    | DealbreakerRemoved
    | Emptied
    | MovedUp
    | Matched
    | Revealed
    | Forfeited
    | Ended
)


class State:
    """The full truth of a match. Hands are kept in the order of kinds; of a pile, the last card is on top.

    ``known``: what is known of others' hands (``known.py``).
    ``groups``: sizes of the pool's groups from the top, each of an order that nobody knows. ``matchable``: the legal
    actions of a match decision, which decide whether it is asked at all.
    """

    __slots__ = (
        "among",
        "cards",
        "deck",
        "discard",
        "drawn",
        "emptied",
        "endgame",
        "face_up",
        "forfeited",
        "ghosted",
        "giving",
        "groups",
        "hands",
        "known",
        "matchable",
        "matches",
        "numbers",
        "options",
        "outcome",
        "pending",
        "phase",
        "pool",
        "profiles",
        "seats",
        "seed",
        "to_empty",
        "turn",
        "turns",
        "was_ghosted",
    )

    seats: int
    options: Options
    cards: Deck
    seed: bytes
    drawn: int
    phase: int
    turn: int
    turns: int
    pending: tuple[tuple[int, int, int], ...]
    numbers: list[int]
    hands: list[list[int]]
    profiles: list[Profile]
    matches: list[tuple[int, ...]]
    ghosted: list[int]  # the Boo under a Ghosted, by seat; -1: none
    was_ghosted: int  # bit of each seat that was Ghosted once
    endgame: tuple[int, ...]
    deck: list[int]
    discard: list[int]
    face_up: list[int]
    pool: list[int]
    groups: tuple[int, ...]
    known: list[bytes]
    emptied: int
    to_empty: int
    among: int  # bit of each space that may be emptied
    giving: int
    matchable: tuple[int, ...]
    forfeited: int  # bit of each seat
    outcome: Outcome | None
