"""Axes, learners and agents by name: the only file of this folder that names rooms.

The texts of learners and agents are written as those of agents (``docs/definitions/agents.md``);
the page ``docs/definitions/generalise.md`` lists them.
"""

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from phasezoo import gating
from phasezoo.agents.catalogue import AGENTS
from phasezoo.errors import InvalidConfig, MissingDependency, PhasezooError
from phasezoo.experiments.generalisation.config import Axis, GeneraliseConfig
from phasezoo.experiments.generalisation.learners import ExpertsLearner, SupervisedLearner
from phasezoo.experiments.generalisation.measures import Together
from phasezoo.experiments.settings import listed, option
from phasezoo.plugins import attribute_named
from phasezoo.specs import Recipe, Registry, SpecText, read_spec, unknown_option
from phasezoo.zoo.boards.axes import phases, ratings, variants
from phasezoo.zoo.connect_four.axes import plies
from phasezoo.zoo.krk.axes import distance, regions
from phasezoo.zoo.pommerman.axes import opponents, sizes

RATED = "chess/ratings"
"""The axis of a user's own rated games."""

AXES: dict[str, Callable[[GeneraliseConfig], Axis]] = {
    "krk/distance": distance,
    "krk/regions": regions,
    "connect-four/plies": plies,
    "chess/phases": phases,
    "chess/variants": variants,
    RATED: ratings,
    "pommerman/opponents": opponents,
    "pommerman/sizes": sizes,
}
"""Functions that make the axes ``GAME/RESPECT`` from the settings of a run."""

GAMES = tuple(dict.fromkeys(name.partition("/")[0] for name in AXES))
"""Names that stand for all axes of a game."""

_SB3 = "phasezoo.integrations.sb3:SB3Learner"

_OWN = ", and your own as module:attr"


def _registry(
    what: str, known: Mapping[str, Any], advice: str = _OWN, **options: Any
) -> Registry[Any]:
    return Registry(
        what,
        None,
        lambda: known,
        error=InvalidConfig,
        refusal=InvalidConfig,
        advice=advice,
        **options,
    )


REGISTRY = _registry("axis", AXES, f", a game's name for all of its axes{_OWN}", reserved=GAMES)
"""The axes by name."""


def axes_of(config: GeneraliseConfig) -> dict[str, Axis | PhasezooError]:
    """Make the axes that a run's settings name; an error stands for one that cannot be made."""
    names = config.axes or GAMES
    own = any(":" in name for name in names)  # which may use any setting
    if not own and not {RATED, RATED.partition("/")[0]} & set(names):
        for setting in ("store", "bands"):
            if getattr(config, setting):
                message = (
                    f"{option(setting)}: is for the axis {RATED}, which is not among "
                    f"{listed(names)}; leave it out, or add the axis"
                )
                raise InvalidConfig(message)
    return axes_named(names, config)


def axes_named(names: Sequence[str], config: GeneraliseConfig) -> dict[str, Axis | PhasezooError]:
    """Make axes by their names, by their game, or as a user's ``module:attr``.

    The error of one that the settings do not suit is raised only if it was named itself.
    """
    found: dict[str, Axis | PhasezooError] = {}
    for name in names:
        if ":" in name:
            own = (_chosen(axis, config) for axis in _own_axes(name, config))
            found.update({axis.name: axis for axis in own})
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


def _own_axes(text: str, config: GeneraliseConfig) -> list[Axis]:
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


def with_learner(axis: Axis, text: str) -> Axis:
    """Return the axis with another learner."""
    spec = read_spec(text)
    if spec.name in LEARNERS:
        recipe = LEARNERS[spec.name]
        changed: Axis = recipe.build(spec.name, {"axis": axis, **recipe.read_options(spec)})
        return changed
    learner = _own_callable(spec, LEARNERS, "(data, seed, out) -> model")
    if inspect.isclass(learner):
        own = Recipe(learner)
        learner = own.build(text, own.read_options(SpecText(text, None, spec.options)))
    elif spec.options:
        message = f"--learner {text}: only a class takes options"
        raise InvalidConfig(message)
    return dataclasses.replace(axis, learner=learner)


def _network(axis: Axis, network: str | None = None, positions: int | None = None) -> Axis:
    """Return the axis with another network, or other amounts of training."""
    own = _supervised(axis, "network")
    given = {"network": network, "positions": positions}
    changes: dict[str, Any] = {name: one for name, one in given.items() if one is not None}
    return dataclasses.replace(axis, learner=dataclasses.replace(own, **changes))


def _experts(
    axis: Axis,
    gate: str,
    strategy: str = "separated",
    network: str | None = None,
    positions: int | None = None,
) -> Axis:
    """Return the axis with an expert for each phase of a gate."""
    gating.make(gate)
    own = _supervised(axis, "experts")
    if axis.by_phase:
        message = (
            f"--learner experts: a model of {axis.name} sees one phase alone; choose an axis "
            "whose splits hold all phases"
        )
        raise InvalidConfig(message)
    changes = {"network": network or own.network, "positions": positions or own.positions}
    learner = ExpertsLearner(**vars(own) | changes, gate=gate, strategy=strategy)
    return dataclasses.replace(axis, learner=learner)


def _stable_baselines(
    axis: Axis,
    algorithm: str = "MaskablePPO",
    timesteps: int = 20_000,
    n_envs: int = 8,
    policy: str = "MlpPolicy",
    options: Mapping[str, str] | None = None,
) -> Axis:
    """Return the axis with a model of Stable-Baselines3, which learns in its environments."""
    made = _algorithm(algorithm)
    known = set(inspect.signature(made).parameters) - {"policy", "env", "seed"}
    values = {}
    for name, text in (options or {}).items():
        if name not in known:
            message = f"--learner sb3: {unknown_option(name, algorithm, sorted(known))}"
            raise InvalidConfig(message)
        try:
            values[name] = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            values[name] = text
    learner = attribute_named(_SB3)(made, timesteps, n_envs, policy, values)
    lacking = [split.name for split in axis.rows if split.environment is None]
    if lacking:
        message = (
            f"--learner sb3: {axis.name} has no environment to learn {lacking[0]!r} in; name "
            "axes whose splits have one (docs/howto/generalise.md lists them)"
        )
        raise InvalidConfig(message)
    splits = [dataclasses.replace(split, train=split.environment) for split in axis.splits]
    return dataclasses.replace(axis, splits=tuple(splits), learner=learner)


LEARNERS = _registry(
    "learner",
    {
        "network": Recipe(_network, first="network"),
        "experts": Recipe(_experts, first="gate"),
        "sb3": Recipe(_stable_baselines, first="algorithm", rest="options"),
    },
)
"""Learners by name, with their options."""


def _supervised(axis: Axis, name: str) -> SupervisedLearner:
    if not isinstance(axis.learner, SupervisedLearner):
        message = (
            f"--learner {name}: {axis.name} has no stored games to learn from; give a learner of "
            "your own by module:attr"
        )
        raise InvalidConfig(message)
    return axis.learner


def _algorithm(name: str) -> Any:
    """Return a class of Stable-Baselines3 by its name, or by its module."""
    if ":" in name:
        return attribute_named(name)
    packages = [import_module(package) for package in ("stable_baselines3", "sb3_contrib")]
    found = {each: getattr(package, each) for package in packages for each in package.__all__}
    known = {each: one for each, one in found.items() if hasattr(one, "learn")}
    return _registry("algorithm", known, advice="").get_or_raise(name)


def with_agent(axis: Axis, agent: "str | Callable[[Any, int], Any]") -> Axis:
    """Return the axis with another agent, which plays with the models.

    Args:
        axis: The axis.
        agent: The text of one of :data:`PLAYERS`, or a user's ``module:attr``; or a function of the
            model and a seed.
    """
    made = Player(agent) if isinstance(agent, str) else agent
    measure = _measure_with(axis.measure, made)
    if measure is None:
        message = (
            f"--agent: in {axis.name} nothing is played, but "
            f"{', '.join(score.name for score in axis.measure.scores)} measured; name axes "
            "that are played, or leave --agent out"
        )
        raise InvalidConfig(message)
    learner = type(axis.learner).__name__
    wants_evaluator = isinstance(made, Player) and read_spec(made.text).name in PLAYERS
    if _SB3.endswith(f":{learner}") and wants_evaluator:
        message = f"--agent {agent}: a model of {learner} is an agent itself; leave --agent out"
        raise InvalidConfig(message)
    return dataclasses.replace(axis, measure=measure)


def _measure_with(measure: Any, agent: Any) -> Any:
    """Return the measure with another agent; None if nothing is played for it."""
    if isinstance(measure, Together):
        parts = [_measure_with(each, agent) for each in (measure.first, measure.second)]
        if parts == [None, None]:
            return None
        return Together(parts[0] or measure.first, parts[1] or measure.second)
    fields = dataclasses.fields(measure) if dataclasses.is_dataclass(measure) else ()
    if "agent" in {field.name for field in fields}:
        return dataclasses.replace(measure, agent=agent)
    return None


@dataclass(frozen=True)
class Player:
    """An agent that plays with a model, by its text.

    Raises:
        InvalidConfig: There is no such agent, or it takes no evaluator.
    """

    text: str
    """One of :data:`PLAYERS` with its options, such as ``mcts:nodes=50``, or ``module:attr``: a
    function of the model and a seed that returns an agent."""

    def __post_init__(self) -> None:
        self._made()

    def __call__(self, model: Any, seed: int) -> Any:
        """Make the agent."""
        name, make = self._made()
        if name is not None and not hasattr(model, "evaluate"):
            message = (
                f"--agent {self.text}: {name} needs an evaluator, but the model is a "
                f"{type(model).__name__}; leave --agent out, or name your own function by "
                "module:attr"
            )
            raise InvalidConfig(message)
        return make(model, seed)

    def _made(self) -> tuple[str | None, Callable[[Any, int], Any]]:
        """Return the name of an agent of the package, and the function that makes it."""
        spec = read_spec(self.text)
        if spec.name not in AGENTS:
            own = _own_callable(spec, PLAYERS, "(model, seed) -> agent")
            if spec.options:
                message = f"--agent {self.text}: a function of your own takes no options"
                raise InvalidConfig(message)
            return None, own
        if spec.name not in PLAYERS:
            message = (
                f"--agent {self.text}: {spec.name} cannot play with a model; expected "
                f"{', '.join(PLAYERS)}, or module:attr"
            )
            raise InvalidConfig(message)
        recipe = PLAYERS[spec.name]
        given = recipe.read_options(spec)
        if "net" in given:
            message = f"--agent {self.text}: net= is the model of each row; leave it out"
            raise InvalidConfig(message)

        def make(model: Any, seed: int) -> Any:
            return recipe.build(spec.name, {"seed": seed, **given, "evaluator": model})

        return spec.name, make


PLAYERS = _registry(
    "agent",
    {name: AGENTS[name] for name in ("policy", "mcts", "decoupled_mcts", "single_player_mcts")},
)
"""Agents that play with an evaluator; ``mcts`` searches with each expert in its phase."""


def _own_callable(spec: SpecText, known: Registry[Any], call: str) -> Any:
    """Return a user's callable, which a text names by ``module:attr``."""
    if spec.first is None:
        raise known.unknown(spec.name)
    try:
        found = attribute_named(f"{spec.name}:{spec.first}")
    except InvalidConfig as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            raise known.unknown(spec.name) from error
        raise
    if not callable(found):
        message = f"--{known.what} {spec.name}:{spec.first}: expected a callable {call}"
        raise InvalidConfig(message)
    return found
