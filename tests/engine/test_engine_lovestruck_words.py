"""Lovestruck in words: labels, and why something is not legal, with the rule that says so."""

from __future__ import annotations

import random
import re

import pytest
from parlour_engine.check import seed_of, viewers
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.space import (
    BonusDate,
    BreakUp,
    Confessional,
    Counter,
    CoupleUp,
    DefuseTheTension,
    ExploreAllOptions,
    KeepYourOptionsOpen,
    Pass,
    StealTheSpotlight,
    WeNeedToTalk,
)
from parlour_engine.games.lovestruck.views import Options

from tests.engine.lovestruck_table import NO, YES, Table, card, play, send

RULE = re.compile(r"\((?:LS|CM)-\d+[a-z]?(?:, (?:LS|CM)-\d+[a-z]?)*\)\.$")


def label(table: Table, seat: int, action) -> str:
    return GAME.label(table.sees(seat), GAME.actions(table.state.seats).index(action))


@pytest.mark.parametrize("actions", ["list", "reference_card"])
def test_every_refusal_names_a_rule(actions) -> None:
    """At every step of some matches, for who decides, for who does not, for a spectator and after the end."""
    for seats in (5, 10):
        state = GAME.deal(seats, Options(villa_actions=actions), seed_of(seats))
        rng = random.Random(seats)
        space = range(len(GAME.actions(seats)))
        while True:
            for viewer in rng.sample(viewers(seats), 2) + [entry[0] for entry in state.pending[:1]]:
                seen = GAME.observe(state, viewer)
                legal = set() if viewer is None else set(GAME.legal_actions(state, viewer))
                for action in rng.sample(space, 20):
                    if action not in legal:
                        reason = GAME.explain(seen, action)
                        assert RULE.search(reason), reason
                        assert reason[0].isupper() or not reason[0].isalpha()
            if not state.pending:
                break
            seat = rng.choice(state.pending)[0]
            GAME.apply(state, seat, rng.choice(GAME.legal_actions(state, seat)), None)


REFUSALS = [
    ("LS-16", Table(5), BreakUp()),
    ("LS-18", Table(5), Confessional()),
    ("LS-19", Table(5, hands={0: "love"}), DefuseTheTension()),
    ("LS-20", Table(5, hands={0: "love"}, couples=[(1, 2)]), ExploreAllOptions(target=1)),
    ("LS-20", Table(5, hands={0: "love " * 5}, couples=[(1, 2)]), ExploreAllOptions(target=3)),
    ("LS-20", Table(5, hands={0: "love " * 5}, couples=[(0, 2)]), ExploreAllOptions(target=2)),
    ("LS-20", Table(5, hands={0: "love " * 5}, couples=[(0, 2)]), ExploreAllOptions(target=0)),
    ("LS-21", Table(5, hands={0: "love " * 5}), WeNeedToTalk()),
    ("LS-21", Table(5, hands={0: "love " * 4}, couples=[(0, 2)]), WeNeedToTalk()),
    ("LS-24", Table(5, hands={0: "love"}), BonusDate()),
    ("LS-24", Table(5, hands={0: "love " * 5}), KeepYourOptionsOpen(target=1)),
    ("LS-24", Table(5, villa_actions="reference_card"), BonusDate()),
    ("LS-24", Table(5, hands={0: "love"}, villa_actions="reference_card"), Confessional()),
    ("LS-24", Table(5, hands={0: "love " * 5}, villa_actions="reference_card"), ExploreAllOptions(target=1)),
    ("LS-24", Table(5, hands={0: "love " * 5}, villa_actions="reference_card"), KeepYourOptionsOpen(target=1)),
    ("LS-12", Table(5, hands={0: "love"}), CoupleUp(target=0, share=1)),
    ("LS-12", Table(5, hands={0: "love"}, couples=[(0, 1)]), CoupleUp(target=1, share=1)),
    ("LS-14", Table(5, hands={0: "love"}), CoupleUp(target=1, share=2)),
    ("LS-8", Table(5, hands={0: "love"}), play("blind_date")),
    ("LS-45", Table(5, hands={0: "screen_time"}, episode=10), play("screen_time")),
    ("LS-46", Table(5, hands={0: "temptation"}), play("temptation", 1)),
    ("LS-37", Table(5, hands={0: "temptation"}, couples=[(1, 2)]), play("temptation", 2)),
    ("LS-39", Table(5, hands={0: "love_letter"}), play("love_letter", 1)),
    ("LS-39", Table(5, hands={0: "love_letter love"}, couples=[(0, 1)]), play("love_letter", 1)),
    ("LS-40", Table(5, hands={0: "eavesdrop"}), play("eavesdrop", 1)),
    ("LS-40", Table(5, hands={0: "eavesdrop"}), play("eavesdrop", 0)),
    ("LS-44", Table(5, hands={0: "mixed_signals"}), play("mixed_signals", 1)),
    ("LS-8", Table(5), card("love")),
    ("LS-8", Table(5), YES),
]


@pytest.mark.parametrize(
    ("rule", "table", "action"), REFUSALS, ids=[f"{n}-{each[0]}" for n, each in enumerate(REFUSALS)]
)
def test_the_refusal_names_the_right_rule(rule: str, table: Table, action) -> None:
    assert action not in table.legal()
    assert f"{rule}" in table.why(0, action)


SINGLE, COUPLED = {"hands": {0: "love " * 5}}, {"hands": {0: "love " * 5}, "couples": [(0, 1)]}
WORDS = [
    ("You are single (LS-21).", Table(5, **SINGLE), WeNeedToTalk()),
    ("It costs 5 Love, you have 4 (LS-21).", Table(5, hands={0: "love " * 4}, couples=[(0, 1)]), WeNeedToTalk()),
    ("It costs 5 cards, you have 0 (LS-20).", Table(5, couples=[(1, 2)]), ExploreAllOptions(target=1)),
    ("You know your own Intention (LS-20).", Table(5, **COUPLED), ExploreAllOptions(target=0)),
    ("Not your own partner's (LS-20).", Table(5, **COUPLED), ExploreAllOptions(target=1)),
    ("Kofi is not in a couple (LS-20).", Table(5, **SINGLE), ExploreAllOptions(target=4)),
    (
        "Only who is coupled up can (LS-24).",
        Table(5, **SINGLE, villa_actions="reference_card"),
        KeepYourOptionsOpen(target=1),
    ),
    ("It needs another card in hand (LS-44).", Table(5, hands={0: "mixed_signals"}), play("mixed_signals", 1)),
    (
        "Choose another contestant (LS-39, LS-40, LS-41, LS-44).",
        Table(5, hands={0: "mixed_signals love"}),
        play("mixed_signals", 0),
    ),
    ("That contestant has no cards (LS-40).", Table(5, hands={0: "eavesdrop"}), play("eavesdrop", 1)),
    (
        "A Love Letter needs a Love card besides (LS-39).",
        Table(5, hands={0: "love_letter drama"}),
        play("love_letter", 1),
    ),
    (
        "You are a couple already (LS-39).",
        Table(5, hands={0: "love_letter love"}, couples=[(0, 1)]),
        play("love_letter", 1),
    ),
]


@pytest.mark.parametrize(("words", "table", "action"), WORDS, ids=[words for words, *_ in WORDS])
def test_the_refusal_says_what_is_true_here(words: str, table: Table, action) -> None:
    """Where a rule has several reasons, it is the one that holds."""
    assert action not in table.legal()
    assert table.why(0, action) == words


def test_refusals_in_the_midst_of_things() -> None:
    table = Table(5, hands={0: "love love", 1: "drama", 2: "love"})
    table.act(0, CoupleUp(target=1, share=1))
    assert "LS-8" in table.why(2, Pass())  # not theirs to decide
    assert "LS-13" in table.why(1, Pass())
    assert "LS-14" in table.why(1, YES)
    assert "LS-14" in table.why(1, Counter(share=1))
    table.act(1, Counter(share=0))
    assert "LS-13" in table.why(0, Counter(share=1))
    assert "LS-14" in table.why(0, YES)
    table.act(0, NO)
    assert "LS-13" in table.why(0, CoupleUp(target=1, share=1))
    table.act(0, CoupleUp(target=1, share=2))
    assert table.why(1, Counter(share=0)) == "You have countered once in this Villa turn (LS-13)."
    table.act(1, NO)
    table.act(0, CoupleUp(target=2, share=2))
    table.act(2, NO)
    table = Table(5, hands={0: "love drama drama"})
    table.act(0, DefuseTheTension())
    assert "LS-9" in table.why(0, card("screen_time"))
    assert "LS-9" in table.why(0, Pass())
    table = Table(5, hands={0: "love"}, deck="drama love")
    table.act(0, StealTheSpotlight())
    assert "LS-17" in table.why(0, Pass())
    table = Table(5, deck="drama love", villa_actions="reference_card")
    table.act(0, StealTheSpotlight())
    assert "LS-24" in table.why(0, card("screen_time"))


def test_refusals_on_a_date() -> None:
    table = Table(5, episode=2, hands={0: "love screen_time", 1: "love", 2: "love"})
    assert "LS-25" in table.why(0, Pass())
    table.act(0, send(0))
    assert "LS-25" in table.why(0, send(0))
    table.act(0, send(1), send(2))
    assert "LS-26" in table.why(0, card("screen_time"))
    assert "LS-26" in table.why(0, send(3))
    assert "CM-4" in table.why(1, card("eavesdrop"))
    table.act(0, card("love"))
    assert "LS-28" in table.why(0, card("love"))


def test_a_card_that_one_does_not_hold_and_one_that_nobody_may_play_tell_nothing_of_others() -> None:
    """The words come from the observation alone: equal observations, equal words."""
    for theirs in ("love love love", "drama"):
        table = Table(5, hands={0: "love", 1: theirs})
        reasons = {table.why(0, action) for action in (CoupleUp(target=1, share=3), CoupleUp(target=2, share=3))}
        assert reasons == {"You cannot offer 3 Love, you have 1 (LS-14)."}


def test_labels() -> None:
    table = Table(5, hands={0: "love love drama temptation", 1: "love love"}, couples=[(2, 4)])
    assert label(table, 0, Pass()) == "Pass"
    assert label(table, 0, CoupleUp(target=1, share=2)) == "Offer Inès to couple up: you pay 2, they pay 1 Love"
    assert label(table, 0, play("temptation", 2)) == "Play Temptation on Tobias and Kofi"
    table.act(0, CoupleUp(target=1, share=2))
    assert label(table, 1, YES) == "Accept and pay 1 Love"
    assert label(table, 1, NO) == "Decline"
    assert label(table, 1, Counter(share=2)) == "Counter: you pay 2 of the 3 Love"
    table.act(1, Counter(share=2))
    assert label(table, 0, YES) == "Accept and pay 1 Love"
    assert label(table, 0, NO) == "Drop the counter"
    table = Table(5, episode=2, hands={0: "love", 1: "screen_time", 2: "love"}, deck="love screen_time love")
    assert label(table, 0, send(1)) == "Send Inès on the date"
    table.act(0, send(0), send(1), send(2))
    assert label(table, 0, card("love")) == "Lay Love face down"
    assert label(table, 1, card("screen_time")) == "Throw Screen Time aside"
    for seats in (5, 10):
        seen = GAME.observe(GAME.deal(seats, Options(), seed_of(1)), 0)
        labels = [GAME.label(seen, number) for number in range(len(GAME.actions(seats)))]
        assert len(set(labels)) == len(labels)
