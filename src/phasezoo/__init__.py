"""phasezoo: game environments and agents for research on phase-aware play.

Importing the package registers its environments with Gymnasium and PettingZoo and loads nothing
heavier than NumPy, Gymnasium, PettingZoo and the native core; everything else is loaded where it is
used. ``phasezoo.agents`` and the other public subpackages are imported when they are first read.
"""

from phasezoo import _interrupt

_interrupt.watch()  # before anything else is loaded; does nothing unless this is the command

from importlib import import_module  # noqa: E402
from importlib.metadata import version  # noqa: E402
from typing import Any  # noqa: E402

__all__ = ["__version__"]

__version__ = version("phasezoo")

_SUBPACKAGES = (
    "agents",
    "arena",
    "envs",
    "errors",
    "experiments",
    "games",
    "gating",
    "inference",
    "integrations",
    "networks",
    "pommerman_compat",
    "runs",
    "training",
    "types",
)


def __getattr__(name: str) -> Any:
    """Import a public subpackage when it is first read (PEP 562)."""
    if name in _SUBPACKAGES:
        return import_module(f"{__name__}.{name}")
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBPACKAGES})


if not _interrupt.is_command("uci"):  # its greeting waits for nothing; it registers them later
    from phasezoo import registration  # Ctrl-C comes while this is imported

    registration.register_all()
