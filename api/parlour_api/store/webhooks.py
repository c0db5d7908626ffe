"""Webhooks in Redis: who is to be told, what each is owed, what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import redis

from . import _LUA, Script, keys, newest

KEPT_MS = 7 * 86_400_000
"""How long a delivery can be looked up and sent again."""
MOST_KEPT = 10_000
"""So many deliveries of one webhook are kept at most; beyond that the oldest go first, owed or not."""
UNMADE_MS = 60_000
"""A webhook that is on its partner's list for so long, and nowhere else, is none."""

Place = tuple[int, str]
"""Where a page ends: the last one's creation and id."""


class WebhookStore:
    """The webhooks' part of the store. Raises redis.RedisError when Redis cannot be reached."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._take, self._owe, self._note, self._settle, self._put_aside, self._enlist = (
            Script(client, (_LUA / f"{name}.lua").read_text())
            for name in ("take", "owe", "note", "settle", "put_aside", "enlist")
        )

    # Webhooks

    def put(self, webhook_id: str, name: str, created_at: int, record: bytes, secret: bytes, most: int) -> bool:
        """A new webhook of the partner ``name``; False if it has so many. On its list first, so that the list, which
        counts them, never misses one."""
        enlist = partial(self._enlist, [keys.webhooks_key(name)], [webhook_id, created_at, most])
        if not enlist() and not (self._unlist_gone(name, created_at) and enlist()):
            return False
        self._client.hsetnx(keys.webhook_key(webhook_id), "secret", secret)
        self._client.hsetnx(keys.webhook_key(webhook_id), "record", record)
        return True

    def _unlist_gone(self, name: str, now: int) -> bool:
        """Take off a partner's list what was not made or deleted to the end; whether there was any."""
        listed = cast(list[bytes], self._client.zrange(keys.webhooks_key(name), "-inf", now - UNMADE_MS, byscore=True))
        records = self._records([keys.webhook_key(each.decode()) for each in listed])
        gone = [each for each, record in zip(listed, records, strict=True) if record is None]
        return bool(gone) and bool(self._client.zrem(keys.webhooks_key(name), *gone))

    def get(self, webhook_id: str) -> tuple[bytes, bytes] | None:
        """A webhook's record and secret."""
        found = cast(list[Any], self._client.hmget(keys.webhook_key(webhook_id), ["record", "secret"]))
        return None if found[0] is None else (found[0], found[1])

    def page(self, name: str, before: Place | None, limit: int) -> list[tuple[Place, bytes | None]]:
        """A partner's webhooks, newest first; None for one that is gone."""
        found = newest(self._client, keys.webhooks_key(name), before, limit)
        records = self._records([keys.webhook_key(each) for each, _ in found])
        return [((at, each), record) for (each, at), record in zip(found, records, strict=True)]

    def change(self, webhook_id: str, before: bytes, after: bytes) -> bool:
        """Replace its record; False if it is another one by now."""
        return bool(self._note(keys=[keys.webhook_key(webhook_id)], args=[before, after]))

    def delete(self, webhook_id: str, name: str) -> None:
        """Forget a webhook and all of its deliveries; itself first, so that nothing is sent any more."""
        self._client.delete(keys.webhook_key(webhook_id))
        self.forget(webhook_id)
        self._client.zrem(keys.webhooks_key(name), webhook_id)

    def forget(self, webhook_id: str) -> None:
        """What a webhook that is gone was owed, and what came of it."""
        gone = cast(list[bytes], self._client.zrange(keys.deliveries_key(webhook_id), 0, -1))
        self._drop(webhook_id, gone)
        self._client.delete(keys.due_key(webhook_id), keys.deliveries_key(webhook_id))
        self._client.zrem(keys.partners_key(keys.shard_of(webhook_id)), webhook_id)

    # Deliveries

    def outbox(self, shard: int, many: int) -> list[bytes]:
        """What is to be told first."""
        return cast(list[bytes], self._client.zrange(keys.outbox_key(shard), 0, many - 1))

    def told(self, shard: int, entries: Sequence[bytes]) -> None:
        """Those are owed to everybody whom they concern."""
        self._client.zrem(keys.outbox_key(shard), *entries)

    def put_aside(self, shard: int, entries: Sequence[bytes], again_at: int) -> None:
        """Nobody can be told of those for now; they come back into the outbox at ``again_at``."""
        self._put_aside(
            keys=[keys.outbox_key(shard), keys.aside_key(shard), keys.partners_key(shard)],
            args=[keys.ASIDE, again_at, *entries],
        )

    def settle_outbox(self, shard: int) -> None:
        """The lease of a shard's outbox ends."""
        self._settle(keys=[keys.outbox_key(shard), keys.partners_key(shard)], args=[keys.OUTBOX])

    def owe(self, webhook_id: str, delivery_id: str, record: bytes, body: bytes, now: int) -> None:
        """Owe a webhook a delivery, due at once; once, however often this is asked."""
        self._owe(
            keys=[
                keys.webhook_key(webhook_id),
                keys.delivery_key(webhook_id, delivery_id),
                keys.due_key(webhook_id),
                keys.deliveries_key(webhook_id),
                keys.partners_key(keys.shard_of(webhook_id)),
            ],
            args=[webhook_id, delivery_id, record, body, now, KEPT_MS],
        )

    def trim(self, webhook_id: str) -> None:
        """Drop the oldest deliveries beyond what is kept."""
        old = cast(list[bytes], self._client.zrange(keys.deliveries_key(webhook_id), 0, -MOST_KEPT - 1))
        if old:
            self._drop(webhook_id, old)
            self._client.zrem(keys.due_key(webhook_id), *old)
            self._client.zrem(keys.deliveries_key(webhook_id), *old)

    def take(self, webhook_id: str, now: int, lease_end: int, many: int) -> list[str]:
        """Deliveries of a webhook that are due; they come back at the lease's end."""
        (taken,) = self._take(keys=[keys.due_key(webhook_id)], args=[now, many, lease_end])
        return [each.decode() for each in taken]

    def settle(self, webhook_id: str) -> None:
        """The lease of a webhook ends."""
        partners = keys.partners_key(keys.shard_of(webhook_id))
        self._settle(keys=[keys.due_key(webhook_id), partners], args=[webhook_id])

    def delivery(self, webhook_id: str, delivery_id: str) -> tuple[bytes, bytes] | None:
        """A delivery's record and body."""
        key = keys.delivery_key(webhook_id, delivery_id)
        found = cast(list[Any], self._client.hmget(key, ["record", "body"]))
        return None if found[0] is None else (found[0], found[1])

    def deliveries(self, webhook_id: str, before: Place | None, limit: int) -> list[tuple[Place, bytes | None]]:
        """A webhook's deliveries, newest first; None for one that is gone."""
        found = newest(self._client, keys.deliveries_key(webhook_id), before, limit)
        records = self._records([keys.delivery_key(webhook_id, each) for each, _ in found])
        return [((at, each), record) for (each, at), record in zip(found, records, strict=True)]

    def note(self, webhook_id: str, delivery_id: str, before: bytes, after: bytes, due: int | None) -> bool:
        """What came of a delivery, and when it is due next; False if somebody else has noted something meanwhile."""
        return bool(
            self._note(
                keys=[
                    keys.delivery_key(webhook_id, delivery_id),
                    keys.due_key(webhook_id),
                    keys.partners_key(keys.shard_of(webhook_id)),
                ],
                args=[before, after, delivery_id, "" if due is None else due, webhook_id],
            )
        )

    def no_longer_owed(self, webhook_id: str, delivery_id: str) -> None:
        """A delivery whose record is gone."""
        self._client.zrem(keys.due_key(webhook_id), delivery_id)

    def _records(self, names: Sequence[str]) -> list[bytes | None]:
        pipe = self._client.pipeline(transaction=False)
        for name in names:
            pipe.hget(name, "record")
        return cast(list[bytes | None], pipe.execute())

    def _drop(self, webhook_id: str, delivery_ids: Sequence[bytes]) -> None:
        pipe = self._client.pipeline(transaction=False)
        for each in delivery_ids:
            pipe.delete(keys.delivery_key(webhook_id, each.decode()))
        pipe.execute()
