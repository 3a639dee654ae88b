"""Networks whose batch norms have seen data come back with the same answers, whatever is folded."""

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from phasezoo import inference, networks

SHAPE, ACTIONS = (12, 8, 8), 4672
NAMES = [
    "rise-16x2",
    "rise-16x2:attention=dense",
    "risev2-16x2",
    "resnet-16x2:attention=se",
    "alphavile-tiny",
    "nextvit-96x3",
    "levit-64x3",
    "vit-32x1",
    "mlp-32x1",
    "convmlp-16x1",
    "mixer-16x1",
]


def with_statistics(name: str) -> nn.Module:
    """A network as after a training: no batch norm has mean 0 and variance 1."""
    network = networks.make(name, SHAPE, ACTIONS, seed=4).eval()
    generator = torch.Generator().manual_seed(1)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d | nn.BatchNorm1d):
            assert module.running_mean is not None
            assert module.running_var is not None
            module.running_mean.normal_(0, 0.2, generator=generator)
            module.running_var.uniform_(0.5, 2, generator=generator)
    return network


@pytest.mark.parametrize("name", NAMES)
def test_a_network_that_has_learnt_comes_back_the_same(name: str, tmp_path: Path) -> None:
    network = with_statistics(name)
    planes = torch.rand(4, *SHAPE, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        wanted = copy.deepcopy(network)(planes).policy_logits.numpy()
    inference.save(network, tmp_path / "net", game="chess", planes="minimal")
    found = inference.load(tmp_path / "net", backend="torch").evaluate(planes.numpy())
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(found.policy_logits, wanted, atol=1e-4 * scale)


@pytest.mark.parametrize("name", ["alphavile-tiny", "nextvit-96x3"])
def test_an_evaluator_keeps_the_weights_as_they_were(name: str) -> None:
    network = with_statistics(name)
    before = {key: value.clone() for key, value in network.state_dict().items()}
    kept = inference.TorchEvaluator(network, game="chess", planes="minimal").original_weights
    assert before.keys() == kept.keys()
    for key, value in before.items():
        assert torch.equal(value, kept[key]), key
