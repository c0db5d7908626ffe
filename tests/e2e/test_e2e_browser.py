"""examples/browser in a real Chromium: a page of another origin plays, follows its events, is told what went wrong."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import requests
from playwright.sync_api import Browser, Page, Request, Route, expect, sync_playwright

from tests.chromium import MISSING, chromium
from tests.sdk.flaky import flaky_proxy
from tests.support import Server, free_ports, run, running_server, start_server

TESTS = Path(__file__).parent.parent
PAGE = TESTS.parent / "examples" / "browser"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
STEP_MS = 120_000


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    """Where the page is served: a plain file server that knows nothing of the service."""
    files = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(PAGE)))
    thread = threading.Thread(target=files.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{files.server_address[1]}"
    files.shutdown()
    thread.join()
    files.server_close()


@pytest.fixture(scope="module")
def service(origin: str) -> Iterator[Server]:
    """A service that lets this one origin in, with quick bots and a small quota of talk."""
    env = {
        "PARLOUR_CORS_ORIGINS": origin,
        "PARLOUR_BOT_ANSWER_S": "0-0.01",
        "PARLOUR_LIMITS": "token.talk=1/day",
    }
    with running_server(env=env) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = chromium()
    if found is None:
        pytest.fail(MISSING, pytrace=False)
    with sync_playwright() as playwright:
        expect.set_options(timeout=STEP_MS)
        launched = playwright.chromium.launch(executable_path=found, args=FLAGS, timeout=STEP_MS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh tab that fails on any error of the page's own script."""
    context = browser.new_context(viewport={"width": 1180, "height": 900})
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.set_default_timeout(STEP_MS)
    yield tab
    context.close()
    assert errors == []


def address(origin: str, api: str, **more: str) -> str:
    return f"{origin}/#{urlencode({'api': api, **more})}"


def create(service: Server, game: str = "valente", seats: int = 2) -> dict[str, Any]:
    """A match with all seats ours; seat 0 begins."""
    body = {"game": game, "seats": [{"kind": "mine"}] * seats, "options": {"first_seat": 0}}
    answer: dict[str, Any] = requests.post(f"{service.url}/v1/matches", json=body, timeout=60).json()
    return {
        "url": f"{service.url}/v1/matches/{answer['match']['id']}",
        "id": answer["match"]["id"],
        "host": answer["host_token"],
        "tokens": [entry["token"] for entry in answer["seat_tokens"]],
    }


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def act(made: dict[str, Any], times: int) -> None:
    """So many acts, by whoever owes one."""
    for _ in range(times):
        for token in made["tokens"]:
            decision = requests.get(f"{made['url']}/observation", headers=bearer(token), timeout=60).json()["decision"]
            if decision is not None:
                body = {"decision": decision["id"], "actions": [{"id": decision["legal_actions"][0]["id"]}]}
                answer = requests.post(f"{made['url']}/actions", json=body, headers=bearer(token), timeout=60)
                assert answer.status_code == 200, answer.text
                break


def told(page: Page) -> list[int]:
    """The seqs of the events on the screen, oldest first."""
    seqs: list[int] = page.eval_on_selector_all("#events li", "items => items.map(item => Number(item.dataset.seq))")
    return seqs[::-1]


def streams(page: Page) -> list[Request]:
    """The stream requests of a page, as they come."""
    seen: list[Request] = []
    page.on("request", lambda request: seen.append(request) if "/events?" in request.url else None)
    return seen


def answered(requests: list[Request]) -> list[int]:
    return [answer.status if (answer := request.response()) else 0 for request in requests]


def asks_no_more(page: Page, asked: list[Request]) -> list[int]:
    """The statuses of the stream's requests of a page that was told to the end; a while later they are the same."""
    statuses = answered(asked)
    page.wait_for_timeout(2500)
    assert answered(asked) == statuses, "an EventSource that was told all goes on asking"
    return statuses


def all_told(page: Page, made: dict[str, Any], token: str | None = None) -> int:
    """Wait until the page shows all that its viewer was told up to now; how many events that is."""
    headers = bearer(token) if token else {}
    events = requests.get(f"{made['url']}/events?limit=500", headers=headers, timeout=60).json()["items"]
    page.wait_for_function(f"document.querySelectorAll('#events li').length >= {len(events)}")
    return len(events)


def test_it_plays_a_whole_match_by_clicks(page: Page, origin: str, service: Server) -> None:
    asked = streams(page)
    page.goto(address(origin, service.url))
    page.get_by_label("Game").select_option("valente")
    page.get_by_label("Seats").fill("2")
    page.get_by_label("Seconds a decision").fill("60")
    page.get_by_role("button", name="Play against house bots").click()
    outcome = page.locator("#outcome")
    buttons = page.locator("#actions button:not(:disabled)")
    clicks = 0
    for _ in range(1000):
        buttons.first.or_(outcome).locator("visible=true").first.wait_for()
        if outcome.is_visible():
            break
        buttons.last.click()
        clicks += 1
        page.wait_for_function("!document.querySelector('#actions button:disabled')")
    expect(outcome).to_contain_text("Won by: ")
    assert clicks > 5
    expect(page.locator("#live")).to_have_text("told to the end")
    seqs = told(page)
    assert seqs == list(range(1, len(seqs) + 1))
    asks_no_more(page, asked)
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#quota")).to_contain_text("requests this minute")
    assert "token=" in page.url
    page.reload()
    expect(page.locator("#outcome")).to_contain_text("Won by: ")


def test_what_a_page_may_send_and_read(page: Page, origin: str, service: Server) -> None:
    made = create(service)
    page.goto(origin)
    sent = """async ([url, token]) => {
        const headers = { Authorization: `Bearer ${token}` };
        const read = async (method, path, more = {}, body) => {
            const answer = await fetch(url + path, { method, headers: { ...headers, ...more }, body });
            return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
        };
        const json = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
        const seen = await read("GET", "/observation");
        return {
            seen,
            unchanged: await read("GET", "/observation", { "If-None-Match": seen.headers.etag, Prefer: "wait=0" }),
            said: await read("POST", "/messages", json, JSON.stringify({ text: "hello" })),
            again: await read("POST", "/messages", json, JSON.stringify({ text: "hello" })),
            events: await read("GET", "/events?after=0", { "Last-Event-ID": "3" }),
            filled: await read("PUT", "/seats/1", json, JSON.stringify({ kind: "bot" })),
        };
    }"""
    got = page.evaluate(sent, [made["url"], made["tokens"][0]])
    assert (got["seen"]["status"], got["unchanged"]["status"], got["events"]["status"]) == (200, 304, 200)
    assert {"etag", "date", "ratelimit", "ratelimit-policy", "x-request-id"} <= set(got["seen"]["headers"])
    assert got["said"]["status"] == 201
    assert (got["again"]["status"], "rate_limited" in got["again"]["text"]) == (429, True)
    assert int(got["again"]["headers"]["retry-after"]) > 0
    assert got["filled"]["status"] == 403  # the host's; the preflight of PUT went well, else there were no answer
    create_one = """async url => {
        const body = JSON.stringify({ game: "valente", seats: [{ kind: "mine" }, { kind: "mine" }] });
        const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body });
        return [answer.status, answer.headers.get("Location")];
    }"""
    status, location = page.evaluate(create_one, f"{service.url}/v1/matches")
    assert (status, location.startswith("/v1/matches/mat_")) == (201, True)


def test_a_page_of_an_origin_that_is_not_named_reads_nothing(page: Page, origin: str, service: Server) -> None:
    page.goto(address(origin.replace("127.0.0.1", "localhost"), service.url))
    expect(page.locator("#problem")).to_contain_text("Nothing answers")


def test_a_spectators_browser_resumes_by_itself_and_stops_at_the_end(page: Page, origin: str, service: Server) -> None:
    made = create(service)
    act(made, 3)
    asked = streams(page)
    with flaky_proxy(service.url) as proxy:
        page.goto(address(origin, proxy.url, match=made["id"]))
        expect(page.locator("#live")).to_have_text("live")
        before = all_told(page, made)
        proxy.cut_streams()
        act(made, 4)
        assert all_told(page, made) > before + 3
        seqs = told(page)
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(asked) == 2
        assert int(asked[1].all_headers()["last-event-id"]) == before
        requests.post(f"{made['url']}/cancel", headers=bearer(made["host"]), timeout=60)
        expect(page.locator("#live")).to_have_text("told to the end")
        assert asks_no_more(page, asked)[1:] == [200, 204]


def test_a_seat_goes_on_with_another_ticket(page: Page, origin: str, service: Server) -> None:
    made = create(service)
    asked = streams(page)
    with flaky_proxy(service.url) as proxy:
        page.goto(address(origin, proxy.url, match=made["id"], token=made["tokens"][0]))
        expect(page.locator("#live")).to_have_text("live")
        before = all_told(page, made, made["tokens"][0])
        proxy.cut_streams()
        act(made, 4)
        assert all_told(page, made, made["tokens"][0]) > before + 3
    seqs = told(page)
    assert seqs == list(range(1, len(seqs) + 1))
    tickets = [request.url.partition("ticket=")[2] for request in asked]
    assert len(set(tickets)) >= 2
    assert all(ticket.startswith("tkt_") for ticket in tickets)


def test_a_refusal_is_shown_with_its_reason_and_heals(page: Page, origin: str, service: Server) -> None:
    """Somebody with the same token acts just before the click arrives."""
    made = create(service)

    def late(route: Route) -> None:
        act(made, 1)
        route.continue_()

    page.goto(address(origin, service.url, match=made["id"], token=made["tokens"][0]))
    page.route("**/actions", late)
    page.locator("#actions button").last.click()  # not what they chose, or it were the same act sent again
    problem = page.locator("#problem")
    expect(problem).to_contain_text("That decision is not this seat's pending one")
    expect(problem.locator("a")).to_have_attribute("href", f"{service.url}/errors/stale_decision")
    page.unroute("**/actions")
    page.locator("#actions button:not(:disabled)").first.click()
    expect(problem).to_be_hidden()


def test_a_match_that_is_not_there_is_said(page: Page, origin: str, service: Server) -> None:
    page.goto(address(origin, service.url, match="mat_0aaaaaaaaaaaaaaaa"))
    expect(page.locator("#problem")).to_contain_text("There is no such match")


@pytest.mark.parametrize(("game", "seats"), [("valente", 2), ("love_is_dead", 2), ("lovestruck", 5)])
def test_cards_and_people_have_names(page: Page, origin: str, service: Server, game: str, seats: int) -> None:
    made = create(service, game, seats)
    act(made, 12)
    data = requests.get(f"{service.url}/v1/games/{game}", timeout=60).json()["data"]
    named = [each for part in data.values() if isinstance(part, list) for each in part if isinstance(each, dict)]
    names = {each["id"]: each.get("name") or each.get("title") or each["caption"] for each in named if "id" in each}
    names |= data.get("names", {})
    seen = requests.get(f"{made['url']}/observation", headers=bearer(made["tokens"][0]), timeout=60).json()["view"]
    with page.expect_request(f"{service.url}/v1/games/{game}?deck=house"):  # the deck of the match, whichever it is
        page.goto(address(origin, service.url, match=made["id"], token=made["tokens"][0]))
    expect(page.locator("#prompt")).not_to_be_empty()
    cards = page.eval_on_selector_all(
        "#hand > div > *", "cards => cards.map(card => [...card.childNodes].map(part => part.textContent.trim())[0])"
    )
    assert cards == [names[card] for card in seen["hand"]]
    if game == "lovestruck":
        shown = page.locator("#seats li > b").all_inner_texts()
        assert shown == [names[contestant] for contestant in seen["contestants"]]
    assert all_told(page, made, made["tokens"][0]) > 12
    lines = page.locator("#events li").all_inner_texts()
    assert any(name in line for line in lines for name in names.values())
    assert not [line for line in lines if "{" in line or "_" in line]


def test_the_decision_comes_first_and_nothing_stands_empty(page: Page, origin: str, service: Server) -> None:
    made = create(service)
    page.goto(address(origin, service.url, match=made["id"], token=made["tokens"][0]))
    first = page.locator("#actions button").first
    expect(first).to_be_in_viewport()
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#actions').contains(document.activeElement)")
    expect(page.locator("#hand")).to_be_in_viewport()
    act(made, 1)
    expect(page.locator("#prompt")).to_have_text("Waiting for Player 2")
    requests.post(f"{made['url']}/cancel", headers=bearer(made["host"]), timeout=60)
    expect(page.locator("#prompt")).to_have_text("The match is cancelled")


def test_what_was_said_of_an_outage_goes_with_it(page: Page, origin: str, tmp_path: Path) -> None:
    """Nobody acts again: the stream opens, and that is enough."""
    env = {"PARLOUR_CORS_ORIGINS": origin}
    at = ("--port", str(free_ports(1)[0]))
    server = start_server(tmp_path, *at, env=env)
    try:
        made = create(server)
        page.goto(address(origin, server.url, match=made["id"], token=made["tokens"][0]))
        expect(page.locator("#live")).to_have_text("live")
        server.stop()
        page.locator("#actions button").first.click()
        expect(page.locator("#problem")).to_contain_text("No answer")
        expect(page.locator("#live")).not_to_have_text("live")
        server = start_server(tmp_path, *at, env=env)
        expect(page.locator("#live")).to_have_text("live")
        expect(page.locator("#problem")).to_be_hidden()
    finally:
        server.stop()


def test_without_a_chromium_it_is_said_what_to_install(tmp_path: Path) -> None:
    status, printed = run([sys.executable, str(TESTS / "chromium.py")], env={"PATH": str(tmp_path)})
    assert (status, "apt install chromium" in printed) == (1, True)
