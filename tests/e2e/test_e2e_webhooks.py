"""Webhooks by the real service: delivered, signed, tried again, not lost with a killed worker, slow for nobody else."""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import requests
from parlour import Client, Created, Delivery
from parlour.errors import DeliveryNotFound, MatchNotFound, UrlRefused, WebhookNotFound, WrongToken
from parlour_api.webhooks import ABREAST

from tests.receiver import Receiver, receiver
from tests.support import Server, free_ports, run, running_server, until

KEY = "key_" + secrets.token_urlsafe(24)
OTHER = "key_" + secrets.token_urlsafe(24)
ROOT = Path(__file__).parent.parent.parent
ENV = {
    "PARLOUR_API_KEYS": f"acme={KEY} other={OTHER}",
    "PARLOUR_WEBHOOK_PRIVATE": "allow",
    "PARLOUR_WEBHOOK_RETRY_S": "0.2 0.4 0.8",
    "PARLOUR_BOT_ANSWER_S": "0-0.02",
    "PARLOUR_LOG": "json",
    "PARLOUR_LOG_LEVEL": "debug",
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A service with two partners, whose receivers are on this machine."""
    with running_server(env=ENV) as running:
        yield running


@pytest.fixture
def acme(server: Server) -> Iterator[Client]:
    """The first partner; its webhooks are gone afterwards."""
    with Client(server.url, token=KEY) as client:
        yield client
        for webhook in client.webhooks():
            client.delete_webhook(webhook.id)


@pytest.fixture
def partner() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def match_of_bots(client: Client, **more: Any) -> Created:
    return client.create("valente", ["bot", "bot"], metadata={"order": "4711"}, **more)


def only(client: Client, webhook_id: str, state: str) -> Delivery:
    """The webhook's one delivery, once it is in that state."""
    found: list[Delivery] = []

    def is_so() -> bool:
        found[:] = client.deliveries(webhook_id)
        return [each.state for each in found] == [state]

    until(is_so)
    return found[0]


def told_of(client: Client, webhook_id: str, matches: set[str]) -> None:
    """Wait until a webhook is told, or owed, the end of these matches, so that the next test's webhook is not."""
    until(lambda: matches <= {each.match for each in client.deliveries(webhook_id) if each.type == "match.finished"})


def worker_of(server: Server, kind: str) -> int:
    """The pid of the service's worker of that kind, once there is one."""
    found: list[int] = []

    def is_there() -> bool:
        found.clear()
        for pid in server.children():
            with suppress(OSError):  # it has ended meanwhile
                if f"parlour_worker\0{kind}\0" in Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
                    found.append(pid)
        return len(found) == 1

    until(is_there)
    return found[0]


def test_a_match_is_told_from_start_to_end(acme: Client, partner: Receiver) -> None:
    webhook = acme.create_webhook(partner.url + "/hook")
    assert webhook.secret not in repr(webhook)
    created = match_of_bots(acme, visibility="private")
    taken = partner.wait_for(lambda found: len({each.id for each in found}) == 2)  # in any order
    events = {each.event["type"]: each.verified(webhook.secret) for each in taken}
    started, finished = events["match.started"], events["match.finished"]
    now = acme.match(created.match.id)
    assert now.metadata == {"order": "4711"}
    told = finished["data"]["match"]
    assert (told["id"], told["metadata"], told["version"]) == (now.id, now.metadata, now.version)
    assert now.outcome is not None
    assert told["outcome"]["text"] == now.outcome.text
    assert started["data"]["match"]["version"] == 1
    assert acme.spectator(created.match.id).observe().status == "finished"  # by the key: the match is private
    assert acme.webhook(webhook.id).url == partner.url + "/hook"
    assert [each.id for each in acme.webhooks()] == [webhook.id]


def test_it_is_tried_again_after_a_failure_and_no_redirect_is_followed(acme: Client, partner: Receiver) -> None:
    partner.answers = [500, 307]
    webhook = acme.create_webhook(partner.url + "/hook", ["match.finished"])
    match_of_bots(acme)
    delivery = only(acme, webhook.id, "delivered")
    assert [attempt.status for attempt in delivery.attempts] == [500, 307, 204]
    assert [each.path for each in partner.taken] == ["/hook"] * 3
    assert {each.id for each in partner.taken} == {delivery.id}
    for each in partner.taken:
        each.verified(webhook.secret)


def test_one_that_failed_for_good_is_sent_again_when_asked(acme: Client, partner: Receiver) -> None:
    partner.answers = [500] * 4
    webhook = acme.create_webhook(partner.url, ["match.finished"])
    match_of_bots(acme)
    failed = only(acme, webhook.id, "failed")
    assert [attempt.status for attempt in failed.attempts] == [500] * 4
    assert acme.resend(webhook.id, failed.id).state == "pending"
    assert len(only(acme, webhook.id, "delivered").attempts) == 5
    with pytest.raises(DeliveryNotFound):
        acme.resend(webhook.id, "dlv_x")


def test_a_receiver_that_comes_late(acme: Client) -> None:
    """Nobody listens at first."""
    (port,) = free_ports(1)
    webhook = acme.create_webhook(f"http://127.0.0.1:{port}", ["match.finished"])
    match_of_bots(acme)
    until(lambda: [each for found in acme.deliveries(webhook.id) for each in found.attempts])
    (delivery,) = acme.deliveries(webhook.id)
    assert {attempt.error for attempt in delivery.attempts} == {"no_connection"}, port


def test_a_slow_partner_delays_nobody(server: Server, acme: Client, partner: Receiver) -> None:
    """While one partner's server keeps us waiting, bots move and others are told."""
    tries = (others_are_told(server, acme, partner) for _ in range(4))
    assert any(tries), "they no longer wait"


def others_are_told(server: Server, acme: Client, partner: Receiver) -> bool:
    """Whether they were told while the slow partner was waited for, which the service does for ten seconds."""
    patience = threading.Event()
    partner.taken.clear()

    def wait(handler: BaseHTTPRequestHandler) -> None:
        patience.wait(9.5)
        handler.send_response(204)
        handler.end_headers()

    with receiver() as slow, Client(server.url, token=OTHER) as other:
        slow.answers = [wait] * 1000
        webhook = acme.create_webhook(slow.url)
        matches = [match_of_bots(acme).match.id for _ in range(10)]
        slow.wait_for(lambda found: len(found) >= ABREAST)
        mine = other.create_webhook(partner.url, ["match.finished"])
        match_of_bots(other)
        partner.wait_for(lambda found: len(found) >= 1)
        partner.taken[0].verified(mine.secret)
        states = {each.state for each in acme.deliveries(webhook.id)}
        in_time = len(slow.taken) == ABREAST and states == {"pending"}
        patience.set()
        other.delete_webhook(mine.id)
        told_of(acme, webhook.id, set(matches))
        acme.delete_webhook(webhook.id)
    return in_time


def test_a_killed_worker_loses_nothing(server: Server, acme: Client, partner: Receiver) -> None:
    """SIGKILL in the middle of a delivery: its lease ends, and it is sent again, with the same id."""

    def kill(handler: BaseHTTPRequestHandler) -> None:
        os.kill(worker_of(server, "webhooks"), signal.SIGKILL)

    partner.answers = [kill]
    webhook = acme.create_webhook(partner.url, ["match.finished"])
    match_of_bots(acme)
    delivery = only(acme, webhook.id, "delivered")
    assert [attempt.status for attempt in delivery.attempts] == [204]
    assert [each.id for each in partner.taken] == [delivery.id] * 2
    assert partner.taken[0].body == partner.taken[1].body


def test_what_happens_while_no_worker_is_there_is_told_later(server: Server, acme: Client, partner: Receiver) -> None:
    """The event is committed with the change itself."""
    acme.create_webhook(partner.url, ["match.finished"])
    for _ in range(3):
        os.kill(worker_of(server, "webhooks"), signal.SIGKILL)
        match_of_bots(acme)
        time.sleep(1)  # it is started again; five deaths within ten seconds would end the service
    taken = partner.wait_for(lambda found: len({each.id for each in found}) == 3)
    assert len({each.event["data"]["match"]["id"] for each in taken}) == 3


def test_another_partner_and_anybody_else_see_nothing_of_it(server: Server, acme: Client, partner: Receiver) -> None:
    webhook = acme.create_webhook(partner.url)
    created = acme.create("valente", ["mine", "open"], visibility="private", metadata={"order": "1"})
    with Client(server.url, token=OTHER) as other, Client(server.url) as anybody:
        with pytest.raises(WebhookNotFound):
            other.webhook(webhook.id)
        for client in (other, anybody):
            with pytest.raises(MatchNotFound):
                client.match(created.match.id)
        with pytest.raises(MatchNotFound):
            other.host(created.match.id).cancel()
    assert acme.host(created.match.id).match().metadata == {"order": "1"}
    assert created.host.match().metadata is None
    with pytest.raises(WrongToken):
        acme.host(created.match.id).start()
    assert acme.host(created.match.id).cancel().status == "cancelled"


def test_private_addresses_are_refused_unless_the_deployment_allows_them() -> None:
    with running_server(env={"PARLOUR_API_KEYS": f"acme={KEY}"}) as strict, Client(strict.url, token=KEY) as client:
        for url in ("http://127.0.0.1:9/", "http://localhost/", "http://169.254.169.254/", "http://[::1]/"):
            with pytest.raises(UrlRefused):
                client.create_webhook(url)


def test_the_example_runs_as_it_stands(server: Server) -> None:
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / "partner.py"), server.url]
    status, printed = run(command, env={"PARLOUR_KEY": KEY})
    assert status == 0, printed
    first, second, *_ = printed.splitlines()
    assert first.endswith("for order 4711 has begun")
    assert second.startswith("order 4711 is done: ")


def test_no_line_of_the_log_holds_a_key_or_a_secret(server: Server, acme: Client, partner: Receiver) -> None:
    """After all of the above, and some requests that put them where they do not belong."""
    webhook = acme.create_webhook(partner.url + "/their-own-secret", ["match.finished"])
    partner.answers = [500] * 4
    match_of_bots(acme)
    only(acme, webhook.id, "failed")
    for path in (f"/v1/{KEY}", f"/v1/webhooks/{webhook.secret.replace('/', '_')}"):
        requests.get(server.url + path, headers={"Authorization": f"Bearer {KEY}x"}, timeout=60)

    def is_told() -> bool:
        told = [json.loads(line) for line in server.lines if line.startswith("{")]
        return any(line["message"] == "webhook delivery failed" and line["webhook"] == webhook.id for line in told)

    until(is_told)
    time.sleep(0.5)  # more may come
    text = "".join(server.lines)
    for secret in (KEY, OTHER, webhook.secret, webhook.secret[6:40], "their-own-secret"):
        assert secret not in text
