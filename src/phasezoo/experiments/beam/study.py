"""The study from the first count to the report.

Stages that are done are on disk, and so is every game of a match: a run that was stopped goes on.
"""

from typing import Any

from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.streams import stream
from phasezoo.experiments.beam import measurements, report
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.measurements import (
    BEAM,
    MCTS,
    Batches,
    MatchResult,
    Played,
    Rate,
    Results,
    Stale,
    beam_of,
    mcts_of,
    network_of,
)
from phasezoo.experiments.learning import learn
from phasezoo.experiments.matches import counts_of, play
from phasezoo.experiments.study import StudyRun
from phasezoo.report.console import Console


class BeamRun(StudyRun[BeamStudyConfig, Results]):
    """Batches, rates, games of self-play and matches, and what they say of the note's claims."""

    results = Results
    report = staticmethod(report.report)

    @classmethod
    def prepare(cls, config: BeamStudyConfig, console: Console) -> None:
        """Refuse a network that cannot be loaded."""
        del console
        network_of(config.network, 1)

    def work(self) -> Results:
        """Do every stage that is not done."""
        config, games = self.config, self.path / "games"
        network = network_of(config.network, self.threads)
        self.console.heading("Batches and rates")
        batches = self.once("batches", Batches, lambda: measurements.batches(config))
        rates = self.once("rates", list[Rate], lambda: measurements.measured(config, network))
        self.table(report.rates_table(config, rates))
        pace = self.once(
            "pace", tuple[float, float], lambda: measurements.playing_rates(config, network)
        )
        self.console.heading("Games")
        played = self.once(
            "games", list[Played], lambda: measurements.played(config, network, games)
        )
        opponents = self._opponents(pace).items()
        matches = [self._match(network, name, nodes) for name, nodes in opponents]
        stale = self.once(
            "staleness",
            list[Stale],
            lambda: measurements.staleness(config, games / BEAM, self.threads),
        )
        learned, grown = None, []
        if config.cycles:
            self.console.heading("Learning by play")
            options = measurements.cycle_options(config, self.threads)
            learned, outcome = learn(self, "beams", "Games by beams", **options)
            network = outcome.evaluator(threads=self.threads)
            grown = [self._match(network, f"{name}, learned", nodes) for name, nodes in opponents]
        stages = {
            "rates": ["batches", "rates", "pace"],
            "self-play": ["games"],
            "matches": ["match"],
            "training": ["staleness"],
            "learning by play": ["learn/"],
        }
        return Results(
            **self.head(),
            batches=batches,
            rates=rates,
            played=played,
            matches=matches,
            stale=stale,
            learned=learned,
            grown=grown,
            seconds=self.seconds(stages),
        )

    def _opponents(self, pace: tuple[float, float]) -> dict[str, int]:
        """Nodes of MCTS: the beam's positions, and the number it sees in the same time."""
        positions = self.config.playing.positions
        beam, mcts = pace
        return {
            "equal positions": positions,
            "equal time": max(1, round(positions * mcts / beam)),
        }

    def _match(self, network: Any, name: str, nodes: int) -> MatchResult:
        stage = f"match-{name.replace(',', '').replace(' ', '-')}"
        return self.once(stage, MatchResult, lambda: self._play(network, name, nodes, stage))

    def _play(self, network: Any, name: str, nodes: int, stage: str) -> MatchResult:
        """Play a match of the beam against MCTS with the same network."""
        config = self.config
        found = play(
            self.console,
            f"Matches, {name}",
            {BEAM: beam_of(network, config.playing), MCTS: mcts_of(network, nodes)},
            self.path / f"{stage}.jsonl",
            game="chess",
            games=config.match_games,
            seed=stream(config.seed, "beam", name),
            concurrency=config.concurrency,
            max_plies=config.max_plies,
            adjudication=Adjudication(),
        )
        rows = [side.nodes / max(side.moves, 1) for side in found.sides]
        seconds = [side.counts.seconds for side in found.sides]
        return MatchResult(
            name=name,
            nodes=nodes,
            **counts_of(found),
            elo=found.elo,
            rows=(rows[0], rows[1]),
            seconds=(seconds[0], seconds[1]),
        )
