"""Pictures of phases: their shares by ply, and what can be measured of positions by ply."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.apps.stores import refuse_existing
from phasezoo.data.positions import PositionTable
from phasezoo.data.store import GameStore
from phasezoo.errors import StoreError
from phasezoo.report.plots import INK, MUTED, axes, entitle, ordered_colours, to_png
from phasezoo.runs.files import MAKE_ROOM, save_files

_MEASURED_GAMES = 500
"""Games whose positions are measured: their means by ply are steady then."""

_FEWEST = 0.02
"""The least share of the games that must still be played at a ply for it to be drawn."""

_DOTS_PER_INCH = 150


def draw_phases(
    store: GameStore,
    table: PositionTable,
    folder: Path,
    *,
    seed: int = 0,
    overwrite: bool = False,
) -> list[Path]:
    """Draw pictures into a folder, which is made if it is not there.

    ``phases.png``: the share of each phase in the positions of each ply. For each number that the
    game's positions have (such as mixedness) a picture of its mean and standard deviation by ply,
    and of its distribution in each phase.

    Returns:
        The files.
    """
    figures = {"phases": _phases_figure(table)}
    if store.game.measures is not None:
        some = np.sort(np.random.default_rng(seed).permutation(len(store))[:_MEASURED_GAMES])
        rows, values = measured(store, table, some)
        figures |= {
            name.lower().replace("'", "").replace(" ", "-"): _measure_figure(
                name, table.ply[rows], table.phase[rows], column, table.names
            )
            for name, column in values.items()
        }
    paths = [folder / f"{name}.png" for name in figures]
    refuse_existing(paths, overwrite=overwrite, makes_folder=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder} cannot be written ({error.strerror}): {MAKE_ROOM}"
        raise StoreError(message) from error
    pictures = [to_png(figure, _DOTS_PER_INCH) for figure in figures.values()]
    save_files(dict(zip(paths, pictures, strict=True)), StoreError)
    return paths


def measured(
    store: GameStore, table: PositionTable, games: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], dict[str, npt.NDArray[np.float64]]]:
    """Return the measures of the positions of some games.

    Returns:
        ``int64[P]``: their rows in the table, and ``float64[P]`` for each number by its name.
    """
    rows = np.flatnonzero(np.isin(table.game, games))
    found: list[Any] = []
    last, states = -1, []
    for game, ply in zip(table.game[rows].tolist(), table.ply[rows].tolist(), strict=True):
        if game != last:
            last, states = game, store.records.states(game)
        found.append(store.game.measures(states[ply]) if store.game.measures else {})
    names = list(found[0]) if found else []
    return rows, {name: np.array([values[name] for values in found]) for name in names}


def _phases_figure(table: PositionTable) -> Any:
    counts = np.zeros((int(table.ply.max(initial=0)) + 1, len(table.names)))
    np.add.at(counts, (table.ply, table.phase), 1)
    counts = counts[: _last_ply(counts.sum(axis=1)) + 1]
    total = counts.sum(axis=1)
    shares = counts / np.maximum(total, 1)[:, None]
    figure, (plot, left) = axes(7.6, 5.2, rows=2, sharex=True, height_ratios=(3, 1))
    colours = ordered_colours(len(table.names))
    plies = np.arange(len(counts))
    plot.stackplot(plies, shares.T, labels=table.names, colors=colours, linewidth=0)
    plot.set(ylim=(0, 1), xlim=(0, max(len(counts) - 1, 1)))
    plot.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    entitle(plot, f"Phases by ply ({table.gate})")
    plot.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8, reverse=True)
    left.plot(plies, total, color=INK, linewidth=1.4)
    left.set(ylim=(0, None))
    left.set_xlabel("ply", color=MUTED)
    left.set_ylabel("positions", color=MUTED)
    return figure


def _measure_figure(
    name: str,
    ply: npt.NDArray[np.int32],
    phase: npt.NDArray[np.int8],
    values: npt.NDArray[np.float64],
    names: tuple[str, ...],
) -> Any:
    figure, (by_ply, spread) = axes(9.6, 3.6, columns=2, width_ratios=(3, 2))
    last = _last_ply(np.bincount(ply))
    at = [values[ply == k] for k in range(last + 1)]
    mean = np.array([own.mean() if len(own) else np.nan for own in at])
    deviation = np.array([own.std() if len(own) else np.nan for own in at])
    plies = np.arange(last + 1)
    colour = ordered_colours(3)[2]
    band = {"color": colour, "alpha": 0.2, "linewidth": 0, "label": "± standard deviation"}
    by_ply.fill_between(plies, np.maximum(mean - deviation, 0), mean + deviation, **band)
    by_ply.plot(plies, mean, color=colour, linewidth=1.8, label="mean")
    by_ply.set(xlim=(0, max(last, 1)), ylim=(0, None))
    by_ply.set_xlabel("ply", color=MUTED)
    by_ply.legend(frameon=False, fontsize=8)
    entitle(by_ply, f"{name[:1].upper()}{name[1:]} by ply")
    steps = _steps(values)
    for k, shade in enumerate(ordered_colours(len(names))):
        own = values[phase == k]
        if len(own):
            weights = np.full(len(own), 1 / len(own))
            options = {"color": shade, "label": names[k], "linewidth": 1.8, "histtype": "step"}
            spread.hist(own, bins=steps, weights=weights, **options)
    spread.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    spread.set_xlabel(name, color=MUTED)
    spread.legend(frameon=False, fontsize=8)
    entitle(spread, "In each phase")
    return figure


def _last_ply(games: npt.NDArray[Any]) -> int:
    """The last ply that enough of the games reach."""
    reached = np.flatnonzero(games >= _FEWEST * games.max(initial=0))
    return int(reached[-1]) if len(reached) else 0


def _steps(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Edges of a histogram, one whole number a bar if there are few of them."""
    low, high = float(values.min(initial=0)), float(values.max(initial=1))
    if high - low <= 40:
        return np.arange(low, high + 2) - 0.5
    return np.linspace(low, high, 41)
