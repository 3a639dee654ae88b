"""What players are told: the same everywhere, and what they ask to see."""

import numpy as np
import pytest

import phasezoo  # noqa: F401 - registers the environments
from phasezoo import games, gating
from phasezoo.envs import ChessEnv, ChessVectorEnv, PommermanEnv
from phasezoo.errors import InvalidConfig, InvalidGate, InvalidPlaneSpec
from phasezoo.observation import GameRunner, View, make_view, observe, view_of


class Watcher:
    """Plays the first legal action and remembers what it was shown."""

    def __init__(self, **wishes):
        self.shapes, self.phases, self.infos = [], [], []
        for name, value in wishes.items():
            setattr(self, name, value)

    def __call__(self, observation, info):
        self.shapes.append(np.shape(observation))
        self.phases.append(info["phase"])
        self.infos.append(info)
        mask = info["action_mask"]
        return int(np.flatnonzero(mask[0] if isinstance(mask, tuple) else mask)[0])


def play(env, steps=6):
    env.reset(seed=3)
    for _ in range(steps):
        mask = env.action_masks()
        env.step(int(np.flatnonzero(mask)[0]))


def test_an_opponent_is_shown_the_planes_it_asks_for():
    watcher = Watcher(plane_spec="minimal")
    play(ChessEnv(opponent=watcher, planes="v1"))
    assert set(watcher.shapes) == {(12, 8, 8)}


def test_an_opponent_that_says_nothing_is_shown_the_environments_planes():
    watcher = Watcher()
    play(ChessEnv(opponent=watcher, planes="v1"))
    assert set(watcher.shapes) == {(39, 8, 8)}


def test_an_opponent_in_the_native_vector_is_shown_what_it_asks_for():
    watcher = Watcher(plane_spec="minimal")
    envs = ChessVectorEnv(3, opponent=watcher)
    envs.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in range(4):
        envs.step(envs.sample_actions(rng))
    assert set(watcher.shapes) == {(12, 8, 8)}
    assert len(watcher.shapes) == 12


def test_an_opponents_own_gate_says_the_phase_without_one_of_the_environment():
    watcher = Watcher(gate="hash:3")
    env = ChessEnv(opponent=watcher)
    play(env)
    gate = gating.make(watcher.gate, "chess")
    expected = [gate(info["state"], 1) for info in watcher.infos]
    assert watcher.phases == expected
    assert len(set(expected)) > 1


def test_the_environments_gate_comes_first():
    watcher = Watcher(gate="hash:3")
    play(ChessEnv(opponent=watcher, gate="hash:5"))
    gate = gating.make("hash:5", "chess")
    assert watcher.phases == [gate(info["state"], 1) for info in watcher.infos]


def test_an_own_gate_that_never_goes_back_sees_every_ply_in_vectors_too():
    def make():
        return Watcher(gate=gating.make("hash:7", "chess", monotone=True))

    alone, together = make(), make()
    env = ChessEnv(opponent=alone)
    envs = ChessVectorEnv(1, opponent=together)
    env.reset(seed=8)
    envs.reset(seed=8)
    for _ in range(8):
        action = int(np.flatnonzero(env.action_masks())[0])
        env.step(action)
        envs.step(np.array([action]))
    assert alone.phases == together.phases == sorted(alone.phases)
    assert alone.phases[-1] > 0


def test_a_hidden_game_stays_hidden_and_is_shown_as_a_dictionary_on_demand():
    watcher = Watcher(plane_spec="dict")
    env = PommermanEnv(mode="radio", opponents=watcher)
    env.reset(seed=5)
    env.step(0)
    assert watcher.shapes == [()] * 3  # dictionaries
    assert all("state" not in info for info in watcher.infos)
    assert [len(part) for part in watcher.infos[0]["action_mask"]] == [6, 8, 8]


def test_told_gives_observation_mask_and_info_of_one_turn():
    runner = GameRunner("chess", gate="moves:2")
    view = make_view(runner.game, "minimal")
    turn = runner.begin(runner.game.initial_state())
    turn = runner.play(turn, turn.state.parse_uci("e2e4"))
    shown = observe(turn, 1, view)
    assert shown.observation.shape == (12, 8, 8)
    assert shown.mask.sum() == 20
    assert shown.info["action_mask"] is shown.mask
    assert shown.info["ply"] == 1
    assert shown.info["fen"] == turn.state.fen
    assert shown.info["state"] is turn.state
    assert observe(turn, 0, view).mask.sum() == 0
    assert observe(turn, 0, view, when_waiting=1).mask.sum() == 4672


def test_the_distance_to_mate_is_told_of_the_players_own_last_move():
    runner = GameRunner("krk")
    state = runner.game.from_fen("8/8/8/4k3/8/8/8/4K2R w - - 0 1")
    turn = runner.begin(state)
    view = make_view(runner.game)
    assert observe(turn, 0, view).info["dtm_difference"] is None
    action = int(state.legal_actions[0])
    after = observe(runner.play(turn, action), 0, view).info
    assert after["dtm_difference"] == float(state.dtm_difference(action))
    assert observe(runner.play(turn, action), 1, view).info["dtm_difference"] is None


@pytest.mark.parametrize(
    ("wishes", "error"),
    [
        ({"plane_spec": "v9"}, InvalidPlaneSpec),
        ({"plane_spec": "dict"}, InvalidPlaneSpec),
        ({"gate": "box"}, InvalidGate),
    ],
)
def test_wishes_that_the_game_cannot_meet_are_refused_when_the_environment_is_made(wishes, error):
    with pytest.raises(error):
        ChessEnv(opponent=Watcher(**wishes))


def test_no_game_observes_what_it_does_not_know():
    with pytest.raises(InvalidConfig, match="'planes', 'none'"):
        make_view(games.make("chess"), observation="dict")


def test_a_view_is_a_value():
    chess = games.make("chess")
    assert view_of(object(), make_view(chess)) == View(chess, "v2")
    assert view_of(Watcher(plane_spec="v1"), make_view(chess)) == View(chess, "v1")
