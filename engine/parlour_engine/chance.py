"""All chance of a match, drawn from one seed: small, portable, verifiable in any language. [CM-3]

The stream is a row of 32-bit words. Word ``i`` is bytes ``4*(i % 8)`` to ``4*(i % 8) + 3``, big-endian, of
HMAC-SHA-256(key = seed, message = ``i // 8`` as 8 bytes, big-endian). A number below ``n`` is the next word
modulo ``n``; words at or above the largest multiple of ``n`` are thrown away, so every number is equally likely.

A state holds the seed and how many words were drawn, nothing else. What this file computes may never change:
every replay depends on it (``tests/engine/chance_vectors.json``).
"""

from __future__ import annotations

from hashlib import sha256
from hmac import digest
from struct import Struct
from typing import Protocol, TypeVar

T = TypeVar("T")

_WORDS = 1 << 32
_block_words = Struct(">8I").unpack


class HasChance(Protocol):
    """A state: its seed (16 bytes or more) and how many words of the stream it has drawn."""

    seed: bytes
    drawn: int


def _block(seed: bytes, number: int) -> bytes:
    return digest(seed, number.to_bytes(8, "big"), sha256)


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
    seed = state.seed
    i = state.drawn
    words = _block_words(_block(seed, i >> 3))
    for last in range(len(cards) - 1, 0, -1):
        n = last + 1
        while True:
            word = words[i & 7]
            i += 1
            if not i & 7:
                words = _block_words(_block(seed, i >> 3))
            if word < _WORDS - n or word < _WORDS - _WORDS % n:
                break
        j = word % n
        cards[last], cards[j] = cards[j], cards[last]
    state.drawn = i


def bot_seed(seed: bytes, seat: int, number: int) -> int:
    """Seed of a house bot's own generator for one decision: a bot that runs twice plays the same."""
    return int.from_bytes(digest(seed, f"bot:{seat}:{number}".encode(), sha256), "big")
