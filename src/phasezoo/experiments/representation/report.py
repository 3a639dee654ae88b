"""Report of a run: claims, losses, time, attributions, endings and games."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import counted
from phasezoo.experiments.representation import figures, published
from phasezoo.experiments.representation.config import (
    CORNERS,
    RepresentationConfig,
)
from phasezoo.experiments.representation.figures import COMMON, TABLES, short
from phasezoo.experiments.representation.measurements import (
    Dataset,
    Games,
    Latency,
    Losses,
    LossRow,
    Results,
)
from phasezoo.experiments.representation.positions import (
    ENDINGS_SHOWN,
    OUTCOMES,
    Attribution,
    BoardShown,
    Endings,
    Gradients,
    read_endings,
)
from phasezoo.experiments.study import study_report
from phasezoo.report import numbers
from phasezoo.report.document import (
    Claim,
    Column,
    Document,
    Item,
    Judgement,
    Section,
    Table,
    Text,
    estimate,
    judgements,
    published as column_of,
)

_ORDER: tuple[Judgement, ...] = ("disagrees", "agrees", "not settled")


def report(results: Results) -> Document:
    """Return the report."""
    config = results.config
    claims = sorted(published.claims_of(results), key=lambda claim: _ORDER.index(claim.judgement))
    labels = labels_of(results.losses)
    on_cpu = not results.provenance.devices
    time: list[Item] = [
        figures.latency(results.losses, results.latency, on_cpu=on_cpu),
        latency_table(results.latency, config, labels),
    ]
    return study_report(
        results,
        [
            Section("The paper’s claims", [Text(_on_claims(results)), *claims]),
            Section("Planes and heads", _corners(results.losses)),
            Section("Architectures and grids", _grids(results.losses)),
            Section("Loss and time", time),
            Section("What the planes contribute", _contributions(results.gradients, config)),
            Section("Endings of opposite bishops", _endings(results, labels)),
            Section("Games", _games(results, labels)),
        ],
        title="Does what a network is shown matter more than what it is?",
        headline=headline(results, claims),
        lead=(
            "Planes v2 add masks, material and checks to v1; the head wdlp answers win, draw, loss "
            "and plies in place of one number. What does each change, beside another architecture?"
        ),
        subject=f"reproduce representation · {config.game}",
        source="paper",
        answer=[Text(_introduction(results))],
        terms=_TERMS,
        limits=_limits(results),
        beside=(
            "every network with its losses (networks/), times (latency.json), attributions "
            "(gradients.json), the games (games/), all numbers (results.json), the settings "
            "(config.json)."
        ),
        more=[dataset_table(results.dataset)],
    )


_TERMS = f"""\
- **Planes v1, v2**: input versions 1.0 and 3.0 of the published engine, which the paper calls V1.0
  and V2.0.
- **Head mse, wdlp**: one number by squared error; or win, draw and loss with the plies that are
  left.
- **Total loss**: 0.01 value (squared error) + 0.99 policy (cross-entropy), as in the paper’s
  tables.
- **tower-CxB**: B blocks of C channels: `block` is their kind, `expansion` the inner width, `wide`
  the share of 5x5 kernels, `transformers` how many are transformer blocks. `{COMMON}`, which makes
  the policy head cheaper, is left out.
- **Integrated gradients**: the gradient’s mean along the line from a baseline to the input, times
  their difference; the attributions add up to the difference of the answers.
- **Between trainings**: standard deviation in Elo that other trainings of the first, and of the
  second, would bring.
- **Latency**: the fastest call of each round; the median of the rounds lies between the lowest and
  the highest in at least 95 % of cases.
- **95 % interval**: over trainings by Student’s t with the games’ chance added; with one training
  over games alone, which settles nothing about a method.
"""


def _limits(results: Results) -> str:
    config = results.config
    often = "training" if config.trainings == 1 else "trainings"
    return f"""\
- {config.trainings} {often} of each combination, {config.architecture_trainings} of each
  architecture, {config.grid_trainings} of each network of the grids.
- Networks and data are much smaller than the paper’s, unless the preset is paper; the games are
  {results.dataset.source}.
- Games that are not over after {config.max_plies} plies count as drawn.
- Time is of this machine and these backends; the paper’s is of an RTX 2070 through TensorRT.
- Which of 50,000 and 40,000 nodes the paper gives to which variant is our reading: crazyhouse
  first.
"""


def _on_claims(results: Results) -> str:
    config = results.config
    beside = "" if config.preset == "paper" else ", where the paper has about 640 million"
    text = (
        f"{published.CITATION}. What disagrees stands first. Verdicts follow the rule beside each "
        f"claim and are of this size: {numbers.count(results.networks[0].positions)} positions a "
        f"network{beside}."
    )
    if config.game != "chess":
        text += (
            " Published figures are of chess; of its variants the paper says that v2 with wdlp "
            "gains less than there."
        )
    return text


def headline(results: Results, claims: Sequence[Claim]) -> str:
    """Return what disagrees first, then the rest."""
    agree, disagree, open_ = judgements(claims).values()
    both = next(one for one in results.losses.contrasts if one.name == "both")
    first = f"{numbers.in_words(disagree).capitalize()} of {len(claims)} claims"
    if disagree == 0:
        first = f"No claim of {len(claims)}"
    return (
        f"{first} disagree{'s' if disagree < 2 else ''}, "
        f"{counted(agree)} agree{'s' if agree == 1 else ''}, {counted(open_)} "
        f"{'is' if open_ == 1 else 'are'} not settled; v2 with wdlp changes the value loss by "
        f"{numbers.signed_interval(both.metrics['value'])}"
    )


def _introduction(results: Results) -> str:
    config, data = results.config, results.dataset
    count = results.provenance.threads
    threads = "one thread" if count == 1 else f"{count} threads"
    return (
        f"{numbers.count(len(results.networks))} networks learned {config.game} from "
        f"{numbers.count(results.networks[0].positions)} positions each, out of "
        f"{numbers.count(sum(data.games))} of {data.source}; losses are on "
        f"{numbers.count(data.test_positions)} positions of {numbers.count(data.tested)} "
        f"games that none of them saw. {numbers.count(sum(one.played for one in results.games))} "
        f"games were played. It took {numbers.duration(sum(results.seconds.values()))} on "
        f"{results.provenance.processor} with {threads}."
    )


def labels_of(losses: Losses) -> dict[str, str]:
    """Return the short label of every network by its name."""
    return {row.name: short(row.label) for rows in losses.tables.values() for row in rows}


def dataset_table(data: Dataset) -> Table:
    """Return the games that networks learned from and were measured on."""
    columns = [
        Column("", 0),
        Column("games", 1, numbers.count),
        Column("positions", 2, numbers.count),
    ]
    rows = list(zip(("train", "validation", "test"), data.games, data.positions, strict=True))
    return Table("dataset", columns, rows, f"Games: {data.source}")


def loss_table(name: str, rows: Sequence[LossRow]) -> Table:
    """Return the losses of one of the paper's tables."""
    columns = [
        Column("", "label", short),
        Column("trainings", "trainings"),
        Column(
            "multiply-adds, parameters",
            "multiply_adds",
            lambda count: f"{numbers.decimal(count / 1e6, 2)} M",
            below=lambda row: numbers.count(row.parameters),
        ),
        estimate("total loss", lambda row: row.metrics["total"]),
        Column(
            "accuracy",
            lambda row: row.metrics["accuracy"],
            lambda found: numbers.percent(None if found is None else found.value),
        ),
        estimate("value loss", lambda row: row.metrics["value"]),
        estimate("total, to the first", lambda row: row.to_first.get("total"), signed=True),
    ]
    theirs = published.GRIDS.get(name, {})
    note = "; ".join(f"{label} {loss:.4f}" for label, loss in theirs.items())
    return Table(
        name,
        columns,
        rows,
        f"{TABLES[name]}: on test positions, with 95 % intervals. To the first: of the trainings "
        "that both have, which may be fewer",
        note=f"Published total losses: {note}." if note else "",
    )


def _corners(losses: Losses) -> list[Item]:
    heads = ("the paper", "total loss", "accuracy", "value loss", "µs")
    columns = [Column(head, place) for place, head in enumerate(heads)]
    rows = [
        *((f"planes {name}", *row) for name, row in published.INPUTS.items()),
        *((f"head {name}", *row) for name, row in published.VALUE_HEADS.items()),
    ]
    caption = "Published: KingBase Lite 2019, three seeds"
    return [
        figures.effects(losses),
        loss_table("corners", losses.tables["corners"]),
        Table("published planes and heads", columns, rows, caption),
    ]


def _grids(losses: Losses) -> list[Item]:
    figure = figures.grids(losses)
    items: list[Item] = [figure or Text("No table of this run has two networks to compare.")]
    for name, rows in losses.tables.items():
        if name != "corners":
            items.append(loss_table(name, rows))
        if name == "architectures":
            heads = ("the paper", "total loss", "accuracy", "µs", "multiply-adds")
            columns = [Column(head, place) for place, head in enumerate(heads)]
            theirs = [(name, *row) for name, row in published.NETWORKS.items()]
            items.append(Table("published architectures", columns, theirs, "Published"))
    return items


def latency_table(
    found: Sequence[Latency], config: RepresentationConfig, labels: Mapping[str, str]
) -> Table:
    """Return the time of a position of every network."""
    cells = [(one.arm, f"{one.backend} {one.batch}", one.microseconds) for one in found]
    caption = (
        "Microseconds a position, by backend and positions a call: median of "
        f"{config.rounds} rounds, between the lowest and the highest"
    )
    return _by_network("latency", cells, labels, caption, digits=1)


def _by_network(
    name: str,
    cells: Sequence[tuple[str, str, Interval]],
    labels: Mapping[str, str],
    caption: str,
    digits: int = 3,
) -> Table:
    """Return a row for each network, with an estimate in each column."""
    rows: dict[str, dict[str, Any]] = {}
    for network, head, interval in cells:
        rows.setdefault(network, {"": labels[network]})[head] = interval
    heads = dict.fromkeys(head for _, head, _ in cells)
    columns = [Column("", ""), *(estimate(head, head, digits) for head in heads)]
    return Table(name, columns, list(rows.values()), caption)


def _contributions(found: Gradients, config: RepresentationConfig) -> list[Item]:
    average = [
        Column("", "arm"),
        Column("explained", "answer", prose=True),
        Column("largest shares", _largest_shares, prose=True),
        Column("largest error", "error", partial(numbers.decimal, digits=4)),
    ]

    signed = partial(numbers.signed, digits=4)
    single = [
        Column("position", "fen", below=lambda shown: _beside(shown)[0]),
        Column("network", "arm", prose=True),
        Column("value", "value", signed),
        column_of(lambda shown: _beside(shown)[1], signed, by="the paper’s"),
        Column("lowest and highest sums by group of planes", _outer_sums, prose=True),
    ]
    return [
        figures.attributions(found.average, config.gradient_positions),
        Table(
            "attributions",
            average,
            found.average,
            "All four combinations; the error is what attributions lack of f(x) − f(baseline)",
        ),
        *(figures.board(one, f"board{n}") for n, one in enumerate(found.boards)),
        Table(
            "positions",
            single,
            found.boards,
            "Values and attributions of these positions, for the player to move, by networks of "
            "the first training; what the paper’s figures show by plane is not in print as numbers",
        ),
    ]


def _largest_shares(one: Attribution) -> str:
    ordered = sorted(one.shares.items(), key=lambda item: -item[1].value)
    return ", ".join(f"{name} {numbers.percent(share.value)}" for name, share in ordered[:4])


def _outer_sums(shown: BoardShown) -> str:
    """Return the two lowest and the two highest."""
    rising = sorted(shown.planes.items(), key=lambda item: item[1])
    falling = sorted(shown.planes.items(), key=lambda item: -item[1])
    ends = rising[:2] + falling[:2]
    return ", ".join(f"{name} {numbers.signed(total, 3)}" for name, total in ends)


def _beside(shown: BoardShown) -> tuple[str, float | None]:
    """Return the paper's figure of a position and its network's value there; empty and None."""
    place = shown.fen.split()[:2]
    for ending in read_endings():
        if ending.row in ENDINGS_SHOWN and ending.fen.split()[:2] == place:
            value = ending.default if shown.arm == CORNERS[0] else ending.improved
            return f"{ENDINGS_SHOWN[ending.row]}, row {ending.row} of Table 11", value
    return "", None


def endings_table(endings: Endings, labels: Mapping[str, str]) -> Table:
    """Return mean |value| of draws and wins by network."""
    cells = []
    for one in endings.rows:
        cells.append((one.arm, f"{one.outcome}, alone", one.alone))
        cells.append((one.arm, f"{one.outcome}, {endings.nodes} nodes", one.searched))
    caption = "Mean |value| with 95 % intervals over trainings first, endings second"
    return _by_network("endings", cells, labels, caption)


def _endings(results: Results, labels: Mapping[str, str]) -> list[Item]:
    endings = results.endings
    if endings is None:
        return [Text(f"They are positions of chess; this run is about {results.config.game}.")]
    theirs = [
        (name, *(published.ENDINGS[outcome][place] for outcome in OUTCOMES))
        for place, name in enumerate(("without", "v2 + wdlp"))
    ]

    first, last = CORNERS[0], CORNERS[-1]
    means = [
        np.mean(values, axis=0).tolist()
        for values in (endings.values[first], endings.values[last], endings.searched[last])
    ]

    signed = partial(numbers.signed, digits=2)
    columns = [
        Column("row", lambda row: row[0].row),
        Column("position", lambda row: row[0].fen, below=lambda row: row[0].mended, prose=True),
        Column("", lambda row: row[0].outcome[:-1]),
        Column(labels[first], 1, signed),
        Column(labels[last], 2, signed),
        Column("its search", 3, signed),
        column_of(lambda row: row[0].default, signed, by="paper"),
        column_of(lambda row: row[0].improved, signed, by="paper, v2 + wdlp"),
    ]
    rows = list(zip(read_endings(), *means, strict=True))
    return [
        Text(
            "Table 11 has twenty endings. Rows 1, 17 and 18 are not whole as printed and were "
            "mended as the table below says; row 16 lacks a rank and a square and cannot be. So "
            "there are 15 draws and 4 wins here."
        ),
        endings_table(endings, labels),
        Table(
            "published endings",
            [Column("the paper", 0), Column("draws, alone", 1), Column("wins, alone, of five", 2)],
            theirs,
            "Published: mean |value|",
        ),
        Table("each ending", columns, rows, "Values for the player to move, means over trainings"),
    ]


def games_table(games: Games, labels: Mapping[str, str]) -> Table:
    """Return a round robin, one pair of contenders a row."""
    columns = [
        Column(
            "",
            lambda pair: (
                f"{labels.get(pair.first, pair.first)} v {labels.get(pair.second, pair.second)}"
            ),
        ),
        Column("games", "games", numbers.count),
        Column("won", "wins"),
        Column("drawn", "draws"),
        Column("lost", "losses"),
        Column("Elo", lambda pair: pair.elo.elo, numbers.elo_interval),
    ]
    caption = (
        f"{games.limit} a move: the first of each pair; {numbers.count(games.played)} games in "
        "total"
    )
    if max(games.trainings.values()) > 1:
        caption += ", those between trainings of one kind included"
        columns += [
            Column("games alone", lambda pair: pair.elo.elo_games_only, numbers.elo_interval),
            Column(
                "between trainings",
                lambda pair: (
                    f"{numbers.whole(pair.elo.first_sd)}, {numbers.whole(pair.elo.second_sd)}"
                ),
            ),
        ]
    return Table(f"games at {games.limit}", columns, games.pairings, caption)


def _games(results: Results, labels: Mapping[str, str]) -> list[Item]:
    return [
        Text(
            f"{results.engine} The paper has Stockfish 16.1 at 15,000 nodes in chess, and "
            "Fairy-Stockfish 14 at 50,000 and 40,000 nodes in its variants."
        ),
        figures.elo(results.games, labels),
        *(games_table(one, labels) for one in results.games),
    ]
