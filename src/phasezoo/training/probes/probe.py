"""The probe: a measurement of every version of a network, and the scores it returns."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from phasezoo import agents
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.games import Game


@dataclass(frozen=True)
class Score:
    """One kind of number."""

    name: str
    """Such as ``win rate``."""
    better: Literal["higher", "lower"] = "higher"
    """Which numbers are good."""
    kind: Literal["mean", "share"] = "mean"
    """``mean``: a mean over all that was counted; its interval is a bootstrap of whole groups.
    ``share``: of each group in [0, 1], all groups counting alike; its interval is Wilson's, which
    keeps its width at 0 and 1."""
    unit: str = ""
    """Unit behind the number, such as ``nats``; ``%``: shares as percentages."""
    meaning: str = ""
    """Explanation in reports; empty for a name that explains itself."""


NETWORK = "network"
"""Name of the network alone, without search, in numbers by player."""

Numbers: TypeAlias = "float | Mapping[str, float | Mapping[str, float]]"
"""Result of a probe: a number, or numbers by the names of its scores; instead of a number also
several, by player."""


@dataclass(frozen=True)
class Probed:
    """A version of a network that is measured."""

    game: Game
    """Game that it plays."""
    evaluator: Any
    """Network, or mixture of experts."""
    searching: Callable[[int], Any]
    """Function that makes the agent that searches so many nodes, without noise."""
    nodes: int
    """Nodes of a search; 0: the network alone is measured."""
    seed: int = 0
    """Seed of what is drawn; the same for every version."""

    def players(self) -> dict[str, Any]:
        """Return the agents to measure, by name: the network alone, and with search."""
        found: dict[str, Any] = {NETWORK: agents.PolicyAgent(self.evaluator, seed=self.seed)}
        if self.nodes:
            found[f"{self.nodes} nodes"] = self.searching(self.nodes)
        return found


@dataclass(frozen=True)
class Probe:
    """A function that measures a version.

    Args:
        function: ``(version: Probed)`` -> a number, or numbers by the names of the scores, each of
            them a number or several by player.
        scores: Scores that it returns; none: one with the function's name.

    Raises:
        InvalidConfig: ``function`` cannot be called, or two scores have one name.
    """

    function: Callable[[Probed], Numbers]
    scores: tuple[Score, ...]

    def __init__(self, function: Callable[[Probed], Numbers], *scores: Score) -> None:
        given: Any = function
        if not callable(given):
            message = f"{function!r} is no probe: expected a function of a version"
            raise InvalidConfig(message)
        named = scores or (Score(getattr(function, "__name__", type(function).__name__)),)
        if len({score.name for score in named}) < len(named):
            message = f"a probe's scores need different names, not {[s.name for s in named]}"
            raise InvalidConfig(message)
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "scores", named)

    def __call__(self, version: Probed) -> dict[str, dict[str, float]]:
        """Return numbers by score, then by player (``""`` if there is one alone).

        Args:
            version: The version.

        Raises:
            InvalidEvaluation: The function returned something else.
        """
        answer: Any = self.function(version)
        if not isinstance(answer, Mapping):
            answer = {self.scores[0].name: answer}
        names = {score.name for score in self.scores}
        if len(names) == 1 and set(answer) != names:
            answer = {self.scores[0].name: answer}  # by player
        if set(answer) != names:
            message = (
                f"the probe {', '.join(sorted(names))} answered {', '.join(map(str, answer))}: "
                "expected a number for each of its scores"
            )
            raise InvalidEvaluation(message)
        return {name: _by_player(name, numbers) for name, numbers in answer.items()}


def as_probe(given: Any) -> Probe:
    """Return a probe, or a function as a probe."""
    return given if isinstance(given, Probe) else Probe(given)


def _by_player(name: str, numbers: Any) -> dict[str, float]:
    given = numbers if isinstance(numbers, Mapping) else {"": numbers}
    try:
        found = {str(who): float(number) for who, number in given.items()}
    except (TypeError, ValueError):
        found = {"": math.nan}
    if not all(map(math.isfinite, found.values())):
        message = f"the probe {name} answered {str(numbers)[:80]}: expected finite numbers"
        raise InvalidEvaluation(message)
    return found
