"""parlour demo as a person starts it; and it leaves nothing behind, however it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from parlour.demo import called

from tests.support import PARLOUR, PATIENCE_S, Server, alive, clean_env, descendants, run, until


def demo(*options: str, **env: str) -> tuple[int, str]:
    return run([*PARLOUR, "demo", *options], env=env)


def test_it_plays_and_tells_a_whole_match(server: Server) -> None:
    status, text = demo("--seed", "3", "--url", server.url)
    assert status == 0, text
    assert "Valente at http://127.0.0.1" in text
    assert "; Bruno: a house bot of the server.\n" in text
    assert "publishes a strip:" in text
    assert "Checked from the replay" in text
    assert f"{server.url}/docs" in text
    assert "\033" not in text, "colour without a terminal"


def test_a_seed_repeats_it(server: Server) -> None:
    told = [demo("--game", "love_is_dead", "--seats", "3", "--seed", "8", "--url", server.url) for _ in range(2)]
    assert told[0] == told[1]
    assert "; Bruno and Clara: house bots of the server.\n" in told[0][1]
    again = told[0][1].rpartition("parlour demo ")[2].splitlines()[0].split()
    assert demo(*again, "--url", server.url) == told[0]


def test_the_lines_to_copy_call_what_was_called(server: Server, tmp_path: Path) -> None:
    """A script that no PATH leads to, as after ``make demo``."""
    script = tmp_path / "a folder" / "parlour"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nimport sys\nfrom parlour.cli import main\nsys.exit(main())\n")
    script.chmod(0o755)
    status, text = run([str(script), "demo", "--seed", "4", "--url", server.url])
    assert status == 0, text
    (again,) = re.findall("The same match again: (.*)", text)
    assert run(["/bin/sh", "-c", f"{again} --url {server.url}"]) == (0, text)
    status, text = run([str(script), "demo", "--url", "http://127.0.0.1:9"])
    assert f"'{script}' serve starts one" in text


def test_how_it_is_called_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("parlour", "python"):
        (folder / name).touch(0o755)

    def said(here: Path, path: Path | str, argv0: Path | str) -> str:
        monkeypatch.chdir(here)
        monkeypatch.setenv("PATH", str(path))
        monkeypatch.setattr("sys.argv", [str(argv0)])
        return called()

    monkeypatch.setattr("sys.executable", str(folder / "python"))
    assert said(tmp_path, "/usr/bin", ".venv/bin/parlour") == ".venv/bin/parlour"
    assert said(tmp_path, "/usr/bin", folder / "parlour") == ".venv/bin/parlour"
    assert said(folder, "/usr/bin", folder / "parlour") == "./parlour"
    assert said(Path("/"), "/usr/bin", folder / "parlour") == str(folder / "parlour")[1:]
    assert said(folder.parent / "bin", tmp_path, "parlour") == "./parlour"
    assert said(tmp_path, folder, folder / "parlour") == "parlour"
    assert said(tmp_path, ".venv/bin", ".venv/bin/parlour") == "parlour"
    assert said(tmp_path, "/usr/bin", folder / "parlour" / "__main__.py") == ".venv/bin/python -m parlour"
    assert said(tmp_path, folder, folder / "pytest") == "python -m parlour"


def test_it_brings_its_own_service_and_takes_it_away(tmp_path: Path) -> None:
    status, text = demo(TMPDIR=str(tmp_path), PARLOUR_REDIS_URL="redis://127.0.0.1:1")
    assert status == 0, text
    assert "the server dealt from the seed that it had committed to" in text
    assert "parlour serve" in text
    assert list(tmp_path.iterdir()) == []


LONG = "053ba555a611c8fbf967a4345fdc3a00b310fa2463e71298283aa770c2855ce5"
"""Of a match with many offers, which house bots take their time to answer."""


@pytest.fixture
def long_demo(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A demo that would take a minute, with its match under way."""
    process = subprocess.Popen(
        [*PARLOUR, "demo", "--game", "lovestruck", "--seats", "10", "--seed", LONG],
        env=clean_env({"TMPDIR": str(tmp_path)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "dealt" in line:
            break
    yield process
    process.kill()
    process.stdout.close()
    process.wait()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_stopped_it_leaves_no_process_and_no_folder(
    long_demo: subprocess.Popen[str], tmp_path: Path, number: int, status: int
) -> None:
    below = descendants(long_demo.pid)
    assert len(below) >= 4
    long_demo.send_signal(number)
    long_demo.send_signal(number)  # the impatient press twice
    assert long_demo.wait(PATIENCE_S) == status
    assert long_demo.stdout is not None
    assert "Traceback" not in long_demo.stdout.read()
    assert not [pid for pid in below if alive(pid)]
    assert list(tmp_path.iterdir()) == []


def test_killed_it_leaves_no_process(long_demo: subprocess.Popen[str]) -> None:
    below = descendants(long_demo.pid)
    long_demo.kill()
    until(lambda: not [pid for pid in below if alive(pid)])


WHILE_IT_STARTS = """
import os, signal, subprocess, sys, time
from pathlib import Path
from parlour.cli import main

class Interrupted(subprocess.Popen):
    def __init__(self, command, **more):
        super().__init__(command, **more)
        while not (Path(command[-1]) / "redis.sock").exists():
            time.sleep(0.01)
        print(f"pid {self.pid}", flush=True)
        os.kill(os.getpid(), signal.SIGTERM)

subprocess.Popen = Interrupted
sys.exit(main(["demo"]))
"""
"""A signal comes when the service is there, and nobody has been told of it yet."""

WHILE_OBJECTS_GO = """
import io, signal, sys
from parlour import demo
from parlour.cli import main

class Removed(io.RawIOBase):
    def close(self):
        signal.raise_signal(signal.SIGTERM)

class Narrator(demo.Narrator):
    def tell(self, event):
        Removed()
        return super().tell(event)

demo.Narrator = Narrator
sys.exit(main(["demo", "--url", *sys.argv[1:]]))
"""
"""Signals come when Python loses what their handlers raise."""


def test_a_signal_that_comes_while_it_starts_the_service(tmp_path: Path) -> None:
    status, text = run([sys.executable, "-c", WHILE_IT_STARTS], env={"TMPDIR": str(tmp_path)})
    assert status == 143, text
    (pid,) = re.findall(r"^pid (\d+)$", text, re.MULTILINE)
    assert not alive(int(pid))
    assert list(tmp_path.iterdir()) == []


def test_a_signal_that_comes_while_an_object_is_removed(server: Server) -> None:
    status, text = run([sys.executable, "-c", WHILE_OBJECTS_GO, server.url])
    assert status == 143, text
    assert "Traceback" not in text


def test_a_service_that_does_not_start_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "granian.py").write_text("raise SystemExit('granian is broken today')\n")
    status, text = demo(PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert status == 1
    assert "parlour: the service (parlour serve) ended with status 1 while starting" in text
    assert "granian is broken today" in text
    assert "parlour: api ended with status 1 while starting" in text, "nobody waited for what cannot come"
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--game", "chess"], "o game 'chess'; there are: valente"),
        (["--seats", "9"], "valente is for 2 to 4 seats, not 9"),
        (["--seed", "lucky"], "must be a whole number"),
        (["--seed", "kitten" * 8], "hex digits, not 'kitten"),
        (["--seed", "a" * 33], "32 to 64 (an even number) hex digits"),
    ],
)
def test_wrong_options_are_answered_in_words(server: Server, options: list[str], said: str) -> None:
    """By a server that is there, and without one before a service is started."""
    for more in (["--url", server.url], []):
        status, text = demo(*options, *more)
        assert (status, "Traceback" in text) == (2, False)
        assert said in text
        assert "Starting" not in text


def test_no_server_at_the_address() -> None:
    status, text = demo("--url", "http://127.0.0.1:9")
    assert status == 1
    assert "Connection refused" in text
    assert "parlour serve starts one" in text
