"""Profiles: seven spaces, a byte each, and what a profile offers.

A byte is 0 for an empty space; else its card's kind plus one, and a bit for each card on top of it. Bytes are
immutable: copies of a match share them, and what a profile offers is worked out once for each profile.
"""

from __future__ import annotations

from .state import (
    BAGGAGE,
    CARDS,
    CATFISH,
    FLIRT,
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
MOST_WANTED = 4  # of one trait


def unary(traits: tuple[int, ...]) -> int:
    """Traits, with repeats, in unary."""
    bits = 0
    for trait in traits:
        bits |= (bits & FIELDS[trait]) << 1 | 1 << FIELD_BITS * trait
    return bits


def cards_of(code: int) -> tuple[int, ...]:
    """The kinds of all cards in a space, from the bottom. [LD-26]"""
    on_top = ((DOUBLED, OVERACHIEVER), (COVERED, STRANGER), (READ, LEFT_ON_READ))
    return ((code & KIND) - 1, *(kind for bit, kind in on_top if code & bit)) if code else ()


def put(profile: bytes, space: int, code: int) -> bytes:
    """The profile with that byte in that space."""
    return profile[:space] + BYTE[code] + profile[space + 1 :]


SPACES_IN = tuple(tuple(space for space in range(MOST_SPACES) if bits >> space & 1) for bits in range(1 << MOST_SPACES))
"""The spaces in a set of spaces, whose bits they are."""


class Offer:
    """What a profile offers its owner, its neighbours and its enemies; all of it open to everybody.

    ``held``: bit of each kind in it, covered or not. ``spaces``: how many it has. ``free``: its first empty space, or
    -1. Sets of spaces, a bit each: ``emptiable``; ``coverable`` by Left on Read; ``swappable``, an unpaired, uncovered
    Trait; ``pairable``, such a Trait or Wild. ``have`` (unary) and ``wilds``: traits without any Boost; ``boosts``:
    those that a match can use, lying in ``boost_spaces``; ``doubled``: the field of a trait in a pair with
    Overachiever, all fields for a Wild. ``lends`` and ``lends_two``: fields for a neighbour's Catfish.
    """

    __slots__ = (
        "baggage",
        "boost_spaces",
        "boosts",
        "coverable",
        "dealbreakers",
        "doubled",
        "emptiable",
        "free",
        "have",
        "held",
        "humblebrag",
        "lends",
        "lends_two",
        "pairable",
        "spaces",
        "swappable",
        "wilds",
    )

    def __init__(self, profile: bytes, hobbies_spaces: int) -> None:
        held = have = wilds = boosts = doubled = lends = lends_two = dealbreakers = 0
        emptiable = uncoverable = swappable = pairable = 0
        humblebrag = baggage = False
        spaces = SPACES
        boost_spaces = [-1, -1, -1, -1]
        bit = 1
        for space, code in enumerate(profile):
            if code:
                kind = (code & KIND) - 1
                held |= HELD[code]
                if code & READ:
                    dealbreakers += 1
                elif kind <= WILD:
                    emptiable |= bit
                    if code & COVERED:
                        boosts |= USED_STRANGER
                        boost_spaces[3] = space
                    else:
                        field = LENT[kind]
                        lends |= field
                        if kind == WILD:
                            wilds += 1
                        else:
                            have |= (have & field) << 1 & field | 1 << FIELD_BITS * kind
                        if code & DOUBLED:
                            boosts |= USED_OVERACHIEVER
                            boost_spaces[2] = space
                            doubled = field
                            lends_two |= field
                        else:
                            pairable |= bit
                            if kind != WILD:
                                swappable |= bit
                elif kind == RED_FLAG:
                    dealbreakers += 1
                elif kind == BAGGAGE:
                    dealbreakers += 1
                    baggage = True
                else:
                    emptiable |= bit
                    if kind == CATFISH:
                        boosts |= USED_CATFISH
                        boost_spaces[0] = space
                    elif kind == FLIRT:
                        boosts |= USED_FLIRT
                        boost_spaces[1] = space
                    elif kind == HUMBLEBRAG:
                        humblebrag = True
                    else:
                        uncoverable = bit
                        spaces = hobbies_spaces
            bit += bit
        free = profile.find(0)
        self.free = free if free < spaces else -1
        self.held = held
        self.spaces = spaces
        self.emptiable = emptiable
        self.coverable = emptiable ^ uncoverable
        self.swappable = swappable
        self.pairable = pairable
        self.have = have
        self.wilds = wilds
        self.boosts = boosts
        self.boost_spaces = boost_spaces
        self.doubled = doubled
        self.lends = lends
        self.lends_two = lends_two
        self.humblebrag = humblebrag
        self.baggage = baggage
        self.dealbreakers = dealbreakers


LENT = (*FIELDS, ANY_TRAIT)  # by kind: the traits that a Trait or a Wild can stand for
HELD = tuple(sum(1 << kind for kind in cards_of(code)) if code & KIND else 0 for code in range(256))


def _seen(code: int) -> Space | None:
    kind = (code & KIND) - 1
    if not 0 <= kind < len(CARDS):
        return None
    boost = "overachiever" if code & DOUBLED else "mysterious_stranger" if code & COVERED else None
    return Space(CARDS[kind], boost, bool(code & READ))  # type: ignore[arg-type]


SEEN = tuple(_seen(code) for code in range(256))
