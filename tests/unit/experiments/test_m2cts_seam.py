"""Where phases meet: boundaries, recalibration and tables, beside formulas written out here."""

import math

import numpy as np
import pytest
import synthetic
from scipy.optimize import brute

from phasezoo.data.boundaries import near_boundaries
from phasezoo.data.positions import PositionTable
from phasezoo.experiments.two_player.boundary import Answers, boundaries_of
from phasezoo.experiments.two_player.report_values import _boundary_sentences
from phasezoo.inference.recalibration import Recalibration, fitted
from phasezoo.training.resampling import over_trainings


def table(phases, missing=()):
    """The positions of games given by the phase of every ply, without those at some rows."""
    game = np.concatenate([np.full(len(one), i) for i, one in enumerate(phases)])
    ply = np.concatenate([np.arange(len(one)) for one in phases])
    whole = PositionTable(
        game=game.astype(np.int32),
        ply=ply.astype(np.int32),
        player=(ply % 2).astype(np.int8),
        phase=np.concatenate([list(map(int, one)) for one in phases]).astype(np.int8),
        key=np.arange(len(game), dtype=np.uint64),
        names=("early", "middle", "late"),
    )
    return whole, whole.select(~np.isin(np.arange(len(game)), missing))


def written_out(phases):
    """(game, ply) -> (boundary's ply, phases, offset), position by position."""
    found = {}
    for game, one in enumerate(phases):
        edges = [b for b in range(1, len(one)) if one[b] != one[b - 1]]
        for ply in range(len(one)):
            distances = [(b - ply if ply < b else ply - b + 1, b) for b in edges]
            if distances and min(distances)[0] <= 4:
                b = min(distances)[1]
                found[game, ply] = (b, int(one[b - 1]), int(one[b]), ply - b)
    return found


@pytest.mark.parametrize("missing", [(), (3, 4, 11, 40)])
def test_positions_near_boundaries_are_those_found_one_by_one(missing):
    rng = np.random.default_rng(2)
    games = ["000000000011111111111222", "0", "0001000", "11112222222220", "000000000000000"]
    games += ["".join(rng.choice(list("012"), 25, p=[0.7, 0.2, 0.1])) for _ in range(20)]
    whole, rows = table(games, missing)
    near = near_boundaries(whole, rows)
    wanted = written_out(games)
    there = list(zip(rows.game.tolist(), rows.ply.tolist(), strict=True))
    wanted = {place: wanted[place] for place in there if place in wanted}
    found = {
        there[row]: (there[row][1] - offset, before, after, offset)
        for row, before, after, offset in zip(
            near.rows.tolist(), near.before.tolist(), near.after.tolist(), near.offset.tolist(),
            strict=True,
        )
    }  # fmt: skip
    assert found == wanted
    steps = {(there[near.rows[i]], there[near.rows[j]]) for i, j in zip(*near.steps(), strict=True)}
    assert steps == {
        ((game, ply), (game, ply + 1))
        for game, ply in wanted
        if wanted.get((game, ply + 1), (None,))[0] == wanted[game, ply][0]
    }


def test_games_of_one_phase_have_no_boundary():
    whole, rows = table(["0000", "1111"])
    near = near_boundaries(whole, rows)
    assert len(near) == 0
    assert [len(part) for part in near.steps()] == [0, 0]


def made_up(games=8, seed=1):
    rng = np.random.default_rng(seed)
    phases = ["0" * 7 + "1" * 9 + "2" * 6 for _ in range(games)]
    whole, rows = table(phases, missing=(6, 30))
    near = near_boundaries(whole, rows)
    winner = np.repeat(np.arange(games) % 3 - 1, 22)[whole.key[:]][rows.key.astype(int)]
    result = (winner * np.where(rows.player, -1, 1)).astype(np.float32)
    one, experts = rng.uniform(-1, 1, len(rows)), rng.uniform(-1, 1, (3, len(rows)))
    wdl = rng.dirichlet((1, 1, 1), (4, len(rows)))
    maps = [Recalibration(0.5 + i, 0.1 * i, 9) for i in range(3)]
    placebo = rng.uniform(-1, 1, (3, len(near)))
    answers = Answers(experts, one, wdl[1:], wdl[0], placebo, maps, maps[::-1])
    seam = boundaries_of(rows.names, rows, near, result, [answers], np.random.default_rng(0), 200)
    return rows, near, result, answers, seam


def mapped(value, one):
    odds = math.log((1 + value) / (1 - value))
    return 2 / (1 + math.exp(-(one.slope * odds + one.shift))) - 1


@pytest.mark.parametrize("recalibrated", [False, True])
def test_the_numbers_of_a_seam_are_those_counted_by_hand(recalibrated):
    rows, near, _, answers, seam = made_up()
    end = ", recalibrated" if recalibrated else ""
    apart, signed, first, steps, crossing, mixed = [], [], [], [], [], []

    def value(network, row):
        if network == "one":
            told, change = answers.one[row], answers.one_maps[rows.phase[row]]
        else:
            told, change = answers.experts[network][row], answers.expert_maps[network]
        return mapped(told, change) if recalibrated else told

    where = {(int(g), int(p)): i for i, (g, p) in enumerate(zip(rows.game, rows.ply, strict=True))}
    for game in range(8):
        for ply, before, after in ((7, 0, 1), (16, 1, 2)):
            for offset in range(-4, 4):
                row = where.get((game, ply + offset))
                if row is None:
                    continue
                difference = value(after, row) - value(before, row)
                apart.append(abs(difference))
                signed.append(difference)
                side = 1 if rows.player[row] == 0 else -1
                first.append(side * difference)
                last = where.get((game, ply + offset - 1))
                if last is None or offset == -4:
                    continue
                # The players alternate, so the sign turns.
                steps.append(abs(value("one", row) + value("one", last)))
                if offset == 0:
                    crossing.append(steps[-1])
                    own, theirs = rows.phase[row], rows.phase[last]
                    mixed.append(abs(value(own, row) + value(theirs, last)))
    numbers = seam.rows[0].numbers
    mean = lambda found: pytest.approx(np.mean(found))  # noqa: E731
    assert seam.rows[0].positions == len(apart) == len(near)
    assert seam.rows[0].boundaries == 16
    assert numbers["apart" + end].value == mean(apart)
    assert numbers["for to_play" + end].value == mean(signed)
    assert numbers["for the first player" + end].value == mean(first)
    assert numbers["step, one network" + end].value == mean(steps)
    assert numbers["crossing, one network" + end].value == mean(crossing)
    assert numbers["crossing, mixture" + end].value == mean(mixed)
    difference = numbers["crossing, difference" + end].value
    assert difference == pytest.approx(np.mean(mixed) - np.mean(crossing))
    assert numbers["apart by step" + end].value == pytest.approx(np.mean(apart) / np.mean(steps))
    if not recalibrated:
        by_two = [
            np.abs(answers.placebo[i] - answers.placebo[j]) for i, j in ((0, 1), (0, 2), (1, 2))
        ]
        assert numbers["apart, placebo"].value == mean(by_two)


def test_kinds_of_boundaries_and_places_divide_the_positions():
    _, near, _, _, seam = made_up()
    assert [row.name for row in seam.rows] == ["all", "early → middle", "middle → late"]
    assert sum(row.positions for row in seam.rows[1:]) == seam.rows[0].positions
    whole = sum(row.numbers["apart"].value * row.positions for row in seam.rows[1:])
    assert whole / len(near) == pytest.approx(seam.rows[0].numbers["apart"].value)
    assert [place.offset for place in seam.places] == list(range(-4, 4))
    crossing = seam.places[4]
    assert crossing.mixture.value == pytest.approx(seam.rows[0].numbers["crossing, mixture"].value)
    assert seam.places[0].one is None


def test_brier_scores_are_those_of_their_definitions():
    rows, _, result, answers, seam = made_up()
    found = {(row.name, row.recalibrated): row.cells for row in seam.brier}
    points = {1: (1.0, (1, 0, 0)), 0: (0.5, (0, 1, 0)), -1: (0.0, (0, 0, 1))}
    for column, phase in (("early", 0), ("late", 2)):
        own = [row for row in range(len(rows)) if rows.phase[row] == phase]
        wanted = np.mean(
            [((1 + answers.experts[2][i]) / 2 - points[result[i]][0]) ** 2 for i in own]
        )
        expert = found["late expert", False][column]
        assert expert.positions == len(own)
        assert expert.score.value == pytest.approx(wanted)
        wdl = [sum((answers.one_wdl[i] - np.array(points[result[i]][1])) ** 2) for i in own]
        one = found["one network", False][column]
        assert one.wdl.value == pytest.approx(np.mean(wdl))
        assert expert.against.value == pytest.approx(expert.score.value - one.score.value)
        again = found["late expert", True][column]
        wanted = [
            ((1 + mapped(answers.experts[2][i], answers.expert_maps[2])) / 2 - points[result[i]][0])
            ** 2
            for i in own
        ]
        assert again.score.value == pytest.approx(np.mean(wanted))
        assert again.gained.value == pytest.approx(again.score.value - expert.score.value)
        assert again.wdl is None
    assert found["phase mixture", False]["late"].score == found["late expert", False]["late"].score
    assert found["one network", False]["all"].against is None
    assert found["one network", True]["all"].gained is not None


def test_few_games_have_wide_intervals_or_none():
    few, some = made_up(games=3)[-1], made_up(games=4)[-1]
    assert not few.rows[0].numbers["apart"].is_known
    assert some.rows[0].numbers["apart"].half_width > 0
    drawn = np.linspace(0.9, 1.1, 101)[:, None]
    many, four = (over_trainings(np.ones(1), drawn, games=n) for n in (10_000, 4))
    assert four.half_width == pytest.approx(
        many.half_width * 3.182 * math.sqrt(4 / 3) / 1.96, rel=1e-3
    )
    assert over_trainings(np.ones(1), drawn).half_width == pytest.approx(0.095)
    assert not over_trainings(np.array([1.0, 2.0]), np.ones((5, 2)), games=1).is_known


def test_values_that_are_nearly_all_alike_are_fitted_to_the_end():
    """Where the gradient vanishes, or where it points below the bound of the slope."""
    for seed in (13, 14, 45, 1):
        rng = np.random.default_rng(seed)
        values = np.where(rng.random(600) < 0.9, 1.0, -1.0)
        results = rng.choice([-1, 0, 1], size=600, p=[0.7, 0.2, 0.1])
        found = fitted(values, results)
        odds = 2 * np.arctanh(0.999 * values)
        wrong = 1 / (1 + np.exp(-found.slope * odds - found.shift)) - (1 + results) / 2
        assert wrong.sum() + found.shift == pytest.approx(0, abs=1e-2)
        pull = wrong @ odds + found.slope - 1
        assert pull == pytest.approx(0, abs=0.05) or (found.slope == 0 and pull > 0)


def test_a_fitted_map_makes_results_likeliest():
    rng = np.random.default_rng(4)
    odds = rng.normal(0, 2, 400)
    points = rng.random(400) < 1 / (1 + np.exp(-(0.4 * odds + 0.7)))
    values, results = np.tanh(odds / 2), np.where(points, 1, -1)
    found = fitted(values, results)

    def surprise(chosen):
        slope, shift = chosen
        probability = 1 / (1 + np.exp(-(slope * odds + shift)))
        told = np.where(points, probability, 1 - probability)
        return -np.log(told).sum() + ((slope - 1) ** 2 + shift**2) / 2

    best = brute(surprise, ((0, 2), (-2, 2)), Ns=21)
    assert (found.slope, found.shift) == pytest.approx(tuple(best), abs=1e-3)
    assert found.slope == pytest.approx(0.4, abs=0.15)
    assert found.positions == 400
    told = np.sort(found(values))
    assert np.abs(told).max() <= 1
    assert (np.diff(found(np.sort(values))) >= 0).all()


@pytest.mark.parametrize("case", ["none", "certain", "turned"])
def test_maps_stay_finite_and_monotone(case):
    values = {"none": [], "certain": [1.0, -1.0] * 50, "turned": [0.9, -0.9] * 50}[case]
    results = np.sign(values) * (-1 if case == "turned" else 1)
    found = fitted(np.array(values), np.array(results))
    assert math.isfinite(found.slope)
    assert math.isfinite(found.shift)
    assert found.slope >= 0
    assert np.isfinite(found(np.array([-1.0, 0.0, 1.0]))).all()
    if case == "none":
        assert (found.slope, found.shift) == (1.0, 0.0)
        assert found(np.array([0.3])) == pytest.approx(0.3)
    if case == "turned":
        assert found.slope == 0


def test_what_is_said_depends_on_intervals():
    said = " ".join(_boundary_sentences(synthetic.seam(games=30)))
    assert "Within four plies of a boundary" in said
    assert "differ by 0." in said
    nothing = _boundary_sentences(synthetic.seam(phases=["all"]))
    assert nothing == ["No test position lies near a boundary, so nothing was measured."]
