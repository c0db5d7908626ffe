"""The README is true: its bot runs as it stands, its curl lines answer, its commands and files exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from string import Template
from typing import Any

import pytest
import requests

from tests.support import Server, clean_env, run

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:8080"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def curl(line: str) -> requests.Response:
    """Do what a curl command line says, without curl: a fresh machine may have none."""
    words = shlex.split(line)
    assert words[:2] == ["curl", "-s"]
    headers: dict[str, str] = {}
    data = None
    url = ""
    rest = iter(words[2:])
    for word in rest:
        if word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "-d":
            data = next(rest)
        else:
            assert not word.startswith("-"), word
            url = word
    return requests.request("GET" if data is None else "POST", url, headers=headers, data=data, timeout=120)


def test_the_bot_runs_as_it_stands(server: Server) -> None:
    (bot,) = blocks("python")
    assert ADDRESS in bot
    assert len([line for line in bot.splitlines() if line.strip()]) <= 12
    status, printed = run([sys.executable, "-W", "error", "-c", bot.replace(ADDRESS, server.url)])
    assert status == 0, printed
    assert "heart" in printed


def test_the_curl_lines_play_a_match(server: Server) -> None:
    create, observe, act = (line.strip().replace(ADDRESS, server.url) for line in blocks("sh"))
    created = curl(create)
    assert created.status_code == 201, created.text
    names = {"MATCH": created.json()["match"]["id"], "TOKEN": created.json()["seat_tokens"][0]["token"]}
    seen: dict[str, Any] = {"decision": None}
    while seen["decision"] is None:
        answer = curl(Template(observe).substitute(names))
        assert answer.status_code == 200, answer.text
        seen = answer.json()
    names |= {"DECISION": seen["decision"]["id"], "ACTION": str(seen["decision"]["legal_actions"][0]["id"])}
    acted = curl(Template(act).substitute(names))
    assert acted.status_code == 200, acted.text
    assert acted.json()["applied"] == 1


def test_its_make_targets_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^    make (\w+)", README, re.MULTILINE))
    assert {"demo", "serve", "test"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_its_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert link.startswith("http") or (ROOT / link).exists(), link


def test_the_map_of_the_code_is_true() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## The map")[2].partition("Imports point")[0]
    folder = ROOT
    named = 0
    for line in text.splitlines():
        top = re.match(r"    (\S+/)(\S*)", line)
        if top:
            folder = ROOT / top[1]
            assert folder.is_dir(), top[1]
        else:
            for name in re.findall(r"\b[a-z_]+\.py\b", line[:44]):
                named += 1
                assert (folder / name).exists(), f"{folder.name}/{name}"
    assert named > 15


def test_every_module_of_the_sdk_is_on_the_map() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for module in (ROOT / "sdk" / "parlour").glob("[a-z]*.py"):
        assert module.name in text, module.name


def test_the_demo_of_the_makefile_is_the_one_that_is_tested() -> None:
    done = subprocess.run(
        ["make", "-n", "demo"], cwd=ROOT, env=clean_env(), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "parlour demo --game valente" in done.stdout
