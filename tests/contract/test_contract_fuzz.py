"""Tokens, ids, cursors, tickets and headers bent out of shape: never more than a documented refusal.

The app is asked in this process, with a client that judges every answer by the document, and the real server as well,
since what it makes of an odd address is its own.
"""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.conftest import Api, fresh_api
from tests.contract.scenes import Made, over, playing
from tests.support import Server

REFUSED = range(400, 500)
odd = settings(
    max_examples=400, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def api(redis_url: str) -> Iterator[Api]:
    with fresh_api(redis_url, limits="off") as made:
        yield made


@pytest.fixture(scope="module")
def made(api: Api) -> Made:
    return playing(api)


@pytest.fixture(scope="module")
def ended(api: Api) -> Made:
    return over(api)


def bent(real: str) -> st.SearchStrategy[str]:
    """A real one with a character changed, cut, doubled, in other letters, or something else altogether."""
    places = st.integers(0, len(real) - 1)
    changed = st.builds(lambda at, char: real[:at] + char + real[at + 1 :], places, ANY_CHAR)
    cut = places.map(lambda at: real[:at])
    longer = st.builds(lambda more, times: real + more * times, ANY_CHAR, st.sampled_from([1, 7, 500, 9000]))
    other = st.sampled_from([real.upper(), real * 2])
    return st.one_of(changed, cut, longer, other, ANY_TEXT).filter(lambda text: text != real)


ANY_CHAR = st.characters(min_codepoint=1, max_codepoint=255, blacklist_characters="\r\n")
"""What a header can hold."""
ANY_TEXT = st.text(ANY_CHAR, max_size=80)
READS = ("", "/observation", "/events", "/messages", "/replay")


@odd
@given(data=st.data())
def test_a_bent_token_opens_nothing(api: Api, made: Made, data: st.DataObject) -> None:
    token = data.draw(bent(made["tokens"][0]))
    scheme = data.draw(st.sampled_from(["Bearer ", "bearer ", "Basic ", "", "Bearer  ", "Bearer\t"]))
    headers = {"Authorization": scheme + token}
    path = f"/v1/matches/{made['id']}{data.draw(st.sampled_from(READS))}"
    answer = api.client.get(path, headers=headers)
    if not headers["Authorization"].strip():
        assert answer.status_code in (200, 409)  # as without the header
    else:
        assert answer.status_code in (401, 403), answer.text
    assert api.client.post(f"{path.rpartition('/')[0]}/leave", headers=headers).status_code in REFUSED


@odd
@given(data=st.data())
def test_a_bent_id_is_no_match(api: Api, made: Made, data: st.DataObject) -> None:
    match_id = data.draw(st.one_of(bent(made["id"]).map(quote), st.binary(max_size=60).map(quote_from_bytes)))
    for method, path in (("GET", ""), ("GET", "/observation"), ("POST", "/join"), ("POST", "/seats/0/takeover")):
        address = f"/v1/matches/{match_id}{path}"
        answer = api.client.open(address, method=method, headers={"Authorization": f"Bearer {made['tokens'][0]}"})
        assert answer.status_code in (404, 405) or address.rstrip("/") == "/v1/matches", answer.text


ODD_PART = st.one_of(st.binary(max_size=12).map(quote_from_bytes), st.sampled_from(["v1", "seats", "1e3", ".", ".."]))


@odd
@given(parts=st.lists(ODD_PART))
def test_the_real_server_refuses_an_odd_address(server: Server, parts: list[str]) -> None:
    status, kind = raw(server, "/v1/matches/" + "/".join(parts), {})
    assert status in (200, *REFUSED)
    assert kind in ("application/json", "application/problem+json", "")


@odd
@given(value=st.one_of(ANY_TEXT, ANY_CHAR.map(lambda char: char * 3000)))
def test_the_real_server_refuses_odd_headers(server: Server, value: str) -> None:
    for name in ("Authorization", "If-None-Match", "Last-Event-ID", "Idempotency-Key", "Prefer", "Origin", "Accept"):
        status, _ = raw(server, "/v1/matches/mat_0aaaaaaaaaaaaaaaa/observation", {name: value})
        assert status in REFUSED, (name, status)


def raw(server: Server, path: str, headers: dict[str, str]) -> tuple[int, str]:
    """Ask without a library that would tidy the request up."""
    where = urlsplit(server.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=120)
    connection.putrequest("GET", path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value.encode("latin-1"))
    connection.endheaders()
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers.get("Content-Type", "")


@odd
@given(cursor=st.one_of(st.text(max_size=120), bent("MTgwMDAwMDAwMDAwMDptYXRfMGFhYWFhYWFhYWFhYWFhYWE=")))
def test_a_bent_cursor_is_a_page_or_refused(api: Api, made: Made, cursor: str) -> None:
    for path in ("/v1/matches", f"/v1/matches/{made['id']}/messages"):
        answer = api.client.get(f"{path}?cursor={quote(cursor, errors='surrogatepass')}")
        assert answer.status_code in (200, 422), answer.text


@odd
@given(ticket=bent("tkt_" + "a" * 32))
def test_a_bent_ticket_opens_nothing(api: Api, made: Made, ticket: str) -> None:
    answer = api.client.get(f"/v1/matches/{made['id']}/events?ticket={quote(ticket)}")
    assert answer.status_code in (403, 422), answer.text


@odd
@given(value=st.one_of(ANY_TEXT, st.integers().map(str), ANY_CHAR.map(lambda char: char * 9000)))
def test_odd_headers_are_ignored_or_refused(api: Api, made: Made, ended: Made, value: str) -> None:
    observation = f"/v1/matches/{made['id']}/observation"
    known = api.client.get(observation, headers={"If-None-Match": value})
    assert known.status_code in (200, 304)
    assert api.client.get(observation, headers={"If-None-Match": '"x"', "Prefer": value}).status_code == 200
    events = f"/v1/matches/{ended['id']}/events"
    stream = api.client.get(events, headers={"Accept": "text/event-stream", "Last-Event-ID": value})
    assert stream.status_code in (200, 204)
    stream.close()
    assert api.client.get(events, headers={"Accept": value}).status_code == 200
    body = {"game": "valente", "seats": [{"kind": "mine"}]}
    assert api.client.post("/v1/matches", json=body, headers={"Idempotency-Key": value}).status_code == 422
    assert api.client.post("/v1/matches", data=b"{}", headers={"Content-Type": value}).status_code in (415, 422)


@odd
@given(data=st.data())
def test_odd_query_values_are_refused_or_read(api: Api, made: Made, ended: Made, data: st.DataObject) -> None:
    numbers: list[Any] = [0, -1, 1, 2**31, 10**30, "1e3", "0x1", "٣", "1_0", "+1", " 1", "nan", "inf", "true", ""]
    value = str(data.draw(st.one_of(st.sampled_from(numbers), st.text(max_size=40), st.just("9" * 5000))))
    text = quote(value, errors="surrogatepass")
    for path in (
        f"/v1/matches/{made['id']}/observation?after={text}",
        f"/v1/matches/{made['id']}/observation?after=0&wait={text}",
        f"/v1/matches/{made['id']}/events?after={text}",
        f"/v1/matches/{made['id']}/events?limit={text}",
        f"/v1/matches/{made['id']}/messages?limit={text}",
        f"/v1/matches/{ended['id']}/replay?version={text}",
        f"/v1/matches/{ended['id']}/replay?version=0&seat={text}",
        f"/v1/matches?game={text}",
        f"/v1/matches?status={text}",
        f"/v1/matches?has_open_seat={text}",
        f"/v1/matches?{text}=1",
    ):
        answer = api.client.get(path)
        assert answer.status_code in (200, 204, 422), (path, answer.text)
