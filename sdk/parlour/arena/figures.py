"""What came of the matches: win shares with their intervals, lengths, endings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .matches import CYCLES, Played

Z95 = 1.959963984540054  # of the normal distribution, two-sided


@dataclass(frozen=True, slots=True)
class Share:
    """So many wins out of so many seats played; what each of them is, for a table and a chart."""

    name: str
    wins: int
    of: int

    @property
    def share(self) -> float:
        return self.wins / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.wins, self.of)


@dataclass(frozen=True, slots=True)
class Length:
    """How long the matches were, by one measure: a tenth were at most ``p10``, half ``median``, nine tenths ``p90``."""

    name: str
    p10: int
    median: int
    p90: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How often the matches ended so, and in how many of those nobody won."""

    reason: str
    matches: int
    without_winner: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of the matches. ``even``: the win share of every seat if all won alike (all wins / all seats)."""

    matches: int
    even: float
    by_bot: tuple[Share, ...]
    by_seat: tuple[Share, ...]
    by_order: tuple[Share, ...]
    by_bot_and_seat: tuple[tuple[Share, ...], ...]
    lengths: tuple[Length, ...]
    endings: tuple[Ending, ...]


def wilson(wins: int, of: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson 1927): never outside 0..1, sound for small and lopsided counts."""
    if not of:
        return 0.0, 1.0
    share, z2 = wins / of, Z95 * Z95
    centre = share + z2 / (2 * of)
    spread = Z95 * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    scale = 1 + z2 / of
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def figures(played: Sequence[Played]) -> Figures:
    """Count it all. Each winner of a match counts as a win, so a tie is a win for all who share it."""
    seats = len(played[0].bots)
    bots = tuple(dict.fromkeys(bot for match in played for bot in match.bots))
    wins: Counter[tuple[str, int]] = Counter()
    of: Counter[tuple[str, int]] = Counter()
    ordered: Counter[int] = Counter()
    for match in played:
        of.update(zip(match.bots, range(seats), strict=True))
        wins.update((match.bots[seat], seat) for seat in match.winners)
        ordered.update((seat - match.first_seat) % seats for seat in match.winners)

    def share(name: str, which: Callable[[str, int], bool]) -> Share:
        return Share(name, sum(n for key, n in wins.items() if which(*key)), sum(of[key] for key in of if which(*key)))

    by_seat = [share(f"seat {each}", lambda _, seat, each=each: seat == each) for each in range(seats)]  # type: ignore[misc]
    endings = Counter(match.reason for match in played)
    lengths = [("decisions", [match.decisions for match in played])]
    for place, name in enumerate(CYCLES):
        values = [value for match in played if (value := match.cycles[place]) is not None]
        if values:
            lengths.append((name, values))
    return Figures(
        matches=len(played),
        even=sum(wins.values()) / sum(of.values()),
        by_bot=tuple(share(each, lambda bot, _, each=each: bot == each) for each in bots),  # type: ignore[misc]
        by_seat=tuple(by_seat),
        by_order=tuple(Share(_place(order), ordered[order], len(played)) for order in range(seats)),
        by_bot_and_seat=tuple(
            tuple(Share(f"{bot} in seat {seat}", wins[bot, seat], of[bot, seat]) for seat in range(seats))
            for bot in bots
        ),
        lengths=tuple(Length(name, _at(values, 0.1), _at(values, 0.5), _at(values, 0.9)) for name, values in lengths),
        endings=tuple(
            Ending(reason, count, sum(match.reason == reason and not match.winners for match in played))
            for reason, count in endings.most_common()
        ),
    )


def _place(order: int) -> str:
    return {0: "1st", 1: "2nd", 2: "3rd"}.get(order, f"{order + 1}th")


def _at(values: Sequence[int], part: float) -> int:
    """The smallest of the values that is not exceeded by this part of them."""
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]
