"""Lovestruck rule by rule: setup, episodes, Villa Actions, dates, the finale and the end."""

from __future__ import annotations

import json
from collections import Counter as Tally
from pathlib import Path

import pytest
from parlour_engine.check import seed_of
from parlour_engine.errors import BadData, BadOption, StateUnreadable
from parlour_engine.game import Log
from parlour_engine.games.lovestruck import GAME
from parlour_engine.games.lovestruck.events import (
    CardPaid,
    CardRevealed,
    CardsDrawn,
    CoupleBroken,
    CoupleFormed,
    DateBegan,
    DateRevealed,
    DateSatOut,
    DeckShuffled,
    EpisodeBegan,
    IntentionSeen,
    OfferAnswered,
    SeasonEnded,
    ViewershipChanged,
)
from parlour_engine.games.lovestruck.season import SEASONS, parse_season
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
from parlour_engine.options import parse_options

from tests.engine.lovestruck_table import NO, YES, Table, card, lay, play, send, turns

SEATS = range(5, 11)
HOUSE = Path(next(iter(Path(__file__).parents[2].glob("engine/parlour_engine/games/lovestruck/decks/house.json"))))


def house() -> dict:
    return json.loads(HOUSE.read_text(encoding="utf-8"))


# Pieces


def test_LS_1_pieces() -> None:
    """100 cards of three sorts, seven Right and four Wrong at most, twelve contestants, a track from 1 to 10."""
    season = SEASONS["house"]
    assert len(season.cards) == 100
    assert max(right for right, _ in season.intentions.values()) == 7
    assert max(wrong for _, wrong in season.intentions.values()) == 4
    assert len(season.contestants) == 12
    assert len({each.name for each in season.contestants}) == 12


def test_LS_2_the_house_mix() -> None:
    mix = dict(zip([each["id"] for each in GAME.public_data(Options())["cards"]], SEASONS["house"].mix, strict=True))
    bombshells = {kind: count for kind, count in mix.items() if kind not in ("love", "drama")}
    assert (mix["love"], mix["drama"]) == (42, 36)
    assert len(bombshells) == 11
    assert set(bombshells.values()) == {2}


def test_LS_3_the_board() -> None:
    """Episode 1 is a villa with draw 3, the last the finale with draw 2; the house's ten between."""
    board = [(each.type, each.number) for each in SEASONS["house"].board]
    assert board[0] == ("villa", 3)
    assert board[-1] == ("finale", 2)
    assert [kind for kind, _ in board].count("villa") + 1 == 4
    assert board == [
        ("villa", 3),
        ("date", 3),
        ("date", 4),
        ("villa", 2),
        ("date", 4),
        ("date", 4),
        ("villa", 1),
        ("date", 5),
        ("date", 5),
        ("finale", 2),
    ]


BAD_SEASONS = [
    ("mix", "LS-1", lambda data: data["mix"].update(love=43)),
    ("mix", "LS-1", lambda data: data["mix"].update(love=41)),
    ("mix", "name each kind", lambda data: data["mix"].pop("drama")),
    ("mix.love", "whole number", lambda data: data["mix"].update(love="42")),
    ("mix.love", "whole number", lambda data: data["mix"].update(love=True)),
    ("mix.love", "whole number", lambda data: data["mix"].update(love=-1)),
    ("board[9].type", "LS-3", lambda data: data["board"][9].update(type="villa")),
    ("board[1].type", "LS-3", lambda data: data["board"][1].update(type="finale")),
    ("board[1].type", "must be one of", lambda data: data["board"][1].update(type="party")),
    ("board[1].number", "from 1 to 5", lambda data: data["board"][1].update(number=6)),
    ("board[1]", "type and number", lambda data: data["board"][1].pop("number")),
    ("board", "list of 1 to 30", lambda data: data.update(board=[])),
    ("intentions", "each number of players", lambda data: data["intentions"].pop("7")),
    ("intentions.7", "LS-5", lambda data: data["intentions"]["7"].update(right=4)),
    ("intentions.7", "LS-5", lambda data: data["intentions"]["7"].update(right=6)),
    ("intentions.7", "right and wrong", lambda data: data["intentions"]["7"].pop("right")),
    ("intentions.10.wrong", "from 0 to 4", lambda data: data["intentions"]["10"].update(wrong=5, right=6)),
    ("contestants", "LS-1", lambda data: data["contestants"].pop()),
    ("contestants", "every name", lambda data: data["contestants"][1].update(name="Marlowe")),
    ("contestants", "every id", lambda data: data["contestants"][1].update(id="marlowe")),
    ("contestants[2].about", "must be a text", lambda data: data["contestants"][2].update(about=" ")),
    ("contestants[2]", "id, name and about", lambda data: data["contestants"][2].pop("about")),
    ("colour", "no such key", lambda data: data.update(colour="pink")),
    ("board", "missing", lambda data: data.pop("board")),
]


@pytest.mark.parametrize(
    ("key", "reason", "spoil"), BAD_SEASONS, ids=[f"{key}-{n}" for n, (key, *_) in enumerate(BAD_SEASONS)]
)
def test_LS_3_a_bad_deck_file_is_refused_with_key_and_reason(key: str, reason: str, spoil) -> None:
    data = house()
    spoil(data)
    with pytest.raises(BadData) as refusal:
        parse_season("mine", "0", data)
    assert refusal.value.file == "mine.json"
    assert refusal.value.key == key
    assert reason in refusal.value.reason


def test_LS_2_an_owner_writes_the_printed_mix_into_a_file_of_their_own(tmp_path: Path) -> None:
    data = house()
    data["mix"].update(love=40, drama=38)
    path = tmp_path / "printed.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    SEASONS.add(path)
    try:
        state = GAME.deal(6, Options(deck="printed"), seed_of(1))
        assert state.season.mix[:2] == (40, 38)
        assert GAME.public_data(Options(deck="printed"))["cards"][0]["count"] == 40
        stored = GAME.dump(state)
        data["mix"].update(love=42, drama=36)
        path.write_text(json.dumps(data), encoding="utf-8")
        SEASONS.add(path)
        with pytest.raises(StateUnreadable, match="printed"):
            GAME.load(stored)
    finally:
        SEASONS._files.pop("printed")
        SEASONS._decks.pop("printed", None)


# Setup


@pytest.mark.parametrize("seats", SEATS)
def test_LS_4_setup(seats: int) -> None:
    """Episode 1, viewership 1, everyone single, everyone somebody else."""
    seen = GAME.observe(GAME.deal(seats, Options(), seed_of(3)), None)
    assert (seen.episode, seen.episode_type, seen.viewership) == (1, "villa", 1)
    assert seen.partners == (None,) * seats
    assert len(set(seen.contestants)) == seats


def test_LS_4_contestants_are_chosen_by_option() -> None:
    chosen = ("zora", "kofi", "yuki", "ines", "dario")
    options = parse_options(Options, {"contestants": list(chosen)})
    GAME.check_options(5, options)
    assert GAME.observe(GAME.deal(5, options, seed_of(3)), 2).contestants == chosen
    assert "Kofi" in GAME.label(GAME.observe(GAME.deal(5, options, seed_of(3)), 0), GAME.actions(5).index(send(1)))


@pytest.mark.parametrize(
    "contestants",
    [
        ("zora", "kofi", "yuki", "ines"),
        ("zora", "kofi", "yuki", "ines", "zora"),
        ("zora", "kofi", "yuki", "ines", "bob"),
    ],
    ids=["too few", "twice", "unknown"],
)
def test_LS_4_wrong_contestants_are_refused(contestants: tuple[str, ...]) -> None:
    with pytest.raises(BadOption, match="contestants"):
        GAME.check_options(5, Options(contestants=contestants))


PRINTED = {5: (4, 2), 6: (5, 2), 7: (5, 3), 8: (6, 3), 9: (7, 3), 10: (7, 4)}


@pytest.mark.parametrize("seats", SEATS)
def test_LS_5_intentions_by_players(seats: int) -> None:
    """One card more than players; the leftover is Right or Wrong, and over many deals every seat is either."""
    right, wrong = PRINTED[seats]
    dealt = Tally()
    for number in range(60):
        state = GAME.deal(seats, Options(), seed_of(number))
        assert state.wrong.bit_count() == wrong
        assert state.wrong < 1 << seats + 1
        dealt.update(seat for seat in range(seats + 1) if state.wrong >> seat & 1)
    assert right + wrong == seats + 1
    assert set(dealt) == set(range(seats + 1))


def test_LS_5_nobody_sees_the_leftover_and_each_only_their_own() -> None:
    table = Table(5, wrong=(1, 5))
    for seat in range(5):
        own = ["wrong" if seat == 1 else "right"]
        assert [each for each in table.sees(seat).intentions if each] == own
    assert table.sees(None).intentions == (None,) * 5


def test_LS_6_the_main_character_is_an_option_or_drawn() -> None:
    """CM-2: the rulebook's story is the option first_seat; left out, chance decides."""
    assert GAME.deal(7, Options(first_seat=4), seed_of(1)).main == 4
    assert {GAME.deal(7, Options(), seed_of(n)).main for n in range(60)} == set(range(7))
    with pytest.raises(BadOption, match="first_seat"):
        GAME.check_options(7, Options(first_seat=7))


def test_LS_7_no_action_shows_a_card_unless_a_rule_says_so() -> None:
    """Talk is not the engine's: no action shows a card but as cost, discard, Confessional or date card."""
    shows = {"choose_card", "play_bombshell"}
    assert {action.type for action in GAME.actions(10) if hasattr(action, "card")} == shows
    table = Table(5, hands={0: "love drama"})
    assert not any(action.type == "choose_card" for action in table.legal())


# Villa Episode


@pytest.mark.parametrize("seats", SEATS)
def test_LS_8_everyone_draws_then_each_acts_clockwise_from_the_main_character(seats: int) -> None:
    state = GAME.deal(seats, Options(first_seat=2), seed_of(9))
    assert list(state.sizes) == [3] * seats
    assert len(state.deck) == 100 - 3 * seats
    for step in range(seats):
        assert [entry[0] for entry in state.pending] == [(2 + step) % seats]
        GAME.apply(state, (2 + step) % seats, 0, None)
    assert state.episode == 1


def test_LS_8_one_card_at_a_time_clockwise_until_nothing_is_left() -> None:
    """Three left to draw where all draw two: seats 1, 2 and 3 get one each, from the Main Character on."""
    table = Table(5, episode=3, hands=dict.fromkeys(range(4), "love"), deck="drama drama drama", only=True)
    assert table.asked == "choose_contestant"
    state = table.state
    state.episode, state.main, state.turn, state.taken = 2, 0, 4, 4
    from parlour_engine.games.lovestruck.episodes import end_turn

    end_turn(state, None)
    assert state.episode == 3
    assert state.main == 1
    assert list(state.sizes[:4]) == [1, 2, 2, 2]


def test_LS_8_a_pass_is_always_possible_and_a_bombshell_is_played_instead_of_an_action() -> None:
    table = Table(5, hands={0: "ratings_stunt love"}, deck="love love love")
    assert Pass() in table.legal()
    table.act(0, play("ratings_stunt"))
    assert table.owing == [1]


def test_LS_9_costs_are_discarded_face_up_and_any_is_any_card() -> None:
    table = Table(5, hands={0: "love drama screen_time"}, viewership=4)
    table.act(0, DefuseTheTension())
    assert table.happened(CardPaid) == [CardPaid(seat=0, card="love")]
    assert table.asked == "pay"
    assert table.legal() == {card("drama"), card("screen_time")}
    table.act(0, card("screen_time"))
    assert table.pile() == ["love", "screen_time"]
    assert table.sees(3).discard == ("love", "screen_time")
    assert table.hand(0) == "drama"
    assert table.state.viewership == 3


def test_LS_10_when_all_have_acted_the_token_passes_and_the_next_episode_starts() -> None:
    table = Table(5)
    turns(table, 5)
    assert (table.state.episode, table.state.main) == (1, 1)
    assert table.happened(EpisodeBegan) == [EpisodeBegan(episode=2, episode_type="date", number=3, main_character=1)]
    assert table.owing == [1]


def test_LS_11_an_empty_deck_is_the_shuffled_discard_pile() -> None:
    """CM-8: and with nothing left at all, one draws what there is."""
    table = Table(5, hands={0: "love"}, deck="drama", discard="love love love drama drama", only=True)
    table.act(0, StealTheSpotlight())
    assert table.happened(DeckShuffled) == [DeckShuffled(cards=5)]
    assert table.happened(CardsDrawn)[0].count == 2
    assert (len(table.state.deck), table.pile()) == (4, [])


def test_LS_11_the_new_deck_is_shuffled() -> None:
    pile = "love " * 10 + "drama " * 10
    orders = set()
    for number in range(5):
        table = Table(5, hands={0: "love"}, discard=pile, only=True)
        table.state.seed = seed_of(number)
        table.act(0, StealTheSpotlight())
        orders.add(tuple(table.state.deck))
    assert len(orders) == 5


# Couple Up


def test_LS_12_couple_up_costs_three_love_in_any_split() -> None:
    for share in range(4):
        table = Table(5, hands={0: "love " * share + "drama", 2: "love " * (3 - share) + "drama"})
        table.act(0, CoupleUp(target=2, share=share))
        assert table.owing == [2]
        assert table.pile() == []
        table.act(2, YES)
        assert table.pile() == ["love"] * 3
        assert table.couples() == {(0, 2)}
        assert (table.hand(0), table.hand(2)) == ("drama", "drama")
        assert table.owing == [1]


def test_LS_12_anyone_but_oneself_and_ones_partner() -> None:
    table = Table(6, hands={0: "love love love"}, couples=[(0, 3)])
    targets = {action.target for action in table.legal() if isinstance(action, CoupleUp)}
    assert targets == {1, 2, 4, 5}
    for couples in ([(0, 5)], [], [(0, 3)]):  # the same hand, another partner
        table = Table(6, hands={0: "love love love"}, couples=couples)
        targets = {action.target for action in table.legal() if isinstance(action, CoupleUp)}
        assert targets == {1, 2, 3, 4, 5} - {other for _, other in couples}


def test_LS_12_no_other_cost_is_shared() -> None:
    table = Table(5, hands={0: "love", 1: "love drama"})
    assert DefuseTheTension() not in table.legal()


def test_LS_13_a_no_does_not_use_up_the_villa_action() -> None:
    table = Table(5, hands={0: "love love"})
    table.act(0, CoupleUp(target=1, share=2))
    table.act(1, NO)
    assert table.happened(OfferAnswered) == [OfferAnswered(seat=1, accepted=False)]
    assert (table.owing, table.asked) == ([0], "villa_turn")
    assert StealTheSpotlight() in table.legal()


def test_LS_13_a_split_is_used_up_for_that_turn_so_offers_end() -> None:
    table = Table(5, hands={0: "love love love"})
    for target in (1, 2, 3, 4):
        for share in range(4):
            table.act(0, CoupleUp(target=target, share=share))
            assert CoupleUp(target=target, share=share) not in table.legal(0)
            table.act(target, NO)
            assert CoupleUp(target=target, share=share) not in table.legal(0)
    assert not any(isinstance(action, CoupleUp) for action in table.legal())
    table.act(0, Pass())
    turns(table, 4)
    assert table.state.used == 0


def test_LS_13_a_counter_is_accepted_or_dropped_and_made_once() -> None:
    table = Table(5, hands={0: "love love love", 1: "love love love"})
    table.act(0, CoupleUp(target=1, share=1))
    assert table.legal(1) == {NO, YES, Counter(share=0), Counter(share=1), Counter(share=3)}  # 2 is on the table
    table.act(1, Counter(share=1))
    assert (table.owing, table.asked) == ([0], "counter_reply")
    assert table.legal() == {NO, YES}
    table.act(0, NO)
    assert (table.owing, table.asked) == ([0], "villa_turn")
    left = {action.share for action in table.legal() if isinstance(action, CoupleUp) and action.target == 1}
    assert left == {0, 3}  # 1 was offered, 2 was countered
    table.act(0, CoupleUp(target=1, share=3))
    assert table.legal(1) == {NO, YES}  # no second counter in this turn
    table.act(1, YES)
    assert table.couples() == {(0, 1)}


def test_LS_13_an_accepted_counter_is_paid_as_countered() -> None:
    table = Table(5, hands={0: "love love love", 1: "love love"})
    table.act(0, CoupleUp(target=1, share=3))
    table.act(1, Counter(share=1))
    table.act(0, YES)
    assert (table.hand(0), table.hand(1)) == ("love", "love")
    assert [each.seat for each in table.happened(CardPaid)] == [0, 0, 1]
    assert table.sees(4).record[0].counter == 1
    assert table.sees(4).record[0].agreed
    assert table.sees(4).record[1].paid == ("love", "love")  # what the one whose turn it was paid


def test_LS_14_an_offer_needs_ones_own_share_and_asks_nothing_about_the_target() -> None:
    """CM-6: the target's hand changes nothing, only what the target itself may answer."""
    for theirs in ("", "drama drama", "love love love"):
        table = Table(5, hands={0: "love drama", 1: theirs})
        shares = {action.share for action in table.legal() if isinstance(action, CoupleUp) and action.target == 1}
        assert shares == {0, 1}
        table.act(0, CoupleUp(target=1, share=1))
        assert (table.owing, table.asked) == ([1], "offer_reply")
        assert (YES in table.legal(1)) == (theirs == "love love love")
        assert NO in table.legal(1)


def test_LS_14_a_counter_is_accepted_only_while_holding_the_share() -> None:
    table = Table(5, hands={0: "love", 1: "love love love"})
    table.act(0, CoupleUp(target=1, share=1))
    assert {action for action in table.legal(1) if isinstance(action, Counter)} == {
        Counter(share=0),
        Counter(share=1),
        Counter(share=3),
    }
    table.act(1, Counter(share=0))
    assert table.legal(0) == {NO}


def test_LS_14_an_offer_and_a_counter_show_the_share() -> None:
    table = Table(5, hands={0: "love love drama", 1: "love"})
    table.act(0, CoupleUp(target=1, share=2))
    assert table.sees(None).shown_hands[0] == ("love", "love")
    table.act(1, Counter(share=0))
    assert table.sees(None).shown_hands[1] == ()
    table.act(0, NO)
    table.act(0, CoupleUp(target=1, share=1))
    assert table.sees(3).known_hands[0] == ("love", "love")
    table = Table(5, hands={0: "love", 1: "love love love"})
    table.act(0, CoupleUp(target=1, share=0))
    table.act(1, Counter(share=2))
    assert table.sees(None).shown_hands[1] == table.sees(3).known_hands[1] == ("love", "love")


def test_LS_15_new_couples_break_both_old_ones_for_one_million_in_all() -> None:
    table = Table(6, hands={0: "love love love"}, couples=[(0, 1), (2, 3)], viewership=4)
    table.act(0, CoupleUp(target=2, share=3))
    table.act(2, YES)
    assert table.couples() == {(0, 2)}
    assert table.state.viewership == 5
    assert table.happened(CoupleBroken) == [CoupleBroken(couple=(0, 1)), CoupleBroken(couple=(2, 3))]
    order = [
        type(event)
        for event in table.events
        if type(event) in (CardPaid, CoupleBroken, ViewershipChanged, CoupleFormed)
    ]
    assert order == [CardPaid] * 3 + [CoupleBroken] * 2 + [ViewershipChanged, CoupleFormed]


def test_LS_15_one_old_couple_is_one_million_too_and_none_is_none() -> None:
    for couples, viewership in (([(0, 1)], 5), ([(2, 3)], 5), ([], 4)):
        table = Table(6, hands={0: "love love love"}, couples=couples, viewership=4)
        table.act(0, CoupleUp(target=2, share=3))
        table.act(2, YES)
        assert table.state.viewership == viewership
        assert table.couples() == {(0, 2)}


def test_LS_15_at_ten_the_old_couples_are_broken_and_the_new_one_does_not_form() -> None:
    table = Table(6, hands={0: "love love love"}, couples=[(0, 1), (2, 3)], viewership=9, wrong=(4,))
    table.act(0, CoupleUp(target=2, share=3))
    table.act(2, YES)
    assert table.asked == "over"
    assert table.couples() == set()
    assert table.pile() == ["love"] * 3


def test_LS_16_break_up_is_free_and_only_for_couples() -> None:
    assert BreakUp() not in Table(5).legal()
    table = Table(5, couples=[(0, 4), (1, 2)], viewership=2)
    table.act(0, BreakUp())
    assert table.couples() == {(1, 2)}
    assert (table.state.viewership, table.owing) == (3, [1])


# The other Villa Actions


def test_LS_17_steal_the_spotlight() -> None:
    table = Table(5, hands={0: "drama"}, deck="love screen_time", viewership=2)
    assert table.act(0, StealTheSpotlight())  # it has drawn: a list of actions ends here
    assert table.happened(CardsDrawn) == [CardsDrawn(seat=0, count=2)]
    assert table.happened(CardsDrawn, seen_by=0) == [CardsDrawn(seat=0, count=2, cards=("love", "screen_time"))]
    assert table.asked == "discard"
    assert table.legal() == {card("love"), card("drama"), card("screen_time")}
    assert table.state.viewership == 2  # the +1 comes last
    table.act(0, card("drama"))
    assert table.pile() == ["drama"]
    assert table.sees(4).record[-1].card == "drama"
    assert (table.state.viewership, table.owing) == (3, [1])


def test_LS_17_with_fewer_to_draw_and_with_an_empty_hand() -> None:
    table = Table(5, hands={0: "drama"}, deck="love", only=True)
    table.act(0, StealTheSpotlight())
    assert table.hand(0) == "love drama"
    table.act(0, card("love"))
    assert table.state.viewership == 2
    table = Table(5, only=True)
    table.act(0, StealTheSpotlight())
    assert (table.state.viewership, table.owing, table.pile()) == (2, [1], [])


def test_LS_18_confessional_pays_first_draws_and_reveals() -> None:
    table = Table(5, hands={0: "drama drama"}, deck="love")
    table.act(0, Confessional())
    assert table.asked == "pay"
    assert table.act(0, card("drama"))
    assert table.pile() == ["drama"]
    assert (table.asked, table.legal()) == ("reveal", {card("love"), card("drama")})
    table.act(0, card("love"))
    assert table.happened(CardRevealed) == [CardRevealed(seat=0, card="love")]
    assert table.hand(0) == "love drama"
    assert [table.sees(seat).known_hands[0] for seat in (1, 2, None)] == [("love",)] * 3
    assert table.owing == [1]


def test_LS_18_costs_a_card_and_there_is_always_one_to_show() -> None:
    assert Confessional() not in Table(5).legal()
    table = Table(5, hands={0: "drama"}, only=True)
    table.act(0, Confessional())
    # the card paid is the only one left to draw
    assert table.happened(CardRevealed) == [CardRevealed(seat=0, card="drama")]
    assert table.owing == [1]


def test_LS_19_defuse_the_tension_costs_love_and_any() -> None:
    assert DefuseTheTension() not in Table(5, hands={0: "love"}).legal()
    assert DefuseTheTension() not in Table(5, hands={0: "drama drama"}).legal()
    table = Table(5, hands={0: "love love drama"}, viewership=5)
    table.act(0, DefuseTheTension(), card("love"))
    assert (table.state.viewership, table.hand(0), table.owing) == (4, "drama", [1])


def test_LS_19_is_legal_at_one_and_then_lost() -> None:
    table = Table(5, hands={0: "love drama drama"}, viewership=1)
    table.act(0, DefuseTheTension(), card("drama"))
    assert table.state.viewership == 1
    assert table.pile() == ["love", "drama"]


def test_LS_20_explore_all_options() -> None:
    hand = "love love drama drama drama screen_time"
    table = Table(6, hands={0: hand}, couples=[(1, 2)], wrong=(2,))
    assert {action.target for action in table.legal() if isinstance(action, ExploreAllOptions)} == {1, 2}
    table.act(0, ExploreAllOptions(target=2))
    for name in ("love", "drama", "drama", "screen_time"):
        assert not table.act(0, card(name))
    assert table.act(0, card("love"))
    assert table.happened(IntentionSeen) == [IntentionSeen(seat=0, target=2)]
    assert table.happened(IntentionSeen, seen_by=0) == [IntentionSeen(seat=0, target=2, intention="wrong")]
    for other in (1, 2, 5):
        assert table.happened(IntentionSeen, seen_by=other) == [IntentionSeen(seat=0, target=2)]
    assert table.sees(0).intentions[2] == "wrong"
    assert table.sees(1).intentions[2] is None
    assert table.sees(2).intentions[0] is None  # who was looked at learns nothing of the looker
    assert table.hand(0) == "drama"


def test_LS_20_not_with_fewer_cards_not_oneself_not_ones_partner_not_a_single() -> None:
    assert not any(
        isinstance(each, ExploreAllOptions) for each in Table(5, hands={0: "love " * 4}, couples=[(1, 2)]).legal()
    )
    table = Table(6, hands={0: "love " * 5}, couples=[(0, 1), (3, 4)])
    assert {action.target for action in table.legal() if isinstance(action, ExploreAllOptions)} == {3, 4}
    assert not any(
        isinstance(each, ExploreAllOptions) for each in Table(5, hands={0: "love " * 5}, couples=[(0, 1)]).legal()
    )


def test_LS_20_who_can_be_looked_at_is_seen_anew_when_other_couples_stand() -> None:
    """The same hand on the same turn, only the couples differ."""
    for couples in ([(1, 2)], [(3, 4)], [(1, 4), (2, 3)], [(2, 3)]):
        table = Table(6, hands={0: "love " * 5}, couples=couples)
        targets = {each.target for each in table.legal() if isinstance(each, ExploreAllOptions)}
        assert targets == {seat for couple in couples for seat in couple}


def test_LS_20_looking_twice_is_allowed() -> None:
    table = Table(6, hands={0: "love " * 5}, couples=[(1, 2)])
    table.state.looked |= 1 << 1
    assert ExploreAllOptions(target=1) in table.legal()


def test_LS_21_we_need_to_talk() -> None:
    assert WeNeedToTalk() not in Table(5, hands={0: "love " * 5}).legal()
    assert WeNeedToTalk() not in Table(5, hands={0: "love " * 4 + "drama"}, couples=[(0, 3)]).legal()
    table = Table(5, hands={0: "love " * 6}, couples=[(0, 3)], wrong=(3,))
    assert table.act(0, WeNeedToTalk())
    assert table.pile() == ["love"] * 5
    assert table.sees(0).intentions[3] == "wrong"
    assert table.sees(3).intentions[0] is None
    assert table.owing == [1]


def test_LS_22_who_looked_at_whom_is_public_and_stays_known_after_a_break_up() -> None:
    """CM-7: what was seen stays in the observation."""
    table = Table(5, hands={0: "love " * 5}, couples=[(0, 3)], wrong=(3,))
    table.act(0, WeNeedToTalk())
    assert table.sees(2).looks[0] == (3,)
    assert table.sees(None).intentions == (None,) * 5
    assert table.sees(2).record[-1].action == "we_need_to_talk"
    turns(table, 2)
    table.act(3, BreakUp())
    assert table.sees(0).intentions[3] == "wrong"


def test_LS_23_viewership_never_goes_below_one() -> None:
    table = Table(5, episode=2, hands={0: "love", 1: "love", 2: "love"}, deck="love love love")
    table.act(0, send(0), send(1), send(2))
    lay(table, {0: "love", 1: "love", 2: "love"})
    assert table.state.viewership == 1
    assert table.happened(ViewershipChanged) == [ViewershipChanged(by=-1, viewership=1)]
    table = Table(5, hands={0: "public_apology"}, viewership=1)
    table.act(0, play("public_apology"))
    assert table.state.viewership == 1


# The reference card


def test_LS_24_the_reference_card_has_other_actions() -> None:
    hand = "love " * 5
    kinds = {
        type(each)
        for each in Table(5, hands={0: hand}, couples=[(0, 1), (2, 3)], villa_actions="reference_card").legal()
    }
    assert kinds == {
        Pass,
        BreakUp,
        StealTheSpotlight,
        DefuseTheTension,
        WeNeedToTalk,
        BonusDate,
        KeepYourOptionsOpen,
        CoupleUp,
    }
    kinds = {type(each) for each in Table(5, hands={0: hand}, couples=[(0, 1), (2, 3)]).legal()}
    assert BonusDate not in kinds
    assert KeepYourOptionsOpen not in kinds


def test_LS_24_spotlight_keeps_one_of_the_two_drawn() -> None:
    table = Table(5, hands={0: "screen_time"}, deck="love drama", villa_actions="reference_card", viewership=2)
    assert table.act(0, StealTheSpotlight())
    assert table.asked == "keep"
    assert table.sees(0).drawn == ("love", "drama")
    assert table.sees(1).drawn == ()
    assert table.legal() == {card("love"), card("drama")}
    table.act(0, card("love"))
    assert (table.hand(0), table.pile(), table.state.viewership) == ("love screen_time", ["drama"], 3)


def test_LS_24_spotlight_with_one_card_to_draw_keeps_it() -> None:
    table = Table(5, deck="love", only=True, villa_actions="reference_card")
    table.act(0, StealTheSpotlight())
    assert (table.hand(0), table.pile(), table.state.viewership) == ("love", [], 2)


def test_LS_24_two_alike_are_asked_about_all_the_same() -> None:
    """Else everybody would know that they are alike."""
    table = Table(5, deck="love love", villa_actions="reference_card")
    table.act(0, StealTheSpotlight())
    assert (table.asked, table.legal()) == ("keep", {card("love")})


def test_LS_24_bonus_date() -> None:
    hands = {0: "drama love", 1: "love", 2: "love"}
    table = Table(
        5, hands=hands, deck="drama drama drama screen_time eavesdrop", villa_actions="reference_card", viewership=4
    )
    table.act(0, BonusDate())
    assert not table.act(0, card("drama"))
    assert table.act(0, send(2), send(0), send(1))
    lay(table, {2: "love", 1: "love", 0: "love"})
    assert table.state.viewership == 3
    assert table.hand(0) == "drama eavesdrop screen_time"
    assert table.owing == [1]


def test_LS_24_a_bonus_date_is_of_who_pays_for_it_not_of_the_main_character() -> None:
    """They choose, and they draw the two."""
    hands = {1: "drama love", 2: "love", 3: "love"}
    deck = "drama drama drama screen_time eavesdrop"
    table = Table(5, hands=hands, deck=deck, villa_actions="reference_card")
    turns(table, 1)
    table.act(1, BonusDate(), card("drama"))
    assert (table.state.main, table.owing, table.asked) == (0, [1], "choose_contestant")
    assert table.sees(4).date.seat == 1
    table.act(1, send(1), send(2), send(3))
    lay(table, {1: "love", 2: "love", 3: "love"})
    assert (table.hand(0), table.hand(1)) == ("", "drama eavesdrop screen_time")
    date = table.sees(4).record[-2]
    assert (date.type, date.seat, date.reason) == ("date", 1, "bonus_date")
    assert table.owing == [2]


def test_LS_24_a_bonus_date_with_drama_draws_nothing_and_can_end_the_match() -> None:
    hands = {0: "drama love", 1: "love", 2: "love"}
    for viewership in (4, 9):
        table = Table(5, hands=hands, deck="drama drama drama", villa_actions="reference_card", viewership=viewership)
        table.act(0, BonusDate(), card("love"), send(2), send(0), send(1))
        lay(table, {2: "love", 1: "love", 0: "drama"})
        assert table.state.viewership == viewership + 1
        assert table.hand(0) == "drama"
        assert table.asked == ("villa_turn" if viewership == 4 else "over")


def test_LS_24_keep_your_options_open_is_for_the_coupled_and_looks_at_any_other() -> None:
    hand = "love " * 5
    assert not any(
        isinstance(each, KeepYourOptionsOpen)
        for each in Table(5, hands={0: hand}, villa_actions="reference_card").legal()
    )
    table = Table(6, hands={0: hand}, couples=[(0, 4)], villa_actions="reference_card", wrong=(3,))
    assert {each.target for each in table.legal() if isinstance(each, KeepYourOptionsOpen)} == {1, 2, 3, 5}
    table.act(0, KeepYourOptionsOpen(target=3))
    assert table.sees(0).intentions[3] == "wrong"
    assert table.sees(3).intentions[0] is None
    assert table.pile() == ["love"] * 5


# Dates


def test_LS_25_the_main_character_chooses_so_many_different_contestants() -> None:
    table = Table(6, episode=3, couples=[(1, 2)])
    assert (table.owing, table.asked) == ([0], "choose_contestant")
    assert table.sees(4).date.size == 4
    assert table.legal() == {send(seat) for seat in range(6)}  # oneself and the coupled too
    assert not table.act(0, send(5))
    assert send(5) not in table.legal()
    assert table.sees(4).date.contestants == (5,)
    table.act(0, send(1), send(0), send(3))
    assert table.owing == [0, 1, 3, 5]


def test_LS_26_a_date_step_by_step() -> None:
    hands = {0: "love", 1: "drama blind_date", 2: "love", 3: "love"}
    table = Table(5, episode=2, hands=hands, deck="love drama love", viewership=3)
    table.act(0, send(0), send(1), send(2))
    # A: each draws one, clockwise
    assert [table.hand(seat) for seat in range(4)] == ["love love", "drama drama blind_date", "love love", "love"]
    assert table.happened(DateBegan) == [DateBegan(reason="episode", contestants=(0, 1, 2))]
    # B: a Love or Drama card, never a Bombshell
    assert table.legal(1) == {card("drama")}
    lay(table, {1: "drama", 0: "love", 2: "love"})
    # C and D: turned over; any Drama is +1
    assert sorted(table.happened(DateRevealed)[0].cards) == ["drama", "love", "love"]
    assert table.happened(DateRevealed)[0].outcome == "drama"
    assert table.state.viewership == 4
    assert sorted(table.pile()) == ["drama", "love", "love"]


def test_LS_26_the_cards_of_a_date_are_drawn_clockwise_from_the_main_character() -> None:
    """LS-8: seat 1 is the Main Character, only two cards are left, so seat 0 is the one who draws none."""
    table = Table(5, deck="love drama", only=True)
    turns(table, 5)
    table.act(1, send(0), send(1), send(3))
    assert [table.hand(seat) for seat in range(4)] == ["", "love", "", "drama"]


def test_LS_26_all_love_is_one_less() -> None:
    table = Table(5, episode=2, hands={0: "love", 1: "love", 2: "love"}, deck="drama drama drama", viewership=3)
    table.act(0, send(0), send(1), send(2))
    lay(table, {0: "love", 1: "love", 2: "love"})
    assert table.state.viewership == 2
    assert table.happened(DateRevealed) == [DateRevealed(cards=("love", "love", "love"), outcome="love")]


def test_LS_27_who_holds_only_bombshells_throws_and_draws_until_they_can_play() -> None:
    table = Table(
        5, episode=2, hands={0: "love", 1: "temptation", 2: "love"}, deck="love eavesdrop love screen_time love"
    )
    table.act(0, send(0), send(1), send(2))
    assert table.legal(1) == {card("temptation"), card("eavesdrop")}  # they choose which
    assert table.act(1, card("eavesdrop"))
    assert table.hand(1) == "temptation screen_time"
    assert table.pile() == []  # aside until the date is over
    table.act(1, card("screen_time"))
    assert table.hand(1) == "love temptation"
    assert table.legal(1) == {card("love")}
    lay(table, {0: "love", 1: "love", 2: "love"})
    assert table.pile() == ["eavesdrop", "screen_time", "love", "love", "love"]


def test_LS_27_thrown_bombshells_do_not_come_back_on_this_date() -> None:
    """Nothing is left to draw: the thrown card lies aside, so seat 1 sits the date out."""
    table = Table(
        5, episode=2, hands={0: "love", 1: "temptation", 2: "love"}, deck="love eavesdrop love", only=True, viewership=3
    )
    table.act(0, send(0), send(1), send(2))
    table.act(1, card("temptation"))
    assert table.happened(DateSatOut) == [DateSatOut(seat=1)]
    assert table.owing == [0, 2]
    lay(table, {0: "love", 2: "love"})
    assert table.state.viewership == 2
    assert table.pile() == ["temptation", "love", "love"]
    assert table.sees(3).record[-1].sat_out == (1,)


def test_LS_27_a_contestant_without_any_card_sits_the_date_out() -> None:
    """Nothing in hand and nothing to draw: all see it, from the beginning of the date on."""
    table = Table(5, episode=2, hands={1: "love"}, only=True, viewership=3)
    table.act(0, send(0), send(1), send(2))
    assert table.happened(DateSatOut) == [DateSatOut(seat=0), DateSatOut(seat=2)]
    assert (table.owing, table.sees(3).date.sat_out) == ([1], (0, 2))
    table.act(1, card("love"))
    assert table.sees(3).record[-1].sat_out == (0, 2)
    assert table.sees(3).record[-1].cards == ("love",)


def test_LS_27_a_date_in_which_no_card_was_played_changes_nothing() -> None:
    table = Table(5, episode=2, only=True, viewership=3)
    table.act(0, send(0), send(1), send(2))
    assert table.state.viewership == 3
    assert table.happened(DateRevealed) == [DateRevealed(cards=(), outcome="none")]
    assert table.state.episode == 2


def test_LS_28_all_date_contestants_owe_their_card_at_the_same_time() -> None:
    """CM-5: in any order; a seat's decision stays as it is when others answer."""
    table = Table(6, episode=3, hands=dict.fromkeys(range(6), "love drama"))
    table.act(0, send(1), send(3), send(4), send(5))
    before = {seat: number for seat, _, number in table.state.pending}
    table.act(4, card("drama"))
    assert {seat: number for seat, _, number in table.state.pending} == {seat: before[seat] for seat in (1, 3, 5)}
    lay(table, {1: "love", 5: "love", 3: "love"})
    assert table.state.episode == 3


def test_LS_28_who_has_answered_is_public_and_what_they_laid_is_not() -> None:
    seen = []
    for name in ("love", "drama"):
        table = Table(5, episode=2, hands={0: "love drama", 1: "love drama", 2: "love drama"}, deck="love love love")
        table.act(0, send(0), send(1), send(2), card(name))
        assert table.sees(0).date.your_card == name
        assert table.events == [type(table.events[0])(seat=0)]
        seen.append([table.sees(viewer) for viewer in (1, 3, None)])
    assert seen[0] == seen[1]
    assert seen[0][0].date.answered == (0,)


def test_LS_28_the_cards_are_shown_shuffled_and_lie_in_that_order() -> None:
    """Never by seat: over many seeds seat 0's only Drama is anywhere, and the pile has the order that was shown."""
    places = set()
    for number in range(40):
        table = Table(5, episode=2, hands={0: "drama", 1: "love", 2: "love"}, deck="drama love love")
        table.state.seed = seed_of(number)
        table.act(0, send(0), send(1), send(2))
        lay(table, {0: "drama", 1: "love", 2: "love"})
        cards = table.happened(DateRevealed)[0].cards
        assert tuple(table.pile()) == cards == table.sees(4).record[-1].cards
        places.add(cards.index("drama"))
    assert places == {0, 1, 2}


def test_LS_28_each_remembers_their_own() -> None:
    table = Table(5, episode=2, hands={0: "drama", 1: "love", 2: "love"}, deck="drama love love")
    table.act(0, send(0), send(1), send(2))
    lay(table, {0: "drama", 1: "love", 2: "love"})
    assert [table.sees(seat).date_cards for seat in (0, 1, 3, None)] == [("drama",), ("love",), (None,), (None,)]


def test_LS_29_then_the_token_passes_clockwise() -> None:
    table = Table(5, episode=2, hands={0: "drama", 1: "love", 2: "love"})
    table.act(0, send(0), send(1), send(2))
    lay(table, {0: "drama", 1: "love", 2: "love"})
    assert (table.state.episode, table.state.main, table.owing) == (2, 1, [1])


# The finale and the end


def test_LS_30_the_finale_goes_round_twice_from_the_same_main_character() -> None:
    table = Table(5, episode=9, hands=dict.fromkeys(range(5), "love"))
    lay(table, dict.fromkeys(range(5), "love"))
    assert table.happened(EpisodeBegan) == [EpisodeBegan(episode=10, episode_type="finale", number=2, main_character=1)]
    assert list(table.state.sizes) == [3] * 5  # one from the date, two from the finale
    order = []
    while table.asked != "over":
        order.append(table.owing[0])
        table.act(table.owing[0], Pass())
    assert order == [1, 2, 3, 4, 0] * 2
    assert table.happened(SeasonEnded)[0].intentions == table.sees(None).intentions
    assert None not in table.sees(None).intentions


def test_LS_31_ten_million_ends_the_match_in_the_middle_of_anything() -> None:
    table = Table(6, hands={0: "ratings_stunt"}, viewership=9, wrong=(1, 4), couples=[(1, 2)])
    table.act(0, play("ratings_stunt"))
    assert table.owing == []
    end = GAME.outcome(table.state)
    assert (end.winners, end.reason, end.scores) == ((1, 4), "viewership", None)
    assert table.hand(0) == ""  # the later part, three cards, does not happen
    assert table.happened(SeasonEnded)[0].intentions == ("right", "wrong", "right", "right", "wrong", "right")


def test_LS_31_a_wrong_leftover_card_is_nobody_who_wins() -> None:
    """LS-5: nor does the end tell what the leftover was."""
    ends = []
    for wrong in ([1], [1, 5]):
        table = Table(5, hands={0: "ratings_stunt"}, viewership=9, wrong=wrong)
        table.act(0, play("ratings_stunt"))
        ends.append((GAME.outcome(table.state), table.sees(None), table.events))
    assert ends[0] == ends[1]
    assert ends[1][0].winners == ends[1][1].winners == (1,)


def test_LS_31_on_a_date() -> None:
    table = Table(5, episode=2, hands={0: "drama", 1: "love", 2: "love"}, viewership=9, wrong=(0,))
    table.act(0, send(0), send(1), send(2))
    lay(table, {1: "love", 2: "love", 0: "drama"})
    assert GAME.outcome(table.state).winners == (0,)
    assert table.state.episode == 1


BOOK_NAMES = ("Lauren", "Cameron", "Juan", "Chloe", "Nick", "Francesca", "Rachel")
BOOK_COUPLES = [(0, 1), (2, 3), (4, 5)]
BOOK_WRONG = (2, 4, 5)  # Juan, Nick, Francesca


def book_example(**options) -> Table:
    table = Table(7, episode=10, couples=BOOK_COUPLES, wrong=BOOK_WRONG, **options)
    turns(table, 14)
    return table


def named(winners: tuple[int, ...]) -> list[str]:
    return [BOOK_NAMES[seat] for seat in winners]


def test_LS_32_the_rulebooks_example() -> None:
    """Lauren and Cameron win, Juan wins and Chloe loses, Nick and Francesca lose, Rachel loses."""
    end = GAME.outcome(book_example().state)
    assert named(end.winners) == ["Lauren", "Cameron", "Juan"]
    assert end.reason == "season_finale"


def test_LS_31_the_rulebooks_example_at_ten_million() -> None:
    table = Table(7, episode=10, couples=BOOK_COUPLES, wrong=BOOK_WRONG, viewership=9, next_season=True)
    table.act(0, StealTheSpotlight())
    table.act(0, next(iter(table.legal())))
    assert named(GAME.outcome(table.state).winners) == ["Juan", "Nick", "Francesca"]


def test_LS_33_the_rulebooks_example_with_next_season() -> None:
    """Rachel is the only single Right: she is invited back."""
    assert named(GAME.outcome(book_example(next_season=True).state).winners) == ["Lauren", "Cameron", "Juan", "Rachel"]


def test_LS_33_more_than_one_single_right_and_a_single_wrong_lose() -> None:
    for couples, wrong, winners in (
        ([(0, 1)], (), (0, 1)),  # seats 2, 3, 4 single and Right
        ([(0, 1), (2, 3)], (4,), (0, 1, 2, 3)),  # 4 single and Wrong
        ([(0, 1)], (2, 3), (0, 1, 4)),  # only 4 single and Right
    ):
        table = Table(5, episode=10, couples=couples, wrong=wrong, next_season=True)
        turns(table, 10)
        assert GAME.outcome(table.state).winners == winners


def test_LS_32_only_couples_after_the_last_turn_count() -> None:
    table = Table(5, episode=10, couples=[(0, 4)])
    turns(table, 9)
    table.act(4, BreakUp())
    assert GAME.outcome(table.state).winners == ()


def test_LS_34_offers_turns_and_throws_are_bounded() -> None:
    """CM-10: whoever only makes and refuses offers comes to the end too."""
    state = GAME.deal(5, Options(), seed_of(4))
    count = 0
    while state.pending:
        seat = state.pending[0][0]
        legal = GAME.legal_actions(state, seat)
        GAME.apply(state, seat, legal[-1] if state.pending[0][1] == 0 else legal[0], None)
        count += 1
    assert GAME.outcome(state) is not None
    most = 5 * 5 * 4 * 4 * 2  # villa turns times targets times splits, asked and answered
    assert count < most + 500


# Common rules


def test_LS_47_what_everybody_sees_to_be_no_choice_is_not_asked() -> None:
    table = Table(5, hands={0: "love love drama drama screen_time"}, couples=[(1, 2)])
    assert table.act(0, ExploreAllOptions(target=1))  # all five cards: nothing to choose
    assert table.pile() == ["love", "love", "drama", "drama", "screen_time"]
    table = Table(5, episode=8, hands=dict.fromkeys(range(5), "love"))
    assert table.asked == "date_card"  # five contestants of five
    table = Table(6, episode=8)
    assert table.asked == "choose_contestant"
    table = Table(5, deck="love", only=True)
    table.act(0, StealTheSpotlight())
    assert table.pile() == ["love"]


def test_LS_47_a_choice_that_is_none_only_by_the_hand_is_asked() -> None:
    table = Table(5, hands={0: "drama drama drama"}, deck="drama drama")
    table.act(0, StealTheSpotlight())
    assert (table.asked, table.legal()) == ("discard", {card("drama")})
    table = Table(5, hands={0: "drama drama drama"})
    table.act(0, Confessional())
    assert (table.asked, table.legal()) == ("pay", {card("drama")})


def test_LS_49_a_forfeited_seat_cannot_win_and_the_last_one_left_wins() -> None:
    """CM-12: its decisions go on by default; a date under way is called off when one is left."""
    table = Table(5, episode=2, hands={0: "love drama", 1: "temptation", 2: "love"}, deck="love screen_time love love")
    table.act(0, send(0), send(1), send(2))
    table.act(0, card("drama"))
    table.act(1, card("temptation"))
    log: Log = []
    for seat in (0, 1, 2, 3):
        GAME.forfeit(table.state, seat, log)
        table.conserved()
    end = GAME.outcome(table.state)
    assert (end.winners, end.reason) == ((4,), "forfeit")
    assert table.state.pending == ()
    assert table.hand(0) == "love love drama"
    assert table.pile() == ["temptation"]
    assert table.sees(2).forfeited == (0, 1, 2, 3)


def test_LS_50_all_intentions_are_seen_however_the_match_ended() -> None:
    """By forfeit too. [CM-12]"""
    table = Table(5, wrong=(1, 5))
    for seat in range(4):
        assert None in table.sees(4).intentions
        GAME.forfeit(table.state, seat, None)
    for viewer in (None, 0, 4):
        assert table.sees(viewer).intentions == ("right", "wrong", "right", "right", "right")


def test_LS_49_forfeited_winners_do_not_win_and_nobody_else_loses_by_it() -> None:
    table = Table(5, episode=10, couples=[(0, 1)], next_season=True, wrong=(2,))
    GAME.forfeit(table.state, 0, None)
    GAME.forfeit(table.state, 0, None)
    GAME.forfeit(table.state, 3, None)
    while table.state.pending:
        seat = table.owing[0]
        GAME.apply(table.state, seat, GAME.default_action(table.state, seat), None)
    assert GAME.outcome(table.state).winners == (1,)  # 3 and 4 are single and Right: two


def test_CM_11_the_default_is_to_pass_or_decline_else_the_lowest_number() -> None:
    space = GAME.actions(5)
    table = Table(5, hands={0: "love love", 1: "love"})
    assert space[GAME.default_action(table.state, 0)] == Pass()
    table.act(0, CoupleUp(target=1, share=2))
    assert space[GAME.default_action(table.state, 1)] == NO
    table.act(1, Counter(share=0))
    assert space[GAME.default_action(table.state, 0)] == NO
    table = Table(5, hands={0: "drama drama screen_time"})
    table.act(0, Confessional())
    assert space[GAME.default_action(table.state, 0)] == card("drama")


def test_CM_3_another_form_of_a_stored_state_is_refused() -> None:
    stored = json.loads(json.dumps(GAME.dump(GAME.deal(5, Options(), seed_of(1)))))
    for spoil in (
        lambda data: data.update(form=2),
        lambda data: data.update(digest="0" * 16),
        lambda data: data.update(options={"deck": "nowhere"}),
        lambda data: data.update(hands=[0]),
        lambda data: data.update(deck=["love"]),
        lambda data: data.update(main=1.0),
        lambda data: data.update(pending=[[0, "0", 0]]),
        lambda data: data.pop("record"),
        lambda data: data.pop("form"),
    ):
        spoilt = json.loads(json.dumps(stored))
        spoil(spoilt)
        with pytest.raises(StateUnreadable):
            GAME.load(spoilt)
    GAME.load(stored)
