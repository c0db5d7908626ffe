"""A partner's server for tests: takes what is posted to it, and answers as the test says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import Any

from standardwebhooks import Webhook

from tests.support import PATIENCE_S


@dataclass
class Taken:
    """One request that came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> Any:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> Any:
        """The event, once its signature has been verified."""
        return Webhook(secret).verify(self.body, self.headers)


@dataclass
class Receiver:
    """What came, in order. ``answers`` are used up one by one: a status, or something to do with the handler."""

    url: str
    port: int
    taken: list[Taken] = field(default_factory=list)
    answers: list[int | Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)

    def wait_for(self, what: Callable[[list[Taken]], bool]) -> list[Taken]:
        """Everything that came, once ``what`` is true of it."""
        until = time.monotonic() + PATIENCE_S
        while not what(self.taken):
            assert time.monotonic() < until, [(each.id, each.event["type"]) for each in self.taken]
            time.sleep(0.02)
        return self.taken

    def types(self) -> list[str]:
        return [each.event["type"] for each in self.taken]


@contextmanager
def receiver(tls: SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver on this machine for the length of a ``with``."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.taken.append(Taken(self.path, headers, body))
            answer = made.answers.pop(0) if made.answers else 204
            if callable(answer):
                answer(self)
                return
            self.send_response(answer)
            if 300 <= answer < 400:
                self.send_header("Location", f"{made.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hangs up is what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    port = server.server_address[1]
    made = Receiver(f"{'http' if tls is None else 'https'}://127.0.0.1:{port}", port)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
