"""Generalisation over axes that are given as objects or by their names."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from phasezoo.errors import InvalidConfig
from phasezoo.experiments.generalisation.axis import Axis, Learner, SupportsMeasure
from phasezoo.experiments.generalisation.choosing import with_agent, with_learner
from phasezoo.experiments.generalisation.config import GeneraliseConfig, OwnConfig
from phasezoo.experiments.generalisation.describing import mark_of
from phasezoo.experiments.generalisation.domain import OWN
from phasezoo.experiments.generalisation.filling import folder_of
from phasezoo.experiments.generalisation.matrix import Results
from phasezoo.report.console import Console

__all__ = ["generalise"]


def generalise(
    axis: Axis | str | Sequence[Axis | str],
    *,
    out: str | Path,
    learner: Learner | str | None = None,
    measure: SupportsMeasure | None = None,
    agent: str | Callable[[Any, int], Any] | None = None,
    seed: int = 1,
    trainings: int = 1,
    resamples: int = 2000,
    threads: int | None = None,
    sizes: GeneraliseConfig | None = None,
    console: Console | None = None,
) -> Results:
    """Train on each split of an axis, test on all of them, and leave a report.

    Calling it again with the same arguments goes on with a run that was stopped, cell by cell, and
    returns that of one that has ended.

    Args:
        axis: The splits with who learns and what is measured; an axis of the package by its name,
            such as ``"krk/distance"``; or several.
        out: A new or empty directory, or that of this very run: ``matrix.csv``, ``results.json``,
            ``report.html``, heat maps, and a folder for every model.
        learner: Learns in place of the axis' own: an object, or a text such as
            ``"experts:lichess"`` (``docs/definitions/generalise.md#learners-and-agents-by-text``).
        measure: Measures in place of the axis' own.
        agent: Plays what was learnt, in axes that are played: a text such as ``"mcts:nodes=50"``,
            or a function of the model and a seed that answers an agent.
        seed: Everything random derives from it (0 or more).
        trainings: Trainings of every row (1 or more); several widen the intervals by their spread.
        resamples: Draws of groups behind bootstrapped intervals (100 or more).
        threads: Threads of native code (1 or more); None: every usable core.
        sizes: How much is learnt and tested in axes of the package; None: the preset ``quick``.
        console: Where to report; default nowhere.

    Returns:
        A matrix for each score of each axis.

    Raises:
        InvalidConfig: An axis does not exist, or a number is out of range.
        InvalidEvaluation: The measure does not answer what its scores say.
        MissingDependency: A package is missing; the message names the extra.
        RunDirectoryError: ``out`` belongs to something else, or cannot be written.
    """
    from phasezoo.experiments.generalisation.catalogue import axes_named

    given: list[Any] = [axis] if isinstance(axis, Axis | str) else list(axis)
    settings = dataclasses.replace(
        GeneraliseConfig() if sizes is None else sizes, seed=seed, threads=threads
    )
    found: list[Axis] = []
    for one in given:
        for made in [one] if isinstance(one, Axis) else axes_named([str(one)], settings).values():
            if isinstance(made, InvalidConfig):  # one of a game's, and it was not named itself
                continue
            if not isinstance(made, Axis):
                raise made
            found.append(_with(made, learner, measure, agent))
    places = [folder_of(one.name) for one in found]
    if not found or len(set(places)) < len(places):
        message = f"axes {', '.join(one.name for one in found)}: give one or more, of other names"
        raise InvalidConfig(message)
    config = OwnConfig(
        seed=seed,
        trainings=trainings,
        resamples=resamples,
        threads=threads,
        axes=tuple(map(mark_of, found)),
        sizes=settings if any(isinstance(one, str) for one in given) else None,
    )
    results: Results = OWN.reproduce(config, Path(out), console, axes=found)
    return results


def _with(axis: Axis, learner: Any, measure: Any, agent: Any) -> Axis:
    if isinstance(learner, str):
        axis, learner = with_learner(axis, learner), None
    changes = {"learner": learner, "measure": measure}
    made = dataclasses.replace(axis, **{k: v for k, v in changes.items() if v is not None})
    return made if agent is None else with_agent(made, agent)
