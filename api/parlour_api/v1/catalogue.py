"""GET /v1/games, /v1/games/{game}, /v1/bots: what can be played, and by whom."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

import orjson
from flask import Response
from parlour_engine.errors import BadOption
from parlour_engine.game import AnyGame
from pydantic import TypeAdapter

from ..catalogue import fields_of
from ..errors import GameNotFound, RateLimited, ValidationError
from .http import Routes, answer, page_of, service
from .schemas import BotsAnswer, GameDetailAnswer, GameQuery, GamesAnswer, PageQuery

blp = Routes(
    "catalogue",
    __name__,
    url_prefix="/v1",
    description="What can be played, and by which house bots.",
    always=(ValidationError, RateLimited),
)


def _bots(game: AnyGame) -> list[dict[str, str]]:
    return [{"id": bot.id, "title": bot.title, "strength": bot.strength} for bot in game.bots]


def _game(game: AnyGame) -> dict[str, Any]:
    schema = TypeAdapter(game.options_type).json_schema()
    schema["additionalProperties"] = False
    schema["properties"]["deck"]["enum"] = list(game.decks.names())
    return {
        "id": game.slug,
        "title": game.title,
        "version": game.version,
        "summary": game.summary,
        "seats": {"min": game.seats[0], "max": game.seats[-1]},
        "decks": list(game.decks.names()),
        "options_schema": schema,
        "bots": _bots(game),
    }


@lru_cache(maxsize=64)
def _detail(game: AnyGame, deck: str, _decks: tuple[str, ...]) -> bytes:
    """A game's page with one deck; cached, since it changes only with the server and the decks on its shelf."""
    return orjson.dumps(
        {
            **_game(game),
            "kinds": game.kinds,
            "deck": deck,
            "data": game.public_data(replace(game.options_type(), deck=deck)),
            "actions": {str(seats): [fields_of(action) for action in game.actions(seats)] for seats in game.seats},
            "rules": _rules("games", game.slug),
            "common_rules": _rules(),
        }
    )


def _rules(*folder: str) -> str:
    return files("parlour_engine").joinpath(*folder, "RULES.md").read_text("utf-8")


@blp.route("/games")
@blp.arguments(PageQuery(), location="query")
@blp.answers(200, GamesAnswer, "A page of the games.")
def list_games(query: dict[str, Any]) -> Response:
    """Every game: seats, options as JSON Schema, bots that can play it."""
    return page_of([_game(game) for game in service().catalogue], **query)


@blp.route("/games/<game>")
@blp.arguments(GameQuery(), location="query")
@blp.answers(200, GameDetailAnswer, "The game.", GameNotFound)
def get_game(query: dict[str, Any], game: str) -> Response:
    """One game with the cards and boards of a deck, its rules with [book]/[house] marks and its action space.

    `deck` is a match's `options.deck`; without it, the deck that a match has when none is named.
    """
    found = service().catalogue.find(game)
    deck = query["deck"] or found.options_type().deck
    try:
        found.decks[deck]
    except BadOption as error:
        raise ValidationError(errors=[{"pointer": "/deck", "detail": error.message}]) from None
    return answer(_detail(found, deck, found.decks.names()))


@blp.route("/bots")
@blp.arguments(PageQuery(), location="query")
@blp.answers(200, BotsAnswer, "A page of the house bots.")
def list_bots(query: dict[str, Any]) -> Response:
    """Every house bot, with the game that it plays and how long it thinks."""
    low, high = service().settings.bot_answer_s
    more = {"think_time_s": {"min": low, "max": high}}
    bots = [{"game": game.slug, **bot, **more} for game in service().catalogue for bot in _bots(game)]
    return page_of(bots, **query)
