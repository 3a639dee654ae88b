"""Makes the opening suite: short, balanced, all different, and met in none of the games."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import chess
import numpy as np

from .engine import Engine
from .play import FIRST_MOVES, Game, GameLine, PlayConfig, decode_move

STREAM: Final = 1
"""Keeps the openings' random numbers apart from the games', which use (seed, index)."""


@dataclass(frozen=True)
class OpeningConfig:
    """The opening suite: how candidates are drawn and which of them are kept."""

    count: int = 1_000
    """Openings wanted at most."""
    candidates: int = 2_000
    """Candidates drawn; those that fail a test fall away."""
    plies: tuple[int, int] = (6, 10)
    """Fewest and most plies of an opening, both included."""
    draw: PlayConfig = field(
        default_factory=lambda: PlayConfig(
            opening_nodes=(3_000, 5_000), opening_temperature=20.0, opening_random=0.0
        )
    )
    """How its plies are drawn; only the fields named `opening_*` count."""
    check_nodes: int = 60_000
    """Nodes for the score of the last position."""
    check_hash_mb: int = 16
    """Transposition table for that, in MiB."""
    balance: int = 60
    """Greatest score of either player in the last position, in centipawns."""
    seed: int = 20_241
    """Seed of the suite."""
    workers: int = 2
    """Engines at work at once, each with one thread."""
    engine: str = "/usr/games/stockfish"
    """Executable of a UCI engine."""


@dataclass(frozen=True)
class Opening:
    """A candidate.

    Attributes:
        moves: UCI moves from the initial position.
        score: Centipawns from white's view in the last position.
    """

    moves: list[str]
    score: int


def board_after(moves: Iterable[str]) -> chess.Board:
    """Return the position after UCI moves from the initial position.

    Raises:
        ValueError: A move is not legal (python-chess names it and the position).
    """
    board = chess.Board()
    for move in moves:
        board.push(board.parse_uci(move))
    return board


def position_key(board: chess.Board) -> str:
    """Placement, player to move, castling rights, and en passant only if it is legal."""
    return board.epd(en_passant="legal")


def draw_opening(engine: Engine, config: OpeningConfig, index: int) -> Opening | None:
    """Draws candidate `index`; None if its last position is over or a player is in check."""
    rng = np.random.default_rng([config.seed, STREAM, index])
    line = GameLine(engine, config.draw, rng)
    for _ in range(int(rng.integers(config.plies[0], config.plies[1] + 1))):
        line.push(line.draw())
        if line.board.is_game_over():
            return None
    if line.board.is_check():
        return None
    engine.new_game()
    return Opening(line.moves, line.best(config.check_nodes)[1])


def draw_candidates(config: OpeningConfig, report: Callable[[], None]) -> list[Opening]:
    """Draws all candidates, in the order of their numbers whatever the number of workers.

    Args:
        config: The suite.
        report: Called after each candidate.

    Returns:
        The candidates that are not over and not in check.
    """

    def share(worker: int) -> list[tuple[int, Opening | None]]:
        drawn = []
        with Engine(config.engine, config.check_hash_mb) as engine:
            for index in range(worker, config.candidates, config.workers):
                drawn.append((index, draw_opening(engine, config, index)))
                report()
        return drawn

    with ThreadPoolExecutor(config.workers) as pool:
        shares = list(pool.map(share, range(config.workers)))
    drawn = sorted((pair for part in shares for pair in part), key=lambda pair: pair[0])
    return [opening for _, opening in drawn if opening is not None]


class Wanted:
    """Looks for given positions in games, cheaply if nearly none of them occurs.

    Args:
        keys: Keys of the positions, as `position_key` makes them.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = set(keys)
        boards = (chess.Board(key + " 0 1") for key in self._keys)
        # Comparing two bitboards first spares nearly all positions the slow text form.
        self._outlines = {(board.occupied, board.occupied_co[chess.WHITE]) for board in boards}

    def match(self, board: chess.Board) -> str | None:
        """Return the position's key if it is one of those looked for."""
        if (board.occupied, board.occupied_co[chess.WHITE]) not in self._outlines:
            return None
        key = position_key(board)
        return key if key in self._keys else None


def keys_met(keys: Iterable[str], games: Iterable[Sequence[int]]) -> set[str]:
    """Finds which positions occur in games.

    Args:
        keys: Keys of the positions, as `position_key` makes them.
        games: Encoded moves of each game, from the initial position.

    Returns:
        The keys of those that occur.
    """
    wanted = Wanted(keys)
    return {key for moves in games for key in _met(wanted, moves)}


def without_positions(keys: Iterable[str], games: Iterable[Game]) -> list[Game]:
    """Keeps the games in which none of some positions occurs.

    Args:
        keys: Keys of the positions, as `position_key` makes them.
        games: The games.
    """
    wanted = Wanted(keys)
    return [game for game in games if next(_met(wanted, game.moves), None) is None]


def _met(wanted: Wanted, moves: Sequence[int]) -> Iterator[str]:
    board = chess.Board()
    for code in moves:
        board.push(decode_move(code))
        if key := wanted.match(board):
            yield key


def choose(
    config: OpeningConfig, candidates: Sequence[Opening], games: Iterable[Sequence[int]]
) -> tuple[list[Opening], dict[str, int]]:
    """Keeps balanced candidates whose last positions differ and occur in none of the games.

    Args:
        config: The suite.
        candidates: What was drawn.
        games: Encoded moves of each game, from the initial position.

    Returns:
        At most `config.count` openings, and how many candidates each test left.
    """
    balanced = [opening for opening in candidates if abs(opening.score) <= config.balance]
    different: dict[str, Opening] = {}
    for opening in balanced:
        different.setdefault(position_key(board_after(opening.moves)), opening)
    met = keys_met(different, games)
    fresh = [opening for key, opening in different.items() if key not in met]
    left = {
        "drawn": config.candidates,
        "quiet": len(candidates),
        "balanced": len(balanced),
        "different": len(different),
        "in no game": len(fresh),
    }
    return fresh[: config.count], left


def parameters(config: OpeningConfig, engine: str) -> dict[str, Any]:
    """Return all that the suite depends on besides the games, as JSON values."""
    draw = {k: v for k, v in asdict(config.draw).items() if k.startswith("opening_")}
    draw.pop("opening_plies")
    return {
        "engine": engine,
        "threads": 1,
        "seed": config.seed,
        "plies": config.plies,
        "first_moves": FIRST_MOVES,
        **draw,
        "check_nodes": config.check_nodes,
        "check_hash_mb": config.check_hash_mb,
        "balance": config.balance,
    }


def suite_text(openings: Sequence[Opening], left: dict[str, int], about: dict[str, Any]) -> str:
    """Return the file: comments that begin with '#', then one opening of UCI moves a line."""
    head = [
        "# Opening suite of phasezoo for chess: UCI moves from the initial position, one opening",
        "# a line. All last positions differ, are balanced, and occur in no game of",
        "# chess_games.parquet. Made by scripts/make_sample_games.py openings.",
        "# parameters: " + json.dumps(about),
        "# candidates left by each test: " + json.dumps(left),
        f"# openings: {len(openings)}",
    ]
    return "\n".join([*head, *(" ".join(opening.moves) for opening in openings)]) + "\n"


def read_suite(path: Path) -> list[list[str]]:
    """Reads the moves of each opening in a suite file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def last_positions(path: Path) -> set[str]:
    """Return the keys of the last positions of a suite file."""
    return {position_key(board_after(moves)) for moves in read_suite(path)}
