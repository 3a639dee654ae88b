"""The two searches, with the same network."""

from typing import Any

from phasezoo import inference
from phasezoo.agents import BeamAgent, BeamConfig, Limit, MCTSAgent, SearchConfig

__all__ = ["BEAM", "MCTS", "PUSHING", "beam_of", "mcts_of", "network_of"]

BEAM, MCTS, PUSHING = "beam", "MCTS", "beam, 3 plies a search"


def network_of(name: str, threads: int) -> Any:
    """The one network of a folder: of experts, their baseline."""
    return inference.load_experts(name).baseline(threads=threads)


def beam_of(evaluator: Any, config: BeamConfig, plies: int = 1, **changes: Any) -> BeamAgent:
    """The beam."""
    return BeamAgent(evaluator, config=config.with_(**changes), plies=plies, game="chess")


def mcts_of(evaluator: Any, nodes: int, batch_size: int = 1, **changes: Any) -> MCTSAgent:
    """MCTS as in match play, but that each search begins anew, as beams do, and solves nothing."""
    config = SearchConfig(batch_size=batch_size, reuse_tree=False, solver=False, **changes)
    return MCTSAgent(evaluator, limit=Limit(nodes=nodes), config=config, game="chess")
