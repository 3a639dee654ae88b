"""Made-up results of the study, of every outcome, for tests of the report."""

import numpy as np

from phasezoo.arena.statistics.elo import los, pentanomial_elo, trinomial_elo
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.boundaries import near_boundaries
from phasezoo.data.positions import PositionTable
from phasezoo.experiments.two_player.boundary import Answers, boundaries_of
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.cost import CallCost, Cost, GateCost, Size
from phasezoo.experiments.two_player.losses import ALL, METRICS, Cell, Comparison, Entry, Losses
from phasezoo.experiments.two_player.matches import Matches, MatchSide, Pairing, Results, VariantRow
from phasezoo.experiments.two_player.overfitting import GapRow, Overfitting
from phasezoo.experiments.two_player.preparation import Dataset, PhaseStart, Split
from phasezoo.inference.recalibration import Recalibration
from phasezoo.runs.provenance import Provenance
from phasezoo.training.experts.planned import LossCurve, TrainedNetwork

PHASES = ["opening", "middlegame", "endgame"]
ELO_CASES = ("higher", "lower", "unclear", "all won", "all lost")
LOSS_CASES = ("higher", "lower", "unclear", "none")

# Pairs of games scoring 0, 1/2, 1, 3/2, 2.
PENTANOMIAL = {
    "higher": [4, 10, 30, 30, 26],
    "lower": [26, 30, 30, 10, 4],
    "unclear": [12, 20, 36, 20, 12],
    "all won": [0, 0, 0, 0, 100],
    "all lost": [100, 0, 0, 0, 0],
}


def dataset(phases=PHASES, source="the 21,000 games in the package"):
    rng = np.random.default_rng(3)
    moves = np.arange(1, 121)
    centres = np.linspace(4, 60, len(phases))
    by_move = [
        (4e4 * np.exp(-(((moves - c) / 18) ** 2)) + rng.integers(0, 60, 120)).astype(int)
        for c in centres
    ]
    splits = [
        Split(
            name=name,
            games=games,
            positions=[games * (34 + 3 * i) for i in range(len(phases))],
            reaching=[games - 20 * i for i in range(len(phases))],
            removed=[0 if name == "train" else 321 - 100 * i for i in range(len(phases))],
            results=(games // 2, games - games // 2 - games // 3, games // 3),
        )
        for name, games in (("train", 16_800), ("validation", 2_100), ("test", 2_100))
    ]
    return Dataset(
        source=source,
        sha256="9f" * 32,
        game="chess",
        gate="lichess:classic",
        phases=list(phases),
        splits=splits,
        starts=[PhaseStart(1.0 + 11 * i, 3.2, 20_000) for i in range(len(phases))],
        by_move=[row.tolist() for row in by_move],
        openings=498,
        openings_dropped=2,
        openings_digest="0123456789abcdef",
    )


def curve(seed, positions=110_000, end=3.1, phases=()):
    rng = np.random.default_rng(seed)
    x = np.linspace(256, positions, 300).astype(int)
    y = end + 4 * np.exp(-x / (positions / 6)) + rng.normal(0, 0.12, 300)
    measured = y[29::30] + 0.05
    return LossCurve(
        x.tolist(),
        y.tolist(),
        x[29::30].tolist(),
        measured.tolist(),
        {phase: (measured + 0.1 * i).tolist() for i, phase in enumerate(phases)},
        {phase: (measured / 10).tolist() for phase in phases},
    )


def networks(trainings=1, phases=PHASES):
    made = []
    for k in range(trainings):
        parts = [("baseline", None)]
        parts += [("expert", p) for p in phases]
        parts += [("placebo", f"part {i}") for i in range(len(phases))]
        for i, (role, phase) in enumerate(parts):
            seen = 330_000 if role == "baseline" else 330_000 // len(phases)
            made.append(
                TrainedNetwork(
                    name=f"{role}{'' if phase is None else '-' + phase}-{k + 1}".replace(" ", "-"),
                    role=role,
                    training=k,
                    phase=phase,
                    gate="none" if role == "baseline" else "lichess:classic",
                    architecture="rise-32x4",
                    parameters=612_345,
                    positions=seen,
                    unique_positions=seen,
                    epochs=0.2,
                    updates=seen // 256,
                    seconds=seen / 5000,
                    validation_loss=3.2 + 0.05 * i,
                    curve=curve(10 * k + i, seen, 3.0 + 0.05 * i, phases),
                )
            )
    return made


def differences(shift, half=0.012):
    if shift is None:
        return dict.fromkeys(METRICS)
    total = Interval(shift, shift - half, shift + half)
    accuracy = Interval(-shift / 8, -shift / 8 - half / 8, -shift / 8 + half / 8)
    values = (total, total, Interval(shift / 9, -0.004, 0.05), accuracy)
    return dict(zip(METRICS, values, strict=True))


def losses(specialisation="lower", thinning="higher", phases=PHASES, trainings=1):
    shifts = {"higher": 0.09, "lower": -0.05, "unclear": 0.003, "none": None}
    gain, cost = shifts[specialisation], shifts[thinning]
    both = None if None in (gain, cost) else gain + cost
    columns = [*phases, ALL]

    def cell(total):
        if total is None:
            return Cell(0, None, None, None, None)
        return Cell(4_000, total, total * 1.005, 0.71, 0.36 - total / 20)

    rows = [(f"{p} expert", "expert", p, 0.9) for p in phases]
    rows += [("phase mixture", "mixture", None, both), ("placebo mixture", "placebo", None, cost)]
    entries = []
    for name, role, phase, shift in rows:
        per = {c: (both if phase in (None, c) and role != "placebo" else shift) for c in columns}
        entries.append(
            Entry(
                name,
                role,
                phase,
                {c: cell(None if s is None else 3 + s) for c, s in per.items()},
                {c: differences(s, 0.012 if abs(s or 0) < 0.5 else 0.1) for c, s in per.items()},
            )
        )
    base = None if both is None else 3.0
    entries.append(Entry("one network", "baseline", None, {c: cell(base) for c in columns}, {}))
    comparisons = [
        Comparison(name, {c: differences(shift) for c in columns}, 0.011 if trainings > 1 else None)
        for name, shift in (("thinning", cost), ("specialisation", gain), ("both", both))
    ]
    return Losses(columns, 500, 2000, entries, comparisons)


def pairing(pentanomial, mixture=0, baseline=0, duplicates=1):
    scores = [s / 4 for s, n in enumerate(pentanomial) for _ in range(n)]
    wins = 2 * pentanomial[4] + pentanomial[3]
    lost = 2 * pentanomial[0] + pentanomial[1]
    games = 2 * sum(pentanomial)
    return Pairing(
        mixture=mixture,
        baseline=baseline,
        games=games,
        wins=wins,
        draws=games - wins - lost,
        losses=lost,
        pentanomial=list(pentanomial),
        elo=pentanomial_elo(scores),
        elo_trinomial=trinomial_elo(wins, games - wins - lost, lost),
        los=los(scores),
        sides=(
            MatchSide(512_345, calls=24_000, seconds=21.5, name="M2CTS", nodes=512_345),
            MatchSide(511_111, calls=8_100, seconds=18.2, name="MCTS", nodes=511_111),
        ),
        reasons={"checkmate": wins + lost - 20, "threefold_repetition": 21, "max_plies": 14},
        duplicates=duplicates,
        mean_plies=131.4,
        seconds=61.0,
    )


def matches(case="lower", trainings=1):
    if trainings == 1:
        return Matches("50 nodes a move", [pairing(PENTANOMIAL[case])])
    rng = np.random.default_rng(5)
    shares = np.array(PENTANOMIAL[case]) / 100
    pairings = [
        pairing(rng.multinomial(50, shares).tolist(), i, j)
        for i in range(trainings)
        for j in range(trainings)
    ]
    return Matches("50 nodes a move", pairings)


def arms(case="lower", trainings=1):
    played = matches(case, trainings)
    loss = Interval(0.1, 0.05, 0.15)
    return [
        VariantRow("phase mixture", "lichess", "separated", 3, 300_000, loss, played),
        VariantRow("placebo mixture", "hash:3", "separated", 3, 300_000, None, None),
        VariantRow("staged mixture", "lichess", "staged", 3, 300_000, loss, played),
    ]


def seam(phases=PHASES, trainings=1, games=30, plies=60):
    """What made-up networks leave where phases of equal length meet."""
    rng = np.random.default_rng(7)
    length = -(-plies // len(phases))
    game, ply = (column.ravel() for column in np.mgrid[:games, :plies])
    rows = PositionTable(
        game=game.astype(np.int32),
        ply=ply.astype(np.int32),
        player=(ply % 2).astype(np.int8),
        phase=(ply // length).astype(np.int8),
        key=np.arange(len(game), dtype=np.uint64),
        names=tuple(phases),
    )
    near = near_boundaries(rows, rows)
    result = np.where(ply % 2, -1, 1) * np.repeat(rng.integers(-1, 2, games), plies)

    def answers():
        one = np.tanh(result + rng.normal(0, 0.8, len(rows)))
        experts = np.tanh(result + rng.normal(0, 1.0, (len(phases), len(rows))))
        wdl = np.stack([(1 + one) / 2, np.zeros(len(rows)), (1 - one) / 2], axis=-1)
        chance = np.broadcast_to(wdl, (len(phases), *wdl.shape))
        placebo = np.tanh(rng.normal(0, 1.0, (max(2, len(phases)), len(near))))
        maps = [Recalibration(0.8, 0.01, 500)] * len(phases)
        return Answers(experts, one, chance, wdl, placebo, maps, maps)

    made = [answers() for _ in range(trainings)]
    return boundaries_of(phases, rows, near, result.astype(np.float32), made, rng, 100)


def cost():
    """What made-up networks cost."""
    sizes = [
        Size("one network", 1, 612_345, 612_345, 2_460_000),
        Size("phase mixture", 3, 1_837_035, 612_345, 7_380_000),
    ]
    asked = [("one network", None, 1), ("phase mixture", "majority", 1)]
    asked += [("phase mixture", "exact", 3), ("phase mixture", "soft", 3)]
    calls = [
        CallCost(
            name, routing, batch, networks, batch, Interval(networks * 0.7, 0.6, 3.0),
            Interval(networks, 0.9, 3.1),
        )
        for batch in (1, 64)
        for name, routing, networks in asked
    ]  # fmt: skip
    gate = [GateCost(batch, Interval(0.1, 0.1, 0.2), Interval(0.1, 0.1, 0.3)) for batch in (1, 64)]
    return Cost("CPU time of one thread", 6, sizes, calls, gate)


def overfitting(phases=PHASES):
    rows = []
    for i, phase in enumerate(phases):
        gap, more = Interval(0.1, 0.08, 0.12), Interval(0.05 * (1 - i), -0.03, 0.07)
        rows.append(GapRow("one network", phase, 30_000.0, 2.9, 3.0, gap, None))
        rows.append(GapRow(f"{phase} expert", phase, 10_000.0, 2.8, 3.0, gap, more))
    return Overfitting(4096, rows)


def results(
    elo="lower", specialisation="lower", thinning="higher", trainings=1, phases=PHASES, **overrides
):
    made = {
        "config": M2ctsConfig(trainings=trainings),
        "command": "phasezoo reproduce m2cts --preset quick --out runs/first --seed 1",
        "date": "2026-11-21",
        "provenance": Provenance(
            packages={"phasezoo": "0.3.0", "torch": "2.13.0", "onnxruntime": None},
            python="3.11.7",
            revision="0123456789abcdef",
            system="Linux 6.1 x86_64",
            processor="Example CPU at 2.0 GHz",
            cores=2,
            memory_gib=15.6,
            threads=2,
            devices=[],
        ),
        "seeds": {"run": 1, "split": 123, "training 1": 456},
        "dataset": dataset(phases),
        "networks": networks(trainings, phases),
        "losses": losses(specialisation, thinning, phases, trainings),
        "matches": matches(elo, trainings),
        "variants": arms(elo, trainings),
        "alone": [],
        "from_phases": [],
        "searches": [],
        "learned": None,
        "overfitting": overfitting(phases),
        "exact": None,
        "boundaries": seam(phases, trainings),
        "cost": cost(),
        "seconds": {"data": 4.2, "training": 201.0, "losses": 21.0, "match": 61.3},
    }
    return Results(**(made | overrides))
