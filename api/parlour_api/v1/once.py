"""Idempotency-Key: the same creating request, sent again within a day, gives the same answer and creates nothing new.

What is made has an id, or a seat's nonce, that follows from the request's name: asked for twice at the same time, or
again since the first try was cut off, it is made once. What is kept is the answer without tokens; those are made again,
since tokens are never stored. A key is scoped to the partner or the token that sent it; an anonymous caller's must be a
random UUID, so that nobody guesses another's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import orjson
from flask import Response, request

from ..errors import IdempotencyMismatch, TooBusy, ValidationError
from .http import answer_json, bearer, service

HEADER = "Idempotency-Key"
DOC = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "format": "uuid"},
    "description": "A random UUID of yours: sent again with the same body within 24 h, the answer is the same one.",
}

ONCE_ERRORS = (IdempotencyMismatch,)

_RANDOM_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

Made = dict[str, Any]


def once(
    make: Callable[[str | None], Made],
    finish: Callable[[Made], Made],
    status: int,
    place: Callable[[Made], str] | None = None,
) -> Response:
    """Answer a creating request: ``make(name)`` once, ``finish`` (it adds the tokens) every time; ``place``: Location.

    ``name`` is the request's, None without a key; with the same one ``make`` makes nothing new.

    What ``finish`` finds too early to answer (NotReplicated) stays made; what it finds gone (TooBusy) is made again
    the next time.

    Raises InvalidToken, IdempotencyMismatch for the same key with another body.
    """
    claim = bearer()
    key = request.headers.get(HEADER)
    if key is None:
        return _answer(finish(make(None)), status, place)
    scope = "" if claim is None else f"key {claim.key}" if claim.key else claim.token
    if not scope and not _RANDOM_UUID.fullmatch(key.lower()):
        detail = "must be a random UUID (version 4), such as 7f9c24e8-3b12-4fef-91d0-2a6b6f3f8a55"
        raise ValidationError(errors=[{"pointer": f"/{HEADER}", "detail": detail}])
    name = sha256(f"{scope}|{request.path}|{key}".encode()).hexdigest()
    digest = sha256(request.get_data()).hexdigest()
    store = service().store
    before, _, answered = (store.once_begin(name, digest) or digest.encode()).partition(b":")
    if before.decode() != digest:
        raise IdempotencyMismatch
    if answered:
        made = orjson.loads(answered)
    else:
        try:
            made = make(name)
        except BaseException:
            store.once_forget(name)
            raise
        store.once_end(name, digest, orjson.dumps(made))
    try:
        return _answer(finish(made), status, place)
    except TooBusy:
        store.once_forget(name)
        raise


def _answer(made: Made, status: int, place: Callable[[Made], str] | None) -> Response:
    return answer_json(made, status, None if place is None else {"Location": place(made)})
