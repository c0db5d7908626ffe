"""House bots: they get the observation, as any remote player does."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...game import Bot
from .views import Observation


def choose_random(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """Any legal action, each equally likely."""
    return legal[int(rng.random() * len(legal))]


BOTS: tuple[Bot[Observation], ...] = (Bot("random", "Random", "Any legal action, each equally likely.", choose_random),)
