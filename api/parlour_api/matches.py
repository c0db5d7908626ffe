"""Matches as use cases handle them: loaded, opened to whom they concern, changed, committed.

Every change is: load, change in memory, commit if the version still is what was loaded; a lost race is tried again
from a fresh load. No lock is ever held. The state is the truth: clocks and bots look at it, jobs only say "look".
A deadline that has passed comes first, whoever is the first to change the match after it: nobody escapes the clock by
being faster than its worker.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import orjson
from parlour_engine.errors import StateUnreadable
from parlour_engine.game import AnyGame

from . import play, tokens, webhooks
from .catalogue import Catalogue
from .errors import MatchNotFound, MissingToken, NotReplicated, TooBusy, ValidationError, WrongToken
from .jobs import Jobs
from .match import Match, Record, Seat, dump_auth, dump_record, load_auth, load_record
from .metrics import Meter
from .settings import Settings
from .sources import Clock, Ids
from .store import Change, Seen, Store, Stored
from .store.keys import is_match_id
from .tokens import Claim

T = TypeVar("T")

TRIES = 40


class Matches:
    """The matches of one store, and who may do what with them."""

    def __init__(
        self, settings: Settings, store: Store, jobs: Jobs, catalogue: Catalogue, clock: Clock, ids: Ids, meter: Meter
    ) -> None:
        self.settings = settings
        self._store = store
        self._jobs = jobs
        self._catalogue = catalogue
        self._now = clock
        self._ids = ids
        self._meter = meter
        self.proven = tokens.Proven()

    def load(self, match_id: str, decision: str | None = None) -> Stored:
        """A match as it is stored, and what was kept for one of its decisions; raises MatchNotFound."""
        stored = self._store.load(match_id, decision) if is_match_id(match_id) else None
        if stored is None:
            raise no_match(match_id)
        return stored

    def see(self, match_id: str, viewer: int | None, known: str) -> Seen:
        """What is stored for one viewer, who knows a version already; raises MatchNotFound."""
        seen = self._store.observe(match_id, viewer, known) if is_match_id(match_id) else None
        if seen is None:
            raise no_match(match_id)
        return seen

    def open(self, stored: Stored) -> Match:
        """A match in memory; without its game if this server no longer has those rules."""
        record = load_record(stored.record)
        game = self._catalogue.playing(record.game, record.game_version)
        state = None
        if stored.state and game is not None:
            try:
                state = game.load(orjson.loads(stored.state))
            except StateUnreadable:
                game = None
        return self.hold(record, state, game)

    def hold(self, record: Record, state: Any, game: AnyGame | None) -> Match:
        """A match in memory from its parts."""
        low, high = self.settings.bot_answer_s
        return Match(
            record, state, game, (round(1000 * low), round(1000 * high)), round(1000 * self.settings.abandon_s)
        )

    def change(self, match_id: str, change: Callable[[Match, int], T], wait: bool = True) -> tuple[Record, T]:
        """Load, change, commit; again from a fresh load when somebody was faster, or the clock had to come first."""
        for _ in tries():
            stored = self.load(match_id)
            match = self.open(stored)
            now = self._now()
            if play.overdue(match, now):
                self.expire(match, now)
                continue
            play.open_lists(match)
            result = change(match, now)
            if self.commit(match, stored.version, now, wait=wait) is not None:
                return match.record, result
        raise TooBusy

    def expire(self, match: Match, now: int) -> int | None:
        """Do what the clock says in an overdue match; how many deadlines had passed, None if somebody was faster."""
        record = match.record
        before = record.version
        passed = play.run_out(match, now)
        if self.commit(match, before, now) is None:
            return None
        on_expiry = record.clock.on_expiry if record.clock else ""
        for deadline in passed:
            self._meter.count("expiries", record.game, on_expiry)
            self._meter.time((now - deadline) / 1000, "expiry_lateness_seconds")
        return len(passed)

    def commit(
        self,
        match: Match,
        before: int | None,
        now: int,
        extra: dict[str, bytes] | None = None,
        actor: int | None = None,
        trigger: bool = True,
        wait: bool = False,
    ) -> int | None:
        """Commit a changed match: how many events the actor's list then holds; None if somebody was faster.

        With ``wait`` it raises NotReplicated for what is committed but not safe; what nobody is told of need not be.
        """
        record, game = match.record, match.game
        record.touched_at = now
        values = {"auth": dump_auth(record), "record": dump_record(record), **(extra or {})}
        if match.state is not None and game is not None:
            values["state"] = orjson.dumps(game.dump(match.state))
        due = play.turn_due(match)
        at_once = due is not None and due <= now
        deadlines = play.deadlines(match)
        done = self._store.commit(
            Change(
                match_id=record.id,
                before=before,
                version=record.version,
                commit_id=self._ids.word(16),
                values=values,
                events=match.new_events,
                now=now,
                told=webhooks.told(match, now),
                actor=actor,
                taken=match.taken,
                log=match.new_log,
                deadline=min(deadlines, default=None),
                turn=now + round(self.settings.resend_s * 1000) if at_once else due,
                ttl=max(deadlines) - now + round(1000 * self.settings.idle_ttl_s)
                if deadlines
                else round(1000 * self.settings.finished_ttl_s),
                wait=wait,
            )
        )
        if done is None:
            self._meter.count("lost_races")
            return None
        if record.finished_at is not None:
            self._meter.count("matches_ended", record.game, record.status)
        if at_once and trigger:
            self._jobs.play_bots(record.id, str(record.version))
        if not done.replicated:
            raise NotReplicated
        return done.length

    def admit(self, raw: bytes, match_id: str, claim: Claim | None) -> str | None:
        """Let a reader in: anyone to a public match, only its own tokens and its creator's key to a private one.

        The name of that key if it is who reads. Another key is nobody: it sees what is public.
        """
        visibility, host_nonce, nonces, key = load_auth(raw)
        private = visibility == "private"
        if claim is not None and claim.key is not None and claim.key == key:
            return claim.key
        if claim is None or claim.key is not None:
            if private:
                raise no_match(match_id)
            return None
        nonce = host_nonce if claim.seat is None else "".join(nonces[claim.seat : claim.seat + 1])
        if not nonce or not tokens.fits(self.settings.secret, match_id, claim, nonce):
            raise no_match(match_id) if private else WrongToken()
        self.proven.add(claim.token)
        return None

    def seat_of(self, stored: Stored, match_id: str, claim: Claim | None) -> int:
        self.admit(stored.auth, match_id, claim)
        if claim is None:
            raise MissingToken
        if claim.seat is None:
            raise WrongToken
        return claim.seat

    def as_seat(self, match: Match, claim: Claim | None) -> int:
        return self.seat_of(Stored(0, dump_auth(match.record), b"", b""), match.id, claim)

    def as_host(self, match: Match, claim: Claim | None) -> None:
        self.admit(dump_auth(match.record), match.id, claim)
        if claim is None:
            raise MissingToken
        if claim.seat is not None or claim.key is not None:
            raise WrongToken

    def host_token(self, match_id: str, nonce: str) -> str:
        """The host's token of a match."""
        return tokens.mint(self.settings.secret, match_id, tokens.HOST, nonce)

    def seat_token(self, match_id: str, seat: int, nonce: str) -> str:
        """The token of a seat, good for as long as the seat has that nonce."""
        return tokens.mint(self.settings.secret, match_id, f"seat_{seat}", nonce)


def seat_at(record: Record, number: int, pointer: str = "/seat") -> Seat:
    if number >= len(record.seats):
        detail = f"must be from 0 to {len(record.seats) - 1}"
        raise ValidationError(errors=[{"pointer": pointer, "detail": detail}])
    return record.seats[number]


def no_match(match_id: str) -> MatchNotFound:
    return MatchNotFound(f"There is no match {match_id[:40]!r} that you may see.")


def tries() -> Iterator[None]:
    """Turns at a change that others may be faster with, each a little later than the one before."""
    for attempt in range(TRIES):
        yield
        pause(attempt)


def pause(attempt: int) -> None:
    """Wait a little longer after each lost race, at random, so that two clients do not meet again."""
    time.sleep(random.random() * min(0.05, 0.001 * (attempt + 1)))
