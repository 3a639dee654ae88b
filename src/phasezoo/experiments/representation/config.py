"""The knobs of the study, the networks that they name, and its sizes."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias

from annotated_types import Ge, Interval, MultipleOf

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.settings import TrainedSettings, check_once, check_rising, presets_of
from phasezoo.experiments.study import Study
from phasezoo.specs import PositiveFloat, PositiveInt, PositiveUInt16

Preset: TypeAlias = Literal["quick", "standard", "gpu", "paper"]

GAMES = ("chess", "atomic", "crazyhouse")
"""The games of the study: all have planes ``v1`` and ``v2``."""

PLANES = ("v1", "v2")
"""Input planes, the older first."""

HEADS = ("mse", "wdlp")
"""Value heads, the older first."""

CORNERS = tuple(f"{planes}-{head}" for planes in PLANES for head in HEADS)
"""Names of the four combinations; the first is AlphaZero's, the last the paper's own."""

GRIDS = ("architectures", "blocks", "transformers", "kernels", "depths")
"""The other tables: settings that list networks."""


ENGINE_NODES = {
    "chess": ("stockfish", 15_000),
    "crazyhouse": ("fairy-stockfish", 50_000),
    "atomic": ("fairy-stockfish", 40_000),
}
"""Engines of reference and their nodes: Stockfish 16.1 and Fairy-Stockfish 14 (Fig. 4)."""


@dataclass(frozen=True)
class RepresentationConfig(TrainedSettings):
    """Compare input planes, value heads and architectures, in loss, time and Elo.

    Planes v1 and v2, heads of one number (mse) and of win, draw, loss and plies (wdlp), towers,
    blocks and kernels; latency measured here; integrated gradients; endings of opposite bishops;
    a round robin. Sizes come as presets: `quick` takes minutes on two cores and shows that all of
    it works, `standard` is what two cores do in some hours, `gpu` has the published networks, and
    `paper` the published trainings too.
    """

    common: ClassVar[tuple[str, ...]] = (
        "game",
        "preset",
        "games",
        "seed",
        "network",
        "trainings",
        "positions",
        "match_games",
    )

    game: str = "chess"
    """The game: chess, atomic or crazyhouse."""
    preset: Preset = "quick"
    games: Path | None = None
    """Games store to learn from (made by `phasezoo data import`); none: the games in the
    package."""
    max_games: Annotated[int, Ge(30)] | None = 2000
    """Games of it that are used, drawn by the seed (none: all)."""

    network: str = "resnet-32x2:policy=pointwise"
    """Tower of the four combinations of planes and head, without its value head."""
    trainings: PositiveInt = 3
    """Trainings of each of these four (paper: 3)."""
    architectures: tuple[str, ...] = ("rise-32x3:policy=pointwise", "patchvit-64x4")
    """Networks set beside the tower above, or beside their first if that tower is among them; with
    planes v2 and the head wdlp."""
    architecture_trainings: PositiveInt = 1
    """Trainings of each of these (paper: 3)."""
    blocks: tuple[str, ...] = (
        "tower-24x2:block=classical,policy=pointwise",
        "tower-32x3:expansion=3,policy=pointwise",
        "tower-32x3:block=next,policy=pointwise",
    )
    """Kinds of blocks (paper: at equal latency)."""
    transformers: tuple[str, ...] = (
        "tower-96x2:transformers=0,policy=pointwise",
        "tower-96x2:transformers=1,policy=pointwise",
    )
    """Numbers of transformer blocks (paper: 0 to 4)."""
    kernels: tuple[str, ...] = (
        "tower-32x3:policy=pointwise",
        "tower-32x3:wide=0.5,policy=pointwise",
        "tower-32x3:wide=1,policy=pointwise",
    )
    """Shares of blocks with 5x5 kernels (paper: 0 to 1 in quarters)."""
    depths: tuple[str, ...] = (
        "tower-48x2:policy=pointwise",
        "tower-32x4:policy=pointwise",
        "tower-24x8:policy=pointwise",
    )
    """Depth against width (paper: depth x width^1.6 constant)."""
    grid_trainings: PositiveInt = 1
    """Trainings of each network of these four grids."""

    positions: Annotated[int, Ge(1000)] = 12_000
    """Training positions that a network sees."""
    epochs: PositiveFloat | None = None
    """Passes over the training positions, in place of `positions` (paper: 7)."""
    training_batch: Annotated[int, Interval(ge=1, le=65_536)] = 64
    """Training positions an update (paper: 1,024)."""
    optimizer: Literal["sgd", "adamw"] = "sgd"
    """Stochastic gradient descent with Nesterov momentum (paper), or AdamW."""
    learning_rate: PositiveFloat = 0.05
    """Peak of the one-cycle schedule (paper: 0.07 with batches of 1,024)."""
    validation_positions: PositiveInt = 256
    """Validation positions looked at ten times a training."""
    test_games: Annotated[int, Ge(2)] | None = 40
    """Test games that losses are measured on (none: all of the test split)."""
    resamples: Annotated[int, Ge(100)] = 1000

    batches: tuple[PositiveInt, ...] = (1, 16, 64)
    """Positions a call at which networks are timed."""
    rounds: Annotated[int, Ge(6)] = 6
    """Measurements of each, one after the other over all networks (so many have a
    median between the lowest and the highest in 95 % of cases)."""
    milliseconds: PositiveInt = 15
    """Time of a measurement; its fastest call counts."""

    gradient_positions: Annotated[int, Ge(2)] = 32
    """Validation positions whose gradients are integrated."""
    gradient_steps: Annotated[int, Ge(2)] = 40
    """Points of each integral."""
    positions_shown: tuple[str, ...] = ()
    """FENs whose planes and squares are attributed with zero as baseline; none: those of Figs 7
    and 8 in chess, two openings elsewhere."""

    ending_nodes: PositiveInt = 50
    """Nodes of a search of each ending of opposite bishops (chess alone)."""

    match_games: Annotated[int, Ge(2), MultipleOf(2)] = 4
    """Games of each two trainings at equal nodes, an even number."""
    match_nodes: tuple[Annotated[int, Interval(ge=1, le=2**63 - 1)], ...] = (8,)
    """Nodes of a move."""
    movetimes: tuple[PositiveInt, ...] = (5,)
    """Milliseconds of a move in games between first trainings: of the first and the last
    combination of planes and head, and of the architectures (none: no such games)."""
    movetime_games: Annotated[int, Ge(2), MultipleOf(2)] = 8
    """Games of each two networks with these, an even number."""
    engine: str | None = None
    """Engine for the line of reference; none: stockfish in chess, fairy-stockfish elsewhere, if it
    is installed."""
    engine_nodes: PositiveInt | None = 1000
    """Nodes of a move of it (none: the paper's, 15,000 in chess)."""
    search_batch: PositiveUInt16 = 4
    """Leaves a call of a search."""
    max_plies: Annotated[int, Ge(2)] = 120
    """Plies after which a game counts as drawn."""
    concurrency: PositiveInt = 64
    """Games at once with equal nodes."""

    def validate(self) -> None:
        """Check every range."""
        if self.game not in GAMES:
            message = f"--game {self.game}: expected {', '.join(GAMES)}"
            raise InvalidConfig(message)
        super().validate()
        for name in ("batches", "match_nodes", "movetimes"):
            values = getattr(self, name)
            if values or name != "movetimes":
                check_rising(name, values)
        for name in GRIDS:
            check_once(name, getattr(self, name))


@dataclass(frozen=True)
class Variant:
    """A network with planes and head, trained as often as its table says."""

    name: str
    """Its name in files and reports."""
    planes: str
    """Input planes."""
    head: str
    """Value head."""
    tower: str
    """Its network without the head."""
    trainings: int
    """Times that it is trained."""

    @property
    def network(self) -> str:
        """Its network with the head."""
        from phasezoo import networks

        return networks.spec_of(self.tower, value=self.head)


def corner(planes: str, head: str) -> str:
    """Return the name of one of the four combinations."""
    return f"{planes}-{head}"


def variants_of(config: RepresentationConfig) -> list[Variant]:
    """Return every network of a run once; one that stands in several tables belongs to the first.

    A table's networks have planes v2 and the head wdlp, as in the paper.
    """
    found = {
        (planes, head, config.network): Variant(
            corner(planes, head), planes, head, config.network, config.trainings
        )
        for planes in PLANES
        for head in HEADS
    }
    for grid in GRIDS:
        often = "architecture_trainings" if grid == "architectures" else "grid_trainings"
        for tower in getattr(config, grid):
            key = (PLANES[-1], HEADS[-1], tower)
            file_name = re.sub(r"[^A-Za-z0-9.]+", "-", tower).strip("-")
            found.setdefault(key, Variant(file_name, *key, getattr(config, often)))
    return list(found.values())


def groups_of(config: RepresentationConfig) -> dict[str, list[Variant]]:
    """Return the tables: the four combinations, then those of :data:`GRIDS` that list a network.

    Every variant stands in a table, whose first row the others are compared with; a grid of one
    network is a table of one row.
    """
    found = variants_of(config)
    own = (PLANES[-1], HEADS[-1])
    by_tower = {one.tower: one for one in found if (one.planes, one.head) == own}
    groups = {"corners": [one for one in found if one.name in CORNERS]}
    for grid in GRIDS:
        towers = getattr(config, grid)
        if grid == "architectures" and towers and config.network not in towers:
            towers = (config.network, *towers)
        groups[grid] = [by_tower[tower] for tower in towers]
    return {name: group for name, group in groups.items() if group}


_PUBLISHED = (
    "resnet-256x19",
    "levit-256x9",
    "nextvit-256x9",
    "patchvit-256x12:policy=flat",
    *(f"alphavile-{size}" for size in ("tiny", "small", "normal", "large")),
)

PRESETS: dict[Preset, RepresentationConfig] = presets_of(
    RepresentationConfig(),
    standard={
        "max_games": None,
        "network": "resnet-32x4:policy=pointwise",
        "architectures": (
            "rise-32x6:policy=pointwise",
            "alphavile-tiny:channels=96,policy=pointwise",
            "levit-64x3:policy=pointwise",
            "nextvit-96x3:policy=pointwise",
            "vit-64x3:policy=pointwise",
            "patchvit-64x6",
        ),
        "architecture_trainings": 3,
        "blocks": (
            "tower-32x4:block=classical,policy=pointwise",
            "tower-48x6:expansion=3,policy=pointwise",
            "tower-64x4:block=next,policy=pointwise",
        ),
        "transformers": tuple(f"tower-96x4:transformers={n},policy=pointwise" for n in (0, 1, 2)),
        "kernels": tuple(f"tower-48x6:wide={n},policy=pointwise" for n in (0, 0.25, 0.5, 0.75, 1)),
        "depths": (
            "tower-96x2:policy=pointwise",
            "tower-64x4:policy=pointwise",
            "tower-40x8:policy=pointwise",
            "tower-24x16:policy=pointwise",
        ),
        "positions": 100_000,
        "validation_positions": 4096,
        "test_games": 300,
        "resamples": 2000,
        "rounds": 10,
        "milliseconds": 200,
        "gradient_positions": 128,
        "gradient_steps": 64,
        "ending_nodes": 800,
        "match_games": 10,
        "match_nodes": (16, 64),
        "movetimes": (20,),
        "movetime_games": 10,
        "engine_nodes": None,
        "search_batch": 8,
        "max_plies": 250,
    },
    gpu={
        "network": "tower-192x10:transformers=1,wide=0.5",
        "architectures": (*_PUBLISHED, "tower-192x10:transformers=1,wide=0.5"),
        "blocks": (
            "tower-192x10:block=classical",
            "tower-256x9:expansion=3",
            "tower-256x10:block=next",
        ),
        "transformers": tuple(f"tower-192x10:transformers={n}" for n in range(5)),
        "kernels": tuple(f"tower-224x16:wide={n}" for n in (0, 0.25, 0.5, 0.75, 1)),
        "depths": ("tower-264x12", "tower-205x18", "tower-163x26"),
        "grid_trainings": 3,
        "positions": 4_000_000,
        "training_batch": 1024,
        "learning_rate": 0.07,
        "validation_positions": 20_000,
        "test_games": None,
        "gradient_positions": 512,
        "gradient_steps": 100,
        "match_games": 100,
        "match_nodes": (100, 400),
        "movetimes": (100, 400),
        "movetime_games": 100,
        "search_batch": 64,
        "max_plies": 400,
    },
    paper={
        "epochs": 7.0,
        "match_nodes": (800,),
        "match_games": 200,
        "movetimes": (100, 200, 400, 800, 1600),
        "movetime_games": 1000,
    },
)
"""The sizes, smallest first."""

REPRESENTATION: Study[RepresentationConfig] = Study(
    name="representation",
    program="phasezoo reproduce representation",
    presets=PRESETS,
    stages="phasezoo.experiments.representation.study:RepresentationRun",
    packages={
        "torch": "train",
        "safetensors": "train",
        "pyarrow": "data",
        "onnxruntime": "onnx",
        "onnx": "onnx",
        "captum": "captum",
        "matplotlib": "plot",
    },
    any_game=True,
)
