"""The reference: a page for each public module, with every name that it shows."""

import inspect
from importlib import import_module
from typing import Any

from docstrings import page_link, to_restructured
from given import given_types
from phasezoo import games
from public import constant_text, modules, public_names

__all__ = ["reference_pages"]

HERE = "reference/index"
"""Where all of these pages lie."""

LONGEST_VALUE = 60
"""Of a constant whose value is shown."""

STATES = "states"
"""The page of the types that states have."""

GIVEN = "given"
"""The page of types that come from public names, and have none."""


def reference_pages() -> dict[str, str]:
    """The pages in reStructuredText, by their names."""
    names = modules()
    homes = _homes(names)
    pages = {name: _module_page(name, homes) for name in names}
    pages[STATES] = _states_page()
    pages[GIVEN] = _given_page()
    pages["index"] = _index(names)
    return pages


def _title(text: str) -> list[str]:
    return [text, "=" * len(text), ""]


def _index(names: list[str]) -> str:
    lines = [
        *_title("Reference"),
        "Every public name, by the module that shows it. What is in no list here may change.",
        "",
        *_summary([(f":doc:`{name} <{name}>`", _doc(import_module(name))) for name in names]),
        f"Two pages have types that are met rather than imported: :doc:`states <{STATES}>`,",
        f"and :doc:`what else public names give and take <{GIVEN}>`.",
        "",
        ".. toctree::",
        "   :hidden:",
        "",
        *(f"   {name.removeprefix('phasezoo.')} <{name}>" for name in names),
        *(f"   {name}" for name in (STATES, GIVEN)),
        "",
    ]
    return "\n".join(lines)


def _homes(names: list[str]) -> dict[int, str]:
    """The module that describes each class and function: of several the one it is written in."""
    homes: dict[int, str] = {}
    for module in names:
        for value in public_names(module).values():
            written = getattr(value, "__module__", None) or ""
            if written.startswith(module) or id(value) not in homes:
                homes[id(value)] = module
    return homes


def _module_page(module: str, homes: dict[int, str]) -> str:
    values = public_names(module)
    links = []
    for name, value in values.items():
        home = homes[id(value)] if _is_object(value) else module
        text = _doc(value) if _is_object(value) else constant_text(module, name)
        links.append((f":py:obj:`{name} <{home}.{name}>`", text))
    lines = [*_title(module), f".. automodule:: {module}", "   :no-members:", ""]
    lines += [f".. py:currentmodule:: {module}", "", *_summary(links)]
    for name, value in values.items():
        if not _is_object(value):
            lines += _constant(module, name, value)
        elif homes[id(value)] == module:
            lines += _entry(f"{module}.{name}", value)
    return "\n".join(lines)


def _states_page() -> str:
    """The types of the states of native games, and the games that have them."""
    types: dict[type, list[str]] = {}
    for name in games.names():
        game = games.make(name)
        if game.native:
            types.setdefault(game.state_type, []).append(name)
    lines = [
        *_title("States"),
        "What :meth:`Game.initial_state() <phasezoo.games.Game.initial_state>` makes in the games",
        "of the core. A state is an immutable value.",
        "",
    ]
    for kind, names in types.items():
        heading = f"{kind.__name__}: {', '.join(names)}"
        lines += [heading, "-" * len(heading), ""]
        lines += [f".. autoclass:: {kind.__module__}.{kind.__name__}", "   :members:", ""]
    return "\n".join(lines)


def _given_page() -> str:
    lines = [
        *_title("Types that are given"),
        "What public names answer with or ask for, and no public name imports. Their members are",
        "as steady as those of public names; the modules that they are in may change.",
        "",
    ]
    for kind in given_types():
        lines += _entry(f"{kind.__module__}.{kind.__qualname__}", kind)
    return "\n".join(lines)


def _is_object(value: Any) -> bool:
    """Whether a value is a class or a function, which has one place where it is written."""
    return inspect.isclass(value) or inspect.isroutine(value)


def _doc(value: Any) -> str:
    return inspect.getdoc(value) or ""


def _summary(entries: list[tuple[str, str]]) -> list[str]:
    """A table of links with the first sentences of what they lead to."""
    lines = [".. list-table::", "   :widths: 30 70", ""]
    for link, text in entries:
        first = text.partition("\n\n")[0].replace("\n", " ")
        told = to_restructured([first], page_link(HERE))[0]
        lines += [f"   * - {link}", f"     - {told}".rstrip()]
    return [*lines, ""]


def _constant(module: str, name: str, value: Any) -> list[str]:
    """A constant with the docstring below it: Python itself knows that of its type alone."""
    shown = repr(value)
    options = [f"   :value: {shown}"] if len(shown) <= LONGEST_VALUE else []
    text = to_restructured(constant_text(module, name).splitlines(), page_link(HERE))
    indented = [f"   {line}".rstrip() for line in text]
    return [f".. py:data:: {module}.{name}", *options, "", *indented, ""]


def _entry(full: str, value: Any) -> list[str]:
    """The directive that shows one name."""
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        options = ["   :members:", "   :special-members: __call__", "   :show-inheritance:"]
        shown = _shown_bases(value)
        if shown is not None:
            options.append(f"   :inherited-members: {shown}")
    else:
        kind, options = "autofunction", []
    return [f".. {kind}:: {full}", *options, ""]


def _shown_bases(value: type) -> str | None:
    """The bases whose members are described elsewhere; None if there are no others."""
    bases = [base for base in value.__mro__[1:] if base is not object]
    private = [base for base in bases if base.__module__.startswith("phasezoo.")]
    if not private or issubclass(value, BaseException):
        return None
    return ",".join(sorted({base.__name__ for base in bases if base not in private} | {"object"}))
