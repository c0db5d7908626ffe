"""The ``parlour`` command. The server's subcommands join it by the entry points of the group ``parlour.commands``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points, version

from . import cli_verify, demo
from .errors import ParlourError
from .local import ServiceNotStarted
from .shown import shown


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(
        prog="parlour", description="Turn-based card games with hidden information: server, bots, demo."
    )
    parser.add_argument("--version", action="version", version=f"parlour {version('parlour')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    demo.add(commands)
    cli_verify.add(commands)
    for entry in entry_points(group="parlour.commands"):
        entry.load()(commands)
    args = parser.parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):  # a terminal that cannot write every letter is no fault
        sys.stdout.reconfigure(errors="replace")
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as in: parlour demo | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except ServiceNotStarted as error:
        print(f"parlour: {error}", file=sys.stderr)
        return 1
    except ParlourError as error:
        print(f"parlour: {shown(error)}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(f"parlour: {args.command} needs the server: pip install '.[server]' ({error})", file=sys.stderr)
        return 1
    except Exception as error:
        if type(error).__name__ != "CannotServe":
            raise
        print(f"parlour: {error}", file=sys.stderr)
        return 1
