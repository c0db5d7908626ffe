"""Every setting, and the one reader of the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, cast

from .connect import read_address
from .errors import BadSetting
from .keyring import SHAPE, Keyring
from .rates import read_quotas
from .store.webhooks import KEPT_MS

LONGEST_S = 10 * 365 * 86400.0
MOST_WAITERS = 480
"""A waiter holds one of the server's 1,024 threads, and so does a body while it is read (400 at most)."""
MOST_REPLICAS = 16


@dataclass(frozen=True, slots=True)
class Settings:
    """What a deployment decides. Durations in seconds."""

    secret: bytes = field(repr=False)
    """Key of every seat and host token: at least 16 bytes, the same in all processes, never logged."""
    redis_url: str = field(default="redis://127.0.0.1:6379/0", repr=False)
    """Where matches live: one Redis, or Sentinel's, or a Cluster."""
    queue_url: str = field(default="", repr=False)
    """Where RQ's queues live: one Redis, or Sentinel's. ``redis_url`` unless set; needed with a Cluster."""
    ack_replicas: int = 0
    """How many replicas must have a change before it is acknowledged to a client; 0 waits for none."""
    decks: Path | None = None
    """Folder of the owner's own decks, as ``<game>/<name>.json``."""
    cors_origins: tuple[str, ...] = ("*",)
    """Origins whose pages may use the API from a browser; * is any."""
    finished_ttl_s: float = 7 * 86400
    """How long a finished match stays readable."""
    idle_ttl_s: float = 30 * 86400
    """How long a match that no worker ends stays, after its latest deadline or after it was to be abandoned."""
    abandon_s: float = 7 * 86400
    """After this long without a change, a match without a clock counts as abandoned."""
    max_waiters: int = 400
    """Long polls and streams that one process holds at once; keep it below the server's thread limit."""
    max_waiters_each: int = 16
    """How many of them it holds for one token, or without a token for one address."""
    bot_answer_s: tuple[float, float] = (0.2, 1.0)
    """From when to when a house bot answers an offer or a secret decision; drawn without looking at its hand."""
    resend_s: float = 2.0
    """After this long without a change, a match that waits for a house bot or an expiry is handed out again."""
    limits: str = ""
    """``off``, or changes to what one caller may ask for, such as ``address.write=60/minute token.talk=5/10second``."""
    proxies: int = 0
    """How many proxies in front add to ``X-Forwarded-For``; the caller's address is what the outermost of them saw."""
    metrics_token: bytes = field(default=b"", repr=False)
    """Bearer token that ``/metrics`` asks for; without one only this machine gets an answer."""
    api_keys: Keyring = field(default=Keyring(), repr=False)
    """Partners' keys, as ``name=key_…`` with spaces between; from 24 characters after ``key_`` on, never logged."""
    create: Literal["anyone", "key"] = "anyone"
    """Who may create matches: anyone, or only who sends an API key."""
    webhook_private: Literal["refuse", "allow"] = "refuse"
    """Webhooks to private, loopback and link-local addresses: allow them where partners are in your own network."""
    webhook_retry_s: tuple[float, ...] = (5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 28800)
    """Pauses before a webhook is tried again, with spaces between; after the last one it has failed."""
    log: Literal["text", "json"] = "text"
    """How log records are written: lines for people, or one JSON object each."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """From which level on; at debug every request has a line."""


def read_settings(env: Mapping[str, str] = os.environ) -> Settings:
    """Settings from ``PARLOUR_*``; raises BadSetting naming the variable and what would be right."""
    for name, text in env.items():
        if name.startswith("PARLOUR_") and re.search("[\ud800-\udfff]", text):  # how Python reads what is not UTF-8
            raise BadSetting(name, "must be text in UTF-8")
    secret = env.get("PARLOUR_SECRET", "")
    if len(secret) < 16:
        raise BadSetting("PARLOUR_SECRET", "must be set to at least 16 characters, the same for API and worker")
    redis_url = env.get("PARLOUR_REDIS_URL", "")
    if not redis_url:
        raise BadSetting(
            "PARLOUR_REDIS_URL", "must name a Redis, such as redis://127.0.0.1:6379/0 or unix:///run/redis.sock"
        )
    redis_url = _url("PARLOUR_REDIS_URL", redis_url)
    default = Settings(secret.encode(), redis_url)
    decks = env.get("PARLOUR_DECKS", "")
    keys = _keyring(env, "PARLOUR_API_KEYS")
    create = _word(env, "PARLOUR_CREATE", ("anyone", "key"), default.create)
    if create == "key" and not keys:
        raise BadSetting("PARLOUR_CREATE", "must be anyone, or PARLOUR_API_KEYS must list a key: nobody could create")
    return Settings(
        secret=secret.encode(),
        redis_url=redis_url,
        queue_url=_queue_url(env.get("PARLOUR_QUEUE_URL", "") or redis_url),
        ack_replicas=_count(env, "PARLOUR_ACK_REPLICAS", default.ack_replicas, MOST_REPLICAS, least=0),
        decks=Path(decks) if decks else None,
        cors_origins=_origins(env, "PARLOUR_CORS_ORIGINS", default.cors_origins),
        finished_ttl_s=_number(env, "PARLOUR_FINISHED_TTL_S", default.finished_ttl_s, 1),
        idle_ttl_s=_number(env, "PARLOUR_IDLE_TTL_S", default.idle_ttl_s, 1),
        abandon_s=_number(env, "PARLOUR_ABANDON_S", default.abandon_s, 1),
        max_waiters=_count(env, "PARLOUR_MAX_WAITERS", default.max_waiters, MOST_WAITERS),
        max_waiters_each=_count(env, "PARLOUR_MAX_WAITERS_EACH", default.max_waiters_each, MOST_WAITERS),
        bot_answer_s=_range(env, "PARLOUR_BOT_ANSWER_S", default.bot_answer_s),
        resend_s=_number(env, "PARLOUR_RESEND_S", default.resend_s, 0.1),
        limits=_limits(env, "PARLOUR_LIMITS"),
        proxies=_count(env, "PARLOUR_PROXIES", default.proxies, 16, least=0),
        metrics_token=_bearer(env, "PARLOUR_METRICS_TOKEN"),
        api_keys=keys,
        create=cast(Literal["anyone", "key"], create),
        webhook_private=cast(
            Literal["refuse", "allow"],
            _word(env, "PARLOUR_WEBHOOK_PRIVATE", ("refuse", "allow"), default.webhook_private),
        ),
        webhook_retry_s=_pauses(env, "PARLOUR_WEBHOOK_RETRY_S", default.webhook_retry_s),
        log=cast(Literal["text", "json"], _word(env, "PARLOUR_LOG", ("text", "json"), default.log)),
        log_level=cast(
            Literal["debug", "info", "warning", "error"],
            _word(env, "PARLOUR_LOG_LEVEL", ("debug", "info", "warning", "error"), default.log_level),
        ),
    )


def misspelt(env: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that look like settings and are none, each with the setting that it may have meant."""
    known = [setting.name.upper() for setting in fields(Settings)]
    names = [name for name in sorted(env) if name.startswith("PARLOUR_") and name[8:] not in known]
    near = {name: get_close_matches(name[8:], known, 1) for name in names}
    return {name: f"PARLOUR_{found[0]}" if found else None for name, found in near.items()}


def _number(env: Mapping[str, str], name: str, default: float, least: float) -> float:
    text = env.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        raise BadSetting(name, f"must be a number, not {text!r}") from None
    if not least <= value <= LONGEST_S:
        raise BadSetting(name, f"must be at least {least:g} and at most {LONGEST_S:.0f} (ten years), not {text}")
    return value


def _count(env: Mapping[str, str], name: str, default: int, most: int, least: int = 1) -> int:
    text = env.get(name, "") or str(default)
    if not text.isascii() or not text.isdigit() or not least <= int(text[:9]) <= most:
        raise BadSetting(name, f"must be a whole number from {least} to {most}, not {text!r}")
    return int(text)


def _word(env: Mapping[str, str], name: str, words: tuple[str, ...], default: str) -> str:
    text = env.get(name, "") or default
    if text not in words:
        raise BadSetting(name, f"must be one of {', '.join(words)}, not {text!r}")
    return text


def _range(env: Mapping[str, str], name: str, default: tuple[float, float]) -> tuple[float, float]:
    text = env.get(name, "")
    if not text:
        return default
    low, dash, high = text.partition("-")
    try:
        pair = (float(low), float(high if dash else low))
    except ValueError:
        raise BadSetting(name, f"must be two numbers with a dash between, such as 0.2-1.0, not {text!r}") from None
    if not 0 <= pair[0] <= pair[1] <= 3600:
        raise BadSetting(name, f"must rise, from zero at least to 3600 at most, not {text!r}")
    return pair


def _limits(env: Mapping[str, str], name: str) -> str:
    text = env.get(name, "")
    try:
        read_quotas(text)
    except ValueError as error:
        raise BadSetting(name, str(error)) from None
    return text


def _pauses(env: Mapping[str, str], name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    try:
        pauses = tuple(map(float, env.get(name, "").split())) or default
    except ValueError:
        pauses = ()
    if not 0 < len(pauses) <= 30 or not all(0 < pause <= 86400 for pause in pauses):
        raise BadSetting(name, "must list 1 to 30 numbers above zero, at most 86400, with spaces between: 5 30 120")
    if sum(pauses) * 1000 >= KEPT_MS:
        raise BadSetting(
            name, f"must last less than {KEPT_MS // 1000} seconds (7 days) in all: a delivery is kept so long"
        )
    return pauses


def _url(name: str, url: str) -> str:
    try:
        read_address(url)
    except ValueError as error:
        raise BadSetting(name, f"must be an address such as redis://127.0.0.1:6379/0: {error}") from None
    return url


def _queue_url(url: str) -> str:
    name = "PARLOUR_QUEUE_URL"
    if read_address(_url(name, url)).kind == "cluster":
        raise BadSetting(name, "must name a single or Sentinel Redis: RQ's worker does not run on a Cluster")
    return url


def _bearer(env: Mapping[str, str], name: str) -> bytes:
    """A token as a header can carry it; a fault does not repeat it."""
    text = env.get(name, "")
    if not re.fullmatch("[!-~]*", text):
        raise BadSetting(name, "must be ASCII without blanks, since it comes in a header")
    return text.encode()


_ORIGIN = re.compile(r"(https?)://([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?")


def _origins(env: Mapping[str, str], name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """Origins in the only form in which a browser ever sends them: any other would never match."""
    origins = tuple(env.get(name, "").replace(",", " ").split()) or default
    for origin in origins:
        if origins != ("*",) and not _is_origin(origin):
            raise BadSetting(
                name,
                f"must be *, or list origins as browsers send them, such as https://play.example or "
                f"http://localhost:3000: lower case, no path, no slash at the end, no usual port; not {origin!r}",
            )
    return origins


def _is_origin(text: str) -> bool:
    parts = _ORIGIN.fullmatch(text)
    if parts is None:
        return False
    scheme, host, port = parts.groups()
    if port is not None and (int(port) > 65535 or int(port) == {"http": 80, "https": 443}[scheme]):
        return False
    if host.startswith("[") or host.rpartition(".")[2].isdigit():
        try:
            return str(ip_address(host.strip("[]"))) == host.strip("[]")
        except ValueError:
            return False
    return True


def _keyring(env: Mapping[str, str], name: str) -> Keyring:
    """Faults are told by place: what is wrong may hold a key."""
    keys: list[tuple[str, str]] = []
    for place, text in enumerate(env.get(name, "").split(), 1):
        shape = SHAPE.fullmatch(text)
        if shape is None:
            raise BadSetting(
                name,
                "must list name=key_… with spaces between: a name of 1 to 40 characters a-z 0-9 _ -, after key_ at "
                f"least 24 characters A-Z a-z 0-9 _ -; number {place} is no such entry",
            )
        if any(shape[2] == key for _, key in keys):
            raise BadSetting(name, f"must not list a key twice; number {place} was there before")
        keys.append((shape[1], shape[2]))
    return Keyring(tuple(keys))
