"""Figures of a run's report."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phasezoo.arena.statistics.ratings import Rating
from phasezoo.report import numbers
from phasezoo.report.document import Figure
from phasezoo.report.plots import (
    BASELINE,
    GRID,
    INK,
    MUTED,
    PAPER,
    PHASE,
    PLACEBO,
    axes,
    entitle,
    ordered_colours,
    with_intervals,
)
from phasezoo.training.probes.probe import Score
from phasezoo.training.selfplay.measurements import CostRow
from phasezoo.training.selfplay.outcome import Update

WIDTH, HEIGHT = 8.2, 2.5
"""Inches of a row of two plots."""

_COLOURS = (PHASE, PLACEBO, PAPER, BASELINE, INK)

_SMALL = {
    "frameon": False,
    "fontsize": 8,
    "labelcolor": MUTED,
    "handlelength": 1.2,
    "borderpad": 0.1,
}

Line = tuple[str, Sequence[float], Sequence[float]]
"""A name with its points."""


def probes(scores: Sequence[Score], lines: Mapping[str, Sequence[Line]]) -> Figure:
    """Show each score of probes by version; shares as percentages."""
    plots = [
        (score.name if score.unit in ("", "%") else f"{score.name}, {score.unit}",
         lines[score.name], score)
        for score in scores
    ]  # fmt: skip
    return _grid("probes", plots, "Probes by version; version 0 has the first weights.")


def losses(rows: Sequence[Update], names: Mapping[str, str]) -> Figure:
    """Show losses and accuracy by round, a line for each learner."""
    kinds = (
        ("policy loss, nats", "policy_loss", ""),
        ("value: squared error", "value_mse", ""),
        ("searched move foreseen", "policy_accuracy", "%"),
        ("total loss", "loss", ""),
    )
    plots = []
    for title, column, unit in kinds:
        lines = [
            (shown, *_points(rows, f"learn/{prefix}{column}")) for prefix, shown in names.items()
        ]
        plots.append((title, lines, Score(title, unit=unit)))
    caption = (
        "Means over what was learned in each round. Losses may rise while play gets better: there "
        "is more to foresee in better games."
    )
    return _grid("losses", plots, caption)


def games(rows: Sequence[Update], players: int) -> Figure:
    """Show the length of games, how sure their searches were, and who won."""
    return Figure(
        "games",
        lambda: _games(rows, players),
        "Left: plies of a game (line) and entropy of the policies that searches gave (dashed, "
        "right axis). Right: results.",
        "Mean length of the games of each round, entropy of the policies, and results.",
    )


def _games(rows: Sequence[Update], players: int) -> Any:
    figure, (first, second) = axes(WIDTH, HEIGHT + 0.2, columns=2)
    _draw(first, [("plies a game", *_points(rows, "games/mean_plies"))], Score(""))
    first.set_ylim(bottom=0)
    entitle(first, "plies a game, and entropy of searches")
    twin = first.twinx()
    for side in ("top", "left", "right"):
        twin.spines[side].set_visible(False)
    places, entropy = _points(rows, "games/target_entropy")
    twin.plot(places, entropy, color=PLACEBO, linewidth=1.6, linestyle=(0, (4, 2)))
    twin.set_ylim(bottom=0)
    twin.tick_params(colors=PLACEBO, labelcolor=PLACEBO, labelsize=9, length=0)
    twin.set_ylabel("nats", color=PLACEBO, fontsize=9)
    _results(second, rows, players)
    return figure


def _results(plot: Any, rows: Sequence[Update], players: int) -> None:
    """Draw shares of results by round, one on the other."""
    entitle(plot, "results, share of games")
    played = np.array([row.numbers.get("games/played") or 1 for row in rows], dtype=float)
    won = [
        np.array([row.numbers.get(f"games/won_by_{player}") or 0 for row in rows]) / played
        for player in range(players)
    ]
    rest = np.maximum(1 - sum(won), 0)
    names = [f"player {player} won" for player in range(players)]
    shares = [won[0], rest, *won[1:]]
    labels = [names[0], "draw" if players == 2 else "nobody alone", *names[1:]]
    colours = [PHASE, GRID, PLACEBO, *_COLOURS[2:]][: len(shares)]
    places = [row.update for row in rows]
    floor = np.zeros(len(rows))
    for share, label, colour in zip(shares, labels, colours, strict=False):
        plot.bar(places, 100 * share, bottom=100 * floor, width=0.9, color=colour, label=label)
        floor = floor + share
    plot.set_ylim(0, 100)
    _by_round(plot)
    plot.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
    _legend_below(plot, min(len(shares), 3))


def ladder(ratings: Mapping[int, Rating], games_played: int) -> Figure:
    """Show the Elo of versions with its 95 % interval, version 0's being 0."""
    caption = f"Elo above version 0 by {numbers.count(games_played)} games."
    words = "Elo of versions by matches between them."
    return Figure("ladder", lambda: _ladder(ratings), caption, words)


def _ladder(ratings: Mapping[int, Rating]) -> Any:
    figure, plot = axes(WIDTH, HEIGHT + 0.3)
    with_intervals(plot, list(ratings), [one.interval for one in ratings.values()], "", PHASE)
    plot.set_xlabel("version")
    plot.set_ylabel("Elo above version 0")
    return figure


def phases(rows: Sequence[CostRow], gate: str) -> Figure:
    """Show share of decisions, visits of their searches and rows of a call by phase."""
    caption = (
        f"By phase of the gate {gate}: how many decisions it has, how long they were searched, and "
        "how full the calls of its expert are."
    )
    return Figure(
        "phases", lambda: _phases(rows), caption, "Decisions, visits and batches by phase."
    )


def _phases(rows: Sequence[CostRow]) -> Any:
    names = list(rows[-1].samples)
    colours = ordered_colours(len(names))
    figure, plots = axes(WIDTH, HEIGHT + 0.2, columns=3)
    places = [row.update for row in rows]
    whole = np.array([max(sum(row.samples.values()), 1) for row in rows])
    for name, colour in zip(names, colours, strict=True):
        share = np.array([row.samples.get(name, 0) for row in rows]) / whole
        _one(plots[0], places, 100 * share, colour, name)
        _one(plots[1], places, [row.visits.get(name, math.nan) for row in rows], colour, name)
        fill = [
            row.expert_rows.get(name, 0) / max(row.expert_calls.get(name, 0), 1) for row in rows
        ]
        _one(plots[2], places, fill, colour, name)
    for plot, title in zip(
        plots, ("share of decisions, %", "visits a search", "rows a call"), strict=True
    ):
        entitle(plot, title)
        plot.set_ylim(bottom=0)
        _by_round(plot)
    _legend_below(plots[1], len(names))
    return figure


def costs(rows: Sequence[CostRow]) -> Figure:
    """Show where the time of rounds went, and how fast games were."""
    return Figure(
        "costs",
        lambda: _costs(rows),
        "Left: wall time of each round. Right: positions that the network answered a second.",
        "Seconds of each round by what was done, and speed.",
    )


def _costs(rows: Sequence[CostRow]) -> Any:
    figure, (first, second) = axes(WIDTH, HEIGHT + 0.5, columns=2)
    places = [row.update for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row.parts))
    colours = (PHASE, "#7fb2e5", PLACEBO, PAPER, BASELINE, INK)
    floor = np.zeros(len(rows))
    for name, colour in zip(names, colours, strict=False):
        seconds = np.array([row.parts.get(name, 0.0) for row in rows])
        first.bar(places, seconds, bottom=floor, width=0.9, color=colour, label=name)
        floor = floor + seconds
    entitle(first, "seconds of a round")
    _by_round(first)
    _legend_below(first, 3)
    played = [row for row in rows if row.games and row.seconds.get("playing", 0) > 0]
    speeds = [row.rows / row.seconds["playing"] for row in played]
    _draw(second, [("", [row.update for row in played], speeds)], Score(""))
    entitle(second, "positions a second while playing")
    return figure


def _grid(name: str, plots: Sequence[tuple[str, Sequence[Line], Score]], caption: str) -> Figure:
    words = f"Curves of {', '.join(title for title, _, _ in plots)}."
    return Figure(name, lambda: _in_two_columns(plots), caption, words)


def _in_two_columns(plots: Sequence[tuple[str, Sequence[Line], Score]]) -> Any:
    columns = min(2, len(plots))
    rows = -(-len(plots) // columns)
    figure, made = axes(WIDTH, HEIGHT * rows, columns=columns, rows=rows)
    every = [made] if len(plots) == 1 else list(made)
    for plot, (title, lines, score) in zip(every, plots, strict=False):
        _draw(plot, lines, score)
        entitle(plot, title)
    for plot in every[len(plots) :]:
        plot.set_visible(False)
    return figure


def _draw(plot: Any, lines: Sequence[Line], score: Score) -> None:
    scale = 100 if score.unit == "%" else 1
    for (label, places, values), colour in zip(lines, _COLOURS * 3, strict=False):
        _one(plot, places, scale * np.asarray(values, dtype=float), colour, label)
    if score.unit == "%":
        plot.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
    _by_round(plot)
    if any(label for label, _, _ in lines) and len(lines) > 1:
        _legend(plot, 1)


def _one(plot: Any, places: Any, values: Any, colour: str, label: str) -> None:
    marker = "o" if len(places) < 25 else None
    plot.plot(places, values, color=colour, linewidth=1.8, marker=marker, markersize=3, label=label)


def _legend(plot: Any, columns: int) -> None:
    plot.legend(**_SMALL, ncols=columns)


def _legend_below(plot: Any, columns: int) -> None:
    """Beside bars there is no room."""
    plot.legend(**_SMALL, ncols=columns, loc="upper center", bbox_to_anchor=(0.5, -0.2))


def _by_round(plot: Any) -> None:
    plot.set_xlabel("round")
    plot.xaxis.get_major_locator().set_params(integer=True)


def _points(rows: Sequence[Update], column: str) -> tuple[list[float], list[float]]:
    found = [(row.update, row.numbers.get(column)) for row in rows]
    known = [(float(place), float(value)) for place, value in found if value is not None]
    return [place for place, _ in known], [value for _, value in known]
