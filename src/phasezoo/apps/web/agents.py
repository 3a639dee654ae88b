"""Agents by their texts, each made once, and which texts a page may name."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from phasezoo import agents, games
from phasezoo.agents.catalogue import AGENTS
from phasezoo.agents.making import OWN, REGISTRY
from phasezoo.apps.uci.options import NETWORKS
from phasezoo.apps.web.bounds import Bounds
from phasezoo.apps.web.workers import Workers
from phasezoo.errors import InvalidConfig, PhasezooError
from phasezoo.gating.learned import LEARNED
from phasezoo.inference.calls import parallel_calls_of
from phasezoo.inference.formats.other_onnx import ORDERS
from phasezoo.inference.storage import packaged
from phasezoo.inference.storage.manifest import MANIFEST, Manifest
from phasezoo.specs import SpecText, read_spec, write_spec, write_value

KEPT = 32
"""Agents that are kept for the next game; networks take memory."""

PERSON = "human"
"""The agent that asks at the terminal; pages have persons of their own."""

FILES = ("syzygy",)
"""Options that name other files."""

ORDER = "actions"
"""The option that names an order of moves, some of which are files."""

GATES = ("gate", "search_gate")
"""Options that name gates, some of which are folders."""


class Listed(NamedTuple):
    """An agent that is shared by games."""

    agent: Any
    lock: "threading.Lock | None"
    """Held while it is asked; None if any number of threads may ask at once."""


class Agents:
    """Makes agents of their texts; all its methods are called by the server's one event loop.

    Args:
        named: Texts that were named when the server was started; these are always allowed.
        trusting: Whether pages may name any agent, those that import modules, start programs or
            load pickled objects among them.
        folders: Where networks may lie that pages name, if it is not trusting.
        bounds: What agents may take of the machine.
        made: Agents by their texts that were made already; each is handed out once.
    """

    def __init__(
        self,
        named: Sequence[str] = (),
        *,
        trusting: bool = True,
        folders: Sequence[Path] = (),
        bounds: Bounds | None = None,
        made: Mapping[str, Any] | None = None,
    ) -> None:
        self.named = tuple(named)
        self._trusting = trusting
        self._folders = tuple(folder.resolve() for folder in folders)
        self.bounds = bounds or Bounds()
        self._given = dict(made or {})
        self._made: OrderedDict[str, asyncio.Task[Listed]] = OrderedDict()

    async def get(self, text: str, workers: Workers) -> Listed:
        """The agent of a text; it may take seconds to load, and others are made meanwhile."""
        self.check(text)
        self.bounds.check(text)
        task = self._made.get(text)
        if task is None:
            loads = loads_network(text)
            run = workers.run(lambda: self._load(text), "load" if loads else "read")
            task = asyncio.get_running_loop().create_task(run)
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            if loads:
                self._made[text] = task
                task.add_done_callback(lambda done: self._keep(text, done))
        return await asyncio.shield(task)

    def _load(self, text: str) -> Listed:
        given = self._given.pop(text, None)
        agent = self.bounds.bounded(agents.make(text) if given is None else given)
        evaluator = getattr(agent, "evaluator", None)
        at_once = evaluator is None or parallel_calls_of(evaluator) > 0
        return Listed(agent, None if at_once or not loads_network(text) else threading.Lock())

    def _keep(self, text: str, done: "asyncio.Task[Listed]") -> None:
        """Keep what was loaded, or forget that it could not be; too many are not kept."""
        if done.cancelled() or done.exception() is not None:
            self._made.pop(text, None)
            return
        self._made.move_to_end(text)
        cached = sum(map(_cache_mb, self._made))
        while len(self._made) > KEPT or (
            cached > self.bounds.memory_mb / 2 and len(self._made) > 1
        ):
            oldest, _ = self._made.popitem(last=False)
            cached -= _cache_mb(oldest)

    def check(self, text: str) -> None:
        """Refuse a text that pages may not name."""
        spec = read_spec(text)
        if spec.name == PERSON:
            message = f"{text!r} asks at the terminal of the server: let a person play there"
            raise InvalidConfig(message)
        if spec.name != OWN and spec.first is None and REGISTRY.find(spec.name) is None:
            raise REGISTRY.unknown(spec.name)
        if self._trusting or text in self.named:
            return
        advice = (
            "name it when the server is started, phasezoo web --agents TEXT, or start it with "
            "--trust"
        )
        kind = AGENTS.get(spec.name)
        if kind is None or kind.names_code:
            message = f"{text!r} may run programs of its own, which pages may not ask for; {advice}"
            raise InvalidConfig(message)
        for option, value in spec.options.items():
            if option in GATES:
                self.check_gate(value)
            names_file = option in NETWORKS or (option == ORDER and value not in ORDERS)
            if option in FILES or (names_file and not self._is_allowed(value)):
                message = (
                    f"{option}={value}: lies outside the folders of this server, --runs; {advice}"
                )
                raise InvalidConfig(message)

    def text_of_form(self, name: str, given: Mapping[str, Any]) -> str:
        """The text of an agent with the options of a form."""
        REGISTRY.get_or_raise(name)
        spec = SpecText(name, None, {str(key): str(value) for key, value in given.items()})
        return self.checked_text(write_spec(spec))

    def checked_text(self, text: str) -> str:
        """Return a text that pages may name, whose options can be read."""
        self.check(text)  # reading the options of some agents imports modules
        spec = read_spec(text)
        recipe = REGISTRY.find(spec.name)
        if recipe is not None:
            recipe.read_options(spec)
        return text

    def check_gate(self, spec: str) -> None:
        """Refuse a gate whose folder pages may not name."""
        _, learned, folder = spec.partition(LEARNED)
        if learned and not self._trusting and not self._is_allowed(folder):
            message = (
                f"gate={spec}: lies outside the folders of this server; name its folder when the "
                "server is started: phasezoo web --runs DIR"
            )
            raise InvalidConfig(message)

    def _is_allowed(self, folder: str) -> bool:
        if folder in packaged.packaged_networks():
            return True
        try:
            found = Path(folder).resolve()
        except (OSError, ValueError, RuntimeError):  # a name that no system has, or links in a ring
            return False
        return any(found.is_relative_to(allowed) for allowed in self._folders)

    def suggestions(self, game: games.Game) -> list[str]:
        """Texts that fit a game, the ones named at the start first."""
        named = (text for text in self.named if _fits(text, game))
        return list(dict.fromkeys([*named, *_usual(game)]))


def _usual(game: games.Game) -> list[str]:
    """Texts that fit a game, of what the package has."""
    if game.search_others:
        return [*game.scripted, "single_player_mcts:simulations=60", "random"]
    found = []
    for net in _networks_of(game):
        kind = "m2cts:experts" if packaged.holds_experts(net) else "mcts:net"
        found += [f"{kind}={net},nodes=400,batch_size=8", f"policy:net={net}"]
    found += ["uct:simulations=3000", "mcts:nodes=800", "random"]
    return [*found, "tablebase"] if game.has_table else found


def _fits(text: str, game: games.Game) -> bool:
    """Whether an agent is of a game: by its networks, or else by what other games are offered."""
    spec = read_spec(text)
    nets = (_game_of(net) for option, net in spec.options.items() if option in NETWORKS)
    known = set(nets) - {None}
    if known:
        return known == {game.name}
    offered = _offered(tuple(games.names()))
    return spec.name in offered[game.name] or spec.name not in set().union(*offered.values())


@cache
def _offered(names: tuple[str, ...]) -> dict[str, set[str]]:
    """The names of the agents that games are offered."""
    return {name: {read_spec(each).name for each in _usual(games.make(name))} for name in names}


@cache
def _game_of(net: str) -> str | None:
    """The game of a network or of experts; None if no manifest says it."""
    try:
        first = next(packaged.resolved(net).rglob(MANIFEST), None)
        return None if first is None else Manifest.read(first.parent).game
    except PhasezooError:
        return None


def form_of(text: str) -> dict[str, Any]:
    """The options of the agent that a text names, for a form.

    Returns:
        ``name``; ``names`` of all agents; ``options``: name, description of the values, default,
        choices if there are few, and the text's own value.
    """
    spec = read_spec(text)
    recipe = REGISTRY.get_or_raise(spec.name)
    given = dict(spec.options)
    if spec.first is not None and recipe.first is not None:
        given[recipe.first] = spec.first
    options = [
        {
            "name": name,
            "words": option.values.words(as_text=True),
            "default": None if option.is_required else write_value(option.default),
            "choices": [
                write_value(each)
                for kind in option.values.kinds
                for each in (kind.choices or ((True, False) if kind.type is bool else ()))
            ],
            "value": given.get(name),
        }
        for name, option in recipe.options.items()
    ]
    return {
        "name": spec.name,
        "names": [each for each in REGISTRY.names() if each != PERSON],
        "options": options,
    }


def _cache_mb(text: str) -> float:
    """Memory for answers that a text asks for."""
    return float(read_spec(text).options.get("cache_mb", 0))


def loads_network(text: str) -> bool:
    """Whether an agent's text names a network."""
    return any(option in NETWORKS for option in read_spec(text).options)


def _networks_of(game: games.Game) -> list[str]:
    """The networks in the package that play a game: their names begin with it."""
    start = f"{packaged.PREFIX}{game.name}-"
    return [net for net in packaged.packaged_networks() if net.startswith(start)]
