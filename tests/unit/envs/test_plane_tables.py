"""The plane tables in the documentation of `Chess-v0` say what the planes are."""

import chess
import numpy as np
import pytest
from plane_meanings import expected_planes, table

from phasezoo import games
from phasezoo.envs import ChessEnv


@pytest.mark.parametrize("spec", ["v1", "v2"])
def test_rows_cover_all_planes_without_gaps(spec):
    rows = table(ChessEnv, spec)
    covered = [plane for first, last, _ in rows for plane in range(first, last + 1)]
    assert covered == list(range(games.make("chess").plane_shape(spec)[0]))


@pytest.mark.parametrize("spec", ["v1", "v2"])
def test_every_plane_has_the_meaning_of_its_row(spec):
    rng = np.random.default_rng(4)
    rows = table(ChessEnv, spec)
    seen = {meaning: False for _, _, meaning in rows}
    for game in range(25):
        state = games.make("chess").initial_state()
        board = chess.Board()
        for _ in range(60):
            for player in (0, 1):
                planes = state.planes(spec, player)
                for first, last, meaning in rows:
                    expected = expected_planes(meaning, board, player == 0)
                    off = np.abs(planes[first : last + 1] - expected)
                    assert off.max() < 1e-6, (meaning, board.fen(), player)
                    seen[meaning] |= bool(expected.any())
            if state.is_terminal:
                break
            action = int(rng.choice(state.legal_actions))
            # In some games the knights go to and fro, so that positions recur.
            for each in state.legal_actions if game % 5 == 0 else ():
                if state.uci(each) in {"g1f3", "g8f6", "f3g1", "f6g8"}:
                    action = int(each)
            board.push_uci(state.uci(action))
            state = state.play(action)
    rare = {"chess960", "bishops of opposite colours"}
    assert {meaning for meaning, found in seen.items() if not found} <= rare


def test_minimal_is_the_first_twelve():
    state = games.make("chess").initial_state()
    np.testing.assert_array_equal(state.planes("minimal"), state.planes("v2")[:12])
