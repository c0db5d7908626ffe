"""House bots: they get the observation, as any remote player does, and nothing else.

``greedy`` reads the public record each time: who was on which date and what was laid there, who raised or lowered
viewership. From that and from what it has looked at it believes each contestant Right or Wrong to a degree, and does
what its own Intention asks for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import comb, exp

from ...game import Bot
from .cards import Card
from .names import COUPLE_COST, MOST_VIEWERS
from .season import SEASONS
from .space import (
    Accept,
    Action,
    BonusDate,
    BreakUp,
    ChooseCard,
    ChooseContestant,
    Confessional,
    Counter,
    CoupleUp,
    DefuseTheTension,
    ExploreAllOptions,
    KeepYourOptionsOpen,
    PlayBombshell,
    StealTheSpotlight,
    WeNeedToTalk,
    typed_actions,
)
from .views import DateEntry, Observation, TurnEntry

# How a bot of ours is taken to play: chances to lay Drama, and how telling a Villa turn is (odds of Wrong to Right).
DRAMA_FROM_WRONG, DRAMA_FROM_RIGHT = 0.85, 0.15
TELLING = {
    "steal_the_spotlight": 3.0,
    "break_up": 1.5,
    "defuse_the_tension": 0.3,
    "temptation": 3.0,
    "ratings_stunt": 2.5,
    "public_apology": 0.3,
    "clean_break": 0.8,
}
MOVES = {
    "steal_the_spotlight": 1,
    "break_up": 1,
    "temptation": 1,
    "ratings_stunt": 1,
    "defuse_the_tension": -1,
    "public_apology": -1,
}
LOVE_SHARE = 0.42  # of unknown cards
SURE_RIGHT, SURE_WRONG = 0.0, 1.0


def choose_random(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """Any legal action, each equally likely."""
    return legal[int(rng.random() * len(legal))]


def choose_greedy(observation: Observation, legal: Sequence[int], rng: random.Random) -> int:
    """The legal action that looks best; ties are drawn."""
    if len(legal) == 1:
        return legal[0]
    mind = Mind(observation)
    actions = typed_actions(len(observation.hand_sizes))
    worth = _WORTH[observation.phase]
    best, choice = float("-inf"), legal[0]
    for number in legal:
        value = worth(mind, actions[number]) + rng.random() * 0.01
        if value > best:
            best, choice = value, number
    return choice


@lru_cache(maxsize=1 << 14)
def _suspicions(
    seats: int, wrong: int, known: tuple[float | None, ...], clues: tuple[tuple[float, ...], ...]
) -> tuple[float, ...]:
    """Chances to be Wrong that fit the clues and the number of Wrong cards among the unknown seats and the leftover."""
    unknown = [seat for seat in range(seats) if known[seat] is None]
    left = wrong - sum(1 for each in known if each == SURE_WRONG)
    share = left / (len(unknown) + 1)
    odds = [1.0] * seats
    for clue in clues:
        for seat in unknown:
            odds[seat] *= clue[seat]
    chances = [each if each is not None else share for each in known]
    scale = share / (1 - share) if 0 < share < 1 else share
    for _ in range(6):
        total = 0.0
        for seat in unknown:
            at = odds[seat] * scale
            chances[seat] = at / (1 + at)
            total += chances[seat]
        if not 0 < share < 1 or not total:
            break
        scale *= share * len(unknown) / total
    return tuple(chances)


@cache
def _at_least(need: int, cards: int) -> float:
    """The chance of so many Love cards among so many unknown ones."""
    most = max(cards, 0)
    return sum(comb(most, n) * LOVE_SHARE**n * (1 - LOVE_SHARE) ** (most - n) for n in range(max(need, 0), most + 1))


def _reached(end: float) -> float:
    """The chance that a season forecast to end there reaches ten million on its way."""
    return 1 / (1 + exp(MOST_VIEWERS - end)) if end > MOST_VIEWERS - 20 else 0.0


class Mind:
    """What a seat makes of its observation: its own side, its belief about the others, how far the season is."""

    def __init__(self, observation: Observation) -> None:
        self.o = o = observation
        assert o.seat is not None
        self.me: int = o.seat
        self.seats = len(o.hand_sizes)
        self.wrong_me = o.intentions[self.me] == "wrong"
        self.love = o.hand.count("love")
        self.drama = o.hand.count("drama")
        self.partner = o.partners[self.me]
        season = SEASONS[o.options.deck]
        ahead = season.board[o.episode :]
        finale = len(season.board)
        self.turns_left = sum(1 for each in ahead if each.type == "villa") + (2 if o.episode < finale else 0)
        if o.episode_type == "villa":
            self.turns_left += 1 if not self._acted() else 0
        elif o.episode_type == "finale":
            self.turns_left = 2 - o.turns_taken // self.seats
        self.dates_left = sum(1 for each in ahead if each.type == "date")
        self.last_turns = o.episode_type == "finale"
        self.suspicion = self._beliefs(season.intentions[self.seats][1])
        self.room = MOST_VIEWERS - o.viewership
        self.end = self._forecast(season.intentions[self.seats][1])
        self.prize = 8.0 * (0.35 + 0.65 * self.hope())

    def _acted(self) -> bool:
        place = (self.me - self.o.main_character) % self.seats
        return place < self.o.turns_taken

    def _beliefs(self, wrong: int) -> tuple[float, ...]:
        """The chance that each seat is Wrong."""
        o = self.o
        known = tuple(None if each is None else SURE_WRONG if each == "wrong" else SURE_RIGHT for each in o.intentions)
        clues = []
        date = 0
        guess = [wrong / (self.seats + 1) if each is None else each for each in known]
        turns = [1.0] * self.seats
        for entry in o.record:
            if isinstance(entry, TurnEntry):
                turns[entry.seat] *= TELLING.get(entry.action, 1.0)
            elif isinstance(entry, DateEntry):
                own = o.date_cards[date]
                date += 1
                clues.append(self._date_clue(entry, own, guess))
        clues.append(tuple(turns))
        return _suspicions(self.seats, wrong, known, tuple(clues))

    def _date_clue(self, entry: DateEntry, own: str | None, guess: list[float]) -> tuple[float, ...]:
        """How much likelier the cards of a date are if a contestant of it is Wrong."""
        dramas = entry.cards.count("drama") - (own == "drama")
        laid = [seat for seat in entry.contestants if seat != self.me and seat not in entry.sat_out]
        clue = [1.0] * self.seats
        for seat in laid:
            chances = [1.0]  # of so many Drama cards from the others
            for other in laid:
                if other != seat:
                    p = DRAMA_FROM_RIGHT + (DRAMA_FROM_WRONG - DRAMA_FROM_RIGHT) * guess[other]
                    last = 0.0
                    for n, chance in enumerate(chances):
                        chances[n] = chance * (1 - p) + last * p
                        last = chance
                    chances.append(last * p)
            more = chances[dramas - 1] if 0 < dramas <= len(chances) else 0.0
            same = chances[dramas] if dramas < len(chances) else 0.0
            if_wrong = DRAMA_FROM_WRONG * more + (1 - DRAMA_FROM_WRONG) * same
            if_right = DRAMA_FROM_RIGHT * more + (1 - DRAMA_FROM_RIGHT) * same
            clue[seat] = if_wrong / if_right if if_right > 0 else 1.0
        return tuple(clue)

    def trust(self, seat: int) -> float:
        """The chance that a seat is Right."""
        return 1 - self.suspicion[seat]

    def can_pay(self, seat: int, love: int) -> float:
        """The chance that a seat holds so many Love cards: known ones, and each other card may be one."""
        cards = self.o.known_hands[seat]
        known = cards.count("love")
        return _at_least(love - known, self.o.hand_sizes[seat] - len(cards))

    def hope(self) -> float:
        """What the present couple is worth."""
        return 0.0 if self.partner is None else self.trust(self.partner)

    def _forecast(self, wrong: int) -> float:
        """Where viewership would be at the end of the season if it went on as it has, with no end at ten."""
        rounds, moved = 1.0, 0.6 * wrong
        dates, stirred = 2.0, 1.0
        for entry in self.o.record:
            if isinstance(entry, TurnEntry):
                rounds += 1 / self.seats
                moved += MOVES.get(entry.action, 0) + (entry.action == "couple_up" and len(entry.broken) > 0)
            elif isinstance(entry, DateEntry) and entry.cards:
                dates += 1
                stirred += 1 if "drama" in entry.cards else -1
        return self.o.viewership + self.turns_left * moved / rounds + self.dates_left * stirred / dates

    def ratings(self) -> bool:
        """Wrong, and ten million is within reach."""
        return self.wrong_me and _reached(self.end) > 0.2

    def up(self, by: int = 1) -> float:
        """What one more million (-1: one less) is worth: the season's end has its prize, ten million is everything."""
        if by > 0 and self.room <= by:
            return 100.0 if self.wrong_me else -100.0
        more = _reached(self.end + by) - _reached(self.end)
        if self.wrong_me:
            return more * (10.0 - self.prize)
        return -more * self.prize * 2.8 - (0.3 * by if self.room <= 2 else 0)

    def keep(self, card: Card) -> float:
        """What holding one more of a card is worth."""
        if card == "love":
            return 1.6 if self.love <= 3 else 0.9
        if card == "drama":
            if self.wrong_me:
                return 1.2 if self.drama <= 1 else 0.3
            return 0.1
        if card in ("love_letter", "heart_to_heart"):
            return 1.2
        if card == "ratings_stunt":
            return 1.5 if self.wrong_me else 0.05
        if card == "public_apology":
            return 0.1 if self.wrong_me else 1.8
        return 0.5

    def match_with(self, seat: int) -> float:
        """How much better a couple with ``seat`` would be than things are; no cost counted."""
        gain = self.trust(seat) - self.hope()
        late = 1.0 if self.last_turns else 0.6
        value = 8.0 * gain * late
        if self.partner is not None or self.o.partners[seat] is not None:
            value += self.up(1) if not self.wrong_me else 0.3
            value -= 0.8
        return value


def _villa_turn(mind: Mind, action: Action) -> float:
    """What a Villa turn's use is worth; passing is worth nothing."""
    o = mind.o
    match action:
        case CoupleUp(target=target, share=share):
            return _offer(mind, target, share)
        case BreakUp():
            return mind.up(1) - 8.0 * mind.hope() - 1.0
        case StealTheSpotlight():
            return mind.up(1) + 0.4
        case Confessional():
            return 0.45 if mind.drama + len(o.hand) - mind.love > 0 else -0.5
        case DefuseTheTension():
            cost = mind.keep("love") + (0.1 if len(o.hand) > mind.love else mind.keep("love"))
            return mind.up(-1) - 0.3 * cost
        case BonusDate():
            return mind.up(1) + 0.1 if mind.wrong_me else 0.2 if mind.love else -0.5
        case ExploreAllOptions(target=target) | KeepYourOptionsOpen(target=target):
            doubt = mind.suspicion[target] * mind.trust(target)
            return 3.0 * doubt - 0.8 * max(0, 9 - len(o.hand))
        case WeNeedToTalk():
            assert mind.partner is not None
            return 3.0 * mind.suspicion[mind.partner] * mind.trust(mind.partner) - 1.0
        case PlayBombshell(card=card, target=target):
            return _bombshell(mind, card, target)
    return 0.0


def _offer(mind: Mind, target: int, share: int) -> float:
    """Offers are free to make: to those worth it, at most a few a turn, a fair split first."""
    turn = mind.o.turn
    assert turn is not None
    if len(turn.splits) >= 8 or sum(split.target == target for split in turn.splits) >= 2:
        return -1.0
    value = mind.match_with(target)
    chance = mind.can_pay(target, COUPLE_COST - share)
    return (value - 0.4 * share) * chance if value > 1.0 and chance > 0.2 else -1.0


def _bombshell(mind: Mind, card: str, target: int | None) -> float:
    o = mind.o
    match card:
        case "blind_date" | "group_date":
            if mind.wrong_me:
                return mind.up(1) - 0.2 if mind.drama else -0.5
            calm = sorted(mind.suspicion)[: 2 if card == "blind_date" else 4]
            drama = 1.0
            for each in calm:
                drama *= 1 - DRAMA_FROM_RIGHT - 0.7 * each
            return mind.up(-1) * drama + mind.up(1) * (1 - drama)
        case "temptation" | "clean_break":
            assert target is not None
            up = mind.up(1) if card == "temptation" else 0.0
            pair = (target, o.partners[target])
            if mind.me in pair:
                return up - 8.0 * mind.hope() + (1.5 if mind.hope() < 0.4 else -1.0)
            return up + (0.3 if mind.partner is None else -0.2)
        case "love_letter":
            assert target is not None
            return mind.match_with(target) + 0.3
        case "eavesdrop":
            return 0.2
        case "heart_to_heart":
            assert target is not None
            if mind.wrong_me or o.intentions[target] is not None:
                return -0.5
            return 0.8 + mind.trust(target)
        case "ratings_stunt":
            return mind.up(1) + (1.5 if mind.wrong_me else 0.4)
        case "public_apology":
            return mind.up(-1) + 0.5 if o.viewership > 1 else 0.3
        case "mixed_signals":
            return 0.4 if mind.drama else 0.0
        case _:
            return 0.1


def _answer(mind: Mind, action: Action) -> float:
    """An offer, a Love Letter: yes if the couple is better than things are."""
    offer = mind.o.offer
    turn = mind.o.turn
    assert turn is not None
    if mind.o.phase == "counter_reply":
        assert offer is not None
        assert offer.counter is not None
        other, share = offer.target, COUPLE_COST - offer.counter
    elif offer is not None:
        other, share = offer.seat, COUPLE_COST - offer.share
    else:
        other, share = turn.seat, 0
    value = mind.match_with(other)
    match action:
        case Accept():
            return value - 0.4 * share if value > 0.8 else -1.0
        case Counter(share=mine):
            chance = mind.can_pay(other, COUPLE_COST - mine)
            return (value - 0.4 * mine) * chance * 0.8 if value > 1.0 and chance > 0.2 else -1.0
    return 0.0


def _heart(mind: Mind, action: Action) -> float:
    """The Right have nothing to hide."""
    return (-1.0 if mind.wrong_me else 1.0) if isinstance(action, Accept) else 0.0


def _give_up(mind: Mind, action: Action) -> float:
    """Pay, discard or give the card that is least worth holding."""
    assert isinstance(action, ChooseCard)
    return -mind.keep(action.card)


def _keep(mind: Mind, action: Action) -> float:
    assert isinstance(action, ChooseCard)
    return mind.keep(action.card)


def _reveal(mind: Mind, action: Action) -> float:
    """Love looks good."""
    return 1.0 if isinstance(action, ChooseCard) and action.card == "love" else 0.0


def _contestant(mind: Mind, action: Action) -> float:
    """The Right send those they trust, the Wrong themselves and those they suspect."""
    assert isinstance(action, ChooseContestant)
    if action.seat == mind.me:
        return 2.0 if mind.wrong_me or mind.love else -1.0
    return mind.suspicion[action.seat] if mind.wrong_me else mind.trust(action.seat)


def _lay(mind: Mind, action: Action) -> float:
    """Love for the Right, Drama for the Wrong while the ratings are within reach."""
    assert isinstance(action, ChooseCard)
    if action.card == "drama":
        return 1.0 if mind.ratings() else -1.0
    return 0.0 if action.card == "love" else -mind.keep(action.card)


_WORTH: dict[str, Callable[[Mind, Action], float]] = {
    "villa_turn": _villa_turn,
    "pay": _give_up,
    "discard": _give_up,
    "keep": _keep,
    "reveal": _reveal,
    "give": _give_up,
    "choose_contestant": _contestant,
    "date_card": _lay,
    "offer_reply": _answer,
    "counter_reply": _answer,
    "letter_reply": _answer,
    "heart_reply": _heart,
}
"""By phase: what an action is worth."""

BOTS: tuple[Bot[Observation], ...] = (
    Bot("random", "Random", "Any legal action, each equally likely.", choose_random),
    Bot("greedy", "Greedy", "Believes what it has seen, pairs up, calms or stirs; no search.", choose_greedy),
)
