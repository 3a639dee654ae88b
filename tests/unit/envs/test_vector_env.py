"""What is special to many boards: buffers, sampling, threads, opponents in batches, bad input."""

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import errors
from phasezoo.agents import Move
from phasezoo.envs import ChessVectorEnv

MATE_IN_ONE = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"


def test_what_was_returned_before_never_changes():
    envs = gym.make_vec("Chess-v0", 5, opponent=None, gate="lichess", max_plies=7)
    rng = np.random.default_rng(0)
    kept = [envs.reset(seed=1)]
    copies = [(kept[0][0].copy(), {k: v.copy() for k, v in kept[0][1].items()})]
    for step in range(40):
        observations, *arrays, infos = envs.step(envs.unwrapped.sample_actions(rng))
        if step % 3 == 0:  # some are kept whole, of some a view alone, others are dropped
            kept.append((observations, infos, *arrays))
            copies.append((observations.copy(), {k: v.copy() for k, v in infos.items()}))
        elif step % 3 == 1:
            kept.append((observations[2, 3:5], {"to_play": infos["to_play"][1:]}))
            copies.append((kept[-1][0].copy(), {"to_play": infos["to_play"][1:].copy()}))
    del observations, arrays, infos
    for (ours, our_infos, *_), (observation, info) in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(ours, observation)
        for key, value in info.items():
            np.testing.assert_array_equal(our_infos[key], value, err_msg=key)


def test_arrays_are_recycled_when_nobody_holds_them():
    envs = ChessVectorEnv(4, opponent=None)
    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    seen = set()
    for _ in range(30):
        step = envs.step(envs.sample_actions(rng))
        seen.add(step[0].ctypes.data)
    assert len(seen) <= 3


def test_without_copy_the_same_arrays_are_filled():
    envs = ChessVectorEnv(4, opponent=None, copy=False)
    fresh = ChessVectorEnv(4, opponent=None)
    rng = np.random.default_rng(0)
    first, infos = envs.reset(seed=1)
    fresh.reset(seed=1)
    for _ in range(300):
        actions = envs.sample_actions(rng)
        observations, *_, infos_now = envs.step(actions)
        assert observations is first
        assert infos_now["action_mask"] is infos["action_mask"]
        other, *_, other_infos = fresh.step(actions)
        np.testing.assert_array_equal(first, other)
        np.testing.assert_array_equal(infos["action_mask"], other_infos["action_mask"])


def test_what_a_caller_writes_into_a_mask_does_not_come_back():
    envs = ChessVectorEnv(3, opponent=None)
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=1)
    for _ in range(20):
        infos["action_mask"][:] = 1
        infos["_action_mask"][:] = False
        infos = envs.step(envs.sample_actions(rng))[4]
        for row, state in enumerate(envs.states):
            np.testing.assert_array_equal(infos["action_mask"][row], state.action_mask)
        assert infos["_action_mask"].all()


@pytest.mark.parametrize("copy", [True, False])
def test_what_a_caller_does_to_the_arrays_themselves_does_not_come_back(copy):
    envs = ChessVectorEnv(3, opponent=None, copy=copy)
    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    for damage in (
        lambda observations, infos: observations.setflags(write=False),
        lambda observations, infos: setattr(observations, "shape", (3, 52 * 64)),
        lambda observations, infos: setattr(infos["ply"], "dtype", np.uint64),
    ):
        observations, *_, infos = envs.step(envs.sample_actions(rng))
        damage(observations, infos)
        del observations, infos
        for _ in range(4):
            observations, *_, infos = envs.step(envs.sample_actions(rng))
            assert (observations.shape, observations.flags.writeable) == ((3, 52, 8, 8), True)
            assert infos["ply"].dtype == np.int64


def test_states_fens_and_legal_actions_agree():
    envs = ChessVectorEnv(4, opponent="random", agent_color="alternate")
    envs.reset(seed=1)
    for _ in range(7):
        envs.step(envs.sample_actions(np.random.default_rng(2)))
    states = envs.states
    assert len(states) == 4
    assert [state.fen for state in states] == envs.fens()
    assert states[-1] == states[3] == states[2:][1]
    with pytest.raises(IndexError):
        states[4]
    offsets, actions = envs.legal_actions()
    assert (offsets.dtype, actions.dtype) == (np.int64, np.int32)
    for row, state in enumerate(states):
        np.testing.assert_array_equal(actions[offsets[row] : offsets[row + 1]], state.legal_actions)


def test_samples_are_legal_and_uniform():
    envs = ChessVectorEnv(400, opponent=None, planes="minimal")
    _, infos = envs.reset(seed=1)
    rng = np.random.default_rng(0)
    legal = np.flatnonzero(infos["action_mask"][0])
    counts = np.zeros(4672)
    for _ in range(25):
        np.add.at(counts, envs.sample_actions(rng), 1)
    assert counts.sum() == counts[legal].sum() == 10_000
    # Twenty moves, 500 each on average; five standard deviations are 109.
    assert np.abs(counts[legal] - 500).max() < 109
    first, again = (envs.sample_actions(np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_threads_change_nothing(opponent):
    shown = []
    for threads in (1, 2, 3):
        envs = ChessVectorEnv(200, opponent=opponent, threads=threads, gate="lichess")
        envs.reset(seed=3)
        rng = np.random.default_rng(0)
        for _ in range(40):
            observations, *rest, infos = envs.step(envs.sample_actions(rng))
        shown.append((observations, *rest, infos["phase"], infos["action_mask"]))
    for others in shown[1:]:
        for mine, other in zip(shown[0], others, strict=True):
            np.testing.assert_array_equal(mine, other)


class Alone:
    """An agent whose sessions give one answer."""

    def __init__(self, answer):
        self.answer = answer

    def session(self, seed):
        return self

    def act(self, state, player=None):
        return self.answer


class Together:
    """An agent that answers all waiting boards together, by its pool."""

    def __init__(self, answer="legal"):
        self.sizes = []
        self.answer = answer
        self.open_slots = set()
        self.opened = 0
        self.asked = {}

    def session(self, seed):
        raise AssertionError("its pool is asked")

    def session_pool(self, game):
        assert game.name == "chess"
        return self

    def open(self, seed, history=()):
        self.opened += 1
        self.open_slots.add(self.opened)
        return self.opened

    def close(self, slot):
        self.open_slots.remove(slot)

    def ask(self, slot, state, player):
        assert slot in self.open_slots
        assert state.to_play == player
        self.asked[slot] = state

    def poll(self):
        self.sizes.append(len(self.asked))
        asked, self.asked = self.asked, {}
        return [
            (slot, Move(int(state.legal_actions[0]) if self.answer == "legal" else self.answer))
            for slot, state in asked.items()
        ]


def test_an_agent_answers_all_waiting_boards_together():
    agent = Together()
    envs = ChessVectorEnv(6, opponent=agent, agent_color="alternate")
    envs.reset(seed=1)
    assert agent.sizes == []  # the learner is White everywhere
    envs.step(envs.sample_actions(np.random.default_rng(0)))
    envs.reset()
    assert agent.sizes == [6, 6]
    mask = np.array([True] + 5 * [False])
    envs.reset(options={"reset_mask": mask})  # one learner is White again
    envs.reset(options={"reset_mask": mask})
    assert agent.sizes == [6, 6, 1]
    assert len(agent.open_slots) == 6  # who leaves a game gives the slot back


@pytest.mark.parametrize("answer", [0, 2**40, -1, None, "e7e5", 3.5])
@pytest.mark.parametrize("kind", [Together, Alone, lambda answer: lambda observation, info: answer])
def test_bad_answers_of_opponents_raise(answer, kind):
    envs = ChessVectorEnv(2, opponent=kind(answer))
    envs.reset(seed=1)
    actions = envs.sample_actions(np.random.default_rng(0))
    with pytest.raises(errors.IllegalAction, match="action"):
        envs.step(actions)
    with pytest.raises(errors.InvalidState, match="reset"):
        envs.step(actions)
    envs.reset()


def test_opponents_own_errors_come_back_as_they_were():
    def broken(observation, info):
        raise KeyError("mine")

    envs = ChessVectorEnv(2, opponent=broken)
    envs.reset(seed=1)
    with pytest.raises(KeyError, match="mine"):
        envs.step(envs.sample_actions(np.random.default_rng(0)))


def test_results_of_natural_ends():
    envs = ChessVectorEnv(2, opponent=None, autoreset_mode="SameStep")
    envs.reset(seed=1, options={"fen": MATE_IN_ONE})
    state = envs.states[0]
    actions = np.array([state.parse_san("Qg7#"), state.parse_san("Qe7")])
    _, rewards, terminated, _, infos = envs.step(actions)
    assert (rewards.tolist(), terminated.tolist()) == ([1.0, 0.0], [True, False])
    assert infos["ply"].tolist() == [0, 1]
    assert not infos["_result"].any()
    final = infos["final_info"]
    assert (final["result"].tolist(), final["_result"].tolist()) == ([1, 0], [True, False])
    assert infos["final_obs"][1] is None
    assert infos["final_obs"][0].shape == (52, 8, 8)


@pytest.mark.parametrize("mode", ["rgb_array", "svg", "ansi"])
def test_every_board_is_drawn_from_its_learners_side(mode):
    envs = ChessVectorEnv(2, agent_color="alternate", render_mode=mode)
    envs.reset(seed=1)
    envs.reset(options={"reset_mask": np.array([False, True])})
    first, second = envs.render()
    assert type(first) is type(second)
    if mode == "ansi":
        assert first.splitlines()[-1].split() == list("abcdefgh")
        assert second.splitlines()[-1].split() == list("hgfedcba")


def test_moves_without_observations():
    envs = ChessVectorEnv(3, observation="none", autoreset_mode="SameStep", max_plies=2)
    observations, _ = envs.reset(seed=1)
    assert observations.shape == (3, 0)
    observations, *_, infos = envs.step(envs.sample_actions(np.random.default_rng(0)))
    assert envs.observation_space.contains(observations)
    assert infos["final_obs"][0].shape == (0,)


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        (np.zeros(3, dtype=np.int64), errors.InvalidArray),
        (np.zeros((2, 1), dtype=np.int64), errors.InvalidArray),
        (np.zeros(2), errors.InvalidArray),
        (["e2e4", "e2e4"], errors.InvalidArray),
        ([0, 4672], errors.IllegalAction),
        ([-1, 0], errors.IllegalAction),
        (np.array([2**63, 0], dtype=np.uint64), errors.IllegalAction),
    ],
)
def test_bad_actions_raise_before_any_game_has_moved(actions, error):
    envs = ChessVectorEnv(2, opponent=None)
    envs.reset(seed=1)
    with pytest.raises(error):
        envs.step(actions)
    assert [state.ply for state in envs.states] == [0, 0]
    envs.step(envs.sample_actions(np.random.default_rng(0)))


def test_illegal_actions_raise_before_any_game_has_moved():
    envs = ChessVectorEnv(2, opponent=None, illegal="raise")
    envs.reset(seed=1)
    actions = envs.sample_actions(np.random.default_rng(0))
    with pytest.raises(errors.IllegalAction, match="game 1"):
        envs.step([actions[0], 0])
    assert [state.ply for state in envs.states] == [0, 0]
    envs.step(actions)


def test_calls_out_of_order_are_errors():
    envs = ChessVectorEnv(2, opponent=None, autoreset_mode="Disabled", max_plies=1)
    with pytest.raises(errors.InvalidState, match="reset"):
        envs.step([0, 0])
    with pytest.raises(errors.InvalidState, match="reset"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(seed=1)
    actions = envs.sample_actions(np.random.default_rng(0))
    envs.step(actions)
    with pytest.raises(errors.InvalidState, match="game 0 is over"):
        envs.step(actions)
    envs.reset(options={"reset_mask": np.array([True, True])})
    envs.step(actions)


@pytest.mark.parametrize(
    "mask", [[True], np.array([1, 0]), np.array([False, False]), np.array([True])]
)
def test_bad_reset_masks_are_named(mask):
    envs = ChessVectorEnv(2)
    envs.reset(seed=1)
    with pytest.raises(errors.InvalidArray, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


def test_bad_starts_and_seeds_are_named():
    envs = ChessVectorEnv(2, opponent=None)
    envs.reset(seed=1)
    with pytest.raises(errors.InvalidConfig, match="3 entries for 2 games"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(errors.InvalidFen):
        envs.reset(options={"fen": "nonsense"})
    with pytest.raises(errors.InvalidConfig, match="over"):
        envs.reset(options={"fen": "7k/5KQ1/8/8/8/8/8/8 b - - 0 1"})
    with pytest.raises(errors.InvalidConfig, match="known are"):
        envs.reset(options={"fens": []})
    envs.step(envs.sample_actions(np.random.default_rng(0)))


@pytest.mark.parametrize(
    "options",
    [
        {"num_envs": 0},
        {"num_envs": -1},
        {"num_envs": "many"},
        {"autoreset_mode": "Never"},
        {"threads": 0},
        {"agent_color": "green"},
        {"illegal": "ignore"},
        {"max_plies": 0},
    ],
)
def test_bad_options_are_named(options):
    with pytest.raises(errors.InvalidConfig):
        ChessVectorEnv(**{"num_envs": 2, **options})
