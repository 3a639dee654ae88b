"""The agent that analyses a game: the position that is looked at, or the whole line."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from phasezoo import games
from phasezoo.apps.web.analysis import Analysis
from phasezoo.apps.web.game_tree import Position
from phasezoo.apps.web.search import Answer, Searcher, Stop
from phasezoo.apps.web.workers import Workers
from phasezoo.errors import InvalidConfig
from phasezoo.types import SIMULTANEOUS

REVIEW_SECONDS = 3.0
"""The longest that the analysis of a game takes for a position."""


class Analyst:
    """Looks at one position after the other, as the page that asked steps through the game."""

    def __init__(
        self,
        workers: Workers,
        changed: Callable[[], None],
        failed: Callable[[Searcher, BaseException], None],
    ) -> None:
        self.searcher: Searcher | None = None
        """Who looks at positions until it is stopped."""
        self.position: Position | None = None
        """The position that it looks at."""
        self.found: Analysis | None = None
        """Its analysis of that position so far."""
        self._player = 0
        self._workers, self._changed, self._failed = workers, changed, failed
        self.stop: Stop | None = None
        """Ends the search that goes on there."""
        self.task: asyncio.Task[None] | None = None
        """The analysis of the game that goes on."""

    def look(self, searcher: Searcher | None, player: int) -> None:
        """Let an agent look at positions, where all move at once for a player; None ends it."""
        self._leave()
        if self.searcher is not None:
            self._workers.begin(self.searcher.forget)
        self.searcher, self._player = searcher, player

    def follow(self, position: Position) -> None:
        """Look at a position from now on."""
        if position is self.position or self.searcher is None:
            return
        self._leave()
        state = position.turn.state
        acting = [] if position.turn.ending is not None else games.acting_players(state)
        player = self._player if state.to_play == SIMULTANEOUS else next(iter(acting), 0)
        if player in acting:
            self.position = position
            self.stop = self._workers.search(
                self.searcher, state, self._hear, self._finished, player=player
            )

    def _leave(self) -> None:
        """Look no more at a position, which keeps what was found."""
        if self.stop is not None:
            self.stop.drop()
        if self.position is not None and self.position.review is None:
            self.position.review = self.found
        self.position = self.found = self.stop = None

    def _hear(self, stop: Stop, analysis: Analysis) -> None:
        if stop is self.stop:
            self.found = analysis
            self._changed()

    def _finished(self, stop: Stop, task: "asyncio.Task[Answer]") -> None:
        error = None if task.cancelled() else task.exception()
        searcher = self.searcher
        if task.cancelled() or stop is not self.stop or searcher is None:
            return
        self.stop = None
        if error is None:
            self.found = task.result().analysis
        else:
            self.look(None, 0)
            self._failed(searcher, error)
        self._changed()

    def review(self, searcher: Searcher | None, line: Sequence[Position] = ()) -> None:
        """Let an agent analyse every position of a line; None ends it."""
        if self.task is not None:
            self.task.cancel()
            self.task = None
        if searcher is not None:
            for each in line:
                each.review = None
            self.task = asyncio.get_running_loop().create_task(self._reviewed(searcher, line))

    async def _reviewed(self, searcher: Searcher, line: Sequence[Position]) -> None:
        """Analyse the positions of a line one after the other."""
        stop = None
        try:
            for position in line:
                state, ending = position.turn.state, position.turn.ending
                if ending is not None:
                    if ending.terminated:
                        value = float(state.returns[0])
                        position.review = {"player": 0, "value": value, "moves": [], "lines": []}
                    continue
                stop = Stop(min(self._workers.most_seconds, REVIEW_SECONDS))
                work = partial(searcher.reviewed, state, stop)
                position.review = await self._workers.run(work, "look", stop)
                if position.review["value"] is None:
                    message = (
                        "it gives no values, which an analysis of a game is made of; choose an "
                        "agent that searches, such as mcts:nodes=400"
                    )
                    self._failed(searcher, InvalidConfig(message))
                    break
                self._changed()
        except Exception as error:
            self._failed(searcher, error)
        finally:
            if stop is not None:
                stop.drop()
            self._workers.begin(searcher.forget)
        self.task = None
        self._changed()

    def close(self) -> None:
        """Analyse nothing any more."""
        self.look(None, 0)
        self.review(None)
