"""Pommerman's own agents: scripted ones, the published search, and agents of the original."""

# Whoever comes here first meets the agents' catalogue, which needs what is below.
import phasezoo.agents  # noqa: F401
from phasezoo.zoo.pommerman.agents.legacy import LegacyPommermanAgent
from phasezoo.zoo.pommerman.agents.published import SinglePlayerMCTSAgent
from phasezoo.zoo.pommerman.agents.scripted import SimpleAgent, SimpleUnbiasedAgent

__all__ = [
    "LegacyPommermanAgent",
    "SimpleAgent",
    "SimpleUnbiasedAgent",
    "SinglePlayerMCTSAgent",
]
