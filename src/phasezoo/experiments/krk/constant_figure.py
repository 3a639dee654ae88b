"""Figure 4.7: the DTM difference by C for each budget, and where it is lowest."""

import numpy as np

from phasezoo.experiments.krk import study
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.curves import NAMES, budgets_of, by_constant, line, over
from phasezoo.experiments.krk.judging import (
    BY_SHARE,
    BY_SIGN,
    THROUGHOUT,
    by_share,
    by_sign,
    simultaneous,
    throughout,
)
from phasezoo.experiments.krk.resampling import Table, intervals
from phasezoo.experiments.krk.results import Choice, Claim, Figure, Line, Panel
from phasezoo.experiments.krk.trends import argmin_shares, lowest
from phasezoo.experiments.report import numbers
from phasezoo.experiments.statistics import ResampledMeans, percentile_interval

__all__ = ["constant_figure"]

_UNIT = "DTM difference a move"


def constant_figure(table: Table, config: KrkConfig) -> Figure:
    """Measure the study's figure 4.7."""
    curves = {b: by_constant(table, "difference", config, "uct", [b]) for b in config.budgets}
    claims = [_best(config, b, c) for b, c in curves.items() if b in study.BEST_CONSTANT]
    if len(curves) > 1:
        few, many = min(curves), max(curves)
        claims.append(_moves_up(config, (few, many), curves[few], curves[many]))
        claims += _more_is_better((few, many), curves[few], curves[many])
    about = (
        f"The mean DTM difference of White’s moves, {over(config)}. “Best C” is the arg-min of "
        "such a curve, so it is shown as its distribution over resamples of the games."
    )
    choices = [
        Choice(
            f"UCT, {numbers.count(b)} simulations", "C", list(map(float, config.constants)),
            argmin_shares(curve), [study.BEST_CONSTANT[b]] if b in study.BEST_CONSTANT else [],
        )
        for b, curve in curves.items()
    ]  # fmt: skip
    own = [
        line(f"{numbers.count(b)} simulations", "uct", config.constants, curve)
        for b, curve in curves.items()
    ]
    panels = [Panel("UCT, by simulations a move", "C", _UNIT, own)]
    if len(config.variants) > 1:
        panels.append(_variants(table, config))
    return Figure("4.7", "DTM difference by C", about, claims, panels, choices)


def _variants(table: Table, config: KrkConfig) -> Panel:
    lines: list[Line] = []
    budgets = config.other_budgets
    for variant in config.variants:
        shared = [b for b in budgets_of(config, variant) if b in budgets]
        curve = by_constant(table, "difference", config, variant, shared)
        lines.append(line(NAMES[variant], variant, config.constants, curve))
    named = " and ".join(numbers.count(b) for b in budgets)
    return Panel(f"Variants, {named} simulations", "C", _UNIT, lines)


def _best(config: KrkConfig, budget: int, curve: ResampledMeans) -> Claim:
    claimed = study.BEST_CONSTANT[budget]
    shares = dict(zip(map(float, config.constants), argmin_shares(curve), strict=True))
    share = shares.get(claimed) if any(shares.values()) else None
    named = f"C = {claimed:g} " + (
        "was not played" if share is None else f"in {numbers.percent(share, 0)}"
    )
    return Claim(
        text=f"With {numbers.count(budget)} simulations the best C is {claimed:g}.",
        ours=f"{_likeliest(shares)}; {named}.",
        rule=f"C = {claimed:g} is the arg-min: {BY_SHARE}.",
        judgement=by_share(share),
    )


def _likeliest(shares: dict[float, float]) -> str:
    """The values that hold the arg-min in 95 % of resamples, likeliest first."""
    words, held = [], 0.0
    for value, share in sorted(shares.items(), key=lambda item: -item[1]):
        if held >= 0.95 or share == 0:
            break
        held += share
        words.append(f"C = {value:g} ({numbers.percent(share, 0)})")
    return f"The arg-min of resamples: {', '.join(words)}" if words else "Not measured"


def _moves_up(
    config: KrkConfig, budgets: tuple[int, int], few: ResampledMeans, many: ResampledMeans
) -> Claim:
    with_few, with_many = lowest(few), lowest(many)
    measured = np.isfinite(with_few) & np.isfinite(with_many)
    share = float((with_many > with_few)[measured].mean()) if measured.any() else None
    names = [numbers.count(b) for b in budgets]
    return Claim(
        text="More simulations want more exploration: the best C grows with the budget.",
        ours=(
            f"It is larger with {names[1]} than with {names[0]} simulations in "
            f"{numbers.percent(share, 0)} of resamples, equal in "
            f"{numbers.percent(_share_equal(with_few, with_many), 0)}."
        ),
        rule=f"The larger budget has the larger arg-min: {BY_SHARE}.",
        judgement=by_share(share),
    )


def _share_equal(one: np.ndarray, other: np.ndarray) -> float | None:
    measured = np.isfinite(one) & np.isfinite(other)
    return float((one == other)[measured].mean()) if measured.any() else None


def _more_is_better(
    budgets: tuple[int, int], few: ResampledMeans, many: ResampledMeans
) -> list[Claim]:
    less = ResampledMeans(many.means - few.means, many.resampled - few.resampled)
    each = intervals(less)
    mean = percentile_interval(float(less.means.mean()), less.resampled.mean(axis=1))
    better = sum(i is not None and i.value < 0 for i in each)
    shown = sum(by_sign(i, "lower") == "agrees" for i in each)
    names = [numbers.count(b) for b in budgets]
    return [
        Claim(
            f"{names[1]} simulations play better than {names[0]}.",
            f"Averaged over C, the DTM difference changes by {numbers.signed_interval(mean)}.",
            f"The mean change {BY_SIGN}.",
            by_sign(mean, "lower"),
        ),
        Claim(
            "They do so at every C.",
            f"Better at {better} of {len(each)} values of C, by the whole interval at {shown}.",
            f"The changes: {THROUGHOUT}.",
            throughout(each, simultaneous(less), "lower"),
        ),
    ]
