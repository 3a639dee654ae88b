"""Generalisation over toy splits whose matrix is known exactly: whole, interrupted, refused."""

import csv
import json
import math

import numpy as np
import pytest
from page_checker import check_page

from phasezoo import errors, experiments
from phasezoo.apps import cli
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments import Axis, Measure, Sample, Score, Split
from phasezoo.experiments.generalisation import report
from phasezoo.experiments.generalisation.measures import Cell, Matrix, Results, gap_of, score_of
from phasezoo.runs import jsonable

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

PLACES = {"low": 0.0, "middle": 2.0, "high": 5.0}
SPREAD = np.linspace(-0.5, 0.5, 21)
ERROR = Score("error", "lower")
HIT = Score("hits", kind="share", unit="%")


def mean_of(data, seed, out):
    return float(np.mean(data))


def distance(model, data, seed):
    away = np.abs(data - model)
    return {"error": away, "hits": (away < 1).astype(float)}


def axis(learner=mean_of, measure=distance, scores=(ERROR, HIT), **changes):
    splits = tuple(
        Split(name, [place, place], lambda seed, place=place: place + SPREAD)
        for name, place in PLACES.items()
    )
    options = {"name": "toy/means", "splits": splits, "about": "Three places on a line."}
    return Axis(**(options | changes), learner=learner, measure=Measure(measure, *scores))


def run(out, given=None, **options):
    return experiments.generalise(axis() if given is None else given, out=out, threads=1, **options)


def numbers_of(out):
    found = json.loads((out / "results.json").read_text())
    return found["matrices"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, run(out)


def test_every_cell_and_gap_is_the_one_that_follows_from_the_places(whole):
    _, results = whole
    error, hits = results.matrix(), results.matrix(score="hits")
    home = np.abs(SPREAD).mean()
    for train, here in PLACES.items():
        for test, there in PLACES.items():
            cell = error.cell(train, test)
            expected = home if here == there else abs(here - there)
            assert cell.score.value == pytest.approx(expected)
            assert cell.score.low <= cell.score.value <= cell.score.high
            assert hits.cell(train, test).score.value == (1.0 if here == there else 0.0)
            if here == there:
                assert cell.is_diagonal
                assert cell.gap is None
                continue
            assert cell.gap.value == pytest.approx(expected - home)
            assert cell.gap.low > 0
            assert hits.cell(train, test).gap.value == 1.0
            assert cell.groups == 21
    assert error.mean_gap("low") == pytest.approx((2 + 5) / 2 - home)
    # Wilson's interval keeps its width if all hit or none does.
    assert hits.cell("low", "low").score.low < 0.9
    assert hits.cell("low", "high").score.high > 0.1


class Places(np.ndarray):
    """Test data that say how many places were left out of them."""

    removed = 1234


def test_a_run_says_how_many_positions_were_left_out_of_its_tests(tmp_path, whole):
    drawn = []

    def test(seed):
        drawn.append(seed)
        return (1.0 + SPREAD).view(Places)

    splits = (Split("some", [1.0, 1.0], test), Split("others", [0.0], 2.0 + SPREAD))
    results = run(tmp_path / "run", axis(name="toy/left-out", splits=splits))
    assert results.matrix().removed == {"some": 1234}
    assert len(drawn) == 1
    said = "Left out of the tests, because training games contain them: 1,234 of some."
    assert said in check_page((tmp_path / "run" / "report.html").read_text())[0]
    back = jsonable.decode(list[experiments.Matrix], numbers_of(tmp_path / "run"))
    assert back == results.matrices
    assert run(tmp_path / "run", axis(name="toy/left-out", splits=splits)).matrices == back
    out, plain = whole
    assert plain.matrix().removed == {}
    assert "Left out of the tests" not in (out / "report.html").read_text()


def test_a_run_leaves_everything_it_promises(whole):
    out, results = whole
    with (out / "matrix.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18
    by_place = {(row["score"], row["train"], row["test"]): row for row in rows}
    assert float(by_place["error", "low", "high"]["value"]) == pytest.approx(5)
    assert by_place["error", "low", "low"]["gap"] == ""
    back = jsonable.decode(list[experiments.Matrix], numbers_of(out))
    assert back == results.matrices
    for name in ("toy-means-error.png", "toy-means-hits.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")
    words, images = check_page((out / "report.html").read_text())
    assert images == 2
    document = experiments.open(out)
    assert document.to_html() == (out / "report.html").read_text()
    scores = document.tables["toy-means-error-scores"].records()
    assert scores[0]["high"] == pytest.approx(5)
    assert "Three places on a line." in words
    assert "six of six cells are worse" in words
    assert "+100.0 % +" in " ".join(words.split())  # a gap, and its ends below


def test_a_finished_run_learns_and_measures_nothing_again(whole):
    def never(*given):
        raise AssertionError

    never.__qualname__, never.__module__ = mean_of.__qualname__, mean_of.__module__
    again = run(whole[0], axis(learner=never))
    assert again.matrices == whole[1].matrices


def test_a_run_that_was_stopped_goes_on_with_the_cells_it_lacks(whole, tmp_path):
    learnt, measured = [], []

    class StoppedError(Exception):
        pass

    def learning(data, seed, out):
        learnt.append(data[0])
        return mean_of(data, seed, out)

    def measuring(model, data, seed):
        if len(measured) == 4:
            raise StoppedError
        measured.append(model)
        return distance(model, data, seed)

    for own, like in ((learning, mean_of), (measuring, distance)):
        own.__qualname__, own.__module__ = like.__qualname__, like.__module__
    with pytest.raises(StoppedError):
        run(tmp_path / "run", axis(learning, measuring))
    assert learnt == [0.0, 2.0]
    learnt.clear()
    run(tmp_path / "run", axis(learning))
    assert learnt == [2.0, 5.0]
    assert numbers_of(tmp_path / "run") == numbers_of(whole[0])


def test_a_learner_keeps_files_in_its_folder(tmp_path):
    def learn(data, seed, out):
        (out / "mean.txt").write_text(str(np.mean(data)))
        return float(np.mean(data))

    run(tmp_path / "run", axis(learner=learn))
    kept = sorted(float(file.read_text()) for file in (tmp_path / "run").rglob("mean.txt"))
    assert kept == sorted(PLACES.values())


def test_rows_without_a_test_and_columns_without_a_row(tmp_path):
    splits = (
        Split("both", [1.0], SPREAD),
        Split("all", [0.0, 3.0]),
        Split("far", test=SPREAD + 9),
    )
    matrix = run(tmp_path / "run", axis(splits=splits)).matrix()
    assert (matrix.rows, matrix.columns) == (["both", "all"], ["both", "far"])
    assert matrix.cell("all", "both").gap.value == pytest.approx(1.5 - 1.0)
    assert matrix.cell("both", "far").gap is None
    assert matrix.cell("both", "far").score.value == pytest.approx(8)
    with pytest.raises(errors.InvalidConfig, match="rows of toy/means are both, all"):
        matrix.cell("far", "both")


def test_trainings_have_seeds_of_their_own_and_widen_the_interval(tmp_path):
    seeds = []

    def noisy(data, seed, out):
        seeds.append(seed)
        return float(np.mean(data)) + np.random.default_rng(seed).normal(scale=0.2)

    matrix = run(tmp_path / "several", axis(noisy), trainings=3).matrix()
    assert len(seeds) == 9
    assert len(set(seeds)) == 3  # networks of one training begin alike in every row
    one = run(tmp_path / "one", axis(noisy)).matrix()
    assert (
        matrix.cell("low", "high").score.half_width > one.cell("low", "high").score.half_width + 0.1
    )


def test_what_was_tested_alike_is_compared_group_by_group():
    rng = np.random.default_rng(1)
    hard = rng.normal(scale=10, size=50)  # groups differ much, the two models in each by 1 or 2
    own, there = Sample.of(hard + 1 + rng.integers(0, 2, 50)), Sample.of(hard)
    gap = gap_of([own], [there], ERROR, 1, 500)
    assert 1 < gap.low < gap.value < gap.high < 2
    assert score_of([own], ERROR, 1, 500).half_width > 2
    better = gap_of([own], [there], Score("points"), 1, 500)
    assert better.value == pytest.approx(-gap.value)


@pytest.mark.parametrize(
    ("values", "score"),
    [([0.5, 0.7, 0.9], ERROR), ([0.25] * 40, ERROR), ([1.0, 0.0, 1.0], HIT)],
)
def test_an_interval_that_cannot_be_trusted_is_not_given(values, score):
    interval = score_of([Sample.of(values)], score, 1, 200)
    assert interval.value == pytest.approx(np.mean(values))
    assert not interval.is_known


def test_a_score_of_groups_that_lack_it():
    some = Sample((1.0, 0.0, *[4.0] * 10), (1.0, 0.0, *[2.0] * 10))
    assert score_of([some], ERROR, 1, 200).value == pytest.approx(41 / 21)
    assert score_of([Sample((0.0,) * 12, (0.0,) * 12)], ERROR, 1, 200) is None


def test_samples_by_group():
    sample = Sample.by_group([1.0, 2.0, 4.0], [0, 0, 2], 3)
    assert sample == Sample((3.0, 0.0, 4.0), (2, 0, 1))


def test_intervals_of_means_cover_the_truth():
    """200 tests of 40 games with 1 to 9 positions each: 95 % of the intervals hold the mean."""
    rng = np.random.default_rng(3)
    held = 0
    for trial in range(200):
        counts = rng.integers(1, 10, 40)
        own = rng.normal(size=40)  # a game's positions resemble each other
        sums = [float((own[g] + rng.normal(size=n)).sum()) for g, n in enumerate(counts)]
        interval = score_of([Sample(tuple(sums), tuple(map(float, counts)))], ERROR, trial, 400)
        held += interval.low <= 0 <= interval.high
    assert 180 <= held <= 198


def test_intervals_of_ten_groups_cover_the_truth():
    """A bootstrap of ten alone holds it in 88 of 100."""
    rng = np.random.default_rng(4)
    held = 0
    for trial in range(300):
        own, there = (Sample.of(rng.normal(size=10)) for _ in range(2))
        found = (score_of([own], ERROR, trial, 400), gap_of([own], [there], ERROR, trial, 400))
        held += sum(one.low <= 0 <= one.high for one in found)
    assert held >= 0.92 * 600


def another_run(out):
    run(out / "run")
    run(out / "run", seed=2)


def more_groups_for_one(out):
    def longer(model, data, seed):
        return data[: 5 + int(model)]

    run(out / "run", axis(measure=longer, scores=(ERROR,)))


def no_number(out):
    run(out / "run", axis(measure=lambda *given: [math.nan], scores=(ERROR,)))


def other_scores(out):
    run(out / "run", axis(measure=lambda *given: {"speed": [1.0]}))


def no_share(out):
    run(out / "run", axis(measure=lambda *given: [1.5], scores=(HIT,)))


def two_of_a_name(out):
    run(out / "run", axis(splits=(Split("a", 1, 2), Split("a", 1, 2))))


def nothing_to_test(out):
    run(out / "run", axis(splits=(Split("a", 1), Split("b", 1))))


def no_learner(out):
    run(out / "run", axis(learner="resnet"))


def no_scores(out):
    run(out / "run", axis(scores=()))


def two_axes_of_a_name(out):
    run(out / "run", [axis(), axis()])


def no_axis(out):
    run(out / "run", "no-such-game/thing")


def no_training(out):
    run(out / "run", trainings=0)


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        (another_run, errors.RunDirectoryError, "holds another run.*seed"),
        (more_groups_for_one, errors.InvalidEvaluation, "5 and 7 and 10 groups"),
        (no_number, errors.InvalidEvaluation, "low on low: error is"),
        (other_scores, errors.InvalidEvaluation, "answered speed.*error, hits"),
        (no_share, errors.InvalidEvaluation, "not in"),
        (two_of_a_name, errors.InvalidConfig, "different names"),
        (nothing_to_test, errors.InvalidConfig, "one with test="),
        (no_learner, errors.InvalidConfig, "both callable"),
        (no_scores, errors.InvalidConfig, "one or more"),
        (two_axes_of_a_name, errors.InvalidConfig, "of other names"),
        (no_axis, errors.InvalidConfig, "no such axis.*module:attr"),
        (no_training, errors.InvalidConfig, "--trainings 0"),
    ],
)
def test_bad_input_says_what_is_wrong(wrong, error, says, tmp_path):
    with pytest.raises(error, match=says):
        wrong(tmp_path)


def test_a_run_of_a_program_says_how_it_goes_on(whole, capsys):
    assert cli.main(["generalise", "--resume", str(whole[0])]) == 1
    said = capsys.readouterr().err
    assert "a program started this run by experiments.generalise(…)" in said
    assert f"the same call with out='{whole[0]}' goes on" in said


def test_a_headline_counts_in_words():
    assert report.headline(results_of(0.5)) == (
        "Away from home none of two cells are worse than the model trained there, none better, two "
        "not settled"
    )


def results_of(error):
    """Two rows that are alike, so that no gap has an interval."""
    score = Interval(error, 0.0, 1.0)
    cells = [
        Cell(
            train, test, score, None if train == test else Interval(0.0, -math.inf, math.inf), 9, 9
        )
        for train in "ab"
        for test in "ab"
    ]
    matrix = Matrix("toy", "", ERROR, ["a", "b"], ["a", "b"], cells, 1)
    return Results(None, "", "", None, [matrix], {})
