"""The leak proof over HTTP: two worlds that differ only in what a viewer may not know answer it with the same bytes.

Two servers with the same clock and the same ids play the same match. Then the second one's state is replaced by another
that the viewer's observation cannot rule out, and everything that this viewer can ask is asked of both.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import orjson
import pytest
import redis
from parlour_api import acting, wire
from parlour_api.rates import QUOTAS
from parlour_api.reading import Reader
from parlour_api.store import keys
from parlour_engine.game import AnyGame, owed_by
from parlour_engine.games import GAMES
from werkzeug.test import TestResponse

from tests.api.conftest import Api, make_api

TABLES = [pytest.param(game, seats, id=f"{game.slug}-{seats}") for game in GAMES for seats in game.seats]


@pytest.fixture
def worlds(redis_url: str) -> Iterator[tuple[Api, Api]]:
    """Both servers. Their quotas' windows are long: what is counted within one is forgotten in real time."""
    made = []
    for database in (1, 2):
        url = f"{redis_url}?db={database}"
        redis.Redis.from_url(url).flushdb()
        made.append(make_api(url, limits=" ".join(f"{name}=100000/day" for name in QUOTAS)))
    yield made[0], made[1]
    for api in made:
        api.service.hub.close()
        api.service.store.client.close()


class Table:
    """The same match on both servers, played by the same actions."""

    def __init__(self, worlds: tuple[Api, Api], game: AnyGame, seats: int, number: int) -> None:
        self.worlds, self.game, self.seats = worlds, game, seats
        self.rng = random.Random(number)
        body = {"game": game.slug, "seats": [{"kind": "mine"}] * seats, "clock": {"per_decision_s": 60}}
        body["seed"] = f"{number:032x}"
        made = [api.post("/v1/matches", body).json for api in worlds]
        assert made[0] == made[1]
        self.id = made[0]["match"]["id"]
        self.tokens = {entry["seat"]: entry["token"] for entry in made[0]["seat_tokens"]}
        self.path = f"/v1/matches/{self.id}"

    def state(self) -> Any:
        """The first server's state."""
        stored = self.worlds[0].service.store.load(self.id)
        assert stored is not None
        return self.game.load(orjson.loads(stored.state))

    def step(self) -> bool:
        """One random legal act on both servers; False when the match is over."""
        state = self.state()
        owed = list(self.game.pending(state))
        if not owed:
            return False
        seat, _, number = self.rng.choice(owed)
        body = {"decision": wire.decision_id(self.id, seat, number)}
        body["actions"] = [{"id": self.rng.choice(self.game.legal_actions(state, seat))}]
        both = [api.post(f"{self.path}/actions", body, self.tokens[seat]) for api in self.worlds]
        assert both[0].status_code == 200, both[0].text
        assert_equal(both[0], both[1])
        return True

    def compare(self, viewer: int | None) -> None:
        """Ask everything that this viewer can ask, of the real world and of another that it cannot rule out."""
        state = self.state()
        other = self.game.determinize(self.game.observe(state, viewer), self.rng)
        key = keys.match_key(self.id)
        here, there = (api.service.store.client for api in self.worlds)
        kept = there.hgetall(key)
        there.hset(key, "state", orjson.dumps(self.game.dump(other)))
        for client in (here, there):
            client.hdel(key, *(f"obs:{keys.viewer_name(each)}" for each in (*range(self.seats), None)))
        for ask in self.questions(state, viewer):
            assert_equal(ask(self.worlds[0]), ask(self.worlds[1]))
        there.delete(key)
        there.hset(key, mapping=kept)

    def questions(self, state: Any, viewer: int | None) -> Iterator[Callable[[Api], TestResponse]]:
        token = None if viewer is None else self.tokens[viewer]
        for path in ("/observation", "/observation", "", "/events?limit=500", "/observation?after=0&wait=0"):
            yield lambda api, path=path: api.get(self.path + path, token)
        tag = f'"{self.worlds[0].get(self.path, token).json["version"]}-{keys.viewer_name(viewer)}"'
        self.worlds[1].get(self.path, token)  # as many requests here as there: ids are counted
        yield lambda api: api.get(self.path + "/observation", token, If_None_Match=tag)
        yield lambda api: api.get(self.path + "/observation", token, If_None_Match=tag, Prefer="wait=0")
        yield lambda api: api.get("/v1/matches")
        owed = None if viewer is None else owed_by(self.game, state, viewer)
        legal = self.game.legal_actions(state, viewer) if owed else ()
        decision = wire.decision_id(self.id, viewer or 0, owed.number if owed else 0)
        illegal = [number for number in range(len(self.game.actions(self.seats))) if number not in legal]
        for number in self.rng.sample(illegal, min(6, len(illegal))):
            body = {"decision": decision, "actions": [{"id": number}]}
            yield lambda api, body=body: api.post(self.path + "/actions", body, token)
        stale = {"decision": "dec_of_another_day", "actions": [{"id": 0}]}
        yield lambda api: api.post(self.path + "/actions", stale, token)


def assert_equal(left: TestResponse, right: TestResponse, but: tuple[str, ...] = ()) -> None:
    """Equal to the byte: status, body, headers ``but`` some."""
    assert (left.status_code, left.data) == (right.status_code, right.data)
    headers = [[pair for pair in each.headers if pair[0] not in but] for each in (left, right)]
    assert headers[0] == headers[1]


def play_and_compare(table: Table, every: float) -> int:
    """Play to the end; at a share of the steps, and at the end, compare for every viewer. How often it did."""
    compared = 0
    going = True
    while going:
        going = table.step()
        if not going or table.rng.random() < every:
            for viewer in (*range(table.seats), None):
                table.compare(viewer)
            compared += 1
    return compared


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_two_worlds_answer_alike(worlds: tuple[Api, Api], game: AnyGame, seats: int) -> None:
    """CM-5, CM-6, CM-6a: body, counts, ids, entity tag, errors and event numbers, for every seat and the spectator."""
    assert play_and_compare(Table(worlds, game, seats, seats), 0.06) > 1


# Planted leaks: each must be caught, or the proof proves nothing.


def _leaky_etag(patch: pytest.MonkeyPatch) -> None:
    """An entity tag of the full state."""
    real = Reader.observe

    def observe(self: Reader, match_id: str, *args: Any) -> Any:
        stored = self._store.load(match_id)
        assert stored is not None
        return dataclasses.replace(real(self, match_id, *args), etag=f'"{hash(stored.state)}"')

    patch.setattr(Reader, "observe", observe)


def _patch_observation(patch: pytest.MonkeyPatch, change: Callable[[Any, Any, dict[str, Any]], None]) -> None:
    real = wire.observation

    def observation(match: Any, viewer: int | None) -> bytes:
        seen = orjson.loads(real(match, viewer))
        if match.state is not None:
            change(match, viewer, seen)
        return orjson.dumps(seen)

    patch.setattr(wire, "observation", observation)


def _leaky_choices(patch: pytest.MonkeyPatch) -> None:
    """How many choices the seat that is to act has, shown to all. [CM-6]"""

    def change(match: Any, _viewer: Any, seen: dict[str, Any]) -> None:
        for entry in seen["awaiting"]:
            entry["choices"] = len(match.game.legal_actions(match.state, entry["seat"]))

    _patch_observation(patch, change)


def _leaky_decision_of_others(patch: pytest.MonkeyPatch) -> None:
    """The mover's legal actions shown to whoever looks."""

    def change(match: Any, _viewer: Any, seen: dict[str, Any]) -> None:
        seen["legal"] = [list(match.game.legal_actions(match.state, seat)) for seat in match.record.owed]

    _patch_observation(patch, change)


def _leaky_chance(patch: pytest.MonkeyPatch) -> None:
    """A parity bit of what comes next in the deck."""

    def change(match: Any, _viewer: Any, seen: dict[str, Any]) -> None:
        seen["version"] += 1000 * (sum(match.state.seed) % 2)

    _patch_observation(patch, change)


def _leaky_hands(patch: pytest.MonkeyPatch) -> None:
    """A digest of every seat's view, meant as a check sum."""

    def change(match: Any, _viewer: Any, seen: dict[str, Any]) -> None:
        seats = range(len(match.record.seats))
        seen["sum"] = hash(tuple(str(match.game.observe(match.state, seat)) for seat in seats)) % 1000

    _patch_observation(patch, change)


def _leaky_digest(patch: pytest.MonkeyPatch) -> None:
    """One bit of a check sum over the stored state."""

    def change(match: Any, _viewer: Any, seen: dict[str, Any]) -> None:
        seen["sum"] = crc32(orjson.dumps(match.game.dump(match.state))) % 2

    _patch_observation(patch, change)


def _patch_game(patch: pytest.MonkeyPatch, worlds: tuple[Api, Api], game: AnyGame, **verbs: Any) -> None:
    for api in worlds:
        patch.setitem(api.service.catalogue._games, game.slug, dataclasses.replace(game, **verbs))


def _leaky_reason(patch: pytest.MonkeyPatch) -> None:
    """A refusal's words from the state instead of the observation."""
    real = acting._refusal

    def refusal(error: Any, match: Any, seat: int) -> Any:
        error.extra["reason"] = f"not now ({match.game.observe(match.state, (seat + 1) % len(match.record.seats))})"
        return real(error, match, seat)

    patch.setattr(acting, "_refusal", refusal)


def _leaky_decision_id(patch: pytest.MonkeyPatch) -> None:
    """A decision's id made from the whole state."""
    real = wire.awaiting

    def awaiting(record: Any) -> Any:
        return [*real(record), {"note": record.server_seed}]

    patch.setattr(wire, "awaiting", awaiting)

    def change(match: Any, _viewer: Any, seen: dict[str, Any]) -> None:
        if seen["decision"]:
            seen["decision"]["id"] += f"_{hash(str(match.game.dump(match.state))) % 99}"

    _patch_observation(patch, change)


LEAKS = [
    _leaky_etag, _leaky_choices, _leaky_decision_of_others, _leaky_chance, _leaky_hands, _leaky_digest, _leaky_reason,
    _leaky_decision_id,
]  # fmt: skip


@pytest.mark.parametrize("plant", LEAKS)
@pytest.mark.parametrize("game", [pytest.param(game, id=game.slug) for game in GAMES])
def test_a_planted_leak_is_caught(
    worlds: tuple[Api, Api], game: AnyGame, plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CM-6: each of these has been a real leak somewhere."""
    table = Table(worlds, game, game.seats[0], 7)
    for _ in range(4):
        table.step()
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        play_and_compare(table, 1.0)
