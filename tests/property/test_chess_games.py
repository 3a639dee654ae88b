"""Properties that hold along any game of chess."""

import copy
import pickle

import chess
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from phasezoo import games

CHESS = games.make("chess")


@st.composite
def timelines(draw):
    """All states of a game, drawn as a list of choices, the start included."""
    states = [CHESS.initial_state()]
    for choice in draw(st.lists(st.integers(0, 2**16), max_size=120)):
        legal = states[-1].legal_actions
        if len(legal) == 0:
            break
        states.append(states[-1].play(legal[choice % len(legal)]))
    return states


@given(timelines())
@settings(max_examples=40, deadline=None)
def test_actions_and_moves_are_in_bijection(timeline):
    for state in timeline:
        actions = state.legal_actions.tolist()
        assert actions == sorted(set(actions))
        notations = [(state.uci(action), state.san(action)) for action in actions]
        for position in (0, 1):
            assert len({notation[position] for notation in notations}) == len(actions)
        for action, (uci, san) in zip(actions, notations, strict=True):
            assert state.parse_uci(uci) == state.parse_san(san) == action


@given(timelines())
@settings(max_examples=30, deadline=None)
def test_values_survive_copying_in_the_middle_of_a_game(timeline):
    for state in timeline[::7]:
        for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
            assert twin == state
            assert hash(twin) == hash(state)
            assert np.array_equal(twin.planes("v1"), state.planes("v1"))
            for action in twin.legal_actions[:3]:
                assert twin.play(action) == state.play(action)


@given(timelines())
@settings(max_examples=30, deadline=None)
def test_planes_do_not_depend_on_colour(timeline):
    moves = [chess.Move.from_uci(move) for move in timeline[-1].moves]
    mirrored = [
        chess.Move(
            chess.square_mirror(m.from_square), chess.square_mirror(m.to_square), m.promotion
        ).uci()
        for m in moves
    ]
    start = chess.Board().mirror().fen()
    other = CHESS.from_fen(start, mirrored)
    assert np.array_equal(timeline[-1].planes("v2"), other.planes("v2"))
    assert np.array_equal(timeline[-1].legal_actions, other.legal_actions)


@given(timelines())
@settings(max_examples=30, deadline=None)
def test_history_planes_show_the_last_eight_moves(timeline):
    state = timeline[-1]
    shown = state.planes("v2", 0)[20:36].reshape(16, 64)
    moves = [chess.Move.from_uci(move) for move in reversed(state.moves[-8:])]
    expected = np.zeros((16, 64), dtype=np.float32)
    for i, move in enumerate(moves):
        expected[2 * i, move.from_square] = expected[2 * i + 1, move.to_square] = 1
    assert np.array_equal(shown, expected)


@given(timelines())
@settings(max_examples=30, deadline=None)
def test_occurrences_count_equal_positions(timeline):
    for i, state in enumerate(timeline):
        identity = " ".join(state.fen.split()[:4])
        earlier = [" ".join(s.fen.split()[:4]) for s in timeline[:i]]
        assert state.occurrences == earlier.count(identity)
        keys = [s.key for s in timeline[:i]]
        assert keys.count(state.key) == state.occurrences


@pytest.mark.parametrize("spec", ["v1", "v2", "minimal"])
@given(timeline=timelines())
@settings(max_examples=10, deadline=None)
def test_a_batch_is_its_states_one_by_one(spec, timeline):
    batch = games.encode(timeline, spec)
    assert np.array_equal(batch, np.stack([state.planes(spec) for state in timeline]))
