"""The axes of the package by name: the only file of this folder that names rooms."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from phasezoo.errors import InvalidConfig, MissingDependency, PhasezooError
from phasezoo.experiments.generalisation.axis import Axis
from phasezoo.experiments.generalisation.choosing import with_agent, with_learner
from phasezoo.experiments.generalisation.config import GeneraliseConfig
from phasezoo.plugins import attribute_named
from phasezoo.specs import Registry
from phasezoo.zoo.boards.axes import phases, ratings, variants
from phasezoo.zoo.connect_four.axes import plies
from phasezoo.zoo.krk.axes import distance, regions
from phasezoo.zoo.pommerman.axes import opponents, sizes

AXES: dict[str, Callable[[GeneraliseConfig], Axis]] = {
    "krk/distance": distance,
    "krk/regions": regions,
    "connect-four/plies": plies,
    "chess/phases": phases,
    "chess/variants": variants,
    "chess/ratings": ratings,
    "pommerman/opponents": opponents,
    "pommerman/sizes": sizes,
}
"""Functions that make the axes ``GAME/RESPECT`` from the settings of a run."""

GAMES = tuple(dict.fromkeys(name.partition("/")[0] for name in AXES))
"""Names that stand for all axes of a game."""

REGISTRY: Registry[Callable[[GeneraliseConfig], Axis]] = Registry(
    "axis",
    None,
    lambda: AXES,
    error=InvalidConfig,
    refusal=InvalidConfig,
    reserved=GAMES,
    advice=", a game's name for all of its axes, and your own as module:attr",
)
"""The axes by name."""


def axes_of(config: GeneraliseConfig) -> dict[str, Axis | PhasezooError]:
    """Make the axes that a run's settings name; an error stands for one that cannot be made."""
    return axes_named(config.axes or GAMES, config)


def axes_named(names: Sequence[str], config: GeneraliseConfig) -> dict[str, Axis | PhasezooError]:
    """Make axes by their names, by their game, or as a user's ``module:attr``.

    The error of one that the settings do not suit is raised only if it was named itself.

    Raises:
        InvalidConfig: There is no axis of that name, or the settings do not suit it.
    """
    found: dict[str, Axis | PhasezooError] = {}
    for name in names:
        if ":" in name:
            found.update({axis.name: _chosen(axis, config) for axis in _own(name, config)})
            continue
        known = [one for one in AXES if name in (one, one.partition("/")[0])]
        if not known:
            raise REGISTRY.unknown(name)
        for one in known:
            try:
                found[one] = _chosen(AXES[one](config), config)
            except MissingDependency as error:
                found[one] = error
            except InvalidConfig as error:
                if name == one:
                    raise
                found[one] = error
    if not any(isinstance(axis, Axis) for axis in found.values()):
        for reason in found.values():
            if isinstance(reason, InvalidConfig):
                raise reason
    return found


def _chosen(axis: Axis, config: GeneraliseConfig) -> Axis:
    """Return the axis with the learner and the agent that the settings name."""
    if config.learner is not None:
        axis = with_learner(axis, config.learner)
    return axis if config.agent is None else with_agent(axis, config.agent)


def _own(text: str, config: GeneraliseConfig) -> list[Axis]:
    """Return a user's axis, several of them, or those that a function makes from the settings."""
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
