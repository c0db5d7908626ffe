"""What happened, in sentences: an event as a line of a log that a person reads.

One table for all games: an event's type, and what to say of it. The first sentence whose every field is known is
taken, so one that tells a hidden card comes before one that does not. An event that is in no table is told by its
type and its fields, which reads a little stiff, and is never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from .models import GameDetail, Raw
from .shown import shown

PEOPLE = frozenset({"seat", "target", "owner", "main_character", "winners", "couple", "contestants", "contestant"})
"""Fields that hold seats."""
CARDS = frozenset({"card", "cards", "their_card", "gave", "took"})
"""Fields that hold cards."""
UNTOLD = frozenset({"decision_opened", "ended", "season_ended", "match_finished"})
"""Not told: what the log shows anyway, and endings, which whoever prints the log tells in full."""
HEADINGS = frozenset({"turn_began", "episode_began"})

SENTENCES: Mapping[str, Sequence[str]] = {
    # The service
    "match_started": ("The cards are dealt.",),
    "seat_changed": ("{name} is played by a {played_by} now.", "{seat} is free."),
    "message": ("{seat} whispers to {to}: “{text}”", "{seat}: “{text}”"),
    "clock": ("The time of {seat} is up.",),
    # More than one game
    "turn_began": ("Round {round}: {seat}", "Turn {turn}: {seat}"),
    "passed": ("{seat} does nothing ({phase}).", "{seat} can do nothing."),
    "drew": ("{seat} draws {cards}.", "{seat} draws {count:cards}."),
    "discarded": ("{seat} discards {cards}.", "{seat} discards {card}."),
    "forfeited": ("{seat} can no longer win.",),
    # Valente
    "bought": ("{seat} buys from the {source}: {card}.", "{seat} buys the top card of the {source}."),
    "laid": ("{seat} lays on strip {strip:place}: {card}",),
    "shuffled": ("The discard pile becomes the new deck: {cards:count}.",),
    "trust_changed": ("The trust of {seat} goes to {trust} ({reason}).",),
    "scouted": ("{seat} scouts {cards}.", "{seat} scouts {count:cards}."),
    "kept": ("{seat} keeps {card}.", "{seat} keeps one of them."),
    "torn": ("{seat} tears a card off a strip of {owner}: {card}",),
    "declared": (
        "{seat} declares Valente's heart: it is {love}'s.",
        "{seat} declares Valente's heart, and it is nobody's yet.",
    ),
    "salvaged": ("{seat} takes out of the discard pile: {card}",),
    # Love Is Dead
    "reshuffled": ("The discard pile becomes the new deck: {count:cards}.",),
    "made_a_move": ("{seat} makes a move: {card}.",),
    "took_old_flame": ("{seat} takes {card} from the discard pile.",),
    "picked_up": ("{seat} takes {card} from the hand of {target}.", "{seat} takes a card from the hand of {target}."),
    "boos_returned": ("Back into the dating pool: {boos}.",),
    "boos_turned_up": ("In the dating pool: {boos}.",),
    "swapped": ("{seat} swaps {card} for {their_card} of {target}.",),
    "played": ("{seat} shows {card}.",),
    "paired": ("{seat} pairs {card} with the card in space {space:place}.",),
    "dealbreaker_played": ("{seat} plays {card} on {target}'s match with {boo}.", "{seat} plays {card} on {target}."),
    "dealbreaker_removed": ("{seat} is rid of {card}.",),
    "emptied": ("{seat} empties space {space:place}: {cards}.",),
    "moved_up": ("A card of {seat} moves up to space {to:place}.",),
    "matched": ("{seat} matches with {boo}!",),
    "revealed": ("{seat} reveals {endgame}: Hearts {hearts:signed}.",),
    # Lovestruck
    "episode_began": ("Episode {episode}: {episode_type}. The main character is {main_character}.",),
    "cards_drawn": ("{seat} draws {cards}.", "{seat} draws {count:cards}."),
    "deck_shuffled": ("The discard pile becomes the new deck: {cards:count}.",),
    "turn_taken": ("{seat}: {action}, with {target}.", "{seat}: {action}."),
    "card_paid": ("{seat} pays {card}.",),
    "card_discarded": ("{seat} discards {card}.",),
    "card_revealed": ("{seat} shows {card} to all.",),
    "couple_offered": ("{seat} asks {target} to couple up, and would pay {share} of the three Love cards.",),
    "offer_countered": ("{seat} would pay {share} of them instead.",),
    "offer_answered": ("{seat} says {accepted}.",),
    "couple_formed": ("{couple} are a couple.",),
    "couple_broken": ("{couple} are a couple no more.",),
    "viewership_changed": ("Viewership is at {viewership}.",),
    "intention_seen": (
        "{seat} looks at the Intention of {target}: {intention}.",
        "{seat} looks at the Intention of {target}.",
    ),
    "hand_seen": ("{seat} looks at the hand of {target}: {cards}.", "{seat} looks at the hand of {target}."),
    "signals_mixed": (
        "{seat} gives {gave} to {target} and takes {took}.",
        "{seat} and {target} swap a card that nobody else sees.",
    ),
    "contestant_chosen": ("{seat} sends {contestant} on the date.",),
    "date_began": ("{contestants} go on a date.",),
    "date_card_laid": ("{seat} lays {card} face down.", "{seat} lays a card face down."),
    "bombshell_thrown": ("{seat} throws {card} aside.",),
    "date_sat_out": ("{seat} has nothing to lay.",),
    "date_revealed": ("The date: {cards}.",),
    "seat_forfeited": ("{seat} can no longer win.",),
}


class Narrator:
    """Tells the events of one match: it knows the names of its seats and, from the data of its deck, its cards."""

    def __init__(self, names: Sequence[str], game: GameDetail) -> None:
        self._names = names
        self._words: dict[Any, str] = {}
        self._reach = 0
        track = game.data.get("heart_track")
        if isinstance(track, Mapping):
            self._reach = max((abs(end) for end in track.values() if isinstance(end, int)), default=0)
        self._learn(game.data)

    def _learn(self, data: Any) -> None:
        """Every thing of the public data that has an id and something to call it by."""
        if isinstance(data, Mapping):
            called = next((data[key] for key in ("name", "title") if isinstance(data.get(key), str)), None)
            if called is None and isinstance(data.get("caption"), str):
                called = f"“{data['caption']}”"
            if "id" in data and called is not None:
                self._words[data["id"]] = called
            data = list(data.values())
        if isinstance(data, (list, tuple)):
            for part in data:
                self._learn(part)

    def is_heading(self, event: Any) -> bool:
        """Whether something begins with this event."""
        return event.type in HEADINGS

    def tell(self, event: Any) -> list[str]:
        """The event in lines, fit to be printed; none if it needs no telling."""
        return [shown(line) for line in self._lines(event)]

    def _lines(self, event: Any) -> list[str]:
        what = dict(event.fields) if isinstance(event, Raw) else {f.name: getattr(event, f.name) for f in fields(event)}
        kind = str(what.pop("type", None) or "something")
        if kind in UNTOLD:
            return []
        if kind in _DRAWN:
            try:
                return _DRAWN[kind](self, what)
            except KeyError:  # another game's event of that name
                pass
        if kind == "message" and what.get("to") is not None:
            what["to"] = [self._say("seat", seat) for seat in what["to"]]
        told = {name: _Said(value, self._say(name, value)) for name, value in what.items() if value is not None}
        for sentence in SENTENCES.get(kind, ()):
            try:
                return [sentence.format_map(told)]
            except KeyError:
                continue
        return [self._plainly(kind, what)]

    def _plainly(self, kind: str, what: Mapping[str, Any]) -> str:
        who = self._say("seat", what["seat"]) + ": " if isinstance(what.get("seat"), int) else ""
        rest = ", ".join(
            f"{name.replace('_', ' ')} {self._say(name, value)}"
            for name, value in what.items()
            if name != "seat" and value is not None
        )
        return f"{who}{kind.replace('_', ' ')}" + (f" ({rest})" if rest else "")

    def _say(self, name: str, value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return self._list(name, value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int):
            if name in PEOPLE:
                return self._names[value] if 0 <= value < len(self._names) else f"seat {value}"
            return self._words.get(value, str(value)) if name in CARDS else str(value)
        if isinstance(value, str):
            spaced = value.replace("_", " ")
            return self._words.get(value) or (spaced.title() if name in CARDS else spaced)
        return str(value)

    def _list(self, name: str, values: Sequence[Any]) -> str:
        words = [self._say(name, part) for part in values]
        return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "nothing"

    # Events that are drawn rather than told

    def _published(self, what: Mapping[str, Any]) -> list[str]:
        cards = [self._say("card", card).strip("“”") for card in what["cards"]]
        width = max(map(len, cards))
        return [
            f"{self._say('seat', what['seat'])} publishes a strip:",
            f"  ┌─{'─' * width}─┐",
            *(f"  │ {card:<{width}} │" for card in cards),
            f"  └─{'─' * width}─┘",
        ]

    def _heart_moved(self, what: Mapping[str, Any]) -> list[str]:
        heart, reach = what["heart"], max(self._reach, abs(what["heart"]))
        track = "".join("♥" if place == heart else "·" for place in range(-reach, reach + 1))
        moved = "The heart moves" if what["spaces"] else "The heart stays"
        return [f"{moved}:  Princesa {track} Dama"]


_DRAWN: Mapping[str, Callable[[Narrator, Mapping[str, Any]], list[str]]] = {
    "published": Narrator._published,
    "heart_moved": Narrator._heart_moved,
}


class _Said:
    """A field of a sentence: in words, or by a format of its own: ``place``, ``cards``, ``count``, ``signed``."""

    def __init__(self, value: Any, words: str) -> None:
        self._value = value
        self._words = words

    def __format__(self, spec: str) -> str:
        match spec:
            case "place":  # people count from 1
                return str(self._value + 1)
            case "cards" | "count":
                return f"{self._value} card{'' if self._value == 1 else 's'}"
            case "signed":
                return f"{self._value:+d}"
        return self._words
