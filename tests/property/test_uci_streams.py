"""Whatever an engine is told, it never fails or hangs, and answers each ``go`` exactly once."""

import random
import time

import pytest

from phasezoo import games
from phasezoo.apps.uci.commands import COMMANDS, read_line
from phasezoo.apps.uci.engine import Engine
from phasezoo.apps.uci.options import OPTIONS

AGENTS = ("mcts:nodes=16,batch_size=4", "mcts:simulations=9,graph=true", "random", "nobody")

VALUES = (
    "true",
    "false",
    "1",
    "2",
    "16",
    "0",
    "-1",
    "chess",
    "atomic",
    "crazyhouse",
    "soft",
    "x",
    "<empty>",
    "",
)

WORDS = (
    "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "infinite",
    "ponder", "searchmoves", "startpos", "fen", "moves", "name", "value", "e2e4", "e7e5", "a1a1",
    "P@e4", "0000", "1", "3", "-7", "nodes 5", "depth 2", "movetime 2", "wtime 20", "99999999999",
    "٣", "é", "\x00", "[", "w",
)  # fmt: skip

GOES = (
    "", "infinite", "ponder", "depth 1", "depth 2", "mate 1", "nodes 1", "nodes 20", "movetime 1",
    "movetime 3", "wtime 30 btime 30", "wtime 0", "btime 10 binc 1", "searchmoves e2e4 e7e5",
    "wtime 40 btime 40 movestogo 1", "searchmoves",
)  # fmt: skip


def positions(count):
    """Lines that tell of positions of random games, over or not, of all variants."""
    draw = random.Random(1)
    found = []
    for number in range(count):
        game = games.make(("chess", "chess960", "atomic", "crazyhouse")[number % 4])
        state = game.initial_state(seed=number)
        start = "startpos" if state.start_fen is None else f"fen {state.start_fen}"
        for _ in range(draw.choice((0, 1, 2, 5, 30, 120))):
            if state.is_terminal:
                break
            state = state.play(int(draw.choice(state.legal_actions)))
        found.append(f"position {start} moves {' '.join(state.moves)}")
        found.append(f"position fen {state.fen}")
    return found


POSITIONS = positions(40)


def go(draw):
    return f"go {' '.join(draw.choices(GOES, k=draw.choice((1, 1, 1, 2, 3))))}"


def line(draw):
    """One line, more often of sense than not."""
    kind = draw.random()
    if kind < 0.3:
        return go(draw)
    if kind < 0.5:
        return draw.choice(POSITIONS)
    if kind < 0.72:
        return draw.choice(
            ("stop", "stop", "ponderhit", "isready", "ucinewgame", "uci", "debug on")
        )
    if kind < 0.85:
        return f"setoption name {draw.choice(OPTIONS).name} value {draw.choice(VALUES)}"
    if kind < 0.86:
        return "quit"
    words = [
        draw.choice(COMMANDS if draw.random() < 0.2 else WORDS) for _ in range(draw.randrange(5))
    ]
    return " ".join(words)


def run(seed, agent=None):
    """Tell an engine a stream of lines; what was told and answered."""
    draw = random.Random(seed)
    said, told = [], []
    engine = Engine(AGENTS[seed % len(AGENTS)] if agent is None else agent, said.append)
    for _ in range(draw.randrange(1, 30)):
        text = line(draw)
        told.append(text)
        if not engine.handle(text):
            break
        if draw.random() < 0.1:
            time.sleep(draw.choice((0, 0.001, 0.004)))
    thread = engine._thread
    engine.close()
    assert thread is None or not thread.is_alive(), told
    lines = "\n".join(said).split("\n")
    asked = sum(command is not None and command.name == "go" for command in map(read_line, told))
    answers = [text for text in lines if text.startswith("bestmove ")]
    assert len(answers) == asked, (told, lines)
    ready = sum(
        command is not None and command.name == "isready" for command in map(read_line, told)
    )
    assert lines.count("readyok") == ready
    begun = False
    for text in lines:  # nothing is said of a search after its answer, before the next one
        begun = begun or text.startswith("info depth")
        assert not text.startswith("bestmove") or begun or "(none)" in text, (told, lines)
        if text.startswith("bestmove"):
            begun = False
    assert not any("error: " in text and "Error" in text for text in lines), (told, lines)
    return told, lines


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_streams(first):
    for seed in range(first, first + 100):
        run(seed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(1_000, 11_000, 1_000))
def test_ten_thousand_streams(first):
    for seed in range(first, first + 1_000):
        run(seed)


def test_the_streams_ask_for_what_they_should():
    told = [text for seed in range(300) for text in run(seed, "random")[0]]
    names = {command.name for command in map(read_line, told) if command is not None}
    assert names == set(COMMANDS)
