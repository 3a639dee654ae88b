"""KRK knows no direction: turned positions have turned planes, and moves worth as much."""

import chess
import numpy as np
import pytest

from phasezoo import games
from phasezoo.games.symmetries import turned_square

KRK = games.make("krk", start="uniform")
STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


def turned(state, symmetry):
    """The state with its board turned as the mover sees it, by python-chess."""
    steps = [chess.flip_horizontal] * (symmetry & 1) + [chess.flip_vertical] * (symmetry >> 1 & 1)
    steps += [chess.flip_diagonal] * (symmetry >> 2)
    if state.to_play == 1:  # Black sees the ranks mirrored
        steps = [chess.flip_vertical, *steps, chess.flip_vertical]
    board = chess.Board(state.fen)
    for step in steps:  # board.transform() leaves the colours alone
        board = board.transform(step)
    return KRK.from_fen(board.fen())


def positions(count):
    """Positions of both sides."""
    rng = np.random.default_rng(4)
    for seed in range(count):
        state = KRK.initial_state(seed=seed)
        for _ in range(2):
            yield state
            state = state.play(int(rng.choice(state.legal_actions)))
            if state.is_terminal:
                break


@pytest.mark.parametrize("symmetry", range(8))
def test_turned_positions_have_turned_moves_and_planes(symmetry):
    full, compact = KRK.symmetries(False)[symmetry], KRK.symmetries(True)[symmetry]
    for state in positions(12):
        other = turned(state, symmetry)
        worth = dict(zip(state.legal_actions.tolist(), state.action_dtm.tolist(), strict=True))
        same = dict(zip(other.legal_actions.tolist(), other.action_dtm.tolist(), strict=True))
        assert {int(full[action]): dtm for action, dtm in worth.items()} == same
        planes = turned_square(state.planes("minimal", state.to_play), symmetry)
        np.testing.assert_array_equal(planes, other.planes("minimal", other.to_play))
        numbers = np.flatnonzero(np.isin(KRK.compact_actions(state), state.legal_actions))
        here, there = KRK.compact_actions(state), KRK.compact_actions(other)
        assert [int(full[here[number]]) for number in numbers] == there[compact[numbers]].tolist()


def test_a_compact_index_moves_the_piece_on_the_planes():
    """What the observation shows after a move is the piece moved as its index says."""
    for state in positions(25):
        planes = state.planes("minimal", state.to_play)
        table = KRK.compact_actions(state)
        for index in np.flatnonzero(np.isin(table, state.legal_actions)).tolist():
            after = state.play(int(table[index])).planes("minimal", state.to_play)
            plane = 5 if index < 8 else 3  # own king, own rook
            across, along = STEPS[index if index < 8 else (index - 8) // 7 * 2]
            distance = 1 if index < 8 else (index - 8) % 7 + 1
            (row,), (column,) = np.nonzero(planes[plane])
            moved = np.zeros((8, 8), dtype=np.float32)
            moved[row + distance * along, column + distance * across] = 1.0
            np.testing.assert_array_equal(after[plane], moved)


def test_symmetries_are_those_of_a_square():
    for compact, count in ((True, 36), (False, 4672)):
        symmetries = KRK.symmetries(compact)
        assert symmetries.shape == (8, count)
        np.testing.assert_array_equal(symmetries[0], np.arange(count))
        assert len({row.tobytes() for row in symmetries}) == 8
        np.testing.assert_array_equal(
            np.sort(symmetries, axis=1), np.tile(np.arange(count), (8, 1))
        )
        np.testing.assert_array_equal(symmetries[7], symmetries[4][symmetries[3]])
        np.testing.assert_array_equal(symmetries[3], symmetries[2][symmetries[1]])
