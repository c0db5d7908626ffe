"""The SDK keeps up with the server: every operation, every error code, every event of the service, every export."""

from __future__ import annotations

import dataclasses
import inspect
import json
from typing import Any, get_args, get_type_hints

import parlour
import pytest
from parlour import client, errors, models, operations
from parlour_api import errors as api_errors
from parlour_api import play
from parlour_api.commands import openapi_text
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES

DOCUMENT: dict[str, Any] = json.loads(openapi_text())
SERVED = {
    operation["operationId"]: (method.upper(), path)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if method != "parameters"
}


def test_every_operation_of_the_document_is_in_the_sdk_and_no_other() -> None:
    known = {operation.id: (operation.method, operation.path) for operation in operations.METHODS}
    assert known == SERVED


def test_every_operation_has_a_method_that_calls_it() -> None:
    names = {value: name for name, value in vars(operations).items() if isinstance(value, operations.Operation)}
    assert set(names) == set(operations.METHODS)
    for operation, method in operations.METHODS.items():
        owner, _, name = method.partition(".")
        source = inspect.getsource(getattr(getattr(client, owner), name))
        assert f"ops.{names[operation]}" in source, method


def test_methods_are_one_each() -> None:
    assert len(set(operations.METHODS.values())) == len(operations.METHODS)


def test_only_what_the_contract_calls_safe_is_sent_again() -> None:
    posts = {operation.id for operation in operations.METHODS if operation.safe and operation.method != "GET"}
    assert posts == {"act"}
    keyed = {operation.id for operation in operations.METHODS if operation.keyed}
    takes_key = {
        operation["operationId"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        if isinstance(operation, dict)
        and any(part.get("name") == "Idempotency-Key" for part in operation.get("parameters", ()))
    }
    assert keyed == takes_key


@pytest.mark.parametrize("code", api_errors.error_classes())
def test_every_code_has_its_class(code: str) -> None:
    served = api_errors.error_classes()[code]
    found = errors.error_class(code, served.status)
    assert errors.code_of(found) == code
    assert found.__name__ == served.__name__
    base = errors.error_class("a_code_of_the_future", served.status)
    assert issubclass(found, base), f"{found.__name__} should be a {base.__name__}, as its status {served.status} says"
    assert found.__name__ in (errors.__doc__ or ""), "not in the tree that errors.py begins with"


def type_of(event: Any) -> str:
    """The value of its ``type``."""
    (value,) = get_args(get_type_hints(event)["type"])
    return str(value)


def test_events_of_the_service_have_the_same_fields() -> None:
    served = {type_of(event): event for event in get_args(play.ServiceEvent)}
    known = {type_of(event): event for event in get_args(models.ServiceEvent)}
    assert known.keys() == served.keys() == models.SERVICE_TYPES
    for kind, event in served.items():
        assert [f.name for f in dataclasses.fields(known[kind])] == [f.name for f in dataclasses.fields(event)], kind


@pytest.mark.parametrize(
    ("model", "schema"),
    [
        (models.Match, "MatchAnswer"),
        (models.SeatInfo, "SeatAnswer"),
        (models.ClockRule, "ClockAnswer"),
        (models.Awaiting, "AwaitingAnswer"),
        (models.Outcome, "OutcomeAnswer"),
        (models.Observation, "ObservationAnswer"),
        (models.Decision, "DecisionAnswer"),
        (models.Event, "EventAnswer"),
        (models.Acted, "ActAnswer"),
        (models.GameInfo, "GameAnswer"),
        (models.GameDetail, "GameDetailAnswer"),
        (models.Message, "MessageAnswer"),
        (models.Ticket, "TicketAnswer"),
        (models.Replay, "ReplayAnswer"),
        (models.ReplayView, "ReplayViewAnswer"),
        (models.Applied, "AppliedAnswer"),
        (models.Kind, "KindAnswer"),
        (models.BotInfo, "CatalogueBotAnswer"),
        (models.ThinkTime, "ThinkTimeAnswer"),
        (models.SeatRange, "SeatsAnswer"),
        (models.Webhook, "WebhookAnswer"),
        (models.NewWebhook, "WebhookCreatedAnswer"),
        (models.Delivery, "DeliveryAnswer"),
        (models.Attempt, "AttemptAnswer"),
    ],
)
def test_models_have_the_fields_that_are_served(model: Any, schema: str) -> None:
    schemas = DOCUMENT["components"]["schemas"]
    served = schemas.get(schema) or schemas[schema.removesuffix("Answer")]
    assert {field.name for field in dataclasses.fields(model)} == set(served["properties"])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_every_type_of_every_game_can_be_told_apart(game: AnyGame) -> None:
    for union in (game.action_type, game.event_type):
        types = [type_of(part) for part in get_args(union)]
        assert len(types) == len(set(types))
    service = {type_of(event) for event in get_args(models.ServiceEvent)}
    assert not service & {type_of(event) for event in get_args(game.event_type)}


def test_exports_are_listed_and_documented() -> None:
    assert list(parlour.__all__) == sorted(parlour.__all__)
    for name in parlour.__all__:
        assert hasattr(parlour, name), name
    for part in (client, errors, models):
        for name, found in inspect.getmembers(part, inspect.isclass):
            if found.__module__ == part.__name__ and not name.startswith("_"):
                assert found.__doc__, name
                assert "(" not in found.__doc__.partition("\n")[0][: len(name) + 1], (
                    f"{name} has no docstring of its own"
                )
                for method, what in inspect.getmembers(found, inspect.isfunction):
                    assert method.startswith("_") or what.__doc__, f"{name}.{method}"
