"""Games in the report: the match, other mixtures and searches, learned gates, and their cost."""

from collections.abc import Sequence

from phasezoo.arena.elo import los_unsaid
from phasezoo.experiments.m2cts.duel import figures, published
from phasezoo.experiments.m2cts.duel.cost.results import CallCost, Cost, GateCost
from phasezoo.experiments.m2cts.duel.figures import test_set
from phasezoo.experiments.m2cts.duel.learned.results import Division
from phasezoo.experiments.m2cts.duel.report_losses import bullets, shade
from phasezoo.experiments.m2cts.duel.results import (
    ALL,
    AloneRow,
    ArmRow,
    LearnedGates,
    Matches,
    MatchSide,
    Pairing,
    PhaseSuiteRow,
    Results,
    SearchRow,
)
from phasezoo.experiments.statistics import verdict
from phasezoo.report import numbers
from phasezoo.report.document import Column, Item, Section, Table, Text

_BESIDE = {"higher": "stronger than", "lower": "weaker than", "unclear": "not told apart from"}
"""A player beside one network, by the verdict of their Elo difference."""


def games_section(results: Results) -> Section:
    """Return the section on games.

    Args:
        results: Everything a run found.
    """
    config, matches, data = results.config, results.matches, results.dataset
    total = matches.total
    leaves = numbers.plural(config.search_batch, "leaf", "leaves")
    constants = ", the published constants of the search" if config.search == "published" else ""
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
                "played twice, with seats changed, so that a lopsided opening favours nobody."
                + dropped
            ),
            match_table(matches),
            figures.strength(results),
            figures.games(matches),
            Section(
                "Inference of each player",
                [
                    inference_table(total),
                    Text(cost_sentence(results)),
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
            Section("Memory and time of experts", _cost(results.cost)),
            Section("All mixtures", [arms_table(results.arms), *_arm_sentences(results.arms)]),
            *_alone(results),
            *_phase_suites(results.from_phases),
            *_searches(results),
        ],
    )


def match_table(matches: Matches) -> Table:
    """Return the result of all games.

    Args:
        matches: All games.
    """
    total, spread = matches.total, matches.spread
    first = {
        "": "M2CTS against MCTS",
        "won": total.wins,
        "drawn": total.draws,
        "lost": total.losses,
        "Elo ± 95 %": matches.elo_games_only,
        "LOS": los_text(total),
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


def los_text(total: Pairing) -> str:
    """Return the likelihood of superiority, or a dash where none can be told.

    Args:
        total: All games.
    """
    return numbers.ABSENT if los_unsaid(total.pentanomial) else numbers.chance(total.los)


def inference_table(total: Pairing) -> Table:
    """Return rows, calls and seconds of both players.

    Args:
        total: All games.
    """

    def share(side: MatchSide) -> str:
        return numbers.percent(side.off_phase_rows / side.rows if side.rows else None)

    columns = [
        Column("", "name"),
        Column("rows", "rows", numbers.count),
        Column("padded rows", "padded_rows", numbers.count),
        Column("calls", "calls", numbers.count),
        Column("rows a call", "mean_rows", lambda rows: numbers.decimal(rows, 1)),
        Column("rows of another phase", "off_phase_rows", numbers.count, below=share),
        Column("time", "seconds", numbers.duration),
    ]
    return Table("inference", columns, total.sides, "Inference over all games")


def cost_sentence(results: Results) -> str:
    """Return how much inference the experts took beside the one network.

    Args:
        results: Everything a run found.
    """
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

    def column(baseline: int) -> Column:
        return Column(
            f"baseline {baseline + 1}",
            lambda row: 100 * score(row[1][baseline]),
            lambda share: numbers.decimal(share, 1),
            below=lambda row: numbers.elo_interval(row[1][baseline].elo),
            tone=lambda row: shade(score(row[1][baseline]) - 0.5, strongest),
        )

    baselines = sorted({one.baseline for one in matches.pairings})
    table = Table(
        "pairings",
        [Column("", lambda row: f"mixture {row[0] + 1}"), *map(column, baselines)],
        rows,
        "Score of each mixture against each baseline in %, with Elo below",
    )
    return [Section("Every pairing", [table])]


def _cost(cost: Cost) -> list[Item]:
    items: list[Item] = [sizes_table(cost)]
    if not cost.calls:
        return items
    items.append(calls_table(cost))
    if cost.gate:
        items.append(
            Text(
                "By learned gates a call takes the time of `exact` and that of the gate, which "
                "looks at every position itself."
            )
        )
    items.append(
        Text(
            "The positions are test positions of all phases, which is the most that a batch can be "
            "divided; leaves of one tree are mostly of one phase, and then `exact` costs what "
            "`majority` does.",
            muted=True,
        )
    )
    return items


def sizes_table(cost: Cost) -> Table:
    """Return the memory of every mixture.

    Args:
        cost: Memory and time.
    """
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
    """Return the time of a call by routing and batch.

    Args:
        cost: Memory and time.
    """
    rows: dict[str, dict[int, CallCost | GateCost]] = {}
    for one in cost.calls:
        name = one.name if one.routing is None else f"{one.name}, {one.routing}"
        rows.setdefault(name, {})[one.batch] = one
    for gate in cost.gate:
        rows.setdefault("learned gate", {})[gate.batch] = gate

    def column(batch: int) -> Column:
        def beside(row: tuple[str, dict[int, CallCost | GateCost]]) -> str:
            call = row[1][batch]
            if isinstance(call, CallCost) and call.routing is None:
                return ""
            text = f"× {numbers.plain_interval(call.ratio, 2)}"
            asked = f", {numbers.plural(call.calls, 'network')}" if hasattr(call, "calls") else ""
            return text + asked

        return Column(
            numbers.plural(batch, "position"),
            lambda row: row[1][batch].milliseconds,
            lambda time: numbers.plain_interval(time, 2),
            below=beside,
        )

    return Table(
        "calls",
        [Column("", 0), *map(column, sorted({one.batch for one in cost.calls}))],
        list(rows.items()),
        f"Milliseconds inside networks a call ({cost.clock}), then beside one network’s, then "
        f"networks asked: median of {numbers.plural(cost.rounds, 'round')}, lowest and highest in "
        "brackets",
    )


def arms_table(arms: Sequence[ArmRow]) -> Table:
    """Return every mixture beside one network.

    Args:
        arms: The mixtures.
    """
    columns = [
        Column("", "name"),
        Column("gate", "gate"),
        Column("learning", "strategy"),
        Column("experts", "experts"),
        Column("positions seen", "positions", numbers.count),
        Column("total loss − one network", "loss", numbers.signed_interval),
        Column(
            "Elo over one network",
            lambda arm: None if arm.matches is None else arm.matches.elo,
            lambda elo: numbers.ABSENT if elo is None else numbers.elo_interval(elo),
        ),
    ]
    caption = (
        "Every mixture beside one network that saw as many positions, with 95 % intervals. Loss: "
        "over all test positions; less is better."
    )
    return Table("mixtures", columns, arms, caption)


def _arm_sentences(arms: Sequence[ArmRow]) -> list[Item]:
    sentences = [
        f"The {arm.name} (gate {arm.gate}, {arm.strategy} learning) was "
        f"{_BESIDE[verdict(arm.matches.elo)]} one network: {numbers.elo_interval(arm.matches.elo)} "
        "Elo."
        for arm in arms[1:]
        if arm.matches is not None
    ]
    return [Text("\n\n".join(sentences))] if sentences else []


def _results_columns() -> list[Column]:
    """Return the columns of rows that have games against one network."""
    return [
        Column("won", lambda row: row.matches.total.wins, numbers.count),
        Column("drawn", lambda row: row.matches.total.draws, numbers.count),
        Column("lost", lambda row: row.matches.total.losses, numbers.count),
        Column("Elo over one network", lambda row: row.matches.elo, numbers.elo_interval),
    ]


def alone_table(rows: Sequence[AloneRow]) -> Table:
    """Return every expert beside the one network of its training.

    Args:
        rows: The experts.
    """
    caption = (
        "Search with the expert of one phase; in the other phases the one network of its training "
        "answers. With 95 % intervals."
    )
    return Table("alone", [Column("expert of", "phase"), *_results_columns()], rows, caption)


def _alone(results: Results) -> list[Item]:
    if not results.alone:
        return []
    items: list[Item] = [alone_table(results.alone)]
    if published.has(results.dataset.game):
        items.append(
            Text(
                "In the paper (Fig. 6) the opening’s expert alone gains nothing, those of the "
                "middlegame and the endgame each do."
            )
        )
    return [Section("One expert at a time", items)]


def phase_suites_table(rows: Sequence[PhaseSuiteRow]) -> Table:
    """Return every expert against one network, from where its phase begins.

    Args:
        rows: The experts.
    """
    columns = [
        Column("expert of", "phase"),
        Column("positions", "starts", numbers.count),
        *_results_columns(),
    ]
    late = " ".join(
        f"{row.phase.capitalize()}: {numbers.count(row.too_late)} more positions are left out, "
        "because games are cut at or before their ply."
        for row in rows
        if row.too_late
    )
    caption = (
        "Games that begin where test games first reach a phase, at positions that were not trained "
        "on, each played with both sides. The expert of that phase answers everywhere. With 95 % "
        "intervals."
    )
    return Table("from phases", columns, rows, caption, note=late)


def _phase_suites(rows: Sequence[PhaseSuiteRow]) -> list[Item]:
    if not rows:
        return []
    return [Section("From the beginning of each phase", [phase_suites_table(rows)])]


def searches_table(rows: Sequence[SearchRow]) -> Table:
    """Return the phase mixture against one network by other searches.

    Args:
        rows: The searches.
    """

    def others(row: SearchRow) -> str:
        return numbers.decimal(row.matches.total.sides[1].mean_rows, 1)

    columns = [
        Column("both players search with", "search", below=lambda row: row.matches.limit),
        *_results_columns(),
        Column(
            "rows a call",
            lambda row: row.matches.total.sides[0].mean_rows,
            lambda rows: numbers.decimal(rows, 1),
            below=others,
        ),
    ]
    caption = (
        "The same networks and openings with another search, with 95 % intervals. Rows a call: the "
        "experts’, then one network’s."
    )
    return Table("searches", columns, rows, caption)


def _searches(results: Results) -> list[Item]:
    if not results.searches:
        return []
    items: list[Item] = [searches_table(results.searches), figures.searches(results)]
    if any(row.search == "recalibrated" for row in results.searches):
        items.append(
            Text(
                "With recalibrated values both sides’ networks answer values that were mapped by "
                "validation games, the one network’s by a map for each phase too: what is left of "
                "a difference is not one of scale."
            )
        )
    return [Section("Other searches", items)]


def learned_section(found: LearnedGates) -> Section:
    """Return the section on gates that learned to choose among the phase mixture's experts.

    Args:
        found: The gates, and their games.
    """
    positions = numbers.plural(found.gates[0].positions, "validation position")
    match = Table(
        "learned gates, games",
        [Column("", lambda _: "by learned gates"), *_results_columns()],
        [found],
        "Games of the search with learned gates against one network, with a 95 % interval",
    )
    return Section(
        "What came out: learned gates",
        [
            Text(
                "The experts of the phase mixture once more, with another gate in the search: a "
                f"small network for each training, which learned on {positions} to choose the "
                "expert that loses least there. The experts themselves are the same."
            ),
            learned_table(found.division),
            match,
            bullets(learned_sentences(found)),
        ],
    )


def learned_table(division: Division) -> Table:
    """Return which experts learned gates choose, and what is lost by them.

    Args:
        division: Test positions by learned gates.
    """

    def column(place: int, phase: str) -> Column:
        return Column(
            f"expert of {phase}", lambda row: division.shares[row][place], numbers.percent
        )

    phases = [name for name in division.shares if name != ALL]
    columns = [
        Column("positions of", test_set),
        *(column(place, phase) for place, phase in enumerate(phases)),
        Column("total loss − one network", division.beside_one.get, numbers.signed_interval),
        Column("total loss − own gate", division.beside_mixture.get, numbers.signed_interval),
    ]
    caption = (
        "Which expert learned gates choose for test positions of each phase, and what is lost by "
        f"them, with 95 % intervals: {numbers.count(division.positions)} positions that occur in "
        "no training or validation game. Own gate: the same experts by the gate that they learned "
        "under."
    )
    rows = list(division.shares)
    return Table("learned gates", columns, rows, caption, strong=lambda row: row == ALL)


def learned_sentences(found: LearnedGates) -> list[str]:
    """Return whether experts chosen by learned gates lose less, and win more, than by their gate.

    Args:
        found: The gates, and their games.
    """
    loss, elo = found.division.beside_mixture[ALL], found.matches.elo
    sentences = []
    if loss is not None:
        words = {
            "lower": "The learned gates choose better",
            "higher": "The learned gates choose worse",
            "unclear": "The learned gates are not told apart",
        }
        rest = "from" if verdict(loss) == "unclear" else "than"
        sentences.append(
            f"{words[verdict(loss)]} {rest} the gate that the experts learned under, by total test "
            f"loss: {numbers.signed_interval(loss)}."
        )
    sentences.append(
        f"The search with them was {_BESIDE[verdict(elo)]} one network: "
        f"{numbers.elo_interval(elo)} Elo."
    )
    return sentences
