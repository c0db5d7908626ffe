"""House bots: they see what their seat sees.

The greedy bot looks one step ahead: it weighs each choice by the profiles that it leaves, each worth what the face-up
Boos are worth and how near it is to them, its own against the best opponent's.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from ...game import Bot
from .observe import determinize
from .profile import COVERED, DOUBLED, READ, Profile
from .rules import endgame_hearts
from .state import (
    ACTIONS,
    BAGGAGE,
    BOOST_SETS,
    CATFISH,
    DO_EMPTY,
    DO_GIVE,
    DO_MATCH,
    DO_OLD_FLAME,
    DO_PAIR,
    DO_PASS,
    DO_PLAY,
    DO_REMOVE,
    DO_TARGET,
    FLIRT,
    GHOSTED,
    HOBBIES,
    HUMBLEBRAG,
    LEFT_ON_READ,
    LOVE_TRIANGLE,
    MATCHES_TO_END,
    MOST_SPACES,
    OLD_FLAME,
    ON_GHOSTED,
    ON_LEFT_ON_READ,
    ON_RED_FLAG,
    ON_TAKE,
    OVERACHIEVER,
    PICK_UP_LINE,
    PLENTY_OF_FISH,
    RED_FLAG,
    SPEED_DATING,
    STRANGER,
    SWIPE_RIGHT,
    TARGET_BLOCK,
    USED_CATFISH,
    USED_FLIRT,
    USED_OVERACHIEVER,
    USED_STRANGER,
    WILD,
    LoveTriangle,
    Observation,
    OldFlame,
    PickUpLine,
    PlentyOfFish,
    SpeedDating,
    State,
    SwipeRight,
)


def uniform(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """Any legal action, evenly."""
    return legal[int(rng.random() * len(legal))]


NEAR = (1.0, 0.6, 0.33, 0.17, 0.08, 0.03, 0.01, 0.0, 0.0)
"""The share of a Boo's worth that a profile is worth which lacks so many of its traits."""
ALSO = 0.15  # the weight of the other Boos beside the best one
RIVAL = 0.35  # the weight of the best opponent's profile
KEEP = {
    WILD: 1.6,
    CATFISH: 0.8,
    FLIRT: 1.0,
    HUMBLEBRAG: 0.9,
    HOBBIES: 0.5,
    OVERACHIEVER: 0.8,
    STRANGER: 0.5,
    RED_FLAG: 0.1,
    BAGGAGE: 0.3,
    LEFT_ON_READ: 0.4,
    GHOSTED: 1.2,
    SWIPE_RIGHT: 1.0,
    SPEED_DATING: 0.2,
    PLENTY_OF_FISH: 0.3,
    PICK_UP_LINE: 0.6,
    OLD_FLAME: 0.5,
    LOVE_TRIANGLE: 0.5,
}
"""What a card in hand is worth beside what it could do at once."""
STANDING = {HUMBLEBRAG: 0.8, HOBBIES: 0.3, RED_FLAG: -0.5, BAGGAGE: -0.8, CATFISH: 0.2, FLIRT: 0.3}
"""What a card is worth for lying in a profile."""
ENOUGH = 3.5  # a match worth more is taken, whatever else is near
AHEAD = 0.5  # how far behind the best rival's expected score a third match is still taken
LONG = 30  # turns per seat after which a third match is taken in any case


class Mind:
    """One decision of the greedy bot: a world that its seat cannot rule out, of which it uses the open part."""

    def __init__(self, world: State) -> None:
        self.world = world
        self.seat = world.turn
        self.cards = world.cards
        mine = world.cards.endgames[world.endgame[self.seat]]
        now = endgame_hearts(world, self.seat, mine)
        self.worth = list(world.cards.hearts)
        matches = world.matches[self.seat]
        for boo in world.face_up:
            world.matches[self.seat] = (*matches, boo)
            self.worth[boo] += endgame_hearts(world, self.seat, mine) - now
        world.matches[self.seat] = matches

    def prospect(self, seat: int, profile: Profile) -> float:
        """What a profile is worth to its seat."""
        gains = self.gains(seat, profile)
        best = max(gains, default=0.0)
        held = profile.held
        standing = sum([value for kind, value in STANDING.items() if held >> kind & 1])
        return best + ALSO * (sum(gains) - best) + standing

    def gains(self, seat: int, profile: Profile) -> list[float]:
        """What each face-up Boo is worth to a profile: the less, the more of its traits are lacking."""
        world, cards = self.world, self.cards
        lacks, boosts = ~profile.have, profile.boosts
        sure = profile.wilds + (boosts & USED_STRANGER > 0) + (boosts & USED_FLIRT > 0)
        doubled = profile.doubled if boosts & USED_OVERACHIEVER else 0
        lends = 0
        if boosts & USED_CATFISH:
            left, right = world.profiles[(seat + 1) % world.seats], world.profiles[seat - 1]
            lends = left.lends | right.lends
        worth = self.worth if seat == self.seat else cards.hearts
        gains = []
        for boo in world.face_up:
            missing = cards.wants[boo] & lacks
            short = missing.bit_count() - sure - (missing & doubled > 0) - (missing & lends > 0)
            if profile.baggage and cards.hearts[boo] > cards.baggage_hearts:
                gains.append(0.0)
            else:
                gains.append(worth[boo] * NEAR[short] if short > 0 else worth[boo])
        return gains

    def rivals(self) -> list[int]:
        return [seat for seat in range(self.world.seats) if seat != self.seat]

    def hearts(self, seat: int) -> int:
        world = self.world
        return sum(self.cards.hearts[boo] for boo in world.matches[seat] if boo != world.ghosted[seat])

    def final(self, seat: int) -> float:
        """A rival's score if the match ended now: its Endgame card may be any but one's own."""
        own = self.world.endgame[self.seat]
        bonus = [endgame_hearts(self.world, seat, card) for each, card in enumerate(self.cards.endgames) if each != own]
        return self.hearts(seat) + sum(bonus) / len(bonus)


def greedy(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """The choice that leaves the best prospects."""
    if len(legal) == 1:
        return legal[0]
    mind = Mind(determinize(observation, rng))
    return _CHOOSE[observation.phase](mind, legal)


def _discard(mind: Mind, legal: Sequence[int]) -> int:
    return min(legal, key=lambda kind: _keep(mind, kind))


def _keep(mind: Mind, kind: int) -> float:
    """What a card in hand is worth."""
    world, seat = mind.world, mind.seat
    profile = world.profiles[seat]
    keep = KEEP.get(kind, 0.2)
    copies = world.hands[seat].count(kind)
    if WILD < kind <= STRANGER and (profile.held >> kind & 1 or copies > 1):
        return keep * 0.3
    if kind <= WILD and profile.free >= 0:
        gain = mind.prospect(seat, profile.put(profile.free, kind + 1)) - mind.prospect(seat, profile)
        return keep + gain - 0.1 * (copies - 1)
    if kind <= WILD:
        wanted = sum(mind.cards.boos[boo].wants.count(kind) for boo in world.face_up)
        return keep + 0.2 * wanted
    if kind == GHOSTED and all(world.was_ghosted >> rival & 1 for rival in mind.rivals()):
        return 0.0
    return keep


def _move(mind: Mind, legal: Sequence[int]) -> int:
    world, seat = mind.world, mind.seat
    best, choice = 0.0, DO_PASS
    for action in legal:
        match ACTIONS[action]:
            case SwipeRight():
                gain = 3.0
            case PickUpLine(target=target):
                gain = 2.0 + 0.2 * mind.hearts(target) + 0.1 * len(world.hands[target])
            case OldFlame(card=_):
                gain = _keep(mind, action - DO_OLD_FLAME)
            case SpeedDating():
                rest = world.hands[seat][:]
                rest.remove(SPEED_DATING)
                gain = 0.9 * len(rest) - sum(_keep(mind, kind) for kind in rest)
            case PlentyOfFish():
                theirs = max(mind.prospect(rival, world.profiles[rival]) for rival in mind.rivals())
                gain = theirs - mind.prospect(seat, world.profiles[seat]) - 1.0
            case LoveTriangle():
                gain = _best_swap(mind)[0]
            case _:
                continue
        if gain > best:
            best, choice = gain, action
    return choice


def _best_swap(mind: Mind, giving: int = -1) -> tuple[float, int, int, int]:
    """The best Love Triangle: its gain, the space that gives, the target and its space."""
    world, seat = mind.world, mind.seat
    mine = world.profiles[seat]
    now = mind.prospect(seat, mine)
    best = (-99.0, -1, -1, -1)
    tried: dict[tuple[int, int], float] = {}
    for target in mind.rivals():
        theirs = world.profiles[target]
        for there in range(MOST_SPACES):
            if not theirs.swappable >> there & 1:
                continue
            for here in range(MOST_SPACES):
                if not mine.swappable >> here & 1 or giving not in (-1, here):
                    continue
                pair = (mine.codes[here], theirs.codes[there])
                if pair not in tried:
                    tried[pair] = mind.prospect(seat, mine.put(here, theirs.codes[there])) - now
                if tried[pair] > best[0]:
                    best = (tried[pair], here, target, there)
    return best


def _give(mind: Mind, legal: Sequence[int]) -> int:
    return DO_GIVE + _best_swap(mind)[1]


def _take(mind: Mind, legal: Sequence[int]) -> int:
    _, _, target, there = _best_swap(mind, mind.world.giving)
    return DO_TARGET + TARGET_BLOCK * target + ON_TAKE + there


def _play(mind: Mind, legal: Sequence[int]) -> int:
    return max(legal, key=lambda action: _play_gain(mind, action))


def _play_gain(mind: Mind, action: int) -> float:
    """What a step-4 choice adds, less what the card is worth in hand."""
    world, seat = mind.world, mind.seat
    profile = world.profiles[seat]
    now = mind.prospect(seat, profile)
    if action >= DO_TARGET:
        return _attack_gain(mind, action)
    if action >= DO_EMPTY:
        gone = mind.prospect(seat, profile.put(action - DO_EMPTY, 0)) - now
        return gone + _best_after(mind, profile.put(action - DO_EMPTY, 0)) - 0.2
    if action >= DO_REMOVE:
        kind = RED_FLAG + action - DO_REMOVE
        if kind == GHOSTED:
            return float(mind.cards.hearts[world.ghosted[seat]]) - 0.5
        codes = profile.codes
        at = next(at for at, code in enumerate(codes) if code == kind + 1 or (kind == LEFT_ON_READ and code & READ))
        left = codes[at] & ~READ if kind == LEFT_ON_READ else 0
        return mind.prospect(seat, profile.put(at, left)) - now - KEEP[WILD]
    if action >= DO_PAIR:
        which, space = divmod(action - DO_PAIR, MOST_SPACES)
        after = profile.put(space, profile.codes[space] | (COVERED if which else DOUBLED))
        return mind.prospect(seat, after) - now - 0.3 * KEEP[OVERACHIEVER + which]
    if action >= DO_PLAY:
        kind = action - DO_PLAY
        after = profile.put(profile.free, kind + 1)
        return mind.prospect(seat, after) - now - 0.3 * KEEP.get(kind, 0.0)
    return -5.0


def _best_after(mind: Mind, profile: Profile) -> float:
    """The best gain of a card of the hand in the first empty space."""
    now = mind.prospect(mind.seat, profile)
    gains = [
        mind.prospect(mind.seat, profile.put(profile.free, kind + 1)) - now
        for kind in set(mind.world.hands[mind.seat])
        if kind <= HOBBIES and profile.free >= 0 and (kind <= WILD or not profile.held >> kind & 1)
    ]
    return max(gains, default=0.0)


def _attack_gain(mind: Mind, action: int) -> float:
    world = mind.world
    target, on = divmod(action - DO_TARGET, TARGET_BLOCK)
    profile = world.profiles[target]
    weight = RIVAL * (1 + 0.4 * len(world.matches[target]))
    if on >= ON_GHOSTED:
        hearts = mind.cards.hearts[world.matches[target][on - ON_GHOSTED]]
        return 0.5 * hearts * len(world.matches[target]) - KEEP[GHOSTED]
    if on >= ON_LEFT_ON_READ:
        space = on - ON_LEFT_ON_READ
        after, kind = profile.put(space, profile.codes[space] | READ), LEFT_ON_READ
    else:
        kind = RED_FLAG if on == ON_RED_FLAG else BAGGAGE
        after = profile.put(profile.free, kind + 1)
    return weight * (mind.prospect(target, profile) - mind.prospect(target, after)) - 0.3 * KEEP[kind]


def _empty(mind: Mind, legal: Sequence[int]) -> int:
    profile = mind.world.profiles[mind.seat]
    return max(legal, key=lambda action: mind.prospect(mind.seat, profile.put(action - DO_EMPTY, 0)))


def _match(mind: Mind, legal: Sequence[int]) -> int:
    """The best Boo, unless it is worth little and a better one is near; a third only to win. Not so after long."""
    world, seat = mind.world, mind.seat
    best, choice = 0.0, DO_PASS
    if world.turns < LONG * world.seats:
        if len(world.matches[seat]) - (world.ghosted[seat] >= 0) == MATCHES_TO_END - 1:
            card = mind.cards.endgames[world.endgame[seat]]
            mine = mind.hearts(seat) + endgame_hearts(world, seat, card)
            best = max(mind.final(rival) for rival in mind.rivals()) - mine - AHEAD
        else:
            now = {(action - DO_MATCH) // BOOST_SETS for action in legal}
            gains = mind.gains(seat, world.profiles[seat])
            others = [gain for place, gain in enumerate(gains) if place not in now]
            best = min(ENOUGH, max(others, default=0.0))
    for action in legal:
        if action != DO_PASS:
            place, used = divmod(action - DO_MATCH, BOOST_SETS)
            gain = mind.worth[world.face_up[place]] - 0.4 * used.bit_count()
            if gain > best:
                best, choice = gain, action
    return choice


_CHOOSE: dict[str, Callable[[Mind, Sequence[int]], int]] = {
    "discard": _discard,
    "make_a_move": _move,
    "swap_give": _give,
    "swap_take": _take,
    "play": _play,
    "overflow": _empty,
    "match": _match,
    "empty": _empty,
    "hand_limit": _discard,
}

BOTS: tuple[Bot[Observation], ...] = (
    Bot("random", "Random", "plays anything legal", uniform),
    Bot("greedy", "Greedy", "one step ahead: builds towards the best Boos, ends the match to win it", greedy),
)
