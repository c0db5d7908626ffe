"""Use cases that change nothing: what a viewer may know of a match, now, as it happens, and after its end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

import orjson
import redis

from . import wire
from .catalogue import Catalogue, read_options
from .errors import MatchRunning, ParlourError, RulesVersionGone, ValidationError, WrongToken
from .match import Record, load_auth, load_record, match_seed
from .matches import Matches, no_match, seat_at
from .sources import Clock, Ids
from .store import Store, Stored
from .store.keys import is_match_id
from .tokens import Claim
from .wake import RECHECK_S, Hub

log = logging.getLogger(__name__)

Listed: TypeAlias = Callable[[str, int | None, int, int], tuple[bytes | None, list[bytes]]]

TICKET_S = 60
KEEP_ALIVE_S = 15.0


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer: ready bytes and their entity tag; no body if the reader has this version already."""

    etag: str
    body: bytes | None


class Reader:
    """Matches as their viewers see them."""

    def __init__(self, matches: Matches, store: Store, hub: Hub, catalogue: Catalogue, clock: Clock, ids: Ids) -> None:
        self._matches = matches
        self._store = store
        self._hub = hub
        self._catalogue = catalogue
        self._now = clock
        self._ids = ids

    def read(self, match_id: str, claim: Claim | None) -> Reading:
        """The public summary of a match; with its metadata for the key that created it."""
        stored = self._matches.load(match_id)
        key = self._matches.admit(stored.auth, match_id, claim)
        etag = f'"{stored.version}-{"m" if key is None else "k"}"'
        return Reading(etag, orjson.dumps(wire.summary(load_record(stored.record), key)))

    def lobby(
        self,
        game: str | None,
        status: str | None,
        has_open_seat: bool | None,
        limit: int,
        before: tuple[int, str] | None,
    ) -> tuple[list[Record], tuple[int, str] | None]:
        """Public matches, newest first, and where the next page begins (None at the end).

        A page may be shorter than ``limit`` and not be the last: at most 1,000 matches are looked at for one.
        """
        found: list[Record] = []
        ends = before
        looked = 0
        while looked < 1000:
            rows = self._store.lobby(before, 100)
            with _optional():
                self._store.unlist([i for i, at, raw in rows if raw is None and at < self._now() - 60_000])
            for match_id, created_at, raw in rows:
                if len(found) < limit:
                    ends = (created_at, match_id)
                before = (created_at, match_id)
                looked += 1
                if raw is None:
                    continue
                record = load_record(raw)
                open_seat = record.status == "open" and not all(seat.taken for seat in record.seats)
                if game not in (None, record.game) or status not in (None, record.status):
                    continue
                if has_open_seat is not None and has_open_seat != open_seat:
                    continue
                if len(found) == limit:
                    return found, ends
                found.append(record)
            if len(rows) < 100:
                return found, None
        return found, ends

    def observe(self, match_id: str, claim: Claim | None, known: str = "") -> Reading:
        """A seat's observation, or a spectator's (no token, or the host's); no body if ``known`` is its entity tag."""
        viewer = claim.seat if claim else None
        who = "s" if viewer is None else str(viewer)
        version, _, whose = known.strip('"').partition("-")
        seen = self._matches.see(match_id, viewer, version if whose == who else "")
        self._matches.admit(seen.auth, match_id, claim)
        etag = f'"{seen.version}-{who}"'
        if etag == known:
            return Reading(etag, None)
        if seen.ready is not None:
            return Reading(etag, seen.ready)
        assert seen.record is not None
        match = self._matches.open(Stored(seen.version, seen.auth, seen.record, seen.state or b""))
        if match.game is None:
            raise RulesVersionGone
        body = wire.observation(match, viewer)
        with _optional():
            self._store.keep(match_id, viewer, seen.version, body)
        return Reading(etag, body)

    def observe_after(
        self, match_id: str, claim: Claim | None, waiter: str, known: Callable[[str], bool], wait_s: float
    ) -> Reading:
        """The first observation whose entity tag is not ``known``; when the wait is over, one without body.

        Raises TooManyWaiters above the cap, and above the share of ``waiter``.
        """
        until = time.monotonic() + wait_s
        with self._hub.waiting(match_id, waiter, not _has_seat(claim)) as woken:
            while True:
                reading = self.observe(match_id, claim)
                left = until - time.monotonic()
                if not known(reading.etag):
                    return reading
                if left <= 0 or self._hub.closing:
                    return replace(reading, body=None)
                woken.wait(min(left, RECHECK_S))
                woken.clear()

    def events(self, match_id: str, claim: Claim | None, after: int, limit: int) -> tuple[bytes, int]:
        """A viewer's events with seq above ``after``, as a JSON list, and the last one's seq."""
        rows = self._told(self._store.events, match_id, claim, after, limit)
        return wire.numbered(rows, after + 1), after + len(rows)

    def stream(
        self, match_id: str, claim: Claim | None, waiter: str, after: int
    ) -> tuple[Iterator[bytes], Callable[[], object]] | None:
        """A viewer's events from ``after`` on as they happen, as Server-Sent Events, and what to call at its end.

        None if the match has told all. Raises TooManyWaiters above the cap, and above the share of ``waiter``. The
        stream ends after the match, or when the server stops.

        A comment keeps the connection alive 15 s after what was told last, and never at another time: a whisper to
        others wakes this stream, too, and must not be told by that.
        """
        record = load_record(self._matches.load(match_id).record)
        if not self._told(self._store.events, match_id, claim, after, 1) and record.finished_at is not None:
            return None
        place = ExitStack()
        woken = place.enter_context(self._hub.waiting(match_id, waiter, not _has_seat(claim)))
        return self._stream(match_id, claim, after, place, woken), place.close

    def _stream(
        self, match_id: str, claim: Claim | None, after: int, place: ExitStack, woken: threading.Event
    ) -> Iterator[bytes]:
        keep_alive_at = time.monotonic() + KEEP_ALIVE_S
        with place:
            yield b"retry: 1000\n\n"
            while not self._hub.closing:
                woken.clear()
                try:
                    rows = self._told(self._store.events, match_id, claim, after, 500)
                except (redis.RedisError, ParlourError):
                    return  # its client connects again, where it left off, and is told then what is wrong
                for row in rows:
                    after += 1
                    yield b'id: %d\ndata: {"seq":%d,%s\n\n' % (after, after, row[1:])
                    if row.endswith(b'"type":"match_finished"}}'):
                        return
                if rows:
                    keep_alive_at = time.monotonic() + KEEP_ALIVE_S
                elif time.monotonic() >= keep_alive_at:
                    keep_alive_at += KEEP_ALIVE_S
                    if self._has_ended(match_id):
                        return  # and what its client heard last went with a failover
                    yield b": still here\n\n"
                if len(rows) < 500:
                    woken.wait(min(RECHECK_S, max(0.0, keep_alive_at - time.monotonic())))

    def _has_ended(self, match_id: str) -> bool:
        stored = self._store.load(match_id)
        return stored is None or load_record(stored.record).finished_at is not None

    def stream_ticket(self, match_id: str, claim: Claim | None) -> str:
        """A ticket that opens this viewer's stream once, within a minute: a browser's EventSource sends no header."""
        raw = self._matches.load(match_id).auth
        self._matches.admit(raw, match_id, claim)
        auth = load_auth(raw)
        seat = claim.seat if claim else None
        ticket = "tkt_" + self._ids.word(32)
        self._store.put_ticket(match_id, ticket, seat, auth.host_nonce if seat is None else auth.nonces[seat], TICKET_S)
        return ticket

    def take_ticket(self, match_id: str, ticket: str, *, keep: bool = False) -> Claim:
        """Whose stream a ticket opens, as a claim of the token that it was got with, which may be worth nothing by now;
        raises WrongToken if it opens none. It is used up, unless it is to be kept."""
        auth = self._matches.load(match_id).auth
        taken = self._store.take_ticket(match_id, ticket, keep)
        if taken is None:
            raise no_match(match_id) if load_auth(auth).visibility == "private" else WrongToken()
        seat, nonce = taken
        if seat is None:
            return Claim(None, self._matches.host_token(match_id, nonce))
        return Claim(seat, self._matches.seat_token(match_id, seat, nonce))

    def heard(self, match_id: str, claim: Claim | None, after: int, limit: int) -> list[bytes]:
        """What a viewer heard at the table, oldest first, from place ``after`` on."""
        return self._told(self._store.messages, match_id, claim, after, limit)

    def replay(self, match_id: str, claim: Claim | None) -> bytes:
        """All of a match that has ended: seeds, seats, every action, the outcome; enough to play it again elsewhere."""
        record = self._ended(match_id, claim)
        entries = [orjson.loads(raw) for raw in self._store.log(match_id)]
        return orjson.dumps(
            {
                **wire.summary(record),
                "server_seed": None if record.open_seed else record.server_seed,
                "entropies": [seat.entropy for seat in record.seats],
                "seed": match_seed(record).hex(),
                "actions": [{"version": version, "seat": seat, "action": number} for version, seat, number in entries],
            }
        )

    def replay_view(self, match_id: str, claim: Claim | None, seat: int | None, version: int) -> bytes:
        """What one seat (None: a spectator) saw at a version of a match that has ended."""
        record = self._ended(match_id, claim)
        if version > record.version:
            detail = f"must be at most {record.version}, the version at which the match ended"
            raise ValidationError(errors=[{"pointer": "/version", "detail": detail}])
        game = self._catalogue.playing(record.game, record.game_version)
        if game is None:
            raise RulesVersionGone
        if seat is not None:
            seat_at(record, seat)
        entries = [orjson.loads(raw) for raw in self._store.log(match_id)]
        state = None
        if record.started_at is not None and version >= record.start_version:
            options = read_options(game, len(record.seats), record.options)
            state = game.deal(len(record.seats), options, match_seed(record))
            for at, actor, number in entries:
                if at > version:
                    break
                if number is None:
                    game.forfeit(state, actor, None)
                else:
                    game.apply(state, actor, number, None)
        view = None if state is None else game.observe(state, seat)
        return orjson.dumps({"match": match_id, "game": record.game, "version": version, "seat": seat, "view": view})

    def _ended(self, match_id: str, claim: Claim | None) -> Record:
        stored = self._matches.load(match_id)
        self._matches.admit(stored.auth, match_id, claim)
        record = load_record(stored.record)
        if record.finished_at is None:
            raise MatchRunning
        return record

    def _told(self, listed: Listed, match_id: str, claim: Claim | None, after: int, limit: int) -> list[bytes]:
        if not is_match_id(match_id):
            raise no_match(match_id)
        auth, rows = listed(match_id, claim.seat if claim else None, after, limit)
        if auth is None:
            raise no_match(match_id)
        self._matches.admit(auth, match_id, claim)
        return rows


def _has_seat(claim: Claim | None) -> bool:
    return claim is not None and claim.seat is not None


@contextmanager
def _optional() -> Iterator[None]:
    """A write that only spares the next reader some work: while Redis takes none, reading goes on."""
    try:
        yield
    except redis.RedisError as error:
        log.debug("left out a write", extra={"error": type(error).__name__})
