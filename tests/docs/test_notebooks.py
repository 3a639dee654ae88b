"""The notebooks of the documentation run to their last cell, and show what they say."""

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.md"))
SHOWN = {
    "play": {"image/svg+xml": 4, "text/html": 2},
    "train": {"text/html": 2, "image/png": 1},
    "analyse": {"image/svg+xml": 2, "text/html": 1, "image/png": 1},
}
"""How many outputs of each kind a notebook has at least: boards, tables, plots."""


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_notebook_runs_and_shows_boards_tables_and_plots(page: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="`make docs` installs what runs notebooks")
    read = pytest.importorskip("myst_nb.core.read").read_myst_markdown_notebook
    notebook = read(page.read_text(encoding="utf-8"), path=page)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert "%pip install" in code[0]
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=280, resources=resources).execute()
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
    said = "".join(each.text for each in outputs if each.get("name") == "stderr")
    # A training that takes seconds says how far it is; nothing else is said, no warning above all.
    assert [line for line in said.splitlines() if line and not line.startswith("Training ")] == []
    kinds = [kind for each in outputs for kind in each.get("data", ())]
    for kind, count in SHOWN[page.stem].items():
        assert kinds.count(kind) >= count
