"""The endings of opposite-coloured bishops (Table 11), seen by networks and by searches."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from phasezoo import games, inference
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.arena import stream
from phasezoo.arena.elo import Interval
from phasezoo.experiments.representation.arms import CORNERS
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.results import EndingRow, Endings
from phasezoo.experiments.statistics import over_trainings

__all__ = ["ENDINGS_SHOWN", "OUTCOMES", "Ending", "compared", "read_endings", "values_of"]

ENDINGS_SHOWN = {2: "Fig. 7", 20: "Fig. 8"}
"""Rows whose planes and squares are attributed, and the paper's figures that show them."""

OUTCOMES = ("draws", "wins")
"""What the endings are: somebody wins, whoever it is, or nobody."""


@dataclass(frozen=True)
class Ending:
    """A row of Table 11 that is a position."""

    row: int
    """Its place in the table, from 1."""
    fen: str
    """The position, mended if it was not printed whole."""
    outcome: str
    """One of :data:`OUTCOMES`."""
    default: float
    """What the paper's network without v2 and wdlp says, for the player to move."""
    improved: float
    """What the one with both says."""
    mended: str
    """What was missing and put in; empty if nothing was."""


def read_endings() -> list[Ending]:
    """The rows of Table 11 that are positions, in their order.

    Row 16 is left out: a rank and a square of another are missing, and nothing tells which.
    """
    text = resources.files(__package__).joinpath("endings.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [
        Ending(
            row=int(row["row"]),
            fen=row["fen"],
            outcome="draws" if row["truth"] == "draw" else "wins",
            default=float(row["default"]),
            improved=float(row["improved"]),
            mended=row["mended"] or "",
        )
        for row in csv.DictReader(lines, delimiter="\t")
    ]


def values_of(path: Path, config: RepresentationConfig) -> tuple[list[float], list[float]]:
    """What a network, and a search with it, expect of every ending for the player to move.

    Args:
        path: The network's directory.
        config: The settings.
    """
    chess = games.make("chess")
    states = [chess.from_fen(ending.fen) for ending in read_endings()]
    evaluator = inference.load(path, device=config.device, threads=config.threads)
    alone = evaluator.evaluate(games.encode(states, evaluator.plane_spec)).values()
    agent = MCTSAgent(
        evaluator,
        limit=Limit(nodes=config.ending_nodes),
        batch_size=config.search_batch,
        game="chess",
        seed=stream(config.seed, "endings"),
        threads=config.threads,
    )
    return [float(value) for value in alone], [float(agent.search(s).value) for s in states]


def compared(
    values: Mapping[str, Sequence[tuple[list[float], list[float]]]], config: RepresentationConfig
) -> Endings:
    """Means of |value| by arm and outcome, and v2 with wdlp beside v1 with mse.

    Args:
        values: By arm, what :func:`values_of` found of each training.
        config: The settings.
    """
    endings = read_endings()
    rows, differences = [], {}
    for outcome in OUTCOMES:
        which = [index for index, ending in enumerate(endings) if ending.outcome == outcome]
        rng = np.random.default_rng(stream(config.seed, "endings", outcome))
        chances = np.full(len(which), 1 / len(which))
        weights = rng.multinomial(len(which), chances, size=config.resamples) / len(which)
        sizes = {
            name: np.abs(np.array(found))[:, :, which] for name, found in values.items()
        }  # float64[K, 2, endings]
        for name, size in sizes.items():
            alone, searched = (_mean(size[:, place], weights) for place in (0, 1))
            rows.append(EndingRow(name, outcome, alone, searched))
        first, last = (sizes[name][:, 0] for name in (CORNERS[0], CORNERS[-1]))
        pairs = min(len(first), len(last))
        differences[outcome] = _mean(last[:pairs] - first[:pairs], weights)
    return Endings(
        nodes=config.ending_nodes,
        values={name: [list(one[0]) for one in found] for name, found in values.items()},
        searched={name: [list(one[1]) for one in found] for name, found in values.items()},
        rows=rows,
        differences=differences,
    )


def _mean(sizes: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> Interval:
    """The mean over trainings and endings, of ``float64[K, endings]``."""
    found = over_trainings(sizes.mean(axis=1), weights @ sizes.T, games=sizes.shape[1])
    assert found is not None  # values are finite
    return found
