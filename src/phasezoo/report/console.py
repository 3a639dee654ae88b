"""Console output of a run: headings, tables, progress; plain without a terminal."""

import contextlib
import io
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from typing import IO, Protocol

from markdown_it import MarkdownIt
from rich.console import Console as RichConsole
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from phasezoo._progress import Lines, is_quiet, shows_bars
from phasezoo.report.document import Claim, Document, Item, Section, Table, on_one_line

COLUMNS = 80
"""Width of what is written to a file."""


class Task(Protocol):
    """A piece of work with a bar."""

    def update(self, done: int, note: str = "") -> None:
        """Say how much is done by now, and a few words on how it goes."""


class Console(Protocol):
    """Where a run reports to."""

    def heading(self, text: str) -> None:
        """Begin a part of the run."""

    def note(self, text: str) -> None:
        """Say one thing."""

    def table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show a table; its first column names the rows, and cells may have a second line."""

    def task(self, name: str, total: int) -> contextlib.AbstractContextManager[Task]:
        """Show the progress of a piece of work."""


class TerminalConsole:
    """A console on a stream: bars and colours on a terminal, plain lines everywhere else.

    Args:
        stream: Where to write; standard output by default.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        out = sys.stdout if stream is None else stream
        width = None if out.isatty() else COLUMNS
        self._rich = RichConsole(file=out, highlight=False, soft_wrap=True, width=width)

    def heading(self, text: str) -> None:
        """Begin a part of the run."""
        self._rich.print()
        self._rich.print(Text(text, style="bold cyan"))

    def note(self, text: str) -> None:
        """Say one thing."""
        self._rich.print(Text(text))

    def table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show a table; its first column names the rows.

        Second lines stand in brackets if there is room. A table that is too wide is shown in parts
        below each other, all with the first column.
        """
        narrow = [list(map(on_one_line, row)) for row in rows]
        if len(_parts(_widths(head, narrow), self._rich.width)) == 1:
            rows = narrow
        widths = _widths(head, rows)
        self._rich.print()
        self._rich.print(Text(title, style="bold"))
        for number, part in enumerate(_parts(widths, self._rich.width)):
            if number:
                self._rich.print()
            self._part(part, widths, head, rows)

    def _part(
        self,
        part: Sequence[int],
        widths: Sequence[int],
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
    ) -> None:
        """Show some columns of a table."""
        widths = [widths[place] for place in part]
        head, *rows = ([row[place] for place in part] for row in (head, *rows))
        self._rich.print(Text(_line(head, widths), style="dim"))
        self._rich.print(Text("  ".join("─" * width for width in widths), style="dim"))
        for row in rows:
            for cells in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
                self._rich.print(Text(_line(cells, widths)))

    @contextlib.contextmanager
    def task(self, name: str, total: int) -> Iterator[Task]:
        """Show the progress of a piece of work: a bar on a terminal, a line a minute elsewhere.

        A last line says how it ended.
        """
        if not shows_bars(self._rich.file):
            line = _Line(name, total, Lines(self.note))
            yield line
            if not is_quiet():
                self.note(f"{name}: {line.last or 'done'}")
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            TextColumn("{task.fields[note]}", markup=False),
        )
        with Progress(*columns, console=self._rich) as progress:
            yield _Bar(progress, name, total)


def _widths(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column, that of its longest line."""
    columns = zip(head, *rows, strict=True)
    return [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]


def _parts(widths: Sequence[int], most: int) -> list[list[int]]:
    """Return the columns of each part of a table whose lines are not longer than ``most``.

    A part has the first column and at least one more.
    """
    parts, length = [[0]], widths[0]
    for place, width in enumerate(widths[1:], 1):
        if len(parts[-1]) > 1 and length + 2 + width > most:
            parts.append([0])
            length = widths[0]
        parts[-1].append(place)
        length += 2 + width
    return parts


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    aligned = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
    return "  ".join(aligned).rstrip()


class _Bar:
    def __init__(self, progress: Progress, name: str, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task(name, total=total, note="")

    def update(self, done: int, note: str = "") -> None:
        self._progress.update(self._task, completed=done, note=note)


class _Line:
    def __init__(self, name: str, total: int, lines: Lines) -> None:
        self._name, self._total, self._lines = name, total, lines
        self.last = ""

    def update(self, done: int, note: str = "") -> None:
        self.last = note or f"{done:,} done"
        self._lines.update(self._name, done, self._total, note)


class SilentConsole(TerminalConsole):
    """A console that shows nothing, for runs started from a program."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self._rich.quiet = True


def show(document: Document, console: Console, without: Collection[str] = ()) -> None:
    """Show the headline, tables and claims of a document; details that pages fold are left out."""
    for item in (*document.answer, *document.items):
        if _is_shown(item, without):
            _show(item, console, without)
    console.note(f"\n{document.headline}.")


def show_table(table: Table, console: Console) -> None:
    """Show a table of a document."""
    console.table(plain(table.caption) or table.name, table.head, table.lines())
    if table.note:
        console.note(textwrap.fill(plain(table.note), COLUMNS))


def shown_alone(table: Table) -> Text:
    """Return a table of a document as :class:`TerminalConsole` shows it."""
    out = io.StringIO()
    show_table(table, TerminalConsole(out))
    return Text(out.getvalue().strip("\n"))


def plain(text: str) -> str:
    """Return Markdown without its marks."""
    inline = MarkdownIt("commonmark", {"html": False}).parseInline(text)
    return "".join(token.content or " " * (token.type == "softbreak")
                   for line in inline for token in line.children or ())  # fmt: skip


def _show(item: Item, console: Console, without: Collection[str]) -> None:
    match item:
        case Table():
            show_table(item, console)
        case Claim():
            console.note(f"{item.judgement:<11}  {plain(item.text)}")
            console.note(f"             {plain(item.ours)}")
            if item.judgement == "not settled":
                console.note(f"             Rule: {plain(item.rule)}")
        case Section(folded=False):
            parts = [part for part in item.items if _is_shown(part, without)]
            if any(isinstance(part, Table | Claim) for part in parts):
                console.heading(item.title)
            for part in parts:
                _show(part, console, without)


def _is_shown(item: Item, without: Collection[str]) -> bool:
    return not isinstance(item, Table) or item.name not in without


def silent() -> Console:
    """Return a console that shows nothing."""
    return SilentConsole()
