"""Report of a run: the study's claims, its figures measured again, other readings and endings."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import counted
from phasezoo.experiments.curves import (
    general,
    lowest_figure,
    lowest_table,
    numbers_behind,
    panels_figure,
)
from phasezoo.experiments.krk.claims import COLOURS, Reproduced, elsewhere, reproduced
from phasezoo.experiments.krk.config import VARIANTS, KrkConfig, Variant
from phasezoo.experiments.krk.measurements import CellSummary, GroupSummary, Results, Tally
from phasezoo.experiments.statistics import wilson
from phasezoo.experiments.study import study_report
from phasezoo.report import numbers, plots
from phasezoo.report.document import (
    Claim,
    Column,
    Document,
    Figure,
    Item,
    Section,
    Table,
    Text,
    estimate,
    judgements,
)
from phasezoo.zoo.krk import readings as published
from phasezoo.zoo.krk.readings import DIFFERENCES, ENDINGS


def report(results: Results) -> Document:
    """Return the report."""
    found, config = reproduced(results), results.config
    sections = [
        Section("The study’s claims", [Text(_CLAIMS), _claims_table(found)]),
        Section(
            "Its figures, measured again",
            [
                Section(f"Figure {one.number} of the study: {one.title}", _figure(results, one))
                for one in found
            ],
        ),
    ]
    if results.readings:
        sections.append(Section("Readings of the study", _readings(results)))
    if results.endings:
        sections.append(Section("Other endings", [Text(_ENDINGS), endings_table(results)]))
    if results.elsewhere is not None:
        there = elsewhere(results.elsewhere, config)
        inside = Section(there.title, _figure(results, there, "positions"))
        sections.append(Section("C and T elsewhere", [inside]))
    every_setting = Section("Every setting", [_cells_table(results)], folded=True)
    games: list[Item] = [Text(_variant_sentence(results)), variants_table(results), every_setting]
    return study_report(
        results,
        [*sections, Section("All games", games)],
        title="How much should a search explore?",
        headline=headline([claim for one in found for claim in one.claims]),
        lead=(
            "A tree search that knows only the rules, and plays its simulations out to the end, "
            "mates with king and rook. How does the way it divides its simulations change how well "
            "it does?"
        ),
        subject="reproduce krk",
        source="study",
        answer=[Text(_introduction(results))],
        terms=_terms(config),
        limits=_limits(config),
        beside=(
            "every game (games.jsonl), all numbers (results.json), the settings (config.json) and "
            "versions."
        ),
    )


_CLAIMS = (
    f"{published.CITATION}. Verdicts follow rules that stand beside each figure, not the eye; “not "
    "settled” means that this many games do not tell."
)

_READINGS = (
    "The study’s text leaves things open that its author’s program settles. Each row takes one of "
    "them alone, from the text (thesis) or from the program (author), over the same settings (a "
    "change is over those in which both won games). Marked: the length differs from that of the "
    "reading which is changed, by a 95 % interval that holds for all rows together."
)

_LOWEST = "Share of resamples in which the curve is lowest there; outlined: what the study says"

_ENDINGS = (
    "The same search with the same settings and rollouts against a lone king, from the starts of "
    "the author’s program, with other pieces. The defender is perfect here too."
)


def _terms(config: KrkConfig) -> str:
    return f"""\
- **C**: The exploration constant: a child’s value is m / n + C · √(ln N / n).
- **T**: A node visited more than T times selects a child; others start a rollout.
- **DTM**: Distance to mate, in White’s moves, when both sides play perfectly.
- **DTM difference**: DTM after the move played less DTM after the best move: 0 is perfect. Moves
  that give the win away have none and are counted apart.
- **Collapse**: Black’s reply was not in the tree, which is then thrown away.
- **95 % interval**: From {numbers.count(config.resamples)} draws of games with replacement within
  each setting, with Student’s tails; a curve’s point is the mean of its settings.
"""


def _limits(config: KrkConfig) -> str:
    ties = f", equally good defences {config.defender_ties}" if config.defender_ties else ""
    black = "1 − m / n" if config.defender == "oppose" else "m / n, as White’s do"
    others = f", and {config.other_games} for the other searches"
    return f"""\
- The claims are judged by one ending from one start with mate in 15, as in the study. Its text does
  not name the start, so that ours by that reading may be another.
- The study is read as {config.reading}{ties}.
- Inside the search, Black’s nodes maximise {black}; the other reading is an option.
- Intervals count games, not implementations: details of the rollout policy that the study leaves
  open can move every number.
- Resampling adds chance to chance, which draws correlations and taus towards “not settled”. Where a
  curve is nearly flat, the distribution of its arg-min says less than it seems to; verdicts on the
  best C and T therefore rest on differences.
- Few games a setting ({config.games}{others if len(config.variants) > 1 else ""}) make intervals of
  single settings rough; whole curves rest on many more.
"""


def headline(claims: Sequence[Claim]) -> str:
    """Return the main result as one line."""
    agree, disagree, open_ = judgements(claims).values()
    return (
        f"Of the study’s {agree + disagree + open_} claims, {counted(agree)} "
        f"{'agrees' if agree == 1 else 'agree'} with our games, {counted(disagree)} "
        f"{'disagrees' if disagree == 1 else 'disagree'}, {counted(open_)} "
        f"{'is' if open_ == 1 else 'are'} not settled"
    )


def _introduction(results: Results) -> str:
    config, run = results.config, results.provenance
    games = sum(own.games for own in results.variants.values())
    games += sum(one.tally.games for one in results.readings[1:])
    budgets = " or ".join(numbers.count(b) for b in config.budgets)
    others = [VARIANTS[v] for v in config.variants if v != "uct"]
    beside = f", and beside it by {' and by '.join(others)}" if others else ""
    return (
        f"White, with king and rook, played {numbers.count(games)} games from one position with "
        f"mate in {published.MATE_IN} against a king that defends perfectly, each time by plain "
        f"UCT with rollouts and nothing learned{beside} (reading: {config.reading}). The "
        f"exploration constant C took {_values(config.constants)} and the threshold T "
        f"{_values(config.thresholds)}, with {budgets} simulations before "
        f"each move and {numbers.count(config.first_simulations)} before the first, "
        f"{numbers.plural(config.games, 'game')} a setting. It took "
        f"{numbers.duration(sum(results.seconds.values()))} on {run.processor} with "
        f"{numbers.plural(run.threads, 'game')} at a time."
    )


def _values(given: Sequence[float]) -> str:
    ends = numbers.between(f"{given[0]:g}", f"{given[-1]:g}")
    return f"{numbers.plural(len(given), 'value')}{',' if len(given) == 1 else ' from'} {ends}"


def _variant_sentence(results: Results) -> str:
    parts = [
        f"{VARIANTS[variant]} won {numbers.percent(one.won / one.games)} of "
        f"{numbers.count(one.games)} games and gave the win away in "
        f"{numbers.percent(one.gave_away / one.games)}"
        for variant, one in results.variants.items()
        if one.games
    ]
    return "; ".join(parts) + "."


def _figure(results: Results, one: Reproduced, drawn_again: str = "games") -> list[Item]:
    """Return a figure's plots, where its curves are lowest, its claims, and its numbers."""
    if not one.panels:
        won = (
            "Ours, not the study’s: the share of games won by each setting, against the same mean "
            "DTM difference, with Wilson’s 95 % intervals. The difference counts moves that kept "
            "the win alone; what turned a win into a draw is seen here."
        )
        cells = results.cells
        return [_lengths_figure(cells, one.about), _win_rates_figure(cells, won), *one.claims]
    name = one.number.replace(".", "-")
    caption = f"{one.about} Bands are 95 % intervals over {drawn_again}."
    items: list[Item] = [panels_figure(f"figure-{name}", one.title, one.panels, caption)]
    # A few distributions are drawn; for many a table is easier to read.
    if len(one.choices) > 2:
        for axis, curves in groupby(one.choices, lambda curve: curve.axis):
            items.append(lowest_table(f"best {axis}, {one.number}", list(curves), _LOWEST))
    elif one.choices:
        shaded = "Where these curves are lowest, by resamples; the study’s value is shaded."
        items.append(lowest_figure(f"choice-{name}", one.choices, shaded))
    return [*items, *one.claims, numbers_behind(one.number, one.title, one.panels)]


def _readings(results: Results) -> list[Item]:
    caption = "Length of won games; shaded: the study’s averages; dotted: the two readings."
    program = Table.of_pairs("differences", DIFFERENCES.items(), ("name", "the program"))
    return [
        Text(_READINGS),
        _readings_figure(results.readings, caption),
        readings_table(results),
        Section("What the program does otherwise", [program], folded=True),
    ]


class _Search(NamedTuple):
    """A row of the table of all games."""

    name: str
    tally: Tally


def _counted(head: str, part: Callable[[Tally], int]) -> Column:
    return Column(head, lambda row: part(row.tally), numbers.count)


def _share(head: str, part: Callable[[Tally], int], digits: int = 1) -> Column:
    """Return a part of a row's games, as a share of all of them."""

    def share(row: Any) -> Interval:
        return wilson(part(row.tally), row.tally.games)

    return estimate(head, share, lambda value: numbers.percent(value, digits))


def _time() -> Column:
    return Column(
        "time a game", lambda row: row.tally.seconds / row.tally.games, lambda s: f"{s:.2f} s"
    )


def _best_constants(config: KrkConfig) -> Column:
    def text(row: GroupSummary) -> str:
        return "; ".join(
            f"{numbers.count(budget)} simulations: "
            f"{general([config.constants[place] for place in best.contenders])}"
            for budget, best in zip(config.budgets, row.best, strict=True)
        )

    return Column("C that may be best", text, prose=True)


_GAMES = _counted("games", lambda tally: tally.games)
_WON = _share("won", lambda tally: tally.won)
_LENGTH = Column("moves (won games)", "length", lambda found: numbers.plain_interval(found, 1))
_DIFFERENCE = Column("DTM difference", "difference", lambda f: numbers.plain_interval(f, 3))


def _claims_table(found: Sequence[Reproduced]) -> Table:
    tones = {"agrees": 0.25, "disagrees": -0.25}
    columns = [
        Column("figure", 0),
        Column("the study says", lambda row: row[1].text, prose=True),
        Column(
            "verdict", lambda row: row[1].judgement, tone=lambda row: tones.get(row[1].judgement)
        ),
    ]
    return Table("claims", columns, [(one.number, claim) for one in found for claim in one.claims])


def readings_table(results: Results) -> Table:
    """Return the length of games by reading, and the change by what a reading takes alone."""
    columns = [
        Column("reading", "name"),
        _GAMES,
        _WON,
        _LENGTH,
        Column("change", "change", lambda change: numbers.signed_interval(change, 1)),
        _best_constants(results.config),
    ]
    return Table("readings", columns, results.readings)


def endings_table(results: Results) -> Table:
    """Return games against a lone king by the pieces that White has."""
    columns = [
        Column("White has", lambda row: ENDINGS[row.name].title),
        Column("mate in", lambda row: ENDINGS[row.name].mate_in),
        _GAMES,
        _WON,
        _share("gave a win away", lambda tally: tally.gave_away),
        _LENGTH,
        _DIFFERENCE,
        _best_constants(results.config),
    ]
    caption = "In brackets: 95 % intervals over games"
    return Table("endings", columns, results.endings, caption)


def variants_table(results: Results) -> Table:
    """Return all games by search."""

    def reasons(row: _Search) -> str:
        found = row.tally.reasons.items()
        return ", ".join(f"{why.replace('_', ' ')} {numbers.count(games)}" for why, games in found)

    columns = [
        Column("", "name"),
        _GAMES,
        _WON,
        _share("win given away", lambda tally: tally.gave_away),
        _counted("moves that gave it away", lambda tally: tally.given_away),
        _counted("moves", lambda tally: tally.moves),
        Column("ends", reasons, prose=True),
        _time(),
    ]
    rows = [_Search(VARIANTS[v], tally) for v, tally in results.variants.items() if tally.games]
    return Table("games", columns, rows)


def _cells_table(results: Results) -> Table:
    columns = [
        Column("search", lambda row: VARIANTS[row.cell.variant]),
        Column("C", lambda row: row.cell.constant, "{:g}".format),
        Column("T", lambda row: row.cell.threshold),
        Column("simulations", lambda row: row.cell.budget, numbers.count),
        _GAMES,
        _share("won", lambda tally: tally.won, 0),
        _counted("gave the win away", lambda tally: tally.gave_away),
        _DIFFERENCE,
        _LENGTH,
        Column("collapses", "collapses", lambda found: numbers.plain_interval(found, 1)),
        _time(),
    ]
    caption = "In brackets: 95 % interval over the games of the setting"
    return Table("settings of the search", columns, results.cells, caption)


def _lengths_figure(cells: Sequence[CellSummary], caption: str) -> Figure:
    """Show figure 4.2: a point per cell, and the study's range of lengths."""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.6)
        plot.axhspan(*published.LENGTHS, color=plots.PAPER, alpha=0.13, linewidth=0)
        _scatter(plot, cells, lambda cell: cell.length)
        plot.set_ylabel("White’s moves in a won game")
        low, high = published.LENGTHS
        plots.legend_under(plot, 110, [f"{low:g} to {high:g} moves (the study)"])
        return figure

    words = "Length of won games against DTM difference, a point per setting of the search."
    return Figure("figure-4-2", draw, caption, words)


def _win_rates_figure(cells: Sequence[CellSummary], caption: str) -> Figure:
    """Show the share of games won against the DTM difference, a point per cell (ours)."""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.2)
        _scatter(plot, cells, lambda cell: wilson(cell.tally.won, cell.tally.games), scale=100)
        plot.set_ylabel("% of games won")
        plots.legend(plot, loc="lower left")
        return figure

    words = []
    for variant, shown in _by_variant(cells):
        shares = [100 * cell.tally.won / cell.tally.games for cell in shown]
        low, high = min(shares), max(shares)
        won = numbers.between(f"{low:.1f}", f"{high:.1f}")
        words.append(f"{VARIANTS[variant]}: {won} % of a setting's games won")
    return Figure("win-rates", draw, caption, "; ".join(words) + ".")


def _readings_figure(readings: Sequence[GroupSummary], caption: str) -> Figure:
    """Show the lengths of all readings, under the one that each changes."""
    shown = [(one, one.length) for one in readings if one.length is not None]

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 0.23 * len(shown) + 0.9)
        plot.axvspan(*published.LENGTHS, color=plots.PAPER, alpha=0.13, linewidth=0)
        for place, (one, length) in enumerate(shown):
            colour = plots.PHASE if one.base is None else plots.BASELINE
            if one.change is not None and (one.change.low > 0 or one.change.high < 0):
                colour = plots.PLACEBO
            plot.hlines(place, length.low, length.high, color=colour, alpha=0.6)
            plot.plot([length.value], [place], "o", color=colour, markersize=4)
            if one.base is None:
                plot.axvline(length.value, color=colour, linewidth=0.7, linestyle=":")
        plot.set_yticks(range(len(shown)), [one.name for one, _ in shown])
        plot.set_ylim(len(shown) - 0.4, -0.6)
        plot.set_xlabel("White’s moves in a won game")
        return figure

    words = "; ".join(f"{one.name} {numbers.plain_interval(length, 1)}" for one, length in shown)
    return Figure("readings", draw, caption, f"Length of won games by reading. {words}.")


def _by_variant(cells: Sequence[CellSummary]) -> Iterator[tuple[Variant, list[CellSummary]]]:
    """Cells by search, of those that have a DTM difference: some move of theirs kept a win."""
    for variant in dict.fromkeys(cell.cell.variant for cell in cells):
        shown = [c for c in cells if c.cell.variant == variant and c.difference is not None]
        if shown:
            yield variant, shown


def _scatter(
    plot: Any,
    cells: Sequence[CellSummary],
    height: Callable[[CellSummary], Any],
    scale: float = 1,
) -> None:
    """Draw a number of every cell over its DTM difference; one without either is left out."""
    for variant, found in _by_variant(cells):
        shown = [(c.difference, y) for c in found if c.difference and (y := height(c))]
        if not shown:  # no game of it was won
            continue
        x = [difference.value for difference, _ in shown]
        colour = COLOURS[VARIANTS[variant]]
        low, high = [scale * y.low for _, y in shown], [scale * y.high for _, y in shown]
        plot.vlines(x, low, high, color=colour, alpha=0.15)
        plot.plot(x, [scale * y.value for _, y in shown], "o", color=colour, markersize=3.5,
                  alpha=0.8, label=VARIANTS[variant])  # fmt: skip
    plot.set_xlabel("DTM difference a move (moves)")
