"""Matches in Redis: load, commit by compare-version, observe in one round trip, take what is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import Any, cast

import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from . import keys

CONNECTIONS = 32
"""Connections to Redis that one process opens at most; a command holds one for a tenth of a millisecond."""
WAIT_FOR_CONNECTION_S = 5.0

UNDER_WAY_S = 30
OUTBOX_MS = 86_400_000
"""What could not be handed on for so long is told to nobody: the workers for it do not run."""
KEPT_S = 86400

_LUA = Path(__file__).parent / "lua"


@dataclass(frozen=True, slots=True)
class Stored:
    """A match as it lies in Redis."""

    version: int
    auth: bytes
    record: bytes
    state: bytes
    kept: bytes | None = None
    """The kept answer of the decision that was asked for, if it was answered by its token."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an observer's one round trip brought: ready bytes, or what they are made of, or only that nothing is new."""

    version: int
    auth: bytes
    ready: bytes | None = None
    record: bytes | None = None
    state: bytes | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a match, ready to be committed. Times in ms; None: none set."""

    match_id: str
    before: int | None
    version: int
    commit_id: str
    values: dict[str, bytes]
    events: Sequence[Sequence[bytes]]
    log: Sequence[bytes]
    deadline: int | None
    turn: int | None
    ttl: int
    now: int
    told: Sequence[bytes] = ()
    """What goes to partners, through the outbox."""
    actor: int | None = None
    """The seat whose number of events is to be told."""


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be handed to the workers now."""

    deadlines: list[str]
    """Matches with a deadline that has passed."""
    turns: list[str]
    """Matches in which a house bot is to move."""
    outboxes: list[int]
    """Shards that have something to tell to partners."""
    webhooks: list[str]
    """Webhooks that are owed a delivery."""


def connect(url: str) -> redis.Redis:
    """A client for short commands. It retries by itself; the commit script recognises its own repeat.

    Threads share its connections: whoever finds none free waits for one, instead of an error when many wake at once.
    """
    pool = redis.BlockingConnectionPool.from_url(
        url,
        max_connections=CONNECTIONS,
        timeout=WAIT_FOR_CONNECTION_S,
        socket_timeout=2.0,
        socket_connect_timeout=1.0,
        retry=Retry(ExponentialBackoff(cap=0.3, base=0.02), 4),
    )
    return redis.Redis.from_pool(pool)


def connect_reader(url: str) -> redis.Redis:
    """A client for blocking reads: no timeout, no retry; its reader reconnects and wakes everybody."""
    return redis.Redis.from_url(
        url, socket_timeout=None, socket_connect_timeout=1.0, retry=Retry(ExponentialBackoff(), 0)
    )


class Script:
    """A Lua script, called by its digest; redis-py's own wrapper costs twice the call."""

    def __init__(self, client: redis.Redis, text: str) -> None:
        self._client = client
        self._text = text
        self.sha = sha1(text.encode()).hexdigest()  # noqa: S324 - the name that Redis gives to a script

    def __call__(self, keys: Sequence[str], args: Sequence[Any]) -> Any:
        """Run it in one round trip; two the first time."""
        try:
            return self._client.evalsha(self.sha, len(keys), *keys, *args)
        except redis.exceptions.NoScriptError:
            return self._client.eval(self._text, len(keys), *keys, *args)

    def queue(self, pipe: Any, keys: Sequence[str], args: Sequence[Any]) -> None:
        """Put it into a pipeline, whole: its digest may not be known there."""
        pipe.eval(self._text, len(keys), *keys, *args)


class Store:
    """The store of one process. Raises redis.RedisError when Redis cannot be reached."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self._commit, self._observe, self._keep, self._take, self._talk = (
            Script(client, (_LUA / f"{name}.lua").read_text()) for name in ("commit", "observe", "keep", "take", "talk")
        )

    def load(self, match_id: str, decision: str | None = None) -> Stored | None:
        """The match, and the kept answer of one decision; None if there is no such match. One round trip."""
        fields = ["version", "auth", "record", "state"]
        if decision is not None:
            fields.append(f"act:{decision}")
        found = cast(list[Any], self.client.hmget(keys.match_key(match_id), fields))
        if found[0] is None:
            return None
        return Stored(int(found[0]), *found[1:])

    def observe(self, match_id: str, viewer: int | None, known: str = "") -> Seen | None:
        """Ready bytes for a viewer, or what they are made of; just the version if it is the ``known`` one."""
        found = self._observe(keys=[keys.match_key(match_id)], args=[keys.viewer_name(viewer), known])
        if found is None:
            return None
        _, auth, *rest = found
        return Seen(int(found[0]), auth, *(part or None for part in rest))

    def keep(self, match_id: str, viewer: int | None, version: int, ready: bytes) -> None:
        """Keep a viewer's ready bytes for the next reader, unless the match has moved on."""
        self._keep(keys=[keys.match_key(match_id)], args=[version, keys.viewer_name(viewer), ready])

    def commit(self, change: Change) -> int | None:
        """Make the change and wake its listeners: how many events the actor's list then holds (0 without an actor).

        None if the match has moved on. One round trip.
        """
        shard = keys.shard_of(change.match_id)
        seats = len(change.events) - 1
        flat: list[Any] = [
            "" if change.before is None else change.before,
            change.version,
            change.commit_id,
            change.match_id,
            "" if change.deadline is None else change.deadline,
            "" if change.turn is None else change.turn,
            change.ttl,
            keys.WAKE,
            0 if change.actor is None else change.actor + 1,
            change.now,
            change.now - OUTBOX_MS,
            2 * len(change.values),
        ]
        for name, value in change.values.items():
            flat += (name, value)
        for entries in (*change.events, change.log, change.told):
            flat.append(len(entries))
            flat += entries
        done = self._commit(
            keys=[
                keys.match_key(change.match_id),
                keys.deadlines_key(shard),
                keys.turns_key(shard),
                keys.outbox_key(shard),
                keys.partners_key(shard),
                *(keys.events_key(change.match_id, seat) for seat in range(seats)),
                keys.events_key(change.match_id, None),
                keys.log_key(change.match_id),
            ],
            args=flat,
        )
        return None if done < 0 else int(done)

    def events(self, match_id: str, viewer: int | None, after: int, limit: int) -> tuple[bytes | None, list[bytes]]:
        """Who may read the match (None: it is gone), and a viewer's events with seq above ``after``."""
        pipe = self.client.pipeline(transaction=False)
        pipe.hget(keys.match_key(match_id), "auth")
        pipe.lrange(keys.events_key(match_id, viewer), after, after + limit - 1)
        auth, rows = pipe.execute()
        return auth, rows

    def talk(self, match_id: str, viewers: Sequence[int | None], event: bytes, message: bytes) -> None:
        """Say something to those viewers, and wake whoever waits for the match."""
        lists = [name(match_id, viewer) for viewer in viewers for name in (keys.events_key, keys.messages_key)]
        self._talk(keys=[keys.match_key(match_id), *lists], args=[keys.WAKE, match_id, event, message])

    def messages(self, match_id: str, viewer: int | None, after: int, limit: int) -> list[bytes]:
        """What a viewer heard, from the message after place ``after`` on."""
        return cast(list[bytes], self.client.lrange(keys.messages_key(match_id, viewer), after, after + limit - 1))

    def put_ticket(self, match_id: str, ticket: str, viewer: int | None, life_s: int) -> None:
        """Keep a stream ticket for a while; the ticket itself is not stored, only its digest."""
        self.client.set(keys.ticket_key(match_id, ticket), keys.viewer_name(viewer), ex=life_s)

    def take_ticket(self, match_id: str, ticket: str) -> str | None:
        """Whose stream the ticket opens, as a viewer's name; it is gone afterwards."""
        viewer = cast(bytes | None, self.client.getdel(keys.ticket_key(match_id, ticket)))
        return None if viewer is None else viewer.decode()

    def log(self, match_id: str) -> list[bytes]:
        """Everything that was applied, in order."""
        return cast(list[bytes], self.client.lrange(keys.log_key(match_id), 0, -1))

    def once_begin(self, name: str, digest: str) -> bytes | None:
        """Begin a request that is to be made once: None, or ``digest:answer`` of the first (empty: under way)."""
        return cast(bytes | None, self.client.set(keys.ONCE + name, f"{digest}:", nx=True, get=True, ex=UNDER_WAY_S))

    def once_end(self, name: str, digest: str, answer: bytes) -> None:
        """Keep the answer for a day."""
        self.client.set(keys.ONCE + name, digest.encode() + b":" + answer, ex=KEPT_S)

    def once_forget(self, name: str) -> None:
        """The request came to nothing; the next one is a first one again."""
        self.client.delete(keys.ONCE + name)

    def list_publicly(self, match_id: str, created_at: int) -> None:
        """Put a match into the lobby; done before its first commit, so the lobby never misses one."""
        self.client.zadd(keys.LOBBY, {match_id: created_at})

    def lobby(self, before: tuple[int, str] | None, limit: int) -> list[tuple[str, int, bytes | None]]:
        """Public matches, newest first: (id, created_at, record or None if it is gone), after a (created_at, id)."""
        found = newest(self.client, keys.LOBBY, before, limit)
        pipe = self.client.pipeline(transaction=False)
        for match_id, _ in found:
            pipe.hget(keys.match_key(match_id), "record")
        return [(m, at, record) for (m, at), record in zip(found, pipe.execute(), strict=True)]

    def unlist(self, match_ids: Sequence[str]) -> None:
        """Take matches that are gone out of the lobby."""
        if match_ids:
            self.client.zrem(keys.LOBBY, *match_ids)

    def take_due(self, now: int, lease_end: int, partners_lease_end: int, many: int) -> Due:
        """What is due in every shard; it comes back at its lease's end."""
        pipe = self.client.pipeline(transaction=False)
        for shard in range(keys.SHARDS):
            sets = [keys.deadlines_key(shard), keys.turns_key(shard), keys.partners_key(shard)]
            self._take.queue(pipe, sets, [now, many, lease_end, lease_end, partners_lease_end])
        due = Due([], [], [], [])
        for shard, (deadlines, turns, partners) in enumerate(cast(list[list[list[bytes]]], pipe.execute())):
            due.deadlines.extend(each.decode() for each in deadlines)
            due.turns.extend(each.decode() for each in turns)
            for each in partners:
                if each.decode() == keys.OUTBOX:
                    due.outboxes.append(shard)
                else:
                    due.webhooks.append(each.decode())
        return due

    def forget_due(self, match_id: str) -> None:
        """Take a match that is gone out of its shard's sets."""
        shard = keys.shard_of(match_id)
        self.client.zrem(keys.deadlines_key(shard), match_id)
        self.client.zrem(keys.turns_key(shard), match_id)


def newest(client: redis.Redis, key: str, before: tuple[int, str] | None, limit: int) -> list[tuple[str, int]]:
    """A page of a sorted set of ids by creation, newest first, as (id, created_at), after a (created_at, id)."""
    highest: int | str = before[0] if before else "+inf"
    found: list[tuple[str, int]] = []
    offset = 0
    while len(found) < limit:
        page = cast(
            list[tuple[bytes, float]],
            client.zrange(key, highest, "-inf", desc=True, byscore=True, withscores=True, offset=offset, num=limit),
        )
        offset += len(page)
        ids = [(raw.decode(), int(score)) for raw, score in page]
        found += [(each, at) for each, at in ids if before is None or (at, each) < before]
        if len(page) < limit:
            break
    return found[:limit]
