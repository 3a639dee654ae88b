"""What a publication says, what we found, and whether the two agree, by a rule beside them."""

from collections.abc import Iterable
from typing import Literal

from phasezoo.arena.elo import Interval
from phasezoo.experiments.statistics import verdict
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.report.document import Claim, Judgement, judgements

__all__ = ["BY_ELO", "Claim", "Judgement", "by_sign", "counted", "judgements", "show_claims"]

BY_ELO = (
    "agrees if the whole 95 % interval of the Elo difference lies on the claim’s side of zero, "
    "disagrees if it lies on the other side"
)
"""The rule of :func:`by_sign` for a difference of ratings."""


def by_sign(interval: Interval | None, claimed: Literal["lower", "higher"]) -> Judgement:
    """Judge a claim about a sign by one 95 % interval; one that holds zero settles nothing."""
    found = "unclear" if interval is None else verdict(interval)
    if found == "unclear":
        return "not settled"
    return "agrees" if found == claimed else "disagrees"


def counted(claims: int) -> str:
    """A number of claims in running text, such as ``none`` or ``two``."""
    return numbers.spelled(claims) if claims else "none"


def show_claims(console: Console, claims: Iterable[Claim]) -> None:
    """Tell the console every claim with its verdict, and what we found below it."""
    for claim in claims:
        console.note(f"{claim.judgement:<11}  {claim.text}")
        console.note(f"             {claim.ours}")
