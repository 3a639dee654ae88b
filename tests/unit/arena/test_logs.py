"""The files of a match: one writer, and what the match was played with."""

import json
import multiprocessing

import pytest

from phasezoo import agents, arena
from phasezoo.errors import InvalidConfig, RunDirectoryError

SETTINGS = {"game": "atomic", "games": 4, "seed": 3, "max_plies": 12}


def match(log=None, **options):
    return arena.play_match(
        agents.RandomAgent(), agents.RandomAgent(), log=log, **(SETTINGS | options)
    )


def in_another_process(files, answers):
    try:
        match(**files)
        answers.put("played")
    except RunDirectoryError as error:
        answers.put(str(error))


def matches_at_once(**files):
    """A match, and what another process says that plays it at the same time."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    said = []

    def meanwhile(record):
        if not said:
            other = context.Process(target=in_another_process, args=(files, answers))
            other.start()
            said.append(answers.get(timeout=120))
            other.join()

    return match(**files, on_game=meanwhile), said[0]


def test_a_second_process_does_not_write_the_games(tmp_path):
    pgn = tmp_path / "games.pgn"
    _, said = matches_at_once(pgn=pgn)
    assert "another process is working in this file" in said
    whole = pgn.read_text()
    assert whole.count("[Event ") == 4
    assert list(tmp_path.iterdir()) == [pgn]
    with pytest.raises(RunDirectoryError, match="exists: choose another path"):
        match(pgn=pgn)
    with pytest.raises(RunDirectoryError, match="is a directory"):
        match(pgn=tmp_path)
    (tmp_path / "file").write_text("")
    for kind in ("pgn", "log"):
        with pytest.raises(RunDirectoryError, match=r"cannot be written.*choose another place"):
            match(**{kind: tmp_path / "file" / "games"})
    # The lock goes with the match, also with one that failed.
    pgn.unlink()
    match(pgn=pgn)
    assert pgn.read_text() == whole


def test_a_second_process_is_kept_out(tmp_path):
    log = tmp_path / "games.jsonl"
    played, said = matches_at_once(log=log)
    assert "another process is working in this file" in said
    assert len(log.read_text().splitlines()) == 1 + 4
    # The lock goes with the match, also with one that failed.
    with pytest.raises(RunDirectoryError, match="another match"):
        match(log, seed=4)
    assert match(log).games == played.games


def test_the_log_says_what_the_match_was_played_with(tmp_path):
    log = tmp_path / "deep" / "games.jsonl"
    match(log, concurrency=2)
    header = json.loads(log.read_text().splitlines()[0])
    record = header["record"]
    assert record["kind"] == "match"
    assert record["seeds"] == {"match": 3}
    assert (record["config"]["max_plies"], record["config"]["concurrency"]) == (12, 2)
    assert record["provenance"]["packages"]["numpy"]
    assert record["provenance"]["processor"]
    match(log)
    assert len(log.read_text().splitlines()) == 5  # nothing has changed


def test_going_on_with_other_versions_is_noted(tmp_path):
    log = tmp_path / "games.jsonl"
    match(log)
    lines = log.read_text().splitlines(keepends=True)
    header = json.loads(lines[0])
    header["record"]["provenance"]["packages"]["numpy"] = "1.0"
    log.write_text("".join([json.dumps(header) + "\n", *lines[1:3]]))
    assert len(match(log).games) == 4
    after = [json.loads(line) for line in log.read_text().splitlines()]
    assert [sorted(entry) for entry in after[3:]] == [["record"], *[["game", "sides"]] * 2]
    assert len(match(log).games) == 4


@pytest.mark.parametrize("names", [("a",), "ab", ("a", "b", "c")])
def test_names_are_two(names):
    with pytest.raises(InvalidConfig, match=r"names=.*expected a pair"):
        arena.play_match("random", "random", names=names, **SETTINGS)


@pytest.mark.parametrize(
    ("line", "change"),
    [
        (0, {"match": -0.0}),
        (0, {"record": None}),
        (0, {"record": {}}),
        (1, {"game": 7}),
        (1, {"record": 7}),
        (1, {"record": {}}),
        (2, {"sides": [{"counts": 3}, {}]}),
    ],
)
def test_a_damaged_line_is_a_typed_error(tmp_path, line, change):
    log = tmp_path / "games.jsonl"
    match(log)
    lines = log.read_text().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | change)
    log.write_text("\n".join(lines) + "\n")
    with pytest.raises(RunDirectoryError, match=r"damaged|not the log"):
        match(log)


def test_a_line_that_no_parser_takes_is_a_typed_error(tmp_path):
    log = tmp_path / "games.jsonl"
    log.write_text("[" * 100_000 + "\n")
    with pytest.raises(RunDirectoryError, match="not the log"):
        match(log)


def changed(log, change):
    """Change the second game of a finished match's log."""
    match(log)
    lines = log.read_text().splitlines()
    entry = json.loads(lines[2])
    change(entry["game"])
    lines[2] = json.dumps(entry)
    log.write_text("\n".join(lines) + "\n")
    return [json.loads(line)["game"] for line in lines[1:]]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda game: game.update(returns=[5, 5]), "returns="),
        (lambda game: game.update(returns=[1.0, -1.0]), "returns="),
        (lambda game: game["moves"].pop(), "11 plies"),
        (lambda game: game["moves"].insert(0, "e7e8q"), "e7e8q"),
        (lambda game: game["moves"].insert(0, "hello"), "hello"),
        (lambda game: game.update(moves=game["moves"] * 2), ""),
        (lambda game: game.update(ending="rules"), "ending='rules'"),
        (lambda game: game.update(opening=10**6), "opening"),
        (lambda game: game.update(opening_moves=["a2a3"]), "opening_moves"),
        (lambda game: game.update(start_fen="8/8/8/8/8/8/8/8 w - - 0 1"), "start_fen"),
    ],
)
def test_a_game_that_was_changed_in_the_log_is_refused(tmp_path, change, fault):
    log = tmp_path / "games.jsonl"
    changed(log, change)
    before = log.read_bytes()
    with pytest.raises(InvalidConfig, match=r"completed game \d was changed") as found:
        match(log)
    assert fault in str(found.value)
    assert log.read_bytes() == before


@pytest.mark.parametrize("name", ["number", "moves", "reason", "ending", "seeds", "thoughts"])
@pytest.mark.parametrize("value", [None, "x", 1.5, {}, [[]], [{}], True])
def test_values_of_another_type_are_named(tmp_path, name, value):
    log = tmp_path / "games.jsonl"
    changed(log, lambda game: game.update({name: value}))
    if (name, value) == ("reason", "x"):  # it is a text
        return
    with pytest.raises(RunDirectoryError, match=rf"line 3 is damaged.*game\.{name}"):
        match(log)


@pytest.mark.parametrize("name", ["moves", "nodes", "simulations", "counts"])
@pytest.mark.parametrize("value", [None, "x", 1.5, [], {"rows": "x"}])
def test_work_of_another_type_is_named(tmp_path, name, value):
    log = tmp_path / "games.jsonl"
    match(log)
    lines = log.read_text().splitlines()
    entry = json.loads(lines[-1])
    entry["sides"][1][name] = value
    log.write_text("\n".join([*lines[:-1], json.dumps(entry)]) + "\n")
    with pytest.raises(RunDirectoryError, match=r"line 5 is damaged.*statistics of a side"):
        match(log)


def test_sides_that_are_no_sides_are_named(tmp_path):
    log = tmp_path / "games.jsonl"
    changed(log, lambda game: game.update(sides=[0, 7]))
    with pytest.raises(RunDirectoryError, match=r"line 3 is damaged.*sides=\[0, 7\]"):
        match(log)


@pytest.mark.parametrize("game", ["pommerman-ffa", "krk", "chess960", "connect-four"])
def test_games_of_every_kind_are_played_again_when_a_match_goes_on(tmp_path, game):
    log = tmp_path / "games.jsonl"
    whole = match(log, game=game, max_plies=300)
    assert match(log, game=game, max_plies=300).games == whole.games
