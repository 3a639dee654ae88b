"""Stored games of any game: opening, saving, splitting and labelling them, making batches."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from phasezoo import _core, gating
from phasezoo.checking import type_name
from phasezoo.data.batches import Batch, batch_of
from phasezoo.data.columns import (
    BY_DECISION,
    GameColumns,
    Start,
    Texts,
    Visits,
    as_column,
    starts_of,
)
from phasezoo.data.positions import PhaseTable, PositionTable, phases_in_chunks
from phasezoo.data.splits import FRACTIONS, SPLITS, Splits, ranked, split_word
from phasezoo.data.state_records import StateRecords, records_of
from phasezoo.data.store_dataset import Named, columns_of_rows
from phasezoo.data.store_file import action_type, decisions_a_ply, write_text
from phasezoo.data.store_folder import read_store, sample_file, write_store
from phasezoo.errors import CorruptRecord, InvalidArray, StoreError
from phasezoo.games import Game, make
from phasezoo.games.options import file_path
from phasezoo.specs import check_value

SAMPLE = "sample"
"""Prefix of games in the package: ``sample:krk``; ``sample`` alone is chess."""


class GameStore:
    """Games of one kind, as actions: 91 million positions of chess are about 200 MB.

    Planes, phases and targets are made of the actions when they are asked for, so that another gate
    or other planes cost nothing. Games of the package are replayed by the native core, a user's own
    through its states (``docs/definitions/data.md``). The arrays cannot be written.

    Args:
        game: The game, or its name.
        actions: All games' actions one after the other, as ``state.play`` takes them: one a ply;
            where all move at once, one of each player a ply (0 of those who are out).
        offsets: ``int64[N + 1]``: game ``i`` has the plies ``offsets[i]`` to ``offsets[i + 1]``.
        returns: ``float32[N, players]``: what each player got, in [-1, 1].
        starts: Starts of the games that do not start as usual, as text
            (``docs/definitions/data.md#starts``).
        players: ``[N, players]`` names, None if unknown; default everywhere.
        ratings: ``int16[N, players]``, 0 if unknown; default everywhere.
        dates: ``bytes10[N]``, ``YYYY.MM.DD`` with ``?``; empty if unknown; default everywhere.
        sources: ``[N]`` texts: where each game comes from; default unknown.
        salvaged: ``bool[N]``: whether the end of a game could not be read; default nowhere.
        visits: Visit counts of searches: of each decision the actions visited and how often.
        values: ``float32``: what a search expected for who acts, of each decision; nan if unknown.
        surprises: ``float32``: the Kullback-Leibler divergence, in nats, of a search's policy from
            its priors, of each decision; nan if unknown.
        phases: ``int8``: the phase of each decision at the time; -1 if unknown.
        metadata: What else is known of the games; kept in the file.

    Raises:
        CorruptRecord: The columns do not fit together, or a start is not valid.
        InvalidArray: A column has another length or kind of numbers.
        UnknownGame: There is no such game.
    """

    def __init__(
        self,
        game: str | Game,
        actions: npt.ArrayLike,
        offsets: npt.ArrayLike,
        returns: npt.ArrayLike,
        *,
        starts: Mapping[int, Start] | None = None,
        players: Any = None,
        ratings: npt.ArrayLike | None = None,
        dates: npt.ArrayLike | None = None,
        sources: Any = None,
        salvaged: npt.ArrayLike | None = None,
        visits: Visits | Sequence[npt.ArrayLike] | None = None,
        values: npt.ArrayLike | None = None,
        surprises: npt.ArrayLike | None = None,
        phases: npt.ArrayLike | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        made = make(game)
        kept = as_column("offsets", offsets, np.int64)
        count = max(len(kept) - 1, 0)
        shape = (count, made.num_players)
        by_decision = {"values": values, "surprises": surprises, "phases": phases}
        columns = GameColumns(
            actions=as_column("actions", actions, action_type(made)),
            offsets=kept,
            returns=as_column("returns", returns, np.float32, 2),
            starts=starts_of(starts),
            ratings=as_column("ratings", _or(ratings, shape, np.int16), np.int16, 2),
            players=Texts.of(players, shape),
            dates=as_column("dates", _or(dates, count, "S10"), "S10"),
            sources=Texts.of(sources, (count,)),
            salvaged=as_column("salvaged", _or(salvaged, count, np.bool_), np.bool_),
            visits=None if visits is None else Visits.of(visits),
            width=decisions_a_ply(made),
            **{
                name: None if column is None else as_column(name, column, BY_DECISION[name][0])
                for name, column in by_decision.items()
            },
        )
        for name in ("returns", "ratings"):
            given = getattr(columns, name).shape
            if given[1] != made.num_players:
                message = f"{name} is {list(given)}; {made.name!r} has {made.num_players} players"
                raise InvalidArray(message)
        self._set(made, columns.check(made.num_actions), metadata or {})

    @classmethod
    def of(
        cls,
        game: Game,
        columns: GameColumns,
        metadata: Mapping[str, Any] | None = None,
        parts: npt.NDArray[np.int8] | None = None,
    ) -> Self:
        """Return a store of columns that fit together; ``parts`` as :attr:`parts`."""
        store = object.__new__(cls)
        store._set(game, columns, metadata or {}, parts=parts)
        return store

    def _set(
        self,
        game: Game,
        columns: GameColumns,
        metadata: Mapping[str, Any],
        damaged: tuple[str, ...] = (),
        parts: npt.NDArray[np.int8] | None = None,
    ) -> None:
        self.game = game
        self.columns = columns
        self.metadata = dict(metadata)
        self.damaged = damaged
        #: ``int8[N]``: 0, 1, 2 for games of train, validation and test, where the folder says so.
        self.parts = parts
        self.records: Any = records_of(game, columns)

    def __getstate__(self) -> tuple[Any, ...]:  # another process makes records of its own
        return self.game, self.columns, self.metadata, self.damaged, self.parts

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        game, columns, *others = state
        self._set(game, columns.locked(), *others)

    @classmethod
    def open(cls, path: str | Path, *, allow_pickle: bool = False) -> Self:
        """Return the games of a folder or a Parquet file.

        ``"sample:krk"`` is :meth:`sample`. Others are written by :meth:`save`,
        :class:`phasezoo.training.StoreWriter` and ``phasezoo data import``. If a file of a folder
        is damaged, the others are used: :attr:`damaged` and a warning say so. A folder with the
        three stores ``train``, ``validation`` and ``test``, as an import by month makes it, is one
        store that :meth:`split` divides in this way.

        Args:
            path: The folder or the file.
            allow_pickle: Whether starts that were pickled may be read. Only set this for a file
                that you trust: unpickling runs what the file says.

        Raises:
            MissingDependency: pyarrow is not installed.
            StoreError: It is missing, cut short, of another game than it says, no games store, or
                holds pickled starts.
        """
        kind, _, game = str(path).partition(":")
        if kind == SAMPLE and not Path(path).exists():
            return cls.sample(game or "chess")
        place = file_path("path", path, StoreError)
        read = read_store(place)
        of = read.about.made(place)
        if not allow_pickle and any(isinstance(s, bytes) for s in read.columns.starts.values()):
            message = (
                f"{path}: holds pickled starts, which run code when they are read; if you trust "
                "who made it, open it with GameStore.open(…, allow_pickle=True)"
            )
            raise StoreError(message)
        store = object.__new__(cls)
        try:
            store._set(of, read.columns, read.about.metadata, read.damaged, read.parts)
        except (CorruptRecord, InvalidArray) as error:
            message = f"{path}: {error}; the file is damaged: make it anew"
            raise StoreError(message) from error
        return store

    @classmethod
    def sample(cls, game: str | Game = "chess") -> Self:
        """Return the sample games inside the package.

        Raises:
            StoreError: The package has no sample games of this game, or none with its options.
        """
        with sample_file(make(game)) as path:
            return cls.open(path)

    @classmethod
    def merge(cls, stores: "Iterable[GameStore]") -> Self:
        """Return the games of several stores of one game, one after the other.

        Games of folders that are split (:meth:`split`) stay in their parts.

        Raises:
            StoreError: There are none, one is no store, they are of different games or options, or
                some are split and some are not.
        """
        given: list[Any] = list(stores) if isinstance(stores, Iterable) else [stores]
        if not given:
            message = "there are no stores to merge: give at least one"
            raise StoreError(message)
        for store in given:
            if not isinstance(store, GameStore):
                message = f"{type_name(store)} is no store to merge; GameStore.open opens one"
                raise StoreError(message)
            first, other = given[0].game, store.game
            if (other.name, other.options) != (first.name, first.options):
                message = (
                    f"games of {first.name!r} {dict(first.options)} and of {other.name!r} "
                    f"{dict(other.options)} cannot be in one store: merge those that are alike"
                )
                raise StoreError(message)
        parts = [store.parts for store in given if store.parts is not None]
        if parts and len(parts) < len(given):
            message = (
                "some of these stores are split into train, validation and test, and some are not: "
                "open those three folders as stores of their own, and merge part by part"
            )
            raise StoreError(message)
        metadata = {key: value for store in given for key, value in store.metadata.items()}
        columns = GameColumns.joined([store.columns for store in given])
        return cls.of(first, columns, metadata, np.concatenate(parts) if parts else None)

    @classmethod
    def from_dataset(
        cls,
        dataset: Any,
        game: str | Game = "chess",
        *,
        moves: str = "moves",
        result: Named = None,
        start: Named = None,
        players: Named = None,
        ratings: Named = None,
        date: Named = None,
        source: Named = None,
        skip: bool = False,
    ) -> Self:
        """Return the games of a data set that others made, one a row.

        Args:
            dataset: A part of a Hugging Face data set (``load_dataset(…)["train"]``), a pandas
                ``DataFrame``, or rows of any kind that are mappings.
            game: The game, or its name.
            moves: The column of moves: a text or a list of moves in UCI notation or SAN, or a list
                of actions.
            result: The column of results: ``"1-0"``, what the first of two players got, or a list
                of what each got; None: what the games say at their ends.
            start: The column of starts (``docs/definitions/data.md#starts``), such as FENs.
            players: The column of names, or one for each player.
            ratings: The same for ratings.
            date: The column of dates, ``YYYY-MM-DD`` or ``YYYY.MM.DD``.
            source: The column that says where the games come from.
            skip: Whether rows that are no game are skipped, and counted in the store's
                ``metadata["skipped"]``.

        Raises:
            CorruptRecord: A row is no game, and ``skip`` is not set; the message names it.
            InvalidConfig: There is no such column.
        """
        made = make(game)
        names = {
            "moves": moves,
            "result": result,
            "start": start,
            "players": players,
            "ratings": ratings,
            "date": date,
            "source": source,
        }
        columns, skipped = columns_of_rows(made, decisions_a_ply(made), dataset, names, skip=skip)
        return cls.of(made, columns, {"skipped": skipped} if skipped else {})

    def to_pgn(self, path: str | Path | None = None, *, overwrite: bool = False) -> str | None:
        """Return the games as PGN: as text, or in a file, which appears only once it is whole.

        A salvaged game, whose later moves could not be read, has the result ``*``.

        Args:
            path: The file; None: return the text.
            overwrite: Whether a file that is there may be replaced.

        Raises:
            CorruptRecord: A game cannot be replayed.
            InvalidConfig: The game is not written as PGN.
            StoreError: The file exists or cannot be written.
        """
        from phasezoo.data.pgn import games_as_pgn

        texts = games_as_pgn(self)
        if path is None:
            return "".join(texts)
        write_text(file_path("path", path, StoreError), texts, overwrite=overwrite)
        return None

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the games to a folder, or to a file if the name ends in ``.parquet``.

        It appears only once it is whole. Games of a folder that is split (:meth:`split`) make such
        a folder again.

        Args:
            path: The folder or the file.
            overwrite: Whether a store that is there may be replaced.

        Raises:
            MissingDependency: pyarrow is not installed.
            StoreError: Something is there already, or it cannot be written (a full disk, say), or
                games that are split are to go to one file; what was there before is left as it was.
        """
        place = file_path("path", path, StoreError)
        write_store(
            place, self.game, self.columns, self.metadata, parts=self.parts, overwrite=overwrite
        )

    @property
    def variant(self) -> str:
        """The game's name."""
        return self.game.name

    @property
    def actions(self) -> npt.NDArray[Any]:
        """All games' actions one after the other; see the class."""
        return self.columns.actions

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """``int64[N + 1]``: game ``i`` has the plies ``offsets[i]`` to ``offsets[i + 1]``."""
        return self.columns.offsets

    @property
    def returns(self) -> npt.NDArray[np.float32]:
        """``float32[N, players]``: what each player got."""
        return self.columns.returns

    @property
    def starts(self) -> Mapping[int, Start]:
        """Starts of the games that do not start as usual."""
        return self.columns.starts

    @property
    def has_visits(self) -> bool:
        """Whether visit counts of searches are known."""
        return self.columns.visits is not None

    @property
    def has_values(self) -> bool:
        """Whether it is known what searches expected."""
        return self.columns.values is not None

    @property
    def has_history(self) -> bool:
        """Whether planes show moves before the position, which can be left out."""
        return bool(self.game.shown_moves)

    @property
    def num_symmetries(self) -> int:
        """Number of symmetries of a position, the identity included.

        Some positions may have fewer, as those of chess in which a player may still castle.
        """
        return int(self.records.num_symmetries)

    @property
    def is_symmetric(self) -> bool:
        """Whether the usual start has all these symmetries."""
        ways = self.records.symmetries([self.game.initial_state()])
        return int(ways[0]) == self.num_symmetries

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.columns)

    @property
    def num_positions(self) -> int:
        """How many positions there are: one before every ply.

        Where all move at once, each of them is a row of ``positions(gate)`` for every player who is
        still in.
        """
        return self.columns.num_plies

    def __repr__(self) -> str:
        what = "positions" if self.columns.width == 1 else "plies of all players at once"
        games = f"{len(self):,} games of {self.variant}"
        return f"<{type(self).__name__} of {games}, {self.num_positions:,} {what}>"

    def subset(self, game_indices: npt.ArrayLike) -> Self:
        """Some of the games, in the order given.

        They stay in the parts of a folder that is split (:meth:`split`).

        Raises:
            CorruptRecord: There is no such game.
            InvalidArray: They are no list of indices; ``np.flatnonzero`` makes one of a mask.
        """
        index = as_column("game_indices", game_indices, np.int64)
        wrong = index[(index < 0) | (index >= len(self))]
        if wrong.size:
            message = f"there is no game {wrong[0]}: there are {len(self)}, counted from 0"
            raise CorruptRecord(message)
        parts = None if self.parts is None else self.parts[index]
        return self.of(self.game, self.columns.take(index), self.metadata, parts)

    def split(self, seed: int, fractions: Sequence[float] | None = None) -> Splits:
        """Split by game into train, validation and test.

        Games of a folder that holds these three parts (:meth:`open`) stay in them, unless fractions
        are given. Otherwise games are ranked by a hash of the seed, their start and their actions,
        the same on every machine; games that are the same always fall into the same part, even if
        that shifts a boundary by a game or two.

        Args:
            seed: Chooses the split.
            fractions: Shares of train, validation and test, which add up to 1; None: the parts of
                the folder, or (0.8, 0.1, 0.1) if it has none.

        Raises:
            InvalidConfig: The fractions are not three shares of a whole.
        """
        seed = check_value("seed", int, seed)
        if fractions is None and self.parts is not None:
            parts = [np.flatnonzero(self.parts == part) for part in range(len(SPLITS))]
        else:
            hashes = self.records.hashes(split_word(seed))
            parts = ranked(hashes, FRACTIONS if fractions is None else fractions)
        # A part by itself is in no parts any more, and is split as any other store is.
        return Splits(*(self.of(self.game, self.columns.take(p), self.metadata) for p in parts))

    def positions(self, gate: Any = "none", *, threads: int | None = None) -> PositionTable:
        """Return every position before a ply for everyone who acts there; every action is checked.

        A monotone gate is given the phase one ply before in the same game, of the same player if
        all move at once. A gate in Python is asked about the positions of some games at the same
        ply at once.

        Args:
            gate: A gate or its specification.
            threads: Threads; default all that this process may use.

        Raises:
            CorruptRecord: A game cannot be replayed; the message names it.
            InvalidGate: It is no gate, does not fit the game, or answers no phase.
        """
        made = gating.make(gate, self.variant)
        own = isinstance(self.records, StateRecords) or isinstance(made, _core.Gate)
        asked = made if own else _core.Gate("none")
        game, ply, player, phase, key = self.records.label(asked, threads)
        if not own:
            width = self.columns.width
            phase = phases_in_chunks(made, self.records.states, game, ply, player, width)
        return PositionTable(game, ply, player, phase, key, tuple(made.names), made.spec)

    def batch(
        self,
        table: PositionTable,
        rows: npt.NDArray[np.int64],
        planes: str,
        *,
        hidden: npt.NDArray[np.bool_] | None = None,
        symmetries: npt.NDArray[np.uint8] | None = None,
        value_mix: float = 0.0,
        threads: int | None = None,
        packed: bool = False,
    ) -> Batch:
        """Return the batch of some rows of a table of this store, whose actions were checked.

        The policy is what searches visited, if the store knows; in positions that nobody searched
        it is the action played.

        Args:
            table: Positions, from :meth:`positions`.
            rows: ``int64[B]``: indices into the table.
            planes: Which input planes.
            hidden: ``bool[B]``: whose last moves are left out of the planes, as if the position had
                been set up from a FEN; repetitions stay counted. None: nobody's.
            symmetries: ``uint8[B]``: by which symmetry each is turned, as far as it has that one;
                None: none is.
            value_mix: Share (0 to 1) of what searches expected in the values, where that is known.
            threads: Threads; default all that this process may use.
            packed: Whether the planes come packed.

        Raises:
            CorruptRecord: A game cannot be replayed.
            InvalidArray: The table has no such rows.
            InvalidConfig: ``symmetries`` or ``hidden`` are given, and the game has none, or its
                planes show no moves; or ``value_mix`` is no share.
            InvalidPlaneSpec: The game has no such planes.
        """
        return batch_of(
            self, table, rows, planes, hidden, symmetries, value_mix, threads, packed=packed
        )

    def phase_table(
        self,
        gate: Any = "none",
        *,
        seed: int = 0,
        fractions: Sequence[float] | None = None,
        threads: int | None = None,
    ) -> PhaseTable:
        """Games and positions per phase, of each part of :meth:`split` and of all games."""
        return self.split(seed, fractions).phase_table(gate, threads=threads)


def _or(column: npt.ArrayLike | None, shape: Any, dtype: Any) -> npt.ArrayLike:
    return np.zeros(shape, dtype=dtype) if column is None else column
