"""Everything a run can refuse before it writes anything: games, gate, network."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phasezoo import games as games_registry
from phasezoo import gating
from phasezoo.arena import OpeningSuite, stream
from phasezoo.errors import InvalidGate, StoreError
from phasezoo.experiments.games_file import check_split, check_unseen, read_games
from phasezoo.experiments.m2cts.duel.arms import Arm, arms_of
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.m2cts.duel.learned.parts import check_games
from phasezoo.experiments.m2cts.duel.openings import draws_starts, openings_of
from phasezoo.experiments.m2cts.networks import check_networks
from phasezoo.gating.registry import AnyGate
from phasezoo.inference.backends import Running, chosen
from phasezoo.training.positions import PositionTable, without_seen
from phasezoo.training.splits import Splits
from phasezoo.training.strategies import STRATEGIES

__all__ = ["Prepared", "label_digest", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """The games, split and labelled, and what else a run of a configuration works with."""

    config: M2ctsConfig
    """The settings."""
    source: str
    """Where the games come from, for people."""
    sha256: str
    """Checksum of the games' file, or of all files of their folder."""
    games: int
    """Games in the store."""
    splits: Splits
    """Train, validation, test."""
    tables: dict[str, PositionTable]
    """Positions of each split, by the gate under study."""
    arms: tuple[Arm, ...]
    """The mixtures of the run, the one under study and its placebo first."""
    labelled: dict[str, dict[str, PositionTable]]
    """Positions of each split, by the gate of every arm as the arm spells it."""
    test: PositionTable
    """Test positions that do not occur in train."""
    removed: list[int]
    """Test positions by phase that do."""
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

    @property
    def match_openings(self) -> OpeningSuite | None:
        """The openings of the games; None where there is none, and starts are drawn."""
        alone = self.openings.lines == ((),) and self.openings.start(0) is None
        return None if alone and draws_starts(self.config.game) else self.openings

    def seed(self, *names: str | int) -> int:
        """The seed of a named stream of the run."""
        return stream(self.config.seed, *names)


def prepare(config: M2ctsConfig) -> Prepared:
    """Check a configuration against what is here, and load, split and label the games.

    Raises:
        InvalidConfig: There is no such architecture or device.
        InvalidGate: The gate is none, or has a single phase.
        InvalidPlaneSpec: The game has no such planes.
        StoreError: The games are missing, damaged, of another game, or too few to split.
        UnknownGame: There is no such game.
    """
    game = games_registry.make(config.game).name
    default = " (what it is unless it is given)" if config.gate == M2ctsConfig.gate else ""
    gate = _gate(config.gate, game, f"--gate {config.gate}{default}")
    if gate.num_phases < 2:
        message = f"--gate {config.gate!r}: has one phase, and experts need two or more to differ"
        raise InvalidGate(message)
    arms = arms_of(config, gate.num_phases)
    gates = {arm.gate: _gate(arm.gate, game, _asked(arm)) for arm in arms}
    if config.gate == arms[1].gate:
        message = f"--gate {config.gate}: is its own placebo; give a gate that tells something"
        raise InvalidGate(message)
    _check_network(config, arms)
    found = read_games(game, config.games)
    store, path = found.store, found.path
    splits = store.split(stream(config.seed, "split"))
    tables = splits.positions(gate, threads=config.threads)
    test, removed = without_seen(tables["test"], tables["train"])
    _check_tables(tables, path)
    check_unseen(test, path)
    check_games(config, splits, stream(config.seed, "games of gates"))
    labelled = {config.gate: tables}
    for other in [arm.gate for arm in arms if arm.gate not in labelled]:
        labelled[other] = splits.positions(gates[other], threads=config.threads)
        _check_tables(labelled[other], path)
    keys = np.unique(np.concatenate([table.key for table in tables.values()]))
    openings, dropped = openings_of(
        game, keys, max(config.games_played // 2, 1), stream(config.seed, "random openings")
    )
    return Prepared(
        config=config,
        source=found.text,
        sha256=found.sha256,
        games=len(store),
        splits=splits,
        tables=tables,
        arms=arms,
        labelled=labelled,
        test=test,
        removed=removed.tolist(),
        openings=openings,
        openings_dropped=dropped,
    )


def label_digest(tables: Mapping[str, PositionTable]) -> str:
    """SHA-256 of the phases that a gate gave to the positions of every split, in hexadecimal.

    It is of all positions of the run, where a :func:`phasezoo.gating.fingerprint` is of a sample.

    Args:
        tables: Positions by split.
    """
    digest = hashlib.sha256()
    for name in sorted(tables):
        digest.update(tables[name].phase.tobytes())
    return digest.hexdigest()


def _gate(spec: str, game: str, asked: str) -> AnyGate:
    """A gate of the game.

    Args:
        spec: The gate.
        game: The game's name.
        asked: The option that named it, and what else an error begins with.

    Raises:
        InvalidGate: The game has no such gate.
    """
    try:
        return gating.make(spec, game)
    except InvalidGate as error:
        message = f"{asked}: {error}"
        raise type(error)(message) from error


def _asked(arm: Arm) -> str:
    """What an error on an arm's gate begins with."""
    no_strategy = "" if "@" in arm.role else f": is no strategy ({STRATEGIES}), and as a gate"
    return f"--arms {arm.role}{no_strategy}"


def _check_network(config: M2ctsConfig, arms: Sequence[Arm]) -> None:
    from phasezoo import networks

    game = games_registry.make(config.game)
    sizes = check_networks([config.network], game, config.planes)
    for how in {arm.strategy.phase_input for arm in arms}:
        if how is None:
            continue
        told = networks.conditioned(config.network, how, 2)
        networks.make(told, *sizes, num_players=game.num_players)  # or refuse now
    networks.resolve_device(config.device)
    chosen(config.backend, Running(config.device))


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
