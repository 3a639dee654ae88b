"""Checks the packaged files against python-chess, and prints what is in them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import chess

from phasezoo.training import GameStore

from .engine import Engine
from .openings import Wanted, board_after, keys_met, position_key, read_suite
from .play import PlayConfig, decode_move, encode_move, end_by_rule, play_game

MIN_GAMES: Final = 20_000
MIN_OPENINGS: Final = 600
ENDGAME_PIECES: Final = 6
"""Knights, bishops, rooks and queens in an endgame, at most (Lichess's divider)."""


class CheckError(ValueError):
    """A packaged file is not what it has to be."""


@dataclass
class Summary:
    """Statistics of games.

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


def read_moves(path: Path) -> list[list[int]]:
    """Reads the moves of every game of a store of chess, as `encode_move` gives them."""
    store = GameStore.open(path)
    return [_moves_of(store, number) for number in range(len(store))]


def _moves_of(store: GameStore, number: int) -> list[int]:
    actions = store.actions[store.offsets[number] : store.offsets[number + 1]].tolist()
    states = store.records.states(number)
    moves = (state.uci(action) for state, action in zip(states, actions, strict=True))
    return [encode_move(chess.Move.from_uci(move)) for move in moves]


def check_store(path: Path, opening_keys: set[str], report: Callable[[], None]) -> Summary:
    """Checks the games store.

    Args:
        path: The store.
        opening_keys: Keys of positions that must not occur in it.
        report: Called after each game.

    Returns:
        What the games hold.

    Raises:
        CheckError: It has too few games, duplicates, an illegal move, a wrong result, an opening's
            last position, or no parameters.
        StoreError: It is no store.
    """
    store = GameStore.open(path)
    _require(len(store) >= MIN_GAMES, f"{len(store)} games; want {MIN_GAMES}")
    _require("generator" in store.metadata, "metadata lack the generator's parameters")
    summary, wanted, different = Summary(), Wanted(opening_keys), set[tuple[int, ...]]()
    for number in range(len(store)):
        moves = _moves_of(store, number)
        different.add(tuple(moves))
        _replay(number, moves, int(store.returns[number][0]), wanted, summary)
        report()
    _require(len(different) == len(store), f"{len(store) - len(different)} games occur twice")
    return summary


def play_again(path: Path, opening_keys: set[str], number: int, engine: str) -> None:
    """Plays some games of the series once more; a store can be made again if they come out alike.

    Args:
        path: The store.
        opening_keys: Keys of positions; games that meet one are not in the store.
        number: How many games, spread evenly over the series.
        engine: Executable of the engine named in the metadata.

    Raises:
        CheckError: The engine is another one, or a game comes out otherwise.
    """
    store = GameStore.open(path)
    made, stored = store.metadata["generator"], set(map(tuple, read_moves(path)))
    listed = made["play"].items()
    play: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in listed}
    config = PlayConfig(**play)
    with Engine(engine, made["hash_mb"]) as player:
        _require(player.name == made["engine"], f"{player.name} is not {made['engine']}")
        for index in range(0, made["played"], max(1, made["played"] // number)):
            game = play_game(player, config, made["seed"], index)
            same = tuple(game.moves) in stored or bool(keys_met(opening_keys, [game.moves]))
            _require(same, f"game {index} of seed {made['seed']} is not in {path}")
