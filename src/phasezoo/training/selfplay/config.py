"""The knobs of learning by play."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

from annotated_types import Interval

from phasezoo.agents import Limit, SearchConfig
from phasezoo.arena.adjudication import Adjudication
from phasezoo.errors import InvalidConfig
from phasezoo.inference.backends.choice import Backend
from phasezoo.inference.routing import Routing, check_routing
from phasezoo.specs import Even, PositiveInt, Share, check
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.schedules import drops_of
from phasezoo.training.selfplay.replay_sampler import ReplayRules
from phasezoo.training.selfplay.start_texts import source_of_texts
from phasezoo.training.selfplay.watching import Watching
from phasezoo.training.strategies import Strategy

ONE_CYCLE, CONSTANT = "one-cycle", "constant"
"""Schedules: one cycle a round, and ``max_lr`` and ``max_momentum`` always."""


def self_play_settings(**changes: Any) -> SupervisedConfig:
    """How networks learn from self-play unless told otherwise: value and policy count alike.

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
    """Refuse settings of learning that a replay decides, as they would change nothing.

    Raises:
        InvalidConfig: One of them is set; the message says what to set instead.
    """
    for name, unset in (("value_mix", 0.0), ("symmetries", None)):
        value = getattr(settings, name)
        if value != unset:
            message = (
                f"{name}={value!r} of the learning: samples come from a replay, which decides it; "
                f"give {name} to the replay (ReplayRules, --replay.{name.replace('_', '-')})"
            )
            raise InvalidConfig(message)


def self_play_search(**changes: Any) -> SearchConfig:
    """How games of self-play are searched unless told otherwise.

    It is the published self-play (:meth:`phasezoo.agents.SearchConfig.self_play`), but for one leaf
    a tree at a time, because many trees fill the batches, and unvisited actions are worth the mean
    of their node (``fpu=0``) and not -1, which is the stronger choice with few nodes (the page
    ``docs/search_options.md``).
    """
    return SearchConfig.self_play(**{"batch_size": 1, "fpu": 0.0, **changes})


def measuring_search(search: SearchConfig) -> SearchConfig:
    """How versions are searched that are measured: no noise, and as many nodes for every move."""
    return search.with_(dirichlet_epsilon=0.0, cheap_search_prob=0.0, node_random_factor=0.0)


@dataclass(frozen=True)
class SelfPlayConfig:
    """How a network learns by play; "Table XI" and "XII" are the M2CTS paper's.

    Raises:
        InvalidConfig: A value is outside its range; the message names the field.
    """

    updates: PositiveInt = 20
    """Rounds of playing and learning (Table XII: 10); a run of more goes on with one of fewer."""
    games_per_update: Annotated[int, Interval(ge=1, le=1_000_000)] = 128
    """Games of a round."""
    nodes: Annotated[int, Interval(ge=1, le=10**9)] = 100
    """Nodes of a search (Table XII: 800)."""
    concurrency: Annotated[int, Interval(ge=1, le=1_000_000)] = 64
    """Games at once; changes no game."""
    samples_per_update: Annotated[int, Interval(ge=2, le=10**9)] | None = None
    """Samples to learn from in a round; none: as ``samples_per_new`` says."""
    samples_per_new: Annotated[float, Interval(gt=0, le=1000)] = 4.0
    """How often every new sample is learnt from, in the mean (Table XII: 6)."""
    search: SearchConfig = field(default_factory=self_play_search)
    """Everything else that a search does: noise, temperature by ply, cheap searches."""
    others: str | None = None
    """Who moves the other players, in games whose players move at once: random, or one of the
    game's own such as simple (none: one player moves at a time)."""
    replay: ReplayRules = field(default_factory=ReplayRules)
    """What samples are drawn from, and how."""
    learning: SupervisedConfig = field(default_factory=self_play_settings)
    """How the network learns from them."""
    schedule: str = ONE_CYCLE
    """Learning rates: one-cycle, constant, or by steps, 0:0.2,1000:0.02."""
    starts: tuple[str, ...] = ("initial",)
    """Where games start, such as 0.5*initial 0.5*random:2-8."""
    max_plies: PositiveInt | None = None
    """Plies at which a game is cut and counted as a draw (none: never)."""
    resign_value: Annotated[float, Interval(gt=0, le=1)] | None = None
    """A player gives up if searches expect no more than minus this (none: never)."""
    resign_moves: PositiveInt = 3
    """How many of a player's searches in a row have to."""
    resign_check: Share = 0.1
    """Share of games that are played on, to see how often giving up was wrong."""
    strategy: str = "staged"
    """How experts learn, if there is a gate: separated, staged or weighted:FACTOR."""
    routing: Routing = "exact"
    """Which expert answers which row."""
    promote_games: Even = 0
    """Games of a match that a new version has to win against the best so far, which then plays on
    (even, as openings are played twice; 0: every new version plays)."""
    promote_score: Share = 0.55
    """Share of the points that it needs (Silver et al., AlphaGo Zero 2017: 0.55)."""
    promote_nodes: Annotated[int, Interval(ge=1, le=10**9)] | None = None
    """Nodes of the match's searches (none: as in self-play)."""
    shard_games: PositiveInt = 512
    """Games of a file."""
    backend: Backend = "auto"
    """What runs the network while games are played; auto: ONNX Runtime on a CPU, torch on a GPU."""
    watching: Watching = field(default_factory=Watching)
    """What is measured of versions while the run goes on."""

    def __post_init__(self) -> None:
        starts: Any = self.starts
        if isinstance(starts, str):
            object.__setattr__(self, "starts", (starts,))
        check(self)
        check_schedule(self.schedule, self.learning)
        source_of_texts(self.starts)
        Strategy.parse(self.strategy)
        check_routing(self.routing)

    @property
    def adjudication(self) -> Adjudication | None:
        """When games are given up."""
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
        """When searches end."""
        return Limit(nodes=self.nodes)

    @classmethod
    def preset(cls, name: str, game: str | None = None, **changes: Any) -> Self:
        """The settings of a size.

        Args:
            name: ``"quick"`` (minutes on a laptop), ``"standard"`` (hours), or ``"paper"``, the
                study's amounts (Tables XI and XII), which need a cluster.
            game: The game's name, if its own settings of this size are wanted where it has some.
            **changes: Fields to replace.

        Raises:
            InvalidConfig: There is no such size, or no such field.
        """
        if name not in PRESETS:
            message = f"preset {name!r}: there are {', '.join(PRESETS)}"
            raise InvalidConfig(message)
        from phasezoo.training.selfplay.catalogue import recipe_of  # rooms import this module

        try:
            return cls(**{**PRESETS[name], **recipe_of(game, name).changes, **changes})
        except TypeError as error:
            raise InvalidConfig(str(error)) from error


def check_schedule(schedule: Any, settings: SupervisedConfig) -> None:
    """Refuse what is no schedule of learning rates.

    Raises:
        InvalidConfig: It is none.
    """
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
