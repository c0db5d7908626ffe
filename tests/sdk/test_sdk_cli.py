"""The parlour command: what it says when all is well, and when not."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
from parlour import Client
from parlour.cli import main

from tests.support import PARLOUR, Server, clean_env, run, start_server


def test_version_and_help() -> None:
    assert run([*PARLOUR, "--version"]) == (0, f"parlour {version('parlour')}\n")
    status, text = run([*PARLOUR, "--help"])
    assert status == 0
    for command in ("demo", "verify", "serve", "api", "worker", "openapi"):
        assert command in text


@pytest.mark.parametrize("command", ["demo", "verify", "serve", "api", "worker", "openapi"])
def test_every_command_has_help(command: str) -> None:
    status, text = run([*PARLOUR, command, "--help"])
    assert (status, text.startswith(f"usage: parlour {command}")) == (0, True)


def test_no_command_and_a_wrong_one() -> None:
    assert run(PARLOUR)[0] == 2
    status, text = run([*PARLOUR, "shuffle"])
    assert status == 2
    assert "invalid choice: 'shuffle'" in text


NO_ADDRESSES = (
    "foo", "", "localhost:8080", "127.0.0.1:8080", "ftp://127.0.0.1", "http://", "http:///v1", "http://:8080",
    "http://[", "http://a:port", "http://a:99999", "http://a..b", "http://127.0.0.1/?a=b", "http://127.0.0.1/#a",
)  # fmt: skip


@pytest.mark.parametrize("command", [["demo"], ["verify", "--match", "mat_x"]], ids=lambda command: command[0])
def test_an_address_that_is_none(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in NO_ADDRESSES:
        with pytest.raises(SystemExit) as end:
            main([*command, "--url", wrong])
        assert end.value.code == 2
        assert f"the address of a server looks like http://127.0.0.1:8080, not {wrong!r}" in capsys.readouterr().err


def test_a_client_of_no_address() -> None:
    for wrong in NO_ADDRESSES:
        with pytest.raises(ValueError, match=r"looks like http://127\.0\.0\.1:8080"):
            Client(wrong)
    for right in ("http://127.0.0.1:8080/", "https://cards.example/parlour", "http://[::1]:8080"):
        assert Client(right).url == right.rstrip("/")


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        status, text = run([*PARLOUR, "serve", "--port", port, "--data-dir", str(tmp_path)])
    assert status == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in text
    assert "--port" in text
    assert "Traceback" not in text


def test_a_data_folder_in_use(server: Server) -> None:
    status, text = run([*PARLOUR, "serve", "--port", "0", "--data-dir", str(server.data_dir)])
    assert status == 1
    assert f"another parlour serve uses {server.data_dir}" in text
    assert "--data-dir" in text


def test_a_data_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, text = run([*PARLOUR, "serve", "--port", "0", "--data-dir", str(tmp_path / "file")])
    assert status == 1
    assert "cannot be used" in text
    assert "Traceback" not in text


def test_ctrl_c_stops_a_server_and_all_of_it(tmp_path: Path) -> None:
    started = start_server(tmp_path)
    assert len(started.children()) >= 4
    assert started.stop(signal.SIGINT) == 0


def test_an_output_that_nobody_reads_any_more_is_no_error(server: Server) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*PARLOUR, "demo", "--url", server.url],
            env=clean_env(),
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
