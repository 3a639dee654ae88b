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
