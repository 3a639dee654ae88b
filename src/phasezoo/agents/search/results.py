"""Search results: their best lines, and results less the actions that an oracle advises against."""

import math
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from phasezoo._core import Line, SearchResult
from phasezoo.frames import Frame, frame, preformatted
from phasezoo.inference.oracle import ORACLE_PLIES, Oracle, kept_actions


def best_lines(result: SearchResult, count: int) -> list[Line]:
    """Return the lines of the ``count`` best moves of a search's result, best first.

    The value of a move that no simulation went through is an assumption of the search. Such moves
    are left out, unless one of them is played.
    """
    lines = result.lines()
    return [line for line in lines if line.visits or line is lines[0]][:count]


def filtered_by(oracle: Oracle, state: Any, result: SearchResult) -> SearchResult:
    """Return ``result``, of a search of ``state``, less the actions that the oracle would not play.

    Its action stays if it is one of them; otherwise it is the most visited of them, of equals the
    one with the larger prior. A win that the search has proven by itself stays as it is, and so
    does a search whose ``searchmoves`` have none of them.
    """
    plies = result.proven_plies
    if result.proven == "win" and plies is not None and plies < ORACLE_PLIES:
        return result
    allowed = kept_actions(oracle, state)
    kept = None if allowed is None else np.isin(result.actions, allowed)
    if kept is None or kept.all() or not kept.any():
        return result
    filtered: Any = _FilteredResult(result, kept)  # has all that a result has
    return cast("SearchResult", filtered)


_COLUMNS = ("action", "visits", "q", "prior", "policy", "draws")
"""Columns of a result's table; before them come the moves' names, if the state is known."""


def _rows(result: SearchResult) -> list[dict[str, Any]]:
    """The root's actions: visits, value for the root's player, prior, final policy, draws."""
    from phasezoo.envs.rendering.choice import name_of  # agents load without what draws

    columns = (
        result.actions.tolist(),
        result.visits.tolist(),
        result.q.tolist(),
        result.prior.tolist(),
        result.policy[result.actions].tolist(),
        result.draws.tolist(),
    )
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]
    if result.state is not None:
        rows = [{"move": name_of(result.state, row["action"]), **row} for row in rows]
    played = result.action  # a proven win may have few visits
    return sorted(rows, key=lambda row: (row["action"] != played, -row["visits"], -row["prior"]))


def frame_of(result: SearchResult) -> Frame:
    """Return a row for each of the root's actions, the one to play first, then the most visited."""
    return frame(_rows(result))


def table_of(result: SearchResult) -> str:
    """Return the root's actions as text, in the same order, below a line on the search."""
    rows = [
        row
        | {
            "action": str(row["action"]),
            "visits": str(row["visits"]),
            "q": f"{row['q']:+.3f}" if row["visits"] else "–",
            "prior": f"{row['prior']:.1%}",
            "policy": f"{row['policy']:.1%}",
            "draws": _share(row["draws"]),
        }
        for row in _rows(result)
    ]
    widths = {name: max(7, *(len(row[name]) for row in rows)) for name in rows[0]}
    lines = [
        "  ".join(f"{row[name]:>{width}}" for name, width in widths.items())
        for row in ({name: name for name in widths}, *rows)
    ]
    return "\n".join([repr(result), *lines])


def html_of(result: SearchResult) -> str:
    """Return the same text for notebooks."""
    return preformatted(table_of(result))


def _share(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.1%}"


class _FilteredResult:
    """A ``SearchResult`` whose ``action``, ``pv``, ``lines()`` and ``policy`` are of some."""

    def __init__(self, result: SearchResult, kept: npt.NDArray[np.bool_]) -> None:
        self._result = result
        actions = result.actions[kept]
        best = np.lexsort((result.prior[kept], result.visits[kept]))[-1]
        is_own = result.action in actions
        self.action = int(result.action if is_own else actions[best])
        lines = [line for line in result.lines() if line.action in actions]
        # The one to play first; the others stay in order.
        self._lines = sorted(lines, key=lambda line: line.action != self.action)
        self.pv = self._lines[0].pv
        self.policy = np.zeros_like(result.policy)
        self.policy[actions] = result.policy[actions]
        if self.policy.any():
            self.policy /= self.policy.sum()
        else:
            self.policy[self.action] = 1

    def lines(self, count: int | None = None) -> list[Line]:
        self._result.lines(count)  # refuses what is no count
        return self._lines[:count]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_result":
            raise AttributeError(name)
        return getattr(self._result, name)

    def __str__(self) -> str:
        return table_of(cast("SearchResult", self))

    def _repr_html_(self) -> str:
        return html_of(cast("SearchResult", self))

    def to_frame(self) -> Frame:
        return frame_of(cast("SearchResult", self))

    def __repr__(self) -> str:
        return f"<action={self.action} kept by an oracle, of {self._result!r}>"
