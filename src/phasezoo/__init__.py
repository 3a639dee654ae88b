"""phasezoo: game environments and agents for research on phase-aware play.

Importing the package registers its environments with Gymnasium and PettingZoo and loads nothing
heavier than NumPy, Gymnasium, PettingZoo and the native core; everything else is loaded where it is
used.
"""

from importlib.metadata import version

from phasezoo import registration

__all__ = ["__version__"]

__version__ = version("phasezoo")

registration.register_all()
