"""What the thesis says, and whether our runs show the same."""

from collections.abc import Sequence

from phasezoo.arena.elo import Interval
from phasezoo.experiments.atomic import paper
from phasezoo.experiments.atomic.results import CollisionRow, MoveCost, Searched, WorkerRow
from phasezoo.experiments.claims import BY_ELO, Claim, Judgement, by_sign
from phasezoo.experiments.learning import Course, Meeting
from phasezoo.report import numbers

__all__ = ["claims_of"]

_BY_COUNT = "counted, so no interval: agrees if the counts are ordered so"


def claims_of(
    courses: Sequence[Course],
    beaten: Sequence[Meeting],
    compared: Sequence[Meeting],
    itself: Meeting,
    searched: Searched,
) -> list[Claim]:
    """Every claim of the thesis that a run can judge.

    Args:
        courses: The variants of learning, the thesis' own first.
        beaten: Each one's last version against untrained weights, in the same order.
        compared: Each other one's last version against the thesis' own.
        itself: The thesis' own against itself.
        searched: What was measured of the search.
    """
    untrained = {one.first: one for one in beaten}
    own = {one.first: one for one in compared}
    found = [_learns(beaten[0], courses[0]), *_ladder(courses[0])]
    if "last-step" in untrained:
        found.append(_last_step(untrained["last-step"], own["last-step"]))
    if "whole-buffer" in own:
        found.append(_whole_buffer(own["whole-buffer"]))
    found += [_white(itself), *_mates(courses[0]), _collisions(searched.collisions)]
    found.append(_network(searched.move))
    if len(searched.workers) > 1:
        found.append(_workers(searched.workers))
    return found


def _learns(meeting: Meeting, course: Course) -> Claim:
    judgement = by_sign(_known(meeting), "higher")
    if judgement == "disagrees" and course.rounds[-1].learnt < paper.POSITIONS:
        judgement = "not settled"  # a little learning is no test of much
    return Claim(
        text=(
            "Learning by play from random weights works: the first model wins "
            f"{numbers.percent(paper.FIRST_AGAINST_UNTRAINED)} of its decided games against "
            "untrained weights, later ones all of them."
        ),
        ours=(
            f"The last version won {_decided(meeting)} of its decided games; Elo "
            f"{numbers.elo_interval(meeting.elo)}."
        ),
        rule=(
            "agrees if the whole 95 % interval of the Elo difference lies above zero, disagrees if "
            f"it lies below after as many samples as the thesis learnt, "
            f"{numbers.count(paper.POSITIONS)}"
        ),
        judgement=judgement,
    )


def _ladder(course: Course) -> list[Claim]:
    if len(course.ladder) < 3:
        return []
    first, last = course.ladder[1], course.ladder[-1]
    gains = last.value - first.value
    clear = last.low > first.high
    lower = last.high < first.low
    judgement: Judgement = "agrees" if clear else "disagrees" if lower else "not settled"
    published = [won for _, beaten, won in paper.MATCHES if beaten == "M-0"]
    wins = " and ".join(numbers.percent(won / 100) for won in published)
    return [
        Claim(
            text=(
                "Strength grows with training, fast at first: M-4000 and M-8000 win "
                f"{wins} of their decided games against M-0."
            ),
            ours=(
                f"Version {last.name} rates {numbers.signed(gains, 0)} Elo beside version "
                f"{first.name}, over matches between {len(course.ladder)} versions."
            ),
            rule="agrees if the 95 % intervals of the two ratings do not meet",
            judgement=judgement,
        )
    ]


def _last_step(meeting: Meeting, beside: Meeting) -> Claim:
    elo = _known(meeting)
    judgement: Judgement = "not settled"
    if elo is not None:
        judgement = "disagrees" if elo.low > 0 else "agrees" if elo.high < 50 else "not settled"
    return Claim(
        text=(
            "A buffer that holds the last step’s samples alone learns nothing "
            f"({numbers.percent(paper.LAST_STEP_AGAINST_UNTRAINED, 0)} against untrained weights)."
        ),
        ours=(
            f"It won {_decided(meeting)} of its decided games against untrained weights (Elo "
            f"{numbers.elo_interval(meeting.elo)}), and stands at "
            f"{numbers.elo_interval(beside.elo)} Elo beside the thesis’ buffer."
        ),
        rule=(
            "agrees if the 95 % interval against untrained weights lies below +50 Elo, disagrees "
            "if it lies above zero"
        ),
        judgement=judgement,
    )


def _whole_buffer(meeting: Meeting) -> Claim:
    return Claim(
        text="Learning the whole buffer in every step overfits; mini-batches mend it.",
        ours=(
            "The variant that learns the whole buffer stands at "
            f"{numbers.elo_interval(meeting.elo)} Elo beside mini-batches."
        ),
        rule=BY_ELO,
        judgement=by_sign(_known(meeting), "lower"),
    )


def _white(itself: Meeting) -> Claim:
    low, high = (f"{share:g}" for share in sorted(paper.SELF_MATCHES.values()))
    share = itself.mover
    judgement: Judgement = "not settled"
    if share.low > 0.5:
        judgement = "agrees"
    elif share.high < 0.5:
        judgement = "disagrees"
    return Claim(
        text=f"A model that plays itself wins more as White ({low} and {high} %).",
        ours=(
            f"White took {numbers.percent(share.value)} of the points "
            f"({numbers.percent(share.low)} to {numbers.percent(share.high)})."
        ),
        rule="agrees if the 95 % interval lies above one half, disagrees if it lies below",
        judgement=judgement,
    )


def _mates(course: Course) -> list[Claim]:
    """The first and the last version of the same positions, by network and by search."""
    probed = [one for one in course.probes if len(one.numbers) > 1]
    if len(probed) < 2:
        return []
    first, last = probed[0].numbers, probed[-1].numbers
    (alone, *_), (*_, search) = first, first
    ahead = first[search] > first[alone]
    learnt = last[alone] > first[alone]
    judgement: Judgement = "agrees" if ahead and learnt else "not settled"
    if first[search] < first[alone]:
        judgement = "disagrees"
    return [
        Claim(
            text="Search finds a mate in two at once, the network alone after some training.",
            ours=(
                f"Of the mates in two, untrained weights found {numbers.percent(first[alone])} "
                f"alone and {numbers.percent(first[search])} with {search}; the last version "
                f"{numbers.percent(last[alone])} and {numbers.percent(last[search])}."
            ),
            rule=(
                "agrees if untrained weights find more with search than alone, and the trained "
                "network alone finds more than the untrained"
            ),
            judgement=judgement,
        )
    ]


def _collisions(rows: Sequence[CollisionRow]) -> Claim:
    without, with_loss = (
        {row.simulations: row for row in rows if row.style == style}
        for style in ("none", "virtual_loss")
    )
    told = "; ".join(
        f"{numbers.count(without[n].collisions)} without and "
        f"{numbers.count(with_loss[n].collisions)} with it at {numbers.count(n)} simulations"
        for n in without
    )
    published = "; ".join(
        f"{numbers.count(a)} and {numbers.count(b)} at {numbers.count(n)}"
        for n, (a, b) in paper.COLLISIONS.items()
    )
    fewer = all(with_loss[n].collisions < without[n].collisions for n in without)
    return Claim(
        text=f"Without virtual loss a search collides all the time ({published} simulations).",
        ours=f"Collisions a move: {told}.",
        rule=_BY_COUNT,
        judgement="agrees" if fewer else "disagrees",
    )


def _network(cost: MoveCost) -> Claim:
    share = cost.network_ms / (cost.network_ms + cost.search_ms)
    return Claim(
        text=(
            f"The network takes most of a move’s time ({numbers.percent(paper.NETWORK_SHARE, 0)}), "
            "listing legal moves almost none."
        ),
        ours=(
            f"At {numbers.count(cost.simulations)} simulations the network took "
            f"{numbers.percent(share)} of {cost.network_ms + cost.search_ms:.0f} ms; as many lists "
            f"of legal moves take {cost.moves_ms:.1f} ms."
        ),
        rule="agrees if the network’s share is above one half",
        judgement="agrees" if share > 0.5 else "disagrees",
    )


def _workers(rows: Sequence[WorkerRow]) -> Claim:
    first, last = rows[0], rows[-1]
    factor = (last.games / first.games) / (last.workers / first.workers)
    return Claim(
        text="Games an hour grow in proportion to the processes, up to 15 of them.",
        ours=(
            f"{numbers.count(first.games)} games an hour with {first.workers} and "
            f"{numbers.count(last.games)} with {last.workers}: {numbers.percent(factor, 0)} of "
            "proportional."
        ),
        rule="agrees from 80 % of proportional on, for as many processes as the machine has cores",
        judgement="agrees" if factor >= 0.8 else "not settled",
    )


def _decided(meeting: Meeting) -> str:
    decided = meeting.wins + meeting.losses
    share = meeting.wins / decided if decided else None
    return f"{numbers.percent(share)} ({meeting.wins} of {decided})"


def _known(meeting: Meeting) -> Interval | None:
    return meeting.elo if meeting.elo.is_known else None
