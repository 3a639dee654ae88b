"""The curve over sizes: a comparison at each, where they cross zero for good, and the report."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.catalogue import CURVES, GAMES
from phasezoo.experiments.study import RunResults, Study, StudyRun, study_report, took
from phasezoo.experiments.two_player import matches as comparison, published
from phasezoo.experiments.two_player.config import TWO_PLAYER, CurveConfig
from phasezoo.experiments.two_player.exact import LEARNED
from phasezoo.experiments.two_player.losses import ALL
from phasezoo.experiments.two_player.preparation import Prepared, prepare
from phasezoo.experiments.two_player.variants import BASELINE
from phasezoo.report import numbers, plots
from phasezoo.report.console import Console
from phasezoo.report.document import (
    Column,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
    columns_by,
)


@dataclass(frozen=True)
class Point:
    """A mixture beside one network at one size."""

    positions: int
    """Training positions that each of both saw."""
    loss: Interval | None
    """The mixture's test loss less the one network's, on all positions; None without any."""
    elo: Interval | None
    """Elo of the mixture over the one network; None if it played none."""
    exact: dict[str, Interval | None]
    """Worth of its moves by perfect play less that of the one network's, by metric; empty where
    perfect play is unknown."""


@dataclass(frozen=True)
class Curve:
    """A mixture at all sizes."""

    name: str
    """As shown."""
    gate: str
    """The gate that divides the positions, in its full spelling."""
    strategy: str
    """How its experts learned."""
    points: list[Point]
    """By size."""
    loss_crossing: Interval | None
    """From how many positions on its loss is not above the one network's, and between which sizes
    that may be: −∞ is below the smallest, ∞ above the largest. None without test positions."""
    elo_crossing: Interval | None
    """The same of its Elo; None if it played none, or won or lost all games at a size."""


@dataclass(frozen=True)
class Size:
    """The run at one size."""

    positions: int
    """Training positions."""
    folder: str
    """Where it is, from the directory of the whole."""
    unique_positions: int
    """Different positions that the one network of the first training saw."""
    baseline_loss: float | None
    """Test loss of the one network, a mean over trainings."""
    seconds: float
    """Time it took."""


@dataclass(frozen=True)
class Results(RunResults):
    """Everything a run found."""

    config: CurveConfig
    game: str
    """The game."""
    source: str
    """Where the games come from, for people."""
    sizes: list[Size]
    curves: list[Curve]


def crossing(sizes: Sequence[int], differences: Sequence[Interval]) -> Interval:
    """The size from which on a difference is zero or below, and between which sizes it may be.

    The ends are where the lower and the upper ends of the differences' intervals get there for
    good: behind the upper one the whole 95 % band lies at zero or below, and no size behind the
    lower one has its whole band above zero. (A bootstrap over trainings would be of no width with
    the few that one can afford.)

    Returns:
        Sizes between the smallest and the largest; −∞ if the difference is never above zero, ∞ if
        it is so at the largest.
    """
    return Interval(
        place(sizes, [one.value for one in differences]),
        place(sizes, [one.low for one in differences]),
        place(sizes, [one.high for one in differences]),
    )


def place(sizes: Sequence[int], heights: Sequence[float]) -> float:
    """Where a curve goes to zero or below and stays there; −∞ if it is never above, ∞ if at last.

    Between two sizes it is a straight line over the logarithm of the size.
    """
    last = max((index for index, height in enumerate(heights) if height > 0), default=None)
    if last is None:
        return -math.inf
    if last == len(sizes) - 1:
        return math.inf
    before, after = heights[last], heights[last + 1]
    if math.isinf(before):
        return float(sizes[last + 1])
    share = 0.0 if math.isinf(after) else before / (before - after)
    return float(sizes[last] * (sizes[last + 1] / sizes[last]) ** share)


def report(results: Results) -> Document:
    """Return the report."""
    config = results.config
    return study_report(
        results,
        [
            Section(
                "Experts against one network, by size",
                [*figures_of(results), curves_table(results.curves)],
            ),
            *_exact(results.curves),
            Section("Where they draw level", _level(results)),
            Section("The sizes", [_sizes_table(results.sizes)]),
        ],
        title="From how much data on do phase experts pay?",
        headline=_headline(results),
        lead=(
            "Experts divide what there is to learn from; one network learns from all of it. With "
            "little data that is a loss, with much it may be a gain. Where is the border?"
        ),
        subject=f"reproduce m2cts --curve · {config.game}",
        source="paper",
        answer=[Text(_introduction(results)), _level_table(results)],
        terms=_TERMS,
        limits=_limits(config.trainings),
        beside=(
            "every size’s run with its report (sizes/), all numbers (results.json), the settings "
            "(config.json)."
        ),
    )


_TERMS = """\
- **Training positions**: what one network sees, and all experts of a mixture together.
- **Draw level**: the size from which on the curve’s mean stays at zero or better; between two sizes
  it is a straight line over the logarithm of the size.
- **Between which sizes that may be**: from where the better end of the difference’s 95 % band gets
  to zero for good to where its worse end does.
"""


def _limits(trainings: int) -> str:
    one = "- With one training the band counts games alone: another training may cross elsewhere.\n"
    return (
        "- Nothing is said of sizes outside the ones that were run, only that the border is above "
        "or below them.\n"
        + (one if trainings == 1 else "")
        + "- Each size trains anew with a whole schedule; a point is no stop on the way to the "
        "next.\n"
    )


def curves_table(curves: Sequence[Curve]) -> Table:
    """Return every mixture at every size."""
    columns = [
        Column("mixture", lambda row: row[0].name),
        Column("gate", lambda row: row[0].gate),
        Column("learning", lambda row: row[0].strategy),
        Column("positions", lambda row: row[1].positions, numbers.count),
        Column("loss − one network", lambda row: row[1].loss, numbers.signed_interval),
        Column("Elo", lambda row: row[1].elo, numbers.elo_interval),
    ]
    rows = [(curve, point) for curve in curves for point in curve.points]
    return Table("curves", columns, rows, "Mixtures beside one network, 95 % intervals")


def _exact(curves: Sequence[Curve]) -> list[Item]:
    """Return the section on perfect play, where it is known."""
    metrics = list(curves[0].points[0].exact)
    if not metrics:
        return []
    columns = [
        Column("mixture", lambda row: row[0].name),
        Column("positions", lambda row: row[1].positions, numbers.count),
        *columns_by(
            metrics,
            lambda row, name: row[1].exact[name],
            partial(numbers.signed_interval, digits=4),
        ),
    ]
    rows = [(curve, point) for curve in curves for point in curve.points]
    table = Table("exact", columns, rows, "Differences to one network")
    return [Section("Moves by perfect play", [table])]


def _level(results: Results) -> list[Item]:
    items: list[Item] = [Text("\n\n".join(level(curve, results) for curve in results.curves))]
    if results.config.game == published.GAME:
        items.append(
            Text(
                "In the paper experts in chess gain "
                f"{numbers.signed(published.ELO_MEAN, 0)} Elo with "
                f"{numbers.count(published.TRAIN_POSITIONS)} training positions (Table XV), and "
                "with half of them lose about as much (Table IV): its border lies between the two."
            )
        )
    return items


def _level_table(results: Results) -> Table:
    def crossing(interval: Interval | None) -> str:
        return _crossing(interval, results)

    columns = [
        Column("mixture", "name"),
        Column("in test loss", "loss_crossing", crossing),
        Column("in games", "elo_crossing", crossing),
    ]
    caption = (
        "Training positions at which a mixture draws level, and between which sizes that may be"
    )
    return Table("level", columns, results.curves, caption)


def _sizes_table(sizes: Sequence[Size]) -> Table:
    columns = [
        Column("positions", "positions", numbers.count),
        Column("different ones", "unique_positions", numbers.count),
        Column("one network’s test loss", "baseline_loss", numbers.decimal),
        Column("time", "seconds", numbers.duration),
        Column("the whole run", lambda size: f"{size.folder}/report.html", prose=True),
    ]
    return Table("sizes", columns, sizes)


def level(curve: Curve, results: Results) -> str:
    """Return where a mixture draws level with one network, as a sentence."""
    text = f"Level with one network in test loss: {_crossing(curve.loss_crossing, results)}"
    if curve.elo_crossing is not None:
        text += f"; in games: {_crossing(curve.elo_crossing, results)}"
    return f"**{curve.name.capitalize()}.** {text}."


def _crossing(found: Interval | None, results: Results) -> str:
    """Return where a curve crosses, and between which sizes that may be."""
    if found is None:
        return numbers.ABSENT
    value, low, high = (_place(end, results) for end in (found.value, found.low, found.high))
    return value if low == high else f"{value} ({low} to {high})"


def _place(value: float, results: Results) -> str:
    if math.isfinite(value):
        return numbers.count(float(f"{value:.2g}"))
    sizes = results.config.sizes
    return f"above {numbers.count(sizes[-1])}" if value > 0 else f"below {numbers.count(sizes[0])}"


def _headline(results: Results) -> str:
    crossings = "; ".join(
        f"{curve.name} {_crossing(curve.loss_crossing, results)}" for curve in results.curves
    )
    return f"Training positions at which test losses are level with one network’s: {crossings}"


def _introduction(results: Results) -> str:
    config = results.config
    sizes = ", ".join(numbers.count(size) for size in config.sizes)
    several = "s" if config.trainings > 1 else ""
    return (
        f"One network and {numbers.in_words(len(results.curves))} mixtures of experts learned "
        f"{results.game} at {sizes} training positions, {numbers.in_words(config.trainings)} "
        f"training{several} of each. At every size the experts of a mixture together saw as many "
        f"as the one network, unless an arm says otherwise. It {took(results)}."
    )


def figures_of(results: Results) -> list[Figure]:
    """Return the curves of test loss and of Elo, each if there is anything to show."""
    counts = "trainings and test games" if results.config.trainings > 1 else "test games alone"
    return [
        *_curves(
            results.curves,
            lambda point: point.loss,
            ("loss", "test loss − one network’s"),
            "Test loss of each mixture less that of the one network; below zero the mixture is "
            f"better. Bars are 95 % intervals over {counts}.",
        ),
        *_curves(
            results.curves,
            _finite_elo,
            ("elo", "Elo over one network"),
            "Strength of each mixture over the one network; above zero the mixture is stronger. "
            "Bars are 95 % intervals. A mixture that won or lost all games at a size has no point "
            "there.",
        ),
    ]


def _finite_elo(point: Point) -> Interval | None:
    return point.elo if point.elo is not None and math.isfinite(point.elo.value) else None


def _curves(
    curves: Sequence[Curve],
    number: Callable[[Point], Interval | None],
    names: tuple[str, str],
    caption: str,
) -> list[Figure]:
    name, label = names
    known = {
        curve.name: [(point.positions, found) for point in curve.points if (found := number(point))]
        for curve in curves
    }
    if not any(known.values()):
        return []

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.2)
        plot.axhline(0, color=plots.BASELINE, linewidth=1)
        for place, (mixture, points) in enumerate(known.items()):
            if points:
                # Side by side, so that intervals do not lie on each other.
                x = [positions * 1.03**place for positions, _ in points]
                found = [interval for _, interval in points]
                plots.with_intervals(plot, x, found, mixture, _colour(place))
        sizes = [point.positions for point in curves[0].points]
        plot.set_xscale("log")
        plot.set_xticks(sizes, [numbers.count(size) for size in sizes], minor=False)
        plot.set_xticks([], minor=True)
        plot.set_xlabel("training positions (logarithmic)")
        plot.set_ylabel(label)
        plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK)
        return figure

    words = "; ".join(
        f"{mixture} at {numbers.count(positions)} {numbers.signed(found.value)}"
        for mixture, points in known.items()
        for positions, found in points
    )
    return [Figure(f"curve-{name}", draw, caption, f"{label} by training positions: {words}.")]


def _colour(place: int) -> str:
    colours = (plots.PHASE, plots.PLACEBO, plots.PAPER, plots.INK, plots.MUTED, plots.BASELINE)
    return colours[place % len(colours)]


class CurveRun(StudyRun[CurveConfig, Results]):
    """Phase experts and one network, by how much both have learned from."""

    results = Results
    report = staticmethod(report)
    prepared: Prepared

    @classmethod
    def prepare(cls, config: CurveConfig, console: Console) -> Prepared:
        """Load, split and label the games, which are the same at all sizes."""
        if config.game in GAMES and config.game not in CURVES:
            message = f"--game {config.game}: --curve is for {', '.join(CURVES)}, or a stored game"
            raise InvalidConfig(message)
        return prepare(config.at(config.sizes[0]), console)

    def work(self) -> Results:
        """Do the comparisons that are not done, and put them together."""
        found = [self._compare(positions) for positions in self.config.sizes]
        rows = [mixtures_of(one) for one in found]
        curves = [self._curve(found, same) for same in zip(*rows, strict=True)]
        self.console.heading("All sizes")
        self.table(curves_table(curves))
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
            -point.elo
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
    """Return every mixture at a size, with the phase mixture by learned gates."""
    if found.learned is None:
        return found.variants
    learned = replace(
        found.variants[0],
        name=LEARNED,
        gate="learned",
        loss=found.learned.division.beside_one[ALL],
        matches=found.learned.matches,
    )
    return [*found.variants, learned]


def _point(positions: int, found: comparison.Results, variant: comparison.VariantRow) -> Point:
    judged = [] if found.exact is None else found.exact.rows
    row = next((one for one in judged if one.name == variant.name), None)
    return Point(
        positions=positions,
        loss=variant.loss,
        elo=None if variant.matches is None else variant.matches.elo,
        exact={} if row is None else dict(row.differences),
    )
