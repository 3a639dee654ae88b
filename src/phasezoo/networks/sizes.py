"""Sizes that several families have in common, as their signatures show them."""

from typing import Annotated, TypeAlias

from phasezoo.networks.options import Between

__all__ = ["MAX_BLOCKS", "MAX_CHANNELS", "Blocks", "Channels", "Share"]

MAX_CHANNELS = 1024
MAX_BLOCKS = 100

Channels: TypeAlias = Annotated[int, Between(8, MAX_CHANNELS)]
"""Channels of a tower."""

Blocks: TypeAlias = Annotated[int, Between(1, MAX_BLOCKS)]
"""Blocks of a tower."""

Share: TypeAlias = Annotated[float, Between(0, 0.9)]
"""Share of what is left out while training."""
