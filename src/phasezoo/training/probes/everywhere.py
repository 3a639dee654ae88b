"""A probe of games all of whose positions are known: no sample, so no sampling error."""

from collections.abc import Callable
from functools import cached_property

from phasezoo.training.probes.probe import NETWORK, Probed
from phasezoo.training.score import Score
from phasezoo.training.solved import SolvedPositions

__all__ = ["REGRET_EVERYWHERE", "WON_EVERYWHERE", "Everywhere"]

REGRET_EVERYWHERE = Score("regret, all positions", "lower")
"""Mean over every position of the game of what the outcome loses: 1 a win turned into a loss."""

WON_EVERYWHERE = Score(
    "won, all positions",
    kind="share",
    unit="%",
    meaning="of all positions, the share in which the network's likeliest moves win against a "
    "defence that knows them",
)


class Everywhere:
    """What the likeliest moves of a network, without search, come to in every position.

    The defence knows the policy: it does what wins least often against these very moves.

    Args:
        positions: Makes the positions, when they are first needed; chances of winning have to be
            known in them (:attr:`phasezoo.training.solved.SolvedPositions.win_chances`).
    """

    scores = (REGRET_EVERYWHERE, WON_EVERYWHERE)

    def __init__(self, positions: Callable[[], SolvedPositions]) -> None:
        self._make = positions

    @cached_property
    def positions(self) -> SolvedPositions:
        """Every position of the game."""
        return self._make()

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """Numbers by score, of the network alone."""
        positions = self.positions
        moves = positions.likeliest(positions.policy(version.evaluator))
        assert positions.win_chances is not None
        numbers = positions.worth(moves).lost.mean(), positions.win_chances(moves).mean()
        return {
            score.name: {NETWORK: float(number)}
            for score, number in zip(self.scores, numbers, strict=True)
        }
