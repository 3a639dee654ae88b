"""Rollout policies of endings equal a second implementation, on python-chess.

The root of a search whose threshold is never reached holds the moves that its policy plays.
"""

import random

import chess
import pytest

from phasezoo import games
from phasezoo.agents import Limit, UCTAgent
from phasezoo.errors import InvalidConfig, InvalidState

UNIFORM = games.make("krk", start="uniform")
CHESS = games.make("chess")
ENDINGS = ("R", "Q", "RR", "BB", "QN", "RB", "NN")
CHANGES = ("urgent", "protect", "early", "window", "closer", "leave", "capture")
CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)


def manhattan(a, b):
    return chess.square_manhattan_distance(a, b)


def beside(a, b):
    return chess.square_distance(a, b) == 1


class Plain:
    """A policy as its definition reads; in chess a third occurrence is looked for everywhere."""

    def __init__(self, changes, game="krk"):
        self.changes = set(changes)
        self.game = game

    def moves(self, start, line):
        """What may be played after ``line``; none where a rollout ends."""
        board = start.copy()
        stood = [key(board)]
        for move in line:
            board.push(move)
            stood.append(key(board))
        recent = stood[1:][-20:] if "window" in self.changes else stood
        counted = recent if self.game == "krk" else stood
        if counted.count(stood[-1]) >= 3 or board.is_game_over():
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
        pieces = set(chess.SquareSet(board.occupied_co[chess.WHITE])) - {king}
        walks = {move for move in moves if move.from_square == king}

        def urgent(move):
            alone = {p for p in pieces if beside(p, lone) and not beside(king, p)}
            if move in walks:
                return any(beside(move.to_square, piece) for piece in alone)
            return move.from_square in alone and not beside(move.to_square, lone)

        def safe(move):
            board.push(move)
            taken = any(board.is_capture(reply) for reply in board.legal_moves)
            board.pop()
            return not taken

        def protected(move):
            if move in walks:
                kept = {p for p in pieces if beside(p, lone) and beside(king, p)}
                return all(beside(move.to_square, piece) for piece in kept)
            return not beside(move.to_square, lone) or beside(move.to_square, king)

        def new(move):
            return after(board, move) not in recent

        def nearer(move):
            gain = manhattan(king, lone) - manhattan(move.to_square, lone)
            return move not in walks or gain > 0 or (gain == 0 and "closer" not in self.changes)

        def checks_from_the_side(move):
            if board.piece_type_at(move.from_square) not in (chess.ROOK, chess.QUEEN):
                return False
            rank = chess.square_rank(lone) != chess.square_rank(king)
            line = chess.square_rank if rank else chess.square_file
            if line(move.to_square) != line(lone):
                return False
            board.push(move)
            checks = move.to_square in board.checkers()
            board.pop()
            return checks

        def beside_each_other(move):
            one, other = pieces if move in walks else pieces - {move.from_square} | {move.to_square}
            files = chess.square_file(one) - chess.square_file(other)
            ranks = chess.square_rank(one) - chess.square_rank(other)
            return 1 in (abs(files - ranks), abs(files + ranks))

        filters = [urgent] if "urgent" in self.changes else []
        filters += [protected if "protect" in self.changes else safe]
        filters += [new] if "early" in self.changes else []
        filters += [nearer]
        filters += [lambda move: move in walks] if manhattan(king, lone) > 3 else []
        filters += [checks_from_the_side] if manhattan(king, lone) == 2 else []
        kinds = [board.piece_type_at(piece) for piece in pieces]
        filters += [beside_each_other] if kinds == [chess.BISHOP, chess.BISHOP] else []
        filters += [] if "early" in self.changes else [new]
        for keep in filters:
            moves = [move for move in moves if keep(move)] or moves
        return set(moves)


def key(board):
    return board.board_fen(), board.turn


def played_by(changes, state):
    name = "krk" if state.game == "krk" else "lone-king"
    agent = UCTAgent(
        rollout=f"{name}:{','.join(changes)}" if changes else name,
        threshold=10**6,
        max_rollout_plies=1,
        game=state.game,
    )
    # Of 43 moves, the most that there are, so many rollouts miss one once in 10^8 searches.
    found = agent.session(0).search(state, Limit(simulations=1000))
    # A rollout that ends at once leaves the root without children.
    return {chess.Move.from_uci(state.uci(int(action))) for action in found.actions}


def begun(rng, letters):
    """A game in which White has these pieces, and the move."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, len(letters) + 2)
        for square, letter in zip(squares, "Kk" + letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and not board.is_game_over():
            return CHESS.from_fen(board.fen())


def lines(rng, state):
    """Positions with the moves that led there, many of which stood before."""
    start, line, basic = chess.Board(state.fen), [], Plain((), state.game)
    board, stood = start.copy(), {}
    while not state.is_terminal and len(line) < 90:
        stood[key(board)] = stood.get(key(board), 0) + 1
        yield start, line, state
        legal = list(board.legal_moves)
        near = [move for move in legal if beside(move.to_square, board.king(not board.turn))]
        again = [move for move in legal if stood.get(after(board, move)) == 1]
        # Sorted, because the order of a set of moves differs from process to process.
        usual = sorted(basic.moves(start, line), key=chess.Move.uci) if board.turn else legal
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
    "changes",
    [
        (),
        *((change,) for change in CHANGES if change != "early"),
        pytest.param(("early",), marks=pytest.mark.slow),  # changes something once in many games
        CHANGES,
        ("closer", "window", "early"),
    ],
)
def test_a_policy_plays_what_its_filters_leave(changes):
    rng = random.Random(f"6{changes}")  # one whose games meet each change early
    plain, basic = Plain(changes), Plain(())
    seen = differ = 0
    # What a change does may be rare: positions are looked at until it was met.
    while seen < 250 or (changes and differ < 2):
        begin = UNIFORM.initial_state(seed=rng.randrange(10**9))
        for start, line, state in lines(rng, begin):
            expected = plain.moves(start, line)
            changed = expected != basic.moves(start, line)
            if seen < 250 or changed:
                assert played_by(changes, state) == expected, (state.fen, line)
            seen += 1
            differ += changed


@pytest.mark.parametrize("changes", [(), CHANGES, ("protect",), ("window", "leave")])
@pytest.mark.parametrize("letters", ENDINGS)
def test_policies_of_other_endings_play_what_their_filters_leave(letters, changes):
    rng = random.Random(f"{letters}{changes}")
    plain, seen = Plain(changes, "chess"), 0
    while seen < 120:
        for start, line, state in lines(rng, begun(rng, letters)):
            if len(state.fen.split()[0].translate({ord(c): None for c in "12345678/Kk"})) == 0:
                break  # both kings are alone
            expected = plain.moves(start, line)
            assert played_by(changes, state) == expected, (state.fen, line)
            seen += 1
            if seen % 5 == 0:  # the same with Black as the strong side
                other = CHESS.from_fen(start.mirror().fen(), [mirrored(m).uci() for m in line])
                assert played_by(changes, other) == set(map(mirrored, expected))


@pytest.mark.parametrize("changes", [("leave",), ("window", "leave"), CHANGES[:-1]])
def test_a_king_that_can_take_two_pieces_does_not_ask_where_the_other_king_stands(changes):
    # It could leave the opposition only by the rook, and the bishop stands nearer to the centre.
    state = CHESS.from_fen("8/8/8/2K5/8/2B5/2k5/1R6 b - - 0 1")
    expected = Plain(changes, "chess").moves(chess.Board(state.fen), [])
    assert played_by(changes, state) == expected == {chess.Move.from_uci("c2c3")}


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/2k1K3/8/2B5/7R w - - 0 1",
        "8/8/8/2k1K3/8/2N5/8/7R w - - 0 1",
        "8/8/8/2k1K3/8/2N5/8/2R5 w - - 0 1",
        "8/8/8/8/4k1K1/8/8/Q3B3 w - - 0 1",
    ],
)
def test_a_check_from_the_side_that_another_piece_blocks_is_none(fen):
    state = CHESS.from_fen(fen)
    for changes in ((), CHANGES):
        expected = Plain(changes, "chess").moves(chess.Board(fen), [])
        assert played_by(changes, state) == expected


def mirrored(move):
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square))


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/4k3/8/8/4P3/K7 w - - 0 1",
        "8/8/8/4k2r/8/8/8/K6R w - - 0 1",
        "8/8/8/8/8/3k4/8/R3K3 w Q - 0 1",
    ],
)
def test_a_root_that_is_no_such_ending_is_refused(fen):
    agent = UCTAgent(rollout="lone-king", limit=Limit(simulations=5), game="chess")
    with pytest.raises(InvalidState, match="no ending against a lone king"):
        agent.search(CHESS.from_fen(fen))


@pytest.mark.parametrize("changes", ["", "closer,", "closer,closer", "nearer", "closer;window"])
def test_unknown_changes_are_refused(changes):
    with pytest.raises(InvalidConfig, match=r"known are urgent, .*, capture"):
        UCTAgent(rollout=f"krk:{changes}")
    with pytest.raises(InvalidConfig, match='expected "random", "lone-king"'):
        UCTAgent(rollout="krk:closer", game="chess")
    for game in ("chess", None):
        with pytest.raises(
            InvalidConfig, match=r'after "lone-king:" .*known are urgent, .*capture'
        ):
            UCTAgent(rollout=f"lone-king:{changes}", game=game)
    with pytest.raises(InvalidConfig, match='is for the game "chess"'):
        UCTAgent(rollout="lone-king", game="krk")
