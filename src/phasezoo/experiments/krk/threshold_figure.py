"""Figure 4.8: the DTM difference by T for each C, and where it is lowest."""

from collections.abc import Mapping, Sequence

import numpy as np

from phasezoo.experiments.claims import Claim, by_sign
from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.curves import NAMES, by_threshold, line
from phasezoo.experiments.krk.judging import (
    BY_CONTENDERS,
    BY_SIGN,
    THROUGHOUT,
    by_contenders,
    simultaneous,
    throughout,
)
from phasezoo.experiments.krk.resampling import Table, average
from phasezoo.experiments.krk.results import Choice, Figure, Panel
from phasezoo.experiments.krk.trends import choice, rise, told
from phasezoo.experiments.statistics import ResampledMeans, percentile_interval
from phasezoo.report import numbers

__all__ = ["threshold_figure"]

_UNIT = "DTM difference a move"


def threshold_figure(table: Table, config: KrkConfig) -> Figure:
    """Measure the study's figure 4.8."""
    curves = {
        float(c): by_threshold(table, "difference", config, "uct", c, config.budgets)
        for c in config.constants
    }
    low = {c: curve for c, curve in curves.items() if c <= paper.LOW_CONSTANT}
    high = {c: curve for c, curve in curves.items() if c >= paper.HIGH_CONSTANT}
    claims = [*_falls(low), *_lowest_near_thirty(config, high)]
    groups = {
        f"C ≤ {paper.LOW_CONSTANT:g}": low,
        f"C ≥ {paper.HIGH_CONSTANT:g}": high,
    }
    panels = [
        Panel(f"UCT, {name}", "T", _UNIT, [line(f"C = {c:g}", "uct", config.thresholds, curve)
                                           for c, curve in group.items()])
        for name, group in groups.items() if group
    ]  # fmt: skip
    panels += [*_averaged(config, groups), *_variants(table, config)]
    about = (
        "The mean DTM difference of White’s moves, averaged over budgets. “Best T” is the arg-min "
        "of such a curve, so it is shown as its distribution over resamples of the games."
    )
    return Figure("4.8", "DTM difference by T", about, claims, panels, _choices(config, curves))


def _falls(low: dict[float, ResampledMeans]) -> list[Claim]:
    if not low:
        return []
    trends = [rise(curve) for curve in low.values()]
    each = [percentile_interval(float(t.means), t.resampled) for t in trends]
    mean = average(trends)
    overall = percentile_interval(float(mean.means), mean.resampled)
    together = ResampledMeans(
        np.array([t.means for t in trends]), np.stack([t.resampled for t in trends], axis=1)
    )
    listed = ", ".join(f"C = {c:g}: {told(i)}" for c, i in zip(low, each, strict=True))
    return [
        Claim(
            f"Up to C = {paper.LOW_CONSTANT:g} the DTM difference falls as T grows.",
            f"Averaged over these C, Kendall’s tau with T is {told(overall)}.",
            f"Tau {BY_SIGN}.",
            by_sign(overall, "lower"),
        ),
        Claim(
            "It does so for each of these C.",
            f"{listed}.",
            f"The taus: {THROUGHOUT}.",
            throughout(each, simultaneous(together), "lower"),
        ),
    ]


def _lowest_near_thirty(config: KrkConfig, high: dict[float, ResampledMeans]) -> list[Claim]:
    if not high:
        return []
    near = paper.NEAR_BEST_THRESHOLD
    mean = choice("averaged over these C", "T", config.thresholds, average(list(high.values())))
    each = [choice(f"C = {c:g}", "T", config.thresholds, curve) for c, curve in high.items()]
    words = [
        f"{one.name}: T = {', '.join(f'{t:g}' for t in one.contenders)} may be best, "
        f"{numbers.percent(_share(one, near), 0)} of resamples at or near {paper.BEST_THRESHOLD}"
        for one in (mean, *each)
    ]
    return [
        Claim(
            f"From C = {paper.HIGH_CONSTANT:g} on it is lowest at or near T = "
            f"{paper.BEST_THRESHOLD}, just above the largest number of legal moves "
            f"({paper.MOST_MOVES}).",
            f"{'; '.join(words)}.",
            f"At or near: T = {_listed(near)}. Averaged over these C, {BY_CONTENDERS}.",
            by_contenders(mean.contenders, near, mean.values),
        )
    ]


def _share(found: Choice, values: Sequence[float]) -> float:
    return sum(s for v, s in zip(found.values, found.shares, strict=True) if v in values)


def _averaged(
    config: KrkConfig, groups: Mapping[str, Mapping[float, ResampledMeans]]
) -> list[Panel]:
    lines = [
        line(name, "uct", config.thresholds, average(list(group.values())))
        for name, group in groups.items()
        if len(group) > 1
    ]
    return [Panel("UCT, averaged over C", "T", _UNIT, lines)] if lines else []


def _variants(table: Table, config: KrkConfig) -> list[Panel]:
    if len(config.variants) == 1:
        return []
    budgets = config.other_budgets
    named = " and ".join(numbers.count(b) for b in budgets)
    panels = []
    for constant in _shown(config.constants):
        lines = [
            line(NAMES[v], v, config.thresholds,
                 by_threshold(table, "difference", config, v, constant, budgets))
            for v in config.variants
        ]  # fmt: skip
        panels.append(Panel(f"C = {constant:g}, {named} simulations", "T", _UNIT, lines))
    return panels


def _shown(constants: Sequence[float]) -> list[float]:
    """One C of the low ones and one of the high ones, each nearest to the bound between them."""
    low = [c for c in constants if c <= paper.LOW_CONSTANT][-1:]
    high = [c for c in constants if c >= paper.HIGH_CONSTANT][:1]
    return [*low, *high]


def _choices(config: KrkConfig, curves: dict[float, ResampledMeans]) -> list[Choice]:
    named = [paper.BEST_THRESHOLD]
    return [
        choice(
            f"C = {c:g}",
            "T",
            config.thresholds,
            curve,
            named if c >= paper.HIGH_CONSTANT else (),
        )
        for c, curve in curves.items()
    ]


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:-1])) + f" or {values[-1]}"
