"""What an HTTP server process loads: the app, and an ear for the signal that stops it.

Long polls and streams would hold a stopping server for its whole grace period. They end as soon as the signal is heard:
a poll with "nothing new", a stream so that its client connects again.
"""

from __future__ import annotations

import os
import signal
import threading

from flask import Flask

from .app import create_app
from .wake import Hub


def create() -> Flask:
    """The app of this process; call it in the main thread, as granian and gunicorn do."""
    app = create_app()
    _close_on_stop(app.extensions["parlour"].hub)
    return app


def _close_on_stop(hub: Hub) -> None:
    """Let every waiter go on SIGTERM or SIGINT, whoever handles the signal itself."""
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)

    def listen() -> None:
        while number := os.read(heard, 1):
            if number[0] in (signal.SIGTERM, signal.SIGINT):
                hub.close()
                return

    threading.Thread(target=listen, name="stop", daemon=True).start()
