"""Quotas over real processes: writes count for all of them, and the SDK waits a refusal out."""

from __future__ import annotations

import time

import requests
from parlour import Client

from tests.support import running_server

BODY = {"game": "valente", "seats": [{"kind": "open"}, {"kind": "open"}]}


def test_two_processes_share_one_quota_and_the_sdk_waits() -> None:
    with running_server("--api-processes", "2", env={"PARLOUR_LIMITS": "address.write=3/5second"}) as server:
        for _ in range(10):
            codes: list[int] = []
            began = time.monotonic()
            for _ in range(12):  # each on a connection of its own, so that both processes are asked
                answer = requests.post(f"{server.url}/v1/matches", json=BODY, timeout=60)
                codes.append(answer.status_code)
                if codes[-1] == 429:
                    assert 1 <= int(answer.headers["Retry-After"]) <= 5
            if time.monotonic() - began < 5:  # so they fell into two windows at most
                break
            time.sleep(5)
        assert 3 <= codes.count(201) <= 6, codes
        assert codes.count(429) >= 6
        with Client(server.url) as client:
            for _ in range(4):
                client.create("valente", ["open", "open"])
