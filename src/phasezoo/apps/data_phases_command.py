"""``phasezoo data phases``: what a gate makes of a store, in tables and pictures."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from phasezoo.apps.stores import refuse_existing
from phasezoo.errors import InvalidConfig, InvalidGate, about
from phasezoo.report import numbers
from phasezoo.report.console import TerminalConsole, show_table
from phasezoo.report.document import Column, Table, columns_by, literal
from phasezoo.specs import Argument, NonNegativeInt, PositiveUInt16

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
    seed: NonNegativeInt = 0
    """Chooses the split into train, validation and test, and the games that are measured."""
    threads: PositiveUInt16 | None = None
    """Threads (none: every usable core)."""

    def run(self) -> int:
        """Print the tables, and draw the pictures."""
        from phasezoo import gating
        from phasezoo.data.phase_study import fitted_gate, study_phases
        from phasezoo.data.store import GameStore

        if self.fit is not None and ":" in self.gate:
            message = f"--fit chooses thresholds: name the gate without them, not {self.gate!r}"
            raise InvalidConfig(message)
        if self.out is not None:  # before all that is counted
            refuse_existing([self.out / PHASES], overwrite=self.overwrite, makes_folder=True)
        store = GameStore.open("sample" if self.store is None else self.store)
        spec = self.gate
        if self.fit is not None:
            spec = fitted_gate(store, spec, self.fit, seed=self.seed, threads=self.threads)
        default = " (the default)" if spec == type(self).gate else ""
        with about(f"--gate {spec}{default}", InvalidGate):
            gate = gating.make(spec, store.game.name, monotone=self.monotone)
        table = store.phase_table(gate, seed=self.seed, threads=self.threads)
        positions = store.positions(gate, threads=self.threads)
        study = study_phases(store, positions)
        name = "the sample games" if self.store is None else str(self.store)
        console = TerminalConsole()
        title = literal(f"{name}, gate {table.gate}")
        for view in (phase_table_view(table, title), *study_views(study)):
            show_table(view, console)
        share = numbers.percent(study.returning / max(study.num_games, 1))
        console.note(f"{study.returning:,} games ({share}) go back to an earlier phase")
        if self.out is not None:
            from phasezoo.apps.phase_pictures import draw_phases

            drawn = draw_phases(
                store, positions, self.out, seed=self.seed, overwrite=self.overwrite
            )
            for path in drawn:
                console.note(str(path))
        return 0


def phase_table_view(table: "PhaseTable", title: str) -> Table:
    """The positions of each phase and split, and below them the games."""
    total = table.count("all", "all").positions

    def share(phase: str) -> float:
        return table.count("all", phase).positions / total if total else 0.0

    splits = columns_by(
        table.splits,
        lambda phase, split: table.count(split, phase).positions,
        numbers.count,
        below=lambda phase, split: numbers.count(table.count(split, phase).games),
    )
    phases = table.names if table.names == ("all",) else (*table.names, "all")
    columns = [Column("phase", str), *splits, Column("share", share, numbers.percent)]
    return Table("phases", columns, phases, title, note="Positions, then games.")


def study_views(study: "PhaseStudy") -> list[Table]:
    """How long each phase lasts, how the games end that have it, and what follows it."""
    phases = range(len(study.names))
    name = Column("phase", lambda k: study.names[k])
    lengths = [
        name,
        Column("games", lambda k: study.games[k], numbers.count),
        Column("share", lambda k: study.games[k] / max(study.num_games, 1), numbers.percent),
        Column("first ply", lambda k: study.first[k], _mean),
        Column("plies", lambda k: study.plies[k], _mean),
    ]
    players = study.wins.shape[1]
    two = ("first wins", "second wins", "draws")
    heads = two if players == 2 else (*(f"player {k}" for k in range(players)), "nobody")
    ends = columns_by(
        range(players + 1),
        lambda k, end: study.wins[k][end] if end < players else study.draws[k],
        numbers.percent,
        head=heads.__getitem__,
    )
    following = columns_by(
        phases,
        lambda k, after: study.next_shares[k][after],
        partial(numbers.percent, digits=2),
        head=study.names.__getitem__,
    )
    return [
        Table("lengths", lengths, phases, "Games that have the phase",
              note="First ply and plies: mean ± standard deviation."),
        Table("results", [name, *ends], phases, "Who wins these games"),
        Table("transitions", [replace(name, head="from"), *following], phases, "Next position",
              note="Shares of each row."),
    ]  # fmt: skip


def _mean(found: Any) -> str:
    mean, deviation = found
    return numbers.ABSENT if mean != mean else f"{mean:.1f} ± {deviation:.1f}"
