"""How torch is loaded, its threads and its memory. Importing this does not import torch."""

import ctypes
import importlib.util
import os
import sys

from phasezoo.errors import MissingDependency

_SPIN_COUNT = "10000"
"""Looks that a waiting OpenMP thread takes before it sleeps, some ten microseconds."""

_MALLOC_OPTIONS = {-3: 1 << 26, -1: 1 << 30}
"""``M_MMAP_THRESHOLD`` and ``M_TRIM_THRESHOLD`` of glibc's ``mallopt(3)``, in bytes."""


_is_forked = False
"""Whether this process was forked from one that had loaded torch."""


def set_threads(threads: int) -> None:
    """Set torch's threads for the whole process.

    A forked child has none of its parent's OpenMP threads, and would wait for them for ever; it
    stays with one thread, which asks for none, as torch's own worker processes do.
    """
    import torch

    torch.set_num_threads(1 if _is_forked else threads)


def default_threads() -> int:
    """Return the threads that torch gets by default.

    They are all that this process may use, as the core counts them: torch itself knows neither a
    container's quota nor ``PHASEZOO_THREADS``. Without the latter, ``OMP_NUM_THREADS`` may ask for
    fewer.
    """
    from phasezoo import _core

    most = _core.default_threads()
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if "PHASEZOO_THREADS" in os.environ or not asked.isdecimal() or int(asked) == 0:
        return most
    return min(most, int(asked))


def _after_fork() -> None:
    global _is_forked
    if "torch" in sys.modules:
        _is_forked = True
        set_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def let_idle_threads_sleep() -> None:
    """Have torch's waiting OpenMP threads sleep soon; call before importing it.

    GNU's OpenMP spins for milliseconds by default, which stalls whoever shares the cores. With
    ``OMP_WAIT_POLICY=PASSIVE`` it does not spin at all, which stalls training on idle ones.
    Measured with a small network on two cores, positions a second alone and beside a busy process:
    3,400 and less than 290 as it is, 2,230 and 1,150 passive, 3,490 and 850 with what is set here.

    The variable is read when torch is loaded; afterwards it is for processes that this one starts.
    If the user has set it or ``OMP_WAIT_POLICY`` it is left alone.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPIN_COUNT)


def keep_freed_memory() -> None:
    """Have glibc keep what a step frees, for the next step, in place of giving it back.

    Every step asks for the same megabytes, and clearing those that come from the system anew takes
    a third of a small network's step with 256 positions: 19.7 ms as it is, 13.5 ms with what is set
    here, of one core; most memory of a training grows by an eighth at the most (measured).

    The user's own settings of ``malloc`` are left alone.
    """
    own = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_")
    is_set = any(name in os.environ for name in own)
    if is_set or "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        for option, size in _MALLOC_OPTIONS.items():
            set_option(option, size)


def preload_for_processes() -> None:
    """Have processes that a fork server starts begin with torch loaded, which takes seconds.

    The second module is the one that the first optimizer loads.
    """
    import multiprocessing

    let_idle_threads_sleep()
    multiprocessing.set_forkserver_preload(["torch", "torch._dynamo"])


def require_torch() -> None:
    """Make sure that torch can be imported."""
    if importlib.util.find_spec("torch") is None:
        raise MissingDependency.of_extra(
            need="networks need torch, which is not installed", extra="train"
        )
    let_idle_threads_sleep()
    keep_freed_memory()
