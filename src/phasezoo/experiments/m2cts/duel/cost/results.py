"""What experts cost, as plain data."""

from dataclasses import dataclass

from phasezoo.arena.elo import Interval
from phasezoo.inference.cost import CostModel

__all__ = ["CallCost", "Cost", "GateCost", "Prices", "Size"]


@dataclass(frozen=True)
class Size:
    """The networks of one player.

    Attributes:
        name: As shown.
        networks: How many there are.
        parameters: Of all of them.
        active: Of the one that answers a position, the largest of them.
        weights: Bytes of all their weights, statistics of normalisations included.
    """

    name: str
    networks: int
    parameters: int
    active: int
    weights: int


@dataclass(frozen=True)
class CallCost:
    """A call with positions of all phases.

    Attributes:
        name: Who is asked.
        routing: How a mixture divides the positions; None of one network.
        batch: Positions of the call.
        calls: Networks that were asked.
        rows: Positions that they answered together.
        milliseconds: Inside the networks, a call: the median round between the extremes.
        ratio: The same beside one network's, round by round.
    """

    name: str
    routing: str | None
    batch: int
    calls: int
    rows: int
    milliseconds: Interval
    ratio: Interval


@dataclass(frozen=True)
class GateCost:
    """A learned gate that is asked for the phases of all positions of a call.

    Attributes:
        batch: Positions.
        milliseconds: The median round between the extremes.
        ratio: The same beside one network's call with these positions, round by round.
    """

    batch: int
    milliseconds: Interval
    ratio: Interval


@dataclass(frozen=True)
class Cost:
    """Memory and time of the networks of the first training.

    Attributes:
        clock: What the times are, for people.
        rounds: Rounds of measuring.
        sizes: One network and every mixture.
        calls: One network, and the phase mixture by each routing; empty if nothing was timed.
        gate: The learned gate by batch; empty if there is none.
    """

    clock: str
    rounds: int
    sizes: list[Size]
    calls: list[CallCost]
    gate: list[GateCost]


@dataclass(frozen=True)
class Prices:
    """What calls and rows of the networks of the first training cost in matches.

    Attributes:
        expert: Of an expert of the phase mixture, which all have the same architecture.
        one: Of one network.
    """

    expert: CostModel
    one: CostModel
