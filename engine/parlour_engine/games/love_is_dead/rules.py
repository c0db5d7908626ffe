"""Love Is Dead, in the order of RULES.md."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from functools import cache

from ...chance import below, shuffle
from ...errors import BadOption
from ...game import Fact, Log, Outcome
from .decks import SHELF, Endgame
from .known import NOTHING_KNOWN, PUBLIC, learnt, nothing, picked_up, reckoned, seen_to_go
from .matching import boost_sets
from .profile import BOOST_IN, COVERED, DOUBLED, NOTHING, READ, SPACES_IN, actions_in, cards_of, profile_of
from .state import (
    ACTIONS,
    BAGGAGE,
    BOOST_SETS,
    CARDS,
    DEALBREAKERS,
    DEALT,
    DISCARD,
    DO_EMPTY,
    DO_GIVE,
    DO_LOVE_TRIANGLE,
    DO_MATCH,
    DO_OLD_FLAME,
    DO_PAIR,
    DO_PASS,
    DO_PLAY,
    DO_PLENTY_OF_FISH,
    DO_REMOVE,
    DO_SPEED_DATING,
    DO_SWIPE_RIGHT,
    DO_TARGET,
    DRAWS,
    EMPTIED,
    EMPTY,
    FACE_UP,
    GHOSTED,
    HAND_LEAST,
    HAND_MOST,
    HOBBIES,
    LEFT_ON_READ,
    LIMIT,
    LOVE_TRIANGLE,
    MATCH,
    MATCHES_TO_END,
    MOST_SPACES,
    MOVE,
    OLD_FLAME,
    ON_BAGGAGE,
    ON_GHOSTED,
    ON_LEFT_ON_READ,
    ON_PICK_UP_LINE,
    ON_RED_FLAG,
    ON_TAKE,
    OVERACHIEVER,
    OVERFLOW,
    PAIR_BOOSTS,
    PICK_UP_LINE,
    PLAY,
    PLENTY_OF_FISH,
    RED_FLAG,
    SEATS,
    SPACES,
    SPEED_DATING,
    STEPS,
    STRANGER,
    SWAP_GIVE,
    SWAP_TAKE,
    SWIPE_RIGHT,
    TARGET_BLOCK,
    TRAITS,
    TURNED_UP,
    USED_CATFISH,
    WILD,
    Action,
    BoosReturned,
    BoosTurnedUp,
    DealbreakerPlayed,
    DealbreakerRemoved,
    Discarded,
    Drew,
    Emptied,
    Ended,
    Forfeited,
    MadeAMove,
    Matched,
    MovedUp,
    Options,
    Paired,
    Passed,
    PickedUp,
    Played,
    Reshuffled,
    Revealed,
    State,
    Swapped,
    TookOldFlame,
    TurnBegan,
    boosts_of,
)

_PASS = (DO_PASS,)
# By set of spaces, those on other seats by target first: what can be done in these spaces.
_GIVES = actions_in(DO_GIVE)
_DOUBLES = actions_in(DO_PAIR)
_COVERS = actions_in(DO_PAIR + MOST_SPACES)
_EMPTIES = actions_in(DO_EMPTY)
_BLOCKS = range(DO_TARGET, DO_TARGET + TARGET_BLOCK * SEATS[-1], TARGET_BLOCK)
_READS = tuple(actions_in(block + ON_LEFT_ON_READ) for block in _BLOCKS)
_TAKES = tuple(actions_in(block + ON_TAKE) for block in _BLOCKS)
_GHOSTS = tuple(range(block + ON_GHOSTED, block + ON_PICK_UP_LINE) for block in _BLOCKS)  # by match
# Sets of kinds, a bit each.
_BIT = tuple(1 << kind for kind in range(len(CARDS)))
_OF_A_SPACE = (1 << HOBBIES + 1) - 1
_TRAIT_OR_WILD = (1 << WILD + 1) - 1
_ATTACKS = 1 << RED_FLAG | 1 << BAGGAGE | 1 << LEFT_ON_READ | 1 << GHOSTED
_REMOVABLE = _ATTACKS ^ 1 << GHOSTED


def check_options(seats: int, options: Options) -> None:
    """[LD-8] The first seat must exist, and the deck."""
    SHELF[options.deck]
    if options.first_seat is not None and not 0 <= options.first_seat < seats:
        raise BadOption("first_seat", f"must be a seat from 0 to {seats - 1}")


def actions(seats: int) -> tuple[Action, ...]:
    """All actions; those of a smaller table are a beginning of those of a larger one."""
    return _SPACES[seats]


_SPACES = {seats: ACTIONS[: DO_TARGET + TARGET_BLOCK * seats] for seats in SEATS}


# Setup


def deal(seats: int, options: Options, seed: bytes) -> State:
    """[LD-4, LD-5, LD-6, LD-7, LD-8] Pool and deck shuffled, Boos turned up, three cards and an Endgame card each.

    Chance is drawn in this order: pool, deck, Endgame cards, first seat unless it is given.
    """
    cards = SHELF[options.deck]
    state = State()
    state.seats = seats
    state.options = options
    state.cards = cards
    state.seed = seed
    state.drawn = 0
    state.pool = list(range(len(cards.boos)))
    shuffle(state, state.pool)
    state.groups = (len(state.pool),)
    state.face_up = []
    _turn_up(state, FACE_UP[seats], None)
    state.deck = list(cards.decks[seats])
    shuffle(state, state.deck)
    state.discard = []
    state.hands = [sorted(state.deck.pop() for _ in range(DEALT)) for _ in range(seats)]
    endgame = list(range(len(cards.endgames)))
    shuffle(state, endgame)
    state.endgame = tuple(endgame[:seats])
    state.profiles = [profile_of(NOTHING, cards.hobbies_spaces)] * seats
    state.matches = [()] * seats
    state.ghosted = [-1] * seats
    state.was_ghosted = 0
    state.known = nothing()
    state.numbers = [0] * seats
    state.to_empty = state.among = 0
    state.giving = -1
    state.matchable = ()
    state.forfeited = 0
    state.outcome = None
    state.turns = 0
    _begin_turn(state, below(state, seats) if options.first_seat is None else options.first_seat, None)
    return state


# A turn


def pending(state: State) -> tuple[tuple[int, int, int], ...]:
    """[LD-15] One seat decides at a time."""
    return state.pending


def _ask(state: State, phase: int) -> None:
    """The seat whose turn it is owes its next decision."""
    seat = state.turn
    number = state.numbers[seat]
    state.numbers[seat] = number + 1
    state.phase = phase
    state.pending = ((seat, phase, number),)


def legal_actions(state: State, seat: int) -> tuple[int, ...] | list[int]:
    """What the seat whose turn it is may choose; it follows from the table and that seat's hand."""
    if seat != state.turn or state.outcome is not None:
        return ()
    return _LEGAL[state.phase](state, seat)


def apply(state: State, seat: int, action: int, log: Log | None) -> bool:
    """Changes the state; True if the seat learnt something new, or another seat's turn has come."""
    return _VERBS[action](state, seat, action, log)


def _begin_turn(state: State, seat: int, log: Log | None) -> None:
    """[LD-9] Draw two cards, three with a Humblebrag (LD-29). [LD-49] After 200 turns per seat the match is a draw."""
    cards = state.cards
    if state.turns == cards.turns_per_seat * state.seats:
        limit = f"Nobody made three matches in {cards.turns_per_seat} turns: a draw."
        _end(state, Outcome((), None, "turn_limit", limit), log)
        return
    state.turns += 1
    state.turn = seat
    state.emptied = 0
    if log is not None:
        log.append(Fact(TurnBegan(seat=seat, turn=state.turns)))
    more = state.profiles[seat].humblebrag
    _draw(state, seat, cards.humblebrag_draws if more else DRAWS, log)
    _ask(state, DISCARD if state.hands[seat] else MOVE)


def _draw(state: State, seat: int, count: int, log: Log | None) -> bool:
    """[LD-9, LD-36] Cards from the deck into the hand; what is not there, even after LD-16, is not drawn (CM-8)."""
    hand, deck = state.hands[seat], state.deck
    drawn = deck[-count:]
    del deck[-count:]
    hand += drawn
    short = count - len(drawn)
    if short and _reshuffle(state, log):
        more = deck[-short:]
        del deck[-short:]
        hand += more
        drawn += more
    hand.sort()
    if log is not None:
        mine = Drew(seat=seat, count=len(drawn), cards=tuple(CARDS[kind] for kind in sorted(drawn)))
        log.append(Fact(Drew(seat=seat, count=len(drawn)), ((seat, mine),)))
    return bool(drawn)


def _reshuffle(state: State, log: Log | None) -> bool:
    """[LD-16] The deck is empty and a card is needed: shuffle the discard pile into a new deck.

    At that moment all cards that are not open lie in hands: everybody can work out what the others hold together.
    """
    if not state.discard:
        return False
    state.deck.extend(state.discard)
    state.discard.clear()
    shuffle(state, state.deck)
    if log is not None:
        log.append(Fact(Reshuffled(count=len(state.deck))))
    reckoned(state.known, state.hands)
    return True


def _discardable(state: State, seat: int) -> list[int]:
    """[LD-10, LD-14] Any card of the hand; cards of a kind are alike."""
    return sorted(set(state.hands[seat]))


def _discard(state: State, seat: int, kind: int, log: Log | None) -> bool:
    """[LD-10] One card to the discard pile. [LD-14] At the end of the turn, down to five cards."""
    hand = state.hands[seat]
    _leave(state, seat, kind)
    state.discard.append(kind)
    if log is not None:
        log.append(Fact(Discarded(seat=seat, cards=(CARDS[kind],))))
    if state.phase == DISCARD:
        _ask(state, MOVE)
        return False
    if len(hand) > HAND_MOST:
        _ask(state, LIMIT)
        return False
    return _next_turn(state, log)


def _leave(state: State, seat: int, kind: int) -> None:
    """A card leaves a hand openly. [CM-7a]"""
    state.hands[seat].remove(kind)
    square = state.known[kind]
    if square != NOTHING_KNOWN:
        state.known[kind] = seen_to_go(square, seat)


def _pass(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-11] No Make a Move card; [LD-12] nothing that can be played; [LD-13] no match, which is never compulsory."""
    if log is not None:
        log.append(Fact(Passed(seat=seat, phase=STEPS[state.phase])))
    if state.phase == MOVE:
        _ask(state, PLAY)
        return False
    if state.phase == PLAY:
        return _after_play(state, seat, log)
    return _end_turn(state, seat, log)


def _after_play(state: State, seat: int, log: Log | None) -> bool:
    """[LD-13] The match is asked for where one is possible: that follows from what lies open."""
    state.matchable = legal = matchable(state, seat)
    if len(legal) > 1:
        _ask(state, MATCH)
        return False
    return _end_turn(state, seat, log)


def _end_turn(state: State, seat: int, log: Log | None) -> bool:
    """[LD-14] Over five cards in hand: discard down to five; under three: draw up to three."""
    size = len(state.hands[seat])
    if size > HAND_MOST:
        _ask(state, LIMIT)
        return False
    if size < HAND_LEAST:
        _draw(state, seat, HAND_LEAST - size, log)
    return _next_turn(state, log)


def _next_turn(state: State, log: Log | None) -> bool:
    """[LD-15] The player on the left."""
    _begin_turn(state, (state.turn + 1) % state.seats, log)
    return True


# Playing a card


def _playable(state: State, seat: int) -> tuple[int, ...] | list[int]:
    """[LD-12] Every play of every card in hand, and spaces to empty first (LD-18); with none of it, pass."""
    kinds = 0
    for kind in state.hands[seat]:
        kinds |= _BIT[kind]
    profile = state.profiles[seat]
    held = profile.held
    new = kinds & ~held  # LD-22
    room = profile.free >= 0
    legal = [*_plays(new & _OF_A_SPACE)] if room else []
    if new >> OVERACHIEVER & 1:
        legal += _DOUBLES[profile.pairable]
    if new >> STRANGER & 1:
        legal += _COVERS[profile.swappable]
    if kinds >> WILD & 1:  # LD-19, LD-20
        legal += _removals(state, seat, held)
    attacks = _attacks(state, seat, kinds & _ATTACKS) if kinds & _ATTACKS else []
    if not room and state.emptied in (0, 2):
        legal += _room(state, seat, kinds, bool(attacks))
    legal += attacks
    if state.emptied == 3:
        legal = [action for action in legal if action < DO_PAIR]
    return legal or _PASS


@cache
def _plays(kinds: int) -> tuple[int, ...]:
    """[LD-17, LD-19, LD-22] The plays of these kinds into an empty space."""
    return tuple(DO_PLAY + kind for kind in range(HOBBIES + 1) if kinds >> kind & 1)


def _removals(state: State, seat: int, held: int) -> list[int]:
    """[LD-19, LD-20] A Wild from hand removes a Dealbreaker of your own profile or matches."""
    legal = [DO_REMOVE + kind - RED_FLAG for kind in (RED_FLAG, BAGGAGE, LEFT_ON_READ) if held >> kind & 1]
    if state.ghosted[seat] >= 0:
        legal.append(DO_REMOVE + GHOSTED - RED_FLAG)
    return legal


def _attacks(state: State, seat: int, kinds: int) -> list[int]:
    """[LD-23] On opponents only, no two of the same in one profile, never on a Dealbreaker.

    [LD-32, LD-33] Red Flag and Emotional Baggage need an empty space. [LD-34] Left on Read needs a filled one, other
    than Lots of Hobbies. [LD-35] Ghosted needs a match, and lies before a player once a game.
    """
    others = [(target, profile) for target, profile in enumerate(state.profiles) if target != seat]
    legal: list[int] = []
    for kind, on in ((RED_FLAG, ON_RED_FLAG), (BAGGAGE, ON_BAGGAGE)):
        if kinds >> kind & 1:
            open_to = [target for target, profile in others if profile.free >= 0 and not profile.held >> kind & 1]
            legal += [DO_TARGET + TARGET_BLOCK * target + on for target in open_to]
    if kinds >> LEFT_ON_READ & 1:
        for target, profile in others:
            if not profile.held >> LEFT_ON_READ & 1:
                legal += _READS[target][profile.coverable]
    if kinds >> GHOSTED & 1:
        for target, _ in others:
            if not state.was_ghosted >> target & 1:
                legal += _GHOSTS[target][: len(state.matches[target])]
    legal.sort()
    return legal


def _room(state: State, seat: int, kinds: int, can_attack: bool) -> tuple[int, ...] | list[int]:
    """[LD-18] The profile is full: any one space without a Dealbreaker may be emptied, if a play is legal then.

    [LD-30] Where Lots of Hobbies was emptied and five spaces are filled: one more, for a play that needs a space.
    """
    profile = state.profiles[seat]
    needs_space = state.emptied == 2
    if kinds & _TRAIT_OR_WILD or (can_attack and not needs_space):
        return _EMPTIES[profile.emptiable]
    legal: list[int] = []
    for space in SPACES_IN[profile.emptiable]:
        new = kinds & ~profile.held
        for kind in cards_of(profile.codes[space]):
            new |= kinds & 1 << kind
        others = profile.emptiable ^ 1 << space
        pairs = (new >> OVERACHIEVER & 1 and others & profile.pairable) or (
            new >> STRANGER & 1 and others & profile.swappable
        )
        if new & _OF_A_SPACE or (pairs and not needs_space):
            legal.append(DO_EMPTY + space)
    return legal


def _play(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-17, LD-19, LD-22] A Trait, a Wild or an unpaired Boost, face up into a space of your profile."""
    kind = action - DO_PLAY
    profile = state.profiles[seat]
    space = profile.free
    _leave(state, seat, kind)
    state.profiles[seat] = profile.put(space, kind + 1)
    if log is not None:
        log.append(Fact(Played(seat=seat, card=CARDS[kind], space=space)))
    return _after_play(state, seat, log)


def _pair(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-24, LD-25, LD-26] Overachiever or Mysterious Stranger joins a card in its space, locked to it."""
    which, space = divmod(action - DO_PAIR, MOST_SPACES)
    _leave(state, seat, OVERACHIEVER + which)
    profile = state.profiles[seat]
    state.profiles[seat] = profile.put(space, profile.codes[space] | (COVERED if which else DOUBLED))
    if log is not None:
        log.append(Fact(Paired(seat=seat, card=PAIR_BOOSTS[which], space=space)))
    return _after_play(state, seat, log)


def _remove(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-19] A Wild from hand removes a Dealbreaker; both go to the discard pile.

    [LD-47] That may bring back a third match: the game ends at once.
    """
    kind = action - DO_REMOVE + RED_FLAG
    _leave(state, seat, WILD)
    where: int | None = None
    boo: str | None = None
    if kind == GHOSTED:
        boo = state.cards.boo_ids[state.ghosted[seat]]
        state.ghosted[seat] = -1
    else:
        profile = state.profiles[seat]
        if kind == LEFT_ON_READ:
            where = next(space for space, code in enumerate(profile.codes) if code & READ)
            state.profiles[seat] = profile.put(where, profile.codes[where] & ~READ)
        else:
            where = profile.codes.index(kind + 1)
            state.profiles[seat] = profile.put(where, 0)
    state.discard += (WILD, kind)
    if log is not None:
        card = DEALBREAKERS[kind - RED_FLAG]
        log.append(Fact(DealbreakerRemoved(seat=seat, card=card, space=where, boo=boo)))
    if kind == GHOSTED and len(state.matches[seat]) == MATCHES_TO_END:
        _score(state, seat, log)
        return True
    return _after_play(state, seat, log)


def _attack(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-32, LD-33] Into the target's first empty space. [LD-34] Onto a filled one. [LD-35] Onto a match."""
    target, on = divmod(action - DO_TARGET, TARGET_BLOCK)
    profile = state.profiles[target]
    where: int | None = None
    boo: str | None = None
    if on < ON_LEFT_ON_READ:
        kind = RED_FLAG if on == ON_RED_FLAG else BAGGAGE
        where = profile.free
        state.profiles[target] = profile.put(where, kind + 1)
    elif on < ON_GHOSTED:
        kind = LEFT_ON_READ
        where = on - ON_LEFT_ON_READ
        state.profiles[target] = profile.put(where, profile.codes[where] | READ)
    else:
        kind = GHOSTED
        state.ghosted[target] = state.matches[target][on - ON_GHOSTED]
        state.was_ghosted |= 1 << target
        boo = state.cards.boo_ids[state.ghosted[target]]
    _leave(state, seat, kind)
    if log is not None:
        card = DEALBREAKERS[kind - RED_FLAG]
        log.append(Fact(DealbreakerPlayed(seat=seat, card=card, target=target, space=where, boo=boo)))
    return _after_play(state, seat, log)


def _emptiable(state: State, seat: int) -> tuple[int, ...]:
    """[LD-30, LD-45] The spaces that may be chosen now."""
    return _EMPTIES[state.among]


def _empty(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-18] Before the play; [LD-30] after Lots of Hobbies is gone; [LD-45] after a match."""
    space = action - DO_EMPTY
    gone = state.profiles[seat].codes[space]
    _clear(state, seat, space, log)
    if state.phase == PLAY:
        if state.emptied == 2:
            state.emptied = 3
        elif gone == HOBBIES + 1:
            state.emptied = 2
            state.to_empty = MOST_SPACES - state.profiles[seat].codes.count(0) - SPACES
            state.among = state.profiles[seat].emptiable
            return _empty_more(state, seat, OVERFLOW, log)
        else:
            state.emptied = 1
        _ask(state, PLAY)
        return False
    state.to_empty -= 1
    state.among &= ~(1 << space)
    return _empty_more(state, seat, state.phase, log)


def _clear(state: State, seat: int, space: int, log: Log | None) -> None:
    """[LD-18, LD-26] All cards of a space go to the discard pile."""
    profile = state.profiles[seat]
    cards = cards_of(profile.codes[space])
    state.discard += cards
    state.profiles[seat] = profile.put(space, 0)
    if log is not None:
        log.append(Fact(Emptied(seat=seat, space=space, cards=tuple(CARDS[kind] for kind in cards))))


def _empty_more(state: State, seat: int, phase: int, log: Log | None) -> bool:
    """Spaces that must all go are emptied without asking; then the turn goes on."""
    among = state.among
    if state.to_empty >= among.bit_count():
        for space in SPACES_IN[among]:
            _clear(state, seat, space, log)
        state.to_empty = 0
    if state.to_empty > 0:
        _ask(state, phase)
        return False
    state.to_empty = state.among = 0
    _move_up(state, seat, log)
    if phase == OVERFLOW:
        _ask(state, PLAY)
        return False
    return _end_turn(state, seat, log)


def _move_up(state: State, seat: int, log: Log | None) -> None:
    """[LD-30] Without Lots of Hobbies there are five spaces: what lies beyond moves to the first empty ones."""
    profile = state.profiles[seat]
    if profile.spaces > SPACES:
        return
    for space in range(SPACES, MOST_SPACES):
        if profile.codes[space]:
            to = profile.codes.index(0)
            profile = profile.put(space, 0).put(to, profile.codes[space])
            if log is not None:
                log.append(Fact(MovedUp(seat=seat, space=space, to=to)))
    state.profiles[seat] = profile


# Make a Move


def _moves(state: State, seat: int) -> tuple[int, ...] | list[int]:
    """[LD-11] One Make a Move card that can act now, or pass."""
    hand = state.hands[seat]
    if not hand or hand[-1] < SWIPE_RIGHT:
        return _PASS
    legal = [DO_PASS]
    if SWIPE_RIGHT in hand:
        legal.append(DO_SWIPE_RIGHT)
    if SPEED_DATING in hand and len(hand) > 1:
        legal.append(DO_SPEED_DATING)
    if PLENTY_OF_FISH in hand:
        legal.append(DO_PLENTY_OF_FISH)
    if OLD_FLAME in hand:
        lying = set(state.discard)
        legal += [DO_OLD_FLAME + trait for trait in range(len(TRAITS)) if trait in lying]
    if LOVE_TRIANGLE in hand and state.profiles[seat].swappable and _takeable(state, seat):
        legal.append(DO_LOVE_TRIANGLE)
    if PICK_UP_LINE in hand:
        for target, theirs in enumerate(state.hands):
            if theirs and target != seat:
                legal.append(DO_TARGET + TARGET_BLOCK * target + ON_PICK_UP_LINE)
    return legal


def _move_done(state: State, seat: int, kind: int) -> None:
    """[LD-11] After its effect the card joins the discard pile; step 4 follows."""
    state.discard.append(kind)
    _ask(state, PLAY)


def _play_move(state: State, seat: int, kind: int, log: Log | None) -> None:
    _leave(state, seat, kind)
    if log is not None:
        log.append(Fact(MadeAMove(seat=seat, card=CARDS[kind])))  # type: ignore[arg-type]


def _swipe_right(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-36] Draw two."""
    _play_move(state, seat, SWIPE_RIGHT, log)
    learnt = _draw(state, seat, state.cards.swipe_right_draws, log)
    _move_done(state, seat, SWIPE_RIGHT)
    return learnt


def _speed_dating(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-37] Discard your whole hand, draw as many."""
    _play_move(state, seat, SPEED_DATING, log)
    hand = state.hands[seat][:]
    for kind in hand:
        _leave(state, seat, kind)
    state.discard += hand
    if log is not None:
        log.append(Fact(Discarded(seat=seat, cards=tuple(CARDS[kind] for kind in hand))))
    learnt = _draw(state, seat, len(hand), log)
    _move_done(state, seat, SPEED_DATING)
    return learnt


def _plenty_of_fish(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-38] Face-up Boos go under the pool in random order; turn up as many."""
    _play_move(state, seat, PLENTY_OF_FISH, log)
    back = state.face_up
    if log is not None:
        log.append(Fact(BoosReturned(boos=tuple(state.cards.boo_ids[boo] for boo in back))))
    count = len(back)
    shuffle(state, back)
    state.pool[:0] = back
    state.groups += (count,) if count else ()
    state.face_up = []
    _turn_up(state, count, log)
    _move_done(state, seat, PLENTY_OF_FISH)
    return count > 0


def _turn_up(state: State, count: int, log: Log | None) -> None:
    """[LD-44] Boos from the top of the pool, as many as there are."""
    turned = state.pool[: -count - 1 : -1]
    del state.pool[len(state.pool) - len(turned) :]
    state.face_up += turned
    groups, left = state.groups, len(turned)
    while groups and groups[0] <= left:
        left -= groups[0]
        groups = groups[1:]
    state.groups = (groups[0] - left, *groups[1:]) if left else groups
    if log is not None:
        log.append(Fact(BoosTurnedUp(boos=tuple(state.cards.boo_ids[boo] for boo in turned))))


def _pick_up_line(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-39] A random card of the target's hand; the two see which, nobody else does. [CM-7a]"""
    target = (action - DO_TARGET) // TARGET_BLOCK
    _play_move(state, seat, PICK_UP_LINE, log)
    theirs = state.hands[target]
    size = len(theirs)
    kind = theirs.pop(below(state, size))
    insort(state.hands[seat], kind)
    picked_up(state.known, seat, target, kind, size)
    if log is not None:
        seen = PickedUp(seat=seat, target=target, card=CARDS[kind])
        log.append(Fact(PickedUp(seat=seat, target=target), ((seat, seen), (target, seen))))
    _move_done(state, seat, PICK_UP_LINE)
    return True


def _old_flame(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-40] One Trait card of your choice from the discard pile, openly: all know it is in your hand. [CM-7a]"""
    trait = action - DO_OLD_FLAME
    _play_move(state, seat, OLD_FLAME, log)
    discard = state.discard
    del discard[len(discard) - 1 - discard[::-1].index(trait)]
    insort(state.hands[seat], trait)
    others = tuple([viewer for viewer in (*range(state.seats), PUBLIC) if viewer != seat])
    state.known[trait] = learnt(state.known[trait], others, seat)
    if log is not None:
        log.append(Fact(TookOldFlame(seat=seat, card=TRAITS[trait])))
    _move_done(state, seat, OLD_FLAME)
    return False


def _love_triangle(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-41] Swap an unpaired, uncovered Trait with an opponent's; which, is asked now."""
    _play_move(state, seat, LOVE_TRIANGLE, log)
    _ask(state, SWAP_GIVE)
    return False


def _givable(state: State, seat: int) -> tuple[int, ...]:
    """[LD-41] Your own unpaired, uncovered Traits."""
    return _GIVES[state.profiles[seat].swappable]


def _give(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-41] The Trait that goes."""
    state.giving = action - DO_GIVE
    _ask(state, SWAP_TAKE)
    return False


def _takeable(state: State, seat: int) -> list[int]:
    """[LD-41] The opponents' unpaired, uncovered Traits."""
    legal: list[int] = []
    for target, profile in enumerate(state.profiles):
        if target != seat:
            legal += _TAKES[target][profile.swappable]
    return legal


def _take(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-41] The two Traits take each other's places."""
    target, on = divmod(action - DO_TARGET, TARGET_BLOCK)
    here, there = state.giving, on - ON_TAKE
    mine, theirs = state.profiles[seat], state.profiles[target]
    state.profiles[seat] = mine.put(here, theirs.codes[there])
    state.profiles[target] = theirs.put(there, mine.codes[here])
    state.giving = -1
    if log is not None:
        gave, took = CARDS[mine.codes[here] - 1], CARDS[theirs.codes[there] - 1]
        swap = Swapped(seat=seat, space=here, card=gave, target=target, their_space=there, their_card=took)
        log.append(Fact(swap))
    _move_done(state, seat, LOVE_TRIANGLE)
    return False


# Matching


def matchable(state: State, seat: int) -> tuple[int, ...]:
    """[LD-42, LD-46] Pass, and each face-up Boo with each minimal set of Boosts that meets its wanted traits.

    [LD-21] A Wild stands for any of them, anew each time.

    [LD-27] A Catfish borrows from the left or the right. [LD-33] With Emotional Baggage: 4 Hearts or fewer.
    """
    cards = state.cards
    profile = state.profiles[seat]
    near = cards.near(profile.means)
    if near.isdisjoint(state.face_up):
        return _PASS
    boosts, wilds = profile.boosts, profile.wilds
    lends = lends_two = 0
    if boosts & USED_CATFISH:
        left, right = state.profiles[(seat + 1) % state.seats], state.profiles[seat - 1]
        lends, lends_two = left.lends | right.lends, left.doubled | right.doubled
    lacks, doubled = ~profile.have, profile.doubled
    baggage = profile.baggage
    legal = [DO_PASS]
    for place, boo in enumerate(state.face_up):
        if boo in near and not (baggage and cards.hearts[boo] > cards.baggage_hearts):
            at = DO_MATCH + BOOST_SETS * place
            missing = cards.wants[boo] & lacks
            if missing.bit_count() <= wilds:
                legal.append(at)
            else:
                sets = boost_sets(missing, wilds, boosts, doubled, missing & lends, missing & lends_two)
                legal += [at + used for used in sets]
    return tuple(legal)


def _chosen(state: State, seat: int) -> tuple[int, ...]:
    return state.matchable


def _match(state: State, seat: int, action: int, log: Log | None) -> bool:
    """[LD-43, LD-44] Take the Boo and turn up two more; [LD-47] a third match ends the game before that.

    [LD-31, LD-45] Then two spaces are emptied, among them those of the Boosts used; with three or more used, two of
    those.
    """
    place, used = divmod(action - DO_MATCH, BOOST_SETS)
    boo = state.face_up.pop(place)
    state.matches[seat] += (boo,)
    state.matchable = ()
    if log is not None:
        log.append(Fact(Matched(seat=seat, boo=state.cards.boo_ids[boo], boosts=boosts_of(used))))
    if len(state.matches[seat]) - (state.ghosted[seat] >= 0) == MATCHES_TO_END:
        _score(state, seat, log)
        return True
    learnt = bool(state.pool)
    _turn_up(state, TURNED_UP, log)
    state.to_empty, state.among = EMPTIED, state.profiles[seat].emptiable
    spaces = [space for space, code in enumerate(state.profiles[seat].codes) if BOOST_IN[code] & used]
    if len(spaces) > EMPTIED:
        state.among = sum(1 << space for space in spaces)
    else:
        for space in spaces:
            _clear(state, seat, space, log)
            state.among &= ~(1 << space)
        state.to_empty -= len(spaces)
    return _empty_more(state, seat, EMPTY, log) or learnt


# End and score


def _score(state: State, seat: int, log: Log | None) -> None:
    """[LD-48] Hearts of un-Ghosted matches and the Endgame card, revealed from the ending player round the table.

    The most Hearts win, ties share (CM-9); a forfeited seat cannot win (CM-12).
    """
    cards = state.cards
    scores = [0] * state.seats
    for step in range(state.seats):
        each = (seat + step) % state.seats
        card = cards.endgames[state.endgame[each]]
        bonus = endgame_hearts(state, each, card)
        scores[each] = bonus + sum(cards.hearts[boo] for boo in state.matches[each] if boo != state.ghosted[each])
        if log is not None:
            log.append(Fact(Revealed(seat=each, endgame=card.id, hearts=bonus)))
    in_it = [each for each in range(state.seats) if not state.forfeited >> each & 1]
    best = max(scores[each] for each in in_it)
    winners = tuple(each for each in in_it if scores[each] == best)
    _end(state, Outcome(winners, tuple(scores), "three_matches", "A third match ends it: the most Hearts win."), log)


def endgame_hearts(state: State, seat: int, card: Endgame) -> int:
    """[LD-48] What an Endgame card adds or takes; Ghosted matches do not count, all four Dealbreakers do."""
    boos = [state.cards.boos[boo] for boo in state.matches[seat] if boo != state.ghosted[seat]]
    worth = [boo.hearts for boo in boos]
    if card.rule == "trait":
        each, none = card.numbers
        wanting = sum(card.trait in boo.wants for boo in boos)
        return each * wanting if wanting else none
    if card.rule == "worth":
        least, most, hearts = card.numbers
        return hearts if any(least <= each <= most for each in worth) else 0
    if card.rule == "different":
        matches, hearts = card.numbers
        return hearts if len(worth) >= matches and len(set(worth)) == len(worth) else 0
    if card.rule == "few":
        matches, hearts, more = card.numbers
        return hearts if len(worth) <= matches else more
    (each,) = card.numbers
    held = state.profiles[seat].held
    return each * ((held & _REMOVABLE).bit_count() + (state.ghosted[seat] >= 0))


def _end(state: State, outcome: Outcome, log: Log | None) -> None:
    state.outcome = outcome
    state.pending = ()
    if log is not None:
        log.append(Fact(Ended(winners=outcome.winners, scores=outcome.scores, reason=outcome.reason)))


def outcome(state: State) -> Outcome | None:
    """[LD-47] How the match ended."""
    return state.outcome


def default_action(state: State, seat: int) -> int:
    """[CM-11] Pass where that is legal, else the lowest number."""
    legal = legal_actions(state, seat)
    return DO_PASS if DO_PASS in legal else legal[0]


def forfeit(state: State, seat: int, log: Log | None) -> None:
    """[CM-12] The seat cannot win any more; the last seat that has not forfeited wins at once."""
    if state.outcome is not None or state.forfeited >> seat & 1:
        return
    state.forfeited |= 1 << seat
    if log is not None:
        log.append(Fact(Forfeited(seat=seat)))
    left = [each for each in range(state.seats) if not state.forfeited >> each & 1]
    if len(left) == 1:
        _end(state, Outcome((left[0],), None, "forfeit", "Every other seat has forfeited."), log)


Listing = Callable[[State, int], "tuple[int, ...] | list[int]"]
Verb = Callable[[State, int, int, "Log | None"], bool]

_LEGAL: tuple[Listing, ...] = (
    _discardable,
    _moves,
    _givable,
    _takeable,
    _playable,
    _emptiable,
    _chosen,
    _emptiable,
    _discardable,
)  # in the order of KINDS

_VERBS: tuple[Verb, ...] = (
    *(_discard,) * len(CARDS),
    _pass,
    _swipe_right,
    _speed_dating,
    _plenty_of_fish,
    *(_old_flame,) * len(TRAITS),
    _love_triangle,
    *(_give,) * MOST_SPACES,
    *(_play,) * (HOBBIES + 1),
    *(_pair,) * len(PAIR_BOOSTS) * MOST_SPACES,
    *(_remove,) * len(DEALBREAKERS),
    *(_empty,) * MOST_SPACES,
    *(_match,) * (DO_TARGET - DO_MATCH),
    *(*(_attack,) * ON_PICK_UP_LINE, _pick_up_line, *(_take,) * MOST_SPACES) * SEATS[-1],
)
