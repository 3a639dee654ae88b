"""Baseline and experts trained, measured, kept and opened again, by every strategy."""

import csv
import functools
import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from phasezoo import agents, games, inference, training
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.errors import CheckpointError, InvalidConfig, RunDirectoryError
from phasezoo.runs import jsonable
from phasezoo.training import EpisodeStore, Experts, GameStore, Sampler, train_experts
from phasezoo.training.experts.strategies import AS_ONE

OPTIONS: dict[str, Any] = {
    "network": "resnet-8x1",
    "planes": "minimal",
    "positions": 160,
    "seed": 3,
    "batch_size": 16,
    "validation_positions": 32,
    "test_games": 2,
    "threads": 1,
    "device": "cpu",
    "tensorboard": False,
}


@pytest.fixture(scope="module")
def store() -> GameStore:
    return GameStore.sample("chess").subset(range(20))


def train(store: Any, out: Path, strategy: str = "separated", **changes: Any) -> Experts:
    return train_experts(store, "lichess", strategy, out=out, **{**OPTIONS, **changes})


@pytest.fixture(scope="module")
def separated(store: GameStore, tmp_path_factory: pytest.TempPathFactory) -> Experts:
    return train(store, tmp_path_factory.mktemp("separated") / "run")


@pytest.fixture(scope="module")
def trained(store: GameStore, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Experts]:
    """Train a strategy once for all tests that only look at its experts."""

    @functools.cache
    def once(strategy: str, **options: Any) -> Experts:
        return train(store, tmp_path_factory.mktemp("trained") / "run", strategy, **options)

    return once


def weights_of(experts: Experts) -> dict[str, bytes]:
    folder = experts.directory / "networks"
    return {path.parent.name: path.read_bytes() for path in folder.glob("*/model.safetensors")}


def test_experts_are_evaluators_and_a_mixture(separated: Experts) -> None:
    assert separated.phases == ("opening", "middlegame", "endgame")
    assert (separated.game, separated.strategy) == ("chess", "separated")
    assert separated.baseline().phase is None
    assert [separated.expert(phase).phase for phase in separated.phases] == list(separated.phases)
    with pytest.raises(InvalidConfig, match="'late'"):
        separated.expert("late")
    state = games.make("chess").initial_state()
    mixture = separated.mixture(routing="majority")
    assert mixture.routing == "majority"
    result = MCTSAgent(mixture, limit=Limit(nodes=8), seed=1).search(state)
    assert result.action in state.legal_actions


def test_a_folder_of_experts_is_opened_again(separated: Experts) -> None:
    again = training.Experts.open(separated.directory)
    assert again.losses == separated.losses
    assert again.networks == separated.networks
    assert again.work == {"baseline": 160, "mixture": 160}
    plain = inference.load_experts(separated.directory)
    assert plain.phases == again.phases
    assert plain.expert("endgame", backend="torch").phase == "endgame"


@pytest.mark.parametrize(
    ("strategy", "options", "mixture"),
    [
        ("staged", {}, 160),
        ("staged", {"order": "farthest-first"}, 160),
        ("weighted:4", {}, 160),
        ("weighted:4", {"budget": "study"}, 480),
        ("staged", {"budget": "study"}, 320),
        ("staged", {"budget": "study", "order": ("endgame", "opening", "middlegame")}, 480),
    ],
)
def test_every_strategy_trains_what_it_says(
    store: GameStore,
    trained: Callable[..., Experts],
    strategy: str,
    options: dict[str, Any],
    mixture: int,
) -> None:
    experts = trained(strategy, **options)
    assert experts.work == {"baseline": 160, "mixture": mixture}
    seen = {network.name: network.positions for network in experts.networks}
    assert seen["baseline"] == 160
    from_baseline = any(network.start == "baseline" for network in experts.networks)
    assert sum(seen.values()) - 160 * (not from_baseline) == mixture
    assert experts.budget == options.get("budget", "equal")
    for phase in experts.phases:
        expert = experts.expert(phase)
        assert (expert.gate, expert.phase) == ("lichess:classic", phase)
    for network in experts.networks:
        if network.start is not None:
            _starts_from(experts, network.name, network.start)
    assert experts.mixture(backend="torch").num_phases == 3
    again = train(store, experts.directory, strategy, **options)
    assert again.networks == experts.networks


@pytest.mark.parametrize("budget", ["equal", "study"])
def test_staged_experts_that_were_stopped_are_finished(
    store: GameStore, trained: Callable[..., Experts], tmp_path: Path, budget: str
) -> None:
    whole = trained("staged", **({} if budget == "equal" else {"budget": budget}))
    seen: list[str] = []

    def stop(event: training.Progress) -> None:
        seen.append(event.name)
        if len(set(seen)) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(store, tmp_path / "run", "staged", budget=budget, progress=stop)
    assert not (tmp_path / "run" / "experts.json").exists()
    assert weights_of(train(store, tmp_path / "run", "staged", budget=budget)) == weights_of(whole)


@pytest.mark.parametrize("strategy", ["separated", "staged", "weighted:2", "planes", "adapters"])
@pytest.mark.parametrize("budget", ["equal", "study"])
def test_what_cannot_be_trained_is_refused_before_anything_is(
    store: GameStore, tmp_path: Path, strategy: str, budget: str
) -> None:
    with pytest.raises(InvalidConfig, match="resnet-none"):
        train(store, tmp_path / "run", strategy, budget=budget, network="resnet-none")
    assert not (tmp_path / "run").exists()


def _starts_from(experts: Experts, name: str, start: str) -> None:
    """Its first validation was of the network that it starts from, on its own positions."""
    folder = experts.directory / "networks"
    begun = json.loads((folder / name / "config.json").read_text())["config"]
    there = inference.load(folder / start, backend="torch").manifest
    assert begun["initial_weights_sha256"] == there.files["model.safetensors"]


@pytest.mark.parametrize("how", AS_ONE)
def test_experts_may_be_parts_of_one_network(store: GameStore, tmp_path: Path, how: str) -> None:
    experts = train(store, tmp_path / "run", how)
    assert experts.work == {"baseline": 160, "mixture": 160}
    keeps = how in ("planes", "router")
    network = f"resnet-8x1:phase_{how}=3" if keeps else "resnet-8x1"
    for phase in experts.phases:
        expert = experts.expert(phase)
        assert (expert.gate, expert.phase) == ("lichess:classic", phase)
        assert expert.manifest.network_text == network
    weights = weights_of(experts)
    assert (
        len({weights[f"expert-{phase}"] for phase in experts.phases}) == (how != "router") * 2 + 1
    )
    # They are what the one network is in each phase, position for position.
    shared = inference.load(tmp_path / "run/networks/shared", backend="torch").network
    table = store.positions("lichess")
    batch = next(Sampler(store, table, "minimal", batch_size=64, seed=1).__iter__())
    planes, phases = torch.from_numpy(batch.planes), torch.from_numpy(batch.phase.astype(np.int64))
    with torch.inference_mode():
        whole = shared(planes, phases)
        for index, phase in enumerate(experts.phases):
            own = phases == index
            alone = experts.expert(phase, backend="torch").network(planes[own])
            torch.testing.assert_close(alone.policy_logits, whole.policy_logits[own])
            torch.testing.assert_close(alone.wdl_logits, whole.wdl_logits[own])
    assert any("part of shared" in row[1] for row in experts.tables()[0].texts())
    # Whoever lost a part gets it again, and nothing else changes.
    shutil.rmtree(tmp_path / "run/networks/expert-endgame")
    (tmp_path / "run/experts.json").unlink()
    again = train(store, tmp_path / "run", how)
    assert weights_of(again) == weights


def test_a_network_is_told_of_the_phases_that_there_are(store: GameStore, tmp_path: Path) -> None:
    options = {k: v for k, v in OPTIONS.items() if k != "test_games"}
    told = {**options, "network": "resnet-8x1:phase_heads=4"}
    for gate, said in (("none", "one phase"), ("lichess", "there are 3 phases")):
        with pytest.raises(InvalidConfig, match=said):
            training.train_supervised(store, gate=gate, out=tmp_path / gate, **told)
        assert not (tmp_path / gate).exists()
    with pytest.raises(InvalidConfig, match="takes the phase already"):
        train(store, tmp_path / "twice", "planes", network="resnet-8x1:phase_planes=3")
    with pytest.raises(InvalidConfig, match="4 phases"):
        training.Learner("chess", "resnet-8x1:phase_planes=4")


def test_weights_change_what_a_weighted_expert_learns(trained: Callable[..., Experts]) -> None:
    light = weights_of(trained("weighted:1", budget="study"))
    heavy = weights_of(trained("weighted:4", budget="study"))
    assert light["baseline"] == light["expert-opening"] == heavy["baseline"]
    assert len({heavy[f"expert-{phase}"] for phase in ("opening", "middlegame", "endgame")}) == 3


def test_an_expert_is_what_train_supervised_gives(
    store: GameStore, separated: Experts, tmp_path: Path
) -> None:
    named = {n.name: n for n in separated.networks}
    options = {k: v for k, v in OPTIONS.items() if k not in ("positions", "test_games")}
    training.train_supervised(
        store,
        gate="lichess",
        phase="endgame",
        positions=named["expert-endgame"].positions,
        out=tmp_path / "run",
        **options,
    )
    alone = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert alone == weights_of(separated)["expert-endgame"]


def test_an_interrupted_training_goes_on_to_the_same_numbers(
    store: GameStore, separated: Experts, tmp_path: Path
) -> None:
    names: list[str] = []

    def stop(event: Any) -> None:
        names.append(event.name)
        if event.name == "expert-middlegame" and event.update == 2:
            raise KeyboardInterrupt

    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(store, out, progress=stop)
    assert list(dict.fromkeys(names)) == ["baseline", "expert-opening", "expert-middlegame"]
    with pytest.raises(CheckpointError, match=r"no experts\.json"):
        inference.load_experts(out)
    again = train(store, out)
    assert weights_of(again) == weights_of(separated)
    assert again.losses == separated.losses


def test_what_has_ended_is_not_done_again(store: GameStore, separated: Experts) -> None:
    before = {path: path.stat().st_mtime_ns for path in separated.directory.rglob("*.json")}
    train(store, separated.directory, progress=lambda _: pytest.fail("it trained"))
    assert {path: path.stat().st_mtime_ns for path in separated.directory.rglob("*.json")} == before


def test_the_directory_of_other_experts_is_refused(store: GameStore, separated: Experts) -> None:
    for changes in ({"strategy": "weighted:4"}, {"positions": 161}, {"test_games": None}):
        with pytest.raises(RunDirectoryError, match=str(next(iter(changes)))):
            train(store, separated.directory, **changes)
    with pytest.raises(RunDirectoryError, match="already"):
        train(store, separated.directory, resume=False)


def test_the_matrix_is_the_mean_over_positions(store: GameStore, separated: Experts) -> None:
    table = separated.losses
    rows = store.split(3).test.positions("lichess")
    rows, _ = training.without_seen(rows, store.split(3).train.positions("lichess"))
    expert = separated.expert("endgame", backend="torch")
    losses = training.evaluate_network(expert, store.split(3).test, rows)
    whole = losses.mean()
    for metric, value in (("total", whole.total), ("top5", whole.top5), ("policy", whole.policy)):
        cell = table.cell("endgame", "all", metric)
        assert cell.positions == len(rows)
        assert cell.value == pytest.approx(value, rel=1e-5)
        assert cell.low <= cell.value <= cell.high
    own = table.cell("endgame", "endgame")
    mixed = table.cell("mixture", "endgame")
    assert (own.value, own.difference) == (mixed.value, mixed.difference)
    assert table.cell("baseline").difference is None
    everywhere = table.cell("mixture")
    parts = [table.cell(phase, phase) for phase in separated.phases]
    mean = sum(part.value * part.positions for part in parts) / everywhere.positions
    assert everywhere.value == pytest.approx(mean)


def test_positions_that_were_left_out_are_of_the_games_drawn(tmp_path: Path) -> None:
    games = GameStore.sample("connect-four").subset(range(200))
    experts = train_experts(
        games, "plies:10", out=tmp_path / "run", **OPTIONS | {"planes": None, "test_games": 3}
    )
    table = experts.losses
    tested = [table.cell("baseline", phase).positions for phase in experts.phases]
    lengths = np.diff(games.split(3).test.offsets).tolist()
    of_three_games = {sum(three) for three in itertools.combinations(lengths, 3)}
    assert sum(table.removed) > 0
    assert sum(tested) + sum(table.removed) in of_three_games


def test_tables_are_files_too(separated: Experts) -> None:
    with (separated.directory / "losses.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5 * 4 * 7
    total = next(row for row in rows if row["network"] == "mixture" and row["test_set"] == "all")
    assert float(total["value"]) == separated.losses.cell("mixture").value
    assert len(separated.tables()) == 6


@pytest.mark.parametrize("damage", ["gone", "cut", "outside"])
def test_a_damaged_folder_is_a_typed_error(separated: Experts, tmp_path: Path, damage: str) -> None:
    text = (separated.directory / "experts.json").read_text()
    if damage == "cut":
        (tmp_path / "experts.json").write_text(text[:200])
    elif damage == "outside":
        (tmp_path / "experts.json").write_text(text.replace("networks/", "../networks/"))
    with pytest.raises(CheckpointError, match=r"experts\.json"):
        inference.load_experts(tmp_path)


def test_wrong_options_leave_no_directory(store: GameStore, tmp_path: Path) -> None:
    for changes in ({"positions": 2}, {"network": "rise"}, {"test_games": 0}, {"max_lr": -1}):
        with pytest.raises(InvalidConfig):
            train(store, tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("strategy", ["staged", "weighted:4"])
def test_pommerman_has_experts_too(tmp_path: Path, strategy: str) -> None:
    episodes = EpisodeStore("pommerman-ffa", 1500, seed=1, threads=1)
    experts = train_experts(
        episodes,
        "steps:20",
        strategy,
        out=tmp_path / "run",
        **{**OPTIONS, "network": "risex4-1x2", "planes": None},
    )
    assert experts.phases == ("up to 20", "over 20")
    assert experts.work["mixture"] == 160
    # So few episodes leave no test positions; the tables say so.
    assert {cell.value for cell in experts.losses.cells} == {None}
    assert len(experts.tables()) == 6
    state = games.make("pommerman-ffa").initial_state(seed=1)
    answer = experts.expert("up to 20").evaluate(state.planes(player=0)[None])
    assert answer.value is not None
    assert np.isfinite(answer.value).all()


def test_records_of_networks_that_version_0_2_wrote_are_read() -> None:
    """Both of them: of a folder of experts, and of a study's run."""
    shared = {"name": "expert-opening", "phase": "opening", "parameters": 5, "positions": 160}
    shared |= {"unique_positions": 90, "epochs": 1.5, "updates": 10, "seconds": 2.0}
    of_experts = {"start": None, "weights": [1.0, 2.0], "best_update": 9, "validation_loss": 3.5}
    of_run = {"role": "expert", "training": 1, "gate": "lichess", "architecture": "rise-8x1"}
    curve = {"positions": [64], "train": [4.0], "validation_positions": [64], "validation": [3.5]}
    for own in (of_experts, of_run | {"best_validation": 3.5, "curve": curve}):
        found = jsonable.decode(training.TrainedNetwork, shared | own)
        assert (found.name, found.validation_loss) == ("expert-opening", 3.5)


def test_an_earlier_version_s_folder_is_opened_and_continued(
    store: GameStore, separated: Experts, tmp_path: Path
) -> None:
    shutil.copytree(separated.directory, tmp_path / "run")
    for name, lacking in (("experts.json", ("value",)), ("config.json", ("value", "phases"))):
        record = json.loads((tmp_path / "run" / name).read_text())
        part = record if name == "experts.json" else record["config"]
        for field in lacking:
            del part[field]
        if name == "experts.json":
            record["format_version"] = 1
        (tmp_path / "run" / name).write_text(json.dumps(record))
    assert inference.load_experts(tmp_path / "run").value == "own"
    assert train(store, tmp_path / "run").losses == separated.losses


@pytest.mark.parametrize(
    ("value", "budget", "mixture"),
    [("shared", "equal", 320), ("distilled", "equal", 320), ("all", "study", 480)],
)
def test_values_may_come_from_elsewhere(
    store: GameStore, separated: Experts, tmp_path: Path, value: Any, budget: str, mixture: int
) -> None:
    experts = train(store, tmp_path / "run", value=value, budget=budget)
    assert (experts.value, experts.work["mixture"]) == (value, mixture)
    same = weights_of(experts)["expert-endgame"] == weights_of(separated)["expert-endgame"]
    assert same == (value == "shared")
    state = games.make("chess").initial_state()
    leaves = inference.StateBatch([state], [0])
    mixed, one, own = (
        evaluator.evaluate_batch(leaves)
        for evaluator in (
            experts.mixture(),
            experts.mixture().with_expert("opening", experts.baseline()),
            experts.mixture().with_expert("opening", experts.expert("opening")),
        )
    )
    assert np.allclose(mixed.legal_logits, own.legal_logits, atol=1e-5)
    answering = one if value == "shared" else own
    assert np.allclose(mixed.value, answering.value, atol=1e-6)
    shared = experts.losses.cell("mixture", "all", "value").difference == 0
    assert shared == (value == "shared")
    note = experts.tables()[0].note
    assert ("baseline's" in note) == (value in ("shared", "distilled"))
    assert weights_of(train(store, tmp_path / "run", value=value, budget=budget)) == weights_of(
        experts
    )
    with pytest.raises(RunDirectoryError, match="value"):
        train(store, tmp_path / "run", budget=budget)


def test_a_value_of_all_phases_hears_of_them_and_the_policy_does_not(
    store: GameStore, tmp_path: Path
) -> None:
    """A policy weighs positions of other phases 0, and one's own so that the mean stays 1."""
    experts = train(store, tmp_path / "run", value="all", phases=("endgame",))
    (record,) = (network for network in experts.networks if network.phase == "endgame")
    assert record.weights is not None
    assert record.weights[:2] == (0, 0)
    assert record.weights[2] > 1


@pytest.mark.parametrize("strategy", ["separated", "staged", "heads", "film"])
def test_some_phases_may_have_no_expert(store: GameStore, tmp_path: Path, strategy: str) -> None:
    experts = train(store, tmp_path / "run", strategy, phases=("endgame",), value="shared")
    assert experts.phases == ("endgame",)
    kept = {network.name for network in experts.networks}
    first = {"separated": set(), "staged": {"start"}}.get(strategy, {"shared"})
    assert kept == {"baseline", "expert-endgame"} | first
    assert experts.losses.networks == ("baseline", "endgame", "mixture")
    assert experts.losses.cell("mixture", "opening").difference == 0
    assert experts.losses.cell("mixture", "endgame", "policy").difference != 0
    state, limit = games.make("chess").initial_state(), Limit(nodes=16)
    one = MCTSAgent(experts.baseline(), limit=limit, seed=1).search(state)
    folder = str(experts.directory)
    for text in (
        f"m2cts:experts={folder},nodes=16,seed=1",
        f"m2cts:policy={folder},value={folder}/networks/baseline,nodes=16,seed=1",
    ):
        assert (agents.make(text, game="chess").search(state).visits == one.visits).all()
    endgame = inference.load(experts.directory).expert_of(2)
    assert endgame == "endgame"


def test_experts_of_another_training_are_refused(
    store: GameStore, tmp_path: Path, separated: Experts
) -> None:
    out = Path(shutil.copytree(separated.directory, tmp_path / "run"))
    record = json.loads((out / "experts.json").read_text())
    record["training"]["identity"]["seed"] += 1
    (out / "experts.json").write_text(json.dumps(record))
    with pytest.raises(RunDirectoryError, match=r"experts.json: holds another .* seed"):
        train(store, out)
    record["training"]["work"] = 3
    (out / "experts.json").write_text(json.dumps(record))
    with pytest.raises(CheckpointError, match="says nothing of its work"):
        _ = Experts.open(out).work


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"value": "ours"}, "expected own, shared, distilled, all"),
        ({"value": "shared", "distill_weight": 0.5}, "distill_weight: is for value='distilled'"),
        ({"config": training.SupervisedConfig(distill_weight=0.5)}, "is for value='distilled'"),
        ({"learning_rates": [float("nan")]}, r"learning_rates=\[nan\]: max_lr=nan"),
        ({"strategy": "staged", "positions": 3}, "positions are too few to share"),
        ({"strategy": "planes", "value": "all"}, "choose own or shared"),
        ({"phases": ()}, "expected one or more of"),
        ({"phases": ("late",)}, "expected one or more of"),
    ],
)
def test_values_and_phases_that_do_not_fit_are_refused(
    store: GameStore, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidConfig, match=words):
        train(store, tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


def test_validation_chooses_a_learning_rate_for_each_network(
    store: GameStore, tmp_path: Path
) -> None:
    rates = (1e-5, 0.1)
    for _ in range(2):  # the second time everything is there
        experts = train(
            store, tmp_path / "run", "staged", learning_rates=rates, min_lr=1e-6, positions=640
        )
        for network in experts.networks:
            assert [trial.learning_rate for trial in network.trials] == list(rates)
            best = min(network.trials, key=lambda trial: trial.loss)
            name = f"{network.name}-{best.learning_rate:g}"
            trial = tmp_path / "run/networks/trials" / name / "model.safetensors"
            chosen = tmp_path / "run/networks" / network.name / "model.safetensors"
            assert trial.read_bytes() == chosen.read_bytes()
    table = experts.tables()[0]
    assert table.head[-2:] == ["rate", "diverged"]
    with pytest.raises(RunDirectoryError, match="learning_rates"):
        train(store, tmp_path / "run", "staged", min_lr=1e-6, positions=640)


@pytest.mark.parametrize("rates", [(), (0.1, 0.1), 0.1, ("a",), (-1.0,), (1e-9,)])
def test_learning_rates_that_are_none_are_refused(
    store: GameStore, tmp_path: Path, rates: Any
) -> None:
    with pytest.raises(InvalidConfig, match=r"learning_rates|max_lr|min_lr"):
        train(store, tmp_path / "run", learning_rates=rates)
    assert not (tmp_path / "run").exists()
