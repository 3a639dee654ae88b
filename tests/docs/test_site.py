"""Every page of the documentation is reached from the landing page."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
MADE = ("environments/index", "reference/index", "reports/index", "reports/networks")
"""Pages that are made at the build; they list those beside them."""


def listed(page: str) -> set[str]:
    """The pages in a page's trees of contents, and in theirs."""
    if page in MADE:
        return {page}
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    lines = [line for tree in TOCTREE.findall(text) for line in tree.splitlines()]
    folder = Path(page).parent
    named = [(folder / line).as_posix() for line in lines if line and not line.startswith(":")]
    return {page}.union(*(listed(name) for name in named))


def test_every_page_is_in_a_tree_of_contents() -> None:
    pages = {file.relative_to(DOCS).with_suffix("").as_posix() for file in DOCS.rglob("*.md")}
    written = {
        page for page in pages if page.split("/")[0] not in ("_build", "environments", "reports")
    }
    assert written | set(MADE) == listed("index")
