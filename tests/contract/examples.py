"""The examples of the API document, from a run in which time stands still and ids come from a fixed seed.

``python -m tests.contract.examples`` writes them where the server finds them; ``make openapi`` does. To give a new
operation its examples, ask it in ``tell``; a new error code takes its own from ``scenes.py``.
"""

from __future__ import annotations

import json
import logging
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import redis
from parlour_api.errors import error_classes
from parlour_api.sources import Ids
from parlour_api.store import keys
from parlour_api.v1 import openapi
from rq import SimpleWorker
from werkzeug.test import TestResponse

from tests.api.conftest import Api, fresh_api
from tests.api.test_api_keys import ACME, KEYS
from tests.contract.scenes import HOOK, PUBLIC, SCENES, TWO, Ask, Stage
from tests.documented import Operation, operations
from tests.support import running_redis

KEPT = Path(openapi.__file__).parent / "examples.json"
CLOCK = {"per_decision_s": 30, "on_expiry": "forfeit"}
STREAM = {"Accept": "text/event-stream"}


class ExampleIds(Ids):
    """Ids as they look in life, the same in every run."""

    def __init__(self) -> None:
        self._rng = random.Random(7)

    def word(self, length: int) -> str:
        return "".join(self._rng.choices("abcdefghijklmnopqrstuvwxyz234567", k=length))

    def seed(self) -> bytes:
        return self._rng.randbytes(32)


_TOKEN = re.compile(r"\b(seat_[0-9]+|host|tkt)_[A-Za-z0-9_-]{32}")


_SECRETS = {"join_code": "example2", "secret": "whsec_" + "EXAMPLE+" * 5 + "EXA="}


def masked(value: Any) -> Any:
    """The same without anything that could open a match."""
    if isinstance(value, dict):
        return {key: _SECRETS.get(key) or masked(part) for key, part in value.items()}
    if isinstance(value, list):
        return [masked(part) for part in value]
    return _TOKEN.sub(r"\1_-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE", value) if isinstance(value, str) else value


class Tape:
    """Asks the app and keeps what was asked and answered, as examples of the operation."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.operations: dict[str, Any] = {}
        self.webhooks: dict[str, Any] = {}
        """What a partner's server is sent, by type."""

    def ask(
        self, name: str, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> TestResponse:
        """Ask, and keep both sides under this name."""
        answer = Ask(method, path, body, token, headers).of(self.api)
        assert answer.status_code < 300, answer.text
        kept = self.operations.setdefault(_operation(answer).id, {"requests": {}, "answers": {}})
        if body is not None:
            kept["requests"][name] = masked(body)
        if answer.mimetype:
            value = answer.json if answer.is_json else answer.text
            kept["answers"].setdefault(str(answer.status_code), {}).setdefault(answer.mimetype, {})[name] = masked(
                value
            )
        return answer


def _operation(answer: TestResponse) -> Operation:
    return next(each for each in operations() if each.fits(answer.request.method, answer.request.path))


def tell(tape: Tape) -> None:
    """Every operation, as it goes well."""
    for tell_part in (_catalogue, _rooms, _valente, _other_games, _partner, _service):
        tell_part(tape)


def _catalogue(tape: Tape) -> None:
    tape.ask("all", "GET", "/v1/games")
    tape.ask("all", "GET", "/v1/bots")
    detail = tape.ask("valente", "GET", "/v1/games/valente?deck=house").json
    for page in ("rules", "common_rules"):
        detail[page] = detail[page][:400] + "…"
    detail["actions"] = {seats: actions[:3] for seats, actions in detail["actions"].items()}
    detail["data"] = {name: part[:2] if isinstance(part, list) else part for name, part in detail["data"].items()}
    tape.operations["get_game"]["answers"]["200"]["application/json"] = {"valente_cut_short": detail}


def _rooms(tape: Tape) -> None:
    """Matches before the start; first what a newcomer wants."""
    simplest = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "bot"}]}
    tape.ask("against_a_house_bot", "POST", "/v1/matches", simplest)
    seats = [{"kind": "mine", "name": "Ada"}, {"kind": "open"}, {"kind": "open"}]
    body = {"game": "love_is_dead", "seats": seats, "visibility": "private", "entropy": "awaited"}
    made = tape.ask("private_with_open_seats", "POST", "/v1/matches", body).json
    path = f"/v1/matches/{made['match']['id']}"
    joining = {"name": "Bo", "join_code": made["join_code"]}
    joined = tape.ask("private_match", "POST", f"{path}/join", joining).json
    tape.ask("house_bot", "PUT", f"{path}/seats/2", {"kind": "bot", "bot": "random"}, made["host_token"])
    tape.ask("open_again", "PUT", f"{path}/seats/2", {"kind": "open"}, made["host_token"])
    tape.ask("hex", "POST", f"{path}/entropy", {"entropy": "9f86d081884c7d659a2feaa0c55ad015"}, joined["token"])
    tape.ask("before_the_start", "POST", f"{path}/leave", None, joined["token"])
    tape.ask("before_the_start", "POST", f"{path}/cancel", None, made["host_token"])
    body = {"game": "valente", "seats": [{"kind": "mine"}, {"kind": "open", "name": "For Cy"}], "start": "manual"}
    made = tape.ask("manual_start", "POST", "/v1/matches", body).json
    path = f"/v1/matches/{made['match']['id']}"
    tape.ask("lobby", "GET", "/v1/matches")
    tape.ask("first_open_seat", "POST", f"{path}/join", {"name": "Cy"})
    tape.ask("manual_start", "POST", f"{path}/start", None, made["host_token"])


def _valente(tape: Tape) -> None:
    """A match from its start to its end, by the clock."""
    seats = [{"kind": "mine", "name": "Ada"}, {"kind": "mine", "name": "Bo"}]
    body = {"game": "valente", "options": {"first_seat": 0}, "seats": seats, "clock": CLOCK}
    made = tape.ask("valente_with_a_clock", "POST", "/v1/matches", body).json
    match_id, (ada, bo) = made["match"]["id"], (entry["token"] for entry in made["seat_tokens"])
    path = f"/v1/matches/{match_id}"
    tape.ask("playing", "GET", path)
    seen = tape.ask("valente", "GET", f"{path}/observation", None, ada).json
    tape.ask("valente_spectator", "GET", f"{path}/observation")
    decision = seen["decision"]
    typed = {name: part for name, part in decision["legal_actions"][0].items() if name not in ("id", "label")}
    tape.api.clock.forward(12)
    tape.ask("typed", "POST", f"{path}/actions", {"decision": decision["id"], "actions": [typed]}, ada)
    by_number = {"decision": decision["id"], "actions": [{"id": decision["legal_actions"][0]["id"]}]}
    tape.ask("by_number_sent_again", "POST", f"{path}/actions", by_number, ada)
    tape.ask("to_all", "POST", f"{path}/messages", {"text": "Good luck!"}, ada)
    tape.ask("whisper", "POST", f"{path}/messages", {"text": "Deal?", "to": [0]}, bo)
    tape.ask("heard_by_a_seat", "GET", f"{path}/messages", None, ada)
    tape.ask("taken_over", "POST", f"{path}/seats/1/takeover", None, bo)
    tape.ask("taken_back", "POST", f"{path}/seats/1/return", None, bo)
    tape.ask("one_stream", "POST", f"{path}/stream-ticket", None, bo)
    tape.api.clock.forward(31)
    tape.api.service.acting.expire(match_id)
    tape.ask("valente_finished", "GET", f"{path}/observation", None, bo)
    tape.ask("page", "GET", f"{path}/events?limit=5", None, ada)
    tape.ask("to_the_end", "GET", f"{path}/events?after=4", None, ada, **STREAM)
    tape.ask("whole_match", "GET", f"{path}/replay")
    tape.ask("view_of_a_seat", "GET", f"{path}/replay?seat=0&version=1")


def _other_games(tape: Tape) -> None:
    for game, count in (("love_is_dead", 2), ("lovestruck", 5)):
        seats = [{"kind": "mine"}, *[{"kind": "bot"}] * (count - 1)]
        made = tape.ask(f"{game}_against_bots", "POST", "/v1/matches", {"game": game, "seats": seats}).json
        path = f"/v1/matches/{made['match']['id']}"
        token = made["seat_tokens"][0]["token"]
        while tape.api.get(f"{path}/observation", token).json["decision"] is None:
            tape.api.clock.forward(1)
            tape.api.service.acting.play_bots(made["match"]["id"])
        tape.ask(game, "GET", f"{path}/observation", None, token)
    tape.ask("in_play", "POST", f"{path}/leave", None, token)
    tape.ask("in_play", "POST", f"{path}/cancel", None, made["host_token"])


def _partner(tape: Tape) -> None:
    """A partner's webhook, told of a match of the partner's; nothing is sent."""
    api = tape.api
    api.service.webhooks.resolve = lambda host, port: [PUBLIC]
    hook = tape.ask("all_events", "POST", "/v1/webhooks", {"url": HOOK["url"], "description": "orders"}, ACME).json
    tape.ask("some_events", "POST", "/v1/webhooks", HOOK, ACME)
    path = f"/v1/webhooks/{hook['id']}"
    tape.ask("both", "GET", "/v1/webhooks", None, ACME)
    tape.ask("all_events", "GET", path, None, ACME)
    seats = [{"kind": "mine", "name": "Ada"}, {"kind": "open"}]
    ordered = {"game": "valente", "seats": seats, "options": {"first_seat": 0}, "metadata": {"order": "4711"}}
    for end in ("finished", "cancelled", "abandoned"):
        clock = CLOCK if end == "finished" else None
        match_id = tape.ask("a_partners", "POST", "/v1/matches", {**ordered, "clock": clock}, ACME).json["match"]["id"]
        joined = api.post(f"/v1/matches/{match_id}/join", {"name": "Bo"}).json
        if end == "cancelled":
            api.post(f"/v1/matches/{match_id}/cancel", None, ACME)
        elif end == "finished":
            api.post(f"/v1/matches/{match_id}/leave", None, joined["token"])
            api.clock.forward(31)
        else:
            api.clock.forward(api.service.settings.abandon_s + 1)
        api.service.acting.expire(match_id)
    for shard in range(keys.SHARDS):
        for entry in map(orjson.loads, api.service.webhooks.store.outbox(shard, 100)):
            tape.webhooks[entry["body"]["type"]] = masked(entry["body"])
        api.service.webhooks.spread(shard)
    owed = tape.ask("newest_first", "GET", f"{path}/deliveries?limit=2", None, ACME).json["items"]
    tape.ask("due_now", "POST", f"{path}/deliveries/{owed[0]['id']}/resend", None, ACME)
    api.client.delete(path, headers={"Authorization": f"Bearer {ACME}"})


def _service(tape: Tape) -> None:
    tape.ask("up", "GET", "/healthz")
    worker = SimpleWorker(["bots", "clock"], connection=redis.Redis.from_url(tape.api.url))
    worker.register_birth()
    tape.ask("ready", "GET", "/readyz")
    worker.register_death()
    tape.ask("not_your_turn", "GET", "/errors/not_your_turn")


def problems(stage: Callable[[str], Stage]) -> dict[str, Any]:
    """Every error code as some operation answers it: an act if it can."""
    found = {}
    for code in error_classes():
        able = [operation.id for operation in operations() if code in operation.codes]
        scene = _PROBLEMS.get(code) or SCENES[code]
        answer = scene(stage("act" if "act" in able else able[0] if able else ""))
        assert answer.json.get("code") == code, (code, answer.status_code, answer.text[:300])
        found[code] = masked(answer.json)
    return found


def _two_faults(stage: Stage) -> TestResponse:
    seats = [*TWO[:1], {"kind": "human"}]
    return Ask("POST", "/v1/matches", {"game": "valente", "seats": seats, "colour": "red"}).of(stage.api)


_PROBLEMS: dict[str, Callable[[Stage], TestResponse]] = {
    "validation_error": _two_faults,
    "method_not_allowed": lambda stage: Ask("DELETE", "/v1/games").of(stage.api),
}
"""Where another than the scene's answer tells more, or no operation has the code."""


def examples(url: str) -> dict[str, Any]:
    """All examples; the Redis is emptied for them."""
    with fresh_api(url, ExampleIds(), api_keys=KEYS) as api:
        tape = Tape(api)
        tell(tape)
    with Stage.on(url, ExampleIds()) as stage:
        return {"operations": tape.operations, "webhooks": tape.webhooks, "problems": problems(stage)}


def text_of(told: dict[str, Any]) -> str:
    """Examples as they are committed."""
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    logging.disable()  # what goes wrong here goes wrong on purpose
    with tempfile.TemporaryDirectory() as folder, running_redis(Path(folder)) as url:
        KEPT.write_text(text_of(examples(url)), "utf-8")
