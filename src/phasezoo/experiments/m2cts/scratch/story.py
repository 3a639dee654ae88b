"""The report's sentences, and the paper's claims of learning from scratch."""

from collections.abc import Sequence

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import BY_ELO, Claim, by_sign
from phasezoo.experiments.m2cts.scratch import paper
from phasezoo.experiments.m2cts.scratch.config import ScratchConfig
from phasezoo.experiments.m2cts.scratch.results import Advantage, Results
from phasezoo.report import numbers

__all__ = ["claims_of", "headline", "introduction"]

BY_MORE = (
    "agrees if the whole 95 % interval of the Elo difference lies above the claim’s number, "
    "disagrees if it lies below"
)

SETTLES = f"not settled by one training, or by fewer than {paper.UPDATES} rounds"


def claims_of(advantages: Sequence[Advantage], config: ScratchConfig) -> list[Claim]:
    """What the paper says of each strategy after its ten rounds, beside our last round.

    How a training comes out is chance too, so that one training settles nothing; nor do fewer
    rounds.
    """
    settles = config.trainings > 1 and config.updates >= paper.UPDATES
    last = {one.strategy: one for one in advantages if one.update == config.updates}
    found = []
    for strategy, published in paper.ELO.items():
        if strategy not in last:
            continue
        elo = last[strategy].elo
        above = published > 0
        text = (
            f"From random weights, {strategy} experts are "
            f"{'more than' if above else 'about'} {abs(published):.0f} Elo "
            f"{'above' if above else 'below'} one network after {paper.UPDATES} rounds."
        )
        ours = f"Elo after {_rounds(config.updates)}: {numbers.elo_interval(elo)}."
        known = elo if elo.is_known and settles else None
        rule = f"{BY_MORE if above else BY_ELO}; {SETTLES}"
        if known is not None and above:  # more than a number: by the sign of what is left
            known = Interval(*(end - published for end in (known.value, known.low, known.high)))
        found.append(Claim(text, ours, rule, by_sign(known, "higher" if above else "lower")))
    return found


def headline(results: Results) -> str:
    """The main result as one line."""
    last = [one for one in results.advantages if one.update == results.config.updates]
    told = ", ".join(f"{one.strategy} {numbers.elo_interval(one.elo)}" for one in last)
    return f"Elo of experts over one network after {_rounds(results.config.updates)}: {told}"


def introduction(results: Results) -> str:
    """What was run and how long it took."""
    config = results.config
    sides = len(config.strategies) + 1
    several = "s" if config.trainings > 1 else ""
    experts = " and by ".join(config.strategies)
    duration = numbers.duration(sum(results.seconds.values()))
    return (
        f"{numbers.spelled(sides).capitalize()} sides learnt {config.game} from random weights, "
        f"each by games against itself: one network, and experts by {experts} learning for the "
        f"phases of {config.gate}; {_rounds(config.updates)} of {config.games} games with "
        f"{config.nodes} nodes a move, {numbers.spelled(config.trainings)} training{several} a "
        f"side. Every side learnt about as many samples a round. Matches are of "
        f"{config.match_games} games with {config.match_nodes} nodes a move, experts against the "
        f"network of the same seed. In all it took {duration} on "
        f"{results.provenance.processor} with {results.provenance.threads} threads."
    )


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"
