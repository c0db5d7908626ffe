"""Idempotency-Key: the same creating request, sent again within a day, gives the same answer and creates nothing new.

What is made has an id, or a seat's nonce, that follows from the request, its body included: asked for twice at the same
time, again since the first try was cut off, or again after the day, it is made once, and no other request ever meets
it. What is kept is the answer without tokens; those are made again, since tokens are never stored. A key is scoped to
the partner or the token that sent it; an anonymous caller's must be a random UUID, so that nobody guesses another's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

import orjson
from flask import Response, request

from ..errors import IdempotencyMismatch, TooBusy, ValidationError
from .http import answer_json, bearer, service

HEADER = "Idempotency-Key"
DOC = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "format": "uuid"},
    "description": "A random UUID of yours (beside a token or an API key, any 1 to 255 characters of printable ASCII): "
    "sent again with the same body within 24 h, the answer is the same one. After that the same request still finds "
    "what it made while that is there, but what was said is said again; with another body it is a new request.",
}

ONCE_ERRORS = (IdempotencyMismatch,)

_RANDOM_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_KEY = re.compile(r"[ -~]{1,255}")
_TRIES = 3
"""How often a request is made anew whose fruit is gone before it is answered."""

Made = dict[str, Any]


class _Named(NamedTuple):
    """A request with an Idempotency-Key."""

    key: str
    """A digest of whose it is, where it goes, and its key."""
    body: str
    """A digest of its body."""

    @property
    def name(self) -> str:
        """What all that it makes follows from: that of no request with another body."""
        return sha256(f"{self.key}|{self.body}".encode()).hexdigest()


def once(
    make: Callable[[str | None], Made],
    finish: Callable[[Made], Made | None],
    status: int,
    place: Callable[[Made], str] | None = None,
) -> Response:
    """Answer a creating request: ``make(name)`` once, ``finish`` (it adds the tokens) every time; ``place``: Location.

    ``name`` is the request's, None without a key; with the same one ``make`` makes nothing new.

    What ``finish`` finds too early to answer (NotReplicated) stays made; what it finds gone (None: lost in a failover,
    or deleted since) is made again.

    Raises InvalidToken, ValidationError for a key that is none, IdempotencyMismatch for the same key with another body.
    """
    named = _named()
    for _ in range(_TRIES):
        made = make(None) if named is None else _made(named, make)
        answer = finish(made)
        if answer is not None:
            return answer_json(answer, status, None if place is None else {"Location": place(answer)})
        if named is not None:
            service().store.once_forget(named.key)
    raise TooBusy("What this request made was gone again before it could be answered.")


def _named() -> _Named | None:
    claim = bearer()
    key = request.headers.get(HEADER)
    if key is None:
        return None
    key = key.strip()
    scope = "" if claim is None else f"key {claim.key}" if claim.key else claim.token
    if _RANDOM_UUID.fullmatch(key.lower()):
        key = key.lower()  # a UUID is the same one in either case
    elif not scope or not _KEY.fullmatch(key):
        uuid = "a random UUID (version 4), such as 7f9c24e8-3b12-4fef-91d0-2a6b6f3f8a55"
        detail = f"must be {uuid}" if not scope else f"must be 1 to 255 characters of printable ASCII; best is {uuid}"
        raise ValidationError(errors=[{"pointer": f"/{HEADER}", "detail": detail}])
    whose = f"{scope}|{request.path}|{key}"
    return _Named(sha256(whose.encode()).hexdigest(), sha256(request.get_data()).hexdigest())


def _made(named: _Named, make: Callable[[str | None], Made]) -> Made:
    """What the request made, now or before."""
    store = service().store
    before, _, kept = (store.once_begin(named.key, named.body) or named.body.encode()).partition(b":")
    if before.decode() != named.body:
        raise IdempotencyMismatch
    if kept:
        made: Made = orjson.loads(kept)
        return made
    try:
        made = make(named.name)
    except BaseException:
        store.once_forget(named.key)
        raise
    store.once_end(named.key, named.body, orjson.dumps(made))
    return made
