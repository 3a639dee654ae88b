"""The report's sentences: what was run, what came out, how the paper's claims fared."""

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import counted, judgements
from phasezoo.experiments.representation.results import Results
from phasezoo.report import numbers

__all__ = ["COMMON", "TABLES", "headline", "introduction", "short", "value_of"]

TABLES = {
    "corners": "Planes and heads (Tables 4 and 5)",
    "architectures": "Architectures (Table 7)",
    "blocks": "Kinds of blocks",
    "transformers": "Transformer blocks",
    "kernels": "5x5 kernels",
    "depths": "Depth against width",
}
"""How tables are headed."""


COMMON = "policy=pointwise"
"""Not said of every network again."""


def value_of(interval: Interval | None) -> float | None:
    """An estimate without its interval."""
    return None if interval is None else interval.value


def short(label: str) -> str:
    """A network's text without the option that all of a size have in common."""
    name, _, options = label.partition(":")
    kept = [option for option in options.split(",") if option and option != COMMON]
    return f"{name}:{','.join(kept)}" if kept else name


def headline(results: Results) -> str:
    """What disagrees first, then the rest."""
    agree, disagree, open_ = judgements(results.claims).values()
    both = next(one for one in results.losses.contrasts if one.name == "both")
    claims = agree + disagree + open_
    first = f"{numbers.spelled(disagree).capitalize()} of {claims} claims"
    if disagree == 0:
        first = f"No claim of {claims}"
    return (
        f"{first} disagree{'s' if disagree < 2 else ''}, "
        f"{counted(agree)} agree{'s' if agree == 1 else ''}, {counted(open_)} "
        f"{'is' if open_ == 1 else 'are'} not settled; v2 with wdlp changes the value loss by "
        f"{numbers.signed_interval(both.metrics['value'])}"
    )


def introduction(results: Results) -> str:
    """What was run and how long it took."""
    config, data = results.config, results.dataset
    count = results.provenance.threads
    threads = "one thread" if count == 1 else f"{count} threads"
    return (
        f"{numbers.count(len(results.networks))} networks learnt {config.game} from "
        f"{numbers.count(results.networks[0].positions)} positions each, out of "
        f"{numbers.count(sum(data.games))} of {data.source}; losses are on "
        f"{numbers.count(data.test_positions)} positions of {numbers.count(data.tested)} "
        f"games that none of them saw. {numbers.count(sum(one.played for one in results.games))} "
        f"games were played. It took {numbers.duration(sum(results.seconds.values()))} on "
        f"{results.provenance.processor} with {threads}."
    )
