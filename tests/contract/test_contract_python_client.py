"""A Python client that openapi-python-client generates from the document: nothing left out, and it plays a match."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.documented import document, operations
from tests.support import Server, run

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the generated package lies in."""
    folder = tmp_path_factory.mktemp("generated")
    command = [
        str(Path(sys.executable).parent / "openapi-python-client"), "generate", "--fail-on-warning", "--meta", "none",
        "--path", str(ROOT / "openapi" / "openapi.json"), "--output-path", str(folder / "parlour_client"),
    ]  # fmt: skip
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # it tidies up with ruff
    status, text = run(command, within_s=180, env={"PATH": path})
    assert status == 0, text
    return folder


def test_every_operation_and_every_schema_is_there(generated: Path) -> None:
    made = {path.stem for path in (generated / "parlour_client" / "api").glob("*/*.py")}
    assert made - {"__init__"} == {operation.id for operation in operations()}
    names = {path.stem.replace("_", "") for path in (generated / "parlour_client" / "models").glob("*.py")}
    objects = {name for name, schema in document()["components"]["schemas"].items() if schema.get("type") == "object"}
    assert {name.lower() for name in objects} <= names


def test_it_compiles_and_type_checks(generated: Path) -> None:
    assert run([sys.executable, "-W", "error", "-m", "compileall", "-q", str(generated)], within_s=180) == (0, "")
    parts = [str(generated / "parlour_client" / part) for part in ("api", "models")]
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(generated / "cache")]
    status, text = run([sys.executable, "-m", "mypy", *options, *parts], within_s=600, env={"MYPYPATH": str(generated)})
    assert status == 0, text


@pytest.mark.parametrize(("game", "seats"), [("valente", 3), ("love_is_dead", 2), ("lovestruck", 5)])
def test_it_plays_a_whole_match(quick_server: Server, generated: Path, game: str, seats: int) -> None:
    command = [
        sys.executable,
        str(Path(__file__).parent / "generated_client_plays.py"),
        quick_server.url,
        game,
        str(seats),
    ]
    status, text = run(command, within_s=300, env={"PYTHONPATH": str(generated)})
    assert status == 0, text
    view = "".join(part.title() for part in game.split("_")) + "View"
    assert f" acts, {view}. " in text
