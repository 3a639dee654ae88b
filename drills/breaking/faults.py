"""Faults: pieces of the code, and what to put in their place so that a behaviour is wrong."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CATALOGUE = Path(__file__).parent / "faults"
"""The folder of the project's faults, a file for each part of it."""


class Unplantable(Exception):
    """A fault that does not fit the code any more; the message says why."""


@dataclass(frozen=True)
class Fault:
    """A way to break the code, described by what is right."""

    slug: str
    """Its name in commands and results."""
    part: str
    """The part of the project, which is the name of the catalogue's file."""
    right: str
    """The behaviour that is lost, in one sentence that says what is right."""
    file: str
    """The file to change, from the root of the project."""
    text: str
    """Text in the file, found once."""
    broken: str
    """Text that replaces it."""
    tests: tuple[str, ...]
    """Paths of the tests that should notice: pytest's, or Rust files."""

    @property
    def needs_build(self) -> bool:
        """Whether the core has to be built."""
        return self.file.endswith(".rs")

    def planted(self, root: Path) -> str:
        """Return the file's text with the fault.

        Args:
            root: The project.

        Raises:
            Unplantable: The file or a test is missing, or the text does not occur exactly once.
        """
        named = (self.file, *(test.partition("::")[0] for test in self.tests))
        missing = [name for name in named if not (root / name).exists()]
        if missing:
            message = f"no such file: {', '.join(missing)}"
            raise Unplantable(message)
        text = (root / self.file).read_text(encoding="utf-8")
        if (times := text.count(self.text)) != 1:
            message = f"its text occurs {times} times in {self.file}, once is needed"
            raise Unplantable(message)
        return text.replace(self.text, self.broken)


def read_faults(folder: Path) -> dict[str, Fault]:
    """Return the faults of a catalogue by their slugs, file by file.

    Args:
        folder: TOML files, each with an array of tables ``fault``.

    Raises:
        ValueError: Two faults have the same slug, or one lacks a field or changes nothing.
    """
    faults: dict[str, Fault] = {}
    for file in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["fault"]:
            fault = _fault(file.stem, entry)
            if fault.slug in faults:
                message = f"{file.name}: there are two faults {fault.slug!r}"
                raise ValueError(message)
            faults[fault.slug] = fault
    return faults


def _fault(part: str, entry: dict[str, str | Iterable[str]]) -> Fault:
    fields = {name: value for name, value in entry.items() if isinstance(value, str)}
    try:
        fault = Fault(part=part, tests=tuple(entry["tests"]), **fields)
    except (KeyError, TypeError) as error:
        message = f"{part}.toml: fault {entry.get('slug')!r} is not complete ({error})"
        raise ValueError(message) from error
    if fault.text == fault.broken or not fault.text or not fault.tests:
        message = f"{part}.toml: fault {fault.slug!r} changes nothing, or names no tests"
        raise ValueError(message)
    return fault
