"""``parlour arena``: house bots play each other on this machine, and what came of it."""

from .command import add

__all__ = ["add"]
