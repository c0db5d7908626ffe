"""Starts child processes, watches them, restarts one that dies, and stops them all in order."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

log = logging.getLogger(__name__)

CHECK_S = 0.1
GIVE_UP_DEATHS = 5
GIVE_UP_WITHIN_S = 10.0


class CannotServe(Exception):
    """The service cannot start or go on; the message says why and what would help."""


@dataclass(slots=True)
class Child:
    """A process to keep running."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    stop_within_s: float = 8.0
    process: subprocess.Popen[bytes] | None = None
    deaths: list[float] = field(default_factory=list)


class Supervisor:
    """Children in the order of their start; they are stopped the other way round."""

    def __init__(self) -> None:
        self._children: list[Child] = []
        self._stopping = False

    def start(self, child: Child) -> None:
        """Start a child and keep it running from now on."""
        self._children.append(child)
        self._launch(child)

    def _launch(self, child: Child) -> None:
        child.process = subprocess.Popen(  # noqa: S603 - our own command lines
            child.command,
            env=dict(child.env),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops the children in order
            preexec_fn=partial(_die_with_parent, os.getpid()) if sys.platform == "linux" else None,
        )

    def wait_until(self, ready: Callable[[], bool], what: str, within_s: float) -> None:
        """Wait until ``ready()``; raises CannotServe when it takes too long or a child dies first."""
        until = time.monotonic() + within_s
        while not ready():
            for child in self._children:
                if child.process is not None and child.process.poll() is not None:
                    raise CannotServe(
                        f"{child.name} ended with status {child.process.returncode} while starting; see above"
                    )
            if self._stopping:
                raise KeyboardInterrupt
            if time.monotonic() > until:
                raise CannotServe(f"{what} did not answer within {within_s:.0f} s")
            time.sleep(0.03)

    def watch(self) -> None:
        """Keep the children running until a stop signal; raises CannotServe if one keeps dying."""
        while not self._stopping:
            time.sleep(CHECK_S)
            for child in self._children:
                if child.process is None or child.process.poll() is None or self._stopping:
                    continue
                now = time.monotonic()
                child.deaths = [at for at in child.deaths if at > now - GIVE_UP_WITHIN_S] + [now]
                if len(child.deaths) >= GIVE_UP_DEATHS:
                    raise CannotServe(f"{child.name} died {GIVE_UP_DEATHS} times within {GIVE_UP_WITHIN_S:.0f} s")
                log.warning("%s ended with status %s; starting it again", child.name, child.process.returncode)
                _kill_group(child.process)
                self._launch(child)

    def stop_on_signals(self) -> None:
        """SIGTERM and SIGINT end ``watch``."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def stop(self) -> None:
        """Stop every child, the last one started first; one that does not listen is killed."""
        self._stopping = True
        for child in reversed(self._children):
            process = child.process
            if process is None:
                continue
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(child.stop_within_s)
            _kill_group(process)
            process.wait()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of a child and of the processes that it started itself."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _die_with_parent(parent: int) -> None:
    """In the child, before it runs: have the kernel end it when the supervisor is gone, however that went."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler of ours would take it, and be gone with the program
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # killed before that
        os._exit(1)
