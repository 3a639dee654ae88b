"""Probes by perfect play: what moves lose, and which starts are won against who never errs."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from phasezoo.agents import TablebaseAgent
from phasezoo.games.queries import to_play_of
from phasezoo.training.probes.probe import Probed
from phasezoo.training.score import Score
from phasezoo.training.solved import Starts, moves_of

__all__ = ["BEST", "DISTANCE", "PERFECT", "REGRET", "WON", "ExactMoves", "WonStarts"]

PERFECT = Score(
    "perfect moves",
    kind="share",
    unit="%",
    meaning="of the positions in which some legal move loses something of the outcome, the share "
    "in which the move does not",
)

BEST = Score(
    "best moves",
    kind="share",
    unit="%",
    meaning="of all positions, the share in which the move loses neither the outcome nor time",
)

REGRET = Score(
    "regret",
    "lower",
    meaning="what the outcome loses by the move, in the mean: 1 a win turned into a loss, ½ into "
    "a draw",
)

DISTANCE = Score(
    "distance lost",
    "lower",
    meaning="how much longer the win takes, or sooner the loss comes, where the outcome is kept",
)

WON = Score("starts won", kind="share", unit="%")
"""Starts that are won against a perfect player."""


class ExactMoves:
    """What the moves of a version lose in positions of a solved game.

    Args:
        starts: Makes the positions, when they are first needed.
    """

    scores = (PERFECT, BEST, REGRET, DISTANCE)

    def __init__(self, starts: Callable[[], Starts]) -> None:
        self._make = starts

    @cached_property
    def starts(self) -> Starts:
        """The positions, the same for every version."""
        return self._make()

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """Numbers by score, then by who plays."""
        found: dict[str, dict[str, float]] = {score.name: {} for score in self.scores}
        for who, agent in version.players().items():
            judged = self.starts.judge(moves_of(agent, self.starts.states, version.seed))
            kept = judged.lost == 0
            numbers = (
                kept[judged.counts].mean() if judged.counts.any() else 1.0,
                judged.best.mean(),
                judged.lost.mean(),
                judged.distance[kept].mean() if kept.any() else 0.0,
            )
            for score, number in zip(self.scores, numbers, strict=True):
                found[score.name][who] = float(number)
        return found


class WonStarts:
    """Which starts a version wins against a player who never errs, all games side by side.

    Args:
        starts: Makes the starts, when they are first needed; the version plays who is to move.
    """

    scores = (WON,)

    def __init__(self, starts: Callable[[], Sequence[Any]]) -> None:
        self._make = starts

    @cached_property
    def states(self) -> tuple[Any, ...]:
        """The starts, the same for every version."""
        return tuple(self._make())

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """The share of starts won, by who plays."""
        players = version.players().items()
        return {WON.name: {who: self._won(agent, version.seed) for who, agent in players}}

    def _won(self, agent: Any, seed: int) -> float:
        opponent = TablebaseAgent(seed=seed)
        heroes = [to_play_of(state) for state in self.states]
        states, won = dict(enumerate(self.states)), 0
        while states:
            for player, own in ((agent, True), (opponent, False)):
                rows = [
                    row for row, state in states.items() if (state.to_play == heroes[row]) == own
                ]
                if not rows:
                    continue
                actions = moves_of(player, [states[row] for row in rows], seed)
                for row, action in zip(rows, actions, strict=True):
                    after = states[row].play(int(action))
                    states[row] = after
                    if after.is_terminal:
                        won += bool(after.returns[heroes[row]] > 0)
                        del states[row]
        return won / len(heroes)
