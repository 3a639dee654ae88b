"""Settings of a run, its presets, and the study as the command line knows it."""

import dataclasses
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from annotated_types import Ge

from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.settings import check_ranges
from phasezoo.experiments.study import Study
from phasezoo.report.console import Console
from phasezoo.runs.directory import read_record
from phasezoo.specs import Argument, NonNegativeInt, PositiveInt

Preset: TypeAlias = Literal["quick", "standard"]


@dataclass(frozen=True)
class GeneraliseConfig:
    """Train on one distribution, evaluate on others: phases, starts, variants, opponents, boards.

    Every axis is a list of splits; a model is trained on one of them and tested on all. Sizes come
    as presets: `quick` takes minutes on two cores, with tiny networks, `standard` is for a claim
    and takes hours.
    """

    axes: Annotated[tuple[str, ...], Argument(positional=True, metavar="GAME-OR-AXIS ...")] = ()
    """Axes such as krk/distance, all of a game such as krk, your own as module:attr (none: all of
    the package)."""
    preset: Preset = "quick"
    """Defaults of all other settings; each can still be given."""
    seed: NonNegativeInt = 1
    """Seed of everything random."""
    trainings: PositiveInt = 1
    """Number of trainings of every row (claims need several)."""

    learner: str | None = None
    """Learner in place of the axis' own: network, experts:GATE, sb3:ALGORITHM, or your own callable
    (data, seed, out) as module:attr; options follow as in sb3:PPO,timesteps=20000."""
    agent: str | None = None
    """Agent that plays with the model, in axes that are played: policy, mcts:nodes=50,
    decoupled_mcts:nodes=50, single_player_mcts:nodes=50, or your own function (model, seed) as
    module:attr (none: the policy)."""
    store: Path | None = None
    """Your rated games for chess/ratings, as `phasezoo data import` writes them."""
    bands: tuple[int, ...] = ()
    """Ratings at which its bands begin, such as 1500 1900 for three (none: thirds of the games)."""

    network: str = "resnet-16x2"
    """Architecture of every network."""
    positions: Annotated[int, Ge(1000)] = 12_000
    """Number of training positions that each network sees."""
    games: Annotated[int, Ge(40)] = 400
    """Number of training games in each split, if they are played or chosen for it."""
    test_games: Annotated[int, Ge(10)] = 60
    """Number of games of every cell's test; a few times as many if tests are short, such as one
    move from each start."""

    resamples: Annotated[int, Ge(100)] = 2000
    """Draws of groups behind bootstrapped intervals."""
    device: str | None = None
    """Device of networks, such as cpu or cuda; none: a GPU if there is one."""
    threads: PositiveInt | None = None
    """Threads for native code and networks (none: every usable core)."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        check_ranges(self)


@dataclass(frozen=True)
class OwnConfig:
    """Settings of a run whose axes are given as objects."""

    preset: str = "own"
    """Always ``own``."""
    seed: NonNegativeInt = 1
    """Seed of everything random."""
    trainings: PositiveInt = 1
    """Number of trainings of every row."""
    resamples: Annotated[int, Ge(100)] = 2000
    """Draws of groups behind bootstrapped intervals."""
    threads: PositiveInt | None = None
    """Threads of native code (none: every usable core)."""
    axes: tuple[str, ...] = ()
    """Names of the axes, each with a digest of its description, which is in axes.json."""
    sizes: GeneraliseConfig | None = None
    """Sizes of training and test in axes of the package; none without such axes."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        check_ranges(self)


_QUICK = GeneraliseConfig()

_STANDARD = dataclasses.replace(
    _QUICK,
    preset="standard",
    trainings=3,
    network="resnet-32x4",
    positions=200_000,
    games=4_000,
    test_games=400,
)

PRESETS: dict[Preset, GeneraliseConfig] = {"quick": _QUICK, "standard": _STANDARD}
"""The sizes, smallest first."""


_STAGES = "phasezoo.experiments.generalisation.study:GeneraliseRun"

_PACKAGES = {"matplotlib": "plot"}


class _Generalise(Study[GeneraliseConfig]):
    """The study of axes by their names, which stand before the options."""

    def command_line(self, config: GeneraliseConfig, out: Path) -> str:
        """Return the command line for these settings."""
        words = super().command_line(dataclasses.replace(config, axes=()), out)
        program = len(self.program.split())
        return shlex.join([*self.program.split(), *config.axes, *shlex.split(words)[program:]])

    def resume(self, out: Path, console: Console | None = None, **own: Any) -> Any:
        """Finish the run in ``out``; see :meth:`Study.resume`.

        Raises:
            RunDirectoryError: A program started it, and only that program has its axes.
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
    """The study of axes that are objects of a program, which alone can do it again."""

    def command_line(self, config: Any, out: Path) -> str:
        """Return the call for these settings."""
        return f"experiments.generalise(…, out={str(out)!r}, seed={config.seed}, …)"


GENERALISE = _Generalise(
    name="generalise",
    program="phasezoo generalise",
    presets=PRESETS,
    stages=_STAGES,
    packages=_PACKAGES,
)
"""Axes by their names: those of the package and a user's."""

OWN = _Own(
    name="generalise",
    program="phasezoo generalise",
    presets={"own": OwnConfig()},
    stages=_STAGES,
    packages=_PACKAGES,
)
"""Axes given as objects."""
