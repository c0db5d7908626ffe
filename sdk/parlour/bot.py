"""Playing a seat to the end: wait, choose, act, and go on through lost answers, refusals and restarts."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from parlour_engine.errors import EngineError
from parlour_engine.games import find

from .client import Action, Seat
from .errors import IllegalAction, MatchOver, Refused
from .models import Event, LegalAction, Observation, Raw
from .retry import Patience

Choose: TypeAlias = Callable[[Observation[Any]], Action | Sequence[Action]]
"""What a bot is: from an observation whose ``decision`` is not None, the action to take, or a list of them."""


def play(
    seat: Seat,
    choose: Choose,
    *,
    on_event: Callable[[Event], object] | None = None,
    patience_s: float = 120.0,
    illegal_limit: int = 3,
    wait_s: float = 30.0,
) -> Observation[Any]:
    """Play a seat until its match is over; the last observation, with the ``outcome``.

    Waits by long poll until the seat owes a decision, asks ``choose`` and acts. An act whose answer was lost is sent
    again, and never happens twice. A refusal (the clock was faster, another client acted) brings the fresh observation
    with it, and ``choose`` is asked again. A seat that a house bot was given meanwhile is taken back. ``on_event`` is
    told every event that the seat sees, in order, once.

    It ends in no other way than these: the match is over; ``choose`` or ``on_event`` raises; the server cannot be
    reached for ``patience_s`` and the time of one call (``ConnectionFailed``, ``Unavailable``, ``RateLimited``, or
    ``UnexpectedAnswer`` when something else answers in its place; until then restarts, proxies' pages and a 429 are
    waited out, and one whose ``retry_after_s`` is more than is left of it comes at once); ``choose`` gives what JSON
    cannot say (``ValueError``), or ``illegal_limit`` times in a row an action that is not legal (``IllegalAction``); or
    the API refuses for good (``WrongToken``, ``MatchNotFound``, ``ValidationError`` ...).
    """
    patient = Patience(patience_s)
    returning = True
    told = 0
    refused = 0
    observation = patient(seat.observe)
    while True:
        if on_event is not None:
            for event in patient(_news, seat, told, observation.game):
                told = event.seq
                on_event(event)
        if observation.is_over:
            return observation
        if returning and observation.status == "playing":
            returning = False
            with suppress(MatchOver):
                patient(seat.take_back)
        decision = observation.decision
        if decision is None:
            changed = patient(seat.wait, observation.version, wait_s)
            observation = changed or observation
            continue
        answer = choose(observation)
        try:
            observation = patient(seat.act, answer, decision=decision).observation
            refused = 0
        except Refused as error:
            returning = not isinstance(error, IllegalAction)
            observation = error.observation or patient(seat.observe)
            still_owed = observation.decision is not None and observation.decision.id == decision.id
            refused = refused + 1 if still_owed else 0
            if still_owed and (refused >= illegal_limit or not isinstance(error, IllegalAction)):
                raise


def _news(seat: Seat, after: int, game: str) -> list[Event]:
    return list(seat.events(after, game=game))


# Ready-made choices.


def choose_random(seed: int | None = None) -> Choose:
    """Any legal action, each equally likely; with a seed the same ones each time."""
    rng = random.Random(seed)

    def choose(observation: Observation[Any]) -> LegalAction:
        return rng.choice(_legal(observation))

    return choose


def house_bot(game: str, bot: str | None = None, *, seed: int | None = None) -> Choose:
    """A game's own bot, thinking in this process; without ``bot`` the strongest. Raises ValueError if there is none.

    It needs the rules that the match is played under: an observation of other rules makes it raise ValueError.
    """
    try:
        rules = find(game)
    except EngineError as error:
        raise ValueError(str(error)) from None
    found = next((each for each in rules.bots if each.id == (bot or rules.bots[-1].id)), None)
    if found is None:
        raise ValueError(f"{game} has no bot {bot!r}; there are: {', '.join(each.id for each in rules.bots)}")
    rng = random.Random(seed)

    def choose(observation: Observation[Any]) -> LegalAction:
        if isinstance(observation.view, Raw) or (observation.game, observation.game_version) != (game, rules.version):
            raise ValueError(
                f"this bot plays {game} {rules.version}; the match is {observation.game} {observation.game_version}"
            )
        legal = _legal(observation)
        number = found.choose(observation.view, [action.id for action in legal], rng)
        return next(action for action in legal if action.id == number)

    return choose


def _legal(observation: Observation[Any]) -> tuple[LegalAction, ...]:
    if observation.decision is None:
        raise ValueError("the seat owes no decision")
    return observation.decision.legal_actions
