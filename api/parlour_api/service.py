"""The use cases: what clients and workers can do with a match. No HTTP in here, and no queue but as a trigger.

Every change is: load, change in memory, commit if the version still is what was loaded; a lost race is tried again
from a fresh load. No lock is ever held. The state is the truth: clocks and bots look at it, jobs only say "look".
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from hmac import digest
from typing import Any, Literal, TypeAlias, TypeVar

import orjson
import redis
from parlour_engine.errors import StateUnreadable
from parlour_engine.game import AnyGame, owed_by

from . import play, tokens, webhooks, wire
from .catalogue import Catalogue, read_options
from .errors import (
    EntropyAwaited,
    HostIsPlayer,
    IllegalAction,
    MatchNotFound,
    MatchOpen,
    MatchOver,
    MatchRunning,
    MatchStarted,
    MissingToken,
    NoOpenSeat,
    NotReplicated,
    NotYourTurn,
    ParlourError,
    RulesVersionGone,
    SeatsOpen,
    SeatTaken,
    SeedGiven,
    StaleDecision,
    TooBusy,
    ValidationError,
    WrongToken,
)
from .jobs import Jobs
from .match import ClockRule, Match, Record, Seat, dump_auth, dump_record, load_auth, load_record
from .metrics import Meter
from .settings import Settings
from .sources import Clock, Ids
from .store import Change, Seen, Store, Stored
from .store.keys import is_match_id
from .tokens import Claim
from .wake import RECHECK_S, Hub
from .webhooks import Webhooks

log = logging.getLogger(__name__)

T = TypeVar("T")
Listed: TypeAlias = Callable[[str, int | None, int, int], tuple[bytes | None, list[bytes]]]

TRIES = 40
TICKET_S = 60
KEEP_ALIVE_S = 15.0
MANY_DUE = 1000
"""How much one tick takes from a shard at most."""
BATCH = 50
"""Deadlines in one job: few enough that a second worker can help."""
BOT_BUDGET_S = 0.5
"""How long one job plays on for a match before it lets others go first."""


@dataclass(frozen=True, slots=True)
class NewSeat:
    """A seat as a creator asks for it: open to others, mine (the answer brings its token), or a house bot's."""

    kind: Literal["open", "mine", "bot"]
    name: str | None = None
    bot: str | None = None


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match as a creator asks for it."""

    game: str
    seats: Sequence[NewSeat]
    options: dict[str, Any]
    visibility: Literal["public", "private"] = "public"
    start: Literal["auto", "manual"] = "auto"
    entropy: Literal["optional", "awaited"] = "optional"
    clock: ClockRule | None = None
    seed: str | None = None
    """Hex, 16 to 32 bytes; None: drawn, and secret until the end."""
    metadata: dict[str, str] | None = None
    """What a partner keeps with it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer: ready bytes and their entity tag; no body if the reader has this version already."""

    etag: str
    body: bytes | None


class Service:
    """The use cases over one store."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        jobs: Jobs,
        hub: Hub,
        catalogue: Catalogue,
        clock: Clock,
        ids: Ids,
        meter: Meter,
        webhooks: Webhooks,
    ) -> None:
        self.settings = settings
        self.store = store
        self.jobs = jobs
        self.hub = hub
        self.catalogue = catalogue
        self._now = clock
        self._ids = ids
        self.meter = meter
        self.webhooks = webhooks
        self.proven = tokens.Proven()

    # Creating and filling a match

    def create(self, new: NewMatch, claim: Claim | None = None, name: str | None = None) -> tuple[Record, list[int]]:
        """A new match, and the seats that its creator takes; the same one for the same request's ``name``.

        Not acknowledged before ``settle`` says so.
        """
        key = tokens.key_of(claim)
        if self.settings.create == "key" and key is None:
            raise WrongToken if claim else MissingToken
        if new.metadata and key is None:
            detail = "needs an API key, sent as Authorization: Bearer key_..."
            raise ValidationError(errors=[{"pointer": "/metadata", "detail": detail}])
        game = self.catalogue.find(new.game)
        count = len(new.seats)
        if count not in game.seats:
            detail = f"{game.slug} takes {game.seats[0]} to {game.seats[-1]} seats, not {count}"
            raise ValidationError(errors=[{"pointer": "/seats", "detail": detail}])
        options = read_options(game, count, new.options)
        now = self._now()
        seats = []
        for number, asked in enumerate(new.seats):
            seat = Seat("human", asked.name or "", self._ids.word(16))
            if asked.kind == "bot":
                _seat_bot(game, seat, asked.bot, asked.name, f"/seats/{number}/bot")
            elif asked.kind == "mine":
                seat.taken = seat.creators = True
                seat.name = asked.name or f"Player {number + 1}"
            seats.append(seat)
        record = Record(
            id=self._ids.sharded("mat", name and tokens.derived(self.settings.secret, "match", name, 24)),
            game=game.slug,
            game_version=game.version,
            options=asdict(options),
            seats=seats,
            visibility=new.visibility,
            host_nonce=self._ids.word(16),
            join_code=self._ids.word(8) if new.visibility == "private" else None,
            start=new.start,
            entropy=new.entropy,
            clock=new.clock,
            server_seed=new.seed or self._ids.seed().hex(),
            open_seed=new.seed is not None,
            created_at=now,
            key=key,
            metadata=new.metadata,
        )
        match = self._match(record, None, game)
        play.open_lists(match)
        if record.visibility == "public":
            self.store.list_publicly(record.id, now)
        self._start_if_full(match, now)
        if self._commit(match, None, now) is None:
            there = self.store.load(record.id)
            if there is None:
                raise TooBusy
            record = load_record(there.record)
        else:
            self.meter.count("matches_created", record.game)
        return record, [number for number, asked in enumerate(new.seats) if asked.kind == "mine"]

    def host_token(self, match_id: str, nonce: str) -> str:
        """The host's token of a match."""
        return tokens.mint(self.settings.secret, match_id, tokens.HOST, nonce)

    def seat_token(self, match_id: str, seat: int, nonce: str) -> str:
        """The token of a seat, good for as long as the seat has that nonce."""
        return tokens.mint(self.settings.secret, match_id, f"seat_{seat}", nonce)

    def settle(self, match_id: str, nonces: Sequence[str]) -> None:
        """See that what a request created or joined is safe, before it is answered, again or for the first time.

        Raises NotReplicated; and TooBusy if the match does not know these nonces (any more): a failover took them, and
        the request can be made again.
        """
        if self.settings.ack_replicas:
            raw, replicated = self.store.confirm(match_id, "auth")
            auth = None if raw is None else load_auth(raw)
            if auth is None or not {*nonces} <= {auth.host_nonce, *auth.nonces}:
                raise TooBusy("What this request did was lost in a failover.")
            if not replicated:
                raise NotReplicated

    def join(
        self, match_id: str, seat: int | None, player: str | None, join_code: str | None, name: str | None = None
    ) -> tuple[Record, int]:
        """Take an open seat, the named one or the first; the one that the same request's ``name`` has taken before.

        The match starts by itself once all are taken. Not acknowledged before ``settle`` says so.
        """
        # A fresh nonce: a failover can undo this, and the next one's token must be another.
        nonce = tokens.derived(self.settings.secret, "seat", name, 16) if name else self._ids.word(16)

        def change(match: Match, now: int) -> int:
            record = match.record
            if record.visibility == "private" and (join_code or "").strip().lower() != record.join_code:
                raise _no_match(match_id)
            for number, each in enumerate(record.seats):
                if each.nonce == nonce:
                    return number
            if record.status != "open":
                raise MatchStarted
            number = _open_seat(record, seat)
            record.seats[number].nonce = nonce
            record.seats[number].taken = True
            record.seats[number].name = player or record.seats[number].name or f"Player {number + 1}"
            match.taken = number
            play.seat_changed(match, number, now)
            self._start_if_full(match, now)
            return number

        return self._change(match_id, change, wait=False)

    def fill(self, match_id: str, claim: Claim | None, number: int, asked: NewSeat) -> Record:
        """The host gives a seat to a house bot, or opens it again; whoever held it loses it."""

        def change(match: Match, now: int) -> None:
            self._as_host(match, claim)
            record = match.record
            if record.status != "open":
                raise MatchStarted
            _seat_at(record, number)
            seat = Seat("human", asked.name or "", self._ids.word(16))
            if asked.kind == "bot":
                if match.game is None:
                    raise RulesVersionGone
                _seat_bot(match.game, seat, asked.bot, asked.name, "/bot")
            record.seats[number] = seat
            play.seat_changed(match, number, now)
            self._start_if_full(match, now)

        return self._change(match_id, change)[0]

    def start(self, match_id: str, claim: Claim | None) -> Record:
        """The host starts a match whose seats are all taken."""

        def change(match: Match, now: int) -> None:
            self._as_host(match, claim)
            if match.record.status != "open":
                raise MatchStarted
            open_seats = [number for number, seat in enumerate(match.record.seats) if not seat.taken]
            if open_seats:
                raise SeatsOpen(
                    f"Open seats: {', '.join(map(str, open_seats))}. Fill them with bots or wait for players."
                )
            if _lacks_entropy(match.record):
                raise EntropyAwaited
            self._deal(match, now)

        return self._change(match_id, change)[0]

    def give_entropy(self, match_id: str, claim: Claim | None, entropy: str) -> Record:
        """A seat's own part in the match's seed, before the start; sent again, it replaces the earlier one."""

        def change(match: Match, now: int) -> None:
            number = self._as_seat(match, claim)
            if match.record.status != "open":
                raise MatchStarted
            if match.record.open_seed:
                raise SeedGiven
            match.record.seats[number].entropy = entropy
            match.record.version += 1
            self._start_if_full(match, now)

        return self._change(match_id, change)[0]

    def leave(self, match_id: str, claim: Claim | None) -> Record:
        """Before the start, free the seat: its token is worth nothing then. In play, a house bot plays it at once."""

        def change(match: Match, now: int) -> None:
            number = self._as_seat(match, claim)
            if match.record.status == "open":
                match.record.seats[number] = Seat("human", "", self._ids.word(16))
                play.seat_changed(match, number, now)
            else:
                game, seat = _in_play(match), match.record.seats[number]
                seat.left = True
                if not seat.away:
                    play.take_over(match, game, number, now)

        return self._change(match_id, change)[0]

    def take_over(self, match_id: str, claim: Claim | None, number: int) -> Record:
        """Have a house bot play a seat: by the seat itself, or by the host once its player has gone."""

        def change(match: Match, now: int) -> None:
            self._admit(dump_auth(match.record), match.id, claim)
            if claim is None:
                raise MissingToken
            seat = _seat_at(match.record, number)
            if claim.key is not None:
                raise WrongToken
            if claim.seat is None:
                clock = match.record.clock
                if not seat.left and not (clock and seat.expiries >= clock.takeover_after):
                    raise HostIsPlayer("The host hands over a seat only once its player has left or let its time pass.")
            elif claim.seat != number:
                raise WrongToken
            game = _in_play(match)
            if seat.played_by == "human":
                play.take_over(match, game, number, now)

        return self._change(match_id, change)[0]

    def hand_back(self, match_id: str, claim: Claim | None, number: int) -> Record:
        """Take a seat back from the house bot that plays it, with the seat's own token."""

        def change(match: Match, now: int) -> None:
            if self._as_seat(match, claim) != number:
                raise WrongToken
            game = _in_play(match)
            if match.record.seats[number].away:
                play.hand_back(match, game, number, now)

        return self._change(match_id, change)[0]

    def cancel(self, match_id: str, claim: Claim | None) -> Record:
        """End a match that nobody is to finish: its host, while no other player would lose by it; its key always."""

        def change(match: Match, now: int) -> None:
            record = match.record
            by_key = record.key is not None and record.key == tokens.key_of(claim)
            if not by_key:
                self._as_host(match, claim)
            if record.finished_at is not None:
                raise MatchOver
            plays = any(seat.creators for seat in record.seats)
            others = any(seat.kind == "human" and not seat.creators and not seat.left for seat in record.seats)
            if not by_key and record.status == "playing" and plays and others:
                raise HostIsPlayer("A host that plays cannot end a match that others play too; leave it instead.")
            play.end(match, "cancelled", now)

        return self._change(match_id, change)[0]

    def _start_if_full(self, match: Match, now: int) -> None:
        record = match.record
        full = all(seat.taken for seat in record.seats)
        if record.start == "auto" and full and not _lacks_entropy(record):
            self._deal(match, now)

    def _deal(self, match: Match, now: int) -> None:
        record, game = match.record, match.game
        if game is None:
            raise RulesVersionGone
        if record.clock is not None and record.clock.bank_s is not None:
            for seat in record.seats:
                seat.bank = round(1000 * record.clock.bank_s)
        play.start(match, game, _stored_options(record, game), match_seed(record), now)
        play.settle(match, game, now)

    # Reading

    def read(self, match_id: str, claim: Claim | None) -> Reading:
        """The public summary of a match; with its metadata for the key that created it."""
        stored = self._load(match_id)
        key = self._admit(stored.auth, match_id, claim)
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
        looked = 0
        while looked < 1000:
            rows = self.store.lobby(before, 100)
            with _optional():
                self.store.unlist([i for i, at, raw in rows if raw is None and at < self._now() - 60_000])
            for match_id, created_at, raw in rows:
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
                found.append(record)
                if len(found) == limit:
                    return found, before
            if len(rows) < 100:
                return found, None
        return found, before

    def observe(self, match_id: str, claim: Claim | None, known: str = "") -> Reading:
        """A seat's observation, or a spectator's (no token, or the host's); no body if ``known`` is its entity tag."""
        viewer = claim.seat if claim else None
        who = "s" if viewer is None else str(viewer)
        version, _, whose = known.strip('"').partition("-")
        seen = self._see(match_id, viewer, version if whose == who else "")
        self._admit(seen.auth, match_id, claim)
        etag = f'"{seen.version}-{who}"'
        if etag == known:
            return Reading(etag, None)
        if seen.ready is not None:
            return Reading(etag, seen.ready)
        assert seen.record is not None
        match = self._open(Stored(seen.version, seen.auth, seen.record, seen.state or b""))
        if match.game is None:
            raise RulesVersionGone
        body = wire.observation(match, viewer)
        with _optional():
            self.store.keep(match_id, viewer, seen.version, body)
        return Reading(etag, body)

    def observe_after(
        self, match_id: str, claim: Claim | None, waiter: str, known: Callable[[str], bool], wait_s: float
    ) -> Reading:
        """The first observation whose entity tag is not ``known``; when the wait is over, one without body.

        Raises TooManyWaiters above the cap, and above the share of ``waiter``.
        """
        until = time.monotonic() + wait_s
        with self.hub.waiting(match_id, waiter, not _has_seat(claim)) as woken:
            while True:
                reading = self.observe(match_id, claim)
                left = until - time.monotonic()
                if not known(reading.etag):
                    return reading
                if left <= 0 or self.hub.closing:
                    return replace(reading, body=None)
                woken.wait(min(left, RECHECK_S))
                woken.clear()

    def events(self, match_id: str, claim: Claim | None, after: int, limit: int) -> tuple[bytes, int]:
        """A viewer's events with seq above ``after``, as a JSON list, and the last one's seq."""
        rows = self._told(self.store.events, match_id, claim, after, limit)
        return wire.numbered(rows, after + 1), after + len(rows)

    def _told(self, listed: Listed, match_id: str, claim: Claim | None, after: int, limit: int) -> list[bytes]:
        if not is_match_id(match_id):
            raise _no_match(match_id)
        auth, rows = listed(match_id, claim.seat if claim else None, after, limit)
        if auth is None:
            raise _no_match(match_id)
        self._admit(auth, match_id, claim)
        return rows

    def stream(
        self, match_id: str, claim: Claim | None, waiter: str, after: int
    ) -> tuple[Iterator[bytes], Callable[[], object]] | None:
        """A viewer's events from ``after`` on as they happen, as Server-Sent Events, and what to call at its end.

        None if the match has told all. Raises TooManyWaiters above the cap, and above the share of ``waiter``. The
        stream ends after the match, or when the server stops.

        A comment keeps the connection alive 15 s after what was told last, and never at another time: a whisper to
        others wakes this stream, too, and must not be told by that.
        """
        record = load_record(self._load(match_id).record)
        if not self._told(self.store.events, match_id, claim, after, 1) and record.finished_at is not None:
            return None
        place = ExitStack()
        woken = place.enter_context(self.hub.waiting(match_id, waiter, not _has_seat(claim)))
        return self._stream(match_id, claim, after, place, woken), place.close

    def _stream(
        self, match_id: str, claim: Claim | None, after: int, place: ExitStack, woken: threading.Event
    ) -> Iterator[bytes]:
        keep_alive_at = time.monotonic() + KEEP_ALIVE_S
        with place:
            yield b"retry: 1000\n\n"
            while not self.hub.closing:
                woken.clear()
                try:
                    rows = self._told(self.store.events, match_id, claim, after, 500)
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
        stored = self.store.load(match_id)
        return stored is None or load_record(stored.record).finished_at is not None

    def stream_ticket(self, match_id: str, claim: Claim | None) -> str:
        """A ticket that opens this viewer's stream once, within a minute: a browser's EventSource sends no header."""
        raw = self._load(match_id).auth
        self._admit(raw, match_id, claim)
        auth = load_auth(raw)
        seat = claim.seat if claim else None
        ticket = "tkt_" + self._ids.word(32)
        self.store.put_ticket(match_id, ticket, seat, auth.host_nonce if seat is None else auth.nonces[seat], TICKET_S)
        return ticket

    def take_ticket(self, match_id: str, ticket: str) -> Claim:
        """Whose stream a ticket opens, as a claim of the token that it was got with, which may be worth nothing by now;
        raises WrongToken if it opens none."""
        auth = self._load(match_id).auth
        taken = self.store.take_ticket(match_id, ticket)
        if taken is None:
            raise _no_match(match_id) if load_auth(auth).visibility == "private" else WrongToken()
        seat, nonce = taken
        if seat is None:
            return Claim(None, self.host_token(match_id, nonce))
        return Claim(seat, self.seat_token(match_id, seat, nonce))

    # Talk

    def say(
        self, match_id: str, claim: Claim | None, text: str, to: Sequence[int] | None, name: str | None = None
    ) -> dict[str, Any]:
        """Say something to the table or whisper it to some seats; once for the same request's ``name``.

        Changes nothing in the match, nor its version.
        """
        name = name or self._ids.word(16)
        for attempt in range(TRIES):
            stored = self._load(match_id)
            seat = self._seat_of(stored, match_id, claim)
            record = load_record(stored.record)
            if record.finished_at is not None:
                raise MatchOver
            for place, number in enumerate(to or ()):
                _seat_at(record, number, f"/to/{place}")
            heard_by: list[int | None] = [*range(len(record.seats)), None]
            if to is not None:
                heard_by = sorted({seat, *to})  # type: ignore[assignment]
            now = self._now()
            message = play.Message(seat, None if to is None else tuple(sorted(set(to))), text)
            said = orjson.dumps({"at": wire.instant(now), "seat": seat, "to": message.to, "text": text})
            event = wire.event(stored.version, now, message)
            kept = self.store.talk(match_id, stored.version, heard_by, event, said, name)
            if kept is not None:
                told: dict[str, Any] = orjson.loads(kept)
                return told
            _pause(attempt)
        raise TooBusy

    def heard(self, match_id: str, claim: Claim | None, after: int, limit: int) -> list[bytes]:
        """What a viewer heard at the table, oldest first, from place ``after`` on."""
        return self._told(self.store.messages, match_id, claim, after, limit)

    def replay(self, match_id: str, claim: Claim | None) -> bytes:
        """All of a match that has ended: seeds, seats, every action, the outcome; enough to play it again elsewhere."""
        record = self._ended(match_id, claim)
        entries = [orjson.loads(raw) for raw in self.store.log(match_id)]
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
        game = self.catalogue.playing(record.game, record.game_version)
        if game is None:
            raise RulesVersionGone
        if seat is not None:
            _seat_at(record, seat)
        entries = [orjson.loads(raw) for raw in self.store.log(match_id)]
        state = None
        if record.started_at is not None and version >= record.start_version:
            state = game.deal(len(record.seats), _stored_options(record, game), match_seed(record))
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
        stored = self._load(match_id)
        self._admit(stored.auth, match_id, claim)
        record = load_record(stored.record)
        if record.finished_at is None:
            raise MatchRunning
        return record

    # Acting

    def act(self, match_id: str, claim: Claim | None, decision: str, actions: Sequence[Any]) -> bytes:
        """Answer a decision, and its follow-ups by the rest of the list; the answer's JSON."""
        began = time.perf_counter()
        for attempt in range(TRIES):
            stored = self._load(match_id, decision)
            seat = self._seat_of(stored, match_id, claim)
            match = self._open(stored)
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
                    raise self._refusal(StaleDecision("That decision was answered with another action."), match, seat)
                if not self._still_there(match_id, decision, stored.kept):
                    continue
                return self._answer(int(applied), True, wire.observation(match, seat), [], 0)
            self._check_decision(match, seat, decision)
            now = self._now()
            owed = record.owed[seat]
            if owed.deadline is not None and owed.deadline <= now:
                if not record.seats[seat].away:
                    self.expire(match_id)
                elif self.play_bots(match_id):
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
            held = self._commit(match, stored.version, now, extra, actor=seat, wait=True)
            if held is not None:
                self.meter.time(time.perf_counter() - began, "act_seconds", record.game)
                return self._answer(applied_count, False, ready, events, held - len(events) + 1)
            _pause(attempt)
        raise TooBusy

    def _still_there(self, match_id: str, decision: str, kept: bytes) -> bool:
        """Whether a kept answer may be given again; raises NotReplicated. With a failover it may have gone."""
        if not self.settings.ack_replicas:
            return True
        held, replicated = self.store.confirm(match_id, f"act:{decision}")
        if held == kept and not replicated:
            raise NotReplicated
        return held == kept

    def _check_decision(self, match: Match, seat: int, decision: str) -> None:
        record = match.record
        if record.status != "playing":
            raise self._refusal(MatchOver(), match, seat)
        owed = record.owed.get(seat)
        current = None if owed is None else wire.decision_id(record.id, seat, owed.number)
        if decision == current:
            return
        if current is None and not decision.startswith(wire.decision_id(record.id, seat, 0)[:-1]):
            raise self._refusal(NotYourTurn(), match, seat)
        detail = "This seat owes no decision now." if current is None else f"The pending decision is {current}."
        raise self._refusal(StaleDecision(detail), match, seat)

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
                raise self._refusal(refusal, self._open(stored), seat)
            if place == 0:
                play.spend(match, seat, now, answered=True)
            if play.apply(match, game, seat, number, now):
                return place + 1
        return len(numbers)

    def _refusal(self, error: ParlourError, match: Match, seat: int) -> ParlourError:
        """A refusal that heals: it carries the seat's fresh observation."""
        error.extra.setdefault("reason", error.detail)
        error.extra["observation"] = orjson.Fragment(wire.observation(match, seat))
        return error

    def _answer(self, applied: int, replayed: bool, ready: bytes, events: list[bytes], first: int) -> bytes:
        return b'{"applied":%d,"replayed":%s,"observation":%s,"events":%s}' % (
            applied,
            b"true" if replayed else b"false",
            ready,
            wire.numbered(events, first),
        )

    # What workers do

    def expire(self, match_id: str) -> int:
        """Do what the clock says for every deadline of the match that has passed; how many there were.

        A match without deadlines in which nothing has changed for long is abandoned.

        Exactly once, however many ask: the commit compares the version, and the new state has new deadlines.
        """
        for attempt in range(TRIES):
            stored = self.store.load(match_id)
            if stored is None:
                self.store.forget_due(match_id)
                return 0
            match = self._open(stored)
            record, game, now = match.record, match.game, self._now()
            owing = {seat: owed.expires_at for seat, owed in record.owed.items()}
            late = {seat: at for seat, at in owing.items() if at is not None and at <= now}
            if not any(at <= now for at in play.deadlines(match)):
                return 0
            play.open_lists(match)
            if not late:
                play.end(match, "abandoned", now)
            elif game is not None:
                for seat in late:
                    if owed_by(game, match.state, seat) is not None:
                        play.expire(match, game, seat, now)
                play.settle(match, game, now)
            else:
                return 0
            if self._commit(match, stored.version, now) is not None:
                on_expiry = record.clock.on_expiry if record.clock else ""
                for deadline in late.values():
                    self.meter.count("expiries", record.game, on_expiry)
                    self.meter.time((now - deadline) / 1000, "expiry_lateness_seconds")
                return len(late)
            _pause(attempt)
        raise TooBusy

    def play_bots(self, match_id: str) -> bool:
        """Play every house bot's decision that is due, one commit each; True if the time budget ended first."""
        until = time.monotonic() + BOT_BUDGET_S
        attempt = 0
        match: Match | None = None
        while time.monotonic() < until:
            if match is None:
                stored = self.store.load(match_id)
                if stored is None:
                    self.store.forget_due(match_id)
                    return False
                match = self._open(stored)
            record, game, now = match.record, match.game, self._now()
            seat = next((s for s, owed in record.owed.items() if owed.due is not None and owed.due <= now), None)
            if game is None or seat is None:
                return False
            before = record.version
            self.meter.time((now - (record.owed[seat].due or now)) / 1000, "bot_lateness_seconds")
            play.open_lists(match)
            began = time.perf_counter()
            bot = play.bot_of(game, record.seats[seat].bot)
            action = play.bot_action(match, game, seat, bot.id)
            self.meter.time(time.perf_counter() - began, "bot_think_seconds", record.game, bot.id)
            play.apply(match, game, seat, action, now)
            play.settle(match, game, now)
            if self._commit(match, before, now, trigger=False) is None:
                match = None
                _pause(attempt)
                attempt += 1
        return True

    def hand_on(self, match_id: str) -> None:
        """Queue a match's next bot turn behind those of others."""
        self.jobs.play_bots(match_id, f"more-{self._now()}")

    def hand_out(self) -> None:
        """Give the workers what is due now; what is not done by the lease's end comes back."""
        now = self._now()
        due = self.store.take_due(now, now + round(1000 * self.settings.resend_s), now + webhooks.LEASE_MS, MANY_DUE)
        for start in range(0, len(due.deadlines), BATCH):
            self.jobs.expire(due.deadlines[start : start + BATCH], f"{now}-{self._ids.word(6)}")
        for match_id in due.turns:
            self.jobs.play_bots(match_id, f"due-{now}")
        if due.outboxes:
            self.jobs.spread(due.outboxes, f"{now}-{self._ids.word(6)}")
        for start in range(0, len(due.webhooks), BATCH):
            self.jobs.deliver(due.webhooks[start : start + BATCH], f"{now}-{self._ids.word(6)}")

    # Within

    def _change(self, match_id: str, change: Callable[[Match, int], T], wait: bool = True) -> tuple[Record, T]:
        """Load, change, commit; again from a fresh load when somebody was faster."""
        for attempt in range(TRIES):
            stored = self._load(match_id)
            match = self._open(stored)
            play.open_lists(match)
            now = self._now()
            result = change(match, now)
            if self._commit(match, stored.version, now, wait=wait) is not None:
                return match.record, result
            _pause(attempt)
        raise TooBusy

    def _commit(
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
        done = self.store.commit(
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
            self.meter.count("lost_races")
            return None
        if record.finished_at is not None:
            self.meter.count("matches_ended", record.game, record.status)
        if at_once and trigger:
            self.jobs.play_bots(record.id, str(record.version))
        if not done.replicated:
            raise NotReplicated
        return done.length

    def _load(self, match_id: str, decision: str | None = None) -> Stored:
        stored = self.store.load(match_id, decision) if is_match_id(match_id) else None
        if stored is None:
            raise _no_match(match_id)
        return stored

    def _see(self, match_id: str, viewer: int | None, known: str) -> Seen:
        seen = self.store.observe(match_id, viewer, known) if is_match_id(match_id) else None
        if seen is None:
            raise _no_match(match_id)
        return seen

    def _open(self, stored: Stored) -> Match:
        record = load_record(stored.record)
        game = self.catalogue.playing(record.game, record.game_version)
        state = None
        if stored.state and game is not None:
            try:
                state = game.load(orjson.loads(stored.state))
            except StateUnreadable:
                game = None
        return self._match(record, state, game)

    def _match(self, record: Record, state: Any, game: AnyGame | None) -> Match:
        low, high = self.settings.bot_answer_s
        return Match(
            record, state, game, (round(1000 * low), round(1000 * high)), round(1000 * self.settings.abandon_s)
        )

    def _admit(self, raw: bytes, match_id: str, claim: Claim | None) -> str | None:
        """Let a reader in: anyone to a public match, only its own tokens and its creator's key to a private one.

        The name of that key if it is who reads. Another key is nobody: it sees what is public.
        """
        visibility, host_nonce, nonces, key = load_auth(raw)
        private = visibility == "private"
        if claim is not None and claim.key is not None and claim.key == key:
            return claim.key
        if claim is None or claim.key is not None:
            if private:
                raise _no_match(match_id)
            return None
        nonce = host_nonce if claim.seat is None else "".join(nonces[claim.seat : claim.seat + 1])
        if not nonce or not tokens.fits(self.settings.secret, match_id, claim, nonce):
            raise _no_match(match_id) if private else WrongToken()
        self.proven.add(claim.token)
        return None

    def _seat_of(self, stored: Stored, match_id: str, claim: Claim | None) -> int:
        self._admit(stored.auth, match_id, claim)
        if claim is None:
            raise MissingToken
        if claim.seat is None:
            raise WrongToken
        return claim.seat

    def _as_seat(self, match: Match, claim: Claim | None) -> int:
        return self._seat_of(Stored(0, dump_auth(match.record), b"", b""), match.id, claim)

    def _as_host(self, match: Match, claim: Claim | None) -> None:
        self._admit(dump_auth(match.record), match.id, claim)
        if claim is None:
            raise MissingToken
        if claim.seat is not None or claim.key is not None:
            raise WrongToken


def match_seed(record: Record) -> bytes:
    """The seed of the match's chance: the one that was given, else HMAC-SHA-256(server seed, entropies by seat)."""
    server_seed = bytes.fromhex(record.server_seed)
    if record.open_seed:
        return server_seed
    return digest(server_seed, orjson.dumps([seat.entropy for seat in record.seats]), sha256)


def _lacks_entropy(record: Record) -> bool:
    """Whether the match waits for a human seat's part in its seed."""
    return record.entropy == "awaited" and any(seat.kind == "human" and seat.entropy is None for seat in record.seats)


def _in_play(match: Match) -> AnyGame:
    """The game of a match that is being played; raises what says why it is not."""
    if match.record.status == "open":
        raise MatchOpen
    if match.record.finished_at is not None:
        raise MatchOver
    if match.game is None:
        raise RulesVersionGone
    return match.game


def _has_seat(claim: Claim | None) -> bool:
    return claim is not None and claim.seat is not None


def _seat_at(record: Record, number: int, pointer: str = "/seat") -> Seat:
    if number >= len(record.seats):
        detail = f"must be from 0 to {len(record.seats) - 1}"
        raise ValidationError(errors=[{"pointer": pointer, "detail": detail}])
    return record.seats[number]


def _seat_bot(game: AnyGame, seat: Seat, bot_id: str | None, name: str | None, pointer: str) -> None:
    bot = next((bot for bot in game.bots if bot.id == (bot_id or game.bots[-1].id)), None)
    if bot is None:
        detail = f"{game.slug} has no bot {bot_id!r}; there are: {', '.join(bot.id for bot in game.bots)}"
        raise ValidationError(errors=[{"pointer": pointer, "detail": detail}])
    seat.kind, seat.bot, seat.taken, seat.name = "bot", bot.id, True, name or bot.title


def _open_seat(record: Record, asked: int | None) -> int:
    if asked is None:
        number = next((n for n, seat in enumerate(record.seats) if not seat.taken), None)
        if number is None:
            raise NoOpenSeat
        return number
    if _seat_at(record, asked).taken:
        raise SeatTaken
    return asked


@contextmanager
def _optional() -> Iterator[None]:
    """A write that only spares the next reader some work: while Redis takes none, reading goes on."""
    try:
        yield
    except redis.RedisError as error:
        log.debug("left out a write", extra={"error": type(error).__name__})


def _no_match(match_id: str) -> MatchNotFound:
    return MatchNotFound(f"There is no match {match_id[:40]!r} that you may see.")


def _stored_options(record: Record, game: AnyGame) -> Any:
    return read_options(game, len(record.seats), record.options)


def _pause(attempt: int) -> None:
    """Wait a little longer after each lost race, at random, so that two clients do not meet again."""
    time.sleep(random.random() * min(0.05, 0.001 * (attempt + 1)))
