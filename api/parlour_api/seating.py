"""Use cases around the table: a match is created, filled, started, left, handed over, cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from parlour_engine.game import AnyGame

from . import play, tokens
from .catalogue import Catalogue, read_options
from .errors import (
    EntropyAwaited,
    HostIsPlayer,
    MatchOpen,
    MatchOver,
    MatchStarted,
    MissingToken,
    NoOpenSeat,
    NotReplicated,
    RulesVersionGone,
    SeatsOpen,
    SeatTaken,
    SeedGiven,
    TooBusy,
    ValidationError,
    WrongToken,
)
from .match import ClockRule, Match, Record, Seat, dump_auth, load_auth, load_record, match_seed
from .matches import Matches, no_match, seat_at
from .metrics import Meter
from .sources import Clock, Ids
from .store import Store
from .tokens import Claim


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


class Seating:
    """Who sits where, and from when to when a match is played."""

    def __init__(
        self,
        matches: Matches,
        store: Store,
        catalogue: Catalogue,
        clock: Clock,
        ids: Ids,
        meter: Meter,
    ) -> None:
        self._matches = matches
        self._store = store
        self._catalogue = catalogue
        self._now = clock
        self._ids = ids
        self._meter = meter

    def create(self, new: NewMatch, claim: Claim | None = None, name: str | None = None) -> tuple[Record, list[int]]:
        """A new match, and the seats that its creator holds; the same one for the same request's ``name``.

        Of a match that is there already these are the seats that the request took and nobody else has since.

        Not acknowledged before ``settle`` says so.
        """
        key = tokens.key_of(claim)
        if self._matches.settings.create == "key" and key is None:
            raise WrongToken if claim else MissingToken
        if new.metadata and key is None:
            detail = "needs an API key, sent as Authorization: Bearer key_..."
            raise ValidationError(errors=[{"pointer": "/metadata", "detail": detail}])
        game = self._catalogue.find(new.game)
        count = len(new.seats)
        if count not in game.seats:
            detail = f"{game.slug} takes {game.seats[0]} to {game.seats[-1]} seats, not {count}"
            raise ValidationError(errors=[{"pointer": "/seats", "detail": detail}])
        options = read_options(game, count, new.options)
        now = self._now()
        seats = []
        for number, asked in enumerate(new.seats):
            seat = Seat("human", asked.name or "", self._nonce(f"seat {number}", name))
            if asked.kind == "bot":
                _seat_bot(game, seat, asked.bot, asked.name, f"/seats/{number}/bot")
            elif asked.kind == "mine":
                seat.taken = seat.creators = True
                seat.name = asked.name or f"Player {number + 1}"
            seats.append(seat)
        record = Record(
            id=self._ids.sharded("mat", name and tokens.derived(self._matches.settings.secret, "match", name, 24)),
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
        match = self._matches.hold(record, None, game)
        play.open_lists(match)
        if record.visibility == "public":
            self._store.list_publicly(record.id, now)
        self._start_if_full(match, now)
        if self._matches.commit(match, None, now) is None:
            there = self._store.load(record.id)
            if there is None:
                raise TooBusy
            record = load_record(there.record)
        else:
            self._meter.count("matches_created", record.game)
        held = {seat.nonce for seat in record.seats}
        return record, [number for number, seat in enumerate(seats) if seat.creators and seat.nonce in held]

    def _nonce(self, what: str, name: str | None) -> str:
        """A new nonce, which nobody else has; for the same request's ``name`` the same one."""
        return tokens.derived(self._matches.settings.secret, what, name, 16) if name else self._ids.word(16)

    def settle(self, match_id: str, nonces: Sequence[str]) -> bool:
        """See that what a request created or joined is safe, before it is answered, again or for the first time.

        False if the match does not know these nonces (any more): a failover took them, and the request can be made
        again. Raises NotReplicated.
        """
        if self._matches.settings.ack_replicas:
            raw, replicated = self._store.confirm(match_id, "auth")
            auth = None if raw is None else load_auth(raw)
            if auth is None or not {*nonces} <= {auth.host_nonce, *auth.nonces}:
                return False
            if not replicated:
                raise NotReplicated
        return True

    def join(
        self,
        match_id: str,
        seat: int | None,
        player: str | None,
        join_code: str | None,
        name: str | None = None,
        claim: Claim | None = None,
    ) -> tuple[Record, int]:
        """Take an open seat, the named one or the first; the one that the same request's ``name`` has taken before.

        The match starts by itself once all are taken. Not acknowledged before ``settle`` says so.
        """
        # A fresh nonce: a failover can undo this, and the next one's token must be another.
        nonce = self._nonce("seat", name)

        def change(match: Match, now: int) -> int:
            record = match.record
            if record.visibility == "private" and (join_code or "").strip().lower() != record.join_code:
                raise no_match(match_id)
            creators = self._is_creator(match, claim)
            for number, each in enumerate(record.seats):
                if each.nonce == nonce:
                    return number
            if record.status != "open":
                raise MatchStarted
            number = _open_seat(record, seat)
            record.seats[number].nonce = nonce
            record.seats[number].taken = True
            record.seats[number].creators = creators
            record.seats[number].name = player or record.seats[number].name or f"Player {number + 1}"
            match.taken = number
            play.seat_changed(match, number, now)
            self._start_if_full(match, now)
            return number

        return self._matches.change(match_id, change, wait=False)

    def fill(self, match_id: str, claim: Claim | None, number: int, asked: NewSeat) -> Record:
        """The host gives a seat to a house bot, or opens it again; whoever held it loses it."""

        def change(match: Match, now: int) -> None:
            self._matches.as_host(match, claim)
            record = match.record
            if record.status != "open":
                raise MatchStarted
            seat_at(record, number)
            seat = Seat("human", asked.name or "", self._ids.word(16))
            if asked.kind == "bot":
                if match.game is None:
                    raise RulesVersionGone
                _seat_bot(match.game, seat, asked.bot, asked.name, "/bot")
            record.seats[number] = seat
            play.seat_changed(match, number, now)
            self._start_if_full(match, now)

        return self._matches.change(match_id, change)[0]

    def start(self, match_id: str, claim: Claim | None) -> Record:
        """The host starts a match whose seats are all taken."""

        def change(match: Match, now: int) -> None:
            self._matches.as_host(match, claim)
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

        return self._matches.change(match_id, change)[0]

    def give_entropy(self, match_id: str, claim: Claim | None, entropy: str) -> Record:
        """A seat's own part in the match's seed, before the start; sent again, it replaces the earlier one."""

        def change(match: Match, now: int) -> None:
            number = self._matches.as_seat(match, claim)
            if match.record.status != "open":
                raise MatchStarted
            if match.record.open_seed:
                raise SeedGiven
            match.record.seats[number].entropy = entropy
            match.record.version += 1
            self._start_if_full(match, now)

        return self._matches.change(match_id, change)[0]

    def leave(self, match_id: str, claim: Claim | None) -> Record:
        """Before the start, free the seat: its token is worth nothing then. In play, a house bot plays it at once."""

        def change(match: Match, now: int) -> None:
            number = self._matches.as_seat(match, claim)
            if match.record.status == "open":
                match.record.seats[number] = Seat("human", "", self._ids.word(16))
                play.seat_changed(match, number, now)
            else:
                game, seat = _in_play(match), match.record.seats[number]
                seat.left = True
                if not seat.away:
                    play.take_over(match, game, number, now)

        return self._matches.change(match_id, change)[0]

    def take_over(self, match_id: str, claim: Claim | None, number: int) -> Record:
        """Have a house bot play a seat: by the seat itself, or by the host once its player has gone."""

        def change(match: Match, now: int) -> None:
            self._matches.admit(dump_auth(match.record), match.id, claim)
            if claim is None:
                raise MissingToken
            seat = seat_at(match.record, number)
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

        return self._matches.change(match_id, change)[0]

    def hand_back(self, match_id: str, claim: Claim | None, number: int) -> Record:
        """Take a seat back from the house bot that plays it, with the seat's own token."""

        def change(match: Match, now: int) -> None:
            if self._matches.as_seat(match, claim) != number:
                raise WrongToken
            game = _in_play(match)
            if match.record.seats[number].away:
                play.hand_back(match, game, number, now)

        return self._matches.change(match_id, change)[0]

    def cancel(self, match_id: str, claim: Claim | None) -> Record:
        """End a match that nobody is to finish: its host, while no other player would lose by it; its key always."""

        def change(match: Match, now: int) -> None:
            record = match.record
            by_key = record.key is not None and record.key == tokens.key_of(claim)
            if not by_key:
                self._matches.as_host(match, claim)
            if record.finished_at is not None:
                raise MatchOver
            plays = any(seat.creators for seat in record.seats)
            others = any(seat.kind == "human" and not seat.creators and not seat.left for seat in record.seats)
            if not by_key and record.status == "playing" and plays and others:
                raise HostIsPlayer("A host that plays cannot end a match that others play too; leave it instead.")
            play.end(match, "cancelled", now)

        return self._matches.change(match_id, change)[0]

    def _is_creator(self, match: Match, claim: Claim | None) -> bool:
        """Whether a token shows that the match's creator joins: the host's, or one of a seat that is theirs.

        Without a token, or with a partner's key, it is somebody of whom nothing is known. Raises WrongToken.
        """
        if claim is None or claim.key is not None:
            return False
        self._matches.admit(dump_auth(match.record), match.id, claim)
        return claim.seat is None or match.record.seats[claim.seat].creators

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
        play.start(match, game, read_options(game, len(record.seats), record.options), match_seed(record), now)
        play.settle(match, game, now)


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
    if seat_at(record, asked).taken:
        raise SeatTaken
    return asked
