"""The knobs of the study, and its published sizes as values of them."""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Interval, MultipleOf

from phasezoo.errors import InvalidConfig, about
from phasezoo.experiments.settings import (
    MOST_AN_UPDATE,
    TrainedSettings,
    check_rising,
    check_used,
    presets_of,
)
from phasezoo.experiments.study import Study
from phasezoo.experiments.two_player.variants import searches_of
from phasezoo.inference.backends.choice import Backend
from phasezoo.specs import (
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    PositiveUInt16,
    Recipe,
    Share,
    read_spec,
)
from phasezoo.training.experts.strategies import Strategy
from phasezoo.types import InferenceDtype

if TYPE_CHECKING:
    from phasezoo.agents import Limit, SearchConfig

Preset = Literal["quick", "standard", "gpu", "paper"]
CurvePreset = Literal[Preset, "law"]


MOST_POSITIONS = 10**11
"""Training positions, at the most: a hundred times what the paper's networks saw."""


@dataclass(frozen=True)
class M2ctsConfig(TrainedSettings):
    """Train phase experts, measure them, and play M2CTS against MCTS with one network.

    Sizes come as presets: `quick` takes minutes on two cores, `standard` is for a claim and takes
    them hours, `gpu` is for one with larger networks, `paper` is the published set-up and needs the
    paper's games (KingBase Lite 2019, through `phasezoo data import`) and a GPU. With `--curve`
    several sizes are compared: see `phasezoo reproduce m2cts --curve --help`. With `--from-scratch`
    networks learn by play from random weights instead: see `phasezoo reproduce m2cts --from-scratch
    --help`.
    """

    common: ClassVar[tuple[str, ...]] = (
        "game",
        "preset",
        "gate",
        "positions",
        "network",
        "nodes",
        "games_played",
        "trainings",
    )

    game: str = "chess"
    """The game; another one may bring other settings: see --game NAME --help."""
    preset: Preset = "quick"
    games: Path | None = None
    """Games store to use (made by `phasezoo data import`); none: the games in the package."""
    gate: str = "lichess"
    """Gate that defines the phases, such as lichess, moves:3 or material:10,6 (paper: lichess)."""
    strategy: str = "separated"
    """How experts and the placebo learn: separated, staged, weighted:FACTOR, or as one network that
    receives the phase: planes, heads, policies, film, adapters, blocks or router."""
    arms: tuple[str, ...] = ()
    """Other mixtures that are measured and play one network too: a strategy, a gate or both, such
    as staged, weighted:4, hash:3 or staged@hash:3. A strategy may have options: value=shared (the
    one network's values), policy=shared (its policies), phases=endgame (experts in these phases
    alone), freeze=body, learning_rate=0.001, as in staged:value=shared; separated:by=game@hash:3 is
    a placebo whose parts are drawn by game. Under the gate none it is one network more:
    separated:network=resnet-20x1@none of another size, separated:positions=0.333@none of fewer
    positions."""
    placebo: bool = True
    """Train a placebo: experts for parts that mean nothing. Without it a run trains about half as
    many networks, and does not say what knowing a phase gives."""
    alone: bool = False
    """Play with each expert of the phase mixture alone too: where it is another phase's turn, the
    one network of its training answers (paper: Fig. 6)."""
    from_phases: bool = False
    """Play games that begin where test games reach a phase too: the expert of that phase against
    one network, each alone."""
    learned_gate: bool = False
    """Train a gate to choose among the phase mixture's experts too, and measure and play them by it
    (the paper's outlook)."""
    gate_positions: PositiveInt = 20_000
    """Validation positions that such a gate learns from."""
    trainings: PositiveInt = 1
    """K: trainings of each side; all K x K pairings are played (claims need several)."""

    network: str = "rise-32x4"
    """Architecture (paper: RISEv3.3, rise-256x15), or the folder or .pb.gz file of a trained
    network to begin with."""
    planes: str | None = None
    """Input planes (none: the game's own; paper: v2, which it calls 3.0)."""
    positions: Annotated[int, Interval(ge=1000, le=MOST_POSITIONS)] = 300_000
    """Training positions that the baseline sees, and all experts together."""
    epochs: PositiveFloat | None = None
    """Passes over the training positions, in place of `positions` (paper: 7)."""
    training_batch: Annotated[int, Interval(ge=1, le=65_536)] = 64
    """Training positions an update (paper: 2048, Table X)."""
    optimizer: Literal["sgd", "adamw"] = "sgd"
    """Optimiser: SGD with Nesterov momentum (paper, Table X), or AdamW, whose learning
    rates are lower, such as 0.003."""
    learning_rate: PositiveFloat = 0.2
    """Peak of the one-cycle schedule (paper: 0.14 with batches of 2048, Table X)."""
    value_weight: Share | None = None
    """Share of the value in the training loss: cross-entropy of win, draw and loss where networks
    answer these, squared error otherwise; the policy has the rest (none: the paper's 0.01 of each,
    Table X)."""
    value_games: Path | None = None
    """Games whose results every network learns from too, and whose moves it does not, such as games
    with random moves by `training.play_games`; none: there are none."""
    value_share: Annotated[float, Interval(gt=0, le=16)] = 0.25
    """Positions of such games for each other training position."""
    validation_positions: PositiveInt = 1024
    """Validation positions looked at ten times a training, or every 500 updates."""
    watched_positions: NonNegativeInt = 512
    """Validation positions of each phase that one network and the phase experts are measured on as
    often, whatever phase they learn (paper: Figs 20 to 29)."""
    test_games: Annotated[int, Ge(2)] | None = 300
    """Test games that losses are measured on (none: all of the test split)."""
    exact_positions: PositiveInt = 2000
    """Positions whose moves are judged by perfect play, where the game knows it; of some games all
    are, however many."""
    searched_positions: NonNegativeInt = 200
    """How many of them are searched too, with `nodes`."""

    timed_batches: tuple[int, ...] = (1, 8, 64)
    """Positions of a call that one network and the experts are timed with, rising (1 to 65,536
    each; none: not timed)."""

    games_played: Annotated[int, Ge(2), MultipleOf(2)] = 200
    """Games a pairing, an even number: every opening is played with both colours, once (fewer are
    played if there are not so many openings)."""
    openings: str | None = None
    """Openings of the games: a file, the name of a suite in the package, such as unbalanced
    (paper: slightly unbalanced ones), or random:2-8 (none: the package's usual one)."""
    nodes: PositiveInt = 50
    """New positions evaluated a move, on both sides (paper: 100 to 3200)."""
    movetime: PositiveFloat | None = None
    """Milliseconds a move in place of nodes, one game at a time; such games cannot be repeated
    (none: nodes count; paper: 100 to 1600)."""
    simulations_per_node: PositiveInt | None = None
    """A move also ends after this many descents per node (none: no limit; paper: 2)."""
    adjudicate: bool = False
    """Give up lost games and agree drawn ones by the searches' values (paper: yes)."""
    search_batch: PositiveUInt16 = 1
    """Leaves a tree may have outstanding (paper: 1 to 64)."""
    search: str = "default"
    """Constants of the search: default, this package's, or published, the paper's, which count an
    unvisited move as lost; either with other options of an mcts agent's search, as in
    default:c_puct_init=1.5,fpu=0.2."""
    routing: Literal["majority", "exact", "soft"] = "exact"
    """Which expert answers a position; majority is the paper's."""
    searches: tuple[str, ...] = ()
    """Other searches, of both sides, in which the phase mixture plays one network too: settings
    that differ, such as search-batch=16, nodes=200, movetime=100, routing=majority,
    search=default:c_puct_init=1.5, recalibrated (values are mapped by validation games) or
    equal-cost (the mixture gets as many nodes as cost as much as one network's), several with
    commas (paper: Tables I and XV)."""
    concurrency: PositiveInt = 100
    """Games played at the same time; part of what makes a run repeatable."""
    max_plies: Annotated[int, Ge(2)] | None = 250
    """Half-moves after which a game is given as drawn (none: no cap)."""

    backend: Backend = "auto"
    """Backend of the networks in matches; auto: ONNX Runtime on a CPU, torch on a GPU."""
    dtype: InferenceDtype = "float32"
    """Number format of the networks in matches and where losses are measured; bfloat16 is faster on
    processors that have it, with openvino or torch."""
    train_workers: PositiveInt = 1
    """Networks trained, and then pairings played, at the same time, each in a process of its own
    with its share of the threads; in training every process holds the games once more. Pairings
    with `movetime` are played one after the other."""

    def validate(self) -> None:
        """Check every range."""
        super().validate()
        if self.timed_batches:
            check_rising("timed_batches", self.timed_batches, most=MOST_AN_UPDATE)
        Strategy.parse(self.strategy)
        check_used(self, "value_games", "value_share")
        check_used(self, "learned_gate", "gate_positions")
        self.limit()
        if self.search_config().root == "gumbel" and self.movetime is not None:
            message = (
                f"--search {self.search}, --movetime {self.movetime:g}: Gumbel's root shares out "
                "nodes; leave the time out, or root=gumbel"
            )
            raise InvalidConfig(message)
        searches_of(self)

    def search_config(self) -> "SearchConfig":
        """Return the constants of both sides' search."""
        from phasezoo.agents import SearchConfig

        kinds = {"default": SearchConfig(), "published": SearchConfig.published()}
        recipe = Recipe(SearchConfig, lister="agents.options")
        with about(f"--search {self.search}", InvalidConfig):
            text = read_spec(self.search, "search", "default:c_puct_init=1.5")
            options = recipe.read_options(text._replace(name="mcts"))
            found = kinds[text.name].with_(**options) if text.name in kinds else None
        if found is None or "batch_size" in options:
            message = (
                f"--search {self.search}: expected default or published, and other options behind "
                "a colon, such as default:c_puct_init=1.5; batch_size is given by --search-batch"
            )
            raise InvalidConfig(message)
        return found

    def limit(self) -> "Limit":
        """Return the limit of a move of both sides."""
        from phasezoo.agents import Limit

        if self.movetime is not None:
            return Limit(movetime_ms=self.movetime)
        each = self.simulations_per_node
        return Limit(nodes=self.nodes, simulations=None if each is None else each * self.nodes)


PRESETS: dict[Preset, M2ctsConfig] = presets_of(
    M2ctsConfig(),
    standard={
        "timed_batches": (1, 8, 16, 32, 64, 128, 256),
        "trainings": 8,
        "arms": ("heads",),
        "test_games": None,
        "games_played": 20,
        "nodes": 100,
    },
    gpu={
        "network": "rise-64x8",
        "positions": 4_000_000,
        "training_batch": 256,
        "learning_rate": 0.14,
        "validation_positions": 20_000,
        "watched_positions": 5000,
        "games_played": 100,
        "nodes": 200,
    },
    paper={
        "trainings": 1,
        "arms": (),
        "network": "rise-256x15",
        "epochs": 7.0,
        "training_batch": 2048,
        "learning_rate": 0.14,
        "games_played": 1000,
        "nodes": 800,
        "simulations_per_node": 2,
        "adjudicate": True,
        "search_batch": 64,
        "search": "published",
        "routing": "majority",
        "max_plies": None,
    },
)
"""The sizes, smallest first."""

TWO_PLAYER: Study[M2ctsConfig] = Study(
    name="m2cts",
    program="phasezoo reproduce m2cts",
    presets=PRESETS,
    stages="phasezoo.experiments.two_player.study:TwoPlayerRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "tensorboard": "train",
        "onnxruntime": "onnx",
        "onnx": "onnx",
        "matplotlib": "plot",
    },
    any_game=True,
)
"""The published game, and with a gate and a store of games any other one."""


def two_player_of(game: str, sizes: Mapping[str, Mapping[str, Any]]) -> Study[M2ctsConfig]:
    """Return the comparison with the settings that suit another game.

    Args:
        game: Its name.
        sizes: Fields that differ from those of the published game, by preset; a preset that is
            not named does not exist.
    """
    presets = {
        name: dataclasses.replace(preset, game=game, **sizes[name])
        for name, preset in PRESETS.items()
        if name in sizes
    }
    program = f"{TWO_PLAYER.program} --game {game}"
    return dataclasses.replace(
        TWO_PLAYER, name=f"m2cts-{game}", program=program, presets=presets, any_game=False
    )


BASE = "standard"
"""The preset of the comparison that those begin from which the curve alone has."""

LEAST_POSITIONS = 1000
"""Training positions of the smallest size; fewer teach nothing."""


@dataclass(frozen=True)
class CurveConfig(M2ctsConfig):
    """Compare phase experts with one network at several numbers of training positions.

    Every size is a run of `phasezoo reproduce m2cts` in a directory of its own under sizes/, with
    its report; together they say from how many positions on experts are ahead. All other settings
    are those of that command.
    """

    preset: CurvePreset = "quick"  # type: ignore[assignment]  # one more
    """Where all other settings start from; each can still be given."""
    curve: bool = True
    """Compare at several sizes; without it there is one size."""
    sizes: tuple[int, ...] = (10_000, 40_000)
    """Training positions that one network sees, and all experts of a mixture together: two or more
    rising numbers of 1,000 or more."""

    def validate(self) -> None:
        """Check every range."""
        if not self.curve:
            message = "--no-curve: leave the option out to compare at one size"
            raise InvalidConfig(message)
        check_rising("sizes", self.sizes, LEAST_POSITIONS)
        if len(self.sizes) < 2:
            message = f"--sizes {self.sizes[0]}: a curve needs two or more"
            raise InvalidConfig(message)
        if self.epochs is not None:
            message = f"--epochs {self.epochs:g}: --sizes say how many positions are seen"
            raise InvalidConfig(message)
        super().validate()

    def at(self, positions: int, presets: Collection[str] = ()) -> M2ctsConfig:
        """The settings of the comparison at one size.

        Args:
            positions: The size.
            presets: Names that the comparison's presets have; a preset that the curve alone has was
                made from its `standard`. Empty: any may be named.
        """
        names = [field.name for field in dataclasses.fields(M2ctsConfig)]
        shared = {name: getattr(self, name) for name in names}
        own = BASE if presets and self.preset not in presets else self.preset
        return M2ctsConfig(**shared | {"positions": positions, "preset": own})


SIZES: Mapping[str, Mapping[str, Any]] = {
    "quick": {
        "sizes": (10_000, 40_000),
        "trainings": 2,
        "arms": ("heads",),
        "games_played": 20,
        "nodes": 20,
    },
    "standard": {
        "sizes": (62_500, 250_000, 1_000_000),
        "trainings": 3,
        "arms": ("heads",),
        "games_played": 100,
        "nodes": 50,
    },
    "gpu": {
        "sizes": tuple(125_000 * 2**step for step in range(8)),
        "trainings": 8,
        "arms": ("staged", "weighted:4", "planes", "heads"),
        "games_played": 100,
        "nodes": 200,
    },
    "law": {
        "sizes": tuple(125_000 * 2**step for step in range(7)),
        "trainings": 6,
        "network": "resnet-8x1:policy=pointwise",
        "value_weight": 0.2,
        "arms": (
            "separated:value=shared",
            "separated:phases=endgame",
            "staged",
            "staged:value=shared",
            "staged:freeze=body",
            "hash:3",
        ),
        "games_played": 20,
        "nodes": 50,
        "searches": ("nodes=200", "nodes=800"),
    },
}
"""Settings in which the presets of the curve differ from those of the comparison; `law` is the
curve's alone (``docs/results/law.md``)."""


def curve_of(
    comparison: Study[M2ctsConfig], sizes: Mapping[str, Mapping[str, Any]] | None = None
) -> Study[CurveConfig]:
    """Return the curve in a game.

    Args:
        comparison: The comparison at one size; a preset that it lacks, the curve lacks too.
        sizes: Changes of the game's own presets of the curve, by preset; one that the comparison
            lacks begins from :data:`BASE`.
    """
    presets = {}
    for name, changes in {**SIZES, **(sizes or {})}.items():
        is_own = name not in PRESETS and BASE in comparison.presets
        if is_own or name in comparison.presets or name in (sizes or {}):
            base = dataclasses.asdict(comparison.presets.get(name) or comparison.presets[BASE])
            presets[name] = CurveConfig(**base | {"preset": name} | dict(changes))
    found: Study[Any] = dataclasses.replace(
        comparison,
        name=f"{comparison.name}-curve",
        program=f"{comparison.program} --curve",
        presets=presets,
        stages="phasezoo.experiments.two_player.curve:CurveRun",
    )
    return found
