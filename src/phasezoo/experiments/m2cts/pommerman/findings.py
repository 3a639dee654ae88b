"""From finished games to win rates, their differences, and what they say of the paper's claims."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from phasezoo.arena import stream
from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import Claim, Judgement, by_sign
from phasezoo.experiments.m2cts.pommerman import paper, story
from phasezoo.experiments.m2cts.pommerman.config import PommermanConfig
from phasezoo.experiments.m2cts.pommerman.play import GameRow
from phasezoo.experiments.m2cts.pommerman.results import Record
from phasezoo.experiments.statistics import (
    around,
    between_trainings,
    over_trainings,
    resample_games,
    wilson,
)

__all__ = ["claims_of", "records_of"]

BY_SIGN = (
    "agrees if the 95 % interval of the difference lies above zero, disagrees if below; not "
    "settled "
    "by one training"
)
BY_RANGE = (
    "agrees if the difference lies in the range and its 95 % interval above zero, disagrees if the "
    "interval lies outside the range; not settled by one training"
)

Wins = npt.NDArray[np.float64]
"""``float64[K, B]``: games won of the four on each board, by training; NaN if not all played."""


def records_of(rows: Sequence[GameRow], config: PommermanConfig) -> list[Record]:
    """The record of every contender, in the order in which they play."""
    by_name: dict[str, list[GameRow]] = {}
    for row in rows:
        by_name.setdefault(row.task.contender.name, []).append(row)
    wins = {name: _wins(own) for name, own in by_name.items()}
    one = wins["one network"]
    placebo = next(
        (wins[n] for n, own in by_name.items() if own[0].task.contender.kind == "placebo"), None
    )
    return [_record(own, wins[name], one, placebo, config) for name, own in by_name.items()]


def _record(
    rows: Sequence[GameRow], wins: Wins, one: Wins, placebo: Wins | None, config: PommermanConfig
) -> Record:
    contender = rows[0].task.contender
    won = sum(row.result == "won" for row in rows)
    compared = contender.kind in ("gate", "placebo")
    against = placebo if contender.kind == "gate" else None
    return Record(
        name=contender.name,
        kind=contender.kind,
        simulations=contender.simulations,
        games=len(rows),
        won=won,
        drawn=sum(row.result == "drawn" for row in rows),
        timed_out=sum(row.reason == "step_limit" for row in rows),
        win_rate=wilson(won, len(rows)),
        by_training=[float(np.nanmean(each)) / 4 for each in wins],
        steps=float(np.mean([row.steps for row in rows])),
        difference=_difference(wins, one, config) if compared else None,
        to_placebo=None if against is None else _difference(wins, against, config),
    )


def _wins(rows: Sequence[GameRow]) -> Wins:
    trainings = max(row.task.contender.training for row in rows) + 1
    boards = max(row.task.board for row in rows) + 1
    wins = np.zeros((trainings, boards))
    played = np.zeros((trainings, boards))
    for row in rows:
        place = row.task.contender.training, row.task.board
        wins[place] += row.result == "won"
        played[place] += 1
    wins[played < 4] = np.nan
    return wins


def _difference(wins: Wins, other: Wins, config: PommermanConfig) -> Interval | None:
    """The difference of win rates on the same boards and seats, with a 95 % interval.

    Every training has boards of its own, so that the spread between trainings holds the chance of
    boards and games too: the interval is Student's t over trainings. It is never narrower than that
    over boards alone, which are drawn with replacement, the four games on a board together, in each
    training by itself.
    """
    values, resampled = [], []
    for training, gap in enumerate(wins - other):
        rng = np.random.default_rng(stream(config.seed, "resampling", training))
        means = resample_games(gap[:, None], np.full((len(gap), 1), 4.0), rng, config.resamples)
        values.append(means.means[0])
        resampled.append(means.resampled[:, 0])
    mean, drawn = float(np.mean(values)), np.mean(resampled, axis=0)
    boards = min(int(np.isfinite(gap).sum()) for gap in wins - other)
    over_boards = over_trainings(np.array([mean]), drawn[:, None], games=boards * len(values))
    if over_boards is None or len(values) == 1 or not over_boards.is_known:
        return over_boards
    return around(mean, max(between_trainings(np.array(values)), over_boards.half_width))


def claims_of(records: Sequence[Record]) -> list[Claim]:
    """The paper's claims about the gates that were played.

    How a training comes out is chance too, so that one training settles nothing.
    """
    low, high = paper.CLAIMED_GAIN
    claims = []
    for record in records:
        gate = record.name.split(":", maxsplit=1)[0]
        gap = record.difference
        if record.kind != "gate" or gap is None or gate not in paper.CLAIMED_GATES:
            continue
        # The paper's name of the gate, with thresholds: a gate can be played by several.
        name = record.name.replace("proximity", "mixedness")
        ours = f"{story.points(gap)} points"
        several = len(record.by_training) > 1
        claims.append(
            Claim(
                f"Experts by {name} win more games than one network.",
                ours,
                BY_SIGN,
                by_sign(gap, "higher") if several else "not settled",
            )
        )
        claims.append(
            Claim(
                f"The gain is {100 * low:.0f} to {100 * high:.0f} points.",
                ours,
                BY_RANGE,
                _by_range(gap, low, high) if several else "not settled",
            )
        )
    return claims


def _by_range(gap: Interval, low: float, high: float) -> Judgement:
    if gap.high < low or gap.low > high:
        return "disagrees"
    return "agrees" if low <= gap.value <= high and gap.low > 0 else "not settled"
