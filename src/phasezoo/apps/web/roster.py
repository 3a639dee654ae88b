"""Agents by their texts, each made once, and which texts a page may name."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from phasezoo import agents, games
from phasezoo.agents.spec_text import read_spec
from phasezoo.errors import InvalidConfig
from phasezoo.inference import packaged
from phasezoo.inference.parallel import parallel_calls_of

__all__ = ["Listed", "Roster"]

KEPT = 32
"""Agents that are kept for the next game; networks take memory."""

PERSON = "human"
"""The agent that asks at the terminal; on the page, people have seats of their own."""

HARMLESS = (
    "beam",
    "decoupled_mcts",
    "m2cts",
    "mcts",
    "policy",
    "random",
    "scripted",
    "simple",
    "simple_unbiased",
    "single_player_mcts",
    "tablebase",
    "uct",
)
"""Agents whose texts import no module, start no program and load no pickled objects."""

FOLDERS = ("net", "experts")
"""Options that name folders of networks."""

FILES = ("syzygy",)
"""Options that name other files."""


class Listed(NamedTuple):
    """An agent that is shared by games."""

    agent: Any
    lock: "threading.Lock | None"
    """Held while it is asked; None if any number of threads may ask at once."""


class Roster:
    """Makes agents of their texts.

    Args:
        named: Texts that were named when the server was started; these are always allowed.
        trusting: Whether pages may name any agent, those that import modules, start programs or
            load pickled objects among them.
        folders: Where networks may lie that pages name, if it is not trusting.
    """

    def __init__(
        self, named: Sequence[str] = (), *, trusting: bool = True, folders: Sequence[Path] = ()
    ) -> None:
        self.named = tuple(named)
        self._trusting = trusting
        self._folders = tuple(folder.resolve() for folder in folders)
        self._made: OrderedDict[str, Listed] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> Listed:
        """The agent of a text; it may take seconds to load.

        Raises:
            PhasezooError: The text is not understood, names what is not there, or is not allowed.
        """
        self.check(text)
        with self._lock:
            found = self._made.get(text)
            if found is None:
                agent = agents.parse(text)
                evaluator = getattr(agent, "evaluator", None)
                at_once = evaluator is None or parallel_calls_of(evaluator) > 0
                if not at_once and not loads(text):
                    return Listed(agent, None)  # as soon made as shared, and nobody waits for it
                found = self._made[text] = Listed(agent, None if at_once else threading.Lock())
            self._made.move_to_end(text)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        return found

    def check(self, text: str) -> None:
        """Refuse a text that pages may not name.

        Raises:
            InvalidConfig: It is one.
        """
        spec = read_spec(text)
        if spec.name == PERSON:
            message = f"{text!r} asks at the terminal of the server: leave the seat to a person"
            raise InvalidConfig(message)
        if self._trusting or text in self.named:
            return
        advice = "name it when the server is started: phasezoo web --agents TEXT"
        if spec.name not in HARMLESS:
            message = f"{text!r} may run programs of its own, which pages may not ask for; {advice}"
            raise InvalidConfig(message)
        for option, value in spec.options.items():
            if option in FILES or (option in FOLDERS and not self._is_allowed(value)):
                message = f"{option}={value}: lies outside the folders of this server; {advice}"
                raise InvalidConfig(message)

    def _is_allowed(self, folder: str) -> bool:
        if folder in packaged.packaged_networks():
            return True
        found = Path(folder).resolve()
        return any(found.is_relative_to(allowed) for allowed in self._folders)

    def suggestions(self, game: games.Game) -> list[str]:
        """Texts that fit a game, the ones named at the start first."""
        nets = _networks_of(game)
        found = [*self.named]
        if game.search_others:
            found += [*game.scripted, "single_player_mcts:simulations=60", "random"]
            return found
        for net in nets:
            kind = "m2cts:experts" if _is_mixture(net) else "mcts:net"
            found += [f"{kind}={net},nodes=400,batch_size=8", f"policy:net={net}"]
        found += ["uct:simulations=3000", "mcts:nodes=800", "random"]
        if game.has_table:
            found.append("tablebase")
        return found


def loads(text: str) -> bool:
    """Whether an agent's text names a network."""
    return any(option in FOLDERS for option in read_spec(text).options)


def _networks_of(game: games.Game) -> list[str]:
    """The networks in the package that play a game: their names begin with it."""
    start = f"{packaged.PREFIX}{game.name}-"
    return [net for net in packaged.packaged_networks() if net.startswith(start)]


def _is_mixture(net: str) -> bool:
    return (packaged.resolved(net) / packaged.EXPERTS).is_file()
