"""The agents that play the versions of a run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasezoo import gating, inference
from phasezoo.agents import Limit, MCTSAgent, SearchConfig
from phasezoo.games import Game
from phasezoo.training.selfplay.config import SelfPlayConfig

__all__ = ["Players"]


@dataclass(frozen=True)
class Players:
    """Makes evaluators and agents of versions; where it is sent, it makes the same ones."""

    game: Game
    """What is played."""
    config: SelfPlayConfig
    """The knobs."""
    gate: Any = None
    """Names the phases of experts, as it was given; None: a version is one network."""
    own_agent: Callable[[Any], Any] | None = None
    """Makes the agent of an evaluator; None: a tree search."""
    own_load: Callable[..., Any] | None = None
    """Makes the evaluator of a version's directory; None: as it says."""

    def loaded(self, folder: Path, **options: Any) -> Any:
        """The evaluator of a version; ``options`` as for :func:`phasezoo.inference.load`."""
        if self.own_load is not None:
            return self.own_load(folder, **options)
        if self.gate is None:
            return inference.load(folder, **options)
        gate = gating.make(self.gate, self.game.name)
        return inference.load_experts(folder).mixture(self.config.routing, gate=gate, **options)

    def evaluator(self, folder: Path) -> Any:
        """The evaluator that plays a version."""
        options = {} if self.own_load is not None else {"backend": self.config.backend}
        return self.loaded(folder, **options)

    def searching(self, evaluator: Any, search: SearchConfig, nodes: int) -> Any:
        """The agent that plays with an evaluator."""
        if self.own_agent is not None:
            return self.own_agent(evaluator)
        limit, others = Limit(nodes=nodes), self.config.others
        if others is not None:  # a proof would hold for their drawn answers alone
            search = search.with_(solver=False)
        return MCTSAgent(evaluator, others=others, limit=limit, config=search, game=self.game)
