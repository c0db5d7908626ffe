"""Valente, rule by rule: every id of its RULES.md."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from parlour_engine.check import fair_match, seed_of
from parlour_engine.data import Shelf
from parlour_engine.errors import BadData, BadOption, StateUnreadable
from parlour_engine.game import Log, random_match
from parlour_engine.games.valente import GAME, Options
from parlour_engine.games.valente.actions import (
    Action,
    Buy,
    Discard,
    Draw,
    Exchange,
    Pass,
    Play,
    Salvage,
    Tear,
    actions,
)
from parlour_engine.games.valente.deck import parse
from parlour_engine.games.valente.state import (
    LIMITS,
    Bought,
    Declared,
    Discarded,
    Drew,
    Ended,
    HeartMoved,
    Kept,
    Laid,
    Passed,
    Published,
    Scouted,
    Shuffled,
    State,
    StoryStrip,
    Torn,
    TrustChanged,
    TurnBegan,
)

from tests.engine.valente_table import (
    HOUSE,
    HOUSE_FILE,
    all_cards,
    cards_of,
    deck_with,
    do,
    end,
    house_data,
    legal,
    middle,
    number,
    phase,
    publish,
    start,
    table,
)

BUY, BUY_OPEN = Buy("deck"), Buy("discard")
DULL = (start("scout"), middle("scout"), end("scout"))  # cards for hands in which nothing matters
S, M, E = start("trust"), middle("trust"), end("trust")


def others(*taken: int, part: str | None = None) -> list[int]:
    """Cards that are not these, of one part if told so."""
    return [card.id for card in HOUSE.cards if card.id not in taken and part in (None, card.part)]


def spend(state: State, turns: int) -> None:
    """Turns in which nothing happens that matters: buy and discard."""
    before = state.turns
    while state.turns < before + turns and GAME.pending(state):
        GAME.apply(state, state.seat, GAME.default_action(state, state.seat), None)


# Pieces


def test_VA_1_the_heart_starts_in_the_centre_and_dama_is_to_the_right() -> None:
    state = table([[], []])
    assert GAME.observe(state, None).heart == 0
    publish(state, start("dama 1"), middle("dama 1"), end("trust"))
    assert GAME.observe(state, None).heart == 2
    publish(state, start("princesa 2"), middle("princesa 2"), end("trust"))
    assert GAME.observe(state, None).heart == -2


def test_VA_2_the_heart_track_reaches_five_spaces_each_way_as_the_deck_file_says() -> None:
    assert HOUSE.reach == house_data()["heart_track"]["reach"] == 5
    assert GAME.public_data(Options())["heart_track"] == {"princesa": -5, "dama": 5}
    state = table([[], []], heart=4)
    publish(state, start("dama 2"), M, E)
    assert state.heart == 5
    state = table([[], []], heart=4)
    state.cards = deck_with({}, heart_track={"reach": 6})
    publish(state, start("dama 2"), M, E)
    assert state.heart == 6


def test_VA_3_trust_has_six_spaces() -> None:
    state = table([[], [], []])
    assert [view.trust for view in GAME.observe(state, None).seats] == [0, 0, 0]
    state.trust[0] = 4
    publish(state, S, M, E)
    assert state.trust == [5, 0, 0]
    assert GAME.public_data(Options())["trust_track"] == {"maximum": 5}


def test_VA_4_eighty_cards_each_a_start_a_middle_or_an_end_with_effects_in_an_order() -> None:
    assert len(HOUSE.cards) == 80
    assert Counter(card.part for card in HOUSE.cards) == {"start": 28, "middle": 26, "end": 26}
    assert all(card.effects for card in HOUSE.cards)
    assert [str(e) for e in HOUSE[start("dama 1", "trust")].effects] == ["dama 1", "trust"]


def _drop_a_card(data: dict[str, Any]) -> None:
    data["cards"].pop()


def _twice(data: dict[str, Any]) -> None:
    data["cards"][3]["id"] = 1


def _no_id(data: dict[str, Any]) -> None:
    data["cards"][3]["id"] = 81


def _extra_key(data: dict[str, Any]) -> None:
    data["cards"][5]["colour"] = "red"


def _part(data: dict[str, Any]) -> None:
    data["cards"][5]["part"] = "prologue"


def _no_effects(data: dict[str, Any]) -> None:
    data["cards"][5]["effects"] = []


def _effect(data: dict[str, Any]) -> None:
    data["cards"][5]["effects"] = ["dama"]


def _effect_zero(data: dict[str, Any]) -> None:
    data["cards"][5]["effects"] = ["trust 2"]


def _caption(data: dict[str, Any]) -> None:
    data["cards"][5]["caption"] = " "


def _no_middles(data: dict[str, Any]) -> None:
    for card in data["cards"]:
        card["part"] = "start" if card["part"] == "middle" else card["part"]


def _nothing_declares(data: dict[str, Any]) -> None:
    for card in data["cards"]:
        card["effects"] = ["trust"]


def _reach(data: dict[str, Any]) -> None:
    data["heart_track"] = {"reach": 0}


def _track(data: dict[str, Any]) -> None:
    data["heart_track"] = 5


def _rounds(data: dict[str, Any]) -> None:
    data["untimed_rounds"] = True


def _epilogue(data: dict[str, Any]) -> None:
    del data["epilogue"]


@pytest.mark.parametrize(
    ("spoil", "key"),
    [
        (_drop_a_card, "cards"),
        (_twice, "cards[3].id"),
        (_no_id, "cards[3].id"),
        (_extra_key, "cards[5]"),
        (_part, "cards[5].part"),
        (_no_effects, "cards[5].effects"),
        (_effect, "cards[5].effects"),
        (_effect_zero, "cards[5].effects"),
        (_caption, "cards[5].caption"),
        (_no_middles, "cards"),
        (_nothing_declares, "cards"),
        (_reach, "heart_track.reach"),
        (_track, "heart_track"),
        (_rounds, "untimed_rounds"),
        (_epilogue, "epilogue"),
    ],
)
def test_VA_4_a_deck_file_that_does_not_hold_what_it_must_is_refused(spoil: Any, key: str, tmp_path: Path) -> None:
    data = house_data()
    spoil(data)
    (tmp_path / "mine.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(BadData) as refused:
        Shelf(tmp_path, parse)["mine"]
    assert refused.value.file == "mine.json"
    assert refused.value.key == key


def test_VA_5_the_house_deck_is_the_table_of_the_rules() -> None:
    rules = (HOUSE_FILE.parent.parent / "RULES.md").read_text(encoding="utf-8")
    table = rules[rules.index("| starts (28)") :].partition("\n\n")[0]
    rows = table.splitlines()[2:]
    told: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for part, cell in zip(("start", "middle", "end"), row.strip("|").split("|"), strict=True):
            if found := re.fullmatch(r"(\d+) x (.+)", cell.strip()):
                told[part, found[2]] += int(found[1])
    assert told == Counter((card.part, ", ".join(map(str, card.effects))) for card in HOUSE.cards)


def test_VA_5_every_card_is_distinct_and_tells_something_of_its_own() -> None:
    assert len({card.id for card in HOUSE.cards}) == 80
    captions = {card.caption for card in HOUSE.cards}
    assert len(captions) == 80
    assert all(10 <= len(caption) <= 90 and caption[-1] in '.!?"' for caption in captions)
    assert [card["caption"] for card in GAME.public_data(Options())["cards"]] == [c.caption for c in HOUSE.cards]


def test_VA_5_another_deck_file_can_be_named() -> None:
    with pytest.raises(BadOption, match="no deck 'printed'; there are: house"):
        GAME.check_options(2, Options(deck="printed"))


# Setup


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_VA_6_five_cards_each_the_rest_is_the_deck_and_its_top_card_is_turned_over(seats: int) -> None:
    state = GAME.deal(seats, Options(), seed_of(1))
    seen = GAME.observe(state, 0)
    assert [view.hand_size for view in seen.seats] == [5] * seats
    assert len(seen.discard) == 1
    assert seen.deck_size == 80 - 5 * seats - 1
    assert all_cards(state) == list(range(1, 81))


def test_VA_6_every_card_comes_everywhere() -> None:
    tops = Counter(GAME.deal(2, Options(), seed_of(each)).discard[0] for each in range(4000))
    assert len(tops) == 80
    assert max(tops.values()) < 100  # 50 are expected of each


def test_VA_7_the_discard_pile_keeps_its_order_and_lies_open() -> None:
    first, second, third, fourth = others(*DULL)[:4]
    state = table([[third, fourth, DULL[0]], []], discard=[first, second])
    do(state, Exchange(), Discard(fourth), Discard(third), Draw())
    assert state.discard == [first, second, fourth, third]
    for viewer in (0, 1, None):
        assert GAME.observe(state, viewer).discard == (first, second, fourth, third)


def test_VA_8_the_first_seat_is_the_option_or_drawn() -> None:
    for seat in range(3):
        state = GAME.deal(3, Options(first_seat=seat), seed_of(5))
        assert GAME.pending(state)[0][0] == seat
    drawn = Counter(GAME.deal(3, Options(), seed_of(each)).first_seat for each in range(600))
    assert set(drawn) == {0, 1, 2}
    assert min(drawn.values()) > 150
    for wrong in (-1, 3):
        with pytest.raises(BadOption, match="first_seat"):
            GAME.check_options(3, Options(first_seat=wrong))


def test_VA_8_the_option_changes_nothing_else_of_a_deal() -> None:
    left_out = GAME.deal(4, Options(), seed_of(9))
    named = GAME.deal(4, Options(first_seat=2), seed_of(9))
    assert (named.hands, named.deck, named.discard) == (left_out.hands, left_out.deck, left_out.discard)


# A turn


def test_VA_9_a_turn_is_two_actions_then_it_is_the_seat_to_the_left() -> None:
    state = table([[S], [M], [E]])
    turns = []
    for _ in range(12):
        turns.append(GAME.pending(state)[0][0])
        do(state, BUY)
    assert turns == [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]


def test_VA_9_the_books_example_a_buys_twice_b_exchanges_two_and_plays_a_start() -> None:
    """Book: player A buys twice; then it is B's turn. B exchanges two cards and plays a start; B's turn ends."""
    first, second = others(S, part="end")[:2]
    state = table([[], [S, first, second]])
    events = do(state, BUY, BUY)
    assert [type(event) for event in events] == [Bought, Bought, TurnBegan]
    assert state.seat == 1
    events = do(state, Exchange(), Discard(first), Discard(second), Draw(), Play(S, 0))
    assert events[:2] == [Discarded(1, first, "exchange"), Discarded(1, second, "exchange")]
    assert events[2:] == [Drew(1, 2, None), Laid(1, 0, S), TurnBegan(0, 2)]
    assert state.seat == 0


def test_VA_10_buy_the_top_of_the_deck_or_of_the_discard_pile() -> None:
    bottom, top, deck_top = others()[:3]
    state = table([[], []], discard=[bottom, top], deck=[deck_top])
    assert do(state, BUY_OPEN) == [Bought(0, "discard", top)]
    assert state.hands[0] == [top]
    assert state.discard == [bottom]
    log: Log = []
    GAME.apply(state, 0, number(state, BUY), log)
    assert state.hands[0] == sorted([top, deck_top])
    assert log[0].seen_by(0) == Bought(0, "deck", deck_top)
    assert log[0].seen_by(1) == log[0].seen_by(None) == Bought(0, "deck", None)


def test_VA_10_the_deck_is_offered_only_if_a_card_can_come() -> None:
    assert BUY in legal(table([[S], [M]], discard=[E], deck=[others(S, M, E)[0]], story=[]))
    assert legal(table([[S], [M]], discard=[E], story=[])) == [BUY_OPEN, Play(S, 0)]
    assert BUY in legal(table([[S], [M]], discard=[E, others(S, M, E)[0]], story=[]))
    assert BUY_OPEN not in legal(table([[S], [M]], discard=[]))


def test_VA_11_a_start_opens_a_middle_follows_a_start_an_end_follows_both() -> None:
    second = cards_of("start", "trust")[1]
    state = table([[second, M, E], []], strips={(0, 0): [start("dama 1")], (0, 2): [S, middle("dama 1")]})
    plays = [action for action in legal(state) if isinstance(action, Play)]
    assert plays == [Play(second, 1), Play(M, 0), Play(E, 2)]
    events = do(state, Play(M, 0))
    assert events == [Laid(0, 0, M)]
    assert GAME.observe(state, 1).seats[0].strips == ((start("dama 1"), M), (), (S, middle("dama 1")))
    assert isinstance(do(state, Play(E, 0))[0], Published)


def test_VA_11_nothing_goes_on_another_seats_strip() -> None:
    state = table([[M, E], []], strips={(1, 0): [S], (1, 1): [start("dama 1"), middle("dama 1")]})
    assert not any(isinstance(action, Play) for action in legal(state))


def test_VA_12_a_fourth_strip_costs_one_of_the_three_whole() -> None:
    one, two, three, four = others(part="start")[:4]
    held = {(0, 0): [one, M], (0, 1): [two], (0, 2): [three]}
    state = table([[four], []], strips=held, discard=[E])
    assert [action for action in legal(state) if isinstance(action, Play)] == [Play(four, k) for k in range(3)]
    events = do(state, Play(four, 0))
    assert events == [Discarded(0, one, "replaced"), Discarded(0, M, "replaced"), Laid(0, 0, four)]
    assert state.discard == [E, one, M]
    assert GAME.observe(state, None).seats[0].strips == ((four,), (two,), (three,))


def test_VA_12_with_an_empty_place_no_strip_can_be_given_up() -> None:
    one, two, four = others(part="start")[:3]
    state = table([[four], []], strips={(0, 0): [one], (0, 2): [two]})
    assert [action for action in legal(state) if isinstance(action, Play)] == [Play(four, 1)]


def test_VA_13_an_exchange_is_of_two_or_three_cards() -> None:
    a, b, c, d = others()[:4]
    state = table([[a, b, c, d], []])
    do(state, Exchange())
    assert legal(state) == [Discard(a), Discard(b), Discard(c), Discard(d)]
    do(state, Discard(b))
    assert legal(state) == [Discard(a), Discard(c), Discard(d)]
    do(state, Discard(a))
    assert legal(state) == [Draw(), Discard(c), Discard(d)]
    two = GAME.clone(state)
    events = do(two, Draw())
    assert events[-1] == Drew(0, 2, None)
    assert len(two.hands[0]) == 4
    assert two.actions_left == 1
    events = do(state, Discard(d))
    assert events == [Discarded(0, d, "exchange"), Drew(0, 3, None)]
    assert state.discard == [b, a, d]
    assert len(state.hands[0]) == 4


def test_VA_13_the_option_exchange_min_gives_one_to_three() -> None:
    a, b = others()[:2]
    state = table([[a, b], []], exchange_min=1)
    do(state, Exchange())
    assert Draw() not in legal(state)
    do(state, Discard(a))
    assert legal(state) == [Draw(), Discard(b)]
    assert Exchange() in legal(table([[a], []], exchange_min=1))
    assert Exchange() not in legal(table([[a], []]))
    assert Exchange() in legal(table([[a, b], []]))


def test_VA_13_the_last_card_of_the_hand_ends_an_exchange() -> None:
    a, b, c, d = others()[:4]
    state = table([[a, b], []], deck=[c, d])
    do(state, Exchange(), Discard(a), Discard(b))
    assert state.hands[0] == [c, d]


def test_VA_13_an_exchange_always_gives_as_many_cards_as_it_takes() -> None:
    a, b, c, d = others()[:4]
    for discard, deck in (([d], []), ([], [d])):
        state = table([[a, b, c], []], discard=discard, deck=deck, story=[])
        do(state, Exchange(), Discard(a), Discard(b), Discard(c))
        assert len(state.hands[0]) == 3
    assert Exchange() not in legal(table([[a, b, c], []], story=[]))


def test_VA_14_the_hand_limit_is_seven_at_the_end_of_the_turn_only() -> None:
    hand = others()[:7]
    ninth, eighth = others()[7:9]
    state = table([hand, []], deck=[ninth, eighth])
    do(state, BUY)
    assert len(state.hands[0]) == 8
    assert phase(state) == "turn"
    do(state, BUY)
    assert phase(state) == "hand_limit"
    assert legal(state) == [Discard(card) for card in sorted([*hand, eighth, ninth])]
    events = do(state, Discard(ninth), Discard(hand[0]))
    assert events == [
        Discarded(0, ninth, "hand_limit"),
        Discarded(0, hand[0], "hand_limit"),
        TurnBegan(1, 1),
    ]
    assert state.discard == [ninth, hand[0]]
    assert len(state.hands[0]) == 7


def test_VA_15_the_pile_below_its_top_card_becomes_the_new_deck() -> None:
    low, mid, top = others()[:3]
    state = table([[], []], discard=[low, mid, top], story=[])
    log: Log = []
    GAME.apply(state, 0, number(state, BUY), log)
    assert log[0].public == Shuffled(2)
    assert state.discard == [top]
    assert {*state.hands[0], *state.deck} == {low, mid}
    assert len(state.deck) == 1
    came = Counter()
    for each in range(200):
        state = table([[], []], discard=[low, mid, top], story=[])
        state.seed = seed_of(each)
        do(state, BUY)
        came[state.hands[0][0]] += 1
    assert min(came[low], came[mid]) > 60


def test_VA_15_everybody_knows_which_cards_went_into_the_new_deck() -> None:
    mine, old, low, mid, top = others()[:5]
    state = table([[mine], [old]], discard=[low, mid, top], story=[])
    do(state, BUY)
    for viewer in (0, 1, None):
        first, second = GAME.observe(state, viewer).hidden
        assert (first.cards, first.deck, first.hands) == ((mine, old), 0, (1, 1))
        assert (second.cards, second.deck, second.hands) == ((low, mid), 1, (1, 0))
    rng = random.Random(1)
    for _ in range(50):
        world = GAME.determinize(GAME.observe(state, 1), rng)
        assert mine in world.hands[0]
        assert {*world.hands[0], *world.deck} == {mine, low, mid}


def test_VA_15_in_the_middle_of_an_exchange() -> None:
    a, b, c, low, top = others()[:5]
    state = table([[a, b, c], []], discard=[low], deck=[top], story=[])
    events = do(state, Exchange(), Discard(a), Discard(b), Discard(c))
    assert [type(event) for event in events[3:]] == [Shuffled, Drew]
    assert state.discard == [c]
    assert len(state.hands[0]) == 3
    assert top in state.hands[0]
    assert {*state.hands[0], *state.deck} == {a, b, low, top}


def test_VA_16_a_seat_that_can_do_nothing_passes_and_only_then() -> None:
    state = table([[M], [S]], story=[])
    assert legal(state) == [Pass()]
    assert do(state, Pass()) == [Passed(0)]
    assert state.actions_left == 1
    assert state.seat == 0
    assert do(state, Pass()) == [Passed(0), TurnBegan(1, 1)]
    assert legal(state) == [Play(S, 0)]
    rng = random.Random(3)
    for each in range(20):
        match = GAME.deal(2, Options(time=False), seed_of(each))
        for _, _, now in random_match(GAME, match, rng):
            offered = legal(now)
            assert Pass() not in offered or len(offered) == 1


# Publishing


def test_VA_17_a_finished_strip_joins_the_story_below_the_last_one_and_leaves_the_game() -> None:
    state = table([[], []])
    publish(state, S, M, E)
    spend(state, 2)
    second = (start("dama 1"), middle("dama 1"), end("dama 1", "trust"))
    events = publish(state, *second)
    assert events[0] == Published(0, 0, second)
    told = GAME.observe(state, 1).story
    assert [(strip.seat, strip.cards) for strip in told] == [(0, (S, M, E)), (0, second)]
    assert GAME.observe(state, 1).seats[0].strips == ((), (), ())
    assert not {S, M, E, *second} & {*state.deck, *state.discard, *state.hands[0], *state.hands[1]}


def test_VA_17_the_effects_run_card_by_card_in_order_for_the_publisher() -> None:
    state = table([[], [], []], heart=-1)
    events = publish(state, start("princesa 1", "trust"), middle("dama 1", "trust"), end("dama 2"))
    assert events[1:] == [
        HeartMoved(0, "princesa", 1, -2),
        TrustChanged(0, 1, 1, "effect"),
        HeartMoved(0, "dama", 1, -1),
        TrustChanged(0, 1, 2, "effect"),
        HeartMoved(0, "dama", 2, 1),
    ]
    assert state.trust == [2, 0, 0]


def test_VA_17_the_books_example_of_a_published_strip() -> None:
    """Book: dama 2, trust, dama 1, trust, spread over three cards, from 0: heart +3, trust +2."""
    state = table([[], []])
    publish(state, start("dama 2"), middle("trust"), end("dama 1", "trust"))
    assert (state.heart, state.trust) == (3, [2, 0])


def test_VA_18_dama_and_princesa_move_the_heart() -> None:
    state = table([[], []])
    publish(state, start("dama 2"), middle("princesa 1"), E)
    assert state.heart == 1
    publish(state, start("princesa 2"), middle("princesa 2"), end("princesa 1", "trust"))
    assert state.heart == -4


@pytest.mark.parametrize(("love", "side"), [("dama", 1), ("princesa", -1)])
def test_VA_19_a_push_at_the_end_gives_one_trust_once_per_strip(love: str, side: int) -> None:
    state = table([[], []], heart=5 * side)
    publish(state, start(f"{love} 2"), middle(f"{love} 2"), end(f"{love} 2"))
    assert (state.heart, state.trust) == (5 * side, [1, 0])
    do(state, BUY)
    assert state.seat == 1
    publish(state, *(cards_of(part, f"{love} 2")[1] for part in ("start", "middle", "end")))
    assert state.trust == [1, 1]


def test_VA_19_each_step_is_looked_at_on_its_own() -> None:
    state = table([[], []], heart=4)
    events = publish(state, start("dama 2"), middle("princesa 1"), end("tear"))
    assert HeartMoved(0, "dama", 1, 5) in events
    assert TrustChanged(0, 1, 1, "push") in events
    assert (state.heart, state.trust) == (4, [1, 0])
    state = table([[], []], heart=3)
    publish(state, start("dama 2"), middle("princesa 1"), end("tear"))
    assert (state.heart, state.trust) == (4, [0, 0])


def test_VA_19_no_push_towards_the_other_side() -> None:
    state = table([[], []], heart=5)
    publish(state, start("princesa 1"), middle("princesa 1"), end("princesa 2"))
    assert (state.heart, state.trust) == (1, [0, 0])


def test_VA_19_the_push_counts_for_a_later_declaration_and_is_lost_at_the_maximum() -> None:
    state = table([[], []], heart=5, trust=[4, 0])
    publish(state, start("dama 1"), middle("tear"), end("declare_dama"))
    assert GAME.outcome(state).winners == (0,)
    state = table([[], []], heart=5, trust=[5, 0])
    events = publish(state, start("dama 1"), middle("dama 1"), end("tear"))
    assert TrustChanged(0, 0, 5, "push") in events
    assert state.trust == [5, 0]


def test_VA_20_trust_never_rises_above_the_maximum() -> None:
    state = table([[], []], trust=[4, 2])
    publish(state, S, M, end("trust", "trust"))
    assert state.trust == [5, 2]


def test_VA_21_scout_draws_three_and_keeps_one() -> None:
    a, b, c = others(start("scout"), M, E)[:3]
    state = table([[], []], deck=[c, b, a])
    log: Log = []
    publish(state, start("scout"), M, E)
    assert phase(state) == "scout"
    assert GAME.observe(state, 0).scouted == (a, b, c)
    assert GAME.observe(state, 0).hand == ()
    assert legal(state) == [Discard(a), Discard(b), Discard(c)]
    for card in (c, a):
        GAME.apply(state, 0, number(state, Discard(card)), log)
    assert state.discard == [c, a]
    assert state.hands[0] == [b]
    assert state.trust == [2, 0], "the rest of the strip runs afterwards"
    assert Kept(0, b) in [fact.seen_by(0) for fact in log]
    assert Kept(0, None) in [fact.seen_by(1) for fact in log]


def test_VA_21_what_is_scouted_and_kept_is_private() -> None:
    state = table([[], []])
    log: Log = []
    seat = state.seat
    state.strips[0] = (start("scout"), M)
    state.shapes[0] = 2
    state.hands[0] = [E]
    for card in (start("scout"), M, E):
        state.deck.remove(card)
    GAME.apply(state, seat, number(state, Play(E, 0)), log)
    scouted = [fact for fact in log if isinstance(fact.public, Scouted)]
    assert scouted[0].seen_by(1) == Scouted(0, 3, None)
    assert scouted[0].seen_by(0) == Scouted(0, 3, tuple(state.scouted))
    for viewer in (1, None):
        seen = GAME.observe(state, viewer)
        assert (seen.scouted, seen.scouting) == ((), 3)
    GAME.apply(state, seat, GAME.legal_actions(state, seat)[0], None)
    GAME.apply(state, seat, GAME.legal_actions(state, seat)[0], None)
    assert GAME.observe(state, 1).seats[0].known_hand == ()
    assert GAME.observe(state, 1).seats[0].hand_size == 1


def test_VA_21_fewer_than_three_to_draw() -> None:
    """CM-8: it draws what there is, and play goes on."""
    a, b = others(start("scout"), M, E)[:2]
    two = table([[start("scout")], [M, E]], deck=[a, b], story=[])
    publish(two, start("scout"), M, E)
    assert legal(two) == [Discard(a), Discard(b)]
    do(two, Discard(a))
    assert two.hands[0] == [b]
    one = table([[start("scout")], [M, E]], deck=[a], discard=[b], story=[])
    events = publish(one, start("scout"), M, E)
    assert Scouted(0, 1, None) in events
    assert Kept(0, None) in events
    assert (one.hands[0], one.discard) == ([a], [b])
    none = table([[start("scout")], [M, E]], discard=[b], story=[])
    events = publish(none, start("scout"), M, E)
    assert Scouted(0, 0, None) in events
    assert none.hands[0] == []
    assert none.trust == [2, 0]


def test_VA_21_a_scout_goes_on_in_the_deck_that_VA_15_makes() -> None:
    top, below, low, mid, last = others(start("scout"), M, E)[:5]
    state = table([[start("scout")], [M, E]], deck=[below, top], discard=[low, mid, last], story=[])
    events = publish(state, start("scout"), M, E)
    assert events[1:] == [Shuffled(2), Scouted(0, 3, None)]
    assert {top, below} < set(state.scouted)
    assert {*state.scouted, *state.deck} == {top, below, low, mid}
    assert (len(state.scouted), state.discard) == (3, [last])


def test_VA_22_tear_discards_the_last_card_of_any_unpublished_strip() -> None:
    mine, theirs, second = start("dama 1"), start("dama 2"), middle("dama 1")
    state = table([[], []], strips={(0, 1): [mine], (1, 2): [theirs, second]}, discard=[DULL[0]])
    publish(state, S, M, end("tear"), strip=0)
    assert phase(state) == "tear"
    assert legal(state) == [Tear(0, 1), Tear(1, 2)]
    other = GAME.clone(state)
    assert do(state, Tear(1, 2))[0] == Torn(0, 1, 2, second)
    assert GAME.observe(state, None).seats[1].strips == ((), (), (theirs,))
    assert state.discard == [DULL[0], second]
    do(other, Tear(0, 1))
    assert GAME.observe(other, None).seats[0].strips == ((), (), ())
    assert other.discard[-1] == mine
    assert Play(cards_of("start", "dama 1")[1], 0) not in legal(other)


def test_VA_22_without_an_unpublished_strip_it_does_nothing() -> None:
    state = table([[], []])
    publish(state, S, middle("tear"), E)
    assert phase(state) == "turn"
    assert state.trust == [2, 0], "the effects after it run"


def test_VA_22_it_must_be_used_even_on_ones_own_only_strip() -> None:
    state = table([[], []], strips={(0, 2): [start("dama 1")]})
    publish(state, S, M, end("tear"))
    assert legal(state) == [Tear(0, 2)]


def test_VA_23_salvage_takes_any_card_out_of_the_pile_and_the_rest_keep_their_order() -> None:
    a, b, c = others(S, M, end("salvage"))[:3]
    state = table([[], []], discard=[c, a, b])
    publish(state, S, M, end("salvage"))
    assert legal(state) == [Salvage(card) for card in sorted((a, b, c))]
    do(state, Salvage(a))
    assert state.discard == [c, b]
    assert state.hands[0] == [a]
    assert GAME.observe(state, 1).seats[0].known_hand == (a,)


def test_VA_23_with_an_empty_pile_it_does_nothing() -> None:
    state = table([[], []])
    publish(state, S, M, end("salvage"))
    assert phase(state) == "turn"
    assert state.hands[0] == []


@pytest.mark.parametrize("declaration", ["declare", "declare_dama", "declare_princesa"])
@pytest.mark.parametrize("heart", [-5, -4, 0, 4, 5])
@pytest.mark.parametrize("trust", [4, 5])
def test_VA_24_a_declaration_needs_the_named_end_and_full_trust(declaration: str, heart: int, trust: int) -> None:
    state = table([[], [], []], heart=heart, trust=[trust, 5, 5])
    events = publish(state, start("tear"), middle("tear"), end(declaration))
    ends = {"declare": (-5, 5), "declare_dama": (5,), "declare_princesa": (-5,)}[declaration]
    definitive = heart in ends and trust == 5
    love = {5: "dama", -5: "princesa"}.get(heart)
    assert Declared(0, declaration, love, definitive) in events
    if definitive:
        assert GAME.outcome(state).winners == (0,)
        assert GAME.outcome(state).reason == "declaration"
        assert GAME.pending(state) == ()
    else:
        assert GAME.outcome(state) is None


def test_VA_24_the_rest_of_the_strip_is_not_run() -> None:
    state = table([[], []], heart=5, trust=[5, 0])
    state.cards = deck_with({M: ["declare", "princesa 2"], E: ["scout"]})
    events = publish(state, S, M, E)
    assert isinstance(events[-1], Ended)
    assert state.heart == 5
    assert state.scouted == []


def test_VA_25_a_failed_declaration_costs_one_trust_and_the_match_goes_on() -> None:
    state = table([[], []], heart=4, trust=[5, 0])
    events = publish(state, start("tear"), middle("tear"), end("declare_dama"))
    assert TrustChanged(0, -1, 4, "failed_declaration") in events
    assert state.trust == [4, 0]
    assert phase(state) == "turn"
    state = table([[], []], heart=4)
    publish(state, start("tear"), middle("tear"), end("declare_dama"))
    assert state.trust == [0, 0]


def test_VA_26_earlier_effects_of_the_strip_count_for_its_declaration() -> None:
    state = table([[], []], heart=3, trust=[3, 0])
    publish(state, start("dama 2"), middle("dama 1", "trust"), end("declare_dama"))
    assert GAME.outcome(state).winners == (0,)
    state = table([[], []], heart=5, trust=[5, 0])
    publish(state, start("princesa 1"), M, end("declare_dama"))
    assert GAME.outcome(state) is None
    state = table([[], []], heart=5, trust=[4, 0])
    state.cards = deck_with({M: ["declare"], E: ["trust"], S: ["princesa 1", "dama 1"]})
    publish(state, S, M, E)
    assert GAME.outcome(state) is None, "trust that comes after the declaration does not count"


# End


def test_VA_27_a_definitive_declaration_ends_the_match_with_one_winner() -> None:
    state = table([[], [], []], heart=5, trust=[5, 5, 5])
    events = publish(state, start("tear"), middle("tear"), end("declare"))
    end_of_it = GAME.outcome(state)
    assert end_of_it.winners == (0,)
    assert end_of_it.scores is None
    assert events[-1] == Ended((0,), "declaration", end_of_it.text)
    assert all(GAME.legal_actions(state, seat) == () for seat in range(3))
    assert GAME.observe(state, 2).phase == "over"


@pytest.mark.parametrize(("seats", "rounds"), [(2, 20), (3, 15), (4, 12)])
def test_VA_28_with_time_nobody_wins_after_the_last_round(seats: int, rounds: int) -> None:
    """Book: at the end of the 20th round, in a two-player game, the game ends and nobody is the winner."""
    for first in range(seats):
        state = GAME.deal(seats, Options(first_seat=first), seed_of(3))
        spend(state, seats * rounds - 1)
        assert GAME.outcome(state) is None
        assert GAME.observe(state, None).round == GAME.observe(state, None).last_round == rounds
        assert state.seat == (first - 1) % seats, "the last seat's turn is the round's last"
        spend(state, 1)
        assert GAME.outcome(state).winners == ()
        assert GAME.outcome(state).reason == "time"


def test_VA_28_a_win_in_the_last_round_counts() -> None:
    state = table([[], []], heart=5, trust=[0, 5])
    spend(state, 39)
    assert state.seat == 1
    state.heart, state.trust = 5, [0, 5]
    do(state, BUY)
    publish(state, start("tear"), middle("tear"), end("declare"))
    assert GAME.outcome(state).winners == (1,)


def test_VA_28_without_time_it_goes_on() -> None:
    state = GAME.deal(2, Options(time=False), seed_of(3))
    spend(state, 41)
    assert GAME.outcome(state) is None
    assert Options().time is True


def test_VA_29_the_secret_card_is_read_when_time_runs_out_and_not_before() -> None:
    state = GAME.deal(4, Options(), seed_of(3))
    assert HOUSE.epilogue not in json.dumps(GAME.public_data(Options()))
    assert HOUSE.epilogue not in repr(GAME.observe(state, 0))
    log: Log = []
    while GAME.pending(state):
        GAME.apply(state, state.seat, GAME.default_action(state, state.seat), log)
    assert HOUSE.epilogue in GAME.outcome(state).text
    assert HOUSE.epilogue in log[-1].public.text
    won = table([[], []], heart=5, trust=[5, 0])
    publish(won, start("tear"), middle("tear"), end("declare"))
    assert HOUSE.epilogue not in GAME.outcome(won).text


def test_VA_30_without_time_it_ends_once_every_declaring_card_lies_in_the_story() -> None:
    first, last = sorted(HOUSE.declaring)[0], sorted(HOUSE.declaring)[-1]
    for time in (False, True):
        state = table([[last], []], discard=[first], time=time)
        told = [card for card in HOUSE.declaring if card not in (first, last)]
        state.story = tuple(StoryStrip(1, (card,)) for card in told)
        publish(state, S, M, last)
        assert GAME.outcome(state) is None, "one is still in the discard pile"
        publish(state, cards_of("start", "trust")[1], cards_of("middle", "trust")[1], first)
        assert (GAME.outcome(state) is None) == time
        if not time:
            assert GAME.outcome(state).reason == "story_told"
            assert GAME.outcome(state).winners == ()


def test_VA_30_without_time_it_ends_after_a_hundred_rounds() -> None:
    assert HOUSE.untimed_rounds == house_data()["untimed_rounds"] == 100
    state = GAME.deal(2, Options(time=False), seed_of(3))
    spend(state, 199)
    assert GAME.outcome(state) is None
    spend(state, 1)
    assert GAME.outcome(state).reason == "rounds"
    assert GAME.outcome(state).winners == ()
    assert HOUSE.epilogue not in GAME.outcome(state).text, "VA-29: the secret card is read when time runs out"


# The common rules in this game


def test_CM_4_a_list_of_actions_ends_where_the_seat_has_learnt_something() -> None:
    a, b, c, d = others()[:4]

    def learns(state: State, action: Action) -> bool:
        return GAME.apply(state, state.seat, number(state, action), None)

    state = table([[a, b, c, S], [], []], discard=[d])
    assert learns(GAME.clone(state), BUY)
    assert not learns(GAME.clone(state), BUY_OPEN)
    assert not learns(GAME.clone(state), Play(S, 0))
    assert not learns(state, Exchange())
    assert not learns(state, Discard(a))
    assert not learns(state, Discard(b))
    assert learns(GAME.clone(state), Draw())
    assert learns(state, Discard(c))
    assert learns(table([[S], []], strips={(0, 0): [start("dama 1")]}), BUY)
    scout = start("scout")
    for deck in ([a], [a, b, c]):
        scouting = table([[E], [scout, M]], strips={(0, 0): [scout, M]}, deck=deck, story=[])
        assert learns(scouting, Play(E, 0)), "also where the only card to draw is kept by itself"
    last = table([[S], []])
    last.actions_left = 1
    assert learns(last, Play(S, 0)), "another seat must answer first"


def test_CM_6_what_a_seat_may_do_follows_from_its_own_hand_only() -> None:
    state = GAME.deal(3, Options(first_seat=0), seed_of(11))
    before = list(GAME.legal_actions(state, 0))
    state.hands[1], state.hands[2] = state.hands[2], state.hands[1]
    random.Random(1).shuffle(state.deck)
    assert list(GAME.legal_actions(state, 0)) == before
    assert GAME.legal_actions(state, 1) == ()


def test_CM_6a_cards_have_ids_that_tell_nothing_of_the_deck() -> None:
    state = GAME.deal(2, Options(), seed_of(11))
    assert state.deck != sorted(state.deck)
    assert all(hand == sorted(hand) for hand in state.hands)
    for viewer in (0, 1, None):
        (hidden,) = GAME.observe(state, viewer).hidden
        assert hidden.cards == tuple(sorted(hidden.cards))


def test_CM_7_a_card_taken_openly_is_known_while_it_stays_in_that_hand() -> None:
    """CM-7a: as a lower bound; here every loss from a hand is open, so it is exact."""
    a, b, c = others(part="start")[:3]
    state = table([[b], []], discard=[c, a])
    do(state, BUY_OPEN)
    for viewer in (0, 1, None):
        assert GAME.observe(state, viewer).seats[0].known_hand == (a,)
    do(state, BUY_OPEN)
    assert GAME.observe(state, 1).seats[0].known_hand == tuple(sorted((a, c)))
    spend(state, 1)
    do(state, Play(a, 0))
    assert GAME.observe(state, 1).seats[0].known_hand == (c,)
    do(state, Play(b, 1))
    assert GAME.observe(state, 1).seats[0].known_hand == (c,)
    spend(state, 1)
    rng = random.Random(5)
    for _ in range(20):
        assert c in GAME.determinize(GAME.observe(state, 1), rng).hands[0]


def test_CM_10_random_matches_always_end() -> None:
    rng = random.Random(8)
    for time in (True, False):
        for seats in GAME.seats:
            for each in range(10):
                state = GAME.deal(seats, Options(time=time), seed_of(each))
                for _ in random_match(GAME, state, rng):
                    assert state.turns < seats * (LIMITS[seats] if time else 100)
                assert GAME.outcome(state) is not None


def test_CM_11_default_actions_need_no_hidden_knowledge() -> None:
    a, b, c, d = others()[:4]
    state = table([[a, b, c, d], []], discard=[E])

    def default(state: State) -> Action:
        return actions(state.seats)[GAME.default_action(state, state.seat)]

    assert default(state) == BUY
    do(state, Exchange())
    assert default(state) == Discard(a)
    do(state, Discard(b), Discard(c))
    assert default(state) == Draw()
    assert default(table([[M], []], story=[])) == Pass()


def test_CM_12_a_forfeited_seat_cannot_win() -> None:
    state = table([[], [], []], heart=5, trust=[5, 0, 0])
    log: Log = []
    GAME.forfeit(state, 0, log)
    assert [type(fact.public).__name__ for fact in log] == ["Forfeited"]
    assert GAME.observe(state, 1).seats[0].forfeited
    assert GAME.pending(state)[0][0] == 0, "its decisions are still answered"
    publish(state, start("tear"), middle("tear"), end("declare"))
    assert GAME.outcome(state) is None
    assert state.trust == [4, 0, 0]
    before = GAME.dump(state)
    GAME.forfeit(state, 0, log)
    assert GAME.dump(state) == before
    GAME.forfeit(state, 2, log)
    assert GAME.outcome(state).winners == (1,)
    assert GAME.outcome(state).reason == "forfeit"
    over = list(log)
    GAME.forfeit(state, 1, log)
    assert GAME.outcome(state).winners == (1,)
    assert log == over, "after the end nobody forfeits"


# Words


REFUSALS = [
    ("turn", {}, Pass(), "VA-16"),
    ("turn", {"story": []}, BUY, "VA-10"),
    ("turn", {}, BUY_OPEN, "VA-10"),
    ("turn", {"hand": [S]}, Exchange(), "VA-13"),
    ("turn", {"story": []}, Exchange(), "VA-13"),
    ("turn", {}, Draw(), "VA-13"),
    ("turn", {}, Discard(S), "VA-14"),
    ("turn", {}, Salvage(E), "VA-23"),
    ("turn", {}, Tear(1, 0), "VA-22"),
    ("turn", {}, Play(start("dama 1"), 0), "VA-11"),
    ("turn", {}, Play(S, 2), "VA-12"),
    ("turn", {}, Play(M, 0), "VA-11"),
    ("turn", {}, Play(E, 0), "VA-11"),
    ("exchange", {}, Draw(), "VA-13"),
    ("exchange", {}, Discard(start("dama 1")), "VA-13"),
    ("exchange", {}, BUY, "VA-13"),
    ("scout", {}, Discard(S), "VA-21"),
    ("scout", {}, Pass(), "VA-21"),
    ("tear", {}, Tear(1, 1), "VA-22"),
    ("tear", {}, BUY, "VA-22"),
    ("salvage", {}, Salvage(S), "VA-23"),
    ("salvage", {}, BUY, "VA-23"),
    ("hand_limit", {}, Discard(start("dama 1")), "VA-14"),
    ("hand_limit", {}, BUY, "VA-14"),
    ("over", {}, BUY, "VA-27"),
]


@pytest.mark.parametrize(("at", "setting", "action", "rule"), REFUSALS)
def test_a_refusal_names_its_rule(at: str, setting: dict[str, Any], action: Action, rule: str) -> None:
    hand = setting.get("hand", [S, M, E])
    state = table([hand, []], story=setting.get("story"))
    if at == "exchange":
        do(state, Exchange())
    elif at == "scout":
        publish(state, start("scout"), middle("dama 1"), end("dama 2"))
    elif at == "tear":
        state = table([hand, []], strips={(1, 0): [start("dama 2")]})
        publish(state, start("dama 2"), middle("dama 1"), end("tear"))
    elif at == "salvage":
        state = table([hand, []], discard=[start("dama 2")])
        publish(state, start("princesa 1"), middle("dama 1"), end("salvage"))
    elif at == "hand_limit":
        state = table([[card for card in others() if card != start("dama 1")][:7], []])
        do(state, BUY, BUY)
    elif at == "over":
        GAME.forfeit(state, 1, None)
    assert phase(state) == at
    assert action not in legal(state)
    assert rule in GAME.explain(GAME.observe(state, 0), number(state, action))
    if at != "over":
        assert "VA-9" in GAME.explain(GAME.observe(state, 1), number(state, action))


@pytest.mark.parametrize(("fewest", "words"), [(1, "1 card"), (2, "2 cards")])
def test_VA_13_a_refused_exchange_says_how_many_cards_it_needs(fewest: int, words: str) -> None:
    state = table([others()[: fewest - 1], []], exchange_min=fewest)
    said = GAME.explain(GAME.observe(state, 0), number(state, Exchange()))
    assert said == f"An exchange needs {words} in hand (VA-13)."
    state = table([others()[:3], []], exchange_min=fewest)
    do(state, Exchange())
    said = GAME.explain(GAME.observe(state, 0), number(state, Draw()))
    assert said == f"An exchange has at least {words}: discard another (VA-13)."


def test_a_card_one_does_not_hold_is_refused_alike_wherever_it_lies() -> None:
    """CM-6: the answer tells nothing of other hands."""
    theirs, below = others(S)[:2]
    state = table([[S], [theirs]], deck=[below])
    seen = GAME.observe(state, 0)
    words = {GAME.explain(seen, number(state, Play(card, 0))).replace(f"Card {card}", "") for card in (theirs, below)}
    assert len(words) == 1


def test_labels_tell_a_player_what_a_button_does() -> None:
    state = table([[S, M], []], strips={(0, 0): [start("dama 1")], (1, 0): [start("dama 2")]}, discard=[E])
    seen = GAME.observe(state, 0)
    words = [GAME.label(seen, each) for each in GAME.legal_actions(state, 0)]
    assert words[:3] == ["Buy the top card of the deck", f"Buy from the discard pile: {_words(E)}", "Exchange cards"]
    assert f"Open strip 2: {_words(S)}" in words
    assert f"Continue strip 1: {_words(M)}" in words
    assert GAME.label(seen, number(state, Play(S, 0))).startswith("Discard strip 1 and open a new one: ")
    assert GAME.label(seen, number(state, Play(E, 0))).startswith("Publish strip 1: ")
    assert GAME.label(seen, number(state, Tear(1, 0))) == f"Tear seat 1's strip 1: {_words(start('dama 2'))}"
    assert GAME.label(seen, number(state, Tear(0, 0))) == f"Tear your strip 1: {_words(start('dama 1'))}"
    spectator = GAME.observe(state, None)
    assert all(GAME.label(spectator, each) for each in range(len(actions(2))))


def _words(card: int) -> str:
    it = HOUSE[card]
    return f"{it.part} {card} [{', '.join(map(str, it.effects))}] {it.caption}"


# Stored form


def _spoiled(**change: Any) -> dict[str, Any]:
    return GAME.dump(GAME.deal(2, Options(), seed_of(1))) | change


@pytest.mark.parametrize(
    "stored",
    [
        {},
        _spoiled(form=2),
        _spoiled(digest="0" * 16),
        _spoiled(hands=[[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]),
        _spoiled(phase="dinner"),
        _spoiled(seed="xyz"),
        _spoiled(options={"deck": "lost"}),
        _spoiled(options={"pace": 3}),
        {key: value for key, value in _spoiled().items() if key != "trust"},
    ],
)
def test_a_stored_match_is_read_or_refused_never_misread(stored: dict[str, Any]) -> None:
    with pytest.raises(StateUnreadable, match="valente: "):
        GAME.load(stored)


def test_actions_keep_their_numbers() -> None:
    """An action's number is a promise of this version of the rules."""
    for seats in GAME.seats:
        space = actions(seats)
        assert len(space) == len(set(space)) == 5 + 80 + 240 + 80 + 3 * seats
        assert space[:5] == (Pass(), Buy("deck"), Buy("discard"), Exchange(), Draw())
        assert space[4 + 17] == Discard(17)
        assert space[82 + 3 * 17 + 2] == Play(17, 2)
        assert space[324 + 17] == Salvage(17)
        assert space[405 + 3 * 1 + 2] == Tear(1, 2)


# Worlds


def test_determinize_deals_every_assignment_alike() -> None:
    """Two hidden cards of five in the other hand: each of the ten pairs comes equally often."""
    mine, *hidden = others()[:6]
    state = table([[mine], hidden[:2]], deck=hidden[2:], story=[])
    seen = GAME.observe(state, 0)
    rng = random.Random(4)
    pairs = Counter(tuple(GAME.determinize(seen, rng).hands[1]) for _ in range(4000))
    assert set(pairs) == set(combinations(hidden, 2))
    assert max(pairs.values()) < 480
    assert min(pairs.values()) > 320
    tops = Counter(GAME.determinize(seen, rng).deck[-1] for _ in range(2000))
    assert len(tops) == 5
    assert min(tops.values()) > 300


def test_determinize_hides_the_three_scouted_cards_from_the_others() -> None:
    state = table([[], []])
    publish(state, start("scout"), M, E)
    rng = random.Random(4)
    seen = GAME.observe(state, 1)
    assert len({tuple(GAME.determinize(seen, rng).scouted) for _ in range(20)}) > 15
    own = GAME.observe(state, 0)
    assert {tuple(GAME.determinize(own, rng).scouted) for _ in range(20)} == {tuple(state.scouted)}


def test_a_determinized_world_has_a_seed_of_its_own() -> None:
    state = GAME.deal(2, Options(), seed_of(1))
    rng = random.Random(4)
    worlds = [GAME.determinize(GAME.observe(state, 0), rng) for _ in range(2)]
    assert len({state.seed, *(world.seed for world in worlds)}) == 3
    assert all((len(world.seed), world.drawn) == (16, 0) for world in worlds)


@pytest.mark.parametrize(
    "options",
    [Options(time=False), Options(exchange_min=1), Options(time=False, exchange_min=1, first_seat=1)],
    ids=["no-time", "exchange-1", "both"],
)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_matches_are_fair_under_every_option(options: Options, seats: int) -> None:
    """CM-3, CM-6: without time the deck is shuffled again and again."""
    for each in range(4):
        fair_match(GAME, seats, options, each, leaks=0.15)


# House bots


@pytest.mark.parametrize("bot", GAME.bots, ids=lambda bot: bot.id)
def test_house_bots_choose_legal_actions_to_the_end(bot: Any) -> None:
    rng = random.Random(6)
    for seats in GAME.seats:
        for options in (Options(), Options(time=False, exchange_min=1)):
            state = GAME.deal(seats, options, seed_of(2))
            while GAME.pending(state):
                legal_now = GAME.legal_actions(state, state.seat)
                action = bot.choose(GAME.observe(state, state.seat), legal_now, rng)
                assert action in legal_now
                GAME.apply(state, state.seat, action, None)


def chosen_by_greedy(state: State) -> Action:
    """What the greedy bot does now."""
    seen, legal_now = GAME.observe(state, state.seat), GAME.legal_actions(state, state.seat)
    return actions(state.seats)[GAME.bots[-1].choose(seen, legal_now, random.Random(1))]


@pytest.mark.parametrize(("heart", "love"), [(5, "dama"), (-5, "princesa")])
def test_greedy_declares_the_love_at_whose_end_the_heart_is_once_its_trust_is_full(heart: int, love: str) -> None:
    """VA-24, VA-25: before that it would only lose trust."""
    hand = [end("declare_dama"), end("declare_princesa")]
    laid = {(0, 0): [start("tear"), middle("tear")]}
    assert chosen_by_greedy(table([hand, []], laid, heart=heart, trust=[5, 0])) == Play(end(f"declare_{love}"), 0)
    assert chosen_by_greedy(table([hand, []], laid, heart=heart, trust=[4, 0])) not in [Play(card, 0) for card in hand]


def test_greedy_tears_its_own_strips_last() -> None:
    """VA-22: a tear must be used, on the longest strip of another seat if there is one."""
    mine = {(0, 1): [start("dama 1"), middle("dama 1")], (0, 2): [start("dama 2")]}
    theirs = {(1, 0): [start("princesa 1")], (1, 1): [start("princesa 2"), middle("princesa 2")]}
    for strips, torn in ((mine | theirs, Tear(1, 1)), (mine, Tear(0, 2))):
        state = table([[], []], strips)
        publish(state, S, M, end("tear"))
        assert chosen_by_greedy(state) == torn


def test_greedy_beats_random() -> None:
    by_id = {bot.id: bot.choose for bot in GAME.bots}
    rng = random.Random(7)
    wins: Counter[str] = Counter()
    for each in range(40):
        for greedy in range(2):
            state = GAME.deal(2, Options(), seed_of(each))
            while GAME.pending(state):
                choose = by_id["greedy" if state.seat == greedy else "random"]
                action = choose(GAME.observe(state, state.seat), GAME.legal_actions(state, state.seat), rng)
                GAME.apply(state, state.seat, action, None)
            for winner in GAME.outcome(state).winners:
                wins["greedy" if winner == greedy else "random"] += 1
    assert wins["greedy"] > 60
    assert wins["random"] < 5
