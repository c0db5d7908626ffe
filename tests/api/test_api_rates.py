"""How much a caller may ask for: the headers of every answer, and 429 when it is too much."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from parlour_api.app import create_app
from parlour_api.errors import BadSetting
from parlour_api.keyring import Keyring
from parlour_api.rates import QUOTAS, Rates, read_quotas
from parlour_api.settings import Settings, read_settings
from parlour_api.tokens import Proven
from werkzeug.test import TestResponse

from tests.api.conftest import SECRET, Api, CountedIds


def limited(api: Api, limits: str, proxies: int = 0) -> Api:
    """The same service behind other quotas."""
    app = create_app(Settings(SECRET, api.url, limits=limits, proxies=proxies), api.clock, CountedIds())
    return replace(api, client=app.test_client(), service=app.extensions["parlour"])


def told(answer: TestResponse) -> tuple[str, int, int, int, int]:
    """Policy, quota, window, what is left, and for how many seconds."""
    policy = re.fullmatch(r'"(\w+)";q=(\d+);w=(\d+)', answer.headers["RateLimit-Policy"])
    left = re.fullmatch(r'"(\w+)";r=(\d+);t=(\d+)', answer.headers["RateLimit"])
    assert policy is not None
    assert left is not None
    assert policy[1] == left[1]
    return policy[1], int(policy[2]), int(policy[3]), int(left[2]), int(left[3])


def assert_refused(answer: TestResponse, wait_s: int) -> None:
    assert answer.status_code == 429
    assert answer.json["code"] == "rate_limited"
    assert answer.headers["Retry-After"] == str(wait_s)
    assert told(answer)[3:] == (0, wait_s)


def test_every_answer_tells_what_is_left(api: Api) -> None:
    made = api.create("mb")
    where = f"/v1/matches/{made['id']}"
    reads = [api.get(f"{where}/observation", made["tokens"][0]) for _ in range(3)]
    assert told(reads[0])[:2] == ("read", 3000), "a token that nobody has seen yet is its address"
    assert [told(answer) for answer in reads[1:]] == [("read", 6000, 60, 5999 - n, 60) for n in range(2)]
    assert told(api.act(made, 0, [{"id": 9999}]))[:4] == ("write", 6000, 60, 5999)
    assert told(api.get(where))[:2] == ("read", 3000)
    assert told(api.get("/v1/nothing"))[:2] == ("read", 3000)
    said = api.post(f"{where}/messages", {"text": "hello"}, made["tokens"][0])
    assert told(said)[:4] == ("talk", 60, 60, 59)


def test_the_window_is_told_to_the_second(api: Api) -> None:
    api.clock.forward(21.5)
    assert told(api.get("/v1/games"))[4] == 60 - 21
    api.clock.forward(38.5)
    assert told(api.get("/v1/games"))[3:] == (2999, 60)


@pytest.mark.parametrize(("limits", "ask"), [
    ("address.read=2/minute", lambda api, made: api.get("/v1/games")),
    ("token.read=2/minute", lambda api, made: api.get(f"/v1/matches/{made['id']}/observation", made["tokens"][0])),
    ("address.write=2/minute", lambda api, made: api.post(f"/v1/matches/{made['id']}/join")),
    ("token.write=2/minute", lambda api, made: api.post(f"/v1/matches/{made['id']}/leave", None, made["tokens"][0])),
    ("token.talk=2/minute",
     lambda api, made: api.post(f"/v1/matches/{made['id']}/messages", {"text": "hi"}, made["tokens"][0])),
])  # fmt: skip
def test_the_third_of_two_is_refused_until_the_window_ends(api: Api, limits: str, ask: Any) -> None:
    made = api.create("mo")
    tight = limited(api, limits)
    tight.observe(made)
    api.clock.forward(60)
    assert [ask(tight, made).status_code for _ in range(2)] != [429, 429]
    assert_refused(ask(tight, made), 60)
    api.clock.forward(59)
    assert_refused(ask(tight, made), 1)
    api.clock.forward(1)
    assert ask(tight, made).status_code != 429


def test_a_refused_act_changes_nothing(api: Api) -> None:
    made = api.create("mm")
    tight = limited(api, "token.write=1/minute")
    seen = tight.observe(made)
    actions = [{"id": seen["decision"]["legal_actions"][0]["id"]}]
    assert tight.act(made, 0, actions, "dec_none").status_code == 409
    assert_refused(tight.act(made, 0, actions, seen["decision"]["id"]), 60)
    assert tight.observe(made) == seen
    api.clock.forward(60)
    assert tight.act(made, 0, actions, seen["decision"]["id"]).status_code == 200


def test_writes_are_counted_for_all_processes_and_reads_in_each(api: Api) -> None:
    first, second = (limited(api, "address.write=2/minute address.read=2/minute") for _ in range(2))
    body = {"game": "valente", "seats": [{"kind": "open"}, {"kind": "open"}]}
    assert [told(each.post("/v1/matches", body))[3] for each in (first, second)] == [1, 0]
    assert_refused(first.post("/v1/matches", body), 60)
    assert [told(each.get("/v1/games"))[3] for each in (first, second)] == [1, 1]


def test_each_token_has_its_own_quota(api: Api) -> None:
    made = api.create("mm")
    tight = limited(api, "token.read=1/minute")
    where = f"/v1/matches/{made['id']}/observation"
    assert [tight.get(where, made["tokens"][seat]).status_code for seat in (0, 1)] == [200, 200]
    assert [tight.get(where, made["tokens"][seat]).status_code for seat in (0, 1, 0)] == [200, 200, 429]


def made_up(number: int) -> str:
    """A token such as nobody was given."""
    return f"host_{number:032}"


@pytest.mark.parametrize("ask", [
    lambda api, made, token: api.post("/v1/matches", {"game": "valente", "seats": [{"kind": "open"}] * 2}, token),
    lambda api, made, token: api.post(f"/v1/matches/{made['id']}/join", {}, token),
    lambda api, made, token: api.post(f"/v1/matches/{made['id']}/actions", {"decision": 1}, token),
    lambda api, made, token: api.get("/v1/games", token),
    lambda api, made, token: api.get(f"/v1/matches/{made['id']}/events?limit=none", token),
    lambda api, made, token: api.get(f"/v1/matches/{made['id']}/nothing", token),
])  # fmt: skip
def test_a_new_made_up_token_for_each_request_makes_no_new_caller(api: Api, ask: Any) -> None:
    made = api.create("mooo")
    tight = limited(api, "address.read=3/minute address.write=3/minute")
    api.clock.forward(60)
    codes = [ask(tight, made, made_up(number)).status_code for number in range(5)]
    assert [code == 429 for code in codes] == [False] * 3 + [True] * 2, codes
    assert_refused(ask(tight, made, None), 60)


def test_a_real_token_is_no_caller_of_its_own_where_nobody_looks_at_it(api: Api) -> None:
    made = api.create("mo")
    api.observe(made)
    assert told(api.get(f"/v1/matches/{made['id']}", made["tokens"][0]))[:2] == ("read", 6000)
    assert told(api.get("/v1/games", made["tokens"][0]))[:2] == ("read", 3000)
    assert told(api.post(f"/v1/matches/{made['id']}/join", {}, made["tokens"][0]))[:2] == ("write", 600)


def test_tokens_that_open_nothing_count_against_the_address(api: Api) -> None:
    made, private = api.create("mm"), api.create("mm", visibility="private")
    tight = limited(api, "address.refused=4/minute")
    where = f"/v1/matches/{made['id']}/observation"
    tight.observe(made, 1)
    tries = [tight.get(where, made_up(number)).status_code for number in range(2)]
    tries.append(tight.get(f"/v1/matches/{private['id']}", made_up(2)).status_code)
    tries += [tight.get(where, token).status_code for token in ("nonsense", made_up(3))]
    assert tries == [403, 403, 404, 401, 429]
    assert_refused(tight.get(where, made["tokens"][0]), 60)
    assert tight.get(where).status_code == 200, "who brings no token tries none"
    assert tight.get(where, made["tokens"][1]).status_code == 200, "who was known before goes on"
    elsewhere = tight.client.get(
        where, headers={"Authorization": f"Bearer {made['tokens'][0]}"}, environ_base={"REMOTE_ADDR": "203.0.113.9"}
    )
    assert elsewhere.status_code == 200


def test_only_a_token_that_opened_nothing_is_counted_as_refused(api: Api) -> None:
    key = "key_" + "q" * 24
    app = create_app(
        Settings(SECRET, api.url, limits="address.refused=1/minute", api_keys=Keyring((("acme", key),))),
        api.clock,
        CountedIds(),
    )
    tight = replace(api, client=app.test_client(), service=app.extensions["parlour"])
    made, private = api.create("mm"), api.create("mm", visibility="private")
    where = f"/v1/matches/{made['id']}"
    asked = [
        tight.get("/v1/games/nosuch", key),
        tight.get(f"/v1/matches/{private['id']}", key),
        tight.post(f"{where}/leave", None, key),
        tight.get("/v1/games/nosuch", made_up(1)),
        tight.post(f"{where}/start", None, made["tokens"][0]),
        tight.post(f"{where}/seats/0/takeover", None, made["host_token"]),
        tight.post(f"{where}/leave"),
        tight.get("/v1/matches/mat_nosuch"),
    ]
    codes = [(answer.status_code, answer.json["code"]) for answer in asked]
    assert codes == [
        (404, "game_not_found"),
        (404, "match_not_found"),
        (403, "wrong_token"),
        (404, "game_not_found"),
        (403, "wrong_token"),
        (403, "host_is_player"),
        (401, "missing_token"),
        (404, "match_not_found"),
    ]
    assert tight.get(where, made["tokens"][1]).status_code == 200
    assert tight.get("/v1/games", key).status_code == 200
    assert tight.get(where, made_up(2)).status_code == 403
    assert_refused(tight.get(where, made_up(3)), 60)
    assert tight.get("/v1/games", key).status_code == 200


def test_the_tokens_that_a_process_has_seen_are_bounded() -> None:
    proven = Proven(2)
    for token in ("a", "b", "b", "c"):
        proven.add(token)
    assert [proven.name_of(f"Bearer {token}") is not None for token in "abcd"] == [False, True, True, False]
    assert proven.name_of("bearer c") == proven.name_of("Bearer c") != proven.name_of("Bearer b")


def test_a_token_that_is_none_counts_as_its_address(api: Api) -> None:
    tight = limited(api, "address.read=1/minute")
    assert tight.get("/v1/games", "nonsense").status_code == 200
    assert_refused(tight.get("/v1/games"), 60)


@pytest.mark.parametrize(("one", "other", "same"), [
    ("203.0.113.9", "203.0.113.9", True),
    ("203.0.113.9", "203.0.113.10", False),
    ("203.0.113.9", "::ffff:203.0.113.9", True),
    ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
    ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
    ("fe80::1%eth0", "fe80::2", True),
    ("203.0.113.9:1111", "203.0.113.9", True),
    ("203.0.113.9:1111", "203.0.113.9:2222", True),
    ("203.0.113.9:1111", "203.0.113.10:1111", False),
    ("[2001:db8:1:2::1]:1111", "2001:db8:1:2::9", True),
    ("[2001:db8:1:2::1]", "[2001:db8:1:3::1]:1111", False),
    ("203.0.113.9:1111", "", False),
    ("", "not an address", False),
    ("unknown", "not an address", True),
])  # fmt: skip
def test_what_counts_as_one_address(api: Api, one: str, other: str, same: bool) -> None:
    tight = limited(api, "address.read=1/minute")
    codes = [tight.client.get("/v1/games", environ_base={"REMOTE_ADDR": who}).status_code for who in (one, other)]
    assert codes == [200, 429 if same else 200]


def test_behind_a_proxy_the_address_is_what_the_proxy_saw(api: Api) -> None:
    behind = limited(api, "address.read=1/minute", proxies=1)
    asked = [{"X-Forwarded-For": "10.0.0.1, 203.0.113.9"}, {"X-Forwarded-For": "10.0.0.2, 203.0.113.9"}]
    assert [behind.client.get("/v1/games", headers=headers).status_code for headers in asked] == [200, 429]
    asked = [{"X-Forwarded-For": address} for address in ("198.51.100.7:1111", "198.51.100.8:1111")]
    assert [behind.client.get("/v1/games", headers=headers).status_code for headers in asked] == [200, 200]
    open_to_all = limited(api, "address.read=1/minute")
    asked = [{"X-Forwarded-For": "203.0.113.9"}, {"X-Forwarded-For": "203.0.113.10"}]
    assert [open_to_all.client.get("/v1/games", headers=headers).status_code for headers in asked] == [200, 429]


@pytest.mark.parametrize("odd", ["", " ", ",", "203.0.113.9,", "\xc3\xa9, \xc3\xa9", "unknown", "127.0.0.1, _hidden"])
def test_who_comes_by_a_proxy_without_an_address_is_never_the_proxy(api: Api, odd: str) -> None:
    """granian hands on as empty what it cannot read; all who send such are one caller."""
    behind = limited(api, "address.read=1/minute", proxies=1)
    asked = [{"X-Forwarded-For": odd}, {"X-Forwarded-For": "nonsense"}, {}, {"X-Forwarded-For": "203.0.113.9"}]
    codes = [behind.client.get("/v1/games", headers=headers).status_code for headers in asked]
    assert codes == [200, 429, 200, 200]


@pytest.mark.parametrize("before", ['"', '"a, "', "'", "\\", '"\\', "\xe9", "127.0.0.1", ";,="])
def test_nothing_that_a_caller_writes_before_it_hides_its_address(api: Api, before: str) -> None:
    behind = limited(api, "address.read=1/minute", proxies=1)
    asked = [{"X-Forwarded-For": "203.0.113.9"}, {"X-Forwarded-For": f"{before}, 203.0.113.9"}]
    assert [behind.client.get("/v1/games", headers=headers).status_code for headers in asked] == [200, 429]


def test_of_two_proxies_the_outer_one_knows_the_caller(api: Api) -> None:
    behind = limited(api, "address.read=1/minute", proxies=2)
    asked = ["10.9.9.9, 203.0.113.9, 10.0.0.1", "10.8.8.8, 203.0.113.9, 10.0.0.2", "203.0.113.9", "", "a, 10.0.0.1"]
    codes = [behind.client.get("/v1/games", headers={"X-Forwarded-For": each}).status_code for each in asked]
    assert codes == [200, 429, 200, 429, 429], "what lacks one of them has no address"


def test_health_and_preflight_are_not_counted(api: Api) -> None:
    tight = limited(api, "address.read=1/minute address.write=1/minute")
    for _ in range(3):
        assert tight.get("/healthz").status_code == 200
        preflight = tight.client.options("/v1/matches", headers={"Origin": "https://play.example"})
        assert preflight.status_code == 204
        assert "RateLimit" not in preflight.headers


def test_off_counts_nothing(api: Api) -> None:
    assert "RateLimit" not in limited(api, "off").get("/v1/games").headers


def test_no_token_lies_in_redis(api: Api) -> None:
    made = api.create("mm")
    api.observe(made)
    api.post(f"/v1/matches/{made['id']}/leave", None, made["tokens"][0])
    names = [name.decode() for name in api.service.store.client.keys("parlour:rate:*")]
    assert any("token.write" in name for name in names)
    assert not [name for name in names if made["tokens"][0] in name or made["tokens"][0][7:] in name]


@pytest.mark.parametrize("text", ["token.reed=1/minute", "token.read", "token.read=0/minute", "token.read=1/year",
                                  "token.read=-1/minute", "on", "token.read=1/minute;2/hour"])  # fmt: skip
def test_a_wrong_setting_is_refused_by_name(text: str) -> None:
    env = {"PARLOUR_SECRET": "x" * 16, "PARLOUR_REDIS_URL": "redis://127.0.0.1", "PARLOUR_LIMITS": text}
    with pytest.raises(BadSetting, match=r"^PARLOUR_LIMITS "):
        read_settings(env)


def test_a_change_leaves_the_other_quotas() -> None:
    quotas = read_quotas("token.talk=5/10second")
    assert quotas["token.talk"].get_expiry() == 10
    assert {str(quota) for quota in read_quotas("").values()} - {str(quota) for quota in quotas.values()} == {
        "60 per 1 minute"
    }
    assert list(quotas) == list(QUOTAS)


def test_a_storage_that_is_away_refuses_nobody(api: Api) -> None:
    import redis
    from parlour_api.rates import SharedCounters

    nowhere = redis.Redis.from_url("unix:///nowhere.sock")
    rates = Rates("", SharedCounters(nowhere), api.clock, Keyring(), Proven())
    counted = rates.count({"REQUEST_METHOD": "POST", "PATH_INFO": "/v1/matches", "REMOTE_ADDR": "127.0.0.1"})
    assert counted.wait_s is None
    nowhere.close()


def test_a_partner_has_a_quota_of_its_own(api: Api) -> None:
    key = "key_" + "q" * 24
    keys = Keyring((("acme", key), ("acme", "key_" + "n" * 24)))
    app = create_app(Settings(SECRET, api.url, limits="key.read=200/minute", api_keys=keys), api.clock, CountedIds())
    own = replace(api, client=app.test_client(), service=app.extensions["parlour"])
    assert told(own.get("/v1/games", key))[:4] == ("read", 200, 60, 199)
    assert told(own.get("/v1/games", "key_" + "n" * 24))[:4] == ("read", 200, 60, 198)
    assert told(own.get("/v1/games", "key_" + "x" * 24))[1] == 3000
    assert told(own.post("/v1/matches", {}, key))[1] == 12000
