"""Pages of the service itself: is it up, is it ready, what does this error mean, the API document, its docs."""

from __future__ import annotations

import html
from hmac import compare_digest
from typing import Any

import redis
from flask import Flask, Response, current_app, request
from flask_swagger_ui import get_swaggerui_blueprint

from ..errors import (
    ErrorNotFound,
    InvalidToken,
    MissingToken,
    NotFound,
    NotReady,
    ParlourError,
    RateLimited,
    error_classes,
)
from ..jobs import BOTS, CLOCK, alive
from ..store.keys import PROBE
from .http import Routes, answer_json
from .schemas import ReadyAnswer, UpAnswer

blp = Routes("service", __name__, description="The service itself.", always=())


@blp.route("/healthz")
@blp.answers(200, UpAnswer, "The process is up.")
def healthz() -> Response:
    """Whether this process is up; says nothing about Redis or workers."""
    return answer_json({"status": "up"})


@blp.route("/readyz")
@blp.answers(200, ReadyAnswer, "Redis and the queue take writes, and workers are alive.", NotReady)
def readyz() -> Response:
    """Whether matches can be played: Redis and the queue take writes; somebody works for house bots and clocks."""
    checks: dict[str, bool] = current_app.extensions["parlour_checks"]()
    if not all(checks.values()):
        missing = ", ".join(name for name, up in checks.items() if not up)
        raise NotReady(f"Not ready: {missing}.", checks=checks)
    return answer_json({"status": "ready", "checks": checks})


@blp.route("/errors/<code>")
@blp.answers(
    200,
    None,
    "The page.",
    ErrorNotFound,
    RateLimited,
    more={"200": {"description": "HTML.", "content": {"text/html": {"schema": {"type": "string"}}}}},
)
def error_page(code: str) -> Response:
    """What an error code means and what to do about it, for people."""
    known = error_classes()
    if code not in known:
        raise ErrorNotFound(f"There is no error code {code[:60]!r}.")
    return Response(_page(code, known[code], list(known)), mimetype="text/html")


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{code} – parlour</title>
<style>
body {{ font: 16px/1.5 system-ui; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }}
nav {{ margin-top: 3rem; font-size: .85rem; line-height: 2 }}
</style>
<h1><code>{code}</code></h1>
<p><strong>{title}.</strong> HTTP status {status}.</p>
<p>{text}</p>
<nav>{links}<p><a href="/docs">API documentation</a></nav></html>
"""


def _page(code: str, error: type[ParlourError], codes: list[str]) -> str:
    return _PAGE.format(
        code=code,
        title=html.escape(error.title),
        status=error.status,
        text=html.escape(error.page),
        links=" · ".join(f'<a href="/errors/{each}">{each}</a>' for each in codes),
    )


def add_docs(app: Flask) -> None:
    """/openapi.json and /docs, an interactive page whose files all come from this server."""

    @app.get("/openapi.json")
    def openapi() -> Response:
        return answer_json(current_app.extensions["parlour_openapi"]())

    # A redirect address of its own, since the library's repeats the Host header into a script.
    config = {"app_name": "parlour", "docExpansion": "list", "oauth2RedirectUrl": "/docs/oauth2-redirect.html"}
    docs: Any = get_swaggerui_blueprint("/docs", "/openapi.json", config=config)
    app.register_blueprint(docs)


def add_metrics(app: Flask) -> None:
    """/metrics for Prometheus: for this machine, or for whoever has the token of the settings.

    Not for players: how long bots think, in a service with one match, would tell what they hold.
    """

    @app.get("/metrics")
    def metrics() -> Response:
        _admit_scraper(app.extensions["parlour"].settings.metrics_token)
        return Response(app.extensions["parlour_metrics"](), content_type=METRICS_TYPE)


METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def _admit_scraper(token: bytes) -> None:
    header = request.headers.get("Authorization")
    if token:
        if header is None:
            raise MissingToken
        if not compare_digest(header.encode(), b"Bearer " + token):
            raise InvalidToken
        return
    foreign = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "Origin"))
    if foreign or request.remote_addr not in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        raise NotFound("Metrics are for the machine that the service runs on, or with PARLOUR_METRICS_TOKEN.")


def checks_of(state: redis.Redis, queue: redis.Redis, now: int) -> dict[str, bool]:
    """Which parts do their work: Redis and the queue take writes, and somebody serves bots and clocks."""
    checks = {"redis": False, "queue": False, "worker": False}
    try:
        state.setrange(PROBE, 0, b"")  # a node that has lost its Cluster, its memory or its master still answers PING
        checks["redis"] = True
        queue.setrange(PROBE, 0, b"")
        checks["queue"] = True
        checks["worker"] = {BOTS, CLOCK} <= set().union(*alive(queue, now))
    except redis.RedisError:
        pass
    return checks
