"""Lovestruck: who knows what, and that a determinized state is any that fits. [LS-48, LS-50, CM-6, CM-7, CM-7a]"""

from __future__ import annotations

import json
import random
from collections import Counter as Tally
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from parlour_engine.check import fair_match, seed_of, two_worlds, viewers
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.cards import CARDS, DRAMA, LOVE, K
from parlour_engine.games.lovestruck.season import SEASONS
from parlour_engine.games.lovestruck.space import (
    Confessional,
    CoupleUp,
    DefuseTheTension,
    Pass,
    StealTheSpotlight,
    WeNeedToTalk,
)
from parlour_engine.games.lovestruck.state import State
from parlour_engine.games.lovestruck.views import Observation, Options, TurnEntry

from tests.engine.lovestruck_table import NO, Table, card, lay, play, send, turns

DRAWS = 2000
NEAR = 0.05  # of a share over so many draws: more than four standard deviations


def share(seen: Observation, holds: Callable[[State], bool]) -> float:
    """How often something holds in determinized states."""
    rng = random.Random(7)
    return sum(holds(GAME.determinize(seen, rng)) for _ in range(DRAWS)) / DRAWS


def known(table: Table, viewer: int | None, seat: int) -> str:
    return " ".join(table.sees(viewer).known_hands[seat])


# What is public, what is private


def test_LS_50_public_and_private() -> None:
    table = Table(5, hands={0: "love drama", 1: "screen_time"}, couples=[(2, 3)], wrong=(1,), discard="drama")
    table.state.known[2 * 16 + 1] = bytes(name == "screen_time" for name in CARDS)  # seat 2 knows of a card
    everybody = table.sees(None)
    assert everybody.hand_sizes == (2, 1, 0, 0, 0)
    assert everybody.deck_size == 96
    assert everybody.discard == ("drama",)
    assert everybody.partners == (None, None, 3, 2, None)
    assert (everybody.seat, everybody.hand, everybody.drawn) == (None, (), ())
    assert table.sees(0).hand == ("love", "drama")
    assert table.sees(1).intentions == (None, "wrong", None, None, None)
    private = {"seat", "hand", "intentions", "known_hands"}
    for name in Observation.__slots__:
        same = {getattr(table.sees(viewer), name) for viewer in viewers(5)}
        assert (len(same) == 1) == (name not in private), name


def test_LS_50_the_record_holds_turns_offers_and_dates() -> None:
    table = Table(5, hands={0: "love love drama", 1: "love", 2: "drama"}, deck="love")
    table.act(0, CoupleUp(target=1, share=2))
    table.act(1, NO)
    table.act(0, Confessional(), card("drama"), card("love"))
    turns(table, 4)
    table.act(1, send(0), send(1), send(2))
    lay(table, {2: "drama", 0: "love", 1: "love"})
    offer, turn, *passes, date = table.sees(4).record
    assert (offer.seat, offer.target, offer.share, offer.counter, offer.agreed) == (0, 1, 2, None, False)
    assert turn == TurnEntry(episode=1, seat=0, action="confessional", paid=("drama",), card="love")
    assert [(each.seat, each.action) for each in passes] == [(seat, "pass") for seat in (1, 2, 3, 4)]
    assert (date.episode, date.seat, date.reason, date.contestants) == (2, 1, "episode", (0, 1, 2))
    assert sorted(date.cards) == ["drama", "love", "love"]


def test_CM_6a_hands_leave_in_a_fixed_order_of_kinds() -> None:
    table = Table(5, hands={0: "screen_time drama love drama"})
    assert table.sees(0).hand == ("love", "drama", "drama", "screen_time")


# CM-7a


def test_LS_48_a_card_paid_face_up_is_known_of_no_more() -> None:
    table = Table(5, hands={0: "love love drama"}, viewership=3)
    table.act(0, CoupleUp(target=1, share=2))
    table.act(1, NO)
    assert known(table, 3, 0) == "love love"
    table.act(0, DefuseTheTension(), card("drama"))
    assert known(table, 3, 0) == "love"
    assert table.sees(0).known_hands[0] == ()
    assert table.sees(0).shown_hands[0] == ("love",)  # what all know of one's own hand


def test_LS_48_a_laid_card_counts_until_the_cards_are_turned_over() -> None:
    table = Table(5, episode=2, hands={0: "love", 1: "drama", 2: "love"}, deck="screen_time screen_time eavesdrop")
    table.state.shown[0 * K + LOVE] = 1
    table.state.shown[1 * K + DRAMA] = 1
    table.act(0, send(0), send(1), send(2))
    table.act(0, card("love"))
    assert known(table, 4, 0) == "love"
    table.act(1, card("drama"))
    table.act(2, card("love"))
    assert known(table, 4, 0) == known(table, 4, 1) == ""


def test_LS_48_all_love_cannot_have_been_drama() -> None:
    table = Table(5, episode=2, hands={0: "love", 1: "love drama", 2: "love"})
    table.state.shown[1 * K + DRAMA] = 1
    table.act(0, send(0), send(1), send(2))
    lay(table, {0: "love", 1: "love", 2: "love"})
    assert known(table, 4, 1) == "drama"


def test_LS_48_a_contestant_of_the_date_takes_out_their_own_card() -> None:
    """Seat 0 laid the only Drama, so seat 1 laid Love: its Drama is still there, for seat 0; others cannot tell."""
    table = Table(5, episode=2, hands={0: "drama", 1: "love love drama", 2: "love"})
    table.state.shown[1 * K + DRAMA] = 1
    table.state.shown[1 * K + LOVE] = 2
    table.act(0, send(0), send(1), send(2))
    lay(table, {0: "drama", 1: "love", 2: "love"})
    assert known(table, 0, 1) == "love drama"
    assert known(table, 2, 1) == known(table, 4, 1) == known(table, None, 1) == "love"


@pytest.mark.parametrize("number", range(6))
def test_LS_48_mixed_signals_for_the_two_and_for_the_others(number: int) -> None:
    table = Table(5, hands={0: "mixed_signals love drama", 2: "screen_time screen_time", 3: "eavesdrop"})
    table.state.seed = seed_of(number)
    table.state.known[3 * 16 + 2] = bytes(2 * (name == "screen_time") for name in CARDS)  # seat 3 has looked
    for place, count in ((0 * K + LOVE, 1), (0 * K + DRAMA, 1), (2 * K + CARDS.index("screen_time"), 2)):
        table.state.shown[place] = count
    table.act(0, play("mixed_signals", 2), card("drama"))
    took = table.sees(0).swaps[0].took
    theirs = {"screen_time": "drama screen_time", "drama": "screen_time screen_time"}[took]
    assert known(table, 0, 2) == theirs  # exactly their hand
    mine = {"screen_time": "love screen_time", "drama": "love drama"}[took]
    assert known(table, 2, 0) == mine
    for viewer in (1, 3, None):
        assert known(table, viewer, 0) == ""
        assert known(table, viewer, 2) == "screen_time"
    assert {"screen_time", "drama"} == {took_of(seed) for seed in range(6)}


def took_of(number: int) -> str:
    table = Table(5, hands={0: "mixed_signals love drama", 2: "screen_time screen_time"})
    table.state.seed = seed_of(number)
    table.act(0, play("mixed_signals", 2), card("drama"))
    return table.sees(0).swaps[0].took


def test_LS_48_what_all_are_shown_adds_to_what_one_has_seen() -> None:
    """LS-18: a card drawn after the Eavesdrop and shown to all."""
    table = Table(5, hands={0: "eavesdrop", 1: "love drama"}, deck="screen_time")
    table.act(0, play("eavesdrop", 1))
    table.act(1, Confessional(), card("love"), card("screen_time"))
    assert known(table, 0, 1) == "drama screen_time"
    assert known(table, 2, 1) == "screen_time"


@pytest.mark.parametrize("number", range(6))
def test_LS_48_mixed_signals_leaves_the_two_what_they_knew(number: int) -> None:
    """LS-44: who had looked at the other's hand knows it exactly afterwards, whichever card came back."""
    hands = {0: "eavesdrop mixed_signals love love drama", 2: "eavesdrop screen_time screen_time"}
    table = Table(5, episode=10, hands=hands)
    table.state.seed = seed_of(number)
    table.act(0, play("eavesdrop", 2))
    turns(table, 1)
    table.act(2, play("eavesdrop", 0))
    turns(table, 2)
    table.act(0, play("mixed_signals", 2), card("drama"))
    assert known(table, 0, 2) == table.hand(2)
    assert known(table, 2, 0) == table.hand(0)


def test_LS_48_what_is_discarded_of_two_drawn_was_never_known() -> None:
    table = Table(5, hands={0: "love"}, deck="love drama", villa_actions="reference_card")
    table.state.shown[LOVE] = 1
    table.act(0, StealTheSpotlight(), card("drama"))
    assert known(table, 3, 0) == "love"
    table = Table(5, hands={0: "love"}, deck="love drama")
    table.state.shown[LOVE] = 1
    table.act(0, StealTheSpotlight(), card("love"))
    assert known(table, 3, 0) == ""


def test_CM_7_what_was_learnt_stays_for_the_rest_of_the_match() -> None:
    table = Table(5, hands={0: "love love love love love eavesdrop", 3: "drama"}, couples=[(0, 3)], wrong=(3,))
    table.act(0, play("eavesdrop", 3))
    turns(table, 4)
    table.act(1, send(1), send(2), send(4))
    lay(table, {seat: table.hand(seat).split()[0] for seat in list(table.owing)})
    seen = table.sees(0)
    assert seen.seen_hands[0].cards == ("drama",)
    state = GAME.load(json.loads(json.dumps(GAME.dump(table.state))))
    assert GAME.observe(state, 0) == seen
    table = Table(5, hands={0: "love " * 5}, couples=[(0, 3)], wrong=(3,))
    table.act(0, WeNeedToTalk())
    rng = random.Random(1)
    while table.state.pending:
        assert table.sees(0).intentions[3] == "wrong"
        seat = table.owing[0]
        GAME.apply(table.state, seat, rng.choice(GAME.legal_actions(table.state, seat)), None)


# Determinized states


def test_LS_5_unknown_intentions_are_dealt_evenly_over_seats_and_the_leftover() -> None:
    """Seat 0 is Right and knows that 3 is Wrong: one Wrong card among 1, 2, 4 and the leftover."""
    table = Table(5, wrong=(3, 5))
    table.state.looked |= 1 << 3
    seen = table.sees(0)
    for place in (1, 2, 4, 5):
        assert abs(share(seen, lambda state, place=place: bool(state.wrong >> place & 1)) - 1 / 4) < NEAR
    assert share(seen, lambda state: state.wrong & 0b01001 == 0b01000) == 1


def test_unseen_cards_are_dealt_evenly() -> None:
    """Seat 1's single unknown card is Love as often as Love is among the unseen ones; the deck's top the same."""
    table = Table(5, hands={0: "love love love", 1: "drama"}, discard="love " * 9 + "drama " * 6)
    seen = table.sees(0)
    unseen = 100 - 3 - 15
    held = lambda state: bool(state.hands[1 * K + LOVE])  # noqa: E731
    assert abs(share(seen, held) - (42 - 12) / unseen) < NEAR
    assert abs(share(seen, lambda state: state.deck[-1] == DRAMA) - (36 - 6) / unseen) < NEAR


def naive(table: Table, viewer: int | None, rng: random.Random) -> tuple[int, tuple[int, ...]]:
    """Worlds by throwing away: deal the unseen at random over hands, laid places and deck; keep what fits the date.

    Known cards of a hand lie anywhere in that hand or on the date. Returns ``laid`` and seat 2's counts.
    """
    seen, season = table.sees(viewer), table.state.season
    pool = Tally(dict(enumerate(season.mix)))
    pool.subtract(CARDS.index(name) for name in seen.discard)
    pool.subtract(CARDS.index(throw.card) for throw in seen.date.thrown)
    places: dict[int, list[int]] = {}
    for seat, cards in enumerate(seen.known_hands):
        kinds = [CARDS.index(name) for name in (seen.hand if seat == viewer else cards)]
        pool.subtract(kinds)
        places[seat] = kinds
    if seen.date.your_card:
        pool[CARDS.index(seen.date.your_card)] -= 1
    threw = {throw.seat for throw in seen.date.thrown}
    while True:
        unseen = list(pool.elements())
        rng.shuffle(unseen)
        laid = 0
        fits = True
        hands = {}
        for seat, size in enumerate(seen.hand_sizes):
            if seat == viewer:
                continue
            on_date = seat in seen.date.answered
            new = size + on_date - len(places[seat])
            hand = places[seat] + [unseen.pop() for _ in range(new)]
            if on_date:
                at = len(hand) - 1 if seat in threw else rng.randrange(len(hand))  # the last one drawn, after a throw
                kind = hand.pop(at)
                fits = fits and kind <= DRAMA
                laid |= 1 + kind << 2 * seat
            if seat in threw:
                old = hand if on_date or seat in seen.date.sat_out else hand[:-1]
                fits = fits and all(kind > DRAMA for kind in old)
            hands[seat] = hand
        if fits:
            counts = Tally(hands.get(2, []))
            return laid, tuple(counts[kind] for kind in range(K))


def on_a_date() -> Iterator[tuple[str, Table, int | None]]:
    hands = {0: "love love", 1: "drama drama", 2: "love drama eavesdrop", 3: "love"}
    table = Table(5, episode=3, hands=hands, discard="love " * 30 + "drama " * 20)
    table.act(0, send(0), send(1), send(2), send(3))
    table.act(1, card("drama"))
    yield "one has laid", table, 0
    table = Table(5, episode=3, hands=hands, discard="love " * 34 + "drama " * 28)
    table.act(0, send(0), send(1), send(2), send(3))
    table.state.shown[2 * K + LOVE] = 1
    table.state.shown[1 * K + DRAMA] = 1
    lay(table, {1: "drama", 2: "drama", 3: "love"})
    yield "known cards may be laid", table, 0
    yield "for a spectator", table, None
    hands = {0: "love", 1: "eavesdrop temptation", 2: "screen_time", 3: "love"}
    table = Table(5, episode=3, hands=hands, deck="love screen_time love love drama", discard="love " * 20)
    table.act(0, send(0), send(1), send(2), send(3))
    table.act(1, card("eavesdrop"))
    table.act(1, card("drama"))
    yield "one has thrown and laid", table, 0
    table = Table(5, episode=3, hands=hands, deck="love screen_time eavesdrop love drama", discard="love " * 20)
    table.act(0, send(0), send(1), send(2), send(3))
    table.act(2, card("screen_time"))
    yield "one has thrown and still owes", table, 0


CASES = [pytest.param(table, viewer, id=name) for name, table, viewer in on_a_date()]


@pytest.mark.parametrize(("table", "viewer"), CASES)
def test_LS_28_cards_laid_and_thrown_are_sampled_as_by_throwing_away_what_does_not_fit(
    table: Table, viewer: int | None
) -> None:
    rng = random.Random(11)
    fair = Tally()
    fair_hand = Tally()
    ours = Tally()
    ours_hand = Tally()
    seen = table.sees(viewer)
    own = 0 if viewer is None else 3 << 2 * viewer
    for _ in range(DRAWS):
        laid, counts = naive(table, viewer, rng)
        fair[laid] += 1
        fair_hand.update([("love", counts[LOVE]), ("drama", counts[DRAMA])])
        state = GAME.determinize(seen, rng)
        ours[state.laid & ~own] += 1
        theirs = state.hands[2 * K : 3 * K]
        ours_hand.update([("love", theirs[LOVE]), ("drama", theirs[DRAMA])])
    for laid in fair | ours:
        assert abs(fair[laid] - ours[laid]) / DRAWS < NEAR, f"{laid:b}: {fair[laid]} {ours[laid]}"
    for held in fair_hand | ours_hand:
        assert abs(fair_hand[held] - ours_hand[held]) / DRAWS < NEAR, f"{held}: {fair_hand[held]} {ours_hand[held]}"


@pytest.mark.parametrize(("table", "viewer"), CASES)
def test_LS_27_who_threw_held_only_bombshells(table: Table, viewer: int | None) -> None:
    seen = table.sees(viewer)
    for throw in seen.date.thrown:
        for _ in range(50):
            state = two_worlds(GAME, table.state, 5, viewer, random.Random(3))
            soft = state.hands[throw.seat * K + LOVE] + state.hands[throw.seat * K + DRAMA]
            assert soft <= (throw.seat in seen.deciding)


@pytest.mark.parametrize("viewer", viewers(5))
def test_LS_24_the_two_drawn_are_unknown_to_others(viewer: int | None) -> None:
    table = Table(5, hands={0: "love"}, deck="love drama", villa_actions="reference_card")
    table.state.shown[LOVE] = 1
    table.act(0, StealTheSpotlight())
    pairs = {two_worlds(GAME, table.state, 5, viewer, random.Random(n)).drawn_two for n in range(60)}
    assert (pairs == {(LOVE, DRAMA)}) == (viewer == 0)
    assert all(len(pair) == 2 for pair in pairs)


def test_two_worlds_hold_while_an_offer_is_open_and_the_offer_can_be_accepted_there() -> None:
    """LS-14: in every world that the target thinks possible the proposer can pay."""
    table = Table(5, hands={0: "love love drama", 1: "love"})
    table.act(0, CoupleUp(target=1, share=2))
    for number in range(60):
        for viewer in (1, 3, None):
            other = two_worlds(GAME, table.state, 5, viewer, random.Random(number))
            assert other.hands[LOVE] >= 2
        other = two_worlds(GAME, table.state, 5, 1, random.Random(number))
        GAME.apply(other, 1, 2, None)
        assert other.partner[0] == 1


# Whole matches with other options and with decks that make rare things common


def odd_decks(folder: Path) -> Iterator[str]:
    """Mostly Bombshells (throws), and long draws (nothing left to draw)."""
    data = json.loads((Path(GAME.decks._files["house"])).read_text(encoding="utf-8"))
    data["mix"] = {kind: 8 if kind not in ("love", "drama") else 6 for kind in data["mix"]}
    yield from _shelved(folder / "bombshells.json", data)
    data["board"] = [
        {"type": "villa", "number": 11},
        {"type": "date", "number": 5},
        {"type": "date", "number": 3},
        {"type": "villa", "number": 4},
        {"type": "finale", "number": 2},
    ]
    yield from _shelved(folder / "scarce.json", data)


def _shelved(path: Path, data: dict) -> Iterator[str]:
    path.write_text(json.dumps(data), encoding="utf-8")
    SEASONS.add(path)
    yield path.stem
    SEASONS._files.pop(path.stem)
    SEASONS._decks.pop(path.stem)


def test_matches_with_rare_things_are_fair(tmp_path: Path) -> None:
    """LS-11, LS-27, CM-8: many throws, reshuffles, sitting out; the reference card and the next season too."""
    for deck in odd_decks(tmp_path):
        for seats in (5, 10):
            for actions in ("list", "reference_card"):
                fair_match(GAME, seats, Options(deck=deck, villa_actions=actions, next_season=True), 3)


@pytest.mark.parametrize("seats", range(5, 11))
def test_LS_24_matches_by_the_reference_card_are_fair(seats: int) -> None:
    for number in range(2):
        fair_match(GAME, seats, Options(villa_actions="reference_card", next_season=True), 100 + number)


def test_passing_all_the_way_is_fair_to_the_end() -> None:
    table = Table(5, episode=10)
    while table.state.pending:
        for viewer in viewers(5):
            two_worlds(GAME, table.state, 5, viewer, random.Random(1))
        table.act(table.owing[0], Pass())
    for viewer in viewers(5):
        two_worlds(GAME, table.state, 5, viewer, random.Random(1))
