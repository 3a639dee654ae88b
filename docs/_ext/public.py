"""What of the package is public: its modules and their names, read from the package itself."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import phasezoo

__all__ = ["documented", "modules", "public_names"]

INTERNAL = ("apps", "checking", "plugins", "report", "resolver", "zoo")
"""Parts whose names are for the package alone: what users get of them, public modules show."""


def public_names(module: ModuleType) -> list[str]:
    """The names that a module shows: its ``__all__``, without modules."""
    return [
        name
        for name in getattr(module, "__all__", ())
        if not isinstance(getattr(module, name), ModuleType)
    ]


def modules() -> list[str]:
    """The public modules: those of the package, and packages and shown modules inside them."""
    return [name for name in _below(phasezoo) if public_names(import_module(name))]


def _below(package: ModuleType) -> Iterator[str]:
    for found in pkgutil.iter_modules(package.__path__):
        name = f"{package.__name__}.{found.name}"
        top = package is phasezoo
        if found.name.startswith("_") or (top and found.name in INTERNAL):
            continue
        # A function of the same name hides a module.
        shown = found.name in getattr(package, "__all__", ())
        if top or found.ispkg or (shown and isinstance(getattr(package, found.name), ModuleType)):
            yield name
            if found.ispkg:
                yield from _below(import_module(name))


def documented(module: str) -> list[str]:
    """The full names of everything that the reference has of a public module."""
    return [f"{module}.{name}" for name in public_names(import_module(module))]
