"""Makes ``tests/golden/positions.json``: planes and phases of positions of our own.

    python scripts/make_golden_positions.py

The games are some of the package's sample games and random games of python-chess, from starts that
reach rare rules soon. Planes and phases come from plain Python alone
(``tests/golden/plane_reference.py``, ``tests/unit/gating/gate_reference.py``), never from the core,
which the tests compare with them.
"""

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import chess
import chess.variant
import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [str(ROOT / "tests" / "golden"), str(ROOT / "tests" / "unit" / "gating")]
sys.path[:0] = FOLDERS
from gate_reference import phase  # noqa: E402 - found in the folders of the tests
from plane_reference import Turn, planes  # noqa: E402

del sys.path[: len(FOLDERS)]

TARGET = ROOT / "tests" / "golden" / "positions.json"
GATES = (
    *("lichess", "lichess:current", "lichess:engine", "moves:2", "moves:5"),
    *("material:10,6", "mixedness:50,150"),
)
SPECS = {
    "chess": ("v1", "v2", "minimal", "shared"),
    "chess960": ("v1", "v2", "minimal", "shared"),
    "krk": ("v1", "v2", "minimal", "shared"),
    "atomic": ("v1", "v2", "minimal", "shared", "lichess"),
    "crazyhouse": ("v1", "v2", "minimal", "shared"),
}
STARTS = {
    "chess": (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "4k3/8/8/3b4/8/2B5/4P3/4K3 w - - 80 90",
        "7k/PPPP4/8/8/8/8/4pppp/K7 w - - 0 40",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    ),
    "chess960": (
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "1rk2r2/8/8/8/8/8/8/1RK2R2 w BFbf - 0 1",
        "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
    ),
    "atomic": (None, "r3k2r/1P4p1/8/8/8/8/1p4P1/R3K2R w KQkq - 0 1"),
    "crazyhouse": (None, "r3k2r/1P4p1/8/8/8/8/1p4P1/R3K2R[Pn] w KQkq - 0 1"),
    "krk": ("8/8/8/4k3/8/8/8/K6R w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 10 40"),
}
BOARDS = {
    "atomic": chess.variant.AtomicBoard,
    "crazyhouse": chess.variant.CrazyhouseBoard,
}
SAMPLE_GAMES, RANDOM_GAMES, LONGEST = 60, 10, 90


def start_board(name: str, start: str | None) -> chess.Board:
    """Return the board of a game at a start, of the usual one where it is None."""
    if name in BOARDS:
        return BOARDS[name]() if start is None else BOARDS[name](start)
    chess960 = name == "chess960"
    return chess.Board(chess.STARTING_FEN if start is None else start, chess960=chess960)


def board_of(entry: dict[str, Any], ply: int) -> chess.Board:
    """Return the board after so many of a game's moves."""
    board = start_board(entry["game"], entry["start"])
    for uci in entry["moves"][:ply]:
        board.push_uci(uci)
    return board


def turn_of(entry: dict[str, Any], ply: int) -> Turn:
    """Return the turn that the plain encoder reads of a position."""
    board = start_board(entry["game"], entry["start"])
    keys, clock = [identity(board)], board.halfmove_clock
    for uci in entry["moves"][:ply]:
        move = board.parse_uci(uci)
        zeroing = board.is_capture(move) or board.piece_type_at(move.from_square) == chess.PAWN
        pawn = zeroing if move.drop is None else move.drop == chess.PAWN
        clock = 0 if pawn else clock + 1
        board.push(move)
        keys.append(identity(board))
    return Turn(
        game=entry["game"],
        fen=board.fen(en_passant="fen"),
        clock=clock,
        legal_ep=board.has_legal_en_passant(),
        times_before=keys[:-1].count(keys[-1]),
        last_moves=tuple(reversed(entry["moves"][max(ply - 8, 0) : ply])),
    )


def identity(board: chess.Board) -> str:
    """Return the part of a FEN that makes two positions equal."""
    return " ".join(board.fen(en_passant="legal").split()[:4])


def digest(array: npt.NDArray[np.float32]) -> str:
    """Return the digest of an array's values to four digits."""
    whole = np.rint(array.astype(np.float64) * 10_000).astype("<i4")
    return hashlib.sha256(whole.tobytes()).hexdigest()[:16]


def random_moves(name: str, start: str | None, draw: random.Random) -> list[str]:
    """Moves of a game that goes back and forth at times, so that positions come again."""
    board = start_board(name, start)
    moves: list[str] = []
    while len(moves) < LONGEST and not board.is_game_over(claim_draw=False):
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        move = draw.choice(legal)
        if len(moves) >= 2 and board.move_stack[-2].drop is None and draw.random() < 0.4:
            last = board.move_stack[-2]
            back = chess.Move(last.to_square, last.from_square)
            move = back if back in legal else move
        moves.append(board.uci(move))
        board.push(move)
        if name == "krk" and chess.popcount(board.occupied) < 3:
            return moves[:-1]
        if board.is_repetition(3) or board.halfmove_clock >= 100:
            return moves
    return moves


def sample_games() -> list[list[str]]:
    """Some of the package's games."""
    from phasezoo.training import GameStore

    store = GameStore.sample("chess")
    found = []
    for index in range(0, len(store), len(store) // SAMPLE_GAMES)[:SAMPLE_GAMES]:
        last = store.records.states(index)[-1]
        final = int(store.actions[store.offsets[index + 1] - 1])
        found.append([*last.moves, last.uci(final)])
    return found


def entry_of(name: str, start: str | None, moves: list[str], draw: random.Random) -> dict[str, Any]:
    """A game with the rows of some of its positions, those with a capture in passing among them."""
    entry: dict[str, Any] = {"game": name, "start": start, "moves": moves}
    passing = [p for p in range(len(moves)) if board_of(entry, p).has_legal_en_passant()]
    plies = sorted({*(draw.randint(0, len(moves)) for _ in range(4)), len(moves), *passing[:2]})
    rows = []
    for ply in plies:
        board = board_of(entry, ply)
        if board.king(chess.WHITE) is None or board.king(chess.BLACK) is None:
            continue
        turn = turn_of(entry, ply)
        rows.append(
            {
                "ply": ply,
                "phases": [phase(spec, board) for spec in GATES],
                "planes": {spec: digest(planes(turn, spec)) for spec in SPECS[name]},
            }
        )
    return {**entry, "rows": rows}


def main() -> None:
    """Write the file."""
    draw = random.Random(2_024)
    entries = [entry_of("chess", None, moves, draw) for moves in sample_games()]
    for name, starts in STARTS.items():
        for number in range(max(RANDOM_GAMES, len(starts))):
            start = starts[number % len(starts)]
            entries.append(entry_of(name, start, random_moves(name, start, draw), draw))
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    TARGET.write_text(f'{{"gates": {json.dumps(GATES)}, "games": [\n{lines}\n]}}\n')
    count = sum(len(entry["rows"]) for entry in entries)
    print(f"{len(entries)} games, {count} positions, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
