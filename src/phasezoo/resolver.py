"""Agents by name, and what trains gates, for the layers below them, which must not import them."""

from collections.abc import Callable
from typing import Any

__all__ = ["agent_named", "find_agents_by", "find_gate_trainer_by", "gate_trainer"]

_FINDERS: list[Callable[[str], Any]] = []
_GATE_TRAINERS: list[Callable[[], Any]] = []


def find_agents_by(finder: Callable[[str], Any]) -> None:
    """Let ``finder`` make agents from now on; it raises for names that it does not know."""
    _FINDERS[:] = [finder]


def agent_named(name: str) -> Any:
    """The agent called ``name``.

    Raises:
        UnknownGame: No agent has that name.
    """
    return _FINDERS[0](name)


def find_gate_trainer_by(finder: Callable[[], Any]) -> None:
    """Let ``finder`` import what trains gates from now on."""
    _GATE_TRAINERS[:] = [finder]


def gate_trainer() -> Any:
    """What trains gates.

    Raises:
        MissingDependency: It needs a package that is not installed.
    """
    return _GATE_TRAINERS[0]()
