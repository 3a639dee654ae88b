"""At how many nodes a mixture's inference costs as much as one network's.

Definition: ``docs/definitions/matches.md#what-is-compared``.
"""

from dataclasses import replace
from pathlib import Path

from phasezoo.agents import Limit
from phasezoo.arena import SideStats, equal_cost_limits
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.m2cts.duel.arms import BASELINE, EXPERT
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.m2cts.duel.cost.measuring import leaves_of
from phasezoo.experiments.m2cts.duel.cost.results import Prices
from phasezoo.experiments.m2cts.duel.evaluation import TrainedNetworks
from phasezoo.experiments.m2cts.duel.loading import load
from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.experiments.m2cts.duel.results import Matches, MatchSide
from phasezoo.inference.cost import CostModel
from phasezoo.inference.counts import Counts

__all__ = ["equal_limits", "measure"]

_POSITIONS = 64
"""Test positions that networks are asked about."""


def measure(prepared: Prepared, trained: TrainedNetworks) -> Prices:
    """Time one network and an expert, with the backend and the threads of matches.

    Args:
        prepared: The run's settings and games.
        trained: Directories of the networks of a training by role.
    """
    states = leaves_of(prepared, _POSITIONS).states()

    def price(path: Path) -> CostModel:
        return CostModel.measure(load(prepared.config, path), states)

    return Prices(expert=price(trained[EXPERT][0]), one=price(trained[BASELINE][0]))


def equal_limits(config: M2ctsConfig, prices: Prices, played: Matches) -> tuple[Limit, Limit]:
    """The limits of the mixture and of one network at which their inference costs the same.

    Args:
        config: The settings of the search; one network keeps its nodes.
        prices: What calls and rows cost.
        played: The mixture's games against one network by that search at equal nodes.

    Raises:
        InvalidConfig: These games were played by a version that did not count nodes.
    """
    first, second = (_spent(side) for side in played.total.sides)
    given = config.limit()
    found, _ = equal_cost_limits((first, second), (prices.expert, prices.one), given)
    return replace(config, nodes=found.nodes or config.nodes).limit(), given


def _spent(side: MatchSide) -> SideStats:
    counts = Counts(rows=side.rows, padded_rows=side.padded_rows, calls=side.calls)
    if side.nodes is None:
        message = (
            "equal-cost: the games at equal nodes were played by a version that did not count "
            "nodes; run the command again with another --out"
        )
        raise InvalidConfig(message)
    return SideStats(side.name, nodes=side.nodes, counts=counts)
