"""What the paper says, and whether our runs show the same."""

from collections.abc import Sequence
from typing import Literal

from phasezoo.arena.elo import Interval
from phasezoo.experiments.claims import BY_ELO, Claim, Judgement, by_sign
from phasezoo.experiments.representation import paper
from phasezoo.experiments.representation.arms import CORNERS, HEADS, PLANES, corner
from phasezoo.experiments.representation.planes import COLOUR, HISTORY, MASKS, groups
from phasezoo.experiments.representation.results import (
    Attribution,
    Endings,
    Games,
    Gradients,
    Latency,
    Losses,
    Table,
)
from phasezoo.report import numbers

__all__ = ["claims_of"]

BY_TRAININGS = (
    "agrees if the whole 95 % interval of the difference, over trainings first and games second, "
    "lies on the claim’s side of zero, disagrees if it lies on the other; one training settles "
    "nothing"
)

LITTLE = 1.1
"""Times as long that still counts as hardly any longer; the paper's is 1.03."""


def claims_of(
    losses: Losses,
    latency: Sequence[Latency],
    gradients: Gradients,
    endings: Endings | None,
    games: Sequence[Games],
) -> list[Claim]:
    """Every claim of the paper that a run can judge.

    Args:
        losses: The tables of losses.
        latency: The time of a position.
        gradients: Integrated gradients.
        endings: The endings, in chess.
        games: The round robins, by limit.
    """
    found = [*_representation(losses), _cost(latency), *_architectures(losses), *_elo(games[0])]
    found += _gradients(gradients.average)
    if endings is not None:
        trainings = min(len(endings.values[name]) for name in CORNERS)
        found.append(_endings(endings, trainings))
    return found


def _representation(losses: Losses) -> list[Claim]:
    effects = {one.name: one for one in losses.contrasts}
    trainings = min(row.trainings for row in losses.tables[0].rows)
    found = []
    texts = (
        ("inputs", "value", "Planes v2 lower the value loss", paper.INPUTS),
        ("inputs", "total", "Planes v2 lower the total loss, within its spread", paper.INPUTS),
        ("heads", "value", "The head wdlp lowers the value loss", paper.HEADS),
        ("heads", "total", "The head wdlp lowers the total loss, within its spread", paper.HEADS),
    )
    for effect, metric, text, published in texts:
        before, after = (getattr(row, metric) for row in published.values())
        interval = effects[effect].metrics[metric]
        spread = effects[effect].deviation
        ours = f"{numbers.signed_interval(interval, 4)} on average over the other choice"
        if metric == "total" and spread is not None:
            ours += f"; standard deviation between trainings {numbers.decimal(spread, 4)}"
        found.append(_loss_claim(f"{text}: {before} to {after}.", f"{ours}.", interval, "lower",
                                 trainings))  # fmt: skip
    return found


def _cost(latency: Sequence[Latency]) -> Claim:
    """The time of planes v2 beside v1 in the largest calls, by every backend."""
    batch = max(one.batch for one in latency)
    times = {(one.arm, one.backend): one.microseconds for one in latency if one.batch == batch}
    old, new = (corner(planes, HEADS[-1]) for planes in PLANES)
    backends = list(dict.fromkeys(backend for _, backend in times))
    pairs = [(times[old, backend], times[new, backend]) for backend in backends]
    judgement: Judgement = "not settled"
    if all(after.high <= LITTLE * before.low for before, after in pairs):
        judgement = "agrees"
    elif any(after.low > LITTLE * before.high for before, after in pairs):
        judgement = "disagrees"
    told = "; ".join(
        f"{numbers.plain_interval(before, 1)} to {numbers.plain_interval(after, 1)} µs by {backend}"
        for backend, (before, after) in zip(backends, pairs, strict=True)
    )
    first, second = (row.microseconds for row in paper.INPUTS.values())
    return Claim(
        text=f"Planes v2 cost hardly any time: {first:g} to {second:g} µs a position.",
        ours=f"{told}, {batch} positions a call.",
        rule=(
            "agrees if the slowest round of v2 is at most 10 % above the fastest of v1 by every "
            "backend, disagrees if by one its fastest is more than 10 % above the slowest of v1"
        ),
        judgement=judgement,
    )


def _architectures(losses: Losses) -> list[Claim]:
    tables = {table.name: table for table in losses.tables}
    found = []
    if "architectures" in tables:
        found += _patches(tables["architectures"])
    if "kernels" in tables:
        found += _kernels(tables["kernels"])
    if "transformers" in tables:
        found += _transformers(tables["transformers"])
    return found


def _patches(table: Table) -> list[Claim]:
    """The transformer of large patches beside the first network of the table."""
    rows = {row.name: row for row in table.rows}
    name = next((name for name in rows if name.startswith("patchvit")), None)
    if name is None or name not in table.differences:
        return []
    interval = table.differences[name]["total"]
    published = paper.NETWORKS
    worse, better = published["ViT, one patch of 8x8"][0], published["AlphaZero 19x256"][0]
    return [
        _loss_claim(
            f"A vision transformer with one patch for the board is far behind a residual tower: "
            f"total loss {worse} against {better}.",
            f"{rows[name].label} beside {table.rows[0].label}: "
            f"{numbers.signed_interval(interval)}.",
            interval,
            "higher",
            min(rows[name].trainings, table.rows[0].trainings),
        )
    ]


def _kernels(table: Table) -> list[Claim]:
    halves = [row for row in table.rows if "wide=0.5" in row.label]
    if not halves or halves[0].name not in table.differences:
        return []
    row = halves[0]
    interval = table.differences[row.name]["total"]
    return [
        _loss_claim(
            f"Half of the kernels 5x5 is better than none: total loss {paper.KERNELS['50 %']} "
            f"against {paper.KERNELS['0 %']}.",
            f"{numbers.signed_interval(interval)} beside none.",
            interval,
            "lower",
            min(row.trainings, table.rows[0].trainings),
        )
    ]


def _transformers(table: Table) -> list[Claim]:
    row = table.rows[-1]
    count = row.label.partition("transformers=")[2].partition(",")[0]
    if count not in paper.TRANSFORMERS or row.name not in table.differences:
        return []
    claimed: Literal["lower", "higher"] = (
        "higher" if paper.TRANSFORMERS[count] > paper.TRANSFORMERS["0"] else "lower"
    )
    interval = table.differences[row.name]["total"]
    return [
        _loss_claim(
            f"A tower with {count} transformer block{'' if count == '1' else 's'} has a {claimed} "
            f"total loss than one without: {paper.TRANSFORMERS[count]} against "
            f"{paper.TRANSFORMERS['0']}.",
            f"{numbers.signed_interval(interval)} beside none.",
            interval,
            claimed,
            min(row.trainings, table.rows[0].trainings),
        )
    ]


def _loss_claim(
    text: str,
    ours: str,
    interval: Interval | None,
    claimed: Literal["lower", "higher"],
    trainings: int,
) -> Claim:
    told = ours if trainings > 1 else f"{ours[:-1]}, over games alone: one training each."
    judgement = by_sign(interval, claimed) if trainings > 1 else "not settled"
    return Claim(text, told, BY_TRAININGS, judgement)


def _elo(games: Games) -> list[Claim]:
    """Planes and head in games at equal nodes, each beside v1 with mse."""
    old, new = PLANES
    texts = {
        corner(new, HEADS[0]): ("Planes v2 are stronger than v1", paper.ELO_INPUTS),
        corner(old, HEADS[1]): ("The head wdlp is stronger than mse", paper.ELO_HEAD),
        corner(new, HEADS[1]): ("Both together are stronger than neither", paper.ELO_BOTH),
    }
    found = []
    for duel in games.duels:
        if duel.first != CORNERS[0] or duel.second not in texts:
            continue
        text, published = texts[duel.second]
        ours = duel.elo.elo
        turned = Interval(0.0 - ours.value, 0.0 - ours.high, 0.0 - ours.low)
        several = games.trainings[duel.first] > 1
        found.append(
            Claim(
                text=f"{text}: {published} Elo.",
                ours=(
                    f"{numbers.elo_interval(turned)} Elo over {numbers.count(duel.games)} games of "
                    f"{games.trainings[duel.second]} x {games.trainings[duel.first]} trainings at "
                    f"{games.limit} a move; over games alone "
                    f"{numbers.elo_interval(_turned(duel.elo.elo_games_only))}."
                ),
                rule=f"{BY_ELO}; the interval counts trainings, and one settles nothing",
                judgement=by_sign(turned, "higher") if several else "not settled",
            )
        )
    return found


def _turned(interval: Interval) -> Interval:
    return Interval(0.0 - interval.value, 0.0 - interval.high, 0.0 - interval.low)


def _gradients(average: Sequence[Attribution]) -> list[Claim]:
    found = []
    for one in average:
        if one.answer == "value" and one.arm in (corner(PLANES[0], HEADS[1]), CORNERS[-1]):
            found += [_little(one, name) for name in (COLOUR, HISTORY) if name in one.shares]
            if one.new:
                found.append(_masks(one))
    return found


def _little(one: Attribution, name: str) -> Claim:
    """A group's share beside that of as many average planes."""
    even = _planes_of(one, name) / len(one.planes)
    share = one.shares[name]
    judgement: Judgement = "not settled"
    if share.high < even / 2:
        judgement = "agrees"
    elif share.low > even:
        judgement = "disagrees"
    subject = "the colour plane matters" if name == COLOUR else "the move history matters"
    return Claim(
        text=f"By integrated gradients {subject} little.",
        ours=(
            f"In {one.arm} it has {numbers.percent(share.value)} ({numbers.percent(share.low)} to "
            f"{numbers.percent(share.high)}) of the value’s attributions; an even share is "
            f"{numbers.percent(even)}."
        ),
        rule=(
            "agrees if the 95 % interval, over trainings and positions, lies below half of what as "
            "many average planes have, disagrees if it lies above all of it; the paper gives no "
            "number"
        ),
        judgement=judgement,
    )


def _planes_of(one: Attribution, name: str) -> int:
    planes = one.arm.partition("-")[0]
    game = "crazyhouse" if len(one.planes) in (34, 64) else "chess"
    return len(groups(game, planes)[name])


def _masks(one: Attribution) -> Claim:
    lows = [interval.low for interval in one.new.values()]
    highs = {name: interval.high for name, interval in one.new.items()}
    judgement: Judgement = "not settled"
    if min(lows) > 0:
        judgement = "agrees"
    elif min(highs.values()) < 0:
        judgement = "disagrees"
    ahead = [name for name, interval in one.new.items() if interval.value < 0]
    told = "no other group has a larger share per plane"
    if ahead:
        told = f"a larger share per plane: {', '.join(ahead)}"
    return Claim(
        text="Among the new planes the two masks of all pieces matter most.",
        ours=(
            f"In {one.arm} they have {numbers.percent(one.shares[MASKS].value)} of the value’s "
            f"attributions; {told}."
        ),
        rule=(
            "agrees if the masks have more, plane for plane, than every other new group by its "
            "95 % interval, disagrees if one has more than they"
        ),
        judgement=judgement,
    )


def _endings(endings: Endings, trainings: int) -> Claim:
    draws = endings.differences["draws"]
    wins = endings.differences["wins"]
    (before, after), (won, still) = (paper.ENDINGS[name] for name in ("draws", "wins"))
    return Claim(
        text=(
            "With v2 and wdlp the network sees drawn endings of opposite bishops as more drawn, "
            f"and won ones as before: mean |value| {before} to {after}, and {won} to {still}."
        ),
        ours=(
            f"Draws {numbers.signed_interval(draws)}, wins {numbers.signed_interval(wins)}, "
            "v2-wdlp less v1-mse, without search."
        ),
        rule=(
            "agrees if the 95 % interval of the draws’ difference, over trainings and endings, "
            "lies below zero, disagrees if above; one training settles nothing"
        ),
        judgement=by_sign(draws, "lower") if trainings > 1 else "not settled",
    )
