"""Rollout policies of king and rook equal a second implementation, on python-chess.

The root of a search whose threshold is never reached holds the moves that its policy plays.
"""

import random

import chess
import pytest

from phasezoo import games
from phasezoo.agents import Limit, UCTAgent
from phasezoo.errors import InvalidConfig

UNIFORM = games.make("krk", start="uniform")
CHANGES = ("urgent", "protect", "early", "window", "closer", "leave", "capture")
CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)


def manhattan(a, b):
    return chess.square_manhattan_distance(a, b)


def beside(a, b):
    return chess.square_distance(a, b) == 1


class Plain:
    """A policy as its definition reads."""

    def __init__(self, changes):
        self.changes = set(changes)

    def moves(self, start, line):
        """What may be played after ``line``; none where a rollout ends."""
        board = start.copy()
        stood = [key(board)]
        for move in line:
            board.push(move)
            stood.append(key(board))
        recent = stood[1:][-20:] if "window" in self.changes else stood
        if recent.count(stood[-1]) >= 3 or board.is_game_over():
            return set()
        if not board.turn:
            return self.black(board)
        return self.white(board, recent)

    def black(self, board):
        moves = list(board.legal_moves)
        takes = [move for move in moves if board.is_capture(move)]
        if "capture" in self.changes and takes:
            return set()
        if "leave" in self.changes:
            king = board.king(chess.WHITE)
            moves = takes or [m for m in moves if manhattan(m.to_square, king) != 2] or moves
        far = {move: min(manhattan(move.to_square, square) for square in CENTRE) for move in moves}
        return {move for move in moves if far[move] == min(far.values())}

    def white(self, board, recent):
        moves = list(board.legal_moves)
        king, lone = board.king(chess.WHITE), board.king(chess.BLACK)
        (rook,) = board.pieces(chess.ROOK, chess.WHITE)
        walks = {move for move in moves if move.from_square == king}

        def urgent(move):
            if not beside(rook, lone) or beside(king, rook):
                return False
            if move in walks:
                return beside(move.to_square, rook)
            return not beside(move.to_square, lone)

        def safe(move):
            board.push(move)
            taken = any(board.is_capture(reply) for reply in board.legal_moves)
            board.pop()
            return not taken

        def protected(move):
            if move in walks:
                alone = beside(rook, lone) and beside(king, rook)
                return not (alone and not beside(move.to_square, rook))
            return not beside(move.to_square, lone) or beside(move.to_square, king)

        def new(move):
            return after(board, move) not in recent

        def nearer(move):
            gain = manhattan(king, lone) - manhattan(move.to_square, lone)
            return move not in walks or gain > 0 or (gain == 0 and "closer" not in self.changes)

        def checks_from_the_side(move):
            if move in walks:
                return False
            rank = chess.square_rank(lone) != chess.square_rank(king)
            line = chess.square_rank if rank else chess.square_file
            return line(move.to_square) == line(lone)

        filters = [urgent] if "urgent" in self.changes else []
        filters += [protected if "protect" in self.changes else safe]
        filters += [new] if "early" in self.changes else []
        filters += [nearer]
        filters += [lambda move: move in walks] if manhattan(king, lone) > 3 else []
        filters += [checks_from_the_side] if manhattan(king, lone) == 2 else []
        filters += [] if "early" in self.changes else [new]
        for keep in filters:
            moves = [move for move in moves if keep(move)] or moves
        return set(moves)


def key(board):
    return board.board_fen(), board.turn


def played_by(changes, state):
    name = f"krk:{','.join(changes)}" if changes else "krk"
    agent = UCTAgent(
        rollout=name, threshold=10**6, max_rollout_plies=1, limit=Limit(simulations=300), game="krk"
    )
    found = agent.search(state)
    # A rollout that ends at once leaves the root without children.
    return {chess.Move.from_uci(state.uci(int(action))) for action in found.actions}


def lines(rng):
    """Positions with the moves that led there, many of which stood before."""
    state = UNIFORM.initial_state(seed=rng.randrange(10**9))
    start, line, basic = chess.Board(state.fen), [], Plain(())
    board, stood = start.copy(), {}
    while not state.is_terminal and len(line) < 90:
        stood[key(board)] = stood.get(key(board), 0) + 1
        yield start, line, state
        legal = list(board.legal_moves)
        near = [move for move in legal if beside(move.to_square, board.king(not board.turn))]
        again = [move for move in legal if stood.get(after(board, move)) == 1]
        usual = list(basic.moves(start, line)) if board.turn else legal
        move = rng.choice(
            again if again and rng.random() < 0.7 else rng.choice([usual, near or legal])
        )
        board.push(move)
        line = [*line, move]
        state = state.play(state.parse_uci(move.uci()))


def after(board, move):
    board.push(move)
    found = key(board)
    board.pop()
    return found


@pytest.mark.parametrize(
    "changes", [(), *((change,) for change in CHANGES), CHANGES, ("closer", "window", "early")]
)
def test_a_policy_plays_what_its_filters_leave(changes):
    rng = random.Random(str(changes))
    plain, basic = Plain(changes), Plain(())
    seen = differ = 0
    # What a change does may be rare: positions are looked at until it was met.
    while seen < 250 or (changes and differ < 2):
        for start, line, state in lines(rng):
            expected = plain.moves(start, line)
            changed = expected != basic.moves(start, line)
            if seen < 250 or changed:
                assert played_by(changes, state) == expected, (state.fen, line)
            seen += 1
            differ += changed


@pytest.mark.parametrize("changes", ["", "closer,", "closer,closer", "nearer", "closer;window"])
def test_unknown_changes_are_refused(changes):
    with pytest.raises(InvalidConfig, match=r"known are urgent, .*, capture"):
        UCTAgent(rollout=f"krk:{changes}")
    with pytest.raises(InvalidConfig, match='expected "random"'):
        UCTAgent(rollout="krk:closer", game="chess")
