"""What an environment's class can be told: names, defaults and meanings of its keywords."""

import ast
import inspect
import re
from dataclasses import dataclass
from typing import Any

from phasezoo import specs
from phasezoo.envs import options as shared

__all__ = ["Option", "options_of"]

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


def shared_texts() -> dict[str, str]:
    """What the options that environments share mean: the texts below their names."""
    texts = {}
    for node in ast.walk(ast.parse(inspect.getsource(shared))):
        if isinstance(node, ast.ClassDef):
            for field, text in zip(node.body, node.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    assert isinstance(field.target, ast.Name)
                    texts[field.target.id] = inspect.cleandoc(ast.literal_eval(text.value))
    return {name: text.replace("\n", " ") for name, text in texts.items()}
