"""What positions of another game say of C and T: the study's figures 4.7 and 4.8 there."""

from collections.abc import Sequence

import numpy as np

from phasezoo.arena import stream
from phasezoo.experiments.claims import Claim
from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.constant_figure import moves_up
from phasezoo.experiments.krk.curves import line
from phasezoo.experiments.krk.judging import BY_CONTENDERS, by_contenders
from phasezoo.experiments.krk.positions import MOST_MOVES, PositionRow
from phasezoo.experiments.krk.results import Choice, Figure, Line, Panel
from phasezoo.experiments.krk.trends import choice
from phasezoo.experiments.statistics import ResampledMeans
from phasezoo.report import numbers

__all__ = ["position_figure"]

_UNIT = "regret a move"


def position_figure(rows: Sequence[PositionRow], config: KrkConfig) -> Figure:
    """Curves of the regret by C and by T, and where they are lowest.

    Positions are drawn anew for all settings together, because they share them.

    Args:
        rows: What the moves of every setting lose.
        config: The settings of the run.
    """
    lost = np.array([row.lost for row in rows])
    count = lost.shape[1]
    rng = np.random.default_rng(stream(config.seed, "resampling", "positions"))
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=config.resamples) / count
    means, resampled = lost.mean(axis=1), drawn @ lost.T

    def curve(groups: Sequence[Sequence[int]]) -> ResampledMeans:
        return ResampledMeans(
            np.array([means[group].mean() for group in groups]),
            np.stack([resampled[:, group].mean(axis=1) for group in groups], axis=1),
        )

    def rows_with(**wanted: float) -> list[int]:
        found = enumerate(row.setting for row in rows)
        return [at for at, s in found if all(getattr(s, k) == v for k, v in wanted.items())]

    by_constant = {
        f"{numbers.count(b)} simulations": curve(
            [rows_with(budget=b, constant=c) for c in map(float, config.constants)]
        )
        for b in config.position_budgets
    }
    by_threshold = {
        f"C = {c:g}": curve([rows_with(constant=float(c), threshold=t) for t in config.thresholds])
        for c in config.constants
    }
    constants = [choice(n, "C", config.constants, found) for n, found in by_constant.items()]
    thresholds = [choice(n, "T", config.thresholds, found) for n, found in by_threshold.items()]
    high = [c for c in config.constants if c >= paper.HIGH_CONSTANT]
    claims = [moves_up(constants[0], constants[-1])] if len(constants) > 1 else []
    if high:
        places = [[at for c in high for at in rows_with(constant=float(c), threshold=t)]
                  for t in config.thresholds]  # fmt: skip
        over = choice("averaged over these C", "T", config.thresholds, curve(places))
        claims.append(_just_above(over, config.thresholds))
    panels = [
        Panel("By C, averaged over T", "C", _UNIT, _lines(config.constants, by_constant)),
        Panel("By T, averaged over budgets", "T", _UNIT, _lines(config.thresholds, by_threshold)),
    ]
    about = (
        f"The mean regret of one move in each of {numbers.count(count)} positions of Connect Four, "
        "by the solver: 0.5 for a win turned into a draw, 1 for one turned into a loss. Rollouts "
        "are random."
    )
    title = "C and T in Connect Four"
    return Figure("connect-four", title, about, claims, panels, [*constants, *thresholds])


def _lines(x: Sequence[float], curves: dict[str, ResampledMeans]) -> list[Line]:
    return [line(name, "uct", x, found) for name, found in curves.items()]


def _just_above(found: Choice, thresholds: Sequence[int]) -> Claim:
    """The study's reason for its best T: it is the first above the number of legal moves."""
    places = [at for at, t in enumerate(thresholds) if t > MOST_MOVES][:1]
    near = [float(t) for at in places for t in thresholds[max(at - 1, 0) : at + 2]]
    best = ", ".join(f"{t:g}" for t in found.contenders)
    return Claim(
        text=(
            f"From C = {paper.HIGH_CONSTANT:g} on the best T is at or near the first above the "
            f"largest number of legal moves ({MOST_MOVES})."
        ),
        ours=f"Averaged over these C, T = {best} may be best.",
        rule=(
            f"At or near: T = {', '.join(f'{t:g}' for t in near)}. Averaged over these C, "
            f"{BY_CONTENDERS}."
        ),
        judgement=by_contenders(found.contenders, near, found.values),
    )
