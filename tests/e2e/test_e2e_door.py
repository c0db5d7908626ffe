"""Clients that are slow or idle, by the hundred: they wait, and the others are served meanwhile."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from parlour_api.bodies import MOST, MOST_EACH
from requests.adapters import HTTPAdapter

from tests.support import PATIENCE_S, Server, free_ports, running_server, until

ROOT = Path(__file__).parent.parent.parent
TLS = ROOT / "tests" / "api" / "tls"
NAME = "partner.example"
NO_NGINX = "no nginx found, which this test drives: apt-get install nginx-light"
BODY = {"game": "valente", "seats": [{"kind": "open"}, {"kind": "open"}]}
SLOW = "POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n{more}\r\n{{"


@pytest.fixture(scope="module")
def behind() -> Iterator[Server]:
    """A server that believes its proxy where a request came from."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with running_server(env={"PARLOUR_PROXIES": "1"}) as server:
        yield server


def test_slow_bodies_leave_threads_to_others(behind: Server) -> None:
    """One address' are bounded, and those of all, so that reading goes on whatever they do."""
    address = (urlsplit(behind.url).hostname, urlsplit(behind.url).port)

    def create(origin: str) -> int:
        answer = requests.post(f"{behind.url}/v1/matches", json=BODY, headers={"X-Forwarded-For": origin}, timeout=60)
        if answer.status_code == 429:
            assert (answer.json()["code"], answer.headers["Retry-After"]) == ("rate_limited", "1")
        return answer.status_code

    with ExitStack() as stack:
        for number, origin in enumerate(("192.0.2.1", "192.0.2.2"), 1):
            for _ in range(MOST_EACH + 100):
                slow = stack.enter_context(socket.create_connection(address))
                slow.sendall(SLOW.format(more=f"X-Forwarded-For: {origin}\r\n").encode())
            until(lambda origin=origin: create(origin) == 429)
            assert requests.get(f"{behind.url}/healthz", timeout=60).status_code == 200
            assert requests.get(f"{behind.url}/v1/matches", timeout=60).status_code == 200
            assert create("192.0.2.3") == (201 if MOST_EACH * number < MOST else 429)
    until(lambda: create("192.0.2.1") == 201)


@pytest.mark.parametrize(
    "sent", ["", "GET /healthz HTTP/1.1\r\nHost: x\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"]
)
def test_idle_connections_leave_places_to_others(behind: Server, sent: str) -> None:
    """Connections that ask nothing, half a question, or nothing more."""
    address = (urlsplit(behind.url).hostname, urlsplit(behind.url).port)
    with ExitStack() as stack:
        for _ in range(1500):
            idle = stack.enter_context(socket.create_connection(address))
            idle.sendall(sent.encode())
        assert requests.get(f"{behind.url}/healthz", timeout=25).status_code == 200


class _Named(HTTPAdapter):
    """Asks for the name of the certificate of these tests, whatever the address."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs, server_hostname=NAME, assert_hostname=NAME)


@contextmanager
def nginx(folder: Path, upstream: int) -> Iterator[int]:
    """A real nginx with the page of docs/ but for its addresses, files and patience; its port."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, NO_NGINX
    (port,) = free_ports(1)
    page = (ROOT / "docs" / "nginx.conf").read_text()
    for here, there in (
        ("127.0.0.1:8080", f"127.0.0.1:{upstream}"),
        ("    listen 443 ssl;\n    listen [::]:443 ssl;\n", f"    listen 127.0.0.1:{port} ssl;\n"),
        ("/etc/letsencrypt/live/play.example/fullchain.pem", str(TLS / f"{NAME}.pem")),
        ("/etc/letsencrypt/live/play.example/privkey.pem", str(TLS / f"{NAME}.pem")),
        ("/var/log/nginx/parlour.log", str(folder / "access.log")),
        ("client_body_timeout 10s", "client_body_timeout 1s"),
    ):
        assert here in page
        page = page.replace(here, there)
    (folder / "parlour.conf").write_text(page)
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\n{paths}include {folder}/parlour.conf;\n}}\n"
    )
    command = [program, "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
    tried = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stderr
    process = subprocess.Popen(command)
    try:
        until(lambda: listens(port))
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def listens(port: int) -> bool:
    """Whether somebody does on that port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_nginx_of_the_docs_takes_slow_bodies_upon_itself(behind: Server, tmp_path: Path) -> None:
    """It ends a body that does not come, lets streams through as they happen, and tells us who asks."""
    upstream = urlsplit(behind.url).port
    assert upstream is not None
    trust = ssl.create_default_context(cafile=str(TLS / "ca.pem"))
    with nginx(tmp_path, upstream) as port, ExitStack() as stack:
        url = f"https://127.0.0.1:{port}"
        session = stack.enter_context(requests.Session())
        session.mount("https://", _Named())
        session.trust_env = False  # it may name another store of certificates
        session.verify = str(TLS / "ca.pem")
        slow = []
        for _ in range(60):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            slow.append(stack.enter_context(trust.wrap_socket(raw, server_hostname=NAME)))
            slow[-1].sendall(SLOW.format(more="").encode())
        made = session.post(f"{url}/v1/matches", json=BODY, timeout=60)
        assert made.status_code == 201
        where = f"{url}/v1/matches/{made.json()['match']['id']}"
        stream = stack.enter_context(
            session.get(f"{where}/events", headers={"Accept": "text/event-stream"}, stream=True, timeout=60)
        )
        lines = stream.iter_lines(chunk_size=1)
        assert next(lines) == b"retry: 1000"
        assert session.post(f"{where}/join", json={"name": "Ada"}, timeout=60).status_code == 200
        assert any(b"Ada" in line for line in lines)  # kept back, it would not come before the match is over
        large = session.post(f"{url}/v1/matches", json={"game": "v" * 100_000}, timeout=60)
        assert (large.status_code, large.json()["code"]) == (413, "body_too_large")
        assert session.get(f"{url}/metrics", timeout=60).status_code == 404
        assert "max-age" in session.get(f"{url}/v1/games", timeout=60).headers["Strict-Transport-Security"]
        for each in slow:
            each.settimeout(60)
            assert each.recv(100)[:12] in (b"", b"HTTP/1.1 408")
        session.get(f"{where}/events?ticket=tkt_secret", timeout=60)
    assert "tkt_" not in (tmp_path / "access.log").read_text()
