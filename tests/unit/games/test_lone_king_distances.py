"""What states of chess know where one king is alone: moves to mate, and the best actions."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from interpreter_lock import lets_others_go_on

from phasezoo import agents, games

CHESS, KRK = games.make("chess"), games.make("krk")
UNIFORM = games.make("krk", start="uniform")
STARTS = {
    "KQK": ("8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", 10),
    "KRRK": ("8/8/8/3k4/8/8/8/R3K2R w - - 0 1", 7),
    "KBBK": ("8/8/8/3k4/8/8/8/2B1KB2 w - - 0 1", 19),
}


@pytest.mark.parametrize(("fen", "longest"), STARTS.values(), ids=STARTS)
def test_perfect_play_mates_in_the_moves_that_were_told(fen, longest):
    state = CHESS.from_fen(fen)
    moves = state.dtm
    assert 3 <= moves <= longest
    rng = np.random.default_rng(4)
    for ply in range(2 * moves - 1):
        assert state.dtm == moves - (ply + 1) // 2
        best = state.best_actions
        action = int(rng.choice(best))
        assert state.dtm_difference(action) == 0
        told = state.action_dtm
        assert set(best) == set(
            state.legal_actions[told == (told.max() if ply % 2 else told.min())]
        )
        state = state.play(action)
    assert state.outcome.winner == 0
    assert state.dtm == 0


def test_of_king_and_rook_chess_knows_what_the_endgame_knows():
    for seed in range(200):
        state = UNIFORM.initial_state(seed=seed)
        twin = CHESS.from_fen(state.fen)
        assert twin.dtm == state.dtm
        np.testing.assert_array_equal(twin.action_dtm, state.action_dtm)
        np.testing.assert_array_equal(twin.best_actions, state.best_actions)


def test_a_piece_that_is_taken_leaves_another_ending_or_a_draw():
    state = CHESS.from_fen("8/8/8/8/8/2k5/1R6/5K1R b - - 0 1")
    after = state.play(state.parse_uci("c3b2"))
    assert after.dtm == CHESS.from_fen(after.fen).dtm == KRK.from_fen(after.fen).dtm
    assert state.dtm >= after.dtm
    state = CHESS.from_fen("8/8/8/8/8/2k5/1Q6/5K2 b - - 0 1")
    assert state.dtm is None
    assert state.play(state.parse_uci("c3b2")).dtm is None


@pytest.mark.parametrize(
    ("game", "fen"),
    [
        ("chess", None),
        ("chess", "8/8/8/4k3/8/8/4P3/K7 w - - 0 1"),
        ("chess", "8/8/8/4k2r/8/8/8/K6R w - - 0 1"),
        ("chess", "8/8/8/4k3/8/8/Q7/K5RR w - - 0 1"),
        ("chess", "8/8/8/8/8/8/R7/R3K1k1 w Q - 0 1"),  # castling mates
        ("chess", "8/8/8/3k4/8/8/8/R3K2R w K - 0 1"),
        ("atomic", "8/8/8/4k3/8/8/8/K6R w - - 0 1"),
    ],
)
def test_elsewhere_the_attributes_are_missing(game, fen):
    made = games.make(game)
    state = made.initial_state() if fen is None else made.from_fen(fen)
    for name in ("dtm", "action_dtm", "best_actions", "dtm_difference"):
        assert hasattr(state, name) == (name == "dtm_difference")
    with pytest.raises(AttributeError, match="no dtm_difference: it is known in"):
        state.dtm_difference(0)


def test_rollouts_mate_with_two_rooks():
    agent = agents.UCTAgent(
        rollout="lone-king:closer,leave", c=5, threshold=30, limit=agents.Limit(simulations=300)
    )
    state, session = CHESS.from_fen(STARTS["KRRK"][0]), agent.session(3)
    rng = np.random.default_rng(3)
    while not state.is_terminal:
        mover = session.act(state) if state.to_play == 0 else int(rng.choice(state.best_actions))
        state = state.play(mover)
    assert state.outcome.winner == 0


def test_other_threads_go_on_while_a_table_is_made():
    state = CHESS.from_fen("8/8/8/3k4/8/8/8/1N2K1N1 w - - 0 1")  # nobody else asks for this one
    assert lets_others_go_on(partial(getattr, state, "dtm"))


def test_threads_that_ask_for_one_table_at_once_get_it():
    state = CHESS.from_fen("8/8/8/3k4/8/8/8/1Q2K1N1 w - - 0 1")  # nor for this one
    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(lambda _: state.dtm, range(6))
    assert first is not None
    assert others == [first] * 5
