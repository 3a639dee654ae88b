"""The knobs of a run, and its sizes as values of them."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from tyro.conf import Positional, arg

from phasezoo.experiments.settings import check_least

__all__ = ["PRESETS", "GeneraliseConfig", "OwnConfig", "Preset"]

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
    seed: int = 1
    """Everything random derives from it (0 or more)."""
    trainings: int = 1
    """Trainings of every row (1 or more; claims need several)."""

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
    positions: int = 12_000
    """Training positions that each network sees (1,000 or more)."""
    games: int = 400
    """Games to learn from, in each split, if they are played or chosen for it (40 or more)."""
    test_games: int = 60
    """Games that every cell is tested on (10 or more); a few times as many where tests are short,
    such as starts of which one move is looked at."""

    resamples: int = 2000
    """Draws of groups behind bootstrapped intervals (100 or more)."""
    device: str | None = None
    """Where networks are trained and run, such as cpu or cuda; none: a GPU if there is one."""
    threads: int | None = None
    """Threads for native code and networks (1 or more; none: every usable core)."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        least = {
            "seed": 0,
            "trainings": 1,
            "positions": 1_000,
            "games": 40,
            "test_games": 10,
            "resamples": 100,
            "threads": 1,
        }
        check_least(self, least)


@dataclass(frozen=True)
class OwnConfig:
    """A run of axes that are given as objects."""

    preset: str = "own"
    """There is but one."""
    seed: int = 1
    """Everything random derives from it (0 or more)."""
    trainings: int = 1
    """Trainings of every row (1 or more)."""
    resamples: int = 2000
    """Draws of groups behind bootstrapped intervals (100 or more)."""
    threads: int | None = None
    """Threads of native code (1 or more; none: every usable core)."""
    axes: tuple[str, ...] = ()
    """Names of the axes, each with a mark of what it is; axes.json says it in full."""
    sizes: GeneraliseConfig | None = None
    """How much is learnt and tested in axes of the package; none if there are none."""

    def validate(self) -> None:
        """Check every range.

        Raises:
            InvalidConfig: A value is outside its range; the message names the option.
        """
        check_least(self, {"seed": 0, "trainings": 1, "resamples": 100, "threads": 1})


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
