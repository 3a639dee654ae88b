"""The report's sentences."""

from collections.abc import Mapping, Sequence

from phasezoo.arena.elo import Interval
from phasezoo.experiments.m2cts.pommerman import paper
from phasezoo.experiments.m2cts.pommerman.config import PommermanConfig
from phasezoo.experiments.m2cts.pommerman.results import Phases, Record, Results
from phasezoo.experiments.statistics import Verdict, by_verdict
from phasezoo.report import numbers

__all__ = [
    "headline",
    "in_points",
    "introduction",
    "label",
    "points",
    "share",
    "shares",
    "spread",
    "title",
]

_OPPONENTS = {"simple": "SimpleAgents", "simple_unbiased": "SimpleUnbiasedAgents"}


def title(config: PommermanConfig) -> str:
    """What the games were, in a line: every table names what the search knew."""
    known = "what its player may know" if config.information == "observed" else "the true state"
    return (
        f"Free-for-all against three {_OPPONENTS[config.opponents]}; the search knows {known}, the "
        f"others move in it as {config.others}"
    )


def share(interval: Interval) -> str:
    """A win rate with its interval."""
    low, high = numbers.percent(interval.low), numbers.percent(interval.high)
    return f"{numbers.percent(interval.value)} ({low} to {high})"


def in_points(difference: Interval | None) -> Interval | None:
    """A difference of win rates in percentage points."""
    if difference is None:
        return None
    return Interval(100 * difference.value, 100 * difference.low, 100 * difference.high)


def points(difference: Interval | None) -> str:
    """A difference of win rates in percentage points with its interval, as text."""
    return numbers.signed_interval(in_points(difference), 1)


def shares(phases: Phases) -> str:
    """How a gate divides the training positions, in words."""
    whole = sum(phases.positions)
    parts = zip(phases.names, phases.positions, strict=True)
    return ", ".join(f"{name} {numbers.percent(count / whole)}" for name, count in parts)


def spread(record: Record) -> str:
    """The win rates of the single trainings."""
    return ", ".join(numbers.percent(rate) for rate in record.by_training)


def label(record: Record) -> str:
    """How a table calls a contender."""
    kinds = {"gate": "experts by ", "placebo": "placebo, experts by "}
    return f"{kinds.get(record.kind, '')}{record.name}"


def headline(results: Results) -> str:
    """The main result as one line: against one network, and against the placebo."""
    gates = [record for record in results.records if record.kind == "gate"]
    to_one = by_verdict((record.name, record.difference) for record in gates)
    to_placebo = by_verdict((record.name, record.to_placebo) for record in gates)
    parts = [*_compared(to_one, "one network"), *_compared(to_placebo, "the placebo")]
    if results.config.trainings == 1:
        parts.insert(0, "with one training, too few for a claim")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def _compared(found: Mapping[Verdict, Sequence[str]], other: str) -> list[str]:
    """What the gates' differences to another contender say, in words."""
    parts = []
    if found["higher"]:
        parts.append(f"experts by {_listed(found['higher'])} win more games than {other}")
    if found["lower"]:
        parts.append(f"experts by {_listed(found['lower'])} win fewer games than {other}")
    if found["unclear"]:
        parts.append(f"for {_listed(found['unclear'])} against {other} these games do not tell")
    return parts


def introduction(results: Results) -> str:
    """What was run and how long it took."""
    config = results.config
    games = sum(record.games for record in results.records)
    trained = sum(results.dataset.positions)
    return (
        f"Networks ({config.network}) learnt from {numbers.count(trained)} positions of games that "
        "four SimpleUnbiasedAgents played against each other: one from all positions, the others "
        f"each from one phase. Then they guided a search of {config.simulations} simulations a "
        f"move in {numbers.count(games)} games against three {_OPPONENTS[config.opponents]}, on "
        "the same boards and in all four seats for every contender, "
        f"{_times(config.trainings)}. It took {numbers.duration(sum(results.seconds.values()))} "
        f"on {results.provenance.processor} with {results.provenance.threads} threads."
    )


def _times(trainings: int) -> str:
    return "with one training" if trainings == 1 else f"with {numbers.spelled(trainings)} trainings"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def published(simulations: int) -> str:
    """What the published search study says of so many simulations, if anything."""
    if simulations not in paper.SEARCH_STUDY:
        return numbers.ABSENT
    trained, untrained = paper.SEARCH_STUDY[simulations]
    return f"{numbers.percent(trained)} trained, {numbers.percent(untrained)} untrained"
