"""Every architecture answers alike in torch and in ONNX Runtime, on random and real positions."""

import io
import warnings

import numpy as np
import pytest
import torch

from phasezoo import games, networks
from phasezoo.networks.blocks import fold_batch_norms

onnxruntime = pytest.importorskip("onnxruntime")

TINY = [
    "rise-16x3",
    "rise-16x2:attention=dense,value=mse",
    "risev2-16x3",
    "resnet-16x2:policy=pointwise,stem=1",
    "resnet-16x2:policy=dense,value=mse,value_channels=1,value_units=64",
    "resnet-16x2:attention=se",
    "resnet-16x2:board=4",
    "risex4-1x2",
    "risex4-8x2:pool=global",
    "alphavile-tiny:channels=96",
    "tower-96x4:transformers=1,wide=0.5",
    "nextvit-96x3:value=wdl",
    "levit-64x2:value=players",
    "vit-32x2",
    "vit-64x2:geometric_bias=8",
    "patchvit-32x2",
    "mlp-32x2",
    "convmlp-16x1:policy=flat,value=mse",
    "mixer-16x2:mixed=24",
    "lc0-16x2",
    "lc0-8x1:squeeze=0,policy=classical,value=mse,moves_left=2",
    "lc0-8x1:policy=attention,policy_blocks=1",
    "lc0-attention-16x2:heads=4,ffn_activation=relu2",
    "lc0-attention-16x1:embedding=dense,embedding_units=4,gates=true,smolgen=4,moves_left=2",
]
"""Small networks of every family, and every kind of head."""

PUBLISHED = [
    "rise-256x15",
    "rise-256x15:attention=dense",
    "risev2-256x13",
    "resnet-256x19",
    "resnet-128x12:policy=dense,value=mse,value_channels=1,value_units=64",
    "alphavile-tiny",
    "alphavile-small",
    "alphavile-normal",
    "alphavile-large",
    "nextvit-256x9",
    "levit-256x9",
    "vit-256x12",
    "patchvit-256x12:policy=flat",
]


class Answered(torch.nn.Module):
    """The fields that are there, which is what an ONNX model can answer."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, planes):
        output = self.network(planes)
        return tuple(getattr(output, field) for field in output.answered())


def exported(network, shape):
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            Answered(network),
            (torch.zeros(2, *shape),),
            file,
            dynamo=False,
            opset_version=17,
            input_names=["planes"],
            dynamic_axes={"planes": {0: "rows"}},
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(file.getvalue(), options)


def real_positions(count, planes):
    """Positions of a random game of chess, as networks see them."""
    game, random = games.make("chess"), np.random.default_rng(1)
    states = [game.initial_state()]
    while len(states) < count:
        legal = states[-1].legal_actions
        states.append(states[-1].play(int(random.choice(legal))))
    return games.encode(states, planes)


def check_parity(name):
    seen = "lc0" if name.startswith("lc0") else "v2"
    shape = games.make("chess").plane_shape(seen)
    network = networks.make(name, shape, seed=2)
    random = torch.rand(16, *shape, generator=torch.Generator().manual_seed(1))
    network.train()
    with torch.no_grad():
        network(random)  # gives the running statistics something to hold
    network.eval()
    real = torch.from_numpy(np.asarray(real_positions(16, seen)))
    with torch.no_grad():
        expected = [Answered(network)(planes) for planes in (random, real, real[:1])]
        fold_batch_norms(network)
        folded = [Answered(network)(planes) for planes in (random, real, real[:1])]
    session = exported(network, shape)
    for planes, answers, others in zip((random, real, real[:1]), expected, folded, strict=True):
        found = session.run(None, {"planes": planes.numpy()})
        for one, other, runtime in zip(answers, others, found, strict=True):
            # Actions that mean no move have a logit far from the others.
            scale = float(one[one > -1e3].abs().max()) + 1
            assert float((one - other).abs().max()) < 1e-4 * scale
            assert np.abs(one.numpy() - runtime).max() < 1e-4 * scale
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in network.modules())


@pytest.mark.parametrize("name", TINY)
def test_small_networks_answer_alike_in_onnx(name):
    check_parity(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_networks_answer_alike_in_onnx(name):
    check_parity(name)


def test_no_family_is_left_out():
    from phasezoo.networks.catalogue import FAMILIES

    assert {name.partition(":")[0].rpartition("-")[0] for name in TINY} == set(FAMILIES)
