"""Whether one state continues another, and by which actions."""

from collections.abc import Iterator
from typing import Any

from phasezoo import games
from phasezoo.types import SIMULTANEOUS

MOST_STATES = 2000
"""States of a user's game looked at for a continuation; beyond, the game counts as a new one."""


def steps_between(old: Any, new: Any) -> list[tuple[Any, Any]] | None:
    """How a game went on from ``old`` to ``new``: the actions, each with the state it led to.

    Games with a record of their moves are compared by it. In others up to one round of turns is
    searched for a state that equals ``new``; states without ``__eq__`` never do.

    Returns:
        An empty list if nothing was played, None if ``new`` does not continue ``old``.
    """
    if type(old) is not type(new):
        return None
    if hasattr(new, "moves") and hasattr(new, "parse_uci"):
        return _by_moves(old, new)
    return _by_search(old, new)


def _by_moves(old: Any, new: Any) -> list[tuple[Any, Any]] | None:
    before, now = list(old.moves), list(new.moves)
    same_start = (old.game, old.start_fen) == (new.game, new.start_fen)
    if not same_start or now[: len(before)] != before:
        return None
    steps = []
    for move in now[len(before) :]:
        action = old.parse_uci(move)
        old = old.play(action)
        steps.append((action, old))
    # History dropped on purpose, or another clock: the moves agree, the states do not.
    return steps if old == new else None


def _by_search(old: Any, new: Any) -> list[tuple[Any, Any]] | None:
    if old == new:
        return []
    paths: list[tuple[Any, list[tuple[Any, Any]]]] = [(old, [])]
    looked = 0
    for _ in range(games.game_of(new).num_players):
        longer = []
        for state, steps in paths:
            for action, after in _successors(state):
                looked += 1
                if looked > MOST_STATES:
                    return None
                reached = [*steps, (action, after)]
                if after == new:
                    return reached
                longer.append((after, reached))
        paths = longer
    return None


def _successors(state: Any) -> Iterator[tuple[int, Any]]:
    if state.is_terminal or state.to_play == SIMULTANEOUS:
        return
    for action in state.legal_actions:
        yield int(action), state.play(int(action))
