"""The action space of a table: every action's number and its typed form. Numbers never change within a version.

No action shows a card but as a cost, a discard, a Confessional or a date card: claims are table talk. [LS-7]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from .cards import CARDS, Bombshell, Card, K


@dataclass(frozen=True, slots=True)
class Pass:
    """Take no Villa Action."""

    type: Literal["pass"] = "pass"


@dataclass(frozen=True, slots=True)
class Decline:
    """Say no: to an offer, a counter, a Love Letter, a Heart to Heart."""

    type: Literal["decline"] = "decline"


@dataclass(frozen=True, slots=True)
class Accept:
    """Say yes: to an offer, a counter, a Love Letter, a Heart to Heart."""

    type: Literal["accept"] = "accept"


@dataclass(frozen=True, slots=True)
class Counter:
    """Propose another split of the three Love cards: ``share`` is what you, who were asked, would pay."""

    type: Literal["counter"] = "counter"
    share: int = 0


@dataclass(frozen=True, slots=True)
class ChooseCard:
    """Choose a card of your hand: to pay, discard, keep, reveal, give, lay or throw, as the decision says."""

    type: Literal["choose_card"] = "choose_card"
    card: Card = "love"


@dataclass(frozen=True, slots=True)
class ChooseContestant:
    """Choose a contestant for a date, yourself allowed."""

    type: Literal["choose_contestant"] = "choose_contestant"
    seat: int = 0


@dataclass(frozen=True, slots=True)
class BreakUp:
    """Villa Action: break up with your partner."""

    type: Literal["break_up"] = "break_up"


@dataclass(frozen=True, slots=True)
class StealTheSpotlight:
    """Villa Action: draw two, discard one, viewership +1."""

    type: Literal["steal_the_spotlight"] = "steal_the_spotlight"


@dataclass(frozen=True, slots=True)
class Confessional:
    """Villa Action: pay any card, draw one, reveal one."""

    type: Literal["confessional"] = "confessional"


@dataclass(frozen=True, slots=True)
class DefuseTheTension:
    """Villa Action: pay a Love card and any card, viewership -1."""

    type: Literal["defuse_the_tension"] = "defuse_the_tension"


@dataclass(frozen=True, slots=True)
class WeNeedToTalk:
    """Villa Action: pay five Love cards, look at your partner's Intention."""

    type: Literal["we_need_to_talk"] = "we_need_to_talk"


@dataclass(frozen=True, slots=True)
class BonusDate:
    """Villa Action of the reference card: pay any card, send three contestants on a date."""

    type: Literal["bonus_date"] = "bonus_date"


@dataclass(frozen=True, slots=True)
class ExploreAllOptions:
    """Villa Action: pay five cards, look at the Intention of a contestant in a couple."""

    type: Literal["explore_all_options"] = "explore_all_options"
    target: int = 0


@dataclass(frozen=True, slots=True)
class KeepYourOptionsOpen:
    """Villa Action of the reference card: pay five cards, look at an Intention that is not your partner's."""

    type: Literal["keep_your_options_open"] = "keep_your_options_open"
    target: int = 0


@dataclass(frozen=True, slots=True)
class CoupleUp:
    """Offer to couple up: you would pay ``share`` of the three Love cards, the target the rest."""

    type: Literal["couple_up"] = "couple_up"
    target: int = 0
    share: int = 0


@dataclass(frozen=True, slots=True)
class PlayBombshell:
    """Play a Bombshell. ``target``: the contestant it is aimed at; for Temptation and Clean Break the lower seat of the
    couple; null where the card names nobody."""

    type: Literal["play_bombshell"] = "play_bombshell"
    card: Bombshell = "blind_date"
    target: int | None = None


Action = (
    Pass
    | Decline
    | Accept
    | Counter
    | ChooseCard
    | ChooseContestant
    | BreakUp
    | StealTheSpotlight
    | Confessional
    | DefuseTheTension
    | WeNeedToTalk
    | BonusDate
    | ExploreAllOptions
    | KeepYourOptionsOpen
    | CoupleUp
    | PlayBombshell
)

# Numbers that are the same at every table.
PASS, DECLINE, ACCEPT, COUNTER_0 = 0, 1, 2, 3
CARD_0 = COUNTER_0 + 4
BREAK_UP, STEAL, CONFESS, DEFUSE_IT, TALK_IT, BONUS = range(CARD_0 + K, CARD_0 + K + 6)
PLAY_BLIND, PLAY_GROUP, PLAY_STUNT, PLAY_APOLOGY, PLAY_SCREEN = range(BONUS + 1, BONUS + 6)
BLOCK_0 = PLAY_SCREEN + 1
# From BLOCK_0 on, blocks of one number per seat, then the offers, four per seat.
CHOOSE_BLOCK, EXPLORE_BLOCK, OPEN_BLOCK, TEMPT_BLOCK, CLEAN_BLOCK = range(5)
LETTER_BLOCK, EAVESDROP_BLOCK, HEART_BLOCK, MIXED_BLOCK, BLOCKS = range(5, 10)


@cache
def typed_actions(seats: int) -> tuple[Action, ...]:
    """Every action of a table of so many seats, in the order of their numbers."""
    everyone = range(seats)
    aimed: tuple[Bombshell, ...] = (
        "temptation",
        "clean_break",
        "love_letter",
        "eavesdrop",
        "heart_to_heart",
        "mixed_signals",
    )
    unaimed: tuple[Bombshell, ...] = ("blind_date", "group_date", "ratings_stunt", "public_apology", "screen_time")
    return (
        Pass(),
        Decline(),
        Accept(),
        *(Counter(share=share) for share in range(4)),
        *(ChooseCard(card=card) for card in CARDS),
        BreakUp(),
        StealTheSpotlight(),
        Confessional(),
        DefuseTheTension(),
        WeNeedToTalk(),
        BonusDate(),
        *(PlayBombshell(card=card) for card in unaimed),
        *(ChooseContestant(seat=seat) for seat in everyone),
        *(ExploreAllOptions(target=seat) for seat in everyone),
        *(KeepYourOptionsOpen(target=seat) for seat in everyone),
        *(PlayBombshell(card=card, target=seat) for card in aimed for seat in everyone),
        *(CoupleUp(target=seat, share=share) for seat in everyone for share in range(4)),
    )


class Space:
    """Where a table's blocks of action numbers begin, and lists of legal actions that depend on little."""

    __slots__ = ("blocks", "offer_0", "offers", "reference", "seats", "tails")

    def __init__(self, seats: int, reference: bool) -> None:
        self.seats = seats
        self.reference = reference  # the Villa Actions of the reference card [LS-24]
        self.offer_0 = BLOCK_0 + BLOCKS * seats
        self.blocks: dict[int, tuple[int, ...]] = {}
        self.offers: dict[int, tuple[int, ...]] = {}
        self.tails: dict[int, tuple[int, ...]] = {}

    def block(self, block: int, mask: int) -> tuple[int, ...]:
        """The actions of a block aimed at the seats of a mask."""
        key = mask << 4 | block
        actions = self.blocks.get(key)
        if actions is None:
            first = BLOCK_0 + block * self.seats
            actions = self.blocks[key] = tuple(first + seat for seat in range(self.seats) if mask >> seat & 1)
        return actions


@cache
def space_of(seats: int, reference: bool) -> Space:
    return Space(seats, reference)


@cache
def card_choices(kinds: int) -> tuple[int, ...]:
    """The choices of a card among the kinds of a mask."""
    return tuple(CARD_0 + kind for kind in range(K) if kinds >> kind & 1)
