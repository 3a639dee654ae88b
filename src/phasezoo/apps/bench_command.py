"""``phasezoo bench``: the speed table, from a checkout."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from phasezoo.errors import RunDirectoryError

__all__ = ["BenchOptions"]

ROOT = Path(__file__).resolve().parents[3]
"""The checkout, if the package is installed from one, as `make setup` does."""

BENCHMARKS = "benchmarks"
"""The folder of the benchmarks there; the package itself has none."""


@dataclass(frozen=True)
class BenchOptions:
    """Measure the speed of this package, its peers beside it, and print a table.

    `phasezoo bench inference NETWORK` runs one network by every backend instead; its --help has
    more.

    The benchmarks are in the repository and not in the package: `make bench` installs the peers and
    measures everything.
    """

    names: tyro.conf.Positional[tuple[str, ...]] = ()
    """Which benchmarks, such as tree or selfplay (none: all)."""
    json: Path | None = None
    """File that gets the figures too."""

    def run(self) -> int:
        """Measure and print; names are checked there.

        Raises:
            RunDirectoryError: The package is not installed from a checkout.
        """
        folder = ROOT / BENCHMARKS
        if not (folder / "__main__.py").is_file():
            message = (
                "the benchmarks are in the repository, and this package was not installed from a "
                "checkout of it: clone it and run `make bench` there"
            )
            raise RunDirectoryError(message)
        words = [sys.executable, "-m", BENCHMARKS, *self.names]
        if self.json is not None:
            words += ["--json", str(self.json.absolute())]
        return subprocess.run(words, cwd=ROOT, check=False).returncode
