"""The document shows an example of every request and every answer, each as a real run gave it and each valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from parlour_api.errors import error_classes
from parlour_engine.games import GAMES

from tests.contract.examples import KEPT, examples, text_of
from tests.documented import PROBLEM, Operation, document, faults, followed, operations


def media(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything of an operation that has a body: what it is called, and its media type object."""
    for kind, body in operation.takes.items():
        yield f"{operation.id} request {kind}", body
    for status, types in operation.answers.items():
        for kind, body in types.items():
            yield f"{operation.id} {status} {kind}", body


def sent() -> Iterator[tuple[str, dict[str, Any]]]:
    """What partners' servers are sent."""
    for kind, methods in document()["webhooks"].items():
        yield f"webhook {kind}", methods["post"]["requestBody"]["content"]["application/json"]


MEDIA = [
    pytest.param(body, id=what) for what, body in [*sent(), *(each for one in operations() for each in media(one))]
]


def test_the_committed_examples_are_those_of_a_run(redis_url: str) -> None:
    assert KEPT.read_text("utf-8") == text_of(examples(redis_url)), "run: make openapi"


@pytest.mark.parametrize("body", MEDIA)
def test_it_has_examples_and_they_fit(body: dict[str, Any]) -> None:
    assert body.get("examples"), "no example: ask it in tests/contract/examples.py, then make openapi"
    for name, example in body["examples"].items():
        assert not faults(body["schema"], followed(example)["value"]), name


def test_every_code_has_its_own_example() -> None:
    kept = document()["components"]["examples"]
    assert set(kept) == set(error_classes())
    for code, example in kept.items():
        assert example["value"]["code"] == code
        assert not faults({"$ref": f"#/components/schemas/{error_classes()[code].__name__}Problem"}, example["value"])


def test_problems_show_each_code_that_they_list() -> None:
    for operation in operations():
        shown = [name for types in operation.answers.values() for name in types.get(PROBLEM, {}).get("examples", ())]
        assert shown == operation.codes, operation.id


def test_every_game_shows_an_observation() -> None:
    (observe,) = (each for each in operations() if each.id == "get_observation")
    shown = observe.answers["200"]["application/json"]["examples"]
    for game in GAMES:
        assert shown[game.slug]["value"]["game"] == game.slug
        assert shown[game.slug]["value"]["decision"]["legal_actions"]


def test_what_looks_like_a_secret_says_that_it_is_none() -> None:
    kept = KEPT.read_text("utf-8")
    secrets = re.findall(r"\b(?:seat_[0-9]+|host|tkt)_[\w-]{32}|\bwhsec_[\w+/=]+|\bkey_[\w-]{24}", kept)
    assert len(secrets) > 10
    assert all("EXAMPLE" in secret for secret in secrets)


def test_an_example_that_does_not_fit_is_found() -> None:
    schema = {"$ref": "#/components/schemas/NotYourTurnProblem"}
    value = document()["components"]["examples"]["not_your_turn"]["value"]
    assert not faults(schema, value)
    for change in ({"code": "match_over"}, {"status": 422}, {"observation": {}}, {"more": 1}):
        assert faults(schema, {**value, **change}), change
    assert faults(schema, {name: part for name, part in value.items() if name != "reason"})
