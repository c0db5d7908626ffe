"""The Python SDK of parlour: a client for its API, and a loop that plays a seat.

::

    from parlour import Client, play

    created = Client("http://127.0.0.1:8080").create("valente", ["mine", "bot"])
    final = play(created.seats[0], lambda observation: observation.decision.legal_actions[0])
"""

from __future__ import annotations

from . import errors
from .bot import Choose, choose_random, house_bot, play
from .client import Client, Created, Host, NewSeat, Seat, Viewer
from .errors import ApiError, ConnectionFailed, ParlourError, UnexpectedAnswer
from .fairness import Check, examine, verify
from .models import (
    Acted,
    Applied,
    Attempt,
    Awaiting,
    BotInfo,
    ClockRule,
    Decision,
    Delivery,
    Event,
    GameDetail,
    GameInfo,
    LegalAction,
    Match,
    Message,
    NewWebhook,
    Observation,
    Outcome,
    Raw,
    Replay,
    ReplayView,
    SeatInfo,
    Webhook,
)

__all__ = [
    "Acted", "ApiError", "Applied", "Attempt", "Awaiting", "BotInfo", "Check", "Choose", "Client", "ClockRule",
    "ConnectionFailed", "Created", "Decision", "Delivery", "Event", "GameDetail", "GameInfo", "Host", "LegalAction",
    "Match", "Message", "NewSeat", "NewWebhook", "Observation", "Outcome", "ParlourError", "Raw", "Replay",
    "ReplayView", "Seat", "SeatInfo", "UnexpectedAnswer", "Viewer", "Webhook", "choose_random", "errors", "examine",
    "house_bot", "play", "verify",
]  # fmt: skip
