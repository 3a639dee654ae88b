"""Limits at which two sides' inference costs the same (``docs/definitions/matches.md``)."""

from dataclasses import replace

from phasezoo.agents import Limit
from phasezoo.arena.records import SideStats
from phasezoo.errors import InvalidConfig
from phasezoo.inference.cost import CostModel


def seconds_per_move(side: SideStats, cost: CostModel) -> float:
    """Return the seconds that a move of ``side`` costs: its calls and rows at ``cost``'s prices.

    Raises:
        InvalidConfig: The side made no moves.
    """
    if side.moves == 0:
        message = f"{side.name} made no moves: the cost of one is not known"
        raise InvalidConfig(message)
    return cost.seconds(side.counts) / side.moves


def equal_cost_limits(
    sides: tuple[SideStats, SideStats], costs: tuple[CostModel, CostModel], limit: Limit
) -> tuple[Limit, Limit]:
    """Limits under which side 0's inference costs as much a move as side 1's does under ``limit``.

    A mixture needs more, smaller calls than one network for the same nodes. A first match at equal
    nodes tells how many; its statistics are prices of a node here, so nodes are scaled by the ratio
    of both sides' cost of a node.

    Args:
        sides: Both sides' work in a match at equal nodes, with the concurrency of the next one.
        costs: Both sides' prices, fitted on the same backend.
        limit: The limit that side 1 keeps; it has ``nodes``.

    Returns:
        The limits of both sides, for ``play_match(limit=…)``.

    Raises:
        InvalidConfig: ``limit`` has no nodes, or a side evaluated none.
    """
    if limit.nodes is None:
        message = f"{limit}: equal cost is reached by nodes, give Limit(nodes=…)"
        raise InvalidConfig(message)
    if not all(side.nodes for side in sides):
        message = f"{sides[0].name} and {sides[1].name} must both have searched: nodes are missing"
        raise InvalidConfig(message)
    first, second = (
        cost.seconds(side.counts) / side.nodes for side, cost in zip(sides, costs, strict=True)
    )
    return replace(limit, nodes=max(round(limit.nodes * second / first), 1)), limit
