"""Losses against the formulas written out in NumPy."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from phasezoo.errors import InvalidArray, InvalidConfig, InvalidEvaluation
from phasezoo.networks import NetworkOutput
from phasezoo.training import Batch, SparsePolicy, SupervisedConfig, losses as losses_module
from phasezoo.training.losses import Targets, row_losses, training_loss

RNG = np.random.default_rng(5)
ROWS = 17


def batch(**changes: Any) -> Batch:
    value = RNG.integers(-1, 2, ROWS).astype(np.float32)
    columns = {
        "planes": np.zeros((ROWS, 52, 8, 8), np.float32),
        "action": RNG.integers(0, 4672, ROWS),
        "value": value,
        "wdl": 1 - value.astype(np.int64),
        "plies_left": RNG.integers(1, 300, ROWS).astype(np.float32),
        "phase": np.zeros(ROWS, np.int8),
        "game": np.zeros(ROWS, np.int32),
        "weight": np.ones(ROWS, np.float32),
    }
    return Batch(**{**columns, **changes})


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
    assert losses.players is None
    for given, wanted in zip(losses[:5], expected, strict=True):
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


@pytest.mark.parametrize("others", [("scalar",), ("values",), ("scalar", "values")])
def test_of_several_values_win_less_loss_is_the_one_that_learns(others: tuple[str, ...]) -> None:
    wdl = RNG.standard_normal((ROWS, 3))
    heads = {
        "scalar": RNG.uniform(-1, 1, ROWS),
        "values": RNG.uniform(-1, 1, (ROWS, 2)),
    }
    output = answer(wdl_logits=wdl, **{name: heads[name] for name in others})
    shown = batch()
    losses = row_losses(output, Targets.of(shown, CPU))
    odds = softmax(wdl)
    expected = (odds[:, 0] - odds[:, 2] - shown.value) ** 2
    np.testing.assert_allclose(losses.value.detach().numpy(), expected, rtol=1e-4, atol=1e-6)
    assert losses.players is None
    told = NetworkOutput(**{**dict.fromkeys(NetworkOutput._fields), **vars(output)})
    assert told.value_field() == "wdl_logits"
    np.testing.assert_allclose(
        told.value().detach().numpy(), odds[:, 0] - odds[:, 2], rtol=1e-4, atol=1e-6
    )
    training_loss(losses, SupervisedConfig(plies_weight=0)).backward()
    assert output.wdl_logits.grad.abs().max() > 0
    assert all(getattr(output, name).grad is None for name in others)


def test_in_games_of_more_than_two_the_values_of_all_come_first() -> None:
    values, scalar = RNG.uniform(-1, 1, (ROWS, 4)), RNG.uniform(-1, 1, ROWS)
    wdl = RNG.standard_normal((ROWS, 3))
    returns = RNG.choice([-1.0, 1.0], (ROWS, 4)).astype(np.float32)
    shown = batch(values=returns, value=returns[:, 0])
    output = answer(values=values, scalar=scalar, wdl_logits=wdl)
    losses = row_losses(output, Targets.of(shown, CPU))
    by_player = (values - returns) ** 2
    np.testing.assert_allclose(losses.value.detach().numpy(), by_player[:, 0], rtol=1e-4)
    np.testing.assert_allclose(losses.players.detach().numpy(), by_player.mean(axis=1), rtol=1e-4)


CPU = torch.device("cpu")


def answer(**heads: np.ndarray) -> Any:
    """What a network says, with gradients; heads that are left out are missing."""
    known = {"policy_logits": RNG.standard_normal((ROWS, 4672)), **heads}
    return SimpleNamespace(
        **{
            name: torch.tensor(numbers, dtype=torch.float32, requires_grad=True)
            for name, numbers in known.items()
        }
    )


def full_answer() -> Any:
    return answer(wdl_logits=RNG.standard_normal((ROWS, 3)), plies=RNG.random(ROWS))


def visits(longest: int = 40) -> SparsePolicy:
    counts = RNG.integers(1, longest, ROWS)
    actions = [np.sort(RNG.choice(4672, count, replace=False)) for count in counts]
    shares = [RNG.dirichlet(np.ones(count)) for count in counts]
    return SparsePolicy(
        np.cumsum([0, *counts]),
        np.concatenate(actions).astype(np.int32),
        np.concatenate(shares).astype(np.float32),
    )


def test_a_distribution_is_learnt_as_the_formula_says() -> None:
    shown, output = batch(policy=visits()), full_answer()
    losses = row_losses(output, Targets.of(shown, CPU))
    odds = np.log(softmax(output.policy_logits.detach().numpy().astype(np.float64)))
    expected = -(shown.policy.dense(4672) * odds).sum(axis=1)
    np.testing.assert_allclose(losses.policy.detach().numpy(), expected, rtol=1e-5)
    best = output.policy_logits.argmax(dim=1).numpy()
    np.testing.assert_array_equal(losses.correct.numpy(), best == shown.action)


def test_one_certain_entry_is_the_action_played_bit_for_bit() -> None:
    shown, output = batch(), full_answer()
    certain = SparsePolicy(
        np.arange(ROWS + 1), shown.action.astype(np.int32), np.ones(ROWS, np.float32)
    )
    results = []
    for targets in (shown, Batch(**{**vars(shown), "policy": certain})):
        output.policy_logits.grad = None
        losses = row_losses(output, Targets.of(targets, CPU))
        training_loss(losses, SupervisedConfig()).backward()
        results.append((losses.policy.detach().numpy(), output.policy_logits.grad.numpy()))
    for by_class, by_entry in zip(*results, strict=True):
        np.testing.assert_array_equal(by_class, by_entry)


def test_weights_multiply_each_position_and_ones_change_nothing() -> None:
    weight = RNG.random(ROWS).astype(np.float32)
    shown, output = batch(weight=weight), full_answer()
    targets, config = Targets.of(shown, CPU), SupervisedConfig()
    losses = row_losses(output, targets)
    parts = zip(losses[:4], (0.988, 0.01, 0.01, 0.002), strict=True)
    expected = sum(share * (rows.detach().numpy() * weight).mean() for rows, share in parts)
    given = training_loss(losses, config, targets.weight).item()
    assert given == pytest.approx(expected, rel=1e-5)
    ones = training_loss(losses, config, torch.ones(ROWS))
    assert ones.item() == training_loss(losses, config).item() != given


def test_heads_that_are_missing_are_left_out_and_refused_by_name() -> None:
    shown = batch()
    output = answer(scalar=RNG.standard_normal(ROWS))
    losses = row_losses(output, Targets.of(shown, CPU))
    assert losses.wdl is None
    assert losses.plies is None
    value = (output.scalar.detach().numpy() - shown.value) ** 2
    np.testing.assert_allclose(losses.value.detach().numpy(), value, rtol=1e-5)
    config = SupervisedConfig(wdl_weight=0, plies_weight=0)
    total = 0.988 * losses.policy.mean() + 0.01 * losses.value.mean()
    assert training_loss(losses, config).item() == pytest.approx(total.item())
    for name in ("wdl", "plies"):
        asked = SupervisedConfig(**{"wdl_weight": 0, "plies_weight": 0, f"{name}_weight": 0.1})
        with pytest.raises(InvalidConfig, match=f"{name}_weight=0.1"):
            training_loss(losses, asked)
    with pytest.raises(InvalidEvaluation, match="no value"):
        row_losses(answer(), Targets.of(shown, CPU))


def test_a_value_for_each_player_is_learnt_from_all_returns() -> None:
    returns = RNG.integers(-1, 2, (ROWS, 4)).astype(np.float32)
    shown = batch(values=returns, value=returns[:, 0])
    output = answer(values=RNG.standard_normal((ROWS, 4)))
    losses = row_losses(output, Targets.of(shown, CPU))
    squares = (output.values.detach().numpy() - returns) ** 2
    np.testing.assert_allclose(losses.players.detach().numpy(), squares.mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(losses.value.detach().numpy(), squares[:, 0], rtol=1e-5)
    config = SupervisedConfig(policy_weight=0, value_weight=1, wdl_weight=0, plies_weight=0)
    assert training_loss(losses, config).item() == pytest.approx(squares.mean(), rel=1e-5)
    for told in (batch(), batch(values=returns[:, :2])):
        with pytest.raises(InvalidConfig, match="values of 4 players"):
            row_losses(output, Targets.of(told, CPU))


def test_batches_are_cut_and_joined_with_their_policies() -> None:
    shown = batch(policy=visits(), values=RNG.random((ROWS, 2)).astype(np.float32))
    rows = RNG.permutation(ROWS)
    whole = Batch.joined([shown.take(rows[:6]), shown.take(rows[6:])])
    dense = shown.policy.dense(4672)
    np.testing.assert_array_equal(whole.policy.dense(4672), dense[rows])
    for name in ("planes", "action", "value", "weight", "values", "game"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(shown, name)[rows])
    plain = batch()
    assert Batch.joined([plain, plain]).policy is None
    with pytest.raises(InvalidArray, match="offsets"):
        SparsePolicy(np.array([0, 2]), np.zeros(1, np.int32), np.ones(1, np.float32))


def test_of_equally_likely_actions_the_first_is_the_likeliest() -> None:
    rng = np.random.default_rng(1)
    logits = torch.from_numpy(rng.integers(0, 3, size=(500, 7)).astype(np.float32))
    action = torch.from_numpy(rng.integers(0, 7, size=500))
    found = losses_module._correct(logits, action)
    assert torch.equal(found, (logits.argmax(dim=1) == action).float())
    assert 0 < found.sum() < 500
