"""Use cases of those who play: seats act and speak, house bots answer, the clock runs out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import orjson
from parlour_engine.game import AnyGame, owed_by

from . import play, webhooks, wire
from .errors import (
    IllegalAction,
    MatchOpen,
    MatchOver,
    NotReplicated,
    NotYourTurn,
    ParlourError,
    RulesVersionGone,
    StaleDecision,
    TooBusy,
)
from .jobs import Jobs
from .match import Match, load_record
from .matches import Matches, pause, seat_at, tries
from .metrics import Meter
from .sources import Clock, Ids
from .store import Store, Stored
from .tokens import Claim

MANY_DUE = 1000
"""How much one tick takes from a shard at most."""
BATCH = 50
"""Deadlines in one job: few enough that a second worker can help."""
BOT_BUDGET_S = 0.5
"""How long one job plays on for a match before it lets others go first."""


class Acting:
    """Decisions are answered, by players, house bots and clocks."""

    def __init__(self, matches: Matches, store: Store, jobs: Jobs, clock: Clock, ids: Ids, meter: Meter) -> None:
        self._matches = matches
        self._store = store
        self._jobs = jobs
        self._now = clock
        self._ids = ids
        self._meter = meter

    def act(self, match_id: str, claim: Claim | None, decision: str, actions: Sequence[Any]) -> bytes:
        """Answer a decision, and its follow-ups by the rest of the list; the answer's JSON."""
        began = time.perf_counter()
        for _ in tries():
            stored = self._matches.load(match_id, decision)
            seat = self._matches.seat_of(stored, match_id, claim)
            match = self._matches.open(stored)
            record, game = match.record, match.game
            if game is None:
                raise RulesVersionGone
            if record.status == "open":
                raise MatchOpen
            numbers = [
                wire.read_action(game, len(record.seats), raw, f"/actions/{place}") for place, raw in enumerate(actions)
            ]
            mark = sha256(f"{record.seats[seat].nonce}:{numbers}".encode()).hexdigest()[:24].encode()
            if stored.kept is not None and decision.startswith(wire.decision_id(record.id, seat, 0)[:-1]):
                before, _, applied = stored.kept.partition(b":")
                if before != mark:
                    raise _refusal(StaleDecision("That decision was answered with another action."), match, seat)
                if not self._still_there(match_id, decision, stored.kept):
                    continue
                return _answer(int(applied), True, wire.observation(match, seat), [], 0)
            _check_decision(match, seat, decision)
            now = self._now()
            if play.overdue(match, now):
                self._matches.expire(match, now)
                continue
            deadline = record.owed[seat].deadline
            if deadline is not None and deadline <= now:  # and a house bot has the seat, which answers in time
                if self.play_bots(match_id):
                    self.hand_on(match_id)
                continue
            play.open_lists(match)
            if record.seats[seat].away:
                play.hand_back(match, game, seat, now)
            applied_count = self._apply_list(match, game, seat, numbers, now, stored)
            record.seats[seat].expiries = 0
            play.settle(match, game, now)
            ready = wire.observation(match, seat)
            extra = {f"act:{decision}": mark + b":%d" % applied_count, f"obs:{seat}": ready}
            events = match.new_events[seat]
            held = self._matches.commit(match, stored.version, now, extra, actor=seat, wait=True)
            if held is not None:
                self._meter.time(time.perf_counter() - began, "act_seconds", record.game)
                return _answer(applied_count, False, ready, events, held - len(events) + 1)
        raise TooBusy

    def _still_there(self, match_id: str, decision: str, kept: bytes) -> bool:
        """Whether a kept answer may be given again; raises NotReplicated. With a failover it may have gone."""
        if not self._matches.settings.ack_replicas:
            return True
        held, replicated = self._store.confirm(match_id, f"act:{decision}")
        if held == kept and not replicated:
            raise NotReplicated
        return held == kept

    def _apply_list(
        self, match: Match, game: AnyGame, seat: int, numbers: Sequence[int], now: int, stored: Stored
    ) -> int:
        """Apply a list up to the first new information; how many were applied. All or none up to there. [CM-4]"""
        for place, number in enumerate(numbers):
            if owed_by(game, match.state, seat) is None:
                return place
            if number not in game.legal_actions(match.state, seat):
                reason = game.explain(game.observe(match.state, seat), number)
                detail = f"Action {place} of the list is not legal; nothing was applied."
                refusal = IllegalAction(detail, reason=reason, pointer=f"/actions/{place}")
                raise _refusal(refusal, self._matches.open(stored), seat)
            if place == 0:
                play.spend(match, seat, now, answered=True)
            if play.apply(match, game, seat, number, now):
                return place + 1
        return len(numbers)

    def say(
        self, match_id: str, claim: Claim | None, text: str, to: Sequence[int] | None, name: str | None = None
    ) -> dict[str, Any]:
        """Say something to the table or whisper it to some seats; once for the same request's ``name``.

        Changes nothing in the match, nor its version.
        """
        name = name or self._ids.word(16)
        for _ in tries():
            stored = self._matches.load(match_id)
            seat = self._matches.seat_of(stored, match_id, claim)
            record = load_record(stored.record)
            if record.finished_at is not None:
                raise MatchOver
            for place, number in enumerate(to or ()):
                seat_at(record, number, f"/to/{place}")
            heard_by: list[int | None] = [*range(len(record.seats)), None]
            if to is not None:
                heard_by = sorted({seat, *to})  # type: ignore[assignment]
            now = self._now()
            message = play.Message(seat, None if to is None else tuple(sorted(set(to))), text)
            said = orjson.dumps({"at": wire.instant(now), "seat": seat, "to": message.to, "text": text})
            event = wire.event(stored.version, now, message)
            kept = self._store.talk(match_id, stored.version, heard_by, event, said, name)
            if kept is not None:
                told: dict[str, Any] = orjson.loads(kept)
                return told
        raise TooBusy

    def expire(self, match_id: str) -> int:
        """Do what the clock says for every deadline of the match that has passed; how many there were.

        A match without deadlines in which nothing has changed for long is abandoned.

        Exactly once, however many ask: the commit compares the version, and the new state has new deadlines.
        """
        for _ in tries():
            stored = self._store.load(match_id)
            if stored is None:
                self._store.forget_due(match_id)
                return 0
            match, now = self._matches.open(stored), self._now()
            done = self._matches.expire(match, now) if play.overdue(match, now) else 0
            if done is not None:
                return done
        raise TooBusy

    def play_bots(self, match_id: str) -> bool:
        """Play every house bot's decision that is due, one commit each; True if the time budget ended first."""
        until = time.monotonic() + BOT_BUDGET_S
        attempt = 0
        match: Match | None = None
        while time.monotonic() < until:
            if match is None:
                stored = self._store.load(match_id)
                if stored is None:
                    self._store.forget_due(match_id)
                    return False
                match = self._matches.open(stored)
            record, game, now = match.record, match.game, self._now()
            seat = next((s for s, owed in record.owed.items() if owed.due is not None and owed.due <= now), None)
            if game is None or seat is None:
                return False
            if play.overdue(match, now):
                self._matches.expire(match, now)
                match = None
                continue
            before = record.version
            self._meter.time((now - (record.owed[seat].due or now)) / 1000, "bot_lateness_seconds")
            play.open_lists(match)
            began = time.perf_counter()
            bot = play.bot_of(game, record.seats[seat].bot)
            action = play.bot_action(match, game, seat, bot.id)
            self._meter.time(time.perf_counter() - began, "bot_think_seconds", record.game, bot.id)
            play.apply(match, game, seat, action, now)
            play.settle(match, game, now)
            if self._matches.commit(match, before, now, trigger=False) is None:
                match = None
                pause(attempt)
                attempt += 1
        return True

    def hand_on(self, match_id: str) -> None:
        """Queue a match's next bot turn behind those of others."""
        self._jobs.play_bots(match_id, f"more-{self._now()}")

    def hand_out(self) -> None:
        """Give the workers what is due now; what is not done by the lease's end comes back."""
        now = self._now()
        due = self._store.take_due(
            now, now + round(1000 * self._matches.settings.resend_s), now + webhooks.LEASE_MS, MANY_DUE
        )
        for start in range(0, len(due.deadlines), BATCH):
            self._jobs.expire(due.deadlines[start : start + BATCH], f"{now}-{self._ids.word(6)}")
        for match_id in due.turns:
            self._jobs.play_bots(match_id, f"due-{now}")
        if due.outboxes:
            self._jobs.spread(due.outboxes, f"{now}-{self._ids.word(6)}")
        for start in range(0, len(due.webhooks), BATCH):
            self._jobs.deliver(due.webhooks[start : start + BATCH], f"{now}-{self._ids.word(6)}")


def _check_decision(match: Match, seat: int, decision: str) -> None:
    record = match.record
    if record.status != "playing":
        raise _refusal(MatchOver(), match, seat)
    owed = record.owed.get(seat)
    current = None if owed is None else wire.decision_id(record.id, seat, owed.number)
    if decision == current:
        return
    if current is None and not decision.startswith(wire.decision_id(record.id, seat, 0)[:-1]):
        raise _refusal(NotYourTurn(), match, seat)
    detail = "This seat owes no decision now." if current is None else f"The pending decision is {current}."
    raise _refusal(StaleDecision(detail), match, seat)


def _refusal(error: ParlourError, match: Match, seat: int) -> ParlourError:
    """A refusal that heals: it carries the seat's fresh observation."""
    error.extra.setdefault("reason", error.detail)
    error.extra["observation"] = orjson.Fragment(wire.observation(match, seat))
    return error


def _answer(applied: int, replayed: bool, ready: bytes, events: list[bytes], first: int) -> bytes:
    return b'{"applied":%d,"replayed":%s,"observation":%s,"events":%s}' % (
        applied,
        b"true" if replayed else b"false",
        ready,
        wire.numbered(events, first),
    )
