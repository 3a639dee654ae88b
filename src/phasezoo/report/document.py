"""A report: text, tables, figures and claims in reading order, whatever it is shown on.

A column, a caption and a verdict are written in a document and nowhere else. The console, the HTML
page, the CSV files, Markdown and notebooks are renderings of it.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.frames import Frame, csv_text, frame
from phasezoo.report import numbers
from phasezoo.specs import did_you_mean

if TYPE_CHECKING:
    from markupsafe import Markup
    from rich.text import Text as RichText

    from phasezoo.report.console import Console

Judgement: TypeAlias = Literal["agrees", "disagrees", "not settled"]
"""Result of comparing a claim of a publication with what we found."""

JUDGEMENTS: tuple[Judgement, ...] = ("agrees", "disagrees", "not settled")


@dataclass(frozen=True)
class Text:
    """Paragraphs and lists.

    Args:
        text: Markdown; markup of HTML in it is shown as it is written.
        muted: True for a remark that stands back.
    """

    text: str
    muted: bool = False


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    head: str
    """Heading."""
    value: str | int | Callable[[Any], Any]
    """Value of a row: the name of its attribute, its key or place, or a function of the row."""
    format: Callable[[Any], str] = numbers.text
    """Text of a value."""
    below: Callable[[Any], str] | None = None
    """Smaller second line of a row's cell; empty for none."""
    tone: Callable[[Any], float | None] | None = None
    """Shade of a row's cell, from −1 (worse) to 1 (better); None for no shade."""
    marked: Callable[[Any], bool] | None = None
    """Whether a row's cell has a frame around it."""
    prose: bool = False
    """True for running text, which is set to the left and may wrap."""

    def of(self, row: Any) -> Any:
        """Return the value of a row."""
        if callable(self.value):
            return self.value(row)
        if isinstance(self.value, int) or isinstance(row, Mapping):
            return row[self.value]
        return getattr(row, self.value)


def published(
    value: str | int | Callable[[Any], Any],
    format: Callable[[Any], str] = numbers.text,
    *,
    by: str = "published",
) -> Column:
    """Return the column of a publication's figures, to stand beside the one of ours.

    Args:
        value: As for :class:`Column`; a row without a figure has None.
        format: Text of a figure.
        by: Heading.
    """
    return Column(by, value, lambda figure: numbers.ABSENT if figure is None else format(figure))


def estimate(
    head: str,
    value: str | int | Callable[[Any], Interval | None],
    format: Callable[[float], str] | int = 3,
    *,
    signed: bool = False,
) -> Column:
    """Return a column of estimates, each with both ends of its interval below it.

    Args:
        head: Heading.
        value: As for :class:`Column`; a row without an estimate has None.
        format: Text of the estimate and of each end, or their digits after the point.
        signed: True for differences, which have a sign.
    """
    column, form = Column(head, value), format
    if isinstance(form, int):
        form = partial(numbers.signed if signed else numbers.decimal, digits=form)

    def ends(row: Any) -> str:
        found: Interval | None = column.of(row)
        if found is None:
            return ""
        if not found.is_known:
            return "no interval"
        return f"{form(found.low)} to {form(found.high)}"

    def text(found: Interval | None) -> str:
        return numbers.ABSENT if found is None else form(found.value)

    return replace(column, format=text, below=ends)


def columns_by(
    keys: Iterable[Any],
    value: Callable[[Any, Any], Any],
    format: Callable[[Any], str] = numbers.text,
    *,
    head: Callable[[Any], str] = str,
    below: Callable[[Any, Any], str] | None = None,
    tone: Callable[[Any, Any], float | None] | None = None,
    marked: Callable[[Any, Any], bool] | None = None,
) -> list[Column]:
    """Return a column for each key, such as each set of positions."""

    def at(function: Callable[[Any, Any], Any] | None, key: Any) -> Any:
        return None if function is None else lambda row: function(row, key)

    return [
        Column(
            head(key),
            at(value, key),
            format,
            below=at(below, key),
            tone=at(tone, key),
            marked=at(marked, key),
        )
        for key in keys
    ]


@dataclass(frozen=True)
class Table:
    """Rows of measurements under columns; the first column names the rows."""

    name: str
    """Name in :attr:`Document.tables` and of its CSV file."""
    columns: Sequence[Column]
    """Columns."""
    rows: Sequence[Any]
    """Measurements, one object or mapping a row."""
    caption: str = ""
    """Heading, in Markdown."""
    strong: Callable[[Any], bool] | None = None
    """Whether a row is set in bold, such as a total."""
    note: str = ""
    """Remark below it, in Markdown."""

    @classmethod
    def of_pairs(
        cls, name: str, pairs: Iterable[tuple[str, Any]], head: tuple[str, str]
    ) -> "Table":
        """Return a table of names and texts.

        Args:
            name: As for :class:`Table`.
            pairs: Rows.
            head: Headings of both columns.
        """
        first, second = head
        columns = [Column(first, 0), Column(second, 1, prose=True)]
        return cls(name, columns, list(pairs))

    @property
    def head(self) -> list[str]:
        """Headings."""
        return [column.head for column in self.columns]

    def lines(self) -> list[list[str]]:
        """Return the text of every cell, which has two lines if its column has a second one."""
        return [[_with_below(column, row) for column in self.columns] for row in self.rows]

    def texts(self) -> list[list[str]]:
        """Return the text of every cell, the second line in brackets."""
        return [list(map(on_one_line, row)) for row in self.lines()]

    def records(self) -> list[dict[str, Any]]:
        """Return the values of every row by heading; an interval is three of them."""
        return [dict(self._values(row)) for row in self.rows]

    def to_frame(self) -> Frame:
        """Return the values as a pandas frame, one row a row.

        Raises:
            MissingDependency: pandas is not installed.
        """
        return frame(self.records())

    def to_csv(self) -> str:
        """Return the values as CSV with a head."""
        rows = self.records()
        names = dict.fromkeys(name for row in rows for name in row) or dict.fromkeys(self.head)
        return csv_text(names, (map(row.get, names) for row in rows))

    def __rich__(self) -> "RichText":
        from phasezoo.report.console import shown_alone

        return shown_alone(self)

    def _repr_html_(self) -> str:
        from phasezoo.report import html

        return html.cell(self)

    def _values(self, row: Any) -> Iterator[tuple[str, Any]]:
        for number, column in enumerate(self.columns):
            value, head = column.of(row), column.head or ("name" if number == 0 else f"{number}")
            if isinstance(value, Interval):
                yield head, value.value
                yield f"{head} low", value.low
                yield f"{head} high", value.high
            else:
                yield head, value


def _with_below(column: Column, row: Any) -> str:
    text = column.format(column.of(row))
    below = column.below(row) if column.below is not None else ""
    return f"{text}\n{below}" if below else text


def on_one_line(cell: str) -> str:
    """Return a cell of :meth:`Table.lines` with its second line in brackets."""
    text, _, below = cell.partition("\n")
    return f"{text} ({below})" if below else text


class _Named(dict[str, Any]):
    """Items by name, which says what names there are if one is missing."""

    def __init__(self, what: str, items: Iterable[tuple[str, Any]]) -> None:
        super().__init__(items)
        self._what = what

    def __missing__(self, name: object) -> Any:
        message = (
            f"{name!r}: no such {self._what}{did_you_mean(str(name), self)} There are "
            f"{', '.join(self) or 'none'}"
        )
        raise KeyError(message)


@dataclass(frozen=True)
class Figure:
    """A drawing, made when it is shown."""

    name: str
    """Name in :attr:`Document.figures`, unique in a document."""
    draw: Callable[[], Any]
    """Returns a Matplotlib figure of :func:`phasezoo.report.plots.axes`, or a finished SVG."""
    caption: str
    """Text below it, in Markdown."""
    words: str = ""
    """Description for readers who cannot see it."""

    def svg(self) -> "Markup":
        """Return the drawing as an ``<svg>`` element that follows the page's theme.

        Raises:
            MissingDependency: Matplotlib is not installed.
        """
        from markupsafe import Markup

        from phasezoo.report import plots

        drawing = self.draw()
        if isinstance(drawing, Markup):
            return drawing
        return plots.to_svg(drawing, self.name, self.words or self.caption)

    def _repr_html_(self) -> str:
        return str(self.svg())


@dataclass(frozen=True)
class Claim:
    """A statement of a publication, what we found, and by which rule the two were compared."""

    text: str
    """The statement."""
    ours: str
    """Our finding."""
    rule: str
    """When the two agree and when they disagree."""
    judgement: Judgement
    """Result of the rule."""
    counted: bool = True
    """False for a statement that is tried on what the publication did not measure."""


@dataclass(frozen=True)
class Section:
    """A part of a document under a heading."""

    title: str
    """Heading."""
    items: Sequence["Item"]
    """Contents in reading order."""
    folded: bool = False
    """True for details, which a page shows on demand and the console leaves out."""


Item: TypeAlias = Text | Table | Figure | Claim | Section
"""A part of a document."""

Kind = TypeVar("Kind", Text, Table, Figure, Claim, Section)


@dataclass(frozen=True)
class Document:
    """A report in reading order.

    Its tables, figures and claims are at hand by :attr:`tables`, :attr:`figures` and
    :attr:`claims`; a notebook shows it as its page.
    """

    title: str
    """Question that it answers."""
    headline: str
    """Answer in one sentence."""
    items: Sequence[Item]
    """Contents."""
    answer: Sequence[Item] = ()
    """Items beside the headline."""
    lead: str = ""
    """Introduction, in Markdown."""
    kicker: str = ""
    """Subject of the report, in a few words."""
    source: str = "publication"
    """Word for where its claims come from, such as ``thesis``."""
    refresh_s: int | None = None
    """Seconds after which a browser loads its page again, while it grows."""

    @property
    def tables(self) -> dict[str, Table]:
        """Tables by name."""
        return _Named("table", ((table.name, table) for table in self.all_of(Table)))

    @property
    def figures(self) -> dict[str, Figure]:
        """Figures by name."""
        return _Named("figure", ((figure.name, figure) for figure in self.all_of(Figure)))

    @property
    def claims(self) -> list[Claim]:
        """Claims in reading order."""
        return list(self.all_of(Claim))

    @property
    def judgements(self) -> dict[Judgement, int]:
        """Number of claims by judgement, of those that are counted."""
        return judgements(self.claims)

    def all_of(self, kind: type[Kind]) -> Iterator[Kind]:
        """Return all items of a kind, those of sections included.

        Args:
            kind: Class of the items.
        """
        return (item for item in _flat((*self.answer, *self.items)) if isinstance(item, kind))

    def to_html(self) -> str:
        """Return a page that needs nothing from outside.

        Raises:
            MissingDependency: Matplotlib is not installed.
        """
        from phasezoo.report import html

        return html.page(self)

    def to_markdown(self) -> str:
        """Return the document as Markdown; figures are their captions."""
        from phasezoo.report import markdown

        return markdown.of_document(self)

    def write_tables(self, folder: "str | Path") -> list[Path]:
        """Write every table as a CSV file.

        Args:
            folder: Where to; it is made if need be.

        Returns:
            The files.

        Raises:
            RunDirectoryError: The folder cannot be made or written.
        """
        from phasezoo.runs.files import describe_disk_errors, write_whole

        place, files = Path(folder), []
        with describe_disk_errors(place, every=True):
            place.mkdir(parents=True, exist_ok=True)
            for table in self.tables.values():
                files.append(place / f"{table.name}.csv")
                write_whole(files[-1], table.to_csv())
        return files

    def show(self, console: "Console", without: Collection[str] = ()) -> None:
        """Show the headline, tables and claims on a console.

        Args:
            console: Where to.
            without: Names of tables that are left out.
        """
        from phasezoo.report.console import show

        show(self, console, without)

    def _repr_html_(self) -> str:
        from phasezoo.report import html

        return html.cell(self)


def literal(text: str) -> str:
    """Return Markdown that shows a text as it is, such as a name that a user chose."""
    return re.sub(r"([\\`*_\[\]<>&~#|])", r"\\\1", text)


def judgements(claims: Iterable[Claim]) -> dict[Judgement, int]:
    """Return the number of claims by judgement, of those that are counted."""
    found = Counter(claim.judgement for claim in claims if claim.counted)
    return {judgement: found[judgement] for judgement in JUDGEMENTS}


def _flat(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        if isinstance(item, Section):
            yield from _flat(item.items)
