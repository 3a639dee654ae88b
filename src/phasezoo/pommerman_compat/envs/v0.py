"""``Pomme``, in which nothing but bombs changes the board."""

from phasezoo.pommerman_compat.env import PommermanGame

__all__ = ["Pomme"]


class Pomme(PommermanGame):
    """The environment of most ids; options are those of :class:`PommermanGame`."""
