"""Checks the packaged files against python-chess, and prints what is in them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import chess

from .engine import Engine
from .openings import Wanted, board_after, position_key, read_suite
from .play import PlayConfig, decode_move, end_by_rule, play_game
from .store import MAX_BYTES, read_store

MIN_GAMES: Final = 20_000
MIN_OPENINGS: Final = 600
ENDGAME_PIECES: Final = 6
"""Knights, bishops, rooks and queens in an endgame, at most (Lichess's divider)."""


class CheckError(ValueError):
    """A packaged file is not what it has to be."""


@dataclass
class Summary:
    """What the games hold.

    Attributes:
        games: Number of games.
        plies: Plies of all games; as many positions have a move played in them.
        results: Games by result (+1, 0, -1, from white's view).
        pieces: Positions by number of knights, bishops, rooks and queens on the board.
        rule_ends: Games by the rule that ended them; adjudicated ones count as `adjudicated`.
    """

    games: int = 0
    plies: int = 0
    results: Counter[int] = field(default_factory=Counter)
    pieces: Counter[int] = field(default_factory=Counter)
    rule_ends: Counter[str] = field(default_factory=Counter)

    def text(self) -> str:
        """A few lines for people."""
        share = {k: self.results[k] / self.games for k in (1, 0, -1)}
        end = sum(n for k, n in self.pieces.items() if k <= ENDGAME_PIECES) / self.plies
        rows = "  ".join(f"{k}: {n / self.plies:.1%}" for k, n in sorted(self.pieces.items()))
        return (
            f"{self.games} games, {self.plies} positions, {self.plies / self.games:.1f} plies a "
            f"game\nwhite {share[1]:.1%}, draw {share[0]:.1%}, black {share[-1]:.1%}; ends: "
            f"{dict(self.rule_ends.most_common())}\npositions by number of N, B, R, Q: {rows}\n"
            f"endgame positions (at most {ENDGAME_PIECES}): {end:.1%}"
        )


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise CheckError(message)


def _replay(number: int, moves: Sequence[int], result: int, wanted: Wanted, to: Summary) -> None:
    """Replays one game: legal throughout, over at its last ply at the earliest, right result."""
    board, end = chess.Board(), None
    for ply, code in enumerate(moves):
        to.pieces[(board.knights | board.bishops | board.rooks | board.queens).bit_count()] += 1
        move = decode_move(code)
        where = f"game {number}, ply {ply}, {move.uci()} in {board.fen()}"
        _require(end is None, f"{where}: the game is already over by {end}")
        _require(board.is_legal(move), f"{where}: not a legal move")
        board.push(move)
        end = end_by_rule(board)
        met = wanted.match(board)
        _require(met is None, f"{where}: leads to the last position of an opening, {met}")
    _require(bool(moves), f"game {number} has no moves")
    _require(result in {-1, 0, 1}, f"game {number} has the result {result}")
    _require(end is None or end[0] == result, f"game {number} ends by {end}, not with {result}")
    to.games += 1
    to.plies += len(moves)
    to.results[result] += 1
    to.rule_ends["adjudicated" if end is None else end[1]] += 1


def check_openings(path: Path) -> set[str]:
    """Checks the opening suite.

    Args:
        path: The suite file.

    Returns:
        Keys of the last positions.

    Raises:
        CheckError: Too few openings, two with the same last position, or one that is over.
        ValueError: An illegal move.
    """
    openings = read_suite(path)
    boards = [board_after(moves) for moves in openings]
    keys = {position_key(board) for board in boards}
    _require(len(openings) >= MIN_OPENINGS, f"{len(openings)} openings; want {MIN_OPENINGS}")
    _require(len(keys) == len(openings), f"{len(openings)} openings end in {len(keys)} positions")
    _require(not any(board.is_game_over() for board in boards), "an opening ends the game")
    return keys


def check_store(path: Path, opening_keys: set[str], report: Callable[[], None]) -> Summary:
    """Checks the games store.

    Args:
        path: The store.
        opening_keys: Keys of positions that must not occur in it.
        report: Called after each game.

    Returns:
        What the games hold.

    Raises:
        CheckError: The file is too big, too small, has duplicates, an illegal move, a wrong
            result, an opening's last position, or metadata that do not fit the games.
        StoreError: The columns or the version are not those of the format.
    """
    size = path.stat().st_size
    _require(size < MAX_BYTES, f"{path} has {size} bytes; allowed are {MAX_BYTES}")
    games, about = read_store(path)
    _require(len(games) >= MIN_GAMES, f"{len(games)} games; want {MIN_GAMES}")
    different = len({tuple(moves) for moves, _ in games})
    _require(different == len(games), f"{len(games) - different} games occur twice")
    summary, wanted = Summary(), Wanted(opening_keys)
    for number, (moves, result) in enumerate(games):
        _replay(number, moves, result, wanted, summary)
        report()
    _check_metadata(about, summary)
    return summary


def _check_metadata(about: dict[str, Any], summary: Summary) -> None:
    """Compares the counts in the metadata with those of the games."""
    results = {name: summary.results[k] for name, k in (("white", 1), ("draw", 0), ("black", -1))}
    counted = {"games": summary.games, "positions": summary.plies, "results": results}
    counted |= {"kind": "games", "game": "chess"}
    for key, value in counted.items():
        _require(about.get(key) == value, f"metadata say {key} {about.get(key)}, found {value}")
    _require(bool(about.get("generator")), "metadata lack the generator's parameters")


def play_again(path: Path, number: int, engine: str) -> None:
    """Plays some games of the series once more; a store can be made again if they come out alike.

    Args:
        path: The store.
        number: How many games, spread evenly over the series.
        engine: Executable of the engine named in the metadata.

    Raises:
        CheckError: The engine is another one, or a game comes out otherwise.
    """
    games, about = read_store(path)
    made, stored = about["generator"], {(tuple(moves), result) for moves, result in games}
    listed = made["play"].items()
    play: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in listed}
    config = PlayConfig(**play)
    with Engine(engine, made["hash_mb"]) as player:
        _require(player.name == made["engine"], f"{player.name} is not {made['engine']}")
        for index in range(0, made["played"], max(1, made["played"] // number)):
            game = play_game(player, config, made["seed"], index)
            same = (tuple(game.moves), game.result) in stored
            _require(same, f"game {index} of seed {made['seed']} is not in {path}")
