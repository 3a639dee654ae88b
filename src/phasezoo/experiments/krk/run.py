"""The sweep from the first game to the report.

Every finished game is on disk, so a run that was stopped anywhere goes on with the games it lacks.
"""

from typing import Any

from phasezoo.experiments.krk import findings, page, show
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.krk.play import play_game
from phasezoo.experiments.krk.position_figure import position_figure
from phasezoo.experiments.krk.positions import PositionRow, judge_positions
from phasezoo.experiments.krk.results import Results
from phasezoo.experiments.krk.sweep import Play, play_sweep
from phasezoo.experiments.study import StudyRun

__all__ = ["GAMES_FILE", "KrkRun"]

GAMES_FILE = "games.jsonl"
POSITIONS_FILE = "positions.jsonl"


class KrkRun(StudyRun[KrkConfig, Results]):
    """Games of every cell, and what they say of the study's claims.

    Args:
        *attempt: See :class:`~phasezoo.experiments.study.StudyRun`.
        play: Plays one game.
    """

    def __init__(self, *attempt: Any, play: Play = play_game) -> None:
        super().__init__(*attempt)
        self._play = play

    def work(self) -> Results:
        """Play the games that are missing, and judge the claims by all of them."""
        self.console.heading("Games")
        with self.directory.stage("games"):
            log = self.path / GAMES_FILE
            rows = play_sweep(self.config, log, self.console, self._play, self.threads)
        judged = self._positions()
        with self.directory.stage("report"):
            found = findings.find(rows, self.config)
            elsewhere = [position_figure(judged, self.config)] if judged else []
        # The games' own seconds, because a run that was killed has not journalled all of its time.
        playing = sum(row.seconds for row in rows) / self.threads
        return Results(
            **self.head(),
            **found._asdict(),
            elsewhere=elsewhere,
            seconds={
                "playing games": playing,
                "searching positions": sum(row.seconds for row in judged) / self.threads,
                "resampling them": self.seconds(["report"]),
            },
        )

    def _positions(self) -> list[PositionRow]:
        """Moves in positions of another game, if the settings ask for them."""
        if not self.config.positions:
            return []
        self.console.heading("Positions of Connect Four")
        with self.directory.stage("positions"):
            log = self.path / POSITIONS_FILE
            return judge_positions(self.config, log, self.console, self.threads)

    def render(self, results: Results) -> str:
        """The report as one HTML page."""
        return page.render(results)

    def show(self, results: Results) -> None:
        """The run's tables and the claims."""
        show.show_results(self.console, results)
