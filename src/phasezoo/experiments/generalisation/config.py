"""Axes of generalisation, the settings of a run, its presets, and the study of the command line.

An axis does not know the kind of its data. A split gives training data and test data, a learner
makes a model from the one, and a measure scores the model on the other
(``docs/definitions/generalise.md``).
"""

import dataclasses
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol, TypeAlias

from annotated_types import Ge

from phasezoo.checking import shown, takes
from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.experiments.settings import ResampledSettings, presets_of
from phasezoo.experiments.study import Study
from phasezoo.report.console import Console
from phasezoo.runs import jsonable
from phasezoo.runs.directory import read_record
from phasezoo.specs import Argument, PositiveInt
from phasezoo.training.probes.probe import Score

if TYPE_CHECKING:
    from phasezoo.experiments.generalisation.measures import Sample

Environment: TypeAlias = tuple[str, Mapping[str, Any]]
"""An environment's id and its options."""


@dataclass(frozen=True)
class Split:
    """One distribution, with its training data and its test data.

    Both may be the data themselves, or a function of a seed that draws them, which is called when
    they are needed. A split without ``test`` is only a row of the matrix, one without ``train``
    only a column.
    """

    name: str
    """Name of its row and its column."""
    train: Any = None
    """Training data, as the learner takes them."""
    test: Any = None
    """Test data, as the measure takes them."""
    environment: Environment | None = None
    """Environment for learners that act instead of read, such as Stable-Baselines3."""


class Learner(Protocol):
    """Makes a model from a split's training data.

    It is called again with the same arguments if a run goes on whose cells are not all there; it
    may use the files in ``out`` that it has finished.
    """

    def __call__(self, data: Any, seed: int, out: Path, /) -> Any:
        """Return a model that the measure takes, such as an evaluator or an agent."""


Measured: TypeAlias = "Sample | Sequence[float] | Mapping[str, Sample | Sequence[float]]"
"""Result of a measure: one number for each independent group of its test data, such as a game or
a start, the same groups for every model; several scores come by their names."""


class SupportsMeasure(Protocol):
    """Scores a model on a split's test data."""

    @property
    def scores(self) -> Sequence[Score]:
        """Scores that a call returns."""

    def __call__(self, model: Any, data: Any, seed: int, /) -> Measured:
        """Score ``model``; the seed is the same for every model that is tested there."""


@dataclass(frozen=True)
class Measure:
    """A function of your own as a measure.

    Args:
        function: ``(model, data, seed)`` -> :data:`Measured`.
        scores: The scores that it returns; several by their names.
    """

    function: Callable[[Any, Any, int], Measured]
    scores: tuple[Score, ...]

    def __init__(self, function: Callable[[Any, Any, int], Measured], *scores: Score) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "scores", scores)

    def __call__(self, model: Any, data: Any, seed: int) -> Measured:
        """Call the function."""
        return self.function(model, data, seed)


@dataclass(frozen=True)
class Axis:
    """Splits that differ in one respect, with a learner and a measure that suit them.

    Raises:
        InvalidConfig: Names of splits are missing or equal, no split has training data or none has
            test data, or learner or measure cannot be called.
    """

    name: str
    """Name, such as ``krk/distance``."""
    splits: tuple[Split, ...]
    """Splits, in the order of rows and columns."""
    learner: Learner
    """Learner of every row."""
    measure: SupportsMeasure
    """Measure of every cell; its first score is the main one."""
    about: str = ""
    """Description of the splits, in a sentence or two."""
    by_phase: bool = False
    """True if its splits are phases, so that the model of one row sees no other phase."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "splits", tuple(self.splits))
        names = [split.name for split in self.splits]
        for name in (self.name, *names):
            if not re.search(r"\w", str(name)):
                message = f"{name!r}: axes and splits need names with a letter or a digit"
                raise InvalidConfig(message)
        if len(set(names)) < len(names):
            message = f"{self.name}: its splits {', '.join(names)} need different names"
            raise InvalidConfig(message)
        if not self.rows or not self.columns:
            message = (
                f"{self.name}: give at least one split with train= and one with test=; there are "
                f"{len(self.rows)} and {len(self.columns)}"
            )
            raise InvalidConfig(message)
        if not takes(self.learner, 3) or not takes(self.measure, 3):
            message = (
                f"{self.name}: expected learner(data, seed, out) and measure(model, data, seed), "
                f"both callable; there are {shown(self.learner)} and {shown(self.measure)}"
            )
            raise InvalidConfig(message)
        scores = [getattr(score, "name", None) for score in getattr(self.measure, "scores", ())]
        if not scores or None in scores or len(set(scores)) < len(scores):
            message = (
                f"{self.name}: its measure has the scores {scores}; expected one or more of "
                "different names: Measure(function, Score(...))"
            )
            raise InvalidConfig(message)

    @property
    def rows(self) -> tuple[Split, ...]:
        """Splits with training data."""
        return tuple(split for split in self.splits if split.train is not None)

    @property
    def columns(self) -> tuple[Split, ...]:
        """Splits with test data."""
        return tuple(split for split in self.splits if split.test is not None)


def description_of(axis: Axis) -> dict[str, Any]:
    """Return an axis as JSON, by which a run is known again."""
    return {
        "name": axis.name,
        "splits": [
            {"name": split.name, "train": _described(split.train), "test": _described(split.test)}
            for split in axis.splits
        ],
        "learner": _described(axis.learner),
        "measure": _described(axis.measure),
    }


def mark_of(axis: Axis) -> str:
    """Return an axis' name with a digest of its description."""
    text = jsonable.dumps(description_of(axis))
    return f"{axis.name} {hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"


def _described(value: Any) -> Any:
    """Return plain values as they are, settings by their fields, everything else by its name.

    A user's functions and objects are known by module and name alone: other changes of them are not
    noticed.
    """
    if isinstance(value, partial):
        given = {"given": _described(value.args), "options": _described(value.keywords)}
        return {"of": _described(value.func)} | given
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        own = {one.name: _described(getattr(value, one.name)) for one in fields if one.repr}
        return {"of": getattr(value, "recorded_as", type(value).__qualname__)} | own
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): _described(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_described(item) for item in value]
    try:
        return jsonable.plain(value)
    except InvalidConfig:
        name = getattr(value, "__qualname__", type(value).__qualname__)
        module = getattr(value, "__module__", type(value).__module__)
        return f"{module}:{name}"


Preset: TypeAlias = Literal["quick", "standard"]


@dataclass(frozen=True)
class GeneraliseConfig(ResampledSettings):
    """Train on one distribution, evaluate on others: phases, starts, variants, opponents, boards.

    Every axis is a list of splits; a model is trained on one of them and tested on all. Sizes come
    as presets: `quick` takes minutes on two cores, with tiny networks, `standard` is for a claim
    and takes hours.
    """

    common: ClassVar[tuple[str, ...]] = (
        "preset",
        "seed",
        "trainings",
        "learner",
        "network",
        "positions",
        "games",
    )

    axes: Annotated[tuple[str, ...], Argument(positional=True, metavar="GAME-OR-AXIS ...")] = ()
    """Axes such as krk/distance, all of a game such as krk, your own as module:attr (none: all of
    the package)."""
    preset: Preset = "quick"
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

    device: str | None = None
    """Device of networks, such as cpu or cuda; none: a GPU if there is one."""


@dataclass(frozen=True)
class OwnConfig(ResampledSettings):
    """Settings of a run whose axes are given as objects."""

    preset: str = "own"
    """Always ``own``."""
    trainings: PositiveInt = 1
    """Number of trainings of every row."""
    axes: tuple[str, ...] = ()
    """Names of the axes, each with a digest of its description, which is in axes.json."""
    sizes: GeneraliseConfig | None = None
    """Sizes of training and test in axes of the package; none without such axes."""


PRESETS: dict[Preset, GeneraliseConfig] = presets_of(
    GeneraliseConfig(),
    standard={
        "trainings": 3,
        "network": "resnet-32x4",
        "positions": 200_000,
        "games": 4_000,
        "test_games": 400,
    },
)
"""The sizes, smallest first."""


_STAGES = "phasezoo.experiments.generalisation.study:GeneraliseRun"

_PACKAGES = {"matplotlib": "plot"}


class _Generalise(Study[GeneraliseConfig]):
    """The study of axes by their names."""

    def resume(self, out: Path, console: Console | None = None) -> Any:
        """Finish the run in ``out``; see :meth:`Study.resume`."""
        record = read_record(out, self.name)
        if record is not None and record.config.get("preset") == OWN.default.preset:
            message = (
                f"{out}: a program started this run by experiments.generalise(…), and its axes "
                "are objects of that program: start the program again, and the same call with "
                f"out={str(out)!r} goes on where it stopped"
            )
            raise RunDirectoryError(message)
        return super().resume(out, console)


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
