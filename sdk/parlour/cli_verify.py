"""``parlour verify``: was this match fair? From its replay, without trusting the server."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from parlour_engine.errors import GameNotFound
from pydantic_core import to_jsonable_python

from .cli_types import address, hex_digits, whole_number
from .client import Client
from .errors import ParlourError, UnexpectedAnswer
from .fairness import examine, is_event
from .models import Replay, decode
from .shown import shown


class _CannotCheck(Exception):
    """There is nothing to check; the message says what would help."""


def add(commands: Any) -> None:
    """Add ``verify`` to the ``parlour`` command."""
    command = commands.add_parser(
        "verify",
        help="check a replay: the shuffle was fair and every rule was kept",
        description="Play a match again from its replay, with the rules that come with this SDK, and say what does not "
        "fit: the server's commitment, the seed, each action down to the first wrong one, the outcome. The replay "
        "is what GET /v1/matches/{id}/replay answers once the match is over.",
        epilog="Exit status: 0 all fits, 1 something does not, 2 it could not be checked, or this report not be "
        "written. What you noted yourself (--commitment before the start, --entropy that you gave, --events that you "
        "got) proves more than what the replay says of itself. Not checked: who chose an action and when, names, and "
        "who knew the cards: the server does, and whoever created a match with a seed.",
    )
    command.add_argument("replay", nargs="?", metavar="REPLAY.json", help="the replay's file, - for standard input")
    command.add_argument("--url", type=address, help="get the replay from this server instead, with --match")
    command.add_argument("--match", metavar="ID", help="the match's id")
    command.add_argument("--token", help="a token of that match, if it is private")
    command.add_argument(
        "--commitment", type=_commitment, metavar="HEX", help="the commitment that the match showed before its start"
    )
    command.add_argument(
        "--entropy", action="append", default=[], type=_entropy, metavar="SEAT=HEX", help="what that seat gave"
    )
    command.add_argument("--events", metavar="EVENTS.json", help="events of one viewer, as GET .../events answers them")
    command.add_argument("--seat", type=whole_number, help="whose events they are (left out: a spectator's)")
    command.set_defaults(run=run, unwritten=2)


def _commitment(text: str) -> str:
    return hex_digits(text, 64, 64)


def _entropy(text: str) -> tuple[int, str]:
    seat, equals, given = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("must be a seat and what it gave, such as 0=6f5c...")
    return whole_number(seat), hex_digits(given, 32, 64)


def run(args: argparse.Namespace) -> int:
    """Check it and print a report; the exit status."""
    try:
        replay = _replay(args)
        if args.seat is not None and args.seat >= len(replay.seats):
            raise _CannotCheck(f"--seat {args.seat}: the match has {len(replay.seats)} seats, from 0 on")
        checks = examine(
            replay,
            commitment=args.commitment,
            entropies=dict(args.entropy),
            events=None if args.events is None else _events(args.events),
            viewer=args.seat,
        )
    except (_CannotCheck, ParlourError, GameNotFound, ValueError) as error:
        print(f"parlour: cannot check this: {shown(error)}", file=sys.stderr)
        return 2
    except RecursionError:
        print("parlour: cannot check this: it is nested too deeply", file=sys.stderr)
        return 2
    names = ", ".join(seat.name for seat in replay.seats)
    match = f"{replay.id}: {replay.game} {replay.game_version}, {len(replay.seats)} seats ({names}), {replay.status}"
    print(shown(match))
    for check in checks:
        print(f"  {_MARKS[check.fits]:<6} {check.name:<12} {shown(check.text)}")
    wrong = [check.name for check in checks if check.fits is False]
    print(f"This replay does NOT fit: {', '.join(wrong)}." if wrong else "All of it fits.")
    return 1 if wrong else 0


_MARKS = {True: "ok", False: "WRONG", None: "-"}


def _replay(args: argparse.Namespace) -> Replay:
    if args.seat is not None and args.events is None:
        raise _CannotCheck("--seat says whose --events they are: give these, too")
    if args.url is not None or args.match is not None:
        if args.replay is not None or args.url is None or args.match is None:
            raise _CannotCheck("give a file, or --url together with --match")
        with Client(args.url) as client:
            viewer = client.host(args.match, args.token) if args.token else client.spectator(args.match)
            replay = viewer.replay()
        if replay.id != args.match:
            raise _CannotCheck(f"the server answers with the replay of another match, {replay.id}")
        _must_be_text(to_jsonable_python(replay), args.url)
        return replay
    if args.replay is None:
        raise _CannotCheck("give a replay's file (- for standard input), or --url together with --match")
    raw = _read(args.replay)
    if isinstance(raw, dict) and "code" in raw and "request_id" in raw:
        raise _CannotCheck(f"{args.replay} is an answer that refuses ({raw['code']}): {raw.get('detail')}")
    try:
        return decode(Replay, raw)
    except UnexpectedAnswer as error:
        reason = str(error).removeprefix("the server's answer is no Replay: ")
        raise _CannotCheck(f"{args.replay} is no replay: {reason}") from None


def _events(name: str) -> list[dict[str, Any]]:
    """The list of events, or the API's answer around it."""
    raw = _read(name)
    items = raw.get("items") if isinstance(raw, dict) else raw
    if not isinstance(items, list) or not all(is_event(each) for each in items):
        raise _CannotCheck(f"{name} holds no events, each with seq, version and event")
    return items


def _read(name: str) -> Any:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
        data = json.loads(text)
    except OSError as error:
        raise _CannotCheck(f"{name}: {error.strerror}") from None
    except ValueError as error:  # not UTF-8, or not JSON
        raise _CannotCheck(f"{name} is not JSON: {error}") from None
    _must_be_text(data, name)
    return data


def _must_be_text(data: Any, where: str) -> None:
    """No half letters, which JSON can spell and the API never does."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise _CannotCheck(f"{where} holds half a letter (a lone surrogate)") from None
