"""The parlour command: what it says when all is well, and when not."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest
from parlour import Client, choose_random, play
from parlour.cli import main, parser

from tests.support import PARLOUR, PATIENCE_S, Server, clean_env, run, start_server


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


ARENA = ("arena", "--game", "valente", "--matches", "40", "--jobs", "2")
EVERY_COMMAND = {
    "--version": ("--version",),
    "--help": ("--help",),
    "demo": ("demo", "--url", "URL"),
    "verify": ("verify", "--url", "URL", "--match", "MATCH"),
    "serve": ("serve", "--port", "0", "--data-dir", "FOLDER"),
    "api": ("api", "--port", "0"),
    "worker": ("worker",),
    "openapi": ("openapi",),
    "arena": ARENA,
}
"""A line of each command that prints to standard output."""


@pytest.fixture(scope="module")
def finished(server: Server) -> str:
    """The id of a match that is over."""
    with Client(server.url) as client:
        created = client.create("valente", ["mine", "bot"])
        play(created.seats[0], choose_random(7))
        return created.match.id


def printing_to(output: int, words: Sequence[str], server: Server, *, buffered: bool = True) -> tuple[int, str]:
    """The status of a command that prints there, and what it says on standard error."""
    env = clean_env({"PARLOUR_REDIS_URL": server.redis_url, "PARLOUR_SECRET": "s" * 43})
    if words[0] == "serve":
        del env["PARLOUR_REDIS_URL"]
    env["PYTHONUNBUFFERED"] = "" if buffered else "1"
    done = subprocess.run(
        [*PARLOUR, *words],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stderr


def test_every_command_is_tried_where_it_cannot_print() -> None:
    (commands,) = (each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    assert set(commands.choices) == {name for name in EVERY_COMMAND if not name.startswith("--")}


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_an_output_that_is_full_is_said_in_a_line(name: str, server: Server, finished: str, tmp_path: Path) -> None:
    """Full at the first letter, or when what was held back is written at the end."""
    meant = {"URL": server.url, "MATCH": finished, "FOLDER": str(tmp_path)}
    words = [meant.get(word, word) for word in EVERY_COMMAND[name]]
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        said = "parlour: the output cannot be written: No space left on device\n"
        assert printing_to(full, words, server) == (2 if name == "verify" else 74, said)
        if not name.startswith("--"):  # argparse says nothing
            assert printing_to(full, words, server, buffered=False) == (2 if name == "verify" else 74, said)
    finally:
        os.close(full)


def test_other_outputs_that_are_full(server: Server, tmp_path: Path) -> None:
    said = "parlour: the output cannot be written: No space left on device\n"
    assert printing_to(subprocess.DEVNULL, [*ARENA, "--csv", "/dev/full"], server) == (74, said)
    (tmp_path / "replay.json").write_text("{}")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PARLOUR, "verify", str(tmp_path / "replay.json")], env=clean_env(), stderr=full, check=False
        )
    assert done.returncode == 2


@pytest.mark.parametrize("name", ["--help", "demo", "verify", "openapi", "arena"])
def test_an_output_that_nobody_reads_any_more_is_no_error(name: str, server: Server, finished: str) -> None:
    meant = {"URL": server.url, "MATCH": finished}
    words = [meant.get(word, word) for word in EVERY_COMMAND[name]]
    read, write = os.pipe()
    os.close(read)
    try:
        assert printing_to(write, words, server) == (141, "")
    finally:
        os.close(write)
