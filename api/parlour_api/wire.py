"""What goes over the wire: times, summaries, observations and events, as ready JSON bytes."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any

import orjson
from parlour_engine.game import AnyGame

from .catalogue import action_numbers, typed_key
from .errors import ValidationError
from .match import Match, Record


def instant(ms: int | None) -> str | None:
    """RFC 3339, UTC, to the millisecond."""
    if ms is None:
        return None
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def decision_id(match_id: str, seat: int, number: int) -> str:
    """The name of one decision: of this match, this seat, and only this decision."""
    return f"dec_{match_id[-8:]}_{seat}_{number}"


def awaiting(record: Record) -> list[dict[str, Any]]:
    """For whom the match waits, since when and until when: what the whole table may know."""
    on_expiry = record.clock.on_expiry if record.clock else None
    return [
        {"seat": seat, "since": instant(owed.since), "deadline": instant(owed.expires_at), "on_expiry": on_expiry}
        for seat, owed in sorted(record.owed.items())
    ]


def summary(record: Record, key: str | None = None) -> dict[str, Any]:
    """A match as anyone may see it; for the ``key`` that created it, with its metadata."""
    shown = {
        "id": record.id,
        "game": record.game,
        "game_version": record.game_version,
        "options": record.options,
        "status": record.status,
        "visibility": record.visibility,
        "seats": [
            {
                "seat": number,
                "kind": seat.kind,
                "name": seat.name,
                "bot": seat.bot,
                "taken": seat.taken,
                "played_by": seat.played_by,
                "forfeited": seat.forfeited,
                "entropy_given": seat.entropy is not None,
                "bank_s": None if seat.bank is None else seat.bank / 1000,
            }
            for number, seat in enumerate(record.seats)
        ],
        "clock": record.clock,
        "version": record.version,
        "awaiting": awaiting(record),
        "outcome": record.outcome,
        "commitment": None if record.open_seed else sha256(bytes.fromhex(record.server_seed)).hexdigest(),
        "open_seed": record.open_seed,
        "created_at": instant(record.created_at),
        "started_at": instant(record.started_at),
        "finished_at": instant(record.finished_at),
    }
    if key is not None and key == record.key:
        shown["metadata"] = record.metadata or {}
    return shown


@lru_cache(maxsize=64)
def _action_parts(game: AnyGame, seats: int) -> tuple[bytes, ...]:
    """Each action of a game's space as JSON, up to its label. Cached: games are few and never change."""
    return tuple(
        b'{"id":%d,%s,"label":' % (number, orjson.dumps(action)[1:-1])
        for number, action in enumerate(game.actions(seats))
    )


def observation(match: Match, viewer: int | None) -> bytes:
    """The observation of a seat, or (None) a spectator's."""
    record, game = match.record, match.game
    view = decision = None
    if match.state is not None and game is not None:
        view = game.observe(match.state, viewer)
        owed = None if viewer is None else record.owed.get(viewer)
        if viewer is not None and owed is not None:
            parts = _action_parts(game, len(record.seats))
            legal = b",".join(
                parts[action] + orjson.dumps(game.label(view, action)) + b"}"
                for action in game.legal_actions(match.state, viewer)
            )
            kind = game.kinds[owed.kind]
            decision = {
                "id": decision_id(record.id, viewer, owed.number),
                "kind": kind.name,
                "prompt": kind.prompt,
                "deadline": instant(owed.expires_at),
                "legal_actions": orjson.Fragment(b"[" + legal + b"]"),
            }
    return orjson.dumps(
        {
            "match": record.id,
            "game": record.game,
            "game_version": record.game_version,
            "version": record.version,
            "status": record.status,
            "seat": viewer,
            "awaiting": awaiting(record),
            "decision": decision,
            "view": view,
            "outcome": record.outcome,
        }
    )


def event(version: int, at: int, what: Any) -> bytes:
    """An event as it is stored: without its seq, which is its place in the viewer's list."""
    return orjson.dumps({"version": version, "at": instant(at), "event": what})


def numbered(events: list[bytes], first: int) -> bytes:
    """Stored events as a JSON list, with their seqs, the first one's given."""
    return b"[" + b",".join(b'{"seq":%d,' % seq + body[1:] for seq, body in enumerate(events, first)) + b"]"


def read_action(game: AnyGame, seats: int, raw: Any, pointer: str) -> int:
    """An action's number, from ``{"id": n}`` or its typed form; raises ValidationError with the pointer."""
    if not isinstance(raw, dict):
        raise _bad_action(pointer, 'must be an object: {"id": n} or the typed form of a legal action')
    fields = {name: value for name, value in raw.items() if name != "label"}
    number = fields.get("id")
    if number is None:
        found = _typed_number(game, seats, fields)
        if found is None:
            raise _bad_action(pointer, f"{game.slug} has no action of this form; copy one from legal_actions")
        return found
    size = len(game.actions(seats))
    if type(number) is not int or not 0 <= number < size:
        raise _bad_action(f"{pointer}/id", f"must be a whole number from 0 to {size - 1}")
    del fields["id"]
    if fields and _typed_number(game, seats, fields) != number:
        raise _bad_action(pointer, "id and typed form name two different actions; send one of them")
    return number


def _typed_number(game: AnyGame, seats: int, fields: dict[str, Any]) -> int | None:
    try:
        return action_numbers(game, seats).get(typed_key(fields))
    except TypeError:
        return None


def _bad_action(pointer: str, detail: str) -> ValidationError:
    return ValidationError(errors=[{"pointer": pointer, "detail": detail}])
