"""Love Is Dead under Hypothesis: what the rulebook says of every table, after any actions whatever."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from parlour_engine.check import seed_of, two_worlds, viewers
from parlour_engine.games.love_is_dead import GAME
from parlour_engine.games.love_is_dead.profile import READ, cards_of
from parlour_engine.games.love_is_dead.state import (
    BAGGAGE,
    CARD_NUMBER,
    CATFISH,
    GHOSTED,
    HOBBIES,
    LEFT_ON_READ,
    OVERACHIEVER,
    RED_FLAG,
    STRANGER,
    SWIPE_RIGHT,
    WILD,
    Match,
    Options,
)

from tests.engine.love_is_dead_table import conserved, phase


class Table(RuleBasedStateMachine):
    """Any seat's decision answered by any legal action; now and then a seat forfeits."""

    state: Any = None

    @initialize(seats=st.integers(2, 5), seed=st.integers(0, 10**6))
    def sit_down(self, seats: int, seed: int) -> None:
        self.state = GAME.deal(seats, Options(), seed_of(seed))
        self.chance = random.Random(seed)

    @precondition(lambda self: self.state is not None and GAME.pending(self.state))
    @rule(choices=st.lists(st.integers(0, 10**6), min_size=20, max_size=60))
    def act(self, choices: list[int]) -> None:
        for choice in choices:
            if not GAME.pending(self.state):
                return
            seat = self.state.turn
            legal = GAME.legal_actions(self.state, seat)
            action = legal[choice % len(legal)]
            before = GAME.clone(self.state)
            GAME.apply(self.state, seat, action, None)
            self.compare(before, GAME.actions(before.seats)[action])
            self.check()

    @precondition(lambda self: self.state is not None and GAME.pending(self.state))
    @rule(seat=st.integers(0, 4))
    def forfeit(self, seat: int) -> None:
        if seat < self.state.seats and self.chance.random() < 0.05:
            GAME.forfeit(self.state, seat, None)

    @precondition(lambda self: self.state is not None)
    @rule(viewer=st.integers(0, 5))
    def look(self, viewer: int) -> None:
        seen_by = viewers(self.state.seats)
        two_worlds(GAME, self.state, self.state.seats, seen_by[viewer % len(seen_by)], self.chance)

    def compare(self, before: Any, action: Any) -> None:
        """What one action may change."""
        state, seat = self.state, before.turn
        if isinstance(action, Match):
            # LD-42 to LD-44: one Boo more, from the face-up row; its worth within the owner's limits (LD-33).
            boo = before.face_up[action.place]
            assert state.matches[seat] == (*before.matches[seat], boo)
            if any(code == BAGGAGE + 1 for code in before.profiles[seat].codes):
                assert state.cards.hearts[boo] <= state.cards.baggage_hearts
            if GAME.outcome(state) is None:
                assert len(state.face_up) == len(before.face_up) - 1 + min(2, len(before.pool))
        else:
            assert state.matches == before.matches
        if state.turn != seat or state.turns != before.turns:
            # LD-14: the seat whose turn has ended holds three to five cards, as far as there were any.
            assert len(state.hands[seat]) <= 5
            assert len(state.hands[seat]) >= 3 or not state.deck
            assert state.turn == (seat + 1) % state.seats  # LD-15

    @invariant()
    def holds(self) -> None:
        if self.state is not None:
            self.check()

    def check(self) -> None:
        state = self.state
        conserved(state)  # LD-1, LD-5
        over = GAME.outcome(state) is not None
        assert over == (GAME.pending(state) == ())
        for seat in range(state.seats):
            kinds = [kind for code in state.profiles[seat].codes for kind in cards_of(code)]
            filled = sum(1 for code in state.profiles[seat].codes if code)
            # LD-7, LD-30: five spaces, seven with Lots of Hobbies (six may be filled while it goes).
            going = phase(state) in ("overflow", "empty") and seat == state.turn
            assert filled <= (7 if HOBBIES in kinds else 6 if going else 5)
            # LD-22, LD-23: no two copies of a Boost or a Dealbreaker; LD-12: nothing else lies in a profile.
            for kind in range(CATFISH, SWIPE_RIGHT):
                assert kinds.count(kind) <= 1
            assert GHOSTED not in kinds
            assert all(kind < SWIPE_RIGHT for kind in kinds)
            for code in state.profiles[seat].codes:
                cards = cards_of(code)
                # LD-24, LD-25: one Boost a pair, Stranger not on a Wild; LD-23, LD-34: nothing on a Dealbreaker.
                assert len([kind for kind in cards if kind in (OVERACHIEVER, STRANGER)]) <= 1
                if OVERACHIEVER in cards or STRANGER in cards:
                    assert cards[0] <= (WILD if OVERACHIEVER in cards else WILD - 1)
                if code & READ:
                    assert cards[0] not in (RED_FLAG, BAGGAGE, HOBBIES)
                    assert cards[-1] == LEFT_ON_READ
            # LD-47: three un-Ghosted matches end the game; LD-35: at most one Ghosted, and only once.
            standing = [boo for boo in state.matches[seat] if boo != state.ghosted[seat]]
            assert len(standing) <= (3 if over else 2)
            assert len(state.matches[seat]) - len(standing) == (state.ghosted[seat] >= 0)
            assert state.ghosted[seat] < 0 or state.was_ghosted >> seat & 1
            # LD-12, LD-30: the hand stays small: five, the draws of two steps, and what a Pick-Up Line adds.
            assert len(state.hands[seat]) <= 5 + 3 + 2
        # CM-7a: what somebody knows of a hand is true.
        for viewer in viewers(state.seats):
            seen = GAME.observe(state, viewer)
            others = [kind for seat in range(state.seats) if seat != viewer for kind in state.hands[seat]]
            for seat, player in enumerate(seen.players):
                for card in player.known_hand:
                    assert player.known_hand.count(card) <= state.hands[seat].count(CARD_NUMBER[card])
                    others.remove(CARD_NUMBER[card])
            for card in seen.known_among_others:
                others.remove(CARD_NUMBER[card])
        if phase(state) == "over":
            end = GAME.outcome(state)
            assert end is not None
            assert not any(state.forfeited >> seat & 1 for seat in end.winners)  # CM-12
            if end.scores is not None:
                in_it = [end.scores[seat] for seat in range(state.seats) if not state.forfeited >> seat & 1]
                assert all(end.scores[seat] == max(in_it) for seat in end.winners)  # LD-48, CM-9


Table.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=16,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
TestTable = Table.TestCase
