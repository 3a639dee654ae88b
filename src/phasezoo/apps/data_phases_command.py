"""``phasezoo data phases``: what a gate makes of a store, in tables and pictures."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge
from rich.console import Console
from rich.table import Table

from phasezoo.apps.stores import open_games, refuse_existing
from phasezoo.errors import InvalidConfig
from phasezoo.specs import Argument, PositiveInt

if TYPE_CHECKING:
    from phasezoo.data.phase_study import PhaseStudy
    from phasezoo.data.positions import PhaseTable

PHASES = "phases.png"
"""The picture that is always drawn."""


@dataclass(frozen=True)
class PhasesOptions:
    """Show what phases a store's games have: how many positions, how long, and what follows.

    With --fit the thresholds of a gate are chosen so that its phases have the same number of
    positions. With --out pictures are drawn: phases by ply, and measures of positions by ply, such
    as mixedness and pieces in chess.
    """

    store: Annotated[Path | None, Argument(positional=True)] = None
    """Folder or file of games; sample:GAME for those in the package; none: those of chess."""
    gate: str = "lichess"
    """Gate, such as lichess, lichess:engine, moves:3, material, mixedness, hash:3."""
    monotone: bool = False
    """Never go back to an earlier phase."""
    fit: Annotated[int, Ge(2)] | None = None
    """Choose the thresholds of a gate that is named without them (plies, material, mixedness) for
    so many phases of equal volume."""
    out: Path | None = None
    """Folder for pictures (PNG); none: none are drawn."""
    overwrite: bool = False
    """Replace pictures that are there."""
    seed: int = 0
    """Chooses the split into train, validation and test, and the games that are measured."""
    threads: PositiveInt | None = None
    """Threads (none: every usable core)."""

    def run(self) -> int:
        """Print the tables, and draw the pictures.

        Raises:
            InvalidConfig: An option is wrong.
            InvalidGate: There is no such gate, or it does not fit the game.
            MissingDependency: Pictures need matplotlib, which is not installed.
            StoreError: The store cannot be read, or there are pictures already.
        """
        from phasezoo import gating
        from phasezoo.data.phase_study import fitted_gate, study_phases

        if self.fit is not None and ":" in self.gate:
            message = f"--fit chooses thresholds: name the gate without them, not {self.gate!r}"
            raise InvalidConfig(message)
        if self.out is not None:  # before all that is counted
            refuse_existing([self.out / PHASES], overwrite=self.overwrite)
        store = open_games("sample" if self.store is None else self.store)
        spec = self.gate
        if self.fit is not None:
            spec = fitted_gate(store, spec, self.fit, seed=self.seed, threads=self.threads)
        gate = gating.make(spec, store.game.name, monotone=self.monotone)
        table = store.phase_table(gate, seed=self.seed, threads=self.threads)
        positions = store.positions(gate, threads=self.threads)
        study = study_phases(store, positions)
        name = "the sample games" if self.store is None else str(self.store)
        console = Console(file=sys.stdout)
        console.print(phase_table_view(table, f"{name}, gate {table.gate}"))
        console.print(duration_view(study))
        console.print(results_view(study))
        console.print(transitions_view(study))
        share = study.returning / max(study.num_games, 1)
        console.print(f"{study.returning:,} games ({share:.1%}) go back to an earlier phase")
        if self.out is not None:
            from phasezoo.apps.phase_pictures import draw_phases

            drawn = draw_phases(
                store, positions, self.out, seed=self.seed, overwrite=self.overwrite
            )
            for path in drawn:
                console.print(str(path), soft_wrap=True)
        return 0


def phase_table_view(table: "PhaseTable", title: str) -> Table:
    """The dataset table as rich prints it: per phase and split positions, and below them games."""
    view = Table(title=title, title_justify="left", caption="positions, below them games")
    view.add_column("phase")
    for split in (*table.splits, "share"):
        view.add_column(split, justify="right")
    phases = table.names if table.names == ("all",) else (*table.names, "all")
    total = table.count("all", "all").positions
    for phase in phases:
        if phase == "all":
            view.add_section()
        counts = [table.count(split, phase) for split in table.splits]
        share = counts[-1].positions / total if total else 0.0
        cells = [f"{count.positions:,}\n[dim]{count.games:,}[/]" for count in counts]
        view.add_row(phase, *cells, f"{share:.1%}", style="bold" if phase == "all" else "")
    return view


def duration_view(study: "PhaseStudy") -> Table:
    """How many games have each phase, from which ply, and for how long."""
    caption = "first ply and plies: mean ± standard deviation"
    view = Table(title="Games that have the phase", title_justify="left", caption=caption)
    for column in ("phase", "games", "share", "first ply", "plies"):
        view.add_column(column, justify="left" if column == "phase" else "right")
    for k, name in enumerate(study.names):
        view.add_row(
            name,
            f"{study.games[k]:,}",
            f"{study.games[k] / max(study.num_games, 1):.1%}",
            _mean(study.first[k, 0], study.first[k, 1]),
            _mean(study.plies[k, 0], study.plies[k, 1]),
        )
    return view


def results_view(study: "PhaseStudy") -> Table:
    """How the games end that have each phase."""
    players = study.wins.shape[1]
    two = ("first wins", "draws", "second wins")
    columns = two if players == 2 else (*(f"player {k}" for k in range(players)), "nobody")
    view = Table(title="Who wins these games", title_justify="left")
    view.add_column("phase")
    for column in columns:
        view.add_column(column, justify="right")
    for k, name in enumerate(study.names):
        wins, draws = study.wins[k].tolist(), float(study.draws[k])
        ends = (wins[0], draws, wins[1]) if players == 2 else (*wins, draws)
        view.add_row(name, *(_share(end) for end in ends))
    return view


def transitions_view(study: "PhaseStudy") -> Table:
    """Of the positions of each phase, the shares that are followed by each."""
    view = Table(title="Next position", title_justify="left", caption="shares of each row")
    view.add_column("from")
    for name in study.names:
        view.add_column(name, justify="right")
    for name, shares in zip(study.names, study.next_shares.tolist(), strict=True):
        view.add_row(name, *(_share(share, 2) for share in shares))
    return view


def _mean(mean: float, deviation: float) -> str:
    return "–" if mean != mean else f"{mean:.1f} ± {deviation:.1f}"


def _share(share: float, digits: int = 1) -> str:
    return "–" if share != share else f"{share:.{digits}%}"
