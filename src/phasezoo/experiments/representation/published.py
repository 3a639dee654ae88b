"""The paper's figures, and its claims: what we found, and whether the two agree, by a rule.

J. Czech and others, "Representation Matters", 2024. Its figures are as printed; nothing is computed
from them. Losses are totals on the test set of KingBase Lite 2019; latency is of a position on an
RTX 2070 through TensorRT, 64 a call.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.experiments.claims import BY_ELO, Side, by_sign, judged
from phasezoo.experiments.representation.config import (
    CORNERS,
    HEADS,
    PLANES,
    RepresentationConfig,
    corner,
    groups_of,
)
from phasezoo.experiments.representation.measurements import Games, Latency, Losses, Results
from phasezoo.experiments.representation.positions import (
    OUTCOMES,
    Attribution,
    Endings,
    groups,
)
from phasezoo.report import numbers
from phasezoo.report.document import Claim, Judgement
from phasezoo.zoo.boards.planes import HISTORY, MASKS, VIEWER

CITATION = (
    "J. Czech, J. Blüml, K. Kersting, H. Steingrimsson: “Representation Matters for Mastering "
    "Chess: Improved Feature Representation in AlphaZero Outperforms Switching to Transformers”, "
    "2024"
)


class Row(NamedTuple):
    """A row of Tables 4 and 5: ± is the spread over three seeds."""

    total: str
    accuracy: str
    value: str
    microseconds: float


INPUTS = {
    "v1": Row("1.1918 ± 0.0028", "58.63 ± 0.05 %", "0.4448 ± 0.0007", 52.08),
    "v2": Row("1.1901 ± 0.0049", "58.67 ± 0.17 %", "0.4371 ± 0.0002", 53.54),
}
"""Table 4, by input planes."""

VALUE_HEADS = {
    "mse": Row("1.1933 ± 0.0021", "58.50 ± 0.08 %", "0.4406 ± 0.0002", 53.35),
    "wdlp": Row("1.1901 ± 0.0051", "58.73 ± 0.12 %", "0.4356 ± 0.0006", 53.38),
}
"""Table 5, by value head."""

NETWORKS = {
    "AlphaZero 19x256": ("1.1673 ± 0.0040", "59.43 %", 68.25, "1.494 G"),
    "LeViT": ("1.2596 ± 0.0040", "56.93 %", 57.90, "0.413 G"),
    "Next-ViT": ("1.1725 ± 0.0040", "59.10 %", 54.59, "0.364 G"),
    "ViT, one patch of 8x8": ("1.6866 ± 0.0014", "47.40 %", 70.72, "20.82 M"),
    "AlphaVile large": ("1.1323", "60.20 %", 87.15, "0.508 G"),
    "AlphaVile normal": ("1.1531", "59.63 %", 67.18, "0.374 G"),
    "AlphaVile small": ("1.1861", "58.80 %", 49.66, "0.232 G"),
    "AlphaVile tiny": ("1.2193", "57.87 %", 38.92, "0.171 G"),
}
"""Table 7: total loss, policy accuracy, microseconds, multiply-adds."""

TRANSFORMERS = {"0": 1.1901, "1": 1.1920, "2": 1.1887, "3": 1.2061, "4": 1.2327}
"""Table 2: total loss by the number of transformer blocks."""

KERNELS = {"0 %": 1.2003, "25 %": 1.1802, "50 %": 1.1734, "75 %": 1.1852, "100 %": 1.1844}
"""Total loss by the share of 5x5 kernels."""

GRIDS = {
    "blocks": {"classical, 10x192": 1.2350, "mobile, 9x256": 1.2343, "Next-ViT, 10x256": 1.2411},
    "transformers": TRANSFORMERS,
    "kernels": KERNELS,
    "depths": {"18 blocks of 205 channels": 1.1901},
}
"""Total losses by table: Table 1 (kinds of block at equal latency), Table 2, 5x5 kernels, and the
best of the six of Table 9 (equal depth x width^1.6)."""

ELO_INPUTS = "+96.7 ± 30.4"
"""Of planes v2 over v1."""

ELO_HEAD = "+33.2 ± 19.0"
"""Of the head wdlp over mse."""

ELO_BOTH = "about +180"
"""Of both in chess; less in crazyhouse and atomic."""

ENDINGS = {"draws": (0.4472, 0.3988), "wins": (0.5192, 0.5186)}
"""Table 11: mean |value| of 15 draws and 5 wins, without and with v2 and wdlp."""

_BY_TRAININGS = (
    "agrees if the whole 95 % interval of the difference, over trainings first and games second, "
    "lies on the claim’s side of zero, disagrees if it lies on the other; one training settles "
    "nothing"
)

_LITTLE = 1.1
"""Times as long that still counts as hardly any longer; the paper's is 1.03."""


def claims_of(results: Results) -> list[Claim]:
    """Return every claim of the paper that a run can judge."""
    found = [*_representation(results.losses), _cost(results.latency)]
    found += [*_networks(results.losses, results.config), *_elo(results.games[0])]
    for one in results.gradients.average:
        if one.answer == "value" and one.arm in (corner(PLANES[0], HEADS[1]), CORNERS[-1]):
            names = [name for name in (VIEWER, HISTORY) if name in one.shares]
            found += [_little(one, name, results.config.game) for name in names]
            if one.new:
                found.append(_masks(one))
    if results.endings is not None:
        found.append(_drawn_endings(results.endings))
    return found


def _representation(losses: Losses) -> list[Claim]:
    effects = {one.name: one for one in losses.contrasts}
    trainings = min(row.trainings for row in losses.tables["corners"])
    found = []
    texts = (
        ("inputs", "value", "Planes v2 lower the value loss", INPUTS),
        ("inputs", "total", "Planes v2 lower the total loss, within its spread", INPUTS),
        ("heads", "value", "The head wdlp lowers the value loss", VALUE_HEADS),
        ("heads", "total", "The head wdlp lowers the total loss, within its spread",
         VALUE_HEADS),
    )  # fmt: skip
    for effect, metric, text, rows in texts:
        before, after = (getattr(row, metric) for row in rows.values())
        interval = effects[effect].metrics[metric]
        spread = effects[effect].deviation
        ours = f"{numbers.signed_interval(interval, 4)} on average over the other choice"
        if metric == "total" and spread is not None:
            ours += f"; standard deviation between trainings {numbers.decimal(spread, 4)}"
        claimed = f"{text}: {before} to {after}."
        found.append(_of_loss(claimed, f"{ours}.", interval, "lower", trainings))
    return found


def _cost(latency: Sequence[Latency]) -> Claim:
    """Return the time of planes v2 beside v1 in the largest calls, by every backend."""
    batch = max(one.batch for one in latency)
    times = {(one.arm, one.backend): one.microseconds for one in latency if one.batch == batch}
    old, new = (corner(planes, HEADS[-1]) for planes in PLANES)
    backends = list(dict.fromkeys(backend for _, backend in times))
    pairs = [(times[old, backend], times[new, backend]) for backend in backends]
    ours = "; ".join(
        f"{numbers.plain_interval(before, 1)} to {numbers.plain_interval(after, 1)} µs by {backend}"
        for backend, (before, after) in zip(backends, pairs, strict=True)
    )
    first, second = (row.microseconds for row in INPUTS.values())
    return Claim(
        text=f"Planes v2 cost hardly any time: {first:g} to {second:g} µs a position.",
        ours=f"{ours}, {batch} positions a call.",
        rule=(
            "agrees if the slowest round of v2 is at most 10 % above the fastest of v1 by every "
            "backend, disagrees if by one its fastest is more than 10 % above the slowest of v1"
        ),
        judgement=judged(
            agrees=all(after.high <= _LITTLE * before.low for before, after in pairs),
            disagrees=any(after.low > _LITTLE * before.high for before, after in pairs),
        ),
    )


def _networks(losses: Losses, config: RepresentationConfig) -> list[Claim]:
    """One network of a table beside the table's first, if that is the kind the claim is about."""
    found = []
    groups = groups_of(config)
    for name, part, base, text, side in _network_claims():
        rows = losses.tables.get(name, [])
        towers = [variant.tower for variant in groups.get(name, [])]
        others = list(zip(towers, rows, strict=True))[1:]
        if name == "transformers":
            others = others[-1:]
        row = next((row for tower, row in others if _is(tower, part)), None)
        if row is None or not _is(towers[0], base):
            continue
        first, interval = rows[0], row.to_first["total"]
        ours = f"{numbers.signed_interval(interval)} beside none."
        if name == "architectures":
            ours = f"{row.label} beside {first.label}: {numbers.signed_interval(interval)}."
        trainings = min(row.trainings, first.trainings)
        found.append(_of_loss(text, ours, interval, side, trainings))
    return found


def _is(tower: str, part: str) -> bool:
    """Whether a network's text has this family, or this number as an option (0 without it)."""
    head, _, text = tower.partition(":")
    name, _, number = part.partition("=")
    options = dict(one.split("=") for one in text.split(",") if one)
    return float(options.get(name, 0)) == float(number) if number else head.startswith(f"{name}-")


def _network_claims() -> Iterator[tuple[str, str, str, str, Side]]:
    """Table, parts of a network's and of the first's text, claim, and where it lies beside it."""
    patches, tower = (NETWORKS[name][0] for name in ("ViT, one patch of 8x8", "AlphaZero 19x256"))
    text = "A vision transformer with one patch for the board is far behind a residual tower"
    text = f"{text}: total loss {patches} against {tower}."
    yield "architectures", "patchvit", "resnet", text, "higher"
    none, half = KERNELS["0 %"], KERNELS["50 %"]
    text = f"Half of the kernels 5x5 is better than none: total loss {half} against {none}."
    yield "kernels", "wide=0.5", "wide=0", text, "lower"
    (_, none), *some = TRANSFORMERS.items()
    for count, loss in some:
        side: Side = "higher" if loss > none else "lower"
        blocks = f"{count} transformer block{'' if count == '1' else 's'}"
        text = f"A tower with {blocks} has a {side} total loss than one without: {loss} against"
        part, text = f"transformers={count}", f"{text} {none}."
        yield "transformers", part, "transformers=0", text, side


def _of_loss(
    text: str, ours: str, interval: Interval | None, claimed: Side, trainings: int
) -> Claim:
    if trainings == 1:
        ours = f"{ours[:-1]}, over games alone: one training each."
    return Claim(text, ours, _BY_TRAININGS, _by_trainings(interval, claimed, trainings))


def _by_trainings(interval: Interval | None, claimed: Side, trainings: int) -> Judgement:
    """One training settles nothing about a method."""
    return by_sign(interval, claimed) if trainings > 1 else "not settled"


def _elo(games: Games) -> list[Claim]:
    """Planes and head in games at equal nodes, each beside v1 with mse."""
    old, new = PLANES
    texts = {
        corner(new, HEADS[0]): ("Planes v2 are stronger than v1", ELO_INPUTS),
        corner(old, HEADS[1]): ("The head wdlp is stronger than mse", ELO_HEAD),
        corner(new, HEADS[1]): ("Both together are stronger than neither", ELO_BOTH),
    }
    found = []
    for pair in games.pairings:
        if pair.first != CORNERS[0] or pair.second not in texts:
            continue
        text, theirs = texts[pair.second]
        trainings = games.trainings[pair.first]
        found.append(
            Claim(
                text=f"{text}: {theirs} Elo.",
                ours=(
                    f"{pair.second} against {pair.first}: "
                    f"{numbers.elo_interval(-pair.elo.elo)} Elo over {numbers.count(pair.games)} "
                    f"games of {games.trainings[pair.second]} x {trainings} trainings at "
                    f"{games.limit} a move; over games alone "
                    f"{numbers.elo_interval(-pair.elo.elo_games_only)}."
                ),
                rule=f"{BY_ELO}; the interval counts trainings, and one settles nothing",
                judgement=_by_trainings(-pair.elo.elo, "higher", trainings),
            )
        )
    return found


def _little(one: Attribution, name: str, game: str) -> Claim:
    """Return a group's share beside that of as many average planes."""
    even = len(groups(game, one.arm.partition("-")[0])[name]) / len(one.planes)
    share = one.shares[name]
    subject = "the colour plane matters" if name == VIEWER else "the move history matters"
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
        judgement=judged(agrees=share.high < even / 2, disagrees=share.low > even),
    )


def _masks(one: Attribution) -> Claim:
    ahead = [name for name, interval in one.new.items() if interval.value < 0]
    others = "no other group has a larger share per plane"
    if ahead:
        others = f"a larger share per plane: {', '.join(ahead)}"
    return Claim(
        text="Among the new planes the two masks of all pieces matter most.",
        ours=(
            f"In {one.arm} they have {numbers.percent(one.shares[MASKS].value)} of the value’s "
            f"attributions; {others}."
        ),
        rule=(
            "agrees if the masks have more, plane for plane, than every other new group by its "
            "95 % interval, disagrees if one has more than they"
        ),
        judgement=judged(
            agrees=min(interval.low for interval in one.new.values()) > 0,
            disagrees=min(interval.high for interval in one.new.values()) < 0,
        ),
    )


def _drawn_endings(endings: Endings) -> Claim:
    draws, wins = (endings.differences[outcome] for outcome in OUTCOMES)
    (before, after), (won, still) = (ENDINGS[outcome] for outcome in OUTCOMES)
    trainings = min(len(endings.values[name]) for name in CORNERS)
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
        judgement=_by_trainings(draws, "lower", trainings),
    )
