"""The study of atomic chess at a size of seconds: whole, interrupted, refused."""

import dataclasses
import shutil

import numpy as np
import pytest
import torch
from page_checker import check_run

from phasezoo import experiments, games, inference, networks
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.experiments.atomic import measurements
from phasezoo.experiments.atomic.config import (
    ATOMIC,
    INPUTS,
    NAMED_AS_FUTURE,
    PRESETS,
    VARIANTS,
    AtomicConfig,
    one_mate,
)
from phasezoo.experiments.atomic.study import NAME, options_of, variants_of
from phasezoo.training import GameStore, SelfPlay, SelfPlayConfig

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

HEADS = "policy=dense,value=mse,value_channels=1,value_units=8"

SMALL = AtomicConfig(
    arms=("thesis", "last-step"),
    network=f"resnet-8x1:{HEADS}",
    updates=2,
    games=4,
    nodes=4,
    buffer=120,
    last_step=40,
    training_batch=16,
    max_plies=24,
    match_games=4,
    match_nodes=4,
    probe_positions=2,
    mate_games=2,
    mate_simulations=32,
    simulations=(24, 48),
    search_positions=2,
    batches=(1, 4),
    workers=(1,),
    worker_games=2,
    concurrency=4,
    threads=1,
)


@pytest.fixture(scope="module")
def by_program(tmp_path_factory):
    settings = {
        field.name: getattr(SMALL, field.name)
        for field in dataclasses.fields(SMALL)
        if getattr(SMALL, field.name) != getattr(ATOMIC.default, field.name)
    }
    settings["workers"] = [1]  # a list, as a program would write it
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, experiments.reproduce("atomic", out=out, **settings)


@pytest.fixture(scope="module")
def whole(by_program):
    out, _ = by_program
    return out, ATOMIC.resume(out)


def test_a_run_leaves_everything_it_promises(whole):
    out, results = whole
    document, _ = check_run(ATOMIC, out, results)
    assert len(document.figures) == 5
    back = ATOMIC.results_in(out)
    assert [run.name for run in back.runs] == ["thesis", "last-step"]
    assert [one.games for one in back.runs[0].rounds] == [4, 8]
    assert [rating.name for rating in back.runs[0].ladder] == ["0", "1", "2"]
    for one in (*back.against_untrained, *back.against_thesis, back.itself, back.styles):
        assert one.wins + one.draws + one.losses == one.games == 4
        assert one.score.low < one.score.value < one.score.high or one.score.value in (0, 1)
        assert sum(one.moving) == 2  # as White
        assert all(part <= whole for part, whole in zip(
            one.moving, (one.wins, one.draws, one.losses), strict=True))  # fmt: skip
    assert [row.games for row in back.mate.rows] == [0, 1, 2]
    assert all(0 <= share <= 1 for row in back.mate.rows for share in (row.network, row.search))
    played = GameStore.open(out / "learn" / "mate" / "games")
    assert set(played.starts.values()) == {back.mate.fen}


def test_one_mate_in_two_may_be_given():
    found = one_mate("")
    state = found.state
    assert one_mate(state.fen).actions == found.actions
    assert [state.uci(action) for action in found.actions] == ["f8b4"]
    with pytest.raises(InvalidConfig, match="mate in two moves"):
        one_mate(games.make("atomic").initial_state().fen)


def test_collisions_are_those_that_searches_tell(whole):
    _, results = whole
    rows = {(row.style, row.simulations): row for row in results.searched.collisions}
    assert rows["none", 48].collisions > rows["virtual_loss", 48].collisions
    outcome = inference.load(whole[0] / "learn" / "thesis" / "versions" / "00002", threads=1)
    agent = MCTSAgent(
        outcome,
        limit=Limit(simulations=48),
        config=measurements.searched("none", SMALL.search_batch, solver=False),
        seed=SMALL.seed,
        threads=1,
    )
    first = agent.search(games.make("atomic").initial_state())
    assert first.collisions > 0
    assert [row.rows for row in results.searched.batches] == list(SMALL.batches)
    assert all(row.engine > 0 and row.rate > 0 for row in results.searched.batches)


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_with_what_it_had(whole, tmp_path, monkeypatch):
    class KilledError(Exception):
        pass

    def killed(*_):
        raise KilledError

    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(measurements, "collision_rows", killed)
        with pytest.raises(KilledError):
            ATOMIC.reproduce(SMALL, out)
    kept = {path: path.read_bytes() for path in out.rglob("*.jsonl") if "journal" not in path.name}
    assert len(kept) >= 8
    results = ATOMIC.resume(out)
    for path, content in kept.items():
        assert path.read_bytes() == content, f"{path} was done again"
    same = dataclasses.replace(results, command="", date="", seconds={}, searched=None)
    assert [one.elo for one in same.against_untrained] == [
        one.elo for one in whole[1].against_untrained
    ]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_variant_of_every_size_is_a_run_of_self_play(preset):
    config = PRESETS[preset]
    assert variants_of(config)[0] == "thesis"
    all_of_them = dataclasses.replace(config, arms=tuple(VARIANTS), inputs=tuple(INPUTS))
    seen = []
    for name in variants_of(all_of_them):
        options = options_of(name, all_of_them)
        assert isinstance(options["config"], SelfPlayConfig)
        seen.append(repr(options))
    assert len(set(seen)) == len(VARIANTS) + len(INPUTS), "each is another"


def test_what_the_thesis_names_as_future_is_learned_by(tmp_path):
    config = dataclasses.replace(SMALL, updates=1, games=8, max_plies=16)
    for name in NAMED_AS_FUTURE:
        options = options_of(name, config)
        # Pages of such runs are drawn for others, and take longer than the games.
        watching = dataclasses.replace(options["config"].watching, report=False)
        options["config"] = dataclasses.replace(options["config"], watching=watching)
        outcome = SelfPlay(out=tmp_path / name, **options).run()
        assert outcome.updates[-1].learned > 0
    starts = GameStore.open(tmp_path / "later-starts" / "games").starts
    assert 0 < len(starts) < 8


def test_variants_keep_what_the_network_says_besides():
    text = "resnet-8x1:value=mse,policy=pointwise,attention=se"
    config = dataclasses.replace(SMALL, network=text, inputs=("clock",))
    heads = options_of("other-heads", config)["network"]
    shown = options_of("clock", config)["network"]
    assert heads == "resnet-8x1:attention=se"
    assert shown == f"{NAME}-8x1:thing=clock,{text.partition(':')[2]}"
    network = networks.make(shown, (52, 8, 8), 4672)
    assert networks.count(network.network).parameters == networks.count(text, (52, 8, 8)).parameters
    with pytest.raises(InvalidConfig, match="needs a residual tower"):
        options_of("clock", dataclasses.replace(config, network="rise-8x1"))


@pytest.mark.parametrize("thing", INPUTS)
def test_a_network_sees_the_pieces_and_one_thing_more(thing):
    atomic = games.make("atomic")
    shape = atomic.plane_shape("v1")
    network = networks.make(f"{NAME}-8x1:thing={thing}", shape, atomic.num_actions, seed=1)
    network.eval()
    planes = torch.rand(1, *shape)
    before = network(planes).policy_logits
    for channel in range(shape[0]):
        changed = planes.clone()
        changed[:, channel] += 1
        moved = not torch.equal(network(changed).policy_logits, before)
        assert moved == (channel < 12 or channel in INPUTS[thing]), channel


def test_the_things_shown_are_the_planes_of_their_names():
    """By what changes in the planes: pushed pawns, castled kings, and so on."""
    atomic = games.make("atomic")
    start = atomic.initial_state()
    after = atomic.from_fen("rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w Kq e6 7 30")
    first, second = games.encode([start, after], "v1")
    differ = {int(plane) for plane in np.flatnonzero((first != second).any(axis=(1, 2)))}
    named = {
        plane
        for name in ("en-passant", "move-number", "castling", "clock")
        for plane in INPUTS[name]
    }
    assert differ - set(range(12)) == named - {INPUTS["castling"][0], INPUTS["castling"][3]}
    black = games.encode([start.play(start.parse_uci("e2e4"))], "v1")[0]
    assert black[INPUTS["colour"]].sum() == 0 < first[INPUTS["colour"]].sum()
    assert black[list(INPUTS["last-moves"])].any()
    assert not first[list(INPUTS["last-moves"])].any()
    assert sorted(plane for planes in INPUTS.values() for plane in planes) == [
        *range(12, 22),
        *range(23, 39),
    ]


def test_a_program_runs_it_and_opens_its_report(by_program):
    out, document = by_program
    assert {claim.judgement for claim in document.claims} <= set(document.judgements)
    assert list(document.tables)[:2] == ["learning", "matches"]
    assert experiments.open(out).to_markdown() == document.to_markdown()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": "atomik"}, "did you mean 'atomic'"),
        ({"name": "atomic", "preset": "quik"}, "did you mean 'quick'"),
        ({"name": "atomic", "match_game": 4}, "did you mean match_games="),
        ({"name": "atomic", "nodes": "many"}, "nodes"),
        ({"name": "atomic", "curve": True}, "no curve"),
        ({"name": "atomic", "out": None}, "out=None"),
    ],
)
def test_what_a_program_asks_for_wrongly_is_named(given, words, tmp_path):
    with pytest.raises(InvalidConfig, match=words):
        experiments.reproduce(**({"out": tmp_path / "run"} | given))
    assert not (tmp_path / "run").exists()


def test_only_a_run_that_has_ended_is_opened(tmp_path, whole):
    with pytest.raises(RunDirectoryError, match="no run of a study"):
        experiments.open(tmp_path)
    copied = tmp_path / "copied"
    shutil.copytree(whole[0], copied)
    (copied / "results.json").write_text("{}")
    with pytest.raises(RunDirectoryError, match="resume"):
        experiments.open(copied)
    (copied / "results.json").unlink()
    with pytest.raises(RunDirectoryError, match=r"has not ended; go on with: .*--resume"):
        experiments.open(copied)
