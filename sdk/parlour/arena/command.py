"""The ``parlour arena`` command: read what is asked for, play, print, save."""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from parlour_engine.errors import BadOption, GameNotFound
from parlour_engine.games import GAMES, find
from parlour_engine.options import parse_options

from ..cli_ending import Ending
from .figures import figures
from .matches import Arena, CannotPlay, Played, line_up, play, rotations
from .report import COLUMNS, row, table

EXTRA = "pip install '.[arena]'"

DESCRIPTION = """\
Let house bots play each other on this machine, without a server, and report how often each seat and each bot won
(with 95 % intervals), how long the matches were and how they ended.

Who plays (--bots):
  greedy                    one id: it takes every seat; each match is a deal of its own
  greedy random             two ids: one greedy against random in all other seats; greedy takes every seat in turn
  greedy random greedy      one id for each seat; the line-up moves round the table

Each deal is played in every rotation of the line-up, so a lucky hand helps all of them alike. --matches is rounded up
to whole deals. The same arguments give the same matches, whatever --jobs says."""

EXAMPLES = """\
examples:
  parlour arena --game valente --seats 3 --matches 2000
  parlour arena --game lovestruck --seats 7 --bots greedy random --png lovestruck.png
  parlour arena --game love_is_dead --options '{"first_seat": 0}' --csv matches.csv

Ctrl-C (and SIGTERM, SIGHUP) stops and reports what was played so far."""


def add(commands: Any) -> None:
    """Add ``arena`` to the ``parlour`` command."""
    parser = commands.add_parser(
        "arena",
        help="let house bots play each other, and count",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    games = ", ".join(f"{game.slug} ({game.seats[0]}-{game.seats[-1]} seats)" for game in GAMES)
    parser.add_argument("--game", required=True, metavar="GAME", help=games)
    parser.add_argument("--seats", type=int, metavar="N", help="how many play (default: the game's fewest)")
    parser.add_argument("--bots", nargs="+", metavar="BOT", help="who plays, see above (default: the game's best bot)")
    parser.add_argument("--matches", type=_positive, default=1000, metavar="M", help="how many (default 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="any whole number (default 1)")
    parser.add_argument(
        "--jobs", type=_positive, default=_cores(), metavar="J", help=f"processes (default: one per core, {_cores()})"
    )
    parser.add_argument("--options", default="{}", metavar="JSON", help="the game's options (default: all as they are)")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write one row per match as they are played")
    parser.add_argument("--png", type=Path, metavar="FILE", help=f"draw the figures as a chart (needs {EXTRA})")
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number from 1")
    return int(text)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(args: argparse.Namespace) -> int:
    """Play, print, save; the exit status."""
    try:
        arena = read(args)
        chart = _chart_maker() if args.png else None
        with Ending() as ending, ExitStack() as files:
            rows = _open(files, args.csv, "--csv")
            picture = _open(files, args.png, "--png", binary=True)
            played = _play_all(arena, args, rows, ending)
            if not played:
                print("parlour arena: stopped before the first match was over", file=sys.stderr)
                return ending.status
            of = figures(played)
            if chart is not None:
                chart(arena, of, played, picture)
            print(table(arena, of))
    except CannotPlay as error:
        print(f"parlour arena: {error}", file=sys.stderr)
        return 2
    for path in (args.csv, args.png):
        if path:
            print(f"written: {path}", file=sys.stderr)
    return ending.status


def read(args: argparse.Namespace) -> Arena:
    """What the arguments ask for; raises CannotPlay."""
    try:
        game = find(args.game)
    except GameNotFound as error:
        raise CannotPlay(str(error)) from None
    seats = game.seats[0] if args.seats is None else args.seats
    if seats not in game.seats:
        raise CannotPlay(f"{game.slug} is for {game.seats[0]} to {game.seats[-1]} seats, not {seats}")
    try:
        raw = json.loads(args.options)
    except ValueError as error:
        raise CannotPlay(f"--options is not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise CannotPlay("--options must be a JSON object, like '{\"first_seat\": 0}'")
    try:
        options = parse_options(game.options_type, raw)
        game.check_options(seats, options)
    except BadOption as error:
        raise CannotPlay(f"--options: {error}") from None
    return Arena(game.slug, seats, line_up(game, seats, args.bots or [game.bots[-1].id]), options, args.seed)


def _play_all(arena: Arena, args: argparse.Namespace, rows: IO[Any] | None, ending: Ending) -> list[Played]:
    """The matches, as many as were played before a signal ended it."""
    ways = len(rotations(arena.line_up))
    deals = math.ceil(args.matches / ways)
    writer = csv.writer(rows, lineterminator="\n") if rows else None
    if writer:
        writer.writerow(COLUMNS)
    played: list[Played] = []
    progress, matches = _Progress(deals * ways), play(arena, deals, args.jobs)
    try:
        for match in matches:
            played.append(match)
            if writer:
                writer.writerow(row(match))
            progress.one()
            ending.check()
    except SystemExit:
        if not ending.status:
            raise
    finally:
        matches.close()  # type: ignore[attr-defined]
        progress.close()
    return played


def _chart_maker() -> Callable[..., None]:
    try:
        from .chart import draw
    except ModuleNotFoundError as error:
        raise CannotPlay(f"--png needs matplotlib: {EXTRA} ({error})") from None
    return draw


def _open(files: ExitStack, path: Path | None, option: str, binary: bool = False) -> IO[Any] | None:
    """The file to write, opened before the first match so that a bad path costs no time."""
    if path is None:
        return None
    try:
        file: IO[Any] = path.open("wb") if binary else path.open("w", newline="", encoding="utf-8")
    except OSError as error:
        raise CannotPlay(f"{option}: cannot write {path}: {error.strerror}") from None
    return files.enter_context(file)


class _Progress:
    """How far it is, on standard error: a bar on a terminal, else a line now and then."""

    def __init__(self, matches: int) -> None:
        self.matches = matches
        self.done = 0
        self.bar: Any = None
        self.said_at = time.monotonic()
        if sys.stderr.isatty():
            try:
                from tqdm import tqdm
            except ModuleNotFoundError:
                print(f"parlour arena: for a progress bar, {EXTRA}", file=sys.stderr)
            else:
                self.bar = tqdm(total=matches, unit=" matches", dynamic_ncols=True, smoothing=0.05)

    def one(self) -> None:
        self.done += 1
        if self.bar is not None:
            self.bar.update()
        elif time.monotonic() - self.said_at >= 10:
            self.said_at = time.monotonic()
            print(f"parlour arena: {self.done} of {self.matches} matches", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
