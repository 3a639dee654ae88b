"""The agents of the package by name: the only file of this layer that names rooms."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from phasezoo.agents.engines.agent import EngineAgent
from phasezoo.agents.human import HumanAgent
from phasezoo.agents.knowledge import LOADING, NETWORK, make_m2cts
from phasezoo.agents.limit import Limit
from phasezoo.agents.policy import PolicyAgent
from phasezoo.agents.sb3 import SB3Agent
from phasezoo.agents.search.beam import BeamAgent
from phasezoo.agents.search.decoupled import DecoupledMCTSAgent
from phasezoo.agents.search.mcts import M2CTSAgent, MCTSAgent
from phasezoo.agents.search.uct import UCTAgent
from phasezoo.agents.simple import RandomAgent, TablebaseAgent
from phasezoo.errors import InvalidConfig
from phasezoo.plugins import attribute_named
from phasezoo.specs import Part, Recipe
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

agent_recipe = partial(Recipe, inlined=(Limit,), sets_name=True, lister="agents.options")
"""Makes the agents of one name; a limit is given whole or by its fields."""

SCRIPTED: dict[str, Callable[..., Any]] = {
    "simple": SimpleAgent,
    "simple_unbiased": SimpleUnbiasedAgent,
}
"""Players that games bring along."""


def _scripted(script: str, **options: Any) -> Any:
    if script not in SCRIPTED:
        message = f"scripted:{script}: known are {', '.join(SCRIPTED)}"
        raise InvalidConfig(message)
    return SCRIPTED[script](**options)


def _syzygy(syzygy: str | Path) -> Syzygy:
    return Syzygy(syzygy)


TABLES = Part("oracle", _syzygy)
"""Endgame tables by their folder."""

AGENTS: dict[str, Recipe] = {
    "beam": agent_recipe(BeamAgent, own_parts=(NETWORK,)),
    "decoupled_mcts": agent_recipe(DecoupledMCTSAgent, own_parts=(NETWORK,)),
    "human": agent_recipe(HumanAgent),
    "legacy_pommerman": agent_recipe(
        LegacyPommermanAgent,
        first="agent",
        read={"agent": attribute_named},
        names_code=True,
    ),
    "m2cts": agent_recipe(make_m2cts, like=M2CTSAgent, own_parts=(LOADING, TABLES)),
    "mcts": agent_recipe(MCTSAgent, own_parts=(NETWORK, TABLES)),
    "policy": agent_recipe(PolicyAgent, own_parts=(NETWORK,)),
    "random": agent_recipe(RandomAgent),
    "sb3": agent_recipe(
        SB3Agent, first="model", read={"algorithm": attribute_named}, names_code=True
    ),
    "scripted": agent_recipe(_scripted, first="script", like=SimpleAgent),
    "simple": agent_recipe(SimpleAgent),
    "simple_unbiased": agent_recipe(SimpleUnbiasedAgent),
    "single_player_mcts": agent_recipe(SinglePlayerMCTSAgent, own_parts=(NETWORK,)),
    "tablebase": agent_recipe(TablebaseAgent),
    "uci": agent_recipe(EngineAgent, first="command", rest="options", names_code=True),
    "uct": agent_recipe(UCTAgent),
}
"""The agents of the package."""
