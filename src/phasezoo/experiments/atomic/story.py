"""The report's sentences: what was run, how long it took, how the thesis' claims fared."""

from phasezoo.experiments.atomic.config import ARMS
from phasezoo.experiments.atomic.results import Results
from phasezoo.experiments.claims import judgements
from phasezoo.report import numbers

__all__ = ["headline", "introduction", "title_of"]


def title_of(arm: str) -> str:
    """How a variant of learning is called in full."""
    return ARMS.get(arm, f"the pieces and {arm.replace('-', ' ')}")


def headline(results: Results) -> str:
    """The main result as one line."""
    own = results.against_untrained[0]
    agree, disagree, open_ = judgements(results.claims).values()
    return (
        f"After {numbers.count(results.courses[0].rounds[-1].games)} games against itself the "
        f"network stands at {numbers.elo_interval(own.elo)} Elo beside untrained weights; of "
        f"{agree + disagree + open_} claims {agree} agree, {disagree} disagree, {open_} are not "
        "settled"
    )


def introduction(results: Results) -> str:
    """What was run and how long it took."""
    config = results.config
    courses = len(results.courses)
    return (
        f"{numbers.spelled(courses).capitalize()} network{'s' if courses > 1 else ''} "
        f"({config.network.split(':')[0]}) learnt atomic chess from random weights, by play "
        f"against themselves alone: {config.updates} rounds of {config.games} games with "
        f"{config.nodes} nodes a move each. Matches are of {config.match_games} games with "
        f"{config.match_nodes} nodes a move. In all it took "
        f"{numbers.duration(sum(results.seconds.values()))} on {results.provenance.processor} with "
        f"{results.provenance.threads} threads."
    )
