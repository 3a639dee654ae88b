"""Learning rate and momentum over a training."""

import math
from dataclasses import dataclass
from itertools import pairwise

from phasezoo.errors import InvalidConfig

_KNOTS = (
    (0.0, 0.0),
    (1 / 30, 1 / 8),
    (0.1833, 1.0),
    (0.3333, 1 / 8),
    (0.9333, 0.0),
    (1.0, 0.0),
)
"""Where the published schedule bends (``docs/definitions/losses.md#schedule``): (share of
the training, share of the peak), where a share of 0 is the least learning rate."""


@dataclass(frozen=True)
class OneCycle:
    """The published one-cycle schedule, set anew at every update.

    The learning rate rises in two straight lines, falls in two, and stays at its least for the last
    fifteenth; momentum mirrors it: ``max - (max - min) * (lr - min_lr) / (max_lr - min_lr)``.
    """

    updates: int
    """Length of the training."""
    max_lr: float
    """The peak, at 18.33 % of the training."""
    min_lr: float
    """The learning rate at the start and at the end."""
    max_momentum: float = 0.95
    """The momentum at the least learning rate."""
    min_momentum: float = 0.8
    """The momentum at the peak."""

    def lr(self, update: int) -> float:
        """The learning rate of ``update``, counted from 0."""
        place = update / self.updates
        for (start, low), (end, high) in pairwise(_KNOTS):
            if place <= end:
                along = (place - start) / (end - start)
                return self._level(low) + along * (self._level(high) - self._level(low))
        return self.min_lr

    def momentum(self, update: int) -> float:
        """The momentum of ``update``, counted from 0."""
        spread = self.max_lr - self.min_lr
        height = (self.lr(update) - self.min_lr) / spread if spread > 0 else 0.0
        return self.max_momentum - (self.max_momentum - self.min_momentum) * height

    def _level(self, share: float) -> float:
        """The learning rate of a knot; one below the least (max / 8, say) is raised to it."""
        return max(self.min_lr, share * self.max_lr)


def batch_sizes(positions: int, batch_size: int) -> tuple[int, int]:
    """How many updates show exactly ``positions`` positions, and how many the last one shows.

    All updates but the last show ``batch_size``. A remainder of less than half a batch joins the
    last full one, because the statistics of a batch norm over a few positions are poor.
    """
    updates = max(1, math.floor(positions / batch_size + 0.5))
    return updates, positions - (updates - 1) * batch_size


@dataclass(frozen=True)
class Drops:
    """A learning rate that changes at given steps alone, with one momentum (AlphaZero 2018)."""

    rates: tuple[tuple[int, float], ...]
    """Steps, ascending from 0, and the rate from each on."""
    constant_momentum: float = 0.9
    """The momentum."""

    def lr(self, update: int) -> float:
        """The learning rate of ``update``, counted from 0."""
        return next(rate for step, rate in reversed(self.rates) if step <= update)

    def momentum(self, update: int) -> float:
        """The momentum, which is always the same."""
        return self.constant_momentum


def drops_of(text: str, momentum: float) -> Drops:
    """Read ``0:0.2,1000:0.02``: steps and the learning rates from there on."""
    pairs = [part.partition(":") for part in text.split(",")]
    try:
        rates = tuple((int(step), float(rate)) for step, _, rate in pairs)
    except ValueError:
        rates = ()
    steps = [step for step, _ in rates]
    rising = bool(steps) and steps[0] == 0 and all(a < b for a, b in pairwise(steps))
    if not rising or not all(0 < rate < math.inf for _, rate in rates):
        message = (
            f"schedule {text!r}: expected one-cycle, constant, or steps from 0 with rates above 0, "
            "such as 0:0.2,1000:0.02"
        )
        raise InvalidConfig(message)
    return Drops(rates, momentum)
