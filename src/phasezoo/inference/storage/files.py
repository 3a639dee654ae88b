"""Files that are whole or absent, whatever stops the process while they are written."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from phasezoo.errors import CheckpointError
from phasezoo.runs.files import check_replaceable
from phasezoo.runs.whole import appearing, appearing_folder, write


def write_file(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path``, flush it to the disk, and only then put it in place."""
    check_replaceable(path, CheckpointError)
    with _refusals(path), appearing(path) as file:
        file.write(data)


def write_directory(path: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` into the directory ``path``, all or none of them; one there is replaced."""
    with _refusals(path), appearing_folder(path) as partial:
        for name, data in files.items():
            write(partial / name, data)


@contextlib.contextmanager
def _refusals(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = (
            f"{path}: cannot be written ({error.strerror}); what was saved before is kept. Free "
            "some space or choose another directory, then run the same command again to continue"
        )
        raise CheckpointError(message) from error
