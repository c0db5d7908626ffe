"""The OpenAPI document: flask-smorest's, with each game's own types drawn from its dataclasses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any

from apispec import APISpec
from flask_smorest import Api
from marshmallow.fields import Field
from parlour_engine.game import AnyGame
from pydantic import TypeAdapter

from ..catalogue import Catalogue
from ..errors import error_classes
from ..play import ServiceEvent
from ..webhooks import TYPES
from .http import problem_answer
from .schemas import ProblemAnswer, ReplayAnswer, ReplayViewAnswer, Typed, WebhookEventAnswer

DESCRIPTION = """The state of turn-based card games with hidden information. Create a match, observe it as one seat,
act, and observe again. Errors are `application/problem+json` with a stable `code`, explained at `/errors/{code}`.
Times are RFC 3339 UTC, durations in seconds. An answer shows only what its viewer may know. A request's body has at
most 64 KiB, is nested at most 32 levels deep and comes as it is: no `Content-Encoding` is taken.

Within `/v1` an answer may gain fields and headers, an enumeration values; nothing that is there changes or goes. When a
version is to go, its answers say so in good time: `Deprecation` (RFC 9745) since when another one is to be used,
`Sunset` (RFC 8594) when it ends. Version 1 sends neither."""


def typed2properties(_converter: Any, field: Field[Any], **_: Any) -> dict[str, Any]:
    """A game's own type, as apispec asks for what it does not know of a field."""
    return {"$ref": f"#/components/schemas/{field.component}"} if isinstance(field, Typed) else {}


def add_types(api: Api, catalogue: Catalogue) -> None:
    """Every game's view, actions and events as components, and the unions that the operations refer to."""
    api.ma_plugin.converter.add_attribute_function(typed2properties)
    spec = api.spec
    views: list[dict[str, Any]] = [{"type": "null"}]
    actions: list[dict[str, Any]] = []
    events = [_component(spec, ServiceEvent, "Service", "ServiceEvent")]
    for game in catalogue:
        prefix = _pascal(game)
        views.append(_component(spec, game.observation_type, prefix, f"{prefix}View"))
        actions.append(_component(spec, game.action_type, prefix, f"{prefix}Action"))
        events.append(_component(spec, game.event_type, prefix, f"{prefix}Event"))
    number = {"type": "integer", "minimum": 0, "description": "The game's stable action number."}
    by_number = {"type": "object", "required": ["id"], "properties": {"id": number}, "additionalProperties": False}
    named = {"type": "object", "required": ["id", "label"], "properties": {"id": number, "label": {"type": "string"}}}
    spec.components.schema("ActionNumber", by_number)
    spec.components.schema("View", {"anyOf": views, "description": "What the viewer may know, typed per game."})
    spec.components.schema("Event", {"anyOf": events})
    any_action: dict[str, Any] = {"anyOf": actions} if actions else {}
    spec.components.schema("LegalAction", {"allOf": [named, any_action], "description": "An action and its label."})
    spec.components.schema("ActionRequest", {"anyOf": [{"$ref": "#/components/schemas/ActionNumber"}, *actions]})
    for answer in (ReplayAnswer, ReplayViewAnswer, ProblemAnswer, WebhookEventAnswer):
        spec.components.schema(answer.__name__, schema=answer)
    spec.components.security_scheme(
        "token",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "A seat token or the host token of the match, or a partner's API key.",
        },
    )


def add_problems(spec: APISpec) -> None:
    """Every error code as a schema of its own, and as an answer."""
    problem = spec.components.schemas["ProblemAnswer"]
    for code, error in error_classes().items():
        always = {*problem["required"], *error.carries}
        fields = {
            name: part for name, part in problem["properties"].items() if name in always or name in error.may_carry
        }
        exactly: dict[str, dict[str, Any]] = {
            "type": {"const": f"/errors/{code}"},
            "code": {"const": code},
            "status": {"const": error.status},
        }
        schema = {
            "type": "object",
            "description": f"{error.title}.",
            "properties": {**fields, **{name: {**fields[name], **value} for name, value in exactly.items()}},
            "required": sorted(always),
            "additionalProperties": False,
        }
        spec.components.schema(f"{error.__name__}Problem", schema)
        spec.components.response(code, problem_answer([error]))


def _pascal(game: AnyGame) -> str:
    return "".join(part.title() for part in game.slug.split("_"))


def _component(spec: APISpec, what: Any, prefix: str, name: str) -> dict[str, Any]:
    """Put a type and all it is made of into the components; a reference to it."""
    schema = TypeAdapter(what).json_schema(ref_template=f"#/components/schemas/{prefix}{{model}}", mode="serialization")
    for part, inner in schema.pop("$defs", {}).items():
        if f"{prefix}{part}" not in spec.components.schemas:
            spec.components.schema(f"{prefix}{part}", _complete(inner))
    spec.components.schema(name, _complete(schema))
    return {"$ref": f"#/components/schemas/{name}"}


def _complete(schema: Any) -> Any:
    """Every field of our answers is always there; and `type` tells the members of a union apart."""
    if isinstance(schema, dict):
        schema = {key: _complete(value) for key, value in schema.items() if key not in ("title", "default")}
        if "properties" in schema:
            schema["required"] = sorted(schema["properties"])
        members = schema.get("prefixItems", [])
        if members and members.count(members[0]) == len(members) == schema["maxItems"]:
            del schema["prefixItems"]  # a pair of equals: generators of clients understand it better as a list of two
            schema["items"] = members[0]
    elif isinstance(schema, list):
        schema = [_complete(part) for part in schema]
    return schema


def operations(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every operation of a document."""
    for path in spec["paths"].values():
        yield from (operation for method, operation in path.items() if method != "parameters")


def query_parameters(api: Api) -> dict[str, tuple[str, ...]]:
    """The query parameters that each operation takes, by its id."""
    return {
        operation["operationId"]: tuple(
            part["name"] for part in operation.get("parameters", ()) if part["in"] == "query"
        )
        for operation in operations(api.spec.to_dict())
    }


def document(api: Api) -> dict[str, Any]:
    """The whole document, in a stable order."""
    spec: dict[str, Any] = api.spec.to_dict()
    schemas = spec["components"]["schemas"]
    spec["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas) if name not in _FRAMEWORKS_OWN}
    for operation in operations(spec):
        operation["responses"] = dict(sorted(operation["responses"].items()))
        operation["summary"] = operation["summary"].replace("`", "")  # a summary is plain text, a description Markdown
    _add_headers(spec)
    spec["webhooks"] = {kind: {"post": _webhook(kind)} for kind in TYPES}
    _add_links(spec)
    _add_examples(spec, json.loads(files(__package__).joinpath("examples.json").read_text("utf-8")))
    return spec


@dataclass(frozen=True)
class Header:
    """A header of answers: what it says, what it looks like, and which answers carry it."""

    text: str
    example: str | int
    shape: dict[str, Any] = field(default_factory=dict)
    """What its schema says besides being a string."""
    of: tuple[str, ...] = ("*",)
    """Answers as ``operation status``; a problem that operations share has no operation."""
    unless: tuple[str, ...] = ()
    required: bool = True


def _always(value: str, text: str) -> Header:
    return Header(text, value, {"const": value})


HEADERS = {
    "X-Request-Id": Header(
        "This request's id, as a problem's `request_id` and the server's log name it.", "req_k7fq2n5xw3ab"
    ),
    "RateLimit-Policy": Header(
        "The quota that this request counted for: how many requests (`q`) in how many seconds (`w`). Not on an answer "
        "to `OPTIONS`, nor while quotas are off or cannot be counted.",
        '"read";q=3000;w=60', unless=("healthz *", "readyz *"), required=False,
    ),
    "RateLimit": Header(
        "How many requests are left of it (`r`), until it is whole again in so many seconds (`t`). Where "
        "`RateLimit-Policy` is.",
        '"read";r=2998;t=41', unless=("healthz *", "readyz *"), required=False,
    ),
    "Retry-After": Header(
        "After how many seconds to ask again.", 2, {"type": "integer", "minimum": 1}, of=("* 429", "* 503")
    ),
    "ETag": Header(
        "The version that this is, and for whom: send it as `If-None-Match`. Compare it whole, read nothing from it.",
        '"17-0"', {"pattern": '^"[^"]*"$'},
        of=("get_match 200", "get_match 304", "get_observation 20?", "get_observation 304"),
    ),
    "Location": Header(
        "Where what was created is, from the root of this server.", "/v1/matches/mat_3k7fq2n5xw3abcde2",
        {"format": "uri-reference"}, of=("create_match 201", "create_webhook 201"),
    ),
    "Allow": Header("The methods that this address takes.", "GET, HEAD, OPTIONS", of=("* 405",)),
    "WWW-Authenticate": Header("How to send a token.", "Bearer", {"const": "Bearer"}, of=("* 401",)),
    "Accept-Encoding": Header(
        "Only if the body came encoded: which encodings are taken. None is.", "identity", {"const": "identity"},
        of=("* 415",), required=False,
    ),
    "X-Accel-Buffering": Header(
        "Of a stream: tells nginx not to hold it back.", "no", {"const": "no"}, of=("list_events 200",), required=False
    ),
    "Cache-Control": _always("private, no-cache", "For its reader only, who asks again each time."),
    "Vary": _always(
        "Authorization", "Another token gets another answer. With named origins there is a second one, `Origin`."
    ),
    "X-Content-Type-Options": _always("nosniff", "It is what its `Content-Type` says."),
    "X-Frame-Options": _always("DENY", "No page may frame it."),
    "Referrer-Policy": _always("no-referrer", "Links in it tell nobody where they were."),
    "Cross-Origin-Resource-Policy": _always("cross-origin", "Pages of other origins may load it."),
    "Content-Security-Policy": Header("Nothing in it runs.", "default-src 'none'"),
}  # fmt: skip
"""Every header of ours that an answer carries, and no other."""


def _add_headers(spec: dict[str, Any]) -> None:
    """Each header once as a component, and which answers have it."""
    spec["components"]["headers"] = {name: _header(header) for name, header in HEADERS.items()}
    for code, answer in spec["components"]["responses"].items():
        if code in error_classes():
            answer["headers"] = _headers_of(f"- {error_classes()[code].status}")
    for operation in operations(spec):
        for status, answer in operation["responses"].items():
            if "$ref" not in answer:
                answer["headers"] = _headers_of(f"{operation['operationId']} {status}")


def _header(header: Header) -> dict[str, Any]:
    schema = {"type": "string", **header.shape}
    return {"description": header.text, "required": header.required, "schema": schema, "example": header.example}


def _headers_of(answer: str) -> dict[str, Any]:
    return {
        name: {"$ref": f"#/components/headers/{name}"}
        for name, header in HEADERS.items()
        if any(fnmatchcase(answer, pattern) for pattern in header.of)
        and not any(fnmatchcase(answer, pattern) for pattern in header.unless)
    }


_TOLD = {
    "match.started": "The cards are dealt.",
    "match.turn": "The match waits for players that it did not wait for before: `seats`.",
    "match.seat_changed": "Somebody took, left or was given a `seat`, or took it back.",
    "match.finished": "The match was played to its end: `match.outcome`.",
    "match.cancelled": "The match was ended early.",
    "match.abandoned": "Nobody did anything in the match for long.",
}


def _webhook(kind: str) -> dict[str, Any]:
    """What a partner's server is sent, as an operation that it has."""
    headers = {
        "webhook-id": "The delivery's id, the same in each attempt: do nothing twice for one id.",
        "webhook-timestamp": "When this attempt was made, seconds since 1970.",
        "webhook-signature": "`v1,` and base64 of HMAC-SHA-256 over `id.timestamp.body` with the webhook's secret.",
    }
    return {
        "summary": _TOLD[kind],
        "parameters": [
            {"in": "header", "name": name, "required": True, "schema": {"type": "string"}, "description": text}
            for name, text in headers.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WebhookEventAnswer"}}},
        },
        "responses": {
            "2XX": {"description": "Taken. Anything else is tried again for a day; redirects are not followed."},
            "410": {"description": "Gone: the webhook is disabled."},
        },
    }


_LINKS = (
    ("list_games", "200", "list_games", {"cursor": "$response.body#/next_cursor"}),
    ("list_games", "200", "get_game", {"game": "$response.body#/items/0/id"}),
    ("list_bots", "200", "list_bots", {"cursor": "$response.body#/next_cursor"}),
    ("list_matches", "200", "list_matches", {"cursor": "$response.body#/next_cursor"}),
    ("list_matches", "200", "get_match", {"match_id": "$response.body#/items/0/id"}),
    ("list_matches", "200", "join_match", {"match_id": "$response.body#/items/0/id"}),
    ("get_observation", "200", "act", {"match_id": "$response.body#/match"}),
    ("get_observation", "200", "get_observation",
     {"match_id": "$response.body#/match", "after": "$response.body#/version"}),
    ("act", "200", "act", {"match_id": "$response.body#/observation/match"}),
    ("list_events", "200", "list_events",
     {"match_id": "$request.path.match_id", "after": "$response.body#/next_after"}),
    ("list_messages", "200", "list_messages",
     {"match_id": "$request.path.match_id", "cursor": "$response.body#/next_cursor"}),
    ("create_stream_ticket", "201", "list_events",
     {"match_id": "$request.path.match_id", "ticket": "$response.body#/ticket"}),
)  # fmt: skip
"""Where an answer leads: from which operation and status, to which operation, and what it hands on."""
_MAKERS = (("create_match", "201"), ("join_match", "200"))
"""What answers with a match of the caller's: that leads to every operation on it."""


def _add_links(spec: dict[str, Any]) -> None:
    answers = {operation["operationId"]: operation["responses"] for operation in operations(spec)}
    on_a_match = [
        operation["operationId"]
        for path, methods in spec["paths"].items()
        if path.startswith("/v1/matches/{match_id}")
        for method, operation in methods.items()
        if method != "parameters"
    ]
    made = [(*maker, to, {"match_id": "$response.body#/match/id"}) for maker in _MAKERS for to in on_a_match]
    for source, status, target, parameters in (*made, *_LINKS):
        link = {"operationId": target, "parameters": parameters}
        answers[source][status].setdefault("links", {})[target] = link


def _add_examples(spec: dict[str, Any], kept: dict[str, Any]) -> None:
    """Requests and answers as a real run had them; those of problems, which many operations share, as components."""
    spec["components"]["examples"] = {code: {"value": value} for code, value in kept["problems"].items()}
    for operation in operations(spec):
        told = kept["operations"].get(operation["operationId"], {"requests": {}, "answers": {}})
        if told["requests"]:
            _exemplify(operation["requestBody"]["content"]["application/json"], told["requests"])
        for status, types in told["answers"].items():
            for kind, values in types.items():
                _exemplify(operation["responses"][status]["content"][kind], values)
    for kind, value in kept["webhooks"].items():
        _exemplify(spec["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"], {kind: value})


def _exemplify(media: dict[str, Any], values: dict[str, Any]) -> None:
    media["examples"] = {name: {"value": value} for name, value in values.items()}


_FRAMEWORKS_OWN = ("Error", "PaginationMetadata")
"""Schemas that flask-smorest registers and nothing here refers to."""
