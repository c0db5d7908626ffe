"""Options of a match: a frozen dataclass per game, read strictly from what a client sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import BadOption

O = TypeVar("O")


def parse_options(options: type[O], raw: Mapping[str, Any]) -> O:
    """The options that ``raw`` names, defaults for the rest.

    Raises BadOption for a name that the game does not have and for a value that is not exactly of the field's type
    (bool, int, str, Literal, None, tuple of those): nothing is coerced.
    """
    kind: Any = options
    hints = _hints(kind)
    known = {field.name for field in fields(options)}  # type: ignore[arg-type]
    for name in raw:
        if name not in known:
            raise BadOption(name, f"no such option; there are: {', '.join(sorted(known))}")
    return options(**{name: _read(name, hints[name], value) for name, value in raw.items()})


@cache
def _hints(options: type[Any]) -> dict[str, Any]:
    return get_type_hints(options)


def _read(name: str, hint: Any, value: Any) -> Any:
    if not _fits(hint, value):
        raise BadOption(name, f"must be {_words(hint)}")
    return tuple(value) if isinstance(value, list) else value


def _fits(hint: Any, value: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(part, value) for part in get_args(hint))
    if origin is Literal:
        return any(type(value) is type(choice) and value == choice for choice in get_args(hint))
    if origin is tuple:
        return isinstance(value, (list, tuple)) and all(_fits(get_args(hint)[0], part) for part in value)
    return type(value) is hint


_WORDS = {bool: "true or false", int: "a whole number", str: "a string", NoneType: "null"}


def _words(hint: Any) -> str:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return " or ".join(_words(part) for part in get_args(hint))
    if origin is Literal:
        return "one of " + ", ".join(repr(choice) for choice in get_args(hint))
    if origin is tuple:
        return f"a list, each {_words(get_args(hint)[0])}"
    return _WORDS[hint]
