"""Planes of chess states, one at a time and many at once."""

import chess
import numpy as np
import pytest
from chess_positions import CHESS, KNIGHTS_OUT_AND_BACK, played

from phasezoo import _core, errors, games


class TestPlanes:
    @pytest.mark.parametrize(("spec", "channels"), [("v1", 39), ("v2", 52), ("minimal", 12)])
    def test_shapes(self, spec, channels):
        planes = played("e2e4").planes(spec)
        assert planes.shape == (channels, 8, 8)
        assert planes.dtype == np.float32
        assert CHESS.plane_shape(spec) == planes.shape

    def test_an_unknown_spec_is_named(self):
        with pytest.raises(errors.InvalidPlaneSpec, match=r"'v9'.*v1, v2, minimal"):
            CHESS.initial_state().planes("v9")

    def test_an_unknown_player_is_named(self):
        with pytest.raises(errors.InvalidConfig, match="player 2"):
            CHESS.initial_state().planes("v2", 2)

    def test_the_last_moves_are_shown_newest_first_from_the_viewer(self):
        state = played("e2e4", "b8c6", "g1f3")
        history = state.planes("v2")[20:36]
        squares = [tuple(np.argwhere(plane)[0]) for plane in history[:6]]
        # Black sees ranks mirrored: g1 is on Black's eighth rank.
        assert squares == [(7, 6), (5, 5), (0, 1), (2, 2), (6, 4), (4, 4)]
        assert not history[6:].any()
        white = state.planes("v2", 0)[20:22]
        assert [tuple(np.argwhere(plane)[0]) for plane in white] == [(0, 6), (2, 5)]

    def test_at_most_eight_moves_are_shown(self):
        moves = [
            f"{file}2{file}3" if i % 2 == 0 else f"{file}7{file}6"
            for i, file in enumerate("aabbccddeeff")
        ]
        assert played(*moves).planes("v1")[23:39].sum() == 16

    def test_hidden_history_keeps_repetitions_and_shows_later_moves(self):
        state = played(*KNIGHTS_OUT_AND_BACK, "g1f3").without_history()
        planes = state.planes("v2")
        assert not planes[20:36].any()
        assert planes[12].all()
        assert not planes[13].any()
        after = state.play(state.parse_uci("g8f6"))
        assert after.planes("v2")[20:36].sum() == 2
        assert after.ply == 6

    def test_castling_is_shown_as_the_kings_two_squares(self):
        state = played("e1g1", fen="r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        shown = [tuple(np.argwhere(plane)[0]) for plane in state.planes("v2", 0)[20:22]]
        assert shown == [(0, 4), (0, 6)]

    def test_one_player_may_see_what_the_other_does(self):
        state = played("e2e4")
        own, other = state.planes("minimal", 1), state.planes("minimal", 0)
        assert np.array_equal(own[:6], other[6:, ::-1])
        assert np.array_equal(own[6:], other[:6, ::-1])
        assert np.array_equal(state.planes("minimal"), own)

    def test_mirrored_colours_give_the_same_planes(self):
        fen = "r2q1rk1/pp2bppp/2n1bn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 b - - 3 9"
        state = CHESS.from_fen(fen)
        mirrored = CHESS.from_fen(chess.Board(fen).mirror().fen())
        assert np.array_equal(state.planes("v2"), mirrored.planes("v2"))
        assert np.array_equal(state.legal_actions, mirrored.legal_actions)


class TestEncode:
    STATES = [played("e2e4"), CHESS.initial_state(), played("d2d4", "d7d5")] * 60

    @pytest.mark.parametrize("threads", [None, 1, 3])
    @pytest.mark.parametrize("spec", ["v1", "v2", "minimal"])
    def test_many_states_are_as_one(self, spec, threads):
        batch = games.encode(self.STATES, spec, threads=threads)
        assert np.array_equal(batch, np.stack([state.planes(spec) for state in self.STATES]))

    def test_out_is_filled_whatever_it_held(self):
        out = np.full((len(self.STATES), 52, 8, 8), np.nan, dtype=np.float32)
        assert games.encode(self.STATES, "v2", out=out) is out
        assert np.array_equal(out, games.encode(self.STATES, "v2"))

    def test_players_choose_the_view(self):
        players = [i % 2 for i in range(len(self.STATES))]
        batch = games.encode(self.STATES, "v2", players=players)
        expected = [s.planes("v2", p) for s, p in zip(self.STATES, players, strict=True)]
        assert np.array_equal(batch, np.stack(expected))

    @pytest.mark.parametrize(
        "out",
        [
            np.zeros((3, 52, 8, 8)),
            np.zeros((4, 52, 8, 8), np.float32),
            np.zeros((3, 39, 8, 8), np.float32),
            np.zeros((3, 52, 64), np.float32),
            np.zeros((3, 52, 8, 8), np.float32, order="F"),
            np.zeros((6, 52, 8, 8), np.float32)[::2],
            [[0.0]],
        ],
    )
    def test_a_buffer_that_does_not_fit_is_refused(self, out):
        message = r"out is .*needed is a writable, C-contiguous float32\[3, 52, 8, 8\]"
        with pytest.raises(errors.InvalidArray, match=message):
            games.encode(self.STATES[:3], "v2", out=out)

    def test_a_read_only_buffer_is_refused(self):
        out = np.zeros((3, 52, 8, 8), np.float32)
        out.flags.writeable = False
        with pytest.raises(errors.InvalidArray, match="cannot be written"):
            games.encode(self.STATES[:3], "v2", out=out)

    def test_a_misaligned_buffer_is_refused(self):
        size = 3 * 52 * 64 * 4
        out = np.zeros(size + 1, np.uint8)[1:].view(np.float32).reshape(3, 52, 8, 8)
        with pytest.raises(errors.InvalidArray, match="out"):
            games.encode(self.STATES[:3], "v2", out=out)

    def test_no_states_are_of_no_game(self):
        with pytest.raises(errors.InvalidArray, match="at least one"):
            _core.encode([], "v2")

    @pytest.mark.parametrize("given", [CHESS.initial_state(), 3, None])
    def test_what_is_no_list_of_states_is_refused(self, given):
        with pytest.raises(errors.InvalidArray, match=r"takes a list of states, not .*\[state\]"):
            games.encode(given)

    def test_bad_arguments_are_named(self):
        with pytest.raises(errors.InvalidArray, match="players has 1 entries for 3 states"):
            games.encode(self.STATES[:3], "v2", players=[0])
        with pytest.raises(errors.InvalidConfig, match="player 7"):
            games.encode(self.STATES[:1], "v2", players=[7])
        with pytest.raises(errors.InvalidConfig, match="threads = 0"):
            games.encode(self.STATES, "v2", threads=0)
        with pytest.raises(TypeError):
            _core.encode([CHESS.initial_state(), None], "v2")
