"""The arena: the same arguments give the same matches, seats get equal luck, and what it says and saves is right."""

from __future__ import annotations

import argparse
import builtins
import csv
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parlour.arena import add, matches
from parlour.arena.figures import figures, wilson
from parlour.arena.matches import Arena, CannotPlay, Played, line_up, play, rotations
from parlour.arena.report import COLUMNS
from parlour_engine.games import GAMES, find

from tests.support import PARLOUR, PATIENCE_S, alive, clean_env, descendants, run, until

ROOT = Path(__file__).resolve().parents[2]


def command(*words: str) -> int:
    """``parlour arena ...``; its exit status."""
    parser = argparse.ArgumentParser(prog="parlour")
    add(parser.add_subparsers())
    args = parser.parse_args(["arena", *words])
    return int(args.run(args))


def of_game(slug: str, *bots: str, seats: int | None = None, seed: int = 1) -> Arena:
    game = find(slug)
    seats = seats or game.seats[0]
    return Arena(slug, seats, line_up(game, seats, bots), game.options_type(), seed)


@pytest.mark.parametrize("slug", [game.slug for game in GAMES])
def test_same_arguments_same_matches(slug: str) -> None:
    here = of_game(slug, "greedy")
    played = list(play(here, 3))
    assert played == list(play(here, 3))
    assert played != list(play(of_game(slug, "greedy", seed=2), 3))
    assert [match.match for match in played] == [0, 1, 2]
    assert all(match.decisions > 0 and match.reason for match in played)


def test_any_number_of_processes_gives_the_same_matches() -> None:
    here = of_game("valente", "greedy", "random", seats=3)
    assert list(play(here, 20, jobs=1)) == list(play(here, 20, jobs=2))


def test_a_longer_run_begins_with_the_shorter() -> None:
    here = of_game("love_is_dead", "random")
    assert list(play(here, 5))[:3] == list(play(here, 3))


@pytest.mark.parametrize(
    ("wins", "of", "low", "high"),
    [  # Newcombe 1998, table I, method 3; and the ends of the scale
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_interval(wins: int, of: int, low: float, high: float) -> None:
    assert wilson(wins, of) == pytest.approx((low, high), abs=5e-5)


def test_line_ups() -> None:
    game = find("valente")
    assert line_up(game, 4, ["greedy"]) == ("greedy",) * 4
    assert line_up(game, 4, ["greedy", "random"]) == ("greedy", "random", "random", "random")
    assert line_up(game, 3, ["greedy", "greedy", "random"]) == ("greedy", "greedy", "random")


def test_rotation_covers_every_seat() -> None:
    ways = rotations(("a", "b", "b", "b"))
    assert [way.index("a") for way in ways] == [0, 1, 2, 3]
    assert set(rotations(("a", "b", "c"))) == {("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")}
    assert rotations(("a", "a")) == (("a", "a"),)
    assert rotations(("a", "b", "a", "b")) == (("a", "b", "a", "b"), ("b", "a", "b", "a"))


def test_each_deal_is_played_in_every_rotation() -> None:
    played = list(play(of_game("lovestruck", "greedy", "random", seats=5), 2))
    assert len(played) == 10
    for deal in (0, 1):
        matches = [match for match in played if match.deal == deal]
        assert [match.bots.index("greedy") for match in matches] == [0, 1, 2, 3, 4]
        assert len({match.seed for match in matches}) == len({match.first_seat for match in matches}) == 1


def match(bots: str, winners: tuple[int, ...], first_seat: int = 0, reason: str = "time", decisions: int = 9) -> Played:
    return Played(0, 0, b"", tuple(bots), first_seat, winners, reason, None, decisions, (None, 4, None))


def test_figures() -> None:
    of = figures(
        [match("ab", (0,)), match("ba", (0, 1), 1, "tie", 5), match("ab", (), 0), match("ba", (1,), 1, decisions=7)]
    )
    assert of.even == 4 / 8
    assert [(share.name, share.wins, share.of) for share in of.by_bot] == [("a", 3, 4), ("b", 1, 4)]
    assert [(share.wins, share.of) for share in of.by_seat] == [(2, 4), (2, 4)]
    assert [(share.name, share.wins) for share in of.by_order] == [("1st", 3), ("2nd", 1)]
    assert [[(share.wins, share.of) for share in shares] for shares in of.by_bot_and_seat] == [
        [(1, 2), (2, 2)],
        [(1, 2), (0, 2)],
    ]
    assert [(each.name, each.p10, each.median, each.p90) for each in of.lengths] == [
        ("decisions", 5, 7, 9),
        ("round", 4, 4, 4),
    ]
    assert [(each.reason, each.matches, each.without_winner) for each in of.endings] == [("time", 3, 1), ("tie", 1, 0)]


def test_report_csv_and_chart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows_at, chart_at = tmp_path / "matches.csv", tmp_path / "chart.png"
    words = "--game love_is_dead --seats 3 --bots greedy random --matches 4 --jobs 1 --seed 5"
    assert command(*words.split(), "--csv", str(rows_at), "--png", str(chart_at)) == 0
    said = capsys.readouterr().out
    assert "6 matches (2 deals, each in 3 rotations)" in said  # rounded up to whole deals
    for part in ("greedy in seat 2", "even share", "decisions", "by turn order", "ENDING"):
        assert part in said
    with rows_at.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) == 6
    for number, row in enumerate(rows):
        assert int(row["match"]) == number
        assert len(bytes.fromhex(row["seed"])) == 16
        assert row["bots"].split()[number % 3] == "greedy"
        assert len(row["scores"].split()) == 3
        assert int(row["decisions"]) > 0
        assert int(row["turns"]) > 0
        assert row["episode"] == ""
    assert chart_at.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert chart_at.stat().st_size > 20_000
    assert command(*words.split()) == 0
    assert capsys.readouterr().out == said


def test_chart_of_self_play(tmp_path: Path) -> None:
    chart_at = tmp_path / "chart.png"
    assert (
        command("--game", "lovestruck", "--seats", "10", "--matches", "2", "--jobs", "1", "--png", str(chart_at)) == 0
    )
    assert chart_at.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("--game chess", "no game 'chess'; there are: valente, "),
        ("--game valente --seats 5", "valente is for 2 to 4 seats, not 5"),
        ("--game valente --bots clever", "no bot 'clever' plays valente; there are: "),
        ("--game valente --seats 4 --bots greedy greedy random", "one for each of the 4 seats, not 3"),
        ("--game valente --options {", "--options is not JSON"),
        ("--game valente --options [1]", "must be a JSON object"),
        ('--game valente --options {"cards":1}', "--options: cards: no such option; there are: "),
        ('--game valente --options {"first_seat":7}', "--options: first_seat: "),
        ('--game valente --options {"deck":"none"}', "--options: deck: no deck 'none'; there are: "),
        ("--game valente --csv /nowhere/at/all.csv", "--csv: cannot write /nowhere/at/all.csv: No such file"),
        ("--game valente --png /nowhere/at/all.png", "--png: cannot write /nowhere/at/all.png: No such file"),
    ],
)
def test_bad_input_is_answered(words: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(*words.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("parlour arena: ")
    assert answer in said.err


@pytest.mark.parametrize("words", ["", "--game valente --matches 0", "--game valente --jobs many"])
def test_arguments_that_cannot_be_read(words: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        command(*words.split())
    assert stopped.value.code == 2


def without(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """As if the library were not installed."""
    true_import = builtins.__import__

    def no_import(name: str, *args: Any) -> Any:
        if name.split(".")[0] == library:
            raise ModuleNotFoundError(f"No module named {library!r}")
        return true_import(name, *args)

    monkeypatch.setattr(builtins, "__import__", no_import)
    monkeypatch.delitem(sys.modules, "parlour.arena.chart", raising=False)


def test_chart_without_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, "matplotlib")
    assert command("--game", "valente", "--png", str(tmp_path / "chart.png")) == 2
    assert "--png needs matplotlib: pip install '.[arena]'" in capsys.readouterr().err
    assert not (tmp_path / "chart.png").exists()


@pytest.mark.parametrize("installed", [True, False])
def test_progress_on_a_terminal(
    installed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    if not installed:
        without(monkeypatch, "tqdm")
    assert command("--game", "valente", "--matches", "3", "--jobs", "1") == 0
    said = capsys.readouterr().err
    assert ("3/3" in said) is installed
    assert ("pip install '.[arena]'" in said) is not installed


ENDS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]

IN_A_MATCH = """
import signal, sys
from parlour.arena import matches
from parlour.cli import main

number, after, *words = sys.argv[1:]
true_play, left = matches.play_match, int(after)

def interrupted(*args):
    global left
    if left == 0:
        signal.raise_signal(int(number))
    left -= 1
    return true_play(*args)

matches.play_match = interrupted
sys.exit(main(["arena", "--game", "valente", "--matches", "50", "--jobs", "1", *words]))
"""

WHILE_IT_STARTS = """
import signal, sys
from concurrent.futures import ProcessPoolExecutor
from parlour.arena import matches
from parlour.cli import main

class Interrupted(ProcessPoolExecutor):
    def submit(self, *args):
        signal.raise_signal(int(sys.argv[1]))
        return super().submit(*args)

if __name__ == "__main__":
    matches.ProcessPoolExecutor = Interrupted
    sys.exit(main("arena --game valente --matches 500000 --jobs 2".split()))
"""


@pytest.mark.parametrize(("number", "status"), ENDS)
def test_a_signal_ends_it_and_it_reports_what_was_played(number: int, status: int, tmp_path: Path) -> None:
    rows_at = tmp_path / "matches.csv"
    script = [sys.executable, "-c", IN_A_MATCH, str(int(number))]
    ended, text = run([*script, "3", "--csv", str(rows_at)])
    assert (ended, "3 matches (each its own deal)" in text) == (status, True), text
    assert len(rows_at.read_text().splitlines()) == 4
    assert run([*script, "0"]) == (status, "parlour arena: stopped before the first match was over\n")


@pytest.mark.parametrize(("number", "status"), ENDS)
def test_a_signal_that_comes_while_it_starts_its_processes(number: int, status: int) -> None:
    ended, text = run([sys.executable, "-c", WHILE_IT_STARTS, str(int(number))])
    assert (ended, text) == (status, "parlour arena: stopped before the first match was over\n")


def test_nohup_keeps_it_going() -> None:
    """Who told it not to hear that the terminal closes is obeyed."""
    script = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{IN_A_MATCH}"
    ended, text = run([sys.executable, "-c", script, str(int(signal.SIGHUP)), "3"])
    assert (ended, "50 matches (each its own deal)" in text) == (0, True), text


@pytest.fixture
def long_arena(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """An arena that would play for hours on two processes, with its first matches played."""
    rows_at = tmp_path / "matches.csv"
    words = ("--game", "valente", "--matches", "5000000", "--jobs", "2", "--csv", str(rows_at))
    process = subprocess.Popen(
        [*PARLOUR, "arena", *words],
        env=clean_env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    until(lambda: rows_at.exists() and rows_at.stat().st_size)
    yield process
    process.kill()
    assert process.stdout is not None
    process.stdout.close()
    process.wait()


@pytest.mark.parametrize(("number", "status"), ENDS)
@pytest.mark.parametrize("to", [os.kill, os.killpg], ids=["itself", "its group"])
def test_stopped_it_leaves_no_process(long_arena: subprocess.Popen[str], to: Any, number: int, status: int) -> None:
    """Sent to itself as ``kill`` does, or to all of its group as a terminal does and ``timeout``."""
    below = descendants(long_arena.pid)
    assert len(below) >= 2
    to(long_arena.pid, number)
    time.sleep(0.01)
    to(long_arena.pid, number)  # the impatient press twice
    said, _ = long_arena.communicate(timeout=PATIENCE_S)
    assert long_arena.returncode == status, said
    assert "matches (each its own deal)" in said
    assert "Traceback" not in said
    assert "Warning" not in said
    until(lambda: not [pid for pid in below if alive(pid)])


def test_killed_it_leaves_no_process(long_arena: subprocess.Popen[str]) -> None:
    below = descendants(long_arena.pid)
    long_arena.kill()
    until(lambda: not [pid for pid in below if alive(pid)], 30)


def test_a_bot_that_breaks_the_rules_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find("valente")
    monkeypatch.setattr(type(game.bots[0]), "choose", property(lambda _: lambda *_: -1), raising=False)
    with pytest.raises(CannotPlay, match="bot 'random' chose action -1, which is not legal"):
        matches.play_match(game, game.options_type(), ("random", "random"), b"0" * 16, 0, 0)


def test_the_command_is_registered() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["parlour.commands"]["arena"] == "parlour.arena:add"
    assert {each.split(">")[0] for each in project["optional-dependencies"]["arena"]} == {"matplotlib", "tqdm"}
