"""The result of a match, and what it says of the two sides' strength."""

from dataclasses import dataclass
from functools import cached_property

from phasezoo.arena.elo import Interval, los, pair_score_statistics, pentanomial_elo, trinomial_elo
from phasezoo.arena.records import GameRecord, SideStats, duplicates

__all__ = ["Match"]


@dataclass(frozen=True)
class Match:
    """The result of a match, from side 0's view."""

    game: str
    """What was played."""
    sides: tuple[SideStats, SideStats]
    """What each side did, and what it cost."""
    games: tuple[GameRecord, ...]
    """The finished games, by number."""

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
        groups: dict[int, list[float]] = {}
        for record in self.games:
            groups.setdefault(record.group, []).append(record.score)
        size = len(self.games[0].sides) if self.games else 0
        return tuple(sum(g) / size for _, g in sorted(groups.items()) if len(g) == size)

    @property
    def score(self) -> float:
        """Side 0's mean score over groups, in [0, 1]."""
        return pair_score_statistics(self.group_scores)[0]

    @property
    def score_error(self) -> float:
        """The standard error of :attr:`score`."""
        return pair_score_statistics(self.group_scores)[1]

    @property
    def elo(self) -> Interval:
        """Rating difference with its 95 % interval, from groups."""
        return pentanomial_elo(self.group_scores)

    @property
    def elo_trinomial(self) -> Interval:
        """The same from single games, as cutechess has it, to stand beside published figures."""
        return trinomial_elo(self.wins, self.draws, self.losses)

    @property
    def los(self) -> float:
        """Likelihood that side 0 is the stronger one, in [0, 1], as fastchess has it."""
        return los(self.group_scores)

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs in which side 0 scored 0, 1/2, 1, 3/2 and 2 points.

        In games of more than two players: groups, by the nearest of these shares of the points.
        """
        counts = [0] * 5
        for score in self.group_scores:
            counts[round(score * 4)] += 1
        return counts[0], counts[1], counts[2], counts[3], counts[4]

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
        """Games ended by resignation or agreement."""
        return sum(record.ending in ("resignation", "agreement") for record in self.games)

    def summary(self) -> str:
        """The match in a few lines of text."""
        from phasezoo.arena.summary import summary_of

        return summary_of(self)
