"""Policies judged by perfect play in many positions at once."""

import chess
import numpy as np
import pytest

from phasezoo import _core, games, gating, inference
from phasezoo.errors import InvalidConfig
from phasezoo.games.random_play import random_states
from phasezoo.training.solved import SolvedPositions, Starts
from phasezoo.zoo.krk.training import krk_positions


@pytest.fixture(scope="module")
def everything():
    return krk_positions()


def even(positions):
    sizes = np.diff(positions.offsets)
    return np.repeat(1.0 / sizes, sizes)


def test_every_position_of_the_endgame_is_there_once(everything):
    legal = 0
    for king in range(0, 64, 9):
        for rook in range(64):
            for lone in range(64):
                board = chess.Board(None)
                board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(rook, chess.Piece(chess.ROOK, chess.WHITE))
                board.set_piece_at(lone, chess.Piece(chess.KING, chess.BLACK))
                legal += len({king, rook, lone}) == 3 and board.is_valid()
    placed = [state.fen.split()[0] for state in everything.states]
    assert len(set(placed)) == len(everything) == len(everything.offsets) - 1
    kings = [chess.Board(f"{text} w - - 0 1").king(chess.WHITE) for text in placed]
    assert sum(square % 9 == 0 for square in kings) == legal


def test_actions_and_worths_are_those_of_the_game(everything):
    game = games.make("krk")
    for row in np.random.default_rng(1).integers(0, len(everything), 200):
        here = slice(*everything.offsets[row : row + 2])
        state = everything.states[row]
        assert everything.actions[here].tolist() == list(state.legal_actions)
        assert everything.worths[here] == pytest.approx(game.action_scores(state))


def test_perfect_play_loses_nothing_and_wins_everywhere(everything):
    perfect = everything.likeliest(everything.worths)
    worth = everything.worth(perfect)
    assert (worth.lost == 0).all()
    assert (worth.best == 1).all()
    assert (worth.distance == 0).all()
    assert (everything.win_chances(perfect) == 1).all()


def test_the_chance_of_mate_is_what_python_chess_comes_to(everything):
    chances = {moves: _core.krk_mate_chances(even(everything), moves) for moves in (1, 2)}

    def chance(board, moves):
        """White moves evenly at random, Black as is worst for White."""
        if moves == 0:
            return 0.0
        total = []
        for move in list(board.legal_moves):
            board.push(move)
            if board.is_checkmate():
                total.append(1.0)
            elif board.is_stalemate() or any(board.is_capture(m) for m in board.legal_moves):
                total.append(0.0)
            else:
                worst = 1.0
                for reply in list(board.legal_moves):
                    board.push(reply)
                    worst = min(worst, chance(board, moves - 1))
                    board.pop()
                total.append(worst)
            board.pop()
        return float(np.mean(total))

    near = np.flatnonzero(chances[2] > 0)
    rows = np.random.default_rng(2).choice(near, 8, replace=False)
    for row in rows:
        board = chess.Board(everything.states[row].fen)
        for moves in (1, 2):
            assert chances[moves][row] == pytest.approx(chance(board, moves))


def test_what_is_no_policy_of_the_endgame_is_refused(everything):
    for wrong in (np.ones(3), np.ones(len(everything.actions)), -even(everything)):
        with pytest.raises(InvalidConfig, match="probabilities"):
            _core.krk_mate_chances(wrong)


def test_a_policy_is_the_softmax_over_legal_actions_of_whom_the_gate_names(everything):
    class Likes:
        plane_spec = "minimal"

        def __init__(self, action):
            self.action = action

        def evaluate(self, planes):
            logits = np.zeros((len(planes), 4672), dtype=np.float32)
            logits[:, self.action] = 2.0
            return inference.Evaluation(policy_logits=logits, value=np.zeros(len(planes)))

    gate = gating.make("box", "krk")
    rows = np.arange(0, len(everything), 4001)
    favourite = [int(everything.actions[everything.offsets[row]]) for row in rows[:3]]
    experts = dict(zip(gate.names, map(Likes, favourite), strict=True))
    mixture = inference.MixtureOfExperts(experts, gate=gate, routing="exact")
    some = SolvedPositions.of(games.make("krk"), [everything.states[row] for row in rows])
    policy = some.policy(mixture)
    phases = gate.batch(some.states)
    for row, phase in enumerate(phases):
        here = slice(*some.offsets[row : row + 2])
        logits = np.where(some.actions[here] == favourite[phase], 2.0, 0.0)
        assert policy[here] == pytest.approx(np.exp(logits) / np.exp(logits).sum(), rel=1e-5)
    assert policy.sum() == pytest.approx(len(rows))


def test_a_sample_is_judged_as_single_moves_are():
    pytest.importorskip("bitbully", reason="exact scores need the extra 'solve'")
    game = games.make("connect-four")
    states = [state for state in random_states(game, 200, 3) if state.ply > 20]
    positions = SolvedPositions.of(game, states)
    rng = np.random.default_rng(4)
    policy = positions.likeliest(rng.random(len(positions.actions)))
    worth = positions.worth(policy)
    moves = positions.actions[policy == 1]
    judged = Starts(game, tuple(states)).judge(moves)
    assert worth.lost == pytest.approx(judged.lost)
    assert worth.best == pytest.approx(judged.best.astype(float))
    assert positions.counts.tolist() == judged.counts.tolist()
    kept = judged.lost == 0
    assert worth.distance[kept] == pytest.approx(judged.distance[kept])
    assert np.isnan(worth.distance[~kept]).all()
    assert positions.win_chances is None
