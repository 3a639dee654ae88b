"""The agent behind the engine, as its text and the options want it."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from phasezoo import agents, games
from phasezoo.apps.uci.options import CHESS960, NETWORKS, VARIANTS, Options
from phasezoo.errors import GameMismatch, InvalidConfig, PhasezooError
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.other_games import check_plays, parts_of
from phasezoo.inference.storage import packaged
from phasezoo.inference.storage.manifest import EXPERTS, MANIFEST
from phasezoo.registration import register_all
from phasezoo.specs import read_spec, write_spec

OTHER_GAME = "allow_other_game"
"""The option that lets a network play a game that it was not trained for."""

READING = {"game": "net_game", "planes": "planes", "actions": "actions"}
"""Options that say how an ONNX file is read, by their names where a network is loaded."""

SEARCHES = ("mcts", "m2cts")
"""Agents whose networks and experts options may change."""

_LIMITED = agents.UCTAgent | agents.BeamAgent | agents.DecoupledMCTSAgent
"""Agents that keep to a limit, but can not be watched as those of ``mcts`` can."""

_WARM_UP_NODES = 8
"""Nodes of a search before time counts."""


class Player:
    """One agent, one game at a time.

    Args:
        agent: Who plays.
        game: What is played.
        number: How many games were begun before, which seeds this one.
    """

    def __init__(self, agent: Any, game: games.Game, number: int = 0) -> None:
        self.agent = agent
        self.game = game
        self.searches = isinstance(agent, agents.MCTSAgent)
        seed = int(getattr(agent, "seed", 0) or 0)
        if number:
            seed = int(np.random.default_rng([seed, number]).integers(2**63))
        if self.searches:
            check_plays(agent.evaluator, game)
            self.session: Any = agent.session(seed, game)
        elif hasattr(agent, "session"):
            self.session = agent.session(seed)
        else:
            self.session = agents.CallableAgent(agent).session(seed)

    def move(self, state: Any, limit: agents.Limit, is_stopped: Callable[[], bool]) -> agents.Move:
        """Return the move of an agent that reports nothing before it."""

        def watch() -> None:
            if is_stopped():
                self.session.stop()

        if isinstance(self.agent, _LIMITED):
            known = replace(limit, depth=None, mate=None, infinite=False) if _ends(limit) else None
            found = self.session.move(state, limit=known, watch=watch)
        elif hasattr(self.session, "move"):
            found = self.session.move(state)
        else:
            found = agents.Move(self.session.act(state))
        return cast("agents.Move", found)

    def warm_up(self) -> None:
        """Search once, which takes longer the first time."""
        state = self.game.initial_state(seed=0)
        if self.searches:
            agent: agents.MCTSAgent = self.agent
            limit = agents.Limit(nodes=2 * agent.config.batch_size)
            agent.session(0, self.game).search(state, limit=limit)
        elif isinstance(self.agent, _LIMITED):
            self.agent.session(0).move(state, limit=agents.Limit(nodes=_WARM_UP_NODES))

    @property
    def limit(self) -> agents.Limit | None:
        """When the agent itself ends a search; None if it has no such limit."""
        limit = getattr(self.agent, "limit", None)
        return limit if isinstance(limit, agents.Limit) else None


def _ends(limit: agents.Limit) -> bool:
    """Whether a limit ends any search."""
    return limit.is_timed or limit.nodes is not None or limit.simulations is not None


def load(text: str, options: Options, left_out: Callable[[str], None] | None = None) -> Any:
    """The agent of a text, its networks loaded, with what the options say of them.

    Args:
        text: The agent.
        options: The options.
        left_out: Told why the agent cannot have an option, which is then left out; None: such an
            option is an error.
    """
    register_all()
    name = read_spec(text).name
    if name == "human":
        message = "human asks at the terminal, which is the interface's here: give another --agent"
        raise InvalidConfig(message)
    if name == "tablebase":
        message = (
            f"tablebase plays games whose perfect play is known, which {', '.join(VARIANTS)} are "
            "not: give another --agent; SyzygyPath serves searches in endings"
        )
        raise InvalidConfig(message)
    agent = agents.make(adapted(text, options, left_out))
    if options["UCI_Variant"] == VARIANTS[0] and OTHER_GAME not in read_spec(text).options:
        _check_chess(agent, options.game)
    return agent


def variants_of(text: str) -> tuple[str, ...]:
    """The variants that an agent plays, as far as the files of its network say it."""
    try:
        given = read_spec(text).options
        named = next(given[name] for name in NETWORKS if name in given)
        said = {name: given.get(option) for name, option in READING.items()}
        folder = packaged.resolved(named, **said)
        files = (folder / name for name in (MANIFEST, EXPERTS))
        found = next(file for file in files if file.is_file())
        game = json.loads(found.read_bytes())["game"]
    except (PhasezooError, OSError, ValueError, LookupError, TypeError, StopIteration):
        return VARIANTS  # there is no network, or loading it says what is wrong
    game = VARIANTS[0] if game == CHESS960 else game
    return (game,) if game in VARIANTS and OTHER_GAME not in given else VARIANTS


def adapted(text: str, options: Options, left_out: Callable[[str], None] | None = None) -> str:
    """The text of an agent with what the options say put into it; see :func:`load`."""
    spec = read_spec(text)
    asked = [
        name for name in ("ExpertsPath", "Routing", "Gate", "SyzygyPath") if options.is_set(name)
    ]
    if asked and spec.name not in SEARCHES:
        message = f"{asked[0]} is for the agents {' and '.join(SEARCHES)}, not {spec.name!r}"
        raise InvalidConfig(message)
    name, given = spec.name, dict(spec.options)
    routes = options.is_set("Routing") or options.is_set("Gate")
    if options.is_set("ExpertsPath"):
        name = "m2cts"
        given.pop("net", None)
        given["experts"] = options["ExpertsPath"]
    elif "net" in given and routes and packaged.holds_experts(given["net"]):
        name = "m2cts"
        given["experts"] = given.pop("net")
    has_experts = name == "m2cts"
    if options.is_set("Routing") and has_experts:
        given["routing"] = options["Routing"]
    elif options.is_set("Routing") and left_out is not None:
        left_out(f"Routing is for experts, and {options['UCI_Variant']} has one network here")
    elif options.is_set("Routing"):
        message = "Routing is for experts: set ExpertsPath too, or begin with --agent m2cts:…"
        raise InvalidConfig(message)
    if options.is_set("Gate"):
        given["search_gate" if has_experts else "gate"] = options["Gate"]
    if options.is_set("SyzygyPath") and options["UCI_Variant"] == VARIANTS[0]:
        given["syzygy"] = options["SyzygyPath"]
    known = agents.options(name) if name in SEARCHES else ()
    if options.is_set("Threads") and "net_threads" in known:
        given["net_threads"] = options["Threads"]
    loads = any(name in given for name in NETWORKS)
    if options["UCI_Variant"] == VARIANTS[0] and loads:
        given.setdefault(OTHER_GAME, "true")  # of chess and chess960 alone: checked when loaded
    return write_spec(spec._replace(name=name, options=given))


def _check_chess(agent: Any, game: str) -> None:
    """Let networks of chess and of chess960 play both, and no others."""
    for part in parts_of(getattr(agent, "evaluator", None)):
        if isinstance(part, NetworkEvaluator) and part.game not in (VARIANTS[0], CHESS960):
            message = f"{part.name} is a network of {part.game} and does not play {game}"
            raise GameMismatch(message)


def with_settings(agent: Any, options: Options) -> Any:
    """``agent`` with what the options say of its tree."""
    if not isinstance(agent, agents.MCTSAgent):
        return agent
    settings: dict[str, Any] = {"memory_full": "prune"}
    if options.is_set("Hash"):
        settings["memory_mb"] = options.number("Hash")
    changed = copy.copy(agent)
    changed.config = agent.config.with_(**settings)
    return changed
