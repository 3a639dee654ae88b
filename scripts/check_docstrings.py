"""Checks that every ``Args:`` section of a docstring names what there is, in its order.

Run by ``make lint``. A docstring without such a section is left alone: a sentence is often enough.
A class is checked against its ``__init__``, a dataclass against its fields. Linters that ask for a
section everywhere, or look at functions alone, miss sections that a reflow has run together.

    python scripts/check_docstrings.py src
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SECTION = r"^(?P<indent> *)(?:{}):\n(?P<body>(?:(?P=indent) +\S.*\n|\n)*)"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def arguments_of(function: Function) -> list[str]:
    """Return the names of all parameters but the object or class itself."""
    given = function.args
    named = [arg.arg for arg in (*given.posonlyargs, *given.args)]
    if named[:1] in (["self"], ["cls"]):
        del named[0]
    stars = [[] if star is None else [star.arg] for star in (given.vararg, given.kwarg)]
    return [*named, *stars[0], *(arg.arg for arg in given.kwonlyargs), *stars[1]]


def fields_of(kind: ast.ClassDef) -> list[str]:
    """Return the names of a dataclass's fields."""
    given = [each for each in kind.body if isinstance(each, ast.AnnAssign)]
    own = (each.target for each in given if "ClassVar" not in ast.unparse(each.annotation))
    return [target.id for target in own if isinstance(target, ast.Name)]


def documented(docstring: str, titles: str) -> list[str] | None:
    """The names that a section under one of ``titles`` has an entry for; None without one."""
    found = re.search(SECTION.format(titles), docstring + "\n", re.MULTILINE)
    if found is None:
        return None
    depth = len(found["indent"]) + 4
    entries = re.findall(rf"^ {{{depth}}}\*{{0,2}}(\w+):", found["body"], re.MULTILINE)
    return [str(entry) for entry in entries]


def checked(tree: ast.Module) -> Iterator[tuple[int, str, list[str], list[str]]]:
    """Line, name, what there is, and what is documented, of all that has such a section."""
    for node in ast.walk(tree):
        if not isinstance(node, Function | ast.ClassDef):
            continue
        titles, there = "Args", []
        if isinstance(node, ast.ClassDef):
            own = (each for each in node.body if isinstance(each, Function))
            function = next((each for each in own if each.name == "__init__"), None)
            if function is not None:
                there = arguments_of(function)
            else:
                titles, there = "Args|Attributes", fields_of(node)
                if not there:
                    continue  # what it inherits is not seen here
        else:
            there = arguments_of(node)
        names = documented(ast.get_docstring(node) or "", titles)
        if names is not None:
            yield node.lineno, node.name, there, names


def main(paths: list[str]) -> int:
    """Print what is wrong below ``paths``; 1 if something is, otherwise 0."""
    status = 0
    for path in sorted(file for root in paths for file in Path(root).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for line, name, there, names in checked(tree):
            if names != there:
                status = 1
                print(f"{path}:{line}: {name} has ({', '.join(there)}), ", end="")
                print(f"its docstring names ({', '.join(names)})")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
