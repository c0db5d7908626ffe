"""Checks that hold for every game: what the test suite runs over the catalogue, and a new game's author first.

Each raises AssertionError with the seed's story in it. ``fair_match`` is one random match with all of them at each
step; ``two_worlds`` is the leak test alone.
"""

from __future__ import annotations

import json
import random
from dataclasses import fields, is_dataclass
from typing import Any

from .game import AnyGame, Log, owed_by

LIMIT = 20_000  # decisions; far above what any game's own limit allows


def seed_of(number: int) -> bytes:
    """A match seed for tests, from a small number."""
    return number.to_bytes(16, "big")


def viewers(seats: int) -> tuple[int | None, ...]:
    """Every seat, then the spectator."""
    return (*range(seats), None)


def two_worlds(game: AnyGame, state: Any, seats: int, viewer: int | None, rng: random.Random) -> Any:
    """A second world that the viewer cannot tell from ``state``; checks that it really cannot. Returns it."""
    seen = game.observe(state, viewer)
    other = game.determinize(seen, rng)
    again = game.observe(other, viewer)
    assert again == seen, f"viewer {viewer} tells two worlds apart:\n{seen}\n{again}"
    ours, theirs = game.pending(state), game.pending(other)
    assert [e[0] for e in ours] == [e[0] for e in theirs], f"who owes a decision differs: {ours} {theirs}"
    if viewer is not None:
        mine, its = owed_by(game, state, viewer), owed_by(game, other, viewer)
        assert (mine is None) == (its is None)
        if mine is not None and its is not None:
            assert mine.kind == its.kind, f"decision kind differs: {mine} {its}"
            left, right = game.legal_actions(state, viewer), game.legal_actions(other, viewer)
            assert list(left) == list(right), f"seat {viewer}'s legal actions differ:\n{left}\n{right}"
            default, its_default = game.default_action(state, viewer), game.default_action(other, viewer)
            assert default == its_default, f"seat {viewer}'s default action differs: {default} {its_default}"
    assert game.outcome(state) == game.outcome(other), "the outcome differs"
    return other


def same_events(
    game: AnyGame,
    state: Any,
    other: Any,
    viewer: int | None,
    seat: int,
    action: int,
    *,
    reveals: bool = True,
    instead: int | None = None,
) -> None:
    """Events tell a viewer no more and no less than observations do: two worlds look alike after an action if, and
    only if, what was told of it is alike.

    Where they do not look alike to the acting seat, it has learnt something, and ``apply`` must have said so. [CM-4]
    ``reveals=False`` is for a game in which nothing hidden is ever turned up before the others: to them the two worlds
    must look alike afterwards. That finds what an honest ``determinize`` would honour, a drawn card shown to all.
    ``instead`` is what another seat than the viewer chooses in the other world: a secret choice.
    """
    here, there = game.clone(state), game.clone(other)
    here_log: Log = []
    there_log: Log = []
    learnt = game.apply(here, seat, action, here_log)
    also_learnt = game.apply(there, seat, action if instead is None else instead, there_log)
    left = [event for fact in here_log if (event := fact.seen_by(viewer)) is not None]
    right = [event for fact in there_log if (event := fact.seen_by(viewer)) is not None]
    if game.observe(here, viewer) != game.observe(there, viewer):
        assert left != right, f"viewer {viewer} tells two worlds apart by what no event told: {left}"
        assert reveals or viewer == seat, f"viewer {viewer} was shown something hidden by seat {seat}'s {action}"
        assert viewer != seat or (learnt and also_learnt), f"seat {seat} learnt something by {action}, unsaid"
        return
    assert viewer != seat or learnt == also_learnt, f"seat {seat} tells two worlds apart by where its list ends"
    assert left == right, f"viewer {viewer} tells two worlds apart by events:\n{left}\n{right}"


def stored(game: AnyGame, state: Any) -> str:
    """The state's stored form as canonical JSON text, of numbers that every JSON reader keeps."""
    form = game.dump(state)
    _fits(form)
    return json.dumps(form, sort_keys=True, separators=(",", ":"))


def _fits(form: Any) -> None:
    if isinstance(form, dict):
        for key, value in form.items():
            assert type(key) is str, f"{key!r} is no key of a JSON object"
            _fits(value)
    elif isinstance(form, list | tuple):
        for value in form:
            _fits(value)
    else:
        assert form is None or type(form) in (int, str, bool), f"{form!r} is not plain"
        assert type(form) is not int or -(2**63) <= form < 2**63, f"{form} needs more than 64 bits"


def plain(value: Any) -> None:
    """Only what becomes JSON as it stands: numbers, texts, yes and no, nothing, tuples and frozen dataclasses."""
    if is_dataclass(value) and not isinstance(value, type):
        assert value.__dataclass_params__.frozen, f"{type(value).__name__} can be changed"  # type: ignore[attr-defined]
        for field in fields(value):
            plain(getattr(value, field.name))
    elif type(value) is tuple:
        for each in value:
            plain(each)
    else:
        assert value is None or type(value) in (int, str, bool), f"{value!r} is not plain"


def fair_match(
    game: AnyGame, seats: int, options: Any, number: int, leaks: float = 0.25, reveals: bool = True
) -> list[tuple[int, int]]:
    """One random match of seed ``number``, every check at each step (leak checks at a share of them).

    Never an empty list, always an end, stored form and clone faithful, apply the same with and without a log, each
    seat's decisions counted from 0, observations and events plain, two worlds equal for every viewer, replay byte for
    byte. Returns the actions played, as (seat, action).
    """
    rng = random.Random(number)
    state = game.deal(seats, options, seed_of(number))
    dealt = stored(game, state)
    space = game.actions(seats)
    played: list[tuple[int, int]] = []
    answered = [0] * seats
    text = dealt
    while owed := game.pending(state):
        assert game.outcome(state) is None, "over, and still somebody owes a decision"
        assert len(played) < LIMIT, f"seed {number}: no end in sight"
        assert len({entry[0] for entry in owed}) == len(owed), f"a seat owes two decisions: {owed}"
        for seat, kind, number_of in owed:
            assert number_of == answered[seat], f"seat {seat} has answered {answered[seat]} decisions, not {number_of}"
            legal = game.legal_actions(state, seat)
            assert legal, f"seed {number}: seat {seat} owes {game.kinds[kind].name} and has no legal action"
            assert list(legal) == sorted(set(legal))
            assert set(legal) <= set(range(len(space)))
            assert game.default_action(state, seat) in legal
        seat, kind, _ = rng.choice(owed)
        legal = game.legal_actions(state, seat)
        action = rng.choice(legal)
        assert stored(game, game.load(json.loads(text))) == text, f"seed {number}: stored form does not survive"
        twin = game.clone(state)
        learnt = game.apply(twin, seat, action, None)
        assert stored(game, state) == text, f"seed {number}: a clone shares something with its match"
        if rng.random() < leaks:
            onlooker = rng.choice(viewers(seats))
            for viewer in viewers(seats):
                other = two_worlds(game, state, seats, viewer, rng)
                theirs = owed_by(game, other, seat)
                if theirs and theirs.kind == kind:
                    choices = game.legal_actions(other, seat)
                    assert choices, f"seat {seat} owes {game.kinds[kind].name} in another world, and has no choice"
                    if action in choices:
                        same_events(game, state, other, viewer, seat, action, reveals=reveals)
                    if viewer == onlooker and viewer != seat and game.kinds[kind].answering:
                        instead = rng.choice(choices)
                        same_events(game, state, other, viewer, seat, action, instead=instead)
                later = game.clone(state)  # the same cards, but another chance from here on
                later.seed = seed_of(rng.getrandbits(127))
                same_events(game, state, later, viewer, seat, action, reveals=reveals)
            seen = game.observe(state, seat)
            plain(seen)
            assert all(game.label(seen, each) for each in legal)
            refused = next((each for each in range(len(space)) if each not in legal), None)
            if refused is not None:
                assert game.explain(seen, refused)
        log: Log = []
        assert game.apply(state, seat, action, log) == learnt
        text = stored(game, state)
        assert stored(game, twin) == text, f"seed {number}: a clone or a missing log changes the match"
        for fact in log:
            for event in (fact.public, *(event for _, event in fact.private)):
                plain(event)
        played.append((seat, action))
        answered[seat] += 1
    assert game.outcome(state) is not None, f"seed {number}: nobody owes anything, and no outcome"
    for viewer in viewers(seats):
        two_worlds(game, state, seats, viewer, rng)
    replayed = game.deal(seats, options, seed_of(number))
    assert stored(game, replayed) == dealt, f"seed {number}: the deal is not the same twice"
    for seat, action in played:
        game.apply(replayed, seat, action, None)
    assert stored(game, replayed) == text, f"seed {number}: replay differs"
    return played
