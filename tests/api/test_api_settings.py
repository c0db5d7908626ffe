"""Settings are refused before anything starts, each with its name and what would be right."""

from __future__ import annotations

import pytest
from parlour_api.errors import BadSetting
from parlour_api.settings import read_settings

GOOD = {"PARLOUR_SECRET": "a secret long enough", "PARLOUR_REDIS_URL": "redis://127.0.0.1:6379/0"}

BAD = [
    ("PARLOUR_SECRET", "short"),
    ("PARLOUR_REDIS_URL", ""),
    ("PARLOUR_REDIS_URL", "nonsense"),
    ("PARLOUR_QUEUE_URL", "http://127.0.0.1"),
    *((name, text) for name in ("PARLOUR_FINISHED_TTL_S", "PARLOUR_IDLE_TTL_S", "PARLOUR_ABANDON_S", "PARLOUR_RESEND_S")
      for text in ("nan", "inf", "1e30", "0", "-1", "x")),
    *(("PARLOUR_MAX_WAITERS", text) for text in ("0", "0.5", "inf", "-3", "100000", "x")),
    *(("PARLOUR_BOT_ANSWER_S", text) for text in ("-1", "1-0.5", "x", "nan", "inf", "1-", "1-2-3")),
    ("PARLOUR_CORS_ORIGINS", "foo"),
    ("PARLOUR_LOG", "xml"),
    ("PARLOUR_CREATE", "nobody"),
    ("PARLOUR_WEBHOOK_PRIVATE", "yes"),
    *(("PARLOUR_WEBHOOK_RETRY_S", text) for text in ("x", "0", "-1", "5,6", "nan", "90000", "1 " * 31)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), BAD)
def test_a_wrong_setting_is_named(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=f"^{name} must"):
        read_settings({**GOOD, name: text})


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
