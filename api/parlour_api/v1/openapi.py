"""The OpenAPI document: flask-smorest's, with each game's own types drawn from its dataclasses."""

from __future__ import annotations

from typing import Any

from apispec import APISpec
from flask_smorest import Api
from parlour_engine.game import AnyGame
from pydantic import TypeAdapter

from ..catalogue import Catalogue
from ..play import ServiceEvent
from ..webhooks import TYPES
from .schemas import ReplayAnswer, ReplayViewAnswer, WebhookEventAnswer

DESCRIPTION = """The state of turn-based card games with hidden information. Create a match, observe it as one seat,
act, and observe again. Errors are `application/problem+json` with a stable `code`, explained at `/errors/{code}`.
Times are RFC 3339 UTC, durations in seconds. An answer shows only what its viewer may know."""


def add_types(spec: APISpec, catalogue: Catalogue) -> None:
    """Every game's view, actions and events as components, and the unions that the operations refer to."""
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
    spec.components.schema("ReplayAnswer", schema=ReplayAnswer)
    spec.components.schema("ReplayViewAnswer", schema=ReplayViewAnswer)
    spec.components.schema("WebhookEventAnswer", schema=WebhookEventAnswer)
    spec.components.security_scheme(
        "token",
        {
            "type": "http",
            "scheme": "bearer",
            "description": "A seat token or the host token of the match, or a partner's API key.",
        },
    )


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
    elif isinstance(schema, list):
        schema = [_complete(part) for part in schema]
    return schema


def document(api: Api) -> dict[str, Any]:
    """The whole document, in a stable order."""
    spec: dict[str, Any] = api.spec.to_dict()
    spec["components"]["schemas"] = dict(sorted(spec["components"]["schemas"].items()))
    for path in spec["paths"].values():
        for method, operation in path.items():
            if method != "parameters":
                operation["responses"].pop("default", None)
    spec["webhooks"] = {kind: {"post": _webhook(kind)} for kind in TYPES}
    return spec


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
