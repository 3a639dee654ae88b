"""Plans of the strategies: weights as published, exact amounts, orders of stages, typed errors."""

from typing import Any

import numpy as np
import pytest

from phasezoo import gating
from phasezoo.errors import InvalidConfig, InvalidGate, StoreError
from phasezoo.training import PositionTable, Strategy, phase_weights, plan_strategy
from phasezoo.training.experts.strategies import AS_ONE, SHARED, START
from phasezoo.training.experts.tables import ALL, BASELINE, MIXTURE

NAMES = ("opening", "middlegame", "endgame")
POSITIONS = 10_001


def table(counts: tuple[int, ...] = (300, 500, 200), names: tuple[str, ...] = NAMES) -> Any:
    phase = np.repeat(np.arange(len(counts)), counts).astype(np.int8)
    zeros = np.zeros(len(phase), dtype=np.int32)
    key = np.arange(len(phase), dtype=np.uint64)
    return PositionTable(zeros, zeros, zeros.astype(np.int8), phase, key, names, "mine")


def plan(strategy: str, **options: Any) -> Any:
    return plan_strategy(table(), Strategy.parse(strategy), POSITIONS, **options)


@pytest.mark.parametrize(("factor", "own", "other"), [(4, 2.0, 0.5), (10, 2.5, 0.25)])
def test_weights_are_the_published_ones(factor: float, own: float, other: float) -> None:
    # M2CTS, Table VIII.
    assert phase_weights(3, 1, factor).tolist() == [other, own, other]


@pytest.mark.parametrize("phases", [2, 3, 7])
@pytest.mark.parametrize("factor", [0.5, 1, 4, 100])
def test_weights_have_mean_one_over_the_phases(phases: int, factor: float) -> None:
    weights = phase_weights(phases, 0, factor)
    assert weights.mean() == pytest.approx(1)
    np.testing.assert_allclose(weights[0], factor * weights[1:])


@pytest.mark.parametrize(
    "wrong", [(3, 3, 4), (3, -1, 4), (0, 0, 1), (3, 0, 0), (3, 0, np.nan), (3, 0, np.inf)]
)
def test_weights_of_no_phase_or_factor_are_refused(wrong):
    with pytest.raises(InvalidConfig, match="finite factor above 0"):
        phase_weights(*wrong)


EQUAL: list[tuple[str, dict[str, Any]]] = [
    ("separated", {}),
    ("staged", {}),
    ("staged", {"order": "farthest-first"}),
    ("staged", {"order": ("endgame", "opening", "middlegame")}),
    ("weighted:4", {}),
    ("planes", {}),
    *((kind, {}) for kind in AS_ONE if kind != "planes"),
]


@pytest.mark.parametrize(("strategy", "options"), EQUAL)
def test_baseline_and_mixture_see_as_many_positions(strategy: str, options: dict[str, Any]) -> None:
    made = plan(strategy, **options)
    assert made.baseline.positions == made.work == POSITIONS
    assert sum(stage.positions for stage in made.stages) == POSITIONS
    assert list(made.experts) == list(NAMES)


@pytest.mark.parametrize(
    ("strategy", "options", "times"),
    [
        ("separated", {}, 1),
        ("weighted:10", {}, 3),
        ("heads", {}, 1),
        ("staged", {"order": "farthest-first"}, 3),
        ("staged", {}, 2),  # the baseline's own positions are the experts' too
    ],
)
def test_the_study_gives_experts_more(strategy: str, options: dict[str, Any], times: int) -> None:
    assert plan(strategy, budget="study", **options).work == times * POSITIONS


def test_an_expert_sees_as_much_under_every_strategy() -> None:
    separated = {stage.phase: stage.positions for stage in plan("separated").stages}
    weighted = {stage.phase: stage.positions for stage in plan("weighted:4").stages}
    made = plan("staged", order="farthest-first")
    staged = {
        phase: sum(stage.positions for stage in made.lineage(name))
        for phase, name in made.experts.items()
    }
    assert separated == weighted == staged


def test_stages_end_with_the_experts_own_phase() -> None:
    made = plan("staged", order="farthest-first")
    order = {
        phase: [stage.phase for stage in made.lineage(name)] for phase, name in made.experts.items()
    }
    assert order == {
        "opening": ["endgame", "middlegame", "opening"],
        "middlegame": ["opening", "endgame", "middlegame"],
        "endgame": ["opening", "middlegame", "endgame"],
    }
    given = plan("staged", order=("middlegame", "endgame", "opening"))
    first = given.lineage(given.experts["endgame"])
    assert [stage.phase for stage in first] == ["middlegame", "opening", "endgame"]
    assert first[0].start is None
    assert [stage.start for stage in first[1:]] == [first[0].name, first[1].name]


def test_staged_experts_share_one_start() -> None:
    made = plan("staged")
    start = made.stages[0]
    assert (start.name, start.phase, start.start) == ("start", None, None)
    assert start.positions == 5001
    assert {stage.start for stage in made.stages[1:]} == {"start"}
    study = plan("staged", budget="study")
    assert {stage.start for stage in study.stages} == {"baseline"}


def test_trainings_come_after_those_they_start_from() -> None:
    for strategy, options in EQUAL:
        done: set[str | None] = {None}
        for stage in plan(strategy, **options).trainings:
            assert stage.start in done
            done.add(stage.name)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("together", "expected separated, staged, planes, heads, policies, film,"),
        ("weighted", "such as weighted:4"),
        ("weighted:0", "above 0"),
        ("weighted:-1", "above 0"),
        ("weighted:nan", "above 0"),
        ("staged:2", "expected separated"),
    ],
)
def test_strategies_that_are_none_are_refused(spec: str, words: str) -> None:
    with pytest.raises(InvalidConfig, match=words):
        Strategy.parse(spec)


@pytest.mark.parametrize(
    "spec",
    ["separated", "staged", "weighted:4", "weighted:2.5", "weighted:1.2345678", "weighted:1e-05",
     "weighted:1000000"],
)  # fmt: skip
def test_a_strategy_is_written_as_it_is_read(spec: str) -> None:
    assert str(Strategy.parse(spec)) == spec


@pytest.mark.parametrize(
    ("strategy", "options", "words"),
    [
        ("separated", {"budget": "large"}, "budget='large': expected equal or study"),
        ("weighted:4", {"order": "farthest-first"}, "only staged experts"),
        ("staged", {"order": "forwards"}, "expected 'farthest-first' or all of the phases"),
        ("staged", {"order": ("opening", "endgame")}, "'middlegame'"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    strategy: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidConfig, match=words):
        plan(strategy, **options)


def test_a_gate_of_one_phase_and_phases_without_positions_are_refused() -> None:
    one = table((10,), ("all",))
    with pytest.raises(InvalidConfig, match="has one phase"):
        plan_strategy(one, Strategy("separated"), 100)
    empty = table((10, 0, 10))
    for spec in ("separated", "staged", "weighted:4"):
        with pytest.raises(StoreError, match="'middlegame'"):
            plan_strategy(empty, Strategy.parse(spec), 100)
    with pytest.raises(InvalidConfig, match="too few"):
        plan_strategy(table(), Strategy("staged"), 10, order="farthest-first")


@pytest.mark.parametrize("how", AS_ONE)
def test_one_network_that_is_told_the_phase_has_all_experts_for_parts(how: str) -> None:
    made = plan(how)
    shared, *parts = made.stages
    assert (shared.phase, shared.gate, shared.phase_input) == (None, "mine", how)
    assert not shared.is_part
    assert [(part.phase, part.start, part.is_part) for part in parts] == [
        (name, shared.name, True) for name in NAMES
    ]
    with pytest.raises(StoreError, match="no training position"):
        plan_strategy(table((5, 0, 5)), Strategy.parse(how), POSITIONS)


@pytest.mark.parametrize("name", [ALL, BASELINE, MIXTURE, SHARED, START])
def test_no_phase_is_called_like_another_row_or_network(name: str) -> None:
    with pytest.raises(InvalidGate, match="cannot be called"):
        gating.make(lambda state: 0, names=("rest", name))
