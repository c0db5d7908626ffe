"""A TypeScript client over generated types: the types are up to date, the example type-checks and plays to the end."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.node import NPM, ROOT, TYPES, TYPESCRIPT, node, packages, types
from tests.support import Server


def checked(project: Path) -> tuple[int, str]:
    """What the TypeScript compiler says of a project."""
    return node(packages() / "typescript" / "bin" / "tsc", "-p", project)


def test_the_committed_types_are_those_of_the_document() -> None:
    assert TYPES.read_text("utf-8") == types(ROOT / "openapi" / "openapi.json"), "run: make openapi"


def test_the_example_type_checks() -> None:
    assert checked(TYPESCRIPT) == (0, "")


def test_installing_its_packages_leaves_no_lock_file(tmp_path: Path) -> None:
    """Lock files name a registry, and are none of this repository's."""
    shutil.copy(TYPESCRIPT / ".npmrc", tmp_path)
    (tmp_path / "package.json").write_text('{"private": true}', "utf-8")
    status, text = node(NPM, "install", "--offline", "--prefix", tmp_path)
    assert status == 0, text
    assert not (tmp_path / "package-lock.json").exists()


WRONG = {
    "seen.decision.id": "seen.decision.number",
    '"stale_decision"': '"stale_decisions"',
    "acted.error.observation": "acted.error.checks",
    "seen.version, wait: 30": 'seen.version, wait: "30"',
    'kind: "mine"': 'kind: "ours"',
    "/v1/matches/{match_id}/actions": "/v1/matches/{match_id}/act",
}


def test_a_program_that_does_not_fit_the_document_is_refused(tmp_path: Path) -> None:
    """Variants of the example, each with one thing that the document does not have, in one project."""
    project = tmp_path / "examples" / "typescript"
    shutil.copytree(TYPESCRIPT, project, ignore=shutil.ignore_patterns("node_modules"))
    (project / "node_modules").symlink_to(packages())
    (tmp_path / "openapi").mkdir()
    shutil.copy(TYPES, tmp_path / "openapi")
    program = (project / "play.ts").read_text("utf-8")
    for number, (right, wrong) in enumerate(WRONG.items()):
        assert right in program
        (project / f"wrong{number}.ts").write_text(program.replace(right, wrong), "utf-8")
    status, text = checked(project)
    assert status != 0
    assert set(re.findall(r"(\w+\.ts)\(", text)) == {f"wrong{number}.ts" for number in range(len(WRONG))}


@pytest.mark.parametrize(("game", "seats"), [("valente", 3), ("love_is_dead", 2), ("lovestruck", 5)])
def test_it_plays_a_whole_match(quick_server: Server, game: str, seats: int) -> None:
    packages()
    status, text = node(TYPESCRIPT / "play.ts", quick_server.url, game, str(seats))
    assert status == 0, text
    assert text.startswith(f"{game}: "), text
