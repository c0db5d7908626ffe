"""Lovestruck rule by rule: the Bombshells."""

from __future__ import annotations

from collections import Counter as Tally

import pytest
from parlour_engine.check import seed_of
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.cards import CARDS
from parlour_engine.games.lovestruck.events import (
    CardPaid,
    CardsDrawn,
    CoupleBroken,
    HandSeen,
    IntentionSeen,
    OfferAnswered,
    SignalsMixed,
    TurnTaken,
    ViewershipChanged,
)
from parlour_engine.games.lovestruck.space import Confessional, CoupleUp, Pass, PlayBombshell

from tests.engine.lovestruck_table import NO, YES, Table, card, lay, play, send, turns


def aimed_at(table: Table, name: str) -> set[int | None]:
    return {each.target for each in table.legal() if isinstance(each, PlayBombshell) and each.card == name}


@pytest.mark.parametrize(("rule", "name", "size"), [("LS-35", "blind_date", 2), ("LS-36", "group_date", 4)])
def test_LS_35_LS_36_blind_date_and_group_date(rule: str, name: str, size: int) -> None:
    """Two, or four, contestants of your choice go on a date now; then the Villa turns go on."""
    hands = {0: f"{name} love", **dict.fromkeys(range(1, 6), "love")}
    table = Table(6, hands=hands, deck="drama " * size, viewership=4)
    assert not table.act(0, play(name))
    assert table.pile() == [name]  # the card is discarded first
    assert table.asked == "choose_contestant"
    assert table.legal() == {send(seat) for seat in range(6)}
    table.act(0, *(send(seat) for seat in range(size)))
    assert table.owing == list(range(size))
    assert table.sees(5).date.reason == name
    lay(table, dict.fromkeys(range(size), "love"))
    assert table.state.viewership == 3
    assert [table.hand(seat) for seat in range(6)] == ["drama"] * size + ["love"] * (6 - size)  # Love brings no cards
    assert table.owing == [1]
    assert [entry.type for entry in table.sees(3).record] == ["date", "turn"]


@pytest.mark.parametrize(("name", "size"), [("blind_date", 2), ("group_date", 4)])
def test_LS_35_LS_36_who_plays_the_card_chooses_not_the_main_character(name: str, size: int) -> None:
    table = Table(6, hands={1: name, **dict.fromkeys(range(2, 6), "love")})
    turns(table, 1)
    table.act(1, play(name))
    assert (table.state.main, table.owing, table.asked) == (0, [1], "choose_contestant")
    assert table.sees(4).date.seat == 1
    table.act(1, *(send(5 - place) for place in range(size)))
    lay(table, dict.fromkeys(list(table.owing), "love"))
    date = table.sees(4).record[-2]
    assert (date.type, date.seat, date.reason) == ("date", 1, name)
    assert table.owing == [2]


@pytest.mark.parametrize(("name", "viewership"), [("temptation", 5), ("clean_break", 4)])
def test_LS_37_LS_38_temptation_and_clean_break(name: str, viewership: int) -> None:
    """Any couple, your own included, named by its lower seat; only Temptation raises viewership."""
    for own in (False, True):
        table = Table(6, hands={0: name}, couples=[(0, 5), (2, 4)], viewership=4)
        assert aimed_at(table, name) == {0, 2}
        table.act(0, play(name, 0 if own else 2))
        assert table.couples() == {(2, 4) if own else (0, 5)}
        assert table.happened(CoupleBroken) == [CoupleBroken(couple=(0, 5) if own else (2, 4))]
        assert table.state.viewership == viewership
        assert table.owing == [1]


@pytest.mark.parametrize("name", ["temptation", "clean_break"])
def test_LS_37_LS_38_the_couples_to_break_are_seen_anew_when_others_stand(name: str) -> None:
    """The same hand on the same turn, only the couples differ."""
    for couples in ([(1, 2)], [(3, 4)], [(1, 4), (2, 3)], [(2, 4)], []):
        assert aimed_at(Table(6, hands={0: name}, couples=couples), name) == {seat for seat, _ in couples}


def test_LS_37_at_ten_the_match_is_over() -> None:
    table = Table(6, hands={0: "temptation"}, couples=[(2, 4)], viewership=9, wrong=(5,))
    table.act(0, play("temptation", 2))
    assert GAME.outcome(table.state).winners == (5,)
    assert (table.sees(0).record[-1].action, table.sees(0).record[-1].broken) == ("temptation", ((2, 4),))


def test_LS_39_love_letter() -> None:
    table = Table(6, hands={0: "love_letter love love"}, couples=[(0, 5), (2, 4)], viewership=4)
    assert aimed_at(table, "love_letter") == {1, 2, 3, 4}  # not the partner
    table.act(0, play("love_letter", 2))
    assert (table.owing, table.asked) == ([2], "letter_reply")
    assert table.legal() == {NO, YES}
    assert table.hand(0) == "love love"  # paid on acceptance
    table.act(2, YES)
    assert table.hand(0) == "love"
    assert table.pile() == ["love_letter", "love"]
    assert table.couples() == {(0, 2)}
    assert table.state.viewership == 5  # LS-15
    assert table.owing == [1]


def test_LS_39_the_writer_pays_and_nobody_else() -> None:
    table = Table(5, hands={0: "love_letter love drama", 1: "love love"})
    table.act(0, play("love_letter", 1))
    table.act(1, YES)
    assert table.happened(CardPaid) == [CardPaid(seat=0, card="love")]
    assert (table.hand(0), table.hand(1)) == ("drama", "love love")
    assert (table.sees(4).record[-1].agreed, table.sees(4).record[-1].paid) == (True, ("love",))


def test_LS_39_turned_down_the_card_and_the_turn_are_spent() -> None:
    table = Table(5, hands={0: "love_letter love"})
    table.act(0, play("love_letter", 1))
    table.act(1, NO)
    assert table.happened(OfferAnswered) == [OfferAnswered(seat=1, accepted=False)]
    assert (table.pile(), table.hand(0), table.owing) == (["love_letter"], "love", [1])
    assert table.sees(4).record[-1].agreed is False


def test_LS_39_needs_a_love_besides_and_shows_it() -> None:
    assert aimed_at(Table(5, hands={0: "love_letter drama"}), "love_letter") == set()
    table = Table(5, hands={0: "love_letter love"})
    table.act(0, play("love_letter", 1))
    assert table.sees(None).shown_hands[0] == ("love",)


def test_LS_40_eavesdrop() -> None:
    """What was seen then, not a live view. [CM-7]"""
    table = Table(5, hands={0: "eavesdrop", 1: "love drama drama", 3: "love"})
    assert aimed_at(table, "eavesdrop") == {1, 3}  # who has cards, not oneself
    table.act(0, play("eavesdrop", 1))
    assert table.happened(HandSeen) == [HandSeen(seat=0, target=1)]
    assert table.happened(HandSeen, seen_by=0) == [HandSeen(seat=0, target=1, cards=("love", "drama", "drama"))]
    for other in (1, 2):
        assert table.happened(HandSeen, seen_by=other) == [HandSeen(seat=0, target=1)]
    table.act(1, Confessional(), card("drama"))
    seen = table.sees(0)
    assert (seen.seen_hands[0].episode, seen.seen_hands[0].seat) == (1, 1)
    assert seen.seen_hands[0].cards == ("love", "drama", "drama")
    assert seen.known_hands[1] == ("love", "drama")
    assert table.sees(1).seen_hands == table.sees(2).seen_hands == ()
    assert table.sees(2).known_hands[1] == ()


def test_LS_40_a_second_look_at_a_hand_leaves_the_first() -> None:
    """CM-7: both looks are remembered, in their order."""
    table = Table(5, episode=10, hands={0: "eavesdrop eavesdrop", 1: "love drama drama"}, deck="screen_time")
    table.act(0, play("eavesdrop", 1))
    table.act(1, Confessional(), card("love"), card("drama"))
    turns(table, 3)
    table.act(0, play("eavesdrop", 1))
    then, now = (each.cards for each in table.sees(0).seen_hands)
    assert then == ("love", "drama", "drama")
    assert now == table.sees(0).known_hands[1] == ("drama", "drama", "screen_time")


def test_LS_41_heart_to_heart() -> None:
    table = Table(5, hands={0: "heart_to_heart"}, couples=[(0, 2)], wrong=(2,))
    assert aimed_at(table, "heart_to_heart") == {1, 2, 3, 4}  # the partner included
    table.act(0, play("heart_to_heart", 2))
    assert (table.owing, table.asked, table.legal()) == ([2], "heart_reply", {NO, YES})
    table.act(2, YES)
    assert len(table.happened(IntentionSeen)) == 2
    assert table.sees(1).record[-1].agreed is True
    assert table.sees(0).intentions == ("right", None, "wrong", None, None)
    assert table.sees(2).intentions == ("right", None, "wrong", None, None)
    assert table.sees(1).intentions == (None, "right", None, None, None)
    assert table.sees(1).looks == ((2,), (), (0,), (), ())


def test_LS_41_turned_down_the_card_and_the_turn_are_spent() -> None:
    table = Table(5, hands={0: "heart_to_heart love"})
    table.act(0, play("heart_to_heart", 2))
    table.act(2, NO)
    assert table.sees(1).record[-1].agreed is False
    assert (table.pile(), table.hand(0), table.owing) == (["heart_to_heart"], "love", [1])
    assert table.sees(0).looks == ((),) * 5


def test_LS_42_ratings_stunt() -> None:
    table = Table(5, hands={0: "ratings_stunt"}, deck="love drama love", viewership=4)
    table.act(0, play("ratings_stunt"))
    assert (table.state.viewership, table.hand(0), table.owing) == (5, "love love drama", [1])
    assert table.happened(CardsDrawn) == [CardsDrawn(seat=0, count=3)]


def test_LS_43_public_apology() -> None:
    table = Table(5, hands={0: "public_apology"}, deck="love", viewership=4)
    table.act(0, play("public_apology"))
    assert (table.state.viewership, table.hand(0), table.owing) == (3, "love", [1])
    assert [type(event) for event in table.events] == [TurnTaken, ViewershipChanged, CardsDrawn]


def test_LS_44_mixed_signals() -> None:
    """Give a card, take one at random after the gift has joined; the two see both, others that it happened."""
    table = Table(5, hands={0: "mixed_signals drama love", 2: "screen_time"})
    assert not table.act(0, play("mixed_signals", 2))
    assert (table.asked, table.legal()) == ("give", {card("love"), card("drama")})
    assert table.act(0, card("drama"))
    assert table.happened(SignalsMixed, seen_by=4) == [SignalsMixed(seat=0, target=2)]
    both = table.happened(SignalsMixed, seen_by=0)
    assert both == table.happened(SignalsMixed, seen_by=2)
    assert both[0].gave == "drama"
    assert both[0].took in ("drama", "screen_time")
    assert table.sees(0).swaps == table.sees(2).swaps != ()
    assert table.sees(1).swaps == ()
    assert (len(table.hand(0).split()), len(table.hand(2).split())) == (2, 1)


def test_LS_44_the_random_card_may_be_the_gift_and_each_is_equally_likely() -> None:
    took = Tally()
    for number in range(300):
        table = Table(5, hands={0: "mixed_signals drama", 2: "screen_time love"})
        table.state.seed = seed_of(number)
        table.act(0, play("mixed_signals", 2))  # a hand of one: nothing to choose (LS-47)
        took[table.happened(SignalsMixed, seen_by=0)[0].took] += 1
    assert set(took) == {"drama", "screen_time", "love"}
    assert all(70 <= count <= 130 for count in took.values())


def test_LS_44_needs_another_card() -> None:
    assert aimed_at(Table(5, hands={0: "mixed_signals"}), "mixed_signals") == set()
    assert aimed_at(Table(5, hands={0: "mixed_signals mixed_signals"}), "mixed_signals") == {1, 2, 3, 4}


def test_LS_45_screen_time() -> None:
    table = Table(5, hands={0: "screen_time", 3: "screen_time"})
    table.act(0, play("screen_time"))
    assert table.sees(4).next_main_character == 0
    turns(table, 2)
    table.act(3, play("screen_time"))  # the last one played counts
    assert table.sees(4).next_main_character == 3
    turns(table, 1)
    assert (table.state.episode, table.state.main, table.owing) == (1, 3, [3])
    table.act(3, send(0), send(1), send(2))
    while table.asked == "date_card":
        table.act(table.owing[0], next(iter(table.legal())))
    assert table.state.main == 4  # and from there clockwise again


def test_LS_45_not_in_the_finale() -> None:
    assert aimed_at(Table(5, hands={0: "screen_time love"}), "screen_time") == {None}
    table = Table(5, hands={0: "screen_time love"}, episode=10)
    assert aimed_at(table, "screen_time") == set()
    assert "LS-45" in table.why(0, play("screen_time"))


def test_LS_46_a_bombshell_without_a_legal_target_is_not_offered_and_can_still_pay() -> None:
    table = Table(5, hands={0: "temptation clean_break"})
    assert aimed_at(table, "temptation") == aimed_at(table, "clean_break") == set()
    table.act(0, Confessional(), card("temptation"))
    assert table.pile() == ["temptation"]
    assert aimed_at(Table(5, hands={0: "eavesdrop"}), "eavesdrop") == set()


def test_LS_8_a_bombshell_takes_the_whole_villa_turn() -> None:
    for name in CARDS[2:]:
        table = Table(5, hands={0: f"{name} love love", 1: "love"}, couples=[(3, 4)], viewership=4)
        action = next(each for each in table.legal() if isinstance(each, PlayBombshell))
        assert action.card == name
        table.act(0, action)
        assert table.happened(TurnTaken) == [TurnTaken(seat=0, action=name, target=action.target)]
        assert table.pile()[0] == name
        while table.owing != [1] or table.asked != "villa_turn":
            table.act(table.owing[0], min(table.legal(), key=GAME.actions(5).index))
        assert Pass() in table.legal()
        assert not any(isinstance(each, CoupleUp) and each.target == 1 for each in table.legal())
