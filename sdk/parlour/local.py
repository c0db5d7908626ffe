"""A whole parlour service as a child of this process, for a demo, a notebook, a test."""

from __future__ import annotations

import ctypes
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from .errors import ParlourError

START_S = 150.0
STOP_S = 60.0
"""Longer than the service takes if none of its processes listens, and it has to kill one after the other."""
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a process."""
_READY = re.compile(r"parlour is ready at (http://\S+)")


class ServiceNotStarted(ParlourError):
    """``parlour serve`` did not come up; the message holds what it said."""


@contextmanager
def local_service() -> Iterator[str]:
    """``parlour serve`` on a free port, in a temporary folder, for the length of a ``with``; its address.

    Nothing outlives it: the service is stopped at the end, however that comes, and its folder removed. Raises
    ServiceNotStarted.
    """
    with tempfile.TemporaryDirectory(prefix="parlour-") as folder:
        process = None
        try:
            with signals_wait():  # else one that comes now leaves a child of which nobody knows
                process = _start(folder)
            yield _wait(process)
        finally:
            if process is not None:
                _stop(process)


def _start(folder: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own command line
        [sys.executable, "-m", "parlour", "serve", "--port", "0", "--data-dir", folder],
        env={name: value for name, value in os.environ.items() if not name.startswith("PARLOUR_")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # Ctrl-C is for this process, which then stops the service in order
        preexec_fn=partial(_die_with_parent, os.getpid()) if sys.platform == "linux" else None,
    )


@contextmanager
def signals_wait() -> Iterator[None]:
    """Signals that come within the ``with`` have their effect at its end."""
    if threading.current_thread() is not threading.main_thread():  # no signal comes to another
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in ENDS}
    try:
        yield
    finally:
        for caught, handler in before.items():
            signal.signal(caught, handler)
        for number in came:
            signal.raise_signal(number)


def _wait(process: subprocess.Popen[str]) -> str:
    """The address that the service prints once it is ready."""
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read, args=(process, lines), daemon=True).start()
    said: list[str] = []
    until = time.monotonic() + START_S
    while True:
        try:
            line = lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise ServiceNotStarted(_not_started(f"was not ready within {START_S:.0f} s", said)) from None
        if line is None:
            status = process.wait()
            raise ServiceNotStarted(_not_started(f"ended with status {status} while starting", said))
        said.append(line)
        ready = _READY.search(line)
        if ready:
            return ready[1]


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            lines.put(line)
    lines.put(None)


def _not_started(what: str, said: list[str]) -> str:
    told = "".join(f"\n  {line.rstrip()}" for line in said[-20:])
    return f"the service (parlour serve) {what}" + (f"; it said:{told}" if told else "")


def _stop(process: subprocess.Popen[str]) -> None:
    """Stop the service and all of its processes. A second Ctrl-C must not leave half of them behind."""
    with signals_wait():
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _die_with_parent(parent: int) -> None:
    """In the child, before it runs: have the kernel stop it when this process is killed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler of ours would take it, and be gone with the program
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # killed before that
        os._exit(1)
