"""What a change does to a match, in memory: start it, apply an action, run out of time, settle. No I/O, no clock."""

from __future__ import annotations

import logging
import random
from dataclasses import asdict, dataclass
from typing import Any, Literal

import orjson
from parlour_engine.chance import below, bot_seed
from parlour_engine.game import AnyGame, Bot, Log, owed_by

from . import wire
from .match import Match, Owed, Record

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The cards are dealt."""

    game: str
    seats: tuple[str, ...]
    """Each seat's name."""
    type: Literal["match_started"] = "match_started"


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """The match is over; the outcome is in every observation."""

    winners: tuple[int, ...]
    reason: str
    type: Literal["match_finished"] = "match_finished"


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """Somebody took, left or was given a seat."""

    seat: int
    name: str
    taken: bool
    played_by: Literal["human", "bot"] | None
    type: Literal["seat_changed"] = "seat_changed"


@dataclass(frozen=True, slots=True)
class ClockExpired:
    """A seat's time for a decision ended, and what was done about it."""

    seat: int
    on_expiry: Literal["bot_move", "default_move", "forfeit"]
    type: Literal["clock"] = "clock"


@dataclass(frozen=True, slots=True)
class DecisionOpened:
    """A decision that this seat now owes. Only its owner sees this: the kind alone can tell a hand."""

    decision: str
    kind: str
    type: Literal["decision_opened"] = "decision_opened"


@dataclass(frozen=True, slots=True)
class Message:
    """Table talk: to everybody (``to`` null), or a whisper that only its sender and those named hear."""

    seat: int
    to: tuple[int, ...] | None
    text: str
    type: Literal["message"] = "message"


ServiceEvent = MatchStarted | MatchFinished | SeatChanged | ClockExpired | DecisionOpened | Message


class _Draw:
    """A one-off chance stream, for what must not touch the match's own."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self.drawn = 0


def open_lists(match: Match) -> None:
    """Begin a change: no new events yet, for any seat or the spectator."""
    match.awaited = awaited(match.record)
    match.new_log = []
    match.taken = None
    match.new_events = [[] for _ in range(len(match.record.seats) + 1)]


def awaited(record: Record) -> frozenset[int]:
    """Seats that owe a decision and are played by a human."""
    return frozenset(seat for seat in record.owed if record.seats[seat].played_by == "human")


def tell_all(match: Match, now: int, event: ServiceEvent) -> None:
    """An event that every seat and the spectator see."""
    body = wire.event(match.record.version, now, event)
    for events in match.new_events:
        events.append(body)


def seat_changed(match: Match, number: int, now: int) -> None:
    """Count the change of a seat and tell everybody."""
    seat = match.record.seats[number]
    match.record.version += 1
    tell_all(match, now, SeatChanged(number, seat.name, seat.taken, seat.played_by))


def start(match: Match, game: AnyGame, options: Any, seed: bytes, now: int) -> None:
    """Deal the cards and open the first decisions."""
    record = match.record
    record.status = "playing"
    record.version += 1
    record.start_version = record.version
    record.started_at = now
    match.state = game.deal(len(record.seats), options, seed)
    tell_all(match, now, MatchStarted(record.game, tuple(seat.name for seat in record.seats)))


def apply(match: Match, game: AnyGame, seat: int, action: int, now: int) -> bool:
    """Apply one legal action; True if the seat learnt something new by it."""
    facts: Log = []
    learnt = game.apply(match.state, seat, action, facts)
    match.record.owed.pop(seat, None)
    match.record.version += 1
    match.new_log.append(orjson.dumps((match.record.version, seat, action)))
    _tell(match, facts, now)
    return learnt


def _tell(match: Match, facts: Log, now: int) -> None:
    spectator = len(match.record.seats)
    version = match.record.version
    for fact in facts:
        public = None if fact.public is None else wire.event(version, now, fact.public)
        private = dict(fact.private)
        for place, events in enumerate(match.new_events):
            if place != spectator and place in private:
                if private[place] is not None:
                    events.append(wire.event(version, now, private[place]))
            elif public is not None:
                events.append(public)


def bot_of(game: AnyGame, bot_id: str | None) -> Bot[Any]:
    """The house bot of that id; the strongest for a seat that has none of its own."""
    return next((bot for bot in game.bots if bot.id == bot_id), game.bots[-1])


def bot_action(match: Match, game: AnyGame, seat: int, bot_id: str | None) -> int:
    """What a house bot does with the decision that a seat owes, from the seat's observation only.

    Its generator comes from the match's seed, the seat and the decision: a job that runs twice plays the same.
    """
    bot = bot_of(game, bot_id)
    legal = game.legal_actions(match.state, seat)
    owed = match.record.owed[seat]
    rng = random.Random(bot_seed(match.state.seed, seat, owed.number))
    try:
        action = bot.choose(game.observe(match.state, seat), legal, rng)
    except Exception:  # a fault in one bot must not hang a table: it plays the default action, and the log tells
        log.exception("bot failed", extra={"match": match.id, "bot": bot.id, "seat": seat})
        action = -1
    return action if action in legal else game.default_action(match.state, seat)


def overdue(match: Match, now: int) -> bool:
    """Whether the clock has something to do, before anything else may change the match: a deadline has passed, or the
    match counts as abandoned. Never without the rules that a deadline needs."""
    return any(at <= now for at in deadlines(match)) and (match.game is not None or not _late(match.record, now))


def run_out(match: Match, now: int) -> list[int]:
    """Do what the clock says in an overdue match; which deadlines had passed. If none had, it is abandoned."""
    open_lists(match)
    game, late = match.game, _late(match.record, now)
    if not late:
        end(match, "abandoned", now)
    elif game is not None:
        for seat in late:
            if owed_by(game, match.state, seat) is not None:
                _expire(match, game, seat, now)
        settle(match, game, now)
    return list(late.values())


def _late(record: Record, now: int) -> dict[int, int]:
    """The seats whose deadline has passed, and when it was."""
    ends = {seat: owed.expires_at for seat, owed in record.owed.items()}
    return {seat: at for seat, at in ends.items() if at is not None and at <= now}


def _expire(match: Match, game: AnyGame, seat: int, now: int) -> None:
    """A seat's time is up: do what the match's clock says. [CM-11, CM-12]"""
    record = match.record
    assert record.clock is not None
    tell_all(match, now, ClockExpired(seat, record.clock.on_expiry))
    record.seats[seat].expiries += 1
    spend(match, seat, now, answered=True)
    if record.clock.on_expiry == "bot_move":
        apply(match, game, seat, bot_action(match, game, seat, None), now)
    elif record.clock.on_expiry == "default_move":
        apply(match, game, seat, game.default_action(match.state, seat), now)
    else:
        record.seats[seat].forfeited = True
        record.version += 1
        facts: Log = []
        game.forfeit(match.state, seat, facts)
        match.new_log.append(orjson.dumps((record.version, seat, None)))
        _tell(match, facts, now)
        return
    if record.seats[seat].expiries >= record.clock.takeover_after:
        take_over(match, game, seat, now)


def spend(match: Match, number: int, now: int, answered: bool) -> None:
    """A seat has used time for a decision: what went beyond the decision's own is gone from the bank."""
    clock, seat, owed = match.record.clock, match.record.seats[number], match.record.owed.get(number)
    if clock is None or seat.bank is None or owed is None or owed.deadline is None:
        return
    seat.bank = min(seat.bank, max(0, owed.deadline - now))
    if answered:
        seat.bank += round(1000 * clock.increment_s)


def take_over(match: Match, game: AnyGame, number: int, now: int) -> None:
    """A house bot plays the seat from now on, until its token comes back."""
    spend(match, number, now, answered=False)
    match.record.seats[number].away = True
    seat_changed(match, number, now)
    _pass_on(match, game, number, now)


def hand_back(match: Match, game: AnyGame, number: int, now: int) -> None:
    """The seat's own player plays it again; the time for what it owes has not stood still."""
    seat = match.record.seats[number]
    seat.away = seat.left = False
    seat.expiries = 0
    seat_changed(match, number, now)
    _pass_on(match, game, number, now)


def _pass_on(match: Match, game: AnyGame, number: int, now: int) -> None:
    """The decision stays the same one, with the same deadline; who answers it is another."""
    owed = match.record.owed.get(number)
    if owed is not None:
        _set_times(match, game, number, owed, now)


def end(match: Match, status: Literal["cancelled", "abandoned"], now: int) -> None:
    """End a match that nobody finishes."""
    record = match.record
    record.status = status
    record.version += 1
    record.finished_at = now
    record.owed = {}
    tell_all(match, now, MatchFinished((), status))


def settle(match: Match, game: AnyGame, now: int) -> None:
    """After any change: answer for forfeited seats [CM-12], then finish, or note who owes what until when."""
    record = match.record
    forfeited = [number for number, seat in enumerate(record.seats) if seat.forfeited]
    while (seat := next((s for s in forfeited if owed_by(game, match.state, s)), None)) is not None:
        apply(match, game, seat, game.default_action(match.state, seat), now)
    outcome = game.outcome(match.state)
    if outcome is not None:
        record.status = "finished"
        record.finished_at = now
        record.outcome = asdict(outcome)
        record.owed = {}
        tell_all(match, now, MatchFinished(outcome.winners, outcome.reason))
        return
    owed: dict[int, Owed] = {}
    for seat, kind, number in game.pending(match.state):
        before = record.owed.get(seat)
        if before is not None and before.number == number:
            owed[seat] = before
            continue
        owed[seat] = entry = Owed(number, kind, now)
        _set_times(match, game, seat, entry, now)
        opened = DecisionOpened(wire.decision_id(record.id, seat, number), game.kinds[kind].name)
        match.new_events[seat].append(wire.event(record.version, now, opened))
    record.owed = owed


def _set_times(match: Match, game: AnyGame, number: int, owed: Owed, now: int) -> None:
    """Until when the seat's player may answer the decision, and when the house bot does that plays it now.

    A bot that answers for a player is not later than that player may be: or a takeover would win time.
    """
    clock, seat = match.record.clock, match.record.seats[number]
    if clock is not None and seat.kind == "human" and owed.deadline is None:
        owed.deadline = owed.since + round(1000 * clock.per_decision_s) + (seat.bank or 0)
    owed.due = None
    if seat.played_by == "bot":
        answer_at = now + (_answer_after(match, number, owed.number) if game.kinds[owed.kind].answering else 0)
        owed.due = answer_at if owed.deadline is None else max(now, min(answer_at, owed.deadline))


def _answer_after(match: Match, seat: int, number: int) -> int:
    """After how many ms a house bot gives a secret answer; drawn without looking at its hand."""
    low, high = match.bot_answer
    draw = _Draw(match.state.seed + f"due:{seat}:{number}".encode())
    return low + below(draw, high - low + 1)


def turn_due(match: Match) -> int | None:
    """When the next house bot's decision is due, ms; None if no bot owes one."""
    return min((owed.due for owed in match.record.owed.values() if owed.due is not None), default=None)


def deadlines(match: Match) -> list[int]:
    """When the clock has something to do, ms: at every deadline, without any when the match counts as abandoned.

    Nothing once it is over.
    """
    record = match.record
    if record.finished_at is not None:
        return []
    of_decisions = [owed.expires_at for owed in record.owed.values() if owed.expires_at is not None]
    return of_decisions or [record.touched_at + match.abandon_after]
