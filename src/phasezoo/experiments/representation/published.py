"""Figures of the study: J. Czech and others, "Representation Matters", 2024.

Every value here is the paper's; nothing is computed from them. Losses are totals on the test set
of KingBase Lite 2019; latency is of a position on an RTX 2070 through TensorRT, 64 a call.
"""

import csv
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

CITATION = (
    "J. Czech, J. Blüml, K. Kersting, H. Steingrimsson: “Representation Matters for Mastering "
    "Chess: Improved Feature Representation in AlphaZero Outperforms Switching to Transformers”, "
    "2024"
)


class Row(NamedTuple):
    """A row of Tables 4 and 5: ± is the spread over three seeds."""

    total: str
    accuracy: str
    value: str
    microseconds: float


INPUTS = {
    "v1": Row("1.1918 ± 0.0028", "58.63 ± 0.05 %", "0.4448 ± 0.0007", 52.08),
    "v2": Row("1.1901 ± 0.0049", "58.67 ± 0.17 %", "0.4371 ± 0.0002", 53.54),
}
"""Table 4, by input planes."""

HEADS = {
    "mse": Row("1.1933 ± 0.0021", "58.50 ± 0.08 %", "0.4406 ± 0.0002", 53.35),
    "wdlp": Row("1.1901 ± 0.0051", "58.73 ± 0.12 %", "0.4356 ± 0.0006", 53.38),
}
"""Table 5, by value head."""

NETWORKS = {
    "AlphaZero 19x256": ("1.1673 ± 0.0040", "59.43 %", 68.25, "1.494 G"),
    "LeViT": ("1.2596 ± 0.0040", "56.93 %", 57.90, "0.413 G"),
    "Next-ViT": ("1.1725 ± 0.0040", "59.10 %", 54.59, "0.364 G"),
    "ViT, one patch of 8x8": ("1.6866 ± 0.0014", "47.40 %", 70.72, "20.82 M"),
    "AlphaVile large": ("1.1323", "60.20 %", 87.15, "0.508 G"),
    "AlphaVile normal": ("1.1531", "59.63 %", 67.18, "0.374 G"),
    "AlphaVile small": ("1.1861", "58.80 %", 49.66, "0.232 G"),
    "AlphaVile tiny": ("1.2193", "57.87 %", 38.92, "0.171 G"),
}
"""Table 7: total loss, policy accuracy, microseconds, multiply-adds."""

TRANSFORMERS = {"0": 1.1901, "1": 1.1920, "2": 1.1887, "3": 1.2061, "4": 1.2327}
"""Table 2: total loss by the number of transformer blocks."""

KERNELS = {"0 %": 1.2003, "25 %": 1.1802, "50 %": 1.1734, "75 %": 1.1852, "100 %": 1.1844}
"""Total loss by the share of 5x5 kernels."""

GRIDS = {
    "blocks": {"classical, 10x192": 1.2350, "mobile, 9x256": 1.2343, "Next-ViT, 10x256": 1.2411},
    "transformers": TRANSFORMERS,
    "kernels": KERNELS,
    "depths": {"18 blocks of 205 channels": 1.1901},
}
"""Total losses by table: Table 1 (kinds of block at equal latency), Table 2, 5x5 kernels, and the
best of the six of Table 9 (equal depth x width^1.6)."""

ELO_INPUTS = "+96.7 ± 30.4"
"""Of planes v2 over v1."""

ELO_HEAD = "+33.2 ± 19.0"
"""Of the head wdlp over mse."""

ELO_BOTH = "about +180"
"""Of both in chess; less in crazyhouse and atomic."""

ENDINGS = {"draws": (0.4472, 0.3988), "wins": (0.5192, 0.5186)}
"""Table 11: mean |value| of 15 draws and 5 wins, without and with v2 and wdlp."""

ENDINGS_SHOWN = {2: "Fig. 7", 20: "Fig. 8"}
"""Rows of Table 11 whose planes and squares are attributed, and the figures that show them."""

ENGINE_NODES = {
    "chess": ("stockfish", 15_000),
    "crazyhouse": ("fairy-stockfish", 50_000),
    "atomic": ("fairy-stockfish", 40_000),
}
"""Engines of reference and their nodes: Stockfish 16.1 and Fairy-Stockfish 14 (Fig. 4)."""


@dataclass(frozen=True)
class Ending:
    """A row of Table 11 that is a position."""

    row: int
    """Its place in the table, from 1."""
    fen: str
    """The position, mended if it was not printed whole."""
    outcome: str
    """``draws`` or ``wins``, whoever wins."""
    default: float
    """Value of the network without v2 and wdlp, for the player to move."""
    improved: float
    """Value of the network with both."""
    mended: str
    """Text that was missing and put in; empty if nothing was."""


def read_endings() -> list[Ending]:
    """Return the rows of Table 11 that are positions, in their order.

    Row 16 is left out: a rank and a square of another are missing, and it is not known which.
    """
    text = resources.files(__package__).joinpath("endings.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [
        Ending(
            row=int(row["row"]),
            fen=row["fen"],
            outcome="draws" if row["truth"] == "draw" else "wins",
            default=float(row["default"]),
            improved=float(row["improved"]),
            mended=row["mended"] or "",
        )
        for row in csv.DictReader(lines, delimiter="\t")
    ]
