"""How torch is loaded: once, and in a way that shares the machine. Nothing here imports it."""

import importlib.util
import os
import sys

from phasezoo.errors import MissingDependency

__all__ = ["let_idle_threads_sleep", "require_torch"]


def let_idle_threads_sleep() -> None:
    """Have torch's OpenMP threads sleep while they wait for each other; call before importing it.

    They spin by default. Where other processes want the same cores this costs far more than it
    saves (measured on two shared cores: training at 240 positions a second with spinning threads,
    1,760 with sleeping ones), and on idle cores it gains little. The policy is read when torch is
    loaded, so this does nothing afterwards, and a variable that is set already is left as it is.
    """
    if "torch" not in sys.modules:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def require_torch() -> None:
    """Make sure that torch can be imported.

    Raises:
        MissingDependency: It is not installed.
    """
    if importlib.util.find_spec("torch") is None:
        message = "networks need torch, which is not installed: pip install 'phasezoo[train]'"
        raise MissingDependency(message)
    let_idle_threads_sleep()
