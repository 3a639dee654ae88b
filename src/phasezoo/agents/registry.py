"""Agents by name."""

import difflib
from collections.abc import Callable
from typing import Any

from phasezoo.agents.catalogue import AGENTS
from phasezoo.errors import InvalidConfig, UnknownGame

__all__ = ["make", "names", "register"]

_OWN: dict[str, Callable[..., Any]] = {}


def names() -> tuple[str, ...]:
    """The names that :func:`make` knows, sorted."""
    return tuple(sorted({**AGENTS, **_OWN}))


def register(name: str, factory: Callable[..., Any]) -> None:
    """Add an agent of one's own; registering its name again replaces it.

    Args:
        name: How it is asked for.
        factory: Makes the agent; called with the options given to :func:`make`.

    Raises:
        InvalidConfig: The name belongs to an agent of the package.
    """
    if name in AGENTS:
        message = f"{name!r} is an agent of the package: choose another name"
        raise InvalidConfig(message)
    _OWN[name] = factory


def make(name: str, **options: Any) -> Any:
    """The agent called ``name``.

    ``"random"`` plays any legal action; ``"uct"`` searches with rollouts and ``"mcts"`` with an
    evaluator, without knowledge unless ``evaluator=`` is given; ``"tablebase"`` plays perfectly in
    games whose perfect play is known. A room may bring names of its own: see :func:`names`.

    Args:
        name: One of :func:`names`.
        options: Given to the agent, such as ``seed=``, ``limit=``.

    Raises:
        UnknownGame: No agent has that name.
    """
    factory = _OWN.get(name) or AGENTS.get(name)
    if factory is None:
        close = difflib.get_close_matches(str(name), names(), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        message = (
            f"{name!r}: no such agent{hint} Known are {', '.join(names())}; agents.register(…) "
            "adds one of your own"
        )
        raise UnknownGame(message)
    return factory(**options)
