"""A user's function as a gate: its answers are checked, and it may be forbidden to go back."""

import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.checking import shown
from phasezoo.errors import InvalidArray, InvalidConfig, InvalidGate
from phasezoo.games.options import is_unicode
from phasezoo.types import SIMULTANEOUS

MONOTONE = "monotone:"
"""Begins the specification of a gate that never goes back."""

MAX_PHASES = 127
"""Phases are stored in eight signed bits."""

_TAKEN = ("all", "baseline", "from", "mixture", "shared", "start")
"""Names of other rows in tables of phases, and of other networks in folders of experts."""

Phases = npt.NDArray[np.int64]


def phase_number(names: Sequence[str], phase: Any, gate: str) -> int:
    """Return the index of a phase that is given by index or name."""
    if phase in names:
        return names.index(str(phase))
    whole = isinstance(phase, int | np.integer) and not isinstance(phase, bool)
    if whole and 0 <= phase < len(names):
        return int(phase)
    message = f"phase {phase!r}: the gate {gate!r} has the phases {', '.join(map(repr, names))}"
    raise InvalidConfig(message)


class CallableGate:
    """A gate made of a Python function.

    Args:
        function: ``function(state) -> int``, or with ``batched`` ``function(states) -> integers``.
            One that has a parameter ``player`` (``players``) receives who sees the state.
        names: One name per phase, in order of play if there is one.
        spec: The registered name, or a description of the function.
        batched: Whether the function takes a list of states.
        monotone: Whether the gate answers the larger of the function's answer and the previous
            phase.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        names: Sequence[str],
        spec: str,
        *,
        batched: bool = False,
        monotone: bool = False,
    ) -> None:
        self.function = function
        self.names = check_names(names, spec)
        self.batched = batched
        self.monotone = monotone
        self._base = spec
        self._wants_players = _takes(function, "players" if batched else "player")

    @property
    def spec(self) -> str:
        """The registered name or description; equal specifications are equal gates."""
        return MONOTONE + self._base if self.monotone else self._base

    @property
    def num_phases(self) -> int:
        """How many phases there are."""
        return len(self.names)

    def as_monotone(self) -> Self:
        """The same gate, never going back."""
        if self.monotone:
            return self
        return type(self)(
            self.function, self.names, self._base, batched=self.batched, monotone=True
        )

    def __call__(self, state: Any, player: int | None = None, previous: int | None = None) -> int:
        """The phase of ``state``.

        Args:
            state: A state of any game the function understands.
            player: Who sees it; default its player to move.
            previous: The phase one ply before; only a monotone gate reads it.

        Raises:
            InvalidGate: The function's answer is no phase, or ``player`` is missing.
        """
        players = None if player is None else [player]
        return int(self.batch([state], players, None if previous is None else [previous])[0])

    def batch(
        self,
        states: Sequence[Any],
        players: Sequence[int] | None = None,
        previous: Sequence[int] | npt.NDArray[Any] | None = None,
    ) -> Phases:
        """``int64[N]``: the phases of ``states``.

        Raises:
            InvalidArray: ``players`` or ``previous`` has another length.
            InvalidGate: An answer of the function is no phase, or ``players`` is missing.
        """
        states = list(states)
        for name, given in (("players", players), ("previous", previous)):
            if given is not None and len(given) != len(states):
                message = (
                    f"{name} has {len(given)} entries for {len(states)} states; give one a state, "
                    "or None"
                )
                raise InvalidArray(message)
        phases = self._answers(states, players)
        if previous is not None and self.monotone:
            phases = np.maximum(phases, self._checked(previous, len(states), "the previous phase"))
        return phases

    def probabilities(
        self,
        states: Sequence[Any],
        players: Sequence[int] | None = None,
        previous: Sequence[int] | npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[np.float32]:
        """``float32[N, num_phases]``: 1 at each state's phase, 0 elsewhere."""
        phases = self.batch(states, players, previous)
        return np.eye(self.num_phases, dtype=np.float32)[phases]

    def _answers(self, states: list[Any], players: Sequence[int] | None) -> Phases:
        if not states:
            return np.empty(0, dtype=np.int64)
        viewers = self._viewers(states, players) if self._wants_players else None
        if self.batched:
            extra = {} if viewers is None else {"players": viewers}
            with _asking(self.spec, f"{len(states)} states"):
                answers = self.function(states, **extra)
            return self._checked(answers, len(states), "an answer")
        answers = []
        # One block around all calls: one around each would cost as much as a short function.
        with _asking(self.spec, lambda: shown(states[len(answers)], most=160)):
            if viewers is None:
                for state in states:
                    answers.append(self.function(state))
            else:
                for state, player in zip(states, viewers, strict=True):
                    answers.append(self.function(state, player=player))
        return self._checked(answers, len(states), "an answer")

    def _viewers(self, states: list[Any], players: Sequence[int] | None) -> list[int]:
        viewers = [state.to_play for state in states] if players is None else list(players)
        if SIMULTANEOUS in viewers:
            message = (
                f"gate {self.spec!r}: several players move at once here; say with player= who sees "
                "the state"
            )
            raise InvalidGate(message)
        return viewers

    def _checked(self, answers: Any, count: int, what: str) -> Phases:
        flat = isinstance(answers, Sequence) or (
            isinstance(answers, np.ndarray) and answers.ndim == 1
        )
        if not flat or len(answers) != count:
            message = f"gate {self.spec!r} answered {answers!r} to {count} states; one int for each"
            raise InvalidGate(message)
        if isinstance(answers, np.ndarray) and answers.dtype.kind in "iub":
            phases = answers.astype(np.int64)
        else:
            phases = np.fromiter(map(_index, answers), dtype=np.int64, count=count)
        wrong = np.flatnonzero((phases < 0) | (phases >= self.num_phases))
        if wrong.size:
            message = (
                f"gate {self.spec!r}: {what} is {answers[wrong[0]]!r}; allowed are whole numbers "
                f"from 0 to {self.num_phases - 1}, for {', '.join(map(repr, self.names))} (names= "
                "has one name for each phase)"
            )
            raise InvalidGate(message)
        return phases

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CallableGate):
            return NotImplemented
        mine = (self.spec, self.names, self.batched, self.function)
        return mine == (other.spec, other.names, other.batched, other.function)

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec!r}, names={self.names})"


class ObjectGate(CallableGate):
    """A gate object of a user's own that has every member; its answers are checked.

    Args:
        own: The object.
        monotone: Whether to answer the larger of its answer and the previous phase; probabilities
            stay the object's.
    """

    def __init__(self, own: Any, *, monotone: bool = False) -> None:
        super().__init__(own.batch, own.names, str(own.spec), batched=True)
        self.own = own
        self.monotone = monotone or bool(getattr(own, "monotone", False))
        self._base = self._base.removeprefix(MONOTONE) if self.monotone else self._base

    def as_monotone(self) -> Self:
        """The same gate, never going back."""
        return self if self.monotone else type(self)(self.own, monotone=True)

    def probabilities(
        self,
        states: Sequence[Any],
        players: Sequence[int] | None = None,
        previous: Sequence[int] | npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[np.float32]:
        """``float32[N, num_phases]``: what the object says."""
        given = {"players": players, "previous": previous}
        with _asking(self.spec, f"{len(states)} states"):
            answer = self.own.probabilities(
                states, **{name: value for name, value in given.items() if value is not None}
            )
        return check_probabilities(answer, len(states), self.num_phases, self.spec)


def check_names(names: Sequence[str], spec: str) -> tuple[str, ...]:
    """The names of a gate's phases, if they are usable."""
    is_ordered = isinstance(names, Iterable) and not isinstance(names, str | set | frozenset)
    given = tuple(names) if is_ordered else ()
    texts = all(isinstance(name, str) and name and is_unicode(name) for name in given)
    if not texts or not 1 <= len(given) <= MAX_PHASES or len(set(given)) < len(given):
        message = (
            f"gate {spec!r}: names={names!r}; give 1 to {MAX_PHASES} different names, one per "
            "phase, such as ('early', 'late')"
        )
        raise InvalidGate(message)
    taken = [name for name in given if name in _TAKEN and len(given) > 1]
    if taken:
        message = (
            f"gate {spec!r}: a phase cannot be called {taken[0]!r}, which stands beside phases and "
            f"experts in tables and folders, as do {', '.join(_TAKEN)}; choose another name"
        )
        raise InvalidGate(message)
    return given


def check_probabilities(
    given: Any, count: int, num_phases: int, spec: str
) -> npt.NDArray[np.float32]:
    """A gate's answer as ``float32[count, num_phases]``."""
    try:
        table = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        table = np.empty(0, dtype=np.float32)
    shape = (count, num_phases)
    # NaN fails every comparison.
    if table.shape != shape or not (
        np.allclose(table.sum(axis=1), 1, atol=1e-3) and (table >= 0).all()
    ):
        message = (
            f"gate {spec!r} gave probabilities of shape {list(table.shape)}; "
            f"expected {list(shape)}, each row from 0 up with sum 1"
        )
        raise InvalidGate(message)
    return table


@contextmanager
def _asking(spec: str, about: "str | Callable[[], str]") -> Iterator[None]:
    """Note on an error of a user's function which gate raised it, and about what."""
    try:
        yield
    except Exception as error:
        asked = about if isinstance(about, str) else about()
        error.add_note(f"raised by the gate {spec!r}, asked about {asked}")
        raise


def _index(value: Any) -> int:
    """A phase as an int; -1 for what is no whole number or too large for any gate."""
    try:
        phase = int(value) if isinstance(value, np.bool_) else operator.index(value)
    except TypeError:
        return -1
    return phase if phase <= MAX_PHASES else -1


def _takes(function: Callable[..., Any], parameter: str) -> bool:
    try:
        return parameter in inspect.signature(function).parameters
    except (TypeError, ValueError):  # built-in callables may have no signature
        return False
