"""Actions in words: labels for buttons, and why something is not legal. From what the seat may know."""

from __future__ import annotations

from .cards import TITLES
from .names import COUPLE_COST, EXPLORE_COST, TALK_COST
from .season import SEASONS
from .space import (
    Accept,
    Action,
    BonusDate,
    BreakUp,
    ChooseCard,
    ChooseContestant,
    Confessional,
    Counter,
    CoupleUp,
    Decline,
    DefuseTheTension,
    ExploreAllOptions,
    KeepYourOptionsOpen,
    Pass,
    PlayBombshell,
    StealTheSpotlight,
    WeNeedToTalk,
    typed_actions,
)
from .views import Observation


def names_of(observation: Observation) -> list[str]:
    """The contestants' names by seat."""
    known = {each.id: each.name for each in SEASONS[observation.options.deck].contestants}
    return [known[each] for each in observation.contestants]


VERBS = {
    "pay": "Pay with {}",
    "discard": "Discard {}",
    "keep": "Keep {}",
    "reveal": "Show {} to everybody",
    "give": "Give {} away",
    "date_card": "Lay {} face down",
}


def label(observation: Observation, action: int) -> str:
    """A short text for a button."""
    o = observation
    names = names_of(o)
    match typed_actions(len(o.hand_sizes))[action]:
        case Pass():
            return "Pass"
        case Decline():
            return "Drop the counter" if o.phase == "counter_reply" else "Decline"
        case Accept():
            if o.offer is not None:
                own = o.offer.share if o.phase == "counter_reply" else COUPLE_COST - o.offer.share
                if o.phase == "counter_reply" and o.offer.counter is not None:
                    own = COUPLE_COST - o.offer.counter
                return f"Accept and pay {own} Love"
            return "Accept"
        case Counter(share=share):
            return f"Counter: you pay {share} of the {COUPLE_COST} Love"
        case ChooseCard(card=card):
            verb = "Throw {} aside" if o.phase == "date_card" and card not in ("love", "drama") else VERBS.get(o.phase)
            return (verb or "Choose {}").format(TITLES[card])
        case ChooseContestant(seat=seat):
            return f"Send {names[seat]} on the date"
        case BreakUp():
            return "Break Up"
        case StealTheSpotlight():
            return "Steal the Spotlight"
        case Confessional():
            return "Confessional (pay any card)"
        case DefuseTheTension():
            return "Defuse the Tension (pay Love and any card)"
        case WeNeedToTalk():
            return f"“We Need to Talk” (pay {TALK_COST} Love)"
        case BonusDate():
            return "Bonus Date (pay any card)"
        case ExploreAllOptions(target=target):
            return f"Explore All Options: look at {names[target]}'s Intention (pay {EXPLORE_COST} cards)"
        case KeepYourOptionsOpen(target=target):
            return f"Keep Your Options Open: look at {names[target]}'s Intention (pay {EXPLORE_COST} cards)"
        case CoupleUp(target=target, share=share):
            return f"Offer {names[target]} to couple up: you pay {share}, they pay {COUPLE_COST - share} Love"
        case PlayBombshell(card=card, target=None):
            return f"Play {TITLES[card]}"
        case PlayBombshell(card=card, target=target):
            if card in ("temptation", "clean_break"):
                partner = o.partners[target]  # type: ignore[index]
                couple = names[target] if partner is None else f"{names[target]} and {names[partner]}"  # type: ignore[index]
                return f"Play {TITLES[card]} on {couple}"
            return f"Play {TITLES[card]} on {names[target]}"  # type: ignore[index]
    raise AssertionError(action)


ALLOWED: dict[str, tuple[type, ...]] = {
    "pay": (ChooseCard,),
    "discard": (ChooseCard,),
    "keep": (ChooseCard,),
    "reveal": (ChooseCard,),
    "give": (ChooseCard,),
    "choose_contestant": (ChooseContestant,),
    "date_card": (ChooseCard,),
    "offer_reply": (Accept, Decline, Counter),
    "counter_reply": (Accept, Decline),
    "letter_reply": (Accept, Decline),
    "heart_reply": (Accept, Decline),
}
NOW = {
    "villa_turn": "it is your Villa turn: take a Villa Action, play a Bombshell, offer to couple up or pass (LS-8)",
    "pay": "you must first pay, card by card (LS-9)",
    "discard": "you must first discard a card (LS-17)",
    "keep": "you must first choose which of the two drawn cards to keep (LS-24)",
    "reveal": "you must first reveal a card of your hand (LS-18)",
    "give": "you must first give a card (LS-44)",
    "choose_contestant": "you must first choose who goes on the date (LS-25)",
    "date_card": "you must first lay a card on the date (LS-26)",
    "offer_reply": "you must first answer the offer: accept, decline or counter (LS-13)",
    "counter_reply": "you must first accept or drop the counter (LS-13)",
    "letter_reply": "you must first answer the Love Letter (LS-39)",
    "heart_reply": "you must first answer the Heart to Heart (LS-41)",
}


def explain(observation: Observation, action: int) -> str:
    """Which rule forbids the action now."""
    o = observation
    typed = typed_actions(len(o.hand_sizes))[action]
    if o.phase == "over":
        return "The match is over (LS-30, LS-31)."
    if o.seat is None:
        return "A spectator decides nothing (CM-5)."
    if o.seat not in o.deciding:
        if o.date is not None and o.seat in o.date.answered:
            return "You have laid your card; the date waits for the others (LS-28)."
        return f"It is not your decision now: seat {', '.join(map(str, o.deciding))} must act first (LS-8)."
    allowed = ALLOWED.get(o.phase)
    if allowed is not None and not isinstance(typed, allowed):
        return _sentence(NOW[o.phase])
    if o.phase == "villa_turn":
        return _sentence(_not_on_a_turn(o, typed))
    return _sentence(_not_as_an_answer(o, typed))


def _sentence(reason: str) -> str:
    return reason[0].upper() + reason[1:] + "."


def _not_as_an_answer(o: Observation, typed: Action) -> str:
    """Of the right sort for the decision, and still not legal."""
    love = o.hand.count("love")
    match typed:
        case ChooseCard(card=card):
            if o.phase == "keep":
                return "only one of the two cards drawn can be kept (LS-24)"
            if card not in o.hand:
                return (
                    f"you hold no {TITLES[card]} (LS-9)" if o.phase == "pay" else f"you hold no {TITLES[card]} (CM-4)"
                )
            return "no Bombshell on a date, unless you hold nothing else (LS-26, LS-27)"
        case ChooseContestant():
            return "the contestants of a date must be different (LS-25)"
        case Accept():
            return f"you do not hold your share of the Love: you have {love} (LS-14)"
        case Counter(share=share) if o.turn is not None:
            if o.seat in o.turn.countered:
                return "you have countered once in this Villa turn (LS-13)"
            if love < share:
                return f"you cannot counter with {share} Love, you have {love} (LS-14)"
            return "this split was offered or countered already in this Villa turn (LS-13)"
    return "not now (CM-4)"


def _not_on_a_turn(o: Observation, typed: Action) -> str:
    """A Villa turn does not offer it."""
    assert o.seat is not None
    love, size = o.hand.count("love"), len(o.hand)
    partner = o.partners[o.seat]
    reference = o.options.villa_actions == "reference_card"
    elsewhere = "the Villa Actions of this match do not have it (LS-24)"
    match typed:
        case BreakUp():
            return "you are single (LS-16)"
        case Confessional():
            return elsewhere if reference else "a Confessional costs a card, you have none (LS-18)"
        case DefuseTheTension():
            return "it costs a Love card and another card (LS-19)"
        case WeNeedToTalk():
            return (
                "you are single (LS-21)" if partner is None else f"it costs {TALK_COST} Love, you have {love} (LS-21)"
            )
        case BonusDate():
            return "a Bonus Date costs a card, you have none (LS-24)" if reference else elsewhere
        case ExploreAllOptions(target=target):
            if reference:
                return elsewhere
            return _not_explored(o, target, size) or f"{names_of(o)[target]} is not in a couple (LS-20)"
        case KeepYourOptionsOpen(target=target):
            if not reference:
                return elsewhere
            if partner is None:
                return "only who is coupled up can (LS-24)"
            return _not_explored(o, target, size) or "not now (LS-24)"
        case CoupleUp(target=target, share=share):
            if target == o.seat:
                return "you cannot couple up with yourself (LS-12)"
            if target == partner:
                return "you are a couple already (LS-12)"
            if love < share:
                return f"you cannot offer {share} Love, you have {love} (LS-14)"
            return "this split was offered or countered already in this Villa turn (LS-13)"
        case PlayBombshell(card=card, target=target):
            return _not_played(o, card, target, love, size)
    return NOW["villa_turn"]


def _not_explored(o: Observation, target: int, size: int) -> str | None:
    if size < EXPLORE_COST:
        return f"it costs {EXPLORE_COST} cards, you have {size} (LS-20)"
    if target == o.seat:
        return "you know your own Intention (LS-20)"
    if o.seat is not None and target == o.partners[o.seat]:
        return "not your own partner's (LS-20)"
    return None


def _not_played(o: Observation, card: str, target: int | None, love: int, size: int) -> str:
    if card not in o.hand:
        return f"you hold no {TITLES[card]} (LS-8)"
    if card == "screen_time":
        return "not in the finale (LS-45)"
    if card in ("temptation", "clean_break"):
        if not any(partner is not None for partner in o.partners):
            return "there is no couple (LS-46)"
        return "name a couple by its lower seat (LS-37, LS-38)"
    if target == o.seat:
        return "choose another contestant (LS-39, LS-40, LS-41, LS-44)"
    if card == "love_letter":
        return "a Love Letter needs a Love card besides (LS-39)" if not love else "you are a couple already (LS-39)"
    if card == "eavesdrop":
        return "that contestant has no cards (LS-40)"
    if card == "mixed_signals" and size < 2:
        return "it needs another card in hand (LS-44)"
    return "not now (LS-8)"
