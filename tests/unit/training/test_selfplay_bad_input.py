"""What self-play refuses, and what it does if something breaks in the middle."""

import json
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import selfplay_games
from selfplay_games import Rowwise
from selfplay_runs import run

from phasezoo import agents, inference, training
from phasezoo.errors import (
    CheckpointError,
    InvalidConfig,
    InvalidGate,
    InvalidState,
    RunDirectoryError,
    StoreError,
)
from phasezoo.training import GameStore, Learner, Replay, SelfPlay
from phasezoo.training.selfplay.config import Watching, self_play_search

selfplay_games.register()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    return play(tmp_path_factory.mktemp("games"))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one update, of which tests take copies."""
    out = tmp_path_factory.mktemp("begun") / "run"
    run(out, "promoted", updates=1)
    return out


@pytest.fixture
def out(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "run"))


def play(folder: Path, game: str = "connect-four", **options: Any) -> GameStore:
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=4))
    given = {"agent": agent, "games": 4, "seed": 1, "out": folder / "store", **options}
    return training.play_games(given.pop("agent"), game=game, **given)


def learner(**options: Any) -> Learner:
    return Learner("connect-four", "mlp-16x1", **{"seed": 1, **options})


def loop(folder: Path, **options: Any) -> SelfPlay:
    return SelfPlay("connect-four", "mlp-16x1", out=folder / "run", **options)


PLAYING: list[tuple[dict[str, Any], str]] = [
    ({"starts": "-1*initial"}, "share of start '-1\\*initial'"),
    ({"starts": "0*random:2"}, "share of start"),
    ({"starts": "nan*initial"}, "share of start"),
    ({"starts": ["inf*initial", "random:2"]}, "share of start"),
    ({"starts": {"initial": "x"}}, "share of start 'initial' .*'x'"),
    ({"starts": {"initial": True}}, "share of start 'initial'"),
    ({"starts": {"0.5*initial": 1.0}}, "0.5\\*initial"),
    ({"starts": {5: 1.0}}, "start 5"),
    ({"seed": -1}, "seed=-1"),
    ({"seed": 2**64}, "seed="),
    ({"shard_games": "x"}, "shard_games='x'"),
    ({"out": 5}, "out=5"),
    ({"on_game": 3}, "on_game=3"),
    ({"progress": 3}, "progress=3"),
]


@pytest.mark.parametrize(("options", "told"), PLAYING)
def test_arguments_of_play_games(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidConfig, match=told):
        play(tmp_path, **options)
    assert not list(tmp_path.iterdir())


REPLAYS: list[tuple[dict[str, Any], str]] = [
    ({"half_life": "3"}, "half_life='3'"),
    ({"half_life": True}, "half_life=True"),
    ({"half_life": float("nan")}, "half_life=nan"),
    ({"value_mix": "x"}, "value_mix='x'"),
    ({"discount": "x"}, "discount='x'"),
    ({"symmetries": 3}, "symmetries=3"),
    ({"rules": 5}, "rules=5"),
]


@pytest.mark.parametrize(("options", "told"), REPLAYS)
def test_arguments_of_replays(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidConfig, match=told):
        Replay("connect-four", **options)


def test_a_replay_takes_stores_and_files() -> None:
    replay = Replay("connect-four")
    wrong: dict[str, Callable[[], Any]] = {
        "store=5": lambda: replay.add(5),  # type: ignore[arg-type]
        "files=5": lambda: replay.read(5),  # type: ignore[arg-type]
        "folder=5": lambda: Replay.open(5),  # type: ignore[arg-type]
    }
    for told, call in wrong.items():
        with pytest.raises(InvalidConfig, match=told):
            call()


LEARNERS: list[tuple[dict[str, Any], str]] = [
    ({"phase": "late"}, "phase 'late'"),
    ({"phase": "all"}, "gate="),
    ({"gate": "plies:8", "phase": "late"}, "up to 8"),
    ({"gate": "plies:8", "phase": 3}, "phase 3"),
    ({"seed": -1}, "seed=-1"),
    ({"seed": "x"}, "seed='x'"),
    ({"schedule": 3}, "schedule=3"),
    ({"config": 3}, "config=3"),
    ({"initial": 3}, "initial=3"),
]


@pytest.mark.parametrize(("options", "told"), LEARNERS)
def test_arguments_of_learners(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidConfig, match=told):
        learner(**options)


def test_what_a_learner_learns_from(store: GameStore) -> None:
    replay, one = Replay("connect-four"), learner()
    replay.add(store)
    with pytest.raises(InvalidConfig, match="replay=5"):
        one.learn(5, 5)  # type: ignore[arg-type]
    with pytest.raises(InvalidConfig, match="samples=1"):
        one.learn(replay, 1)
    with pytest.raises(InvalidConfig, match="weights"):
        one.learn(replay, 10, weights="x")  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="own-crosses"):
        Learner("own-crosses", "mlp-16x1").learn(replay, 10)
    expert = learner(gate="plies:8", phase=1)
    assert expert.phase == expert.manifest.phase == "over 8"


LOOPS: list[tuple[dict[str, Any], str]] = [
    *(
        ({name: "x"}, f"{name}='x'")
        for name in ("samples_per_new", "promote_score", "resign_value")
    ),
    *(({name: "x"}, f"{name}='x'") for name in ("promote_games", "resign_check", "resign_moves")),
    *(({name: 5}, f"{name}=5") for name in ("schedule", "starts", "search", "replay", "learning")),
    ({"strategy": "separated"}, "strategy='separated': is for experts"),
    ({"routing": "soft"}, "routing='soft': is for experts"),
    ({"promote_score": 0.9}, "promote_score=0.9: is for promote_games"),
    ({"resign_moves": 5}, "resign_moves=5: is for resign_value"),
    ({"promote_nodes": 9}, "promote_nodes=9: is for promote_games"),
    ({"starts": ("-1*initial",)}, "share of start"),
    ({"starts": ()}, "one at least"),
    ({"resign_check": 2.0}, "check"),
    *(
        ({name: 10**20}, rf"{name}=1.* to ")
        for name in ("games_per_update", "nodes", "concurrency", "samples_per_update")
    ),
    *(({"samples_per_new": many}, "samples_per_new=") for many in (1e300, float("inf"))),
    ({"promote_nodes": 10**20}, r"promote_nodes=1.* to "),
    ({"starts": ("random:60-70",)}, "give fewer"),
    ({"routing": "x"}, "routing='x'"),
    ({"backend": "x"}, "backend='x'"),
    ({"seed": -1}, "seed=-1"),
    ({"seed": 1.5}, "seed=1.5"),
    ({"config": 3}, "config=3"),
    *(({name: 3}, f"{name}=3") for name in ("agent", "load", "progress", "on_update", "loggers")),
    ({"probes": "krk"}, "probes='krk': expected a list of functions"),
    ({"concurency": 3}, "self-play has no such option; did you mean concurrency="),
]


@pytest.mark.parametrize(("options", "told"), LOOPS)
def test_arguments_of_the_loop(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidConfig, match=told):
        loop(tmp_path, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("gate", "told"), [("plies:3", "attribute `ply`"), ("hash:3", "`key`")])
def test_a_gate_that_the_games_states_do_not_have_what_it_wants_for(
    tmp_path: Path, gate: str, told: str
) -> None:
    with pytest.raises(InvalidGate, match=told):
        SelfPlay("own-crosses", "mlp-16x1", gate=gate, out=tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_another_run_in_the_directory_is_named_by_the_options_that_differ(out: Path) -> None:
    with pytest.raises(RunDirectoryError) as caught:
        run(out, "promoted", updates=1, search=self_play_search(temperature=0.5))
    assert "differs in search.temperature 0.5 (there 0.8); nothing" in str(caught.value)


def test_what_is_damaged_names_a_way_to_go_on_once(out: Path) -> None:
    (out / "metrics.csv").write_bytes(b"\xba\xff")
    with pytest.raises(CheckpointError) as garbage:
        run(out, "promoted", updates=2)
    assert str(garbage.value).count("delete the file") == 1
    (out / "metrics.csv").unlink()
    (out / "updates.jsonl").write_text("x\n")
    with pytest.raises(RunDirectoryError, match=r"line 1 is damaged.*with the same command"):
        run(out, "promoted", updates=2)


def line_with(line: str, **values: Any) -> str:
    return json.dumps(json.loads(line) | values) + "\n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines[1:], r"of rounds 2, expected are 1 to 1; put the file back"),
        (lambda lines: lines[::-1], r"of rounds 2, 1, expected are 1 to 2"),
        (lambda lines: ["{}\n", lines[1]], "line 1 is damaged.*put the file back"),
        (lambda lines: [lines[0], "{}\n"], "line 2 is damaged.*remove that line"),
        (lambda lines: [line_with(lines[0], samples=1), lines[1]], "finished rounds have"),
        (lambda lines: [lines[0], line_with(lines[1], learned=5)], "the rounds had 5"),
    ],
)
def test_rounds_that_were_changed_are_refused(
    tmp_path: Path, begun: Path, change: Any, words: str
) -> None:
    out = Path(shutil.copytree(begun, tmp_path / "run"))
    run(out, "promoted", updates=2)
    lines = (out / "updates.jsonl").read_text().splitlines(keepends=True)
    (out / "updates.jsonl").write_text("".join(change(lines)))
    with pytest.raises((RunDirectoryError, CheckpointError), match=words):
        run(out, "promoted", updates=3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"about": None}, "says nothing of its rounds"),
        ({"about": {}}, "after None rounds"),
        ({"about": {"update": {}}}, "after {} rounds"),
        ({"rounds": "x"}, "says nothing of its rounds"),
        ({"counters": {"update": "x"}}, "counters are not there or changed"),
        ({"counters": {"seconds": None}}, "counters are not there or changed"),
        ({"counters": {"update": 7}}, "counters say update 7"),
    ],
)
def test_a_learner_that_was_changed_is_refused(
    out: Path, change: dict[str, Any], words: str
) -> None:
    (manifest,) = (out / "learners").glob("*/update-*/manifest.json")
    record = json.loads(manifest.read_text())
    for name, value in change.items():
        inner = isinstance(value, dict) and name == "counters"
        record["training"][name] = record["training"][name] | value if inner else value
    manifest.write_text(json.dumps(record))
    with pytest.raises(CheckpointError, match=words):
        run(out, "promoted", updates=2)


def test_a_source_of_ones_own_that_starts_where_a_game_is_over(tmp_path: Path) -> None:
    from phasezoo import games
    from phasezoo.training.selfplay.start_sources import Begun

    class Over:
        def begin(self, game: games.Game, rng: np.random.Generator) -> Begun:
            return Begun("1212121", (game.from_columns("1212121"),))

    with pytest.raises(InvalidState, match="over there"):
        play(tmp_path, starts=Over())


def test_a_checkpoint_of_another_game_among_those_of_a_run(out: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    run(other, "experts", updates=1, gate=None, games_per_update=1)
    shutil.rmtree(out / "learners")
    shutil.copytree(other / "learners", out / "learners")
    with pytest.raises(CheckpointError, match="connect-four"):
        run(out, "promoted", updates=2)


class Gone(RuntimeError):
    """What a worker dies of."""


class Dying(Rowwise):
    """An evaluator that dies after some rows."""

    def __init__(self, actions: int, rows: int) -> None:
        super().__init__(actions)
        self.left = rows

    def evaluate(self, planes: Any) -> inference.Evaluation:
        self.left -= len(planes)
        if self.left < 0:
            message = "the device is gone"
            raise Gone(message)
        return super().evaluate(planes)


def test_an_evaluator_that_dies_ends_the_games_with_its_traceback(tmp_path: Path) -> None:
    agent = agents.MCTSAgent(Dying(7, 2000), limit=agents.Limit(nodes=12))
    with pytest.raises(Gone, match="device is gone") as caught:
        play(tmp_path, agent=agent, games=500, concurrency=4)
    assert "in evaluate" in "".join(traceback.format_exception(caught.value))
    assert any("had been finished" in note for note in caught.value.__notes__)
    assert 0 < len(GameStore.open(tmp_path / "store")) < 500


def test_a_run_whose_evaluator_dies_ends_and_goes_on_later(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"updates": 2, "watching": Watching.nothing()}
    whole = run(tmp_path / "whole", "promoted", **changes)
    dying = {"load": lambda folder, **_: Dying(9, 60)}
    with pytest.raises(Gone, match="device is gone"):
        run(tmp_path / "run", "promoted", **changes, **dying)
    again = run(tmp_path / "run", "promoted", **changes)
    assert [row.samples for row in again.updates] == [row.samples for row in whole.updates]


def test_what_makes_batches_and_dies_ends_the_round_with_its_traceback(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from phasezoo.training.selfplay.replay import ReplaySampler

    def die(*_: Any) -> Any:
        message = "no batch"
        raise Gone(message)

    replay = Replay("connect-four")
    replay.add(store)
    monkeypatch.setattr(ReplaySampler, "make", die)
    with pytest.raises(Gone, match="no batch") as caught:
        learner().learn(replay, 10)
    assert "in die" in "".join(traceback.format_exception(caught.value))
