"""The result of a tournament: who scored what against whom, and how strong that makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from phasezoo.arena.frames import rows_of_games, without_infinite
from phasezoo.arena.match import Match
from phasezoo.arena.records import GameRecord, SideStats
from phasezoo.arena.statistics.crossed_trainings import CrossedResult, crossed_pairs
from phasezoo.arena.statistics.ratings import Rating, ratings, result_of
from phasezoo.arena.statistics.sprt import SprtVerdict
from phasezoo.errors import InvalidConfig
from phasezoo.frames import Frame, frame, preformatted


@dataclass(frozen=True)
class Line:
    """One player's games of a tournament."""

    name: str
    """The player."""
    games: int
    """Games played."""
    wins: int
    """Games in which the player scored more than half."""
    draws: int
    """Games in which the player scored half."""
    losses: int
    """Games in which the player scored less than half."""
    points: float
    """Points of the player: 1 a game won, 1/2 drawn. With more than two players in a game, the
    mean over the opponents."""

    @property
    def score(self) -> float:
        """Points a game, in [0, 1]; 0 before the first game."""
        return self.points / self.games if self.games else 0.0


@dataclass(frozen=True, repr=False)
class Standings:
    """The result of a tournament."""

    game: str
    """Name of the game."""
    sides: tuple[SideStats, ...]
    """Work and cost of each player, in the order in which they were given."""
    games: tuple[GameRecord, ...]
    """The finished games, by number."""
    format: str = "round-robin"
    """Who played whom."""
    trainings: int | None = None
    """Players of the first kind, if each of one kind played each of the other; otherwise None."""
    anchor: int = 0
    """The place of the player whose rating is 0."""
    verdict: SprtVerdict | None = None
    """Last verdict of the test that could end a match of two."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players, in the order in which they were given."""
        return tuple(side.name for side in self.sides)

    def place_of(self, player: str | int) -> int:
        """Return the place of a player who is given by name or by place.

        Raises:
            InvalidConfig: There is no such player.
        """
        return place_in(self.names, player)

    def match(self, first: str | int, second: str | int) -> Match:
        """Return the games of two players as a match, from the first one's view.

        The sides' work is not counted per opponent, so it is left out.

        Raises:
            InvalidConfig: One of them is no player, or both are the same.
        """
        wanted = (self.place_of(first), self.place_of(second))
        if wanted[0] == wanted[1]:
            message = f"{self.names[wanted[0]]!r} played no match against themselves"
            raise InvalidConfig(message)
        sides = tuple(
            replace(SideStats(side.name), limit=side.limit, gate=side.gate, routing=side.routing)
            for side in (self.sides[wanted[0]], self.sides[wanted[1]])
        )
        games = tuple(self._seen_by(record, wanted) for record in self._between(*wanted))
        return Match(game=self.game, sides=(sides[0], sides[1]), games=games)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Each player's games, in the order in which players were given."""
        scores: list[list[float]] = [[] for _ in self.sides]
        for record in self.games:
            first, second = record.pairing
            scores[first].append(record.score)
            scores[second].append(1 - record.score)
        return tuple(
            Line(
                name=name,
                games=len(own),
                wins=sum(score > 0.5 for score in own),
                draws=sum(score == 0.5 for score in own),
                losses=sum(score < 0.5 for score in own),
                points=sum(own),
            )
            for name, own in zip(self.names, scores, strict=True)
        )

    @cached_property
    def crosstable(self) -> Mapping[tuple[str, str], Match]:
        """The match of each two players who met, by their names, in both orders."""
        met = {
            pair for a, b in (record.pairing for record in self.games) for pair in ((a, b), (b, a))
        }
        return {(self.names[a], self.names[b]): self.match(a, b) for a, b in sorted(met)}

    @cached_property
    def between_kinds(self) -> CrossedResult | None:
        """How much stronger the first kind of players is, if two kinds met.

        Its interval counts trainings first and games second
        (:func:`~phasezoo.arena.crossed_pairs`). None without kinds, or before every pairing has
        finished a pair of games.
        """
        if self.trainings is None:
            return None
        first, second = range(self.trainings), range(self.trainings, len(self.sides))
        scores = [[self.match(a, b).group_scores for b in second] for a in first]
        if not all(pairs for row in scores for pairs in row):
            return None
        return crossed_pairs(scores)

    @cached_property
    def ratings(self) -> tuple[Rating, ...]:
        """Each player's rating with its 95 % interval, in the order in which players were given.

        The anchor's is 0; see :func:`phasezoo.arena.ratings`. In games of more than two players a
        game counts as one between the two agents in it.

        Raises:
            InvalidConfig: No game is finished, or no games connect some of the players.
        """
        names = self.names
        results = [result_of(record, names) for record in self.games]
        return ratings(results, players=names, anchor=names[self.anchor])

    @property
    def ranking(self) -> tuple[int, ...]:
        """The places of the players, the strongest first."""
        return tuple(sorted(range(len(self.sides)), key=lambda place: -self.ratings[place].value))

    def summary(self) -> str:
        """Return the standings in a few lines of text."""
        from phasezoo.arena.summary import standings_summary

        return standings_summary(self)

    def _repr_html_(self) -> str:
        return preformatted(self.summary())

    def __repr__(self) -> str:
        shown = ", ".join(f"{line.name} {line.points:g}/{line.games}" for line in self.lines)
        return f"<Standings {self.game}, {self.format}, {len(self.games)} games: {shown}>"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: players with ratings, matches, work, and how many games there were."""
        return {
            "game": self.game,
            "format": self.format,
            "games": len(self.games),
            "anchor": self.names[self.anchor],
            "players": [without_infinite(row) for row in self.rows()],
            "matches": [
                {
                    "first": first,
                    "second": second,
                    "games": len(match.games),
                    "wins": match.wins,
                    "draws": match.draws,
                    "losses": match.losses,
                    "score": match.score_rate.to_dict(),
                    "elo": match.elo.to_dict() if match.num_players == 2 else None,
                }
                for (first, second), match in self.crosstable.items()
                if self.place_of(first) < self.place_of(second)
            ],
            "sides": [side.to_dict() for side in self.sides],
            **({} if self.verdict is None else {"sprt": asdict(self.verdict)}),
            **({} if self.trainings is None else {"between_kinds": self._between_kinds_to_dict()}),
        }

    def _between_kinds_to_dict(self) -> dict[str, Any] | None:
        found = self.between_kinds
        if found is None:
            return None
        return without_infinite(
            {
                "first": list(self.names[: self.trainings]),
                "second": list(self.names[self.trainings :]),
                **asdict(found),
                "elo": found.elo.to_dict(),
                "elo_games_only": found.elo_games_only.to_dict(),
            }
        )

    def _between(self, first: int, second: int) -> list[GameRecord]:
        return [record for record in self.games if set(record.pairing) == {first, second}]

    @staticmethod
    def _seen_by(record: GameRecord, wanted: tuple[int, int]) -> GameRecord:
        """Return the record with the first of ``wanted`` as side 0."""
        if record.pairing == wanted:
            return replace(record, group=2 * record.group, pairing=(0, 1))
        sides = tuple(1 - side for side in record.sides)
        # With more than two players, a pairing plays each opening in both ways.
        return replace(record, sides=sides, group=2 * record.group + 1, pairing=(0, 1))

    def as_match(self) -> Match:
        """Return a tournament of two as the match that it is.

        Raises:
            InvalidConfig: There are more than two players.
        """
        if len(self.sides) != 2:
            message = f"a match is between two players, here are {len(self.sides)}: use match(a, b)"
            raise InvalidConfig(message)
        sides = (self.sides[0], self.sides[1])
        if self.games and len(self.games[0].sides) > 2:
            return replace(self.match(0, 1), sides=sides)
        return Match(game=self.game, sides=sides, games=self.games, verdict=self.verdict)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player, the strongest first, with ratings, results and work."""
        return [self._row(place) for place in self.ranking]

    def _row(self, place: int) -> dict[str, Any]:
        line, rating, side = self.lines[place], self.ratings[place], self.sides[place]
        return {
            "name": line.name,
            "elo": rating.value,
            "elo_low": rating.low,
            "elo_high": rating.high,
            "games": line.games,
            "wins": line.wins,
            "draws": line.draws,
            "losses": line.losses,
            "score": line.score,
            "moves": side.moves,
            "nodes": side.nodes,
            "rows": side.counts.rows,
            "seconds": side.counts.seconds,
        }

    def games_rows(self) -> list[dict[str, Any]]:
        """Return a row for each game."""
        return rows_of_games(self.games, self.names)

    def to_frame(self) -> Frame:
        """Return a pandas ``DataFrame`` of :meth:`rows`.

        Raises:
            MissingDependency: pandas is not installed.
        """
        return frame(self.rows())

    def games_frame(self) -> Frame:
        """Return a pandas ``DataFrame`` of :meth:`games_rows`.

        Raises:
            MissingDependency: pandas is not installed.
        """
        return frame(self.games_rows())


def place_in(names: Sequence[str], player: str | int) -> int:
    """Return the place among ``names`` of a player, who is given by name or by place."""
    if isinstance(player, str) and player in names:
        return names.index(player)
    if isinstance(player, int) and not isinstance(player, bool) and 0 <= player < len(names):
        return player
    message = f"{player!r}: no player of this tournament; they are {', '.join(names)}"
    raise InvalidConfig(message)
