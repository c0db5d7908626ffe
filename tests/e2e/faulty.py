"""The real processes, with one addition: at a chosen point they look whether a test wants them dead, and obey.

A test sets ``fault:<who>:<point>`` in Redis; the next process to come by takes the key and sends itself SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import redis
from flask import Flask
from parlour_api.app import create_app as real_app
from parlour_api.service import Service
from parlour_api.settings import read_settings
from parlour_worker import jobs
from parlour_worker.run import run

POINTS = ("after_load", "after_commit", "before_enqueue", "after_enqueue")


def plant(service: Service, who: str) -> None:
    """Wrap what the service does to the outside; nothing inside it changes."""
    faults = redis.Redis.from_url(read_settings().redis_url)

    def die(point: str) -> None:
        if faults.getdel(f"fault:{who}:{point}"):
            os.kill(os.getpid(), signal.SIGKILL)

    store, queue = service.store, service.jobs
    real_load, real_commit, real_enqueue = store.load, store.commit, queue.play_bots

    def load(match_id: str, decision: str | None = None) -> Any:
        stored = real_load(match_id, decision)
        if who != "api" or decision is not None:
            die("after_load")
        return stored

    def commit(change: Any) -> int | None:
        done = real_commit(change)
        if done is not None and change.version > 1:
            die("after_commit")
        return done

    def play_bots(match_id: str, name: str) -> None:
        die("before_enqueue")
        real_enqueue(match_id, name)
        die("after_enqueue")

    store.load, store.commit, queue.play_bots = load, commit, play_bots  # type: ignore[method-assign]


def create_app() -> Flask:
    """The real app, planted."""
    app = real_app()
    plant(app.extensions["parlour"], "api")
    return app


if __name__ == "__main__":
    plant(jobs.service(), sys.argv[1])
    run(sys.argv[1])
