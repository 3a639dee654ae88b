"""The networks of the package, by the name that they are asked for."""

from collections.abc import Callable
from typing import Any

from phasezoo.networks.architectures.alphavile import alphavile, tower
from phasezoo.networks.architectures.lc0 import lc0
from phasezoo.networks.architectures.lc0_attention import lc0_attention
from phasezoo.networks.architectures.levit import levit
from phasezoo.networks.architectures.mixer import mixer
from phasezoo.networks.architectures.mlp import convmlp, mlp
from phasezoo.networks.architectures.nextvit import nextvit
from phasezoo.networks.architectures.resnet import resnet
from phasezoo.networks.architectures.rise import rise, risev2, risex4
from phasezoo.networks.architectures.vit import patchvit, vit

FAMILIES: dict[str, Callable[..., Any]] = {
    "rise": rise,
    "risev2": risev2,
    "resnet": resnet,
    "risex4": risex4,
    "alphavile": alphavile,
    "tower": tower,
    "nextvit": nextvit,
    "levit": levit,
    "vit": vit,
    "patchvit": patchvit,
    "mlp": mlp,
    "convmlp": convmlp,
    "mixer": mixer,
    "lc0": lc0,
    "lc0-attention": lc0_attention,
}
"""Factories by name; what they need besides the shapes follows the name: ``rise-32x4``."""
