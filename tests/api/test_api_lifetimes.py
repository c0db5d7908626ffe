"""How long what lies in Redis lives: as the table of keys says, for every kind, and never for ever by mistake."""

from __future__ import annotations

import re
from uuid import uuid4

from parlour_api.store import keys

from tests.api.conftest import fresh_api
from tests.api.test_api_keys import ACME, BODY, KEYS

DAY = 86400.0
MATCH = (20 * DAY, 20 * DAY)
"""Of an idle match, by the settings below."""
ALWAYS = (-0.001, -0.001)
"""What Redis tells of a key that does not end by itself."""
LIVES: dict[str, tuple[float, float]] = {
    "{sNN}:mat_x": MATCH,
    "{sNN}:mat_x:events:<viewer>": MATCH,
    "{sNN}:mat_x:messages:<viewer>": MATCH,
    "{sNN}:mat_x:log": MATCH,
    "{sNN}:mat_x:ticket:<digest>": (60, 60),
    "{sNN}:mat_x:said:<name>": (DAY, DAY),
    "{sNN}:deadlines": ALWAYS,
    "{sNN}:turns": ALWAYS,
    "{sNN}:outbox": ALWAYS,
    "{sNN}:partners": ALWAYS,
    "{sNN}:whk_x": ALWAYS,
    "{sNN}:whk_x:due": ALWAYS,
    "{sNN}:whk_x:deliveries": (7 * DAY, 7 * DAY),
    "{sNN}:whk_x:dlv_y": (7 * DAY, 7 * DAY),
    "parlour:webhooks:<name>": ALWAYS,
    "parlour:once:<digest>": (DAY, DAY),
    "parlour:rate:<quota>:<caller>:<window>": (1, 60),
    "parlour:lobby": ALWAYS,
    "parlour:metrics": ALWAYS,
    "rq:*": (-0.001, DAY),
}
"""At least and at most, s. What does not end by itself is emptied; the tests of its part see to that."""
ELSEWHERE = {"{sNN}:aside", "parlour:wake", "parlour:probe"}
"""Only while a key's partner is unknown; a channel; and what is never there."""


def pattern(name: str) -> re.Pattern[str]:
    """What the keys of a row of the table look like."""
    text = re.escape(name).replace("NN", "[01][0-9]").replace("mat_x", "mat_[a-z0-9]+")
    text = text.replace("whk_x", "whk_[a-z0-9]+").replace("dlv_y", "dlv_[a-z0-9]+").replace(r"\*", ".+")
    return re.compile(re.sub("<[a-z]+>", "[^:]+", text))


def test_every_key_lives_as_long_as_the_table_of_keys_says(redis_url: str) -> None:
    named = {row.split("``")[1] for row in (keys.__doc__ or "").splitlines() if row.startswith("| ``")}
    assert named == {*LIVES, *ELSEWHERE}
    with fresh_api(redis_url, api_keys=KEYS, abandon_s=8 * DAY, idle_ttl_s=12 * DAY) as api:
        hook = api.post("/v1/webhooks", {"url": "https://93.184.216.34/hook"}, ACME)
        assert hook.status_code == 201
        made = api.post(
            "/v1/matches", {**BODY, "seats": [{"kind": "mine"}] * 2}, ACME, Idempotency_Key=str(uuid4())
        ).json
        path, token = f"/v1/matches/{made['match']['id']}", made["seat_tokens"][0]["token"]
        api.service.webhooks.spread(keys.shard_of(made["match"]["id"]))
        api.post(f"{path}/stream-ticket", None, token)
        seat = next(
            each["token"]
            for each in made["seat_tokens"]
            if (seen := api.get(f"{path}/observation", each["token"]).json)["decision"]
        )
        action = {"id": seen["decision"]["legal_actions"][0]["id"]}
        assert api.post(f"{path}/actions", {"decision": seen["decision"]["id"], "actions": [action]}, seat).json
        api.post(f"{path}/messages", {"text": "psst", "to": [1]}, token)
        api.create("bb", ACME)
        api.service.acting.hand_out()
        api.service.meter.flush()
        client = api.service.store.client
        left_s = {key.decode(): client.pttl(key) / 1000 for key in client.scan_iter()}
        met = set()
        for key, left in left_s.items():
            (name,) = [name for name in LIVES if pattern(name).fullmatch(key)]
            least, most = LIVES[name]
            assert least - (30 if least > 60 else 10 if least == 60 else 0) <= left <= most, (key, left)
            met.add(name)
        assert met == set(LIVES)


def test_what_is_due_of_a_match_that_is_gone_is_forgotten(redis_url: str) -> None:
    with fresh_api(redis_url) as api:
        client = api.service.store.client
        for work in (api.service.acting.expire, api.service.acting.play_bots):
            made = api.create("bb", clock={"per_decision_s": 5})
            shard = keys.shard_of(made["id"])
            client.delete(keys.match_key(made["id"]))
            work(made["id"])
            for due in (keys.deadlines_key(shard), keys.turns_key(shard)):
                assert client.zscore(due, made["id"]) is None
