"""Tree search as the published Pommerman engine does it."""

from typing import Any

from phasezoo.agents.limit import Limit
from phasezoo.agents.search.config import SearchConfig
from phasezoo.agents.search.mcts import MCTSAgent

PUBLISHED_LIMIT = Limit(simulations=100)
"""Simulations a move of the published engine (Helfenstein et al., M2CTS, section on Pommerman)."""

PUBLISHED = SearchConfig.published(virtual_style="virtual_loss", solver=False, reuse_tree=False)
"""The published settings that differ from those of chess: virtual loss, no solver, a new tree for
every move. Priors have temperature 1.7 and no noise, as when the engine is loaded as an agent;
self-play and the engine's own evaluations have 1.0 and noise 0.25."""


class SinglePlayerMCTSAgent(MCTSAgent):
    """:class:`MCTSAgent` with the published Pommerman engine's settings.

    Single-player MCTS (Helfenstein et al., M2CTS, section on Pommerman): edges are the player's own
    actions, without those that do nothing; ``others``, by default ``"simple_unbiased"``, answer
    once for every node; one's own death ends a line with -1 (-0.5 while a team mate lives), a win
    is 1, a game without winner 0. With a mixture as evaluator it is called M2CTS.

    With ``information="observed"`` the root is rebuilt from what the player has seen of the game:
    who picked up which power-up, laid or kicked which bomb; nothing is known to lie under wood, and
    whom the player does not see stands still.

    Args:
        evaluator: Answers leaves; a mixture brings its gate with it.
        others: Who moves the others.
        limit: When a search ends; default 100 simulations.
        config: How to search; default :data:`PUBLISHED`.
        options: As for :class:`MCTSAgent`.
    """

    def __init__(
        self,
        evaluator: Any,
        *,
        others: Any = "simple_unbiased",
        limit: Limit | None = None,
        config: SearchConfig | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            evaluator,
            others=others,
            limit=PUBLISHED_LIMIT if limit is None else limit,
            config=PUBLISHED if config is None else config,
            **options,
        )
