"""Agents: random, UCT, MCTS, M2CTS, engines from outside and people, by name or by a short text."""

from phasezoo.agents.base import (
    CallableAgent,
    Forfeit as Forfeit,
    Move,
    Session,
    SessionAgent as SessionAgent,
    SessionPool as SessionPool,
    name_of_agent as name_of_agent,
    seats_of as seats_of,
    session_pool_of as session_pool_of,
)
from phasezoo.agents.catalogue import (
    LegacyPommermanAgent,
    SimpleAgent,
    SimpleUnbiasedAgent,
    SinglePlayerMCTSAgent,
    Syzygy,
)
from phasezoo.agents.checker import check
from phasezoo.agents.engines.agent import EngineAgent
from phasezoo.agents.human import HumanAgent
from phasezoo.agents.limit import Limit, TimeControl
from phasezoo.agents.making import make, names, options, parse as parse, register, spec_of
from phasezoo.agents.policy import PolicyAgent
from phasezoo.agents.sb3 import SB3Agent
from phasezoo.agents.search.beam import BeamAgent, BeamConfig
from phasezoo.agents.search.config import SearchConfig
from phasezoo.agents.search.decoupled import DecoupledConfig, DecoupledMCTSAgent
from phasezoo.agents.search.mcts import M2CTSAgent, MCTSAgent
from phasezoo.agents.search.uct import UCTAgent, UCTSession as UCTSession
from phasezoo.agents.simple import RandomAgent, TablebaseAgent
from phasezoo.specs import warn_renamed as _warn_renamed

__all__ = [
    "BeamAgent",
    "BeamConfig",
    "CallableAgent",
    "DecoupledConfig",
    "DecoupledMCTSAgent",
    "EngineAgent",
    "HumanAgent",
    "LegacyPommermanAgent",
    "Limit",
    "M2CTSAgent",
    "MCTSAgent",
    "Move",
    "PolicyAgent",
    "RandomAgent",
    "SB3Agent",
    "SearchConfig",
    "Session",
    "SimpleAgent",
    "SimpleUnbiasedAgent",
    "SinglePlayerMCTSAgent",
    "Syzygy",
    "TablebaseAgent",
    "TimeControl",
    "UCTAgent",
    "check",
    "make",
    "names",
    "options",
    "register",
    "spec_of",
]


def __getattr__(name: str) -> type[SessionPool]:
    if name == "Seats":
        _warn_renamed("agents.Seats", "agents.SessionPool")
        return SessionPool
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
