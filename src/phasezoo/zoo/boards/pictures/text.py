"""Boards as plain text."""

from phasezoo.zoo.boards.pictures.scene import Scene


def text(scene: Scene) -> str:
    """The board as nine lines of ASCII; FEN letters, dots for empty squares.

    Pockets stand beside the first and the last rank, on the side of whom they belong to.
    """
    rows = [["."] * 8 for _ in range(8)]
    for square, letter in scene.pieces.items():
        row, column = scene.place(square)
        rows[row][column] = letter
    ranks = range(1, 9) if scene.flipped else range(8, 0, -1)
    files = "hgfedcba" if scene.flipped else "abcdefgh"
    lines = [f"{rank} {' '.join(row)}" for rank, row in zip(ranks, rows, strict=True)]
    if scene.pockets is not None:
        top, bottom = scene.pocket_rows()
        lines[0] += f"  [{top}]"
        lines[7] += f"  [{bottom}]"
    return "\n".join([*lines, f"  {' '.join(files)}"])
