"""Experts from random weights at a size of seconds: whole, interrupted, refused, any game."""

import dataclasses
import json
import math

import pytest
from page_checker import check_run

from phasezoo.arena import crossed_pairs
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.from_scratch.config import PRESETS, SCRATCH, ScratchConfig, learning_of
from phasezoo.experiments.from_scratch.report import Advantage, claims_of

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

SMALL = ScratchConfig(
    game="connect-four",
    gate="plies:14",
    strategies=("staged", "separated:value=shared"),
    trainings=2,
    network="mlp-16x1",
    updates=2,
    games=6,
    nodes=4,
    training_batch=16,
    compare_every=1,
    match_games=8,
    match_nodes=4,
    concurrency=6,
    threads=1,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, SCRATCH.reproduce(SMALL, out)


def test_a_run_leaves_everything_it_promises(whole):
    out, _ = whole
    back = SCRATCH.results_in(out)
    assert [run.name for run in back.runs] == [
        *("one-network-1", "staged-1", "separated-value-shared-1"),
        *("one-network-2", "staged-2", "separated-value-shared-2"),
    ]
    assert [(one.strategy, one.update) for one in back.advantages] == [
        *(("staged", 1), ("staged", 2)),
        *(("separated:value=shared", 1), ("separated:value=shared", 2)),
    ]
    for one in back.advantages:
        assert [met.games for met in one.matches] == [8, 8]
        assert all(len(met.pairs) == 4 for met in one.matches)
        expected = crossed_pairs([[met.pairs] for met in one.matches]).elo
        assert one.elo == expected, "the interval counts trainings"
    experts = json.loads((out / "learn/staged-1/versions/00002/experts.json").read_text())
    assert set(experts["experts"]) == {"up to 14", "over 14"}
    shared = json.loads(
        (out / "learn/separated-value-shared-1/versions/00002/experts.json").read_text()
    )
    assert (shared["value"], shared["strategy"]) == ("shared", "separated")
    assert not (out / "learn/one-network-1/versions/00002/experts.json").exists()


def test_sides_of_one_training_begin_with_one_seed_and_trainings_with_others(whole):
    out, _ = whole
    seeds = {
        path.parent.name: json.loads(path.read_text())["config"]["seed"]
        for path in out.glob("learn/*/config.json")
    }
    assert (
        seeds["one-network-1"] == seeds["staged-1"] != seeds["one-network-2"] == seeds["staged-2"]
    )


def test_the_report_holds_the_claim_and_every_match(whole):
    out, results = whole
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    document, _ = check_run(SCRATCH, out, results)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before
    assert (len(document.claims), len(document.figures)) == (1, 2)
    frame = document.tables["advantages"].to_frame()
    assert list(frame["Elo"]) == [one.elo.value for one in results.advantages]
    assert len(document.tables["matches"].rows) == 8
    assert [row[0] for row in document.tables["sizes"].texts()] == [
        *("rounds", "games a round", "nodes a move", "trainings a side", "network")
    ]


@pytest.mark.parametrize(
    ("ends", "trainings", "updates", "judged"),
    [
        ((120, 180), 3, 10, ("agrees", "disagrees")),
        ((5, 35), 3, 10, ("disagrees", "disagrees")),
        ((50, 180), 3, 10, ("not settled", "disagrees")),
        ((-150, -50), 3, 10, ("disagrees", "agrees")),
        ((120, 180), 1, 10, ("not settled", "not settled")),
        ((-150, -50), 3, 9, ("not settled", "not settled")),
        ((-math.inf, math.inf), 3, 10, ("not settled", "not settled")),
    ],
)
def test_claims_need_trainings_and_rounds_and_the_size_they_name(ends, trainings, updates, judged):
    config = dataclasses.replace(SMALL, game="chess", trainings=trainings, updates=updates)
    value = 0.0 if math.isinf(ends[0]) else sum(ends) / 2
    found = [
        Advantage(strategy, updates, [], Interval(value, *ends))
        for strategy in ("staged", "separated")
    ]
    claims = claims_of(found, config)
    assert tuple(claim.judgement for claim in claims) == judged
    elsewhere = claims_of(found, dataclasses.replace(config, game="connect-four"))
    assert {claim.judgement for claim in elsewhere} == {"not settled"}


def test_one_strategy_is_given_once_however_it_is_spelled():
    with pytest.raises(InvalidConfig, match="give one or more, once"):
        dataclasses.replace(SMALL, strategies=("staged", "staged:value=own")).validate()
    assert learning_of("weighted:4.0") == {"strategy": "weighted:4.0"}


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("alone", "alone"),
        ("heads", "training on stored games"),
        ("staged:value=distilled", "value='distilled'"),
        ("staged:freeze=body", "freeze"),
        ("staged:value=shared,value=own", "given twice"),
    ],
)
def test_strategies_that_are_none_are_refused(strategy, message):
    with pytest.raises(InvalidConfig, match=message) as refused:
        dataclasses.replace(SMALL, strategies=(strategy,)).validate()
    assert "--strategies" in str(refused.value)


def test_every_size_ends_with_a_match():
    assert all(config.compared[-1] == config.updates for config in PRESETS.values())
