"""Moves and positions of chess as text, both ways, and as boards of python-chess."""

import re
import sys

import pytest
from chess_positions import CHESS, START, played

from phasezoo import errors


class TestNotation:
    @pytest.mark.parametrize("castling", ["e1g1", "e1h1"])
    def test_both_ways_to_write_castling(self, castling):
        state = CHESS.from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        action = state.parse_uci(castling)
        assert state.uci(action) == "e1g1"
        assert state.san(action) == "O-O"
        assert action == state.parse_san("O-O")
        assert state.play(action).fen == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"

    def test_a_queen_promotion_is_a_queen_move_and_a_rook_is_not(self):
        state = CHESS.from_fen("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1")
        assert state.parse_uci("e7e8q") < 56 * 64 <= 64 * 64 <= state.parse_uci("e7e8r")
        assert state.san(state.parse_uci("e7e8n")) == "e8=N+"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("0000", "null move"),
            ("e2e5", "not a legal move"),
            ("e2e4q", "not a legal move"),
            ("E2E4", "not a UCI move"),
            ("e2", "not a UCI move"),
            ("", "not a UCI move"),
            ("P@e4", "not a legal move"),
            ("é2e4", "not a UCI move"),
        ],
    )
    def test_bad_uci_says_what_was_given_and_what_is_legal(self, text, reason):
        with pytest.raises(errors.InvalidUci) as error:
            CHESS.initial_state().parse_uci(text)
        message = str(error.value)
        assert message.startswith(f"'{text}'")
        assert reason in message
        assert START in message
        assert "20 legal moves" in message

    @pytest.mark.parametrize("text", ["Nf6", "Qxe4", "O-O", "--", "e9", "", "Nbd2", "e2e4 "])
    def test_bad_san_says_what_was_given_and_what_is_legal(self, text):
        with pytest.raises(errors.InvalidSan, match="20 legal moves, such as") as error:
            CHESS.initial_state().parse_san(text)
        assert str(error.value).startswith(f"'{text}'")

    def test_ambiguous_san_is_an_error(self):
        state = CHESS.from_fen("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1")
        with pytest.raises(errors.InvalidSan, match="more than one move"):
            state.parse_san("Ne2")
        assert state.uci(state.parse_san("Nge2")) == "g1e2"

    def test_moves_of_from_fen_are_checked(self):
        with pytest.raises(errors.InvalidUci, match="e7e5"):
            played("e2e4", "e7e5", "e7e5")

    @pytest.mark.parametrize(
        ("fen", "reason"),
        [
            ("8/8/8/8/8/8/8 w - - 0 1", "expected 8 ranks, found 7"),
            ("x", "expected 8 ranks, found 1"),
            ("", "found nothing"),
            ("  ", "found nothing"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "one white king, found 0"),
            ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "one black king, found 2"),
            ("k7/8/8/9/8/8/8/K7 w - - 0 1", "rank 5: expected pieces or digits, found '9'"),
            ("k7/8/8/7/8/8/8/K7 w - - 0 1", "rank 5 ('7'): expected 8 squares, found 7"),
            ("k7/8/8/8/8/8/8/K7 w - - 0", "expected 6 fields (FEN) or 4 (EPD)"),
            ("k7/8/8/8/8/8/8/K7 w - - 0 1 2", "found 7"),
            ("k7/8/8/8/8/8/8/K7 x - - 0 1", "side to move, 'w' or 'b', found 'x'"),
            ("k7/8/8/8/8/8/8/K7 w X - 0 1", "found 'X'"),
            ("k7/8/8/8/8/8/8/K7 w K - 0 1", "castling rights need king and rook"),
            ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "stands twice"),
            ("k7/8/8/8/8/8/8/K7 w - e9 0 1", "found 'e9'"),
            ("k7/8/8/8/8/8/8/K7 w - e6 0 1", "just passed by a pawn"),
            ("k7/8/8/8/8/8/8/K7 w - - -1 1", "halfmove clock from 0"),
            ("k7/8/8/8/8/8/8/K7 w - - 0 -1", "move number from 0"),
            ("k7/8/8/8/8/8/8/K7 w - - x 1", "found 'x'"),
            ("k7/8/8/8/8/8/8/K7 w - - 0 99999999999", "found '99999999999'"),
            ("k7/8/8/8/8/8/8/KP6 w - - 0 1", "a pawn stands on the first or last rank"),
            ("k7/8/8/8/8/8/8/K6r b - - 0 1", "can be captured"),
            ("k7/8/8/8/8/8/8/K7[Q] w - - 0 1", "this game has no pockets"),
            ("k~7/8/8/8/8/8/8/K7 w - - 0 1", "found '~'"),
        ],
    )
    def test_bad_fens_say_what_is_wrong(self, fen, reason):
        with pytest.raises(errors.InvalidFen, match=re.escape(reason)) as error:
            CHESS.from_fen(fen)
        assert str(error.value).startswith(f"'{fen}'")

    def test_long_and_unprintable_texts_are_quoted_with_care(self):
        with pytest.raises(errors.InvalidFen) as error:
            CHESS.from_fen("\x00\n" + "x" * 10_000)
        message = str(error.value)
        assert len(message) < 400
        assert "\n" not in message
        assert "10002 characters" in message

    @pytest.mark.parametrize(
        "fen",
        [
            "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/7p/K6k b - - 0 1",
            "4k3/8/8/8/8/5n2/8/r3K2b w - - 0 1",
            "4k3/8/8/8/8/3n1n2/8/4K3 w - - 0 1",
        ],
    )
    def test_odd_material_and_impossible_checks_are_accepted(self, fen):
        assert CHESS.from_fen(fen).fen == fen

    def test_board_has_the_moves_and_the_start(self):
        fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 20"
        board = played("e1g1", "e8c8", fen=fen).board()
        assert board.root().fen() == fen
        assert [m.uci() for m in board.move_stack] == ["e1g1", "e8c8"]
        assert board.fen() == "2kr3r/8/8/8/8/8/8/R4RK1 w - - 5 21"

    def test_board_without_python_chess_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "chess", None)
        with pytest.raises(errors.MissingDependency, match=re.escape("[chess]")):
            CHESS.initial_state().board()
