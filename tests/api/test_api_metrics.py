"""/metrics: what is counted, what is looked up, who may read it, and what it never says."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import redis
from parlour_api.app import create_app
from parlour_api.connect import ONCE, connect
from parlour_api.jobs import alive
from parlour_api.metrics import FAST, KINDS, Meter, exposition
from parlour_api.settings import Settings
from parlour_api.sources import Ids
from parlour_api.store import keys
from parlour_engine.games import GAMES
from prometheus_client.parser import text_string_to_metric_families
from rq import SimpleWorker, Worker
from rq.utils import utcformat

from tests.api.conftest import PATIENT, SECRET, Api, FrozenClock

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(text: str) -> Samples:
    """Every sample by its name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def numbers(api: Api) -> Samples:
    answer = api.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return read(answer.text)


def test_requests_by_operation_and_status(api: Api) -> None:
    made = api.create("mm")
    for _ in range(3):
        api.observe(made)
    api.get(f"/v1/matches/{made['id']}/observation?after=0")
    api.get(f"/v1/matches/{made['id']}/observation", made["tokens"][0], If_None_Match='"1-0"')
    api.get("/v1/matches/mat_0aaaaaaaaaaaaaaaa")
    api.get("/nowhere")
    seen = numbers(api)

    def count(operation: str, status: str) -> float:
        return seen["parlour_requests_total", (("operation", operation), ("status", status))]

    assert count("create_match", "201") == 1
    assert count("get_observation", "200") == 4
    assert count("get_observation", "304") == 1
    assert count("get_match", "404") == 1
    assert count("none", "404") == 1
    assert ("parlour_requests_total", (("operation", "metrics"), ("status", "200"))) not in seen
    assert numbers(api)["parlour_requests_total", (("operation", "metrics"), ("status", "200"))] == 1


def test_acts_matches_and_bots(api: Api) -> None:
    made = api.create("mb")
    began = time.monotonic()
    assert api.act(made, 0, [{"id": api.observe(made)["decision"]["legal_actions"][0]["id"]}]).status_code == 200
    api.clock.forward(0.02)
    while api.observe(made)["decision"] is not None:
        legal = api.observe(made)["decision"]["legal_actions"]
        assert api.act(made, 0, [{"id": legal[0]["id"]}]).status_code == 200
        if api.observe(made)["decision"] is None:
            break
    took_s = time.monotonic() - began
    api.clock.forward(0.3)
    while api.service.acting.play_bots(made["id"]):
        pass
    seen = numbers(api)
    game = (("game", "valente"),)
    assert seen["parlour_matches_created_total", game] == 1
    acts = seen["parlour_act_seconds_count", game]
    assert acts >= 1
    assert seen["parlour_act_seconds_bucket", (*game, ("le", "+Inf"))] == acts
    buckets = [seen["parlour_act_seconds_bucket", (*game, ("le", str(end)))] for end in FAST]
    assert buckets == sorted(buckets)
    assert 0 < seen["parlour_act_seconds_sum", game] < took_s
    thought = seen["parlour_bot_think_seconds_count", (("bot", GAMES[0].bots[-1].id), *game)]
    assert thought >= 1
    assert seen["parlour_bot_lateness_seconds_count", ()] == thought
    assert seen["parlour_bot_lateness_seconds_sum", ()] >= 0.3
    assert seen["parlour_matches_running", ()] == 1
    assert api.post(f"/v1/matches/{made['id']}/cancel", None, made["host_token"]).status_code == 200
    after = numbers(api)
    assert after["parlour_matches_running", ()] == 0
    assert after["parlour_matches_ended_total", (*game, ("status", "cancelled"))] == 1


def test_expiries_and_how_late_they_were(api: Api) -> None:
    made = api.create("mm", clock={"per_decision_s": 10, "on_expiry": "default_move"})
    api.clock.forward(10.2)
    assert api.service.acting.expire(made["id"]) == 1
    assert api.service.acting.expire(made["id"]) == 0
    seen = numbers(api)
    assert seen["parlour_expiries_total", (("game", "valente"), ("on_expiry", "default_move"))] == 1
    assert seen["parlour_expiry_lateness_seconds_sum", ()] == pytest.approx(0.2)
    assert seen["parlour_expiry_lateness_seconds_bucket", (("le", "0.1"),)] == 0
    assert seen["parlour_expiry_lateness_seconds_bucket", (("le", "0.25"),)] == 1


def test_what_waits(api: Api, redis_url: str) -> None:
    client = redis.Redis.from_url(redis_url)
    now = 5_000_000
    client.zadd(keys.deadlines_key(3), {"mat_3x": now - 1500, "mat_3y": now + 99})
    client.zadd(keys.turns_key(7), {"mat_7x": now + 1})
    api.service.jobs.play_bots("mat_0aaaaaaaaaaaaaaaa", "1")
    api.service.jobs.expire(["mat_0aaaaaaaaaaaaaaaa"], "2")
    seen = read(exposition(client, client, now).decode())
    assert seen["parlour_matches_running", ()] == 2
    assert seen["parlour_matches_awaiting_bot", ()] == 1
    assert seen["parlour_overdue_seconds", (("what", "deadline"),)] == 1.5
    assert seen["parlour_overdue_seconds", (("what", "turn"),)] == 0
    for queue in ("bots", "clock"):
        assert seen["parlour_queue_jobs", (("queue", queue),)] == 1
        assert seen["parlour_failed_jobs", (("queue", queue),)] == 0
    assert seen["parlour_workers", ()] == 0


def test_workers_are_those_that_were_heard_of_lately(redis_url: str) -> None:
    """RQ itself keeps the others on its list: killed ones, and those that stand still."""
    client = redis.Redis.from_url(redis_url)
    client.flushdb()
    now = round(time.time() * 1000)
    for name, queues, quiet_s in (("a", ["bots", "clock"], 0), ("b", ["webhooks"], 0), ("c", ["clock"], 60)):
        worker = SimpleWorker(queues, name, connection=client, worker_ttl=20)
        worker.register_birth()
        heard = datetime.fromtimestamp(now / 1000 - quiet_s, UTC)
        client.hset(worker.key, "last_heartbeat", utcformat(heard))
    assert Worker.count(connection=client) == 3
    client.sadd("rq:workers", "rq:worker:expired")
    assert sorted(map(sorted, alive(client, now))) == [["bots", "clock"], ["webhooks"]]
    assert read(exposition(client, client, now).decode())["parlour_workers", ()] == 2
    assert not alive(client, now + 31_000)


def test_labels_say_nothing_of_any_match(api: Api) -> None:
    made = api.create("mb", visibility="private", entropy="awaited")
    api.post(f"/v1/matches/{made['id']}/entropy", {"entropy": "ab" * 16}, made["tokens"][0])
    ticket = api.post(f"/v1/matches/{made['id']}/stream-ticket", None, made["tokens"][0]).json["ticket"]
    api.get(f"/v1/matches/{made['id']}/events?ticket={ticket}")
    api.get(f"/{made['tokens'][0]}", made["tokens"][0])
    text = api.get("/metrics").text
    for secret in (made["id"], made["tokens"][0], made["host_token"], made["join_code"], ticket, "abab"):
        assert secret not in text
    labels = set(re.findall(r"(\w+)=\"", text))
    assert labels <= {"le", "what", "queue"} | {label for kind in KINDS.values() for label in kind.labels}


def test_every_metric_has_help_and_type(api: Api) -> None:
    api.create("mb")
    text = api.get("/metrics").text
    for name, kind in KINDS.items():
        told = f"parlour_{name}" + ("" if kind.buckets else "_total")
        assert f"# HELP {told} {kind.text}" in text
        assert f"# TYPE {told} {'histogram' if kind.buckets else 'counter'}" in text


def test_strangers_get_none(api: Api) -> None:
    for told in (
        {"REMOTE_ADDR": "203.0.113.9"},
        {"HTTP_X_FORWARDED_FOR": "203.0.113.9"},
        {"HTTP_ORIGIN": "https://page.example"},  # a page in a browser on this machine
    ):
        answer = api.client.get("/metrics", environ_overrides=told)
        assert answer.status_code == 404
        assert answer.json is not None
        assert answer.json["code"] == "not_found"


def test_with_a_token(redis_url: str) -> None:
    settings = replace(Settings(SECRET, redis_url), metrics_token=b"a scraper's token")
    app = create_app(settings, FrozenClock(), Ids())
    client = app.test_client()
    far = {"REMOTE_ADDR": "203.0.113.9"}
    assert client.get("/metrics", environ_overrides=far).status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer none"}).status_code == 401
    answer = client.get("/metrics", headers={"Authorization": "Bearer a scraper's token"}, environ_overrides=far)
    assert answer.status_code == 200
    app.extensions["parlour"].meter.flush()


def test_without_redis_it_is_503(redis_url: str) -> None:
    client = create_app(Settings(SECRET, "unix:///nowhere.sock"), FrozenClock(), Ids()).test_client()
    answer = client.get("/metrics")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["code"] == "storage_unavailable"


def test_what_redis_did_not_take_is_sent_later(redis_url: str) -> None:
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    meter = Meter(connect("unix:///nowhere.sock", ONCE))
    meter.count("lost_races")
    assert not meter.flush()
    meter.count("lost_races")
    meter._client = client
    assert meter.flush()
    assert meter.flush(), "nothing to send is sent"
    assert client.hgetall(keys.METRICS) == {b'["lost_races"]': b"2"}


def test_many_threads_lose_no_count_and_the_sender_ends_by_itself(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour_api.metrics.FLUSH_S", 0.01)
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    meter = Meter(connect(redis_url, PATIENT))

    def work() -> None:
        for _ in range(2000):
            meter.count("requests", "get_observation", "200")
            meter.time(0.003, "act_seconds", "valente")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until = time.monotonic() + 120
    while meter._flushing:
        assert time.monotonic() < until
        time.sleep(0.01)
    told = read(exposition(client, client, 0).decode())
    assert told["parlour_requests_total", (("operation", "get_observation"), ("status", "200"))] == 16_000
    assert told["parlour_act_seconds_bucket", (("game", "valente"), ("le", "0.002"))] == 0
    assert told["parlour_act_seconds_bucket", (("game", "valente"), ("le", "0.005"))] == 16_000
    assert told["parlour_act_seconds_sum", (("game", "valente"),)] == pytest.approx(48)
