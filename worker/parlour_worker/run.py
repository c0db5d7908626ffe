"""One worker process: an RQ worker for its queues, and a ticker beside it."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from contextlib import suppress
from types import FrameType

import redis
from parlour_api import logs
from parlour_api.connect import WORK, connect
from parlour_api.jobs import BOTS, CLOCK, WEBHOOKS
from parlour_api.settings import read_settings
from rq import SimpleWorker
from rq.exceptions import StopRequested

from . import ticker
from .jobs import couriers, service

log = logging.getLogger(__name__)

QUEUES = {"bots": (BOTS, CLOCK), "clock": (CLOCK,), "webhooks": (WEBHOOKS,)}
"""What each kind of process works on. Clocks have one of their own, so that a thinking bot delays no deadline; webhooks
too, so that a slow partner delays neither."""

WORKER_TTL_S = 20
"""After this long without a heartbeat a worker counts as gone."""

RETRY_S = 0.5


class Worker(SimpleWorker):
    """RQ's worker, in its own process, which knows why it ends, and is soon back when Redis is."""

    asked_to_stop = False
    max_connection_wait_time = 1.0
    """RQ's own pauses double, up to a minute: after an outage, matches with bots would stand still as long again."""

    def end_listening(self) -> None:
        """Give back the connection on which it hears commands: when Redis fails, RQ's thread goes on holding it."""
        if self.pubsub_thread is not None:
            self.pubsub_thread.stop()

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """On the first SIGTERM or SIGINT: finish the job at hand, and end."""
        self.asked_to_stop = True
        super().request_stop(signum, frame)


def run(kind: str) -> None:
    """Work until SIGTERM or SIGINT; ``kind`` is a key of QUEUES."""
    settings = read_settings()
    logs.set_up(settings)
    stop = threading.Event()
    ticker.start(service(), stop)
    try:
        logging.getLogger("rq.worker").setLevel(logging.WARNING)
        _work(kind, connect(settings.queue_url or settings.redis_url, WORK))
    finally:
        stop.set()
        couriers().rest()
        service().meter.flush()


def _work(kind: str, connection: redis.Redis) -> None:
    """Work until asked to stop. RQ's worker ends when its queue fails; then another one takes its place."""
    with suppress(StopRequested):
        while True:
            name = f"{kind}-{secrets.token_hex(4)}"  # for people; RQ's own looks like a secret, and logs hide it
            worker = Worker(list(QUEUES[kind]), name, connection=connection, worker_ttl=WORKER_TTL_S)
            try:
                worker.work(logging_level="WARNING")
            except redis.RedisError as error:
                log.warning("the queue failed; trying again", extra={"error": type(error).__name__})
            finally:
                worker.end_listening()
            if worker.asked_to_stop:
                return
            time.sleep(RETRY_S)
