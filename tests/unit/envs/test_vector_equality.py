"""The native vector environment plays exactly what SyncVectorEnv over the scalar one plays."""

import numpy as np
import pytest
from vector_pairs import MODES, Pair, actions_of, covering, play

from phasezoo import gating

# Endings come soon from here: bare kings and a rook, the clock far on.
LATE = {"fen": "8/8/8/4k3/8/8/3R4/4K3 w - - 92 80"}
BLACK_TO_MOVE = {"fen": "8/8/8/4k3/8/8/4R3/4K3 b - - 90 80"}
MATE_IN_ONE = {"fen": "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"}

OPTIONS = {
    "self-play": {"opponent": None, "gate": "lichess"},
    "white": {"opponent": "random", "agent_color": "white", "gate": "material:10,6"},
    "black": {"opponent": "random", "agent_color": "black", "planes": "v1"},
    "alternate": {"opponent": "random", "agent_color": "alternate", "planes": "minimal"},
    "random color": {"opponent": "random", "agent_color": "random", "gate": "hash:4"},
    "monotone": {"opponent": "random", "gate": "mixedness:20,40", "monotone": True},
    "monotone self-play": {"opponent": None, "gate": "mixedness:20,40", "monotone": True},
    "replaced": {"opponent": "random", "illegal": "random_legal", "agent_color": "alternate"},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", OPTIONS)
def test_trajectories_are_equal(name, mode):
    pair = Pair(6, mode, max_plies=60, **OPTIONS[name])
    assert play(pair, 150, seed=11) > 6
    # Going on without a seed goes on with the same streams.
    pair.reset()
    pair.step(actions_of(pair.reset(), np.random.default_rng(0)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("start", [LATE, BLACK_TO_MOVE, MATE_IN_ONE], ids=["late", "black", "mate"])
@pytest.mark.parametrize("opponent", [None, "random"])
def test_positions_and_natural_ends_are_equal(mode, start, opponent):
    pair = Pair(5, mode, opponent=opponent, gate="material")
    rng = np.random.default_rng(3)
    ends = 0
    pair.reset(seed=0)
    for seed in range(6):
        infos = pair.reset(seed=[seed, None, seed + 7, 5, 6], options=start)
        for _ in range(12):
            _, _, terminated, truncated, infos = pair.step(actions_of(infos, rng))
            ends += int(terminated.sum())
            if mode == "Disabled" and (terminated | truncated).any():
                break
    assert ends > 5


def test_long_games_end_by_the_rules_alike():
    pair = Pair(4, "SameStep", opponent=None, planes="minimal")
    assert play(pair, 700, seed=5, illegal_share=0.0) >= 4


def test_moves_fill_the_history():
    pair = Pair(2, "NextStep", opponent=None)
    infos = pair.reset(seed=1, options={"moves": ["e2e4", "e7e5", "g1f3"]})
    assert infos["ply"].tolist() == [3, 3]
    assert infos["to_play"].tolist() == [1, 1]
    start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    infos = pair.reset(options={"fen": start, "moves": ["e7e5"]})
    assert infos["ply"].tolist() == [1, 1]
    assert infos["to_play"].tolist() == [0, 0]


def first_legal(observation, info):
    assert observation.shape == (52, 8, 8)
    assert info["state"].to_play == info["to_play"]
    assert info["action_mask"].sum() == len(info["state"].legal_actions)
    return int(np.flatnonzero(info["action_mask"])[0])


class Sessions:
    """An agent whose sessions draw from their seed and count their own moves."""

    def session(self, seed):
        return _Session(seed)


class _Session:
    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)
        self._moves = 0

    def act(self, state, player=None):
        assert player == state.to_play
        self._moves += 1
        legal = state.legal_actions
        return int(legal[(self._rng.integers(len(legal)) + self._moves) % len(legal)])


def test_opponents_forget_a_game_that_is_begun_again_with_the_same_seed():
    pair = Pair(3, "NextStep", opponent=Sessions(), agent_color="black", planes="minimal")
    for _ in range(2):
        infos, rng = pair.reset(seed=5), np.random.default_rng(1)
        for _ in range(4):
            infos = pair.step(actions_of(infos, rng))[4]


@pytest.mark.parametrize(
    ("opponent", "mode", "agent_color"),
    covering([first_legal, Sessions()], MODES, ["black", "alternate"]),
)
def test_opponents_from_outside_are_equal(opponent, mode, agent_color):
    pair = Pair(
        4, mode, opponent=opponent, agent_color=agent_color, max_plies=30, gate="lichess:engine"
    )
    assert play(pair, 60, seed=2) > 3


def officers(state, player=None):
    return int(sum(state.fen.split()[0].lower().count(letter) for letter in "nbrq") <= 13) + (
        2 * int(state.fen.split()[0].count("P") < 7)
    )


@pytest.mark.parametrize(
    ("opponent", "mode", "monotone"),
    covering([None, "random", Sessions()], MODES, [False, True]),
)
def test_gates_in_python_are_equal(opponent, mode, monotone):
    gate = gating.make(officers, names=("full", "traded", "pawns", "both"))
    pair = Pair(
        4, mode, opponent=opponent, gate=gate, monotone=monotone, agent_color="alternate",
        max_plies=50, planes="minimal",
    )  # fmt: skip
    assert play(pair, 80, seed=4) > 3


def swinging(state, player):
    """It goes up and down, and is another for each player."""
    return (state.ply * 3 // 2 + player) % 4


def by_phase(observation, info):
    allowed = np.flatnonzero(info["action_mask"])
    return int(allowed[info["phase"] % len(allowed)])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponent", [None, by_phase])
@pytest.mark.parametrize("monotone", [False, True])
def test_gates_that_go_back_are_equal_for_each_player(opponent, mode, monotone):
    gate = gating.make(swinging, names=("a", "b", "c", "d"), monotone=monotone)
    pair = Pair(
        3, mode, env_id="ConnectFour-v0", opponent=opponent, gate=gate, agent_color="alternate"
    )
    assert play(pair, 60, seed=5) > 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("env_id", "options"),
    [
        ("Chess-v0", {"opponent": "random", "planes": "minimal"}),
        ("Crazyhouse-v0", {"opponent": None, "planes": "minimal"}),
        ("ConnectFour-v0", {"opponent": "random", "agent_color": "alternate"}),
        ("KRK-v0", {"start": "uniform", "planes": "minimal"}),
        ("PommermanFFA-v0", {"opponents": "random"}),
        ("PommermanTeamRadio-v0", {"opponents": "random"}),
    ],
)
def test_masked_observations_are_equal(env_id, options, mode):
    pair = Pair(3, mode, env_id=env_id, observation="masked", max_plies=25, **options)
    assert play(pair, 60, seed=6) > 3
