"""The arena's figures as one picture: who won, how long it took, how it ended."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import IO

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from parlour_engine.games import find

from .figures import Figures, Share
from .matches import Arena, Played, rotations, said

INK, FAINT, PAPER = "#22223b", "#8d8d9b", "#ffffff"
COLOURS = ("#3d6fb4", "#e07a3f", "#4f9d69", "#b65fa0", "#c9a227", "#6b6b83")
LABELLED = 6  # more bars than this get no numbers above them


def draw(arena: Arena, of: Figures, played: Sequence[Played], to: IO[bytes]) -> None:
    """Write the chart as PNG."""
    figure = Figure(figsize=(13, 8), dpi=120, facecolor=PAPER, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12, hspace=0.04, wspace=0.03)  # type: ignore[union-attr, call-arg]
    bots = [share.name for share in of.by_bot]
    halves = figure.add_gridspec(2, 1, height_ratios=(1.1, 1))
    top, bottom = figure.add_subfigure(halves[0]), figure.add_subfigure(halves[1])
    widths = (0.35 + 0.25 * len(bots), 1.2, 1.2)
    by_bot, by_seat, by_order = top.subplots(1, 3, sharey=True, width_ratios=widths)
    lengths, endings = bottom.subplots(1, 2, width_ratios=(1.3, 1))

    ceiling = min(1.02, max(share.interval[1] for share in _all(of)) * 1.18 + 0.01)
    _shares(by_bot, "By bot", [(share,) for share in of.by_bot], bots, of.even)
    several = len(bots) > 1
    seats = [share.name.removeprefix("seat ") for share in of.by_seat]
    _shares(by_seat, "By seat and bot" if several else "By seat", of.by_bot_and_seat, seats, of.even)
    places = [share.name for share in of.by_order]
    _shares(by_order, "By turn order, all bots" if several else "By turn order", (of.by_order,), places, of.even)
    if several:
        for bar in by_order.patches:
            bar.set_facecolor(FAINT)
        for number, bot in enumerate(bots):
            by_seat.bar(0, 0, color=COLOURS[number % len(COLOURS)], label=bot)
        by_seat.legend(frameon=False, fontsize=9, ncols=len(bots), loc="upper right", labelcolor=INK)
        ceiling = min(1.12, ceiling * 1.08)
    by_bot.set_ylim(0, ceiling)
    by_bot.set_ylabel("win share, with 95 % interval", color=INK)
    by_bot.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    by_seat.set_xlabel("seat", color=INK)
    by_order.set_xlabel("acts", color=INK)
    by_order.annotate(
        f"even\n{of.even:.1%}", (1, of.even), (5, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
        va="center", fontsize=9, color=INK,
    )  # fmt: skip

    _histogram(lengths, of, [match.decisions for match in played])
    _endings(endings, of)

    ways = len(rotations(arena.line_up))
    rotated = f", every deal in {ways} rotations" if ways > 1 else ""
    figure.suptitle(
        f"{find(arena.slug).title}, {arena.seats} seats",
        x=0.01, ha="left", fontsize=17, fontweight="bold", color=INK,
    )  # fmt: skip
    text = f"{said(arena.line_up)}; {of.matches:,} matches{rotated}; seed {arena.seed}"
    top.suptitle(text, x=0.01, ha="left", fontsize=10.5, color=FAINT)
    figure.savefig(to, format="png", facecolor=PAPER)


def _all(of: Figures) -> list[Share]:
    each = [*of.by_bot, *of.by_order]
    for shares in of.by_bot_and_seat:
        each += [share for share in shares if share.of]
    return each


def _plain(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", color=INK, pad=10)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.tick_params(length=0, colors=INK, labelsize=9.5)
    axes.set_axisbelow(True)


def _shares(axes: Axes, title: str, groups: Sequence[Sequence[Share]], names: list[str], even: float) -> None:
    """Bars with intervals: one colour per group, the groups side by side at each name."""
    _plain(axes, title)
    axes.grid(axis="y", color="#e7e7ee", linewidth=0.8)
    spread = len(groups) > 1 and len(groups[0]) > 1
    width = 0.78 / len(groups) if spread else 0.62
    bars = sum(len(shares) for shares in groups)
    for number, shares in enumerate(groups):
        for place, share in enumerate(shares):
            if not share.of:
                continue
            x = place + (number - (len(groups) - 1) / 2) * width if spread else place + number
            low, high = share.interval
            axes.bar(x, share.share, width * 0.92, color=COLOURS[number % len(COLOURS)], linewidth=0)
            axes.errorbar(
                x, share.share, [[max(0, share.share - low)], [max(0, high - share.share)]],
                color=INK, linewidth=1.1, capsize=2.5, capthick=1.1,
            )  # fmt: skip
            if bars <= LABELLED:
                axes.annotate(
                    f"{share.share:.1%}", (x, high), (0, 4), textcoords="offset points",
                    ha="center", fontsize=9, color=INK, bbox={"facecolor": PAPER, "linewidth": 0, "pad": 0.8},
                )  # fmt: skip
    axes.axhline(even, color=INK, linewidth=1, linestyle=(0, (4, 3)), alpha=0.6, zorder=0.9)
    edge = 1.0 if len(names) == 1 else 0.6
    axes.set_xlim(-edge, len(names) - 1 + edge)
    axes.set_xticks(range(len(names)), names)


def _histogram(axes: Axes, of: Figures, decisions: list[int]) -> None:
    _plain(axes, "How long")
    axes.grid(axis="y", color="#e7e7ee", linewidth=0.8)
    low, high = min(decisions), max(decisions)
    step = max(1, -(-(high - low + 1) // 40))
    edges = [low - 0.5 + step * i for i in range(-(-(high - low + 1) // step) + 1)]
    axes.hist(decisions, bins=edges, color=COLOURS[0], alpha=0.85, rwidth=0.92)
    length = of.lengths[0]
    axes.axvspan(length.p10, length.p90, color=COLOURS[0], alpha=0.1, linewidth=0, zorder=0)
    axes.axvline(length.median, color=INK, linewidth=1.2)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.12)
    axes.annotate(
        f"median {length.median}", (length.median, 0.985), (5, 0), xycoords=("data", "axes fraction"),
        textcoords="offset points", va="top", fontsize=9, color=INK,
    )  # fmt: skip
    more = [f"{each.name} {each.p10} – {each.median} – {each.p90}" for each in of.lengths[1:]]
    said = "; ".join([f"decisions of a match; p10 {length.p10}, p90 {length.p90} (shaded)", *more])
    axes.set_xlabel(said, color=INK)
    axes.set_ylabel("matches", color=INK)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))


def _endings(axes: Axes, of: Figures) -> None:
    _plain(axes, "How they ended")
    axes.spines[["bottom"]].set_visible(False)
    axes.xaxis.set_visible(False)
    endings = of.endings[::-1]
    for place, each in enumerate(endings):
        share, none = each.matches / of.matches, each.without_winner / of.matches
        axes.barh(place, share - none, 0.55, color=COLOURS[2], linewidth=0)
        axes.barh(place, none, 0.55, left=share - none, color="#c9c9d3", linewidth=0)
        axes.annotate(
            f"{share:.1%}", (share, place), (5, 0), textcoords="offset points", va="center", fontsize=9.5, color=INK
        )
    axes.set_yticks(range(len(endings)), [textwrap.fill(each.reason.replace("_", " "), 16) for each in endings])
    axes.set_xlim(0, max(each.matches for each in endings) / of.matches * 1.18)
    axes.set_ylim(-0.6 - max(0, 3 - len(endings)) / 2, len(endings) - 0.4 + max(0, 3 - len(endings)) / 2)
    if any(each.without_winner for each in endings):
        axes.bar(0, 0, color=COLOURS[2], label="somebody won")
        axes.bar(0, 0, color="#c9c9d3", label="nobody won")
        axes.legend(frameon=False, fontsize=9, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.02), labelcolor=INK)
