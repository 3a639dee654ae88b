"""Measures: losses on stored games, exact regret in solved games, results of matches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasezoo import agents
from phasezoo.experiments.generalisation.axis import SupportsMeasure
from phasezoo.experiments.generalisation.data import EvaluationMatch, EvaluationSet
from phasezoo.experiments.generalisation.scores import Sample
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.training.score import Score
from phasezoo.training.solved import Starts, moves_of


def agent_of(model: Any, seed: int, nodes: int = 0) -> Any:
    """Return a model as an agent: an evaluator plays its policy, or searches with it."""
    if not hasattr(model, "evaluate"):
        return agents.make(model) if isinstance(model, str) else model
    if nodes == 0:
        return agents.PolicyAgent(model, seed=seed)
    return agents.MCTSAgent(model, limit=agents.Limit(nodes=nodes), seed=seed)


@dataclass(frozen=True)
class Losses:
    """Losses of an evaluator on an :class:`EvaluationSet` (``docs/definitions/losses.md``)."""

    scores: tuple[Score, ...] = (
        Score("policy loss", "lower", unit="nats"),
        Score("top-1 accuracy", unit="%"),
        Score("value loss", "lower"),
    )

    def __call__(self, model: Any, data: EvaluationSet, seed: int) -> Mapping[str, Sample]:
        """Return means over positions, with games as groups."""
        del seed
        losses = _losses(model, data)
        games, group = np.unique(losses.game, return_inverse=True)
        columns = losses.policy, losses.correct, losses.value
        return {
            score.name: Sample.by_group(column, group, len(games))
            for score, column in zip(self.scores, columns, strict=True)
        }


def _losses(model: Any, data: EvaluationSet) -> Any:
    """Evaluate positions; those of a mixture by the expert of their phase."""
    from phasezoo.training.evaluation import evaluate_network, evaluate_networks, mixture_losses

    if not isinstance(model, MixtureOfExperts):
        return evaluate_network(model, data.store, data.rows)
    rows = data.store.positions(model.gate).matching(data.rows)
    experts = dict(zip(model.names, model.experts, strict=True))
    found = evaluate_networks(experts, data.store, rows)
    return mixture_losses({rows.phase_index(name): losses for name, losses in found.items()})


@dataclass(frozen=True)
class Regret:
    """Loss of an agent's moves by the game's own solution (``Game.action_scores``).

    With v the best action's outcome for who moves (1 a win, 0 a draw, -1 a loss) and w that of the
    action chosen, the *regret* is (v - w) / 2: 1 if a win was turned into a loss. The *distance
    lost* is by how much the score of the action chosen falls behind the best, where the outcome is
    the same. *Best moves* are those that lose neither.
    """

    nodes: int = 0
    """Nodes of an evaluator's search; 0: it plays its policy without search."""
    agent: Callable[[Any, int], Any] | None = None
    """Makes the agent from a model and a seed; None: :func:`agent_of`."""
    scores: tuple[Score, ...] = (
        Score("best moves", kind="share", unit="%"),
        Score("regret", "lower", kind="share"),
        Score("distance lost", "lower"),
    )

    def __call__(self, model: Any, data: Starts, seed: int) -> Mapping[str, Sample]:
        """Judge one move in each state.

        Raises:
            IllegalAction: A move is not legal.
        """
        judged = data.judge(moves_of(_made(self, model, seed), data.states, seed))
        kept = judged.lost == 0
        samples = Sample.of(judged.best), Sample.of(judged.lost), Sample.of(judged.distance, kept)
        return {score.name: sample for score, sample in zip(self.scores, samples, strict=True)}


@dataclass(frozen=True)
class Play:
    """Result of an agent in an :class:`EvaluationMatch`, by groups of games with one opening."""

    nodes: int = 0
    """Nodes of an evaluator's search; 0: it plays its policy without search."""
    agent: Callable[[Any, int], Any] | None = None
    """Makes the agent from a model and a seed; None: :func:`agent_of`."""
    scores: tuple[Score, ...] = (
        Score("score", kind="share", unit="%"),
        Score("games won", kind="share", unit="%"),
    )

    def __call__(self, model: Any, data: EvaluationMatch, seed: int) -> Mapping[str, Sample]:
        """Play the match."""
        from phasezoo import arena

        made = _made(self, model, seed)
        match = arena.play_match(
            made, data.opponent, game=data.game, games=data.games, seed=seed, **data.options
        )
        group = [record.group for record in match.games]
        columns = [r.score for r in match.games], [float(r.won) for r in match.games]
        return {
            score.name: Sample.by_group(column, group, max(group) + 1)
            for score, column in zip(self.scores, columns, strict=True)
        }


def _made(measure: "Regret | Play", model: Any, seed: int) -> Any:
    made = model if measure.agent is None else measure.agent(model, seed)
    return agent_of(made, seed, measure.nodes)


@dataclass(frozen=True)
class Together:
    """Two measures of one model; the test data are a pair, one part for each."""

    first: SupportsMeasure
    """First measure, whose first score is the main one."""
    second: SupportsMeasure
    """Second measure."""

    @property
    def scores(self) -> tuple[Score, ...]:
        """Scores of both."""
        return (*self.first.scores, *self.second.scores)

    def __call__(self, model: Any, data: tuple[Any, Any], seed: int) -> Mapping[str, Any]:
        """Measure by both."""
        found: dict[str, Any] = {}
        for measure, part in zip((self.first, self.second), data, strict=True):
            answer: Any = measure(model, part, seed)
            by_name = isinstance(answer, Mapping)
            found |= answer if by_name else {measure.scores[0].name: answer}
        return found
