"""Values and moves in the report: boundaries of phases, how true values are, and perfect play."""

from functools import partial
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.statistics import Verdict, verdict
from phasezoo.experiments.two_player.boundary import Boundaries, BoundaryRow, BrierRow
from phasezoo.experiments.two_player.exact import Exact, ExactRow
from phasezoo.experiments.two_player.losses import ALL
from phasezoo.experiments.two_player.report_losses import bullets, test_set
from phasezoo.experiments.two_player.variants import ONE
from phasezoo.report import numbers, plots
from phasezoo.report.document import Column, Figure, Item, Section, Table, Text, columns_by

_mean = partial(numbers.decimal, digits=4)
_size = partial(numbers.plain_interval, digits=3)
_gap = partial(numbers.signed_interval, digits=4)

_SIZES = {
    "apart": "experts apart",
    "apart, placebo": "any two of the placebo’s apart",
    "step, one network": "one network’s change a ply",
    "apart by step": "experts apart / that change",
    "crossing, mixture": "mixture’s change at the boundary",
    "crossing, one network": "one network’s change at the boundary",
}
"""Numbers of a boundary that have no sign: as results call them, and as shown."""


_DIFFERENCES = {
    "for to_play": "later − earlier, for who moves",
    "for the first player": "later − earlier, for the first player",
    "crossing, difference": "mixture − one network, at the boundary",
}
"""Those that have one."""


def boundary_section(boundaries: Boundaries) -> Section:
    """Return the section on boundaries of phases and on how true values are."""
    return Section(
        "What came out: where phases meet",
        [
            Text(
                "A search that crosses from one phase into the next changes the network that it "
                "asks. If the two experts put the same position at different values, moves that "
                "cross look better or worse than they are. So both experts were asked about every "
                f"test position within {numbers.plural(boundaries.near, 'ply', 'plies')} of a "
                "boundary: a ply at which a game goes into another phase."
            ),
            bullets(_boundary_sentences(boundaries)),
            boundary_table(boundaries),
            _around_a_boundary(boundaries),
            Section(
                "How true the values are",
                [
                    Text(
                        "The Brier score is the squared error of a forecast; less is better. The "
                        "value, read as the expected share of the point, is scored against the "
                        "points of the game, from 0 to 1; the chances of win, draw and loss are "
                        "scored against what came, from 0 to 2."
                    ),
                    brier_table(boundaries),
                    *_brier_details(boundaries),
                ],
            ),
            Section("Recalibrated values", _recalibration(boundaries)),
        ],
    )


def boundary_table(boundaries: Boundaries, end: str = "") -> Table:
    """Return the numbers of every kind of boundary; of recalibrated values by the end of names."""
    every = boundaries.rows[0]
    kinds = ((_SIZES, _size), (_DIFFERENCES, numbers.signed_interval))
    columns = [
        Column("", lambda row: "all boundaries" if row is every else row.name),
        Column("test positions", "positions", numbers.count),
        Column("boundaries", "boundaries", numbers.count),
        Column("games", "games", numbers.count),
    ]
    for heads, shown in kinds:
        known = [name for name in heads if name + end in every.numbers]
        columns += columns_by(
            known, lambda row, name: row.numbers[name + end], shown, head=heads.__getitem__
        )
    return Table(
        f"boundaries{end}",
        columns,
        boundaries.rows,
        f"Values within {numbers.plural(boundaries.near, 'ply', 'plies')} of a boundary{end}, with "
        "95 % intervals",
        strong=lambda row: row is every,
    )


def brier_table(boundaries: Boundaries) -> Table:
    """Return Brier scores of experts, mixture and one network, as trained and recalibrated."""

    def score(row: BrierRow, name: str) -> float | None:
        found = row.cells[name].score
        return None if found is None else found.value

    def against(row: BrierRow, name: str) -> str:
        found = row.cells[name].against
        return "" if found is None else _gap(found)

    sets = boundaries.brier[0].cells
    return Table(
        "brier",
        [
            Column("", lambda row: row.name + (", recalibrated" if row.recalibrated else "")),
            *columns_by(sets, score, _mean, head=test_set, below=against),
        ],
        boundaries.brier,
        "Brier score of the value, with the difference to one network as trained and its 95 % "
        "interval",
        strong=lambda row: row.phase is None,
    )


def _brier_details(boundaries: Boundaries) -> list[Item]:
    """Return scores with their own intervals, if networks answer win, draw and loss."""
    sets = boundaries.brier[0].cells
    if sets[ALL].wdl is None:
        return []

    def table(kind: str, what: str) -> Table:
        columns = columns_by(
            sets,
            lambda row, name: getattr(row.cells[name], kind),
            partial(numbers.plain_interval, digits=4),
            head=test_set,
        )
        return Table(
            f"brier {kind}",
            [Column("", "name"), *columns],
            [row for row in boundaries.brier if not row.recalibrated],
            f"Brier score of {what}, with its 95 % interval",
            strong=lambda row: row.phase is None,
        )

    tables = [table("score", "the value"), table("wdl", "win, draw and loss")]
    title = "Scores with their own intervals, and of win, draw and loss"
    return [Section(title, tables, folded=True)]


def _recalibration(boundaries: Boundaries) -> list[Item]:
    maps = Table(
        "maps",
        [
            Column("", "name"),
            Column("phase", "phase"),
            Column("training", lambda one: one.training + 1),
            Column("slope", "slope", numbers.decimal),
            Column("shift", "shift", numbers.signed),
            Column("validation positions", "positions", numbers.count),
        ],
        boundaries.maps,
        "Log-odds of the recalibrated value = slope · log-odds + shift. A slope below 1 belongs to "
        "a network that was too sure of itself.",
    )
    return [
        Text(
            "A difference between experts may be one of scale: one is surer of itself than the "
            "other. To see how much, each expert’s values were mapped by the two numbers that fit "
            "the validation positions of its phase best, and so were the one network’s, by a map "
            "for each phase."
        ),
        bullets(_calibration_sentences(boundaries)),
        boundary_table(boundaries, ", recalibrated"),
        Section("The maps", [maps], folded=True),
    ]


def _boundary_sentences(boundaries: Boundaries) -> list[str]:
    """Return how far neighbouring experts are apart, and beside what."""
    every = boundaries.rows[0]
    apart = every.numbers["apart"]
    if apart is None:
        return ["No test position lies near a boundary, so nothing was measured."]
    size = (
        f"Within {numbers.in_words(boundaries.near)} plies of a boundary the values of the two "
        f"experts differ by {_size(apart)} on average, of a scale from −1 to 1, over "
        f"{numbers.count(every.positions)} positions of {numbers.count(every.games)} games."
    )
    found = [
        size,
        _beside_step(every),
        _compared(
            every.numbers.get("apart − placebo"),
            "Any two of the placebo’s experts, whose parts mean nothing, differ at these positions "
            "too; the phases’ experts differ {}",
            ("more", "less", "by an amount that is not told apart from it"),
        ),
        _compared(
            every.numbers["crossing, difference"],
            "From the last position of a phase to the first of the next, the mixture's value "
            "changes {} the one network’s does",
            ("more than", "less than", "by an amount not told apart from what"),
        ),
    ]
    return [one for one in found if one]


def _calibration_sentences(boundaries: Boundaries) -> list[str]:
    """Return what recalibration by phase changed."""
    gains = [
        _compared(
            row.cells[ALL].gained,
            f"Recalibration by phase {{}} the {row.name}’s Brier score",
            ("raised", "lowered", "did not clearly change"),
            digits=4,
        )
        for row in boundaries.brier
        if row.phase is None and row.recalibrated
    ]
    apart = _compared(
        boundaries.rows[0].numbers["apart, gained"],
        "With recalibrated values the experts are {} they were before",
        ("farther apart than", "less far apart than", "not told apart from what"),
    )
    return [one for one in (*gains, apart) if one]


def _beside_step(row: BoundaryRow) -> str:
    step, ratio = row.numbers["step, one network"], row.numbers["apart by step"]
    if step is None or ratio is None:
        return ""
    return (
        f"The one network’s value changes from one ply to the next there by {_size(step)}, so the "
        f"experts are apart by {numbers.plain_interval(ratio)} such steps."
    )


def _compared(
    interval: Interval | None, text: str, words: tuple[str, str, str], digits: int = 3
) -> str:
    """Return a sentence with the word of a difference's verdict; empty if nothing was measured."""
    if interval is None:
        return ""
    word = dict(zip(("higher", "lower", "unclear"), words, strict=True))[verdict(interval)]
    return f"{text.format(word)}: {numbers.signed_interval(interval, digits)}."


_BETTER: dict[str, Verdict] = {"regret": "lower", "best moves": "higher", "won": "higher"}
"""Which way each metric of moves by perfect play is the better one."""


def exact_section(exact: Exact) -> Section:
    """Return the section on moves that were judged by perfect play."""
    metrics = exact.rows[0].numbers
    return Section(
        "What came out: moves by perfect play",
        [
            Text(_exact_paragraph(exact)),
            exact_table(exact),
            Section("By phase", [_exact_by_phase(exact, one) for one in metrics], folded=True),
            bullets(_exact_sentences(exact)),
        ],
    )


def exact_table(exact: Exact) -> Table:
    """Return the worth of every player's moves over all positions."""

    def beside(row: ExactRow, metric: str) -> str:
        found = row.differences.get(metric)
        return _gap(found) if found else ""

    some = exact.kind is None or 0 < exact.searched < exact.positions
    searched = (
        f", those of searches over {numbers.count(exact.searched)} of them"
        if exact.searched
        else ""
    )
    trainings = (
        ", with the difference to one network and its 95 % interval over trainings"
        f"{', and over games or positions where these are drawn,' if some else ''} below"
        if exact.trainings > 1
        else ""
    )
    metrics = exact.rows[0].numbers
    columns = columns_by(metrics, lambda row, metric: row.numbers[metric][ALL], _mean, below=beside)
    return Table(
        "exact",
        [Column("", "name"), *columns],
        exact.rows,
        f"Means over {numbers.count(exact.positions)} positions{searched}{trainings}",
        strong=lambda row: row is exact.rows[-1],
    )


def _exact_by_phase(exact: Exact, metric: str) -> Table:
    columns = columns_by(
        exact.rows[0].numbers[metric], lambda row, name: row.numbers[metric][name], _mean
    )
    return Table(f"exact, {metric}", [Column("", "name"), *columns], exact.rows, metric)


def _exact_paragraph(exact: Exact) -> str:
    """Return what was judged by perfect play, and how."""
    searched = (
        f", but for those of searches, over {numbers.count(exact.searched)} of them that are drawn"
        if 0 < exact.searched < exact.positions
        else ""
    )
    which = (
        f"all {numbers.count(exact.positions)} positions {exact.kind}, so that no chance of a "
        f"sample is in these numbers{searched}"
        if exact.kind is not None
        else f"{numbers.count(exact.positions)} positions of random games that occur in no "
        "training game"
    )
    won = (
        " Won: the share of positions from which the likeliest moves win within the rules against "
        "a defender who knows them; drawn: the chance of winning if every move is drawn from the "
        "policy."
        if "won" in exact.rows[0].numbers
        else ""
    )
    return (
        f"Perfect play of this game is known. The likeliest moves of every network were judged in "
        f"{which}. Regret: what the outcome loses by a move, 1 from a win to a loss. Perfect: of "
        "the positions where some move loses something, the share in which it does not. Best: "
        "moves that lose no time either. Distance: how much longer the win takes, or how much "
        f"sooner the loss comes, a move.{won}"
    )


def _exact_sentences(exact: Exact) -> list[str]:
    """Return whether experts or one network play the better moves, by main metric."""
    if exact.trainings == 1:
        alone = (
            "There was one training of each side: the numbers are about these very networks, and "
            "say nothing of others."
        )
        return [alone]
    found = []
    for metric, better in _BETTER.items():
        for row in exact.rows:
            difference = row.differences.get(metric)
            if difference is None:
                continue
            said = verdict(difference)
            word = {better: "better than", "unclear": "not told apart from"}.get(said, "worse than")
            found.append(
                f"{metric.capitalize()}: the {row.name} is {word} one network, {_gap(difference)}."
            )
    return found


_PANELS = (
    (
        "Two experts, one position",
        "mean difference of values",
        (
            ("experts", "the phases’ two experts", plots.PHASE),
            ("placebo", "any two of the placebo", plots.PLACEBO),
        ),
    ),
    (
        "One ply to the next",
        "mean change of the value",
        (("mixture", "mixture", plots.PHASE), ("one", ONE, plots.INK)),
    ),
)
"""Titles, labels and lines of both parts of :func:`_around_a_boundary`."""


def _around_a_boundary(boundaries: Boundaries) -> Figure:
    """Show experts' differences and changes from ply to ply, by plies from the boundary."""

    def draw() -> Any:
        figure, panels = plots.axes(plots.WIDTH, 3.1, columns=2)
        for plot, (title, label, lines) in zip(panels, _PANELS, strict=True):
            plots.entitle(plot, title)
            for name, who, colour in lines:
                known = [(place.offset, getattr(place, name)) for place in boundaries.places]
                # Of too few games there is no interval to draw.
                drawn = [(x, found) for x, found in known if found is not None and found.is_known]
                if drawn:
                    x, found = zip(*drawn, strict=True)
                    plots.with_intervals(plot, x, found, who, colour)
            plot.axvline(-0.5, color=plots.GRID, linewidth=1.2)
            plot.set_xlabel("plies since the new phase began")
            plot.set_ylim(bottom=0)
            plot.set_xticks([place.offset for place in boundaries.places])
            if plot.get_legend_handles_labels()[0]:
                plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK)
            plot.set_ylabel(label)
        return figure

    words = "; ".join(
        f"{place.offset}: experts {numbers.plain_interval(place.experts, 3)}, mixture's change "
        f"{numbers.plain_interval(place.mixture, 3)}, one network's "
        f"{numbers.plain_interval(place.one, 3)}"
        for place in boundaries.places
    )
    has_placebo = any(place.placebo is not None for place in boundaries.places)
    placebo = ", and between any two of the placebo’s" if has_placebo else ""
    caption = (
        "Values around a boundary, between the last position of a phase (−1) and the first of the "
        "next (0), with 95 % intervals. Left: the size of the difference between the two phases’ "
        f"experts{placebo}. Right: the size of the change since the ply before."
    )
    text = f"Differences and changes of values by plies from a boundary. {words}."
    return Figure("boundary", draw, caption, text)
