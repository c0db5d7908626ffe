"""Every error that a client can meet: one class, one code, one status, one page. The code follows from the name.

Four groups, in this order: what the request itself gets wrong (400, 404, 405, 413, 415, 422), who may do it (401, 403,
404), what the match does not allow now (409, 422), and what the service cannot do now (503, 500).
"""

from __future__ import annotations

import re
from typing import Any, ClassVar


class BadSetting(Exception):
    """A setting that is missing or wrong; names the variable and what would be right."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name} {message}")


class ParlourError(Exception):
    """An error with a stable code. ``detail`` says what was wrong and what would be right."""

    status: ClassVar[int] = 500
    title: ClassVar[str] = ""
    page: ClassVar[str] = ""
    """What /errors/{code} tells a developer: why it happens and what to do."""
    retry_after_s: int | None = None
    carries: ClassVar[tuple[str, ...]] = ()
    """What its answer always holds besides the fields that every problem has."""
    may_carry: ClassVar[tuple[str, ...]] = ()
    """What its answer holds as the answer of some operations only."""

    def __init__(self, detail: str = "", **extra: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.extra = extra

    @classmethod
    def code(cls) -> str:
        """The class's name in snake case: NotYourTurn is not_your_turn."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


# What the request itself gets wrong.


class MalformedJson(ParlourError):
    status = 400
    title = "The body is not valid JSON"
    page = "Send one JSON object, UTF-8. Nothing was changed."


class BodyTooLarge(ParlourError):
    status = 413
    title = "The body is larger than 64 KiB"
    page = "No operation needs more than 64 KiB. Nothing was changed."


class UnsupportedMediaType(ParlourError):
    status = 415
    title = "The body must be JSON"
    page = (
        "Send the header Content-Type: application/json, and the body as it is: no Content-Encoding such as gzip is "
        "taken. Nothing was changed."
    )


class ValidationError(ParlourError):
    status = 422
    title = "The request does not fit the schema"
    page = (
        "`errors` lists each fault with a JSON pointer into the body, or the name of the query parameter or header. "
        "A body that is nested more than 32 levels deep never fits."
    )
    carries = ("errors",)


class MethodNotAllowed(ParlourError):
    status = 405
    title = "This address does not take that method"
    page = "The Allow header lists the methods that it takes."


class NotFound(ParlourError):
    status = 404
    title = "There is nothing at this address"
    page = "Look the path up in /docs. All operations start with /v1."


class ErrorNotFound(ParlourError):
    status = 404
    title = "There is no such error code"
    page = "The pages of all codes are linked from /docs."


class GameNotFound(ParlourError):
    status = 404
    title = "There is no such game"
    page = "GET /v1/games lists every game with its id."


class IdempotencyMismatch(ParlourError):
    status = 422
    title = "This Idempotency-Key was used with another body"
    page = (
        "A key stands for one request, for 24 h. Use a new random UUID for a new request; the old one's answer is "
        "unchanged. Bodies are the same if their bytes are."
    )


class UrlRefused(ParlourError):
    status = 422
    title = "This URL cannot be a webhook's"
    page = (
        "It must begin with https:// (or http://), hold no user or password, and lead to addresses of the public "
        "internet only, unless the deployment allows others. This is looked at again before each delivery."
    )


# Who may do it.


class MissingToken(ParlourError):
    status = 401
    title = "This operation needs a token"
    page = (
        "Send Authorization: Bearer <token> with the seat or host token that the create or join answer gave you. What "
        "is for partners, such as webhooks, needs an API key; some deployments let only partners create matches."
    )


class InvalidToken(ParlourError):
    status = 401
    title = "The Authorization header holds no parlour token"
    page = (
        "A seat token looks like seat_0_..., a host token like host_..., an API key like key_... (and must be one that "
        "this service knows); the scheme is Bearer. To ask without a token, leave the header out: an empty one, or one "
        "that holds something else than printable ASCII, is refused."
    )


class WrongToken(ParlourError):
    status = 403
    title = "This token does not open this match or this operation"
    page = (
        "It belongs to another match, was revoked when its seat was freed, or is a seat token where the host's is "
        "needed (or the other way round); or it is another partner's API key, or no API key where one is needed. The "
        "answer is the same in all cases."
    )


class MatchNotFound(ParlourError):
    status = 404
    title = "There is no such match"
    page = (
        "It does not exist, has expired, or is private: without one of its own tokens every address of a private match "
        "answers this, and joining it needs its join_code."
    )


class WebhookNotFound(ParlourError):
    status = 404
    title = "There is no such webhook"
    page = "It does not exist, was deleted, or is another partner's. GET /v1/webhooks lists those of your API key."


class DeliveryNotFound(ParlourError):
    status = 404
    title = "There is no such delivery"
    page = "Deliveries are kept for seven days, at most 10,000 of a webhook. GET .../deliveries lists them."


# What the match does not allow now.


class MatchStarted(ParlourError):
    status = 409
    title = "The match has already started"
    page = "Seats can be filled, freed, taken and left only before the start."


class MatchOpen(ParlourError):
    status = 409
    title = "The match has not started yet"
    page = "Its cards are dealt when every seat is taken (or when the host starts it). Wait with a long poll."


class MatchOver(ParlourError):
    status = 409
    title = "The match is over"
    page = (
        "Nobody owes a decision any more. The observation carries the outcome (a refused act's answer brings it along)."
    )
    may_carry = ("reason", "observation")


class SeatTaken(ParlourError):
    status = 409
    title = "That seat is taken"
    page = "Leave `seat` out to take the first open one."


class NoOpenSeat(ParlourError):
    status = 409
    title = "No seat is open"
    page = "GET /v1/matches?has_open_seat=true lists matches that can be joined."


class SeatsOpen(ParlourError):
    status = 409
    title = "Not every seat is taken"
    page = "Fill the open seats with bots (PUT .../seats/{n}) or wait until players join."


class HostIsPlayer(ParlourError):
    status = 403
    title = "The host may not do this to other players"
    page = (
        "A host ends a running match only if it holds none of the seats that it took at creation, or no other human "
        "plays. It hands a seat to a bot only once its player has left or has let `takeover_after` deadlines pass in a "
        "row."
    )


class EntropyAwaited(ParlourError):
    status = 409
    title = "The match waits for its players' entropy"
    page = "It was created with entropy: awaited. Every human seat sends POST .../entropy before it can start."


class MatchRunning(ParlourError):
    status = 409
    title = "The match has not ended yet"
    page = "A replay tells every card, so it is there only once the match is finished, cancelled or abandoned."


class SeedGiven(ParlourError):
    status = 422
    title = "The match's seed was given at its creation"
    page = "A match with open_seed draws nothing from its players. Create it without `seed` to take part in the seed."


class TooManyWebhooks(ParlourError):
    status = 409
    title = "This API key has as many webhooks as it may have"
    page = "Delete one first; GET /v1/webhooks lists them. One webhook can take events of every type."


class NotYourTurn(ParlourError):
    status = 409
    title = "This seat owes no decision now"
    page = "The answer carries the seat's fresh observation. Wait with a long poll until `decision` is not null."
    carries = ("reason", "observation")


class StaleDecision(ParlourError):
    status = 409
    title = "That decision is not this seat's pending one"
    page = (
        "It was answered meanwhile (by another client with this token, by the clock or by a bot), or never existed. "
        "The answer carries the seat's fresh observation: decide again from it."
    )
    carries = ("reason", "observation")


class IllegalAction(ParlourError):
    status = 422
    title = "The rules do not allow this action now"
    page = (
        "`reason` names the rule, from what this seat may know; `observation.decision.legal_actions` lists what is "
        "legal. Nothing was applied."
    )
    carries = ("reason", "pointer", "observation")


class RulesVersionGone(ParlourError):
    status = 409
    title = "The match was begun under rules that this server no longer has"
    page = "A match is played to its end under the rules it began with, or refused. It can still be read as a match."


# What the service cannot do now.


class RateLimited(ParlourError):
    status = 429
    title = "Too many requests"
    page = (
        "The RateLimit header of every answer says how many are left (r) for how many seconds (t), RateLimit-Policy "
        "how many (q) there are in how many seconds (w). Ask again after Retry-After seconds; nothing was changed. A "
        "long poll or an event stream asks less often than a loop."
    )

    def __init__(self, wait_s: int = 1) -> None:
        super().__init__(f"Too many requests. Ask again after {wait_s} s; nothing was changed.")
        self.retry_after_s = wait_s


class TooManyWaiters(ParlourError):
    status = 503
    title = "Too many clients are waiting on this server"
    page = (
        "Ask again after Retry-After seconds, or read without `wait`. `detail` says whether it is you who waits too "
        "often: each token, and each address without one, may hold a few long polls and streams at once."
    )
    retry_after_s = 2


class TooBusy(ParlourError):
    status = 503
    title = "Too many clients are changing this match at once"
    page = "Nothing was changed. Send the same request again after Retry-After seconds."
    retry_after_s = 1


class StorageUnavailable(ParlourError):
    status = 503
    title = "The server cannot reach its storage"
    page = (
        "Send the same request again after Retry-After seconds. An act can be sent again as it was: if it had taken "
        "effect, the answer says replayed: true and nothing happens twice."
    )
    retry_after_s = 2


class NotReplicated(ParlourError):
    status = 503
    title = "The change is made, but not yet safe"
    page = (
        "The change took effect, but too few replicas of the storage had it in time (or, in a failover, it was lost). "
        "Send an act, or a request with an Idempotency-Key, again as it was: it never happens twice, and is answered "
        "once it is safe. After anything else, look at the match first."
    )
    retry_after_s = 1


class NotReady(ParlourError):
    status = 503
    title = "The service is not ready"
    page = "`checks` says which part is missing: redis, queue or worker."
    carries = ("checks",)
    retry_after_s = 2


class InternalError(ParlourError):
    status = 500
    title = "Something went wrong on our side"
    page = "This is a fault of the server. Tell its operator the request_id."


def error_classes() -> dict[str, type[ParlourError]]:
    """Every error class by its code, in the order of this file."""
    return {cls.code(): cls for cls in ParlourError.__subclasses__()}
