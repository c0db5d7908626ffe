"""Jobs by name: triggers only. What is to be done is in the match; a job for something that is gone does nothing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

import redis
from rq import Queue
from rq.worker_registration import get_keys

log = logging.getLogger(__name__)

BOTS = "bots"
CLOCK = "clock"
WEBHOOKS = "webhooks"

PLAY_BOTS = "parlour_worker.jobs.play_bots"
EXPIRE = "parlour_worker.jobs.expire"
SPREAD = "parlour_worker.jobs.spread"
DELIVER = "parlour_worker.jobs.deliver"

GONE_S = 30
"""A worker that was not heard of for so long counts as gone; as a rule they are heard of every 5 s."""


class Jobs:
    """Hands jobs to the workers. A queue that cannot be reached loses nothing: the ticker hands out again."""

    def __init__(self, client: redis.Redis) -> None:
        self._bots = Queue(BOTS, connection=client)
        self._clock = Queue(CLOCK, connection=client)
        self._webhooks = Queue(WEBHOOKS, connection=client)

    def play_bots(self, match_id: str, name: str) -> None:
        """Have a match's house bots play. ``name`` tells tries apart: a killed job keeps its id taken."""
        try:
            self._bots.enqueue(
                PLAY_BOTS, match_id, job_id=f"bots-{match_id}-{name}", result_ttl=0, failure_ttl=86400, job_timeout=30
            )
        except redis.RedisError as error:
            log.warning("bot turn not handed out; the ticker will", extra={"match": match_id, "error": str(error)})

    def expire(self, match_ids: Sequence[str], name: str) -> None:
        """Have the deadlines of these matches looked at, as one batch."""
        self._clock.enqueue(
            EXPIRE, list(match_ids), job_id=f"expire-{name}", result_ttl=0, failure_ttl=86400, job_timeout=60
        )

    def spread(self, shards: Sequence[int], name: str) -> None:
        """Have what these shards tell to partners handed to each webhook that it concerns."""
        self._webhooks.enqueue(
            SPREAD, list(shards), job_id=f"spread-{name}", result_ttl=0, failure_ttl=86400, job_timeout=60
        )

    def deliver(self, webhook_ids: Sequence[str], name: str) -> None:
        """Have these webhooks sent what they are owed, as one batch."""
        self._webhooks.enqueue(
            DELIVER, list(webhook_ids), job_id=f"deliver-{name}", result_ttl=0, failure_ttl=86400, job_timeout=600
        )


def alive(client: redis.Redis, now: int) -> list[set[str]]:
    """The queues of each worker process that was heard of lately; RQ keeps those that are gone on its list for long."""
    pipe = client.pipeline(transaction=False)
    for key in get_keys(connection=client):
        pipe.hmget(key, "last_heartbeat", "queues")
    return [
        set(queues.decode().split(","))
        for heard, queues in pipe.execute()
        if heard and queues and now - 1000 * datetime.fromisoformat(heard.decode()).timestamp() < 1000 * GONE_S
    ]
