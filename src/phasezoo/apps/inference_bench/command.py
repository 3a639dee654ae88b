"""``phasezoo bench inference``: how fast backends answer, and how far they differ."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from annotated_types import Interval, MinLen

from phasezoo._trial import ending
from phasezoo.apps.inference_bench.measuring import Figures, Order, Speed, answers_in
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.games.varlen import segment_softmax
from phasezoo.inference.backends.choice import Loading
from phasezoo.inference.storage import packaged
from phasezoo.report import numbers
from phasezoo.report.console import TerminalConsole, show_table
from phasezoo.report.document import Column, Table, columns_by
from phasezoo.runs import provenance
from phasezoo.runs.files import save_files
from phasezoo.specs import Argument, PositiveUInt16

REFERENCE = "torch"
"""The row that the others are compared with."""

VARIANTS = {
    REFERENCE: Loading("torch", "cpu"),
    "torch-bf16": Loading("torch", "cpu", dtype="bfloat16"),
    "torch-compiled": Loading("torch", "cpu", compiled=True),
    "onnx": Loading("onnx", "cpu"),
    "openvino": Loading("openvino", "cpu"),
    "openvino-bf16": Loading("openvino", "cpu", dtype="bfloat16"),
    "cuda": Loading("torch", "cuda"),
    "cuda-bf16": Loading("torch", "cuda", dtype="bfloat16"),
    "cuda-fp16": Loading("torch", "cuda", dtype="float16"),
    "cuda-compiled": Loading("torch", "cuda", compiled=True),
    "cuda-graphs": Loading("torch", "cuda", graphs=True),
    "cuda-graphs-bf16": Loading("torch", "cuda", dtype="bfloat16", graphs=True),
    "cuda-graphs-fp16": Loading("torch", "cuda", dtype="float16", graphs=True),
    "onnx-cuda": Loading("onnx", "cuda"),
    "tensorrt": Loading("tensorrt", "cuda"),
    "tensorrt-bf16": Loading("tensorrt", "cuda", dtype="bfloat16"),
    "tensorrt-fp16": Loading("tensorrt", "cuda", dtype="float16"),
}
"""By their names. Networks whose convolutions are channels-last run so in every row of torch."""


@dataclass(frozen=True)
class Difference:
    """Between answers to the same positions."""

    value: float
    """Largest difference of a value."""
    policy: float
    """Largest difference of a probability of a legal action."""
    equal_top: float
    """Share of positions in which the same action is liked best."""


def difference(found: Mapping[str, Any], reference: Mapping[str, Any]) -> Difference:
    """Compare two sets of answers."""
    offsets = reference["offsets"]
    ours, theirs = (segment_softmax(each["logits"], offsets) for each in (found, reference))
    same = top_actions(found["logits"], offsets) == top_actions(reference["logits"], offsets)
    return Difference(
        value=float(np.abs(found["value"] - reference["value"]).max()),
        policy=float(np.abs(ours - theirs).max()),
        equal_top=float(same.mean()),
    )


def top_actions(logits: npt.NDArray[Any], offsets: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The place of the largest logit of each position, counted from its first."""
    return np.array([int(logits[start:end].argmax()) for start, end in pairwise(offsets)])


MOST_ROWS = 65_536

Rows: TypeAlias = Annotated[int, Interval(ge=1, le=MOST_ROWS)]


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    """Of the variant."""
    figures: Figures
    """How fast it is, or why it cannot run."""
    difference: Difference | None
    """From the reference; None if it cannot run."""


@dataclass(frozen=True)
class InferenceBenchOptions:
    """Run one network by every backend: rows a second, latency, and how far answers differ.

    Each backend runs in a process of its own. One that cannot run here is a line that says what to
    install.
    """

    net: Annotated[str, Argument(positional=True)] = "phasezoo/chess-small"
    """Folder of a network, or its name; of a folder of experts, the network of all phases."""
    backends: tuple[str, ...] = tuple(VARIANTS)
    """Which rows, such as onnx openvino cuda-graphs-fp16."""
    batches: Annotated[tuple[Rows, ...], MinLen(1)] = (1, 8, 64, 256)
    """Positions of a call."""
    positions: Rows = 512
    """Positions whose answers are compared with torch's in float32."""
    seconds: Annotated[float, Interval(gt=0, le=3600)] = 1.0
    """Time of each measurement."""
    threads: PositiveUInt16 | None = None
    """CPU threads (none: as each backend has them)."""
    json: Path | None = None
    """File that gets the figures too."""

    def run(self) -> int:
        """Measure and print."""
        self._check()
        folder = packaged.resolved(self.net)
        if not folder.is_dir():
            message = f"{self.net}: no such folder; expected one with a network"
            raise CheckpointError(message)
        rows = self._rows()
        console = TerminalConsole()
        show_table(table([row for row in rows if row.difference is not None]), console)
        for line in missing_lines(rows):
            console.note(line)
        if self.json is not None:
            save_files({self.json: json.dumps(self._record(rows), indent=2) + "\n"})
        return 0

    def _check(self) -> None:
        unknown = [name for name in self.backends if name not in VARIANTS]
        if unknown:
            message = f"backend {unknown[0]!r}: expected some of {', '.join(VARIANTS)}"
            raise InvalidConfig(message)
        if self.json and (self.json.is_dir() or not self.json.absolute().parent.is_dir()):
            message = f"json {self.json}: expected a file in a folder that exists"
            raise InvalidConfig(message)

    def _rows(self) -> list[Row]:
        names = dict.fromkeys((REFERENCE, *self.backends))
        rows: list[Row] = []
        with tempfile.TemporaryDirectory() as place:
            kept = {name: Path(place) / f"{name}.npz" for name in names}
            for name in names:
                figures = self._measured(name, kept[name])
                if name == REFERENCE and figures.missing is not None:
                    message = f"{self.net}: torch, the reference, cannot run it: {figures.missing}"
                    raise CheckpointError(message)
                compared = None
                if figures.missing is None:
                    compared = difference(answers_in(kept[name]), answers_in(kept[REFERENCE]))
                rows.append(Row(name, figures, compared))
        return rows

    def _measured(self, name: str, answers: Path) -> Figures:
        options = replace(VARIANTS[name], net_threads=self.threads).as_options()
        order = Order(self.net, options, self.batches, self.positions, self.seconds, str(answers))
        words = [sys.executable, "-P", "-m", "phasezoo.apps.inference_bench.measuring"]
        given = json.dumps(asdict(order)).encode()
        done = subprocess.run(words, input=given, capture_output=True, check=False)
        if done.returncode:
            return Figures(missing=ending(done.returncode, done.stderr))
        record = json.loads(done.stdout.splitlines()[-1])
        return Figures([Speed(**each) for each in record["speeds"]], record["missing"])

    def _record(self, rows: list[Row]) -> dict[str, Any]:
        return {
            "network": self.net,
            "made_with": asdict(provenance.collect(self.threads)),
            "reference": REFERENCE,
            "rows": [asdict(row) for row in rows],
        }


def table(rows: list[Row]) -> Table:
    """The table of the backends that ran."""

    def difference_of(name: str) -> Callable[[Row], Any]:
        return lambda row: getattr(row.difference, name)

    def speed(row: Row, place: int) -> Speed:
        return row.figures.speeds[place]

    def head(place: int) -> str:
        return numbers.plural(rows[0].figures.speeds[place].rows, "row")

    sizes = columns_by(
        range(len(rows[0].figures.speeds)),
        speed,
        lambda found: f"{found.rows_per_second:,.0f} rows/s",
        head=head,
        below=lambda row, place: f"{speed(row, place).milliseconds:.3g} ms",
    )
    last = [
        Column("max |Δvalue|", difference_of("value"), "{:.1e}".format),
        Column("max |Δpolicy|", difference_of("policy"), "{:.1e}".format),
        Column("equal top moves", difference_of("equal_top"), numbers.percent),
        Column("GPU busy", _busy, lambda percent: "" if percent is None else f"{percent:.0f} %"),
    ]
    return Table("backends", [Column("backend", "name"), *sizes, *last], rows, "Backends that ran")


def _busy(row: Row) -> float | None:
    known = (speed.gpu_percent for speed in row.figures.speeds)
    return max((percent for percent in known if percent is not None), default=None)


def missing_lines(rows: list[Row]) -> list[str]:
    """A line for each reason why backends did not run."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.figures.missing is not None:
            reasons.setdefault(row.figures.missing, []).append(row.name)
    return [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]
