"""The kinds of card. Inside, a card is its place in CARDS; cards of a kind are alike. [LS-1, CM-6a]"""

from __future__ import annotations

from typing import Literal, get_args

Card = Literal[
    "love",
    "drama",
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
Bombshell = Literal[
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
DateCard = Literal["love", "drama"]

CARDS: tuple[Card, ...] = get_args(Card)
DATE_CARDS: tuple[DateCard, ...] = get_args(DateCard)
K = len(CARDS)
LOVE, DRAMA, BLIND_DATE, GROUP_DATE, TEMPTATION, CLEAN_BREAK, LOVE_LETTER = range(7)
EAVESDROP, HEART_TO_HEART, RATINGS_STUNT, PUBLIC_APOLOGY, MIXED_SIGNALS, SCREEN_TIME = range(7, K)
LAYABLE = 1 << LOVE | 1 << DRAMA  # what may be laid on a date [LS-26]
BOMBSHELLS = ((1 << K) - 1) & ~LAYABLE
KIND_OF: dict[str, int] = {name: kind for kind, name in enumerate(CARDS)}

TITLES: dict[str, str] = {
    "love": "Love",
    "drama": "Drama",
    "blind_date": "Blind Date",
    "group_date": "Group Date",
    "temptation": "Temptation",
    "clean_break": "Clean Break",
    "love_letter": "Love Letter",
    "eavesdrop": "Eavesdrop",
    "heart_to_heart": "Heart to Heart",
    "ratings_stunt": "Ratings Stunt",
    "public_apology": "Public Apology",
    "mixed_signals": "Mixed Signals",
    "screen_time": "Screen Time",
}
TEXTS: dict[str, str] = {
    "love": "Pays Love and any cost. On a date: calm.",
    "drama": "Pays any cost. On a date: one is enough to raise viewership.",
    "blind_date": "Choose two contestants; they go on a date now. [LS-35]",
    "group_date": "Choose four contestants; they go on a date now. [LS-36]",
    "temptation": "Choose a couple; they break up, viewership +1. [LS-37]",
    "clean_break": "Choose a couple; they break up, viewership stays. [LS-38]",
    "love_letter": "Offer to couple up for a single Love card, yours. A no spends card and turn. [LS-39]",
    "eavesdrop": "Look at the whole hand of another contestant. [LS-40]",
    "heart_to_heart": "Ask another contestant; if they agree, you see each other's Intention. [LS-41]",
    "ratings_stunt": "Viewership +1, then draw three cards. [LS-42]",
    "public_apology": "Viewership -1, then draw one card. [LS-43]",
    "mixed_signals": "Give a card to another contestant, then take one of theirs at random. [LS-44]",
    "screen_time": "When this episode ends, you become the Main Character. [LS-45]",
}
