"""Sizes that several families have in common, as their signatures show them."""

from typing import Annotated, TypeAlias

from annotated_types import Interval

MAX_CHANNELS = 1024
MAX_BLOCKS = 100

Channels: TypeAlias = Annotated[int, Interval(ge=8, le=MAX_CHANNELS)]
"""Channels of a tower."""

Blocks: TypeAlias = Annotated[int, Interval(ge=1, le=MAX_BLOCKS)]
"""Blocks of a tower."""

Share: TypeAlias = Annotated[float, Interval(ge=0, le=0.9)]
"""Share of what is left out while training."""
