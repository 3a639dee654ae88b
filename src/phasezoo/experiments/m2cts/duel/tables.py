"""The report's tables."""

import math
from collections.abc import Sequence

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.cards import NetworkCard
from phasezoo.experiments.m2cts.duel import paper
from phasezoo.experiments.m2cts.duel.results import (
    ALL,
    Cell,
    Dataset,
    Differences,
    Entry,
    Losses,
    Matches,
    Pairing,
    Results,
)
from phasezoo.experiments.report import numbers
from phasezoo.experiments.report.html import Content, Html, details, element, join, table
from phasezoo.experiments.report.html import heading as title

__all__ = [
    "dataset",
    "loss_heat",
    "loss_numbers",
    "match",
    "networks",
    "pairings",
    "paper_data",
    "paper_elo",
    "paper_losses",
    "phase_starts",
    "sides",
]


def dataset(data: Dataset) -> Html:
    """Games and positions per phase and split."""
    head = ["", "games", "positions", *data.phases, "removed", "won / drawn / lost by White"]
    rows: list[list[Content]] = []
    for split in data.splits:
        total = max(1, sum(split.results))
        results = " / ".join(numbers.decimal(100 * r / total, 0) for r in split.results) + " %"
        phases = [
            join(numbers.count(p), element("small", f"in {numbers.count(g)} games"))
            for p, g in zip(split.positions, split.reaching, strict=True)
        ]
        counts = (split.games, sum(split.positions))
        removed = numbers.count(sum(split.removed))
        rows.append([split.name, *map(numbers.count, counts), *phases, removed, results])
    caption = join("Games and positions by split and phase (gate ", element("code", data.gate), ")")
    return table(head, rows, caption)


def phase_starts(data: Dataset) -> str:
    """Where each phase begins, as one sentence."""
    parts = [
        f"{name} at move {numbers.decimal(start.mean, 1)} ± {numbers.decimal(start.deviation, 1)}"
        for name, start in zip(data.phases, data.starts, strict=True)
        if start is not None and start.mean > 1
    ]
    return f"Phases begin, mean ± standard deviation: {', '.join(parts)}." if parts else ""


def networks(cards: Sequence[NetworkCard]) -> Html:
    """What each network got; further trainings are folded away."""
    trainings = sorted({card.training for card in cards})
    tables = [_networks_of([c for c in cards if c.training == k]) for k in trainings]
    if len(tables) == 1:
        return tables[0]
    rest = (join(title(f"Training {k + 1}", 4), tables[k]) for k in range(1, len(tables)))
    return join(tables[0], details(f"Trainings 2 to {len(tables)}", *rest))


def loss_heat(losses: Losses) -> Html:
    """The loss matrix as a heat map: tint by the difference to the baseline."""
    head = ["", *("all positions" if c == ALL else c for c in losses.columns)]
    strongest = max(
        (abs(d.total.value) for e in losses.entries for d in e.differences.values() if d.total),
        default=0.0,
    )
    rows: list[Sequence[Content]] = [
        (entry.name, *(_heat_cell(entry, c, strongest) for c in losses.columns))
        for entry in losses.entries
    ]
    stressed = {i for i, e in enumerate(losses.entries) if e.role in ("mixture", "placebo")}
    caption = (
        "Total loss on test positions of each phase, with the difference to one network below "
        "and its 95 % interval in brackets."
    )
    legend = element(
        "div",
        element("span", "better than one network", class_="better"),
        element("span", "worse than one network", class_="worse"),
        element("span", "an expert on its own phase", class_="own"),
        class_="swatches",
    )
    return join(
        table(head, rows, caption, class_="heat", strong_rows=frozenset(stressed)),
        legend,
    )


def loss_numbers(losses: Losses) -> list[Html]:
    """One table per test set with every number."""
    made = []
    for column in losses.columns:
        rows: list[list[Content]] = []
        for entry in losses.entries:
            cell, difference = entry.cells[column], entry.differences.get(column)
            rows.append([entry.name, *_metrics(cell, difference)])
        positions = max((e.cells[column].positions for e in losses.entries), default=0)
        name = "all positions" if column == ALL else column
        caption = f"{name}: {numbers.count(positions)} test positions"
        made.append(table(("", "total", "policy", "value", "policy accuracy"), rows, caption))
    return made


def match(matches: Matches) -> Html:
    """The result of all games."""
    total = matches.total
    head = ["", "won", "drawn", "lost", "Elo ± 95 %", "LOS"]
    row: list[Content] = ["M2CTS against MCTS"]
    row += [numbers.count(n) for n in (total.wins, total.draws, total.losses)]
    row += [numbers.elo_interval(total.elo), numbers.chance(total.los)]
    rows = [row]
    caption = "All games, from pair scores; the interval counts games only."
    if matches.spread is not None:
        over = ["for new trainings", "", "", "", numbers.elo_interval(matches.spread.elo), ""]
        rows.append([*over])
        caption = (
            "From pair scores. The first interval counts games only and is about these very "
            "networks; the second counts trainings first."
        )
    return table(head, rows, caption, strong_rows=frozenset({len(rows) - 1}))


def sides(total: Pairing) -> Html:
    """Rows, calls and seconds of both sides."""
    head = ("", "rows", "padded rows", "calls", "rows a call", "rows of another phase", "time")
    rows: list[Sequence[Content]] = []
    for side in total.sides:
        share = numbers.percent(side.off_phase_rows / side.rows if side.rows else None)
        rows.append(
            (
                side.name,
                numbers.count(side.rows),
                numbers.count(side.padded_rows),
                numbers.count(side.calls),
                numbers.decimal(side.mean_rows, 1),
                f"{numbers.count(side.off_phase_rows)} ({share})",
                numbers.duration(side.seconds),
            )
        )
    return table(head, rows, "Inference over all games")


def pairings(matches: Matches) -> list[Html]:
    """Every mixture against every baseline, if there are several."""
    if matches.spread is None:
        return []
    scores = {(p.mixture, p.baseline): p for p in matches.pairings}
    baselines = sorted({p.baseline for p in matches.pairings})
    mixtures = sorted({p.mixture for p in matches.pairings})
    strongest = max((abs(_score(p) - 0.5) for p in matches.pairings), default=0.0)
    rows: list[list[Content]] = []
    for i in mixtures:
        cells = [_pairing_cell(scores[i, j], strongest) for j in baselines]
        rows.append([f"mixture {i + 1}", *cells])
    head = ["", *(f"baseline {j + 1}" for j in baselines)]
    caption = "Score of each mixture against each baseline in %, with Elo below"
    return [title("Every pairing"), table(head, rows, caption, class_="heat")]


def paper_losses(results: Results) -> list[Html]:
    """Table XIV, beside ours if the phases are the same."""
    head = ("", "opening", "middlegame", "endgame", "all positions")
    quoted: list[Sequence[Content]] = [
        (r.name, *(numbers.decimal(x, 4) for x in (r.opening, r.middlegame, r.endgame, r.all)))
        for r in paper.TEST_LOSSES
    ]
    made = [table(head, quoted, "Paper, Table XIV: total test loss, separated learning")]
    if tuple(results.dataset.phases) == paper.PHASES:
        kept = [e for e in results.losses.entries if e.role != "placebo"]
        ours: list[Sequence[Content]] = [
            (e.name, *(numbers.decimal(e.cells[c].total, 4) for c in results.losses.columns))
            for e in kept
        ]
        caption = "This run, the same table (other games and smaller networks: compare directions)"
        made.append(table(head, ours, caption))
    return made


def paper_elo(results: Results) -> Html:
    """Table XV, with this run's figure in the last row."""
    rows: list[Sequence[Content]] = [
        (f"paper, search {r.name}", numbers.elo_interval(r.interval, 2))
        for r in paper.ELO_SEPARATED
    ]
    rows.append(("paper, mean", numbers.elo_interval(paper.ELO_MEAN.interval, 2)))
    ours = numbers.elo_interval(results.matches.total.elo_trinomial, 2)
    rows.append(("this run, from single games as the paper counts", ours))
    caption = (
        "Paper, Table XV: Elo of M2CTS over MCTS with one network, separated learning, 1000 "
        "games a match, mean over 100–3200 nodes and 100–1600 ms a move"
    )
    return table(("", "Elo ± 95 %"), rows, caption, strong_rows=frozenset({len(rows) - 1}))


def paper_data() -> Html:
    """Table IV."""
    rows: list[Sequence[Content]] = [
        (full.name, *(numbers.elo_interval(x.interval, 1) for x in (full, half)))
        for full, half in paper.DATA_AND_SIZE
    ]
    caption = "Paper, Table IV: the same with all and with half of the data, 800 nodes a move"
    return table(("", "all data", "half the data"), rows, caption)


def _networks_of(cards: Sequence[NetworkCard]) -> Html:
    head = ("", "parameters", "positions", "unique", "epochs", "updates", "validation loss", "time")
    rows: list[Sequence[Content]] = [
        (
            card.name,
            numbers.count(card.parameters),
            numbers.count(card.positions),
            numbers.count(card.unique_positions),
            numbers.decimal(card.epochs, 2),
            numbers.count(card.updates),
            numbers.decimal(card.best_validation),
            numbers.duration(card.seconds),
        )
        for card in cards
    ]
    single = len(rows)
    for role, name in (("expert", "phase mixture"), ("placebo", "placebo mixture")):
        group = [c for c in cards if c.role == role]
        if group:
            rows.append(_mixture_row(name, group))
    caption = (
        "What each network got. Of a mixture, every position passes through one expert: in "
        "brackets, the parameters that are active for a position. Validation loss: the lowest, "
        "of the checkpoint that was kept."
    )
    return table(head, rows, caption, strong_rows=frozenset(range(single, len(rows))))


def _mixture_row(name: str, group: Sequence[NetworkCard]) -> Sequence[Content]:
    parameters = join(
        numbers.count(sum(c.parameters for c in group)),
        element("small", f" ({numbers.count(max(c.parameters for c in group))})"),
    )
    return (
        name,
        parameters,
        numbers.count(sum(c.positions for c in group)),
        numbers.count(sum(c.unique_positions for c in group)),
        "",
        numbers.count(sum(c.updates for c in group)),
        "",
        numbers.duration(sum(c.seconds for c in group)),
    )


def _heat_cell(entry: Entry, column: str, strongest: float) -> Html:
    cell, difference = entry.cells[column], entry.differences.get(column)
    total = difference.total if difference else None
    if total is None:
        return element("td", numbers.decimal(cell.total))
    small = join(
        element("small", numbers.signed(total.value)), element("small", f"[{_ends(total)}]")
    )
    words = ["better" if total.value < 0 else "worse"]
    if entry.phase == column:
        words.append("own")
    style = f"--strength: {_strength(total.value, strongest):.2f}"
    text = numbers.decimal(cell.total)
    return element("td", text, small, class_=" ".join(words), style=style)


def _pairing_cell(pairing: Pairing, strongest: float) -> Html:
    score = _score(pairing)
    tone = "better" if score > 0.5 else "worse"
    style = f"--strength: {_strength(score - 0.5, strongest):.2f}"
    small = element("small", f"{numbers.elo_interval(pairing.elo)}")
    return element("td", numbers.decimal(100 * score, 1), small, class_=tone, style=style)


def _score(pairing: Pairing) -> float:
    return (pairing.wins + pairing.draws / 2) / max(1, pairing.games)


def _strength(value: float, strongest: float) -> float:
    # The square root keeps small differences visible beside an expert's large ones off its phase.
    return 0.55 * math.sqrt(abs(value) / strongest) if strongest else 0.0


def _metrics(cell: Cell, difference: Differences | None) -> list[Content]:
    texts = {name: numbers.decimal(getattr(cell, name)) for name in ("total", "policy", "value")}
    texts["accuracy"] = numbers.percent(cell.accuracy)
    return [_with_difference(text, difference, name) for name, text in texts.items()]


def _with_difference(text: str, difference: Differences | None, name: str) -> Content:
    interval: Interval | None = getattr(difference, name) if difference else None
    if interval is None:
        return text
    return join(text, element("small", f" ({numbers.span(interval)})"))


def _ends(interval: Interval) -> str:
    return f"{numbers.signed(interval.low)}, {numbers.signed(interval.high)}"
