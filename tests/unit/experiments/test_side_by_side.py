"""Networks trained and games played at the same time are those of one after the other."""

import dataclasses
import fcntl
import io
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from phasezoo.apps import cli
from phasezoo.arena.log import finished_games
from phasezoo.errors import CheckpointError, InvalidConfig, PhasezooError, WorkersFailed
from phasezoo.experiments.catalogue import GAMES
from phasezoo.experiments.networks import TrainingJob
from phasezoo.experiments.side_by_side import Processes
from phasezoo.experiments.study import INCIDENTAL
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.preparation import prepare
from phasezoo.experiments.two_player.study import TwoPlayerRun
from phasezoo.report.console import TerminalConsole, silent
from phasezoo.runs import RunDirectory
from phasezoo.training import SupervisedConfig
from phasezoo.training.experts.planned import Recipe

pytest.importorskip("torch", reason="training needs the extra 'train'")

CHESS = GAMES["chess"]


def tiny(store, **changes):
    settings = {
        "games": store,
        "gate": "plies:30",
        "arms": ("staged", "heads"),
        "network": "rise-8x1",
        "positions": 1000,
        "training_batch": 64,
        "validation_positions": 64,
        "watched_positions": 16,
        "games_played": 4,
        "nodes": 4,
        "max_plies": 30,
        "device": "cpu",
        "threads": 1,
    }
    return M2ctsConfig(**(settings | changes))


def trained(config, out, console=None):
    """Train all networks of a run: its plan, its cards, and how many learnt at once on average."""
    prepared = prepare(config)
    with RunDirectory.create(out, CHESS.name, config, incidental=INCIDENTAL) as directory:
        run = TwoPlayerRun(CHESS, directory, config, prepared, console or silent())
        planned = run._plan()
        cards = run.train(planned)
        times = run.times(cards, {"all": ["train/"]})
        return planned, cards, times["all"] / directory.busy("train/")


def weights(out):
    return {path.parent.name: path.read_bytes() for path in out.rglob("model.safetensors")}


@pytest.fixture(scope="module")
def one_by_one(store, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "one"
    return out, trained(tiny(store), out)


@pytest.fixture(scope="module")
def at_once(store, tmp_path_factory):
    """The same trainings, two at a time, and what was shown."""
    out = tmp_path_factory.mktemp("runs") / "two"
    shown = io.StringIO()
    return out, trained(at_once_settings(store), out, TerminalConsole(shown)), shown.getvalue()


def at_once_settings(store):
    return tiny(store, train_workers=2, threads=2)


def test_the_networks_are_those_trained_one_after_the_other(one_by_one, at_once):
    """Those that start from another one, and the parts of a shared one, too."""
    alone, (planned, cards, alone_overlap) = one_by_one
    out, (_, found, overlap), shown = at_once
    assert weights(out) == weights(alone)
    for mine, theirs in zip(found, cards, strict=True):
        assert dataclasses.replace(mine, seconds=theirs.seconds) == theirs
    assert alone_overlap == pytest.approx(1, abs=0.05)
    assert 1 < overlap <= 2
    learning = sum(not network.is_part for network in planned)
    assert learning < len(planned)
    assert shown.count("positions/s") == learning
    assert f"{learning} of {learning} done" in shown


def test_a_second_attempt_trains_what_is_missing(at_once, store, tmp_path):
    out, _, _ = at_once
    shutil.copytree(out, tmp_path / "run")
    missing = tmp_path / "run/networks/staged-start-1"
    shutil.rmtree(missing)
    before = (tmp_path / "run/journal.jsonl").read_text().splitlines()
    trained(at_once_settings(store), tmp_path / "run")
    after = (tmp_path / "run/journal.jsonl").read_text().splitlines()
    assert [json.loads(line)["stage"] for line in after[len(before) :]] == [
        "train/staged-start-1", "train/staged-start-1",
    ]  # fmt: skip
    assert weights(tmp_path / "run") == weights(out)


@pytest.fixture
def own_networks(tmp_path):
    """A file with networks that fail, each in its way."""
    path = tmp_path / "own_networks.py"
    path.write_text(
        "import os, signal\n"
        "from phasezoo import networks\n"
        "class TwoError(Exception):\n"
        "    def __init__(self, code, text):\n"
        "        super().__init__(f'{code}: {text}')\n"
        "def failing(*_, **__):\n"
        "    raise ArithmeticError('no such luck')\n"
        "def unsendable(*_, **__):\n"
        "    raise TwoError(7, 'the real reason')\n"
        "def killed(*_, **__):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "for factory in (failing, unsendable, killed):\n"
        "    networks.register(factory.__name__, factory)\n"
    )
    return str(path)


def attempt(jobs, modules):
    """Train, and leave no process behind."""
    try:
        with Processes(2, modules) as processes:
            processes.do("Training", "networks", jobs, silent(), lambda job: lambda found: None)
    finally:
        assert not multiprocessing.active_children()


def jobs_of(planned, store, out, **recipe):
    """Trainings of two networks: a long one, and one by another recipe."""
    splits = prepare(tiny(store)).splits
    usual = Recipe(splits, "rise-8x1", SupervisedConfig())
    long = dataclasses.replace(planned[0], positions=2_000_000)
    return [
        TrainingJob(network, dataclasses.replace(usual, **changes), out)
        for network, changes in ((long, {}), (planned[1], recipe))
    ]


@pytest.mark.parametrize(
    ("network", "error", "text"),
    [
        ("failing", Exception, "no such luck"),
        ("unsendable", PhasezooError, "the real reason"),
        ("killed", WorkersFailed, "expert-up-to-30-1: the process .* ended by SIGKILL; .* fewer"),
    ],
)
def test_one_that_fails_ends_the_others_at_once(
    one_by_one, store, tmp_path, own_networks, network, error, text
):
    planned = one_by_one[1][0]
    jobs = jobs_of(planned, store, tmp_path, network=network)
    with pytest.raises(error, match=text):
        attempt(jobs, [own_networks])


def test_a_module_that_cannot_be_imported_is_told_of(one_by_one, store, tmp_path):
    jobs = jobs_of(one_by_one[1][0], store, tmp_path)
    with pytest.raises(InvalidConfig, match="no_such_module"):
        attempt(jobs, ["no_such_module"])


def processes_of(pid):
    """The processes that one has started, and those that these have."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    children = [int(word) for word in text.split()]
    return children + [one for child in children for one in processes_of(child)]


def played(store, out, console=None, **changes):
    """Train the networks of a run and play its games: the result of each pairing, by mixture."""
    config = tiny(store, **{"arms": ("hash:3",), "trainings": 2, "threads": 2} | changes)
    prepared = prepare(config)
    with RunDirectory.create(out, CHESS.name, config, incidental=INCIDENTAL) as directory:
        run = TwoPlayerRun(CHESS, directory, config, prepared, console or silent())
        run.train(run._plan())
        with run._playing:
            found = run.matches()
        assert not multiprocessing.active_children()
        return {name: [same_games(one) for one in row.pairings] for name, row in found.items()}


def same_games(pairing):
    """A result without what depends on the machine: time, and how rows are shared out."""
    shared_out = {"padded_rows": 0, "calls": 0, "expert_rows": {}, "expert_calls": {}}
    sides = tuple(dataclasses.replace(side, seconds=0.0, **shared_out) for side in pairing.sides)
    return dataclasses.replace(pairing, seconds=0.0, sides=sides)


def moves_of(out):
    """The moves of every game of a run, by file and number."""
    return {
        (path.name, record.number): (record.sides, record.moves, record.returns)
        for path in (out / "matches").glob("*.jsonl")
        for record in finished_games(path)
    }


@pytest.fixture(scope="module")
def played_one_by_one(store, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "games"
    return out, played(store, out)


def without_games(out, copy, names):
    """Copy a run without the results of some pairings."""
    shutil.copytree(out, copy)
    lines = (out / "journal.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["stage"] not in names]
    (copy / "journal.jsonl").write_text("".join(kept))
    for name in names:
        for end in ("json", "jsonl", "pgn"):
            (copy / f"{name}.{end}").unlink()


def with_networks(out, copy, config):
    """Begin a run with the networks of another one."""
    with RunDirectory.create(copy, CHESS.name, config) as directory:
        shutil.copytree(out / "networks", copy / "networks")
        for line in (out / "journal.jsonl").read_text().splitlines():
            fields = json.loads(line)
            if fields["stage"].startswith("train/"):
                del fields["time"], fields["run"]
                directory.log(**fields)


def pairings_of(out):
    return [f"matches/{path.stem}" for path in sorted((out / "matches").glob("*.json"))]


@pytest.mark.parametrize("workers", [2, 3])
def test_the_games_are_those_played_one_after_the_other(
    played_one_by_one, store, tmp_path, workers
):
    alone, results = played_one_by_one
    copy, shown = tmp_path / "run", io.StringIO()
    without_games(alone, copy, pairings_of(alone))
    assert not moves_of(copy)
    found = played(store, copy, TerminalConsole(shown), train_workers=workers)
    assert found == results
    assert moves_of(copy) == moves_of(alone)
    assert len(moves_of(copy)) == 2 * 4 * 4
    for path in (alone / "matches").glob("*.pgn"):
        assert (copy / "matches" / path.name).read_bytes() == path.read_bytes()
    text = shown.getvalue()
    assert text.count("Playing 2 parts of the games, 2 at once: 2 of 2 done") == 2
    assert "Playing mixture against baselines, 2 pairings: 8 games: +" in text


def test_pairings_that_were_stopped_go_on(played_one_by_one, store, tmp_path):
    """One with some of its games, and one with none; the others stay as they are."""
    alone, results = played_one_by_one
    copy = tmp_path / "run"
    names = ["matches/mixture-1-baseline-2", "matches/hash-3-2-baseline-2"]
    more = "matches/mixture-2-baseline-1"
    without_games(alone, copy, [*names, more])
    log = (alone / f"{names[0]}.jsonl").read_bytes().splitlines(keepends=True)
    (copy / f"{names[0]}.jsonl").write_bytes(b"".join(log[:3]) + log[3][:20])
    before = (copy / "journal.jsonl").read_text().count("\n")
    assert played(store, copy, train_workers=2) == results
    assert moves_of(copy) == moves_of(alone)
    journal = (copy / "journal.jsonl").read_text().splitlines()[before:]
    assert {json.loads(line)["stage"] for line in journal} == {*names, more}


def test_a_pairing_that_fails_ends_the_others(played_one_by_one, store, tmp_path):
    out = tmp_path / "run"
    config = tiny(store, arms=(), trainings=2, nodes=4000, train_workers=2, threads=2)
    with_networks(played_one_by_one[0], out, config)
    with RunDirectory.create(out, CHESS.name, config) as directory:
        run = TwoPlayerRun(CHESS, directory, config, prepare(config), silent())
        run.train(run._plan())
        # The first pairing takes minutes; the second one needs this network at once.
        (out / "networks/baseline-2/model.safetensors").write_bytes(b"spoiled")
        with pytest.raises(CheckpointError, match="baseline-2"), run._playing:
            run.matches()
        assert not multiprocessing.active_children()


def test_timed_searches_share_no_cores(played_one_by_one, store, tmp_path):
    out, shown = tmp_path / "run", io.StringIO()
    changes = {"movetime": 1.0, "games_played": 2, "max_plies": 16, "train_workers": 2}
    config = tiny(store, arms=(), trainings=2, threads=2, **changes)
    with_networks(played_one_by_one[0], out, config)
    found = played(store, out, TerminalConsole(shown), arms=(), **changes)
    assert [pairing.games for pairing in found["expert"]] == [2] * 4
    assert "pairings" not in shown.getvalue()


def begun_training(out, store, alone):
    """Return the command of a run that trains, and what it writes as it does."""
    del alone
    words = [
        "--preset", "quick", "--games", str(store), "--gate", "plies:30", "--network", "rise-8x1",
        "--positions", "2000000", "--training-batch", "16", "--validation-positions", "64",
        "--watched-positions", "16", "--train-workers", "2", "--threads", "2", "--out", str(out),
    ]  # fmt: skip
    return words, "networks/*/metrics.csv"


def begun_playing(out, store, alone):
    """Return the same of one whose networks are trained, and whose games are long."""
    config = tiny(
        store, arms=(), trainings=2, threads=2, train_workers=2, nodes=20_000, test_games=3,
        resamples=100, timed_batches=(),
    )  # fmt: skip
    with_networks(alone, out, config)
    return ["--resume", str(out)], "matches/*.jsonl"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("begin", [begun_training, begun_playing])
def test_processes_end_with_the_run(played_one_by_one, store, tmp_path, how, begin):
    """Also if it is killed; what they held is free for the next attempt."""
    out = tmp_path / "run"
    words, files = begin(out, store, played_one_by_one[0])
    run = subprocess.Popen(
        [sys.executable, "-m", "phasezoo", "reproduce", "m2cts", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests run in the background of a shell, SIGINT is ignored from the start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 800
    try:
        while len(list(out.glob(files))) < 2:
            assert run.poll() is None, run.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.1)
        children = processes_of(run.pid)
        assert len(children) >= 4  # they, what starts them, and what clears up after them
        if how == signal.SIGINT:
            os.killpg(run.pid, how)  # as a terminal sends it, to every process
        else:
            run.send_signal(how)
        _, errors = run.communicate(timeout=60)
    finally:
        run.kill()
    assert "Traceback" not in errors
    while any(Path(f"/proc/{child}").is_dir() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    for lock in (*out.glob("networks/*/run.lock"), *out.glob("matches/*.jsonl")):
        with lock.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_fewer_workers_go_on_with_a_run(at_once, store, tmp_path):
    out, _, _ = at_once
    shutil.copytree(out, tmp_path / "run")
    config = tiny(store, train_workers=1, threads=2)
    _, cards, _ = trained(config, tmp_path / "run")
    assert weights(tmp_path / "run") == weights(out)
    assert [card.name for card in cards] == [card.name for card in at_once[1][1]]


def test_workers_below_one_are_refused(store, tmp_path, capsys):
    words = ["reproduce", "m2cts", "--games", str(store), "--train-workers", "0"]
    assert cli.main([*words, "--out", str(tmp_path / "run")]) == 2
    assert "--train-workers 0: expected a whole number, 1 or more" in capsys.readouterr().err
