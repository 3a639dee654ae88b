"""The curve over sizes: a comparison at each, then all of them together."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.catalogue import CURVES, GAMES
from phasezoo.experiments.study import Study, StudyRun
from phasezoo.experiments.two_player import curve_report as report
from phasezoo.experiments.two_player import results as comparison
from phasezoo.experiments.two_player.config import TWO_PLAYER, CurveConfig
from phasezoo.experiments.two_player.curve_report import Curve, Point, Results, Size, crossing
from phasezoo.experiments.two_player.exact import LEARNED
from phasezoo.experiments.two_player.measurements import ALL
from phasezoo.experiments.two_player.preparation import Prepared, prepare
from phasezoo.experiments.two_player.variants import BASELINE
from phasezoo.report.console import Console


class CurveRun(StudyRun[CurveConfig, Results]):
    """Phase experts and one network, by how much both have learned from."""

    results = Results
    report = staticmethod(report.report)
    prepared: Prepared

    @classmethod
    def prepare(cls, config: CurveConfig, console: Console) -> Prepared:
        """Load, split and label the games, which are the same at all sizes."""
        if config.game in GAMES and config.game not in CURVES:
            message = f"--game {config.game}: --curve is for {', '.join(CURVES)}, or a stored game"
            raise InvalidConfig(message)
        console.heading("Reading the games")
        return prepare(config.at(config.sizes[0]))

    def work(self) -> Results:
        """Do the comparisons that are not done, and put them together."""
        found = [self._compare(positions) for positions in self.config.sizes]
        rows = [mixtures_of(one) for one in found]
        curves = [self._curve(found, same) for same in zip(*rows, strict=True)]
        self.console.heading("All sizes")
        self.table(report.curves_table(curves))
        sizes = [
            self._size(positions, one)
            for positions, one in zip(self.config.sizes, found, strict=True)
        ]
        data = found[0].dataset
        return Results(
            **self.head(),
            game=data.game,
            source=data.source,
            sizes=sizes,
            curves=curves,
            seconds={f"{size.positions:,} positions": size.seconds for size in sizes},
        )

    def _compare(self, positions: int) -> comparison.Results:
        """The comparison at one size, or what is left of it."""
        self.console.heading(f"{positions:,} training positions")
        study: Study[Any] = GAMES.get(self.config.game, TWO_PLAYER)
        study = replace(study, plugins=self.study.plugins)
        config = self.config.at(positions, study.presets)
        found: comparison.Results = study.reproduce(
            config,
            self.path / _folder(positions),
            self.console,
            prepared=replace(self.prepared, config=config),
        )
        return found

    def _curve(
        self, found: Sequence[comparison.Results], rows: Sequence[comparison.VariantRow]
    ) -> Curve:
        """A mixture at all sizes."""
        sizes = self.config.sizes
        points = [_point(*at) for at in zip(sizes, found, rows, strict=True)]
        losses = [point.loss for point in points if point.loss is not None]
        # Where experts are ahead, Elo is above zero and a loss below.
        behind = [
            Interval(-point.elo.value, -point.elo.high, -point.elo.low)
            for point in points
            if point.elo is not None and math.isfinite(point.elo.value)
        ]
        return Curve(
            name=rows[0].name,
            gate=rows[0].gate,
            strategy=rows[0].strategy,
            points=points,
            loss_crossing=crossing(sizes, losses) if len(losses) == len(sizes) else None,
            elo_crossing=crossing(sizes, behind) if len(behind) == len(sizes) else None,
        )

    def _size(self, positions: int, found: comparison.Results) -> Size:
        first = next(card for card in found.networks if card.role == BASELINE)
        entry = next(one for one in found.losses.entries if one.role == BASELINE)
        return Size(
            positions=positions,
            folder=_folder(positions),
            unique_positions=first.unique_positions,
            baseline_loss=entry.cells[ALL].total,
            seconds=sum(found.seconds.values()),
        )


def _folder(positions: int) -> str:
    return f"sizes/{positions}"


def mixtures_of(found: comparison.Results) -> list[comparison.VariantRow]:
    """What came of every mixture at a size, of the phase mixture by learned gates too."""
    if found.learned is None:
        return found.arms
    learned = replace(
        found.arms[0],
        name=LEARNED,
        gate="learned",
        loss=found.learned.division.beside_one[ALL],
        matches=found.learned.matches,
    )
    return [*found.arms, learned]


def _point(positions: int, found: comparison.Results, variant: comparison.VariantRow) -> Point:
    judged = [] if found.exact is None else found.exact.rows
    row = next((one for one in judged if one.name == variant.name), None)
    return Point(
        positions=positions,
        loss=variant.loss,
        elo=None if variant.matches is None else variant.matches.elo,
        exact={} if row is None else dict(row.differences),
    )
