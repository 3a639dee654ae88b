"""Makes the agents that play the comparison."""

from pathlib import Path
from typing import Any

from phasezoo import agents, inference
from phasezoo.experiments.m2cts.pommerman.config import PommermanConfig
from phasezoo.experiments.m2cts.pommerman.lineup import Contender
from phasezoo.experiments.m2cts.pommerman.play import GAME
from phasezoo.inference.mixture import MixtureOfExperts

__all__ = ["agent_of"]


def agent_of(
    contender: Contender, config: PommermanConfig, networks: dict[str | None, Path]
) -> Any:
    """The agent of a contender.

    Args:
        contender: Who.
        config: The settings.
        networks: Where the networks are, by phase; None for one of all phases.

    Raises:
        CheckpointError: A network is missing or damaged.
    """
    loaded = {
        phase: inference.load(
            path, backend=config.backend, device=config.device, threads=config.threads
        )
        for phase, path in networks.items()
    }
    evaluator: Any = inference.Uniform() if contender.kind == "nothing" else loaded.get(None)
    if evaluator is None:
        experts = {str(phase): expert for phase, expert in loaded.items()}
        evaluator = MixtureOfExperts(experts, contender.gate, config.routing, game=GAME)
    if contender.simulations == 0:
        return agents.PolicyAgent(evaluator, name=contender.name)
    return agents.SinglePlayerMCTSAgent(
        evaluator,
        others=config.others,
        limit=agents.Limit(simulations=contender.simulations),
        information=config.information,
        batch_size=config.search_batch,
        game=GAME,
        name=contender.name,
    )
