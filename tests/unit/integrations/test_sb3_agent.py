"""Models of Stable-Baselines3 as agents: from memory or a file, in matches and as opponents."""

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import agents, arena, games
from phasezoo.errors import CheckpointError, InvalidConfig

sb3_contrib = pytest.importorskip("sb3_contrib", reason="needs the extra sb3")
import stable_baselines3  # noqa: E402

from phasezoo.integrations import sb3  # noqa: E402

SMALL = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "seed": 1, "device": "cpu"}
POLICY = {"net_arch": [16]}


def trained(env_id="ConnectFour-v0", algorithm=sb3_contrib.MaskablePPO, seed=1, **options):
    envs = sb3.make_vec_env(env_id, 4, seed=seed, **options)
    policy = "MultiInputPolicy" if isinstance(envs.observation_space, gym.spaces.Dict) else None
    return algorithm(policy or "MlpPolicy", envs, policy_kwargs=POLICY, **SMALL).learn(32)


@pytest.fixture(scope="module")
def model():
    return trained()


def test_a_file_plays_as_its_model(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = [
        agents.SB3Agent(tmp_path / "model.zip", algorithm=sb3_contrib.MaskablePPO),
        agents.SB3Agent(str(tmp_path / "model")),  # the algorithm is told by the policy
    ]
    agent = agents.SB3Agent(model)
    env = gym.make("ConnectFour-v0", opponent=None)
    observation, info = env.reset(seed=1)
    for _ in range(6):
        action = agent(observation, info)
        likeliest = model.predict(
            observation, deterministic=True, action_masks=info["action_mask"].astype(bool)
        )[0]
        assert action == likeliest
        assert info["action_mask"][action] == 1
        assert [each(observation, info) for each in loaded] == [action, action]
        observation, *_, info = env.step(action)


def test_masks_hold_in_full_columns(model):
    state = games.make("connect-four").from_columns("444444")
    env = gym.make("ConnectFour-v0", opponent=None)
    env.reset(seed=1)
    observation, info = env.unwrapped.set_game_state(state)
    agent = agents.SB3Agent(model, deterministic=False)
    assert 3 not in {agent(observation, info) for _ in range(60)}
    # The likeliest of what is left, whatever the network says of the full column.
    logits = np.zeros(7, dtype=np.float32)
    logits[3] = 50.0
    chosen = agents.SB3Agent(_Fixed(logits, env.observation_space))(observation, info)
    assert chosen != 3


class _Fixed:
    """A model with the same logits everywhere."""

    def __init__(self, logits, space):
        self.logits, self.observation_space = logits, space
        self.action_space = gym.spaces.Discrete(len(logits))

    def predict(self, observation, state=None, deterministic=False, action_masks=None):
        return np.where(action_masks, self.logits, -np.inf).argmax(), state


def test_it_plays_matches(model):
    agent = agents.SB3Agent(model)
    assert agent.name == "MaskablePPO"
    match = arena.play_match(
        agent, agents.RandomAgent(seed=1), game="connect-four", games=4, seed=1
    )
    assert match.wins + match.draws + match.losses == 4


@pytest.mark.parametrize("vector", [False, True])
def test_it_is_an_opponent(model, vector):
    agent = agents.SB3Agent(model)
    if vector:
        envs = gym.make_vec("ConnectFour-v0", 3, opponent=agent, agent_color="alternate")
        envs.reset(seed=1)
        rng = np.random.default_rng(1)
        ends = sum(envs.step(envs.unwrapped.sample_actions(rng))[2].sum() for _ in range(40))
        assert ends > 3
        return
    env = gym.make("ConnectFour-v0", opponent=agent)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
    assert info["result"] is not None


def test_it_sees_the_planes_that_it_was_trained_on():
    model = trained("KRK-v0", planes="minimal", start="dtm", dtm=(1, 2))
    agent = agents.SB3Agent(model, planes="minimal")
    random = agents.RandomAgent(seed=1)
    match = arena.play_match(agent, random, game="krk", games=2, seed=1, max_plies=10)
    assert len(match.games) == 2
    with pytest.raises(InvalidConfig, match=r"planes \[12, 8, 8\] and is shown \[52, 8, 8\]"):
        arena.play_match(agents.SB3Agent(model), random, game="krk", games=2, seed=1)


def asked_too_late(*_arguments, **_options):
    raise AssertionError


@pytest.mark.parametrize(
    ("game", "env_id", "options", "message"),
    [
        (
            "connect-four",
            "ConnectFour-v0",
            {"gate": "plies:1,2,3"},
            r"trained on 2 phases, and gate 'plies:1,2,3' has 4",
        ),
        ("krk", "KRK-v0", {}, "7 actions and is shown 4672"),
        ("connect-four", "ConnectFour-v0", {"compact_actions": True}, "no compact form"),
        ("pommerman-ffa", "PommermanFFA-v0", {}, "7 actions and is shown 6"),
    ],
)
def test_what_it_was_not_trained_on_is_refused_before_a_move(game, env_id, options, message):
    model = trained(observation="masked", gate="plies:4", with_phase=True)
    model.predict = asked_too_late
    agent = agents.SB3Agent(model, **options)
    with pytest.raises(InvalidConfig, match=message):
        arena.play_match(agent, "random", game=game, games=4, seed=1)
    opponents = {"opponents" if "Pommerman" in env_id else "opponent": agent}
    with pytest.raises(InvalidConfig, match=message):
        gym.make(env_id, **opponents)
    with pytest.raises(InvalidConfig, match=message):
        gym.make_vec(env_id, 2, **opponents)


@pytest.mark.parametrize(
    ("observation", "message"),
    [
        (None, r"planes \[23, 11, 11\] and is shown \[3, 6, 7\]"),
        ("dict", "trained on planes and is shown observation='dict'"),
        ("none", "trained on planes and is shown observation='none'"),
        ("packed", "trained on planes and is shown observation='packed'"),
    ],
)
def test_other_observations_are_refused_before_a_move(observation, message):
    space = gym.spaces.Box(0, 1, (23, 11, 11), np.float32)
    model = _Fixed(np.zeros(7 if observation is None else 6, dtype=np.float32), space)
    model.predict = asked_too_late
    agent = agents.SB3Agent(model)
    env_id, options = "ConnectFour-v0", {"opponent": agent}
    if observation is not None:
        env_id, options = "PommermanFFA-v0", {"opponents": agent, "observation": observation}
    with pytest.raises(InvalidConfig, match=message):
        gym.make(env_id, **options)


def test_a_model_of_no_planes_is_refused_at_once():
    space = gym.spaces.Dict({"board": gym.spaces.Box(0, 1, (3, 6, 7), np.float32)})
    with pytest.raises(InvalidConfig, match="with the parts board"):
        agents.SB3Agent(_Fixed(np.zeros(7, dtype=np.float32), space))


def test_compact_actions_become_the_games_own():
    options = {"start": "dtm", "dtm": (1, 2), "planes": "minimal"}
    model = trained("KRK-v0", compact_actions=True, **options)
    agent = agents.SB3Agent(model, planes="minimal", compact_actions=True)
    env = gym.make("KRK-v0", **options)
    compact = gym.make("KRK-v0", compact_actions=True, **options)
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        _, small = compact.reset(seed=seed)
        action, index = agent(observation, info), agent(observation, small)
        assert info["action_mask"][action] == 1
        assert small["action_mask"][index] == 1
        assert env.unwrapped.game.compact_actions(info["state"])[index] == action
    match = arena.play_match(
        agent, agents.RandomAgent(seed=1), game="krk", games=2, seed=1, max_plies=20
    )
    assert len(match.games) == 2
    with pytest.raises(InvalidConfig, match="trained on 36 actions and is shown 4672"):
        agents.SB3Agent(model)(observation, info)
    observation, info = gym.make("ConnectFour-v0").reset(seed=1)
    with pytest.raises(InvalidConfig, match="have no compact form"):
        agent(observation, info)


def test_masked_observations_and_phases_are_made_for_it():
    model = trained(observation="masked", gate="plies:4,8", with_phase=True)
    agent = agents.SB3Agent(model, gate="plies:4,8")
    match = arena.play_match(
        agent, agents.RandomAgent(seed=1), game="connect-four", games=2, seed=1
    )
    assert len(match.games) == 2
    env = gym.make("ConnectFour-v0", opponent=None, gate="plies:1,2,3,4")
    observation, info = env.reset(seed=1)
    agent(observation, info)
    with pytest.raises(InvalidConfig, match="3 phases and is given phase 4"):
        agent(observation, info | {"phase": 4})


@pytest.mark.parametrize(
    ("own", "others", "message"),
    [
        (None, None, "3 phases, and there is no gate here"),
        ("plies:4,8", "none", "3 phases, and gate 'none' has 1"),
        ("plies:4,8", "plies:4", "3 phases, and gate 'plies:4' has 2"),
        (None, "plies:4", "3 phases, and gate 'plies:4' has 2"),
        ("plies:4,8", None, None),
        (None, "plies:4,8", None),
    ],
)
def test_the_gate_that_holds_has_the_phases_it_was_trained_on(own, others, message):
    agent = agents.SB3Agent(
        trained(observation="masked", gate="plies:4,8", with_phase=True), gate=own
    )
    options = {} if others is None else {"gate": others}

    def match():
        return arena.play_match(agent, "random", game="connect-four", games=2, seed=1, **options)

    def environment():
        env = gym.make("ConnectFour-v0", opponent=agent, **options)
        return [env.reset(seed=seed) for seed in range(4)]

    def vector():
        return gym.make_vec("ConnectFour-v0", 2, opponent=agent, **options).reset(seed=1)

    for begin in (match, environment, vector):
        if message is None:
            begin()
            continue
        with pytest.raises(InvalidConfig, match=message):
            begin()


def test_actions_with_parts_have_parts():
    model = trained("PommermanTeamRadio-v0", opponents="random", max_plies=10)
    env = gym.make("PommermanTeamRadio-v0", opponents="random")
    observation, info = env.reset(seed=1)
    action = agents.SB3Agent(model)(observation, info)
    assert action.shape == (3,)
    assert env.action_space.contains(action)


@pytest.mark.parametrize("kind", ["PPO", "A2C", "DQN"])
def test_algorithms_without_masks_play_too(kind, tmp_path):
    algorithm = getattr(stable_baselines3, kind)
    envs = sb3.make_vec_env("ConnectFour-v0", 1, seed=1)
    algorithm("MlpPolicy", envs, policy_kwargs=POLICY, seed=1, device="cpu").save(tmp_path / "m")
    agent = agents.SB3Agent(tmp_path / "m")
    assert type(agent.model) is algorithm
    env = gym.make("ConnectFour-v0")
    assert 0 <= agent(*env.reset(seed=1)) < 7


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="no such file"):
        agents.SB3Agent(tmp_path / "missing")
    (tmp_path / "other.zip").write_text("no archive")
    with pytest.raises(CheckpointError, match="no model that Stable-Baselines3 saved"):
        agents.SB3Agent(tmp_path / "other.zip")
    with pytest.raises(CheckpointError, match="MaskablePPO cannot load it"):
        agents.SB3Agent(tmp_path / "other.zip", algorithm=sb3_contrib.MaskablePPO)
    with pytest.raises(InvalidConfig, match="expected a class"):
        agents.SB3Agent(tmp_path / "other.zip", algorithm="MaskablePPO")
    with pytest.raises(InvalidConfig, match="no model of Stable-Baselines3"):
        agents.SB3Agent(object())
