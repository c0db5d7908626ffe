"""Lovestruck: the deal, what an action does, and how it ended. RULES.md in order: episodes.py, villa.py, bombshells.py.

``apply`` hands an action to the verb of the decision that it answers. A verb returns True when the seat has learnt
something new by it or its turn is over (CM-4).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...chance import below, shuffle
from ...errors import BadOption
from ...game import Fact, Log, Outcome
from .bombshells import (
    answer_heart,
    answer_letter,
    blind_date,
    clean_break,
    eavesdrop,
    give,
    group_date,
    heart_to_heart,
    love_letter,
    mixed_signals,
    public_apology,
    ratings_stunt,
    screen_time,
    temptation,
)
from .episodes import begin_episode, choose_contestant, date_card, end
from .events import SeatForfeited
from .names import BY_FINALE, BY_FORFEIT, BY_VIEWERSHIP, ENDINGS
from .season import SEASONS
from .space import (
    BLOCK_0,
    BONUS,
    BREAK_UP,
    CLEAN_BLOCK,
    CONFESS,
    DEFUSE_IT,
    EAVESDROP_BLOCK,
    EXPLORE_BLOCK,
    HEART_BLOCK,
    LETTER_BLOCK,
    MIXED_BLOCK,
    OPEN_BLOCK,
    PASS,
    PLAY_APOLOGY,
    PLAY_BLIND,
    PLAY_GROUP,
    PLAY_SCREEN,
    PLAY_STUNT,
    STEAL,
    TALK_IT,
    TEMPT_BLOCK,
)
from .state import Aimed, State, Verb, blank_state
from .views import Options
from .villa import (
    answer_counter,
    answer_offer,
    bonus_date,
    break_up,
    confessional,
    defuse,
    discard,
    explore,
    keep,
    keep_open,
    offer,
    pass_turn,
    pay_card,
    reveal,
    steal_the_spotlight,
    talk,
)


def check_options(seats: int, options: Options) -> None:
    """[CM-2, LS-4] The first seat exists; contestants are of the deck, all different, as many as seats."""
    season = SEASONS[options.deck]
    if options.first_seat is not None and not 0 <= options.first_seat < seats:
        raise BadOption("first_seat", f"must be a seat from 0 to {seats - 1}, or null")
    if options.contestants is not None:
        known = [each.id for each in season.contestants]
        for chosen in options.contestants:
            if chosen not in known:
                raise BadOption("contestants", f"no contestant {chosen!r}; there are: {', '.join(known)}")
        if len(set(options.contestants)) != len(options.contestants) or len(options.contestants) != seats:
            raise BadOption("contestants", f"must name {seats} different contestants, one per seat")


def deal(seats: int, options: Options, seed: bytes) -> State:
    """[LS-4, LS-5, LS-6, CM-2] Viewership 1, everyone single, an Intention each and one left over; then episode 1."""
    state = blank_state(seats, options, seed)
    season = state.season
    state.main = below(state, seats) if options.first_seat is None else options.first_seat
    right, wrong = season.intentions[seats]
    intentions = [0] * right + [1] * wrong
    shuffle(state, intentions)
    state.wrong = sum(1 << place for place, intention in enumerate(intentions) if intention)
    state.deck = list(season.cards)
    shuffle(state, state.deck)
    begin_episode(state, None)
    return state


def pending(state: State) -> Sequence[tuple[int, int, int]]:
    """[LS-8, LS-28] One seat at a time, but for dates: all their contestants at once. [CM-5]"""
    return state.pending


def _villa_turn(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-8] One Villa Action or one Bombshell, or a pass."""
    space = state.space
    if action >= space.offer_0:
        return offer(state, seat, *divmod(action - space.offer_0, 4), log)
    if action < BLOCK_0:
        return _UNAIMED[action](state, seat, log)
    block, target = divmod(action - BLOCK_0, space.seats)
    return _AIMED[block](state, seat, target, log)


def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
    """Hand the action to the verb of the decision that it answers."""
    owed = state.pending[0]
    return ANSWERS[owed[1]](state, seat, action, log)


def forfeit(state: State, seat: int, log: Log | None) -> None:
    """[CM-12] The seat can no longer win; the last one who has not forfeited wins at once."""
    if state.ending or state.forfeited >> seat & 1:
        return
    state.forfeited |= 1 << seat
    if log is not None:
        log.append(Fact(SeatForfeited(seat=seat)))
    left = ((1 << state.seats) - 1) & ~state.forfeited
    if left.bit_count() == 1:
        end(state, BY_FORFEIT, left, log)


def outcome(state: State) -> Outcome | None:
    """[LS-31, LS-32, LS-33, CM-12] How the match ended. Love is not counted: there are no scores."""
    if not state.ending:
        return None
    winners = tuple(seat for seat in range(state.seats) if state.winners >> seat & 1)
    text = {
        BY_VIEWERSHIP: "Viewership reached ten million: everyone here for the Wrong reasons wins.",
        BY_FINALE: "The season ended: whoever is in a couple with someone here for the Right reasons wins.",
        BY_FORFEIT: "Everybody else forfeited.",
    }[state.ending]
    return Outcome(winners, None, ENDINGS[state.ending - 1], text)


ANSWERS: tuple[Aimed, ...] = (
    _villa_turn,
    pay_card,
    discard,
    keep,
    reveal,
    give,
    choose_contestant,
    date_card,
    answer_offer,
    answer_counter,
    answer_letter,
    answer_heart,
)
"""By decision kind."""
_UNAIMED: dict[int, Verb] = {
    PASS: pass_turn,
    BREAK_UP: break_up,
    STEAL: steal_the_spotlight,
    CONFESS: confessional,
    DEFUSE_IT: defuse,
    TALK_IT: talk,
    BONUS: bonus_date,
    PLAY_BLIND: blind_date,
    PLAY_GROUP: group_date,
    PLAY_STUNT: ratings_stunt,
    PLAY_APOLOGY: public_apology,
    PLAY_SCREEN: screen_time,
}
"""By action number."""
_AIMED: dict[int, Aimed] = {
    EXPLORE_BLOCK: explore,
    OPEN_BLOCK: keep_open,
    TEMPT_BLOCK: temptation,
    CLEAN_BLOCK: clean_break,
    LETTER_BLOCK: love_letter,
    EAVESDROP_BLOCK: eavesdrop,
    HEART_BLOCK: heart_to_heart,
    MIXED_BLOCK: mixed_signals,
}
"""By block of action numbers."""
