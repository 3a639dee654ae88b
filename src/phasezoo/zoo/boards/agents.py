"""Syzygy tables in searches of chess, through python-chess."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import InvalidConfig, needs
from phasezoo.games.options import folder_path
from phasezoo.inference.evaluator import Leaves
from phasezoo.inference.oracle import ORACLE_PLIES, Known

if TYPE_CHECKING:
    import chess.syzygy


class Syzygy:
    """Endgame tables that know who wins under the rule of fifty moves (de Man's Syzygy tables).

    At a **leaf** the tables are asked if the clock of fifty moves stands at 0, as after a capture
    or a move of a pawn; what they say then holds whatever came before, so that a search proves by
    it. A win that the rule of fifty moves spoils (``cursed``) is a draw. At a **root** they say by
    their distances to the next such move (DTZ) which moves keep the result, and of those that win
    which come nearest to it.

    Positions with castling rights, or of endings whose files are not there, are not known.

    Args:
        path: A folder with ``.rtbw`` files (leaves) and ``.rtbz`` files (roots), or several of them
            as one text, divided as in ``PATH``.

    Raises:
        InvalidConfig: A folder is missing, or no table is in them.
        MissingDependency: python-chess is not installed.
    """

    games = ("chess", "chess960")

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._open()

    def _open(self) -> None:
        with needs("Syzygy tables need python-chess", "chess"):
            import chess.syzygy
        self._tables: chess.syzygy.Tablebase = chess.syzygy.Tablebase()
        for folder in _folders(self.path):
            if not folder_path("path", folder).is_dir():
                message = f"{folder}: no such folder; Syzygy tables are folders with .rtbw files"
                raise InvalidConfig(message)
            self._tables.add_directory(str(folder))
        self.most_pieces = max((len(name) - 1 for name in self._tables.wdl), default=0)
        """Pieces of the largest ending."""
        if not self.most_pieces:
            message = f"{self.path}: no .rtbw file there; name the folder that holds the tables"
            raise InvalidConfig(message)

    def look(self, leaves: Leaves) -> Known | None:
        """Return the tables' results of leaves with few pieces and a clock of 0."""
        known = None
        for row, state in enumerate(leaves.states()):
            wdl = self._wdl(state)
            if wdl is None:
                continue
            if known is None:
                count = len(leaves)
                plies = np.full(count, -1, np.int32)
                known = Known(np.zeros(count, bool), np.zeros(count, np.float32), plies)
            known.rows[row] = True
            known.values[row] = _value(wdl)
            known.plies[row] = ORACLE_PLIES
        return known

    def root_actions(self, state: Any) -> npt.NDArray[np.int64] | None:
        """The moves that keep the result, by the distance to a capture, a move of a pawn or mate.

        Of those that win the nearest, of those that lose the farthest.
        """
        import chess.syzygy

        board = self._board(state)
        if board is None:
            return None
        ranks = []
        for action in state.legal_actions:
            board.push_uci(state.uci(int(action)))
            try:
                ranks.append(self._rank(board))
            except chess.syzygy.MissingTableError:
                return None
            finally:
                board.pop()
        best = max(ranks)
        kept = [rank == best for rank in ranks]
        return np.asarray(state.legal_actions, dtype=np.int64)[kept]

    def _rank(self, board: "chess.Board") -> tuple[int, int]:
        """How good it is to have moved to ``board``: the result, then by how far it is away."""
        if board.is_checkmate():
            return 2, 0
        if board.is_stalemate() or board.is_insufficient_material():
            return 0, 0
        left = -self._tables.probe_dtz(board)
        if left == 0 or abs(left) + board.halfmove_clock > 100:
            return 0, 0  # drawn, or by the rule of fifty moves
        if board.halfmove_clock == 0:  # the move itself is the one that distances are counted to
            return (1, 0) if left > 0 else (-1, 0)
        return (1, -left) if left > 0 else (-1, -left)

    def _wdl(self, state: Any) -> int | None:
        import chess.syzygy

        board = self._board(state, is_fresh=True)
        if board is None:
            return None
        try:
            return self._tables.probe_wdl(board)
        except chess.syzygy.MissingTableError:
            return None

    def _board(self, state: Any, *, is_fresh: bool = False) -> "chess.Board | None":
        """The position, if it has no more pieces than the tables and nobody may castle.

        ``is_fresh``: and if its clock stands at 0.
        """
        if getattr(state, "game", None) not in self.games:
            return None
        fields = state.fen.split()
        if fields[2] != "-" or (is_fresh and fields[4] != "0"):
            return None
        if sum(map(str.isalpha, fields[0])) > self.most_pieces:
            return None
        import chess

        return chess.Board(state.fen)

    def __repr__(self) -> str:
        return f"Syzygy({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Syzygy, (self.path,)


def _folders(path: str) -> list[Path]:
    import os

    return [Path(each) for each in path.split(os.pathsep) if each]


def _value(wdl: int) -> float:
    """Cursed wins and blessed losses are drawn by the rule of fifty moves."""
    return {2: 1.0, -2: -1.0}.get(wdl, 0.0)
