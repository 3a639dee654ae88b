"""The Sphinx extension of this site: pages made from the code, and docstrings made readable.

Pages made from the code are not committed: they are the code in other words, and a copy of them in
the repository could only be stale. They are written afresh at every build, and the tests make them
too. Tables of measurements are written into the pages that show them (:mod:`measured`).
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from architectures import network_drawings, network_page
from docstrings import page_link, to_restructured
from env_options import option_lines
from environments import environment_pages, pictures
from gallery import game_gallery, report_gallery
from measured import measured_pages, rendered
from phasezoo.errors import PhasezooError
from public import missing
from reference import reference_pages

__all__ = ["setup", "write_pages"]

BEFORE_NAPOLEON = 400


def write_pages(folder: Path, pages: dict[str, str]) -> None:
    """Write files that have changed, and remove those of an earlier build that are no more."""
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        if file.name not in pages:
            file.unlink()
    for name, text in pages.items():
        file = folder / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def make_pages(app: Sphinx) -> None:
    """Write all that is made from the code into the folder of sources.

    Raises:
        ExtensionError: A public module cannot be imported here, so that its page would be missing,
            or a page has a figure that no measurement holds.
    """
    if missing():
        message = f"the site needs all extras: {', '.join(missing())} cannot be imported"
        raise ExtensionError(message)
    reference = {f"{name}.rst": text for name, text in reference_pages().items()}
    write_pages(app.srcdir / "reference", reference)
    pages = environment_pages() | {"index": game_gallery()}
    families = {f"{name}.md": text for name, text in pages.items()}
    drawn = {f"{name}.svg": document for name, document in pictures().items()}
    write_pages(app.srcdir / "environments", families | drawn)
    layers = {f"{name}.svg": document for name, document in network_drawings().items()}
    reports = {"index.md": report_gallery(app.srcdir), "networks.md": network_page()}
    write_pages(app.srcdir / "reports", reports | layers)
    for page in measured_pages(app.srcdir):
        try:
            page.write_text(rendered(page), encoding="utf-8")
        except PhasezooError as error:
            raise ExtensionError(str(error)) from error


def read_docstring(
    app: Sphinx, what: str, name: str, subject: object, options: object, lines: list[str]
) -> None:
    """Make a docstring reStructuredText."""
    lines[:] = to_restructured(lines, page_link(app.env.docname))
    if what == "class":
        lines += option_lines(subject)
    if what in ("attribute", "data", "property"):
        # Napoleon takes what stands before a colon in the first line for a type. An empty comment
        # is a first line without one.
        lines[:0] = ["..", ""]


def read_signature(
    app: Sphinx, what: str, name: str, subject: object, options: object, *shown: str | None
) -> tuple[str, None] | None:
    """Leave out the signature of protocols, which nobody makes."""
    return ("", None) if getattr(subject, "_is_protocol", False) else None


def show_private_names(
    app: Sphinx, env: Any, node: nodes.Element, text: nodes.Element
) -> nodes.Element | None:
    """Show names of the package that are not public as code; those that do not exist are errors."""
    target = str(node.get("reftarget", ""))
    names = [target, f"{node.get('py:module')}.{target}"]
    return text if any(name.startswith("phasezoo.") and _exists(name) for name in names) else None


def _exists(name: str) -> bool:
    """Whether a dotted name leads to something that can be imported."""
    module, _, rest = name.rpartition(".")
    path = [rest]
    while module:
        try:
            found = import_module(module)
        except ImportError:
            module, _, rest = module.rpartition(".")
            path.insert(0, rest)
            continue
        for each in path:
            if not hasattr(found, each) and each not in getattr(found, "__annotations__", {}):
                return False
            found = getattr(found, each, None)
        return True
    return False


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect this extension."""
    app.connect("builder-inited", make_pages)
    app.connect("autodoc-process-signature", read_signature)
    app.connect("missing-reference", show_private_names)
    app.connect("autodoc-process-docstring", read_docstring, priority=BEFORE_NAPOLEON)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
