"""Table talk: part of the game, and heard only by those it is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from parlour_api.store import keys

from tests.api.conftest import Api


def heard(api: Api, made: dict[str, Any], who: int | None, query: str = "") -> dict[str, Any]:
    answer = api.get(f"/v1/matches/{made['id']}/messages{query}", made["tokens"].get(who))
    assert answer.status_code == 200
    page: dict[str, Any] = answer.json
    return page


def say(api: Api, made: dict[str, Any], who: int, text: str, **body: Any) -> Any:
    return api.post(f"/v1/matches/{made['id']}/messages", {"text": text, **body}, made["tokens"][who])


def test_the_whole_table_and_its_spectators_hear_it(api: Api) -> None:
    """LS-7: players may talk and lie about everything at any time; the server never proves a claim."""
    made = api.create("mm")
    said = say(api, made, 1, "I hold nothing but Bombshells.")
    assert said.status_code == 201
    for who in (0, 1, None):
        assert heard(api, made, who)["items"] == [said.json]
        last = api.get(f"/v1/matches/{made['id']}/events", made["tokens"].get(who)).json["items"][-1]
        assert last["event"] == {"seat": 1, "to": None, "text": "I hold nothing but Bombshells.", "type": "message"}


def test_a_whisper_is_heard_by_those_it_names_only(api: Api) -> None:
    made = api.create("mmm")
    before = {who: api.get(f"/v1/matches/{made['id']}/events", made["tokens"].get(who)).data for who in (1, None)}
    say(api, made, 0, "psst", to=[2])
    assert [item["text"] for item in heard(api, made, 0)["items"]] == ["psst"]
    assert [item["to"] for item in heard(api, made, 2)["items"]] == [[2]]
    for who in (1, None):
        assert heard(api, made, who)["items"] == []
        assert api.get(f"/v1/matches/{made['id']}/events", made["tokens"].get(who)).data == before[who]


def events(api: Api, made: dict[str, Any], who: int | None, **headers: str) -> Any:
    return api.get(f"/v1/matches/{made['id']}/events", made["tokens"].get(who), **headers)


@pytest.mark.parametrize("way", ["leave", "fill"])
def test_whoever_takes_a_seat_hears_nothing_that_was_whispered_before(api: Api, way: str) -> None:
    """Not to the seat's earlier owner, by it, or to nobody; only what the whole table has heard."""
    made = api.create("ooo", start="manual")
    path = f"/v1/matches/{made['id']}"
    made["tokens"] = {number: api.post(f"{path}/join", {"seat": number}).json["token"] for number in (0, 1)}
    say(api, made, 0, "hello, table")
    say(api, made, 0, "for Old alone", to=[1])
    say(api, made, 1, "from Old alone", to=[0])
    say(api, made, 1, "to a seat that nobody has", to=[2])
    if way == "leave":
        api.post(f"{path}/leave", token=made["tokens"][1])
    else:
        api.put(f"{path}/seats/1", {"kind": "bot"}, made["host_token"])
        api.put(f"{path}/seats/1", {"kind": "open"}, made["host_token"])
    say(api, made, 0, "did Old hear that?", to=[1])
    for number in (1, 2):
        made["tokens"][number] = api.post(f"{path}/join", {"seat": number}).json["token"]
    for number in (1, 2):
        assert heard(api, made, number) == heard(api, made, None)
        assert events(api, made, number).data == events(api, made, None).data
    assert [item["text"] for item in heard(api, made, 0)["items"]] == [
        "hello, table", "for Old alone", "from Old alone", "did Old hear that?"
    ]  # fmt: skip
    say(api, made, 0, "for New alone", to=[1])
    api.post(f"{path}/start", token=made["host_token"])
    mine = events(api, made, 1).json["items"]
    assert [item["seq"] for item in mine] == list(range(1, len(mine) + 1))
    texts = [item["event"]["text"] for item in mine if item["event"]["type"] == "message"]
    assert texts == ["hello, table", "for New alone"]
    assert api.post(f"{path}/cancel", token=made["host_token"]).status_code == 200
    told = events(api, made, 1).json["items"]
    stream = events(api, made, 1, Accept="text/event-stream", Last_Event_ID="2").get_data(as_text=True)
    assert [line[4:] for line in stream.split("\n") if line.startswith("id: ")] == [
        str(item["seq"]) for item in told[2:]
    ]
    assert b"Old alone" not in events(api, made, 1, Accept="text/event-stream").get_data()


def test_the_first_owner_of_a_seat_cannot_read_what_the_next_one_hears(api: Api) -> None:
    """However close: the list is read first, then who may read it."""
    made = api.create("moo")
    path = f"/v1/matches/{made['id']}"
    old = api.post(f"{path}/join", {"seat": 1}).json["token"]
    store = api.service.store

    def hand_over(*_: Any) -> None:
        api.post(f"{path}/leave", token=old)
        api.post(f"{path}/join", {"seat": 1})
        say(api, made, 0, "for New alone", to=[1])

    real = store._listed

    def between(*args: Any) -> Any:
        store._listed = real  # type: ignore[method-assign]
        hand_over()
        return real(*args)

    store._listed = between  # type: ignore[method-assign]
    late = api.get(f"{path}/messages", old)
    assert (late.status_code, late.json["code"]) == (403, "wrong_token")


def test_what_was_said_lives_as_long_as_its_match(api: Api) -> None:
    made = api.create("mm")
    say(api, made, 0, "remember this", to=[1])
    client = api.service.store.client
    lists = [key(made["id"], who) for key in (keys.messages_key, keys.events_key) for who in (0, 1)]
    for key in lists:
        assert client.pexpire(key, 60_000)
    api.act(made, 0, [{"type": "buy", "source": "deck"}])
    assert min(map(client.pttl, lists)) > 60_000


def test_what_is_said_first_ends_with_its_match(api: Api) -> None:
    """The list that a whisper begins, too: it is not kept for ever."""
    made = api.create("mm")
    client = api.service.store.client
    client.pexpire(keys.match_key(made["id"]), 60_000)
    say(api, made, 0, "burn this", to=[1])
    for key in (keys.messages_key, keys.events_key):
        for who in (0, 1):
            assert 0 < client.pttl(key(made["id"], who)) <= 60_000


def test_talk_changes_no_version_and_no_act_loses_its_place(api: Api) -> None:
    made = api.create("mm")
    before = api.observe(made)
    say(api, made, 1, "hurry")
    assert api.observe(made) == before
    acted = api.act(made, 0, [{"type": "buy", "source": "deck"}]).json
    items = api.get(f"/v1/matches/{made['id']}/events", made["tokens"][0]).json["items"]
    assert acted["events"] == items[-2:]
    assert [item["seq"] for item in items] == list(range(1, len(items) + 1))


def test_messages_page_oldest_first(api: Api) -> None:
    made = api.create("mm")
    for number in range(5):
        say(api, made, number % 2, f"line {number}")
    seen, query = [], "?limit=2"
    while query:
        page = heard(api, made, 0, query)
        seen += [item["text"] for item in page["items"]]
        query = page["next_cursor"] and f"?limit=2&cursor={page['next_cursor']}"
    assert seen == [f"line {number}" for number in range(5)]


def test_talk_before_the_start_and_not_after_the_end(api: Api) -> None:
    made = api.create("mo")
    assert say(api, made, 0, "anybody?").status_code == 201
    api.post(f"/v1/matches/{made['id']}/cancel", token=made["host_token"])
    late = say(api, made, 0, "well")
    assert (late.status_code, late.json["code"]) == (409, "match_over")


def meanwhile(api: Api, happens: Callable[[], Any]) -> None:
    """Have something happen between what the next message was judged by and its being said."""
    real = api.service.store.talk

    def late(*args: Any) -> Any:
        api.service.store.talk = real  # type: ignore[method-assign]
        assert happens().status_code == 200
        return real(*args)

    api.service.store.talk = late  # type: ignore[method-assign]


@pytest.mark.parametrize("key", [{}, {"Idempotency_Key": "0b5e2c1e-4d3f-4a8b-9c7d-112233445566"}])
def test_nothing_is_said_after_the_end_however_close(api: Api, key: dict[str, str]) -> None:
    """The page and the stream of events tell the same, and end with match_finished."""
    made = api.create("mo")
    path = f"/v1/matches/{made['id']}"
    meanwhile(api, lambda: api.post(f"{path}/cancel", token=made["host_token"]))
    late = api.post(f"{path}/messages", {"text": "wait"}, made["tokens"][0], **key)
    assert (late.status_code, late.json["code"]) == (409, "match_over")
    assert heard(api, made, None)["items"] == []
    items = api.get(f"{path}/events").json["items"]
    assert items[-1]["event"]["type"] == "match_finished"
    stream = api.get(f"{path}/events", Accept="text/event-stream").get_data(as_text=True)
    assert stream.count("data: ") == len(items)


def test_the_versions_of_events_never_go_back(api: Api) -> None:
    made = api.create("mm")
    meanwhile(api, lambda: api.act(made, 0, [{"type": "buy", "source": "deck"}]))
    assert say(api, made, 1, "too fast for me").status_code == 201
    for who in (0, 1, None):
        items = api.get(f"/v1/matches/{made['id']}/events", made["tokens"].get(who)).json["items"]
        versions = [item["version"] for item in items]
        assert versions == sorted(versions)
        assert items[-1]["event"]["type"] == "message"
    assert len(heard(api, made, None)["items"]) == 1


def test_who_has_lost_the_seat_says_nothing_any_more(api: Api) -> None:
    made = api.create("mo")
    meanwhile(api, lambda: api.put(f"/v1/matches/{made['id']}/seats/0", {"kind": "bot"}, made["host_token"]))
    late = say(api, made, 0, "still here")
    assert (late.status_code, late.json["code"]) == (403, "wrong_token")
    assert heard(api, made, None)["items"] == []


def test_only_seats_talk(api: Api) -> None:
    made = api.create("mm")
    path = f"/v1/matches/{made['id']}/messages"
    assert api.post(path, {"text": "hi"}).json["code"] == "missing_token"
    assert api.post(path, {"text": "hi"}, made["host_token"]).json["code"] == "wrong_token"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": ""},
        {"text": "  "},
        {"text": "x" * 501},
        {"text": "a\u0000b"},
        {"text": "hi", "to": []},
        {"text": "hi", "to": [9]},
        {"text": "hi", "to": [-1]},
        {"text": "hi", "to": ["0"]},
        {"text": "hi", "to": 1},
        {"text": 5},
    ],
)
def test_what_cannot_be_said(api: Api, body: dict[str, Any]) -> None:
    made = api.create("mm")
    answer = api.post(f"/v1/matches/{made['id']}/messages", body, made["tokens"][0])
    assert (answer.status_code, answer.json["code"]) == (422, "validation_error")
    assert heard(api, made, 0)["items"] == []


def test_a_ticket_opens_one_stream_once(api: Api) -> None:
    made = api.create("mb")
    path = f"/v1/matches/{made['id']}"
    ticket = api.post(f"{path}/stream-ticket", token=made["tokens"][0]).json
    assert ticket["expires_in_s"] == 60
    api.post(f"{path}/cancel", token=made["host_token"])
    mine = api.get(f"{path}/events", made["tokens"][0]).json["items"]
    stream = api.get(f"{path}/events?ticket={ticket['ticket']}", Accept="text/event-stream")
    assert stream.mimetype == "text/event-stream"
    blocks = stream.get_data(as_text=True).strip().split("\n\n")[1:]
    assert [block.split("\n")[0] for block in blocks] == [f"id: {item['seq']}" for item in mine]
    assert api.service.hub._count == 0, "the stream has given its place back"
    again = api.get(f"{path}/events?ticket={ticket['ticket']}", Accept="text/event-stream")
    assert (again.status_code, again.json["code"]) == (403, "wrong_token")


def test_a_ticket_is_its_owners_and_not_the_seats(api: Api) -> None:
    """Who leaves hears nothing of what the next one in the seat is told."""
    made = api.create("oo", start="manual")
    path = f"/v1/matches/{made['id']}"
    first = api.post(f"{path}/join", {"seat": 0}).json["token"]
    ticket = api.post(f"{path}/stream-ticket", None, first).json["ticket"]
    api.post(f"{path}/leave", None, first)
    assert api.post(f"{path}/join", {"seat": 0}).status_code == 200
    late = api.get(f"{path}/events?ticket={ticket}", Accept="text/event-stream")
    assert (late.status_code, late.json["code"]) == (403, "wrong_token")


def test_a_stream_that_has_told_all_is_a_204(api: Api) -> None:
    """So that a browser's EventSource stops asking."""
    made = api.create("mb")
    path = f"/v1/matches/{made['id']}"
    api.post(f"{path}/cancel", token=made["host_token"])
    last = api.get(f"{path}/events").json["next_after"]
    for headers in ({"Last_Event_ID": str(last)}, {"Last_Event_ID": str(last + 5)}):
        assert api.get(f"{path}/events", Accept="text/event-stream", **headers).status_code == 204
    rest = api.get(f"{path}/events?after=0", Accept="text/event-stream", Last_Event_ID=str(last - 1))
    assert rest.get_data(as_text=True).count("data: ") == 1


def test_a_stream_of_a_private_match_needs_its_token(api: Api) -> None:
    made = api.create("mb", visibility="private")
    path = f"/v1/matches/{made['id']}"
    assert api.get(f"{path}/events", Accept="text/event-stream").status_code == 404
    assert api.get(f"{path}/events?ticket=tkt_no", Accept="text/event-stream").status_code == 404
    assert api.post(f"{path}/stream-ticket").status_code == 404
