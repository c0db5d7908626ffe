"""How a command of some length ends when it is told to: Ctrl-C, a terminal that closes, ``kill``."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any

from .local import ENDS


class Ending:
    """Within the ``with`` the first signal that ends a process raises SystemExit, with the status that a shell expects.

    Further ones disturb nothing: who presses Ctrl-C again does not keep the command from putting things in order.
    """

    def __init__(self) -> None:
        self.deaf = False
        self.status = 0

    def __enter__(self) -> Ending:
        wanted = [n for n in ENDS if n != signal.SIGHUP or signal.getsignal(n) != signal.SIG_IGN]  # as nohup has it
        self._before: dict[int, Any] = {number: signal.signal(number, self) for number in wanted}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():  # Python takes handlers away before it has come to its end
            signal.signal(number, signal.SIG_IGN if self.status else handler)

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        if not self.deaf:
            self.deaf = True
            self.status = 128 + number
            sys.exit(self.status)

    def check(self) -> None:
        """End it now if a signal should have: an exception is lost that comes while an object is being removed."""
        if self.status:
            sys.exit(self.status)
