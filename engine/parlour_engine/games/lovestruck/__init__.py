"""Lovestruck: couples, dates and two sorts of reasons, for five to ten."""

from __future__ import annotations

from typing import Any

from ...game import Game
from .bots import BOTS
from .cards import CARDS, TEXTS, TITLES
from .codec import clone, dump, load
from .events import Event
from .legal import default_action, legal_actions
from .names import KINDS
from .observe import determinize, observe
from .rules import apply, check_options, deal, forfeit, outcome, pending
from .season import SEASONS, SEATS
from .space import Action, typed_actions
from .state import State
from .views import Observation, Options
from .words import explain, label

__all__ = ["GAME", "Action", "Event", "Observation", "Options", "State"]


def public_data(options: Options) -> dict[str, Any]:
    """[LS-1..LS-5] Cards, board, intentions by players and contestants of the season that the options name."""
    season = SEASONS[options.deck]
    return {
        "cards": [
            {"id": card, "title": TITLES[card], "text": TEXTS[card], "count": count}
            for card, count in zip(CARDS, season.mix, strict=True)
        ],
        "board": [
            {"episode": place, "type": each.type, "number": each.number} for place, each in enumerate(season.board, 1)
        ],
        "intentions": {
            str(seats): {"right": right, "wrong": wrong} for seats, (right, wrong) in season.intentions.items()
        },
        "contestants": [{"id": each.id, "name": each.name, "about": each.about} for each in season.contestants],
    }


GAME: Game[Options, State, Action, Observation, Event] = Game(
    slug="lovestruck",
    title="Lovestruck",
    version="1",
    summary="End the season in a couple with someone who is here for the Right reasons, or drive the ratings to ten.",
    seats=SEATS,
    kinds=KINDS,
    options_type=Options,
    action_type=Action,
    observation_type=Observation,
    event_type=Event,
    decks=SEASONS,
    bots=BOTS,
    check_options=check_options,
    actions=typed_actions,
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
