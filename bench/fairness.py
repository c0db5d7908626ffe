"""Random matches of every game, in numbers, and whether ``determinize`` deals every world as often as it should.

    python bench/fairness.py [--matches 10000] [--game valente] [--jobs 2] [--save bench/results/fairness.json]

Matches: for every game and number of seats, default options. Each must end, with an outcome, and not by the limit that
stands behind its rules [CM-10]; no decision may be without a choice. ``--kit`` of them also pass the whole check kit.

Worlds: positions from random matches, their deck and hands cut short so that all worlds which a viewer cannot tell
apart can be counted out: every order of the unseen cards over the places where they may lie, those thrown out that
the viewer can rule out. How often ``determinize`` gives each world is compared by chi-square, added up over the
positions: p says how often chance alone strays as far; "p of worst" the same of the position that strays farthest,
times their number.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from parlour_engine.check import LIMIT, fair_match, seed_of
from parlour_engine.game import AnyGame, random_match
from parlour_engine.games import GAMES, find
from parlour_engine.games.love_is_dead.state import CARD_NUMBER
from parlour_engine.games.lovestruck.cards import KIND_OF, LAYABLE, K

CM_10 = {"valente": "rounds", "love_is_dead": "turn_limit", "lovestruck": None}
"""The reason of an outcome at the limit that a game has for want of an end; Lovestruck's board is one by itself."""
REVEALS = {"valente": False}
"""Games in which nothing hidden is ever turned up before the others (see ``same_events``)."""
PLACES = 7  # the unseen cards of a position that is counted out: 5,040 orders
CHUNK = 250

World = Any
Worlds = Counter[World]


# Matches


def play(slug: str, seats: int, first: int, count: int) -> tuple[Counter[str], int, int]:
    """Random matches: how they ended, and how many decisions they took in all and at most."""
    game = find(slug)
    options = game.options_type()
    ends: Counter[str] = Counter()
    decisions = longest = 0
    for number in range(first, first + count):
        rng = random.Random(number)
        state = game.deal(seats, options, seed_of(number))
        length = sum(1 for _ in bounded(random_match(game, state, rng), number))
        outcome = game.outcome(state)
        assert outcome is not None, f"seed {number}: nobody owes anything, and no outcome"
        assert outcome.reason != CM_10[slug], f"seed {number}: at the limit, {outcome.text}"
        ends[outcome.reason] += 1
        decisions += length
        longest = max(longest, length)
    return ends, decisions, longest


def bounded(steps: Iterator[Any], number: int) -> Iterator[Any]:
    for length, step in enumerate(steps):
        assert length < LIMIT, f"seed {number}: no end in sight"
        yield step


def check(slug: str, seats: int, first: int, count: int) -> tuple[Counter[str], int, int]:
    """Random matches under the whole check kit."""
    game = find(slug)
    lengths = [
        len(fair_match(game, seats, game.options_type(), number, 0.1, REVEALS.get(slug, True)))
        for number in range(first, first + count)
    ]
    return Counter(checked=count), sum(lengths), max(lengths)


# Worlds. A game's function gives, by what is hidden, a cut copy of a state and every world of a viewer in it.


class Position:
    """A state whose unseen cards are few: its worlds with their weights, and which of them a determinized state is."""

    def __init__(self, state: Any, worlds: Worlds, name: Callable[[Any], World]) -> None:
        self.state, self.worlds, self.name = state, worlds, name


def cut(cards: list[Any], most: int, pile: list[Any]) -> list[Any]:
    """So many of these cards; the others go to the pile."""
    pile.extend(cards[most:])
    return cards[:most]


def valente(game: AnyGame, state: Any, viewer: int | None, rng: random.Random) -> dict[str, Position]:
    """[VA-15] Cards that lie nowhere openly: any of them in any place that holds one of the same shuffle."""
    state = game.clone(state)
    others = [seat for seat in range(state.seats) if seat != viewer]
    for seat in others:
        known = [card for card in state.hands[seat] if state.known[seat] >> card & 1]
        hidden = [card for card in state.hands[seat] if card not in known]
        rng.shuffle(hidden)
        state.hands[seat] = sorted(known + cut(hidden, rng.randrange(1, 4), state.discard))
    hidden_hands = {s: [c for c in state.hands[s] if not state.known[s] >> c & 1] for s in others}
    open_scout = viewer == state.seat
    scouted = [] if open_scout else state.scouted
    held = sum(map(len, hidden_hands.values())) + len(scouted)
    rng.shuffle(state.deck)
    state.deck = cut(state.deck, max(0, PLACES - held), state.discard)
    piles = [*hidden_hands.values(), scouted, state.deck]
    cards = [card for pile in piles for card in pile]
    origin = [[state.origin[card] for card in pile] for pile in piles]
    sizes = [len(pile) for pile in piles]
    counts = [Counter(each) for each in origin]

    def named(split: list[tuple[int, ...]]) -> World:
        return (*(tuple(sorted(pile)) for pile in split[:-1]), split[-1])

    worlds: Worlds = Counter()
    if len(cards) <= PLACES:
        for order in permutations(cards):
            split, at = [], 0
            for size in sizes:
                split.append(order[at : at + size])
                at += size
            if all(Counter(state.origin[c] for c in pile) == count for pile, count in zip(split, counts, strict=True)):
                worlds[named(split)] += 1

    def name(other: Any) -> World:
        hands = [tuple(c for c in other.hands[s] if c not in state.hands[s] or c in hidden_hands[s]) for s in others]
        return named([*hands, () if open_scout else tuple(other.scouted), tuple(other.deck)])

    return {"cards": Position(state, worlds, name)}


def love_is_dead(game: AnyGame, state: Any, viewer: int | None, rng: random.Random) -> dict[str, Position]:
    """[CM-7a] Cards known to be in a hand lie there; cards known among the others' hands in any of their places; the
    rest anywhere. The pool's groups, each in any order [LD-38]; Endgame cards any that are not seen [LD-6]."""
    state = game.clone(state)
    seen = game.observe(state, viewer)
    others = [seat for seat in range(state.seats) if seat != viewer]
    known = {seat: Counter(CARD_NUMBER[card] for card in seen.players[seat].known_hand) for seat in others}
    among = Counter(CARD_NUMBER[card] for card in seen.known_among_others)
    hidden = {seat: list((Counter(state.hands[seat]) - known[seat]).elements()) for seat in others}
    if not among:
        for seat in others:
            rng.shuffle(hidden[seat])
            hidden[seat] = cut(hidden[seat], rng.randrange(1, 4), state.discard)
            state.hands[seat] = sorted([*known[seat].elements(), *hidden[seat]])
    held = sum(map(len, hidden.values()))
    rng.shuffle(state.deck)
    state.deck = cut(state.deck, max(0, PLACES - held), state.discard)
    # A card known among the others is one of those cards: it is told from its like by a mark.
    marked = Counter(among)
    cards: list[tuple[int, bool]] = []
    for kind in [kind for pile in hidden.values() for kind in pile] + state.deck:
        cards.append((kind, marked[kind] > 0))
        marked[kind] -= 1
    worlds: Worlds = Counter()
    if len(cards) <= PLACES:
        for order in permutations(cards):
            if any(mark for _, mark in order[held:]):
                continue
            kinds, split, at = [kind for kind, _ in order], [], 0
            for seat in others:
                split.append(tuple(sorted(kinds[at : at + len(hidden[seat])] + list(known[seat].elements()))))
                at += len(hidden[seat])
            worlds[(*split, tuple(kinds[held:]))] += 1

    def name(other: Any) -> World:
        return (*(tuple(sorted(other.hands[seat])) for seat in others), tuple(other.deck))

    found = {"cards": Position(state, worlds, name)}

    pools = game.clone(state)
    sizes, left = [], PLACES - 1
    for size in pools.groups:
        sizes.append(min(size, left))
        left -= sizes[-1]
    groups, top = [], len(pools.pool)
    for size, kept in zip(pools.groups, sizes, strict=True):
        groups.append(pools.pool[top - kept : top])
        top -= size
    pools.groups = tuple(size for size in sizes if size)
    pools.pool = [boo for group in reversed(groups) for boo in group]
    orders: Worlds = Counter(
        tuple(boo for group in reversed(order) for boo in group)
        for order in product(*(permutations(group) for group in groups))
    )
    found["pool"] = Position(pools, orders, lambda other: tuple(other.pool))

    scored = state.outcome is not None and state.outcome.scores is not None
    if not scored and len(others) <= 2:
        rest = [card for card in range(len(state.cards.endgames)) if viewer is None or card != state.endgame[viewer]]
        endgames: Worlds = Counter(permutations(rest, len(others)))
        found["endgames"] = Position(state, endgames, lambda other: tuple(other.endgame[seat] for seat in others))
    return found


def lovestruck(game: AnyGame, state: Any, viewer: int | None, rng: random.Random) -> dict[str, Position]:
    """[LS-28, LS-48] Known cards lie in their hands, the rest anywhere; a card laid on a date is one of the hand's, any
    that is Love or Drama; who threw a Bombshell holds nothing else, but for the card drawn last. [LS-5] The Wrong
    Intentions that are not known, anywhere, the leftover card included."""
    state = game.clone(state)
    seen = game.observe(state, viewer)
    others = [seat for seat in range(state.seats) if seat != viewer]
    known = {seat: [KIND_OF[card] for card in seen.known_hands[seat]] for seat in others}
    laid = {seat: (state.laid >> 2 * seat & 3) - 1 for seat in others if state.laid >> 2 * seat & 3}
    threw = {seat for seat, _ in state.aside}
    hidden: dict[int, list[int]] = {}
    for seat in others:
        held = Counter({kind: state.hands[seat * K + kind] for kind in range(K)})
        if seat in laid:
            held[laid[seat]] += 1
        rest = list((held - Counter(known[seat])).elements())
        rng.shuffle(rest)
        if seat not in laid and seat not in threw:
            gone: list[int] = []
            rest = cut(rest, rng.randrange(0, 3), gone)
            for kind in gone:
                take(state, seat, kind)
        hidden[seat] = rest
    held_count = sum(map(len, hidden.values()))
    rng.shuffle(state.deck)
    state.deck = cut(state.deck, max(0, PLACES - held_count), state.discard)
    cards = [kind for pile in hidden.values() for kind in pile] + state.deck
    worlds: Worlds = Counter()
    if len(cards) <= PLACES:
        for order in permutations(cards):
            hands, at = {}, 0
            for seat in others:
                hands[seat] = [*known[seat], *order[at : at + len(hidden[seat])]]
                at += len(hidden[seat])
            choices = [_date_hands(state, seat, hands[seat], seat in laid, seat in threw) for seat in others]
            for chosen in product(*choices):
                worlds[(*chosen, order[at:])] += 1

    def name(other: Any) -> World:
        hands = []
        for seat in others:
            counts = other.hands[seat * K : seat * K + K]
            hand = tuple(kind for kind in range(K) for _ in range(counts[kind]))
            hands.append((hand, (other.laid >> 2 * seat & 3) - 1))
        return (*hands, tuple(other.deck))

    found = {"date" if laid or threw else "cards": Position(state, worlds, name)}
    if not state.ending:
        _, wrong = state.season.intentions[state.seats]
        told = {seat: each for seat, each in enumerate(seen.intentions) if each is not None}
        unknown = [place for place in range(state.seats + 1) if place not in told]
        left = wrong - sum(each == "wrong" for each in told.values())
        ways: Worlds = Counter(combinations(unknown, left))
        found["intentions"] = Position(
            state, ways, lambda other: tuple(place for place in unknown if other.wrong >> place & 1)
        )
    return found


def _date_hands(
    state: Any, seat: int, hand: list[int], has_laid: bool, has_thrown: bool
) -> list[tuple[tuple[int, ...], int]]:
    """What a hand can be, with what was laid: one entry for each of its cards that can have been laid."""
    soft = [at for at, kind in enumerate(hand) if LAYABLE >> kind & 1]
    if has_thrown:  # nothing but Bombshells then; the card drawn last, here the last of the hand, may be any
        if any(at != len(hand) - 1 for at in soft):
            return []
        if state.sat_out >> seat & 1 and soft:
            return []
    if not has_laid:
        return [(tuple(sorted(hand)), -1)]
    return [(tuple(sorted(hand[:at] + hand[at + 1 :])), hand[at]) for at in soft]


def take(state: Any, seat: int, kind: int) -> None:
    """A card goes from a hand to the pile."""
    state.hands[seat * K + kind] -= 1
    if not state.hands[seat * K + kind]:
        state.masks[seat] &= ~(1 << kind)
    state.sizes[seat] -= 1
    state.discard.append(kind)


POSITIONS: dict[str, Callable[..., dict[str, Position]]] = {
    "valente": valente,
    "love_is_dead": love_is_dead,
    "lovestruck": lovestruck,
}


def deal_worlds(slug: str, seats: int, first: int, count: int) -> dict[str, list[tuple[float, int]]]:
    """By what is hidden: chi-square and its degrees of freedom of a position of each of some matches."""
    game = find(slug)
    found: dict[str, list[tuple[float, int]]] = {}
    for number in range(first, first + count):
        rng = random.Random(-number)
        state = game.deal(seats, game.options_type(), seed_of(number))
        length = sum(1 for _ in random_match(game, state, random.Random(number)))
        state = game.deal(seats, game.options_type(), seed_of(number))
        stop = rng.randrange(length + 1)
        for step, _ in enumerate(random_match(game, state, random.Random(number))):
            if step == stop:
                break
        viewer = rng.choice([*range(seats), None])
        for what, position in POSITIONS[slug](game, state, viewer, rng).items():
            if len(position.worlds) < 2:
                continue
            found.setdefault(what, []).append(compare(game, position, viewer, rng))
    return found


def compare(game: AnyGame, position: Position, viewer: int | None, rng: random.Random) -> tuple[float, int]:
    """Determinize an observation again and again: chi-square of the worlds that came, and its degrees of freedom."""
    seen = game.observe(position.state, viewer)
    total = sum(position.worlds.values())
    draws = min(6000, 8 * len(position.worlds) + 100)
    came: Worlds = Counter()
    for _ in range(draws):
        world = position.name(game.determinize(seen, rng))
        assert world in position.worlds, f"{world} is no world of {seen}"
        came[world] += 1
    cells: list[tuple[int, float]] = []
    seen_so_far, expected = 0, 0.0
    for world, weight in sorted(position.worlds.items()):
        seen_so_far += came[world]
        expected += draws * weight / total
        if expected >= 5:  # rare worlds are taken together
            cells.append((seen_so_far, expected))
            seen_so_far, expected = 0, 0.0
    if cells and expected:
        last = cells.pop()
        cells.append((last[0] + seen_so_far, last[1] + expected))
    return sum((count - mean) ** 2 / mean for count, mean in cells), len(cells) - 1


def p_value(square: float, freedom: int) -> float:
    """How often chi-square with so many degrees of freedom is at least this: the regularised upper gamma function."""
    a, x = freedom / 2, square / 2
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-15:
            n += 1
            term *= x / n
            total += term
        return 1 - front * total
    b = x + 1 - a  # Lentz's continued fraction
    c = 1e300
    d = 1 / b
    value = d
    for i in range(1, 100_000):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * value


# The run


def _call(job: tuple[Callable[..., Any], tuple[Any, ...]]) -> Any:
    verb, arguments = job
    return verb(*arguments)


def spread(pool: Any, verb: Callable[..., Any], slug: str, seats: int, count: int, chunk: int) -> Iterator[Any]:
    """The results of so many matches, in chunks over all processes; says how far it is."""
    jobs = [(verb, (slug, seats, first, min(chunk, count - first))) for first in range(0, count, chunk)]
    for done, result in enumerate(pool.imap_unordered(_call, jobs), 1):
        print(f"\r{slug} {seats}: {verb.__name__} {done}/{len(jobs)} parts   ", end="\r", flush=True, file=sys.stderr)
        yield result


def matches_row(pool: Any, slug: str, seats: int, count: int, kit: int) -> dict[str, Any]:
    start = time.perf_counter()
    ends: Counter[str] = Counter()
    decisions = longest = 0
    for chunk_ends, chunk_decisions, chunk_longest in spread(pool, play, slug, seats, count, CHUNK):
        ends += chunk_ends
        decisions += chunk_decisions
        longest = max(longest, chunk_longest)
    middle = time.perf_counter()
    checked = sum(ends["checked"] for ends, _, _ in spread(pool, check, slug, seats, kit, 5))
    row = {
        "game": slug,
        "seats": seats,
        "matches": ends.total(),
        "decisions_per_match": round(decisions / max(1, ends.total()), 1),
        "longest": longest,
        "ends": dict(sorted(ends.items())),
        "kit_matches": checked,
        "seconds": [round(middle - start, 1), round(time.perf_counter() - middle, 1)],
    }
    reasons = ", ".join(f"{reason} {number}" for reason, number in row["ends"].items())
    print(
        f"{slug:14}{seats:>6}{row['matches']:>9,}{row['decisions_per_match']:>11}{longest:>9}{checked:>6}"
        f"{row['seconds'][0]:>8}{row['seconds'][1]:>8} {reasons}"
    )
    return row


def worlds_rows(pool: Any, slug: str, table_sizes: Sequence[int], positions: int) -> list[dict[str, Any]]:
    found: dict[str, list[tuple[float, int]]] = {}
    for seats in table_sizes:
        for part in spread(pool, deal_worlds, slug, seats, positions // len(table_sizes), 5):
            for what, results in part.items():
                found.setdefault(what, []).extend(results)
    rows = []
    for what, results in sorted(found.items()):
        count = len(results)
        square, freedom = sum(each for each, _ in results), sum(each for _, each in results)
        p = p_value(square, freedom)
        worst = min(1.0, count * min(p_value(*each) for each in results))
        rows.append(
            {
                "game": slug,
                "hidden": what,
                "positions": count,
                "chi_square": round(square, 1),
                "degrees": freedom,
                "p": round(p, 4),
                "p_of_worst": round(worst, 4),
            }
        )
        print(f"{slug:14}{what:14}{count:>10}{square:>14,.1f}{freedom:>10,}{p:>10.4f}{worst:>12.4f}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=10_000, help="random matches per game and seats (default 10000)")
    parser.add_argument("--kit", type=int, default=20, help="of them, under the whole check kit (default 20)")
    parser.add_argument("--positions", type=int, default=400, help="positions per game for worlds (default 400)")
    parser.add_argument("--game", choices=[game.slug for game in GAMES], help="one game only (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    parser.add_argument("--save", type=Path, help="write the figures as JSON")
    args = parser.parse_args()
    games = [game for game in GAMES if args.game in (None, game.slug)]
    with get_context("spawn").Pool(args.jobs) as pool:
        print(
            f"{'game':14}{'seats':>6}{'matches':>9}{'decisions':>11}{'longest':>9}{'kit':>6}{'s':>8}{'kit s':>8}  ends"
        )
        matches = [
            matches_row(pool, game.slug, seats, args.matches, min(args.kit, args.matches))
            for game in games
            for seats in game.seats
        ]
        print(
            f"\n{'game':14}{'hidden':14}{'positions':>10}{'chi-square':>14}{'degrees':>10}{'p':>10}{'p of worst':>12}"
        )
        worlds = [row for game in games for row in worlds_rows(pool, game.slug, game.seats, args.positions)]
    if args.save:
        command = f"python bench/fairness.py --matches {args.matches} --kit {args.kit} --positions {args.positions}"
        head = {"command": command, "python": platform.python_version(), "cores": os.cpu_count()}
        args.save.parent.mkdir(exist_ok=True)
        args.save.write_text(json.dumps({**head, "matches": matches, "worlds": worlds}, indent=1) + "\n")


if __name__ == "__main__":
    main()
