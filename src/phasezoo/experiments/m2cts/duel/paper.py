"""What the paper printed: figures of "Checkmating One, by Using Many" (Helfenstein et al.).

Every number here is a quotation, with the table it stands in; nothing is computed from them.
"""

from dataclasses import dataclass

from phasezoo.arena.elo import Interval

__all__ = [
    "CITATION",
    "DATA_AND_SIZE",
    "ELO_MEAN",
    "ELO_SEPARATED",
    "GAME",
    "NOTEBOOK_GAINS",
    "PHASES",
    "TEST_LOSSES",
    "TRAIN_POSITIONS",
    "PublishedElo",
    "PublishedLoss",
]

CITATION = (
    "F. Helfenstein, J. Czech, J. Blüml, M. Eisel, K. Kersting: “Checkmating One, by Using Many: "
    "Combining Mixture of Experts with MCTS to Improve in Chess”"
)

GAME = "chess"
"""The game of all tables."""

PHASES = ("opening", "middlegame", "endgame")

TRAIN_POSITIONS = 91_413_951
"""Training positions of the paper (KingBase Lite 2019, both players 2200 or more)."""


@dataclass(frozen=True)
class PublishedLoss:
    """A row of Table XIV: total loss on the test positions of each phase and of all."""

    name: str
    opening: float
    middlegame: float
    endgame: float
    all: float


TEST_LOSSES = (
    PublishedLoss("opening expert", 0.9169, 2.4030, 3.2433, 2.2587),
    PublishedLoss("middlegame expert", 1.6064, 1.4371, 1.5494, 1.5260),
    PublishedLoss("endgame expert", 2.0097, 1.6605, 1.2594, 1.6293),
    PublishedLoss("mixture of experts", 0.9169, 1.4371, 1.2594, 1.2245),
    PublishedLoss("one network", 0.9269, 1.5043, 1.3523, 1.2897),
)
"""Table XIV, separated learning and the single network."""


@dataclass(frozen=True)
class PublishedElo:
    """An Elo difference of M2CTS over MCTS, with the printed 95 % half-width."""

    name: str
    value: float
    half_width: float

    @property
    def interval(self) -> Interval:
        """The same as an estimate with two ends."""
        return Interval(self.value, self.value - self.half_width, self.value + self.half_width)


ELO_SEPARATED = (
    PublishedElo("batch 1", 106.89, 18.29),
    PublishedElo("batch 8", 123.45, 18.57),
    PublishedElo("batch 16", 126.81, 20.56),
    PublishedElo("batch 32", 124.36, 19.25),
    PublishedElo("batch 64", 129.49, 31.21),
)
"""Table XV, separated learning: mean over 100–3200 nodes and 100–1600 ms a move."""

ELO_MEAN = PublishedElo("mean", 122.20, 22.54)
"""Table XV, separated learning, mean over the batch sizes."""

DATA_AND_SIZE = (
    (PublishedElo("RISEv3.3", 117.2, 20.8), PublishedElo("RISEv3.3", -109.5, 20.8)),
    (PublishedElo("AlphaVile-tiny", 35.9, 19.7), PublishedElo("AlphaVile-tiny", -144.7, 21.5)),
    (PublishedElo("AlphaVile-small", 45.1, 19.3), PublishedElo("AlphaVile-small", -139.0, 21.1)),
)
"""Table IV, separated learning at 800 nodes: (all of the data, half of the data) per network."""

NOTEBOOK_GAINS = (66, 78)
"""Elo gains of a second pair of trainings in the author's own notebook (lowest, highest)."""
