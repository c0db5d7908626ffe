"""The engine's own parts: chance, decks on a shelf, options, the catalogue."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parlour_engine import games
from parlour_engine.chance import below, bot_seed, shuffle
from parlour_engine.check import seed_of
from parlour_engine.data import Shelf
from parlour_engine.errors import BadData, BadOption, EngineError, GameNotFound, StateUnreadable
from parlour_engine.game import AnyGame, Fact, Pending, owed_by
from parlour_engine.games import GAMES, find
from parlour_engine.options import parse_options

VECTORS = json.loads((Path(__file__).parent / "chance_vectors.json").read_text(encoding="utf-8"))["vectors"]


@dataclass
class Stream:
    seed: bytes
    drawn: int = 0


# Chance


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["seed"][:8])
def test_CM_3_chance_gives_the_golden_numbers(vector: dict[str, Any]) -> None:
    seed = bytes.fromhex(vector["seed"])
    stream = Stream(seed)
    assert [below(stream, 1 << 32) for _ in vector["words"]] == vector["words"]
    stream = Stream(seed)
    assert [[n, below(stream, n)] for n, _ in vector["below"]] == vector["below"]
    assert stream.drawn == vector["drawn_after_below"]
    stream = Stream(seed)
    for told in vector["shuffles"]:
        cards = list(range(told["cards"]))
        shuffle(stream, cards)
        assert (cards, stream.drawn) == (told["order"], told["drawn_after"])
    for told in vector["bot_seeds"]:
        assert bot_seed(seed, told["seat"], told["number"]) == int(told["seed"], 16)


def test_CM_3_the_golden_numbers_reach_words_that_are_thrown_away() -> None:
    assert any(vector["drawn_after_below"] > len(vector["below"]) for vector in VECTORS)


@settings(deadline=None, derandomize=True, database=None)
@given(st.binary(min_size=16, max_size=40), st.integers(0, 200), st.integers(0, 60))
def test_CM_3_a_shuffle_draws_one_number_per_card_from_the_last(seed: bytes, drawn: int, count: int) -> None:
    stream, other = Stream(seed, drawn), Stream(seed, drawn)
    cards, expected = list(range(count)), list(range(count))
    shuffle(stream, cards)
    for last in range(count - 1, 0, -1):
        j = below(other, last + 1)
        expected[last], expected[j] = expected[j], expected[last]
    assert (cards, stream.drawn) == (expected, other.drawn)


@pytest.mark.parametrize("count", [41, 56, 65])
def test_CM_3_a_shuffle_throws_a_word_away_as_a_single_draw_does(count: int) -> None:
    rare = 5631664  # of this stream, the word 2**32 - 26
    start = rare - (65 - count)
    stream, other = Stream(bytes(range(16)), start), Stream(bytes(range(16)), start)
    cards, expected = list(range(65)), list(range(65))
    shuffle(stream, cards)
    for last in range(64, 0, -1):
        j = below(other, last + 1)
        expected[last], expected[j] = expected[j], expected[last]
    assert (cards, stream.drawn) == (expected, other.drawn)
    assert stream.drawn == start + 64 + 1


def test_every_number_is_equally_likely() -> None:
    stream = Stream(seed_of(1))
    came = Counter(below(stream, 7) for _ in range(7000))
    assert set(came) == set(range(7))
    assert max(came.values()) < 1150
    orders = Counter()
    for _ in range(6000):
        cards = [0, 1, 2]
        shuffle(stream, cards)
        orders[tuple(cards)] += 1
    assert len(orders) == 6
    assert max(orders.values()) < 1150


def test_bots_draw_from_a_stream_of_their_own() -> None:
    seeds = {bot_seed(seed_of(each), seat, number) for each in range(3) for seat in range(3) for number in range(3)}
    assert len(seeds) == 27


# Decks


def _parse(name: str, digest: str, data: Mapping[str, Any]) -> tuple[str, str, int]:
    if type(data.get("cards")) is not int:
        raise BadData(f"{name}.json", "cards", "must be a whole number")
    return name, digest, data["cards"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "plain.json").write_text('{"cards": 3}', encoding="utf-8")
    (tmp_path / "house" / "broken.json").write_text('{"cards": "many"}', encoding="utf-8")
    (tmp_path / "house" / "torn.json").write_text('{"cards": ', encoding="utf-8")
    (tmp_path / "house" / "list.json").write_text("[1]", encoding="utf-8")
    return tmp_path / "house"


def test_a_shelf_reads_a_deck_when_it_is_first_used(folder: Path) -> None:
    shelf = Shelf(folder, _parse)
    assert shelf.names() == ("broken", "list", "plain", "torn")
    name, digest, cards = shelf["plain"]
    assert (name, len(digest), cards) == ("plain", 16, 3)
    assert shelf["plain"] is shelf["plain"]


@pytest.mark.parametrize(("name", "key"), [("broken", "cards"), ("torn", "(file)"), ("list", "(file)")])
def test_a_bad_deck_names_file_key_and_reason(folder: Path, name: str, key: str) -> None:
    with pytest.raises(BadData) as refused:
        Shelf(folder, _parse)[name]
    assert (refused.value.file, refused.value.key) == (f"{name}.json", key)
    assert str(refused.value) == f"{name}.json: {key}: {refused.value.reason}"


def test_an_unknown_deck_is_a_bad_option(folder: Path) -> None:
    with pytest.raises(BadOption, match="deck: no deck 'printed'; there are: broken, list, plain, torn"):
        Shelf(folder, _parse)["printed"]


def test_an_owners_deck_is_read_at_once_and_again_when_it_is_added_again(folder: Path, tmp_path: Path) -> None:
    shelf = Shelf(folder, _parse)
    own = tmp_path / "own.json"
    own.write_text('{"cards": 5}', encoding="utf-8")
    first = shelf.add(own)
    assert first[2] == 5
    assert "own" in shelf.names()
    own.write_text('{"cards": 6}', encoding="utf-8")
    second = shelf.add(own)
    assert second[2] == shelf["own"][2] == 6
    assert first[1] != second[1], "an edited deck has another digest"
    own.write_text("{}", encoding="utf-8")
    with pytest.raises(BadData):
        shelf.add(own)


def test_a_deck_that_is_not_there_is_bad_data(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"lost\.json"):
        Shelf(folder, _parse).add(tmp_path / "lost.json")


# Options


@dataclass(frozen=True)
class Choices:
    deck: str = "house"
    time: bool = True
    fewest: Literal[1, 2] = 2
    first_seat: int | None = None
    roles: tuple[str, ...] = ()


def test_options_left_out_have_their_defaults() -> None:
    assert parse_options(Choices, {}) == Choices()
    raw = {"time": False, "fewest": 1, "first_seat": 3, "deck": "own", "roles": ["a", "b"]}
    assert parse_options(Choices, raw) == Choices("own", False, 1, 3, ("a", "b"))
    assert parse_options(Choices, {"first_seat": None}) == Choices()


@pytest.mark.parametrize(
    ("raw", "name", "words"),
    [
        ({"pace": 3}, "pace", "no such option; there are: deck, fewest, first_seat, roles, time"),
        ({"time": 1}, "time", "must be true or false"),
        ({"time": "true"}, "time", "must be true or false"),
        ({"time": None}, "time", "must be true or false"),
        ({"fewest": 3}, "fewest", "must be one of 1, 2"),
        ({"fewest": True}, "fewest", "must be one of 1, 2"),
        ({"fewest": 1.0}, "fewest", "must be one of 1, 2"),
        ({"first_seat": "0"}, "first_seat", "must be a whole number or null"),
        ({"first_seat": False}, "first_seat", "must be a whole number or null"),
        ({"first_seat": 0.0}, "first_seat", "must be a whole number or null"),
        ({"deck": 3}, "deck", "must be a string"),
        ({"roles": "ab"}, "roles", "must be a list, each a string"),
        ({"roles": [1]}, "roles", "must be a list, each a string"),
    ],
)
def test_options_are_read_strictly(raw: dict[str, Any], name: str, words: str) -> None:
    with pytest.raises(BadOption) as refused:
        parse_options(Choices, raw)
    assert (refused.value.name, refused.value.message) == (name, words)


# The catalogue


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_a_games_record_holds_together(game: AnyGame) -> None:
    assert find(game.slug) is game
    assert game.slug.isidentifier()
    assert game.seats[0] >= 2
    assert len({kind.name for kind in game.kinds}) == len(game.kinds)
    assert {bot.id for bot in game.bots} >= {"random", "greedy"}
    options = game.options_type()
    assert parse_options(
        game.options_type, {field.name: getattr(options, field.name) for field in fields(options)}
    ) == (options)
    assert json.loads(json.dumps(game.public_data(options))) == game.public_data(options)
    for seats in game.seats:
        game.check_options(seats, options)
        assert game.actions(seats) is game.actions(seats)
        assert len(set(game.actions(seats))) == len(game.actions(seats))


def test_the_catalogue_has_no_other_games() -> None:
    assert len({game.slug for game in GAMES}) == len(GAMES)
    with pytest.raises(GameNotFound, match="no game 'whist'; there are: "):
        find("whist")
    folders = {path.parent.name for path in Path(games.__file__).parent.glob("*/__init__.py")}
    assert folders == {game.slug for game in GAMES}, "a game's folder and its entry go together"


def test_errors_are_one_tree() -> None:
    for error in (BadOption("a", "b"), BadData("a", "b", "c"), GameNotFound(), StateUnreadable()):
        assert isinstance(error, EngineError)


def test_a_fact_is_seen_by_each_as_told() -> None:
    fact = Fact("a card", ((1, "the ace"), (2, None)))
    assert [fact.seen_by(viewer) for viewer in (0, 1, 2, None)] == ["a card", "the ace", None, "a card"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_a_seat_owes_what_is_pending(game: AnyGame) -> None:
    state = game.deal(game.seats[0], game.options_type(), seed_of(1))
    owed = {entry[0]: Pending(*entry) for entry in game.pending(state)}
    assert owed
    for seat in range(game.seats[0]):
        assert owed_by(game, state, seat) == owed.get(seat)
        assert bool(game.legal_actions(state, seat)) == (seat in owed)
