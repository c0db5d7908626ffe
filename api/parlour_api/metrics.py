"""How the service is doing, as numbers for Prometheus: one sum over all processes, on all machines.

Every process counts in its memory, which costs the hot path the append of one tuple, and adds what it has counted to a
hash in Redis within a second. So workers, which speak no HTTP, are in the numbers, whichever process answers
``/metrics``, and a process that ends takes nothing with it but its last second. Sums of time are in microseconds
there, since whole numbers add up exactly.

Labels are operations, statuses, games, bots and the like, all from short lists: never an id, a token or a seat.
"""

from __future__ import annotations

import logging
import threading
import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import orjson
import redis

from .jobs import BOTS, CLOCK, WEBHOOKS, alive
from .store import keys

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

log = logging.getLogger(__name__)

FLUSH_S = 1.0
FAST = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper ends of buckets, in seconds: for what a client or a bot takes."""
LATE = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 30.0)
"""The same, for what is behind its time."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A metric: what it tells, by which labels, and for one of durations, the buckets' ends."""

    text: str
    labels: tuple[str, ...]
    buckets: tuple[float, ...] = ()


KINDS: Mapping[str, Kind] = {
    "requests": Kind("HTTP requests that were answered.", ("operation", "status")),
    "act_seconds": Kind("Time from an act's arrival to its commit.", ("game",), FAST),
    "lost_races": Kind("Commits that another one came before, and that were tried again.", ()),
    "matches_created": Kind("Matches that were created.", ("game",)),
    "matches_ended": Kind("Matches that came to an end.", ("game", "status")),
    "expiries": Kind("Decisions whose time ran out.", ("game", "on_expiry")),
    "expiry_lateness_seconds": Kind("How long after its deadline an expiry was committed.", (), LATE),
    "bot_think_seconds": Kind("Time that a house bot took for one decision.", ("game", "bot"), FAST),
    "bot_lateness_seconds": Kind("How long after its due time a house bot's decision was begun.", (), LATE),
    "webhook_attempts": Kind("Requests to webhooks, by what came of the delivery.", ("outcome",)),
}
"""Every metric that is counted; the gauges of ``gauges`` are looked up when asked for."""

Key = tuple[str, ...]
"""A metric's name and its labels' values."""


class Meter:
    """Counts of one process, on their way to Redis, by a client that sends them once."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._counted: deque[Key] = deque()
        self._timed: deque[tuple[Key, float]] = deque()
        self._unsent: Counter[bytes] = Counter()
        self._flushing = False
        self._lock = threading.Lock()

    def count(self, *key: str) -> None:
        """Count one: a metric's name and its labels' values."""
        self._counted.append(key)
        if not self._flushing:
            self._begin()

    def time(self, seconds: float, *key: str) -> None:
        """Note a duration: a metric's name and its labels' values."""
        self._timed.append((key, seconds))
        if not self._flushing:
            self._begin()

    def _begin(self) -> None:
        """Have a thread send what is counted; it ends by itself when there is nothing more."""
        with self._lock:
            if self._flushing:
                return
            self._flushing = True
        threading.Thread(target=self._run, name="metrics", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(FLUSH_S)
            sent = self.flush()
            with self._lock:
                if sent and not self._counted and not self._timed:
                    self._flushing = False
                    break
        if self._counted or self._timed:  # counted between the last look and the flag
            self._begin()

    def flush(self) -> bool:
        """Send what was counted up to now; False if Redis did not take it. It is kept then, for the next time."""
        with self._lock:
            new = Counter(self._counted.popleft() for _ in range(len(self._counted)))
            for key, number in new.items():
                self._unsent[orjson.dumps(key)] += number
            for key, seconds in [self._timed.popleft() for _ in range(len(self._timed))]:
                place = bisect_left(KINDS[key[0]].buckets, seconds)
                self._unsent[orjson.dumps((*key, place))] += 1
                self._unsent[orjson.dumps((*key, "us"))] += max(0, round(seconds * 1_000_000))
            if not self._unsent:
                return True
            pipe = self._client.pipeline(transaction=False)
            for field, more in self._unsent.items():
                pipe.hincrby(keys.METRICS, cast(str, field), more)
            try:
                pipe.execute()
            except (redis.RedisError, OSError) as error:
                log.debug("metrics not sent; kept", extra={"error": type(error).__name__})
                return False
            self._unsent.clear()
            return True


def exposition(state: redis.Redis, queue: redis.Redis, now: int) -> bytes:
    """All numbers in Prometheus' text format. Raises redis.RedisError."""
    from prometheus_client import CollectorRegistry, generate_latest

    summed = cast(dict[bytes, bytes], state.hgetall(keys.METRICS))
    rows = [(orjson.loads(field), int(value)) for field, value in summed.items()]

    class Numbers:
        def collect(self) -> Iterator[Metric]:
            for name, kind in KINDS.items():
                yield _metric(name, kind, [(row[1:], value) for row, value in rows if row[0] == name])
            yield from gauges(state, queue, now)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(cast(Any, Numbers()))
    return generate_latest(registry)


def _metric(name: str, kind: Kind, rows: list[tuple[list[Any], int]]) -> Metric:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

    if not kind.buckets:
        counter = CounterMetricFamily(f"parlour_{name}", kind.text, labels=kind.labels)
        for values, number in sorted(rows):
            counter.add_metric(values, number)
        if not kind.labels and not rows:
            counter.add_metric([], 0)
        return counter
    parts: dict[tuple[str, ...], dict[int | str, int]] = {}
    for values, number in rows:
        parts.setdefault(tuple(values[:-1]), {})[values[-1]] = number
    histogram = HistogramMetricFamily(f"parlour_{name}", kind.text, labels=kind.labels)
    for labels, found in sorted(parts.items()):
        total = 0
        buckets = []
        for place, end in enumerate((*map(str, kind.buckets), "+Inf")):
            total += found.get(place, 0)
            buckets.append((end, total))
        histogram.add_metric(labels, buckets, sum_value=found.get("us", 0) / 1_000_000)
    return histogram


def gauges(state: redis.Redis, queue: redis.Redis, now: int) -> Iterator[Metric]:
    """What is so at this moment: matches, what is behind its time, queues, workers."""
    from prometheus_client.core import GaugeMetricFamily
    from rq import Queue
    from rq.registry import FailedJobRegistry

    pipe = state.pipeline(transaction=False)
    for key in (keys.deadlines_key, keys.turns_key, keys.partners_key):
        for shard in range(keys.SHARDS):
            pipe.zcard(key(shard))
            pipe.zrange(key(shard), 0, 0, withscores=True)
    answers = pipe.execute()
    each = 2 * keys.SHARDS
    running, waiting = sum(answers[0:each:2]), sum(answers[each : 2 * each : 2])
    yield GaugeMetricFamily("parlour_matches_running", "Matches that have not ended.", value=running)
    yield GaugeMetricFamily("parlour_matches_awaiting_bot", "Matches in which a house bot is to move.", value=waiting)
    overdue = GaugeMetricFamily(
        "parlour_overdue_seconds",
        "How long the oldest deadline, bot's turn or webhook has been due without being handed to a worker.",
        labels=("what",),
    )
    for place, what in enumerate(("deadline", "turn", "webhook")):
        oldest = answers[place * each + 1 : (place + 1) * each : 2]
        first = min((score for row in oldest for _, score in row), default=now)
        overdue.add_metric([what], max(0.0, (now - first) / 1000))
    yield overdue
    depth = GaugeMetricFamily("parlour_queue_jobs", "Jobs that wait for a worker.", labels=("queue",))
    failed = GaugeMetricFamily("parlour_failed_jobs", "Jobs that failed within the last day.", labels=("queue",))
    for name in (BOTS, CLOCK, WEBHOOKS):
        depth.add_metric([name], Queue(name, connection=queue).count)
        failed.add_metric([name], FailedJobRegistry(name, connection=queue).count)
    yield depth
    yield failed
    workers = len(alive(queue, now))
    yield GaugeMetricFamily("parlour_workers", "Worker processes heard of in the last half minute.", value=workers)
