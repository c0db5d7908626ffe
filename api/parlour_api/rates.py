"""How much a caller may ask for: counted at the door, told in every answer, refused with 429 when it is too much.

The caller is an API key, else a token, else an address. Reads are counted in each process, writes in Redis for all
of them. Windows are fixed and aligned to the clock, so one look tells what is left and when the next one begins.
Headers: draft-ietf-httpapi-ratelimit-headers-09, ``RateLimit`` and ``RateLimit-Policy``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

import redis
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage, RedisStorage, Storage

from .sources import Clock
from .store.keys import RATE
from .tokens import read_claim

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

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

_RATE = re.compile(r"[1-9][0-9]{0,8}/[1-9]?[0-9]?(second|minute|hour|day)")

UNCOUNTED = ("/healthz", "/readyz", "/metrics")
"""What load balancers and monitors ask for."""

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
        changes[name] = rate
    return {name: parse(changes.get(name, rate)) for name, rate in QUOTAS.items()}


def shared_rates(client: redis.Redis) -> Storage:
    """Counters in Redis, over connections that are there already."""
    return RedisStorage("redis://", client.connection_pool, RATE)


@dataclass(frozen=True, slots=True)
class Counted:
    """What a request did to its caller's quota."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    wait_s: int | None = None
    """None: go on; else it is too much, and this many seconds from now it is not."""


class Rates:
    """The quotas of one process; ``shared`` counts for all of them."""

    def __init__(self, limits: str, shared: Storage, clock: Clock) -> None:
        self._quotas = quotas = read_quotas(limits)
        self._here = MemoryStorage()
        self._shared = shared
        self._now = clock
        self._policies = {
            name: f'"{name.partition(".")[2]}";q={quota.amount};w={quota.get_expiry()}'
            for name, quota in quotas.items()
        }

    def count(self, environ: WSGIEnvironment) -> Counted:
        """Count one request; an unreachable Redis lets it pass, the route meets it anyway."""
        method = environ["REQUEST_METHOD"]
        path = environ["PATH_INFO"]
        if not self._quotas or method == "OPTIONS" or path in UNCOUNTED:
            return Counted()
        kind, who = _caller(environ)
        if method in ("GET", "HEAD"):
            counted = self._look(self._here, f"{kind}.read", who)
        else:
            talk = kind == "token" and method == "POST" and _TALK.fullmatch(path) is not None
            try:
                counted = self._look(self._shared, f"{kind}.talk" if talk else f"{kind}.write", who)
            except redis.RedisError:
                return Counted()
        if kind == "address":
            return counted
        tried = self._look(self._here, "address.refused", _network(environ), 0)
        return counted if tried.wait_s is None else tried

    def refused(self, environ: WSGIEnvironment) -> None:
        """Count a token that opened nothing against the address that tried it."""
        if self._quotas and "HTTP_AUTHORIZATION" in environ:
            self._look(self._here, "address.refused", _network(environ), 1)

    def _look(self, storage: Storage, name: str, who: str, cost: int = 1) -> Counted:
        """Take ``cost`` from a quota; with none, only see whether any is left."""
        quota = self._quotas[name]
        window_s = quota.get_expiry()
        number, passed = divmod(self._now() // 1000, window_s)
        key = f"{name}:{who}:{number}"
        used = storage.incr(key, window_s, cost) if cost else storage.get(key) + 1
        wait_s = window_s - passed
        left = f'"{name.partition(".")[2]}";r={max(0, quota.amount - used)};t={wait_s}'
        return Counted(
            [("RateLimit-Policy", self._policies[name]), ("RateLimit", left)], wait_s if used > quota.amount else None
        )


def _caller(environ: WSGIEnvironment) -> tuple[str, str]:
    """Who asks, as a kind and a name that gives no secret away."""
    try:
        claim = read_claim(environ.get("HTTP_AUTHORIZATION"))
    except ValueError:
        claim = None
    if claim is None:
        return "address", _network(environ)
    return "token", sha256(claim.token.encode()).hexdigest()[:24]


def _network(environ: WSGIEnvironment) -> str:
    return _network_of(environ.get("REMOTE_ADDR") or "")


@lru_cache(4096)
def _network_of(address: str) -> str:
    """An IPv4 address, or the /64 of an IPv6 one, which is what one customer holds; "local" for a Unix socket."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return "local"
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped or ip_network((ip, 64), strict=False).network_address)
    return str(ip)
