"""Oracles: who knows what some positions are worth, such as endgame tables."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.checking import type_name
from phasezoo.errors import GameMismatch, InvalidConfig, InvalidEvaluation, PhasezooError
from phasezoo.inference.evaluator import VALUE_SLACK, Evaluation, Floats, Leaves, name_of

ORACLE_PLIES = 1000
"""Plies to an end that is known to come, nobody knows when: more than a search proves by itself."""


@dataclass(frozen=True, eq=False)
class Known:
    """An oracle's knowledge of B leaves."""

    rows: npt.NDArray[np.bool_]
    """``bool[B]``: of which it knows something."""
    values: Floats
    """``float32[B]`` in [-1, 1], for the player to move; of the others anything."""
    plies: npt.NDArray[np.int32]
    """``int32[B]``: where the value is exact, the plies to the end of the game, or
    :data:`ORACLE_PLIES`; -1 elsewhere, and of rows of which it knows nothing anything."""

    def __post_init__(self) -> None:
        try:
            rows = np.asarray(self.rows, dtype=np.bool_)
            values = np.asarray(self.values, dtype=np.float32)
            plies = np.asarray(self.plies).astype(np.int64, casting="same_kind")
        except (TypeError, ValueError) as error:
            message = (
                f"what an oracle knows: {error}; expected arrays bool[B], float32[B], int32[B]"
            )
            raise InvalidEvaluation(message) from error
        if rows.ndim != 1 or values.shape != rows.shape or plies.shape != rows.shape:
            message = (
                f"what an oracle knows: rows {rows.shape}, values {values.shape}, plies "
                f"{plies.shape}; expected an entry for each leaf in each"
            )
            raise InvalidEvaluation(message)
        # What is not known proves nothing.
        plies = np.where(rows, np.clip(plies, -1, 65_535), -1).astype(np.int32)
        for name, value in (("rows", rows), ("values", values), ("plies", plies)):
            object.__setattr__(self, name, value)


@runtime_checkable
class Oracle(Protocol):
    """Knows the values of some positions, and which actions keep them.

    One that is for some games alone says so by an attribute ``games``, a tuple of their names;
    others are refused then.
    """

    def look(self, leaves: Leaves) -> Known | None:
        """Return what it knows of ``leaves``; None: nothing."""

    def root_actions(self, state: Any) -> npt.NDArray[np.int64] | None:
        """Return the actions of ``state`` that are worth playing; None: it does not know."""


def check_knows(oracle: Any, game: games.Game) -> None:
    """Refuse an oracle of other games than ``game``, and one where there is no use for it."""
    known = getattr(oracle, "games", None)
    names = (known,) if isinstance(known, str) else known
    if isinstance(names, Collection) and game.name not in names:
        message = (
            f"{name_of(oracle)} is an oracle of {', '.join(map(str, names))}, and {game.name} is "
            "played: leave oracle= out, or give one of this game"
        )
        raise GameMismatch(message)
    if game.num_players > 2:
        message = (
            f"oracle= is for games of up to two players, and {game.name} has {game.num_players}: "
            "leave it out"
        )
        raise InvalidConfig(message)


def looked_up(oracle: Oracle, leaves: Leaves) -> Known | None:
    """Ask ``oracle`` about ``leaves`` and check its answer."""
    call, rows = "look(leaves)", len(leaves)
    try:
        known: Any = oracle.look(leaves)
    except Exception as error:
        _failed(oracle, call, error)
    if known is None:
        return None
    if not isinstance(known, Known):
        found = f"returned {type_name(known)}, expected an inference.Known, or None"
    elif len(known.rows) != rows:
        found = f"answered rows bool[{len(known.rows)}], expected bool[{rows}], one for each leaf"
    else:
        values = known.values[known.rows]
        wrong = values[~(np.abs(values) <= 1 + VALUE_SLACK)]
        if not wrong.size:
            return known
        found = f"knows the value {wrong[0]:.4g}, outside [-1, 1]"
    message = f"{name_of(oracle)}.{call} {found}"
    raise InvalidEvaluation(message)


def kept_actions(oracle: Oracle, state: Any) -> npt.NDArray[np.int64] | None:
    """Return the actions of ``state`` that ``oracle`` would play, checked; None if unknown."""
    call = "root_actions(state)"
    try:
        given: Any = oracle.root_actions(state)
    except Exception as error:
        _failed(oracle, call, error)
    if given is None:
        return None
    try:
        actions = np.asarray(given)
    except ValueError:  # lists of different lengths
        actions = np.asarray(given, dtype=object)
    if actions.shape == (0,):
        return None
    legal = np.asarray(state.legal_actions, dtype=np.int64)
    if actions.ndim != 1 or actions.dtype.kind not in "iu":
        found = f"{actions.dtype}{list(actions.shape)} ({given!r})"
    else:
        strange = actions[~np.isin(actions, legal)]
        if not strange.size:
            return actions.astype(np.int64)
        found = f"{strange.tolist()}, which are not legal"
    message = (
        f"{name_of(oracle)}.{call} answered {found}; expected the indices of some of the legal "
        f"actions, {legal.tolist()}, or None if it does not know"
    )
    raise InvalidEvaluation(message)


def _failed(oracle: Oracle, call: str, error: Exception) -> NoReturn:
    """Say whose code has failed; the package's own errors stay what they are."""
    if isinstance(error, PhasezooError):
        raise error
    message = (
        f"{name_of(oracle)}.{call} raised {type(error).__name__}: {error}; if it does not know, an "
        "oracle answers None"
    )
    raise InvalidEvaluation(message) from error


def exact_chances(values: Floats) -> Floats:
    """``float32[B, 3]``: win, draw and loss of values that are known: what they lack is a draw."""
    return np.stack(
        [np.maximum(values, 0), np.maximum(1 - np.abs(values), 0), np.maximum(-values, 0)], axis=1
    )


def with_known(known: Known, evaluation: Evaluation) -> Evaluation:
    """Replace values and chances of an evaluation by those that an oracle knows."""
    values, wdl = evaluation.values(), None
    exact = known.values if values.ndim == 1 else known.values[:, None]
    rows = known.rows if values.ndim == 1 else known.rows[:, None]
    if values.ndim == 1:
        wdl = np.where(known.rows[:, None], exact_chances(known.values), evaluation.chances())
    return Evaluation(
        policy_logits=evaluation.policy_logits,
        legal_logits=evaluation.legal_logits,
        value=np.where(rows, exact, values).astype(np.float32),
        wdl=None if wdl is None else wdl.astype(np.float32),
        plies_left=evaluation.plies_left,
        spent=evaluation.spent,
    )
