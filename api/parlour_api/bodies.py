"""Reads the bodies of requests, and keeps slow ones from taking all of the server's threads.

granian sets no time for a body to arrive in, and a thread that reads one cannot be called back: it can only be seen to
that others are left. What times slow bodies out is the proxy in front, which has them whole before it asks us.
"""

from __future__ import annotations

import threading
from io import BytesIO
from typing import TYPE_CHECKING

from .rates import network

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

MAX_BODY = 64 * 1024
MOST = 400
"""Bodies that one process reads at once. As a rule a body is there when its request is, so this is plenty."""
MOST_EACH = 200
"""And of one address."""


class Bodies:
    """The bodies that are being read in one process."""

    def __init__(self, most: int = MOST, each: int = MOST_EACH) -> None:
        self._most = most
        self._each = each
        self._lock = threading.Lock()
        self._reading: dict[str, int] = {}
        self._count = 0

    def fetch(self, environ: WSGIEnvironment) -> bool:
        """Have a request's body at hand; False, and not a byte is read, if too many others are being read.

        One of unknown length is given its length, so that what is too large is refused and never cut.
        """
        length = environ.get("CONTENT_LENGTH")
        if not length and "HTTP_TRANSFER_ENCODING" not in environ:
            return True
        if length and (not length.isdecimal() or int(length) > MAX_BODY):
            return True  # it is refused by its length
        size = int(length) if length else MAX_BODY + 1
        who = network(environ)
        with self._lock:
            reading = self._reading.get(who, 0)
            if self._count >= self._most or reading >= self._each:
                return False
            self._count += 1
            self._reading[who] = reading + 1
        try:
            body = environ["wsgi.input"].read(size)
        finally:
            with self._lock:
                self._count -= 1
                self._reading[who] -= 1
                if not self._reading[who]:
                    del self._reading[who]
        environ["wsgi.input"] = BytesIO(body)
        if not length:
            environ["CONTENT_LENGTH"] = str(len(body))
            del environ["HTTP_TRANSFER_ENCODING"]  # else the length is not believed
        return True
