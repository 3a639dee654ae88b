"""The native vectors of the variants play what SyncVectorEnv over the scalar ones plays."""

import gymnasium as gym
import numpy as np
import pytest
from vector_pairs import MODES, Pair, actions_of, covering, play

from phasezoo.errors import InvalidConfig

VARIANTS = {
    "chess960": {"env_id": "Chess-v0", "chess960": True},
    "atomic": {"env_id": "AtomicChess-v0"},
    "crazyhouse": {"env_id": "Crazyhouse-v0"},
    "krk": {"env_id": "KRK-v0", "start": "uniform"},
}

OPTIONS = {
    "self-play": {"opponent": None, "gate": "lichess", "planes": "v1"},
    "alternate": {"opponent": "random", "agent_color": "alternate", "gate": "hash:4"},
    "monotone": {"opponent": "random", "gate": "material", "monotone": True},
}


@pytest.mark.parametrize(("variant", "name", "mode"), covering(VARIANTS, OPTIONS, MODES))
def test_trajectories_of_variants_are_equal(variant, name, mode):
    pair = Pair(5, mode, max_plies=50, **VARIANTS[variant], **OPTIONS[name])
    assert play(pair, 110, seed=3) > 5
    pair.reset()


@pytest.mark.parametrize("mode", MODES)
def test_exploded_kings_end_games_alike(mode):
    pair = Pair(6, mode, env_id="AtomicChess-v0", opponent=None, planes="minimal")
    assert play(pair, 300, seed=8, illegal_share=0.0) > 6


KRK = {
    "fixed": {},
    "train": {"start": "train", "dtm": (1, 3), "gate": "dtm:2,1"},
    "region": {"start": "heldout-region", "gate": "box"},
}


COLORS = ("white", "black", "alternate", "random")


@pytest.mark.parametrize(("name", "color", "mode"), covering(KRK, COLORS, MODES))
def test_the_table_plays_alike(name, color, mode):
    options = dict(KRK[name])
    if "dtm" in options and color != "white":
        options["dtm"] = (2, 3)
    pair = Pair(
        5, mode, env_id="KRK-v0", agent_color=color, max_plies=24, planes="minimal", **options
    )
    ends = play(pair, 90, seed=6, illegal_share=0.02)
    assert ends > 5


@pytest.mark.parametrize("mode", MODES)
def test_the_table_plays_alike_under_a_gate_that_sees_every_ply(mode):
    pair = Pair(
        4, mode, env_id="KRK-v0", start="uniform", agent_color="black", gate=rank_of_the_king,
        monotone=True, max_plies=20, planes="minimal",
    )  # fmt: skip
    assert play(pair, 60, seed=2) > 3


def rank_of_the_king(state):
    rows = state.fen.split()[0].split("/")
    return int(next(row for row, text in enumerate(rows) if "k" in text) >= 4)


rank_of_the_king.names = ("upper half", "lower half")


@pytest.mark.parametrize("mode", MODES)
def test_callables_are_told_of_their_own_moves(mode):
    pair = Pair(
        3, mode, env_id="KRK-v0", start="uniform", agent_color="black", opponent=by_difference,
        max_plies=16, planes="minimal",
    )  # fmt: skip
    assert play(pair, 50, seed=4, illegal_share=0.0) > 2


def by_difference(observation, info):
    """Play as badly as the last move was, so that a wrong difference changes the game."""
    last = info["dtm_difference"]
    values = info["state"].action_dtm
    order = np.argsort(values, kind="stable")
    rank = 1 if last is None else int(last) + 2
    return int(info["state"].legal_actions[order[min(rank, len(order) - 1)]])


def test_a_board_counts_draws_and_wins_of_the_rook_alike():
    pair = Pair(8, "SameStep", env_id="KRK-v0", start="uniform", opponent="random")
    assert play(pair, 250, seed=1, illegal_share=0.0) > 8


def test_moves_without_a_fen_need_one_start():
    envs = gym.make_vec("Chess-v0", 2, chess960=True, opponent=None)
    with pytest.raises(InvalidConfig, match="fen"):
        envs.reset(seed=1, options={"moves": ["e2e4"]})
    infos = gym.make_vec("KRK-v0", 2, opponent=None).reset(options={"moves": ["h1h5"]})[1]
    assert infos["ply"].tolist() == [1, 1]


def test_positions_of_the_endgame_are_equal():
    pair = Pair(3, "NextStep", env_id="KRK-v0", agent_color="black")
    rng = np.random.default_rng(1)
    infos = pair.reset(seed=4, options={"fen": "8/8/8/8/8/2R1k3/8/K7 b - - 0 1"})
    for _ in range(20):
        infos = pair.step(actions_of(infos, rng))[4]
