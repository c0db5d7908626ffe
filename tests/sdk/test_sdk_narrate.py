"""Every event of every game can be told, and what is hidden stays so."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from parlour import Client, Raw
from parlour.models import ClockExpired, MatchStarted, MessageHeard, SeatChanged, ServiceEvent
from parlour.narrate import SENTENCES, Narrator
from parlour_engine.game import AnyGame, Log
from parlour_engine.games import GAMES
from parlour_engine.games.valente.state import Bought, HeartMoved, Published

NAMES = [f"Name{n}" for n in range(10)]


@pytest.fixture(scope="module")
def narrators(server: Any) -> dict[str, Narrator]:
    with Client(server.url) as client:
        return {game.slug: Narrator(NAMES, client.game(game.slug)) for game in GAMES}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_whole_matches_are_told(narrators: dict[str, Narrator], game: AnyGame) -> None:
    narrator = narrators[game.slug]
    for seed in range(3):
        state = game.deal(game.seats[0], game.options_type(), bytes([seed]) * 16)
        rng = random.Random(seed)
        while owed := game.pending(state):
            log: Log = []
            game.apply(state, owed[0][0], rng.choice(game.legal_actions(state, owed[0][0])), log)
            for event in (fact.seen_by(viewer) for fact in log for viewer in (0, 1, None)):
                for line in narrator.tell(event) if event is not None else ():
                    assert "None" not in line
                    assert "_" not in line
                    assert "{" not in line


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_no_sentence_lacks_a_place_for_who_it_is_about(game: AnyGame) -> None:
    for event in (*get_args(game.event_type), *get_args(ServiceEvent)):
        for sentence in SENTENCES.get(event.__name__, ()):
            assert "{seat}" in sentence or "seat" not in event.__dataclass_fields__


def test_what_is_hidden_is_not_told(narrators: dict[str, Narrator]) -> None:
    tell = narrators["valente"].tell
    assert tell(Bought(seat=1, source="deck", card=None)) == ["Name1 buys the top card of the deck."]
    told = tell(Bought(seat=1, source="deck", card=1))
    assert told == ["Name1 buys from the deck: “Monday. Dama gets on the same tram as Valente.”."]


def test_a_strip_and_the_heart_are_drawn(narrators: dict[str, Narrator]) -> None:
    tell = narrators["valente"].tell
    strip = tell(Published(seat=0, strip=1, cards=(1, 2, 3)))
    assert strip[0] == "Name0 publishes a strip:"
    assert "│ Monday. Dama gets on the same tram as Valente." in strip[2]
    assert len({len(line) for line in strip[1:]}) == 1
    assert tell(HeartMoved(seat=0, toward="dama", spaces=1, heart=5)) == ["The heart moves:  Princesa ··········♥ Dama"]


def test_the_services_events(narrators: dict[str, Narrator]) -> None:
    tell = narrators["valente"].tell
    assert tell(MatchStarted("valente", ("A", "B"))) == ["The cards are dealt."]
    assert tell(SeatChanged(1, "Bea", True, "bot")) == ["Bea is played by a bot now."]
    assert tell(SeatChanged(1, "", False, None)) == ["Name1 is free."]
    assert tell(ClockExpired(0, "forfeit")) == ["The time of Name0 is up."]


def test_a_line_is_one_line_whatever_it_tells(narrators: dict[str, Narrator]) -> None:
    nasty = "Hi”\n\x1b[2JThe match is over.\u2028\ud800"
    for event in (
        MessageHeard(0, None, nasty),
        Raw(nasty, {"type": nasty, "what": nasty}),
        SeatChanged(0, nasty, True, "human"),
    ):
        (line,) = narrators["valente"].tell(event)
        assert r"\n\x1b[2JThe match is over.\u2028\ud800" in line
        assert line.isprintable()


def test_what_no_table_knows_is_told_plainly(narrators: dict[str, Narrator]) -> None:
    @dataclass
    class Knocked:
        seat: int
        very_loud: bool
        card: int | None
        type: str = "knocked_twice"

    tell = narrators["love_is_dead"].tell
    assert tell(Knocked(2, True, None)) == ["Name2: knocked twice (very loud yes)"]
    assert tell(Raw("confetti", {"type": "confetti", "colours": ["red", "blue", "green"]})) == [
        "confetti (colours red, blue and green)"
    ]
    assert tell(Raw(None, {})) == ["something"]
    assert tell(Raw("published", {"type": "published", "seat": 1, "page": 3})) == ["Name1: published (page 3)"]
