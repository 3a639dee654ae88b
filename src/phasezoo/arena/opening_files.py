"""Openings as text: lists of moves, of positions (FEN, EPD), and games in PGN."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from phasezoo import games
from phasezoo.errors import InvalidConfig, InvalidFen, InvalidPgn, InvalidUci, PhasezooError
from phasezoo.games import queries

__all__ = ["Opening", "action_of", "parse_openings"]

_TAG = re.compile(r'^\s*\[\s*(?P<name>\w+)\s+"(?P<value>(?:[^"\\]|\\.)*)"\s*\]\s*$')
_WORD = re.compile(r"\{[^}]*\}?|;[^\n]*|\$\d+|\(|\)|[^\s{}();$]+")
_NUMBER = re.compile(r"^\d+\.*(?=[^\d./-]|$)|^\.+")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_COUNTERS = re.compile(r"\b(hmvc|fmvn)\s+(\d+)\s*;")


class Opening(NamedTuple):
    """Where a game starts, and what is played before the agents take over."""

    start: str | None
    """A position in FEN; None for the game's own start."""
    moves: tuple[str, ...]
    """In UCI notation, or action numbers in games that have none."""

    def states(self, game: games.Game, seed: int | None = None) -> list[Any]:
        """Every state: where it starts, and one after each move.

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
                states.append(states[-1].play(action_of(states[-1], move)))
            except PhasezooError as error:  # the game may be over there
                raise InvalidUci(str(error)) from error
        return states


def parse_openings(text: str, game: games.Game, plies: int | None = None) -> tuple[Opening, ...]:
    """The openings in the text of a file.

    Text with PGN tags is read as PGN: each game's main line. Otherwise each line is an opening:
    moves in UCI notation, SAN or action numbers, with or without numbers of moves; or a FEN, or an
    EPD, whose operations are ignored but for ``hmvc`` and ``fmvn``. ``#`` begins a comment.

    Args:
        text: The text.
        game: Whose openings they are.
        plies: How many moves of each are taken; default all.

    Raises:
        InvalidConfig: A game in PGN is of another variant.
        InvalidFen: A position cannot be read; the message names the line.
        InvalidPgn: There is PGN, and the game has no such notation; or a line begins in the middle
            of a game.
        InvalidUci: A move cannot be read or is not legal; the message names the opening.
    """
    if any(_TAG.match(line) for line in text.splitlines()[:200]):
        found = list(_games_in(text, game))
    else:
        found = list(_lines_in(text, game))
    return tuple(
        _played(game, number, start, words[:plies])
        for number, (start, words) in enumerate(found, start=1)
    )


def action_of(state: Any, move: str) -> int:
    """What ``move`` means in ``state``.

    Raises:
        InvalidUci: The move cannot be read, or is not legal.
    """
    if hasattr(state, "parse_uci"):
        return int(state.parse_uci(move))
    legal = games.legal_actions_of(state, state.to_play).tolist()
    if not move.isdecimal() or int(move) not in legal:
        message = f"{move!r} is not a legal action here; legal are {legal}"
        raise InvalidUci(message)
    return int(move)


def _played(game: games.Game, number: int, start: str | None, words: list[str]) -> Opening:
    """An opening with its moves in UCI notation."""
    state = game.initial_state() if start is None else game.from_fen(start)
    moves = []
    for word in words:
        try:
            action = _read(state, word)
        except PhasezooError as error:
            message = f"opening {number} ({' '.join(words)[:80]}): {error}"
            raise InvalidUci(message) from error
        moves.append(queries.move_text(state, action))
        state = state.play(action)
    return Opening(start, tuple(moves))


def _read(state: Any, word: str) -> int:
    """The action of a word, which is UCI notation or SAN.

    Raises:
        PhasezooError: It is neither, or not legal.
    """
    try:
        return action_of(state, word)
    except InvalidUci:
        if not hasattr(state, "parse_san"):
            raise
        plain = word.rstrip("!?").replace("0-0-0", "O-O-O").replace("0-0", "O-O")
        try:
            return int(state.parse_san(plain))
        except PhasezooError as error:
            if re.search(r"[A-Z]", word):
                raise InvalidUci(str(error)) from error
        raise


def _lines_in(text: str, game: games.Game) -> Iterator[tuple[str | None, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or "/" not in words[0]:
            moves = _moves(_numbered_from_one(line.partition("#")[0], number), game)
            if moves:
                yield None, moves
            continue
        try:
            start = _position(line)
            game.from_fen(start)
        except PhasezooError as error:
            message = f"line {number}: {error}"
            raise InvalidFen(message) from error
        yield start, []


def _numbered_from_one(line: str, number: int) -> str:
    """A line of moves.

    Raises:
        InvalidPgn: Its first move has another number than 1.
    """
    begin = re.match(r"\s*(\d+)\.", line)
    if begin is not None and int(begin[1]) != 1:
        message = (
            f"line {number} begins with move {begin[1]}: each line is an opening from its first "
            'move; games in PGN need their tags, such as [Event "?"]'
        )
        raise InvalidPgn(message)
    return line


def _position(line: str) -> str:
    """The FEN of a line that has a FEN or an EPD."""
    fields = line.split()
    if len(fields) > 5 and fields[4].isdigit() and fields[5].isdigit():
        return " ".join(fields[:6])
    counters = dict(_COUNTERS.findall(line))
    return " ".join([*fields[:4], counters.get("hmvc", "0"), counters.get("fmvn", "1")])


def _games_in(text: str, game: games.Game) -> Iterator[tuple[str | None, list[str]]]:
    """The starts and main lines of games in PGN."""
    if not hasattr(game.state_type, "parse_san"):
        message = f"{game.name!r} is not written as PGN: give lists of moves"
        raise InvalidPgn(message)
    tags: dict[str, str] = {}
    body: list[str] = []
    for line in [*text.splitlines(), '[End ""]']:
        found = _TAG.match(line)
        if found is None:
            if not line.startswith("%"):
                body.append(line)
            continue
        if "".join(body).strip():
            yield _start(tags, game), _moves("\n".join(body), game)
            tags, body = {}, []
        tags[found["name"]] = found["value"]


def _start(tags: dict[str, str], game: games.Game) -> str | None:
    """The position that a game in PGN starts from.

    Raises:
        InvalidConfig: It is a game of another variant.
        InvalidFen: It is none.
    """
    own = game.name.capitalize() if game.pgn_variant is None else game.pgn_variant
    variant = tags.get("Variant", own)
    if _squeezed(variant) not in (_squeezed(own), _squeezed(game.name), "standard"):
        message = f"a game of {variant!r} among openings of {game.name!r}"
        raise InvalidConfig(message)
    fen = tags.get("FEN")
    if fen is not None:
        game.from_fen(fen)
    return fen


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _moves(text: str, game: games.Game) -> list[str]:
    """The moves of a main line, without numbers, comments, variations and results."""
    depth, moves = 0, []
    for word in _WORD.findall(text):
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
