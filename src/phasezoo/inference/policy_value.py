"""One evaluator's policy with another's value."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from phasezoo.errors import InvalidConfig
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import (
    Evaluation,
    Leaves,
    check_evaluator,
    evaluate_leaves,
    name_of,
)
from phasezoo.inference.other_games import common_game
from phasezoo.types import Planes


class PolicyAndValue:
    """An evaluator whose policy comes from one evaluator and whose value from another.

    Both are asked about every row. Probabilities of win, draw and loss come with the value, and so
    do the plies that are left.

    Args:
        policy: Answers policies; its values are not used.
        value: Answers values; its policies are not used.

    Raises:
        GameMismatch: They are networks of different games.
        InvalidConfig: One of them is no evaluator.
    """

    def __init__(self, policy: Any, value: Any) -> None:
        self.experts = (policy, value)
        """The two, as whatever goes through evaluators by their parts finds them."""
        for part in self.experts:
            check_evaluator(part)
        self.game = common_game(self.experts, None)
        self.policy = policy
        self.value = value

    @property
    def plane_spec(self) -> str | None:
        """The planes that both want; None if they want different ones."""
        specs = {getattr(part, "plane_spec", None) for part in self.experts}
        return specs.pop() if len(specs) == 1 else None

    @property
    def name(self) -> str:
        """How errors and reports call it."""
        return f"policy of {name_of(self.policy)}, value of {name_of(self.value)}"

    def evaluate(self, planes: Planes) -> Evaluation:
        """Answer ``float32[B, C, H, W]`` of the planes that both want.

        Raises:
            InvalidConfig: They want different planes: then only leaves can be answered.
        """
        if self.plane_spec is None:
            message = (
                f"{self.name}: they want different planes; call evaluate_batch(leaves), which "
                "makes those of each"
            )
            raise InvalidConfig(message)
        return policy_and_value(self.policy.evaluate(planes), self.value.evaluate(planes))

    def evaluate_batch(self, leaves: Leaves) -> Evaluation:
        """Answer leaves; what it cost counts the rows of both.

        Raises:
            InvalidEvaluation: An answer is not valid.
        """
        spent = Counts()
        policy, value = (
            evaluate_leaves(part, leaves, spent, name_of(part)) for part in self.experts
        )
        return replace(policy_and_value(policy, value), spent=spent)

    def __repr__(self) -> str:
        return f"PolicyAndValue({self.policy!r}, {self.value!r})"


def policy_and_value(policy: Evaluation, value: Evaluation) -> Evaluation:
    """Return the policy of one answer with the rest of another."""
    return Evaluation(
        policy_logits=policy.policy_logits,
        legal_logits=policy.legal_logits,
        value=value.value,
        wdl=value.wdl,
        plies_left=value.plies_left,
    )


def paired(policy: Any, value: Any, phases: Sequence[str]) -> dict[str, Any]:
    """Return an evaluator for each phase, of policies and values given by phase or for all."""
    if policy is None or value is None:
        missing = "policy" if policy is None else "value"
        message = (
            f"{missing}= is missing: give policy= and value= together, each an evaluator or a "
            "dictionary from phases to evaluators; or experts that answer both"
        )
        raise InvalidConfig(message)
    by_phase = [each for each in (policy, value) if isinstance(each, Mapping)]
    names = list(by_phase[0]) if by_phase else list(phases)
    for other in by_phase[1:]:
        if set(other) != set(names):
            message = (
                f"policy= has the phases {names} and value= {list(other)}: give both for the same "
                "phases, or one evaluator for all of them"
            )
            raise InvalidConfig(message)
    found = {}
    for name in names:
        parts = [each[name] if isinstance(each, Mapping) else each for each in (policy, value)]
        found[name] = parts[0] if parts[0] is parts[1] else PolicyAndValue(*parts)
    return found
