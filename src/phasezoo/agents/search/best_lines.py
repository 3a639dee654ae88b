"""The lines of a search that are worth showing."""

from typing import Any


def best_lines(result: Any, count: int) -> list[Any]:
    """The lines of the ``count`` best moves of a search's result, best first.

    The value of a move that no simulation went through is an assumption of the search. Such moves
    are left out, unless one of them is played.
    """
    lines = result.lines()
    return [line for line in lines if line.visits or line is lines[0]][:count]
