"""``parlour demo``: a whole match over HTTP, told as it goes."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from shutil import which
from typing import Any

from parlour_engine.errors import EngineError
from parlour_engine.games import find

from .bot import house_bot, play
from .cli_ending import Ending
from .cli_types import address, hex_digits
from .client import Client, Created, NewSeat
from .errors import ConnectionFailed, GameNotFound
from .fairness import verify
from .local import local_service
from .models import Event, GameDetail, Observation
from .narrate import Narrator
from .shown import shown

NAMES = ("Ada", "Bruno", "Clara", "Davi", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas")
BOLD, DIM, PLAIN = "\033[1m", "\033[2m", "\033[0m"


def add(commands: Any) -> None:
    """Add the demo to the ``parlour`` command."""
    demo = commands.add_parser(
        "demo",
        help="play a whole match over HTTP and tell it",
        description="Play a whole match over HTTP and tell what one seat sees of it. That seat is a bot in this "
        "process that uses the Python SDK; the others are the server's house bots. Without --url a service of its own "
        "is started for it, and stopped at the end.",
    )
    demo.add_argument("--game", default="valente", help="which game (default valente)")
    demo.add_argument("--seats", type=int, help="how many play (default: as few as can)")
    demo.add_argument("--seed", type=_seed, help="a whole number, or the 64 hex digits that an earlier demo named")
    demo.add_argument("--url", type=address, help="a server that runs already")
    demo.set_defaults(run=run)


def _seed(text: str) -> int | str:
    if len(text) >= 32:
        return hex_digits(text, 32, 64)
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError("must be a whole number of up to 31 digits, or 32 to 64 hex digits")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Run the demo; the exit status."""
    with Ending() as ending, ExitStack() as stack:
        url = args.url
        try:
            if url is None:
                installed = find(args.game).seats  # a service of our own has these games, and need not start to say so
                _seats(args, installed[0], installed[-1])
                _print("Starting a service: Redis, HTTP API, workers ...", DIM)
                url = stack.enter_context(local_service())
            client = stack.enter_context(Client(url))
            game = client.game(args.game)
            seats = _seats(args, game.seats.min, game.seats.max)
        except (_AskedWrongly, EngineError) as error:
            print(f"parlour: {shown(error)}", file=sys.stderr)
            return 2
        except GameNotFound as error:
            print(f"parlour: {shown(error.detail)}", file=sys.stderr)
            return 2
        except ConnectionFailed as error:
            print(f"parlour: {shown(error)}\nIs a server running there? {called()} serve starts one.", file=sys.stderr)
            return 1
        _match(client, game, seats, args.seed, ending)
        _farewell(url, kept=args.url is not None)
        ending.deaf = True
    return 0


class _AskedWrongly(Exception):
    """There is no such match to play."""


def _seats(args: argparse.Namespace, least: int, most: int) -> int:
    seats = least if args.seats is None else int(args.seats)
    if not least <= seats <= most:
        raise _AskedWrongly(f"{args.game} is for {least} to {most} seats, not {seats}")
    return seats


def _match(client: Client, game: GameDetail, seats: int, seed: int | str | None, ending: Ending) -> None:
    names = NAMES[:seats]
    others = [NewSeat("bot", name) for name in names[1:]]
    created = client.create(game.id, [NewSeat("mine", names[0]), *others], seed=seed)
    _print(f"{game.title} at {client.url}", BOLD)
    _print(game.summary)
    bot = game.bots[-1]
    house = "a house bot" if len(others) == 1 else "house bots"
    _print(f"{names[0]} is a bot in this process ({bot.title}, by the SDK); {_and(names[1:])}: {house} of the server.")
    narrator = Narrator(names, client.game(game.id, created.match.options["deck"]))

    def tell(event: Event) -> None:
        ending.check()
        lines = narrator.tell(event.event)
        heading = narrator.is_heading(event.event)
        for line in lines:
            if heading:
                _print(line, BOLD, apart=True)
            else:
                _print(f"  {line}")

    final = play(created.seats[0], house_bot(game.id, bot.id, seed=0), on_event=tell)
    _result(final, names)
    _fairness(created, final, seed)


def _result(final: Observation[Any], names: tuple[str, ...]) -> None:
    outcome = final.outcome
    if outcome is None:
        _print(f"The match is {final.status}.", BOLD, apart=True)
        return
    winners = [names[seat] for seat in outcome.winners]
    wins = f"{_and(winners)} {'wins' if len(winners) == 1 else 'win'}." if winners else "Nobody wins."
    _print(wins, BOLD, apart=True)
    _print(outcome.text)
    if outcome.scores is not None:
        _print(", ".join(f"{name} {score}" for name, score in zip(names, outcome.scores, strict=True)))


def _fairness(created: Created, final: Observation[Any], seed: int | str | None) -> None:
    replay = created.host.replay()
    verify(replay, commitment=created.match.commitment, seen=[final])
    if seed is None:
        _print(
            "Checked from the replay: the server dealt from the seed that it had committed to, and every action was "
            "legal.",
            DIM,
        )
    else:
        _print("Checked from the replay: dealt from your seed, and every action was legal.", DIM)
    again = f"{called()} demo --game {final.game} --seats {len(replay.seats)} --seed {replay.seed}"
    _print(f"The same match again: {again}", DIM)


def _farewell(url: str, kept: bool) -> None:
    if kept:
        _print(f"The API's documentation: {url}/docs", apart=True)
    else:
        _print(f"To keep a server running: {called()} serve", apart=True)
        _print("Its API documentation is at /docs, by default http://127.0.0.1:8080/docs.")


def called() -> str:
    """How the ``parlour`` command is called from this folder, so that a line with it can be copied."""
    if Path(sys.argv[0]).stem == "parlour":
        return _findable(sys.argv[0])
    return f"{_findable(sys.executable)} -m parlour"


def _findable(program: str) -> str:
    """A program's name if it is the one that PATH leads to, else its path, as short as it is from here."""
    path = Path(program).absolute()
    on_path = which(path.name)
    if on_path and Path(on_path).absolute() == path:
        return path.name
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return shlex.quote(str(path) if path.parent.name else f".{os.sep}{path}")


def _and(words: tuple[str, ...] | list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _print(text: str, style: str = "", *, apart: bool = False) -> None:
    """Print a line, whoever wrote what is in it; ``apart`` from what comes before."""
    text = shown(text)
    if apart:
        print()
    coloured = style and sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    print(f"{style}{text}{PLAIN}" if coloured else text, flush=True)
