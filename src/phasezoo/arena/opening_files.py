"""Openings as text: lists of moves, of positions (FEN, EPD), and games in PGN."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from phasezoo import _core, games
from phasezoo.errors import InvalidConfig, InvalidFen, InvalidPgn, InvalidUci, PhasezooError, about
from phasezoo.games import queries

_WORD = re.compile(r"\{[^}]*\}|;.*|\$\d+|\(|\)|[^\s{}();$]+|\{")
_NUMBER = re.compile(r"^\d+\.*(?=[^\d./-]|$)|^\.+")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "1/2", "*")
_MARKUP = re.compile(r"\[/?pgn(?:[\s=][^\]]*)?\]", re.IGNORECASE)
_COUNTERS = re.compile(r"\b(hmvc|fmvn)\s+([^;]*?)\s*;")
_QUOTED = re.compile(r'"[^"]*"')
_LAST_FIELDS = re.compile(r"(\d+)\s+(\d+)(?=[\s;#]|$)")
# Moves are no operations: `moves e2e4;`, `e4;` and `Nf3;` would be passed over.
_OPERATION = r"(?!moves\b|[abd-h]\d|[NBRQKO])[A-Za-z]\w*(?:\s+(?:\"[^\"]*\"|[^\s;\"]+))*\s*;"
_OPERATIONS = re.compile(rf"\s*;?(?:\s*{_OPERATION})*\s*(?:#.*)?")

_ERRORS: dict[str, type[PhasezooError]] = {
    "another variant": InvalidConfig,
    "unknown variant": InvalidConfig,
    "invalid start position": InvalidFen,
    "illegal move": InvalidUci,
    "not a move": InvalidUci,
    "null move": InvalidUci,
}
"""Errors by the core's reason to refuse a game; of all others it is :class:`InvalidPgn`."""

MOST_NAMED = 3
"""Games that were left out and are named in the warning."""


class Opening(NamedTuple):
    """Where a game starts, and what is played before the agents take over."""

    start: str | None
    """A position in FEN; None for the game's own start."""
    moves: tuple[str, ...]
    """In UCI notation, or action numbers in games that have none."""

    def states(self, game: games.Game, seed: int | None = None) -> list[Any]:
        """Return every state: where it starts, and one after each move.

        Args:
            game: Whose opening it is.
            seed: Draws the start in games with random ones.

        Raises:
            InvalidUci: A move cannot be read, or is not legal.
        """
        start = self.start
        states = [game.initial_state(seed) if start is None else game.from_fen(start)]
        for move in self.moves:
            try:
                states.append(states[-1].play(queries.action_of(states[-1], move)))
            except PhasezooError as error:  # the game may be over there
                raise InvalidUci(str(error)) from error
        return states


_SYSTEM = re.compile(r" \(os error \d+\)")


def text_of(path: Path | str, what: str) -> str:
    """Return the text of a file, which may be compressed or lie in an archive as PGN does."""
    try:
        return _core.read_text(Path(path))
    except (InvalidPgn, ValueError) as error:  # no text, or no path
        reason = _SYSTEM.sub("", str(error).removeprefix(f"{path}: "))
        if not reason.startswith("cannot be read"):
            reason = f"cannot be read as {what} ({reason})"
        message = f"{str(path)[:80]}: {reason}"
        raise InvalidConfig(message) from error


def parse_openings(text: str, game: games.Game, plies: int | None = None) -> tuple[Opening, ...]:
    """Return the openings in the text of a file.

    Text with PGN tags is read as PGN: each game's main line, by the reader that imports games.
    Otherwise each line is an opening: moves in UCI notation, SAN or action numbers, with or without
    numbers of moves; or a FEN, or an EPD, whose operations are ignored but for ``hmvc`` and
    ``fmvn``. ``#`` begins a comment. A game whose comment or variation is never closed is left out
    with a warning; every other fault is an error.

    Args:
        text: The text.
        game: Whose openings they are.
        plies: How many moves of each are taken; default all.
    """
    is_pgn = _core.has_pgn_tags(text)
    return tuple(_games_in(text, game, plies) if is_pgn else _lines_in(text, game, plies))


def _games_in(text: str, game: games.Game, plies: int | None) -> list[Opening]:
    """Return the starts and main lines of games in PGN."""
    if game.name not in _core.pgn_games():
        message = f"{game.name!r} is not written as PGN: give lists of moves"
        raise InvalidPgn(message)
    found, refused = _core.read_openings(text, game.name, plies)
    lost = [each for each in refused if each[2].endswith("never closed")]
    for each in refused:
        if each not in lost or not found:
            line, reason, text = each
            message = f"line {line}: {text}"
            raise _ERRORS.get(reason, InvalidPgn)(message)
    if lost:
        named = "; ".join(f"line {line}: {message}" for line, _, message in lost[:MOST_NAMED])
        warnings.warn(f"{len(lost)} games are no openings: {named}", stacklevel=2)
    return [Opening(start, tuple(moves)) for start, moves in found]


def _lines_in(text: str, game: games.Game, plies: int | None) -> Iterator[Opening]:
    """Yield the openings of a list, a line each."""
    found = 0
    for number, given in enumerate(text.splitlines(), start=1):
        line = _MARKUP.sub(" ", given).strip("\ufeff \t")
        words = line.split()
        if words and "/" in words[0]:
            start = ""
            try:
                start = _position(line)
                game.from_fen(start)
            except PhasezooError as error:
                message = f"line {number}: {error}{_games_of(start, game)}"
                raise InvalidFen(message) from error
            found += 1
            yield Opening(start, ())
            continue
        line = _numbered_from_one(line.partition("#")[0], number)
        with about(f"opening {found + 1} ({line.strip()[:80]})", InvalidUci):
            moves = _moves(line, game, plies)
        if moves is not None:
            found += 1
            yield Opening(None, moves)


def _games_of(position: str, game: games.Game) -> str:
    """Return a hint at the games that have a position which this game refuses."""
    others = [name for name in _core.pgn_games() if name != game.name and position]
    named = [name for name in others if _reads(name, position)]
    return f"; it is a position of {', '.join(named)}: give that game" if named else ""


def _reads(name: str, position: str) -> bool:
    try:
        games.make(name).from_fen(position)
    except PhasezooError:
        return False
    return True


def _numbered_from_one(line: str, number: int) -> str:
    """Return a line of moves whose first has the number 1."""
    begin = re.match(r"\s*(\d+)\.", line)
    if begin is not None and int(begin[1]) != 1:
        message = (
            f"line {number} begins with move {begin[1]}: each line is an opening from its first "
            'move; games in PGN need their tags, such as [Event "?"]'
        )
        raise InvalidPgn(message)
    return line


def _position(line: str) -> str:
    """Return the FEN of a line that has a FEN or an EPD."""
    fields = line.split(maxsplit=4)
    rest = fields.pop() if len(fields) > 4 else ""
    fields[-1] = fields[-1].rstrip(";")
    last = _LAST_FIELDS.match(rest)
    rest = rest if last is None else rest[last.end() :]
    if _OPERATIONS.fullmatch(rest) is None:
        message = (
            f"{rest.strip()[:80]!r} stands behind the position: a FEN has six fields, an EPD four "
            "and operations that end with ';'; moves from a position need PGN, with the tag FEN"
        )
        raise InvalidFen(message)
    counters = dict(_COUNTERS.findall(_QUOTED.sub("", rest)))
    clocks = (
        (counters.get("hmvc", "0"), counters.get("fmvn", "1")) if last is None else last.groups()
    )
    return " ".join([*fields, *clocks])


def _moves(line: str, game: games.Game, plies: int | None) -> tuple[str, ...] | None:
    """Return the moves of a line; None if it has none."""
    if game.name in _core.pgn_games():
        openings, refused = _core.read_openings(line, game.name, plies)
        if refused:
            raise InvalidUci(refused[0][2])
        if len(openings) > 1:
            message = "the line goes on after a result: give each opening a line of its own"
            raise InvalidUci(message)
        return tuple(openings[0][1]) if openings and openings[0][1] else None
    words = _words(line, game)
    if not words:
        return None
    state, moves = game.initial_state(), []
    for word in words[:plies]:
        try:
            action = queries.action_of(state, word)
            moves.append(queries.move_text(state, action))
            state = state.play(action)
        except PhasezooError as error:
            raise InvalidUci(str(error)) from error
    return tuple(moves)


def _words(line: str, game: games.Game) -> list[str]:
    """Return the moves of a line without SAN; comments, variations and results are left out."""
    depth, moves = 0, []
    for word in _WORD.findall(line):
        if word in "()":
            depth = max(0, depth + (1 if word == "(" else -1))
            continue
        if depth or word[0] in "{;$" or word in _RESULTS:
            continue
        is_action = word.isdecimal() and not hasattr(game.state_type, "parse_uci")
        move = word if is_action else _NUMBER.sub("", word)
        if move:
            moves.append(move)
    return moves
