"""The client against a real server: every method once, and what it raises."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from parlour import Client, ClockRule, NewSeat, Raw, Seat, errors, models
from parlour import client as client_module
from parlour.client import seed_hex
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES
from parlour_engine.games.valente.actions import Buy, Discard, Draw, Exchange, Pass
from parlour_engine.games.valente.state import Observation, Options


@pytest.mark.parametrize("token", ["", " ", "key_sécret", "key_secret\n", "key_sec ret", "key_secret\udcff"])
def test_a_token_that_no_server_reads_is_refused_before_it_is_sent(token: str) -> None:
    """As an empty header it would be nobody's."""
    with pytest.raises(ValueError, match="printable ASCII") as refused:
        Client(token=token)
    assert "sec" not in str(refused.value)
    with Client("http://127.0.0.1:1") as client:
        with pytest.raises(ValueError, match="printable ASCII"):
            client.seat("mat_x", f"seat_0_{token}é")
        with pytest.raises(ValueError, match="printable ASCII"):
            client.host("mat_x", f"host_{token}é")


@pytest.mark.parametrize(
    "url", ["http://ada:hunter2@host", "http://hunter2@host", "https://ada:hunter2@[bad", "ftp://ada:hunter2@host/?x"]
)
def test_an_address_with_a_password_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(ValueError, match="the address of a server") as refused:
        Client(url)
    assert "hunter2" not in str(refused.value)


MODELS = sorted(
    (
        each
        for module in (models, client_module)
        for each in vars(module).values()
        if is_dataclass(each) and each.__module__ == module.__name__
    ),
    key=lambda each: each.__name__,
)
SECRET = re.compile("token|ticket|secret|code|key|password")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_secret_is_in_a_repr(model: Any) -> None:
    """It would be in the log of whoever prints what the SDK gave it."""
    named = {field.name: "hunter2" if SECRET.search(field.name) else None for field in fields(model)}
    assert "hunter2" not in repr(model(**named))


def test_what_opens_something_is_not_in_a_repr(client: Client) -> None:
    created = client.create("valente", ["mine", "open"], visibility="private")
    seat = created.seats[0]
    ticket = seat.stream_ticket()
    shown = repr([created, seat, created.host, ticket, client])
    for secret in (created.join_code, seat.token, created.host.token, ticket.ticket):
        assert secret
        assert secret not in shown


def test_the_catalogue(client: Client) -> None:
    games = client.games()
    assert [game.id for game in games] == [game.slug for game in GAMES]
    assert games[0].seats.min == 2
    detail = client.game("valente")
    assert len(detail.data["cards"]) == 80
    assert detail.kinds[0].name == "turn"
    assert detail.actions["2"][0] == {"type": "pass"}
    assert "VA-1" in detail.rules
    bots = client.bots()
    assert [(bot.game, bot.id) for bot in bots] == [(game.slug, bot.id) for game in GAMES for bot in game.bots]
    assert all(bot.think_time_s is not None and bot.think_time_s.min <= bot.think_time_s.max for bot in bots)
    with pytest.raises(errors.GameNotFound, match=r"request \S+: 404 game_not_found: No game 'chess'"):
        client.game("chess")


def test_the_catalogue_comes_in_pages_all_the_same(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = client.games(), client.bots()
    monkeypatch.setattr("parlour.client.PAGE", 1)
    assert (client.games(), client.bots()) == whole


def test_the_service(client: Client) -> None:
    assert client.is_up()
    until = time.monotonic() + 60
    while not client.is_ready():  # a moment in which Redis does not answer at once
        assert time.monotonic() < until
    assert "stale_decision" in client.error_page("stale_decision")
    with pytest.raises(errors.ErrorNotFound):
        client.error_page("no_such_code")


def test_create_observe_act(client: Client) -> None:
    created = client.create("valente", ["mine", "mine"], options=Options(first_seat=1), seed=5)
    assert created.match.status == "playing"
    assert created.match.open_seed
    assert created.match.options["first_seat"] == 1
    assert created.join_code is None
    first, second = created.seats[0], created.seats[1]
    assert first.observe().decision is None
    seen = second.observe()
    assert isinstance(seen.view, Observation)
    assert seen.decision is not None
    legal = next(each for each in seen.decision.legal_actions if each.action == Buy("deck"))
    done = second.act(legal, decision=seen.decision)
    assert (done.applied, done.replayed) == (1, False)
    assert done.observation.version == seen.version + 1
    assert any(event.event.type == "bought" for event in done.events)
    again = second.act(legal, decision=seen.decision)
    assert again.replayed
    assert again.observation == done.observation


def test_the_seats_of_a_new_match_go_by_their_numbers(client: Client) -> None:
    created = client.create("valente", ["bot", "mine", "mine"])
    assert list(created.seats) == [1, 2]
    assert [seat.number for seat in created.seats.values()] == [1, 2]
    assert created.seats[2].observe().seat == 2


def test_an_action_can_be_given_in_every_form(client: Client) -> None:
    for form in ("legal", "typed", "number", "mapping"):
        seat = client.create("valente", ["mine", "mine"], options={"first_seat": 0}, seed=5).seats[0]
        decision = seat.observe().decision
        assert decision is not None
        legal = decision.legal_actions[0]
        action = {"legal": legal, "typed": legal.action, "number": legal.id, "mapping": {"id": legal.id}}[form]
        assert seat.act(action, decision=decision.id).applied == 1
    for none in ("buy", True, None, 1.0):
        with pytest.raises(TypeError, match="an action is"):
            seat.act(none, decision=decision)


@pytest.mark.parametrize("wait_s", [-5.0, 56.0, 1e9, float("inf"), float("nan")])
def test_a_wait_is_made_one_that_the_server_takes(client: Client, wait_s: float) -> None:
    seat = client.create("valente", ["mine", "open"]).seats[0]
    now = seat.observe()
    assert seat.wait(now.version + 1, wait_s) == now
    if wait_s < 0:
        assert seat.wait(now.version, wait_s) is None


@pytest.mark.parametrize("size", [1, 2, 7])
def test_events_come_page_after_page(client: Client, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    seat = client.create("valente", ["mine", "mine"], options={"first_seat": 0}, seed=5).seats[0]
    seen = seat.observe()
    assert seen.decision is not None
    seat.act([Exchange(), *(Discard(card) for card in seen.view.hand[:2]), Draw()], decision=seen.decision)
    whole = list(seat.events())
    assert len(whole) > 2
    monkeypatch.setattr("parlour.client.EVENTS_PAGE", size)
    assert list(seat.events()) == whole
    assert list(seat.events(2)) == whole[2:]


def test_a_list_of_actions(client: Client) -> None:
    seat = client.create("valente", ["mine", "mine"], options={"first_seat": 0}, seed=5).seats[0]
    seen = seat.observe()
    assert seen.decision is not None
    cards = [Discard(card) for card in seen.view.hand[:2]]
    done = seat.act([Exchange(), *cards, Draw()], decision=seen.decision)
    assert done.applied == 4


def test_refusals_carry_reason_and_fresh_observation(client: Client) -> None:
    seats = client.create("valente", ["mine", "mine"], options={"first_seat": 0}, seed=5).seats
    seen = seats[0].observe()
    assert seen.decision is not None
    with pytest.raises(errors.IllegalAction, match="VA-16") as illegal:
        seats[0].act(Pass(), decision=seen.decision)
    assert illegal.value.reason in str(illegal.value)
    assert illegal.value.observation == seen
    with pytest.raises(errors.StaleDecision) as stale:
        seats[0].act(0, decision="dec_of_another_time")
    assert stale.value.observation == seen
    with pytest.raises(errors.NotYourTurn) as early:
        seats[1].act(0, decision="dec_of_another_time")
    assert isinstance(early.value, errors.Conflict)
    assert early.value.observation == seats[1].observe()
    with pytest.raises(errors.ValidationError, match="/actions/0") as unknown:
        seats[0].act(Raw("knock", {"type": "knock"}), decision=seen.decision)
    assert unknown.value.errors[0].pointer == "/actions/0"
    assert unknown.value.request_id


def test_join_fill_start_leave(client: Client) -> None:
    created = client.create("love_is_dead", ["open", "open", "open"], start="manual")
    host, match_id = created.host, created.match.id
    assert dict(created.seats) == {}
    ada = client.join(match_id, name="Ada")
    bea = client.join(match_id, seat=2, name="Bea")
    assert (ada.number, bea.number) == (0, 2)
    with pytest.raises(errors.SeatTaken):
        client.join(match_id, seat=2)
    with pytest.raises(errors.SeatsOpen):
        host.start()
    with pytest.raises(errors.MatchOpen):
        ada.act(0, decision="dec_none")
    assert host.fill(1, bot="random", name="Robo").seats[1].bot == "random"
    assert host.fill(1, "open").seats[1].taken is False
    bea.leave()
    with pytest.raises(errors.WrongToken):
        bea.observe()
    host.fill(1)
    host.fill(2)
    with pytest.raises(errors.NoOpenSeat):
        client.join(match_id)
    assert host.start().status == "playing"
    with pytest.raises(errors.MatchStarted):
        host.start()
    assert ada.match().seats[0].name == "Ada"


def test_takeover_return_leave_and_cancel(client: Client) -> None:
    created = client.create("valente", ["mine", "open"], seed=5)
    friend = client.join(created.match.id, name="Friend")
    with pytest.raises(errors.HostIsPlayer):
        created.host.take_over(1)
    with pytest.raises(errors.HostIsPlayer):
        created.host.cancel()
    assert created.seats[0].take_over().seats[0].played_by == "bot"
    assert created.seats[0].take_back().seats[0].played_by == "human"
    assert friend.leave().seats[1].played_by == "bot"
    late = client.create("valente", ["open", "open"], visibility="private")
    own = late.host.join(name="Host", join_code=late.join_code)
    assert client.join(late.match.id, join_code=late.join_code).match().status == "playing"
    assert own.observe().seat == own.number == 0
    with pytest.raises(errors.HostIsPlayer):
        late.host.cancel()
    watched = client.create("valente", ["open", "open"])
    guests = [client.join(watched.match.id) for _ in range(2)]
    ended = watched.host.cancel()
    assert ended.status == "cancelled"
    assert ended.is_over
    assert guests[0].observe().is_over
    with pytest.raises(errors.MatchOver):
        watched.host.cancel()


def test_a_private_match(client: Client) -> None:
    created = client.create("valente", ["mine", "open"], visibility="private")
    assert created.join_code
    with pytest.raises(errors.MatchNotFound):
        client.spectator(created.match.id).observe()
    with pytest.raises(errors.MatchNotFound):
        client.join(created.match.id)
    seat = client.join(created.match.id, join_code=created.join_code)
    assert seat.match().visibility == "private"
    assert created.host.observe().seat is None
    with Client(client.url, token=created.host.token) as holder:
        assert holder.match(created.match.id).status == "playing"


def test_spectator_and_host_see_no_hand(client: Client) -> None:
    created = client.create("valente", ["mine", "mine"], seed=5)
    for viewer in (client.spectator(created.match.id), created.host):
        seen = viewer.observe()
        assert (seen.seat, seen.decision, seen.view.hand) == (None, None, ())


def test_wait_answers_at_once_when_something_changed_and_none_when_not(client: Client) -> None:
    created = client.create("valente", ["mine", "open"])
    seat = created.seats[0]
    assert seat.wait(created.match.version, wait_s=0.2) is None
    timer = threading.Timer(0.2, lambda: client.join(created.match.id))
    timer.start()
    seen = seat.wait(created.match.version, wait_s=50)
    timer.join()
    assert seen is not None
    assert seen.version > created.match.version


def test_events_are_all_there_in_order_from_anywhere(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    created = client.create("valente", ["mine", "mine"], seed=5)
    seat = created.seats[0]
    events = list(seat.events())
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert events[0].event.type == "match_started"
    assert list(seat.events(after=2)) == events[2:]
    assert list(seat.events(after=99)) == []
    monkeypatch.setattr("parlour.client.EVENTS_PAGE", 2)
    assert list(seat.events()) == events
    assert not any(isinstance(event.event, Raw) for event in events)


def test_the_lobby_page_by_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.client.PAGE", 2)
    made = [client.create("lovestruck", ["open"] * 5).match.id for _ in range(5)]
    listed = [match.id for match in client.matches(game="lovestruck", status="open", has_open_seat=True)]
    assert listed[:5] == made[::-1]
    assert len(listed) == len(set(listed))


def test_a_seat_is_taken_up_again_by_its_token(client: Client) -> None:
    created = client.create("valente", ["open", "mine"])
    held = created.seats[1]
    again = client.seat(held.match_id, held.token)
    assert (again.number, again.observe()) == (1, held.observe())
    assert client.host(created.match.id, created.host.token).fill(0).status == "playing"
    assert held.token not in repr(held)
    with pytest.raises(ValueError, match="seat token"):
        client.seat(held.match_id, created.host.token)


def test_a_clock(client: Client) -> None:
    clock = ClockRule(per_decision_s=60, bank_s=120, increment_s=5, on_expiry="default_move", takeover_after=2)
    created = client.create("valente", ["mine", NewSeat("bot", name="Robo")], clock=clock, options={"first_seat": 0})
    assert created.match.clock == clock
    assert created.match.seats[0].bank_s == 120
    decision = created.seats[0].observe().decision
    assert decision is not None
    assert decision.deadline is not None


def test_seeds() -> None:
    assert seed_hex(7) == "0" * 31 + "7"
    assert len(seed_hex(1 << 130)) == 64
    assert seed_hex("AB" * 16) == "ab" * 16
    for wrong in (-1, 1 << 256):
        with pytest.raises(ValueError, match="a seed is"):
            seed_hex(wrong)


def test_the_same_seed_deals_the_same_cards(client: Client) -> None:
    hands = [client.create("valente", ["mine", "mine"], seed=seed).seats[0].observe().view.hand for seed in (7, 7, 8)]
    assert hands[0] == hands[1] != hands[2]


def test_a_client_shared_by_threads(client: Client) -> None:
    seats = client.create("love_is_dead", ["mine"] * 4, seed=3).seats
    seen: dict[int, list[object]] = {number: [] for number in seats}

    def look(seat: Seat) -> None:
        seen[seat.number] = [seat.observe().seat for _ in range(10)]

    threads = [threading.Thread(target=look, args=(seat,)) for seat in seats.values()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {number: [number] * 10 for number in seats}


def test_a_netrc_file_does_not_replace_the_token(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    created = client.create("valente", ["mine", "open"])
    assert created.seats[0].observe().seat == 0
    assert client.spectator(created.match.id).observe().seat is None


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_a_typed_action_is_understood_whatever_its_fields(client: Client, game: AnyGame) -> None:
    """Each kind of action that turns up is sent in its typed form, lists among its fields included."""
    created = client.create(game.slug, ["mine"] * game.seats[0], seed=3)
    sent: set[str] = set()
    for step in range(250):
        seat = next((seat for seat in created.seats.values() if seat.observe().decision), None)
        if seat is None:
            break
        decision = seat.observe().decision
        assert decision is not None
        new = [each for each in decision.legal_actions if each.action.type not in sent]
        chosen = new[0] if new else decision.legal_actions[step % len(decision.legal_actions)]
        assert seat.act(chosen.action, decision=decision).applied == 1
        sent.add(chosen.action.type)
    assert len(sent) >= 5


def test_a_matchs_clock_can_be_given_to_another(client: Client) -> None:
    first = client.create("valente", ["mine", "open"], clock=ClockRule(bank_s=60, increment_s=5))
    second = client.create("valente", ["mine", "open"], clock=first.match.clock)
    assert second.match.clock == first.match.clock
    third = client.create("valente", ["mine", "open"], clock=ClockRule(per_decision_s=60))
    assert client.create("valente", ["mine", "open"], clock=third.match.clock).match.clock == third.match.clock
