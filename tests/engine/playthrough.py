"""Golden playthroughs: one seeded match per game and number of seats, written so that a player of the game can read it.

    python tests/engine/playthrough.py write [slug]       writes the files anew (all games, or one)
    python tests/engine/playthrough.py show slug seats    prints one

At each decision: who decides, what, and the events as everybody sees them, with what single seats see instead in
brackets. Now and then: what everybody sees of the match, then what each viewer sees beside that (after the first
time only what has changed). Long matches are shown in part; the rest is there as a hash, so that it is compared too.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "engine"))

from parlour_engine.chance import bot_seed
from parlour_engine.check import seed_of, viewers
from parlour_engine.game import AnyGame, Fact, Log, Pending
from parlour_engine.games import GAMES, find

FOLDER = Path(__file__).parent / "playthroughs"
SEED = seed_of(20260214)
WIDTH = 118
VIEWS = 6  # how often, about, the observations are shown
HEAD, TAIL = 120, 30  # of a longer match, so many decisions from its beginning and from its end


def seat_counts(game: AnyGame) -> list[int]:
    """The least, a middle and the largest number of seats."""
    counts = list(game.seats)
    return sorted({counts[0], counts[len(counts) // 2], counts[-1]})


def path_of(game: AnyGame, seats: int) -> Path:
    return FOLDER / f"{game.slug}_{seats}.txt"


def text(value: Any) -> str:
    """A value of an observation or event, short: - for None, yes and no, runs of numbers as 3-7."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return repr(value) if " " in value or not value else value
    if is_dataclass(value):
        return f"({_pairs(value)})"
    if isinstance(value, tuple):
        numbers = bool(value) and all(type(each) is int for each in value)
        return f"[{_runs(value) if numbers else ' '.join(text(each) for each in value)}]"
    return str(value)


def _runs(numbers: tuple[int, ...]) -> str:
    """3 4 5 6 9 as 3-6 9; two neighbours stay apart."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] + 1 == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs)


def _named(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _pairs(value: Any, without: tuple[str, ...] = ()) -> str:
    return " ".join(f"{name}={text(each)}" for name, each in _named(value).items() if name not in without)


def _event(event: Any) -> str:
    return f"{event.type} {_pairs(event, ('type',))}".rstrip()


def _fact(fact: Fact) -> str:
    """The event as everybody sees it; in brackets what some seats see instead, as far as it differs."""
    instead = []
    for seat, event in fact.private:
        if event is None:
            words = "nothing"
        elif type(event) is type(fact.public):
            public = _named(fact.public)
            changed = {name: value for name, value in _named(event).items() if value != public[name]}
            words = " ".join(f"{name}={text(value)}" for name, value in changed.items()) or "the same"
        else:
            words = _event(event)
        instead.append(f"seat {seat}: {words}")
    public_words = "(nothing)" if fact.public is None else _event(fact.public)
    return public_words + (f"  [{'; '.join(instead)}]" if instead else "")


def _lines(first: str, words: str) -> list[str]:
    indent = " " * len(first)
    return wrap(words, WIDTH, initial_indent=first, subsequent_indent=indent, break_long_words=False) or [first]


class _Views:
    """What the viewers see, shown as what has changed since it was shown last."""

    def __init__(self) -> None:
        self._shown: dict[tuple[int | None, str], Any] = {}

    def lines(self, game: AnyGame, state: Any, seats: int) -> Iterator[str]:
        seen = {viewer: _named(game.observe(state, viewer)) for viewer in viewers(seats)}
        names = [name for name in seen[None] if name != "seat"]
        common = [name for name in names if all(seen[viewer][name] == seen[None][name] for viewer in seen)]
        yield from self._block("   all see   ", None, {name: seen[None][name] for name in common})
        for viewer in viewers(seats):
            rest = {name: seen[viewer][name] for name in names if name not in common}
            title = "   spectator " if viewer is None else f"   seat {viewer:<5} "
            yield from self._block(title, viewer, rest)

    def _block(self, title: str, viewer: int | None, values: dict[str, Any]) -> Iterator[str]:
        news = {
            name: value
            for name, value in values.items()
            if (viewer, name) not in self._shown or self._shown[viewer, name] != value
        }
        self._shown.update({(viewer, name): value for name, value in news.items()})
        short = []
        for name, value in news.items():
            if isinstance(value, tuple) and value and all(is_dataclass(each) for each in value):
                for place, each in enumerate(value):
                    yield from _lines(title, f"{name}[{place}]: {_pairs(each)}")
            else:
                short.append(f"{name}={text(value)}")
        if short:
            yield from _lines(title, "  ".join(short))


def playthrough(game: AnyGame, seats: int) -> str:
    """The match as text."""
    bot = next((bot for bot in game.bots if bot.id == "greedy"), game.bots[0])
    options = game.options_type()
    order = random.Random(seats)
    state = game.deal(seats, options, SEED)
    steps: list[list[str]] = []
    states = [game.clone(state)]
    while owed := [Pending(*entry) for entry in game.pending(state)]:
        now = order.choice(owed)
        seen = game.observe(state, now.seat)
        rng = random.Random(bot_seed(SEED, now.seat, now.number))
        action = bot.choose(seen, game.legal_actions(state, now.seat), rng)
        others = [str(entry.seat) for entry in owed if entry.seat != now.seat]
        also = f", as {' '.join(others)} must" if others else ""
        said = f"seat {now.seat} ({game.kinds[now.kind].name}{also}): {game.label(seen, action)}"
        log: Log = []
        game.apply(state, now.seat, action, log)
        lines = _lines(f"{len(steps) + 1:>4}. ", said)
        for fact in log:
            lines += _lines("      - ", _fact(fact))
        steps.append(lines)
        states.append(game.clone(state))
    out = [
        f"{game.title}, {seats} seats, all played by the house bot {bot.id!r}. Options: {_pairs(options)}.",
        "Written by: python tests/engine/playthrough.py write",
        "",
        *_body(game, seats, steps, states),
        "",
    ]
    end = game.outcome(state)
    assert end is not None
    out += _lines("The end: ", f"winners={text(end.winners)} scores={text(end.scores)} reason={end.reason}. {end.text}")
    return "\n".join(out) + "\n"


def _body(game: AnyGame, seats: int, steps: list[list[str]], states: list[Any]) -> Iterator[str]:
    total = len(steps)
    every = max(10, -(-total // VIEWS))
    left_out = range(HEAD, total - TAIL)
    views = _Views()
    for number, lines in enumerate(steps):
        shown = number not in left_out
        if number % every == 0 and shown:
            yield from views.lines(game, states[number], seats)
            yield ""
        if shown:
            yield from lines
        elif number == left_out[0]:
            digest = sha256("\n".join(line for i in left_out for line in steps[i]).encode()).hexdigest()[:16]
            yield f"  ... {len(left_out)} decisions, {left_out[0] + 1} to {left_out[-1] + 1}, hash {digest}"
        if (number + 1) % every == 0 and shown:
            yield ""
    yield from ("", *views.lines(game, states[-1], seats))


def main(arguments: list[str]) -> None:
    match arguments:
        case ["write", *slugs]:
            FOLDER.mkdir(exist_ok=True)
            for game in GAMES if not slugs else [find(slug) for slug in slugs]:
                for seats in seat_counts(game):
                    path_of(game, seats).write_text(playthrough(game, seats), encoding="utf-8")
        case ["show", slug, seats]:
            sys.stdout.write(playthrough(find(slug), int(seats)))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
