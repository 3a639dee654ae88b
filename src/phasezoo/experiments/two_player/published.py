"""Figures of "Checkmating One, by Using Many" (Helfenstein et al.), with table or figure.

Every value here is the paper's; nothing is computed from them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasezoo.inference.storage.packaged import names_network
from phasezoo.training.resampling import around

if TYPE_CHECKING:
    from phasezoo.experiments.two_player.config import M2ctsConfig

CITATION = (
    "F. Helfenstein, J. Czech, J. Blüml, M. Eisel, K. Kersting: “Checkmating One, by Using Many: "
    "Combining Mixture of Experts with MCTS to Improve in Chess”"
)

GAME = "chess"
"""The game of all tables."""

PHASES = ("opening", "middlegame", "endgame")


TRAIN_POSITIONS = 91_413_951
"""Training positions of the paper (KingBase Lite 2019, both players 2200 or more)."""


def has(config: "M2ctsConfig") -> bool:
    """Return whether the paper has figures of such a run: of its game, from new weights."""
    return config.game == GAME and not names_network(config.network)


@dataclass(frozen=True)
class PublishedLoss:
    """A row of Table XIV: total loss on the test positions of each phase and of all."""

    name: str
    opening: float
    middlegame: float
    endgame: float
    all: float


ONE_NETWORK_LOSS = PublishedLoss("one network", 0.9269, 1.5043, 1.3523, 1.2897)
"""Table XIV, the single network."""

TEST_LOSSES = {
    "separated": (
        PublishedLoss("opening expert", 0.9169, 2.4030, 3.2433, 2.2587),
        PublishedLoss("middlegame expert", 1.6064, 1.4371, 1.5494, 1.5260),
        PublishedLoss("endgame expert", 2.0097, 1.6605, 1.2594, 1.6293),
        PublishedLoss("mixture of experts", 0.9169, 1.4371, 1.2594, 1.2245),
    ),
    "staged": (
        PublishedLoss("opening expert", 0.8786, 1.8775, 2.5501, 1.8153),
        PublishedLoss("middlegame expert", 1.5966, 1.4437, 1.5293, 1.5203),
        PublishedLoss("endgame expert", 2.0281, 1.6748, 1.2774, 1.6458),
        PublishedLoss("mixture of experts", 0.8786, 1.4437, 1.2774, 1.2218),
    ),
    "weighted:4": (
        PublishedLoss("opening expert", 0.8636, 1.5125, 1.3780, 1.2820),
        PublishedLoss("middlegame expert", 0.9661, 1.5055, 1.4207, 1.3248),
        PublishedLoss("endgame expert", 0.9339, 1.5041, 1.2864, 1.2695),
        PublishedLoss("mixture of experts", 0.8636, 1.5055, 1.2864, 1.2433),
    ),
    "weighted:10": (
        PublishedLoss("opening expert", 0.8887, 1.6600, 1.5389, 1.3995),
        PublishedLoss("middlegame expert", 0.9955, 1.4834, 1.4470, 1.3346),
        PublishedLoss("endgame expert", 1.0334, 1.5547, 1.3036, 1.3241),
        PublishedLoss("mixture of experts", 0.8887, 1.4834, 1.3036, 1.2483),
    ),
}
"""Table XIV, experts and their mixture by how they learned."""


ELO_SEPARATED = {
    "batch 1": around(106.89, 18.29),
    "batch 8": around(123.45, 18.57),
    "batch 16": around(126.81, 20.56),
    "batch 32": around(124.36, 19.25),
    "batch 64": around(129.49, 31.21),
}
"""Table XV, separated learning: mean over 100–3200 nodes and 100–1600 ms a move."""

ELO_BY_STRATEGY = {
    "separated": around(122.20, 22.54),
    "staged": around(121.11, 25.68),
    "weighted:4": around(23.18, 11.95),
    "weighted:10": around(55.84, 19.57),
}
"""Table XV, means over the batch sizes by how experts learned."""

ELO_MEAN = ELO_BY_STRATEGY["separated"].value
"""The first of these alone."""

ALL_DATA = {
    "RISEv3.3": around(117.2, 20.8),
    "AlphaVile-tiny": around(35.9, 19.7),
    "AlphaVile-small": around(45.1, 19.3),
}
"""Table IV, separated learning at 800 nodes, by network."""

HALF_THE_DATA = {
    "RISEv3.3": around(-109.5, 20.8),
    "AlphaVile-tiny": around(-144.7, 21.5),
    "AlphaVile-small": around(-139.0, 21.1),
}
"""The same with half of the data."""

NOTEBOOK_GAINS = (66, 78)
"""Elo gains of a second pair of trainings in the author's own notebook (lowest, highest)."""

ALONE = {"opening": -3.8, "middlegame": 65.7, "endgame": 73.3}
"""Elo with one expert at a time, batch 64 (Fig. 6, from its author's data)."""

LITTLE_DATA = 0.5
"""Share of the training positions with which Table IV has losses in place of gains; from it on the
figures of the full data are the ones to expect."""
