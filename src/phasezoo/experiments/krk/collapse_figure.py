"""Figure 4.6: whether the DTM difference and the number of collapses move together over T."""

from collections.abc import Sequence

import numpy as np

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Claim, by_sign
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.curves import by_threshold
from phasezoo.experiments.krk.judging import BY_SIGN, THROUGHOUT, simultaneous, throughout
from phasezoo.experiments.krk.play import GameRow
from phasezoo.experiments.krk.resampling import Table, average, intervals, table_of
from phasezoo.experiments.krk.results import Figure, Line, Panel
from phasezoo.experiments.krk.trends import correlation, told
from phasezoo.experiments.statistics import ResampledMeans, percentile_interval

__all__ = ["collapse_figure"]

_SHOWN = (-0.6, 1.6)
"""Part of the scaled axis that is drawn: where a curve is flat, its band grows without bound."""


def collapse_figure(table: Table, rows: Sequence[GameRow], config: KrkConfig) -> Figure:
    """Measure the study's figure 4.6."""
    constants = [float(c) for c in config.constants]
    links = _links(rows, config, constants)
    each = [percentile_interval(float(one.means), one.resampled) for one in links]
    mean = average(links)
    together = ResampledMeans(
        np.array([one.means for one in links]), np.stack([one.resampled for one in links], axis=1)
    )
    overall = percentile_interval(float(mean.means), mean.resampled)
    listed = ", ".join(f"C = {c:g}: {told(i)}" for c, i in zip(constants, each, strict=True))
    claims = [
        Claim(
            "DTM difference and collapses move together over T.",
            f"Averaged over C, their correlation over T is {told(overall)}.",
            f"The correlation {BY_SIGN}.",
            by_sign(overall, "higher"),
        ),
        Claim(
            "They do so for each C.",
            f"{listed}.",
            f"The correlations: {THROUGHOUT}.",
            throughout(each, simultaneous(together), "higher"),
        ),
    ]
    about = (
        "DTM difference and collapses a game, averaged over budgets, each scaled so that its curve "
        "runs from 0 to 1. A long game has both more errors and more collapses, so the two numbers "
        "of one game go together by themselves; correlations therefore take one number from the "
        "games of even number and the other from those of odd number, and the other way round."
    )
    panels = [_panel(table, config, c) for c in constants]
    return Figure("4.6", "DTM difference and collapses over T", about, claims, panels)


def _links(
    rows: Sequence[GameRow], config: KrkConfig, constants: Sequence[float]
) -> list[ResampledMeans]:
    """Per C: the correlation over T between numbers from different games, mean over budgets."""
    own = [row for row in rows if row.cell.variant == "uct"]
    even, odd = (
        table_of([row for row in own if row.number % 2 == half], config.seed, config.resamples)
        for half in (0, 1)
    )
    return [
        average(
            [
                correlation(
                    by_threshold(one, "difference", config, "uct", constant, [budget]),
                    by_threshold(other, "collapses", config, "uct", constant, [budget]),
                )
                for budget in config.budgets
                for one, other in ((even, odd), (odd, even))
            ]
        )
        for constant in constants
    ]


def _panel(table: Table, config: KrkConfig, constant: float) -> Panel:
    lines = []
    for measure, name in (("difference", "DTM difference"), ("collapses", "collapses")):
        curve = by_threshold(table, measure, config, "uct", constant, config.budgets)
        values = list(map(float, config.thresholds))
        lines.append(Line(name, "uct", values, _scaled(intervals(curve))))
    return Panel(f"C = {constant:g}", "T", "scaled to 0 … 1", lines, _SHOWN)


def _scaled(curve: Sequence[Interval | None]) -> list[Interval | None]:
    """The curve with its estimates running from 0 to 1, and its bands on the same scale."""
    values = [point.value for point in curve if point is not None]
    if not values:
        return list(curve)
    low, width = min(values), max(values) - min(values)
    scale = 1 / width if width > 0 else 0.0

    def place(value: float) -> float:
        return (value - low) * scale

    return [
        None if point is None else Interval(place(point.value), place(point.low), place(point.high))
        for point in curve
    ]
