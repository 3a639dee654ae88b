"""Docstrings as Sphinx reads them: ours hold Markdown and citations of pages beside its roles."""

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from posixpath import relpath

__all__ = ["CITATION", "page_link", "to_markdown", "to_restructured"]

CITATION = re.compile(r"``?docs/(?P<page>[\w/]+)\.md(?P<anchor>#[\w-]+)?``?")
"""How code names a page of the documentation, and a heading of it."""

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)$")
HEADING = re.compile(r"^(?P<indent> *)#+ (?P<title>.+)$")
INLINE = re.compile(
    CITATION.pattern
    + r"|:[\w:]+:`[^`]+`|``.+?``|(?<!`)`(?P<code>[^`]+)`(?![`_])|(?P<bar>\|)(?=[\w()]+\|)"
)
ROLE = re.compile(r":(?P<role>class|meth|func|mod|data|attr|exc):`(?P<target>[^`]+)`")


def page_link(here: str) -> Callable[[str, str], str]:
    """Makes the links of a page to others, in reStructuredText.

    Args:
        here: The page's path in the documentation, without suffix.
    """

    def link(page: str, anchor: str) -> str:
        target = relpath(page, str(PurePosixPath(here).parent)) + ".html"
        name = PurePosixPath(page).name.replace("_", " ")
        return f"`{name} <{target}{f'#{anchor}' if anchor else ''}>`__"

    return link


def to_restructured(lines: list[str], link: Callable[[str, str], str]) -> list[str]:
    """A docstring in reStructuredText.

    Args:
        lines: The docstring, which may have tables, fenced blocks, headings and code in single
            backticks as Markdown has them.
        link: The text that links to a page and an anchor, which may be empty.
    """
    made: list[str] = []
    rest = iter([*lines, ""])
    for line in rest:
        fence = FENCE.match(line)
        if fence:
            made += ["", f"{fence['indent']}.. code-block:: {fence['language'] or 'text'}", ""]
            for code in rest:
                if code.strip() == "```":
                    break
                made.append(f"   {code}" if code.strip() else "")
            made.append("")
        elif line.lstrip().startswith("|"):
            table = [line]
            for more in rest:
                if not more.lstrip().startswith("|"):
                    break
                table.append(more)
            made += [*_table([_inline(row, link) for row in table]), ""]
        elif heading := HEADING.match(line):
            made += [f"{heading['indent']}.. rubric:: {heading['title']}", ""]
        else:
            made.append(_inline(line, link))
    return made


def to_markdown(text: str, link: Callable[[str, str], str]) -> str:
    """A docstring in MyST's Markdown: its roles and citations in place of Sphinx' own.

    Args:
        text: The docstring, cleaned of its indentation.
        link: As of :func:`to_restructured`.
    """
    text = CITATION.sub(lambda found: link(found["page"], (found["anchor"] or "#")[1:]), text)
    return ROLE.sub(r"{py:\g<role>}`\g<target>`", text)


def _inline(line: str, link: Callable[[str, str], str]) -> str:
    """A line with its citations as links, and code in single backticks as code."""

    def written(found: re.Match[str]) -> str:
        if found["page"]:
            return link(found["page"], (found["anchor"] or "#")[1:])
        if found["code"]:
            return f"``{found['code']}``"
        return "\\|" if found["bar"] else found[0]

    return INLINE.sub(written, line)


def _table(rows: list[str]) -> list[str]:
    """A table of Markdown as a ``list-table``."""
    indent = " " * (len(rows[0]) - len(rows[0].lstrip()))
    cells = [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip())[1:-1]]
        for row in rows
        if set(row.strip()) - set("|-: ")
    ]
    made = ["", f"{indent}.. list-table::", f"{indent}   :header-rows: 1", ""]
    for row in cells:
        for number, cell in enumerate(row):
            made.append(f"{indent}   {'* -' if number == 0 else '  -'} {cell}".rstrip())
    return made
