"""Stored games in columns: what a store holds in memory, and what a file holds of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo.errors import CorruptRecord, InvalidArray
from phasezoo.games.options import is_unicode
from phasezoo.games.varlen import entries_of, offsets_of

Start = str | bytes
"""Start of a game: text, or a pickled state of a user's own game."""

BLOCK = 1 << 16
"""Games that are picked at once."""

UNKNOWN = -1
"""The code of a text that is not known, and the phase of a ply that has none."""


@dataclass(frozen=True)
class Texts:
    """A column of texts that come again and again, such as names."""

    codes: npt.NDArray[np.int32]
    """``int32[...]``: indices into ``names``; -1 if the text is not known."""
    names: tuple[str, ...] = ()
    """The different texts."""

    @classmethod
    def of(cls, texts: Any, shape: tuple[int, ...]) -> "Texts":
        """Return a column of these texts, each a text or None."""
        if texts is None:
            return cls(np.full(shape, UNKNOWN, dtype=np.int32))
        if isinstance(texts, Texts):
            column = texts
        else:
            given = np.asarray(texts, dtype=object)
            known: dict[Any, int] = {None: UNKNOWN, "": UNKNOWN}
            flat = [known.setdefault(text, len(known) - 2) for text in given.ravel().tolist()]
            names = tuple(str(text) for text in known if text not in (None, ""))
            for wrong in filter(None, map(why_unwritable, names)):
                raise InvalidArray(wrong)
            codes = np.array(flat, dtype=np.int32).reshape(given.shape)
            column = cls(codes, names)
        if column.codes.shape != shape:
            message = f"texts of shape {list(column.codes.shape)}; needed are {list(shape)}"
            raise InvalidArray(message)
        return column

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: Any) -> Any:
        """Return the text at a place, or a list of those at several; None for those not known."""
        return _named(self.codes[place].tolist(), self.names)

    def tolist(self) -> Any:
        """Return all texts, in lists of the column's shape."""
        return _named(self.codes.tolist(), self.names)

    def take(self, index: npt.NDArray[np.int64]) -> "Texts":
        """Return the rows of that index."""
        return Texts(self.codes[index], self.names)

    @classmethod
    def joined(cls, parts: "Sequence[Texts]") -> "Texts":
        """Several columns, one after the other."""
        known: dict[str, int] = {}
        codes = []
        for part in parts:
            places = [known.setdefault(name, len(known)) for name in part.names]
            table = np.array([*places, UNKNOWN], dtype=np.int32)
            codes.append(table[part.codes])  # -1 is the last
        return cls(np.concatenate(codes), tuple(known))


@dataclass(frozen=True)
class Visits:
    """Visit counts of searches, sparse: only of actions that were visited."""

    offsets: npt.NDArray[np.int64]
    """``int64[E + 1]``: decision ``e`` has the entries ``offsets[e]`` to ``offsets[e + 1]``; none
    if there was no search."""
    actions: npt.NDArray[np.int32]
    """``int32[V]``: the action of each entry."""
    counts: npt.NDArray[np.int32]
    """``int32[V]``: how often it was visited, 1 or more."""

    def take(self, entries: npt.NDArray[np.integer]) -> "Visits":
        """Those of some decisions."""
        offsets, places = entries_of(self.offsets, entries)
        return Visits(offsets, self.actions[places], self.counts[places])

    @classmethod
    def of(cls, visits: "Visits | Sequence[npt.ArrayLike]") -> "Visits":
        """Return the columns given, as arrays that cannot be written."""
        given = list(vars(visits).values()) if isinstance(visits, Visits) else list(visits)
        if len(given) != len(_VISITS):
            message = f"visits: {len(given)} columns; needed are {', '.join(_VISITS)}"
            raise InvalidArray(message)
        pairs = zip(_VISITS.items(), given, strict=True)
        return cls(*(as_column(f"visits.{name}", column, kind) for (name, kind), column in pairs))

    @classmethod
    def none(cls, decisions: int) -> "Visits":
        """Those of decisions that nobody searched."""
        nothing = np.empty(0, dtype=np.int32)
        return cls(np.zeros(decisions + 1, dtype=np.int64), nothing, nothing)

    @classmethod
    def joined(cls, parts: "Sequence[Visits]") -> "Visits":
        """Several columns, one after the other."""
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            offsets_of(lengths),
            np.concatenate([part.actions for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )


@dataclass(frozen=True)
class GameColumns:
    """N games of T plies in total; a decision is one of the ``width`` actions of a ply."""

    actions: npt.NDArray[np.uint16] | npt.NDArray[np.int32]
    """``uint16[T * width]``, or ``int32`` in games of more than 65,536 actions: one action a ply,
    or one of each player where all move at once (0 of those who are out)."""
    offsets: npt.NDArray[np.int64]
    """``int64[N + 1]``: game ``i`` has the plies ``offsets[i]`` to ``offsets[i + 1]``."""
    returns: npt.NDArray[np.float32]
    """``float32[N, players]``: what each player got, in [-1, 1]."""
    starts: Mapping[int, Start]
    """Starts of the games that do not start as usual."""
    ratings: npt.NDArray[np.int16]
    """``int16[N, players]``: 0 if unknown."""
    players: Texts
    """``[N, players]``: who played."""
    dates: npt.NDArray[np.bytes_]
    """``bytes10[N]``: ``YYYY.MM.DD`` with ``?``; empty if unknown."""
    sources: Texts
    """``[N]``: where the game comes from."""
    salvaged: npt.NDArray[np.bool_]
    """``bool[N]``: whether the end of the game could not be read."""
    visits: Visits | None = None
    """Visit counts of each decision."""
    values: npt.NDArray[np.float32] | None = None
    """``float32[T * width]``: what searches expected for who acts, in [-1, 1]; nan if unknown."""
    surprises: npt.NDArray[np.float32] | None = None
    """``float32[T * width]``: how far searches were from their priors, in nats; nan if unknown."""
    phases: npt.NDArray[np.int8] | None = None
    """``int8[T * width]``: the phase at the time; -1 if unknown."""
    width: int = 1
    """Actions of a ply."""

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.returns)

    @property
    def num_plies(self) -> int:
        """The number of plies of all games."""
        return len(self.actions) // self.width

    @classmethod
    def none(cls, players: int, width: int = 1, dtype: Any = np.uint16) -> "GameColumns":
        """Return the columns of no games."""
        return cls(
            actions=np.empty(0, dtype=dtype),
            offsets=np.zeros(1, dtype=np.int64),
            returns=np.empty((0, players), dtype=np.float32),
            starts={},
            ratings=np.empty((0, players), dtype=np.int16),
            players=Texts.of(None, (0, players)),
            dates=np.empty(0, dtype="S10"),
            sources=Texts.of(None, (0,)),
            salvaged=np.empty(0, dtype=np.bool_),
            width=width,
        )

    def locked(self) -> Self:
        """These columns, whose arrays cannot be written any more."""
        for part in (self, self.players, self.sources, self.visits):
            for column in vars(part).values() if part is not None else ():
                if isinstance(column, np.ndarray):
                    _frozen(column)
        return self

    def check(self, num_actions: int) -> Self:
        """These columns, if they fit together.

        Raises:
            CorruptRecord: They do not, or a number in them is out of range.
            InvalidArray: A column has another length.
        """
        count = max(len(self.offsets) - 1, 0)
        for name in ("returns", "ratings", "players", "dates", "sources", "salvaged"):
            check_length(name, getattr(self, name), count)
        if len(self.offsets) == 0 or self.offsets[0] != 0 or (np.diff(self.offsets) < 0).any():
            message = "offsets: they begin at 0 and never fall"
            raise CorruptRecord(message)
        if int(self.offsets[-1]) * self.width != len(self.actions):
            message = (
                f"offsets end at {self.offsets[-1]} plies of {self.width} actions, and there are "
                f"{len(self.actions)} actions"
            )
            raise CorruptRecord(message)
        beyond = [game for game in self.starts if not 0 <= game < count]
        if beyond:
            message = f"a start of game {beyond[0]}: there are {count} games"
            raise CorruptRecord(message)
        self._check_numbers(num_actions)
        return self

    def _check_numbers(self, num_actions: int) -> None:
        decisions = len(self.actions)
        if self.actions.size and not 0 <= self.actions.min() <= self.actions.max() < num_actions:
            wrong = int(np.flatnonzero((self.actions < 0) | (self.actions >= num_actions))[0])
            message = f"action {self.actions[wrong]}: the game has {num_actions}, counted from 0"
            raise CorruptRecord(message)
        if not (np.abs(self.returns) <= 1).all():
            message = "returns: numbers from -1 to 1 are returns of a game"
            raise CorruptRecord(message)
        if not self.dates.tobytes().isascii():
            message = "dates: they are written 2024.01.31, with ? for what is not known"
            raise CorruptRecord(message)
        for name in BY_DECISION:
            if getattr(self, name) is not None:
                check_length(name, getattr(self, name), decisions)
        if self.values is not None and (np.abs(self.values) > 1).any():
            message = "values: numbers from -1 to 1 are values, nan if unknown"
            raise CorruptRecord(message)
        surprises = self.surprises
        if surprises is not None and ((surprises < 0) | np.isinf(surprises)).any():
            message = "surprises: finite numbers from 0 on are surprises, nan if unknown"
            raise CorruptRecord(message)
        if self.visits is not None:
            _check_visits(self.visits, decisions, num_actions)

    def take(self, index: npt.NDArray[np.int64]) -> "GameColumns":
        """Some of the games, in the order given."""
        if len(index) > BLOCK:  # the places of entries take four times what the actions do
            blocks = range(0, len(index), BLOCK)
            return self.joined([self.take(index[first : first + BLOCK]) for first in blocks])
        offsets, plies = entries_of(self.offsets, index)
        if self.width == 1:
            entries = plies
        else:
            entries = (plies[:, None] * self.width + np.arange(self.width)).ravel()
        by_decision = {name: getattr(self, name) for name in BY_DECISION}
        starts = {
            row: self.starts[game]
            for row, game in enumerate(index.tolist() if self.starts else ())
            if game in self.starts
        }
        return GameColumns(
            actions=_frozen(self.actions[entries]),
            offsets=_frozen(offsets),
            returns=_frozen(self.returns[index]),
            starts=starts,
            ratings=_frozen(self.ratings[index]),
            players=self.players.take(index),
            dates=_frozen(self.dates[index]),
            sources=self.sources.take(index),
            salvaged=_frozen(self.salvaged[index]),
            visits=None if self.visits is None else self.visits.take(entries),
            width=self.width,
            **{
                name: None if column is None else _frozen(column[entries])
                for name, column in by_decision.items()
            },
        )

    @classmethod
    def joined(cls, parts: "Sequence[GameColumns]") -> "GameColumns":
        """Return the games of several columns of one game, one after the other."""
        if len(parts) == 1:
            return parts[0]
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        first = np.cumsum([0, *map(len, parts)])
        columns: dict[str, Any] = {
            name: _frozen(np.concatenate([getattr(part, name) for part in parts]))
            for name in ("actions", "returns", "ratings", "dates", "salvaged")
        }
        searched = joined_searches(parts, [len(part.actions) for part in parts])
        return cls(
            offsets=_frozen(offsets_of(lengths)),
            starts={
                int(shift) + game: start
                for shift, part in zip(first, parts, strict=False)
                for game, start in part.starts.items()
            },
            players=Texts.joined([part.players for part in parts]),
            sources=Texts.joined([part.sources for part in parts]),
            width=parts[0].width,
            **columns,
            **searched,
        )


_VISITS = {"offsets": np.int64, "actions": np.int32, "counts": np.int32}


def _named(codes: Any, names: tuple[str, ...]) -> Any:
    if isinstance(codes, list):
        return [_named(code, names) for code in codes]
    return None if codes == UNKNOWN else names[codes]


def _check_visits(visits: Visits, decisions: int, num_actions: int) -> None:
    entries = len(visits.actions)
    check_length("visits.offsets", visits.offsets, decisions + 1)
    check_length("visits.counts", visits.counts, entries)
    steps = np.diff(visits.offsets)
    if visits.offsets[0] != 0 or visits.offsets[-1] != entries or (steps < 0).any():
        message = "visits.offsets: they begin at 0, never fall and end at the last entry"
        raise CorruptRecord(message)
    if entries and not 0 <= visits.actions.min() <= visits.actions.max() < num_actions:
        message = f"visits.actions: the game has {num_actions} actions, counted from 0"
        raise CorruptRecord(message)
    if entries and visits.counts.min() < 1:
        message = "visits.counts: numbers of visits are 1 or more; leave others out"
        raise CorruptRecord(message)


BY_DECISION: dict[str, tuple[Any, float]] = {
    "values": (np.float32, np.nan),
    "surprises": (np.float32, np.nan),
    "phases": (np.int8, UNKNOWN),
}
"""The optional columns of one number a decision: kind, and what stands for unknown."""


def joined_searches(parts: Sequence[Any], sizes: Sequence[int]) -> dict[str, Any]:
    """Return the columns of searches of several parts, by name, one part after the other.

    Args:
        parts: Each with ``visits`` and those of :data:`BY_DECISION`, or None in place of them.
        sizes: How many decisions each has.
    """
    return {name: _optional(name, parts, sizes) for name in ("visits", *BY_DECISION)}


def _optional(name: str, parts: Sequence[Any], sizes: Sequence[int]) -> Any:
    """Return a column that some of the parts may lack."""
    given = [getattr(part, name) for part in parts]
    if all(column is None for column in given):
        return None
    pairs = list(zip(given, sizes, strict=True))
    if name == "visits":
        return Visits.joined([Visits.none(size) if c is None else c for c, size in pairs])
    dtype, unknown = BY_DECISION[name]
    filled = [np.full(size, unknown, dtype=dtype) if c is None else c for c, size in pairs]
    return _frozen(np.concatenate(filled))


def _frozen(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    column.flags.writeable = False
    return column


def as_column(name: str, values: npt.ArrayLike, dtype: Any, dimensions: int = 1) -> Any:
    """Return a column as a contiguous array that cannot be written."""
    array, wanted = np.asarray(values), np.dtype(dtype)
    if array.ndim != dimensions or not _fits(array, wanted):
        given = f"{array.dtype}{list(array.shape)}"
        places = "one dimension" if dimensions == 1 else f"{dimensions} dimensions"
        message = f"{name} is {given}; needed are values of {wanted} in {places}"
        raise InvalidArray(message)
    return _frozen(np.ascontiguousarray(array, dtype=wanted).view())


def _fits(array: npt.NDArray[Any], wanted: np.dtype[Any]) -> bool:
    """Return whether every value survives the conversion."""
    if array.size == 0 or array.dtype == wanted:
        return True
    kind = array.dtype.kind
    if wanted.kind in "iu" and kind in "iu":
        limits = np.iinfo(wanted)
        return bool(limits.min <= array.min() and array.max() <= limits.max)
    if wanted.kind == "f":
        return kind in "iuf"
    return kind == "S" == wanted.kind and array.dtype.itemsize <= wanted.itemsize


def why_unwritable(text: str) -> str | None:
    """Return why no file can hold a text; None if one can."""
    if is_unicode(text):
        return None
    return f"{text!r} is no text of Unicode: decode its bytes by their encoding"


def check_length(name: str, column: Any, count: int) -> None:
    """Refuse a column of another length."""
    if len(column) != count:
        message = f"{name} has {len(column)} entries; needed are {count}"
        raise InvalidArray(message)


def starts_of(starts: Mapping[int, Start] | Iterable[tuple[int, Start]] | None) -> dict[int, Start]:
    """Starts by game, in the games' order and without the usual ones."""
    return {game: start for game, start in sorted(dict(starts or {}).items()) if start}
