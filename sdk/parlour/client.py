"""The client: a server's catalogue and lobby, and from there the host, the seats and the spectators of a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from types import TracebackType
from typing import Any, Literal, TypeAlias

from . import operations as ops
from .errors import NotReady, UnexpectedAnswer
from .models import (
    Acted,
    BotInfo,
    ClockRule,
    Decision,
    Delivery,
    Event,
    GameDetail,
    GameInfo,
    LegalAction,
    Match,
    MatchFinished,
    Message,
    NewWebhook,
    Observation,
    Raw,
    Replay,
    ReplayView,
    Ticket,
    Webhook,
    decode,
    read_acted,
    read_events,
    read_observation,
    read_replay_view,
)
from .retry import Operation, Patience
from .transport import Transport, sendable

MAX_WAIT_S = 55.0
"""The longest that the server holds a long poll back."""
PAGE = 100
EVENTS_PAGE = 500

SeatKind: TypeAlias = Literal["open", "mine", "bot"]
Action: TypeAlias = Any
"""An action: one of ``decision.legal_actions``, a game's typed action, or an action's number."""


@dataclass(frozen=True, slots=True)
class NewSeat:
    """A seat of a match to create: ``open`` to others, ``mine`` (you get its token), or a house ``bot``'s.

    ``bot`` is a bot's id; without it the game's strongest sits down.
    """

    kind: SeatKind
    name: str | None = None
    bot: str | None = None


class Client:
    """A parlour server. One client may be shared by threads: it keeps nothing but its connections.

    ``timeout`` is for each request until its answer is whole, in seconds (a long poll adds its wait). ``retries`` is
    how often a request is sent again where that is safe and can help, after a lost or broken connection, 429, 502, 503
    and 504: reading, acting, and what creates (a match, a seat, a message, a webhook), since it carries an
    Idempotency-Key; the rest only if nothing can have happened. A pause that the server asks for is waited out if it is
    a minute or less; else the error is raised, with ``retry_after_s``. ``token`` goes with every call that has none of
    its own: a partner's API key, for one.

    Raises ValueError for an address or a timeout that is none, and for a token that no server reads. Every method
    raises ``ConnectionFailed``, ``UnexpectedAnswer`` or a class of ``ApiError``, see ``parlour.errors``; and
    ValueError, before anything is sent, for what JSON cannot say.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        token: str | None = None,
        timeout: float = 20.0,
        retries: int = 5,
    ) -> None:
        self._transport = Transport(url, token=token, timeout=timeout, retries=retries)

    @property
    def url(self) -> str:
        """The server's address."""
        return self._transport.url

    def close(self) -> None:
        """Close its connections; also at the end of a ``with``."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # The catalogue

    def games(self) -> tuple[GameInfo, ...]:
        """Every game that can be played."""
        return tuple(decode(GameInfo, row) for row in pages(self._transport, ops.LIST_GAMES, {"limit": PAGE}))

    def game(self, game: str, deck: str | None = None) -> GameDetail:
        """One game with its cards, action space and rules. Raises GameNotFound.

        ``deck`` is a match's ``options["deck"]``, to tell its cards; None is the deck of a match that names none.
        """
        query = {} if deck is None else {"deck": deck}
        return decode(GameDetail, self._transport.send(ops.GET_GAME, path={"game": game}, query=query).body)

    def bots(self) -> tuple[BotInfo, ...]:
        """Every house bot, with its game and how long it thinks."""
        return tuple(decode(BotInfo, row) for row in pages(self._transport, ops.LIST_BOTS, {"limit": PAGE}))

    # Matches

    def create(
        self,
        game: str,
        seats: Sequence[NewSeat | SeatKind],
        *,
        options: Any = None,
        clock: ClockRule | None = None,
        visibility: Literal["public", "private"] = "public",
        start: Literal["auto", "manual"] = "auto",
        entropy: Literal["optional", "awaited"] = "optional",
        seed: int | str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Created:
        """Create a match. It starts by itself once every seat is taken, unless ``start`` is ``manual``.

        ``entropy``: ``awaited`` holds the start until every human seat has called ``give_entropy``.
        ``options``: a mapping, or the game's own ``Options``. ``seed``: a whole number or hex digits, for a match that
        can be played again card for card; whoever knows it knows all cards. ``metadata``: up to 20
        short texts of yours, if the client's token is an API key; shown to that key only. Raises GameNotFound,
        ValidationError.
        """
        body: dict[str, Any] = {
            "game": game,
            "seats": [_seat_body(seat) for seat in seats],
            "options": _plain(options or {}),
            "visibility": visibility,
            "start": start,
            "entropy": entropy,
        }
        if clock is not None:
            body["clock"] = {name: value for name, value in _without_none(clock).items() if value}  # 0 is none, too
        if seed is not None:
            body["seed"] = seed_hex(seed)
        if metadata is not None:
            body["metadata"] = dict(metadata)
        raw = self._transport.send(ops.CREATE_MATCH, body=body).body
        answer = decode(_CreatedAnswer, raw)
        match = answer.match
        return Created(
            match=match,
            host=Host(self._transport, match.id, answer.host_token),
            seats={
                entry.seat: Seat(self._transport, match.id, entry.token, entry.seat) for entry in answer.seat_tokens
            },
            join_code=answer.join_code,
        )

    def matches(
        self, *, game: str | None = None, status: str | None = None, has_open_seat: bool | None = None
    ) -> Iterator[Match]:
        """The lobby: public matches, newest first, page by page as you iterate."""
        query: dict[str, Any] = {"game": game, "status": status, "limit": PAGE}
        if has_open_seat is not None:
            query["has_open_seat"] = "true" if has_open_seat else "false"
        for row in pages(self._transport, ops.LIST_MATCHES, query):
            yield decode(Match, row)

    def match(self, match_id: str) -> Match:
        """A match as anyone may see it. Raises MatchNotFound."""
        return decode(Match, self._transport.send(ops.GET_MATCH, path={"match_id": match_id}).body)

    def join(
        self, match_id: str, *, seat: int | None = None, name: str | None = None, join_code: str | None = None
    ) -> Seat:
        """Take an open seat, that one or the first; a private match wants its ``join_code``.

        A host that sits at its own match takes ``Host.join``. Raises NoOpenSeat, SeatTaken, MatchStarted,
        MatchNotFound.
        """
        body = _join_body(seat, name, join_code)
        raw = self._transport.send(ops.JOIN_MATCH, path={"match_id": match_id}, body=body).body
        joined = decode(_SeatToken, raw)
        return Seat(self._transport, match_id, joined.token, joined.seat)

    # Without a request

    def seat(self, match_id: str, token: str) -> Seat:
        """A seat whose token you have kept; sends nothing yet. Raises ValueError for what is no seat's token."""
        return Seat(self._transport, match_id, sendable(token), _seat_of(token))

    def host(self, match_id: str, token: str | None = None) -> Host:
        """The host of a match, by the token that creating it gave; sends nothing yet.

        Without it, with the client's own: the API key that created a match may cancel it. Raises ValueError without
        either, and for what no server reads.
        """
        token = token or self._transport.token
        if token is None:
            raise ValueError("neither the host's token nor a client's token is there")
        return Host(self._transport, match_id, sendable(token))

    def spectator(self, match_id: str) -> Viewer:
        """An onlooker of a public match; sends nothing yet."""
        return Viewer(self._transport, match_id, None)

    # For partners, with an API key as the client's token

    def create_webhook(self, url: str, events: Sequence[str] | None = None, *, description: str = "") -> NewWebhook:
        """Have events of the matches that this key creates sent to ``url``, from now on; all types unless named.

        Keep its ``secret``: it verifies what arrives and is not shown again. Raises UrlRefused, TooManyWebhooks.
        """
        body: dict[str, Any] = {"url": url, "description": description}
        if events is not None:
            body["events"] = list(events)
        return decode(NewWebhook, self._transport.send(ops.CREATE_WEBHOOK, body=body).body)

    def webhooks(self) -> Iterator[Webhook]:
        """This key's webhooks, newest first."""
        for row in pages(self._transport, ops.LIST_WEBHOOKS, {"limit": PAGE}):
            yield decode(Webhook, row)

    def webhook(self, webhook_id: str) -> Webhook:
        """One of them. Raises WebhookNotFound."""
        return decode(Webhook, self._transport.send(ops.GET_WEBHOOK, path={"webhook_id": webhook_id}).body)

    def delete_webhook(self, webhook_id: str) -> None:
        """Forget a webhook and its deliveries; nothing is sent to it any more. Raises WebhookNotFound."""
        self._transport.send(ops.DELETE_WEBHOOK, path={"webhook_id": webhook_id})

    def deliveries(self, webhook_id: str) -> Iterator[Delivery]:
        """What a webhook was sent and is to be sent, newest first, with every attempt. Raises WebhookNotFound."""
        path = {"webhook_id": webhook_id}
        for row in pages(self._transport, ops.LIST_DELIVERIES, {"limit": PAGE}, path=path):
            yield decode(Delivery, row)

    def resend(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Send a delivery again, with the same id and body. Raises WebhookNotFound, DeliveryNotFound."""
        path = {"webhook_id": webhook_id, "delivery_id": delivery_id}
        return decode(Delivery, self._transport.send(ops.RESEND_DELIVERY, path=path).body)

    # The service

    def is_up(self) -> bool:
        """Whether the server's process answers. Raises ConnectionFailed when nothing does, UnexpectedAnswer when
        something else does."""
        return decode(_Health, self._transport.send(ops.HEALTHZ).body).status == "up"

    def is_ready(self) -> bool:
        """Whether matches can be played now: Redis, the queue and a worker are there. Raises what ``is_up`` raises."""
        try:
            return decode(_Health, self._transport.send(ops.READYZ).body).status == "ready"
        except NotReady:
            return False

    def error_page(self, code: str) -> str:
        """What an error code means and what to do about it, as HTML. Raises ErrorNotFound."""
        return str(self._transport.send(ops.ERROR_PAGE, path={"code": code}).body)


def pages(
    transport: Transport, operation: Operation, query: Mapping[str, Any] | None = None, **parts: Any
) -> Iterator[Any]:
    """Every item of a list, page by page."""
    cursor: str | None = None
    while True:
        page = transport.send(operation, query={**(query or {}), "cursor": cursor}, **parts).body
        if not isinstance(page, dict) or not isinstance(page.get("items"), list):
            raise UnexpectedAnswer(f"{operation.path} answers with no list of items")
        yield from page["items"]
        cursor = page.get("next_cursor")
        if cursor is None:
            return


class Viewer:
    """A match as one viewer sees it: a spectator here; a seat and the host are viewers too."""

    def __init__(self, transport: Transport, match_id: str, token: str | None) -> None:
        self._transport = transport
        self.match_id = match_id
        self.token = token

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.match_id!r})"  # never the token: it is a secret

    def match(self) -> Match:
        """The match as anyone may see it; this viewer's token opens a private one."""
        return decode(Match, self._send(ops.GET_MATCH).body)

    def observe(self) -> Observation[Any]:
        """All that this viewer may know now."""
        return read_observation(self._send(ops.GET_OBSERVATION).body)

    def wait(self, after: int, wait_s: float = 30.0) -> Observation[Any] | None:
        """A long poll: the observation as soon as its version is another than ``after``.

        None if nothing changed within ``wait_s`` (at most 55). Raises TooManyWaiters.
        """
        wait_s = max(0.0, min(wait_s, MAX_WAIT_S))
        answer = self._send(ops.GET_OBSERVATION, query={"after": after, "wait": f"{wait_s:g}"}, wait_s=wait_s)
        return None if answer.status == 204 else read_observation(answer.body)

    def events(self, after: int = 0, *, game: str | None = None) -> Iterator[Event]:
        """What this viewer saw happen so far, in order, page by page; ``after`` is the ``seq`` of the last one known.

        ``game`` spares a request: without it the match is asked which game's events they are.
        """
        more = True
        while more:
            body = self._send(ops.LIST_EVENTS, query={"after": after, "limit": EVENTS_PAGE}).body
            rows = body.get("items") if isinstance(body, dict) else None
            if rows == []:
                return
            if game is None:
                game = self.match().game
            page = read_events(game, rows)
            yield from page
            after = page[-1].seq
            more = len(page) == EVENTS_PAGE

    def stream(self, after: int = 0, *, game: str | None = None, patience_s: float = 120.0) -> Iterator[Event]:
        """What this viewer sees happen, as it happens, until the match is over.

        A connection that breaks is made again where it left off: every event comes, once, in order. It never ends
        early without a word: when the server cannot be reached for ``patience_s``, it raises ConnectionFailed,
        Unavailable, RateLimited or UnexpectedAnswer; until then restarts and a 429 are waited out, as ``play`` does.
        """
        game = game or Patience(patience_s)(self.match).game
        path = {"match_id": self.match_id}
        for _, data in self._transport.stream(
            ops.LIST_EVENTS, path=path, token=self.token, last=after, patience_s=patience_s
        ):
            (event,) = read_events(game, [data])
            yield event
            if isinstance(event.event, MatchFinished):
                return

    def stream_ticket(self) -> Ticket:
        """A ticket for a browser's EventSource, which can send no token: ``.../events?ticket=``, once."""
        return decode(Ticket, self._send(ops.CREATE_STREAM_TICKET).body)

    def messages(self) -> Iterator[Message]:
        """What this viewer has heard at the table, oldest first."""
        path = {"match_id": self.match_id}
        for row in pages(self._transport, ops.LIST_MESSAGES, {"limit": PAGE}, path=path, token=self.token):
            yield decode(Message, row)

    def replay(self) -> Replay:
        """After the end: seeds, seats and every action. ``parlour.verify`` checks it. Raises MatchRunning."""
        return decode(Replay, self._send(ops.GET_REPLAY).body)

    def replay_view(self, version: int, seat: int | None = None) -> ReplayView[Any]:
        """After the end: what a seat (None: a spectator) saw at a version. Raises MatchRunning, RulesVersionGone."""
        query = {"version": version, "seat": seat}
        return read_replay_view(self._send(ops.GET_REPLAY, query=query).body)

    def _send(self, operation: Operation, **parts: Any) -> Any:
        path = {"match_id": self.match_id, **parts.pop("path", {})}
        return self._transport.send(operation, path=path, token=self.token, **parts)


class Seat(Viewer):
    """A seat that you hold. Keep ``match_id`` and ``token`` to take it up again with ``Client.seat``."""

    token: str

    def __init__(self, transport: Transport, match_id: str, token: str, number: int) -> None:
        super().__init__(transport, match_id, token)
        self.number = number

    def __repr__(self) -> str:
        return f"Seat({self.match_id!r}, {self.number})"

    def act(self, action: Action | Sequence[Action], *, decision: Decision | str) -> Acted:
        """Answer the decision that the seat owes, with one action, or with a list of them for it and its follow-ups.

        A list is applied in order, all or none up to the first new information; ``applied`` says how many were. Sent
        again by itself when the answer is lost: it never happens twice. Raises StaleDecision, NotYourTurn, MatchOver
        or IllegalAction, each with the fresh ``observation``; MatchOpen before the start.
        """
        actions = action if isinstance(action, (list, tuple)) else [action]
        body = {
            "decision": decision if isinstance(decision, str) else decision.id,
            "actions": [_action_body(one) for one in actions],
        }
        return read_acted(self._send(ops.ACT, body=body).body)

    def say(self, text: str, to: Sequence[int] | None = None) -> Message:
        """Say something to the table, or whisper it to those seats. Raises MatchOver, RateLimited."""
        body = {"text": text} if to is None else {"text": text, "to": list(to)}
        return decode(Message, self._send(ops.CREATE_MESSAGE, body=body).body)

    def give_entropy(self, entropy: str) -> Match:
        """Before the start: take part in the shuffle with 32 to 64 random hex digits (``secrets.token_hex(16)``).

        Keep them, and the match's ``commitment``: with both, ``parlour.verify`` proves after the end that nobody chose
        the cards. Sent again it replaces what was sent before. Raises SeedGiven, MatchStarted.
        """
        return decode(Match, self._send(ops.GIVE_ENTROPY, body={"entropy": entropy}).body)

    def leave(self) -> Match:
        """Before the start: free the seat, and its token ends with it. In play: a house bot plays it at once.

        Raises MatchOver.
        """
        return decode(Match, self._send(ops.LEAVE_MATCH).body)

    def take_over(self) -> Match:
        """Have a house bot play the seat, until ``take_back`` or the next valid act. Raises MatchOpen, MatchOver."""
        return decode(Match, self._send(ops.TAKE_OVER_SEAT, path={"seat": self.number}).body)

    def take_back(self) -> Match:
        """Take the seat back from the house bot. Raises MatchOpen, MatchOver."""
        return decode(Match, self._send(ops.RETURN_TO_SEAT, path={"seat": self.number}).body)


class Host(Viewer):
    """The host of a match: fills and frees seats, starts it, ends it; observes as a spectator does."""

    token: str

    def fill(
        self, seat: int, kind: Literal["open", "bot"] = "bot", *, bot: str | None = None, name: str | None = None
    ) -> Match:
        """Before the start: give a seat to a house bot, or open it again. Raises MatchStarted."""
        body = _seat_body(NewSeat(kind, name, bot))
        return decode(Match, self._send(ops.FILL_SEAT, path={"seat": seat}, body=body).body)

    def start(self) -> Match:
        """Start a match whose seats are all taken. Raises SeatsOpen, MatchStarted."""
        return decode(Match, self._send(ops.START_MATCH).body)

    def join(self, *, seat: int | None = None, name: str | None = None, join_code: str | None = None) -> Seat:
        """Take an open seat yourself: one of yours, as a seat of kind mine is. Raises what ``Client.join`` raises."""
        joined = decode(_SeatToken, self._send(ops.JOIN_MATCH, body=_join_body(seat, name, join_code)).body)
        return Seat(self._transport, self.match_id, joined.token, joined.seat)

    def take_over(self, seat: int) -> Match:
        """Have a house bot play a seat whose player has left or let its time pass. Raises HostIsPlayer, MatchOver."""
        return decode(Match, self._send(ops.TAKE_OVER_SEAT, path={"seat": seat}).body)

    def cancel(self) -> Match:
        """End the match; in play only if you hold no seat of it, or no other human plays. Raises HostIsPlayer."""
        return decode(Match, self._send(ops.CANCEL_MATCH).body)


@dataclass(frozen=True, slots=True)
class Created:
    """A new match, its host, and those seats that are yours.

    ``seats`` is a mapping by seat number: ``seats[2]`` is seat 2, iterating gives the numbers, ``seats.values()`` the
    seats themselves.
    """

    match: Match
    host: Host
    seats: Mapping[int, Seat]
    join_code: str | None = field(default=None, repr=False)
    """What others need to join, if it is private."""


@dataclass(frozen=True, slots=True)
class _Health:
    status: str


@dataclass(frozen=True, slots=True)
class _SeatToken:
    seat: int
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _CreatedAnswer:
    match: Match
    host_token: str = field(repr=False)
    seat_tokens: tuple[_SeatToken, ...] = field(repr=False)
    join_code: str | None = field(default=None, repr=False)


def _join_body(seat: int | None, name: str | None, join_code: str | None) -> dict[str, Any]:
    asked = {"seat": seat, "name": name, "join_code": join_code}
    return {key: value for key, value in asked.items() if value is not None}


def seed_hex(seed: int | str) -> str:
    """A seed as the API takes it: a whole number becomes 16 bytes in hex (32 if it needs them), hex stays."""
    if isinstance(seed, str):
        return seed.lower()
    if not 0 <= seed < 1 << 256:
        raise ValueError("a seed is a whole number from 0 to 2**256 - 1, or hex digits")
    return seed.to_bytes(16 if seed < 1 << 128 else 32, "big").hex()


def _plain(value: Any) -> dict[str, Any]:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else dict(value)


def _without_none(value: Any) -> dict[str, Any]:
    return {name: part for name, part in _plain(value).items() if part is not None}


def _seat_body(seat: NewSeat | str) -> dict[str, Any]:
    return {"kind": seat} if isinstance(seat, str) else _without_none(seat)


def _action_body(action: Any) -> dict[str, Any]:
    if isinstance(action, LegalAction):
        return {"id": action.id}
    if isinstance(action, int) and not isinstance(action, bool):
        return {"id": action}
    if isinstance(action, Raw):
        return dict(action.fields)
    if isinstance(action, Mapping) or (is_dataclass(action) and not isinstance(action, type)):
        return _plain(action)
    raise TypeError(f"an action is a legal action, a game's typed action or an action's number, not {action!r}")


def _seat_of(token: str) -> int:
    who, _, rest = token.partition("_")
    number = rest.partition("_")[0]
    if who != "seat" or not (number.isascii() and number.isdigit()):
        raise ValueError("a seat token begins with seat_ and the seat's number")
    return int(number)
