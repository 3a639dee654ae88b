"""Records of the games of a run, and of everything that it found."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from phasezoo.arena import crossed_pairs, los, pentanomial_elo, trinomial_elo
from phasezoo.arena.statistics.crossed_trainings import CrossedResult, off_diagonal
from phasezoo.arena.statistics.elo import elo_slope, interval_of_score
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.matches import Counted, counts_of
from phasezoo.experiments.study import RunResults
from phasezoo.experiments.two_player.boundary import Boundaries
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import Cost
from phasezoo.experiments.two_player.exact import Exact
from phasezoo.experiments.two_player.losses import Division, GateCard, Losses
from phasezoo.experiments.two_player.overfitting import Overfitting
from phasezoo.experiments.two_player.preparation import Dataset
from phasezoo.inference.counts import Counts
from phasezoo.training.experts.planned import TrainedNetwork


@dataclass
class MatchSide(Counts):
    """Inference of one player of a match."""

    name: str = field(kw_only=True)
    nodes: int | None = None
    """Positions evaluated; None in games of a version that did not count them."""


@dataclass(frozen=True)
class Pairing(Counted):
    """One mixture against one baseline, seen from the mixture."""

    mixture: int
    """Training index of the mixture."""
    baseline: int
    """Training index of the baseline."""
    pentanomial: list[int]
    """Pairs of games by score of the mixture: 0, 1/2, 1, 3/2, 2."""
    elo: Interval
    """From pair scores."""
    elo_trinomial: Interval
    """From single games, as published figures are."""
    los: float
    """Likelihood of superiority."""
    sides: tuple[MatchSide, MatchSide]
    """The mixture's, the baseline's."""
    reasons: dict[str, int]
    """Games by the reason of their end."""
    duplicates: int
    """Games with the opening and moves of an earlier one."""
    mean_plies: float
    seconds: float

    @property
    def pair_scores(self) -> list[float]:
        """The mixture's share of the points in each pair of games from one opening."""
        return [place / 4 for place, count in enumerate(self.pentanomial) for _ in range(count)]


@dataclass(frozen=True)
class Matches:
    """Every training of a mixture against every training of the one network."""

    limit: str
    """Limit of a move, for people."""
    pairings: list[Pairing]

    @cached_property
    def total(self) -> Pairing:
        """All games put together; its intervals count games only."""
        return together(self.pairings)

    @property
    def trainings(self) -> int:
        """K, of either side."""
        return max(pairing.mixture for pairing in self.pairings) + 1

    @cached_property
    def spread(self) -> CrossedResult | None:
        """Chance between trainings apart from games; None with one training."""
        trainings = self.trainings
        if trainings == 1:
            return None
        scores: list[list[list[float]]] = [[[]] * trainings for _ in range(trainings)]
        for pairing in self.pairings:
            scores[pairing.mixture][pairing.baseline] = pairing.pair_scores
        return crossed_pairs(scores)

    def apart(self, beside: "Matches | None" = None) -> Interval | None:
        """Elo over the one network without pairings of one training with itself.

        Args:
            beside: Another mixture's matches: the difference to it, cell by cell, at the slope of
                Elo at the mean score of both in the same pairings.

        Returns:
            None with fewer than three trainings.
        """
        if self.trainings < 3:
            return None
        if beside is None:
            return interval_of_score(*off_diagonal(self._scores), z=1.0)
        mean, half = off_diagonal(self._scores - beside._scores)
        slope = elo_slope(off_diagonal((self._scores + beside._scores) / 2)[0])
        return Interval(slope * mean, slope * (mean - half), slope * (mean + half))

    @property
    def _scores(self) -> npt.NDArray[np.float64]:
        """``float64[K, K]``: the share of points of each pairing."""
        found = np.zeros((self.trainings, self.trainings))
        for pairing in self.pairings:
            found[pairing.mixture, pairing.baseline] = np.mean(pairing.pair_scores)
        return found

    @property
    def elo(self) -> Interval:
        """The main figure: over trainings if there are several, otherwise over games."""
        return self.spread.elo if self.spread else self.total.elo

    @property
    def elo_games_only(self) -> Interval:
        """The same with the interval that counts games of these very networks only."""
        return self.spread.elo_games_only if self.spread else self.total.elo


def together(pairings: Sequence[Pairing]) -> Pairing:
    """Return all games of several pairings as if they were of one; intervals count games only."""
    counts = counts_of(*pairings)
    plies = sum(pairing.mean_plies * pairing.games for pairing in pairings)
    scores = [score for pairing in pairings for score in pairing.pair_scores]
    reasons: Counter[str] = Counter()
    for pairing in pairings:
        reasons.update(pairing.reasons)
    first, second = (_summed([pairing.sides[place] for pairing in pairings]) for place in (0, 1))
    return Pairing(
        mixture=pairings[0].mixture,
        baseline=pairings[0].baseline,
        **counts,
        pentanomial=np.sum([pairing.pentanomial for pairing in pairings], axis=0).tolist(),
        elo=pentanomial_elo(scores),
        elo_trinomial=trinomial_elo(counts["wins"], counts["draws"], counts["losses"]),
        los=los(scores),
        sides=(first, second),
        reasons=dict(reasons),
        duplicates=sum(pairing.duplicates for pairing in pairings),
        mean_plies=plies / counts["games"],
        seconds=sum(pairing.seconds for pairing in pairings),
    )


def _summed(sides: Sequence[MatchSide]) -> MatchSide:
    nodes = [side.nodes for side in sides if side.nodes is not None]
    total = MatchSide(name=sides[0].name, nodes=sum(nodes) if len(nodes) == len(sides) else None)
    for side in sides:
        total.add(side)
    return total


@dataclass(frozen=True)
class VariantRow:
    """A mixture beside the one network."""

    name: str
    gate: str
    """Divides the positions, in its full spelling."""
    strategy: str
    """How its experts learned."""
    experts: int
    positions: int
    """Training positions that they saw, of one training, those of networks that they began from
    included, and those of the one network not."""
    loss: Interval | None
    """Its total test loss less the one network's; None without test positions."""
    matches: Matches | None
    """Its games against one network; None if it played none."""


@dataclass(frozen=True)
class Series:
    """Games of the phase mixture, or of one expert, in another way than in the match."""

    name: str
    """The phase of the expert, or the search as the settings spell it."""
    matches: Matches
    starts: int = 0
    """Different positions that the games may begin with, where these are not the openings."""
    too_late: int = 0
    """Positions that were left out because a game ends there by ``max_plies``."""


@dataclass(frozen=True)
class LearnedGates:
    """The experts of the phase mixture by gates that learned to choose among them."""

    gates: list[GateCard]
    """One of each training."""
    division: Division
    matches: Matches


@dataclass(frozen=True)
class Results(RunResults):
    """Everything that a report needs."""

    config: M2ctsConfig
    seeds: dict[str, int]
    dataset: Dataset
    networks: list[TrainedNetwork]
    losses: Losses
    matches: Matches
    variants: list[VariantRow]
    alone: list[Series]
    from_phases: list[Series]
    searches: list[Series]
    learned: LearnedGates | None
    overfitting: Overfitting
    exact: Exact | None
    boundaries: Boundaries
    cost: Cost
