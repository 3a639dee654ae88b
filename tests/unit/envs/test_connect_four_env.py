"""Connect Four's environments: starts, gates, pictures, and the native vector beside them."""

import gymnasium as gym
import numpy as np
import pytest
from vector_pairs import MODES, Pair, play

import phasezoo
from phasezoo import games, gating
from phasezoo.envs import rendering
from phasezoo.errors import InvalidConfig, InvalidGate, InvalidState, UnknownGame

GAME = games.make("connect-four")

OPTIONS = {
    "self-play": {"opponent": None, "gate": "plies"},
    "alternate": {"opponent": "random", "agent_color": "alternate", "gate": "threats"},
    "random seat": {"opponent": "random", "agent_color": "random", "gate": "hash:4"},
    "monotone": {"opponent": "random", "gate": "threats", "monotone": True},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", OPTIONS)
def test_the_native_vector_plays_what_single_environments_play(name, mode):
    pair = Pair(5, mode, env_id="ConnectFour-v0", max_plies=30, **OPTIONS[name])
    assert play(pair, 110, seed=3) > 10
    pair.reset()


@pytest.mark.parametrize("color", ["white", "black"])
def test_the_perfect_opponent_plays_alike_in_the_vector(color):
    pytest.importorskip("bitbully", reason="the solver is not installed: extra 'solve'")
    pair = Pair(3, MODES[0], env_id="ConnectFour-v0", opponent="tablebase", agent_color=color)
    assert play(pair, 40, seed=4, illegal_share=0.0) > 2


class TestStarts:
    def test_columns_are_where_a_game_starts(self):
        env = gym.make("ConnectFour-v0", opponent=None)
        _, info = env.reset(seed=1, options={"columns": "4453"})
        assert info["state"] == GAME.from_columns("4453")
        assert (info["ply"], info["to_play"], env.unwrapped.game_state.columns) == (4, 0, "4453")
        assert "fen" not in info

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"columns": "448"}, InvalidState, "digits 1 to 7"),
            ({"columns": "1111111"}, InvalidState, "full"),
            ({"columns": "1212121"}, InvalidConfig, "over (connect_four)"),
            ({"fen": "8/8"}, InvalidConfig, "'columns'"),
            ({"columns": 4453}, InvalidConfig, "columns=4453: expected a text"),
            ({"moves": ["e2e4"]}, InvalidConfig, "'columns'"),
        ],
    )
    def test_others_are_refused(self, options, error, words):
        env = gym.make("ConnectFour-v0", opponent=None)
        with pytest.raises(error) as caught:
            env.reset(seed=1, options=options)
        assert words in str(caught.value)

    def test_a_vector_starts_there_too(self):
        envs = gym.make_vec("ConnectFour-v0", num_envs=3, opponent=None)
        _, infos = envs.reset(seed=1, options={"columns": "4453"})
        assert infos["ply"].tolist() == [4, 4, 4]
        assert [state.columns for state in envs.unwrapped.states] == ["4453"] * 3

    def test_there_is_no_fen(self):
        with pytest.raises(UnknownGame, match="from_columns"):
            GAME.from_fen("8/8/8/8/8/8/8/8 w - - 0 1")
        with pytest.raises(UnknownGame, match="not written as columns"):
            games.make("chess").from_columns("44")


class TestGates:
    def test_a_gate_of_another_game_is_refused_with_those_of_this_one(self):
        with pytest.raises(InvalidGate) as caught:
            gym.make("ConnectFour-v0", gate="lichess")
        assert "threats:1,3" in str(caught.value)
        assert "material" not in str(caught.value)

    def test_names_and_defaults(self):
        assert gating.make("threats", "connect-four").names == ("under 1", "1–2", "3 and over")
        assert gating.make("plies", "connect-four").names == ("up to 14", "15–28", "over 28")

    def test_phases_follow_the_board(self):
        gate = gating.make("threats", "connect-four")
        assert [gate(GAME.from_columns(c)) for c in ("", "112233", "1122", "151515")] == [
            0,
            1,
            0,
            1,
        ]


class TestPictures:
    STATE = GAME.from_columns("1122334")

    def test_text(self):
        lines = rendering.render(GAME, self.STATE, "ansi").splitlines()
        assert lines == [
            ". . . . . . .", ". . . . . . .", ". . . . . . .", ". . . . . . .",
            "O O O . . . .", "X X X X . . .", "1 2 3 4 5 6 7",
        ]  # fmt: skip

    def test_stones_have_the_colours_of_their_players(self):
        picture = rendering.render(GAME, self.STATE, "rgb_array")
        assert picture.shape == (512, 512, 3)
        assert picture.dtype == np.uint8
        from phasezoo.zoo.connect_four.pictures import CELL, EMPTY, LEFT, STONES, TOP

        def colour(row, column):
            # Beside the middle, where a mark may be.
            y, x = TOP + (5 - row) * CELL + CELL // 2, LEFT + column * CELL + CELL // 2 + 20
            return tuple(int(part) for part in picture[y, x])

        assert colour(0, 0) == STONES[0]
        assert colour(1, 0) == STONES[1]
        assert colour(0, 5) == EMPTY

    def test_the_svg_marks_the_line_of_four(self):
        svg = rendering.render(GAME, self.STATE, "svg")
        assert svg.count('href="#in-line"') == 4
        assert svg.count('href="#stone"') == 7
        assert 'href="#last"' in rendering.render(GAME, GAME.from_columns("44"), "svg")


def test_scores_of_other_games_are_not_known():
    with pytest.raises(InvalidConfig, match="not known"):
        games.make("chess").action_scores(games.make("chess").initial_state())


def test_without_the_solver_the_error_names_the_extra(monkeypatch):
    import sys

    from phasezoo.zoo.connect_four import game as solver

    monkeypatch.setitem(sys.modules, "bitbully", None)
    solver._solver.cache_clear()
    try:
        with pytest.raises(phasezoo.errors.MissingDependency, match=r"\[solve\]"):
            GAME.action_scores(GAME.initial_state())
    finally:
        solver._solver.cache_clear()
