"""Words that were typed, and what they are taken for."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from phasezoo.apps import cli
from phasezoo.apps.command_line import match_hint
from phasezoo.apps.data_import_command import ImportOptions
from phasezoo.apps.train_command import TrainOptions


def parsed(monkeypatch: pytest.MonkeyPatch, kind: type, words: Sequence[object]):
    """The options that a command line is read into."""
    found = []
    monkeypatch.setattr(kind, "run", lambda options: found.append(options) or 0)
    assert cli.main([str(word) for word in words]) == 0
    return found[0]


@pytest.mark.parametrize(
    "line",
    [
        "a.pgn b.pgn out/ --test 2017-05 2017-06",
        "--test 2017-05 2017-06 a.pgn b.pgn out/",
        "a.pgn --test 2017-05 2017-06 b.pgn out/",
        "a.pgn --test=2017-05 b.pgn --test 2017-06 out/",
        "--test 2017-05 a.pgn b.pgn --salvage out/ --test 2017-06",
    ],
)
def test_months_leave_the_paths_after_them_alone(line, monkeypatch):
    words = ["data", "import", "--split-by", "month", *line.split()]
    options = parsed(monkeypatch, ImportOptions, words)
    assert options.paths == (Path("a.pgn"), Path("b.pgn"), Path("out"))
    assert options.test == ("2017-05", "2017-06")


@pytest.mark.parametrize(
    "line",
    [
        "STORE --order one two --out x --positions 9",
        "--out x --positions 9 --order one two STORE",
        "--order one --order two STORE --out x --positions=9",
        "--order one two --positions 9 STORE --out x",
        "--positions 9 --compile STORE --order=one --order=two --out x",
    ],
)
def test_the_order_of_phases_leaves_the_store_alone(line, monkeypatch):
    options = parsed(monkeypatch, TrainOptions, ["train", "--strategy=staged", *line.split()])
    assert (options.store, options.order) == ("STORE", ("one", "two"))
    assert (options.positions, options.out) == (9, Path("x"))


def test_lists_of_a_file_and_typed_paths_go_together(monkeypatch, tmp_path):
    file = tmp_path / "options.toml"
    file.write_text('test = ["2017-05", "2017-06"]\nsplit_by = "month"\n')
    words = ["data", "import", "--salvage", "a.pgn", "--config", file, "out"]
    options = parsed(monkeypatch, ImportOptions, words)
    assert options.paths == (Path("a.pgn"), Path("out"))
    assert (options.test, options.salvage) == (("2017-05", "2017-06"), True)


def test_a_word_that_is_no_month_is_refused_as_one(capsys):
    assert cli.main(["data", "import", "--split-by", "month", "--test", "May", "a.pgn", "out"]) == 2
    assert "expected a month as YYYY-MM" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mach random random", "'mach': no such command; did you mean 'match'?"),
        ("tournement a b", "'tournement': no such command; did you mean 'tournament'?"),
        ("data imprt x y", "'imprt': no such command; did you mean 'import'?"),
        ("reproduce atomik --out x", "'atomik': no such command; did you mean 'atomic'?"),
        ("xyzzy", "'xyzzy': no such command. There are reproduce, data,"),
    ],
)
def test_a_misspelt_command_gets_the_one_that_is_meant(line, said, capsys):
    assert cli.main(line.split()) == 2
    assert said in capsys.readouterr().err


def test_the_next_step_names_the_plugins_that_the_game_came_from():
    hint = match_hint("mcts:net=a b,nodes=9", "connect-four", ("my game.py",), board=True)
    match, board = (shlex.split(line)[-2:] for line in hint.splitlines())
    assert match == board == ["--plugin", "my game.py"]
    assert match_hint("random", "krk", ()) == "next: phasezoo match random random --game krk"


def test_the_next_step_has_a_number_of_games_that_can_be_played(capsys):
    hint = match_hint("random", "pommerman-ffa", ())
    assert hint == "next: phasezoo match random random --game pommerman-ffa --games 96"
    assert cli.main([*shlex.split(hint)[2:], "--max-plies", "1"]) == 0
    assert " 96 games" in capsys.readouterr().out
