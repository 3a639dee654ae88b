"""Losses against the formulas written out in NumPy."""

import numpy as np
import torch

from phasezoo.networks import NetworkOutput
from phasezoo.training import Batch, SupervisedConfig
from phasezoo.training.losses import Targets, row_losses, training_loss

RNG = np.random.default_rng(5)
ROWS = 17


def batch() -> Batch:
    value = RNG.integers(-1, 2, ROWS).astype(np.float32)
    return Batch(
        planes=np.zeros((ROWS, 52, 8, 8), np.float32),
        action=RNG.integers(0, 4672, ROWS),
        value=value,
        wdl=1 - value.astype(np.int64),
        plies_left=RNG.integers(1, 300, ROWS).astype(np.float32),
        phase=np.zeros(ROWS, np.int8),
        game=np.zeros(ROWS, np.int32),
    )


def softmax(logits: np.ndarray) -> np.ndarray:
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def test_losses_are_the_formulas() -> None:
    logits = 3 * RNG.standard_normal((ROWS, 4672))
    wdl, plies = RNG.standard_normal((ROWS, 3)), RNG.random(ROWS)
    shown = batch()
    output = NetworkOutput(*(torch.tensor(a, dtype=torch.float32) for a in (logits, wdl, plies)))
    losses = row_losses(output, Targets.of(shown, torch.device("cpu")))

    rows = np.arange(ROWS)
    policy = -np.log(softmax(logits)[rows, shown.action])
    odds = softmax(wdl)
    value = (odds[:, 0] - odds[:, 2] - shown.value) ** 2
    won_drawn_lost = -np.log(odds[rows, shown.wdl])
    ending = (plies - np.minimum(shown.plies_left, 100) / 100) ** 2
    expected = (policy, value, won_drawn_lost, ending, logits.argmax(axis=1) == shown.action)
    for given, wanted in zip(losses, expected, strict=True):
        np.testing.assert_allclose(given.numpy(), wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(losses.reported().numpy(), 0.01 * value + 0.99 * policy, rtol=1e-4)
    total = 0.988 * policy + 0.01 * value + 0.01 * won_drawn_lost + 0.002 * ending
    np.testing.assert_allclose(
        training_loss(losses, SupervisedConfig()).item(), total.mean(), rtol=1e-5
    )


def test_a_won_game_wants_a_high_value() -> None:
    shown = batch()
    certain = torch.nn.functional.one_hot(torch.from_numpy(shown.wdl), 3) * 50.0
    output = NetworkOutput(torch.zeros(ROWS, 4672), certain, torch.zeros(ROWS))
    losses = row_losses(output, Targets.of(shown, torch.device("cpu")))
    assert losses.value.abs().max() < 1e-6
    assert losses.wdl.abs().max() < 1e-6
