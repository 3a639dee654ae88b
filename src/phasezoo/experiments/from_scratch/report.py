"""Results of a run and their report: experts beside one network, and the paper's claims."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import BY_ELO, by_sign
from phasezoo.experiments.from_scratch import published
from phasezoo.experiments.from_scratch.config import ScratchConfig
from phasezoo.experiments.learning import LearningRun
from phasezoo.experiments.matches import MatchSummary, result_columns
from phasezoo.experiments.study import RunResults, study_report, took
from phasezoo.report import numbers, plots
from phasezoo.report.document import Claim, Column, Document, Figure, Section, Table, Text

_BY_MORE = (
    "agrees if the whole 95 % interval of the Elo difference lies above the claim’s number, "
    "disagrees if it lies below"
)

_SETTLES = (
    f"not settled by one training, by fewer than {published.UPDATES} rounds, or by another game "
    f"than {published.GAME}"
)


@dataclass(frozen=True)
class Advantage:
    """Experts beside one network that has learned for the same number of rounds."""

    strategy: str
    """How the experts learned."""
    update: int
    """Rounds so far."""
    matches: list[MatchSummary] = field(metadata={"once": "meetings"})
    """A match for each training: the experts against the one network of the same seed."""
    elo: Interval
    """Elo of the experts over the network; with several trainings the interval counts these."""


@dataclass(frozen=True)
class Results(RunResults):
    """Everything a run found."""

    config: ScratchConfig
    runs: list[LearningRun] = field(metadata={"once": "courses"})
    """Every training of every player."""
    advantages: list[Advantage]
    """By strategy, then by round."""


def report(results: Results) -> Document:
    """Return the report."""
    config = results.config
    return study_report(
        results,
        [
            Section(
                "The paper’s claims",
                [
                    Text(f"{published.CITATION} (Fig. 5; Tables XI and XII)."),
                    *claims_of(results.advantages, config),
                    _sizes_table(config),
                ],
            ),
            Section(
                "Experts against one network",
                [
                    _advantages_figure(results),
                    advantages_table(results.advantages),
                    _matches_table(results.advantages),
                ],
            ),
            Section(
                "How every player learned",
                [_lengths_figure(results.runs), _runs_table(results.runs)],
            ),
        ],
        title="Do experts for the phases help a network that teaches itself?",
        headline=_headline(results),
        lead=(
            "Nobody shows them a game: one network, and experts for the phases, begin with random "
            "weights and learn from games against themselves. Who is ahead after as many rounds?"
        ),
        subject=f"reproduce m2cts --from-scratch · {config.game}",
        source="paper",
        answer=[Text(_introduction(results))],
        terms=_terms(config),
        limits=_LIMITS,
        beside=(
            "every network and game (learn/), the matches (matches/), all numbers (results.json), "
            "the settings (config.json)."
        ),
    )


_LIMITS = """\
- Experts share a round’s samples; in the paper each training gets its full amount.
- Moves of matches are drawn in proportion to visits in the first 12 plies, so that games differ.
- At small sizes play is weak; a verdict is of this size.
"""


_ONE_VALUE = """\
- **value=shared**: every phase has the value of a network of all phases, which learns from half of
  the samples, and its expert’s policy.
"""


def _terms(config: ScratchConfig) -> str:
    interval = (
        "Over trainings first and games second (Student’s t over matches of one seed)."
        if config.trainings > 1
        else "Over games: one training says nothing of how other trainings would come out."
    )
    return (
        "- **Separated**: each expert learns samples of its phase alone, from its own weights.\n"
        "- **Staged**: a network of all phases learns first; then each expert goes on from it with "
        "samples of its phase.\n"
        f"{_ONE_VALUE if any('value=shared' in one for one in config.strategies) else ''}"
        "- **Elo**: of the experts over the one network, from pairs of games from one opening.\n"
        f"- **95 % interval**: {interval}\n"
    )


def advantages_table(advantages: Sequence[Advantage]) -> Table:
    """Return experts beside one network, by strategy and round."""

    def games(one: Advantage) -> str:
        wins, draws, losses = (
            sum(getattr(match, name) for match in one.matches)
            for name in ("wins", "draws", "losses")
        )
        return f"+{wins} ={draws} −{losses}"

    columns = [
        Column("strategy", "strategy"),
        Column("rounds", "update"),
        Column("games", games),
        Column("Elo", "elo", numbers.elo_interval),
    ]
    return Table("advantages", columns, advantages, "Experts against one network")


def _matches_table(advantages: Sequence[Advantage]) -> Table:
    rows = [
        (one, training, match)
        for one in advantages
        for training, match in enumerate(one.matches, 1)
    ]
    columns = [
        Column("strategy", lambda row: row[0].strategy),
        Column("rounds", lambda row: row[0].update),
        Column("training", 1),
        *result_columns(lambda row: row[2]),
    ]
    return Table("matches", columns, rows, "The same for each training")


def _sizes_table(config: ScratchConfig) -> Table:
    rows = [
        ("rounds", config.updates, published.UPDATES),
        (
            "games a round",
            numbers.count(config.games),
            f"as many as {numbers.count(published.NEW_SAMPLES)} samples take",
        ),
        ("nodes a move", config.nodes, published.NODES),
        ("trainings a side", config.trainings, published.TRAININGS),
        ("network", config.network, "RISEv3.3"),
    ]
    columns = [Column("", 0), Column("this run", 1), Column("the paper", 2)]
    return Table("sizes", columns, rows, "The size of both")


def _runs_table(runs: Sequence[LearningRun]) -> Table:
    columns = [
        Column("", "name"),
        Column("games", lambda run: run.rounds[-1].games, numbers.count),
        Column("samples learned", lambda run: run.rounds[-1].learned, numbers.count),
        Column("plies a game, first round", lambda run: run.rounds[0].plies, numbers.whole),
        Column("last round", lambda run: run.rounds[-1].plies, numbers.whole),
        Column("time", "seconds", numbers.duration),
    ]
    return Table("learning", columns, runs)


def claims_of(advantages: Sequence[Advantage], config: ScratchConfig) -> list[Claim]:
    """Return the paper's claims of each strategy after its ten rounds, beside our last round.

    How a training comes out is chance too, so that one training settles nothing; nor do fewer
    rounds, or another game.
    """
    is_theirs = config.game == published.GAME and config.updates >= published.UPDATES
    settles = is_theirs and config.trainings > 1
    last = {one.strategy: one for one in advantages if one.update == config.updates}
    found = []
    for strategy, theirs in published.ELO.items():
        if strategy not in last:
            continue
        elo = last[strategy].elo
        above = theirs > 0
        text = (
            f"From random weights, {strategy} experts are "
            f"{'more than' if above else 'about'} {abs(theirs):.0f} Elo "
            f"{'above' if above else 'below'} one network after {published.UPDATES} rounds."
        )
        ours = f"Elo after {_rounds(config.updates)}: {numbers.elo_interval(elo)}."
        known = elo if settles else None
        rule = f"{_BY_MORE if above else BY_ELO}; {_SETTLES}"
        if known is not None and above:  # more than a number: by the sign of what is left
            known = Interval(*(end - theirs for end in (known.value, known.low, known.high)))
        found.append(Claim(text, ours, rule, by_sign(known, "higher" if above else "lower")))
    return found


def _headline(results: Results) -> str:
    last = [one for one in results.advantages if one.update == results.config.updates]
    found = ", ".join(f"{one.strategy} {numbers.elo_interval(one.elo)}" for one in last)
    return f"Elo of experts over one network after {_rounds(results.config.updates)}: {found}"


def _introduction(results: Results) -> str:
    config = results.config
    several = "s" if config.trainings > 1 else ""
    experts = " and by ".join(config.strategies)
    return (
        f"{numbers.in_words(len(config.strategies) + 1).capitalize()} sides learned {config.game} "
        "from random weights, each by games against itself: one network, and experts by "
        f"{experts} learning for the phases of {config.gate}; {_rounds(config.updates)} of "
        f"{config.games} games with {config.nodes} nodes a move, "
        f"{numbers.in_words(config.trainings)} training{several} a side. Every side learned about "
        f"as many samples a round. Matches are of {config.match_games} games with "
        f"{config.match_nodes} nodes a move, experts against the network of the same seed. In "
        f"total it {took(results)}."
    )


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"


def _advantages_figure(results: Results) -> Figure:
    """Show the experts' Elo over one network by rounds, the paper's figures at the right."""
    found = results.advantages
    figures = published.ELO if results.config.game == published.GAME else {}
    theirs = "; diamonds are the paper’s figures after its ten rounds" if figures else ""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 3.2)
        plot.axhline(0, color=plots.BASELINE, linewidth=1)
        for place, strategy in enumerate(dict.fromkeys(one.strategy for one in found)):
            own = [one for one in found if one.strategy == strategy]
            x = [one.update + 0.08 * place for one in own]
            plots.with_intervals(plot, x, [one.elo for one in own], strategy, _colour(place))
            if strategy in figures:
                plot.plot([published.UPDATES], [published.ELO[strategy]], "D", color=plots.PAPER,
                          markersize=5)  # fmt: skip
        _name_rounds(plot, "Elo over one network")
        plot.legend(frameon=False, fontsize=8.5, labelcolor=plots.INK)
        return figure

    over = "trainings" if results.config.trainings > 1 else "games alone"
    words = "; ".join(
        f"{one.strategy} after {one.update} rounds {numbers.elo_interval(one.elo)}" for one in found
    )
    return Figure(
        "advantages",
        draw,
        "Experts against one network that has learned for as many rounds. Bars are 95 % "
        f"intervals, over {over}{theirs}.",
        f"Elo of experts over one network: {words}.",
    )


def _lengths_figure(runs: Sequence[LearningRun]) -> Figure:
    """Show the mean length of games by rounds, a line for each training."""

    def draw() -> Any:
        figure, plot = plots.axes(plots.WIDTH, 2.6)
        for place, run in enumerate(runs):
            rounds = [one.update for one in run.rounds]
            plot.plot(rounds, [one.plies for one in run.rounds], "-o", markersize=3,
                      color=_colour(place), label=run.name)  # fmt: skip
        _name_rounds(plot, "plies a game")
        plot.legend(frameon=False, fontsize=8, labelcolor=plots.INK, ncols=3)
        return figure

    words = "; ".join(
        f"{run.name} "
        + numbers.between(*(numbers.whole(one.plies) for one in (run.rounds[0], run.rounds[-1])))
        for run in runs
    )
    return Figure(
        "plies",
        draw,
        "How long games of self-play were.",
        f"Mean length of games by rounds: {words}.",
    )


def _name_rounds(plot: Any, label: str) -> None:
    plot.set_xlabel("rounds of playing and learning")
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.set_ylabel(label)


def _colour(place: int) -> str:
    colours = (plots.PHASE, plots.PLACEBO, plots.BASELINE, plots.INK, plots.MUTED)
    return colours[place % len(colours)]
