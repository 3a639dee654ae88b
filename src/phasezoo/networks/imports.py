"""Import paths of factories: ``module:name``."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from phasezoo.errors import UnregisteredNetwork

__all__ = ["import_path", "imported"]


def import_path(factory: Callable[..., Any]) -> str | None:
    """``module:name`` of a factory that another program can import.

    None if it cannot: a lambda, what is defined inside a function, what a script or a notebook
    defines itself (its module is called ``__main__`` only while it runs).
    """
    module, name = getattr(factory, "__module__", None), getattr(factory, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is factory else None


def imported(path: str, where: str) -> Callable[..., Any]:
    """The factory at ``path``.

    Raises:
        UnregisteredNetwork: There is none; the message begins with ``where``.
    """
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:  # whatever a user's module raises while it is imported
        reason = f"importing {module} raised {type(error).__name__}: {error}"
        raise UnregisteredNetwork(_message(path, where, reason)) from error
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise UnregisteredNetwork(_message(path, where, f"{module} has no factory {name}"))
    factory: Callable[..., Any] = found
    return factory


def _message(path: str, where: str, reason: str) -> str:
    return (
        f"{where}: its factory {path} cannot be imported ({reason}); put its module on Python's "
        "path, or call networks.register(name, factory) before"
    )
