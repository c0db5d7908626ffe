"""Requests to addresses that partners give: only to the public internet, and to the address that was checked.

A name is resolved once, every address that it leads to is judged, and the connection goes to one of those, so that a
name that changes its mind in between gains nothing. TLS is checked against the name. No redirect is followed, no proxy
of the environment is used, and nothing of the answer but its status is read.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import IPv4Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

TIMEOUT_S = 10.0
"""From the first connection's beginning to the answer's status."""
CONNECT_S = 4.0
"""For each address of a name."""
ADDRESSES = 3
"""So many addresses of a name are tried."""

Resolve = Callable[[str, int], Sequence[str]]
"""Every address of a name; raises OSError when there is none."""

_PLAIN = re.compile(r"[!-\[\]-~]+")
"""Printable ASCII without spaces and backslashes, about which parsers disagree."""
_NAT64 = IPv6Network("64:ff9b::/96")
_PUBLIC_V6 = IPv6Network("2000::/3")
_NEVER = tuple(
    ip_network(text)
    for text in (
        "192.0.0.0/24",  # IETF protocols, such as the nearest router that opens ports
        "192.31.196.0/24",  # AS112: whoever is nearest
        "192.52.193.0/24",  # relays of AMT: likewise
        "192.88.99.0/24",  # relays of 6to4
        "192.175.48.0/24",  # AS112
        "2001::/23",  # IETF protocols; Teredo, with an IPv4 address inside
        "2002::/16",  # 6to4: likewise
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
"""Of IANA's special-purpose addresses those that some Python counts among the global ones."""


class Undeliverable(Exception):
    """No answer came; ``why`` is one of the words that docs/webhooks.md explains."""

    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(detail or why)
        self.why = why
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads, judged: to these addresses and no others."""

    secure: bool
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]


def resolve(host: str, port: int) -> list[str]:
    """Every address of a name, as this machine resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Whether an address is one of the public internet's, whatever it is written or wrapped as."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if not isinstance(ip, IPv4Address):
        if ip.ipv4_mapped is not None:
            return is_public(str(ip.ipv4_mapped))
        if ip in _NAT64:
            return is_public(str(IPv4Address(int(ip) & 0xFFFFFFFF)))
        if ip not in _PUBLIC_V6 or ip.scope_id is not None:
            return False
    known = ip.is_global and not (ip.is_private or ip.is_multicast or ip.is_reserved or ip.is_unspecified)
    return known and not any(ip in network for network in _NEVER)


def target(url: str, private: bool, resolve: Resolve = resolve) -> Target:
    """Where a URL leads; raises Undeliverable for what is no such URL, and unless ``private`` for private addresses."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise Undeliverable("url_refused", "is no URL") from None
    if not _PLAIN.fullmatch(url):
        raise Undeliverable("url_refused", "must be plain ASCII without spaces; write other characters encoded")
    if parts.scheme not in ("http", "https") or not host:
        raise Undeliverable("url_refused", "must begin with https:// (or http://) and name a host")
    if "@" in parts.netloc or parts.fragment:
        raise Undeliverable("url_refused", "must hold no user, no password and no fragment")
    port = (443 if parts.scheme == "https" else 80) if port is None else port
    if port == 0:
        raise Undeliverable("url_refused", "must not name port 0")
    try:
        addresses = tuple(resolve(host, port))
    except (OSError, UnicodeError):
        raise Undeliverable("host_not_found", "names a host that does not resolve") from None
    if not addresses or not (private or all(is_public(each) for each in addresses)):
        raise Undeliverable("url_refused", "leads to an address that is not on the public internet")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme == "https", host, port, path, addresses[:ADDRESSES])


def post(where: Target, headers: Mapping[str, str], body: bytes) -> int:
    """Send a POST; the status of the answer. Raises Undeliverable when none came in time."""
    until = time.monotonic() + TIMEOUT_S
    sock = _connected(where, until)
    connection: HTTPConnection
    if where.secure:
        connection = HTTPSConnection(where.host, where.port, context=_tls())
    else:
        connection = HTTPConnection(where.host, where.port)
    connection.sock = sock
    late = threading.Event()

    def cut() -> None:
        """Whoever answers a byte at a time meets no timeout of the socket's."""
        late.set()
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    watch = threading.Timer(max(0.0, until - time.monotonic()), cut)
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", where.path, body, dict(headers))
        return connection.getresponse().status
    except TimeoutError:
        raise Undeliverable("timeout") from None
    except (HTTPException, OSError):
        raise Undeliverable("timeout" if late.is_set() else "no_answer") from None
    finally:
        watch.cancel()
        connection.close()


def _connected(where: Target, until: float) -> socket.socket:
    """A connection to the first address that takes one."""
    refused = Undeliverable("no_connection")
    for address in where.addresses:
        try:
            plain = socket.create_connection((address, where.port), min(CONNECT_S, _left(until)))
        except TimeoutError:
            refused = Undeliverable("timeout")
            continue
        except OSError:
            refused = Undeliverable("no_connection")
            continue
        try:
            plain.settimeout(_left(until))
            return _tls().wrap_socket(plain, server_hostname=where.host) if where.secure else plain
        except TimeoutError:
            plain.close()
            raise Undeliverable("timeout") from None
        except OSError:
            plain.close()
            raise Undeliverable("tls_failed") from None
    raise refused


def _left(until: float) -> float:
    return max(0.01, until - time.monotonic())


@cache
def _tls() -> ssl.SSLContext:
    """Certificates are checked against the machine's store, or the file that SSL_CERT_FILE names."""
    return ssl.create_default_context()
