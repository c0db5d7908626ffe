"""Table talk, and the stream of events."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from parlour import Client, ConnectionFailed, Event, choose_random, errors, play
from parlour.models import MessageHeard

from tests.sdk.conftest import StillTime
from tests.sdk.flaky import CUT_ANSWER, DRIP_HEAD, LOSE_ANSWER, LOSE_REQUEST, Proxy, Says
from tests.support import PATIENCE_S, free_ports, start_server


def test_talk_to_the_table_and_whispers(client: Client) -> None:
    seats = client.create("love_is_dead", ["mine", "mine", "mine"], seed=31).seats
    said = seats[0].say("Good evening.")
    assert (said.seat, said.to, said.text) == (0, None, "Good evening.")
    seats[1].say("I have nothing.", to=[2])
    spectator = client.spectator(seats[0].match_id)
    heard = {viewer: [message.text for message in viewer.messages()] for viewer in (*seats.values(), spectator)}
    assert heard[seats[2]] == heard[seats[1]] == ["Good evening.", "I have nothing."]
    assert heard[seats[0]] == heard[spectator] == ["Good evening."]
    assert [e.event for e in seats[2].events() if isinstance(e.event, MessageHeard)][-1] == MessageHeard(
        1, (2,), "I have nothing."
    )
    with pytest.raises(errors.ValidationError, match="/text"):
        seats[0].say("   ")


def test_messages_page_by_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.client.PAGE", 2)
    seat = client.create("valente", ["mine", "open"]).seats[0]
    for number in range(5):
        seat.say(f"number {number}")
    assert [message.text for message in seat.messages()] == [f"number {number}" for number in range(5)]


def test_a_ticket_for_a_browser(client: Client) -> None:
    ticket = client.create("valente", ["mine", "open"]).seats[0].stream_ticket()
    assert ticket.expires_in_s == 60
    assert ticket.ticket.startswith("tkt_")


def watched(client: Client, through: Client) -> None:
    """Stream a match while it is played; compare with the list of its events."""
    created = client.create("valente", ["mine", "bot"], seed=32)
    streamed: list[Event] = []
    seat = through.seat(created.match.id, created.seats[0].token)

    def watch() -> None:
        streamed.extend(seat.stream())

    watcher = threading.Thread(target=watch)
    watcher.start()
    play(created.seats[0], choose_random(1))
    watcher.join(PATIENCE_S)
    assert not watcher.is_alive()
    assert streamed == list(created.seats[0].events())
    assert list(seat.stream(after=streamed[-3].seq)) == streamed[-2:]
    assert list(seat.stream(after=streamed[-1].seq)) == []


def test_a_stream_tells_every_event_and_ends_with_the_match(client: Client) -> None:
    watched(client, client)


def test_a_stream_that_breaks_goes_on_where_it_was(client: Client, proxy: Proxy) -> None:
    proxy.faults.extend([None, CUT_ANSWER, LOSE_REQUEST, CUT_ANSWER, Says(502), LOSE_ANSWER, CUT_ANSWER, CUT_ANSWER])
    with Client(proxy.url) as through:
        watched(client, through)
    assert not proxy.faults


def test_a_stream_that_brings_nothing_is_no_end(client: Client, proxy: Proxy, patience_time: StillTime) -> None:
    created = client.create("valente", ["mine", "open"])
    empty = Says(200, b"retry: 1000\n\n", (("Content-Type", "text/event-stream"),))
    proxy.faults.extend([empty] * 200)
    with Client(proxy.url) as through:
        seat = through.seat(created.match.id, created.seats[0].token)
        with pytest.raises(ConnectionFailed, match="the stream ended"):
            list(seat.stream(game="valente", patience_s=2))
        assert 0.3 < patience_time.now <= 2
    assert len(proxy.arrived) > 2


def test_patience_begins_when_the_connection_breaks(client: Client, proxy: Proxy, patience_time: StillTime) -> None:
    """However long the stream was open before, and its listener busy with an event."""
    created = client.create("valente", ["mine", "open"])
    with Client(proxy.url, retries=0) as through:
        stream = through.seat(created.match.id, created.seats[0].token).stream(patience_s=2)
        client.join(created.match.id)
        seen = [next(stream)]
        patience_time.sleep(2.2)
        proxy.cut_streams()
        proxy.faults.append(LOSE_REQUEST)
        created.seats[0].say("Still there?")
        while not isinstance(seen[-1].event, MessageHeard):
            seen.append(next(stream))
        stream.close()
    assert seen == list(created.seats[0].events())[: len(seen)]


@pytest.mark.usefixtures("patience_time")
def test_a_sign_of_life_is_enough_for_patience(client: Client, proxy: Proxy) -> None:
    """A proxy in between may end connections on which the match was silent, one after the other."""
    created = client.create("valente", ["mine", "mine"])
    quiet = Says(200, b"retry: 1000\n\n: still here\n\n", (("Content-Type", "text/event-stream"),))
    proxy.faults.extend([quiet] * 12)
    with Client(proxy.url) as through:
        stream = through.seat(created.match.id, created.seats[0].token).stream(game="valente", patience_s=0.4)
        assert next(stream).seq == 1
        stream.close()
    assert not proxy.faults


def test_a_stream_outlives_a_restart_of_the_server(tmp_path: Path) -> None:
    """Longer down than a plain call goes on trying; every event still comes once, in order."""
    port = str(free_ports(1)[0])
    server = start_server(tmp_path, "--port", port)
    streamed: list[Event] = []
    with Client(server.url) as client:
        created = client.create("valente", ["mine", "mine"], seed=33)
        watched = client.seat(created.match.id, created.seats[0].token)
        watcher = threading.Thread(target=lambda: streamed.extend(watched.stream()))
        watcher.start()
        created.seats[0].say("Before.")
        time.sleep(1.1)  # the append-only file is written within a second
        server.stop()
        with pytest.raises(ConnectionFailed):
            created.seats[0].observe()
        time.sleep(2)
        server = start_server(tmp_path, "--port", port)
        try:
            created.seats[0].say("After.")
            other = threading.Thread(target=play, args=(created.seats[1], choose_random(1)))
            other.start()
            play(created.seats[0], choose_random(2))
            other.join(PATIENCE_S)
            watcher.join(PATIENCE_S)
            assert not watcher.is_alive()
            assert streamed == list(created.seats[0].events())
        finally:
            server.stop()
    assert [e.event.text for e in streamed if isinstance(e.event, MessageHeard)] == ["Before.", "After."]


def test_a_stream_of_something_else_is_said_to_be(client: Client, proxy: Proxy) -> None:
    created = client.create("valente", ["mine", "open"])
    with Client(proxy.url) as through:
        seat = through.seat(created.match.id, created.seats[0].token)
        proxy.faults.append(Says(200))
        with pytest.raises(errors.UnexpectedAnswer, match="something else"):
            next(seat.stream(game="valente", patience_s=0))
        proxy.faults.append(Says(200, b"id: 1\ndata: hello\n\n", (("Content-Type", "text/event-stream"),)))
        with pytest.raises(errors.UnexpectedAnswer, match="something else"):
            next(seat.stream(game="valente", patience_s=0))
        proxy.faults.extend([Says(200), Says(200, b"id: 1\ndata: hello\n\n", (("Content-Type", "text/event-stream"),))])
        client.join(created.match.id)
        stream = seat.stream(game="valente")
        assert next(stream).seq == 1, "one that passes is waited out"
        stream.close()


def test_a_stream_must_begin_in_time_and_may_then_last(
    client: Client, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    created = client.create("valente", ["mine", "open"])
    with Client(proxy.url, retries=0) as through:
        seat = through.seat(created.match.id, created.seats[0].token)
        proxy.faults.append(DRIP_HEAD)
        monkeypatch.setattr("parlour.transport.SILENCE_S", 1.0)
        with pytest.raises(ConnectionFailed, match="no answer in time"):
            next(seat.stream(game="valente", patience_s=0))
        monkeypatch.setattr("parlour.transport.SILENCE_S", 60.0)
        answer_time: StillTime = request.getfixturevalue("answer_time")
        stream = seat.stream(game="valente", patience_s=0)
        for number in range(6):
            created.seats[0].say(f"{number}")
            event = next(stream).event
            assert isinstance(event, MessageHeard)
            assert event.text == f"{number}"
            answer_time.sleep(24)
        stream.close()
    assert len(proxy.arrived) == 2


def test_a_stream_of_a_match_that_is_not_there(client: Client) -> None:
    with pytest.raises(errors.MatchNotFound):
        next(client.spectator("mat_0nosuchmatch00000").stream(game="valente"))
