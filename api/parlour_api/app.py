"""The HTTP app: blueprints, the frame around every request, one table from error to answer."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import redis
from flask import Flask, Response, current_app, request
from flask_smorest import Api
from werkzeug.exceptions import HTTPException
from werkzeug.routing import IntegerConverter

from . import logs, metrics
from .bodies import MAX_BODY, Bodies
from .connect import CHECK, connect
from .errors import (
    BodyTooLarge,
    InternalError,
    InvalidToken,
    MalformedJson,
    MatchNotFound,
    MethodNotAllowed,
    NotFound,
    ParlourError,
    RateLimited,
    StorageUnavailable,
    ValidationError,
    WrongToken,
)
from .rates import Rates, SharedCounters, behind
from .service import Service
from .settings import Settings, read_settings
from .sources import Clock, Ids, system_clock
from .v1 import catalogue as v1_catalogue
from .v1 import cors, lean, service_pages
from .v1 import matches as v1_matches
from .v1 import play as v1_play
from .v1 import webhooks as v1_webhooks
from .v1.http import no_content, problem, request_id
from .v1.openapi import DESCRIPTION, add_problems, add_types, document, query_parameters
from .wiring import make_service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

SECURITY = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
)
"""What the OWASP REST Security Cheat Sheet asks of every answer; Strict-Transport-Security is the TLS proxy's."""
DATA = (
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    ("Cache-Control", "private, no-cache"),
    ("Vary", "Authorization"),
)
"""And of every answer but the pages of /docs, which are files for everybody."""
DOCS_PAGE = (
    (
        "Content-Security-Policy",
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; frame-ancestors 'none'",
    ),
)


BODILESS = ("GET", "HEAD", "OPTIONS")
"""A body that comes with these is not read."""

OPENED_NOTHING = (InvalidToken, WrongToken, MatchNotFound)
"""What a token that is none of this service's meets."""


class _Api(Api):
    """flask-smorest without its own error pages: every error is a problem, and all are made in one place."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        pass


class _Digits(IntegerConverter):
    """A whole number in an address: plain digits, not those of every script."""

    regex = "[0-9]+"


class _App(Flask):
    """Flask, but an OPTIONS answer has no body and so no content type."""

    def make_default_options_response(self) -> Response:
        return no_content(204, {"Allow": ", ".join(sorted(super().make_default_options_response().allow))})


def create_app(settings: Settings | None = None, clock: Clock = system_clock, ids: Ids | None = None) -> Flask:
    """The HTTP app. Without settings, they are read from the environment; raises BadSetting if one is wrong."""
    if settings is None:
        settings = read_settings()
        logs.set_up(settings)
    ids = ids or Ids()
    app = _App(__name__, static_folder=None)
    app.url_map.converters["int"] = _Digits
    app.url_map.merge_slashes = False  # an address that is not ours is a 404, never a redirect
    app.config.update(
        API_TITLE="parlour",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        API_SPEC_OPTIONS={"info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}}},
        MAX_CONTENT_LENGTH=MAX_BODY,
        PROPAGATE_EXCEPTIONS=False,
    )
    service = make_service(settings, clock, ids)
    app.extensions["parlour"] = service
    app.extensions["parlour_checks"] = _checks(settings)
    app.extensions["parlour_metrics"] = _metrics(settings, service)
    rates = Rates(
        settings.limits, SharedCounters(service.store.client), clock, settings.api_keys, service.matches.proven
    )
    app.wsgi_app = Frame(app.wsgi_app, service, ids, rates)  # type: ignore[method-assign]
    if settings.proxies:
        app.wsgi_app = behind(app.wsgi_app, settings.proxies)  # type: ignore[method-assign, assignment]
    app.before_request(_name_operation)
    app.before_request(_limit)
    app.before_request(_check_query)
    _handle_errors(app)
    api = _Api(app)
    add_types(api, service.catalogue)
    add_problems(api.spec)
    for blueprint in (v1_catalogue.blp, v1_matches.blp, v1_play.blp, v1_webhooks.blp, service_pages.blp):
        api.register_blueprint(blueprint)
    app.extensions["parlour_openapi"] = lambda: document(api)
    app.extensions["parlour_queries"] = query_parameters(api)
    service_pages.add_docs(app)
    service_pages.add_metrics(app)
    return app


def _checks(settings: Settings) -> Callable[[], dict[str, bool]]:
    """Health checks on clients of their own: no retry, a short timeout."""
    state = connect(settings.redis_url, CHECK)
    queue = connect(settings.queue_url or settings.redis_url, CHECK)
    return lambda: service_pages.checks_of(state, queue, system_clock())


def _metrics(settings: Settings, service: Service) -> Callable[[], bytes]:
    """The numbers of all processes, this one's latest among them."""
    queue = connect(settings.queue_url or settings.redis_url)

    def numbers() -> bytes:
        service.meter.flush()
        return metrics.exposition(service.store.client, queue, system_clock())

    return numbers


def _name_operation() -> None:
    """Note what the request asks for, as the API document calls it, for the metrics and the log."""
    endpoint = request.endpoint
    if endpoint is not None:
        part, _, name = endpoint.rpartition(".")
        request.environ["parlour.operation"] = "docs" if part == "swagger_ui" else name


def _check_query() -> None:
    """Refuse a query parameter that the operation does not take, or twice: a typo is told, never ignored."""
    if request.query_string and request.endpoint is not None and request.path.startswith("/v1/"):
        known = current_app.extensions["parlour_queries"][request.environ["parlour.operation"]]
        takes = f"the query parameters here: {', '.join(known)}" if known else "this operation takes none"
        faults = [
            (name, f"unknown query parameter; {takes}" if name not in known else "must be given once")
            for name, values in request.args.lists()
            if name not in known or len(values) > 1
        ]
        if faults:
            raise ValidationError(errors=[{"pointer": f"/{name[:60]}", "detail": detail} for name, detail in faults])


def _limit() -> None:
    """Refuse a caller that has used up its quota, as the frame found."""
    wait_s = request.environ.get("parlour.wait_s")
    if wait_s is not None:
        raise RateLimited(wait_s)


class Frame:
    """Around every request: its id, its caller's quota, the headers that every answer carries, and a count.

    WSGI middleware, since Flask's hooks for the same cost a tenth of an observe.
    """

    def __init__(self, app: WSGIApplication, service: Service, ids: Ids, rates: Rates) -> None:
        self._app = app
        self._rates = rates
        self._service = service
        self._ids = ids
        self._count = service.meter.count
        self._bodies = Bodies()
        self._told = log.isEnabledFor(logging.DEBUG)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter() if self._told else 0.0
        request_id = environ["parlour.request_id"] = "req_" + self._ids.word(12)
        counted = self._rates.count(environ)
        more = [("X-Request-Id", request_id), *SECURITY, *counted.headers]
        more += DOCS_PAGE if environ["PATH_INFO"].startswith("/docs") else DATA
        if "HTTP_ORIGIN" in environ:
            more += cors.answer_headers(environ["HTTP_ORIGIN"], self._service.settings.cors_origins)
            if environ["REQUEST_METHOD"] == "OPTIONS":
                more += cors.preflight_headers()

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            operation = environ.get("parlour.operation", "none")
            self._count("requests", operation, status[:3])
            if "parlour.refused" in environ:
                self._rates.refused(environ)
            if self._told:
                _tell(environ, operation, status, began)
            return start_response(status, headers + more, exc_info)

        wait_s = counted.wait_s
        if wait_s is None and environ["REQUEST_METHOD"] not in BODILESS and not self._bodies.fetch(environ):
            wait_s = 1
        if wait_s is not None:
            environ["parlour.wait_s"] = wait_s
            return self._app(environ, start)
        reading = lean.answer(self._service, environ)
        if reading is not None:
            environ["parlour.operation"] = reading.operation
            headers = [] if reading.etag is None else [("ETag", reading.etag)]
            if reading.body is None:
                start("304 NOT MODIFIED", headers)
                return (b"",)
            headers += [("Content-Type", "application/json"), ("Content-Length", str(len(reading.body)))]
            start("200 OK", headers)
            return (reading.body,)
        return self._app(environ, start)


def _tell(environ: WSGIEnvironment, operation: str, status: str, began: float) -> None:
    """A line in the log for a request; without its query, which may hold a ticket."""
    what = {
        "request_id": environ["parlour.request_id"],
        "method": environ["REQUEST_METHOD"],
        "path": environ["PATH_INFO"][:200],
        "operation": operation,
        "status": int(status[:3]),
        "ms": round(1000 * (time.perf_counter() - began), 1),
    }
    log.debug("request", extra=what)


def _handle_errors(app: Flask) -> None:
    """One table from error to answer."""

    @app.errorhandler(ParlourError)
    def refused(error: ParlourError) -> Response:
        if isinstance(error, OPENED_NOTHING):
            request.environ["parlour.refused"] = True
        return problem(error)

    @app.errorhandler(redis.RedisError)
    def no_storage(error: redis.RedisError) -> Response:
        log.warning("storage unavailable", extra={"request_id": request_id(), "error": type(error).__name__})
        return problem(StorageUnavailable())

    @app.errorhandler(HTTPException)
    def not_served(error: HTTPException) -> Any:
        if error.code is not None and error.code < 400:
            return error.get_response()
        return problem(_translated(error))

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Response:
        log.exception("request failed", extra={"request_id": request_id()})
        return problem(InternalError("This is a fault of the server. Its log holds the request_id."))


def _translated(error: HTTPException) -> ParlourError:
    """The framework's own refusals, in our words."""
    if error.code == 404:
        return NotFound(f"There is nothing at {request.path[:200]}; the API is described at /docs.")
    if error.code == 405:
        allowed = ", ".join(sorted(error.valid_methods or ()))  # type: ignore[attr-defined]
        return MethodNotAllowed(f"{request.method} is not allowed here; allowed: {allowed}.", allow=allowed)
    if error.code == 413:
        return BodyTooLarge()
    if error.code == 400:
        return MalformedJson("The request could not be read.")
    log.error("unexpected refusal by the framework", extra={"status": error.code})
    return InternalError()
