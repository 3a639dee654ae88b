"""The audit from texts or objects to its report."""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import gating, inference
from phasezoo.agents import Limit, MCTSAgent
from phasezoo.arena.streams import stream
from phasezoo.data.store import GameStore
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.auditing import report as reports
from phasezoo.experiments.auditing.config import AUDIT, AuditConfig
from phasezoo.experiments.auditing.measurements import (
    LeafShare,
    Measured,
    Played,
    Results,
    leaf_shares,
    measure,
)
from phasezoo.experiments.auditing.positions import Subjects
from phasezoo.experiments.matches import match_once
from phasezoo.experiments.study import StudyRun
from phasezoo.inference.evaluator import check_evaluator, name_of
from phasezoo.inference.other_games import check_plays
from phasezoo.report.console import Console
from phasezoo.report.document import Document
from phasezoo.specs import changed


class AuditRun(StudyRun[AuditConfig, Results]):
    """Positions first, then searches, then games if they are asked for."""

    results = Results
    report = staticmethod(reports.report)
    prepared: Subjects

    @classmethod
    def prepare(cls, config: AuditConfig, console: Console) -> Subjects:
        """Load games, gate and networks."""
        del console
        networks = {name: inference.make(name) for name in config.networks}
        return subjects_of(networks, GameStore.open(config.games), config.gate, config)

    def work(self) -> Results:
        """Do what is not done."""
        subjects, config, console = self.prepared, self.config, self.console

        def leaves() -> list[LeafShare]:
            return leaf_shares(subjects, config, console)

        hashes = subjects.store.records.hashes(0)
        columns = subjects.store.columns
        games = hashlib.sha256(
            b"".join(column.tobytes() for column in (hashes, columns.returns, columns.ratings))
        )
        self.same("games.json", games.hexdigest(), "games")
        console.heading("Positions and searches")
        measured = self.once("positions", Measured, lambda: measure(subjects, config, console))
        found = self.once("searches", list[LeafShare], leaves, file="leaves.json")
        results = Results(
            **self.head(),
            game=subjects.store.variant,
            measured=measured,
            leaves=found,
            played=self._played() if config.play else [],
            seconds=self.seconds({name: [name] for name in ("positions", "searches", "play")}),
        )
        self.directory.write_text("report.md", self.report(results).to_markdown())
        return results

    def _played(self) -> list[Played]:
        """Play the first network with each part of each phase replaced against the first."""
        subjects, config = self.prepared, self.config
        first, second = list(subjects.networks.values())[:2]
        game = subjects.store.game
        own = dict.fromkeys(subjects.gate.names, first)

        def agent(policy: Any, value: Any) -> MCTSAgent:
            mixture = inference.MixtureOfExperts(
                policy=policy, value=value, gate=subjects.gate, game=game.name
            )
            limit = Limit(nodes=config.play_nodes)
            return MCTSAgent(mixture, limit=limit, seed=config.seed, game=game)

        found = []
        for phase in own:
            for part in ("policy", "value"):
                replaced = {"policy": own, "value": own} | {part: {**own, phase: second}}
                title = f"{config.networks[0]}, {phase}'s {part} replaced"
                match = match_once(
                    self,
                    f"play-{subjects.gate.names.index(phase)}-{part}",
                    lambda r=replaced, t=title: {  # type: ignore[misc]
                        t: agent(**r),
                        config.networks[0]: agent(own, own),
                    },
                    game=game,
                    games=config.play,
                    max_plies=config.play_max_plies,
                    seed=stream(config.seed, "audit", "play", phase, part),
                    threads=config.threads,
                )
                found.append(Played(phase, part, match))
        return found


def audit(
    networks: Any,
    games: GameStore | str | Path,
    gate: Any,
    *,
    out: str | Path | None = None,
    preset: str = "",
    console: Console | None = None,
    **settings: Any,
) -> Document:
    """Judge networks, mixtures or other evaluators by phase on stored games, beside constants.

    Args:
        networks: Evaluators by name, a list of them, or one; each an object, or a text as
            :func:`phasezoo.inference.make` takes it.
        games: A store, its folder or file, or ``"sample:GAME"``.
        gate: Gate that defines the phases, or its specification.
        out: New or empty directory for ``report.html``, ``report.md`` and ``results.json``, or that
            of this very audit, which then goes on. None: nothing is kept.
        preset: Size, ``quick`` or ``standard``; empty for the smallest.
        console: Where to report progress; None: nowhere.
        **settings: Options of ``phasezoo audit`` by name, such as ``max_games=100``.

    Returns:
        The report, with its tables.

    Raises:
        GameMismatch: A network is of another game than the games.
        InvalidConfig: A setting is out of range, or a network is there twice.
        InvalidGate: There is no such gate, or it does not fit the game.
        RunDirectoryError: ``out`` belongs to something else, or cannot be written.
        StoreError: There are no such games, or they cannot be read.
    """
    named = _named(networks)
    if preset and preset not in AUDIT.presets:
        message = f"preset={preset!r}: expected {' or '.join(AUDIT.presets)}"
        raise InvalidConfig(message)
    about = f"{len(games)} games" if isinstance(games, GameStore) else str(games)
    config = changed(
        AUDIT.presets[preset] if preset else AUDIT.default,
        {
            **settings,
            "networks": tuple(named),
            "games": about,
            "gate": gate if isinstance(gate, str) else gating.spec_of(gate),
        },
        "audit",
    )
    config.validate()
    store = games if isinstance(games, GameStore) else GameStore.open(str(games))
    made = {n: inference.make(one) if isinstance(one, str) else one for n, one in named.items()}
    prepared = subjects_of(made, store, gate, config)
    with tempfile.TemporaryDirectory() as kept:
        place = Path(kept) / "audit" if out is None else Path(out)
        results = AUDIT.reproduce(config, place, console, prepared)
    return AUDIT.report(results)


def subjects_of(
    networks: Mapping[str, Any], store: GameStore, gate: Any, config: AuditConfig
) -> Subjects:
    """Draw games, and refuse what does not go together."""
    for one in networks.values():
        check_evaluator(one)
        check_plays(one, store.game)
    made = gating.make(gate, store.variant)
    if config.max_games is not None and config.max_games < len(store):
        rng = np.random.default_rng(stream(config.seed, "audit", "games"))
        store = store.subset(np.sort(rng.permutation(len(store))[: config.max_games]))
    return Subjects(dict(networks), store, made)


def _named(networks: Any) -> dict[str, Any]:
    """Return evaluators by name."""
    if isinstance(networks, Mapping):
        return dict(networks)
    listed = (
        list(networks)
        if isinstance(networks, Sequence) and not isinstance(networks, str)
        else [networks]
    )
    found: dict[str, Any] = {}
    for one in listed:
        name = one if isinstance(one, str) else name_of(one)
        if name in found:
            message = (
                f"the network {name!r} is given twice: give each once, or a dictionary by name"
            )
            raise InvalidConfig(message)
        found[name] = one
    return found
