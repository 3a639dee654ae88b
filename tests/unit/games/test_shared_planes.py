"""Planes that all games on the board of 64 squares share, and the actions that go with them."""

import numpy as np
import pytest

from phasezoo import games

VARIANTS = ("chess", "chess960", "atomic", "crazyhouse", "krk")


def states(name, count=12):
    game = games.make(name)
    draw = np.random.default_rng(5)
    state = game.initial_state(seed=1)
    for _ in range(count):
        yield state
        if len(state.legal_actions) == 0:
            return
        state = state.play(int(draw.choice(state.legal_actions)))


@pytest.mark.parametrize("name", VARIANTS)
def test_pieces_come_first_and_pockets_are_zero_where_there_are_none(name):
    game = games.make(name)
    assert game.plane_shape("shared") == (22, 8, 8)
    for state in states(name):
        for player in (0, 1):
            planes, minimal = state.planes("shared", player), state.planes("minimal", player)
            np.testing.assert_array_equal(planes[:12], minimal[:12])
            if name == "crazyhouse":
                np.testing.assert_array_equal(planes, minimal)
            else:
                assert not planes[12:].any()


def test_a_pocket_is_seen():
    state = games.make("crazyhouse").from_fen("4k3/8/8/8/8/8/8/4K3[QPPn] w - - 0 1")
    pockets = state.planes("shared")[12:, 0, 0]
    np.testing.assert_array_equal(pockets * 32, [2, 0, 0, 0, 1, 0, 1, 0, 0, 0])


@pytest.mark.parametrize("name", VARIANTS)
def test_networks_of_them_answer_the_actions_of_all_games(name):
    game = games.make(name)
    assert game.policy_size("shared") == 4992
    assert game.policy_size() == game.num_actions


def test_the_same_move_has_the_same_index_in_every_game():
    indices = {
        games.make(name).initial_state().parse_uci(move)
        for name in ("chess", "atomic", "crazyhouse")
        for move in ("e2e4",)
    }
    assert len(indices) == 1
