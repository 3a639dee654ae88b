"""Positions that user interfaces send, as states of a game."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from phasezoo import games
from phasezoo.apps.uci.commands import Place
from phasezoo.apps.uci.options import CHESS960, STARTS, VARIANTS
from phasezoo.errors import InvalidFen, PhasezooError

CLAIMED = ("threefold_repetition", "fifty_moves")
"""Draws that a player may leave unclaimed: other programs play on, so that we have to."""

_CLOCK = 4
"""The field of a FEN that counts plies without progress."""

_DEFAULTS = ("", "", "-", "-", "0", "1")
"""Fields of a FEN that tools leave out; the first two have no default."""

_SIDES = {"white": "w", "black": "b"}
_RIGHTS = re.compile(r"[A-HKQa-hkq]+")
_SQUARE = re.compile(r"[a-h][1-8]")
_OF_CRAZYHOUSE = re.compile(r"~|\[.*")
_EMPTY_POCKET = re.compile(r"\[-?\]$")


def mended_fen(text: str, game: games.Game) -> tuple[str, list[str]]:
    """Rewrite what tools send as a FEN that ``game`` reads, and say what was left out.

    Missing fields get their defaults; the operations of an EPD and an empty pocket are passed over.
    Castling rights without king and rook, and an en passant square that no pawn has just passed,
    are left out.
    """
    if _reads(game, text):
        return text, []
    placement, side, castling, passed, *counters = _fields(text)

    def fen(rights: str, square: str = "-") -> str:
        return " ".join((placement, side, rights, square, *counters))

    def check(fen: str) -> None:
        try:
            game.from_fen(fen)
        except InvalidFen as error:
            raise InvalidFen(str(error).replace(f"'{fen}'", f"'{text}'")) from error

    check(fen("-"))  # what is wrong here cannot be left out
    rights, left_out = castling.replace("-", "") or "-", []
    if not _reads(game, fen(rights)):
        if not _RIGHTS.fullmatch(rights):
            check(fen(rights))
        if _is_chess960(placement, side, rights):
            advice = (
                "set UCI_Chess960 if it is played, else"
                if game.name == VARIANTS[0]
                else f"{game.name} is not played from such positions;"
            )
            message = f"{castling!r}: castling rights of chess960; {advice} write '-' there"
            raise InvalidFen(message)
        rights = "".join(r for r in dict.fromkeys(rights) if _reads(game, fen(r))) or "-"
        why = "the others stand twice, or without king and rook on their squares"
        left_out.append(f"castling rights {castling!r} read as {rights!r}: {why}")
    square = passed.lower()
    if not _reads(game, fen(rights, square)):
        if not _SQUARE.fullmatch(square):
            check(fen(rights, square))
        left_out.append(f"en passant square {passed!r} read as '-': no pawn has just passed it")
        square = "-"
    return fen(rights, square), left_out


def _fields(text: str) -> list[str]:
    """The six fields of a FEN, or more if it has more."""
    fields = text.strip("\"'; ").partition(";")[0].split()
    if len(fields) < 2:
        message = f"{text[:80]!r}: expected the pieces, the side to move and the rest of a FEN"
        raise InvalidFen(message)
    if fields[3:4] and fields[3].isdigit():  # the counters follow the castling rights
        fields.insert(3, "-")
    for end in (4, 6):  # where the operations of an EPD begin
        if fields[end:] and fields[end][0].isalpha():
            del fields[end:]
    fields += _DEFAULTS[len(fields) :]
    for place in (4, 5):
        fields[place] = _DEFAULTS[place] if fields[place] == "-" else fields[place]
    fields[1] = _SIDES.get(fields[1].lower(), fields[1].lower())
    fields[0] = _EMPTY_POCKET.sub("", fields[0])
    return fields


def _is_chess960(placement: str, side: str, rights: str) -> bool:
    """Whether king and rooks stand where chess960 has these castling rights."""
    board = _OF_CRAZYHOUSE.sub("", placement)
    try:
        games.make(CHESS960).from_fen(f"{board} {side} {rights} -")
    except InvalidFen as error:  # kings may touch in atomic chess
        return "castling right" not in str(error)
    return True


def _reads(game: games.Game, fen: str) -> bool:
    try:
        game.from_fen(fen)
    except PhasezooError:
        return False
    return True


def state_at(place: Place, game: games.Game) -> Any:
    """The state of ``game`` at a position."""
    start = place.fen or STARTS.get(game.name)
    try:
        if start is not None:
            return game.from_fen(start, place.moves)
        if not place.moves:
            return game.initial_state()
    except PhasezooError:
        pass  # a game that goes on after a draw, or a mistake: found move by move
    state = game.initial_state() if start is None else game.from_fen(start)
    for move in place.moves:
        state = unclaimed(state, game)
        if state.is_terminal:  # by a rule that other programs may not know: they play on
            state = game.from_fen(state.fen, (move,))
        else:
            state = state.play(state.parse_uci(move))
    return state


def actions_after_end(state: Any) -> Iterator[int]:
    """Yield the actions that are legal moves on the board of a drawn game, as others play it.

    Args:
        state: A state whose game is over; if a player has won it, there is no move.
    """
    if state.outcome.winner is not None:
        return
    for action in range(games.game_of(state).num_actions):
        with contextlib.suppress(PhasezooError):
            state.uci(action)
            yield action


def unclaimed(state: Any, game: games.Game) -> Any:
    """``state``, or if it is drawn by a rule that nobody has called upon, one that goes on.

    That one knows nothing of what was before, and has no count of plies without progress.
    """
    if not state.is_terminal or state.outcome.reason not in CLAIMED:
        return state
    fields = state.fen.split()
    fields[_CLOCK] = "0"
    return game.from_fen(" ".join(fields))
