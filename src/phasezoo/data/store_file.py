"""A file of stored games: one Parquet file, a row a game, format version 2.

| column | type |
|---|---|
| start | string, null for the usual start |
| start_pickle | binary, only if a start could not be written as text |
| actions | list of uint16 (int32 in games of more than 65,536 actions) |
| return_0, return_1, … | float32: what each player got |
| player_0, … | string, null if unknown |
| rating_0, … | int16, null if unknown |
| date | string ``YYYY.MM.DD``, null if unknown |
| source | string, null if unknown |
| salvaged | bool: the end of the game could not be read |
| visit_lengths, visit_actions, visit_counts | lists of int32: entries of each decision, then all entries; optional |
| values | list of float32, nan if unknown; optional |
| surprises | list of float32, nan if unknown; optional |
| phases | list of int8, -1 if unknown; optional |

The file's metadata has a key ``phasezoo`` with JSON: :class:`Description`.
"""  # noqa: E501

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.data.columns import GameColumns
from phasezoo.data.store_tables import (
    MANY_ACTIONS,
    columns_of,
    schema_of,
    table_of,
    wrong_columns,
)
from phasezoo.errors import (
    CorruptRecord,
    InvalidArray,
    InvalidConfig,
    PhasezooError,
    StoreError,
    first_line,
    needs,
)
from phasezoo.games import Game, make
from phasezoo.games.queries import action_spec
from phasezoo.runs import jsonable
from phasezoo.runs.files import MAKE_ROOM, check_parent, check_replaceable
from phasezoo.runs.whole import appearing

UNCHANGED = f"nothing was changed there: {MAKE_ROOM}"
"""The end of a message about a store that cannot be written."""

FORMAT_VERSION = 2
"""Raised when the columns change."""

_CONVERT = (
    ". Version 0.2.0 converts it: run there "
    "python -c \"from phasezoo.training import GameStore; GameStore.open('OLD').save('NEW')\""
)
"""The end of a message about a store of format 1."""

_KEY = b"phasezoo"
_ROW_GROUP = 8_192  # games: few enough to read in parts, enough to share a dictionary of actions

_TEXT_TYPES = ("string", "large_string", "binary", "large_binary")

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
"""Bytes of a value as Parquet holds it in memory; of a text those of its place."""

_A_ROW = 64
"""Bytes of a game besides its columns: its date and its start are objects for a while."""

_ALWAYS_READ = 1 << 29
"""Bytes of memory that a file may ask for whatever its size: small files of equal games do."""

_MOST_TIMES = 256
"""Times its size that a larger file may ask for. Played games take two to ten times as much."""


class DamagedFile(StoreError):
    """A file that is cut short, or changed by something else than phasezoo."""


@dataclass(frozen=True)
class Description:
    """Metadata of a file."""

    game: str
    """The game's registered name."""
    options: Mapping[str, Any]
    """Options of the game."""
    actions: str
    """Layout of the actions (:func:`phasezoo.inference.storage.manifest.action_spec`)."""
    num_actions: int
    """Size of the action space."""
    num_players: int
    """Players of a game."""
    actions_a_ply: int
    """One, or one of each player where all move at once."""
    games: int = 0
    """Rows."""
    plies: int = 0
    """Plies of all games."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Metadata that the writer of the file added."""

    @classmethod
    def of(cls, game: Game, columns: GameColumns, metadata: Mapping[str, Any]) -> "Description":
        """Return the description of some games."""
        return cls(
            game=game.name,
            options=json.loads(json.dumps(dict(game.options))),  # as a file holds them
            actions=_action_spec(game),
            num_actions=game.num_actions,
            num_players=game.num_players,
            actions_a_ply=columns.width,
            games=len(columns),
            plies=columns.num_plies,
            metadata=dict(metadata),
        )

    def made(self, path: Path) -> Game:
        """Return the game."""
        try:
            game = make(self.game, **self.options)
        except PhasezooError as error:
            message = (
                f"{path}: {error}; a store of a game of your own needs the module that registers "
                "it to be imported first"
            )
            raise StoreError(message) from error
        own = (_action_spec(game), game.num_actions, game.num_players)
        stored = (self.actions, self.num_actions, self.num_players)
        if own != stored:
            message = (
                f"{path}: games of {self.game!r} with actions {stored[0]!r} ({stored[1]}) of "
                f"{stored[2]} players; the game of that name here has {own[0]!r} ({own[1]}) of "
                f"{own[2]} players: register the game that the store was made with, "
                "or make the store anew"
            )
            raise StoreError(message)
        return game


def action_type(game: Game) -> npt.DTypeLike:
    """Return the data type in which a game's actions are stored."""
    return np.uint16 if game.num_actions <= MANY_ACTIONS else np.int32


def decisions_a_ply(game: Game) -> int:
    """Actions of a ply: one of each player if all move at once from the start on, else one."""
    from phasezoo.types import SIMULTANEOUS

    return game.num_players if game.initial_state().to_play == SIMULTANEOUS else 1


def _action_spec(game: Game) -> str:
    return action_spec(game.num_actions, game.plane_shape())


def read_file(path: Path) -> tuple[Description, GameColumns]:
    """Read a file's metadata and its games."""
    pa, pq = arrow()
    if path.exists() and not path.is_file():
        message = (
            f"{path}: not a regular file; give a games store, as phasezoo data import makes it"
        )
        raise StoreError(message)
    is_pgn = ".pgn" in path.suffixes[-2:]
    if not path.is_file():
        hint = "" if is_pgn else f"; make one with: phasezoo data import GAMES.pgn {path}"
        message = f"{path}: no such file{hint}"
        raise StoreError(message)
    if is_pgn:
        message = (
            f"{path} is PGN: make a store of it first, phasezoo data import {path} GAMES/ "
            f"(in Python training.import_pgn({str(path)!r}, 'GAMES'))"
        )
        raise StoreError(message)
    try:
        schema = pq.read_schema(path)
        about = _about(path, schema)
        about.made(path)
        # As codes texts take no more than the file has of them, however many rows say the same.
        texts = [field.name for field in schema if str(field.type) in _TEXT_TYPES]
        options = {"page_checksum_verification": True, "read_dictionary": texts}
        with pq.ParquetFile(path, **options) as file:
            _check_footer(path, file, schema.names)
            asked = _asked(file.metadata)
            _check_room(path, asked)
            parts = []
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=schema.names)
                table.validate(full=True)  # reading alone lets codes pass that no text belongs to
                for name in texts:
                    asked += _text_bytes(table[name])
                    _check_room(path, asked)
                    place, plain = table.schema.get_field_index(name), schema.field(name)
                    table = table.set_column(place, plain, table[name].cast(plain.type))
                parts.append(columns_of(table, about.num_players, about.actions_a_ply))
            if not parts:
                empty = schema.empty_table()
                parts = [columns_of(empty, about.num_players, about.actions_a_ply)]
            columns = GameColumns.joined(parts).check(about.num_actions)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        message = (
            f"{path}: cannot be read as Parquet ({first_line(error)}); it is cut short or another "
            "kind of file: make it anew"
        )
        raise DamagedFile(message) from error
    except (CorruptRecord, InvalidArray) as error:
        message = f"{path}: {error}; the file is damaged: make it anew"
        raise DamagedFile(message) from error
    return about, columns


def _check_footer(path: Path, file: Any, names: Sequence[str]) -> None:
    """Refuse a footer of which pyarrow ends the process when it is asked about a column.

    It raises an error of the same footer when the column's first row is read.
    """
    groups = range(file.num_row_groups)
    _check_room(path, sum(file.metadata.row_group(group).total_byte_size for group in groups))
    for group in groups:
        next(file.iter_batches(1, row_groups=[group], columns=names, use_threads=False), None)


def _asked(footer: Any) -> int:
    """Bytes of memory that a file asks for, by its footer; texts that many rows share count once.

    A few bytes can stand for any number of equal values.
    """
    asked = _A_ROW * int(footer.num_rows)
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            width = _WIDTHS.get(column.physical_type, 8)
            asked += width * max(column.num_values, 0) + max(column.total_uncompressed_size, 0)
    return asked


def _text_bytes(column: Any) -> int:
    """Bytes of a column of codes once each row has its own text."""
    import pyarrow.compute as pc

    asked = 0
    for chunk in column.chunks:
        sizes = pc.binary_length(chunk.dictionary)
        asked += pc.sum(sizes.take(chunk.indices.drop_null())).as_py() or 0
    return asked


def _check_room(path: Path, asked: int) -> None:
    """Refuse a file that asks for much more memory than games of its size need."""
    size = path.stat().st_size
    room = max(_ALWAYS_READ, _MOST_TIMES * size)
    if asked > room:
        message = (
            f"{path}: its {size:,} bytes ask for {asked:,} bytes of memory, and {room:,} are "
            "allowed; it is damaged or not what it says: make it anew"
        )
        raise DamagedFile(message)


def describe(path: Path) -> Description:
    """Read a file's metadata without its games."""
    pa, pq = arrow()
    try:
        return _about(path, pq.read_schema(path))
    except (pa.ArrowException, OSError) as error:
        message = f"{path}: cannot be read as Parquet ({first_line(error)}); remove the file"
        raise DamagedFile(message) from error


def has_counts(path: Path) -> bool:
    """Whether a file has visits of searches; it is not read."""
    pa, pq = arrow()
    try:
        return "visit_lengths" in pq.read_schema(path).names
    except (pa.ArrowException, OSError):
        return False  # reading it says why


def _about(path: Path, schema: Any) -> Description:
    """The description of the file's games, if this version can read it."""
    try:
        about = jsonable.parsed((schema.metadata or {})[_KEY])
        kind, version = about.pop("kind"), about.pop("format_version")
    except (KeyError, TypeError, ValueError, AttributeError):
        message = (
            f"{path}: Parquet, but no games store of phasezoo; make one with phasezoo data import"
        )
        raise StoreError(message) from None
    if kind != "games" or version != FORMAT_VERSION:
        advice = _CONVERT if (kind, version) == ("games", 1) else ""
        message = (
            f"{path}: a store of {kind!r}, format version {version!r}; this version of phasezoo "
            f"reads 'games', version {FORMAT_VERSION}{advice}"
        )
        raise StoreError(message)
    twice = [name for name, count in Counter(schema.names).items() if count > 1]
    if twice:
        message = f"{path}: the columns {', '.join(twice)} are there twice; make the file anew"
        raise DamagedFile(message)
    try:
        description = jsonable.decode(Description, about)
        _check_sizes(description, schema)
    except InvalidConfig as error:
        message = f"{path}: its description was changed ({error}); make the file anew"
        raise StoreError(message) from error
    wrong = wrong_columns(schema, description.num_players, description.num_actions)
    if wrong:
        message = f"{path}: the columns {', '.join(wrong)} are missing, unknown or of another type"
        raise StoreError(message)
    return description


def _check_sizes(about: Description, schema: Any) -> None:
    """Refuse impossible numbers of players and actions."""
    players, width = about.num_players, about.actions_a_ply
    if not 1 <= players <= len(schema.names) or width not in (1, players):
        message = f"{width} actions a ply of {players} players"
        raise InvalidConfig(message)


def write_file(
    path: Path,
    game: Game,
    columns: GameColumns,
    metadata: Mapping[str, Any],
    *,
    overwrite: bool = False,
) -> None:
    """Write games to a file, which appears only once it is whole."""
    pa, pq = arrow()
    check_writable(path, overwrite=overwrite)
    described = asdict(Description.of(game, columns, metadata))
    about = {"format_version": FORMAT_VERSION, "kind": "games", **described}
    schema = schema_of(pa, columns).with_metadata({_KEY: json.dumps(about).encode()})
    # About 1,900 different moves occur in chess, so a dictionary needs 11 bits a move: less than
    # zstd makes of the plain numbers.
    options = {
        "compression": "zstd",
        "compression_level": 9,
        "use_dictionary": True,
        "write_page_checksum": True,
    }
    try:
        with _appearing(path) as file:
            with pq.ParquetWriter(file, schema, **options) as writer:
                for first in range(0, len(columns), _ROW_GROUP):
                    last = min(first + _ROW_GROUP, len(columns))
                    writer.write_table(table_of(pa, schema, columns, first, last))
            check_writable(path, overwrite=overwrite)  # another process may have been faster
    except pa.ArrowException as error:
        message = f"{path} cannot be written ({first_line(error)}); {UNCHANGED}"
        raise StoreError(message) from error


def write_text(path: Path, parts: Iterable[str], *, overwrite: bool = False) -> None:
    """Write text to a file, which appears only once it is whole."""
    check_writable(path, overwrite=overwrite)
    with _appearing(path) as file:
        for part in parts:
            file.write(part.encode())
        check_writable(path, overwrite=overwrite)


def check_writable(path: Path, *, overwrite: bool) -> None:
    """Refuse early to write where something is, or where nothing can be."""
    if path.is_dir():
        message = f"{path} is a folder; name a file in it, such as {path / 'games.parquet'}"
        raise StoreError(message)
    check_replaceable(path, StoreError)
    if path.exists() and not overwrite:
        message = f"{path} exists already: choose another name, or allow overwriting (--overwrite)"
        raise StoreError(message)
    check_parent(path, StoreError)


@contextmanager
def _appearing(path: Path) -> Iterator[Any]:
    try:
        with appearing(path) as file:
            yield file
    except OSError as error:  # Arrow's among them
        message = f"{path} cannot be written ({first_line(error)}); {UNCHANGED}"
        raise StoreError(message) from error


def arrow() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet."""
    with needs("games stores are Parquet files and need pyarrow", "data"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    return pa, pq
