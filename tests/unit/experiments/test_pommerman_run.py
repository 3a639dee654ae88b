"""The study of Pommerman at a toy's size: whole, interrupted, refused; what its numbers mean."""

import dataclasses
import json
import types

import numpy as np
import pytest
from page_checker import check_run

from phasezoo.apps import cli
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import RunDirectoryError
from phasezoo.experiments.pommerman import report, study as study_run
from phasezoo.experiments.pommerman.config import POMMERMAN, PRESETS, PommermanConfig
from phasezoo.experiments.pommerman.games import (
    Contender,
    GameRow,
    Task,
    _Game,
    contenders,
    plan,
    play_games,
    tasks_of,
)
from phasezoo.experiments.pommerman.measurements import records_of

pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

SMALL = PommermanConfig(
    trainings=2,
    gates=("steps:40", "mixedness"),
    placebo="hash:2",
    samples=10_000,
    epochs=0.1,
    validation_positions=64,
    boards=2,
    simulations=4,
    concurrency=8,
    resamples=200,
    large_network="risex4-2x1",
    large_samples=10_000,
    large_epochs=0.1,
    large_boards=2,
    large_simulations=(2, 3),
    threads=1,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    return out, POMMERMAN.reproduce(SMALL, out)


def games_of(out):
    return sorted((out / study_run.GAMES_FILE).read_text().splitlines())


def test_a_run_leaves_everything_it_promises(whole):
    _, results = whole
    assert [(r.name, r.games) for r in results.records] == [
        ("one network", 16),
        ("steps:40", 16),
        ("proximity:6,3", 16),
        ("hash:2", 16),
        ("one network, no search", 8),
        ("search, no network", 8),
        ("risex4-2x1, 2", 8),
        ("risex4-2x1, 3", 8),
    ]
    # 2 x (1 + 2 + 3 + 2) networks, and the large one.
    assert len(results.networks) == 17
    shown = {card.name: card.positions for card in results.networks}
    assert shown["steps-40-up-to-40-1"] + shown["steps-40-over-40-1"] == shown["one-1"]


def test_the_report_holds_what_was_measured(whole):
    out, results = whole
    document, words = check_run(POMMERMAN, out, results)
    assert (len(document.claims), len(document.figures)) == (4, 1)
    frames = {name: table.to_frame() for name, table in document.tables.items()}
    losses, games = frames["losses"], frames["games"]
    assert list(losses["policy loss"]) == [row.policy for row in results.losses]
    assert list(games["games"]) == [16] * 4
    assert len(frames["references"]) == 4
    assert "the search knows what its player may know" in words


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_to_the_same_games(whole, tmp_path, monkeypatch):
    out, results = whole

    class KilledError(Exception):
        pass

    left = [23]

    def until_killed(agent, tasks, config, finished, threads):
        def counted(row):
            left[0] -= 1
            if left[0] < 0:
                raise KilledError
            finished(row)

        play_games(agent, tasks, config, counted, threads)

    monkeypatch.setattr(study_run, "play_games", until_killed)
    with pytest.raises(KilledError):
        POMMERMAN.reproduce(SMALL, tmp_path / "run")
    log = tmp_path / "run" / study_run.GAMES_FILE
    assert log.read_text().count("\n") == 23
    log.write_bytes(log.read_bytes() + b'{"task":{"contender"')  # killed while writing
    monkeypatch.undo()
    again = POMMERMAN.resume(tmp_path / "run")
    # The network's rounding may depend on who shares a batch, so games are compared by their tasks.
    tasks = [json.loads(line)["task"] for line in games_of(tmp_path / "run")]
    assert tasks == [json.loads(line)["task"] for line in games_of(out)]
    assert again.losses == results.losses


def test_games_of_another_run_are_refused(whole, tmp_path):
    out, _ = whole
    other = dataclasses.replace(SMALL, boards=3)
    with pytest.raises(RunDirectoryError, match="boards"):
        POMMERMAN.reproduce(other, out)


def row(contender, board, seat, result, reason="last_standing"):
    return GameRow(Task(contender, board, seat), result, reason, 100, 10, 10)


def test_boards_are_the_same_for_everybody_and_differ_between_trainings():
    first, second, later = (
        Contender(name, kind, "none", training, 5)
        for name, kind, training in [("a", "one", 0), ("b", "gate", 0), ("a", "one", 1)]
    )
    games = [_Game(Task(one, 3, 2), SMALL) for one in (first, second, later)]
    assert games[0].state == games[1].state
    assert games[0].state != games[2].state
    acts = [
        [game.opponents[p].act(games[0].state, p) for p in (0, 1, 3) for _ in range(20)]
        for game in games[:2]
    ]
    assert acts[0] == acts[1]


def test_win_rates_and_their_differences_count_boards():
    config = dataclasses.replace(SMALL, resamples=2000)
    rng = np.random.default_rng(1)
    rows = []
    kinds = [("one network", "one", 0.4), ("steps:40", "gate", 0.8), ("hash:2", "placebo", 0.4)]
    for name, kind, rate in kinds:
        for training in range(4):
            contender = Contender(name, kind, "none", training, 100)
            for task in tasks_of(contender, 50):
                won = rng.random() < rate
                result = "won" if won else "drawn" if rng.random() < 0.5 else "lost"
                reason = "step_limit" if result == "drawn" else "last_standing"
                rows.append(row(contender, task.board, task.player, result, reason))
    one, gate, placebo = records_of(rows, config)
    assert one.difference is None
    assert one.games == 800
    assert one.drawn == one.timed_out
    assert one.win_rate.low < 0.4 < one.win_rate.high
    assert gate.difference.low < 0.4 < gate.difference.high
    assert gate.difference.value == pytest.approx(gate.won / 800 - one.won / 800)
    assert gate.to_placebo.value == pytest.approx(gate.won / 800 - placebo.won / 800)
    assert placebo.difference.low < 0 < placebo.difference.high
    assert placebo.to_placebo is None
    assert np.mean(gate.by_training) == pytest.approx(gate.win_rate.value)
    first, second = report.claims_of([one, gate, placebo])
    assert first.judgement == "agrees"
    assert second.judgement == "disagrees"  # 40 points are not 5 to 11


def test_what_is_said_tells_gates_and_opponents_apart():
    players = [("one network", "one", "none"), ("a gate", "gate", "a gate")]
    both = [Contender(*who, t, 100) for who in players for t in range(2)]
    rows = [row(one, task.board, task.player, "won") for one in both for task in tasks_of(one, 2)]
    _, some_gate = records_of(rows, SMALL)

    def gate(name, difference, to_placebo):
        return dataclasses.replace(
            some_gate, name=name, difference=difference, to_placebo=to_placebo
        )

    more, fewer, unclear = (
        Interval(0.1, 0.05, 0.15),
        Interval(-0.1, -0.2, -0.01),
        Interval(0, -1, 1),
    )
    records = [
        gate("steps:40", unclear, unclear),
        gate("steps:40,120", unclear, fewer),
        gate("proximity:6,3", more, unclear),
    ]
    said = [claim.text for claim in report.claims_of(records)]
    assert len(set(said[::2])) == 3
    assert any("mixedness:6,3" in text for text in said)
    config = dataclasses.replace(SMALL, trainings=2)
    results = types.SimpleNamespace(records=records, config=config)
    assert report._headline(results) == (
        "Experts by proximity:6,3 win more games than one network; "
        "for steps:40 and steps:40,120 against one network these games do not tell; "
        "experts by steps:40,120 win fewer games than the placebo; "
        "for steps:40 and proximity:6,3 against the placebo these games do not tell"
    )


def test_the_lineup_shares_positions_and_starts_alike():
    class Table:
        names = ("early", "late")
        gate = "some"

        def __init__(self, *counts):
            self.counts = counts

        def positions_per_phase(self):
            return np.array(self.counts)

        def __len__(self):
            return sum(self.counts)

    tables = {spec: Table(300, 700) for spec in ("steps:40", "proximity:6,3", "hash:2")}
    tables["none"] = Table(1000)
    config = dataclasses.replace(SMALL, epochs=2.0)
    planned = plan(config, tables, large_positions=50)
    by_name = {network.name: network for network in planned}
    assert by_name["one-1"].positions == 2000
    assert by_name["steps-40-early-1"].positions == 600
    starts = {n.initial_seed for n in planned if n.training == 0 and n.role != "large"}
    assert len(starts) == 1
    assert len({n.seed for n in planned}) == len(planned)
    assert len({(c.name, c.training) for c in contenders(config)}) == len(contenders(config))


def test_sizes_for_claims_have_games_enough():
    for config in list(PRESETS.values())[1:]:
        assert config.boards * 4 * config.trainings >= 1000


def test_the_command_line_finds_the_study(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["reproduce", "m2cts", "--game", "go"]) == 2
    assert "'go': no such game" in capsys.readouterr().err
    assert cli.main(["reproduce", "m2cts", "--game", "pommerman", "--boards", "0"]) == 2
    assert "--boards 0" in capsys.readouterr().err
    assert cli.main(["reproduce", "m2cts", "--game=pommerman", "--resume", "nowhere"]) == 1
    assert "no run" in capsys.readouterr().err
    assert cli.main(["reproduce", "m2cts", "--game", "chess", "--nodes", "0"]) == 2
    assert not list(tmp_path.iterdir())
