"""The service where its surroundings have their own ways: a proxy for the web, addresses, a data folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from parlour import Client
from parlour_api.commands import _kept_secret, _url
from parlour_api.supervise import CannotServe

from tests.support import running_server

NOWHERE = "http://127.0.0.1:9"


def test_a_proxy_of_the_environment_is_not_asked_for_what_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, NOWHERE)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with running_server() as server, Client(server.url) as client:
        assert client.is_ready()


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::1", "http://[::1]:80"),
        ("::", "http://[::1]:80"),
        ("play.example", "http://play.example:80"),
    ],
)
def test_an_address_is_printed_as_one_can_use_it(host: str, url: str) -> None:
    assert _url(host, 80) == url
    Client(url).close()


def test_a_secret_that_is_empty_is_told(tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    with pytest.raises(CannotServe, match="secret is empty"):
        _kept_secret(tmp_path)
    (tmp_path / "secret").unlink()
    secret = _kept_secret(tmp_path)
    assert (len(secret), _kept_secret(tmp_path)) == (43, secret)
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
