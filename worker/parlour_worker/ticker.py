"""Looks at every shard twenty times a second and hands out what is due: deadlines in batches, bot turns one by one.

Also the sweeper: what is taken comes back when its lease ends, so a job that was lost with its worker is sent again.
Any number of tickers may run; taking is atomic. RQ's own scheduler is not used: it cuts due times to whole seconds.
"""

from __future__ import annotations

import logging
import threading

import redis
from parlour_api.service import Service

log = logging.getLogger(__name__)

TICK_S = 0.05
RETRY_S = 0.5
"""Pause after a tick that failed, as a rule because Redis could not be reached."""


def start(service: Service, stop: threading.Event) -> threading.Thread:
    """Tick in a thread of this process until ``stop`` is set."""
    thread = threading.Thread(target=_run, args=(service, stop), name="ticker", daemon=True)
    thread.start()
    return thread


def _run(service: Service, stop: threading.Event) -> None:
    pause = TICK_S
    while not stop.wait(pause):
        try:
            service.acting.hand_out()
            pause = TICK_S
        except redis.RedisError as error:
            log.warning("ticker cannot reach Redis", extra={"error": type(error).__name__})
            pause = RETRY_S
        except Exception:  # whatever it is: if this thread ended, a process that looks well would hand out nothing
            log.exception("ticker failed")
            pause = RETRY_S
