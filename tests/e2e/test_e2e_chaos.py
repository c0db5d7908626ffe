"""HTTP processes, workers and Redis are killed in turn, at chosen points, for a minute or so, while clocks run."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

from tests.e2e.crowd import Crowd, Plan
from tests.e2e.stack import planted_stack

KILLS = 36
ACTS = 200
UNSURE_S = 1.0
"""An answer that Redis gave before its own SIGKILL may reach a client when it is back, and what it tells may be gone. A
killed API or worker loses nothing."""

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
    outages: list[tuple[float, float]] = []

    def excused(at: float) -> bool:
        return any(asked <= at <= back + UNSURE_S for asked, back in outages)

    with planted_stack(tmp_path) as stack:
        crowd = Crowd(stack.url, [plan(number) for number in range(24)], 4, pause_s=0.05, excused=excused)
        try:
            for kills, (who, point) in enumerate(cycle(POINTS)):
                if not crowd.wait(1.0) or (kills >= KILLS and crowd.acts > ACTS):
                    break
                if who == "redis":
                    outages.append(stack.kill_redis())
                else:
                    stack.kill_once(who, point)
        finally:
            crowd.end()
        judged = crowd.played + crowd.tables
        assert crowd.acts > ACTS
        assert sum(table.expired for table in judged) > 100
