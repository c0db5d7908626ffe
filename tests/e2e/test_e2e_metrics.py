"""/metrics of the real service: the numbers of every process are in it, whichever one answers."""

from __future__ import annotations

import time

import requests

from tests.api.test_api_metrics import Samples, read
from tests.e2e.stack import Mirror, call
from tests.support import running_server

SEEN = ("parlour_requests_total", (("operation", "get_observation"), ("status", "200")))


def scrape(url: str) -> Samples:
    """The numbers; over a connection of its own, so that any of the processes may answer."""
    answer = requests.get(f"{url}/metrics", headers={"Connection": "close"}, timeout=10)
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
                timeout=10,
            ).ok
        assert looked == 100
        bots = mirror.version - 1 - acts
        until = time.monotonic() + 20
        while True:
            first, second = scrape(server.url), scrape(server.url)
            done = (
                total(first, "parlour_expiries_total") >= 2 and total(first, "parlour_bot_think_seconds_count") > bots
            )
            if done and total(first, "parlour_matches_ended_total") >= 1 and first[SEEN] == second[SEEN]:
                break
            assert time.monotonic() < until, sorted(first.items())
            time.sleep(0.3)
        assert first[SEEN] >= 100 + acts
        assert total(first, "parlour_act_seconds_count") == acts
        assert total(first, "parlour_matches_created_total") == 2
        assert total(first, "parlour_expiry_lateness_seconds_count") == total(first, "parlour_expiries_total")
        assert first["parlour_workers", ()] == 3
        assert first["parlour_matches_running", ()] <= 1
