"""Options that earlier versions had, with what does their work now."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Removed(NamedTuple):
    """An option that is no more."""

    default: Any
    """The value without which nothing was changed by it; records of its time have it."""
    instead: str
    """The replacement."""


_HERE_TOO = "give c_puct_init=, c_puct_base=, fpu= or fpu_style=, which hold at the root too"
_PLIES = "leave it out; solver=True plays the shortest proven win"
_BOUNDS = "give q_value_weight= or q_veto_delta="

REMOVED: Mapping[str, Removed] = {
    "c_puct_init_root": Removed(None, _HERE_TOO),
    "c_puct_base_root": Removed(None, _HERE_TOO),
    "fpu_root": Removed(None, _HERE_TOO),
    "fpu_style_root": Removed("same", _HERE_TOO),
    "draw_score": Removed(0.0, "let the evaluator answer value = W - L + score * D"),
    "moves_left_max_effect": Removed(0.0, _PLIES),
    "moves_left_slope": Removed(0.0027, _PLIES),
    "moves_left_threshold": Removed(0.8, _PLIES),
    "moves_left_constant_factor": Removed(0.0, _PLIES),
    "moves_left_scaled_factor": Removed(1.6521, _PLIES),
    "moves_left_quadratic_factor": Removed(-0.6521, _PLIES),
    "forced_playouts_k": Removed(0.0, 'give dirichlet_epsilon= alone, or root="gumbel"'),
    "use_lcb_for_selection": Removed(False, _BOUNDS),
    "lcb_stdevs": Removed(5.0, _BOUNDS),
    "min_visit_prop_for_lcb": Removed(0.15, _BOUNDS),
    "smart_pruning_factor": Removed(0.0, "give a lower limit, such as nodes= or movetime_ms="),
}
"""Options of searches that version 0.2.0 had; no measurement shows a gain by them."""

DEFAULTS = {name: option.default for name, option in REMOVED.items()}
"""The settings that records of version 0.2.0 have besides those of today."""


def removal_of(name: str) -> str | None:
    """Return the message about an option that was removed; None for any other name."""
    key = name.rpartition(".")[2].replace("-", "_")
    if key not in REMOVED:
        return None
    return (
        f"{key}= was removed after version 0.2.0, as no measurement shows a gain by it: "
        f"{REMOVED[key].instead}"
    )
