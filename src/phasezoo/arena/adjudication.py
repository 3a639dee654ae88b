"""Ending games early: by what the searches of both sides say, as cutechess does, or by tables."""

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from phasezoo import games
from phasezoo.arena.streams import stream
from phasezoo.errors import InvalidConfig
from phasezoo.inference import Oracle, StateBatch
from phasezoo.inference.evaluator import name_of
from phasezoo.inference.oracle import check_knows, looked_up
from phasezoo.specs import NonNegativeInt, PositiveInt, Share, check


@dataclass(frozen=True)
class Adjudication:
    """When a two-player game is given up or agreed drawn.

    Values are search values in [-1, 1] for the player who moves. The defaults are the published
    match conditions (``-resign movecount=5 score=600``, ``-draw movenumber=30 movecount=4
    score=20``), with centipawns turned into values by cp = -100 ln(1 - |v|) / ln 1.4
    (Helfenstein et al., M2CTS, Fig. 19).
    """

    resign_value: Annotated[float, Interval(gt=0, le=1)] | None = 0.867
    """A player whose value is at most minus this ... None: nobody resigns. 600 cp."""
    resign_moves: PositiveInt = 5
    """... on this many of their moves in a row resigns."""
    draw_value: Annotated[float, Interval(ge=0, lt=1)] | None = 0.065
    """Both players' values within this of 0 ... None: no draws are agreed. 20 cp."""
    draw_moves: PositiveInt = 4
    """... on this many moves of each in a row is a draw."""
    draw_from_move: NonNegativeInt = 30
    """No draw is agreed before this many full moves have been played."""
    tables: Oracle | Literal["game"] | None = None
    """Who ends a game as soon as they know its result for certain: an oracle such as
    ``agents.Syzygy(folder)``, or ``"game"`` in games whose perfect play is known, such as
    ``"krk"``."""
    check: Share = 0.0
    """Share of games that are played on after the first verdict, whose result counts
    then; :attr:`phasezoo.arena.Match.checked_verdicts` says how often the verdict was wrong."""

    def __post_init__(self) -> None:
        check(self)

    def check_game(self, game: games.Game) -> None:
        """Refuse games that cannot be adjudicated so.

        Raises:
            InvalidConfig: The game is not for two players, or its perfect play is not known.
            GameMismatch: The tables are of other games.
        """
        if game.num_players != 2:
            message = f"adjudication is for two players, {game.name} has {game.num_players}"
            raise InvalidConfig(message)
        if self.tables == "game" and game.solve is None:
            message = f"tables='game': perfect play of {game.name} is not known; leave it out"
            raise InvalidConfig(message)
        if isinstance(self.tables, Oracle):
            check_knows(self.tables, game)

    def identity(self) -> dict[str, Any]:
        """JSON that identifies the rules."""
        rules = asdict(replace(self, tables=None))  # tables are no JSON
        tables = self.tables
        called = None if tables is None else getattr(tables, "path", None) or name_of(tables)
        given = {"tables": called, "check": self.check}
        # Matches without these were logged before they existed.
        return {k: v for k, v in (rules | given).items() if k not in given or v}

    def is_checked(self, seed: int) -> bool:
        """Return whether the game with this seed is played on after a verdict."""
        return stream(seed, "check adjudication") < self.check * 2**63


class Verdict(NamedTuple):
    """How a game is ended early."""

    kind: Literal["resignation", "agreement", "tables"]
    """Reason of the early end."""
    returns: tuple[float, float]
    """Per player: +1 won, 0 draw, -1 lost."""


class Adjudicator:
    """Watches one game of two players.

    Moves without a value (of agents that do not search) break every row of moves.
    """

    def __init__(self, rules: Adjudication, game: games.Game | None = None) -> None:
        self._rules = rules
        self._game = game
        self._resigning = [0, 0]
        self._drawish = 0

    def known(self, state: Any) -> Verdict | None:
        """Return the result of a state that is not over, if the tables know it."""
        tables = self._rules.tables
        if tables is None or self._game is None:
            return None
        if isinstance(tables, str):
            value = float(self._game.action_scores(state).max())
        else:
            found = looked_up(tables, StateBatch([state]))
            if found is None or found.plies[0] < 0:
                return None
            value = float(found.values[0])
        won = float(np.sign(value))
        return Verdict("tables", (won, -won) if state.to_play == 0 else (-won, won))

    def watch(self, player: int, value: float | None, ply: int) -> Verdict | None:
        """Take in a move.

        Returns:
            The verdict; None: play on.
        """
        rules = self._rules
        self._drawish = self._drawish + 1 if _within(value, rules.draw_value) else 0
        if ply // 2 >= rules.draw_from_move and self._drawish >= 2 * rules.draw_moves:
            return Verdict("agreement", (0.0, 0.0))
        lost = rules.resign_value is not None and value is not None and value <= -rules.resign_value
        self._resigning[player] = self._resigning[player] + 1 if lost else 0
        if self._resigning[player] < rules.resign_moves:
            return None
        return Verdict("resignation", (-1.0, 1.0) if player == 0 else (1.0, -1.0))


def _within(value: float | None, bound: float | None) -> bool:
    return value is not None and bound is not None and abs(value) <= bound
