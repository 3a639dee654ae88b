"""A policy with an expert for every phase: each row is answered, and learnt from, by its own."""

import numpy as np
import pytest

from phasezoo import agents, arena
from phasezoo.errors import InvalidConfig

sb3_contrib = pytest.importorskip("sb3_contrib", reason="needs the extra sb3")
import torch  # noqa: E402

from phasezoo.integrations import sb3  # noqa: E402

SMALL = {"features_extractor_kwargs": {"features_dim": 16, "channels": 4}, "net_arch": [16]}


def model_of(seed=1, policy_kwargs=SMALL, **options):
    options = {"gate": "plies:6,14", "with_phase": True} | options
    envs = sb3.make_vec_env("ConnectFour-v0", 4, seed=seed, **options)
    return sb3_contrib.MaskablePPO(
        sb3.PhaseGatedPolicy, envs, n_steps=32, batch_size=32, n_epochs=1, seed=seed, device="cpu",
        policy_kwargs=policy_kwargs,
    )  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return model_of()


def observed(phases, seed=0):
    """Random planes, each row in a phase."""
    rng = np.random.default_rng(seed)
    planes = torch.from_numpy(rng.random((len(phases), 3, 6, 7), dtype=np.float32))
    return {"observation": planes, "phase": torch.eye(3)[torch.tensor(phases)]}


def answers(policy, observations):
    """Logits and values."""
    with torch.no_grad():
        distribution = policy.get_distribution(observations).distribution
        return distribution.logits, policy.predict_values(observations)


def test_experts_differ_and_rows_do_not_look_at_each_other(model):
    policy = model.policy
    phases = [2, 0, 1, 0, 2, 1]
    together = answers(policy, observed(phases))
    for row in range(len(phases)):
        rows = {key: part[row : row + 1] for key, part in observed(phases).items()}
        for alone, both in zip(answers(policy, rows), together, strict=True):
            torch.testing.assert_close(alone[0], both[row])
    planes = observed([0])["observation"].repeat(3, 1, 1, 1)
    logits, values = answers(policy, {"observation": planes, "phase": torch.eye(3)})
    assert len({tuple(row.tolist()) for row in logits}) == 3
    assert len(set(values.flatten().tolist())) == 3


def test_one_expert_is_the_plain_policy(model):
    """What one phase's rows get is what its extractor, layers and heads give, one after another."""
    policy = model.policy
    observations = observed([1, 1, 1])
    features = policy.features_extractor.experts[1](observations["observation"])
    logits = policy.action_net.experts[1](policy.mlp_extractor.policy[1](features))
    values = policy.value_net.experts[1](policy.mlp_extractor.value[1](features))
    given = answers(policy, observations)
    torch.testing.assert_close(given[0], torch.log_softmax(logits, dim=1))
    torch.testing.assert_close(given[1], values)


def test_experts_learn_from_rows_of_their_phase_alone():
    policy = model_of().policy
    observations = observed([0, 2, 0])
    values, log_probs, _ = policy.evaluate_actions(observations, torch.tensor([1, 2, 3]))
    policy.optimizer.zero_grad()
    (values.sum() + log_probs.sum()).backward()
    known = {id(each) for group in policy.optimizer.param_groups for each in group["params"]}
    touched = {0: 0, 1: 0, 2: 0}
    modules = (
        policy.features_extractor.experts, policy.mlp_extractor.policy, policy.mlp_extractor.value,
        policy.action_net.experts, policy.value_net.experts,
    )  # fmt: skip
    for experts in modules:
        assert len(experts) == 3
        for phase, expert in enumerate(experts):
            for parameter in expert.parameters():
                assert id(parameter) in known
                touched[phase] += parameter.grad is not None and bool(parameter.grad.any())
    assert touched[1] == 0
    assert touched[0] > 8
    assert touched[2] > 8
    assert len(known) == len(list(policy.parameters()))


def test_it_learns_is_saved_and_plays(tmp_path):
    model = model_of(observation="masked").learn(256)
    model.save(tmp_path / "gated")
    agent = agents.SB3Agent(tmp_path / "gated", gate="plies:6,14")
    assert isinstance(agent.model.policy, sb3.PhaseGatedPolicy)
    for old, new in zip(model.policy.parameters(), agent.model.policy.parameters(), strict=True):
        torch.testing.assert_close(old, new)
    match = arena.play_match(
        agent, agents.RandomAgent(seed=1), game="connect-four", games=2, seed=1
    )
    assert len(match.games) == 2


def test_observations_must_show_the_phases():
    with pytest.raises(InvalidConfig, match="with_phase=True"):
        model_of(with_phase=False)
    with pytest.raises(InvalidConfig, match="show 3 phases"):
        model_of(policy_kwargs={"num_phases": 2})
