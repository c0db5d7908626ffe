"""Valente, played by Hypothesis: what the rulebook promises at every moment of every match."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from parlour_engine.check import two_worlds, viewers
from parlour_engine.game import Log
from parlour_engine.games.valente import GAME, Options
from parlour_engine.games.valente.actions import Buy, Draw, Exchange, Pass, Play, actions
from parlour_engine.games.valente.state import (
    LIMITS,
    Declared,
    Discarded,
    Drew,
    HeartMoved,
    Published,
    Salvaged,
    Shuffled,
    State,
    Torn,
    TrustChanged,
)

from tests.engine.valente_table import HOUSE, all_cards


class Match(RuleBasedStateMachine):
    """One match; ``act`` plays, now and then a seat forfeits, and the invariants are looked at after each."""

    state: State
    before: State
    events: list[Any]

    @initialize(
        seats=st.integers(2, 4),
        seed=st.binary(min_size=16, max_size=16),
        time=st.booleans(),
        exchange_min=st.sampled_from([1, 2]),
    )
    def deal(self, seats: int, seed: bytes, time: bool, exchange_min: Any) -> None:
        self.state = GAME.deal(seats, Options(time=time, exchange_min=exchange_min), seed)
        self.before = GAME.clone(self.state)
        self.events = []
        self.rng = random.Random(seed)
        self.actions_of_turn = 0

    @rule(choice=st.integers(0, 10**6))
    def act(self, choice: int) -> None:
        if not GAME.pending(self.state):
            self._nothing_happens_any_more()
            return
        seat = self.state.seat
        legal = GAME.legal_actions(self.state, seat)
        self._apply(seat, legal[choice % len(legal)])

    @rule(choice=st.integers(0, 10**6), steps=st.integers(5, 60))
    def act_for_a_while(self, choice: int, steps: int) -> None:
        """Random play reaches late states, where the deck is shuffled anew; prefers strips, so that some publish."""
        rng = random.Random(choice)
        space = actions(self.state.seats)
        for _ in range(steps):
            if not GAME.pending(self.state):
                return
            seat = self.state.seat
            legal = GAME.legal_actions(self.state, seat)
            plays = [each for each in legal if isinstance(space[each], Play)]
            self._apply(seat, rng.choice(plays if plays and rng.random() < 0.5 else legal))
            self.promises()

    @precondition(lambda self: self.state.turns > 12 and not self.state.forfeited)
    @rule(seat=st.integers(0, 3))
    def forfeit(self, seat: int) -> None:
        self.before, self.events = GAME.clone(self.state), []
        GAME.forfeit(self.state, seat % self.state.seats, None)

    def _nothing_happens_any_more(self) -> None:
        before = GAME.dump(self.state)
        for seat in range(self.state.seats):
            GAME.forfeit(self.state, seat, None)
            assert GAME.legal_actions(self.state, seat) == ()
        assert GAME.dump(self.state) == before
        self.before, self.events = GAME.clone(self.state), []

    def _apply(self, seat: int, action: int) -> None:
        self.before = GAME.clone(self.state)
        log: Log = []
        GAME.apply(self.state, seat, action, log)
        self.events = [fact.public for fact in log]
        self.action = actions(self.state.seats)[action]
        if isinstance(self.action, (Buy, Play, Exchange, Pass)):
            assert seat == self.before.seat
            self.actions_of_turn += 1
        if self.state.turns != self.before.turns:
            assert self.actions_of_turn == 2, "VA-9: a turn is exactly two actions"
            self.actions_of_turn = 0

    @invariant()
    def promises(self) -> None:
        state, before = self.state, self.before
        assert all_cards(state) == list(range(1, 81)), "VA-4: each of the 80 cards lies in one place"
        assert -HOUSE.reach <= state.heart <= HOUSE.reach, "VA-2"
        assert all(0 <= trust <= 5 for trust in state.trust), "VA-3, VA-20, VA-25"
        for seat in range(state.seats):
            strips = state.strips[3 * seat : 3 * seat + 3]
            for strip in strips:
                assert [HOUSE.parts[card] for card in strip] == list(range(len(strip))), "VA-11: start, then middle"
                assert len(strip) < 3, "VA-17: a finished strip is in the story"
            if seat != state.seat:
                assert len(state.hands[seat]) <= 7, "VA-14: the hand limit holds outside one's own turn"
        for strip in state.story:
            assert [HOUSE.parts[card] for card in strip.cards] == [0, 1, 2], "VA-11"
        assert state.story[: len(before.story)] == before.story, "VA-17: what is published stays, in order"
        self._pile()
        self._counts()
        self._known()
        self._ending()

    def _pile(self) -> None:
        """VA-7: the pile changes only at its top, but for a salvage and a shuffle."""
        pile = list(self.before.discard)
        for event in self.events:
            match event:
                case Discarded() | Torn():
                    pile.append(event.card)
                case Salvaged():
                    pile.remove(event.card)
                case Shuffled():
                    assert event.cards == len(pile) - 1
                    pile = pile[-1:]
                case _ if event.type == "bought" and event.source == "discard":
                    assert pile.pop() == event.card
        assert pile == self.state.discard

    def _counts(self) -> None:
        """VA-13, VA-18 to VA-20, VA-25: every number moves as its events say."""
        state, before = self.state, self.before
        moved = sum(e.spaces * (1 if e.toward == "dama" else -1) for e in self.events if isinstance(e, HeartMoved))
        assert state.heart == before.heart + moved
        for seat in range(state.seats):
            change = sum(e.change for e in self.events if isinstance(e, TrustChanged) and e.seat == seat)
            assert state.trust[seat] == before.trust[seat] + change
        pushes = [event for event in self.events if isinstance(event, TrustChanged) and event.reason == "push"]
        assert len(pushes) <= 1, "VA-19: once per strip"
        for event in self.events:
            if isinstance(event, Drew):
                thrown = before.exchanged + (not isinstance(self.action, Draw))
                assert event.count == thrown <= 3, "VA-13: as many as were discarded"
                assert event.count >= state.options.exchange_min

    def _known(self) -> None:
        """CM-7: known cards are in that hand."""
        seen = GAME.observe(self.state, None)
        for seat, view in enumerate(seen.seats):
            assert set(view.known_hand) <= set(self.state.hands[seat])
        hidden = [card for each in seen.hidden for card in each.cards]
        known = [card for view in seen.seats for card in view.known_hand]
        placed = [card for view in seen.seats for strip in view.strips for card in strip]
        told = [card for strip in seen.story for card in strip.cards]
        assert sorted([*hidden, *known, *placed, *told, *seen.discard]) == list(range(1, 81))
        for seat, view in enumerate(seen.seats):
            assert view.hand_size == len(view.known_hand) + sum(each.hands[seat] for each in seen.hidden)

    def _ending(self) -> None:
        """VA-24, VA-27, VA-28: a match ends as one of the rules says, and nobody acts afterwards."""
        state = self.state
        end = GAME.outcome(state)
        assert (end is None) == bool(GAME.pending(state))
        limit = LIMITS[state.seats] if state.options.time else HOUSE.untimed_rounds
        assert state.turns <= limit * state.seats
        declared = [event for event in self.events if isinstance(event, Declared)]
        for event in declared:
            assert any(isinstance(e, Published) for e in self.events) or self.before.effects
            if event.definitive:
                assert abs(state.heart) == HOUSE.reach
                assert state.trust[event.seat] == 5
                assert end is not None
                assert end.winners == (event.seat,)
                assert not state.forfeited >> event.seat & 1, "CM-12"
        if end is not None and end.reason == "time":
            assert state.turns == limit * state.seats
            assert end.winners == ()

    @invariant()
    def no_viewer_tells_two_worlds_apart(self) -> None:
        """CM-6: legal lists and observations are equal in worlds that a viewer cannot tell apart."""
        for viewer in viewers(self.state.seats):
            two_worlds(GAME, self.state, self.state.seats, viewer, self.rng)


TestMatch = Match.TestCase
TestMatch.settings = settings(
    max_examples=200,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
