"""The jobs, by the names that the API uses. Arguments are ids; running one twice is harmless; late ones do nothing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache

import redis
from parlour_api.errors import TooBusy
from parlour_api.service import Service
from parlour_api.settings import read_settings
from parlour_api.wiring import make_service

from .couriers import Couriers

log = logging.getLogger(__name__)


@cache
def service() -> Service:
    """This process's service, made when first asked for."""
    return make_service(read_settings())


@cache
def couriers() -> Couriers:
    """This process's threads for webhooks."""
    return Couriers(service().webhooks.serve)


def play_bots(match_id: str) -> None:
    """Play the house bots of a match until a human owes a decision, or hand on when the time budget is over.

    What fails for a reason that passes is handed out again by the ticker.
    """
    try:
        if service().acting.play_bots(match_id):
            service().acting.hand_on(match_id)
    except redis.RedisError as error:
        log.warning("bot turn put off", extra={"match": match_id, "error": type(error).__name__})


def expire(match_ids: Sequence[str]) -> None:
    """Do what the clock says in each of these matches. One that fails is handed out again by the ticker."""
    for match_id in match_ids:
        try:
            service().acting.expire(match_id)
        except (TooBusy, redis.RedisError) as error:
            log.warning("expiry put off", extra={"match": match_id, "error": type(error).__name__})


def spread(shards: Sequence[int]) -> None:
    """Hand what these shards tell to partners to the webhooks that it concerns."""
    for shard in shards:
        service().webhooks.spread(shard)


def deliver(webhook_ids: Sequence[str]) -> None:
    """Begin to send these webhooks what they are owed."""
    couriers().send(webhook_ids)
