"""Checkers pass what is sound, and name each contract that is broken."""

import random

import numpy as np
import pytest
from broken_games import BREAKS, Heap

from phasezoo import games, gating, inference
from phasezoo.checking import BrokenContract


@pytest.fixture
def registered(monkeypatch):
    """Registers a game's type for the length of a test."""
    from phasezoo.games import registry

    for table in ("_REGISTERED", "_BY_TYPE"):
        monkeypatch.setattr(registry, table, dict(getattr(registry, table)))

    def register(kind):
        games.register(
            "heap", initial_state=kind, num_players=2, num_actions=2,
            plane_specs={"default": (1, 1, 2)},
        )  # fmt: skip
        return "heap"

    return register


@pytest.mark.parametrize("name", games.names())
def test_every_game_of_the_package_keeps_its_contracts(name):
    report = games.check(name, games=1, seed=3)
    assert report.ok, str(report)


def test_a_sound_game_passes(registered):
    report = games.check(registered(Heap), games=30)
    assert report
    assert report.breaches == ()
    report.raise_if_broken()
    assert "every contract held" in str(report)


@pytest.mark.parametrize("kind", BREAKS, ids=lambda kind: kind.__name__)
def test_a_broken_contract_of_a_game_is_named(registered, kind):
    report = games.check(registered(kind), games=10)
    assert not report
    assert BREAKS[kind] in {breach.contract for breach in report.breaches}, str(report)
    with pytest.raises(BrokenContract, match="broken"):
        report.raise_if_broken()


def test_the_same_seed_gives_the_same_report(registered):
    name = registered(Heap)
    assert str(games.check(name, games=5, seed=4)) == str(games.check(name, games=5, seed=4))


def test_one_breach_does_not_hide_others(registered):
    class Twice(next(kind for kind in BREAKS if kind.__name__ == "Unordered")):
        key = -1

    contracts = {breach.contract for breach in games.check(registered(Twice)).breaches}
    assert len(contracts) >= 2


def broken_contracts(report):
    assert not report.ok
    return {breach.contract for breach in report.breaches}


def constant(state):
    return 0


class Picky:
    """A gate that fails on some states."""

    def __call__(self, state):
        return 1 // (state.ply % 7)


class TestGates:
    @pytest.mark.parametrize("spec", ["lichess", "none", "hash:5", "moves:4", "material"])
    def test_built_in_gates_pass(self, spec):
        assert gating.check(spec, "chess", states=60).ok

    def test_a_function_passes(self):
        report = gating.check(constant, names=("a", "b"), states=20)
        assert report.ok, str(report)

    def test_an_answer_that_is_no_phase(self):
        report = gating.check(lambda state: 2, names=("a", "b"), states=20)
        assert "answers are phases" in broken_contracts(report)

    def test_an_answer_that_changes(self):
        rng = random.Random(1)
        report = gating.check(lambda state: rng.randrange(2), names=("a", "b"), states=50)
        assert "the same state has the same phase" in broken_contracts(report)

    def test_a_gate_that_fails(self):
        report = gating.check(Picky(), names=("a", "b"), states=20)
        assert "a gate answers every state of its game" in broken_contracts(report)

    def test_a_batch_that_answers_otherwise(self):
        gate = gating.make(
            lambda states: [len(states) > 1] * len(states), names=("a", "b"), batched=True
        )
        contracts = broken_contracts(gating.check(gate, states=20))
        assert "batch answers as one call a state does" in contracts

    def test_players_who_move_at_once(self):
        assert gating.check("opponents", "pommerman-ffa", states=40).ok


class Sum:
    plane_spec = "v2"

    def evaluate(self, planes):
        return inference.Evaluation(value=np.tanh(planes.sum(axis=(1, 2, 3)) / 1e3))


class Neighbour(Sum):
    def evaluate(self, planes):
        value = planes.sum(axis=(1, 2, 3))
        return inference.Evaluation(value=np.tanh(value - value.mean()))


class Forgetful(Sum):
    calls = 0

    def evaluate(self, planes):
        self.calls += 1
        return inference.Evaluation(value=np.full(len(planes), self.calls % 2))


class TooLarge(Sum):
    def evaluate(self, planes):
        return inference.Evaluation(value=planes.sum(axis=(1, 2, 3)))


class OnlyPairs(Sum):
    def evaluate(self, planes):
        if len(planes) == 1:
            message = "two at least"
            raise ValueError(message)
        return super().evaluate(planes)


class ForeignPlanes(Sum):
    plane_spec = "v7"


class TestEvaluators:
    @pytest.mark.parametrize("evaluator", [inference.Uniform(), Sum()])
    def test_sound_ones_pass(self, evaluator):
        report = inference.check(evaluator)
        assert report.ok, str(report)

    @pytest.mark.parametrize(
        ("evaluator", "contract"),
        [
            (Neighbour(), "a row's answer does not depend on the rows beside it"),
            (Forgetful(), "the same batch has the same answer"),
            (TooLarge(), "answers have the right shape and range"),
            (OnlyPairs(), "an evaluator answers every batch"),
            (ForeignPlanes(), "plane_spec names planes of the game"),
            (object(), "an evaluator has evaluate(planes)"),
        ],
        ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
    )
    def test_broken_ones_are_named(self, evaluator, contract):
        assert contract in broken_contracts(inference.check(evaluator))
