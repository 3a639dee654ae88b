"""The study from the first episode to the report.

Every stage leaves a file that is there only when it is whole, and every finished game is on disk,
so a run that was stopped anywhere goes on with what it lacks.
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from phasezoo import _core
from phasezoo.errors import MissingDependency, RunDirectoryError
from phasezoo.experiments.console import Console, silent
from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.experiments.m2cts.results import NetworkCard
from phasezoo.experiments.pommerman import command, findings, page, show, training
from phasezoo.experiments.pommerman.agents import agent_of
from phasezoo.experiments.pommerman.config import PommermanConfig
from phasezoo.experiments.pommerman.lineup import Contender, contenders, networks_of, plan
from phasezoo.experiments.pommerman.play import GameRow, Task, play_games, tasks_of
from phasezoo.experiments.pommerman.results import Dataset, LossRow, Results
from phasezoo.experiments.report import numbers
from phasezoo.experiments.study import note_other_versions
from phasezoo.runs import RowLog, RunDirectory, jsonable

__all__ = ["EXPERIMENT", "GAMES_FILE", "reproduce", "resume"]

EXPERIMENT = "m2cts-pommerman"

GAMES_FILE = "games.jsonl"


def reproduce(config: PommermanConfig, out: Path, console: Console | None = None) -> Results:
    """Run the study, or finish it where ``out`` holds an unfinished run of the same settings.

    Args:
        config: The settings.
        out: A new or empty directory, or one of this very run.
        console: Where to report; default nowhere.

    Raises:
        InvalidConfig: A setting is out of range.
        RunDirectoryError: ``out`` belongs to something else, or cannot be written.
        MissingDependency: A package that is needed is not installed.
    """
    config.validate()
    _check_packages()
    with RunDirectory.create(out, EXPERIMENT, config, threads=config.threads) as run:
        return _Study(run, config, console or silent()).finish()


def resume(out: Path, console: Console | None = None) -> Results:
    """Finish the run in ``out`` with the settings it was started with.

    Raises:
        RunDirectoryError: There is no such run in ``out``, or it cannot be written.
        MissingDependency: A package that is needed is not installed.
    """
    _check_packages()
    with RunDirectory.resume(out, EXPERIMENT) as run:
        config = jsonable.decode(PommermanConfig, run.config, f"{out / 'config.json'}")
        return _Study(run, config, console or silent()).finish()


class _Study:
    """One run in its directory."""

    def __init__(self, run: RunDirectory, config: PommermanConfig, console: Console) -> None:
        self.run = run
        self.config = config
        self.console = console
        self.threads = config.threads or _core.default_threads()
        self.networks = run.path / "networks"

    def finish(self) -> Results:
        """Do every stage that is not done, and return what all of them found."""
        note_other_versions(self.run, self.console)
        self.console.heading("Playing episodes to learn from")
        episodes = training.read(self.config)
        if not (self.run.is_done("data") and self.run.has("dataset.json")):
            with self.run.stage("data"):
                self.run.write_json("dataset.json", training.describe(episodes))
        dataset = self.run.read_json("dataset.json", Dataset)
        show.show_dataset(self.console, dataset)
        large = 0 if episodes.large is None else self._large_positions(episodes)
        planned = plan(self.config, episodes.tables, large)
        everybody = contenders(self.config)
        cards = self._train(episodes, planned)
        losses = self._losses(episodes, everybody, planned)
        show.show_losses(self.console, losses)
        rows = self._games(everybody, planned)
        records = findings.records_of(rows, self.config)
        results = Results(
            config=self.config,
            command=command.spelled(self.config, self.run.path),
            date=self.run.record.date,
            provenance=self.run.record.provenance,
            dataset=dataset,
            networks=cards,
            losses=losses,
            records=records,
            claims=findings.claims_of(records),
            seconds=self._seconds(cards),
        )
        self.console.heading("Report")
        self.run.write_json("results.json", results)
        path = self.run.write_text("report.html", page.render(results))
        show.show_records(self.console, results)
        self.console.note(f"In all {numbers.duration(sum(results.seconds.values()))}.")
        self.console.note(f"Report: {path}")
        return results

    def _large_positions(self, episodes: training.Episodes) -> int:
        positions = len(episodes.large_splits.train.positions("none"))
        return max(1, round(self.config.large_epochs * positions))

    def _train(
        self, episodes: training.Episodes, planned: Sequence[PlannedNetwork]
    ) -> list[NetworkCard]:
        self.console.heading("Training")
        cards = []
        for network in planned:
            name, stage = f"networks/{network.name}/card.json", f"train/{network.name}"
            if not (self.run.is_done(stage) and self.run.has(name)):
                with self.run.stage(stage):
                    out = self.networks / network.name
                    card = training.train(episodes, self.config, network, out, self.console)
                    self.run.write_json(name, card)
            cards.append(self.run.read_json(name, NetworkCard))
        return cards

    def _losses(
        self,
        episodes: training.Episodes,
        everybody: Sequence[Contender],
        planned: Sequence[PlannedNetwork],
    ) -> list[LossRow]:
        if not (self.run.is_done("losses") and self.run.has("losses.json")):
            with self.run.stage("losses"):
                found = training.measure(episodes, self.config, everybody, planned, self.networks)
                self.run.write_json("losses.json", found)
        return self.run.read_json("losses.json", list[LossRow])

    def _games(
        self, everybody: Sequence[Contender], planned: Sequence[PlannedNetwork]
    ) -> list[GameRow]:
        self.console.heading("Games")
        log = RowLog(self.run.path / GAMES_FILE, GameRow)
        played = {row.task for row in log.rows}
        tasks = {one: list(tasks_of(one, self._boards(one))) for one in everybody}
        unknown = played - {task for own in tasks.values() for task in own}
        if unknown:
            message = (
                f"{log.path}: holds games of another run ({next(iter(unknown))}); move it away and "
                f"continue with --resume {self.run.path}"
            )
            raise RunDirectoryError(message)
        for contender, own in tasks.items():
            self._play(contender, [task for task in own if task not in played], planned, log)
        place = {
            task: number for number, task in enumerate(t for own in tasks.values() for t in own)
        }
        return sorted(log.rows, key=lambda row: place[row.task])

    def _play(
        self,
        contender: Contender,
        missing: Sequence[Task],
        planned: Sequence[PlannedNetwork],
        log: RowLog[GameRow],
    ) -> None:
        if not missing:
            return
        stage = f"games/{contender.name}/{contender.training + 1}"
        agent = agent_of(contender, self.config, networks_of(contender, planned, self.networks))
        won, done = 0, 0
        with (
            self.run.stage(stage),
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

    def _seconds(self, cards: Sequence[NetworkCard]) -> dict[str, float]:
        stages = self.run.seconds()
        return {
            "playing episodes": stages.get("data", 0.0),
            "training": sum(card.seconds for card in cards),
            "measuring losses": stages.get("losses", 0.0),
            "playing games": sum(s for name, s in stages.items() if name.startswith("games/")),
        }


def _check_packages() -> None:
    """Refuse at the beginning what would fail at the end."""
    for package, extra in (("torch", "train"), ("matplotlib", "plot")):
        if importlib.util.find_spec(package) is None:
            message = f"this study needs {package}: pip install 'phasezoo[{extra}]'"
            raise MissingDependency(message)
