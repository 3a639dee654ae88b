"""Pictures of a match or tournament, as inline SVG."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from phasezoo.arena import Standings
from phasezoo.report import plots

__all__ = ["of"]


def of(standings: Standings) -> list[tuple[Markup, str]]:
    """Drawings with their captions: ratings, scores over time, lengths of games."""
    drawn = [
        (_scores(standings), "Score of each player after so many of their games, in game order."),
        (_lengths(standings), "Lengths of the games in plies, those of the openings included."),
    ]
    if len(standings.names) > 2:
        drawn.insert(0, (_ratings(standings), "Ratings with their 95 % intervals."))
    return drawn


def _ratings(standings: Standings) -> Markup:
    ratings = sorted(standings.ratings, key=lambda rating: -rating.value)
    rows = [
        plots.Estimate(rating.name, rating.interval, plots.PHASE, strong=False)
        for rating in ratings
    ]
    figure = plots.forest([("player", rows)], "Elo", 0)
    said = "; ".join(f"{rating.name} {rating.value:+z.0f}" for rating in ratings)
    return plots.to_svg(figure, "ratings", f"Ratings: {said}.")


def _scores(standings: Standings) -> Markup:
    figure, plot = plots.axes(7.6, 2.8)
    colours = plots.ordered_colours(len(standings.names))
    for place, (name, colour) in enumerate(zip(standings.names, colours, strict=True)):
        scores = _of_player(standings, place)
        if scores:
            mean = np.cumsum(scores) / np.arange(1, len(scores) + 1)
            plot.plot(np.arange(1, len(scores) + 1), mean, color=colour, label=name)
    plot.axhline(0.5, color=plots.MUTED, linewidth=1)
    plot.set(ylim=(-0.03, 1.03), xlabel="games", ylabel="score")
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.legend(frameon=False, fontsize=8, labelcolor=plots.INK)
    said = "; ".join(f"{line.name} ends at {line.score:.1%}" for line in standings.lines)
    return plots.to_svg(figure, "scores", f"Mean score by games played: {said}.")


def _lengths(standings: Standings) -> Markup:
    plies = [record.plies for record in standings.games]
    figure, plot = plots.axes(7.6, 2.4)
    if plies:
        plot.hist(plies, bins=min(30, max(plies) - min(plies) + 1), color=plots.PHASE)
    plot.set(xlabel="plies", ylabel="games")
    for axis in (plot.xaxis, plot.yaxis):
        axis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    middle = f"half of them at most {np.median(plies):.0f} plies long" if plies else "no game"
    return plots.to_svg(figure, "lengths", f"Lengths of {len(plies)} games, {middle}.")


def _of_player(standings: Standings, place: int) -> Sequence[float]:
    return [
        record.score if record.pairing[0] == place else 1 - record.score
        for record in standings.games
        if place in record.pairing
    ]
