"""Valente: O amor em jogo, for two to four seats. The rules are in RULES.md and, in the same order, in rules.py."""

from __future__ import annotations

from ...game import Game
from .actions import Action, actions
from .bots import BOTS
from .codec import dump, load
from .deck import DECKS
from .observe import clone, determinize, observe
from .rules import (
    apply,
    check_options,
    deal,
    default_action,
    forfeit,
    legal_actions,
    outcome,
    pending,
)
from .state import KINDS, SEATS, Event, Observation, Options, State
from .words import explain, label, public_data

__all__ = ["GAME", "Action", "Event", "Observation", "Options", "State"]

GAME: Game[Options, State, Action, Observation, Event] = Game(
    slug="valente",
    title="Valente",
    version="1",
    summary="Build comic strips, lead a little dog's heart to one of two loves, publish the strip that declares it.",
    seats=SEATS,
    kinds=KINDS,
    options_type=Options,
    action_type=Action,
    observation_type=Observation,
    event_type=Event,
    decks=DECKS,
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
    public_data=public_data,
)
