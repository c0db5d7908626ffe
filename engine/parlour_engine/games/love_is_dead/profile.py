"""Profiles: seven spaces, a byte each, and what a profile offers.

A byte is 0 for an empty space; else its card's kind plus one, and a bit for each card on top of it. Bytes are
immutable: copies of a match share them, and what a profile offers is worked out once for each profile.
"""

from __future__ import annotations

from .state import (
    BAGGAGE,
    CARDS,
    CATFISH,
    DO_PAIR,
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


class Offer:
    """What a profile offers its owner, its neighbours and its enemies; all of it open to everybody.

    ``held``: bit of each kind in it, covered or not. ``spaces``: how many it has. ``free``: its first empty space, or
    -1. ``emptiable``, ``coverable``, ``swappable``, ``pairable``: spaces; the bits of ``emptiable`` are ``open``.
    ``pairs``: the actions that pair an Overachiever, and those that pair a Mysterious Stranger. ``have`` (unary) and
    ``wilds``: traits without any Boost; ``boosts``: those that a match can use, lying in ``boost_spaces``;
    ``doubled``: the field of a trait in a pair with Overachiever, all fields for a Wild. ``lends`` and ``lends_two``:
    fields for a neighbour's Catfish.
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
        "open",
        "pairable",
        "pairs",
        "spaces",
        "swappable",
        "wilds",
    )

    def __init__(self, profile: bytes, hobbies_spaces: int) -> None:
        held = have = wilds = boosts = doubled = lends = lends_two = is_open = dealbreakers = 0
        humblebrag = baggage = False
        spaces = SPACES
        boost_spaces = [-1, -1, -1, -1]
        emptiable: list[int] = []
        coverable: list[int] = []
        swappable: list[int] = []
        pairable: list[int] = []
        for space, code in enumerate(profile):
            if not code:
                continue
            kind = (code & KIND) - 1
            held |= 1 << kind
            if code & DOUBLED:
                held |= 1 << OVERACHIEVER
            elif code & COVERED:
                held |= 1 << STRANGER
            if code & READ:
                held |= 1 << LEFT_ON_READ
                dealbreakers += 1
                continue
            if kind == RED_FLAG:
                dealbreakers += 1
                continue
            if kind == BAGGAGE:
                dealbreakers += 1
                baggage = True
                continue
            emptiable.append(space)
            is_open |= 1 << space
            if kind == HOBBIES:
                spaces = hobbies_spaces
                continue
            coverable.append(space)
            if code & COVERED:
                boosts |= USED_STRANGER
                boost_spaces[3] = space
            elif kind <= WILD:
                if kind == WILD:
                    field = ANY_TRAIT
                    wilds += 1
                else:
                    field = FIELDS[kind]
                    have |= (have & field) << 1 & field | 1 << FIELD_BITS * kind
                lends |= field
                if code & DOUBLED:
                    boosts |= USED_OVERACHIEVER
                    boost_spaces[2] = space
                    doubled = field
                    lends_two |= field
                else:
                    pairable.append(space)
                    if kind != WILD:
                        swappable.append(space)
            elif kind == CATFISH:
                boosts |= USED_CATFISH
                boost_spaces[0] = space
            elif kind == FLIRT:
                boosts |= USED_FLIRT
                boost_spaces[1] = space
            elif kind == HUMBLEBRAG:
                humblebrag = True
        free = profile.find(0)
        self.free = free if free < spaces else -1
        self.held = held
        self.spaces = spaces
        self.emptiable = tuple(emptiable)
        self.open = is_open
        self.coverable = tuple(coverable)
        self.swappable = tuple(swappable)
        self.pairable = tuple(pairable)
        self.pairs = (
            tuple(DO_PAIR + space for space in pairable),
            tuple(DO_PAIR + MOST_SPACES + space for space in swappable),
        )
        self.have = have
        self.wilds = wilds
        self.boosts = boosts
        self.boost_spaces = tuple(boost_spaces)
        self.doubled = doubled
        self.lends = lends
        self.lends_two = lends_two
        self.humblebrag = humblebrag
        self.baggage = baggage
        self.dealbreakers = dealbreakers


def _seen(code: int) -> Space | None:
    kind = (code & KIND) - 1
    if not 0 <= kind < len(CARDS):
        return None
    boost = "overachiever" if code & DOUBLED else "mysterious_stranger" if code & COVERED else None
    return Space(CARDS[kind], boost, bool(code & READ))  # type: ignore[arg-type]


SEEN = tuple(_seen(code) for code in range(256))
