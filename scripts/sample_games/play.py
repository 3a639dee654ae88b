"""Plays one randomised engine-against-itself game of chess, as a function of (seed, index).

A game has two parts. First come some opening plies, drawn from the engine's own top moves by a
softmax over their scores, so that games differ from the first move yet stay sane. Then the
engine plays both sides at a fixed node count; now and then a player blunders: a uniformly random
move, or the best of a random third of the moves. Blunder rates are drawn per player, so that
games are decided and the result can be learned from the position.

The defaults are chosen so that the phases and results are those of strong human games: a player
who is four pawns behind resigns, and a level middlegame is agreed drawn. scripts/README.md has
both distributions.
"""

from dataclasses import dataclass
from typing import Final

import chess
import numpy as np

from .engine import Engine

PROMOTION_CODES: Final = {None: 0, chess.KNIGHT: 1, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4}

FIRST_MOVES: Final = {"e2e4": 30, "d2d4": 30, "c2c4": 12, "g1f3": 12}
"""Weights of the first move, out of 100; the 16 other moves have weight 1 each.

By its own scores at this few nodes the engine would hardly ever play 1. e4.
"""


@dataclass(frozen=True)
class PlayConfig:
    """How a game is played. Every field goes into the metadata of the store."""

    nodes: tuple[int, int] = (1500, 2500)
    """Fewest and most nodes a move; drawn once per game, uniformly."""
    opening_plies: tuple[int, int] = (4, 10)
    """Fewest and most plies of the drawn opening, both included."""
    opening_nodes: tuple[int, int] = (800, 1600)
    """Fewest and most nodes for a ply of the opening; drawn for each."""
    opening_lines: int = 6
    """How many of the engine's best moves an opening ply is drawn from."""
    opening_temperature: float = 30.0
    """Softmax temperature of that draw, in centipawns."""
    opening_random: float = 0.05
    """Chance that an opening ply after the first is uniform over all legal moves instead."""
    blunder_rate: tuple[float, float] = (0.0, 0.02)
    """Lowest and highest chance of a blunder per ply; drawn per player and game."""
    blunder_uniform: float = 0.2
    """Share of blunders that are uniform over all legal moves."""
    decided_score: int = 400
    """A game is adjudicated won once the last scores are all beyond this, in centipawns."""
    decided_plies: int = 4
    """Number of those scores."""
    play_on: float = 0.08
    """Share of games that are not adjudicated won but played to mate or the cap."""
    drawn_score: int = 25
    """A game is adjudicated drawn once the last scores are all within this, in centipawns."""
    drawn_plies: int = 6
    """Number of those scores."""
    drawn_from: int = 36
    """First ply at which a game may be adjudicated drawn."""
    max_plies: int = 150
    """Cap: a game that reaches it is won by who is ahead by `cap_score`, else drawn."""
    cap_score: int = 500
    """Lead that wins at the cap, in centipawns."""
    chess960: bool = False
    """Whether each game starts from one of the 960 positions, drawn by its seed."""


@dataclass(frozen=True)
class Game:
    """A finished game.

    Attributes:
        moves: The moves as `encode_move` gives them, from the initial position.
        result: +1 white won, 0 draw, -1 black won.
        end: Why it ended: `mate`, `stalemate`, `repetition`, `fifty`, `material`, `decided`,
            `drawn` or `cap`; the last three are adjudications.
        start_fen: Where it started, if not at the initial position; castling rights as letters of
            files.
    """

    moves: list[int]
    result: int
    end: str
    start_fen: str | None = None


def encode_move(move: chess.Move) -> int:
    """Packs a move into 15 bits: from | to << 6 | promotion << 12, squares a1 = 0 to h8 = 63."""
    return move.from_square | move.to_square << 6 | PROMOTION_CODES[move.promotion] << 12


def decode_move(code: int) -> chess.Move:
    """Inverse of `encode_move`."""
    promotion = (None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)[code >> 12]
    return chess.Move(code & 63, code >> 6 & 63, promotion)


def end_by_rule(board: chess.Board) -> tuple[int, str] | None:
    """Tells whether the game is over by rule.

    Args:
        board: The position with its history, which repetitions are counted in.

    Returns:
        Result (+1 white won, 0 draw, -1 black won) and `mate`, `stalemate`, `material`,
        `repetition` or `fifty`, looked for in this order; None while the game goes on.
    """
    if not any(board.generate_legal_moves()):
        if not board.is_check():
            return 0, "stalemate"
        return (-1 if board.turn == chess.WHITE else 1), "mate"
    if board.is_insufficient_material():
        return 0, "material"
    # A third occurrence needs at least eight reversible plies.
    if board.halfmove_clock >= 8 and board.is_repetition(3):
        return 0, "repetition"
    return (0, "fifty") if board.halfmove_clock >= 100 else None


class _Adjudicator:
    """Watches the engine's scores of one game, all in centipawns from white's view."""

    def __init__(self, config: PlayConfig, *, play_on: bool) -> None:
        self._config = config
        self._play_on = play_on
        self._winning = 0
        self._level = 0

    def forget(self) -> None:
        """Starts the runs of scores anew; called after a blunder, which may change everything."""
        self._winning = self._level = 0

    def verdict(self, score: int, ply: int) -> tuple[int, str] | None:
        """Takes the score of the position at `ply`; returns (result, end) once that is clear."""
        config = self._config
        side = (score > 0) - (score < 0)
        if abs(score) < config.decided_score:
            self._winning = 0
        else:
            # Counted with a sign: a run of scores for one side ends where the other takes over.
            self._winning = side + (self._winning if self._winning * side > 0 else 0)
        self._level = self._level + 1 if abs(score) <= config.drawn_score else 0
        if abs(self._winning) >= config.decided_plies and not self._play_on:
            return side, "decided"
        if self._level >= config.drawn_plies and ply >= config.drawn_from:
            return 0, "drawn"
        return None


class GameLine:
    """A game in the making: the moves so far and the ways to find the next one.

    Args:
        engine: Finds the moves; what it searched before is forgotten.
        config: How to play.
        rng: Source of every random choice.
    """

    def __init__(self, engine: Engine, config: PlayConfig, rng: np.random.Generator) -> None:
        self.board, self.start = chess.Board(), None
        if config.chess960:
            self.board = chess.Board.from_chess960_pos(int(rng.integers(960)))
            self.start = self.board.fen()
        self.moves: list[str] = []
        self._engine = engine
        self._config = config
        self._rng = rng
        engine.new_game()

    def push(self, move: str) -> None:
        """Plays a move given in UCI notation."""
        self.board.push(chess.Move.from_uci(move))
        self.moves.append(move)

    def best(self, nodes: int) -> tuple[str, int]:
        """Return the engine's move and its score in centipawns from white's view."""
        found = self._engine.search(self.moves, nodes, start=self.start)[0]
        return found.move, found.score if self.board.turn == chess.WHITE else -found.score

    def draw(self) -> str:
        """Draws an opening move.

        From the initial position the first one by `FIRST_MOVES`, the others by softmax over the
        scores of the engine's best, now and then uniformly over all.
        """
        config = self._config
        if not self.moves and self.start is None:
            legal = self._legal()
            shares = np.array([FIRST_MOVES.get(move, 1) for move in legal], dtype=np.float64)
            return legal[self._rng.choice(len(legal), p=shares / shares.sum())]
        if self._rng.random() < config.opening_random:
            return self.uniform()
        nodes = int(self._rng.integers(config.opening_nodes[0], config.opening_nodes[1] + 1))
        lines = self._engine.search(self.moves, nodes, lines=config.opening_lines, start=self.start)
        scores = np.array([line.score for line in lines], dtype=np.float64)
        weights = np.exp((scores - scores.max()) / config.opening_temperature)
        return lines[self._rng.choice(len(lines), p=weights / weights.sum())].move

    def uniform(self) -> str:
        """Return a uniformly random legal move."""
        legal = self._legal()
        return legal[self._rng.integers(len(legal))]

    def blunder(self, nodes: int) -> str:
        """A uniformly random move, or the best one among a random third of the legal moves."""
        legal = self._legal()
        if self._rng.random() < self._config.blunder_uniform or len(legal) == 1:
            return legal[self._rng.integers(len(legal))]
        some = self._rng.permutation(len(legal))[: max(1, len(legal) // 3)]
        only = [legal[i] for i in some]
        return self._engine.search(self.moves, nodes, only=only, start=self.start)[0].move

    def _legal(self) -> list[str]:
        return [self.board.uci(move) for move in self.board.legal_moves]

    def end(self, nodes: int) -> tuple[int, str] | None:
        """Result and end of the game, if it is over by rule or has reached the cap."""
        end = end_by_rule(self.board)
        if end is not None or len(self.moves) < self._config.max_plies:
            return end
        score = self.best(nodes)[1]
        ahead = (score > 0) - (score < 0)
        return (ahead if abs(score) >= self._config.cap_score else 0), "cap"


def play_game(engine: Engine, config: PlayConfig, seed: int, index: int) -> Game:
    """Plays game number `index` of the series that `seed` names.

    Args:
        engine: An engine; what it searched before is forgotten first.
        config: How to play.
        seed: Seed of the series.
        index: Number of the game; (seed, index) fixes every random choice in it.

    Returns:
        The finished game.
    """
    rng = np.random.default_rng([seed, index])
    opening = int(rng.integers(config.opening_plies[0], config.opening_plies[1] + 1))
    nodes = int(rng.integers(config.nodes[0], config.nodes[1] + 1))
    rates = rng.uniform(*config.blunder_rate, size=2)
    judge = _Adjudicator(config, play_on=bool(rng.random() < config.play_on))
    line, end = GameLine(engine, config, rng), None
    while end is None:
        ply = len(line.moves)
        if ply < opening:
            move = line.draw()
        elif rng.random() < rates[ply % 2]:
            move = line.blunder(nodes)
            judge.forget()
        else:
            move, score = line.best(nodes)
            end = judge.verdict(score, ply)
        if end is None:
            line.push(move)
            end = line.end(nodes)
    return Game([encode_move(move) for move in line.board.move_stack], *end, line.start)
