"""Lovestruck: what the rulebook says of every moment of a match, held against random play with forfeits in it."""

from __future__ import annotations

import random
from collections import Counter as Tally
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from parlour_engine.check import seed_of, two_worlds, viewers
from parlour_engine.game import Log
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.cards import DRAMA, LOVE, K
from parlour_engine.games.lovestruck.events import DateRevealed, ViewershipChanged
from parlour_engine.games.lovestruck.state import State
from parlour_engine.games.lovestruck.views import Options


class Season(RuleBasedStateMachine):
    """A match, one decision at a time."""

    state: State

    @initialize(
        seats=st.integers(5, 10),
        seed=st.integers(0, 2**32),
        actions=st.sampled_from(["list", "reference_card"]),
        next_season=st.booleans(),
    )
    def begin(self, seats: int, seed: int, actions: Any, next_season: bool) -> None:
        self.state = GAME.deal(seats, Options(villa_actions=actions, next_season=next_season), seed_of(seed))
        self.seats = seats
        self.wrong = self.state.wrong

    @precondition(lambda self: self.state.pending)
    @rule(choices=st.lists(st.integers(0, 2**16), min_size=1, max_size=25))
    def decide(self, choices: list[int]) -> None:
        for choice in choices:
            if not self.state.pending:
                return
            seat, _, number = self.state.pending[choice % len(self.state.pending)]
            others = [owed for owed in self.state.pending if owed[0] != seat]
            legal = GAME.legal_actions(self.state, seat)
            before, episode = self.state.viewership, self.state.episode
            log: Log = []
            GAME.apply(self.state, seat, legal[choice // 16 % len(legal)], log)
            self.changes(log, before)
            assert self.state.episode >= episode
            if others and len(self.state.pending) >= len(others):  # the date goes on: theirs are as they were [LS-28]
                assert [owed for owed in self.state.pending if owed[0] != seat] == others
            if self.state.pending and self.state.pending[0][0] == seat and len(self.state.pending) == 1:
                assert self.state.pending[0][2] == number + 1

    def changes(self, log: Log, before: int) -> None:
        """LS-23, LS-26, LS-31: each change is one million, a date's outcome is its cards'."""
        at = before
        for fact in log:
            event = fact.public
            if isinstance(event, ViewershipChanged):
                assert event.viewership == max(1, at + event.by)
                at = event.viewership
                assert at < 10 or self.state.pending == ()
            if isinstance(event, DateRevealed):
                drama = "drama" in event.cards
                assert event.outcome == ("drama" if drama else "love" if event.cards else "none")
        assert at == self.state.viewership

    @precondition(lambda self: self.state.pending and self.state.forfeited.bit_count() < 3)
    @rule(seat=st.integers(0, 9), now=st.integers(0, 9))
    def forfeit(self, seat: int, now: int) -> None:
        if seat < self.seats and now == 0:
            GAME.forfeit(self.state, seat, None)

    @rule(viewer=st.integers(-1, 9), seed=st.integers(0, 2**16))
    def look(self, viewer: int, seed: int) -> None:
        """CM-6: a viewer cannot tell a determinized state from the true one."""
        if viewer < self.seats:
            two_worlds(GAME, self.state, self.seats, None if viewer < 0 else viewer, random.Random(seed))

    @invariant()
    def cards_are_conserved(self) -> None:
        """LS-1: a hundred cards, each in one place."""
        state = self.state
        found = Tally(state.deck) + Tally(state.discard) + Tally(kind for _, kind in state.aside)
        for seat in range(self.seats):
            held = state.hands[seat * K : seat * K + K]
            assert state.sizes[seat] == sum(held)
            assert state.masks[seat] == sum(1 << kind for kind in range(K) if held[kind])
            found.update({kind: held[kind] for kind in range(K)})
            if laid := state.laid >> 2 * seat & 3:
                assert laid - 1 in (LOVE, DRAMA)  # LS-26
                found[laid - 1] += 1
        assert tuple(found[kind] for kind in range(K)) == state.season.mix

    @invariant()
    def couples_are_two(self) -> None:
        """LS-12, LS-16: a couple is two, and nobody is in two."""
        state = self.state
        for seat, other in enumerate(state.partner):
            assert other != seat
            assert other < 0 or state.partner[other] == seat
            assert bool(state.coupled >> seat & 1) == (other >= 0)
            assert bool(state.heads >> seat & 1) == (other > seat)

    @invariant()
    def intentions_stay(self) -> None:
        """LS-5: dealt once, one card left over."""
        assert self.state.wrong == self.wrong
        assert self.wrong.bit_count() == self.state.season.intentions[self.seats][1]

    @invariant()
    def what_is_known_is_true(self) -> None:
        """CM-7a: bounds never promise a card that is not there."""
        state = self.state
        for seat in range(self.seats):
            held = list(state.hands[seat * K : seat * K + K])
            if laid := state.laid >> 2 * seat & 3:
                held[laid - 1] += 1
            assert all(n <= m for n, m in zip(state.shown[seat * K : seat * K + K], held, strict=True))
            for key, counts in state.known.items():
                if key & 15 == seat:
                    assert key >> 4 != seat
                    assert all(n <= m for n, m in zip(counts, held, strict=True))

    @invariant()
    def viewership_is_on_its_track(self) -> None:
        """LS-23, LS-31: from 1 to 9 while the match runs; 10 ends it."""
        state = self.state
        assert 1 <= state.viewership <= 10
        assert (state.viewership == 10) == (state.ending == 1)
        assert bool(state.pending) == (state.ending == 0)

    @invariant()
    def winners_are_who_the_rules_say(self) -> None:
        """LS-31, LS-32, LS-33, CM-12."""
        state = self.state
        end = GAME.outcome(state)
        if end is None:
            return
        wrong = {seat for seat in range(self.seats) if self.wrong >> seat & 1}
        if end.reason == "viewership":
            should = wrong
        else:
            partners = enumerate(state.partner)
            should = {seat for seat, other in partners if other >= 0 and other not in wrong}
            alone = {seat for seat, other in enumerate(state.partner) if other < 0} - wrong
            if state.options.next_season and len(alone) == 1:
                should |= alone
        should -= {seat for seat in range(self.seats) if state.forfeited >> seat & 1}
        assert set(end.winners) == should
        assert end.scores is None

    @invariant()
    def who_decides_can(self) -> None:
        """CM-4, LS-28: a list never empty; several at once only on a date, each once."""
        owed = self.state.pending
        assert len({seat for seat, _, _ in owed}) == len(owed)
        assert len(owed) < 2 or {GAME.kinds[kind].name for _, kind, _ in owed} == {"date_card"}
        for seat, _, _ in owed:
            assert GAME.legal_actions(self.state, seat)
        for viewer in viewers(self.seats):
            if viewer not in {seat for seat, _, _ in owed} and viewer is not None:
                assert not GAME.legal_actions(self.state, viewer)


TestSeason = Season.TestCase
TestSeason.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
