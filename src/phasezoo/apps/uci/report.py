"""Results of searches as lines of the protocol."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from phasezoo.agents.search.results import best_lines
from phasezoo.data.centipawns import centipawns_of_value
from phasezoo.errors import PhasezooError
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.specs.text import one_line

LONGEST = 30
"""Plies of a line that are shown."""


class SearchContext(NamedTuple):
    """Values that lines show besides the search's result."""

    state: Any
    """Where the search began."""
    seconds: float
    """Time since it was asked for."""
    memory_mb: int
    """Limit of the tree."""
    shows_wdl: bool
    """Whether chances of win, draw and loss are shown."""
    lines: int
    """Moves whose lines are shown."""
    oracle_rows: int
    """Leaves that tables knew."""


def wdl(value: float, draws: float) -> tuple[int, int, int]:
    """Chances of win, draw and loss in thousandths, from a value and a share of draws."""
    drawn = min(max(0.0 if math.isnan(draws) else draws, 0.0), 1.0 - abs(value))
    won = round(500.0 * (1.0 - drawn + value))
    lost = min(round(500.0 * (1.0 - drawn - value)), 1000 - won)
    return won, 1000 - won - lost, lost


def wdl_text(value: float, draws: float, is_shown: bool) -> str:
    """The chances as they follow a score; empty if not asked for, or draws are unknown."""
    is_known = not math.isnan(draws) or abs(value) == 1.0
    if not is_shown or not is_known:
        return ""
    return f" wdl {' '.join(map(str, wdl(value, draws)))}"


def info_lines(result: Any, context: SearchContext) -> Iterator[str]:
    """A line for each of the result's best moves; the first alone of those never visited."""
    milliseconds = max(round(context.seconds * 1e3), 1)
    work = (
        f"nodes {result.nodes} nps {result.nodes * 1000 // milliseconds} "
        f"hashfull {min(1000, result.memory * 1000 // (context.memory_mb << 20))} "
        f"tbhits {context.oracle_rows} time {milliseconds}"
    )
    draws = dict(zip(result.actions.tolist(), result.draws.tolist(), strict=True))
    for number, line in enumerate(best_lines(result, context.lines), start=1):
        moves, end = _moves(context.state, line.pv)
        # Of the first line the search says itself whether its value is exact.
        is_exact = number > 1 or result.proven in ("win", "loss")
        shown_q = f"cp {centipawns_of_value(line.q)}"
        score = _score(line.q, len(line.pv), end) if is_exact else shown_q
        # A move whose leaves an earlier search evaluated has no share of draws of this one.
        drawn = 1.0 if number == 1 and result.proven == "draw" else draws[line.action]
        shown = wdl_text(line.q, drawn, context.shows_wdl)
        yield (
            f"info depth {result.depth} seldepth {result.seldepth} multipv {number} "
            f"score {score}{shown} {work} pv {' '.join(moves)}"
        )


def _moves(state: Any, line: Sequence[int]) -> tuple[list[str], Any]:
    """The moves of a line in the protocol's notation, and the state that it ends in."""
    moves: list[str] = []
    for action in line:
        if len(moves) < LONGEST:
            moves.append(state.uci(action))
        state = state.play(action)
    return moves, state


def _score(q: float, plies: int, end: Any) -> str:
    """Moves to mate if the value is that of one and the line leads there, otherwise centipawns."""
    is_mate = end.is_terminal and end.outcome.winner is not None
    if abs(q) < 1.0 or not is_mate:
        return f"cp {centipawns_of_value(q)}"
    return f"mate {(plies + 1) // 2 if q > 0 else -(plies // 2)}"


def phase_line(result: Any, gate: Any, evaluator: Any, rows: int) -> str | None:
    """The root's phase, who answers for it, and how many rows were asked about; None without."""
    if gate is None or not 0 <= result.phase < len(gate.names):
        return None
    phase = gate.names[result.phase]
    is_mixture = isinstance(evaluator, MixtureOfExperts)
    expert = evaluator.expert_of(result.phase) if is_mixture else "all"
    return one_line(f"info string phase {phase} expert {expert} rows {rows}")


def best_move(result: Any, state: Any) -> str:
    """The move to play, and the reply that is expected."""
    line = list(result.pv[:2]) if result.pv[:1] == [result.action] else [result.action]
    played = f"bestmove {state.uci(line[0])}"
    if len(line) < 2:
        return played
    after = state.play(line[0])
    return f"{played} ponder {after.uci(line[1])}"


def over_line(state: Any, shows_wdl: bool) -> str:
    """The score of a game that is over: mated, or drawn."""
    winner = state.outcome.winner
    if winner is None:
        return f"info depth 0 score cp 0{wdl_text(0.0, 1.0, shows_wdl)}"
    sign, value = ("", 1.0) if winner == state.to_play else ("-", -1.0)
    return f"info depth 0 score mate {sign}0{wdl_text(value, 0.0, shows_wdl)}"


def error_line(error: Exception) -> str:
    """Return an error as one line."""
    kind = "" if isinstance(error, PhasezooError) else f"{type(error).__name__}: "
    return one_line(f"info string error: {kind}{error}")
