"""Rule ids: every numbered rule is named by a test, and nobody cites a rule that does not exist.

A test names a rule by its function's name (``test_VA_7_...``) or in its docstring (``VA-7``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import parlour_engine
import pytest
from parlour_engine.games import GAMES

ENGINE = Path(parlour_engine.__file__).parent
TESTS = Path(__file__).parents[1]
PAGES = {"common": ENGINE / "RULES.md"} | {game.slug: ENGINE / "games" / game.slug / "RULES.md" for game in GAMES}

_RULE = re.compile(r"^- \*\*([A-Z]{2}-\d+[a-z]?)\b", re.MULTILINE)


def rules_of(page: str) -> list[str]:
    """The ids that a page of rules defines, in its order."""
    return _RULE.findall(PAGES[page].read_text(encoding="utf-8"))


RULES = {page: rules_of(page) for page in PAGES}
DEFINED = {rule for rules in RULES.values() for rule in rules}
_CITED = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted({rule[:2] for rule in DEFINED}))})[-_](\d+[a-z]?)(?![A-Za-z0-9])")


def cited(text: str) -> set[str]:
    return {f"{prefix}-{number}" for prefix, number in _CITED.findall(text)}


def _tests() -> Iterator[str]:
    """Every test function's name with its docstring."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
                yield f"{node.name} {ast.get_docstring(node) or ''}"


NAMED = {rule for text in _tests() for rule in cited(text)}


@pytest.mark.parametrize("page", PAGES)
def test_every_rule_is_named_by_a_test(page: str) -> None:
    assert RULES[page], f"{PAGES[page]} defines no rule"
    assert [rule for rule in RULES[page] if rule not in NAMED] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_pages_rules_are_numbered_in_order_each_once(page: str) -> None:
    rules = RULES[page]
    assert len({rule[:2] for rule in rules}) == 1, "one page, one prefix"
    numbers = [(int(number), letter) for number, letter in re.findall(r"-(\d+)([a-z]?)", " ".join(rules))]
    assert numbers == sorted(set(numbers))
    assert {number for number, _ in numbers} == set(range(1, numbers[-1][0] + 1)), "no number is left out"


def test_two_pages_share_no_prefix() -> None:
    assert len({rules[0][:2] for rules in RULES.values()}) == len(RULES)


def _sources() -> list[Path]:
    here = [*ENGINE.rglob("*.py"), *ENGINE.rglob("*.md"), *ENGINE.rglob("*.json"), *TESTS.rglob("*.py")]
    return sorted(path for path in here if path != Path(__file__))


def test_nobody_cites_a_rule_that_does_not_exist() -> None:
    wrong = {
        str(path.relative_to(ENGINE.parents[1])): sorted(missing)
        for path in _sources()
        if (missing := cited(path.read_text(encoding="utf-8")) - DEFINED)
    }
    assert wrong == {}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_every_rule_stands_beside_the_code_that_decides_it(game: object) -> None:
    """Somebody with the rulebook walks the page and the source side by side: each rule is cited in the source."""
    slug = game.slug  # type: ignore[attr-defined]
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ENGINE / "games" / slug).glob("*.py")))
    assert [rule for rule in RULES[slug] if rule not in cited(source)] == []


def test_a_rule_that_is_missing_or_invented_is_found() -> None:
    assert cited("test_VA_7_the_pile VA-13 (CM-6a), XVA-8 VA-9b1 SHA-256 UTF-8 CM_12.") == {
        "VA-7",
        "VA-13",
        "CM-6a",
        "CM-12",
    }
    assert "VA-99" in cited("[VA-99]") - DEFINED
