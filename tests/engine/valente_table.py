"""A table of Valente laid out by hand: cards found by what they do, positions set up, actions done by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parlour_engine.check import seed_of
from parlour_engine.game import Log
from parlour_engine.games import valente
from parlour_engine.games.valente import DECKS, GAME, Options
from parlour_engine.games.valente.actions import PLACE, STRIPS, Action, Play, actions
from parlour_engine.games.valente.deck import Deck, parse
from parlour_engine.games.valente.state import State, StoryStrip

HOUSE = DECKS["house"]
HOUSE_FILE = Path(valente.__file__).parent / "decks" / "house.json"


def cards_of(part: str, *effects: str) -> list[int]:
    """The house deck's cards of that part with exactly these effects."""
    found = [card.id for card in HOUSE.cards if card.part == part and [str(e) for e in card.effects] == list(effects)]
    assert found, f"the house deck has no {part} with {effects}"
    return found


def start(*effects: str) -> int:
    return cards_of("start", *effects)[0]


def middle(*effects: str) -> int:
    return cards_of("middle", *effects)[0]


def end(*effects: str) -> int:
    return cards_of("end", *effects)[0]


def house_data() -> dict[str, Any]:
    """The house deck file's content, to be changed."""
    data: dict[str, Any] = json.loads(HOUSE_FILE.read_text(encoding="utf-8"))
    return data


def deck_with(effects: dict[int, list[str]], **rest: Any) -> Deck:
    """The house deck, some cards doing something else."""
    data = house_data() | rest
    for card in data["cards"]:
        card["effects"] = effects.get(card["id"], card["effects"])
    return parse("changed", "0" * 16, data)


def table(
    hands: list[list[int]],
    strips: dict[tuple[int, int], list[int]] | None = None,
    discard: list[int] | None = None,
    deck: list[int] | None = None,
    heart: int = 0,
    trust: list[int] | None = None,
    story: list[int] | None = None,
    **options: Any,
) -> State:
    """A match in which seat 0's turn has just begun and the cards lie as told: pile and deck from bottom to top.

    Cards that are not named are in the deck below those that are; with ``story`` they are not: they lie in the story,
    as if seat 1 had published them.
    """
    seats = len(hands)
    state = GAME.deal(seats, Options(first_seat=0, **options), seed_of(7))
    state.hands = [sorted(hand) for hand in hands]
    for (seat, place), cards in (strips or {}).items():
        state.strips[seat * STRIPS + place] = tuple(cards)
        state.shapes[seat] += PLACE[place] * len(cards)
    state.discard = list(discard or [])
    state.deck = list(deck or [])
    state.heart = heart
    state.trust = list(trust or [0] * seats)
    named = {*state.deck, *state.discard}.union(*state.hands, *state.strips)
    rest = [card for card in range(1, 81) if card not in named]
    if story is None:
        state.deck = rest + state.deck
    else:
        state.story = tuple(StoryStrip(1, tuple(rest[i : i + 3])) for i in range(0, len(rest), 3))
    return state


def number(state: State, action: Action) -> int:
    return actions(state.seats).index(action)


def legal(state: State) -> list[Action]:
    """What the seat whose turn it is may do."""
    return [actions(state.seats)[each] for each in GAME.legal_actions(state, state.seat)]


def do(state: State, *chosen: Action) -> list[Any]:
    """Do these actions, each of which must be legal; returns the events as everybody sees them."""
    log: Log = []
    for action in chosen:
        assert action in legal(state), f"{action} is not legal: {legal(state)}"
        GAME.apply(state, state.seat, number(state, action), log)
    return [fact.public for fact in log]


def publish(state: State, *cards: int, strip: int = 0) -> list[Any]:
    """The acting seat publishes these three cards at once: the first two are put down for it."""
    first, second, last = cards
    seat = state.seat
    for card in cards:
        for pile in (*state.hands, state.deck, state.discard):
            if card in pile:
                pile.remove(card)
    state.strips[seat * STRIPS + strip] = (first, second)
    state.shapes[seat] += 2 * PLACE[strip]
    state.hands[seat] = sorted([*state.hands[seat], last])
    return do(state, Play(last, strip))


def phase(state: State) -> str:
    return GAME.observe(state, None).phase


def all_cards(state: State) -> list[int]:
    """Every card, wherever it lies, ascending."""
    piles = [*state.hands, *state.strips, state.deck, state.discard, state.scouted, *(s.cards for s in state.story)]
    return sorted(card for pile in piles for card in pile)
