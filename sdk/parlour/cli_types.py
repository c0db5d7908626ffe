"""What options of the command take; what is none is answered as argparse answers a wrong option, with status 2."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError

from .transport import server_address


def address(text: str) -> str:
    """A server's address."""
    try:
        return server_address(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def hex_digits(text: str, least: int, most: int) -> str:
    """Whole bytes in so many hex digits, in small letters, as the API writes them."""
    if not least <= len(text) <= most or not re.fullmatch(r"([0-9A-Fa-f]{2})+", text):
        many = str(least) if least == most else f"{least} to {most} (an even number)"
        raise ArgumentTypeError(f"must be {many} hex digits, not {text!r}")
    return text.lower()


def whole_number(text: str) -> int:
    """A number of a seat, for one: nothing but digits, of which few are enough."""
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise ArgumentTypeError(f"must be a whole number, not {text!r}")
    return int(text)
