"""Log lines: one per record, with what the record adds, and never a secret."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from parlour_api import logs
from parlour_api.errors import BadSetting
from parlour_api.settings import Settings, read_settings

from tests.api.conftest import SECRET, Api

SECRETS = [
    "seat_3_" + "aB-_" * 8,
    "host_" + "Zz09" * 8,
    "tkt_" + "abcdefgh" * 4,
    "key_" + "aB3_-" * 6,
    "whsec_" + "aB3/+" * 8 + "==",
    "0123456789abcdef" * 2,
    "0123456789ABCDEF" * 4,
]


def record(message: str = "said", **extra: Any) -> logging.LogRecord:
    made = logging.LogRecord("parlour_api.app", logging.WARNING, "app.py", 1, message, (), None)
    vars(made).update(extra)
    return made


@pytest.fixture
def restored() -> Iterator[None]:
    """Logging as it was before, afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    own = {name: logging.getLogger(name).level for name in ("parlour_api", "parlour_worker")}
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, before in own.items():
        logging.getLogger(name).setLevel(before)


def test_a_json_line() -> None:
    line = logs.Json().format(record("storage\nunavailable", request_id="req_x", seats=(1, 2)))
    assert "\n" not in line
    told = json.loads(line)
    assert told.pop("time").endswith("Z")
    assert told == {
        "level": "warning",
        "logger": "parlour_api.app",
        "message": "storage\nunavailable",
        "request_id": "req_x",
        "seats": [1, 2],
    }


def test_a_traceback_is_a_field_of_its_line() -> None:
    made = record()
    try:
        raise ValueError("no such card")
    except ValueError:
        made.exc_info = sys.exc_info()
    line = logs.Json().format(made)
    assert "\n" not in line
    assert json.loads(line)["exception"].endswith("ValueError: no such card")
    assert logs.Text().format(made).endswith("ValueError: no such card")


def test_a_text_line() -> None:
    line = logs.Text().format(record(match="mat_0abc", error="TooBusy"))
    assert line.endswith("Z WARNING parlour_api.app: said match=mat_0abc error=TooBusy")


@pytest.mark.parametrize("formatter", [logs.Json(), logs.Text()], ids=["json", "text"])
@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_gets_through(formatter: logging.Formatter, secret: str) -> None:
    for made in (record(f"at /v1/x?ticket={secret}"), record(token=secret), record(error=[f"<{secret}>"])):
        line = formatter.format(made)
        assert secret not in line
        assert "[secret]" in line


@pytest.mark.parametrize(
    "harmless", ["mat_0abcdefghijklmnop", "req_abcdefghijkl", "dec_abcdefgh_0_12", "bots-mat_0abc-17"]
)
def test_ids_stay(harmless: str) -> None:
    assert harmless in logs.Json().format(record(harmless))


def test_a_value_that_json_does_not_know() -> None:
    assert json.loads(logs.Json().format(record(what={1: object})))["what"] == {"1": "<class 'object'>"}


def test_text_that_is_no_unicode_and_numbers_too_large_for_json() -> None:
    told = json.loads(logs.Json().format(record("\ud800", much=2**70)))
    assert (told["message"], told["much"]) == ("\ud800", 2**70)


def test_nobody_writes_a_line_of_their_own_into_the_log() -> None:
    line = logs.Text().format(record("request", path="/x\n2026-01-01 ERROR all is lost\x1b[2J"))
    assert line.isprintable()
    assert line.endswith("path=/x\\n2026-01-01 ERROR all is lost\\x1b[2J")


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What was logged, but for what other tests' apps go on to say in their threads: that their Redis is away."""
    return [line for line in capsys.readouterr().err.splitlines() if "metrics not sent" not in line]


@pytest.mark.usefixtures("restored")
def test_the_settings_choose_format_and_level(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(Settings(SECRET, log="json", log_level="debug"))
    logging.getLogger("parlour_api.app").debug("request", extra={"status": 200})
    logging.getLogger("another.library").info("not told")
    (line,) = lines(capsys)
    assert json.loads(line)["status"] == 200
    logs.set_up(Settings(SECRET, log_level="error"))
    logging.getLogger("parlour_worker").warning("not told")
    logging.getLogger("parlour_worker").error("told")
    (line,) = lines(capsys)
    assert line.endswith("ERROR   parlour_worker: told")


@pytest.mark.parametrize(("name", "value"), [("PARLOUR_LOG", "xml"), ("PARLOUR_LOG_LEVEL", "LOUD")])
def test_a_wrong_word_is_refused(name: str, value: str) -> None:
    env = {"PARLOUR_SECRET": "x" * 16, "PARLOUR_REDIS_URL": "redis://127.0.0.1", name: value}
    with pytest.raises(BadSetting, match=f"{name} must be one of .*, not '{value}'"):
        read_settings(env)


def test_an_unexpected_error_is_logged_with_the_request_id_of_its_answer(
    api: Api, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(api.service.reader, "lobby", broken)
    answer = api.get("/v1/matches")
    assert answer.status_code == 500
    assert answer.json is not None
    (told,) = [each for each in caplog.records if each.message == "request failed"]
    assert vars(told)["request_id"] == answer.json["request_id"] == answer.headers["X-Request-Id"]
    assert "a fault of ours" in logs.Json().format(told)
    assert "a fault of ours" not in answer.text
