"""examples/verify.mjs: the shuffle can be checked in another language, with nothing of ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from parlour import Client, choose_random, play

from tests.node import node
from tests.support import Server

ROOT = Path(__file__).parent.parent.parent
VERIFY = ROOT / "examples" / "verify.mjs"
VECTORS = ROOT / "tests" / "engine" / "chance_vectors.json"


def check(data: Any, folder: Path) -> tuple[int, str]:
    """What the script says of this JSON."""
    path = folder / "data.json"
    path.write_text(json.dumps(data), "utf-8")
    return node(VERIFY, path)


def played(url: str, seed: int | None = None) -> dict[str, Any]:
    """The replay of a match that ends at once; with entropy of one seat of two unless its seed is given."""
    with Client(url) as client:
        created = client.create("valente", ["mine", "mine"], start="manual", seed=seed)
        if seed is None:
            created.seats[0].give_entropy("0f" * 16)
        created.host.start()
        created.seats[1].leave()
        play(created.seats[0], choose_random(1))
        answer = requests.get(f"{url}/v1/matches/{created.match.id}/replay", timeout=120)
    replay: dict[str, Any] = answer.json()
    assert replay["status"] == "finished"
    return replay


@pytest.fixture(scope="module")
def replay(server: Server) -> dict[str, Any]:
    return played(server.url)


def test_it_gives_the_golden_numbers(tmp_path: Path) -> None:
    vectors = json.loads(VECTORS.read_text("utf-8"))
    assert check(vectors, tmp_path) == (0, f"{len(vectors['vectors'])} golden vectors come out the same\n")


@pytest.mark.parametrize("part", ["words", "below", "drawn_after_below", "shuffles"])
def test_it_finds_a_wrong_number(tmp_path: Path, part: str) -> None:
    vectors = json.loads(VECTORS.read_text("utf-8"))
    wrong = vectors["vectors"][1]
    if part == "drawn_after_below":
        wrong[part] += 1
    elif part == "shuffles":
        wrong[part][0]["order"].reverse()
    else:
        wrong[part].reverse()
    status, text = check(vectors, tmp_path)
    assert status == 1
    assert f"WRONG: {part} of seed {wrong['seed']}" in text


def test_a_real_replay(replay: dict[str, Any], tmp_path: Path) -> None:
    assert replay["entropies"] == ["0f" * 16, None]
    assert check(replay, tmp_path) == (0, "the seed is the one that was promised\n")


def test_a_match_with_a_seed_that_was_given(server: Server, tmp_path: Path) -> None:
    given = played(server.url, seed=3)
    assert given["commitment"] is None
    assert check(given, tmp_path)[0] == 0


@pytest.mark.parametrize(
    ("lie", "found"),
    [
        (lambda replay: {**replay, "server_seed": "00" * 32}, "not the one that it committed to"),
        (lambda replay: {**replay, "commitment": "00" * 32}, "not the one that it committed to"),
        (lambda replay: {**replay, "seed": "00" * 32}, "does not follow"),
        (lambda replay: {**replay, "entropies": [None, "0f" * 16]}, "does not follow"),
        (lambda replay: {**replay, "server_seed": None}, "does not show it"),
        (
            lambda replay: {**replay, "server_seed": None, "commitment": None, "open_seed": True},
            "seats gave entropy, and the seed was given without it",
        ),
    ],
)
def test_a_lie_is_found(
    replay: dict[str, Any], tmp_path: Path, lie: Callable[[dict[str, Any]], dict[str, Any]], found: str
) -> None:
    status, text = check(lie(replay), tmp_path)
    assert status == 1
    assert found in text


@pytest.mark.parametrize(
    "data",
    [None, 7, "kitten", [], {}, {"server_seed": None}, {"code": "match_running", "request_id": "x"}, {"vectors": [{}]},
     {"vectors": 7}, {"items": []}],
)  # fmt: skip
def test_what_is_no_replay_is_said_to_be_none(tmp_path: Path, data: Any) -> None:
    status, text = check(data, tmp_path)
    assert status == 2, text
    assert text.startswith(f"cannot check {tmp_path / 'data.json'}: ")
    assert len(text.splitlines()) == 1


def test_a_replay_without_one_of_its_parts_is_none(replay: dict[str, Any], tmp_path: Path) -> None:
    for part in ("server_seed", "entropies", "seed", "commitment"):
        status, text = check({name: value for name, value in replay.items() if name != part}, tmp_path)
        assert (status, "neither a replay nor the golden vectors" in text) == (2, True), part


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html>\n<body>\n", "utf-8")
    for name, why in (("page.html", "JSON"), ("nowhere.json", "no such file")):
        status, text = node(VERIFY, tmp_path / name)
        assert status == 2
        assert why in text
        assert len(text.splitlines()) == 1
