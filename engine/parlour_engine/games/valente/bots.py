"""House bots of Valente. They know what an observation says, nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ...game import Bot
from .actions import BUY_DECK, BUY_DISCARD, DISCARD, DRAW, END, EXCHANGE, PLAY, SALVAGE, STRIPS, TEAR
from .deck import DECKS, Deck
from .state import ACTIONS, HAND_LIMIT, TRUST_MAX, Observation


def choose_random(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """Any legal action, each equally likely."""
    return legal[int(rng.random() * len(legal))]


# What the greedy bot thinks things are worth, found by letting it play against itself.
WIN = 1000.0
TRUST = 10.0
SCOUT, SALVAGED, TORN = 4.0, 4.0, 3.0
UNKNOWN = 24.0  # what a card that is still to be fetched brings: high, so it publishes few strips, but good ones
FETCH = 1.3  # how many actions it takes to fetch one
KEEP = 5.0  # an exchange goes on below this worth
WANTED, GOOD = 5.0, 8.0  # above it the discard pile's top card is bought: if it is the missing part; if it is any
HEART, LEAD, HEART_MOST = 1.0, 2.0, 6.0  # a space of the heart outwards: alone, per trust that one is ahead, at most


class Plan(NamedTuple):
    """A strip to finish: at which place, the cards still to lay (0: one to be fetched), its value, its actions."""

    strip: int
    cards: tuple[int, ...]
    value: float
    cost: float


class Table:
    """What the greedy bot works out once per decision."""

    def __init__(self, observation: Observation) -> None:
        self.seen = observation
        self.deck: Deck = DECKS[observation.options.deck]
        me = observation.seats[observation.turn_of]
        self.trust = me.trust
        self.strips = me.strips
        rivals = [view for seat, view in enumerate(observation.seats) if seat != observation.turn_of]
        self.rival_strips = any(strip for view in rivals for strip in view.strips)
        # The heart is everybody's: far out it helps the seat that is ahead in trust.
        ahead = self.trust - max(view.trust for view in rivals)
        self.outwards = max(-HEART_MOST, min(HEART_MOST, HEART + LEAD * ahead))
        turns_left = (observation.last_round * len(observation.seats) - observation.turns - 1) // len(observation.seats)
        self.actions_left = observation.actions_left + ACTIONS * turns_left

    def publish(self, cards: Sequence[int], heart: int, trust: int) -> tuple[float, int, int]:
        """Publish these cards: what they bring beside heart and trust, and where those stand then."""
        reach = self.seen.heart_reach
        value = 0.0
        pushed = False
        for card in cards:
            if not card:
                value += UNKNOWN
                continue
            for name, steps in self.deck.effects[card]:
                if name == "trust":
                    trust = min(trust + 1, TRUST_MAX)
                elif name in ("dama", "princesa"):
                    heart += steps if name == "dama" else -steps
                    if abs(heart) > reach:
                        heart = reach if heart > 0 else -reach
                        if not pushed:
                            pushed = True
                            trust = min(trust + 1, TRUST_MAX)
                elif name == "scout":
                    value += SCOUT
                elif name == "salvage":
                    value += SALVAGED
                elif name == "tear":
                    value += TORN if self.rival_strips else -TORN
                else:
                    named = heart if name == "declare_dama" else -heart if name == "declare_princesa" else abs(heart)
                    if named == reach and trust == TRUST_MAX:
                        return (WIN if 0 not in cards else WIN / 2), heart, trust
                    trust = max(trust - 1, 0)
        return value, heart, trust

    def plans(self) -> Iterator[Plan]:
        """Every way to finish a strip with the cards in hand and at most one part to be fetched; and to finish two,
        the second of which wins."""
        heart, trust = self.seen.heart, self.trust
        declaring = self.deck.declaring.intersection(self.seen.hand)
        for strip, cards in self._finishing(self.strips, self.seen.hand, True):
            missing = cards.count(0)
            cost = len(cards) + FETCH * missing
            if missing > 1 or cost > self.actions_left + 1:
                continue
            laid = self.strips[strip] + cards
            value, then_heart, then_trust = self.publish(laid, heart, trust)
            if value < WIN / 2:
                value += TRUST * (then_trust - trust) + self.outwards * (abs(then_heart) - abs(heart))
            yield Plan(strip, cards, value, cost)
            if missing or then_trust < TRUST_MAX - 2 or value >= WIN / 2 or not declaring.difference(cards):
                continue
            strips = tuple(() if place == strip else held for place, held in enumerate(self.strips))
            hand = [card for card in self.seen.hand if card not in cards]
            for second, others in self._finishing(strips, hand, False):
                if others[-1] in declaring and len(cards) + len(others) <= self.actions_left:
                    wins, _, _ = self.publish(strips[second] + others, then_heart, then_trust)
                    if wins >= WIN:
                        yield Plan(strip, cards, WIN, float(len(cards) + len(others)))

    def _finishing(
        self, strips: Sequence[tuple[int, ...]], hand: Sequence[int], fetching: bool
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        held: tuple[list[int], ...] = ([0], [0], [0]) if fetching else ([], [], [])
        for card in hand:
            held[self.deck.parts[card]].append(card)
        opened = False
        for strip, laid in enumerate(strips):
            if laid or not opened:
                opened = opened or not laid
                for cards in product(*held[len(laid) :]):
                    yield strip, cards

    def worth(self, card: int) -> float:
        """How much one wants this card in hand, alone."""
        heart, trust, reach = self.seen.heart, self.trust, self.seen.heart_reach
        value = 0.0
        for name, steps in self.deck.effects[card]:
            if name == "trust":
                value += 6.0 if trust < TRUST_MAX else 1.0
            elif name in ("dama", "princesa"):
                along = (heart >= 0) == (name == "dama") or heart == 0
                value += steps * (2.0 if along else -1.0) + (4.0 if along and abs(heart) + steps > reach else 0.0)
            elif name in ("scout", "salvage"):
                value += 3.0
            elif name == "tear":
                value += 2.0
            else:
                ready = trust + abs(heart) / 2
                fits = name == "declare" or (heart >= 0) == (name == "declare_dama")
                value += ready * (2.0 if name == "declare" else 1.7 if fits else 0.4)
        return value

    def spare(self, cards: Sequence[int]) -> int:
        """The card that one misses least: little worth, and others of its part remain."""
        parts = self.deck.parts
        count = [0, 0, 0]
        for card in cards:
            count[parts[card]] += 1
        return min(cards, key=lambda card: (self.worth(card) - 3.0 * (count[parts[card]] - 1), card))


def choose_greedy(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """Publish what brings most per action; fetch the part that is missing; declare when it wins."""
    if len(legal) == 1:
        return legal[0]
    table = Table(observation)
    match observation.phase:
        case "turn":
            return _turn(table, legal)
        case "exchange":
            card = table.spare(observation.hand)
            return DRAW if DRAW in legal and table.worth(card) > KEEP else DISCARD + card
        case "scout":
            return DISCARD + table.spare(observation.scouted)
        case "tear":
            return max(legal, key=lambda action: _tear_worth(table, *divmod(action - TEAR, STRIPS)))
        case "salvage":
            return max(legal, key=lambda action: table.worth(action - SALVAGE))
        case _:
            return DISCARD + table.spare(observation.hand)


def _turn(table: Table, legal: Sequence[int]) -> int:
    seen = table.seen
    best = max(table.plans(), key=lambda plan: plan.value / plan.cost, default=None)
    if best is not None and best.cards[0] and best.value > 0:
        action = PLAY + STRIPS * best.cards[0] + best.strip
        if action in legal:
            return action
    if BUY_DISCARD in legal:
        top = seen.discard[-1]
        wanted = best is not None and best.cards[0] == 0 and table.deck.parts[top] == END + 1 - len(best.cards)
        if table.worth(top) > (WANTED if wanted else GOOD):
            return BUY_DISCARD
    if len(seen.hand) > HAND_LIMIT - 1 and EXCHANGE in legal:
        return EXCHANGE
    return BUY_DECK if BUY_DECK in legal else legal[0]


def _tear_worth(table: Table, seat: int, strip: int) -> float:
    """Tear what hurts the seat that is nearest to a declaration; one's own strips last."""
    view = table.seen.seats[seat]
    if seat == table.seen.turn_of:
        return -float(len(view.strips[strip]))
    return 2.0 * view.trust + len(view.strips[strip])


BOTS: tuple[Bot[Observation], ...] = (
    Bot("random", "Random", "Plays any legal action; for tests and for a first win.", choose_random),
    Bot("greedy", "Greedy", "Publishes what brings most per action, and declares when it wins.", choose_greedy),
)
