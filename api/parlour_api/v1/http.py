"""What every operation shares: reading a request, writing an answer or a problem, and declaring both."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeVar, cast

import orjson
from flask import Response, current_app, request
from flask.typing import ResponseReturnValue
from flask_smorest import Blueprint
from marshmallow import Schema
from marshmallow import ValidationError as Invalid
from webargs.flaskparser import FlaskParser

from ..errors import (
    BodyTooLarge,
    InternalError,
    InvalidToken,
    MalformedJson,
    ParlourError,
    RateLimited,
    StorageUnavailable,
    UnsupportedMediaType,
    ValidationError,
)
from ..reading import Reading
from ..service import Service
from ..tokens import Claim, read_claim

F = TypeVar("F", bound=Callable[..., ResponseReturnValue])


def service() -> Service:
    """The service of this app."""
    return cast(Service, current_app.extensions["parlour"])


def bearer() -> Claim | None:
    """The token of this request, not yet checked; raises InvalidToken for anything that is none."""
    try:
        return read_claim(request.headers.get("Authorization"), service().settings.api_keys)
    except ValueError as error:
        raise InvalidToken(str(error)) from None


def answer(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Ready JSON bytes as a response."""
    return Response(body, status, headers, "application/json")


def answer_json(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Plain values as a JSON response."""
    return answer(orjson.dumps(data), status, headers)


def no_content(status: int, headers: Mapping[str, str] | None = None) -> Response:
    """A response without body, which so has no content type."""
    response = Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response


IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The `ETag` of what you have, several of them, or `*`: answered with 304 while it is still that.",
}


def known_tag() -> str:
    """The one entity tag of If-None-Match, as the use cases compare it; empty if there is none or more than one."""
    tags = request.if_none_match.as_set(include_weak=True)
    return f'"{tags.pop()}"' if len(tags) == 1 else ""


def is_known(etag: str) -> bool:
    """Whether If-None-Match names this entity tag: a list, `*`, weak or strong (RFC 9110, 13.1.2)."""
    return request.if_none_match.contains_weak(etag.strip('"'))


def answer_reading(reading: Reading, empty: int = 304) -> Response:
    """A reading with its entity tag; without a body, or if the client has it already, the status ``empty``."""
    headers = {"ETag": reading.etag}
    if reading.body is None or (empty == 304 and is_known(reading.etag)):
        return no_content(empty, headers)
    return answer(reading.body, 200, headers)


def write_cursor(place: str) -> str:
    """An opaque cursor that leads back to a place in a list."""
    return urlsafe_b64encode(place.encode()).decode()


def read_cursor(cursor: str | None) -> str | None:
    """The place that a cursor leads to; raises ValidationError if it is not one of ours."""
    if cursor is None:
        return None
    try:
        return urlsafe_b64decode(cursor.encode()).decode()
    except ValueError:
        raise bad_cursor() from None


def write_place(place: int) -> str:
    """A cursor into a list that only grows."""
    return write_cursor(str(place))


def read_place(cursor: str | None) -> int:
    """The place in a list that only grows, 0 without a cursor."""
    text = read_cursor(cursor)
    if text is None:
        return 0
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise bad_cursor()
    return int(text)


def page_of(items: Sequence[Any], cursor: str | None, limit: int) -> Response:
    """A page of a list that is all there."""
    start = read_place(cursor)
    more = write_place(start + limit) if len(items) > start + limit else None
    return answer_json({"items": items[start : start + limit], "next_cursor": more})


def write_made(place: tuple[int, str] | None) -> str | None:
    """A cursor into a list that is sorted by creation: behind this (created_at, id)."""
    return None if place is None else write_cursor(f"{place[0]}:{place[1]}")


def read_made(cursor: str | None) -> tuple[int, str] | None:
    """The (created_at, id) behind which the next page begins; None without a cursor."""
    text = read_cursor(cursor)
    if text is None:
        return None
    at, _, last = text.partition(":")
    if not at.isascii() or not at.isdigit() or int(at[:17]) >= 1 << 53:
        raise bad_cursor()
    return int(at), last


def bad_cursor() -> ValidationError:
    """What answers a cursor that is not one of ours."""
    return ValidationError(errors=[{"pointer": "/cursor", "detail": "must be the next_cursor of an earlier page"}])


def request_id() -> str:
    """This request's id, as its answer and the log name it."""
    return cast(str, request.environ["parlour.request_id"])


_TOLD_IN_HEADERS = {"allow": "Allow", "accept_encoding": "Accept-Encoding"}


def problem(error: ParlourError) -> Response:
    """An error as RFC 9457 problem+json."""
    code = error.code()
    headers = {header: error.extra.pop(name) for name, header in _TOLD_IN_HEADERS.items() if name in error.extra}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    body = {
        "type": f"/errors/{code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "instance": request.path,
        "code": code,
        "request_id": request_id(),
        **error.extra,
    }
    return Response(orjson.dumps(body), error.status, headers, "application/problem+json")


MAX_DEPTH = 32
"""How many levels of lists and objects a body may have: no operation needs more than five."""
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


def read_json(body: bytes) -> Any:
    """What a body says; raises MalformedJson, and ValidationError if it is nested deeper than anything should walk."""
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        brackets = _BRACKET.findall(_TEXT.sub(b"", body))
        if max(accumulate(1 if each in b"[{" else -1 for each in brackets), default=0) > MAX_DEPTH:
            detail = f"must not be nested more than {MAX_DEPTH} levels deep"
            raise ValidationError(errors=[{"pointer": "", "detail": detail}])
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if not _is_utf8(body):
            raise MalformedJson("The body is not UTF-8.") from None
        raise MalformedJson(f"The body is not valid JSON: {error}.") from None


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


class Parser(FlaskParser):
    """webargs with our errors: strict JSON, faults as JSON pointers."""

    def load_json(self, req: Any, schema: Schema) -> Any:
        body = req.get_data()
        if not body and not req.content_type and not any(field.required for field in schema.fields.values()):
            return {}
        encoding = req.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in ("", "identity"):
            raise UnsupportedMediaType(
                "The body must come as it is (identity), not encoded.", accept_encoding="identity"
            )
        if not req.is_json:
            raise UnsupportedMediaType
        data = read_json(body)
        if not isinstance(data, dict):
            raise ValidationError(errors=[{"pointer": "", "detail": "must be a JSON object"}])
        return data

    def handle_error(self, error: Invalid, *_: Any, **__: Any) -> Any:
        messages = cast(dict[str, Any], error.messages)
        raise ValidationError(errors=[fault for part in messages.values() for fault in _faults("", part)])


def _faults(pointer: str, messages: Any) -> list[dict[str, str]]:
    if isinstance(messages, dict):
        return [
            fault
            for key, inner in messages.items()
            for fault in _faults(pointer if key == "_schema" else f"{pointer}/{_escaped(key)}", inner)
        ]
    return [{"pointer": pointer, "detail": _plain(text)} for text in messages]


def _escaped(key: Any) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _plain(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


ALWAYS = (ValidationError, RateLimited, StorageUnavailable)
"""What every operation on matches can answer: an unknown query parameter, a quota used up, Redis away."""
BODY_ERRORS = (MalformedJson, BodyTooLarge, UnsupportedMediaType, ValidationError)
"""What every operation that reads a body can answer."""


class Routes(Blueprint):
    """A blueprint whose operations declare every answer beside them."""

    ARGUMENTS_PARSER = Parser()

    def __init__(self, *args: Any, always: Sequence[type[ParlourError]], **kwargs: Any) -> None:
        """``always``: what every operation of this blueprint can answer, besides what it declares itself."""
        super().__init__(*args, **kwargs)
        self._always = (*always, InternalError)

    def answers(
        self, status: int, schema: type[Schema] | None, what: str, *errors: type[ParlourError], **doc: Any
    ) -> Callable[[F], F]:
        """Document the good answer and every error code that the operation can give; ``doc`` adds raw OpenAPI keys."""
        good: dict[str, Any] = {"description": what}
        if schema is not None:
            good["content"] = {"application/json": {"schema": schema}}
        parameters = doc.pop("parameters", [])
        responses = {str(status): good, **doc.pop("more", {}), **problems((*errors, *self._always))}

        def declare(operation: F) -> F:
            described: Any = self.doc(operationId=operation.__name__, responses=responses, **doc)(operation)
            # beside those that @arguments adds; given to doc() they would replace them
            described._apidoc["arguments"] = {"parameters": parameters} if parameters else {}
            return cast(F, described)

        return declare


def problems(errors: Iterable[type[ParlourError]]) -> dict[str, Any]:
    """The answers of an operation that can give these errors: one for each status, each code with its own schema."""
    by_status: dict[str, list[type[ParlourError]]] = {}
    for error in dict.fromkeys(errors):
        by_status.setdefault(str(error.status), []).append(error)
    return {
        status: {"$ref": f"#/components/responses/{these[0].code()}"} if len(these) == 1 else problem_answer(these)
        for status, these in by_status.items()
    }


def problem_answer(errors: Sequence[type[ParlourError]]) -> dict[str, Any]:
    """An answer that is one of these problems, told apart by their code."""
    schemas = {error.code(): f"#/components/schemas/{error.__name__}Problem" for error in errors}
    any_of_them: dict[str, Any] = {
        "oneOf": [{"$ref": ref} for ref in schemas.values()],
        "discriminator": {"propertyName": "code", "mapping": schemas},
    }
    schema = any_of_them if len(errors) > 1 else any_of_them["oneOf"][0]
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in schemas}
    return {
        "description": " ".join(f"`{error.code()}`: {error.title}." for error in errors),
        "content": {"application/problem+json": {"schema": schema, "examples": examples}},
    }
