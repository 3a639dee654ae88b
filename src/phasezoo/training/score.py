"""A kind of number that is measured: its name, its unit, and which numbers are good."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Score:
    """One kind of number."""

    name: str
    """Such as ``win rate``."""
    better: Literal["higher", "lower"] = "higher"
    """Which numbers are good."""
    kind: Literal["mean", "share"] = "mean"
    """``mean``: a mean over all that was counted; its interval is a bootstrap of whole groups.
    ``share``: of each group in [0, 1], all groups counting alike; its interval is Wilson's, which
    keeps its width at 0 and 1."""
    unit: str = ""
    """Unit behind the number, such as ``nats``; ``%``: shares as percentages."""
    meaning: str = ""
    """Explanation in reports; empty for a name that explains itself."""
