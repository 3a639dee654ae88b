"""What a publication says, what we found, and whether the two agree, by a rule beside them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from phasezoo.arena.elo import Interval
from phasezoo.experiments.console import Console
from phasezoo.experiments.statistics import verdict
from phasezoo.report import numbers

__all__ = ["BY_ELO", "Claim", "Judgement", "by_sign", "counted", "judgements", "show_claims"]

Judgement: TypeAlias = Literal["agrees", "disagrees", "not settled"]
"""Whether our games agree with a claim."""

BY_ELO = (
    "agrees if the whole 95 % interval of the Elo difference lies on the claim’s side of zero, "
    "disagrees if it lies on the other side"
)
"""The rule of :func:`by_sign` for a difference of ratings."""


@dataclass(frozen=True)
class Claim:
    """Something a publication says, what we found, and by which rule the two were compared."""

    text: str
    ours: str
    rule: str
    judgement: Judgement


def by_sign(interval: Interval | None, claimed: Literal["lower", "higher"]) -> Judgement:
    """Judge a claim about a sign by one 95 % interval; one that holds zero settles nothing."""
    found = "unclear" if interval is None else verdict(interval)
    if found == "unclear":
        return "not settled"
    return "agrees" if found == claimed else "disagrees"


def judgements(claims: Iterable[Claim]) -> dict[Judgement, int]:
    """How many claims agree, disagree, and are not settled."""
    found = Counter(claim.judgement for claim in claims)
    return {"agrees": found["agrees"], "disagrees": found["disagrees"],
            "not settled": found["not settled"]}  # fmt: skip


def counted(claims: int) -> str:
    """A number of claims in running text, such as ``none`` or ``two``."""
    return numbers.spelled(claims) if claims else "none"


def show_claims(console: Console, claims: Iterable[Claim]) -> None:
    """Tell the console every claim with its verdict, and what we found below it."""
    for claim in claims:
        console.note(f"{claim.judgement:<11}  {claim.text}")
        console.note(f"             {claim.ours}")
