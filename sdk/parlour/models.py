"""What the API answers, as frozen dataclasses.

A newer server may say more than this SDK knows: fields that it does not know are left out, an event, a view or an
action whose type it does not know is kept as it came, as a ``Raw``. Words that the API may add to (``status``,
``on_expiry``) are plain strings here, with today's values in the docstring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from parlour_engine.errors import GameNotFound
from parlour_engine.game import Outcome
from parlour_engine.games import find
from pydantic import TypeAdapter, ValidationError

from .errors import UnexpectedAnswer

__all__ = [
    "Acted", "Applied", "Attempt", "Awaiting", "BotInfo", "ClockExpired", "ClockRule", "Decision", "DecisionOpened",
    "Delivery", "Event", "GameDetail", "GameInfo", "Kind", "LegalAction", "Match", "MatchFinished", "MatchStarted",
    "Message", "MessageHeard", "NewWebhook", "Observation", "Outcome", "Raw", "Replay", "ReplayView", "SeatChanged",
    "SeatInfo", "SeatRange", "ServiceEvent", "ThinkTime", "Ticket", "Webhook",
]  # fmt: skip

V = TypeVar("V")
"""The view: the game's own observation dataclass, of ``parlour_engine.games``."""
T = TypeVar("T")

OVER = frozenset({"finished", "cancelled", "abandoned"})


@dataclass(frozen=True, slots=True)
class Raw:
    """Something typed that this SDK does not know: its ``type`` (None if it has none) and all that the server sent."""

    type: str | None
    fields: Mapping[str, Any]


# The catalogue.


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """From how few to how many seconds a house bot takes over an offer or a secret decision; all else is at once."""

    min: float
    max: float


@dataclass(frozen=True, slots=True)
class BotInfo:
    """A house bot; in ``client.bots()`` with the game that it plays and how long it thinks."""

    id: str
    title: str
    strength: str
    game: str | None = None
    think_time_s: ThinkTime | None = None


@dataclass(frozen=True, slots=True)
class SeatRange:
    """How few and how many can play."""

    min: int
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameInfo:
    """A game of the catalogue. ``options_schema`` is a JSON Schema; the strongest bot is the last one."""

    id: str
    title: str
    version: str
    summary: str
    seats: SeatRange
    decks: tuple[str, ...]
    options_schema: Mapping[str, Any]
    bots: tuple[BotInfo, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of decision. ``answering``: a reply to others, given in secret or out of turn."""

    name: str
    prompt: str
    answering: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDetail(GameInfo):
    """A game with its public data: ``data`` holds the cards and boards of ``deck``, ``actions`` the action space by
    number of seats, ``rules`` the numbered rules as Markdown, ``common_rules`` those that all games share (CM)."""

    kinds: tuple[Kind, ...]
    deck: str
    data: Mapping[str, Any]
    actions: Mapping[str, tuple[Mapping[str, Any], ...]]
    rules: str
    common_rules: str


# A match.


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """A place in a match. ``kind`` is whom it is for, ``played_by`` who answers its decisions now: human, bot, None.

    ``bank_s`` is what was left in its time bank when its last decision opened.
    """

    seat: int
    kind: str
    name: str
    bot: str | None
    taken: bool
    played_by: str | None
    forfeited: bool = False
    bank_s: float | None = None
    entropy_given: bool = False


@dataclass(frozen=True, slots=True)
class ClockRule:
    """The time that each seat has, by decision or as a bank for the whole match, or both; at least one of the two.

    ``on_expiry`` is what happens when it ends: bot_move, default_move or forfeit. After ``takeover_after`` such ends in
    a row a house bot plays the seat until its player comes back. What is None is left to the server.
    """

    per_decision_s: float | None = None
    on_expiry: str = "bot_move"
    bank_s: float | None = None
    increment_s: float | None = None
    takeover_after: int | None = None


@dataclass(frozen=True, slots=True)
class Awaiting:
    """A seat that owes a decision: since when, and until when if there is a clock."""

    seat: int
    since: datetime
    deadline: datetime | None
    on_expiry: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match as anyone may see it. ``status``: open, playing, finished, cancelled or abandoned.

    ``commitment`` is SHA-256 of the server's part of the seed, for ``parlour.verify``; None if the seed was given.
    ``metadata`` is there only for the API key that created the match.
    """

    id: str
    game: str
    game_version: str
    options: Mapping[str, Any]
    status: str
    visibility: str
    seats: tuple[SeatInfo, ...]
    clock: ClockRule | None
    version: int
    awaiting: tuple[Awaiting, ...]
    outcome: Outcome | None
    open_seed: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    commitment: str | None = None
    metadata: Mapping[str, str] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen in it any more."""
        return self.status in OVER


@dataclass(frozen=True, slots=True)
class Applied:
    """An action of a replay: the version that it made, the seat, the action's number (None: the seat forfeited)."""

    version: int
    seat: int
    action: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay(Match):
    """A match that has ended, with all of its secrets: enough to play it again, and to check it: ``parlour.verify``."""

    server_seed: str | None
    entropies: tuple[str | None, ...]
    seed: str
    actions: tuple[Applied, ...]


# For partners.


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that is told what happens in a partner's matches. ``disabled_at``: when it answered 410 Gone."""

    id: str
    url: str
    events: tuple[str, ...]
    description: str
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWebhook(Webhook):
    """A webhook as it is told once, with the ``secret`` that its deliveries are verified by: keep it."""

    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request to a webhook: the ``status`` that it answered, or the ``error`` that kept it from answering."""

    at: datetime
    status: int | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event on its way to a webhook. ``state``: pending, delivered or failed."""

    id: str
    type: str
    match: str
    state: str
    created_at: datetime
    next_attempt_at: datetime | None
    attempts: tuple[Attempt, ...]


# What one viewer sees.


@dataclass(frozen=True, slots=True)
class LegalAction:
    """One thing that the seat may do: the action's number, a text for a button, and the game's typed action."""

    id: int
    label: str
    action: Any


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that the seat owes. ``legal_actions`` is never empty."""

    id: str
    kind: str
    prompt: str
    deadline: datetime | None
    legal_actions: tuple[LegalAction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Generic[V]):
    """All that one seat (``seat`` None: a spectator) may know. ``view`` is the game's part, None before the start."""

    match: str
    game: str
    game_version: str
    version: int
    status: str
    seat: int | None
    awaiting: tuple[Awaiting, ...]
    decision: Decision | None
    view: V
    outcome: Outcome | None

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen in this match any more."""
        return self.status in OVER


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayView(Generic[V]):
    """What one seat (None: a spectator) saw at a version of a match that has ended."""

    match: str
    game: str
    version: int
    seat: int | None
    view: V


# What happened. The service's own events first; the games' are those of ``parlour_engine.games``.


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The cards are dealt; ``seats`` are the names."""

    game: str
    seats: tuple[str, ...]
    type: Literal["match_started"] = "match_started"


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """The match is over."""

    winners: tuple[int, ...]
    reason: str
    type: Literal["match_finished"] = "match_finished"


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """Somebody took, left or was given a seat."""

    seat: int
    name: str
    taken: bool
    played_by: str | None
    type: Literal["seat_changed"] = "seat_changed"


@dataclass(frozen=True, slots=True)
class ClockExpired:
    """A seat's time for a decision ended, and what was done about it."""

    seat: int
    on_expiry: str
    type: Literal["clock"] = "clock"


@dataclass(frozen=True, slots=True)
class DecisionOpened:
    """A decision that this seat now owes."""

    decision: str
    kind: str
    type: Literal["decision_opened"] = "decision_opened"


@dataclass(frozen=True, slots=True)
class MessageHeard:
    """Table talk: to everybody (``to`` None), or a whisper."""

    seat: int
    to: tuple[int, ...] | None
    text: str
    type: Literal["message"] = "message"


ServiceEvent: TypeAlias = MatchStarted | MatchFinished | SeatChanged | ClockExpired | DecisionOpened | MessageHeard
SERVICE_TYPES = frozenset({"match_started", "match_finished", "seat_changed", "clock", "decision_opened", "message"})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that this viewer saw happen. ``seq`` counts this viewer's events from 1; ``event`` is a service event,
    one of the game's, or a ``Raw``."""

    seq: int
    version: int
    at: datetime
    event: Any


@dataclass(frozen=True, slots=True)
class Acted:
    """What an act did: how many actions of the list were ``applied`` (it ends early at new information), whether it
    was ``replayed`` (had taken effect before), what the seat sees now, and the events that it saw (none if replayed).
    """

    applied: int
    replayed: bool
    observation: Observation[Any]
    events: tuple[Event, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Message:
    """Something that was said at the table: when, by which seat, to whom (None: everybody)."""

    at: datetime
    seat: int
    to: tuple[int, ...] | None
    text: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """What opens one event stream in a browser, within ``expires_in_s``."""

    ticket: str = field(repr=False)
    expires_in_s: int


# Reading them.


def decode(what: type[T], raw: Any) -> T:
    """One of the models from parsed JSON; raises UnexpectedAnswer."""
    try:
        found: T = adapter(what).validate_python(raw)
        return found
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(map(str, first["loc"]))
        raise UnexpectedAnswer(
            f"the server's answer is no {getattr(what, '__name__', what)}: {where}: {first['msg']}"
        ) from None


def adapter(what: Any) -> TypeAdapter[Any]:
    """What reads this type; made once."""
    return _adapter(what)


@cache
def _adapter(what: Any) -> TypeAdapter[Any]:
    return TypeAdapter(what)


def read_observation(raw: Any) -> Observation[Any]:
    """An observation with its view and legal actions typed by its game; raises UnexpectedAnswer."""
    if not isinstance(raw, dict):
        raise UnexpectedAnswer("the server's answer is no Observation")
    raw = dict(raw)
    game = raw.get("game")
    view = raw.get("view")
    if view is not None:
        raw["view"] = _typed(_types(game)[0], view)
    if isinstance(raw.get("decision"), dict):
        raw["decision"] = _decision(_types(game)[1], raw["decision"])
    return decode(Observation, raw)


def read_replay_view(raw: Any) -> ReplayView[Any]:
    """A view of a replay, typed by its game; raises UnexpectedAnswer."""
    if isinstance(raw, dict) and raw.get("view") is not None:
        raw = {**raw, "view": _typed(_types(raw.get("game"))[0], raw["view"])}
    return decode(ReplayView, raw)


def _decision(action_type: Any, raw: dict[str, Any]) -> dict[str, Any]:
    entries = raw.get("legal_actions")
    legal = [
        {
            "id": entry.get("id"),
            "label": entry.get("label"),
            "action": _typed(action_type, {k: v for k, v in entry.items() if k not in ("id", "label")}),
        }
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    ]
    return {**raw, "legal_actions": legal}


def read_events(game: str | None, raw: Any) -> tuple[Event, ...]:
    """Events, typed by their game; raises UnexpectedAnswer."""
    if not isinstance(raw, list) or not all(isinstance(row, dict) for row in raw):
        raise UnexpectedAnswer("the server's answer holds no list of events")
    event_type = _types(game)[2]
    return tuple(decode(Event, {**row, "event": _event(event_type, row.get("event"))}) for row in raw)


def _event(event_type: Any, raw: Any) -> Any:
    service = isinstance(raw, dict) and raw.get("type") in SERVICE_TYPES
    return _typed(ServiceEvent if service else event_type, raw)


def read_acted(raw: Any) -> Acted:
    """The answer to an act; raises UnexpectedAnswer."""
    if not isinstance(raw, dict):
        raise UnexpectedAnswer("the server's answer is no Acted")
    observation = read_observation(raw.get("observation"))
    events = read_events(observation.game, raw.get("events"))
    return decode(Acted, {**raw, "observation": observation, "events": events})


def _types(game: Any) -> tuple[Any, Any, Any]:
    """A game's view, action and event types; None each for a game that this SDK does not have."""
    try:
        known = find(str(game))
    except GameNotFound:
        return None, None, None
    return known.observation_type, known.action_type, known.event_type


def _typed(what: Any, raw: Any) -> Any:
    """The typed form, or all of it as a Raw if it has none here."""
    if what is not None:
        try:
            return adapter(what).validate_python(raw)
        except ValidationError:
            pass
    fields = raw if isinstance(raw, dict) else {}
    kind = fields.get("type")
    return Raw(kind if isinstance(kind, str) else None, fields)
