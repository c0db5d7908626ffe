"""The OpenAPI document as a judge: whether an answer is one that its operation says it can give."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs
from parlour_api.commands import openapi_text

UNLISTED = re.compile(r"/(openapi\.json|metrics|docs(/.*)?)")
"""What is served beside the API: the document itself, its pages, and the numbers for Prometheus."""
PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class Operation:
    """One operation of the document."""

    id: str
    method: str
    path: str
    takes: dict[str, Any]
    """Its request body by media type."""
    answers: dict[str, dict[str, Any]]
    """Its answers by status, and each by media type; references to whole answers followed."""

    @property
    def codes(self) -> list[str]:
        """Every error code that it says it can answer."""
        schemas = [types[PROBLEM]["schema"] for types in self.answers.values() if PROBLEM in types]
        return [_code(member) for schema in schemas for member in schema.get("oneOf", [schema])]

    def fits(self, method: str, path: str) -> bool:
        """Whether this is the operation of a request."""
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(self.path))
        return method == self.method and re.fullmatch(pattern, path) is not None


@cache
def document() -> dict[str, Any]:
    """The document that the server serves."""
    spec: dict[str, Any] = json.loads(openapi_text())
    return spec


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the document."""
    return tuple(
        Operation(
            spec["operationId"],
            method.upper(),
            path,
            spec.get("requestBody", {}).get("content", {}),
            {status: followed(answer).get("content", {}) for status, answer in spec["responses"].items()},
        )
        for path, methods in document()["paths"].items()
        for method, spec in methods.items()
        if method != "parameters"
    )


def followed(part: dict[str, Any]) -> dict[str, Any]:
    """A part of the document, or what it refers to."""
    while "$ref" in part:
        place: Any = document()
        for name in part["$ref"].split("/")[1:]:
            place = place[name]
        part = place
    return part


def _code(problem: dict[str, Any]) -> str:
    code: str = followed(problem)["properties"]["code"]["const"]
    return code


def faults(schema: dict[str, Any], value: Any) -> list[str]:
    """Where a value does not fit a schema of the document."""
    validator = _validator(json.dumps(schema))
    return [
        f"{'/'.join(map(str, fault.instance_path))}: {fault.message[:300]}" for fault in validator.iter_errors(value)
    ]


@cache
def _validator(schema: str) -> Any:
    whole = {"components": document()["components"], **json.loads(schema)}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def judge(method: str, path: str, status: int, content_type: str, body: bytes | None) -> None:
    """Fail unless the document has this answer to such a request; ``body`` None: a stream, which is not read."""
    if UNLISTED.fullmatch(path):
        return
    asked = f"{method} {path[:120]} answered {status} {content_type}"
    operation = next((each for each in operations() if each.fits(method, path)), None)
    if operation is None:
        strays = {404: "not_found", 405: "method_not_allowed"}
        assert status in strays, f"{asked}, which is no operation"
        assert json.loads(body or b"")["code"] == strays[status], asked
        return
    types = operation.answers.get(str(status))
    assert types is not None, f"{asked}; {operation.id} documents {', '.join(operation.answers)}: {body!r:.300}"
    if not types:
        assert not body, f"{asked} with a body"
        assert not content_type, asked
        return
    kind = content_type.partition(";")[0]
    assert kind in types, f"{asked}; {operation.id} documents {', '.join(types)}"
    if kind.endswith("json"):
        wrong = faults(types[kind]["schema"], json.loads(body or b""))
        assert not wrong, f"{asked}, which does not fit what {operation.id} documents: {wrong} {body!r:.300}"
