"""What was found of learned gates, as plain data."""

from dataclasses import dataclass

from phasezoo.arena.elo import Interval

__all__ = ["Division", "GateCard"]


@dataclass(frozen=True)
class GateCard:
    """The gate of one training.

    Attributes:
        name: Its directory under ``gates/``.
        training: Index of the training, from 0.
        positions: Validation positions that it learnt from.
        seconds: Wall time of its training.
    """

    name: str
    training: int
    positions: int
    seconds: float


@dataclass(frozen=True)
class Division:
    """How learned gates divide the test positions, and what the same experts lose by them.

    Attributes:
        positions: Test positions that occur in no training or validation game.
        shares: Of the test positions of each phase, and of all of them, the share that goes to each
            expert, in the order of the phases; means over trainings, None without positions.
        beside_one: Total test loss by learned gates less one network's, by test set.
        beside_mixture: The same less that of the same experts by the gate under study.
    """

    positions: int
    shares: dict[str, list[float | None]]
    beside_one: dict[str, Interval | None]
    beside_mixture: dict[str, Interval | None]
