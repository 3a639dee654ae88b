"""Settings of learning by play, and of the measurements during a run."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Self

from annotated_types import Interval

from phasezoo import agents
from phasezoo.agents import BeamAgent, BeamConfig, Limit, SearchConfig
from phasezoo.arena.adjudication import Adjudication
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.inference.backends.choice import Backend
from phasezoo.inference.evaluator import Uniform
from phasezoo.inference.routing import RoutingName
from phasezoo.specs import (
    Argument,
    Even,
    NonNegativeInt,
    PositiveInt,
    Share,
    changed_among,
    check,
    read_spec,
)
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.experts.strategies import Strategy
from phasezoo.training.schedules import drops_of
from phasezoo.training.selfplay.replay import ReplayRules
from phasezoo.training.selfplay.start_texts import source_of_texts


@dataclass(frozen=True)
class Recipe:
    """Settings of a game that replace those of a preset."""

    network: str | None = None
    """Architecture; None: the default."""
    planes: str | None = None
    """Input planes; None: the game's default."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Fields of :class:`SelfPlayConfig` that differ from the preset of that name."""


@dataclass(frozen=True)
class Watching:
    """Measurements of versions during a run; they change no number of a round.

    Raises:
        InvalidConfig: A value is outside its range; the message names the field.
    """

    probe_every: NonNegativeInt = 1
    """Rounds from one probed version to the next (0: no probes)."""
    probe_positions: PositiveInt = 100
    """Number of positions of each of the game's own probes."""
    probe_nodes: NonNegativeInt = 100
    """Nodes of the searches that are probed beside the network alone (0: no search)."""
    probe_everywhere: bool = False
    """If set, the network alone is also probed in every position, in games whose positions are all
    known (krk: 175,168, some ten seconds of a core for a small network)."""
    ladder_every: PositiveInt = 5
    """Rounds from one rung of the Elo ladder to the next."""
    ladder_games: Even = 0
    """Games of each match between two rungs (0: no ladder; even, as openings are played twice). A
    rung plays the one before it, the second before it, the fourth, and so on."""
    ladder_nodes: PositiveInt | None = None
    """Nodes of these matches' searches (none: as in self-play)."""
    ladder_phases: bool = False
    """If set, each phase's expert of a rung also plays a match alone: among the experts of the rung
    before, against that rung. Needs a gate."""
    report: bool = True
    """If set, report.html is written as rounds end: first after 20 seconds, and at the end."""

    def __post_init__(self) -> None:
        check(self)
        if self.ladder_phases and not self.ladder_games:
            message = "ladder_phases=True: without a ladder there are no rungs; give ladder_games"
            raise InvalidConfig(message)

    @classmethod
    def nothing(cls) -> Self:
        """Return settings without probes, ladder and report."""
        return cls(probe_every=0, report=False)

    def is_probed(self, version: int, last: int) -> bool:
        """Return True if a version is probed; the first and the last of a run are.

        Args:
            version: The version.
            last: The last version of the run.
        """
        return bool(self.probe_every) and (version % self.probe_every == 0 or version == last)

    def rungs(self, done: int) -> list[int]:
        """Return the versions of the ladder.

        Args:
            done: Number of rounds that have ended.
        """
        return list(range(0, done + 1, self.ladder_every)) if self.ladder_games else []

    @staticmethod
    def opponents(rungs: list[int]) -> list[int]:
        """Return the opponents of the last rung: those a power of two below it.

        Args:
            rungs: Versions of the ladder.
        """
        found, step = [], 1
        while step < len(rungs):
            found.append(rungs[-1 - step])
            step *= 2
        return found


MCTS = "mcts"
"""Search that plays unless another is named."""

_EXPLORATION = (
    "dirichlet_alpha",
    "dirichlet_epsilon",
    "temperature",
    "temperature_plies",
    "q_value_weight",
    "quantile_clipping",
)
"""Options of exploration in self-play."""

ONE_CYCLE, CONSTANT = "one-cycle", "constant"
"""Schedules: one cycle a round, and ``max_lr`` and ``max_momentum`` always."""


def self_play_settings(**changes: Any) -> SupervisedConfig:
    """Return the default training settings of self-play: value and policy count alike.

    The weights of the losses are the study's (M2CTS, Table XI: value, policy and WDL 0.499, plies
    left 0.002), the batch and the optimiser are for small budgets.
    """
    values: dict[str, Any] = {
        "batch_size": 128,
        "optimizer": "adamw",
        "max_lr": 2e-3,
        "min_lr": 1e-5,
        "policy_weight": 0.499,
        "value_weight": 0.499,
        "wdl_weight": 0.499,
        "tensorboard": False,
    }
    return replace(SupervisedConfig(), **{**values, **changes})


def check_learning(settings: SupervisedConfig) -> None:
    """Refuse training settings that would change nothing."""
    for name, unset in (("value_mix", 0.0), ("symmetries", None)):
        value = getattr(settings, name)
        if value != unset:
            message = (
                f"{name}={value!r} of the learning: samples come from a replay, which decides it; "
                f"give {name} to the replay (ReplayRules, --replay.{name.replace('_', '-')})"
            )
            raise InvalidConfig(message)
    for name, what in (("distill_weight", "a teacher"), ("value_share", "value games")):
        value = getattr(settings, name)
        if value != getattr(SupervisedConfig, name):
            message = f"{name}={value!r} of the learning: self-play has no {what}; leave it out"
            raise InvalidConfig(message)


def self_play_search(**changes: Any) -> SearchConfig:
    """Return the default search settings of self-play.

    They are those of the published self-play (:meth:`phasezoo.agents.SearchConfig.self_play`), but
    with one leaf a tree at a time, because many trees fill the batches, and with unvisited actions
    worth the mean of their node (``fpu=0``) and not -1, which is stronger with few nodes (the page
    ``docs/search_options.md``).
    """
    return SearchConfig.self_play(**{"batch_size": 1, "fpu": 0.0, **changes})


def exploring(agent: Any) -> Any:
    """Return the agent, with exploration if its searches have none, so that games differ.

    It is that of the published self-play (M2CTS, Table XII): noise 0.25 of Dirichlet(0.3), actions
    drawn at temperature 0.8 in the first 15 plies, by visits alone. Beams have no noise.
    """
    agent = agents.make(agent) if isinstance(agent, str) else agent
    config = getattr(agent, "config", None)
    if not isinstance(config, SearchConfig | BeamConfig):
        return agent
    is_noisy = getattr(config, "dirichlet_epsilon", 0) > 0
    if is_noisy or (config.temperature > 0 and config.temperature_plies > 0):
        return agent
    published, changed = SearchConfig.self_play(), copy.copy(agent)
    own = [name for name in _EXPLORATION if hasattr(config, name)]
    changed.config = config.with_(**{name: getattr(published, name) for name in own})
    return changed


def measuring_search(search: SearchConfig) -> SearchConfig:
    """Return the settings for measured versions: no noise, the same nodes for every move."""
    return search.with_(dirichlet_epsilon=0.0, cheap_search_prob=0.0, node_random_factor=0.0)


_PARTS = {
    "promote_games": ("promote_score", "promote_nodes"),
    "resign_value": ("resign_moves", "resign_check"),
}
"""Settings that say something of another one, which has to be given too."""


@dataclass(frozen=True)
class SelfPlayConfig:
    """Settings of learning by play; "Table XI" and "XII" are the M2CTS paper's.

    Raises:
        InvalidConfig: A value is outside its range; the message names the field.
    """

    updates: PositiveInt = 20
    """Rounds of playing and learning (M2CTS, Table XII: 10); a finished run continues if given
    more."""
    games_per_update: Annotated[int, Interval(ge=1, le=1_000_000)] = 128
    """Number of games of a round."""
    agent: Annotated[str, Argument(name="search")] = MCTS
    """mcts, or a beam such as beam:plies=3."""
    nodes: Annotated[int, Interval(ge=1, le=10**9)] = 100
    """Nodes of a search by mcts (M2CTS, Table XII: 800)."""
    concurrency: Annotated[int, Interval(ge=1, le=1_000_000)] = 64
    """Number of games at once; changes no game."""
    samples_per_update: Annotated[int, Interval(ge=2, le=10**9)] | None = None
    """Number of samples drawn for training in a round; none: by ``samples_per_new``."""
    samples_per_new: Annotated[float, Interval(gt=0, le=1000)] = 4.0
    """Mean number of times that a new sample is trained on (M2CTS, Table XII: 6)."""
    search: SearchConfig = field(default_factory=self_play_search)
    """Settings of searches: noise, temperature by ply, cheap searches."""
    others: str | None = None
    """Agent of the other players, in games whose players move at once: random, or one of the game's
    own such as simple (none: one player moves at a time)."""
    replay: ReplayRules = field(default_factory=ReplayRules)
    """Settings of the replay that samples are drawn from."""
    learning: SupervisedConfig = field(default_factory=self_play_settings)
    """Settings of training on them."""
    schedule: str = ONE_CYCLE
    """Learning rates: one-cycle, constant, or by steps, 0:0.2,1000:0.02."""
    starts: tuple[str, ...] = ("initial",)
    """Start positions, such as 0.5*initial 0.5*random:2-8, or 'start:FEN' in quotes."""
    max_plies: PositiveInt | None = None
    """Plies at which a game is cut and counted as a draw (none: never)."""
    resign_value: Annotated[float, Interval(gt=0, le=1)] | None = None
    """A player resigns if searches expect no more than minus this (none: never)."""
    resign_moves: PositiveInt = 3
    """Number of a player's searches in a row that have to."""
    resign_check: Share = 0.1
    """Share of games that are played on, to see how often resigning was wrong."""
    strategy: str = "staged"
    """Training strategy of experts, if there is a gate: separated, staged or weighted:FACTOR."""
    value: Literal["own", "shared"] = "own"
    """Values that experts answer with: own, or shared, those of one network of all phases."""
    routing: RoutingName = "exact"
    """Routing of rows to experts."""
    promote_games: Even = 0
    """Games of a match that a new version has to win against the best so far, which then plays on
    (even, as openings are played twice; 0: every new version plays)."""
    promote_score: Share = 0.55
    """Share of the points that it needs (Silver et al., AlphaGo Zero 2017: 0.55)."""
    promote_nodes: Annotated[int, Interval(ge=1, le=10**9)] | None = None
    """Nodes of the match's searches (none: as in self-play)."""
    shard_games: PositiveInt = 512
    """Number of games of a file."""
    backend: Backend = "auto"
    """Backend while games are played; auto: ONNX Runtime on a CPU, torch on a GPU."""
    watching: Watching = field(default_factory=Watching)
    """Measurements of versions during the run."""

    def __post_init__(self) -> None:
        starts: Any = self.starts
        if isinstance(starts, str):
            object.__setattr__(self, "starts", (starts,))
        check(self)
        check_schedule(self.schedule, self.learning)
        self.beam(Uniform())
        source_of_texts(self.starts)
        Strategy.parse(self.strategy)
        for whole, parts in _PARTS.items():
            for name in () if getattr(self, whole) else changed_among(self, *parts):
                message = f"{name}={getattr(self, name)!r}: is for {whole}; give both, or neither"
                raise InvalidConfig(message)

    @property
    def adjudication(self) -> Adjudication | None:
        """Rules of resignation; None: no game is resigned."""
        if self.resign_value is None:
            return None
        return Adjudication(
            resign_value=self.resign_value,
            resign_moves=self.resign_moves,
            draw_value=None,
            check=self.resign_check,
        )

    @property
    def limit(self) -> Limit:
        """Limit of searches."""
        return Limit(nodes=self.nodes)

    def beam(self, evaluator: Any, game: str | Game | None = None) -> BeamAgent | None:
        """Return the beam search that plays, which explores unless its text says how warm it is.

        Args:
            evaluator: The version's.
            game: The game; None: that of the states.

        Returns:
            None if MCTS plays.

        Raises:
            InvalidConfig: ``agent`` is neither, or has options that a beam has not.
        """
        text = read_spec(self.agent)
        if self.agent == MCTS:
            return None
        if text.name != "beam":
            message = (
                f"search {self.agent!r}: expected mcts (with the options --search.NAME), or beam, "
                "such as beam:plies=3,keep=value; in Python any agent plays: SelfPlay(agent=…)"
            )
            raise InvalidConfig(message)
        if "net" in text.options:
            message = f"search {self.agent!r}: the network is the one that learns; leave net= out"
            raise InvalidConfig(message)
        agent: BeamAgent = agents.make(self.agent, evaluator=evaluator, game=game)
        return agent if "temperature" in text.options else exploring(agent)

    @property
    def positions(self) -> int:
        """Positions of a whole search: those of the beam, or ``nodes``."""
        beam = self.beam(Uniform())
        return self.nodes if beam is None else beam.config.positions

    @classmethod
    def preset(cls, name: str, game: str | None = None, **changes: Any) -> Self:
        """Return the settings of a size.

        Args:
            name: ``"quick"`` (minutes on a laptop), ``"standard"`` (hours), or ``"paper"``, the
                study's amounts (Tables XI and XII), which need a cluster.
            game: The game's name, for its own settings of this size; None: those of any game.
            **changes: Fields to replace.

        Raises:
            InvalidConfig: There is no such size, or no such field.
        """
        if name not in PRESETS:
            message = f"preset {name!r}: there are {', '.join(PRESETS)}"
            raise InvalidConfig(message)
        from phasezoo.training.catalogue import recipe_of  # rooms import this module

        try:
            return cls(**{**PRESETS[name], **recipe_of(game, name).changes, **changes})
        except TypeError as error:
            raise InvalidConfig(str(error)) from error


def check_schedule(schedule: Any, settings: SupervisedConfig) -> None:
    """Refuse a text that is not a schedule of learning rates."""
    if not isinstance(schedule, str):
        message = f"schedule={schedule!r}: expected one-cycle, constant, or steps, 0:0.2,1000:0.02"
        raise InvalidConfig(message)
    if schedule not in (ONE_CYCLE, CONSTANT):
        drops_of(schedule, settings.max_momentum)


PRESETS: dict[str, dict[str, Any]] = {
    "quick": {
        "updates": 20,
        "games_per_update": 128,
        "nodes": 64,
        "watching": Watching(ladder_games=32),
    },
    "standard": {
        "updates": 100,
        "games_per_update": 512,
        "nodes": 200,
        "concurrency": 256,
        "replay": ReplayRules(capacity=300_000),
        "watching": Watching(probe_every=2, probe_positions=400, ladder_games=64),
    },
    # 819,200 new samples a round, of about 60 plies a game; 4,096,000 more from the newest.
    "paper": {
        "updates": 10,
        "games_per_update": 13_654,
        "nodes": 800,
        "concurrency": 1024,
        "samples_per_update": 819_200 + 4_096_000,
        "search": SearchConfig.self_play(node_random_factor=0.1),
        "replay": ReplayRules(capacity=8_192_000),
        "learning": self_play_settings(
            batch_size=512, optimizer="sgd", max_lr=0.05, min_lr=5e-6, tensorboard=True
        ),
        "resign_value": 0.9,
        "resign_moves": 1,
        "resign_check": 0.1,
        "watching": Watching(probe_positions=1000, ladder_every=1, ladder_games=200),
    },
}
"""Settings by size. The study's rounds are counted in samples, ours in games."""
