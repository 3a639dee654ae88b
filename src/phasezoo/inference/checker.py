"""Ask an evaluator about states of random games and name each contract that it breaks."""

from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.checking import Findings, Report
from phasezoo.errors import GameMismatch, InvalidEvaluation, PhasezooError
from phasezoo.games.random_play import random_states
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import evaluate_leaves, name_of
from phasezoo.inference.leaf_batches import StateBatch
from phasezoo.inference.other_games import check_plays
from phasezoo.specs import NonNegativeInt, PositiveInt, check_value

ROWS = 16
"""States in the batch; each is asked about alone too."""

TOLERANCE = 1e-3
"""How far a row's answer may depend on the batch's shape: float32 sums in another order."""


def check(
    evaluator: Any, game: "str | games.Game | None" = None, *, rows: int = ROWS, seed: int = 0
) -> Report:
    """Ask an evaluator about states of random games, together and one by one.

    Args:
        evaluator: What a search would ask: a network, a mixture, or one of your own.
        game: The game whose states it is shown; default the evaluator's own, else chess.
        rows: How many states.
        seed: Draws the games.

    Returns:
        A report that is true if no contract is broken, and otherwise names each: that it may be
        asked about the game, which has its planes; shapes, ranges and finiteness of its answers;
        that a row's answer does not depend on the rows beside it, nor on the call; that a batch of
        one is answered.

    Raises:
        InvalidConfig: ``rows`` or ``seed`` is no such number.
        UnknownGame: No game has that name.
    """
    check_value("rows", PositiveInt, rows)
    check_value("seed", NonNegativeInt, seed)
    own = getattr(evaluator, "game", None)
    played = games.make(game or (own if isinstance(own, str | games.Game) else "chess"))
    findings = Findings()
    states = random_states(played, rows, seed)
    if _fits(findings, evaluator, played):
        batch = _batch(evaluator, states)
        together = _answer(findings, evaluator, batch, "a batch")
        if together is not None:
            _rows_stand_alone(findings, evaluator, batch, together)
    looked_at = f"{len(states)} states of {played.name!r}"
    return findings.report(f"evaluator {name_of(evaluator)}", looked_at)


def _batch(evaluator: Any, states: list[Any]) -> StateBatch:
    """Return the states as a search shows them: acting players in turn, phases by the gate."""
    acting = [games.acting_players(state) for state in states]
    players = [each[row % len(each)] for row, each in enumerate(acting)]
    gate = getattr(evaluator, "search_gate", None)
    phases = None if gate is None else gate.batch(states, players)
    return StateBatch(states, phases, players=players)


def _fits(findings: Findings, evaluator: Any, game: games.Game) -> bool:
    ready = findings.expect(
        hasattr(evaluator, "evaluate_batch") or callable(getattr(evaluator, "evaluate", None)),
        "an evaluator has evaluate(planes)",
        f"{type(evaluator).__name__} has none; a torch network is wrapped, "
        "inference.TorchEvaluator(network, game=…)",
    )
    ready &= findings.expect(
        hasattr(evaluator, "evaluate_batch") or hasattr(evaluator, "plane_spec"),
        "plane_spec names the planes it wants, or is None",
        f"{type(evaluator).__name__} has no plane_spec",
    )
    if not ready:
        return False
    try:
        check_plays(evaluator, game)
    except GameMismatch as error:
        return findings.expect(False, "a network is asked about its own game", str(error))
    except PhasezooError as error:
        return findings.expect(False, "plane_spec names planes of the game", str(error))
    return True


def _answer(findings: Findings, evaluator: Any, batch: StateBatch, what: str) -> Any:
    try:
        return evaluate_leaves(evaluator, batch, Counts())
    except InvalidEvaluation as error:
        findings.expect(False, "answers have the right shape and range", f"{what}: {error}")
    except Exception as error:
        found = f"{what} of {len(batch)}: it raised {type(error).__name__}: {error}"
        findings.expect(False, "an evaluator answers every batch", found)
    return None


def _rows_stand_alone(findings: Findings, evaluator: Any, batch: StateBatch, together: Any) -> None:
    again = _answer(findings, evaluator, batch, "the same batch")
    if again is not None:
        findings.expect(
            _apart(together, again) <= TOLERANCE,
            "the same batch has the same answer",
            f"two calls differ by {_apart(together, again):.3g}; networks need eval() mode",
        )
    offsets = batch.legal[0]
    for row in range(len(batch)):
        alone = _answer(findings, evaluator, batch.select(np.array([row])), "a batch of one")
        if alone is None:
            return
        gap = _gap(together.value[row], alone.value[0])
        if together.legal_logits is not None and alone.legal_logits is not None:
            logits = together.legal_logits[offsets[row] : offsets[row + 1]]
            gap = max(gap, _gap(_softmax(logits), _softmax(alone.legal_logits)))
        findings.expect(
            gap <= TOLERANCE,
            "a row's answer does not depend on the rows beside it",
            f"row {row} differs by {gap:.3g} when it is asked alone",
        )


def _apart(one: Any, other: Any) -> float:
    gaps = [_gap(one.value, other.value)]
    if one.legal_logits is not None and other.legal_logits is not None:
        gaps.append(_gap(one.legal_logits, other.legal_logits))
    return max(gaps)


def _gap(one: Any, other: Any) -> float:
    return float(np.abs(np.asarray(one) - other).max(initial=0.0))


def _softmax(logits: Any) -> Any:
    powers = np.exp(logits - logits.max(initial=0.0))
    return powers / powers.sum()
