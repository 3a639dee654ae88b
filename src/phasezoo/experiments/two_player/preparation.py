"""Games of a run: loaded, split, labelled and described, and the openings of its matches."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from phasezoo import games, gating, inference
from phasezoo.arena import OpeningSuite, stream
from phasezoo.arena.opening_choice import openings_at_phase, unseen_openings
from phasezoo.arena.openings import as_suite, draws_starts
from phasezoo.data.positions import PositionTable, without_seen
from phasezoo.data.splits import PositionStore, Splits
from phasezoo.errors import InvalidConfig, InvalidGate, StoreError, about
from phasezoo.experiments.games_file import check_split, check_unseen, read_games
from phasezoo.experiments.matches import check_two_players
from phasezoo.experiments.networks import check_networks
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.variants import PLACEBO, Variant, variants_of
from phasezoo.gating.registry import AnyGate
from phasezoo.inference.backends.choice import Loading, chosen
from phasezoo.report import numbers
from phasezoo.report.console import Console
from phasezoo.training.experts.strategies import STRATEGIES

if TYPE_CHECKING:
    from phasezoo.training.fresh_network import Beginning


def load(config: M2ctsConfig, path: Path) -> Any:
    """The network in a directory, as the settings say it is run."""
    return inference.load(
        path,
        backend=config.backend,
        device=config.device,
        threads=config.threads,
        dtype=config.dtype,
    )


def loader(config: M2ctsConfig) -> Callable[[Path], Any]:
    """Return :func:`load` for these settings, which loads each network once.

    Phases that share a network share what is loaded, so that it is called once.
    """
    return cache(partial(load, config))


def limit_text(config: M2ctsConfig) -> str:
    """Return what bounds a move of both sides, in words."""
    if config.movetime is not None:
        return f"{config.movetime:g} ms"
    return f"{numbers.count(config.nodes)} nodes"


def search_options(config: M2ctsConfig) -> dict[str, Any]:
    """Return the options of both sides' search."""
    return {
        "config": config.search_config(),
        "limit": config.limit(),
        "batch_size": config.search_batch,
        "game": config.game,
        "threads": config.threads,
    }


_SHARES = (0.8, 0.2, 0.0)
"""Of the validation games, for learning, for choosing among epochs, and left over."""


def games_of_gates(splits: Splits, seed: int) -> tuple[PositionStore, PositionStore]:
    """The validation games that a gate learns from, and those that it is chosen by."""
    parts = splits.validation.split(seed, _SHARES)
    return parts.train, parts.validation


def check_games(config: M2ctsConfig, splits: Splits, seed: int) -> None:
    """Refuse games that leave a gate nothing to learn from, or to be chosen by."""
    if config.learned_gate and min(map(len, games_of_gates(splits, seed))) == 0:
        message = (
            f"--learned-gate: a gate learns from validation games, and there are only "
            f"{len(splits.validation)}; give more games with --games, or leave the option out"
        )
        raise StoreError(message)


@dataclass(frozen=True)
class Split:
    """One of train, validation and test; its lists are by phase."""

    name: str
    games: int
    positions: list[int]
    reaching: list[int]
    """Games that have a position of the phase."""
    removed: list[int]
    """Positions that were taken out because they occur in train."""
    results: tuple[int, int, int]
    """Games won by the first player, drawn, won by the second."""


@dataclass(frozen=True)
class PhaseStart:
    """The move number at which a phase begins, over the games that reach it."""

    mean: float
    deviation: float
    games: int


@dataclass(frozen=True)
class Dataset:
    """The games and how the gate divides them."""

    source: str
    """Where the games come from, for people."""
    sha256: str
    game: str
    gate: str
    """The gate in its full spelling."""
    phases: list[str]
    """Their names, in order of play if there is one."""
    splits: list[Split]
    starts: list[PhaseStart | None]
    """Where each phase begins; None for a phase that no game reaches."""
    by_move: list[list[int]]
    """Positions by phase and move number, ``[phase][move - 1]``."""
    openings: int
    """Openings the match may use."""
    openings_dropped: int
    """Openings left out because their last position occurs in the games."""
    openings_digest: str
    """Short hash of the openings that are left."""


@dataclass(frozen=True)
class Prepared:
    """The games, split and labelled, and what else a run of a configuration works with."""

    config: M2ctsConfig
    """The settings."""
    source: str
    """Where the games come from, for people."""
    sha256: str
    """Checksum of the games' file, or of all files of their folder."""
    splits: Splits
    """Train, validation, test."""
    tables: dict[str, PositionTable]
    """Positions of each split, by the gate under study."""
    variants: tuple[Variant, ...]
    """The mixtures of the run, the one under study first, then its placebo."""
    labelled: dict[str, dict[str, PositionTable]]
    """Positions of each split, by the gate of every variant as the variant spells it."""
    test: PositionTable
    """Test positions that no network learns from."""
    removed: list[int]
    """Test positions by phase that do."""
    learned: tuple[PositionTable, ...]
    """Positions that networks learn from: all of train, and of games for values alone."""
    openings: OpeningSuite
    """Openings whose last position occurs in none of the games, or all if too few are left."""
    openings_dropped: int
    """Openings that were left out."""

    @property
    def phases(self) -> tuple[str, ...]:
        """Names of the phases."""
        return self.tables["train"].names

    @property
    def gate(self) -> str:
        """The gate under study, in its full spelling."""
        return self.tables["train"].gate

    def tables_of(self, gate: str) -> dict[str, PositionTable]:
        """Positions of each split, by a gate in its full spelling."""
        return next(t for t in self.labelled.values() if t["train"].gate == gate)

    @property
    def match_openings(self) -> OpeningSuite | None:
        """The openings of the games; None if there is no other than a start that is drawn."""
        alone = self.openings.lines == ((),) and self.openings.start(0) is None
        return None if alone and draws_starts(self.config.game) else self.openings

    @property
    def games_a_pairing(self) -> int:
        """Games of two trainings, each opening being played once with either colour.

        The same opening again would be the same games again, which tell nothing new.
        """
        openings, most = self.match_openings, self.config.games_played
        return most if openings is None else min(most, 2 * len(openings))

    def openings_at(self, phase: str) -> tuple[OpeningSuite | None, int]:
        """Where test games first reach a phase; see :func:`~.opening_choice.openings_at_phase`."""
        return openings_at_phase(
            self.splits.test,
            self.config.gate,
            phase,
            game=self.config.game,
            keys=self.tables["train"].key,
            max_plies=self.config.max_plies,
        )

    def seed(self, *names: str | int) -> int:
        """The seed of a named stream of the run."""
        return stream(self.config.seed, *names)


def prepare(config: M2ctsConfig, console: Console | None = None) -> Prepared:
    """Check a configuration against what is here, and load, split and label the games.

    Args:
        config: The configuration.
        console: Where the beginning of the reading is said; default none.
    """
    handle = games.make(config.game)
    check_two_players(handle)
    game = handle.name
    default = " (the default)" if config.gate == M2ctsConfig.gate else ""
    gate = _gate(config.gate, game, f"--gate {config.gate}{default}")
    if gate.num_phases < 2:
        message = f"--gate {config.gate!r}: has one phase, and experts need two or more to differ"
        raise InvalidGate(message)
    variants = variants_of(config, gate.names)
    gates = {variant.gate: _gate(variant.gate, game, _asked(variant)) for variant in variants}
    for variant in variants:
        if gates[variant.gate].num_phases < 2 and variant.strategy.kind != "separated":
            message = (
                f"--arms {variant.role}: the gate has one phase, which one network answers for; "
                f"write separated@{variant.gate}, with network= or positions="
            )
            raise InvalidConfig(message)
    if (PLACEBO, config.gate) in ((variant.role, variant.gate) for variant in variants):
        message = f"--gate {config.gate}: is its own placebo; give one whose phases mean something"
        raise InvalidGate(message)
    _check_network(config, variants)
    suite = as_suite(config.openings, game)
    if console is not None:
        console.heading("Reading the games")
    found = read_games(game, config.games)
    store, path, source, sha256 = found.store, found.path, found.text, found.sha256
    splits = store.split(stream(config.seed, "split"))
    if config.value_games is not None:
        values = read_games(game, config.value_games)
        splits = replace(splits, value_games=values.store)
        source += f"; values are learned from {values.text} too"
        sha256 += values.sha256
    tables = splits.positions(gate, threads=config.threads)
    learned = (tables["train"], *_value_tables(splits, [*gates.values()])[:1])
    test, removed = without_seen(tables["test"], *learned)
    _check_tables(tables, path)
    check_unseen(test, path)
    check_games(config, splits, stream(config.seed, "games of gates"))
    labelled = {config.gate: tables}
    for other in [variant.gate for variant in variants if variant.gate not in labelled]:
        labelled[other] = splits.positions(gates[other], threads=config.threads)
        _check_tables(labelled[other], path)
    keys = np.unique(np.concatenate([table.key for table in tables.values()]))
    openings, dropped = unseen_openings(
        game, keys, max(config.games_played // 2, 1), stream(config.seed, "random openings"), suite
    )
    return Prepared(
        config=config,
        source=source,
        sha256=sha256,
        splits=splits,
        tables=tables,
        variants=variants,
        labelled=labelled,
        test=test,
        removed=removed.tolist(),
        learned=learned,
        openings=openings,
        openings_dropped=dropped,
    )


def _value_tables(splits: Splits, gates: Sequence[AnyGate]) -> list[PositionTable]:
    """Positions of the games for values alone by every gate; none without such games."""
    from phasezoo.training.data import no_value_positions

    games = splits.value_games
    tables = [] if games is None else [games.positions(gate) for gate in gates]
    for table in tables:
        for phase, count in zip(table.names, table.positions_per_phase(), strict=True):
            if count == 0:
                raise no_value_positions(phase, table.gate)
    return tables


def label_digest(tables: Mapping[str, PositionTable]) -> str:
    """SHA-256 of the phases that a gate gave to the positions of every split, in hexadecimal.

    It is of all positions of the run, where a :func:`phasezoo.gating.fingerprint` is of a sample.
    """
    digest = hashlib.sha256()
    for name in sorted(tables):
        digest.update(tables[name].phase.tobytes())
    return digest.hexdigest()


def _gate(spec: str, game: str, asked: str) -> AnyGate:
    """A gate of the game."""
    with about(asked, InvalidGate):
        return gating.make(spec, game)


def _asked(variant: Variant) -> str:
    """Return the beginning of an error on a variant's gate."""
    no_strategy = "" if "@" in variant.role else f": is no strategy ({STRATEGIES}), and as a gate"
    return f"--arms {variant.role}{no_strategy}"


def _check_network(config: M2ctsConfig, variants: Sequence[Variant]) -> None:
    from phasezoo import networks
    from phasezoo.training.fresh_network import Beginning

    game = games.make(config.game)
    made = [(v.options.network or config.network, v.strategy.phase_input) for v in variants]
    for network, how in dict.fromkeys(made):
        begun = Beginning.of(network, config.planes)
        sizes = check_networks([begun.network], game, begun.planes)
        if how is not None:
            given = networks.conditioned(begun.network, how, 2)
            networks.make(given, *sizes, num_players=game.num_players)  # or refuse now
    networks.resolve_device(config.device)
    chosen(Loading(config.backend, config.device, dtype=config.dtype))


def weights_of(config: M2ctsConfig, begun: "Beginning") -> dict[str, Any]:
    """Return the weights of the parts of the training loss, by the names of their settings."""
    from phasezoo import networks
    from phasezoo.training.config import SupervisedConfig

    game, value = games.make(config.game), config.value_weight or 0.0
    planes = begun.planes or game.default_planes
    sizes = game.plane_shape(planes), game.policy_size(planes)
    made = networks.make(begun.network, *sizes, num_players=game.num_players)
    answered = networks.check(made, *sizes, num_players=game.num_players)
    plies = SupervisedConfig.plies_weight if "plies" in answered else 0.0
    head = "wdl_weight" if "wdl_logits" in answered else "value_weight"
    weights = {"value_weight": 0.0, "wdl_weight": 0.0, head: value}
    return {**weights, "plies_weight": plies, "policy_weight": max(0.0, 1 - value - plies)}


def _check_tables(tables: dict[str, PositionTable], path: Path) -> None:
    check_split(tables, path)
    gate = tables["train"].gate
    for name, part in (("train", tables["train"]), ("validation", tables["validation"])):
        for phase, count in zip(part.names, part.positions_per_phase(), strict=True):
            if count == 0:
                message = (
                    f"{path}: has no {name} positions of phase {phase!r} (gate {gate!r}); use "
                    f"more games or another gate"
                )
                raise StoreError(message)


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
