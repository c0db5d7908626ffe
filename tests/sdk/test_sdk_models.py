"""What the server sends becomes the games' own types, and what nobody knows yet is kept."""

from __future__ import annotations

import json
import random
from typing import Any

import orjson
import pytest
from parlour import Raw, UnexpectedAnswer
from parlour.models import MatchFinished, Observation, decode, read_events, read_observation
from parlour_engine.game import AnyGame, Log
from parlour_engine.games import GAMES

STATES = 60


def plain(what: Any) -> Any:
    return json.loads(orjson.dumps(what))


def observation(game: AnyGame, view: Any, legal: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """An observation as it stands on the wire."""
    decision = {"id": "dec_a_0_0", "kind": "k", "prompt": "p", "deadline": None, "legal_actions": legal}
    return {
        "match": "mat_a", "game": game.slug, "game_version": game.version, "version": 3, "status": "playing", "seat": 0,
        "awaiting": [{"seat": 0, "since": "2026-11-30T07:00:00.000Z", "deadline": None, "on_expiry": None}],
        "decision": decision if legal else None, "view": view, "outcome": None,
    }  # fmt: skip


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_views_actions_and_events_come_back_as_the_games_own(game: AnyGame) -> None:
    seats = game.seats[0]
    state = game.deal(seats, game.options_type(), b"sdk models seed!")
    rng = random.Random(1)
    for _ in range(STATES):
        owed = game.pending(state)
        if not owed:
            break
        seat = owed[0][0]
        view = game.observe(state, seat)
        legal = game.legal_actions(state, seat)
        actions = [game.actions(seats)[number] for number in legal]
        raw = [
            {"id": number, **plain(action), "label": game.label(view, number)}
            for number, action in zip(legal, actions, strict=True)
        ]
        seen = read_observation(observation(game, plain(view), raw))
        assert seen.view == view
        assert seen.decision is not None
        assert [one.action for one in seen.decision.legal_actions] == actions
        assert [one.id for one in seen.decision.legal_actions] == list(legal)
        log: Log = []
        game.apply(state, seat, rng.choice(legal), log)
        events = [fact.seen_by(seat) for fact in log if fact.seen_by(seat) is not None]
        rows = [
            {"seq": n, "version": 1, "at": "2026-11-30T07:00:00Z", "event": plain(e)} for n, e in enumerate(events, 1)
        ]
        assert [row.event for row in read_events(game.slug, rows)] == events


def test_fields_of_a_newer_server_are_left_out() -> None:
    game = GAMES[0]
    state = game.deal(2, game.options_type(), b"sdk models seed!")
    raw = observation(game, plain(game.observe(state, 0)) | {"weather": "rain"}) | {"mood": "good"}
    assert read_observation(raw).view == game.observe(state, 0)


def test_a_game_that_the_sdk_does_not_have_is_kept_raw() -> None:
    game = GAMES[0]
    legal = [{"id": 4, "type": "knock", "loud": True, "label": "Knock"}]
    raw = observation(game, {"table": 1}, legal) | {"game": "go_fish"}
    seen = read_observation(raw)
    assert seen.view == Raw(None, {"table": 1})
    assert seen.decision is not None
    assert seen.decision.legal_actions[0].action == Raw("knock", {"type": "knock", "loud": True})


def test_a_view_of_other_rules_is_kept_raw() -> None:
    seen = read_observation(observation(GAMES[0], {"only": "this"}) | {"game_version": "99"})
    assert seen.view == Raw(None, {"only": "this"})


def test_unknown_events_are_kept_raw_and_do_not_hide_the_others() -> None:
    at = "2026-11-30T07:00:00Z"
    rows = [
        {"seq": 1, "version": 1, "at": at, "event": {"type": "confetti", "seat": 0}},
        {"seq": 2, "version": 1, "at": at, "event": {"type": "match_finished", "winners": [1], "reason": "time"}},
    ]
    first, second = read_events("valente", rows)
    assert first.event == Raw("confetti", {"type": "confetti", "seat": 0})
    assert second.event == MatchFinished((1,), "time")


@pytest.mark.parametrize("raw", [None, [], "x", {}, {"match": 3}])
def test_an_answer_that_is_none_is_said_to_be_none(raw: Any) -> None:
    with pytest.raises(UnexpectedAnswer, match="no Observation"):
        read_observation(raw)


def test_decode_names_what_does_not_fit() -> None:
    with pytest.raises(UnexpectedAnswer, match="match"):
        decode(Observation, {})
