"""ack_replicas: nothing is acknowledged that no replica has, and what was refused for that can be sent again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from uuid import uuid4

import pytest
from parlour_api import store
from parlour_api.embedded import find_server

from tests.api.conftest import make_api
from tests.e2e.topologies import HOST, LOGIN, PASSWORD, Servers, at
from tests.support import free_ports, until


class Pair:
    """A Redis and its replica, and an app on them that wants every change on both."""

    def __init__(self, servers: Servers) -> None:
        self.master, self.replica = free_ports(2)
        servers.start(self.master)
        servers.start(self.replica, replicaof=f"{HOST} {self.master}")
        self.join_up()
        self.api = make_api(f"redis://{LOGIN}{HOST}:{self.master}/0", ack_replicas=1)

    def part(self) -> None:
        """Nothing reaches the replica any more."""
        store.REPLICAS_WITHIN_MS = 100
        with at(self.replica) as replica:
            replica.config_set("masterauth", "not the password")
        with at(self.master) as master:
            master.execute_command("CLIENT KILL TYPE replica")

    def join_up(self) -> None:
        """Everything does again."""
        with at(self.replica) as replica, at(self.master) as master:
            replica.config_set("masterauth", PASSWORD)
            until(lambda: master.set("anything", 1) and master.wait(1, 100))
        store.REPLICAS_WITHIN_MS = 1900  # the less hurry the better, but a client's patience with Redis is 2 s


@pytest.fixture
def pair(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    monkeypatch.setattr(store, "REPLICAS_WITHIN_MS", store.REPLICAS_WITHIN_MS)  # is what it was, afterwards
    with ExitStack() as held:
        made = Pair(Servers(find_server(), tmp_path_factory.mktemp("pair"), held))
        yield made
        made.api.close()


def test_an_act_is_acknowledged_once_a_replica_has_it(pair: Pair) -> None:
    api = pair.api
    made = api.create("mm")
    seen = api.observe(made)
    action, decision = seen["decision"]["legal_actions"][0]["id"], seen["decision"]["id"]
    pair.part()
    for _ in range(2):
        refused = api.act(made, 0, [{"id": action}], decision)
        assert (refused.status_code, refused.json["code"]) == (503, "not_replicated")
        assert refused.headers["Retry-After"] == "1"
    assert api.observe(made)["version"] == seen["version"] + 1, "it is made all the same, once"
    pair.join_up()
    again = api.act(made, 0, [{"id": action}], decision)
    assert (again.status_code, again.json["replayed"]) == (200, True)
    assert api.observe(made)["version"] == seen["version"] + 1
    following = api.observe(made, 0)["decision"] or api.observe(made, 1)["decision"]
    assert following["id"] != decision


def test_joining_and_creating_with_a_key_happen_once(pair: Pair) -> None:
    api = pair.api
    made = api.create("moo", start="manual")
    path, key, other = f"/v1/matches/{made['id']}/join", str(uuid4()), str(uuid4())
    body = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open"}]}
    pair.part()
    for _ in range(2):
        assert api.post(path, {}, Idempotency_Key=key).json["code"] == "not_replicated"
        assert api.post("/v1/matches", body, Idempotency_Key=other).json["code"] == "not_replicated"
    pair.join_up()
    joined = api.post(path, {}, Idempotency_Key=key)
    assert (joined.status_code, joined.json["seat"]) == (200, 1)
    assert api.get(f"/v1/matches/{made['id']}/observation", joined.json["token"]).status_code == 200
    created = api.post("/v1/matches", body, Idempotency_Key=other)
    assert created.status_code == 201
    assert len(api.get("/v1/matches").json["items"]) == 2


def test_what_a_failover_took_is_made_again(pair: Pair) -> None:
    """As if a replica without it had become the master: the match is as it was before."""
    api = pair.api
    made = api.create("moo", start="manual")
    key = str(uuid4())
    path = f"/v1/matches/{made['id']}/join"
    with at(pair.master) as master:
        (name,) = master.keys(f"*{made['id']}")
        before = master.dump(name)
        assert api.post(path, {}, Idempotency_Key=key).status_code == 200
        master.restore(name, 0, before, replace=True)
    joined = api.post(path, {}, Idempotency_Key=key)
    assert (joined.status_code, joined.json["seat"]) == (200, 1)
    assert api.get(f"/v1/matches/{made['id']}/observation", joined.json["token"]).status_code == 200


def test_other_changes_say_so(pair: Pair) -> None:
    api = pair.api
    made = api.create("mo")
    pair.part()
    answer = api.post(f"/v1/matches/{made['id']}/cancel", None, made["host_token"])
    assert (answer.status_code, answer.json["code"]) == (503, "not_replicated")
    assert api.get(f"/v1/matches/{made['id']}").json["status"] == "cancelled"
