"""One worker process: an RQ worker for its queues, and a ticker beside it."""

from __future__ import annotations

import logging
import threading
import time

import redis
from parlour_api import logs
from parlour_api.connect import WORK, connect
from parlour_api.jobs import BOTS, CLOCK, WEBHOOKS
from parlour_api.settings import read_settings
from rq import SimpleWorker

from . import ticker
from .jobs import couriers, service

log = logging.getLogger(__name__)

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
        connection = connect(settings.queue_url or settings.redis_url, WORK)
        _until_answered(connection)
        worker = SimpleWorker(list(QUEUES[kind]), connection=connection, worker_ttl=WORKER_TTL_S)
        logging.getLogger("rq.worker").setLevel(logging.WARNING)
        worker.work(logging_level="WARNING")
    finally:
        stop.set()
        couriers().rest()
        service().meter.flush()


def _until_answered(connection: redis.Redis) -> None:
    """Wait out a queue that is away: an RQ worker ends at once then, and its supervisor would lose patience."""
    while True:
        try:
            connection.ping()
            return
        except redis.RedisError as error:
            log.warning("the queue does not answer; trying again", extra={"error": type(error).__name__})
            time.sleep(1)
