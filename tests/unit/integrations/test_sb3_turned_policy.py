"""A policy that answers all eight images of a position alike."""

import numpy as np
import pytest

from phasezoo import agents, arena, games
from phasezoo.errors import InvalidConfig
from phasezoo.games.symmetries import turned_square

sb3_contrib = pytest.importorskip("sb3_contrib", reason="needs the extra sb3")
import torch  # noqa: E402

from phasezoo.integrations import sb3  # noqa: E402

OPTIONS = {"start": "dtm", "dtm": (2, 4), "planes": "minimal", "max_plies": 12}


def model_of(compact, **policy_kwargs):
    envs = sb3.make_vec_env("KRK-v0", 4, seed=1, compact_actions=compact, **OPTIONS)
    kwargs = {"net_arch": [16], "symmetries": games.make("krk").symmetries(compact)} | policy_kwargs
    return sb3_contrib.MaskablePPO(
        sb3.TurnedPolicy, envs, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu",
        policy_kwargs=kwargs,
    )  # fmt: skip


def answers(policy, planes):
    """Logits and values."""
    with torch.no_grad():
        given = torch.from_numpy(np.ascontiguousarray(planes))
        logits = policy.get_distribution(given).distribution.logits
        return logits.numpy(), policy.predict_values(given).numpy()


@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize("extractor", [sb3.LinesExtractor, sb3.PlanesExtractor])
def test_images_have_the_same_value_and_turned_logits(compact, extractor):
    model = model_of(compact, features_extractor_class=extractor)
    model.learn(128)
    with torch.no_grad():  # heads start so small that all logits are nearly alike
        model.policy.action_net.inner.weight.mul_(2000)
    planes = model.get_env().reset()
    logits, values = answers(model.policy, planes)
    assert np.ptp(logits) > 0.5
    for symmetry, becomes in enumerate(games.make("krk").symmetries(compact)):
        turned, worth = answers(model.policy, turned_square(planes, symmetry))
        np.testing.assert_allclose(worth, values, rtol=1e-5)
        np.testing.assert_allclose(turned[:, becomes], logits, rtol=1e-4, atol=1e-4)


def test_a_saved_model_answers_the_same_and_plays(tmp_path):
    model = model_of(True)
    model.learn(256)
    before = [part.clone() for part in model.policy.parameters()]
    model.learn(128)
    after = list(model.policy.parameters())
    assert all((old != new).any() for old, new in zip(before, after, strict=True))
    model.save(tmp_path / "model")
    loaded = sb3_contrib.MaskablePPO.load(tmp_path / "model")
    planes = model.get_env().reset()
    for one, other in zip(
        answers(model.policy, planes), answers(loaded.policy, planes), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    agent = agents.SB3Agent(tmp_path / "model.zip", planes="minimal", compact_actions=True)
    match = arena.play_match(agent, agents.RandomAgent(seed=1), game="krk", games=2, seed=1)
    assert match.wins + match.draws + match.losses == 2


@pytest.mark.parametrize(
    ("symmetries", "message"),
    [
        (np.zeros((8, 36), dtype=np.int64), r"symmetries=int64\[8, 36\]: expected int\[8, 36\]"),
        (np.arange(36), r"symmetries=int64\[36\]: expected int\[8, 36\]"),
        (
            games.make("krk").symmetries(False),
            r"symmetries=int64\[8, 4672\]: expected int\[8, 36\]",
        ),
        (None, r"symmetries=object\[\]: expected int\[8, 36\]"),
    ],
)
def test_other_symmetries_are_refused(symmetries, message):
    with pytest.raises(InvalidConfig, match=message):
        model_of(True, symmetries=symmetries)


def test_boards_must_be_squares_of_planes():
    envs = sb3.make_vec_env("ConnectFour-v0", 2)
    kwargs = {"symmetries": np.tile(np.arange(7), (8, 1))}
    with pytest.raises(InvalidConfig, match=r"shape \[3, 6, 7\].*square"):
        sb3_contrib.MaskablePPO(sb3.TurnedPolicy, envs, policy_kwargs=kwargs, device="cpu")
    masked = sb3.make_vec_env("KRK-v0", 2, observation="masked", compact_actions=True, **OPTIONS)
    kwargs = {"symmetries": games.make("krk").symmetries(True)}
    with pytest.raises(InvalidConfig, match="observation='planes'"):
        sb3_contrib.MaskablePPO(sb3.TurnedPolicy, masked, policy_kwargs=kwargs, device="cpu")


def test_lines_are_sums_of_rows_and_columns():
    envs = sb3.make_vec_env("KRK-v0", 2, seed=1, **OPTIONS)
    extractor = sb3.LinesExtractor(envs.observation_space)
    planes = envs.reset()
    lines = extractor(torch.from_numpy(planes)).numpy()
    assert lines.shape == (2, extractor.features_dim) == (2, 12 * 16)
    np.testing.assert_array_equal(lines[:, :96], planes.sum(axis=3).reshape(2, 96))
    np.testing.assert_array_equal(lines[:, 96:], planes.sum(axis=2).reshape(2, 96))
    masked = sb3.make_vec_env("KRK-v0", 2, observation="masked", **OPTIONS)
    with pytest.raises(InvalidConfig, match="LinesExtractor: observations have shape"):
        sb3.LinesExtractor(masked.observation_space)
