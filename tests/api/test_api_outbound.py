"""Requests to partners' addresses: which URLs are refused, and what is made of servers that misbehave."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network
from pathlib import Path

import pytest
from parlour_api import outbound
from parlour_api.outbound import Target, Undeliverable, is_public, post, resolve, target

from tests.receiver import Receiver, receiver

TLS = Path(__file__).parent / "tls"

PRIVATE = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.8.8.8", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::7f00:1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "64:ff9b::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:db8::1", "2001:10::1",
    "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo",
    "2606:4700::1%lo", "fec0::1", "ff02::1", "ff0e::1", "not an address", "",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_of_the_public_internet(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(Undeliverable, match="not on the public internet"):
        target("https://partner.example/", False, lambda host, port: ["8.8.8.8", address])
    assert target("https://partner.example/", True, lambda host, port: [address]).addresses == (address,)


SPECIAL = [
    # https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32",
    "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
    # https://www.iana.org/assignments/iana-ipv6-special-registry, and multicast; NAT64 and mapped addresses are above
    "::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128",
    "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28",
    "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7",
    "fe80::/10", "ff00::/8",
]  # fmt: skip
"""Every block that IANA gave a purpose to, also those that it calls globally reachable: no partner is in there."""


@pytest.mark.parametrize("block", SPECIAL)
def test_no_address_of_a_special_purpose(block: str) -> None:
    network = ip_network(block)
    some = [network[number * (network.num_addresses - 1) // 64] for number in range(65)]
    assert not [address for address in some if is_public(str(address))]


def test_their_neighbours_are_public() -> None:
    """Nobody is shut out who only lives next door."""
    special = [ip_network(block) for block in SPECIAL]
    edges = {
        type(network[0])(number)
        for network in special
        for number in (int(network[0]) - 1, int(network[-1]) + 1)
        if 0 <= number < 2**network.max_prefixlen
    }
    neighbours = {each for each in edges if not any(each in network for network in special)}
    public = {each for each in neighbours if each.version == 4 or each in ip_network("2000::/3")}
    assert len(public) > 30
    assert not [address for address in public if not is_public(str(address))]


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_that_is(address: str) -> None:
    assert is_public(address)
    assert target("https://partner.example/", False, lambda host, port: [address]).addresses == (address,)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
        "http://localhost/", "http://localhost./", "http://LOCALHOST:8080/", "http://[::1]/", "http://[::ffff:7f00:1]/",
        "http://[::]/", "http://0/", "http://169.254.169.254/latest/meta-data/", "http://[fe80::1%25lo]/",
    ],
)  # fmt: skip
def test_this_machine_however_it_is_written(url: str) -> None:
    with pytest.raises(Undeliverable) as refused:
        target(url, False)
    assert refused.value.why in ("url_refused", "host_not_found")


@pytest.mark.parametrize(
    "url",
    [
        "", "partner.example", "//partner.example/", "ftp://partner.example/", "file:///etc/passwd", "gopher://a/",
        "https://", "https:///x", "https://user@partner.example/", "https://user:pass@partner.example/",
        "https://partner.example:0/", "https://partner.example:99999/", "https://partner.example:x/",
        "https://partner.example/#there", "https://partner.example/a b", "https://partner.example\\@127.0.0.1/",
        "https://partner.example/\r\nX-Evil: 1", "https://partner.example/\ttab", "https://pärtner.example/",
        "https://[::1", "https://partner.example/\x00",
    ],
)  # fmt: skip
@pytest.mark.parametrize("private", [False, True])
def test_what_is_no_url_for_a_webhook(url: str, private: bool) -> None:
    with pytest.raises(Undeliverable) as refused:
        target(url, private, lambda host, port: ["8.8.8.8"])
    assert refused.value.why == "url_refused"


@pytest.mark.parametrize("host", ["nowhere.invalid", "a" * 64 + ".example", "a..b"])
def test_a_name_that_leads_nowhere(host: str) -> None:
    with pytest.raises(Undeliverable) as refused:
        target(f"https://{host}/", False)
    assert refused.value.why == "host_not_found"


def test_a_good_url_in_parts() -> None:
    asked: list[tuple[str, int]] = []

    def answer(host: str, port: int) -> list[str]:
        asked.append((host, port))
        return ["8.8.8.8", "8.8.4.4", "1.1.1.1", "9.9.9.9"]

    found = target("https://Partner.Example/a/b?c=d", False, answer)
    assert found == Target(True, "partner.example", 443, "/a/b?c=d", ("8.8.8.8", "8.8.4.4", "1.1.1.1"))
    assert target("http://partner.example:8080", False, answer).path == "/"
    assert asked == [("partner.example", 443), ("partner.example", 8080)]
    assert resolve("127.0.0.1", 80) == ["127.0.0.1"]


# Servers that misbehave


def here(port: int, *addresses: str, secure: bool = False, host: str = "partner.example") -> Target:
    return Target(secure, host, port, "/hook", addresses or ("127.0.0.1",))


@contextmanager
def raw_server(speak: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that takes one connection and does with it what the test says; its port."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        taken, _ = listening.accept()
        with taken:
            taken.recv(65536)
            speak(taken)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    thread.join(120)
    listening.close()


def why(where: Target) -> str:
    with pytest.raises(Undeliverable) as refused:
        post(where, {}, b"{}")
    return refused.value.why


def drip(taken: socket.socket) -> None:
    try:
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000:
            taken.sendall(bytes([byte]))
            time.sleep(0.05)
    except OSError:
        pass


def test_one_that_says_nothing_and_one_that_says_it_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "TIMEOUT_S", 0.5)
    done = threading.Event()
    for speak in (lambda taken: done.wait(120), drip):  # in the end both would be "no_answer"
        with raw_server(speak) as port:  # type: ignore[arg-type]
            assert why(here(port)) == "timeout"
            done.set()


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 banana\r\n\r\n", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200]
)
def test_one_that_speaks_something_else(said: bytes) -> None:
    with raw_server(lambda taken: taken.sendall(said)) as port:
        assert why(here(port)) == "no_answer"


def test_one_that_is_not_there_and_another_address_that_is() -> None:
    with socket.socket() as silent:  # which does not listen, and lets no other have its port
        silent.bind(("127.0.0.1", 0))
        assert why(here(silent.getsockname()[1])) == "no_connection"
    with receiver() as partner:
        assert post(here(partner.port, "127.0.0.9", "127.0.0.1"), {"X-A": "b"}, b"{}") == 204
        assert partner.taken[0].headers["host"] == f"partner.example:{partner.port}"
        assert partner.taken[0].headers["x-a"] == "b"


def test_nothing_of_an_answer_but_its_status_is_read() -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
        except OSError:
            pass

    with receiver() as partner:
        partner.answers = [endless]
        began = time.monotonic()
        assert post(here(partner.port), {}, b"{}") == 200
        assert time.monotonic() - began < 200


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with receiver() as partner:
        assert post(here(partner.port), {}, b"{}") == 204


# TLS


@pytest.fixture
def partner() -> Iterator[Receiver]:
    """A server with a certificate for partner.example; ``answers`` is empty, names asked for are noted."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "partner.example.pem")
    with receiver(context) as made:
        yield made


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine trusts who signed it."""
    outbound._tls.cache_clear()
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "ca.pem"))
    yield
    outbound._tls.cache_clear()


@pytest.mark.usefixtures("trusted")
def test_the_certificate_is_checked_against_the_name(partner: Receiver) -> None:
    assert post(here(partner.port, secure=True), {}, b"{}") == 204
    assert len(partner.taken) == 1
    for host in ("other.example", "127.0.0.1", "sub.partner.example"):
        assert why(here(partner.port, secure=True, host=host)) == "tls_failed"
    assert len(partner.taken) == 1


def test_a_certificate_that_nobody_vouches_for_is_refused(partner: Receiver) -> None:
    outbound._tls.cache_clear()
    assert why(here(partner.port, secure=True)) == "tls_failed"
    assert partner.taken == []


@pytest.mark.usefixtures("trusted")
def test_the_name_is_sent_along() -> None:
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "partner.example.pem")
    context.sni_callback = lambda sock, name, _: names.append(name)
    with receiver(context) as partner:
        post(here(partner.port, secure=True), {}, b"{}")
    assert names == ["partner.example"]


def test_a_server_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound, "TIMEOUT_S", 3.0)
    with receiver() as plain:
        assert why(here(plain.port, secure=True)) in ("tls_failed", "timeout")
