"""A cache of answers, for positions that a search, or several, meet again."""

import copy
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from annotated_types import Interval

from phasezoo import _core
from phasezoo.errors import InvalidConfig
from phasezoo.games import PackedPlanes
from phasezoo.games.varlen import entries_of
from phasezoo.inference.calls import parallel_calls_of
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import (
    Evaluation,
    Floats,
    Leaves,
    evaluate_leaves,
    name_of,
    planes_for,
)
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.policy_value import PolicyAndValue
from phasezoo.specs import check_value
from phasezoo.types import Planes

DEFAULT_CACHE_MB = 256
"""About a million positions of chess."""

CacheMb: TypeAlias = Annotated[int, Interval(ge=1, le=2**40)]
"""Size of a cache in MiB."""

_MIB = 1 << 20


class Cached:
    """An evaluator whose answers are kept, those used last.

    A position is known again by what its answer depends on: its planes as the evaluator wants them,
    who is to move, and the legal actions. (A state's ``key`` is less: planes show earlier moves and
    clocks.) The search finds what it would find without a cache, if the evaluator answers a row
    alike in any batch. ``Counts.rows`` are those that it is asked about, ``Counts.cached_rows`` the
    others.

    Searches of several threads may share it.

    Args:
        evaluator: Answers from planes alone: it has a ``plane_spec``, and no ``evaluate_batch`` of
            its own. A mixture is cached expert by expert: ``with_cache(mixture, cache_mb)``.
        cache_mb: The most memory that answers may take, in MiB, everything counted.

    Raises:
        InvalidConfig: ``evaluator`` reads more than planes, or ``cache_mb`` is less than 1.
    """

    def __init__(self, evaluator: Any, cache_mb: int = DEFAULT_CACHE_MB) -> None:
        self._share(evaluator, _Store(_checked_size(cache_mb)), 0)

    @classmethod
    def _of(cls, evaluator: Any, store: "_Store", asked: int) -> "Cached":
        """Make one that shares its memory with others; ``asked`` is its number among them."""
        made = cls.__new__(cls)
        made._share(evaluator, store, asked)
        return made

    def _share(self, evaluator: Any, store: "_Store", asked: int) -> None:
        _check_reads_planes(evaluator)
        self.experts = (evaluator,)
        """The evaluators that it consists of."""
        self._store = store
        self._asked = asked
        self._layout = _Layout()

    @property
    def evaluator(self) -> Any:
        """The evaluator whose answers are kept."""
        return self.experts[0]

    @property
    def name(self) -> str:
        """The evaluator's."""
        return name_of(self.evaluator)

    @property
    def parallel_calls(self) -> int:
        """At most 1: what is known when a call is made must not depend on which one was quicker."""
        return min(1, parallel_calls_of(self.evaluator))

    @property
    def cache_mb(self) -> float:
        """The bound in MiB."""
        return self._store.capacity / _MIB

    @property
    def used_mb(self) -> float:
        """MiB in use."""
        return self._store.cache.bytes / _MIB

    def __len__(self) -> int:
        return len(self._store.cache)

    def __bool__(self) -> bool:
        return True

    def clear(self) -> None:
        """Forget all answers."""
        self._store.cache.clear()

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the evaluator: its game, its planes, its gate."""
        if name.startswith("_") or name == "experts":
            raise AttributeError(name)
        return getattr(self.evaluator, name)

    def evaluate(self, planes: Planes | PackedPlanes) -> Evaluation:
        """Ask without the cache: planes do not say which actions are legal."""
        answer: Evaluation = self.evaluator.evaluate(planes)
        return answer

    def evaluate_batch(self, leaves: Leaves) -> Evaluation:
        """Answer what is known, and ask about the rest.

        Raises:
            InvalidEvaluation: The evaluator's answer is not valid.
        """
        count, (offsets, actions) = len(leaves), leaves.legal
        numbers = _numbers(planes_for(self.evaluator, leaves))
        keys = _core.row_keys(numbers, leaves.players, offsets, actions, self._asked)
        layout, store, spent = self._layout, self._store.cache, Counts()
        heads, logits = layout.empty(count, len(actions))
        source = store.look(keys, layout.code, offsets, heads, logits)
        asked = np.flatnonzero(source == np.arange(count))
        if len(asked) == 0:
            return layout.evaluation(heads, logits, Counts(cached_rows=count))
        fresh = self._ask(leaves, asked, spent)
        if _Layout.of(fresh) != layout:  # the first answer, or one of another form than before
            if (source < 0).any():
                asked = source = np.arange(count)
                fresh = self._ask(leaves, asked, spent)
            layout = self._layout = _Layout.of(fresh)
            heads, logits = layout.empty(count, len(actions))
        own_offsets, places = entries_of(offsets, asked)
        own_heads, own_logits = layout.numbers(fresh)
        store.put(keys[asked], layout.code, own_offsets, own_heads, own_logits)
        heads[asked] = own_heads
        if layout.has_logits:
            logits[places] = own_logits
        same = np.flatnonzero((source >= 0) & (source != np.arange(count)))
        heads[same] = heads[source[same]]
        if layout.has_logits:
            logits[entries_of(offsets, same)[1]] = logits[entries_of(offsets, source[same])[1]]
        spent.cached_rows += count - len(asked)
        return layout.evaluation(heads, logits, spent)

    def _ask(self, leaves: Leaves, rows: npt.NDArray[np.int64], spent: Counts) -> Evaluation:
        part = leaves if len(rows) == len(leaves) else leaves.select(rows)
        return evaluate_leaves(self.evaluator, part, spent)

    def __repr__(self) -> str:
        return f"Cached({self.evaluator!r}, cache_mb={self._store.capacity // _MIB})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy without the cache."""
        return Cached._of, (self.evaluator, self._store, self._asked)


def with_cache(
    evaluator: Any, cache_mb: int = DEFAULT_CACHE_MB
) -> Cached | MixtureOfExperts | PolicyAndValue:
    """``evaluator`` with a cache; of several evaluators, the same ones with one that they share.

    Experts that read more than planes are asked every time.
    """
    if not isinstance(evaluator, MixtureOfExperts | PolicyAndValue):
        return Cached(evaluator, cache_mb)
    store = _Store(_checked_size(cache_mb))
    made: dict[int, Any] = {}

    def cached(part: Any) -> Any:
        if isinstance(part, PolicyAndValue):
            return PolicyAndValue(*map(cached, part.experts))
        if id(part) not in made and _why_not(part) is None:
            made[id(part)] = Cached._of(part, store, len(made))
        return made.get(id(part), part)

    experts = tuple(map(cached, evaluator.experts))
    if not made:
        _check_reads_planes(evaluator.experts[0])
    if isinstance(evaluator, PolicyAndValue):
        return PolicyAndValue(*experts)
    mixture = copy.copy(evaluator)
    mixture.experts = experts
    return mixture


def forget_answers(evaluator: Any) -> None:
    """Empty the caches in ``evaluator``, because one of the answers was refused by a search."""
    if isinstance(evaluator, Cached):
        evaluator.clear()
    elif isinstance(evaluator, MixtureOfExperts | PolicyAndValue):
        for expert in evaluator.experts:
            forget_answers(expert)


class _Store:
    """The memory; a copy of it is empty."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.cache = _core.EvaluationCache(capacity)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Store, (self.capacity,)


@dataclass(frozen=True)
class _Layout:
    """Which numbers an answer has."""

    columns: int | None = None
    """Values in a row, one for each player; 0: one for the player to move; None: no answer yet."""
    has_wdl: bool = False
    has_plies: bool = False
    has_logits: bool = False

    @classmethod
    def of(cls, answer: Evaluation) -> "_Layout":
        """Return the layout of a checked answer."""
        values = answer.values()
        return cls(
            columns=0 if values.ndim == 1 else values.shape[1],
            has_wdl=answer.wdl is not None,
            has_plies=answer.plies_left is not None,
            has_logits=answer.legal_logits is not None,
        )

    @property
    def code(self) -> int:
        """A number for it, odd if there are logits."""
        flags = self.has_logits | self.has_wdl << 1 | self.has_plies << 2
        return 0 if self.columns is None else flags | (1 + self.columns) << 3

    def empty(self, rows: int, actions: int) -> tuple[Floats, Floats]:
        """Heads ``float32[B, n]`` and logits ``float32[total]`` to be filled."""
        width = 0 if self.columns is None else max(1, self.columns)
        width += 3 * self.has_wdl + self.has_plies
        heads = np.empty((rows, width), dtype=np.float32)
        return heads, np.empty(actions if self.has_logits else 0, dtype=np.float32)

    def numbers(self, answer: Evaluation) -> tuple[Floats, Floats]:
        """Heads and logits of a checked answer."""
        rows = len(answer.values())
        parts = [
            part for part in (answer.values(), answer.wdl, answer.plies_left) if part is not None
        ]
        heads = np.concatenate([part.reshape(rows, -1) for part in parts], axis=1, dtype=np.float32)
        logits = answer.legal_logits
        return heads, np.empty(0, dtype=np.float32) if logits is None else logits

    def evaluation(self, heads: Floats, logits: Floats, spent: Counts) -> Evaluation:
        """Return the answer that has these numbers."""
        width = max(1, self.columns or 0)
        return Evaluation(
            value=heads[:, :width].copy() if self.columns else heads[:, 0].copy(),
            wdl=heads[:, width : width + 3].copy() if self.has_wdl else None,
            plies_left=heads[:, -1].copy() if self.has_plies else None,
            legal_logits=logits if self.has_logits else None,
            spent=spent,
        )


def _numbers(planes: Planes | PackedPlanes) -> Floats:
    """Planes, or the bits of packed ones, as ``float32[B, n]``."""
    if isinstance(planes, PackedPlanes):
        octets = np.ascontiguousarray(planes.octets).view(np.float32)
        return np.concatenate([octets, planes.numbers], axis=1)
    return np.ascontiguousarray(planes.reshape(len(planes), -1), dtype=np.float32)


def _checked_size(cache_mb: int) -> int:
    """Return the bytes of a cache."""
    size: int = check_value("cache_mb", CacheMb, cache_mb)
    return size * _MIB


def _why_not(evaluator: Any) -> str | None:
    """Return why answers of ``evaluator`` cannot be kept; None if they can."""
    if isinstance(evaluator, MixtureOfExperts):
        return (
            "routes by phases and trees: inference.with_cache(mixture) keeps its experts' answers"
        )
    if isinstance(evaluator, Cached):
        return "has a cache already"
    if not isinstance(getattr(evaluator, "plane_spec", None), str):
        return "has no plane_spec: what its answers depend on is not known"
    if hasattr(evaluator, "evaluate_batch") and not isinstance(evaluator, NetworkEvaluator):
        return (
            "has an evaluate_batch, which may read more than planes: give it evaluate(planes) alone"
        )
    return None


def _check_reads_planes(evaluator: Any) -> None:
    """Refuse an evaluator that reads more than planes."""
    reason = _why_not(evaluator)
    if reason is not None:
        message = f"{name_of(evaluator)} {reason}"
        raise InvalidConfig(message)
