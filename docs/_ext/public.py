"""What the reference has: the public modules, their names, and what is said of constants."""

import ast
import inspect
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import public_names as kept

from phasezoo.errors import MissingDependency

__all__ = ["constant_text", "documented", "missing", "modules", "public_names"]

BESIDES = ("phasezoo.observation", "phasezoo.envs.rendering", "phasezoo.registration")
"""Modules that are of use to some, and less steady than public ones."""


def modules() -> list[str]:
    """The modules that have a page: public ones, without those whose libraries are missing."""
    return [name for name in _all_modules() if not _lacks(name)]


def missing() -> list[str]:
    """The modules that have no page here, because libraries that they need are not installed."""
    return [name for name in _all_modules() if _lacks(name)]


def _all_modules() -> list[str]:
    return sorted({*(name for name, _ in kept.modules()), *BESIDES})


def _lacks(module: str) -> bool:
    try:
        import_module(module)
    except MissingDependency:
        return True
    return False


def public_names(module: str) -> dict[str, Any]:
    """What a module's ``__all__`` shows, by name, without modules."""
    found = import_module(module)
    shown = {name: getattr(found, name) for name in found.__all__}
    return {name: value for name, value in shown.items() if not isinstance(value, ModuleType)}


def _written_in(module: str, name: str) -> str:
    """The module that ``module`` imports ``name`` from, be it for type checkers; else itself."""
    for node in ast.walk(ast.parse(inspect.getsource(import_module(module)))):
        if isinstance(node, ast.ImportFrom) and name in [alias.name for alias in node.names]:
            return str(node.module)
    return module


def documented(module: str) -> list[str]:
    """The full names of everything that the reference has of a module."""
    return [f"{module}.{name}" for name in public_names(module)]


def constant_text(module: str, name: str) -> str:
    """The docstring below a constant, in the module that it is written in; empty if there is none.

    Args:
        module: Where it is shown.
        name: Its name there.
    """
    tree = ast.parse(inspect.getsource(import_module(module)))
    for node, text in zip(tree.body, [*tree.body[1:], None], strict=True):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if any(isinstance(each, ast.Name) and each.id == name for each in targets):
            value = getattr(text, "value", None) if isinstance(text, ast.Expr) else None
            constant = value.value if isinstance(value, ast.Constant) else ""
            return inspect.cleandoc(constant) if isinstance(constant, str) else ""
    origin = _written_in(module, name)
    return "" if origin == module else constant_text(origin, name)
