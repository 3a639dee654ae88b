"""Estimates from finished games, with their intervals."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from phasezoo.arena import stream
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.krk.config import KrkConfig, Variant
from phasezoo.experiments.krk.measurements import (
    Cell,
    CellSummary,
    Curves,
    Elsewhere,
    GameRow,
    GroupSummary,
    PositionRow,
    Tally,
    grid_of,
)
from phasezoo.experiments.statistics import (
    CellMeans,
    Estimates,
    average,
    cell_means,
    correlation,
    estimates_of,
    interval_of,
    intervals,
    joined,
    mean_of_known,
    resample_weights,
    rise,
    simultaneous,
)
from phasezoo.training.resampling import ResampledMeans
from phasezoo.zoo.krk import readings as published

MEASURES: dict[str, Callable[[GameRow], tuple[float, float]]] = {
    "difference": lambda row: (sum(row.finite), len(row.finite)),
    "length": lambda row: (row.moves * row.won, row.won),
    "collapses": lambda row: (row.collapses, 1),
    "visits spread": lambda row: (_spread(row.first.visits), 1),
    "mates spread": lambda row: (_spread(row.first.mates), 1),
    "visits a mate": lambda row: (sum(row.first.visits), sum(row.first.mates)),
}
"""Quantities that are averaged: a game's part of the numerator and of the denominator."""

ROOT = ("visits spread", "mates spread", "visits a mate")
"""Those of the first search."""


def _spread(values: Sequence[float]) -> float:
    # Over the root's children as they are, not an estimate for more of them.
    return float(np.std(values)) if values else 0.0


def means_of(rows: Sequence[GameRow], seed: int, resamples: int) -> CellMeans[Cell]:
    """Average every measure over the games of each cell, and over draws of them.

    Each cell has a stream of its own, so its draws do not depend on which other cells there are.
    """
    played = _by_cell(rows)

    def stream_of(cell: Cell) -> np.random.Generator:
        name = f"{cell.variant} {cell.constant:g} {cell.threshold} {cell.budget} {cell.reading}"
        name = f"{name} {cell.ending}".rstrip()
        return np.random.default_rng(stream(seed, "resampling", name, played[cell][0].number))

    parts = {
        cell: np.array([[part(row) for part in MEASURES.values()] for row in games], dtype=float)
        for cell, games in played.items()
    }
    return cell_means(parts, list(MEASURES), stream_of, resamples)


def _by_cell(rows: Sequence[GameRow]) -> dict[Cell, list[GameRow]]:
    found: dict[Cell, list[GameRow]] = {}
    for row in rows:
        found.setdefault(row.cell, []).append(row)
    return found


def summaries(games: Sequence[GameRow], config: KrkConfig) -> dict[str, Any]:
    """Return what finished games give of :class:`~.measurements.Results`."""
    means = means_of(games, config.seed, config.resamples)
    rows = [row for row in games if not (row.cell.reading or row.cell.ending)]
    return {
        "variants": {v: _tally([r for r in rows if r.cell.variant == v]) for v in config.variants},
        "cells": _cells(means, rows),
        "curves": curves_of(means, rows, config),
        "readings": readings(means, games, config) if config.readings else [],
        "endings": endings(means, games, config) if config.endings else [],
    }


def _tally(rows: Sequence[GameRow]) -> Tally:
    return Tally(
        games=len(rows),
        won=sum(row.won for row in rows),
        gave_away=sum(row.given_away > 0 for row in rows),
        given_away=sum(row.given_away for row in rows),
        moves=sum(row.moves for row in rows),
        identities=sum(
            row.won and row.moves == published.MATE_IN + sum(row.finite) for row in rows
        ),
        reasons=dict(Counter(row.reason for row in rows).most_common()),
        simulations=sum(row.simulations for row in rows),
        rollout_plies=sum(row.rollout_plies for row in rows),
        seconds=sum(row.seconds for row in rows),
    )


def _cells(means: CellMeans[Cell], rows: Sequence[GameRow]) -> list[CellSummary]:
    played = _by_cell(rows)
    found = (intervals(means.each(name, played)) for name in ("difference", "length", "collapses"))
    return [
        CellSummary(cell, _tally(games), *numbers)
        for (cell, games), *numbers in zip(played.items(), *found, strict=True)
    ]


def readings(
    means: CellMeans[Cell], games: Sequence[GameRow], config: KrkConfig
) -> list[GroupSummary]:
    """Summarise every reading over the same cells, and compare it with the one it changes.

    Returns:
        The run's own reading first.
    """
    cells = {
        name: grid_of(config, "uct", config.budgets, reading=name if name != config.reading else "")
        for name in (config.reading, *config.compared())
    }
    bases = {name: base for name in cells if (base := _base_of(name)) in cells}
    changes = _changes(means, {name: (cells[name], cells[base]) for name, base in bases.items()})
    return [
        _group(means, games, config, name, own, base=bases.get(name), change=changes.get(name))
        for name, own in cells.items()
    ]


def endings(
    means: CellMeans[Cell], games: Sequence[GameRow], config: KrkConfig
) -> list[GroupSummary]:
    """Summarise every ending over the same cells.

    Returns:
        King and rook first.
    """
    return [
        _group(means, games, config, name, grid_of(config, "uct", config.budgets, ending=name))
        for name in ("", *config.endings)
    ]


def _group(
    means: CellMeans[Cell],
    games: Sequence[GameRow],
    config: KrkConfig,
    name: str,
    cells: Sequence[Cell],
    **compared: Any,
) -> GroupSummary:
    wanted = set(cells)
    by_budget = [
        [[c for c in cells if (c.constant, c.budget) == (constant, b)]
         for constant in map(float, config.constants)]
        for b in config.budgets
    ]  # fmt: skip
    return GroupSummary(
        name=name,
        tally=_tally([row for row in games if row.cell in wanted]),
        length=interval_of(mean_of_known(means.each("length", cells))),
        difference=interval_of(mean_of_known(means.each("difference", cells))),
        best=[estimates_of(means.curve("difference", groups)) for groups in by_budget],
        **compared,
    )


def _base_of(reading: str) -> str | None:
    """Return the reading that this one differs from in one thing; None of those two themselves."""
    for base in ("thesis", "author"):
        if reading.startswith(base) and reading != base:
            return base
    return None


def _changes(
    means: CellMeans[Cell], pairs: Mapping[str, tuple[list[Cell], list[Cell]]]
) -> dict[str, Interval | None]:
    """Changes of the length against the base, by intervals that hold for all of them together.

    Of two readings the settings are compared in which both won games: where one of them wins none,
    it has no length, and the others would be another mean.
    """
    if not pairs:
        return {}
    gaps = [
        mean_of_known(_less(means.each("length", own), means.each("length", base)))
        for own, base in pairs.values()
    ]
    return dict(zip(pairs, simultaneous(joined(gaps)), strict=True))


def _less(one: ResampledMeans, other: ResampledMeans) -> ResampledMeans:
    return ResampledMeans(one.means - other.means, one.resampled - other.resampled)


def by_constant(
    means: CellMeans[Cell],
    config: KrkConfig,
    budgets: Sequence[int],
    *,
    measure: str = "difference",
    variant: Variant = "uct",
) -> ResampledMeans:
    """Return a measure at every C, averaged over ``budgets`` and all T."""
    groups = [
        [Cell(variant, float(c), t, b) for t in config.thresholds for b in budgets]
        for c in config.constants
    ]
    return means.curve(measure, groups)


def by_threshold(
    means: CellMeans[Cell],
    config: KrkConfig,
    constant: float,
    budgets: Sequence[int],
    *,
    measure: str = "difference",
    variant: Variant = "uct",
) -> ResampledMeans:
    """Return a measure at every T for one C, averaged over ``budgets``."""
    groups = [[Cell(variant, float(constant), t, b) for b in budgets] for t in config.thresholds]
    return means.curve(measure, groups)


def curves_of(means: CellMeans[Cell], rows: Sequence[GameRow], config: KrkConfig) -> Curves:
    """Measure the curves of the study's figures."""
    cells = grid_of(config, "uct", config.budgets)
    length = means.each("length", cells)
    budgets, shared = config.budgets, config.other_budgets

    def over_c(budgets: Sequence[int], **which: Any) -> ResampledMeans:
        return by_constant(means, config, budgets, **which)

    def over_t(constant: float, budgets: Sequence[int], **which: Any) -> ResampledMeans:
        return by_threshold(means, config, constant, budgets, **which)

    root = {
        measure: {
            v: over_c(budgets if v == "uct" else shared, measure=measure, variant=v)
            for v in config.variants
        }
        for measure in ROOT
    }
    by_t = {c: over_t(c, budgets) for c in config.constants}
    low = {c: curve for c, curve in by_t.items() if c <= published.LOW_CONSTANT}
    high = {c: curve for c, curve in by_t.items() if c >= published.HIGH_CONSTANT}
    by_c = {b: over_c([b]) for b in budgets}
    change = _less(by_c[max(by_c)], by_c[min(by_c)]) if len(by_c) > 1 else None
    others = config.variants if len(config.variants) > 1 else ()
    # One C of the low ones and one of the high ones, each nearest to the bound between them.
    shown = [*list(low)[-1:], *list(high)[:1]] if others else []
    return Curves(
        link=interval_of(correlation(means.each("difference", cells), length)),
        lengths=estimates_of(length, lowest=False),
        root={
            measure: {v: estimates_of(curve) for v, curve in found.items()}
            for measure, found in root.items()
        },
        root_taus={measure: interval_of(rise(found["uct"])) for measure, found in root.items()},
        links=estimates_of(_links(rows, config)),
        collapses=[estimates_of(over_t(c, budgets, measure="collapses")) for c in config.constants],
        by_threshold=[estimates_of(curve) for curve in by_t.values()],
        low=_averaged(low.values()),
        high=_averaged(high.values()),
        taus=estimates_of(joined([rise(curve) for curve in low.values()])) if low else None,
        by_constant=[estimates_of(curve) for curve in by_c.values()],
        change=None if change is None else estimates_of(change),
        variants={v: estimates_of(over_c(shared, variant=v)) for v in others},
        variants_at={
            f"{c:g}": {v: estimates_of(over_t(c, shared, variant=v)) for v in others} for c in shown
        },
    )


def _averaged(curves: Collection[ResampledMeans]) -> Estimates | None:
    return estimates_of(average(list(curves))) if curves else None


def _links(rows: Sequence[GameRow], config: KrkConfig) -> ResampledMeans:
    """Per C: the correlation over T between numbers from different games, mean over budgets."""
    own = [row for row in rows if row.cell.variant == "uct"]
    even, odd = (
        means_of([row for row in own if row.number % 2 == half], config.seed, config.resamples)
        for half in (0, 1)
    )
    return joined(
        [
            average(
                [
                    correlation(
                        by_threshold(one, config, c, [budget]),
                        by_threshold(other, config, c, [budget], measure="collapses"),
                    )
                    for budget in config.budgets
                    for one, other in ((even, odd), (odd, even))
                ]
            )
            for c in config.constants
        ]
    )


def elsewhere(rows: Sequence[PositionRow], config: KrkConfig) -> Elsewhere:
    """Measure curves of the regret by C and by T in positions of another game.

    Positions are drawn anew for all settings together, because they share them.
    """
    lost = np.array([row.lost for row in rows])
    rng = np.random.default_rng(stream(config.seed, "resampling", "positions"))
    drawn = resample_weights(rng, lost.shape[1], config.resamples) @ lost.T
    settings = [row.setting for row in rows]
    cells = [Cell("uct", one.constant, one.threshold, one.budget) for one in settings]
    regret, budgets = "regret", config.position_budgets
    means = CellMeans(cells, [regret], lost.mean(axis=1)[:, None], drawn[:, :, None])
    high = [float(c) for c in config.constants if c >= published.HIGH_CONSTANT]
    at_high = [[Cell("uct", c, t, b) for c in high for b in budgets] for t in config.thresholds]
    return Elsewhere(
        positions=lost.shape[1],
        by_constant=[
            estimates_of(by_constant(means, config, [budget], measure=regret)) for budget in budgets
        ],
        by_threshold=[
            estimates_of(by_threshold(means, config, c, budgets, measure=regret))
            for c in config.constants
        ],
        high=estimates_of(means.curve(regret, at_high)) if high else None,
    )
