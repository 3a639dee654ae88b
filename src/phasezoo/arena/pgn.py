"""Matches as PGN."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from phasezoo import games
from phasezoo.arena.records import GameRecord, Thought
from phasezoo.data.centipawns import centipawns_of_value
from phasezoo.data.pgn import moves_from, pgn_text, variant_tag
from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.games.options import file_path
from phasezoo.runs.files import MAKE_ROOM, append_line, write_whole
from phasezoo.runs.lock import LockedFile, acquire

TERMINATIONS = {
    "rules": "normal",
    "resignation": "adjudication",
    "agreement": "adjudication",
    "tables": "adjudication",
    "max_plies": "unterminated",
    "forfeit": "abandoned",
}
"""Value of the tag ``Termination`` for each ending (PGN standard, §9.8.1)."""

_FIRST_WORD = b"[Event "
_GAME_START = re.compile(rb"(?m)^(?=\[Event )")

FORFEITS = {"timeout": "time forfeit", "illegal_move": "rules infraction"}
"""The same of forfeits, by their reasons."""


def pgn_of(record: GameRecord, names: Sequence[str], game: str = "chess", event: str = "") -> str:
    """Return a game as PGN, in the standard's export format, with a blank line at the end.

    Tags beyond the standard's: ``OpeningPlies`` (moves that the agents did not choose), ``Reason``
    (how the game ended), ``Note`` (of a forfeit) and ``Seeds`` (of White's and Black's random
    streams). A comment after a move says what the agent did: ``[%eval 0.35,12]`` pawns for White at
    depth 12, ``[%nodes 800]``, ``[%phase 1]`` by the search's gate; of players whose limit is of
    time ``[%emt 0:00:01.500]``, what the move took, and of those with a clock
    ``[%clk 0:00:59.100]``, what is left after it. There is no date, and no time of other players,
    so that the same match gives the same file.

    Args:
        record: A finished game of two players.
        names: Of the sides 0 and 1.
        game: The game's name.
        event: The match's name; default ``names``.

    Raises:
        InvalidConfig: The game has no SAN.
    """
    handle = games.make(game)
    state = (
        handle.initial_state() if record.start_fen is None else handle.from_fen(record.start_fen)
    )
    if not hasattr(state, "san"):
        message = f"{game!r} has no SAN and so no PGN: keep its games with log= or on_game="
        raise InvalidConfig(message)
    white, black = (names[agent] for agent in record.agents)
    first, second = (names[agent] for agent in record.pairing)
    tags = {
        "Event": event or f"{first} v {second}",
        "Site": "?",
        "Date": "????.??.??",
        "Round": f"{record.group + 1}.{record.number % len(record.sides) + 1}",
        "White": white,
        "Black": black,
        "Result": record.result,
    }
    if record.start_fen is not None:
        tags |= {"SetUp": "1", "FEN": record.start_fen}
    tags |= variant_tag(handle)
    tags |= {
        "PlyCount": str(record.plies),
        "Termination": FORFEITS.get(record.reason, TERMINATIONS[record.ending]),
        "Reason": record.reason,
        **({"Note": record.note} if record.note else {}),
        "OpeningPlies": str(len(record.opening_moves)),
        "Seeds": " ".join(map(str, record.seeds)),
    }
    comments = [None] * len(record.opening_moves) + [
        comment_of(thought, player=index + len(record.opening_moves) + state.to_play)
        for index, thought in enumerate(record.thoughts)
    ]
    return pgn_text(tags, moves_from(state, (*record.opening_moves, *record.moves)), comments)


def comment_of(thought: Thought | None, player: int) -> str | None:
    """An agent's report of its move as a comment; even players are White."""
    if thought is None:
        return None
    parts = []
    if thought.value is not None:
        white = centipawns_of_value(thought.value) * (-1) ** (player % 2)
        parts.append(f"[%eval {white / 100:.2f}{f',{thought.depth}' if thought.depth else ''}]")
    if thought.nodes:
        parts.append(f"[%nodes {thought.nodes}]")
    if thought.phase is not None:
        parts.append(f"[%phase {thought.phase}]")
    if thought.seconds is not None:
        parts.append(f"[%emt {_time(thought.seconds)}]")
    if thought.clock is not None:
        parts.append(f"[%clk {_time(thought.clock)}]")
    return " ".join(parts)


def _time(seconds: float) -> str:
    """Hours, minutes and seconds, to a millisecond."""
    minutes, milliseconds = divmod(round(1000 * seconds), 60_000)
    return f"{minutes // 60}:{minutes % 60:02}:{milliseconds / 1000:06.3f}"


class PgnFile(LockedFile):
    """A PGN file to which finished games are appended; at the end it is put in order.

    A context manager: the file is locked until it is left, so that no other process writes it.

    Args:
        path: A new file; the file of an interrupted match is written anew from ``completed``.
        names: Of the sides 0 and 1.
        game: The game's name.
        completed: Games that were finished earlier.

    Raises:
        RunDirectoryError: The file holds anything else than completed games, is being written by
            another process, or cannot be written.
        InvalidConfig: The game has no SAN, or ``path`` is not a path.
    """

    def __init__(
        self,
        path: Path | str,
        names: Sequence[str],
        game: str = "chess",
        completed: Sequence[GameRecord] = (),
    ) -> None:
        place = file_path("pgn", path)
        self._names = tuple(names)
        self._game = game
        if not hasattr(games.make(game).state_type, "san"):
            message = f"{game!r} has no SAN and so no PGN: keep its games with log= or on_game="
            raise InvalidConfig(message)
        super().__init__(place, "the games of a match are")
        with self._locks as locks:
            if not self._holds_only(completed):
                message = f"{self.path} exists: choose another path, or remove it"
                raise RunDirectoryError(message)
            self.rewrite(completed)
            self._locks = locks.pop_all()

    def _holds_only(self, completed: Sequence[GameRecord]) -> bool:
        """Return whether the file has no other games; a kill may have cut the last one short."""
        *before, last = _GAME_START.split(self.path.read_bytes())
        own = {self._text([each]).encode(errors="replace") for each in completed}
        whole = {text.strip() for text in own} | {b""}
        if any(text.strip() not in whole for text in before):
            return False
        # What was cut in the first word of a game stands behind the game before it.
        beginnings = (last.removeprefix(text) for text in own if last.startswith(text))
        is_cut = any(_FIRST_WORD.startswith(begun) for begun in beginnings)
        is_cut |= any(text.startswith(last) for text in own)
        # A game may be here that was not kept elsewhere when its process was killed.
        events = {text.split(b"\n", 1)[0] for text in own}
        return last.strip() in whole or is_cut or last.split(b"\n", 1)[0] in events

    def append(self, record: GameRecord) -> None:
        """Write a finished game through to the disk."""
        text = self._text([record]).removesuffix("\n")
        with self._described(self.path):
            append_line(self.path, text.encode())

    def rewrite(self, records: Sequence[GameRecord]) -> None:
        """Replace the file's content by ``records``, in order of their numbers."""
        new = self.path.with_name(self.path.name + ".new")
        text = self._text(sorted(records, key=lambda record: record.number))
        try:
            with self._described(self.path):
                write_whole(new, text)
            # Whoever has opened the file that is replaced finds it locked, and so is the new one.
            self._locks.enter_context(acquire(new))
            with self._described(self.path):
                new.replace(self.path)
        finally:
            new.unlink(missing_ok=True)

    def _text(self, records: Sequence[GameRecord]) -> str:
        return "".join(pgn_of(record, self._names, self._game) for record in records)

    @contextmanager
    def _described(self, path: Path) -> Iterator[None]:
        """Say of what the disk refuses that no game is lost."""
        try:
            yield
        except OSError as error:
            message = (
                f"{path}: cannot be written ({error.strerror}); games written before are safe: "
                f"{MAKE_ROOM}"
            )
            raise RunDirectoryError(message) from error
