"""What is generalised over: named splits, who learns from them, and how the result is measured.

Nothing here knows what is learnt or tested. A split gives training data and test data, a learner
makes a model of the one, and a measure scores the model on the other
(``docs/definitions/generalise.md``).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.scores import Sample, Score

__all__ = ["Axis", "Environment", "Learner", "Measure", "Measured", "Split", "SupportsMeasure"]


Environment: TypeAlias = tuple[str, Mapping[str, Any]]
"""An environment's id and its options."""


@dataclass(frozen=True)
class Split:
    """One distribution: what is learnt there, and what is tested there.

    Both may be the data themselves, or a function of a seed that draws them, which is called when
    they are needed. A split without ``test`` is only a row of the matrix, one without ``train``
    only a column.
    """

    name: str
    """How rows and columns are called."""
    train: Any = None
    """What the learner gets."""
    test: Any = None
    """What the measures get."""
    environment: Environment | None = None
    """Where those learn who act instead of reading, such as models of Stable-Baselines3."""


class Learner(Protocol):
    """Makes a model from a split's training data.

    It is called again with the same arguments if a run goes on whose cells are not all there: what
    it finds finished in ``out`` it may use.
    """

    def __call__(self, data: Any, seed: int, out: Path, /) -> Any:
        """A model: whatever the measures take, such as an evaluator or an agent."""


Measured: TypeAlias = "Sample | Sequence[float] | Mapping[str, Sample | Sequence[float]]"
"""What a measure answers: one number for each independent group of its test data, such as a game or
a start, the same groups for every model; for several scores by their names."""


class SupportsMeasure(Protocol):
    """Scores a model on a split's test data."""

    @property
    def scores(self) -> Sequence[Score]:
        """What it answers."""

    def __call__(self, model: Any, data: Any, seed: int, /) -> Measured:
        """The scores of ``model``; the same seed for every model that is tested there."""


@dataclass(frozen=True)
class Measure:
    """A function of one's own as a measure.

    Args:
        function: ``(model, data, seed)`` -> what :data:`Measured` says.
        scores: What it answers; of several by their names.
    """

    function: Callable[[Any, Any, int], Measured]
    scores: tuple[Score, ...]

    def __init__(self, function: Callable[[Any, Any, int], Measured], *scores: Score) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "scores", scores)

    def __call__(self, model: Any, data: Any, seed: int) -> Measured:
        """What the function says."""
        return self.function(model, data, seed)


@dataclass(frozen=True)
class Axis:
    """Splits that differ in one respect, with a learner and a measure that suit them.

    Raises:
        InvalidConfig: Splits have no names or the same, there is none to learn from or to test on,
            or learner or measure are none.
    """

    name: str
    """Such as ``krk/distance``."""
    splits: tuple[Split, ...]
    """In the order of rows and columns."""
    learner: Learner
    """Who learns."""
    measure: SupportsMeasure
    """What is measured; its first score is the one that is told first."""
    about: str = ""
    """What the splits are, in a sentence or two."""
    by_phase: bool = False
    """Whether its splits are phases, so that who learns from one sees no other."""

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
        used: tuple[Any, ...] = (self.learner, self.measure)
        if not all(map(callable, used)):
            message = (
                f"{self.name}: expected learner(data, seed, out) and measure(model, data, seed), "
                "both callable"
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
        """The splits that can be learnt from."""
        return tuple(split for split in self.splits if split.train is not None)

    @property
    def columns(self) -> tuple[Split, ...]:
        """The splits that can be tested on."""
        return tuple(split for split in self.splits if split.test is not None)
