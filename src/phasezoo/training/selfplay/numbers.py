"""The numbers of a round, by the columns of ``metrics.csv``."""

import time
from collections.abc import Sequence

from phasezoo.training.selfplay.outcome import Row, Update
from phasezoo.training.selfplay.shards import Tally

__all__ = ["Clock", "columns_of", "metrics_row", "row_of_games"]


class Clock:
    """Seconds that the parts of a round took, in this session."""

    def __init__(self) -> None:
        self.seconds: Row = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        """A part has ended."""
        now = time.perf_counter()
        self.seconds[f"time/{name}"] = round(now - self._since, 3)
        self._since = now


def metrics_row(row: Update) -> Row:
    """A round as a row of ``metrics.csv``."""
    return {"update": row.update, "positions": row.learnt, **row.numbers}


def row_of_games(tally: Tally) -> Row:
    """What is told of a round's games."""
    games, checked = max(tally.games, 1), tally.checked
    row: Row = {
        "games/played": tally.games,
        "games/mean_plies": tally.plies / games,
        "games/resigned": tally.resigned,
        "games/cut": tally.cut,
        "games/verdicts_checked": checked,
        "games/verdicts_false": tally.misjudged,
        "games/cheap_searches": tally.cheap,
        "games/target_entropy": tally.entropy / max(tally.searched, 1),
    }
    for player, won in enumerate(tally.won):
        row[f"games/won_by_{player}"] = won
    return row


def columns_of(players: int, learners: Sequence[str]) -> list[str]:
    """The columns of ``metrics.csv``.

    Args:
        players: Players of a game.
        learners: Names of the learners; none if there is one alone.
    """
    learnt = ["loss", "policy_loss", "value_mse", "policy_accuracy", "wdl_loss", "plies_mse"]
    learnt += ["samples", "spikes"]
    names = [f"{name}/" for name in learners] or [""]
    won = (0,) * players
    return [
        "update",
        "positions",
        *row_of_games(Tally(won=won)),
        "replay/samples",
        "replay/skipped_files",
        *(f"learn/{name}{column}" for name in names for column in learnt),
        "match/score",
        "match/elo",
        "inference/rows",
        "inference/mean_rows",
        "time/inference",
        "time/playing",
        "time/learning",
        "time/promoting",
    ]
