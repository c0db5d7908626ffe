"""API keys of partners, from the settings: whose key an Authorization header holds. No Redis, no HTTP.

A key is checked against every key of the ring, each in constant time, so that an answer's time tells nothing of any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hmac import compare_digest

SHAPE = re.compile(r"([a-z0-9_-]{1,40})=(key_[A-Za-z0-9_-]{24,200})")
"""One entry of ``PARLOUR_API_KEYS``: a name and its key."""


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of a deployment, each with its partner's name. Two of one name are one partner's, old and new."""

    keys: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        return bool(self.keys)

    def holds(self, name: str) -> bool:
        """Whether a partner of that name has a key."""
        return any(name == known for known, _ in self.keys)

    def name_of(self, header: str | None) -> str | None:
        """The name of the key that an Authorization header holds; None if it holds none of this ring."""
        scheme, _, token = (header or "").partition(" ")
        if scheme.lower() != "bearer" or not token.startswith("key_"):
            return None
        sent = token.encode("utf-8", "surrogatepass")
        found = None
        for name, key in self.keys:
            if compare_digest(key.encode(), sent):
                found = name
        return found
