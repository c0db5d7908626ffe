"""One worker process: an RQ worker for its queues, and a ticker beside it."""

from __future__ import annotations

import logging
import threading

import redis
from parlour_api import logs
from parlour_api.jobs import BOTS, CLOCK, WEBHOOKS
from parlour_api.settings import read_settings
from rq import SimpleWorker

from . import ticker
from .jobs import couriers, service

QUEUES = {"bots": (BOTS, CLOCK), "clock": (CLOCK,), "webhooks": (WEBHOOKS,)}
"""What each kind of process works on. Clocks have one of their own, so that a thinking bot delays no deadline; webhooks
too, so that a slow partner delays neither."""

WORKER_TTL_S = 20
"""After this long without a heartbeat a worker counts as gone."""


def run(kind: str) -> None:
    """Work until SIGTERM or SIGINT; ``kind`` is a key of QUEUES."""
    settings = read_settings()
    logs.set_up(settings)
    stop = threading.Event()
    ticker.start(service(), stop)
    try:
        connection = redis.Redis.from_url(settings.queue_url or settings.redis_url)
        worker = SimpleWorker(list(QUEUES[kind]), connection=connection, worker_ttl=WORKER_TTL_S)
        logging.getLogger("rq.worker").setLevel(logging.WARNING)
        worker.work(logging_level="WARNING")
    finally:
        stop.set()
        couriers().rest()
        service().meter.flush()
