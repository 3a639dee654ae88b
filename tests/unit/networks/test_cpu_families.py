"""Fully connected and mixed networks, which CPUs run fast."""

import pytest
import torch

from phasezoo import networks
from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.mixer import MixerBlock
from phasezoo.networks.architectures.mlp import LinearNorm, ResidualLayers
from phasezoo.networks.architectures.resnet import BoardBlock

SIZES = [((52, 8, 8), 4672), ((23, 11, 11), 6), ((3, 6, 7), 7)]


@pytest.mark.parametrize(
    "name",
    ["mlp-16x2", "convmlp-8x0:layers=0", "convmlp-8x2", "mixer-8x2", "resnet-8x2:board=3"],
)
@pytest.mark.parametrize(("shape", "actions"), SIZES)
def test_they_answer_any_game_and_can_be_trained(name, shape, actions):
    answered = networks.check(name, shape, actions)
    assert answered == ("policy_logits", "wdl_logits", "plies")


def test_fully_connected_layers_are_as_many_and_as_wide_as_asked_for():
    counts = networks.parameter_counts(networks.make("mlp-32x3:policy=flat", (3, 6, 7), 7))
    assert counts["body"] == (3 * 42 * 32 + 64) + 3 * 2 * (32 * 32 + 64)
    assert counts["policy"] == 32 * 7 + 7
    assert counts["value"] == 32 * 4 + 4


def test_a_residual_block_of_layers_adds_its_input():
    block = ResidualLayers(8).eval()
    torch.nn.init.zeros_(block.branch[2].linear.weight)
    vector = torch.randn(3, 8)
    torch.testing.assert_close(block(vector), torch.relu(vector))


def test_folded_layers_answer_the_same():
    layer = LinearNorm(5, 8)
    layer(torch.randn(50, 5) * 3)
    layer.eval()
    vector = torch.randn(4, 5)
    with torch.no_grad():
        expected = layer(vector)
        layer.fold()
        torch.testing.assert_close(layer(vector), expected)
    assert isinstance(layer.norm, torch.nn.Identity)


def test_a_mixer_shows_every_square_the_whole_board_in_one_block():
    torch.manual_seed(1)
    block = MixerBlock(4, 64, 64, 8)
    tokens = torch.randn(1, 64, 4, requires_grad=True)
    block(tokens)[0, 5].sum().backward()
    seen = tokens.grad[0].abs().sum(dim=1) > 0
    assert bool(seen.all())


def test_a_board_block_shows_every_square_the_whole_board_and_adds_its_input():
    torch.manual_seed(1)
    block = BoardBlock(4, 8, 6 * 7).eval()
    planes = torch.rand(2, 4, 6, 7, requires_grad=True)
    block(planes)[0, :, 5, 6].sum().backward()
    seen = planes.grad[0].abs().sum(dim=0) > 0
    assert bool(seen.all())
    torch.nn.init.zeros_(block.spread.conv.weight)
    torch.testing.assert_close(block(planes), planes)


def test_a_board_block_knows_one_size_of_board():
    with pytest.raises(InvalidConfig, match="one size"):
        networks.make("resnet-8x1:board=4,pool=global")


def test_mixers_read_planes_of_moves_by_single_squares_unless_told():
    def kernel(name):
        return networks.make(name).policy.moves.kernel_size

    assert kernel("mixer-8x1") == (1, 1)
    assert kernel("mixer-8x1:policy=planes") == (3, 3)
    assert networks.make("mixer-8x1", (3, 6, 7), 7).policy.actions.out_features == 7


def test_a_stem_may_be_of_single_squares():
    for name in ("rise-8x1", "resnet-8x1", "alphavile-tiny:channels=96"):
        text = name + ("," if ":" in name else ":") + "stem=1"
        assert networks.make(text).body[0].conv.kernel_size == (1, 1)
        assert networks.make(name).body[0].conv.kernel_size == (3, 3)


@pytest.mark.parametrize(
    "name", ["mlp-32x2", "convmlp-8x1:width=32", "mixer-16x2", "resnet-16x1:board=4"]
)
def test_they_learn(name):
    """The policy's loss falls by 70 % and more in 40 steps on 32 positions (three seeds each)."""
    network = networks.make(name, (3, 6, 7), 42, seed=1)
    planes = torch.rand(32, 3, 6, 7, generator=torch.Generator().manual_seed(1))
    actions = torch.arange(32)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2)
    losses = []
    for _ in range(40):
        loss = torch.nn.functional.cross_entropy(network(planes).policy_logits, actions)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert losses[-1] < 0.5 * losses[0]
