"""Presets and checks that the settings of every study share."""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Interval

from phasezoo.errors import InvalidConfig
from phasezoo.specs import PositiveInt, PositiveUInt16, as_typed, changed_among, check

MOST_AN_UPDATE = 65_536
"""Training positions of one update, at the most."""

Config = TypeVar("Config", bound=Any)


@dataclass(frozen=True)
class StudySettings:
    """The settings that every study has."""

    preset: str = ""
    """Where all other settings start from; each can still be given."""
    seed: Annotated[int, Interval(ge=0, le=2**64 - 1)] = 1
    """Everything random derives from it."""
    threads: PositiveUInt16 | None = None
    """Threads of native code and networks (none: every usable core)."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        check(self, as_typed)


@dataclass(frozen=True)
class ResampledSettings(StudySettings):
    """The settings of a study whose intervals are bootstrapped."""

    resamples: Annotated[int, Ge(100)] = 2000
    """Resamples behind every bootstrapped interval."""


@dataclass(frozen=True)
class TrainedSettings(ResampledSettings):
    """The settings of a study that trains networks."""

    device: str | None = None
    """Where networks are trained and run, such as cpu or cuda; none: a GPU if there is one."""
    train_workers: PositiveInt = 1
    """Networks trained at the same time, each in a process of its own with its share of the
    threads; every process holds the games once more."""


def presets_of(smallest: Config, **larger: Mapping[str, Any]) -> dict[Any, Config]:
    """Return a study's presets, smallest first."""
    found = {smallest.preset: smallest}
    last = smallest
    for preset, changes in larger.items():
        found[preset] = last = dataclasses.replace(last, preset=preset, **changes)
    return found


def option(name: str) -> str:
    """Return a setting as the command line writes it."""
    return "--" + name.replace("_", "-")


def listed(values: Iterable[object]) -> str:
    """Return several values as the command line writes them."""
    return " ".join(map(str, values))


def check_used(config: Any, whole: str, *parts: str) -> None:
    """Refuse settings that say something of ``whole``, which is left out."""
    for name in changed_among(config, *parts) if not getattr(config, whole) else ():
        given = getattr(config, name)
        text = listed(given) if isinstance(given, tuple) else given
        message = f"{option(name)} {text}: is for {option(whole)}; give both, or neither"
        raise InvalidConfig(message)


def check_rising(
    name: str, values: Sequence[float], least: float = 1, most: float = math.inf
) -> None:
    """Refuse values that do not rise strictly between bounds, or are not finite, or none."""
    finite = all(math.isfinite(value) and least <= value <= most for value in values)
    rising = all(before < after for before, after in itertools.pairwise(values))
    if not values or not finite or not rising:
        bounds = f"of {least:g} or more" if most == math.inf else f"from {least:g} to {most:,.0f}"
        message = f"{option(name)} {listed(values)}: must be one or more rising values {bounds}"
        raise InvalidConfig(message)


def check_once(name: str, values: Sequence[object]) -> None:
    """Refuse a value that is named twice."""
    if len(set(values)) < len(values):
        message = f"{option(name)} {listed(values)}: each must be there once"
        raise InvalidConfig(message)
