"""A match that is killed for good goes on where it was."""

import os
import signal
import subprocess
import sys

import pytest

from phasezoo import arena

SCRIPT = """
import signal, sys, time
from phasezoo import arena

# Where the tests run in the background of a shell, SIGINT is ignored from the start.
signal.signal(signal.SIGINT, signal.default_int_handler)

def slowly(record):
    print(record.number, flush=True)
    time.sleep(0.05)

arena.play_match(
    "random", "random", games=60, seed=9, max_plies=30, concurrency=4, names=("one", "two"),
    log=sys.argv[1], pgn=sys.argv[2], on_game=slowly,
)
"""


def match(**options):
    return arena.play_match(
        "random",
        "random",
        games=60,
        seed=9,
        max_plies=30,
        concurrency=4,
        names=("one", "two"),
        **options,
    )


def kill_after(games, log, pgn, number):
    """Run the match in a process of its own, and kill it; how many games it had announced."""
    command = [sys.executable, "-c", SCRIPT, str(log), str(pgn)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(games):
            assert process.stdout.readline()
        os.kill(process.pid, number)
        rest = process.stdout.read().split()
    return games + len(rest)


def test_no_finished_game_is_lost(tmp_path):
    log, pgn = tmp_path / "games.jsonl", tmp_path / "games.pgn"
    for number, signal_number in enumerate((signal.SIGKILL, signal.SIGINT), start=1):
        announced = kill_after(5, log, pgn, signal_number)
        logged = len(log.read_text().splitlines()) - 1
        assert logged >= announced
        assert pgn.read_text().count("[Result ") >= announced
        assert 5 * number <= logged < 60
    new = []
    rest = match(log=log, pgn=pgn, on_game=new.append)
    assert len(new) == 60 - logged
    assert rest.games == match().games
    assert pgn.read_text().count("[Result ") == 60


@pytest.mark.parametrize("stops", [(1,), (3, 1)])
def test_what_a_resumed_match_tells_of_its_work_counts_no_game_twice(tmp_path, stops):
    players = (
        "mcts:nodes=12,seed=1",
        "uct:simulations=20,seed=2",
    )
    given = {"game": "connect-four", "games": 12, "seed": 3, "concurrency": 12}
    whole = arena.play_match(*players, **given)
    log = tmp_path / "games.jsonl"
    for most in stops:
        seen = []

        def stop(record, seen=seen, most=most):
            seen.append(record)
            if len(seen) == most:  # the others are in full swing
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            arena.play_match(*players, **given, log=log, on_game=stop)
    resumed = arena.play_match(*players, **given, log=log)
    assert [game.moves for game in resumed.games] == [game.moves for game in whole.games]
    for one, other in zip(resumed.sides, whole.sides, strict=True):
        assert (one.moves, one.nodes, one.simulations) == (
            other.moves,
            other.nodes,
            other.simulations,
        )
        # What batches took is shared out by nodes, and a search that was cut short is in it.
        assert one.counts.rows == pytest.approx(other.counts.rows, rel=0.15)
    assert sum(side.moves for side in whole.sides) == sum(len(g.moves) for g in whole.games)
