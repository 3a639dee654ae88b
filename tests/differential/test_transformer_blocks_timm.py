"""Our blocks of Next-ViT and LeViT against those of timm, if it is installed.

It needs torchvision, which is why it is not among the packages that tests bring. Every weight of
one is given to the other, in the order in which the papers' figures have them.
"""

import pytest
import torch

from phasezoo.networks.architectures.attention import LEVIT_VALUES
from phasezoo.networks.architectures.levit import LevitBlock
from phasezoo.networks.architectures.nextvit import NextConvolutionBlock, NextTransformerBlock
from phasezoo.networks.blocks import fold_batch_norms

nextvit = pytest.importorskip("timm.models.nextvit")
levit = pytest.importorskip("timm.models.levit")

pytestmark = pytest.mark.filterwarnings("ignore")  # of packages that are not ours


def copied(ours, theirs, pairs):
    """Give the modules of ``ours`` random weights and statistics, and ``theirs`` the same."""
    torch.manual_seed(1)
    seen = []
    for one, other in pairs:
        state = one.state_dict()
        for name, tensor in state.items():
            if tensor.is_floating_point():
                low = (
                    0.5 if name.endswith(("running_var", "weight")) and tensor.dim() == 1 else -0.5
                )
                state[name] = torch.empty_like(tensor).uniform_(low, low + 1)
        one.load_state_dict(state)
        shapes = {name: tensor.shape for name, tensor in other.state_dict().items()}
        other.load_state_dict({name: tensor.view(shapes[name]) for name, tensor in state.items()})
        seen.append(sum(p.numel() for p in one.parameters()))
    assert sum(seen) == sum(p.numel() for p in ours.parameters())
    assert sum(seen) == sum(p.numel() for p in theirs.parameters())


def check_alike(ours, theirs, channels):
    planes = torch.randn(3, channels, 8, 8).double()
    ours.eval().double()
    theirs.eval().double()
    with torch.no_grad():
        expected = theirs(planes)
        torch.testing.assert_close(ours(planes), expected)
        fold_batch_norms(ours)
        torch.testing.assert_close(ours(planes), expected)


def convolution(ours, theirs):
    first, last = ours
    return [
        (first.conv, theirs.group_conv3x3),
        (first.norm, theirs.norm),
        (last, theirs.projection),
    ]


def test_convolution_blocks_are_those_of_timm():
    ours, theirs = NextConvolutionBlock(96), nextvit.NextConvBlock(96, 96)
    pairs = [
        *convolution(ours.convolution, theirs.mhca),
        (ours.mlp.norm, theirs.norm),
        (ours.mlp.widen, theirs.mlp.fc1),
        (ours.mlp.narrow, theirs.mlp.fc2),
    ]
    copied(ours, theirs, pairs)
    check_alike(ours, theirs, 96)


@pytest.mark.parametrize("channels", [192, 224, 256])
def test_transformer_blocks_are_those_of_timm(channels):
    ours = NextTransformerBlock(channels)
    theirs = nextvit.NextTransformerBlock(channels, channels, drop_path=0.0)
    attention = ours.attention.attention
    pairs = [
        (ours.narrow.conv, theirs.patch_embed.conv),
        (ours.narrow.norm, theirs.patch_embed.norm),
        (ours.attention.norm, theirs.norm1),
        (attention.query, theirs.e_mhsa.q),
        (attention.key, theirs.e_mhsa.k),
        (attention.mix, theirs.e_mhsa.v),
        (attention.out, theirs.e_mhsa.proj),
        (ours.project.conv, theirs.projection.conv),
        (ours.project.norm, theirs.projection.norm),
        *convolution(ours.convolution, theirs.mhca),
        (ours.mlp.norm, theirs.norm2),
        (ours.mlp.widen, theirs.mlp.fc1),
        (ours.mlp.narrow, theirs.mlp.fc2),
    ]
    copied(ours, theirs, pairs)
    check_alike(ours, theirs, channels)


def test_levit_blocks_are_those_of_timm():
    ours = LevitBlock(128, 8, 8)
    theirs = levit.LevitBlock(
        128, 32, 128 // LEVIT_VALUES, 2.0, 2.0, 8, use_conv=True, act_layer=torch.nn.Hardswish
    )
    biases = torch.randn_like(ours.attention.biases)
    torch.manual_seed(2)
    pairs = [
        (ours.attention.project.conv, theirs.attn.qkv.linear),
        (ours.attention.project.norm, theirs.attn.qkv.bn),
        (ours.attention.out[1].conv, theirs.attn.proj.ln.linear),
        (ours.attention.out[1].norm, theirs.attn.proj.ln.bn),
        (ours.mlp[0].conv, theirs.mlp.ln1.linear),
        (ours.mlp[0].norm, theirs.mlp.ln1.bn),
        (ours.mlp[2].conv, theirs.mlp.ln2.linear),
        (ours.mlp[2].norm, theirs.mlp.ln2.bn),
    ]
    with torch.no_grad():
        ours.attention.biases.copy_(biases)
        theirs.attn.attention_biases.copy_(biases)
    pairs.append((_Own(ours.attention.biases), _Own(theirs.attn.attention_biases)))
    copied(ours, theirs, pairs)
    check_alike(ours, theirs, 128)


class _Own(torch.nn.Module):
    """A parameter that no layer holds."""

    def __init__(self, parameter):
        super().__init__()
        self.values = parameter
