"""PGN to a games store on disk, beside python-chess reading the same games with a visitor."""

import io
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.common import Row, compared, named, sized
from phasezoo import games
from phasezoo.data.importer import import_pgn
from phasezoo.data.store import GameStore

GAMES = sized(2_000, 20)
TIMES = sized(10, 1)
"""How often our file holds the games: enough for its size to be that of a real one."""
PEER_GAMES = sized(100, 5)
PLIES = 75
"""Plies of games that are played at random: about those of games that people play."""
VARIANTS = ("chess", "chess960", "atomic", "crazyhouse")


def store_of(variant: str) -> GameStore:
    """Games of the package in chess, random ones of variants, with what games on the net tell."""
    if variant == "chess":
        played = GameStore.sample("chess").subset(np.arange(GAMES))
        actions, offsets, starts = played.actions, played.offsets, dict(played.starts)
    else:
        actions, offsets, starts = random_games(variant)
    count = len(offsets) - 1
    white = np.random.default_rng(2).choice([1.0, 0.0, -1.0], count).astype(np.float32)
    return GameStore(
        variant,
        actions,
        offsets,
        np.stack([white, -white], axis=1),
        starts=starts,
        players=[[f"First{game % 500}", f"Second{game % 300}"] for game in range(count)],
        ratings=np.full((count, 2), 1900, dtype=np.int16),
        dates=np.full(count, b"2024.05.06", dtype="S10"),
        sources=["https://example.org/abcdefgh"] * count,
    )


def random_games(
    variant: str,
) -> tuple["np.ndarray[tuple[int], np.dtype[np.uint16]]", list[int], dict[int, str]]:
    """Actions, offsets and starts of games that are played at random."""
    game, draw = games.make(variant), np.random.default_rng(1)
    actions: list[int] = []
    offsets, starts = [0], {}
    for number in range(GAMES):
        state = game.initial_state(seed=number)
        starts[number] = state.start_fen or ""
        for _ in range(PLIES):
            legal = state.legal_actions
            if len(legal) == 0:
                break
            actions.append(int(draw.choice(legal)))
            state = state.play(actions[-1])
        offsets.append(len(actions))
    return np.array(actions, dtype=np.uint16), offsets, starts


def read_by_visitor(text: str) -> float:
    """Keep what a store keeps, as fast as a visitor of python-chess can."""
    import chess
    import chess.pgn

    class Packing(chess.pgn.BaseVisitor[int]):
        def begin_game(self) -> None:
            self.moves: list[int] = []

        def begin_variation(self) -> chess.pgn.SkipType:
            return chess.pgn.SKIP

        def visit_move(self, board: chess.Board, move: chess.Move) -> None:
            """Pack a move into sixteen bits."""
            self.moves.append(
                move.from_square | move.to_square << 6 | ((move.promotion or 1) - 1) << 12
            )

        def result(self) -> int:
            return len(self.moves)

    reader, found = io.StringIO(text), 0
    while chess.pgn.read_game(reader, Visitor=Packing) is not None:
        found += 1
    return found


def rows() -> list[Row]:
    """Return a row for each variant on one thread, and one of chess on two."""
    return [row(variant, 1) for variant in VARIANTS] + [row("chess", 2)]


def row(variant: str, threads: int) -> Row:
    """One row."""
    store = store_of(variant)
    text = str(store.to_pgn())
    short = str(store.subset(np.arange(PEER_GAMES)).to_pgn())
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "games.pgn"), Path(folder, "games.parquet")
        source.write_text(text * TIMES)

        def ours() -> float:
            return import_pgn(source, target, variant, overwrite=True, threads=threads).kept

        def theirs() -> float:
            return read_by_visitor(short)

        called = "PGN" if variant == "chess" else f"PGN of {variant}"
        return compared(
            f"{called} to a store, {threads} thread{'s' * (threads > 1)}",
            "games/s",
            "≥ 20 k games/s",
            ours,
            f"{named('python-chess', 'chess')}, visitor, 1 thread",
            theirs,
        )
