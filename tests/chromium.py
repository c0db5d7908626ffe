"""The Chromium that the tests drive, or what to install: ``make test`` asks before it runs anything."""

from __future__ import annotations

import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "The tests drive examples/browser in a Chromium, and there is none on the PATH "
    f"(looked for {', '.join(NAMES)}).\nOn Debian and Ubuntu: apt install chromium"
)


def chromium() -> str | None:
    """Where it is; None: not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


if __name__ == "__main__":
    sys.exit(None if chromium() else MISSING)
