"""The main job at a size of seconds: whole, interrupted, refused."""

import csv
import dataclasses
import io
import itertools
import json
import logging
import shlex
import shutil
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest
from page_checker import check_run
from safetensors.numpy import load_file

from phasezoo import experiments, games, gating
from phasezoo.apps import cli
from phasezoo.arena.openings import OpeningSuite
from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.experiments.catalogue import GAMES
from phasezoo.experiments.generalisation.config import GENERALISE
from phasezoo.experiments.study import Study
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.overfitting import learned_positions
from phasezoo.experiments.two_player.preparation import load, prepare
from phasezoo.experiments.two_player.study import TwoPlayerRun
from phasezoo.games.queries import planes_of
from phasezoo.report.console import TerminalConsole, silent
from phasezoo.runs import RunDirectory
from phasezoo.training import GameStore

CHESS = GAMES["chess"]
reproduce, resume, command_line = CHESS.reproduce, CHESS.resume, CHESS.command_line

FILES = (
    "seeds.json", "dataset.json", "losses.json", "losses.csv", "overfitting.json", "seam.json",
    "cost.json", "match.json", "games.pgn",
)  # fmt: skip


def tiny(store, **changes):
    settings = {
        "games": store,
        "arms": (),
        "network": "rise-8x1",
        "positions": 1000,
        "training_batch": 64,
        "optimizer": "adamw",
        "learning_rate": 0.003,
        "validation_positions": 64,
        "watched_positions": 16,
        "test_games": 3,
        "resamples": 100,
        "timed_batches": (1, 16),
        "games_played": 6,
        "nodes": 4,
        "max_plies": 40,
        "concurrency": 2,
        "threads": 1,
        "device": "cpu",
    }
    return M2ctsConfig(**(settings | changes))


@pytest.fixture(scope="module")
def whole(store, tmp_path_factory):
    """An uninterrupted run, and what it found."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, reproduce(tiny(store), out)


def numbers_of(out):
    """What a run found, without times and place, and without the counts of inference.

    Games that a kill interrupted are played again, so more is asked of the networks.
    """
    found = json.loads((out / "results.json").read_text())
    for key in ("command", "date", "seconds", "provenance"):
        del found[key]

    def timeless(value):
        if isinstance(value, dict):
            return {k: timeless(v) for k, v in value.items() if k not in ("seconds", "sides")}
        return [timeless(v) for v in value] if isinstance(value, list) else value

    for one in found["cost"]["calls"]:
        del one["milliseconds"], one["ratio"]
    return timeless(found)


def test_a_run_leaves_everything_it_promises(whole):
    out, results = whole
    for name in FILES:
        assert (out / name).is_file(), name
    assert len(results.networks) == 7
    for card in results.networks:
        network = out / "networks" / card.name
        for name in ("manifest.json", "model.safetensors", "metrics.csv"):
            assert (network / name).is_file(), name


def test_the_report_of_a_run_holds_what_was_measured(whole):
    out, results = whole
    document, words = check_run(CHESS, out, results)
    assert {claim.judgement for claim in document.claims} == {"not settled"}  # one training
    frame = document.tables["losses"].to_frame()
    *networks, constant = results.losses.entries
    assert constant.cells["all"].total is None
    totals = [entry.cells["all"].total for entry in networks]
    assert list(frame["all positions"]) == totals
    assert document.tables["inference"].rows[0] == results.matches.total.sides[0]
    rows = list(csv.DictReader(io.StringIO((out / "losses.csv").read_text())))
    assert [
        float(row["total"]) for row in rows if row["test_set"] == "all" and row["total"]
    ] == totals
    assert "losses" in words


def test_experts_together_see_as_much_as_the_baseline(whole):
    _, results = whole
    seen = dict.fromkeys(("baseline", "expert", "placebo"), 0)
    for card in results.networks:
        seen[card.role] += card.positions
    assert seen == {"baseline": 1000, "expert": 1000, "placebo": 1000}
    assert len({card.parameters for card in results.networks}) == 1


def test_networks_learn_as_the_configuration_says(whole, store):
    out, results = whole
    config = tiny(store)
    for card in results.networks:
        manifest = json.loads((out / "networks" / card.name / "manifest.json").read_text())
        learnt = manifest["training"]["identity"]
        assert learnt["optimizer"] == "adamw"
        assert learnt["max_lr"] == config.learning_rate
        assert learnt["batch_size"] == config.training_batch


def test_positions_learnt_from_are_those_that_the_training_counted(whole, store):
    out, results = whole
    config = tiny(store)
    prepared = prepare(config)
    with RunDirectory.create(out, CHESS.name, config, threads=1) as directory:
        run = TwoPlayerRun(CHESS, directory, config, prepared, silent())
        planned = run._plan()
        for network, card in zip(planned, results.networks, strict=True):
            rows = learned_positions(prepared, network, planned, run.recipe)
            assert rows.num_unique() == card.unique_positions
            assert len(rows) <= card.positions
    rows = {row.name if row.beside else row.phase: row for row in results.overfitting.rows}
    assert len(rows) == 6
    cells = {entry.name: entry.cells for entry in results.losses.entries}
    for phase in results.dataset.phases:  # so few test positions are all of them
        expert, one = rows[f"{phase} expert"], rows[phase]
        assert expert.new == pytest.approx(cells[expert.name][phase].total, rel=1e-6)
        assert one.new == pytest.approx(cells["one network"][phase].total, rel=1e-6)
        for row in (expert, one):
            assert row.gap.value == pytest.approx(row.new - row.learned, rel=1e-6)
            assert row.gap.low < row.gap.value < row.gap.high
        assert expert.beside.value == pytest.approx(expert.gap.value - one.gap.value)
    assert sum(rows[phase].unique_positions for phase in results.dataset.phases) == pytest.approx(
        results.networks[0].unique_positions, abs=3
    )


def test_what_neighbouring_experts_say_agrees_with_the_losses(whole):
    _, results = whole
    value = {entry.name: entry.cells for entry in results.losses.entries}
    for row in results.boundaries.brier:
        if not row.recalibrated:
            for column, cell in row.cells.items():
                assert cell.score.value == pytest.approx(
                    value[row.name][column].value / 4, rel=1e-5
                )
    assert results.boundaries.games == results.losses.games
    assert results.boundaries.rows[0].positions > 0
    assert len(results.boundaries.maps) == 2 * len(results.dataset.phases)


def test_experts_cost_as_many_networks_as_they_are(whole):
    out, results = whole
    one, mixture, placebo = results.cost.sizes
    assert (one.networks, mixture.networks, placebo.networks) == (1, 3, 3)
    assert mixture.parameters == 3 * one.parameters == 3 * mixture.active
    tensors = load_file(out / "networks" / "baseline-1" / "model.safetensors")
    assert one.weights == sum(tensor.nbytes for tensor in tensors.values())
    assert mixture.weights == 3 * one.weights
    asked = {(call.routing, call.batch): call for call in results.cost.calls}
    assert set(asked) == {(r, b) for r in (None, "majority", "exact", "soft") for b in (1, 16)}
    for (routing, batch), call in asked.items():
        networks = {None: 1, "majority": 1, "soft": 3}.get(routing, call.calls)
        assert call.calls == networks
        assert call.rows == (3 * batch if routing == "soft" else batch)
        assert 0 < call.milliseconds.low <= call.milliseconds.value <= call.milliseconds.high
        assert call.ratio.value > 0
    assert asked["exact", 1].calls == 1
    assert results.cost.gate == []
    assert asked["exact", 16].calls in (2, 3)


def test_all_games_are_played_and_kept(whole):
    out, results = whole
    total = results.matches.total
    assert total.wins + total.draws + total.losses == total.games == 6
    assert sum(total.pentanomial) == 3
    assert total.sides[0].off_phase_rows == 0
    assert (out / "games.pgn").read_text().count("[Event ") == 6
    assert total.elo.low <= total.elo.value <= total.elo.high


def test_networks_are_run_in_the_format_of_the_settings(whole, store):
    path = whole[0] / "networks" / "baseline-1"
    planes = planes_of(games.make("chess").initial_state(), "v2")[None]
    exact = load(tiny(store), path).evaluate(planes).value
    try:
        rough = load(tiny(store, backend="openvino", dtype="bfloat16"), path)
    except InvalidConfig as error:
        pytest.skip(str(error))
    assert 0 < np.abs(rough.evaluate(planes).value - exact).max() < 0.1


def test_losses_of_the_mixture_are_those_of_its_experts(whole):
    _, results = whole
    rows = {entry.name: entry.cells for entry in results.losses.entries}
    for phase in results.dataset.phases:
        assert rows["phase mixture"][phase] == rows[f"{phase} expert"][phase]
    weighted = sum(rows["phase mixture"][p].total * rows["phase mixture"][p].positions
                   for p in results.dataset.phases)  # fmt: skip
    everything = rows["phase mixture"]["all"]
    assert weighted / everything.positions == pytest.approx(everything.total)


def test_losses_everywhere_are_of_whole_games(whole, store):
    out, results = whole
    new, *_ = results.losses.entries
    one = next(entry for entry in results.losses.everywhere if entry.role == "baseline")
    evaluator = load(tiny(store), out / "networks" / "baseline-1")
    test = prepare(tiny(store)).splits.test
    for chosen in itertools.combinations(range(len(test)), 3):
        if sum(np.diff(test.offsets)[list(chosen)]) != one.cells["all"].positions:
            continue
        errors = []
        for number in chosen:
            states, result = test.records.states(number), test.returns[number]
            planes = np.stack([planes_of(state, "v2") for state in states])
            sides = [state.ply % 2 for state in states]
            errors.extend((evaluator.evaluate(planes).value - result[sides]) ** 2)
        if np.mean(errors) == pytest.approx(one.cells["all"].value, rel=1e-4):
            break
    else:
        raise AssertionError(one.cells["all"])
    assert new.cells["all"].positions < one.cells["all"].positions


def test_the_same_command_again_does_nothing_again(whole, store):
    out, results = whole
    before = (out / "journal.jsonl").read_bytes()
    again = reproduce(tiny(store), out)
    assert (out / "journal.jsonl").read_bytes() == before
    assert again == results
    assert resume(out) == results


def test_the_console_has_the_answer_and_the_page_all_tables(whole, store, caplog):
    out, _ = whole
    console, details = io.StringIO(), io.StringIO()
    reproduce(tiny(store), out, TerminalConsole(console))
    with caplog.at_level(logging.DEBUG, "phasezoo"):  # as -v has it
        reproduce(tiny(store), out, TerminalConsole(details))
    answer, everything = console.getvalue(), details.getvalue()
    report = experiments.open(out)
    assert report.headline in answer
    assert all(claim.judgement in answer for claim in report.claims)
    assert 2 * answer.count("\n") < everything.count("\n")
    for words in ("Values within four plies", "Where the time went"):
        assert (words in answer, words in everything) == (False, True)
    assert ("; -v prints them too" in answer, "-v prints" in everything) == (True, False)


def test_another_run_is_refused_and_nothing_is_changed(whole, store):
    out, _ = whole
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*") if p.is_file()}
    with pytest.raises(RunDirectoryError, match=r"run \(seed 1 there, 2 here\)"):
        reproduce(tiny(store, seed=2), out)
    other = {"seed": 2, "nodes": 9, "search_batch": 2, "strategy": "staged", "watched_positions": 8}
    with pytest.raises(RunDirectoryError, match=r"4 there, 9 here, search_batch .*, and 2 more"):
        reproduce(tiny(store, **other), out)
    assert {p: p.stat().st_mtime_ns for p in out.rglob("*") if p.is_file()} == before


@pytest.mark.slow
def test_several_trainings_play_every_pairing(store, tmp_path):
    results = reproduce(tiny(store, trainings=2, games_played=2, nodes=2), tmp_path / "run")
    assert [(p.mixture, p.baseline) for p in results.matches.pairings] == [
        (0, 0), (0, 1), (1, 0), (1, 1),
    ]  # fmt: skip
    assert results.matches.total.games == 8
    assert results.matches.spread is not None
    assert "Every pairing" in (tmp_path / "run" / "report.html").read_text()
    first, second = (n for n in results.networks if n.role == "baseline")
    assert first.curve != second.curve


def start(config, out):
    command = [sys.executable, "-m", *command_line(config, out).split()]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests themselves run in the background, Ctrl-C is ignored, and so by children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(process, out, condition, seconds=120):
    """Wait until the run has come to a point, or has ended."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        if condition(out):
            return
        time.sleep(0.005)


def lines(path):
    return len(path.read_bytes().splitlines()) if path.exists() else 0


POINTS = {
    "in the first training": lambda out: any(out.glob("networks/*/checkpoints/update-*")),
    "between trainings": lambda out: any(out.glob("networks/expert-*/manifest.json")),
    "in the losses": lambda out: "losses" in (out / "journal.jsonl").read_text(),
    "in the match": lambda out: lines(out / "matches/mixture-1-baseline-1.jsonl") > 2,
}


@pytest.mark.slow
def test_a_run_killed_again_and_again_comes_to_the_same_numbers(whole, store, tmp_path):
    out, config = tmp_path / "killed", tiny(store)
    for condition in POINTS.values():
        process = start(config, out)
        wait_for(process, out, lambda o, c=condition: (o / "journal.jsonl").exists() and c(o))
        process.kill()
        process.communicate()
    assert cli.main(["reproduce", "m2cts", "--resume", str(out)]) == 0
    reference, _ = whole
    assert numbers_of(out) == numbers_of(reference)
    assert (out / "games.pgn").read_bytes() == (reference / "games.pgn").read_bytes()


def test_positions_behind_the_last_ply_are_counted(store):
    late = 0
    for phase in ("middlegame", "endgame"):
        every, none = prepare(tiny(store, max_plies=None)).openings_at(phase)
        kept, too_late = prepare(tiny(store)).openings_at(phase)
        assert none == 0
        assert too_late + (0 if kept is None else len(kept)) == len(every)
        late += too_late
    assert late > 0


@pytest.mark.slow
def test_experts_play_alone_from_where_their_phases_begin(store, tmp_path):
    out = tmp_path / "run"
    config = tiny(store, from_phases=True, games_played=4, test_games=None)
    results = reproduce(config, out)
    known = {row.name: row for row in results.from_phases}
    assert set(known) <= {"middlegame", "endgame"}  # all games begin with the opening
    assert "middlegame" in known
    assert all(row.starts >= 2 for row in results.from_phases)
    gate = gating.make("lichess", game="chess")
    for phase, row in known.items():
        assert row.matches.total.games == 4
        lines = (out / f"matches/from-{phase}-1-baseline-1.jsonl").read_text().splitlines()
        starts = [json.loads(line)["game"]["opening_moves"] for line in lines[1:]]
        assert len(starts) == 4
        # The first position of the phase: the one before it is of another.
        for moves in starts:
            assert 0 < len(moves) < config.max_plies
            state = games.make("chess").initial_state()
            before = []
            for move in moves:
                before.append(int(gate(state)))
                state = state.play(state.parse_uci(move))
            assert gate.names[gate(state)] == phase
            assert gate.names.index(phase) not in before
        first, second = row.matches.total.sides
        assert first.rows > 0 < second.rows
    page = (out / "report.html").read_text()
    assert "From the beginning of each phase" in page
    assert reproduce(config, out) == results


def test_ctrl_c_says_how_to_go_on(store, tmp_path):
    out = tmp_path / "stopped"
    process = start(tiny(store, positions=200_000), out)
    wait_for(process, out, POINTS["in the first training"])
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 130, error
    assert f"Continue with: phasezoo reproduce m2cts --resume {out}" in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--games", "empty.parquet"], 1, ["empty.parquet", "no positions"]),
        (["--games", "cut.parquet"], 1, ["cut.parquet", "cut short"]),
        (["--games", "nowhere.parquet"], 1, ["nowhere.parquet", "no such file"]),
        (["--gate", "moves:0"], 2, ["moves:0"]),
        (["--gate", "none"], 2, ["none", "two or more"]),
        (["--gate", "box"], 2, ["--gate box: ", "chess has no such gate"]),
        (["--arms", "head"], 2, ["--arms head: is no strategy (separated, staged", "as a gate"]),
        (["--planes", "v9"], 2, ["v9", "v2"]),
        (["--network", "rise-axb"], 2, ["rise-axb"]),
        (["--backend", "tensorrt"], 1, ["TensorRT"]),
        (["--backend", "onnx", "--dtype", "bfloat16"], 2, ["float32, not", "bfloat16"]),
        (["--device", "abacus"], 2, ["abacus"]),
        (["--resume", "nothing"], 1, ["nothing", "no run"]),
        (["--resume", "nothing", "--seed", "3"], 2, ["--resume nothing", "nothing else"]),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_written(
    options, code, words, store, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    GameStore.open(store).subset(np.arange(0)).save("empty.parquet")
    whole = store.read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    before = sorted(tmp_path.iterdir())
    out = [] if "--resume" in options else ["--out", "run"]
    assert cli.main(["reproduce", "m2cts", *out, *options]) == code
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    for word in words:
        assert word in error
    assert sorted(tmp_path.iterdir()) == before


def test_games_that_are_split_already_stay_so(store, tmp_path):
    own = GameStore.open(store).split(5, (0.6, 0.2, 0.2))
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("train", "validation", "test"):
        getattr(own, name).save(folder / name)
    prepared = prepare(tiny(folder))
    for name in ("train", "validation", "test"):
        part = getattr(prepared.splits, name)
        np.testing.assert_array_equal(part.actions, getattr(own, name).actions)
    parts = prepared.splits.train, prepared.splits.validation, prepared.splits.test
    assert sum(map(len, parts)) == len(GameStore.open(store))
    own.test.subset(np.arange(3)).save(folder / "test", overwrite=True)
    assert prepare(tiny(folder)).sha256 != prepared.sha256


def test_openings_of_the_games_can_be_chosen(store, tmp_path):
    unbalanced = OpeningSuite.load("chess", "unbalanced")
    chosen = prepare(tiny(store, openings="unbalanced")).match_openings
    assert 10 < len(chosen) <= len(unbalanced) == 100
    assert set(chosen.lines) <= set(unbalanced.lines)
    with pytest.raises(InvalidConfig, match="did you mean 'unbalanced'"):
        reproduce(tiny(store, openings="unbalnced"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_openings_that_the_games_contain_are_dropped(store, tmp_path):
    from phasezoo import games
    from phasezoo.arena import OpeningSuite

    suite = OpeningSuite.load("chess")
    opening = suite.states(0)
    records = GameStore.open(store)
    played = [state.moves for state in opening][-1]
    longer = opening[-1].play(opening[-1].legal_actions[0])
    assert prepare(tiny(store)).openings_dropped == 0
    # A game that runs through the opening's last position and one move on.
    actions, state = [], games.make("chess").initial_state()
    for move in longer.moves:
        actions.append(state.parse_uci(move))
        state = state.play(actions[-1])
    through = GameStore("chess", actions, [0, len(actions)], [[0, 0]])
    joined = GameStore.merge([records, through])
    joined.save(tmp_path / "with.parquet")
    prepared = prepare(tiny(tmp_path / "with.parquet"))
    assert prepared.openings_dropped == 1
    assert tuple(played) not in prepared.openings.lines


def test_another_game_of_two_players_is_a_domain_by_its_presets_alone(
    store, tmp_path, monkeypatch, capsys
):
    presets = {"quick": M2ctsConfig(game="atomic", nodes=77)}
    program = "phasezoo reproduce m2cts --game atomic"
    atomic = dataclasses.replace(CHESS, name="m2cts-atomic", program=program, presets=presets)
    monkeypatch.setitem(GAMES, "atomic", atomic)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        cli.main(["reproduce", "m2cts", "--game", "atomic", "--help-all"])
    assert "default: 77)" in capsys.readouterr().out
    config = tiny(store, game="atomic", gate="moves:2")
    words = atomic.command_line(config, tmp_path / "run")
    assert cli.main(shlex.split(words)[1:]) == 1
    assert "holds games of 'chess'; this study is about 'atomic'" in capsys.readouterr().err
    assert cli.main(["reproduce", "m2cts", "--game", "go"]) == 2
    assert "'go': no such game" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_seeds_cut_short_or_changed_are_told_in_one_line(whole, tmp_path, capsys):
    out = tmp_path / "run"
    shutil.copytree(whole[0], out)
    seeds = (out / "seeds.json").read_text()
    (out / "seeds.json").write_text(seeds[: len(seeds) // 2])
    assert cli.main(["reproduce", "m2cts", "--resume", str(out)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "seeds.json: cannot be read back" in error
    assert "delete this file" in error
    (out / "seeds.json").write_text(seeds.replace("1", "2"))
    assert cli.main(["reproduce", "m2cts", "--resume", str(out)]) == 1
    error = capsys.readouterr().err
    assert "seeds.json: cannot be read back (it was changed, or comes from another run)" in error
    assert "delete this file" in error


def test_a_network_cut_short_after_the_run_is_told_in_one_line(whole, tmp_path, capsys):
    out = tmp_path / "run"
    shutil.copytree(whole[0], out)
    model = sorted(out.glob("networks/*/model.safetensors"))[-1]
    model.write_bytes(model.read_bytes()[:1000])
    assert cli.main(["reproduce", "m2cts", "--resume", str(out)]) == 1
    error = capsys.readouterr().err
    assert f"{model}: manifest.json has another checksum than this file of 1,000 bytes" in error
    assert f"remove the folder {model.parent} to have the run train it again" in error
    assert "Traceback" not in error


def test_a_network_of_another_run_is_refused_and_trained_again_once_removed(
    whole, tmp_path, capsys
):
    out = tmp_path / "run"
    shutil.copytree(whole[0], out)
    place = out / "networks/baseline-1"
    other = sorted(out.glob("networks/expert-*"))[0]
    weights = (place / "model.safetensors").read_bytes()
    for file in ("model.safetensors", "manifest.json"):
        shutil.copy(other / file, place / file)
    assert cli.main(["reproduce", "m2cts", "--resume", str(out)]) == 1
    error = capsys.readouterr().err
    assert f"{place}: the network was changed, or comes from another run" in error
    assert f"remove the folder {place}" in error
    shutil.rmtree(place)
    assert cli.main(["reproduce", "m2cts", "--resume", str(out)]) == 0
    assert (place / "model.safetensors").read_bytes() == weights


def test_a_run_is_done_again_and_continued_with_the_modules_it_was_begun_with(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "begun_with.py").write_text("")
    seen = []

    def interrupted(study, config, out, console):
        out.mkdir()
        (out / "config.json").write_text("{}")
        seen.append(study.command_line(config, out))
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "reproduce", interrupted)
    words = ["reproduce", "m2cts", "--out", "run", "--plugin", "begun_with.py"]
    try:
        assert cli.main(words) == 130
    finally:
        sys.modules.pop("begun_with", None)
    again = f"--plugin {tmp_path / 'begun_with.py'}"
    assert seen[0].endswith(f" --seed 1 {again}")
    assert (
        f"Continue with: phasezoo reproduce m2cts --resume run {again}" in capsys.readouterr().err
    )


def test_a_run_goes_on_with_the_modules_that_are_named_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_gate.py").write_text(
        "from phasezoo import gating\n\n\n"
        "@gating.register('by-a-module', names=('even', 'odd'))\n"
        "def gate(state):\n"
        "    return state.ply % 2\n"
    )
    study = dataclasses.replace(CHESS, plugins=(str(tmp_path / "own_gate.py"),))
    config = dataclasses.replace(tiny(tmp_path / "none.parquet"), gate="by-a-module")
    with RunDirectory.create(tmp_path / "run", study.name, config, plugins=study.plugins):
        pass
    seen = []

    def finish(self, config, out, console, prepared=None):
        seen.append((gating.make(config.gate).names, self.resuming(out)))

    monkeypatch.setattr(Study, "_finish", finish)
    monkeypatch.setattr(gating.registry.REGISTRY, "own", {})
    assert cli.main(["reproduce", "m2cts", "--resume", "run"]) == 2
    error = capsys.readouterr().err
    assert "own_gate" not in sys.modules
    again = f"phasezoo reproduce m2cts --resume run --plugin {tmp_path / 'own_gate.py'}"
    assert error.endswith(f"if you trust it, name it again: {again}\n")
    try:
        assert cli.main(shlex.split(again)[1:]) == 0
    finally:
        sys.modules.pop("own_gate", None)
    assert seen[0][0] == ("even", "odd")
    assert f"--plugin {tmp_path / 'own_gate.py'}" in seen[0][1]
    (tmp_path / "own_gate.py").rename(tmp_path / "moved.py")
    try:
        assert cli.main(["reproduce", "m2cts", "--resume", "run", "--plugin", "moved.py"]) == 0
    finally:
        sys.modules.pop("moved", None)


@pytest.mark.parametrize(
    ("setting", "text", "is_code"),
    [
        ("network", "resnet-16x2", False),
        ("network", "resnet-16x2:policy=pointwise", False),
        ("network", "planted:Net", True),
        ("network", "planted.py:Net:width=3", True),
        ("agent", "mcts:nodes=50", False),
        ("agent", "planted:player", True),
        ("learner", "sb3:PPO,timesteps=20000", False),
        ("learner", "experts:learned:runs/gate", False),
        ("learner", "sb3:planted:PPO,timesteps=2", True),
        ("learner", "network:planted:Net", True),
        ("axes", ("chess/phases", "planted:AXIS"), True),
        ("engine", "sh", False),
        ("engine", "./planted", True),
        ("engine", "sh -c true", True),
    ],
)
def test_settings_of_a_run_from_elsewhere_name_no_code_unasked(
    tmp_path, monkeypatch, setting, text, is_code
):
    study = dataclasses.replace(CHESS, plugins=("my_own_module",))
    config = types.SimpleNamespace(**{setting: text})
    monkeypatch.setattr(Study, "command_line", lambda self, config, out: "THE COMMAND")
    if is_code:
        with pytest.raises(InvalidConfig, match=r"names code to run.*THE COMMAND"):
            study._check_code(config, tmp_path)
    else:
        study._check_code(config, tmp_path)
    if setting != "engine":
        named = types.SimpleNamespace(**{setting: "my_own_module:Thing"})
        study._check_code(named, tmp_path)


@pytest.mark.parametrize(
    "text",
    [" planted.py:Thing", "network:positions=2000,network=planted:Thing",
     "sb3:timesteps=10,algorithm=planted.py:Thing"],
)  # fmt: skip
def test_code_that_a_text_names_anywhere_is_not_run_by_resume(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "planted.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    config = dataclasses.replace(GENERALISE.default, axes=("connect-four/plies",), learner=text)
    with RunDirectory.create(tmp_path / "run", GENERALISE.name, config):
        pass
    with pytest.raises(InvalidConfig, match=r"planted.*--plugin|names code to run"):
        GENERALISE.resume(tmp_path / "run")
    assert not (tmp_path / "ran").exists()


def test_code_that_an_arm_names_is_not_run_by_resume(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "planted_arm.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    config = M2ctsConfig(arms=("separated:network=planted_arm:Thing@hash:3",))
    with RunDirectory.create(tmp_path / "run", CHESS.name, config):
        pass
    with pytest.raises(InvalidConfig, match=r"planted_arm.*--plugin"):
        CHESS.resume(tmp_path / "run")
    assert not (tmp_path / "ran").exists()


def test_ctrl_c_before_a_run_has_begun_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "reproduce", interrupted)
    assert cli.main(["reproduce", "m2cts", "--out", "run"]) == 130
    assert "Stopped before anything was written to run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("trainings", "played", "said"),
    [(1, 40, ""), (2, 40, "two trainings a side leave no interval"),
     (3, 2, "3 trainings a side and 2 games a pairing leave no end from"),
     (4, 12, "4 trainings a side and 12 games a pairing leave ±198 Elo from")],
)  # fmt: skip
def test_runs_of_several_trainings_say_first_what_their_games_can_tell(
    store, tmp_path, trainings, played, said
):
    config, shown = tiny(store, trainings=trainings, games_played=played), io.StringIO()
    with RunDirectory.create(tmp_path / "run", CHESS.name, config) as directory:
        console = TerminalConsole(shown)
        TwoPlayerRun(CHESS, directory, config, prepare(config), console)._note_planned_width()
    assert said in shown.getvalue()
    assert bool(said) == bool(shown.getvalue())
