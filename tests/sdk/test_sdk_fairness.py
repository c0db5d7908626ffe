"""verify(): a true replay passes, and each lie is found."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from parlour import Client, Observation, Replay, choose_random, errors, play, verify
from parlour.fairness import examine

MINE, THEIRS = "ab" * 16, "cd" * 16


@pytest.fixture(scope="module")
def played(server: Any) -> tuple[Replay, str, list[Observation[Any]]]:
    """A match with entropy of both seats: its replay, the commitment from before, what seat 0 saw at each decision."""
    with Client(server.url) as client:
        created = client.create("valente", ["mine", "mine"], entropy="awaited")
        mine, theirs = created.seats[0], created.seats[1]
        with pytest.raises(errors.MatchRunning):
            mine.replay()
        mine.give_entropy(THEIRS)
        assert mine.give_entropy(MINE).seats[0].entropy_given
        assert theirs.give_entropy(THEIRS).status == "playing"
        other = threading.Thread(target=play, args=(theirs, choose_random(1)))
        other.start()
        seen: list[Observation[Any]] = []

        def choose(observation: Observation[Any]) -> Any:
            seen.append(observation)
            return choose_random(observation.version)(observation)

        seen.append(play(mine, choose))
        other.join(120)
        assert created.match.commitment is not None
        middle = seen[len(seen) // 2]
        assert mine.replay_view(middle.version, seat=0).view == middle.view
        assert mine.replay_view(0).view is None
        return mine.replay(), created.match.commitment, seen


def test_a_true_replay_is_verified(played: tuple[Replay, str, list[Observation[Any]]]) -> None:
    replay, commitment, seen = played
    assert len(seen) > 5
    verify(replay, commitment=commitment, entropies={0: MINE, 1: THEIRS}, seen=seen)
    verify(replay)


def other_server_seed(replay: Replay) -> Replay:
    return replace(replay, server_seed="00" * 32, commitment=sha256(bytes(32)).hexdigest())


def other_seed(replay: Replay) -> Replay:
    return replace(replay, seed="00" * 32)


def other_entropy(replay: Replay) -> Replay:
    return replace(replay, entropies=("ef" * 16, THEIRS))


def hidden_seed(replay: Replay) -> Replay:
    return replace(replay, server_seed=None, open_seed=True)


def illegal_action(replay: Replay) -> Replay:
    return replace(replay, actions=(replace(replay.actions[0], action=0), *replay.actions[1:]))


def wrong_seat(replay: Replay) -> Replay:
    first = replay.actions[0]
    return replace(replay, actions=(replace(first, seat=1 - first.seat), *replay.actions[1:]))


def wrong_end(replay: Replay) -> Replay:
    assert replay.outcome is not None
    return replace(replay, outcome=replace(replay.outcome, winners=(1, 0)))


def cut_short(replay: Replay) -> Replay:
    return replace(replay, actions=replay.actions[:-1])


@pytest.mark.parametrize(
    ("lie", "found"),
    [
        (other_server_seed, "not the one that it committed to"),
        (other_seed, "does not follow"),
        (other_entropy, "entropy that seat 0 gave"),
        (hidden_seed, "does not show it"),
        (illegal_action, "action 0 of the replay was not legal"),
        (wrong_seat, "action 0 of the replay was not legal"),
        (wrong_end, "the rules end this match"),
        (cut_short, "saw something else|the rules end"),
    ],
)
def test_a_lie_is_found(
    played: tuple[Replay, str, list[Observation[Any]]], lie: Callable[[Replay], Replay], found: str
) -> None:
    replay, commitment, seen = played
    with pytest.raises(errors.ReplayRefuted, match=found):
        verify(lie(replay), commitment=commitment, entropies={0: MINE}, seen=seen)


def test_something_seen_that_never_was(played: tuple[Replay, str, list[Observation[Any]]]) -> None:
    replay, _, seen = played
    forged = replace(seen[2], view=replace(seen[2].view, heart=seen[2].view.heart + 1))
    with pytest.raises(errors.ReplayRefuted, match=f"at version {forged.version}, seat 0 saw something else"):
        verify(replay, seen=[forged])


def test_a_given_seed_takes_no_entropy_and_is_verified_too(client: Client) -> None:
    created = client.create("valente", ["mine", "open"], seed=5)
    assert created.match.commitment is None
    with pytest.raises(errors.SeedGiven):
        created.seats[0].give_entropy(MINE)
    created.host.fill(1)
    play(created.seats[0], choose_random(1))
    verify(client.spectator(created.match.id).replay())


def test_a_match_that_was_cancelled_before_its_start(client: Client) -> None:
    created = client.create("valente", ["mine", "open"], start="manual", entropy="awaited")
    created.host.fill(1)
    with pytest.raises(errors.EntropyAwaited):
        created.host.start()
    created.host.cancel()
    verify(created.host.replay(), commitment=created.match.commitment)


def ignored(replay: Replay) -> Replay:
    """All as in a match that was created with a seed, but that seats gave entropy."""
    return replace(replay, server_seed=None, open_seed=True, commitment=None, seed="07" * 32)


def test_a_seed_that_leaves_out_what_was_given(played: tuple[Replay, str, list[Observation[Any]]]) -> None:
    replay = ignored(played[0])
    for known in ({}, {"entropies": {0: MINE}}):
        with pytest.raises(errors.ReplayRefuted, match="seats gave entropy"):
            verify(replay, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize("commitment", ["", "00" * 32])
def test_a_commitment_that_was_noted_is_always_looked_at(
    played: tuple[Replay, str, list[Observation[Any]]], commitment: str
) -> None:
    for replay in (played[0], ignored(played[0])):
        with pytest.raises(errors.ReplayRefuted, match="committed to"):
            verify(replay, commitment=commitment)


def test_entropy_of_a_seat_that_is_none(played: tuple[Replay, str, list[Observation[Any]]]) -> None:
    for seat in (-1, -2, 2):
        with pytest.raises(errors.ReplayRefuted, match=f"that seat {seat} gave"):
            verify(played[0], entropies={seat: THEIRS if seat == -1 else MINE})


def test_a_match_that_was_played_and_is_said_not_to_have_been(
    played: tuple[Replay, str, list[Observation[Any]]],
) -> None:
    replay, _, seen = played
    denied = replace(replay, started_at=None, actions=(), status="cancelled", outcome=None)
    with pytest.raises(errors.ReplayRefuted, match="cards of it were seen"):
        verify(denied, seen=seen)
    earlier = replace(
        replay, version=seen[-1].version - 1, actions=replay.actions[:-1], status="abandoned", outcome=None
    )
    with pytest.raises(errors.ReplayRefuted, match="the replay ends at version"):
        verify(earlier, seen=[seen[-1]])


@pytest.mark.parametrize(
    "row",
    [
        None, 7, "x", [], {}, {"seq": 3}, {"seq": "3", "version": 1, "event": {"type": "passed"}},
        {"seq": 3, "version": None, "event": {"type": "passed"}}, {"seq": 3, "version": 1, "event": None},
        {"seq": 3, "version": 1, "event": {}}, {"seq": 3, "version": 1, "event": {"type": ["passed"]}},
    ],
)  # fmt: skip
def test_events_that_are_none(played: tuple[Replay, str, list[Observation[Any]]], row: Any) -> None:
    good = {"seq": 1, "version": 1, "event": {"type": "match_started"}}
    for rows in ([row], [good, row], [good, row, good]):
        with pytest.raises(ValueError, match=f"number {rows.index(row)} of the events is none"):
            examine(played[0], events=rows)


@pytest.mark.parametrize("more", [{"seat": object()}, {"seat": {1}}, {"winners": 7}, {1: 2}])
def test_events_of_strange_parts_do_not_fit(played: tuple[Replay, str, list[Observation[Any]]], more: Any) -> None:
    for kind in ("passed", "match_finished"):
        rows = [{"seq": n, "version": n, "event": {"type": kind, **more}} for n in (1, 2, 3)]
        assert examine(played[0], events=rows)[-1].fits is False


def test_other_rules(played: tuple[Replay, str, list[Observation[Any]]]) -> None:
    with pytest.raises(ValueError, match="no game 'chess'"):
        verify(replace(played[0], game="chess"))
    with pytest.raises(ValueError, match="valente 99"):
        verify(replace(played[0], game_version="99"))
