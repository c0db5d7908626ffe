"""The same matches, played to their end, on every shape of Redis; where there is a replica, a master dies meanwhile.

Two whole services (``parlour serve``: HTTP, house bots, clocks) share the Redis as two machines would, and every match
is played from both. With ``PARLOUR_TEST_REDIS_SERVER``, the path of another server's binary, that one is tried as well.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import requests
from parlour import Acted, Client, ClockRule, Event, Observation, choose_random, play, verify
from parlour_api.connect import connect
from parlour_api.embedded import find_server

from tests.e2e.stack import bearable, silences
from tests.e2e.topologies import SERVICE, TOPOLOGIES, Topology, topology
from tests.support import PATIENCE_S, running_server, until

OTHER = os.environ.get("PARLOUR_TEST_REDIS_SERVER", "")
CASES = [*TOPOLOGIES, *(f"{name}-other" for name in ("embedded", "sentinel", "cluster") if OTHER)]
GAMES = {
    "valente": ["mine", "mine", "bot"],
    "love_is_dead": ["mine", "bot", "mine"],
    "lovestruck": ["mine"] * 2 + ["bot"] * 3,
}
MATCHES_OF_EACH = 2
ACTS_BEFORE_THE_END_OF_A_MASTER = 30


@pytest.fixture(params=CASES)
def redis(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Topology]:
    name, _, other = request.param.partition("-")
    with topology(name, OTHER if other else find_server(), tmp_path) as running:
        yield running


class Table:
    """A match: its first human seat plays by one service, the second by the other, and a spectator hears a stream."""

    def __init__(self, one: Client, other: Client, game: str, number: int) -> None:
        self.game = game
        made = one.create(game, GAMES[game], clock=ClockRule(per_decision_s=90))
        (first, mine), (second, theirs) = made.seats.items()
        self.match, self.client = made.match, other
        self.seats = {first: mine, second: other.seat(mine.match_id, theirs.token)}
        self.acted: dict[int, list[int]] = {first: [], second: []}
        self.seen: list[Observation[Any]] = []
        self.heard: dict[int | None, list[Event]] = {first: [], second: [], None: []}
        self.faults: list[BaseException] = []
        targets = [lambda seat=seat: self._play(seat, number) for seat in self.seats]
        self._threads = [
            threading.Thread(target=self._try, args=(target,), name=f"{game}: {who}")
            for who, target in (("first", targets[0]), ("second", targets[1]), ("spectator", self._listen))
        ]
        for thread in self._threads:
            thread.start()

    def _try(self, target: Any) -> None:
        try:
            target()
        except BaseException as error:  # handed to the test, which fails with it
            self.faults.append(error)

    def _play(self, number: int, seed: int) -> None:
        seat = self.seats[number]
        seat.say(f"hello from {number}")
        real = seat.act

        def act(action: Any, *, decision: Any) -> Acted:
            done = real(action, decision=decision)
            self.acted[number].append(action.id)  # acknowledged, so it must stay
            return done

        seat.act = act  # type: ignore[method-assign]
        self.seen.append(play(seat, choose_random(seed), on_event=self.heard[number].append, wait_s=20))

    def _listen(self) -> None:
        self.heard[None] += self.client.spectator(self.match.id).stream()

    def end(self) -> None:
        """Wait for the end of the match; raises what went wrong in it."""
        for thread in self._threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive(), f"{thread.name} does not come to an end"
        for fault in self.faults:
            raise fault

    def check(self, undisturbed: bool) -> None:
        """What was acknowledged happened, once, in this order, and nothing else did; the replay bears it out."""
        replay = self.client.spectator(self.match.id).replay()
        assert replay.status == "finished"
        for number, ids in self.acted.items():
            assert [entry.action for entry in replay.actions if entry.seat == number] == ids
        verify(replay, commitment=self.match.commitment, seen=self.seen)
        viewers: dict[int | None, Any] = {**self.seats, None: self.client.spectator(self.match.id)}
        for who, viewer in viewers.items():
            kept = list(viewer.events(game=self.game))
            assert [event.seq for event in kept] == list(range(1, len(kept) + 1))
            heard = self.heard[who]
            assert [event.seq for event in heard] == list(range(1, len(heard) + 1))
            if undisturbed:  # else one may have heard of what then was lost, unacknowledged
                assert heard == kept


@pytest.fixture(scope="module")
def behind_sentinels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with topology("sentinel", find_server(), tmp_path_factory.mktemp("sentinel")) as running:
        yield running.settings["PARLOUR_REDIS_URL"]


def test_a_connection_that_a_thread_has_taken_is_not_cut_when_the_master_changes(behind_sentinels: str) -> None:
    """Whoever finds another master first disconnects all that are idle; meanwhile others may take one."""
    pool: Any = connect(behind_sentinels).connection_pool
    first, second = (pool.get_connection() for _ in range(2))
    pool.release(first)
    pool.release(second)
    taken: list[Any] = []
    began: list[threading.Thread] = []

    def take() -> None:
        taken.append(pool.get_connection())
        taken[0].send_command("PING")

    def slowly(cut: Any) -> None:
        if not began:
            began.append(threading.Thread(target=take))
            began[0].start()
            began[0].join(1)  # it may have to wait until we are done
        cut()

    for each in (first, second):
        each.disconnect = lambda *_, cut=each.disconnect, **__: slowly(cut)
    pool.disconnect(inuse_connections=False)
    began[0].join()
    assert taken[0].read_response() == b"PONG"
    pool.disconnect()


def test_no_sentinel_is_forgotten_when_threads_ask_at_the_same_time(behind_sentinels: str) -> None:
    """Two that have it from the second one, as the first knew nothing, both want to ask that one first from now on."""
    sentinels: Any = connect(behind_sentinels).connection_pool.sentinel_manager
    real, together, asked = sentinels.check_master_state, threading.Barrier(2), threading.local()

    def check(state: Any, service: str) -> bool:
        asked.times = getattr(asked, "times", 0) + 1
        if asked.times == 1:
            return False
        together.wait()
        return bool(real(state, service))

    sentinels.check_master_state = check
    before = set(map(repr, sentinels.sentinels))
    threads = [threading.Thread(target=sentinels.discover_master, args=(SERVICE,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(map(repr, sentinels.sentinels)) == before


def test_matches_are_played_to_their_end(redis: Topology, tmp_path: Path) -> None:
    settings = {**redis.settings, "PARLOUR_SECRET": "a secret of the tests", "PARLOUR_BOT_ANSWER_S": "0-0.02"}
    statuses: Counter[int] = Counter()
    with ExitStack() as held:
        servers = [held.enter_context(running_server(env=settings)) for _ in range(2)]
        clients = [held.enter_context(Client(server.url)) for server in servers]
        for client in clients:
            client._transport._session.hooks["response"].append(
                lambda answer, **_: statuses.update([answer.status_code])
            )
        took = [0.0] if redis.fail_over else held.enter_context(silences(redis.settings["PARLOUR_REDIS_URL"]))
        slow = clients[0].create("valente", ["mine", "mine"], clock=ClockRule(per_decision_s=0.5, on_expiry="forfeit"))
        tables = [
            Table(*(clients if number % 2 else clients[::-1]), game, number)
            for number in range(MATCHES_OF_EACH)
            for game in GAMES
        ]
        if redis.fail_over is not None:
            while sum(len(ids) for table in tables for ids in table.acted.values()) < ACTS_BEFORE_THE_END_OF_A_MASTER:
                assert not any(table.faults for table in tables)
                time.sleep(0.005)
            redis.fail_over()
        for table in tables:
            table.end()
        for table in tables:
            table.check(undisturbed=redis.fail_over is None)
        until(lambda: slow.host.match().status == "finished")  # its deadline passed
        assert {table.match.id for table in tables} <= {match.id for match in clients[0].matches(status="finished")}
        until(lambda: "parlour_matches_ended_total" in requests.get(f"{servers[1].url}/metrics", timeout=60).text)
    assert {status for status in statuses if status >= 500} <= ({503} if redis.fail_over else bearable(took))
    assert statuses[200] > 100
