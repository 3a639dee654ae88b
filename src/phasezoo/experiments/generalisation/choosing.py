"""Who learns and who plays, chosen by short texts in place of what an axis has.

The texts are written as those of agents (``docs/definitions/agents.md``); what there is to choose
stands on the page ``docs/definitions/generalise.md``.
"""

import ast
import dataclasses
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from typing import Any

from phasezoo import gating
from phasezoo.agents.catalogue import AGENTS
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.axis import Axis
from phasezoo.experiments.generalisation.learners import ExpertsLearner, SupervisedLearner
from phasezoo.experiments.generalisation.measures import Together
from phasezoo.plugins import attribute_named
from phasezoo.specs import Recipe, SpecText, did_you_mean, read_spec, unknown_option

_SB3 = "phasezoo.integrations.sb3:SB3Learner"


def with_learner(axis: Axis, text: str) -> Axis:
    """The axis with another learner.

    Args:
        axis: The axis.
        text: ``network``, ``experts:GATE``, ``sb3:ALGORITHM``, or ``module:attr`` of one's own.

    Raises:
        InvalidConfig: There is no such learner, or it cannot learn what the axis has.
        MissingDependency: A package is missing; the message names the extra.
    """
    spec = read_spec(text)
    kind = LEARNERS.get(spec.name)
    if kind is not None:
        changed: Axis = kind.build(spec.name, kind.read_options(spec)).of(axis)
        return changed
    found = _own(spec, "learner", LEARNERS)
    if inspect.isclass(found):
        own = Recipe(found)
        found = own.build(text, own.read_options(SpecText(text, None, spec.options)))
    elif spec.options:
        message = f"--learner {text}: only a class takes options"
        raise InvalidConfig(message)
    return dataclasses.replace(axis, learner=found)


def with_agent(axis: Axis, agent: "str | Callable[[Any, int], Any]") -> Axis:
    """The axis with another agent playing what was learnt.

    Args:
        axis: The axis.
        agent: The text of one of :data:`PLAYERS`, or ``module:attr`` of one's own; or a function of
            the model and a seed.

    Raises:
        InvalidConfig: There is no such agent, it does not play what was learnt, or nothing is
            played in the axis.
    """
    made = Player(agent) if isinstance(agent, str) else agent
    measure = _played(axis.measure, made)
    if measure is None:
        message = (
            f"--agent: in {axis.name} nothing is played, but "
            f"{', '.join(score.name for score in axis.measure.scores)} measured; name axes "
            "that are played, or leave --agent out"
        )
        raise InvalidConfig(message)
    learner = type(axis.learner).__name__
    if _SB3.endswith(f":{learner}") and _asks_evaluator(made):
        message = f"--agent {agent}: a model of {learner} is an agent itself; leave --agent out"
        raise InvalidConfig(message)
    return dataclasses.replace(axis, measure=measure)


@dataclass(frozen=True)
class Player:
    """Plays with what was learnt, as a text says.

    Raises:
        InvalidConfig: There is no such agent, or none that takes an evaluator.
    """

    text: str
    """One of :data:`PLAYERS` with its options, such as ``mcts:nodes=50``, or ``module:attr``: a
    function of the model and a seed that answers an agent."""

    def __post_init__(self) -> None:
        self._made()

    def __call__(self, model: Any, seed: int) -> Any:
        """The agent.

        Raises:
            InvalidConfig: The model is no evaluator.
        """
        name, made = self._made()
        if name is not None and not hasattr(model, "evaluate"):
            message = (
                f"--agent {self.text}: {name} asks an evaluator, but a {type(model).__name__} was "
                "learnt; leave --agent out, or name a function of your own by module:attr"
            )
            raise InvalidConfig(message)
        return made(model, seed)

    def _made(self) -> tuple[str | None, Callable[[Any, int], Any]]:
        """The name of an agent of the package, and what makes it of a model."""
        spec = read_spec(self.text)
        if spec.name not in AGENTS:
            own = _own(spec, "agent", PLAYERS)
            if spec.options:
                message = f"--agent {self.text}: a function of your own takes no options"
                raise InvalidConfig(message)
            return None, own
        if spec.name not in PLAYERS:
            message = (
                f"--agent {self.text}: {spec.name} plays nothing of what was learnt; expected "
                f"{', '.join(PLAYERS)}, or module:attr"
            )
            raise InvalidConfig(message)
        kind = AGENTS[spec.name]
        given = kind.read_options(spec)
        if "net" in given:
            message = f"--agent {self.text}: net= is what each row learns; leave it out"
            raise InvalidConfig(message)

        def make(model: Any, seed: int) -> Any:
            return kind.build(spec.name, {"seed": seed, **given, "evaluator": model})

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
                f"--learner experts: who learns in {axis.name} sees one phase alone; choose an "
                "axis whose splits hold all phases"
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
                "axes whose splits have one (docs/howto/generalise.md tells them)"
            )
            raise InvalidConfig(message)
        splits = [dataclasses.replace(split, train=split.environment) for split in axis.splits]
        return dataclasses.replace(axis, splits=tuple(splits), learner=learner)

    def _read(self, algorithm: Any) -> dict[str, Any]:
        """The values of the algorithm's own options."""
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


LEARNERS: dict[str, Recipe] = {
    "network": Recipe(_Network, first="network"),
    "experts": Recipe(_Experts, first="gate"),
    "sb3": Recipe(_StableBaselines, first="algorithm", rest="options"),
}
"""Learners by name, with their options."""

PLAYERS = ("policy", "mcts", "decoupled_mcts", "single_player_mcts")
"""Agents that play with an evaluator; of experts ``mcts`` searches with each in its phase."""


def _supervised(axis: Axis, name: str) -> SupervisedLearner:
    if not isinstance(axis.learner, SupervisedLearner):
        message = (
            f"--learner {name}: {axis.name} has no stored games to learn from; give a learner of "
            "your own by module:attr"
        )
        raise InvalidConfig(message)
    return axis.learner


def _algorithm(name: str) -> Any:
    """A class of Stable-Baselines3 by its name, or by its module."""
    if ":" in name:
        return attribute_named(name)
    found: dict[str, Any] = {}
    for package in ("stable_baselines3", "sb3_contrib"):
        module = import_module(package)
        found |= {each: getattr(module, each) for each in module.__all__}
    known = {each: one for each, one in found.items() if hasattr(one, "learn")}
    if name not in known:
        hint = did_you_mean(name, known)
        message = f"--learner sb3:{name}: no such algorithm{hint} There are {', '.join(known)}"
        raise InvalidConfig(message)
    return known[name]


def _own(spec: SpecText, what: str, known: Collection[str]) -> Any:
    """What ``module:attr`` names.

    Raises:
        InvalidConfig: There is no such module and no such name, or it cannot be called.
    """
    if spec.first is None:
        raise _unknown(spec.name, what, known)
    try:
        found = attribute_named(f"{spec.name}:{spec.first}")
    except InvalidConfig as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            raise _unknown(spec.name, what, known) from error
        raise
    if not callable(found):
        expected = "(data, seed, out) -> model" if what == "learner" else "(model, seed) -> agent"
        message = f"--{what} {spec.name}:{spec.first}: expected a callable {expected}"
        raise InvalidConfig(message)
    return found


def _unknown(name: str, what: str, known: Collection[str]) -> InvalidConfig:
    return InvalidConfig(
        f"--{what} {name}: no such {what}{did_you_mean(name, known)} There are {', '.join(known)}, "
        "and one's own as module:attr"
    )


def _played(measure: Any, agent: Any) -> Any:
    """The measure with another agent; None if nothing is played for it."""
    if isinstance(measure, Together):
        parts = [_played(each, agent) for each in (measure.first, measure.second)]
        if parts == [None, None]:
            return None
        return Together(parts[0] or measure.first, parts[1] or measure.second)
    if is_dataclass(measure) and "agent" in {field.name for field in fields(measure)}:
        return dataclasses.replace(measure, agent=agent)  # type: ignore[type-var]
    return None


def _asks_evaluator(agent: Any) -> bool:
    return isinstance(agent, Player) and read_spec(agent.text).name in PLAYERS
