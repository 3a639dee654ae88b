"""Streams of lines of the Universal Chess Interface, more often of sense than not."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from drills.fuzz.mutations import mutated_text
from drills.fuzz.target import Target
from phasezoo import games
from phasezoo.apps.uci.commands import COMMANDS, read_line
from phasezoo.apps.uci.engine import Engine
from phasezoo.apps.uci.options import OPTIONS

AGENTS = (
    "random", "random", "random", "mcts:nodes=16,batch_size=4", "mcts:simulations=9", "nobody",
)  # fmt: skip

VALUES = (
    "true", "false", "1", "2", "16", "0", "-1", "chess", "atomic", "crazyhouse", "soft", "x",
    "<empty>", "",
)  # fmt: skip
WORDS = (
    "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime",
    "infinite", "ponder", "searchmoves", "startpos", "fen", "moves", "name", "value", "e2e4",
    "e7e5", "a1a1", "P@e4", "0000", "1", "3", "-7", "nodes 5", "depth 2", "movetime 2",
    "wtime 20", "wtime 20.5", "WTIME 1e1", "²", "\ufeff", "99999999999", "٣", "é", "\x00", "[", "w",
)  # fmt: skip
GOES = (
    "", "infinite", "ponder", "depth 1", "depth 2", "mate 1", "nodes 1", "nodes 20",
    "movetime 1", "movetime 3", "wtime 30 btime 30", "wtime 0", "btime 10 binc 1",
    "searchmoves e2e4 e7e5", "wtime 40 btime 40 movestogo 1", "searchmoves",
)  # fmt: skip


@functools.cache
def told_positions(count: int = 40) -> Sequence[str]:
    """Lines that tell of positions of random games, over or not, of all variants."""
    draw = Random(1)
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


def line(draw: Random) -> str:
    """One line."""
    kind = draw.random()
    if kind < 0.3:
        return f"go {' '.join(draw.choices(GOES, k=draw.choice((1, 1, 1, 2, 3))))}"
    if kind < 0.5:
        return draw.choice(told_positions())
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


def stream(draw: Random) -> list[str]:
    """Up to 29 lines."""
    return [line(draw) for _ in range(draw.randrange(1, 30))]


def tell(
    agent: str, lines: Sequence[str], pause: Callable[[], object] = lambda: None
) -> tuple[list[str], list[str]]:
    """Tell an engine lines, and check that it answers as the protocol wants.

    Every ``go`` is answered by one ``bestmove``, every ``isready`` by one ``readyok``, unless no
    agent can be loaded, which ends it; nothing is said of a search after its answer; no thread is
    left.

    Args:
        agent: The engine's agent.
        lines: Lines to send, until one is ``quit``.
        pause: Called between two lines.

    Returns:
        The lines that were sent, and its answers.
    """
    said: list[str] = []
    sent: list[str] = []
    engine = Engine(agent, said.append)
    for text in lines:
        sent.append(text)
        if not engine.handle(text):
            break
        pause()
    thread = engine._thread
    engine.close()
    assert thread is None or not thread.is_alive(), sent
    answers = "\n".join(said).split("\n")
    asked = [command.name for command in map(read_line, sent) if command is not None]
    best = [text for text in answers if text.startswith("bestmove ")]
    assert len(best) == asked.count("go"), (sent, answers)
    is_unready = engine.failure is not None and asked[-1] == "isready"
    assert answers.count("readyok") == asked.count("isready") - is_unready, (sent, answers)
    begun = False
    for text in answers:
        begun = begun or text.startswith("info depth")
        has_no_move = text in ("bestmove (none)", "bestmove 0000")
        assert not text.startswith("bestmove") or begun or has_no_move, (sent, answers)
        if text.startswith("bestmove"):
            begun = False
    assert not any("error: " in text and "Error" in text for text in answers), (sent, answers)
    return sent, answers


def target(folder: Path) -> Target:
    """Streams in which a line in three is changed."""

    def drawn(draw: Random) -> tuple[str, list[str]]:
        lines = stream(draw)
        changed = [
            mutated_text(draw, text, (line(draw),), WORDS) if draw.random() < 0.35 else text
            for text in lines
        ]
        return draw.choice(AGENTS), [text.replace("\n", " ") for text in changed]

    return Target(drawn, lambda given: tell(*given), (), texts=lambda given: len(given[1]))
