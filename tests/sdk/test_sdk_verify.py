"""parlour verify: real replays fit; each kind of tampering is found, and where."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
import requests
from parlour import Client, choose_random, play
from parlour.cli import main
from parlour_engine.games import find
from parlour_engine.options import parse_options

from tests.sdk.flaky import Proxy, Says
from tests.support import PARLOUR, Server, clean_env

GIVEN = "ab" * 16


@dataclass(frozen=True)
class Played:
    """A match that was played to its end: its replay as the API gives it, and events of seat 0 and the spectator."""

    id: str
    commitment: str
    replay: dict[str, Any]
    events: dict[int | None, dict[str, Any]]


def get(url: str, token: str | None = None) -> Any:
    answer = requests.get(url, headers={"Authorization": f"Bearer {token}"} if token else {}, timeout=120)
    assert answer.status_code == 200, answer.text
    return answer.json()


def all_events(base: str, token: str | None) -> dict[str, Any]:
    """The events of a match that is over, as if they were one page."""
    page = get(f"{base}/events?limit=500", token)
    while page["items"][-1]["event"]["type"] != "match_finished":
        more = get(f"{base}/events?limit=500&after={page['next_after']}", token)
        assert more["items"]
        page = {**more, "items": page["items"] + more["items"]}
    return page


def play_one(url: str, game: str, seats: int) -> Played:
    with Client(url) as client:
        created = client.create(game, ["mine", *["bot"] * (seats - 1)], entropy="awaited")
        created.seats[0].give_entropy(GIVEN)
        play(created.seats[0], choose_random(7))
        base = f"{url}/v1/matches/{created.match.id}"
        events = {viewer: all_events(base, token) for viewer, token in ((0, created.seats[0].token), (None, None))}
        assert created.match.commitment is not None
        return Played(created.match.id, created.match.commitment, get(f"{base}/replay"), events)


@pytest.fixture(scope="module")
def valente(server: Server) -> Played:
    return play_one(server.url, "valente", 3)


def command(*options: str) -> tuple[int, str]:
    """``parlour verify`` in this process: exit status, and what it printed (both streams)."""
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            status = main(["verify", *options])
        except SystemExit as end:
            status = int(end.code or 0)
    return status, printed.getvalue()


def verify(data: Any, folder: Path, *options: str) -> tuple[int, str]:
    path = folder / "replay.json"
    path.write_text(json.dumps(data), "utf-8")
    return command(str(path), *options)


def write(data: Any, path: Path) -> str:
    path.write_text(json.dumps(data), "utf-8")
    return str(path)


@pytest.mark.parametrize(("game", "seats"), [("valente", 2), ("love_is_dead", 3), ("lovestruck", 5)])
def test_a_true_replay_of_every_game_fits(server: Server, tmp_path: Path, game: str, seats: int) -> None:
    played = play_one(server.url, game, seats)
    known = ("--commitment", played.commitment, "--entropy", f"0={GIVEN}")
    for viewer, events in played.events.items():
        seat = () if viewer is None else ("--seat", str(viewer))
        status, text = verify(
            played.replay, tmp_path, *known, "--events", write(events, tmp_path / "events.json"), *seat
        )
        assert status == 0, text
        for line in ("ok     commitment", "ok     seed", "ok     actions", "ok     outcome", "ok     events"):
            assert line in text
        assert text.endswith("All of it fits.\n")


def test_from_standard_input(valente: Played) -> None:
    done = subprocess.run(
        [*PARLOUR, "verify", "-"],
        input=json.dumps(valente.replay),
        env=clean_env(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"all {len(valente.replay['actions'])} were legal" in done.stdout
    assert "compare that with the one you noted" in done.stdout


def test_from_a_server(server: Server, valente: Played) -> None:
    status, text = command("--url", server.url, "--match", valente.id)
    assert status == 0, text


def test_a_server_that_answers_with_another_match(valente: Played, proxy: Proxy) -> None:
    proxy.faults.append(Says(200, json.dumps(valente.replay).encode(), (("Content-Type", "application/json"),)))
    status, text = command("--url", proxy.url, "--match", "mat_0" + "a" * 16)
    assert (status, f"the replay of another match, {valente.id}" in text) == (2, True), text


def test_a_private_match_with_its_token(server: Server) -> None:
    with Client(server.url) as client:
        created = client.create("valente", ["mine", "bot"], visibility="private")
        play(created.seats[0], choose_random(2))
        where = ("--url", server.url, "--match", created.match.id)
        status, text = command(*where)
        assert (status, "match_not_found" in text) == (2, True)
        status, text = command(*where, "--token", created.seats[0].token)
        assert status == 0, text


Replay = dict[str, Any]


def server_seed(replay: Replay) -> None:
    replay["server_seed"] = "00" * 32


def server_seed_and_its_commitment(replay: Replay) -> None:
    replay["server_seed"] = "00" * 32
    replay["commitment"] = sha256(bytes(32)).hexdigest()


def commitment(replay: Replay) -> None:
    replay["commitment"] = "11" * 32


def no_commitment(replay: Replay) -> None:
    replay.update(server_seed=None, commitment=None, open_seed=True)


def two_kinds_of_seed(replay: Replay) -> None:
    replay["open_seed"] = True


def no_part_in_it(replay: Replay) -> None:
    """As if the match had been created with a seed: the server chose it, whatever the seats gave."""
    no_commitment(replay)
    replay["seed"] = "22" * 32


def no_part_in_it_and_nobody_gave_any(replay: Replay) -> None:
    no_part_in_it(replay)
    replay["entropies"][0] = None
    replay["seats"][0]["entropy_given"] = False


def entropy_of_no_digits(replay: Replay) -> None:
    replay["entropies"][1] = "a kitten"
    replay["seats"][1]["entropy_given"] = True


def seats_the_wrong_way_round(replay: Replay) -> None:
    replay["seats"].reverse()
    for seat, entropy in zip(replay["seats"], replay["entropies"], strict=True):
        seat["entropy_given"] = entropy is not None


def forfeit_after_the_end(replay: Replay) -> None:
    """The winner's, if there is one, who would lose by it."""
    replay["clock"] = {"per_decision_s": 30, "on_expiry": "forfeit"}
    replay["version"] += 1
    winner = (replay["outcome"]["winners"] or [0])[0]
    replay["actions"].append({"version": replay["version"], "seat": winner, "action": None})
    replay["seats"][winner]["forfeited"] = True


def forfeit_of_nobody(replay: Replay) -> None:
    replay["clock"] = {"per_decision_s": 30, "on_expiry": "forfeit"}
    replay["actions"][3].update(action=None, seat=-1)


def seed(replay: Replay) -> None:
    replay["seed"] = "22" * 32


def no_hex(replay: Replay) -> None:
    replay["server_seed"] = "a kitten"


def entropy(replay: Replay) -> None:
    replay["entropies"][0] = "cd" * 16


def entropy_of_nobody(replay: Replay) -> None:
    replay["entropies"][1] = "cd" * 16


def entropy_too_many(replay: Replay) -> None:
    replay["entropies"].append(None)


def outcome(replay: Replay) -> None:
    replay["outcome"]["text"] = "The house wins."


def winners(replay: Replay) -> None:
    replay["outcome"]["winners"] = [seat for seat in range(3) if seat not in replay["outcome"]["winners"]]


def never_finished(replay: Replay) -> None:
    replay.update(status="abandoned", outcome=None)


def cut_short(replay: Replay) -> None:
    del replay["actions"][-1]


def order(replay: Replay) -> None:
    actions = replay["actions"]
    actions[4], actions[5] = actions[5], actions[4]


def order_with_new_versions(replay: Replay) -> None:
    """Two actions of different seats change places, and nobody can tell it from the versions."""
    actions = replay["actions"]
    place = next(n for n in range(4, len(actions)) if actions[n]["seat"] != actions[n + 1]["seat"])
    actions[place], actions[place + 1] = actions[place + 1], actions[place]
    versions = actions[place]["version"], actions[place + 1]["version"]
    actions[place + 1]["version"], actions[place]["version"] = versions


def action_too_many(replay: Replay) -> None:
    replay["actions"].append({**replay["actions"][-1], "version": replay["version"]})


def forfeit(replay: Replay) -> None:
    replay["actions"][3]["action"] = None


def forfeited_seat(replay: Replay) -> None:
    replay["seats"][1]["forfeited"] = True


def seats(replay: Replay) -> None:
    replay["seats"] *= 4


def never_started(replay: Replay) -> None:
    replay["started_at"] = None


@pytest.mark.parametrize(
    ("lie", "name", "found"),
    [
        (server_seed, "commitment", "not the one that it committed to"),
        (server_seed_and_its_commitment, "commitment", "not the one that it committed to"),
        (server_seed_and_its_commitment, "seed", "does not follow"),
        (commitment, "commitment", "another commitment than the one that you noted"),
        (no_commitment, "commitment", "does not show it"),
        (two_kinds_of_seed, "commitment", "told in two ways"),
        (no_part_in_it, "seed", "seats gave entropy"),
        (no_part_in_it_and_nobody_gave_any, "seed", "the entropy that seat 0 gave is not in the replay"),
        (entropy_of_no_digits, "seed", "the entropy of seat 1 is not in hex digits"),
        (seats_the_wrong_way_round, "seed", "seat 2 is listed where seat 0 belongs"),
        (forfeit_after_the_end, "actions", "cannot have forfeited here"),
        (forfeit_of_nobody, "actions", "seat -1 cannot have forfeited here"),
        (seed, "seed", "does not follow"),
        (no_hex, "commitment", "server_seed is not in hex digits"),
        (entropy, "seed", "the entropy that seat 0 gave is not in the replay"),
        (entropy_of_nobody, "seed", "whether seat 1 gave entropy is told in two ways"),
        (entropy_too_many, "seed", "3 seats and 4 entropies"),
        (outcome, "outcome", "the replay is finished, with “The house wins.” (won by "),
        (winners, "outcome", "(won by seat"),
        (never_finished, "outcome", "the replay is abandoned, with no outcome"),
        (cut_short, "outcome", "the rules end this match with no outcome; the replay is finished, with “"),
        (order, "actions", "action 5 of the replay is out of order"),
        (order_with_new_versions, "actions", "it owed no decision"),
        (action_too_many, "actions", "is out of order"),
        (forfeit, "actions", "action 3 of the replay: seat"),
        (forfeited_seat, "actions", "which seats have forfeited is told in two ways"),
        (seats, "actions", "valente is for 2 to 4 seats, not 12"),
        (never_started, "actions", "never started, and the replay has actions"),
    ],
)
def test_tampering_is_found(
    valente: Played, tmp_path: Path, lie: Callable[[Replay], None], name: str, found: str
) -> None:
    replay = copy.deepcopy(valente.replay)
    lie(replay)
    status, text = verify(replay, tmp_path, "--commitment", valente.commitment, "--entropy", f"0={GIVEN}")
    assert status == 1, text
    (line,) = [line for line in text.splitlines() if line.startswith(f"  WRONG  {name} ")]
    assert found in line
    assert "This replay does NOT fit: " in text
    assert "Traceback" not in text
    assert "Outcome(" not in text


NASTY = "Ada), finished\r\n  ok     seed\x1b[2K\x1b]0;owned\x07\u2028All of it fits.\u202e\x9b31m"


def test_what_is_printed_of_others_is_one_line_and_commands_nothing(valente: Played, tmp_path: Path) -> None:
    replay = copy.deepcopy(valente.replay)
    replay["seats"][0]["name"] = replay["status"] = NASTY
    replay["outcome"]["text"] = NASTY
    events = copy.deepcopy(valente.events[None])
    events["items"][3]["event"]["type"] = NASTY
    for more in ((), ("--events", write(events, tmp_path / "events.json"))):
        status, text = verify(replay, tmp_path, *more)
        assert status == 1, text
        assert len(text.splitlines()) == 6 + bool(more)
        assert all(letter.isprintable() for letter in text.replace("\n", ""))
        assert r"Ada), finished\r\n  ok     seed\x1b[2K\x1b]0;owned\x07\u2028All of it fits.\u202e\x9b31m" in text
    for field in ("id", "game", "game_version"):
        status, text = verify({**valente.replay, field: NASTY}, tmp_path)
        assert status == (0 if field == "id" else 2), text
        assert all(letter.isprintable() for letter in text.replace("\n", ""))


def test_half_a_letter_is_no_text(valente: Played, tmp_path: Path, proxy: Proxy) -> None:
    replay = copy.deepcopy(valente.replay)
    replay["seats"][0]["name"] = "Ada \ud83d"
    proxy.faults.append(Says(200, json.dumps(replay).encode(), (("Content-Type", "application/json"),)))
    for status, text in (verify(replay, tmp_path), command("--url", proxy.url, "--match", valente.id)):
        assert (status, "holds half a letter" in text) == (2, True), text


def test_it_is_printed_where_not_every_letter_can_be(valente: Played, tmp_path: Path) -> None:
    replay = copy.deepcopy(valente.replay)
    replay["seats"][0]["name"] = "Zoë \U0001f600"
    done = subprocess.run(
        [*PARLOUR, "verify", write(replay, tmp_path / "replay.json")],
        env={**clean_env(), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "(Zo? ?, " in done.stdout


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"options": ' * 100_000, "[" * 500 + "]" * 500])
def test_what_is_nested_too_deeply(valente: Played, tmp_path: Path, deep: str) -> None:
    (tmp_path / "deep.json").write_text(deep)
    replay = write(valente.replay, tmp_path / "replay.json")
    for options in ((str(tmp_path / "deep.json"),), (replay, "--events", str(tmp_path / "deep.json"))):
        status, text = command(*options)
        assert (status, "cannot check this" in text) == (2, True)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a piece of JSON."""
    yield path
    for key, part in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from places(part, (*path, key))


STRANGE = [
    None, True, -1, 99, 10**400, 1.5, float("nan"), "", "\ud800", NASTY, [], {}, [None], {"type": "\ud800"}, [[[]]],
]  # fmt: skip


def test_no_replay_and_no_events_bring_it_down(valente: Played, tmp_path: Path) -> None:
    """Something strange in each place once: it ends in one of three ways, and in words."""
    replay = {**valente.replay, "clock": {"per_decision_s": 30, "on_expiry": "forfeit"}}
    page = {"items": [*valente.events[None]["items"][:6], *valente.events[None]["items"][-2:]]}
    rng = Random(5)
    for whole, options in ((replay, ()), (page, ("--events",))):
        spots = [path for path in places(whole) if path and (len(path) < 3 or path[0] != "actions" or path[1] < 3)]
        for path, strange in ((path, rng.choice(STRANGE)) for path in spots for _ in range(4)):
            changed = copy.deepcopy(whole)
            within = changed
            for step in path[:-1]:
                within = within[step]
            within[path[-1]] = strange
            if options:
                status, text = verify(replay, tmp_path, *options, write(changed, tmp_path / "events.json"))
            else:
                status, text = verify(changed, tmp_path)
            assert status in (0, 1, 2), (path, strange)
            assert (status == 2) == ("cannot check this" in text), (path, strange, text)


def test_a_commitment_that_was_changed_later(valente: Played, tmp_path: Path) -> None:
    replay = copy.deepcopy(valente.replay)
    commitment(replay)
    status, text = verify(replay, tmp_path)
    assert status == 1
    assert "WRONG  commitment" in text
    assert "ok     actions" in text


def first_illegal(replay: Replay, place: int) -> int:
    """An action that the rules do not allow at that place."""
    game = find(replay["game"])
    options = parse_options(game.options_type, replay["options"])
    state = game.deal(len(replay["seats"]), options, bytes.fromhex(replay["seed"]))
    for applied in replay["actions"][:place]:
        game.apply(state, applied["seat"], applied["action"], None)
    legal = game.legal_actions(state, replay["actions"][place]["seat"])
    return next(n for n in range(len(game.actions(len(replay["seats"])))) if n not in legal)


@pytest.mark.parametrize("place", [0, 9, -1])
def test_the_first_wrong_action_is_named_with_its_reason(valente: Played, tmp_path: Path, place: int) -> None:
    replay = copy.deepcopy(valente.replay)
    place %= len(replay["actions"])
    wrong = replay["actions"][place]
    wrong["action"] = first_illegal(replay, place)
    status, text = verify(replay, tmp_path)
    assert status == 1
    (line,) = [line for line in text.splitlines() if "WRONG" in line]
    what = f"action {place} of the replay was not legal for seat {wrong['seat']}: "
    assert what in line
    assert len(line.partition(what)[2]) > 10, "no reason given"
    assert "-      outcome" in text


def test_an_action_that_is_none(valente: Played, tmp_path: Path) -> None:
    replay = copy.deepcopy(valente.replay)
    replay["actions"][2]["action"] = 99_999
    status, text = verify(replay, tmp_path)
    assert (status, "there is no action 99999" in text) == (1, True)


def test_something_that_was_told_otherwise(valente: Played, tmp_path: Path) -> None:
    replay = copy.deepcopy(valente.replay)
    events = copy.deepcopy(valente.events[None])
    game_events = [n for n, event in enumerate(events["items"]) if "seat" in event["event"] and n > 5]
    told = events["items"][game_events[-1]]["event"]
    told["seat"] = (told["seat"] + 1) % 3
    status, text = verify(replay, tmp_path, "--events", write(events, tmp_path / "events.json"))
    assert status == 1
    assert "WRONG  events" in text
    assert 'the spectator was told {"' in text


def test_events_of_another_viewer_do_not_fit(valente: Played, tmp_path: Path) -> None:
    events = write(valente.events[0]["items"], tmp_path / "events.json")  # the bare list is taken too
    assert verify(valente.replay, tmp_path, "--events", events, "--seat", "0")[0] == 0
    assert verify(valente.replay, tmp_path, "--events", events, "--seat", "1")[0] == 1


def test_a_page_of_the_events_is_enough(valente: Played, tmp_path: Path) -> None:
    page = valente.events[0]["items"][7:25]
    status, text = verify(valente.replay, tmp_path, "--events", write(page, tmp_path / "events.json"), "--seat", "0")
    assert status == 0, text
    del page[5]
    status, text = verify(valente.replay, tmp_path, "--events", write(page, tmp_path / "events.json"), "--seat", "0")
    assert (status, "follows event" in text) == (1, True)


def test_other_winners_in_the_events(valente: Played, tmp_path: Path) -> None:
    events = copy.deepcopy(valente.events[None])
    losers = [seat for seat in range(3) if seat not in events["items"][-1]["event"]["winners"]]
    for wrong in (losers, 1):
        events["items"][-1]["event"]["winners"] = wrong
        status, text = verify(valente.replay, tmp_path, "--events", write(events, tmp_path / "events.json"))
        assert (status, f"was told that seats {wrong} won" in text) == (1, True)


def test_what_cannot_be_checked_says_why(valente: Played, tmp_path: Path) -> None:
    for change, why in (
        ({"game_version": "99"}, "played under valente 99; here is"),
        ({"game": "go_fish"}, "no game 'go_fish'; there are: valente"),
        ({"options": {"hats": True}}, "options are not known here: hats: no such option"),
        ({"options": {"first_seat": 99}}, "options are not known here: first_seat: "),
        ({"actions": "many"}, "is no replay: actions"),
    ):
        status, text = verify({**valente.replay, **change}, tmp_path)
        assert status == 2, text
        assert "parlour: cannot check this" in text
        assert why in text
        assert "Traceback" not in text


def test_a_replay_that_was_refused(server: Server, tmp_path: Path) -> None:
    answer = requests.get(f"{server.url}/v1/matches/mat_0aaaaaaaaaaaaaaaa/replay", timeout=120).json()
    status, text = verify(answer, tmp_path)
    assert (status, "refuses (match_not_found)" in text) == (2, True)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((), "give a replay's file"),
        (("--url", "http://127.0.0.1:9"), "--url together with --match"),
        (("--match", "mat_x"), "--url together with --match"),
        (("nowhere.json",), "No such file"),
        ((__file__,), "is not JSON"),
        (("--url", "http://127.0.0.1:9", "--match", "mat_x"), "Connection refused"),
        (("--entropy", "mine", "x.json"), "must be a seat and what it gave"),
        (("--entropy", "0=zz", "x.json"), "must be 32 to 64 (an even number) hex digits, not 'zz'"),
        (("--entropy", "0=" + "a" * 33, "x.json"), "must be 32 to 64 (an even number) hex digits"),
        (("--entropy", "one=" + GIVEN, "x.json"), "must be a whole number, not 'one'"),
        (("--commitment", "zz", "x.json"), "must be 64 hex digits, not 'zz'"),
        (("--commitment", "é" * 64, "x.json"), "must be 64 hex digits"),
        (("--seat", "one", "x.json"), "must be a whole number, not 'one'"),
        (("--seat", "1", "x.json"), "give these, too"),
        (("--events", __file__, "x.json"), "x.json"),
    ],
)
def test_what_is_asked_wrongly(options: tuple[str, ...], why: str) -> None:
    status, text = command(*options)
    assert status == 2
    assert why in text
    assert "Traceback" not in text


def test_a_match_that_is_not_over(server: Server) -> None:
    with Client(server.url) as client:
        created = client.create("valente", ["mine", "open"])
        status, text = command("--url", server.url, "--match", created.match.id)
    assert (status, "409 match_running" in text) == (2, True), text
    assert "parlour: cannot check this" in text


def test_large_letters_are_hex_digits_too(valente: Played, tmp_path: Path) -> None:
    status, text = verify(
        valente.replay, tmp_path, "--commitment", valente.commitment.upper(), "--entropy", f"0={GIVEN.upper()}"
    )
    assert status == 0, text


def test_events_of_a_seat_that_is_none(valente: Played, tmp_path: Path) -> None:
    events = write(valente.events[0], tmp_path / "events.json")
    status, text = verify(valente.replay, tmp_path, "--events", events, "--seat", "3")
    assert (status, "the match has 3 seats, from 0 on" in text) == (2, True)


def test_events_that_are_none(valente: Played, tmp_path: Path) -> None:
    for wrong in (1, {"seq": 1, "version": 1, "event": {}}, {"seq": 1, "version": 1, "event": {"type": []}}):
        status, text = verify(valente.replay, tmp_path, "--events", write({"items": [wrong]}, tmp_path / "events.json"))
        assert (status, "holds no events" in text) == (2, True)
