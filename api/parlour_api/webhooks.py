"""Webhooks: what partners are told of their matches, to whom it is owed, and how it is sent until it arrives.

A commit of a partner's match puts what there is to tell into its shard's outbox, all or nothing with the change itself.
From there it is spread: each webhook that it concerns is owed a delivery, whose id follows from event and webhook, so
that doing it twice owes nothing twice. What is owed is sent until it is taken, or has failed for a day.
"""

from __future__ import annotations

import logging
import random
import secrets
import time
from base64 import b32encode, b64encode
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Literal

import orjson
from standardwebhooks import Webhook as Signer

from . import outbound, play, wire
from .errors import DeliveryNotFound, TooBusy, TooManyWebhooks, UrlRefused, WebhookNotFound
from .match import Match
from .metrics import Meter
from .settings import Settings
from .sources import Clock, Ids
from .store import keys
from .store.webhooks import Place, WebhookStore
from .tokens import derived

log = logging.getLogger(__name__)

TYPES = (
    "match.started",
    "match.turn",
    "match.seat_changed",
    "match.finished",
    "match.cancelled",
    "match.abandoned",
)
"""Everything that a webhook can be told."""

MOST = 20
"""Webhooks of one partner."""
ABREAST = 8
"""Requests to one webhook at a time, of one process."""
BUDGET_S = 5.0
"""How long one webhook is served before it is another's turn."""
LOOK_S = 0.2
"""How often more is taken while requests are under way."""
LEASE_MS = 20_000
"""What a killed process had begun is begun again after so long: the budget, a last request, and time to note it."""
SPREAD_AT_ONCE = 100
AGAIN_MS = 10_000
"""After so long another worker may know a key that this one does not: in a deployment that is being rolled."""
LONGEST_AGAIN_MS = 3_600_000
NOTED = 50
"""So many attempts are kept of a delivery that is sent again and again."""
TRIES = 20

State = Literal["pending", "delivered", "failed"]


@dataclass(slots=True)
class Webhook:
    """An address of a partner's, and what it wants to be told. Instants are ms since 1970.

    Stored as JSON with these field names, as are deliveries: rename none; a new field needs a default.
    """

    id: str
    key: str
    url: str
    events: list[str]
    description: str
    created_at: int
    disabled_at: int | None = None
    """When it answered 410 Gone; it is sent nothing since."""


@dataclass(slots=True)
class Attempt:
    """One request: the status of its answer, or why there was none."""

    at: int
    status: int | None
    error: str | None


@dataclass(slots=True)
class Delivery:
    """An event on its way to a webhook."""

    id: str
    webhook: str
    type: str
    match: str
    created_at: int
    state: State = "pending"
    next_at: int | None = None
    attempts: list[Attempt] = field(default_factory=list)
    tries: int = 0
    """Attempts since it was owed, or asked for again."""


def told(match: Match, now: int) -> list[bytes]:
    """What the change under way tells the partner whose match it is: facts that a spectator may know, its metadata."""
    record = match.record
    if record.key is None:
        return []
    happened: list[tuple[str, dict[str, Any]]] = []
    for row in match.new_events[-1]:  # the spectator's
        event = orjson.loads(row)["event"]
        if event["type"] == "match_started":
            happened.append(("match.started", {}))
        elif event["type"] == "seat_changed":
            happened.append(("match.seat_changed", {"seat": event["seat"]}))
        elif event["type"] == "match_finished":
            happened.append((f"match.{record.status}", {}))
    newly = sorted(play.awaited(record) - match.awaited)
    if newly:
        happened.append(("match.turn", {"seats": newly}))
    summary = wire.summary(record, record.key) if happened else {}
    return [
        orjson.dumps(
            {
                # its creation, too: who repeats one whose match has gone gets another match of the same id
                "id": f"{record.id}:{record.created_at}:{record.version}:{place}",
                "key": record.key,
                "body": {"type": kind, "timestamp": wire.instant(now), "data": {"match": summary, **more}},
            }
        )
        for place, (kind, more) in enumerate(happened)
    ]


class Webhooks:
    """The use cases around webhooks: a partner's own, and the workers'."""

    def __init__(
        self,
        settings: Settings,
        store: WebhookStore,
        clock: Clock,
        ids: Ids,
        meter: Meter,
        resolve: outbound.Resolve = outbound.resolve,
    ) -> None:
        self.settings = settings
        self.store = store
        self._now = clock
        self._ids = ids
        self._meter = meter
        self.resolve = resolve
        self._strangers: set[str] = set()

    # What a partner does

    def create(
        self, key: str, url: str, events: list[str] | None, description: str, name: str | None = None
    ) -> Webhook:
        """A new webhook of a partner's; the same one for the same request's ``name``. Raises UrlRefused,
        TooManyWebhooks."""
        webhook_id = self._ids.sharded("whk", name and derived(self.settings.secret, "webhook", name, 24))
        found = self.store.get(webhook_id)
        if found is not None:
            return _webhook(found[0])
        try:
            self._target(url)
        except outbound.Undeliverable as error:
            raise UrlRefused(f"The URL {error.detail}.") from None
        webhook = Webhook(webhook_id, key, url, events or list(TYPES), description, self._now())
        secret = b"whsec_" + b64encode(secrets.token_bytes(32))
        if not self.store.put(webhook.id, key, webhook.created_at, orjson.dumps(webhook), secret, MOST):
            raise TooManyWebhooks(f"It may have {MOST}.")
        return webhook

    def secret(self, key: str, webhook_id: str) -> str:
        """The secret that signs its deliveries; told once, to whoever creates it."""
        return self._load(key, webhook_id)[1]

    def get(self, key: str, webhook_id: str) -> Webhook:
        """One of the partner's webhooks. Raises WebhookNotFound."""
        return self._load(key, webhook_id)[0]

    def page(self, key: str, before: Place | None, limit: int) -> tuple[list[Webhook], Place | None]:
        """A partner's webhooks, newest first, and where the next page begins."""
        rows = self.store.page(key, before, limit + 1)
        found = [_webhook(raw) for _, raw in rows[:limit] if raw is not None]
        return found, rows[limit - 1][0] if len(rows) > limit else None

    def delete(self, key: str, webhook_id: str) -> None:
        """Forget a webhook; it is sent nothing more. Raises WebhookNotFound."""
        self._load(key, webhook_id)
        self.store.delete(webhook_id, key)

    def deliveries(
        self, key: str, webhook_id: str, before: Place | None, limit: int
    ) -> tuple[list[Delivery], Place | None]:
        """What a webhook was and is to be sent, newest first, and where the next page begins."""
        self._load(key, webhook_id)
        rows = self.store.deliveries(webhook_id, before, limit + 1)
        found = [_delivery(raw) for _, raw in rows[:limit] if raw is not None]
        return found, rows[limit - 1][0] if len(rows) > limit else None

    def resend(self, key: str, webhook_id: str, delivery_id: str) -> Delivery:
        """Owe a delivery once more, from now on, whatever came of it before. Raises DeliveryNotFound."""
        self._load(key, webhook_id)

        def again(delivery: Delivery) -> None:
            delivery.state, delivery.next_at, delivery.tries = "pending", self._now(), 0

        found = self._note(webhook_id, delivery_id, again) if keys.is_delivery_id(delivery_id) else None
        if found is None:
            raise DeliveryNotFound
        return found

    # What workers do

    def spread(self, shard: int) -> None:
        """Owe what a shard has to tell to every webhook that it concerns."""
        of_key: dict[str, list[Webhook]] = {}
        touched: set[str] = set()
        while entries := self.store.outbox(shard, SPREAD_AT_ONCE):
            strange = []
            for raw in entries:
                entry = orjson.loads(raw)
                key, body = entry["key"], entry["body"]
                if not self._knows(key):
                    strange.append(raw)
                    continue
                if key not in of_key:
                    of_key[key] = self.page(key, None, 2 * MOST)[0]
                for webhook in of_key[key]:
                    if body["type"] in webhook.events and webhook.disabled_at is None:
                        self._owe(webhook.id, entry["id"], body)
                        touched.add(webhook.id)
            if strange:
                self.store.put_aside(shard, strange, self._now() + AGAIN_MS)
            self.store.told(shard, entries)
        self.store.settle_outbox(shard)
        for webhook_id in touched:
            self.store.trim(webhook_id)

    def _owe(self, webhook_id: str, event_id: str, body: dict[str, Any]) -> None:
        word = b32encode(sha256(f"{webhook_id}|{event_id}".encode()).digest()[:15]).decode().lower()
        now = self._now()
        delivery = Delivery(f"dlv_{word}", webhook_id, body["type"], body["data"]["match"]["id"], now, next_at=now)
        self.store.owe(webhook_id, delivery.id, orjson.dumps(delivery), orjson.dumps(body), now)

    def serve(self, webhook_id: str) -> None:
        """Send a webhook what is due, some at a time, until nothing is or the budget is over."""
        until = time.monotonic() + BUDGET_S
        under_way: set[Future[None]] = set()
        with ThreadPoolExecutor(ABREAST) as pool:
            while time.monotonic() < until:
                now = self._now()
                found = self.store.get(webhook_id)
                if found is None:
                    self.store.forget(webhook_id)
                    return
                if len(under_way) < ABREAST:
                    webhook, secret = _webhook(found[0]), found[1].decode()
                    due = self.store.take(webhook_id, now, now + LEASE_MS, ABREAST - len(under_way))
                    under_way |= {pool.submit(self._send, webhook, secret, each) for each in due}
                if not under_way:
                    break
                done, under_way = wait(under_way, LOOK_S, FIRST_COMPLETED)
                for each in done:
                    each.result()
        for each in under_way:
            each.result()
        self.store.settle(webhook_id)

    def _send(self, webhook: Webhook, secret: str, delivery_id: str) -> None:
        """One attempt of one delivery, and what it came to."""
        found = self.store.delivery(webhook.id, delivery_id)
        if found is None:
            self.store.no_longer_owed(webhook.id, delivery_id)
            return
        attempt = self._attempt(webhook, secret, delivery_id, found[1])
        if attempt.status == 410:
            self._disable(webhook.id)
        noted = self._note(webhook.id, delivery_id, lambda delivery: self._judge(delivery, attempt))
        if noted is None:
            return
        self._meter.count("webhook_attempts", "retried" if noted.state == "pending" else noted.state)
        if noted.state == "failed":
            what = {"webhook": webhook.id, "delivery": delivery_id, "status": attempt.status, "error": attempt.error}
            log.warning("webhook delivery failed", extra=what)

    def _attempt(self, webhook: Webhook, secret: str, delivery_id: str, body: bytes) -> Attempt:
        now = self._now()
        if webhook.disabled_at is not None:
            return Attempt(now, None, "webhook_disabled")
        if not self._knows(webhook.key):
            return Attempt(now, None, "key_gone")
        at = datetime.fromtimestamp(now // 1000, UTC)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"parlour/{version('parlour')}",
            "webhook-id": delivery_id,
            "webhook-timestamp": str(now // 1000),
            "webhook-signature": Signer(secret).sign(delivery_id, at, body.decode()),
        }
        try:
            return Attempt(now, outbound.post(self._target(webhook.url), headers, body), None)
        except outbound.Undeliverable as error:
            return Attempt(now, None, error.why)

    def _judge(self, delivery: Delivery, attempt: Attempt) -> None:
        """What an attempt means for its delivery: it has arrived, is tried again later, or has failed."""
        delivery.attempts = [*delivery.attempts, attempt][-NOTED:]
        if delivery.state == "delivered":  # by another process, after a lease ran out
            return
        if attempt.error == "key_gone":  # no try of the partner's; if no worker knows the key, until it is kept no more
            age = attempt.at - delivery.created_at
            delivery.next_at = attempt.at + min(max(AGAIN_MS, age // 2), LONGEST_AGAIN_MS)
            return
        pauses = self.settings.webhook_retry_s
        final = attempt.status == 410 or attempt.error == "webhook_disabled"
        delivery.next_at = None
        if attempt.status is not None and 200 <= attempt.status < 300:
            delivery.state = "delivered"
        elif final or delivery.tries >= len(pauses):
            delivery.state = "failed"
        else:
            delivery.next_at = self._now() + round(1000 * pauses[delivery.tries] * random.uniform(0.8, 1.2))
        delivery.tries += 1

    def _disable(self, webhook_id: str) -> None:
        """It answered 410 Gone: nobody is there any more."""
        for _ in range(TRIES):
            found = self.store.get(webhook_id)
            if found is None:
                return
            webhook = _webhook(found[0])
            webhook.disabled_at = webhook.disabled_at or self._now()
            if self.store.change(webhook_id, found[0], orjson.dumps(webhook)):
                log.warning("webhook disabled: it answered 410", extra={"webhook": webhook_id})
                return
        raise TooBusy

    # Within

    def _knows(self, key: str) -> bool:
        """Whether a key's partner is told anything. One that is unknown was revoked, or is newer than this process."""
        known = self.settings.api_keys.holds(key)
        if not known and key not in self._strangers:
            self._strangers.add(key)
            log.warning("webhooks put off: PARLOUR_API_KEYS has no such name here", extra={"key": key})
        return known

    def _target(self, url: str) -> outbound.Target:
        return outbound.target(url, self.settings.webhook_private == "allow", self.resolve)

    def _load(self, key: str, webhook_id: str) -> tuple[Webhook, str]:
        found = self.store.get(webhook_id) if keys.is_webhook_id(webhook_id) else None
        webhook = None if found is None else _webhook(found[0])
        if found is None or webhook is None or webhook.key != key:
            raise WebhookNotFound
        return webhook, found[1].decode()

    def _note(self, webhook_id: str, delivery_id: str, change: Callable[[Delivery], None]) -> Delivery | None:
        """Change a delivery's record; again from a fresh one when somebody was faster. None if it is gone."""
        for _ in range(TRIES):
            found = self.store.delivery(webhook_id, delivery_id)
            if found is None:
                return None
            delivery = _delivery(found[0])
            change(delivery)
            if self.store.note(webhook_id, delivery_id, found[0], orjson.dumps(delivery), delivery.next_at):
                return delivery
        raise TooBusy


def _webhook(raw: bytes) -> Webhook:
    return Webhook(**orjson.loads(raw))


def _delivery(raw: bytes) -> Delivery:
    data = orjson.loads(raw)
    data["attempts"] = [Attempt(**each) for each in data["attempts"]]
    return Delivery(**data)
