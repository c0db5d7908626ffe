"""How much a caller may ask for: counted at the door, told in every answer, refused with 429 when it is too much.

The caller is an API key, or on the paths of a match a token that this process has seen open one, else an address: a
token that nobody has checked yet could be made up anew for each request. Reads are counted in each process, writes in
Redis for all of them. Both are taken out of there a hundredth of the quota at a time, so that few requests wait for it:
each act in Redis cost a quarter of their speed. Windows are fixed and aligned to the clock, so one look tells what is
left and when the next one begins.
Headers: draft-ietf-httpapi-ratelimit-headers-09, ``RateLimit`` and ``RateLimit-Policy``.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Protocol

import redis
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage

from .keyring import Keyring
from .sources import Clock
from .store.keys import RATE
from .tokens import Proven

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

QUOTAS = {
    "key.read": "60000/minute",
    "key.write": "12000/minute",
    "token.read": "6000/minute",
    "token.write": "6000/minute",
    "token.talk": "60/minute",
    "address.read": "3000/minute",
    "address.write": "600/minute",
    "address.refused": "300/minute",
}
"""Requests that one caller may make, unless the settings say otherwise. ``talk`` is what a token says at the table,
``refused`` what an address tries with tokens that open nothing."""

_RATE = re.compile(r"[1-9][0-9]{0,8}/([1-9][0-9]?)?(second|minute|hour|day)")

UNCOUNTED = ("/healthz", "/readyz", "/metrics")
"""What load balancers and monitors ask for."""

UNKNOWN = "unknown"
"""Where a request came from of which a proxy told no address."""
REFUSED = "address.refused"
MOST_FETCHED = 20_000
"""Callers of whom one process holds fetched requests; above it forgets them, which costs each a hundredth at most."""

_TALK = re.compile(r"/v1/matches/[^/]+/messages")


def read_quotas(text: str) -> dict[str, RateLimitItem]:
    """The quotas of a deployment: none for "off", else the usual ones with its changes, ``name=rate`` each.

    Raises ValueError saying what would be right.
    """
    if text == "off":
        return {}
    changes = {}
    for part in text.replace(",", " ").split():
        name, _, rate = part.partition("=")
        if name not in QUOTAS:
            raise ValueError(f"knows {', '.join(QUOTAS)}, or is off; not {name!r}")
        if not _RATE.fullmatch(rate):
            raise ValueError(f"must name rates such as 600/minute or 5/10second, not {rate!r}")
        if name in changes:
            raise ValueError(f"must name each quota once, not {name} twice")
        changes[name] = rate
    return {name: parse(changes.get(name, rate)) for name, rate in QUOTAS.items()}


class Counters(Protocol):
    """Counts that are forgotten with their window."""

    def incr(self, key: str, expiry: int, amount: int = 1) -> int: ...


class SharedCounters:
    """Counters in Redis, single or a Cluster."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to a counter, and have it end with its window; what it holds then."""
        pipe = self._client.pipeline(transaction=False)
        pipe.incrby(f"{RATE}:{key}", amount)
        pipe.expire(f"{RATE}:{key}", expiry, nx=True)
        return int(pipe.execute()[0])


@dataclass(frozen=True, slots=True)
class Counted:
    """What a request did to its caller's quota."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    wait_s: int | None = None
    """None: go on; else it is too much, and this many seconds from now it is not."""


class Rates:
    """The quotas of one process; ``shared`` counts for all of them."""

    def __init__(self, limits: str, shared: Counters, clock: Clock, keys: Keyring, proven: Proven) -> None:
        self._quotas = read_quotas(limits)
        self._here = MemoryStorage()
        self._shared = shared
        self._now = clock
        self._keys = keys
        self._proven = proven
        self._fetched: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def count(self, environ: WSGIEnvironment) -> Counted:
        """Count one request; an unreachable Redis lets it pass, the route meets it anyway."""
        method = environ["REQUEST_METHOD"]
        path = environ["PATH_INFO"]
        if not self._quotas or method == "OPTIONS" or path in UNCOUNTED:
            return Counted()
        kind, who = self._caller(environ, path)
        if method in ("GET", "HEAD"):
            counted = self._take(f"{kind}.read", who, self._here)
        else:
            talk = kind == "token" and method == "POST" and _TALK.fullmatch(path) is not None
            try:
                counted = self._take(f"{kind}.talk" if talk else f"{kind}.write", who, self._shared)
            except redis.RedisError:
                return Counted()
        if kind == "address" and self._is_a_try(environ):
            key, wait_s = self._window(REFUSED, who)
            if self._here.get(key) >= self._quotas[REFUSED].amount:
                return self._told(REFUSED, 0, wait_s, True)
        return counted

    def refused(self, environ: WSGIEnvironment) -> None:
        """Count a token that opened nothing against the address that tried it."""
        if self._quotas and self._is_a_try(environ):
            self._take(REFUSED, network(environ), self._here)

    def _is_a_try(self, environ: WSGIEnvironment) -> bool:
        """Whether the request brings a token that may be made up."""
        header = environ.get("HTTP_AUTHORIZATION")
        return header is not None and self._keys.name_of(header) is None and self._proven.name_of(header) is None

    def _caller(self, environ: WSGIEnvironment, path: str) -> tuple[str, str]:
        """Who asks, as a kind and a name that gives no secret away."""
        header = environ.get("HTTP_AUTHORIZATION")
        if header:
            key = self._keys.name_of(header)
            if key is not None:
                return "key", key
            if path.startswith("/v1/matches/") and not path.endswith("/join"):  # elsewhere none is needed
                token = self._proven.name_of(header)
                if token is not None:
                    return "token", token
        return "address", network(environ)

    def _take(self, name: str, who: str, storage: Counters) -> Counted:
        """Take one of the requests that were fetched from the storage, or fetch more; the rest of them is lost."""
        quota = self._quotas[name]
        key, wait_s = self._window(name, who)
        with self._lock:
            up_to, left = self._fetched.pop(key, (0, 0))
            if left:
                self._fetched[key] = (up_to, left - 1)
        if not left:
            left = max(1, quota.amount // 100)
            up_to = storage.incr(key, quota.get_expiry(), left)
            with self._lock:
                if len(self._fetched) >= MOST_FETCHED:
                    self._fetched.clear()
                self._fetched[key] = (up_to, left - 1)
        spare = quota.amount - up_to + left - 1
        return self._told(name, max(0, spare), wait_s, spare < 0)

    def _window(self, name: str, who: str) -> tuple[str, int]:
        """The counter of this window, and the seconds until the next one."""
        number, passed = divmod(self._now() // 1000, self._quotas[name].get_expiry())
        return f"{name}:{who}:{number}", self._quotas[name].get_expiry() - passed

    def _told(self, name: str, spare: int, wait_s: int, refused: bool) -> Counted:
        quota = self._quotas[name]
        policy = name.partition(".")[2]
        headers = [
            ("RateLimit-Policy", f'"{policy}";q={quota.amount};w={quota.get_expiry()}'),
            ("RateLimit", f'"{policy}";r={spare};t={wait_s}'),
        ]
        return Counted(headers, wait_s if refused else None)


def behind(app: WSGIApplication, proxies: int) -> WSGIApplication:
    """An app behind so many proxies, which sees the address that the outermost of them saw, not that of the innermost.

    A caller may write what it likes before that. So commas alone part the list, no quotes; and a header that names no
    address there is no reason to count as the proxy: all who send such are one caller.
    """

    def asked(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        header = environ.get("HTTP_X_FORWARDED_FOR")
        if header is not None:
            seen = header.split(",")
            environ["REMOTE_ADDR"] = (seen[-proxies].strip() if len(seen) >= proxies else "") or UNKNOWN
        return app(environ, start_response)

    return asked


def network(environ: WSGIEnvironment) -> str:
    """The address that a request came from, as it is counted."""
    return _network_of(environ.get("REMOTE_ADDR") or "")


_WITH_PORT = re.compile(r"\[([^]]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+")
"""What some proxies put into ``X-Forwarded-For``: ``[2001:db8::1]:4711``, ``192.0.2.1:4711``."""


@lru_cache(4096)
def _network_of(address: str) -> str:
    """An IPv4 address, or the /64 of an IPv6 one, which is what one customer holds; "local" for a Unix socket, which
    has none, and one name for all that is no address."""
    if not address:
        return "local"
    with_port = _WITH_PORT.fullmatch(address)
    if with_port is not None:
        address = with_port[1] or with_port[2]
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return UNKNOWN
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped or ip_network((ip, 64), strict=False).network_address)
    return str(ip)
