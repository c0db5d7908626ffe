"""Speed of the rules: decisions per second of random play on one core, clone, observe and determinize.

    python bench/engine.py [--game valente] [--seconds 2]

Beside each figure stands a calibration loop run in the same minute (a fixed mix of list, int and call work), since
machines are noisy: compare ratios, not numbers from two days.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import time
from pathlib import Path

from parlour_engine.check import seed_of
from parlour_engine.game import AnyGame
from parlour_engine.games import GAMES


def calibration(seconds: float) -> float:
    """Turns per second of a loop that never changes: append, pop, compare, call."""

    def turn(cards: list[int], n: int) -> int:
        cards.append(n)
        cards.append(n + 1)
        return cards.pop() if cards.pop() < n else n

    cards: list[int] = []
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        for n in range(1000):
            turn(cards, n)
            cards.clear()
        count += 1000
    return count / seconds


def random_play(game: AnyGame, seats: int, seconds: float) -> tuple[float, float]:
    """Decisions per second with legal listing, deals included; and decisions per match."""
    pending, legal_actions, apply = game.pending, game.legal_actions, game.apply
    options = game.options_type()
    chance = random.Random(1).random
    decisions = matches = 0
    start = time.perf_counter()
    while time.perf_counter() < start + seconds:
        state = game.deal(seats, options, seed_of(matches))
        matches += 1
        while owed := pending(state):
            seat = owed[0][0] if len(owed) == 1 else owed[int(chance() * len(owed))][0]
            legal = legal_actions(state, seat)
            apply(state, seat, legal[int(chance() * len(legal))], None)
            decisions += 1
    return decisions / (time.perf_counter() - start), decisions / matches


def per_call(game: AnyGame, seats: int) -> dict[str, float]:
    """Microseconds of clone, observe and determinize, over states spread along twenty matches."""
    rng = random.Random(2)
    states = []
    for number in range(20):
        state = game.deal(seats, game.options_type(), seed_of(number))
        while owed := game.pending(state):
            if rng.random() < 0.2:
                states.append((game.clone(state), owed[0][0]))
            seat = owed[0][0]
            game.apply(state, seat, rng.choice(game.legal_actions(state, seat)), None)
    seen = [game.observe(state, seat) for state, seat in states]

    def timed(call: object, items: list[object]) -> float:
        start = time.perf_counter()
        for item in items:
            call(item)  # type: ignore[operator]
        return (time.perf_counter() - start) / len(items) * 1e6

    return {
        "clone": min(timed(lambda pair: game.clone(pair[0]), states) for _ in range(5)),
        "observe": min(timed(lambda pair: game.observe(*pair), states) for _ in range(3)),
        "determinize": min(timed(lambda each: game.determinize(each, rng), seen) for _ in range(3)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=[game.slug for game in GAMES], help="one game only (default: all)")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds per figure (default 2)")
    parser.add_argument("--save", type=Path, help="write the figures as JSON")
    args = parser.parse_args()
    rows = []
    heads = ("decisions/s", "x calib", "per match", "clone us", "observe us", "determinize us")
    print(f"{'game':14}{'seats':>6}" + "".join(f"{head:>16}" for head in heads))
    for game in GAMES:
        if args.game not in (None, game.slug):
            continue
        for seats in game.seats:
            base = calibration(min(0.5, args.seconds))
            speed, length = random_play(game, seats, args.seconds)
            us = per_call(game, seats)
            figures = {"decisions_per_s": speed, "x_calibration": speed / base, "decisions_per_match": length, **us}
            rows.append({"game": game.slug, "seats": seats, **{key: round(value, 3) for key, value in figures.items()}})
            print(
                f"{game.slug:14}{seats:>6}{speed:>16,.0f}{speed / base:>16.3f}{length:>16.1f}"
                f"{us['clone']:>16.2f}{us['observe']:>16.1f}{us['determinize']:>16.1f}"
            )
    if args.save:
        head = {"command": "python bench/engine.py", "python": platform.python_version(), "cores": os.cpu_count()}
        args.save.write_text(json.dumps({**head, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
