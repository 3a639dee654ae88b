"""Pommerman one game at a time: rewards, who leaves when, masks, observations, errors."""

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.envs import pommerman_v0
from phasezoo.errors import IllegalAction, InvalidConfig, InvalidState, UnknownAgent

MODES = ("ffa", "team", "radio", "1v1")


def play(env, seed, rng, choose=None):
    """One parallel game; every step's rewards, terminations and infos."""
    _, infos = env.reset(seed=seed)
    steps = []
    while env.agents:
        actions = {
            name: env.action_space(name).sample(infos[name]["action_mask"])
            if choose is None
            else choose(name)
            for name in env.agents
        }
        asked = list(env.agents)
        _, rewards, terminated, truncated, infos = env.step(actions)
        assert list(rewards) == list(terminated) == list(infos) == asked
        assert not any(truncated.values())
        steps.append((rewards, terminated, infos))
    return steps


def seeded(env, seed):
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)


@pytest.mark.parametrize("mode", ["ffa", "1v1"])
def test_players_leave_at_their_death_and_are_paid_once(mode):
    env = pommerman_v0.parallel_env(mode=mode)
    seeded(env, 1)
    winners = 0
    for seed in range(30):
        steps = play(env, seed, None)
        paid = {name: [] for name in env.possible_agents}
        for rewards, terminated, _ in steps:
            for name, reward in rewards.items():
                assert (reward != 0) <= terminated[name]
                if terminated[name]:
                    paid[name].append(reward)
        assert all(len(each) == 1 for each in paid.values())
        final = steps[-1][2]
        last = next(iter(final.values()))
        alone = last["reason"] == "last_standing"
        assert [reward for (reward,) in paid.values()].count(1.0) == int(alone)
        if alone:
            winner = env.possible_agents.index(max(paid, key=paid.get))
            assert np.flatnonzero(last["winners"]).tolist() == [winner]
            assert last["result"] == "win"
            winners += 1
        else:
            assert (last["result"], last["winners"].any()) == ("tie", False)
    assert winners >= 15


@pytest.mark.parametrize("mode", ["team", "radio"])
def test_teams_are_paid_together_at_the_end_and_the_dead_stay(mode):
    env = pommerman_v0.parallel_env(mode=mode)
    seeded(env, 2)
    for seed in range(15):
        steps = play(env, seed, None)
        assert all(list(rewards) == env.possible_agents for rewards, *_ in steps)
        assert all(set(rewards.values()) == {0.0} for rewards, *_ in steps[:-1])
        last = steps[-1][0]
        assert last["player_0"] == last["player_2"]
        assert last["player_1"] == last["player_3"]
        for _, _, infos in steps[:-1]:
            for info in infos.values():
                assert len(info["action_mask"]) == (22 if mode == "radio" else 6)


def test_the_dead_of_a_team_may_send_anything():
    env = pommerman_v0.parallel_env(mode="team", illegal="raise")
    env.reset(seed=3)
    # Player 0 lays a bomb and stays on it.
    for _ in range(12):
        env.step(dict.fromkeys(env.agents, 0) | {"player_0": 5})
    assert not env.game_state.agents[0][5]
    assert env.agents == env.possible_agents
    infos = env.step({"player_1": 0, "player_2": 0, "player_3": 0})[4]
    assert infos["player_0"]["action_mask"].tolist() == [1, 0, 0, 0, 0, 0]
    assert infos["player_1"]["action_mask"].tolist() == [1] * 6
    env.step(dict.fromkeys(env.agents, 3))


def test_the_originals_rewards_come_at_every_step():
    env = pommerman_v0.parallel_env(mode="ffa", rewards="original")
    env.reset(seed=3)
    seen = []
    while env.agents and len(seen) < 20:
        assert env.agents == env.possible_agents
        rewards = env.step(dict.fromkeys(env.agents, 0) | {"player_0": 5})[1]
        seen.append(list(rewards.values()))
    assert seen[0] == [0, 0, 0, 0]
    assert seen[-1] == [-1, 0, 0, 0]
    assert seen.count([-1, 0, 0, 0]) == 20 - seen.index([-1, 0, 0, 0])


def test_the_step_limit_is_the_games_own_end():
    env = pommerman_v0.parallel_env(mode="1v1")
    steps = play(env, 1, None, choose=lambda name: 0)
    rewards, terminated, infos = steps[-1]
    assert len(steps) == 800
    assert rewards == {"player_0": -1.0, "player_1": -1.0}
    assert all(terminated.values())
    assert infos["player_0"]["result"] == "tie"
    assert infos["player_0"]["reason"] == "step_limit"


def test_actions_and_words_do_what_the_state_does():
    env = pommerman_v0.parallel_env(mode="radio")
    env.reset(seed=4)
    before = env.game_state
    given = {"player_0": [1, 3, 4], "player_1": 5, "player_2": np.array([2, 0, 7]), "player_3": 0}
    env.step(given)
    joint = [1 + 6 * (3 + 8 * 4), 5, 2 + 6 * (0 + 8 * 7), 0]
    assert env.game_state == before.play(joint)
    assert env.game_state.words == [(3, 4), (0, 0), (0, 7), (0, 0)]


def test_dictionaries_are_the_originals():
    for mode in MODES:
        env = pommerman_v0.parallel_env(mode=mode, observation="dict")
        observations, _ = env.reset(seed=1)
        state = env.game_state
        for player, name in enumerate(env.possible_agents):
            expected = games.pommerman_observation(state, player)
            assert observations[name].keys() == expected.keys()
            np.testing.assert_array_equal(observations[name]["board"], expected["board"])


def test_states_can_be_put_back():
    env = pommerman_v0.parallel_env(mode="team", gate="steps:3")
    env.reset(seed=1)
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, 1))
    saved = env.game_state
    after = env.step(dict.fromkeys(env.agents, 2))[0]
    observations, infos = env.set_game_state(saved)
    assert env.game_state == saved
    assert infos["player_0"]["phase"] == 1
    np.testing.assert_array_equal(observations["player_1"], saved.planes(player=1))
    again = env.step(dict.fromkeys(env.agents, 2))[0]
    np.testing.assert_array_equal(after["player_3"], again["player_3"])


def test_who_is_dead_in_a_state_put_back_has_left():
    env = pommerman_v0.parallel_env(mode="ffa")
    env.reset(seed=3)
    while "player_0" in env.agents:
        env.step(dict.fromkeys(env.agents, 0) | {"player_0": 5})
    state = env.game_state
    env.reset(seed=1)
    env.set_game_state(state)
    assert env.agents == ["player_1", "player_2", "player_3"]
    single = gym.make("PommermanFFA-v0").unwrapped
    single.reset(seed=1)
    _, info = single.set_game_state(state)
    assert info["action_mask"].all()
    with pytest.raises(InvalidState, match="over"):
        single.step(0)


def test_the_learner_leaves_at_his_death():
    env = gym.make("PommermanFFA-v0", opponents=["random", "simple", "simple_unbiased"])
    env.reset(seed=5)
    rewards = []
    for _ in range(30):
        _, reward, terminated, truncated, info = env.step(5)
        rewards.append(reward)
        if terminated:
            break
    assert rewards[-1] == -1.0
    assert set(rewards[:-1]) == {0.0}
    assert not truncated
    assert (info["result"], info["winners"], info["reason"]) == (None, None, None)
    assert not env.unwrapped.game_state.is_terminal


@pytest.mark.parametrize("rewards", ["once", "original"])
def test_a_death_in_the_very_step_that_cuts_the_game_is_a_death(rewards):
    given = {"opponents": "random", "rewards": rewards}
    env = gym.make("PommermanFFA-v0", **given)

    def last(steps, step):
        return [step(5 if number % 2 == 0 else 0) for number in range(steps)][-1]

    env.reset(seed=1)
    steps = 0
    terminated = False
    while not terminated:
        _, reward, terminated, truncated, _ = env.step(5 if steps % 2 == 0 else 0)
        steps += 1
    assert (reward, truncated) == (-1.0, False)
    cut = gym.make("PommermanFFA-v0", max_plies=steps, **given)
    cut.reset(seed=1)
    assert last(steps, cut.step)[1:4] == (-1.0, True, False)
    many = gym.make_vec("PommermanFFA-v0", num_envs=1, max_plies=steps, **given)
    many.reset(seed=1)
    shown = last(steps, lambda action: many.step(np.array([action])))
    assert [each.item() for each in shown[1:4]] == [-1.0, True, False]


def test_who_lives_is_cut_beside_who_dies():
    def played(max_plies):
        env = pommerman_v0.parallel_env(mode="ffa", max_plies=max_plies)
        env.reset(seed=1)
        steps = 0
        while "player_0" in env.agents:
            shown = env.step(dict.fromkeys(env.agents, 0) | {"player_0": 0 if steps else 5})
            steps += 1
        return steps, shown[1:4], env.agents

    steps, (rewards, terminated, _), _ = played(None)
    assert (rewards["player_0"], terminated["player_0"]) == (-1.0, True)
    again, (cut_rewards, cut_terminated, truncated), agents_left = played(steps)
    assert (again, cut_rewards, cut_terminated, agents_left) == (steps, rewards, terminated, [])
    assert truncated == {name: not over for name, over in terminated.items()}


def test_seats_and_opponents_in_their_order():
    asked = []

    def spy(observation, info):
        asked.append(observation)
        return 0

    env = gym.make("PommermanFFA-v0", opponents=["random", spy, "random"], player=1)
    env.reset(seed=5)
    state = env.unwrapped.game_state
    env.step(0)
    # Without the learner, player 1, the second opponent is player 2.
    np.testing.assert_array_equal(asked[0], state.planes(player=2))


@pytest.mark.parametrize("name", ["FFA", "Team", "TeamRadio", "OneVsOne"])
def test_every_kind_of_agent_plays(name):
    env_id = f"Pommerman{name}-v0"
    uniform = inference.Uniform()
    kinds = [
        agents.RandomAgent(),
        agents.SimpleAgent(),
        agents.SimpleUnbiasedAgent(),
        agents.PolicyAgent(uniform),
        agents.SinglePlayerMCTSAgent(uniform, limit=agents.Limit(simulations=5)),
        agents.DecoupledMCTSAgent(uniform, limit=agents.Limit(simulations=5)),
        "single_player_mcts",
    ]
    for kind in kinds:
        env = gym.make(env_id, opponents=kind)
        env.reset(seed=1)
        for _ in range(4):
            _, _, terminated, _, _ = env.step(env.action_space.sample())
            assert not terminated


def test_bad_input_is_refused():
    for options, error, message in [
        ({"opponents": None}, InvalidConfig, "opponents=None"),
        ({"opponents": "tablebase"}, InvalidConfig, "tablebase"),
        ({"opponents": "smple"}, UnknownAgent, "did you mean 'simple'"),
        ({"opponents": ["simple"] * 2}, InvalidConfig, "2 entries for 3 players"),
        ({"player": 4}, InvalidConfig, "0 to 3"),
        ({"mode": "duel"}, InvalidConfig, "'ffa', 'team', 'radio', '1v1'"),
        ({"fog": "yes"}, InvalidConfig, "fog='yes'"),
        ({"collapse": 1}, InvalidConfig, "collapse=1"),
        ({"observation": "image"}, InvalidConfig, "'dict'"),
        ({"rewards": "twice"}, InvalidConfig, "'once' or 'original'"),
        ({"gate": "lichess"}, Exception, "lichess"),
    ]:
        with pytest.raises(error, match=message):
            gym.make("PommermanFFA-v0", **options)
    env = gym.make("PommermanFFA-v0")
    env.reset(seed=1)
    for action in (6, -1, 1.5, "up", [0, 0, 0], None):
        with pytest.raises(IllegalAction, match="0 to 5"):
            env.step(action)
    with pytest.raises(InvalidConfig, match="has none; set_game_state"):
        env.reset(options={"fen": "8/8"})
    with pytest.raises(InvalidConfig, match="has none; set_game_state"):
        env.reset(options={"moves": ["e2e4"]})
    radio = pommerman_v0.parallel_env(mode="radio")
    radio.reset(seed=1)
    for action in ([6, 0, 0], [0, 8, 0], [0, 0, -1], [0, 0], 384, "stop"):
        with pytest.raises(IllegalAction, match=r"3 whole numbers below \(6, 8, 8\)"):
            radio.step(dict.fromkeys(radio.agents, 0) | {"player_2": action})
    for actions in (None, 3, [0, 0, 0, 0]):
        with pytest.raises(InvalidConfig, match="give a dictionary of agents"):
            radio.step(actions)
    with pytest.raises(InvalidConfig, match="player_3 is to move"):
        radio.step({"player_0": 0, "player_1": 0, "player_2": 0})
    with pytest.raises(InvalidConfig, match="rewards='original'"):
        gym.make("Chess-v0", rewards="original")


MAKERS = {
    "one": gym.make,
    "native": lambda env_id, **o: gym.make_vec(env_id, 2, **o),
    "sync": lambda env_id, **o: gym.make_vec(env_id, 2, vectorization_mode="sync", **o),
}
makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def seen(env, games=5):
    """What the learner sees first in several games."""
    shown = [env.reset(seed=9)[0]]
    return np.stack(shown + [env.reset()[0] for _ in range(games)])


@makers
@pytest.mark.parametrize("player", [1, 3, "alternate", "random"])
def test_seat_is_the_old_name_of_player_and_warns(make, player):
    env_id = "PommermanTeam-v0"
    with pytest.warns(DeprecationWarning, match=f"write player={player!r}") as caught:
        old = make(env_id, seat=player, opponents="random")
    assert {warning.filename for warning in caught} == {__file__}
    new = make(env_id, player=player, opponents="random")
    np.testing.assert_array_equal(seen(old), seen(new))
    assert not np.array_equal(seen(new), seen(make(env_id, opponents="random")))


@makers
def test_the_learner_is_player_0_by_default(make):
    given, default = (make("PommermanFFA-v0", **each) for each in ({"player": 0}, {}))
    np.testing.assert_array_equal(seen(given), seen(default))


@makers
def test_bad_players_are_refused_by_the_name_given(make):
    for both in ({"player": 0, "seat": 0}, {"player": "random", "seat": 2}):
        with pytest.raises(InvalidConfig, match=r"leave seat= out"):
            make("PommermanFFA-v0", **both)
    for wrong in (4, -1, 1.0, True, "white", "first", [1]):
        with pytest.raises(InvalidConfig, match=r"player=.*0 to 3"):
            make("PommermanFFA-v0", player=wrong)
    with (
        pytest.warns(DeprecationWarning, match="player=4"),
        pytest.raises(InvalidConfig, match=r"seat=4: .*0 to 3"),
    ):
        make("PommermanFFA-v0", seat=4)
