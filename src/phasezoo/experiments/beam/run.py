"""The study from the first count to the report.

Stages that are done are on disk, and so is every game of a match: a run that was stopped goes on.
"""

from typing import Any

from phasezoo.experiments.beam import findings, page, playing, rates, show
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.matches import EQUAL_POSITIONS, EQUAL_TIME, match
from phasezoo.experiments.beam.results import Batches, MatchResult, Played, Rate, Results, Stale
from phasezoo.experiments.beam.searchers import BEAM, network_of
from phasezoo.experiments.beam.staleness import staleness
from phasezoo.experiments.study import StudyRun
from phasezoo.report.console import Console

__all__ = ["BeamRun"]


class BeamRun(StudyRun[BeamStudyConfig, Results]):
    """Batches, rates, games of self-play and matches, and what they say of the note's claims."""

    @classmethod
    def prepare(cls, config: BeamStudyConfig, console: Console) -> None:
        """Refuse a network that cannot be loaded."""
        del console
        network_of(config.network, 1)

    def work(self) -> Results:
        """Do every stage that is not done."""
        config = self.config
        network = network_of(config.network, self.threads)
        self.console.heading("Batches and rates")
        batches = self.once("batches", "batches.json", Batches, lambda: rates.batches(config))
        found = self.once(
            "rates", "rates.json", list[Rate], lambda: rates.measured(config, network)
        )
        pace = self.once(
            "pace", "pace.json", tuple[float, float], lambda: rates.playing_rates(config, network)
        )
        self.console.heading("Games")
        played = self.once(
            "games",
            "games.json",
            list[Played],
            lambda: playing.played(config, network, self.path / "games"),
        )
        matches = [
            self._match(network, name, nodes) for name, nodes in self._opponents(pace).items()
        ]
        stale = self.once(
            "staleness",
            "staleness.json",
            list[Stale],
            lambda: staleness(config, self.path / "games" / BEAM, self.threads),
        )
        faster = rates.faster(found)
        diversity = playing.diversity(config, played)
        claims = findings.claims(config, batches, found, faster, played, diversity, matches)
        stages = {"rates": ("batches", "rates", "pace"), "self-play": ("games",)}
        seconds = {name: self.seconds(each) for name, each in stages.items()}
        return Results(
            **self.head(),
            batches=batches,
            rates=found,
            faster=faster,
            played=played,
            diversity=diversity,
            matches=matches,
            stale=stale,
            claims=claims,
            seconds={
                **seconds,
                "matches": self.seconds(["match"]),
                "training": self.seconds(["staleness"]),
            },
        )

    def _opponents(self, pace: tuple[float, float]) -> dict[str, int]:
        """Nodes of MCTS: as many as the beam has, and as many as it sees in the same time."""
        positions = self.config.playing.positions
        beam, mcts = pace
        return {EQUAL_POSITIONS: positions, EQUAL_TIME: max(1, round(positions * mcts / beam))}

    def _match(self, network: Any, name: str, nodes: int) -> MatchResult:
        stage = f"match-{name.replace(' ', '-')}"
        log = self.path / f"{stage}.jsonl"
        return self.once(
            stage,
            f"{stage}.json",
            MatchResult,
            lambda: match(self.config, network, name, nodes, log, self.console),
        )

    def render(self, results: Results) -> str:
        """The report as one HTML page."""
        return page.render(results)

    def show(self, results: Results) -> None:
        """The run's tables and the claims."""
        show.show_results(self.console, results)
