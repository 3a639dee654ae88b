"""Metadata of an expert: its gate, and one of its phases."""

from typing import Any

from phasezoo import gating
from phasezoo.errors import InvalidConfig
from phasezoo.inference.mixture import gate_of


def expert_metadata(gate: Any, phase: str | None, game: str) -> dict[str, Any]:
    """Return the fields ``gate``, ``gate_fingerprint`` and ``phase`` of a manifest.

    Args:
        gate: A gate or its specification; None: none.
        phase: The phase's name; None: all.
        game: The game's name.
    """
    made = gate_of("none" if gate is None else gate, game)
    if phase is not None and phase not in made.names:
        message = f"phase={phase!r}: the gate {gating.spec_of(made)!r} has {list(made.names)}"
        raise InvalidConfig(message)
    own = not isinstance(made, gating.Gate)
    return {
        "gate": gating.spec_of(made),
        "gate_fingerprint": gating.fingerprint(made, game) if own else None,
        "phase": phase,
    }
