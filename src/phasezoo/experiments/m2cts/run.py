"""The main job, stage by stage: data, training, losses, games, report.

Every stage leaves a file that is there only when it is whole, so a run that was stopped anywhere
goes on with the first stage that is not done, and inside training and matches with what was saved.
"""

import json
import time
from pathlib import Path
from typing import Any

from phasezoo.errors import RunDirectoryError, StoreError
from phasezoo.experiments.console import Console, silent
from phasezoo.experiments.m2cts import command, dataset, evaluation, matches, page, show
from phasezoo.experiments.m2cts.config import M2ctsConfig
from phasezoo.experiments.m2cts.plan import PlannedNetwork, plan, trained
from phasezoo.experiments.m2cts.preparation import Prepared, prepare
from phasezoo.experiments.m2cts.results import (
    Dataset,
    Losses,
    NetworkCard,
    Pairing,
    Results,
)
from phasezoo.experiments.m2cts.tabular import losses_csv
from phasezoo.experiments.m2cts.training import train
from phasezoo.experiments.report import numbers
from phasezoo.experiments.study import note_other_versions
from phasezoo.runs import RunDirectory, jsonable
from phasezoo.runs.directory import check_free

__all__ = ["EXPERIMENT", "reproduce", "resume"]

EXPERIMENT = "m2cts"

_NETWORKS = "networks"


def reproduce(config: M2ctsConfig, out: Path, console: Console | None = None) -> Results:
    """Run the study, or finish it where ``out`` holds an unfinished run of the same settings.

    Args:
        config: The settings.
        out: A new or empty directory, or one of this very run.
        console: Where to report; default nowhere.

    Raises:
        RunDirectoryError: ``out`` belongs to something else, or cannot be written.
        StoreError: The games are missing, damaged or too few.
        PhasezooError: Anything else that is wrong; nothing that is finished is lost.
    """
    console = console or silent()
    check_free(out, EXPERIMENT, config)
    prepared, seconds = _read(config, console)
    devices = _devices(config)
    with RunDirectory.create(
        out, EXPERIMENT, config, threads=config.threads, devices=devices
    ) as run:
        return _Study(run, prepared, console).finish(seconds)


def resume(out: Path, console: Console | None = None) -> Results:
    """Finish the run in ``out`` with the settings it was started with.

    Raises:
        RunDirectoryError: There is no such run in ``out``, or it cannot be written.
        PhasezooError: See :func:`reproduce`.
    """
    console = console or silent()
    with RunDirectory.resume(out, EXPERIMENT) as run:
        config = jsonable.decode(M2ctsConfig, run.config, f"{out / 'config.json'}")
        prepared, seconds = _read(config, console)
        return _Study(run, prepared, console).finish(seconds)


def _read(config: M2ctsConfig, console: Console) -> tuple[Prepared, float]:
    console.heading("Reading the games")
    started = time.perf_counter()
    prepared = prepare(config)
    return prepared, time.perf_counter() - started


class _Study:
    """One run in its directory."""

    def __init__(self, run: RunDirectory, prepared: Prepared, console: Console) -> None:
        self.run = run
        self.prepared = prepared
        self.console = console
        self.config = prepared.config

    def finish(self, reading_seconds: float) -> Results:
        """Do every stage that is not done, and return what all of them found."""
        note_other_versions(self.run, self.console)
        if not self.run.is_done("reading"):
            self.run.log("reading", "done", seconds=round(reading_seconds, 3))
        data = self._dataset()
        show.show_dataset(self.console, data)
        planned = plan(self.prepared)
        self._write_once("seeds.json", self._seeds(planned))
        cards = self._networks(planned)
        losses = self._losses(planned)
        show.show_losses(self.console, losses)
        pairings = self._pairings(planned)
        together = matches.summarise(self.config, pairings)
        self.run.write_json("match.json", together)
        show.show_match(self.console, together)
        results = Results(
            config=self.config,
            command=command.spelled(self.config, self.run.path),
            date=self.run.record.date,
            provenance=self.run.record.provenance,
            seeds=self._seeds(planned),
            dataset=data,
            networks=cards,
            losses=losses,
            matches=together,
            seconds=self._seconds(cards),
        )
        self._report(results)
        return results

    def _dataset(self) -> Dataset:
        if not self.run.is_done("data"):
            with self.run.stage("data"):
                self.run.write_json("dataset.json", dataset.describe(self.prepared))
        data = self.run.read_json("dataset.json", Dataset)
        if data.sha256 != self.prepared.sha256:
            message = (
                f"{self.config.games or 'the sample games'}: changed since this run began; start "
                "a new run with --out"
            )
            raise StoreError(message)
        if data.openings_digest != self.prepared.openings.digest():
            message = (
                f"{self.run.path}: begun with other openings than this version of phasezoo has; "
                "finish it with the version in config.json, or start a new run with --out"
            )
            raise RunDirectoryError(message)
        return data

    def _seeds(self, planned: list[PlannedNetwork]) -> dict[str, int]:
        seed = self.prepared.seed
        trainings = range(self.config.trainings)
        return {
            "run": self.config.seed,
            "split": seed("split"),
            "test games": seed("test games"),
            "resampling": seed("resampling"),
            **{f"initial weights {k + 1}": seed("initial weights", k) for k in trainings},
            **{f"order {n.name}": n.seed for n in planned},
            **{
                f"match {i + 1} v {j + 1}": seed("match", i, j)
                for i in trainings
                for j in trainings
            },
        }

    def _networks(self, planned: list[PlannedNetwork]) -> list[NetworkCard]:
        self.console.heading("Training")
        cards = []
        for network in planned:
            name = f"{_NETWORKS}/{network.name}/card.json"
            stage = f"train/{network.name}"
            if not (self.run.is_done(stage) and self.run.has(name)):
                with self.run.stage(stage):
                    out = self.run.path / _NETWORKS / network.name
                    self.run.write_json(name, train(self.prepared, network, out, self.console))
            cards.append(self.run.read_json(name, NetworkCard))
        show.show_networks(self.console, cards)
        return cards

    def _losses(self, planned: list[PlannedNetwork]) -> Losses:
        self.console.heading("Losses on test positions")
        if not (self.run.is_done("losses") and self.run.has("losses.json")):
            with self.run.stage("losses"):
                networks = trained(planned, self.run.path / _NETWORKS)
                found = evaluation.measure(self.prepared, networks, self.console)
                self.run.write_text("losses.csv", losses_csv(found))
                self.run.write_json("losses.json", found)
        return self.run.read_json("losses.json", Losses)

    def _pairings(self, planned: list[PlannedNetwork]) -> list[Pairing]:
        self.console.heading("Games: M2CTS against MCTS")
        networks = trained(planned, self.run.path / _NETWORKS)
        pairings, games = [], []
        for i, mixture in enumerate(networks):
            experts = dict(zip(self.prepared.phases, mixture.experts, strict=True))
            for j, baseline in enumerate(networks):
                name = f"matches/mixture-{i + 1}-baseline-{j + 1}"
                if not (self.run.is_done(name) and self.run.has(f"{name}.json")):
                    with self.run.stage(name):
                        log = self.run.path / f"{name}.jsonl"
                        log.parent.mkdir(parents=True, exist_ok=True)
                        pairing, pgn = matches.play_pairing(
                            self.prepared, experts, baseline.baseline, (i, j), log, self.console
                        )
                        self.run.write_text(f"{name}.pgn", pgn)
                        self.run.write_json(f"{name}.json", pairing)
                pairings.append(self.run.read_json(f"{name}.json", Pairing))
                games.append((self.run.path / f"{name}.pgn").read_text(encoding="utf-8"))
        self.run.write_text("games.pgn", "".join(games))
        return pairings

    def _seconds(self, cards: list[NetworkCard]) -> dict[str, float]:
        stages = self.run.seconds()
        return {
            "reading and labelling games": stages.get("reading", 0.0) + stages.get("data", 0.0),
            "training": sum(card.seconds for card in cards),
            "measuring losses": stages.get("losses", 0.0),
            "playing games": sum(s for name, s in stages.items() if name.startswith("matches/")),
        }

    def _report(self, results: Results) -> None:
        self.console.heading("Report")
        self.run.write_json("results.json", results)
        path = self.run.write_text("report.html", page.render(results))
        show.show_verdict(self.console, results)
        self.console.note(f"In all {numbers.duration(sum(results.seconds.values()))}.")
        self.console.note(f"Report: {path}")

    def _write_once(self, name: str, value: Any) -> None:
        """Write a file that must be the same in every attempt."""
        text = jsonable.dumps(value)
        if self.run.has(name):
            there = json.loads((self.run.path / name).read_text(encoding="utf-8"))
            if there != json.loads(text):
                message = (
                    f"{self.run.path / name}: another version of phasezoo would go on with other "
                    "seeds; finish this run with the version in config.json"
                )
                raise RunDirectoryError(message)
            return
        self.run.write_text(name, text)


def _devices(config: M2ctsConfig) -> list[str]:
    import torch

    from phasezoo.networks.precision import resolve_device

    device = resolve_device(config.device)
    return [torch.cuda.get_device_name(device)] if device.type == "cuda" else []
