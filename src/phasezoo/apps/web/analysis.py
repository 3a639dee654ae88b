"""Results of searches, final or so far, as JSON for the page."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.agents.search.results import best_lines
from phasezoo.apps.web.pictures import paths_of
from phasezoo.envs.rendering.choice import name_of
from phasezoo.inference.counts import Counts
from phasezoo.types import SIMULTANEOUS

Analysis = dict[str, Any]
"""JSON: see the page ``docs/howto/web.md``."""

MOST_MOVES = 12
"""Moves that are listed."""

MOST_LINES = 3
LONGEST_LINE = 16
"""Lines that are listed, and plies of each."""


def analysis_of(
    result: Any, game: games.Game, state: Any, player: int, agent: Any, spent: Counts | None
) -> Analysis:
    """Return a search's result as JSON."""
    by_rollouts = hasattr(result, "rollout_plies")  # values are shares of wins, in [0, 1]
    value = float(result.value)
    found: Analysis = {
        "player": player,
        "value": _number(2.0 * value - 1.0 if by_rollouts else value),
        "nodes": int(getattr(result, "nodes", 0)),
        "simulations": int(getattr(result, "simulations", 0)),
        "depth": int(getattr(result, "depth", 0)),
        "seldepth": int(getattr(result, "seldepth", 0)),
        "seconds": round(float(getattr(result, "seconds", 0.0)), 3),
        "ended": getattr(result, "ended", None),
        "proven": getattr(result, "proven", None),
        "action": int(result.action),
    }
    found["moves"] = _moves(result, game, state, player, by_rollouts)
    found["lines"] = _lines(result, state)
    return found | _phase(result, agent) | _work(spent)


def answered(action: Any, state: Any, player: int, value: Any) -> Analysis:
    """Return the answer of an agent that does not search, as JSON."""
    given: Analysis = {"player": player, "value": None, "moves": [], "lines": []}
    if isinstance(action, int | np.integer):
        given["action"] = int(action)
        given["lines"] = [{"q": None, "visits": None, "moves": [name_of(state, int(action))]}]
    if value is not None:
        given["value"] = _number(value)
    return given


def _moves(
    result: Any, game: games.Game, state: Any, player: int, by_rollouts: bool
) -> list[dict[str, Any]]:
    """The root's actions, the one to play first, then the most visited."""
    actions = getattr(result, "actions", None)
    visits = getattr(result, "visits", None)
    if actions is None or visits is None or np.ndim(visits) != 1 or not len(actions):
        return []
    priors = getattr(result, "prior", None)
    q = np.asarray(result.q, dtype=np.float64)
    prior = np.zeros(len(actions)) if priors is None else -priors
    order = np.lexsort((prior, -visits, np.asarray(actions) != result.action))
    total, paths = max(int(visits.sum()), 1), paths_of(game, state, player)
    return [
        {
            "action": int(actions[k]),
            "name": name_of(state, int(actions[k])),
            "path": paths.get(int(actions[k]), ()),
            "visits": int(visits[k]),
            "share": round(int(visits[k]) / total, 4),
            "q": _number((2.0 * q[k] - 1.0 if by_rollouts else q[k]) if visits[k] else None),
            "prior": None if priors is None else _number(priors[k]),
        }
        for k in order[:MOST_MOVES].tolist()
    ]


def _lines(result: Any, state: Any) -> list[dict[str, Any]]:
    """The best lines, each with its moves by name."""
    if not callable(getattr(result, "lines", None)):
        pv = getattr(result, "pv", None)
        return [] if not pv else [{"q": None, "visits": None, "moves": _names(pv, state)}]
    return [
        {"q": _number(each.q), "visits": int(each.visits), "moves": _names(each.pv, state)}
        for each in best_lines(result, MOST_LINES)
    ]


def _names(actions: Sequence[int], state: Any) -> list[str]:
    """A line's moves by name; where all move at once, those of the player who searches."""
    at_once = state.to_play == SIMULTANEOUS
    names = []
    for action in actions[:LONGEST_LINE]:
        if not at_once and state.is_terminal:
            break
        names.append(name_of(state, int(action)))
        if not at_once:
            state = state.play(int(action))
    return names


def _phase(result: Any, agent: Any) -> Analysis:
    """The root's phase and who answers for it."""
    gate, phase = getattr(agent, "gate", None), getattr(result, "phase", None)
    if gate is None or phase is None or not 0 <= phase < len(gate.names):
        return {}
    expert_of = getattr(getattr(agent, "evaluator", None), "expert_of", None)
    return {
        "phase": int(phase),
        "phases": list(gate.names),
        "expert": None if expert_of is None else expert_of(int(phase)),
    }


def _work(spent: Counts | None) -> Analysis:
    """How the leaves were split over the experts, and what else they took."""
    if spent is None:
        return {}
    return {
        "rows": spent.rows,
        "calls": spent.calls,
        "mean_rows": round(spent.mean_rows, 2),
        "experts": dict(spent.expert_rows),
        "off_phase": spent.off_phase_rows,
        "regated": spent.regated_rows,
        "cached": spent.cached_rows,
    }


def _number(value: Any) -> float | None:
    """A number that JSON knows."""
    return None if value is None or not math.isfinite(value) else round(float(value), 4)
