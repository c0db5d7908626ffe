"""The stored form of a match of Valente: a promise.

A stored match is read by the form it was written in or refused with a reason, never misread. What may never change:
``form``, and the meaning of a name under one form. To change anything, raise FORM and say here what the old one was.
Whatever follows from the rest (shapes, limits, whose decision it is) is not stored.
"""

from __future__ import annotations

from typing import Any

from ...errors import EngineError, StateUnreadable
from ...game import Outcome
from .actions import CARDS, PLACE, STRIPS
from .deck import DECKS
from .state import LIMITS, PHASES, Options, State, StoryStrip

FORM = 1


def dump(state: State) -> dict[str, Any]:
    """The state as plain JSON values."""
    options, outcome = state.options, state.outcome
    return {
        "form": FORM,
        "digest": state.cards.digest,
        "options": {
            "deck": options.deck,
            "time": options.time,
            "exchange_min": options.exchange_min,
            "first_seat": options.first_seat,
        },
        "seed": state.seed.hex(),
        "drawn": state.drawn,
        "first_seat": state.first_seat,
        "seat": state.seat,
        "phase": PHASES[state.pending[0][1] if state.pending else -1],
        "turns": state.turns,
        "actions_left": state.actions_left,
        "exchanged": state.exchanged,
        "heart": state.heart,
        "trust": list(state.trust),
        "hands": [list(hand) for hand in state.hands],
        "known": [[card for card in range(1, CARDS + 1) if known >> card & 1] for known in state.known],
        "strips": [list(strip) for strip in state.strips],
        "deck": list(state.deck),
        "discard": list(state.discard),
        "story": [[strip.seat, *strip.cards] for strip in state.story],
        "scouted": list(state.scouted),
        "publishing": bool(state.effects),
        "step": state.step,
        "pushed": state.pushed,
        "origin": list(state.origin),
        "shuffles": state.shuffles,
        "asked": list(state.asked),
        "forfeited": [seat for seat in range(state.seats) if state.forfeited >> seat & 1],
        "outcome": None if outcome is None else [list(outcome.winners), outcome.reason, outcome.text],
    }


def load(stored: dict[str, Any]) -> State:
    """The state of a stored form; StateUnreadable where it is of another form or deck, or does not add up."""
    if stored.get("form") != FORM:
        raise StateUnreadable(f"valente: form {stored.get('form')!r}; this version reads form {FORM}")
    try:
        options = Options(**stored["options"])
        cards = DECKS[options.deck]
        if stored["digest"] != cards.digest:
            raise StateUnreadable(f"valente: the deck {options.deck!r} has changed since this match began")
        seats = len(stored["hands"])
        strips: list[tuple[int, ...]] = [tuple(strip) for strip in stored["strips"]]
        story = tuple(StoryStrip(seat, tuple(strip)) for seat, *strip in stored["story"])
        outcome, phase, asked = stored["outcome"], stored["phase"], list(stored["asked"])
        kind = PHASES.index(phase)
        state = State(
            cards=cards,
            options=options,
            seats=seats,
            seed=bytes.fromhex(stored["seed"]),
            drawn=stored["drawn"],
            first_seat=stored["first_seat"],
            last_turn=seats * (LIMITS[seats] if options.time else cards.untimed_rounds),
            seat=stored["seat"],
            turns=stored["turns"],
            actions_left=stored["actions_left"],
            exchanged=stored["exchanged"],
            heart=stored["heart"],
            trust=list(stored["trust"]),
            hands=[list(hand) for hand in stored["hands"]],
            known=[sum(1 << card for card in known) for known in stored["known"]],
            strips=strips,
            shapes=[
                sum(PLACE[strip] * len(strips[seat * STRIPS + strip]) for strip in range(STRIPS))
                for seat in range(seats)
            ],
            deck=list(stored["deck"]),
            discard=list(stored["discard"]),
            story=story,
            scouted=list(stored["scouted"]),
            effects=sum((cards.effects[card] for card in story[-1].cards), ()) if stored["publishing"] else (),
            step=stored["step"],
            pushed=stored["pushed"],
            origin=list(stored["origin"]),
            shuffles=stored["shuffles"],
            asked=asked,
            forfeited=sum(1 << seat for seat in stored["forfeited"]),
            outcome=None if outcome is None else Outcome(tuple(outcome[0]), None, outcome[1], outcome[2]),
            pending=() if phase == "over" else ((stored["seat"], kind, asked[stored["seat"]] - 1),),
        )
    except (KeyError, TypeError, ValueError, IndexError, EngineError) as error:
        if isinstance(error, StateUnreadable):
            raise
        raise StateUnreadable(f"valente: {type(error).__name__}: {error}") from error
    lying = [card for pile in (*state.hands, *strips, state.deck, state.discard, state.scouted) for card in pile]
    lying += [card for strip in story for card in strip.cards]
    if sorted(lying) != list(range(1, CARDS + 1)):
        raise StateUnreadable(f"valente: not each of the {CARDS} cards lies in one place")
    return state
