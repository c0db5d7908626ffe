"""All chance of a match, drawn from one seed: small, portable, verifiable in any language. [CM-3]

The stream is a row of 32-bit words. Word ``i`` is bytes ``4*(i % 8)`` to ``4*(i % 8) + 3``, big-endian, of
HMAC-SHA-256(key = seed, message = ``i // 8`` as 8 bytes, big-endian). A number below ``n`` is the next word
modulo ``n``; words at or above the largest multiple of ``n`` are thrown away, so every number is equally likely.

A state holds the seed and how many words were drawn, nothing else. What this file computes may never change:
every replay depends on it (``tests/engine/chance_vectors.json``).
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from hmac import digest
from operator import mod
from struct import unpack_from
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

_WORDS = 1 << 32
_HMAC_BLOCK = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


class HasChance(Protocol):
    """A state: its seed (16 bytes or more) and how many words of the stream it has drawn."""

    seed: bytes
    drawn: int


@lru_cache(maxsize=1 << 8)
def _keyed(seed: bytes) -> tuple[Any, Any]:
    """The two hashes of HMAC with the key already in: half the work of each block is the same for a whole match."""
    key = (seed if len(seed) <= _HMAC_BLOCK else sha256(seed).digest()).ljust(_HMAC_BLOCK, b"\0")
    return sha256(key.translate(_INNER)), sha256(key.translate(_OUTER))


def _block(seed: bytes, number: int) -> bytes:
    inner, outer = _keyed(seed)
    inner, outer = inner.copy(), outer.copy()
    inner.update(number.to_bytes(8, "big"))
    outer.update(inner.digest())
    block: bytes = outer.digest()
    return block


def below(state: HasChance, n: int) -> int:
    """The next number of the stream, 0 <= number < n, each equally likely; draws at least one word."""
    limit = _WORDS - _WORDS % n
    while True:
        i = state.drawn
        state.drawn = i + 1
        at = (i & 7) << 2
        word = int.from_bytes(_block(state.seed, i >> 3)[at : at + 4], "big")
        if word < limit:
            return word % n


def shuffle(state: HasChance, cards: list[T]) -> None:
    """Fisher-Yates in place, from the last card to the second: swap card ``i`` with card ``below(i + 1)``."""
    n = len(cards)
    if n < 2:
        return
    words = _next_words(state, n - 1)
    if max(words) >= _WORDS - n:  # one may have to be thrown away: about once in a million shuffles
        for last in range(n - 1, 0, -1):
            j = below(state, last + 1)
            cards[last], cards[j] = cards[j], cards[last]
        return
    for last, j in zip(range(n - 1, 0, -1), map(mod, words, range(n, 1, -1)), strict=True):
        cards[last], cards[j] = cards[j], cards[last]
    state.drawn += n - 1


def _next_words(state: HasChance, count: int) -> tuple[int, ...]:
    """Words of the stream, taken from whole blocks; draws none of them."""
    i, seed = state.drawn, state.seed
    blocks = b"".join([_block(seed, number) for number in range(i >> 3, (i + count + 7) >> 3)])
    return unpack_from(f">{count}I", blocks, (i & 7) << 2)


def bot_seed(seed: bytes, seat: int, number: int) -> int:
    """Seed of a house bot's own generator for one decision: a bot that runs twice plays the same."""
    return int.from_bytes(digest(seed, f"bot:{seat}:{number}".encode(), sha256), "big")
