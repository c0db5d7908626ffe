"""Who sits where, and the matches themselves.

A bot here gets what a server's house bot gets: its seat's observation, the legal actions, and a generator drawn from
the match's seed, the seat and the decision. So the same arguments give the same matches, however many processes play.

Luck of the deal evens out by rotation: one deal is played once for every way the line-up can sit round the table.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from parlour_engine.chance import bot_seed
from parlour_engine.game import AnyGame
from parlour_engine.games import find

from ..local import ENDS, signals_wait

CHUNK = 8  # deals that a process takes at a time
AHEAD = 4  # such chunks for each process, played or waiting before the next are handed out

CYCLES = ("turns", "round", "episode")
"""Lengths that a game may tell of, by their names in its observation; empty in the CSV where it does not."""


class CannotPlay(Exception):
    """What was asked for cannot be played; the message says what can."""


@dataclass(frozen=True, slots=True)
class Arena:
    """What is to be played. ``line_up`` names a bot for each seat; ``options`` are the game's own, already checked."""

    slug: str
    seats: int
    line_up: tuple[str, ...]
    options: Any
    seed: int


@dataclass(frozen=True, slots=True)
class Played:
    """One match. ``first_seat`` owed the first decision; ``cycles`` stand in the order of ``CYCLES``."""

    match: int
    deal: int
    seed: bytes
    bots: tuple[str, ...]
    first_seat: int
    winners: tuple[int, ...]
    reason: str
    scores: tuple[int, ...] | None
    decisions: int
    cycles: tuple[int | None, ...]


# Who sits where.


def line_up(game: AnyGame, seats: int, bots: Sequence[str]) -> tuple[str, ...]:
    """A bot for each seat: one id plays all of them, two ids are one against the rest, else one id for each seat."""
    known = [bot.id for bot in game.bots]
    for bot in bots:
        if bot not in known:
            raise CannotPlay(f"no bot {bot!r} plays {game.slug}; there are: {', '.join(known)}")
    if len(bots) == 1:
        return (bots[0],) * seats
    if len(bots) == 2:
        return (bots[0], *[bots[1]] * (seats - 1))
    if len(bots) == seats:
        return tuple(bots)
    raise CannotPlay(f"--bots takes 1 id, 2 ids or one for each of the {seats} seats, not {len(bots)}")


def rotations(bots: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Every different way that this line-up can sit when it moves round the table."""
    return tuple(dict.fromkeys(bots[-turn:] + bots[:-turn] for turn in range(len(bots))))


def said(line_up: tuple[str, ...]) -> str:
    """The line-up in few words: a row of the same bot is counted."""
    parts: list[tuple[str, int]] = []
    for bot in line_up:
        if parts and parts[-1][0] == bot:
            parts[-1] = (bot, parts[-1][1] + 1)
        else:
            parts.append((bot, 1))
    if len(parts) == 1:
        return f"{parts[0][0]} in every seat"
    return " + ".join(bot if count == 1 else f"{count} × {bot}" for bot, count in parts)


# Playing.


def deal_seed(seed: int, deal: int) -> bytes:
    """The match seed of one deal; the same for every game and line-up, so that runs can be compared deal by deal."""
    return sha256(f"parlour arena {seed} {deal}".encode()).digest()[:16]


def play_match(game: AnyGame, options: Any, bots: tuple[str, ...], seed: bytes, match: int, deal: int) -> Played:
    """One match from deal to outcome; bots see observations only."""
    choose = [next(bot.choose for bot in game.bots if bot.id == name) for name in bots]
    state = game.deal(len(bots), options, seed)
    first_seat = game.pending(state)[0][0]
    decisions = 0
    while owed := game.pending(state):
        seat, kind, number = owed[0]
        legal = game.legal_actions(state, seat)
        action = choose[seat](game.observe(state, seat), legal, random.Random(bot_seed(seed, seat, number)))
        if action not in legal:
            where = f"{game.kinds[kind].name}, seat {seat}, its decision {number}, match seed {seed.hex()}"
            raise CannotPlay(f"{game.slug}'s bot {bots[seat]!r} chose action {action}, which is not legal ({where})")
        game.apply(state, seat, action, None)
        decisions += 1
    outcome = game.outcome(state)
    assert outcome is not None
    seen = game.observe(state, None)
    cycles = tuple(value if isinstance(value := getattr(seen, name, None), int) else None for name in CYCLES)
    return Played(
        match, deal, seed, bots, first_seat, outcome.winners, outcome.reason, outcome.scores, decisions, cycles
    )


def play_deal(arena: Arena, deal: int) -> list[Played]:
    """One deal in every rotation of the line-up."""
    game, seed, ways = find(arena.slug), deal_seed(arena.seed, deal), rotations(arena.line_up)
    first = deal * len(ways)
    return [play_match(game, arena.options, bots, seed, first + i, deal) for i, bots in enumerate(ways)]


def play_deals(arena: Arena, deals: range) -> list[Played]:
    """Some deals, one after the other."""
    return [played for deal in deals for played in play_deal(arena, deal)]


def play(arena: Arena, deals: int, jobs: int = 1) -> Iterator[Played]:
    """Deals 0, 1, 2 ... in order, on so many processes; the matches are the same for any number of them."""
    chunks = [range(first, min(first + CHUNK, deals)) for first in range(0, deals, CHUNK)]
    jobs = min(jobs, len(chunks))
    if jobs <= 1:
        for deal in range(deals):
            yield from play_deal(arena, deal)
        return
    with signals_wait(), _born_deaf():  # this, too, may start a process, which counts semaphores
        executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _live_with_parent)
    ahead: deque[Future[list[Played]]] = deque()
    try:
        for chunk in chunks:
            with signals_wait(), _born_deaf():
                ahead.append(executor.submit(play_deals, arena, chunk))
            if len(ahead) > jobs * AHEAD:
                yield from ahead.popleft().result()
        while ahead:
            yield from ahead.popleft().result()
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _born_deaf() -> Iterator[None]:
    """A process that is started in here hears no signal until it is ready for them (``_live_with_parent``)."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _live_with_parent() -> None:
    """In a process that plays, before it does: Ctrl-C is for the parent to hear, and without it this one ends."""
    os.setsid()  # what is sent to all of the parent's terminal or group does not come here
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)  # and forget what has come meanwhile
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # how the executor ends the others when one was killed
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
