"""Profiles: seven spaces, a byte each, and what a profile offers.

A byte is 0 for an empty space; else its card's kind plus one, and a bit for each card on top of it. A profile never
changes: copies of a match share it, and what it offers is worked out once, when it is made.
"""

from __future__ import annotations

from functools import cache, lru_cache
from operator import getitem

from .state import (
    BAGGAGE,
    CARDS,
    CATFISH,
    FLIRT,
    HOBBIES,
    HUMBLEBRAG,
    LEFT_ON_READ,
    MOST_SPACES,
    OVERACHIEVER,
    RED_FLAG,
    SPACES,
    STRANGER,
    TRAITS,
    USED_CATFISH,
    USED_FLIRT,
    USED_OVERACHIEVER,
    USED_STRANGER,
    WILD,
    Space,
)

KIND, DOUBLED, COVERED, READ = 31, 32, 64, 128  # of a byte: the card's part, Overachiever, Stranger, Left on Read
NOTHING = bytes(MOST_SPACES)
BYTE = tuple(bytes((code,)) for code in range(256))

# Traits in unary, five bits each (the fifth stays 0): "three of the first trait" is 0b00111. What a Boo wants and a
# profile lacks is then one expression, and its bits can be counted.
FIELD_BITS = 5
FIELDS = tuple(31 << FIELD_BITS * trait for trait in range(len(TRAITS)))
ANY_TRAIT = sum(FIELDS)
ONE_OF_EACH = ANY_TRAIT // FIELDS[0]
MOST_WANTED = 4  # of one trait


def unary(traits: tuple[int, ...]) -> int:
    """Traits, with repeats, in unary."""
    bits = 0
    for trait in traits:
        bits |= (bits & FIELDS[trait]) << 1 | 1 << FIELD_BITS * trait
    return bits


@cache
def cards_of(code: int) -> tuple[int, ...]:
    """The kinds of all cards in a space, from the bottom. [LD-26]"""
    on_top = ((DOUBLED, OVERACHIEVER), (COVERED, STRANGER), (READ, LEFT_ON_READ))
    return ((code & KIND) - 1, *(kind for bit, kind in on_top if code & bit)) if code else ()


SPACES_IN = tuple(tuple(space for space in range(MOST_SPACES) if bits >> space & 1) for bits in range(1 << MOST_SPACES))
"""The spaces in a set of spaces, whose bits they are."""


def actions_in(first: int) -> tuple[tuple[int, ...], ...]:
    """For each set of spaces: actions that choose one of them, numbered by space from ``first``."""
    return tuple(tuple(first + space for space in spaces) for spaces in SPACES_IN)


# What a card in a space adds to a profile's facts, so that the facts of a profile are one sum. The number's fields,
# from the lowest bit: four sets of spaces; its means, which are a count of each Trait and how many traits Wilds and
# Boosts can stand for at most; Wilds; a bit for each Boost that a match can use; the kind in a pair with Overachiever,
# plus one; two bits; bits of all kinds but Traits.
_SWAPPABLE, _PAIRABLE, _COVERABLE, _EMPTIABLE, _MEANS = range(0, 5 * MOST_SPACES, MOST_SPACES)
_COUNT_BITS = 3  # seven of a kind at most
_REACH = _COUNT_BITS * len(TRAITS)  # in the means
_WILDS = _MEANS + _REACH + 4
_BOOSTS = _WILDS + _COUNT_BITS
_DOUBLED = _BOOSTS + 4
_HUMBLEBRAG = _DOUBLED + 4
_HOBBIES = _HUMBLEBRAG + 1
_HELD = _HOBBIES + 1
_SET = (1 << MOST_SPACES) - 1
_SETS = (1 << _MEANS) - 1
_ALL_MEANS = (1 << _WILDS - _MEANS) - 1
_ONE_MORE = 1 << _MEANS + _REACH


def _facts(code: int) -> int:
    """In the first space. [LD-25] A covered Trait is the Stranger. [LD-34] Under a Left on Read, ``held`` remains."""
    facts = sum(1 << _HELD + kind for kind in cards_of(code) if kind > WILD)
    kind = (code & KIND) - 1
    if kind < 0 or code & READ or kind in (RED_FLAG, BAGGAGE):
        return facts
    facts |= 1 << _EMPTIABLE
    if kind == HOBBIES:
        return facts | 1 << _HOBBIES
    facts |= 1 << _COVERABLE
    if kind == HUMBLEBRAG:
        return facts | 1 << _HUMBLEBRAG
    if kind == CATFISH:
        return facts | USED_CATFISH << _BOOSTS | 2 * _ONE_MORE  # LD-27
    if kind == FLIRT:
        return facts | USED_FLIRT << _BOOSTS | _ONE_MORE
    if code & COVERED:
        return facts | USED_STRANGER << _BOOSTS | _ONE_MORE
    facts |= 1 << _WILDS | _ONE_MORE if kind == WILD else 1 << _MEANS + _COUNT_BITS * kind
    if code & DOUBLED:
        return (facts | USED_OVERACHIEVER << _BOOSTS | kind + 1 << _DOUBLED) + _ONE_MORE
    return facts | 1 << _PAIRABLE | (kind < WILD) << _SWAPPABLE


_IN_FIRST = tuple(_facts(code) for code in range(256))
_IN_SPACE = tuple(
    tuple((facts & _SETS) << space | facts & ~_SETS for facts in _IN_FIRST) for space in range(MOST_SPACES)
)
BOOST_IN = tuple(facts >> _BOOSTS & 15 for facts in _IN_FIRST)
"""The Boost in a space that a match can use, by the space's byte."""


class Profile:
    """Seven spaces, and what they offer their owner, its neighbours and its enemies; all of it open to everybody.

    ``free``: the first empty space, or -1. ``held``: bit of each Boost and Dealbreaker in it, covered or not.
    ``means``: its Traits, and how far its Wilds and Boosts reach beyond them, in one number. Sets of spaces have a bit
    for each.
    """

    __slots__ = ("codes", "facts", "free", "held", "hobbies_spaces", "means")

    codes: bytes
    facts: int
    hobbies_spaces: int
    free: int
    held: int
    means: int

    def put(self, space: int, code: int) -> Profile:
        """The profile with that byte in that space."""
        codes, adds = self.codes, _IN_SPACE[space]
        facts = self.facts - adds[codes[space]] + adds[code]
        return _made(codes[:space] + BYTE[code] + codes[space + 1 :], facts, self.hobbies_spaces)

    @property
    def spaces(self) -> int:
        """[LD-7, LD-30] How many it has."""
        return self.hobbies_spaces if self.facts >> _HOBBIES & 1 else SPACES

    @property
    def emptiable(self) -> int:
        """[LD-18, LD-45] The spaces that can be emptied."""
        return self.facts >> _EMPTIABLE & _SET

    @property
    def coverable(self) -> int:
        """[LD-34] The spaces that can be Left on Read."""
        return self.facts >> _COVERABLE & _SET

    @property
    def swappable(self) -> int:
        """[LD-25, LD-41] The spaces of unpaired, uncovered Traits."""
        return self.facts >> _SWAPPABLE & _SET

    @property
    def pairable(self) -> int:
        """[LD-24] The spaces of unpaired, uncovered Traits and Wilds."""
        return self.facts >> _PAIRABLE & _SET

    @property
    def humblebrag(self) -> int:
        """[LD-29] Whether a Humblebrag counts."""
        return self.facts >> _HUMBLEBRAG & 1

    @property
    def baggage(self) -> int:
        """[LD-33] Whether Emotional Baggage lies in it."""
        return self.held >> BAGGAGE & 1

    @property
    def have(self) -> int:
        """The traits without any Boost, in unary."""
        return have_of(self.means)

    @property
    def wilds(self) -> int:
        """[LD-21] How many Wilds a match can use."""
        return self.facts >> _WILDS & 7

    @property
    def boosts(self) -> int:
        """[LD-31] The set of Boosts that a match can use."""
        return self.facts >> _BOOSTS & 15

    @property
    def doubled(self) -> int:
        """[LD-24] The field of a trait in a pair with Overachiever, all fields for a Wild."""
        return _DOUBLES[self.facts >> _DOUBLED & 15]

    @property
    def lends(self) -> int:
        """[LD-27] The fields of what a neighbour's Catfish can borrow: a Trait, or a Wild as any; the doubled twice."""
        return ANY_TRAIT if self.wilds else (self.have & ONE_OF_EACH) * FIELDS[0]


@lru_cache(maxsize=1 << 12)
def profile_of(codes: bytes, hobbies_spaces: int) -> Profile:
    """The profile with these bytes, where Lots of Hobbies gives so many spaces."""
    return _made(codes, sum(map(getitem, _IN_SPACE, codes)), hobbies_spaces)


def _made(codes: bytes, facts: int, hobbies_spaces: int) -> Profile:
    """A function, since ``__init__`` would take half as long again; this is done at every second decision."""
    profile = Profile.__new__(Profile)
    profile.codes = codes
    profile.facts = facts
    profile.hobbies_spaces = hobbies_spaces
    free = codes.find(0)
    profile.free = free if free < SPACES or free < profile.spaces else -1
    profile.held = facts >> _HELD
    profile.means = facts >> _MEANS & _ALL_MEANS
    return profile


_DOUBLES = (0, *FIELDS, ANY_TRAIT)


@cache
def have_of(means: int) -> int:
    """The Traits among a profile's means, in unary."""
    counts = [means >> _COUNT_BITS * trait & 7 for trait in range(len(TRAITS))]
    return unary(tuple(trait for trait, count in enumerate(counts) for _ in range(min(count, MOST_WANTED))))


def reach_of(means: int) -> int:
    """How many traits the Wilds and Boosts among a profile's means stand for at most."""
    return means >> _REACH


def _seen(code: int) -> Space | None:
    kind = (code & KIND) - 1
    if not 0 <= kind < len(CARDS):
        return None
    boost = "overachiever" if code & DOUBLED else "mysterious_stranger" if code & COVERED else None
    return Space(CARDS[kind], boost, bool(code & READ))  # type: ignore[arg-type]


SEEN = tuple(_seen(code) for code in range(256))
