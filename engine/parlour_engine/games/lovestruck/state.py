"""The full truth of a match. Nothing is decided here, and nothing of it leaves the engine unbuilt."""

from __future__ import annotations

from collections.abc import Callable

from ...game import Log
from .cards import K
from .names import LEAST_VIEWERS, RUNNING
from .season import SEASONS, Episode, Season
from .space import Space, space_of
from .views import Coded, Entry, Options


class State:
    """The full truth of a match. -1 stands for nobody and nothing; a mask has one bit per seat."""

    __slots__ = (
        "action", "agreed", "aside", "broken", "card", "cost_left", "countered", "coupled", "date_mask", "date_reason",
        "date_size", "dates", "deck", "discard", "drawn", "drawn_two", "ending", "episode", "forfeited", "hands",
        "heads", "known", "laid", "looked", "main", "masks", "next_main", "numbers", "offer_counter", "offer_share",
        "offer_target", "options", "overheard", "paid", "partner", "past", "pending", "record", "sat_out", "season",
        "seats", "seed", "shown", "sizes", "space", "swapped", "taken", "target", "turn", "used", "viewership",
        "winners", "wrong",
    )  # fmt: skip

    # The match.
    seed: bytes
    drawn: int
    seats: int
    options: Options
    season: Season
    space: Space
    wrong: int  # mask of seats here for the Wrong reasons; bit ``seats`` is the leftover card
    # The board.
    episode: int  # index into the board
    viewership: int
    main: int
    next_main: int  # Screen Time
    taken: int  # Villa turns taken in this episode
    # Cards: a hand is K counts in ``hands``, with the kinds held as a bit mask and its size.
    hands: bytearray
    masks: list[int]
    sizes: list[int]
    deck: list[int]  # the top is the last
    discard: list[int]  # the top is the last
    # Couples.
    partner: list[int]
    coupled: int  # mask
    heads: int  # mask of each couple's lower seat
    # The Villa turn under way.
    turn: int
    action: int
    target: int
    paid: tuple[int, ...]
    cost_left: int
    card: int
    agreed: int
    broken: tuple[tuple[int, int], ...]
    used: int  # four bits per target: the proposer's shares offered or countered
    countered: int  # mask
    offer_target: int
    offer_share: int
    offer_counter: int
    drawn_two: tuple[int, ...]  # reference card: the two of which one is kept
    # The date being arranged or under way.
    date_size: int  # 0: none
    date_reason: int
    date_mask: int
    laid: int  # two bits per seat: 0 nothing, 1 + kind
    sat_out: int
    aside: tuple[tuple[int, int], ...]  # thrown Bombshells: (seat, kind)
    # Who knows what.
    shown: bytearray  # K counts per seat that everybody knows to be in that hand
    known: dict[int, bytes]  # knower * 16 + seat -> K counts, where the knower may know more than everybody
    looked: int  # bit knower * 16 + seat
    overheard: tuple[tuple[int, int, int, bytes], ...]  # (knower, episode, seat, K counts)
    swapped: tuple[tuple[int, int, int, int, int], ...]  # (episode, seat, target, gave, took)
    dates: tuple[int, ...]  # ``laid`` of each date held
    past: tuple[Entry, ...]  # a determinized state's record up to its observation
    record: list[Coded]
    # Decisions.
    numbers: list[int]
    pending: tuple[tuple[int, int, int], ...]
    forfeited: int  # mask
    ending: int
    winners: int  # mask

    def board(self) -> Episode:
        """The episode being played."""
        return self.season.board[self.episode]


def blank_state(seats: int, options: Options, seed: bytes) -> State:
    """A table before anything is dealt."""
    state = State()
    state.seed = seed
    state.drawn = 0
    state.seats = seats
    state.options = options
    state.season = SEASONS[options.deck]
    state.space = space_of(seats, options.villa_actions == "reference_card")
    state.wrong = state.episode = state.main = state.taken = 0
    state.viewership = LEAST_VIEWERS
    state.next_main = -1
    state.hands = bytearray(seats * K)
    state.masks = [0] * seats
    state.sizes = [0] * seats
    state.deck = []
    state.discard = []
    state.partner = [-1] * seats
    state.coupled = state.heads = 0
    state.turn = -1
    clear_turn(state)
    clear_date(state)
    state.shown = bytearray(seats * K)
    state.known = {}
    state.looked = 0
    state.overheard = ()
    state.swapped = ()
    state.dates = ()
    state.past = ()
    state.record = []
    state.numbers = [0] * seats
    state.pending = ()
    state.forfeited = 0
    state.ending = RUNNING
    state.winners = 0
    return state


def clear_turn(state: State) -> None:
    """Nothing of a Villa turn has happened yet."""
    state.action = state.target = state.card = state.agreed = -1
    state.offer_target = state.offer_share = state.offer_counter = -1
    state.cost_left = state.used = state.countered = 0
    state.paid = ()
    state.broken = ()
    state.drawn_two = ()


def clear_date(state: State) -> None:
    """No date is being arranged or under way."""
    state.date_size = state.date_mask = state.laid = state.sat_out = 0
    state.date_reason = -1
    state.aside = ()


def contestants(state: State) -> tuple[str, ...]:
    """[LS-4] Who plays whom: as the option lists them, else in the deck's order."""
    chosen = state.options.contestants
    return chosen or tuple(each.id for each in state.season.contestants[: state.seats])


Verb = Callable[[State, int, "Log | None"], bool]
"""(state, seat, log): what a seat does; True when it has learnt something new or its turn is over."""
Aimed = Callable[[State, int, int, "Log | None"], bool]
"""(state, seat, target or action, log): the same, with a choice in it."""
