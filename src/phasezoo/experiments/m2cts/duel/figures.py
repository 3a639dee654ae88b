"""The study's drawings, each made from results alone and described in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from phasezoo.experiments.m2cts.duel import paper
from phasezoo.experiments.m2cts.duel.results import ALL, Dataset, Losses, Matches, Results
from phasezoo.report import numbers, plots
from phasezoo.report.plots import Estimate

__all__ = ["elo_forest", "game_bars", "loss_forest", "phases_by_move", "search_forest"]

# Moves beyond this share of all positions are left out of the picture of phases: a thin tail.
_SHOWN_SHARE = 0.995

_COMPARISONS = {
    "thinning": ("placebo − one network: what thinner data costs", plots.PLACEBO),
    "specialisation": ("phases − placebo: what specialisation gives", plots.PHASE),
    "both": ("phases − one network: both together", plots.INK),
}


def phases_by_move(dataset: Dataset) -> Markup:
    """Draw how many positions of each phase there are at each move number (stacked area)."""
    counts = np.array(dataset.by_move, dtype=float)
    totals = counts.sum(axis=0)
    share = totals.cumsum() / max(totals.sum(), 1)
    last = int(np.searchsorted(share, _SHOWN_SHARE)) + 1
    counts = counts[:, :last]
    moves = np.arange(1, counts.shape[1] + 1)
    figure, plot = plots.axes(7.6, 3.0)
    colours = plots.ordered_colours(len(dataset.phases))
    plot.stackplot(moves, counts, colors=colours, edgecolor=plots.SURFACE, linewidth=0.8)
    lower = np.zeros(counts.shape[1])
    unnamed = False
    for name, row, colour in zip(dataset.phases, counts, colours, strict=True):
        unnamed |= not _label_area(plot, name, (lower, row), colour)
        lower = lower + row
    plot.set_xlim(1, max(2, counts.shape[1]))
    plot.set_ylim(bottom=0)
    plot.set_xlabel("move number")
    plot.set_ylabel("positions")
    plot.yaxis.set_major_formatter(lambda value, _: numbers.count(value))
    if unnamed:
        handles = _patches(dataset.phases, colours)
        plot.legend(handles=handles, frameon=False, fontsize=9, labelcolor=plots.INK, loc=1)
    peaks = ", ".join(
        f"{name}: {numbers.count(row.sum())} positions, most at move {int(row.argmax()) + 1}"
        for name, row in zip(dataset.phases, counts, strict=True)
        if row.sum()
    )
    return plots.to_svg(figure, "phases", f"Positions of each phase by move number. {peaks}.")


def loss_forest(losses: Losses) -> Markup:
    """Draw the three comparisons of total loss, by test set, with their intervals."""
    groups, words = [], []
    for column in [*(c for c in losses.columns if c != ALL), ALL]:
        rows = []
        for comparison in losses.comparisons:
            text, colour = _COMPARISONS[comparison.name]
            interval = comparison.differences[column].total
            rows.append(Estimate(text, interval, colour, strong=column == ALL))
            words.append(f"{column}, {text}: {numbers.signed_interval(interval)}")
        groups.append(("all positions" if column == ALL else column, rows))
    figure = plots.forest(
        groups, "difference of total loss on test positions", 3, hints=("← better", "worse →")
    )
    return plots.to_svg(figure, "differences", "; ".join(words) + ".")


def elo_forest(matches: Matches, label: str, *, beside_paper: bool) -> Markup:
    """Draw this run's Elo difference, beside the paper's if it is of the same game."""
    ours = [Estimate(label, matches.elo, plots.PHASE, strong=True)]
    if matches.spread is not None:
        games_only = matches.spread.elo_games_only
        ours.append(Estimate("the same, counting games only", games_only, plots.PHASE))
    published = [_quoted(row, f"search {row.name}", 2) for row in paper.ELO_SEPARATED]
    full = [_quoted(row, row.name, 1) for row, _ in paper.DATA_AND_SIZE]
    half = [_quoted(row, row.name, 1) for _, row in paper.DATA_AND_SIZE]
    groups = [("this run", ours)]
    if beside_paper:
        groups += [
            ("paper, Table XV: full data, by search batch", published),
            ("paper, Table IV: full data, 800 nodes", full),
            ("paper, Table IV: half the data, 800 nodes", half),
        ]
    figure = _elo_figure(groups)
    text = f"This run: {numbers.elo_interval(matches.elo)} Elo."
    if beside_paper:
        text += (
            f" Paper: {numbers.elo_interval(paper.ELO_MEAN.interval)} on average with all of its "
            f"data, {', '.join(numbers.signed(b.value, 1) for _, b in paper.DATA_AND_SIZE)} with "
            "half of it."
        )
    return plots.to_svg(figure, "elo", text)


def search_forest(results: Results) -> Markup:
    """Draw the Elo difference by every search, under what differs from the match's."""
    main = results.matches
    groups = [
        ("this run", [Estimate(f"the match: {main.limit}", main.elo, plots.PHASE, strong=True)])
    ]
    words = [f"the match: {numbers.elo_interval(main.elo)}"]
    for row in results.searches:
        heading = ", ".join(part.partition("=")[0] for part in row.search.split(","))
        if groups[-1][0] != heading:
            groups.append((heading, []))
        groups[-1][1].append(Estimate(row.search, row.matches.elo, plots.PHASE))
        words.append(f"{row.search}: {numbers.elo_interval(row.matches.elo)}")
    return plots.to_svg(_elo_figure(groups), "searches", "; ".join(words) + ".")


def _elo_figure(groups: Sequence[tuple[str, Sequence[Estimate]]]) -> Any:
    label = "Elo difference, M2CTS over MCTS with one network"
    return plots.forest(groups, label, 0, hints=("← one network", "experts →"))


def game_bars(matches: Matches) -> Markup:
    """Draw results, scores of pairs, and how games ended."""
    total = matches.total
    figure, (results, pairs, ends) = plots.axes(
        7.6, 2.9, columns=3, gridspec_kw={"width_ratios": (1, 1.2, 1.6)}
    )
    _bars(
        results,
        "Games",
        ("won", "drawn", "lost"),
        (total.wins, total.draws, total.losses),
        (plots.PHASE, plots.GRID, plots.BASELINE),
    )
    shades = (plots.BASELINE, plots.BASELINE, plots.GRID, plots.PHASE, plots.PHASE)
    _bars(pairs, "Pairs by score", ("0", "½", "1", "1½", "2"), total.pentanomial, shades)
    reasons = sorted(total.reasons.items(), key=lambda item: item[1])
    names = [_ending(reason) for reason, _ in reasons]
    values = [number for _, number in reasons]
    ends.barh(names, values, color=plots.BASELINE, height=0.62)
    for place, value in enumerate(values):
        ends.text(value, place, f" {value}", va="center", fontsize=8.5, color=plots.INK)
    plots.entitle(ends, "How games ended")
    ends.grid(visible=False)
    ends.set_xticks([])
    ends.set_xlim(0, 1.18 * max(values, default=1))
    text = (
        f"Games of M2CTS: {total.wins} won, {total.draws} drawn, {total.losses} lost. Pairs "
        f"scoring 0, ½, 1, 1½ and 2: {', '.join(map(str, total.pentanomial))}. Ends: "
        + ", ".join(f"{_ending(reason)} {number}" for reason, number in reversed(reasons))
        + "."
    )
    return plots.to_svg(figure, "games", text)


def _quoted(row: paper.PublishedElo, label: str, digits: int) -> Estimate:
    text = numbers.elo_interval(row.interval, digits)
    return Estimate(label, row.interval, plots.PAPER, text)


def _ending(reason: str) -> str:
    return {"max_plies": "cut at the cap"}.get(reason, reason.replace("_", " "))


def _label_area(plot: Any, name: str, area: tuple[Any, Any], colour: str) -> bool:
    """Write a phase's name where its area is highest; say whether there was room."""
    lower, row = area
    inside = slice(len(row) // 16, len(row) - len(row) // 16)
    place = int(row[inside].argmax()) + inside.start if len(row[inside]) else 0
    if row[place] < 0.15 * (lower + row).max(initial=1):
        return False
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 140  # luma of ITU-R BT.601
    ink = "#10131a" if is_light else "#ffffff"
    height = lower[place] + row[place] / 2
    plot.text(place + 1, height, name, ha="center", va="center", fontsize=9.5, color=ink)
    return True


def _bars(
    plot: Any, title: str, names: Sequence[str], values: Sequence[int], colours: Sequence[str]
) -> None:
    places = range(len(names))
    plot.bar(places, values, color=colours, width=0.72)
    for place, value in zip(places, values, strict=True):
        plot.text(place, value, str(value), ha="center", va="bottom", fontsize=8.5, color=plots.INK)
    plot.set_xticks(list(places), names)
    plot.set_yticks([])
    plot.spines["left"].set_visible(False)
    plot.grid(visible=False)
    plot.set_ylim(0, 1.12 * max(1, *values))
    plots.entitle(plot, title)


def _patches(names: Sequence[str], colours: Sequence[str]) -> list[Any]:
    from matplotlib.patches import Patch

    return [Patch(facecolor=c, label=name) for name, c in zip(names, colours, strict=True)]
