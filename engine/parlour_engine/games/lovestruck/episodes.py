"""Episodes, dates and the end: how a season runs from one to the next. [LS-8, LS-10, LS-11, LS-25..LS-34]

Where a match ends in the middle of an effect, the verb stops there: those that may end it say so by True.
"""

from __future__ import annotations

from ...chance import shuffle
from ...game import Fact, Log
from .cards import CARDS, DATE_CARDS, DRAMA
from .events import (
    BombshellThrown,
    ContestantChosen,
    DateBegan,
    DateCardLaid,
    DateRevealed,
    DateSatOut,
    EpisodeBegan,
    SeasonEnded,
    ViewershipChanged,
)
from .hands import deal_out, forget_laid, gain, lose, take_from
from .names import (
    BONUS_DATE_DRAWS,
    BY_FINALE,
    BY_VIEWERSHIP,
    CHOOSE,
    DATE_CARD,
    ENDINGS,
    FINALE_LOOPS,
    FOR_BONUS_DATE,
    FOR_EPISODE,
    INTENTIONS,
    LEAST_VIEWERS,
    MOST_VIEWERS,
    REASONS,
    VILLA_TURN,
)
from .space import BLOCK_0, CARD_0
from .state import State, clear_date, clear_turn


def begin_episode(state: State, log: Log | None) -> None:
    """[LS-8, LS-25, LS-30] On a date episode the Main Character chooses; else all draw and the Villa turns begin."""
    episode = state.board()
    if log is not None:
        log.append(
            Fact(
                EpisodeBegan(
                    episode=state.episode + 1,
                    episode_type=episode.type,
                    number=episode.number,
                    main_character=state.main,
                )
            )
        )
    if episode.type == "date":
        arrange_date(state, state.main, FOR_EPISODE, episode.number, log)
        return
    everyone = [(state.main + step) % state.seats for step in range(state.seats)]
    deal_out(state, everyone * episode.number, log)
    state.taken = 0
    _begin_turn(state)


def _begin_turn(state: State) -> None:
    """[LS-8] Villa turns go clockwise from the Main Character."""
    state.turn = (state.main + state.taken) % state.seats
    clear_turn(state)
    ask(state, state.turn, VILLA_TURN)


def end_turn(state: State, log: Log | None) -> bool:
    """[LS-10, LS-30] When all have acted, in the finale twice, the episode is over."""
    _record_turn(state)
    state.taken += 1
    loops = FINALE_LOOPS if state.board().type == "finale" else 1
    if state.taken < state.seats * loops:
        _begin_turn(state)
    else:
        state.turn = -1
        clear_turn(state)
        _end_episode(state, log)
    return True


def _end_episode(state: State, log: Log | None) -> None:
    """[LS-10, LS-29, LS-45] The Main Character token passes clockwise, or to whoever played Screen Time last."""
    if state.board().type == "finale":
        _end_season(state, log)
        return
    state.main = (state.main + 1) % state.seats if state.next_main < 0 else state.next_main
    state.next_main = -1
    state.episode += 1
    begin_episode(state, log)


def ask(state: State, seat: int, kind: int) -> None:
    """One seat owes one decision."""
    number = state.numbers[seat]
    state.numbers[seat] = number + 1
    state.pending = ((seat, kind, number),)


def _record_turn(state: State) -> None:
    """The Villa turn goes into the public record."""
    if state.action >= 0:
        state.record.append(
            (
                0,
                state.episode,
                state.turn,
                state.action,
                state.target,
                state.paid,
                state.card,
                state.agreed,
                state.broken,
            )
        )


def change_viewership(state: State, by: int, log: Log | None) -> bool:
    """[LS-23, LS-31] Never below 1; at 10 the match ends at once. True: it ended."""
    state.viewership = max(LEAST_VIEWERS, state.viewership + by)
    if log is not None:
        log.append(Fact(ViewershipChanged(by=by, viewership=state.viewership)))
    if state.viewership < MOST_VIEWERS:
        return False
    end(state, BY_VIEWERSHIP, state.wrong & ((1 << state.seats) - 1), log)
    return True


# Dates


def arrange_date(state: State, seat: int, reason: int, size: int, log: Log | None) -> bool:
    """[LS-25] So many different contestants must be chosen; [LS-47] a date of all contestants leaves no choice."""
    state.date_reason = reason
    state.date_size = size
    if size >= state.seats:
        state.date_mask = (1 << state.seats) - 1
        return _begin_date(state, log)
    ask(state, seat, CHOOSE)
    return False


def choose_contestant(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-25] Named one by one, in any order; nobody can refuse."""
    chosen = action - BLOCK_0
    state.date_mask |= 1 << chosen
    if log is not None:
        log.append(Fact(ContestantChosen(seat=seat, contestant=chosen)))
    if state.date_mask.bit_count() < state.date_size:
        ask(state, seat, CHOOSE)
        return False
    return _begin_date(state, log)


def _begin_date(state: State, log: Log | None) -> bool:
    """[LS-26] A: each date contestant draws one. B: [LS-28] all of them owe their card at the same time."""
    dated = [seat for seat in _clockwise(state) if state.date_mask >> seat & 1]
    if log is not None:
        reason = REASONS[state.date_reason]
        log.append(Fact(DateBegan(reason=reason, contestants=tuple(sorted(dated)))))
    deal_out(state, dated, log)
    owing = []
    for seat in sorted(dated):
        if state.sizes[seat]:
            number = state.numbers[seat]
            state.numbers[seat] = number + 1
            owing.append((seat, DATE_CARD, number))
        else:
            _sit_out(state, seat, log)
    state.pending = tuple(owing)
    if not owing:
        _end_date(state, log)
    return True


def _clockwise(state: State) -> list[int]:
    return [(state.main + step) % state.seats for step in range(state.seats)]


def date_card(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LS-26, LS-28] Lay a Love or Drama card face down: all see that it is laid; or [LS-27] throw a Bombshell."""
    kind = action - CARD_0
    if kind > DRAMA:
        return _throw(state, seat, kind, log)
    take_from(state, seat, kind)
    state.laid |= 1 + kind << 2 * seat
    if log is not None:
        log.append(Fact(DateCardLaid(seat=seat), ((seat, DateCardLaid(seat=seat, card=DATE_CARDS[kind])),)))
    return _answered(state, seat, log)


def _answered(state: State, seat: int, log: Log | None) -> bool:
    """[LS-28] The date waits for whoever still owes a card; the others' decisions stay as they are."""
    state.pending = tuple(owed for owed in state.pending if owed[0] != seat)
    if not state.pending:
        _end_date(state, log)
    return True


def _throw(state: State, seat: int, kind: int, log: Log | None) -> bool:
    """[LS-27] Who holds only Bombshells puts one aside, for all to see, and draws one; nothing to draw: sits out."""
    lose(state, seat, kind)
    state.aside += ((seat, kind),)
    if log is not None:
        log.append(Fact(BombshellThrown(seat=seat, card=CARDS[kind])))  # type: ignore[arg-type]
    before = state.sizes[seat]
    deal_out(state, (seat,), log)
    if state.sizes[seat] == before:
        _sit_out(state, seat, log)
        return _answered(state, seat, log)
    number = state.numbers[seat]
    state.numbers[seat] = number + 1
    state.pending = tuple((seat, DATE_CARD, number) if owed[0] == seat else owed for owed in state.pending)
    return True


def _sit_out(state: State, seat: int, log: Log | None) -> None:
    """[LS-27] Nothing to lay and nothing to draw."""
    state.sat_out |= 1 << seat
    if log is not None:
        log.append(Fact(DateSatOut(seat=seat)))


def _end_date(state: State, log: Log | None) -> None:
    """[LS-26, LS-28] C: the cards are shuffled and turned over. D: all Love -1, any Drama +1; they go to the pile."""
    cards = [(state.laid >> 2 * seat & 3) - 1 for seat in range(state.seats) if state.laid >> 2 * seat & 3]
    shuffle(state, cards)
    forget_laid(state, cards)
    state.discard.extend(kind for _, kind in state.aside)
    state.discard.extend(cards)
    state.dates += (state.laid,)
    reason = state.date_reason
    seat = state.main if reason == FOR_EPISODE else state.turn
    mask, sat_out = state.date_mask, state.sat_out
    state.record.append((2, state.episode, seat, reason, mask, sat_out, state.aside, tuple(cards)))
    clear_date(state)
    love = bool(cards) and DRAMA not in cards
    if log is not None:
        shown = tuple(DATE_CARDS[kind] for kind in cards)
        log.append(Fact(DateRevealed(cards=shown, outcome="love" if love else "drama" if cards else "none")))
    if cards and change_viewership(state, -1 if love else 1, log):
        return
    if reason == FOR_EPISODE:
        _end_episode(state, log)
        return
    if reason == FOR_BONUS_DATE and love:
        deal_out(state, (seat,) * BONUS_DATE_DRAWS, log)
    end_turn(state, log)


# The end


def _end_season(state: State, log: Log | None) -> None:
    """[LS-32] Who is in a couple with someone Right wins; [LS-33] with the option also the only single Right."""
    winners = alone = 0
    for seat, partner in enumerate(state.partner):
        if partner < 0:
            alone |= (1 << seat) & ~state.wrong
        elif not state.wrong >> partner & 1:
            winners |= 1 << seat
    if state.options.next_season and alone.bit_count() == 1:
        winners |= alone
    end(state, BY_FINALE, winners, log)


def end(state: State, ending: int, winners: int, log: Log | None) -> None:
    """[LS-30, LS-31, CM-12] All Intentions are revealed at once; who has forfeited does not win."""
    if state.turn >= 0:
        _record_turn(state)
    state.turn = -1
    clear_turn(state)
    _call_off_date(state)
    state.pending = ()
    state.ending = ending
    state.winners = winners & ~state.forfeited
    if log is not None:
        everyone = range(state.seats)
        log.append(
            Fact(
                SeasonEnded(
                    reason=ENDINGS[ending - 1],
                    winners=tuple(seat for seat in everyone if state.winners >> seat & 1),
                    intentions=tuple(INTENTIONS[state.wrong >> seat & 1] for seat in everyone),
                )
            )
        )


def _call_off_date(state: State) -> None:
    """[LS-49, CM-12] The match ends while a date is under way: laid cards go back to hand, thrown ones to the pile."""
    for seat in range(state.seats):
        laid = state.laid >> 2 * seat & 3
        if laid:
            gain(state, seat, laid - 1)
    state.discard.extend(kind for _, kind in state.aside)
    clear_date(state)
