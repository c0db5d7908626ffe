"""For each operation a request that goes well, and for each error code what makes it go wrong that way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from parlour_api import matches, store, webhooks
from parlour_api.errors import WebhookNotFound
from parlour_api.rates import QUOTAS
from parlour_api.sources import Ids
from parlour_api.store import keys
from parlour_api.v1 import lean
from werkzeug.test import TestResponse

from tests.api.conftest import Api, CountedIds, fresh_api, make_api
from tests.api.test_api_keys import ACME, KEYS

NO_MATCH = "mat_0aaaaaaaaaaaaaaaa"
NO_WEBHOOK = "whk_0aaaaaaaaaaaaaaaa"
NO_DELIVERY = "dlv_" + "a" * 24

TWO = [{"kind": "mine"}, {"kind": "mine"}]
HOOK = {"url": "https://partner.example/parlour", "events": ["match.started", "match.turn", "match.finished"]}
PUBLIC = "93.184.216.34"
"""Where every name leads, so that no test asks a name server."""

Made = dict[str, Any]


@dataclass(frozen=True)
class Ask:
    """A request as a client sends it."""

    method: str
    path: str
    body: Any = None
    token: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def of(self, api: Api, **raw: Any) -> TestResponse:
        """Send it to an app; ``raw`` goes before what it says."""
        token = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return api.client.open(
            self.path, **{"method": self.method, "headers": {**token, **self.headers}, "json": self.body, **raw}
        )


def open_match(api: Api) -> Made:
    """A match whose seat 0 is taken and whose seat 1 is open."""
    return api.create("mo")


def full_match(api: Api) -> Made:
    """A match whose seats are all taken and that its host is to start."""
    return api.create("mm", start="manual")


def playing(api: Api) -> Made:
    """A match in play, seat 0 owing the first decision."""
    return api.create("mm")


def over(api: Api) -> Made:
    """A match that its host has cancelled in play."""
    made = api.create("mm")
    assert api.post(f"/v1/matches/{made['id']}/cancel", None, made["host_token"]).status_code == 200
    return made


def partner(api: Api) -> Made:
    """A webhook of a partner that is owed deliveries, since a match of that partner has begun."""
    for old in api.get("/v1/webhooks", ACME).json["items"]:
        api.service.webhooks.delete("acme", old["id"])  # a partner may have but a few
    seats = {"game": "valente", "seats": TWO, "options": {"first_seat": 0}}
    hook = api.post("/v1/webhooks", HOOK, ACME).json
    assert api.post("/v1/matches", seats, ACME).status_code == 201
    for shard in range(keys.SHARDS):
        api.service.webhooks.spread(shard)
    path = f"/v1/webhooks/{hook['id']}"
    return {"path": path, "id": hook["id"], "delivery": api.get(f"{path}/deliveries", ACME).json["items"][0]["id"]}


def _partners(method: str, path: str = "") -> Callable[[Made], Ask]:
    return lambda made: Ask(method, made["path"] + path.format(**made), None, ACME)


def _post(path: str, body: Any = None, who: int | str | None = 0) -> Callable[[Made], Ask]:
    def ask(made: Made) -> Ask:
        token = made["host_token"] if who == "host" else None if who is None else made["tokens"][who]
        return Ask("POST", f"/v1/matches/{made['id']}/{path}", body, token)

    return ask


def _get(path: str) -> Callable[[Made], Ask]:
    return lambda made: Ask("GET", f"/v1/matches/{made['id']}{path}", None, made["tokens"][0])


def _act(made: Made) -> Ask:
    body = {"decision": f"dec_{made['id'][-8:]}_0_0", "actions": [{"type": "buy", "source": "deck"}]}
    return Ask("POST", f"/v1/matches/{made['id']}/actions", body, made["tokens"][0])


GOOD: dict[str, tuple[Callable[[Api], Made], Callable[[Made], Ask]]] = {
    "list_games": (playing, lambda _: Ask("GET", "/v1/games")),
    "get_game": (playing, lambda _: Ask("GET", "/v1/games/valente?deck=house")),
    "list_bots": (playing, lambda _: Ask("GET", "/v1/bots")),
    "create_match": (playing, lambda _: Ask("POST", "/v1/matches", {"game": "valente", "seats": TWO})),
    "list_matches": (playing, lambda _: Ask("GET", "/v1/matches")),
    "get_match": (playing, _get("")),
    "join_match": (open_match, _post("join", {}, None)),
    "fill_seat": (open_match, lambda made: replace(_post("seats/1", {"kind": "bot"}, "host")(made), method="PUT")),
    "start_match": (full_match, _post("start", None, "host")),
    "give_entropy": (full_match, _post("entropy", {"entropy": "0f" * 16})),
    "leave_match": (playing, _post("leave")),
    "take_over_seat": (playing, _post("seats/0/takeover")),
    "return_to_seat": (playing, _post("seats/0/return")),
    "cancel_match": (playing, _post("cancel", None, "host")),
    "get_observation": (playing, _get("/observation")),
    "act": (playing, _act),
    "list_events": (playing, _get("/events")),
    "create_stream_ticket": (playing, _post("stream-ticket")),
    "create_message": (playing, _post("messages", {"text": "Good game."})),
    "list_messages": (playing, _get("/messages")),
    "get_replay": (over, _get("/replay")),
    "create_webhook": (playing, lambda _: Ask("POST", "/v1/webhooks", HOOK, ACME)),
    "list_webhooks": (partner, lambda _: Ask("GET", "/v1/webhooks", None, ACME)),
    "get_webhook": (partner, _partners("GET")),
    "delete_webhook": (partner, _partners("DELETE")),
    "list_deliveries": (partner, _partners("GET", "/deliveries")),
    "resend_delivery": (partner, _partners("POST", "/deliveries/{delivery}/resend")),
    "healthz": (playing, lambda _: Ask("GET", "/healthz")),
    "readyz": (playing, lambda _: Ask("GET", "/readyz")),
    "error_page": (playing, lambda _: Ask("GET", "/errors/not_your_turn")),
}
"""By operation: the match that it is for, and a request that goes well there."""


QUOTA_OF_ONE = " ".join(f"{name}=1/day" for name in QUOTAS)
AMPLE = " ".join(f"{name}=999999999/day" for name in QUOTAS)


@dataclass(frozen=True)
class Stage:
    """An app with quotas that nobody uses up, one with quotas of a single request, one whose Redis is away, and the
    operation that is to be refused."""

    api: Api
    tight: Api
    away: Api
    operation: str

    @staticmethod
    @contextmanager
    def on(url: str, ids: Ids | None = None) -> Iterator[Callable[[str], Stage]]:
        """A stage for any operation, on this Redis, which is emptied."""
        ids = ids or CountedIds()
        with fresh_api(url, ids, limits=AMPLE, api_keys=KEYS) as api:
            tight = make_api(url, ids, limits=QUOTA_OF_ONE, api_keys=KEYS)
            away = make_api("unix:///nowhere/redis.sock", ids, api_keys=KEYS)
            for each in (api, tight, away):
                each.service.webhooks.resolve = lambda host, port: [PUBLIC]
            yield lambda operation: Stage(api, tight, away, operation)
            tight.close()
            away.close()

    def good(self, made: Made | None = None) -> Ask:
        """A request that goes well; in this match if one is given, and then perhaps no longer."""
        where, ask = GOOD[self.operation]
        return ask(where(self.api) if made is None else made)


def _raw(data: bytes, kind: str = "application/json") -> Callable[[Stage], TestResponse]:
    return lambda stage: stage.good().of(stage.api, json=None, data=data, content_type=kind)


def _path(*options: tuple[str, str]) -> Callable[[Stage], TestResponse]:
    """A part of the address, replaced by another."""

    def scene(stage: Stage) -> TestResponse:
        ask = stage.good()
        for old, new in options:
            ask = replace(ask, path=ask.path.replace(old, new))
        return ask.of(stage.api)

    return scene


def _in(match: Callable[[Api], Made], **change: Any) -> Callable[[Stage], TestResponse]:
    """The request that goes well elsewhere, in this match."""
    return lambda stage: replace(stage.good(match(stage.api)), **change).of(stage.api)


def _unknown_query(stage: Stage) -> TestResponse:
    ask = stage.good()
    return replace(ask, path=f"{ask.path}{'&' if '?' in ask.path else '?'}colour=red").of(stage.api)


def _match_not_found(stage: Stage) -> TestResponse:
    made = GOOD[stage.operation][0](stage.api)
    ask = stage.good(made)
    return replace(ask, path=ask.path.replace(made["id"], NO_MATCH)).of(stage.api)


def _game_not_found(stage: Stage) -> TestResponse:
    ask = stage.good()
    body = ask.body and {**ask.body, "game": "chess"}
    return replace(ask, path=ask.path.replace("valente", "chess"), body=body).of(stage.api)


def _without_token(stage: Stage) -> TestResponse:
    ask = replace(stage.good(), token=None)
    with _for_partners(stage):
        return ask.of(stage.api)


def _bad_token(stage: Stage) -> TestResponse:
    return replace(stage.good(), token="swordfish").of(stage.api)


def _foreign_token(stage: Stage) -> TestResponse:
    ask = replace(stage.good(), token=playing(stage.api)["tokens"][0])
    with _for_partners(stage):
        return ask.of(stage.api)


def _for_partners(stage: Stage) -> AbstractContextManager[Any]:
    """If it is about creating matches: a deployment in which only partners do."""
    service = stage.api.service
    create = "key" if stage.operation == "create_match" else service.settings.create
    return patch.object(service.matches, "settings", replace(service.settings, create=create))


def _idempotency_mismatch(stage: Stage) -> TestResponse:
    ask = replace(stage.good(), headers={"Idempotency-Key": str(uuid4())})
    assert ask.of(stage.api).status_code in (200, 201)
    other = {
        "create_match": "visibility",
        "join_match": "name",
        "create_message": "text",
        "create_webhook": "description",
    }
    return replace(ask, body={**ask.body, other[stage.operation]: "private"}).of(stage.api)


def _webhook_not_found(stage: Stage) -> TestResponse:
    made = partner(stage.api)
    ask = stage.good(made)
    return replace(ask, path=ask.path.replace(made["id"], NO_WEBHOOK)).of(stage.api)


def _delivery_not_found(stage: Stage) -> TestResponse:
    made = partner(stage.api)
    ask = stage.good(made)
    return replace(ask, path=ask.path.replace(made["delivery"], NO_DELIVERY)).of(stage.api)


def _too_many_webhooks(stage: Stage) -> TestResponse:
    with patch.object(webhooks, "MOST", 0):
        return stage.good().of(stage.api)


def _url_refused(stage: Stage) -> TestResponse:
    return replace(stage.good(), body={**HOOK, "url": "https://user:word@partner.example/"}).of(stage.api)


def _host_is_player(stage: Stage) -> TestResponse:
    """The host plays, and so does another, who has not left."""
    made = open_match(stage.api)
    assert stage.api.post(f"/v1/matches/{made['id']}/join", {}).status_code == 200
    ask = stage.good(made)
    return replace(ask, token=made["host_token"]).of(stage.api)


def _seed_given(stage: Stage) -> TestResponse:
    return stage.good(stage.api.create("mm", start="manual", seed="0f" * 16)).of(stage.api)


def _entropy_awaited(stage: Stage) -> TestResponse:
    return stage.good(stage.api.create("mm", start="manual", entropy="awaited")).of(stage.api)


def _not_your_turn(stage: Stage) -> TestResponse:
    made = playing(stage.api)
    return replace(stage.good(made), token=made["tokens"][1]).of(stage.api)


def _stale_decision(stage: Stage) -> TestResponse:
    ask = stage.good()
    return replace(ask, body={**ask.body, "decision": ask.body["decision"][:-1] + "9"}).of(stage.api)


def _illegal_action(stage: Stage) -> TestResponse:
    made = playing(stage.api)
    seen = stage.api.observe(made)["decision"]
    legal = {action["id"] for action in seen["legal_actions"]}
    illegal = next(number for number in range(100) if number not in legal)
    ask = stage.good(made)
    return replace(ask, body={"decision": seen["id"], "actions": [{"id": illegal}]}).of(stage.api)


def _rules_version_gone(stage: Stage) -> TestResponse:
    """Of a match that is to be dealt, shown or played on."""
    ask = stage.good()
    if stage.operation == "get_replay":
        ask = replace(ask, path=f"{ask.path}?version=1")
    if stage.operation == "give_entropy":
        made = stage.api.create("mb", entropy="awaited")
        ask = stage.good(made)
    with patch.object(stage.api.service.catalogue, "playing", lambda *_: None):
        return ask.of(stage.api)


def _rate_limited(stage: Stage) -> TestResponse:
    """Once more than the quotas: the address's, then that of the token, which has proved itself."""
    ask = stage.good()
    for _ in range(2):
        ask.of(stage.tight)
    return ask.of(stage.tight)


def _too_many_waiters(stage: Stage) -> TestResponse:
    ask = stage.good()
    wait = {"get_observation": "?after=0&wait=1", "list_events": ""}[stage.operation]
    ask = replace(ask, path=ask.path + wait, headers={"Accept": "text/event-stream"})
    with patch.object(stage.api.service.hub, "_max", 0):
        return ask.of(stage.api)


def _too_busy(stage: Stage) -> TestResponse:
    """Every change loses its race, and what is made is gone at once."""
    ask = stage.good()
    service = stage.api.service

    def gone(*_: Any) -> str:
        raise WebhookNotFound

    with (
        patch.object(service.store, "commit", lambda _: None),
        patch.object(service.store, "talk", lambda *_: None),
        patch.object(matches, "TRIES", 2),
        patch.object(service.webhooks.store, "note", lambda *_: False),
        patch.object(service.webhooks, "secret", gone),
        patch.object(webhooks, "TRIES", 2),
    ):
        return ask.of(stage.api)


def _not_replicated(stage: Stage) -> TestResponse:
    """A replica is asked for, and there is none."""
    ask = stage.good()
    service = stage.api.service
    asked = patch.object(service.matches, "settings", replace(service.settings, ack_replicas=1))
    with asked, patch.object(service.store, "_ack_replicas", 1), patch.object(store, "REPLICAS_WITHIN_MS", 1):
        return ask.of(stage.api)


def _storage_unavailable(stage: Stage) -> TestResponse:
    return stage.good().of(stage.away)


def _internal_error(stage: Stage) -> TestResponse:
    """A fault in the code of the operation itself."""
    ask = stage.good()
    app = stage.api.client.application
    endpoint = next(name for name in app.view_functions if name.rpartition(".")[2] == stage.operation)

    def faulty(**_: Any) -> Any:
        raise RuntimeError("a fault of the tests")

    with patch.object(lean, "answer", lambda *_: None), patch.dict(app.view_functions, {endpoint: faulty}):
        return ask.of(stage.api)


SCENES: dict[str, Callable[[Stage], TestResponse]] = {
    "malformed_json": _raw(b"{"),
    "body_too_large": _raw(b" " * 66_000),
    "unsupported_media_type": _raw(b"{}", "text/plain"),
    "validation_error": _unknown_query,
    "not_found": _path(("/seats/0", "/seats/left"), ("/seats/1", "/seats/right")),
    "error_not_found": _path(("not_your_turn", "not_my_fault")),
    "game_not_found": _game_not_found,
    "idempotency_mismatch": _idempotency_mismatch,
    "rate_limited": _rate_limited,
    "missing_token": _without_token,
    "invalid_token": _bad_token,
    "wrong_token": _foreign_token,
    "match_not_found": _match_not_found,
    "webhook_not_found": _webhook_not_found,
    "delivery_not_found": _delivery_not_found,
    "url_refused": _url_refused,
    "too_many_webhooks": _too_many_webhooks,
    "match_started": _in(playing),
    "match_open": _in(open_match),
    "match_over": _in(over),
    "seat_taken": _in(open_match, body={"seat": 0}),
    "no_open_seat": _in(full_match),
    "seats_open": _in(open_match),
    "host_is_player": _host_is_player,
    "entropy_awaited": _entropy_awaited,
    "match_running": _in(playing),
    "seed_given": _seed_given,
    "not_your_turn": _not_your_turn,
    "stale_decision": _stale_decision,
    "illegal_action": _illegal_action,
    "rules_version_gone": _rules_version_gone,
    "too_many_waiters": _too_many_waiters,
    "too_busy": _too_busy,
    "not_replicated": _not_replicated,
    "storage_unavailable": _storage_unavailable,
    "not_ready": lambda stage: stage.good().of(stage.api),
    "internal_error": _internal_error,
}
"""By code: how to meet it, as whatever operation documents it."""
