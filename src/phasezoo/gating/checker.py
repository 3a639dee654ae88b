"""Show a gate states of random games and name each contract that it breaks."""

import pickle
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.checking import Findings, Report, shown
from phasezoo.errors import InvalidGate
from phasezoo.games.random_play import random_states
from phasezoo.gating.registry import make
from phasezoo.specs import NonNegativeInt, PositiveInt, check_value


def check(
    gate: Any,
    game: "str | games.Game" = "chess",
    *,
    names: tuple[str, ...] | None = None,
    states: int = 200,
    seed: int = 0,
) -> Report:
    """Ask a gate about states of random games.

    Args:
        gate: A specification, a registered name, a gate, or a function of a state.
        game: The game whose states it is shown.
        names: One name per phase, for a function that is not registered.
        states: How many states.
        seed: Draws the games.

    Returns:
        A report that is true if no contract is broken, and otherwise names each: that answers are
        phases, the same for the same state, in a batch and alone; that states stay as they are;
        that ``probabilities`` are ones; that the gate survives pickling.

    Raises:
        InvalidConfig: ``states`` or ``seed`` is no such number.
        InvalidGate: The object is no gate, or does not fit the game.
        UnknownGame: No game has that name.
    """
    check_value("states", PositiveInt, states)
    check_value("seed", NonNegativeInt, seed)
    played = games.make(game)
    made = make(gate, played.name, names=names)
    findings, positions = Findings(), []
    with findings.calling("random games give a gate its states", f"the game {played.name!r}"):
        drawn = random_states(played, states, seed)
        positions = [state for state in drawn if games.acting_players(state)]  # games may break
    viewers = [games.acting_players(state)[0] for state in positions]
    phases = _phases(findings, made, positions, viewers)
    if phases is not None and positions:
        _batches(findings, made, positions, viewers, phases)
        _pickles(findings, made, positions, viewers, phases)
    subject = f"gate {getattr(made, 'spec', gate)!r}"
    return findings.report(subject, f"{len(positions)} states of {played.name!r}")


def _phases(findings: Findings, gate: Any, states: list[Any], viewers: list[int]) -> Any:
    phases = []
    for number, (state, viewer) in enumerate(zip(states, viewers, strict=True)):
        before = np.asarray(games.legal_actions_of(state, viewer)).tolist()
        try:
            phases.append(gate(state, viewer))
            again = gate(state, viewer)
        except InvalidGate as error:
            findings.expect(False, "answers are phases", f"state {number}: {error}")
            return None
        except Exception as error:
            found = f"state {number}: it raised {type(error).__name__}: {error}"
            findings.expect(False, "a gate answers every state of its game", found)
            return None
        findings.expect(
            phases[-1] in range(len(gate.names)),
            "answers are phases",
            f"state {number}: {shown(phases[-1])}, names are {gate.names}",
        )
        findings.expect(
            again == phases[-1],
            "the same state has the same phase",
            f"state {number}: {phases[-1]}, then {again}",
        )
        findings.expect(
            np.asarray(games.legal_actions_of(state, viewer)).tolist() == before,
            "a gate leaves states as they are",
            f"state {number}: its legal actions have changed",
        )
    return np.array(phases)


def _batches(
    findings: Findings, gate: Any, states: list[Any], viewers: list[int], phases: Any
) -> None:
    with findings.calling("batch answers as one call a state does", "batch"):
        together = np.asarray(gate.batch(states, viewers))
        findings.expect(
            together.shape == phases.shape and bool((together == phases).all()),
            "batch answers as one call a state does",
            f"{shown(together)} against {shown(phases)}",
        )
    if hasattr(gate, "probabilities"):
        contract = "probabilities are float32[N, phases], rows sum to 1"
        with findings.calling(contract, "probabilities"):
            rows = np.asarray(gate.probabilities(states, viewers))
            findings.expect(
                rows.shape == (len(states), len(gate.names))
                and bool((rows >= 0).all() and np.allclose(rows.sum(axis=1), 1, atol=1e-4)),
                contract,
                f"shape {list(rows.shape)}, sums from {rows.sum(axis=1).min():.3g}",
            )


def _pickles(
    findings: Findings, gate: Any, states: list[Any], viewers: list[int], phases: Any
) -> None:
    contract = "a gate can be pickled, for worker processes"
    with findings.calling(contract, "pickling"):
        copied = pickle.loads(pickle.dumps(gate))
        answers = [copied(state, viewer) for state, viewer in zip(states, viewers, strict=True)]
        findings.expect(answers == phases.tolist(), contract, "the copy answers differently")
