"""Counters of inference: rows, calls, seconds."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Counts:
    """Work done by evaluators, added up over calls.

    Counts add: ``a + b`` is new, ``a.add(b)`` changes ``a``.
    """

    rows: int = 0
    """Positions answered. A row that k networks answer (routing ``soft``) counts k times."""
    padded_rows: int = 0
    """Rows computed besides ``rows`` because a backend wanted a fixed batch size."""
    calls: int = 0
    """Calls of a network or of a user's evaluator."""
    off_phase_rows: int = 0
    """Positions answered by an expert of another phase than their own; none under routing ``soft``,
    where all experts answer."""
    regated_rows: int = 0
    """Positions whose phase under ``search_gate=`` differs from that under the experts' own gate,
    which is asked about each by itself: a monotone one without the way there."""
    cached_rows: int = 0
    """Positions whose answer a cache knew; they are not among ``rows``."""
    oracle_rows: int = 0
    """Positions whose value an oracle knew, such as endgame tables."""
    expert_rows: dict[str, int] = field(default_factory=dict)
    """Rows by the expert of a mixture that answered them, who goes by its phase's name."""
    expert_calls: dict[str, int] = field(default_factory=dict)
    """Calls by expert; one that answers several phases counts for each of them."""
    seconds: float = 0.0
    """Wall time inside evaluators; making planes is not in it. Time in which a search had two calls
    answered at once counts once."""

    def add(self, other: "Counts") -> None:
        """Add ``other`` to this one, in place."""
        # Field by field: this is done for every call of an evaluator.
        self.rows += other.rows
        self.padded_rows += other.padded_rows
        self.calls += other.calls
        self.off_phase_rows += other.off_phase_rows
        self.regated_rows += other.regated_rows
        self.cached_rows += other.cached_rows
        self.oracle_rows += other.oracle_rows
        self.seconds += other.seconds
        for name, rows in other.expert_rows.items():
            self.expert_rows[name] = self.expert_rows.get(name, 0) + rows
        for name, calls in other.expert_calls.items():
            self.expert_calls[name] = self.expert_calls.get(name, 0) + calls

    def __add__(self, other: "Counts") -> "Counts":
        total = Counts(**asdict(self))
        total.add(other)
        return total

    def __sub__(self, other: "Counts") -> "Counts":
        """Return the work done since ``other`` was copied from this one."""
        return Counts(**{k: _less(v, getattr(other, k)) for k, v in asdict(self).items()})

    def part(self, share: float) -> "Counts":
        """Return this share of the work, in whole rows and calls.

        Args:
            share: From 0 to 1.
        """
        return Counts(**{name: _part(value, share) for name, value in asdict(self).items()})

    @property
    def mean_rows(self) -> float:
        """Rows per call, padding left out; 0 before the first call."""
        return self.rows / self.calls if self.calls else 0.0

    @property
    def hit_rate(self) -> float:
        """Share of positions that a cache knew, in [0, 1]; 0 without one."""
        both = self.rows + self.cached_rows
        return self.cached_rows / both if both else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the fields and ``mean_rows``, for a table or a JSON file."""
        return {**asdict(self), "mean_rows": self.mean_rows}


def _part(value: Any, share: float) -> Any:
    """Return a share of a number, whole if that is, or of each name's."""
    if isinstance(value, dict):
        return {name: round(share * count) for name, count in value.items()}
    return share * value if isinstance(value, float) else round(share * value)


def _less(total: Any, part: Any) -> Any:
    """Return a number less another, or of each name, those of which nothing is left put away."""
    if not isinstance(total, dict):
        return total - part
    left = {name: count - part.get(name, 0) for name, count in total.items()}
    return {name: count for name, count in left.items() if count}
