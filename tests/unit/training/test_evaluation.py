"""Losses of networks on stored positions, against a naive computation."""

from pathlib import Path

import numpy as np
import pytest

from phasezoo.errors import InvalidConfig, InvalidEvaluation, StoreError
from phasezoo.inference import Evaluation
from phasezoo.training import (
    GameStore,
    StoreWriter,
    evaluate_network,
    evaluate_networks,
    mixture_losses,
)
from phasezoo.types import Planes


class Hashed:
    """Answers each position with logits and values drawn from its planes: no two are alike."""

    def __init__(self, salt: float, plane_spec: str = "minimal") -> None:
        self.salt = salt
        self.plane_spec = plane_spec

    def evaluate(self, planes: Planes) -> Evaluation:
        flat = planes.reshape(len(planes), -1)
        weights = np.cos(self.salt * np.arange(flat.shape[1] * 8).reshape(-1, 8))
        mixed = flat @ weights
        logits = 30 * np.sin(mixed[:, :1] * np.arange(1, 4673))
        value = np.tanh(mixed[:, 1])
        return Evaluation(policy_logits=logits.astype(np.float32), value=value.astype(np.float32))


class Silent:
    """Has values, and nothing to say about moves."""

    plane_spec = "minimal"

    def evaluate(self, planes: Planes) -> Evaluation:
        return Evaluation(value=np.zeros(len(planes), np.float32))


def naive(evaluator: Hashed, store: GameStore) -> list[tuple[float, float, bool]]:
    """One position at a time, through the states' own methods."""
    losses = []
    for game in range(len(store)):
        actions = store.actions[store.offsets[game] : store.offsets[game + 1]]
        for ply, state in enumerate(store.records.states(game)):
            answer = evaluator.evaluate(state.planes(evaluator.plane_spec)[None])
            assert answer.policy_logits is not None
            logits = answer.policy_logits[0].astype(np.float64)
            action = int(actions[ply])
            probability = np.exp(logits - logits.max())
            probability /= probability.sum()
            result = store.returns[game, state.to_play]
            value = float(answer.values()[0])
            losses.append(
                (-np.log(probability[action]), (value - result) ** 2, logits.argmax() == action)
            )
    return losses


def test_losses_are_those_of_every_position(some_games: GameStore) -> None:
    store = some_games.subset(range(3))
    rows = store.positions("lichess")
    evaluator = Hashed(0.1)
    losses = evaluate_network(evaluator, store, rows, batch_size=7)
    expected = np.array(naive(evaluator, store))
    np.testing.assert_allclose(losses.policy, expected[:, 0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(losses.value, expected[:, 1], rtol=1e-4, atol=1e-5)
    assert losses.correct.tolist() == expected[:, 2].astype(bool).tolist()
    np.testing.assert_allclose(losses.total, 0.99 * losses.policy + 0.01 * losses.value, rtol=1e-6)
    assert losses.phase is rows.phase


class Rounded:
    """Answers a few whole numbers alone, so that many actions are equally likely."""

    plane_spec = "minimal"

    def __init__(self, actions: int) -> None:
        self.actions = actions

    def evaluate(self, planes: Planes) -> Evaluation:
        logits = np.random.default_rng(len(planes)).integers(0, 4, (len(planes), self.actions))
        return Evaluation(
            policy_logits=logits.astype(np.float32), value=np.zeros(len(planes), np.float32)
        )


def test_among_equally_likely_actions_the_first_is_ahead(some_games: GameStore) -> None:
    store = some_games.subset(range(2))
    rows = store.positions("lichess")
    network = Rounded(4672)
    losses = evaluate_network(network, store, rows, batch_size=len(rows))
    logits = network.evaluate(np.empty((len(rows), 0), np.float32)).policy_logits
    assert logits is not None
    assert losses.rank is not None
    assert losses.best_three is not None
    order = np.argsort(-logits, axis=1, kind="stable")
    played = store.batch(rows, np.arange(len(rows)), "minimal").action
    expected = [row.tolist().index(action) for row, action in zip(order, played, strict=True)]
    assert losses.rank.tolist() == expected
    assert losses.correct.tolist() == [place == 0 for place in expected]
    shares = np.exp(logits.astype(np.float64))
    best = np.sort(shares, axis=1)[:, -3:].sum(axis=1) / shares.sum(axis=1)
    np.testing.assert_allclose(losses.best_three, best, rtol=1e-5)


def test_means_by_phase_add_up(some_games: GameStore) -> None:
    store = some_games.subset(range(3))
    rows = store.positions("lichess")
    losses = evaluate_network(Hashed(0.2), store, rows)
    everything = losses.mean()
    parts = [losses.mean(phase) for phase in range(3)]
    assert everything.positions == sum(part.positions for part in parts) == len(rows)
    assert everything.total == pytest.approx(
        sum(part.total * part.positions for part in parts if part.positions) / len(rows)
    )
    assert np.isnan(losses.mean(7).total)
    assert losses.mean(7).positions == 0


def test_a_mixture_answers_each_phase_with_its_expert(some_games: GameStore) -> None:
    store = some_games.subset(range(3))
    rows = store.positions("hash:2")
    both = evaluate_networks({"a": Hashed(0.3), "b": Hashed(0.4)}, store, rows)
    mixture = mixture_losses({0: both["a"], 1: both["b"]})
    for phase, name in enumerate("ab"):
        own = rows.phase == phase
        for column in ("policy", "value", "correct"):
            given, expected = getattr(mixture, column), getattr(both[name], column)
            np.testing.assert_array_equal(given[own], expected[own])
    with pytest.raises(InvalidConfig, match=r"phases \[1\]"):
        mixture_losses({0: both["a"]})


class Masked(Hashed):
    """Says minus infinity of actions that are illegal in some position of the game."""

    def evaluate(self, planes: Planes) -> Evaluation:
        answer = super().evaluate(planes)
        assert answer.policy_logits is not None
        logits = answer.policy_logits[:, :7].copy()
        logits[np.arange(len(planes)), 0] = -np.inf
        return Evaluation(policy_logits=logits, value=answer.values())


def test_an_illegal_action_may_be_minus_infinity(tmp_path: Path) -> None:
    visits = [[0, 3, 1, 0, 0, 0, 0], None, [0, 0, 0, 2, 0, 0, 0]]
    with StoreWriter(tmp_path / "games", game="connect-four") as writer:
        writer.add(actions=[1, 3, 3], returns=[1, -1], visits=visits)
    store = GameStore.open(tmp_path / "games")
    evaluator = Masked(1, "default")
    losses = evaluate_network(evaluator, store, store.positions())
    states = store.records.states(0)[:3]
    logits = evaluator.evaluate(np.stack([s.planes("default") for s in states])).policy_logits
    assert logits is not None
    likely = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    expected = [-(0.75 * likely[0, 1] + 0.25 * likely[0, 2]), -likely[1, 3], -likely[2, 3]]
    np.testing.assert_allclose(losses.policy, expected, rtol=1e-5)


def test_what_cannot_be_measured_is_a_typed_error(some_games: GameStore) -> None:
    store = some_games.subset(range(1))
    rows = store.positions()
    with pytest.raises(InvalidEvaluation, match="policy_logits none"):
        evaluate_network(Silent(), store, rows)
    with pytest.raises(InvalidConfig, match="planes"):
        evaluate_networks({"a": Hashed(1, "v1"), "b": Hashed(1, "v2")}, store, rows)
    with pytest.raises(InvalidConfig, match="planes"):
        evaluate_networks({}, store, rows)
    with pytest.raises(StoreError):
        evaluate_network(Hashed(1), store, rows.select(np.arange(0)))
    broken = Hashed(np.nan)
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(InvalidEvaluation, match="not finite"),
    ):
        evaluate_network(broken, store, rows)
