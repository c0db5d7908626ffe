"""/metrics of the real service: the numbers of every process are in it, whichever one answers."""

from __future__ import annotations

import time

import requests

from tests.api.test_api_metrics import Samples, read
from tests.e2e.stack import Mirror, call
from tests.support import PATIENCE_S, running_server

SEEN = ("parlour_requests_total", (("operation", "get_observation"), ("status", "200")))


def scrape(url: str) -> Samples:
    """The numbers; over a connection of its own, so that any of the processes may answer."""
    answer = requests.get(f"{url}/metrics", headers={"Connection": "close"}, timeout=60)
    assert answer.status_code == 200, answer.text
    return read(answer.text)


def total(samples: Samples, name: str) -> float:
    return sum(value for (each, _), value in samples.items() if each == name)


def test_the_numbers_of_every_process_are_in_it() -> None:
    with running_server("--api-processes", "2", "--workers", "2") as server:
        mirror = Mirror(server.url, "valente", "mb", 5)
        mirror.play_bots()
        acts = 0
        while not mirror.over():
            mirror.act()
            acts += 1
        clock = {"per_decision_s": 0.3, "on_expiry": "default_move", "takeover_after": 2}
        seats = [{"kind": "mine"}, {"kind": "mine"}]
        timed = call("POST", f"{server.url}/v1/matches", None, {"game": "valente", "seats": seats, "clock": clock})
        looked = 0
        for _ in range(100):
            looked += requests.get(
                f"{server.url}/v1/matches/{timed['match']['id']}/observation",
                headers={"Connection": "close"},
                timeout=60,
            ).ok
        assert looked == 100
        bots = mirror.version - 1 - acts

        def wrong() -> dict[str, float]:
            """What is not as it must be, once every process has told what it counted."""
            first, second = scrape(server.url), scrape(server.url)
            expiries = total(first, "parlour_expiries_total")
            found = {
                "parlour_act_seconds_count": acts,
                "parlour_matches_created_total": 2,
                "parlour_expiry_lateness_seconds_count": expiries,
                "parlour_workers": 3,
            }
            least = {
                SEEN[0]: 100 + acts,
                "parlour_expiries_total": 2,
                "parlour_bot_think_seconds_count": bots + 1,
                "parlour_matches_ended_total": 1,
            }
            return (
                {name: total(first, name) for name, value in found.items() if total(first, name) != value}
                | {name: total(first, name) for name, value in least.items() if total(first, name) < value}
                | ({SEEN[0]: second.get(SEEN, 0.0)} if first.get(SEEN) != second.get(SEEN) else {})
            )

        end = time.monotonic() + PATIENCE_S
        while found := wrong():
            assert time.monotonic() < end, found
            time.sleep(0.3)
        assert scrape(server.url)["parlour_matches_running", ()] <= 1
