"""A minute in which HTTP processes, workers and Redis are killed in turn, at chosen points, while clocks run."""

from __future__ import annotations

import os
import signal
import time
from itertools import cycle
from pathlib import Path

from tests.e2e.crowd import Crowd, Plan
from tests.e2e.stack import planted_stack

SECONDS = 60.0
UNSURE_S = 3.0
"""The append-only file reaches the system at once as a rule, and after two seconds when the disk is slow: what Redis
acknowledged just before its own SIGKILL may be gone. A killed API or worker loses nothing."""

POINTS = (
    ("api", "after_load"), ("clock", "after_commit"), ("redis", ""), ("bots", "after_load"), ("api", "after_commit"),
    ("clock", "after_load"), ("bots", "after_commit"), ("redis", ""), ("api", "after_enqueue"),
)  # fmt: skip


def plan(number: int) -> Plan:
    game, kinds = (("valente", "ss"), ("love_is_dead", "ssb"), ("valente", "sb"), ("lovestruck", "ssbbb"))[number % 4]
    clock = {
        "per_decision_s": (0.3, 0.7, 1.5)[number % 3],
        "on_expiry": ("default_move", "bot_move")[number % 2],
        "takeover_after": 100,
    }
    return game, kinds, clock


def test_every_deadline_is_executed_once_and_no_acknowledged_act_is_lost(tmp_path: Path) -> None:
    redis_deaths: list[float] = []

    def excused(at: float) -> bool:
        return any(death - UNSURE_S <= at <= death for death in redis_deaths)

    with planted_stack(tmp_path) as stack:
        crowd = Crowd(stack.url, [plan(number) for number in range(24)], 4, pause_s=0.05, excused=excused)
        try:
            until = time.monotonic() + SECONDS
            kills = 0
            for who, point in cycle(POINTS):
                crowd.wait(1.0)
                if crowd.faults or time.monotonic() > until:
                    break
                if who == "redis":
                    pid = stack.faults.info("server")["process_id"]
                    os.kill(pid, signal.SIGKILL)
                    redis_deaths.append(time.time())
                else:
                    stack.kill_once(who, point)
                kills += 1
        finally:
            crowd.end()
        assert kills >= 20
        judged = crowd.played + crowd.tables
        assert sum(len(table.acted) for table in judged) > 200
        assert sum(table.expired for table in judged) > 100
