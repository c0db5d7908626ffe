"""Wakes those who wait for a match to change: one shared reader per process, whatever the number of waiters."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import redis
from redis.client import PubSub

from .errors import TooManyWaiters
from .store.keys import WAKE

log = logging.getLogger(__name__)

RECHECK_S = 5.0
"""A sleeper looks again after this long, which makes a lost wake-up harmless."""

SILENCE_S = 10.0
"""After so long without a message the reader asks whether anybody is there."""


class Hub:
    """Waiters by match. Register first, then read, then sleep: no change falls between."""

    def __init__(self, connect: Callable[[], redis.Redis], max_waiters: int, max_each: int) -> None:
        self._connect = connect
        self._max = max_waiters
        self._each = max_each
        self._lock = threading.Lock()
        self._waiters: dict[str, set[threading.Event]] = {}
        self._count = 0
        self._held: dict[str, int] = {}
        self._thread: threading.Thread | None = None
        self._heard = True
        """Whether the channel was heard since it was last said to be lost."""
        self.closing = False

    @contextmanager
    def waiting(self, match_id: str, who: str, onlooker: bool) -> Iterator[threading.Event]:
        """An event that is set when the match has changed; raises TooManyWaiters above the cap, or above the share of
        ``who`` waits.

        Onlookers, who have no seat, get half of the places at most, so that they cannot crowd out who plays.
        """
        woken = threading.Event()
        with self._lock:
            held = self._held.get(who, 0)
            if held >= self._each:
                raise TooManyWaiters(f"You hold {held} waiting requests here already, the most for one caller.")
            if self._count >= (self._max // 2 if onlooker else self._max):
                raise TooManyWaiters(f"This server holds {self._count} waiting requests already.")
            self._count += 1
            self._held[who] = held + 1
            self._waiters.setdefault(match_id, set()).add(woken)
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="wake", daemon=True)
                self._thread.start()
        try:
            yield woken
        finally:
            with self._lock:
                self._count -= 1
                self._held[who] -= 1
                if not self._held[who]:
                    del self._held[who]
                group = self._waiters[match_id]
                group.discard(woken)
                if not group:
                    del self._waiters[match_id]

    def close(self) -> None:
        """Let every waiter go: the process is about to stop."""
        self.closing = True
        self._wake(None)

    def _wake(self, match_id: str | None) -> None:
        with self._lock:
            groups = self._waiters.values() if match_id is None else [self._waiters.get(match_id, set())]
            for group in groups:
                for woken in group:
                    woken.set()

    def _listen(self) -> None:
        while not self.closing:
            try:
                with closing(self._connect()) as reader, closing(reader.pubsub()) as channel:
                    self._hear(channel)
            except (redis.RedisError, OSError) as error:
                if self._heard:
                    log.warning("wake channel lost; trying again", extra={"error": type(error).__name__})
                self._heard = False
                time.sleep(0.2)

    def _hear(self, channel: PubSub) -> None:
        """Wake whoever a message concerns; raises redis.RedisError when nothing can be heard any more."""
        channel.subscribe(WAKE)
        asked = True
        while not self.closing:
            message = channel.get_message(timeout=SILENCE_S)
            if message is not None and message["type"] == "message":
                self._wake(message["data"].decode())
            elif message is not None:
                self._heard = True
                self._wake(None)  # whatever was missed while nobody listened
            elif asked:
                raise redis.TimeoutError("nothing is heard on the wake channel")
            else:
                channel.subscribe(WAKE)  # answered, if anybody is there: a machine that is lost closes no connection
            asked = message is None
