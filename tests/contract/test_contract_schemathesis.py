"""Generated requests against the real server, alone and in a row: no 5xx, nothing that the document does not say."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.api.conftest import Api, fresh_api
from tests.contract.scenes import over
from tests.contract.test_contract_openapi import operations
from tests.support import API_KEY, Server

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]

TABLES = [
    ("valente", [{"kind": "mine"}, {"kind": "mine"}]),
    ("love_is_dead", [{"kind": "mine"}, {"kind": "open"}, {"kind": "open"}]),
    ("lovestruck", [{"kind": "mine"}] * 5),
]
ON_A_MATCH = {each["operationId"] for _, path, each in operations() if path.startswith("/v1/matches/{match_id}")}
Known = list[tuple[str, list[str]]]


@pytest.fixture(scope="module")
def known(server: Server) -> Known:
    """A match of each game, with the tokens of all its seats."""
    made = []
    for game, seats in (("valente", 2), ("love_is_dead", 3), ("lovestruck", 5)):
        body = {"game": game, "seats": [{"kind": "mine"}] * seats}
        answer = requests.post(f"{server.url}/v1/matches", json=body, timeout=120).json()
        made.append((answer["match"]["id"], [entry["token"] for entry in answer["seat_tokens"]]))
    return made


@pytest.fixture(scope="module")
def api_schema(server: Server) -> Any:
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


def aim(case: schemathesis.Case, known: Known) -> None:
    """Most requests ask for a match that is there, half of those with a good token: else all would end at the door."""
    number = len(str(case.body)) + len(str(case.query))
    if "match_id" in (case.path_parameters or {}) and number % 4:
        match_id, tokens = known[number % 3]
        case.path_parameters["match_id"] = match_id
        if number % 2:
            case.headers = {**dict(case.headers or {}), "Authorization": f"Bearer {tokens[number % len(tokens)]}"}
    if "/webhooks" in case.path and number % 4:
        case.headers = {**dict(case.headers or {}), "Authorization": f"Bearer {API_KEY}"}
        if case.path.endswith("/webhooks") and isinstance(case.body, dict) and number % 2:
            case.body["url"] = "https://93.184.216.34/hook"
    if "game" in (case.path_parameters or {}) and len(case.path_parameters["game"]) % 2:
        case.path_parameters["game"] = "valente"
    if isinstance(case.body, dict) and "seats" in case.body and number % 4:
        case.body["game"] = ("valente", "love_is_dead", "lovestruck")[number % 3]
    no_wait(case)


def no_wait(case: schemathesis.Case) -> None:
    """Neither of the two ways to ask for a long poll, which would take up to a minute each."""
    case.query = {name: value for name, value in (case.query or {}).items() if name != "wait"}
    case.headers = {name: value for name, value in (case.headers or {}).items() if name.lower() != "prefer"}


def answered(case: schemathesis.Case) -> Any:
    """The answer; if it says "come back later", as from a machine that stood still, what it is then."""
    until = time.monotonic() + 60
    while True:
        answer = case.call(timeout=120)
        if answer.status_code != 503 or "retry-after" not in answer.headers or time.monotonic() > until:
            return answer
        time.sleep(1)


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in operations()])
def test_generated_requests(api_schema: Any, known: Known, method: str, path: str) -> None:
    @settings(max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(case=api_schema[path][method].as_strategy())
    def ask(case: schemathesis.Case) -> None:
        aim(case, known)
        case.validate_response(answered(case), checks=CHECKS)

    ask()


@pytest.fixture(scope="module")
def deterministic(redis_url: str) -> Iterator[Api]:
    """An app whose clock stands still, since Hypothesis has to see the same when it asks the same again."""
    with fresh_api(redis_url, limits="off") as made:
        yield made


def test_requests_that_follow_the_links(deterministic: Api) -> None:
    """Create, join, observe, act, talk, leave ... in any order, with the tokens that the answers brought."""
    api = deterministic
    document = schemathesis.openapi.from_wsgi("/openapi.json", api.client.application)
    went_well: set[str] = set()

    class Table(document.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            """An empty service, a match of each game, one that waits for its host, and one that is over."""
            api.service.store.client.flushall()
            api.ids.count = 0
            self.step_number = 0
            self.tokens: dict[str, list[str]] = {}
            for game, seats in TABLES:
                self.keep(api.post("/v1/matches", {"game": game, "seats": seats}).json)
            self.keep(api.create("mm", start="manual"))
            self.keep(over(api))

        def keep(self, made: Any) -> None:
            """The tokens that an answer brought."""
            fresh = [
                made.get("token"),
                made.get("host_token"),
                *(each["token"] for each in made.get("seat_tokens", ())),
            ]
            if any(fresh):
                self.tokens.setdefault(made["match"]["id"], []).extend(filter(None, fresh))

        def before_call(self, case: schemathesis.Case) -> None:
            """Most requests are for a match of ours, with one of its tokens, and most acts answer what is owed."""
            self.step_number += 1
            number = self.step_number
            parameters = case.path_parameters or {}
            if "match_id" in parameters and number % 8:
                if parameters["match_id"] not in self.tokens:
                    parameters["match_id"] = list(self.tokens)[number % len(self.tokens)]
                held = self.tokens[parameters["match_id"]]
                case.headers = {**dict(case.headers or {}), "Authorization": f"Bearer {held[number // 3 % len(held)]}"}
                if case.path.endswith("/actions"):
                    self.answer_what_is_owed(case, number)
            if "seat" in parameters:
                parameters["seat"] = number % 3
            if isinstance(case.body, dict) and "seats" in case.body:
                case.body["game"], case.body["seats"] = TABLES[number % len(TABLES)]
                case.body.pop("options", None)
            no_wait(case)

        def answer_what_is_owed(self, case: schemathesis.Case, number: int) -> None:
            match_id = case.path_parameters["match_id"]
            for token in self.tokens[match_id]:
                decision = (api.get(f"/v1/matches/{match_id}/observation", token).json or {}).get("decision")
                if decision is not None:
                    case.headers = {"Authorization": f"Bearer {token}"}
                    legal = decision["legal_actions"]
                    case.body = {"decision": decision["id"], "actions": [{"id": legal[number % len(legal)]["id"]}]}
                    return

        def after_call(self, response: Any, case: schemathesis.Case) -> None:
            if response.status_code in (200, 201):
                went_well.add(case.operation.definition.raw["operationId"])
                if case.method == "POST":
                    self.keep(response.json())

        def validate_response(self, response: Any, case: schemathesis.Case, *_: Any, **__: Any) -> None:
            case.validate_response(response, checks=CHECKS)

    Table.run(
        settings=settings(
            max_examples=80,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
    )
    assert len(went_well & ON_A_MATCH) > 0.7 * len(ON_A_MATCH), f"never went well: {ON_A_MATCH - went_well}"
