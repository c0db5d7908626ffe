"""Webhooks: registered by a key, told what a spectator may know, signed, tried again, sent again, and only outwards."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import redis
from parlour_api import webhooks
from parlour_api.errors import TooManyWebhooks
from parlour_api.keyring import Keyring
from parlour_api.sources import Ids
from parlour_api.store import keys
from parlour_api.webhooks import MOST, TYPES

from tests.api.conftest import Api, fresh_api, make_api
from tests.api.test_api_keys import ACME, BODY, KEYS, METADATA, OTHER
from tests.receiver import Receiver, receiver

URL = "https://partner.example/hook?token=of%20theirs"
PUBLIC = "93.184.216.34"


@pytest.fixture
def api(redis_url: str) -> Iterator[Api]:
    """The app with two partners, on an empty Redis; every name resolves to one public address."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    made = make_api(redis_url, api_keys=KEYS, webhook_retry_s=(5.0, 30.0))
    made.clock.now = round(time.time()) * 1000  # receivers refuse what is too old
    made.service.webhooks.resolve = lambda host, port: [PUBLIC]
    yield made
    made.close()


@pytest.fixture
def partner() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def registered(api: Api, url: str = URL, key: str = ACME, **body: Any) -> dict[str, Any]:
    answer = api.post("/v1/webhooks", {"url": url, **body}, key)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json
    return made


def at_home(api: Api) -> None:
    """Let webhooks lead to this machine, for the tests in which something arrives."""
    own = api.service.webhooks
    own.settings = replace(own.settings, webhook_private="allow")
    own.resolve = lambda host, port: ["127.0.0.1"]


def work(api: Api, *hooks: dict[str, Any]) -> None:
    """What the workers do, without the queue."""
    for shard in range(keys.SHARDS):
        api.service.webhooks.spread(shard)
    for hook in hooks:
        api.service.webhooks.serve(hook["id"])


def delivered(api: Api, hook: dict[str, Any], key: str = ACME) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = api.get(f"/v1/webhooks/{hook['id']}/deliveries?limit=100", key).json["items"]
    return items


def create(api: Api, seats: str = "mb", key: str | None = ACME, **body: Any) -> dict[str, Any]:
    kinds = {"m": "mine", "o": "open", "b": "bot"}
    more = {"metadata": METADATA} if key else {}
    asked = {**BODY, "seats": [{"kind": kinds[seat]} for seat in seats], "options": {"first_seat": 0}, **more, **body}
    answer = api.post("/v1/matches", asked, key)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json
    made["path"] = f"/v1/matches/{made['match']['id']}"
    return made


# A partner's webhooks


def test_a_webhook_from_birth_to_death(api: Api) -> None:
    made = registered(api, events=["match.finished"], description="orders")
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert made["url"] == URL
    assert made["events"] == ["match.finished"]
    assert made["description"] == "orders"
    assert made["disabled_at"] is None
    path = f"/v1/webhooks/{made['id']}"
    assert api.get(path, ACME).json == made
    assert api.get("/v1/webhooks", ACME).json == {"items": [made], "next_cursor": None}
    assert api.get(f"{path}/deliveries", ACME).json == {"items": [], "next_cursor": None}
    gone = api.client.delete(path, headers={"Authorization": f"Bearer {ACME}"})
    assert (gone.status_code, gone.data) == (204, b"")
    assert api.get(path, ACME).json["code"] == "webhook_not_found"
    assert api.get("/v1/webhooks", ACME).json["items"] == []


def test_all_types_unless_some_are_named(api: Api) -> None:
    assert registered(api)["events"] == list(TYPES)


def test_another_keys_webhook_is_404_and_without_a_key_nothing_is_there(api: Api) -> None:
    hook = registered(api)
    path = f"/v1/webhooks/{hook['id']}"
    asks = [
        ("GET", path),
        ("DELETE", path),
        ("GET", f"{path}/deliveries"),
        ("POST", f"{path}/deliveries/dlv_{'a' * 24}/resend"),
    ]
    for method, where in asks:
        for token, status, code in (
            (OTHER, 404, "webhook_not_found"),
            (None, 401, "missing_token"),
            ("host_" + "x" * 32, 403, "wrong_token"),
            ("key_" + "x" * 32, 401, "invalid_token"),
        ):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            answer = api.client.open(where, method=method, headers=headers)
            assert (answer.status_code, answer.json["code"]) == (status, code), (method, where)  # type: ignore[index]
    for where in ("/v1/webhooks/x", "/v1/webhooks/whk_0", "/v1/webhooks/mat_0aaaaaaaaaaaaaaaa"):
        assert api.get(where, ACME).json["code"] == "webhook_not_found"
    assert api.get("/v1/webhooks", OTHER).json["items"] == []
    assert api.post("/v1/webhooks", {"url": URL}).json["code"] == "missing_token"
    assert api.get(path, ACME).status_code == 200


def test_the_same_request_creates_one_and_tells_its_secret_again(api: Api) -> None:
    first, again = (api.post("/v1/webhooks", {"url": URL}, ACME, Idempotency_Key="one") for _ in range(2))
    assert first.data == again.data
    assert first.headers["Location"] == f"/v1/webhooks/{first.json['id']}"
    assert len(api.get("/v1/webhooks", ACME).json["items"]) == 1
    client = api.service.store.client
    kept = b" ".join(client.get(key) or b"" for key in client.scan_iter("parlour:once:*"))  # type: ignore[misc]
    assert first.json["secret"].encode() not in kept


def test_a_day_later_another_body_is_another_webhook(api: Api) -> None:
    """And never tells the first one's secret; the same body still finds it."""
    first = api.post("/v1/webhooks", {"url": URL}, ACME, Idempotency_Key="one").json
    client = api.service.store.client
    client.delete(*client.scan_iter("parlour:once:*"))
    assert api.post("/v1/webhooks", {"url": URL}, ACME, Idempotency_Key="one").json == first
    client.delete(*client.scan_iter("parlour:once:*"))
    other = api.post("/v1/webhooks", {"url": f"{URL}2"}, ACME, Idempotency_Key="one")
    assert (other.status_code, other.json["url"]) == (201, f"{URL}2")
    assert other.json["id"] != first["id"]
    assert other.json["secret"] != first["secret"]
    assert len(api.get("/v1/webhooks", ACME).json["items"]) == 2


def test_a_webhook_that_was_deleted_is_registered_anew_by_the_same_request(api: Api) -> None:
    first = api.post("/v1/webhooks", {"url": URL}, ACME, Idempotency_Key="one").json
    api.client.delete(f"/v1/webhooks/{first['id']}", headers={"Authorization": f"Bearer {ACME}"})
    again = [api.post("/v1/webhooks", {"url": URL}, ACME, Idempotency_Key="one") for _ in range(2)]
    assert [answer.status_code for answer in again] == [201, 201]
    assert again[0].data == again[1].data
    assert again[0].json["secret"] != first["secret"]
    (listed,) = api.get("/v1/webhooks", ACME).json["items"]
    assert listed["id"] == again[0].json["id"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/url"),
        ({"url": URL, "events": []}, "/events"),
        ({"url": URL, "events": ["match.started", "match.started"]}, "/events"),
        ({"url": URL, "events": ["hand.dealt"]}, "/events/0"),
        ({"url": "https://a.example/" + "x" * 500}, "/url"),
        ({"url": URL, "description": "a\x00b"}, "/description"),
        ({"url": URL, "secret": "whsec_mine"}, "/secret"),
    ],
)
def test_a_wrong_request_is_told(api: Api, body: Any, pointer: str) -> None:
    answer = api.post("/v1/webhooks", body, ACME)
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]


def test_there_may_be_only_so_many(api: Api) -> None:
    for _ in range(MOST):
        registered(api)
    assert api.post("/v1/webhooks", {"url": URL}, ACME).json["code"] == "too_many_webhooks"
    registered(api, key=OTHER)
    first = api.get("/v1/webhooks?limit=15", ACME).json
    second = api.get(f"/v1/webhooks?limit=15&cursor={first['next_cursor']}", ACME).json
    ids = [each["id"] for each in first["items"] + second["items"]]
    assert len(set(ids)) == MOST
    assert second["next_cursor"] is None
    assert api.get("/v1/webhooks?cursor=nonsense!", ACME).json["code"] == "validation_error"


def test_however_many_are_created_at_the_same_moment(redis_url: str) -> None:
    with fresh_api(redis_url, Ids(), api_keys=KEYS) as api:
        together = threading.Barrier(3 * MOST)

        def resolve(host: str, port: int) -> list[str]:
            together.wait(120)
            return [PUBLIC]

        def one(_: int) -> bool:
            try:
                api.service.webhooks.create("acme", URL, None, "")
            except TooManyWebhooks:
                return False
            return True

        api.service.webhooks.resolve = resolve
        with ThreadPoolExecutor(3 * MOST) as pool:
            made = list(pool.map(one, range(3 * MOST)))
        assert made.count(True) == MOST
        assert len(api.get("/v1/webhooks?limit=100", ACME).json["items"]) == MOST


def test_what_was_only_half_made_or_half_deleted_does_not_count_for_ever(api: Api) -> None:
    """A process was killed between the list and the webhook."""
    hooks = [registered(api) for _ in range(MOST)]
    client = api.service.store.client
    client.delete(keys.webhook_key(hooks[0]["id"]))
    assert api.post("/v1/webhooks", {"url": URL}, ACME).json["code"] == "too_many_webhooks", "it may be under way"
    api.clock.forward(61)
    registered(api)
    assert api.post("/v1/webhooks", {"url": URL}, ACME).json["code"] == "too_many_webhooks"
    assert client.zcard(keys.webhooks_key("acme")) == MOST


# What is told


def test_a_match_from_start_to_end(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook = registered(api, partner.url + "/hook?x=1")
    made = create(api, "mo", visibility="private")
    api.clock.forward(1)
    joined = api.post(f"{made['path']}/join", {"name": "Bea", "join_code": made["join_code"]})
    assert joined.status_code == 200
    work(api, hook)
    assert sorted(partner.types()) == ["match.seat_changed", "match.started", "match.turn"]
    told = {each.event["type"]: each.verified(hook["secret"]) for each in partner.taken}
    spectator = api.get(made["path"], made["host_token"]).json
    for event in told.values():
        assert event["data"]["match"] == {**spectator, "metadata": METADATA}
        assert event["timestamp"] == spectator["started_at"]
    assert told["match.seat_changed"]["data"]["seat"] == 1
    assert told["match.turn"]["data"]["seats"] == [entry["seat"] for entry in spectator["awaiting"]]
    assert {each.path for each in partner.taken} == {"/hook?x=1"}
    assert {each.headers["host"] for each in partner.taken} == {f"127.0.0.1:{partner.port}"}
    partner.taken.clear()
    api.clock.forward(1)
    api.post(f"{made['path']}/cancel", None, ACME)
    work(api, hook)
    (ended,) = partner.taken
    assert ended.event["type"] == "match.cancelled"
    assert ended.event["data"]["match"] == api.get(made["path"], ACME).json
    assert [each["state"] for each in delivered(api, hook)] == ["delivered"] * 4
    assert delivered(api, hook)[0]["type"] == "match.cancelled"  # the newest first


def test_a_played_match_tells_its_turns_and_its_outcome(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook = registered(api, partner.url, events=["match.turn", "match.finished"])
    made = create(api, "mb")
    token = made["seat_tokens"][0]["token"]
    turns = 0
    awaited = False
    while True:
        seen = api.get(f"{made['path']}/observation", token).json
        if seen["status"] != "playing":
            break
        if seen["decision"] is not None:
            turns += not awaited
            awaited = True
            body = {
                "decision": seen["decision"]["id"],
                "actions": [{"id": seen["decision"]["legal_actions"][-1]["id"]}],
            }
            acted = api.post(f"{made['path']}/actions", body, token).json
            awaited = acted["observation"]["decision"] is not None
        else:
            awaited = False
            api.clock.forward(1)
            api.service.acting.play_bots(made["match"]["id"])
    work(api, hook)
    assert partner.types().count("match.turn") == turns > 2
    (finished,) = [each.event for each in partner.taken if each.event["type"] == "match.finished"]
    assert finished["data"]["match"]["outcome"] == seen["outcome"]
    assert finished["data"]["match"]["version"] == seen["version"]


def test_an_abandoned_match(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook = registered(api, partner.url, events=["match.abandoned"])
    made = create(api, "mo")
    api.clock.forward(8 * 86400)
    api.service.acting.expire(made["match"]["id"])
    work(api, hook)
    assert partner.types() == ["match.abandoned"]


def test_nobody_is_told_of_anybody_elses_match(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook, others = registered(api, partner.url), registered(api, partner.url, key=OTHER)
    create(api, "mb", key=None)
    assert not api.service.store.client.keys("*outbox")
    create(api, "mb", key=OTHER)
    work(api, hook, others)
    assert delivered(api, hook) == []
    assert len(delivered(api, others, OTHER)) == 2


def test_a_spectator_could_have_known_all_of_it(api: Api, partner: Receiver) -> None:
    """Everything but the metadata is what a spectator of the match is answered at that version."""
    at_home(api)
    hook = registered(api, partner.url)
    made = create(api, "mb")
    work(api, hook)
    spectator = api.get(made["path"]).json
    secret = [made["host_token"], *(entry["token"] for entry in made["seat_tokens"])]
    record = json.loads(api.service.store.load(made["match"]["id"]).record)  # type: ignore[union-attr]
    secret += [record["server_seed"], record["host_nonce"], *(seat["nonce"] for seat in record["seats"])]
    assert partner.taken
    for each in partner.taken:
        shown = each.event["data"]["match"]
        assert shown.pop("metadata") == METADATA
        assert shown == spectator
        for word in (*secret, "key", "acme"):
            assert word.encode() not in each.body.replace(b"whk_", b"")


# Until it arrives


def test_what_is_not_taken_is_tried_again_with_the_same_id_and_body(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook = registered(api, partner.url, events=["match.started"])
    partner.answers = [500, 302, 200]
    create(api)
    work(api, hook)
    (delivery,) = delivered(api, hook)
    assert (delivery["state"], [each["status"] for each in delivery["attempts"]]) == ("pending", [500])
    assert delivery["next_attempt_at"] > delivery["attempts"][0]["at"]
    api.clock.forward(3.9)
    work(api, hook)
    assert len(partner.taken) == 1
    for seconds in (2.2, 37):
        api.clock.forward(seconds)
        work(api, hook)
    (delivery,) = delivered(api, hook)
    assert delivery["state"] == "delivered"
    assert delivery["next_attempt_at"] is None
    assert [each["status"] for each in delivery["attempts"]] == [500, 302, 200]
    assert [each.path for each in partner.taken] == ["/", "/", "/"], "a redirect was followed"
    assert {each.id for each in partner.taken} == {delivery["id"]}
    assert len({each.body for each in partner.taken}) == 1
    assert len({each.headers["webhook-timestamp"] for each in partner.taken}) == 3
    for each in partner.taken:
        each.verified(hook["secret"])


def test_after_the_last_try_it_has_failed_and_can_be_sent_again(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook = registered(api, partner.url, events=["match.started"])
    partner.answers = [500, 400, 503]
    create(api)
    for _ in range(5):
        work(api, hook)
        api.clock.forward(40)
    (delivery,) = delivered(api, hook)
    assert (delivery["state"], [each["status"] for each in delivery["attempts"]]) == ("failed", [500, 400, 503])
    again = api.post(f"/v1/webhooks/{hook['id']}/deliveries/{delivery['id']}/resend", None, ACME)
    assert (again.status_code, again.json["state"]) == (202, "pending")
    work(api, hook)
    (delivery,) = delivered(api, hook)
    assert (delivery["state"], [each["status"] for each in delivery["attempts"]]) == ("delivered", [500, 400, 503, 204])
    assert len({each.id for each in partner.taken}) == 1
    missing = api.post(f"/v1/webhooks/{hook['id']}/deliveries/dlv_{'a' * 24}/resend", None, ACME)
    assert (missing.status_code, missing.json["code"]) == (404, "delivery_not_found")
    assert api.post(f"/v1/webhooks/{hook['id']}/deliveries/x/resend", None, ACME).json["code"] == "delivery_not_found"


@pytest.mark.parametrize("first", [[500, 500, 500], [500, 204]])
def test_what_is_sent_again_has_as_many_tries_as_at_first(api: Api, partner: Receiver, first: list[int]) -> None:
    at_home(api)
    hook = registered(api, partner.url, events=["match.started"])
    partner.answers = [*first, 500, 500, 500]
    create(api)
    again = 0
    for _ in range(2):
        for _ in range(5):
            work(api, hook)
            api.clock.forward(40)
        (delivery,) = delivered(api, hook)
        statuses = [each["status"] for each in delivery["attempts"]]
        assert statuses == [*first, 500, 500, 500][: len(first) + again]
        again = 3
        api.post(f"/v1/webhooks/{hook['id']}/deliveries/{delivery['id']}/resend", None, ACME)
    assert delivery["state"] == "failed"


def test_what_was_taken_can_be_sent_again_too(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook = registered(api, partner.url, events=["match.started"])
    create(api)
    work(api, hook)
    (delivery,) = delivered(api, hook)
    api.post(f"/v1/webhooks/{hook['id']}/deliveries/{delivery['id']}/resend", None, ACME)
    work(api, hook)
    assert len(partner.taken) == 2
    assert partner.taken[0].body == partner.taken[1].body


def test_one_that_is_gone_is_disabled(api: Api, partner: Receiver) -> None:
    at_home(api)
    hook = registered(api, partner.url, events=["match.started", "match.turn"])
    partner.answers = [410, 410]
    create(api)
    work(api, hook)
    assert api.get(f"/v1/webhooks/{hook['id']}", ACME).json["disabled_at"] is not None
    assert {each["state"] for each in delivered(api, hook)} == {"failed"}
    create(api)
    work(api, hook)
    assert len(delivered(api, hook)) == 2
    assert len(partner.taken) == 2


def test_spreading_twice_owes_once_and_nothing_is_lost_before_it(api: Api, partner: Receiver) -> None:
    """A worker that dies between owing a delivery and emptying the outbox does both again."""
    at_home(api)
    hook = registered(api, partner.url, events=["match.started"])
    made = create(api)
    store = api.service.webhooks.store
    shard = keys.shard_of(made["match"]["id"])
    entries = store.outbox(shard, 100)
    assert entries
    work(api)
    store._client.zadd(keys.outbox_key(shard), dict.fromkeys(entries, 1))
    work(api, hook)
    assert store.outbox(shard, 100) == []
    assert len(delivered(api, hook)) == len(partner.taken) == 1


def test_the_outbox_is_due_with_the_commit_and_at_rest_when_it_is_empty(api: Api) -> None:
    client = api.service.store.client
    hook = registered(api)
    made = create(api)
    shard = keys.shard_of(made["match"]["id"])
    assert client.zscore(keys.partners_key(shard), "outbox") == api.clock.now
    due = api.service.store.take_due(api.clock.now, api.clock.now + 1, api.clock.now + 2, 10)
    assert due.outboxes == [shard]
    assert client.zscore(keys.partners_key(shard), "outbox") == api.clock.now + 2
    api.service.webhooks.spread(shard)
    assert client.zscore(keys.partners_key(shard), "outbox") is None
    assert client.zscore(keys.partners_key(keys.shard_of(hook["id"])), hook["id"]) == api.clock.now


def test_the_ticker_hands_both_to_a_queue_of_their_own(api: Api) -> None:
    hook = registered(api)
    create(api)
    api.service.acting.hand_out()
    client = api.service.store.client
    assert client.llen("rq:queue:webhooks") == 1
    work(api)
    api.service.acting.hand_out()
    api.service.acting.hand_out()  # leased meanwhile
    assert client.llen("rq:queue:webhooks") == 2
    assert api.service.webhooks.store.take(hook["id"], api.clock.now, api.clock.now, 9)


@contextmanager
def without(api: Api, *names: str) -> Iterator[None]:
    """A worker that does not know these partners: their keys were revoked, or are newer than it."""
    own = api.service.webhooks
    kept = own.settings
    known = Keyring(tuple(entry for entry in KEYS.keys if entry[0] not in names))
    own.settings = replace(kept, api_keys=known)
    yield
    own.settings = kept


def at_work_for(api: Api, seconds: float, *hooks: dict[str, Any]) -> None:
    """Ticker and workers, for so long."""
    for _ in range(20):
        api.service.acting.hand_out()
        work(api, *hooks)
        api.clock.forward(seconds / 20)


def test_a_revoked_key_is_told_nothing_more(api: Api, partner: Receiver) -> None:
    """Neither what was owed when it was revoked nor what happens then; and after a while nothing is left of either."""
    at_home(api)
    hook = registered(api, partner.url, events=["match.started"])
    create(api)
    work(api)
    create(api)
    with without(api, "acme"):
        at_work_for(api, 3 * 86400, hook)
        (delivery,) = delivered(api, hook)
        assert {each["error"] for each in delivery["attempts"]} == {"key_gone"}
        client = api.service.store.client
        assert client.keys("*:aside") == client.keys("*:outbox") == []
        api.clock.forward(8 * 86400)
        client.delete(keys.delivery_key(hook["id"], delivery["id"]))  # as Redis does after seven days
        at_work_for(api, 1, hook)
        assert client.keys("*:partners") == []
    assert partner.taken == []


def test_a_worker_that_does_not_know_a_key_yet_leaves_all_to_one_that_does(
    api: Api, partner: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    """A deployment being rolled: the API takes a new partner's requests, a worker is from before."""
    at_home(api)
    hook = registered(api, partner.url, events=["match.started"])
    others = registered(api, partner.url + "/others", events=["match.started"], key=OTHER)
    create(api)
    work(api)
    with without(api, "acme"):
        for _ in range(3):
            create(api)
        create(api, key=OTHER)
        at_work_for(api, 60, hook, others)
        assert [each.path for each in partner.taken] == ["/others"], "the others wait for nobody"
        (owed,) = delivered(api, hook)
        assert (owed["state"], owed["attempts"][-1]["error"]) == ("pending", "key_gone")
    at_work_for(api, 60, hook, others)
    assert [each["state"] for each in delivered(api, hook)] == ["delivered"] * 4
    assert sorted(each.path for each in partner.taken) == ["/"] * 4 + ["/others"]
    assert [record.key for record in caplog.records if record.message.startswith("webhooks put off")] == ["acme"]


def test_a_new_event_is_not_behind_one_that_waits_for_another_worker(api: Api, partner: Receiver) -> None:
    """Of the same shard, which rests meanwhile: the next commit wakes it at once."""
    hook = registered(api)
    made = create(api)
    shard = keys.shard_of(made["match"]["id"])
    partners = keys.partners_key(shard)
    client = api.service.store.client
    with without(api, "acme"):
        work(api)
        assert client.zscore(partners, "outbox") is None
        assert client.zscore(partners, "aside") == api.clock.now + webhooks.AGAIN_MS
        api.clock.forward(1)
        api.post(f"{made['path']}/cancel", None, ACME)
        assert client.zscore(partners, "outbox") == api.clock.now
        work(api)
    assert delivered(api, hook) == []
    api.clock.forward(10)
    api.service.acting.hand_out()
    assert client.zscore(partners, "outbox") == api.clock.now
    work(api)
    assert {each["type"] for each in delivered(api, hook)} == {"match.started", "match.turn", "match.cancelled"}


def test_a_deleted_webhook_leaves_nothing_behind(api: Api) -> None:
    hook = registered(api)
    create(api)
    work(api)
    assert delivered(api, hook)
    api.client.delete(f"/v1/webhooks/{hook['id']}", headers={"Authorization": f"Bearer {ACME}"})
    api.service.webhooks.serve(hook["id"])
    client = api.service.store.client
    assert [key for key in client.keys("*") if b"whk_" in key or b"webhooks" in key] == []
    assert all(hook["id"].encode() not in client.zrange(keys.partners_key(n), 0, -1) for n in range(keys.SHARDS))


def test_only_so_many_deliveries_are_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour_api.store.webhooks.MOST_KEPT", 3)
    hook = registered(api, events=["match.started"])
    for _ in range(5):
        create(api)
        api.clock.forward(1)
        work(api)
    items = delivered(api, hook)
    assert len(items) == 3
    assert [each["created_at"] for each in items] == sorted((each["created_at"] for each in items), reverse=True)
    assert len(api.service.store.client.keys("*:dlv_*")) == 3


def test_a_page_of_deliveries(api: Api) -> None:
    hook = registered(api, events=["match.started"])
    for _ in range(3):
        create(api)
        api.clock.forward(1)
    work(api)
    path = f"/v1/webhooks/{hook['id']}/deliveries"
    first = api.get(f"{path}?limit=2", ACME).json
    second = api.get(f"{path}?limit=2&cursor={first['next_cursor']}", ACME).json
    assert first["items"] + second["items"] == delivered(api, hook)
    assert second["next_cursor"] is None
    assert first["items"][0]["state"] == "pending"


def test_every_key_of_a_script_lies_in_one_slot(api: Api) -> None:
    """What a Redis Cluster asks for: the keys of a webhook share a hash tag, as those of a match do."""
    hook = registered(api)
    create(api)
    work(api)
    (delivery, *_) = delivered(api, hook)
    tag = keys.webhook_key(hook["id"]).partition(":")[0]
    for key in (
        keys.due_key(hook["id"]),
        keys.deliveries_key(hook["id"]),
        keys.delivery_key(hook["id"], delivery["id"]),
        keys.partners_key(keys.shard_of(hook["id"])),
    ):
        assert key.startswith(f"{tag}:")
        assert api.service.store.client.exists(key), key
    for key in (keys.outbox_key(7), keys.aside_key(7)):
        assert key.partition(":")[0] == keys.partners_key(7).partition(":")[0]


# Only outwards


def test_a_private_address_is_refused_when_it_is_registered(api: Api) -> None:
    api.service.webhooks.resolve = lambda host, port: ["10.0.0.8"]
    answer = api.post("/v1/webhooks", {"url": URL}, ACME)
    assert (answer.status_code, answer.json["code"]) == (422, "url_refused")
    assert "10.0.0.8" not in answer.text
    assert api.get("/v1/webhooks", ACME).json["items"] == []


def test_a_name_that_turns_inwards_later_is_refused_then(api: Api, partner: Receiver) -> None:
    """DNS rebinding: public when it was registered, this machine when the delivery is due; nothing arrives."""
    hook = registered(api, f"http://rebound.example:{partner.port}/", events=["match.started"])
    asked: list[str] = []

    def inwards(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    api.service.webhooks.resolve = inwards
    create(api)
    work(api, hook)
    (delivery,) = delivered(api, hook)
    assert delivery["attempts"] == [{"at": delivery["attempts"][0]["at"], "status": None, "error": "url_refused"}]
    assert delivery["state"] == "pending"
    assert partner.taken == []
    assert asked == ["rebound.example"]


def test_the_connection_goes_to_the_address_that_was_judged(api: Api, partner: Receiver) -> None:
    """The name means nothing outside of our resolver, and is asked for once: there is no second answer to believe."""
    at_home(api)
    asked: list[str] = []

    def once(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["192.0.2.1"]

    hook = registered(api, f"http://partner.invalid:{partner.port}/", events=["match.started"])
    api.service.webhooks.resolve = once
    create(api)
    work(api, hook)
    assert asked == ["partner.invalid"]
    assert [each.headers["host"] for each in partner.taken] == [f"partner.invalid:{partner.port}"]


def test_the_budget_is_kept(api: Api, partner: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """One webhook with much to be sent does not hold its thread for ever; what is left is due at once."""
    at_home(api)
    monkeypatch.setattr(webhooks, "BUDGET_S", 0.0)
    hook = registered(api, partner.url)
    create(api)
    work(api, hook)
    assert partner.taken == []
    partners = keys.partners_key(keys.shard_of(hook["id"]))
    assert api.service.store.client.zscore(partners, hook["id"]) == api.clock.now
