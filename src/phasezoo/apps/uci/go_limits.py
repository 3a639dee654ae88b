"""Limits of a search from the arguments of ``go``."""

from phasezoo.agents.limit import Limit, TimeControl
from phasezoo.apps.uci.commands import Go


def limit_of(go: Go, player: int, overhead_ms: float, spent_ms: float = 0.0) -> Limit | None:
    """Return the limit of a search; None if ``go`` sets none.

    Args:
        go: The arguments of ``go``.
        player: Who is to move; White is 0.
        overhead_ms: Time that a move loses on its way.
        spent_ms: Time since the command came.
    """
    words = {
        "nodes": go.nodes,
        "depth": go.depth,
        "mate": go.mate,
        "movetime_ms": _movetime(go, overhead_ms, spent_ms),
        "clock": _clock(go, player, overhead_ms, spent_ms),
    }
    given = {name: value for name, value in words.items() if value is not None}
    return Limit(**given) if given else None  # type: ignore[arg-type]


def most_ms(go: Go, player: int, overhead_ms: float) -> float | None:
    """When the move has to be played, from the time at which the command came; None: any time.

    That is so of a ``movetime`` of 0 too: nobody could keep to it.
    """
    clock = _clock(go, player, overhead_ms, 0.0)
    times = [] if clock is None else [clock.most_ms]
    if go.movetime:
        # Half of what is meant to be lost on the way: the search itself ends sooner.
        times.append(go.movetime - _lost(go.movetime, overhead_ms) / 2)
    return min(times, default=None)


def _movetime(go: Go, overhead_ms: float, spent_ms: float) -> float | None:
    if go.movetime is None:
        return None
    return max(go.movetime - _lost(go.movetime, overhead_ms) - spent_ms, 1e-3)


def _lost(movetime: float, overhead_ms: float) -> float:
    """Return the time that counts as lost on the way: half of it at most."""
    return min(overhead_ms, movetime / 2)


def _clock(go: Go, player: int, overhead_ms: float, spent_ms: float) -> TimeControl | None:
    """Return the clock of ``player``; the other's if theirs is not given."""
    left, increment = (go.wtime, go.winc) if player == 0 else (go.btime, go.binc)
    if left is None:
        left, increment = (go.btime, go.binc) if player == 0 else (go.wtime, go.winc)
    if left is None:
        return None
    return TimeControl(max(left - spent_ms, 0.0), increment or 0, go.movestogo, overhead_ms)
