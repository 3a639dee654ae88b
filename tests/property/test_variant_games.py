"""Properties that hold along any game of chess and of its variants."""

import copy
import pickle

import chess
import numpy as np
import pytest
from boards import BOARDS
from hypothesis import given, settings, strategies as st

from phasezoo import _core, games
from phasezoo.errors import InvalidFen

# As many examples of chess as of two variants.
NAMES = ("chess", *BOARDS)


@st.composite
def timelines(draw, names=NAMES):
    """All states of a game, drawn as a seed and a length, the start included."""
    name = draw(st.sampled_from(names))
    game = games.make("krk", start="uniform") if name == "krk" else games.make(name)
    seed = draw(st.integers(0, 2**63 - 1))
    states, rng = [game.initial_state(seed=seed)], np.random.default_rng(seed)
    for _ in range(draw(st.integers(0, 120))):
        if states[-1].is_terminal:
            break
        states.append(states[-1].play(rng.choice(states[-1].legal_actions)))
    return states


@given(timelines())
@settings(max_examples=120, deadline=None)
def test_actions_and_moves_are_in_bijection(timeline):
    size = games.game_of(timeline[0]).num_actions
    for state in timeline:
        actions = state.legal_actions.tolist()
        assert actions == sorted(set(actions))
        assert all(0 <= action < size for action in actions)
        assert np.flatnonzero(state.action_mask).tolist() == actions
        notations = [(state.uci(action), state.san(action)) for action in actions]
        for position in (0, 1):
            assert len({notation[position] for notation in notations}) == len(actions)
        for action, (uci, san) in zip(actions, notations, strict=True):
            assert state.parse_uci(uci) == state.parse_san(san) == action


@given(timelines())
@settings(max_examples=90, deadline=None)
def test_values_survive_copying_in_the_middle_of_a_game(timeline):
    for state in timeline[::7]:
        stored = _core.BoardState.from_bytes(state.game, state.to_bytes())
        for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), stored):
            assert twin == state
            assert hash(twin) == hash(state)
            assert games.game_of(twin) == games.make(state.game)
            assert np.array_equal(twin.planes("v1"), state.planes("v1"))
            for action in twin.legal_actions[:3]:
                assert twin.play(action) == state.play(action)


@given(timelines())
@settings(max_examples=90, deadline=None)
def test_planes_and_actions_do_not_depend_on_colour(timeline):
    state = timeline[-1]
    game = games.make(state.game)
    start = BOARDS[state.game](timeline[0].fen).mirror().fen()
    ranks = str.maketrans("12345678", "87654321")
    other = game.from_fen(start, [move.translate(ranks) for move in state.moves])
    assert np.array_equal(state.planes("v2"), other.planes("v2"))
    assert np.array_equal(state.legal_actions, other.legal_actions)
    ends = (state.outcome, other.outcome)
    assert [end and end.reason for end in ends] in ([None, None], [ends[0] and ends[0].reason] * 2)
    if state.game == "krk":
        assert other.dtm == state.dtm
        assert np.array_equal(other.action_dtm, state.action_dtm)


@given(timelines(["chess"]))
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
@settings(max_examples=90, deadline=None)
def test_occurrences_and_keys_count_equal_positions(timeline):
    for i, state in enumerate(timeline):
        identity = " ".join(state.fen.split()[:4])
        earlier = [" ".join(s.fen.split()[:4]) for s in timeline[:i]]
        assert state.occurrences == earlier.count(identity)
        assert [s.key for s in timeline[:i]].count(state.key) == state.occurrences


@given(timelines())
@settings(max_examples=60, deadline=None)
def test_a_fen_gives_the_position_again(timeline):
    # Games cannot start without a king, nor the endgame without its rook.
    lost = {"atomic": ["king_exploded"], "krk": ["insufficient_material"]}
    for state in timeline[::9] + timeline[-1:]:
        if state.outcome is not None and state.outcome.reason in lost.get(state.game, ()):
            with pytest.raises(InvalidFen):
                games.make(state.game).from_fen(state.fen)
            continue
        again = games.make(state.game).from_fen(state.fen)
        assert again.fen == state.fen
        assert again.key == state.key
        assert again.is_check == state.is_check
        if state.outcome is None:
            assert np.array_equal(again.legal_actions, state.legal_actions)


@given(timelines())
@settings(max_examples=70, deadline=None)
def test_a_batch_is_its_states_one_by_one(timeline):
    for spec in games.game_of(timeline[0]).plane_specs:
        batch = games.encode(timeline, spec)
        assert np.array_equal(batch, np.stack([state.planes(spec) for state in timeline]))


@given(timelines())
@settings(max_examples=90, deadline=None)
def test_best_actions_are_those_without_a_difference(timeline):
    for state in timeline:
        if state.game != "krk":
            for attribute in ("dtm", "action_dtm", "best_actions"):
                with pytest.raises(AttributeError, match="krk"):
                    getattr(state, attribute)
            return
        values = state.action_dtm
        after = [state.play(action).dtm for action in state.legal_actions]
        assert values.tolist() == [np.inf if dtm is None else dtm for dtm in after]
        if len(values) == 0:
            continue
        strong = state.to_play == 0
        best = values.min() if strong else values.max()
        assert set(state.best_actions) == set(state.legal_actions[values == best])
        for action, value in zip(state.legal_actions.tolist(), values.tolist(), strict=True):
            known = np.isfinite(best) and np.isfinite(value)
            assert state.dtm_difference(action) == (value - best if known else None)
