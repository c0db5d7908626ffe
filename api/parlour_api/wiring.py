"""The composition root: one place where the use cases meet their Redis. HTTP and workers both start here."""

from __future__ import annotations

from .catalogue import Catalogue
from .jobs import Jobs
from .metrics import Meter, connect_meter
from .service import Service
from .settings import Settings
from .sources import Clock, Ids, system_clock
from .store import Store, connect, connect_reader
from .store.webhooks import WebhookStore
from .wake import Hub
from .webhooks import Webhooks


def make_service(settings: Settings, clock: Clock = system_clock, ids: Ids | None = None) -> Service:
    """The use cases, wired to their Redis."""
    ids = ids or Ids()
    store = Store(connect(settings.redis_url))
    meter = Meter(connect_meter(settings.redis_url))
    return Service(
        settings,
        store,
        Jobs(connect(settings.queue_url or settings.redis_url)),
        Hub(connect_reader(settings.redis_url), settings.max_waiters),
        Catalogue(decks=settings.decks),
        clock,
        ids,
        meter,
        Webhooks(settings, WebhookStore(store.client), clock, ids, meter),
    )
