"""Log records as lines: text for people, or one JSON object each for machines. Never a token, a ticket or a seed.

Nothing in the code logs one. Should one come along all the same, in somebody's path or a library's message, its line
shows ``[secret]`` in its place.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any

import orjson

from .settings import Settings

_SECRET = re.compile(
    r"(?:seat_[0-9]{1,2}|host)_[A-Za-z0-9_-]{32}|tkt_[a-z2-7]{8,}|key_[A-Za-z0-9_-]{24,}|whsec_[A-Za-z0-9+/=]{8,}|(?<![0-9a-fA-F])[0-9a-fA-F]{32,}"
)
"""A seat's or host's token, a stream ticket, an API key, a webhook's secret, a seed or entropy in hex."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What could begin a line of its own, or move a terminal's cursor."""

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; anything else was given as ``extra``."""


def set_up(settings: Settings) -> None:
    """Send this process's records to its standard error, as the settings say. Called once, where a process begins."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Json() if settings.log == "json" else Text())
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)  # for libraries
    server = logging.getLogger("_granian")
    server.handlers.clear()
    server.propagate = True
    for name in ("parlour_api", "parlour_worker"):
        logging.getLogger(name).setLevel(settings.log_level.upper())


def without_secrets(text: str) -> str:
    """The text with anything that looks like a secret of ours taken out."""
    return _SECRET.sub("[secret]", text)


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _OWN}


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class Json(logging.Formatter):
    """One JSON object a line: time, level, logger, message, whatever the record adds, and the traceback if any."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_extra(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        try:
            text = orjson.dumps(line, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
        except TypeError:  # text that is no Unicode, or a number of more than 64 bits
            text = json.dumps(line, default=str)
        return without_secrets(text)


class Text(logging.Formatter):
    """Time, level, logger, message, and what the record adds as name=value; a traceback below."""

    def format(self, record: logging.LogRecord) -> str:
        more = "".join(f" {name}={value}" for name, value in _extra(record).items())
        line = f"{_time(record)} {record.levelname:<7} {record.name}: {record.getMessage()}{more}"
        line = _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), line)
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return without_secrets(line)
