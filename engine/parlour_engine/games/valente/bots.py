"""House bots of Valente. They know what an observation says, nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...game import Bot
from .state import Observation


def choose_random(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """Any legal action, each equally likely."""
    return legal[int(rng.random() * len(legal))]


BOTS: tuple[Bot[Observation], ...] = (
    Bot("random", "Random", "Plays any legal action; for tests and for a first win.", choose_random),
)
