"""Names on the wire and their numbers inside; the numbers of the rulebook; the kinds of decision."""

from __future__ import annotations

from typing import Literal, get_args

from ...game import Kind
from .cards import BLIND_DATE

Intention = Literal["right", "wrong"]
DateReason = Literal["episode", "blind_date", "group_date", "bonus_date"]
Ending = Literal["viewership", "season_finale", "forfeit"]
TurnAction = Literal[
    "pass",
    "couple_up",
    "break_up",
    "steal_the_spotlight",
    "confessional",
    "defuse_the_tension",
    "explore_all_options",
    "keep_your_options_open",
    "we_need_to_talk",
    "bonus_date",
    "blind_date",
    "group_date",
    "temptation",
    "clean_break",
    "love_letter",
    "eavesdrop",
    "heart_to_heart",
    "ratings_stunt",
    "public_apology",
    "mixed_signals",
    "screen_time",
]
Phase = Literal[
    "villa_turn",
    "pay",
    "discard",
    "keep",
    "reveal",
    "give",
    "choose_contestant",
    "date_card",
    "offer_reply",
    "counter_reply",
    "letter_reply",
    "heart_reply",
    "over",
]

INTENTIONS: tuple[Intention, ...] = get_args(Intention)

# What a Villa turn was used for, inside; a Bombshell is TURN_OF_BOMBSHELL + its kind.
TURN_ACTIONS: tuple[TurnAction, ...] = get_args(TurnAction)
PASSED, COUPLED_UP, BROKE_UP, SPOTLIGHT, CONFESSIONAL, DEFUSE, EXPLORE, KEEP_OPEN, TALK, BONUS_DATE = range(10)
TURN_OF_BOMBSHELL = 10 - BLIND_DATE
TURN_OF: dict[str, int] = {name: code for code, name in enumerate(TURN_ACTIONS)}

# Numbers of the rulebook.
COUPLE_COST = 3  # LS-12
EXPLORE_COST = TALK_COST = 5  # LS-20, LS-21
SPOTLIGHT_DRAWS = 2  # LS-17
BONUS_DATE_SIZE, BONUS_DATE_DRAWS = 3, 2  # LS-24
BLIND_DATE_SIZE, GROUP_DATE_SIZE = 2, 4  # LS-35, LS-36
STUNT_DRAWS, APOLOGY_DRAWS = 3, 1  # LS-42, LS-43
LEAST_VIEWERS, MOST_VIEWERS = 1, 10  # LS-23, LS-31
FINALE_LOOPS = 2  # LS-30

# Why a date is held, inside.
REASONS: tuple[DateReason, ...] = get_args(DateReason)
FOR_EPISODE, FOR_BLIND_DATE, FOR_GROUP_DATE, FOR_BONUS_DATE = range(4)

# How a match ended, inside; 0 while it runs.
ENDINGS: tuple[Ending, ...] = get_args(Ending)
RUNNING, BY_VIEWERSHIP, BY_FINALE, BY_FORFEIT = range(4)

KINDS = (
    Kind("villa_turn", "Take a Villa Action, play a Bombshell or pass."),
    Kind("pay", "Choose a card to pay with."),
    Kind("discard", "Choose a card of your hand to discard."),
    Kind("keep", "Choose which of the two cards you drew to keep."),
    Kind("reveal", "Choose a card of your hand to show to everybody."),
    Kind("give", "Choose a card of your hand to give away."),
    Kind("choose_contestant", "Choose a contestant for the date."),
    Kind("date_card", "Lay a Love or Drama card face down on the date.", answering=True),
    Kind("offer_reply", "Answer the offer to couple up.", answering=True),
    Kind("counter_reply", "Answer the counter to your offer.", answering=True),
    Kind("letter_reply", "Answer the Love Letter.", answering=True),
    Kind("heart_reply", "Answer the Heart to Heart.", answering=True),
)
PHASES: tuple[Phase, ...] = get_args(Phase)  # by kind, then "over"
VILLA_TURN, PAY, DISCARD, KEEP, REVEAL, GIVE, CHOOSE, DATE_CARD, OFFER, COUNTER, LETTER, HEART = range(12)
