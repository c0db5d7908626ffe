"""Every key in Redis: name, type, what it holds, how long it lives. ``NN`` is the shard of the match, 00 to 15.

| key | type | holds | lives |
|---|---|---|---|
| ``{sNN}:mat_x`` | hash | one match | ``idle_ttl_s`` beyond its deadlines; once finished ``finished_ttl_s`` |
| ``{sNN}:mat_x:events:<viewer>`` | list | that viewer's events, JSON; seq is the place, from 1 | with its match |
| ``{sNN}:mat_x:messages:<viewer>`` | list | what that viewer heard at the table, JSON | with its match |
| ``{sNN}:mat_x:ticket:<digest>`` | string | whose stream a ticket opens, once: viewer, nonce | 60 s |
| ``{sNN}:mat_x:said:<name>`` | string | a message, by the name of the request that said it | 24 h |
| ``{sNN}:mat_x:log`` | list | what was applied, for the replay: ``[version, seat, action]`` | with its match |
| ``{sNN}:deadlines`` | sorted set | match ids by their earliest deadline, ms | while one is set |
| ``{sNN}:turns`` | sorted set | match ids by when a bot's turn is to be handed out (again), ms | while a bot owes |
| ``{sNN}:outbox`` | sorted set | what partners are to be told of the shard's matches, JSON, by its time, ms | a day |
| ``{sNN}:aside`` | sorted set | what of the outbox waits for a worker that knows its partner | a day |
| ``{sNN}:partners`` | sorted set | ``outbox``, ``aside`` and ids of webhooks by when they are due, ms | while one is |
| ``{sNN}:whk_x`` | hash | one webhook: ``record``, ``secret`` | until it is deleted |
| ``{sNN}:whk_x:due`` | sorted set | its deliveries that are owed, by when the next attempt is due, ms | while one is |
| ``{sNN}:whk_x:deliveries`` | sorted set | its deliveries by creation, ms | 7 days after the last one |
| ``{sNN}:whk_x:dlv_y`` | hash | one delivery: ``record``, ``body`` as it is sent | 7 days |
| ``parlour:webhooks:<name>`` | sorted set | ids of that partner's webhooks by creation, ms | until they are deleted |
| ``parlour:once:<digest>`` | string | the answer to a creating request, by its Idempotency-Key | 24 h |
| ``parlour:rate:<quota>:<caller>:<window>`` | string | how much of a quota is used up, see ``rates.py`` | its window |
| ``parlour:lobby`` | sorted set | public match ids by creation, ms | entries until their match is gone |
| ``parlour:metrics`` | hash | sums over all processes, see ``metrics.py`` | for ever |
| ``parlour:wake`` | channel | the id of a match that has changed | |
| ``parlour:probe`` | | nothing: ``/readyz`` asks whether it could be written | |
| ``rq:*`` | | RQ's own, on the queue's server | |

Fields of a match's hash: ``version``; ``commit``, id of the last one; ``auth``, visibility and nonces; ``record``;
``state``; ``length``, how many events the last actor's list then held;
``obs:<viewer>``, that viewer's ready bytes at this version; ``act:<decision>``, kept answers.

When somebody takes a seat, its lists of events and messages begin anew, as copies of the spectator's.

All keys of a match share its shard's hash tag, so one script can write them and a cluster keeps them in one slot. The
same holds for a webhook, whose id names a shard of its own.
"""

from __future__ import annotations

import re
from hashlib import sha256

SHARDS = 16
LOBBY = "parlour:lobby"
WAKE = "parlour:wake"
METRICS = "parlour:metrics"
PROBE = "parlour:probe"
ONCE = "parlour:once:"
RATE = "parlour:rate"
OUTBOX = "outbox"
"""The outbox's name among a shard's partners."""
ASIDE = "aside"
"""Likewise of what was set aside."""

_WEBHOOK_ID = re.compile(r"whk_[0-9a-f][a-z2-7]{16}")
_DELIVERY_ID = re.compile(r"dlv_[a-z2-7]{24}")
_MATCH_ID = re.compile(r"mat_[0-9a-f][a-z2-7]{16}")


def is_match_id(text: str) -> bool:
    """Whether this could be a match's id: ``mat_``, the shard as a hex digit, 16 letters."""
    return _MATCH_ID.fullmatch(text) is not None


def tag(shard: int) -> str:
    """The hash tag of a shard."""
    return f"{{s{shard:02d}}}"


def shard_of(an_id: str) -> int:
    """The shard that the id of a match or a webhook names."""
    return int(an_id[4], 16)


def match_key(match_id: str) -> str:
    """The match's hash."""
    return f"{tag(shard_of(match_id))}:{match_id}"


def viewer_name(viewer: int | None) -> str:
    """A seat's number, or ``s`` for the spectator."""
    return "s" if viewer is None else str(viewer)


def events_key(match_id: str, viewer: int | None) -> str:
    """The list of one viewer's events."""
    return f"{match_key(match_id)}:events:{viewer_name(viewer)}"


def messages_key(match_id: str, viewer: int | None) -> str:
    """The list of what one viewer heard."""
    return f"{match_key(match_id)}:messages:{viewer_name(viewer)}"


def ticket_key(match_id: str, ticket: str) -> str:
    """A stream ticket's place."""
    return f"{match_key(match_id)}:ticket:{sha256(ticket.encode()).hexdigest()[:32]}"


def said_key(match_id: str, name: str) -> str:
    """What a request of that name said."""
    return f"{match_key(match_id)}:said:{name}"


def log_key(match_id: str) -> str:
    """The list of what was applied."""
    return f"{match_key(match_id)}:log"


def deadlines_key(shard: int) -> str:
    """The shard's deadlines."""
    return f"{tag(shard)}:deadlines"


def turns_key(shard: int) -> str:
    """The shard's house bot turns."""
    return f"{tag(shard)}:turns"


def outbox_key(shard: int) -> str:
    """What partners are to be told of the shard's matches."""
    return f"{tag(shard)}:{OUTBOX}"


def aside_key(shard: int) -> str:
    """What of the outbox waits for a worker that knows its partner."""
    return f"{tag(shard)}:{ASIDE}"


def partners_key(shard: int) -> str:
    """Where there is something to do for partners: the shard's outbox, what was set aside, its webhooks."""
    return f"{tag(shard)}:partners"


def is_webhook_id(text: str) -> bool:
    """Whether this could be a webhook's id: ``whk_``, its shard as a hex digit, 16 letters."""
    return _WEBHOOK_ID.fullmatch(text) is not None


def is_delivery_id(text: str) -> bool:
    """Whether this could be a delivery's id."""
    return _DELIVERY_ID.fullmatch(text) is not None


def webhook_key(webhook_id: str) -> str:
    """The webhook's hash."""
    return f"{tag(shard_of(webhook_id))}:{webhook_id}"


def due_key(webhook_id: str) -> str:
    """The webhook's deliveries that are owed."""
    return f"{webhook_key(webhook_id)}:due"


def deliveries_key(webhook_id: str) -> str:
    """The webhook's deliveries, all of them."""
    return f"{webhook_key(webhook_id)}:deliveries"


def delivery_key(webhook_id: str, delivery_id: str) -> str:
    """The hash of one delivery."""
    return f"{webhook_key(webhook_id)}:{delivery_id}"


def webhooks_key(name: str) -> str:
    """The webhooks of a partner."""
    return f"parlour:webhooks:{name}"
