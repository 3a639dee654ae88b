"""Players who play by time: what they took in a game, and their clocks."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from phasezoo.agents import Forfeit, Limit, Move, TimeControl
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.types import SIMULTANEOUS


class Clock:
    """The clock of one player in one game.

    Args:
        control: What it begins with. After ``moves_to_go`` moves its time is added again.
    """

    def __init__(self, control: TimeControl) -> None:
        self._begin = control
        self.left_ms = control.left_ms
        """Milliseconds left; 0 if it has run out."""
        self._to_go = control.moves_to_go

    @property
    def control(self) -> TimeControl:
        """Time control of the next move's search."""
        return replace(self._begin, left_ms=self.left_ms, moves_to_go=self._to_go)

    def press(self, seconds: float) -> bool:
        """Take the time of a move off the clock; return whether there was enough."""
        left = self.left_ms - 1000 * seconds
        self.left_ms = max(left, 0.0)
        if left < 0:
            return False
        self.left_ms += self._begin.increment_ms
        if self._to_go is not None:
            self._to_go -= 1
            if self._to_go == 0:
                self.left_ms += self._begin.left_ms
                self._to_go = self._begin.moves_to_go
        return True


class Times:
    """The time of those players of one game whose limit is of time.

    Args:
        limits: Of each player; None of those who do not search.
    """

    def __init__(self, limits: Sequence[Limit | None]) -> None:
        self._limits = limits
        self._began: dict[int, float] = {}
        timed = [player for player, limit in enumerate(limits) if limit and limit.is_timed]
        self._spent = dict.fromkeys(timed, 0.0)
        self._clocks = {
            player: Clock(limit.clock)
            for player, limit in enumerate(limits)
            if limit is not None and limit.clock is not None
        }

    def limit(self, player: int) -> Limit | None:
        """Return the limit of the next move of a player with a clock; None of others."""
        limit, clock = self._limits[player], self._clocks.get(player)
        if limit is None or clock is None:
            return None
        return replace(limit, clock=clock.control)

    def begin(self, player: int) -> None:
        """Start a player's time."""
        if player in self._spent:
            self._began[player] = time.perf_counter()

    def end(self, player: int, move: Move, ply: int) -> Move:
        """Stop a player's time.

        Returns:
            The move with its seconds, None without a limit of time; a forfeit if the clock has run
            out.
        """
        if player not in self._spent:
            return move if move.seconds is None else replace(move, seconds=None)
        own = move.seconds
        seconds = time.perf_counter() - self._began[player] if own is None else own
        self._spent[player] += seconds
        clock = self._clocks.get(player)
        left = 0.0 if clock is None else clock.left_ms / 1000
        if clock is None or clock.press(seconds) or move.forfeit is not None:
            return replace(move, seconds=seconds)
        said = f"took {seconds:.3f} s for the move at ply {ply}, {left:.3f} s were left"
        return Move(None, seconds=seconds, forfeit=Forfeit("timeout", said))

    def left(self, player: int) -> float | None:
        """Seconds on a player's clock, to a millisecond; None without one."""
        clock = self._clocks.get(player)
        return None if clock is None else round(clock.left_ms / 1000, 3)

    def totals(self) -> tuple[float | None, ...]:
        """Return the seconds of each player, to a millisecond; empty if nobody plays by time."""
        if not self._spent:
            return ()
        spent = (self._spent.get(player) for player in range(len(self._limits)))
        return tuple(None if each is None else round(each, 3) for each in spent)


def check_clock(name: str, limit: Limit | None, pool: Any, game: Game) -> None:
    """Refuse clocks in games and of agents that do not play by them."""
    if limit is None or limit.clock is None:
        return
    in_turn = game.num_players == 2 and game.initial_state(seed=0).to_play != SIMULTANEOUS
    if not in_turn:
        message = (
            f"{name}: clock={limit.clock}: clocks are for two players who move in turn; give "
            "movetime_ms="
        )
        raise InvalidConfig(message)
    if not getattr(pool, "keeps_clocks", False):
        message = f"{name} does not play by a clock: give its limit in another way"
        raise InvalidConfig(message)
