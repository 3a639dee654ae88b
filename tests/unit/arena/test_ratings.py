"""Ratings of two players and more."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from phasezoo import agents, arena
from phasezoo.arena.statistics.elo import elo_of_score, pentanomial_elo
from phasezoo.arena.statistics.ratings import Result, ratings, results_of
from phasezoo.errors import InvalidConfig

STRENGTH = {"a": 0.0, "b": 80.0, "c": -60.0, "d": 250.0}


def drawn_games(rng, openings, strength=STRENGTH, draws=0.4, favour=0.1):
    """Two games of each pairing from each opening, which favours who moves first or second."""
    results = []
    for opening in range(openings):
        bias = rng.normal(0, favour)
        for first, second in itertools.combinations(strength, 2):
            expected = 1 / (1 + 10 ** ((strength[second] - strength[first]) / 400))
            for side in (1, -1):
                score = min(max(expected + side * bias, 0.001), 0.999)
                share = draws * 2 * min(score, 1 - score)
                chances = [1 - score - share / 2, share, score - share / 2]
                results.append(
                    Result(first, second, opening, rng.choice([0.0, 0.5, 1.0], p=chances))
                )
    return results


def by_name(found):
    return {rating.name: rating for rating in found}


def test_two_players_have_the_elo_of_their_match():
    rng = np.random.default_rng(1)
    results = drawn_games(rng, 40, {"a": 0.0, "b": 120.0})
    scores = [
        1 - (one.score + two.score) / 2
        for one, two in zip(results[::2], results[1::2], strict=True)
    ]
    match, rating = pentanomial_elo(scores), ratings(results)[1]
    expected = (match.value, match.low, match.high)
    assert (rating.value, rating.low, rating.high) == pytest.approx(expected)
    assert (rating.games, rating.points) == (80, 2 * sum(scores))
    other = ratings(results, anchor="b", anchor_elo=1000)[0]
    assert (other.value, other.low, other.high) == pytest.approx(
        (1000 - match.value, 1000 - match.high, 1000 - match.low)
    )
    # A pair of which one game is missing is left out, as of a match.
    less, rating = pentanomial_elo(scores[:-1]), ratings(results[:-1])[1]
    expected = (less.value, less.low, less.high)
    assert (rating.value, rating.low, rating.high) == pytest.approx(expected)


def test_openings_that_two_players_played_more_and_less_often_all_count():
    results = [
        Result("a", "b", opening, float(number == 0 and opening % 7 == 0))
        for opening in range(40)
        for number in range(4)
    ]
    even, uneven = (ratings(found)[1] for found in (results, [*results, Result("b", "a", 0, 0.0)]))
    assert even.value > 400
    assert uneven.value == pytest.approx(even.value, abs=60)
    assert (uneven.games, math.isfinite(uneven.low)) == (161, True)


def test_of_two_players_who_won_all_games_has_an_infinite_rating_and_one_finite_end():
    results = [Result("a", "b", opening, 1.0) for opening in range(6) for _ in range(2)]
    match = pentanomial_elo([1.0] * 6)
    for rating in (ratings(results, anchor="b")[0], ratings(results, players=["b", "a"])[1]):
        assert (rating.value, rating.high) == (math.inf, math.inf)
        assert rating.low == pytest.approx(match.low)
    loser = ratings(results)[1]
    assert (loser.value, loser.low) == (-math.inf, -math.inf)
    assert loser.high == pytest.approx(-match.low)


def test_davidsons_likelihood_is_greatest_there():
    results = drawn_games(np.random.default_rng(2), 12)
    names = list(STRENGTH)

    def loss(free):
        log_strength = dict(zip(names, [0.0, *free], strict=True))
        total = 0.0
        for result in results:
            one, two = (math.exp(log_strength[name]) for name in (result.first, result.second))
            tie = 2 * math.sqrt(one * two)  # Davidson (1970), his nu 2
            total -= math.log({1.0: one, 0.5: tie, 0.0: two}[result.score] / (one + two + tie))
        return total

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    # Strengths are of half games: a half of their logarithm is a rating's.
    expected = [0.0, *(best / 2 * 400 / math.log(10))]
    assert [rating.value for rating in ratings(results)] == pytest.approx(expected, abs=1e-3)


def test_all_are_expected_to_score_what_they_scored():
    results = drawn_games(np.random.default_rng(3), 20)
    found = by_name(ratings(results, anchor="c", anchor_elo=1500))
    assert found["c"].interval == arena.Interval(1500, 1500, 1500)
    expected = dict.fromkeys(STRENGTH, 0.0)
    for result in results:
        ahead = found[result.first].value - found[result.second].value
        expected[result.first] += 1 / (1 + 10 ** (-ahead / 400))
        expected[result.second] += 1 / (1 + 10 ** (ahead / 400))
    for name, rating in found.items():
        assert rating.points == pytest.approx(expected[name])
        assert rating.low <= rating.value <= rating.high


def test_the_anchor_moves_all_and_the_seed_draws():
    results = drawn_games(np.random.default_rng(4), 20)
    one, other = by_name(ratings(results, anchor="a")), by_name(ratings(results, anchor="d"))
    for name in STRENGTH:
        assert one[name].value - one["d"].value == pytest.approx(other[name].value)
    assert ratings(results, seed=7) == ratings(results, seed=7)
    assert ratings(results, seed=7)[1] != ratings(results, seed=8)[1]
    assert [rating.name for rating in ratings(results, players=["d", "a"])] == ["d", "a", "b", "c"]


@pytest.mark.parametrize(("openings", "draws"), [(5, 0.0), (12, 0.8), (60, 0.4)])
def test_intervals_hold_the_true_ratings(openings, draws):
    rng = np.random.default_rng([openings, 5])
    held = tried = 0
    for seed in range(150):
        found = ratings(drawn_games(rng, openings, draws=draws), resamples=300, seed=seed)
        for rating in found[1:]:
            held += rating.low <= STRENGTH[rating.name] <= rating.high
            tried += 1
    # 93 %, less three errors; ratings of a tournament are alike, hence of the tournaments.
    assert held / tried > 0.93 - 3 * math.sqrt(0.93 * 0.07 / 150)


@pytest.mark.slow
def test_intervals_of_two_players_hold_extreme_differences():
    rng = np.random.default_rng(8)
    for openings, score in itertools.product((4, 10, 40), (0.5, 0.75, 0.92, 0.98)):
        held = 0
        for _ in range(300):
            players = {"a": 0.0, "b": elo_of_score(score)}
            results = drawn_games(rng, openings, players, draws=0.5, favour=0.0)
            rating = ratings(results)[1]
            held += rating.low <= elo_of_score(score) <= rating.high
        assert held / 300 > 0.93 - 3 * math.sqrt(0.93 * 0.07 / 300), (openings, score)


def test_more_openings_give_narrower_intervals():
    results = drawn_games(np.random.default_rng(6), 160)
    few = by_name(ratings(results[: len(results) // 4]))["b"].interval
    many = by_name(ratings(results))["b"].interval
    assert 1.5 < few.half_width / many.half_width < 2.7


def test_who_won_or_lost_everything_has_a_rating_and_one_open_end():
    results = []
    for opening in range(10):
        results += [Result("uct", "random", opening, 1.0)] * 2
        results += [Result("mcts", "uct", opening, score) for score in (1.0, 0.5)]
        results += [Result("mcts", "random", opening, 1.0)] * 2
    found = by_name(ratings(results, players=["random", "uct", "mcts"]))
    assert 200 < found["uct"].value < found["mcts"].value < math.inf
    assert (found["uct"].high, found["mcts"].high) == (math.inf, math.inf)
    assert 50 < found["uct"].low < found["uct"].value
    of_uct = by_name(ratings(results, anchor="uct"))
    assert of_uct["random"].low == -math.inf
    assert of_uct["random"].high < 0
    # These two took points from each other: little but their own games tells them apart.
    assert of_uct["mcts"].high < math.inf
    between = pentanomial_elo([0.75] * 10)
    assert of_uct["mcts"].value == pytest.approx(between.value, abs=15)
    assert str(of_uct["uct"]) == "uct 0.0 (anchor)"
    assert str(of_uct["mcts"]).startswith("mcts +")
    assert not any(math.isnan(x) for r in found.values() for x in (r.value, r.low, r.high))


def test_few_openings_have_no_interval():
    found = ratings(drawn_games(np.random.default_rng(9), 3))
    assert not any(rating.interval.is_known for rating in found[1:])
    assert "too few games" in str(found[1])
    known = ratings(drawn_games(np.random.default_rng(9), 4))
    assert all(rating.interval.is_known for rating in known[1:])


def test_drawn_games_only():
    found = ratings([Result("a", "b", n // 2, 0.5) for n in range(40)])
    assert found[1].value == pytest.approx(0)
    assert 5 < found[1].interval.half_width < 100


def test_a_match_gives_its_results():
    strong, weak = agents.make("uct:c=1,simulations=16,seed=1"), agents.RandomAgent(seed=2)
    match = arena.play_match(strong, weak, game="connect-four", games=12, seed=1)
    found = arena.ratings(arena.results_of(match.games, ["uct", "random"]), anchor="random")
    assert found[0].name == "uct"
    assert found[0].points == match.wins + match.draws / 2
    simple = agents.SimpleAgent()
    four = arena.play_match(simple, simple, game="pommerman-ffa", games=4, max_plies=10)
    with pytest.raises(InvalidConfig, match="there are 4"):
        results_of(four.games, ["x", "y"])


@pytest.mark.parametrize("results", [None, 5, [None], ["a"]])
def test_what_is_no_list_of_results_is_refused(results):
    with pytest.raises(InvalidConfig, match="results"):
        ratings(results)


@pytest.mark.parametrize(
    ("results", "options", "said"),
    [
        ([], {}, "no finished game"),
        ([("a", "a", 0, 1.0)], {}, "two players"),
        ([("a", "b", 0, 1.5)], {}, "score in"),
        ([("a", "b", 0, math.nan)], {}, "score in"),
        ([("a", "b", 0, None)], {}, "among the results"),
        ([("a", "b", 0, 1.0)], {"anchor_elo": math.nan}, "anchor_elo=nan"),
        ([("a", "b", 0, 1.0)], {"seed": -1}, "seed=-1"),
        ([("a", "b", 0, 1.0)], {"anchor": "z"}, "'z' did not play; players are a, b"),
        ([("a", "b", 0, 1.0)], {"players": ["z"]}, "no games between z and a, b"),
        ([("a", "b", 0, 1.0)], {"resamples": 5}, "resamples=5: expected .* 100 or more"),
        ([("a", "b", 0, 1.0), ("c", "d", 0, 0.5)], {}, "no games between a, b and c, d"),
    ],
)
def test_impossible_results_are_refused(results, options, said):
    with pytest.raises(InvalidConfig, match=said):
        ratings([Result(*result) for result in results], **options)
