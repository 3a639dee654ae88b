"""A run of generalisation: every row is trained, every cell is measured, each once.

The samples of a cell are a file of the run. A run that was stopped goes on with the cells it lacks,
and a row whose cells are all there is not trained again.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from phasezoo import networks
from phasezoo.arena import stream
from phasezoo.errors import InvalidConfig, InvalidEvaluation, PhasezooError
from phasezoo.experiments.generalisation.catalogue import (
    axes_named,
    axes_of,
    with_agent,
    with_learner,
)
from phasezoo.experiments.generalisation.config import (
    OWN,
    Axis,
    GeneraliseConfig,
    Learner,
    OwnConfig,
    Split,
    SupportsMeasure,
    description_of,
    mark_of,
)
from phasezoo.experiments.generalisation.measures import (
    Cell,
    Matrix,
    Results,
    Sample,
    gap_of,
    samples_of,
    score_of,
)
from phasezoo.experiments.generalisation.report import (
    csv_of,
    folder_of,
    gap_text,
    left_out,
    png_of,
    report,
    tables_of,
)
from phasezoo.experiments.study import StudyRun
from phasezoo.report.console import Console
from phasezoo.report.document import Document
from phasezoo.runs import describe_disk_errors
from phasezoo.training.probes.probe import Score

CSV_FILE = "matrix.csv"

Samples: TypeAlias = "Mapping[tuple[str, str], list[dict[str, Sample]]]"
"""Samples of each training's model, by row and column."""


class GeneraliseRun(StudyRun[Any, Results]):
    """Matrices of one axis after the other."""

    results = Results
    report = staticmethod(report)

    @classmethod
    def prepare(cls, config: Any, console: Any) -> Any:
        """Make the axes that the settings name."""
        del console
        networks.spec_of(config.network)  # or refuse it before anything is written
        return axes_of(config)

    def work(self) -> Results:
        """Fill the cells that are missing."""
        self.directory.write_json(
            "axes.json", [description_of(a) for a in self.prepared.values() if isinstance(a, Axis)]
        )
        matrices: list[Matrix] = []
        skipped: dict[str, str] = {}
        for name, axis in self.prepared.items():
            self.console.heading(name)
            if isinstance(axis, PhasezooError):
                skipped[name] = str(axis)
                self.console.note(f"Left out: {axis}")
                continue
            found = self._fill(axis)
            self._show(found)
            matrices += found
        self.directory.write_text(CSV_FILE, csv_of(matrices))
        for matrix in matrices:
            path = self.path / f"{folder_of(matrix.axis)}-{folder_of(matrix.score.name)}.png"
            png_of(matrix, path)
        return Results(
            **self.head(),
            matrices=matrices,
            skipped=skipped,
            seconds=self.seconds({name: [f"{folder_of(name)}/"] for name in self.prepared}),
        )

    def show(self, document: Document) -> None:
        """Show where everything is; the tables of an axis are shown when it is done."""
        del document
        for name, axis in self.prepared.items():
            if isinstance(axis, PhasezooError):
                self.console.note(f"Left out {name}: {axis}")
        self.console.note(f"Numbers: {self.path / CSV_FILE} and {self.path / 'results.json'}")

    def _show(self, matrices: Sequence[Matrix]) -> None:
        """Show every score of an axis, and the gaps of the first."""
        for matrix in matrices:
            scores, *_ = tables_of(matrix)
            self.table(scores)
        first = matrices[0]
        if removed := left_out(first):
            self.console.note(removed)
        for cell in first.cells:
            if cell.gap is not None:
                gap = gap_text(cell.gap, first.score)
                self.console.note(f"gap of {cell.train} on {cell.test}: {gap}")

    def _fill(self, axis: Axis) -> list[Matrix]:
        """Return the matrices of an axis, one for each score."""
        rows = _Rows(axis, self)
        removed = rows.removed()
        found: dict[tuple[str, str], list[dict[str, Sample]]] = {}
        trainings = self.config.trainings
        total = len(axis.rows) * len(axis.columns) * trainings
        with self.console.task(axis.name, total) as task:
            for row in axis.rows:
                for training in range(1, trainings + 1):
                    for column, samples in rows.samples(row, training):
                        found.setdefault((row.name, column.name), []).append(samples)
                        note = f"{row.name} on {column.name}: {_first_score(axis, samples)}"
                        task.update(sum(map(len, found.values())), note)
        _check_groups(axis, found)
        return [_matrix(axis, score, self.config, found, removed) for score in axis.measure.scores]


class _Rows:
    """Trainings and measurements of an axis in a run's directory."""

    def __init__(self, axis: Axis, run: GeneraliseRun) -> None:
        self._axis = axis
        self._run = run
        self._seed = run.config.seed
        self._tests: dict[str, Any] = {}

    def samples(self, row: Split, training: int) -> Iterator[tuple[Split, dict[str, Sample]]]:
        """Yield the samples of a row on each column; it is trained only if one is missing."""
        number = self._axis.rows.index(row) + 1
        place = f"{folder_of(self._axis.name)}/{number}-{folder_of(row.name)}-{training}"
        models: list[Any] = []
        for index, column in enumerate(self._axis.columns, start=1):
            stage, file = f"{place} on {index}-{folder_of(column.name)}", f"{place}/on-{index}.json"
            if not models and not self._run.has_done(stage, file):
                models.append(self._trained(row, training, place))
            measured = partial(self._measured, models, row, column)
            yield column, self._run.once(stage, dict[str, Sample], measured, file=file)

    def removed(self) -> dict[str, int]:
        """Count positions left out of the tests, by column; tests without a count are missing.

        All tests are drawn before the first training.
        """
        place = folder_of(self._axis.name)

        def count() -> dict[str, int]:
            counts = {one.name: _removed_from(self._test(one)) for one in self._axis.columns}
            return {name: each for name, each in counts.items() if each is not None}

        return self._run.once(f"{place} tests", dict[str, int], count, file=f"{place}/removed.json")

    def _trained(self, row: Split, training: int, place: str) -> Any:
        directory = self._run.directory
        out = directory.path / place / "model"
        with describe_disk_errors(directory.path, every=True):
            out.mkdir(parents=True, exist_ok=True)
        # The same for every row: networks of one training begin alike.
        seed = stream(self._seed, self._axis.name, "learn", training)
        # Again after an interruption: the journal keeps the time of the last attempt.
        with directory.stage(f"{place} learns"):
            return self._axis.learner(self._drawn(row, "train"), seed, out)

    def _test(self, column: Split) -> Any:
        if column.name not in self._tests:
            self._tests[column.name] = self._drawn(column, "test")
        return self._tests[column.name]

    def _measured(self, models: list[Any], row: Split, column: Split) -> dict[str, Sample]:
        axis = self._axis
        seed = stream(self._seed, axis.name, "measure", column.name)
        result = axis.measure(models[0], self._test(column), seed)
        return samples_of(result, axis.measure.scores, f"{axis.name}, {row.name} on {column.name}")

    def _drawn(self, split: Split, part: str) -> Any:
        given = getattr(split, part)
        seed = stream(self._seed, self._axis.name, part, split.name)
        return given(seed) if callable(given) else given


def _first_score(axis: Axis, samples: dict[str, Sample]) -> str:
    name = axis.measure.scores[0].name
    total, count = sum(samples[name].sums), sum(samples[name].counts)
    value = f"{total / count:.3f}" if count else "nothing counted"
    return f"{name} {value}"


def _check_groups(axis: Axis, found: Samples) -> None:
    """Refuse tests of a column that differ from model to model: they could not be compared."""
    for column in axis.columns:
        for score in axis.measure.scores:
            groups = {
                sample[score.name].groups
                for (_, test), samples in found.items()
                if test == column.name
                for sample in samples
            }
            if len(groups) > 1:
                message = (
                    f"{axis.name}, tested on {column.name}: {score.name} came with "
                    f"{' and '.join(map(str, sorted(groups)))} groups; a measure returns one "
                    "number for each group of the test data, whichever model it is of"
                )
                raise InvalidEvaluation(message)


def _removed_from(test: Any) -> int | None:
    """Count positions left out of test data, or of their parts; None: they have no count."""
    parts = test if isinstance(test, tuple) else (test,)
    counts = [count for part in parts if (count := getattr(part, "removed", None)) is not None]
    return sum(counts) if counts else None


def _matrix(
    axis: Axis, score: Score, config: Any, samples: Samples, removed: dict[str, int]
) -> Matrix:
    cells = []
    trained = {row.name for row in axis.rows}
    for (train, test), by_training in samples.items():
        own = [each[score.name] for each in by_training]
        seed = stream(config.seed, axis.name, "resampling", test, score.name)
        gap = None
        if train != test and test in trained:
            there = [each[score.name] for each in samples[test, test]]
            gap = gap_of(own, there, score, seed, config.resamples)
        value = score_of(own, score, seed, config.resamples)
        members = round(sum(own[0].counts))
        cells.append(Cell(train, test, value, gap, own[0].groups, members))
    return Matrix(
        axis=axis.name,
        about=axis.about,
        score=score,
        rows=[row.name for row in axis.rows],
        columns=[column.name for column in axis.columns],
        cells=cells,
        trainings=config.trainings,
        removed=removed,
    )


def generalise(
    axis: Axis | str | Sequence[Axis | str],
    *,
    out: str | Path,
    learner: Learner | str | None = None,
    measure: SupportsMeasure | None = None,
    agent: str | Callable[[Any, int], Any] | None = None,
    seed: int = 1,
    trainings: int = 1,
    resamples: int = 2000,
    threads: int | None = None,
    sizes: GeneraliseConfig | None = None,
    console: Console | None = None,
) -> Results:
    """Train on each split of an axis, test on all of them, and leave a report.

    Calling it again with the same arguments goes on with a run that was stopped, cell by cell, and
    returns that of one that has ended.

    Args:
        axis: The splits with a learner and a measure; an axis of the package by its name, such as
            ``"krk/distance"``; or several.
        out: A new or empty directory, or that of this very run: ``matrix.csv``, ``results.json``,
            ``report.html``, heat maps, and a folder for every model.
        learner: Replaces the axis' own: an object, or a text such as
            ``"experts:lichess"`` (``docs/definitions/generalise.md#learners-and-agents-by-text``).
        measure: Replaces the axis' own.
        agent: Plays with the model, in axes that are played: a text such as ``"mcts:nodes=50"``, or
            a function of the model and a seed that returns an agent.
        seed: Seed of everything random (0 or more).
        trainings: Trainings of every row (1 or more); several widen the intervals by their spread.
        resamples: Draws of groups behind bootstrapped intervals (100 or more).
        threads: Threads of native code (1 or more); None: every usable core.
        sizes: Sizes of training and test in axes of the package; None: the preset ``quick``.
        console: Where to report; default nowhere.

    Returns:
        A matrix for each score of each axis.

    Raises:
        InvalidConfig: An axis does not exist, or a number is out of range.
        InvalidEvaluation: The measure returned something that does not fit its scores.
        MissingDependency: A package is missing; the message names the extra.
        RunDirectoryError: ``out`` belongs to something else, or cannot be written.
    """
    given: list[Any] = [axis] if isinstance(axis, Axis | str) else list(axis)
    settings = dataclasses.replace(
        GeneraliseConfig() if sizes is None else sizes, seed=seed, threads=threads
    )
    found: list[Axis] = []
    for one in given:
        for made in [one] if isinstance(one, Axis) else axes_named([str(one)], settings).values():
            if isinstance(made, InvalidConfig):  # one of a game's, and it was not named itself
                continue
            if not isinstance(made, Axis):
                raise made
            found.append(_with(made, learner, measure, agent))
    places = [folder_of(one.name) for one in found]
    if not found or len(set(places)) < len(places):
        message = f"axes {', '.join(one.name for one in found)}: give one or more, of other names"
        raise InvalidConfig(message)
    config = OwnConfig(
        seed=seed,
        trainings=trainings,
        resamples=resamples,
        threads=threads,
        axes=tuple(map(mark_of, found)),
        sizes=settings if any(isinstance(one, str) for one in given) else None,
    )
    results: Results = OWN.reproduce(config, Path(out), console, {one.name: one for one in found})
    return results


def _with(axis: Axis, learner: Any, measure: Any, agent: Any) -> Axis:
    if isinstance(learner, str):
        axis, learner = with_learner(axis, learner), None
    changes = {"learner": learner, "measure": measure}
    made = dataclasses.replace(axis, **{k: v for k, v in changes.items() if v is not None})
    return made if agent is None else with_agent(made, agent)
