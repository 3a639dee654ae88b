"""Probes by perfect play: losses of moves, and starts won against a perfect player."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from phasezoo.agents import TablebaseAgent
from phasezoo.games.queries import to_play_of
from phasezoo.training.probes.probe import NETWORK, Probed, Score
from phasezoo.training.solved import SolvedPositions, Starts, moves_of

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
    meaning="mean loss of the outcome by the move: 1 for a win turned into a loss, ½ into a draw",
)

DISTANCE = Score(
    "distance lost",
    "lower",
    meaning="how much longer the win takes, or sooner the loss comes, where the outcome is kept",
)

WON = Score("starts won", kind="share", unit="%")
"""Share of starts that are won against a perfect player."""


class ExactMoves:
    """Losses of a version's moves in positions of a solved game.

    Args:
        starts: Makes the positions, when they are first needed.
    """

    scores = (PERFECT, BEST, REGRET, DISTANCE)

    def __init__(self, starts: Callable[[], Starts]) -> None:
        self.starts = cache(starts)

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """Return numbers by score, then by player."""
        starts = self.starts()
        found: dict[str, dict[str, float]] = {score.name: {} for score in self.scores}
        for who, agent in version.players().items():
            judged = starts.judge(moves_of(agent, starts.states, version.seed))
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
    """Starts that a version wins against a perfect player, all games side by side.

    Args:
        starts: Makes the starts, when they are first needed; the version plays who is to move.
    """

    scores = (WON,)

    def __init__(self, starts: Callable[[], Sequence[Any]]) -> None:
        self.starts = cache(starts)

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """Return the share of starts won, by player."""
        players = version.players().items()
        return {WON.name: {who: self._won(agent, version.seed) for who, agent in players}}

    def _won(self, agent: Any, seed: int) -> float:
        opponent = TablebaseAgent(seed=seed)
        starts = self.starts()
        heroes = [to_play_of(state) for state in starts]
        states, won = dict(enumerate(starts)), 0
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


REGRET_EVERYWHERE = Score("regret, all positions", "lower")
"""Mean loss of the outcome over every position: 1 for a win turned into a loss."""

WON_EVERYWHERE = Score(
    "won, all positions",
    kind="share",
    unit="%",
    meaning="of all positions, the share in which the network's likeliest moves win against a "
    "defence that knows them",
)


class Everywhere:
    """Losses of a network's likeliest moves, without search, in every position of a game.

    There is no sample, and so no sampling error. The defence knows the policy: its replies are
    those against which these moves win least often.

    Args:
        positions: Makes the positions, when they are first needed; chances of winning have to be
            known in them (:attr:`phasezoo.training.solved.SolvedPositions.win_chances`).
    """

    scores = (REGRET_EVERYWHERE, WON_EVERYWHERE)

    def __init__(self, positions: Callable[[], SolvedPositions]) -> None:
        self.positions = cache(positions)

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """Return numbers by score, of the network alone."""
        positions = self.positions()
        moves = positions.likeliest(positions.policy(version.evaluator))
        assert positions.win_chances is not None
        numbers = positions.worth(moves).lost.mean(), positions.win_chances(moves).mean()
        return {
            score.name: {NETWORK: float(number)}
            for score, number in zip(self.scores, numbers, strict=True)
        }
