"""Love Is Dead, rule by rule, in the order of its RULES.md."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from parlour_engine.check import seed_of, stored, two_worlds, viewers
from parlour_engine.errors import BadData, BadOption, StateUnreadable
from parlour_engine.game import Log
from parlour_engine.games.love_is_dead import GAME, known
from parlour_engine.games.love_is_dead.decks import SHELF, parse
from parlour_engine.games.love_is_dead.profile import profile_of
from parlour_engine.games.love_is_dead.rules import endgame_hearts
from parlour_engine.games.love_is_dead.state import (
    CARDS,
    TRAITS,
    Discard,
    Discarded,
    Drew,
    EmotionalBaggage,
    Emptied,
    Empty,
    Ghosted,
    GiveTrait,
    LeftOnRead,
    LoveTriangle,
    Match,
    Matched,
    MovedUp,
    OldFlame,
    Options,
    Pair,
    Pass,
    PickUpLine,
    Play,
    PlentyOfFish,
    RedFlag,
    RemoveDealbreaker,
    Reshuffled,
    Revealed,
    Space,
    SpeedDating,
    State,
    SwipeRight,
    TakeTrait,
)
from parlour_engine.games.love_is_dead.words import NAMES, texts

from tests.engine.love_is_dead_table import (
    HOUSE_FILE,
    deck_with,
    do,
    explain,
    hand,
    house,
    legal,
    phase,
    profile,
    table,
    tell,
    top,
)

HOUSE = SHELF["house"]
FIVE = ["soulful", "soulful", "soulful", "fearless", "fearless"]


def of(kind: type, state: State) -> list[Any]:
    """The legal actions of one type."""
    return [action for action in legal(state) if isinstance(action, kind)]


def matches_with(state: State, boo: str) -> list[tuple[str, ...]]:
    """The sets of Boosts with which a Boo can be matched now."""
    return [action.boosts for action in of(Match, state) if GAME.observe(state, None).face_up[action.place] == boo]


def can_match(boo: str, mine: list[str], *others: list[str]) -> list[tuple[str, ...]]:
    """The sets of Boosts with which seat 0 can match that Boo, the other profiles being those of seats 1, 2, ..."""
    seats = max(2, len(others) + 1)
    state = table(seats, phase="match", profiles=dict(enumerate([mine, *others])), face_up=[boo])
    return matches_with(state, boo)


# Pieces


def test_LD_1_the_counts_that_the_rulebook_prints() -> None:
    assert (len(HOUSE.boos), sum(HOUSE.copies), len(HOUSE.endgames)) == (22, 65, 12)


def test_LD_1_a_deck_with_other_counts_is_refused() -> None:
    data = house()
    cases: list[tuple[str, Any]] = [
        ("action", {**data["action"], "wild": 4}),
        ("boos", data["boos"][:-1]),
        ("endgame", data["endgame"][:-1]),
        ("action", {**data["action"], "candle": 1}),
        ("action", {name: count for name, count in data["action"].items() if name != "wild"}),
        ("action", {**data["action"], "wild": "5"}),
        ("boos", [{**data["boos"][0], "wants": ["wild"]}, *data["boos"][1:]]),
        ("boos", [{**data["boos"][0], "wants": ["soulful"] * 5}, *data["boos"][1:]]),
        ("boos", [{**data["boos"][0], "wants": []}, *data["boos"][1:]]),
        ("boos", [{**data["boos"][0], "name": "?"}, *data["boos"][1:]]),
        ("boos", [data["boos"][1], *data["boos"][1:]]),
        ("endgame", [{**data["endgame"][0], "rule": "mood"}, *data["endgame"][1:]]),
        ("endgame", [{**data["endgame"][0], "each": 1.5}, *data["endgame"][1:]]),
        ("numbers", []),
    ]
    for key, value in cases:
        with pytest.raises(BadData) as refused:
            parse("mine", "", {**data, key: value})
        assert refused.value.file == "mine.json"
        assert refused.value.key.startswith(key)
        assert refused.value.reason
    with pytest.raises(BadData):
        parse("mine", "", {key: value for key, value in data.items() if key != "numbers"})


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [
        ("swipe_right_draws", 1, 9),
        ("humblebrag_draws", 2, 9),
        ("hobbies_spaces", 6, 7),
        ("baggage_hearts", 0, 99),
        ("turns_per_seat", 1, 1000),
    ],
)
def test_LD_3_a_number_that_the_rules_could_not_play_with_is_refused(key: str, least: int, most: int) -> None:
    data = house()
    for value in (least, most):
        deck = parse("mine", "", {**data, "numbers": {**data["numbers"], key: value}})
        assert getattr(deck, key) == value
    for value in (least - 1, most + 1):
        with pytest.raises(BadData) as refused:
            parse("mine", "", {**data, "numbers": {**data["numbers"], key: value}})
        assert refused.value.key == f"numbers.{key}"


def test_LD_2_seven_traits_and_a_wild_is_none_of_them() -> None:
    assert len(TRAITS) == 7
    assert "wild" not in TRAITS
    # No Stranger on a Wild, no Wild by Old Flame, no swap of a Wild.
    state = table(phase="play", hands={0: ["mysterious_stranger"]}, profiles={0: ["wild"]})
    assert legal(state) == [Pass()]
    state = table(
        phase="make_a_move",
        hands={0: ["old_flame", "love_triangle"]},
        discard=["wild", "catfish"],
        profiles={0: ["wild"], 1: ["soulful"]},
    )
    assert legal(state) == [Pass()]


def test_LD_3_the_house_decks_are_data() -> None:
    named = {(boo.name, boo.hearts): "".join(sorted("FSXPIBM"[trait] for trait in boo.wants)) for boo in HOUSE.boos}
    assert named["Chad", 5] == "BBX"
    assert named["Ari", 4] == "IMS"
    wanted = Counter(trait for boo in HOUSE.boos for trait in boo.wants)
    assert set(wanted.values()) == {9, 10}
    assert Counter(len(boo.wants) for boo in HOUSE.boos) == {2: 6, 3: 10, 4: 6}
    shown = GAME.public_data(Options())
    assert len(shown["boos"]) == 22
    assert shown["boos"][6]["wants"] == ["fearless", "boo_tiful", "boo_tiful"]
    json.dumps(shown)


def test_LD_3_every_action_card_has_a_text_that_names_its_rule_and_the_decks_numbers() -> None:
    shown = GAME.public_data(Options())["texts"]
    assert list(shown) == list(CARDS)
    rules = (HOUSE_FILE.parent.parent / "RULES.md").read_text()
    for card in CARDS[len(TRAITS) :]:
        text, rule = shown[card].removesuffix("]").split(" [")
        said = next(line for line in rules.splitlines() if line.startswith(f"- **{rule} "))
        assert NAMES[card] in said
        assert text.endswith(".")
    data = house()
    data["numbers"] |= {"swipe_right_draws": 1, "humblebrag_draws": 5, "hobbies_spaces": 6, "baggage_hearts": 3}
    owners = texts(parse("mine", "", data))
    assert owners["swipe_right"] == "Draw 1 card. [LD-36]"
    assert shown["swipe_right"] == "Draw 2 cards. [LD-36]"
    for card, printed, ours in (("humblebrag", 5, 3), ("lots_of_hobbies", 6, 7), ("emotional_baggage", 3, 4)):
        assert owners[card] == shown[card].replace(f" {ours} ", f" {printed} ") != shown[card]


def test_LD_3_an_owners_deck_can_stand_beside_the_house_deck(tmp_path: Path) -> None:
    data = house()
    data["numbers"]["baggage_hearts"] = 5
    data["numbers"]["hobbies_spaces"] = 6
    path = tmp_path / "printed.json"
    path.write_text(json.dumps(data))
    try:
        SHELF.add(path)
        state = GAME.deal(3, Options(deck="printed"), seed_of(1))
        assert state.cards.baggage_hearts == 5
        assert profile_of(bytes((12, 1, 1, 1, 1, 0, 0)), state.profiles[0].hobbies_spaces).free == 5
        assert profile_of(bytes((12, 1, 1, 1, 1, 1, 0)), state.profiles[0].hobbies_spaces).free == -1
    finally:
        SHELF._files.pop("printed")
        SHELF._decks.pop("printed", None)
    with pytest.raises(BadOption):
        GAME.deal(3, Options(deck="printed"), seed_of(1))


# Setup


@pytest.mark.parametrize(("seats", "face_up"), [(2, 1), (3, 2), (4, 3), (5, 3)])
def test_LD_4_boos_face_up_at_the_start(seats: int, face_up: int) -> None:
    state = GAME.deal(seats, Options(), seed_of(4))
    assert len(state.face_up) == face_up
    assert sorted(state.face_up + state.pool) == list(range(22))
    assert GAME.deal(seats, Options(), seed_of(5)).pool != state.pool


def test_LD_5_the_action_deck_by_players() -> None:
    two, three, four, five = (HOUSE.packs[seats] for seats in (2, 3, 4, 5))
    for kind, card in enumerate(CARDS):
        assert two[kind] == (HOUSE.copies[kind] if kind <= CARDS.index("wild") else 1)
        assert three[kind] == HOUSE.copies[kind] - (card == "ghosted")
    assert four == five == HOUSE.copies
    for seats in GAME.seats:
        state = GAME.deal(seats, Options(), seed_of(1))
        cards = Counter(state.deck + [kind for each in state.hands for kind in each])
        assert cards == {kind: count for kind, count in enumerate(HOUSE.packs[seats]) if count}


def test_LD_6_three_cards_and_an_endgame_card_each() -> None:
    state = GAME.deal(4, Options(first_seat=2), seed_of(6))
    assert [len(cards) for cards in state.hands] == [3, 3, 5, 3]  # the first seat has drawn two
    assert len(set(state.endgame)) == 4
    mine = GAME.observe(state, 1)
    assert mine.endgame == HOUSE.endgames[state.endgame[1]].id
    assert all(player.endgame is None for player in mine.players)
    assert GAME.observe(state, None).endgame is None


def test_LD_7_five_spaces_and_the_first_empty_one_is_filled() -> None:
    state = table(hands={0: ["soulful"]}, profiles={0: ["fearless", "", "wild"]})
    assert len(GAME.observe(state, 1).players[0].profile) == 5
    do(state, Play(card="soulful"))
    assert profile(state, 0)[:4] == ["fearless", "soulful", "wild", ""]


def test_LD_8_CM_2_the_first_seat_is_an_option_or_drawn() -> None:
    assert GAME.deal(3, Options(first_seat=2), seed_of(1)).turn == 2
    drawn = {GAME.deal(3, Options(), seed_of(n)).turn for n in range(30)}
    assert drawn == {0, 1, 2}
    GAME.check_options(3, Options(first_seat=2))
    for seats, options in ((2, Options(first_seat=2)), (2, Options(first_seat=-1)), (2, Options(deck="none"))):
        with pytest.raises(BadOption):
            GAME.check_options(seats, options)


# A turn


def test_LD_9_a_turn_begins_with_two_cards() -> None:
    state = table(phase="play", turn=1, hands={0: ["wild"], 1: ["soulful", "soulful", "soulful", "fearless"]})
    before = len(state.deck)
    events = do(state, Play(card="fearless"))
    assert Drew(seat=0, count=2) in events
    assert (len(state.hands[0]), len(state.deck)) == (3, before - 2)
    assert (state.turn, phase(state)) == (0, "discard")


def test_LD_9_with_an_empty_hand_the_discard_is_skipped() -> None:
    state = table(turn=1, phase="play", hands={0: [], 1: ["soulful", "fearless", "fearless", "swipe_right"]})
    # Nothing is left anywhere: all other cards lie in the third space of nobody; so take them away by hand.
    state.deck.clear()
    state.discard.clear()
    GAME.apply(state, 1, GAME.legal_actions(state, 1)[0], None)
    assert (state.turn, phase(state), state.hands[0]) == (0, "make_a_move", [])


def test_LD_10_discard_one_card_any() -> None:
    state = table(phase="discard", hands={0: ["wild", "soulful", "soulful", "ghosted", "swipe_right"]})
    kinds = ["soulful", "wild", "ghosted", "swipe_right"]
    assert legal(state) == [Discard(card=card) for card in kinds]
    assert do(state, Discard(card="ghosted")) == [Discarded(seat=0, cards=("ghosted",))]
    assert (top(state), phase(state)) == (["ghosted"], "make_a_move")
    assert hand(state, 0) == ["soulful", "soulful", "wild", "swipe_right"]


def test_LD_11_one_make_a_move_card_or_none() -> None:
    state = table(phase="make_a_move", hands={0: ["swipe_right", "plenty_of_fish", "soulful"]})
    assert legal(state) == [Pass(), SwipeRight(), PlentyOfFish()]
    do(state, SwipeRight())
    assert phase(state) == "play"
    assert top(state) == ["swipe_right"]
    state = table(phase="make_a_move", hands={0: ["soulful", "wild", "soulful"]})
    assert legal(state) == [Pass()]  # asked all the same
    do(state, Pass())
    assert phase(state) == "play"


def test_LD_11_the_card_is_not_in_a_reshuffle_that_it_causes() -> None:
    state = table(phase="make_a_move", hands={0: ["swipe_right", "soulful"]}, deck_size=1)
    pile = len(state.discard)
    events = do(state, SwipeRight())
    assert Reshuffled(count=pile) in events
    assert top(state) == ["swipe_right"]
    assert len(state.discard) == 1
    # Speed Dating's own draw finds the hand in the pile, and not the card.
    state = table(phase="make_a_move", hands={0: ["speed_dating", "soulful", "wild"]}, deck_size=0)
    pile = len(state.discard)
    assert Reshuffled(count=pile + 2) in do(state, SpeedDating())
    assert [CARDS[kind] for kind in state.discard] == ["speed_dating"]


def test_LD_12_play_one_card_compulsory_while_any_play_is_legal() -> None:
    state = table(hands={0: ["soulful", "wild", "catfish", "swipe_right"]})
    assert legal(state) == [Play(card="soulful"), Play(card="wild"), Play(card="catfish")]
    assert "LD-12" in explain(state, Pass())
    do(state, Play(card="catfish"))
    assert (state.turn, profile(state, 0)[0]) == (1, "catfish")


def test_LD_12_also_a_play_that_needs_a_space_emptied_first() -> None:
    state = table(hands={0: ["wild", "swipe_right"]}, profiles={0: FIVE})
    assert legal(state) == [Empty(space=space) for space in range(5)]


def test_LD_12_with_no_play_pass_is_the_only_legal_action() -> None:
    state = table(hands={0: ["swipe_right", "old_flame", "overachiever"]})
    assert legal(state) == [Pass()]
    do(state, Pass())
    assert state.turn == 1
    state = table(hands={0: []})
    assert legal(state) == [Pass()]


def test_LD_13_a_match_is_never_compulsory() -> None:
    state = table(
        hands={0: ["soulful", "fearless", "fearless", "wild"]}, profiles={0: ["soulful"]}, face_up=["mona_lott"]
    )
    do(state, Play(card="soulful"))
    assert phase(state) == "match"
    assert legal(state) == [Pass(), Match(place=0)]
    do(state, Pass())
    assert (state.turn, state.matches[0]) == (1, ())


def test_LD_13_a_match_is_asked_for_only_where_one_is_possible() -> None:
    state = table(
        hands={0: ["fearless", "fearless", "fearless", "wild"]}, profiles={0: ["soulful"]}, face_up=["mona_lott"]
    )
    do(state, Play(card="fearless"))
    assert state.turn == 1


def test_LD_14_three_to_five_cards_at_the_end_of_the_turn() -> None:
    seven = ["soulful", "soulful", "fearless", "fearless", "wild", "wild", "imaginative"]
    state = table(hands={0: [*seven, "boo_tiful"]}, face_up=[])
    do(state, Play(card="boo_tiful"))
    assert (phase(state), state.turn, len(state.hands[0])) == ("hand_limit", 0, 7)
    do(state, Discard(card="wild"))
    assert (phase(state), state.turn) == ("hand_limit", 0)
    do(state, Discard(card="wild"))
    assert (state.turn, len(state.hands[0])) == (1, 5)

    state = table(hands={0: ["soulful", "wild"]}, face_up=[])
    events = do(state, Play(card="soulful"))
    assert Drew(seat=0, count=2) in events
    assert len(state.hands[0]) == 3


def test_LD_14_not_after_losing_a_card_to_a_pick_up_line() -> None:
    state = table(phase="make_a_move", hands={0: ["pick_up_line"], 1: ["soulful", "soulful", "soulful"]})
    do(state, PickUpLine(target=1))
    assert hand(state, 1) == ["soulful", "soulful"]


def test_LD_15_CM_1_the_player_on_the_left_is_next() -> None:
    state = table(3, turn=2, hands={2: ["soulful", "wild", "wild", "wild"]}, face_up=[])
    do(state, Play(card="soulful"))
    assert [entry[0] for entry in GAME.pending(state)] == [0]
    assert GAME.legal_actions(state, 1) == ()
    assert state.turns == 2


def test_LD_16_an_empty_deck_is_made_anew_from_the_discard_pile() -> None:
    state = table(turn=1, hands={0: ["wild"], 1: FIVE[:4]}, deck_size=1, face_up=[])
    pile = Counter(state.discard)
    events = do(state, Play(card="fearless"))
    assert events[2:] == [Reshuffled(count=sum(pile.values())), Drew(seat=0, count=2)]
    assert not state.discard
    assert len(state.deck) == sum(pile.values()) - 1


def test_LD_16_not_before_a_card_is_needed() -> None:
    state = table(turn=1, hands={0: ["wild"], 1: FIVE[:4]}, deck_size=2, face_up=[])
    do(state, Play(card="fearless"))
    assert (state.deck, len(state.discard) > 0) == ([], True)


def test_CM_8_what_is_not_there_is_not_drawn() -> None:
    state = table(phase="make_a_move", hands={0: ["swipe_right", "soulful"]}, deck_size=1)
    state.discard.clear()
    GAME.apply(state, 0, 25, log := [])
    assert len(state.hands[0]) == 2
    assert log[1].public == Drew(seat=0, count=1)
    assert phase(state) == "play"


# Playing a card


def test_LD_17_traits_lie_face_up_and_may_repeat() -> None:
    state = table(hands={0: ["soulful", "wild", "wild", "wild"]}, profiles={0: ["soulful", "soulful"]}, face_up=[])
    do(state, Play(card="soulful"))
    for viewer in (0, 1, None):
        spaces = GAME.observe(state, viewer).players[0].profile
        assert spaces[:3] == (Space("soulful", None, False),) * 3


def test_LD_18_a_full_profile_may_be_emptied_by_one_space() -> None:
    mine = ["soulful+overachiever", "red_flag", "fearless+left_on_read", "wild", "catfish"]
    state = table(hands={0: ["imaginative", "wild", "wild"]}, profiles={0: mine}, face_up=[])
    assert legal(state) == [RemoveDealbreaker(card=card) for card in ("red_flag", "left_on_read")] + [
        Empty(space=space) for space in (0, 3, 4)
    ]
    assert "LD-23" in explain(state, Empty(space=1))
    assert do(state, Empty(space=0)) == [Emptied(seat=0, space=0, cards=("soulful", "overachiever"))]
    assert top(state, 2) == ["soulful", "overachiever"]
    assert phase(state) == "play"
    assert not of(Empty, state)
    assert explain(state, Empty(space=3)) == "LD-18: one space a turn"
    do(state, Play(card="imaginative"))
    assert profile(state, 0)[0] == "imaginative"


def test_LD_18_only_when_full_and_only_if_a_play_is_legal_then() -> None:
    state = table(hands={0: ["soulful"]}, profiles={0: FIVE[:4]})
    assert legal(state) == [Play(card="soulful")]
    assert "LD-18" in explain(state, Empty(space=0))
    # Catfish can be played only in the place of the other Catfish, Overachiever only onto another trait.
    mine = ["catfish", "humblebrag", "you_flirt", "red_flag", "soulful"]
    state = table(4, hands={0: ["catfish"]}, profiles={0: mine})
    assert legal(state) == [Empty(space=0)]
    state = table(hands={0: ["overachiever"]}, profiles={0: mine})
    assert legal(state) == [Pair(card="overachiever", space=4)] + [Empty(space=space) for space in (0, 1, 2)]
    state = table(hands={0: ["swipe_right"]}, profiles={0: FIVE})
    assert legal(state) == [Pass()]
    assert "LD-18" in explain(state, Empty(space=0))


def test_LD_19_a_wild_is_a_trait_or_removes_a_dealbreaker() -> None:
    state = table(hands={0: ["wild", "swipe_right"]}, profiles={0: ["wild", "red_flag"]}, face_up=[])
    assert legal(state) == [Play(card="wild"), RemoveDealbreaker(card="red_flag")]
    do(state, RemoveDealbreaker(card="red_flag"))
    assert profile(state, 0)[:3] == ["wild", "", ""]
    assert top(state, 2) == ["wild", "red_flag"]
    # A Wild in the profile cannot.
    state = table(hands={0: ["soulful"]}, profiles={0: ["wild", "red_flag"]})
    assert legal(state) == [Play(card="soulful")]
    assert "LD-19" in explain(state, RemoveDealbreaker(card="red_flag"))


def test_LD_20_only_your_own_dealbreakers() -> None:
    state = table(
        3,
        hands={0: ["wild"]},
        profiles={1: ["red_flag", "soulful+left_on_read"]},
        matches={0: ["chad"], 1: ["ari"]},
        ghosted={1: "ari"},
    )
    assert legal(state) == [Play(card="wild")]
    assert "LD-20" in explain(state, RemoveDealbreaker(card="red_flag"))
    state = table(3, hands={0: ["wild"]}, matches={0: ["chad"]}, ghosted={0: "chad"}, face_up=[])
    assert legal(state) == [Play(card="wild"), RemoveDealbreaker(card="ghosted")]
    do(state, RemoveDealbreaker(card="ghosted"))
    assert state.ghosted[0] == -1
    assert top(state, 2) == ["wild", "ghosted"]


def test_LD_21_a_wild_trait_stands_for_any_trait_anew_each_time() -> None:
    state = table(phase="match", profiles={0: ["wild", "soulful"]}, face_up=["mona_lott", "barry_alive", "al_hallows"])
    assert of(Match, state) == [Match(place=0), Match(place=1)]


def test_LD_22_no_two_of_the_same_boost_in_one_profile() -> None:
    state = table(4, hands={0: ["catfish", "you_flirt"]}, profiles={0: ["catfish"]})
    assert legal(state) == [Play(card="you_flirt")]
    assert "LD-22" in explain(state, Play(card="catfish"))
    # Paired and covered ones count too.
    state = table(
        4, hands={0: ["overachiever", "catfish"]}, profiles={0: ["soulful+overachiever+left_on_read", "wild"]}
    )
    assert legal(state) == [Play(card="catfish")]
    state = table(4, hands={0: ["catfish"]}, profiles={0: ["catfish+left_on_read", "wild"]})
    assert legal(state) == [Pass()]


def test_LD_23_dealbreakers_are_played_on_opponents_only() -> None:
    state = table(4, hands={0: ["red_flag", "emotional_baggage"]}, profiles={1: ["red_flag"], 2: ["emotional_baggage"]})
    assert legal(state) == [
        EmotionalBaggage(target=1),
        RedFlag(target=2),
        RedFlag(target=3),
        EmotionalBaggage(target=3),
    ]
    assert "LD-23" in explain(state, RedFlag(target=0))
    assert "LD-23" in explain(state, RedFlag(target=1))


def test_LD_23_no_card_on_a_dealbreaker_and_no_two_alike() -> None:
    profiles = {1: ["red_flag", "emotional_baggage", "soulful"], 2: ["soulful", "fearless+left_on_read"]}
    state = table(4, hands={0: ["left_on_read"]}, profiles=profiles)
    assert legal(state) == [LeftOnRead(target=1, space=2)]
    assert "LD-23" in explain(state, LeftOnRead(target=2, space=0))
    # A Trait under a Left on Read takes no Boost.
    state = table(4, hands={0: ["overachiever", "mysterious_stranger"]}, profiles={0: ["soulful+left_on_read"]})
    assert legal(state) == [Pass()]


# Boosts


def test_LD_24_overachiever_pairs_with_a_trait_or_a_wild() -> None:
    mine = ["soulful", "fearless+mysterious_stranger", "wild", "catfish"]
    state = table(hands={0: ["overachiever"]}, profiles={0: mine}, face_up=[])
    assert legal(state) == [Pair(card="overachiever", space=0), Pair(card="overachiever", space=2)]
    assert "LD-24" in explain(state, Pair(card="overachiever", space=1))
    do(state, Pair(card="overachiever", space=0))
    assert profile(state, 0)[0] == "soulful+overachiever"
    # One Boost a pair; a pair is one space.
    state = table(hands={0: ["mysterious_stranger", "soulful"]}, profiles={0: ["soulful+overachiever"]})
    assert legal(state) == [Play(card="soulful")]


def test_LD_24_overachiever_doubles_its_trait() -> None:
    assert can_match("mona_lott", ["soulful+overachiever"]) == [("overachiever",)]
    assert can_match("mona_lott", ["fearless+overachiever", "soulful"]) == []
    # Using the trait once is no use of the Overachiever.
    assert can_match("barry_alive", ["soulful+overachiever", "dead_funny"]) == [()]


def test_LD_24_a_doubled_wild_stands_for_one_trait() -> None:
    assert can_match("mona_lott", ["wild+overachiever"]) == [("overachiever",)]
    assert can_match("barry_alive", ["wild+overachiever"]) == []
    assert can_match("barry_alive", ["wild+overachiever", "soulful"]) == [()]
    assert can_match("chad", ["wild+overachiever", "fearless"]) == [("overachiever",)]
    assert can_match("chad", ["wild+overachiever", "boo_tiful"]) == []
    assert can_match("mona_lott", ["catfish"], ["wild+overachiever"]) == [("catfish",)]
    assert can_match("barry_alive", ["catfish"], ["wild+overachiever"]) == []


def test_LD_25_mysterious_stranger_makes_a_trait_a_mystery() -> None:
    state = table(hands={0: ["mysterious_stranger"]}, profiles={0: ["wild", "soulful", "dead_funny"]}, face_up=[])
    assert legal(state) == [Pair(card="mysterious_stranger", space=1), Pair(card="mysterious_stranger", space=2)]
    assert "LD-25" in explain(state, Pair(card="mysterious_stranger", space=0))
    do(state, Pair(card="mysterious_stranger", space=1))
    assert profile(state, 0)[1] == "soulful+mysterious_stranger"
    # One Wild when used, and no longer the trait beneath.
    assert can_match("barry_alive", ["fearless+mysterious_stranger", "soulful"]) == [("mysterious_stranger",)]
    assert can_match("barry_alive", ["soulful+mysterious_stranger", "dead_funny"]) == [("mysterious_stranger",)]
    assert can_match("mona_lott", ["soulful+mysterious_stranger"]) == []


def test_LD_26_a_pair_is_locked() -> None:
    state = table(
        phase="make_a_move",
        hands={0: ["love_triangle"]},
        profiles={0: ["soulful+overachiever"], 1: ["fearless"]},
    )
    assert legal(state) == [Pass()]
    state = table(hands={0: ["wild"]}, profiles={0: ["soulful+mysterious_stranger", *FIVE[1:]]}, face_up=[])
    do(state, Empty(space=0))
    assert top(state, 2) == ["soulful", "mysterious_stranger"]


def test_LD_27_catfish_borrows_one_trait_of_a_neighbour() -> None:
    assert can_match("barry_alive", ["catfish", "soulful"], ["dead_funny"]) == [("catfish",)]
    assert can_match("barry_alive", ["catfish"], ["dead_funny", "soulful"]) == []
    assert can_match("barry_alive", ["catfish", "soulful"], ["fearless"]) == []
    # Left and right, but nobody farther away.
    nobody: list[str] = []
    assert can_match("barry_alive", ["catfish", "soulful"], ["dead_funny"], nobody, nobody) == [("catfish",)]
    assert can_match("barry_alive", ["catfish", "soulful"], nobody, ["dead_funny"], nobody) == []
    assert can_match("barry_alive", ["catfish", "soulful"], nobody, nobody, ["dead_funny"]) == [("catfish",)]
    # A neighbour's Wild; not what is hidden.
    assert can_match("barry_alive", ["catfish", "soulful"], ["wild"]) == [("catfish",)]
    assert can_match("barry_alive", ["catfish", "soulful"], ["dead_funny+left_on_read"]) == []
    assert can_match("barry_alive", ["catfish", "soulful"], ["dead_funny+mysterious_stranger"]) == []
    # Under a Left on Read the Catfish borrows nothing.
    assert can_match("barry_alive", ["catfish+left_on_read", "soulful"], ["dead_funny"]) == []


def test_LD_27_a_borrowed_pair_counts_double_and_stays() -> None:
    assert can_match("mona_lott", ["catfish"], ["soulful+overachiever"]) == [("catfish",)]
    assert can_match("mona_lott", ["catfish"], ["soulful", "soulful"]) == []
    assert can_match("chad", ["catfish", "fearless"], ["boo_tiful+overachiever"]) == [("catfish",)]
    assert can_match("barry_alive", ["catfish", "dead_funny"], ["soulful+overachiever"]) == [("catfish",)]
    state = table(phase="match", profiles={0: ["catfish"], 1: ["soulful+overachiever"]}, face_up=["mona_lott"])
    do(state, Match(place=0, boosts=("catfish",)))
    assert profile(state, 1)[0] == "soulful+overachiever"


def test_LD_28_you_flirt_ignores_one_wanted_trait() -> None:
    assert can_match("barry_alive", ["you_flirt", "soulful"]) == [("you_flirt",)]
    assert can_match("mona_lott", ["you_flirt", "soulful"]) == [("you_flirt",)]
    assert can_match("chad", ["you_flirt", "fearless"]) == []


def test_LD_29_humblebrag_draws_three() -> None:
    state = table(3, turn=2, hands={0: ["wild"], 2: FIVE[:4]}, profiles={0: ["humblebrag"], 2: ["soulful"]}, face_up=[])
    events = do(state, Play(card="fearless"))
    assert Drew(seat=0, count=3) in events
    # In the turns of others it does nothing.
    do(state, Discard(card=hand(state, 0)[0]), Pass())
    assert not any(each == Drew(seat=1, count=3) for each in do(state, legal(state)[0]))


HOBBIES = ["lots_of_hobbies", *FIVE, "imaginative"]


def test_LD_30_lots_of_hobbies_makes_seven_spaces() -> None:
    state = table(hands={0: ["lots_of_hobbies", "wild", "wild", "wild"]}, profiles={0: FIVE[:4]}, face_up=[])
    do(state, Play(card="lots_of_hobbies"))
    assert len(GAME.observe(state, None).players[0].profile) == 7
    state = table(hands={0: ["wild"]}, profiles={0: HOBBIES[:6]}, face_up=[])
    assert legal(state) == [Play(card="wild")]
    do(state, Play(card="wild"))
    assert profile(state, 0)[6] == "wild"
    state = table(hands={0: ["wild"]}, profiles={0: HOBBIES}, face_up=[])
    assert legal(state) == [Empty(space=space) for space in range(7)]


def test_LD_30_when_it_leaves_at_most_five_spaces_stay_filled() -> None:
    state = table(3, hands={0: ["wild", "red_flag"]}, profiles={0: HOBBIES}, face_up=[])
    do(state, Empty(space=0))
    assert phase(state) == "overflow"
    assert explain(state, Play(card="wild")) == "LD-30: now you decide: Lots of Hobbies is gone: empty a space"
    assert legal(state) == [Empty(space=space) for space in range(1, 7)]
    events = do(state, Empty(space=2))
    assert MovedUp(seat=0, space=5, to=0) in events
    assert MovedUp(seat=0, space=6, to=2) in events
    assert profile(state, 0) == ["fearless", "soulful", "imaginative", "soulful", "fearless", "", ""]
    # A card that needs no space can be played at once; for another, one more space must go.
    assert phase(state) == "play"
    assert legal(state) == [*(Empty(space=space) for space in range(5)), RedFlag(target=1), RedFlag(target=2)]
    do(state, Empty(space=1))
    assert legal(state) == [Play(card="wild")]
    assert "LD-30" in explain(state, RedFlag(target=1))
    assert explain(state, Empty(space=2)) == "LD-30: a space was emptied for a card that needs one: play that"
    do(state, Play(card="wild"))
    assert profile(state, 0)[:2] == ["fearless", "wild"]


def test_LD_30_after_one_more_space_a_wild_must_take_it() -> None:
    """Everything that needs no space is refused, and the reason is this rule."""
    mine = ["red_flag", "fearless", "fearless", "fearless", "soulful", "soulful", "lots_of_hobbies"]
    state = table(
        hands={0: ["wild", "overachiever", "left_on_read", "ghosted"]},
        profiles={0: mine, 1: ["soulful"]},
        matches={1: ["chad"]},
        face_up=[],
    )
    do(state, Empty(space=6), Empty(space=1))
    others = [
        RemoveDealbreaker(card="red_flag"),
        Pair(card="overachiever", space=3),
        LeftOnRead(target=1, space=0),
        Ghosted(target=1, match=0),
    ]
    assert [action in legal(state) for action in others] == [True] * 4
    do(state, Empty(space=2))
    assert legal(state) == [Play(card="wild")]
    needs = "LD-30: a space was emptied for a card that needs one: play that"
    assert [explain(state, action) for action in others] == [needs] * 4


def test_LD_30_without_a_card_that_needs_a_space_no_more_need_go() -> None:
    state = table(3, hands={0: ["red_flag"]}, profiles={0: HOBBIES}, face_up=[])
    do(state, Empty(space=0), Empty(space=6))
    assert legal(state) == [RedFlag(target=1), RedFlag(target=2)]
    # A pair needs none either.
    state = table(3, hands={0: ["overachiever"]}, profiles={0: HOBBIES}, face_up=[])
    do(state, Empty(space=0), Empty(space=6))
    assert legal(state) == [Pair(card="overachiever", space=space) for space in range(5)]
    assert explain(state, Empty(space=1)) == "LD-30: one more space is emptied only for a card that needs it"


def test_LD_30_dealbreakers_stay_when_it_leaves() -> None:
    mine = ["lots_of_hobbies", "red_flag", "emotional_baggage", "soulful+left_on_read", "soulful", "soulful", "wild"]
    state = table(hands={0: ["wild"]}, profiles={0: mine}, face_up=[])
    do(state, Empty(space=0))
    assert legal(state) == [Empty(space=space) for space in (4, 5, 6)]


def test_LD_30_if_the_last_play_went_with_it_pass_is_left() -> None:
    mine = [
        "lots_of_hobbies",
        "red_flag",
        "emotional_baggage",
        "catfish+left_on_read",
        "you_flirt",
        "soulful",
        "humblebrag",
    ]
    state = table(hands={0: ["overachiever"]}, profiles={0: mine}, face_up=[])
    do(state, Empty(space=0), Empty(space=5))
    assert legal(state) == [Pass()]


def test_LD_31_boosts_that_were_used_are_discarded_the_others_stay() -> None:
    mine = ["humblebrag", "soulful+overachiever", "lots_of_hobbies", "wild", "fearless"]
    state = table(phase="match", profiles={0: mine}, face_up=["mona_lott"], pool_top=["chad", "ari"])
    assert of(Match, state) == [Match(place=0)]  # with the Wild, no Boost is used
    mine[3] = ""
    state = table(phase="match", profiles={0: mine}, face_up=["mona_lott"], pool_top=["chad", "ari"])
    do(state, Match(place=0, boosts=("overachiever",)))
    assert profile(state, 0)[1] == ""
    assert top(state, 2) == ["soulful", "overachiever"]
    assert legal(state) == [Empty(space=space) for space in (0, 2, 4)]
    do(state, Empty(space=4))
    assert profile(state, 0)[:5] == ["humblebrag", "", "lots_of_hobbies", "", ""]


# Dealbreakers


def test_LD_32_red_flag_fills_an_empty_space() -> None:
    state = table(3, hands={0: ["red_flag"]}, profiles={1: FIVE, 2: ["wild"]}, face_up=[])
    assert legal(state) == [RedFlag(target=2)]
    assert "LD-32" in explain(state, RedFlag(target=1))
    do(state, RedFlag(target=2))
    assert profile(state, 2)[:2] == ["wild", "red_flag"]


def test_LD_33_emotional_baggage_limits_matches_to_four_hearts() -> None:
    mine = ["boo_tiful", "boo_tiful", "fearless", "soulful", "imaginative"]
    state = table(phase="match", profiles={0: mine}, face_up=["chad", "rhea_incarnate"])
    assert of(Match, state) == [Match(place=0), Match(place=1)]
    mine = ["boo_tiful", "wild", "wild", "fearless", "emotional_baggage"]
    state = table(phase="match", profiles={0: mine}, face_up=["chad", "rhea_incarnate", "claire_voyant"])
    assert of(Match, state) == [Match(place=1)]  # 4 Hearts are not too many
    assert "LD-33" in explain(state, Match(place=0))
    assert "LD-42" in explain(state, Match(place=2))
    state = table(3, hands={0: ["emotional_baggage"]}, profiles={1: FIVE, 2: ["wild"]}, face_up=[])
    assert legal(state) == [EmotionalBaggage(target=2)]
    assert "LD-33" in explain(state, EmotionalBaggage(target=1))
    do(state, EmotionalBaggage(target=2))
    assert profile(state, 2)[:2] == ["wild", "emotional_baggage"]


def test_LD_34_left_on_read_covers_a_filled_space() -> None:
    profiles = {1: ["lots_of_hobbies", "humblebrag", "", "soulful+overachiever", "wild"]}
    state = table(hands={0: ["left_on_read"]}, profiles=profiles, face_up=[])
    assert legal(state) == [LeftOnRead(target=1, space=space) for space in (1, 3, 4)]
    assert "LD-34" in explain(state, LeftOnRead(target=1, space=0))
    do(state, LeftOnRead(target=1, space=3))
    assert profile(state, 1)[3] == "soulful+overachiever+left_on_read"
    assert GAME.observe(state, None).players[1].profile[3] == Space("soulful", "overachiever", True)
    # What is under it does not count for anything and cannot be emptied.
    assert can_match("mona_lott", ["soulful+overachiever+left_on_read", "soulful"]) == []
    assert can_match("mona_lott", ["wild+left_on_read", "soulful"]) == []
    assert can_match("mona_lott", ["you_flirt+left_on_read", "soulful"]) == []
    state = table(hands={0: ["fearless"]}, profiles={0: ["wild+left_on_read", *FIVE[1:]]})
    assert Empty(space=0) not in legal(state)


def test_LD_34_on_humblebrag_it_stops_the_third_draw() -> None:
    state = table(turn=1, hands={0: ["wild"], 1: FIVE[:4]}, profiles={0: ["humblebrag+left_on_read"]}, face_up=[])
    assert Drew(seat=0, count=2) in do(state, Play(card="fearless"))


def test_LD_35_ghosted_takes_a_match_out_of_the_count_once_a_game() -> None:
    state = table(4, hands={0: ["ghosted"]}, matches={1: ["chad", "ari"], 3: ["mona_lott"]}, face_up=[])
    assert legal(state) == [Ghosted(target=1, match=0), Ghosted(target=1, match=1), Ghosted(target=3, match=0)]
    do(state, Ghosted(target=1, match=1))
    shown = GAME.observe(state, 2).players[1]
    assert [(each.boo, each.ghosted) for each in shown.matches] == [("chad", False), ("ari", True)]
    assert shown.was_ghosted
    # Removed or not, never again.
    for more in ({1: "ari"}, {}):
        state = table(4, hands={0: ["ghosted"]}, matches={1: ["chad", "ari"]}, ghosted=more, was_ghosted=2, face_up=[])
        assert legal(state) == [Pass()]
        assert explain(state, Ghosted(target=1, match=0)) == "LD-35: seat 1 was Ghosted once"
    assert explain(state, Ghosted(target=2, match=0)) == "LD-35: seat 2 has no such match"


# Make a Move


def test_LD_36_swipe_right_draws_two() -> None:
    state = table(phase="make_a_move", hands={0: ["swipe_right", "soulful"]}, deck_top=["wild", "wild", "fearless"])
    log: Log = []
    assert GAME.apply(state, 0, 25, log)
    assert hand(state, 0) == ["soulful", "wild", "wild"]
    assert log[1].public == Drew(seat=0, count=2)
    assert log[1].seen_by(0) == Drew(seat=0, count=2, cards=("wild", "wild"))


def test_LD_37_speed_dating_exchanges_the_hand() -> None:
    state = table(
        phase="make_a_move", hands={0: ["speed_dating", "soulful", "wild"]}, deck_top=["fearless", "fearless"]
    )
    events = do(state, SpeedDating())
    assert events[1:] == [Discarded(seat=0, cards=("soulful", "wild")), Drew(seat=0, count=2)]
    assert hand(state, 0) == ["fearless", "fearless"]
    assert top(state, 3) == ["soulful", "wild", "speed_dating"]
    state = table(phase="make_a_move", hands={0: ["speed_dating"]})
    assert legal(state) == [Pass()]
    assert "LD-37" in explain(state, SpeedDating())


def test_LD_38_plenty_of_fish_exchanges_the_face_up_boos() -> None:
    state = table(phase="make_a_move", hands={0: ["plenty_of_fish"]}, face_up=["chad", "ari"], pool_top=["mona_lott"])
    do(state, PlentyOfFish())
    seen = GAME.observe(state, None)
    assert seen.face_up[0] == "mona_lott"
    assert len(seen.face_up) == 2
    assert len(state.pool) == 20
    assert set(seen.pool[-1]) == {"ari", "chad"}  # everybody knows that they lie below
    assert len(seen.pool[0]) == 18


def test_LD_38_the_order_under_the_pool_is_random() -> None:
    orders = set()
    for drawn in range(20):
        state = table(phase="make_a_move", hands={0: ["plenty_of_fish"]}, face_up=["chad", "ari"], drawn=drawn)
        do(state, PlentyOfFish())
        orders.add(tuple(state.pool[:2]))
    assert len(orders) == 2


def test_LD_38_with_a_short_pool_the_same_boos_may_come_back() -> None:
    state = table(phase="make_a_move", hands={0: ["plenty_of_fish"]}, face_up=[boo.id for boo in HOUSE.boos])
    do(state, PlentyOfFish())
    assert sorted(state.face_up) == list(range(22))
    state = table(phase="make_a_move", hands={0: ["plenty_of_fish"]}, face_up=[])
    do(state, PlentyOfFish())
    assert (state.face_up, len(state.pool)) == ([], 22)


def test_LD_39_pick_up_line_takes_a_random_card_that_only_the_two_see() -> None:
    taken = set()
    for drawn in range(40):
        state = table(3, phase="make_a_move", hands={0: ["pick_up_line"], 1: ["soulful", "wild"], 2: []}, drawn=drawn)
        assert legal(state) == [Pass(), PickUpLine(target=1)]
        assert "LD-39" in explain(state, PickUpLine(target=2))
        log: Log = []
        assert GAME.apply(state, 0, GAME.legal_actions(state, 0)[1], log)
        (card,) = hand(state, 0)
        taken.add(card)
        assert [log[1].seen_by(viewer).card for viewer in (0, 1, 2, None)] == [card, card, None, None]
    assert taken == {"soulful", "wild"}


def test_LD_40_old_flame_takes_a_trait_from_the_discard_pile() -> None:
    pile = ["soulful", "wild", "soulful", "catfish", "fearless"]
    state = table(phase="make_a_move", hands={0: ["old_flame"]}, discard=pile)
    assert legal(state) == [Pass(), OldFlame(card="soulful"), OldFlame(card="fearless")]
    assert "LD-40" in explain(state, OldFlame(card="imaginative"))
    do(state, OldFlame(card="soulful"))
    assert hand(state, 0) == ["soulful"]
    assert top(state, 5) == ["soulful", "wild", "catfish", "fearless", "old_flame"]
    state = table(phase="make_a_move", hands={0: ["old_flame"]}, discard=["wild"])
    assert legal(state) == [Pass()]


def test_LD_41_love_triangle_swaps_two_traits_in_their_places() -> None:
    profiles = {0: ["wild", "soulful", "fearless"], 1: ["", "imaginative+overachiever"], 2: ["boo_tiful", "dead_funny"]}
    state = table(3, phase="make_a_move", hands={0: ["love_triangle", "wild", "soulful"]}, profiles=profiles)
    do(state, LoveTriangle())
    assert legal(state) == [GiveTrait(space=1), GiveTrait(space=2)]
    do(state, GiveTrait(space=1))
    assert GAME.observe(state, 2).giving == 1
    assert legal(state) == [TakeTrait(target=2, space=0), TakeTrait(target=2, space=1)]
    assert "LD-41" in explain(state, TakeTrait(target=1, space=1))
    do(state, TakeTrait(target=2, space=1))
    assert profile(state, 0)[:3] == ["wild", "dead_funny", "fearless"]
    assert profile(state, 2)[:2] == ["boo_tiful", "soulful"]
    assert (top(state), phase(state)) == (["love_triangle"], "play")


def test_LD_41_playable_only_if_both_traits_exist() -> None:
    covered = ["soulful+mysterious_stranger", "soulful+left_on_read", "wild", "catfish"]
    for mine, theirs in ((["wild"], ["soulful"]), (covered, ["soulful"]), (["soulful"], covered)):
        state = table(phase="make_a_move", hands={0: ["love_triangle"]}, profiles={0: mine, 1: theirs})
        assert legal(state) == [Pass()]
        assert "LD-41" in explain(state, LoveTriangle())


# Matching


def test_LD_42_every_wanted_trait_counted_with_repeats() -> None:
    assert can_match("chad", ["fearless", "boo_tiful", "boo_tiful"]) == [()]
    assert can_match("chad", ["fearless", "boo_tiful"]) == []
    assert can_match("chad", ["fearless", "boo_tiful", "wild"]) == [()]
    assert can_match("professor_umbra", ["wild", "intellectual", "wild", "imaginative"]) == [()]
    assert can_match("professor_umbra", ["wild", "intellectual", "imaginative", "imaginative"]) == []


def test_LD_42_the_rulebooks_own_examples() -> None:
    """Chad with a doubled Boo-tiful; Ari with a Catfish, if a neighbour, and no other, shows Intellectual."""
    mine = ["boo_tiful+overachiever", "fearless"]
    assert can_match("chad", mine) == [("overachiever",)]
    mine = ["imaginative", "soulful", "catfish"]
    nothing = ["fearless"]
    assert can_match("ari", mine, ["intellectual"], nothing, nothing) == [("catfish",)]
    assert can_match("ari", mine, nothing, nothing, ["intellectual"]) == [("catfish",)]
    assert can_match("ari", mine, nothing, ["intellectual"], nothing) == []


def test_LD_42_boosts_work_together() -> None:
    mine = ["boo_tiful+overachiever", "catfish", "you_flirt"]
    assert can_match("bea_yond", mine, ["soulful"]) == []
    assert can_match("chad", mine, ["soulful"]) == [("you_flirt", "overachiever")]
    assert can_match("chad", mine, ["fearless"]) == [
        ("catfish", "you_flirt"),
        ("catfish", "overachiever"),
        ("you_flirt", "overachiever"),
    ]
    mine = ["wild+overachiever", "catfish", "you_flirt", "dead_funny+mysterious_stranger"]
    assert can_match("professor_umbra", mine, ["imaginative"]) == [
        ("catfish", "you_flirt", "overachiever"),
        ("catfish", "you_flirt", "mysterious_stranger"),
        ("catfish", "overachiever", "mysterious_stranger"),
        ("you_flirt", "overachiever", "mysterious_stranger"),
    ]


def test_LD_42_a_borrowed_trait_and_a_doubled_wild_add_up() -> None:
    """Of a trait that is wanted three times, the pair gives two and the loan the rest."""
    more = {"phase": "match", "face_up": ["barry_alive"], "cards": deck_with(["soulful"] * 3)}
    state = table(profiles={0: ["wild+overachiever", "catfish"], 1: ["soulful"]}, **more)
    assert matches_with(state, "barry_alive") == [("catfish", "overachiever")]
    state = table(profiles={0: ["soulful", "catfish"], 1: ["wild+overachiever"]}, **more)
    assert matches_with(state, "barry_alive") == [("catfish",)]
    state = table(profiles={0: ["wild+overachiever"], 1: ["soulful"]}, **more)
    assert matches_with(state, "barry_alive") == []
    # A doubled Wild that is used for a trait is not there for another one.
    more["cards"] = deck_with(["soulful", "soulful", "soulful", "fearless"])
    state = table(profiles={0: ["wild+overachiever", "catfish"], 1: ["soulful"]}, **more)
    assert matches_with(state, "barry_alive") == []


def test_LD_43_one_match_a_turn() -> None:
    state = table(
        phase="match",
        hands={0: FIVE[:3]},
        profiles={0: ["soulful", "wild", "wild", "wild", "wild"]},
        face_up=["mona_lott", "barry_alive"],
    )
    do(state, Match(place=0), Empty(space=0), Empty(space=1))
    assert state.turn == 1
    assert len(state.matches[0]) == 1


def test_LD_44_take_turn_up_then_empty() -> None:
    mine = ["soulful", "soulful", "wild", "fearless"]
    row, pool = ["ari", "mona_lott"], ["chad", "opal_essence", "manny_fest"]
    state = table(phase="match", profiles={0: mine}, face_up=row, pool_top=pool)
    events = do(state, Match(place=1))
    assert [event.type for event in events] == ["matched", "boos_turned_up"]
    assert events[0] == Matched(seat=0, boo="mona_lott")
    assert GAME.observe(state, 0).face_up == ("ari", "chad", "opal_essence")
    assert phase(state) == "empty"


def test_LD_44_as_many_as_there_are() -> None:
    mine = ["soulful", "soulful", "wild", "fearless"]
    state = table(phase="match", profiles={0: mine}, face_up=[boo.id for boo in HOUSE.boos if boo.id != "chad"])
    place = GAME.observe(state, 0).face_up.index("mona_lott")
    do(state, Match(place=place))
    assert GAME.observe(state, 0).face_up[-1] == "chad"
    assert len(state.face_up) == 21


def test_LD_45_two_filled_spaces_are_emptied() -> None:
    mine = ["soulful", "soulful", "red_flag", "wild+left_on_read", "humblebrag"]
    state = table(phase="match", profiles={0: mine}, face_up=["mona_lott"], hands={0: ["wild"] * 3})
    do(state, Match(place=0))
    assert legal(state) == [Empty(space=space) for space in (0, 1, 4)]
    assert "LD-23" in explain(state, Empty(space=2))
    assert "LD-45" in explain(state, Empty(space=5))
    do(state, Empty(space=4))
    assert legal(state) == [Empty(space=space) for space in (0, 1)]
    do(state, Empty(space=0))
    assert profile(state, 0)[:5] == ["", "soulful", "red_flag", "wild+left_on_read", ""]
    assert state.turn == 1


def test_LD_45_the_space_of_a_boost_that_was_used_must_go() -> None:
    mine = ["soulful", "soulful", "you_flirt", "fearless", "dead_funny"]
    state = table(phase="match", profiles={0: mine}, face_up=["hugh_moreless", "barry_alive", "will_n_testament"])
    assert of(Match, state) == [Match(place=1), Match(place=2, boosts=("you_flirt",))]
    do(state, Match(place=2, boosts=("you_flirt",)))
    assert profile(state, 0)[2] == ""
    assert legal(state) == [Empty(space=space) for space in (0, 1, 3, 4)]
    # With two used, both go, and nothing is asked.
    mine = ["boo_tiful+overachiever", "fearless", "you_flirt", "wild"]
    state = table(phase="match", profiles={0: mine[:3]}, face_up=["mona_lott", "bea_yond"])
    assert of(Match, state) == []
    state = table(
        phase="match", profiles={0: ["boo_tiful+overachiever", "you_flirt", "wild"]}, face_up=["chad", "bea_yond"]
    )
    assert matches_with(state, "chad") == [("you_flirt",), ("overachiever",)]
    state = table(phase="match", profiles={0: ["boo_tiful+overachiever", "you_flirt"]}, face_up=["chad"])
    do(state, Match(place=0, boosts=("you_flirt", "overachiever")))
    assert (profile(state, 0), state.turn) == ([""] * 7, 1)


def test_LD_45_also_in_the_sixth_and_seventh_space() -> None:
    five = ["soulful", "fearless", "fearless", "dead_funny", "lots_of_hobbies"]
    for more in ([], ["wild+left_on_read"]):
        state = table(phase="match", profiles={0: [*five, *more, "you_flirt"]}, face_up=["mona_lott"])
        do(state, Match(place=0, boosts=("you_flirt",)))
        assert profile(state, 0) == [*five, *more, *[""] * (2 - len(more))]
        assert legal(state) == [Empty(space=space) for space in range(5)]


def test_LD_45_two_boosts_used_are_the_two_spaces() -> None:
    mine = ["soulful", "boo_tiful+overachiever", "humblebrag", "you_flirt"]
    state = table(phase="match", profiles={0: mine}, face_up=["chad"])
    do(state, Match(place=0, boosts=("you_flirt", "overachiever")))
    assert profile(state, 0)[:4] == ["soulful", "", "humblebrag", ""]
    assert state.turn == 1


def test_LD_45_the_last_two_spaces_are_emptied_unasked() -> None:
    state = table(phase="match", profiles={0: ["soulful", "red_flag", "soulful"]}, face_up=["mona_lott"])
    events = do(state, Match(place=0))
    assert [event.space for event in events if isinstance(event, Emptied)] == [0, 2]
    assert (profile(state, 0)[:3], state.turn) == (["", "red_flag", ""], 1)


def test_LD_45_of_three_boosts_used_two_go_the_rulebooks_example() -> None:
    """A match with three Boosts used empties two spaces, both of them Boost spaces."""
    mine = ["boo_tiful+overachiever", "soulful+mysterious_stranger", "you_flirt", "catfish", "humblebrag"]
    cards = deck_with(["boo_tiful", "boo_tiful", "fearless", "dead_funny"])
    state = table(phase="match", profiles={0: mine}, face_up=["barry_alive"], cards=cards)
    three = ("you_flirt", "overachiever", "mysterious_stranger")
    assert matches_with(state, "barry_alive") == [three]
    do(state, Match(place=0, boosts=three))
    assert legal(state) == [Empty(space=space) for space in (0, 1, 2)]
    do(state, Empty(space=1))
    assert legal(state) == [Empty(space=space) for space in (0, 2)]
    do(state, Empty(space=0))
    assert profile(state, 0)[:5] == ["", "", "you_flirt", "catfish", "humblebrag"]


def test_LD_45_fewer_than_two_that_can_be_emptied() -> None:
    mine = ["soulful+overachiever", "red_flag", "emotional_baggage", "wild+left_on_read"]
    state = table(phase="match", profiles={0: mine}, face_up=["mona_lott"])
    do(state, Match(place=0, boosts=("overachiever",)))
    assert profile(state, 0)[:4] == ["", *mine[1:]]
    assert state.turn == 1


def test_LD_46_the_player_chooses_among_minimal_sets() -> None:
    assert can_match("mona_lott", ["soulful+overachiever", "you_flirt"]) == [("you_flirt",), ("overachiever",)]
    assert can_match("mona_lott", ["soulful", "soulful", "you_flirt", "catfish"], ["soulful"]) == [()]
    mine = ["soulful+overachiever", "you_flirt", "catfish"]
    assert can_match("mona_lott", mine, ["soulful"]) == [("catfish",), ("you_flirt",), ("overachiever",)]
    state = table(phase="match", profiles={0: ["soulful+overachiever", "you_flirt"]}, face_up=["mona_lott"])
    assert "LD-46" in explain(state, Match(place=0, boosts=("you_flirt", "overachiever")))


# End and score


def test_LD_47_the_third_match_ends_the_game_at_once() -> None:
    state = table(
        phase="match",
        matches={0: ["chad", "ari"]},
        profiles={0: ["soulful", "soulful"]},
        face_up=["mona_lott"],
        endgame={0: "cold_feet", 1: "no_type"},
    )
    log: Log = []
    place = len(state.pool)
    assert GAME.apply(state, 0, GAME.legal_actions(state, 0)[1], log)
    assert [fact.public.type for fact in log] == ["matched", "revealed", "revealed", "ended"]
    assert len(state.pool) == place  # nothing is turned up, nothing emptied
    assert profile(state, 0)[:2] == ["soulful", "soulful"]
    assert GAME.pending(state) == ()
    end = GAME.outcome(state)
    assert end is not None
    assert (end.reason, end.winners, end.scores) == ("three_matches", (0,), (5 + 4 + 3 - 2, 0))


def test_LD_47_a_ghosted_match_and_two_others_do_not_end_it_the_rulebooks_example() -> None:
    """Removing the Ghosted with a Wild ends it at once."""
    state = table(
        phase="match",
        hands={0: ["wild", "wild", "soulful"]},
        matches={0: ["chad", "ari"]},
        ghosted={0: "ari"},
        profiles={0: ["soulful", "soulful", "wild"]},
        face_up=["mona_lott"],
        pool_top=["opal_essence", "manny_fest"],
    )
    do(state, Match(place=0), Empty(space=0), Empty(space=1))
    assert GAME.outcome(state) is None
    state = table(
        hands={0: ["wild"]},
        matches={0: ["chad", "ari", "mona_lott"]},
        ghosted={0: "ari"},
        profiles={0: ["wild", "wild"]},
        face_up=["opal_essence"],
    )
    do(state, RemoveDealbreaker(card="ghosted"))
    end = GAME.outcome(state)
    assert end is not None
    assert end.reason == "three_matches"


def test_LD_47_a_match_that_counts_again_ends_nothing_unless_it_is_the_third() -> None:
    state = table(hands={0: ["wild"]}, matches={0: ["chad", "ari"]}, ghosted={0: "ari"}, face_up=[])
    do(state, RemoveDealbreaker(card="ghosted"))
    assert (GAME.outcome(state), state.turn) == (None, 1)


def bonus(card: str, mine: list[str], spaces: list[str] | None = None, ghosted: str | None = None) -> int:
    """What an Endgame card is worth to seat 0."""
    state = table(3, matches={0: mine}, profiles={0: spaces or []}, ghosted={0: ghosted} if ghosted else {}, face_up=[])
    return endgame_hearts(state, 0, HOUSE.endgames[HOUSE.endgame_number[card]])


def test_LD_48_the_endgame_cards() -> None:
    for card in HOUSE.endgames[:7]:
        wanting = [boo.id for boo in HOUSE.boos if card.trait in boo.wants]
        others = [boo.id for boo in HOUSE.boos if card.trait not in boo.wants]
        assert bonus(card.id, wanting[:3]) == 3
        assert bonus(card.id, [wanting[0], *others[:2]]) == 1
        assert bonus(card.id, others[:2]) == -1
        assert bonus(card.id, []) == -1
    assert [HOUSE.endgames[number].trait for number in range(7)] == list(range(7))
    assert [bonus("old_romantic", mine) for mine in (["chad"], ["chad", "mona_lott"], ["al_hallows"])] == [0, 3, 3]
    assert [bonus("shooting_star", mine) for mine in (["chad"], ["bea_yond"], ["professor_umbra"])] == [0, 3, 3]
    assert [bonus("no_type", mine) for mine in ([], ["chad"], ["chad", "ari"], ["ari", "misty_moors"])] == [0, 0, 3, 0]
    assert [bonus("cold_feet", mine) for mine in ([], ["chad", "ari"], ["chad", "ari", "mona_lott"])] == [4, 4, -2]
    all_four = ["red_flag", "emotional_baggage", "soulful+left_on_read"]
    assert bonus("glutton_for_punishment", ["chad"]) == 0
    assert bonus("glutton_for_punishment", ["chad"], all_four, "chad") == 8


def test_LD_48_ghosted_matches_count_for_nothing() -> None:
    assert bonus("drop_dead_gorgeous", ["chad", "mona_lott"], ghosted="chad") == -1
    assert bonus("cold_feet", ["chad", "ari", "mona_lott"], ghosted="chad") == 4
    assert bonus("old_romantic", ["mona_lott"], ghosted="mona_lott") == 0
    assert bonus("no_type", ["ari", "misty_moors", "chad"], ghosted="ari") == 3


def test_LD_48_a_ghosted_that_was_removed_is_no_dealbreaker_any_more() -> None:
    state = table(3, matches={0: ["chad"]}, was_ghosted=1, face_up=[])
    glutton = HOUSE.endgames[HOUSE.endgame_number["glutton_for_punishment"]]
    assert endgame_hearts(state, 0, glutton) == 0


def test_LD_48_all_matches_that_are_not_ghosted_count_the_first_too() -> None:
    state = table(
        phase="match",
        matches={0: ["professor_umbra", "ari", "chad"]},
        ghosted={0: "ari"},
        profiles={0: ["soulful", "soulful"]},
        face_up=["mona_lott"],
        endgame={0: "no_type", 1: "old_romantic"},
    )
    do(state, Match(place=0))
    end = GAME.outcome(state)
    assert end is not None
    assert end.scores == (7 + 5 + 3 + 3, 0)


def test_LD_48_cards_are_revealed_from_the_ending_player_round_the_table() -> None:
    state = table(
        3,
        turn=1,
        phase="match",
        matches={1: ["chad", "ari"], 0: ["professor_umbra", "bea_yond"], 2: ["dorian_grave"]},
        ghosted={2: "dorian_grave"},
        profiles={1: ["soulful", "soulful"]},
        face_up=["mona_lott"],
        endgame={0: "nerves_of_sheet", 1: "old_romantic", 2: "shooting_star"},
    )
    assert all(player.endgame is None for player in GAME.observe(state, 2).players)
    events = do(state, Match(place=0))
    assert events[1:4] == [
        Revealed(seat=1, endgame="old_romantic", hearts=3),
        Revealed(seat=2, endgame="shooting_star", hearts=0),
        Revealed(seat=0, endgame="nerves_of_sheet", hearts=1),
    ]
    end = GAME.outcome(state)
    assert end is not None
    assert (end.scores, end.winners) == ((14, 15, 0), (1,))
    shown = [player.endgame for player in GAME.observe(state, None).players]
    assert shown == ["nerves_of_sheet", "old_romantic", "shooting_star"]


def test_LD_48_CM_9_ties_share_the_place() -> None:
    state = table(
        phase="match",
        matches={0: ["chad", "ari"], 1: ["bea_yond", "dorian_grave"]},
        profiles={0: ["soulful", "soulful"]},
        face_up=["mona_lott"],
        endgame={0: "shooting_star", 1: "no_type"},
    )
    do(state, Match(place=0))
    end = GAME.outcome(state)
    assert end is not None
    assert (end.scores, end.winners) == ((12, 12), (0, 1))


def test_LD_49_CM_10_after_two_hundred_turns_a_seat_nobody_wins() -> None:
    state = table(3, turn=2, hands={2: FIVE[:4]}, face_up=[], turns=600, matches={0: ["chad"]})
    do(state, Play(card="soulful"))
    end = GAME.outcome(state)
    assert end is not None
    assert (end.reason, end.winners, end.scores) == ("turn_limit", (), None)
    assert all(player.endgame is None for player in GAME.observe(state, None).players)
    state = table(3, turn=2, hands={2: FIVE[:4]}, face_up=[], turns=599)
    do(state, Play(card="soulful"))
    assert (state.turns, GAME.outcome(state)) == (600, None)


# What everybody may know


def test_CM_7a_old_flame_is_known_to_all_until_it_is_seen_to_go() -> None:
    state = table(3, phase="make_a_move", hands={0: ["old_flame", "wild", "wild"]}, discard=["soulful"], face_up=[])
    do(state, OldFlame(card="soulful"))
    for viewer in (1, 2, None):
        assert GAME.observe(state, viewer).players[0].known_hand == ("soulful",)
    assert GAME.observe(state, 0).players[0].known_hand == ()  # it has its own hand
    do(state, Play(card="wild"))
    assert GAME.observe(state, 1).players[0].known_hand == ("soulful",)
    state.turn, state.phase, state.pending = 0, 4, ((0, 4, 0),)
    do(state, Play(card="soulful"))
    assert GAME.observe(state, 1).players[0].known_hand == ()


def test_CM_7a_a_hidden_loss_lowers_each_kind_that_it_could_be() -> None:
    hands = {0: ["pick_up_line", "wild"], 1: ["soulful", "soulful", "fearless", "wild"], 2: ["imaginative"]}
    state = table(3, phase="make_a_move", hands=hands)
    for viewer in (2, known.PUBLIC):
        tell(state, viewer, 1, "soulful", "soulful", "fearless")
    do(state, PickUpLine(target=1))
    for viewer in (2, None):
        seen = GAME.observe(state, viewer)
        assert seen.players[1].known_hand == ("soulful",)
        assert seen.known_among_others == ("soulful", "fearless")  # one of them may have gone to seat 0
    victim = GAME.observe(state, 1)
    assert len(victim.players[0].known_hand) == 1
    assert victim.players[0].known_hand[0] in hand(state, 0)


def test_CM_7a_a_hand_that_is_known_and_alike_gives_away_what_was_taken() -> None:
    hands = {0: ["pick_up_line", "wild"], 1: ["soulful", "soulful"], 2: ["imaginative"]}
    state = table(3, phase="make_a_move", hands=hands)
    tell(state, 2, 1, "soulful", "soulful")
    do(state, PickUpLine(target=1))
    seen = GAME.observe(state, 2)
    assert [player.known_hand for player in seen.players] == [("soulful",), ("soulful",), ()]
    assert seen.known_among_others == ()
    assert GAME.observe(state, None).players[0].known_hand == ()


def test_CM_7a_one_unknown_card_is_enough_to_leave_it_open() -> None:
    hands = {0: ["pick_up_line", "imaginative"], 1: ["soulful", "wild"], 2: ["imaginative"]}
    taken = set()
    for drawn in range(20):
        state = table(3, phase="make_a_move", hands=hands, drawn=drawn)
        tell(state, 2, 1, "soulful")
        do(state, PickUpLine(target=1))
        taken.update(hand(state, 0))
        seen = GAME.observe(state, 2)
        assert [player.known_hand for player in seen.players] == [(), (), ()]
        assert seen.known_among_others == ("soulful",)
    assert taken == {"soulful", "wild", "imaginative"}


def test_CM_7a_the_taker_forgets_what_it_took() -> None:
    hands = {0: ["pick_up_line", "wild"], 1: ["soulful"], 2: ["imaginative"]}
    state = table(3, phase="make_a_move", hands=hands)
    tell(state, 0, 1, "soulful")
    do(state, PickUpLine(target=1))
    assert GAME.observe(state, 0).players[1].known_hand == ()
    assert GAME.observe(state, 1).players[0].known_hand == ("soulful",)


def test_CM_7a_LD_16_a_reshuffle_tells_what_the_others_hold_together() -> None:
    hands = {0: ["wild"], 1: ["soulful", "fearless"], 2: [*FIVE[:3], "imaginative"]}
    state = table(3, turn=2, hands=hands, deck_size=0, face_up=[])
    do(state, Play(card="imaginative"))
    assert GAME.observe(state, 0).known_among_others == ("soulful",) * 4 + ("fearless",)
    assert GAME.observe(state, 2).known_among_others == ("soulful", "fearless", "wild")
    assert GAME.observe(state, None).known_among_others == ("soulful",) * 4 + ("fearless", "wild")
    do(state, Discard(card="wild"))
    assert GAME.observe(state, 2).known_among_others == ("soulful", "fearless")
    # With two players it is the other hand, card by card.
    state = table(2, turn=1, hands={0: ["wild"], 1: FIVE[:4]}, deck_size=0, face_up=[])
    do(state, Play(card="fearless"))
    assert GAME.observe(state, 1).players[0].known_hand == ("wild",)
    assert GAME.observe(state, 0).players[1].known_hand == ("soulful",) * 3
    # Also where some of it was known before.
    state = table(2, turn=1, hands={0: ["wild"], 1: FIVE[:4]}, deck_size=0, face_up=[])
    tell(state, 0, 1, "soulful")
    do(state, Play(card="fearless"))
    assert GAME.observe(state, 0).players[1].known_hand == ("soulful",) * 3


def test_CM_7a_LD_16_what_was_known_of_one_hand_is_not_counted_twice() -> None:
    hands = {0: ["wild"], 1: ["soulful", "fearless"], 2: [*FIVE[:3], "imaginative"]}
    state = table(3, turn=2, hands=hands, deck_size=0, face_up=[])
    tell(state, 0, 1, "soulful")
    tell(state, known.PUBLIC, 2, "soulful", "soulful")
    do(state, Play(card="imaginative"))
    seen = GAME.observe(state, 0)
    assert seen.players[1].known_hand == ("soulful",)
    assert seen.known_among_others == ("soulful",) * 3 + ("fearless",)
    seen = GAME.observe(state, None)
    assert seen.players[2].known_hand == ("soulful", "soulful")
    assert seen.known_among_others == ("soulful",) * 2 + ("fearless", "wild")


def test_CM_7a_LD_16_a_card_drawn_before_the_reshuffle_is_told_one_drawn_after_it_is_not() -> None:
    hands = {0: ["wild"], 1: ["soulful", "fearless"], 2: [*FIVE[:3], "imaginative"]}
    state = table(3, turn=2, hands=hands, deck_top=["boo_tiful"], deck_size=1, face_up=[])
    do(state, Play(card="imaginative"))
    assert len(state.hands[0]) == 3
    assert GAME.observe(state, 2).known_among_others == ("soulful", "fearless", "boo_tiful", "wild")


def test_CM_7a_second_worlds_keep_what_is_known_and_deal_the_rest_evenly() -> None:
    hands = {0: ["wild"], 1: ["soulful", "wild"], 2: ["fearless", "boo_tiful", "wild"]}
    state = table(3, hands=hands, face_up=[])
    tell(state, 0, 1, "soulful")
    tell(state, 0, known.SOMEWHERE, "boo_tiful")
    seen = GAME.observe(state, 0)
    rng = random.Random(1)
    where: Counter[int] = Counter()
    others: Counter[str] = Counter()
    endgames: Counter[int] = Counter()
    first: Counter[int] = Counter()
    for _ in range(3000):
        other = GAME.determinize(seen, rng)
        assert other.hands[0] == state.hands[0]
        assert "soulful" in hand(other, 1)
        rest = hand(other, 1) + hand(other, 2)
        rest.remove("soulful")
        assert "boo_tiful" in rest
        rest.remove("boo_tiful")
        where["boo_tiful" in hand(other, 1)] += 1
        others.update(rest)
        endgames[other.endgame[1]] += 1
        first[other.pool[-1]] += 1
    # One of four open places is seat 1's; a second Boo-tiful may be drawn beside the known one.
    assert 0.25 < where[True] / 3000 < 0.36
    copies = {CARDS[kind]: count for kind, count in enumerate(HOUSE.packs[3])}
    unseen = sum(copies.values()) - 3  # one's own Wild and the two known cards
    for card, left in (("wild", 4), ("soulful", 3), ("boo_tiful", 3), ("ghosted", 1), ("imaginative", 4)):
        expected = 3000 * 3 * left / unseen
        assert abs(others[card] - expected) < 5 * expected**0.5
    assert state.endgame[0] not in endgames
    assert len(endgames) == 11
    assert max(endgames.values()) < 2 * min(endgames.values())
    assert len(first) == 22
    assert max(first.values()) < 2 * min(first.values())


def test_CM_6a_hands_are_shown_in_a_fixed_order_of_kinds() -> None:
    state = table(phase="make_a_move", hands={0: ["swipe_right"]}, deck_top=["wild", "dead_funny"])
    do(state, SwipeRight())
    assert GAME.observe(state, 0).hand == ("dead_funny", "wild")


def test_CM_11_the_default_is_to_pass_else_the_lowest_number() -> None:
    state = table(phase="make_a_move", hands={0: ["swipe_right"]})
    assert GAME.actions(2)[GAME.default_action(state, 0)] == Pass()
    state = table(phase="match", profiles={0: ["soulful", "soulful"]}, face_up=["mona_lott"])
    assert GAME.actions(2)[GAME.default_action(state, 0)] == Pass()
    for at in ("discard", "play", "hand_limit"):
        state = table(phase=at, hands={0: ["soulful", "wild"]})
        assert GAME.default_action(state, 0) == GAME.legal_actions(state, 0)[0]


def test_CM_12_a_forfeited_seat_cannot_win() -> None:
    state = table(
        3,
        phase="match",
        matches={0: ["chad", "ari"], 1: ["bea_yond", "dorian_grave"], 2: ["professor_umbra"]},
        profiles={0: ["soulful", "soulful"]},
        face_up=["mona_lott"],
        endgame={0: "glutton_for_punishment", 1: "glutton_for_punishment", 2: "cold_feet"},
    )
    log: Log = []
    GAME.forfeit(state, 1, log)
    assert [fact.public.type for fact in log] == ["forfeited"]
    assert GAME.outcome(state) is None
    assert GAME.observe(state, None).players[1].forfeited
    do(state, Match(place=0))
    end = GAME.outcome(state)
    assert end is not None
    assert (end.scores, end.winners) == ((12, 12, 11), (0,))


def test_CM_12_the_last_seat_left_wins_at_once() -> None:
    state = table(3)
    GAME.forfeit(state, 0, None)
    log: Log = []
    GAME.forfeit(state, 2, log)
    end = GAME.outcome(state)
    assert end is not None
    assert (end.winners, end.scores, end.reason) == ((1,), None, "forfeit")
    assert [fact.public.type for fact in log] == ["forfeited", "ended"]
    assert GAME.pending(state) == ()


def test_CM_12_a_forfeit_in_the_middle_of_a_swap_leaves_the_love_triangle_on_the_table() -> None:
    profiles = {0: ["soulful"], 1: ["imaginative"]}
    for steps in ([LoveTriangle()], [LoveTriangle(), GiveTrait(space=0)]):
        state = table(phase="make_a_move", hands={0: ["love_triangle", "wild"]}, profiles=profiles)
        do(state, *steps)
        for viewer in viewers(2):
            two_worlds(GAME, state, 2, viewer, random.Random(1))
        GAME.forfeit(state, 0, None)
        for viewer in viewers(2):
            assert GAME.observe(state, viewer).phase == "over"
            other = two_worlds(GAME, state, 2, viewer, random.Random(1))
            assert "love_triangle" not in hand(other, 1)
            assert CARDS.index("love_triangle") not in other.deck


# Words, and the stored form


def test_every_refusal_names_a_rule_and_every_action_has_a_label() -> None:
    tables = [
        table(phase=at, hands={0: ["wild", "overachiever", "red_flag", "swipe_right"]}, profiles={0: FIVE, 1: ["wild"]})
        for at in ("discard", "make_a_move", "play", "match", "hand_limit")
    ]
    for state in tables:
        seen = GAME.observe(state, 0)
        legals = set(GAME.legal_actions(state, 0))
        for action in range(len(GAME.actions(2))):
            said = GAME.explain(seen, action)
            assert (said == "legal") == (action in legals)
            assert said == "legal" or said.startswith("LD-")
            assert GAME.label(seen, action)
        assert GAME.explain(GAME.observe(state, 1), 0).startswith("LD-15")
        assert GAME.explain(GAME.observe(state, None), 0).startswith("LD-15")


def test_labels_say_what_a_player_would() -> None:
    state = table(phase="match", profiles={0: ["soulful+overachiever", "you_flirt"]}, face_up=["mona_lott"])
    said = [GAME.label(GAME.observe(state, 0), action) for action in GAME.legal_actions(state, 0)]
    assert said == ["No match", "Match with Mona Lott, using You Flirt!", "Match with Mona Lott, using Overachiever"]
    state = table(hands={0: ["ghosted", "left_on_read"]}, profiles={1: ["soulful+overachiever"]}, matches={1: ["chad"]})
    said = [GAME.label(GAME.observe(state, 0), action) for action in GAME.legal_actions(state, 0)]
    assert said == [
        "Left on Read on seat 1, space 1 (Soulful + Overachiever)",
        "Ghosted on seat 1, Chad",
    ]


def test_a_stored_state_is_read_or_refused_never_misread() -> None:
    state = table(3, phase="match", profiles={0: ["soulful", "soulful"]}, face_up=["mona_lott"])
    text = stored(GAME, state)
    again = GAME.load(json.loads(text))
    assert stored(GAME, again) == text
    assert again.matchable == state.matchable
    raw = json.loads(text)
    for broken in (
        {**raw, "form": 2},
        {**raw, "deck_digest": "0" * 16},
        {**raw, "deck_name": "nowhere"},
        {**raw, "surprise": 1},
        {key: value for key, value in raw.items() if key != "hands"},
    ):
        with pytest.raises(StateUnreadable):
            GAME.load(broken)


def test_the_space_of_fewer_seats_is_a_beginning_of_the_space_of_more() -> None:
    five = GAME.actions(5)
    assert len(set(five)) == len(five)
    for seats in GAME.seats:
        assert GAME.actions(seats) == five[: len(GAME.actions(seats))]
        targets = {action.target for action in GAME.actions(seats) if hasattr(action, "target")}
        assert targets == set(range(seats))
