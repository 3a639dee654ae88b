"""Measures of the code base, printed by ``make lint``; nothing fails by them.

``python scripts/house.py`` prints each measure beside its aim. ``… --list MEASURE`` names what it
counts, such as ``--list splinters``.
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import public_names

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "phasezoo"

SHORT = 60
"""Lines below which a module with one importer should be a part of that importer."""

WORDS = (
    "told(?! apart)", "telling", "tells(?!_)", "conductor", "seats?", "turnings?", "onlookers?",
    "students?(?!['’]s)", "lessons?", "exams?", "courses?", "meetings?", "halls?", "shelf",
    "shelves", "rosters?", "guards?", "minds?", "thoughts", "duels?", "seams?", "blamed?",
    "story", "stories",
    "drawings", "placing", "ragged", "expertise", "spelled", "learnt", "somebody",
    "in all(?![ _]\\w)",
)  # fmt: skip
"""Words of the project's own for which the glossary has one of the field's."""

_WORD = re.compile(
    rf"(?<![a-z])({'|'.join(WORDS)}|(?<!there )(?-i:is none))(?![a-z])", re.IGNORECASE
)
_PAGES = ("*.j2", "*.html", "*.js", "*.css")


def lines(files: list[Path]) -> int:
    """Return the number of lines of files."""
    return sum(len(_text(file).splitlines()) for file in files)


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(_text(file))


def modules() -> list[Path]:
    """Return the Python files of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def pages(folder: Path) -> list[Path]:
    """Return templates, pages, scripts and styles in a folder."""
    return sorted(file for pattern in _PAGES for file in folder.rglob(pattern))


def what_docstrings() -> Iterator[str]:
    """Yield the docstrings that begin with "What"."""
    for file in modules():
        for text, line in _docstrings(file):
            if text.startswith("What"):
                yield f"{_name(file)}:{line}: {text.splitlines()[0]}"


def _docstrings(file: Path) -> Iterator[tuple[str, int]]:
    """Yield docstrings, those of fields included, with their lines."""
    for node in ast.walk(_tree(file)):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value.strip(), node.lineno


def own_words() -> Iterator[str]:
    """Yield the places of words that the glossary replaces, once a line."""
    for file in modules():
        for number, line in enumerate(_text(file).splitlines(), start=1):
            if found := _WORD.search(line):
                yield f"{_name(file)}:{number}: {found[1]}"


def folders() -> Counter[str]:
    """Return the number of modules of every folder."""
    return Counter(_name(file.parent) for file in modules() if file.name != "__init__.py")


def splinters() -> Iterator[str]:
    """Yield the short modules that one other module alone imports."""
    importers: dict[str, set[Path]] = {}
    for file in modules():
        for name in _imports(file):
            importers.setdefault(name, set()).add(file)
    for file in modules():
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        users = importers.get(".".join(parts), set())
        if len(users) == 1 and len(_text(file).splitlines()) < SHORT and file.name != "__init__.py":
            yield f"{_name(file)}: of {_name(next(iter(users)))}"


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


LISTS = {"what": what_docstrings, "words": own_words, "splinters": splinters}


def measures() -> Iterator[tuple[str, str, str]]:
    """Yield the name of each measure, its value and its aim."""
    experiments = PACKAGE / "experiments"
    studies = [*experiments.rglob("*.py"), *pages(experiments)]
    folder, most = folders().most_common(1)[0]
    tests = sorted((ROOT / "tests").rglob("*.py"))
    yield "Python under src, lines", f"{lines(modules()):,}", "68,000"
    yield "Python under src, files", f"{len(modules())}", "440"
    yield "experiments with templates, lines", f"{lines(studies):,}", "13,500"
    yield "templates, pages, scripts, styles, lines", f"{lines(pages(PACKAGE)):,}", ""
    yield 'docstrings that begin with "What" (what)', f"{len(list(what_docstrings()))}", "20"
    yield "lines with words of our own (words)", f"{len(list(own_words()))}", "30"
    yield "tests, lines", f"{lines(tests):,}", "47,000"
    yield f"largest folder, modules ({folder})", f"{most}", "25"
    yield (
        f"modules below {SHORT} lines with one importer (splinters)",
        (f"{len(list(splinters()))}"),
        "15",
    )
    yield "public names", f"{len(public_names.names())}", "250"


def main() -> None:
    """Print the measures, or what one of them counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=LISTS, help="name what a measure counts")
    options = parser.parse_args()
    if options.list:
        print("\n".join(LISTS[options.list]()))
        return
    for name, value, aim in measures():
        print(f"{name:<62} {value:>8}   {f'aim {aim}' if aim else ''}".rstrip())


if __name__ == "__main__":
    main()
