"""Games of the match in the report, and the cost of experts."""

from collections.abc import Mapping, Sequence
from typing import Any

from phasezoo.arena.statistics.elo import los_unsaid
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.two_player import published
from phasezoo.experiments.two_player.cost import CallCost, Cost, GateCost
from phasezoo.experiments.two_player.matches import Matches, MatchSide, Pairing, Results
from phasezoo.experiments.two_player.report_losses import shade
from phasezoo.experiments.two_player.report_mixtures import elo_comparison, other_games
from phasezoo.report import numbers, plots
from phasezoo.report.document import Column, Figure, Item, Section, Table, Text, columns_by
from phasezoo.report.plots import Estimate


def cost_tables(cost: Cost) -> list[Table]:
    """Return memory and, if it was measured, time of experts."""
    return [sizes_table(cost), *([calls_table(cost)] if cost.calls else [])]


def _cost_items(cost: Cost) -> list[Item]:
    items: list[Item] = [*cost_tables(cost)]
    if cost.gate:
        items.append(
            Text(
                "By learned gates a call takes the time of `exact` and that of the gate, which "
                "looks at every position itself."
            )
        )
    if cost.calls:
        items.append(
            Text(
                "The positions are test positions of all phases, which is the most that a batch "
                "can be divided; leaves of one tree are mostly of one phase, and then `exact` "
                "costs what `majority` does.",
                muted=True,
            )
        )
    return items


def sizes_table(cost: Cost) -> Table:
    """Return the memory of every mixture."""
    columns = [
        Column("", "name"),
        Column("networks", "networks"),
        Column("parameters", "parameters", numbers.count),
        Column("active for a position", "active", numbers.count),
        Column("weights", "weights", lambda size: f"{numbers.decimal(size / 2**20, 2)} MiB"),
    ]
    caption = (
        "What the networks of a player weigh. Weights: as they are stored, one copy; what a "
        "backend sets aside besides is not in it."
    )
    return Table("sizes", columns, cost.sizes, caption)


def calls_table(cost: Cost) -> Table:
    """Return the time of a call by routing and batch."""
    rows: dict[str, dict[int, CallCost | GateCost]] = {}
    for one in cost.calls:
        name = one.name if one.routing is None else f"{one.name}, {one.routing}"
        rows.setdefault(name, {})[one.batch] = one
    for gate in cost.gate:
        rows.setdefault("learned gate", {})[gate.batch] = gate

    def beside(row: tuple[str, dict[int, CallCost | GateCost]], batch: int) -> str:
        call = row[1][batch]
        ratio = f"× {numbers.plain_interval(call.ratio, 2)}"
        if isinstance(call, GateCost):
            return ratio
        asked = numbers.plural(call.calls, "network")
        return "" if call.routing is None else f"{ratio}, {asked}"

    columns = columns_by(
        sorted({one.batch for one in cost.calls}),
        lambda row, batch: row[1][batch].milliseconds,
        lambda time: numbers.plain_interval(time, 2),
        head=lambda batch: numbers.plural(batch, "position"),
        below=beside,
    )
    return Table(
        "calls",
        [Column("", 0), *columns],
        list(rows.items()),
        f"Milliseconds inside networks a call ({cost.clock}), then beside one network’s, then "
        f"networks asked: median of {numbers.plural(cost.rounds, 'round')}, lowest and highest in "
        "brackets",
    )


def games_section(results: Results) -> Section:
    """Return the section on games."""
    config, matches, data = results.config, results.matches, results.dataset
    total = matches.total
    leaves = numbers.plural(config.search_batch, "leaf", "leaves")
    constants = {
        "default": "",
        "published": ", the published constants of the search",
    }.get(config.search, f", the search {config.search}")
    dropped = (
        f" {numbers.count(data.openings_dropped)} openings were left out because their last "
        "position occurs in these games."
        if data.openings_dropped
        else ""
    )
    seconds = (
        "Equal nodes is the main comparison; seconds" if config.movetime is None else "Seconds"
    )
    return Section(
        "What came out: games",
        [
            Text(
                f"{numbers.count(total.games)} games, {matches.limit} for both sides; routing "
                f"`{config.routing}`, {leaves} a tree at a time{constants}. Every opening was "
                "played twice, once with each colour, so that a lopsided opening favours nobody."
                + dropped
            ),
            match_table(matches),
            _strength(results),
            _games(matches),
            Section(
                "Inference of each player",
                [
                    inference_table(total),
                    Text(_cost_sentence(results)),
                    Text(
                        "A row is one position put to a network, a call is one batch of rows. Rows "
                        "of another phase are positions that an expert of a different phase "
                        f"answered. {seconds} depend on the machine and on how rows happen to fill "
                        "batches.",
                        muted=True,
                    ),
                ],
            ),
            *(_pairings(matches) if matches.spread is not None else []),
            Section("Memory and time of experts", _cost_items(results.cost)),
            *other_games(results),
        ],
    )


def match_table(matches: Matches) -> Table:
    """Return the result of all games."""
    total, spread = matches.total, matches.spread
    first = {
        "": "M2CTS against MCTS",
        "won": total.wins,
        "drawn": total.draws,
        "lost": total.losses,
        "Elo ± 95 %": matches.elo_games_only,
        "LOS": _los_text(total),
    }
    rows = [first]
    caption = "All games, from pair scores; the interval counts games only."
    if spread is not None:
        rows.append({**dict.fromkeys(first, ""), "": "for new trainings", "Elo ± 95 %": spread.elo})
        caption = (
            "From pair scores. The first interval counts games only and is about these very "
            "networks; the second counts trainings first."
        )
    columns = [
        Column("", ""),
        *(Column(head, head) for head in ("won", "drawn", "lost")),
        Column("Elo ± 95 %", "Elo ± 95 %", numbers.elo_interval),
        Column("LOS", "LOS"),
    ]
    return Table("match", columns, rows, caption, strong=lambda row: row is rows[-1])


def _los_text(total: Pairing) -> str:
    """Return the likelihood of superiority, or a dash where there is none."""
    return numbers.ABSENT if los_unsaid(total.pentanomial) else numbers.chance(total.los)


def inference_table(total: Pairing) -> Table:
    """Return rows, calls and seconds of both players."""

    def share(side: MatchSide) -> str:
        positions = side.rows if side.nodes is None else side.nodes
        return numbers.percent(side.off_phase_rows / positions if positions else None)

    columns = [
        Column("", "name"),
        Column("rows", "rows", numbers.count),
        Column("padded rows", "padded_rows", numbers.count),
        Column("calls", "calls", numbers.count),
        Column("rows a call", "mean_rows", lambda rows: numbers.decimal(rows, 1)),
        Column("positions of another phase", "off_phase_rows", numbers.count, below=share),
        Column("time", "seconds", numbers.duration),
    ]
    return Table("inference", columns, total.sides, "Inference over all games")


def _cost_sentence(results: Results) -> str:
    """Return how much inference the experts took beside the one network."""
    mixture, baseline = results.matches.total.sides
    same = "For the same nodes" if results.config.movetime is None else "In the same time a move"
    if not (mixture.seconds > 0 and baseline.seconds > 0 and baseline.mean_rows > 0):
        return "The time spent in the networks was too short to be compared."
    ratio = mixture.seconds / baseline.seconds
    text = f"{same}, the experts took {numbers.decimal(ratio, 2)} times the one network's time"
    if ratio <= 1 or mixture.mean_rows >= baseline.mean_rows:
        return f"{text}."
    rows, others = (numbers.decimal(side.mean_rows, 1) for side in (mixture, baseline))
    return (
        f"{text}: their batches are smaller ({rows} rows a call against {others}), because each is "
        "divided by phase."
    )


def _pairings(matches: Matches) -> list[Item]:
    """Return every mixture against every baseline, where there are several."""

    def score(pairing: Pairing) -> float:
        return (pairing.wins + pairing.draws / 2) / max(1, pairing.games)

    strongest = max(abs(score(one) - 0.5) for one in matches.pairings)
    mixtures = sorted({one.mixture for one in matches.pairings})
    rows = [
        (number, {one.baseline: one for one in matches.pairings if one.mixture == number})
        for number in mixtures
    ]

    columns = columns_by(
        sorted({one.baseline for one in matches.pairings}),
        lambda row, baseline: 100 * score(row[1][baseline]),
        lambda share: numbers.decimal(share, 1),
        head=lambda baseline: f"baseline {baseline + 1}",
        below=lambda row, baseline: numbers.elo_interval(row[1][baseline].elo),
        tone=lambda row, baseline: shade(score(row[1][baseline]) - 0.5, strongest),
    )
    table = Table(
        "pairings",
        [Column("", lambda row: f"mixture {row[0] + 1}"), *columns],
        rows,
        "Score of each mixture against each baseline in %, with Elo below",
    )
    return [Section("Every pairing", [table])]


def _strength(results: Results) -> Figure:
    """Show this run's Elo difference, beside the paper's if it is of the same game."""
    matches = results.matches
    new = ", new trainings" if results.config.trainings > 1 else ""
    ours = [Estimate(f"M2CTS over MCTS{new}", matches.elo, plots.PHASE, strong=True)]
    if matches.spread is not None:
        games_only = matches.spread.elo_games_only
        ours.append(Estimate("the same, counting games only", games_only, plots.PHASE))
    groups = [("this run", ours)]
    caption = "The difference in strength, with its 95 % interval."
    if published.has(results.config):
        by_batch = {f"search {name}": elo for name, elo in published.ELO_SEPARATED.items()}
        groups += [
            ("paper, Table XV: full data, by search batch", _quoted(by_batch, 2)),
            ("paper, Table IV: full data, 800 nodes", _quoted(published.ALL_DATA, 1)),
            ("paper, Table IV: half the data, 800 nodes", _quoted(published.HALF_THE_DATA, 1)),
        ]
        caption = (
            "This run beside the paper’s figures, with 95 % intervals. The paper’s networks are "
            "larger and saw far more games, so the comparison is of direction, not of size."
        )
    return elo_comparison("elo", groups, caption)


def _quoted(found: Mapping[str, Interval], digits: int) -> list[Estimate]:
    return [
        Estimate(name, elo, plots.PAPER, numbers.elo_interval(elo, digits))
        for name, elo in found.items()
    ]


def _games(matches: Matches) -> Figure:
    """Show results, scores of pairs, and how games ended."""
    total = matches.total
    reasons = sorted(total.reasons.items(), key=lambda item: item[1])

    def draw() -> Any:
        figure, (results, pairs, ends) = plots.axes(
            7.6, 2.9, columns=3, gridspec_kw={"width_ratios": (1, 1.2, 1.6)}
        )
        _bars(
            results,
            "Games",
            {"won": total.wins, "drawn": total.draws, "lost": total.losses},
            (plots.PHASE, plots.GRID, plots.BASELINE),
        )
        scores = dict(zip(("0", "½", "1", "1½", "2"), total.pentanomial, strict=True))
        shades = (plots.BASELINE, plots.BASELINE, plots.GRID, plots.PHASE, plots.PHASE)
        _bars(pairs, "Pairs by score", scores, shades)
        values = [number for _, number in reasons]
        ends.barh([_ending(reason) for reason, _ in reasons], values, color=plots.BASELINE,
                  height=0.62)  # fmt: skip
        for place, value in enumerate(values):
            ends.text(value, place, f" {value}", va="center", fontsize=8.5, color=plots.INK)
        plots.entitle(ends, "How games ended")
        ends.grid(visible=False)
        ends.set_xticks([])
        ends.set_xlim(0, 1.18 * max(values, default=1))
        return figure

    endings = ", ".join(f"{_ending(reason)} {number}" for reason, number in reversed(reasons))
    words = (
        f"Games of M2CTS: {total.wins} won, {total.draws} drawn, {total.losses} lost. Pairs "
        f"scoring 0, ½, 1, 1½ and 2: {', '.join(map(str, total.pentanomial))}. Ends: {endings}."
    )
    repeats = "game repeats" if total.duplicates == 1 else "games repeat"
    caption = (
        "All games of M2CTS: results, scores of pairs of games with the same opening, and how the "
        f"games ended. Mean length {numbers.whole(total.mean_plies)} half-moves; "
        f"{numbers.in_words(total.duplicates)} {repeats} an earlier one move for move."
    )
    return Figure("games", draw, caption, words)


def _ending(reason: str) -> str:
    return {"max_plies": "cut at the cap"}.get(reason, reason.replace("_", " "))


def _bars(plot: Any, title: str, values: dict[str, int], colours: Sequence[str]) -> None:
    places = range(len(values))
    plot.bar(places, list(values.values()), color=colours, width=0.72)
    for place, value in enumerate(values.values()):
        plot.text(place, value, str(value), ha="center", va="bottom", fontsize=8.5, color=plots.INK)
    plot.set_xticks(list(places), list(values))
    plot.set_yticks([])
    plot.spines["left"].set_visible(False)
    plot.grid(visible=False)
    plot.set_ylim(0, 1.12 * max(1, *values.values()))
    plots.entitle(plot, title)
