"""What others wrote, made fit to be printed: names, table talk, a server's words, a file's."""

from __future__ import annotations

import re

_ACTS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What ends a line, commands a terminal, turns the direction of writing around, or is half a character."""


def shown(text: object) -> str:
    """The text on one line, with what would act on the terminal spelt out: it can neither look like a line of ours nor
    colour, move or clear anything."""
    return _ACTS.sub(lambda found: found[0].encode("unicode_escape").decode(), str(text))
