"""The study's figures, measured again: the curves of each, and the claims that they settle."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import (
    BY_CONTENDERS,
    BY_RANGE,
    BY_SIGN,
    THROUGHOUT,
    Side,
    by_contenders,
    by_range,
    by_sign,
    judged,
    throughout,
)
from phasezoo.experiments.curves import Curve, Panel, general
from phasezoo.experiments.krk.config import VARIANTS, KrkConfig, Variant
from phasezoo.experiments.krk.measurements import MOST_MOVES, Elsewhere, Results
from phasezoo.experiments.statistics import Estimates
from phasezoo.report import numbers, plots
from phasezoo.report.document import Claim
from phasezoo.zoo.krk import readings as published

COLOURS = {
    VARIANTS["uct"]: plots.PHASE,
    VARIANTS["puct"]: plots.PLACEBO,
    VARIANTS["random"]: plots.BASELINE,
}
"""Colours of searches by their titles."""

_DIFFERENCE = "DTM difference a move"

_SCALED = (-0.6, 1.6)
"""Part of a scaled axis that is drawn: where a curve is flat, its band grows without bound."""


@dataclass(frozen=True)
class Reproduced:
    """One of the study's figures, measured again."""

    number: str
    """The study's number, such as ``4.7``."""
    title: str
    """Title."""
    about: str
    """How ours is made."""
    claims: Sequence[Claim]
    """The study's statements, and whether ours agree."""
    panels: Sequence[Panel] = ()
    """Curves to draw; none for the scatter of figure 4.2."""
    choices: Sequence[Curve] = ()
    """Curves of which it is shown where they are lowest."""


def reproduced(results: Results) -> list[Reproduced]:
    """Return the study's figures in order."""
    return [
        _lengths(results),
        _root(
            results,
            "4.3",
            "Visits of the root’s moves, by C",
            "visits spread",
            "standard deviation of visits",
            "lower",
            "The standard deviation of visits over the root’s moves falls with C.",
        ),
        _root(
            results,
            "4.4",
            "Mates below the root’s moves, by C",
            "mates spread",
            "standard deviation of mates",
            "lower",
            "The standard deviation of mates over the root’s moves falls with C.",
        ),
        _root(
            results,
            "4.5",
            "Visits for each mate, by C",
            "visits a mate",
            "visits / mates",
            "higher",
            "More exploration spends more visits on each mate: the ratio rises with C.",
        ),
        _collapses(results),
        _constants(results),
        _thresholds(results),
    ]


def _curves(
    config: KrkConfig, axis: Literal["C", "T"], found: Mapping[str, Estimates]
) -> list[Curve]:
    values = config.constants if axis == "C" else config.thresholds
    return [
        Curve(name, axis, values, one, colour=COLOURS.get(name, "")) for name, one in found.items()
    ]


def _searches(
    config: KrkConfig, axis: Literal["C", "T"], found: Mapping[Variant, Estimates]
) -> list[Curve]:
    return _curves(config, axis, {VARIANTS[variant]: one for variant, one in found.items()})


def _by_budget(
    config: KrkConfig, budgets: Sequence[int], found: Sequence[Estimates]
) -> list[Curve]:
    names = [f"{numbers.count(budget)} simulations" for budget in budgets]
    return _curves(config, "C", dict(zip(names, found, strict=True)))


def _by_constant(config: KrkConfig, found: Sequence[Estimates]) -> list[Curve]:
    names = [f"C = {constant:g}" for constant in config.constants]
    return _curves(config, "T", dict(zip(names, found, strict=True)))


def _over_high(config: KrkConfig, found: Estimates) -> Curve:
    return Curve("averaged over these C", "T", config.thresholds, found)


def _known(trend: Interval | None) -> str:
    """Return a correlation or tau with its interval, or that too few points leave it unknown."""
    return "not known, for too few values" if trend is None else numbers.signed_interval(trend, 2)


def _known_each(constants: Sequence[float], found: Estimates) -> str:
    pairs = zip(constants, found.each, strict=False)  # some are of the first C alone
    return ", ".join(f"C = {c:g}: {_known(one)}" for c, one in pairs) + "."


def _mean_and_each(
    found: Estimates,
    claimed: Side,
    of: tuple[str, str],
    mean: tuple[str, str],
    each: tuple[str, str],
) -> list[Claim]:
    """Two claims, each by its statement and what we found: of the mean, and of every value."""
    return [
        Claim(*mean, f"{of[0]} {BY_SIGN}.", by_sign(found.mean, claimed)),
        Claim(*each, f"{of[1]}: {THROUGHOUT}.", throughout(found.each, found.together, claimed)),
    ]


def _over(config: KrkConfig) -> str:
    """Return the T that curves by C average over."""
    values = [f"{t}" for t in config.thresholds]
    if len(values) == 1:
        return f"at T = {values[0]}"
    return f"averaged over T = {', '.join(values[:-1])} and {values[-1]}"


def _lengths(results: Results) -> Reproduced:
    link, length = results.curves.link, results.curves.lengths
    own = results.variants["uct"]
    low, high = published.LENGTHS
    cells = [one for one in length.together if one is not None]
    outside = sum(one.high < low or one.low > high for one in cells)
    values = [one.value for one in cells]
    ends = [numbers.decimal(end(values), 1) for end in (min, max)] if values else [numbers.ABSENT]
    span = f"run from {ends[0]} to {ends[-1]} moves" if len({*ends}) > 1 else f"are {ends[0]} moves"
    return Reproduced(
        "4.2",
        "Length of games against DTM difference",
        "A point is a cell: the mean DTM difference of White’s moves and the mean length of its "
        "won games. The two are bound together: a game that is never drawn lasts "
        f"{published.MATE_IN} moves plus the sum of its DTM differences (so it did in "
        f"{numbers.count(own.identities)} of {numbers.count(own.won)} won games), so this figure "
        "checks the bookkeeping more than it finds anything.",
        [
            Claim(
                text="Games grow longer with the DTM difference.",
                ours=f"Over the cells, the correlation is {_known(link)}.",
                rule=f"The correlation {BY_SIGN}.",
                judgement=by_sign(link, "higher"),
            ),
            Claim(
                text=f"Games last {low:g} to {high:g} moves on average, by setting.",
                ours=(
                    f"Averages of cells {span}; over all cells "
                    f"{numbers.plain_interval(length.mean, 1)}; {outside} of {len(cells)} cells "
                    "lie outside the range beyond chance."
                ),
                rule=f"The averages of cells: {BY_RANGE}.",
                judgement=by_range(length.together, low, high),
            ),
        ],
    )


def _root(
    results: Results,
    number: str,
    title: str,
    measure: str,
    unit: str,
    claimed: Side,
    text: str,
) -> Reproduced:
    """Return a figure of the search before the first move, and the claim on its tau."""
    config, found = results.config, results.curves.root[measure]
    tau, own = results.curves.root_taus[measure], found["uct"].each
    about = (
        "The search before the first move, with "
        f"{numbers.count(config.first_simulations)} simulations (the study shows it at 3,000), in "
        f"all games, whatever their budget; {_over(config)}."
    )
    # The ratio is of another size with random rollouts.
    is_ratio = measure == "visits a mate"
    apart: dict[Variant, Estimates] = {
        v: one for v, one in found.items() if is_ratio and v == "random"
    }
    together = {v: one for v, one in found.items() if v not in apart}
    first = "The study’s rollouts" if apart else ""
    panels = [Panel(first, unit, _searches(config, "C", together))]
    if apart:
        panels.append(Panel(VARIANTS["random"], unit, _searches(config, "C", apart)))
    claim = Claim(
        text=text,
        ours=(
            f"Kendall’s tau with C is {_known(tau)}; from {_at(own[0])} at "
            f"C = {config.constants[0]:g} to {_at(own[-1])} at C = {config.constants[-1]:g}."
        ),
        rule=f"Tau {BY_SIGN}.",
        judgement=by_sign(tau, claimed),
    )
    if is_ratio:
        about += " All visits of the root’s moves over all of their mates."
    return Reproduced(number, title, about, [claim], panels)


def _at(found: Interval | None) -> str:
    if found is None:
        return numbers.ABSENT
    return numbers.count(found.value) if found.value >= 100 else numbers.decimal(found.value, 2)


def _collapses(results: Results) -> Reproduced:
    config, links = results.config, results.curves.links
    panels = []
    pairs = zip(results.curves.by_threshold, results.curves.collapses, strict=True)
    for constant, (difference, collapses) in zip(config.constants, pairs, strict=True):
        found = {"DTM difference": _scaled(difference), "collapses": _scaled(collapses)}
        curves = _curves(config, "T", found)
        panels.append(Panel(f"C = {constant:g}", "scaled to 0 … 1", curves, _SCALED))
    return Reproduced(
        "4.6",
        "DTM difference and collapses over T",
        "DTM difference and collapses a game, averaged over budgets, each scaled so that its curve "
        "runs from 0 to 1. A long game has both more errors and more collapses, so the two numbers "
        "of one game go together by themselves; correlations therefore take one number from the "
        "games of even number and the other from those of odd number, and the other way round.",
        _mean_and_each(
            links,
            "higher",
            ("The correlation", "The correlations"),
            (
                "DTM difference and collapses move together over T.",
                f"Averaged over C, their correlation over T is {_known(links.mean)}.",
            ),
            ("They do so for each C.", _known_each(config.constants, links)),
        ),
        panels,
    )


def _scaled(found: Estimates) -> Estimates:
    """Return the curve with its estimates running from 0 to 1, and its bands on the same scale."""
    values = [point.value for point in found.each if point is not None]
    low, width = min(values, default=0.0), max(values, default=0.0) - min(values, default=0.0)
    scale = 1 / width if width > 0 else 0.0

    def place(value: float) -> float:
        return (value - low) * scale

    each = [
        None if point is None else Interval(place(point.value), place(point.low), place(point.high))
        for point in found.each
    ]
    return dataclasses.replace(found, each=each)


def _constants(results: Results) -> Reproduced:
    config, found = results.config, results.curves
    curves = _by_budget(config, config.budgets, found.by_constant)
    panels = [Panel("UCT, by simulations a move", _DIFFERENCE, curves)]
    if found.variants:
        title = f"Variants, {_shared_budgets(config)}"
        panels.append(Panel(title, _DIFFERENCE, _searches(config, "C", found.variants)))
    choices = [
        dataclasses.replace(
            curve, name=f"UCT, {curve.name}", claimed=published.BEST_CONSTANT.get(budget, ())
        )
        for budget, curve in zip(config.budgets, curves, strict=True)
    ]
    claims = [
        _best(budget, choice)
        for budget, choice in zip(config.budgets, choices, strict=True)
        if choice.claimed
    ]
    if found.change is not None:
        claims.append(moves_up(choices[0], choices[-1]))
        claims += _more_is_better(config, found.change)
    return Reproduced(
        "4.7",
        "DTM difference by C",
        f"The mean DTM difference of White’s moves, {_over(config)}. “Best C” is the arg-min of "
        "such a curve, so it is shown as its distribution over resamples of the games.",
        claims,
        panels,
        choices,
    )


def _shared_budgets(config: KrkConfig) -> str:
    return f"{' and '.join(numbers.count(b) for b in config.other_budgets)} simulations"


def _best(budget: int, choice: Curve) -> Claim:
    return Claim(
        text=f"With {numbers.count(budget)} simulations the best C is {general(choice.claimed)}.",
        ours=f"{_may_be_best(choice)}. The arg-min of resamples: {_likeliest(choice)}.",
        rule=f"{BY_CONTENDERS[0].upper()}{BY_CONTENDERS[1:]}.",
        judgement=by_contenders(choice.contenders, choice.claimed, choice.values),
    )


def _may_be_best(choice: Curve) -> str:
    if not choice.contenders:
        return "Not measured"
    return f"C = {general(choice.contenders)} may be best"


def _likeliest(choice: Curve) -> str:
    """Return the values that hold the arg-min in 95 % of resamples, likeliest first."""
    words, held = [], 0.0
    pairs = zip(choice.values, choice.found.shares, strict=True)
    for value, share in sorted(pairs, key=lambda pair: -pair[1]):
        if held >= 0.95 or share == 0:
            break
        held += share
        words.append(f"{value:g} ({numbers.percent(share, 0)})")
    return f"C = {', '.join(words)}" if words else numbers.ABSENT


def moves_up(few: Curve, many: Curve) -> Claim:
    """Judge that the best C is larger with more simulations."""
    none = [math.nan]  # which is neither larger nor smaller
    before, after = few.contenders or none, many.contenders or none
    return Claim(
        text="More simulations want more exploration: the best C grows with the budget.",
        ours=f"{few.name}: {_may_be_best(few)}. {many.name}: {_may_be_best(many)}.",
        rule=(
            "Agrees if every C that may be best with more simulations is larger than every C that "
            "may be best with fewer, disagrees if every one is smaller; nothing is settled by the "
            "same C, between whose neighbours the best may have moved."
        ),
        judgement=judged(agrees=max(before) < min(after), disagrees=min(before) > max(after)),
    )


def _more_is_better(config: KrkConfig, change: Estimates) -> list[Claim]:
    few, many = (numbers.count(config.budgets[place]) for place in (0, -1))
    mean, count = numbers.signed_interval(change.mean), len(change.each)
    better = sum(one is not None and one.value < 0 for one in change.each)
    shown = sum(by_sign(one, "lower") == "agrees" for one in change.each)
    return _mean_and_each(
        change,
        "lower",
        ("The mean change", "The changes"),
        (
            f"{many} simulations play better than {few}.",
            f"Averaged over C, the DTM difference changes by {mean}.",
        ),
        (
            "They do so at every C.",
            f"Better at {better} of {count} values of C, by the whole interval at {shown}.",
        ),
    )


def _thresholds(results: Results) -> Reproduced:
    config, found = results.config, results.curves
    curves = list(zip(config.constants, _by_constant(config, found.by_threshold), strict=True))
    low = [one for c, one in curves if c <= published.LOW_CONSTANT]
    high = [
        dataclasses.replace(one, claimed=(published.BEST_THRESHOLD,))
        for c, one in curves
        if c >= published.HIGH_CONSTANT
    ]
    between = [one for _, one in curves[len(low) : len(curves) - len(high)]]
    groups = {
        f"C ≤ {published.LOW_CONSTANT:g}": (low, found.low),
        f"C ≥ {published.HIGH_CONSTANT:g}": (high, found.high),
    }
    panels = [
        Panel(f"UCT, {name}", _DIFFERENCE, group) for name, (group, _) in groups.items() if group
    ]
    averages = {name: mean for name, (group, mean) in groups.items() if mean and len(group) > 1}
    if averages:
        panels.append(Panel("UCT, averaged over C", _DIFFERENCE, _curves(config, "T", averages)))
    for constant, one in found.variants_at.items():
        title = f"C = {constant}, {_shared_budgets(config)}"
        panels.append(Panel(title, _DIFFERENCE, _searches(config, "T", one)))
    claims = [] if found.taus is None else _falls(config, found.taus)
    if found.high is not None:
        claims.append(_lowest_near_thirty(_over_high(config, found.high), high))
    return Reproduced(
        "4.8",
        "DTM difference by T",
        "The mean DTM difference of White’s moves, averaged over budgets. “Best T” is the arg-min "
        "of such a curve, so it is shown as its distribution over resamples of the games.",
        claims,
        panels,
        [*low, *between, *high],
    )


def _falls(config: KrkConfig, taus: Estimates) -> list[Claim]:
    return _mean_and_each(
        taus,
        "lower",
        ("Tau", "The taus"),
        (
            f"Up to C = {published.LOW_CONSTANT:g} the DTM difference falls as T grows.",
            f"Averaged over these C, Kendall’s tau with T is {_known(taus.mean)}.",
        ),
        ("It does so for each of these C.", _known_each(config.constants, taus)),
    )


def _lowest_near_thirty(overall: Curve, each: Sequence[Curve]) -> Claim:
    near, best = published.NEAR_BEST_THRESHOLD, published.BEST_THRESHOLD
    words = []
    for one in (overall, *each):
        pairs = zip(one.values, one.found.shares, strict=True)
        share = sum(share for value, share in pairs if value in near)
        words.append(
            f"{one.name}: T = {general(one.contenders)} may be best, "
            f"{numbers.percent(share, 0)} of resamples at or near {best}"
        )
    listed = f"{', '.join(map(str, near[:-1]))} or {near[-1]}"
    return Claim(
        text=(
            f"From C = {published.HIGH_CONSTANT:g} on it is lowest at or near T = {best}, just "
            f"above the largest number of legal moves ({published.MOST_MOVES})."
        ),
        ours=f"{'; '.join(words)}.",
        rule=f"At or near: T = {listed}. Averaged over these C, {BY_CONTENDERS}.",
        judgement=by_contenders(overall.contenders, near, overall.values),
    )


def elsewhere(found: Elsewhere, config: KrkConfig) -> Reproduced:
    """Return figures 4.7 and 4.8 in positions of another game, with claims that are not counted."""
    by_budget = _by_budget(config, config.position_budgets, found.by_constant)
    by_constant = _by_constant(config, found.by_threshold)
    claims = [moves_up(by_budget[0], by_budget[-1])] if len(by_budget) > 1 else []
    if found.high is not None:
        claims.append(_just_above(_over_high(config, found.high)))
    return Reproduced(
        "connect-four",
        "C and T in Connect Four",
        f"The mean regret of one move in each of {numbers.count(found.positions)} positions of "
        "Connect Four, by the solver: 0.5 for a win turned into a draw, 1 for one turned into a "
        "loss. Rollouts are random.",
        [dataclasses.replace(claim, counted=False) for claim in claims],
        [
            Panel("By C, averaged over T", "regret a move", by_budget),
            Panel("By T, averaged over budgets", "regret a move", by_constant),
        ],
        [*by_budget, *by_constant],
    )


def _just_above(overall: Curve) -> Claim:
    """Return the study's reason for its best T: it is the first above the number of legal moves."""
    values = overall.values
    places = [at for at, t in enumerate(values) if t > MOST_MOVES][:1]
    near = [t for at in places for t in values[max(at - 1, 0) : at + 2]]
    return Claim(
        text=(
            f"From C = {published.HIGH_CONSTANT:g} on the best T is at or near the first above the "
            f"largest number of legal moves ({MOST_MOVES})."
        ),
        ours=f"Averaged over these C, T = {general(overall.contenders)} may be best.",
        rule=f"At or near: T = {general(near)}. Averaged over these C, {BY_CONTENDERS}.",
        judgement=by_contenders(overall.contenders, near, values),
    )
