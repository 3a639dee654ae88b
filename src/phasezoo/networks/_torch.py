"""Loads torch, once, in a way that shares the machine."""

import importlib.util
import os
import sys

from phasezoo.errors import MissingDependency

__all__ = ["require_torch"]


def require_torch() -> None:
    """Make sure that torch can be imported, and that its idle threads sleep.

    OpenMP threads that wait for each other spin by default. Where other processes want the same
    cores this costs far more than it saves (measured on two shared cores: training at 240
    positions a second with spinning threads, 1,760 with sleeping ones), and on idle cores it gains
    little. The policy is read when torch is loaded, so a variable that is set already, or a torch
    that is loaded already, is left as it is.

    Raises:
        MissingDependency: torch is not installed.
    """
    if "torch" in sys.modules:
        return
    if importlib.util.find_spec("torch") is None:
        message = "networks need torch, which is not installed: pip install 'phasezoo[train]'"
        raise MissingDependency(message)
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
