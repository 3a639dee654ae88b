"""Circles of imports: none between the package's files, nor between the core's modules."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORE = ROOT / "crates/phasezoo-core/src"

Graph = Mapping[str, set[str]]


def test_that_no_file_of_the_package_imports_itself_by_way_of_others() -> None:
    graph = python_imports(ROOT / "src/phasezoo")
    assert len(graph) > 100  # a wrong folder would have no circles either
    assert "phasezoo.games.base" in graph["phasezoo.games"]
    assert circles(graph) == []


def test_that_the_modules_and_rooms_of_the_core_use_each_other_one_way() -> None:
    graph = rust_uses(CORE)
    assert graph["games::boards"] >= {"game", "error"}
    assert circles(graph) == []


def test_that_circles_are_seen(tmp_path: Path) -> None:
    package = tmp_path / "toy"
    package.mkdir()
    (package / "__init__.py").write_text("from toy.a import x\n")
    (package / "a.py").write_text("from .b import y\nx = 1\n")
    (package / "b.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import toy.a\n"
        "def late() -> None:\n    import toy.a\n"
    )
    assert circles(python_imports(package)) == []
    (package / "b.py").write_text(
        "try:\n    from toy import a\nexcept ImportError:\n    a = None\n"
    )
    assert circles(python_imports(package)) == [["toy.a", "toy.b"]]

    (tmp_path / "games/one").mkdir(parents=True)
    (tmp_path / "lib.rs").write_text("pub use games::One;\n")
    (tmp_path / "rules.rs").write_text("use crate::games::{One, two::Two};\nuse crate::Error;\n")
    (tmp_path / "error.rs").write_text("//! As in `crate::rules`, of which nothing is used.\n")
    (tmp_path / "games/mod.rs").write_text("pub use one::One;\n")
    (tmp_path / "games/one/mod.rs").write_text("pub struct One(crate::error::Kind);\n")
    assert circles(rust_uses(tmp_path)) == []
    (tmp_path / "games/one/mod.rs").write_text("use crate::{error, rules::{self, Rule}};\n")
    assert circles(rust_uses(tmp_path)) == [["games::one", "rules"]]


def python_imports(package: Path) -> dict[str, set[str]]:
    """Module -> the package's own modules that it imports when it is imported itself."""
    files = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts): path
        for path in package.rglob("*.py")
    }
    names = {name.removesuffix(".__init__") for name in files}
    graph: dict[str, set[str]] = {}
    for dotted, path in files.items():
        name = dotted.removesuffix(".__init__")
        parent = name if dotted.endswith(".__init__") else name.rpartition(".")[0]
        body = ast.parse(path.read_text("utf-8")).body
        graph[name] = {target for target in _imported(body, parent, names) if target != name}
    return graph


def _imported(body: Iterable[ast.stmt], parent: str, names: set[str]) -> Iterator[str]:
    for node in _at_import(body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                above = parent.split(".")[: len(parent.split(".")) - node.level + 1]
                source = ".".join([*above, source] if source else above)
            for alias in node.names:
                if f"{source}.{alias.name}" in names:
                    yield f"{source}.{alias.name}"
                elif source in names and not _is_extension(source, alias.name):
                    yield source


def _is_extension(package: str, name: str) -> bool:
    """Whether it is the compiled module, which is no file of Python."""
    return (package, name) == ("phasezoo", "_core")


def _at_import(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _at_import(node.orelse)
        elif isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.ClassDef):
            for field in ("body", "orelse", "finalbody"):
                yield from _at_import(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from _at_import(handler.body)


def rust_uses(source: Path) -> dict[str, set[str]]:
    """Module or room -> those that its code names by ``crate::``.

    A folder counts as one, and of the games each room does. ``lib.rs`` and ``games/mod.rs`` are
    façades, which name all: whoever uses what they re-export uses the module it comes from.
    """
    facades = {"": source / "lib.rs", "games::": source / "games/mod.rs"}
    graph: dict[str, set[str]] = {}
    for path in source.rglob("*.rs"):
        if path not in facades.values():
            parts = path.relative_to(source).with_suffix("").parts
            home = "::".join(parts[: 2 if parts[0] == "games" else 1])
            used = graph.setdefault(home, set())
            for names in _paths(_without_tests_and_comments(path)):
                within = "games::" if names[:1] == ("games",) else ""
                name = "".join(names[1:2] if within else names[:1])
                used.add(within + _exporter(facades[within], name))
            used.discard(home)
    return graph


def _exporter(facade: Path, name: str) -> str:
    """The module that a façade has ``name`` from; what it does not re-export is a module."""
    for module, one, many in re.findall(
        r"pub use (\w+)::(?:(\w+)|\{([^}]*)\});", facade.read_text("utf-8")
    ):
        if name in re.findall(r"\w+", f"{one} {many}"):
            return str(module)
    return name


def _without_tests_and_comments(path: Path) -> str:
    text = re.sub(r"//[^\n]*", "", path.read_text("utf-8"))
    return "" if path.stem == "tests" else re.split(r"#\[cfg\(test\)\]\nmod \w+ \{", text)[0]


def _paths(text: str) -> Iterator[tuple[str, ...]]:
    """The paths that begin with ``crate``, groups written out; no more than two names each."""
    for found in re.finditer(r"\bcrate::", text):
        yield from _written_out(text[found.end() :])


def _written_out(rest: str) -> Iterator[tuple[str, ...]]:
    name = re.match(r"\w+", rest)
    if name:
        tail = rest[name.end() :]
        if tail.startswith("::"):
            yield from ((name[0], *inner)[:2] for inner in _written_out(tail[2:]))
        else:
            yield (name[0],)
    elif rest.startswith("{"):
        for item in _items(rest):
            yield from _written_out(item)
    else:
        yield ()


def _items(group: str) -> Iterator[str]:
    """What stands between the commas of a group in braces."""
    depth, start = 0, 1
    for place, character in enumerate(group):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        if depth == 0 or (depth == 1 and character == ","):
            yield group[start:place].strip()
            start = place + 1
        if depth == 0:
            return


def circles(graph: Graph) -> list[list[str]]:
    """The groups of more than one whose members all reach each other."""
    reached = {name: _reached(graph, name) for name in graph}
    groups = {
        tuple(sorted({name} | {other for other in ways if name in reached.get(other, ())}))
        for name, ways in reached.items()
        if name in ways
    }
    return sorted(list(group) for group in groups)


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found
