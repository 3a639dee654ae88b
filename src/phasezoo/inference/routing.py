"""Which expert answers which row (``docs/definitions/routing.md``).

A rule is called with the leaves of a batch and returns the expert of each row, or weights. The
three with names are written here as a user would write one.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from phasezoo import gating
from phasezoo.errors import InvalidConfig
from phasezoo.gating.callables import check_probabilities
from phasezoo.specs import check_value
from phasezoo.types import Gate

if TYPE_CHECKING:
    from phasezoo.inference.evaluator import Leaves

RoutingName: TypeAlias = Literal["majority", "exact", "soft"]
"""The rules that have a name."""

RoutingRule: TypeAlias = Callable[["Leaves"], npt.NDArray[Any]]
"""A rule: of B leaves it returns whole numbers ``[B]``, the phase whose expert answers each row, or
numbers ``[B, phases]``, the weights by which the answers of all experts are averaged."""

Routing: TypeAlias = RoutingName | RoutingRule
"""How a mixture divides rows among its experts."""


def exact(rows: "Leaves") -> npt.NDArray[np.int8]:
    """Route every row to the expert of its own phase."""
    return rows.phases


def majority(rows: "Leaves") -> npt.NDArray[np.int64]:
    """Route the rows of a tree to the expert of the phase that most of them have (M2CTS)."""
    return majority_winners(rows.phases, rows.trees, int(rows.phases.max(initial=0)) + 1)


class Soft:
    """Average the answers of all experts by the gate's probabilities.

    Built-in gates are certain, and the leaves carry their phase; others are asked.

    Args:
        gate: The gate.
    """

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    def __call__(self, rows: "Leaves") -> npt.NDArray[np.float64]:
        """``float64[B, phases]``."""
        gate, phases = self.gate, len(self.gate.names)
        certain = type(gate) in (gating.Gate, gating.CallableGate)
        if certain or not hasattr(gate, "probabilities"):
            return np.asarray(np.eye(phases)[rows.phases])
        if isinstance(gate, gating.LearnedGate):  # leaves make planes faster than they make states
            given = gate.probabilities_of(rows.planes(gate.plane_spec))
        else:
            given = gate.probabilities(rows.states(), rows.players.tolist())
        return check_probabilities(given, len(rows), phases, gating.spec_of(gate)).astype(
            np.float64
        )


def rule_of(routing: Any, gate: Gate) -> RoutingRule:
    """Return the rule of a name, or a rule as it is."""
    if callable(routing):
        rule: RoutingRule = routing
        return rule
    check_value("routing", RoutingName, routing)
    named: dict[str, RoutingRule] = {"exact": exact, "majority": majority, "soft": Soft(gate)}
    return named[routing]


def name_of_rule(routing: Routing) -> str:
    """Return how reports call a rule."""
    if isinstance(routing, str):
        return routing
    return str(getattr(routing, "__name__", type(routing).__name__))


def routed(rule: RoutingRule, rows: "Leaves", phases: int) -> npt.NDArray[Any]:
    """Return a rule's answer: ``int64[B]``, or weights ``float64[B, phases]``."""
    answer, count = rule(rows), len(rows)
    try:
        given = np.asarray(answer)
    except Exception as error:  # whatever an array type of a library raises
        message = f"routing {name_of_rule(rule)!r} returned no array of numbers: {error}"
        raise InvalidConfig(message) from error
    if given.shape == (count,) and given.dtype.kind in "iub":
        named = set(given.tolist())
        most, least = max(named, default=0), min(named, default=0)
        if least >= 0 and most < phases:
            return given.astype(np.int64)
        reason = (
            f"says that a leaf has phase {most if most >= phases else least}, the mixture's gate "
            f"has {phases} phases: search with the mixture's own gate, as MCTSAgent does"
        )
    elif given.shape == (count, phases) and given.dtype.kind in "iubf":
        weights = given.astype(np.float64)
        # NaN fails every comparison.
        if (weights >= 0).all() and np.allclose(weights.sum(axis=1), 1, atol=1e-3):
            return weights
        reason = "returned weights that are not from 0 up with sum 1 in every row"
    else:
        reason = (
            f"returned {given.dtype}{list(given.shape)} for {count} rows; expected whole numbers "
            f"[{count}], the expert of each row, or numbers [{count}, {phases}], their weights"
        )
    message = f"routing {name_of_rule(rule)!r} {reason}"
    raise InvalidConfig(message)


def majority_winners(
    phases: npt.NDArray[np.int8], trees: npt.NDArray[np.int32], num_phases: int
) -> npt.NDArray[np.int64]:
    """Return the phase that wins the vote of each row's tree.

    Every row votes for its own phase; a tie goes to the lowest phase (M2CTS, as its engine does).
    A tree's root is always alone in its mini-batch, so it gets its own phase.

    Args:
        phases: ``int8[B]``.
        trees: ``int32[B]``.
        num_phases: How many phases there are.

    Returns:
        ``int64[B]``.
    """
    known, tree = np.unique(trees, return_inverse=True)
    votes = np.bincount(tree * num_phases + phases, minlength=len(known) * num_phases)
    winners: npt.NDArray[np.int64] = votes.reshape(len(known), num_phases).argmax(axis=1)[tree]
    return winners
