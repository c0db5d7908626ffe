"""A minute of many matches on three HTTP processes and two bot workers: nothing fails, nothing is lost."""

from __future__ import annotations

from tests.e2e.crowd import Crowd, Plan, statuses
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
        crowd = Crowd(server.url, [plan(number) for number in range(MATCHES)], 6)
        try:
            crowd.wait(SECONDS)
        finally:
            crowd.end()
        answers = statuses(server.url)
        assert not [status for status in answers if status >= 500], answers
        assert answers[200] > 5000
        assert len(crowd.tables) == MATCHES
        assert sum(len(table.acted) for table in crowd.played + crowd.tables) > 1000
