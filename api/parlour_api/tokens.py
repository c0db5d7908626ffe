"""Seat and host tokens: HMACs that are checked, never stored. Beside them, in a header, API keys: see ``keyring``.

``seat_<n>_<mac>`` and ``host_<mac>``, mac = base64url of the first 24 bytes of HMAC-SHA-256(deployment secret,
``match_id|who|nonce``). The nonce lies in the match; a new nonce revokes the token.
"""

from __future__ import annotations

import threading
from base64 import b32encode, urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest, digest
from re import compile as regex

from .keyring import Keyring

HOST = "host"
_UNKNOWN_KEY = "This service knows no such API key. Its operator lists them in PARLOUR_API_KEYS."
_UNREADABLE = "The Authorization header is empty, or holds something else than printable ASCII."
"""granian hands on as empty what it cannot read."""
_SHAPE = regex(r"(?:seat_([0-9]{1,2})|host)_[A-Za-z0-9_-]{32}")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a token says of itself, before it is checked: a seat, or (None) the host; or whose key it is, checked."""

    seat: int | None
    token: str = field(repr=False)
    key: str | None = None
    """The name of an API key; it sees what a spectator sees."""

    @property
    def who(self) -> str:
        return HOST if self.seat is None else f"seat_{self.seat}"


def read_claim(header: str | None, keys: Keyring) -> Claim | None:
    """The claim in an Authorization header; None without one. Raises ValueError saying what is wrong with it."""
    if header is None:
        return None
    if not header.strip():
        raise ValueError(_UNREADABLE)
    scheme, _, token = header.partition(" ")
    key = keys.name_of(header)
    if key is not None:
        return Claim(None, token, key)
    shape = _SHAPE.fullmatch(token)
    if scheme.lower() != "bearer" or shape is None:
        unknown = scheme.lower() == "bearer" and token.startswith("key_")
        raise ValueError(_UNKNOWN_KEY if unknown else "The Authorization header holds no parlour token.")
    return Claim(int(shape[1]) if shape[1] else None, token)


def key_of(claim: Claim | None) -> str | None:
    """The name of the API key that a claim is; None if it is none."""
    return claim.key if claim else None


def mint(secret: bytes, match_id: str, who: str, nonce: str) -> str:
    """The token of ``who`` (``host`` or ``seat_<n>``) in a match."""
    mac = digest(secret, f"{match_id}|{who}|{nonce}".encode(), sha256)[:24]
    return f"{who}_{urlsafe_b64encode(mac).decode()}"


def derived(secret: bytes, what: str, name: str, length: int) -> str:
    """Letters and digits that follow from a request's name, and that nobody can tell without the secret: whoever makes
    the request again makes the same thing."""
    return b32encode(digest(secret, f"{what}|{name}".encode(), sha256))[:length].decode().lower()


def fits(secret: bytes, match_id: str, claim: Claim, nonce: str) -> bool:
    """Whether the claim's token is the one of this match and nonce; takes the same time either way."""
    return compare_digest(mint(secret, match_id, claim.who, nonce), claim.token)


class Proven:
    """Tokens that this process has seen open their match, the latest of them: what is made up never gets here."""

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._names: dict[str, str] = {}
        self._lock = threading.Lock()

    def add(self, token: str) -> None:
        """Remember a token that has just been checked, in place of the oldest if need be."""
        if token not in self._names:
            name = sha256(token.encode()).hexdigest()[:24]
            with self._lock:
                if len(self._names) >= self._most:
                    del self._names[next(iter(self._names))]
                self._names[token] = name

    def name_of(self, header: str) -> str | None:
        """A name, which gives no secret away, for the token of an Authorization header; None if it proved nothing."""
        return self._names.get(header.partition(" ")[2])
