"""After the end everything can be checked: the commitment, the seed, every card, every view."""

from __future__ import annotations

import random
from hashlib import sha256
from hmac import digest
from typing import Any

import orjson
import pytest
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES, find

from tests.api.conftest import Api

E0, E1 = "01" * 16, "ab" * 32


def play(api: Api, made: dict[str, Any], seed: int = 1) -> dict[tuple[int | None, int], Any]:
    """Play a match at random to its end; every view that anybody saw, by (seat, version)."""
    rng = random.Random(seed)
    seen: dict[tuple[int | None, int], Any] = {}
    while True:
        match = api.get(f"/v1/matches/{made['id']}").json
        for who in (*made["tokens"], None):
            observed = api.observe(made, who)
            seen[who, observed["version"]] = observed["view"]
        if match["status"] != "playing":
            return seen
        seat = rng.choice(match["awaiting"])["seat"]
        legal = api.observe(made, seat)["decision"]["legal_actions"]
        assert api.act(made, seat, [{"id": rng.choice(legal)["id"]}]).status_code == 200


@pytest.mark.parametrize("game", [pytest.param(game, id=game.slug) for game in GAMES])
def test_a_replay_holds_every_view_of_every_seat(api: Api, game: AnyGame) -> None:
    """CM-3: seed and actions give the match again, byte for byte."""
    made = api.create("m" * game.seats[0], game=game.slug, options={})
    path = f"/v1/matches/{made['id']}/replay"
    running = api.get(path)
    assert (running.status_code, running.json["code"]) == (409, "match_running")
    seen = play(api, made)
    rng = random.Random(2)
    for (who, version), view in rng.sample(sorted(seen.items(), key=str), 12):
        query = f"?version={version}" + ("" if who is None else f"&seat={who}")
        assert api.get(path + query).json["view"] == view
    replay = api.get(path).json
    state = game.deal(game.seats[0], game.options_type(), bytes.fromhex(replay["seed"]))
    for entry in replay["actions"]:
        assert entry["action"] in game.legal_actions(state, entry["seat"])
        game.apply(state, entry["seat"], entry["action"], None)
    outcome = game.outcome(state)
    assert outcome is not None
    assert replay["outcome"]["winners"] == list(outcome.winners)
    assert api.get(f"{path}?version=0").json["view"] is None
    assert api.get(f"{path}?seat=0").json["code"] == "validation_error"
    assert api.get(f"{path}?seat=0&version=99999").json["code"] == "validation_error"
    assert api.get(f"{path}?seat=19&version=3").json["code"] == "validation_error"


def test_the_commitment_is_shown_before_and_holds_after(api: Api) -> None:
    made = api.create("mm", start="manual")
    path = f"/v1/matches/{made['id']}"
    commitment = made["match"]["commitment"]
    for seat, entropy in ((0, E0), (1, E0), (1, E1)):
        answer = api.post(f"{path}/entropy", {"entropy": entropy}, made["tokens"][seat])
        assert answer.json["seats"][seat]["entropy_given"] is True
        assert entropy not in answer.text
    api.post(f"{path}/start", token=made["host_token"])
    assert api.post(f"{path}/entropy", {"entropy": E0}, made["tokens"][0]).json["code"] == "match_started"
    play(api, made)
    replay = api.get(f"{path}/replay").json
    server_seed = bytes.fromhex(replay["server_seed"])
    assert sha256(server_seed).hexdigest() == commitment == replay["commitment"]
    assert replay["entropies"] == [E0, E1]
    assert replay["seed"] == digest(server_seed, orjson.dumps([E0, E1]), sha256).hex()


def test_awaited_entropy_holds_the_start(api: Api) -> None:
    made = api.create("mob", entropy="awaited")
    path = f"/v1/matches/{made['id']}"
    token = api.post(f"{path}/join").json["token"]
    assert api.get(path).json["status"] == "open"
    assert api.post(f"{path}/start", token=made["host_token"]).json["code"] == "entropy_awaited"
    api.post(f"{path}/entropy", {"entropy": E0}, made["tokens"][0])
    assert api.post(f"{path}/entropy", {"entropy": E1}, token).json["status"] == "playing"


@pytest.mark.parametrize("way", ["leave", "open", "bot"])
def test_freeing_a_seat_forgets_its_entropy(api: Api, way: str) -> None:
    """Whoever sits there next has given none, and none of it is in the seed."""
    made = api.create("mo", entropy="awaited", start="manual")
    path = f"/v1/matches/{made['id']}"
    api.post(f"{path}/entropy", {"entropy": E0}, made["tokens"][0])
    if way == "leave":
        freed = api.post(f"{path}/leave", token=made["tokens"][0])
    else:
        freed = api.put(f"{path}/seats/0", {"kind": way}, made["host_token"])
    assert freed.json["seats"][0]["entropy_given"] is False
    while (joined := api.post(f"{path}/join")).status_code == 200:
        token, seat = joined.json["token"], joined.json["seat"]
        assert joined.json["match"]["seats"][seat]["entropy_given"] is False
    if way != "bot":
        assert api.post(f"{path}/start", token=made["host_token"]).json["code"] == "entropy_awaited"
    api.post(f"{path}/entropy", {"entropy": E1}, token)
    api.post(f"{path}/cancel", token=made["host_token"])
    assert api.get(f"{path}/replay").json["entropies"] == [E1 if number == seat else None for number in range(2)]


@pytest.mark.parametrize("entropy", ["", "xyz", "ab", "AB" * 16, "ab" * 33, 7, None])
def test_entropy_that_is_none(api: Api, entropy: Any) -> None:
    made = api.create("mo")
    answer = api.post(f"/v1/matches/{made['id']}/entropy", {"entropy": entropy}, made["tokens"][0])
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")


def test_a_given_seed_takes_no_entropy_and_commits_to_nothing(api: Api) -> None:
    made = api.create("mo", seed="cd" * 16)
    assert made["match"]["commitment"] is None
    path = f"/v1/matches/{made['id']}"
    answer = api.post(f"{path}/entropy", {"entropy": E0}, made["tokens"][0])
    assert (answer.status_code, answer.json["code"]) == (422, "seed_given")
    api.post(f"{path}/cancel", token=made["host_token"])
    replay = api.get(f"{path}/replay").json
    assert (replay["seed"], replay["server_seed"], replay["actions"]) == ("cd" * 16, None, [])


def test_a_replay_tells_who_forfeited(api: Api) -> None:
    """CM-12: a forfeit stands in the replay as an action that is null."""
    made = api.create("mmm", clock={"per_decision_s": 5, "on_expiry": "forfeit"})
    api.clock.forward(5)
    api.service.acting.expire(made["id"])
    seen = play(api, made)
    path = f"/v1/matches/{made['id']}/replay"
    replay = api.get(path).json
    assert {"seat": 0, "action": None}.items() <= replay["actions"][0].items()
    for (who, version), view in random.Random(3).sample(sorted(seen.items(), key=str), 8):
        query = f"?version={version}" + ("" if who is None else f"&seat={who}")
        assert api.get(path + query).json["view"] == view
    game = find("valente")
    state = game.deal(3, game.options_type(first_seat=0), bytes.fromhex(replay["seed"]))
    for entry in replay["actions"]:
        if entry["action"] is None:
            game.forfeit(state, entry["seat"], None)
        else:
            game.apply(state, entry["seat"], entry["action"], None)
    assert game.outcome(state) is not None


def test_a_private_replay_needs_a_token_of_the_match(api: Api) -> None:
    made = api.create("mb", visibility="private")
    api.post(f"/v1/matches/{made['id']}/cancel", token=made["host_token"])
    path = f"/v1/matches/{made['id']}/replay"
    assert api.get(path).status_code == 404
    assert api.get(path, made["tokens"][0]).status_code == 200
