"""Every error that the SDK raises.

::

    ParlourError
    ├── ConnectionFailed        no answer came: the server is down, unreachable or too slow
    ├── UnexpectedAnswer        an answer came that is none of this API's: another server, or a proxy's page
    ├── ReplayRefuted           a replay does not hold what was promised or seen: see ``parlour.verify``
    └── ApiError                the API said no; ``code`` says which no, the class says it too
        ├── ClientError         4xx: what was asked cannot be done like this
        │   ├── MalformedJson, BodyTooLarge, UnsupportedMediaType, ValidationError, MethodNotAllowed
        │   ├── Unauthorized    401: MissingToken, InvalidToken
        │   ├── Forbidden       403: WrongToken, HostIsPlayer
        │   ├── NotFound        404: GameNotFound, MatchNotFound, ErrorNotFound, WebhookNotFound,
        │   │                   DeliveryNotFound
        │   ├── Conflict        409: MatchStarted, MatchOpen, SeatTaken, NoOpenSeat, SeatsOpen, EntropyAwaited,
        │   │                   MatchRunning, RulesVersionGone, TooManyWebhooks
        │   ├── RateLimited     429
        │   ├── SeedGiven, IdempotencyMismatch, UrlRefused  422
        │   └── Refused         an act was refused, and ``observation`` is the seat's fresh view:
        │                       StaleDecision, NotYourTurn, MatchOver (also Conflicts), IllegalAction
        └── ServerError         5xx: InternalError
            └── Unavailable     502, 503, 504: TooManyWaiters, TooBusy, StorageUnavailable, NotReplicated, NotReady

A class is named for its code: ``not_your_turn`` is ``NotYourTurn``. A code that this SDK does not know yet becomes the
class of its status, so ``except Conflict`` goes on working with a newer server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models import Observation


class ParlourError(Exception):
    """Whatever goes wrong between a program and a parlour server."""


class ConnectionFailed(ParlourError):
    """No answer came. ``sent`` is False when the request certainly did not reach the server."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class UnexpectedAnswer(ParlourError):
    """An answer that this API never gives: the address is another server's, or something stands in between."""


class ReplayRefuted(ParlourError):
    """A replay does not hold what was promised or seen; the message says what differs."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that does not fit the schema: where (a JSON pointer, or a query parameter's name) and what."""

    pointer: str
    detail: str


class ApiError(ParlourError):
    """The API answered with a problem. Print it for the request id, the code and what would be right."""

    def __init__(
        self,
        code: str,
        *,
        status: int,
        detail: str = "",
        request_id: str | None = None,
        errors: tuple[Fault, ...] = (),
        retry_after_s: float | None = None,
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        self.code = code
        self.status = status
        self.detail = detail
        self.request_id = request_id
        self.errors = errors
        self.retry_after_s = retry_after_s
        """What the server asks to wait before the next try; None if it did not say."""
        self.problem: Mapping[str, Any] = problem or {}
        """The whole problem document, also what this SDK has no name for."""
        super().__init__(self._message())

    def _message(self) -> str:
        faults = "; ".join(f"{fault.pointer or '(body)'} {fault.detail}" for fault in self.errors)
        told = ": ".join(part for part in (self.detail, faults) if part)
        about = f"request {self.request_id}: " if self.request_id else ""
        return f"{about}{self.status} {self.code}" + (f": {told}" if told else "")


class ClientError(ApiError):
    """4xx: what was asked cannot be done like this."""


class Unauthorized(ClientError):
    """401: no token, or none that the server reads."""


class Forbidden(ClientError):
    """403: the token does not allow this."""


class NotFound(ClientError):
    """404: nothing is there, or nothing that this caller may see."""


class Conflict(ClientError):
    """409: not now; the match is not in a state for it."""


class RateLimited(ClientError):
    """429: too many requests; ``retry_after_s`` says for how long."""


class ServerError(ApiError):
    """5xx: the server's fault."""


class Unavailable(ServerError):
    """502, 503, 504: the service cannot do it now; ask again."""


class Refused(ClientError):
    """An act was refused. ``reason`` says why in words, ``observation`` is what the seat sees now."""

    observation: Observation[Any] | None = None

    @property
    def reason(self) -> str:
        """Which rule says no, from what the seat may know."""
        return str(self.problem.get("reason") or self.detail)

    def _message(self) -> str:
        reason = self.problem.get("reason")
        return super()._message() + (f" {reason}" if reason and reason != self.detail else "")


# What the request itself gets wrong.


class MalformedJson(ClientError):
    """The body was not valid JSON."""


class BodyTooLarge(ClientError):
    """The body was larger than the server takes."""


class UnsupportedMediaType(ClientError):
    """The body was not sent as JSON."""


class ValidationError(ClientError):
    """The request does not fit the schema; ``errors`` lists each fault."""


class MethodNotAllowed(ClientError):
    """The address does not take that method."""


class ErrorNotFound(NotFound):
    """There is no such error code."""


class GameNotFound(NotFound):
    """There is no such game."""


class UrlRefused(ClientError):
    """The URL cannot be a webhook's: it is none, or leads to an address that is not on the public internet."""


# Who may do it.


class MissingToken(Unauthorized):
    """The operation needs a seat's or the host's token, or an API key."""


class InvalidToken(Unauthorized):
    """What was sent as a token is none."""


class WrongToken(Forbidden):
    """The token belongs to another match or seat, was revoked, or is of another kind than is needed here."""


class HostIsPlayer(Forbidden):
    """The host may not do this while other humans play, or before the seat's player has gone."""


class MatchNotFound(NotFound):
    """The match does not exist, has expired, or is private and this token is not one of its own."""


class WebhookNotFound(NotFound):
    """The webhook does not exist, or is another partner's."""


class DeliveryNotFound(NotFound):
    """The delivery does not exist, or not any more."""


# What the match does not allow now.


class MatchStarted(Conflict):
    """The match has started: seats do not change any more."""


class MatchOpen(Conflict):
    """The match has not started: there is nothing to decide yet."""


class MatchOver(Refused, Conflict):
    """The match is over; ``observation`` holds the outcome."""


class SeatTaken(Conflict):
    """Somebody sits there."""


class NoOpenSeat(Conflict):
    """Every seat is taken."""


class SeatsOpen(Conflict):
    """Not every seat is taken."""


class EntropyAwaited(Conflict):
    """Not every human seat has sent its entropy."""


class MatchRunning(Conflict):
    """The match has not ended, so there is no replay yet."""


class SeedGiven(ClientError):
    """The match's seed was given at its creation: no entropy goes into it."""


class IdempotencyMismatch(ClientError):
    """An Idempotency-Key was used with another body before."""


class TooManyWebhooks(Conflict):
    """The API key has as many webhooks as it may have."""


class NotYourTurn(Refused, Conflict):
    """The seat owes no decision now."""


class StaleDecision(Refused, Conflict):
    """That decision is not the pending one (any more): decide again from ``observation``."""


class IllegalAction(Refused):
    """The rules do not allow that action now; ``observation.decision.legal_actions`` is what they allow."""


class RulesVersionGone(Conflict):
    """The server no longer has the rules under which this match began."""


# What the service cannot do now.


class TooManyWaiters(Unavailable):
    """Too many clients are in a long poll."""


class TooBusy(Unavailable):
    """Too many clients change this match at once; nothing was changed."""


class StorageUnavailable(Unavailable):
    """The server cannot reach its storage."""


class NotReplicated(Unavailable):
    """The change is made, but too few replicas of the storage have it yet. An act is sent again by itself."""


class NotReady(Unavailable):
    """A part of the service is missing; ``problem["checks"]`` says which."""


class InternalError(ServerError):
    """A fault of the server."""


_OF_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 429: RateLimited,
    502: Unavailable, 503: Unavailable, 504: Unavailable,
}  # fmt: skip


def code_of(error: type[ApiError]) -> str:
    """The code that a class stands for: NotYourTurn is not_your_turn."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", error.__name__).lower()


def _below(error: type[ApiError]) -> set[type[ApiError]]:
    return {error}.union(*(_below(inner) for inner in error.__subclasses__()))


_OF_CODE = {code_of(error): error for error in _below(ApiError)}


def error_class(code: str, status: int) -> type[ApiError]:
    """The class of a code; for one that is not known, that of its status."""
    known = _OF_CODE.get(code)
    if known is not None:
        return known
    return _OF_STATUS.get(status) or (ServerError if status >= 500 else ClientError)
