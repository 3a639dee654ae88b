"""``phasezoo bench``: the speed table and the drill of leaks, from a checkout."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.specs import Argument, PositiveFloat

ROOT = Path(__file__).resolve().parents[3]
"""The checkout, if the package is installed from one, as `make setup` does."""

BENCHMARKS, DRILLS = "benchmarks", "drills"
"""The folders there; the package itself has none."""


@dataclass(frozen=True)
class BenchOptions:
    """Measure the speed of this package, its peers beside it, and print a table.

    `phasezoo bench inference NETWORK` runs one network by every backend instead; its --help has
    more.

    With `--leak` it looks at memory instead: vector environments, searches, training, a match and
    self-play work for ten minutes each, and resident memory has to stay flat after warming up.

    The benchmarks are in the repository and not in the package: `make bench` installs the peers and
    measures everything.
    """

    names: Annotated[tuple[str, ...], Argument(positional=True)] = ()
    """Which benchmarks, such as tree or selfplay (none: all)."""
    leak: bool = False
    """Look whether memory grows; names are then vector, search, training, match and selfplay. The
    exit code is 1 unless each of them is shown to be flat."""
    minutes: PositiveFloat | None = None
    """How long each works with --leak (none: 10)."""
    json: Path | None = None
    """File that gets the figures too."""

    def run(self) -> int:
        """Measure and print; names are checked there."""
        if self.minutes is not None and not self.leak:
            message = (
                f"--minutes {self.minutes:g}: goes with --leak; speed takes as long as it takes"
            )
            raise InvalidConfig(message)
        if not all((ROOT / each / "__main__.py").is_file() for each in (BENCHMARKS, DRILLS)):
            message = (
                "the benchmarks are in the repository, and this package was not installed from a "
                "checkout of it: clone it and run `make bench` there"
            )
            raise RunDirectoryError(message)
        module = [DRILLS, "leak"] if self.leak else [BENCHMARKS]
        words = [sys.executable, "-m", *module, *self.names]
        if self.minutes is not None:
            words += ["--minutes", str(self.minutes)]
        if self.json is not None:
            words += ["--json", str(self.json.absolute())]
        return subprocess.run(words, cwd=ROOT, check=False).returncode
