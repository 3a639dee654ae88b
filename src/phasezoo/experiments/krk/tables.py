"""The report's tables."""

from collections.abc import Iterable, Sequence

from phasezoo.arena.elo import Interval
from phasezoo.experiments.krk.curves import NAMES
from phasezoo.experiments.krk.results import CellSummary, Choice, Claim, Figure, VariantSummary
from phasezoo.experiments.report import numbers
from phasezoo.experiments.report.html import Html, element, table
from phasezoo.experiments.statistics import wilson

__all__ = ["cells", "choices", "claims", "summary", "values", "variants"]

_TONES = {"agrees": "better", "disagrees": "worse", "not settled": ""}


def summary(pairs: Iterable[tuple[str, Claim]]) -> Html:
    """Every claim in a line, with a link to its figure."""
    rows = [
        (
            element("a", number, href=_anchor(number)),
            element("td", claim.text, class_="text"),
            _judged(claim),
        )
        for number, claim in pairs
    ]
    return table(("figure", "the study says", "verdict"), rows, class_="prose")


def claims(found: Sequence[Claim]) -> Html:
    """The claims of one figure with what we found and the rule."""
    rows = [
        (
            str(place),
            element("td", claim.text, class_="text"),
            element("td", claim.ours, element("small", claim.rule), class_="text"),
            _judged(claim),
        )
        for place, claim in enumerate(found, start=1)
    ]
    return table(("", "the study says", "ours, and the rule", "verdict"), rows, class_="prose")


def choices(found: Sequence[Choice]) -> Html:
    """Distributions of the arg-min, a row each; darker if more resamples have it."""
    axis = found[0].axis
    head = [f"{axis}:", *(f"{v:g}" for v in found[0].values), f"{axis} that may be best"]
    rows = [
        [
            choice.name,
            *(
                _share(share, named=value in choice.claimed)
                for value, share in zip(choice.values, choice.shares, strict=True)
            ),
            element("td", ", ".join(f"{v:g}" for v in choice.contenders), class_="text"),
        ]
        for choice in found
    ]
    caption = "Share of resamples in which the curve is lowest there; outlined: what the study says"
    return table(head, rows, caption, class_="heat narrow")


def values(figure: Figure) -> list[Html]:
    """The numbers behind the curves of a figure, a table a panel."""
    made = []
    for panel in figure.panels:
        columns = sorted({x for line in panel.lines for x in line.x})
        head = ["", *(f"{panel.axis} = {x:g}" for x in columns)]
        rows = []
        for line in panel.lines:
            at = dict(zip(line.x, line.y, strict=True))
            rows.append([line.name, *(_estimate(at.get(x)) for x in columns)])
        made.append(
            table(head, rows, f"{panel.title}: {panel.unit}" if panel.title else panel.unit)
        )
    return made


def variants(found: Sequence[VariantSummary]) -> Html:
    """All games of each variant."""
    head = ("", "games", "won", "win given away", "moves that did", "of moves", "ends",
            "time a game")  # fmt: skip
    rows = [
        (
            NAMES[v.variant],
            numbers.count(v.games),
            _of(v.won, v.games, 1),
            _of(v.gave_away_games, v.games, 1),
            numbers.count(v.gave_away_moves),
            numbers.count(v.moves),
            element("td", ", ".join(f"{r.replace('_', ' ')} {numbers.count(n)}"
                                    for r, n in v.reasons.items()), class_="text"),
            f"{v.seconds / v.games:.2f} s",
        )
        for v in found
        if v.games
    ]  # fmt: skip
    return table(head, rows)


def cells(found: Sequence[CellSummary]) -> Html:
    """Every setting with its numbers."""
    head = ("search", "C", "T", "simulations", "games", "won", "gave the win away",
            "DTM difference", "moves (won games)", "collapses", "time a game")  # fmt: skip
    rows = [
        (
            NAMES[c.cell.variant],
            f"{c.cell.constant:g}",
            str(c.cell.threshold),
            numbers.count(c.cell.budget),
            str(c.games),
            _of(c.won, c.games, 0),
            str(c.gave_away),
            numbers.plain_interval(c.difference, 3),
            numbers.plain_interval(c.length, 1),
            numbers.plain_interval(c.collapses, 1),
            f"{c.seconds:.2f} s",
        )
        for c in found
    ]
    return table(head, rows, "In brackets: 95 % interval over the games of the setting")


def _of(part: int, whole: int, digits: int) -> Html:
    """A share with its 95 % interval below it."""
    share = wilson(part, whole)
    ends = f"{numbers.percent(share.low, digits)} to {numbers.percent(share.high, digits)}"
    return element("td", numbers.percent(share.value, digits), element("small", ends))


def _estimate(interval: Interval | None) -> Html:
    if interval is None:
        return element("td", numbers.ABSENT)
    digits = 0 if abs(interval.value) >= 100 else 3
    ends = f"{numbers.decimal(interval.low, digits)} to {numbers.decimal(interval.high, digits)}"
    return element("td", numbers.decimal(interval.value, digits), element("small", ends))


def _share(share: float, *, named: bool) -> Html:
    classes = "better own" if named else "better"
    return element(
        "td", numbers.percent(share, 0), class_=classes, style=f"--strength: {share:.2f}"
    )


def _judged(claim: Claim) -> Html:
    tone = _TONES[claim.judgement]
    return element("td", claim.judgement, class_=tone, style="--strength: 0.25")


def _anchor(number: str) -> str:
    return f"#study-{number.replace('.', '-')}"
