"""The OpenAPI document as a judge: whether an answer is one that its operation says it can give."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs
from parlour_api.commands import openapi_text
from werkzeug.datastructures import Headers

UNLISTED = re.compile(r"/(openapi\.json|metrics|docs(/.*)?)")
"""What is served beside the API: the document itself, its pages, and the numbers for Prometheus."""
PROBLEM = "application/problem+json"
NOT_OURS = re.compile(r"content-(type|length)|date|server|access-control-.*", re.IGNORECASE)
"""Headers that OpenAPI leaves out, those of whatever server runs the app, and those for browsers (CORS)."""


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
    headers: dict[str, dict[str, Any]]
    """The headers of its answers by status, and each by name; references followed."""

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
            {status: headers_of(answer) for status, answer in spec["responses"].items()},
        )
        for path, methods in document()["paths"].items()
        for method, spec in methods.items()
        if method != "parameters"
    )


def parameters(operation: Operation) -> list[dict[str, Any]]:
    """What an operation takes in its address, its query and its headers."""
    path = document()["paths"][operation.path]
    return [*path.get("parameters", ()), *path[operation.method.lower()].get("parameters", ())]


def followed(part: dict[str, Any]) -> dict[str, Any]:
    """A part of the document, or what it refers to."""
    while "$ref" in part:
        place: Any = document()
        for name in part["$ref"].split("/")[1:]:
            place = place[name]
        part = place
    return part


def headers_of(answer: dict[str, Any]) -> dict[str, Any]:
    """The headers that an answer of the document has, by name."""
    return {name: followed(header) for name, header in followed(answer).get("headers", {}).items()}


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


def judge(method: str, path: str, status: int, headers: Headers, body: bytes | None) -> None:
    """Fail unless the document has this answer to such a request; ``body`` None: it is not read, or HEAD had none."""
    if UNLISTED.fullmatch(path):
        return
    content_type = headers.get("Content-Type", "")
    method = "GET" if method == "HEAD" else method
    asked = f"{method} {path[:120]} answered {status} {content_type}"
    operation = next((each for each in operations() if each.fits(method, path)), None)
    if operation is None:
        strays = {404: "not_found", 405: "method_not_allowed"}
        assert status in strays, f"{asked}, which is no operation"
        assert body is None or json.loads(body)["code"] == strays[status], asked
        _judge_headers(asked, headers_of(document()["components"]["responses"][strays[status]]), headers)
        return
    types = operation.answers.get(str(status))
    assert types is not None, f"{asked}; {operation.id} documents {', '.join(operation.answers)}: {body!r:.300}"
    _judge_headers(asked, operation.headers[str(status)], headers)
    if not types:
        assert not body, f"{asked} with a body"
        assert not content_type, asked
        return
    kind = content_type.partition(";")[0]
    assert kind in types, f"{asked}; {operation.id} documents {', '.join(types)}"
    if kind.endswith("json") and body is not None:
        wrong = faults(types[kind]["schema"], json.loads(body))
        assert not wrong, f"{asked}, which does not fit what {operation.id} documents: {wrong} {body!r:.300}"


def _judge_headers(asked: str, documented: dict[str, Any], headers: Headers) -> None:
    """Fail on a header that is missing, not documented, of another shape, or there twice."""
    ours = [(name, value) for name, value in headers if not NOT_OURS.fullmatch(name)]
    names = {name.lower(): name for name in documented}
    for name, value in ours:
        assert name.lower() in names, f"{asked} with {name}: {value}, which the document does not have"
        if (name, value) == ("Vary", "Origin"):
            continue  # beside the other one
        schema = documented[names[name.lower()]]["schema"]
        wrong = faults(schema, int(value) if schema["type"] == "integer" else value)
        assert not wrong, f"{asked} with {name}: {value}: {wrong}"
        assert name == "Vary" or len(headers.getlist(name)) == 1, f"{asked} with {name} more than once"
    missing = [name for name, header in documented.items() if header["required"] and name not in headers]
    assert not missing, f"{asked} without {', '.join(missing)}"
