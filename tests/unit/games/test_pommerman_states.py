"""Pommerman's states as Python values."""

import copy
import json
import pickle
import random

import numpy as np
import pytest

from phasezoo import _core, games, gating
from phasezoo.errors import (
    IllegalAction,
    InvalidConfig,
    InvalidGate,
    InvalidPlaneSpec,
    InvalidState,
    UnknownGame,
)
from phasezoo.games.queries import joint_action

NAMES = (
    *("pommerman-ffa", "pommerman-team", "pommerman-team-radio", "pommerman-1v1"),
    "pommerman-1v1-11",
)
FFA = games.make("pommerman-ffa")


def played(name: str, seed: int, steps: int):
    """A state after ``steps`` steps of the original's agent."""
    game = games.make(name, fog=False)
    state = game.initial_state(seed=seed)
    agents = [_core.PommermanSimple(seed + player) for player in range(game.num_players)]
    for _ in range(steps):
        if state.is_terminal:
            break
        state = state.play(
            [
                agents[player].act(state, player) if state.agents[player][5] else 0
                for player in range(game.num_players)
            ]
        )
    return state


@pytest.mark.parametrize("name", NAMES)
def test_states_are_values(name: str) -> None:
    game = games.make(name)
    state = played(name, 4, 60)
    assert games.game_of(state) is game
    for twin in (
        copy.copy(state),
        copy.deepcopy(state),
        pickle.loads(pickle.dumps(state)),
        games.make(name, fog=False).from_json(state.to_json()),
    ):
        assert twin == state
        assert hash(twin) == hash(state)
        assert twin.key == state.key
    assert state != played(name, 5, 60)


def test_a_seed_gives_the_board_of_the_original() -> None:
    # The first cells that the original takes off the list of free ones, by Python's own generator.
    random.seed(7)
    cells = [(r, c) for r, c in {(r, c) for r in range(11) for c in range(11)} if r != c]
    assert len(cells) == 110
    state = FFA.initial_state(seed=7)
    board = state.board
    assert (board == board.T)[board < 10].all()
    assert np.count_nonzero(board == 1) == np.count_nonzero(board == 2) == 36
    assert np.count_nonzero(state.items) == 20
    assert (board[state.items > 0] == 2).all()
    assert FFA.initial_state(seed=7) == state != FFA.initial_state(seed=8)


def test_only_the_radios_games_have_fog_by_themselves() -> None:
    assert [games.make(name).initial_state(seed=1).view for name in NAMES] == [
        4 if name == "pommerman-team-radio" else None for name in NAMES
    ]
    assert games.make("pommerman-team-radio", fog=False).initial_state(seed=1).view is None


def test_everybody_moves_at_once_until_one_is_left() -> None:
    state = FFA.initial_state(seed=5)
    assert state.to_play == games.SIMULTANEOUS
    assert state.acting == (0, 1, 2, 3)
    assert state.legal_actions_of(2).tolist() == [0, 1, 2, 3, 4, 5]
    moved = state.play(np.array([0, 1, 5, 2]))
    assert moved.ply == 1
    assert state.ply == 0
    assert moved.bombs == [(2, 9, 9, 9, 2, 0)]
    # Player 2 stays on a bomb of their own, and the others far away from it.
    for _ in range(9):
        moved = moved.play([0, 0, 0, 0])
    assert moved.acting == (0, 1, 3)
    assert moved.settled(2) == -1.0
    assert moved.settled(0) is None
    assert moved.play([0, 0, 0]) == moved.play([0, 0, 5, 0]), "what the dead send is ignored"
    assert moved.returns.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_games_end_with_returns_and_a_reason(name: str) -> None:
    reasons = set()
    for seed in range(6):
        state = played(name, seed, 800)
        assert state.is_terminal
        assert state.acting == ()
        outcome, returns = state.outcome, state.returns
        reasons.add(outcome.reason)
        winners = [player for player, value in enumerate(returns) if value > 0]
        assert (outcome.winner is not None) == (len(winners) == 1)
        with pytest.raises(IllegalAction, match="the game is over"):
            state.play([0] * state.num_players)
    known = {"last_standing", "last_team_standing", "all_dead", "step_limit"}
    assert reasons <= known


@pytest.mark.parametrize("name", NAMES)
def test_planes_are_what_the_state_says(name: str) -> None:
    state = played(name, 3, 45)
    players, board = state.num_players, state.board
    for player in range(players):
        planes = state.planes(player=player)
        assert planes.shape == games.make(name).plane_shape()
        np.testing.assert_array_equal(planes[0], board == 1)
        np.testing.assert_array_equal(planes[1], board == 2)
        for kind in (6, 7, 8):
            np.testing.assert_array_equal(planes[kind - 4], board == kind)
        expected = np.zeros((6, *board.shape), dtype=np.float32)
        for _, row, column, life, blast, direction in state.bombs:
            expected[0, row, column] = 1 - life / 9
            expected[1, row, column] = min((blast - 1) / 11, 1)
            expected[2, row, column] = {4: 1, 3: -1}.get(direction, 0)
            expected[3, row, column] = {1: 1, 2: -1}.get(direction, 0)
        for row, column, life in state.flames:
            expected[4, row, column] = (life + 1) / 3
        np.testing.assert_allclose(planes[5:10], expected[:5], atol=1e-6)
        for other in range(players):
            relative = (other - player) % players
            np.testing.assert_array_equal(planes[10 + relative], board == 10 + other)
            assert (planes[18 + relative] == state.agents[other][5]).all()
        for absent in range(players, 4):
            assert not planes[10 + absent].any()
            assert not planes[18 + absent].any()
        _, _, ammo, blast, kick, _ = state.agents[player]
        laid = sum(bomb[0] == player for bomb in state.bombs)
        scalars = [min((blast - 1) / 11, 1), laid / 5, (laid + ammo) / 5, float(kick)]
        for plane, value in zip((14, 15, 16, 17), scalars, strict=True):
            np.testing.assert_allclose(planes[plane], value, atol=1e-6)
        np.testing.assert_allclose(planes[22], state.ply / 799, atol=1e-6)


def test_fog_hides_what_is_far() -> None:
    state = games.make("pommerman-team", fog=True).initial_state(seed=2)
    seen = state.planes(player=0)[:14].sum(axis=0) > 0
    assert state.view == 4
    row, column = state.agents[0][:2]
    rows, columns = np.indices(state.board.shape)
    far = np.maximum(abs(rows - row), abs(columns - column)) > 4
    assert not (seen & far).any()
    assert (seen & ~far).any()


def test_words_travel_with_actions() -> None:
    state = games.make("pommerman-team-radio").initial_state(seed=2)
    state = state.play([6 * (3 + 8 * 5), 1, 0, 2 + 6 * 7])
    assert state.words == [(3, 5), (0, 0), (0, 0), (7, 0)]
    assert state.play([0, 0, 0, 0]).words == [(0, 0)] * 4


def test_gates_read_pommerman() -> None:
    state = played("pommerman-ffa", 3, 45)
    living = sum(agent[5] for agent in state.agents)
    assert gating.make("steps:40", "pommerman-ffa")(state, 0) == 1
    assert gating.make("opponents", "pommerman-ffa")(state, 0) == min(2, 4 - living)
    for player in range(4):
        own = state.agents[player]
        distances = [
            abs(own[0] - other[0]) + abs(own[1] - other[1])
            for enemy, other in enumerate(state.agents)
            if enemy != player and other[5]
        ]
        nearest = min(distances, default=22)
        for spec in ("proximity", "mixedness:6,3"):
            phase = gating.make(spec, "pommerman-ffa")(state, player)
            assert phase == (nearest < 6) + (nearest < 3)
    with pytest.raises(InvalidGate, match="pommerman has no such gate"):
        gating.make("lichess", "pommerman-ffa")


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: FFA.initial_state().play([0, 0, 0]), IllegalAction, "3 actions were given"),
        (lambda: FFA.initial_state().play([0, 0, 0, 6]), IllegalAction, "action 6"),
        (lambda: FFA.initial_state().play([0, 0, 0, -1]), IllegalAction, "action -1"),
        (lambda: FFA.initial_state().planes("v2"), InvalidPlaneSpec, 'expected "standard"'),
        (lambda: FFA.initial_state().planes(player=4), InvalidConfig, "players 0 to 3"),
        (lambda: FFA.from_json("{}"), InvalidState, "board is missing"),
        (lambda: FFA.from_json("nonsense"), InvalidState, "not a state of Pommerman"),
        (lambda: FFA.from_fen("8/8"), UnknownGame, "has no FEN"),
        (lambda: games.make("chess").from_json("{}"), UnknownGame, "has no JSON"),
        (lambda: games.make("pommerman-ffa", fog=1), InvalidConfig, "fog=1"),
        (
            lambda: games.make("pommerman-ffa", view=4),
            InvalidConfig,
            "view=: .* has no such option",
        ),
        (lambda: FFA.initial_state(seed=-1), InvalidConfig, "seed=-1"),
        (lambda: FFA.initial_state(seed=2**64), InvalidConfig, "from 0 to 18,446"),
        (lambda: FFA.initial_state().observed(4), InvalidConfig, "players 0 to 3"),
        (
            lambda: games.make("pommerman-1v1").from_json(FFA.initial_state().to_json()),
            InvalidState,
            "4 agents for 2 players",
        ),
    ],
)
def test_bad_input_is_refused(call, error, match: str) -> None:
    with pytest.raises(error, match=match):
        call()


def test_a_pickled_state_keeps_how_far_blasts_may_reach() -> None:
    start = games.make("pommerman-ffa").initial_state(seed=3)
    state = _core.pommerman_from_json(start.to_json(), "ffa", max_blast=2)
    assert state != start
    assert pickle.loads(pickle.dumps(state)) == state


def test_two_players_on_the_large_board() -> None:
    small, large = games.make("pommerman-1v1"), games.make("pommerman-1v1-11")
    state = large.initial_state(seed=3)
    board = np.array(json.loads(json.loads(state.to_json())["board"]))
    assert board.shape == (11, 11)
    assert (board == 1).sum() == 36
    assert (board == 2).sum() == 36
    assert state.planes().shape == large.plane_shape() == (23, 11, 11)
    assert state.game == "pommerman-1v1-11"
    assert small.initial_state(seed=3).game == "pommerman-1v1"
    assert pickle.loads(pickle.dumps(state)) == state
    for mode, size in (("ffa", 8), ("1v1", 9), ("1v1", 12)):
        with pytest.raises(InvalidConfig, match=f"size={size}: boards of 11"):
            _core.pommerman_initial(mode, size=size)


def test_actions_are_joined_as_play_takes_them() -> None:
    several = joint_action(FFA.initial_state(seed=0), [0, 5, 1, 2])
    assert several.dtype == np.int64
    assert several.tolist() == [0, 5, 1, 2]
    assert joint_action(games.make("chess").initial_state(), [7]) == 7
