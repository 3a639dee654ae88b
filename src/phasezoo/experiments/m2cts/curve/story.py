"""The report's sentences."""

import math

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.curve.results import Curve, Results
from phasezoo.report import numbers

__all__ = ["crossing_text", "headline", "introduction", "level"]


def crossing_text(found: Interval | None, results: Results) -> str:
    """Where a curve crosses, for a table: the place, and between which sizes it may be."""
    if found is None:
        return numbers.ABSENT
    value, low, high = (_place(end, results) for end in (found.value, found.low, found.high))
    if low == high:
        return value
    return f"{value} ({low} to {high})"


def level(curve: Curve, results: Results) -> str:
    """Where a mixture draws level with one network, as a sentence."""
    said = f"Level with one network in test loss: {crossing_text(curve.loss_crossing, results)}"
    if curve.elo_crossing is not None:
        said += f"; in games: {crossing_text(curve.elo_crossing, results)}"
    return f"{said}."


def headline(results: Results) -> str:
    """The main result as one line."""
    told = "; ".join(
        f"{curve.name} {crossing_text(curve.loss_crossing, results)}" for curve in results.curves
    )
    return f"Training positions at which test losses are level with one network’s: {told}"


def introduction(results: Results) -> str:
    """What was run and how long it took."""
    config = results.config
    sizes = ", ".join(numbers.count(size) for size in config.sizes)
    duration = numbers.duration(sum(results.seconds.values()))
    several = "s" if config.trainings > 1 else ""
    return (
        f"One network and {numbers.spelled(len(results.curves))} mixtures of experts learnt "
        f"{results.game} at {sizes} training positions, {numbers.spelled(config.trainings)} "
        f"training{several} of each; at every size all saw the same number. It took {duration} on "
        f"{results.provenance.processor} with {results.provenance.threads} threads."
    )


def _place(value: float, results: Results) -> str:
    if math.isfinite(value):
        return f"{numbers.count(float(f'{value:.2g}'))}"
    sizes = results.config.sizes
    return f"above {numbers.count(sizes[-1])}" if value > 0 else f"below {numbers.count(sizes[0])}"
