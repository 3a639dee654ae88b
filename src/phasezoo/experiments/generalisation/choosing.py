"""Learners and agents by short texts, in place of those of an axis.

The texts are written as those of agents (``docs/definitions/agents.md``); the page
``docs/definitions/generalise.md`` lists the learners and the agents.
"""

import ast
import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from phasezoo import gating
from phasezoo.agents.catalogue import AGENTS
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.axis import Axis
from phasezoo.experiments.generalisation.learners import ExpertsLearner, SupervisedLearner
from phasezoo.experiments.generalisation.measures import Together
from phasezoo.plugins import attribute_named
from phasezoo.specs import Recipe, Registry, SpecText, read_spec, unknown_option

_SB3 = "phasezoo.integrations.sb3:SB3Learner"


def with_learner(axis: Axis, text: str) -> Axis:
    """Return the axis with another learner.

    Args:
        axis: The axis.
        text: ``network``, ``experts:GATE``, ``sb3:ALGORITHM``, or a user's ``module:attr``.

    Raises:
        InvalidConfig: There is no such learner, or it cannot learn from the data of the axis.
        MissingDependency: A package is missing; the message names the extra.
    """
    spec = read_spec(text)
    if spec.name in LEARNERS:
        recipe = LEARNERS[spec.name]
        changed: Axis = recipe.build(spec.name, recipe.read_options(spec)).of(axis)
        return changed
    learner = _own(spec, LEARNERS, "(data, seed, out) -> model")
    if inspect.isclass(learner):
        own = Recipe(learner)
        learner = own.build(text, own.read_options(SpecText(text, None, spec.options)))
    elif spec.options:
        message = f"--learner {text}: only a class takes options"
        raise InvalidConfig(message)
    return dataclasses.replace(axis, learner=learner)


def with_agent(axis: Axis, agent: "str | Callable[[Any, int], Any]") -> Axis:
    """Return the axis with another agent, which plays with the models.

    Args:
        axis: The axis.
        agent: The text of one of :data:`PLAYERS`, or a user's ``module:attr``; or a function of the
            model and a seed.

    Raises:
        InvalidConfig: There is no such agent, it cannot play with a model, or nothing is played in
            the axis.
    """
    made = Player(agent) if isinstance(agent, str) else agent
    measure = _with_agent(axis.measure, made)
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
        """Make the agent.

        Raises:
            InvalidConfig: The agent needs an evaluator, and the model is not one.
        """
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
            own = _own(spec, PLAYERS, "(model, seed) -> agent")
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


@dataclass(frozen=True)
class _Network:
    """The network of the axis."""

    network: str | None = None
    positions: int | None = None

    def of(self, axis: Axis) -> Axis:
        own = _supervised(axis, "network")
        changes = {name: value for name, value in vars(self).items() if value is not None}
        return dataclasses.replace(axis, learner=dataclasses.replace(own, **changes))


@dataclass(frozen=True)
class _Experts:
    """An expert for each phase of a gate."""

    gate: str
    strategy: str = "separated"
    network: str | None = None
    positions: int | None = None

    def of(self, axis: Axis) -> Axis:
        gating.make(self.gate)
        own = _supervised(axis, "experts")
        if axis.by_phase:
            message = (
                f"--learner experts: a model of {axis.name} sees one phase alone; choose an axis "
                "whose splits hold all phases"
            )
            raise InvalidConfig(message)
        learner = ExpertsLearner(
            network=self.network or own.network,
            positions=self.positions or own.positions,
            gate=self.gate,
            strategy=self.strategy,
            planes=own.planes,
            device=own.device,
            threads=own.threads,
            options=own.options,
        )
        return dataclasses.replace(axis, learner=learner)


@dataclass(frozen=True)
class _StableBaselines:
    """A model of Stable-Baselines3, in the environments of the axis."""

    algorithm: str = "MaskablePPO"
    timesteps: int = 20_000
    n_envs: int = 8
    policy: str = "MlpPolicy"
    options: Mapping[str, str] | None = None

    def of(self, axis: Axis) -> Axis:
        algorithm = _algorithm(self.algorithm)
        learner = attribute_named(_SB3)(
            algorithm, self.timesteps, self.n_envs, self.policy, self._read(algorithm)
        )
        lacking = [split.name for split in axis.rows if split.environment is None]
        if lacking:
            message = (
                f"--learner sb3: {axis.name} has no environment to learn {lacking[0]!r} in; name "
                "axes whose splits have one (docs/howto/generalise.md lists them)"
            )
            raise InvalidConfig(message)
        splits = [dataclasses.replace(split, train=split.environment) for split in axis.splits]
        return dataclasses.replace(axis, splits=tuple(splits), learner=learner)

    def _read(self, algorithm: Any) -> dict[str, Any]:
        """Read the values of the algorithm's own options."""
        known = set(inspect.signature(algorithm).parameters) - {"policy", "env", "seed"}
        found = {}
        for name, text in (self.options or {}).items():
            if name not in known:
                wrong = unknown_option(name, self.algorithm, sorted(known))
                message = f"--learner sb3: {wrong}"
                raise InvalidConfig(message)
            try:
                found[name] = ast.literal_eval(text)
            except (SyntaxError, ValueError):
                found[name] = text
        return found


def _registry(what: str, known: Mapping[str, Any], advice: str = "") -> Registry[Any]:
    return Registry(
        what, None, lambda: known, error=InvalidConfig, refusal=InvalidConfig, advice=advice
    )


LEARNERS = _registry(
    "learner",
    {
        "network": Recipe(_Network, first="network"),
        "experts": Recipe(_Experts, first="gate"),
        "sb3": Recipe(_StableBaselines, first="algorithm", rest="options"),
    },
    ", and your own as module:attr",
)
"""Learners by name, with their options."""

PLAYERS = _registry(
    "agent",
    {name: AGENTS[name] for name in ("policy", "mcts", "decoupled_mcts", "single_player_mcts")},
    ", and your own as module:attr",
)
"""Agents that play with an evaluator; ``mcts`` searches with each expert in its phase."""


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
    found: dict[str, Any] = {}
    for package in ("stable_baselines3", "sb3_contrib"):
        module = import_module(package)
        found |= {each: getattr(module, each) for each in module.__all__}
    known = {each: one for each, one in found.items() if hasattr(one, "learn")}
    return _registry("algorithm", known).get_or_raise(name)


def _own(spec: SpecText, known: Registry[Any], call: str) -> Any:
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


def _with_agent(measure: Any, agent: Any) -> Any:
    """Return the measure with another agent; None if nothing is played for it."""
    if isinstance(measure, Together):
        parts = [_with_agent(each, agent) for each in (measure.first, measure.second)]
        if parts == [None, None]:
            return None
        return Together(parts[0] or measure.first, parts[1] or measure.second)
    fields = dataclasses.fields(measure) if dataclasses.is_dataclass(measure) else ()
    if "agent" in {field.name for field in fields}:
        return dataclasses.replace(measure, agent=agent)
    return None
