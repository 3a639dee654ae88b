"""The study of beam search at its smallest: whole, gone on with, refused; its statistics."""

from dataclasses import replace

import numpy as np
import pytest
from page_checker import check_run

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.beam import measurements, published
from phasezoo.experiments.beam.config import BEAM, PRESETS, BeamStudyConfig
from phasezoo.experiments.beam.measurements import Batches, Played, Rate, diversity, faster
from phasezoo.experiments.beam.report import batches_claims, report
from phasezoo.training import GameStore

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")
pytest.importorskip("torch", reason="networks need the extra 'train'")

SMALL = BeamStudyConfig(
    schedule="3,2,1", play_schedule="2,1,1", ticks=16, repeats=2, games=4, plies=6, match_games=4,
    max_plies=14, concurrency=4, steps=(1, 2), batch=8, resamples=100, threads=1, cycles=2,
    cycle_games=4, ladder_every=1, ladder_games=2,
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, BEAM.reproduce(SMALL, out)


def test_a_run_leaves_everything_it_promises(whole):
    out, results = whole
    document, _ = check_run(BEAM, out, results)
    tables = ["rates", "self-play", "matches", "steps a cycle", "learning by play"]
    assert list(document.tables)[:6] == [*tables, "matches after learning"]
    assert (len(document.claims), len(document.figures)) == (6, 3)
    assert [rate.rows for rate in results.rates[:2]] == [[8 * 16, 8 * 16]] * 2
    beam, pushing, mcts = results.played
    assert beam.plies == mcts.plies == 24
    assert pushing.plies == 16  # after two random ones
    assert beam.searched == mcts.searched == 24
    assert pushing.searched == 8  # three plies, and the fourth
    assert beam.rows == 24 * 7
    assert beam.distinct.low <= beam.distinct.value <= beam.distinct.high
    assert results.matches[0].nodes == 7
    assert all(one.wins + one.draws + one.losses == 4 for one in results.matches)
    assert [one.steps for one in results.stale] == [1, 2]
    assert 0 < results.stale[0].divergence.value < results.stale[1].divergence.value
    assert [one.games for one in results.learned.rounds] == [4, 8]
    assert [rating.name for rating in results.learned.ladder] == ["0", "1", "2"]
    assert [one.name for one in results.grown] == [
        "equal positions, learned",
        "equal time, learned",
    ]
    # A third of the plies is searched, and each new sample is learned from once.
    samples = GameStore.open(out / "learn" / "beams" / "games").columns.visits
    searched = int((np.diff(samples.offsets) > 0).sum())
    assert results.learned.rounds[-1].learned == searched
    assert 0.3 < searched / (len(samples.offsets) - 1) < 0.6


def test_what_was_stopped_goes_on(whole):
    out, results = whole
    before = {name: (out / name).read_bytes() for name in ("rates.json", "games.json")}
    (out / "results.json").unlink()
    (out / "match-equal-time.json").unlink()
    again = BEAM.resume(out)
    assert {name: (out / name).read_bytes() for name in before} == before
    assert again.matches == results.matches
    assert report(again).claims == report(results).claims


def test_the_presets_measure_the_beam_of_the_note():
    for config in PRESETS.values():
        assert config.beam.positions == published.BLOCK_ROWS[config.games_at_once]
        assert len(config.beam.layers) == published.BEAM_CALLS[1]


def test_batches_of_the_note_are_told_from_others():
    config = PRESETS["quick"]
    rows = [1, 9, 49, 169, 409, 649, 889, *[1129] * 9]
    (claim,) = batches_claims(config, Batches(rows, [8, 1920]))
    assert claim.judgement == "agrees"
    (claim,) = batches_claims(config, Batches([*rows[:-1], 1000], [8, 1920]))
    assert claim.judgement == "disagrees"
    many = replace(config, games_at_once=64)
    (claim,) = batches_claims(many, Batches([8 * n for n in rows], [64, 15360]))
    assert claim.judgement == "agrees"
    assert "9,032" in claim.text
    assert batches_claims(replace(config, games_at_once=5), Batches(rows, [5, 900])) == []


def test_few_games_that_are_alike_settle_nothing():
    def difference(games):
        beam, mcts = (
            Played(name, games, 9, 9, 9, 1.0, None, 1.0, [share] * games)
            for name, share in ((measurements.BEAM, 1.0), (measurements.MCTS, 0.5))
        )
        return diversity(SMALL, [beam, mcts])

    for games in (3, 24):
        found = difference(games)
        assert found.value == 0.5
        assert not found.is_known


def test_the_ratio_of_rates_has_an_interval_over_measurements():
    def rate(name, seconds):
        return Rate(name, with_network=True, searches=8, rows=[100] * 3, calls=8, seconds=seconds)

    found = faster([rate("beam", [1.0, 1.1, 0.9]), rate("MCTS", [2.0, 2.2, 1.8])])
    assert found.value == pytest.approx(2)
    assert found.half_width == pytest.approx(0, abs=1e-9)
    noisy = faster([rate("beam", [1.0, 1.1, 0.9]), rate("MCTS", [2.0, 1.8, 2.4])])
    assert noisy.low < np.exp(np.mean(np.log([2, 1.8 / 1.1, 2.4 / 0.9]))) < noisy.high
    assert isinstance(noisy, Interval)
