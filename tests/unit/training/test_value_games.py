"""Games whose results are learned from and whose moves are not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_runs import ARGUMENTS, games, train

from phasezoo import games as zoo, networks, training
from phasezoo.errors import InvalidConfig, RunDirectoryError, StoreError
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.inference import load_network
from phasezoo.networks import NetworkOutput
from phasezoo.training import (
    Batch,
    Callback,
    GameStore,
    Sampler,
    Splits,
    SupervisedConfig,
    evaluate_network,
    train_experts,
    train_supervised,
)
from phasezoo.training.losses import Targets, row_losses, training_loss
from phasezoo.training.steps import Steps
from phasezoo.training.trainer import Trainer

CPU = torch.device("cpu")
CONFIG = SupervisedConfig(device="cpu", threads=1, tensorboard=False)


@pytest.fixture(scope="module")
def others() -> GameStore:
    return GameStore.sample("chess").subset(range(100, 120))


def batches(store: GameStore, size: int, seed: int) -> Batch:
    return Sampler(store, store.positions("lichess"), "minimal", size, seed).batch(0)


def test_the_loss_is_the_policys_of_some_positions_and_the_values_of_all(
    others: GameStore,
) -> None:
    rng = np.random.default_rng(2)
    batch = batches(others, 9, 1)
    logits, wdl, plies = rng.normal(size=(9, 4672)), rng.normal(size=(9, 3)), rng.random(9)
    output = NetworkOutput(*(torch.tensor(a, dtype=torch.float32) for a in (logits, wdl, plies)))
    losses = row_losses(output, Targets.of(batch, CPU))
    weight = torch.tensor(rng.random(9), dtype=torch.float32)
    policy, value, ending = (getattr(losses, n).numpy() for n in ("policy", "value", "plies"))
    each = weight.numpy()
    for weighted in ("all", "policy"):
        config = replace(CONFIG, weighted_losses=weighted)
        rest = np.ones(9) if weighted == "policy" else each
        wanted = 0.988 * (policy * each)[:5].mean() + 0.002 * (ending * rest).mean()
        wanted += 0.01 * (value * rest).mean() + 0.01 * (losses.wdl.numpy() * rest).mean()
        assert training_loss(losses, config, weight, 5).item() == pytest.approx(wanted, rel=1e-5)


def stepped(batch: Batch, others: int) -> dict[str, torch.Tensor]:
    network = networks.make("resnet-8x1", (12, 8, 8), 4672, seed=1)
    steps = Steps(network, CONFIG, (12, 8, 8), 0)
    sums = steps.no_losses()
    steps.take(0, batch, sums, 0.1, 0.9, others=others)
    assert sums.positions == len(batch) - others
    return {name: value.clone() for name, value in steps.network.state_dict().items()}


def test_a_step_does_not_see_their_moves_and_sees_their_results(others: GameStore) -> None:
    batch = Batch.joined([batches(games(), 12, 1), batches(others, 6, 2)])
    moves = batch.action.copy()
    moves[12:] = (moves[12:] + 1) % 4672
    wdl = batch.wdl.copy()
    wdl[12:] = (wdl[12:] + 1) % 3

    def differ(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
        return any(not torch.equal(a[name], b[name]) for name in a)

    usual = stepped(batch, 6)
    assert not differ(usual, stepped(replace(batch, action=moves), 6))
    assert differ(usual, stepped(replace(batch, wdl=wdl), 6))
    assert differ(stepped(batch, 0), stepped(replace(batch, action=moves), 0))


def test_batches_have_so_many_more_positions_of_the_phase(
    others: GameStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Batch] = []
    make = Trainer._batch

    def noting(self: Trainer, update: int) -> Batch:
        seen.append(make(self, update))
        return seen[-1]

    monkeypatch.setattr(Trainer, "_batch", noting)
    result = train(
        tmp_path / "run", gate="lichess", phase="endgame", value_games=others, value_share=0.5
    )
    assert result.positions == ARGUMENTS["positions"]
    # The last update takes what is left over as well.
    assert [len(batch) for batch in seen] == [16 + 8] * (len(seen) - 1) + [16 + 5 + 8]
    assert {int(phase) for batch in seen for phase in batch.phase} == {2}
    rows = others.positions("lichess").of_phase(2)
    known = {bytes(planes) for planes in others.batch(rows, np.arange(len(rows)), "minimal").planes}
    assert all(bytes(planes) in known for batch in seen for planes in batch.planes[-8:])


def test_a_training_that_was_stopped_goes_on_to_the_same_numbers(
    others: GameStore, tmp_path: Path
) -> None:
    class Stop(Callback):
        def update(self, progress: Any) -> None:
            if progress.update == 15:
                raise KeyboardInterrupt

    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    train(whole, value_games=others)
    with pytest.raises(KeyboardInterrupt):
        train(stopped, value_games=others, callbacks=[Stop()])
    train(stopped, value_games=others)
    files = [(folder / "model.safetensors").read_bytes() for folder in (whole, stopped)]
    assert files[0] == files[1]
    reversed_ = GameStore.of(others.game, replace(others.columns, returns=-others.returns))
    for changes in (
        {},
        {"value_games": games()},
        {"value_games": reversed_},
        {"value_games": others, "value_share": 1.0},
    ):
        with pytest.raises(RunDirectoryError, match="another training"):
            train(whole, **changes)


@pytest.mark.parametrize("seed", range(5))
def test_values_learn_what_the_other_games_do_not_say(seed: int, tmp_path: Path) -> None:
    """Drawn games teach no value; games that White won do, of positions not met before."""
    store = GameStore.sample("chess")
    drawn = store.subset(np.flatnonzero(store.returns[:, 0] == 0)[:200])
    won = np.flatnonzero(store.returns[:, 0] > 0)
    unseen, validation = store.subset(won[:20]), store.subset(won[20:40])
    options: dict[str, Any] = {
        **ARGUMENTS,
        "network": "resnet-8x1:value=mse",
        "planes": "v2",
        "positions": 3000,
        "optimizer": "adamw",
        "max_lr": 0.02,
        "value_weight": 0.5,
        "seed": seed,
        "evaluate_every": None,
        "splits": Splits(drawn, validation, unseen),
    }
    out = tmp_path / "run"
    more = store.subset(won[40:240])
    train_supervised(drawn, out=out, value_games=more, value_share=8.0, **options)
    losses = evaluate_network(load_network(out), unseen, unseen.positions())
    assert losses.value.mean() < 0.93  # a draw everywhere, as the other games say, has 1


def test_experts_learn_from_their_phases_and_keep_to_their_games(
    others: GameStore, tmp_path: Path
) -> None:
    options = {**ARGUMENTS, "network": "resnet-8x1", "positions": 96, "test_games": 2}
    del options["evaluate_every"]

    def trained(more: Any) -> Any:
        return train_experts(
            games(), "lichess", out=tmp_path / "experts", value_games=more, **options
        )

    experts = trained(others)
    assert experts.training["identity"]["value_games_sha256"]
    with pytest.raises(RunDirectoryError, match="another training"):
        trained(None)


def test_wrong_games_say_what_is_wrong(others: GameStore, tmp_path: Path) -> None:
    opening = others.subset([])
    for more, kind, words in (
        ("games", InvalidConfig, "value_games='games': expected games"),
        (GameStore.sample("connect-four"), InvalidConfig, "give games of 'chess'"),
        (opening, StoreError, "value_games: have no positions of phase 'endgame'"),
    ):
        with pytest.raises(kind, match=words):
            train(tmp_path / "run", gate="lichess", phase="endgame", value_games=more)
    with pytest.raises(InvalidConfig, match=r"value_share=0.5: is for value games"):
        train(tmp_path / "run", value_share=0.5)
    for share in (0, 17, 1e300, float("nan")):
        with pytest.raises(InvalidConfig, match="value_share"):
            train(tmp_path / "run", value_games=others, value_share=share)
    with pytest.raises(InvalidConfig, match=r"--value-share 0.5: is for --value-games"):
        replace(M2ctsConfig(), value_share=0.5).validate()
    assert not (tmp_path / "run").exists()


def test_games_with_other_options_are_other_games(tmp_path: Path) -> None:
    stores = [
        training.play_games(
            "random", game=zoo.make("pommerman-ffa", **options), games=2, out=tmp_path / name,
            max_plies=5,
        )
        for name, options in (("usual", {}), ("collapse", {"collapse": True}))
    ]  # fmt: skip
    with pytest.raises(InvalidConfig, match="value_games of 'pommerman-ffa' collapse=True: give"):
        train_supervised(
            stores[0], positions=8, out=tmp_path / "run", value_games=stores[1],
            network="resnet-8x1",
        )  # fmt: skip


def test_test_positions_that_values_learn_from_are_left_out(tmp_path: Path) -> None:
    options = {**ARGUMENTS, "network": "resnet-8x1", "positions": 32, "test_games": None}
    test = games().split(3).test
    experts = train_experts(games(), "lichess", out=tmp_path / "run", value_games=test, **options)
    assert sum(experts.losses.removed) == test.num_positions
    assert experts.losses.games == 0
