"""Experts from random weights at a size of seconds: whole, interrupted, refused, any game."""

import dataclasses
import json
import math
import shlex

import pytest
from page_checker import check_page

from phasezoo.apps import cli
from phasezoo.arena import crossed_pairs
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import InvalidConfig, InvalidGate, InvalidPlaneSpec, UnknownGame
from phasezoo.experiments import catalogue
from phasezoo.experiments.from_scratch.config import PRESETS, SCRATCH, ScratchConfig
from phasezoo.experiments.from_scratch.report import Advantage, Results, claims_of
from phasezoo.runs import jsonable

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

SMALL = ScratchConfig(
    game="connect-four",
    gate="plies:14",
    strategies=("staged",),
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
    out, results = whole
    back = jsonable.decode(Results, json.loads((out / "results.json").read_text()))
    assert back.advantages == results.advantages
    assert [course.name for course in back.courses] == [
        *("one-network-1", "staged-1"),
        *("one-network-2", "staged-2"),
    ]
    assert [(one.strategy, one.update) for one in back.advantages] == [("staged", 1), ("staged", 2)]
    for one in back.advantages:
        assert [met.games for met in one.meetings] == [8, 8]
        assert all(len(met.pairs) == 4 for met in one.meetings)
        expected = crossed_pairs([[met.pairs] for met in one.meetings]).elo
        assert one.elo == expected, "the interval counts trainings"
    experts = json.loads((out / "learn/staged-1/versions/00002/experts.json").read_text())
    assert set(experts["experts"]) == {"up to 14", "over 14"}
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
    document = catalogue.open(out)
    words, images = check_page((out / "report.html").read_text())
    assert images == len(document.figures) == 2
    (claim,) = document.claims
    assert claim.text in words
    assert document.headline in words
    frame = document.tables["advantages"].to_frame()
    assert list(frame["Elo"]) == [one.elo.value for one in results.advantages]
    assert len(document.tables["matches"].rows) == 4
    assert [row[0] for row in document.tables["sizes"].texts()] == [
        *("rounds", "games a round", "nodes a move", "trainings a side", "network")
    ]


def test_a_run_that_has_ended_is_not_done_again(whole):
    out, results = whole
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    again = SCRATCH.resume(out)
    assert again.advantages == results.advantages
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"game": "pommerman-ffa"}, InvalidConfig, "two players"),
        ({"game": "ches"}, UnknownGame, "ches"),
        ({"gate": "none"}, InvalidConfig, "one phase"),
        ({"gate": "lichess"}, InvalidGate, "lichess"),
        ({"strategies": ()}, InvalidConfig, "give one or more"),
        ({"strategies": ("staged", "staged")}, InvalidConfig, "once"),
        ({"strategies": ("stage",)}, InvalidConfig, "stage"),
        (
            {"strategies": ("heads",)},
            InvalidConfig,
            "heads: is for training on stored",
        ),
        ({"network": "mpl-16x1"}, InvalidConfig, "mpl-16x1"),
        ({"planes": "v9"}, InvalidPlaneSpec, "--planes v9"),
        ({"match_games": 3}, InvalidConfig, "expected an even whole number"),
        ({"trainings": 0}, InvalidConfig, "--trainings 0"),
        ({"from_scratch": False}, InvalidConfig, "stored games"),
    ],
)
def test_settings_that_make_no_sense_are_named(changes, error, words, tmp_path):
    with pytest.raises(error, match=words):
        SCRATCH.reproduce(dataclasses.replace(SMALL, **changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


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
    config = dataclasses.replace(SMALL, trainings=trainings, updates=updates)
    value = 0.0 if math.isinf(ends[0]) else sum(ends) / 2
    found = [
        Advantage(strategy, updates, [], Interval(value, *ends))
        for strategy in ("staged", "separated")
    ]
    claims = claims_of(found, config)
    assert tuple(claim.judgement for claim in claims) == judged


@pytest.mark.parametrize("preset", PRESETS)
def test_every_size_is_valid_and_ends_with_a_match(preset):
    config = PRESETS[preset]
    config.validate()
    assert config.compared[-1] == config.updates


def test_the_command_takes_it_for_what_it_is(capsys):
    words = {}
    for line in ("reproduce m2cts --help", "reproduce m2cts --from-scratch --help"):
        with pytest.raises(SystemExit) as stop:
            cli.main(shlex.split(line))
        assert stop.value.code == 0
        words[line] = capsys.readouterr().out
    scratch, stored = words.pop("reproduce m2cts --from-scratch --help"), words.popitem()[1]
    assert "--compare-every" in scratch
    assert "--compare-every" not in stored
    assert "--from-scratch" in stored
    command = SCRATCH.command_line(SMALL, "out")
    assert command.startswith("phasezoo reproduce m2cts --from-scratch --preset quick --out out")
    assert "--game connect-four" in command
