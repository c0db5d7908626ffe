"""A proxy on loopback that loses what it is told to lose: a request, an answer, half an answer, its haste."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Says:
    """Instead of the server, the proxy answers."""

    status: int
    body: bytes = b"<html>a proxy's own page</html>"
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),)


LOSE_REQUEST = "the request is lost"
LOSE_ANSWER = "the server answers, and the answer is lost"
CUT_ANSWER = "the connection breaks in the middle of the answer"
CUT_UNSEEN = "the answer ends in its middle, and nothing says how long it should be"
DRIP_HEAD = "headers come, a byte now and then, for ever"
DRIP_BODY = "headers come, and then a body, a byte now and then, for ever"
DRIP_STREAM = "a stream comes instead of an answer, for ever"
DRIPS = {
    DRIP_HEAD: (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
    DRIP_BODY: (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n", b" "),
    DRIP_STREAM: (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", b":\n\n"),
}
DRIP_S = 0.05


class Proxy:
    """Faults to come, each for one request (None: none), and the requests that reached the server."""

    def __init__(self, target: str) -> None:
        self.target = urlsplit(target)
        self.faults: deque[str | Says | None] = deque()
        self.arrived: list[tuple[str, str]] = []
        """What came in."""
        self.cookies: list[str | None] = []
        """The cookies of what came in."""
        self.forwarded: list[tuple[str, str]] = []
        """What the server got."""
        self.streams: dict[socket.socket, http.client.HTTPConnection] = {}
        """Open streams: the client's connection and the server's."""
        self.url = ""

    def cut_streams(self) -> None:
        """Break every open stream."""
        for client, upstream in list(self.streams.items()):
            for end in (client, upstream.sock):
                if end is not None:
                    with suppress(OSError):  # its other end was faster
                        end.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: Proxy

    def log_message(self, *_: object) -> None:
        pass

    def _any(self) -> None:
        proxy = self.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = (self.command, urlsplit(self.path).path)
        proxy.arrived.append(request)
        proxy.cookies.append(self.headers.get("Cookie"))
        fault = proxy.faults.popleft() if proxy.faults else None
        if isinstance(fault, Says):
            self._answer(fault.status, list(fault.headers), fault.body)
            return
        if fault == LOSE_REQUEST:
            self._cut()
            return
        if fault in DRIPS:
            self._drip(*DRIPS[fault])
            return
        proxy.forwarded.append(request)
        upstream = http.client.HTTPConnection(proxy.target.hostname or "", proxy.target.port)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection")}
        upstream.request(self.command, self.path, body or None, headers)
        answer = upstream.getresponse()
        if answer.getheader("Content-Type", "").startswith("text/event-stream"):
            proxy.streams[self.connection] = upstream
            try:
                self._relay(answer, cut=fault == CUT_ANSWER)
            finally:
                del proxy.streams[self.connection]
                answer.close()
                upstream.close()
            return
        data = answer.read()
        upstream.close()
        if fault == LOSE_ANSWER:
            self._cut()
            return
        if fault == CUT_UNSEEN:
            self.send_response(answer.status)
            for name, value in [*_kept(answer), ("Connection", "close")]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self._cut()
            return
        self._answer(answer.status, _kept(answer), data, cut=fault == CUT_ANSWER)

    do_GET = do_POST = do_PUT = do_OPTIONS = _any

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self._cut()

    def _relay(self, stream: http.client.HTTPResponse, cut: bool) -> None:
        """A stream, line by line; cut in the middle of its third event."""
        self.close_connection = True
        self.send_response(stream.status)
        for name, value in _kept(stream):
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        events = 0
        for line in stream:
            events += line.startswith(b"data:")
            if cut and events == 3:
                self.wfile.write(line[: len(line) // 2])
                self._cut()
                return
            self.wfile.write(line)
            self.wfile.flush()

    def _drip(self, first: bytes, then: bytes) -> None:
        self.close_connection = True
        with suppress(OSError):  # until the client has had enough
            self.wfile.write(first)
            while True:
                self.wfile.write(then)
                self.wfile.flush()
                time.sleep(DRIP_S)

    def _cut(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)


def _kept(answer: http.client.HTTPResponse) -> list[tuple[str, str]]:
    """The headers of an answer that are the server's, not the connection's."""
    dropped = ("connection", "content-length", "date", "server", "transfer-encoding")
    return [(name, value) for name, value in answer.getheaders() if name.lower() not in dropped]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """A client that went away is no event here."""


@contextmanager
def flaky_proxy(target: str) -> Iterator[Proxy]:
    """A proxy in front of ``target`` for the length of a ``with``."""
    proxy = Proxy(target)
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"proxy": proxy}))
    proxy.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield proxy
    finally:
        proxy.cut_streams()
        server.shutdown()
        thread.join()
        server.server_close()
