"""The figures as text, and a match as a row of a CSV file."""

from __future__ import annotations

import math
from collections.abc import Sequence

from parlour_engine.games import find

from .figures import Figures, Share
from .matches import Arena, Played, rotations, said

COLUMNS = (
    "match", "deal", "seed", "bots", "first_seat", "winners", "reason", "scores", "decisions", "turns", "round",
    "episode",
)  # fmt: skip


def table(arena: Arena, of: Figures) -> str:
    """The figures as text."""
    ways = len(rotations(arena.line_up))
    deals = math.ceil(of.matches / ways)
    rotated = f"{deals} deals, each in {ways} rotations" if ways > 1 else "each its own deal"
    lines = [
        f"{find(arena.slug).title}, {arena.seats} seats: {said(arena.line_up)}; seed {arena.seed}",
        f"{of.matches} matches ({rotated})",
        "",
        f"{'WIN SHARE':24}{'share':>9}   {'95 % interval':17}{'wins':>7} of",
    ]
    groups: list[tuple[str, Sequence[Share]]] = [("by bot", of.by_bot)]
    if len(of.by_bot) > 1:
        groups += [("by bot and seat", [each for shares in of.by_bot_and_seat for each in shares])]
    groups += [("by seat", of.by_seat), ("by turn order (1st: owed the first decision)", of.by_order)]
    for head, shares in groups:
        lines.append(head)
        for each in shares:
            low, high = each.interval
            span = f"{low:7.1%} - {high:6.1%}"
            lines.append(f"  {each.name:22}{each.share:>9.1%}   {span:17}{each.wins:>7} of {each.of}")
    lines += [
        f"even share: {of.even:.1%} (all wins / all seats). Each winner of a match counts as a win, so a tie is a win",
        "for each who shares it; a match without winner is none. Intervals take all seats played as independent.",
        "",
        f"{'LENGTH':24}{'p10':>9}{'median':>9}{'p90':>9}",
    ]
    lines += [f"  {each.name:22}{each.p10:>9}{each.median:>9}{each.p90:>9}" for each in of.lengths]
    lines += ["", f"{'ENDING':24}{'share':>9}{'matches':>10}   of these without winner"]
    lines += [
        f"  {each.reason:22}{each.matches / of.matches:>9.1%}{each.matches:>10}   {each.without_winner}"
        for each in of.endings
    ]
    return "\n".join(lines)


def row(match: Played) -> tuple[str | int, ...]:
    """One line of the CSV, in the order of ``COLUMNS``; lists are written with spaces between."""
    return (
        match.match,
        match.deal,
        match.seed.hex(),
        " ".join(match.bots),
        match.first_seat,
        " ".join(map(str, match.winners)),
        match.reason,
        " ".join(map(str, match.scores or ())),
        match.decisions,
        *("" if value is None else value for value in match.cycles),
    )
