"""The building blocks of the networks. Tensors are ``float32[B, C, H, W]``."""

import math
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from phasezoo.networks.conditioned import ChangedLayer
from phasezoo.networks.depth import stochastic_depth

Attention: TypeAlias = Literal["none", "eca", "dense", "se"]
"""How a block weighs its input channels: not at all, efficient channel attention, its dense form,
or squeeze-and-excitation."""


Activation: TypeAlias = Literal["none", "relu", "leaky", "mish"]
"""Activation after a batch norm: none, ReLU, Mish (Misra 2019), or a ReLU that lets a hundredth of
negative numbers through, without which a network of a channel or two soon has none that is
alive."""


class ConvNorm(nn.Module):
    """Convolution without bias, batch norm and, by default, ReLU; keeps height and width.

    Args:
        inputs: Channels that come in.
        outputs: Channels that leave.
        kernel: Kernel size, odd.
        groups: Groups of the convolution; as many as channels make it depthwise.
        activation: What follows.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int = 3,
        groups: int = 1,
        activation: Activation = "relu",
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(
            inputs, outputs, kernel, padding=kernel // 2, groups=groups, bias=False
        )
        self.norm: nn.Module = nn.BatchNorm2d(outputs)
        self.activation = activation_of(activation)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, inputs, H, W]`` to ``float32[B, outputs, H, W]``."""
        output: Tensor = self.activation(self.norm(self.conv(planes)))
        return output

    def fold(self) -> None:
        """Put the batch norm's running statistics into the convolution; for inference only."""
        if isinstance(self.norm, nn.BatchNorm2d):
            self.conv = fuse_conv_bn_eval(self.conv, self.norm)
            self.norm = nn.Identity()


class ChannelAttention(nn.Module):
    """Efficient channel attention (Wang et al. 2020, "ECA-Net", section 3.2).

    Each channel is scaled by a hard sigmoid of a convolution over its neighbours' means, with a
    single filter of k weights.

    Args:
        channels: C, which decides k: the odd number from ``|(log2 C + 1) / 2|`` (eq. 12, γ=2, b=1).
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        kernel = _attention_kernel(channels)
        self.conv = nn.Conv1d(1, 1, kernel, padding=kernel // 2, bias=False)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the planes, scaled channel by channel."""
        means = planes.mean(dim=(2, 3)).unsqueeze(1)
        weights = functional.hardsigmoid(self.conv(means)).squeeze(1)
        return planes * weights[:, :, None, None]


class DenseAttention(nn.Module):
    """The published engine's PyTorch counterpart of :class:`ChannelAttention`.

    A convolution from C to C channels over a sequence of one, so that each channel is scaled by a
    hard sigmoid of all channels' means. Only the middle of the k·C² weights is ever used
    (``docs/definitions/published.md#networks``).

    Args:
        channels: C, which decides k as in :class:`ChannelAttention`.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        kernel = _attention_kernel(channels)
        self.conv = nn.Conv1d(channels, channels, kernel, padding=kernel // 2)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the planes, scaled channel by channel."""
        means = planes.mean(dim=(2, 3)).unsqueeze(2)
        return planes * functional.hardsigmoid(self.conv(means))[:, :, :, None]


class SqueezeExcitation(nn.Module):
    """Squeeze-and-excitation (Hu et al. 2018) with a bottleneck of half the channels.

    Args:
        channels: Channels in and out.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.squeeze = nn.Linear(channels, channels // 2, bias=False)
        self.excite = nn.Linear(channels // 2, channels, bias=False)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the planes, scaled channel by channel."""
        means = planes.mean(dim=(2, 3))
        weights = functional.hardsigmoid(self.excite(functional.relu(self.squeeze(means))))
        return planes * weights[:, :, None, None]


class MobileBottleneck(nn.Module):
    """Mobile bottleneck (Sandler et al. 2018): widen by 1x1, filter depthwise, narrow by 1x1, add.

    With attention the scaled planes are the input of both the branch and the sum, as in the
    published engine's PyTorch code (``docs/definitions/published.md#networks``).

    Args:
        channels: Channels in and out.
        expanded: Channels between the two 1x1 convolutions.
        kernel: Kernel of the depthwise convolution, odd.
        attention: What scales the input.
        activation: What follows the first two convolutions.
        drop: Share of the training positions that pass the branch by.
    """

    def __init__(
        self,
        channels: int,
        expanded: int,
        kernel: int = 3,
        attention: Attention = "none",
        activation: Activation = "relu",
        drop: float = 0.0,
    ) -> None:
        super().__init__()
        self.attention = _attention(attention, channels)
        self.branch = nn.Sequential(
            ConvNorm(channels, expanded, kernel=1, activation=activation),
            ConvNorm(expanded, expanded, kernel, groups=expanded, activation=activation),
            ConvNorm(expanded, channels, kernel=1, activation="none"),
        )
        self.drop = stochastic_depth(drop)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        planes = self.attention(planes)
        output: Tensor = planes + self.drop(self.branch(planes))
        return output


class ResidualBlock(nn.Module):
    """Residual block of AlphaZero (Silver et al. 2017): two 3x3 convolutions, add, ReLU.

    With attention the branch is scaled before it is added (Hu et al. 2018, Fig. 3).

    Args:
        channels: Channels in and out.
        drop: Share of the training positions that pass the branch by.
        attention: What scales the branch.
    """

    def __init__(self, channels: int, drop: float = 0.0, attention: Attention = "none") -> None:
        super().__init__()
        self.branch = nn.Sequential(
            ConvNorm(channels, channels), ConvNorm(channels, channels, activation="none")
        )
        self.attention = _attention(attention, channels)
        self.drop = stochastic_depth(drop)

    def forward(self, planes: Tensor) -> Tensor:
        """``float32[B, C, H, W]`` in and out."""
        return torch.relu(planes + self.drop(self.attention(self.branch(planes))))


def fold_batch_norms(network: nn.Module) -> None:
    """Fold the batch norms of ``network``, which must be in eval mode, into the layers beside them.

    A user's own are left alone, and so are those around layers that change with the phase.
    """
    for module in list(network.modules()):
        fold: Any = getattr(module, "fold", None)
        is_own = type(module).__module__.startswith("phasezoo.networks.")
        changes = any(isinstance(layer, ChangedLayer) for layer in module.modules())
        if is_own and fold is not None and not changes:
            fold()


def folded_before(layer: nn.Linear | nn.Conv2d, norm: nn.BatchNorm2d) -> None:
    """Put ``norm``, which comes before a linear layer or a 1x1 convolution with bias, into it.

    The layer gets new parameters: whoever holds the old ones still has the weights as they were.
    """
    mean, variance = norm.running_mean, norm.running_var
    assert mean is not None  # ours keep running statistics
    assert variance is not None
    assert layer.bias is not None
    with torch.no_grad():
        scale = norm.weight / torch.sqrt(variance + norm.eps)
        shift = norm.bias - mean * scale
        columns = layer.weight.flatten(1)
        bias = layer.bias + columns @ shift
        weight = (columns * scale).view_as(layer.weight)
    layer.bias, layer.weight = nn.Parameter(bias), nn.Parameter(weight)


def activation_of(kind: Activation) -> nn.Module:
    """Return the layer of ``kind``."""
    if kind == "relu":
        return nn.ReLU(inplace=True)
    if kind == "mish":
        return nn.Mish(inplace=True)
    return nn.LeakyReLU(inplace=True) if kind == "leaky" else nn.Identity()


def _attention_kernel(channels: int) -> int:
    width = int(abs((math.log2(channels) + 1) / 2))
    return width if width % 2 else width + 1


def _attention(kind: Attention, channels: int) -> nn.Module:
    if kind == "eca":
        return ChannelAttention(channels)
    if kind == "dense":
        return DenseAttention(channels)
    if kind == "se":
        return SqueezeExcitation(channels)
    return nn.Identity()
