"""Generalisation as a study: what the command line and :func:`generalise` know of it."""

import dataclasses
import shlex
from pathlib import Path
from typing import Any

from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.generalisation.config import PRESETS, GeneraliseConfig, OwnConfig
from phasezoo.experiments.study import Study
from phasezoo.report.console import Console
from phasezoo.runs.directory import read_record

__all__ = ["GENERALISE", "OWN"]

_STAGES = "phasezoo.experiments.generalisation.run:GeneraliseRun"

_PACKAGES = {"matplotlib": "plot"}


class _Generalise(Study[GeneraliseConfig]):
    """Axes stand before the options."""

    def spelled(self, config: GeneraliseConfig, out: Path) -> str:
        """The command line for these settings."""
        words = super().spelled(dataclasses.replace(config, axes=()), out)
        program = len(self.program.split())
        return shlex.join([*self.program.split(), *config.axes, *shlex.split(words)[program:]])

    def resume(self, out: Path, console: Console | None = None, **own: Any) -> Any:
        """Finish the run in ``out``; see :meth:`Study.resume`.

        Raises:
            RunDirectoryError: A program started it, which alone has its axes.
        """
        record = read_record(out, self.name)
        if record is not None and record.config.get("preset") == OWN.default.preset:
            message = (
                f"{out}: a program started this run by experiments.generalise(…), and its axes "
                "are objects of that program: start the program again, and the same call with "
                f"out={str(out)!r} goes on where it stopped"
            )
            raise RunDirectoryError(message)
        return super().resume(out, console, **own)


class _Own(Study[OwnConfig]):
    """Runs that a program started, which alone can do them again."""

    def spelled(self, config: Any, out: Path) -> str:
        """The call for these settings."""
        return f"experiments.generalise(…, out={str(out)!r}, seed={config.seed}, …)"


GENERALISE = _Generalise(
    name="generalise",
    program="phasezoo generalise",
    presets=PRESETS,
    stages=_STAGES,
    packages=_PACKAGES,
)
"""The axes of the package, and those of one's own by their names."""

OWN = _Own(
    name="generalise",
    program="phasezoo generalise",
    presets={"own": OwnConfig()},
    stages=_STAGES,
    packages=_PACKAGES,
)
"""Axes given as objects."""
