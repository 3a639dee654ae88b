"""The phase strip: the phase of every ply by one gate, and by another one where they differ."""

from collections.abc import Iterable, Sequence
from typing import Any

from phasezoo import games, gating
from phasezoo.envs.rendering.choice import pointing_of
from phasezoo.errors import PhasezooError
from phasezoo.gating.registry import own_names


class PhaseStrip:
    """The phases of a game by up to two gates.

    Args:
        game: What is played.
        specs: Specifications of gates, the second of which is compared with the first. Those with
            one phase divide nothing, and are left out.
        player: Who looks, in games in which players see different things.

    Raises:
        InvalidGate: One follows no grammar, or fits another game.
    """

    def __init__(self, game: games.Game, specs: Sequence[Any], player: int | None = None) -> None:
        gates = [gating.make(spec, game.name) for spec in specs]
        self.gates = [gate for gate in gates if len(gate.names) > 1]
        self._player = player
        self._plies: list[list[int]] = []

    def follow(self, states: Iterable[Any]) -> "PhaseStrip":
        """The phases of these states; the strip itself."""
        for state in states:
            self.add(state)
        return self

    def add(self, state: Any) -> None:
        """The game goes on to ``state``."""
        before = self._plies[-1] if self._plies else [None] * len(self.gates)
        player = self._player if state.to_play < 0 else None
        self._plies.append(
            [
                int(gate(state, player, previous))
                for gate, previous in zip(self.gates, before, strict=True)
            ]
        )

    def cut(self, length: int) -> None:
        """Forget all but the first states."""
        del self._plies[length:]

    def as_dict(self) -> dict[str, Any]:
        """For the page."""
        gates = [{"spec": gating.spec_of(gate), "names": list(gate.names)} for gate in self.gates]
        return {"gates": gates, "plies": self._plies}


def gates_of(evaluator: Any) -> list[Any]:
    """Return the gate that a mixture routes by, and the one of its training if it is another."""
    search, own = getattr(evaluator, "search_gate", None), getattr(evaluator, "gate", None)
    if search is None:
        return []
    return [search] if own is None or own is search else [search, own]


def suggested_gates(game: games.Game) -> list[str]:
    """Specifications that fit a game."""
    pointing = pointing_of(game)
    given = () if pointing is None else pointing.gates
    found = []
    for spec in (*given, "none"):
        try:
            gating.make(spec, game.name)
        except PhasezooError:
            continue
        found.append(spec)
    return [*found, *own_names()]
