"""Types that public names give or take, and that no public module shows by name."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from public import modules, public_names

__all__ = ["given_types"]


def given_types() -> list[type]:
    """These classes of the package, by name; those that their own members give are among them."""
    public = [value for name in modules() for value in public_names(name).values()]
    shown = {id(value) for value in public}
    found: dict[int, type] = {}
    waiting = list(public)
    while waiting:
        for kind in _named(waiting.pop()):
            if id(kind) not in shown and id(kind) not in found:
                found[id(kind)] = kind
                waiting.append(kind)
    return sorted(found.values(), key=lambda kind: (kind.__name__, kind.__module__))


def _named(value: Any) -> Iterator[type]:
    """The package's classes in the annotations of a function, or of a class and its members."""
    hints = dict(enumerate(_hints(value)))
    if inspect.isclass(value):
        for base in value.__mro__:
            if base.__module__.startswith("phasezoo"):
                for name, member in vars(base).items():
                    if not name.startswith("_") or name in ("__init__", "__call__"):
                        hints |= {(name, each): hint for each, hint in enumerate(_hints(member))}
    for hint in hints.values():
        yield from _classes(hint)


def _hints(value: Any) -> list[Any]:
    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
    try:
        return list(get_type_hints(function).values())
    except (NameError, TypeError, AttributeError):  # named for type checkers alone, or no function
        return []


def _classes(hint: Any) -> Iterator[type]:
    for part in get_args(hint):
        yield from _classes(part)
    if not inspect.isclass(hint) or hint.__name__.startswith("_"):
        return
    if hint.__module__.startswith("phasezoo.") and not hint.__module__.startswith("phasezoo._"):
        yield hint
