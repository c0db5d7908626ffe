"""Webhooks: a partner is told what happens in its matches, at an address of its own."""

from __future__ import annotations

from typing import Any

from flask import Response

from .. import wire
from ..errors import (
    DeliveryNotFound,
    InvalidToken,
    MissingToken,
    TooBusy,
    TooManyWebhooks,
    UrlRefused,
    WebhookNotFound,
    WrongToken,
)
from ..webhooks import Delivery, Webhook
from .http import ALWAYS, BODY_ERRORS, Routes, answer_json, bearer, no_content, read_made, service, write_made
from .once import DOC, ONCE_ERRORS, once
from .schemas import (
    DeliveriesAnswer,
    DeliveryAnswer,
    PageQuery,
    WebhookAnswer,
    WebhookCreatedAnswer,
    WebhookRequest,
    WebhooksAnswer,
)

blp = Routes(
    "webhooks", __name__, url_prefix="/v1", description="For partners, with an API key: be told.", always=ALWAYS
)

_KEY = (MissingToken, InvalidToken, WrongToken)
_SECURED: dict[str, Any] = {"security": [{"token": []}]}


def _key() -> str:
    """The name of the API key that this request must come with."""
    claim = bearer()
    if claim is None:
        raise MissingToken("This operation needs an API key, sent as Authorization: Bearer key_...")
    if claim.key is None:
        raise WrongToken("This operation needs an API key; a seat's or a host's token does not open it.")
    return claim.key


@blp.route("/webhooks", methods=["POST"])
@blp.arguments(WebhookRequest(), description="Where to, and which events.")
@blp.answers(
    201, WebhookCreatedAnswer, "The webhook, and the secret that signs its deliveries: shown here only.",
    UrlRefused, TooManyWebhooks, TooBusy, *BODY_ERRORS, *_KEY, *ONCE_ERRORS,
    parameters=[DOC], **_SECURED,
)  # fmt: skip
def create_webhook(body: dict[str, Any]) -> Response:
    """Be told of what happens in matches that this API key creates, from now on. See the section `webhooks`."""
    key = _key()

    def make(name: str | None) -> dict[str, Any]:
        return _webhook(service().webhooks.create(key, body["url"], body["events"], body["description"], name))

    def finish(made: dict[str, Any]) -> dict[str, Any] | None:
        try:
            return {**made, "secret": service().webhooks.secret(key, made["id"])}
        except WebhookNotFound:
            return None

    return once(make, finish, 201, lambda made: f"/v1/webhooks/{made['id']}")


@blp.route("/webhooks")
@blp.arguments(PageQuery(), location="query")
@blp.answers(200, WebhooksAnswer, "A page of your webhooks.", *_KEY, **_SECURED)
def list_webhooks(query: dict[str, Any]) -> Response:
    """The webhooks of this API key, newest first."""
    found, more = service().webhooks.page(_key(), read_made(query["cursor"]), query["limit"])
    return answer_json({"items": [_webhook(each) for each in found], "next_cursor": write_made(more)})


@blp.route("/webhooks/<webhook_id>")
@blp.answers(200, WebhookAnswer, "The webhook.", WebhookNotFound, *_KEY, **_SECURED)
def get_webhook(webhook_id: str) -> Response:
    """One of this API key's webhooks, without its secret."""
    return answer_json(_webhook(service().webhooks.get(_key(), webhook_id)))


@blp.route("/webhooks/<webhook_id>", methods=["DELETE"])
@blp.answers(204, None, "It is gone.", WebhookNotFound, *_KEY, **_SECURED)
def delete_webhook(webhook_id: str) -> Response:
    """Forget a webhook, its secret and its deliveries. What is owed to it is not sent any more."""
    service().webhooks.delete(_key(), webhook_id)
    return no_content(204)


@blp.route("/webhooks/<webhook_id>/deliveries")
@blp.arguments(PageQuery(), location="query")
@blp.answers(200, DeliveriesAnswer, "A page of deliveries.", WebhookNotFound, *_KEY, **_SECURED)
def list_deliveries(query: dict[str, Any], webhook_id: str) -> Response:
    """What a webhook was sent and is to be sent, newest first, with every attempt. Kept for seven days."""
    before = read_made(query["cursor"])
    found, more = service().webhooks.deliveries(_key(), webhook_id, before, query["limit"])
    return answer_json({"items": [_delivery(each) for each in found], "next_cursor": write_made(more)})


@blp.route("/webhooks/<webhook_id>/deliveries/<delivery_id>/resend", methods=["POST"])
@blp.answers(
    202, DeliveryAnswer, "It is due now.", WebhookNotFound, DeliveryNotFound, TooBusy, *_KEY, **_SECURED
)  # fmt: skip
def resend_delivery(webhook_id: str, delivery_id: str) -> Response:
    """Send a delivery again, with the same id and body, whatever came of it before; with all tries if it needs them."""
    return answer_json(_delivery(service().webhooks.resend(_key(), webhook_id, delivery_id)), 202)


def _webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": webhook.events,
        "description": webhook.description,
        "created_at": wire.instant(webhook.created_at),
        "disabled_at": wire.instant(webhook.disabled_at),
    }


def _delivery(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "type": delivery.type,
        "match": delivery.match,
        "state": delivery.state,
        "created_at": wire.instant(delivery.created_at),
        "next_attempt_at": wire.instant(delivery.next_at),
        "attempts": [
            {"at": wire.instant(each.at), "status": each.status, "error": each.error} for each in delivery.attempts
        ],
    }
