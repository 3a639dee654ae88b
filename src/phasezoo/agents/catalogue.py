"""The agents of the package by name: the only file of this layer that names rooms."""

from collections.abc import Callable
from typing import Any

from phasezoo.agents.decoupled import DecoupledMCTSAgent
from phasezoo.agents.mcts import MCTSAgent
from phasezoo.agents.simple import RandomAgent
from phasezoo.agents.tablebase import TablebaseAgent
from phasezoo.agents.uct import UCTAgent
from phasezoo.inference.uniform import Uniform
from phasezoo.zoo.boards.agents import Syzygy
from phasezoo.zoo.pommerman.agents.legacy import LegacyPommermanAgent
from phasezoo.zoo.pommerman.agents.published import SinglePlayerMCTSAgent
from phasezoo.zoo.pommerman.agents.scripted import SimpleAgent, SimpleUnbiasedAgent

__all__ = [
    "AGENTS",
    "LegacyPommermanAgent",
    "SimpleAgent",
    "SimpleUnbiasedAgent",
    "SinglePlayerMCTSAgent",
    "Syzygy",
]


def _searching(kind: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a searching agent, with no knowledge unless an evaluator is given."""

    def make(**options: Any) -> Any:
        return kind(options.pop("evaluator", None) or Uniform(), **options)

    return make


AGENTS: dict[str, Callable[..., Any]] = {
    "decoupled_mcts": _searching(DecoupledMCTSAgent),
    "mcts": _searching(MCTSAgent),
    "random": RandomAgent,
    "simple": SimpleAgent,
    "simple_unbiased": SimpleUnbiasedAgent,
    "single_player_mcts": _searching(SinglePlayerMCTSAgent),
    "tablebase": TablebaseAgent,
    "uct": UCTAgent,
}
"""What makes each."""
