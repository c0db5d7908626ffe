"""What options of the command take; what is none is answered as argparse answers a wrong option, with status 2."""

from __future__ import annotations

from argparse import ArgumentTypeError

from .transport import server_address


def address(text: str) -> str:
    """A server's address."""
    try:
        return server_address(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
