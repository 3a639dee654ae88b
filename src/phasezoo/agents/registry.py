"""Agents by name."""

import difflib
from collections.abc import Callable
from typing import Any

from phasezoo.agents.mcts import MCTSAgent
from phasezoo.agents.pommerman import SimpleAgent, SimpleUnbiasedAgent
from phasezoo.agents.simple import RandomAgent
from phasezoo.agents.single_player import SinglePlayerMCTSAgent
from phasezoo.agents.tablebase import TablebaseAgent
from phasezoo.agents.uct import UCTAgent
from phasezoo.errors import InvalidConfig, UnknownGame
from phasezoo.inference.uniform import Uniform

__all__ = ["make", "names", "register"]


def _mcts(**options: Any) -> MCTSAgent:
    return MCTSAgent(options.pop("evaluator", None) or Uniform(), **options)


def _single_player(**options: Any) -> SinglePlayerMCTSAgent:
    return SinglePlayerMCTSAgent(options.pop("evaluator", None) or Uniform(), **options)


_PACKAGE: dict[str, Callable[..., Any]] = {
    "mcts": _mcts,
    "random": RandomAgent,
    "simple": SimpleAgent,
    "simple_unbiased": SimpleUnbiasedAgent,
    "single_player_mcts": _single_player,
    "tablebase": TablebaseAgent,
    "uct": UCTAgent,
}
_OWN: dict[str, Callable[..., Any]] = {}


def names() -> tuple[str, ...]:
    """The names that :func:`make` knows, sorted."""
    return tuple(sorted({**_PACKAGE, **_OWN}))


def register(name: str, factory: Callable[..., Any]) -> None:
    """Add an agent of one's own; registering its name again replaces it.

    Args:
        name: How it is asked for.
        factory: Makes the agent; called with the options given to :func:`make`.

    Raises:
        InvalidConfig: The name belongs to an agent of the package.
    """
    if name in _PACKAGE:
        message = f"{name!r} is an agent of the package: choose another name"
        raise InvalidConfig(message)
    _OWN[name] = factory


def make(name: str, **options: Any) -> Any:
    """The agent called ``name``.

    ``"random"`` plays any legal action; ``"mcts"`` searches, with no knowledge unless
    ``evaluator=`` is given; ``"tablebase"`` plays perfectly where a table is known; in Pommerman
    ``"simple"``, ``"simple_unbiased"`` and, searching, ``"single_player_mcts"``.

    Args:
        name: One of :func:`names`.
        options: Given to the agent, such as ``seed=``, ``limit=``.

    Raises:
        UnknownGame: No agent has that name.
    """
    factory = _OWN.get(name) or _PACKAGE.get(name)
    if factory is None:
        close = difflib.get_close_matches(str(name), names(), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        message = (
            f"{name!r}: no such agent{hint} Known are {', '.join(names())}; agents.register(…) "
            "adds one of your own"
        )
        raise UnknownGame(message)
    return factory(**options)
