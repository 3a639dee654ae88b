"""How many calls of evaluators go on at the same time."""

import threading
from typing import Any


class _Share(threading.local):
    calls = 1


_share = _Share()


def calls_at_once() -> int:
    """Return how many calls the machine is meant for at once, this thread's among them.

    A backend with threads of its own divides them by it.
    """
    return _share.calls


def set_calls_at_once(calls: int) -> None:
    """Say it, for the calls that this thread makes."""
    _share.calls = calls


def parallel_calls_of(evaluator: Any) -> int:
    """Return how many calls an evaluator, or each expert of a mixture, may be given at once.

    0: it wants to be asked in the thread that searches, as any evaluator does that does not say
    otherwise by an attribute ``parallel_calls``.
    """
    own = getattr(evaluator, "parallel_calls", None)
    if own is not None:
        return int(own)
    experts = getattr(evaluator, "experts", ())
    return min(map(parallel_calls_of, experts), default=0) if isinstance(experts, tuple) else 0
