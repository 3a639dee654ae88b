"""The notebooks of the tutorial are valid, and hold the blocks of their pages."""

import re
from pathlib import Path

import pytest

TUTORIAL = sorted((Path(__file__).resolve().parents[2] / "docs" / "tutorial").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)\n```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", TUTORIAL, ids=lambda page: page.stem)
def test_notebook_is_valid_and_has_every_block(page: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="`make docs` installs what makes notebooks")
    pytest.importorskip("jupytext", reason="`make docs` installs what makes notebooks")
    from notebooks import notebook_of

    notebook = nbformat.reads(notebook_of(page), as_version=4)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert [each for each in code if not each.startswith("%%")] == BLOCK.findall(page.read_text())
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "download}" not in text
    assert ".md)" not in text
    assert notebook_of(page) == notebook_of(page)
