"""Ending games early by what the searches of both sides say, as cutechess does. Off by default."""

from dataclasses import dataclass

from phasezoo.errors import InvalidConfig

__all__ = ["Adjudication", "Adjudicator"]


@dataclass(frozen=True)
class Adjudication:
    """When a two-player game is given up or agreed drawn.

    Values are search values in [-1, 1] for the player who moves. The defaults are the published
    match conditions (``-resign movecount=5 score=600``, ``-draw movenumber=30 movecount=4
    score=20``), with centipawns turned into values by cp = -100 ln(1 - |v|) / ln 1.4
    (Helfenstein et al., M2CTS, Fig. 19).
    """

    resign_value: float | None = 0.867
    """A player whose value is at most minus this ... None: nobody resigns. In (0, 1]; 600 cp."""
    resign_moves: int = 5
    """... on this many of their moves in a row resigns. At least 1."""
    draw_value: float | None = 0.065
    """Both players' values within this of 0 ... None: no draws are agreed. In [0, 1); 20 cp."""
    draw_moves: int = 4
    """... on this many moves of each in a row is a draw. At least 1."""
    draw_from_move: int = 30
    """No draw is agreed before this many full moves have been played. At least 0."""

    def __post_init__(self) -> None:
        resigns = self.resign_value is None or 0 < self.resign_value <= 1
        draws = self.draw_value is None or 0 <= self.draw_value < 1
        counts = self.resign_moves >= 1 and self.draw_moves >= 1 and self.draw_from_move >= 0
        if not (resigns and draws and counts):
            message = (
                f"{self}: resign_value must be in (0, 1] or None, draw_value in [0, 1) or None, "
                "resign_moves and draw_moves at least 1, draw_from_move at least 0"
            )
            raise InvalidConfig(message)


class Adjudicator:
    """Watches one game of two players.

    Moves without a value (of agents that do not search) break every row of moves.
    """

    def __init__(self, rules: Adjudication) -> None:
        self._rules = rules
        self._resigning = [0, 0]
        self._drawish = 0

    def watch(self, player: int, value: float | None, ply: int) -> str | None:
        """Take in a move.

        Args:
            player: Who moved, 0 or 1.
            value: What the player's search said, for that player.
            ply: Plies played since the game's start, this move included.

        Returns:
            ``"resign"``: the player resigns; ``"draw"``; None: play on.
        """
        rules = self._rules
        self._drawish = self._drawish + 1 if _within(value, rules.draw_value) else 0
        if ply // 2 >= rules.draw_from_move and self._drawish >= 2 * rules.draw_moves:
            return "draw"
        lost = rules.resign_value is not None and value is not None and value <= -rules.resign_value
        self._resigning[player] = self._resigning[player] + 1 if lost else 0
        return "resign" if self._resigning[player] >= rules.resign_moves else None


def _within(value: float | None, bound: float | None) -> bool:
    return value is not None and bound is not None and abs(value) <= bound
