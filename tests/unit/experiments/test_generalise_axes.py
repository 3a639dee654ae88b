"""The axes of the package, their learners and measures, each as small as it can be."""

import dataclasses
import json
import shlex

import numpy as np
import pytest

from phasezoo import agents, errors, experiments, games, inference
from phasezoo.apps import cli
from phasezoo.experiments.generalisation.catalogue import AXES, axes_named, axes_of
from phasezoo.experiments.generalisation.config import GENERALISE, PRESETS, Axis, GeneraliseConfig
from phasezoo.experiments.generalisation.learners import (
    EvaluationMatch,
    ExpertsLearner,
    adamw,
    evaluation_set,
    states_of,
    training_set_of_states,
)
from phasezoo.experiments.generalisation.measures import Losses, Play, Regret
from phasezoo.training.solved import Starts

pytest.importorskip("torch", reason="networks need the extra 'train'")
pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

TINY = GeneraliseConfig(
    network="resnet-8x1", positions=1_000, games=40, test_games=10, resamples=100, threads=1
)


def part(axis, split, which):
    given = getattr(next(one for one in axis.splits if one.name == split), which)
    return given(7) if callable(given) else given


def test_every_axis_can_be_made_and_has_a_name_of_its_game():
    found = axes_of(TINY)
    assert list(found) == list(AXES)
    # Rated games are nobody's but the user's.
    assert "--store" in str(found.pop("chess/ratings"))
    for name, axis in found.items():
        assert isinstance(axis, Axis)
        assert axis.name == name
        assert axis.about
        assert len(axis.columns) >= 2


def test_axes_by_game_and_by_name():
    assert list(axes_named(["krk"], TINY)) == ["krk/distance", "krk/regions"]
    assert list(axes_named(["chess/phases", "krk/regions"], TINY)) == [
        "chess/phases",
        "krk/regions",
    ]
    assert len({name.partition("/")[0] for name in AXES}) == 4


def test_distances_are_what_they_say_and_no_test_was_learnt():
    axis = AXES["krk/distance"](TINY)
    for low, high in ((1, 4), (13, 16)):
        name = f"mate in {low}–{high}"
        starts = part(axis, name, "test")
        assert all(low <= state.dtm <= high for state in starts.states)
        data = part(axis, name, "train")
        learnt = data.splits.train
        assert all(
            low <= games.make("krk").from_fen(fen).dtm <= high for fen in learnt.starts.values()
        )
        keys = set(learnt.positions().key.tolist())
        tested = training_set_of_states(starts.game, starts.states, 1).splits.train.positions()
        assert not keys & set(tested.key.tolist())


def test_solved_positions_are_learnt_with_a_perfect_move():
    game = games.make("krk", start="dtm", dtm=(3, 6))
    states = [game.initial_state(seed=seed) for seed in range(50)]
    store = training_set_of_states(games.make("krk"), states, 2).splits.train
    for number, fen in store.starts.items():
        state = games.make("krk").from_fen(fen)
        assert store.actions[number] in game.best_actions(state)
        assert store.returns[number].tolist() == [1.0, -1.0]


def test_phases_are_tested_on_other_games_and_positions():
    axis = AXES["chess/phases"](TINY)
    data, positions = part(axis, "endgame", "train"), part(axis, "endgame", "test")
    rows = positions.rows
    assert len(rows) > 0
    assert set(rows.phase.tolist()) == {rows.phase_index("endgame")}
    learnt = data.splits.train.positions("lichess")
    assert not np.isin(rows.key, learnt.key).any()
    assert positions.store is part(axis, "opening", "test").store


def looks(store, rows):
    """Board, who moves, castling, en passant, and what is in the pockets."""
    found = []
    for game, ply in zip(rows.game.tolist(), rows.ply.tolist(), strict=True):
        fen = store.records.states(game)[ply].fen.replace("[]", "").split()
        found.append(" ".join(fen[:4]))
    return found


def test_variants_are_tested_on_positions_of_no_variants_training_games():
    config = dataclasses.replace(TINY, games=60, test_games=20)
    axis = AXES["chess/variants"](config)
    learnt = set()
    for split in axis.splits:
        data = part(axis, split.name, "train").splits
        for store in (data.train, data.validation):
            learnt |= set(looks(store, store.positions()))
    for split in axis.splits:
        positions = part(axis, split.name, "test")
        every = looks(positions.store, positions.store.positions())
        kept = looks(positions.store, positions.rows)
        assert kept
        assert not learnt & set(kept), split.name
        assert positions.removed == len(every) - len(kept)
        # Nothing but these is left out.
        assert sorted(kept) == sorted(each for each in every if each not in learnt)
    assert part(axis, "crazyhouse", "test").removed >= 10  # the start of all games at least


def test_positions_of_validation_are_learnt_from_too():
    axis = AXES["chess/phases"](TINY)
    data, positions = part(axis, "opening", "train"), part(axis, "opening", "test")
    known = np.concatenate([s.positions().key for s in (data.splits.train, data.splits.validation)])
    assert not np.isin(positions.rows.key, known).any()
    of_phase = data.splits.test.positions("lichess").of_phase("opening")
    assert positions.removed == np.isin(of_phase.key, known).sum() > 0
    assert len(positions.rows) + positions.removed == len(of_phase)


def test_no_start_of_a_region_is_tested_that_a_training_set_has():
    axis = AXES["krk/regions"](TINY)
    learnt = set()
    for split in axis.splits:
        store = part(axis, split.name, "train").splits.train
        learnt |= {store.records.states(game)[0].key for game in range(len(store))}
    tested = [s.key for split in axis.splits for s in part(axis, split.name, "test").states]
    assert len(tested) == 3 * 5 * TINY.test_games
    assert not learnt & set(tested)


def test_states_of_an_evaluation_set_are_its_positions():
    axis = AXES["connect-four/plies"](TINY)
    data = part(axis, "plies 11–20", "train")
    positions = evaluation_set(data.splits, data.gate, data.phase)
    states = states_of(positions, 5, 1)
    assert len(states) == 5
    assert all(11 <= state.ply <= 20 for state in states)


def test_regret_of_perfect_and_of_bad_moves():
    game = games.make("krk")
    state = game.from_fen("8/8/8/8/8/2k5/8/K6R w - - 0 1")

    def worst(observation, info):
        shown = info["state"]
        return int(shown.legal_actions[np.argmin(game.action_scores(shown))])

    perfect = Regret()(agents.TablebaseAgent(), Starts(game, (state,)), 1)
    assert (perfect["best moves"].sums, perfect["regret"].sums) == ((1.0,), (0.0,))
    assert perfect["distance lost"].sums == (0.0,)
    bad = Regret()(worst, Starts(game, (state,)), 1)
    scores = game.action_scores(state)
    lost = (np.sign(scores.max()) - np.sign(scores.min())) / 2
    assert bad["regret"].sums == (lost,)
    assert bad["best moves"].sums == (0.0,)
    assert bad["distance lost"].counts == (float(lost == 0),)


def test_losses_are_means_over_positions_by_game():
    positions = part(AXES["chess/phases"](TINY), "opening", "test")
    mixture = inference.load("phasezoo/chess-small")
    samples = Losses()(mixture, positions, 1)
    assert sum(samples["policy loss"].counts) == len(positions.rows)
    assert samples["policy loss"].groups == positions.rows.num_games()
    share = sum(samples["top-1 accuracy"].sums) / len(positions.rows)
    assert 0.05 < share < 1
    # The mixture's own gate says who answers, not the gate of the positions.
    alone = Losses()(mixture.experts[0], positions, 1)
    own = positions.store.positions(mixture.gate)
    opening = set(own.game[own.phase > 0].tolist())
    differ = [
        game
        for game, (a, b) in enumerate(
            zip(samples["policy loss"].sums, alone["policy loss"].sums, strict=True)
        )
        if a != b
    ]
    assert {int(np.unique(positions.rows.game)[game]) for game in differ} <= opening


def test_games_are_counted_by_opening():
    game = games.make("connect-four")
    samples = Play()("uct:simulations=100,seed=1", EvaluationMatch(game, "random", 12), 3)
    assert samples["score"].counts == (2,) * 6
    assert sum(samples["games won"].sums) >= 10
    own = Play(agent=lambda model, seed: model)(
        agents.RandomAgent(seed=1), EvaluationMatch(game, "random", 4), 3
    )
    assert own["score"].groups == 2


def test_the_command_writes_its_matrix_and_resumes(tmp_path, capsys):
    out = tmp_path / "run"
    words = ["generalise", "krk/regions", "--out", str(out), "--positions", "1000"]
    words += ["--test-games", "10", "--network", "resnet-8x1", "--threads", "1"]
    assert cli.main(words) == 0
    assert "heldout-region" in capsys.readouterr().out
    found = json.loads((out / "results.json").read_text())
    assert [m["score"]["name"] for m in found["matrices"]] == [
        "best moves",
        "regret",
        "distance lost",
    ]
    assert len(found["matrices"][0]["cells"]) == 9
    assert shlex.split(found["command"])[1:3] == ["generalise", "krk/regions"]
    (out / "krk-regions" / "1-train-1" / "on-2.json").unlink()
    assert cli.main(["generalise", "--resume", str(out)]) == 0
    again = json.loads((out / "results.json").read_text())
    assert again["matrices"] == found["matrices"]


def test_an_axis_of_ones_own_by_its_name(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_axes.py").write_text(
        "from phasezoo import experiments as ex\n"
        "def learn(data, seed, out): return data\n"
        "def score(model, data, seed): return [abs(model - each) for each in data]\n"
        "AXIS = ex.Axis('mine', (ex.Split('a', 1, [1] * 12), ex.Split('b', 2, [2] * 12)), learn,\n"
        "               ex.Measure(score, ex.Score('error', 'lower')))\n"
        "WRONG = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    assert cli.main(["generalise", "my_axes.py:AXIS", "--out", "run", "--threads", "1"]) == 0
    assert "a on b" in capsys.readouterr().out
    assert cli.main(["generalise", "my_axes.py:WRONG", "--out", "other"]) == 2
    assert "expected an Axis" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_what_does_not_exist_is_named_before_anything_is_written(tmp_path, capsys):
    assert cli.main(["generalise", "go", "--out", str(tmp_path / "run")]) == 2
    assert "'go': no such axis. Known are chess, " in capsys.readouterr().err
    assert cli.main(["generalise", "--positions", "10", "--out", str(tmp_path / "run")]) == 2
    assert "--positions 10" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_missing_package_leaves_an_axis_out(monkeypatch):
    def lacks(config):
        message = "needs a package"
        raise errors.MissingDependency(message)

    monkeypatch.setitem(AXES, "krk/distance", lacks)
    found = axes_named(["krk"], TINY)
    assert isinstance(found["krk/distance"], errors.MissingDependency)
    assert isinstance(found["krk/regions"], Axis)
    with pytest.raises(errors.MissingDependency):
        experiments.generalise("krk", out="unused", sizes=TINY)


def test_sizes_of_named_axes_tell_runs_apart(tmp_path):
    sizes = dataclasses.replace(TINY, positions=1_000)
    options = {"out": tmp_path / "run", "learner": lambda *given: "tablebase", "threads": 1}
    matrix = experiments.generalise("krk/regions", sizes=sizes, **options).matrix()
    assert all(cell.score.value == 1 for cell in matrix.cells)
    assert all(cell.gap.value == 0 for cell in matrix.cells if not cell.is_diagonal)
    other = dataclasses.replace(sizes, test_games=20)
    with pytest.raises(errors.RunDirectoryError, match=r"another run.*sizes"):
        experiments.generalise("krk/regions", sizes=other, **options)


def test_presets_are_valid_and_their_commands_say_so(tmp_path):
    for name, config in PRESETS.items():
        config.validate()
        own = dataclasses.replace(config, axes=("krk",), seed=4)
        words = GENERALISE.command_line(own, tmp_path)
        assert words == f"phasezoo generalise krk --preset {name} --out {tmp_path} --seed 4"


def test_experts_learn_from_a_training_set_and_are_measured(tmp_path):
    axis = AXES["connect-four/plies"](TINY)
    data = part(axis, "all plies", "train")
    learner = ExpertsLearner(
        "resnet-8x1", 600, "plies:14", options=adamw() | {"threads": 1, "validation_positions": 64}
    )
    mixture = learner(data, 1, tmp_path / "experts")
    assert len(mixture.experts) == 2
    positions = evaluation_set(data.splits)
    samples = Losses()(mixture, positions, 1)
    assert sum(samples["policy loss"].counts) == len(positions.rows)
    assert learner(data, 1, tmp_path / "experts").names == mixture.names  # loads what is there
