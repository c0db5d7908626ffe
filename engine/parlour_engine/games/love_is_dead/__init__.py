"""Love Is Dead: match with ghosts; three matches end the game, most Hearts win."""

from __future__ import annotations

from typing import Any

from ...game import Game
from .bots import BOTS
from .decks import SHELF, public_data
from .observe import determinize, observe
from .rules import (
    actions,
    apply,
    check_options,
    deal,
    default_action,
    forfeit,
    legal_actions,
    outcome,
    pending,
)
from .state import KINDS, SEATS, Action, Event, Observation, Options, State
from .stored import clone, dump, load
from .words import NAMES, explain, label, texts

__all__ = ["GAME", "Action", "Event", "Observation", "Options", "State"]


def _public_data(options: Options) -> dict[str, Any]:
    deck = SHELF[options.deck]
    return {"names": NAMES, "texts": texts(deck), **public_data(deck)}


GAME: Game[Options, State, Action, Observation, Event] = Game(
    slug="love_is_dead",
    title="Love Is Dead",
    version="1",
    summary="Match with ghosts by showing the traits they want; three matches end the game, most Hearts win.",
    seats=SEATS,
    kinds=KINDS,
    options_type=Options,
    action_type=Action,
    observation_type=Observation,
    event_type=Event,
    decks=SHELF,
    bots=BOTS,
    check_options=check_options,
    actions=actions,
    label=label,
    deal=deal,
    pending=pending,
    legal_actions=legal_actions,
    apply=apply,
    observe=observe,
    determinize=determinize,
    clone=clone,
    default_action=default_action,
    explain=explain,
    forfeit=forfeit,
    outcome=outcome,
    dump=dump,
    load=load,
    public_data=_public_data,
)
