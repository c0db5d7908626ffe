"""Was the shuffle fair, and was the match played by the rules? Checked here, from the replay and the rules alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from hmac import digest
from typing import Any

from parlour_engine.game import AnyGame, owed_by
from parlour_engine.games import find
from parlour_engine.options import parse_options

from .errors import ReplayRefuted
from .models import Observation, Raw, Replay


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

    Raises ValueError when the match was played under rules that this SDK does not have.
    """
    game = find(replay.game)
    if game.version != replay.game_version:
        raise ValueError(f"the match was played under {replay.game} {replay.game_version}; here is {game.version}")
    _check_seed(replay, commitment, entropies or {})
    _check_play(game, replay, sorted(seen, key=lambda observation: observation.version))


def _check_seed(replay: Replay, commitment: str | None, entropies: Mapping[int, str]) -> None:
    promised = commitment or replay.commitment
    for seat, entropy in entropies.items():
        if seat >= len(replay.entropies) or replay.entropies[seat] != entropy:
            raise ReplayRefuted(f"the entropy that seat {seat} gave is not in the replay")
    if replay.server_seed is None:
        if promised is not None or not replay.open_seed:
            raise ReplayRefuted("the server committed to a seed, and the replay does not show it")
        return
    server_seed = bytes.fromhex(replay.server_seed)
    if sha256(server_seed).hexdigest() != promised:
        raise ReplayRefuted("the server's part of the seed is not the one that it committed to")
    parts = json.dumps(replay.entropies, separators=(",", ":")).encode()
    if digest(server_seed, parts, sha256).hex() != replay.seed:
        raise ReplayRefuted("the match's seed does not follow from the server's part and the seats' entropies")


def _check_play(game: AnyGame, replay: Replay, seen: list[Observation[Any]]) -> None:
    if replay.started_at is None:
        return
    options = parse_options(game.options_type, replay.options)
    state = game.deal(len(replay.seats), options, bytes.fromhex(replay.seed))
    waiting = [observation for observation in seen if observation.view is not None]
    for place, applied in enumerate(replay.actions):
        waiting = _compare(game, state, waiting, before=applied.version)
        if applied.action is None:
            game.forfeit(state, applied.seat, None)
            continue
        if owed_by(game, state, applied.seat) is None or applied.action not in game.legal_actions(state, applied.seat):
            raise ReplayRefuted(f"action {place} of the replay was not legal for seat {applied.seat}")
        game.apply(state, applied.seat, applied.action, None)
    _compare(game, state, waiting, before=None)
    if replay.status == "finished" and game.outcome(state) != replay.outcome:
        raise ReplayRefuted(f"the rules end this match with {game.outcome(state)}, the replay with {replay.outcome}")


def _compare(game: AnyGame, state: Any, waiting: list[Observation[Any]], before: int | None) -> list[Observation[Any]]:
    """Compare what was seen before that version with the state as it was then; what is to be compared later."""
    later = []
    for observation in waiting:
        if before is not None and observation.version >= before:
            later.append(observation)
        elif isinstance(observation.view, Raw) or observation.view != game.observe(state, observation.seat):
            raise ReplayRefuted(
                f"at version {observation.version}, seat {observation.seat} saw something else than the replay shows"
            )
    return later
