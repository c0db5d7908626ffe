"""An owner's own decks: a folder of files, checked before anything starts."""

from __future__ import annotations

import json
from functools import reduce
from importlib.resources import files
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from parlour import Client
from parlour.errors import ValidationError
from parlour.narrate import Narrator
from parlour_api.app import create_app
from parlour_api.catalogue import Catalogue
from parlour_api.errors import BadSetting
from parlour_api.settings import Settings
from parlour_engine.games import GAMES
from parlour_engine.games.valente.state import Bought, HeartMoved

from tests.api.conftest import SECRET
from tests.support import PARLOUR, run, running_server


@pytest.fixture(autouse=True)
def own_shelves(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test puts on a game's shelf is gone after it: shelves belong to the process."""
    for game in GAMES:
        monkeypatch.setattr(game.decks, "_files", dict(game.decks._files))
        monkeypatch.setattr(game.decks, "_decks", dict(game.decks._decks))


def house() -> dict[str, Any]:
    text = files("parlour_engine.games").joinpath("valente", "decks", "house.json").read_text("utf-8")
    deck: dict[str, Any] = json.loads(text)
    return deck


def put(folder: Path, game: str, name: str, deck: Any) -> Path:
    path = folder / game / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(deck if isinstance(deck, str) else json.dumps(deck))
    return path


def test_a_match_can_be_played_with_an_own_deck(redis_url: str, tmp_path: Path) -> None:
    """VA-5: the owner of a physical game puts the printed values in place without touching a line of Python."""
    put(tmp_path, "valente", "printed", house() | {"heart_track": {"reach": 4}})
    client = create_app(Settings(SECRET, redis_url, decks=tmp_path)).test_client()
    game = client.get("/v1/games/valente").json
    assert game["decks"] == ["house", "printed"]
    assert game["options_schema"]["properties"]["deck"]["enum"] == ["house", "printed"]
    body = {"game": "valente", "seats": [{"kind": "mine"}] * 2, "options": {"deck": "printed"}}
    made = client.post("/v1/matches", json=body)
    assert made.status_code == 201
    assert made.json["match"]["options"]["deck"] == "printed"


@pytest.mark.parametrize(
    ("game", "printed", "shown", "values"),
    [
        ("valente", {'"reach": 5': '"reach": 4'}, ["heart_track", "dama"], (5, 4)),
        ("love_is_dead", {"Barry Alive": "Barry Undead"}, ["boos", 0, "name"], ("Barry Alive", "Barry Undead")),
        ("lovestruck", {'"love": 42': '"love": 40', '"drama": 36': '"drama": 38'}, ["cards", 0, "count"], (42, 40)),
    ],
)
def test_the_cards_of_every_deck_are_served(
    redis_url: str, tmp_path: Path, game: str, printed: dict[str, str], shown: list[Any], values: tuple[Any, Any]
) -> None:
    """VA-5, LD-3, LS-2: a frontend draws a match with the cards that the match is played with."""
    text = files("parlour_engine.games").joinpath(game, "decks", "house.json").read_text("utf-8")
    for old, new in printed.items():
        text = text.replace(old, new)
    put(tmp_path, game, "mine", text)
    client = create_app(Settings(SECRET, redis_url, decks=tmp_path)).test_client()
    page = f"/v1/games/{game}"
    for deck, value in zip(("house", "mine"), values, strict=True):
        answer = client.get(f"{page}?deck={deck}").json
        assert answer["deck"] == deck
        assert reduce(getitem, shown, answer["data"]) == value
    assert client.get(page).json == client.get(f"{page}?deck=house").json
    wrong = client.get(f"{page}?deck=lost")
    assert (wrong.status_code, wrong.json["code"]) == (422, "validation_error")
    assert wrong.json["errors"] == [{"pointer": "/deck", "detail": "no deck 'lost'; there are: house, mine"}]


def test_an_own_deck_is_served_and_told(tmp_path: Path) -> None:
    """VA-2, VA-5: its cards in its words, and its track as long as it is, over HTTP and by the narrator."""
    deck = house() | {"heart_track": {"reach": 4}}
    deck["cards"][0]["caption"] = "A line of my own."
    put(tmp_path, "valente", "printed", deck)
    with running_server(env={"PARLOUR_DECKS": str(tmp_path)}) as server, Client(server.url) as client:
        made = client.create("valente", ["mine", "mine"], options={"deck": "printed"})
        game = client.game("valente", made.match.options["deck"])
        assert game.data["heart_track"] == {"princesa": -4, "dama": 4}
        assert game.data["cards"][0]["caption"] == "A line of my own."
        tell = Narrator(["Ada", "Bo"], game).tell
        assert tell(Bought(0, "discard", 1)) == ["Ada buys from the discard: “A line of my own.”."]
        assert tell(HeartMoved(0, "dama", 1, 4)) == ["The heart moves:  Princesa ········♥ Dama"]
        house_deck = client.game("valente")
        assert (house_deck.deck, house_deck.data["heart_track"]["dama"]) == ("house", 5)
        with pytest.raises(ValidationError, match="there are: house, printed"):
            client.game("valente", "lost")


@pytest.mark.parametrize(
    ("game", "deck", "says"),
    [
        ("valente", "{", "printed.json"),
        ("valente", [], "one JSON object"),
        ("valente", {}, "printed.json"),
        ("chess", {}, "no game's id"),
    ],
)
def test_a_deck_that_cannot_be_used_names_file_and_reason(tmp_path: Path, game: str, deck: Any, says: str) -> None:
    put(tmp_path, game, "printed", deck)
    with pytest.raises(BadSetting, match=says):
        Catalogue(decks=tmp_path)


def test_serve_says_so_before_it_starts_anything(tmp_path: Path) -> None:
    put(tmp_path / "decks", "valente", "printed", {"cards": []})
    command = [*PARLOUR, "serve", "--port", "0", "--data-dir", str(tmp_path / "data")]
    status, said = run(command, env={"PARLOUR_DECKS": str(tmp_path / "decks")})
    assert status == 1
    assert "PARLOUR_DECKS holds a deck that cannot be used: printed.json" in said
    assert "Traceback" not in said
