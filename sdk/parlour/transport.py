"""One request and its answer: connections, timeouts, sending again, problems as exceptions."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import requests
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError, ReadTimeoutError

from .errors import ApiError, ConnectionFailed, Fault, ParlourError, Refused, UnexpectedAnswer, error_class
from .models import read_observation
from .retry import Operation, Patience, may_retry, pause_s
from .timely import EVENT_STREAM, TimelyAdapter

CONNECT_TIMEOUT_S = 5.0
SILENCE_S = 45.0
"""A stream that says nothing for so long is broken: the server sends something every 15 s."""
CONNECTIONS = 32
"""So many connections are kept for the next request; more are opened when more threads ask, and closed again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer: its status and its body, parsed if it is JSON."""

    status: int
    body: Any


def server_address(url: str) -> str:
    """A server's address, without a slash at its end. Raises ValueError if no request could go there, and for one with
    a name or a password: they would not be sent, and be shown wherever the address is."""
    try:
        parts = urlsplit(url)
        requests.PreparedRequest().prepare_url(url, None)
        (parts.hostname or "").encode("idna")  # as the connection will, and fail otherwise than requests does
    except ValueError:  # every way in which these refuse an address is one
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        shown = url.rpartition("@")[2]  # before it there may be a password
        raise ValueError(f"the address of a server looks like http://127.0.0.1:8080, not {shown!r}")
    if "@" in parts.netloc:
        raise ValueError("the address of a server has no name or password in it; a token is what this API takes")
    return url.rstrip("/")


def sendable(token: str) -> str:
    """A token that can go with a request. Raises ValueError, which does not show it, for one that no server reads."""
    if not token or not all("!" <= char <= "~" for char in token):
        raise ValueError("a token is not empty, and all of it is printable ASCII without spaces")
    return token


def _is_here(url: str) -> bool:
    """Whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class Transport:
    """Sends operations to one server. Threads may share it: it keeps nothing but its connections."""

    def __init__(self, url: str, *, token: str | None, timeout: float, retries: int) -> None:
        if not 0 < timeout < math.inf:
            raise ValueError(f"a timeout is a number of seconds above 0, not {timeout!r}")
        self.url = server_address(url)
        self.timeout = timeout
        self.retries = retries
        self.token = None if token is None else sendable(token)
        self._rng = random.Random()
        self._session = _Session()
        self._session.trust_env = not _is_here(self.url)  # a proxy of the environment has a loopback of its own
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        adapter = TimelyAdapter(pool_connections=1, pool_maxsize=CONNECTIONS)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        self._session.headers.update(
            {"User-Agent": f"parlour-python/{version('parlour')}", "Accept": "application/json"}
        )

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def send(
        self,
        operation: Operation,
        *,
        path: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        token: str | None = None,
        wait_s: float = 0.0,
    ) -> Answer:
        """The answer to an operation; raises the SDK's errors. Sent again where that is safe and can help.

        ``wait_s`` is how long the server may hold the answer back (a long poll): the timeout grows by it.
        """
        response = self._answered(operation, path, query, body, token, self.timeout + wait_s)
        return _read(operation, response)

    def stream(
        self, operation: Operation, *, path: Mapping[str, Any], token: str | None, last: int, patience_s: float
    ) -> Iterator[tuple[int, Any]]:
        """Server-Sent Events after the one with the id ``last``, as (id, data), over as many connections as it takes.

        It ends when the server says that there is nothing more (204); a connection that ends or breaks is no end.
        Raises ConnectionFailed when nothing was heard for ``patience_s``, over however many connections.
        """
        patience = Patience(patience_s)
        while True:
            headers = {"Accept": EVENT_STREAM, "Last-Event-ID": str(last)}
            alive = False
            try:
                with self._answered(operation, path, None, None, token, SILENCE_S, headers) as response:
                    if response.status_code == 204:
                        return
                    for number, data in _events(operation, response):
                        alive = True
                        if data is not None:
                            last = number
                            yield last, data
            except ParlourError as error:
                if alive:  # maybe for hours: patience begins with the break
                    patience.renew()
                patience.bear(error)

    def _answered(
        self,
        operation: Operation,
        path: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None,
        token: str | None,
        timeout: float,
        stream: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """A good answer, after as many tries as are due. ``stream``: headers of one whose body is read as it comes."""
        headers = {"Idempotency-Key": str(uuid4())} if operation.keyed else dict(stream or {})
        if body is not None:
            headers["Content-Type"] = "application/json"
        address = self.url + operation.path.format_map(
            {name: quote(str(value), safe="") for name, value in (path or {}).items()}
        )
        request = self._session.prepare_request(
            requests.Request(
                operation.method,
                address,
                params=query,
                data=None if body is None else _json(body),
                headers=headers,
                auth=_Bearer(token or self.token),
            )
        )
        attempt = 0
        while True:
            try:
                return self._once(request, timeout, stream is not None)
            except ParlourError as error:
                if attempt >= self.retries or not may_retry(operation, error):
                    raise
                time.sleep(pause_s(attempt, error, self._rng))
            attempt += 1

    def _once(self, request: requests.PreparedRequest, timeout: float, stream: bool) -> requests.Response:
        what = f"{request.method} {request.url}"
        try:
            # an endless answer must not be read as a body: each is taken as a stream
            settings = self._session.merge_environment_settings(str(request.url), {}, True, None, None)
            limits = (min(CONNECT_TIMEOUT_S, self.timeout), timeout)
            response = self._session.send(request, timeout=limits, allow_redirects=False, **settings)
            if response.status_code < 300 and stream:
                return response
            with response:
                if response.status_code >= 300:
                    raise _refusal(response)
                if _kind(response) == EVENT_STREAM:
                    raise UnexpectedAnswer(f"{what} answers with a stream")
                response.content  # noqa: B018 - reads it
                return response
        except (requests.RequestException, HTTPError, ValueError) as error:  # requests lets some through as they are
            raise ConnectionFailed(f"{what}: {_why(error)}", sent=not _unsent(error)) from error


class _Session(requests.Session):
    """It follows no redirect, and does not even look where one leads."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Nowhere."""


def _json(body: Mapping[str, Any]) -> bytes:
    """A body as it is sent. Raises ValueError, which names the part, for what JSON cannot say."""
    parts = []
    for name, value in body.items():
        try:
            parts.append(f"{json.dumps(name)}:{json.dumps(value, allow_nan=False)}")
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{name} cannot be sent as JSON: {error}") from None
    return f"{{{','.join(parts)}}}".encode()


class _Bearer(requests.auth.AuthBase):
    """The token, or none; given for every request, or requests would take what ~/.netrc says instead."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _causes(error: BaseException) -> list[Any]:
    """An exception and what it was made from: requests wraps urllib3, which wraps the socket's."""
    found: list[Any] = []
    todo: list[Any] = [error]
    while todo:
        one = todo.pop(0)
        if isinstance(one, BaseException) and one not in found:
            found.append(one)
            todo += [getattr(one, "reason", None), *one.args, one.__context__]
    return found


def _unsent(error: Exception) -> bool:
    """Whether the request certainly did not leave: no connection was ever made for it."""
    return isinstance(error, requests.ConnectionError) and any(
        isinstance(cause, (NewConnectionError, ConnectTimeoutError)) for cause in _causes(error)
    )


def _why(error: Exception) -> str:
    """The innermost reason that says something."""
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            return str(cause.strerror)
    if any(isinstance(cause, (requests.Timeout, ReadTimeoutError)) for cause in _causes(error)):
        return "no answer in time"
    return "the connection broke before the answer was whole" if _causes(error)[1:] else str(error)


def _read(operation: Operation, response: requests.Response) -> Answer:
    if response.status_code == 204:
        return Answer(204, None)
    try:
        if _kind(response) == "text/html":
            return Answer(response.status_code, response.text)
        return Answer(response.status_code, response.json())
    except (ValueError, RecursionError):
        raise _unexpected(operation, response, "with a body that is not JSON") from None


def _events(operation: Operation, response: requests.Response) -> Iterator[tuple[int, Any]]:
    """The events of one connection: their ids and their data; None as data is a sign of life in between.

    Raises ConnectionFailed when the connection breaks, and when it ends.
    """
    if _kind(response) != EVENT_STREAM:
        raise _unexpected(operation, response, "with something else than a stream")
    last, data = 0, ""
    try:
        for line in response.iter_lines(chunk_size=1, decode_unicode=False):
            name, _, value = line.decode().partition(":")
            if name == "id":
                last = int(value)
            elif name == "data":
                data += value
            elif data and not line:
                event, data = json.loads(data), ""
                yield last, event
            elif line and not name:
                yield last, None
    except requests.RequestException as error:
        raise ConnectionFailed(f"{operation.method} {response.url}: {_why(error)}", sent=True) from error
    except (ValueError, RecursionError):
        raise _unexpected(operation, response, "with a stream of something else than our events") from None
    raise ConnectionFailed(f"{operation.method} {response.url}: the stream ended", sent=True)


def _kind(response: requests.Response) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _unexpected(operation: Operation, response: requests.Response, what: str) -> UnexpectedAnswer:
    return UnexpectedAnswer(f"{operation.method} {response.url} answers {response.status_code} {what}")


def _refusal(response: requests.Response) -> ParlourError:
    if response.status_code < 400:
        where = response.headers.get("Location", "nowhere")
        return UnexpectedAnswer(f"{response.url} answers {response.status_code} and points to {where}")
    return _problem(response)


def _problem(response: requests.Response) -> ApiError:
    """The exception for an answer that is an error, also for one that some proxy gave."""
    problem: Any = None
    if _kind(response) == "application/problem+json":
        try:
            problem = response.json()
        except (ValueError, RecursionError):
            problem = None
    if not isinstance(problem, dict):
        problem = {}
    faults = problem.get("errors")
    status = response.status_code
    code = str(problem.get("code") or f"http_{status}")
    error = error_class(code, status)(
        code,
        status=status,
        detail=str(problem.get("detail") or problem.get("title") or response.reason or ""),
        request_id=problem.get("request_id"),
        errors=tuple(
            Fault(str(fault.get("pointer", "")), str(fault.get("detail", "")))
            for fault in (faults if isinstance(faults, list) else ())
            if isinstance(fault, dict)
        ),
        retry_after_s=_seconds(response.headers.get("Retry-After")),
        problem=problem,
    )
    if isinstance(error, Refused) and problem.get("observation") is not None:
        error.observation = read_observation(problem["observation"])
    return error


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After in seconds: it is a number of them, or a date, which a proxy may send."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return min(float(retry_after), 1e9)  # no sleep takes more
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
