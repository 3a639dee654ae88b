"""Playing on pictures of chess boards: squares, pockets, promotions and explosions."""

from itertools import pairwise
from typing import Any

from phasezoo.envs.rendering.pointing import Box, Pointing, Spot, Way
from phasezoo.zoo.boards.pictures.scene import Scene, scene_of
from phasezoo.zoo.boards.pictures.sketch import POCKET, pocket_steps

NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
SIDES = ("White", "Black")
EXPLOSIVE = "atomic"
"""The variant whose captures explode."""

GATES = ("lichess", "lichess:engine", "moves:3", "moves:5", "material", "dtm:11,6", "plies:20,60")


def spots(state: Any, player: int | None, flipped: bool) -> list[Spot]:
    """The squares, and one spot for each kind of piece in a pocket."""
    scene = scene_of(state, flipped=flipped or player == 1)
    margin = 0.0 if scene.pockets is None else POCKET
    whole = 8.0 + 2.0 * margin
    found = []
    for square in range(64):
        row, column = scene.place(square)
        box = Box((margin + column) / whole, (margin + row) / whole, 1.0 / whole, 1.0 / whole)
        label = _square(square)
        if square in scene.pieces:
            label += f", {_piece(scene.pieces[square])}"
        found.append(Spot(_square(square), label, box))
    return found + _pocket_spots(scene, margin, whole)


def _pocket_spots(scene: Scene, margin: float, whole: float) -> list[Spot]:
    found = []
    tops = (0.0, 1.0 - margin / whole)
    for letters, top in zip(scene.pocket_rows(), tops, strict=True):
        steps = [*pocket_steps(len(letters), whole, margin), None]
        begins: dict[str, float] = {}
        ends: dict[str, float] = {}
        for letter, (left, following) in zip(letters, pairwise(steps), strict=True):
            assert left is not None  # the end alone has no step
            begins.setdefault(letter, left)
            ends[letter] = left + margin if following is None else following
        for letter, left in begins.items():
            box = Box(left / whole, top, (ends[letter] - left) / whole, margin / whole)
            count = letters.count(letter)
            found.append(Spot(f"{letter}@", f"in hand: {count} {_piece(letter)}", box))
    return found


def ways(state: Any, player: int) -> list[Way]:
    """From square to square, or from the pocket to a square; the king castles onto its rook too."""
    found = []
    castles = state.game != "chess960"
    for action in state.legal_actions.tolist():
        move = state.uci(action)
        if "@" in move:
            letter = move[0] if player == 0 else move[0].lower()
            found.append(Way(action, (f"{letter}@", move[2:])))
            continue
        start, end, promoted = move[:2], move[2:4], move[4:]
        icon = promoted.upper() if player == 0 else promoted
        found.append(Way(action, (start, end), NAMES.get(promoted, ""), icon))
        if castles and state.san(action).startswith("O-O"):
            rook = ("h" if end[0] == "g" else "a") + end[1]
            found.append(Way(action, (start, rook)))
    return found


def name(state: Any, action: int) -> str:
    """The move in SAN."""
    return str(state.san(action))


def blast(before: Any, action: Any) -> tuple[str, ...]:
    """The square of a capture in atomic chess, and those around it."""
    if before.game != EXPLOSIVE:
        return ()
    move = before.uci(int(action))
    if "x" not in before.san(int(action)):
        return ()
    file, rank = "abcdefgh".index(move[2]), int(move[3]) - 1
    return tuple(
        _square(row * 8 + column)
        for row in range(max(rank - 1, 0), min(rank + 2, 8))
        for column in range(max(file - 1, 0), min(file + 2, 8))
    )


def _square(square: int) -> str:
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def _piece(letter: str) -> str:
    return f"{SIDES[letter.islower()].lower()} {NAMES[letter.lower()]}"


BOARD = Pointing(spots, ways, name, blast=blast, gates=GATES, sides=SIDES, flips=True)
"""Squares have their names; a piece in hand is the spot ``N@``, or ``n@`` of the second player."""
