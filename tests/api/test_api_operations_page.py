"""docs/operations.md is true: its tables of settings and metrics are the code's, its units and links are there."""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, fields
from inspect import getsource
from itertools import pairwise
from pathlib import Path

import redis
from parlour_api import settings as module
from parlour_api.keyring import Keyring
from parlour_api.metrics import KINDS, gauges
from parlour_api.settings import Settings, read_settings

from tests.support import PARLOUR, run

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "operations.md").read_text("utf-8")


def table(heading: str) -> str:
    """The rows of the table with that first column."""
    found = re.search(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert found is not None, heading
    return found[1]


def said() -> dict[str, str]:
    """What the code says below each setting."""
    (body,) = [node.body for node in ast.parse(getsource(module)).body if isinstance(node, ast.ClassDef)]
    texts: dict[str, str] = {}
    for node, below in pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            assert isinstance(below, ast.Expr), node.target.id
            assert isinstance(below.value, ast.Constant), node.target.id
            texts[node.target.id] = str(below.value.value)
    return texts


def shown(name: str, default: object) -> str:
    if name in ("secret", "redis_url"):
        return "needed"
    if name == "cors_origins":
        return "*"
    if isinstance(default, Keyring):
        return "none"
    if name == "webhook_retry_s":
        return " ".join(map(str, default))
    if isinstance(default, tuple):
        return "-".join(f"{part:g}" for part in default)
    if isinstance(default, (int, float)):
        return f"{default:g}" if default < 86400 else f"{default:.0f} ({default / 86400:g} days)"
    return str(default) if default not in (None, "", b"") else "none"


def test_the_table_of_settings_is_the_codes() -> None:
    texts = said()
    rows = "".join(
        f"| `PARLOUR_{field.name.upper()}` | {shown(field.name, field.default)} | {texts[field.name]} |\n"
        for field in fields(Settings)
    )
    assert table("variable") == rows


def test_each_of_them_is_read_from_the_environment() -> None:
    needed = {"PARLOUR_SECRET": "x" * 16, "PARLOUR_REDIS_URL": "redis://127.0.0.1"}
    other = {
        "decks": "/decks",
        "bot_answer_s": "1-2",
        "cors_origins": "https://a",
        "log": "json",
        "log_level": "error",
        "redis_url": "redis://elsewhere",
        "queue_url": "redis://queue",
        "secret": "y" * 16,
        "metrics_token": "z" * 16,
        "max_waiters": "77",
        "max_waiters_each": "7",
        "limits": "off",
        "proxies": "2",
        "api_keys": "acme=key_" + "x" * 24,
        "create": "key",
        "webhook_private": "allow",
        "webhook_retry_s": "1 2",
        "ack_replicas": "1",
    }
    for field in fields(Settings):
        value = other.get(field.name, "777")
        beside = {"PARLOUR_API_KEYS": other["api_keys"]} if field.name == "create" else {}
        read = read_settings({**needed, **beside, f"PARLOUR_{field.name.upper()}": value})
        assert field.default is MISSING or getattr(read, field.name) != field.default, field.name


def test_the_table_of_metrics_is_the_codes(redis_url: str) -> None:
    client = redis.Redis.from_url(redis_url)
    counted = [
        (f"parlour_{name}" + ("" if kind.buckets else "_total"), kind.labels, kind.text) for name, kind in KINDS.items()
    ]
    counted.extend(
        (metric.name, tuple(getattr(metric, "_labelnames", ())), metric.documentation)
        for metric in gauges(client, client, 0)
    )
    rows = "".join(f"| `{name}` | {', '.join(labels)} | {text} |\n" for name, labels, text in counted)
    assert table("metric") == rows


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE)
    assert len(links) >= 4
    for link in links:
        assert (DOCS / link).exists(), link


def test_the_units_start_what_is_there() -> None:
    units = sorted((DOCS / "systemd").glob("*.service"))
    assert [unit.name for unit in units] == ["parlour-api.service", "parlour-worker.service", "parlour.service"]
    for unit in units:
        assert unit.name in PAGE
        (command,) = re.findall(r"^ExecStart=(.*)$", unit.read_text("utf-8"), re.MULTILINE)
        name, *options = command.split()[1:]
        _, printed = run([*PARLOUR, name, "--help"])
        for option in options:
            assert not option.startswith("--") or option in printed, (unit.name, option)
