"""The study in free-for-all, from the first episode to the report.

Every finished game is on disk, so a run that was stopped goes on with the games it lacks.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from phasezoo import games
from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.networks import TrainingRun, check_networks
from phasezoo.experiments.pommerman import measurements, report
from phasezoo.experiments.pommerman.config import PommermanConfig
from phasezoo.experiments.pommerman.games import (
    GAME,
    Contender,
    GameRow,
    Task,
    agent_of,
    contenders,
    plan,
    play_games,
    tasks_of,
)
from phasezoo.experiments.pommerman.measurements import Dataset, LossRow, Results
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.runs import RowLog
from phasezoo.training.config import make_config
from phasezoo.training.experts.planned import Recipe
from phasezoo.training.experts.plans import PlannedTraining
from phasezoo.zoo.pommerman.data.settings import POMMERMAN

GAMES_FILE = "games.jsonl"


class PommermanRun(TrainingRun[PommermanConfig, Results]):
    """Mixtures by several gates, and one network, each against three of the original's agents."""

    results = Results
    report = staticmethod(report.report)

    @classmethod
    def prepare(cls, config: PommermanConfig, console: Console) -> None:
        """Refuse networks that do not exist; the large one is trained last."""
        del console
        names = (config.network, config.large_network)
        check_networks([one for one in names if one is not None], games.make(GAME), None)

    def work(self) -> Results:
        """Do every stage that is not done."""
        self.console.heading("Playing episodes to learn from")
        self.episodes = measurements.read(self.config)
        dataset = self.once(
            "data", Dataset, lambda: measurements.describe(self.episodes), file="dataset.json"
        )
        self.table(report.episodes_table(dataset), report.phases_table(dataset))
        planned = plan(self.config, self.episodes.tables, self._large_positions())
        self.same("seeds.json", {network.name: network.seed for network in planned})
        cards = self.train(planned)
        compared = {one: self._networks_of(one) for one in contenders(self.config)}
        losses = self.once(
            "losses",
            list[LossRow],
            lambda: measurements.measure(self.episodes, self.config, compared),
        )
        self.table(report.losses_table(losses, dataset))
        rows = self._games(compared)
        return Results(
            **self.head(),
            dataset=dataset,
            networks=cards,
            losses=losses,
            records=measurements.records_of(rows, self.config),
            seconds=self.times(
                cards,
                {
                    "playing episodes": ["data"],
                    "measuring losses": ["losses"],
                    "playing games": ["games/"],
                },
            ),
        )

    def _networks_of(self, contender: Contender) -> dict[str | None, Path]:
        """Return where a contender's networks are, by the phase of each."""
        if contender.kind == "nothing":
            return {}
        role = "one" if contender.kind == "policy" else contender.kind
        return self.folders(contender.training, role, contender.gate)

    def recipe(self, network: PlannedTraining) -> Recipe:
        """The large network has episodes and a learning rate of its own."""
        config, episodes = self.config, self.episodes
        is_large = network.role == "large"
        rate = config.large_learning_rate if is_large else config.learning_rate
        splits = episodes.large if is_large and episodes.large is not None else episodes.splits
        settings = make_config(
            POMMERMAN,
            {
                "batch_size": config.training_batch,
                "max_lr": rate,
                "min_lr": rate,
                "validation_positions": config.validation_positions,
                "device": config.device,
                "threads": config.threads,
            },
        )
        return Recipe(splits, str(config.large_network) if is_large else config.network, settings)

    def _large_positions(self) -> int:
        if self.episodes.large is None:
            return 0
        positions = len(self.episodes.large.train.positions("none"))
        return max(1, round(self.config.large_epochs * positions))

    def _games(self, compared: Mapping[Contender, dict[str | None, Path]]) -> list[GameRow]:
        self.console.heading("Games")
        log = RowLog(self.path / GAMES_FILE, GameRow)
        played = {row.task for row in log.rows}
        tasks = {one: list(tasks_of(one, self._boards(one))) for one in compared}
        place = {task: i for i, task in enumerate(t for own in tasks.values() for t in own)}
        unknown = played - place.keys()
        if unknown:
            message = (
                f"{log.path}: holds games of another run ({next(iter(unknown))}); move it away and "
                f"continue with --resume {self.path}"
            )
            raise RunDirectoryError(message)
        for contender, own in tasks.items():
            missing = [task for task in own if task not in played]
            self._play(contender, compared[contender], missing, log)
        return sorted(log.rows, key=lambda row: place[row.task])

    def _play(
        self,
        contender: Contender,
        networks: dict[str | None, Path],
        missing: Sequence[Task],
        log: RowLog[GameRow],
    ) -> None:
        if not missing:
            return
        agent = agent_of(contender, self.config, networks)
        won, done = 0, 0
        with (
            self.directory.stage(f"games/{contender.name}/{contender.training + 1}"),
            self.console.task(f"{contender.name} ({contender.training + 1})", len(missing)) as bar,
        ):

            def finished(row: GameRow) -> None:
                nonlocal won, done
                log.append(row)
                won, done = won + (row.result == "won"), done + 1
                bar.update(done, f"{numbers.count(done)} games, {numbers.percent(won / done)} won")

            play_games(agent, missing, self.config, finished, self.threads)

    def _boards(self, contender: Contender) -> int:
        return self.config.large_boards if contender.kind == "large" else self.config.boards
