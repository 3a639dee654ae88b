"""What a publication says, what we found, and whether the two agree, by a rule beside them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from phasezoo.arena.elo import Interval
from phasezoo.experiments.statistics import verdict

__all__ = ["Claim", "Judgement", "by_sign"]

Judgement: TypeAlias = Literal["agrees", "disagrees", "not settled"]
"""Whether our games agree with a claim."""


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
