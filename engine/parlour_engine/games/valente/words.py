"""Valente in words: the text of a button, why an action is not legal now, and the cards for screens."""

from __future__ import annotations

from typing import Any

from .actions import STRIPS, Action, Buy, Discard, Draw, Exchange, Pass, Play, Salvage, Tear, actions
from .deck import DECKS, Card
from .state import HAND_LIMIT, LIMITS, TRUST_MAX, Observation, Options


def _action(observation: Observation, number: int) -> Action:
    return actions(len(observation.seats))[number]


def _card(observation: Observation, card: int) -> Card:
    return DECKS[observation.options.deck][card]


def _named(observation: Observation, card: int) -> str:
    """A card as a person reads it: number, effects, caption."""
    it = _card(observation, card)
    return f"{it.part} {card} [{', '.join(map(str, it.effects))}] {it.caption}"


def label(observation: Observation, action: int) -> str:
    """A short text for a button."""
    match _action(observation, action):
        case Pass():
            return "Pass: nothing else can be done"
        case Buy("deck"):
            return "Buy the top card of the deck"
        case Buy():
            if not observation.discard:
                return "Buy the top card of the discard pile"
            return f"Buy from the discard pile: {_named(observation, observation.discard[-1])}"
        case Exchange():
            return "Exchange cards"
        case Draw():
            return f"Draw {observation.exchanged}"
        case Discard(card):
            return f"Discard {_named(observation, card)}"
        case Play(card, strip):
            return f"{_play_words(observation, card, strip)}: {_named(observation, card)}"
        case Salvage(card):
            return f"Salvage {_named(observation, card)}"
        case Tear(seat, strip):
            held = observation.seats[seat].strips[strip]
            whose = "your" if seat == observation.seat else f"seat {seat}'s"
            torn = f": {_named(observation, held[-1])}" if held else ""
            return f"Tear {whose} strip {strip + 1}{torn}"


def _play_words(observation: Observation, card: int, strip: int) -> str:
    held = () if observation.seat is None else observation.seats[observation.seat].strips[strip]
    match _card(observation, card).part:
        case "start":
            return f"Discard strip {strip + 1} and open a new one" if held else f"Open strip {strip + 1}"
        case "middle":
            return f"Continue strip {strip + 1}"
        case "end":
            return f"Publish strip {strip + 1}"


_ELSEWHERE = {
    "exchange": "You are exchanging: discard a card of your hand, or draw once enough are discarded (VA-13).",
    "scout": "You are scouting: discard one of the scouted cards (VA-21).",
    "tear": "Your strip tears: choose an unpublished strip whose last card is discarded (VA-22).",
    "salvage": "Your strip salvages: choose a card of the discard pile (VA-23).",
    "hand_limit": f"Your turn ends with more than {HAND_LIMIT} cards: discard cards of your hand (VA-14).",
}


def explain(observation: Observation, action: int) -> str:
    """Which rule forbids the action now, from what the viewer may know."""
    if observation.phase == "over":
        return "The match is over (VA-27, VA-28, VA-30)."
    if observation.seat != observation.turn_of:
        return f"It is seat {observation.turn_of}'s turn (VA-9)."
    wanted = _action(observation, action)
    match observation.phase, wanted:
        case ("exchange", Draw()):
            return f"An exchange has at least {_fewest(observation)}: discard another (VA-13)."
        case ("exchange" | "hand_limit", Discard(card)):
            return f"Card {card} is not in your hand ({'VA-13' if observation.phase == 'exchange' else 'VA-14'})."
        case ("scout", Discard(card)):
            return f"Card {card} is not one of the scouted cards (VA-21)."
        case ("tear", Tear(seat, strip)):
            return f"Seat {seat} has no unpublished strip at place {strip + 1} (VA-22)."
        case ("salvage", Salvage(card)):
            return f"Card {card} is not in the discard pile (VA-23)."
        case ("turn", _):
            return _explain_turn(observation, wanted)
    return _ELSEWHERE[observation.phase]


def _explain_turn(observation: Observation, wanted: Action) -> str:
    match wanted:
        case Pass():
            return "You can buy, play or exchange, so you cannot pass (VA-16)."
        case Buy("deck"):
            return "No card can come: the deck is empty, and so is the discard pile below its top card (VA-10, VA-15)."
        case Buy():
            return "The discard pile is empty (VA-10)."
        case Exchange():
            if len(observation.hand) < observation.options.exchange_min:
                return f"An exchange needs {_fewest(observation)} in hand (VA-13)."
            return "Deck and discard pile are empty: no card could come for those discarded (VA-13, VA-15)."
        case Draw():
            return "Cards are drawn at the end of an exchange; to take one now, buy it (VA-13)."
        case Discard():
            return "Cards are discarded in an exchange, of a scout, or above the hand limit (VA-13, VA-14, VA-21)."
        case Salvage():
            return "A card is salvaged only by the effect of a strip that you publish (VA-23)."
        case Tear():
            return "A strip is torn only by the effect of a strip that you publish (VA-22)."
        case Play(card, strip):
            return _explain_play(observation, card, strip)


def _fewest(observation: Observation) -> str:
    fewest = observation.options.exchange_min
    return "1 card" if fewest == 1 else f"{fewest} cards"


def _explain_play(observation: Observation, card: int, strip: int) -> str:
    if card not in observation.hand:
        return f"Card {card} is not in your hand (VA-11)."
    match _card(observation, card).part:
        case "start":
            free = next(each for each in range(STRIPS) if not observation.seats[observation.turn_of].strips[each])
            return f"A start opens a new strip, at your first empty place: {free + 1} (VA-11, VA-12)."
        case "middle":
            return f"A middle goes on a strip that has only a start; strip {strip + 1} is none (VA-11)."
        case "end":
            return f"An end goes on a strip that has a start and a middle; strip {strip + 1} is none (VA-11)."


def public_data(options: Options) -> dict[str, Any]:
    """The deck's cards and the tracks. The secret card is not among it: it is read when time runs out. [VA-29]"""
    deck = DECKS[options.deck]
    return {
        "deck": deck.name,
        "title": deck.title,
        "heart_track": {"princesa": -deck.reach, "dama": deck.reach},
        "trust_track": {"maximum": TRUST_MAX},
        "rounds": {str(seats): rounds for seats, rounds in LIMITS.items()},
        "untimed_rounds": deck.untimed_rounds,
        "cards": [
            {
                "id": card.id,
                "part": card.part,
                "effects": [str(effect) for effect in card.effects],
                "caption": card.caption,
            }
            for card in deck.cards
        ],
    }
