"""Figures 4.3 to 4.5: how the search before the first move divides itself over the root's moves."""

from typing import Literal

from phasezoo.experiments.claims import Claim, by_sign
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.curves import NAMES, budgets_of, by_constant, line, over
from phasezoo.experiments.krk.judging import BY_SIGN
from phasezoo.experiments.krk.resampling import Table
from phasezoo.experiments.krk.results import Figure, Panel
from phasezoo.experiments.krk.trends import rise, told
from phasezoo.experiments.statistics import percentile_interval
from phasezoo.report import numbers

__all__ = ["root_figures"]


def root_figures(table: Table, config: KrkConfig) -> list[Figure]:
    """Measure the study's three figures of the first search."""
    simulations = numbers.count(config.first_simulations)
    about = (
        f"The search before the first move, with {simulations} simulations (the study shows it at "
        f"3,000), in all games of both budgets; {over(config)}."
    )
    return [
        _figure(
            table, config, "visits spread", "4.3", "Visits of the root’s moves, by C", "lower",
            "The standard deviation of visits over the root’s moves falls with C.",
            "standard deviation of visits", about,
        ),
        _figure(
            table, config, "mates spread", "4.4", "Mates below the root’s moves, by C", "lower",
            "The standard deviation of mates over the root’s moves falls with C.",
            "standard deviation of mates", about,
        ),
        _figure(
            table, config, "visits a mate", "4.5", "Visits for each mate, by C", "higher",
            "More exploration spends more visits on each mate: the ratio rises with C.",
            "visits / mates", f"{about} All visits of the root’s moves over all of their mates.",
        ),
    ]  # fmt: skip


def _figure(
    table: Table, config: KrkConfig, measure: str, number: str, title: str,
    claimed: Literal["lower", "higher"], text: str, unit: str, about: str,
) -> Figure:  # fmt: skip
    curve = by_constant(table, measure, config, "uct", config.budgets)
    trend = rise(curve)
    tau = percentile_interval(float(trend.means), trend.resampled)
    claim = Claim(
        text=text,
        ours=(
            f"Kendall’s tau with C is {told(tau)}; from "
            f"{_at(curve.means[0])} at C = {config.constants[0]:g} to {_at(curve.means[-1])} at "
            f"C = {config.constants[-1]:g}."
        ),
        rule=f"Tau {BY_SIGN}.",
        judgement=by_sign(tau, claimed),
    )
    return Figure(number, title, about, [claim], _panels(table, config, measure, unit))


def _panels(table: Table, config: KrkConfig, measure: str, unit: str) -> list[Panel]:
    """One panel with all searches; two for the ratio, of another size with random rollouts."""
    lines = {}
    for variant in config.variants:
        curve = by_constant(table, measure, config, variant, budgets_of(config, variant))
        lines[variant] = line(NAMES[variant], variant, config.constants, curve)
    apart = [lines.pop("random")] if measure == "visits a mate" and "random" in lines else []
    panels = [Panel("The study’s rollouts" if apart else "", "C", unit, list(lines.values()))]
    if apart:
        panels.append(Panel(NAMES["random"], "C", unit, apart))
    return panels


def _at(value: float) -> str:
    return numbers.count(value) if abs(value) >= 100 else numbers.decimal(float(value), 2)
