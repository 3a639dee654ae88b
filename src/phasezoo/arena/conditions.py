"""Conditions that all games of a match or tournament share."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from phasezoo import games, gating
from phasezoo.agents.arguments import seed_of
from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.openings import OpeningSuite, as_suite
from phasezoo.arena.schedule import OpeningsAs
from phasezoo.errors import InvalidConfig
from phasezoo.games import Game
from phasezoo.games.options import at_least, threads_or
from phasezoo.types import Gate


@dataclass(frozen=True)
class Conditions:
    """How games are played, whoever plays them; see :func:`phasezoo.arena.play_match`."""

    game: Game
    suite: OpeningSuite
    gate: Gate | None
    openings_as: OpeningsAs
    seed: int
    concurrency: int | None
    pool_rows: int | None
    threads: int | None
    max_plies: int | None
    adjudication: Adjudication | None

    @classmethod
    def of(
        cls,
        game: str | Game,
        openings: OpeningSuite | Sequence[Sequence[str]] | Path | str | None,
        *,
        gate: str | Gate | None,
        **others: Any,
    ) -> Self:
        """Return the conditions that a caller asks for."""
        handle = games.make(game)
        if openings is None and not handle.options:
            handle = handle.with_options(**handle.match_options)
        suite = as_suite(openings, handle.name)
        for name in ("concurrency", "pool_rows", "max_plies"):
            if others[name] is not None:
                at_least(name, others[name], 1)
        threads_or(others["threads"], None)
        seed_of(others["seed"])
        rules = others["adjudication"]
        if rules is not None:
            if not isinstance(rules, Adjudication):
                message = f"adjudication={rules!r}: expected is arena.Adjudication(…)"
                raise InvalidConfig(message)
            rules.check_game(handle)
        phases = None if gate is None else gating.make(gate, handle.name)
        return cls(handle, suite, phases, **others)

    def identity(self) -> dict[str, Any]:
        """JSON that identifies the match."""
        game, adjudication = self.game, self.adjudication
        return {
            "game": [game.name, dict(game.options)] if game.options else game.name,
            "seed": self.seed,
            "gate": None if self.gate is None else gating.spec_of(self.gate),
            "openings": self.suite.digest(),
            "openings_as": self.openings_as,
            "max_plies": self.max_plies,
            "adjudication": None if adjudication is None else adjudication.identity(),
        }

    def settings(self) -> dict[str, Any]:
        """Settings to record beside the identity; games do not depend on them."""
        return {
            "concurrency": self.concurrency,
            "pool_rows": self.pool_rows,
            "threads": self.threads,
        }
