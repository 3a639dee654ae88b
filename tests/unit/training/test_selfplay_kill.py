"""Games of ``play_games`` are on the disk when they have ended, whatever happens to the process."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from phasezoo import training
from phasezoo.errors import StoreError
from phasezoo.training import GameStore
from phasezoo.training.selfplay.game_log import LOG

PLAY = """
import sys
from phasezoo import agents, inference, training
agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=30))
options = {"games": 100_000, "seed": 1, "concurrency": 4, "shard_games": 32}
training.play_games(agent, game="connect-four", out=sys.argv[1], **options)
"""


def waiting(out: Path) -> set[int]:
    """The games that are whole in the log and in no file."""
    log = out / LOG
    numbers: set[int] = set()
    for line in map(json.loads, log.read_text().split("\n")[:-1] if log.exists() else []):
        if "file" not in line:
            numbers.add(line["number"])
        elif (out / line["file"]).exists():
            numbers -= set(line["numbers"])
    return numbers


def play(out: Path, seed: int) -> GameStore:
    return training.play_games(
        "random", game="connect-four", games=3, seed=seed, out=out, append=True
    )


def test_games_that_ended_before_a_kill_are_taken_up_by_the_next_call(tmp_path: Path) -> None:
    out = tmp_path / "games"
    child = subprocess.Popen([sys.executable, "-c", PLAY, str(out)])
    try:
        while child.poll() is None and not (list(out.glob("*.parquet")) and len(waiting(out)) > 3):
            time.sleep(0.01)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    written = len(GameStore.open(out))
    logged = waiting(out)
    assert len(logged) > 3
    store = play(out, 2)
    assert len(store) == written + len(logged) + 3
    assert not (out / LOG).exists()
    assert len({tuple(store.actions[a:b]) for a, b in pairwise(store.offsets)}) > len(store) - 3


def test_a_kill_between_a_file_and_the_log_keeps_no_game_twice(tmp_path: Path) -> None:
    out = tmp_path / "games"
    rest = {"start": "", "returns": [1, -1], "visits": None, "values": None, "phases": None}
    rest |= {"source": "self-play", "ending": "rules", "searched": 7, "cheap": 0, "verdict": None}
    games = [{"number": n, "actions": [0, 1, 0, 1, 0, 1, 0], **rest} for n in range(3)]
    play(out, 1)
    there = {"file": "games-00000.parquet", "numbers": [0, 1]}
    lines = [*games, there, {"file": "games-00009.parquet", "numbers": [2]}]
    (out / LOG).write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"number": 3')
    store = play(out, 2)
    assert len(store) == 3 + 1 + 3
    (out / LOG).write_text("nothing\n" + json.dumps(games[0]) + "\n")
    with pytest.raises(StoreError, match="line 1 is damaged"):
        play(out, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"actions": [3, -2, 3]},
        {"actions": 3},
        {"returns": 0.5},
        {"visits": [[0, 1], [2**70], [1]]},
        {"values": 0.5},
        {"number": "1" * 5_000},
        {"file": "a" * 300},
    ],
)
def test_a_damaged_line_of_the_log_is_a_typed_error(
    tmp_path: Path, change: dict[str, object]
) -> None:
    out = tmp_path / "games"
    out.mkdir()
    game = {"number": 0, "start": "", "actions": [0, 1, 0], "returns": [1, -1], "visits": None}
    game |= {"values": None, "phases": None, "source": "self-play", "ending": "rules"}
    game |= {"searched": 3, "cheap": 0, "verdict": None}
    (out / LOG).write_text(json.dumps(game | change) + "\n")
    with pytest.raises(StoreError, match="line 1 is damaged"):
        play(out, 2)
