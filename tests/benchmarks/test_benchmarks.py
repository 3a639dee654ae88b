"""The benchmarks run to their end, with peers and without; no figure is looked at."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.common import SMALL, Row

from benchmarks import __main__ as benchmarks, calls, common
from phasezoo.agents.making import REGISTRY

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "crates" / "phasezoo-core"

NATIVE = {
    name: found
    for name in benchmarks.NAMES
    if (found := re.findall(r'native\("(\w+)"\)', (ROOT / f"benchmarks/{name}.py").read_text()))
}
"""Benchmarks of the core by the script that runs them."""

MARKS = {
    **{
        name: [
            pytest.mark.slow,  # the core may have to be compiled for it
            pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo"),
        ]
        for name in NATIVE
    },
    # These learn, which takes tens of seconds however small it is.
    **{name: [pytest.mark.slow] for name in ("sb3", "selfplay", "training")},
    "ray_actors": [pytest.mark.ray],
}


def in_python(code, *words):
    """Rows that a piece of Python prints, with as little work as there can be."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env={**os.environ, SMALL: "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [Row(**row) for row in json.loads(done.stdout.splitlines()[-1])]


@pytest.mark.timeout(900)  # on a machine that is busy
@pytest.mark.filterwarnings("ignore")  # peers warn of what is theirs
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MARKS.get(name, ())) for name in benchmarks.NAMES]
)
def test_every_row_is_measured(name, tmp_path, monkeypatch):
    file = tmp_path / "rows.json"
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(SMALL, "")  # which --small sets
    monkeypatch.setattr(REGISTRY, "own", dict(REGISTRY.own))  # some register agents
    monkeypatch.setattr(sys, "argv", ["benchmarks", name, "--small", "--json", str(file)])
    if name != "perft":  # one is measured in a process of its own, as all are for figures
        monkeypatch.setattr(benchmarks, "measure", benchmarks.rows_of)
    benchmarks.main()
    rows = [Row(**row) for row in json.loads(file.read_text())["rows"]]
    assert rows
    for row in rows:
        if row.ours is None:
            assert "is not installed" in row.peer
        else:
            assert row.ours >= 0, row
        assert row.theirs is None or row.theirs > 0, row
    if find_spec("pyspiel") is not None:
        assert not [row.peer for row in rows if "not installed" in row.peer]


def test_benchmarks_of_the_core_exist():
    assert {"moves", "tree", "uct", "pommerman", "connect_four"} <= set(NATIVE)
    targets = tomllib.loads((CORE / "Cargo.toml").read_text())["bench"]
    for name, found in NATIVE.items():
        for bench in found:
            assert {"name": bench, "harness": False} in targets, name
            assert (CORE / "benches" / f"{bench}.rs").is_file()


def test_benchmarks_of_the_core_are_run_by_a_script_that_exists(monkeypatch):
    def run(words, cwd, **_):
        assert words[0] == sys.executable
        assert (cwd / words[1]).is_file()
        at = words.index("--")
        assert words[2:5] == ["with-cargo", "cargo", "bench"]
        assert words[at - 1 :] == ["moves", "--", "4"]
        return subprocess.CompletedProcess(words, 0, "chess lists 1 2 3\n\n")

    monkeypatch.delenv(SMALL, raising=False)
    monkeypatch.setattr(common.subprocess, "run", run)
    assert common.native("moves", repeats=4) == [["chess", "lists", "1", "2", "3"]]


WITHOUT = """
import json, sys
from dataclasses import asdict
for name in sys.argv[2:]:
    sys.modules[name] = None
from benchmarks.__main__ import rows_of
print(json.dumps([asdict(row) for row in rows_of(sys.argv[1])]))
"""


@pytest.mark.parametrize(
    ("name", "package", "alone", "absent"),
    [
        ("state_api", "pyspiel", 1, 0),
        ("perft", "chess", 1, 0),
        ("pgn_import", "chess", 5, 0),
        ("sb3", "stable_baselines3", 0, 1),
        ("ray_actors", "ray", 0, 1),
    ],
)
def test_a_peer_that_is_not_installed_is_named_in_its_row(name, package, alone, absent):
    rows = in_python(WITHOUT, name, package)
    without = [row for row in rows if row.theirs is None]
    assert all(f"{package} is not installed (make bench" in row.peer for row in without)
    assert len([row for row in without if row.ours is not None]) == alone
    assert len([row for row in without if row.ours is None]) == absent
    benchmarks.table(rows)


def test_what_this_repository_lacks_is_no_missing_peer():
    def broken():
        import phasezoo.no_such_module  # noqa: F401

    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        common.compared("row", "/s", "", lambda: 1.0, "peer", broken)


def test_a_script_that_fails_costs_its_own_rows_alone(monkeypatch, tmp_path, capsys):
    def measure(name):
        if name == "tree":
            raise subprocess.CalledProcessError(1, name)
        return [Row(name, 1.0, "/s", "")]

    monkeypatch.setattr(benchmarks, "measure", measure)
    file = tmp_path / "rows.json"
    words = ["benchmarks", "gym_env", "tree", "uct", "--json", str(file)]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match="failed: tree"):
        benchmarks.main()
    rows = json.loads(file.read_text())["rows"]
    assert [row["name"] for row in rows] == ["gym_env", "tree", "uct"]
    assert [row["ours"] for row in rows] == [1.0, None, 1.0]
    assert "not measured" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["no-such-folder/rows.json", "."])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(
    monkeypatch, tmp_path, capsys, place
):
    monkeypatch.setattr(benchmarks, "measure", lambda name: pytest.fail(f"{name} was measured"))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "uct", "--json", str(tmp_path / place)])
    with pytest.raises(SystemExit) as stopped:
        benchmarks.main()
    assert stopped.value.code == 2
    assert "must be a file in a folder that exists" in capsys.readouterr().err


def test_the_speed_of_networks_is_measured():
    words = [sys.executable, "-m", "benchmarks.network_speed", "resnet-8x1", "--batch", "2"]
    done = subprocess.run(
        words, cwd=ROOT, env={**os.environ, SMALL: "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("| `resnet-8x1` | ")


def test_a_step_asks_each_question_once():
    # 100 calls in 0.2.0, when several functions asked who acts and what is legal.
    assert calls.calls_of_a_step().total() / calls.STEPS <= 35


def test_a_round_of_a_search_takes_no_detours():
    # 100 calls before a tree that is alone was answered without queues.
    found, rounds = calls.calls_of_a_round()
    assert found.total() / rounds <= 25
