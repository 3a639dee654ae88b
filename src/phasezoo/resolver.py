"""Agents by name, for the layers below them, which must not import them."""

from collections.abc import Callable
from typing import Any

__all__ = ["agent_named", "find_agents_by"]

_FINDERS: list[Callable[[str], Any]] = []


def find_agents_by(finder: Callable[[str], Any]) -> None:
    """Let ``finder`` make agents from now on; it raises for names that it does not know."""
    _FINDERS[:] = [finder]


def agent_named(name: str) -> Any:
    """The agent called ``name``.

    Raises:
        UnknownGame: No agent has that name.
    """
    return _FINDERS[0](name)
