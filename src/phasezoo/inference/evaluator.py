"""The interface of evaluators: their input, their answer, and how an answer is checked."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig, InvalidEvaluation, first_line
from phasezoo.inference.counts import Counts
from phasezoo.types import Planes

Floats: TypeAlias = npt.NDArray[np.float32]
Legal: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
"""``(offsets int64[B + 1], actions int32[total])``: row i has those from offset i to i + 1."""

VALUE_SLACK = 1e-2
"""How far a value may leave [-1, 1], or a WDL row's sum 1: bfloat16 networks round that far."""

MOST_PLIES_LEFT = 100_000
"""No game is expected to last so long."""

MODULE = ("torch.nn.modules.module", "Module")
"""The package of a network's class, found without importing torch."""


class Leaves(Protocol):
    """Positions that await an evaluation: a search's ``LeafBatch`` or a :class:`StateBatch`."""

    def __len__(self) -> int:
        """B, the number of rows."""

    @property
    def num_actions(self) -> int:
        """A, how many actions the game has."""

    @property
    def phases(self) -> npt.NDArray[np.int8]:
        """``int8[B]``: each row's phase under the search's gate; 0 without one."""

    @property
    def parent_phases(self) -> npt.NDArray[np.int8]:
        """``int8[B]``: the phase one ply before each row; -1 where it is not known."""

    @property
    def root_phases(self) -> npt.NDArray[np.int8]:
        """``int8[B]``: the phase of the root of each row's tree."""

    @property
    def depths(self) -> npt.NDArray[np.int32]:
        """``int32[B]``: plies from the root of its tree to each row."""

    @property
    def visits(self) -> npt.NDArray[np.int64]:
        """``int64[B]``: visits of the node above each row when it was collected; 0 at a root."""

    @property
    def trees(self) -> npt.NDArray[np.int32]:
        """``int32[B]``: the tree that each row belongs to."""

    @property
    def players(self) -> npt.NDArray[np.int64]:
        """``int64[B]``: who is to move in each row."""

    @property
    def legal(self) -> Legal:
        """The legal actions of each row, ascending (see :data:`Legal`)."""

    def planes(self, spec: str, packed: bool = False) -> Any:
        """``float32[B, C, H, W]``, as the player to move sees each row; made once per spec.

        With ``packed`` they are :class:`phasezoo.games.PackedPlanes`.
        """

    def states(self) -> list[Any]:
        """Return the states, made on demand."""

    def select(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> "Leaves":
        """Return the batch of these rows, in this order."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluator's answer for B positions, each from the view of its player to move.

    At most one of ``policy_logits`` and ``legal_logits`` is given; with neither, all legal actions
    are alike. At least one of ``value`` and ``wdl`` is given; if both are, search backs up
    ``value``.
    """

    policy_logits: Floats | None = None
    """``float32[B, A]``, one logit per action; those of illegal actions are ignored."""
    value: Floats | None = None
    """``float32[B]`` in [-1, 1]; in games of more than two players ``float32[B, P]`` may say what
    each player expects, column p for player p."""
    wdl: Floats | None = None
    """``float32[B, 3]``: probabilities of (win, draw, loss), each row sums to 1."""
    legal_logits: Floats | None = None
    """``float32[total]``: logits of the legal actions only, in the order of ``leaves.legal``."""
    plies_left: Floats | None = None
    """``float32[B]``: plies that the game is expected to last, 0 or more. Networks learn at most
    100."""
    spent: Counts | None = None
    """Cost of the answer. None: one call, no padding, timed from outside."""

    def __post_init__(self) -> None:
        for name in ("policy_logits", "value", "wdl", "legal_logits", "plies_left"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, np.ndarray):
                object.__setattr__(self, name, _as_array(name, given))
        spent: Any = self.spent
        if spent is not None and not isinstance(spent, Counts):
            message = f"spent is {type_name(spent)}, expected an inference.Counts"
            raise InvalidEvaluation(message)

    def values(self) -> Floats:
        """``value``, or win minus loss if only ``wdl`` is given."""
        if self.value is not None:
            return self.value
        if self.wdl is None:
            message = "an Evaluation needs value= or wdl=, and has neither"
            raise InvalidEvaluation(message)
        return self.wdl[:, 0] - self.wdl[:, 2]

    def chances(self) -> Floats:
        """``wdl``, or chances without draws if only ``value``, one a row, is given."""
        if self.wdl is not None:
            return self.wdl
        win = np.clip((1 + self.values()) / 2, 0, 1)
        return np.stack([win, np.zeros_like(win), 1 - win], axis=1)


def answer_at(answer: Evaluation, rows: Any, entries: Any) -> Evaluation:
    """Return the answer to some rows, whose legal actions are ``entries`` of all rows'."""
    columns = {"wdl": rows, "legal_logits": entries, "plies_left": rows}
    known = {name: getattr(answer, name) for name in columns}
    taken = {name: each[columns[name]] for name, each in known.items() if each is not None}
    return Evaluation(value=answer.values()[rows], **taken)


@runtime_checkable
class Evaluator(Protocol):
    """The one method that a user writes.

    ``plane_spec`` names the planes that :meth:`evaluate` wants. With None no planes are made and
    ``evaluate`` gets ``float32[B, 0, 0, 0]``, which still says how many rows there are. An
    attribute ``packed`` that is true asks for :class:`phasezoo.games.PackedPlanes` in their place.

    An evaluator that other threads may ask says so by an attribute ``parallel_calls``, how many of
    them at once; searches of many trees then go on meanwhile. Without it the searching thread asks,
    or one other thread if the search has ``in_flight=2``.
    """

    @property
    def plane_spec(self) -> str | None:
        """Which planes to make, such as ``"v2"``."""

    def evaluate(self, planes: Planes) -> Evaluation:
        """Answer ``float32[B, C, H, W]``; the array is the evaluator's to overwrite."""


def name_of(evaluator: object) -> str:
    """Return how errors and reports call ``evaluator``: its ``name``, otherwise its type's."""
    name = getattr(evaluator, "name", None)
    return name if isinstance(name, str) else type(evaluator).__name__


def check_evaluator(evaluator: Any) -> None:
    """Refuse what cannot answer leaves."""
    kinds = type(evaluator).__mro__
    if any((kind.__module__, kind.__name__) == MODULE for kind in kinds):
        message = (
            f"{type_name(evaluator)} is a network, and a search asks an evaluator: wrap it, "
            "inference.TorchEvaluator(network, game=…), or load one that was trained and saved, "
            "inference.load(directory)"
        )
        raise InvalidConfig(message)
    answers = [getattr(evaluator, name, None) for name in ("evaluate_batch", "evaluate")]
    used = next((answer for answer in answers if answer is not None), None)
    if isinstance(evaluator, type) or not callable(used):
        message = (
            f"{evaluator!r} is no evaluator: give an object with plane_spec and evaluate(planes), "
            "such as inference.Uniform() or inference.load(directory)"
        )
        raise InvalidConfig(message)
    spec = getattr(evaluator, "plane_spec", 0)
    if answers[0] is None and spec is not None and not isinstance(spec, str):
        found = "is missing" if spec == 0 else f"is {spec!r}"
        message = (
            f"{evaluator!r}: plane_spec {found}; name the planes that evaluate wants, such as "
            "'v2' or 'default', or None for none"
        )
        raise InvalidConfig(message)


def evaluate_leaves(
    evaluator: Any, leaves: Leaves, counts: Counts, name: str | None = None
) -> Evaluation:
    """Ask ``evaluator`` about ``leaves``, check the answer and add its cost to ``counts``.

    Args:
        evaluator: An :class:`Evaluator`, or one with ``evaluate_batch(leaves)``.
        leaves: At least one row.
        counts: Grows by what the call took.
        name: The evaluator's name in errors; default :func:`name_of` it.

    Returns:
        The evaluation with ``float32`` arrays, its ``policy_logits`` gathered into
        ``legal_logits`` (None if all legal actions are alike), and ``value`` always set.

    Raises:
        InvalidEvaluation: The answer has a wrong shape, NaN, infinities, or values that are no
            values or probabilities. The message names the evaluator, what was expected and what
            came.
    """
    name = name_of(evaluator) if name is None else name
    answer = ask(evaluator, leaves, counts, name)
    try:
        return _checked(answer, leaves, name, getattr(evaluator, "policy_size", None))
    except InvalidEvaluation:
        name_wrong_part(evaluator, leaves)
        raise


def name_wrong_part(evaluator: Any, leaves: Leaves) -> None:
    """Ask a mixture whose answer was not valid again, with checks that name the expert."""
    if hasattr(evaluator, "evaluate_unchecked"):
        evaluator.evaluate_batch(leaves)


def ask(evaluator: Any, leaves: Leaves, counts: Counts, name: str | None = None) -> Evaluation:
    """As :func:`evaluate_leaves`, with the arrays unchecked: for those who check them anyway."""
    unchecked = getattr(evaluator, "evaluate_unchecked", None)
    if unchecked is not None:
        counted: Evaluation = unchecked(leaves, counts)
        return counted
    batched = getattr(evaluator, "evaluate_batch", None)
    if batched is None:
        planes = planes_for(evaluator, leaves)
        start = time.perf_counter()
        answer = evaluator.evaluate(planes)
    else:
        start = time.perf_counter()
        answer = batched(leaves)
    seconds = time.perf_counter() - start
    if not isinstance(answer, Evaluation):
        given = type(answer).__name__
        who = name_of(evaluator) if name is None else name
        message = f"{who} returned a {given}, expected an inference.Evaluation"
        raise InvalidEvaluation(message)
    if answer.spent is not None:
        counts.add(answer.spent)
    else:
        counts.rows += len(leaves)
        counts.calls += 1
        counts.seconds += seconds
    return answer


def planes_for(evaluator: Any, leaves: Leaves) -> Any:
    """The planes of ``leaves`` that ``evaluate`` wants, packed if it wants them so."""
    spec = getattr(evaluator, "plane_spec", None)
    if spec is None:
        return np.empty((len(leaves), 0, 0, 0), dtype=np.float32)
    if getattr(evaluator, "packed", False):
        return leaves.planes(spec, packed=True)
    return leaves.planes(spec)


def _checked(answer: Evaluation, leaves: Leaves, name: str, columns: int | None) -> Evaluation:
    """Return the evaluation as :func:`evaluate_leaves` does.

    ``columns`` are those of the policy logits, if they are not as many as the game has actions.
    """
    rows = len(leaves)
    wdl = None if answer.wdl is None else _checked_wdl(answer.wdl, rows, name)
    if answer.value is not None:
        each = np.shape(answer.value)[1:] if np.ndim(answer.value) == 2 else ()
        value = _array(answer.value, (rows, *each), f"{name}: value")
        if np.abs(value).max(initial=0.0) > 1.0 + VALUE_SLACK:
            worst = value.flat[np.abs(value).argmax()]
            message = (
                f"{name}: value {worst:.4g} is outside [-1, 1]; values are expected returns for "
                "the player to move (np.tanh maps any score into the range)"
            )
            raise InvalidEvaluation(message)
    elif wdl is not None:
        value = wdl[:, 0] - wdl[:, 2]
    else:
        message = f"{name} gave neither value= (float32[{rows}]) nor wdl= (float32[{rows}, 3])"
        raise InvalidEvaluation(message)
    plies, logits = answer.plies_left, None
    if answer.policy_logits is not None or answer.legal_logits is not None:
        logits = _checked_logits(answer, leaves, name, columns)
    return Evaluation(
        value=value,
        wdl=wdl,
        legal_logits=logits,
        plies_left=None if plies is None else _checked_plies(plies, rows, name),
        spent=answer.spent,
    )


def _checked_wdl(wdl: Floats, rows: int, name: str) -> Floats:
    array = _array(wdl, (rows, 3), f"{name}: wdl")
    negative = array.min(axis=1) < -VALUE_SLACK
    wrong = np.flatnonzero(negative | (np.abs(array.sum(axis=1) - 1) > VALUE_SLACK))
    if wrong.size:
        row = wrong[0]
        message = (
            f"{name}: wdl row {row} is {array[row].tolist()}, expected probabilities of "
            "(win, draw, loss) that sum to 1 (a softmax over the logits makes them)"
        )
        raise InvalidEvaluation(message)
    return array


def _checked_plies(plies: Floats, rows: int, name: str) -> Floats:
    array = _array(plies, (rows,), f"{name}: plies_left")
    wrong = array[(array < 0) | (array >= MOST_PLIES_LEFT)]
    if wrong.size:
        message = (
            f"{name}: plies_left has {wrong[0]:.4g}, expected plies from 0 and below "
            f"{MOST_PLIES_LEFT}"
        )
        raise InvalidEvaluation(message)
    return array


def _checked_logits(answer: Evaluation, leaves: Leaves, name: str, columns: int | None) -> Floats:
    if answer.policy_logits is not None and answer.legal_logits is not None:
        message = f"{name} gave policy_logits and legal_logits; give one of them"
        raise InvalidEvaluation(message)
    offsets, actions = leaves.legal
    if answer.legal_logits is not None:
        return _array(answer.legal_logits, (len(actions),), f"{name}: legal_logits")
    # Only the legal ones are looked at: of 4672 a row, about 35 matter.
    array, what = np.asarray(answer.policy_logits), f"{name}: policy_logits"
    shape = (len(leaves), leaves.num_actions if columns is None else columns)
    if array.shape != shape:
        message = (
            f"{what} is {array.dtype}{list(array.shape)}, expected float32{list(shape)}, a logit "
            "for each of the game's actions"
        )
        raise InvalidEvaluation(message)
    row_of = np.repeat(np.arange(len(leaves)), np.diff(offsets))
    return _array(array[row_of, actions], (len(actions),), what)


def _as_array(name: str, given: Any) -> npt.NDArray[Any]:
    """Return numbers as an array; a torch tensor is detached and moved to the CPU."""
    try:
        if hasattr(given, "detach"):
            given = given.detach().cpu().float()  # NumPy has no bfloat16
        return np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:
        message = (
            f"{name} is {type_name(given)} that is no array ({first_line(error)}); give float32"
        )
        raise InvalidEvaluation(message) from error


def _array(given: Any, shape: tuple[int, ...], what: str) -> Floats:
    """``given`` as finite, contiguous float32 of ``shape``."""
    array = np.asarray(given)
    if array.shape != shape or array.dtype.kind not in "fiu":
        message = f"{what} is {array.dtype}{list(array.shape)}, expected float32{list(shape)}"
        raise InvalidEvaluation(message)
    array = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(array).all():
        bad = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        place = bad[0] if len(bad) == 1 else list(bad)
        message = f"{what} has {array[bad]} at index {place}, expected finite numbers"
        raise InvalidEvaluation(message)
    return array


class Uniform:
    """Values every position 0 and likes all legal actions alike.

    Search with it finds what the rules alone prove: mates, forced ends, and who runs out of moves.
    """

    plane_spec: str | None = None
    """No planes are made for it."""

    def evaluate(self, planes: Planes) -> Evaluation:
        """Zeros, one per row of ``planes``."""
        return Evaluation(value=np.zeros(len(planes), dtype=np.float32))

    def evaluate_batch(self, leaves: Leaves) -> Evaluation:
        """Zeros, one per leaf."""
        return Evaluation(value=np.zeros(len(leaves), dtype=np.float32))

    def __repr__(self) -> str:
        return "Uniform()"
