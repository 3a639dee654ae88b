"""Simulate how often 95 % intervals of a mean pair score hold the true one, method by method.

``python scripts/compare_intervals.py --matches 40000`` prints the table of
``docs/definitions/statistics.md``. The grid is that of the tests.
"""

import argparse
import itertools
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from phasezoo.arena.statistics.intervals import PRIOR_PAIRS, score_ends, t95

Array = npt.NDArray[np.float64]
Method = Callable[[Array], tuple[Array, Array]]

SCORES = np.arange(5) / 4
PAIRS = (4, 5, 7, 10, 20, 40, 100, 250, 400, 1000)
TRUE_SCORES = (0.5, 0.55, 0.65, 0.75, 0.85, 0.92, 0.96, 0.98)
DRAWS = (0.0, 0.3, 0.6, 0.9, 1.0)
"""Shares of drawn games, of the most that a score allows."""


def distributions(score: float) -> dict[str, Array]:
    """Ways in which pairs score ``score`` in [0.5, 1] on average: the chance of each pair score."""
    found: dict[str, Array] = {}
    for draws in DRAWS:
        share = draws * 2 * (1 - score)
        one = _game(score, share)
        alike = np.array([one[0], 0, one[1], 0, one[2]])
        found[f"independent, draws {draws}"] = np.convolve(one, one)
        found[f"half alike, draws {draws}"] = (np.convolve(one, one) + alike) / 2
        found[f"alike, draws {draws}"] = alike
        for favour in (0.1, 0.3):
            shift = min(favour, 1 - score)
            pair = np.convolve(_game(score + shift, share), _game(score - shift, share))
            found[f"openings favour a colour by {favour}, draws {draws}"] = pair
    wins = 2 * score - 1
    found["won or drawn"] = np.array([0, 0, 1 - wins, 0, wins])
    found["won or all but drawn"] = _with_wins(wins, [0.02, 0, 0.96, 0, 0.02])
    # Engines of a strength, as rating lists have them.
    found["engines"] = _tilted(np.array([0.005, 0.2, 0.59, 0.2, 0.005]), score)
    low = SCORES[score >= SCORES].max() if score < 1 else 0.75
    share = (score - low) * 4
    found["two neighbouring scores"] = np.where(low == SCORES, 1 - share, 0) + np.where(
        low + 0.25 == SCORES, share, 0
    )
    rng = np.random.default_rng(int(1000 * score))
    for number in range(6):
        found[f"drawn {number}"] = _tilted(rng.dirichlet(np.full(5, 0.5)) + 1e-12, score)
    return found


def cells(
    pairs: tuple[int, ...] = PAIRS, scores: tuple[float, ...] = TRUE_SCORES
) -> Iterator[tuple[int, float, str, Array]]:
    """Yield the grid: numbers of pairs, true scores, and kinds of distributions."""
    for count, score in itertools.product(pairs, scores):
        for kind, chances in distributions(score).items():
            # Two neighbours of 1/2 and of 3/4 are one score: its spread is none.
            if (chances > 1e-9).sum() > 1:
                yield count, score, kind, chances


def turns(counts: Array) -> tuple[Array, Array, Array]:
    """Mean, population variance and number of the pairs of ``[matches, 5]`` counts by score."""
    number = counts.sum(axis=1)
    mean = counts @ SCORES / number
    return mean, np.maximum(counts @ SCORES**2 / number - mean**2, 0), number


def held(low: Array, high: Array, score: float) -> float:
    """Return the share of intervals that hold ``score``."""
    return float(np.mean((low <= score + 1e-9) & (score - 1e-9 <= high)))


def ours(counts: Array) -> tuple[Array, Array]:
    """Return the intervals that the package prints."""
    return score_ends(*turns(counts))


def normal(counts: Array) -> tuple[Array, Array]:
    """Return mean ± 1.96 standard errors, as fastchess and cutechess have it."""
    mean, variance, number = turns(counts)
    half = 1.96 * np.sqrt(variance / number)
    return mean - half, mean + half


def student(counts: Array) -> tuple[Array, Array]:
    """Return the same with Student's t and the sample variance."""
    mean, variance, number = turns(counts)
    half = t95(number - 1) * np.sqrt(variance / (number - 1))
    return mean - half, mean + half


def wilson(counts: Array) -> tuple[Array, Array]:
    """Wilson's (1927) with the games that the spread is worth (Korn and Graubard 1998)."""
    mean, variance, number = turns(counts)
    error = variance / (number - 1)
    worth = np.where(error > 0, mean * (1 - mean) / np.where(error > 0, error, 1), number)
    z2 = t95(number - 1) ** 2 / np.minimum(worth, 2 * number)
    centre = (mean + z2 / 2) / (1 + z2)
    half = np.sqrt(mean * (1 - mean) * z2 + z2**2 / 4) / (1 + z2)
    return np.minimum(centre - half, mean), np.maximum(centre + half, mean)


def imagined(prior: Array) -> Method:
    """Student's t with imagined pairs: how many of each score."""

    def ends(counts: Array) -> tuple[Array, Array]:
        mean, _, number = turns(counts)
        centre, variance, total = turns(counts + prior)
        half = t95(number - 1) * np.sqrt(variance / total)
        return np.minimum(centre - half, mean), np.maximum(centre + half, mean)

    return ends


def posterior(prior: Array) -> Method:
    """Return the middle 95 % of the posterior of a Dirichlet prior."""

    def ends(counts: Array) -> tuple[Array, Array]:
        rng = np.random.default_rng(1)
        different, place = np.unique(counts, axis=0, return_inverse=True)
        drawn = [rng.dirichlet(row + prior, 500) @ SCORES for row in different]
        low, high = np.quantile(drawn, [0.025, 0.975], axis=1)[:, place.ravel()]
        mean = turns(counts)[0]
        return np.minimum(low, mean), np.maximum(high, mean)

    return ends


def likelihood_ratio(prior: Array) -> Method:
    """Means that the empirical likelihood ratio (Owen 1988) does not refuse, by Student's t."""

    def ends(counts: Array) -> tuple[Array, Array]:
        different, place = np.unique(counts, axis=0, return_inverse=True)
        total = different.sum(axis=1) + prior.sum()
        chances = (different + prior) / total[:, None]
        centre = chances @ SCORES
        limit = t95(different.sum(axis=1) - 1) ** 2
        found = []
        for end in (1e-9, 1 - 1e-9):
            inner, outer = centre.copy(), np.full_like(centre, end)
            for _ in range(30):
                middle = (inner + outer) / 2
                refused = 2 * total * _empirical_divergence(chances, middle) > limit
                inner = np.where(refused, inner, middle)
                outer = np.where(refused, middle, outer)
            found.append(inner[place.ravel()])
        mean = turns(counts)[0]
        return np.minimum(found[0], mean), np.maximum(found[1], mean)

    return ends


def _empirical_divergence(chances: Array, means: Array) -> Array:
    """Sum of p log(p / q) with q the nearest distribution of each mean."""
    away = SCORES - means[:, None]
    low, high = -1 / away.max(axis=1) + 1e-12, -1 / away.min(axis=1) - 1e-12
    for _ in range(50):
        middle = (low + high) / 2
        is_low = (chances * away / (1 + middle[:, None] * away)).sum(axis=1) > 0
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    divergence: Array = (chances * np.log1p(low[:, None] * away)).sum(axis=1)
    return divergence


def _game(score: float, draws: float) -> Array:
    """Return the chances of 0, 1/2 and 1 in a game."""
    draws = min(draws, 2 * min(score, 1 - score))
    return np.clip([1 - score - draws / 2, draws, score - draws / 2], 0, 1)


def _with_wins(wins: float, rest: list[float]) -> Array:
    return np.array([0, 0, 0, 0, wins]) + (1 - wins) * np.array(rest)


def _tilted(chances: Array, score: float) -> Array:
    """Return the distribution with mean ``score`` that is nearest to ``chances``."""
    low, high = -2000.0, 2000.0
    for _ in range(200):
        middle = (low + high) / 2
        weights = np.log(chances) + middle * SCORES
        tilted = np.exp(weights - weights.max())
        tilted /= tilted.sum()
        low, high = (middle, high) if tilted @ SCORES < score else (low, middle)
    return np.asarray(tilted)


ENDS = np.array([1.0, 0, 0, 0, 1])
METHODS: dict[str, Method] = {
    f"{PRIOR_PAIRS:g} won and {PRIOR_PAIRS:g} lost imagined, t (the package's)": ours,
    "1 won and 1 lost imagined, t": imagined(ENDS),
    "2 won and 2 lost imagined, t": imagined(2 * ENDS),
    "half a pair of each score imagined, t": imagined(np.full(5, 0.5)),
    "Wilson, by what the spread is worth, t": wilson,
    "mean ± 1.96 errors": normal,
    "mean ± t errors": student,
    "Dirichlet posterior, 1/2 of each score": posterior(np.full(5, 0.5)),
    "Dirichlet posterior, 1 of each score": posterior(np.ones(5)),
    "likelihood ratio, 1/2 of each score": likelihood_ratio(np.full(5, 0.5)),
    "likelihood ratio, 1 won and 1 lost": likelihood_ratio(ENDS),
}


def main() -> None:
    """Print a row per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=2000, help="matches per cell")
    matches = parser.parse_args().matches
    print("| method | least | cells below 93 % | mean | width at 10 pairs | 400 pairs |")
    print("|---|---|---|---|---|---|")
    for name, method in METHODS.items():
        rng = np.random.default_rng(1)
        shares, few, many = [], [], []
        for pairs, score, _, chances in cells():
            low, high = method(rng.multinomial(pairs, chances, size=matches).astype(float))
            shares.append(held(low, high, score))
            width = float(np.mean(np.clip(high, 0, 1) - np.clip(low, 0, 1)))
            usual = 3.92 * np.sqrt((chances @ SCORES**2 - score**2) / pairs)
            if score <= 0.65 and pairs in (10, 400):
                (few if pairs == 10 else many).append(width / usual)
        below = np.mean(np.array(shares) < 0.93)
        print(
            f"| {name} | {min(shares):.1%} | {below:.1%} | {np.mean(shares):.1%} | "
            f"{np.median(few):.2f} | {np.median(many):.2f} |"
        )


if __name__ == "__main__":
    main()
