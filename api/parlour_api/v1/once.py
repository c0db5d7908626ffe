"""Idempotency-Key: the same creating request, sent again within a day, gives the same answer and creates nothing new.

What is kept is what was made, without tokens; those are made again, since tokens are never stored. A key is scoped to
the partner or the token that sent it; an anonymous caller's must be a random UUID, so that nobody guesses another's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import orjson
from flask import Response, request

from ..errors import IdempotencyMismatch, IdempotencyPending, TooBusy, ValidationError
from .http import answer_json, service

HEADER = "Idempotency-Key"
DOC = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "format": "uuid"},
    "description": "A random UUID of yours: sent again with the same body within 24 h, the answer is the same one.",
}

ONCE_ERRORS = (IdempotencyMismatch, IdempotencyPending)

_RANDOM_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

Made = dict[str, Any]


def once(
    make: Callable[[], Made],
    finish: Callable[[Made], Made],
    status: int,
    place: Callable[[Made], str] | None = None,
) -> Response:
    """Answer a creating request: ``make()`` once, ``finish`` (which adds the tokens) every time; ``place``: Location.

    What ``finish`` finds too early to answer (NotReplicated) stays made; what it finds gone (TooBusy) is made again
    the next time.

    Raises IdempotencyMismatch for the same key with another body, IdempotencyPending while the first is under way.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return _answer(finish(make()), status, place)
    token = request.headers.get("Authorization", "")
    scope = service().settings.api_keys.name_of(token) or token
    if not scope and not _RANDOM_UUID.fullmatch(key.lower()):
        detail = "must be a random UUID (version 4), such as 7f9c24e8-3b12-4fef-91d0-2a6b6f3f8a55"
        raise ValidationError(errors=[{"pointer": f"/{HEADER}", "detail": detail}])
    name = sha256(f"{scope}|{request.path}|{key}".encode()).hexdigest()
    digest = sha256(request.get_data()).hexdigest()
    store = service().store
    kept = store.once_begin(name, digest)
    if kept is None:
        try:
            made = make()
        except BaseException:
            store.once_forget(name)
            raise
        store.once_end(name, digest, orjson.dumps(made))
    else:
        before, _, answered = kept.partition(b":")
        if before.decode() != digest:
            raise IdempotencyMismatch
        if not answered:
            raise IdempotencyPending
        made = orjson.loads(answered)
    try:
        return _answer(finish(made), status, place)
    except TooBusy:
        store.once_forget(name)
        raise


def _answer(made: Made, status: int, place: Callable[[Made], str] | None) -> Response:
    return answer_json(made, status, None if place is None else {"Location": place(made)})
