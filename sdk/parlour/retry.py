"""When a request is sent again, and after how long. One question each: may I? how long? and when is it enough?"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from .errors import ApiError, ConnectionFailed, ParlourError, RateLimited, TooBusy, Unavailable, UnexpectedAnswer

P = ParamSpec("P")
T = TypeVar("T")

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
LONGEST_ASKED_S = 60.0
"""A call does not wait longer than this for its next try: its error is raised, with ``retry_after_s``. ``play`` and
``stream`` have patience, and wait as long as that lasts."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the API, by the id, method and path of its OpenAPI document.

    ``safe``: sending it twice is as good as once. Reading is; so is an act, which the server recognises by its
    decision, and whatever is ``keyed``: it carries an Idempotency-Key, the same one in every try.
    """

    id: str
    method: str
    path: str
    safe: bool = False
    keyed: bool = False


def may_retry(operation: Operation, error: ParlourError) -> bool:
    """Whether sending the request again can help and cannot do anything twice."""
    if isinstance(error, ConnectionFailed):
        return operation.safe or operation.keyed or not error.sent
    if isinstance(error, ApiError) and (error.retry_after_s or 0) > LONGEST_ASKED_S:
        return False
    if isinstance(error, (RateLimited, TooBusy)):  # nothing was changed, the API says
        return True
    return (operation.safe or operation.keyed) and isinstance(error, Unavailable)


def pause_s(attempt: int, error: ParlourError, rng: random.Random) -> float:
    """How long to wait before the next try: twice as long each time, at random so that clients part ways, and never
    less than the server asks for."""
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(attempt, 16))
    asked = error.retry_after_s if isinstance(error, ApiError) else None
    return (asked or 0.0) + longest * (0.5 + rng.random() / 2)


class Patience:
    """Bears what passes, a restart of the server or a proxy's page for one, until it has gone on for ``patience_s``."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._rng = random.Random()
        self.renew()

    def renew(self) -> None:
        """All is well: have the whole patience again."""
        self._until = time.monotonic() + self._patience_s
        self._attempt = 0

    def bear(self, error: ParlourError) -> None:
        """Pause before the next try; raises the error if it does not pass, or patience is at its end."""
        pause = pause_s(self._attempt, error, self._rng)
        if not _passes(error) or time.monotonic() + pause > self._until:
            raise error
        time.sleep(pause)
        self._attempt += 1

    def __call__(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call it, again and again while it fails for a reason that passes; what it returns."""
        self.renew()
        while True:
            try:
                return call(*args, **kwargs)
            except ParlourError as error:
                self.bear(error)


def _passes(error: ParlourError) -> bool:
    return isinstance(error, (ConnectionFailed, UnexpectedAnswer, Unavailable, RateLimited))
