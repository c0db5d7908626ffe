"""A minute of many matches on three HTTP processes and two bot workers: nothing fails, nothing is lost."""

from __future__ import annotations

from tests.e2e.crowd import Crowd, Plan, statuses
from tests.e2e.stack import bearable, silences
from tests.support import running_server

SECONDS = 60.0
MATCHES = 200
TABLES = (
    "valente:sb", "love_is_dead:sbb", "lovestruck:sbbbb", "valente:ssbb", "love_is_dead:ss", "lovestruck:ssbbbbb",
)  # fmt: skip


def plan(number: int) -> Plan:
    game, _, kinds = TABLES[number % len(TABLES)].partition(":")
    clock = {"per_decision_s": 20.0, "on_expiry": "default_move", "takeover_after": 100}
    return game, kinds, clock if number % 2 else None


def test_two_hundred_matches_for_a_minute() -> None:
    with running_server("--api-processes", "3", "--workers", "2") as server:
        with silences(server.redis_url) as took:
            crowd = Crowd(server.url, [plan(number) for number in range(MATCHES)], 6)
            try:
                crowd.wait(SECONDS)
                while (crowd.acts <= 1000 or statuses(server.url)[200] <= 5000) and crowd.wait(1.0):
                    pass  # a slow machine takes longer
            finally:
                crowd.end()
        answers = statuses(server.url)
        assert {status for status in answers if status >= 500} <= bearable(took), answers
        assert crowd.acts > 1000
        assert len(crowd.tables) == MATCHES
