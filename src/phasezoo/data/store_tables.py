"""Columns of games as Arrow tables, and back (see :mod:`phasezoo.data.store_file`)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.columns import BY_DECISION, GameColumns, Start, Texts, Visits, as_column
from phasezoo.errors import CorruptRecord
from phasezoo.games.varlen import offsets_of

MANY_ACTIONS = 1 << 16
"""Actions of games with more of them take four bytes each."""

_VISITS = ("lengths", "actions", "counts")


def columns_of(table: Any, players: int, width: int) -> GameColumns:
    """Return the games of a table."""
    read = {name: table[name].combine_chunks() for name in table.column_names}
    each = range(players)
    count = table.num_rows
    lists = _flat(read, "actions")
    lengths = _numbers(read["actions"].value_lengths())
    offsets = offsets_of(lengths)
    if (offsets % width).any():
        message = f"actions: a game's are no multiple of {width}"
        raise CorruptRecord(message)
    returns = [_numbers(_whole(read, f"return_{player}")) for player in each]
    ratings = [_filled(read[f"rating_{player}"], 0) for player in each]
    texts = [_texts(read[f"player_{player}"]) for player in each]
    dates = np.array([date or b"" for date in read["date"].cast("binary").to_pylist()], "S10")
    by_decision = {
        name: as_column(name, _lists(read, name, lengths), dtype)
        for name, (dtype, _) in BY_DECISION.items()
        if name in read
    }
    names = Texts.joined(texts)
    return GameColumns(
        actions=as_column("actions", lists, lists.dtype),
        offsets=as_column("offsets", offsets // width, np.int64),
        returns=as_column("returns", np.stack(returns, axis=1), np.float32, 2),
        starts=_starts(read),
        ratings=as_column("ratings", np.stack(ratings, axis=1), np.int16, 2),
        players=Texts(names.codes.reshape(players, count).T.copy(), names.names),
        dates=as_column("dates", dates, "S10"),
        sources=_texts(read["source"]),
        salvaged=as_column("salvaged", _flags(_whole(read, "salvaged")), np.bool_),
        visits=_visits(read, lengths) if "visit_lengths" in read else None,
        width=width,
        **by_decision,
    )


def _whole(read: Mapping[str, Any], name: str) -> Any:
    """Return a column, and refuse gaps in it."""
    if read[name].null_count:
        message = f"{name}: a game has none"
        raise CorruptRecord(message)
    return read[name]


def _flat(read: Mapping[str, Any], name: str) -> npt.NDArray[Any]:
    """Return the elements of a column of lists."""
    flat = _whole(read, name).flatten()
    if flat.null_count:
        message = f"{name}: a list has a gap"
        raise CorruptRecord(message)
    return _numbers(flat)


def _numbers(column: Any) -> npt.NDArray[Any]:
    """Return a column of numbers without gaps; pyarrow's own ``to_numpy`` imports pandas for it."""
    numbers: npt.NDArray[Any] = np.from_dlpack(column)
    return numbers


def _filled(column: Any, gap: int) -> npt.NDArray[Any]:
    """Return a column of numbers with one for its gaps."""
    if not column.null_count:
        return _numbers(column)
    _, data = column.buffers()
    kind = np.dtype(column.type.to_pandas_dtype())
    numbers = np.frombuffer(data, kind, len(column), column.offset * kind.itemsize)
    return np.where(_flags(column.is_valid()), numbers, kind.type(gap))


def _flags(column: Any) -> npt.NDArray[np.bool_]:
    """Return a column of truths without gaps."""
    return _numbers(column.cast("uint8")).astype(np.bool_)


def _lists(read: Mapping[str, Any], name: str, lengths: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the elements of a column of lists, and refuse lists of other ``lengths``."""
    flat = _flat(read, name)
    found = _numbers(read[name].value_lengths())
    if wrong := np.flatnonzero(found != lengths).tolist():
        game = wrong[0]
        message = f"{name}: game {game} of its rows has {found[game]}, needed are {lengths[game]}"
        raise CorruptRecord(message)
    return flat


def _texts(column: Any) -> Texts:
    coded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    codes = _filled(coded.indices, -1).astype(np.int32)
    return Texts(codes, tuple(coded.dictionary.to_pylist()))


def _starts(read: Mapping[str, Any]) -> dict[int, Start]:
    starts: dict[int, Start] = {}
    for name in ("start", "start_pickle"):
        if name in read:
            rows = np.flatnonzero(_flags(read[name].is_valid()))
            starts |= zip(rows.tolist(), read[name].drop_null().to_pylist(), strict=True)
    return dict(sorted(starts.items()))


def _visits(read: Mapping[str, Any], decisions: npt.NDArray[Any]) -> Visits:
    lengths = _lists(read, "visit_lengths", decisions)
    if (lengths < 0).any():
        message = "visit_lengths: a number of entries is negative"
        raise CorruptRecord(message)
    offsets = offsets_of(lengths)
    of_games = np.diff(offsets[offsets_of(decisions)])
    return Visits(
        as_column("visits", offsets, np.int64),
        as_column("visit_actions", _lists(read, "visit_actions", of_games), np.int32),
        as_column("visit_counts", _lists(read, "visit_counts", of_games), np.int32),
    )


def table_of(pa: Any, schema: Any, columns: GameColumns, first: int, last: int) -> Any:
    """Some of the games as a table."""
    rows, width = slice(first, last), columns.width
    plies = columns.offsets[first : last + 1]
    low, high = int(plies[0]) * width, int(plies[-1]) * width
    limits = ((plies - plies[0]) * width).astype(np.int32)

    def lists(name: str, numbers: npt.NDArray[Any], offsets: npt.NDArray[Any] = limits) -> Any:
        kind = schema.field(name).type
        flat = pa.array(numbers, type=kind.value_type)
        return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), flat, type=kind)

    starts = [columns.starts.get(game) for game in range(first, last)] if columns.starts else []
    dates = columns.dates[rows]
    written: dict[str, Any] = {
        "start": _of_type(pa, starts, str, last - first),
        "start_pickle": _of_type(pa, starts, bytes, last - first),
        "actions": lists("actions", columns.actions[low:high]),
        "date": pa.array(dates.astype("U10"), mask=dates == b""),
        "source": _coded(pa, columns.sources.codes[rows], columns.sources.names),
        "salvaged": pa.array(columns.salvaged[rows]),
    }
    for player in range(columns.returns.shape[1]):
        rating = columns.ratings[rows, player]
        written[f"return_{player}"] = pa.array(columns.returns[rows, player].copy())
        codes = columns.players.codes[rows, player]
        written[f"player_{player}"] = _coded(pa, codes, columns.players.names)
        written[f"rating_{player}"] = pa.array(rating.copy(), mask=rating == 0)
    for name in BY_DECISION:
        if getattr(columns, name) is not None:
            written[name] = lists(name, getattr(columns, name)[low:high])
    if columns.visits is not None:
        offsets = columns.visits.offsets[low : high + 1]
        entries = slice(int(offsets[0]), int(offsets[-1]))
        of_games = offsets[limits] - offsets[0]
        written["visit_lengths"] = lists("visit_lengths", np.diff(offsets).astype(np.int32))
        for name in ("actions", "counts"):
            numbers = getattr(columns.visits, name)[entries]
            written[f"visit_{name}"] = lists(f"visit_{name}", numbers, of_games)
    return pa.table({name: written[name] for name in schema.names}, schema=schema)


def _of_type(pa: Any, starts: list[Start | None], kind: type, count: int) -> Any:
    """Return starts of one kind, null where a game has another."""
    arrow_type = pa.string() if kind is str else pa.binary()
    if not starts:
        return pa.nulls(count, arrow_type)
    return pa.array([s if isinstance(s, kind) else None for s in starts], arrow_type)


def _coded(pa: Any, codes: npt.NDArray[np.int32], names: tuple[str, ...]) -> Any:
    indices = pa.array(np.ascontiguousarray(codes), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))


def schema_of(pa: Any, columns: GameColumns) -> Any:
    """Return the columns of a file that holds these games."""
    texts = pa.dictionary(pa.int32(), pa.string())
    players = range(columns.returns.shape[1])

    def lists(kind: Any) -> Any:
        return pa.list_(pa.field("element", kind, nullable=False))

    has_pickles = any(isinstance(start, bytes) for start in columns.starts.values())
    fields = [
        pa.field("start", pa.string()),
        *([pa.field("start_pickle", pa.binary())] if has_pickles else []),
        pa.field("actions", lists(pa.from_numpy_dtype(columns.actions.dtype)), nullable=False),
        *(pa.field(f"return_{player}", pa.float32(), nullable=False) for player in players),
        *(pa.field(f"player_{player}", texts) for player in players),
        *(pa.field(f"rating_{player}", pa.int16()) for player in players),
        pa.field("date", pa.string()),
        pa.field("source", texts),
        pa.field("salvaged", pa.bool_(), nullable=False),
    ]
    if columns.visits is not None:
        counts = [pa.field(f"visit_{part}", lists(pa.int32()), nullable=False) for part in _VISITS]
        fields.extend(counts)
    fields.extend(
        pa.field(name, lists(pa.from_numpy_dtype(kind)), nullable=False)
        for name, (kind, _) in BY_DECISION.items()
        if getattr(columns, name) is not None
    )
    return pa.schema(fields)


def wrong_columns(schema: Any, players: int, num_actions: int) -> list[str]:
    """Return the columns of a file that are missing, unknown or of another type."""
    each = range(players)
    texts = ("string", "large_string", "dictionary<values=string, indices=int32, ordered=0>")
    small = num_actions <= MANY_ACTIONS
    wanted: dict[str, tuple[str, ...]] = {
        "start": texts,
        "actions": ("uint16",) if small else ("int32",),
        **dict.fromkeys((f"return_{player}" for player in each), ("float",)),
        **dict.fromkeys((f"player_{player}" for player in each), texts),
        **dict.fromkeys((f"rating_{player}" for player in each), ("int16",)),
        "date": texts,
        "source": texts,
        "salvaged": ("bool",),
    }
    optional = {
        "start_pickle": ("binary",),
        **dict.fromkeys(("visit_lengths", "visit_actions", "visit_counts"), ("int32",)),
        "values": ("float",),
        "surprises": ("float",),
        "phases": ("int8",),
    }
    present = {name: _type_of(schema.field(name).type) for name in schema.names}
    wanted |= {name: kinds for name, kinds in optional.items() if name in present}
    if "visit_lengths" in present or "visit_actions" in present or "visit_counts" in present:
        wanted |= {name: kinds for name, kinds in optional.items() if name.startswith("visit_")}
    unknown = [name for name in present if name not in wanted]
    return [*(name for name in wanted if present.get(name) not in wanted[name]), *unknown]


def _type_of(kind: Any) -> str:
    """Return a type as text; of a list, that of its elements."""
    return str(kind.value_type) if str(kind).startswith("list<") else str(kind)
