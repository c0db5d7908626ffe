"""Was the shuffle fair, and was the match played by the rules? Checked here, from the replay and the rules alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import digest
from itertools import pairwise
from typing import Any

from parlour_engine.errors import BadData, BadOption, GameNotFound
from parlour_engine.game import AnyGame, Log, Outcome, owed_by
from parlour_engine.games import find
from parlour_engine.options import parse_options
from pydantic_core import to_jsonable_python

from .errors import ReplayRefuted
from .models import SERVICE_TYPES, Observation, Raw, Replay


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: its name, whether it fits (None: not looked at), and what was found or why not."""

    name: str
    fits: bool | None
    text: str


def verify(
    replay: Replay,
    *,
    commitment: str | None = None,
    entropies: Mapping[int, str] | None = None,
    seen: Iterable[Observation[Any]] = (),
) -> None:
    """Check a replay; returns if all is well, raises ReplayRefuted saying what is not.

    ``commitment``: the match's, as it was shown before the start: the server has not changed its part of the seed.
    ``entropies``: what seats gave, by seat: they are in the seed. ``seen``: observations of the match as any viewer got
    them: dealing from that seed and applying the actions gives exactly these. Each part that you leave out is taken
    from the replay itself, which then proves less. In any case the seed follows from its parts, every action was legal
    when it was taken, and the outcome is the one that the rules give.

    It does not say who chose an action, or when: that a seat's player, a house bot or the clock did, that the clock was
    on time, who sat where under which name. Nor that nobody knew the cards: the server knows them from the start, a
    server together with the last seat to give entropy can try some and take the one it likes, and whoever created a
    match with a seed chose its cards. Game, options and seed's kind are as the replay says: compare them with the
    match's as you saw it.

    Raises ValueError when the match was played under rules that this SDK does not have.
    """
    for check in examine(replay, commitment=commitment, entropies=entropies, seen=seen):
        if check.fits is False:
            raise ReplayRefuted(check.text)


def examine(
    replay: Replay,
    *,
    commitment: str | None = None,
    entropies: Mapping[int, str] | None = None,
    seen: Iterable[Observation[Any]] = (),
    events: Sequence[Mapping[str, Any]] | None = None,
    viewer: int | None = None,
) -> tuple[Check, ...]:
    """All that ``verify`` looks at, one by one, whether it fits or not.

    ``events``: what one viewer (a seat; None: a spectator) was told of the match, as the API's JSON: the replay tells
    the same. Raises ValueError when the match was played under rules, or with decks, that this SDK does not have, and
    for events that are none.
    """
    for place, row in enumerate(events or ()):
        if not is_event(row):
            raise ValueError(f"number {place} of the events is none: each has seq, version and event, which has a type")
    try:
        game = find(replay.game)
    except GameNotFound as error:
        raise ValueError(str(error)) from None
    if game.version != replay.game_version:
        raise ValueError(f"the match was played under {replay.game} {replay.game_version}; here is {game.version}")
    return (
        _check("commitment", _commitment, replay, commitment),
        _check("seed", _seed, replay, entropies or {}),
        *_Play(game, replay, sorted(seen, key=lambda observation: observation.version)).checks(events, viewer),
    )


def is_event(row: Any) -> bool:
    """Whether this is an event as the API lists them, from its JSON."""
    return (
        isinstance(row, Mapping)
        and all(isinstance(row.get(name), int) for name in ("seq", "version"))
        and isinstance(row.get("event"), Mapping)
        and isinstance(row["event"].get("type"), str)
    )


def _check(name: str, look: Any, *args: Any) -> Check:
    """Have a look; what it returns is what was found, what it raises is what does not fit."""
    try:
        return Check(name, True, look(*args))
    except ReplayRefuted as error:
        return Check(name, False, str(error))


def _commitment(replay: Replay, given: str | None) -> str:
    promised = replay.commitment if given is None else given
    if replay.server_seed is None:
        if promised is not None or not replay.open_seed:
            raise ReplayRefuted("the server committed to a seed, and the replay does not show it")
        return "none: the match was created with a seed of its creator's, who chose the cards with it"
    if replay.open_seed:
        raise ReplayRefuted("whether the match was created with a seed is told in two ways")
    if sha256(_bytes(replay.server_seed, "server_seed")).hexdigest() != promised:
        raise ReplayRefuted("the server's part of the seed is not the one that it committed to")
    if replay.commitment != promised:
        raise ReplayRefuted("the replay shows another commitment than the one that you noted")
    if given is None:
        return "the server's part of the seed fits the commitment in the replay; compare that with the one you noted"
    return "the server's part of the seed is the one that it committed to"


def _seed(replay: Replay, entropies: Mapping[int, str]) -> str:
    for seat, entropy in entropies.items():
        if not 0 <= seat < len(replay.entropies) or replay.entropies[seat] != entropy:
            raise ReplayRefuted(f"the entropy that seat {seat} gave is not in the replay")
    if len(replay.entropies) != len(replay.seats):
        raise ReplayRefuted(f"{len(replay.seats)} seats and {len(replay.entropies)} entropies")
    for seat, (info, part) in enumerate(zip(replay.seats, replay.entropies, strict=True)):
        if info.seat != seat:
            raise ReplayRefuted(f"seat {info.seat} is listed where seat {seat} belongs")
        if info.entropy_given != (part is not None):
            raise ReplayRefuted(f"whether seat {seat} gave entropy is told in two ways")
        if part is not None:
            _bytes(part, f"the entropy of seat {seat}")
    seed = _bytes(replay.seed, "seed")
    if replay.server_seed is None:
        if any(part is not None for part in replay.entropies):
            raise ReplayRefuted("seats gave entropy, and the match's seed is one that was given without it")
        return "as given at the match's creation"
    parts = json.dumps(replay.entropies, separators=(",", ":"), ensure_ascii=False).encode()
    if digest(_bytes(replay.server_seed, "server_seed"), parts, sha256) != seed:
        raise ReplayRefuted("the match's seed does not follow from the server's part and the seats' entropies")
    given = sum(part is not None for part in replay.entropies)
    return f"follows from the server's part and the entropy of {given} of {len(replay.seats)} seats"


def _bytes(text: str, name: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ReplayRefuted(f"{name} is not in hex digits") from None


def _in_words(outcome: Outcome | None) -> str:
    if outcome is None:
        return "no outcome"
    who = " and ".join(f"seat {seat}" for seat in outcome.winners) or "nobody"
    scores = "" if outcome.scores is None else f"; scores {', '.join(map(str, outcome.scores))}"
    return f"“{outcome.text}” (won by {who}{scores}; {outcome.reason.replace('_', ' ')})"


class _Play:
    """The match played again, as far as the rules allow."""

    def __init__(self, game: AnyGame, replay: Replay, seen: list[Observation[Any]]) -> None:
        self._game = game
        self._replay = replay
        self._waiting = [observation for observation in seen if observation.view is not None]
        self._compared = 0
        self._refuted: str | None = None
        self._told: list[tuple[int, Log]] = []
        """What each action, by its version, told."""

    def checks(self, events: Sequence[Mapping[str, Any]] | None, viewer: int | None) -> Iterator[Check]:
        """Actions, observations, outcome, events; what follows a wrong action cannot be looked at."""
        seen = bool(self._waiting)
        self._state: Any = None
        actions = _check("actions", self._actions)
        yield actions
        if seen and (self._refuted or actions.fits):
            yield Check(
                "observations", self._refuted is None, self._refuted or f"{self._compared} are as the replay has them"
            )
        unknown = "not looked at: the actions do not lead there"
        yield _check("outcome", self._outcome) if actions.fits else Check("outcome", None, unknown)
        if events is not None:
            yield _check("events", self._events, events, viewer) if actions.fits else Check("events", None, unknown)

    def _actions(self) -> str:
        game, replay = self._game, self._replay
        if replay.started_at is None:
            if replay.actions:
                raise ReplayRefuted("the match never started, and the replay has actions")
            if self._waiting:
                raise ReplayRefuted("the match never started, says the replay, and cards of it were seen")
            return "none: the match never started"
        if len(replay.seats) not in game.seats:
            raise ReplayRefuted(
                f"{game.slug} is for {game.seats[0]} to {game.seats[-1]} seats, not {len(replay.seats)}"
            )
        seed = _bytes(replay.seed, "seed")
        try:
            options = parse_options(game.options_type, replay.options)
            game.check_options(len(replay.seats), options)
            self._state = state = game.deal(len(replay.seats), options, seed)
        except (BadOption, BadData) as error:
            raise ValueError(f"the match's options are not known here: {error}") from None
        self._must_be_in_order()
        forfeited: set[int] = set()
        for place, applied in enumerate(replay.actions):
            self._compare(before=applied.version)
            log: Log = []
            if applied.action is None:
                forfeits = replay.clock is not None and replay.clock.on_expiry == "forfeit"
                if not forfeits or applied.seat in forfeited or owed_by(game, state, applied.seat) is None:
                    raise ReplayRefuted(f"action {place} of the replay: seat {applied.seat} cannot have forfeited here")
                forfeited.add(applied.seat)
                game.forfeit(state, applied.seat, log)
            else:
                self._must_be_legal(place, applied.seat, applied.action, applied.seat in forfeited)
                game.apply(state, applied.seat, applied.action, log)
            self._told.append((applied.version, log))
        self._compare(before=None)
        if {info.seat for info in replay.seats if info.forfeited} != forfeited:
            raise ReplayRefuted("which seats have forfeited is told in two ways")
        return f"all {len(replay.actions)} were legal when they were taken"

    def _must_be_in_order(self) -> None:
        before = 0
        for place, applied in enumerate(self._replay.actions):
            if not before < applied.version <= self._replay.version:
                what = f"action {place} of the replay is out of order"
                raise ReplayRefuted(f"{what}: it makes version {applied.version} after {before}")
            before = applied.version

    def _must_be_legal(self, place: int, seat: int, action: int, forfeited: bool) -> None:
        game, state = self._game, self._state
        what = f"action {place} of the replay was not legal for seat {seat}"
        if owed_by(game, state, seat) is None:
            raise ReplayRefuted(f"{what}: it owed no decision")
        if action not in game.legal_actions(state, seat):
            known = 0 <= action < len(game.actions(len(self._replay.seats)))
            why = game.explain(game.observe(state, seat), action) if known else f"there is no action {action}"
            raise ReplayRefuted(f"{what}: {why}")
        if forfeited and action != game.default_action(state, seat):
            raise ReplayRefuted(f"{what}: it had forfeited, and only does what is the default then")

    def _compare(self, before: int | None) -> None:
        """Compare what was seen before that version with the state as it was then."""
        later = []
        for observation in self._waiting:
            if before is not None and observation.version >= before:
                later.append(observation)
                continue
            self._compared += 1
            view = observation.view
            if self._refuted is None and observation.version > self._replay.version:
                who = f"at version {observation.version}, seat {observation.seat}"
                self._refuted = f"{who} saw the match; the replay ends at version {self._replay.version}"
            if self._refuted is None and (
                isinstance(view, Raw) or view != self._game.observe(self._state, observation.seat)
            ):
                who = f"at version {observation.version}, seat {observation.seat}"
                self._refuted = f"{who} saw something else than the replay shows"
        self._waiting = later

    def _outcome(self) -> str:
        replay = self._replay
        ruled = None if self._state is None else self._game.outcome(self._state)
        if ruled != replay.outcome or (ruled is not None) != (replay.status == "finished"):
            shown = f"{replay.status}, with {_in_words(replay.outcome)}"
            raise ReplayRefuted(f"the rules end this match with {_in_words(ruled)}; the replay is {shown}")
        if ruled is None:
            return f"none: the match was {replay.status}"
        return ruled.text

    def _events(self, events: Sequence[Mapping[str, Any]], viewer: int | None) -> str:
        """Compare the game's events; at the edges of a page that is not the whole list, only whole versions."""
        if not events:
            return "none were given"
        for before, after in pairwise(events):
            if after["seq"] != before["seq"] + 1:
                raise ReplayRefuted(f"event {after['seq']} follows event {before['seq']}")
        first, last = events[0], events[-1]
        low = -1 if first["seq"] == 1 else first["version"]
        high = self._replay.version + 1 if last["event"].get("type") == "match_finished" else last["version"]
        told = [(e["version"], e["event"]) for e in events if e["event"].get("type") not in SERVICE_TYPES]
        told = [(version, event) for version, event in told if low < version < high]
        ours = [
            (version, to_jsonable_python(event))
            for version, log in self._told
            if low < version < high
            for fact in log
            if (event := fact.seen_by(viewer)) is not None
        ]
        who = "the spectator" if viewer is None else f"seat {viewer}"
        for theirs, mine in zip(told, ours, strict=False):
            if theirs != mine:
                was, says = (json.dumps(event, ensure_ascii=False, default=repr) for _, event in (theirs, mine))
                raise ReplayRefuted(
                    f"at version {min(theirs[0], mine[0])}, {who} was told {was}, and the replay says {says}"
                )
        if len(told) != len(ours):
            raise ReplayRefuted(f"{who} was told {len(told)} things, and the replay tells {len(ours)}")
        if last["event"].get("type") == "match_finished" and self._replay.outcome is not None:
            winners = last["event"].get("winners")
            if winners != list(self._replay.outcome.winners):
                raise ReplayRefuted(f"{who} was told that seats {winners} won")
        return f"{len(told)} are as the replay tells them to {who}"
