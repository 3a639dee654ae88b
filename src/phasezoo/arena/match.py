"""The result of a match, and what it says of the two sides' strength."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from phasezoo.arena.frames import rows_of_games
from phasezoo.arena.records import GameRecord, SideStats, duplicates
from phasezoo.arena.statistics.elo import los, pair_score_statistics, pentanomial_elo, trinomial_elo
from phasezoo.arena.statistics.intervals import Interval, score_ends
from phasezoo.arena.statistics.normalized import normalized_elo
from phasezoo.arena.statistics.rates import percent, rate_of
from phasezoo.arena.statistics.sprt import EloModel, Sprt, SprtVerdict
from phasezoo.errors import InvalidConfig
from phasezoo.frames import Frame, frame, preformatted


@dataclass(frozen=True, repr=False)
class Match:
    """The result of a match, from side 0's view."""

    game: str
    """Name of the game."""
    sides: tuple[SideStats, SideStats]
    """Work and cost of each side."""
    games: tuple[GameRecord, ...]
    """The finished games, by number."""
    verdict: SprtVerdict | None = None
    """Verdict of the test that could end the match; None without a test."""

    @cached_property
    def wins(self) -> int:
        """Games in which side 0 scored more than half."""
        return sum(record.score > 0.5 for record in self.games)

    @cached_property
    def losses(self) -> int:
        """Games in which side 0 scored less than half."""
        return sum(record.score < 0.5 for record in self.games)

    @property
    def draws(self) -> int:
        """Games in which it scored half, those cut by ``max_plies`` among them."""
        return len(self.games) - self.wins - self.losses

    @cached_property
    def group_scores(self) -> tuple[float, ...]:
        """Per group of games with one opening, side 0's mean score in [0, 1].

        Groups of which not all games are finished are left out.
        """
        return self._by_group(lambda record: record.score)

    @property
    def score(self) -> float:
        """Side 0's mean score over groups, in [0, 1]."""
        return pair_score_statistics(self.group_scores)[0]

    @property
    def score_error(self) -> float:
        """The standard error of :attr:`score`."""
        return pair_score_statistics(self.group_scores)[1]

    @property
    def num_players(self) -> int:
        """How many play in a game; 2 if none was finished."""
        return len(self.games[0].sides) if self.games else 2

    @property
    def win_rate(self) -> Interval:
        """Share of games won by a player of side 0, with its 95 % interval (:func:`rate_of`)."""
        groups = self._by_group(lambda record: float(record.won))
        return rate_of(groups, self.num_players)

    @property
    def score_rate(self) -> Interval:
        """:attr:`score` with its 95 % interval.

        Of two players its ends are those of :attr:`elo` as scores; of more it is :func:`rate_of`.
        """
        if self.num_players != 2:
            return rate_of(self.group_scores, self.num_players)
        mean, error = pair_score_statistics(self.group_scores)
        low, high = score_ends(mean, error**2 * len(self.group_scores), len(self.group_scores))
        return Interval(mean, float(low), float(high))

    @property
    def elo(self) -> Interval:
        """Rating difference with its 95 % interval, from pairs; for games of two players.

        Raises:
            InvalidConfig: More than two play: see :attr:`win_rate` and :attr:`score_rate`.
        """
        self._of_two("Elo")
        return pentanomial_elo(self.group_scores)

    @property
    def elo_normalized(self) -> Interval:
        """Normalised Elo from pairs with its 95 % interval (:func:`normalized_elo`)."""
        self._of_two("normalised Elo")
        return normalized_elo(self.group_scores)

    @property
    def elo_trinomial(self) -> Interval:
        """The same from single games, to stand beside published figures."""
        self._of_two("Elo")
        return trinomial_elo(self.wins, self.draws, self.losses)

    @property
    def los(self) -> float:
        """Likelihood that side 0 is the stronger one, in [0, 1], as fastchess has it."""
        self._of_two("LOS")
        return los(self.group_scores)

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs in which side 0 scored 0, 1/2, 1, 3/2 and 2 points; for games of two players."""
        self._of_two("the count of pairs by points")
        counts = [0] * 5
        for score in self.group_scores:
            counts[round(score * 4)] += 1
        return counts[0], counts[1], counts[2], counts[3], counts[4]

    @property
    def trinomial(self) -> tuple[int, int, int]:
        """Games that side 0 lost, drew and won."""
        return self.losses, self.draws, self.wins

    @cached_property
    def by_player(self) -> tuple[tuple[int, int, int], ...]:
        """Games that side 0 won, drew and lost, by the player that it was.

        Player 0 is White in chess, who moves first unless an opening says otherwise.
        """
        found = [[0, 0, 0] for _ in range(self.num_players)]
        for record in self.games:
            result = 0 if record.score > 0.5 else 2 if record.score < 0.5 else 1
            found[record.sides.index(0)][result] += 1
        return tuple((won, drawn, lost) for won, drawn, lost in found)

    @property
    def by_seat(self) -> tuple[tuple[int, int, int], ...]:
        """Deprecated spelling of :attr:`by_player`."""
        message = "Match.by_seat is deprecated and goes with the next version: use by_player"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.by_player

    def sprt(
        self,
        elo0: float,
        elo1: float,
        alpha: float = 0.05,
        beta: float = 0.05,
        model: EloModel = "normalized",
    ) -> SprtVerdict:
        """Test from pairs whether the difference is ``elo0`` or ``elo1`` (:class:`Sprt`).

        Bounds hold for one test that ends the first time it decides, as ``play_match(sprt=...)``
        does it, not for a match of a length that was chosen by looking at it.

        Args:
            elo0: Difference of the null hypothesis.
            elo1: Difference of the alternative, above ``elo0``.
            alpha: Chance of deciding for ``elo1`` if ``elo0`` is true.
            beta: Chance of deciding for ``elo0`` if ``elo1`` is true.
            model: What Elo means.

        Raises:
            InvalidConfig: More than two play, or an argument is out of range.
        """
        return Sprt(elo0, elo1, alpha, beta, model).verdict(self.pentanomial)

    @property
    def mean_plies(self) -> float:
        """Mean length of its games; NaN without any."""
        plies = [record.plies for record in self.games]
        return sum(plies) / len(plies) if plies else math.nan

    @property
    def duplicates(self) -> int:
        """Games that repeat another one's opening and moves."""
        return duplicates(self.games)

    @property
    def truncated(self) -> int:
        """Games cut by ``max_plies``, counted as draws."""
        return sum(record.ending == "max_plies" for record in self.games)

    @property
    def adjudicated(self) -> int:
        """Games ended by resignation, agreement or tables."""
        kinds = ("resignation", "agreement", "tables")
        return sum(record.ending in kinds for record in self.games)

    @property
    def checked_verdicts(self) -> tuple[int, int]:
        """Games that were played on after a verdict, and in how many it was wrong.

        A game that was cut by ``max_plies`` says nothing about its verdict and is not counted.
        """
        judged = [r for r in self.games if r.verdict is not None and r.ending != "max_plies"]
        return len(judged), sum(record.verdict != record.returns for record in judged)

    def to_frame(self) -> Frame:
        """Return a pandas ``DataFrame`` with a row per game: players, score, result, reason, moves.

        Raises:
            MissingDependency: pandas is not installed.
        """
        return frame(rows_of_games(self.games, [side.name for side in self.sides]))

    def summary(self) -> str:
        """Return the match in a few lines of text."""
        from phasezoo.arena.summary import summary_of

        return summary_of(self)

    def _repr_html_(self) -> str:
        return preformatted(self.summary())

    def __repr__(self) -> str:
        first, second = self.sides
        counts = f"+{self.wins} ={self.draws} -{self.losses}"
        if not self.group_scores:
            said = "no finished group"
        elif self.num_players == 2:
            said = f"Elo {self.elo}"
        else:
            said = f"won {percent(self.win_rate)}, score {percent(self.score_rate)}"
        return f"<Match {first.name} v {second.name}: {self.game}, {counts}, {said}>"

    def _by_group(self, share: Callable[[GameRecord], float]) -> tuple[float, ...]:
        """Return the mean share over the games of each finished group."""
        groups: dict[int, list[float]] = {}
        for record in self.games:
            groups.setdefault(record.group, []).append(share(record))
        size = self.num_players
        return tuple(sum(g) / size for _, g in sorted(groups.items()) if len(g) == size)

    def _of_two(self, what: str) -> None:
        if self.num_players != 2:
            message = (
                f"{what} compares two players, in {self.game!r} there are {self.num_players}: use "
                "win_rate and score_rate"
            )
            raise InvalidConfig(message)
