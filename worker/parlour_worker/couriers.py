"""Threads that serve webhooks, one webhook each, so that a partner who answers slowly delays no other."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

import redis
from parlour_api.errors import TooBusy

log = logging.getLogger(__name__)

THREADS = 24
"""Webhooks that one process serves at a time; whoever comes next waits in the queue."""
REST_S = 6.0
"""How long a process that stops waits for requests under way. What it cuts off is sent again."""


class Couriers:
    """The threads of one process. ``serve`` sends one webhook what it is owed."""

    def __init__(self, serve: Callable[[str], None]) -> None:
        self._serve = serve
        self._free = threading.BoundedSemaphore(THREADS)
        self._lock = threading.Lock()
        self._serving: dict[str, threading.Thread] = {}

    def send(self, webhook_ids: Sequence[str]) -> None:
        """Begin to serve these webhooks, but those that are being served; waits only when no thread is free.

        Called by one thread, the worker's own.
        """
        for webhook_id in webhook_ids:
            if webhook_id in self._serving:
                continue
            self._free.acquire()
            thread = threading.Thread(target=self._run, args=(webhook_id,), name=f"courier {webhook_id}", daemon=True)
            with self._lock:
                self._serving[webhook_id] = thread
            thread.start()

    def _run(self, webhook_id: str) -> None:
        try:
            self._serve(webhook_id)
        except (TooBusy, redis.RedisError) as error:  # its lease ends, and it is handed out again
            log.warning("deliveries put off", extra={"webhook": webhook_id, "error": type(error).__name__})
        finally:
            with self._lock:
                del self._serving[webhook_id]
            self._free.release()

    def rest(self) -> None:
        """Wait for what is under way, not for long."""
        until = time.monotonic() + REST_S
        with self._lock:
            threads = list(self._serving.values())
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
