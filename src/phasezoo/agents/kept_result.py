"""A search's result, less the actions that an oracle advises against."""

from typing import Any

import numpy as np

from phasezoo.inference.oracle import ORACLE_PLIES, Oracle

__all__ = ["kept_by"]


def kept_by(oracle: Oracle, state: Any, result: Any) -> Any:
    """``result`` of a search of ``state``, whose action is one that the oracle would play.

    Of several that is the most visited, of equals the one with the larger prior. A win that the
    search has proven by itself stays as it is.
    """
    won = result.proven == "win" and result.proven_plies < ORACLE_PLIES
    allowed = None if won else oracle.root_actions(state)
    if allowed is None or len(allowed) == 0 or result.action in allowed:
        return result
    among = np.flatnonzero(np.isin(result.actions, allowed))
    order = np.lexsort((result.prior[among], result.visits[among]))
    return _Kept(result, int(result.actions[among[order[-1]]]))


class _Kept:
    """A ``SearchResult`` with another action; its line is that action alone."""

    def __init__(self, result: Any, action: int) -> None:
        self._result = result
        self.action = action
        self.pv = [action]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_result":
            raise AttributeError(name)
        return getattr(self._result, name)
