"""Atomic chess where implementations have failed: touching kings, castling, explosions."""

import pytest

from phasezoo import errors, games

ATOMIC = games.make("atomic")


def moves(state):
    return {state.uci(action) for action in state.legal_actions}


def played(fen, *ucis):
    return ATOMIC.from_fen(fen, ucis)


class TestCastling:
    def test_long_beside_the_other_king_although_attacked(self):
        # python-chess#437
        assert "e1c1" in moves(ATOMIC.from_fen("8/8/8/8/8/8/4k3/R3K2q w Q -"))

    def test_not_where_the_king_would_leave_the_other_one_under_attack(self):
        assert "e1c1" not in moves(ATOMIC.from_fen("8/8/8/8/8/8/5k2/R3K2r w Q -"))

    def test_black_beside_the_white_king(self):
        assert "e8c8" in moves(ATOMIC.from_fen("r3k2R/4K3/8/8/8/8/8/8 b q -"))

    def test_through_a_file_that_the_touching_king_makes_safe(self):
        fen = "r3k1R1/pb2K2p/2n5/2pppr2/3P4/2P1P3/PP3P1P/R7 b q - 3 23"
        assert "e8c8" in moves(ATOMIC.from_fen(fen))

    def test_an_explosion_in_the_far_corner_leaves_both_rights(self):
        after = played("rnb1k2Q/p5q1/4pp2/1ppp3p/3PP3/2N5/P1P2PPP/R3KBNR b KQq - 5 10", "g7h8")
        assert after.fen.split()[2] == "KQq"


class TestExplosions:
    def test_an_exploded_king_ends_the_game(self):
        state = played(
            "rnbqkbnr/ppp1pppp/8/3p4/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2", "f3e5", "a7a6"
        )
        end = state.play(state.parse_uci("e5f7"))
        assert (end.outcome.reason, end.outcome.winner) == ("king_exploded", 0)
        assert list(end.returns) == [1.0, -1.0]
        assert end.legal_actions.size == 0
        assert "k" not in end.fen.split()[0]

    def test_pawns_around_survive_and_the_captured_one_does_not(self):
        fen = "4k3/8/3ppp2/3nrn2/3PpP2/3RPR2/8/4K3 w - - 0 1"
        after = played(fen, "d4e5")
        assert after.fen.split()[0] == "4k3/8/3ppp2/8/4pP2/3RPR2/8/4K3"

    def test_nobody_may_explode_his_own_king(self):
        assert "e1e2" not in moves(ATOMIC.from_fen("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1"))
        assert "d1d2" not in moves(ATOMIC.from_fen("4k3/8/8/8/8/8/3r4/3RK3 w - - 0 1"))

    def test_exploding_the_king_beats_parrying_a_check(self):
        # White stands in check and takes beside the black king.
        state = ATOMIC.from_fen("4k3/3p4/8/8/3Q4/8/8/r3K3 w - - 0 1")
        assert state.is_check
        assert state.play(state.parse_uci("d4d7")).outcome.reason == "king_exploded"

    def test_touching_kings_are_in_no_check(self):
        assert not ATOMIC.from_fen("8/8/8/8/8/3k4/3K4/q7 w - - 0 1").is_check
        assert ATOMIC.from_fen("8/8/8/8/3k4/8/3K4/q2q4 w - - 0 1").is_check


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Q] w KQkq - 0 1",  # pockets
        "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",  # no king
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+3 0 1",  # checks to give
    ],
)
def test_positions_of_other_variants_are_refused(fen):
    with pytest.raises(errors.InvalidFen):
        ATOMIC.from_fen(fen)
