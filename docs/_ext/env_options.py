"""What an environment's class can be told: names, defaults and meanings of its keywords."""

import inspect
import re
from dataclasses import dataclass, is_dataclass
from typing import Any, is_typeddict

import gymnasium
from gymnasium.vector import VectorEnv
from pettingzoo import AECEnv, ParallelEnv

from phasezoo import specs
from phasezoo.envs import options as shared

__all__ = ["Option", "option_lines", "options_of"]

ROW = re.compile(r"^\| ``?(?P<name>\w+)``? \|", re.MULTILINE)
"""The beginning of a row in a table of arguments."""


@dataclass(frozen=True)
class Option:
    """A keyword of an environment."""

    name: str
    default: Any
    text: str
    """What it means in every environment; empty if it is a class's own."""
    told: bool
    """Whether the class's docstring has it in its table."""


def options_of(kind: type, table: str) -> list[Option]:
    """The keywords of an environment, its own first.

    Args:
        kind: Its class, whose constructor names keywords, or passes on those of a table of
            options.
        table: The section of its docstring that may have a table of them.
    """
    own = {found["name"] for found in ROW.finditer(table)}
    texts = shared_texts()
    return [
        Option(name, option.default, texts.get(name, ""), name in own)
        for name, option in specs.options_of(kind).by_name.items()
    ]


def option_lines(kind: Any) -> list[str]:
    """What the reference adds to a class's docstring, in reStructuredText.

    The ranges of a dataclass's fields, which their annotations say, and the options that a class of
    environments shares with others.
    """
    if not inspect.isclass(kind):
        return []
    if is_dataclass(kind):
        ranges = {each.name: each.values.range_words for each in specs.fields_of(kind)}
        found = [f"* ``{name}``: {words}" for name, words in ranges.items() if words]
        return ["", "Ranges:", "", *found, ""] if found else []
    texts = (
        shared_texts() if issubclass(kind, gymnasium.Env | VectorEnv | AECEnv | ParallelEnv) else {}
    )
    shared_options = [
        each for each in specs.options_of(kind).by_name.values() if each.name in texts
    ]
    found = [f"* ``{o.name}={o.default!r}``: {texts[o.name]}" for o in shared_options]
    return ["", "Options of every environment:", "", *found, ""] if found else []


def shared_texts() -> dict[str, str]:
    """What the options that environments share mean: the texts below their names."""
    texts: dict[str, str] = {}
    for table in filter(is_typeddict, vars(shared).values()):
        texts |= specs.descriptions_of(table)
    return {name: text.replace("\n", " ") for name, text in texts.items()}
