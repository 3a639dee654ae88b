import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.statistics import verdict
from phasezoo.experiments.two_player import exact
from phasezoo.experiments.two_player.losses import ALL, loss_matrix, rows_of
from phasezoo.experiments.two_player.variants import EXPERT, Options, Variant
from phasezoo.training.evaluation import PositionLosses
from phasezoo.training.experts.strategies import Strategy
from phasezoo.training.resampling import over_trainings, resample_games


def rng():
    return np.random.default_rng(7)


def test_means_are_per_position_and_not_per_game():
    sums, counts = np.array([10.0, 2.0]), np.array([10.0, 1.0])
    found = resample_games(sums, counts, rng(), 50)
    assert found.means == pytest.approx(12 / 11)
    assert set(np.round(found.resampled, 6)) <= {1.0, 2.0, round(12 / 11, 6)}


def test_resampling_covers_the_true_mean_about_as_often_as_it_says():
    truth, generator = 2.0, rng()
    inside = 0
    for _ in range(200):
        counts = generator.integers(5, 60, size=120).astype(float)
        levels = generator.normal(truth, 0.5, size=120)  # positions of one game are alike
        found = resample_games(levels * counts, counts, generator, 300)
        interval = over_trainings(found.means[None], found.resampled[:, None])
        inside += interval.low <= truth <= interval.high
    assert 180 <= inside <= 199


def test_games_that_are_all_alike_say_nothing_of_others():
    alike = resample_games(np.full((10, 2), 0.1), np.ones((10, 1)), rng(), 50)
    one = over_trainings(alike.means[:1], alike.resampled[:, :1], games=10)
    assert (one.value, one.low, one.high) == (pytest.approx(0.1), -math.inf, math.inf)
    # The spread between trainings does not replace what games would say.
    apart = over_trainings(np.array([0.1, 0.3]), alike.resampled + np.array([0, 0.2]), games=10)
    assert not apart.is_known


@pytest.mark.parametrize("games", [4, 10, 20])
def test_a_rare_difference_is_not_excluded_by_games_that_do_not_show_it(games):
    generator, held = rng(), 0
    for _ in range(400):
        won = (generator.random((games, 1)) < 0.1).astype(float)
        found = resample_games(won, np.ones((games, 1)), generator, 100)
        interval = over_trainings(found.means, found.resampled, games=games)
        held += interval.low <= 0.1 <= interval.high
    assert held / 400 >= 0.92


def test_no_positions_give_no_interval():
    found = resample_games(np.zeros((3, 2)), np.array([[1.0, 0.0]] * 3), rng(), 20)
    assert over_trainings(found.means[None, 1], found.resampled[:, None, 1]) is None
    assert over_trainings(found.means[None, 0], found.resampled[:, None, 0]) is not None


def test_trainings_widen_the_interval():
    drawn = np.tile(np.linspace(-0.01, 0.01, 101)[:, None], (1, 2))
    alone = over_trainings(np.array([0.1]), 0.1 + drawn[:, :1])
    alike = over_trainings(np.array([0.1, 0.1]), 0.1 + drawn)
    apart = over_trainings(np.array([0.0, 0.2]), np.array([0.0, 0.2]) + drawn)
    assert alike.high - alike.low == pytest.approx(alone.high - alone.low, rel=0.05)
    # Student's t with one degree of freedom, times s / sqrt(2) = 0.1
    assert (apart.high - apart.low) / 2 == pytest.approx(12.706 * 0.1, rel=1e-3)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(-1, -2, -0.1), "lower"),
        (Interval(1, 0.1, 2), "higher"),
        (Interval(1, -0.1, 2), "unclear"),
        (Interval(float("inf"), 400, float("inf")), "higher"),
        (Interval(0, 0, 0), "unclear"),
    ],
)
def test_verdicts(interval, expected):
    assert verdict(interval) == expected


def constant(policy, value, correct, positions):
    return PositionLosses(
        policy=np.full(positions, policy, np.float32),
        value=np.full(positions, value, np.float32),
        correct=np.full(positions, correct, bool),
        phase=np.zeros(positions, np.int8),
        game=np.zeros(positions, np.int32),
    )


def test_the_matrix_picks_each_position_from_its_own_expert():
    count = 60
    phase = np.arange(count) % 2
    half = count // 2
    training = rows_of(
        ["early", "late"],
        phase,
        {"placebo": (phase + 1) % 2},
        one=constant(2.5, 1.0, False, count),
        experts=[constant(1.0, 0.5, True, count), constant(2.0, 0.5, False, count)],
        others={"placebo": [constant(3.0, 0.0, False, half), constant(4.0, 0.0, True, half)]},
    )
    losses = loss_matrix(["early", "late"], np.arange(count) // 6, phase, [training], rng(), 100)
    rows = {entry.name: entry for entry in losses.entries}
    assert list(rows) == [
        "early expert", "late expert", "phase mixture", "placebo mixture", "one network",
    ]  # fmt: skip
    mixture = rows["phase mixture"].cells
    assert (mixture["early"].policy, mixture["late"].policy, mixture[ALL].policy) == (1, 2, 1.5)
    assert rows["early expert"].cells["late"].policy == 1
    # part 1 answers phase 0
    assert rows["placebo mixture"].cells["early"].policy == 4
    assert mixture["early"].total == pytest.approx(0.99 * 1 + 0.01 * 0.5)
    assert mixture["early"].accuracy == 1
    assert mixture[ALL].positions == count
    both = next(c for c in losses.comparisons if c.name == "both").differences[ALL]
    assert both["policy"].value == pytest.approx(-1.0)
    assert not both["policy"].is_known  # all games are alike
    assert losses.games == 10


@pytest.mark.parametrize("trainings", [2, 8])
@pytest.mark.parametrize("length", [1, 6])  # positions of one game are alike
def test_moves_judged_in_drawn_positions_hold_what_all_positions_say(trainings, length):
    generator, held, runs, positions = rng(), 0, 200, 300
    origin = np.repeat(np.arange(positions // length), length)
    prepared = SimpleNamespace(
        seed=lambda *names: int(generator.integers(2**31)), config=SimpleNamespace(resamples=200)
    )
    for _ in range(runs):
        # Positions are hard for all trainings alike; on average one side loses 0.02 more.
        hard = generator.normal(0.02, 0.3, positions // length)[origin]
        sides = [
            [
                exact._Judged({"regret": {ALL: float(values.mean())}}, {"regret": values})
                for values in (
                    shift * hard + generator.normal(0, 0.05) + generator.normal(0, 0.1, positions)
                    for _ in range(trainings)
                )
            ]
            for shift in (1, 0)
        ]
        found = exact._differences(prepared, origin, *sides)["regret"]
        held += found.low <= 0.02 <= found.high
    assert held / runs >= 0.92


@pytest.mark.parametrize(
    ("kind", "searched", "drawn"),
    [
        ("of the game", 4, set()),
        ("of the game", 3, {"regret, 50 nodes", "best moves, 50 nodes"}),
        ("of the game", 0, set()),
        (None, 4, {"regret", "perfect moves", "best moves", "distance lost", "regret, drawn",
                   "regret, 50 nodes", "best moves, 50 nodes"}),
    ],
)  # fmt: skip
def test_only_positions_that_are_not_all_count_as_drawn(kind, searched, drawn, monkeypatch):
    worth = SimpleNamespace(**dict.fromkeys(("lost", "kept", "best", "distance"), np.ones(4)))

    class Positions:
        win_chances, counts = None, np.ones(4, dtype=bool)

        def __len__(self):
            return 4

        def policy(self, evaluator):
            return evaluator

        def likeliest(self, policy):
            return policy

        def worth(self, policy):
            return worth

    positions = Positions()
    positions.kind = kind
    prepared = SimpleNamespace(
        phases=("early", "late"), config=SimpleNamespace(movetime=None, nodes=50)
    )
    judge = exact._Judge(prepared, positions, np.arange(searched), np.array([0, 0, 1, 1]))
    monkeypatch.setattr(judge, "_evaluator", lambda *asked: None)
    monkeypatch.setattr(judge, "_search", lambda evaluator: None)
    assert set(judge.judged("expert", [], None).drawn) == drawn


@pytest.mark.parametrize("games", [2, 3, 6, 20])
def test_of_few_games_no_difference_is_told_that_is_not_there(games):
    generator, told = rng(), 0
    for _ in range(60):
        game = np.repeat(np.arange(games), 10)
        nothing = game * 0

        def noisy(game=game):
            losses = generator.normal(2, 0.5, games)[game] + generator.normal(0, 0.1, len(game))
            return dataclasses.replace(
                constant(0.0, 0.0, True, len(game)), policy=losses.astype(np.float32)
            )

        experts, others, one = [noisy()], {"placebo": [noisy()]}, noisy()
        names = ["all of it"]
        training = rows_of(names, nothing, {"placebo": nothing}, one, experts, others)
        losses = loss_matrix(names, game, nothing, [training], generator, 200)
        both = next(c for c in losses.comparisons if c.name == "both").differences[ALL]["total"]
        assert math.isfinite(both.low) == (games >= 4)
        told += verdict(both) != "unclear"
    assert told <= 9  # 3 of 60 are expected


def test_the_three_comparisons_add_up_and_a_missing_phase_stays_missing():
    generator, count = rng(), 200
    game, phase = np.sort(generator.integers(0, 20, count)), generator.integers(0, 2, count)
    parts = {"placebo": generator.integers(0, 3, count)}

    def noisy(size=count):
        return PositionLosses(
            policy=generator.gamma(2, 1, size).astype(np.float32),
            value=generator.random(size).astype(np.float32),
            correct=generator.random(size) < 0.4,
            phase=np.zeros(size, np.int8),
            game=np.zeros(size, np.int32),
        )

    sizes = np.bincount(parts["placebo"], minlength=3)
    trainings = [
        rows_of(
            ["a", "b", "c"],
            phase,
            parts,
            one=noisy(),
            experts=[noisy() for _ in range(3)],
            others={"placebo": [noisy(size) for size in sizes]},
        )
        for _ in range(3)
    ]
    losses = loss_matrix(["a", "b", "c"], game, phase, trainings, rng(), 200)
    found = {c.name: c for c in losses.comparisons}
    for column in ("a", "b", ALL):
        values = {n: c.differences[column]["total"].value for n, c in found.items()}
        assert values["both"] == pytest.approx(values["thinning"] + values["specialisation"])
    assert found["both"].differences["c"]["total"] is None
    assert losses.entries[0].cells["c"].total is None
    assert losses.entries[0].cells["c"].positions == 0
    assert found["both"].deviation > 0


ZERO = Interval(0.0, 0.0, 0.0)


@pytest.mark.parametrize("trainings", [1, 3])
def test_what_the_one_network_answers_itself_differs_by_exactly_nothing(trainings):
    """Not of a part of it, and not because few games happen to be alike."""
    generator, count, phases = rng(), 120, ["early", "late"]
    phase = np.arange(count) % 2
    none = np.zeros(count, np.int64)

    def noisy():
        return PositionLosses(
            policy=generator.gamma(2, 1, count).astype(np.float32),
            value=generator.random(count).astype(np.float32),
            correct=np.ones(count, bool),
            phase=np.zeros(count, np.int8),
            game=np.zeros(count, np.int32),
        )

    options = {
        "value": Options(value="shared"),
        "late": Options(phases="late"),
        "both": Options(value="shared", phases="late"),
    }
    composed = [
        Variant(role, "plies:1", Strategy.parse("separated"), True, given, EXPERT)
        for role, given in options.items()
    ]
    given = {"others": {"placebo": [noisy()]}, "composed": composed}
    rows = [
        rows_of(phases, phase, {"placebo": none}, noisy(), [noisy(), noisy()], **given)
        for _ in range(trainings)
    ]
    losses = loss_matrix(phases, np.arange(count) // 6, phase, rows, generator, 200)
    found = {entry.name: entry.differences for entry in losses.entries}
    zeros = {
        name: {(column, metric) for column in found[f"{name} mixture"]
               for metric, gap in found[f"{name} mixture"][column].items() if gap == ZERO}
        for name in options
    }  # fmt: skip
    early = {("early", metric) for metric in ("total", "policy", "value", "accuracy")}
    values = {(column, "value") for column in ("early", "late", ALL)}
    assert zeros == {"value": values, "late": early, "both": early | values}
    # All networks are right everywhere, of which other games may think otherwise.
    assert not found["value mixture"][ALL]["accuracy"].is_known
    assert found["value mixture"][ALL]["total"].half_width > 0


def test_trainings_that_are_alike_have_an_interval_without_width():
    """Where every position is judged, nothing but trainings could differ."""
    both = [[exact._Judged({"regret": {ALL: 0.25}}, {})] * 3 for _ in range(2)]
    assert exact._differences(None, None, *both) == {"regret": ZERO}
    assert exact._differences(None, None, *(side[:1] for side in both)) == {"regret": None}
