"""``Pomme`` for teams that send each other two words at every step."""

from phasezoo.pommerman_compat.env import PommermanGame

__all__ = ["Pomme"]


class Pomme(PommermanGame):
    """The environment with a radio; options are those of :class:`PommermanGame`."""
