"""Sent again where it is safe, and only there: against real connections that break."""

from __future__ import annotations

import random
import socket
import time

import pytest
from parlour import Client, ConnectionFailed, UnexpectedAnswer, errors
from parlour import operations as ops
from parlour.models import MatchFinished
from parlour.retry import LONGEST_PAUSE_S, may_retry, pause_s

from tests.sdk.conftest import StillTime
from tests.sdk.flaky import CUT_ANSWER, DRIP_BODY, DRIP_HEAD, DRIP_STREAM, LOSE_ANSWER, LOSE_REQUEST, Proxy, Says


def unavailable(retry_after_s: float | None = None) -> errors.ApiError:
    return errors.Unavailable("http_503", status=503, retry_after_s=retry_after_s)


def rate_limited(retry_after_s: float | None = None) -> errors.ApiError:
    return errors.RateLimited("rate_limited", status=429, retry_after_s=retry_after_s)


@pytest.mark.parametrize(
    ("operation", "error", "again"),
    [
        (ops.GET_MATCH, ConnectionFailed("", sent=True), True),
        (ops.ACT, ConnectionFailed("", sent=True), True),
        (ops.CREATE_MATCH, ConnectionFailed("", sent=True), True),
        (ops.CREATE_MATCH, ConnectionFailed("", sent=False), True),
        (ops.JOIN_MATCH, ConnectionFailed("", sent=True), True),
        (ops.ACT, unavailable(), True),
        (ops.LEAVE_MATCH, ConnectionFailed("", sent=True), False),
        (ops.LEAVE_MATCH, unavailable(), False),
        (ops.CREATE_MATCH, unavailable(), True),
        (ops.CREATE_MATCH, errors.TooBusy("too_busy", status=503), True),
        (ops.CREATE_MATCH, rate_limited(1), True),
        (ops.GET_MATCH, rate_limited(3600), False),
        (ops.GET_MATCH, errors.InternalError("internal_error", status=500), False),
        (ops.ACT, errors.IllegalAction("illegal_action", status=422), False),
        (ops.GET_MATCH, UnexpectedAnswer(""), False),
    ],
)
def test_may_retry(operation: ops.Operation, error: errors.ParlourError, again: bool) -> None:
    assert may_retry(operation, error) is again


def test_pauses_grow_to_a_bound_and_respect_retry_after() -> None:
    rng = random.Random(1)
    pauses = [pause_s(attempt, unavailable(), rng) for attempt in range(20)]
    assert pauses[0] < 0.11
    assert max(pauses) <= LONGEST_PAUSE_S
    assert pauses[5] > pauses[0]
    assert pause_s(0, rate_limited(7), rng) > 7
    assert len(set(pauses[10:])) > 1, "no jitter"


@pytest.mark.parametrize("fault", [LOSE_REQUEST, LOSE_ANSWER, CUT_ANSWER, Says(502), Says(503), Says(504)])
def test_reading_goes_on_through_faults(proxy: Proxy, fault: str | Says) -> None:
    with Client(proxy.url) as client:
        proxy.faults.extend([fault, fault])
        assert client.games()
        assert len(proxy.arrived) == 3


@pytest.mark.parametrize("fault", [LOSE_REQUEST, LOSE_ANSWER, CUT_ANSWER, Says(502)])
def test_an_act_whose_answer_is_lost_happens_once(proxy: Proxy, client: Client, fault: str | Says) -> None:
    created = client.create("valente", ["mine", "mine"], options={"first_seat": 0}, seed=5)
    with Client(proxy.url) as through:
        seat = through.seat(created.match.id, created.seats[0].token)
        seen = seat.observe()
        assert seen.decision is not None
        proxy.faults.append(fault)
        done = seat.act(seen.decision.legal_actions[0], decision=seen.decision)
    assert done.replayed is (fault in (LOSE_ANSWER, CUT_ANSWER))
    assert done.observation.version == seen.version + 1
    assert created.seats[0].observe() == done.observation


def test_a_match_whose_creation_was_answered_into_the_void_is_created_once(proxy: Proxy, client: Client) -> None:
    """The same Idempotency-Key goes with every try."""
    with Client(proxy.url) as through:
        proxy.faults.append(LOSE_ANSWER)
        created = through.create("valente", ["mine", "open"])
    assert proxy.arrived == [("POST", "/v1/matches")] * 2
    newest = next(iter(client.matches()))
    assert newest.id == created.match.id
    assert created.seats[0].observe().seat == 0


def test_joining_takes_one_seat_only(proxy: Proxy, client: Client) -> None:
    created = client.create("valente", ["open", "open", "open"])
    with Client(proxy.url) as through:
        proxy.faults.append(LOSE_ANSWER)
        seat = through.join(created.match.id)
    assert seat.number == 0
    assert [seat.taken for seat in client.match(created.match.id).seats] == [True, False, False]


def test_retry_after_is_waited_for_also_when_creating(proxy: Proxy) -> None:
    limit = Says(429, b"{}", (("Content-Type", "application/problem+json"), ("Retry-After", "1")))
    with Client(proxy.url) as client:
        proxy.faults.append(limit)
        before = time.monotonic()
        assert client.create("valente", ["mine", "open"]).match.status == "open"
        assert time.monotonic() - before >= 1.0


def test_it_gives_up_after_so_many_retries(proxy: Proxy) -> None:
    with Client(proxy.url, retries=2) as client:
        proxy.faults.extend([Says(503)] * 9)
        with pytest.raises(errors.Unavailable, match="503 http_503"):
            client.games()
        assert len(proxy.arrived) == 3


def test_a_proxys_pages_are_not_taken_for_answers(proxy: Proxy) -> None:
    with Client(proxy.url, retries=0) as client:
        proxy.faults.append(Says(200, b"not json", (("Content-Type", "application/json"),)))
        with pytest.raises(UnexpectedAnswer, match="not JSON"):
            client.games()
        proxy.faults.append(Says(200, b"<html>welcome</html>"))
        with pytest.raises(UnexpectedAnswer, match="no list of items"):
            client.games()
        proxy.faults.append(Says(302, b"", (("Location", "http://127.0.0.1:9/"),)))
        with pytest.raises(UnexpectedAnswer, match="points to http"):
            client.games()
        proxy.faults.append(Says(404, b"<html>nothing here</html>"))
        with pytest.raises(errors.NotFound, match="404 http_404"):
            client.game("valente")
        teapot = Says(418, b'{"code": "is_a_teapot"}', (("Content-Type", "application/problem+json"),))
        proxy.faults.append(teapot)
        with pytest.raises(errors.ClientError) as unknown:
            client.games()
        assert (unknown.value.code, unknown.value.status) == ("is_a_teapot", 418)


def test_a_part_of_a_path_stays_one(proxy: Proxy) -> None:
    """Nothing that is given as an id leads to another address."""
    with Client(proxy.url, retries=0) as client, pytest.raises(errors.NotFound):
        client.match("a/../b?c#d é%2F")
    assert proxy.arrived == [("GET", "/v1/matches/a%2F..%2Fb%3Fc%23d%20%C3%A9%252F")]


def test_no_cookie_is_kept(proxy: Proxy) -> None:
    """Tokens say who asks; what something in between sets would tie together those who share a client."""
    kind = ("Content-Type", "application/json")
    with Client(proxy.url, retries=0) as client:
        proxy.faults.append(Says(200, b'{"items": []}', (kind, ("Set-Cookie", "who=ada; Path=/"))))
        assert client.games() == ()
        assert client.games()
    assert proxy.cookies == [None, None]


def test_the_data_of_an_event_may_come_in_several_lines(proxy: Proxy) -> None:
    body = b'id: 7\ndata: {"seq": 7, "version": 1,\ndata: "at": "2026-11-30T07:00:00Z",\n' + (
        b'data: "event": {"type": "match_finished", "winners": [1], "reason": "time"}}\n\n'
    )
    proxy.faults.append(Says(200, body, (("Content-Type", "text/event-stream"),)))
    with Client(proxy.url) as client:
        (event,) = client.spectator("mat_x").stream(game="valente", patience_s=0)
    assert event.seq == 7
    assert event.event == MatchFinished((1,), "time")


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"status": 200}', b"<html>"])
def test_a_server_is_up_and_ready_when_it_says_so(proxy: Proxy, body: bytes) -> None:
    """Not when anything at all is answered at its address."""
    kind = "text/html" if body == b"<html>" else "application/json"
    with Client(proxy.url, retries=0) as client:
        for ask in (client.is_up, client.is_ready):
            proxy.faults.append(Says(200, body, (("Content-Type", kind),)))
            with pytest.raises(UnexpectedAnswer, match="Health"):
                ask()
            proxy.faults.append(Says(200, b'{"status": "down"}', (("Content-Type", "application/json"),)))
            assert ask() is False
    assert not proxy.faults


@pytest.mark.parametrize("fault", [DRIP_HEAD, DRIP_BODY])
def test_a_byte_now_and_then_is_no_answer(proxy: Proxy, fault: str) -> None:
    """The timeout is for all of it, and what it ended is tried again."""
    proxy.faults.extend([fault] * 3)
    before = time.monotonic()
    with (
        Client(proxy.url, timeout=0.5, retries=1) as client,
        pytest.raises(ConnectionFailed, match="no answer in time"),
    ):
        client.games()
    assert time.monotonic() - before > 0.9
    with Client(proxy.url, timeout=0.5, retries=30) as client:
        assert client.games()
    assert not proxy.faults


def test_a_stream_in_place_of_an_answer_is_not_read(proxy: Proxy) -> None:
    with Client(proxy.url) as client:
        proxy.faults.append(DRIP_STREAM)
        with pytest.raises(UnexpectedAnswer, match="answers with a stream"):
            client.games()


def test_the_time_for_an_answer_is_its_own(proxy: Proxy, answer_time: StillTime) -> None:
    """Not what the one before on the same connection has left of it."""
    with Client(proxy.url, timeout=60, retries=0) as client:
        for _ in range(4):
            assert client.games()
            answer_time.sleep(24)


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"errors": 5, "observation": null}', b'{"errors": [[]]}', b"7"])
def test_a_refusal_in_strange_words_is_one(proxy: Proxy, body: bytes) -> None:
    with Client(proxy.url, retries=0) as client:
        proxy.faults.append(Says(409, body, (("Content-Type", "application/problem+json"),)))
        with pytest.raises(errors.Conflict):
            client.games()
        proxy.faults.append(Says(200, body, (("Content-Type", "application/json"),)))
        with pytest.raises(UnexpectedAnswer):
            client.games()


NO_HTTP = [
    Says(200, b"{}", (("Content-Type", "application/json"), ("Content-Length", "5, 6"))),
    Says(302, b"", (("Location", "http://[bad"),)),
    Says(302, b"", (("Location", "nothing://here"),)),
    Says(200, b"{}", (("Content-Type", "application/json"), ("Content-Encoding", "gzip"))),
    Says(200, b"{}", (("Content-Type", "text/html; charset=idna"),)),
    Says(200, b"{}", (("Content-Type", "application/json; charset=idna"),)),
    Says(404, b"{}", (("Content-Type", "application/problem+json; charset=idna"),)),
    Says(429, b"{}", (("Retry-After", "9" * 400),)),
    Says(429, b"{}", (("Retry-After", "Mon, 01 Jan 2026 00:00:00 +99999999999999999"),)),
]


@pytest.mark.parametrize("fault", NO_HTTP, ids=lambda fault: str(fault.headers[-1]))
def test_whatever_comes_back_is_one_of_the_sdks_errors(client: Client, proxy: Proxy, fault: Says) -> None:
    """Nothing of requests, urllib3 or the standard library comes through."""
    created = client.create("valente", ["mine", "open"])
    with Client(proxy.url, retries=0) as through:
        seat = through.seat(created.match.id, created.seats[0].token)
        for call in (
            through.games,
            through.is_ready,
            seat.observe,
            lambda: seat.act(0, decision="dec_none"),
            lambda: next(seat.stream(game="valente", patience_s=0)),
        ):
            proxy.faults.append(fault)
            with pytest.raises(errors.ParlourError):
                call()
        assert not proxy.faults


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, b"bytes", object()])
def test_what_json_cannot_say_is_not_sent(proxy: Proxy, value: object) -> None:
    """It is the caller's to mend: no error of the line, and no second try."""
    with Client(proxy.url) as client:
        with pytest.raises(ValueError, match="options cannot be sent as JSON: "):
            client.create("valente", ["mine", "open"], options={"x": value})
        with pytest.raises(ValueError, match="actions cannot be sent as JSON: "):
            client.seat("mat_x", "seat_0_x").act({"x": value}, decision="dec_none")
    assert proxy.arrived == []


@pytest.mark.parametrize("timeout", [0, -1.0, float("nan"), float("inf")])
def test_a_timeout_is_a_time(timeout: float) -> None:
    with pytest.raises(ValueError, match="a number of seconds above 0"):
        Client(timeout=timeout)


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with Client(address, retries=1) as client, pytest.raises(ConnectionFailed, match="refused") as failed:
            client.create("valente", ["mine", "open"])
    assert not failed.value.sent


def test_a_server_that_never_answers_is_left_in_time() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with (
            Client(address, timeout=0.3, retries=0) as client,
            pytest.raises(ConnectionFailed, match="in time") as late,
        ):
            client.games()
    assert late.value.sent


def test_a_long_poll_may_take_longer_than_the_timeout(client: Client) -> None:
    created = client.create("valente", ["mine", "open"])
    with Client(client.url, timeout=0.5, retries=5) as hasty:  # six tries, each of them with time enough to answer
        seat = hasty.seat(created.match.id, created.seats[0].token)
        assert seat.wait(created.match.version, wait_s=1.2) is None
