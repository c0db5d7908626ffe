"""Processes killed by SIGKILL at chosen points, under load: no acknowledged act is lost, none is applied twice."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
import requests

from tests.e2e.faulty import POINTS
from tests.e2e.stack import Mirror, Stack, call, planted_stack
from tests.support import until

KILLS = 20


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with planted_stack(tmp_path_factory.mktemp("stack")) as running:
        yield running


class Load:
    """Clients that play on, match after match, until told to stop; every step is compared with the engine's."""

    def __init__(self, url: str, tables: list[str]) -> None:
        self.faults: list[BaseException] = []
        self.acts = self.replayed = 0
        self._url = url
        self._stop = threading.Event()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._play, args=(kinds,)) for kinds in tables]
        for thread in self._threads:
            thread.start()

    def _play(self, kinds: str) -> None:
        try:
            while not self._stop.is_set():
                mirror = Mirror(self._url, "valente", kinds, next(self._numbers))
                mirror.play_bots()
                while not mirror.over() and not self._stop.is_set():
                    mirror.act()
                    with self._lock:
                        self.acts += 1
                mirror.observed(0)
                with self._lock:
                    self.replayed += mirror.replayed
        except BaseException as error:  # handed to the test, which fails with it
            self.faults.append(error)
            self._stop.set()

    def kill(self, stack: Stack, who: str, point: str) -> None:
        """Kill a process at a point, ``KILLS`` times, with some acts that go well between."""
        try:
            for _ in range(KILLS):
                enough = self.acts + 5
                while self.acts < enough and not self.faults:
                    time.sleep(0.005)
                if not self.faults:
                    stack.kill_once(who, point)
        finally:
            self._end()

    def _end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self.faults:
            raise self.faults[0]


@pytest.mark.parametrize("point", POINTS)
def test_an_http_process_killed_in_the_middle_of_acts(stack: Stack, point: str) -> None:
    load = Load(stack.url, ["mm", "mmm", "mb", "mbb"])
    load.kill(stack, "api", point)
    if point in ("after_commit", "after_enqueue"):
        assert load.replayed > 0, "no act was ever sent again, so nothing was tried"


@pytest.mark.parametrize("point", POINTS[:2])
def test_a_worker_killed_in_a_bots_turn(stack: Stack, point: str) -> None:
    """The match goes on by itself."""
    load = Load(stack.url, ["mb", "mbb", "mbbb"])
    load.kill(stack, "bots", point)


@pytest.mark.parametrize("point", POINTS[:2])
def test_a_worker_killed_while_a_deadline_is_executed(stack: Stack, point: str) -> None:
    """Every deadline is executed exactly once and never early, however often its worker dies on it."""
    body = {
        "game": "valente",
        "seats": [{"kind": "mine"}, {"kind": "mine"}],
        "clock": {"per_decision_s": 0.3, "on_expiry": "default_move", "takeover_after": 100},
    }
    made = [call("POST", f"{stack.url}/v1/matches", None, body) for _ in range(12)]
    for number in range(KILLS):
        stack.kill_once(("clock", "bots")[number % 2], point)  # bot workers help with clocks
    for created in made:
        path = f"{stack.url}/v1/matches/{created['match']['id']}"
        until(lambda path=path: call("GET", path)["version"] > 4)
        call("POST", f"{path}/cancel", created["host_token"], unless=(409,))  # it may have ended
        over = call("GET", path)
        expired = 0
        for seat, token in enumerate(entry["token"] for entry in created["seat_tokens"]):
            items = call("GET", f"{path}/events?limit=500", token)["items"]
            assert len(items) < 500
            opened = None
            for item in items:
                if item["event"]["type"] == "decision_opened":
                    assert opened is None, "a decision was opened before the last one was answered"
                    opened = datetime.fromisoformat(item["at"])
                elif item["event"]["type"] == "clock" and item["event"]["seat"] == seat:
                    assert opened is not None, "a deadline was executed twice"
                    late = (datetime.fromisoformat(item["at"]) - opened).total_seconds() - 0.3
                    assert -0.001 <= late < 60
                    opened = None
                    expired += 1
        changes = over["version"] - 1 - (over["status"] == "cancelled")
        assert expired == changes, (over["version"], over["status"], expired)


def test_eight_clients_send_the_same_act_at_once(stack: Stack) -> None:
    """Exactly one takes effect; the same action is told so, another one is stale."""
    for number in range(10):
        mirror = Mirror(stack.url, "valente", "mm", 1000 + number)
        seat, _, _ = mirror.game.pending(mirror.state)[0]
        legal = mirror.game.legal_actions(mirror.state, seat)
        seen = mirror.observed(seat)
        answers: list[requests.Response] = []
        together = threading.Barrier(8)

        def send(action: int, *, at: threading.Barrier, to: list, body: dict, url: str, token: str) -> None:
            at.wait()
            body = {**body, "actions": [{"id": action}]}
            to.append(requests.post(url, json=body, headers={"Authorization": f"Bearer {token}"}, timeout=60))

        actions = [legal[0]] * 8 if number % 2 else [legal[place % 2] for place in range(8)]
        threads = [
            threading.Thread(
                target=send,
                args=(action,),
                kwargs={
                    "at": together,
                    "to": answers,
                    "body": {"decision": seen["decision"]["id"]},
                    "url": f"{mirror.url}/actions",
                    "token": mirror.tokens[seat],
                },
            )
            for action in actions
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = [answer for answer in answers if answer.status_code == 200 and not answer.json()["replayed"]]
        again = [answer for answer in answers if answer.status_code == 200 and answer.json()["replayed"]]
        stale = [answer for answer in answers if answer.status_code == 409]
        assert len(took) == 1
        assert len(took) + len(again) + len(stale) == 8
        assert all(answer.json()["code"] == "stale_decision" for answer in stale)
        assert len(stale) == (0 if number % 2 else 4)
        assert took[0].json()["observation"]["version"] == seen["version"] + 1


def test_what_the_tests_start_is_what_they_say(tmp_path: Path) -> None:
    """The planted modules exist and are the real ones, wrapped: a kill at a point that nobody passes is noticed."""
    with planted_stack(tmp_path) as quiet, pytest.raises(AssertionError, match="nobody came by"):
        quiet.kill_once("api", "after_commit", within_s=1)
