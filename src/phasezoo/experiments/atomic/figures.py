"""Figures of the report, each made from results alone and described in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from phasezoo.experiments.atomic.measurements import OneMate, Searched
from phasezoo.experiments.learning import LearningRun
from phasezoo.report import numbers, plots
from phasezoo.report.document import Figure


def losses(trainings: Sequence[LearningRun]) -> Figure:
    """Show the losses of every variant over the games it has played."""

    def draw() -> Any:
        figure, (policy, value) = plots.axes(plots.WIDTH, 3.2, columns=2)
        colours = _colours(len(trainings))
        for training, colour in zip(trainings, colours, strict=True):
            games = [one.games for one in training.rounds]
            options = {"color": colour, "label": training.name, "markersize": 3, "linewidth": 1.3}
            policy.plot(games, [one.policy_loss for one in training.rounds], "-o", **options)
            value.plot(games, [one.value_mse for one in training.rounds], "-o", **options)
        plots.entitle(policy, "Policy: cross-entropy")
        plots.entitle(value, "Value: squared error")
        for plot in (policy, value):
            plot.set_xlabel("games played")
        handles, _ = policy.get_legend_handles_labels()
        plots.legend_below(figure, handles, min(4, len(handles)))
        return figure

    caption = "Losses of every variant over the games it has played, by what it learned from."
    words = "; ".join(
        f"{training.name}: policy {numbers.decimal(training.rounds[0].policy_loss, 2)} to "
        f"{numbers.decimal(training.rounds[-1].policy_loss, 2)}"
        for training in trainings
    )
    return Figure("losses", draw, caption, f"Losses by games played. {words}.")


def mates(training: LearningRun) -> Figure:
    """Show the mates in two that versions found, alone and with search."""
    probed = [one for one in training.probes if len(one.numbers) > 1]

    versions = [one.version for one in probed]

    def draw() -> Any:
        shares = {who: [one.numbers[who] for one in probed] for who in probed[0].numbers}
        figure, plot = _shares(versions, shares, "% of the mates in two", marker="o")
        plot.set_xticks(versions)
        plot.set_xlabel("version")
        return figure

    caption = (
        "Mates in two of the sample games that versions find, the network alone and with search."
    )
    words = ", ".join(
        f"{who} {numbers.percent(probed[0].numbers[who])} to "
        f"{numbers.percent(probed[-1].numbers[who])}"
        for who in probed[0].numbers
    )
    return Figure("mates", draw, caption, f"Mates in two found by version. {words}.")


def one_mate(found: OneMate) -> Figure:
    """Show what network and search give the moves of a mate, by games played from there."""

    def draw() -> Any:
        shares = {who: [getattr(row, who) for row in found.rows] for who in ("network", "search")}
        played = [row.games for row in found.rows]
        figure, plot = _shares(played, shares, "% on the moves that mate", linewidth=1.4)
        plot.set_xlabel("games played from the position")
        return figure

    caption = (
        f"What the network’s policy and the search’s visits give {', '.join(found.moves)} in "
        f"{found.fen}, a mate in two, by games played from there."
    )
    first, last = found.rows[0], found.rows[-1]
    words = "; ".join(
        f"{name} {numbers.percent(getattr(first, name))} to {numbers.percent(getattr(last, name))}"
        for name in ("network", "search")
    )
    return Figure("one-mate", draw, caption, f"One mate in two by games. {words}.")


def _shares(
    x: Sequence[int], shares: Mapping[str, Sequence[float]], label: str, **style: Any
) -> tuple[Any, Any]:
    """Draw what a network and its search reach, in percent, and return figure and axes."""
    figure, plot = plots.axes(plots.WIDTH, 2.7)
    for (who, own), colour in zip(shares.items(), (plots.BASELINE, plots.PHASE), strict=False):
        plot.plot(x, [100 * share for share in own], color=colour, label=who, **style)
    plot.set_ylabel(label)
    plot.set_ylim(0, 100)
    plots.legend(plot)
    return figure, plot


def costs(searched: Searched) -> Figure:
    """Show collisions, the network by batch, and games an hour by processes."""

    def draw() -> Any:
        figure, (collisions, batches, workers) = plots.axes(plots.WIDTH, 3.0, columns=3)
        for style, colour in (("none", plots.PLACEBO), ("virtual_loss", plots.PHASE)):
            rows = [row for row in searched.collisions if row.style == style]
            label = "without virtual loss" if style == "none" else "with it"
            counts = [max(row.collisions, 0.5) for row in rows]
            collisions.plot([row.simulations for row in rows], counts, "-o", color=colour,
                            label=label, markersize=3.5)  # fmt: skip
        collisions.set_yscale("log")
        collisions.set_xlabel("simulations")
        plots.legend(collisions, fontsize=8)
        plots.entitle(collisions, "Collisions a move")
        _bars(batches, [(str(row.rows), row.rate) for row in searched.batches], "rows a call")
        plots.entitle(batches, "Positions a second")
        _bars(workers, [(str(row.workers), row.games) for row in searched.workers], "processes")
        plots.entitle(workers, "Games an hour")
        return figure

    caption = (
        "Collisions of a single search, the network by the rows of a call, and self-play by "
        "processes with one thread each."
    )
    words = "; ".join(f"{row.rows} rows: {numbers.count(row.rate)}" for row in searched.batches)
    text = f"Collisions, network and workers. Positions a second by rows a call: {words}."
    return Figure("costs", draw, caption, text)


def _bars(plot: Any, pairs: Sequence[tuple[str, float]], label: str) -> None:
    plot.bar([name for name, _ in pairs], [height for _, height in pairs], color=plots.PHASE,
             width=0.7)  # fmt: skip
    plot.set_xlabel(label)


def _colours(count: int) -> list[str]:
    named = [plots.PHASE, plots.PLACEBO, plots.BASELINE]
    return named[:count] if count <= len(named) else plots.ordered_colours(count)
