"""Networks: published sizes, shapes, initial weights, names that are not networks."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from phasezoo import networks
from phasezoo.errors import InvalidConfig
from phasezoo.networks.architectures.rise import rise_plan
from phasezoo.networks.blocks import ChannelAttention, MobileBottleneck, fold_batch_norms

FAMILIES = ["rise-8x1", "rise-32x4", "risev2-16x3", "resnet-16x2", "risex4-1x2", "risex4-16x3"]

PUBLISHED_ACTIONS = 76 * 64  # the published engine's planes, with queen promotions apart


def test_the_published_sizes_are_met() -> None:
    # docs/definitions/published.md#risev33: body without attention, heads; five true ECA filters of
    # five weights.
    rise = networks.parameter_counts(networks.make("rise-256x15", num_actions=PUBLISHED_ACTIONS))
    assert rise["body"] == 3_346_112 + 5 * 5
    assert rise["policy"] == 765_440
    assert rise["value"] == 4_116
    # docs/definitions/published.md#others
    for name, total in (("risev2-256x13", 4_718_612), ("resnet-256x19", 23_320_588)):
        network = networks.make(name, num_actions=PUBLISHED_ACTIONS)
        assert networks.parameter_counts(network)["total"] == total


def test_the_tiny_pommerman_network_is_as_small_as_published() -> None:
    # docs/definitions/published.md#others: one channel, four inside, two blocks; one channel for
    # the value.
    network = networks.make("risex4-1x2", (23, 11, 11), 6)
    norm = 2
    stem = 23 * 9 + norm
    block = (4 + 4 * norm) + (4 * 9 + 4 * norm) + (4 + norm)
    policy = (9 + norm) + (16 * 9 + 16 * norm) + (16 * 121 * 6 + 6)
    value = (1 + norm) + (121 * 3 + 3) + (121 + 1)
    counts = networks.parameter_counts(network)
    assert (counts["body"], counts["policy"], counts["value"]) == (stem + 2 * block, policy, value)
    kinds = {type(module) for module in network.modules()}
    assert torch.nn.LeakyReLU in kinds
    assert torch.nn.ReLU not in kinds


def test_the_large_pommerman_network_is_256_wide_inside() -> None:
    network = networks.make("risex4-64x4", (23, 11, 11), 6)
    blocks = [module for module in network.modules() if isinstance(module, MobileBottleneck)]
    assert [block.branch[1].conv.groups for block in blocks] == [256] * 4


def test_actions_that_are_no_planes_are_read_from_the_whole_board() -> None:
    network = networks.make("rise-8x1", (23, 11, 11), 6, seed=1).eval()
    planes = torch.rand(1, 23, 11, 11)
    logits = network(planes).policy_logits
    for y, x in ((0, 0), (5, 5), (10, 10)):
        changed = planes.clone()
        changed[:, :, y, x] += 5
        assert bool((network(changed).policy_logits != logits).all())


def test_the_published_schedule_is_the_table_of_the_facts() -> None:
    plan = rise_plan(256, 15)
    widths = [224, 256, 288, 320, 352, 384, 416, 352, 480, 512, 544, 416, 416, 448, 672]
    assert [block.expanded for block in plan] == widths
    assert [i for i, block in enumerate(plan) if block.kernel == 5] == [7, 11, 12, 13]
    assert [i for i, block in enumerate(plan) if block.attention == "eca"] == [5, 8, 12, 13, 14]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(
    ("shape", "actions"),
    [
        ((52, 8, 8), 4672),
        ((23, 11, 11), 6 * 121),
        ((23, 11, 11), 6),
        ((23, 8, 8), 6),
        ((23, 11, 11), 384),
    ],
)
def test_every_family_answers_with_the_right_shapes(
    name: str, shape: tuple[int, int, int], actions: int
) -> None:
    output = networks.make(name, shape, actions)(torch.rand(3, *shape))
    assert output.policy_logits.shape == (3, actions)
    assert output.wdl_logits.shape == (3, 3)
    assert output.plies.shape == (3,)
    assert bool(((output.plies > 0) & (output.plies < 1)).all())
    assert output.value().shape == (3,)


def test_the_value_is_win_minus_loss() -> None:
    logits = torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.0, 3.0], [0.0, 9.0, 0.0]])
    output = networks.NetworkOutput(torch.zeros(3, 1), logits, torch.zeros(3))
    odds = np.exp(logits.numpy())
    expected = (odds[:, 0] - odds[:, 2]) / odds.sum(axis=1)
    np.testing.assert_allclose(output.value().numpy(), expected, atol=1e-6)


def test_policy_logits_are_plane_times_64_plus_square() -> None:
    network = networks.make("rise-8x1").eval()
    planes = torch.rand(2, 52, 8, 8)
    moves = network.policy.moves(network.policy.hidden(network.body(planes)))
    logits = network(planes).policy_logits
    plane, square = 9, 44
    torch.testing.assert_close(
        logits[:, plane * 64 + square], moves[:, plane, square // 8, square % 8]
    )


def test_the_seed_alone_decides_the_initial_weights() -> None:
    torch.manual_seed(1)
    first = networks.make("rise-16x2", seed=5).state_dict()
    torch.manual_seed(2)
    before = torch.get_rng_state()
    second = networks.make("rise-16x2", seed=5).state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    other = networks.make("rise-16x2", seed=6).state_dict()
    assert all(torch.equal(first[key], second[key]) for key in first)
    assert any(not torch.equal(first[key], other[key]) for key in first)


@pytest.mark.parametrize(("channels", "kernel"), [(8, 3), (32, 3), (64, 3), (256, 5), (512, 5)])
def test_channel_attention_is_a_filter_over_neighbouring_channels(
    channels: int, kernel: int
) -> None:
    attention = ChannelAttention(channels)
    assert attention.conv.weight.shape == (1, 1, kernel)
    planes = torch.randn(2, channels, 8, 8)
    means = np.pad(planes.mean(dim=(2, 3)).numpy(), ((0, 0), (kernel // 2, kernel // 2)))
    weights = attention.conv.weight.detach().numpy()[0, 0]
    logits = np.stack(
        [means[:, c : c + kernel] @ weights for c in range(channels)], axis=1
    )  # as in the paper, written out
    gate = np.clip(logits / 6 + 0.5, 0, 1)
    np.testing.assert_allclose(
        attention(planes).detach().numpy(), planes.numpy() * gate[:, :, None, None], atol=1e-5
    )


def test_attention_scales_the_skip_path_too() -> None:
    block = MobileBottleneck(16, 16, attention="eca").eval()
    torch.nn.init.zeros_(block.branch[2].conv.weight)  # the branch now answers 0
    planes = torch.randn(2, 16, 8, 8)
    torch.testing.assert_close(block(planes), block.attention(planes))


@pytest.mark.parametrize("name", ["rise-16x3", "risev2-16x3", "resnet-16x2", "risex4-1x2"])
@pytest.mark.parametrize(("shape", "actions"), [((52, 8, 8), 4672), ((23, 11, 11), 6)])
def test_folding_batch_norms_changes_no_answer(
    name: str, shape: tuple[int, int, int], actions: int
) -> None:
    network = networks.make(name, shape, actions, seed=3)
    for _ in range(3):  # give the running statistics something to hold
        network(torch.randn(16, *shape))
    network.eval()
    planes = torch.randn(4, *shape)
    with torch.no_grad():
        expected = network(planes)
        fold_batch_norms(network)
        for one, other in zip(network(planes), expected, strict=True):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
    assert not any(isinstance(m, torch.nn.BatchNorm2d) for m in network.modules())


@pytest.mark.parametrize(
    "name",
    ["", "rise", "rise-32", "rise-32x", "rise-7x4", "rise-2048x4", "rise-32x0", "rise-32x101",
     "Rise-32x4", "rize-32x4", "alphavil-32x4", "rise-32x4 ", "rise--32x4", "rise-３２x4",
     "risex4-0x2", "risex4-01x2", "risex4-1025x1"],
)  # fmt: skip
def test_a_wrong_name_is_a_typed_error_that_shows_the_grammar(name: str) -> None:
    with pytest.raises(InvalidConfig, match="CHANNELSxBLOCKS") as error:
        networks.make(name)
    assert repr(name) in str(error.value)


def test_a_misspelt_family_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidConfig, match="did you mean 'resnet'"):
        networks.make("resnt-64x10")


@pytest.mark.parametrize(
    ("shape", "actions"),
    [
        ((0, 8, 8), 64),
        ((52, 8, 8), -100),
        ((52, 8, 8), 0),
        ((52, 0, 8), 64),
        ((52, 8), 64),
        (52, 64),
        ("chess", 64),
        ((52, 8, 8), "64"),
        ((52, 8, 8.5), 64),
    ],
)
def test_sizes_that_do_not_fit_are_typed_errors(shape: Any, actions: Any) -> None:
    with pytest.raises(InvalidConfig, match="whole numbers of 1 or more"):
        networks.make("rise-8x1", shape, actions)


def test_a_network_can_learn() -> None:
    """Seven seeds: the loss falls below a thousandth (at a rate of 0.5 one only to 0.63)."""
    network = networks.make("rise-16x2", seed=1)
    planes = torch.rand(32, 52, 8, 8, generator=torch.Generator().manual_seed(1))
    actions = torch.arange(32) * 140
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    first = None
    for _ in range(30):
        loss = functional.cross_entropy(network(planes).policy_logits, actions)
        first = loss.item() if first is None else first
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.3 * first


def test_the_tower_that_the_publication_found_is_scaled_from_its_base():
    # Czech et al. (2024), Table 9: alpha 1.8, 18 blocks of 205 channels.
    assert networks.scaled("tower-192x10", 1.8) == "tower-205x18"
    assert networks.scaled("tower-192x10:wide=0.5", 1.0, cost=1.0) == "tower-192x10:wide=0.5"


@pytest.mark.parametrize("depth", [0.5, 1.0, 2.0, 4.0])
def test_multiply_adds_grow_by_the_cost_with_a_power_of_two(depth):
    body = "resnet-128x12:policy=pointwise"
    base, larger = (
        networks.count(networks.make(name), (52, 8, 8), 4672).multiply_adds
        for name in (body, networks.scaled(body, depth, power=2.0, cost=2.0))
    )
    assert larger / base == pytest.approx(2.0, rel=0.12)  # stem and heads grow less


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("tower", {}, "expected channels and blocks at its end"),
        ("mlp-64", {}, "expected channels and blocks at its end"),
        ("tower-192x10", {"depth": 0.0}, "depth=0.0: expected a number from 0.1"),
        ("tower-192x10", {"power": float("nan")}, "power=nan"),
        ("tower-192x10", {"cost": -1.0}, "cost=-1.0"),
    ],
)
def test_what_cannot_be_scaled_is_refused(spec, options, message):
    with pytest.raises(InvalidConfig, match=message):
        networks.scaled(spec, **{"depth": 2.0, **options})
