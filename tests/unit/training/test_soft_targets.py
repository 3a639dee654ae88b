"""Targets from searches: distributions over actions and values, weighed and measured."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from phasezoo import games
from phasezoo.errors import InvalidConfig
from phasezoo.inference import Evaluation
from phasezoo.networks import NetworkOutput
from phasezoo.training import (
    GameStore,
    Sampler,
    SupervisedConfig,
    evaluate_network,
    train_experts,
    train_supervised,
)
from phasezoo.training.losses import Targets, row_losses, training_loss
from phasezoo.training.metrics import read_metrics

OPTIONS: dict[str, Any] = {
    "network": "resnet-8x1",
    "positions": 48,
    "batch_size": 16,
    "validation_positions": 16,
    "evaluate_every": 100,
    "seed": 1,
    "threads": 1,
    "device": "cpu",
    "tensorboard": False,
}


@pytest.fixture(scope="module")
def searched() -> GameStore:
    """Random games of Connect Four with visit counts and values that no search has found."""
    rng = np.random.default_rng(3)
    game = games.make("connect-four")
    actions: list[int] = []
    visits: list[np.ndarray] = []
    offsets = [0]
    for _ in range(30):
        state = game.initial_state()
        while not state.is_terminal and state.ply < 12:
            counts = np.zeros(7, dtype=np.int64)
            counts[state.legal_actions] = rng.integers(1, 50, len(state.legal_actions))
            visits.append(counts)
            actions.append(int(rng.choice(state.legal_actions)))
            state = state.play(actions[-1])
        offsets.append(len(actions))
    returns = np.tile([1.0, -1.0], (30, 1))
    values = rng.uniform(-1, 1, len(actions)).astype(np.float32)
    counts = [row[row > 0] for row in visits]
    sparse = (
        np.cumsum([0, *map(len, counts)]),
        np.concatenate([np.flatnonzero(row) for row in visits]).astype(np.int32),
        np.concatenate(counts).astype(np.int32),
    )
    return GameStore(game, actions, offsets, returns, visits=sparse, values=values)


class Fixed:
    """Answers the same whatever it is shown."""

    plane_spec = "default"
    logits = np.array([3, 1, 0, -1, 2, 0.5, -2], dtype=np.float32)

    def evaluate(self, planes: np.ndarray) -> Evaluation:
        rows = len(planes)
        return Evaluation(
            policy_logits=np.tile(self.logits, (rows, 1)), value=np.zeros(rows, np.float32)
        )


def test_the_policy_loss_is_the_distributions_cross_entropy(searched: GameStore) -> None:
    rows = searched.positions()
    losses = evaluate_network(Fixed(), searched, rows)
    batch = searched.batch(rows, np.arange(len(rows)), "default")
    assert batch.policy is not None
    expected = batch.policy.dense(7)
    probability = np.exp(Fixed.logits) / np.exp(Fixed.logits).sum()
    np.testing.assert_allclose(losses.policy, -(expected * np.log(probability)).sum(1), rtol=1e-5)
    order = np.argsort(-Fixed.logits).tolist()
    assert losses.rank is not None
    assert losses.rank.tolist() == [order.index(action) for action in batch.action]
    mean = losses.mean()
    assert mean.accuracy == np.mean(batch.action == order[0])
    assert mean.top3 == np.mean(np.isin(batch.action, order[:3]))
    assert mean.top5 == np.mean(np.isin(batch.action, order[:5]))
    assert mean.best_three == pytest.approx(np.sort(probability)[-3:].sum(), rel=1e-5)


def test_weights_count_row_by_row(searched: GameStore) -> None:
    """The published code weighed a batch's mean, so that weights of soft targets did nothing."""
    rows = searched.positions("plies:4,8")
    batch = Sampler(searched, rows, batch_size=64, weights=[2.0, 0.5, 0.5]).batch(0)
    targets = Targets.of(batch, torch.device("cpu"))
    torch.manual_seed(1)
    output = NetworkOutput(torch.randn(64, 7), torch.randn(64, 3), torch.rand(64))
    losses = row_losses(output, targets)
    config = SupervisedConfig(policy_weight=1, value_weight=0, wdl_weight=0, plies_weight=0)
    by_hand = (losses.policy * torch.from_numpy(batch.weight)).mean()
    weighed = training_loss(losses, config, targets.weight)
    assert weighed.item() == pytest.approx(by_hand.item())
    mean = losses.policy.mean() * batch.weight.mean()
    assert weighed.item() != pytest.approx(mean.item(), rel=1e-3)


def test_weighted_experts_learn_from_searches(searched: GameStore, tmp_path: Path) -> None:
    found = {
        strategy: train_experts(
            searched, "plies:4", strategy, out=tmp_path / strategy.replace(":", "-"), **OPTIONS
        )
        for strategy in ("weighted:1", "weighted:20")
    }
    last = [
        read_metrics(experts.directory / experts.experts["over 4"])[-1]
        for experts in found.values()
    ]
    assert last[0]["positions"] == last[1]["positions"]
    assert last[0]["train/grad_norm"] != pytest.approx(last[1]["train/grad_norm"], rel=1e-2)


def test_values_of_searches_are_mixed_in(searched: GameStore, tmp_path: Path) -> None:
    results = [
        train_supervised(searched, out=tmp_path / str(share), value_mix=share, **OPTIONS)
        for share in (0.0, 1.0)
    ]
    played, mixed = (result.history[-1] for result in results)
    # All games were won, and searches expected anything from -1 to 1.
    assert 0 < mixed["train/value_mse"] < 0.75 * played["train/value_mse"]
    assert mixed["train/policy_loss"] == pytest.approx(played["train/policy_loss"], rel=1e-2)
    plain = GameStore(searched.game, searched.columns.actions, searched.offsets, searched.returns)
    with pytest.raises(InvalidConfig, match="value_mix"):
        train_supervised(plain, out=tmp_path / "none", value_mix=0.5, **OPTIONS)
    with pytest.raises(InvalidConfig, match="value_mix=2"):
        train_supervised(searched, out=tmp_path / "none", value_mix=2.0, **OPTIONS)
    assert not (tmp_path / "none").exists()
