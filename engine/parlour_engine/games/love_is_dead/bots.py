"""House bots: they see what their seat sees."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...game import Bot
from .state import Observation


def uniform(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """Any legal action, evenly."""
    return legal[int(rng.random() * len(legal))]


BOTS: tuple[Bot[Observation], ...] = (Bot("random", "Random", "plays anything legal", uniform),)
