"""Engines that were built for one machine, kept on disk until anything they depend on changes.

An engine of TensorRT takes minutes to build and fits one GPU, version, precision and range of
batches. It is a cache and no artefact: a file that is missing, stale or damaged is built anew, and
a folder that cannot be written costs nothing but the next build.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from phasezoo.errors import CheckpointError
from phasezoo.inference.storage.files import write_file
from phasezoo.runs.saved import digest

FORMAT = 1
"""Raised when the file's form changes, so that engines of the old one are built anew."""

_MARK = b"phasezoo engine\n"

T = TypeVar("T")


@dataclass(frozen=True)
class EngineKey:
    """All that an engine depends on."""

    model: str
    """SHA-256 of the network's weights, or of its ONNX model."""
    version: str
    """Of TensorRT."""
    gpu: str
    """Its name and compute capability."""
    precision: str
    """Number format."""
    profile: tuple[int, int, int]
    """Fewest, usual and most rows of a batch."""
    packed: bool = False
    """Whether planes are given packed."""
    export: int = 0
    """Version of what writes the ONNX model."""

    @property
    def text(self) -> str:
        """The fields as JSON."""
        return json.dumps({**asdict(self), "format": FORMAT}, sort_keys=True)

    @property
    def file(self) -> str:
        """The name of the file."""
        return f"engine-{hashlib.sha256(self.text.encode()).hexdigest()[:16]}.trt"


class EngineCache:
    """The engines in a folder.

    Args:
        directory: The folder; it is made when the first engine is kept.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def get(
        self,
        key: EngineKey,
        build: Callable[[], bytes],
        load: Callable[[bytes], T],
        verify: Callable[[T], None],
    ) -> T:
        """Return the engine of ``key``, loaded.

        Args:
            key: What it has to fit.
            build: Builds it.
            load: Makes something usable of its bytes, or raises.
            verify: Compares a new engine with the network; one for which it raises is not kept.
        """
        kept = self._read(key)
        if kept is not None:
            try:
                return load(kept)
            except Exception:  # whatever a library raises for bytes it does not like
                (self.directory / key.file).unlink(missing_ok=True)
        engine = build()
        try:
            loaded = load(engine)
        except Exception as error:
            message = f"an engine that was just built cannot be loaded: {_one_line(error)}"
            raise CheckpointError(message) from error
        verify(loaded)
        self._write(key, engine)
        return loaded

    def _read(self, key: EngineKey) -> bytes | None:
        """Return the bytes of a whole engine of ``key``, if there is one."""
        try:
            mark, head, engine = _split((self.directory / key.file).read_bytes())
        except (OSError, ValueError):
            return None
        whole = mark == _MARK and head == {"key": key.text, "sha256": digest(engine)}
        return engine if whole else None

    def _write(self, key: EngineKey, engine: bytes) -> None:
        head = json.dumps({"key": key.text, "sha256": digest(engine)}).encode()
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            write_file(self.directory / key.file, _MARK + head + b"\n" + engine)
        except (CheckpointError, OSError):
            return  # a network on a read-only disk is used all the same


def _split(data: bytes) -> tuple[bytes, Any, bytes]:
    """Split a file into its mark, its header and its engine."""
    end = data.index(b"\n", len(_MARK))
    return data[: len(_MARK)], json.loads(data[len(_MARK) : end]), data[end + 1 :]


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
