"""`phasezoo bench`: hands over to the benchmarks of the checkout."""

import subprocess

import pytest

from phasezoo.apps import bench_command
from phasezoo.apps.cli import main


def test_names_and_the_file_are_handed_over(monkeypatch, tmp_path):
    called = []

    def run(words, cwd, check):
        called.append((words[1:], cwd))
        return subprocess.CompletedProcess(words, 3)

    monkeypatch.setattr(bench_command.subprocess, "run", run)
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "tree", "selfplay", "--json", "figures.json"]) == 3
    ((words, cwd),) = called
    assert words == [
        "-m",
        "benchmarks",
        "tree",
        "selfplay",
        "--json",
        str(tmp_path / "figures.json"),
    ]
    assert (cwd / "benchmarks" / "selfplay.py").is_file()


def test_leaks_are_looked_for_by_the_drill(monkeypatch):
    called = []

    def run(words, cwd, check):
        called.append((words[1:], cwd))
        return subprocess.CompletedProcess(words, 1)

    monkeypatch.setattr(bench_command.subprocess, "run", run)
    assert main(["bench", "--leak", "search", "--minutes", "2.5"]) == 1
    ((words, cwd),) = called
    assert words == ["-m", "drills", "leak", "search", "--minutes", "2.5"]
    assert (cwd / "drills" / "leak" / "command.py").is_file()


def test_minutes_need_something_to_fill(capsys):
    assert main(["bench", "tree", "--minutes", "2"]) == 2
    assert "--minutes 2: goes with --leak" in capsys.readouterr().err


def test_work_that_is_none_is_named(capfd):
    assert main(["bench", "--leak", "serch"]) == 2
    assert "no such work: serch; known are vector, search" in capfd.readouterr().err


def test_a_benchmark_that_is_none_is_named(capfd):
    assert main(["bench", "tre"]) == 2
    assert "no such benchmark: tre; known are vector_env" in capfd.readouterr().err


def test_without_a_checkout_it_says_where_the_benchmarks_are(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench_command, "ROOT", tmp_path)
    assert main(["bench"]) == 1
    assert "clone it and run `make bench`" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["--names", "--what"])
def test_other_options_are_refused(word, capsys):
    assert main(["bench", word]) == 2
    assert word in capsys.readouterr().err
