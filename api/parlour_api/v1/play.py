"""A match in play: observe, act, read what happened."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import orjson
from flask import Response, request
from werkzeug.http import parse_list_header

from ..errors import (
    IllegalAction,
    InvalidToken,
    MatchNotFound,
    MatchOpen,
    MatchOver,
    MatchRunning,
    MissingToken,
    NotReplicated,
    NotYourTurn,
    RulesVersionGone,
    StaleDecision,
    TooBusy,
    TooManyWaiters,
    ValidationError,
    WrongToken,
)
from ..rates import network
from ..reading import TICKET_S, Reading
from ..tokens import Claim
from .http import (
    ALWAYS,
    BODY_ERRORS,
    IF_NONE_MATCH,
    Routes,
    answer,
    answer_json,
    answer_reading,
    bearer,
    is_known,
    known_tag,
    no_content,
    read_place,
    service,
    write_place,
)
from .once import DOC, ONCE_ERRORS, once
from .schemas import (
    MAX_WAIT_S,
    ActAnswer,
    ActRequest,
    EventsAnswer,
    EventsQuery,
    MessageAnswer,
    MessageRequest,
    MessagesAnswer,
    ObservationAnswer,
    ObservationQuery,
    PageQuery,
    ReplayQuery,
    TicketAnswer,
)

blp = Routes("play", __name__, url_prefix="/v1", description="Observe as one seat, act, observe again.", always=ALWAYS)

_READERS = (InvalidToken, WrongToken, MatchNotFound)
_PREFER = {
    "in": "header",
    "name": "Prefer",
    "schema": {"type": "string", "example": "wait=30"},
    "description": f"`wait=N` with If-None-Match: a long poll of at most {MAX_WAIT_S} seconds that ends with 304.",
}
_STREAM = ("text/event-stream", "text/event-stream;charset=utf-8")


@blp.route("/matches/<match_id>/observation")
@blp.arguments(ObservationQuery(), location="query")
@blp.answers(
    200, ObservationAnswer, "All that this seat (no token, or the host's: a spectator) may know.",
    RulesVersionGone, TooManyWaiters, *_READERS,
    more={
        "204": {"description": "The wait is over and nothing has changed."},
        "304": {"description": "Nothing has changed since If-None-Match."},
    },
    security=[{}, {"token": []}], parameters=[IF_NONE_MATCH, _PREFER],
)  # fmt: skip
def get_observation(query: dict[str, Any], match_id: str) -> Response:
    """Observe. `ETag` includes the viewer; long poll with `after` and `wait`, or If-None-Match and `Prefer: wait=N`."""
    claim = bearer()
    if query["after"] is not None:
        version = f'"{query["after"]}-'

        def same(etag: str) -> bool:
            return etag.startswith(version)

        return answer_reading(_waited(match_id, claim, same, query["wait"] or 0.0), 204)
    if "If-None-Match" in request.headers and "Prefer" in request.headers:
        return answer_reading(_waited(match_id, claim, is_known, _preferred_wait(request.headers["Prefer"])))
    return answer_reading(service().reader.observe(match_id, claim, known_tag()))


def _waited(match_id: str, claim: Claim | None, same: Callable[[str], bool], wait: float) -> Reading:
    return service().reader.observe_after(match_id, claim, _waiter(claim), same, wait)


def _waiter(claim: Claim | None) -> str:
    """Whose share of the places a waiting request takes: its token's, or without one its address'."""
    return network(request.environ) if claim is None else claim.token


def _preferred_wait(prefer: str) -> float:
    """The wait that a Prefer header asks for first (RFC 7240), at most 55 s; what it does not understand it ignores."""
    for part in parse_list_header(prefer):
        name, _, value = part.partition(";")[0].partition("=")
        if name.strip().lower() == "wait":
            seconds = _SECONDS.fullmatch(value.strip())
            return min(float(seconds[2]), MAX_WAIT_S) if seconds else 0.0
    return 0.0


_SECONDS = re.compile(r'("?)([0-9]{1,9})\1')


@blp.route("/matches/<match_id>/actions", methods=["POST"])
@blp.arguments(ActRequest(), description="The decision that you answer, and 1 to 64 actions.")
@blp.answers(
    200, ActAnswer, "What was applied, your fresh observation, and what you saw happen.",
    *BODY_ERRORS, MissingToken, *_READERS,
    MatchOpen, MatchOver, NotYourTurn, StaleDecision, IllegalAction, RulesVersionGone, TooBusy,
    NotReplicated,
    security=[{"token": []}],
)  # fmt: skip
def act(body: dict[str, Any], match_id: str) -> Response:
    """Answer your pending decision. Sending the same again after a lost answer is safe: `replayed` is true then."""
    return answer(service().acting.act(match_id, bearer(), body["decision"], body["actions"]))


_EVENTS_DOC = {
    "more": {
        "200": {
            "description": "This viewer's events: a page, or a stream of them if `Accept` likes `text/event-stream` "
            "better than `application/json`. Who accepts neither gets a page.",
            "content": {
                "application/json": {"schema": EventsAnswer},
                "text/event-stream": {"schema": {"type": "string"}},
            },
        },
        "204": {"description": "Stream: the match is over and everything was told; do not connect again."},
    },
    "parameters": [
        {
            "in": "header",
            "name": "Last-Event-ID",
            "schema": {"type": "string"},
            "description": "Stream: the last seq that you have; goes before `after`.",
        }
    ],
    "security": [{}, {"token": []}],
}


@blp.route("/matches/<match_id>/events")
@blp.arguments(EventsQuery(), location="query")
@blp.answers(200, None, "", TooManyWaiters, *_READERS, **_EVENTS_DOC)
def list_events(query: dict[str, Any], match_id: str) -> Response:
    """What this seat (without a token: a spectator) saw happen, in order; `seq` counts this viewer's events from 1."""
    ticket, after = query["ticket"], query["after"]
    claim = service().reader.take_ticket(match_id, ticket, keep=request.method == "HEAD") if ticket else bearer()
    if request.accept_mimetypes.best_match(("application/json", *_STREAM)) not in _STREAM:
        items, last = service().reader.events(match_id, claim, after, query["limit"])
        return answer(b'{"items":%s,"next_after":%d}' % (items, last))
    last_id = request.headers.get("Last-Event-ID", "")
    if last_id.isascii() and last_id.isdigit():
        after = min(int(last_id[:12]), 2**31)
    anybodys = claim is not None and claim.seat is None and ticket  # onlookers get tickets without a token
    stream = service().reader.stream(match_id, claim, _waiter(None if anybodys else claim), after)
    if stream is None:
        return no_content(204)
    events, at_end = stream
    response = Response(events, 200, {"X-Accel-Buffering": "no"}, "text/event-stream")
    response.call_on_close(at_end)
    return response


@blp.route("/matches/<match_id>/stream-ticket", methods=["POST"])
@blp.answers(
    201, TicketAnswer, "A ticket for `?ticket=`, good for one stream.", *_READERS, security=[{}, {"token": []}]
)
def create_stream_ticket(match_id: str) -> Response:
    """A ticket that opens your event stream once, within a minute: a browser's EventSource can send no header."""
    ticket = service().reader.stream_ticket(match_id, bearer())
    return answer_json({"ticket": ticket, "expires_in_s": TICKET_S}, 201)


@blp.route("/matches/<match_id>/messages", methods=["POST"])
@blp.arguments(MessageRequest(), description="What you say, and to whom.")
@blp.answers(
    201, MessageAnswer, "What was said.",
    *BODY_ERRORS, MissingToken, MatchOver, TooBusy, *_READERS, *ONCE_ERRORS,
    security=[{"token": []}], parameters=[DOC],
)  # fmt: skip
def create_message(body: dict[str, Any], match_id: str) -> Response:
    """Table talk: to everybody, or a whisper to who holds some seats now. The server never proves a claim."""
    return once(
        lambda name: service().acting.say(match_id, bearer(), body["text"], body["to"], name), lambda said: said, 201
    )


@blp.route("/matches/<match_id>/messages")
@blp.arguments(PageQuery(), location="query")
@blp.answers(200, MessagesAnswer, "What this viewer heard.", *_READERS, security=[{}, {"token": []}])
def list_messages(query: dict[str, Any], match_id: str) -> Response:
    """What this seat (without a token: a spectator) heard at the table, oldest first."""
    after = read_place(query["cursor"])
    rows = service().reader.heard(match_id, bearer(), after, query["limit"] + 1)
    more = write_place(after + query["limit"]) if len(rows) > query["limit"] else None
    items = orjson.Fragment(b"[" + b",".join(rows[: query["limit"]]) + b"]")
    return answer_json({"items": items, "next_cursor": more})


_REPLAY = [{"$ref": f"#/components/schemas/{name}"} for name in ("ReplayAnswer", "ReplayViewAnswer")]
_REPLAY_DOC = {
    "description": "The whole match; with `version`, what one seat (left out: a spectator) saw then.",
    "content": {"application/json": {"schema": {"anyOf": _REPLAY}}},
}


@blp.route("/matches/<match_id>/replay")
@blp.arguments(ReplayQuery(), location="query")
@blp.answers(
    200, None, "", MatchRunning, RulesVersionGone, *_READERS,
    more={"200": _REPLAY_DOC}, security=[{}, {"token": []}],
)  # fmt: skip
def get_replay(query: dict[str, int | None], match_id: str) -> Response:
    """After the end: seeds, entropies, seats and every action, or one seat's view at any version."""
    version, seat = query["version"], query["seat"]
    if version is not None:
        return answer(service().reader.replay_view(match_id, bearer(), seat, version))
    if seat is not None:
        raise ValidationError(errors=[{"pointer": "/seat", "detail": "needs version too: the view at which version?"}])
    return answer(service().reader.replay(match_id, bearer()))
