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

    def sharded(self, prefix: str) -> str:
        """An id that names its shard: prefix, ``_``, the shard as a hex digit, 16 letters."""
        shard = sha256(self.word(8).encode()).digest()[0] % 16
        return f"{prefix}_{shard:x}{self.word(16)}"

    def seed(self) -> bytes:
        """32 random bytes."""
        return secrets.token_bytes(32)
