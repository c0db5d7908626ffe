"""play(): whole matches, through lost answers, refusals, clocks and restarts; and how it ends when it must."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from parlour import (
    Client,
    ClockRule,
    ConnectionFailed,
    Event,
    LegalAction,
    Observation,
    choose_random,
    errors,
    house_bot,
    play,
)
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES

from tests.sdk.conftest import StillTime
from tests.sdk.flaky import CUT_ANSWER, CUT_UNSEEN, DRIP_BODY, DRIP_HEAD, LOSE_ANSWER, LOSE_REQUEST, Proxy, Says
from tests.support import PATIENCE_S, free_ports, start_server


def first(observation: Observation[Any]) -> LegalAction:
    """The first legal action."""
    assert observation.decision is not None
    return observation.decision.legal_actions[0]


@pytest.mark.parametrize("game", GAMES[:2], ids=lambda game: game.slug)
def test_a_whole_match_with_house_bots_and_every_event_once(client: Client, game: AnyGame) -> None:
    created = client.create(game.slug, ["mine"] + ["bot"] * (game.seats[0] - 1), seed=11)
    events: list[Event] = []
    final = play(created.seats[0], house_bot(game.slug, "random", seed=1), on_event=events.append)
    assert final.status == "finished"
    assert final.outcome is not None
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[-1].event.type == "match_finished"
    assert events == list(created.seats[0].events())


def test_every_seat_of_a_match_by_its_own_loop(client: Client) -> None:
    created = client.create("love_is_dead", ["mine", "mine", "open"], seed=12)
    seats = [*created.seats.values(), client.join(created.match.id)]
    finals: dict[int, Observation[Any]] = {}

    def run(number: int) -> None:
        finals[number] = play(seats[number], choose_random(number))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    outcomes = [finals[number].outcome for number in range(3)]
    assert outcomes[0] is not None
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_the_same_seeds_play_the_same_match(client: Client) -> None:
    def match() -> list[Any]:
        created = client.create("valente", ["mine", "mine"], seed=21)
        both = [threading.Thread(target=play, args=(created.seats[n], choose_random(n))) for n in (0, 1)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join(PATIENCE_S)
        return [e.event for e in client.spectator(created.match.id).events()]

    assert match() == match()


def test_a_match_through_a_bad_line_is_the_same_match(client: Client, proxy: Proxy) -> None:
    """Whatever is lost on the way, nothing happens twice and nothing is left out."""
    empty = Says(200, b"", (("Content-Type", "application/json"),))
    kinds = [LOSE_ANSWER, LOSE_REQUEST, CUT_ANSWER, Says(502), CUT_UNSEEN, Says(200), empty]
    created = client.create("valente", ["mine", "mine"], seed=22)
    other = threading.Thread(target=play, args=(created.seats[1], choose_random(1)))
    other.start()
    for number in range(1000):
        proxy.faults.extend([None, None, kinds[number % len(kinds)]])
    with Client(proxy.url) as through:
        seat = through.seat(created.match.id, created.seats[0].token)
        events: list[Event] = []
        final = play(seat, choose_random(0), on_event=events.append)
    other.join(PATIENCE_S)
    assert final.outcome is not None
    assert len(proxy.arrived) > len(proxy.forwarded)
    assert events == list(created.seats[0].events())

    calm = client.create("valente", ["mine", "mine"], seed=22)
    other = threading.Thread(target=play, args=(calm.seats[1], choose_random(1)))
    other.start()
    assert play(calm.seats[0], choose_random(0)).view == final.view
    other.join(PATIENCE_S)


STRANGE = [
    None, 7, "", [], [7], {}, {"items": [7]}, {"items": 7}, {"game": [], "view": {}},
    {"game": "valente", "view": 7, "decision": {"legal_actions": 7}}, {"observation": {}, "events": [7]},
]  # fmt: skip


def test_whatever_answers_in_the_servers_place_is_waited_out(client: Client, proxy: Proxy) -> None:
    """To one question of the match after the other."""
    created = client.create("valente", ["mine", "bot"], options={"first_seat": 0}, seed=26)
    for strange in STRANGE * 2:
        proxy.faults.extend([Says(200, json.dumps(strange).encode(), (("Content-Type", "application/json"),)), None])
    with Client(proxy.url) as through:
        events: list[Event] = []
        seat = through.seat(created.match.id, created.seats[0].token)
        assert play(seat, choose_random(1), on_event=events.append).is_over
    assert not proxy.faults
    assert events == list(created.seats[0].events())


@pytest.mark.parametrize(
    ("fault", "timeout", "error"),
    [(Says(200), 60, errors.UnexpectedAnswer), (DRIP_BODY, 0.3, ConnectionFailed), (DRIP_HEAD, 0.3, ConnectionFailed)],
)
def test_it_ends_when_something_else_answers_for_too_long(
    client: Client, proxy: Proxy, patience_time: StillTime, fault: Any, timeout: float, error: type[Exception]
) -> None:
    created = client.create("valente", ["mine", "bot"])
    proxy.faults.extend([fault] * 1000)
    with Client(proxy.url, timeout=timeout, retries=1) as through, pytest.raises(error):
        play(through.seat(created.match.id, created.seats[0].token), choose_random(1), patience_s=1)
    assert 0.3 < patience_time.now <= 1


def test_it_decides_again_when_another_client_was_faster(client: Client) -> None:
    created = client.create("valente", ["mine", "bot"], options={"first_seat": 0}, seed=23)
    seat = created.seats[0]
    rival = client.seat(created.match.id, seat.token)
    asked: list[str] = []

    def choose(observation: Observation[Any]) -> LegalAction:
        assert observation.decision is not None
        asked.append(observation.decision.id)
        if len(asked) == 1:
            rival.act(observation.decision.legal_actions[1], decision=observation.decision)
        return observation.decision.legal_actions[0]

    assert play(seat, choose).is_over
    assert len(asked) == len(set(asked))


def test_an_illegal_action_is_asked_for_again_and_then_raised(client: Client) -> None:
    created = client.create("valente", ["mine", "mine"], options={"first_seat": 0}, seed=24)
    seen: list[Observation[Any]] = []

    def stubborn(observation: Observation[Any]) -> int:
        seen.append(observation)
        return 0

    with pytest.raises(errors.IllegalAction, match="VA-16") as illegal:
        play(created.seats[0], stubborn, illegal_limit=3)
    assert len(seen) == 3
    assert illegal.value.reason.endswith("(VA-16).")


def test_one_slip_is_no_end(client: Client) -> None:
    created = client.create("valente", ["mine", "bot"], options={"first_seat": 0}, seed=24)
    slips = 0

    def careless(observation: Observation[Any]) -> Any:
        nonlocal slips
        if slips < 2:
            slips += 1
            return 0
        return first(observation)

    assert play(created.seats[0], careless, illegal_limit=3).is_over


def test_a_slow_bot_loses_decisions_to_the_clock_and_goes_on(client: Client) -> None:
    clock = ClockRule(per_decision_s=0.3, on_expiry="bot_move")
    created = client.create("valente", ["mine", "bot"], options={"first_seat": 0}, clock=clock, seed=25)
    late = 0

    def slow(observation: Observation[Any]) -> LegalAction:
        nonlocal late
        if late < 2:
            late += 1
            time.sleep(0.8)
        return first(observation)

    final = play(created.seats[0], slow)
    assert final.is_over
    assert any(event.event.type == "clock" for event in created.seats[0].events())


def test_it_waits_for_a_match_that_has_not_started_and_returns_when_it_is_cancelled(client: Client) -> None:
    created = client.create("valente", ["mine", "open"])
    timer = threading.Timer(0.3, created.host.cancel)
    timer.start()
    assert play(created.seats[0], first).status == "cancelled"
    timer.join()


def test_what_choose_raises_comes_out(client: Client) -> None:
    created = client.create("valente", ["mine", "mine"], options={"first_seat": 0})

    def broken(observation: Observation[Any]) -> LegalAction:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play(created.seats[0], broken)


def test_no_match_no_token_no_patience(client: Client, patience_time: StillTime) -> None:
    created = client.create("valente", ["mine", "open"])
    with pytest.raises(errors.MatchNotFound):
        play(client.seat("mat_0nosuchmatch00000", created.seats[0].token), first)
    with pytest.raises(errors.WrongToken):
        play(client.seat(client.create("valente", ["mine", "open"]).match.id, created.seats[0].token), first)
    with Client("http://127.0.0.1:9", retries=0) as nobody:
        with pytest.raises(ConnectionFailed):
            play(nobody.seat(created.match.id, created.seats[0].token), first, patience_s=1.5)
        assert 0.3 < patience_time.now <= 1.5


BUSY = Says(429, b"{}", (("Content-Type", "application/problem+json"), ("Retry-After", "90")))


def test_a_429_is_waited_out_as_long_as_patience_lasts(client: Client, proxy: Proxy, patience_time: StillTime) -> None:
    """However long the server asks to wait; a call that has no patience says so at once."""
    created = client.create("valente", ["mine", "bot"], options={"first_seat": 0}, seed=26)
    with Client(proxy.url) as through:
        seat = through.seat(created.match.id, created.seats[0].token)
        proxy.faults.append(BUSY)
        with pytest.raises(errors.RateLimited) as limited:
            seat.observe()
        assert limited.value.retry_after_s == 90
        proxy.faults.append(BUSY)
        with pytest.raises(errors.RateLimited):
            play(seat, choose_random(1), patience_s=60)
        assert patience_time.now == 0
        proxy.faults.extend([BUSY, BUSY])
        assert play(seat, choose_random(1), patience_s=600).is_over
        assert 180 < patience_time.now < 240
        proxy.faults.extend([BUSY, BUSY, BUSY])
        told = list(seat.stream(patience_s=600))
        assert 450 < patience_time.now < 540
    assert told == list(created.seats[0].events())


def test_house_bots_know_their_game_only(client: Client) -> None:
    with pytest.raises(ValueError, match="no game 'chess'"):
        house_bot("chess")
    with pytest.raises(ValueError, match="no bot 'deep_thought'"):
        house_bot("valente", "deep_thought")
    created = client.create("valente", ["mine", "mine"], options={"first_seat": 0})
    with pytest.raises(ValueError, match="this bot plays love_is_dead"):
        play(created.seats[0], house_bot("love_is_dead"))


def test_a_match_outlives_a_restart_of_the_server(tmp_path: Path) -> None:
    port = str(free_ports(1)[0])
    server = start_server(tmp_path, "--port", port)
    acted = threading.Event()
    restarted = threading.Event()
    outcome: list[Observation[Any]] = []

    def choose(observation: Observation[Any]) -> LegalAction:
        if observation.version > 8 and not acted.is_set():
            acted.set()
            restarted.wait(0.5)
        return first(observation)

    def run() -> None:
        with Client(server.url, retries=1) as client:
            created = client.create("valente", ["mine", "bot"], seed=26)
            outcome.append(play(created.seats[0], choose, patience_s=300))

    player = threading.Thread(target=run)
    player.start()
    try:
        assert acted.wait(PATIENCE_S)
        time.sleep(1.1)  # the append-only file is written within a second
        server.stop()
        time.sleep(0.5)
        server = start_server(tmp_path, "--port", port)
        restarted.set()
        player.join(PATIENCE_S)
    finally:
        server.stop()
    assert outcome[0].outcome is not None


def test_a_slow_bot_keeps_its_seat_though_a_house_bot_was_given_it(client: Client) -> None:
    """It thinks longer than the house bot: only taking the seat back, not acting alone, gives it its decisions.

    The other seat, whose turn it is, begins once the seat was taken back: until then no house bot can decide for it.
    """
    created = client.create("valente", ["mine", "mine"], options={"first_seat": 1}, seed=3)
    created.seats[0].take_over()
    decided: list[str] = []

    def slow(observation: Observation[Any]) -> LegalAction:
        time.sleep(0.3 if len(decided) < 6 else 0)
        assert observation.decision is not None
        decided.append(observation.decision.id)
        return first(observation)

    def steady(observation: Observation[Any]) -> LegalAction:
        time.sleep(0.02)
        return first(observation)

    threads = [
        threading.Thread(target=play, args=(client.seat(created.match.id, created.seats[0].token), slow)),
        threading.Thread(target=play, args=(created.seats[1], steady)),
    ]
    threads[0].start()
    seen = created.seats[1].match()
    while seen.seats[0].played_by != "human":
        assert threads[0].is_alive()
        seen = client.match(created.match.id)
    threads[1].start()
    for thread in threads:
        thread.join(PATIENCE_S)
    taken = [entry for entry in created.host.replay().actions if entry.seat == 0]
    assert len(decided) == len(taken) > 6
