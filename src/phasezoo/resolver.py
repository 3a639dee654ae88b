"""Agents, games and what trains gates, for the layers below them, which must not import them."""

from collections.abc import Callable
from typing import Any

_FINDERS: list[Callable[[str], Any]] = []
_GAME_FINDERS: list[Callable[..., Any]] = []
_GATE_TRAINERS: list[Callable[[], Any]] = []


def find_agents_by(finder: Callable[[str], Any]) -> None:
    """Let ``finder`` make agents from now on; it raises for names that it does not know."""
    _FINDERS[:] = [finder]


def agent_named(name: str) -> Any:
    """The agent called ``name``."""
    return _FINDERS[0](name)


def find_gate_trainer_by(finder: Callable[[], Any]) -> None:
    """Let ``finder`` import what trains gates from now on."""
    _GATE_TRAINERS[:] = [finder]


def gate_trainer() -> Any:
    """Return the function that trains gates."""
    return _GATE_TRAINERS[0]()


def find_games_by(finder: Callable[..., Any]) -> None:
    """Let ``finder`` make games, from a name and options; it raises for names it does not know."""
    _GAME_FINDERS[:] = [finder]


def game_named(name: str, **options: Any) -> Any:
    """The game called ``name``, with its options."""
    return _GAME_FINDERS[0](name, **options)
