"""The pages of the tutorial as notebooks."""

import json
import re
from pathlib import Path

import jupytext

__all__ = ["notebook_of"]

LINK = re.compile(r"\[(?P<text>[^\]]+)\]\((?!\w+://)[^)]+\)")
"""A link to another page, which a notebook does not lie beside."""
DOWNLOAD = re.compile(r"^\{download\}`.*\n", re.MULTILINE)
COMMENT = re.compile(r"^<!--.*-->\n", re.MULTILINE)


def notebook_of(page: Path) -> str:
    """A page of Markdown as a notebook in JSON: its blocks of Python are the cells.

    Args:
        page: The page's file.
    """
    text = page.read_text(encoding="utf-8")
    for pattern, put in ((DOWNLOAD, ""), (COMMENT, ""), (LINK, r"\g<text>")):
        text = pattern.sub(put, text)
    notebook = jupytext.reads(text.strip() + "\n", fmt="md")
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{page.stem}-{number}"  # drawn anew at every build otherwise
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
