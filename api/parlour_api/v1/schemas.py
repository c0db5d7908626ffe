"""Requests as they are validated, and answers as they are documented."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from ..match import ClockRule
from ..seating import NewMatch, NewSeat
from ..webhooks import TYPES

MAX_WAIT_S = 55
"""The longest that a long poll is held back."""
MOST = 2**31 - 1
"""More than any match has versions or events."""

_BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _name(text: str) -> None:
    if not 1 <= len(text) <= 40 or not text.strip():
        raise ValidationError("must be 1 to 40 characters, not only spaces")
    if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _BIDI for char in text):
        raise ValidationError("must hold no control and no bidirectional-override characters")


def _hex_seed(text: str) -> None:
    if not re.fullmatch(r"([0-9a-f]{2}){16,32}", text):
        raise ValidationError("must be 32 to 64 hex digits in lower case, an even number of them")


def name_field(**metadata: Any) -> fields.String:
    return fields.String(
        validate=_name, metadata={"minLength": 1, "maxLength": 40, "description": "1 to 40 characters.", **metadata}
    )


class Seconds(fields.Float):
    """A number of seconds; a string is none."""

    def _validated(self, value: Any) -> float:
        if isinstance(value, str):
            raise ValidationError("must be a number, not a string")
        return super()._validated(value)


class Whole(fields.Integer):
    """A whole number of a query, in plain digits and nothing else that Python would read as one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_none=False, **options)  # a query cannot say null

    def _validated(self, value: Any) -> int:
        if not value.isascii() or not value.isdigit():
            raise ValidationError("must be a whole number in plain digits, such as 20")
        return super()._validated(value)


class Plain(fields.Float):
    """A number of a query, written as in JSON."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_none=False, **options)

    def _validated(self, value: Any) -> float:
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", value):
            raise ValidationError("must be a number, such as 30 or 0.5")
        return super()._validated(value)


class Typed(fields.Raw):
    """A value of a game's own type: documented by the component of that name, which is drawn from its dataclasses."""

    def __init__(self, component: str, **options: Any) -> None:
        super().__init__(**options)
        self.component = component


class Metadata(fields.Dict):
    """Texts by name, few and short; each fault is told at its name."""

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> dict[str, str]:
        pairs: dict[str, str] = super()._deserialize(value, *args, **more)
        if len(pairs) > 20:
            raise ValidationError("must be at most 20 texts")
        faults = {
            name: ["must be a text of at most 500 characters, its name 1 to 40 characters long"]
            for name, text in pairs.items()
            if not 1 <= len(name) <= 40 or not isinstance(text, str) or len(text) > 500
        }
        if faults:
            raise ValidationError(faults)
        return pairs


class SeatRequest(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(["open", "mine", "bot"]))
    name = name_field()
    bot = fields.String(
        validate=validate.Length(1, 40),
        metadata={"description": "A bot's id; left out, the game's strongest. For kind bot only."},
    )

    @post_load
    def _made(self, data: dict[str, Any], **_: Any) -> NewSeat:
        if data["kind"] != "bot" and "bot" in data:
            raise ValidationError("only a seat of kind bot names a bot", "bot")
        return NewSeat(**data)


class ClockRequest(Schema):
    per_decision_s = Seconds(
        validate=validate.Range(0.05, 30 * 86400),
        metadata={"description": "Seconds for each decision; each owing seat has its own deadline."},
    )
    bank_s = Seconds(
        validate=validate.Range(1, 30 * 86400),
        metadata={"description": "Each seat's time bank: pays for what a decision takes beyond per_decision_s."},
    )
    increment_s = Seconds(
        validate=validate.Range(0, 86400),
        metadata={"description": "What a seat's bank gains with each answer. Needs bank_s."},
    )
    takeover_after = fields.Integer(
        strict=True,
        validate=validate.Range(1, 100),
        metadata={"description": "After so many expiries in a row a house bot plays the seat until its token returns."},
    )
    on_expiry = fields.String(
        load_default="bot_move",
        validate=validate.OneOf(["bot_move", "default_move", "forfeit"]),
        metadata={"description": "What happens when the time ends."},
    )

    @post_load
    def _made(self, data: dict[str, Any], **_: Any) -> ClockRule:
        if "per_decision_s" not in data and "bank_s" not in data:
            raise ValidationError("a clock needs per_decision_s or bank_s", "per_decision_s")
        if "increment_s" in data and "bank_s" not in data:
            raise ValidationError("an increment needs bank_s, which it goes into", "increment_s")
        return ClockRule(**data)


class MatchRequest(Schema):
    game = fields.String(required=True, validate=validate.Length(1, 40))
    seats = fields.List(fields.Nested(SeatRequest), required=True, validate=validate.Length(1, 20))
    options = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "The game's options; see the game's options_schema.", "additionalProperties": True},
    )
    clock = fields.Nested(ClockRequest, load_default=None, allow_none=True)
    visibility = fields.String(load_default="public", validate=validate.OneOf(["public", "private"]))
    start = fields.String(
        load_default="auto",
        validate=validate.OneOf(["auto", "manual"]),
        metadata={"description": "auto: starts by itself once all seats are taken; manual: the host starts it."},
    )
    entropy = fields.String(
        load_default="optional",
        validate=validate.OneOf(["optional", "awaited"]),
        metadata={"description": "awaited: the start waits until every human seat has sent its entropy."},
    )
    seed = fields.String(
        load_default=None,
        allow_none=True,
        validate=_hex_seed,
        metadata={
            "description": "32 to 64 hex digits; marks the match open_seed: whoever knows the seed knows all.",
            "pattern": "^([0-9a-f]{2}){16,32}$",
        },
    )

    metadata = Metadata(
        load_default=None,
        allow_none=True,
        metadata={
            "description": "Needs an API key. At most 20 texts of your own (names of 1 to 40 characters, values of at "
            "most 500), shown to that key and to nobody else.",
            "maxProperties": 20,
            "propertyNames": {"minLength": 1, "maxLength": 40},
            "additionalProperties": {"type": "string", "maxLength": 500},
        },
    )

    @post_load
    def _made(self, data: dict[str, Any], **_: Any) -> NewMatch:
        if data["entropy"] == "awaited" and data["seed"] is not None:
            raise ValidationError("a match with a given seed takes no entropy: leave one of the two out", "entropy")
        return NewMatch(**data)


class FillRequest(SeatRequest):
    kind = fields.String(required=True, validate=validate.OneOf(["open", "bot"]))


class JoinRequest(Schema):
    seat = fields.Integer(strict=True, load_default=None, allow_none=True, validate=validate.Range(0, 19))
    name = name_field()
    join_code = fields.String(load_default=None, allow_none=True, validate=validate.Length(1, 40))


class EntropyRequest(Schema):
    entropy = fields.String(
        required=True,
        validate=_hex_seed,
        metadata={"description": "32 to 64 random hex digits of your own.", "pattern": "^([0-9a-f]{2}){16,32}$"},
    )


class ReplayQuery(Schema):
    seat = Whole(load_default=None, validate=validate.Range(0, 19))
    version = Whole(load_default=None, validate=validate.Range(0, MOST))


class ObservationQuery(Schema):
    after = Whole(
        load_default=None,
        validate=validate.Range(0, MOST),
        metadata={"description": "Long poll: answer as soon as the version differs from this one."},
    )
    wait = Plain(
        load_default=None,
        validate=validate.Range(0, MAX_WAIT_S),
        metadata={"description": "Long poll: for at most this many seconds, then 204. Needs `after`."},
    )

    @validates_schema
    def _together(self, data: dict[str, Any], **_: Any) -> None:
        if data.get("wait") is not None and data.get("after") is None:
            raise ValidationError(
                "needs after, the version that you have; with If-None-Match, send Prefer: wait=N", "wait"
            )


class ActRequest(Schema):
    decision = fields.String(
        required=True,
        validate=validate.Length(1, 64),
        metadata={"description": "`decision.id` of the observation that you decided from: the concurrency token."},
    )
    actions = fields.List(
        Typed("ActionRequest"),
        required=True,
        validate=validate.Length(1, 64),
        metadata={"description": "Applied in order; all or none up to the first new information, where it stops."},
    )


class PageQuery(Schema):
    limit = Whole(load_default=20, validate=validate.Range(1, 100))
    cursor = fields.String(load_default=None, validate=validate.Length(1, 100))


class GameQuery(Schema):
    deck = fields.String(load_default=None, validate=validate.Length(1, 100))


class LobbyQuery(PageQuery):
    game = fields.String(load_default=None)
    status = fields.String(
        load_default=None, validate=validate.OneOf(["open", "playing", "finished", "cancelled", "abandoned"])
    )
    has_open_seat = fields.Boolean(load_default=None, truthy={"true"}, falsy={"false"})


def _no_two(items: list[str]) -> None:
    if len(set(items)) < len(items):
        raise ValidationError("must not name one twice")


def _text(text: str) -> None:
    if not text.strip():
        raise ValidationError("must not be empty")
    _printable(text)


def _printable(text: str) -> None:
    if any(unicodedata.category(char) in ("Cc", "Cs") and char != "\n" for char in text):
        raise ValidationError("must hold no control characters but line breaks")


class MessageRequest(Schema):
    text = fields.String(
        required=True, validate=[validate.Length(1, 500), _text], metadata={"minLength": 1, "maxLength": 500}
    )
    to = fields.List(
        fields.Integer(strict=True, validate=validate.Range(0, 19)),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, 20),
        metadata={"description": "Seats that hear it; left out, the whole table and its spectators."},
    )


class WebhookRequest(Schema):
    url = fields.String(
        required=True,
        validate=validate.Length(1, 500),
        metadata={"description": "https:// (or http://), to an address of the public internet. No redirects."},
    )
    events = fields.List(
        fields.String(validate=validate.OneOf(TYPES)),
        load_default=None,
        allow_none=True,
        validate=[validate.Length(1, len(TYPES)), _no_two],
        metadata={"description": "What to be told; left out, all of these.", "uniqueItems": True},
    )
    description = fields.String(load_default="", validate=[validate.Length(0, 200), _printable])


class EventsQuery(Schema):
    after = Whole(
        load_default=0, validate=validate.Range(0, MOST), metadata={"description": "The last seq that you have."}
    )
    limit = Whole(
        load_default=100, validate=validate.Range(1, 500), metadata={"description": "Of a page; a stream has none."}
    )
    ticket = fields.String(
        load_default=None,
        validate=validate.Length(1, 64),
        metadata={"description": "For a stream: a stream ticket in place of the Authorization header."},
    )


# Answers: documentation only, the bytes are written by wire.py.


class SeatAnswer(Schema):
    seat = fields.Integer(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(["human", "bot"]))
    name = fields.String(required=True)
    bot = fields.String(required=True, allow_none=True)
    taken = fields.Boolean(required=True)
    played_by = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf(["human", "bot"]),
        metadata={"enum": ["human", "bot", None]},
    )
    forfeited = fields.Boolean(required=True)
    entropy_given = fields.Boolean(required=True)
    bank_s = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Seconds left in its time bank, when its last decision opened."},
    )


class ClockAnswer(Schema):
    per_decision_s = fields.Float(required=True)
    bank_s = fields.Float(required=True, allow_none=True)
    increment_s = fields.Float(required=True)
    takeover_after = fields.Integer(required=True)
    on_expiry = fields.String(required=True, validate=validate.OneOf(["bot_move", "default_move", "forfeit"]))


class AwaitingAnswer(Schema):
    seat = fields.Integer(required=True)
    since = fields.DateTime(required=True)
    deadline = fields.DateTime(required=True, allow_none=True)
    on_expiry = fields.String(required=True, allow_none=True)


class OutcomeAnswer(Schema):
    winners = fields.List(fields.Integer(), required=True)
    scores = fields.List(fields.Integer(), required=True, allow_none=True)
    reason = fields.String(required=True)
    text = fields.String(required=True)


_STATUS = validate.OneOf(["open", "playing", "finished", "cancelled", "abandoned"])


class MatchAnswer(Schema):
    id = fields.String(required=True)
    game = fields.String(required=True)
    game_version = fields.String(required=True)
    options = fields.Dict(required=True, metadata={"additionalProperties": True})
    status = fields.String(required=True, validate=_STATUS)
    visibility = fields.String(required=True, validate=validate.OneOf(["public", "private"]))
    seats = fields.List(fields.Nested(SeatAnswer), required=True)
    clock = fields.Nested(ClockAnswer, required=True, allow_none=True)
    version = fields.Integer(required=True)
    awaiting = fields.List(fields.Nested(AwaitingAnswer), required=True)
    outcome = fields.Nested(OutcomeAnswer, required=True, allow_none=True)
    commitment = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "SHA-256 of the server's part of the seed, hex; the replay reveals it. null: open_seed."
        },
    )
    open_seed = fields.Boolean(required=True)
    created_at = fields.DateTime(required=True)
    started_at = fields.DateTime(required=True, allow_none=True)
    finished_at = fields.DateTime(required=True, allow_none=True)
    metadata = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={"description": "Only in what the API key that created the match is told of it."},
    )


class AppliedAnswer(Schema):
    version = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    action = fields.Integer(required=True, allow_none=True, metadata={"description": "null: the seat forfeited"})


class ReplayAnswer(MatchAnswer):
    server_seed = fields.String(required=True, allow_none=True)
    entropies = fields.List(fields.String(allow_none=True), required=True)
    seed = fields.String(
        required=True, metadata={"description": "HMAC-SHA-256(server_seed, JSON array of the entropies), hex."}
    )
    actions = fields.List(fields.Nested(AppliedAnswer), required=True)


class ReplayViewAnswer(Schema):
    match = fields.String(required=True)
    game = fields.String(required=True)
    version = fields.Integer(required=True)
    seat = fields.Integer(required=True, allow_none=True)
    view = Typed("View", required=True)


class SeatTokenAnswer(Schema):
    seat = fields.Integer(required=True)
    token = fields.String(required=True)


class CreatedAnswer(Schema):
    match = fields.Nested(MatchAnswer, required=True)
    host_token = fields.String(required=True)
    seat_tokens = fields.List(fields.Nested(SeatTokenAnswer), required=True)
    join_code = fields.String(metadata={"description": "Private matches only."})


class JoinedAnswer(Schema):
    match = fields.Nested(MatchAnswer, required=True)
    seat = fields.Integer(required=True)
    token = fields.String(required=True)


class MatchesAnswer(Schema):
    items = fields.List(fields.Nested(MatchAnswer), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class DecisionAnswer(Schema):
    id = fields.String(required=True)
    kind = fields.String(required=True)
    prompt = fields.String(required=True)
    deadline = fields.DateTime(required=True, allow_none=True)
    legal_actions = fields.List(Typed("LegalAction"), required=True)


class ObservationAnswer(Schema):
    match = fields.String(required=True)
    game = fields.String(required=True)
    game_version = fields.String(required=True)
    version = fields.Integer(required=True)
    status = fields.String(required=True, validate=_STATUS)
    seat = fields.Integer(required=True, allow_none=True, metadata={"description": "null for a spectator"})
    awaiting = fields.List(fields.Nested(AwaitingAnswer), required=True)
    decision = fields.Nested(DecisionAnswer, required=True, allow_none=True)
    view = Typed("View", required=True)
    outcome = fields.Nested(OutcomeAnswer, required=True, allow_none=True)


class EventAnswer(Schema):
    seq = fields.Integer(required=True)
    version = fields.Integer(required=True)
    at = fields.DateTime(required=True)
    event = Typed("Event", required=True)


class EventsAnswer(Schema):
    items = fields.List(fields.Nested(EventAnswer), required=True)
    next_after = fields.Integer(required=True, metadata={"description": "Send it as `after` to go on."})


class TicketAnswer(Schema):
    ticket = fields.String(required=True)
    expires_in_s = fields.Integer(required=True)


class MessageAnswer(Schema):
    at = fields.DateTime(required=True)
    seat = fields.Integer(required=True)
    to = fields.List(fields.Integer(), required=True, allow_none=True)
    text = fields.String(required=True)


class MessagesAnswer(Schema):
    items = fields.List(fields.Nested(MessageAnswer), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class ActAnswer(Schema):
    applied = fields.Integer(required=True, metadata={"description": "How many actions of the list were applied."})
    replayed = fields.Boolean(required=True, metadata={"description": "True if this act had taken effect before."})
    observation = fields.Nested(ObservationAnswer, required=True)
    events = fields.List(fields.Nested(EventAnswer), required=True)


class WebhookAnswer(Schema):
    id = fields.String(required=True)
    url = fields.String(required=True)
    events = fields.List(fields.String(validate=validate.OneOf(TYPES)), required=True)
    description = fields.String(required=True)
    created_at = fields.DateTime(required=True)
    disabled_at = fields.DateTime(
        required=True, allow_none=True, metadata={"description": "When it answered 410 Gone; nothing is sent since."}
    )


class WebhookCreatedAnswer(WebhookAnswer):
    secret = fields.String(required=True, metadata={"description": "whsec_…; keep it, it is not shown again."})


class WebhooksAnswer(Schema):
    items = fields.List(fields.Nested(WebhookAnswer), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class AttemptAnswer(Schema):
    at = fields.DateTime(required=True)
    status = fields.Integer(required=True, allow_none=True, metadata={"description": "HTTP status; null: none came."})
    error = fields.String(required=True, allow_none=True, metadata={"description": "Why none came."})


class DeliveryAnswer(Schema):
    id = fields.String(required=True, metadata={"description": "Also the header webhook-id, the same in each attempt."})
    type = fields.String(required=True)
    match = fields.String(required=True)
    state = fields.String(required=True, validate=validate.OneOf(["pending", "delivered", "failed"]))
    created_at = fields.DateTime(required=True)
    next_attempt_at = fields.DateTime(required=True, allow_none=True)
    attempts = fields.List(fields.Nested(AttemptAnswer), required=True)


class DeliveriesAnswer(Schema):
    items = fields.List(fields.Nested(DeliveryAnswer), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class WebhookDataAnswer(Schema):
    match = fields.Nested(
        MatchAnswer,
        required=True,
        metadata={"description": "As it was right after this: as a spectator sees it, and your metadata."},
    )
    seat = fields.Integer(metadata={"description": "match.seat_changed: the seat that was taken, left or given."})
    seats = fields.List(
        fields.Integer(), metadata={"description": "match.turn: the players' seats that it waits for now."}
    )


class WebhookEventAnswer(Schema):
    type = fields.String(required=True, validate=validate.OneOf(TYPES))
    timestamp = fields.DateTime(required=True, metadata={"description": "When it happened."})
    data = fields.Nested(WebhookDataAnswer, required=True)


class BotAnswer(Schema):
    id = fields.String(required=True)
    title = fields.String(required=True)
    strength = fields.String(required=True)


class ThinkTimeAnswer(Schema):
    min = fields.Float(required=True)
    max = fields.Float(required=True)


class CatalogueBotAnswer(BotAnswer):
    game = fields.String(required=True)
    think_time_s = fields.Nested(
        ThinkTimeAnswer,
        required=True,
        metadata={
            "description": "How long it takes over an offer or a secret decision (its kind is `answering`): drawn each "
            "time without looking at its hand, and never beyond the decision's deadline. All else it does at once."
        },
    )


class SeatsAnswer(Schema):
    min = fields.Integer(required=True)
    max = fields.Integer(required=True)


class GameAnswer(Schema):
    id = fields.String(required=True)
    title = fields.String(required=True)
    version = fields.String(required=True)
    summary = fields.String(required=True)
    seats = fields.Nested(SeatsAnswer, required=True)
    decks = fields.List(fields.String(), required=True)
    options_schema = fields.Dict(required=True, metadata={"description": "JSON Schema", "additionalProperties": True})
    bots = fields.List(fields.Nested(BotAnswer), required=True)


class KindAnswer(Schema):
    name = fields.String(required=True)
    prompt = fields.String(required=True)
    answering = fields.Boolean(required=True)


class GameDetailAnswer(GameAnswer):
    kinds = fields.List(fields.Nested(KindAnswer), required=True)
    deck = fields.String(required=True, metadata={"description": "The deck that `data` is of."})
    data = fields.Dict(
        required=True, metadata={"description": "Cards and boards of the deck.", "additionalProperties": True}
    )
    actions = fields.Dict(
        required=True,
        metadata={
            "description": "The action space by number of seats; an action's id is its place.",
            "additionalProperties": True,
        },
    )
    rules = fields.String(
        required=True, metadata={"description": "The numbered rules, Markdown, [book]/[house] marked."}
    )
    common_rules = fields.String(
        required=True, metadata={"description": "The rules that all games share (CM), in the same form."}
    )


class GamesAnswer(Schema):
    items = fields.List(fields.Nested(GameAnswer), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class BotsAnswer(Schema):
    items = fields.List(fields.Nested(CatalogueBotAnswer), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class UpAnswer(Schema):
    status = fields.String(required=True, validate=validate.OneOf(["up"]))


class ReadyAnswer(Schema):
    status = fields.String(required=True, validate=validate.OneOf(["ready"]))
    checks = fields.Dict(
        fields.String(),
        fields.Boolean(),
        required=True,
        metadata={"description": "Each part, and whether it answers."},
    )


class FaultAnswer(Schema):
    pointer = fields.String(required=True)
    detail = fields.String(required=True)


class ProblemAnswer(Schema):
    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    instance = fields.String(required=True)
    code = fields.String(required=True)
    request_id = fields.String(required=True)
    errors = fields.List(fields.Nested(FaultAnswer), metadata={"description": "validation_error: each fault."})
    reason = fields.String(metadata={"description": "Refused acts: which rule says no, from what the seat may know."})
    pointer = fields.String(metadata={"description": "illegal_action: which action of the list."})
    observation = fields.Nested(ObservationAnswer, metadata={"description": "Refused acts: the seat's fresh view."})
    checks = fields.Dict(
        metadata={"description": "not_ready: each part and whether it answers.", "additionalProperties": True}
    )
