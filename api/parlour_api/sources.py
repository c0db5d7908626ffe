"""Where time and randomness come from; tests hand in their own, so that two runs can be compared byte for byte."""

from __future__ import annotations

import secrets
import time
from base64 import b32encode
from collections.abc import Callable
from hashlib import sha256

Clock = Callable[[], int]
"""Milliseconds since 1970, UTC."""


def system_clock() -> int:
    """Milliseconds since 1970, UTC, from the machine's clock."""
    return time.time_ns() // 1_000_000


class Ids:
    """Fresh identifiers and secrets."""

    def word(self, length: int) -> str:
        """Random letters and digits, five bits each."""
        return b32encode(secrets.token_bytes(length * 5 // 8 + 1))[:length].decode().lower()

    def sharded(self, prefix: str, word: str | None = None) -> str:
        """An id that names its shard: prefix, ``_``, the shard as a hex digit, 16 letters; made from 24 letters if they
        are given."""
        first, rest = (word[:8], word[8:]) if word else (self.word(8), self.word(16))
        return f"{prefix}_{sha256(first.encode()).digest()[0] % 16:x}{rest}"

    def seed(self) -> bytes:
        """32 random bytes."""
        return secrets.token_bytes(32)
