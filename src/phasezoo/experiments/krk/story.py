"""The report's sentences: what was run, how long it took, how the study's claims fared."""

from phasezoo.experiments import claims
from phasezoo.experiments.claims import Claim, Judgement
from phasezoo.experiments.krk import paper
from phasezoo.experiments.krk.curves import NAMES
from phasezoo.experiments.krk.results import Results
from phasezoo.report import numbers

__all__ = ["claims_of", "headline", "introduction", "judgements", "variant_sentence"]


def claims_of(results: Results) -> list[tuple[str, Claim]]:
    """Every claim with the number of its figure."""
    return [(figure.number, claim) for figure in results.figures for claim in figure.claims]


def judgements(results: Results) -> dict[Judgement, int]:
    """How many claims agree, disagree, and are not settled."""
    return claims.judgements(claim for _, claim in claims_of(results))


def headline(results: Results) -> str:
    """The main result as one line."""
    agree, disagree, open_ = judgements(results).values()
    return (
        f"Of the study’s {agree + disagree + open_} claims, {claims.counted(agree)} "
        f"{'agrees' if agree == 1 else 'agree'} with our games, {claims.counted(disagree)} "
        f"{'disagrees' if disagree == 1 else 'disagree'}, {claims.counted(open_)} "
        f"{'is' if open_ == 1 else 'are'} not settled"
    )


def introduction(results: Results) -> str:
    """What was run and how long it took, in three sentences."""
    config = results.config
    games = sum(v.games for v in results.variants)
    games += sum(r.games for r in results.readings[1:])
    budgets = " or ".join(numbers.count(b) for b in config.budgets)
    others = [NAMES[v] for v in config.variants if v != "uct"]
    beside = f", and beside it by {' and by '.join(others)}" if others else ""
    return (
        f"White, with king and rook, played {numbers.count(games)} games from one position with "
        f"mate in {paper.MATE_IN} against a king that defends perfectly, each time by plain UCT "
        f"with rollouts and nothing learnt{beside} (reading: {config.reading}). The "
        "exploration constant C took "
        f"{len(config.constants)} values from {config.constants[0]:g} to "
        f"{config.constants[-1]:g} and the threshold T {len(config.thresholds)} from "
        f"{config.thresholds[0]} to {config.thresholds[-1]}, with {budgets} simulations before "
        f"each move and {numbers.count(config.first_simulations)} before the first, "
        f"{config.games} games a setting. It took {numbers.duration(sum(results.seconds.values()))}"
        f" on {results.provenance.processor} with {results.provenance.threads} games at a time."
    )


def variant_sentence(results: Results) -> str:
    """What the two other searches did, beside the study's."""
    parts = [
        f"{NAMES[summary.variant]} won {numbers.percent(summary.won / summary.games)} of "
        f"{numbers.count(summary.games)} games and gave the win away in "
        f"{numbers.percent(summary.gave_away_games / summary.games)}"
        for summary in results.variants
        if summary.games
    ]
    return "; ".join(parts) + "."
