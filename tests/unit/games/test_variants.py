"""The variants as games: names, options, starts, boards of python-chess, wrong positions."""

import copy
import pickle
from collections import Counter

import chess
import chess.variant
import numpy as np
import pytest

from phasezoo import errors, games

VARIANTS = ("atomic", "chess960", "crazyhouse", "krk")


@pytest.mark.parametrize("name", VARIANTS)
class TestEveryVariant:
    def test_the_usage_block(self, name):
        state = games.make(name).initial_state(seed=1)
        assert state.play(state.legal_actions[0]).ply == 1
        assert games.game_of(state) is games.make(name)

    def test_sizes_are_those_of_the_states(self, name):
        game = games.make(name)
        state = game.initial_state(seed=1)
        assert state.action_mask.shape == (game.num_actions,)
        for spec, shape in game.plane_specs.items():
            assert state.planes(spec).shape == shape == game.plane_shape(spec)
        assert state.planes().shape == game.plane_shape()

    def test_handles_survive_copying(self, name):
        game = games.make(name)
        assert pickle.loads(pickle.dumps(game)) is copy.deepcopy(game) is game

    def test_a_fen_is_given_back(self, name):
        game = games.make(name)
        state = game.initial_state(seed=3)
        assert game.from_fen(state.fen).fen == state.fen


class TestOptions:
    def test_games_are_equal_when_their_options_are(self):
        plain, train = games.make("krk"), games.make("krk", start="train")
        ranged = games.make("krk", start="train", dtm=(2, 5))
        assert len({repr(game) for game in (plain, train, ranged)}) == 3
        assert plain != train != ranged
        assert ranged == games.make("krk", start="train", dtm=[2, 5])
        assert games.make("krk", start=None, dtm=None) == plain
        assert games.make(train, dtm=(2, 5)) == ranged
        for game in (train, ranged):
            assert pickle.loads(pickle.dumps(game)) == copy.deepcopy(game) == game
            assert pickle.loads(pickle.dumps(game)).options == game.options

    def test_options_say_where_games_start(self):
        game = games.make("krk", start="dtm", dtm=(2, 2))
        assert {game.initial_state(seed).dtm for seed in range(20)} == {2}
        assert len({game.initial_state(seed) for seed in range(20)}) > 15
        assert game.initial_state(5) == game.initial_state(5)

    def test_both_sides_come_to_move_where_asked(self):
        game = games.make("krk", start="uniform", both_move=True)
        for seed in range(1_000):
            state = game.initial_state(seed)
            assert not any(state.play(action).is_terminal for action in state.legal_actions)

    @pytest.mark.parametrize("name", ["chess", "chess960", "atomic", "crazyhouse"])
    def test_games_without_a_choice_refuse_options(self, name):
        with pytest.raises(errors.InvalidConfig, match=f"start=: '{name}' has no such option"):
            games.make(name, start="uniform")

    @pytest.mark.parametrize(
        ("options", "allowed"),
        [
            ({"begin": "train"}, "begin=: 'krk' has no such option.* start, dtm, both_move"),
            ({"start": "dtm", "dtm": (16, 3)}, "1 <= low <= high <= 16"),
            ({"start": "dtm", "dtm": "ab"}, r"\(low, high\)"),
            ({"start": "dtm", "dtm": (1, 1), "both_move": True}, "leaves none"),
            ({"self": 1}, "self=: 'krk' has no such option"),
            ({"both_move": 1}, "True or False"),
            ({"start": b"train"}, "expected one of .fixed., .uniform."),
        ],
    )
    def test_bad_values_are_refused_when_the_game_is_made(self, options, allowed):
        with pytest.raises(errors.InvalidConfig, match=allowed):
            games.make("krk", **options)


class TestChess960:
    def test_seeds_draw_all_kinds_of_arrays(self):
        game = games.make("chess960")
        drawn = Counter(game.initial_state(seed).fen.split("/")[0] for seed in range(9_600))
        assert len(drawn) > 955  # 960 (1 - e^-10)
        assert max(drawn.values()) < 35
        for row in drawn:
            king, rooks = row.index("k"), [i for i, piece in enumerate(row) if piece == "r"]
            bishops = [i for i, piece in enumerate(row) if piece == "b"]
            assert rooks[0] < king < rooks[1]
            assert bishops[0] % 2 != bishops[1] % 2

    def test_without_a_seed_the_usual_array_stands(self):
        assert games.make("chess960").initial_state().fen == chess.STARTING_FEN

    def test_castling_takes_the_own_rook(self):
        state = games.make("chess960").from_fen("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1")
        assert {"e1g1", "e1b1"} <= {state.uci(action) for action in state.legal_actions}
        castled = state.play(state.parse_san("O-O-O"))
        assert castled.fen.split()[0] == "4k3/8/8/8/8/8/8/2KR2R1"


class TestBoards:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("chess960", chess.Board),
            ("atomic", chess.variant.AtomicBoard),
            ("crazyhouse", chess.variant.CrazyhouseBoard),
            ("krk", chess.Board),
        ],
    )
    def test_boards_have_the_moves_of_the_game(self, name, kind):
        rng = np.random.default_rng(1)
        for seed in range(5):
            state = games.make(name).initial_state(seed)
            for _ in range(30):
                if state.is_terminal:
                    break
                state = state.play(rng.choice(state.legal_actions))
            board = state.board()
            assert type(board) is kind
            assert board.chess960 == (name == "chess960")
            assert [move.uci() for move in board.move_stack] == state.moves


class TestCrazyhouse:
    def test_drops_come_after_the_moves_and_by_their_target(self):
        house = games.make("crazyhouse")
        state = house.from_fen("4k3/8/8/8/8/8/8/4K3[PNBRQ] w - - 0 1")
        for piece, letter in enumerate("PNBRQ"):
            assert state.parse_uci(f"{letter}@c3") == (73 + piece) * 64 + 18
        black = house.from_fen("4k3/8/8/8/8/8/8/4K3[n] b - - 0 1")
        assert black.parse_uci("N@c6") == 74 * 64 + 18

    def test_pawns_are_not_dropped_on_the_outer_ranks(self):
        state = games.make("crazyhouse").from_fen("4k3/8/8/8/8/8/8/4K3[P] w - - 0 1")
        drops = [state.uci(a) for a in state.legal_actions if "@" in state.uci(a)]
        assert {drop[3] for drop in drops} == set("234567")

    def test_a_promoted_piece_falls_back_to_a_pawn(self):
        house = games.make("crazyhouse")
        state = house.from_fen("r3k3/8/8/8/8/8/8/Q~3K3 b - - 0 1", ["a8a1"])
        assert "[p]" in state.fen

    def test_bare_kings_and_old_clocks_go_on(self):
        state = games.make("crazyhouse").from_fen("4k3/8/8/8/8/8/8/4K3[] w - - 120 90")
        assert state.outcome is None
        assert len(state.legal_actions) == 5


@pytest.mark.parametrize(
    ("name", "fen"),
    [
        ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"),
        ("krk", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"),
        ("krk", chess.STARTING_FEN),
        ("chess960", "8/8/8/4k3/8/8/8/4K2R[Q] w - - 0 1"),
        ("chess", "1rk2r2/8/8/8/8/8/8/1RK2R2 w BFbf - 0 1"),
    ],
)
def test_positions_of_another_variant_are_refused(name, fen):
    with pytest.raises(errors.InvalidFen):
        games.make(name).from_fen(fen)
