"""Chess states as values: equality, copies, actions, ends, repetitions."""

import copy
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from chess_positions import CHESS, KNIGHTS_OUT_AND_BACK, START, played

from phasezoo import _core, errors, games


class TestValues:
    def test_play_returns_a_new_state(self):
        start = CHESS.initial_state()
        after = start.play(start.parse_uci("e2e4"))
        assert (start.ply, after.ply, start.to_play, after.to_play) == (0, 1, 0, 1)
        assert start.fen == START
        assert start.start_fen is None
        assert after.moves == ["e2e4"]
        assert after.num_players == 2
        assert after.game == "chess"

    def test_the_same_moves_give_equal_states(self):
        one, other = played("e2e4", "e7e5"), played("e2e4", "e7e5")
        assert one == other
        assert hash(one) == hash(other)
        assert len({one, other}) == 1

    def test_states_that_differ_only_in_what_came_before_are_not_equal(self):
        here = played("g1f3", "g8f6", "b1c3", "b8c6")
        transposed = played("b1c3", "b8c6", "g1f3", "g8f6")
        assert here.fen == transposed.fen
        assert here.key == transposed.key
        assert here != transposed
        assert here != CHESS.from_fen(here.fen)
        assert played(*KNIGHTS_OUT_AND_BACK) != CHESS.initial_state()
        assert here != "a state"
        assert here != here.without_history()

    def test_a_given_usual_start_is_the_usual_start(self):
        assert CHESS.from_fen(START) == CHESS.initial_state()
        assert CHESS.from_fen(START).start_fen is None
        assert CHESS.from_fen(START.rsplit(" ", 2)[0]) == CHESS.initial_state()

    @pytest.mark.parametrize("hidden", [False, True])
    def test_copies_and_pickles_keep_everything(self, hidden):
        state = played(*KNIGHTS_OUT_AND_BACK, *KNIGHTS_OUT_AND_BACK[:3])
        state = state.without_history() if hidden else state
        state = state.play(state.parse_uci("e7e5") if hidden else state.parse_uci("f6g8"))
        copies = [copy.copy(state), copy.deepcopy(state)]
        copies += [pickle.loads(pickle.dumps(state, n)) for n in range(pickle.HIGHEST_PROTOCOL + 1)]
        copies += [_core.BoardState.from_bytes("chess", state.to_bytes())]
        for twin in copies:
            assert twin == state
            assert hash(twin) == hash(state)
            assert twin.moves == state.moves
            assert twin.occurrences == state.occurrences
            assert np.array_equal(twin.planes("v1"), state.planes("v1"))
            assert twin.outcome == state.outcome

    def test_an_unused_en_passant_square_of_the_start_survives(self):
        fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
        state = CHESS.from_fen(fen)
        assert state.start_fen == fen
        assert state.fen == fen.replace("e3", "-")
        twin = pickle.loads(pickle.dumps(state))
        assert twin == state
        assert twin.planes("v1")[14].sum() == 1

    @pytest.mark.parametrize("data", [b"", b"\x01", b"\x01\x00\x05\x00ab", b"\x02" + bytes(7)])
    def test_malformed_bytes_are_an_error(self, data):
        with pytest.raises(errors.CorruptRecord, match=f"{len(data)} bytes"):
            _core.BoardState.from_bytes("chess", data)

    def test_a_stored_illegal_move_is_an_error(self):
        data = played("e2e4").to_bytes()
        with pytest.raises(errors.CorruptRecord, match="not legal"):
            _core.BoardState.from_bytes("chess", data + data[-2:])

    def test_bytes_of_another_game_are_an_error(self):
        house = games.make("crazyhouse").initial_state()
        for uci in ("e2e4", "d7d5", "e4d5", "d8d5", "P@e4"):
            house = house.play(house.parse_uci(uci))
        with pytest.raises(errors.CorruptRecord, match=r"a state of .crazyhouse., not of .chess."):
            _core.BoardState.from_bytes("chess", house.to_bytes())

    def test_states_cannot_be_changed(self):
        with pytest.raises(AttributeError):
            CHESS.initial_state().ply = 3

    def test_repr_names_game_and_fen(self):
        assert repr(played("e2e4")).startswith("<BoardState chess 'rnbqkbnr/pppppppp/8/8/4P3/")


class TestActions:
    @pytest.mark.parametrize(
        ("action", "reason"),
        [
            (4672, "actions 0 to 4671"),
            (-1, "not an action index"),
            (2**70, "not an action index"),
            (0, "a1a2 is not legal"),
            (64 * 64, "off the board"),
        ],
    )
    @pytest.mark.parametrize("method", ["play", "uci", "san"])
    def test_bad_actions_are_named(self, method, action, reason):
        with pytest.raises(errors.IllegalAction, match=re.escape(reason)) as error:
            getattr(CHESS.initial_state(), method)(action)
        assert str(error.value).startswith(f"action {action}")
        assert "legal_actions" in str(error.value)

    def test_something_that_is_no_number_is_a_type_error(self):
        with pytest.raises(TypeError, match=r"action 'e2e4': a str; .*\(parse_uci"):
            CHESS.initial_state().play("e2e4")

    def test_numpy_integers_are_actions(self):
        state = CHESS.initial_state()
        assert state.play(np.int32(state.legal_actions[0])) == state.play(state.legal_actions[0])

    def test_mask_and_list_agree(self):
        state = played("e2e4", "d7d5")
        mask = state.action_mask
        assert mask.dtype == np.int8
        assert mask.shape == (4672,)
        assert np.array_equal(np.flatnonzero(mask), state.legal_actions)
        assert state.legal_actions.dtype == np.int64
        assert len(state.legal_actions) == 31

    def test_actions_of_many_states(self):
        mate = CHESS.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
        states = [CHESS.initial_state(), mate, played("e2e4")] * 50
        offsets, actions = _core.legal_actions(states, threads=2)
        assert offsets.dtype == np.int64
        assert actions.dtype == np.int32
        assert offsets[:4].tolist() == [0, 20, 20, 40]
        assert offsets[-1] == len(actions) == 2000
        for i, state in enumerate(states):
            assert np.array_equal(actions[offsets[i] : offsets[i + 1]], state.legal_actions)
        empty_offsets, empty = _core.legal_actions([])
        assert empty_offsets.tolist() == [0]
        assert len(empty) == 0


class TestEnds:
    @pytest.mark.parametrize(
        ("fen", "moves", "reason", "winner"),
        [
            ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", ["f7g7"], "checkmate", 0),
            ("7k/6q1/8/8/8/6qK/8/8 w - - 0 1", [], "checkmate", 1),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", [], "stalemate", None),
            ("4k3/8/8/3b4/2N5/8/8/4K3 b - - 0 1", ["d5c4", "e1d2"], "insufficient_material", None),
            (START, KNIGHTS_OUT_AND_BACK * 2, "threefold_repetition", None),
            ("4k2r/8/8/8/8/8/8/R3K3 w - - 99 90", ["a1a2"], "fifty_moves", None),
            # Mate on the hundredth ply is mate; a bare-king draw goes before the clock.
            ("7k/5Q2/6K1/8/8/8/8/8 w - - 99 90", ["f7g7"], "checkmate", 0),
            ("7k/8/6K1/8/8/8/8/8 w - - 100 90", [], "insufficient_material", None),
        ],
    )
    def test_ends_and_their_order(self, fen, moves, reason, winner):
        state = played(*moves, fen=fen)
        assert state.is_terminal
        assert len(state.legal_actions) == 0
        assert not state.action_mask.any()
        assert (state.outcome.reason, state.outcome.winner) == (reason, winner)
        expected = [0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1]
        assert state.returns.tolist() == expected
        assert state.returns.dtype == np.float32
        with pytest.raises(errors.IllegalAction, match=rf"the game is over \({reason}\)"):
            state.play(0)

    def test_a_running_game_has_no_outcome(self):
        state = played("e2e4")
        assert not state.is_terminal
        assert state.outcome is None
        assert state.returns.tolist() == [0, 0]

    def test_outcomes_are_values(self):
        outcome = CHESS.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").outcome
        assert outcome == _core.Outcome(0, "checkmate") != _core.Outcome(None, "stalemate")
        assert pickle.loads(pickle.dumps(outcome)) == outcome == copy.deepcopy(outcome)
        assert hash(outcome) == hash(_core.Outcome(0, "checkmate"))
        assert repr(outcome) == "Outcome(winner=0, reason='checkmate')"

    def test_recorded_games_may_go_on_after_a_draw(self):
        state = played(*KNIGHTS_OUT_AND_BACK * 3)
        assert state.occurrences == 3
        assert state.outcome.reason == "threefold_repetition"
        assert not played(*KNIGHTS_OUT_AND_BACK * 3, "e2e4").is_terminal


class TestRepetition:
    def test_occurrences_are_counted_from_the_start(self):
        state, counts = CHESS.initial_state(), []
        for move in KNIGHTS_OUT_AND_BACK * 2:
            state = state.play(state.parse_uci(move))
            counts.append(state.occurrences)
        assert counts == [0, 0, 0, 1, 1, 1, 1, 2]

    def test_a_pawn_move_ends_what_can_recur(self):
        state = played(*KNIGHTS_OUT_AND_BACK, "e2e4", "e7e5", *KNIGHTS_OUT_AND_BACK)
        assert state.occurrences == 1
        assert not state.is_terminal

    def test_lost_castling_rights_are_another_position(self):
        start = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
        there_and_back = ["e1e2", "e8e7", "e2e1", "e7e8"]
        assert played(*there_and_back, fen=start).occurrences == 0
        assert played(*there_and_back * 2, fen=start).occurrences == 1

    def test_only_a_legal_en_passant_capture_is_another_position(self):
        back = ["g8f6", "g1f3", "f6g8", "f3g1"]
        legal = "4k1n1/8/8/8/3p4/8/4P3/4K1N1 w - - 0 1"
        pinned = "6n1/8/8/8/k2p3R/8/4P3/4K1N1 w - - 0 1"
        assert played("e2e4", *back, fen=legal).occurrences == 0
        assert played("e2e4", *back, fen=pinned).occurrences == 1


class TestPerft:
    def test_counts(self):
        assert _core.perft("chess", None, 4) == 197_281
        kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
        assert _core.perft("chess", kiwipete, 4, threads=2) == 4_085_603
        assert _core.perft("chess", kiwipete, 0) == 1

    def test_bad_input_is_named(self):
        with pytest.raises(errors.UnknownGame, match="checkers"):
            _core.perft("checkers", None, 2)
        with pytest.raises(errors.InvalidFen):
            _core.perft("chess", "nonsense", 2)
        with pytest.raises(errors.InvalidConfig, match="-1: expected a whole number from 0"):
            _core.perft("chess", None, -1)
        with pytest.raises(errors.InvalidConfig, match="-2: expected a whole number from 0"):
            _core.perft("chess", None, 2, threads=-2)

    def test_an_interrupt_stops_the_count(self):
        program = (
            "import signal, threading, _thread\n"
            "from phasezoo import _core\n"
            # Where the tests run in the background of a shell, SIGINT is ignored from the start.
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "threading.Timer(0.5, _thread.interrupt_main).start()\n"
            "_core.perft('chess', None, 12)\n"
        )
        ended = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "KeyboardInterrupt" in ended.stderr
