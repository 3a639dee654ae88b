"""The agents of the package by name: the only file of this layer that names rooms."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from phasezoo.agents.beam import BeamAgent
from phasezoo.agents.decoupled import DecoupledMCTSAgent
from phasezoo.agents.engine import EngineAgent
from phasezoo.agents.human import HumanAgent
from phasezoo.agents.kinds import AgentKind, Part
from phasezoo.agents.knowledge import LOADING, NETWORK, make_m2cts
from phasezoo.agents.mcts import M2CTSAgent, MCTSAgent
from phasezoo.agents.own_agents import attribute_named
from phasezoo.agents.policy import PolicyAgent
from phasezoo.agents.sb3 import SB3Agent
from phasezoo.agents.simple import RandomAgent
from phasezoo.agents.tablebase import TablebaseAgent
from phasezoo.agents.uct import UCTAgent
from phasezoo.errors import InvalidConfig
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

AGENTS: dict[str, AgentKind] = {
    "beam": AgentKind(BeamAgent, own_parts=(NETWORK,)),
    "decoupled_mcts": AgentKind(DecoupledMCTSAgent, own_parts=(NETWORK,)),
    "human": AgentKind(HumanAgent),
    "legacy_pommerman": AgentKind(
        LegacyPommermanAgent,
        first="agent",
        read={"agent": attribute_named},
        names_code=True,
    ),
    "m2cts": AgentKind(make_m2cts, like=M2CTSAgent, own_parts=(LOADING, TABLES)),
    "mcts": AgentKind(MCTSAgent, own_parts=(NETWORK, TABLES)),
    "policy": AgentKind(PolicyAgent, own_parts=(NETWORK,)),
    "random": AgentKind(RandomAgent),
    "sb3": AgentKind(SB3Agent, first="model", read={"algorithm": attribute_named}, names_code=True),
    "scripted": AgentKind(_scripted, first="script", like=SimpleAgent),
    "simple": AgentKind(SimpleAgent),
    "simple_unbiased": AgentKind(SimpleUnbiasedAgent),
    "single_player_mcts": AgentKind(SinglePlayerMCTSAgent, own_parts=(NETWORK,)),
    "tablebase": AgentKind(TablebaseAgent),
    "uci": AgentKind(EngineAgent, first="command", rest="options", names_code=True),
    "uct": AgentKind(UCTAgent),
}
"""What makes each, and from which options."""
