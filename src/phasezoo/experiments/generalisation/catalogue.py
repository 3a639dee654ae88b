"""The axes of the package by name: the only file of this folder that names rooms."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from phasezoo.agents.own_agents import attribute_named
from phasezoo.errors import InvalidConfig, MissingDependency
from phasezoo.experiments.generalisation.axis import Axis
from phasezoo.experiments.generalisation.config import GeneraliseConfig
from phasezoo.zoo.boards.axes import phases, variants
from phasezoo.zoo.connect_four.axes import plies
from phasezoo.zoo.krk.axes import distance, regions
from phasezoo.zoo.pommerman.axes import opponents

__all__ = ["AXES", "axes_named", "axes_of"]

AXES: dict[str, Callable[[GeneraliseConfig], Axis]] = {
    "krk/distance": distance,
    "krk/regions": regions,
    "connect-four/plies": plies,
    "chess/phases": phases,
    "chess/variants": variants,
    "pommerman/opponents": opponents,
}
"""What makes each, ``GAME/WHAT``, from the sizes of a run."""


def axes_of(config: GeneraliseConfig) -> dict[str, Axis | MissingDependency]:
    """The axes that a run's settings name; what is missing to make one stands in its place."""
    return axes_named(config.axes or list(AXES), config)


def axes_named(
    names: Sequence[str], config: GeneraliseConfig
) -> dict[str, Axis | MissingDependency]:
    """Axes by their names, by their game, or as ``module:attr`` of one's own.

    Raises:
        InvalidConfig: There is none of that name.
    """
    found: dict[str, Axis | MissingDependency] = {}
    for name in names:
        if ":" in name:
            found.update({axis.name: axis for axis in _own(name, config)})
            continue
        known = [one for one in AXES if name in (one, one.partition("/")[0])]
        if not known:
            games = list(dict.fromkeys(one.partition("/")[0] for one in AXES))
            message = (
                f"{name!r} is no axis: there are {', '.join(AXES)}, all of a game by its name "
                f"({', '.join(games)}), and one's own as module:attr"
            )
            raise InvalidConfig(message)
        for one in known:
            try:
                found[one] = AXES[one](config)
            except MissingDependency as error:
                found[one] = error
    return found


def _own(text: str, config: GeneraliseConfig) -> list[Axis]:
    """An axis, several, or what makes them from the sizes of a run.

    Raises:
        InvalidConfig: It is none of these.
    """
    given: Any = attribute_named(text)
    if callable(given) and not isinstance(given, Axis):
        given = given(config)
    axes = [given] if isinstance(given, Axis) else given
    if not isinstance(axes, list | tuple) or not all(isinstance(axis, Axis) for axis in axes):
        message = (
            f"{text!r} gives {re.sub(r' at 0x[0-9a-f]+', '', repr(given))[:80]}; expected an Axis, "
            "several, or a function that makes them from the settings"
        )
        raise InvalidConfig(message)
    return list(axes)
