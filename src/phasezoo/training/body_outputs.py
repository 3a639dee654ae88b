"""Outputs of a frozen body: each position passes through it once."""

import contextlib
import hashlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from phasezoo.data.sampler import Sampler
from phasezoo.inference.storage.files import write_file
from phasezoo.networks import layout_of
from phasezoo.training.data import rows_digest

FOLDER = "body"
"""Folder of the outputs in the directory of a training."""

FEWEST = 16
"""Fewest rows that pass through the body together; fewer are filled up. A single row is computed by
other sums, so its output would depend on what else is known."""

_LOGGER = logging.getLogger(__name__)

Rows = npt.NDArray[np.int64]


class BodyOutputs:
    """Outputs of a frozen body for the positions of a table, as ``float32``.

    Args:
        body: The body, in eval mode.
        positions: Number of positions of the table.
        limit: Bytes to keep at most: those of the first positions of the table.
        path: File of the outputs, with a file beside it that says which are known; None: memory.
    """

    def __init__(
        self, body: nn.Module, positions: int, limit: float, path: Path | None = None
    ) -> None:
        self._body, self._forward = body, body.forward
        self._layout = layout_of(body)
        self._limit, self._path = limit, path
        self._known = np.zeros(positions, dtype=np.bool_)
        self._kept: npt.NDArray[np.float32] | None = None

    @classmethod
    def of(
        cls, body: nn.Module, sampler: Sampler, limit: float, folder: Path | None
    ) -> "BodyOutputs":
        """Return the outputs for a sampler's positions, kept in a folder or in memory.

        Trainings with the same body and the same positions find the same file.
        """
        if folder is None:
            return cls(body, len(sampler.rows), limit)
        sha256 = hashlib.sha256(f"{sampler.plane_spec} {torch.get_num_threads()} {body}".encode())
        for tensor in body.state_dict().values():
            sha256.update(tensor.contiguous().numpy().data)
        name = hashlib.sha256(f"{sha256.hexdigest()} {rows_digest(sampler.rows)}".encode())
        return cls(body, len(sampler.rows), limit, folder / f"{name.hexdigest()[:16]}.float32")

    @contextlib.contextmanager
    def at(self, rows: Rows) -> Iterator[None]:
        """Have the body answer the planes of these rows of the table."""
        self._body.forward = lambda planes: self._answer(rows, planes)
        try:
            yield
        finally:
            del self._body.forward

    def save(self) -> None:
        """Write the outputs through to the disk, then which of them are known."""
        if self._path is not None and isinstance(self._kept, np.memmap):
            self._kept.flush()
            write_file(_record(self._path), self._known.tobytes())

    @torch.no_grad()
    def _answer(self, rows: Rows, planes: Tensor) -> Tensor:
        if self._kept is None:
            self._kept = self._opened(self._forward(planes[:1]))
        known = self._known[rows]
        missing = np.flatnonzero(~known)
        if len(missing) == len(rows) >= FEWEST:
            answer: Tensor = self._forward(planes)
            self._keep(rows, answer)
            return answer
        kept = np.empty((len(rows), *self._kept.shape[1:]), dtype=np.float32)
        kept[known] = self._kept[rows[known]]
        if len(missing):
            filled = torch.from_numpy(np.resize(missing, max(FEWEST, len(missing))))
            chosen = planes[filled].contiguous(memory_format=self._layout)
            fresh = self._forward(chosen)[: len(missing)]
            self._keep(rows[missing], fresh)
            kept[missing] = self._as_kept(fresh).numpy()
        answer = torch.from_numpy(kept)
        return answer.permute(0, 3, 1, 2) if self._turns(answer) else answer

    def _keep(self, rows: Rows, outputs: Tensor) -> None:
        assert self._kept is not None
        within = np.flatnonzero(rows < len(self._kept))
        self._kept[rows[within]] = self._as_kept(outputs).numpy()[within]
        self._known[rows[within]] = True

    def _as_kept(self, outputs: Tensor) -> Tensor:
        """Return maps with the channels last if the network has them so: as they lie in memory."""
        return outputs.permute(0, 2, 3, 1) if self._turns(outputs) else outputs

    def _turns(self, outputs: Tensor) -> bool:
        return outputs.ndim == 4 and self._layout == torch.channels_last

    def _opened(self, example: Tensor) -> npt.NDArray[np.float32]:
        """Return room for the outputs, with those of an earlier session."""
        shape = self._as_kept(example).shape[1:]
        size = 4 * example.numel()
        count = min(len(self._known), int(self._limit // size))
        if self._path is None or count == 0:
            return np.empty((count, *shape), dtype=np.float32)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._path.is_file() or self._path.stat().st_size != count * size:
                _reserve(self._path, count * size)
            elif _record(self._path).is_file():
                known = np.fromfile(_record(self._path), dtype=np.bool_)
                if len(known) == len(self._known):
                    self._known = known
            return np.memmap(self._path, np.float32, "r+", shape=(count, *shape))
        except OSError as error:
            _LOGGER.warning("outputs of the frozen body are not kept (%s)", error)
            return np.empty((0, *shape), dtype=np.float32)


def _record(path: Path) -> Path:
    return path.with_suffix(".known")


def _reserve(path: Path, size: int) -> None:
    """Make an empty file that has its room on the disk, so that writing into memory cannot fail."""
    _record(path).unlink(missing_ok=True)
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)
