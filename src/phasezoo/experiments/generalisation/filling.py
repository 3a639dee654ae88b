"""Fills the matrix of an axis: every row learns, every cell is measured, each once and for all.

What a cell found is a file of the run; a run that was stopped goes on with the cells it lacks, and
a row whose cells are all there learns nothing again.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from phasezoo.arena import stream
from phasezoo.errors import InvalidEvaluation
from phasezoo.experiments.generalisation.axis import Axis, Split
from phasezoo.experiments.generalisation.estimates import gap_of, score_of
from phasezoo.experiments.generalisation.matrix import Cell, Matrix
from phasezoo.experiments.generalisation.scores import Sample, Score, samples_of
from phasezoo.report.console import Console
from phasezoo.runs import RunDirectory, describe_disk_errors

__all__ = ["Sizes", "fill", "folder_of"]

T = TypeVar("T")

Samples: TypeAlias = "dict[tuple[str, str], list[dict[str, Sample]]]"
"""By row and column, what each training's model scored."""


class Once(Protocol):
    """Does a stage unless it is done (:meth:`phasezoo.experiments.study.StudyRun.once`)."""

    def __call__(self, stage: str, name: str, kind: type[T], make: Callable[[], T], /) -> T:
        """What the stage found."""


@dataclass(frozen=True)
class Sizes:
    """How much is done for every axis alike."""

    seed: int
    """Everything random derives from it."""
    trainings: int
    """Trainings of every row."""
    resamples: int
    """Draws behind bootstrapped intervals."""


def fill(
    axis: Axis, sizes: Sizes, directory: RunDirectory, once: Once, console: Console
) -> list[Matrix]:
    """The matrices of an axis, one a score.

    Raises:
        InvalidEvaluation: The measure answered something else than its scores say, or other groups
            for one model than for another.
        PhasezooError: What learner and measure raise.
    """
    work = _Work(axis, sizes.seed, directory, once)
    removed = work.removed()
    found: Samples = {}
    total = len(axis.rows) * len(axis.columns) * sizes.trainings
    with console.task(axis.name, total) as task:
        for row in axis.rows:
            for training in range(1, sizes.trainings + 1):
                for column, kept in work.row(row, training):
                    found.setdefault((row.name, column.name), []).append(kept)
                    task.update(sum(map(len, found.values())), _note(axis, row, column, kept))
    _check_groups(axis, found)
    return [_matrix(axis, score, sizes, found, removed) for score in axis.measure.scores]


def folder_of(name: str) -> str:
    """A name as the part of a path."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "-"


class _Work:
    """The trainings and measurements of an axis in a run's directory."""

    def __init__(self, axis: Axis, seed: int, directory: RunDirectory, once: Once) -> None:
        self._axis = axis
        self._seed = seed
        self._directory = directory
        self._once = once
        self._tests: dict[str, Any] = {}

    def row(self, row: Split, training: int) -> Iterator[tuple[Split, dict[str, Sample]]]:
        """What the model of a row scored on each column; it learns only if one is missing."""
        number = self._axis.rows.index(row) + 1
        place = f"{folder_of(self._axis.name)}/{number}-{folder_of(row.name)}-{training}"
        models: list[Any] = []
        for index, column in enumerate(self._axis.columns, start=1):
            stage, file = f"{place} on {index}-{folder_of(column.name)}", f"{place}/on-{index}.json"
            is_done = self._directory.is_done(stage) and self._directory.has(file)
            if not models and not is_done:
                models.append(self._learnt(row, training, place))
            measured = partial(self._measured, models, row, column)
            yield column, self._once(stage, file, dict[str, Sample], measured)

    def _learnt(self, row: Split, training: int, place: str) -> Any:
        out = self._directory.path / place / "model"
        with describe_disk_errors(self._directory.path, every=True):
            out.mkdir(parents=True, exist_ok=True)
        # The same for every row: networks of one training begin alike.
        seed = stream(self._seed, self._axis.name, "learn", training)
        # Again after an interruption: the journal keeps the time of the last attempt.
        with self._directory.stage(f"{place} learns"):
            return self._axis.learner(self._drawn(row, "train"), seed, out)

    def removed(self) -> dict[str, int]:
        """Positions that were left out of the tests, by column; those that do not say are missing.

        All tests are drawn before anybody learns.
        """
        place = folder_of(self._axis.name)

        def count() -> dict[str, int]:
            counts = {one.name: _removed_from(self._test(one)) for one in self._axis.columns}
            return {name: each for name, each in counts.items() if each is not None}

        return self._once(f"{place} tests", f"{place}/removed.json", dict[str, int], count)

    def _test(self, column: Split) -> Any:
        if column.name not in self._tests:
            self._tests[column.name] = self._drawn(column, "test")
        return self._tests[column.name]

    def _measured(self, models: list[Any], row: Split, column: Split) -> dict[str, Sample]:
        axis = self._axis
        seed = stream(self._seed, axis.name, "measure", column.name)
        answer = axis.measure(models[0], self._test(column), seed)
        return samples_of(answer, axis.measure.scores, f"{axis.name}, {row.name} on {column.name}")

    def _drawn(self, split: Split, part: str) -> Any:
        given = getattr(split, part)
        seed = stream(self._seed, self._axis.name, part, split.name)
        return given(seed) if callable(given) else given


def _note(axis: Axis, row: Split, column: Split, kept: dict[str, Sample]) -> str:
    first = axis.measure.scores[0]
    total, count = sum(kept[first.name].sums), sum(kept[first.name].counts)
    value = f"{total / count:.3f}" if count else "nothing counted"
    return f"{row.name} on {column.name}: {first.name} {value}"


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
                    f"{' and '.join(map(str, sorted(groups)))} groups; a measure answers one "
                    "number for each group of the test data, whichever model it is of"
                )
                raise InvalidEvaluation(message)


def _removed_from(test: Any) -> int | None:
    """Positions that were left out of test data, or of their parts; None: they do not say."""
    parts = test if isinstance(test, tuple) else (test,)
    counts = [count for part in parts if (count := getattr(part, "removed", None)) is not None]
    return sum(counts) if counts else None


def _matrix(
    axis: Axis, score: Score, sizes: Sizes, samples: Samples, removed: dict[str, int]
) -> Matrix:
    cells = []
    learnt = {row.name for row in axis.rows}
    for (train, test), by_training in samples.items():
        own = [each[score.name] for each in by_training]
        seed = stream(sizes.seed, axis.name, "resampling", test, score.name)
        gap = None
        if train != test and test in learnt:
            there = [each[score.name] for each in samples[test, test]]
            gap = gap_of(own, there, score, seed, sizes.resamples)
        value = score_of(own, score, seed, sizes.resamples)
        members = round(sum(own[0].counts))
        cells.append(Cell(train, test, value, gap, own[0].groups, members))
    return Matrix(
        axis=axis.name,
        about=axis.about,
        score=score,
        rows=[row.name for row in axis.rows],
        columns=[column.name for column in axis.columns],
        cells=cells,
        trainings=sizes.trainings,
        removed=removed,
    )
