"""Games in the report: the match, other mixtures and searches, learned gates, and their cost."""

from collections.abc import Sequence
from typing import Any

from phasezoo.arena.statistics.elo import los_unsaid
from phasezoo.experiments.statistics import verdict
from phasezoo.experiments.two_player import published
from phasezoo.experiments.two_player.cost import CallCost, Cost, GateCost
from phasezoo.experiments.two_player.losses import ALL, Division
from phasezoo.experiments.two_player.matches import (
    LearnedGates,
    Matches,
    MatchSide,
    Pairing,
    Results,
    Series,
    VariantRow,
)
from phasezoo.experiments.two_player.report_losses import bullets, shade, test_set
from phasezoo.report import numbers, plots
from phasezoo.report.document import Column, Figure, Item, Section, Table, Text, columns_by
from phasezoo.report.plots import Estimate

BESIDE = {"higher": "stronger than", "lower": "weaker than", "unclear": "not told apart from"}
"""A player beside one network, by the verdict of their Elo difference."""


def _games_table(
    name: str,
    rows: Sequence[Any],
    before: Sequence[Column],
    caption: str,
    note: str = "",
    after: Sequence[Column] = (),
) -> Table:
    """Return the games of several rows against one network, between other columns."""
    columns = [
        Column("won", lambda row: row.matches.total.wins, numbers.count),
        Column("drawn", lambda row: row.matches.total.draws, numbers.count),
        Column("lost", lambda row: row.matches.total.losses, numbers.count),
        Column("Elo over one network", lambda row: row.matches.elo, numbers.elo_interval),
    ]
    return Table(name, [*before, *columns, *after], rows, caption, note=note)


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


def learned_section(found: LearnedGates) -> Section:
    """Return the section on gates that learned to choose among the phase mixture's experts."""
    positions = numbers.plural(found.gates[0].positions, "validation position")
    match = _games_table(
        "learned gates, games",
        [found],
        [Column("", lambda _: "by learned gates")],
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
            bullets(_learned_sentences(found)),
        ],
    )


def learned_table(division: Division) -> Table:
    """Return which experts learned gates choose, and what is lost by them."""
    phases = [name for name in division.shares if name != ALL]
    columns = [
        Column("positions of", test_set),
        *columns_by(
            range(len(phases)),
            lambda row, place: division.shares[row][place],
            numbers.percent,
            head=lambda place: f"expert of {phases[place]}",
        ),
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


def _learned_sentences(found: LearnedGates) -> list[str]:
    """Return whether experts chosen by learned gates lose less and win more than by their own."""
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
        f"The search with them was {BESIDE[verdict(elo)]} one network: "
        f"{numbers.elo_interval(elo)} Elo."
    )
    return sentences


def games_section(results: Results) -> Section:
    """Return the section on games."""
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
            Section(
                "All mixtures",
                [
                    variants_table(results.variants),
                    *_variant_sentences(results.variants),
                    *_paired(results.variants),
                ],
            ),
            *_alone(results),
            *_phase_suites(results.from_phases),
            *_searches(results),
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
    """Return the likelihood of superiority, or a dash where none can be told."""
    return numbers.ABSENT if los_unsaid(total.pentanomial) else numbers.chance(total.los)


def inference_table(total: Pairing) -> Table:
    """Return rows, calls and seconds of both players."""

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


def variants_table(variants: Sequence[VariantRow]) -> Table:
    """Return every mixture beside one network."""
    columns = [
        Column("", "name"),
        Column("gate", "gate"),
        Column("learning", "strategy"),
        Column("experts", "experts"),
        Column("positions seen", "positions", numbers.count),
        Column("total loss − one network", "loss", numbers.signed_interval),
        Column(
            "Elo over one network",
            lambda variant: None if variant.matches is None else variant.matches.elo,
            lambda elo: numbers.ABSENT if elo is None else numbers.elo_interval(elo),
        ),
    ]
    caption = (
        "Every mixture beside one network that saw as many positions, with 95 % intervals. Loss: "
        "over all test positions; less is better."
    )
    return Table("mixtures", columns, variants, caption)


def _variant_sentences(variants: Sequence[VariantRow]) -> list[Item]:
    sentences = [
        f"The {variant.name} (gate {variant.gate}, {variant.strategy} learning) was "
        f"{BESIDE[verdict(variant.matches.elo)]} one network: "
        f"{numbers.elo_interval(variant.matches.elo)} Elo."
        for variant in variants[1:]
        if variant.matches is not None
    ]
    return [Text("\n\n".join(sentences))] if sentences else []


def _paired(variants: Sequence[VariantRow]) -> list[Item]:
    """Return every mixture that plays beside the first one, if there are trainings enough."""
    first, *others = [variant for variant in variants if variant.matches is not None]
    if first.matches is None or first.matches.trainings < 3:
        return []

    def elo(row: VariantRow, beside: Matches | None = None) -> str:
        found = None if row.matches is None else row.matches.apart(beside)
        return numbers.ABSENT if found is None else numbers.elo_interval(found)

    columns = [
        Column("", "name"),
        Column("Elo over one network", elo),
        Column(
            f"Elo over the {first.name}",
            lambda row: numbers.ABSENT if row is first else elo(row, first.matches),
        ),
    ]
    caption = (
        "Games between different trainings alone, with 95 % intervals over trainings. Differences "
        "are taken pairing by pairing: all mixtures met the same networks from the same openings."
    )
    return [Table("paired", columns, [first, *others], caption)]


def alone_table(rows: Sequence[Series]) -> Table:
    """Return every expert beside the one network of its training."""
    return _games_table(
        "alone",
        rows,
        [Column("expert of", "name")],
        "Search with the expert of one phase; in the other phases the one network of its training "
        "answers. With 95 % intervals.",
    )


def _alone(results: Results) -> list[Item]:
    if not results.alone:
        return []
    items: list[Item] = [alone_table(results.alone)]
    if published.has(results.config):
        items.append(
            Text(
                "In the paper (Fig. 6) the opening’s expert alone gains nothing, those of the "
                "middlegame and the endgame each do."
            )
        )
    return [Section("One expert at a time", items)]


def phase_suites_table(rows: Sequence[Series]) -> Table:
    """Return every expert against one network, from where its phase begins."""
    late = " ".join(
        f"{row.name.capitalize()}: {numbers.count(row.too_late)} more positions are left out, "
        "because games are cut at or before their ply."
        for row in rows
        if row.too_late
    )
    return _games_table(
        "from phases",
        rows,
        [Column("expert of", "name"), Column("positions", "starts", numbers.count)],
        "Games that begin where test games first reach a phase, at positions that were not trained "
        "on, each played with both sides. The expert of that phase answers everywhere. With 95 % "
        "intervals.",
        late,
    )


def _phase_suites(rows: Sequence[Series]) -> list[Item]:
    if not rows:
        return []
    return [Section("From the beginning of each phase", [phase_suites_table(rows)])]


def searches_table(rows: Sequence[Series]) -> Table:
    """Return the phase mixture against one network by other searches."""
    return _games_table(
        "searches",
        rows,
        [Column("both players search with", "name", below=lambda row: row.matches.limit)],
        "The same networks and openings with another search, with 95 % intervals. Rows a call: the "
        "experts’, then one network’s.",
        after=[
            Column(
                "rows a call",
                lambda row: row.matches.total.sides[0].mean_rows,
                lambda rows: numbers.decimal(rows, 1),
                below=lambda row: numbers.decimal(row.matches.total.sides[1].mean_rows, 1),
            )
        ],
    )


def _searches(results: Results) -> list[Item]:
    if not results.searches:
        return []
    items: list[Item] = [searches_table(results.searches), _searches_figure(results)]
    if any(row.name == "recalibrated" for row in results.searches):
        items.append(
            Text(
                "With recalibrated values both sides’ networks answer values that were mapped by "
                "validation games, the one network’s by a map for each phase too: what is left of "
                "a difference is not one of scale."
            )
        )
    return [Section("Other searches", items)]


def _strength(results: Results) -> Figure:
    """Show this run's Elo difference, beside the paper's if it is of the same game."""
    matches, beside_paper = results.matches, published.has(results.config)

    def draw() -> Any:
        new = ", new trainings" if results.config.trainings > 1 else ""
        ours = [Estimate(f"M2CTS over MCTS{new}", matches.elo, plots.PHASE, strong=True)]
        if matches.spread is not None:
            games_only = matches.spread.elo_games_only
            ours.append(Estimate("the same, counting games only", games_only, plots.PHASE))
        groups = [("this run", ours)]
        if beside_paper:
            batches = [_quoted(row, f"search {row.name}", 2) for row in published.ELO_SEPARATED]
            full = [_quoted(row, row.name, 1) for row, _ in published.DATA_AND_SIZE]
            half = [_quoted(row, row.name, 1) for _, row in published.DATA_AND_SIZE]
            groups += [
                ("paper, Table XV: full data, by search batch", batches),
                ("paper, Table IV: full data, 800 nodes", full),
                ("paper, Table IV: half the data, 800 nodes", half),
            ]
        return _elo_forest(groups)

    text = f"This run: {numbers.elo_interval(matches.elo)} Elo."
    caption = "The difference in strength, with its 95 % interval."
    if beside_paper:
        half = ", ".join(numbers.signed(row.value, 1) for _, row in published.DATA_AND_SIZE)
        text += (
            f" Paper: {numbers.elo_interval(published.ELO_MEAN.interval)} on average with all of "
            f"its data, {half} with half of it."
        )
        caption = (
            "This run beside the paper’s figures, with 95 % intervals. The paper’s networks are "
            "larger and saw far more games, so the comparison is of direction, not of size."
        )
    return Figure("elo", draw, caption, text)


def _searches_figure(results: Results) -> Figure:
    """Show the Elo difference by every search, under what differs from the match's."""
    main = results.matches

    def draw() -> Any:
        first = Estimate(f"the match: {main.limit}", main.elo, plots.PHASE, strong=True)
        groups = [("this run", [first])]
        for row in results.searches:
            heading = ", ".join(part.partition("=")[0] for part in row.name.split(","))
            if groups[-1][0] != heading:
                groups.append((heading, []))
            groups[-1][1].append(Estimate(row.name, row.matches.elo, plots.PHASE))
        return _elo_forest(groups)

    rows = [("the match", main), *((row.name, row.matches) for row in results.searches)]
    words = "; ".join(f"{name}: {numbers.elo_interval(found.elo)}" for name, found in rows)
    caption = (
        "The difference in strength by search, with 95 % intervals. Openings and networks are the "
        "same ones in every row, so that rows differ by less chance than their intervals show."
    )
    return Figure("searches", draw, caption, f"{words}.")


def _elo_forest(groups: Sequence[tuple[str, Sequence[Estimate]]]) -> Any:
    label = "Elo difference, M2CTS over MCTS with one network"
    return plots.forest(groups, label, 0, hints=("← one network", "experts →"))


def _quoted(row: published.PublishedElo, label: str, digits: int) -> Estimate:
    text = numbers.elo_interval(row.interval, digits)
    return Estimate(label, row.interval, plots.PAPER, text)


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
