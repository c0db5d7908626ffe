"""A table of Lovestruck set up for one rule: hands, deck and couples as a test wants them, cards conserved."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from typing import Any

from parlour_engine.check import seed_of
from parlour_engine.game import Log
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.cards import CARDS, KIND_OF, K
from parlour_engine.games.lovestruck.episodes import begin_episode
from parlour_engine.games.lovestruck.names import VILLA_TURN
from parlour_engine.games.lovestruck.space import (
    Accept,
    Action,
    ChooseCard,
    ChooseContestant,
    Decline,
    PlayBombshell,
)
from parlour_engine.games.lovestruck.state import State, clear_turn
from parlour_engine.games.lovestruck.views import Observation, Options

YES, NO = Accept(), Decline()


def card(name: str) -> ChooseCard:
    return ChooseCard(card=name)  # type: ignore[arg-type]


def send(seat: int) -> ChooseContestant:
    return ChooseContestant(seat=seat)


def play(name: str, target: int | None = None) -> PlayBombshell:
    return PlayBombshell(card=name, target=target)  # type: ignore[arg-type]


class Table:
    """A match in a given episode. It begins with a Villa turn of seat 0, or in a date episode with its choice.

    ``hands`` by seat and ``deck`` (the first is drawn first) are card names with spaces between; a seat without a hand
    holds none. What is named nowhere lies under the deck, or on the discard pile where ``piled``.
    """

    def __init__(
        self,
        seats: int = 5,
        *,
        hands: Mapping[int, str] | None = None,
        deck: str = "",
        only: bool = False,
        wrong: Iterable[int] = (),
        couples: Iterable[tuple[int, int]] = (),
        viewership: int = 1,
        episode: int = 1,
        discard: str = "",
        **options: Any,
    ) -> None:
        self.state: State = GAME.deal(seats, Options(**{"first_seat": 0, **options}), seed_of(5))
        self.state.wrong = sum(1 << seat for seat in wrong)
        self.events: list[Any] = []
        self.log: Log = []
        s = self.state
        s.viewership, s.episode, s.main, s.taken = viewership, episode - 1, 0, 0
        s.record.clear()
        s.shown[:] = bytes(seats * K)
        left = Tally(dict(enumerate(s.season.mix)))
        s.hands[:] = bytes(seats * K)
        for seat in range(seats):
            kinds = [KIND_OF[name] for name in (hands or {}).get(seat, "").split()]
            left.subtract(kinds)
            for kind in kinds:
                s.hands[seat * K + kind] += 1
            s.sizes[seat] = len(kinds)
            s.masks[seat] = sum(1 << kind for kind in set(kinds))
        top = [KIND_OF[name] for name in deck.split()]
        pile = [KIND_OF[name] for name in discard.split()]
        left.subtract(top)
        left.subtract(pile)
        assert min(left.values()) >= 0, "more of a kind than the season has"
        rest = sorted(left.elements(), reverse=True)
        s.discard[:] = pile
        if only:  # nothing to draw but ``deck`` and the pile: the rest is far away, in the last seat's hand
            for kind in rest:
                s.hands[(seats - 1) * K + kind] += 1
                s.masks[seats - 1] |= 1 << kind
            s.sizes[seats - 1] += len(rest)
            rest = []
        s.deck[:] = rest + top[::-1]
        for one, other in couples:
            s.partner[one], s.partner[other] = other, one
            s.coupled |= 1 << one | 1 << other
            s.heads |= 1 << min(one, other)
        s.numbers[:] = [0] * seats
        if s.board().type == "date":
            s.turn = -1
            clear_turn(s)
            begin_episode(s, None)
        else:
            s.turn = 0
            clear_turn(s)
            s.pending = ((0, VILLA_TURN, 0),)
            s.numbers[0] = 1

    @property
    def owing(self) -> list[int]:
        return [entry[0] for entry in self.state.pending]

    @property
    def asked(self) -> str:
        """The kind of the decision that is owed."""
        return GAME.kinds[self.state.pending[0][1]].name if self.state.pending else "over"

    def legal(self, seat: int | None = None) -> set[Action]:
        space = GAME.actions(self.state.seats)
        return {space[n] for n in GAME.legal_actions(self.state, self.owing[0] if seat is None else seat)}

    def act(self, seat: int, *actions: Action) -> bool:
        """Each action in its turn, legal and by that seat; whether the last one told the seat something new."""
        learnt = False
        for action in actions:
            number = GAME.actions(self.state.seats).index(action)
            assert seat in self.owing, f"seat {seat} owes nothing, {self.owing} do: {self.asked}"
            assert number in GAME.legal_actions(self.state, seat), f"{action} is not legal: {self.why(seat, action)}"
            self.log = []
            learnt = GAME.apply(self.state, seat, number, self.log)
            self.events = [fact.public for fact in self.log]
            self.conserved()
        return learnt

    def why(self, seat: int, action: Action) -> str:
        """Why an action is not legal, in words."""
        return GAME.explain(self.sees(seat), GAME.actions(self.state.seats).index(action))

    def sees(self, seat: int | None) -> Observation:
        return GAME.observe(self.state, seat)

    def hand(self, seat: int) -> str:
        counts = self.state.hands[seat * K : seat * K + K]
        return " ".join(CARDS[kind] for kind in range(K) for _ in range(counts[kind]))

    def pile(self) -> list[str]:
        return [CARDS[kind] for kind in self.state.discard]

    def happened(self, kind: type, seen_by: int | None = None) -> list[Any]:
        """The events of a kind of the last action."""
        seen = [fact.seen_by(seen_by) for fact in self.log]
        return [event for event in seen if isinstance(event, kind)]

    def couples(self) -> set[tuple[int, int]]:
        return {(seat, other) for seat, other in enumerate(self.state.partner) if seat < other}

    def conserved(self) -> None:
        """The cards of the season, each in one place."""
        s = self.state
        found = Tally(s.deck) + Tally(s.discard) + Tally(kind for _, kind in s.aside)
        for seat in range(s.seats):
            counts = s.hands[seat * K : seat * K + K]
            assert s.sizes[seat] == sum(counts)
            assert s.masks[seat] == sum(1 << kind for kind in range(K) if counts[kind])
            found += Tally({kind: counts[kind] for kind in range(K)})
            if laid := s.laid >> 2 * seat & 3:
                found[laid - 1] += 1
        assert [found[kind] for kind in range(K)] == list(s.season.mix)


def turns(table: Table, count: int) -> None:
    """So many seats pass their Villa turn."""
    from parlour_engine.games.lovestruck.space import Pass

    for _ in range(count):
        table.act(table.owing[0], Pass())


def lay(table: Table, cards: Mapping[int, str]) -> None:
    """Each seat lays its card on the date."""
    for seat, name in cards.items():
        table.act(seat, card(name))
