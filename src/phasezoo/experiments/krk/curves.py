"""Which cells a point of a curve is made of, and the curves of the report."""

from collections.abc import Sequence

from phasezoo.experiments.krk.cells import Cell
from phasezoo.experiments.krk.config import KrkConfig, Variant
from phasezoo.experiments.krk.resampling import Table, intervals
from phasezoo.experiments.krk.results import Line
from phasezoo.experiments.statistics import ResampledMeans

__all__ = ["NAMES", "budgets_of", "by_constant", "by_threshold", "line", "over"]

NAMES: dict[Variant, str] = {
    "uct": "UCT",
    "puct": "PUCT with uniform priors",
    "random": "UCT with random rollouts",
}
"""How the variants are called."""


def budgets_of(config: KrkConfig, variant: Variant) -> tuple[int, ...]:
    """The budgets a variant plays with."""
    return config.budgets if variant == "uct" else config.other_budgets


def by_constant(
    table: Table, measure: str, config: KrkConfig, variant: Variant, budgets: Sequence[int]
) -> ResampledMeans:
    """A measure at every C, averaged over ``budgets`` and all T."""
    groups = [
        [Cell(variant, c, t, b) for t in config.thresholds for b in budgets]
        for c in map(float, config.constants)
    ]
    return table.curve(measure, groups)


def by_threshold(
    table: Table, measure: str, config: KrkConfig, variant: Variant, constant: float,
    budgets: Sequence[int],
) -> ResampledMeans:  # fmt: skip
    """A measure at every T for one C, averaged over ``budgets``."""
    groups = [[Cell(variant, float(constant), t, b) for b in budgets] for t in config.thresholds]
    return table.curve(measure, groups)


def line(name: str, variant: Variant, x: Sequence[float], curve: ResampledMeans) -> Line:
    """A curve with its band, to be drawn."""
    return Line(name, variant, [float(value) for value in x], intervals(curve))


def over(config: KrkConfig) -> str:
    """The T that curves by C average over, for captions."""
    values = [f"{t}" for t in config.thresholds]
    if len(values) == 1:
        return f"at T = {values[0]}"
    return f"averaged over T = {', '.join(values[:-1])} and {values[-1]}"
