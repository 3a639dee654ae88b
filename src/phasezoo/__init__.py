"""phasezoo: game environments and agents for research on phase-aware play.

Importing the package registers its environments with Gymnasium and PettingZoo and loads nothing
heavier than NumPy, Gymnasium, PettingZoo and the native core; everything else is loaded where it is
used.
"""

from phasezoo import _interrupt

_interrupt.watch()  # before anything else is loaded

from importlib.metadata import version  # noqa: E402

__all__ = ["__version__"]

__version__ = version("phasezoo")

if not _interrupt.is_command("uci"):  # its greeting waits for nothing; it registers them later
    from phasezoo import registration  # Ctrl-C comes while this is imported

    registration.register_all()
