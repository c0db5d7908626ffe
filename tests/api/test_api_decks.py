"""An owner's own decks: a folder of files, checked before anything starts."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from parlour_api.app import create_app
from parlour_api.catalogue import Catalogue
from parlour_api.errors import BadSetting
from parlour_api.settings import Settings
from parlour_engine.games import GAMES

from tests.api.conftest import SECRET
from tests.support import PARLOUR, run


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
    deck = house()
    deck["cards"][0]["caption"] = "A line of my own."
    put(tmp_path, "valente", "printed", deck)
    client = create_app(Settings(SECRET, redis_url, decks=tmp_path)).test_client()
    game = client.get("/v1/games/valente").json
    assert game["decks"] == ["house", "printed"]
    assert game["options_schema"]["properties"]["deck"]["enum"] == ["house", "printed"]
    body = {"game": "valente", "seats": [{"kind": "mine"}] * 2, "options": {"deck": "printed"}}
    made = client.post("/v1/matches", json=body)
    assert made.status_code == 201
    assert made.json["match"]["options"]["deck"] == "printed"


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
