"""The dataset as numbers: games and positions per split and phase, and where phases begin."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from phasezoo.experiments.m2cts.duel.preparation import Prepared
from phasezoo.experiments.m2cts.duel.results import Dataset, PhaseStart, Split
from phasezoo.training.positions import PositionTable

__all__ = ["describe"]


def describe(prepared: Prepared) -> Dataset:
    """Count what the report shows of the games."""
    tables = list(prepared.tables.values())
    nothing = [0] * len(prepared.phases)
    return Dataset(
        source=prepared.source,
        sha256=prepared.sha256,
        game=prepared.config.game,
        gate=prepared.gate,
        phases=list(prepared.phases),
        splits=[
            Split(
                name=name,
                games=len(getattr(prepared.splits, name)),
                positions=table.positions_per_phase().tolist(),
                reaching=table.games_per_phase().tolist(),
                removed=prepared.removed if name == "test" else nothing,
                results=_results(getattr(prepared.splits, name).returns[:, 0]),
            )
            for name, table in prepared.tables.items()
        ],
        starts=[_start(tables, phase) for phase in range(len(prepared.phases))],
        by_move=_by_move(tables, len(prepared.phases)),
        openings=len(prepared.openings),
        openings_dropped=prepared.openings_dropped,
        openings_digest=prepared.openings.digest(),
    )


def _results(white: npt.NDArray[np.float32]) -> tuple[int, int, int]:
    return int((white > 0).sum()), int((white == 0).sum()), int((white < 0).sum())


def _start(tables: Sequence[PositionTable], phase: int) -> PhaseStart | None:
    """The move number of each game's first position of a phase."""
    firsts = []
    for table in tables:
        rows = table.phase == phase
        # Rows lie game by game in order of plies, so the first of a game is its first in the phase.
        _, first = np.unique(table.game[rows], return_index=True)
        firsts.append(table.ply[rows][first] // 2 + 1)
    moves = np.concatenate(firsts)
    if len(moves) == 0:
        return None
    return PhaseStart(float(moves.mean()), float(moves.std()), len(moves))


def _by_move(tables: Sequence[PositionTable], phases: int) -> list[list[int]]:
    move = np.concatenate([table.ply // 2 for table in tables]).astype(np.int64)
    phase = np.concatenate([table.phase for table in tables]).astype(np.int64)
    length = int(move.max(initial=0)) + 1
    counts = np.bincount(phase * length + move, minlength=phases * length)
    return [row.tolist() for row in counts.reshape(phases, length)]
