"""``phasezoo check``: check a module's own games, gates, evaluators and agents."""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from phasezoo import agents, games, gating, inference
from phasezoo.agents.making import OWN
from phasezoo.checking import Report, type_name
from phasezoo.errors import InvalidConfig
from phasezoo.gating.registry import own_names
from phasezoo.inference.storage.manifest import EXPERTS, MANIFEST
from phasezoo.inference.storage.packaged import PREFIX
from phasezoo.plugins import import_module
from phasezoo.specs import Argument, NonNegativeInt, PositiveInt
from phasezoo.specs.text import did_you_mean

FOUND_BROKEN = 1


@dataclass(frozen=True)
class CheckOptions:
    """Check one's own games, gates, evaluators and agents, and name each contract they break.

    Games and gates that the module registers are checked, and the evaluators and agents that it
    defines: objects, and classes that are made without arguments.
    """

    module: Annotated[str, Argument(positional=True)]
    """Thing to import: my_module, my_module.py, or my_module:name for one object of it; or the
    folder of a network or of experts; or the name of a game; or an agent's name or text, such as
    mcts:nodes=50."""
    game: str | None = None
    """Game that gates, evaluators and agents are shown; none: a network's own, the module's first,
    else chess."""
    games: PositiveInt = 20
    """Random games that are played of a game."""
    seed: NonNegativeInt = 0
    """Draws everything random."""

    def run(self) -> int:
        """Check and print; 1 if a contract is broken."""
        broken = 0
        for report in self._reports():
            sys.stdout.write(f"{report}\n")
            broken += not report.ok
        return FOUND_BROKEN if broken else 0

    def _reports(self) -> Iterator[Report]:
        if _names_network(self.module):
            yield inference.check(inference.load(self.module), self.game, seed=self.seed)
            return
        path, _, attribute = self.module.rpartition(":") if _names_object(self.module) else (
            self.module, "", "",
        )  # fmt: skip
        known_games, known_gates = set(games.names()), set(own_names())
        if self.module in known_games:  # before a module of its name, as python-chess is for chess
            yield games.check(self.module, games=self.games, seed=self.seed)
            return
        if _describes_agent(self.module):
            yield self._played(agents.make(self.module), self.game or "chess")
            return
        try:
            module = import_module(path)
        except InvalidConfig as error:
            name = self.module.partition(":")[0]
            hint = did_you_mean(name, {*known_games, *agents.names()})
            if hint == ".":
                raise
            message = f"{error}; {name!r} is no game or agent either{hint}"
            raise InvalidConfig(message) from error
        own_games = [name for name in games.names() if name not in known_games]
        own_gates = [name for name in own_names() if name not in known_gates]
        game = self.game or (own_games[0] if own_games else "chess")
        if attribute:
            yield self._report(attribute, _attribute(module, attribute), game)
            return
        found = False
        for name in own_games:
            found = True
            yield games.check(name, games=self.games, seed=self.seed)
        for name in own_gates:
            found = True
            yield gating.check(name, game, seed=self.seed)
        for name, value in _defined_in(module):
            if _kind(value) is not None:
                found = True
                yield self._report(name, value, game)
        if not found:
            states = [name for name, value in _defined_in(module) if _is_state(value)]
            hint = (
                f"the class {states[0]} looks like the state of a game: register the game with "
                f"games.register('my-game', initial_state={states[0]}, …) in the same file"
                if states
                else "name one object of it: my_module:name"
            )
            message = (
                f"{self.module!r} registers no game or gate and defines no evaluator or agent; "
                f"{hint}"
            )
            raise InvalidConfig(message)

    def _report(self, name: str, value: Any, game: str) -> Report:
        if inspect.isclass(value) and not _made_without_arguments(value):
            message = (
                f"{name} cannot be made without arguments: give the name of an object that was "
                "made of it; a network's class is checked by networks.check(name, shape, actions)"
            )
            raise InvalidConfig(message)
        made: Any = value() if inspect.isclass(value) else value
        kind = _kind(made)
        if kind == "game":
            return games.check(made, games=self.games, seed=self.seed)
        if kind == "gate":
            return gating.check(made, game, seed=self.seed)
        if kind == "evaluator":
            own = isinstance(getattr(made, "game", None), str | games.Game)
            return inference.check(made, self.game if own else game, seed=self.seed)
        if kind == "agent":
            return self._played(made, game)
        message = (
            f"{name} is {type_name(made)}: neither a game, a gate, an evaluator (with "
            "evaluate(planes) and plane_spec) nor an agent (observation, info) -> action"
        )
        raise InvalidConfig(message)

    def _played(self, agent: Any, game: str) -> Report:
        """Check an agent; it may think for minutes, so say that it has begun."""
        if isinstance(agent, agents.HumanAgent):
            message = "human: asks a person at the terminal; give an agent that plays by itself"
            raise InvalidConfig(message)
        games.make(game)  # or refuse now
        sys.stderr.write(f"checking {agents.name_of_agent(agent)} in {game} …\n")
        return agents.check(agent, game, seed=self.seed)


def _names_network(given: str) -> bool:
    """Whether it is a network's folder: a package of modules may be a folder of that name too."""
    folder = Path(given)
    is_network = any((folder / file).is_file() for file in (MANIFEST, EXPERTS))
    is_path = folder.is_dir() and not given.isidentifier()
    return given.startswith(PREFIX) or is_network or is_path


def _describes_agent(given: str) -> bool:
    """Whether it is an agent's name or text, which goes before a module of its name."""
    name = given.partition(":")[0]
    return name in agents.names() and (name == OWN or not _names_object(given))


def _names_object(given: str) -> bool:
    return ":" in given and given.rpartition(":")[2].isidentifier()


def _attribute(module: ModuleType, name: str) -> Any:
    if not hasattr(module, name):
        message = f"{module.__name__!r} has no {name!r}"
        raise InvalidConfig(message)
    return getattr(module, name)


def _defined_in(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, value in list(vars(module).items()):
        kind = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
        if not name.startswith("_") and getattr(kind, "__module__", None) == module.__name__:
            yield name, value


def _is_state(value: Any) -> bool:
    return inspect.isclass(value) and all(
        hasattr(value, name) for name in ("is_terminal", "legal_actions", "play", "returns")
    )


def _kind(value: Any) -> str | None:
    """Return the kind of checker for an object; None if there is no checker for it."""
    if inspect.isclass(value) and not _made_without_arguments(value):
        return None
    if isinstance(value, games.Game):
        return "game"
    if isinstance(value, gating.Gate | gating.CallableGate):
        return "gate"
    if hasattr(value, "plane_spec") and (
        hasattr(value, "evaluate") or hasattr(value, "evaluate_batch")
    ):
        return "evaluator"
    called = value.__call__ if inspect.isclass(value) else value
    if hasattr(value, "session") or _takes_observation(called, inspect.isclass(value)):
        return "agent"
    return None


def _made_without_arguments(kind: type) -> bool:
    try:
        inspect.signature(kind).bind()
    except (TypeError, ValueError):
        return False
    return True


def _takes_observation(called: Any, unbound: bool) -> bool:
    """Whether it is called with ``(observation, info)``, as an agent is."""
    try:
        names = list(inspect.signature(called).parameters)
    except (TypeError, ValueError):
        return False
    return names[int(unbound) :][:2] == ["observation", "info"]
