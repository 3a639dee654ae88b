"""Every public name has an entry in the reference, and docstrings become reStructuredText."""

import re
from pathlib import Path

import pytest

from docstrings import page_link, to_markdown, to_restructured
from phasezoo import games
from public import constant_text, documented, missing, modules
from reference import reference_pages

ENTRY = re.compile(r"^\.\. (?:auto(?:class|function|exception)|py:data):: (\S+)$", re.MULTILINE)
KEPT = Path(__file__).resolve().parents[1] / "packaging" / "public_names.txt"
LINK = page_link("reference/page")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference_pages()


@pytest.mark.parametrize("module", modules())
def test_every_public_name_has_an_entry(module: str, pages: dict[str, str]) -> None:
    entries = {entry for text in pages.values() for entry in ENTRY.findall(text)}
    for name in documented(module):
        linked = re.search(rf":py:obj:`{name.rpartition('.')[2]} <(\S+)>`", pages[module])
        assert linked is not None, name
        assert linked[1] in entries


@pytest.mark.parametrize("name", KEPT.read_text().split())
def test_every_name_that_is_held_steady_is_in_the_reference(
    name: str, pages: dict[str, str]
) -> None:
    module, _, last = name.rpartition(".")
    if module in missing():
        pytest.skip(f"{module} needs a library that is not installed")
    assert name in pages or f":py:obj:`{last} <" in pages[module]


def test_constants_have_their_own_words() -> None:
    own = constant_text("phasezoo.types", "SIMULTANEOUS")
    assert own == constant_text("phasezoo.games", "SIMULTANEOUS") != ""
    assert constant_text("phasezoo.types", "PlaneShape") == "Channels, height, width."
    assert constant_text("phasezoo", "__version__") == ""


def test_nothing_is_described_twice(pages: dict[str, str]) -> None:
    entries = [entry for text in pages.values() for entry in ENTRY.findall(text)]
    assert len(entries) == len(set(entries))


def test_the_index_lists_every_page(pages: dict[str, str]) -> None:
    listed = re.findall(r"^   (?:\S+ <)?([\w.]+)>?$", pages["index"], re.MULTILINE)
    assert pages.keys() - {"index"} <= set(listed)


def test_states_of_every_native_game_are_described(pages: dict[str, str]) -> None:
    for name in games.names():
        game = games.make(name)
        if game.native:
            assert f"autoclass:: phasezoo._core.{game.state_type.__name__}\n" in pages["states"]


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("A `thing` and :class:`Other`.", "A ``thing`` and :class:`Other`."),
        ("ln(1 - |v|) and ``a | b``", r"ln(1 - \|v|) and ``a | b``"),
        ("(``docs/definitions/gates.md``).", "(`gates <../definitions/gates.html>`__)."),
        (
            "`docs/usage.md#states` :meth:`f`, `g`",
            "`usage <../usage.html#states>`__ :meth:`f`, ``g``",
        ),
        ("  ## Rewards", "  .. rubric:: Rewards"),
    ],
)
def test_markdown_in_docstrings_is_translated(line: str, made: str) -> None:
    assert to_restructured([line], LINK)[0] == made


def test_tables_and_blocks_are_translated() -> None:
    lines = ["| a | b |", "|---|---|", r"| `x\|y` | |", "", "```python", "1 | 2", "```", "end"]
    made = [line for line in to_restructured(lines, LINK) if line]
    assert made == [
        *[".. list-table::", "   :header-rows: 1", "   * - a", "     - b"],
        *["   * - ``x|y``", "     -", ".. code-block:: python", "   1 | 2", "end"],
    ]


def test_roles_and_citations_become_those_of_myst() -> None:
    text = to_markdown("See :class:`~x.Y` and ``docs/usage.md``.", lambda page, anchor: page)
    assert text == "See {py:class}`~x.Y` and usage."
