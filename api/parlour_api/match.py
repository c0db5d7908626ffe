"""One match as the service holds it: the record around the game's state, and its stored form."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from hmac import digest
from typing import Any, Literal, NamedTuple

import orjson
from parlour_engine.game import AnyGame

Status = Literal["open", "playing", "finished", "cancelled", "abandoned"]
OnExpiry = Literal["bot_move", "default_move", "forfeit"]


@dataclass(slots=True)
class Seat:
    """A place in the match. ``kind`` says who it is for, ``played_by`` who answers its decisions now."""

    kind: Literal["human", "bot"]
    name: str
    nonce: str
    bot: str | None = None
    taken: bool = False
    forfeited: bool = False
    creators: bool = False
    """Taken by whoever created the match, as far as a token told. It stays theirs when they leave in play: its token
    takes it back."""
    away: bool = False
    """A house bot plays this human's seat until its token takes it back."""
    left: bool = False
    expiries: int = 0
    """Deadlines that it let pass in a row."""
    entropy: str | None = None
    """Hex that this seat gave to the match's seed."""
    bank: int | None = None
    """What is left of its time bank, ms."""

    @property
    def played_by(self) -> Literal["human", "bot"] | None:
        """Who answers this seat's decisions; None while nobody has taken it."""
        if not self.taken:
            return None
        return "bot" if self.away else self.kind


@dataclass(slots=True)
class ClockRule:
    """The time for decisions, in seconds, and what happens when it ends.

    Each decision has ``per_decision_s`` of its own; what it takes beyond that comes out of the seat's bank, which
    starts with ``bank_s`` and gains ``increment_s`` with each answer (Fischer). The deadline is the end of both.
    """

    per_decision_s: float = 0.0
    bank_s: float | None = None
    increment_s: float = 0.0
    on_expiry: OnExpiry = "bot_move"
    takeover_after: int = 3
    """After so many expiries in a row a house bot plays the seat."""


@dataclass(slots=True)
class Owed:
    """A decision that a seat owes, with its times in ms."""

    number: int
    kind: int
    since: int
    deadline: int | None = None
    """Until when its player may answer it: the same, however often a house bot has the seat meanwhile."""
    due: int | None = None
    """When the house bot that plays the seat answers it; None while a player does."""

    @property
    def expires_at(self) -> int | None:
        """When the clock acts on it: at the deadline, unless a house bot answers it."""
        return self.deadline if self.due is None else None


@dataclass(slots=True)
class Record:
    """Everything about a match but the game's state. Instants are ms since 1970.

    Stored as JSON with these field names: rename none; a new field needs a default.
    """

    id: str
    game: str
    game_version: str
    options: dict[str, Any]
    seats: list[Seat]
    visibility: Literal["public", "private"]
    host_nonce: str
    join_code: str | None
    start: Literal["auto", "manual"]
    entropy: Literal["optional", "awaited"]
    clock: ClockRule | None
    server_seed: str
    open_seed: bool
    created_at: int
    status: Status = "open"
    version: int = 0
    started_at: int | None = None
    finished_at: int | None = None
    start_version: int = 0
    """The version at which the cards were dealt."""
    touched_at: int = 0
    """When it last changed."""
    outcome: dict[str, Any] | None = None
    owed: dict[int, Owed] = field(default_factory=dict)
    key: str | None = None
    """The name of the API key that created it."""
    metadata: dict[str, str] | None = None
    """What that key keeps with it; shown to it and to nobody else."""


@dataclass(slots=True)
class Match:
    """A match loaded from the store: its record, its state while it is played, and what is not yet committed."""

    record: Record
    state: Any
    game: AnyGame | None
    """None when this server no longer has the rules that the match began with."""
    bot_answer: tuple[int, int]
    """From when to when a house bot gives a secret answer, ms."""
    abandon_after: int
    """After so many ms without a change, a match without deadlines is abandoned."""
    new_log: list[bytes] = field(default_factory=list)
    """What the change under way applied: [version, seat, action]; action null for a forfeit."""
    awaited: frozenset[int] = frozenset()
    """Human players' seats that the match waited for before the change under way."""
    taken: int | None = None
    """The seat that somebody takes with the change under way: what was whispered to it before is not theirs."""
    new_events: list[list[bytes]] = field(default_factory=list)
    """Per seat, the spectator's last: events of the change under way, ready JSON without their seq."""

    @property
    def id(self) -> str:
        return self.record.id


def dump_auth(record: Record) -> bytes:
    """What a token check needs, apart from the record so that the hot path reads nothing else."""
    auth = [record.visibility, record.host_nonce, [seat.nonce for seat in record.seats]]
    return orjson.dumps(auth if record.key is None else [*auth, record.key])


class Auth(NamedTuple):
    """What ``dump_auth`` wrote: who may read a match, by which nonces, and whose key created it."""

    visibility: str
    host_nonce: str
    nonces: list[str]
    key: str | None = None


def load_auth(raw: bytes) -> Auth:
    """What a token check needs, from its stored form."""
    return Auth(*orjson.loads(raw))


def dump_record(record: Record) -> bytes:
    """The record's stored form."""
    return orjson.dumps(record, option=orjson.OPT_NON_STR_KEYS)


def load_record(raw: bytes) -> Record:
    """The record from its stored form."""
    data = orjson.loads(raw)
    data["seats"] = [Seat(**seat) for seat in data["seats"]]
    data["clock"] = data["clock"] and ClockRule(**data["clock"])
    data["owed"] = {int(seat): Owed(**owed) for seat, owed in data["owed"].items()}
    return Record(**data)


def match_seed(record: Record) -> bytes:
    """The seed of the match's chance: the one that was given, else HMAC-SHA-256(server seed, entropies by seat)."""
    server_seed = bytes.fromhex(record.server_seed)
    if record.open_seed:
        return server_seed
    return digest(server_seed, orjson.dumps([seat.entropy for seat in record.seats]), sha256)
