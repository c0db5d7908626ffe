"""The ``parlour`` command. The server's subcommands join it by the entry points of the group ``parlour.commands``."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import entry_points, version

from . import cli_verify, demo
from .errors import ParlourError
from .local import ServiceNotStarted
from .shown import shown

UNWRITTEN = 74
"""Status of a command whose output could not be written (EX_IOERR of sysexits.h); ``verify`` has its own."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""How the system says that it could not write, apart from a pipe that nobody reads."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    command, args = parser(), argparse.Namespace(unwritten=UNWRITTEN)
    if hasattr(sys.stdout, "reconfigure"):  # a terminal that cannot write every letter is no fault
        sys.stdout.reconfigure(errors="replace")
    try:
        try:
            command.parse_args(argv, args)
            return int(args.run(args))
        finally:
            if sys.stdout is not None:  # started without one
                sys.stdout.flush()  # here, where it is known what to do if that fails
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as in: parlour demo | head
        _let_go()
        return 141
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _let_go()
        what = shown(error.filename or "the output")
        return _fails(f"{what} cannot be written: {error.strerror}", int(args.unwritten))
    except ServiceNotStarted as error:
        return _fails(str(error))
    except ParlourError as error:
        return _fails(shown(error))
    except ModuleNotFoundError as error:
        return _fails(f"{args.command} needs the server: pip install '.[server]' ({error})")
    except Exception as error:
        if type(error).__name__ != "CannotServe":
            raise
        return _fails(str(error))


def parser() -> argparse.ArgumentParser:
    """All of the command's words."""
    command = argparse.ArgumentParser(
        prog="parlour", description="Turn-based card games with hidden information: server, bots, demo."
    )
    command.add_argument("--version", action="version", version=f"parlour {version('parlour')}")
    commands = command.add_subparsers(dest="command", metavar="COMMAND", required=True)
    demo.add(commands)
    cli_verify.add(commands)
    for entry in entry_points(group="parlour.commands"):
        entry.load()(commands)
    return command


def _fails(why: str, status: int = 1) -> int:
    """Say why on standard error, if that can be written."""
    with suppress(OSError):
        print(f"parlour: {why}", file=sys.stderr)
    return status


def _let_go() -> None:
    """Forget what a stream holds and cannot write, or the interpreter complains of it when it ends."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
