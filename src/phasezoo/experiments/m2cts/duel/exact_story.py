"""The report's sentences on moves that were judged by perfect play."""

from phasezoo.experiments.m2cts.duel.results import Results
from phasezoo.experiments.statistics import Verdict, verdict
from phasezoo.report import numbers

__all__ = ["paragraph", "sentences"]

_BETTER: dict[str, Verdict] = {"regret": "lower", "best moves": "higher", "won": "higher"}
"""Which way each metric of moves by perfect play is the better one."""


def paragraph(results: Results) -> str:
    """What was judged by perfect play, and how."""
    exact = results.exact
    if exact is None:
        return ""
    searched = (
        f", but for those of searches, over {numbers.count(exact.searched)} of them that are drawn"
        if 0 < exact.searched < exact.positions
        else ""
    )
    which = (
        f"all {numbers.count(exact.positions)} positions {exact.kind}, so that no chance of a "
        f"sample is in these numbers{searched}"
        if exact.kind is not None
        else f"{numbers.count(exact.positions)} positions of random games that occur in no "
        "training game"
    )
    won = (
        " Won: the share of positions from which the likeliest moves win within the rules against "
        "a defender who knows them; drawn: the chance of winning if every move is drawn from the "
        "policy."
        if "won" in exact.rows[0].numbers
        else ""
    )
    return (
        f"Perfect play of this game is known. The likeliest moves of every network were judged in "
        f"{which}. Regret: what the outcome loses by a move, 1 from a win to a loss. Perfect: of "
        "the positions where some move loses something, the share in which it does not. Best: "
        "moves that lose no time either. Distance: how much longer the win takes, or how much "
        f"sooner the loss comes, a move.{won}"
    )


def sentences(results: Results) -> list[str]:
    """Whether experts or one network play the better moves, a sentence for each main metric."""
    exact = results.exact
    if exact is None:
        return []
    if exact.trainings == 1:
        alone = (
            "There was one training of each side: the numbers are about these very networks, and "
            "say nothing of others."
        )
        return [alone]
    found = []
    for metric, better in _BETTER.items():
        for row in exact.rows:
            difference = row.differences.get(metric)
            if difference is None:
                continue
            said = verdict(difference)
            word = {better: "better than", "unclear": "not told apart from"}.get(said, "worse than")
            found.append(
                f"{metric.capitalize()}: the {row.name} is {word} one network, "
                f"{numbers.signed_interval(difference, 4)}."
            )
    return found
