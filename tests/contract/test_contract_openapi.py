"""The committed OpenAPI document is the one that the server serves, and it says what style and contract ask."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parlour_api.commands import openapi_text
from parlour_api.errors import error_classes

from tests import documented

COMMITTED = Path(__file__).parent.parent.parent / "openapi" / "openapi.json"


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    document = json.loads(openapi_text())
    return [
        (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method != "parameters"
    ]


def test_the_committed_document_is_the_served_one() -> None:
    assert COMMITTED.read_text("utf-8") == openapi_text(), "run: make openapi"


def test_it_is_openapi_3_1() -> None:
    assert json.loads(openapi_text())["openapi"] == "3.1.0"


def test_every_reference_leads_somewhere() -> None:
    text = openapi_text()
    document = json.loads(text)
    known = {f"#/components/{kind}/{name}" for kind, parts in document["components"].items() for name in parts}
    used: set[str] = set()

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                used.add(part["$ref"])
            for inner in part.values():
                walk(inner)
        elif isinstance(part, list):
            for inner in part:
                walk(inner)

    walk(document)
    assert used <= known, used - known


def test_every_operation_says_what_it_does_and_how_it_fails() -> None:
    for method, path, operation in operations():
        assert operation["summary"], (method, path)
        assert operation["operationId"], (method, path)
        assert "500" in operation["responses"], (method, path)
        if "/matches" in path:
            assert "503" in operation["responses"], (method, path)
        if "{match_id}" in path:
            assert "404" in operation["responses"], (method, path)


def test_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))


def test_every_code_is_some_operations_answer() -> None:
    """But one: a method that an address does not take is no operation."""
    listed = {code for operation in documented.operations() for code in operation.codes}
    assert set(error_classes()) - listed == {"method_not_allowed"}
