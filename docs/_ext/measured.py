"""Pages whose tables and figures come from measurements.

The measurements of ``results/krk.md`` lie beside it, in ``results/krk.json``::

    {"runs": {"NAME": {"transcribed": true, "command": …, "commit": …, "date": …, "machine": …,
                       "tables": {"TABLE": {"columns": [{"head": …, "form": …}], "rows": […]}}}},
     "figures": {"HEADING": ["+0.3 (+0.1 to +0.5)"]}}

A run of a study is not written down there: the ``config.json`` and ``results.json`` of its folder
lie under ``results/krk/NAME/``, and its tables are those of its report. In the page a line
``<!-- table: NAME/TABLE -->`` stands before each table, and the table below it is written here. It
is written into the page, because the pages are read on the repository's host too, where nothing is
built. A figure in a sentence is checked instead: the measurements of this page, or of a page that
its section links to, hold it in a table or, if it stands in sentences alone, in ``figures``, by
heading. So is one in a column that is ``quoted``, which repeats what was measured elsewhere.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from phasezoo import experiments
from phasezoo.arena import Interval
from phasezoo.errors import PhasezooError
from phasezoo.report import markdown, numbers
from phasezoo.report.document import Column, Table
from phasezoo.runs import jsonable

__all__ = [
    "Unmeasured",
    "figures_of",
    "measured_pages",
    "rendered",
    "sections",
    "tables_of",
    "unheld",
]

FORMS: dict[str, Callable[..., str]] = {
    "count": numbers.count,
    "decimal": numbers.decimal,
    "elo": numbers.signed,
    "percent": numbers.percent,
    "signed": numbers.signed,
}
"""Ways to write a number. Digits after the point and a unit may follow, as in ``decimal 2 M``."""

TABLE = re.compile(r"^<!-- table: (?P<name>.+) -->\n(?:\|.*\n)*", re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s#:]+\.md)[^)\s]*\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NO_PROSE = re.compile(r"`[^`]*`|<!--.*?-->|(?<=\])\([^)\s]*\)", re.DOTALL)

NUMBER = r"[+−]?(?:\d+(?:,\d{3})*(?:\.\d+)?|∞)"
FIGURE = re.compile(
    rf"(?<![\w.,=/–-])(?<!= )(?<!\bFig\. )(?<!\bfigure )(?<!\bStockfish )"
    rf"{NUMBER}(?: %| [kM]\b)?(?: ± {NUMBER})?(?: \({NUMBER}(?: %)? to {NUMBER}(?: %)?\))?"
    rf"(?![\w/]|[.,]\d)"
)  # fmt: skip
"""A number with its unit and interval. One without any of these, a sign or a point is a setting."""

LEVEL = "95 %"
"""Level of all intervals, which is not a result."""


class Quoted(Column):
    """A column whose figures other measurements hold."""


class Unmeasured(PhasezooError):
    """A page has a table or a figure that no measurement holds."""


def measured_pages(docs: Path) -> list[Path]:
    """Return the pages that have measurements beside them.

    Args:
        docs: Folder of the documentation.
    """
    pages = sorted(file.with_suffix(".md") for file in docs.rglob("*.json"))
    return [page for page in pages if page.is_file()]


def rendered(page: Path) -> str:
    """Return a page with its tables written from its measurements.

    Args:
        page: The page.

    Raises:
        Unmeasured: A table is typed or has no measurement, or a sentence has a figure without one.
    """
    tables = tables_of(page)

    def written(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in tables:
            message = (
                f"{_name(page)}: no table {name!r} in {_name(page, '.json')}, which has "
                f"{', '.join(tables) or 'none'}"
            )
            raise Unmeasured(message)
        return f"<!-- table: {name} -->\n{markdown.grid(tables[name])}\n"

    text = page.read_text(encoding="utf-8")
    typed = re.search(r"^\|.*$", FENCE.sub("", TABLE.sub("", text)), re.MULTILINE)
    if typed is not None and page.parent.name == "results":
        message = (
            f"{_name(page)}: the table that begins with {typed[0]!r} is typed; write it into "
            f"{_name(page, '.json')}, and a line <!-- table: RUN/TABLE --> in its place"
        )
        raise Unmeasured(message)
    missing = [f"{figure!r} under {heading!r}" for heading, figure in unheld(page)]
    if missing:
        message = (
            f"{_name(page)}: no measurement holds {', '.join(missing)}; take each from a table of "
            f"{_name(page, '.json')}, or add it to figures there"
        )
        raise Unmeasured(message)
    return TABLE.sub(written, text)


def tables_of(page: Path) -> dict[str, Table]:
    """Return the tables of a page's measurements as ``RUN/TABLE``.

    Args:
        page: The page.

    Raises:
        Unmeasured: A run is there twice.
    """
    files = sorted([*page.parent.glob(f"{page.stem}.json"), *page.with_suffix("").rglob("*.json")])
    return _tables_of(page, tuple((file, file.stat().st_mtime_ns) for file in files))


@cache
def _tables_of(page: Path, _: tuple[tuple[Path, int], ...]) -> dict[str, Table]:
    """Read the tables once for each state of the files, because several pages ask for them."""
    runs = {
        run: {
            name: _written_down(f"{_name(page, '.json')}: {run}/{name}", table)
            for name, table in kept["tables"].items()
        }
        for run, kept in _data(page)["runs"].items()
    }
    for file in sorted(page.with_suffix("").glob("*/results.json")):
        if file.parent.name in runs:
            message = (
                f"{file.parent} holds a run that {_name(page, '.json')} has too; remove it there"
            )
            raise Unmeasured(message)
        document = experiments.open(file.parent)
        judged = markdown.claims(document.claims, document.source)
        runs[file.parent.name] = document.tables | {"claims": judged}
    return {f"{run}/{name}": table for run, found in runs.items() for name, table in found.items()}


def unheld(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the figures of a page that no measurement holds, with the section of each.

    Args:
        page: The page.
    """
    held: dict[Path, set[str]] = {}
    for section, text, links in sections(page):
        pages = {page, *(page.parent / link for link in LINK.findall(links))}
        for each in pages - held.keys():
            held[each] = _held(each)
        for figure in figures_of(text):
            if not any(_normal(figure) in held[each] for each in pages):
                yield section, figure


def sections(page: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the sections of a page: their headings, texts, and the same with all links.

    The text of a section is that below its heading, without code and measured tables. Tables with
    quoted columns are sections too, and those columns their texts.

    Args:
        page: The page.
    """
    text = page.read_text(encoding="utf-8")
    _, *parts = HEADING.split(FENCE.sub("", TABLE.sub("", text)))
    for heading, prose in zip(parts[::2], parts[1::2], strict=True):
        yield heading, prose, prose
    for name, table in tables_of(page).items():
        yield name, " | ".join(_texts(table, Quoted)), markdown.grid(table)


def figures_of(text: str) -> list[str]:
    """Return the figures of a text: numbers with a sign, a point, a unit or an interval.

    Args:
        text: Markdown.
    """
    plain = re.sub(r"\s+", " ", NO_PROSE.sub("", text))
    found = (each[0] for each in FIGURE.finditer(plain))
    return [each for each in found if re.search(r"[+−.%kM±(∞]", each) and each != LEVEL]


def _held(page: Path) -> set[str]:
    """Return the figures that the measurements of a page hold; none if it has none."""
    listed = [figure for found in _data(page)["figures"].values() for figure in found]
    cells = (text for table in tables_of(page).values() for text in _texts(table, Column))
    return _numbers(" | ".join([*listed, *cells]))


def _numbers(text: str) -> set[str]:
    """Return the figures of a text, and each of their numbers alone, with its sign and without."""
    whole = {_normal(figure) for figure in figures_of(text)}
    alone = {number for each in whole for number in re.findall(NUMBER, each)}
    return whole | alone | {number.lstrip("−") for number in alone}


def _normal(figure: str) -> str:
    return figure.replace("+", "").replace(" %", "")


def _name(page: Path, suffix: str = ".md") -> str:
    return f"{page.parent.name}/{page.stem}{suffix}"


def _data(page: Path) -> dict[str, Any]:
    file = page.with_suffix(".json")
    try:
        found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except ValueError as error:
        message = f"{_name(page, '.json')}: not JSON: {error}"
        raise Unmeasured(message) from error
    return {"runs": {}, "figures": {}} | found


def _texts(table: Table, kind: type[Column]) -> Iterator[str]:
    """Return the cells in columns of a kind."""
    chosen = [number for number, column in enumerate(table.columns) if type(column) is kind]
    return (row[number] for row in table.texts() for number in chosen)


@dataclass(frozen=True)
class _Head:
    """A column of a table that is written down."""

    head: str
    form: str = "count"
    prose: bool = False
    quoted: bool = False


def _written_down(where: str, table: dict[str, Any]) -> Table:
    heads, columns = jsonable.decode(list[_Head], table["columns"], where), list[Column]()
    for number, head in enumerate(heads):
        if not re.fullmatch(rf"count|(?:{'|'.join(FORMS)}) \d(?: \S+)?", head.form):
            message = f"{where}: unknown form {head.form!r}; expected such as 'signed 3': "
            raise Unmeasured(message + ", ".join(FORMS))
        kind = Quoted if head.quoted else Column
        columns.append(kind(head.head, number, partial(_cell, form=head.form), prose=head.prose))
    for row in table["rows"]:
        if len(row) != len(columns):
            message = f"{where}: {len(columns)} columns, and the row {row} has {len(row)} cells"
            raise Unmeasured(message)
    return Table(where, columns, table["rows"])


def _cell(value: Any, form: str) -> str:
    """Return the text of a cell: a text, a number, both ends of its interval too, or a bold one."""
    if value is None or isinstance(value, str):
        return numbers.text(value)
    if isinstance(value, dict):
        return f"**{_cell(value['bold'], form)}**"
    name, digits, unit = [*form.split(), "", ""][:3]
    written = partial(FORMS[name], digits=int(digits)) if digits else FORMS[name]
    if not isinstance(value, list):
        return f"{written(value)} {unit}".strip()
    interval = Interval(*(float(end) for end in value))
    if name == "elo":
        return numbers.elo_interval(interval, int(digits))
    low, high = (written(end).removesuffix(" %") for end in (interval.low, interval.high))
    return f"{written(interval.value)} ({low} to {high})"
