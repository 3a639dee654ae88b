"""The knobs of a run, and its sizes as values of them."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge
from tyro.conf import Positional, arg

from phasezoo.experiments.settings import check_ranges
from phasezoo.specs import NonNegativeInt, PositiveInt

Preset: TypeAlias = Literal["quick", "standard"]


@dataclass(frozen=True)
class GeneraliseConfig:
    """Train on one distribution, evaluate on others: phases, starts, variants, opponents, boards.

    Every axis is a list of splits; what learns on one of them is tested on all. Sizes come as
    presets: `quick` takes minutes on two cores, with tiny networks, `standard` is for a claim and
    takes hours.
    """

    axes: Annotated[Positional[tuple[str, ...]], arg(metavar="GAME-OR-AXIS")] = ()
    """What to generalise over: axes such as krk/distance, all of a game such as krk, one's own as
    module:attr (none: all of the package)."""
    preset: Preset = "quick"
    """Where all other settings start from; each can still be given."""
    seed: NonNegativeInt = 1
    """Everything random derives from it."""
    trainings: PositiveInt = 1
    """Trainings of every row (claims need several)."""

    learner: str | None = None
    """Who learns in place of the axis' own: network, experts:GATE, sb3:ALGORITHM, or a callable
    (data, seed, out) of one's own as module:attr; options follow as in sb3:PPO,timesteps=20000."""
    agent: str | None = None
    """Who plays what was learnt, in axes that are played: policy, mcts:nodes=50,
    decoupled_mcts:nodes=50, single_player_mcts:nodes=50, or a function (model, seed) of one's own
    as module:attr (none: the policy)."""
    store: Path | None = None
    """Rated games of one's own for chess/ratings, as `phasezoo data import` writes them."""
    bands: tuple[int, ...] = ()
    """Ratings at which its bands begin, such as 1500 1900 for three (none: thirds of the games)."""

    network: str = "resnet-16x2"
    """Architecture of every network."""
    positions: Annotated[int, Ge(1000)] = 12_000
    """Training positions that each network sees."""
    games: Annotated[int, Ge(40)] = 400
    """Games to learn from, in each split, if they are played or chosen for it."""
    test_games: Annotated[int, Ge(10)] = 60
    """Games that every cell is tested on; a few times as many where tests are short, such as starts
    of which one move is looked at."""

    resamples: Annotated[int, Ge(100)] = 2000
    """Draws of groups behind bootstrapped intervals."""
    device: str | None = None
    """Where networks are trained and run, such as cpu or cuda; none: a GPU if there is one."""
    threads: PositiveInt | None = None
    """Threads for native code and networks (none: every usable core)."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        check_ranges(self)


@dataclass(frozen=True)
class OwnConfig:
    """A run of axes that are given as objects."""

    preset: str = "own"
    """There is but one."""
    seed: NonNegativeInt = 1
    """Everything random derives from it."""
    trainings: PositiveInt = 1
    """Trainings of every row."""
    resamples: Annotated[int, Ge(100)] = 2000
    """Draws of groups behind bootstrapped intervals."""
    threads: PositiveInt | None = None
    """Threads of native code (none: every usable core)."""
    axes: tuple[str, ...] = ()
    """Names of the axes, each with a mark of what it is; axes.json says it in full."""
    sizes: GeneraliseConfig | None = None
    """How much is learnt and tested in axes of the package; none if there are none."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        check_ranges(self)


_QUICK = GeneraliseConfig()

_STANDARD = dataclasses.replace(
    _QUICK,
    preset="standard",
    trainings=3,
    network="resnet-32x4",
    positions=200_000,
    games=4_000,
    test_games=400,
)

PRESETS: dict[Preset, GeneraliseConfig] = {"quick": _QUICK, "standard": _STANDARD}
"""The sizes, smallest first."""
