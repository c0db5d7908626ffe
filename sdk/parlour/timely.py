"""An answer must be whole in time: a timeout of requests begins anew with every byte, so that a byte now and then, of a
proxy that is broken for one, would keep a caller waiting for ever."""

from __future__ import annotations

import io
import socket
import time
from http.client import HTTPException, HTTPResponse
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool

EVENT_STREAM = "text/event-stream"


class TimelyAdapter(HTTPAdapter):
    """Connections on which the timeout is for a whole answer, from the request to the body's end; of a stream of events
    to its beginning, and then for each silence."""

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> HTTPConnectionPool:
        """The pool that a request takes its connection from."""
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = _Secure if pool.scheme == "https" else _Plain
        return pool


class _Bytes(io.RawIOBase):
    """What a socket brings, for as long as its timeout is."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw = raw
        self._sock = sock
        self._timeout = sock.gettimeout()
        self._until = None if self._timeout is None else time.monotonic() + self._timeout

    def for_each_silence(self) -> None:
        """From now on the timeout is for each read."""
        self._until = None
        self._sock.settimeout(self._timeout)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._until is not None:
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out")
            self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Answer(HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self._bytes = _Bytes(self.fp.detach(), sock)
        self.fp = io.BufferedReader(self._bytes)

    def begin(self) -> None:
        super().begin()
        lengths = {one.strip() for line in self.headers.get_all("Content-Length", ()) for one in line.split(",")}
        if len(lengths) > 1:  # urllib3 would say so with its connection left open
            raise HTTPException(f"an answer of several lengths: {', '.join(sorted(lengths))}")
        if self.headers.get_content_type() == EVENT_STREAM and not self.isclosed():
            self._bytes.for_each_silence()


class _Plain(HTTPConnection):
    response_class = _Answer


class _Secure(HTTPSConnection):
    response_class = _Answer
