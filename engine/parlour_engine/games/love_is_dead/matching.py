"""Matching: which sets of Boosts bring a Boo's traits together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .profile import ANY_TRAIT, FIELDS
from .state import BOOST_SETS, USED_CATFISH, USED_FLIRT, USED_OVERACHIEVER, USED_STRANGER

_SETS_IN = tuple(tuple(used for used in range(BOOST_SETS) if not used & ~boosts) for boosts in range(BOOST_SETS))
"""All sets of some Boosts, each after the smaller ones that it contains."""


@lru_cache(maxsize=1 << 14)
def boost_sets(missing: int, wilds: int, boosts: int, doubled: int, lends: int, lends_two: int) -> tuple[int, ...]:
    """[LD-46] The minimal sets of Boosts that meet what is missing; empty if none does.

    ``missing``: what the Boo wants beyond the profile's own traits, in unary; the rest as in ``Profile``,
    ``lends`` and ``lends_two`` (what is doubled) for the neighbours together, as far as it is missing.
    """
    found: list[int] = []
    for used in _SETS_IN[boosts]:
        for smaller in found:
            if used & smaller == smaller:
                break
        else:
            if _meets(missing, wilds, used, doubled, lends, lends_two):
                found.append(used)
    return tuple(found)


def _meets(missing: int, wilds: int, used: int, doubled: int, lends: int, lends_two: int) -> bool:
    """[LD-42] Every wanted trait is met by one Trait, Wild or Boost, each used once."""
    wilds += (used & USED_STRANGER > 0) + (used & USED_FLIRT > 0)  # LD-25, LD-28
    for left, spent in _doubling(missing, doubled if used & USED_OVERACHIEVER else 0):
        for rest in _borrowing(left, lends, lends_two) if used & USED_CATFISH else (left,):
            if rest.bit_count() <= wilds - spent:
                return True
    return False


def _doubling(missing: int, doubled: int) -> Iterator[tuple[int, int]]:
    """[LD-24] What is missing when the Overachiever is used, and the Wilds that this took: both stand for one trait."""
    yield missing, 0
    if doubled == ANY_TRAIT:
        for field in FIELDS:
            one = missing & field
            if two := one & one - 1:
                yield missing ^ one ^ (two & two - 1), 1
    elif one := missing & doubled:
        yield missing ^ one ^ (one & one - 1), 0


def _borrowing(missing: int, lends: int, lends_two: int) -> Iterator[int]:
    """[LD-27] What is missing when one trait of a neighbour is borrowed, doubled where it is doubled there."""
    yield missing
    for field in FIELDS:
        if one := missing & field & lends:
            rest = one & one - 1
            if rest and field & lends_two:
                rest &= rest - 1
            yield missing ^ one ^ rest
