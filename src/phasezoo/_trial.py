"""Programs that are run in a process of their own, and what to say of how they end."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

SECONDS = 120.0
"""Longest time a trial may take; loading a library such as torch is most of it."""


def trial(program: str, words: Sequence[str], variables: Mapping[str, str]) -> str | None:
    """Run a Python program with arguments: None if it ends well, else what went wrong.

    Args:
        program: Its text; it exits with code 3 where the numbers it got are not finite.
        words: Its arguments.
        variables: Of the environment, beside this process's own.
    """
    command = [sys.executable, "-P", "-c", program, *words]  # nothing of where we are
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, **variables},
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {SECONDS:.0f} seconds"
    if done.returncode == 3:
        return "gave numbers that are not finite"
    return ending(done.returncode, done.stderr) if done.returncode else None


def ending(code: int, errors: bytes) -> str:
    """Return how a process ended that failed, from its code and its standard error."""
    if code < 0:
        names = {int(each): each.name for each in signal.Signals}
        return f"was ended by {names.get(-code, f'signal {-code}')}"
    lines = errors.decode(errors="replace").strip().splitlines()
    return f"failed ({lines[-1] if lines else f'with code {code}, without a message'})"
