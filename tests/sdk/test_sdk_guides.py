"""The guides are true: the code of each page runs from top to bottom, as it stands, against a real server."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.node import node
from tests.support import API_KEY, Server, run, running_server

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
ADDRESS = "http://127.0.0.1:8080"


def code(page: str, language: str) -> str:
    """All blocks of a language on a page, one after the other."""
    text = (DOCS / page).read_text("utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found, page
    return "\n".join(found)


def test_the_guide_for_bots_runs(server: Server) -> None:
    text = code("bots.md", "python")
    assert ADDRESS in text
    status, printed = run([sys.executable, "-W", "error", "-c", text.replace(ADDRESS, server.url)])
    assert status == 0, printed
    assert "stale_decision" in printed.splitlines()[-1]


@pytest.mark.parametrize("page", ["bots.md", "partners.md"])
def test_what_the_guides_import_is_meant_to_be_imported(page: str) -> None:
    """A reader's own mypy --strict takes it."""
    ours = "\n".join(re.findall(r"^(?:from|import) parlour.*", code(page, "python"), re.MULTILINE))
    assert ours
    status, printed = run([sys.executable, "-m", "mypy", "--strict", "-c", ours])
    assert status == 0, printed


def test_the_guide_for_partners_runs() -> None:
    text = code("partners.md", "python").replace("https://example.com/", "http://127.0.0.1:9/")
    key = {"PARLOUR_KEY": API_KEY}
    with running_server(env={"PARLOUR_API_KEYS": f"partner={API_KEY}", "PARLOUR_WEBHOOK_PRIVATE": "allow"}) as server:
        command = [sys.executable, "-W", "error", "-c", text.replace(ADDRESS, server.url)]
        status, printed = run(command, env=key)
    assert status == 0, printed
    assert "4711" in printed
    assert "cancelled" in printed.splitlines()[-1]


def test_the_guide_for_screens_runs(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "screen.mjs"
    script.write_text(code("frontends.md", "js").replace(ADDRESS, server.url), "utf-8")
    status, printed = node("--experimental-eventsource", "--no-warnings", script)
    assert status == 0, printed
    assert "match_started" in printed
    assert printed.splitlines()[-1] == "bot"


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_links_of_the_pages_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", (DOCS / page).read_text("utf-8")):
        assert link.startswith("http") or (DOCS / link).exists(), link
