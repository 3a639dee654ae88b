"""Heads: four kinds of value, planes and flat policies, weights for boards of any size."""

import pytest
import torch

from phasezoo import networks
from phasezoo.errors import InvalidConfig, InvalidNetwork

CHESS = ((52, 8, 8), 4672)
WALKER = ((23, 11, 11), 6)


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ("wdlp", {"wdl_logits": (3, 3), "plies": (3,)}),
        ("wdl", {"wdl_logits": (3, 3)}),
        ("mse", {"scalar": (3,)}),
        ("players", {"values": (3, 4)}),
    ],
)
@pytest.mark.parametrize("name", ["rise-8x1", "resnet-8x1", "patchvit-32x1:patch=11"])
@pytest.mark.parametrize("pool", ["none", "global"])
def test_each_kind_of_value_answers_its_fields(name, value, fields, pool):
    if name.startswith("patchvit") and pool == "global":
        return
    colon = "," if ":" in name else ":"
    pooled = f",pool={pool}" if pool == "global" else ""
    text = f"{name}{colon}value={value}{pooled}"
    output = networks.make(text, *WALKER, num_players=4).eval()(torch.rand(3, *WALKER[0]))
    assert output.answered() == ("policy_logits", *fields)
    for field, shape in fields.items():
        assert getattr(output, field).shape == shape
    assert output.value().shape == (3,)
    assert bool((output.value().abs() <= 1).all())


def test_the_value_of_the_player_to_move_is_the_first():
    values = torch.tensor([[0.5, -1.0, 0.25], [0.0, 0.5, 1.0]])
    logits = torch.zeros(2, 1)
    assert networks.NetworkOutput(logits, values=values).value().tolist() == [0.5, 0.0]
    scalar = torch.tensor([0.1, 0.2])
    assert torch.equal(networks.NetworkOutput(logits, scalar=scalar).value(), scalar)
    with pytest.raises(InvalidNetwork, match="no value"):
        networks.NetworkOutput(logits).value()


def test_the_small_heads_of_the_thesis_are_as_published():
    """docs/definitions/published.md#others, atomic: policy 1x1 to 2, dense; value 1x1 to 1, 64."""
    text = "resnet-128x12:policy=dense,value=mse,value_channels=1,value_units=64"
    counts = networks.parameter_counts(networks.make(text, (12, 8, 8), 4672))
    convolution = 128 * 128 * 9 + 2 * 128
    assert counts["body"] == (12 * 128 * 9 + 2 * 128) + 24 * convolution
    assert counts["policy"] == (128 * 2 + 2 * 2) + (2 * 64 * 4672 + 4672)
    assert counts["value"] == (128 + 2) + (64 * 64 + 64) + (64 + 1)


def test_pointwise_policies_have_convolutions_of_one_square():
    network = networks.make("rise-8x1:policy=pointwise", *CHESS).eval()
    assert {m.kernel_size for m in network.policy.modules() if hasattr(m, "kernel_size")} == {
        (1, 1)
    }
    planes = torch.rand(1, 52, 8, 8)
    features = network.body(planes)
    changed = features.clone()
    changed[:, :, 2, 3] += 1
    differs = (network.policy(features) != network.policy(changed)).view(73, 64).any(dim=0)
    assert differs.nonzero().flatten().tolist() == [2 * 8 + 3]


def test_a_factorised_policy_is_a_matrix_of_low_rank():
    network = networks.make("patchvit-32x1:rank=3", *CHESS)
    vector = torch.rand(1, 32)
    logits = network.policy(vector).view(73, 64)
    assert torch.linalg.matrix_rank(logits.detach(), rtol=1e-4) == 3
    planes = network.policy.planes(vector).view(73, 3)
    squares = network.policy.squares(vector).view(3, 64)
    torch.testing.assert_close(logits[9, 44], (planes[9] * squares[:, 44]).sum())


@pytest.mark.parametrize("name", ["rise-16x2", "resnet-16x1", "alphavile-tiny:channels=96"])
@pytest.mark.parametrize("planes", [73, None])
def test_pooled_heads_fit_boards_of_any_size(name, planes):
    text = name + ("," if ":" in name else ":") + "pool=global"
    sizes = [((5, side, side), planes * side * side if planes else 6) for side in (8, 11)]
    small, large = (networks.make(text, *size, seed=i) for i, size in enumerate(sizes))
    large.load_state_dict(small.state_dict())
    for shape, actions in sizes:
        network = large if shape[1] == 11 else small
        assert network(torch.rand(2, *shape)).policy_logits.shape == (2, actions)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("resnet-16x1:pool=global", True),
        ("rise-16x2:pool=global", True),
        ("resnet-16x1", False),
        ("vit-32x1:pool=global", False),
        ("mixer-32x1:pool=global", False),
        ("mlp-32x1", False),
    ],
)
def test_which_networks_fit_boards_of_any_size(text, fits):
    assert networks.fits_boards(text, (5, 8, 8), 6) is fits


def test_without_pooling_the_weights_are_of_one_board():
    small, large = (networks.make("rise-8x1", (5, s, s), 73 * s * s) for s in (8, 11))
    with pytest.raises(RuntimeError, match="size mismatch"):
        large.load_state_dict(small.state_dict())


@pytest.mark.parametrize(
    ("text", "size", "says"),
    [
        ("rise-8x1:policy=planes", WALKER, "6 actions are no planes of 121 squares"),
        ("rise-8x1:policy=pointwise", WALKER, "use policy=flat"),
        ("rise-8x1:policy=dense,pool=global", CHESS, "one board"),
        ("rise-8x1:policy=factorised", CHESS, "one of auto, planes, pointwise, flat, dense"),
        ("patchvit-32x1:patch=11,policy=factorised", WALKER, "no planes"),
        ("patchvit-32x1:policy=planes", CHESS, "one of auto, flat, factorised"),
        ("rise-8x1:value_channels=0", CHESS, "1 to 1,024"),
    ],
)
def test_heads_that_do_not_fit_are_refused(text, size, says):
    with pytest.raises(InvalidConfig, match=says):
        networks.make(text, *size)


def test_the_dense_gate_uses_the_middle_of_its_filter_only():
    from phasezoo.networks.blocks import DenseAttention

    gate = DenseAttention(256)
    assert sum(p.numel() for p in gate.parameters()) == 327_936  # docs/definitions/published.md
    planes = torch.rand(2, 256, 8, 8)
    logits = planes.mean(dim=(2, 3)) @ gate.conv.weight[:, :, 2].T + gate.conv.bias
    expected = planes * torch.clamp(logits / 6 + 0.5, 0, 1)[:, :, None, None]
    torch.testing.assert_close(gate(planes), expected)
