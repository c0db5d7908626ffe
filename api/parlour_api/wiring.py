"""The composition root: one place where the use cases meet their Redis. HTTP and workers both start here."""

from __future__ import annotations

from .catalogue import Catalogue
from .connect import ONCE, connect
from .jobs import Jobs
from .metrics import Meter
from .service import Service
from .settings import Settings
from .sources import Clock, Ids, system_clock
from .store import Store
from .store.webhooks import WebhookStore
from .wake import Hub
from .webhooks import Webhooks


def make_service(settings: Settings, clock: Clock = system_clock, ids: Ids | None = None) -> Service:
    """The use cases, wired to their Redis."""
    ids = ids or Ids()
    store = Store(connect(settings.redis_url), settings.ack_replicas)
    meter = Meter(connect(settings.redis_url, ONCE))
    return Service(
        settings,
        store,
        Jobs(connect(settings.queue_url or settings.redis_url)),
        Hub(lambda: connect(settings.redis_url, ONCE), settings.max_waiters, settings.max_waiters_each),
        Catalogue(decks=settings.decks),
        clock,
        ids,
        meter,
        Webhooks(settings, WebhookStore(store.client), clock, ids, meter),
    )
