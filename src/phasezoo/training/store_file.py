"""The games store on disk: one Parquet file, a row a game, format version 1.

| column | type |
|---|---|
| variant | string |
| start_fen | string, null for the usual start |
| moves | list of uint16 |
| result | int8: +1, 0, -1 |
| white_elo, black_elo | int16, null if unknown |
| date | string ``YYYY.MM.DD``, null if unknown |

The file's metadata has a key ``phasezoo`` with JSON: ``format_version``, ``kind`` (``"games"``),
``game``, counts, and whatever the maker of the file added.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import MissingDependency, StoreError

if TYPE_CHECKING:
    from phasezoo.training.store import GameStore

__all__ = ["FORMAT_VERSION", "check_writable", "read_columns", "write_columns"]

FORMAT_VERSION = 1
"""Raised when the columns change."""

_KEY = b"phasezoo"
_ROW_GROUP = 8_192  # games: few enough to read in parts, enough to share a dictionary of moves
_COLUMNS = ("variant", "start_fen", "moves", "result", "white_elo", "black_elo", "date")
_COUNTS = ("games", "positions", "results")


def read_columns(path: Path) -> dict[str, Any]:
    """The arguments of a :class:`GameStore` from a file.

    Raises:
        MissingDependency: pyarrow is not installed.
        StoreError: The file is missing, truncated, or no games store of this format.
    """
    pa, pq = _arrow()
    if not path.is_file():
        message = f"{path}: no such file; make one with: phasezoo data import GAMES.pgn {path}"
        raise StoreError(message)
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            about = _about(path, file, pa)
            groups = [
                _group(path, about["game"], file.read_row_group(index, columns=list(_COLUMNS)))
                for index in range(file.num_row_groups)
            ]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        message = (
            f"{path}: cannot be read as Parquet ({_first_line(error)}); it is truncated or another "
            "kind of file: make it anew with phasezoo data import"
        )
        raise StoreError(message) from error
    lengths = _joined(groups, "lengths", np.int64)
    first = np.cumsum([0, *(len(group["result"]) for group in groups)])
    known = {
        key: value
        for key, value in about.items()
        if key not in ("format_version", "kind", "game", *_COUNTS)
    }
    return {
        "variant": about["game"],
        "moves": _joined(groups, "moves", np.uint16),
        "offsets": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "result": _joined(groups, "result", np.int8),
        "start_fens": {
            int(start + game): fen
            for start, group in zip(first, groups, strict=False)
            for game, fen in group["start_fens"]
        },
        "white_elo": _joined(groups, "white_elo", np.int16),
        "black_elo": _joined(groups, "black_elo", np.int16),
        "dates": _joined(groups, "dates", "S10"),
        "metadata": known,
    }


def _about(path: Path, file: Any, pa: Any) -> dict[str, Any]:
    """The file's description, if it is a games store that this version can read."""
    schema = file.schema_arrow
    try:
        about = json.loads((schema.metadata or {})[_KEY])
        kind, version = about["kind"], about["format_version"]
        about["game"] = str(about["game"])
    except (KeyError, TypeError, ValueError):
        message = (
            f"{path}: Parquet, but no games store of phasezoo; make one with phasezoo data import"
        )
        raise StoreError(message) from None
    if (kind, version) != ("games", FORMAT_VERSION):
        message = (
            f"{path}: a store of {kind!r}, format version {version!r}; this version of phasezoo "
            f"reads 'games', version {FORMAT_VERSION}"
        )
        raise StoreError(message)
    types = {name: str(schema.field(name).type) for name in schema.names}
    wanted = {
        **dict.fromkeys(("variant", "start_fen", "date"), ("string", "large_string")),
        **dict.fromkeys(("white_elo", "black_elo"), ("int16",)),
        "result": ("int8",),
    }
    wrong = [name for name, allowed in wanted.items() if types.get(name) not in allowed]
    moves = schema.field("moves").type if "moves" in types else None
    if moves is None or moves.num_fields != 1 or not pa.types.is_uint16(moves.field(0).type):
        wrong.append("moves")
    if wrong:
        message = f"{path}: the columns {', '.join(wrong)} are missing or of another type"
        raise StoreError(message)
    return dict(about)


def _group(path: Path, game: str, table: Any) -> dict[str, Any]:
    """One row group as arrays."""
    columns = {name: table[name].combine_chunks() for name in _COLUMNS}
    others = set(columns["variant"].unique().to_pylist()) - {game}
    if others:
        message = f"{path}: holds games of {sorted(map(str, others))} beside {game!r}"
        raise StoreError(message)
    flat = columns["moves"].flatten()
    if columns["moves"].null_count or columns["result"].null_count or flat.null_count:
        message = f"{path}: a game has no moves or no result; the file is damaged: make it anew"
        raise StoreError(message)
    fens = columns["start_fen"]
    starts = [(row, fens[row].as_py()) for row in np.flatnonzero(fens.is_valid().to_numpy(False))]
    dates = columns["date"].fill_null("").cast("binary").to_numpy(zero_copy_only=False)
    return {
        "moves": flat.to_numpy(),
        "lengths": columns["moves"].value_lengths().to_numpy().astype(np.int64),
        "result": columns["result"].to_numpy(),
        "start_fens": starts,
        "white_elo": columns["white_elo"].fill_null(0).to_numpy(),
        "black_elo": columns["black_elo"].fill_null(0).to_numpy(),
        "dates": dates.astype("S10"),
    }


def _joined(groups: list[dict[str, Any]], name: str, dtype: Any) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=dtype), *(group[name] for group in groups)])


def write_columns(path: Path, store: "GameStore", *, overwrite: bool) -> None:
    """Write a store to a file, which appears only once it is whole.

    Raises:
        MissingDependency: pyarrow is not installed.
        StoreError: The file exists and ``overwrite`` is not set, or it cannot be written.
    """
    pa, pq = _arrow()
    check_writable(path, overwrite=overwrite)
    results = {
        name: int((store.result == value).sum())
        for name, value in (("white", 1), ("draw", 0), ("black", -1))
    }
    about = {
        "format_version": FORMAT_VERSION,
        "kind": "games",
        "game": store.variant,
        "games": len(store),
        "positions": store.num_positions,
        "results": results,
        **store.metadata,
    }
    schema = _schema(pa).with_metadata({_KEY: json.dumps(about).encode()})
    # About 1,900 different moves occur, so a dictionary needs 11 bits a move: less than zstd makes
    # of the plain numbers.
    options = {
        "compression": "zstd",
        "compression_level": 9,
        "use_dictionary": True,
        "write_page_checksum": True,
    }
    with _appearing(path, pa) as file, pq.ParquetWriter(file, schema, **options) as writer:
        for first in range(0, len(store), _ROW_GROUP):
            last = min(first + _ROW_GROUP, len(store))
            writer.write_table(_table(pa, schema, store, first, last))


def check_writable(path: Path, *, overwrite: bool) -> None:
    """Refuse early to write where something is, or where nothing can be.

    Raises:
        StoreError: The file exists and ``overwrite`` is not set, or its folder does not exist.
    """
    if path.is_dir():
        message = f"{path} is a folder; name a file in it, such as {path / 'games.parquet'}"
        raise StoreError(message)
    if path.exists() and not overwrite:
        message = f"{path} exists already: choose another name, or allow overwriting"
        raise StoreError(message)
    if not path.parent.is_dir():
        message = f"{path}: the folder {path.parent} does not exist; make it first"
        raise StoreError(message)


@contextmanager
def _appearing(path: Path, pa: Any) -> Iterator[Any]:
    """A file that takes its name when all of it is on the disk; on an error it leaves nothing."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except (OSError, pa.ArrowException) as error:
        message = f"{path} cannot be written ({_first_line(error)}); nothing was changed there"
        raise StoreError(message) from error
    finally:
        partial.unlink(missing_ok=True)


def _table(pa: Any, schema: Any, store: "GameStore", first: int, last: int) -> Any:
    rows = slice(first, last)
    offsets = store.offsets[first : last + 1]
    moves = pa.array(store.moves[offsets[0] : offsets[-1]])
    limits = pa.array((offsets - offsets[0]).astype(np.int32))
    texts = pa.array(store.dates[rows].astype("U10"), mask=store.dates[rows] == b"")
    columns = {
        "variant": pa.array([store.variant] * (last - first)),
        "start_fen": pa.array(
            [store.start_fens.get(game) for game in range(first, last)], pa.string()
        ),
        "moves": pa.ListArray.from_arrays(limits, moves, type=schema.field("moves").type),
        "result": pa.array(store.result[rows]),
        "white_elo": pa.array(store.white_elo[rows], mask=store.white_elo[rows] == 0),
        "black_elo": pa.array(store.black_elo[rows], mask=store.black_elo[rows] == 0),
        "date": texts,
    }
    return pa.table(columns, schema=schema)


def _schema(pa: Any) -> Any:
    element = pa.field("element", pa.uint16(), nullable=False)
    return pa.schema(
        [
            pa.field("variant", pa.string(), nullable=False),
            pa.field("start_fen", pa.string()),
            pa.field("moves", pa.list_(element), nullable=False),
            pa.field("result", pa.int8(), nullable=False),
            pa.field("white_elo", pa.int16()),
            pa.field("black_elo", pa.int16()),
            pa.field("date", pa.string()),
        ]
    )


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        message = "games stores are Parquet files and need pyarrow: pip install 'phasezoo[data]'"
        raise MissingDependency(message) from error
    return pa, pq


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
