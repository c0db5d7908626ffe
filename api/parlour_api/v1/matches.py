"""Matches until they start: create, list, read, join, fill, start, leave."""

from __future__ import annotations

from typing import Any

from flask import Response

from .. import wire
from ..errors import (
    EntropyAwaited,
    GameNotFound,
    HostIsPlayer,
    InvalidToken,
    MatchNotFound,
    MatchOpen,
    MatchOver,
    MatchStarted,
    MissingToken,
    NoOpenSeat,
    NotFound,
    NotReplicated,
    RulesVersionGone,
    SeatsOpen,
    SeatTaken,
    SeedGiven,
    TooBusy,
    WrongToken,
)
from ..seating import NewMatch, NewSeat
from ..tokens import key_of
from .http import (
    ALWAYS,
    BODY_ERRORS,
    IF_NONE_MATCH,
    Routes,
    answer_json,
    answer_reading,
    bearer,
    read_made,
    service,
    write_made,
)
from .once import DOC, ONCE_ERRORS, once
from .schemas import (
    CreatedAnswer,
    EntropyRequest,
    FillRequest,
    JoinedAnswer,
    JoinRequest,
    LobbyQuery,
    MatchAnswer,
    MatchesAnswer,
    MatchRequest,
)

blp = Routes(
    "matches", __name__, url_prefix="/v1", description="Create a match, fill its seats, start it.", always=ALWAYS
)

_OWN = (MissingToken, InvalidToken, WrongToken, MatchNotFound, TooBusy, NotReplicated)
_EARLY = (*_OWN, MatchStarted, RulesVersionGone)
_SECURED: dict[str, Any] = {"security": [{"token": []}]}
_READABLE: dict[str, Any] = {"security": [{}, {"token": []}]}


@blp.route("/matches", methods=["POST"])
@blp.arguments(MatchRequest(), description="The match to create.")
@blp.answers(
    201, CreatedAnswer, "The match, the host's token, and one for each seat of kind mine.",
    GameNotFound, TooBusy, NotReplicated, MissingToken, InvalidToken, WrongToken, *BODY_ERRORS, *ONCE_ERRORS,
    parameters=[DOC], **_READABLE,
)  # fmt: skip
def create_match(new: NewMatch) -> Response:
    """Create a match. It starts by itself once every seat is taken, unless `start` or `entropy` holds it.

    With an API key it is that partner's match. A deployment may let only partners create.
    """
    claim = bearer()

    def make(name: str | None) -> dict[str, Any]:
        record, seats = service().seating.create(new, claim, name)
        return {
            "match": wire.summary(record, key_of(claim)),
            "host": record.host_nonce,
            "seats": {str(seat): record.seats[seat].nonce for seat in seats},
            "join_code": record.join_code,
        }

    def finish(made: dict[str, Any]) -> dict[str, Any] | None:
        match_id, nonces = made["match"]["id"], made["seats"]
        if not service().seating.settle(match_id, [made["host"], *nonces.values()]):
            return None
        answer = {
            "match": made["match"],
            "host_token": service().matches.host_token(match_id, made["host"]),
            "seat_tokens": [
                {"seat": int(seat), "token": service().matches.seat_token(match_id, int(seat), nonce)}
                for seat, nonce in nonces.items()
            ],
        }
        return answer if made["join_code"] is None else {**answer, "join_code": made["join_code"]}

    return once(make, finish, 201, lambda made: f"/v1/matches/{made['match']['id']}")


@blp.route("/matches")
@blp.arguments(LobbyQuery(), location="query")
@blp.answers(200, MatchesAnswer, "A page of public matches.", InvalidToken, **_READABLE)
def list_matches(query: dict[str, Any]) -> Response:
    """The lobby: public matches, newest first."""
    claim = bearer()
    records, more = service().reader.lobby(before=read_made(query.pop("cursor")), **query)
    return answer_json(
        {
            "items": [wire.summary(record, key_of(claim)) for record in records],
            "next_cursor": write_made(more),
        }
    )


@blp.route("/matches/<match_id>")
@blp.answers(
    200,
    MatchAnswer,
    "The match.",
    InvalidToken,
    WrongToken,
    MatchNotFound,
    more={"304": {"description": "Nothing has changed since If-None-Match."}},
    parameters=[IF_NONE_MATCH],
    **_READABLE,
)
def get_match(match_id: str) -> Response:
    """The public summary of a match: who sits where, for whom it waits and until when, how it ended."""
    return answer_reading(service().reader.read(match_id, bearer()))


@blp.route("/matches/<match_id>/join", methods=["POST"])
@blp.arguments(
    JoinRequest, description="Which seat (left out: the first open one), your name, a private match's join_code."
)
@blp.answers(
    200, JoinedAnswer, "Your seat and its token.", MatchNotFound, MatchStarted, SeatTaken, NoOpenSeat, TooBusy,
    NotReplicated, RulesVersionGone, InvalidToken, WrongToken, *BODY_ERRORS, *ONCE_ERRORS, parameters=[DOC],
    **_READABLE,
)  # fmt: skip
def join_match(body: dict[str, Any], match_id: str) -> Response:
    """Take an open seat. It needs no token; a host that takes one sends its own.

    A seat that is taken with the host's token, or with that of a seat of the host's, is the host's as a seat of kind
    mine is: see cancel. A host that joins without is a stranger to the service, which cannot know better. A token of
    another match is refused.
    """
    claim = bearer()

    def make(name: str | None) -> dict[str, Any]:
        record, seat = service().seating.join(match_id, body["seat"], body.get("name"), body["join_code"], name, claim)
        return {"match": wire.summary(record), "seat": seat, "nonce": record.seats[seat].nonce}

    def finish(made: dict[str, Any]) -> dict[str, Any] | None:
        seat, nonce = made["seat"], made["nonce"]
        if not service().seating.settle(match_id, [nonce]):
            return None
        return {"match": made["match"], "seat": seat, "token": service().matches.seat_token(match_id, seat, nonce)}

    return once(make, finish, 200)


@blp.route("/matches/<match_id>/seats/<int:seat>", methods=["PUT"])
@blp.arguments(FillRequest(), description="Whom the seat is for.")
@blp.answers(200, MatchAnswer, "The match.", *_EARLY, *BODY_ERRORS, NotFound, **_SECURED)
def fill_seat(asked: NewSeat, match_id: str, seat: int) -> Response:
    """Host, before the start: give a seat to a house bot, or open it again."""
    return answer_json(wire.summary(service().seating.fill(match_id, bearer(), seat, asked)))


@blp.route("/matches/<match_id>/start", methods=["POST"])
@blp.answers(200, MatchAnswer, "The match.", SeatsOpen, EntropyAwaited, *_EARLY, **_SECURED)
def start_match(match_id: str) -> Response:
    """Host: start a match whose seats are all taken."""
    return answer_json(wire.summary(service().seating.start(match_id, bearer())))


@blp.route("/matches/<match_id>/entropy", methods=["POST"])
@blp.arguments(EntropyRequest(), description="Your own part in the match's seed.")
@blp.answers(200, MatchAnswer, "The match.", SeedGiven, *_EARLY, *BODY_ERRORS, **_SECURED)
def give_entropy(body: dict[str, str], match_id: str) -> Response:
    """Take part in the shuffle, before the start: the seed is made from the server's secret and every entropy."""
    return answer_json(wire.summary(service().seating.give_entropy(match_id, bearer(), body["entropy"])))


@blp.route("/matches/<match_id>/leave", methods=["POST"])
@blp.answers(200, MatchAnswer, "The match.", MatchOver, RulesVersionGone, *_OWN, **_SECURED)
def leave_match(match_id: str) -> Response:
    """Before the start: free your seat, and its token ends with it. In play: a house bot plays your seat at once."""
    return answer_json(wire.summary(service().seating.leave(match_id, bearer())))


@blp.route("/matches/<match_id>/seats/<int:seat>/takeover", methods=["POST"])
@blp.answers(
    200, MatchAnswer, "The match.", MatchOpen, MatchOver, HostIsPlayer, RulesVersionGone, NotFound, *_OWN, **_SECURED
)
def take_over_seat(match_id: str, seat: int) -> Response:
    """Have a house bot play a seat: the seat itself, or the host once its player has left or let its time pass."""
    return answer_json(wire.summary(service().seating.take_over(match_id, bearer(), seat)))


@blp.route("/matches/<match_id>/seats/<int:seat>/return", methods=["POST"])
@blp.answers(200, MatchAnswer, "The match.", MatchOpen, MatchOver, RulesVersionGone, NotFound, *_OWN, **_SECURED)
def return_to_seat(match_id: str, seat: int) -> Response:
    """Take your seat back from the house bot. A valid act does the same; reading never does."""
    return answer_json(wire.summary(service().seating.hand_back(match_id, bearer(), seat)))


@blp.route("/matches/<match_id>/cancel", methods=["POST"])
@blp.answers(200, MatchAnswer, "The match.", MatchOver, HostIsPlayer, *_OWN, **_SECURED)
def cancel_match(match_id: str) -> Response:
    """Host: end the match. In play only if the host holds no seat, or no other human plays. Its API key: always."""
    claim = bearer()
    return answer_json(wire.summary(service().seating.cancel(match_id, claim), key_of(claim)))
