"""Whether compiled code lets the interpreter lock go while it works."""

import operator
import sys
import threading
from collections.abc import Callable
from functools import partial


def lets_others_go_on(work: Callable[[], object]) -> bool:
    """Whether another thread has a turn during ``work``, a call of compiled code.

    CPython hands the interpreter lock over in two places: between bytecodes, and where compiled
    code lets it go. The calls are made by ``map``, without a bytecode between them, and the first
    one holds the lock until the other thread has asked for it. CPython then waits for the other
    thread where ``work`` lets the lock go, however short that is.
    """
    turns: list[None] = []
    done = False

    def take_turns() -> None:
        while not done:
            turns.append(None)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    other = threading.Thread(target=take_turns)
    other.start()
    hold = partial(sum, range(10_000_000))
    try:
        counts = list(map(operator.call, [hold, turns.__len__, work, turns.__len__]))
    finally:
        done = True
        other.join()
        sys.setswitchinterval(interval)
    return counts[3] > counts[1]
