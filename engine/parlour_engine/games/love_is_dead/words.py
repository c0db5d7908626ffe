"""Love Is Dead in words: a short text for each action, and why one is not legal now."""

from __future__ import annotations

import random

from .decks import SHELF, Deck
from .observe import determinize
from .rules import legal_actions
from .state import (
    ACTIONS,
    CARD_NUMBER,
    KINDS,
    PHASES,
    TRAITS,
    Discard,
    EmotionalBaggage,
    Empty,
    Ghosted,
    GiveTrait,
    LeftOnRead,
    LoveTriangle,
    Match,
    Observation,
    OldFlame,
    Pair,
    Pass,
    PickUpLine,
    Play,
    PlentyOfFish,
    RedFlag,
    RemoveDealbreaker,
    Space,
    SpeedDating,
    SwipeRight,
    TakeTrait,
)

NAMES = {
    "dead_funny": "Dead Funny",
    "soulful": "Soulful",
    "fearless": "Fearless",
    "paranormally_active": "Paranormally Active",
    "intellectual": "Intellectual",
    "boo_tiful": "Boo-tiful",
    "imaginative": "Imaginative",
    "wild": "Wild",
    "catfish": "Catfish",
    "you_flirt": "You Flirt!",
    "humblebrag": "Humblebrag",
    "lots_of_hobbies": "Lots of Hobbies",
    "overachiever": "Overachiever",
    "mysterious_stranger": "Mysterious Stranger",
    "red_flag": "Red Flag",
    "emotional_baggage": "Emotional Baggage",
    "left_on_read": "Left on Read",
    "ghosted": "Ghosted",
    "swipe_right": "Swipe Right",
    "speed_dating": "Speed Dating",
    "plenty_of_fish": "Plenty of Fish",
    "pick_up_line": "Pick-Up Line",
    "old_flame": "Old Flame",
    "love_triangle": "Love Triangle",
}


def texts(deck: Deck) -> dict[str, str]:
    """What each action card does, with the deck's own numbers."""
    draws = deck.swipe_right_draws
    return {
        **dict.fromkeys(TRAITS, "Into your profile: meets this trait where a Boo wants it. [LD-17]"),
        "wild": "Into your profile, as any trait; or from your hand it removes a Dealbreaker of yours. [LD-19]",
        "catfish": "For a match: borrow a trait from the profile of a player next to you. [LD-27]",
        "you_flirt": "For a match: ignore a trait that the Boo wants. [LD-28]",
        "humblebrag": f"While it is in your profile, a turn begins with {deck.humblebrag_draws} cards. [LD-29]",
        "lots_of_hobbies": f"While it is in your profile, that has {deck.hobbies_spaces} spaces. [LD-30]",
        "overachiever": "Onto a Trait or Wild in your profile, which can then count twice in a match. [LD-24]",
        "mysterious_stranger": "Onto a Trait in your profile, which then counts as any trait. [LD-25]",
        "red_flag": "Fills an empty space of an opponent's profile. [LD-32]",
        "emotional_baggage": "Fills an empty space of an opponent's profile, who then matches only with Boos worth "
        f"{deck.baggage_hearts} Hearts or fewer. [LD-33]",
        "left_on_read": "Covers a filled space of an opponent's profile: what is under it does not count. [LD-34]",
        "ghosted": "Onto a match of an opponent, which then does not count. Once a game for each. [LD-35]",
        "swipe_right": f"Draw {draws} card{'s' * (draws > 1)}. [LD-36]",
        "speed_dating": "Discard your whole hand, draw as many cards. [LD-37]",
        "plenty_of_fish": "The face-up Boos go under the dating pool; turn up as many. [LD-38]",
        "pick_up_line": "Take a card at random from the hand of an opponent. [LD-39]",
        "old_flame": "Take a Trait of your choice from the discard pile. [LD-40]",
        "love_triangle": "Swap a Trait of your profile with a Trait of an opponent's profile. [LD-41]",
    }


def _space(observation: Observation, seat: int, space: int) -> str:
    """What lies in a space, in words."""
    profile = observation.players[seat].profile
    filled = profile[space] if space < len(profile) else None
    return f"space {space + 1}" + (f" ({_cards(filled)})" if filled else "")


def _cards(space: Space) -> str:
    cards = [space.card, *([space.boost] if space.boost else []), *(["left_on_read"] if space.left_on_read else [])]
    return " + ".join(NAMES[card] for card in cards)


def label(observation: Observation, action: int) -> str:
    """A short text for a button."""
    me = observation.turn if observation.seat is None else observation.seat
    match ACTIONS[action]:
        case Discard(card=card):
            return f"Discard {NAMES[card]}"
        case Pass():
            return "No match" if observation.phase == "match" else "Pass"
        case SwipeRight() | SpeedDating() | PlentyOfFish() | LoveTriangle() as move:
            return NAMES[move.type]
        case OldFlame(card=card):
            return f"Old Flame: take {NAMES[card]} from the discard pile"
        case GiveTrait(space=space):
            return f"Give {_space(observation, me, space)}"
        case Play(card=card):
            return f"Play {NAMES[card]}"
        case Pair(card=card, space=space):
            return f"{NAMES[card]} on {_space(observation, me, space)}"
        case RemoveDealbreaker(card=card):
            return f"Wild: remove {NAMES[card]}"
        case Empty(space=space):
            return f"Empty {_space(observation, me, space)}"
        case Match(place=place, boosts=boosts):
            boo = _boo(observation, place)
            return f"Match with {boo}" + (f", using {' and '.join(NAMES[each] for each in boosts)}" if boosts else "")
        case RedFlag(target=target) | EmotionalBaggage(target=target) | PickUpLine(target=target) as card:
            return f"{NAMES[card.type]} on seat {target}"
        case LeftOnRead(target=target, space=space):
            return f"Left on Read on seat {target}, {_space(observation, target, space)}"
        case Ghosted(target=target, match=match):
            matches = observation.players[target].matches
            return (
                f"Ghosted on seat {target}, {_name(observation, matches[match].boo) if match < len(matches) else match}"
            )
        case TakeTrait(target=target, space=space):
            return f"Take seat {target}, {_space(observation, target, space)}"
    raise AssertionError(action)


def _name(observation: Observation, boo: str) -> str:
    deck = SHELF[observation.options.deck]
    return deck.boos[deck.boo_number[boo]].name


def _boo(observation: Observation, place: int) -> str:
    return _name(observation, observation.face_up[place]) if place < len(observation.face_up) else f"place {place + 1}"


_ASKED = {
    "discard": ("discard", "hand_limit"),
    "pass": ("make_a_move", "play", "match"),
    "empty": ("play", "overflow", "empty"),
    "match": ("match",),
    "give_trait": ("swap_give",),
    "take_trait": ("swap_take",),
    **dict.fromkeys(
        ("swipe_right", "speed_dating", "plenty_of_fish", "pick_up_line", "old_flame", "love_triangle"),
        ("make_a_move",),
    ),
    **dict.fromkeys(
        ("play", "pair", "remove_dealbreaker", "red_flag", "emotional_baggage", "left_on_read", "ghosted"), ("play",)
    ),
}
"""The decisions that each type of action can answer."""

_STEP = {
    "discard": "LD-10",
    "make_a_move": "LD-11",
    "swap_give": "LD-41",
    "swap_take": "LD-41",
    "play": "LD-12",
    "overflow": "LD-30",
    "match": "LD-13",
    "empty": "LD-45",
    "hand_limit": "LD-14",
}


_NEEDS_A_SPACE = "LD-30: a space was emptied for a card that needs one: play that"


def explain(observation: Observation, action: int) -> str:
    """Which rule forbids the action now; "legal" if none does."""
    if observation.outcome is not None:
        return f"LD-47: the match is over: {observation.outcome.text}"
    if observation.seat is None:
        return "LD-15: a spectator decides nothing"
    if observation.seat != observation.turn:
        return f"LD-15: it is seat {observation.turn}'s turn"
    if action in legal_actions(determinize(observation, random.Random(0)), observation.seat):
        return "legal"
    chosen = ACTIONS[action]
    phase = observation.phase
    if phase not in _ASKED[chosen.type]:
        return f"{_STEP[phase]}: now you decide: {KINDS[PHASES.index(phase)].prompt}"
    return _refusal(observation, action)


def _refusal(observation: Observation, action: int) -> str:
    """The action answers this kind of decision, and is still not legal."""
    me = observation.players[observation.turn]
    hand = observation.hand or ()
    match ACTIONS[action]:
        case Discard(card=card):
            return f"{_STEP[observation.phase]}: there is no {NAMES[card]} in your hand"
        case Pass():
            return "LD-12: a play is compulsory while any is legal, also one that needs a space emptied first"
        case SwipeRight() | SpeedDating() | PlentyOfFish() | PickUpLine() | OldFlame() | LoveTriangle() as move if (
            move.type not in hand
        ):
            return f"LD-11: there is no {NAMES[move.type]} in your hand"
        case SpeedDating():
            return "LD-37: Speed Dating needs another card in your hand"
        case PickUpLine(target=target):
            return "LD-39: a Pick-Up Line needs an opponent with cards in hand" + _own(observation, target)
        case OldFlame(card=card):
            return f"LD-40: there is no {NAMES[card]} in the discard pile"
        case LoveTriangle():
            return "LD-41: you and an opponent both need a Trait that is neither paired nor covered"
        case GiveTrait():
            return "LD-41: only a Trait of your profile that is neither paired nor covered can be given"
        case TakeTrait():
            return "LD-41: only a Trait of an opponent's profile that is neither paired nor covered can be taken"
        case Empty(space=space):
            return _cannot_empty(observation, space)
        case Match(place=place, boosts=boosts):
            return _cannot_match(observation, place, boosts)
        case RemoveDealbreaker(card=card):
            if "wild" not in hand:
                return "LD-19: only a Wild from your hand removes a Dealbreaker"
            if observation.emptied == 3:
                return _NEEDS_A_SPACE
            return f"LD-20: there is no {NAMES[card]} on your profile or your matches"
        case Play(card=card) | Pair(card=card) as play:
            if card not in hand:
                return f"LD-12: there is no {NAMES[card]} in your hand"
            if _lies(me.profile, card) and CARD_NUMBER[card] > CARD_NUMBER["wild"]:
                return f"LD-22: there is a {NAMES[card]} in your profile already"
            if isinstance(play, Play):
                return "LD-18: your profile is full: empty a space first"
            if observation.emptied == 3:
                return _NEEDS_A_SPACE
            if card == "overachiever":
                return "LD-24: Overachiever goes on an unpaired, uncovered Trait or Wild"
            return "LD-25: Mysterious Stranger goes on an unpaired, uncovered Trait, not on a Wild"
        case RedFlag() | EmotionalBaggage() | LeftOnRead() | Ghosted() as card:
            return _cannot_attack(observation, card)
    raise AssertionError(action)


def _own(observation: Observation, target: int) -> str:
    return ": not you" if target == observation.seat else ""


def _lies(profile: tuple[Space | None, ...], card: str) -> bool:
    return any(
        space is not None and (card in (space.card, space.boost) or (card == "left_on_read" and space.left_on_read))
        for space in profile
    )


def _cannot_empty(observation: Observation, space: int) -> str:
    profile = observation.players[observation.turn].profile
    filled = profile[space] if space < len(profile) else None
    if filled is None:
        return f"LD-45: space {space + 1} is empty" if observation.phase != "play" else "LD-18: that space is empty"
    if filled.left_on_read or filled.card in ("red_flag", "emotional_baggage"):
        return "LD-23: only a Wild removes a Dealbreaker; its space cannot be emptied"
    if observation.phase != "play":
        return "LD-45: the spaces of the Boosts that were used must go"
    if observation.emptied == 3:
        return _NEEDS_A_SPACE
    if observation.emptied == 2:
        return "LD-30: one more space is emptied only for a card that needs it"
    if observation.emptied:
        return "LD-18: one space a turn"
    if None in profile:
        return "LD-18: a space is emptied only when the profile is full"
    return "LD-18: a space is emptied only if a card can be played then"


def _cannot_match(observation: Observation, place: int, boosts: tuple[str, ...]) -> str:
    deck = SHELF[observation.options.deck]
    if place >= len(observation.face_up):
        return f"LD-44: there is no Boo in place {place + 1}"
    boo = deck.boos[deck.boo_number[observation.face_up[place]]]
    profile = observation.players[observation.turn].profile
    if boo.hearts > deck.baggage_hearts and _lies(profile, "emotional_baggage"):
        return f"LD-33: with Emotional Baggage, only Boos worth {deck.baggage_hearts} Hearts or fewer"
    if not all(_lies(profile, boost) for boost in boosts):
        return "LD-42: your profile does not hold all these Boosts"
    world = determinize(observation, random.Random(0))
    first = next(number for number, each in enumerate(ACTIONS) if isinstance(each, Match)) + 16 * place
    if any(first <= legal < first + 16 for legal in world.matchable):
        return f"LD-46: {boo.name} is matched with a smallest set of Boosts, and not with this one"
    return f"LD-42: your profile does not fulfil all that {boo.name} wants"


def _cannot_attack(observation: Observation, card: RedFlag | EmotionalBaggage | LeftOnRead | Ghosted) -> str:
    name = NAMES[card.type]
    target = observation.players[card.target]
    if card.type not in (observation.hand or ()):
        return f"LD-12: there is no {name} in your hand"
    if card.target == observation.seat:
        return "LD-23: a Dealbreaker is played on an opponent"
    if observation.emptied == 3:
        return _NEEDS_A_SPACE
    if isinstance(card, Ghosted):
        if target.was_ghosted:
            return f"LD-35: seat {card.target} was Ghosted once"
        return f"LD-35: seat {card.target} has no such match"
    if _lies(target.profile, card.type):
        return f"LD-23: a {name} lies on that profile already"
    if isinstance(card, LeftOnRead):
        return "LD-34: Left on Read goes on a filled space without a Dealbreaker, not on Lots of Hobbies"
    rule = "LD-32" if isinstance(card, RedFlag) else "LD-33"
    return f"{rule}: seat {card.target} has no empty space"
