"""Ratings of two players and more, from games between them (``docs/definitions/statistics.md``)."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Interval as Bounds

from phasezoo.agents.arguments import seed_of
from phasezoo.arena.records import GameRecord
from phasezoo.arena.statistics.elo import pentanomial_elo
from phasezoo.arena.statistics.intervals import MIN_PAIRS, PRIOR_PAIRS, Z95, Array, Interval, t95
from phasezoo.checking import shown
from phasezoo.errors import InvalidConfig
from phasezoo.specs import check_value

ELO = 400 / math.log(10)
"""Elo of one unit of the logarithm of a player's strength."""

HALF_A_GAME = 0.5
"""Imagined games won, and lost, if one of two groups of players won all games between them."""

ALMOST_NOTHING = 1e-3
"""The same in resamples in which nothing is imagined; their ends do not tell it from 0."""


@dataclass(frozen=True)
class Result:
    """A finished game between two players."""

    first: str
    """One player's name."""
    second: str
    """The other's."""
    opening: Hashable
    """Start of the game: games with an equal one, of whichever players, are not independent."""
    score: float
    """Score of ``first``, in [0, 1]."""


@dataclass(frozen=True)
class Rating:
    """A player's rating with its 95 % interval; ends may be infinite, never NaN."""

    name: str
    """The player's."""
    value: float
    """The rating, in Elo above the anchor's."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end."""
    games: int
    """Games they played."""
    points: float
    """Points they scored in them."""

    @property
    def interval(self) -> Interval:
        """The rating without its player."""
        return Interval(self.value, self.low, self.high)

    def __str__(self) -> str:
        """``mcts +120.4 ± 40.2``, or ``random 0.0 (anchor)``."""
        if self.low == self.high:
            return f"{self.name} {self.value:.1f} (anchor)"
        return f"{self.name} {self.interval}"


def results_of(records: Iterable[GameRecord], names: Sequence[str]) -> list[Result]:
    """Return the results of games of two players, as :func:`ratings` wants them."""
    found = []
    for record in records:
        if len(record.sides) != 2:
            message = f"ratings compare two players, in these games there are {len(record.sides)}"
            raise InvalidConfig(message)
        found.append(result_of(record, names))
    return found


def result_of(record: GameRecord, names: Sequence[str]) -> Result:
    """Return the result of a game between the two agents in it, however many players they play."""
    first, second = (names[agent] for agent in record.pairing)
    return Result(first, second, record.group, record.score)


def ratings(
    results: Iterable[Result],
    *,
    players: Sequence[str] = (),
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    resamples: int = 1000,
    seed: int = 0,
) -> tuple[Rating, ...]:
    """Rate players by the games between them, with 95 % intervals by resampling openings.

    The model is Bradley and Terry's (1952) with draws as Davidson (1970) has them, his parameter of
    draws held at 2. Then a player's expected score is logistic in the difference, and the likeliest
    ratings are those under which all players are expected to score what they scored, draws counted
    half. Of two players who met as often in each opening, or once or twice, they are
    :attr:`Match.elo <phasezoo.arena.Match.elo>` with its interval: openings without their second
    game are left out, nothing is resampled, and the rating of who won all games is infinite.

    Where of other games one group of players won all games against the rest, ratings would be
    infinite: there, and only there, half a game more counts as won and half as lost by each
    pairing. The end of an interval that nothing bounds is infinite all the same.

    Intervals are the outer ends of two Bayesian bootstraps (Rubin 1981) over openings, of the games
    and of the games with :data:`~phasezoo.arena.statistics.intervals.PRIOR_PAIRS` more pairs won
    and lost by each pairing, stretched as Student's t is wider than the normal distribution.

    Args:
        results: Finished games.
        players: The order in which they are wanted; default that of appearance.
        anchor: Whose rating is ``anchor_elo``; default the first player.
        anchor_elo: Their rating.
        resamples: How often openings are drawn.
        seed: Of the draws.

    Returns:
        A rating per player.

    Raises:
        InvalidConfig: There are no games, a score is impossible, a player plays itself, the
            anchor did not play, or no games connect some of the players.
    """
    seed_of(seed)
    check_value("anchor_elo", Annotated[float, Bounds(ge=-1e9, le=1e9)], anchor_elo)
    games = _Games(results, players)
    if anchor is None:
        anchor = games.players[0]
    if anchor not in games.players:
        message = f"anchor={anchor!r} did not play; players are {', '.join(games.players)}"
        raise InvalidConfig(message)
    check_value("resamples", Annotated[int, Ge(100)], resamples)
    games.check_connected()
    fixed = games.players.index(anchor)
    if games.is_a_match:
        values, lows, highs = games.of_two(fixed)
    else:
        values, lows, highs = _of_many(games, fixed, resamples, seed)
    found = [
        Rating(
            name=name,
            value=anchor_elo + float(values[i]),
            low=anchor_elo + float(lows[i]),
            high=anchor_elo + float(highs[i]),
            games=int(games.played[i]),
            points=float(games.points[i]),
        )
        for i, name in enumerate(games.players)
    ]
    return tuple(found)


def _of_many(games: "_Games", fixed: int, resamples: int, seed: int) -> tuple[Array, Array, Array]:
    """Return every player's rating with both ends, in Elo above that of the player ``fixed``."""
    reached = games.reached()
    bridges = games.bridged(reached)
    values = _solved((games.won + bridges)[None], (games.totals + 2 * bridges)[None], games, fixed)[
        0
    ]
    lows, highs = _ends(games, values, fixed, resamples, np.random.default_rng(seed))
    lows[~reached[:, fixed]] = -np.inf
    highs[~reached[fixed]] = np.inf
    is_few = games.openings_met < MIN_PAIRS
    lows[is_few], highs[is_few] = -np.inf, np.inf
    lows[fixed] = highs[fixed] = 0.0
    return ELO * values, ELO * lows, ELO * highs


class _Games:
    """Games by opening and pairing.

    Attributes:
        players: Their names.
        pairs: ``int[P, 2]``: the players of each pairing.
        scores: ``float64[O, P]``: points of the pairing's first player, by opening.
        counts: ``float64[O, P]``: games.
    """

    def __init__(self, given: Any, players: Sequence[str]) -> None:
        if not isinstance(given, Iterable):
            message = f"results={shown(given)}: expected a list of finished games"
            raise InvalidConfig(message)
        results = list(given)
        if not results:
            message = "no finished game: ratings need games between all players"
            raise InvalidConfig(message)
        for result in results:
            score = getattr(result, "score", None)
            if not isinstance(result, Result) or not isinstance(score, Real):
                message = f"{shown(result)} among the results: expected are Results with a score"
                raise InvalidConfig(message)
            if not 0 <= result.score <= 1 or result.first == result.second:
                message = f"{result}: expected are two players and a score in [0, 1]"
                raise InvalidConfig(message)
        names = (name for result in results for name in (result.first, result.second))
        self.players = list(dict.fromkeys((*players, *names)))
        number = {player: index for index, player in enumerate(self.players)}
        sides = [(number[r.first], number[r.second]) for r in results]
        pairings = {pair: i for i, pair in enumerate(sorted({(min(s), max(s)) for s in sides}))}
        openings = {key: i for i, key in enumerate(dict.fromkeys(r.opening for r in results))}
        self.pairs = np.array(list(pairings), dtype=np.int64)
        self.scores = np.zeros((len(openings), len(pairings)))
        self.counts = np.zeros_like(self.scores)
        for result, side in zip(results, sides, strict=True):
            place = openings[result.opening], pairings[min(side), max(side)]
            self.scores[place] += result.score if side[0] < side[1] else 1 - result.score
            self.counts[place] += 1
        self.totals = self.counts.sum(axis=0)
        self.won = self.scores.sum(axis=0)
        first, second = self._incidence(1, 0), self._incidence(0, 1)
        self.played = self.totals @ (first + second)
        self.points = self.won @ first + (self.totals - self.won) @ second
        self.openings_met = (self.counts @ (first + second) > 0).sum(axis=0)

    def _incidence(self, first: float, second: float) -> Array:
        found = np.zeros((len(self.pairs), len(self.players)))
        rows = np.arange(len(self.pairs))
        found[rows, self.pairs[:, 0]], found[rows, self.pairs[:, 1]] = first, second
        return found

    @property
    def differences(self) -> Array:
        """``float64[P, N]``: 1 for the first player of each pairing, -1 for the second."""
        return self._incidence(1, -1)

    def check_connected(self) -> None:
        """Raise InvalidConfig if no games connect some of the players."""
        met = np.eye(len(self.players), dtype=bool)
        met[self.pairs[:, 0], self.pairs[:, 1]] = True
        apart = ~_closure(met | met.T)[0]
        if apart.any():
            groups = [
                ", ".join(name for name, is_in in zip(self.players, group, strict=True) if is_in)
                for group in (~apart, apart)
            ]
            message = (
                f"no games between {groups[0]} and {groups[1]}: rate them apart, or let some of "
                "them play each other"
            )
            raise InvalidConfig(message)

    @property
    def is_a_match(self) -> bool:
        """Whether two players met as often in each opening, or once or twice."""
        most = self.counts.max()
        return len(self.players) == 2 and bool(most <= 2 or (self.counts == most).all())

    def of_two(self, fixed: int) -> tuple[Array, Array, Array]:
        """Return both players' ratings with their ends, in Elo above that of the player ``fixed``.

        Openings of which games are missing are left out, as they are of a match.
        """
        scores, counts = self.scores[:, 0], self.counts[:, 0]
        complete = counts == counts.max()
        elo = pentanomial_elo((scores[complete] / counts[complete]).tolist())
        ends = np.zeros((3, 2))
        if fixed == 1:
            ends[:, 0] = elo.value, elo.low, elo.high
        else:
            ends[:, 1] = 0.0 - elo.value, 0.0 - elo.high, 0.0 - elo.low
        return ends[0], ends[1], ends[2]

    def reached(self) -> npt.NDArray[np.bool_]:
        """``bool[N, N]``: whether i took points from a player who took some from … j.

        Then nothing but these points keeps j's rating from being infinitely higher than i's.
        """
        took = np.eye(len(self.players), dtype=bool)
        first, second = self.pairs.T
        took[first, second] |= self.won > 0
        took[second, first] |= self.won < self.totals
        return _closure(took)

    def bridged(self, reached: npt.NDArray[np.bool_]) -> Array:
        """``float64[P]``: imagined games won, and as many lost, without which ratings are infinite.

        Ratings are finite if everybody reaches everybody (Ford 1957).
        """
        first, second = self.pairs.T
        return np.where(reached[first, second] & reached[second, first], 0.0, HALF_A_GAME)


def _closure(reached: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    for middle in range(len(reached)):
        reached = reached | (reached[:, middle, None] & reached[None, middle])
    return reached


def _ends(
    games: _Games, values: Array, fixed: int, resamples: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return both ends of every player's interval, in units of :data:`ELO`."""
    stretch = t95(np.maximum(games.openings_met - 1, 1)) / Z95
    a_pair = games.totals / (games.counts > 0).sum(axis=0)
    shape = (resamples, len(games.pairs))
    lows, highs = [values], [values]
    for prior in (PRIOR_PAIRS, 0.0):
        weights = rng.gamma(1.0, size=(resamples, len(games.counts)))
        imagined = rng.gamma(prior, size=(2, *shape)) * a_pair if prior else np.zeros((2, *shape))
        imagined += ALMOST_NOTHING
        won = weights @ games.scores + imagined[0]
        drawn = _solved(won, weights @ games.counts + imagined.sum(axis=0), games, fixed)
        low, middle, high = np.quantile(drawn, [0.025, 0.5, 0.975], axis=0)
        lows.append(middle - (middle - low) * stretch)
        highs.append(middle + (high - middle) * stretch)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _solved(won: Array, played: Array, games: _Games, fixed: int) -> Array:
    """Newton's method for the ratings under which all score on average what they scored.

    Args:
        won: ``float64[R, P]``: points of the first players of pairings.
        played: ``float64[R, P]``: games.
        games: Who they are.
        fixed: The player whose rating is 0.

    Returns:
        ``float64[R, N]``.
    """
    design = np.delete(games.differences, fixed, axis=1)
    found = np.zeros((len(won), design.shape[1]))
    for _ in range(200):
        expected = 1 / (1 + np.exp(-(found @ design.T)))
        slope = (won - played * expected) @ design
        bend = np.einsum("rp,pi,pj->rij", played * expected * (1 - expected), design, design)
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        # Far from the solution a whole step would leave the region where it is any good.
        step /= np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)
        found += step
        if np.abs(step).max() < 1e-10:
            break
    return np.insert(found, fixed, 0.0, axis=1)
