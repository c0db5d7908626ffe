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
from typing import Any

from .errors import ParlourError

START_S = 60.0
STOP_S = 20.0
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
        process = subprocess.Popen(  # noqa: S603 - our own command line
            [sys.executable, "-m", "parlour", "serve", "--port", "0", "--data-dir", folder],
            env={name: value for name, value in os.environ.items() if not name.startswith("PARLOUR_")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C is for this process, which then stops the service in order
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
        try:
            yield _wait(process)
        finally:
            _stop(process)


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
    main = threading.current_thread() is threading.main_thread()
    before: dict[int, Any] = {}
    if main:
        before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _die_with_parent() -> None:
    """In the child, before it runs: have the kernel stop it when this process is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
