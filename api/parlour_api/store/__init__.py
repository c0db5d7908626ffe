"""Matches in Redis: load, commit by compare-version, observe in one round trip, take what is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from itertools import chain
from pathlib import Path
from typing import Any, cast

import redis

from ..connect import on_one_connection
from . import keys

REPLICAS_WITHIN_MS = 1000
"""How long replicas have to acknowledge a change; less than a client waits for an answer of Redis."""

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
    taken: int | None = None
    """The seat that somebody takes: its lists begin anew, with what a spectator has seen."""
    wait: bool = False
    """Whether to give the replicas time to have it: somebody will be told that it is done."""


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


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that was made."""

    length: int
    """How many events the actor's list then holds; 0 without an actor."""
    replicated: bool
    """Whether as many replicas have it as were asked for."""


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

    def whole(self, keys: Sequence[str], args: Sequence[Any]) -> Sequence[Any]:
        """The command that runs it wherever its digest may not be known."""
        return ("EVAL", self._text, len(keys), *keys, *args)


class Store:
    """The store of one process. Raises redis.RedisError when Redis cannot be reached.

    ``ack_replicas``: how many replicas must have a change before it counts as replicated; with 0 nobody waits.
    """

    def __init__(self, client: redis.Redis, ack_replicas: int = 0) -> None:
        self.client = client
        self._ack_replicas = ack_replicas
        self._commit, self._confirm, self._observe, self._keep, self._take, self._talk, self._bring_back = (
            Script(client, (_LUA / f"{name}.lua").read_text())
            for name in ("commit", "confirm", "observe", "keep", "take", "talk", "bring_back")
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

    def commit(self, change: Change) -> Committed | None:
        """Make the change and wake its listeners. None if the match has moved on. One round trip."""
        shard = keys.shard_of(change.match_id)
        viewers = [*range(len(change.events) - 1), None]
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
            0 if change.taken is None else change.taken + 1,
            2 * len(change.values),
        ]
        for name, value in change.values.items():
            flat += (name, value)
        for entries in (*change.events, change.log, change.told):
            flat.append(len(entries))
            flat += entries
        written = [
            keys.match_key(change.match_id),
            keys.deadlines_key(shard),
            keys.turns_key(shard),
            keys.outbox_key(shard),
            keys.partners_key(shard),
            *(keys.events_key(change.match_id, viewer) for viewer in viewers),
            keys.log_key(change.match_id),
            *(keys.messages_key(change.match_id, viewer) for viewer in viewers),
        ]
        if change.wait and self._ack_replicas:
            done, replicated = self._and_wait(self._commit, written, flat)
        else:
            done, replicated = self._commit(written, flat), True
        return None if done < 0 else Committed(int(done), replicated)

    def confirm(self, match_id: str, field: str) -> tuple[bytes | None, bool]:
        """What a field of a match holds, and whether as many replicas have it as were asked for.

        For whoever gives an earlier answer again: it may be of a change that never was replicated, or was lost since.
        """
        return self._and_wait(self._confirm, [keys.match_key(match_id)], [field])

    def _and_wait(self, script: Script, keys: Sequence[str], args: Sequence[Any]) -> tuple[Any, bool]:
        """Run a script that writes, and wait for the replicas: over one connection, or WAIT knows of no write."""
        wait = ("WAIT", self._ack_replicas, REPLICAS_WITHIN_MS)
        done, count = on_one_connection(self.client, keys[0], (script.whole(keys, args), wait))
        return done, count >= self._ack_replicas

    def events(self, match_id: str, viewer: int | None, after: int, limit: int) -> tuple[bytes | None, list[bytes]]:
        """Who may read the match (None: it is gone), and a viewer's events with seq above ``after``."""
        return self._listed(match_id, keys.events_key(match_id, viewer), after, limit)

    def messages(self, match_id: str, viewer: int | None, after: int, limit: int) -> tuple[bytes | None, list[bytes]]:
        """Who may read the match (None: it is gone), and what a viewer heard, from after place ``after`` on."""
        return self._listed(match_id, keys.messages_key(match_id, viewer), after, limit)

    def _listed(self, match_id: str, key: str, after: int, limit: int) -> tuple[bytes | None, list[bytes]]:
        """The list first: should its seat get another owner meanwhile, ``auth`` no longer knows the one before."""
        pipe = self.client.pipeline(transaction=False)
        pipe.lrange(key, after, after + limit - 1)
        pipe.hget(keys.match_key(match_id), "auth")
        rows, auth = pipe.execute()
        return auth, rows

    def talk(
        self, match_id: str, version: int, viewers: Sequence[int | None], event: bytes, message: bytes, name: str
    ) -> bytes | None:
        """Say something to those viewers, and wake whoever waits for the match.

        The message, as it was said the first time under the request's ``name``, by which it is also known when Redis'
        answer was lost; None if the match is at another version, where others may sit and talk may be closed.
        """
        lists = [key(match_id, viewer) for viewer in viewers for key in (keys.events_key, keys.messages_key)]
        said: bytes | None = self._talk(
            keys=[keys.match_key(match_id), keys.said_key(match_id, name), *lists],
            args=[keys.WAKE, match_id, event, message, KEPT_S, version],
        )
        return said

    def put_ticket(self, match_id: str, ticket: str, viewer: int | None, nonce: str, life_s: int) -> None:
        """Keep a stream ticket for a while; the ticket itself is not stored, only its digest."""
        self.client.set(keys.ticket_key(match_id, ticket), f"{keys.viewer_name(viewer)} {nonce}", ex=life_s)

    def take_ticket(self, match_id: str, ticket: str, keep: bool) -> tuple[int | None, str] | None:
        """Whose stream the ticket opens, and the nonce of the token that got it; it is gone afterwards, or kept."""
        read = self.client.get if keep else self.client.getdel
        found = cast(bytes | None, read(keys.ticket_key(match_id, ticket)))
        if found is None:
            return None
        viewer, nonce = found.decode().split()
        return None if viewer == keys.viewer_name(None) else int(viewer), nonce

    def log(self, match_id: str) -> list[bytes]:
        """Everything that was applied, in order."""
        return cast(list[bytes], self.client.lrange(keys.log_key(match_id), 0, -1))

    def once_begin(self, name: str, digest: str) -> bytes | None:
        """Begin a request that is to be made once: None, or ``digest:answer`` of the first (empty: none yet)."""
        return cast(bytes | None, self.client.set(keys.ONCE + name, f"{digest}:", nx=True, get=True, ex=KEPT_S))

    def once_end(self, name: str, digest: str, answer: bytes) -> None:
        """Keep the answer for a day."""
        self.client.set(keys.ONCE + name, digest.encode() + b":" + answer, ex=KEPT_S)

    def once_forget(self, name: str) -> None:
        """The request came to nothing; the next one is a first one again."""
        self.client.delete(keys.ONCE + name)

    def list_publicly(self, match_id: str, created_at: int) -> None:
        """Put a match into the lobby; done before its first commit, so the lobby never misses one."""
        self.client.zadd(keys.LOBBY, {match_id: created_at}, nx=True)

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
        sets = [
            (keys.deadlines_key(shard), keys.turns_key(shard), keys.partners_key(shard)) for shard in range(keys.SHARDS)
        ]
        pipe = self.client.pipeline(transaction=False)
        for key in chain.from_iterable(sets):
            pipe.zcount(key, "-inf", now)
        counts = pipe.execute()
        due = Due([], [], [], [])
        for shard, keys_of_shard in enumerate(sets):
            if not any(counts[3 * shard : 3 * shard + 3]):
                continue
            leases = [now, many, lease_end, lease_end, partners_lease_end]
            deadlines, turns, partners = self._take(keys_of_shard, leases)
            due.deadlines.extend(each.decode() for each in deadlines)
            due.turns.extend(each.decode() for each in turns)
            for each in partners:
                if each.decode() == keys.OUTBOX:
                    due.outboxes.append(shard)
                elif each.decode() == keys.ASIDE:
                    self._bring_back(
                        keys=[keys.aside_key(shard), keys.outbox_key(shard), keys.partners_key(shard)],
                        args=[keys.ASIDE, keys.OUTBOX, now, now - OUTBOX_MS],
                    )
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
