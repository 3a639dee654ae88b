"""The supervised trainer: what it saves, what it reports, what it refuses."""

import json
import math
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_runs import ARGUMENTS, games, numbers, train

from phasezoo import games as zoo, inference
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.errors import (
    CheckpointError,
    InvalidConfig,
    InvalidGate,
    InvalidPlaneSpec,
    PhasezooError,
    RunDirectoryError,
    StoreError,
)
from phasezoo.training import GameStore, Splits, TrainingResult, evaluate_network, steps
from phasezoo.training.trainer import Trainer

GAME = zoo.make("chess")


@pytest.fixture(scope="module")
def expert(tmp_path_factory: pytest.TempPathFactory) -> TrainingResult:
    out = tmp_path_factory.mktemp("expert") / "run"
    return train(out, gate="lichess", phase="middlegame", tensorboard=True)


def test_the_result_says_what_the_network_got(expert: TrainingResult) -> None:
    train_rows = games().split(3).train.positions("lichess").of_phase("middlegame")
    assert expert.positions == ARGUMENTS["positions"] == 389
    assert expert.updates == 24
    assert expert.epochs == pytest.approx(389 / len(train_rows))
    assert 0 < expert.unique_positions <= min(389, train_rows.num_unique())
    assert expert.gate == "lichess:classic"
    assert expert.phase == "middlegame"
    assert expert.seconds > 0
    for words in ("389 positions", "epochs", "24 updates", "parameters", "validation loss"):
        assert words in expert.describe()


def test_more_positions_than_there_are_come_again(tmp_path: Path) -> None:
    store = games()
    endgame = store.split(3).train.positions("lichess").of_phase(2)
    result = train(tmp_path / "run", gate="lichess", phase=2, positions=2 * len(endgame))
    assert result.epochs == 2.0
    assert result.unique_positions == endgame.num_unique()


def test_the_manifest_says_what_the_network_is(expert: TrainingResult) -> None:
    evaluator = inference.load(expert.path, backend="torch")
    assert (evaluator.gate, evaluator.phase) == ("lichess:classic", "middlegame")
    assert (evaluator.game, evaluator.plane_spec) == ("chess", "minimal")
    manifest = evaluator.manifest
    assert manifest.parameters["total"] == expert.parameters
    assert manifest.training["identity"]["seed"] == 3
    assert set(manifest.files) == {"model.safetensors"}
    assert not (expert.path / "checkpoints").exists()


def test_the_saved_network_is_the_best_on_validation(expert: TrainingResult) -> None:
    validation = [row["validation/loss"] for row in expert.history]
    measured = [loss for loss in validation if loss is not None]
    assert len(measured) == 1 + math.ceil(24 / 6)
    assert expert.metrics["loss"] == pytest.approx(min(measured), rel=1e-6)
    best = next(row for row in expert.history if row["validation/loss"] == min(measured))
    assert best["update"] == expert.best_update


@pytest.mark.parametrize(
    ("policy", "value", "chosen_by"),
    [
        (0.988, 0.01, "loss"),
        (0.0, 1.0, "value_mse"),
        (0.0, 0.01, "value_mse"),
        (1.0, 0.0, "loss"),
        (0.988, 0.0, "policy_loss"),
    ],
)
def test_the_checkpoint_is_chosen_by_what_was_learned(tmp_path, policy, value, chosen_by):
    trained = train(
        tmp_path / "run",
        max_lr=1.0,  # so high that losses go up and down
        policy_weight=policy,
        value_weight=value,
        wdl_weight=0.0,
        evaluate_every=2,
        spike_factor=100.0,
    )
    rows = [row for row in trained.history if row.get("validation/loss") is not None]
    best = min(rows, key=lambda row: row[f"validation/{chosen_by}"])
    assert trained.best_update == best["update"]


def test_the_reported_metrics_are_those_of_the_saved_network(tmp_path: Path) -> None:
    result = train(tmp_path / "run", validation_positions=10**6)
    store = games().split(3).validation
    losses = evaluate_network(inference.load(result.path), store, store.positions("none"))
    mean = losses.mean()
    assert mean.total == pytest.approx(result.metrics["loss"], rel=1e-5)
    assert mean.policy == pytest.approx(result.metrics["policy_loss"], rel=1e-5)
    assert mean.value == pytest.approx(result.metrics["value_mse"], rel=1e-4)
    assert mean.accuracy == pytest.approx(result.metrics["policy_accuracy"])


def test_metrics_are_written_for_tensorboard_by_positions(expert: TrainingResult) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(expert.path / "tensorboard"))
    events.Reload()
    tags = events.Tags()["scalars"]
    assert {"train/loss", "train/lr", "validation/policy_accuracy"} <= set(tags)
    written = {event.step: event.value for event in events.Scalars("validation/loss")}
    expected = {
        int(row["positions"] or 0): row["validation/loss"]
        for row in expert.history
        if row["validation/loss"] is not None
    }
    assert written == pytest.approx(expected, rel=1e-5)


def test_a_network_of_all_phases_is_no_expert_and_reports_each_phase(tmp_path: Path) -> None:
    result = train(tmp_path / "run", gate="lichess", validation_positions=500)
    assert (result.gate, result.phase) == ("none", None)
    last = result.history[-1]
    assert all(last[f"phase/{name}/loss"] for name in ("opening", "middlegame", "endgame"))


def test_every_phase_is_watched_whatever_is_learnt(tmp_path: Path) -> None:
    expert = {"gate": "lichess", "phase": "middlegame"}
    watched = train(tmp_path / "watched", **expert, watched_positions=10**6)
    alone = train(tmp_path / "alone", **expert)
    assert numbers(watched.path)[0] == numbers(alone.path)[0]  # looking changes nothing
    store = games().split(3).validation
    rows = store.positions("lichess")
    losses = evaluate_network(inference.load(watched.path), store, rows)
    at_best = next(row for row in watched.history if row["update"] == watched.best_update)
    assert rows.names == ("opening", "middlegame", "endgame")
    for phase, name in enumerate(rows.names):
        mean = losses.mean(phase)
        assert mean.positions > 0
        assert at_best[f"phase/{name}/loss"] == pytest.approx(mean.total, rel=1e-5)
        assert at_best[f"phase/{name}/accuracy"] == pytest.approx(mean.accuracy)
    fewer = train(tmp_path / "fewer", **expert, watched_positions=7, positions=16)
    assert all(fewer.history[-1][f"phase/{name}/loss"] for name in rows.names)
    sizes = json.loads((fewer.path / "config.json").read_text())["config"]
    assert sizes["watched_positions"] == 7
    with pytest.raises(RunDirectoryError, match=r"differs in watched_positions 9 \(there 0\)"):
        train(tmp_path / "alone", **expert, watched_positions=9)


def test_watching_phases_needs_phases(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="watched_positions=8: the gate 'none' has one phase"):
        train(tmp_path / "run", watched_positions=8)
    assert not (tmp_path / "run").exists()


def test_networks_of_one_seed_start_alike(tmp_path: Path) -> None:
    def initial(name: str, **changes: Any) -> str:
        record = json.loads((train(tmp_path / name, **changes).path / "config.json").read_text())
        return str(record["config"]["initial_weights_sha256"])

    short = {"positions": 16}
    one = initial("baseline", **short)
    assert one == initial("expert", gate="lichess", phase="opening", **short)
    assert one != initial("other", seed=4, **short)
    assert initial("a", seed=4, init_seed=9, **short) == initial("b", seed=5, init_seed=9, **short)


def test_training_may_start_from_a_network(tmp_path: Path, expert: TrainingResult) -> None:
    result = train(tmp_path / "run", init=expert.path, gate="lichess", phase="middlegame")
    first = result.history[0]["validation/loss"]
    assert first == pytest.approx(expert.metrics["loss"], rel=1e-6)


def test_spikes_go_back_to_the_best_checkpoint_and_end_the_training(tmp_path: Path) -> None:
    # Three spikes in a row in each of seven seeds.
    result = train(tmp_path / "run", max_lr=1e6, evaluate_every=2, spike_limit=2)
    assert result.stopped_early
    assert result.spikes == 3
    assert result.updates < 24
    assert math.isfinite(result.metrics["loss"])
    assert "ended early" in result.describe()


def test_a_spike_before_anything_was_learnt_goes_back_to_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = Trainer._update

    def broken(self: Trainer, *arguments: Any, **options: Any) -> torch.Tensor | None:
        norm = update(self, *arguments, **options)
        if self.counters.update == 1:
            with torch.no_grad():
                next(self.network.parameters()).fill_(math.nan)
        return norm

    monkeypatch.setattr(Trainer, "_update", broken)
    result = train(tmp_path / "run", evaluate_every=1, spike_factor=1e9)
    assert result.spikes == 1
    assert result.history[1]["validation/loss"] is not None
    assert not math.isfinite(result.history[1]["validation/loss"])
    assert math.isfinite(result.metrics["loss"])


def test_gradients_can_be_clipped(tmp_path: Path) -> None:
    free, clipped = train(tmp_path / "free"), train(tmp_path / "clipped", gradient_clip=1e-6)
    assert free.history[-1]["train/grad_norm"] > 1e-3
    change = clipped.history[0]["validation/loss"] - clipped.metrics["loss"]
    assert abs(change) < abs(free.history[0]["validation/loss"] - free.metrics["loss"])


def test_real_nesterov_momentum_is_used(tmp_path: Path) -> None:
    splits = games().split(3)
    captured = {}

    class Spy(steps.SGD):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            captured.update(options)
            super().__init__(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "SGD", Spy)
        train(tmp_path / "run", positions=16, splits=splits)
    assert captured["nesterov"] is True
    assert captured["weight_decay"] == 1e-4


# --- refusals: each a typed error, and nothing that was there is lost ---


def test_the_directory_of_another_training_is_left_alone(expert: TrainingResult) -> None:
    before = {path: path.read_bytes() for path in expert.path.rglob("*") if path.is_file()}
    with pytest.raises(RunDirectoryError, match="positions 17 "):
        train(expert.path, gate="lichess", phase="middlegame", positions=17)
    with pytest.raises(RunDirectoryError, match="differs in phase 'opening'"):
        train(expert.path, gate="lichess", phase="opening")
    with pytest.raises(RunDirectoryError, match="already"):
        train(expert.path, gate="lichess", phase="middlegame", resume=False)
    assert {path: path.read_bytes() for path in expert.path.rglob("*") if path.is_file()} == before


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RunDirectoryError, match=r"thesis\.tex"):
        train(tmp_path)
    with pytest.raises(RunDirectoryError, match="is a file"):
        train(tmp_path / "thesis.tex")
    with pytest.raises(RunDirectoryError, match="cannot be written"):
        train(tmp_path / "thesis.tex" / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text('{"learning": true}')
    with pytest.raises(RunDirectoryError, match="is not the configuration"):
        train(tmp_path / "other")
    assert [path.name for path in sorted(tmp_path.rglob("*"))] == [
        "other",
        "config.json",
        "thesis.tex",
    ]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"positions": 0}, InvalidConfig, "positions=0"),
        ({"network": "rise-32"}, InvalidConfig, "CHANNELSxBLOCKS"),
        ({"planes": "v9"}, InvalidPlaneSpec, "v9"),
        ({"gate": "moves:0"}, InvalidGate, "moves"),
        ({"gate": "lichess", "phase": "late"}, InvalidConfig, "late"),
        ({"gate": "lichess", "phase": 3}, InvalidConfig, "3"),
        ({"max_learning_rate": 0.1}, InvalidConfig, "there are"),
        ({"device": "warp"}, InvalidConfig, "warp"),
        ({"dtype": "float8"}, InvalidConfig, "float8"),
        ({"init": "nowhere"}, CheckpointError, "nowhere"),
    ],
)
def test_wrong_arguments_are_typed_errors_and_leave_no_directory(
    tmp_path: Path, changes: dict[str, Any], error: type[PhasezooError], words: str
) -> None:
    with pytest.raises(error, match=words):
        train(tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


def test_a_phase_without_positions_is_a_typed_error(tmp_path: Path) -> None:
    store = games()
    opening_only = store.subset(np.arange(0))
    splits = Splits(store.split(1).train, opening_only, opening_only)
    with pytest.raises(StoreError, match="no validation positions of phase 'endgame'"):
        train(tmp_path / "run", gate="lichess", phase="endgame", splits=splits)
    with pytest.raises(StoreError, match="no training positions"):
        train(tmp_path / "run", splits=Splits(opening_only, store, store))


def test_a_full_disk_is_a_typed_error_and_the_training_goes_on_later(
    tmp_path: Path, expert: TrainingResult, full_disk: Any
) -> None:
    out = tmp_path / "run"
    changes: dict[str, Any] = {"gate": "lichess", "phase": "middlegame"}
    with ExitStack() as stack:

        def fill_the_disk(event: Any) -> None:
            if event.update == 7:
                stack.enter_context(full_disk(4096))

        with pytest.raises(CheckpointError, match="what was saved before is kept"):
            train(out, progress=fill_the_disk, **changes)
    assert (out / "checkpoints" / "update-000000006" / "manifest.json").is_file()
    assert not list(out.rglob("*.partial"))
    assert train(out, **changes).metrics == expert.metrics


# One changed digit of a number is still a manifest, so that one is not changed but only cut.
DAMAGES = [
    (name, damage)
    for name in ("model.safetensors", "optimizer.safetensors", "manifest.json")
    for damage in ("cut", "changed", "gone")
    if (name, damage) != ("manifest.json", "changed")
]


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_a_damaged_checkpoint_is_a_typed_error(tmp_path: Path, name: str, damage: str) -> None:
    def stop(event: Any) -> None:
        if event.update == 8:
            raise KeyboardInterrupt

    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(out, progress=stop)
    path = out / "checkpoints" / "update-000000006" / name
    data = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    else:
        data[-20] ^= 1
        path.write_bytes(data[: len(data) // 2] if damage == "cut" else data)
    with pytest.raises(CheckpointError, match=name):
        train(out)


def test_metrics_that_are_none_are_a_typed_error(tmp_path: Path, some_games: GameStore) -> None:
    def stop(event: Any) -> None:
        if event.update == 8:
            raise KeyboardInterrupt

    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(out, progress=stop)
    (out / "metrics.csv").write_text("not,metrics\n1,2\n")
    with pytest.raises(CheckpointError, match=r"metrics\.csv"):
        train(out)


def test_a_network_is_shown_as_many_moves_as_in_its_training(tmp_path: Path) -> None:
    result = train(tmp_path / "run", planes="v2", history=2, positions=16)
    evaluator = inference.load(result.path)
    assert evaluator.plane_spec == evaluator.manifest.planes == "v2:history=2"
    shown = []

    class Spy:
        plane_spec = evaluator.plane_spec

        def evaluate(self, planes: Any) -> Any:
            shown.append(planes.copy())
            return evaluator.evaluate(planes)

    state = GAME.initial_state()
    for action in ("e2e4", "e7e5", "g1f3", "b8c6"):
        state = state.play(state.parse_uci(action))
    MCTSAgent(evaluator=Spy(), limit=Limit(nodes=20)).search(state)
    planes = np.concatenate(shown)
    assert (planes[:, 20:24].sum(axis=(2, 3)) == 1).all()
    assert not planes[:, 24:36].any()
    with pytest.raises(RunDirectoryError, match="planes 'v2' "):
        train(tmp_path / "run", planes="v2", positions=16)
    with pytest.raises(InvalidPlaneSpec, match="show no moves"):
        train(tmp_path / "other", history=2)


def test_weights_that_teach_nothing_are_refused(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("policy_weight", "value_weight", "wdl_weight", "plies_weight"), 0.0)
    with pytest.raises(InvalidConfig, match="all are 0, so nothing is learned"):
        train(tmp_path / "run", **nothing)
