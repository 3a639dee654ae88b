"""Report of a match or tournament: ratings, scores, ends of games, work, and its figures."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from phasezoo.arena import Match, SideStats, Standings
from phasezoo.arena.summary import kinds_line
from phasezoo.report import numbers, plots
from phasezoo.report.document import Column, Document, Figure, Item, Section, Table, Text, literal

_TERMS = """\
- **Score**: points a game: 1 for a win, ½ for a draw.
- **Elo**: the difference in strength that explains the scores: 400 more is ten times the odds. Of
  two players it comes from pairs of games with one opening; of more from a model of all games
  together.
- **95 % interval**: of intervals made like this one, 95 of 100 contain the true value. With too few
  games none is shown.
- **Rows, calls, off phase**: positions that networks answered, in so many batches; the share
  answered by the expert of another phase.
"""

_LIMITS = """\
- Strength against these players, at these limits, from these openings.
- A game that was cut at a number of plies counts as a draw.
"""


def report(standings: Standings, kind: str, date: str, again: Section) -> Document:
    """Return the report."""
    names, game = standings.names, standings.game
    if len(names) == 2:
        players = "a match"
    elif standings.trainings:
        players = "trainings of two kinds"
    else:
        players = f"a {standings.format} between {numbers.in_words(len(names))} players"
    return Document(
        title=" v ".join(names) if len(names) == 2 else f"Who plays {game} best?",
        headline=_headline(standings),
        lead=(
            f"{numbers.count(len(standings.games))} games of {game}: {players}. Each opening is "
            "played once with each colour."
        ),
        kicker=f"phasezoo · {kind} · {game} · {date}",
        answer=[Text(_verdict(standings) + _stopped(standings))],
        items=[
            Section("The table", [_ranking(standings)]),
            Section("Who scored what against whom", [_cross_table(standings)]),
            Section("Ratings, scores and lengths", _figures(standings)),
            Section("How games ended", [_ends(standings)]),
            Section("What it took", _work(standings)),
            Section("Terms and limits", [Text(_TERMS), Section("Limits", [Text(_LIMITS)])]),
            again,
        ],
    )


def _headline(standings: Standings) -> str:
    if len(standings.names) == 2:
        match = standings.as_match()
        first, second = match.sides
        scored = f"{first.name} scored {match.score:.1%} against {second.name}"
        return f"{scored}: Elo {match.elo}" if match.num_players == 2 else scored
    if standings.trainings is not None:
        return kinds_line(standings)
    line = standings.lines[standings.ranking[0]]
    return f"{line.name} leads with {line.points:g} points of {line.games} games"


def _verdict(standings: Standings) -> str:
    """Whether the games show who of the best two is stronger, by their ratings."""
    best = [standings.names[place] for place in standings.ranking[:2]]
    match = standings.crosstable.get((best[0], best[1]))
    first, second = map(literal, best)
    if match is None or match.num_players != 2:
        return f"{first} is rated first, {second} second."
    # The headline of a match has the difference already.
    elo = "" if len(standings.names) == 2 else f": Elo {match.elo}"
    if match.elo.low > 0:
        return f"Their games say that {first} is stronger than {second}{elo}."
    if match.elo.high < 0:
        others = "" if len(standings.names) == 2 else "; the other games rate the first higher"
        return f"Their games say that {second} is stronger than {first}{elo}{others}."
    return f"Their games do not tell whether {first} or {second} is stronger{elo}."


def _stopped(standings: Standings) -> str:
    """Return the verdict of a test that could end the match; empty without one."""
    found = standings.verdict
    if found is None:
        return ""
    if found.decision == "continue":
        return f" The sequential test has not decided: {found}."
    bias = "Elo of such a match is too far from 0 on average."
    return f" The sequential test ended the match: {found}. {bias}"


def _ranking(standings: Standings) -> Table:
    def interval(place: int) -> str:
        if place == standings.anchor:
            return numbers.ABSENT
        found = standings.ratings[place].interval
        return numbers.span(found, 0) if found.is_known else "too few games"

    lines = standings.lines
    columns = [
        Column("player", lambda place: lines[place].name),
        Column(
            "Elo", lambda place: standings.ratings[place].value, lambda elo: numbers.signed(elo, 0)
        ),
        Column("95 % interval", interval),
        Column("games", lambda place: lines[place].games, numbers.count),
        Column("won", lambda place: lines[place].wins, numbers.count),
        Column("drawn", lambda place: lines[place].draws, numbers.count),
        Column("lost", lambda place: lines[place].losses, numbers.count),
        Column("score", lambda place: lines[place].score, numbers.percent),
    ]
    anchor = literal(standings.names[standings.anchor])
    caption = f"Ratings are relative to {anchor}, who stands at 0"
    return Table("table", columns, standings.ranking, caption)


def _cross_table(standings: Standings) -> Table:
    names = standings.names

    def column(other: int) -> Column:
        def met(place: int) -> Match | None:
            return standings.crosstable.get((names[place], names[other]))

        def counts(place: int) -> str:
            match = met(place)
            if match is None:
                return ""
            return f"+{match.wins} ={match.draws} \N{MINUS SIGN}{match.losses}"

        def score(place: int) -> float | None:
            match = met(place)
            return None if match is None else match.score

        return Column(names[other], score, numbers.percent, below=counts)

    columns = [Column("", lambda place: names[place]), *map(column, standings.ranking)]
    caption = "Score of the player of the row against that of the column: won, drawn, lost"
    return Table("cross table", columns, standings.ranking, caption)


def _ends(standings: Standings) -> Table:
    reasons = Counter(record.reason for record in standings.games).most_common()
    columns = [
        Column("reason", 0, lambda reason: reason.replace("_", " ")),
        Column("games", 1, numbers.count),
    ]
    return Table("ends", columns, reasons)


def _work(standings: Standings) -> list[Item]:
    def off_phase(side: SideStats) -> float | None:
        return side.off_phase_share if side.routing else None

    columns = [
        Column("player", "name"),
        Column("limit", lambda side: side.limit or None, prose=True),
        Column("moves", "moves", numbers.count),
        Column("nodes a move", "nodes_per_move", numbers.count),
        Column("rows", lambda side: side.counts.rows, numbers.count),
        Column("calls", lambda side: side.counts.calls, numbers.count),
        Column("rows a call", lambda side: side.counts.mean_rows, _one_digit),
        Column("off phase", off_phase, numbers.percent),
        Column("inference", lambda side: side.counts.seconds, numbers.duration),
    ]
    # Experts are in the order of their phases' first rows.
    rows = [
        (side, name, rows, side.counts.expert_calls[name])
        for side in standings.sides
        for name, rows in side.counts.expert_rows.items()
    ]
    experts = [
        Column("player", lambda row: row[0].name),
        Column("expert", 1, prose=True),
        Column("rows", 2, numbers.count),
        Column(
            "share", lambda row: row[2] / max(sum(row[0].counts.expert_rows.values()), 1),
            numbers.percent,
        ),
        Column("calls", 3, numbers.count),
        Column("rows a call", lambda row: row[2] / max(row[3], 1), _one_digit),
    ]  # fmt: skip
    caption = "What each expert of a mixture answered"
    tables = [Table("work", columns, standings.sides)]
    return [*tables, *([Table("experts", experts, rows, caption)] if rows else [])]


def _one_digit(number: float) -> str:
    return numbers.decimal(number, 1)


def _figures(standings: Standings) -> list[Item]:
    ratings = sorted(standings.ratings, key=lambda rating: -rating.value)
    plies = [record.plies for record in standings.games]
    scores = "; ".join(f"{line.name} ends at {line.score:.1%}" for line in standings.lines)
    middle = f"half of them at most {np.median(plies):.0f} plies long" if plies else "no game"
    found: list[Item] = [
        Figure(
            "scores",
            lambda: _scores(standings),
            "Score of each player after so many of their games, in game order.",
            f"Mean score by games played: {scores}.",
        ),
        Figure(
            "lengths",
            lambda: _lengths(plies),
            "Lengths of the games in plies, those of the openings included.",
            f"Lengths of {len(plies)} games, {middle}.",
        ),
    ]
    if len(standings.names) > 2:
        rows = [plots.Estimate(rating.name, rating.interval, plots.PHASE) for rating in ratings]
        caption = "Ratings with their 95 % intervals."
        found.insert(0, plots.comparison("ratings", [("player", rows)], "Elo", 0, caption))
    return found


def _scores(standings: Standings) -> Any:
    figure, plot = plots.axes(plots.WIDTH, 2.8)
    colours = plots.ordered_colours(len(standings.names))
    for place, (name, colour) in enumerate(zip(standings.names, colours, strict=True)):
        scores = [
            record.score if record.pairing[0] == place else 1 - record.score
            for record in standings.games
            if place in record.pairing
        ]
        if scores:
            games = np.arange(1, len(scores) + 1)
            plot.plot(games, np.cumsum(scores) / games, color=colour, label=name)
    plot.axhline(0.5, color=plots.MUTED, linewidth=1)
    plot.set(ylim=(-0.03, 1.03), xlabel="games", ylabel="score")
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.legend(frameon=False, fontsize=8, labelcolor=plots.INK)
    return figure


def _lengths(plies: Sequence[int]) -> Any:
    figure, plot = plots.axes(plots.WIDTH, 2.4)
    if plies:
        plot.hist(plies, bins=min(30, max(plies) - min(plies) + 1), color=plots.PHASE)
    plot.set(xlabel="plies", ylabel="games")
    for axis in (plot.xaxis, plot.yaxis):
        axis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    return figure
