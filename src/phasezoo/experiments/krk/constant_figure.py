"""Figure 4.7: the DTM difference by C for each budget, and where it is lowest."""

from phasezoo.experiments.claims import Claim, Judgement, by_sign
from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.curves import NAMES, budgets_of, by_constant, line, over
from phasezoo.experiments.krk.judging import (
    BY_CONTENDERS,
    BY_SIGN,
    THROUGHOUT,
    by_contenders,
    simultaneous,
    throughout,
)
from phasezoo.experiments.krk.resampling import Table, intervals
from phasezoo.experiments.krk.results import Choice, Figure, Line, Panel
from phasezoo.experiments.krk.trends import choice
from phasezoo.experiments.statistics import ResampledMeans, percentile_interval
from phasezoo.report import numbers

__all__ = ["constant_figure", "moves_up"]

_UNIT = "DTM difference a move"


def constant_figure(table: Table, config: KrkConfig) -> Figure:
    """Measure the study's figure 4.7."""
    curves = {b: by_constant(table, "difference", config, "uct", [b]) for b in config.budgets}
    choices = {b: _choice(config, b, curve) for b, curve in curves.items()}
    claims = [_best(b, one) for b, one in choices.items() if one.claimed]
    if len(curves) > 1:
        few, many = min(curves), max(curves)
        claims.append(moves_up(choices[few], choices[many]))
        claims += _more_is_better((few, many), curves[few], curves[many])
    about = (
        f"The mean DTM difference of White’s moves, {over(config)}. “Best C” is the arg-min of "
        "such a curve, so it is shown as its distribution over resamples of the games."
    )
    own = [
        line(f"{numbers.count(b)} simulations", "uct", config.constants, curve)
        for b, curve in curves.items()
    ]
    panels = [Panel("UCT, by simulations a move", "C", _UNIT, own)]
    if len(config.variants) > 1:
        panels.append(_variants(table, config))
    return Figure("4.7", "DTM difference by C", about, claims, panels, list(choices.values()))


def _choice(config: KrkConfig, budget: int, curve: ResampledMeans) -> Choice:
    claimed = [paper.BEST_CONSTANT[budget]] if budget in paper.BEST_CONSTANT else []
    name = f"UCT, {numbers.count(budget)} simulations"
    return choice(name, "C", config.constants, curve, claimed)


def _variants(table: Table, config: KrkConfig) -> Panel:
    lines: list[Line] = []
    budgets = config.other_budgets
    for variant in config.variants:
        shared = [b for b in budgets_of(config, variant) if b in budgets]
        curve = by_constant(table, "difference", config, variant, shared)
        lines.append(line(NAMES[variant], variant, config.constants, curve))
    named = " and ".join(numbers.count(b) for b in budgets)
    return Panel(f"Variants, {named} simulations", "C", _UNIT, lines)


def _best(budget: int, found: Choice) -> Claim:
    (claimed,) = found.claimed
    return Claim(
        text=f"With {numbers.count(budget)} simulations the best C is {claimed:g}.",
        ours=f"{_may_be_best(found)}. The arg-min of resamples: {_likeliest(found)}.",
        rule=f"{BY_CONTENDERS[0].upper()}{BY_CONTENDERS[1:]}.",
        judgement=by_contenders(found.contenders, found.claimed, found.values),
    )


def _may_be_best(found: Choice) -> str:
    if not found.contenders:
        return "Not measured"
    return f"C = {', '.join(f'{c:g}' for c in found.contenders)} may be best"


def _likeliest(found: Choice) -> str:
    """The values that hold the arg-min in 95 % of resamples, likeliest first."""
    words, held = [], 0.0
    for value, share in sorted(
        zip(found.values, found.shares, strict=True), key=lambda item: -item[1]
    ):
        if held >= 0.95 or share == 0:
            break
        held += share
        words.append(f"{value:g} ({numbers.percent(share, 0)})")
    return f"C = {', '.join(words)}" if words else numbers.ABSENT


def moves_up(few: Choice, many: Choice) -> Claim:
    """Whether the best C is larger with more simulations."""
    if not few.contenders or not many.contenders:
        found: Judgement = "not settled"
    elif max(few.contenders) < min(many.contenders):
        found = "agrees"
    elif min(few.contenders) > max(many.contenders):
        found = "disagrees"
    else:
        found = "not settled"
    return Claim(
        text="More simulations want more exploration: the best C grows with the budget.",
        ours=f"{few.name}: {_may_be_best(few)}. {many.name}: {_may_be_best(many)}.",
        rule=(
            "Agrees if every C that may be best with more simulations is larger than every C that "
            "may be best with fewer, disagrees if every one is smaller; nothing is settled by the "
            "same C, between whose neighbours the best may have moved."
        ),
        judgement=found,
    )


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
