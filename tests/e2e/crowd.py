"""Many matches with scripted clients and house bots, and what must be true of each when all is over."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import requests
from parlour.fairness import examine
from parlour.models import Replay, decode

from tests.e2e.stack import call
from tests.support import PATIENCE_S

Plan = tuple[str, str, dict[str, Any] | None]
"""Game, seats as letters (s scripted, b bot), clock."""


class Table:
    """One match: its scripted seats act at random, one decision a step."""

    def __init__(self, url: str, plan: Plan, number: int) -> None:
        self.slug, self.kinds, self.clock = plan
        self._rng = random.Random(number)
        seats = [{"kind": {"s": "open", "b": "bot"}[kind]} for kind in self.kinds]
        body: dict[str, Any] = {"game": self.slug, "seats": seats} | ({"clock": self.clock} if self.clock else {})
        made = call("POST", f"{url}/v1/matches", None, body)
        self.url = f"{url}/v1/matches/{made['match']['id']}"
        self.commitment = made["match"]["commitment"]
        self.host = made["host_token"]
        self.tokens = {}
        for seat, kind in enumerate(self.kinds):
            if kind == "s":
                self.tokens[seat] = call("POST", f"{self.url}/join", None, {"seat": seat})["token"]
        self.acted: list[tuple[float, int, int, int | None]] = []
        """Acts that were acknowledged: when, seat, action, version (None: told to be a repeat)."""
        self.over = False
        self.expired = 0
        """Deadlines of scripted seats that ran out; known once it was judged."""

    def step(self) -> None:
        """Every scripted seat that owes a decision answers it."""
        for seat, token in self.tokens.items():
            seen = call("GET", f"{self.url}/observation", token)
            self.over = seen["status"] != "playing"
            if self.over:
                return
            if seen["decision"] is None:
                continue
            action = self._rng.choice(seen["decision"]["legal_actions"])["id"]
            body = {"decision": seen["decision"]["id"], "actions": [{"id": action}]}
            answer = call("POST", f"{self.url}/actions", token, body, unless=(409,))
            if "applied" in answer:
                version = None if answer["replayed"] else answer["observation"]["version"]
                self.acted.append((time.time(), seat, action, version))

    def events(self, seat: int | None) -> list[dict[str, Any]]:
        """A viewer's whole list, whose numbers have no gap."""
        found: list[dict[str, Any]] = []
        while True:
            token = None if seat is None else self.tokens[seat]
            page = call("GET", f"{self.url}/events?after={len(found)}&limit=500", token)["items"]
            found += page
            if len(page) < 500:
                break
        assert [event["seq"] for event in found] == list(range(1, len(found) + 1))
        versions = [event["version"] for event in found]
        assert versions == sorted(versions)
        return found

    def assert_sound(self, excused: Callable[[float], bool] = lambda _at: False) -> None:
        """End it, then: the replay is true to what every viewer was told; each act that was acknowledged is in it,
        none twice; every deadline ran out at most once, none early."""
        if call("GET", self.url)["status"] == "playing":
            call("POST", f"{self.url}/cancel", self.host, unless=(409,))
        raw = call("GET", f"{self.url}/replay", self.host)
        replay = decode(Replay, raw)
        for viewer in (None, *self.tokens):
            for check in examine(replay, commitment=self.commitment, events=self.events(viewer), viewer=viewer):
                assert check.fits is not False, (self.url, viewer, check)
        log = {(entry["version"], entry["seat"]): entry["action"] for entry in raw["actions"]}
        assert len(log) == len(raw["actions"])
        for at, seat, action, version in self.acted:
            assert version is None or excused(at) or log.get((version, seat)) == action, (self.url, at, version)
        for seat in self.tokens:
            self._assert_deadlines(seat, log)

    def _assert_deadlines(self, seat: int, log: dict[tuple[int, int], int | None]) -> None:
        opened: float | None = None
        expired = 0
        for item in self.events(seat):
            event, at = item["event"], datetime.fromisoformat(item["at"]).timestamp()
            if event["type"] == "decision_opened":
                opened = at
            elif event["type"] == "clock" and event["seat"] == seat:
                assert self.clock is not None
                assert opened is not None, (self.url, seat, "a deadline was executed twice")
                late = at - opened - self.clock["per_decision_s"]
                assert -0.002 <= late < 60, (self.url, seat, late)
                opened = None
                expired += 1
        self.expired += expired
        by_us = Counter(version is None for _, actor, _, version in self.acted if actor == seat)
        answered = sum(1 for _, actor in log if actor == seat)
        assert expired >= answered - by_us.total(), (self.url, seat, "an answer that nobody gave")


class Crowd:
    """Clients that go round their tables until told to stop; a table that is over is judged and laid anew."""

    def __init__(
        self,
        url: str,
        plans: Sequence[Plan],
        clients: int,
        pause_s: float = 0.0,
        excused: Callable[[float], bool] = lambda _at: False,
    ) -> None:
        self.faults: list[BaseException] = []
        self.played: list[Table] = []
        self._url = url
        self._plans = plans
        self._pause_s = pause_s
        self._excused = excused
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._go_round, args=(n, clients)) for n in range(clients)]
        self.tables: list[Table] = [Table(url, plan, number) for number, plan in enumerate(plans)]
        for thread in self._threads:
            thread.start()

    def _go_round(self, first: int, step: int) -> None:
        number = len(self._plans) * (first + 1)
        try:
            while not self._stop.is_set():
                for place in range(first, len(self.tables), step):
                    table = self.tables[place]
                    table.step()
                    if table.over:
                        table.assert_sound(self._excused)
                        self.played.append(table)
                        number += 1
                        self.tables[place] = Table(self._url, self._plans[place], number)
                    if self._stop.wait(self._pause_s):
                        return
        except BaseException as error:  # handed to the test, which fails with it
            self.faults.append(error)
            self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Let it go on for a while; whether it still does: it ends at a fault."""
        return not self._stop.wait(seconds)

    @property
    def acts(self) -> int:
        """How many acts were acknowledged."""
        return sum(len(table.acted) for table in [*self.played, *self.tables])

    def end(self) -> None:
        """Stop the clients, see that no match stands still for lack of the service, and judge each."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self.faults:
            raise self.faults[0]
        for table in self.tables:
            self._assert_goes_on(table)
        for table in self.tables:
            table.assert_sound(self._excused)

    def _assert_goes_on(self, table: Table) -> None:
        until = time.monotonic() + PATIENCE_S
        version = call("GET", table.url)["version"]
        while True:
            seen = call("GET", table.url)
            owing = {entry["seat"] for entry in seen["awaiting"]}
            if seen["status"] != "playing" or seen["version"] != version or owing <= set(table.tokens):
                return
            assert time.monotonic() < until, (table.url, seen["awaiting"])
            time.sleep(0.05)


def statuses(url: str) -> Counter[int]:
    """How many answers of each status the service has given, from its own metrics."""
    found: Counter[int] = Counter()
    for line in requests.get(f"{url}/metrics", timeout=60).text.splitlines():
        if line.startswith("parlour_requests_total{"):
            labels, _, number = line.rpartition(" ")
            found[int(labels.partition('status="')[2][:3])] += int(float(number))
    return found
