"""``Pomme``, in which the board collapses from step 500 on."""

from phasezoo.pommerman_compat.env import PommermanGame

__all__ = ["Pomme"]


class Pomme(PommermanGame):
    """The environment whose board shrinks; options are those of :class:`PommermanGame`."""

    collapses = True
