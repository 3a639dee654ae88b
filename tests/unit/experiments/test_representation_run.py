"""The study of representations at a size of seconds: whole, interrupted, refused."""

import dataclasses
import json
import subprocess
import sys
import time

import numpy as np
import pytest
from page_checker import check_page, check_run

from phasezoo import inference
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.representation import config, positions
from phasezoo.experiments.representation.config import (
    CORNERS,
    GRIDS,
    PRESETS,
    REPRESENTATION,
    RepresentationConfig,
    groups_of,
    variants_of,
)
from phasezoo.experiments.representation.figures import short
from phasezoo.experiments.representation.report import headline, report
from phasezoo.experiments.representation.study import RepresentationRun
from phasezoo.games import encode, make
from phasezoo.report import numbers
from phasezoo.report.console import silent
from phasezoo.runs import jsonable
from phasezoo.training import GameStore

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")
pytest.importorskip("captum", reason="gradients need the extra 'captum'")

TINY = "resnet-8x1:policy=pointwise"


@pytest.fixture(scope="module", autouse=True)
def no_engine():
    """As many play wherever these tests run, whether Stockfish is installed or not."""
    with pytest.MonkeyPatch.context() as patch:
        for game in config.ENGINE_NODES:
            patch.setitem(config.ENGINE_NODES, game, ("no-such-engine", 10))
        yield


@pytest.fixture(scope="module")
def small(store):
    return RepresentationConfig(
        games=store,
        max_games=60,
        network=TINY,
        trainings=2,
        architectures=("patchvit-32x1",),
        blocks=("tower-8x1:policy=pointwise", "tower-8x1:block=classical,policy=pointwise"),
        transformers=(),
        kernels=(),
        depths=(),
        positions=1000,
        validation_positions=32,
        test_games=3,
        resamples=100,
        batches=(1, 2),
        rounds=6,
        milliseconds=1,
        gradient_positions=4,
        gradient_steps=8,
        ending_nodes=4,
        match_games=2,
        match_nodes=(2,),
        movetimes=(1,),
        movetime_games=2,
        engine_nodes=1,
        max_plies=12,
        concurrency=8,
        device="cpu",
        threads=1,
    )


@pytest.fixture(scope="module")
def whole(small, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, REPRESENTATION.reproduce(small, out)


def test_a_run_leaves_everything_it_promises(whole, small):
    out, results = whole
    document, _ = check_run(REPRESENTATION, out, results)
    assert len(document.figures) == 5 + len(results.gradients.boards) == 9
    assert len(results.networks) == 4 * 2 + 1 + 2
    assert all(card.positions == 1000 for card in results.networks)
    assert list(results.losses.tables) == ["corners", "architectures", "blocks"]
    arms, backends = len(variants_of(small)), 2
    assert len(results.latency) == arms * backends * len(small.batches)
    by_nodes, by_time = results.games
    assert by_nodes.played == 28 * 2  # eight players
    assert by_time.played == 3 * 2
    assert {duel.games for duel in by_nodes.pairings if duel.first in CORNERS} == {2 * 2 * 2}


def test_planes_that_are_alike_everywhere_explain_nothing_for_certain(whole):
    _, results = whole
    for one in results.gradients.average:
        assert one.shares["chess960"] == Interval(0.0, 0.0, 0.0)
        ends = [end for share in one.shares.values() for end in (share.low, share.high)]
        assert np.isfinite(ends).all()
        assert one.shares["own pieces"].high > one.shares["own pieces"].low


def test_of_games_that_are_split_already_some_of_each_part_are_drawn(small, tmp_path):
    own = GameStore.sample("chess").subset(np.arange(400)).split(5, (0.5, 0.25, 0.25))
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("train", "validation", "test"):
        getattr(own, name).save(folder / name)
    splits = RepresentationRun.prepare(dataclasses.replace(small, games=folder), silent()).splits
    assert [len(part) for part in (splits.train, splits.validation, splits.test)] == [48, 6, 6]
    for name in ("train", "validation", "test"):
        part = getattr(splits, name)
        of_part = {tuple(own_game) for own_game in _games_of(getattr(own, name))}
        assert {tuple(game) for game in _games_of(part)} <= of_part


def _games_of(store):
    return np.split(store.actions, store.offsets[1:-1])


def test_the_positions_of_the_papers_figures_stand_beside_its_values(whole):
    """Fig. 7 is row 2 of Table 11, Fig. 8 row 20; values are for the player to move."""
    _, results = whole
    found = {}
    for fen, network, value, theirs, _ in report(results).tables["positions"].texts():
        found[fen.split()[0], fen.partition("(")[2], network] = theirs
        own = [one for one in results.gradients.boards if one.arm == network]
        assert value in {numbers.signed(one.value, 4) for one in own}
    first, second = "8/3k4/8/2pK4/8/4b1p1/8/5B2", "8/8/4b1p1/2Bp3p/5P1P/1pK1Pk2/8/8"
    assert found == {
        (first, "Fig. 7, row 2 of Table 11)", "v1-mse"): "−0.4940",
        (first, "Fig. 7, row 2 of Table 11)", "v2-wdlp"): "−0.2304",
        (second, "Fig. 8, row 20 of Table 11)", "v1-mse"): "+0.4053",
        (second, "Fig. 8, row 20 of Table 11)", "v2-wdlp"): "+0.4225",
    }


def test_other_positions_have_nothing_of_the_papers_beside_them(whole):
    _, results = whole
    boards = [
        dataclasses.replace(one, fen="8/3k4/8/2pK4/8/4b1p1/8/5B2 b - - 0 1")
        for one in results.gradients.boards
    ]
    changed = dataclasses.replace(results.gradients, boards=boards)
    table = report(dataclasses.replace(results, gradients=changed)).tables["positions"]
    assert {theirs for _, _, _, theirs, _ in table.texts()} == {"–"}
    assert "Fig. 7" not in str(table.texts())


@pytest.mark.parametrize(
    ("verdicts", "begins"),
    [
        ((), "No claim of {n} disagrees, none agree, "),
        (("disagrees",), "One of {n} claims disagrees, none agree, "),
        (("disagrees", "disagrees", "agrees"), "Two of {n} claims disagree, one agrees, "),
    ],
)
def test_the_headline_counts_what_disagrees_first(whole, verdicts, begins):
    _, results = whole
    claims = [
        dataclasses.replace(claim, judgement="not settled") for claim in report(results).claims
    ]
    for place, verdict in enumerate(verdicts):
        claims[place] = dataclasses.replace(claims[place], judgement=verdict)
    assert headline(results, claims).startswith(begins.format(n=len(claims)))


def test_contrasts_are_means_of_the_combinations(whole):
    _, results = whole
    corners = {row.name: row.metrics["total"].value for row in results.losses.tables["corners"]}
    effects = {one.name: one.metrics["total"] for one in results.losses.contrasts}
    inputs = [corners[f"v2-{head}"] - corners[f"v1-{head}"] for head in ("mse", "wdlp")]
    heads = [corners[f"{planes}-wdlp"] - corners[f"{planes}-mse"] for planes in ("v1", "v2")]
    assert effects["inputs"].value == pytest.approx(np.mean(inputs))
    assert effects["heads"].value == pytest.approx(np.mean(heads))
    assert effects["both"].value == pytest.approx(corners["v2-wdlp"] - corners["v1-mse"])
    for interval in effects.values():
        assert interval.low < interval.value < interval.high


RUN = """
import json, sys
from pathlib import Path
from phasezoo.experiments.representation.config import REPRESENTATION, RepresentationConfig
from phasezoo.runs import jsonable
config = jsonable.decode(RepresentationConfig, json.loads(sys.argv[1]))
REPRESENTATION.reproduce(config, Path(sys.argv[2]))
"""


def kill_once_there(path, config, out):
    """Begin a run in a process of its own, and kill it as soon as a file is there."""
    words = [sys.executable, "-c", RUN, jsonable.dumps(config), str(out)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    while process.poll() is None and not path.exists():
        time.sleep(0.05)
    process.kill()
    assert process.wait() != 0, "it ended before it was killed"


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_with_what_it_had(whole, small, tmp_path, monkeypatch):
    class StoppedError(Exception):
        pass

    def stopped(*_):
        raise StoppedError

    out = tmp_path / "run"
    kill_once_there(out / "networks" / "v2-mse-1" / "metrics.csv", small, out)
    kept = {path: path.stat().st_mtime_ns for path in out.glob("networks/v1-*/model.safetensors")}
    assert len(kept) == 4
    with monkeypatch.context() as patch:
        patch.setattr(positions, "attributed", stopped)
        with pytest.raises(StoppedError):
            REPRESENTATION.resume(out)
    times = (out / "latency.json").read_bytes()
    results = REPRESENTATION.resume(out)
    for path, when in kept.items():
        assert path.stat().st_mtime_ns == when, f"{path} was done again"
    assert (out / "latency.json").read_bytes() == times
    assert results.losses == whole[1].losses
    assert results.endings == whole[1].endings
    assert results.games[0].pairings == whole[1].games[0].pairings


def test_variants_have_no_endings_of_chess(small, tmp_path):
    games = dataclasses.replace(
        small,
        game="crazyhouse",
        games=None,
        max_games=30,
        trainings=1,
        architectures=(),
        blocks=(),
        optimizer="adamw",
        learning_rate=0.001,
    )
    results = REPRESENTATION.reproduce(games, tmp_path / "run")
    trained = list((tmp_path / "run" / "networks").glob("*/config.json"))
    used = {json.loads(path.read_text())["config"]["optimizer"] for path in trained}
    assert used == {"adamw"}
    assert results.endings is None
    assert "--game crazyhouse" in results.command
    game = make("crazyhouse")
    for shown in results.gradients.boards:  # the position is the FEN, without moves before it
        network = inference.load(tmp_path / "run" / "networks" / f"{shown.arm}-1", device="cpu")
        planes = encode([game.from_fen(shown.fen)], network.plane_spec)
        assert network.evaluate(planes).values() == pytest.approx([shown.value], abs=1e-5)
    check_page((tmp_path / "run" / "report.html").read_text())
    judged = {claim.judgement for claim in report(results).claims if "stronger" in claim.text}
    assert judged == {"not settled"}, "one training settles nothing"


@pytest.mark.parametrize(
    ("changes", "rows", "images"),
    [
        (
            {
                "architectures": (TINY,),
                "blocks": ("tower-8x1:block=classical,policy=pointwise",),
                "transformers": ("tower-96x1:transformers=1,policy=pointwise",),
                "kernels": ("tower-8x1:wide=0.5,policy=pointwise",),
                "depths": ("tower-8x2:policy=pointwise",),
            },
            {"corners": 4} | dict.fromkeys(GRIDS, 1),
            8,
        ),
        (
            {"architectures": ("patchvit-32x1",), "blocks": ()},
            {"corners": 4, "architectures": 2},
            9,
        ),
        ({"architectures": (), "blocks": ()}, {"corners": 4}, 8),
    ],
    ids=["one network a grid", "one grid", "no grid"],
)
def test_grids_of_one_network_come_to_the_report(small, changes, rows, images, tmp_path):
    one = {"trainings": 1, "batches": (1,), "movetimes": ()}
    results = REPRESENTATION.reproduce(
        dataclasses.replace(small, **one, **changes), tmp_path / "run"
    )
    assert {name: len(found) for name, found in results.losses.tables.items()} == rows
    words, found = check_page((tmp_path / "run" / "report.html").read_text())
    assert found == images
    assert ("No table of this run has two networks to compare." in words) == (images == 8)
    for one in variants_of(results.config)[4:]:
        assert short(one.tower) in words


@pytest.mark.parametrize("preset", PRESETS)
def test_every_size_names_networks_once(preset):
    config = PRESETS[preset]
    variants = variants_of(config)
    assert len({one.name for one in variants}) == len(variants)
    assert [one.name for one in variants[:4]] == list(CORNERS)
    assert set(groups_of(config)) >= {"corners", "architectures", "kernels"}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_quick_size_runs(tmp_path):
    results = REPRESENTATION.reproduce(PRESETS["quick"], tmp_path / "run")
    assert len(report(results).claims) >= 12
    check_page((tmp_path / "run" / "report.html").read_text())
