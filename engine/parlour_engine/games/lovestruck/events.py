"""Events: what happened, as one viewer sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .cards import Bombshell, Card, DateCard
from .names import DateReason, Ending, Intention, TurnAction
from .season import EpisodeType


@dataclass(frozen=True, slots=True)
class EpisodeBegan:
    """``number``: the cards that everyone draws, or the contestants to choose for a date."""

    type: Literal["episode_began"] = "episode_began"
    episode: int = 1
    episode_type: EpisodeType = "villa"
    number: int = 0
    main_character: int = 0


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """``cards`` for the one who drew, in the fixed order of kinds; null for everybody else."""

    type: Literal["cards_drawn"] = "cards_drawn"
    seat: int = 0
    count: int = 0
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, slots=True)
class DeckShuffled:
    """The discard pile became the new deck."""

    type: Literal["deck_shuffled"] = "deck_shuffled"
    cards: int = 0


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """What a seat does with its Villa turn, a pass included; costs and effects follow as events of their own."""

    type: Literal["turn_taken"] = "turn_taken"
    seat: int = 0
    action: TurnAction = "pass"
    target: int | None = None


@dataclass(frozen=True, slots=True)
class CardPaid:
    """A card discarded face up as a cost."""

    type: Literal["card_paid"] = "card_paid"
    seat: int = 0
    card: Card = "love"


@dataclass(frozen=True, slots=True)
class CardDiscarded:
    type: Literal["card_discarded"] = "card_discarded"
    seat: int = 0
    card: Card = "love"


@dataclass(frozen=True, slots=True)
class CardRevealed:
    """A Confessional: everyone saw the card, and it stays in the hand."""

    type: Literal["card_revealed"] = "card_revealed"
    seat: int = 0
    card: Card = "love"


@dataclass(frozen=True, slots=True)
class CoupleOffered:
    """``share``: how many of the three Love cards the one who offers would pay."""

    type: Literal["couple_offered"] = "couple_offered"
    seat: int = 0
    target: int = 0
    share: int = 0


@dataclass(frozen=True, slots=True)
class OfferCountered:
    """``share``: how many of the three Love cards ``seat``, who was asked, would pay instead."""

    type: Literal["offer_countered"] = "offer_countered"
    seat: int = 0
    share: int = 0


@dataclass(frozen=True, slots=True)
class OfferAnswered:
    """``seat`` said yes or no to an offer, a counter, a Love Letter or a Heart to Heart."""

    type: Literal["offer_answered"] = "offer_answered"
    seat: int = 0
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class CoupleFormed:
    type: Literal["couple_formed"] = "couple_formed"
    couple: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True)
class CoupleBroken:
    type: Literal["couple_broken"] = "couple_broken"
    couple: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True)
class ViewershipChanged:
    """The track after a change; ``by`` is -1 or 1 also where the track could not go lower."""

    type: Literal["viewership_changed"] = "viewership_changed"
    by: int = 1
    viewership: int = 1


@dataclass(frozen=True, slots=True)
class IntentionSeen:
    """``seat`` looked at the Intention of ``target``; ``intention`` for the one who looked, null for everybody else."""

    type: Literal["intention_seen"] = "intention_seen"
    seat: int = 0
    target: int = 0
    intention: Intention | None = None


@dataclass(frozen=True, slots=True)
class HandSeen:
    """``seat`` looked at the hand of ``target``; ``cards`` for the one who looked, null for everybody else."""

    type: Literal["hand_seen"] = "hand_seen"
    seat: int = 0
    target: int = 0
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, slots=True)
class SignalsMixed:
    """``seat`` gave a card to ``target`` and took one at random; both cards for the two, null for everybody else."""

    type: Literal["signals_mixed"] = "signals_mixed"
    seat: int = 0
    target: int = 0
    gave: Card | None = None
    took: Card | None = None


@dataclass(frozen=True, slots=True)
class ContestantChosen:
    type: Literal["contestant_chosen"] = "contestant_chosen"
    seat: int = 0
    contestant: int = 0


@dataclass(frozen=True, slots=True)
class DateBegan:
    type: Literal["date_began"] = "date_began"
    reason: DateReason = "episode"
    contestants: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DateCardLaid:
    """``seat`` has laid a card; ``card`` for that seat alone."""

    type: Literal["date_card_laid"] = "date_card_laid"
    seat: int = 0
    card: DateCard | None = None


@dataclass(frozen=True, slots=True)
class BombshellThrown:
    """``seat`` held nothing but Bombshells and threw one aside."""

    type: Literal["bombshell_thrown"] = "bombshell_thrown"
    seat: int = 0
    card: Bombshell = "blind_date"


@dataclass(frozen=True, slots=True)
class DateSatOut:
    """``seat`` has nothing to lay and nothing is left to draw."""

    type: Literal["date_sat_out"] = "date_sat_out"
    seat: int = 0


@dataclass(frozen=True, slots=True)
class DateRevealed:
    """The laid cards, shuffled."""

    type: Literal["date_revealed"] = "date_revealed"
    cards: tuple[DateCard, ...] = ()
    outcome: Literal["love", "drama", "none"] = "none"


@dataclass(frozen=True, slots=True)
class SeatForfeited:
    type: Literal["seat_forfeited"] = "seat_forfeited"
    seat: int = 0


@dataclass(frozen=True, slots=True)
class SeasonEnded:
    """Everybody's Intention by seat, and who won."""

    type: Literal["season_ended"] = "season_ended"
    reason: Ending = "season_finale"
    winners: tuple[int, ...] = ()
    intentions: tuple[Intention, ...] = ()


Event = (
    EpisodeBegan
    | CardsDrawn
    | DeckShuffled
    | TurnTaken
    | CardPaid
    | CardDiscarded
    | CardRevealed
    | CoupleOffered
    | OfferCountered
    | OfferAnswered
    | CoupleFormed
    | CoupleBroken
    | ViewershipChanged
    | IntentionSeen
    | HandSeen
    | SignalsMixed
    | ContestantChosen
    | DateBegan
    | DateCardLaid
    | BombshellThrown
    | DateSatOut
    | DateRevealed
    | SeatForfeited
    | SeasonEnded
)
