"""A run from the first training to the report."""

from collections.abc import Sequence
from typing import Any

from phasezoo.errors import PhasezooError
from phasezoo.experiments.generalisation import report
from phasezoo.experiments.generalisation.axis import Axis
from phasezoo.experiments.generalisation.describing import description_of
from phasezoo.experiments.generalisation.figures import png_of
from phasezoo.experiments.generalisation.filling import Sizes, fill, folder_of
from phasezoo.experiments.generalisation.matrix import Matrix, Results, csv_of
from phasezoo.experiments.generalisation.writing import gap_text
from phasezoo.experiments.study import StudyRun

__all__ = ["CSV_FILE", "GeneraliseRun"]

CSV_FILE = "matrix.csv"


class GeneraliseRun(StudyRun[Any, Results]):
    """The matrices of one axis after the other.

    Args:
        *attempt: See :class:`~phasezoo.experiments.study.StudyRun`.
        axes: The axes, or names with what is missing to make them; None: those that the settings
            name.
    """

    results = Results
    report = staticmethod(report.report)

    def __init__(self, *attempt: Any, axes: Sequence[Axis] | None = None) -> None:
        super().__init__(*attempt)
        self._axes = self.prepared if axes is None else {axis.name: axis for axis in axes}

    @classmethod
    def prepare(cls, config: Any, console: Any) -> Any:
        """Make the axes that the settings name."""
        del console
        if not hasattr(config, "network"):
            return {}
        from phasezoo.experiments.generalisation.catalogue import axes_of

        return axes_of(config)

    def work(self) -> Results:
        """Fill the cells that are missing."""
        sizes = Sizes(self.config.seed, self.config.trainings, self.config.resamples)
        self.directory.write_json(
            "axes.json", [description_of(a) for a in self._axes.values() if isinstance(a, Axis)]
        )
        matrices: list[Matrix] = []
        skipped: dict[str, str] = {}
        for name, axis in self._axes.items():
            self.console.heading(name)
            if isinstance(axis, PhasezooError):
                skipped[name] = str(axis)
                self.console.note(f"Left out: {axis}")
                continue
            found = fill(axis, sizes, self.directory, self.once, self.console)
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
            seconds={name: self.seconds([f"{folder_of(name)}/"]) for name in self._axes},
        )

    def _show(self, matrices: Sequence[Matrix]) -> None:
        """Show every score of an axis, and the gaps of the first."""
        for matrix in matrices:
            scores, *_ = report.tables_of(matrix)
            self.table(scores)
        first = matrices[0]
        if removed := report.left_out(first):
            self.console.note(removed)
        for cell in first.cells:
            if cell.gap is not None:
                gap = gap_text(cell.gap, first.score)
                self.console.note(f"gap of {cell.train} on {cell.test}: {gap}")

    def show(self, results: Results) -> None:
        """Where everything is; the tables of every axis were shown when it was done."""
        for name, reason in results.skipped.items():
            self.console.note(f"Left out {name}: {reason}")
        self.console.note(f"Numbers: {self.path / CSV_FILE} and {self.path / 'results.json'}")
