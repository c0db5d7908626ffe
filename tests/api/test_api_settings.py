"""Settings are refused before anything starts, each with its name and what would be right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import redis
from parlour_api import commands
from parlour_api.connect import connect, read_address
from parlour_api.errors import BadSetting
from parlour_api.settings import misspelt, read_settings
from parlour_api.supervise import CannotServe
from redis.connection import SSLConnection

GOOD = {"PARLOUR_SECRET": "a secret long enough", "PARLOUR_REDIS_URL": "redis://127.0.0.1:6379/0"}

BAD = [
    ("PARLOUR_SECRET", "short"),
    ("PARLOUR_REDIS_URL", ""),
    ("PARLOUR_REDIS_URL", "nonsense"),
    *(("PARLOUR_REDIS_URL", url) for url in ("redis://h:port", "redis+sentinel://h", "redis+sentinel://h/cards/x",
      "redis+cluster://h/1", "redis+cluster://", "redis+cluster://a,:1", "redis+ring://h", "unix+cluster:///x")),
    ("PARLOUR_QUEUE_URL", "http://127.0.0.1"),
    ("PARLOUR_QUEUE_URL", "redis+cluster://127.0.0.1"),
    *(("PARLOUR_ACK_REPLICAS", text) for text in ("-1", "1.5", "17", "x")),
    *((name, text) for name in ("PARLOUR_FINISHED_TTL_S", "PARLOUR_IDLE_TTL_S", "PARLOUR_ABANDON_S", "PARLOUR_RESEND_S")
      for text in ("nan", "inf", "1e30", "0", "1e-9", "0.09", "-1", "x")),
    *((name, "0.9") for name in ("PARLOUR_FINISHED_TTL_S", "PARLOUR_IDLE_TTL_S", "PARLOUR_ABANDON_S")),
    *(("PARLOUR_MAX_WAITERS", text) for text in ("0", "0.5", "inf", "-3", "100000", "x")),
    *(("PARLOUR_BOT_ANSWER_S", text) for text in ("-1", "1-0.5", "x", "nan", "inf", "1-", "1-2-3")),
    ("PARLOUR_SECRET", "x" * 16 + "\udcff"),
    ("PARLOUR_DECKS", "/decks\udcff"),
    *(("PARLOUR_METRICS_TOKEN", text) for text in ("two words", "clé", "end\n", "\t", " ", "\u00a0", "x\x7f")),
    *(("PARLOUR_CORS_ORIGINS", origin) for origin in ("foo", "https://", "https://play.example/", "https://a.example/play",
      "https://Play.example", "HTTPS://play.example", "https://a.example:443", "http://a.example:80", "http://a.example:",
      "http://a.example:99999", "http://a.example:080", "https://me@a.example", "https://a.example?x", "https://*.example",
      "https://käse.example", "http://[::0001]", "http://127.1", "http://[::1", "https://a..example", "ftp://a.example",
      "* https://a.example", "https://a.example *", "null", "https://a.example,https://b.example/")),
    *(("PARLOUR_LIMITS", text) for text in ("off address.read=1/day", "address.read=5/0second", "address.read=0/day",
      "address.read=1/day address.read=2/day", "everybody.read=1/day")),
    ("PARLOUR_LOG", "xml"),
    ("PARLOUR_CREATE", "nobody"),
    ("PARLOUR_CREATE", "key"),
    ("PARLOUR_WEBHOOK_PRIVATE", "yes"),
    *(("PARLOUR_WEBHOOK_RETRY_S", text) for text in ("x", "0", "-1", "5,6", "nan", "90000", "1 " * 31, "86400 " * 7)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), BAD)
def test_a_wrong_setting_is_named(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=f"^{name} (must|knows)") as refused:
        read_settings({**GOOD, name: text})
    assert not re.search(r"[0-9]e[+-][0-9]", str(refused.value).replace(text, "")), (
        "a number that nobody writes like that"
    )
    assert "_TOKEN" not in name or text.strip() == "" or text not in str(refused.value), "a secret"


def test_right_settings_are_read() -> None:
    settings = read_settings(
        {
            **GOOD,
            "PARLOUR_BOT_ANSWER_S": "0-0.5",
            "PARLOUR_MAX_WAITERS": "12",
            "PARLOUR_CORS_ORIGINS": "https://a.example",
        }
    )
    assert settings.bot_answer_s == (0.0, 0.5)
    assert settings.max_waiters == 12
    assert settings.cors_origins == ("https://a.example",)
    assert settings.queue_url == settings.redis_url
    assert "long enough" not in repr(settings)


@pytest.mark.parametrize(
    "origin",
    ["*", "https://a.example", "http://localhost:3000", "http://[::1]:8080", "http://10.0.0.1", "https://my_app.local",
     "https://xn--kse-qla.example", "http://a.example:443", "https://a.example:80"],
)  # fmt: skip
def test_an_origin_as_browsers_send_it_is_taken(origin: str) -> None:
    assert read_settings({**GOOD, "PARLOUR_CORS_ORIGINS": origin}).cors_origins == (origin,)
    if origin != "*":
        two = read_settings({**GOOD, "PARLOUR_CORS_ORIGINS": f"{origin}, https://b.example"})
        assert two.cors_origins == (origin, "https://b.example")


def test_only_partners_create_where_there_are_some() -> None:
    keys = {"PARLOUR_API_KEYS": "acme=key_" + "x" * 24}
    assert read_settings({**GOOD, **keys, "PARLOUR_CREATE": "key"}).create == "key"


def test_replicas_that_are_missing_are_warned_of(redis_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """And not refused: they may come yet."""
    commands._count_replicas(redis_url, 0)
    assert not caplog.records
    commands._count_replicas(redis_url, 1)
    (warning,) = caplog.records
    assert warning.getMessage().startswith(
        "PARLOUR_ACK_REPLICAS is 1, but the Redis of PARLOUR_REDIS_URL has 0 replicas"
    )


def test_a_redis_that_goes_away_while_it_is_asked_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match="PARLOUR_REDIS_URL: no Redis answers there"):
        commands._count_replicas(f"unix://{tmp_path}/nobody.sock", 1)


def test_a_cluster_needs_a_queue_elsewhere() -> None:
    env = {**GOOD, "PARLOUR_REDIS_URL": "redis+cluster://a:7000,b:7001"}
    with pytest.raises(BadSetting, match=r"^PARLOUR_QUEUE_URL must name a single or Sentinel Redis"):
        read_settings(env)
    settings = read_settings({**env, "PARLOUR_QUEUE_URL": "redis+sentinel://c,d:1/cards", "PARLOUR_ACK_REPLICAS": "2"})
    assert settings.queue_url == "redis+sentinel://c,d:1/cards"
    assert settings.ack_replicas == 2


def test_an_address_is_read() -> None:
    one = read_address("redis+sentinel://me:p%40ss@a,b:1,[::1]:2/cards/3?sentinel_password=x")
    assert (one.kind, one.hosts, one.service) == ("sentinel", (("a", 26379), ("b", 1), ("::1", 2)), "cards")
    assert one.options == {"username": "me", "password": "p@ss", "db": 3, "sentinel_password": "x"}
    other = read_address("rediss+cluster://:secret@a:7000,b?ssl_ca_certs=/ca.pem")
    assert (other.kind, other.hosts) == ("cluster", (("a", 7000), ("b", 6379)))
    assert other.options == {"password": "secret", "ssl_ca_certs": "/ca.pem", "connection_class": SSLConnection}
    assert "secret" not in repr(other)


def test_a_client_is_made_without_a_server() -> None:
    """Also of a Cluster: a process that starts while its Redis is away answers 503, and gets over it."""
    for url in ("redis+cluster://127.0.0.1:1", "rediss+sentinel://127.0.0.1:1/cards", "redis://127.0.0.1:1"):
        client = connect(url)
        with pytest.raises(redis.RedisError):
            client.hget("{s00}:mat_x", "version")
        with pytest.raises(redis.RedisError):
            client.pipeline(transaction=False).hget("{s00}:mat_x", "version").execute()
        client.close()


def test_a_misspelt_setting_is_noticed() -> None:
    env = {**GOOD, "PARLOUR_LIMIT": "off", "PARLOUR_COLOUR": "red", "PATH": "/bin"}
    assert misspelt(env) == {"PARLOUR_COLOUR": None, "PARLOUR_LIMIT": "PARLOUR_LIMITS"}
