"""The published networks: their parameters, multiply-adds, blocks and heads."""

import pytest
import torch
from torch.nn import functional

from phasezoo import networks
from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.attention import HEAD, LevitAttention, SelfAttention
from phasezoo.networks.architectures.nextvit import NextConvolutionBlock, NextTransformerBlock
from phasezoo.networks.blocks import MobileBottleneck, ResidualBlock

PUBLISHED_ACTIONS = 76 * 64  # the published engine's planes, with queen promotions apart

# Parameters, thousand million multiply-adds and how far ours may be from them, as
# docs/definitions/published.md has them. The papers do not say what they counted; we count neither
# norms nor activations.
PUBLISHED = [
    ("rise-256x15:attention=dense", 5_755_348, 0.263, 0.002),
    ("risev2-256x13", 4_718_612, None, None),
    ("resnet-256x19", 23_320_588, 1.494, 0.002),
    ("alphavile-tiny", 2_668_244, 0.171, 0.005),
    ("alphavile-small", 3_597_908, 0.232, 0.015),
    ("alphavile-normal", 5_730_004, 0.374, 0.025),
    ("alphavile-large", 7_791_188, 0.508, 0.025),
    ("nextvit-256x9", None, 0.364, 0.005),
    ("levit-256x9", None, 0.413, 0.01),
    ("patchvit-256x12:policy=flat", None, 0.02082, 0.01),
]


@pytest.mark.parametrize(("name", "parameters", "multiply_adds", "within"), PUBLISHED)
def test_published_networks_are_as_large_as_published(name, parameters, multiply_adds, within):
    size = networks.count(name, num_actions=PUBLISHED_ACTIONS)
    if parameters is not None:
        assert size.parameters == parameters
    if multiply_adds is not None:
        assert size.multiply_adds == pytest.approx(multiply_adds * 1e9, rel=within)


@pytest.mark.parametrize("option", ["phase_heads", "phase_blocks", "phase_policies", "phase_film"])
def test_one_position_costs_what_its_phase_does(option):
    network = networks.make(f"rise-16x2:{option}=3")
    fixed = networks.count(networks.fix_phase(network, 1))
    assert networks.count(network).multiply_adds == fixed.multiply_adds


def test_counts_are_those_of_a_network_counted_by_hand():
    network = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1, groups=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.Conv2d(8, 8, 3, padding=1, groups=4, bias=False),
        torch.nn.Flatten(),
        torch.nn.Linear(8 * 42, 5),
    ).train()
    size = networks.count(network, (3, 6, 7), 5)
    assert size.parameters == (3 * 8 * 9 + 8) + 16 + 8 * 2 * 9 + (8 * 42 * 5 + 5)
    assert size.multiply_adds == 42 * (3 * 8 * 9 + 8 * 2 * 9) + 8 * 42 * 5
    assert network.training
    assert all(int(buffer) == 0 for n, buffer in network.named_buffers() if "batches" in n)


def test_alphavile_has_its_blocks_where_the_paper_has_them():
    body = networks.make("alphavile-normal:channels=96", num_actions=PUBLISHED_ACTIONS).body
    kinds = [type(block) for block in body[1:]]
    assert [i for i, kind in enumerate(kinds) if kind is NextTransformerBlock] == [17, 25]
    wide = [
        i
        for i, block in enumerate(body[1:])
        if isinstance(block, MobileBottleneck) and block.branch[1].conv.kernel_size == (5, 5)
    ]
    assert wide == [0, 4, 5, 7, 10, 12, 15, 16, 20, 21, 22, 23, 24]
    block = body[1 + 17]
    attending = block.attention.norm.num_features
    assert (attending, block.project.conv.out_channels) == (64, 32)


@pytest.mark.parametrize(("channels", "attending"), [(192, 160), (224, 160), (256, 192)])
def test_transformer_blocks_share_channels_as_published(channels, attending):
    block = NextTransformerBlock(channels, 0.1)
    assert block.attention.norm.num_features == attending
    assert block.attention.attention.heads == attending // 32
    assert block.drop_attention.share == pytest.approx(0.075)
    assert block.drop_convolution.share == pytest.approx(0.025)
    assert block.drop.share == 0.1


def test_attention_is_softmax_of_scaled_products():
    torch.manual_seed(1)
    layer = SelfAttention(64)
    tokens = torch.randn(2, 5, 64)
    parts = [p(tokens).view(2, 5, 2, 32) for p in (layer.query, layer.key, layer.mix)]
    expected = torch.zeros(2, 5, 2, 32)
    for b in range(2):
        for head in range(2):
            query, key, value = (part[b, :, head] for part in parts)
            expected[b, :, head] = torch.softmax(query @ key.T / 32**0.5, dim=1) @ value
    torch.testing.assert_close(layer(tokens), layer.out(expected.flatten(2)))


def test_levits_biases_are_of_distances():
    layer = LevitAttention(64, 3, 4)
    assert layer.biases.shape == (1, 12)
    for one in range(12):
        for other in range(12):
            rows, columns = abs(one // 4 - other // 4), abs(one % 4 - other % 4)
            assert layer.offsets[one, other] == rows * 4 + columns


def test_residual_blocks_scale_their_branch_and_not_their_input():
    block = ResidualBlock(8, attention="se").eval()
    planes = torch.rand(2, 8, 6, 7)
    branch = block.branch(planes)
    torch.testing.assert_close(block(planes), torch.relu(planes + block.attention(branch)))
    assert not torch.equal(block.attention(branch), branch)
    torch.nn.init.zeros_(block.branch[1].norm.weight)  # the branch now answers 0
    torch.testing.assert_close(block(planes), planes)


def test_next_convolutions_are_in_groups_of_32():
    block = NextConvolutionBlock(96)
    assert block.convolution[0].conv.groups == 3
    assert block.mlp.widen.out_channels == 3 * 96


def test_patches_leave_a_token_for_each_and_one_to_read():
    network = networks.make("patchvit-64x1", num_actions=PUBLISHED_ACTIONS)
    assert network.body[0].positions.shape == (1, 2, 64)
    network = networks.make("patchvit-64x1:patch=4", num_actions=PUBLISHED_ACTIONS)
    assert network.body[0].positions.shape == (1, 5, 64)
    assert networks.make("vit-64x1").body.positions.shape == (1, 64, 64)


def attended(layer, generate, tokens):
    """A layer's tokens as torch attends, the bias made square by square and head by head."""
    norm, attention = layer.attention
    read = norm(tokens)
    bias = torch.zeros(len(read), attention.heads, read.shape[1], read.shape[1])
    for row, board in enumerate(read):
        squares = torch.cat([layer.bias.read(square) for square in board])
        units = layer.bias.units_norm(functional.silu(layer.bias.units(squares)))
        numbers = layer.bias.out_norm(functional.silu(layer.bias.out(units)))
        for head, of_head in enumerate(numbers.split(len(numbers) // attention.heads)):
            bias[row, head] = (generate.weight @ of_head).reshape(read.shape[1], -1)
    query, key, value = (
        torch.stack(linear(read).split(HEAD, dim=2), dim=1)
        for linear in (attention.query, attention.key, attention.mix)
    )
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    tokens = tokens + attention.out(torch.cat(mixed.unbind(1), dim=2))
    return tokens + layer.mlp(tokens)


@pytest.mark.parametrize(("board", "heads"), [((8, 8), 2), ((6, 7), 3)])
def test_a_geometric_bias_is_added_to_the_scores_of_each_head(board, heads):
    network = networks.make(f"vit-{32 * heads}x2:geometric_bias=5", (4, *board), 7, seed=2).eval()
    body, planes = network.body, torch.rand(3, 4, *board)
    with torch.no_grad():
        tokens = body.embed(planes).flatten(2).transpose(1, 2) + body.positions
        for layer in body.layers:
            tokens = attended(layer, body.generate, tokens)
        torch.testing.assert_close(body(planes), body.norm(tokens), rtol=1e-4, atol=1e-5)
        body.generate.weight.zero_()  # no bias is left
        plain = networks.make(f"vit-{32 * heads}x2", (4, *board), 7).eval()
        plain.load_state_dict(network.state_dict(), strict=False)
        torch.testing.assert_close(network(planes)[0], plain(planes)[0])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("vit-40x1", "multiple of 32"),
        ("vit-32x1:geometric_bias=-1", "geometric_bias"),
        ("patchvit-64x1:patch=3", "8 x 8"),
        ("levit-96x1", "multiple of 64"),
        ("nextvit-100x2", "multiple of 32"),
        ("alphavile-tiny:channels=100", "multiple of 32"),
        ("alphavile-huge", "one of tiny, small, normal, large"),
    ],
)
def test_sizes_that_blocks_cannot_have_are_refused(name, says):
    with pytest.raises(InvalidConfig, match=says):
        networks.make(name)


def test_stochastic_depth_rises_to_the_last_block_and_rests_in_eval_mode():
    network = networks.make("resnet-8x3:drop=0.4", seed=1)
    shares = [getattr(block.drop, "share", 0.0) for block in network.body[1:]]
    assert shares == pytest.approx([0.0, 0.2, 0.4])
    planes = torch.rand(2, 52, 8, 8)
    same = networks.make("resnet-8x3", seed=1).eval()
    torch.testing.assert_close(network.eval()(planes)[0], same(planes)[0])


def test_stochastic_depth_leaves_out_whole_positions_and_keeps_the_mean():
    from phasezoo.networks.depth import StochasticDepth

    torch.manual_seed(3)
    layer = StochasticDepth(0.25).train()
    kept = layer(torch.ones(4000, 2, 2))
    assert sorted(kept.unique().tolist()) == pytest.approx([0, 4 / 3])
    assert bool((kept == kept[:, :1, :1]).all())
    assert kept.mean().item() == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("seed", [-1, 1.7, float("nan"), "x", 2**64])
def test_seeds_that_are_none_are_refused(seed):
    with pytest.raises(InvalidConfig, match="seed="):
        networks.make("mlp-8x1", (3, 6, 7), 7, seed=seed)
